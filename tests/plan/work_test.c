/* work_test.c - what work.c promises. */
#include "plan/work.h"
#include "weir/graph.h"
#include <check.h>
#include <stdlib.h>

static void no_blocks(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

static const weir_kernel kernel = {.name = "kernel", .host = no_blocks};

static weir_status nothing(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_OK;
}

static weir_graph *graph_make(void)
{
    weir_graph *graph = NULL;
    ck_assert_int_eq(weir_graph_create("work", 0, &graph), WEIR_OK);
    return graph;
}

static weir_work work_of(const weir_graph *graph)
{
    weir_work work;
    ck_assert_int_eq(weir_graph_status(graph), WEIR_OK);
    ck_assert_int_eq(weir_work_create(weir_graph_body(graph), &work), WEIR_OK);
    return work;
}

START_TEST(costs_are_those_given_or_a_microsecond_or_nothing_for_empty_tasks)
{
    weir_graph *graph = graph_make();
    weir_add_empty(graph, "empty");
    weir_add_host(graph, "host", nothing, NULL, weir_no_args());
    weir_task_set(graph, weir_add_empty(graph, "dear"), &(weir_task_options){.cost_ns = 2500});
    weir_work work = work_of(graph);
    const float cost[] = {0, 1000, 2500};
    ck_assert_mem_eq(work.cost_ns, cost, sizeof cost);
    ck_assert_double_eq(work.total_ns, 3500);
    weir_work_finish(&work);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(device_work_is_kernels_times_their_share)
{
    weir_graph *graph = graph_make();
    weir_task half = weir_add_kernel(graph, &kernel, (weir_shape){0}, weir_no_args());
    weir_task_set(graph, half, &(weir_task_options){.cost_ns = 3000, .share = 0.5f});
    weir_add_host(graph, "host", nothing, NULL, weir_no_args());
    weir_work work = work_of(graph);
    ck_assert_double_eq(work.device_ns, 1500);
    weir_work_finish(&work);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(longest_serial_task_is_a_host_task_that_is_not_reentrant)
{
    weir_graph *graph = graph_make();
    weir_task_set(graph, weir_add_kernel(graph, &kernel, (weir_shape){0}, weir_no_args()), &(weir_task_options){.cost_ns = 9000});
    weir_task reentrant = weir_add_host(graph, "reentrant", nothing, NULL, weir_no_args());
    weir_task_set(graph, reentrant, &(weir_task_options){.cost_ns = 8000, .flags = WEIR_TASK_REENTRANT});
    weir_task_set(graph, weir_add_host(graph, "stateful", nothing, NULL, weir_no_args()), &(weir_task_options){.cost_ns = 4000});
    weir_work work = work_of(graph);
    ck_assert_double_eq(work.longest_serial_ns, 4000);
    weir_work_finish(&work);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(equal_priorities_are_not_kept_one_by_one)
{
    weir_graph *graph = graph_make();
    for (int i = 0; i < 3; i++)
        weir_task_set(graph, weir_add_empty(graph, "task"), &(weir_task_options){.priority = -3});
    weir_work work = work_of(graph);
    ck_assert_ptr_null(work.priority);
    ck_assert_int_eq(work.most_urgent, -3);
    weir_work_finish(&work);
    weir_task_set(graph, weir_add_empty(graph, "other"), &(weir_task_options){.priority = 2});
    work = work_of(graph);
    ck_assert_int_eq(work.priority[2], -3);
    ck_assert_int_eq(work.priority[3], 2);
    ck_assert_int_eq(work.most_urgent, -3);
    weir_work_finish(&work);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/work");
    TCase *cases = tcase_create("work");
    tcase_add_test(cases, costs_are_those_given_or_a_microsecond_or_nothing_for_empty_tasks);
    tcase_add_test(cases, device_work_is_kernels_times_their_share);
    tcase_add_test(cases, longest_serial_task_is_a_host_task_that_is_not_reentrant);
    tcase_add_test(cases, equal_priorities_are_not_kept_one_by_one);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
