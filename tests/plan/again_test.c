/* again_test.c - weir_plan_again: the same graph planned for another number of lanes, whatever the environment says by then, in the order of a plan made
 * for them; and each task is behind one that it follows, if one of these is the last in a lane that it may use. */
#include "backend/recording/sketch.h"
#include "plan/plan.h"
#include "util/counting.h"

enum { PLANS = 300, LANES_MOST = 32 };

static sketch drawn;

static void set_up(void)
{
    no_environment();
}

static void same(const void *a, const void *b, size_t bytes, uint64_t seed, const char *what)
{
    if (bytes > 0 && memcmp(a, b, bytes) != 0)
        ck_abort_msg("seed %llu: another %s", (unsigned long long)seed, what);
}

/* All that a plan is. */
static void is_the_same(const weir_plan *a, const weir_plan *b, uint64_t seed)
{
    size_t tasks = a->tasks;
    ck_assert_ptr_eq(a->body, b->body);
    ck_assert_str_eq(a->policy, b->policy);
    ck_assert_uint_eq(a->tasks, b->tasks);
    ck_assert_msg(a->lanes == b->lanes, "seed %llu: %u lanes and %u", (unsigned long long)seed, a->lanes, b->lanes);
    ck_assert_uint_eq(a->frames, b->frames);
    ck_assert_uint_eq(a->ring_copies, b->ring_copies);
    ck_assert_uint_eq(a->slots, b->slots);
    ck_assert_uint_eq(a->edges, b->edges);
    ck_assert_uint_eq(a->carried.edges.count, b->carried.edges.count);
    ck_assert_uint_eq(a->naive_waits, b->naive_waits);
    ck_assert_int_eq(a->binding, b->binding);
    same(&a->interval_ns, &b->interval_ns, sizeof a->interval_ns, seed, "interval");
    same(&a->bound_ns, &b->bound_ns, sizeof a->bound_ns, seed, "bound");
    same(a->order, b->order, tasks * sizeof *a->order, seed, "order");
    same(a->lane, b->lane, tasks * sizeof *a->lane, seed, "lane");
    same(a->lane_priority, b->lane_priority, a->lanes * sizeof *a->lane_priority, seed, "lane priority");
    same(a->wait_first, b->wait_first, (tasks + 1) * sizeof *a->wait_first, seed, "number of waits");
    same(a->wait, b->wait, a->wait_first[tasks] * sizeof *a->wait, seed, "wait");
    same(a->records, b->records, tasks * sizeof *a->records, seed, "record");
    same(a->end_ns, b->end_ns, tasks * sizeof *a->end_ns, seed, "time");
}

/* All but which lane has which task, and what comes from that. */
static void is_the_same_but_for_lanes(const weir_plan *a, const weir_plan *b, uint64_t seed)
{
    ck_assert_ptr_eq(a->body, b->body);
    ck_assert_str_eq(a->policy, b->policy);
    ck_assert_msg(a->lanes == b->lanes, "seed %llu: %u lanes and %u", (unsigned long long)seed, a->lanes, b->lanes);
    ck_assert_uint_eq(a->frames, b->frames);
    ck_assert_uint_eq(a->ring_copies, b->ring_copies);
    ck_assert_uint_eq(a->slots, b->slots);
    ck_assert_uint_eq(a->carried.edges.count, b->carried.edges.count);
    same(&a->bound_ns, &b->bound_ns, sizeof a->bound_ns, seed, "bound");
    same(a->order, b->order, a->tasks * sizeof *a->order, seed, "order");
    same(a->lane_priority, b->lane_priority, a->lanes * sizeof *a->lane_priority, seed, "lane priority");
}

/* Lanes of one priority are a band. Returns how many tasks are behind one that they follow. */
static uint32_t tasks_are_behind(const weir_plan *p, uint64_t seed)
{
    uint32_t last[LANES_MOST], behind = 0;
    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; i < p->tasks; i++) {
        const uint32_t task = p->order[i], lane = p->lane[task];
        bool can = false, is = false;
        for (uint32_t e = p->pred_first[task]; e < p->pred_first[task + 1]; e++) {
            const uint32_t earlier = p->pred[e];
            can |= last[p->lane[earlier]] == earlier && p->lane_priority[p->lane[earlier]] == p->lane_priority[lane];
            is |= last[lane] == earlier;
        }
        ck_assert_msg(is == can, "seed %llu: task %u", (unsigned long long)seed, task);
        behind += is;
        last[lane] = task;
    }
    return behind;
}

/* Makes a graph and a plan by chance. */
static weir_plan *plan_by_chance(uint64_t *random)
{
    weir_plan *plan = NULL;
    sketch_make(&drawn, random);
    OK(weir_plan_create(drawn.graph,
                        &(weir_plan_options){.policy = weir_random_below(random, 2) ? "priority" : "round_robin",
                                             .lanes = weir_random_below(random, LANES_MOST),
                                             .frames = 1 + weir_random_below(random, 4)},
                        &plan));
    return plan;
}

START_TEST(plan_again_has_the_order_of_one_for_so_many_lanes)
{
    uint32_t behind = 0;
    for (uint64_t seed = 1; seed <= PLANS; seed++) {
        uint64_t random = seed;
        weir_plan *plan = plan_by_chance(&random), *again = NULL, *asked = NULL;
        uint32_t lanes = 1 + weir_random_below(&random, LANES_MOST);
        OK(weir_plan_again(plan, lanes, &again));
        OK(weir_plan_create(drawn.graph, &(weir_plan_options){.policy = plan->policy, .lanes = lanes, .frames = plan->frames}, &asked));
        is_the_same_but_for_lanes(again, asked, seed);
        ck_assert(weir_plan_is_valid(again));
        behind += tasks_are_behind(again, seed);
        OK(weir_plan_check(again));
        weir_plan_destroy(again);
        weir_plan_destroy(asked);
        weir_plan_destroy(plan);
        sketch_finish(&drawn);
    }
    ck_assert_uint_gt(behind, 300);
}
END_TEST

START_TEST(environment_has_no_say)
{
    for (uint64_t seed = 1; seed <= PLANS / 10; seed++) {
        uint64_t random = seed;
        weir_plan *plan = plan_by_chance(&random), *again = NULL, *alike = NULL;
        uint32_t lanes = 2 + weir_random_below(&random, LANES_MOST - 1);
        OK(weir_plan_again(plan, lanes, &again));
        setenv("WEIR_LANES", "1", 1);
        setenv("WEIR_POLICY", strcmp(plan->policy, "priority") == 0 ? "round_robin" : "priority", 1);
        OK(weir_plan_again(plan, lanes, &alike));
        no_environment();
        is_the_same(alike, again, seed);
        weir_plan_destroy(again);
        weir_plan_destroy(alike);
        weir_plan_destroy(plan);
        sketch_finish(&drawn);
    }
}
END_TEST

START_TEST(plan_keeps_as_it_was_and_may_go)
{
    uint64_t random = 7;
    weir_plan *plan = plan_by_chance(&random), *before = NULL, *again = NULL;
    OK(weir_plan_create(drawn.graph, &(weir_plan_options){.policy = plan->policy, .lanes = plan->lanes, .frames = plan->frames}, &before));
    OK(weir_plan_again(plan, 5, &again));
    is_the_same(plan, before, 7);
    weir_plan_destroy(before);
    weir_plan_destroy(plan);
    sketch_finish(&drawn); /* the graph goes, too, and the buffers' other holders */
    OK(weir_plan_check(again));
    weir_plan_destroy(again);
}
END_TEST

/* The graph has gone on meanwhile; what is planned again is what was planned. */
START_TEST(tasks_added_since_are_not_planned)
{
    uint64_t random = 11;
    weir_plan *plan = plan_by_chance(&random), *again = NULL;
    weir_add_empty(drawn.graph, "late");
    OK(weir_plan_again(plan, 3, &again));
    ck_assert_uint_eq(again->tasks, drawn.tasks);
    ck_assert_uint_eq(weir_graph_task_count(drawn.graph), drawn.tasks + 1);
    weir_plan_destroy(again);
    weir_plan_destroy(plan);
    sketch_finish(&drawn);
}
END_TEST

START_TEST(without_memory_nothing_is_made_and_nothing_left)
{
    uint64_t random = 3;
    bool reached = true;
    counting_start(0, 0);
    weir_plan *plan = plan_by_chance(&random), *untouched = (weir_plan *)&untouched;
    long held = atomic_load(&counting_live), failed = 0;
    for (long fail_at = 1; reached; fail_at++) {
        weir_plan *again = untouched;
        counting_start(fail_at, 0);
        weir_status status = weir_plan_again(plan, 6, &again);
        reached = atomic_load(&counting_asked) >= fail_at;
        counting_relent();
        ck_assert_int_eq(status, reached ? WEIR_ERR_NO_MEMORY : WEIR_OK);
        ck_assert_int_eq(again == untouched, reached);
        failed += reached;
        if (!reached)
            weir_plan_destroy(again);
        ck_assert_msg(atomic_load(&counting_live) == held, "request %ld fails: %ld allocations are left", fail_at, atomic_load(&counting_live) - held);
    }
    ck_assert_int_gt(failed, 10);
    weir_plan_destroy(plan);
    sketch_finish(&drawn);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/again");
    TCase *tests = tcase_create("again");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, plan_again_has_the_order_of_one_for_so_many_lanes);
    tcase_add_test(tests, environment_has_no_say);
    tcase_add_test(tests, plan_keeps_as_it_was_and_may_go);
    tcase_add_test(tests, tasks_added_since_are_not_planned);
    tcase_add_test(tests, without_memory_nothing_is_made_and_nothing_left);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
