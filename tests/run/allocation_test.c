/* allocation_test.c - after the exec is made, frames allocate nothing. Counted twice: every malloc, calloc, realloc and free of the
 * process, by symbols of this program that stand in front of libc's, and every request that the library makes through its hook.
 * Sanitizers bring an allocator of their own, so there only the hook counts. */
#include "run/fixture.h"
#include <stdatomic.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERPOSED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INTERPOSED 0
#endif
#endif
#if !defined(INTERPOSED) && defined(__GLIBC__)
#define INTERPOSED 1 /* glibc lets a program bring its own malloc, and keeps its own under these names */
#elif !defined(INTERPOSED)
#define INTERPOSED 0
#endif

static atomic_bool counting;
static atomic_long process_calls, hook_calls;

#if INTERPOSED
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void __libc_free(void *memory);

static void note(void)
{
    if (atomic_load_explicit(&counting, memory_order_relaxed))
        atomic_fetch_add(&process_calls, 1);
}

void *malloc(size_t bytes)
{
    note();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    note();
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    note();
    return __libc_realloc(memory, bytes);
}

void free(void *memory)
{
    note();
    __libc_free(memory);
}
#endif

static void *counted(void *memory, size_t bytes)
{
    if (atomic_load_explicit(&counting, memory_order_relaxed))
        atomic_fetch_add(&hook_calls, 1);
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, bytes);
}

static void count_from_here(void)
{
    atomic_store(&process_calls, 0);
    atomic_store(&hook_calls, 0);
    atomic_store(&counting, true);
}

static void nothing_was_counted(void)
{
    atomic_store(&counting, false);
    ck_assert_int_eq(atomic_load(&hook_calls), 0);
    ck_assert_int_eq(atomic_load(&process_calls), 0);
}

START_TEST(the_counting_itself_counts)
{
    weir_buffer *b = NULL;
    count_from_here();
    weir_status status = weir_buffer_create(&(weir_buffer_desc){.name = "b", .element_bytes = 4, .nx = 4}, &b);
    atomic_store(&counting, false);
    OK(status);
    ck_assert_int_eq(atomic_load(&hook_calls), 2); /* itself and its name */
    ck_assert_int_eq(atomic_load(&process_calls), INTERPOSED ? 2 : 0);
    weir_buffer_destroy(b);
}
END_TEST

/* ---- a frame graph with something of everything ---- */

enum { FRAMES = 1000, N = 64 };

static void step(const weir_blocks *blocks, void *const *args)
{
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    const uint32_t *from = WEIR_PASSED(const uint32_t *, args, 1), *scratch = blocks->shared;
    for (uint64_t b = blocks->first; b < blocks->first + blocks->count; b++)
        to[b] = from[b] + WEIR_PASSED(uint32_t, args, 2) + (scratch ? 0 : 1);
}

static void decrement(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    --*WEIR_PASSED(uint32_t *, args, 0);
}

static const weir_kernel step_kernel = {.name = "step", .host = step}, decrement_kernel = {.name = "decrement", .host = decrement};

static void told(void *user, weir_ticket ticket, weir_status status)
{
    (void)ticket;
    atomic_fetch_add((atomic_int *)user, status == WEIR_OK);
}

typedef struct {
    weir_buffer *in, *state, *out, *local, *word;
    weir_param *param;
    weir_graph *graph, *body, *branch;
    weir_task switched, loop;
    int host_calls;
} everything;

/* Three rounds, each with a branch, of a kernel that may be shared out. */
static void add_loop(everything *e)
{
    const uint32_t three = 3;
    e->word = numbers("word", 1, 1, WEIR_DEVICE);
    e->body = graph_make("body");
    e->branch = graph_make("branch");
    weir_add_kernel(e->branch, &step_kernel, (weir_shape){.grid = {N}, .shared_bytes = 200},
                    WEIR_ARGS(WEIR_READ_WRITE(e->state), WEIR_PREVIOUS(e->state, 1), WEIR_PARAM(e->param)));
    weir_add_if(e->body, "if", e->word, e->branch, NULL);
    weir_add_kernel(e->body, &decrement_kernel, (weir_shape){.grid = {1}}, WEIR_ARGS(WEIR_READ_WRITE(e->word)));
    weir_add_fill(e->graph, "three", WEIR_WRITE(e->word), &three, sizeof three);
    e->loop = weir_add_while(e->graph, "loop", e->body, e->word, 5);
}

static void everything_make(everything *e)
{
    uint32_t zero = 0;
    e->host_calls = 0;
    e->in = numbers("in", N, WEIR_RING_AUTO, WEIR_HOST_IN);
    e->state = numbers("state", N, 2, WEIR_DEVICE);
    e->out = numbers("out", N, WEIR_RING_AUTO, WEIR_HOST_OUT);
    e->local = numbers("local", N, 1, WEIR_HOST_LOCAL);
    OK(weir_param_create("param", &zero, sizeof zero, &e->param));
    e->graph = graph_make("everything");
    weir_add_kernel(e->graph, &step_kernel, (weir_shape){.grid = {N}, .shared_bytes = 100},
                    WEIR_ARGS(WEIR_WRITE(e->state), WEIR_PREVIOUS(e->state, 1), WEIR_PARAM(e->param), weir_hidden(WEIR_READ(e->in))));
    add_loop(e);
    weir_add_fill(e->graph, "fill", weir_part(WEIR_WRITE(e->out), (weir_box){.x = N / 2, .nx = N / 2}), &zero, sizeof zero);
    weir_add_copy(e->graph, "down", weir_part(WEIR_WRITE(e->out), (weir_box){.nx = N / 2}),
                  weir_part(WEIR_READ(e->state), (weir_box){.nx = N / 2}));
    weir_add_host(e->graph, "host", count_call, &e->host_calls, WEIR_ARGS(WEIR_READ(e->in), WEIR_READ(e->out), WEIR_WRITE(e->local)));
    e->switched = weir_add_host(e->graph, "switched", do_nothing, NULL, WEIR_ARGS(WEIR_READ(e->local)));
    OK(weir_graph_status(e->graph));
}

static void everything_finish(everything *e)
{
    weir_graph_destroy(e->graph);
    weir_graph_destroy(e->body);
    weir_graph_destroy(e->branch);
    weir_buffer_destroy(e->word);
    weir_buffer_destroy(e->in);
    weir_buffer_destroy(e->state);
    weir_buffer_destroy(e->out);
    weir_buffer_destroy(e->local);
    weir_param_destroy(e->param);
}

/* Check itself takes memory in its assertions, so between the marks what is wrong is counted. */
static int one_frame(everything *e, weir_exec *exec, weir_runtime *runtime, uint32_t n)
{
    weir_frame *frame = NULL;
    weir_ticket ticket;
    uint32_t value = n % 3, got, rounds = 0;
    double start, end;
    int wrong = weir_exec_set(exec, e->param, &value) != WEIR_OK;
    wrong += weir_exec_enable(exec, e->switched, n % 5 != 0) != WEIR_OK;
    wrong += weir_exec_begin(exec, -1, &frame) != WEIR_OK;
    ((uint32_t *)weir_frame_data(frame, e->in))[0] = n;
    wrong += weir_frame_submit(frame, &ticket) != WEIR_OK;
    wrong += weir_exec_wait(exec, ticket, 0) > WEIR_WOULD_BLOCK;
    wrong += weir_exec_poll_task(exec, ticket, e->switched) > WEIR_WOULD_BLOCK;
    if (weir_exec_begin(exec, 0, &frame) == WEIR_OK)
        wrong += weir_frame_submit(frame, &ticket) != WEIR_OK;
    if (n % 4 == 0) {
        wrong += weir_exec_wait(exec, ticket, -1) != WEIR_OK;
        wrong += weir_exec_iterations(exec, ticket, e->loop, &rounds) != WEIR_OK || rounds != 3;
        wrong += weir_exec_data(exec, ticket, e->out) == NULL;
        wrong += weir_buffer_read(runtime, e->state, &got, 0, sizeof got) != WEIR_OK;
        wrong += weir_exec_task_time(exec, ticket, e->switched, &start, &end) == WEIR_ERR_INVALID;
    }
    return wrong;
}

static void frames_take_no_memory(uint32_t workers, uint32_t frames, const weir_exec_options *options)
{
    everything e;
    atomic_int done;
    atomic_init(&done, 0);
    weir_runtime *runtime = runtime_make(workers);
    everything_make(&e);
    weir_exec *exec = exec_with(runtime, e.graph, &(weir_plan_options){.frames = frames}, options),
              *second = exec_make(runtime, e.graph, 1);
    weir_exec_on_frame(exec, told, &done);
    int wrong = 0;
    count_from_here();
    for (uint32_t n = 0; n < FRAMES; n++) {
        wrong += one_frame(&e, exec, runtime, n);
        if (n % 10 == 0) /* frames of one that follow those of the other */
            wrong += weir_exec_submit(second, NULL) != WEIR_OK;
    }
    wrong += weir_runtime_wait(runtime, -1) != WEIR_OK;
    nothing_was_counted();
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_ge(atomic_load(&done), FRAMES);
    ck_assert_int_eq(e.host_calls, atomic_load(&done) + FRAMES / 10);
    weir_exec_destroy(exec);
    weir_exec_destroy(second);
    everything_finish(&e);
    weir_runtime_destroy(runtime);
}

START_TEST(a_thousand_frames_take_no_memory)
{
    frames_take_no_memory(2, 1, NULL);
}
END_TEST

START_TEST(nor_do_frames_in_flight_with_times_kept)
{
    frames_take_no_memory(3, 3, &(weir_exec_options){.timing = 1});
}
END_TEST

START_TEST(nor_do_shuffled_ones)
{
    setenv("WEIR_SHUFFLE", "3", 1);
    frames_take_no_memory(2, 2, NULL);
}
END_TEST

static void set_up(void)
{
    no_environment();
    weir_set_allocator(counted);
}

static void tear_down(void)
{
    weir_set_allocator(NULL);
}

int main(void)
{
    Suite *suite = suite_create("run/allocation");
    TCase *cases = tcase_create("allocation");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, the_counting_itself_counts);
    tcase_add_test(cases, a_thousand_frames_take_no_memory);
    tcase_add_test(cases, nor_do_frames_in_flight_with_times_kept);
    tcase_add_test(cases, nor_do_shuffled_ones);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
