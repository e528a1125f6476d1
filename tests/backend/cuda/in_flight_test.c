/* in_flight_test.c - several frames of an exec on a device at once, in each mode: how many, in which order, each with its own values; host tasks
 * that take their time and the device work of later frames; a frame that fails with others behind it. Nothing asserts a time: what should run at
 * once waits for each other, and says so when it waited in vain. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "util/counting.h"
#include <stdatomic.h>

enum { N = 64, IN_FLIGHT_MOST = 4, PATIENCE_MS = 15000 };
static const int64_t LONG_NS = 30000000000;
static const uint32_t count_n = N;
static const weir_shape wide = {.grid = {2}, .block = {32}}, one = {.grid = {1}, .block = {1}};

static weir_runtime *runtime;
static gate stop;

static void set_up(void)
{
    no_environment();
    setenv("WEIR_LOG", "off", 1); /* failing tasks are logged */
    counting_start(0, 0);
    gate_init(&stop);
    runtime = cuda_runtime();
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
    gate_finish(&stop);
    weir_set_allocator(NULL);
}

/* ---- who was told of which frame ---- */

typedef struct {
    atomic_int count, disorder, failed;
} telling;

static void note_frame(void *user, weir_ticket ticket, weir_status status)
{
    telling *t = user;
    atomic_fetch_add(&t->disorder, ticket.number != (uint64_t)atomic_fetch_add(&t->count, 1) + 1);
    atomic_fetch_add(&t->failed, status != WEIR_OK);
}

static void telling_clear(telling *t)
{
    atomic_init(&t->count, 0);
    atomic_init(&t->disorder, 0);
    atomic_init(&t->failed, 0);
}

/* ---- a consumer that takes its time ---- */

/* Passes the gate, then looks at what it was given. Follows itself, so plain numbers do. */
typedef struct {
    uint32_t calls, wrong, fails_at; /* 0: never */
} consumer;

static uint32_t value_of(uint32_t frame)
{
    return 1000 * frame + 7;
}

static weir_status consume(void *user, void *const *args)
{
    consumer *c = user;
    const uint32_t *got = WEIR_PASSED(const uint32_t *, args, 0), value = value_of(++c->calls);
    gate_pass(&stop, args);
    for (uint32_t i = 0; i < N; i++)
        c->wrong += got[i] != value + i;
    return c->calls == c->fails_at ? WEIR_ERR_IO : WEIR_OK;
}

/* put the param's number -> copy down -> consume */
typedef struct {
    weir_graph *graph;
    weir_buffer *x, *out;
    weir_param *param;
    weir_task consume;
    weir_exec *exec;
    consumer consumer;
    telling told;
    uint32_t submitted;
} pipeline;

static void pipeline_make(pipeline *p, uint32_t copies, uint32_t frames, const char *mode)
{
    const uint32_t zero = 0;
    memset(&p->consumer, 0, sizeof p->consumer);
    telling_clear(&p->told);
    p->submitted = 0;
    p->graph = graph_make("pipeline");
    p->x = numbers("x", N, copies, WEIR_DEVICE);
    p->out = numbers("out", N, copies, WEIR_HOST_OUT);
    OK(weir_param_create("value", &zero, sizeof zero, &p->param));
    weir_add_kernel(p->graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(p->x), WEIR_PARAM(p->param), WEIR_VALUE(count_n)));
    weir_add_copy(p->graph, "down", WEIR_WRITE(p->out), WEIR_READ(p->x));
    p->consume = weir_add_host(p->graph, "consume", consume, &p->consumer, WEIR_ARGS(WEIR_READ(p->out)));
    p->exec = exec_in_mode(runtime, p->graph, frames, mode);
    weir_exec_on_frame(p->exec, note_frame, &p->told);
}

static void pipeline_finish(pipeline *p)
{
    weir_exec_destroy(p->exec);
    weir_graph_destroy(p->graph);
    weir_buffer_destroy(p->x);
    weir_buffer_destroy(p->out);
    weir_param_destroy(p->param);
}

static weir_ticket pipeline_submit(pipeline *p, int64_t timeout_ns)
{
    const uint32_t value = value_of(++p->submitted);
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    OK(weir_exec_begin(p->exec, timeout_ns, &frame));
    OK(weir_exec_set(p->exec, p->param, &value));
    OK(weir_frame_submit(frame, &ticket));
    ck_assert_uint_eq(ticket.number, p->submitted);
    return ticket;
}

static void nothing_more_may_begin(pipeline *p)
{
    weir_frame *frame = NULL;
    ck_assert_int_eq(weir_exec_begin(p->exec, 0, &frame), WEIR_WOULD_BLOCK);
    ck_assert_int_eq(weir_exec_wait(p->exec, (weir_ticket){p->consumer.calls}, 0), WEIR_WOULD_BLOCK);
}

/* As many as are planned for are let in while the consumer stands still, then one for each that it lets go; and no memory is taken for any of it
 * once each slot has been used. */
static void slow_consumer(uint32_t copies, uint32_t frames, const char *mode)
{
    enum { WARM = 30, STEADY = 60 };
    pipeline p;
    const int entered = gate_entered(&stop);
    long before = 0, live = 0;
    pipeline_make(&p, copies, frames, mode);
    for (uint32_t n = 0; n < frames; n++)
        pipeline_submit(&p, 0);
    for (int n = 1; n <= WARM + STEADY; n++) {
        gate_await(&stop, entered + n);
        nothing_more_may_begin(&p);
        if (n == WARM) {
            before = atomic_load(&counting_asked);
            live = atomic_load(&counting_live);
        }
        gate_let(&stop, 1);
        pipeline_submit(&p, LONG_NS);
    }
    const long taken = atomic_load(&counting_asked) - before, given = live - atomic_load(&counting_live);
    gate_let(&stop, (int)frames);
    OK(weir_exec_wait(p.exec, (weir_ticket){p.submitted}, LONG_NS));
    ck_assert_msg(taken == 0 && given == 0, "%s, %u in flight: %ld requests for memory in %d frames, %ld given back", mode, frames, taken, STEADY, given);
    ck_assert_uint_eq(p.consumer.calls, p.submitted);
    ck_assert_msg(p.consumer.wrong == 0, "%s, %u in flight, %u copies: %u numbers were another frame's", mode, frames, copies, p.consumer.wrong);
    OK(weir_runtime_wait(runtime, LONG_NS)); /* for the callbacks too */
    ck_assert_int_eq(atomic_load(&p.told.count), (int)p.submitted);
    ck_assert_int_eq(atomic_load(&p.told.disorder), 0);
    ck_assert_int_eq(atomic_load(&p.told.failed), 0);
    pipeline_finish(&p);
}

START_TEST(slow_consumer_holds_frames_back_and_each_has_its_own_values)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t frames = 1; frames <= IN_FLIGHT_MOST; frames++) {
            slow_consumer(WEIR_RING_AUTO, frames, cuda_modes[m]);
            slow_consumer(1, frames, cuda_modes[m]);
        }
}
END_TEST

/* ---- a frame that fails, with others behind it ---- */

static void failing_frame(uint32_t frames, const char *mode)
{
    pipeline p;
    weir_ticket ticket[IN_FLIGHT_MOST + 1];
    weir_frame *frame = NULL;
    weir_task culprit = {0, 0};
    const int entered = gate_entered(&stop);
    pipeline_make(&p, WEIR_RING_AUTO, frames, mode);
    p.consumer.fails_at = 2;
    for (uint32_t n = 0; n < frames; n++)
        ticket[n] = pipeline_submit(&p, 0);
    gate_await(&stop, entered + 1);
    gate_let(&stop, 1);
    OK(weir_exec_wait(p.exec, ticket[0], LONG_NS));
    ticket[frames] = pipeline_submit(&p, LONG_NS);
    gate_await(&stop, entered + 2); /* of the second, and all others are behind it */
    gate_let(&stop, (int)frames);
    for (uint32_t n = frames; n > 0; n--) /* whichever is asked first */
        REFUSED(WEIR_ERR_TASK, weir_exec_wait(p.exec, ticket[n], LONG_NS), "task 'consume' failed in frame 1");
    OK(weir_exec_wait(p.exec, ticket[0], 0));
    REFUSED(WEIR_ERR_TASK, weir_exec_begin(p.exec, LONG_NS, &frame), "task 'consume' failed in frame 1");
    ck_assert_int_eq(weir_exec_status(p.exec, &culprit), WEIR_ERR_TASK);
    ck_assert_uint_eq(culprit.number, p.consume.number);
    OK(weir_runtime_wait(runtime, LONG_NS));
    ck_assert_msg(p.consumer.calls == 2, "%s, %u in flight: consumers of frames behind the failed one ran", mode, frames);
    ck_assert_int_eq(atomic_load(&p.told.count), (int)frames + 1);
    ck_assert_int_eq(atomic_load(&p.told.disorder), 0);
    ck_assert_int_eq(atomic_load(&p.told.failed), (int)frames);
    gate_let(&stop, gate_entered(&stop) - stop.let); /* what was let and not used, or the next would pass */
    pipeline_finish(&p);
}

START_TEST(frame_that_fails_stops_those_behind_it_and_each_ticket_says_why)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t frames = 1; frames <= IN_FLIGHT_MOST; frames++)
            failing_frame(frames, cuda_modes[m]);
}
END_TEST

/* ---- host tasks beside the device work of later frames ---- */

/* A producer and a consumer that stay until a kernel of the next frame has run, which no data tie to them. */
typedef struct {
    volatile uint32_t *mark; /* pinned: the frame whose kernel came last */
    uint32_t last, produced, consumed, missed, wrong;
} patience;

/* The kernel writes the word as plain memory, which hosts may be told by. */
__attribute__((no_sanitize("thread"))) static void await_next(patience *p, uint32_t frame)
{
    for (int ms = 0; frame < p->last && *p->mark <= frame; ms++) {
        if (ms == PATIENCE_MS) {
            p->missed++;
            return;
        }
        pause_ms(1);
    }
}

static weir_status produce(void *user, void *const *args)
{
    patience *p = user;
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0), frame = ++p->produced;
    if (p->missed == 0)
        await_next(p, frame);
    for (uint32_t i = 0; i < N; i++)
        to[i] = value_of(frame) + i;
    return WEIR_OK;
}

static weir_status consume_late(void *user, void *const *args)
{
    patience *p = user;
    const uint32_t *got = WEIR_PASSED(const uint32_t *, args, 0);
    uint32_t frame = ++p->consumed;
    if (p->missed == 0)
        await_next(p, frame);
    for (uint32_t i = 0; i < N; i++)
        p->wrong += got[i] != 2 * (value_of(frame) + i);
    return WEIR_OK;
}

/* produce -> up -> double -> down -> consume; and a kernel that marks the frame. A lane for each host task and one for the mark, since what stands
 * in a lane behind a host task waits for it. `copies` of what goes between host and device: of one, the next frame's waits for this one's, and the
 * mark still does not. */
static void late_hosts(uint32_t copies, uint32_t frames, const char *mode)
{
    enum { FRAMES = 12 };
    const uint32_t zero = 0, two = 2, one_word = 1;
    uint32_t *mark = pinned(sizeof *mark);
    patience p = {.mark = mark, .last = FRAMES};
    weir_param *number = NULL;
    weir_graph *graph = graph_make("late hosts");
    weir_buffer *file = numbers("file", N, copies, WEIR_HOST_OUT), *up = numbers("up", N, WEIR_RING_AUTO, WEIR_DEVICE), *x = numbers("x", N, WEIR_RING_AUTO, WEIR_DEVICE),
                *out = numbers("out", N, copies, WEIR_HOST_OUT), *token = numbers("token", 0, 1, WEIR_DEVICE);
    OK(weir_param_create("number", &zero, sizeof zero, &number));
    weir_task task[] = {
        weir_add_host(graph, "produce", produce, &p, WEIR_ARGS(WEIR_WRITE(file))),
        weir_add_copy(graph, "up", WEIR_WRITE(up), WEIR_READ(file)),
        weir_add_kernel(graph, &scale_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_READ(up), WEIR_VALUE(two), WEIR_VALUE(zero), WEIR_VALUE(count_n))),
        weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x)),
        weir_add_host(graph, "consume", consume_late, &p, WEIR_ARGS(WEIR_READ(out))),
        weir_add_kernel(graph, &put_kernel, one, WEIR_ARGS(WEIR_VALUE(mark), WEIR_PARAM(number), WEIR_VALUE(one_word), weir_hidden(WEIR_WRITE(token)))),
    };
    const int32_t priority[] = {0, 0, 0, 0, 1, -1};
    for (size_t i = 0; i < sizeof task / sizeof *task; i++)
        weir_task_set(graph, task[i], &(weir_task_options){.priority = priority[i]});
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 3, .frames = frames}, &(weir_exec_options){.mode = mode});
    weir_ticket ticket = {0};
    for (uint32_t n = 1; n <= FRAMES; n++) {
        weir_frame *frame = NULL;
        OK(weir_exec_begin(exec, 4 * LONG_NS, &frame));
        OK(weir_exec_set(exec, number, &n));
        OK(weir_frame_submit(frame, &ticket));
    }
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    ck_assert_msg(p.missed == 0, "%s, %u in flight, %u copies: a kernel of the next frame waited for a host task that it need not follow", mode, frames, copies);
    ck_assert_msg(p.wrong == 0, "%s, %u in flight, %u copies: %u numbers were another frame's", mode, frames, copies, p.wrong);
    ck_assert_uint_eq(p.produced, FRAMES);
    ck_assert_uint_eq(p.consumed, FRAMES);
    ck_assert_uint_eq(*mark, FRAMES);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(file);
    weir_buffer_destroy(up);
    weir_buffer_destroy(x);
    weir_buffer_destroy(out);
    weir_buffer_destroy(token);
    weir_param_destroy(number);
    CUDA(cudaFreeHost(mark));
}

START_TEST(host_tasks_do_not_hold_up_what_a_later_frame_has_for_the_device)
{
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t frames = 2; frames <= 3; frames++) {
            late_hosts(WEIR_RING_AUTO, frames, cuda_modes[m]);
            late_hosts(1, frames, cuda_modes[m]);
        }
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/in_flight");
    TCase *cases = tcase_create("in flight");
    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, slow_consumer_holds_frames_back_and_each_has_its_own_values);
    tcase_add_test(cases, frame_that_fails_stops_those_behind_it_and_each_ticket_says_why);
    tcase_add_test(cases, host_tasks_do_not_hold_up_what_a_later_frame_has_for_the_device);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
