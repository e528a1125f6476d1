/* switches_test.c - what switches.c promises, and weir_exec_enable with it. */
#include "run/fixture.h"

static weir_runtime *runtime;
static weir_buffer *data, *other;
static weir_graph *graph;
static int ran[4];

static void set_up(void)
{
    no_environment();
    runtime = runtime_make(2);
    data = numbers("data", 16, 1, WEIR_HOST_LOCAL);
    other = numbers("other", 16, 1, WEIR_HOST_LOCAL);
    graph = graph_make("g");
    memset(ran, 0, sizeof ran);
}

static void tear_down(void)
{
    weir_graph_destroy(graph);
    weir_buffer_destroy(data);
    weir_buffer_destroy(other);
    weir_runtime_destroy(runtime);
}

static weir_task task(const char *name, int number, weir_args args)
{
    return weir_add_host(graph, name, count_call, &ran[number], args);
}

static void ran_are(int a, int b, int c)
{
    ck_assert_int_eq(ran[0], a);
    ck_assert_int_eq(ran[1], b);
    ck_assert_int_eq(ran[2], c);
}

START_TEST(task_that_is_off_has_no_effect_until_it_is_on)
{
    task("a", 0, WEIR_ARGS(WEIR_WRITE(data)));
    weir_task b = task("b", 1, WEIR_ARGS(WEIR_READ_WRITE(data)));
    task("c", 2, WEIR_ARGS(WEIR_READ(data)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 1);
    OK(weir_exec_enable(exec, b, 0));
    run_frames(exec, 2);
    ran_are(3, 1, 3);
    OK(weir_exec_enable(exec, b, 0)); /* twice is once */
    OK(weir_exec_enable(exec, b, 1));
    run_frames(exec, 1);
    ran_are(4, 2, 4);
    OK(weir_exec_enable(exec, b, 7));
    run_frames(exec, 1);
    ran_are(5, 3, 5);
    weir_exec_destroy(exec);
}
END_TEST

START_TEST(task_that_is_off_keeps_its_edges)
{
    gate stop;
    gate_init(&stop);
    weir_task a = weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args()), b = task("b", 1, weir_no_args()),
              c = task("c", 2, weir_no_args());
    weir_after(graph, b, a);
    weir_after(graph, c, b);
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, b, 0));
    weir_ticket ticket = submit(exec);
    gate_await(&stop, 1);
    ck_assert_int_eq(weir_exec_poll_task(exec, ticket, c), WEIR_WOULD_BLOCK);
    pause_ms(5);
    ran_are(0, 0, 0);
    gate_open(&stop);
    OK(weir_exec_wait(exec, ticket, -1));
    ran_are(0, 0, 1);
    weir_exec_destroy(exec);
    gate_finish(&stop);
}
END_TEST

START_TEST(switches_are_those_of_the_submit)
{
    gate stop;
    gate_init(&stop);
    weir_task a = weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args()), b = task("b", 1, weir_no_args());
    weir_after(graph, b, a);
    weir_exec *exec = exec_make(runtime, graph, 3);
    submit(exec); /* on */
    OK(weir_exec_enable(exec, b, 0));
    submit(exec); /* off */
    OK(weir_exec_enable(exec, b, 1));
    submit(exec); /* on */
    OK(weir_exec_enable(exec, b, 0));
    gate_open(&stop);
    OK(weir_exec_wait(exec, (weir_ticket){3}, -1));
    ran_are(0, 2, 0);
    weir_exec_destroy(exec);
    gate_finish(&stop);
}
END_TEST

START_TEST(only_writer_of_what_is_read_cannot_be_off)
{
    weir_task a = task("advect", 0, WEIR_ARGS(WEIR_WRITE(data))), b = task("shade", 1, WEIR_ARGS(WEIR_READ(data)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, a, 0));
    REFUSED(WEIR_ERR_STATE, weir_exec_submit(exec, NULL),
            "task 'advect' is off, but nothing else writes buffer 'data', which task 'shade' reads: switch that off too");
    REFUSED(WEIR_ERR_STATE, weir_exec_submit(exec, NULL), "task 'advect' is off"); /* and again */
    ran_are(0, 0, 0);
    OK(weir_exec_enable(exec, b, 0));
    run_frames(exec, 1);
    OK(weir_exec_enable(exec, a, 1));
    OK(weir_exec_enable(exec, b, 1));
    run_frames(exec, 1); /* the exec is as good as ever */
    ran_are(1, 1, 0);
    weir_exec_destroy(exec);
}
END_TEST

START_TEST(another_writer_of_the_data_is_enough)
{
    weir_task a = task("a", 0, WEIR_ARGS(WEIR_WRITE(data))), b = task("b", 1, WEIR_ARGS(WEIR_WRITE(data)));
    task("c", 2, WEIR_ARGS(WEIR_READ(data)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, a, 0));
    run_frames(exec, 1);
    ran_are(0, 1, 1);
    OK(weir_exec_enable(exec, b, 0));
    ck_assert_int_eq(weir_exec_submit(exec, NULL), WEIR_ERR_STATE);
    OK(weir_exec_enable(exec, a, 1));
    run_frames(exec, 1);
    ran_are(1, 1, 2);
    weir_exec_destroy(exec);
}
END_TEST

START_TEST(boxes_and_buffers_of_their_own_do_not_count)
{
    const weir_box left = {.nx = 8}, right = {.x = 8, .nx = 8};
    weir_task a = task("left", 0, WEIR_ARGS(weir_part(WEIR_WRITE(data), left)));
    task("right", 1, WEIR_ARGS(weir_part(WEIR_WRITE(data), right), WEIR_WRITE(other)));
    task("reader of right", 2, WEIR_ARGS(weir_part(WEIR_READ(data), right)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, a, 0));
    run_frames(exec, 1); /* nobody reads the left half */
    ran_are(0, 1, 1);
    weir_exec_destroy(exec);
    task("reader of left", 3, WEIR_ARGS(weir_part(WEIR_READ(data), (weir_box){.x = 7, .nx = 2})));
    exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, a, 0));
    REFUSED(WEIR_ERR_STATE, weir_exec_submit(exec, NULL),
            "task 'left' is off, but nothing else writes buffer 'data', which task 'reader of left' reads");
    weir_exec_destroy(exec);
}
END_TEST

START_TEST(updates_in_place_may_be_off)
{
    task("a", 0, WEIR_ARGS(WEIR_WRITE(data)));
    weir_task b = task("b", 1, WEIR_ARGS(WEIR_READ_WRITE(data))), r = task("c", 2, WEIR_ARGS(WEIR_REDUCE(data)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, b, 0));
    OK(weir_exec_enable(exec, r, 0));
    run_frames(exec, 1);
    ran_are(1, 0, 0);
    weir_exec_destroy(exec);
}
END_TEST

START_TEST(only_update_in_place_may_be_off)
{
    weir_task b = task("b", 1, WEIR_ARGS(WEIR_READ_WRITE(data)));
    task("c", 2, WEIR_ARGS(WEIR_READ(data)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, b, 0));
    run_frames(exec, 2); /* what it would have changed stays as it is */
    ran_are(0, 0, 2);
    weir_exec_destroy(exec);
}
END_TEST

START_TEST(handle_switches_all_it_stands_for)
{
    weir_graph *child = graph_make("child");
    weir_add_host(child, "a", count_call, &ran[0], WEIR_ARGS(WEIR_WRITE(data)));
    weir_add_host(child, "b", count_call, &ran[1], WEIR_ARGS(WEIR_READ(data)));
    weir_task handle = weir_add_repeat(graph, "twice", child, 2);
    task("c", 2, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_exec_enable(exec, handle, 0));
    run_frames(exec, 1);
    ran_are(0, 0, 1);
    OK(weir_exec_enable(exec, handle, 1));
    run_frames(exec, 1);
    ran_are(2, 2, 2);
    weir_exec_destroy(exec);
    weir_graph_destroy(child);
}
END_TEST

START_TEST(foreign_and_null_tasks_are_refused)
{
    weir_graph *strange = graph_make("strange");
    weir_task a = task("a", 0, weir_no_args()), foreign = weir_add_empty(strange, "foreign");
    weir_exec *exec = exec_make(runtime, graph, 1);
    REFUSED(WEIR_ERR_INVALID, weir_exec_enable(exec, foreign, 0), "not of graph 'g'");
    REFUSED(WEIR_ERR_INVALID, weir_exec_enable(exec, (weir_task){0, 0}, 0), "the null task");
    REFUSED(WEIR_ERR_INVALID, weir_exec_enable(exec, (weir_task){2, a.graph}, 0), "not of graph 'g'");
    weir_task late = weir_add_empty(graph, "late"); /* after the plan was made */
    REFUSED(WEIR_ERR_INVALID, weir_exec_enable(exec, late, 0), "not of graph 'g'");
    weir_exec_destroy(exec);
    weir_graph_destroy(strange);
}
END_TEST

START_TEST(refused_frame_gives_its_inputs_back)
{
    weir_buffer *in = numbers("in", 4, 2, WEIR_HOST_IN);
    weir_task a = task("a", 0, WEIR_ARGS(WEIR_READ(in), WEIR_WRITE(data)));
    task("b", 1, WEIR_ARGS(WEIR_READ(data)));
    weir_exec *exec = exec_make(runtime, graph, 2);
    weir_frame *frame = NULL;
    for (int i = 0; i < 5; i++) {
        OK(weir_exec_begin(exec, 0, &frame));
        void *first = weir_frame_data(frame, in);
        OK(weir_exec_enable(exec, a, 0));
        ck_assert_int_eq(weir_frame_submit(frame, NULL), WEIR_ERR_STATE);
        OK(weir_exec_enable(exec, a, 1));
        OK(weir_exec_begin(exec, 0, &frame));
        ck_assert_ptr_eq(weir_frame_data(frame, in), first);
        OK(weir_frame_submit(frame, NULL));
        OK(weir_exec_wait(exec, (weir_ticket){(uint64_t)i + 1}, -1));
    }
    ran_are(5, 5, 0);
    weir_exec_destroy(exec);
    weir_buffer_destroy(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/switches");
    TCase *cases = tcase_create("switches");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, task_that_is_off_has_no_effect_until_it_is_on);
    tcase_add_test(cases, task_that_is_off_keeps_its_edges);
    tcase_add_test(cases, switches_are_those_of_the_submit);
    tcase_add_test(cases, only_writer_of_what_is_read_cannot_be_off);
    tcase_add_test(cases, another_writer_of_the_data_is_enough);
    tcase_add_test(cases, boxes_and_buffers_of_their_own_do_not_count);
    tcase_add_test(cases, updates_in_place_may_be_off);
    tcase_add_test(cases, only_update_in_place_may_be_off);
    tcase_add_test(cases, handle_switches_all_it_stands_for);
    tcase_add_test(cases, foreign_and_null_tasks_are_refused);
    tcase_add_test(cases, refused_frame_gives_its_inputs_back);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
