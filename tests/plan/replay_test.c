/* replay_test.c - what replay.c promises: by hand, and by chance against brute force. */
#include "plan/brute.h"
#include "plan/drawn.h"
#include "plan/replay.h"
#include <stdlib.h>

extern weir_place_fn weir_place_priority;

static weir_replay_edges edges_of(const drawn *d)
{
    weir_replay_edges edges;
    ck_assert_int_eq(weir_replay_edges_create(&d->plan, &edges), WEIR_OK);
    return edges;
}

static bool has_edge(const weir_replay_edges *edges, uint32_t later, uint32_t earlier)
{
    for (uint32_t e = edges->pred_first[later]; e < edges->pred_first[later + 1]; e++)
        if (edges->pred[e] == earlier)
            return true;
    return false;
}

static bool has_carried(const weir_carried *carried, uint32_t later, uint32_t earlier, uint32_t distance)
{
    for (uint32_t i = 0; i < carried->edges.count; i++) {
        weir_carried_edge edge = carried->edges.at[i];
        if (edge.later == later && edge.earlier == earlier && edge.distance == distance)
            return true;
    }
    return false;
}

START_TEST(implied_edge_goes_and_lane_order_implies_nothing)
{
    /* 0 -> 1 -> 2, 0 -> 2 goes; 3 shares their lane, and its edge from 0 stays */
    drawn d = drawn_make(4, NULL, DRAWN({0, 1}, {1, 2}, {0, 2}, {0, 3}));
    drawn_place(&d, weir_place_priority, 1);
    weir_replay_edges edges = edges_of(&d);
    ck_assert_uint_eq(edges.pred_first[4], 3);
    ck_assert(has_edge(&edges, 1, 0) && has_edge(&edges, 2, 1) && has_edge(&edges, 3, 0));
    weir_replay_edges_finish(&edges);
    drawn_finish(&d);
}
END_TEST

START_TEST(carried_edge_that_others_imply_goes)
{
    /* 0 -> 1. 1 after the 0 of the frame before: implied by 0 after itself, and by 1 after itself. */
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    d.plan.frames = 2;
    drawn_carry(&d, 1, 0, 1);
    drawn_place(&d, weir_place_priority, 1);
    weir_replay_edges edges = edges_of(&d);
    ck_assert_uint_eq(edges.carried.edges.count, 1);
    weir_replay_edges_finish(&edges);
    drawn_carry(&d, 0, 0, 1);
    edges = edges_of(&d);
    ck_assert_uint_eq(edges.carried.edges.count, 1);
    ck_assert(has_carried(&edges.carried, 0, 0, 1));
    weir_replay_edges_finish(&edges);
    drawn_finish(&d);
}
END_TEST

START_TEST(longer_distance_goes_where_shorter_ones_add_up)
{
    drawn d = drawn_make(1, NULL, NULL, 0);
    d.plan.frames = 4;
    drawn_carry(&d, 0, 0, 2);
    drawn_carry(&d, 0, 0, 3);
    drawn_place(&d, weir_place_priority, 1);
    weir_replay_edges edges = edges_of(&d);
    ck_assert_uint_eq(edges.carried.edges.count, 2); /* 2 does not divide 3 */
    weir_replay_edges_finish(&edges);
    drawn_carry(&d, 0, 0, 1);
    edges = edges_of(&d);
    ck_assert_uint_eq(edges.carried.edges.count, 1);
    ck_assert(has_carried(&edges.carried, 0, 0, 1));
    weir_replay_edges_finish(&edges);
    drawn_finish(&d);
}
END_TEST

START_TEST(no_tasks_have_no_edges)
{
    drawn d = drawn_make(0, NULL, NULL, 0);
    drawn_place(&d, weir_place_priority, 1);
    weir_replay_edges edges = edges_of(&d);
    ck_assert_uint_eq(edges.pred_first[0], 0);
    weir_replay_edges_finish(&edges);
    drawn_finish(&d);
}
END_TEST

/* More than one batch of 64: a ladder 0 -> 1 -> 2 ... with edges over one rung, all of which go. */
START_TEST(long_ladder_keeps_its_rungs_only)
{
    enum { TASKS = 300 };
    drawn_edge edge[2 * TASKS];
    uint32_t count = 0;
    for (uint32_t t = 1; t < TASKS; t++) {
        edge[count++] = (drawn_edge){t - 1, t};
        if (t > 1)
            edge[count++] = (drawn_edge){t - 2, t};
    }
    drawn d = drawn_make(TASKS, NULL, edge, count);
    drawn_place(&d, weir_place_priority, 3);
    weir_replay_edges edges = edges_of(&d);
    ck_assert_uint_eq(edges.pred_first[TASKS], TASKS - 1);
    for (uint32_t t = 1; t < TASKS; t++)
        ck_assert(has_edge(&edges, t, t - 1));
    weir_replay_edges_finish(&edges);
    drawn_finish(&d);
}
END_TEST

static void check_against_brute_force(const drawn *d, uint64_t seed)
{
    static brute truth;
    const uint32_t tasks = d->dag.tasks, frames = brute_furthest(&d->plan) + 1, last = (frames - 1) * tasks;
    uint32_t kept = 0, carried_kept = 0;
    weir_replay_edges edges = edges_of(d);
    brute_init(&truth, frames * tasks);
    brute_add_edges(&truth, &d->plan, frames);
    brute_close(&truth);
    for (uint32_t t = 0; t < tasks; t++)
        for (uint32_t e = d->dag.pred_first[t]; e < d->dag.pred_first[t + 1]; e++) {
            bool needed = !brute_reaches_far(&truth, last + d->dag.pred[e], last + t);
            expect(has_edge(&edges, t, d->dag.pred[e]) == needed, "seed %llu: %u after %u", (unsigned long long)seed, t, d->dag.pred[e]);
            kept += needed;
        }
    for (uint32_t i = 0; i < d->plan.carried.edges.count; i++) {
        weir_carried_edge edge = d->plan.carried.edges.at[i];
        bool needed = !brute_reaches_far(&truth, last - edge.distance * tasks + edge.earlier, last + edge.later);
        expect(has_carried(&edges.carried, edge.later, edge.earlier, edge.distance) == needed, "seed %llu: %u after %u of %u frames before",
               (unsigned long long)seed, edge.later, edge.earlier, edge.distance);
        carried_kept += needed;
    }
    ck_assert_uint_eq(edges.pred_first[tasks], kept);
    ck_assert_uint_eq(edges.carried.edges.count, carried_kept);
    weir_replay_edges_finish(&edges);
}

START_TEST(edges_are_the_reduction_of_the_frame)
{
    for (uint64_t first = 1; first <= 2000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 64);
        drawn_place_by_chance(&d, &seed, 4);
        check_against_brute_force(&d, first);
        drawn_finish(&d);
    }
}
END_TEST

START_TEST(carried_edges_are_the_reduction_of_unrolled_frames)
{
    for (uint64_t first = 1; first <= 1000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 40);
        drawn_carry_by_chance(&d, &seed, 2 + weir_random_below(&seed, 4));
        drawn_place_by_chance(&d, &seed, 4);
        check_against_brute_force(&d, first);
        drawn_finish(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/replay");
    TCase *cases = tcase_create("replay");
    tcase_add_test(cases, implied_edge_goes_and_lane_order_implies_nothing);
    tcase_add_test(cases, carried_edge_that_others_imply_goes);
    tcase_add_test(cases, longer_distance_goes_where_shorter_ones_add_up);
    tcase_add_test(cases, no_tasks_have_no_edges);
    tcase_add_test(cases, long_ladder_keeps_its_rungs_only);
    tcase_add_test(cases, edges_are_the_reduction_of_the_frame);
    tcase_add_test(cases, carried_edges_are_the_reduction_of_unrolled_frames);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
