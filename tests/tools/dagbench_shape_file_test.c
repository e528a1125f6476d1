/* dagbench_shape_file_test.c - what dagbench's shape_file.c promises: a file's graph as it is, but for tasks that stand too early. */
#include "tools/dagbench/shape_file.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char error[512];

/* Reads a Standard Task Graph from a file of its own. */
static bool read_text(const char *text, shape *out)
{
    char path[] = "/tmp/dagbench_shape_file_XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    bool done = shape_read(path, out, error, sizeof error);
    remove(path);
    return done;
}

static void has_preds(const shape *s, uint32_t t, uint32_t count, uint32_t a, uint32_t b)
{
    ck_assert_uint_eq(s->first[t + 1] - s->first[t], count);
    if (count > 0)
        ck_assert_uint_eq(s->pred[s->first[t]], a);
    if (count > 1)
        ck_assert_uint_eq(s->pred[s->first[t] + 1], b);
}

/* 0 -> 1 -> 3, 0 -> 2 -> 3, and 0 -> 3, which the others imply */
START_TEST(numbers_and_edges_stay_where_the_order_is_right)
{
    shape s;
    ck_assert_msg(read_text("4\n0 5 0\n1 1 1 0\n2 1 1 0\n3 9 3 1 2 0\n", &s), "%s", error);
    ck_assert_uint_eq(s.tasks, 4);
    ck_assert_uint_eq(s.edges, 5);
    ck_assert_int_eq(s.kind, SHAPE_EDGES);
    has_preds(&s, 0, 0, 0, 0);
    has_preds(&s, 1, 1, 0, 0);
    has_preds(&s, 2, 1, 0, 0);
    has_preds(&s, 3, 3, 1, 2);
    shape_finish(&s);
}
END_TEST

/* 2 -> 1 -> 0, 3 alone: in the order 2, 1, 0, 3 */
START_TEST(a_task_that_stands_before_one_it_follows_is_moved_behind_it)
{
    shape s;
    ck_assert_msg(read_text("4\n0 1 1 1\n1 1 1 2\n2 1 0\n3 1 0\n", &s), "%s", error);
    ck_assert_uint_eq(s.edges, 2);
    has_preds(&s, 0, 0, 0, 0);
    has_preds(&s, 1, 1, 0, 0);
    has_preds(&s, 2, 1, 1, 0);
    has_preds(&s, 3, 0, 0, 0);
    shape_finish(&s);
}
END_TEST

START_TEST(what_is_wrong_is_named_with_its_line)
{
    shape s;
    ck_assert(!read_text("2\n0 1 0\n1 1 1 x\n", &s));
    ck_assert_ptr_nonnull(strstr(error, ":3: "));
    ck_assert(!read_text("0\n", &s));
    ck_assert_ptr_nonnull(strstr(error, "has 0 tasks"));
    ck_assert(!shape_read("no/such/file.stg", &s, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "no/such/file.stg: cannot be opened"));
}
END_TEST

START_TEST(a_file_has_a_slash_or_a_known_suffix)
{
    ck_assert(shape_is_file("a.stg") && shape_is_file("a.dot") && shape_is_file("a.gv") && shape_is_file("a.json") && shape_is_file("./a"));
    ck_assert(!shape_is_file("chain") && !shape_is_file("all") && !shape_is_file("a.txt") && !shape_is_file("stg"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/dagbench_shape_file");
    TCase *tests = tcase_create("shape_file");
    tcase_add_test(tests, numbers_and_edges_stay_where_the_order_is_right);
    tcase_add_test(tests, a_task_that_stands_before_one_it_follows_is_moved_behind_it);
    tcase_add_test(tests, what_is_wrong_is_named_with_its_line);
    tcase_add_test(tests, a_file_has_a_slash_or_a_known_suffix);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
