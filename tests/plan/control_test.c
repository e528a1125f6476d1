/* control_test.c - plans of loops and branches: each body has a plan of its own, for one lane, inside that of the graph that it is in. By hand,
 * and of bodies by chance, nested, against brute.h. */
#include "plan/brute.h"
#include "plan/plan.h"
#include "plan/replay.h"
#include "util/counting.h"
#include "util/random.h"
#include "weir/graph.h"
#include <check.h>
#include <stdio.h>

enum { BUFFERS = 4 };

#define OK(call) ck_assert_msg((call) == WEIR_OK, "%s", weir_last_error())

static const weir_kernel kernel = {.name = "kernel"};
static weir_buffer *field[BUFFERS], *go, *ring;

static void set_up(void)
{
    unsetenv("WEIR_LANES");
    unsetenv("WEIR_POLICY");
    for (int i = 0; i < BUFFERS; i++)
        OK(weir_buffer_create(&(weir_buffer_desc){.name = "field", .element_bytes = 4, .nx = 8}, &field[i]));
    OK(weir_buffer_create(&(weir_buffer_desc){.name = "go", .element_bytes = 4, .nx = 1}, &go));
    OK(weir_buffer_create(&(weir_buffer_desc){.name = "ring", .element_bytes = 4, .nx = 8, .copies = WEIR_RING_AUTO}, &ring));
}

static void tear_down(void)
{
    for (int i = 0; i < BUFFERS; i++)
        weir_buffer_destroy(field[i]);
    weir_buffer_destroy(go);
    weir_buffer_destroy(ring);
}

static weir_graph *graph_make(const char *name, uint32_t flags)
{
    weir_graph *graph = NULL;
    OK(weir_graph_create(name, flags, &graph));
    return graph;
}

static weir_task work(weir_graph *graph, const char *name, weir_args args)
{
    weir_task task = weir_add_kernel(graph, &kernel, (weir_shape){.grid = {1}}, args);
    weir_task_set(graph, task, &(weir_task_options){.name = name});
    return task;
}

static weir_plan *plan_make(const weir_graph *graph, const char *policy, uint32_t lanes, uint32_t frames)
{
    weir_plan *plan = NULL;
    OK(weir_plan_create(graph, &(weir_plan_options){.policy = policy, .lanes = lanes, .frames = frames}, &plan));
    return plan;
}

static void says(const char *text)
{
    ck_assert_msg(strstr(weir_last_error(), text) != NULL, "'%s' does not say '%s'", weir_last_error(), text);
}

/* prepare -> solve: while (go) { sweep -> test; tidy }, with an outer loop's frame of two and a ring that looks three back. */
static weir_graph *solver_make(void)
{
    weir_graph *graph = graph_make("frame", 0), *body = graph_make("jacobi", 0);
    work(body, "sweep", WEIR_ARGS(WEIR_READ_WRITE(field[0]), WEIR_PREVIOUS(ring, 3)));
    work(body, "test", WEIR_ARGS(WEIR_READ(field[0]), WEIR_WRITE(go)));
    work(body, "tidy", WEIR_ARGS(WEIR_WRITE(field[1])));
    work(graph, "prepare", WEIR_ARGS(WEIR_WRITE(field[0]), WEIR_WRITE(go), WEIR_WRITE(ring)));
    work(graph, "beside", WEIR_ARGS(WEIR_WRITE(field[2])));
    weir_add_while(graph, "solve", body, go, 40);
    weir_graph_destroy(body);
    return graph;
}

START_TEST(bodies_are_planned_for_one_lane_and_one_frame)
{
    weir_graph *graph = solver_make();
    weir_plan *plan = plan_make(graph, "round_robin", 3, 2);
    const weir_plan *inner = plan->inner[0];
    ck_assert_uint_eq(plan->tasks, 3);
    ck_assert_uint_eq(plan->ring_copies, 4); /* the body's looking back counts */
    ck_assert_uint_eq(inner->tasks, 3);
    ck_assert_uint_eq(inner->lanes, 1);
    ck_assert_uint_eq(inner->frames, 1);
    ck_assert_uint_eq(inner->ring_copies, 4);
    ck_assert_str_eq(inner->policy, "round_robin");
    ck_assert_ptr_eq(inner->body, plan->body->inner.at[0]);
    ck_assert_uint_eq(inner->wait_first[3], 0);
    ck_assert(weir_plan_is_valid(plan));
    OK(weir_plan_check(plan));
    weir_plan_entry entry;
    OK(weir_plan_get(plan, weir_graph_find(graph, "solve"), &entry));
    ck_assert_double_eq(entry.end_ns - entry.start_ns, 3000); /* a round */
    weir_graph_destroy(graph);
    OK(weir_plan_check(plan)); /* bodies live on with the plan */
    weir_plan_destroy(plan);
}
END_TEST

START_TEST(environment_has_no_say_in_how_bodies_are_planned)
{
    weir_graph *graph = solver_make();
    setenv("WEIR_LANES", "5", 1);
    weir_plan *plan = plan_make(graph, NULL, 0, 0);
    ck_assert_uint_eq(plan->lanes, 5);
    ck_assert_uint_eq(plan->inner[0]->lanes, 1);
    unsetenv("WEIR_LANES");
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(body_of_several_tasks_is_planned_once)
{
    weir_graph *graph = graph_make("frame", 0), *middle = graph_make("middle", 0), *leaf = graph_make("leaf", 0), *empty = graph_make("empty", 0);
    work(leaf, "leaf", WEIR_ARGS(WEIR_READ_WRITE(field[0])));
    weir_add_if(middle, "a", go, leaf, NULL);
    weir_add_if(middle, "b", go, leaf, empty);
    weir_add_repeat(graph, "often", middle, 50);
    weir_add_if(graph, "nested", go, middle, leaf);
    weir_plan *plan = plan_make(graph, NULL, 4, 3);
    ck_assert_uint_eq(plan->body->inner.count, 50 * 3 + 2);
    for (uint32_t i = 0; i < 50; i++) {
        ck_assert_ptr_eq(plan->inner[3 * i], plan->inner[0]);
        ck_assert_ptr_eq(plan->inner[3 * i + 1], plan->inner[0]);
        ck_assert_ptr_eq(plan->inner[3 * i + 2], plan->inner[2]);
    }
    ck_assert_ptr_eq(plan->inner[151], plan->inner[0]);
    ck_assert_uint_eq(plan->inner[150]->body->inner.count, 3);
    ck_assert_uint_eq(plan->inner[2]->tasks, 0);
    OK(weir_plan_check(plan));
    weir_replay_edges edges;
    OK(weir_replay_edges_create(plan->inner[2], &edges)); /* of an empty body */
    weir_replay_edges_finish(&edges);
    weir_graph_destroy(graph);
    weir_graph_destroy(middle);
    weir_graph_destroy(leaf);
    weir_graph_destroy(empty);
    weir_plan_destroy(plan);
}
END_TEST

START_TEST(planning_again_plans_the_bodies_too)
{
    weir_graph *graph = solver_make();
    weir_plan *plan = plan_make(graph, "priority", 3, 2), *again = NULL;
    OK(weir_plan_again(plan, 2, &again));
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    ck_assert(weir_plan_is_valid(again));
    ck_assert_uint_eq(again->inner[0]->lanes, 1);
    ck_assert_uint_eq(again->inner[0]->ring_copies, 4);
    OK(weir_plan_check(again));
    weir_plan_destroy(again);
}
END_TEST

START_TEST(cycle_in_a_body_names_the_body_and_its_task)
{
    weir_graph *graph = graph_make("frame", WEIR_GRAPH_EXPLICIT), *middle = graph_make("middle", WEIR_GRAPH_EXPLICIT),
               *body = graph_make("knot", WEIR_GRAPH_EXPLICIT);
    weir_task a = work(body, "a", weir_no_args()), b = work(body, "b", weir_no_args());
    weir_after(body, b, a);
    weir_after(body, a, b);
    weir_add_if(graph, "fine", go, middle, NULL);
    weir_add_if(middle, "inside", go, body, NULL);
    weir_add_if(graph, "outside", go, middle, NULL);
    weir_plan *plan = NULL;
    ck_assert_int_eq(weir_plan_create(graph, NULL, &plan), WEIR_ERR_CYCLE);
    ck_assert_ptr_null(plan);
    says("body 'middle' of task 'outside': body 'knot' of task 'inside': cycle: ");
    weir_graph_destroy(graph);
    weir_graph_destroy(middle);
    weir_graph_destroy(body);
}
END_TEST

/* Each way to spoil what is inside; undone afterwards, as plans are never written elsewhere. */
START_TEST(check_finds_what_is_wrong_inside)
{
    weir_graph *graph = solver_make(), *other = solver_make();
    weir_plan *plan = plan_make(graph, NULL, 2, 2), *wrong = plan_make(other, NULL, 2, 2), *inner = plan->inner[0], **all = plan->inner;
    plan->inner = NULL;
    ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
    says("the plan lacks those of its loops' bodies");
    plan->inner = all;
    ck_assert(weir_plan_is_valid(plan));
    plan->inner[0] = NULL;
    ck_assert(!weir_plan_is_valid(plan));
    ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
    says("the plan lacks one of body 'jacobi' of task 'solve'");
    plan->inner[0] = wrong->inner[0]; /* of another declaration */
    ck_assert(!weir_plan_is_valid(plan));
    ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
    says("the plan lacks one of body 'jacobi' of task 'solve'");
    plan->inner[0] = inner;
    inner->ring_copies++;
    ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
    says("body 'jacobi' of task 'solve' is planned for 1 lanes, 1 frames and 5 copies of rings: must be one, one, and the 4 of its graph");
    inner->ring_copies--;
    inner->frames = 2;
    ck_assert(!weir_plan_is_valid(plan));
    ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
    inner->frames = 1;
    uint32_t first = inner->order[0];
    inner->order[0] = inner->order[1];
    inner->order[1] = first;
    ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
    says("body 'jacobi' of task 'solve': the plan's order and positions disagree at position 0");
    inner->order[1] = inner->order[0];
    inner->order[0] = first;
    OK(weir_plan_check(plan));
    weir_plan_destroy(plan);
    weir_plan_destroy(wrong);
    weir_graph_destroy(graph);
    weir_graph_destroy(other);
}
END_TEST

/* ---- by chance ---- */

static weir_graph *random_graph(uint64_t *random, int depth)
{
    weir_graph *graph = graph_make("by chance", 0);
    for (uint32_t tasks = weir_random_below(random, 12); tasks > 0; tasks--) {
        weir_arg args[2] = {weir_arg_of(WEIR_ARG_READ + weir_random_below(random, 3), field[weir_random_below(random, BUFFERS)], NULL, NULL, 0),
                            WEIR_READ(field[weir_random_below(random, BUFFERS)])};
        if (depth > 0 && weir_random_below(random, 4) == 0) {
            weir_graph *one = random_graph(random, depth - 1), *two = random_graph(random, depth - 1);
            weir_add_if(graph, "if", go, one, weir_random_below(random, 2) ? two : NULL);
            weir_graph_destroy(one);
            weir_graph_destroy(two);
        } else {
            work(graph, "work", (weir_args){args, weir_random_below(random, 3)});
        }
    }
    OK(weir_graph_status(graph));
    return graph;
}

/* Edges of a body in replay: as few as can be, and they lead where all edges lead. */
static void replays_rightly(const weir_plan *plan, uint64_t seed)
{
    static brute all, kept;
    weir_replay_edges edges;
    brute_init(&all, plan->tasks);
    brute_init(&kept, plan->tasks);
    brute_add_edges(&all, plan, 1);
    brute_close(&all);
    OK(weir_replay_edges_create(plan, &edges));
    ck_assert_uint_eq(edges.carried.edges.count, 0);
    for (uint32_t t = 0; t < plan->tasks; t++)
        for (uint32_t e = edges.pred_first[t]; e < edges.pred_first[t + 1]; e++) {
            ck_assert_msg(!brute_reaches_far(&all, edges.pred[e], t), "seed %llu: edge from %u to %u is implied", (unsigned long long)seed, edges.pred[e], t);
            brute_edge(&kept, edges.pred[e], t);
        }
    brute_close(&kept);
    for (uint32_t from = 0; from < plan->tasks; from++)
        for (uint32_t to = 0; to < plan->tasks; to++)
            ck_assert_msg(brute_reaches(&all, from, to) == brute_reaches(&kept, from, to), "seed %llu: from %u to %u", (unsigned long long)seed, from, to);
    weir_replay_edges_finish(&edges);
}

static uint32_t look_inside(const weir_plan *plan, uint64_t seed)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < plan->body->inner.count; i++) {
        const weir_plan *inner = plan->inner[i];
        ck_assert(weir_plan_is_valid(inner));
        ck_assert(inner->lanes == 1 && inner->frames == 1 && inner->ring_copies == plan->ring_copies);
        ck_assert_ptr_eq(inner->policy, plan->policy);
        replays_rightly(inner, seed);
        seen += 1 + look_inside(inner, seed);
    }
    return seen;
}

START_TEST(plans_by_chance_are_right_inside)
{
    uint32_t seen = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        uint64_t random = seed;
        weir_graph *graph = random_graph(&random, 2);
        weir_plan *plan = plan_make(graph, weir_random_below(&random, 2) ? "priority" : "round_robin", weir_random_below(&random, 6), 1 + weir_random_below(&random, 3));
        weir_graph_destroy(graph);
        ck_assert_msg(weir_plan_check(plan) == WEIR_OK, "seed %llu: %s", (unsigned long long)seed, weir_last_error());
        seen += look_inside(plan, seed);
        weir_plan_destroy(plan);
    }
    ck_assert_uint_gt(seen, 300);
}
END_TEST

START_TEST(without_memory_nothing_is_made_and_nothing_left)
{
    bool reached = true;
    counting_start(0, 0);
    weir_graph *graph = solver_make(), *outer = graph_make("outer", 0);
    work(outer, "first", WEIR_ARGS(WEIR_WRITE(ring)));
    weir_add_if(outer, "branch", go, graph, graph);
    OK(weir_graph_status(outer));
    long held = atomic_load(&counting_live);
    for (long fail_at = 1; reached; fail_at++) {
        weir_plan *plan = NULL;
        counting_start(fail_at, 0);
        weir_status status = weir_plan_create(outer, NULL, &plan);
        reached = atomic_load(&counting_asked) >= fail_at;
        counting_relent();
        ck_assert_int_eq(status, reached ? WEIR_ERR_NO_MEMORY : WEIR_OK);
        ck_assert_int_eq(plan == NULL, reached);
        if (!reached) { /* and so for the check */
            bool failed = true;
            long before = atomic_load(&counting_live);
            for (long at = 1; failed; at++) {
                counting_start(at, 0);
                status = weir_plan_check(plan);
                failed = atomic_load(&counting_asked) >= at;
                counting_relent();
                ck_assert_int_eq(status, failed ? WEIR_ERR_NO_MEMORY : WEIR_OK);
                ck_assert_int_eq(atomic_load(&counting_live), before);
            }
        }
        weir_plan_destroy(plan);
        ck_assert_msg(atomic_load(&counting_live) == held, "request %ld fails: %ld allocations are left", fail_at, atomic_load(&counting_live) - held);
    }
    weir_graph_destroy(graph);
    weir_graph_destroy(outer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/control");
    TCase *tests = tcase_create("control");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, bodies_are_planned_for_one_lane_and_one_frame);
    tcase_add_test(tests, environment_has_no_say_in_how_bodies_are_planned);
    tcase_add_test(tests, body_of_several_tasks_is_planned_once);
    tcase_add_test(tests, planning_again_plans_the_bodies_too);
    tcase_add_test(tests, cycle_in_a_body_names_the_body_and_its_task);
    tcase_add_test(tests, check_finds_what_is_wrong_inside);
    tcase_add_test(tests, plans_by_chance_are_right_inside);
    tcase_add_test(tests, without_memory_nothing_is_made_and_nothing_left);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
