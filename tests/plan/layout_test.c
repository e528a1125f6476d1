/* layout_test.c - what layout.c promises. */
#include "plan/drawn.h"
#include <stdlib.h>

START_TEST(lanes_list_their_tasks_in_the_order_of_the_plan)
{
    drawn d = drawn_make(5, NULL, NULL, 0);
    drawn_place_as(&d, 3, (const uint32_t[]){4, 1, 3, 0, 2}, (const uint16_t[]){2, 0, 2, 0, 2});
    const uint32_t position[] = {3, 1, 4, 2, 0}, lane_first[] = {0, 2, 2, 5}, lane_task[] = {1, 3, 4, 0, 2},
                   lane_position[] = {1, 0, 2, 1, 0};
    ck_assert_mem_eq(d.plan.position, position, sizeof position);
    ck_assert_mem_eq(d.plan.lane_first, lane_first, sizeof lane_first);
    ck_assert_mem_eq(d.plan.lane_task, lane_task, sizeof lane_task);
    ck_assert_mem_eq(d.plan.lane_position, lane_position, sizeof lane_position);
    drawn_finish(&d);
}
END_TEST

START_TEST(no_tasks_are_no_trouble)
{
    drawn d = drawn_make(0, NULL, NULL, 0);
    drawn_place_as(&d, 2, (const uint32_t[]){0}, (const uint16_t[]){0});
    ck_assert_uint_eq(d.plan.lane_first[2], 0);
    drawn_finish(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/layout");
    TCase *cases = tcase_create("layout");
    tcase_add_test(cases, lanes_list_their_tasks_in_the_order_of_the_plan);
    tcase_add_test(cases, no_tasks_are_no_trouble);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
