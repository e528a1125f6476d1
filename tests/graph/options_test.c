/* options_test.c - what options.c promises. */
#include "graph/refused.h"

START_TEST(senseless_options_are_refused_by_name)
{
    const struct {
        weir_task_options options;
        const char *text;
    } bad[] = {
        {{.cost_ns = -1}, "task 't': the cost is negative or no number"},
        {{.cost_ns = 0.0 / 0.0}, "task 't': the cost is negative or no number"},
        {{.cost_ns = 1.0 / 0.0}, "task 't': the cost is negative or no number"},
        {{.share = 1.5f}, "task 't': the share is not from 0 to 1"},
        {{.share = -0.5f}, "task 't': the share is not from 0 to 1"},
        {{.share = (float)(0.0 / 0.0)}, "task 't': the share is not from 0 to 1"},
        {{.device = 1}, "task 't': there is only device 0"},
        {{.flags = 1}, "task 't': unknown flags"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_graph *graph = graph_make(0);
        weir_task_options with_name = bad[i].options;
        with_name.name = "renamed";
        weir_task_set(graph, weir_add_empty(graph, "t"), &with_name);
        ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
        ck_assert_str_eq(weir_last_error(), bad[i].text);
        ck_assert_str_eq(weir_graph_body(graph)->tasks.at[0].name, "t");
        weir_graph_destroy(graph);
    }
    weir_graph *graph = graph_make(0);
    weir_task_set(graph, (weir_task){0, 0}, &(weir_task_options){.name = "a"});
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "the null task, or one of another graph");
    weir_graph_destroy(graph);
    graph = graph_make(0);
    weir_task_set(graph, weir_add_empty(graph, "t"), NULL);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "the options are NULL");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(options_are_kept)
{
    weir_graph *graph = graph_make(0);
    weir_task t = task_add(graph, "t", weir_no_args());
    weir_task_set(graph, t,
                  &(weir_task_options){.group = "solve", .priority = -7, .cost_ns = 1500, .share = 0.25f, .flags = WEIR_TASK_REENTRANT});
    const weir_task_record *record = &weir_graph_body(graph)->tasks.at[0];
    ck_assert_str_eq(record->name, "t");
    ck_assert_str_eq(weir_task_group(weir_graph_body(graph), record), "solve");
    ck_assert_int_eq(record->priority, -7);
    ck_assert(record->cost_ns == 1500.0f && record->share == 0.25f && record->flags == WEIR_TASK_REENTRANT);
    weir_task_set(graph, t, &(weir_task_options){.name = "u"}); /* replaces them all */
    record = &weir_graph_body(graph)->tasks.at[0];
    ck_assert_str_eq(record->name, "u");
    ck_assert_ptr_null(weir_task_group(weir_graph_body(graph), record));
    ck_assert(record->priority == 0 && record->cost_ns == 0 && record->share == 0 && record->flags == 0);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/options");
    TCase *cases = tcase_create("options");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, senseless_options_are_refused_by_name);
    tcase_add_test(cases, options_are_kept);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
