/* foreign_test.c - frames among streams and events of the program's own, and of other execs: what comes before them, what comes after, what is
 * refused. Random rounds hand one array back and forth between weir and plain CUDA; the first seed is WEIR_TEST_SEED, or 1, and how many is
 * WEIR_TEST_PROGRAMS, or 300. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "util/random.h"
#include "weir/cuda.h"
#include <stdatomic.h>

enum { PARTS = 4, PART = 64, N = PARTS * PART };
static const int64_t LONG_NS = 10000000000;
static const uint32_t part_n = PART;
static const weir_shape part_shape = {.grid = {1}, .block = {PART}};

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    runtime = cuda_runtime();
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

static cudaStream_t stream_make(void)
{
    cudaStream_t stream = NULL;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static cudaEvent_t event_make(void)
{
    cudaEvent_t event = NULL;
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

/* Whether the event happens in the time that anything here takes. */
static void happens(cudaEvent_t event)
{
    for (int waited_ms = 0; cudaEventQuery(event) == cudaErrorNotReady && waited_ms < 10000; waited_ms++)
        pause_ms(1);
    CUDA(cudaEventQuery(event));
}

static weir_frame *begun(weir_exec *exec)
{
    weir_frame *frame = NULL;
    OK(weir_exec_begin(exec, LONG_NS, &frame));
    return frame;
}

static weir_ticket submit_on(weir_exec *exec, cudaStream_t stream)
{
    weir_ticket ticket = {0};
    OK(weir_frame_submit_on(begun(exec), stream, &ticket));
    return ticket;
}

/* ---- steps on parts of an array: by a graph, by plain CUDA, by the host ---- */

/* to = from * factor + addend, part by part. */
typedef struct {
    uint32_t to, from, factor, addend;
} step;

static step random_step(uint64_t *random)
{
    return (step){weir_random_below(random, PARTS), weir_random_below(random, PARTS), 1 + weir_random_below(random, 7), weir_random_below(random, 1000)};
}

static void step_by_host(uint32_t *x, const step *s)
{
    for (uint32_t i = 0; i < PART; i++)
        x[s->to * PART + i] = x[s->from * PART + i] * s->factor + s->addend;
}

static void launch(const weir_kernel *kernel, void **args, cudaStream_t stream)
{
    const struct dim3 grid = {1, 1, 1}, block = {kernel == &scale_kernel ? PART : 1, 1, 1};
    CUDA(cudaLaunchKernel(kernel->resolve(), grid, block, args, 0, stream));
}

static void step_by_cuda(uint32_t *x, const step *s, cudaStream_t stream)
{
    uint32_t *to = x + s->to * PART, factor = s->factor, addend = s->addend, count = PART;
    const uint32_t *from = x + s->from * PART;
    void *args[] = {&to, &from, &factor, &addend, &count};
    launch(&scale_kernel, args, stream);
}

enum { CLOCKS_MOST = 300 * 1000 }; /* long enough for what does not wait to come first */

/* Now and then something slow, so that nothing is in time by chance. */
static void linger_by_cuda(cudaStream_t stream, uint64_t *random)
{
    uint32_t clocks = weir_random_below(random, CLOCKS_MOST);
    void *args[] = {&clocks};
    if (weir_random_below(random, 2) == 0)
        launch(&busy_kernel, args, stream);
}

static void linger_by_graph(weir_graph *graph, weir_buffer *part, uint64_t *random)
{
    const weir_shape one = {.grid = {1}, .block = {1}};
    uint32_t clocks = weir_random_below(random, CLOCKS_MOST);
    if (weir_random_below(random, 4) == 0)
        weir_add_kernel(graph, &busy_kernel, one, WEIR_ARGS(WEIR_VALUE(clocks), weir_hidden(WEIR_READ_WRITE(part))));
}

static void step_by_graph(weir_graph *graph, weir_buffer *parts[PARTS], const step *s)
{
    if (s->to == s->from)
        weir_add_kernel(graph, &add_kernel, part_shape, WEIR_ARGS(WEIR_READ_WRITE(parts[s->to]), WEIR_VALUE(s->addend), WEIR_VALUE(part_n)));
    else
        weir_add_kernel(graph, &scale_kernel, part_shape,
                        WEIR_ARGS(WEIR_WRITE(parts[s->to]), WEIR_READ(parts[s->from]), WEIR_VALUE(s->factor), WEIR_VALUE(s->addend), WEIR_VALUE(part_n)));
}

enum { STEPS_MOST = 10, EXECS = 2, STREAMS = 2 };

/* A graph of steps, and its exec. */
typedef struct {
    step steps[STEPS_MOST];
    uint32_t count;
    int calls, expected_calls;
    const char *mode;
    uint32_t frames, lanes;
    weir_exec *exec;
} stepper;

static void stepper_make(stepper *s, weir_buffer *parts[PARTS], const char *mode, uint64_t *random)
{
    weir_graph *graph = graph_make("steps");
    *s = (stepper){.count = 1 + weir_random_below(random, STEPS_MOST), .mode = mode, .frames = 1 + weir_random_below(random, 3), .lanes = 1 + weir_random_below(random, 6)};
    for (uint32_t i = 0; i < s->count; i++) {
        s->steps[i] = random_step(random);
        if (s->steps[i].to == s->steps[i].from)
            s->steps[i].factor = 1;
        linger_by_graph(graph, parts[s->steps[i].from], random);
        step_by_graph(graph, parts, &s->steps[i]);
        if (weir_random_below(random, 8) == 0)
            weir_add_host(graph, "count", count_call, &s->calls, WEIR_ARGS(WEIR_READ(parts[s->steps[i].to])));
    }
    OK(weir_graph_status(graph));
    s->exec = exec_with(runtime, graph, &(weir_plan_options){.frames = s->frames, .lanes = s->lanes}, &(weir_exec_options){.mode = mode});
    weir_graph_destroy(graph);
}

static void frame_by_host(uint32_t *x, const stepper *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        step_by_host(x, &s->steps[i]);
}

/* ---- random rounds ---- */

/* One array in the hands of weir and of two streams. Whoever has it hands it on. */
typedef struct {
    uint32_t *x, truth[N];
    weir_buffer *parts[PARTS];
    stepper steppers[EXECS];
    cudaStream_t stream[STREAMS];
    cudaEvent_t event[2];
    uint32_t holder; /* stream */
} relay;

static void relay_make(relay *r, const char *const modes[EXECS], uint64_t *random)
{
    memset(r, 0, sizeof *r);
    r->x = pinned(N * sizeof *r->x);
    for (uint32_t i = 0; i < N; i++)
        r->x[i] = r->truth[i] = i;
    for (uint32_t p = 0; p < PARTS; p++) {
        void *const copy[1] = {r->x + p * PART};
        r->parts[p] = buffer_of((weir_buffer_desc){.name = "part", .element_bytes = 4, .nx = PART, .copies = 1, .place = WEIR_HOST_OUT, .adopted = copy});
    }
    for (uint32_t e = 0; e < EXECS; e++)
        stepper_make(&r->steppers[e], r->parts, modes[e], random);
    for (uint32_t i = 0; i < STREAMS; i++) {
        r->stream[i] = stream_make();
        r->event[i] = event_make();
    }
}

static void relay_finish(relay *r)
{
    for (uint32_t e = 0; e < EXECS; e++)
        weir_exec_destroy(r->steppers[e].exec);
    for (uint32_t p = 0; p < PARTS; p++)
        weir_buffer_destroy(r->parts[p]);
    for (uint32_t i = 0; i < STREAMS; i++) {
        CUDA(cudaStreamDestroy(r->stream[i]));
        CUDA(cudaEventDestroy(r->event[i]));
    }
    CUDA(cudaFreeHost(r->x));
}

/* What each stream is given in its turn. */
static void plain_steps(relay *r, uint64_t *random)
{
    for (uint32_t count = weir_random_below(random, 3); count > 0; count--) {
        step s = random_step(random);
        linger_by_cuda(r->stream[r->holder], random);
        step_by_cuda(r->x, &s, r->stream[r->holder]);
        step_by_host(r->truth, &s);
    }
}

/* On the holder's stream; after its event, and an event of the frame's end for the next holder; after its event and on the next one's stream;
 * after its event, and another exec's frame on the next one's stream. */
static void frames_between(relay *r, uint64_t *random)
{
    stepper *s = &r->steppers[weir_random_below(random, EXECS)];
    uint32_t how = weir_random_below(random, 4), next = weir_random_below(random, STREAMS);
    weir_ticket ticket = {0};
    weir_frame *frame = begun(s->exec);
    if (how > 0) {
        CUDA(cudaEventRecord(r->event[0], r->stream[r->holder]));
        OK(weir_frame_wait_event(frame, r->event[0]));
    }
    if (how == 0)
        OK(weir_frame_submit_on(frame, r->stream[next = r->holder], NULL));
    else if (how == 2)
        OK(weir_frame_submit_on(frame, r->stream[next], NULL));
    else
        OK(weir_frame_submit(frame, &ticket));
    frame_by_host(r->truth, s);
    if (how == 3) {
        s = &r->steppers[weir_random_below(random, EXECS)];
        submit_on(s->exec, r->stream[next]);
        frame_by_host(r->truth, s);
    }
    if (how == 1) {
        OK(weir_exec_record_end(s->exec, ticket, r->event[1]));
        CUDA(cudaStreamWaitEvent(r->stream[next], r->event[1], 0));
    }
    r->holder = next;
}

static void run_relay(uint64_t seed, const char *const modes[EXECS])
{
    uint64_t random = seed;
    relay r;
    relay_make(&r, modes, &random);
    for (uint32_t rounds = 1 + weir_random_below(&random, 12); rounds > 0; rounds--) {
        plain_steps(&r, &random);
        frames_between(&r, &random);
    }
    plain_steps(&r, &random);
    CUDA(cudaStreamSynchronize(r.stream[r.holder]));
    OK(weir_runtime_wait(runtime, LONG_NS));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_msg(r.x[i] == r.truth[i], "seed %llu: element %u is %u, not %u; %s with %u frames and %u lanes, %s with %u and %u", (unsigned long long)seed, i, r.x[i],
                      r.truth[i], modes[0], r.steppers[0].frames, r.steppers[0].lanes, modes[1], r.steppers[1].frames, r.steppers[1].lanes);
    relay_finish(&r);
}

static void run_relays(uint64_t otherwise)
{
    uint64_t first = number_from_environment("WEIR_TEST_SEED", 1), count = number_from_environment("WEIR_TEST_PROGRAMS", otherwise);
    static const char *const modes[] = {"eager", "replay", "capture", "auto"};
    printf("%llu relays from seed %llu on\n", (unsigned long long)count, (unsigned long long)first);
    for (uint64_t seed = first; seed < first + count; seed++)
        run_relay(seed, (const char *const[EXECS]){modes[seed % 4], modes[seed / 4 % 4]});
}

START_TEST(array_goes_from_hand_to_hand)
{
    run_relays(300);
}
END_TEST

START_TEST(array_goes_from_hand_to_hand_when_debugging)
{
    weir_runtime *usual = runtime;
    setenv("WEIR_DEBUG", "1", 1);
    runtime = cuda_runtime();
    unsetenv("WEIR_DEBUG");
    run_relays(60);
    weir_runtime_destroy(runtime);
    runtime = usual;
}
END_TEST

/* ---- one step after the other ---- */

typedef struct {
    volatile uint32_t *flag;
    uint32_t *gave_up;
} parking;

static parking parking_make(void)
{
    uint32_t *words = pinned(2 * sizeof *words);
    return (parking){words, words + 1};
}

static void park(const parking *p, cudaStream_t stream)
{
    volatile uint32_t *flag = p->flag;
    uint32_t *gave_up = p->gave_up;
    void *args[] = {&flag, &gave_up};
    launch(&await_kernel, args, stream);
}

static void parking_finish(parking *p)
{
    ck_assert_msg(*p->gave_up == 0, "a parked kernel gave up waiting");
    CUDA(cudaFreeHost((void *)(uintptr_t)p->flag));
}

static weir_status call_gate(void *user, void *const *args)
{
    return gate_pass(user, args);
}

static weir_graph *graph_of_gate(gate *g, weir_buffer *x)
{
    weir_graph *graph = graph_make("gate");
    weir_add_host(graph, "gate", call_gate, g, WEIR_ARGS(WEIR_WRITE(x)));
    return graph;
}

/* The frame's host task is not called while the stream is at something earlier. The call returns all the same, and what comes later in the stream
 * waits for the task. */
START_TEST(stream_is_waited_for_and_waits)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        gate g;
        gate_init(&g);
        parking p = parking_make();
        weir_buffer *x = numbers("x", 4, 1, WEIR_HOST_OUT);
        weir_graph *graph = graph_of_gate(&g, x);
        weir_exec *exec = exec_in_mode(runtime, graph, 2, cuda_modes[m]);
        cudaStream_t stream = stream_make();
        cudaEvent_t behind = event_make();
        park(&p, stream);
        weir_ticket ticket = submit_on(exec, stream);
        CUDA(cudaEventRecord(behind, stream));
        ck_assert_int_eq(weir_exec_wait(exec, ticket, 20 * MILLISECOND), WEIR_TIMEOUT);
        ck_assert_int_eq(gate_entered(&g), 0);
        *p.flag = 1;
        gate_await(&g, 1);
        ck_assert_int_eq(cudaEventQuery(behind), cudaErrorNotReady);
        ck_assert_int_eq(weir_exec_wait(exec, ticket, 0), WEIR_WOULD_BLOCK);
        gate_open(&g);
        happens(behind);
        OK(weir_exec_wait(exec, ticket, LONG_NS));
        CUDA(cudaStreamDestroy(stream));
        CUDA(cudaEventDestroy(behind));
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(x);
        parking_finish(&p);
        gate_finish(&g);
    }
}
END_TEST

START_TEST(ends_happen_one_after_the_other)
{
    enum { FRAMES = 3 };
    for (int m = 0; m < CUDA_MODES; m++) {
        gate g;
        gate_init(&g);
        weir_buffer *x = numbers("x", 4, 1, WEIR_HOST_OUT);
        weir_graph *graph = graph_of_gate(&g, x);
        weir_exec *exec = exec_in_mode(runtime, graph, FRAMES, cuda_modes[m]);
        weir_ticket ticket[FRAMES];
        cudaEvent_t end[FRAMES], late = event_make();
        for (int n = 0; n < FRAMES; n++) {
            end[n] = event_make();
            ticket[n] = submit(exec);
            OK(weir_exec_record_end(exec, ticket[n], end[n]));
        }
        OK(weir_exec_record_end(exec, ticket[1], late)); /* others came after it */
        for (int n = 0; n < FRAMES; n++) {
            gate_await(&g, n + 1);
            ck_assert_int_eq(cudaEventQuery(end[n]), cudaErrorNotReady);
            if (n <= 1)
                ck_assert_int_eq(cudaEventQuery(late), cudaErrorNotReady);
            gate_let(&g, 1);
            happens(end[n]);
        }
        happens(late);
        OK(weir_exec_wait(exec, ticket[FRAMES - 1], LONG_NS));
        for (int n = 0; n < FRAMES; n++) { /* of what is done, and long ago */
            OK(weir_exec_record_end(exec, ticket[n], end[n]));
            happens(end[n]);
        }
        for (int n = 0; n < FRAMES; n++)
            CUDA(cudaEventDestroy(end[n]));
        CUDA(cudaEventDestroy(late));
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(x);
        gate_finish(&g);
    }
}
END_TEST

/* A frame that must come after one of another exec is on the device before that is done. */
START_TEST(execs_follow_each_other_on_the_device)
{
    for (int a = 0; a < CUDA_MODES; a++)
        for (int b = 0; b < CUDA_MODES; b++) {
            gate first, second;
            gate_init(&first);
            gate_init(&second);
            weir_buffer *x = numbers("x", 4, 1, WEIR_HOST_OUT);
            weir_graph *graph = graph_of_gate(&first, x), *other = graph_of_gate(&second, x);
            weir_exec *before = exec_in_mode(runtime, graph, 2, cuda_modes[a]), *after = exec_in_mode(runtime, other, 2, cuda_modes[b]);
            submit(before);
            weir_ticket last = submit(before);
            weir_ticket follower = submit(after);
            gate_await(&first, 1);
            REFUSED(WEIR_WOULD_BLOCK, weir_exec_wait(after, follower, 0), "is not done");
            gate_let(&first, 1);
            gate_await(&first, 2);
            ck_assert_int_eq(gate_entered(&second), 0);
            gate_let(&first, 1);
            gate_await(&second, 1);
            gate_open(&second);
            OK(weir_exec_wait(after, follower, LONG_NS));
            OK(weir_exec_wait(before, last, LONG_NS));
            weir_exec_destroy(before);
            weir_exec_destroy(after);
            weir_graph_destroy(graph);
            weir_graph_destroy(other);
            weir_buffer_destroy(x);
            gate_finish(&first);
            gate_finish(&second);
        }
}
END_TEST

/* x = x * 3 + 1 by one exec, x = x + 5 by the other, in turns, all submitted before the first is let through. */
START_TEST(debugging_steps_frames_as_they_were_submitted)
{
    enum { TURNS = 4 };
    const uint32_t three = 3, one_more = 1, five = 5;
    setenv("WEIR_DEBUG", "1", 1);
    weir_runtime *debugging = cuda_runtime();
    unsetenv("WEIR_DEBUG");
    gate g;
    gate_init(&g);
    weir_buffer *x = numbers("x", PART, 1, WEIR_HOST_OUT), *y = numbers("y", PART, 1, WEIR_DEVICE);
    weir_graph *graph = graph_of_gate(&g, x), *other = graph_make("adds");
    weir_add_copy(graph, "keep", WEIR_WRITE(y), WEIR_READ(x));
    weir_add_kernel(graph, &scale_kernel, part_shape, WEIR_ARGS(WEIR_WRITE(x), WEIR_READ(y), WEIR_VALUE(three), WEIR_VALUE(one_more), WEIR_VALUE(part_n)));
    weir_add_kernel(other, &add_kernel, part_shape, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(five), WEIR_VALUE(part_n)));
    weir_exec *scales = exec_make(debugging, graph, TURNS), *adds = exec_make(debugging, other, TURNS);
    uint32_t expected = 0, got[PART];
    for (int i = 0; i < TURNS; i++) {
        submit(scales);
        submit(adds);
        expected = expected * 3 + 1 + 5;
    }
    gate_open(&g);
    OK(weir_runtime_wait(debugging, LONG_NS));
    OK(weir_buffer_read(debugging, x, got, 0, sizeof got));
    for (uint32_t i = 0; i < PART; i++)
        ck_assert_uint_eq(got[i], expected);
    weir_exec_destroy(scales);
    weir_exec_destroy(adds);
    weir_graph_destroy(graph);
    weir_graph_destroy(other);
    weir_buffer_destroy(x);
    weir_buffer_destroy(y);
    weir_runtime_destroy(debugging);
    gate_finish(&g);
}
END_TEST

START_TEST(failure_stops_neither_followers_nor_streams)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        gate g, fine;
        gate_init(&g);
        gate_init(&fine);
        gate_open(&g);
        gate_open(&fine);
        g.result = WEIR_ERR_IO;
        weir_buffer *x = numbers("x", 4, 1, WEIR_HOST_OUT);
        weir_graph *graph = graph_of_gate(&g, x), *other = graph_of_gate(&fine, x);
        weir_exec *fails = exec_in_mode(runtime, graph, 2, cuda_modes[m]), *follows = exec_in_mode(runtime, other, 2, cuda_modes[m]);
        cudaStream_t stream = stream_make();
        cudaEvent_t end = event_make(), behind = event_make();
        weir_ticket failed = submit_on(fails, stream), follower = submit(follows);
        OK(weir_exec_record_end(fails, failed, end));
        CUDA(cudaEventRecord(behind, stream));
        happens(end);
        happens(behind);
        OK(weir_exec_wait(follows, follower, LONG_NS));
        REFUSED(WEIR_ERR_TASK, weir_exec_wait(fails, failed, LONG_NS), "gate");
        OK(weir_exec_record_end(fails, failed, end));
        happens(end);
        weir_frame *none = NULL;
        ck_assert_int_eq(weir_exec_begin(fails, 0, &none), WEIR_ERR_TASK);
        CUDA(cudaStreamDestroy(stream));
        CUDA(cudaEventDestroy(end));
        CUDA(cudaEventDestroy(behind));
        weir_exec_destroy(fails);
        weir_exec_destroy(follows);
        weir_graph_destroy(graph);
        weir_graph_destroy(other);
        weir_buffer_destroy(x);
        gate_finish(&g);
        gate_finish(&fine);
    }
}
END_TEST

/* ---- refused ---- */

/* A capture of the program's is left as it was, whatever is asked of weir. */
START_TEST(what_is_captured_is_refused)
{
    int calls = 0;
    weir_graph *graph = graph_make("counts");
    weir_add_host(graph, "count", count_call, &calls, weir_no_args());
    weir_exec *exec = exec_in_mode(runtime, graph, 1, "eager");
    cudaStream_t stream = stream_make();
    cudaEvent_t captured = event_make();
    cudaGraph_t made = NULL;
    void *memory = NULL;
    size_t nodes = 0;
    CUDA(cudaMalloc(&memory, N));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecord(captured, stream));
    REFUSED(WEIR_ERR_STATE, weir_frame_submit_on(begun(exec), stream, NULL), "being captured");
    weir_frame *frame = begun(exec); /* the other is gone */
    for (int i = 0; i < 4; i++)
        REFUSED(WEIR_ERR_STATE, weir_frame_wait_event(frame, captured), "recorded in a capture");
    REFUSED(WEIR_ERR_STATE, weir_frame_wait_event(frame, captured), "captures are going on");
    OK(weir_frame_submit(frame, NULL)); /* which leaves it open */
    CUDA(cudaMemsetAsync(memory, 0, N, stream));
    CUDA(cudaStreamEndCapture(stream, &made));
    CUDA(cudaGraphGetNodes(made, NULL, &nodes));
    ck_assert_uint_eq(nodes, 1);
    OK(weir_runtime_wait(runtime, LONG_NS));
    ck_assert_int_eq(calls, 1);
    frame = begun(exec);
    REFUSED(WEIR_ERR_INVALID, weir_frame_wait_event(frame, captured), "cudaErrorInvalidValue (1)"); /* nobody can wait for it any more */
    weir_frame_drop(frame);
    weir_ticket ticket = submit_on(exec, stream); /* after the capture it is a stream as any */
    OK(weir_exec_record_end(exec, ticket, captured));
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    happens(captured);
    ck_assert_int_eq(calls, 2);
    CUDA(cudaGraphDestroy(made));
    CUDA(cudaEventDestroy(captured));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(memory));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(stream_of_another_device_is_refused)
{
    weir_graph *graph = graph_make("nothing");
    weir_add_empty(graph, "nothing");
    weir_exec *exec = exec_in_mode(runtime, graph, 1, "eager");
    cudaStream_t stream;
    CUDA(cudaSetDevice(1));
    stream = stream_make();
    CUDA(cudaSetDevice(0));
    REFUSED(WEIR_ERR_INVALID, weir_frame_submit_on(begun(exec), stream, NULL), "is of device 1, the runtime of device 0");
    CUDA(cudaStreamDestroy(stream));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    return tests;
}

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/foreign");
    TCase *relays = add_case(suite, "relays"), *steps = add_case(suite, "steps"), *refused = add_case(suite, "refused");
    tcase_add_test(relays, array_goes_from_hand_to_hand);
    tcase_add_test(relays, array_goes_from_hand_to_hand_when_debugging);
    tcase_add_test(steps, stream_is_waited_for_and_waits);
    tcase_add_test(steps, ends_happen_one_after_the_other);
    tcase_add_test(steps, execs_follow_each_other_on_the_device);
    tcase_add_test(steps, debugging_steps_frames_as_they_were_submitted);
    tcase_add_test(steps, failure_stops_neither_followers_nor_streams);
    tcase_add_test(refused, what_is_captured_is_refused);
    if (devices() > 1)
        tcase_add_test(refused, stream_of_another_device_is_refused);
    return suite_run(suite);
}
