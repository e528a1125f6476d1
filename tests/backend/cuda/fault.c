/* fault.c - fault KIND MODE WITH: one planted fault, in a process of its own, since a device's state does not come back.
 *   KIND illegal_address, trap, assert: task t37 of 100 faults in the fourth frame, with innocent tasks beside it on other lanes. wait tells it, names
 *        it (and no other with WEIR_DEBUG=1; without, none that is finished or was never submitted), everything after that fails at once,
 *        and every destroy returns.
 *   KIND launch: t37 cannot be launched. It is named, and the runtime is as good as before.
 *   WITH hosts: one host task has run before the fault, another waits behind it. WITH alone: kernels only.
 * What hangs is ended by CTest's time limit. */
#include "cuda_fixture.h"
#include "device_kernels.h"

enum { TASKS = 100, FAULTY = 37, SIDES = 4, HEALTHY = 3, N = 512, TOO_MANY_BLOCKS = 64 };
static const int64_t LONG_NS = 20000000000;
static const uint32_t count_n = N;
static const weir_shape wide = {.grid = {4}, .block = {128}};

static const char *kind, *mode;
static bool with_hosts;
static int early_calls, late_calls;
static char names[TASKS][8];

typedef struct {
    weir_graph *graph, *idle_graph;
    weir_buffer *side[SIDES], *early, *ready, *out;
    weir_param *armed;
} scene;

/* ---- the graph ---- */

static const weir_kernel *faulty_kernel(void)
{
    if (strcmp(kind, "trap") == 0)
        return &trap_kernel;
    return strcmp(kind, "assert") == 0 ? &assert_kernel : &illegal_address_kernel;
}

static weir_task add_faulty(const scene *s)
{
    const uint32_t addend = 1;
    if (strcmp(kind, "launch") != 0)
        return weir_add_kernel(s->graph, faulty_kernel(), (weir_shape){.grid = {1}}, WEIR_ARGS(WEIR_READ_WRITE(s->side[FAULTY % SIDES]), WEIR_PARAM(s->armed)));
    const weir_shape shape = {.grid = {TOO_MANY_BLOCKS}, .block = {32}, .cluster = {TOO_MANY_BLOCKS}}; /* no device has clusters that large */
    return weir_add_kernel(s->graph, &add_kernel, shape, WEIR_ARGS(WEIR_READ_WRITE(s->side[FAULTY % SIDES]), WEIR_VALUE(addend), WEIR_VALUE(count_n)));
}

/* t00 to t03 begin the sides, and t00 what t04 looks at; t05 to t08 follow t04; the rest are four chains, and t98 and t99 end that of t37. */
static weir_task add_task(const scene *s, uint32_t number)
{
    const uint32_t value = number;
    weir_buffer *side = s->side[number % SIDES];
    if (number == 0)
        return weir_add_kernel(s->graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(s->early), WEIR_VALUE(value), WEIR_VALUE(count_n), weir_hidden(WEIR_WRITE(side))));
    if (number < SIDES)
        return weir_add_kernel(s->graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(side), WEIR_VALUE(value), WEIR_VALUE(count_n), weir_hidden(WEIR_READ(s->early))));
    if (number == SIDES && with_hosts) {
        weir_args looks = WEIR_ARGS(WEIR_READ(s->early), WEIR_WRITE(s->ready));
        weir_task task = weir_add_host(s->graph, names[number], count_call, &early_calls, looks);
        for (uint32_t before = 1; before < SIDES; before++)
            weir_after(s->graph, task, weir_graph_find(s->graph, names[before]));
        return task;
    }
    if (number == SIDES)
        return weir_add_kernel(s->graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(s->ready), WEIR_VALUE(value), WEIR_VALUE(count_n)));
    if (number == FAULTY)
        return add_faulty(s);
    if (number == TASKS - 2)
        return weir_add_copy(s->graph, names[number], WEIR_WRITE(s->out), WEIR_READ(s->side[FAULTY % SIDES]));
    if (number == TASKS - 1 && with_hosts)
        return weir_add_host(s->graph, names[number], count_call, &late_calls, WEIR_ARGS(WEIR_READ(s->out)));
    if (number <= 2 * SIDES)
        return weir_add_kernel(s->graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(side), WEIR_VALUE(value), WEIR_VALUE(count_n), weir_hidden(WEIR_READ(s->ready))));
    return weir_add_kernel(s->graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(side), WEIR_VALUE(value), WEIR_VALUE(count_n)));
}

static scene scene_make(void)
{
    const uint32_t zero = 0;
    scene s = {.graph = graph_make("faults"), .idle_graph = graph_make("idle graph")};
    for (int i = 0; i < SIDES; i++)
        s.side[i] = numbers("side", N, 1, WEIR_DEVICE);
    s.early = numbers("early", N, 1, WEIR_HOST_OUT);
    s.ready = numbers("ready", N, 1, WEIR_HOST_OUT);
    s.out = numbers("out", N, 1, WEIR_HOST_OUT);
    OK(weir_param_create("armed", &zero, sizeof zero, &s.armed));
    for (uint32_t number = 0; number < TASKS; number++) {
        snprintf(names[number], sizeof names[number], "t%02u", number % TASKS);
        weir_task task = add_task(&s, number);
        weir_task_set(s.graph, task, &(weir_task_options){.name = names[number]});
    }
    OK(weir_graph_status(s.graph));
    weir_add_fill(s.idle_graph, "idle", WEIR_WRITE(s.side[0]), &zero, sizeof zero);
    return s;
}

static void scene_finish(scene *s)
{
    weir_graph_destroy(s->graph);
    weir_graph_destroy(s->idle_graph);
    for (int i = 0; i < SIDES; i++)
        weir_buffer_destroy(s->side[i]);
    weir_buffer_destroy(s->early);
    weir_buffer_destroy(s->ready);
    weir_buffer_destroy(s->out);
    weir_param_destroy(s->armed);
}

/* ---- what is said ---- */

static bool is_named(const char *text, const char *name)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%.20s'", name);
    return strstr(text, quoted) != NULL;
}

static void blames(const char *text, bool debug)
{
    ck_assert_msg(is_named(text, names[FAULTY]), "'%s' does not name %s", text, names[FAULTY]);
    ck_assert_msg(!is_named(text, "idle"), "'%s' names what was never submitted", text);
    for (uint32_t number = 0; number < TASKS; number++) {
        bool finished = with_hosts && number <= SIDES; /* the host task that follows them has run */
        if (number != FAULTY && (debug || finished))
            ck_assert_msg(!is_named(text, names[number]), "'%s' names %s", text, names[number]);
    }
}

/* ---- the device's end ---- */

static void everything_fails_at_once(weir_runtime *runtime, weir_exec *exec, weir_exec *idle, scene *s, cudaEvent_t end)
{
    uint32_t got[N];
    weir_frame *frame = NULL;
    weir_plan *plan = NULL;
    weir_exec *another = NULL;
    ck_assert_int_eq(weir_exec_status(exec, NULL), WEIR_ERR_DEVICE);
    ck_assert_int_eq(weir_exec_submit(exec, NULL), WEIR_ERR_DEVICE);
    ck_assert_int_eq(weir_exec_begin(exec, -1, &frame), WEIR_ERR_DEVICE);
    ck_assert_int_eq(weir_exec_submit(idle, NULL), WEIR_ERR_DEVICE);
    ck_assert_int_eq(weir_exec_begin(idle, -1, &frame), WEIR_ERR_DEVICE);
    ck_assert_ptr_null(frame);
    OK(weir_plan_create(s->graph, NULL, &plan));
    ck_assert_int_eq(weir_exec_create(runtime, plan, NULL, &another), WEIR_ERR_DEVICE);
    ck_assert_ptr_null(another);
    weir_plan_destroy(plan);
    ck_assert_int_eq(weir_buffer_read(runtime, s->side[0], got, 0, sizeof got), WEIR_ERR_DEVICE);
    ck_assert_int_eq(weir_buffer_write(runtime, s->side[0], got, 0, sizeof got), WEIR_ERR_DEVICE);
    ck_assert_int_eq(weir_exec_record_end_in(exec, (weir_ticket){HEALTHY + 1}, end), WEIR_ERR_DEVICE);
    ck_assert_int_ne(weir_runtime_wait(runtime, LONG_NS), WEIR_TIMEOUT);
}

START_TEST(fault_names_its_task_and_leaves_nothing_hanging)
{
    const uint32_t yes = 1;
    const char *debug = getenv("WEIR_DEBUG");
    bool debugged = debug && strcmp(debug, "1") == 0;
    weir_runtime *runtime = cuda_runtime();
    scene s = scene_make();
    weir_exec *exec = exec_with(runtime, s.graph, &(weir_plan_options){.lanes = SIDES + 1, .frames = 2}, &(weir_exec_options){.mode = mode}),
              *idle = exec_with(runtime, s.idle_graph, NULL, &(weir_exec_options){.mode = mode});
    cudaEvent_t end = NULL;
    CUDA(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
    weir_stats stats;
    weir_exec_stats(exec, &stats);
    ck_assert_str_eq(stats.mode, debugged ? "eager" : mode);
    run_frames(exec, HEALTHY);
    OK(weir_exec_set(exec, s.armed, &yes));
    weir_ticket faulty = submit(exec), next = {0};
    weir_status after = weir_exec_submit(exec, &next); /* may be in flight with it, or come too late */
    ck_assert(after == WEIR_OK || after == WEIR_ERR_DEVICE);

    ck_assert_int_eq(weir_exec_wait(exec, faulty, LONG_NS), WEIR_ERR_DEVICE);
    printf("%s\n", weir_last_error());
    blames(weir_last_error(), debugged);
    if (after == WEIR_OK)
        ck_assert_int_eq(weir_exec_wait(exec, next, LONG_NS), WEIR_ERR_DEVICE);
    if (debugged) {
        weir_task culprit = {0, 0};
        ck_assert_int_eq(weir_exec_status(exec, &culprit), WEIR_ERR_DEVICE);
        ck_assert_str_eq(weir_task_name(s.graph, culprit), names[FAULTY]);
    }
    if (with_hosts) {
        ck_assert_int_ge(early_calls, HEALTHY + 1);
        ck_assert_int_eq(late_calls, HEALTHY);
    }
    everything_fails_at_once(runtime, exec, idle, &s, end);
    weir_exec_destroy(idle);
    weir_exec_destroy(exec);
    scene_finish(&s);
    weir_runtime_destroy(runtime);
}
END_TEST

/* ---- a launch that CUDA refuses ---- */

START_TEST(launch_that_is_refused_names_its_task_and_the_runtime_goes_on)
{
    weir_runtime *runtime = cuda_runtime();
    scene s = scene_make();
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_ticket ticket = {0};
    OK(weir_plan_create(s.graph, &(weir_plan_options){.lanes = SIDES + 1}, &plan));
    weir_status status = weir_exec_create(runtime, plan, &(weir_exec_options){.mode = mode}, &exec); /* may see it already */
    if (status == WEIR_OK)
        status = weir_exec_submit(exec, &ticket);
    if (status == WEIR_OK)
        status = weir_exec_wait(exec, ticket, LONG_NS);
    ck_assert_int_ge(status, WEIR_ERR_INVALID);
    printf("%s\n", weir_last_error());
    blames(weir_last_error(), true);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);

    ck_assert_int_eq(cudaPeekAtLastError(), cudaSuccess);
    weir_exec *good = exec_with(runtime, s.idle_graph, NULL, &(weir_exec_options){.mode = mode});
    run_frames(good, 5);
    weir_exec_destroy(good);
    scene_finish(&s);
    OK(weir_runtime_wait(runtime, LONG_NS));
    weir_runtime_destroy(runtime);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    kind = argv[1];
    mode = argv[2];
    with_hosts = strcmp(argv[3], "hosts") == 0;
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/fault");
    TCase *cases = tcase_create(kind);
    if (strcmp(kind, "launch") == 0)
        tcase_add_test(cases, launch_that_is_refused_names_its_task_and_the_runtime_goes_on);
    else
        tcase_add_test(cases, fault_names_its_task_and_leaves_nothing_hanging);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
