/* timeline_test.c - what timeline.c promises. */
#include "plan/drawn.h"
#include "plan/timeline.h"
#include <stdlib.h>

extern weir_place_fn weir_place_priority;

#define LANES(...) ((const uint16_t[]){__VA_ARGS__})

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void play(drawn *d)
{
    drawn_find_waits(d);
    ck_assert_int_eq(weir_timeline_create(d->work.cost_ns, &d->plan), WEIR_OK);
}

START_TEST(task_starts_when_its_lane_is_free_and_its_waits_are_over)
{
    /* 0 -> 2; 1, 2 in the second lane */
    drawn d = drawn_make(4, NULL, DRAWN({0, 2}));
    d.work.cost_ns[0] = 3000;
    drawn_place_as(&d, 2, in_order, LANES(0, 1, 1, 1));
    play(&d);
    const double start[] = {0, 0, 3000, 4000}, end[] = {3000, 1000, 4000, 5000};
    for (int t = 0; t < 4; t++) {
        ck_assert_double_eq(d.plan.start_ns[t], start[t]);
        ck_assert_double_eq(d.plan.end_ns[t], end[t]);
    }
    ck_assert_double_eq(d.plan.makespan_ns, 5000);
    ck_assert_double_eq(d.plan.interval_ns, 5000);
    drawn_finish(&d);
}
END_TEST

START_TEST(no_tasks_take_no_time)
{
    drawn d = drawn_make(0, NULL, NULL, 0);
    d.plan.frames = 3;
    drawn_place_as(&d, 1, in_order, LANES(0));
    play(&d);
    ck_assert_double_eq(d.plan.makespan_ns, 0);
    ck_assert_double_eq(d.plan.interval_ns, 0);
    drawn_finish(&d);
}
END_TEST

/* Two stages in two lanes: 0 -> 1, each following itself in its lane. */
static double interval_of_two_stages(float first_ns, float second_ns, uint32_t frames)
{
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    d.work.cost_ns[0] = first_ns;
    d.work.cost_ns[1] = second_ns;
    d.plan.frames = frames;
    drawn_place_as(&d, 2, in_order, LANES(0, 1));
    play(&d);
    double interval = d.plan.interval_ns;
    ck_assert_double_eq(d.plan.makespan_ns, (double)first_ns + (double)second_ns);
    drawn_finish(&d);
    return interval;
}

START_TEST(stages_of_following_frames_overlap)
{
    ck_assert_double_eq_tol(interval_of_two_stages(20, 20, 1), 40, 1e-9);
    ck_assert_double_eq_tol(interval_of_two_stages(20, 20, 2), 20, 1e-9);
    ck_assert_double_eq_tol(interval_of_two_stages(20, 20, 3), 20, 1e-9);
    ck_assert_double_eq_tol(interval_of_two_stages(10, 30, 2), 30, 1e-9);
}
END_TEST

START_TEST(frames_in_flight_bound_the_overlap)
{
    /* three stages in three lanes, two frames in flight: 30 ns in three lanes, but at most two at once */
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {1, 2}));
    for (int t = 0; t < 3; t++)
        d.work.cost_ns[t] = 10;
    d.plan.frames = 2;
    drawn_place_as(&d, 3, in_order, LANES(0, 1, 2));
    play(&d);
    ck_assert_double_eq_tol(d.plan.interval_ns, 15, 1e-9);
    drawn_finish(&d);
}
END_TEST

START_TEST(carried_wait_delays_the_next_frame)
{
    /* 0 -> 1; the next 0 follows this 1: frames run one after the other, whatever may be in flight */
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    d.plan.frames = 4;
    drawn_carry(&d, 0, 1, 1);
    drawn_place_as(&d, 2, in_order, LANES(0, 1));
    play(&d);
    ck_assert_double_eq_tol(d.plan.interval_ns, 2000, 1e-6);
    drawn_finish(&d);
}
END_TEST

/* Regression: a chain over three lanes, 800 ns a frame with two in flight, hides a lane that needs 850 and falls behind by 50 a
 * frame. The first frames end as the chain does, and its interval was taken for the plan's. */
START_TEST(lane_that_falls_behind_slowly_sets_the_interval)
{
    drawn d = drawn_make(4, NULL, DRAWN({0, 1}, {1, 2}));
    d.work.cost_ns[0] = 500;
    d.work.cost_ns[1] = 500;
    d.work.cost_ns[2] = 600;
    d.work.cost_ns[3] = 850;
    d.plan.frames = 2;
    drawn_place_as(&d, 4, in_order, LANES(0, 1, 2, 3));
    play(&d);
    ck_assert_double_eq_tol(d.plan.interval_ns, 850, 1e-6);
    drawn_finish(&d);
}
END_TEST

START_TEST(waits_say_all_that_edges_do)
{
    for (uint64_t first = 1; first <= 1000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 64);
        drawn_place_by_chance(&d, &seed, 1 + weir_random_below(&seed, 8));
        play(&d);
        double lane_free[8] = {0};
        for (uint32_t i = 0; i < d.dag.tasks; i++) {
            uint32_t task = d.plan.order[i];
            double start = lane_free[d.plan.lane[task]];
            for (uint32_t e = d.dag.pred_first[task]; e < d.dag.pred_first[task + 1]; e++)
                if (start < d.plan.end_ns[d.dag.pred[e]])
                    start = d.plan.end_ns[d.dag.pred[e]];
            expect(!(d.plan.start_ns[task] < start || d.plan.start_ns[task] > start), "seed %llu: task %u", (unsigned long long)first,
                   task);
            lane_free[d.plan.lane[task]] = start + (double)d.work.cost_ns[task];
        }
        drawn_finish(&d);
    }
}
END_TEST

/* Played for long, frames come at the interval that was foretold. */
START_TEST(interval_is_what_many_frames_take)
{
    enum { FRAMES = 400, AHEAD = 8 };
    for (uint64_t first = 1; first <= 400; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 20);
        uint32_t tasks = d.dag.tasks;
        drawn_carry_by_chance(&d, &seed, 2 + weir_random_below(&seed, 3));
        drawn_place(&d, weir_place_priority, 1 + weir_random_below(&seed, 6));
        play(&d);
        static double end[FRAMES][20], done[FRAMES];
        double lane_free[6] = {0};
        for (uint32_t f = 0; f < FRAMES; f++) {
            done[f] = f > 0 ? done[f - 1] : 0;
            for (uint32_t i = 0; i < tasks; i++) {
                uint32_t task = d.plan.order[i];
                double start = lane_free[d.plan.lane[task]];
                if (f >= d.plan.frames && start < done[f - d.plan.frames])
                    start = done[f - d.plan.frames];
                for (uint32_t e = d.dag.pred_first[task]; e < d.dag.pred_first[task + 1]; e++)
                    if (start < end[f][d.dag.pred[e]])
                        start = end[f][d.dag.pred[e]];
                for (uint32_t e = 0; e < d.plan.carried.edges.count; e++) {
                    weir_carried_edge edge = d.plan.carried.edges.at[e];
                    if (edge.later == task && edge.distance <= f && start < end[f - edge.distance][edge.earlier])
                        start = end[f - edge.distance][edge.earlier];
                }
                end[f][task] = lane_free[d.plan.lane[task]] = start + (double)d.work.cost_ns[task];
                if (done[f] < end[f][task])
                    done[f] = end[f][task];
            }
        }
        double took = (done[FRAMES - 1] - done[FRAMES / 4 - 1]) / (FRAMES - FRAMES / 4);
        expect(took <= d.plan.interval_ns * 1.02 + 1e-6 && took >= d.plan.interval_ns * 0.98 - 1e-6, "seed %llu: %g ns foretold, %g taken",
               (unsigned long long)first, d.plan.interval_ns, took);
        drawn_finish(&d);
    }
}
END_TEST

/* The first frame is that of start_ns and end_ns; a plan says of a frame alone what playing one says. */
START_TEST(frames_are_played_one_after_the_other)
{
    /* 0 -> 1 in two lanes, two in flight; 0 takes 1 us, 1 takes 3 */
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    d.work.cost_ns[1] = 3000;
    d.plan.frames = 2;
    drawn_place_as(&d, 2, in_order, LANES(0, 1));
    play(&d);
    double start[8], end[8];
    ck_assert_int_eq(weir_timeline_play(d.work.cost_ns, &d.plan, 4, start, end), WEIR_OK);
    const double starts[] = {0, 1000, 1000, 4000, 4000, 7000, 7000, 10000}; /* 0 of frame 2 begins when frame 0 is done */
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq(start[i], starts[i]);
        ck_assert_double_eq(end[i], starts[i] + (i % 2 ? 3000 : 1000));
    }
    ck_assert_double_eq(end[7] - end[5], d.plan.interval_ns);
    ck_assert_int_eq(weir_timeline_play(d.work.cost_ns, &d.plan, 0, start, end), WEIR_OK);
    drawn_finish(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/timeline");
    TCase *cases = tcase_create("timeline");
    tcase_add_test(cases, task_starts_when_its_lane_is_free_and_its_waits_are_over);
    tcase_add_test(cases, no_tasks_take_no_time);
    tcase_add_test(cases, stages_of_following_frames_overlap);
    tcase_add_test(cases, frames_in_flight_bound_the_overlap);
    tcase_add_test(cases, carried_wait_delays_the_next_frame);
    tcase_add_test(cases, frames_are_played_one_after_the_other);
    tcase_add_test(cases, lane_that_falls_behind_slowly_sets_the_interval);
    tcase_add_test(cases, waits_say_all_that_edges_do);
    tcase_add_test(cases, interval_is_what_many_frames_take);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
