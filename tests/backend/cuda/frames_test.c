/* frames_test.c - what a frame on a device promises, in each mode: params, switches, order, what may go on beside it, what it tells of itself. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include <stdatomic.h>

enum { N = 1000 };
static const int64_t LONG_NS = 10000000000; /* far more than anything here takes, far less than a parked kernel waits */
static const uint32_t count_n = N;

static weir_runtime *runtime;
static const weir_shape wide = {.grid = {8}, .block = {128}}, one = {.grid = {1}, .block = {1}};

static void set_up(void)
{
    no_environment();
    runtime = cuda_runtime();
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

/* ---- a kernel that stops the device's work where a test wants it ---- */

typedef struct {
    volatile uint32_t *flag;
    uint32_t *gave_up;
} parking;

static parking parking_make(void)
{
    uint32_t *words = pinned(2 * sizeof *words);
    return (parking){words, words + 1};
}

static weir_task add_parked(weir_graph *graph, const parking *p, weir_arg touched)
{
    return weir_add_kernel(graph, &await_kernel, one, WEIR_ARGS(WEIR_VALUE(p->flag), WEIR_VALUE(p->gave_up), weir_hidden(touched)));
}

static void parking_finish(parking *p)
{
    ck_assert_msg(*p->gave_up == 0, "a parked kernel gave up waiting");
    CUDA(cudaFreeHost((void *)(uintptr_t)p->flag));
}

/* ---- the graph of most tests: in -> x = in * factor + addend -> out, and a host task ---- */

typedef struct {
    weir_graph *graph;
    weir_buffer *in, *x, *out;
    weir_param *factor, *addend;
    int calls;
} pipeline;

static void pipeline_make(pipeline *p, uint32_t out_copies)
{
    const uint32_t one_number = 1, zero = 0;
    p->calls = 0;
    p->graph = graph_make("pipeline");
    p->in = numbers("in", N, WEIR_RING_AUTO, WEIR_HOST_IN);
    p->x = numbers("x", N, 1, WEIR_DEVICE);
    p->out = numbers("out", N, out_copies, WEIR_HOST_OUT);
    OK(weir_param_create("factor", &one_number, sizeof one_number, &p->factor));
    OK(weir_param_create("addend", &zero, sizeof zero, &p->addend));
    weir_add_kernel(p->graph, &scale_kernel, wide, WEIR_ARGS(WEIR_WRITE(p->x), WEIR_READ(p->in), WEIR_PARAM(p->factor), WEIR_VALUE(zero), WEIR_VALUE(count_n)));
    weir_add_kernel(p->graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(p->x), WEIR_PARAM(p->addend), WEIR_VALUE(count_n)));
    weir_add_copy(p->graph, "down", WEIR_WRITE(p->out), WEIR_READ(p->x));
    weir_add_host(p->graph, "look", count_call, &p->calls, WEIR_ARGS(WEIR_READ(p->out)));
    OK(weir_graph_status(p->graph));
}

static void pipeline_finish(pipeline *p)
{
    weir_graph_destroy(p->graph);
    weir_buffer_destroy(p->in);
    weir_buffer_destroy(p->x);
    weir_buffer_destroy(p->out);
    weir_param_destroy(p->factor);
    weir_param_destroy(p->addend);
}

/* in[i] = i + first */
static weir_ticket pipeline_submit(const pipeline *p, weir_exec *exec, uint32_t first)
{
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    OK(weir_exec_begin(exec, LONG_NS, &frame));
    uint32_t *in = weir_frame_data(frame, p->in);
    ck_assert_ptr_nonnull(in);
    for (uint32_t i = 0; i < N; i++)
        in[i] = first + i;
    OK(weir_frame_submit(frame, &ticket));
    return ticket;
}

static void pipeline_gave(const pipeline *p, weir_exec *exec, weir_ticket ticket, uint32_t first, uint32_t factor, uint32_t addend)
{
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    const uint32_t *out = weir_exec_data(exec, ticket, p->out);
    ck_assert_msg(out != NULL, "%s", weir_last_error());
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(out[i], (first + i) * factor + addend);
}

/* ---- the program's own CUDA ---- */

START_TEST(frames_complete_while_a_kernel_is_parked_on_the_legacy_stream)
{
    pipeline p;
    weir_exec *exec[CUDA_MODES];
    parking legacy = parking_make();
    pipeline_make(&p, 2);
    for (int m = 0; m < CUDA_MODES; m++) {
        exec[m] = exec_in_mode(runtime, p.graph, 2, cuda_modes[m]);
        pipeline_gave(&p, exec[m], pipeline_submit(&p, exec[m], 1), 1, 1, 0);
    }
    ck_assert_int_eq(park_legacy_stream(legacy.flag, legacy.gave_up), cudaSuccess);
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t n = 0; n < 5; n++) {
            OK(weir_exec_set(exec[m], p.factor, &n));
            pipeline_gave(&p, exec[m], pipeline_submit(&p, exec[m], n), n, n, 0);
        }
    ck_assert_int_eq(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
    *legacy.flag = 1;
    CUDA(cudaStreamSynchronize(cudaStreamLegacy));
    for (int m = 0; m < CUDA_MODES; m++)
        weir_exec_destroy(exec[m]);
    parking_finish(&legacy);
    pipeline_finish(&p);
}
END_TEST

static void current_is(int device)
{
    int current = -1;
    CUDA(cudaGetDevice(&current));
    ck_assert_int_eq(current, device);
}

START_TEST(callers_current_device_stays)
{
    int before = 0, mine = devices() - 1; /* with two devices, not the runtime's */
    CUDA(cudaGetDevice(&before));
    CUDA(cudaSetDevice(mine));
    weir_runtime *own = cuda_runtime();
    current_is(mine);
    for (int m = 0; m < CUDA_MODES; m++) {
        pipeline p;
        uint32_t got[N];
        pipeline_make(&p, 2);
        weir_exec *exec = exec_in_mode(own, p.graph, 1, cuda_modes[m]);
        current_is(mine);
        weir_ticket ticket = pipeline_submit(&p, exec, 3);
        current_is(mine);
        pipeline_gave(&p, exec, ticket, 3, 1, 0);
        current_is(mine);
        OK(weir_buffer_read(own, p.x, got, 0, sizeof got));
        OK(weir_buffer_write(own, p.x, got, 0, sizeof got));
        current_is(mine);
        weir_exec_destroy(exec);
        current_is(mine);
        pipeline_finish(&p);
        current_is(mine);
    }
    weir_device_info info;
    for (uint32_t i = 0; weir_device_get(i, &info) == WEIR_OK; i++)
        current_is(mine);
    weir_runtime_destroy(own);
    current_is(mine);
    CUDA(cudaSetDevice(before));
}
END_TEST

static weir_status count_atomically(void *user, void *const *args)
{
    (void)args;
    atomic_fetch_add((atomic_int *)user, 1);
    return WEIR_OK;
}

/* Without a weir call of this thread in between: what weir's threads do must not end the capture. */
static void capture_beside_frames(const char *mode)
{
    const uint32_t five = 5;
    atomic_int calls;
    atomic_init(&calls, 0);
    parking park = parking_make();
    weir_graph *graph = graph_make("beside");
    weir_buffer *x = numbers("x", N, 1, WEIR_HOST_OUT);
    add_parked(graph, &park, WEIR_WRITE(x));
    for (int i = 0; i < 4; i++) { /* the device waits for the host and the host for the device */
        weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_VALUE(five), WEIR_VALUE(count_n)));
        weir_add_host(graph, "count", count_atomically, &calls, WEIR_ARGS(WEIR_READ(x)));
    }
    weir_exec *exec = exec_in_mode(runtime, graph, 3, mode);
    weir_ticket last = {0};
    for (int i = 0; i < 3; i++)
        last = submit(exec);

    cudaStream_t stream = NULL;
    cudaGraph_t captured = NULL;
    size_t nodes = 0;
    void *memory = NULL;
    CUDA(cudaMalloc(&memory, N));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    *park.flag = 1;
    for (int waited_ms = 0; atomic_load(&calls) < 12 && waited_ms < 10000; waited_ms++)
        pause_ms(1);
    CUDA(cudaMemsetAsync(memory, 0, N, stream));
    CUDA(cudaStreamEndCapture(stream, &captured));
    CUDA(cudaGraphGetNodes(captured, NULL, &nodes));
    ck_assert_uint_eq(nodes, 1);
    ck_assert_int_eq(atomic_load(&calls), 12);

    OK(weir_exec_wait(exec, last, LONG_NS));
    CUDA(cudaGraphDestroy(captured));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(memory));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(x);
    parking_finish(&park);
}

START_TEST(programs_own_global_capture_goes_on_beside_host_tasks)
{
    for (int m = 0; m < CUDA_MODES; m++)
        capture_beside_frames(cuda_modes[m]);
}
END_TEST

/* ---- params ---- */

START_TEST(changed_params_arrive_and_others_stay)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        pipeline p;
        uint32_t factor = 1, addend = 0;
        pipeline_make(&p, 3);
        weir_exec *exec = exec_in_mode(runtime, p.graph, 2, cuda_modes[m]);
        for (uint32_t n = 0; n < 24; n++) {
            if (n % 3 == 1) {
                factor = n + 2;
                OK(weir_exec_set(exec, p.factor, &factor));
            }
            if (n % 4 == 2) {
                addend = 100 * n;
                OK(weir_exec_set(exec, p.addend, &addend));
            }
            if (n % 5 == 4)
                OK(weir_exec_set(exec, p.addend, &addend)); /* the same again */
            pipeline_gave(&p, exec, pipeline_submit(&p, exec, n), n, factor, addend);
        }
        ck_assert_int_eq(p.calls, 24);
        weir_exec_destroy(exec);
        pipeline_finish(&p);
    }
}
END_TEST

/* Three frames are submitted before the device may begin the first. */
START_TEST(params_are_those_of_the_submit)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        parking park = parking_make();
        weir_graph *graph = graph_make("latched");
        weir_buffer *out = numbers("out", N, 4, WEIR_HOST_OUT);
        weir_param *param = NULL;
        weir_ticket ticket[3];
        uint32_t value = 0;
        OK(weir_param_create("value", &value, sizeof value, &param));
        add_parked(graph, &park, WEIR_WRITE(out));
        weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(out), WEIR_PARAM(param), WEIR_VALUE(count_n)));
        weir_exec *exec = exec_in_mode(runtime, graph, 3, cuda_modes[m]);
        for (uint32_t n = 0; n < 3; n++) {
            value = 1000 * (n + 1);
            OK(weir_exec_set(exec, param, &value));
            ticket[n] = submit(exec);
        }
        value = 7;
        OK(weir_exec_set(exec, param, &value));
        ck_assert_int_eq(weir_exec_wait(exec, ticket[0], 0), WEIR_WOULD_BLOCK);
        *park.flag = 1;
        for (uint32_t n = 0; n < 3; n++) {
            OK(weir_exec_wait(exec, ticket[n], LONG_NS));
            const uint32_t *got = weir_exec_data(exec, ticket[n], out);
            ck_assert_msg(got != NULL, "%s", weir_last_error());
            ck_assert_uint_eq(got[0], 1000 * (n + 1));
            ck_assert_uint_eq(got[N - 1], 1000 * (n + 1) + N - 1);
        }
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(out);
        weir_param_destroy(param);
        parking_finish(&park);
    }
}
END_TEST

/* ---- switches ---- */

enum { REFILL, ADD, COPY, HOST, SWITCHES };

typedef struct {
    weir_graph *graph;
    weir_buffer *x, *out;
    weir_task task[SWITCHES];
    int calls;
    uint32_t left; /* what out should hold */
    int expected_calls;
} switchboard;

static void switchboard_make(switchboard *s)
{
    const uint32_t zero = 0, seven = 7, thirty = 30;
    memset(s, 0, sizeof *s);
    s->graph = graph_make("switches");
    s->x = numbers("x", N, 1, WEIR_DEVICE);
    s->out = numbers("out", N, 1, WEIR_HOST_OUT);
    weir_add_fill(s->graph, "zero", WEIR_WRITE(s->x), &zero, sizeof zero);
    s->task[REFILL] = weir_add_fill(s->graph, "refill", WEIR_WRITE(s->x), &seven, sizeof seven);
    s->task[ADD] = weir_add_kernel(s->graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(s->x), WEIR_VALUE(thirty), WEIR_VALUE(count_n)));
    s->task[COPY] = weir_add_copy(s->graph, "copy", WEIR_WRITE(s->out), WEIR_READ(s->x));
    s->task[HOST] = weir_add_host(s->graph, "host", count_call, &s->calls, weir_no_args());
    weir_after(s->graph, s->task[HOST], s->task[COPY]);
    OK(weir_graph_status(s->graph));
}

static void frame_with(switchboard *s, weir_exec *exec, unsigned on)
{
    for (int i = 0; i < SWITCHES; i++)
        OK(weir_exec_enable(exec, s->task[i], on >> i & 1));
    if (on >> COPY & 1)
        s->left = (on >> REFILL & 1 ? 7u : 0u) + (on >> ADD & 1 ? 30u : 0u);
    s->expected_calls += (on >> HOST & 1) != 0;
    weir_ticket ticket = submit(exec);
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    const uint32_t *out = weir_exec_data(exec, ticket, s->out);
    ck_assert_msg(out != NULL, "%s", weir_last_error());
    ck_assert_msg(out[0] == s->left && out[N - 1] == s->left, "%u and %u, not %u, with %x on", out[0], out[N - 1], s->left, on);
    ck_assert_int_eq(s->calls, s->expected_calls);
}

START_TEST(tasks_of_every_kind_are_off_and_on_again_in_every_mode)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        switchboard s;
        switchboard_make(&s);
        weir_exec *exec = exec_in_mode(runtime, s.graph, 2, cuda_modes[m]);
        const unsigned all = (1u << SWITCHES) - 1;
        frame_with(&s, exec, all);
        for (unsigned on = 0; on <= all; on++) {
            frame_with(&s, exec, on);
            frame_with(&s, exec, all ^ on);
        }
        frame_with(&s, exec, all);
        weir_exec_destroy(exec);
        weir_graph_destroy(s.graph);
        weir_buffer_destroy(s.x);
        weir_buffer_destroy(s.out);
    }
}
END_TEST

/* ---- what an exec tells ---- */

START_TEST(graphs_are_instantiated_once_a_slot)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        pipeline p;
        weir_plan *plan = NULL;
        weir_plan_summary summary;
        weir_exec *exec = NULL;
        weir_stats stats;
        pipeline_make(&p, 3);
        OK(weir_plan_create(p.graph, &(weir_plan_options){.frames = 2}, &plan));
        weir_plan_summarise(plan, &summary);
        ck_assert_uint_eq(summary.slots, 6);
        OK(weir_exec_create(runtime, plan, &(weir_exec_options){.mode = cuda_modes[m]}, &exec));
        for (uint32_t n = 0; n < 20; n++) { /* params patch, and build nothing anew */
            OK(weir_exec_set(exec, p.factor, &n));
            pipeline_gave(&p, exec, pipeline_submit(&p, exec, n), n, n, 0);
        }
        weir_exec_stats(exec, &stats);
        ck_assert_str_eq(stats.mode, cuda_modes[m]);
        ck_assert_uint_eq(stats.frames, 20);
        ck_assert_uint_eq(stats.instantiations, m == 0 ? 0 : summary.slots);
        weir_exec_destroy(exec);
        weir_plan_destroy(plan);
        pipeline_finish(&p);
    }
}
END_TEST

static void mode_is(const weir_exec_options *options, const char *mode)
{
    pipeline p;
    weir_stats stats;
    pipeline_make(&p, 1);
    weir_exec *exec = exec_with(runtime, p.graph, NULL, options);
    weir_exec_stats(exec, &stats);
    ck_assert_str_eq(stats.mode, mode);
    pipeline_gave(&p, exec, pipeline_submit(&p, exec, 9), 9, 1, 0);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
}

START_TEST(mode_is_a_replay_unless_program_or_environment_say_otherwise)
{
    mode_is(NULL, "replay");
    mode_is(&(weir_exec_options){.mode = "default"}, "replay");
    mode_is(&(weir_exec_options){.mode = "auto"}, "auto");
    mode_is(&(weir_exec_options){.mode = "eager"}, "eager");
    setenv("WEIR_MODE", "capture", 1);
    mode_is(&(weir_exec_options){.mode = "eager"}, "capture");
    unsetenv("WEIR_MODE");
    mode_is(&(weir_exec_options){.mode = "capture"}, "capture");
    mode_is(&(weir_exec_options){.mode = "replay", .replay_lanes = 2}, "replay");
}
END_TEST

START_TEST(plans_with_more_than_twelve_slots_are_refused_for_replay_with_advice)
{
    static const uint32_t sizes[] = {3, 4, 5};
    weir_buffer *ring[3];
    weir_graph *graph = graph_make("slots");
    weir_plan *plan = NULL;
    weir_plan_summary summary;
    weir_exec *exec = NULL;
    const uint32_t zero = 0;
    for (int i = 0; i < 3; i++) {
        ring[i] = numbers("ring", N, sizes[i], WEIR_DEVICE);
        weir_add_fill(graph, "fill", WEIR_WRITE(ring[i]), &zero, sizeof zero);
    }
    OK(weir_plan_create(graph, NULL, &plan));
    weir_plan_summarise(plan, &summary);
    ck_assert_uint_eq(summary.slots, 0); /* 60 are more than anybody wants */
    static const char *const refused[] = {"replay", "capture"};
    for (int i = 0; i < 2; i++) {
        weir_status status = weir_exec_create(runtime, plan, &(weir_exec_options){.mode = refused[i]}, &exec);
        ck_assert_int_ge(status, WEIR_ERR_INVALID);
        ck_assert_ptr_null(exec);
        says(weir_last_error(), "12");
        says(weir_last_error(), "eager");
    }
    OK(weir_exec_create(runtime, plan, &(weir_exec_options){.mode = "eager"}, &exec));
    run_frames(exec, 10);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    for (int i = 0; i < 3; i++)
        weir_buffer_destroy(ring[i]);
}
END_TEST

START_TEST(plan_with_too_many_lanes_is_refused)
{
    weir_runtime *narrow = cuda_runtime_with(2, 2);
    weir_graph *graph = graph_make("wide");
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    for (int i = 0; i < 4; i++)
        weir_add_empty(graph, "task");
    OK(weir_plan_create(graph, &(weir_plan_options){.lanes = 3}, &plan));
    REFUSED(WEIR_ERR_BACKEND, weir_exec_create(narrow, plan, NULL, &exec), "lanes");
    ck_assert_ptr_null(exec);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    weir_runtime_destroy(narrow);
}
END_TEST

START_TEST(polled_task_is_not_done_before_it_is)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        parking park = parking_make();
        weir_graph *graph = graph_make("polled");
        weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE);
        const uint32_t value = 1;
        weir_task parked = add_parked(graph, &park, WEIR_WRITE(x)),
                  after = weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_VALUE(value), WEIR_VALUE(count_n)));
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        weir_ticket ticket = submit(exec);
        ck_assert_int_eq(weir_exec_poll_task(exec, ticket, parked), WEIR_WOULD_BLOCK);
        ck_assert_int_eq(weir_exec_poll_task(exec, ticket, after), WEIR_WOULD_BLOCK);
        ck_assert_int_eq(weir_exec_wait(exec, ticket, MILLISECOND), WEIR_TIMEOUT);
        *park.flag = 1;
        OK(weir_exec_wait(exec, ticket, LONG_NS));
        OK(weir_exec_poll_task(exec, ticket, parked));
        OK(weir_exec_poll_task(exec, ticket, after));
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(x);
        parking_finish(&park);
    }
}
END_TEST

/* A copy of a box from a ring: CUDA cannot change its node, whatever is switched. */
START_TEST(copy_of_a_box_may_be_switched_off_and_on)
{
    enum { WIDE = 8, HIGH = 4 };
    for (int m = 0; m < CUDA_MODES; m++) {
        weir_graph *graph = graph_make("boxes");
        weir_buffer *in = buffer_of((weir_buffer_desc){.name = "in", .element_bytes = 4, .nx = WIDE, .ny = HIGH, .copies = 2, .place = WEIR_HOST_IN});
        weir_buffer *out = buffer_of((weir_buffer_desc){.name = "out", .element_bytes = 4, .nx = WIDE, .ny = HIGH, .place = WEIR_DEVICE});
        weir_box box = {.x = 1, .y = 1, .nx = WIDE - 2, .ny = HIGH - 2};
        weir_task copy = weir_add_copy(graph, "box", weir_part(WEIR_WRITE(out), box), weir_part(WEIR_READ(in), box));
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        for (uint32_t n = 0, last = 0; n < 12; n++) {
            weir_frame *frame = NULL;
            weir_ticket ticket;
            uint32_t got[WIDE * HIGH];
            OK(weir_exec_enable(exec, copy, n % 3 != 1));
            OK(weir_exec_begin(exec, -1, &frame));
            uint32_t *data = weir_frame_data(frame, in);
            for (uint32_t i = 0; i < WIDE * HIGH; i++)
                data[i] = 100 * n + i;
            OK(weir_frame_submit(frame, &ticket));
            OK(weir_exec_wait(exec, ticket, LONG_NS));
            last = n % 3 != 1 ? n : last;
            OK(weir_buffer_read(runtime, out, got, 0, sizeof got));
            for (uint32_t i = 0; i < WIDE * HIGH; i++) {
                bool inside = i % WIDE >= 1 && i % WIDE < WIDE - 1 && i / WIDE >= 1 && i / WIDE < HIGH - 1;
                ck_assert_msg(got[i] == (inside ? 100 * last + i : 0), "%s, frame %u, element %u: %u", cuda_modes[m], n, i, got[i]);
            }
        }
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(in);
        weir_buffer_destroy(out);
    }
}
END_TEST

static void no_times(weir_graph *graph, weir_task task, const weir_exec_options *options)
{
    double start = 0.0, end = 0.0;
    weir_exec *exec = exec_with(runtime, graph, NULL, options);
    weir_ticket ticket = submit(exec);
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    ck_assert_int_eq(weir_exec_task_time(exec, ticket, task, &start, &end), WEIR_ERR_STATE);
    weir_exec_destroy(exec);
}

START_TEST(times_of_tasks_are_kept_in_eager_mode_alone)
{
    const uint32_t clocks = 100000, value = 1;
    weir_graph *graph = graph_make("timed");
    weir_buffer *x = numbers("x", N, 1, WEIR_HOST_OUT);
    int calls = 0;
    weir_task task[] = {
        weir_add_kernel(graph, &busy_kernel, one, WEIR_ARGS(WEIR_VALUE(clocks), weir_hidden(WEIR_WRITE(x)))),
        weir_add_fill(graph, "fill", WEIR_WRITE(x), &value, sizeof value),
        weir_add_kernel(graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(value), WEIR_VALUE(count_n))),
        weir_add_host(graph, "host", count_call, &calls, WEIR_ARGS(WEIR_READ(x))),
    };
    double start[4], end[4];
    weir_exec *exec = exec_with(runtime, graph, NULL, &(weir_exec_options){.mode = "eager", .timing = 1});
    for (int frame = 0; frame < 5; frame++) {
        weir_ticket ticket = submit(exec);
        OK(weir_exec_wait(exec, ticket, LONG_NS));
        for (int t = 0; t < 4; t++) {
            OK(weir_exec_task_time(exec, ticket, task[t], &start[t], &end[t]));
            ck_assert_msg(start[t] >= 0.0 && end[t] >= start[t], "task %d: from %g to %g", t, start[t], end[t]);
        }
        ck_assert_msg(end[0] > start[0], "a kernel of %u clocks took no time", clocks);
    }
    weir_exec_destroy(exec);
    no_times(graph, task[0], &(weir_exec_options){.mode = "eager"});
    no_times(graph, task[0], &(weir_exec_options){.mode = "replay", .timing = 1});
    no_times(graph, task[0], &(weir_exec_options){.mode = "capture", .timing = 1});
    weir_graph_destroy(graph);
    weir_buffer_destroy(x);
}
END_TEST

START_TEST(costs_are_times_alone_without_what_events_add)
{
    enum { TASKS = 8 };
    const uint32_t value = 3;
    weir_graph *graph = graph_make("costs");
    weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE);
    weir_task task[TASKS];
    double median_ns[TASKS], sum[2] = {0, 0};
    for (int i = 0; i < TASKS; i++)
        task[i] = weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_VALUE(value), WEIR_VALUE(count_n)));
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 1}, &(weir_exec_options){.mode = "eager", .timing = 1});
    for (int i = 0; i < 9; i++)
        OK(weir_exec_wait(exec, submit(exec), LONG_NS));
    for (int i = 0; i < TASKS; i++) {
        uint64_t count = 0;
        OK(weir_exec_task_stats(exec, task[i], &count, &median_ns[i]));
        ck_assert_uint_eq(count, 9);
    }
    for (int again = 0; again < 2; again++) {
        const weir_drawing *drawing = NULL;
        OK(weir_graph_take_costs(graph, exec));
        OK(weir_drawing_of(graph, NULL, &drawing));
        for (int i = 0; i < TASKS; i++) {
            const double cost_ns = drawing->task[i].cost_ns;
            ck_assert_msg(cost_ns > 0 && cost_ns <= median_ns[i] * (1 + 1e-6), "%g ns of %g", cost_ns, median_ns[i]);
            sum[again] += cost_ns;
        }
        weir_drawing_destroy(drawing);
    }
    ck_assert_double_eq_tol(sum[0], sum[1], 1e-3); /* what events add is found once */
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(x);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/frames");
    TCase *cases = tcase_create("frames");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, copy_of_a_box_may_be_switched_off_and_on);
    tcase_add_test(cases, frames_complete_while_a_kernel_is_parked_on_the_legacy_stream);
    tcase_add_test(cases, callers_current_device_stays);
    tcase_add_test(cases, programs_own_global_capture_goes_on_beside_host_tasks);
    tcase_add_test(cases, changed_params_arrive_and_others_stay);
    tcase_add_test(cases, params_are_those_of_the_submit);
    tcase_add_test(cases, tasks_of_every_kind_are_off_and_on_again_in_every_mode);
    tcase_add_test(cases, graphs_are_instantiated_once_a_slot);
    tcase_add_test(cases, mode_is_a_replay_unless_program_or_environment_say_otherwise);
    tcase_add_test(cases, plans_with_more_than_twelve_slots_are_refused_for_replay_with_advice);
    tcase_add_test(cases, plan_with_too_many_lanes_is_refused);
    tcase_add_test(cases, polled_task_is_not_done_before_it_is);
    tcase_add_test(cases, times_of_tasks_are_kept_in_eager_mode_alone);
    tcase_add_test(cases, costs_are_times_alone_without_what_events_add);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
