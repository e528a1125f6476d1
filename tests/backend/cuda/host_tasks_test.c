/* host_tasks_test.c - host tasks of a device's frames run beside each other and beside the device, hand over in both directions, and leave
 * nothing hanging when they fail. Nothing here asserts a time: what should run at once waits for each other. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "util/clock.h"
#include <stdatomic.h>

enum { N = 64, HOPS = 48, PATIENCE_MS = 15000 };
static const int64_t LONG_NS = 30000000000;
static const uint32_t count_n = N;
static const weir_shape wide = {.grid = {2}, .block = {32}}, one = {.grid = {1}, .block = {1}};

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

/* ---- beside each other ---- */

typedef struct {
    atomic_int arrived, missed;
} meeting;

static meeting *meeting_clear(meeting *m)
{
    atomic_store(&m->arrived, 0);
    atomic_store(&m->missed, 0);
    return m;
}

/* Waits for the other one. Were they run one after the other, the first would wait in vain. */
static weir_status meet(void *user, void *const *args)
{
    meeting *m = user;
    (void)args;
    int together = (atomic_fetch_add(&m->arrived, 1) / 2 + 1) * 2; /* in pairs, frame by frame */
    for (int ms = 0; atomic_load(&m->arrived) < together; ms++) {
        if (ms == PATIENCE_MS) {
            atomic_fetch_add(&m->missed, 1);
            return WEIR_OK;
        }
        pause_ms(1);
    }
    return WEIR_OK;
}

/* Each follows a kernel of its own; kernels follow them in turn. */
static weir_graph *two_sides(weir_host_fn *function, void *user, weir_buffer *sides[2])
{
    const uint32_t value = 3;
    weir_graph *graph = graph_make("two sides");
    for (int i = 0; i < 2; i++) {
        sides[i] = numbers(i ? "right" : "left", N, 1, WEIR_HOST_OUT);
        weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(sides[i]), WEIR_VALUE(value), WEIR_VALUE(count_n)));
        weir_add_host(graph, i ? "right host" : "left host", function, user, WEIR_ARGS(WEIR_READ_WRITE(sides[i])));
        weir_add_kernel(graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(sides[i]), WEIR_VALUE(value), WEIR_VALUE(count_n)));
    }
    OK(weir_graph_status(graph));
    return graph;
}

START_TEST(two_independent_host_tasks_run_at_once)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        weir_buffer *sides[2];
        meeting both;
        weir_graph *graph = two_sides(meet, meeting_clear(&both), sides);
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        run_frames(exec, 5);
        ck_assert_int_eq(atomic_load(&both.arrived), 10);
        ck_assert_msg(atomic_load(&both.missed) == 0, "%s: host tasks are run one after the other", cuda_modes[m]);
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(sides[0]);
        weir_buffer_destroy(sides[1]);
    }
}
END_TEST

/* ---- beside CUDA's own ---- */

static weir_status sleep_50(void *user, void *const *args)
{
    (void)user;
    (void)args;
    pause_ms(50);
    return WEIR_OK;
}

static void cuda_sleep_50(void *user)
{
    (void)user;
    pause_ms(50);
}

static double two_cuda_host_functions_ms(void)
{
    cudaStream_t stream[2];
    for (int i = 0; i < 2; i++)
        CUDA(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    int64_t start = weir_clock_ns();
    for (int i = 0; i < 2; i++)
        CUDA(cudaLaunchHostFunc(stream[i], cuda_sleep_50, NULL));
    for (int i = 0; i < 2; i++)
        CUDA(cudaStreamSynchronize(stream[i]));
    double ms = (double)(weir_clock_ns() - start) / MILLISECOND;
    for (int i = 0; i < 2; i++)
        CUDA(cudaStreamDestroy(stream[i]));
    return ms;
}

/* Told, not tested: the meeting above is the test. */
START_TEST(two_of_50_ms_beside_two_host_functions_of_cudas)
{
    printf("two host functions of 50 ms: cudaLaunchHostFunc in two streams %.1f ms\n", two_cuda_host_functions_ms());
    for (int m = 0; m < CUDA_MODES; m++) {
        weir_buffer *sides[2];
        weir_graph *graph = two_sides(sleep_50, NULL, sides);
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        run_frames(exec, 1);
        int64_t start = weir_clock_ns();
        run_frames(exec, 1);
        printf("two host tasks of 50 ms, %s: %.1f ms\n", cuda_modes[m], (double)(weir_clock_ns() - start) / MILLISECOND);
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(sides[0]);
        weir_buffer_destroy(sides[1]);
    }
}
END_TEST

/* ---- beside the device ---- */

typedef struct {
    volatile uint32_t *started, *flag; /* pinned: set by the device, set by the host */
    uint32_t *gave_up;
    int missed;
} talk;

/* The kernel writes the word as plain memory, which hosts may be told by. */
__attribute__((no_sanitize("thread"))) static weir_status answer(void *user, void *const *args)
{
    talk *t = user;
    (void)args;
    for (int ms = 0; *t->started == 0; ms++) {
        if (ms == PATIENCE_MS) {
            t->missed++;
            break;
        }
        pause_ms(1);
    }
    *t->flag = 1;
    return WEIR_OK;
}

START_TEST(host_task_and_kernels_talk_while_both_run)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        const uint32_t value = 1, one_word = 1;
        uint32_t *words = pinned(3 * sizeof *words);
        talk t = {words, words + 1, words + 2, 0};
        weir_graph *graph = graph_make("talk");
        weir_task start = weir_add_kernel(graph, &put_kernel, one, WEIR_ARGS(WEIR_VALUE(t.started), WEIR_VALUE(value), WEIR_VALUE(one_word))),
                  wait = weir_add_kernel(graph, &await_kernel, one, WEIR_ARGS(WEIR_VALUE(t.flag), WEIR_VALUE(t.gave_up))),
                  host = weir_add_host(graph, "answer", answer, &t, weir_no_args());
        weir_task_set(graph, wait, &(weir_task_options){.cost_ns = 50000});
        weir_task_set(graph, host, &(weir_task_options){.cost_ns = 50000});
        weir_after(graph, wait, start);
        weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2}, &(weir_exec_options){.mode = cuda_modes[m]});
        for (int n = 0; n < 3; n++) {
            *t.started = *t.flag = 0;
            weir_ticket ticket = submit(exec);
            OK(weir_exec_wait(exec, ticket, LONG_NS));
        }
        ck_assert_msg(t.missed == 0, "%s: the host task ran before the kernels beside it, or they waited for it", cuda_modes[m]);
        ck_assert_msg(*t.gave_up == 0, "%s: the kernel waited for the host task in vain", cuda_modes[m]);
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        CUDA(cudaFreeHost(words));
    }
}
END_TEST

static weir_status triple(void *user, void *const *args)
{
    uint32_t *x = WEIR_PASSED(uint32_t *, args, 0);
    (void)user;
    for (uint32_t i = 0; i < N; i++)
        x[i] *= 3;
    return WEIR_OK;
}

/* Device and host in turn, many times a frame, frames in flight. */
START_TEST(work_goes_to_and_fro)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t frames = 1; frames <= 3; frames++) {
            const uint32_t zero = 0, addend = 7;
            uint32_t expected = 0;
            weir_graph *graph = graph_make("to and fro");
            weir_buffer *x = numbers("x", N, 4, WEIR_HOST_OUT);
            weir_ticket ticket[4];
            weir_add_fill(graph, "begin", WEIR_WRITE(x), &zero, sizeof zero);
            for (int hop = 0; hop < HOPS; hop++) {
                weir_add_kernel(graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(addend), WEIR_VALUE(count_n)));
                weir_add_host(graph, "triple", triple, NULL, WEIR_ARGS(WEIR_READ_WRITE(x)));
                expected = (expected + addend) * 3;
            }
            weir_exec *exec = exec_in_mode(runtime, graph, frames, cuda_modes[m]);
            for (int round = 0; round < 5; round++) {
                for (int n = 0; n < 4; n++)
                    ticket[n] = submit(exec);
                for (int n = 0; n < 4; n++) {
                    OK(weir_exec_wait(exec, ticket[n], LONG_NS));
                    const uint32_t *got = weir_exec_data(exec, ticket[n], x);
                    ck_assert_msg(got != NULL, "%s", weir_last_error());
                    ck_assert_uint_eq(got[0], expected);
                    ck_assert_uint_eq(got[N - 1], expected);
                }
            }
            weir_exec_destroy(exec);
            weir_graph_destroy(graph);
            weir_buffer_destroy(x);
        }
}
END_TEST

/* ---- behind a full launch queue ---- */

enum { MANY = 3000 }; /* more than a queue holds, some 1000 */

static weir_status dawdle(void *user, void *const *args)
{
    uint32_t *flag = user;
    (void)args;
    pause_ms(200);
    *(volatile uint32_t *)flag = 1;
    return WEIR_OK;
}

/* Whoever submits waits inside CUDA, with run's lock held, until a host task has run; meanwhile a frame beside it is asked for its end. */
START_TEST(host_tasks_run_while_whoever_submits_waits_in_a_full_queue)
{
    const uint32_t addend = 7;
    uint32_t *words = pinned(2 * sizeof *words), *gave_up = words + 1, expected = addend;
    weir_graph *beside = graph_make("beside"), *graph = graph_make("many");
    weir_add_kernel(beside, &await_kernel, one, WEIR_ARGS(WEIR_VALUE(words), WEIR_VALUE(gave_up)));
    weir_buffer *x = numbers("x", N, 4, WEIR_HOST_OUT);
    weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_VALUE(addend), WEIR_VALUE(count_n)));
    weir_add_host(graph, "dawdle", dawdle, words, WEIR_ARGS(WEIR_READ(x)));
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < MANY; i++)
            weir_add_kernel(graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(addend), WEIR_VALUE(count_n)));
        weir_add_host(graph, "triple", triple, NULL, WEIR_ARGS(WEIR_READ_WRITE(x)));
        expected = (expected + MANY * addend) * 3;
    }
    for (int m = 0; m < CUDA_MODES; m++) {
        weir_exec *other = exec_in_mode(runtime, beside, 1, cuda_modes[m]), *exec = exec_in_mode(runtime, graph, 3, cuda_modes[m]);
        words[0] = 0;
        weir_ticket ticket[3], aside = submit(other);
        for (int n = 0; n < 3; n++)
            ticket[n] = submit(exec);
        for (int n = 0; n < 3; n++) {
            OK(weir_exec_wait(exec, ticket[n], LONG_NS));
            const uint32_t *got = weir_exec_data(exec, ticket[n], x);
            ck_assert_msg(got != NULL, "%s", weir_last_error());
            ck_assert_uint_eq(got[0], expected);
        }
        OK(weir_exec_wait(other, aside, LONG_NS));
        ck_assert_uint_eq(*gave_up, 0);
        weir_exec_destroy(exec);
        weir_exec_destroy(other);
    }
    weir_graph_destroy(graph);
    weir_graph_destroy(beside);
    weir_buffer_destroy(x);
    CUDA(cudaFreeHost(words));
}
END_TEST

/* ---- failing ---- */

typedef struct {
    int calls, fails_at; /* which call */
} brittle;

static weir_status break_down(void *user, void *const *args)
{
    brittle *b = user;
    (void)args;
    return b->calls++ == b->fails_at ? WEIR_ERR_IO : WEIR_OK;
}

static weir_buffer *add_side(weir_graph *graph, const char *name, weir_host_fn *function, void *user)
{
    const uint32_t value = 1;
    weir_buffer *side = numbers(name, N, 1, WEIR_HOST_OUT);
    weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(side), WEIR_VALUE(value), WEIR_VALUE(count_n)));
    weir_add_host(graph, name, function, user, WEIR_ARGS(WEIR_READ_WRITE(side)));
    weir_add_kernel(graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(side), WEIR_VALUE(value), WEIR_VALUE(count_n)));
    return side;
}

static void failing_host_task(const char *mode, uint32_t frames)
{
    brittle b = {0, 2};
    int after = 0, beside = 0;
    weir_graph *graph = graph_make("failing"), *good_graph = graph_make("good");
    weir_buffer *side = add_side(graph, "brittle", break_down, &b), *other = add_side(graph, "beside", count_call, &beside);
    weir_task last = weir_add_host(graph, "after", count_call, &after, WEIR_ARGS(WEIR_READ(side)));
    weir_buffer *own = add_side(good_graph, "good", do_nothing, NULL);
    OK(weir_graph_status(graph));
    weir_exec *exec = exec_in_mode(runtime, graph, frames, mode), *good = exec_in_mode(runtime, good_graph, frames, mode);

    weir_ticket ticket = {0}, failed = {0};
    weir_status status = WEIR_OK;
    for (int n = 0; n < 10 && status == WEIR_OK; n++) { /* frames after the failing one may be in flight already */
        status = weir_exec_submit(exec, &ticket);
        if (n == 2)
            failed = ticket;
    }
    ck_assert_uint_eq(failed.number, 3);
    for (uint64_t n = 1; n < 3; n++)
        OK(weir_exec_wait(exec, (weir_ticket){n}, LONG_NS));
    REFUSED(WEIR_ERR_TASK, weir_exec_wait(exec, failed, LONG_NS), "'brittle'");
    weir_task culprit = {0, 0};
    REFUSED(WEIR_ERR_TASK, weir_exec_status(exec, &culprit), "'brittle'");
    ck_assert_str_eq(weir_task_name(graph, culprit), "brittle");
    ck_assert_int_eq(weir_exec_submit(exec, NULL), WEIR_ERR_TASK);
    ck_assert_int_eq(weir_exec_poll_task(exec, failed, last), WEIR_ERR_TASK);
    run_frames(good, 5); /* the runtime goes on */
    OK(weir_runtime_wait(runtime, LONG_NS));
    ck_assert_msg(after == 2, "%s, %u frames: what depends on the failed task ran %d times", mode, frames, after);
    ck_assert_int_ge(beside, 2);
    weir_exec_destroy(exec);
    weir_exec_destroy(good);
    weir_graph_destroy(graph);
    weir_graph_destroy(good_graph);
    weir_buffer_destroy(side);
    weir_buffer_destroy(other);
    weir_buffer_destroy(own);
}

START_TEST(failing_host_task_leaves_nothing_hanging_and_dependants_are_skipped)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t frames = 1; frames <= 3; frames++)
            failing_host_task(cuda_modes[m], frames);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/host_tasks");
    TCase *cases = tcase_create("host tasks");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, two_independent_host_tasks_run_at_once);
    tcase_add_test(cases, two_of_50_ms_beside_two_host_functions_of_cudas);
    tcase_add_test(cases, host_task_and_kernels_talk_while_both_run);
    tcase_add_test(cases, work_goes_to_and_fro);
    tcase_add_test(cases, host_tasks_run_while_whoever_submits_waits_in_a_full_queue);
    tcase_add_test(cases, failing_host_task_leaves_nothing_hanging_and_dependants_are_skipped);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
