/* captures_test.c - captures of the program's and of weir's leave each other alone, whatever the threads of both do meanwhile. A program
 * captures in mode Global, which any careless call of any thread ends. How many rounds of each is WEIR_TEST_ROUNDS, or 20. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "weir/cuda.h"
#include <stdatomic.h>

enum { N = 64, NODES = 8, ROUNDS = 20 };
static const int64_t LONG_NS = 10000000000;
static const uint32_t count_n = N;
static const weir_shape shape = {.grid = {1}, .block = {N}};

static void set_up(void)
{
    no_environment();
}

static uint32_t rounds(void)
{
    return (uint32_t)number_from_environment("WEIR_TEST_ROUNDS", ROUNDS);
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

/* ---- all that weir can be asked for ---- */

/* in, doubled and more, to out, through a ring; a host task; a copy of a box, for which a slot must be made anew when it is switched. */
typedef struct {
    weir_graph *graph;
    weir_buffer *in, *state, *out;
    weir_param *addend;
    weir_task box;
    atomic_int calls;
} everything;

static weir_status count_atomically(void *user, void *const *args)
{
    (void)args;
    atomic_fetch_add((atomic_int *)user, 1);
    return WEIR_OK;
}

static void everything_make(everything *e)
{
    const uint32_t zero = 0, two = 2;
    atomic_init(&e->calls, 0);
    e->in = numbers("in", N, WEIR_RING_AUTO, WEIR_HOST_IN);
    e->state = numbers("state", N, 2, WEIR_DEVICE);
    e->out = numbers("out", N, 3, WEIR_HOST_OUT);
    OK(weir_param_create("addend", &zero, sizeof zero, &e->addend));
    e->graph = graph_make("everything");
    weir_add_fill(e->graph, "clear", WEIR_WRITE(e->out), &zero, sizeof zero);
    weir_add_kernel(e->graph, &scale_kernel, shape, WEIR_ARGS(WEIR_WRITE(e->state), WEIR_READ(e->in), WEIR_VALUE(two), WEIR_PARAM(e->addend), WEIR_VALUE(count_n)));
    e->box = weir_add_copy(e->graph, "box", weir_part(WEIR_WRITE(e->out), (weir_box){.nx = N / 2}), weir_part(WEIR_READ(e->state), (weir_box){.nx = N / 2}));
    weir_add_host(e->graph, "count", count_atomically, &e->calls, WEIR_ARGS(WEIR_READ(e->out)));
    OK(weir_graph_status(e->graph));
}

static void everything_finish(everything *e)
{
    weir_graph_destroy(e->graph);
    weir_buffer_destroy(e->in);
    weir_buffer_destroy(e->state);
    weir_buffer_destroy(e->out);
    weir_param_destroy(e->addend);
}

/* Streams and events that are not captured. */
typedef struct {
    cudaStream_t stream;
    cudaEvent_t before, end;
} beside;

static void run_a_frame(everything *e, weir_runtime *runtime, weir_exec *exec, const beside *b, uint32_t n)
{
    uint32_t half = n % 3 != 2 ? N / 2 : 0, held[N];
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    OK(weir_exec_set(exec, e->addend, &n));
    OK(weir_exec_enable(exec, e->box, n % 3 != 2));
    OK(weir_exec_begin(exec, LONG_NS, &frame));
    uint32_t *in = weir_frame_data(frame, e->in);
    for (uint32_t i = 0; i < N; i++)
        in[i] = i + n;
    CUDA(cudaEventRecord(b->before, b->stream));
    OK(weir_frame_wait_event(frame, b->before));
    OK(n % 2 ? weir_frame_submit_on(frame, b->stream, &ticket) : weir_frame_submit(frame, &ticket));
    OK(weir_exec_record_end(exec, ticket, b->end));
    weir_status asked = weir_exec_poll_task(exec, ticket, e->box);
    ck_assert(asked == WEIR_OK || asked == WEIR_WOULD_BLOCK);
    asked = weir_exec_wait(exec, ticket, 0);
    ck_assert(asked == WEIR_OK || asked == WEIR_WOULD_BLOCK);
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    const uint32_t *out = weir_exec_data(exec, ticket, e->out);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(out[i], i < half ? (i + n) * 2 + n : 0);
    OK(weir_buffer_read(runtime, e->state, held, 0, sizeof held));
    OK(weir_buffer_write(runtime, e->state, held, 0, sizeof held));
}

static void thread_is_as_careful_as_ever(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
    ck_assert_int_eq(mode, cudaStreamCaptureModeGlobal);
}

/* A runtime, from its opening to its end, that does everything. */
static void do_everything(const beside *b, const char *mode, int timing)
{
    enum { FRAMES = 7 };
    everything e;
    everything_make(&e);
    weir_runtime *runtime = cuda_runtime();
    weir_device_info info;
    OK(weir_device_get(0, &info));
    weir_exec *exec = exec_with(runtime, e.graph, &(weir_plan_options){.frames = 2}, &(weir_exec_options){.mode = mode, .timing = timing});
    for (uint32_t n = 0; n < FRAMES; n++)
        run_a_frame(&e, runtime, exec, b, n);
    OK(weir_runtime_wait(runtime, LONG_NS));
    ck_assert_int_eq(atomic_load(&e.calls), FRAMES);
    weir_exec_destroy(exec);
    everything_finish(&e);
    weir_runtime_destroy(runtime);
    thread_is_as_careful_as_ever();
}

/* ---- a capture of the program's ---- */

typedef struct {
    cudaStream_t stream;
    cudaGraph_t graph;
    void *memory;
} capture;

static void capture_begin(capture *c)
{
    CUDA(cudaMalloc(&c->memory, N));
    c->stream = stream_make();
    CUDA(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeGlobal));
}

static void capture_end(capture *c)
{
    size_t nodes = 0;
    for (int i = 0; i < NODES; i++)
        CUDA(cudaMemsetAsync(c->memory, i, N, c->stream));
    CUDA(cudaStreamEndCapture(c->stream, &c->graph));
    CUDA(cudaGraphGetNodes(c->graph, NULL, &nodes));
    ck_assert_uint_eq(nodes, NODES);
    CUDA(cudaGraphDestroy(c->graph));
    CUDA(cudaStreamDestroy(c->stream));
    CUDA(cudaFree(c->memory));
}

static beside beside_make(void)
{
    return (beside){stream_make(), event_make(), event_make()};
}

static void beside_finish(const beside *b)
{
    CUDA(cudaStreamSynchronize(b->stream));
    CUDA(cudaStreamDestroy(b->stream));
    CUDA(cudaEventDestroy(b->before));
    CUDA(cudaEventDestroy(b->end));
}

static const char *const modes[] = {"eager", "replay", "capture", "auto"};

START_TEST(program_may_capture_and_call_weir_from_one_thread)
{
    beside b = beside_make();
    for (uint32_t n = 0; n < rounds(); n++) {
        capture c = {.graph = NULL};
        capture_begin(&c);
        do_everything(&b, modes[n % 4], n % 8 == 0);
        capture_end(&c);
    }
    beside_finish(&b);
}
END_TEST

/* A capture is open nearly all the time; which means that its thread may do nothing careless either. */
typedef struct {
    pthread_barrier_t each;
    uint32_t count;
} capturing;

static void *capture_each(void *user)
{
    capturing *t = user;
    for (uint32_t n = 0; n < t->count; n++) {
        capture c = {.graph = NULL};
        capture_begin(&c);
        pthread_barrier_wait(&t->each); /* it is open */
        pthread_barrier_wait(&t->each); /* and may end */
        capture_end(&c);
    }
    return NULL;
}

START_TEST(program_may_capture_in_another_thread_than_calls_weir)
{
    beside b = beside_make();
    capturing t = {.count = rounds()};
    pthread_t thread;
    ck_assert_int_eq(pthread_barrier_init(&t.each, NULL, 2), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, capture_each, &t), 0);
    for (uint32_t n = 0; n < t.count; n++) {
        pthread_barrier_wait(&t.each);
        do_everything(&b, modes[n % 4], n % 8 == 0);
        pthread_barrier_wait(&t.each);
    }
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&t.each);
    beside_finish(&b);
}
END_TEST

/* ---- captures of weir's ---- */

typedef struct {
    atomic_bool stop;
    atomic_uint done;
    cudaStream_t stream;
    cudaEvent_t event;
} careless;

/* What another's capture in mode Global would not survive. */
static void *be_careless(void *user)
{
    careless *t = user;
    while (!atomic_load(&t->stop)) {
        void *memory = NULL, *host = NULL;
        CUDA(cudaEventQuery(t->event));
        CUDA(cudaStreamQuery(t->stream));
        CUDA(cudaMalloc(&memory, N));
        CUDA(cudaHostAlloc(&host, N, cudaHostAllocDefault));
        CUDA(cudaStreamSynchronize(t->stream));
        CUDA(cudaFreeHost(host));
        CUDA(cudaFree(memory));
        atomic_fetch_add(&t->done, 1);
    }
    return NULL;
}

START_TEST(weir_captures_while_threads_query_and_allocate)
{
    enum { THREADS = 2, EXECS = 10 };
    careless t = {.stream = stream_make(), .event = event_make()};
    pthread_t threads[THREADS];
    beside b = beside_make();
    CUDA(cudaEventRecord(t.event, t.stream));
    CUDA(cudaStreamSynchronize(t.stream));
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, be_careless, &t), 0);
    for (uint32_t n = 0; n < rounds() || atomic_load(&t.done) == 0; n++)
        do_everything(&b, "capture", 0);
    weir_runtime *runtime = cuda_runtime();
    everything e;
    everything_make(&e);
    for (int i = 0; i < EXECS; i++) /* nothing but captures */
        weir_exec_destroy(exec_in_mode(runtime, e.graph, 2, "capture"));
    atomic_store(&t.stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    everything_finish(&e);
    weir_runtime_destroy(runtime);
    beside_finish(&b);
    CUDA(cudaStreamDestroy(t.stream));
    CUDA(cudaEventDestroy(t.event));
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/captures");
    TCase *tests = tcase_create("captures");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, program_may_capture_and_call_weir_from_one_thread);
    tcase_add_test(tests, program_may_capture_in_another_thread_than_calls_weir);
    tcase_add_test(tests, weir_captures_while_threads_query_and_allocate);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
