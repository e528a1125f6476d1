/* waits_test.c - what waits.c promises: by hand, and by chance against brute force. */
#include "plan/brute.h"
#include "plan/drawn.h"
#include <stdlib.h>
#include <string.h>

extern weir_place_fn weir_place_priority, weir_place_round_robin;

#define LANES(...) ((const uint16_t[]){__VA_ARGS__})

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};

static uint32_t wait_count(const drawn *d)
{
    return d->plan.wait_first[d->dag.tasks];
}

START_TEST(a_lane_needs_no_wait_within_itself)
{
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {1, 2}, {0, 2}));
    drawn_place_as(&d, 1, in_order, LANES(0, 0, 0));
    drawn_find_waits(&d);
    ck_assert_uint_eq(wait_count(&d), 0);
    ck_assert_uint_eq(d.plan.naive_waits, 0);
    for (int t = 0; t < 3; t++)
        ck_assert_uint_eq(d.plan.records[t], 0);
    drawn_finish(&d);
}
END_TEST

START_TEST(diamond_over_two_lanes_waits_twice)
{
    /* 0 -> 1, 2 -> 3; 2 in the other lane */
    drawn d = drawn_make(4, NULL, DRAWN({0, 1}, {0, 2}, {1, 3}, {2, 3}));
    drawn_place_as(&d, 2, in_order, LANES(0, 0, 1, 0));
    drawn_find_waits(&d);
    ck_assert(drawn_waits_for(&d, 2, 0, 0));
    ck_assert(drawn_waits_for(&d, 3, 2, 0));
    ck_assert_uint_eq(wait_count(&d), 2);
    ck_assert_uint_eq(d.plan.naive_waits, 2);
    const uint8_t records[] = {1, 0, 1, 0};
    ck_assert_mem_eq(d.plan.records, records, sizeof records);
    drawn_finish(&d);
}
END_TEST

START_TEST(latest_predecessor_of_a_lane_covers_those_before_it)
{
    drawn d = drawn_make(4, NULL, DRAWN({0, 3}, {1, 3}, {2, 3}));
    drawn_place_as(&d, 2, in_order, LANES(0, 0, 0, 1));
    drawn_find_waits(&d);
    ck_assert(drawn_waits_for(&d, 3, 2, 0));
    ck_assert_uint_eq(wait_count(&d), 1);
    ck_assert_uint_eq(d.plan.naive_waits, 3);
    drawn_finish(&d);
}
END_TEST

START_TEST(wait_of_a_predecessor_counts_for_its_successors)
{
    /* 0 -> 1 -> 2, 0 -> 2, each in its own lane */
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {1, 2}, {0, 2}));
    drawn_place_as(&d, 3, in_order, LANES(0, 1, 2));
    drawn_find_waits(&d);
    ck_assert(drawn_waits_for(&d, 1, 0, 0));
    ck_assert(drawn_waits_for(&d, 2, 1, 0));
    ck_assert_uint_eq(wait_count(&d), 2);
    drawn_finish(&d);
}
END_TEST

START_TEST(wait_of_an_earlier_task_of_the_lane_counts_for_the_later)
{
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {0, 2}));
    drawn_place_as(&d, 2, in_order, LANES(0, 1, 1));
    drawn_find_waits(&d);
    ck_assert(drawn_waits_for(&d, 1, 0, 0));
    ck_assert_uint_eq(wait_count(&d), 1);
    drawn_finish(&d);
}
END_TEST

START_TEST(lane_order_counts_even_where_no_edge_is)
{
    /* 0 -> 3 and 1 -> 2 -> 3, where 0, 1 share a lane in this order: 3's wait for 2 implies 1, and so 0. */
    drawn d = drawn_make(4, NULL, DRAWN({0, 3}, {1, 2}, {2, 3}));
    drawn_place_as(&d, 3, in_order, LANES(0, 0, 1, 2));
    drawn_find_waits(&d);
    ck_assert(drawn_waits_for(&d, 2, 1, 0));
    ck_assert(drawn_waits_for(&d, 3, 2, 0));
    ck_assert_uint_eq(wait_count(&d), 2);
    drawn_finish(&d);
}
END_TEST

START_TEST(carried_edge_to_another_lane_is_a_wait_for_an_earlier_frame)
{
    drawn d = drawn_make(2, NULL, NULL, 0);
    d.plan.frames = 3;
    drawn_carry(&d, 0, 1, 2);
    drawn_place_as(&d, 2, in_order, LANES(0, 1));
    drawn_find_waits(&d);
    ck_assert(drawn_waits_for(&d, 0, 1, 2));
    ck_assert_uint_eq(wait_count(&d), 1);
    ck_assert_uint_eq(d.plan.records[1], 1);
    ck_assert_uint_eq(d.plan.naive_waits, 1);
    drawn_finish(&d);
}
END_TEST

START_TEST(carried_edge_within_a_lane_needs_no_wait)
{
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    d.plan.frames = 2;
    drawn_carry(&d, 0, 1, 1);
    drawn_carry(&d, 1, 1, 1);
    drawn_place_as(&d, 2, in_order, LANES(0, 0));
    drawn_find_waits(&d);
    ck_assert_uint_eq(wait_count(&d), 0);
    drawn_finish(&d);
}
END_TEST

START_TEST(carried_edge_that_edges_and_lanes_imply_needs_no_wait)
{
    /* 0 -> 1 in another lane. 1 follows the 0 of the frame before, which its own 0 follows in its lane. */
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    d.plan.frames = 2;
    drawn_carry(&d, 1, 0, 1);
    drawn_place_as(&d, 2, in_order, LANES(0, 1));
    drawn_find_waits(&d);
    ck_assert(drawn_waits_for(&d, 1, 0, 0));
    ck_assert_uint_eq(wait_count(&d), 1);
    drawn_finish(&d);
}
END_TEST

START_TEST(waits_within_the_frame_come_first)
{
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}));
    d.plan.frames = 2;
    drawn_carry(&d, 1, 2, 1);
    drawn_place_as(&d, 3, in_order, LANES(0, 1, 2));
    drawn_find_waits(&d);
    ck_assert_uint_eq(wait_count(&d), 2);
    ck_assert_uint_eq(d.plan.wait[d.plan.wait_first[1]].distance, 0);
    ck_assert_uint_eq(d.plan.wait[d.plan.wait_first[1] + 1].distance, 1);
    drawn_finish(&d);
}
END_TEST

START_TEST(thousands_of_predecessors_are_one_wait_a_lane)
{
    enum { TASKS = 5000, LANES_USED = 9 };
    drawn d = {.dag = {.tasks = TASKS + 1, .edges = TASKS}, .plan = {.tasks = TASKS + 1, .frames = 1}};
    d.dag.pred_first = weir_alloc(TASKS + 2, sizeof(uint32_t));
    d.dag.succ_first = weir_alloc(TASKS + 2, sizeof(uint32_t));
    d.dag.pred = weir_alloc(TASKS, sizeof(uint32_t));
    d.dag.succ = weir_alloc(TASKS, sizeof(uint32_t));
    uint32_t order[TASKS + 1];
    uint16_t lane[TASKS + 1];
    for (uint32_t t = 0; t <= TASKS; t++) {
        order[t] = t;
        lane[t] = (uint16_t)(t % LANES_USED);
        d.dag.succ_first[t + 1] = t < TASKS ? t + 1 : TASKS;
        if (t < TASKS) {
            d.dag.pred[t] = t;
            d.dag.succ[t] = TASKS;
        }
    }
    d.dag.pred_first[TASKS + 1] = TASKS;
    drawn_place_as(&d, LANES_USED, order, lane);
    drawn_find_waits(&d);
    ck_assert_uint_eq(wait_count(&d), LANES_USED - 1);
    for (uint32_t w = 0; w < LANES_USED - 1; w++)
        ck_assert_uint_ge(d.plan.wait[w].task, TASKS - LANES_USED);
    drawn_finish(&d);
}
END_TEST

/* A plan by chance: lanes and order by a policy or by chance too. */
static drawn planned_by_chance(uint64_t *seed, uint32_t most, uint32_t frames)
{
    drawn d = drawn_by_chance(seed, most);
    uint32_t lanes = 1 + weir_random_below(seed, weir_random_below(seed, 2) ? 4 : 32), how = weir_random_below(seed, 4);
    drawn_carry_by_chance(&d, seed, frames);
    if (how < 2)
        drawn_place(&d, how == 0 ? weir_place_priority : weir_place_round_robin, lanes);
    else
        drawn_place_by_chance(&d, seed, lanes);
    drawn_find_waits(&d);
    return d;
}

static uint32_t naive_waits(const drawn *d)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < d->dag.tasks; t++)
        for (uint32_t e = d->dag.pred_first[t]; e < d->dag.pred_first[t + 1]; e++)
            count += d->plan.lane[d->dag.pred[e]] != d->plan.lane[t];
    for (uint32_t i = 0; i < d->plan.carried.edges.count; i++)
        count += d->plan.lane[d->plan.carried.edges.at[i].earlier] != d->plan.lane[d->plan.carried.edges.at[i].later];
    return count;
}

/* The waits of the last of `frames` frames are the cross-lane edges that no other path of edges and lanes implies. */
static void check_against_brute_force(const drawn *d, uint64_t seed, uint32_t frames)
{
    static brute truth;
    const uint32_t tasks = d->dag.tasks, last = (frames - 1) * tasks;
    uint32_t waits = 0;
    uint8_t records[64] = {0};
    brute_init(&truth, frames * tasks);
    brute_add_edges(&truth, &d->plan, frames);
    static brute edges;
    edges = truth;
    brute_add_lanes(&truth, &d->plan, frames);
    brute_close(&truth);
    for (uint32_t from = 0; from < frames * tasks; from++)
        for (uint32_t later = 0; later < tasks; later++) {
            uint32_t earlier = from % tasks, distance = frames - 1 - from / tasks;
            bool crosses = brute_reaches(&edges, from, last + later) && d->plan.lane[earlier] != d->plan.lane[later];
            bool needed = crosses && !brute_reaches_far(&truth, from, last + later);
            expect(drawn_waits_for(d, later, earlier, distance) == needed, "seed %llu: %u waits for %u of %u frames before: should %s",
                   (unsigned long long)seed, later, earlier, distance, needed ? "" : "not");
            waits += needed;
            records[earlier] |= needed;
        }
    ck_assert_uint_eq(wait_count(d), waits); /* so none twice */
    ck_assert_mem_eq(d->plan.records, records, tasks);
    ck_assert_uint_eq(d->plan.naive_waits, naive_waits(d));
}

START_TEST(waits_are_the_reduction_of_edges_and_lanes)
{
    for (uint64_t first = 1; first <= 4000; first++) {
        uint64_t seed = first;
        drawn d = planned_by_chance(&seed, 64, 1);
        check_against_brute_force(&d, first, 1);
        drawn_finish(&d);
    }
}
END_TEST

/* Unrolled further than waits.c does, so that steady means steady. */
START_TEST(carried_waits_are_the_reduction_of_unrolled_frames)
{
    for (uint64_t first = 1; first <= 4000; first++) {
        uint64_t seed = first;
        drawn d = planned_by_chance(&seed, 14, 2 + weir_random_below(&seed, 3));
        check_against_brute_force(&d, first, 2 * brute_furthest(&d.plan) + 2);
        drawn_finish(&d);
    }
}
END_TEST

static bool covers_all_edges(const weir_plan *plan, uint32_t frames)
{
    static brute edges, kept;
    brute_init(&edges, frames * plan->tasks);
    brute_add_edges(&edges, plan, frames);
    brute_init(&kept, frames * plan->tasks);
    brute_add_lanes(&kept, plan, frames);
    brute_add_waits(&kept, plan, frames);
    brute_close(&kept);
    for (uint32_t from = 0; from < frames * plan->tasks; from++)
        for (uint32_t w = 0; w < BRUTE_WORDS; w++)
            if (edges.reach[from][w] & ~kept.reach[from][w])
                return false;
    return true;
}

/* Without it, in every frame, some edge is covered no more. Ends with the plan as it was. */
static bool is_needed(weir_plan *plan, uint32_t wait, uint32_t frames)
{
    weir_wait kept = plan->wait[wait];
    plan->wait[wait].distance = frames; /* never happens */
    bool covered = covers_all_edges(plan, frames);
    plan->wait[wait] = kept;
    return !covered;
}

START_TEST(waits_cover_every_edge_and_none_can_go)
{
    for (uint64_t first = 1; first <= 500; first++) {
        uint64_t seed = first + 100000;
        drawn d = planned_by_chance(&seed, 20, 1 + weir_random_below(&seed, 4));
        uint32_t frames = brute_furthest(&d.plan) + 1;
        expect(covers_all_edges(&d.plan, frames), "seed %llu", (unsigned long long)first);
        for (uint32_t w = 0; w < wait_count(&d); w++)
            expect(is_needed(&d.plan, w, frames), "seed %llu: wait %u is needless", (unsigned long long)first, w);
        drawn_finish(&d);
    }
}
END_TEST

START_TEST(carried_edges_do_not_change_the_waits_within_a_frame)
{
    for (uint64_t first = 1; first <= 1000; first++) {
        uint64_t seed = first;
        drawn d = planned_by_chance(&seed, 64, 1 + weir_random_below(&seed, 5)), alone = d;
        alone.plan.carried.edges.count = 0;
        drawn_find_waits(&alone);
        for (uint32_t t = 0; t < d.dag.tasks; t++) {
            uint32_t at = d.plan.wait_first[t];
            for (uint32_t w = alone.plan.wait_first[t]; w < alone.plan.wait_first[t + 1]; w++, at++)
                expect(at < d.plan.wait_first[t + 1] && d.plan.wait[at].task == alone.plan.wait[w].task && d.plan.wait[at].distance == 0,
                       "seed %llu: task %u", (unsigned long long)first, t);
            ck_assert(at == d.plan.wait_first[t + 1] || d.plan.wait[at].distance > 0);
        }
        weir_free(alone.plan.wait_first);
        weir_free(alone.plan.wait);
        weir_free(alone.plan.records);
        drawn_finish(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/waits");
    TCase *cases = tcase_create("waits");
    tcase_add_test(cases, a_lane_needs_no_wait_within_itself);
    tcase_add_test(cases, diamond_over_two_lanes_waits_twice);
    tcase_add_test(cases, latest_predecessor_of_a_lane_covers_those_before_it);
    tcase_add_test(cases, wait_of_a_predecessor_counts_for_its_successors);
    tcase_add_test(cases, wait_of_an_earlier_task_of_the_lane_counts_for_the_later);
    tcase_add_test(cases, lane_order_counts_even_where_no_edge_is);
    tcase_add_test(cases, carried_edge_to_another_lane_is_a_wait_for_an_earlier_frame);
    tcase_add_test(cases, carried_edge_within_a_lane_needs_no_wait);
    tcase_add_test(cases, carried_edge_that_edges_and_lanes_imply_needs_no_wait);
    tcase_add_test(cases, waits_within_the_frame_come_first);
    tcase_add_test(cases, thousands_of_predecessors_are_one_wait_a_lane);
    tcase_add_test(cases, waits_are_the_reduction_of_edges_and_lanes);
    tcase_add_test(cases, carried_waits_are_the_reduction_of_unrolled_frames);
    tcase_add_test(cases, waits_cover_every_edge_and_none_can_go);
    tcase_add_test(cases, carried_edges_do_not_change_the_waits_within_a_frame);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
