/* priority_test.c - what priority.c promises. */
#include "plan/drawn.h"
#include "plan/timeline.h"
#include <stdlib.h>
#include <string.h>

extern weir_place_fn weir_place_priority;

static void check_order(const drawn *d, const uint32_t *order)
{
    for (uint32_t i = 0; i < d->dag.tasks; i++)
        expect(d->plan.order[i] == order[i], "position %u: task %u instead of %u", i, d->plan.order[i], order[i]);
}

static void check_lanes(const drawn *d, const uint16_t *lane)
{
    for (uint32_t t = 0; t < d->dag.tasks; t++)
        expect(d->plan.lane[t] == lane[t], "task %u: lane %u instead of %u", t, d->plan.lane[t], lane[t]);
}

START_TEST(longest_remaining_path_goes_first)
{
    /* 0, 1 and 2 -> 3 -> 4 on one lane */
    drawn d = drawn_make(5, NULL, DRAWN({2, 3}, {3, 4}));
    d.work.cost_ns[1] = 2500;
    drawn_place(&d, weir_place_priority, 1);
    check_order(&d, (const uint32_t[]){2, 1, 3, 0, 4});
    drawn_finish(&d);
}
END_TEST

START_TEST(equals_go_by_number)
{
    drawn d = drawn_make(10, NULL, NULL, 0);
    drawn_place(&d, weir_place_priority, 3);
    check_order(&d, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    check_lanes(&d, (const uint16_t[]){0, 1, 2, 0, 1, 2, 0, 1, 2, 0});
    drawn_finish(&d);
}
END_TEST

START_TEST(chain_stays_in_one_lane)
{
    drawn d = drawn_make(4, NULL, DRAWN({0, 1}, {1, 2}, {2, 3}));
    drawn_place(&d, weir_place_priority, 4);
    check_lanes(&d, (const uint16_t[]){0, 0, 0, 0});
    drawn_finish(&d);
}
END_TEST

START_TEST(join_goes_to_the_lane_of_its_latest_predecessor)
{
    /* 0, 1, 2 -> 3; 1 takes longest */
    drawn d = drawn_make(4, NULL, DRAWN({0, 3}, {1, 3}, {2, 3}));
    d.work.cost_ns[1] = 3000;
    drawn_place(&d, weir_place_priority, 3);
    check_order(&d, (const uint32_t[]){1, 0, 2, 3});
    check_lanes(&d, (const uint16_t[]){1, 0, 2, 0});
    drawn_finish(&d);
}
END_TEST

START_TEST(tasks_that_start_together_do_not_take_each_others_lanes)
{
    /* 0 -> 4; 1, 2, 3 alone; two lanes. 0 and 1 start and end together. Then 3 is more urgent than 4, and would as well run in lane 0:
     * it leaves that to 4, which follows 0. */
    drawn d = drawn_make(5, NULL, DRAWN({0, 4}));
    d.work.cost_ns[2] = 500;
    d.work.cost_ns[4] = 900;
    drawn_place(&d, weir_place_priority, 2);
    check_order(&d, (const uint32_t[]){0, 1, 3, 4, 2});
    check_lanes(&d, (const uint16_t[]){0, 1, 0, 1, 0});
    drawn_finish(&d);
}
END_TEST

START_TEST(urgent_task_that_becomes_ready_late_overtakes)
{
    /* 0 -> 1 (urgent); 2, 3, 4 were ready all along. One lane, so that all share a band. */
    drawn d = drawn_make(5, NULL, DRAWN({0, 1}));
    d.work.priority = weir_alloc(5, sizeof(int32_t));
    d.work.priority[1] = -5;
    d.work.cost_ns[2] = 5000;
    drawn_place(&d, weir_place_priority, 1);
    check_order(&d, (const uint32_t[]){2, 0, 1, 3, 4});
    drawn_finish(&d);
}
END_TEST

START_TEST(urgent_task_never_queues_behind_a_relaxed_one)
{
    /* 0 -> 1 (urgent) among ten relaxed ones, two lanes: it has one to itself. */
    drawn d = drawn_make(12, NULL, DRAWN({0, 1}));
    d.work.priority = weir_alloc(12, sizeof(int32_t));
    d.work.priority[1] = -5;
    drawn_place(&d, weir_place_priority, 2);
    for (uint32_t t = 0; t < 12; t++)
        ck_assert_uint_eq(d.plan.lane[t], t != 1);
    drawn_finish(&d);
}
END_TEST

static void play(drawn *d)
{
    drawn_find_waits(d);
    ck_assert_int_eq(weir_timeline_create(d->work.cost_ns, &d->plan), WEIR_OK);
}

START_TEST(makespan_is_within_grahams_bound)
{
    for (uint64_t first = 1; first <= 3000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 64);
        uint32_t lanes = 1 + weir_random_below(&seed, 16);
        drawn_place(&d, weir_place_priority, lanes);
        play(&d);
        double critical = 0;
        for (uint32_t t = 0; t < d.dag.tasks; t++)
            critical = critical > d.tail_ns[t] ? critical : d.tail_ns[t];
        double most = critical + (d.work.total_ns - critical) / lanes;
        expect(d.plan.makespan_ns <= most + 1e-6, "seed %llu: %g ns, at most %g", (unsigned long long)first, d.plan.makespan_ns, most);
        ck_assert_double_ge(d.plan.makespan_ns + 1e-6, critical);
        drawn_finish(&d);
    }
}
END_TEST

static double ready_ns(const drawn *d, uint32_t task)
{
    double ready = 0;
    for (uint32_t e = d->dag.pred_first[task]; e < d->dag.pred_first[task + 1]; e++)
        if (ready < d->plan.end_ns[d->dag.pred[e]])
            ready = d->plan.end_ns[d->dag.pred[e]];
    return ready;
}

static bool goes_before(const drawn *d, uint32_t a, uint32_t b)
{
    if (d->work.priority[a] != d->work.priority[b])
        return d->work.priority[a] < d->work.priority[b];
    if (d->tail_ns[a] < d->tail_ns[b] || d->tail_ns[a] > d->tail_ns[b])
        return d->tail_ns[a] > d->tail_ns[b];
    return a < b;
}

/* Whoever starts was the most urgent of those of its band that were ready. */
START_TEST(most_urgent_ready_task_starts)
{
    for (uint64_t first = 1; first <= 2000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 48);
        for (uint32_t t = 0; t < d.dag.tasks; t++)
            d.work.cost_ns[t] += 100;
        drawn_prioritise_by_chance(&d, &seed, 1 + weir_random_below(&seed, 5));
        drawn_place(&d, weir_place_priority, 1 + weir_random_below(&seed, 8));
        expect(drawn_order_is_topological(&d), "seed %llu", (unsigned long long)first);
        play(&d);
        for (uint32_t i = 0; i < d.dag.tasks; i++)
            for (uint32_t j = i + 1; j < d.dag.tasks; j++) {
                uint32_t a = d.plan.order[i], b = d.plan.order[j];
                if (weir_band_of(&d.bands, a) == weir_band_of(&d.bands, b) && ready_ns(&d, b) <= d.plan.start_ns[a])
                    expect(goes_before(&d, a, b), "seed %llu: %u before %u", (unsigned long long)first, a, b);
            }
        drawn_finish(&d);
    }
}
END_TEST

START_TEST(same_input_gives_same_lanes)
{
    for (uint64_t first = 1; first <= 500; first++) {
        uint64_t seed = first, again = first;
        drawn a = drawn_by_chance(&seed, 64), b = drawn_by_chance(&again, 64);
        drawn_place(&a, weir_place_priority, 5);
        drawn_place(&b, weir_place_priority, 5);
        ck_assert_mem_eq(a.plan.order, b.plan.order, a.dag.tasks * sizeof(uint32_t));
        ck_assert_mem_eq(a.plan.lane, b.plan.lane, a.dag.tasks * sizeof(uint16_t));
        drawn_finish(&a);
        drawn_finish(&b);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/priority");
    TCase *cases = tcase_create("priority");
    tcase_add_test(cases, longest_remaining_path_goes_first);
    tcase_add_test(cases, equals_go_by_number);
    tcase_add_test(cases, chain_stays_in_one_lane);
    tcase_add_test(cases, join_goes_to_the_lane_of_its_latest_predecessor);
    tcase_add_test(cases, tasks_that_start_together_do_not_take_each_others_lanes);
    tcase_add_test(cases, urgent_task_that_becomes_ready_late_overtakes);
    tcase_add_test(cases, urgent_task_never_queues_behind_a_relaxed_one);
    tcase_add_test(cases, makespan_is_within_grahams_bound);
    tcase_add_test(cases, most_urgent_ready_task_starts);
    tcase_add_test(cases, same_input_gives_same_lanes);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
