/* dagbench_touched_test.c - what dagbench's touched.c promises: the predecessors are what the touched data ask for, no more and no less. */
#include "tools/dagbench/touched.h"
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 1500 };

static const char *const names[] = {"accesses", "boxes"};
static bool path[TASKS][TASKS]; /* [later][earlier] */

static shape make(const char *name, uint32_t tasks, uint64_t seed)
{
    shape s;
    const workload *w = workload_find(name);
    ck_assert_ptr_nonnull(w);
    ck_assert_int_eq(shape_init(&s, w, tasks, seed), 1);
    return s;
}

/* Two tasks conflict when one updates what the other touches. */
static bool conflict(const shape *s, uint32_t a, uint32_t b)
{
    uint32_t n = touched_a_task(s->kind);
    const uint16_t *of_a = s->touched + a * n, *of_b = s->touched + b * n;
    for (uint32_t i = 0; i < n; i++)
        if (of_a[n - 1] == of_b[i] || of_b[n - 1] == of_a[i])
            return true;
    return false;
}

START_TEST(a_path_joins_two_tasks_of_which_one_updates_what_the_other_touches)
{
    shape s = make(names[_i], TASKS, 5);
    uint32_t conflicts = 0;
    memset(path, 0, sizeof path);
    for (uint32_t t = 0; t < TASKS; t++)
        for (uint32_t e = s.first[t]; e < s.first[t + 1]; e++) {
            path[t][s.pred[e]] = true;
            for (uint32_t u = 0; u < s.pred[e]; u++)
                path[t][u] = path[t][u] || path[s.pred[e]][u];
        }
    for (uint32_t later = 0; later < TASKS; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++)
            if (conflict(&s, later, earlier)) {
                conflicts++;
                ck_assert_msg(path[later][earlier], "task %u does not follow task %u", later, earlier);
            }
    ck_assert_uint_gt(conflicts, 100);
    shape_finish(&s);
}
END_TEST

START_TEST(every_predecessor_is_one_that_conflicts)
{
    shape s = make(names[_i], 30000, 6);
    ck_assert_uint_gt(s.edges, s.tasks / 2);
    for (uint32_t t = 0; t < s.tasks; t++)
        for (uint32_t e = s.first[t]; e < s.first[t + 1]; e++)
            ck_assert(conflict(&s, t, s.pred[e]));
    shape_finish(&s);
}
END_TEST

START_TEST(a_task_reads_two_buffers_and_updates_a_third)
{
    shape s = make("accesses", 100000, 1);
    uint32_t read[TOUCHED_BUFFERS] = {0}, updated[TOUCHED_BUFFERS] = {0}, preds_most = 0;
    ck_assert_uint_eq(touched_a_task(s.kind), 3);
    for (uint32_t t = 0; t < s.tasks; t++) {
        const uint16_t *touched = s.touched + t * 3;
        ck_assert(touched[0] != touched[1] && touched[1] != touched[2] && touched[0] != touched[2]);
        for (int i = 0; i < 3; i++) {
            ck_assert_uint_lt(touched[i], TOUCHED_BUFFERS);
            (i < 2 ? read : updated)[touched[i]]++;
        }
        if (s.first[t + 1] - s.first[t] > preds_most)
            preds_most = s.first[t + 1] - s.first[t];
    }
    for (int b = 0; b < TOUCHED_BUFFERS; b++)
        ck_assert(read[b] > 0 && updated[b] > 0);
    ck_assert_uint_le(preds_most, SHAPE_PREDS_MOST);
    shape_finish(&s);
}
END_TEST

START_TEST(the_seed_decides)
{
    shape s = make(names[_i], TASKS, 1), same = make(names[_i], TASKS, 1), other = make(names[_i], TASKS, 2);
    size_t bytes = TASKS * touched_a_task(s.kind) * sizeof *s.touched;
    ck_assert_int_eq(memcmp(s.touched, same.touched, bytes), 0);
    ck_assert_int_ne(memcmp(s.touched, other.touched, bytes), 0);
    shape_finish(&s);
    shape_finish(&same);
    shape_finish(&other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/dagbench_touched");
    TCase *tests = tcase_create("touched");
    tcase_add_loop_test(tests, a_path_joins_two_tasks_of_which_one_updates_what_the_other_touches, 0, 2);
    tcase_add_loop_test(tests, every_predecessor_is_one_that_conflicts, 0, 2);
    tcase_add_test(tests, a_task_reads_two_buffers_and_updates_a_third);
    tcase_add_loop_test(tests, the_seed_decides, 0, 2);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
