/* dagbench_tally_test.c - what dagbench's tally.c promises: a checked run cannot pass when an edge was broken or a task left out. */
#include "tools/dagbench/tally.h"
#include <check.h>
#include <stdlib.h>

/* 0 -> 1 -> 3, 0 -> 2 -> 3 */
static uint32_t first[] = {0, 0, 1, 2, 4}, pred[] = {0, 0, 1, 2};
static const shape diamond = {.tasks = 4, .edges = 4, .first = first, .pred = pred};

static tally t;
static char text[200];

static void start(void)
{
    ck_assert_int_eq(tally_init(&t, &diamond), 1);
    t.checking = true;
}

static void run_in_order(int a, int b, int c, int d)
{
    const int order[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(tally_run(&t.task[order[i]], NULL), WEIR_OK);
}

START_TEST(orders_that_keep_every_edge_are_right)
{
    start();
    run_in_order(0, 1, 2, 3);
    run_in_order(0, 2, 1, 3);
    ck_assert(tally_is_right(&t, 2, text, sizeof text));
    tally_finish(&t);
}
END_TEST

START_TEST(a_broken_edge_is_named_in_any_frame)
{
    start();
    run_in_order(0, 1, 2, 3);
    run_in_order(0, 1, 3, 2);
    ck_assert(!tally_is_right(&t, 2, text, sizeof text));
    ck_assert_str_eq(text, "task 3 started before task 2 was done, which it follows");
    tally_finish(&t);
}
END_TEST

START_TEST(a_task_that_did_not_run_is_named)
{
    start();
    run_in_order(0, 1, 2, 3);
    ck_assert(!tally_is_right(&t, 2, text, sizeof text));
    ck_assert_str_eq(text, "task 0 ran 1 times in 2 frames");
    tally_finish(&t);
}
END_TEST

START_TEST(a_task_that_ran_twice_is_named)
{
    start();
    t.checking = false;
    run_in_order(0, 1, 2, 3);
    tally_run(&t.task[2], NULL);
    ck_assert(!tally_is_right(&t, 1, text, sizeof text));
    ck_assert_str_eq(text, "task 2 ran 2 times in 1 frames");
    tally_finish(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/dagbench_tally");
    TCase *tests = tcase_create("tally");
    tcase_add_test(tests, orders_that_keep_every_edge_are_right);
    tcase_add_test(tests, a_broken_edge_is_named_in_any_frame);
    tcase_add_test(tests, a_task_that_did_not_run_is_named);
    tcase_add_test(tests, a_task_that_ran_twice_is_named);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
