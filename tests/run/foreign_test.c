/* foreign_test.c - the host has no queues and events that a program could have too, and says so. With those that have: backend/recording. */
#include "fixture.h"

static weir_runtime *runtime;
static weir_graph *graph;
static weir_exec *exec;
static int calls;
static char queue, event;

static void set_up(void)
{
    no_environment();
    calls = 0;
    runtime = runtime_make(1);
    graph = graph_make("counts");
    weir_add_host(graph, "count", count_call, &calls, weir_no_args());
    exec = exec_make(runtime, graph, 2);
}

static void tear_down(void)
{
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
}

START_TEST(host_takes_no_frame_on_a_queue)
{
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    OK(weir_exec_begin(exec, -1, &frame));
    REFUSED(WEIR_ERR_BACKEND, weir_frame_submit_on_queue(frame, &queue, &ticket), "backend 'host' has no queues and events");
    ck_assert_uint_eq(ticket.number, 0);
    run_frames(exec, 1); /* the frame is gone, so another can be begun, and it was never run */
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(host_waits_for_no_event)
{
    weir_frame *frame = NULL;
    weir_ticket ticket;
    OK(weir_exec_begin(exec, -1, &frame));
    REFUSED(WEIR_ERR_BACKEND, weir_frame_wait_for(frame, &event), "backend 'host' has no queues and events");
    OK(weir_frame_submit(frame, &ticket)); /* it is still open */
    OK(weir_exec_wait(exec, ticket, -1));
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(host_records_no_event)
{
    weir_ticket ticket = submit(exec);
    REFUSED(WEIR_ERR_BACKEND, weir_exec_record_end_in(exec, ticket, &event), "backend 'host' has no queues and events");
    OK(weir_exec_wait(exec, ticket, -1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/foreign");
    TCase *tests = tcase_create("host");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, host_takes_no_frame_on_a_queue);
    tcase_add_test(tests, host_waits_for_no_event);
    tcase_add_test(tests, host_records_no_event);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
