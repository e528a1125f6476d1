/* native_test.c - natives on a device: the same results in each mode, slots prepared and released, all that is refused and named, and that
 * everything works after it. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "weir/cuda.h"

enum { N = 1000, HALF = N / 2, SLOTS_MOST = 12, BLOCK = 128 };
static const int64_t LONG_NS = 10000000000;

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

/* ---- a native that does what it is told ---- */

typedef enum {
    ADDS,          /* x += value, by one kernel */
    FORKS,         /* the same, half of it on a stream of its own, and what it copies on the way */
    CALLS_HOST,    /* the same, and a host function in its stream */
    LAUNCHES_GRAPH,/* the same, and a graph that calls the host; where it is captured, as a child graph */
    RECORDS_EVENT, /* the same, and an event for others than its stream */
    NOTHING,
    RETURNS_FAILURE,
    SYNCHRONISES,
    WAITS_FOR_DEVICE,
    ALLOCATES,
    GOES_ON,       /* after what ALLOCATES does */
    ALLOCATES_IN_STREAM,
    LEAVES_UNJOINED,
    WAITS_FOR_OLD_EVENT,
    ASKS_OWN_EVENT,
    USES_LEGACY,
    USES_LEGACY_AND_GOES_ON,
    LEAVES_ERROR
} behaviour;

typedef struct {
    cudaStream_t beside;
    cudaEvent_t forked, joined, old;
    uint32_t *copy;
    int prepared, released;
} handles;

typedef struct {
    behaviour does;
    int fails_to_prepare; /* the so-manieth call; 0: none */
    int fails_from;       /* the so-manieth enqueue and those after it do RETURNS_FAILURE; 0: none */
    handles slot[SLOTS_MOST];
    int prepared, released, enqueued;
    uint32_t slots_used;  /* a bit each */
    int wrong;
} told;

static int log_of_calls[64], log_count; /* 100 * which + slot prepared, negative - 1: released */

static void note_call(const told *t, uint32_t slot, bool release);

static weir_status told_prepare(void *user, uint32_t slot)
{
    told *t = user;
    t->wrong += slot >= SLOTS_MOST || t->slot[slot].prepared != t->slot[slot].released;
    if (++t->prepared == t->fails_to_prepare)
        return WEIR_ERR_IO;
    handles *h = &t->slot[slot];
    t->wrong += cudaStreamCreateWithFlags(&h->beside, cudaStreamNonBlocking) != cudaSuccess;
    t->wrong += cudaEventCreateWithFlags(&h->forked, cudaEventDisableTiming) != cudaSuccess;
    t->wrong += cudaEventCreateWithFlags(&h->joined, cudaEventDisableTiming) != cudaSuccess;
    t->wrong += cudaEventCreateWithFlags(&h->old, cudaEventDisableTiming) != cudaSuccess;
    t->wrong += cudaMalloc((void **)&h->copy, N * sizeof *h->copy) != cudaSuccess;
    t->wrong += cudaEventRecord(h->old, h->beside) != cudaSuccess || cudaStreamSynchronize(h->beside) != cudaSuccess;
    h->prepared++;
    note_call(t, slot, false);
    return WEIR_OK;
}

static void told_release(void *user, uint32_t slot)
{
    told *t = user;
    handles *h = &t->slot[slot];
    t->released++;
    t->wrong += h->prepared != h->released + 1;
    h->released++;
    t->wrong += cudaStreamDestroy(h->beside) != cudaSuccess || cudaEventDestroy(h->forked) != cudaSuccess || cudaEventDestroy(h->joined) != cudaSuccess;
    t->wrong += cudaEventDestroy(h->old) != cudaSuccess || cudaFree(h->copy) != cudaSuccess;
    note_call(t, slot, true);
}

static cudaError_t launch_add(uint32_t *x, uint32_t value, uint32_t count, cudaStream_t stream)
{
    void *args[] = {&x, &value, &count};
    return cudaLaunchKernel(add_kernel.resolve(), (struct dim3){4, 1, 1}, (struct dim3){BLOCK, 1, 1}, args, 0, stream);
}

/* The first half beside the second, which goes by way of memory of the slot's own. */
static cudaError_t fork_and_add(const handles *h, uint32_t *x, uint32_t value, cudaStream_t stream, bool join)
{
    cudaError_t result = cudaEventRecord(h->forked, stream);
    if (result == cudaSuccess)
        result = cudaStreamWaitEvent(h->beside, h->forked, 0);
    if (result == cudaSuccess)
        result = launch_add(x, value, HALF, h->beside);
    if (result == cudaSuccess)
        result = cudaMemcpyAsync(h->copy, x + HALF, HALF * sizeof *x, cudaMemcpyDeviceToDevice, stream);
    if (result == cudaSuccess)
        result = launch_add(h->copy, value, HALF, stream);
    if (result == cudaSuccess)
        result = cudaMemcpyAsync(x + HALF, h->copy, HALF * sizeof *x, cudaMemcpyDeviceToDevice, stream);
    if (result == cudaSuccess && join)
        result = cudaEventRecord(h->joined, h->beside);
    if (result == cudaSuccess && join)
        result = cudaStreamWaitEvent(stream, h->joined, 0);
    return result;
}

static void nothing(void *user)
{
    (void)user;
}

static cudaError_t add_child(cudaStream_t stream, cudaGraph_t child)
{
    enum cudaStreamCaptureStatus state;
    cudaGraph_t graph = NULL;
    const cudaGraphNode_t *follows = NULL;
    const cudaGraphEdgeData *data = NULL;
    cudaGraphNode_t node;
    size_t count = 0;
    cudaError_t result = cudaStreamGetCaptureInfo(stream, &state, NULL, &graph, &follows, &data, &count);
    if (result == cudaSuccess)
        result = cudaGraphAddChildGraphNode(&node, graph, follows, count, child);
    return result == cudaSuccess ? cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, cudaStreamSetCaptureDependencies) : result;
}

static cudaError_t launch(cudaStream_t stream, cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;
    cudaError_t result = cudaGraphInstantiate(&exec, graph, 0);
    if (result == cudaSuccess)
        result = cudaGraphLaunch(exec, stream);
    if (exec)
        (void)cudaGraphExecDestroy(exec);
    return result;
}

static cudaError_t launch_graph(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    cudaGraphNode_t node;
    cudaError_t result = cudaGraphCreate(&graph, 0);
    if (result == cudaSuccess)
        result = cudaGraphAddHostNode(&node, graph, NULL, 0, &(struct cudaHostNodeParams){.fn = nothing});
    if (result == cudaSuccess)
        result = cudaStreamIsCapturing(stream, &state);
    if (result == cudaSuccess)
        result = state == cudaStreamCaptureStatusActive ? add_child(stream, graph) : launch(stream, graph);
    if (graph)
        (void)cudaGraphDestroy(graph);
    return result;
}

static cudaError_t record_event(cudaStream_t stream, cudaEvent_t event)
{
    enum cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    cudaError_t result = cudaStreamIsCapturing(stream, &state);
    if (result != cudaSuccess)
        return result;
    return cudaEventRecordWithFlags(event, stream, state == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault);
}

static cudaError_t allocate(void)
{
    void *memory = NULL;
    cudaError_t result = cudaMalloc(&memory, 64);
    return result == cudaSuccess ? cudaFree(memory) : result;
}

static cudaError_t allocate_in(cudaStream_t stream)
{
    void *memory = NULL;
    cudaError_t result = cudaMallocAsync(&memory, 64, stream);
    return result == cudaSuccess ? cudaFreeAsync(memory, stream) : result;
}

static cudaError_t use_legacy(uint32_t *x)
{
    uint32_t word = 0;
    return cudaMemcpy(&word, x, sizeof word, cudaMemcpyDeviceToHost);
}

static cudaError_t do_as_told(const told *t, const handles *h, uint32_t *x, uint32_t value, cudaStream_t stream)
{
    cudaError_t result;
    switch (t->does) {
    case NOTHING:
    case RETURNS_FAILURE:
        return cudaSuccess;
    case FORKS:
    case LEAVES_UNJOINED:
        return fork_and_add(h, x, value, stream, t->does == FORKS);
    case CALLS_HOST:
        result = cudaLaunchHostFunc(stream, nothing, NULL);
        break;
    case LAUNCHES_GRAPH:
        result = launch_graph(stream);
        break;
    case RECORDS_EVENT:
        result = record_event(stream, h->joined);
        break;
    case SYNCHRONISES:
        result = cudaStreamSynchronize(stream);
        break;
    case WAITS_FOR_DEVICE:
        result = cudaDeviceSynchronize();
        break;
    case ALLOCATES:
        result = allocate();
        break;
    case GOES_ON:
        (void)allocate();
        result = cudaSuccess;
        break;
    case ALLOCATES_IN_STREAM:
        result = allocate_in(stream);
        break;
    case WAITS_FOR_OLD_EVENT:
        result = cudaStreamWaitEvent(stream, h->old, 0);
        break;
    case ASKS_OWN_EVENT:
        result = cudaEventRecord(h->forked, stream);
        if (result == cudaSuccess)
            result = cudaEventQuery(h->forked);
        result = result == cudaErrorNotReady ? cudaSuccess : result;
        break;
    case USES_LEGACY:
        result = use_legacy(x);
        break;
    case USES_LEGACY_AND_GOES_ON:
        (void)use_legacy(x);
        (void)launch_add(x, value, N, stream);
        return cudaSuccess;
    case LEAVES_ERROR:
        (void)cudaLaunchKernel(add_kernel.resolve(), (struct dim3){1, 1, 1}, (struct dim3){100000, 1, 1}, (void *[]){&x, &value, &value}, 0, stream);
        result = cudaSuccess;
        break;
    case ADDS:
    default:
        result = cudaSuccess;
    }
    return result == cudaSuccess ? launch_add(x, value, N, stream) : result;
}

static weir_status told_enqueue(void *user, weir_native_call *call)
{
    told *t = user;
    uint32_t slot = weir_native_slot(call);
    void *const *args = weir_native_args(call);
    t->enqueued++;
    t->wrong += slot >= SLOTS_MOST || t->slot[slot].prepared != t->slot[slot].released + 1;
    if (t->wrong)
        return WEIR_ERR_STATE;
    t->slots_used |= 1u << slot;
    if (t->does == RETURNS_FAILURE || (t->fails_from > 0 && t->enqueued >= t->fails_from))
        return WEIR_ERR_IO;
    cudaError_t result = do_as_told(t, &t->slot[slot], WEIR_PASSED(uint32_t *, args, 0), WEIR_PASSED(uint32_t, args, 1), weir_native_stream(call));
    return result == cudaSuccess ? WEIR_OK : WEIR_ERR_DEVICE;
}

static weir_status told_on_host(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_OK;
}

static const weir_native told_native = {"told", told_prepare, told_enqueue, told_on_host, told_release};

static void is_balanced(const told *t)
{
    ck_assert_int_eq(t->wrong, 0);
    ck_assert_int_eq(t->prepared - (t->fails_to_prepare > 0 && t->prepared >= t->fails_to_prepare), t->released);
    for (int i = 0; i < SLOTS_MOST; i++)
        ck_assert_int_eq(t->slot[i].prepared, t->slot[i].released);
}

/* Whatever weir did, the program's next check finds nothing of it. */
static void no_error_is_left(void)
{
    ck_assert_int_eq(cudaPeekAtLastError(), cudaSuccess);
}

/* ---- the graph of most tests: x = in, x += value by each of two natives, out = x ---- */

typedef struct {
    weir_graph *graph;
    weir_buffer *in, *x, *out;
    weir_param *value;
    told told[2];
    weir_task task[2];
} pipeline;

static const pipeline *logged;

static void note_call(const told *t, uint32_t slot, bool release)
{
    int which = logged ? (int)(t - logged->told) : 0, call = 100 * which + (int)slot;
    if (logged && log_count < (int)(sizeof log_of_calls / sizeof *log_of_calls))
        log_of_calls[log_count++] = release ? -call - 1 : call;
}

static void pipeline_make(pipeline *p, behaviour first, behaviour second, uint32_t x_copies)
{
    const uint32_t seven = 7;
    memset(p, 0, sizeof *p);
    p->told[0].does = first;
    p->told[1].does = second;
    p->graph = graph_make("pipeline");
    p->in = numbers("in", N, WEIR_RING_AUTO, WEIR_HOST_IN);
    p->x = numbers("x", N, x_copies, WEIR_DEVICE);
    p->out = numbers("out", N, WEIR_RING_AUTO, WEIR_HOST_OUT);
    OK(weir_param_create("value", &seven, sizeof seven, &p->value));
    weir_add_copy(p->graph, "up", WEIR_WRITE(p->x), WEIR_READ(p->in));
    for (int i = 0; i < 2; i++) {
        p->task[i] = weir_add_native(p->graph, &told_native, &p->told[i], WEIR_ARGS(WEIR_READ_WRITE(p->x), i == 0 ? WEIR_PARAM(p->value) : WEIR_VALUE(seven)));
        weir_task_set(p->graph, p->task[i], &(weir_task_options){.name = i == 0 ? "first" : "second"});
    }
    weir_add_copy(p->graph, "down", WEIR_WRITE(p->out), WEIR_READ(p->x));
    OK(weir_graph_status(p->graph));
}

static void pipeline_finish(pipeline *p)
{
    is_balanced(&p->told[0]);
    is_balanced(&p->told[1]);
    weir_graph_destroy(p->graph);
    weir_buffer_destroy(p->in);
    weir_buffer_destroy(p->x);
    weir_buffer_destroy(p->out);
    weir_param_destroy(p->value);
}

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

static void pipeline_gave(const pipeline *p, weir_exec *exec, weir_ticket ticket, uint32_t first, uint32_t added)
{
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    const uint32_t *out = weir_exec_data(exec, ticket, p->out);
    ck_assert_msg(out != NULL, "%s", weir_last_error());
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(out[i], first + i + added);
}

/* Frames one after the other and several in flight. */
static void pipeline_works(const pipeline *p, weir_exec *exec)
{
    weir_ticket ticket[8];
    for (uint32_t n = 0; n < 8; n++) {
        ticket[n] = pipeline_submit(p, exec, 100 * n);
        if (n % 3 == 0)
            pipeline_gave(p, exec, ticket[n], 100 * n, 14);
    }
    pipeline_gave(p, exec, ticket[7], 700, 14);
    no_error_is_left();
}

static weir_status try_exec(const weir_graph *graph, uint32_t frames, const char *mode, weir_exec **out)
{
    weir_plan *plan = NULL;
    OK(weir_plan_create(graph, &(weir_plan_options){.frames = frames}, &plan));
    weir_status status = weir_exec_create(runtime, plan, &(weir_exec_options){.mode = mode}, out);
    weir_plan_destroy(plan);
    return status;
}

/* What went wrong elsewhere is of no concern here. */
static void another_exec_works(const char *mode)
{
    pipeline p;
    pipeline_make(&p, ADDS, FORKS, 1);
    weir_exec *exec = exec_in_mode(runtime, p.graph, 2, mode);
    pipeline_works(&p, exec);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
}

/* ---- results ---- */

static void gives_the_same(behaviour first, behaviour second, uint32_t frames, uint32_t x_copies, const char *mode)
{
    pipeline p;
    pipeline_make(&p, first, second, x_copies);
    weir_exec *exec = exec_in_mode(runtime, p.graph, frames, mode);
    pipeline_works(&p, exec);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
}

START_TEST(results_are_the_same_in_every_mode)
{
    static const behaviour kinds[] = {ADDS, FORKS, CALLS_HOST};
    for (int m = 0; m < CUDA_MODES; m++) {
        gives_the_same(LAUNCHES_GRAPH, RECORDS_EVENT, 2, 1, cuda_modes[m]);
        for (uint32_t frames = 1; frames <= 3; frames++)
            for (int k = 0; k < 9; k++)
                gives_the_same(kinds[k / 3], kinds[k % 3], frames, k % 2 ? 1 : 3, cuda_modes[m]);
    }
}
END_TEST

static void set_debug(void)
{
    no_environment();
    setenv("WEIR_DEBUG", "1", 1);
    runtime = cuda_runtime();
}

START_TEST(and_under_debugging)
{
    gives_the_same(ADDS, FORKS, 2, 1, "eager");
    gives_the_same(FORKS, CALLS_HOST, 3, 3, "eager");
    gives_the_same(LAUNCHES_GRAPH, RECORDS_EVENT, 1, 1, "eager");
}
END_TEST

/* Ways of replaying take turns in more frames than these. */
START_TEST(and_while_ways_of_replaying_are_tried)
{
    for (uint32_t frames = 1; frames <= 3; frames += 2) {
        pipeline p;
        pipeline_make(&p, FORKS, ADDS, 1);
        weir_exec *exec = exec_with(runtime, p.graph, &(weir_plan_options){.frames = frames}, &(weir_exec_options){.mode = "auto"});
        for (uint32_t n = 0; n < 80; n++) {
            weir_ticket ticket = pipeline_submit(&p, exec, n);
            if (n % 4 == 0 || n == 79)
                pipeline_gave(&p, exec, ticket, n, 14);
        }
        weir_exec_destroy(exec);
        pipeline_finish(&p);
    }
}
END_TEST

/* Unordered natives that fork to one stream of the program's: in a capture of lanes it goes from one to the next. */
typedef struct {
    handles *h;
} sharing;

static weir_status share(void *user, weir_native_call *call)
{
    const sharing *s = user;
    void *const *args = weir_native_args(call);
    cudaError_t result = fork_and_add(s->h, WEIR_PASSED(uint32_t *, args, 0), 5, weir_native_stream(call), true);
    return result == cudaSuccess ? WEIR_OK : WEIR_ERR_DEVICE;
}

START_TEST(natives_may_fork_to_the_same_stream)
{
    static const weir_native native = {.name = "share", .enqueue = share};
    enum { NATIVES = 5 };
    for (int m = 0; m < CUDA_MODES; m++) {
        told t = {.does = FORKS};
        handles own[NATIVES];
        sharing user[NATIVES];
        weir_buffer *x[NATIVES], *out = numbers("out", N, 1, WEIR_HOST_OUT);
        weir_graph *graph = graph_make("sharing");
        const uint32_t zero = 0;
        uint32_t got[N];
        OK(told_prepare(&t, 0));
        for (int i = 0; i < NATIVES; i++) {
            own[i] = t.slot[0]; /* one stream, and events; memory is each one's */
            CUDA(cudaMalloc((void **)&own[i].copy, N * sizeof *own[i].copy));
            user[i].h = &own[i];
            x[i] = numbers("x", N, 1, WEIR_DEVICE);
            weir_add_fill(graph, "zero", WEIR_WRITE(x[i]), &zero, sizeof zero);
            weir_add_native(graph, &native, &user[i], WEIR_ARGS(WEIR_READ_WRITE(x[i])));
        }
        weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x[NATIVES - 1]));
        weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.frames = 1, .lanes = 3}, &(weir_exec_options){.mode = cuda_modes[m]});
        run_frames(exec, 3);
        for (int i = 0; i < NATIVES; i++) {
            OK(weir_buffer_read(runtime, x[i], got, 0, sizeof got));
            for (uint32_t e = 0; e < N; e++)
                ck_assert_uint_eq(got[e], 5);
        }
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        for (int i = 0; i < NATIVES; i++) {
            weir_buffer_destroy(x[i]);
            CUDA(cudaFree(own[i].copy));
        }
        weir_buffer_destroy(out);
        told_release(&t, 0);
        is_balanced(&t);
        no_error_is_left();
    }
}
END_TEST

/* ---- slots ---- */

static void slots_are(const char *mode, uint32_t frames, uint32_t x_copies, int slots)
{
    pipeline p;
    pipeline_make(&p, ADDS, ADDS, x_copies);
    weir_exec *exec = NULL;
    OK(try_exec(p.graph, frames, mode, &exec));
    bool eager = strcmp(mode, "eager") == 0;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(p.told[i].prepared, slots);
        ck_assert_int_eq(p.told[i].enqueued, eager ? 0 : slots);
    }
    for (uint32_t n = 0; n < 13; n++)
        pipeline_gave(&p, exec, pipeline_submit(&p, exec, n), n, 14);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(p.told[i].enqueued, eager ? 13 : slots);
        ck_assert_uint_eq(p.told[i].slots_used, (1u << slots) - 1);
        ck_assert_int_eq(p.told[i].released, 0);
    }
    weir_exec_destroy(exec);
    ck_assert_int_eq(p.told[0].released, slots);
    pipeline_finish(&p);
}

START_TEST(each_slot_is_prepared_and_released_once)
{
    slots_are("eager", 1, 1, 1);
    slots_are("replay", 1, 1, 1);
    slots_are("capture", 1, 1, 1);
    slots_are("eager", 1, 3, 3);
    slots_are("replay", 1, 3, 3);
    slots_are("capture", 1, 4, 4);
    slots_are("eager", 3, 3, 3);
    slots_are("replay", 3, 3, 3);
}
END_TEST

START_TEST(frames_in_flight_have_slots_of_their_own)
{
    pipeline p;
    pipeline_make(&p, ADDS, ADDS, 1);
    weir_exec *exec = exec_in_mode(runtime, p.graph, 3, "eager");
    ck_assert_int_ge(p.told[0].prepared, 3);
    pipeline_works(&p, exec);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
}
END_TEST

/* Of two natives with three slots each, the calls that prepare them fail in turn. */
START_TEST(what_was_prepared_is_released_when_making_fails)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (int fails = 1; fails <= 6; fails++) {
            pipeline p;
            weir_exec *exec = NULL;
            pipeline_make(&p, ADDS, ADDS, 3);
            p.told[(fails - 1) / 3].fails_to_prepare = (fails - 1) % 3 + 1;
            logged = &p;
            log_count = 0;
            REFUSED(WEIR_ERR_TASK, try_exec(p.graph, 1, cuda_modes[m], &exec), fails <= 3 ? "task 'first': prepare of native 'told' returned WEIR_ERR_IO for slot" : "task 'second'");
            logged = NULL;
            ck_assert_int_eq(log_count, 2 * (fails - 1));
            for (int i = 0; i < fails - 1; i++) /* the last first */
                ck_assert_int_eq(log_of_calls[fails - 1 + i], -log_of_calls[fails - 2 - i] - 1);
            ck_assert_int_eq(p.told[0].enqueued + p.told[1].enqueued, 0);
            no_error_is_left();
            pipeline_finish(&p);
        }
    another_exec_works("replay");
}
END_TEST

/* ---- what is refused ---- */

static const struct {
    behaviour does;
    const char *said;
} refusals[] = {
    {NOTHING, "added nothing"},
    {RETURNS_FAILURE, "returned WEIR_ERR_IO"},
    {SYNCHRONISES, "waits for the device, or takes or frees memory (900)"},
    {WAITS_FOR_DEVICE, "waits for the device, or takes or frees memory (900)"},
    {ALLOCATES, "waits for the device, or takes or frees memory (900)"},
    {GOES_ON, "and goes on: it waits for the device, takes or frees memory, or uses the legacy stream"},
    {ALLOCATES_IN_STREAM, "ation (cuda"},
    {LEAVES_UNJOINED, "unjoined (904)"},
    {WAITS_FOR_OLD_EVENT, "waits for an event that was recorded before it was called (905)"},
    {ASKS_OWN_EVENT, "(907)"},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

static void is_refused(const char *mode, int i, bool is_first)
{
    pipeline p;
    weir_exec *exec = NULL;
    pipeline_make(&p, is_first ? refusals[i].does : FORKS, is_first ? FORKS : refusals[i].does, 1);
    REFUSED(WEIR_ERR_TASK, try_exec(p.graph, 2, mode, &exec), is_first ? "task 'first': enqueue of native 'told' " : "task 'second': enqueue of native 'told' ");
    says(weir_last_error(), refusals[i].said);
    no_error_is_left();
    pipeline_finish(&p);
    another_exec_works(mode);
}

START_TEST(what_a_graph_may_not_do_is_refused_by_name)
{
    for (int m = 1; m < CUDA_MODES; m++)
        for (int i = 0; i < REFUSALS; i++) {
            is_refused(cuda_modes[m], i, true);
            is_refused(cuda_modes[m], i, false);
        }
}
END_TEST

/* The same native is sound afterwards, with the streams and events that it used. */
START_TEST(streams_are_usable_after_a_refusal)
{
    for (int m = 1; m < CUDA_MODES; m++)
        for (int i = 0; i < REFUSALS; i++) {
            told t = {.does = refusals[i].does};
            OK(told_prepare(&t, 0));
            static const weir_native bare = {.name = "bare", .enqueue = told_enqueue};
            weir_graph *graph = graph_make("refused");
            weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE);
            const uint32_t nine = 9;
            uint32_t got[N];
            weir_exec *exec = NULL;
            weir_add_native(graph, &bare, &t, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(nine)));
            REFUSED(WEIR_ERR_TASK, try_exec(graph, 1, cuda_modes[m], &exec), "task 'bare'");
            no_error_is_left();
            enum cudaStreamCaptureStatus state;
            CUDA(cudaStreamIsCapturing(t.slot[0].beside, &state));
            ck_assert_int_eq(state, cudaStreamCaptureStatusNone);
            CUDA(cudaEventRecord(t.slot[0].forked, t.slot[0].beside));
            CUDA(cudaStreamSynchronize(t.slot[0].beside));
            CUDA(cudaEventQuery(t.slot[0].forked));
            t.does = FORKS;
            OK(try_exec(graph, 1, cuda_modes[m], &exec));
            run_frames(exec, 2);
            OK(weir_buffer_read(runtime, x, got, 0, sizeof got));
            ck_assert_uint_eq(got[0], 18);
            ck_assert_uint_eq(got[N - 1], 18);
            weir_exec_destroy(exec);
            weir_graph_destroy(graph);
            weir_buffer_destroy(x);
            told_release(&t, 0);
            is_balanced(&t);
        }
}
END_TEST

static void fails_when_debugging(behaviour does, const char *said)
{
    pipeline p;
    pipeline_make(&p, ADDS, does, 1);
    weir_exec *exec = exec_in_mode(runtime, p.graph, 2, "eager");
    weir_ticket ticket = pipeline_submit(&p, exec, 0);
    weir_task culprit;
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, ticket, LONG_NS), "task 'second'");
    says(weir_last_error(), said);
    ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_TASK);
    ck_assert_uint_eq(culprit.number, p.task[1].number);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
    another_exec_works("eager");
}

START_TEST(debugging_refuses_the_same)
{
    for (int i = 0; i < REFUSALS; i++)
        fails_when_debugging(refusals[i].does, refusals[i].does == RETURNS_FAILURE ? "WEIR_ERR_IO" : refusals[i].said);
}
END_TEST

START_TEST(debugging_names_who_uses_the_legacy_stream)
{
    fails_when_debugging(USES_LEGACY, "uses the legacy stream (906)");
    fails_when_debugging(USES_LEGACY_AND_GOES_ON, "uses the legacy stream (906)");
}
END_TEST

START_TEST(a_native_without_code_for_cuda_is_refused)
{
    static const weir_native native = {.name = "host only", .host = told_on_host};
    weir_graph *graph = graph_make("refused");
    weir_exec *exec = NULL;
    weir_add_native(graph, &native, NULL, weir_no_args());
    for (int m = 0; m < CUDA_MODES; m++)
        REFUSED(WEIR_ERR_BACKEND, try_exec(graph, 1, cuda_modes[m], &exec), "task 'host only': native 'host only' has no code for CUDA");
    weir_graph_destroy(graph);
}
END_TEST

/* ---- what eager frames may do ---- */

START_TEST(eager_natives_may_wait_allocate_and_do_nothing)
{
    static const behaviour kinds[] = {SYNCHRONISES, WAITS_FOR_DEVICE, ALLOCATES, GOES_ON, ALLOCATES_IN_STREAM, WAITS_FOR_OLD_EVENT, ASKS_OWN_EVENT, LAUNCHES_GRAPH};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        gives_the_same(kinds[i], FORKS, 2, 1, "eager");
    pipeline p;
    pipeline_make(&p, NOTHING, ADDS, 1);
    weir_exec *exec = exec_in_mode(runtime, p.graph, 2, "eager");
    pipeline_gave(&p, exec, pipeline_submit(&p, exec, 5), 5, 7);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
}
END_TEST

/* Neither breaks the program's capture, on this thread, nor is forbidden anything by it. */
START_TEST(eager_natives_go_beside_a_capture_of_the_programs)
{
    pipeline p;
    cudaStream_t stream = NULL;
    cudaGraph_t captured = NULL;
    void *memory = NULL;
    size_t nodes = 0;
    pipeline_make(&p, ALLOCATES, FORKS, 1);
    weir_exec *exec = exec_in_mode(runtime, p.graph, 2, "eager");
    CUDA(cudaMalloc(&memory, N));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    weir_ticket ticket = pipeline_submit(&p, exec, 3);
    CUDA(cudaMemsetAsync(memory, 0, N, stream));
    CUDA(cudaStreamEndCapture(stream, &captured));
    CUDA(cudaGraphGetNodes(captured, NULL, &nodes));
    ck_assert_uint_eq(nodes, 1);
    pipeline_gave(&p, exec, ticket, 3, 14);
    CUDA(cudaGraphDestroy(captured));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(memory));
    weir_exec_destroy(exec);
    pipeline_finish(&p);
}
END_TEST

START_TEST(replays_are_made_beside_a_capture_of_the_programs)
{
    for (int m = 1; m < CUDA_MODES; m++) {
        cudaStream_t stream = NULL;
        cudaGraph_t captured = NULL;
        CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        another_exec_works(cuda_modes[m]);
        CUDA(cudaStreamEndCapture(stream, &captured));
        CUDA(cudaGraphDestroy(captured));
        CUDA(cudaStreamDestroy(stream));
    }
}
END_TEST

static int warnings;

static void count_warnings(void *user, int level, const char *text)
{
    (void)user;
    warnings += level == WEIR_LOG_WARN && strstr(text, "task 'first': enqueue of native 'told' returned WEIR_OK and left an error") != NULL;
}

START_TEST(an_error_left_behind_is_said_once_and_not_found_by_the_program)
{
    pipeline p;
    warnings = 0;
    weir_set_log(count_warnings, NULL);
    pipeline_make(&p, LEAVES_ERROR, ADDS, 1);
    weir_exec *exec = exec_in_mode(runtime, p.graph, 2, "eager");
    for (uint32_t n = 0; n < 3; n++) {
        weir_ticket ticket = pipeline_submit(&p, exec, n);
        no_error_is_left();
        pipeline_gave(&p, exec, ticket, n, 14);
    }
    weir_set_log(NULL, NULL);
    ck_assert_int_eq(warnings, 1);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
}
END_TEST

START_TEST(what_enqueue_returns_fails_the_frame)
{
    for (uint32_t frames = 1; frames <= 3; frames += 2) {
        pipeline p;
        weir_task culprit;
        weir_ticket ticket[3];
        pipeline_make(&p, ADDS, ADDS, 1);
        p.told[0].fails_from = 3;
        weir_exec *exec = exec_in_mode(runtime, p.graph, frames, "eager");
        ticket[0] = pipeline_submit(&p, exec, 0);
        ticket[1] = pipeline_submit(&p, exec, 1);
        pipeline_gave(&p, exec, ticket[1], 1, 14);
        ticket[2] = pipeline_submit(&p, exec, 2);
        no_error_is_left();
        REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, ticket[2], LONG_NS), "task 'first' failed in frame 2 with WEIR_ERR_IO");
        ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_TASK);
        ck_assert_uint_eq(culprit.number, p.task[0].number);
        ck_assert_int_eq(p.told[1].enqueued, 2); /* what has not begun is skipped */
        OK(weir_exec_wait(exec, ticket[0], 0));
        weir_exec_destroy(exec);
        pipeline_finish(&p);
    }
    another_exec_works("eager");
}
END_TEST

/* ---- params and switches ---- */

START_TEST(changed_params_arrive)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        pipeline p;
        uint32_t value = 7;
        pipeline_make(&p, FORKS, ADDS, 1);
        weir_exec *exec = exec_in_mode(runtime, p.graph, 2, cuda_modes[m]);
        int before = p.told[0].enqueued, changes = 0;
        for (uint32_t n = 0; n < 12; n++) {
            if (n % 3 == 1) {
                value = 1000 * n;
                changes++;
            }
            OK(weir_exec_set(exec, p.value, &value));
            pipeline_gave(&p, exec, pipeline_submit(&p, exec, n), n, value + 7);
        }
        ck_assert_int_eq(p.told[0].enqueued - before, m == 0 ? 12 : changes * p.told[0].prepared); /* changes are further apart than slots */
        weir_exec_destroy(exec);
        pipeline_finish(&p);
    }
}
END_TEST

START_TEST(natives_are_switched_off_and_on)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t x_copies = 1; x_copies <= 3; x_copies += 2) {
            pipeline p;
            uint32_t value = 7;
            pipeline_make(&p, FORKS, ADDS, x_copies);
            weir_exec *exec = exec_in_mode(runtime, p.graph, 2, cuda_modes[m]);
            for (uint32_t n = 0; n < 24; n++) {
                bool first = n % 4 != 1 && n % 4 != 2, second = n % 8 < 5;
                if (n % 5 == 1)
                    value = 100 * n; /* set also while the task is off */
                OK(weir_exec_set(exec, p.value, &value));
                OK(weir_exec_enable(exec, p.task[0], first));
                OK(weir_exec_enable(exec, p.task[1], second));
                pipeline_gave(&p, exec, pipeline_submit(&p, exec, n), n, (first ? value : 0) + (second ? 7 : 0));
            }
            weir_exec_destroy(exec);
            pipeline_finish(&p);
        }
}
END_TEST

START_TEST(a_native_that_is_off_is_not_called)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        pipeline p;
        pipeline_make(&p, ADDS, ADDS, 1);
        weir_exec *exec = exec_in_mode(runtime, p.graph, 1, cuda_modes[m]);
        int before = p.told[0].enqueued;
        OK(weir_exec_enable(exec, p.task[0], 0));
        for (uint32_t n = 0; n < 6; n++) {
            OK(weir_exec_set(exec, p.value, &n)); /* passed to it alone */
            pipeline_gave(&p, exec, pipeline_submit(&p, exec, n), n, 7);
        }
        ck_assert_int_eq(p.told[0].enqueued, before);
        weir_stats stats;
        weir_exec_stats(exec, &stats);
        if (m > 0)
            ck_assert_uint_eq(stats.instantiations, (uint64_t)p.told[0].prepared * 2); /* each slot with it and without it */
        weir_exec_destroy(exec);
        pipeline_finish(&p);
    }
}
END_TEST

/* A slot that is made anew calls enqueue again, which may fail then. */
static void fails_when_made_anew(const char *mode, behaviour then, const char *said)
{
    pipeline p;
    weir_task culprit;
    const uint32_t other = 50;
    pipeline_make(&p, ADDS, ADDS, 1);
    weir_exec *exec = exec_in_mode(runtime, p.graph, 2, mode);
    pipeline_gave(&p, exec, pipeline_submit(&p, exec, 1), 1, 14);
    p.told[0].does = then;
    OK(weir_exec_set(exec, p.value, &other));
    weir_ticket ticket = pipeline_submit(&p, exec, 2);
    no_error_is_left();
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, ticket, LONG_NS), "task 'first'");
    says(weir_last_error(), said);
    ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_TASK);
    ck_assert_uint_eq(culprit.number, p.task[0].number);
    weir_exec_destroy(exec);
    pipeline_finish(&p);
    another_exec_works(mode);
}

START_TEST(a_failure_when_a_slot_is_made_anew_is_the_frames)
{
    for (int m = 1; m < CUDA_MODES; m++) {
        fails_when_made_anew(cuda_modes[m], RETURNS_FAILURE, "WEIR_ERR_IO");
        fails_when_made_anew(cuda_modes[m], NOTHING, "added nothing");
        fails_when_made_anew(cuda_modes[m], ALLOCATES, "(900)");
        fails_when_made_anew(cuda_modes[m], LEAVES_UNJOINED, "unjoined (904)");
    }
}
END_TEST

/* With a host task, which the frames after the one that comes to nothing have to wait for in the same stream. */
START_TEST(a_frame_that_comes_to_nothing_hides_no_end)
{
    for (int m = 1; m < CUDA_MODES; m++) {
        enum { IN_FLIGHT = 3 };
        told t = {.does = ADDS};
        static const weir_native native = {.name = "told", .prepare = told_prepare, .enqueue = told_enqueue, .release = told_release};
        weir_graph *graph = graph_make("gated");
        weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE), *out = numbers("out", N, 1, WEIR_HOST_OUT);
        weir_param *value = NULL;
        weir_ticket ticket[IN_FLIGHT];
        gate g;
        const uint32_t seven = 7;
        gate_init(&g);
        OK(weir_param_create("value", &seven, sizeof seven, &value));
        weir_add_native(graph, &native, &t, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_PARAM(value)));
        weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x));
        weir_add_host(graph, "gate", gate_pass, &g, WEIR_ARGS(WEIR_READ(out)));
        weir_exec *exec = exec_in_mode(runtime, graph, IN_FLIGHT, cuda_modes[m]);
        t.fails_from = t.enqueued + 1;
        for (uint32_t n = 0; n < IN_FLIGHT; n++) {
            OK(weir_exec_set(exec, value, &(uint32_t){n == 0 ? 7 : 7 + n}));
            OK(weir_exec_submit(exec, &ticket[n]));
            t.fails_from = n == 1 ? 0 : t.fails_from; /* the third frame's is a good one */
        }
        gate_let(&g, IN_FLIGHT);
        OK(weir_exec_wait(exec, ticket[0], LONG_NS));
        REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, ticket[1], LONG_NS), "told");
        ck_assert_int_eq(weir_exec_wait(exec, ticket[2], LONG_NS), WEIR_ERR_TASK);
        weir_exec_destroy(exec);
        gate_finish(&g);
        ck_assert_int_eq(t.wrong, 0);
        weir_graph_destroy(graph);
        weir_buffer_destroy(x);
        weir_buffer_destroy(out);
        weir_param_destroy(value);
    }
}
END_TEST

/* Natives outside and in a body fork to one stream of the program's, which a capture of lanes keeps until it ends. */
START_TEST(natives_in_bodies_may_fork_to_the_same_stream_as_those_outside)
{
    static const weir_native native = {.name = "share", .enqueue = share};
    static const uint32_t one = 1, zero = 0;
    for (int m = 0; m < CUDA_MODES; m++) {
        told t = {.does = FORKS};
        weir_graph *graph = graph_make("outside"), *body = graph_make("body");
        weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE), *word = numbers("word", 1, 1, WEIR_DEVICE), *out = numbers("out", N, 1, WEIR_HOST_OUT);
        OK(told_prepare(&t, 0));
        sharing user = {&t.slot[0]};
        weir_add_fill(graph, "zero", WEIR_WRITE(x), &zero, sizeof zero);
        weir_add_fill(graph, "word", WEIR_WRITE(word), &one, sizeof one);
        weir_add_native(graph, &native, &user, WEIR_ARGS(WEIR_READ_WRITE(x)));
        weir_add_native(body, &native, &user, WEIR_ARGS(WEIR_READ_WRITE(x)));
        weir_add_if(graph, "branch", word, body, NULL);
        weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x));
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        weir_ticket ticket = submit(exec);
        OK(weir_exec_wait(exec, ticket, LONG_NS));
        ck_assert_uint_eq(((const uint32_t *)weir_exec_data(exec, ticket, out))[N - 1], 10);
        weir_exec_destroy(exec);
        told_release(&t, 0);
        weir_graph_destroy(graph);
        weir_graph_destroy(body);
        weir_buffer_destroy(x);
        weir_buffer_destroy(word);
        weir_buffer_destroy(out);
    }
}
END_TEST

/* A ring that another graph's frames move too. */
START_TEST(rings_that_another_exec_moves_arrive)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        pipeline p;
        const uint32_t five = 5;
        pipeline_make(&p, FORKS, ADDS, 3);
        weir_graph *mover = graph_make("mover");
        weir_add_fill(mover, "five", WEIR_WRITE(p.x), &five, sizeof five);
        weir_exec *exec = exec_in_mode(runtime, p.graph, 1, cuda_modes[m]), *moves = exec_in_mode(runtime, mover, 1, cuda_modes[m]);
        for (uint32_t n = 0; n < 12; n++) {
            if (n % 3 == 2)
                run_frames(moves, 1 + (int)(n % 2));
            pipeline_gave(&p, exec, pipeline_submit(&p, exec, n), n, 14);
        }
        weir_exec_destroy(moves);
        weir_exec_destroy(exec);
        weir_graph_destroy(mover);
        pipeline_finish(&p);
    }
}
END_TEST

/* ---- in bodies of loops and branches ---- */

enum { ROUNDS = 5 };

/* x = 0; loop ROUNDS times: x += value, by a native; out = x. With a branch: each round within one. */
typedef struct {
    weir_graph *graph, *body, *within;
    weir_buffer *x, *word, *out;
    weir_param *value;
    weir_task loop;
    told told;
} looping;

static void looping_make(looping *l, behaviour does, bool branches)
{
    const uint32_t zero = 0, rounds = ROUNDS, three = 3, less = UINT32_MAX, one = 1;
    memset(l, 0, sizeof *l);
    l->told.does = does;
    l->graph = graph_make("looping");
    l->body = graph_make("body");
    l->x = numbers("x", N, 1, WEIR_DEVICE);
    l->word = numbers("word", 1, 1, WEIR_DEVICE);
    l->out = numbers("out", N, WEIR_RING_AUTO, WEIR_HOST_OUT);
    OK(weir_param_create("value", &three, sizeof three, &l->value));
    l->within = graph_make("within");
    weir_add_native(branches ? l->within : l->body, &told_native, &l->told, WEIR_ARGS(WEIR_READ_WRITE(l->x), WEIR_PARAM(l->value)));
    if (branches)
        weir_add_if(l->body, "if", l->word, l->within, NULL);
    weir_add_kernel(l->body, &add_kernel, (weir_shape){.grid = {1}, .block = {1}}, WEIR_ARGS(WEIR_READ_WRITE(l->word), WEIR_VALUE(less), WEIR_VALUE(one)));
    weir_add_fill(l->graph, "zero", WEIR_WRITE(l->x), &zero, sizeof zero);
    weir_add_fill(l->graph, "rounds", WEIR_WRITE(l->word), &rounds, sizeof rounds);
    l->loop = weir_add_while(l->graph, "loop", l->body, l->word, 100);
    weir_add_copy(l->graph, "down", WEIR_WRITE(l->out), WEIR_READ(l->x));
    OK(weir_graph_status(l->graph));
}

static void looping_finish(looping *l)
{
    is_balanced(&l->told);
    weir_graph_destroy(l->graph);
    weir_graph_destroy(l->body);
    weir_graph_destroy(l->within);
    weir_buffer_destroy(l->x);
    weir_buffer_destroy(l->word);
    weir_buffer_destroy(l->out);
    weir_param_destroy(l->value);
}

static void looping_gave(const looping *l, weir_exec *exec, weir_ticket ticket, uint32_t sum)
{
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    const uint32_t *out = weir_exec_data(exec, ticket, l->out);
    ck_assert_msg(out != NULL, "%s", weir_last_error());
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(out[i], sum);
}

static void loops(behaviour does, bool branches, uint32_t frames, const char *mode)
{
    looping l;
    uint32_t value = 3;
    looping_make(&l, does, branches);
    weir_exec *exec = exec_in_mode(runtime, l.graph, frames, mode);
    for (uint32_t n = 0; n < 12; n++) {
        bool on = n % 5 != 3;
        if (n % 4 == 2)
            value += n;
        OK(weir_exec_set(exec, l.value, &value));
        OK(weir_exec_enable(exec, l.loop, on));
        looping_gave(&l, exec, submit(exec), on ? ROUNDS * value : 0);
    }
    OK(weir_exec_enable(exec, l.loop, 1));
    weir_ticket ticket = {0};
    for (int n = 0; n < 5; n++)
        ticket = submit(exec);
    looping_gave(&l, exec, ticket, ROUNDS * value);
    no_error_is_left();
    weir_exec_destroy(exec);
    looping_finish(&l);
}

START_TEST(natives_work_in_bodies)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t frames = 1; frames <= 3; frames += 2)
            for (int branches = 0; branches < 2; branches++) {
                loops(ADDS, branches, frames, cuda_modes[m]);
                loops(FORKS, branches, frames, cuda_modes[m]);
            }
}
END_TEST

START_TEST(natives_work_in_bodies_under_debugging)
{
    loops(ADDS, true, 2, "eager");
    loops(FORKS, false, 2, "eager");
}
END_TEST

static void is_refused_in_a_body(const char *mode, bool branches, behaviour does, const char *said)
{
    looping l;
    weir_exec *exec = NULL;
    looping_make(&l, does, branches);
    REFUSED(WEIR_ERR_TASK, try_exec(l.graph, 2, mode, &exec), branches ? "task 'loop/if/told': enqueue of native 'told' " : "task 'loop/told': enqueue of native 'told' ");
    says(weir_last_error(), said);
    no_error_is_left();
    looping_finish(&l);
}

static void bodies_refuse(const char *mode)
{
    for (int branches = 0; branches < 2; branches++) {
        for (int i = 0; i < REFUSALS; i++)
            is_refused_in_a_body(mode, branches, refusals[i].does, refusals[i].said);
        is_refused_in_a_body(mode, branches, CALLS_HOST, "puts a host function into its stream, which the body of a loop or branch may not hold");
        is_refused_in_a_body(mode, branches, LAUNCHES_GRAPH, "puts a host function into its stream, which the body of a loop or branch may not hold");
        is_refused_in_a_body(mode, branches, RECORDS_EVENT, "puts an event of another stream's into its stream, which the body of a loop or branch may not hold");
        loops(FORKS, branches, 1, mode);
    }
}

START_TEST(bodies_hold_less_in_every_mode)
{
    for (int m = 0; m < CUDA_MODES; m++)
        bodies_refuse(cuda_modes[m]);
}
END_TEST

START_TEST(and_bodies_under_debugging)
{
    bodies_refuse("eager");
    is_refused_in_a_body("eager", false, USES_LEGACY, "uses the legacy stream (906)");
}
END_TEST

START_TEST(what_was_prepared_for_bodies_is_released_when_making_fails)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        looping l;
        weir_exec *exec = NULL;
        looping_make(&l, ADDS, true);
        l.told.fails_to_prepare = 2;
        REFUSED(WEIR_ERR_TASK, try_exec(l.graph, 3, cuda_modes[m], &exec), "task 'told': prepare of native 'told'");
        ck_assert_int_eq(l.told.released, 1);
        looping_finish(&l);
    }
}
END_TEST

START_TEST(a_failure_in_a_body_that_is_made_anew_is_the_frames)
{
    static const behaviour kinds[] = {RETURNS_FAILURE, CALLS_HOST};
    for (int m = 0; m < CUDA_MODES; m++)
        for (int k = 0; k < 2; k++) {
            looping l;
            weir_task culprit;
            const uint32_t other = 11;
            looping_make(&l, ADDS, false);
            weir_exec *exec = exec_in_mode(runtime, l.graph, 2, cuda_modes[m]);
            looping_gave(&l, exec, submit(exec), ROUNDS * 3);
            l.told.does = kinds[k];
            OK(weir_exec_set(exec, l.value, &other));
            weir_ticket ticket = submit(exec);
            no_error_is_left();
            REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, ticket, LONG_NS), "task 'loop/told': enqueue of native 'told' ");
            says(weir_last_error(), k == 0 ? "WEIR_ERR_IO" : "a host function");
            ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_TASK);
            ck_assert_uint_eq(culprit.number, l.loop.number);
            weir_exec_destroy(exec);
            looping_finish(&l);
        }
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/native");
    TCase *cases = tcase_create("natives");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, results_are_the_same_in_every_mode);
    tcase_add_test(cases, and_while_ways_of_replaying_are_tried);
    tcase_add_test(cases, natives_may_fork_to_the_same_stream);
    tcase_add_test(cases, each_slot_is_prepared_and_released_once);
    tcase_add_test(cases, frames_in_flight_have_slots_of_their_own);
    tcase_add_test(cases, what_was_prepared_is_released_when_making_fails);
    tcase_add_test(cases, what_a_graph_may_not_do_is_refused_by_name);
    tcase_add_test(cases, streams_are_usable_after_a_refusal);
    tcase_add_test(cases, a_native_without_code_for_cuda_is_refused);
    tcase_add_test(cases, eager_natives_may_wait_allocate_and_do_nothing);
    tcase_add_test(cases, eager_natives_go_beside_a_capture_of_the_programs);
    tcase_add_test(cases, replays_are_made_beside_a_capture_of_the_programs);
    tcase_add_test(cases, an_error_left_behind_is_said_once_and_not_found_by_the_program);
    tcase_add_test(cases, what_enqueue_returns_fails_the_frame);
    tcase_add_test(cases, changed_params_arrive);
    tcase_add_test(cases, natives_are_switched_off_and_on);
    tcase_add_test(cases, a_native_that_is_off_is_not_called);
    tcase_add_test(cases, a_failure_when_a_slot_is_made_anew_is_the_frames);
    tcase_add_test(cases, rings_that_another_exec_moves_arrive);
    tcase_add_test(cases, natives_work_in_bodies);
    tcase_add_test(cases, bodies_hold_less_in_every_mode);
    tcase_add_test(cases, a_frame_that_comes_to_nothing_hides_no_end);
    tcase_add_test(cases, natives_in_bodies_may_fork_to_the_same_stream_as_those_outside);
    tcase_add_test(cases, what_was_prepared_for_bodies_is_released_when_making_fails);
    tcase_add_test(cases, a_failure_in_a_body_that_is_made_anew_is_the_frames);
    suite_add_tcase(suite, cases);
    TCase *debugging = tcase_create("debugging");
    tcase_add_checked_fixture(debugging, set_debug, tear_down);
    tcase_add_test(debugging, and_under_debugging);
    tcase_add_test(debugging, debugging_refuses_the_same);
    tcase_add_test(debugging, debugging_names_who_uses_the_legacy_stream);
    tcase_add_test(debugging, natives_work_in_bodies_under_debugging);
    tcase_add_test(debugging, and_bodies_under_debugging);
    suite_add_tcase(suite, debugging);
    return suite_run(suite);
}
