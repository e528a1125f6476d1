/* program_test.c - what program.c promises: programs come and go while others run, and tell what they wait for. */
#include "run/fixture.h"
#include <stdatomic.h>

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    runtime = runtime_make(3);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

START_TEST(many_programs_run_side_by_side)
{
    enum { PROGRAMS = 30, FRAMES = 20 }; /* more than the table of programs begins with */
    weir_graph *graphs[PROGRAMS];
    weir_exec *execs[PROGRAMS];
    int ran[PROGRAMS] = {0};
    for (int i = 0; i < PROGRAMS; i++) {
        graphs[i] = graph_make("g");
        weir_add_host(graphs[i], "t", count_call, &ran[i], weir_no_args());
        execs[i] = exec_make(runtime, graphs[i], 2);
        submit(execs[i]);
    }
    for (int f = 1; f < FRAMES; f++)
        for (int i = 0; i < PROGRAMS; i++)
            submit(execs[i]);
    for (int i = 0; i < PROGRAMS; i++) {
        weir_exec_destroy(execs[i]);
        weir_graph_destroy(graphs[i]);
        ck_assert_int_eq(ran[i], FRAMES);
    }
}
END_TEST

typedef struct {
    int failed, ran;
} coming;

static void *come_and_go(void *argument)
{
    coming *c = argument;
    for (int i = 0; i < 60; i++) {
        weir_graph *graph = NULL;
        weir_plan *plan = NULL;
        weir_exec *exec = NULL;
        c->failed += weir_graph_create("g", 0, &graph) != WEIR_OK;
        weir_add_host(graph, "t", count_call, &c->ran, weir_no_args());
        weir_add_empty(graph, "u");
        c->failed += weir_plan_create(graph, NULL, &plan) != WEIR_OK || weir_exec_create(runtime, plan, NULL, &exec) != WEIR_OK;
        weir_plan_destroy(plan);
        weir_graph_destroy(graph);
        for (int f = 0; f < i % 4; f++)
            c->failed += weir_exec_submit(exec, NULL) != WEIR_OK;
        weir_exec_destroy(exec);
    }
    return NULL;
}

START_TEST(programs_come_and_go_from_several_threads_while_one_runs)
{
    coming comers[3] = {{0}};
    pthread_t threads[3];
    weir_graph *graph = graph_make("steady");
    int ran = 0;
    weir_add_host(graph, "t", count_call, &ran, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 2);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, come_and_go, &comers[i]), 0);
    run_frames(exec, 500);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(comers[i].failed, 0);
        ck_assert_int_eq(comers[i].ran, 15 * (0 + 1 + 2 + 3));
    }
    weir_exec_destroy(exec);
    ck_assert_int_eq(ran, 500);
    weir_graph_destroy(graph);
}
END_TEST

/* Of all that is not done, the task told is one that runs, not one that merely waits for it. */
START_TEST(waiting_is_for_the_task_that_holds_up_the_rest)
{
    gate stop;
    gate_init(&stop);
    weir_graph *graph = graph_make("g");
    weir_task gated = weir_add_host(graph, "culprit", gate_pass, &stop, weir_no_args());
    static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5"};
    for (int i = 0; i < 6; i++)
        weir_after(graph, weir_add_host(graph, names[i], do_nothing, NULL, weir_no_args()), gated);
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 6, .policy = "round_robin"}, NULL);
    weir_ticket ticket = submit(exec);
    gate_await(&stop, 1);
    REFUSED(WEIR_TIMEOUT, weir_exec_wait(exec, ticket, 5 * MILLISECOND), "waits for task 'culprit'");
    gate_open(&stop);
    OK(weir_exec_wait(exec, ticket, -1));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    gate_finish(&stop);
}
END_TEST

START_TEST(lanes_without_tasks_are_no_trouble)
{
    weir_graph *graph = graph_make("g");
    int ran = 0;
    weir_add_host(graph, "t", count_call, &ran, weir_no_args());
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 50, .frames = 3}, NULL);
    run_frames(exec, 30);
    ck_assert_int_eq(ran, 30);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("backend/host/program");
    TCase *cases = tcase_create("program");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, many_programs_run_side_by_side);
    tcase_add_test(cases, programs_come_and_go_from_several_threads_while_one_runs);
    tcase_add_test(cases, waiting_is_for_the_task_that_holds_up_the_rest);
    tcase_add_test(cases, lanes_without_tasks_are_no_trouble);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
