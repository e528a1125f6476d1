/* allocation_test.c - a thousand frames take no memory: none of the host through weir's allocator, and none of the device. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include <stdatomic.h>

enum { FRAMES = 1000, WARM = 30, N = 256 };
static const uint32_t count_n = N;
static const weir_shape wide = {.grid = {4}, .block = {64}};

static atomic_bool counting;
static atomic_long requests;

static void *counted(void *memory, size_t bytes)
{
    if (atomic_load(&counting))
        atomic_fetch_add(&requests, 1);
    if (bytes > 0)
        return realloc(memory, bytes);
    free(memory);
    return NULL;
}

/* ---- a graph with something of everything ---- */

typedef struct {
    weir_buffer *in, *state, *out, *local;
    weir_param *param;
    weir_graph *graph;
    weir_task switched[3];
    int calls;
} everything;

static void everything_make(everything *e)
{
    const uint32_t zero = 0, factor = 3;
    e->calls = 0;
    e->in = numbers("in", N, WEIR_RING_AUTO, WEIR_HOST_IN);
    e->state = numbers("state", N, 2, WEIR_DEVICE);
    e->out = numbers("out", N, WEIR_RING_AUTO, WEIR_HOST_OUT);
    e->local = numbers("local", N, 1, WEIR_HOST_LOCAL);
    OK(weir_param_create("param", &zero, sizeof zero, &e->param));
    e->graph = graph_make("everything");
    weir_add_kernel(e->graph, &scale_kernel, wide,
                    WEIR_ARGS(WEIR_WRITE(e->state), WEIR_PREVIOUS(e->state, 1), WEIR_VALUE(factor), WEIR_PARAM(e->param), WEIR_VALUE(count_n), weir_hidden(WEIR_READ(e->in))));
    weir_add_fill(e->graph, "fill", WEIR_WRITE(e->out), &zero, sizeof zero);
    weir_add_copy(e->graph, "down", weir_part(WEIR_WRITE(e->out), (weir_box){.nx = N / 2}), weir_part(WEIR_READ(e->state), (weir_box){.nx = N / 2}));
    weir_add_host(e->graph, "host", count_call, &e->calls, WEIR_ARGS(WEIR_READ(e->in), WEIR_READ_WRITE(e->out), WEIR_WRITE(e->local)));
    e->switched[0] = weir_add_kernel(e->graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(e->out), WEIR_PARAM(e->param), WEIR_VALUE(count_n)));
    e->switched[1] = weir_add_host(e->graph, "switched", do_nothing, NULL, WEIR_ARGS(WEIR_READ(e->local)));
    e->switched[2] = weir_add_copy(e->graph, "again", weir_part(WEIR_WRITE(e->out), (weir_box){.x = N / 2, .nx = N / 2}), weir_part(WEIR_READ(e->state), (weir_box){.nx = N / 2}));
    OK(weir_graph_status(e->graph));
}

static void everything_finish(everything *e)
{
    weir_graph_destroy(e->graph);
    weir_buffer_destroy(e->in);
    weir_buffer_destroy(e->state);
    weir_buffer_destroy(e->out);
    weir_buffer_destroy(e->local);
    weir_param_destroy(e->param);
}

/* Check itself takes memory in its assertions, so what is wrong is counted. */
static int frame(everything *e, weir_exec *exec, uint32_t n)
{
    weir_frame *open = NULL;
    weir_ticket ticket = {0};
    uint32_t value = n % 3;
    int wrong = weir_exec_set(exec, e->param, &value) != WEIR_OK;
    for (uint32_t i = 0; i < 3; i++)
        wrong += weir_exec_enable(exec, e->switched[i], (n + i) % 5 != 0) != WEIR_OK;
    wrong += weir_exec_begin(exec, -1, &open) != WEIR_OK;
    if (wrong)
        return wrong;
    ((uint32_t *)weir_frame_data(open, e->in))[0] = n;
    wrong += weir_frame_submit(open, &ticket) != WEIR_OK;
    wrong += weir_exec_poll_task(exec, ticket, e->switched[0]) > WEIR_WOULD_BLOCK;
    if (n % 4 == 0) {
        wrong += weir_exec_wait(exec, ticket, -1) != WEIR_OK;
        wrong += weir_exec_data(exec, ticket, e->out) == NULL;
    }
    return wrong;
}

static void frames_take_no_memory(const char *mode, uint32_t frames, int timing)
{
    everything e;
    int wrong = 0;
    size_t before = 0, after = 0, all = 0;
    weir_runtime *runtime = cuda_runtime();
    everything_make(&e);
    weir_exec *exec = exec_with(runtime, e.graph, &(weir_plan_options){.frames = frames}, &(weir_exec_options){.mode = mode, .timing = timing});
    for (uint32_t n = 0; n < WARM; n++)
        wrong += frame(&e, exec, n);
    wrong += weir_runtime_wait(runtime, -1) != WEIR_OK;
    CUDA(cudaMemGetInfo(&before, &all));
    atomic_store(&requests, 0);
    atomic_store(&counting, true);
    for (uint32_t n = 0; n < FRAMES; n++)
        wrong += frame(&e, exec, n);
    wrong += weir_runtime_wait(runtime, -1) != WEIR_OK;
    atomic_store(&counting, false);
    CUDA(cudaMemGetInfo(&after, &all));
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(e.calls, WARM + FRAMES);
    ck_assert_int_eq(atomic_load(&requests), 0);
    ck_assert_msg(before == after, "%s: %zu bytes of the device were free, then %zu", mode, before, after);
    weir_exec_destroy(exec);
    everything_finish(&e);
    weir_runtime_destroy(runtime);
}

/* ---- three frames in flight, and nobody who waits for one but to have room for the next ---- */

/* upload -> add -> download: what is uploaded is read, what is added to goes on from frame to frame, what is downloaded stands for three frames. */
typedef struct {
    weir_buffer *in, *source, *state, *out;
    weir_param *param;
    weir_graph *graph;
} pipeline;

static void pipeline_make(pipeline *p)
{
    const uint32_t one = 1;
    p->in = numbers("in", N, WEIR_RING_AUTO, WEIR_HOST_IN);
    p->source = numbers("source", N, WEIR_RING_AUTO, WEIR_DEVICE);
    p->state = numbers("state", N, 1, WEIR_DEVICE);
    p->out = numbers("out", N, WEIR_RING_AUTO, WEIR_HOST_OUT);
    OK(weir_param_create("param", &one, sizeof one, &p->param));
    p->graph = graph_make("pipeline");
    weir_add_copy(p->graph, "upload", WEIR_WRITE(p->source), WEIR_READ(p->in));
    weir_add_kernel(p->graph, &add_kernel, wide,
                    WEIR_ARGS(WEIR_READ_WRITE(p->state), WEIR_PARAM(p->param), WEIR_VALUE(count_n), weir_hidden(WEIR_READ(p->source))));
    weir_add_copy(p->graph, "download", WEIR_WRITE(p->out), WEIR_READ(p->state));
    OK(weir_graph_status(p->graph));
}

static void pipeline_finish(pipeline *p)
{
    weir_graph_destroy(p->graph);
    weir_buffer_destroy(p->in);
    weir_buffer_destroy(p->source);
    weir_buffer_destroy(p->state);
    weir_buffer_destroy(p->out);
    weir_param_destroy(p->param);
}

static int full_frames(const pipeline *p, weir_exec *exec, uint32_t frames, weir_ticket *last)
{
    int wrong = 0;
    for (uint32_t n = 0; n < frames && !wrong; n++) {
        weir_frame *open = NULL;
        wrong += weir_exec_begin(exec, -1, &open) != WEIR_OK;
        if (!wrong)
            ((uint32_t *)weir_frame_data(open, p->in))[0] = n;
        wrong += weir_frame_submit(open, last) != WEIR_OK;
    }
    return wrong;
}

START_TEST(a_thousand_frames_of_which_three_are_always_in_flight_take_no_memory)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        pipeline p;
        weir_ticket last = {0};
        weir_stats stats;
        size_t before = 0, after = 0, all = 0;
        weir_runtime *runtime = cuda_runtime();
        pipeline_make(&p);
        weir_exec *exec = exec_with(runtime, p.graph, &(weir_plan_options){.frames = 3}, &(weir_exec_options){.mode = cuda_modes[m]});
        int wrong = full_frames(&p, exec, WARM, &last);
        wrong += weir_exec_wait(exec, last, -1) != WEIR_OK;
        CUDA(cudaMemGetInfo(&before, &all));
        atomic_store(&requests, 0);
        atomic_store(&counting, true);
        wrong += full_frames(&p, exec, FRAMES, &last);
        wrong += weir_exec_wait(exec, last, -1) != WEIR_OK;
        atomic_store(&counting, false);
        CUDA(cudaMemGetInfo(&after, &all));
        ck_assert_int_eq(wrong, 0);
        ck_assert_int_eq(atomic_load(&requests), 0);
        ck_assert_msg(before == after, "%s: %zu bytes of the device were free, then %zu", cuda_modes[m], before, after);
        weir_exec_stats(exec, &stats);
        ck_assert_str_eq(stats.mode, cuda_modes[m]);
        const uint32_t *out = weir_exec_data(exec, last, p.out);
        ck_assert_ptr_nonnull(out);
        ck_assert_uint_eq(out[N - 1], WARM + FRAMES);
        weir_exec_destroy(exec);
        pipeline_finish(&p);
        weir_runtime_destroy(runtime);
    }
}
END_TEST

START_TEST(the_counting_counts)
{
    atomic_store(&requests, 0);
    atomic_store(&counting, true);
    weir_buffer *buffer = numbers("one", 1, 1, WEIR_DEVICE);
    atomic_store(&counting, false);
    ck_assert_int_gt(atomic_load(&requests), 0);
    weir_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_thousand_frames_take_no_memory)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t frames = 1; frames <= 3; frames += 2)
            frames_take_no_memory(cuda_modes[m], frames, 0);
}
END_TEST

START_TEST(nor_do_those_with_times_kept)
{
    frames_take_no_memory("eager", 2, 1);
}
END_TEST

int main(void)
{
    skip_without_device();
    no_environment();
    weir_set_allocator(counted);
    Suite *suite = suite_create("backend/cuda/allocation");
    TCase *cases = tcase_create("allocation");
    tcase_add_test(cases, the_counting_counts);
    tcase_add_test(cases, a_thousand_frames_take_no_memory);
    tcase_add_test(cases, a_thousand_frames_of_which_three_are_always_in_flight_take_no_memory);
    tcase_add_test(cases, nor_do_those_with_times_kept);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
