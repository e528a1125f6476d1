/* check_replay_test.c - what check_replay.c promises of a replay's edges: those that replay.c makes pass; without any one of them, or with any other of
 * the plan's beside them, they are refused, the tasks named; and of edges taken by chance the verdict is that of brute.h. */
#include "plan/brute.h"
#include "plan/random_plan.h"
#include "plan/replay.h"

enum { MOST_EDGES = MOST_TASKS * MOST_TASKS };

/* Some of a plan's edges, each a bit; as a replay's. */
typedef struct {
    const weir_plan *plan;
    bool kept[MOST_EDGES], carried_kept[MOST_EDGES];
    uint32_t first[MOST_TASKS + 1], pred[MOST_EDGES];
    weir_carried_edge carried[MOST_EDGES];
    weir_replay_edges edges;
} choice;

static choice c;

static const weir_replay_edges *chosen(void)
{
    const weir_plan *plan = c.plan;
    uint32_t count = 0, carried_count = 0;
    for (uint32_t t = 0; t < plan->tasks; c.first[++t] = count)
        for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
            if (c.kept[e])
                c.pred[count++] = plan->pred[e];
    for (uint32_t e = 0; e < plan->carried.edges.count; e++)
        if (c.carried_kept[e])
            c.carried[carried_count++] = plan->carried.edges.at[e];
    c.edges = (weir_replay_edges){c.first, c.pred, {{c.carried, carried_count, MOST_EDGES}}};
    return &c.edges;
}

/* Those that replay.c keeps. */
static void choose_own(const weir_plan *plan)
{
    weir_replay_edges own = {0};
    ck_assert_uint_lt(plan->edges, MOST_EDGES);
    ck_assert_uint_lt(plan->carried.edges.count, MOST_EDGES);
    ck_assert_int_eq(weir_replay_edges_create(plan, &own), WEIR_OK);
    memset(&c, 0, sizeof c);
    c.plan = plan;
    for (uint32_t t = 0; t < plan->tasks; t++)
        for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
            for (uint32_t i = own.pred_first[t]; i < own.pred_first[t + 1]; i++)
                c.kept[e] |= own.pred[i] == plan->pred[e];
    for (uint32_t e = 0; e < plan->carried.edges.count; e++)
        for (uint32_t i = 0; i < own.carried.edges.count; i++)
            c.carried_kept[e] |= memcmp(&own.carried.edges.at[i], &plan->carried.edges.at[e], sizeof(weir_carried_edge)) == 0;
    weir_replay_edges_finish(&own);
}

static bool edges_are_right(void)
{
    static brute b;
    const weir_plan *plan = c.plan;
    const uint32_t frames = brute_furthest(plan) + 1, tasks = plan->tasks, last = (frames - 1) * tasks;
    brute_init(&b, frames * tasks);
    for (uint32_t f = 0; f < frames; f++) {
        for (uint32_t t = 0; t < tasks; t++)
            for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
                if (c.kept[e])
                    brute_edge(&b, f * tasks + plan->pred[e], f * tasks + t);
        for (uint32_t e = 0; e < plan->carried.edges.count; e++) {
            weir_carried_edge edge = plan->carried.edges.at[e];
            if (c.carried_kept[e] && edge.distance <= f)
                brute_edge(&b, (f - edge.distance) * tasks + edge.earlier, f * tasks + edge.later);
        }
    }
    brute_close(&b);
    for (uint32_t t = 0; t < tasks; t++)
        for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
            if (!brute_reaches(&b, last + plan->pred[e], last + t) || (c.kept[e] && brute_reaches_far(&b, last + plan->pred[e], last + t)))
                return false;
    for (uint32_t e = 0; e < plan->carried.edges.count; e++) {
        weir_carried_edge edge = plan->carried.edges.at[e];
        uint32_t from = last - edge.distance * tasks + edge.earlier, to = last + edge.later;
        if (!brute_reaches(&b, from, to) || (c.carried_kept[e] && brute_reaches_far(&b, from, to)))
            return false;
    }
    return true;
}

/* One edge the other way round. If it was kept it is lost then, and all that only it implied, of which any may be told; else it alone is needless. */
static void turn(uint64_t number, bool *kept, uint32_t earlier, uint32_t later, uint32_t *lost, uint32_t *added)
{
    const weir_task_record *task = c.plan->body->tasks.at;
    char text[64] = "may start before";
    ++*(*kept ? lost : added);
    if (!*kept)
        snprintf(text, sizeof text, "the replay's edge from '%s' to '%s'", task[earlier].name, task[later].name);
    *kept = !*kept;
    ck_assert_msg(weir_replay_check(c.plan, chosen()) == WEIR_ERR_HAZARD, "seed %u: %u to %u", (unsigned)number, earlier, later);
    ck_assert_msg(strstr(weir_last_error(), text), "seed %u: %u to %u: %s", (unsigned)number, earlier, later, weir_last_error());
    *kept = !*kept;
}

static void turn_each(uint64_t number, uint32_t *lost, uint32_t *added)
{
    const weir_plan *plan = c.plan;
    for (uint32_t t = 0; t < plan->tasks; t++)
        for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
            turn(number, &c.kept[e], plan->pred[e], t, lost, added);
    for (uint32_t e = 0; e < plan->carried.edges.count; e++)
        turn(number, &c.carried_kept[e], plan->carried.edges.at[e].earlier, plan->carried.edges.at[e].later, lost, added);
}

START_TEST(edges_of_random_plans_pass_and_any_change_is_refused)
{
    uint32_t lost = 0, added = 0, carried = 0;
    for (uint64_t number = 0; number < 200; number++) {
        uint64_t seed = 7000 + number;
        weir_plan *plan = make_plan(&seed, MOST_TASKS);
        choose_own(plan);
        ck_assert_msg(weir_replay_check(plan, chosen()) == WEIR_OK, "seed %u: %s", (unsigned)number, weir_last_error());
        ck_assert_msg(edges_are_right(), "seed %u", (unsigned)number);
        turn_each(number, &lost, &added);
        carried += plan->carried.edges.count;
        weir_plan_destroy(plan);
    }
    ck_assert_uint_gt(lost, 3000);
    ck_assert_uint_gt(added, 3000);
    ck_assert_uint_gt(carried, 3000);
}
END_TEST

START_TEST(verdicts_agree_with_brute_force_on_random_edges)
{
    unsigned right = 0, wrong = 0;
    for (uint64_t number = 0; number < 1500; number++) {
        uint64_t seed = 9000 + number;
        weir_plan *plan = make_plan(&seed, number % 3 ? 6 : 24);
        choose_own(plan);
        uint32_t odds = 8 * (1 + weir_random_below(&seed, 12));
        for (uint32_t e = 0; e < plan->edges; e++)
            c.kept[e] ^= weir_random_below(&seed, odds) == 0;
        for (uint32_t e = 0; e < plan->carried.edges.count; e++)
            c.carried_kept[e] ^= weir_random_below(&seed, odds) == 0;
        bool truth = edges_are_right();
        ck_assert_msg((weir_replay_check(plan, chosen()) == WEIR_OK) == truth, "seed %u: brute force says %s, check: %s", (unsigned)number,
                      truth ? "right" : "wrong", weir_last_error());
        *(truth ? &right : &wrong) += 1;
        weir_plan_destroy(plan);
    }
    ck_assert_uint_gt(right, 100);
    ck_assert_uint_gt(wrong, 100);
}
END_TEST

static void refuses(const weir_plan *plan, const weir_replay_edges *edges, const char *text)
{
    ck_assert_int_eq(weir_replay_check(plan, edges), WEIR_ERR_HAZARD);
    ck_assert_msg(strstr(weir_last_error(), text) != NULL, "'%s' does not say '%s'", weir_last_error(), text);
}

/* a -> b -> c; c of each frame before a of the next. */
START_TEST(edges_that_are_not_the_plans_are_refused)
{
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    ck_assert_int_eq(weir_graph_create("chain", WEIR_GRAPH_EXPLICIT, &graph), WEIR_OK);
    weir_task a = weir_add_empty(graph, "a"), b = weir_add_empty(graph, "b"), last = weir_add_empty(graph, "c");
    weir_after(graph, b, a);
    weir_after(graph, last, b);
    weir_after_previous(graph, a, last, 1);
    ck_assert_int_eq(weir_plan_create(graph, &(weir_plan_options){.frames = 2}, &plan), WEIR_OK);
    choose_own(plan);
    chosen();
    ck_assert_int_eq(weir_replay_check(plan, &c.edges), WEIR_OK);
    c.pred[1] = 0;
    refuses(plan, &c.edges, "list of edges of task 'c' is not of those that the plan has");
    c.pred[1] = 1;
    c.first[0] = 1;
    refuses(plan, &c.edges, "first edge belongs to no task");
    c.first[0] = 0;
    c.first[2] = 3;
    refuses(plan, &c.edges, "list of edges of task 'b'");
    c.first[2] = 1;
    c.carried[0].distance = 2;
    refuses(plan, &c.edges, "list of edges to later frames");
    c.carried[0].distance = 1;
    c.edges.carried.edges.count = 2;
    c.carried[1] = c.carried[0];
    refuses(plan, &c.edges, "list of edges to later frames");
    c.edges.carried.edges.count = 0;
    refuses(plan, &c.edges, "in a replay task 'a' may start before 'c' of 1 frames before is done: nothing orders them");
    c.edges.carried.edges.count = 1;
    ck_assert_int_eq(weir_replay_check(plan, &c.edges), WEIR_OK);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

/* 64 tasks at a time, over many batches: a ladder with edges over one rung, all of which are implied. */
START_TEST(edges_between_batches_are_proved)
{
    enum { TASKS = 300 };
    static char name[TASKS][16];
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    weir_task task[TASKS];
    ck_assert_int_eq(weir_graph_create("ladder", WEIR_GRAPH_EXPLICIT, &graph), WEIR_OK);
    for (uint32_t t = 0; t < TASKS; t++) {
        snprintf(name[t], sizeof name[t], "rung%u", t);
        task[t] = weir_add_empty(graph, name[t]);
        for (uint32_t back = 1; back <= 2 && back <= t; back++)
            weir_after(graph, task[t], task[t - back]);
    }
    weir_after_previous(graph, task[0], task[TASKS - 1], 1);
    weir_after_previous(graph, task[200], task[100], 1);
    ck_assert_int_eq(weir_plan_create(graph, &(weir_plan_options){.frames = 3}, &plan), WEIR_OK);
    weir_replay_edges edges = {0};
    ck_assert_int_eq(weir_replay_edges_create(plan, &edges), WEIR_OK);
    ck_assert_uint_eq(edges.pred_first[TASKS], TASKS - 1);
    ck_assert_uint_eq(edges.carried.edges.count, 1);
    ck_assert_msg(weir_replay_check(plan, &edges) == WEIR_OK, "%s", weir_last_error());
    edges.pred[edges.pred_first[250]] = task[248].number - 1; /* over a rung, in place of the rung */
    refuses(plan, &edges, "may start before");
    weir_replay_edges_finish(&edges);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/check_replay");
    TCase *cases = tcase_create("check_replay");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, edges_of_random_plans_pass_and_any_change_is_refused);
    tcase_add_test(cases, verdicts_agree_with_brute_force_on_random_edges);
    tcase_add_test(cases, edges_that_are_not_the_plans_are_refused);
    tcase_add_test(cases, edges_between_batches_are_proved);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
