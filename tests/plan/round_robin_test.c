/* round_robin_test.c - what round_robin.c promises. */
#include "plan/drawn.h"
#include <stdlib.h>

extern weir_place_fn weir_place_round_robin;

START_TEST(levels_come_one_after_the_other_and_lanes_in_turn)
{
    /* 0 and 4 -> 1, 2, 3 */
    const uint32_t tasks_in_order[] = {0, 4, 1, 2, 3};
    drawn d = drawn_make(5, tasks_in_order, DRAWN({0, 1}, {4, 1}, {4, 2}, {0, 3}, {0, 2}));
    drawn_place(&d, weir_place_round_robin, 2);
    const uint16_t lane[] = {0, 0, 1, 0, 1};
    ck_assert_mem_eq(d.plan.order, tasks_in_order, sizeof tasks_in_order);
    ck_assert_mem_eq(d.plan.lane, lane, sizeof lane);
    drawn_finish(&d);
}
END_TEST

START_TEST(parallel_chains_stay_in_their_lanes)
{
    /* 0 -> 3 -> 6, 1 -> 4 -> 7, 2 -> 5 -> 8, on four lanes */
    drawn d = drawn_make(9, NULL, DRAWN({0, 3}, {3, 6}, {1, 4}, {4, 7}, {2, 5}, {5, 8}));
    drawn_place(&d, weir_place_round_robin, 4);
    for (uint32_t t = 0; t < 9; t++)
        ck_assert_uint_eq(d.plan.lane[t], t % 3);
    drawn_finish(&d);
}
END_TEST

START_TEST(order_is_topological_and_lanes_are_those_of_the_band)
{
    for (uint64_t first = 1; first <= 2000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 64);
        drawn_prioritise_by_chance(&d, &seed, 1 + weir_random_below(&seed, 6));
        drawn_place(&d, weir_place_round_robin, 1 + weir_random_below(&seed, 32));
        expect(drawn_order_is_topological(&d), "seed %llu", (unsigned long long)first);
        for (uint32_t t = 0; t < d.dag.tasks; t++) {
            uint32_t band = weir_band_of(&d.bands, t);
            expect(d.plan.lane[t] >= d.bands.lane_first[band] && d.plan.lane[t] < d.bands.lane_first[band + 1],
                   "seed %llu: task %u is in lane %u", (unsigned long long)first, t, d.plan.lane[t]);
        }
        drawn_finish(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/round_robin");
    TCase *cases = tcase_create("round_robin");
    tcase_add_test(cases, levels_come_one_after_the_other_and_lanes_in_turn);
    tcase_add_test(cases, parallel_chains_stay_in_their_lanes);
    tcase_add_test(cases, order_is_topological_and_lanes_are_those_of_the_band);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
