/* worker_test.c - what worker.c promises: whoever sleeps wakes when there is work, and one worker is enough for any plan. */
#include "run/fixture.h"
#include <stdatomic.h>

/* Frames come after pauses that let all workers fall asleep; a lost bell would leave one waiting for ever. */
START_TEST(sleeping_workers_wake_for_each_frame)
{
    weir_runtime *runtime = runtime_make(3);
    weir_graph *graph = graph_make("g");
    int ran = 0;
    weir_task a = weir_add_host(graph, "a", do_nothing, NULL, weir_no_args()),
              b = weir_add_host(graph, "b", do_nothing, NULL, weir_no_args());
    weir_task last = weir_add_host(graph, "last", count_call, &ran, weir_no_args());
    weir_after(graph, last, a);
    weir_after(graph, last, b);
    weir_exec *exec = exec_make(runtime, graph, 1);
    for (int i = 0; i < 100; i++) {
        run_frames(exec, 1);
        if (i % 2)
            pause_ms(2);
    }
    ck_assert_int_eq(ran, 100);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
}
END_TEST

/* Two tasks that only end when the other has begun: they are on two lanes, so two workers must take one each. */
typedef struct {
    atomic_int here;
} meeting;

static weir_status meet(void *user, void *const *args)
{
    meeting *m = user;
    (void)args;
    int before = atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < before - before % 2 + 2)
        pause_ms(0);
    return WEIR_OK;
}

START_TEST(lanes_run_at_once_on_several_workers)
{
    weir_runtime *runtime = runtime_make(2);
    weir_graph *graph = graph_make("g");
    meeting m;
    atomic_init(&m.here, 0);
    weir_add_host(graph, "one", meet, &m, weir_no_args());
    weir_add_host(graph, "two", meet, &m, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 1);
    for (int i = 0; i < 30; i++) {
        run_frames(exec, 1);
        pause_ms(i % 3);
    }
    ck_assert_int_eq(atomic_load(&m.here), 60);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(one_worker_is_enough_for_many_lanes_and_frames)
{
    weir_runtime *runtime = runtime_make(1);
    weir_graph *graph = graph_make("g");
    weir_buffer *ring = numbers("ring", 4, 3, WEIR_HOST_LOCAL);
    int ran[12] = {0};
    weir_task before = {0, 0};
    for (int i = 0; i < 12; i++) {
        weir_task t = weir_add_host(graph, "t", count_call, &ran[i],
                                    i == 5   ? WEIR_ARGS(WEIR_WRITE(ring))
                                    : i == 2 ? WEIR_ARGS(WEIR_PREVIOUS(ring, 2))
                                             : weir_no_args());
        if (i % 3 == 2)
            weir_after(graph, t, before);
        before = t;
    }
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 12, .frames = 3}, NULL);
    run_frames(exec, 200);
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(ran[i], 200);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(more_workers_than_lanes_do_no_harm)
{
    weir_runtime *runtime = runtime_make(8);
    weir_graph *graph = graph_make("g");
    int ran = 0;
    weir_add_host(graph, "t", count_call, &ran, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 200);
    ck_assert_int_eq(ran, 200);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
}
END_TEST

int main(void)
{
    no_environment();
    Suite *suite = suite_create("backend/host/worker");
    TCase *cases = tcase_create("worker");
    tcase_add_test(cases, sleeping_workers_wake_for_each_frame);
    tcase_add_test(cases, lanes_run_at_once_on_several_workers);
    tcase_add_test(cases, one_worker_is_enough_for_many_lanes_and_frames);
    tcase_add_test(cases, more_workers_than_lanes_do_no_harm);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
