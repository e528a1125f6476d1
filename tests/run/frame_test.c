/* frame_test.c - what frame.c promises: begin, fill, submit, wait, read; what stops a frame, and who is told. */
#include "run/fixture.h"
#include <stdatomic.h>

static weir_runtime *runtime;
static gate stop;

static void set_up(void)
{
    no_environment();
    setenv("WEIR_LOG", "off", 1); /* failing tasks are logged */
    gate_init(&stop);
    runtime = runtime_make(2);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
    gate_finish(&stop);
}

/* first -> gate -> last, and the exec of it. */
typedef struct {
    weir_graph *graph;
    weir_exec *exec;
    weir_task first, gate, last;
    int firsts, lasts;
} chain;

static void chain_make(chain *c, uint32_t frames, const weir_exec_options *options)
{
    c->firsts = c->lasts = 0;
    c->graph = graph_make("chain");
    c->first = weir_add_host(c->graph, "first", count_call, &c->firsts, weir_no_args());
    c->gate = weir_add_host(c->graph, "gate", gate_pass, &stop, weir_no_args());
    c->last = weir_add_host(c->graph, "last", count_call, &c->lasts, weir_no_args());
    weir_after(c->graph, c->gate, c->first);
    weir_after(c->graph, c->last, c->gate);
    c->exec = exec_with(runtime, c->graph, &(weir_plan_options){.frames = frames}, options);
}

static void chain_finish(chain *c)
{
    weir_exec_destroy(c->exec);
    weir_graph_destroy(c->graph);
}

/* ---- submit, poll, wait ---- */

START_TEST(submit_returns_while_the_first_host_task_is_blocked)
{
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 1);
    weir_ticket ticket = submit(exec);
    gate_await(&stop, 1); /* it is inside, and will not come out by itself */
    ck_assert_uint_eq(ticket.number, 1);
    ck_assert_int_eq(weir_exec_wait(exec, ticket, 0), WEIR_WOULD_BLOCK);
    gate_open(&stop);
    OK(weir_exec_wait(exec, ticket, -1));
    OK(weir_exec_wait(exec, ticket, 0));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(waiting_says_for_which_task_of_which_frame)
{
    chain c;
    chain_make(&c, 2, NULL);
    gate_let(&stop, 1);
    weir_ticket first = submit(c.exec), second = submit(c.exec);
    OK(weir_exec_wait(c.exec, first, -1));
    gate_await(&stop, 2);
    REFUSED(WEIR_TIMEOUT, weir_exec_wait(c.exec, second, 20 * MILLISECOND), "graph 'chain', frame 1: waits for task 'gate'");
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_wait(c.exec, second, 0), "frame 1: waits for task 'gate'");
    gate_open(&stop);
    OK(weir_exec_wait(c.exec, second, -1));
    OK(weir_exec_wait(c.exec, first, 0)); /* long done */
    chain_finish(&c);
}
END_TEST

START_TEST(each_task_of_a_frame_can_be_polled)
{
    chain c;
    chain_make(&c, 1, NULL);
    weir_ticket ticket = submit(c.exec);
    gate_await(&stop, 1);
    OK(weir_exec_poll_task(c.exec, ticket, c.first));
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_poll_task(c.exec, ticket, c.gate), "task 'gate' is not done in frame 0");
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_poll_task(c.exec, ticket, c.last), "task 'last' is not done");
    gate_let(&stop, 1);
    OK(weir_exec_wait(c.exec, ticket, -1));
    OK(weir_exec_poll_task(c.exec, ticket, c.last));
    weir_ticket next = submit(c.exec);
    gate_await(&stop, 2);
    OK(weir_exec_poll_task(c.exec, ticket, c.gate)); /* of the frame before it is still done */
    ck_assert_int_eq(weir_exec_poll_task(c.exec, next, c.gate), WEIR_WOULD_BLOCK);
    gate_open(&stop);
    chain_finish(&c);
}
END_TEST

START_TEST(tickets_and_tasks_that_are_none_are_refused)
{
    chain c, other;
    double start, end;
    gate_open(&stop);
    chain_make(&c, 1, &(weir_exec_options){.timing = 1});
    chain_make(&other, 1, NULL);
    weir_ticket none = {0}, future = {2}, ticket = submit(c.exec);
    REFUSED(WEIR_ERR_INVALID, weir_exec_wait(c.exec, none, -1), "no frame with ticket 0 was submitted");
    REFUSED(WEIR_ERR_INVALID, weir_exec_wait(c.exec, future, -1), "no frame with ticket 2 was submitted");
    REFUSED(WEIR_ERR_INVALID, weir_exec_poll_task(c.exec, none, c.first), "ticket 0");
    REFUSED(WEIR_ERR_INVALID, weir_exec_poll_task(c.exec, ticket, other.first), "not of graph 'chain'");
    REFUSED(WEIR_ERR_INVALID, weir_exec_poll_task(c.exec, ticket, (weir_task){0, 0}), "the null task");
    REFUSED(WEIR_ERR_INVALID, weir_exec_poll_task(c.exec, ticket, (weir_task){4, c.first.graph}), "not of graph 'chain'");
    OK(weir_exec_wait(c.exec, ticket, -1));
    REFUSED(WEIR_ERR_INVALID, weir_exec_task_time(c.exec, ticket, other.first, &start, &end), "not of graph 'chain'");
    REFUSED(WEIR_ERR_INVALID, weir_exec_task_time(c.exec, future, c.first, &start, &end), "ticket 2");
    chain_finish(&c);
    chain_finish(&other);
}
END_TEST

START_TEST(null_arguments_are_refused)
{
    chain c;
    double ns;
    weir_frame *frame;
    weir_buffer *buffer = numbers("b", 1, 1, WEIR_HOST_OUT);
    weir_ticket ticket = {1};
    gate_open(&stop);
    chain_make(&c, 1, NULL);
    ck_assert_int_eq(weir_exec_begin(NULL, 0, &frame), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_begin(c.exec, 0, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_frame_submit(NULL, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_submit(NULL, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_wait(NULL, ticket, 0), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_poll_task(NULL, ticket, c.first), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_task_time(NULL, ticket, c.first, &ns, &ns), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_task_time(c.exec, ticket, c.first, NULL, &ns), WEIR_ERR_INVALID);
    ck_assert_ptr_null(weir_frame_data(NULL, buffer));
    ck_assert_ptr_null(weir_exec_data(NULL, ticket, buffer));
    ck_assert_ptr_null(weir_exec_data(c.exec, ticket, NULL));
    OK(weir_exec_submit(c.exec, NULL)); /* nobody need want the ticket */
    chain_finish(&c);
    weir_buffer_destroy(buffer);
}
END_TEST

/* ---- begin ---- */

START_TEST(as_many_frames_are_in_flight_as_planned)
{
    for (uint32_t frames = 1; frames <= 3; frames++) {
        chain c;
        weir_frame *frame = NULL;
        int entered = gate_entered(&stop);
        chain_make(&c, frames, NULL);
        for (uint32_t f = 0; f < frames; f++) {
            OK(weir_exec_begin(c.exec, 0, &frame));
            OK(weir_frame_submit(frame, NULL));
        }
        gate_await(&stop, entered + 1);
        REFUSED(WEIR_WOULD_BLOCK, weir_exec_begin(c.exec, 0, &frame), "frame 0: waits for task 'gate'");
        REFUSED(WEIR_TIMEOUT, weir_exec_begin(c.exec, 10 * MILLISECOND, &frame), "waits for task 'gate'");
        gate_let(&stop, 1);
        OK(weir_exec_begin(c.exec, -1, &frame));
        gate_let(&stop, (int)frames);
        OK(weir_frame_submit(frame, NULL));
        OK(weir_exec_wait(c.exec, (weir_ticket){frames + 1}, -1));
        ck_assert_int_eq(c.lasts, (int)frames + 1);
        chain_finish(&c);
    }
}
END_TEST

START_TEST(next_frame_starts_before_the_last_one_ends)
{
    weir_graph *graph = graph_make("two lanes");
    weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_buffer *ring = numbers("ring", 4, 2, WEIR_HOST_LOCAL);
    weir_task aside = weir_add_host(graph, "aside", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring)));
    weir_exec *exec = exec_make(runtime, graph, 2);
    submit(exec);
    weir_ticket second = submit(exec);
    gate_await(&stop, 1);
    while (weir_exec_poll_task(exec, second, aside) == WEIR_WOULD_BLOCK) /* of frame 1, while frame 0 is at the gate */
        pause_ms(1);
    OK(weir_exec_poll_task(exec, second, aside));
    ck_assert_int_eq(weir_exec_wait(exec, (weir_ticket){1}, 0), WEIR_WOULD_BLOCK);
    gate_open(&stop);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(one_frame_is_open_at_a_time)
{
    chain c;
    weir_frame *frame = NULL, *second = NULL;
    gate_open(&stop);
    chain_make(&c, 3, NULL);
    OK(weir_exec_begin(c.exec, 0, &frame));
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_begin(c.exec, 0, &second), "graph 'chain': frame 0 is open and not submitted");
    REFUSED(WEIR_TIMEOUT, weir_exec_begin(c.exec, 5 * MILLISECOND, &second), "frame 0 is open");
    OK(weir_frame_submit(frame, NULL));
    OK(weir_exec_begin(c.exec, 0, &second));
    OK(weir_frame_submit(second, NULL));
    REFUSED(WEIR_ERR_STATE, weir_frame_submit(second, NULL), "the frame is submitted already");
    OK(weir_exec_wait(c.exec, (weir_ticket){2}, -1));
    ck_assert_int_eq(c.lasts, 2);
    chain_finish(&c);
}
END_TEST

/* ---- what the program writes and reads ---- */

/* Adds up its frame's `in` and, if there, the one before; keeps one sum a call. */
typedef struct {
    uint32_t sums[64];
    int calls;
} summing;

static weir_status sum_inputs(void *user, void *const *args)
{
    summing *s = user;
    const uint32_t *now = WEIR_PASSED(uint32_t *, args, 0), *before = WEIR_PASSED(uint32_t *, args, 1);
    s->sums[s->calls++] = now[0] * 1000 + before[0];
    return WEIR_OK;
}

START_TEST(inputs_are_given_copy_by_copy_and_not_while_read)
{
    weir_buffer *in = numbers("in", 4, 3, WEIR_HOST_IN);
    weir_graph *graph = graph_make("g");
    summing sums = {.calls = 0};
    weir_task gated = weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_after(graph, weir_add_host(graph, "sum", sum_inputs, &sums, WEIR_ARGS(WEIR_READ(in), WEIR_PREVIOUS(in, 1))), gated);
    weir_exec *exec = exec_make(runtime, graph, 3);
    weir_frame *frame = NULL;
    uint32_t *copies[3];
    for (uint32_t n = 0; n < 2; n++) { /* frames 0 and 1 read copies 0, 2 and 1, 0 */
        OK(weir_exec_begin(exec, 0, &frame));
        copies[n] = weir_frame_data(frame, in);
        ck_assert_ptr_nonnull(copies[n]);
        copies[n][0] = n + 1;
        OK(weir_frame_submit(frame, NULL));
    }
    ck_assert_ptr_ne(copies[0], copies[1]);
    gate_await(&stop, 1);
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_begin(exec, 0, &frame), "waits for task 'gate'"); /* copy 2 is read by frame 0, as the one before */
    gate_let(&stop, 1);
    OK(weir_exec_wait(exec, (weir_ticket){1}, -1));
    OK(weir_exec_begin(exec, 0, &frame)); /* and by no other */
    copies[2] = weir_frame_data(frame, in);
    ck_assert(copies[2] != copies[0] && copies[2] != copies[1]);
    copies[2][0] = 3;
    OK(weir_frame_submit(frame, NULL));
    ck_assert_int_eq(weir_exec_begin(exec, 0, &frame), WEIR_WOULD_BLOCK); /* copy 0: frame 1 */
    gate_let(&stop, 1);
    OK(weir_exec_wait(exec, (weir_ticket){2}, -1));
    OK(weir_exec_begin(exec, 0, &frame));
    ck_assert_ptr_eq(weir_frame_data(frame, in), copies[0]);
    copies[0][0] = 4;
    gate_open(&stop);
    OK(weir_frame_submit(frame, NULL));
    OK(weir_exec_wait(exec, (weir_ticket){4}, -1));
    const uint32_t expected[] = {1000, 2001, 3002, 4003};
    ck_assert_mem_eq(sums.sums, expected, sizeof expected);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(in);
}
END_TEST

/* How many frames can be begun while none is done. */
static int frames_begun(uint32_t copies, uint32_t frames)
{
    weir_buffer *in = numbers("in", 4, copies, WEIR_HOST_IN);
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "gate", gate_pass, &stop, WEIR_ARGS(WEIR_READ(in)));
    weir_exec *exec = exec_make(runtime, graph, frames);
    weir_frame *frame = NULL;
    int begun = 0;
    while (weir_exec_begin(exec, 0, &frame) == WEIR_OK) {
        OK(weir_frame_submit(frame, NULL));
        begun++;
    }
    says(weir_last_error(), "task 'gate'");
    gate_let(&stop, begun);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(in);
    return begun;
}

START_TEST(inputs_hold_back_frames_that_would_overwrite_them)
{
    ck_assert_int_eq(frames_begun(1, 3), 1);
    ck_assert_int_eq(frames_begun(2, 3), 2);
    ck_assert_int_eq(frames_begun(4, 3), 3);
    ck_assert_int_eq(frames_begun(WEIR_RING_AUTO, 3), 3);
}
END_TEST

START_TEST(input_that_another_exec_reads_is_waited_for_by_name)
{
    weir_buffer *in = numbers("in", 4, 1, WEIR_HOST_IN);
    weir_graph *reading = graph_make("reading"), *other = graph_make("other");
    weir_add_host(reading, "gate", gate_pass, &stop, WEIR_ARGS(WEIR_READ(in)));
    weir_add_host(other, "read", do_nothing, NULL, WEIR_ARGS(WEIR_READ(in)));
    weir_exec *first = exec_make(runtime, reading, 1), *second = exec_make(runtime, other, 1);
    weir_frame *frame = NULL;
    submit(first);
    gate_await(&stop, 1);
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_begin(second, 0, &frame), "graph 'reading', frame 0: waits for task 'gate'");
    REFUSED(WEIR_TIMEOUT, weir_exec_begin(second, 5 * MILLISECOND, &frame), "graph 'reading', frame 0: waits for task 'gate'");
    gate_open(&stop);
    OK(weir_exec_begin(second, -1, &frame));
    OK(weir_frame_submit(frame, NULL));
    weir_exec_destroy(second);
    weir_exec_destroy(first);
    weir_graph_destroy(reading);
    weir_graph_destroy(other);
    weir_buffer_destroy(in);
}
END_TEST

START_TEST(input_that_an_open_frame_of_another_exec_holds_is_told)
{
    weir_buffer *in = numbers("in", 4, 1, WEIR_HOST_IN);
    weir_graph *one = graph_make("one"), *two = graph_make("two");
    weir_add_host(one, "t", do_nothing, NULL, WEIR_ARGS(WEIR_READ(in)));
    weir_add_host(two, "t", do_nothing, NULL, WEIR_ARGS(WEIR_READ(in)));
    weir_exec *first = exec_make(runtime, one, 1), *second = exec_make(runtime, two, 1);
    weir_frame *open = NULL, *frame = NULL;
    OK(weir_exec_begin(first, 0, &open));
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_begin(second, 0, &frame),
            "graph 'two': its input 'in' is held by frame 0 of graph 'one', which is open and not submitted");
    weir_frame_drop(open);
    OK(weir_exec_begin(second, 0, &frame));
    ck_assert_int_eq(weir_exec_begin(first, 5 * MILLISECOND, &open), WEIR_TIMEOUT);
    weir_exec_destroy(second); /* with its open frame */
    OK(weir_exec_begin(first, -1, &open));
    OK(weir_frame_submit(open, NULL));
    weir_exec_destroy(first);
    weir_graph_destroy(one);
    weir_graph_destroy(two);
    weir_buffer_destroy(in);
}
END_TEST

START_TEST(dropped_frame_leaves_nothing)
{
    weir_buffer *in = numbers("in", 4, 2, WEIR_HOST_IN), *ring = numbers("ring", 4, 3, WEIR_HOST_LOCAL);
    weir_graph *graph = graph_make("g");
    uint32_t value = 0;
    int ran = 0;
    weir_add_host(graph, "count", count_call, &ran, WEIR_ARGS(WEIR_READ(in), WEIR_WRITE(ring)));
    weir_exec *exec = exec_make(runtime, graph, 2);
    weir_frame *frame = NULL;
    weir_ticket ticket;
    for (uint32_t n = 1; n <= 6; n++) {
        OK(weir_exec_begin(exec, -1, &frame));
        uint32_t *data = weir_frame_data(frame, in);
        data[0] = 1000;
        weir_frame_drop(frame);
        ck_assert_ptr_null(weir_frame_data(frame, in));
        ck_assert_int_eq(weir_frame_submit(frame, NULL), WEIR_ERR_STATE);
        OK(weir_exec_begin(exec, -1, &frame));
        ck_assert_ptr_eq(weir_frame_data(frame, in), data); /* the copy, and the number, are the next's */
        data[0] = n;
        OK(weir_frame_submit(frame, &ticket));
        ck_assert_uint_eq(ticket.number, n);
        OK(weir_exec_wait(exec, ticket, -1));
        OK(weir_exec_begin(exec, -1, &frame));
        ((uint32_t *)weir_frame_data(frame, in))[0] = 2000;
        weir_frame_drop(frame);
        OK(weir_buffer_read(runtime, in, &value, 0, sizeof value));
        ck_assert_uint_eq(value, n); /* the newest is that of the last frame that was */
    }
    ck_assert_int_eq(ran, 6);
    weir_frame_drop(NULL);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(in);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(frame_gives_inputs_of_its_graph_until_it_is_submitted)
{
    weir_buffer *in = numbers("in", 4, 1, WEIR_HOST_IN), *out = numbers("out", 4, 1, WEIR_HOST_OUT),
                *strange = numbers("strange", 4, 1, WEIR_HOST_IN);
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "t", do_nothing, NULL, WEIR_ARGS(WEIR_READ(in), WEIR_WRITE(out)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    weir_frame *frame = NULL;
    OK(weir_exec_begin(exec, 0, &frame));
    ck_assert_ptr_nonnull(weir_frame_data(frame, in));
    ck_assert_ptr_null(weir_frame_data(frame, out));
    says(weir_last_error(), "buffer 'out' is not WEIR_HOST_IN");
    ck_assert_ptr_null(weir_frame_data(frame, strange));
    says(weir_last_error(), "buffer 'strange' is not used by this frame's graph");
    OK(weir_frame_submit(frame, NULL));
    ck_assert_ptr_null(weir_frame_data(frame, in));
    says(weir_last_error(), "the frame is submitted already");
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(in);
    weir_buffer_destroy(out);
    weir_buffer_destroy(strange);
}
END_TEST

static weir_status write_next(void *user, void *const *args)
{
    WEIR_PASSED(uint32_t *, args, 0)[0] = (uint32_t)++ * (int *)user;
    return WEIR_OK;
}

static void output_stays_for(uint32_t copies)
{
    weir_buffer *out = numbers("out", 4, copies, WEIR_HOST_OUT);
    weir_graph *graph = graph_make("g");
    int written = 0;
    weir_add_host(graph, "write", write_next, &written, WEIR_ARGS(WEIR_WRITE(out)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    weir_frame *frame = NULL;
    run_frames(exec, 10);
    for (uint64_t number = 11 - copies; number <= 10; number++) {
        const uint32_t *data = weir_exec_data(exec, (weir_ticket){number}, out);
        ck_assert_msg(data != NULL, "ticket %d of 10, %u copies: %s", (int)number, copies, weir_last_error());
        ck_assert_uint_eq(data[0], number);
    }
    ck_assert_ptr_null(weir_exec_data(exec, (weir_ticket){10 - copies}, out));
    says(weir_last_error(), "as many frames were begun since");
    OK(weir_exec_begin(exec, -1, &frame)); /* the next may overwrite the oldest */
    ck_assert_ptr_null(weir_exec_data(exec, (weir_ticket){11 - copies}, out));
    if (copies > 1)
        ck_assert_ptr_nonnull(weir_exec_data(exec, (weir_ticket){12 - copies}, out));
    OK(weir_frame_submit(frame, NULL));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(out);
}

START_TEST(outputs_stay_until_their_copy_comes_round)
{
    for (uint32_t copies = 1; copies <= 4; copies++)
        output_stays_for(copies);
}
END_TEST

START_TEST(outputs_that_another_exec_overwrote_are_not_given)
{
    weir_buffer *out = numbers("out", 4, 2, WEIR_HOST_OUT);
    weir_graph *graph = graph_make("g"), *other = graph_make("other"), *reader = graph_make("reader");
    int written = 0, elsewhere = 100;
    weir_add_host(graph, "write", write_next, &written, WEIR_ARGS(WEIR_WRITE(out)));
    weir_add_host(other, "write", write_next, &elsewhere, WEIR_ARGS(WEIR_WRITE(out)));
    weir_add_host(reader, "read", do_nothing, NULL, WEIR_ARGS(WEIR_READ(out)));
    weir_exec *exec = exec_make(runtime, graph, 1), *second = exec_make(runtime, other, 1), *third = exec_make(runtime, reader, 1);
    run_frames(exec, 1);
    run_frames(second, 1);
    run_frames(third, 5); /* overwrites nothing */
    const uint32_t *data = weir_exec_data(exec, (weir_ticket){1}, out);
    ck_assert_msg(data != NULL, "%s", weir_last_error());
    ck_assert_uint_eq(data[0], 1);
    run_frames(second, 1);
    ck_assert_ptr_null(weir_exec_data(exec, (weir_ticket){1}, out));
    says(weir_last_error(), "buffer 'out': another exec has written");
    data = weir_exec_data(second, (weir_ticket){1}, out);
    ck_assert_uint_eq(data[0], 101);
    weir_exec_destroy(exec);
    weir_exec_destroy(second);
    weir_exec_destroy(third);
    weir_graph_destroy(graph);
    weir_graph_destroy(other);
    weir_graph_destroy(reader);
    weir_buffer_destroy(out);
}
END_TEST

START_TEST(outputs_are_there_only_once_the_frame_is_done)
{
    weir_buffer *out = numbers("out", 4, 2, WEIR_HOST_OUT), *in = numbers("in", 4, 1, WEIR_HOST_IN),
                *strange = numbers("strange", 4, 1, WEIR_HOST_OUT);
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "gate", gate_pass, &stop, WEIR_ARGS(WEIR_READ(in), WEIR_WRITE(out)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    ck_assert_ptr_null(weir_exec_data(exec, (weir_ticket){1}, out));
    says(weir_last_error(), "no frame with ticket 1 was submitted");
    weir_ticket ticket = submit(exec);
    ck_assert_ptr_null(weir_exec_data(exec, ticket, out));
    says(weir_last_error(), "buffer 'out': its frame is not done: wait for it first");
    gate_open(&stop);
    OK(weir_exec_wait(exec, ticket, -1));
    ck_assert_ptr_nonnull(weir_exec_data(exec, ticket, out));
    ck_assert_ptr_null(weir_exec_data(exec, ticket, in));
    says(weir_last_error(), "buffer 'in' is not WEIR_HOST_OUT");
    ck_assert_ptr_null(weir_exec_data(exec, ticket, strange));
    says(weir_last_error(), "buffer 'strange' is not used by this exec's graph");
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(out);
    weir_buffer_destroy(in);
    weir_buffer_destroy(strange);
}
END_TEST

/* ---- what a frame latches ---- */

static weir_status keep_param(void *user, void *const *args)
{
    summing *s = user;
    s->sums[s->calls++] = WEIR_PASSED(uint32_t, args, 0);
    return WEIR_OK;
}

START_TEST(params_are_those_of_the_submit)
{
    weir_graph *graph = graph_make("g");
    weir_param *param = NULL, *strange = NULL;
    uint32_t value = 7;
    summing kept = {.calls = 0};
    OK(weir_param_create("step", &value, sizeof value, &param));
    OK(weir_param_create("strange", &value, sizeof value, &strange));
    weir_task gated = weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_after(graph, weir_add_host(graph, "keep", keep_param, &kept, WEIR_ARGS(WEIR_PARAM(param))), gated);
    weir_exec *exec = exec_make(runtime, graph, 3);
    weir_frame *frame = NULL;
    submit(exec); /* 7, as made */
    value = 8;
    OK(weir_exec_set(exec, param, &value));
    submit(exec);
    OK(weir_exec_begin(exec, 0, &frame));
    value = 9;
    OK(weir_exec_set(exec, param, &value)); /* after begin, but before submit */
    OK(weir_frame_submit(frame, NULL));
    value = 10;
    OK(weir_exec_set(exec, param, &value)); /* too late for all three */
    gate_open(&stop);
    OK(weir_exec_wait(exec, (weir_ticket){3}, -1));
    run_frames(exec, 2); /* 10 stays */
    const uint32_t expected[] = {7, 8, 9, 10, 10};
    ck_assert_int_eq(kept.calls, 5);
    ck_assert_mem_eq(kept.sums, expected, sizeof expected);
    REFUSED(WEIR_ERR_INVALID, weir_exec_set(exec, strange, &value), "no task of graph 'g' is passed param 'strange'");
    ck_assert_int_eq(weir_exec_set(exec, NULL, &value), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_set(exec, param, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_exec_set(NULL, param, &value), WEIR_ERR_INVALID);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_param_destroy(param);
    weir_param_destroy(strange);
}
END_TEST

/* ---- callbacks ---- */

enum { CALLS_MOST = 100 };

typedef struct {
    weir_ticket tickets[CALLS_MOST];
    weir_status status[CALLS_MOST];
    atomic_int calls, inside, overlaps;
} calls;

static void note_frame(void *user, weir_ticket ticket, weir_status status)
{
    calls *c = user;
    if (atomic_fetch_add(&c->inside, 1) != 0)
        atomic_fetch_add(&c->overlaps, 1);
    int n = atomic_load(&c->calls);
    c->tickets[n] = ticket;
    c->status[n] = status;
    atomic_store(&c->calls, n + 1);
    atomic_fetch_sub(&c->inside, 1);
}

START_TEST(callback_comes_once_a_frame_in_order)
{
    for (uint32_t frames = 1; frames <= 3; frames++) {
        static calls c;
        memset(&c, 0, sizeof c);
        weir_graph *graph = graph_make("g");
        for (int i = 0; i < 3; i++)
            weir_add_host(graph, "t", do_nothing, NULL, weir_no_args());
        weir_exec *exec = exec_make(runtime, graph, frames);
        weir_exec_on_frame(exec, note_frame, &c);
        for (int i = 0; i < CALLS_MOST; i++)
            submit(exec);
        weir_exec_destroy(exec); /* waits for the callbacks too */
        ck_assert_int_eq(atomic_load(&c.calls), CALLS_MOST);
        ck_assert_int_eq(atomic_load(&c.overlaps), 0);
        for (int i = 0; i < CALLS_MOST; i++) {
            ck_assert_uint_eq(c.tickets[i].number, (uint64_t)i + 1);
            ck_assert_int_eq(c.status[i], WEIR_OK);
        }
        weir_graph_destroy(graph);
    }
}
END_TEST

static void note_slowly(void *user, weir_ticket ticket, weir_status status)
{
    calls *c = user;
    if (atomic_fetch_add(&c->inside, 1) != 0)
        atomic_fetch_add(&c->overlaps, 1);
    pause_ms(1);
    atomic_fetch_sub(&c->inside, 1);
    note_frame(user, ticket, status);
}

START_TEST(frames_that_end_during_a_callback_are_told_after_it)
{
    static calls c;
    memset(&c, 0, sizeof c);
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "t", do_nothing, NULL, weir_no_args());
    weir_add_host(graph, "u", do_nothing, NULL, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 3);
    weir_exec_on_frame(exec, note_slowly, &c);
    for (int i = 0; i < 40; i++)
        submit(exec);
    weir_exec_destroy(exec);
    ck_assert_int_eq(atomic_load(&c.calls), 40);
    ck_assert_int_eq(atomic_load(&c.overlaps), 0);
    for (int i = 0; i < 40; i++)
        ck_assert_uint_eq(c.tickets[i].number, (uint64_t)i + 1);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(callback_comes_for_failed_frames_too)
{
    static calls c;
    chain ch;
    memset(&c, 0, sizeof c);
    chain_make(&ch, 3, NULL);
    weir_exec_on_frame(ch.exec, note_frame, &c);
    submit(ch.exec);
    submit(ch.exec);
    submit(ch.exec);
    gate_let(&stop, 1);
    OK(weir_exec_wait(ch.exec, (weir_ticket){1}, -1));
    gate_await(&stop, 2);
    stop.result = WEIR_ERR_IO; /* only read once let */
    gate_open(&stop);
    ck_assert_int_eq(weir_exec_wait(ch.exec, (weir_ticket){3}, -1), WEIR_ERR_TASK);
    chain_finish(&ch);
    ck_assert_int_eq(atomic_load(&c.calls), 3);
    ck_assert_int_eq(c.status[0], WEIR_OK);
    ck_assert_int_eq(c.status[1], WEIR_ERR_TASK);
    ck_assert_int_eq(c.status[2], WEIR_ERR_TASK);
    ck_assert_uint_eq(c.tickets[2].number, 3);
}
END_TEST

static void submit_again(void *user, weir_ticket ticket, weir_status status)
{
    if (status == WEIR_OK && ticket.number < 50)
        OK(weir_exec_submit(user, NULL));
}

START_TEST(callback_may_submit_the_next_frame)
{
    weir_graph *graph = graph_make("g");
    int ran = 0;
    weir_add_host(graph, "t", count_call, &ran, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 2);
    weir_exec_on_frame(exec, submit_again, exec);
    submit(exec);
    while (weir_exec_wait(exec, (weir_ticket){50}, -1) == WEIR_ERR_INVALID) /* until it is submitted */
        pause_ms(1);
    weir_exec_destroy(exec);
    ck_assert_int_eq(ran, 50);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- failures ---- */

START_TEST(failing_task_fails_its_frame_and_stops_the_exec)
{
    chain c;
    weir_frame *frame = NULL;
    weir_task culprit = {9, 9};
    chain_make(&c, 2, NULL);
    OK(weir_exec_status(c.exec, &culprit));
    ck_assert_uint_eq(culprit.number, 0);
    weir_ticket good = submit(c.exec), bad = submit(c.exec);
    gate_await(&stop, 1);
    gate_let(&stop, 1);
    OK(weir_exec_wait(c.exec, good, -1));
    gate_await(&stop, 2);
    stop.result = WEIR_ERR_IO;
    gate_open(&stop);
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(c.exec, bad, -1), "graph 'chain': task 'gate' failed in frame 1");
    ck_assert_int_eq(c.lasts, 1);         /* what depends on it did not run */
    OK(weir_exec_wait(c.exec, good, -1)); /* the frame before is good */
    REFUSED(WEIR_ERR_TASK, weir_exec_status(c.exec, &culprit), "this exec takes no more frames");
    ck_assert_uint_eq(culprit.number, c.gate.number);
    ck_assert_uint_eq(culprit.graph, c.gate.graph);
    REFUSED(WEIR_ERR_TASK, weir_exec_begin(c.exec, -1, &frame), "task 'gate' failed in frame 1");
    REFUSED(WEIR_ERR_TASK, weir_exec_submit(c.exec, NULL), "task 'gate' failed in frame 1");
    chain_finish(&c);
}
END_TEST

START_TEST(nothing_of_a_failed_frame_counts_as_done)
{
    weir_buffer *out = numbers("out", 4, 2, WEIR_HOST_OUT);
    weir_graph *graph = graph_make("g");
    int written = 0;
    weir_task first = weir_add_host(graph, "first", write_next, &written, WEIR_ARGS(WEIR_WRITE(out)));
    weir_task gated = weir_add_host(graph, "gate", gate_pass, &stop, weir_no_args());
    weir_after(graph, gated, first);
    weir_exec *exec = exec_make(runtime, graph, 1);
    gate_let(&stop, 1);
    weir_ticket good = submit(exec);
    OK(weir_exec_wait(exec, good, -1));
    stop.result = WEIR_ERR_IO;
    gate_open(&stop);
    weir_ticket bad = submit(exec);
    ck_assert_int_eq(weir_exec_wait(exec, bad, -1), WEIR_ERR_TASK);
    REFUSED(WEIR_ERR_TASK, weir_exec_poll_task(exec, bad, first), "task 'gate' failed in frame 1");
    REFUSED(WEIR_ERR_TASK, weir_exec_poll_task(exec, bad, gated), "task 'gate' failed in frame 1");
    ck_assert_ptr_null(weir_exec_data(exec, bad, out));
    says(weir_last_error(), "task 'gate' failed in frame 1");
    OK(weir_exec_poll_task(exec, good, gated));
    ck_assert_ptr_nonnull(weir_exec_data(exec, good, out));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(out);
}
END_TEST

START_TEST(frame_that_is_open_when_another_fails_is_refused)
{
    chain c;
    weir_frame *frame = NULL;
    stop.result = WEIR_ERR_INVALID;
    chain_make(&c, 2, NULL);
    weir_ticket bad = submit(c.exec);
    gate_await(&stop, 1);
    OK(weir_exec_begin(c.exec, 0, &frame));
    gate_open(&stop);
    ck_assert_int_eq(weir_exec_wait(c.exec, bad, -1), WEIR_ERR_TASK);
    REFUSED(WEIR_ERR_TASK, weir_frame_submit(frame, NULL), "task 'gate' failed in frame 0");
    chain_finish(&c);
}
END_TEST

START_TEST(frames_after_a_failed_one_run_nothing_more)
{
    chain c;
    stop.result = WEIR_ERR_INVALID;
    chain_make(&c, 3, NULL);
    for (int i = 0; i < 3; i++)
        submit(c.exec);
    gate_await(&stop, 1);
    gate_open(&stop);
    for (uint64_t n = 1; n <= 3; n++)
        REFUSED(WEIR_ERR_TASK, weir_exec_wait(c.exec, (weir_ticket){n}, -1), "task 'gate' failed in frame 0");
    ck_assert_int_eq(gate_entered(&stop), 1);
    ck_assert_int_eq(c.lasts, 0);
    chain_finish(&c);
}
END_TEST

START_TEST(earliest_failed_frame_is_the_one_told)
{
    gate other;
    weir_task culprit;
    gate_init(&other);
    weir_graph *graph = graph_make("two");
    weir_task a = weir_add_host(graph, "a", gate_pass, &stop, weir_no_args());
    weir_add_host(graph, "b", gate_pass, &other, weir_no_args());
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2, .frames = 2}, NULL);
    weir_ticket first = submit(exec), second = submit(exec);
    gate_let(&other, 1);
    gate_await(&other, 2); /* b of frame 1 is inside, as is a of frame 0 */
    gate_await(&stop, 1);
    stop.result = other.result = WEIR_ERR_IO;
    gate_open(&stop);
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, first, -1), "task 'a' failed in frame 0");
    gate_open(&other);
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, second, -1), "task 'a' failed in frame 0");
    ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_TASK);
    ck_assert_uint_eq(culprit.number, a.number);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    gate_finish(&other);
}
END_TEST

START_TEST(later_failure_of_an_earlier_frame_takes_over)
{
    gate other;
    gate_init(&other);
    weir_graph *graph = graph_make("two");
    weir_add_host(graph, "a", gate_pass, &stop, weir_no_args());
    weir_add_host(graph, "b", gate_pass, &other, weir_no_args());
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2, .frames = 2}, NULL);
    weir_ticket first = submit(exec), second = submit(exec);
    gate_let(&other, 1);
    gate_await(&other, 2);
    other.result = WEIR_ERR_IO;
    gate_open(&other); /* b of frame 1 fails, while a of frame 0 is inside */
    while (weir_exec_status(exec, NULL) == WEIR_OK)
        pause_ms(1);
    says(weir_last_error(), "task 'b' failed in frame 1");
    gate_await(&stop, 1);
    stop.result = WEIR_ERR_IO;
    gate_open(&stop);
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, second, -1), "task 'a' failed in frame 0");
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, first, -1), "task 'a' failed in frame 0");
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    gate_finish(&other);
}
END_TEST

START_TEST(whatever_a_task_returns_the_device_has_not_failed)
{
    chain c;
    stop.result = WEIR_ERR_DEVICE;
    gate_open(&stop);
    chain_make(&c, 1, NULL);
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(c.exec, submit(c.exec), -1), "task 'gate' failed in frame 0 with WEIR_ERR_DEVICE");
    chain_finish(&c);
}
END_TEST

START_TEST(anything_but_ok_is_a_failure)
{
    chain c;
    stop.result = WEIR_WOULD_BLOCK;
    gate_open(&stop);
    chain_make(&c, 1, NULL);
    ck_assert_int_eq(weir_exec_wait(c.exec, submit(c.exec), -1), WEIR_ERR_TASK);
    chain_finish(&c);
}
END_TEST

START_TEST(other_execs_go_on_after_a_failure)
{
    chain bad;
    weir_graph *graph = graph_make("good");
    weir_buffer *shared = numbers("shared", 4, 1, WEIR_HOST_LOCAL);
    int ran = 0;
    stop.result = WEIR_ERR_IO;
    weir_add_host(graph, "t", count_call, &ran, WEIR_ARGS(WEIR_WRITE(shared)));
    chain_make(&bad, 1, NULL);
    weir_exec *good = exec_make(runtime, graph, 1);
    submit(bad.exec);
    gate_open(&stop);
    run_frames(good, 10);
    OK(weir_runtime_wait(runtime, -1)); /* failures of frames are the tickets' to tell */
    ck_assert_int_eq(ran, 10);
    chain_finish(&bad);
    weir_exec_destroy(good);
    weir_graph_destroy(graph);
    weir_buffer_destroy(shared);
}
END_TEST

/* ---- times ---- */

START_TEST(times_are_kept_only_when_asked_for)
{
    chain c;
    double start, end;
    gate_open(&stop);
    chain_make(&c, 1, NULL);
    weir_ticket ticket = submit(c.exec);
    OK(weir_exec_wait(c.exec, ticket, -1));
    REFUSED(WEIR_ERR_STATE, weir_exec_task_time(c.exec, ticket, c.first, &start, &end), "task 'first': this exec was made without timing");
    chain_finish(&c);
}
END_TEST

START_TEST(times_follow_the_edges_and_last_as_long_as_the_task)
{
    chain c;
    double first[2], gated[2], last[2];
    chain_make(&c, 1, &(weir_exec_options){.timing = 1});
    weir_ticket ticket = submit(c.exec);
    gate_await(&stop, 1);
    REFUSED(WEIR_ERR_STATE, weir_exec_task_time(c.exec, ticket, c.first, &first[0], &first[1]), "frame 0 is not done");
    pause_ms(30);
    gate_open(&stop);
    OK(weir_exec_wait(c.exec, ticket, -1));
    OK(weir_exec_task_time(c.exec, ticket, c.first, &first[0], &first[1]));
    OK(weir_exec_task_time(c.exec, ticket, c.gate, &gated[0], &gated[1]));
    OK(weir_exec_task_time(c.exec, ticket, c.last, &last[0], &last[1]));
    ck_assert(0 <= first[0] && first[0] <= first[1] && first[1] <= gated[0]);
    ck_assert(gated[1] <= last[0] && last[0] <= last[1]);
    ck_assert_double_ge(gated[1] - gated[0], 30e6);
    chain_finish(&c);
}
END_TEST

START_TEST(times_of_the_last_frames_are_kept)
{
    chain c;
    double start, end, before = 0;
    gate_open(&stop);
    chain_make(&c, 3, &(weir_exec_options){.timing = 1});
    run_frames(c.exec, 7);
    REFUSED(WEIR_ERR_STATE, weir_exec_task_time(c.exec, (weir_ticket){4}, c.first, &start, &end), "frame 3 is too long ago");
    for (uint64_t n = 5; n <= 7; n++) {
        OK(weir_exec_task_time(c.exec, (weir_ticket){n}, c.first, &start, &end));
        ck_assert_double_gt(start, before);
        before = start;
    }
    OK(weir_exec_enable(c.exec, c.last, 0));
    run_frames(c.exec, 1);
    REFUSED(WEIR_ERR_STATE, weir_exec_task_time(c.exec, (weir_ticket){8}, c.last, &start, &end), "task 'last' did not run in frame 7");
    chain_finish(&c);
}
END_TEST

/* ---- the rest ---- */

START_TEST(graph_without_tasks_has_frames_all_the_same)
{
    static calls c;
    memset(&c, 0, sizeof c);
    weir_graph *graph = graph_make("empty");
    weir_exec *exec = exec_make(runtime, graph, 2);
    weir_exec_on_frame(exec, note_frame, &c);
    run_frames(exec, 20);
    weir_exec_destroy(exec);
    ck_assert_int_eq(atomic_load(&c.calls), 20);
    weir_graph_destroy(graph);
}
END_TEST

enum { THREADS = 4, SUBMITS = 150 };

typedef struct {
    weir_exec *exec;
    weir_ticket tickets[SUBMITS];
    int failed;
} submitter;

static void *submit_many(void *argument)
{
    submitter *s = argument;
    for (int i = 0; i < SUBMITS; i++) {
        s->failed += weir_exec_submit(s->exec, &s->tickets[i]) != WEIR_OK;
        if (i % 16 == 0)
            s->failed += weir_exec_wait(s->exec, s->tickets[i], -1) != WEIR_OK;
    }
    return NULL;
}

START_TEST(several_threads_may_submit_to_one_exec)
{
    weir_graph *graph = graph_make("g");
    int ran = 0;
    weir_add_host(graph, "t", count_call, &ran, weir_no_args());
    weir_add_host(graph, "u", do_nothing, NULL, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 2);
    static submitter submitters[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        submitters[i] = (submitter){.exec = exec};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, submit_many, &submitters[i]), 0);
    }
    static char seen[THREADS * SUBMITS + 1];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(submitters[i].failed, 0);
        for (int k = 0; k < SUBMITS; k++) {
            uint64_t number = submitters[i].tickets[k].number;
            ck_assert(number >= 1 && number <= THREADS * SUBMITS && !seen[number]);
            ck_assert(k == 0 || number > submitters[i].tickets[k - 1].number);
            seen[number] = 1;
        }
    }
    OK(weir_exec_wait(exec, (weir_ticket){THREADS * SUBMITS}, -1));
    ck_assert_int_eq(ran, THREADS * SUBMITS);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/frame");
    TCase *cases = tcase_create("frame");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, submit_returns_while_the_first_host_task_is_blocked);
    tcase_add_test(cases, waiting_says_for_which_task_of_which_frame);
    tcase_add_test(cases, each_task_of_a_frame_can_be_polled);
    tcase_add_test(cases, tickets_and_tasks_that_are_none_are_refused);
    tcase_add_test(cases, null_arguments_are_refused);
    tcase_add_test(cases, as_many_frames_are_in_flight_as_planned);
    tcase_add_test(cases, next_frame_starts_before_the_last_one_ends);
    tcase_add_test(cases, one_frame_is_open_at_a_time);
    tcase_add_test(cases, inputs_are_given_copy_by_copy_and_not_while_read);
    tcase_add_test(cases, inputs_hold_back_frames_that_would_overwrite_them);
    tcase_add_test(cases, input_that_another_exec_reads_is_waited_for_by_name);
    tcase_add_test(cases, input_that_an_open_frame_of_another_exec_holds_is_told);
    tcase_add_test(cases, dropped_frame_leaves_nothing);
    tcase_add_test(cases, frame_gives_inputs_of_its_graph_until_it_is_submitted);
    tcase_add_test(cases, outputs_stay_until_their_copy_comes_round);
    tcase_add_test(cases, outputs_that_another_exec_overwrote_are_not_given);
    tcase_add_test(cases, outputs_are_there_only_once_the_frame_is_done);
    tcase_add_test(cases, params_are_those_of_the_submit);
    tcase_add_test(cases, callback_comes_once_a_frame_in_order);
    tcase_add_test(cases, frames_that_end_during_a_callback_are_told_after_it);
    tcase_add_test(cases, callback_comes_for_failed_frames_too);
    tcase_add_test(cases, callback_may_submit_the_next_frame);
    tcase_add_test(cases, failing_task_fails_its_frame_and_stops_the_exec);
    tcase_add_test(cases, nothing_of_a_failed_frame_counts_as_done);
    tcase_add_test(cases, frame_that_is_open_when_another_fails_is_refused);
    tcase_add_test(cases, frames_after_a_failed_one_run_nothing_more);
    tcase_add_test(cases, earliest_failed_frame_is_the_one_told);
    tcase_add_test(cases, later_failure_of_an_earlier_frame_takes_over);
    tcase_add_test(cases, whatever_a_task_returns_the_device_has_not_failed);
    tcase_add_test(cases, anything_but_ok_is_a_failure);
    tcase_add_test(cases, other_execs_go_on_after_a_failure);
    tcase_add_test(cases, times_are_kept_only_when_asked_for);
    tcase_add_test(cases, times_follow_the_edges_and_last_as_long_as_the_task);
    tcase_add_test(cases, times_of_the_last_frames_are_kept);
    tcase_add_test(cases, graph_without_tasks_has_frames_all_the_same);
    tcase_add_test(cases, several_threads_may_submit_to_one_exec);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
