/* in_flight_test.c - several frames of an exec at once on the host: a slow consumer holds frames back and no memory is taken, each frame has its
 * own values, and host tasks that take their time do not hold up the kernels of later frames. Nothing asserts a time. Its twin on a device is
 * backend/cuda/in_flight_test.c. */
#include "run/fixture.h"
#include "util/counting.h"
#include <stdatomic.h>

enum { N = 64, IN_FLIGHT_MOST = 4, PATIENCE_MS = 15000 };

static gate stop;

static void set_up(void)
{
    no_environment();
    counting_start(0, 0);
    gate_init(&stop);
}

static void tear_down(void)
{
    gate_finish(&stop);
    weir_set_allocator(NULL);
}

static uint32_t value_of(uint32_t frame)
{
    return 1000 * frame + 7;
}

/* to[block] = value + block */
static void put(const weir_blocks *blocks, void *const *args)
{
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    for (uint64_t b = blocks->first; b < blocks->first + blocks->count; b++)
        to[b] = WEIR_PASSED(uint32_t, args, 1) + (uint32_t)b;
}

static const weir_kernel put_kernel = {.name = "put", .host = put};
static const weir_shape wide = {.grid = {N}}, one = {.grid = {1}};

/* ---- a consumer that takes its time ---- */

typedef struct {
    uint32_t calls, wrong;
} consumer;

static weir_status consume(void *user, void *const *args)
{
    consumer *c = user;
    const uint32_t *got = WEIR_PASSED(const uint32_t *, args, 0), value = value_of(++c->calls);
    gate_pass(&stop, args);
    for (uint32_t i = 0; i < N; i++)
        c->wrong += got[i] != value + i;
    return WEIR_OK;
}

static void submit_value(weir_exec *exec, weir_param *param, uint32_t n, int64_t timeout_ns)
{
    const uint32_t value = value_of(n);
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    OK(weir_exec_begin(exec, timeout_ns, &frame));
    OK(weir_exec_set(exec, param, &value));
    OK(weir_frame_submit(frame, &ticket));
    ck_assert_uint_eq(ticket.number, n);
}

/* As many as are planned for are let in while the consumer stands still, then one for each that it lets go; no memory is taken. */
static void slow_consumer(uint32_t workers, uint32_t copies, uint32_t frames)
{
    enum { STEADY = 60 };
    const uint32_t zero = 0;
    const int entered = gate_entered(&stop);
    consumer c = {0, 0};
    weir_param *param = NULL;
    weir_frame *frame = NULL;
    weir_runtime *runtime = runtime_make(workers);
    weir_graph *graph = graph_make("pipeline");
    weir_buffer *x = numbers("x", N, copies, WEIR_DEVICE), *out = numbers("out", N, copies, WEIR_HOST_OUT);
    OK(weir_param_create("value", &zero, sizeof zero, &param));
    weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_PARAM(param)));
    weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x));
    weir_add_host(graph, "consume", consume, &c, WEIR_ARGS(WEIR_READ(out)));
    weir_exec *exec = exec_make(runtime, graph, frames);
    const long before = atomic_load(&counting_asked), live = atomic_load(&counting_live);
    for (uint32_t n = 1; n <= frames; n++)
        submit_value(exec, param, n, 0);
    for (int n = 1; n <= STEADY; n++) {
        gate_await(&stop, entered + n);
        ck_assert_int_eq(weir_exec_begin(exec, 0, &frame), WEIR_WOULD_BLOCK);
        ck_assert_int_eq(weir_exec_wait(exec, (weir_ticket){(uint64_t)n}, 0), WEIR_WOULD_BLOCK);
        gate_let(&stop, 1);
        submit_value(exec, param, frames + (uint32_t)n, -1);
    }
    gate_let(&stop, (int)frames);
    OK(weir_exec_wait(exec, (weir_ticket){STEADY + frames}, -1));
    ck_assert_int_eq(atomic_load(&counting_asked) - before, 0);
    ck_assert_int_eq(atomic_load(&counting_live), live);
    ck_assert_uint_eq(c.calls, STEADY + frames);
    ck_assert_msg(c.wrong == 0, "%u workers, %u in flight, %u copies: %u numbers were another frame's", workers, frames, copies, c.wrong);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(x);
    weir_buffer_destroy(out);
    weir_param_destroy(param);
    weir_runtime_destroy(runtime);
}

START_TEST(slow_consumer_holds_frames_back_and_each_has_its_own_values)
{
    for (uint32_t workers = 1; workers <= 3; workers++)
        for (uint32_t frames = 1; frames <= IN_FLIGHT_MOST; frames++) {
            slow_consumer(workers, WEIR_RING_AUTO, frames);
            slow_consumer(workers, 1, frames);
        }
}
END_TEST

/* ---- host tasks beside the kernels of later frames ---- */

/* Producer and consumer stay until a kernel of the next frame has run, which no data tie to them. */
typedef struct {
    atomic_uint mark, missed; /* mark: the frame whose kernel came last */
    uint32_t last, produced, consumed, wrong;
} patience;

static void await_next(patience *p, uint32_t frame)
{
    for (int ms = 0; frame < p->last && atomic_load(&p->mark) <= frame && atomic_load(&p->missed) == 0; ms++) {
        if (ms == PATIENCE_MS)
            atomic_fetch_add(&p->missed, 1);
        pause_ms(1);
    }
}

static weir_status produce(void *user, void *const *args)
{
    patience *p = user;
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0), frame = ++p->produced;
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
    await_next(p, frame);
    for (uint32_t i = 0; i < N; i++)
        p->wrong += got[i] != 2 * (value_of(frame) + i);
    return WEIR_OK;
}

static void twice(const weir_blocks *blocks, void *const *args)
{
    for (uint64_t b = blocks->first; b < blocks->first + blocks->count; b++)
        WEIR_PASSED(uint32_t *, args, 0)[b] = 2 * WEIR_PASSED(const uint32_t *, args, 1)[b];
}

static void set_mark(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    atomic_store(&WEIR_PASSED(patience *, args, 0)->mark, WEIR_PASSED(uint32_t, args, 1));
}

static const weir_kernel twice_kernel = {.name = "twice", .host = twice}, mark_kernel = {.name = "mark", .host = set_mark};

/* produce -> twice -> consume, and a kernel that marks the frame: a lane for each host task and one for the mark. */
static void late_hosts(uint32_t copies, uint32_t frames)
{
    enum { FRAMES = 20 };
    const uint32_t zero = 0;
    patience p = {.last = FRAMES}, *user = &p;
    weir_param *number = NULL;
    weir_runtime *runtime = runtime_make(3); /* two that stay, and one for the kernels */
    weir_graph *graph = graph_make("late hosts");
    weir_buffer *file = numbers("file", N, copies, WEIR_HOST_OUT), *out = numbers("out", N, copies, WEIR_HOST_OUT), *token = numbers("token", 0, 1, WEIR_DEVICE);
    OK(weir_param_create("number", &zero, sizeof zero, &number));
    weir_task task[] = {
        weir_add_host(graph, "produce", produce, &p, WEIR_ARGS(WEIR_WRITE(file))),
        weir_add_kernel(graph, &twice_kernel, wide, WEIR_ARGS(WEIR_WRITE(out), WEIR_READ(file))),
        weir_add_host(graph, "consume", consume_late, &p, WEIR_ARGS(WEIR_READ(out))),
        weir_add_kernel(graph, &mark_kernel, one, WEIR_ARGS(WEIR_VALUE(user), WEIR_PARAM(number), weir_hidden(WEIR_WRITE(token)))),
    };
    const int32_t priority[] = {0, 0, 1, -1};
    for (size_t i = 0; i < sizeof task / sizeof *task; i++)
        weir_task_set(graph, task[i], &(weir_task_options){.priority = priority[i]});
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 3, .frames = frames}, NULL);
    weir_ticket ticket = {0};
    for (uint32_t n = 1; n <= FRAMES; n++) {
        weir_frame *frame = NULL;
        OK(weir_exec_begin(exec, -1, &frame));
        OK(weir_exec_set(exec, number, &n));
        OK(weir_frame_submit(frame, &ticket));
    }
    OK(weir_exec_wait(exec, ticket, -1));
    ck_assert_msg(atomic_load(&p.missed) == 0, "%u in flight, %u copies: a kernel of the next frame waited for a host task that it need not follow", frames, copies);
    ck_assert_msg(p.wrong == 0, "%u in flight, %u copies: %u numbers were another frame's", frames, copies, p.wrong);
    ck_assert_uint_eq(p.produced, FRAMES);
    ck_assert_uint_eq(p.consumed, FRAMES);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(file);
    weir_buffer_destroy(out);
    weir_buffer_destroy(token);
    weir_param_destroy(number);
    weir_runtime_destroy(runtime);
}

START_TEST(host_tasks_do_not_hold_up_kernels_of_a_later_frame)
{
    for (uint32_t frames = 2; frames <= IN_FLIGHT_MOST; frames++) {
        late_hosts(WEIR_RING_AUTO, frames);
        late_hosts(1, frames);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/in_flight");
    TCase *cases = tcase_create("in flight");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, slow_consumer_holds_frames_back_and_each_has_its_own_values);
    tcase_add_test(cases, host_tasks_do_not_hold_up_kernels_of_a_later_frame);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
