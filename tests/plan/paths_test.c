/* paths_test.c - what paths.c promises. */
#include "plan/drawn.h"
#include <stdlib.h>

/* 0 -> 1 -> 2 -> 4, 0 -> 3 -> 4, 5 alone */
static drawn kite(void)
{
    return drawn_make(6, NULL, DRAWN({0, 1}, {1, 2}, {2, 4}, {0, 3}, {3, 4}));
}

START_TEST(level_is_the_longest_way_from_a_root)
{
    drawn d = kite();
    weir_levels levels;
    ck_assert_int_eq(weir_levels_create(&d.dag, &levels), WEIR_OK);
    const uint32_t level[] = {0, 1, 2, 1, 3, 0}, by_level[] = {0, 5, 1, 3, 2, 4}, first[] = {0, 2, 4, 5, 6};
    ck_assert_uint_eq(levels.count, 4);
    ck_assert_uint_eq(levels.width, 2);
    ck_assert_mem_eq(levels.level, level, sizeof level);
    ck_assert_mem_eq(levels.by_level, by_level, sizeof by_level);
    ck_assert_mem_eq(levels.first, first, sizeof first);
    weir_levels_finish(&levels);
    drawn_finish(&d);
}
END_TEST

START_TEST(levels_of_no_tasks_are_none)
{
    drawn d = drawn_make(0, NULL, NULL, 0);
    weir_levels levels;
    ck_assert_int_eq(weir_levels_create(&d.dag, &levels), WEIR_OK);
    ck_assert_uint_eq(levels.count, 0);
    ck_assert_uint_eq(levels.width, 0);
    weir_levels_finish(&levels);
    drawn_finish(&d);
}
END_TEST

START_TEST(tail_is_the_costliest_way_to_an_end)
{
    drawn d = kite();
    d.work.cost_ns[3] = 5000;
    double *tail = weir_tails_create(&d.dag, d.work.cost_ns);
    const double expected[] = {7000, 3000, 2000, 6000, 1000, 1000};
    for (int t = 0; t < 6; t++)
        ck_assert_double_eq(tail[t], expected[t]);
    weir_free(tail);
    drawn_finish(&d);
}
END_TEST

START_TEST(numbers_need_not_be_in_topological_order)
{
    const uint32_t order[] = {2, 1, 0}; /* 2 -> 1 -> 0 */
    drawn d = drawn_make(3, order, DRAWN({2, 1}, {1, 0}));
    weir_levels levels;
    ck_assert_int_eq(weir_levels_create(&d.dag, &levels), WEIR_OK);
    double *tail = weir_tails_create(&d.dag, d.work.cost_ns);
    for (uint32_t t = 0; t < 3; t++) {
        ck_assert_uint_eq(levels.level[t], 2 - t);
        ck_assert_double_eq(tail[t], 1000.0 * (t + 1));
    }
    weir_free(tail);
    weir_levels_finish(&levels);
    drawn_finish(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/paths");
    TCase *cases = tcase_create("paths");
    tcase_add_test(cases, level_is_the_longest_way_from_a_root);
    tcase_add_test(cases, levels_of_no_tasks_are_none);
    tcase_add_test(cases, tail_is_the_costliest_way_to_an_end);
    tcase_add_test(cases, numbers_need_not_be_in_topological_order);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
