/* bounds_test.c - what bounds.c promises. */
#include "plan/bounds.h"
#include "plan/drawn.h"
#include "plan/timeline.h"
#include <stdlib.h>
#include <string.h>

extern weir_place_fn weir_place_priority;

static void find_bounds(drawn *d, uint32_t lanes)
{
    drawn_place(d, weir_place_priority, lanes);
    ck_assert_int_eq(weir_bounds_create(&d->dag, &d->work, &d->bands, d->tail_ns, &d->plan), WEIR_OK);
}

static void check_bound(drawn *d, double bound_ns, const char *binding)
{
    ck_assert_str_eq(weir_bound_name(d->plan.binding), binding);
    ck_assert_double_eq_tol(d->plan.bound_ns, bound_ns, 1e-9);
    drawn_finish(d);
}

START_TEST(chain_is_bound_by_its_path)
{
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {1, 2}));
    find_bounds(&d, 2);
    check_bound(&d, 3000, "critical path");
}
END_TEST

START_TEST(wide_graph_is_bound_by_its_lanes)
{
    drawn d = drawn_make(10, NULL, NULL, 0);
    find_bounds(&d, 4);
    check_bound(&d, 2500, "lanes");
}
END_TEST

START_TEST(lanes_bind_band_by_band)
{
    /* two bands with a lane each: nine tasks share one of the two lanes */
    drawn d = drawn_make(10, NULL, NULL, 0);
    d.work.priority = weir_alloc(10, sizeof(int32_t));
    d.work.priority[3] = -1;
    find_bounds(&d, 2);
    check_bound(&d, 9000, "lanes");
}
END_TEST

START_TEST(kernels_that_fill_the_device_bind)
{
    drawn d = drawn_make(10, NULL, NULL, 0);
    d.work.device_ns = 5000; /* of 10 us of work, in shares */
    find_bounds(&d, 10);
    check_bound(&d, 5000, "device");
}
END_TEST

START_TEST(copies_of_one_direction_share_an_engine)
{
    drawn d = drawn_make(10, NULL, NULL, 0);
    d.work.copies_in_ns = 6000;
    d.work.copies_out_ns = 4000;
    find_bounds(&d, 10);
    check_bound(&d, 6000, "copies to the device");
    d = drawn_make(10, NULL, NULL, 0);
    d.work.copies_in_ns = 1000;
    d.work.copies_out_ns = 3000;
    find_bounds(&d, 10);
    check_bound(&d, 3000, "copies to the host");
}
END_TEST

START_TEST(copies_both_ways_share_the_bus)
{
    drawn d = drawn_make(10, NULL, NULL, 0);
    d.work.copies_in_ns = d.work.copies_out_ns = 5000;
    find_bounds(&d, 10);
    check_bound(&d, 10000 * 55.2 / 101.6, "copies both ways");
}
END_TEST

START_TEST(frames_in_flight_share_the_critical_path)
{
    drawn d = drawn_make(4, NULL, DRAWN({0, 1}, {1, 2}, {2, 3}));
    d.plan.frames = 2;
    find_bounds(&d, 4);
    check_bound(&d, 2000, "critical path");
}
END_TEST

START_TEST(task_that_follows_itself_binds_frames_in_flight)
{
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {1, 2}));
    d.work.cost_ns[1] = 5000;
    d.work.longest_serial_ns = 5000;
    d.plan.frames = 3;
    drawn_carry(&d, 1, 1, 1);
    find_bounds(&d, 3);
    check_bound(&d, 5000, "host task");
}
END_TEST

START_TEST(cycle_through_frames_binds_frames_in_flight)
{
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    d.plan.frames = 3;
    drawn_carry(&d, 0, 1, 1);
    find_bounds(&d, 2);
    check_bound(&d, 2000, "recurrence");
}
END_TEST

START_TEST(alone_a_frame_knows_no_recurrence)
{
    drawn d = drawn_make(1, NULL, NULL, 0);
    d.work.longest_serial_ns = 9999;
    find_bounds(&d, 1);
    check_bound(&d, 1000, "critical path");
}
END_TEST

START_TEST(nothing_to_do_is_bound_by_nothing)
{
    drawn d = drawn_make(0, NULL, NULL, 0);
    find_bounds(&d, 1);
    check_bound(&d, 0, "critical path");
}
END_TEST

START_TEST(no_prediction_beats_the_bound)
{
    for (uint64_t first = 1; first <= 2000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 40);
        drawn_carry_by_chance(&d, &seed, 1 + weir_random_below(&seed, 5));
        drawn_prioritise_by_chance(&d, &seed, 1 + weir_random_below(&seed, 4));
        find_bounds(&d, 1 + weir_random_below(&seed, 8));
        drawn_find_waits(&d);
        ck_assert_int_eq(weir_timeline_create(d.work.cost_ns, &d.plan), WEIR_OK);
        expect(d.plan.interval_ns >= d.plan.bound_ns * (1 - 1e-9), "seed %llu: %g ns, bound %g by %s", (unsigned long long)first,
               d.plan.interval_ns, d.plan.bound_ns, weir_bound_name(d.plan.binding));
        drawn_finish(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/bounds");
    TCase *cases = tcase_create("bounds");
    tcase_add_test(cases, chain_is_bound_by_its_path);
    tcase_add_test(cases, wide_graph_is_bound_by_its_lanes);
    tcase_add_test(cases, copies_of_one_direction_share_an_engine);
    tcase_add_test(cases, copies_both_ways_share_the_bus);
    tcase_add_test(cases, lanes_bind_band_by_band);
    tcase_add_test(cases, kernels_that_fill_the_device_bind);
    tcase_add_test(cases, frames_in_flight_share_the_critical_path);
    tcase_add_test(cases, task_that_follows_itself_binds_frames_in_flight);
    tcase_add_test(cases, cycle_through_frames_binds_frames_in_flight);
    tcase_add_test(cases, alone_a_frame_knows_no_recurrence);
    tcase_add_test(cases, nothing_to_do_is_bound_by_nothing);
    tcase_add_test(cases, no_prediction_beats_the_bound);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
