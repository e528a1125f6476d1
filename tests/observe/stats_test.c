/* stats_test.c - what stats.c promises: figures that agree with what ran. */
#include "run/fixture.h"
#include "weir/drawing.h"
#include <math.h>
#include <stdatomic.h>

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    runtime = runtime_make(2);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

static weir_status last_ms(void *user, void *const *args)
{
    (void)args;
    pause_ms(*(int *)user);
    return WEIR_OK;
}

/* Each ends only when the other has begun, and a little later: they overlap. */
static weir_status meet(void *user, void *const *args)
{
    atomic_int *here = user;
    (void)args;
    int before = atomic_fetch_add(here, 1);
    while (atomic_load(here) < before - before % 2 + 2)
        pause_ms(0);
    pause_ms(5);
    return WEIR_OK;
}

static const weir_exec_options timed = {.timing = 1};

START_TEST(nothing_ran_is_no_figure)
{
    weir_graph *graph = graph_make("g");
    uint64_t count = 9;
    double ns = 0;
    weir_task t = weir_add_host(graph, "t", do_nothing, NULL, weir_no_args());
    weir_exec *exec = exec_with(runtime, graph, NULL, &timed);
    weir_stats s;
    weir_exec_stats(exec, &s);
    ck_assert_uint_eq(s.frames, 0);
    ck_assert_uint_eq(s.instantiations, 0);
    ck_assert_uint_eq(s.taken_over, 0);
    ck_assert(isnan(s.frame_ns) && isnan(s.busy_share) && isnan(s.overlap_share));
    ck_assert_str_eq(s.mode, "eager");
    OK(weir_exec_task_stats(exec, t, &count, &ns));
    ck_assert_uint_eq(count, 0);
    ck_assert(isnan(ns));
    ck_assert(isnan(weir_exec_lane_busy(exec, 0)));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(every_mode_is_eager_on_the_host)
{
    static const char *const modes[] = {"default", "eager", "replay", "capture", "auto"};
    weir_graph *graph = graph_make("g");
    for (size_t i = 0; i < 5; i++) {
        weir_exec *exec = exec_with(runtime, graph, NULL, &(weir_exec_options){.mode = modes[i]});
        weir_stats s;
        weir_exec_stats(exec, &s);
        ck_assert_str_eq(s.mode, "eager");
        ck_assert_uint_eq(weir_exec_candidates(exec, NULL, 0), 0);
        weir_exec_destroy(exec);
    }
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(chain_is_busy_one_at_a_time)
{
    weir_graph *graph = graph_make("chain");
    int ms = 4;
    weir_task a = weir_add_host(graph, "a", last_ms, &ms, weir_no_args()), b = weir_add_host(graph, "b", last_ms, &ms, weir_no_args());
    weir_after(graph, b, a);
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2}, &timed);
    for (int i = 0; i < 5; i++)
        run_frames(exec, 1);
    weir_stats s;
    weir_exec_stats(exec, &s);
    ck_assert_uint_eq(s.frames, 5);
    ck_assert_double_ge(s.frame_ns, 8e6);
    ck_assert(s.busy_share > 0 && s.busy_share <= 0.5 + 1e-9); /* of two lanes */
    ck_assert_double_eq(s.overlap_share, 0);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(bounds_go_by_times_of_tasks_alone)
{
    char why[128];
    weir_stats s;
    weir_graph *graph = graph_make("chain");
    int ms[2] = {4, 2};
    weir_task a = weir_add_host(graph, "a", last_ms, &ms[0], weir_no_args()), b = weir_add_host(graph, "b", last_ms, &ms[1], weir_no_args());
    weir_task off = weir_add_host(graph, "off", last_ms, &ms[0], weir_no_args());
    weir_after(graph, b, a);
    weir_task_set(graph, off, &(weir_task_options){.cost_ns = 777});
    weir_exec *alone = exec_with(runtime, graph, &(weir_plan_options){.lanes = 1}, &timed);
    OK(weir_exec_enable(alone, off, 0));
    run_frames(alone, 3);
    OK(weir_graph_take_costs(graph, alone));
    weir_exec_destroy(alone);
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 3}, NULL);
    weir_exec_stats(exec, &s);
    ck_assert_double_ge(s.bound_ns, 6e6);
    ck_assert_str_eq(s.binding, "critical path");
    OK(weir_exec_why(exec, why, sizeof why));
    ck_assert_msg(strncmp(why, "frames cannot come faster than ", 31) == 0 && strstr(why, "ms: a -> b") && !strstr(why, "off"), "%s", why);
    const weir_drawing *drawing = NULL;
    OK(weir_drawing_of(graph, NULL, &drawing));
    ck_assert_double_eq_tol(drawing->task[2].cost_ns, 777, 1e-3); /* never ran */
    weir_drawing_destroy(drawing);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(costs_are_taken_only_of_tasks_alone)
{
    char why[8];
    weir_graph *graph = graph_make("g"), *other = graph_make("other");
    weir_add_host(graph, "t", do_nothing, NULL, weir_no_args());
    weir_add_host(other, "t", do_nothing, NULL, weir_no_args());
    weir_exec *untimed = exec_with(runtime, graph, &(weir_plan_options){.lanes = 1}, NULL);
    weir_exec *beside = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2}, &timed);
    weir_exec *alone = exec_with(runtime, graph, &(weir_plan_options){.lanes = 1}, &timed);
    REFUSED(WEIR_ERR_STATE, weir_graph_take_costs(graph, untimed), "graph 'g': its tasks were not timed alone");
    REFUSED(WEIR_ERR_STATE, weir_graph_take_costs(graph, beside), "of a plan with one lane");
    REFUSED(WEIR_ERR_INVALID, weir_graph_take_costs(other, alone), "of graph 'g', not of 'other'");
    ck_assert_int_eq(weir_graph_take_costs(NULL, alone), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_take_costs(graph, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_why(NULL, why, sizeof why), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_why(alone, NULL, 0), WEIR_ERR_INVALID);
    OK(weir_graph_take_costs(graph, alone)); /* nothing ran: all stays */
    weir_exec_destroy(untimed);
    weir_exec_destroy(beside);
    weir_exec_destroy(alone);
    weir_graph_destroy(graph);
    weir_graph_destroy(other);
}
END_TEST

START_TEST(host_tasks_are_bound_by_workers)
{
    weir_stats s;
    weir_graph *graph = graph_make("wide");
    for (int i = 0; i < 6; i++)
        weir_task_set(graph, weir_add_host(graph, "t", do_nothing, NULL, weir_no_args()), &(weir_task_options){.cost_ns = 1000});
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 6}, NULL);
    weir_exec_stats(exec, &s);
    ck_assert_str_eq(s.binding, "workers");
    ck_assert_double_eq_tol(s.bound_ns, 3000, 1e-9); /* of two */
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(interval_is_from_frame_to_frame)
{
    weir_stats s;
    weir_graph *graph = graph_make("chain");
    int ms = 3;
    weir_task a = weir_add_host(graph, "a", last_ms, &ms, weir_no_args()), b = weir_add_host(graph, "b", last_ms, &ms, weir_no_args());
    weir_after(graph, b, a);
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2, .frames = 2}, NULL);
    run_frames(exec, 2);
    weir_exec_stats(exec, &s);
    ck_assert(isnan(s.interval_ns));
    run_frames(exec, 6);
    weir_exec_stats(exec, &s);
    ck_assert_double_ge(s.interval_ns, 2.9e6); /* each follows itself; ends are seen a little late, one later than another */
    ck_assert_double_ge(s.frame_ns, 6e6);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(tasks_at_once_overlap)
{
    weir_graph *graph = graph_make("pair");
    atomic_int here;
    atomic_init(&here, 0);
    weir_add_host(graph, "one", meet, &here, weir_no_args());
    weir_add_host(graph, "two", meet, &here, weir_no_args());
    weir_exec *exec = exec_with(runtime, graph, NULL, &timed);
    run_frames(exec, 2);
    weir_stats s;
    weir_exec_stats(exec, &s);
    ck_assert(s.overlap_share > 0 && s.overlap_share <= 1);
    ck_assert(s.busy_share > 0 && s.busy_share <= 1);
    for (uint32_t lane = 0; lane < 2; lane++)
        ck_assert(weir_exec_lane_busy(exec, lane) > 0 && weir_exec_lane_busy(exec, lane) <= 1);
    ck_assert(isnan(weir_exec_lane_busy(exec, 2)));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(task_is_counted_when_it_runs_and_its_median_is_its_time)
{
    weir_graph *graph = graph_make("g");
    int ms = 3;
    uint64_t count = 0;
    double ns = 0;
    weir_task slow = weir_add_host(graph, "slow", last_ms, &ms, weir_no_args()), quick = weir_add_empty(graph, "quick");
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.frames = 2}, &timed);
    run_frames(exec, 6);
    OK(weir_exec_enable(exec, slow, 0));
    run_frames(exec, 3);
    OK(weir_exec_task_stats(exec, slow, &count, &ns));
    ck_assert_uint_eq(count, 6);
    ck_assert_double_ge(ns, 3e6);
    OK(weir_exec_task_stats(exec, quick, &count, &ns));
    ck_assert_uint_eq(count, 9);
    ck_assert_double_lt(ns, 3e6);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(medians_are_of_the_last_runs)
{
    weir_graph *graph = graph_make("g");
    int ms = 3;
    uint64_t count = 0;
    double ns = 0;
    weir_task t = weir_add_host(graph, "t", last_ms, &ms, weir_no_args());
    weir_exec *exec = exec_with(runtime, graph, NULL, &timed);
    for (int i = 0; i < 20; i++)
        run_frames(exec, 1);
    ms = 0;
    for (int i = 0; i < 64; i++)
        run_frames(exec, 1);
    OK(weir_exec_task_stats(exec, t, &count, &ns));
    ck_assert_uint_eq(count, 84);
    ck_assert_double_lt(ns, 3e6); /* of 31 */
    weir_stats s;
    weir_exec_stats(exec, &s);
    ck_assert_double_lt(s.frame_ns, 3e6); /* of 63 */
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(figures_without_timing_are_those_of_the_plan)
{
    weir_graph *graph = graph_make("g");
    uint64_t count;
    double ns;
    weir_task t = weir_add_host(graph, "t", do_nothing, NULL, weir_no_args());
    weir_task_set(graph, t, &(weir_task_options){.cost_ns = 12345});
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 3);
    weir_stats s;
    weir_exec_stats(exec, &s);
    ck_assert_uint_eq(s.frames, 3);
    ck_assert(s.frame_ns > 0 && isnan(s.busy_share) && isnan(s.overlap_share));
    ck_assert_double_eq_tol(s.bound_ns, 12345, 1);
    ck_assert_ptr_nonnull(s.binding);
    REFUSED(WEIR_ERR_STATE, weir_exec_task_stats(exec, t, &count, &ns), "task 't': this exec was made without timing");
    ck_assert(isnan(weir_exec_lane_busy(exec, 0)));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(null_and_foreign_arguments_are_refused)
{
    weir_graph *graph = graph_make("g"), *other = graph_make("other");
    uint64_t count;
    double ns;
    weir_task t = weir_add_empty(graph, "t"), foreign = weir_add_empty(other, "foreign");
    weir_exec *exec = exec_with(runtime, graph, NULL, &timed);
    ck_assert_int_eq(weir_exec_task_stats(NULL, t, &count, &ns), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_task_stats(exec, t, NULL, &ns), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_task_stats(exec, t, &count, NULL), WEIR_ERR_INVALID);
    REFUSED(WEIR_ERR_INVALID, weir_exec_task_stats(exec, foreign, &count, &ns), "not of graph 'g'");
    weir_stats s = {.frames = 77};
    weir_exec_stats(NULL, &s);
    weir_exec_stats(exec, NULL);
    ck_assert_uint_eq(s.frames, 77);
    ck_assert(isnan(weir_exec_lane_busy(NULL, 0)));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_graph_destroy(other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/stats");
    TCase *cases = tcase_create("stats");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, nothing_ran_is_no_figure);
    tcase_add_test(cases, every_mode_is_eager_on_the_host);
    tcase_add_test(cases, chain_is_busy_one_at_a_time);
    tcase_add_test(cases, bounds_go_by_times_of_tasks_alone);
    tcase_add_test(cases, costs_are_taken_only_of_tasks_alone);
    tcase_add_test(cases, host_tasks_are_bound_by_workers);
    tcase_add_test(cases, interval_is_from_frame_to_frame);
    tcase_add_test(cases, tasks_at_once_overlap);
    tcase_add_test(cases, task_is_counted_when_it_runs_and_its_median_is_its_time);
    tcase_add_test(cases, medians_are_of_the_last_runs);
    tcase_add_test(cases, figures_without_timing_are_those_of_the_plan);
    tcase_add_test(cases, null_and_foreign_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
