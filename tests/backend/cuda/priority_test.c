/* priority_test.c - the more urgent task goes first on a full device, however late it becomes ready; and what the log says of more priorities than
 * the device has. The order is told by tickets that kernels draw as they start; no time is looked at. */
#include "cuda_fixture.h"
#include "device_kernels.h"

enum { RELAXED = 12, FRAMES = 5, PRIORITIES_MOST = 64 };
static const weir_shape one = {.grid = {1}, .block = {32}};

static int lines_about_priorities;
static char said[512];

static void count_lines(void *user, int level, const char *text)
{
    (void)user;
    (void)level;
    if (strstr(text, "priorit") == NULL)
        return;
    lines_about_priorities++;
    snprintf(said, sizeof said, "%s", text);
}

/* `first` lets the relaxed ones, each several times what the device holds, come before the urgent one. */
static weir_graph *late_and_urgent(uint32_t *tickets)
{
    static char names[RELAXED][32];
    const uint32_t first_clocks = 2000000, relaxed_clocks = 400000, urgent_clocks = 1000;
    struct cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    const weir_shape full = {.grid = {(uint32_t)device.multiProcessorCount * 8}, .block = {1024}};
    uint32_t *counter = tickets + RELAXED + 1;
    weir_graph *graph = graph_make("late and urgent");
    weir_task first = weir_add_kernel(graph, &busy_kernel, one, WEIR_ARGS(WEIR_VALUE(first_clocks)));
    weir_task_set(graph, first, &(weir_task_options){.name = "first", .priority = -5, .cost_ns = 1e6});
    uint32_t *slot = tickets;
    weir_task urgent = weir_add_kernel(graph, &ticket_kernel, one, WEIR_ARGS(WEIR_VALUE(counter), WEIR_VALUE(slot), WEIR_VALUE(urgent_clocks)));
    weir_task_set(graph, urgent, &(weir_task_options){.name = "urgent", .priority = -5, .cost_ns = 1e3});
    weir_after(graph, urgent, first);
    for (int i = 0; i < RELAXED; i++) {
        slot = tickets + 1 + i;
        weir_task relaxed = weir_add_kernel(graph, &ticket_kernel, full, WEIR_ARGS(WEIR_VALUE(counter), WEIR_VALUE(slot), WEIR_VALUE(relaxed_clocks)));
        snprintf(names[i], sizeof names[i], "relaxed %d", i);
        weir_task_set(graph, relaxed, &(weir_task_options){.name = names[i], .cost_ns = 1e6});
    }
    OK(weir_graph_status(graph));
    return graph;
}

static void urgent_goes_first(weir_runtime *runtime, const char *mode, uint32_t lanes)
{
    uint32_t *tickets = pinned((RELAXED + 2) * sizeof *tickets);
    weir_graph *graph = late_and_urgent(tickets);
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.policy = "priority", .lanes = lanes}, &(weir_exec_options){.mode = mode});
    for (int frame = 0; frame < FRAMES; frame++) {
        memset(tickets, 0xff, (RELAXED + 1) * sizeof *tickets);
        tickets[RELAXED + 1] = 0;
        run_frames(exec, 1);
        uint32_t last = 0;
        for (int i = 0; i < RELAXED; i++) {
            ck_assert_uint_le(tickets[1 + i], RELAXED);
            last = tickets[1 + i] > last ? tickets[1 + i] : last;
        }
        ck_assert_uint_ge(last, RELAXED - 1);
        ck_assert_msg(tickets[0] <= RELAXED / 2, "%s, %u lanes, frame %d: %u of %d relaxed tasks started before the urgent one", mode, lanes, frame, tickets[0], RELAXED);
    }
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    CUDA(cudaFreeHost(tickets));
}

START_TEST(late_urgent_task_starts_before_queued_relaxed_ones)
{
    weir_runtime *runtime = cuda_runtime_with(2, 8);
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t lanes = 4; lanes <= 8; lanes += 4)
            urgent_goes_first(runtime, cuda_modes[m], lanes);
    weir_runtime_destroy(runtime);
}
END_TEST

static weir_graph *with_priorities(int count)
{
    weir_graph *graph = graph_make("priorities");
    const uint32_t clocks = 1;
    for (int i = 0; i < count; i++) {
        weir_task task = weir_add_kernel(graph, &busy_kernel, one, WEIR_ARGS(WEIR_VALUE(clocks)));
        weir_task_set(graph, task, &(weir_task_options){.priority = i - count / 2});
    }
    return graph;
}

static int lines_with(weir_runtime *runtime, int priorities, uint32_t lanes)
{
    weir_graph *graph = with_priorities(priorities);
    lines_about_priorities = 0;
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = lanes}, &(weir_exec_options){.mode = "eager"});
    run_frames(exec, 2);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    return lines_about_priorities;
}

START_TEST(more_priorities_than_the_device_has_are_said_once)
{
    int relaxed = 0, urgent = 0;
    CUDA(cudaDeviceGetStreamPriorityRange(&relaxed, &urgent));
    int levels = relaxed - urgent + 1, more = levels + 4;
    ck_assert_int_lt(more, PRIORITIES_MOST);
    weir_runtime *runtime = cuda_runtime_with(2, PRIORITIES_MOST);
    ck_assert_int_eq(lines_with(runtime, levels, (uint32_t)levels), 0);
    ck_assert_int_eq(lines_with(runtime, more, (uint32_t)more), 1);
    char number[16];
    snprintf(number, sizeof number, "%d", levels);
    says(said, number);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(devices_range_of_priorities_is_told)
{
    int relaxed = 0, urgent = 0;
    weir_device_info info;
    CUDA(cudaDeviceGetStreamPriorityRange(&relaxed, &urgent));
    uint32_t i = 0;
    while (weir_device_get(i, &info) == WEIR_OK && strcmp(info.backend, "cuda") != 0)
        i++;
    ck_assert_str_eq(info.backend, "cuda");
    ck_assert_msg(info.available, "%s", info.why_not);
    ck_assert_int_eq(info.priority_relaxed, relaxed);
    ck_assert_int_eq(info.priority_urgent, urgent);
}
END_TEST

int main(void)
{
    skip_without_device();
    no_environment();
    setenv("WEIR_LOG", "info", 1); /* before anything reads it */
    weir_set_log(count_lines, NULL);
    Suite *suite = suite_create("backend/cuda/priority");
    TCase *cases = tcase_create("priority");
    tcase_add_test(cases, late_urgent_task_starts_before_queued_relaxed_ones);
    tcase_add_test(cases, more_priorities_than_the_device_has_are_said_once);
    tcase_add_test(cases, devices_range_of_priorities_is_told);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
