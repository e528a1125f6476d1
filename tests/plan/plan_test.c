/* plan_test.c - what plan.c promises of a plan that was made. */
#include "plan/plan.h"
#include "weir/graph.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* source -> left, right -> sink, on two lanes; right takes twice as long */
typedef struct {
    weir_graph *graph;
    weir_task source, left, right, sink;
    weir_plan *plan;
} diamond;

static diamond diamond_make(void)
{
    diamond d = {0};
    ck_assert_int_eq(weir_graph_create("diamond", 0, &d.graph), WEIR_OK);
    weir_task *const all[] = {&d.source, &d.left, &d.right, &d.sink};
    static const char *const names[] = {"source", "left", "right", "sink"};
    for (int i = 0; i < 4; i++) {
        *all[i] = weir_add_empty(d.graph, names[i]);
        weir_task_set(d.graph, *all[i], &(weir_task_options){.cost_ns = i == 2 ? 2000 : 1000});
    }
    weir_after(d.graph, d.left, d.source);
    weir_after(d.graph, d.right, d.source);
    weir_after(d.graph, d.sink, d.left);
    weir_after(d.graph, d.sink, d.right);
    ck_assert_int_eq(weir_plan_create(d.graph, &(weir_plan_options){.lanes = 2}, &d.plan), WEIR_OK);
    return d;
}

static void diamond_finish(diamond *d)
{
    weir_plan_destroy(d->plan);
    weir_graph_destroy(d->graph);
}

static weir_plan_entry entry_of(const diamond *d, weir_task task)
{
    weir_plan_entry entry;
    ck_assert_int_eq(weir_plan_get(d->plan, task, &entry), WEIR_OK);
    return entry;
}

START_TEST(entry_tells_lane_position_waits_and_times)
{
    diamond d = diamond_make();
    weir_plan_entry source = entry_of(&d, d.source), left = entry_of(&d, d.left), right = entry_of(&d, d.right),
                    sink = entry_of(&d, d.sink);
    ck_assert_uint_eq(source.position, 0);
    ck_assert_uint_eq(right.position, 1);
    ck_assert_uint_eq(left.position, 2);
    ck_assert_uint_eq(sink.position, 3);
    ck_assert_uint_eq(right.lane, source.lane);
    ck_assert_uint_ne(left.lane, source.lane);
    ck_assert_uint_eq(sink.lane, right.lane);
    ck_assert_uint_eq(left.waits, 1);
    ck_assert_uint_eq(right.waits, 0);
    ck_assert_uint_eq(sink.waits, 1);
    ck_assert_uint_eq(sink.carried_waits, 0);
    ck_assert(source.records && left.records && !right.records && !sink.records);
    ck_assert_double_eq(left.start_ns, 1000);
    ck_assert_double_eq(left.end_ns, 2000);
    ck_assert_double_eq(sink.start_ns, 3000);
    ck_assert_double_eq(sink.end_ns, 4000);
    diamond_finish(&d);
}
END_TEST

START_TEST(summary_counts_what_the_plan_has)
{
    diamond d = diamond_make();
    weir_plan_summary s;
    weir_plan_summarise(d.plan, &s);
    ck_assert_uint_eq(s.tasks, 4);
    ck_assert_uint_eq(s.edges, 4);
    ck_assert_uint_eq(s.waits, 2);
    ck_assert_uint_eq(s.events, 2);
    ck_assert_uint_eq(s.naive_waits, 2);
    ck_assert_uint_eq(s.lanes, 2);
    ck_assert_uint_eq(s.frames, 1);
    ck_assert_uint_eq(s.slots, 1);
    ck_assert_double_eq(s.makespan_ns, 4000);
    ck_assert_double_eq(s.interval_ns, 4000);
    ck_assert_double_eq(s.bound_ns, 4000);
    ck_assert_str_eq(s.binding, "critical path");
    ck_assert_str_eq(s.policy, "priority");
    diamond_finish(&d);
}
END_TEST

START_TEST(task_of_another_graph_is_refused)
{
    diamond d = diamond_make(), other = diamond_make();
    weir_plan_entry entry = {.lane = 77};
    ck_assert_int_eq(weir_plan_get(d.plan, other.left, &entry), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_plan_get(d.plan, (weir_task){0}, &entry), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_plan_get(d.plan, (weir_task){5, d.left.graph}, &entry), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_plan_get(NULL, d.left, &entry), WEIR_ERR_INVALID);
    ck_assert_uint_eq(entry.lane, 77);
    diamond_finish(&d);
    diamond_finish(&other);
}
END_TEST

START_TEST(task_added_after_planning_is_refused)
{
    diamond d = diamond_make();
    weir_plan_entry entry;
    weir_task late = weir_add_empty(d.graph, "late");
    ck_assert_int_eq(weir_plan_get(d.plan, late, &entry), WEIR_ERR_INVALID);
    diamond_finish(&d);
}
END_TEST

START_TEST(plan_outlives_its_graph_and_its_makers_hold)
{
    diamond d = diamond_make();
    weir_graph_destroy(d.graph);
    weir_plan *held = weir_plan_hold(d.plan);
    weir_plan_destroy(d.plan);
    d.plan = held;
    ck_assert_uint_eq(entry_of(&d, d.sink).position, 3);
    ck_assert_str_eq(held->body->tasks.at[3].name, "sink");
    weir_plan_destroy(held);
    weir_plan_destroy(NULL);
}
END_TEST

START_TEST(validity_notices_arrays_that_disagree)
{
    diamond d = diamond_make();
    ck_assert(weir_plan_is_valid(d.plan));
    d.plan->position[1]++;
    ck_assert(!weir_plan_is_valid(d.plan));
    d.plan->position[1]--;
    d.plan->lane[1] ^= 1;
    ck_assert(!weir_plan_is_valid(d.plan));
    d.plan->lane[1] ^= 1;
    d.plan->lane[1] = 2;
    ck_assert(!weir_plan_is_valid(d.plan));
    diamond_finish(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/plan");
    TCase *cases = tcase_create("plan");
    tcase_add_test(cases, entry_tells_lane_position_waits_and_times);
    tcase_add_test(cases, summary_counts_what_the_plan_has);
    tcase_add_test(cases, task_of_another_graph_is_refused);
    tcase_add_test(cases, task_added_after_planning_is_refused);
    tcase_add_test(cases, plan_outlives_its_graph_and_its_makers_hold);
    tcase_add_test(cases, validity_notices_arrays_that_disagree);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
