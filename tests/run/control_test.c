/* control_test.c - loops and branches as the host runs them, and what an exec tells of them: which body, how often, with what it is passed;
 * switched off, failing, and beside others. */
#include "run/fixture.h"
#include <stdatomic.h>
#include <stdint.h>

static weir_runtime *runtime;
static weir_buffer *word, *inner_word, *sum;

static void set_up_with(uint32_t workers)
{
    no_environment();
    runtime = runtime_make(workers);
    word = numbers("word", 1, 1, WEIR_DEVICE);
    inner_word = numbers("inner word", 1, 1, WEIR_DEVICE);
    sum = numbers("sum", 1, 1, WEIR_HOST_OUT);
}

static void set_up(void)
{
    set_up_with(3);
}

static void set_up_alone(void)
{
    set_up_with(1);
}

static void set_up_shuffled(void)
{
    no_environment();
    setenv("WEIR_SHUFFLE", "7", 1);
    runtime = runtime_make(3);
    unsetenv("WEIR_SHUFFLE");
    word = numbers("word", 1, 1, WEIR_DEVICE);
    inner_word = numbers("inner word", 1, 1, WEIR_DEVICE);
    sum = numbers("sum", 1, 1, WEIR_HOST_OUT);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
    weir_buffer_destroy(word);
    weir_buffer_destroy(inner_word);
    weir_buffer_destroy(sum);
}

/* ---- kernels ---- */

static void set(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    *WEIR_PASSED(uint32_t *, args, 0) = WEIR_PASSED(uint32_t, args, 1);
}

static void decrement(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    --*WEIR_PASSED(uint32_t *, args, 0);
}

/* An order shows in it: sum = sum * 3 + digit. */
static void append(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    *to = *to * 3 + WEIR_PASSED(uint32_t, args, 1);
}

static const uint16_t two_bytes[] = {sizeof(void *), 4};
static const weir_kernel set_kernel = {.name = "set", .host = set, .arg_bytes = two_bytes, .arg_count = 2},
                         decrement_kernel = {.name = "decrement", .host = decrement}, append_kernel = {.name = "append", .host = append};
static const weir_shape one = {.grid = {1}};

static void add_set(weir_graph *graph, weir_buffer *to, uint32_t value)
{
    weir_add_kernel(graph, &set_kernel, one, WEIR_ARGS(WEIR_WRITE(to), WEIR_VALUE(value)));
}

static void add_append(weir_graph *graph, uint32_t digit)
{
    weir_add_kernel(graph, &append_kernel, one, WEIR_ARGS(WEIR_READ_WRITE(sum), WEIR_VALUE(digit)));
}

static void add_decrement(weir_graph *graph, weir_buffer *what)
{
    weir_add_kernel(graph, &decrement_kernel, one, WEIR_ARGS(WEIR_READ_WRITE(what)));
}

static uint32_t read_of(weir_buffer *buffer)
{
    uint32_t value = UINT32_MAX;
    OK(weir_buffer_read(runtime, buffer, &value, 0, sizeof value));
    return value;
}

static uint32_t iterations(weir_exec *exec, weir_ticket ticket, weir_task loop)
{
    uint32_t count = UINT32_MAX;
    OK(weir_exec_iterations(exec, ticket, loop, &count));
    return count;
}

/* Runs one frame and frees all; what is in `sum` then. */
static uint32_t sum_after(weir_graph *graph)
{
    OK(weir_graph_status(graph));
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 1);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    return read_of(sum);
}

/* ---- a loop whose rounds are a param ---- */

typedef struct {
    weir_param *rounds;
    weir_graph *body, *graph;
    weir_task loop, after;
} looping;

static looping loop_make(uint32_t at_most)
{
    const uint32_t zero = 0;
    looping l = {.body = graph_make("body"), .graph = graph_make("g")};
    OK(weir_param_create("rounds", &zero, sizeof zero, &l.rounds));
    add_append(l.body, 1);
    add_decrement(l.body, word);
    add_set(l.graph, sum, 0);
    weir_add_kernel(l.graph, &set_kernel, one, WEIR_ARGS(WEIR_WRITE(word), WEIR_PARAM(l.rounds)));
    l.loop = weir_add_while(l.graph, "loop", l.body, word, at_most);
    add_append(l.graph, 2);
    l.after = weir_graph_find(l.graph, "append");
    OK(weir_graph_status(l.graph));
    return l;
}

static void loop_finish(looping *l)
{
    weir_graph_destroy(l->body);
    weir_graph_destroy(l->graph);
    weir_param_destroy(l->rounds);
}

static weir_ticket submit_rounds(weir_exec *exec, const looping *l, uint32_t rounds)
{
    OK(weir_exec_set(exec, l->rounds, &rounds));
    return submit(exec);
}

/* What `append` makes of that many ones and a two. */
static uint32_t sum_of(uint32_t rounds)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < rounds; i++)
        result = result * 3 + 1;
    return result * 3 + 2;
}

START_TEST(loop_runs_while_its_word_is_not_zero_and_no_oftener_than_it_may)
{
    static const uint32_t rounds[] = {0, 1, 2, 7, 10, 11, UINT32_MAX, 0, 3};
    looping l = loop_make(10);
    weir_exec *exec = exec_make(runtime, l.graph, 1);
    weir_graph_destroy(l.body); /* it is kept as it was */
    l.body = NULL;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        uint32_t expected = rounds[i] < 10 ? rounds[i] : 10;
        weir_ticket t = submit_rounds(exec, &l, rounds[i]);
        OK(weir_exec_wait(exec, t, -1));
        ck_assert_uint_eq(iterations(exec, t, l.loop), expected);
        ck_assert_uint_eq(read_of(sum), sum_of(expected));
        ck_assert_uint_eq(read_of(word), rounds[i] - expected);
    }
    weir_exec_destroy(exec);
    loop_finish(&l);
}
END_TEST

/* ---- the same, with a kernel that decides ---- */

static atomic_uint decisions;

/* What it says is wrong, and the host does not hear it. */
static void decrement_and_decide(const weir_blocks *blocks, void *const *args)
{
    const weir_decision decision = WEIR_PASSED(weir_decision, args, 1);
    (void)blocks;
    ck_assert_uint_eq(decision.kind, WEIR_DECISION_NONE);
    uint32_t left = --*WEIR_PASSED(uint32_t *, args, 0);
    weir_decide(decision, left == 0);
    weir_decide(decision, left == 0);
    atomic_fetch_add(&decisions, 1);
}

static const uint16_t decide_bytes[] = {sizeof(void *), sizeof(weir_decision)};
static const weir_kernel decide_kernel = {.name = "decide", .host = decrement_and_decide, .arg_bytes = decide_bytes, .arg_count = 2};

START_TEST(host_goes_by_the_word_whatever_a_kernel_decides)
{
    static const uint32_t rounds[] = {0, 3, 10, 11};
    looping l = loop_make(10);
    weir_graph *body = graph_make("deciding"), *graph = graph_make("g");
    add_append(body, 1);
    weir_add_kernel(body, &decide_kernel, one, WEIR_ARGS(WEIR_READ_WRITE(word), WEIR_DECISION));
    add_set(graph, sum, 0);
    weir_add_kernel(graph, &set_kernel, one, WEIR_ARGS(WEIR_WRITE(word), WEIR_PARAM(l.rounds)));
    weir_task loop = weir_add_while(graph, "loop", body, word, 10);
    add_append(graph, 2);
    OK(weir_graph_status(graph));
    weir_exec *exec = exec_make(runtime, graph, 1);
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        uint32_t expected = rounds[i] < 10 ? rounds[i] : 10;
        atomic_store(&decisions, 0);
        weir_ticket t = submit_rounds(exec, &l, rounds[i]);
        OK(weir_exec_wait(exec, t, -1));
        ck_assert_uint_eq(iterations(exec, t, loop), expected);
        ck_assert_uint_eq(atomic_load(&decisions), expected);
        ck_assert_uint_eq(read_of(sum), sum_of(expected));
    }
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
    loop_finish(&l);
}
END_TEST

static const uint16_t too_small_bytes[] = {sizeof(void *), 4};
static const weir_kernel too_small_kernel = {.name = "too small", .host = decrement_and_decide, .arg_bytes = too_small_bytes, .arg_count = 2};

START_TEST(kernel_that_takes_something_else_for_a_decision_is_refused)
{
    weir_graph *body = graph_make("body"), *graph = graph_make("g");
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    char text[128];
    weir_add_kernel(body, &too_small_kernel, one, WEIR_ARGS(WEIR_READ_WRITE(word), WEIR_DECISION));
    weir_add_while(graph, "loop", body, word, 10);
    OK(weir_plan_create(graph, NULL, &plan));
    snprintf(text, sizeof text, "task 'too small': argument 1 has %zu bytes, kernel 'too small' takes 4 there", sizeof(weir_decision));
    REFUSED(WEIR_ERR_INVALID, weir_exec_create(runtime, plan, NULL, &exec), text);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
}
END_TEST

START_TEST(iterations_are_kept_for_as_many_frames_as_may_be_in_flight)
{
    enum { FRAMES = 3 };
    looping l = loop_make(1000);
    weir_exec *exec = exec_make(runtime, l.graph, FRAMES);
    weir_ticket tickets[12];
    uint32_t count;
    for (uint32_t f = 0; f < 12; f++) {
        tickets[f] = submit_rounds(exec, &l, 5 * f);
        if (f % 4 != 3)
            continue;
        OK(weir_exec_wait(exec, tickets[f], -1));
        for (uint32_t back = 0; back < FRAMES; back++)
            ck_assert_uint_eq(iterations(exec, tickets[f - back], l.loop), 5 * (f - back));
        REFUSED(WEIR_ERR_STATE, weir_exec_iterations(exec, tickets[f - FRAMES], l.loop, &count), "task 'loop': frame");
        says(weir_last_error(), "is too long ago");
    }
    weir_exec_destroy(exec);
    loop_finish(&l);
}
END_TEST

START_TEST(iterations_of_nothing_are_refused)
{
    looping l = loop_make(10), other = loop_make(10);
    weir_task set_task = weir_graph_find(l.graph, "set"), branch = weir_add_if(l.graph, "branch", word, l.body, NULL);
    weir_exec *exec = exec_make(runtime, l.graph, 1);
    weir_ticket t = submit_rounds(exec, &l, 2);
    uint32_t count = 77;
    OK(weir_exec_wait(exec, t, -1));
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(NULL, t, l.loop, &count), "NULL");
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(exec, t, l.loop, NULL), "NULL");
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(exec, t, (weir_task){0, 0}, &count), "the null task");
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(exec, t, other.loop, &count), "not of graph 'g'");
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(exec, t, set_task, &count), "task 'set' is no loop");
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(exec, t, branch, &count), "task 'branch' is no loop");
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(exec, (weir_ticket){0}, l.loop, &count), "no frame with ticket 0");
    REFUSED(WEIR_ERR_INVALID, weir_exec_iterations(exec, (weir_ticket){2}, l.loop, &count), "no frame with ticket 2");
    ck_assert_uint_eq(count, 77);
    weir_exec_destroy(exec);
    loop_finish(&l);
    loop_finish(&other);
}
END_TEST

START_TEST(iterations_of_a_frame_that_is_not_done_are_not_told)
{
    looping l = loop_make(10);
    gate g;
    gate_init(&g);
    weir_add_host(l.graph, "gate", gate_pass, &g, weir_no_args());
    weir_exec *exec = exec_make(runtime, l.graph, 1);
    weir_ticket t = submit_rounds(exec, &l, 4);
    uint32_t count;
    gate_await(&g, 1);
    REFUSED(WEIR_ERR_STATE, weir_exec_iterations(exec, t, l.loop, &count), "task 'loop': frame 0 is not done");
    gate_open(&g);
    OK(weir_exec_wait(exec, t, -1));
    ck_assert_uint_eq(iterations(exec, t, l.loop), 4);
    weir_exec_destroy(exec);
    loop_finish(&l);
    gate_finish(&g);
}
END_TEST

START_TEST(loop_that_is_off_runs_no_body)
{
    looping l = loop_make(10);
    weir_exec *exec = exec_make(runtime, l.graph, 2);
    weir_ticket on = submit_rounds(exec, &l, 5);
    OK(weir_exec_enable(exec, l.loop, 0));
    weir_ticket off = submit(exec);
    OK(weir_exec_wait(exec, off, -1));
    ck_assert_uint_eq(read_of(sum), sum_of(0));
    ck_assert_uint_eq(read_of(word), 5);
    ck_assert_uint_eq(iterations(exec, on, l.loop), 5);
    ck_assert_uint_eq(iterations(exec, off, l.loop), 0);
    OK(weir_exec_enable(exec, l.loop, 1));
    on = submit(exec);
    OK(weir_exec_wait(exec, on, -1));
    ck_assert_uint_eq(iterations(exec, on, l.loop), 5);
    ck_assert_uint_eq(iterations(exec, off, l.loop), 0);
    ck_assert_uint_eq(read_of(sum), sum_of(5));
    weir_exec_destroy(exec);
    loop_finish(&l);
}
END_TEST

/* A body may not run at all, so what it writes it also keeps: it is never the only writer, but it does read. */
START_TEST(loop_needs_what_it_reads_but_nobody_needs_its_writes)
{
    looping l = loop_make(10);
    weir_exec *exec = exec_make(runtime, l.graph, 1);
    weir_task sets_sum = weir_graph_find(l.graph, "set");
    OK(weir_exec_enable(exec, sets_sum, 0));
    REFUSED(WEIR_ERR_STATE, weir_exec_submit(exec, NULL), "task 'set' is off, but nothing else writes buffer 'sum', which task '");
    OK(weir_exec_enable(exec, sets_sum, 1));
    OK(weir_exec_enable(exec, l.loop, 0));
    run_frames(exec, 1);
    weir_exec_destroy(exec);
    loop_finish(&l);
}
END_TEST

/* ---- branches ---- */

/* sum: what was chosen, or 0. `else_too`: the if has one. */
static uint32_t chosen_by_if(uint32_t value, bool else_too)
{
    weir_graph *graph = graph_make("g"), *then_body = graph_make("then"), *else_body = graph_make("else");
    add_set(graph, sum, 0);
    add_set(graph, word, value);
    add_append(then_body, 1);
    add_append(else_body, 2);
    weir_add_if(graph, "if", word, then_body, else_too ? else_body : NULL);
    weir_graph_destroy(then_body);
    weir_graph_destroy(else_body);
    return sum_after(graph);
}

START_TEST(if_takes_then_for_any_word_but_zero)
{
    ck_assert_uint_eq(chosen_by_if(1, true), 1);
    ck_assert_uint_eq(chosen_by_if(UINT32_MAX, true), 1);
    ck_assert_uint_eq(chosen_by_if(1u << 31, false), 1);
    ck_assert_uint_eq(chosen_by_if(0, true), 2);
    ck_assert_uint_eq(chosen_by_if(0, false), 0);
}
END_TEST

START_TEST(switch_takes_the_body_of_that_number_or_none)
{
    static const uint32_t selectors[] = {0, 1, 2, 3, 4, UINT32_MAX}, expected[] = {1, 2, 1 * 3 + 2, 0, 0, 0};
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        weir_graph *graph = graph_make("g"), *bodies[] = {graph_make("a"), graph_make("b"), graph_make("c")};
        add_set(graph, sum, 0);
        add_set(graph, word, selectors[i]);
        add_append(bodies[0], 1);
        add_append(bodies[1], 2);
        add_append(bodies[2], 1);
        add_append(bodies[2], 2);
        weir_add_switch(graph, "switch", word, (const weir_graph *const *)bodies, 3);
        for (int b = 0; b < 3; b++)
            weir_graph_destroy(bodies[b]);
        ck_assert_uint_eq(sum_after(graph), expected[i]);
    }
}
END_TEST

START_TEST(branch_is_taken_by_the_word_as_it_was_before)
{
    weir_graph *graph = graph_make("g"), *body = graph_make("body");
    add_set(graph, sum, 0);
    add_set(graph, word, 1);
    add_set(body, word, 0);
    add_append(body, 1);
    weir_add_if(graph, "if", word, body, body);
    weir_add_if(graph, "again", word, NULL, NULL); /* refused: the graph stays as it is but for its error */
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    weir_graph_destroy(graph);
    graph = graph_make("g");
    add_set(graph, sum, 0);
    add_set(graph, word, 1);
    weir_add_if(graph, "if", word, body, body);
    weir_graph_destroy(body);
    ck_assert_uint_eq(sum_after(graph), 1);
    ck_assert_uint_eq(read_of(word), 0);
}
END_TEST

/* ---- in each other ---- */

/* Four rounds, each with a loop of two rounds, or of five, as the outer word is odd or even; and an empty branch beside. */
START_TEST(loops_and_branches_are_in_each_other)
{
    weir_graph *graph = graph_make("g"), *outer = graph_make("outer"), *inner = graph_make("inner"), *empty = graph_make("empty"), *tail = graph_make("tail");
    add_append(inner, 1);
    add_decrement(inner, inner_word);
    add_set(outer, inner_word, 3);
    weir_add_while(outer, "three", inner, inner_word, 100);
    weir_add_if(outer, "nothing", word, empty, NULL);
    add_set(outer, inner_word, 100);
    weir_add_while(outer, "capped", inner, inner_word, 2);
    add_append(tail, 2);
    weir_add_if(outer, "tail", inner_word, tail, NULL);
    weir_add_empty(outer, "empty");
    add_decrement(outer, word);
    add_set(graph, sum, 0);
    add_set(graph, word, 4);
    weir_task loop = weir_add_while(graph, "loop", outer, word, 1000);
    weir_graph_destroy(inner);
    weir_graph_destroy(empty);
    weir_graph_destroy(tail);
    OK(weir_graph_status(outer));
    weir_graph_destroy(outer);
    OK(weir_graph_status(graph));

    uint32_t expected = 0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 5; i++)
            expected = expected * 3 + 1;
        expected = expected * 3 + 2;
    }
    weir_exec *exec = exec_make(runtime, graph, 2);
    weir_ticket t = {0};
    for (int f = 0; f < 20; f++)
        t = submit(exec);
    OK(weir_exec_wait(exec, t, -1));
    ck_assert_uint_eq(iterations(exec, t, loop), 4);
    ck_assert_uint_eq(read_of(sum), expected);
    ck_assert_uint_eq(read_of(inner_word), 98);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

/* Each has the one before twice: 2^20 in all, of which a frame runs those on one way, one decision each. */
START_TEST(bodies_that_are_shared_are_made_once)
{
    enum { DEPTH = 20 };
    weir_graph *bodies[DEPTH + 1];
    bodies[0] = graph_make("innermost");
    add_append(bodies[0], 1);
    for (int i = 1; i <= DEPTH; i++) {
        bodies[i] = graph_make("around");
        weir_add_if(bodies[i], "if", word, bodies[i - 1], bodies[i - 1]);
    }
    weir_graph *graph = graph_make("g");
    add_set(graph, sum, 0);
    add_set(graph, word, 1);
    weir_add_graph(graph, "once", bodies[DEPTH]);
    weir_add_graph(graph, "twice", bodies[DEPTH]);
    for (int i = 0; i <= DEPTH; i++)
        weir_graph_destroy(bodies[i]);
    ck_assert_uint_eq(sum_after(graph), 1 * 3 + 1);
}
END_TEST

/* ---- what bodies are passed ---- */

static void add_previous(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    *to += *WEIR_PASSED(const uint32_t *, args, 1) + WEIR_PASSED(uint32_t, args, 2);
}

static const uint16_t three_bytes[] = {sizeof(void *), sizeof(void *), 4};
static const weir_kernel add_previous_kernel = {.name = "add previous", .host = add_previous, .arg_bytes = three_bytes, .arg_count = 3};

/* Three rounds of ring += what it was a frame ago + param, from 0. The body names its buffers in another order than the graph does. */
START_TEST(rings_and_params_in_bodies_are_the_frames)
{
    enum { FRAMES = 8 };
    const uint32_t zero = 0;
    weir_buffer *ring = numbers("ring", 1, WEIR_RING_AUTO, WEIR_DEVICE), *other = numbers("other", 1, 2, WEIR_DEVICE);
    weir_param *param = NULL, *first = NULL;
    OK(weir_param_create("param", &zero, sizeof zero, &param));
    OK(weir_param_create("first", &zero, sizeof zero, &first));
    weir_graph *graph = graph_make("g"), *body = graph_make("body");
    weir_add_kernel(body, &add_previous_kernel, one, WEIR_ARGS(WEIR_READ_WRITE(ring), WEIR_PREVIOUS(ring, 1), WEIR_PARAM(param)));
    add_decrement(body, word);
    weir_add_kernel(graph, &set_kernel, one, WEIR_ARGS(WEIR_WRITE(other), WEIR_PARAM(first)));
    add_set(graph, word, 3);
    weir_add_fill(graph, "clear", WEIR_WRITE(ring), &zero, sizeof zero);
    weir_add_while(graph, "loop", body, word, 10);
    OK(weir_graph_status(graph));
    weir_exec *exec = exec_make(runtime, graph, 2);
    weir_ticket t = {0};
    uint32_t expected = 0;
    for (uint32_t f = 0; f < FRAMES; f++) {
        uint32_t value = f * f + 1;
        OK(weir_exec_set(exec, param, &value));
        t = submit(exec);
        expected = 3 * (expected + value);
    }
    OK(weir_exec_wait(exec, t, -1));
    ck_assert_uint_eq(read_of(ring), expected);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
    weir_buffer_destroy(ring);
    weir_buffer_destroy(other);
    weir_param_destroy(param);
    weir_param_destroy(first);
}
END_TEST

static void exec_refused(weir_graph *graph, weir_status status, const char *text)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    OK(weir_plan_create(graph, NULL, &plan));
    REFUSED(status, weir_exec_create(runtime, plan, NULL, &exec), text);
    ck_assert_ptr_null(exec);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}

/* A loop around `body`, in a branch; all but the graph goes. */
static weir_graph *graph_around(weir_graph *body)
{
    weir_graph *graph = graph_make("g"), *branch = graph_make("branch");
    add_decrement(body, word);
    weir_add_while(branch, "loop", body, word, 10);
    weir_add_if(graph, "if", word, branch, NULL);
    weir_graph_destroy(body);
    weir_graph_destroy(branch);
    OK(weir_graph_status(graph));
    return graph;
}

START_TEST(what_cannot_run_in_a_body_is_named_with_where_it_is)
{
    static const weir_kernel deviceonly = {.name = "deviceonly"};
    static const weir_native native = {.name = "cufft"};
    uint64_t wide = 0;
    weir_graph *body = graph_make("body");
    weir_add_kernel(body, &deviceonly, one, weir_no_args());
    exec_refused(graph_around(body), WEIR_ERR_BACKEND,
                 "body 'branch' of task 'if': body 'body' of task 'loop': task 'deviceonly': kernel 'deviceonly' has no code for the host");
    body = graph_make("body");
    weir_add_native(body, &native, NULL, weir_no_args());
    exec_refused(graph_around(body), WEIR_ERR_BACKEND, "body 'body' of task 'loop': task 'cufft': native 'cufft' has no code for the host");
    body = graph_make("body");
    weir_add_kernel(body, &set_kernel, one, WEIR_ARGS(WEIR_WRITE(sum), WEIR_VALUE(wide)));
    exec_refused(graph_around(body), WEIR_ERR_INVALID, "body 'branch' of task 'if': body 'body' of task 'loop': task 'set': argument 1 has 8 bytes, kernel 'set' takes 4 there");
}
END_TEST

START_TEST(tasks_in_bodies_are_not_the_execs)
{
    looping l = loop_make(10);
    weir_exec *exec = exec_make(runtime, l.graph, 1);
    weir_task inside = weir_graph_find(l.body, "append");
    weir_ticket t = submit_rounds(exec, &l, 1);
    OK(weir_exec_wait(exec, t, -1));
    REFUSED(WEIR_ERR_INVALID, weir_exec_enable(exec, inside, 0), "not of graph 'g'");
    REFUSED(WEIR_ERR_INVALID, weir_exec_poll_task(exec, t, inside), "not of graph 'g'");
    OK(weir_exec_poll_task(exec, t, l.loop));
    weir_exec_destroy(exec);
    loop_finish(&l);
}
END_TEST

/* ---- failing ---- */

static char logged[4096];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void keep_log(void *user, int level, const char *text)
{
    (void)user;
    (void)level;
    pthread_mutex_lock(&log_lock);
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", text);
    pthread_mutex_unlock(&log_lock);
}

/* Fails when it is called for the third time. */
static weir_status fail_third(void *user, void *const *args)
{
    (void)args;
    return ++*(int *)user == 3 ? WEIR_ERR_IO : WEIR_OK;
}

static const weir_native failing = {.name = "solver", .host = fail_third};

START_TEST(native_that_fails_ends_its_loop_and_fails_the_frame)
{
    weir_graph *graph = graph_make("g"), *body = graph_make("body"), *branch = graph_make("branch");
    int calls = 0;
    weir_task culprit;
    uint32_t count;
    weir_add_native(branch, &failing, &calls, weir_no_args());
    add_append(body, 1);
    weir_add_if(body, "if", word, branch, NULL);
    add_append(body, 2);
    add_decrement(body, word);
    add_set(graph, sum, 0);
    add_set(graph, word, 10);
    weir_task loop = weir_add_while(graph, "loop", body, word, 100);
    add_append(graph, 1);
    weir_exec *exec = exec_make(runtime, graph, 2);
    logged[0] = '\0';
    weir_set_log(keep_log, NULL);
    weir_ticket t = submit(exec);
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, t, -1), "task 'loop' failed in frame 0 with WEIR_ERR_IO");
    weir_set_log(NULL, NULL);
    says(logged, "graph 'g', frame 0: task 'solver' in the body of 'loop' failed: WEIR_ERR_IO");
    says(logged, "graph 'g': task 'loop' failed in frame 0");
    ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_TASK);
    ck_assert_uint_eq(culprit.number, loop.number);
    ck_assert_int_eq(calls, 3);
    ck_assert_uint_eq(read_of(word), 8);
    ck_assert_uint_eq(read_of(sum), (((1 * 3 + 2) * 3 + 1) * 3 + 2) * 3 + 1); /* two rounds, and what stands before it in the third */
    REFUSED(WEIR_ERR_STATE, weir_exec_iterations(exec, t, loop, &count), "task 'loop': frame 0 failed");
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
    weir_graph_destroy(branch);
}
END_TEST

static weir_status fail_when_let(void *user, void *const *args)
{
    (void)gate_pass(user, args);
    return WEIR_ERR_IO;
}

/* Where the loop is, so that another task can fail meanwhile. */
static atomic_int rounds_begun;

static void count_round(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
    atomic_fetch_add(&rounds_begun, 1);
}

static const weir_kernel count_round_kernel = {.name = "count round", .host = count_round};

START_TEST(loop_ends_when_another_task_fails)
{
    weir_graph *graph = graph_make("g"), *body = graph_make("body");
    gate g;
    weir_task culprit;
    gate_init(&g);
    atomic_store(&rounds_begun, 0);
    weir_add_kernel(body, &count_round_kernel, one, weir_no_args());
    add_set(body, word, 1);
    add_set(graph, word, 1);
    weir_add_while(graph, "endless", body, word, UINT32_MAX);
    weir_task failer = weir_add_host(graph, "failer", fail_when_let, &g, weir_no_args());
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2, .policy = "round_robin"}, NULL);
    weir_set_log(keep_log, NULL);
    weir_ticket t = submit(exec);
    gate_await(&g, 1);
    while (atomic_load(&rounds_begun) == 0)
        pause_ms(1);
    gate_open(&g);
    ck_assert_int_eq(weir_exec_wait(exec, t, -1), WEIR_ERR_TASK);
    weir_set_log(NULL, NULL);
    ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_TASK);
    ck_assert_uint_eq(culprit.number, failer.number);
    ck_assert_int_lt(atomic_load(&rounds_begun), INT32_MAX);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
    gate_finish(&g);
}
END_TEST

/* ---- beside others ---- */

static atomic_uint flag;

static weir_status raise_flag(void *user, void *const *args)
{
    (void)user;
    (void)args;
    atomic_store(&flag, 1);
    return WEIR_OK;
}

static void until_flag(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    *WEIR_PASSED(uint32_t *, args, 0) = atomic_load(&flag) == 0;
}

static const weir_kernel until_flag_kernel = {.name = "until flag", .host = until_flag};

/* The loop ends once another exec has run, which the one worker must come to meanwhile. */
START_TEST(long_loop_lets_others_come_round)
{
    weir_graph *graph = graph_make("g"), *body = graph_make("body"), *other = graph_make("other");
    atomic_store(&flag, 0);
    weir_add_kernel(body, &until_flag_kernel, one, WEIR_ARGS(WEIR_WRITE(word)));
    add_set(graph, word, 1);
    weir_add_while(graph, "loop", body, word, UINT32_MAX);
    weir_add_host(other, "raise", raise_flag, NULL, weir_no_args());
    weir_exec *looper = exec_make(runtime, graph, 1), *raiser = exec_make(runtime, other, 1);
    weir_ticket t = submit(looper), u = submit(raiser);
    OK(weir_exec_wait(looper, t, -1));
    OK(weir_exec_wait(raiser, u, -1));
    weir_exec_destroy(looper);
    weir_exec_destroy(raiser);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
    weir_graph_destroy(other);
}
END_TEST

enum { BLOCKS = 500 };

static atomic_int done[BLOCKS];
static atomic_int calls, odd;

static void note_blocks(const weir_blocks *blocks, void *const *args)
{
    unsigned char mark = (unsigned char)(blocks->first * 31 + 1), *scratch = blocks->shared;
    (void)args;
    atomic_fetch_add(&calls, 1);
    if (!scratch) {
        atomic_fetch_add(&odd, 1);
        return;
    }
    memset(scratch, mark, 4096);
    for (uint64_t b = blocks->first; b < blocks->first + blocks->count; b++)
        atomic_fetch_add(&done[b], 1);
    for (int i = 0; i < 4096; i++)
        if (scratch[i] != mark)
            atomic_fetch_add(&odd, 1);
}

static const weir_kernel note_blocks_kernel = {.name = "note blocks", .host = note_blocks};

/* Two loops that may run at once, each of two kernels of many blocks, one of them in a branch, with scratch. */
START_TEST(blocks_in_bodies_are_shared_out_and_done_once_a_round)
{
    enum { ROUNDS = 10, FRAMES = 20 };
    weir_graph *graph = graph_make("g"), *bodies[2], *branch = graph_make("branch");
    weir_buffer *words[] = {word, inner_word};
    for (int b = 0; b < BLOCKS; b++)
        atomic_store(&done[b], 0);
    atomic_store(&calls, 0);
    atomic_store(&odd, 0);
    const weir_shape wide = {.grid = {BLOCKS}, .shared_bytes = 4096};
    weir_add_kernel(branch, &note_blocks_kernel, wide, weir_no_args());
    for (int i = 0; i < 2; i++) {
        bodies[i] = graph_make("body");
        weir_add_kernel(bodies[i], &note_blocks_kernel, wide, weir_no_args());
        weir_add_if(bodies[i], "if", words[i], branch, NULL);
        add_decrement(bodies[i], words[i]);
        add_set(graph, words[i], ROUNDS);
        weir_add_while(graph, "loop", bodies[i], words[i], 100);
    }
    OK(weir_graph_status(graph));
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2, .frames = 2}, NULL);
    run_frames(exec, FRAMES);
    for (int b = 0; b < BLOCKS; b++)
        ck_assert_int_eq(atomic_load(&done[b]), 2 * 2 * ROUNDS * FRAMES);
    ck_assert_int_eq(atomic_load(&odd), 0);
    if (weir_runtime_workers(runtime) > 1)
        ck_assert_int_gt(atomic_load(&calls), 2 * 2 * ROUNDS * FRAMES);
    else
        ck_assert_int_eq(atomic_load(&calls), 2 * 2 * ROUNDS * FRAMES);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_graph_destroy(bodies[0]);
    weir_graph_destroy(bodies[1]);
    weir_graph_destroy(branch);
}
END_TEST

/* ---- times and traces ---- */

START_TEST(loop_is_timed_as_a_whole)
{
    looping l = loop_make(1000);
    weir_exec *exec = exec_with(runtime, l.graph, &(weir_plan_options){.frames = 1}, &(weir_exec_options){.timing = 1});
    weir_ticket t = submit_rounds(exec, &l, 100);
    double start, end, next, last;
    OK(weir_exec_wait(exec, t, -1));
    OK(weir_exec_task_time(exec, t, l.loop, &start, &end));
    OK(weir_exec_task_time(exec, t, l.after, &next, &last));
    ck_assert_double_le(start, end);
    ck_assert_double_le(end, next);
    OK(weir_exec_enable(exec, l.loop, 0));
    t = submit(exec);
    OK(weir_exec_wait(exec, t, -1));
    REFUSED(WEIR_ERR_STATE, weir_exec_task_time(exec, t, l.loop, &start, &end), "task 'loop' did not run");
    weir_exec_destroy(exec);
    loop_finish(&l);
}
END_TEST

static void add_running(TCase *tests)
{
    tcase_add_test(tests, loop_runs_while_its_word_is_not_zero_and_no_oftener_than_it_may);
    tcase_add_test(tests, host_goes_by_the_word_whatever_a_kernel_decides);
    tcase_add_test(tests, kernel_that_takes_something_else_for_a_decision_is_refused);
    tcase_add_test(tests, iterations_are_kept_for_as_many_frames_as_may_be_in_flight);
    tcase_add_test(tests, loop_that_is_off_runs_no_body);
    tcase_add_test(tests, if_takes_then_for_any_word_but_zero);
    tcase_add_test(tests, switch_takes_the_body_of_that_number_or_none);
    tcase_add_test(tests, branch_is_taken_by_the_word_as_it_was_before);
    tcase_add_test(tests, loops_and_branches_are_in_each_other);
    tcase_add_test(tests, bodies_that_are_shared_are_made_once);
    tcase_add_test(tests, rings_and_params_in_bodies_are_the_frames);
    tcase_add_test(tests, native_that_fails_ends_its_loop_and_fails_the_frame);
    tcase_add_test(tests, blocks_in_bodies_are_shared_out_and_done_once_a_round);
    tcase_add_test(tests, long_loop_lets_others_come_round);
}

int main(void)
{
    Suite *suite = suite_create("control");
    TCase *several = tcase_create("with several workers"), *alone = tcase_create("with one"), *shuffled = tcase_create("shuffled"), *rest = tcase_create("told");
    tcase_add_checked_fixture(several, set_up, tear_down);
    tcase_add_checked_fixture(alone, set_up_alone, tear_down);
    tcase_add_checked_fixture(shuffled, set_up_shuffled, tear_down);
    tcase_add_checked_fixture(rest, set_up, tear_down);
    add_running(several);
    add_running(alone);
    add_running(shuffled);
    tcase_add_test(rest, iterations_of_nothing_are_refused);
    tcase_add_test(rest, iterations_of_a_frame_that_is_not_done_are_not_told);
    tcase_add_test(rest, loop_needs_what_it_reads_but_nobody_needs_its_writes);
    tcase_add_test(rest, what_cannot_run_in_a_body_is_named_with_where_it_is);
    tcase_add_test(rest, tasks_in_bodies_are_not_the_execs);
    tcase_add_test(rest, loop_ends_when_another_task_fails);
    tcase_add_test(rest, loop_is_timed_as_a_whole);
    suite_add_tcase(suite, several);
    suite_add_tcase(suite, alone);
    suite_add_tcase(suite, shuffled);
    suite_add_tcase(suite, rest);
    return suite_run(suite);
}
