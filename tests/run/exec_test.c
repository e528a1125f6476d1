/* exec_test.c - what exec.c promises: what an exec is made of and outlives, and what several execs of one runtime share. */
#include "run/fixture.h"
#include <stdatomic.h>

static weir_runtime *runtime;
static gate stop;

static void set_up(void)
{
    no_environment();
    gate_init(&stop);
    runtime = runtime_make(2);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
    gate_finish(&stop);
}

/* Writes user's number, counted up, into element 0. */
static weir_status write_next(void *user, void *const *args)
{
    WEIR_PASSED(uint32_t *, args, 0)[0] = (uint32_t)++ * (int *)user;
    return WEIR_OK;
}

/* Element 0 of what is looked back at, plus one, into the frame's own. */
static weir_status add_one(void *user, void *const *args)
{
    (void)user;
    WEIR_PASSED(uint32_t *, args, 0)[0] = WEIR_PASSED(const uint32_t *, args, 1)[0] + 1;
    return WEIR_OK;
}

/* Keeps element 0 of its first argument. */
static weir_status keep(void *user, void *const *args)
{
    *(uint32_t *)user = WEIR_PASSED(const uint32_t *, args, 0)[0];
    return WEIR_OK;
}

static weir_plan *plan_of(const weir_graph *graph, uint32_t lanes)
{
    weir_plan *plan = NULL;
    OK(weir_plan_create(graph, &(weir_plan_options){.lanes = lanes}, &plan));
    return plan;
}

/* ---- making ---- */

START_TEST(null_arguments_are_refused)
{
    weir_graph *graph = graph_make("g");
    weir_plan *plan = plan_of(graph, 0);
    weir_exec *exec = NULL;
    ck_assert_int_eq(weir_exec_create(NULL, plan, NULL, &exec), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_create(runtime, NULL, NULL, &exec), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_create(runtime, plan, NULL, NULL), WEIR_ERR_INVALID);
    ck_assert_ptr_null(exec);
    ck_assert_int_eq(weir_exec_status(NULL, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_enable(NULL, (weir_task){1, 1}, 1), WEIR_ERR_INVALID);
    weir_exec_on_frame(NULL, NULL, NULL);
    weir_exec_destroy(NULL);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(unknown_modes_are_refused_with_the_known_ones)
{
    static const char *const modes[] = {"default", "eager", "replay", "capture", "auto"};
    weir_graph *graph = graph_make("g");
    weir_plan *plan = plan_of(graph, 0);
    weir_exec *untouched = (weir_exec *)&untouched, *exec = untouched;
    REFUSED(WEIR_ERR_INVALID, weir_exec_create(runtime, plan, &(weir_exec_options){.mode = "fast"}, &exec),
            "unknown mode 'fast': must be one of default, eager, replay, capture, auto");
    setenv("WEIR_MODE", "slow", 1);
    REFUSED(WEIR_ERR_INVALID, weir_exec_create(runtime, plan, NULL, &exec), "WEIR_MODE=slow: must be one of default, eager, replay, capture, auto");
    ck_assert_ptr_eq(exec, untouched);
    unsetenv("WEIR_MODE");
    for (size_t i = 0; i < 5; i++) {
        OK(weir_exec_create(runtime, plan, &(weir_exec_options){.mode = modes[i]}, &exec));
        run_frames(exec, 1);
        weir_exec_destroy(exec);
    }
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(plan_with_more_lanes_than_the_runtime_takes_is_refused)
{
    weir_runtime *narrow = NULL;
    weir_graph *graph = graph_make("wide");
    for (int i = 0; i < 6; i++)
        weir_add_host(graph, "t", do_nothing, NULL, weir_no_args());
    weir_exec *exec = NULL;
    weir_plan *three = plan_of(graph, 3), *four = plan_of(graph, 4);
    OK(weir_runtime_create(&(weir_runtime_options){.workers = 1, .lanes_max = 3}, &narrow));
    REFUSED(WEIR_ERR_BACKEND, weir_exec_create(narrow, four, NULL, &exec), "graph 'wide': its plan has 4 lanes, the runtime at most 3");
    ck_assert_ptr_null(exec);
    OK(weir_exec_create(narrow, three, NULL, &exec));
    run_frames(exec, 2);
    weir_exec_destroy(exec);
    weir_runtime_destroy(narrow);
    weir_plan_destroy(three);
    weir_plan_destroy(four);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(debugging_proves_plans_first)
{
    weir_runtime *careful = NULL;
    weir_graph *graph = graph_make("g");
    weir_task a = weir_add_host(graph, "a", do_nothing, NULL, weir_no_args()),
              b = weir_add_host(graph, "b", do_nothing, NULL, weir_no_args());
    weir_after(graph, b, a);
    setenv("WEIR_DEBUG", "1", 1);
    OK(weir_runtime_create(NULL, &careful));
    weir_exec *exec = exec_make(careful, graph, 2);
    run_frames(exec, 3);
    weir_exec_destroy(exec);
    weir_runtime_destroy(careful);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- ending ---- */

START_TEST(exec_needs_nobody_else)
{
    weir_graph *graph = graph_make("g");
    weir_buffer *b = numbers("b", 4, 1, WEIR_HOST_LOCAL);
    weir_param *param = NULL;
    uint32_t value = 5, kept = 0;
    int written = 41;
    OK(weir_param_create("p", &value, sizeof value, &param));
    weir_add_host(graph, "write", write_next, &written, WEIR_ARGS(WEIR_WRITE(b), WEIR_PARAM(param)));
    weir_add_host(graph, "keep", keep, &kept, WEIR_ARGS(WEIR_READ(b)));
    weir_exec *exec = exec_make(runtime, graph, 2); /* its plan is gone already */
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_param_destroy(param);
    run_frames(exec, 1);
    ck_assert_uint_eq(kept, 42);
    weir_exec_destroy(exec);
}
END_TEST

static void *open_soon(void *g)
{
    pause_ms(30);
    gate_open(g);
    return NULL;
}

START_TEST(destroying_waits_for_frames_in_flight)
{
    weir_graph *graph = graph_make("g");
    int last = 0;
    weir_task gated = weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_after(graph, weir_add_host(graph, "last", count_call, &last, weir_no_args()), gated);
    weir_exec *exec = exec_make(runtime, graph, 3);
    for (int i = 0; i < 3; i++)
        submit(exec);
    pthread_t opener;
    ck_assert_int_eq(pthread_create(&opener, NULL, open_soon, &stop), 0);
    weir_exec_destroy(exec);
    ck_assert_int_eq(last, 3);
    pthread_join(opener, NULL);
    weir_graph_destroy(graph);
}
END_TEST

static char logged[256];
static int logged_level;
static atomic_int logged_lines;

static void keep_line(void *user, int level, const char *text)
{
    gate *g = user;
    if (atomic_fetch_add(&logged_lines, 1) == 0) {
        logged_level = level;
        snprintf(logged, sizeof logged, "%s", text);
    }
    gate_open(g);
}

START_TEST(destroying_logs_what_it_waits_for)
{
    weir_graph *graph = graph_make("stuck");
    weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 1);
    submit(exec);
    weir_set_log(keep_line, &stop); /* opens the gate */
    weir_exec_destroy(exec);
    weir_set_log(NULL, NULL);
    ck_assert_int_ge(atomic_load(&logged_lines), 1);
    ck_assert_int_eq(logged_level, WEIR_LOG_WARN);
    says(logged, "graph 'stuck', frame 0: waits for task 'gate'");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(open_frame_is_dropped)
{
    weir_graph *graph = graph_make("g");
    weir_buffer *in = numbers("in", 4, 2, WEIR_HOST_IN);
    uint32_t kept = 0;
    weir_add_host(graph, "keep", keep, &kept, WEIR_ARGS(WEIR_READ(in)));
    weir_exec *dropped = exec_make(runtime, graph, 1), *exec = exec_make(runtime, graph, 1);
    weir_frame *frame = NULL;
    OK(weir_exec_begin(dropped, 0, &frame));
    ((uint32_t *)weir_frame_data(frame, in))[0] = 1;
    weir_exec_destroy(dropped);
    for (uint32_t n = 2; n < 6; n++) { /* its copy is free again */
        OK(weir_exec_begin(exec, -1, &frame));
        ((uint32_t *)weir_frame_data(frame, in))[0] = n;
        OK(weir_frame_submit(frame, NULL));
        OK(weir_exec_wait(exec, (weir_ticket){n - 1}, -1));
        ck_assert_uint_eq(kept, n);
    }
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(in);
}
END_TEST

START_TEST(exec_may_be_destroyed_after_its_runtime_but_runs_no_more)
{
    weir_graph *graph = graph_make("g");
    weir_buffer *b = numbers("b", 4, 2, WEIR_HOST_LOCAL);
    int written = 0;
    weir_frame *frame = NULL;
    weir_add_host(graph, "write", write_next, &written, WEIR_ARGS(WEIR_WRITE(b)));
    weir_runtime *ending = runtime_make(2);
    weir_exec *exec = exec_make(ending, graph, 2);
    run_frames(exec, 3);
    weir_runtime_destroy(ending);
    REFUSED(WEIR_ERR_STATE, weir_exec_begin(exec, -1, &frame), "graph 'g': its runtime has ended");
    REFUSED(WEIR_ERR_STATE, weir_exec_submit(exec, NULL), "its runtime has ended");
    OK(weir_exec_wait(exec, (weir_ticket){3}, -1)); /* what is done is done */
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(runtimes_end_waits_for_all_execs)
{
    weir_graph *graph = graph_make("g");
    int last = 0;
    weir_task gated = weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_after(graph, weir_add_host(graph, "last", count_call, &last, weir_no_args()), gated);
    weir_runtime *ending = runtime_make(1);
    weir_exec *exec = exec_make(ending, graph, 1);
    submit(exec);
    pthread_t opener;
    ck_assert_int_eq(pthread_create(&opener, NULL, open_soon, &stop), 0);
    weir_runtime_destroy(ending);
    ck_assert_int_eq(last, 1);
    pthread_join(opener, NULL);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- several execs of one runtime ---- */

START_TEST(init_graph_then_frame_graph_just_works)
{
    weir_buffer *state = numbers("state", 4, 3, WEIR_HOST_LOCAL), *result = numbers("result", 4, 1, WEIR_HOST_LOCAL);
    weir_graph *init = graph_make("init"), *frame = graph_make("frame"), *look = graph_make("look");
    int start = 99;
    uint32_t seen = 0;
    weir_add_host(init, "start", write_next, &start, WEIR_ARGS(WEIR_WRITE(state)));
    weir_add_host(frame, "step", add_one, NULL, WEIR_ARGS(WEIR_WRITE(state), WEIR_PREVIOUS(state, 1)));
    weir_add_host(look, "look", keep, &seen, WEIR_ARGS(WEIR_READ(state), WEIR_WRITE(result)));
    weir_exec *init_exec = exec_make(runtime, init, 1), *frame_exec = exec_make(runtime, frame, 2),
              *look_exec = exec_make(runtime, look, 1);
    submit(init_exec); /* not waited for: the runtime keeps their order */
    for (uint32_t n = 1; n <= 8; n++)
        submit(frame_exec);
    run_frames(look_exec, 1); /* a graph that only reads gets the newest copy */
    ck_assert_uint_eq(seen, 108);
    run_frames(frame_exec, 1);
    run_frames(look_exec, 2); /* and does not move the ring on */
    ck_assert_uint_eq(seen, 109);
    weir_exec_destroy(frame_exec);
    frame_exec = exec_make(runtime, frame, 1); /* the position is the runtime's, not the exec's */
    run_frames(frame_exec, 1);
    run_frames(look_exec, 1);
    ck_assert_uint_eq(seen, 110);
    weir_exec_destroy(init_exec);
    weir_exec_destroy(frame_exec);
    weir_exec_destroy(look_exec);
    weir_graph_destroy(init);
    weir_graph_destroy(frame);
    weir_graph_destroy(look);
    weir_buffer_destroy(state);
    weir_buffer_destroy(result);
}
END_TEST

static weir_status append_to(void *user, void *const *args)
{
    uint32_t *list = WEIR_PASSED(uint32_t *, args, 0);
    list[++list[0]] = (uint32_t) * (int *)user;
    return WEIR_OK;
}

START_TEST(execs_keep_program_order_per_buffer)
{
    enum { FRAMES = 60 };
    weir_buffer *list = numbers("list", 2 * FRAMES + 1, 1, WEIR_HOST_LOCAL);
    weir_graph *one = graph_make("one"), *two = graph_make("two");
    int first = 1, second = 2;
    weir_add_host(one, "append", append_to, &first, WEIR_ARGS(WEIR_READ_WRITE(list)));
    weir_add_host(two, "append", append_to, &second, WEIR_ARGS(WEIR_READ_WRITE(list)));
    weir_exec *ones = exec_make(runtime, one, 3), *twos = exec_make(runtime, two, 2);
    for (int i = 0; i < FRAMES; i++) {
        submit(ones);
        if (i % 3 == 0)
            submit(twos);
    }
    OK(weir_runtime_wait(runtime, -1));
    uint32_t got[2 * FRAMES + 1], at = 0;
    OK(weir_buffer_read(runtime, list, got, 0, sizeof got));
    for (int i = 0; i < FRAMES; i++) {
        ck_assert_uint_eq(got[++at], 1);
        if (i % 3 == 0)
            ck_assert_uint_eq(got[++at], 2);
    }
    ck_assert_uint_eq(got[0], at);
    weir_exec_destroy(ones);
    weir_exec_destroy(twos);
    weir_graph_destroy(one);
    weir_graph_destroy(two);
    weir_buffer_destroy(list);
}
END_TEST

START_TEST(one_frame_may_follow_many_execs)
{
    enum { EXECS = 40 };
    weir_buffer *list = numbers("list", EXECS + 3, 1, WEIR_HOST_LOCAL);
    weir_graph *graphs[EXECS];
    weir_exec *execs[EXECS];
    int own[EXECS];
    for (int i = 0; i < EXECS; i++) { /* the first was made when there was no other */
        own[i] = i;
        graphs[i] = graph_make("g");
        weir_add_host(graphs[i], "append", append_to, &own[i], WEIR_ARGS(weir_part(WEIR_READ_WRITE(list), (weir_box){.nx = EXECS + 3})));
        execs[i] = exec_make(runtime, graphs[i], 1);
    }
    for (int i = 1; i < EXECS; i++)
        submit(execs[i]);
    submit(execs[0]);
    OK(weir_runtime_wait(runtime, -1));
    uint32_t got[EXECS + 3];
    OK(weir_buffer_read(runtime, list, got, 0, sizeof got));
    for (uint32_t i = 1; i <= EXECS; i++)
        ck_assert_uint_eq(got[i], i % EXECS);
    for (int i = 0; i < EXECS; i++) {
        weir_exec_destroy(execs[i]);
        weir_graph_destroy(graphs[i]);
    }
    weir_buffer_destroy(list);
}
END_TEST

START_TEST(frame_that_waits_for_another_exec_says_so)
{
    weir_buffer *b = numbers("b", 4, 1, WEIR_HOST_LOCAL);
    weir_graph *one = graph_make("one"), *two = graph_make("two");
    int ran = 0;
    weir_add_host(one, "gate", gate_pass, &stop, WEIR_ARGS(WEIR_WRITE(b)));
    weir_task t = weir_add_host(two, "t", count_call, &ran, WEIR_ARGS(WEIR_READ(b)));
    weir_exec *first = exec_make(runtime, one, 1), *second = exec_make(runtime, two, 1);
    submit(first);
    gate_await(&stop, 1);
    weir_ticket ticket = submit(second);
    REFUSED(WEIR_TIMEOUT, weir_exec_wait(second, ticket, 10 * MILLISECOND), "graph 'two', frame 0: waits for frames of other execs");
    ck_assert_int_eq(weir_exec_poll_task(second, ticket, t), WEIR_WOULD_BLOCK);
    ck_assert_int_eq(ran, 0);
    gate_open(&stop);
    OK(weir_exec_wait(second, ticket, -1));
    ck_assert_int_eq(ran, 1);
    weir_exec_destroy(first);
    weir_exec_destroy(second);
    weir_graph_destroy(one);
    weir_graph_destroy(two);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(execs_that_share_nothing_or_only_read_do_not_wait)
{
    weir_buffer *read = numbers("read", 4, 1, WEIR_HOST_LOCAL), *own = numbers("own", 4, 1, WEIR_HOST_LOCAL);
    weir_graph *one = graph_make("one"), *two = graph_make("two");
    int ran = 0;
    weir_add_host(one, "gate", gate_pass, &stop, WEIR_ARGS(WEIR_READ(read)));
    weir_add_host(two, "t", count_call, &ran, WEIR_ARGS(WEIR_READ(read), WEIR_WRITE(own)));
    weir_exec *first = exec_make(runtime, one, 1), *second = exec_make(runtime, two, 1);
    submit(first);
    gate_await(&stop, 1);
    run_frames(second, 2); /* the other is still at the gate */
    ck_assert_int_eq(ran, 2);
    gate_open(&stop);
    weir_exec_destroy(first);
    weir_exec_destroy(second);
    weir_graph_destroy(one);
    weir_graph_destroy(two);
    weir_buffer_destroy(read);
    weir_buffer_destroy(own);
}
END_TEST

START_TEST(writer_waits_for_readers_of_another_exec)
{
    weir_buffer *b = numbers("b", 4, 1, WEIR_HOST_LOCAL);
    weir_graph *one = graph_make("one"), *two = graph_make("two");
    int ran = 0;
    weir_add_host(one, "gate", gate_pass, &stop, WEIR_ARGS(WEIR_READ(b)));
    weir_add_host(two, "t", count_call, &ran, WEIR_ARGS(WEIR_WRITE(b)));
    weir_exec *first = exec_make(runtime, one, 1), *second = exec_make(runtime, two, 1);
    submit(first);
    weir_ticket ticket = submit(second);
    ck_assert_int_eq(weir_exec_wait(second, ticket, 10 * MILLISECOND), WEIR_TIMEOUT);
    ck_assert_int_eq(ran, 0);
    gate_open(&stop);
    OK(weir_exec_wait(second, ticket, -1));
    weir_exec_destroy(second);
    weir_exec_destroy(first);
    weir_graph_destroy(one);
    weir_graph_destroy(two);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(two_runtimes_share_buffers_descriptions_and_nothing_else)
{
    weir_runtime *other = runtime_make(1);
    weir_buffer *state = numbers("state", 4, 2, WEIR_HOST_LOCAL);
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "step", add_one, NULL, WEIR_ARGS(WEIR_WRITE(state), WEIR_PREVIOUS(state, 1)));
    weir_exec *here = exec_make(runtime, graph, 1), *there = exec_make(other, graph, 2);
    uint32_t value = 0;
    run_frames(here, 3);
    run_frames(there, 5);
    run_frames(here, 4);
    OK(weir_buffer_read(runtime, state, &value, 0, sizeof value));
    ck_assert_uint_eq(value, 7);
    OK(weir_buffer_read(other, state, &value, 0, sizeof value));
    ck_assert_uint_eq(value, 5);
    weir_exec_destroy(there);
    weir_runtime_destroy(other);
    run_frames(here, 1);
    weir_exec_destroy(here);
    weir_graph_destroy(graph);
    weir_buffer_destroy(state);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/exec");
    TCase *cases = tcase_create("exec");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, null_arguments_are_refused);
    tcase_add_test(cases, unknown_modes_are_refused_with_the_known_ones);
    tcase_add_test(cases, plan_with_more_lanes_than_the_runtime_takes_is_refused);
    tcase_add_test(cases, debugging_proves_plans_first);
    tcase_add_test(cases, exec_needs_nobody_else);
    tcase_add_test(cases, destroying_waits_for_frames_in_flight);
    tcase_add_test(cases, destroying_logs_what_it_waits_for);
    tcase_add_test(cases, open_frame_is_dropped);
    tcase_add_test(cases, exec_may_be_destroyed_after_its_runtime_but_runs_no_more);
    tcase_add_test(cases, runtimes_end_waits_for_all_execs);
    tcase_add_test(cases, init_graph_then_frame_graph_just_works);
    tcase_add_test(cases, execs_keep_program_order_per_buffer);
    tcase_add_test(cases, one_frame_may_follow_many_execs);
    tcase_add_test(cases, frame_that_waits_for_another_exec_says_so);
    tcase_add_test(cases, execs_that_share_nothing_or_only_read_do_not_wait);
    tcase_add_test(cases, writer_waits_for_readers_of_another_exec);
    tcase_add_test(cases, two_runtimes_share_buffers_descriptions_and_nothing_else);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
