/* graph_test.c - what graph.c promises: the first error, names, and who may change what. */
#include "graph/graph.h"
#include "graph/refused.h"
#include "util/counting.h"

START_TEST(graph_needs_a_name_and_known_flags)
{
    weir_graph *untouched = (weir_graph *)&untouched, *graph = untouched;
    ck_assert_int_eq(weir_graph_create(NULL, 0, &graph), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_create("g", 0, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_create("g", 2, &graph), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "graph 'g': unknown flags 0x2");
    ck_assert_ptr_eq(graph, untouched);
}
END_TEST

START_TEST(first_error_sticks)
{
    weir_graph *graph = graph_make(0);
    weir_add_empty(graph, "good");
    task_add(graph, "first bad", WEIR_ARGS(WEIR_READ(NULL)));
    task_add(graph, "second bad", WEIR_ARGS(WEIR_PREVIOUS(local, 1)));
    says(weir_last_error(), "second bad");
    weir_add_empty(graph, "good again");
    weir_graph *unrelated = NULL;
    ck_assert_int_eq(weir_graph_create(NULL, 0, &unrelated), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "first bad");
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "first bad");
    names_are(graph, "good"); /* nothing is added after it */
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(first_of_a_name_is_found_as_tasks_come_and_change)
{
    weir_graph *g = graph_make(0);
    ck_assert_uint_eq(weir_graph_find(g, "a").number, 0);
    weir_task a = weir_add_empty(g, "a"), b = weir_add_empty(g, "b");
    weir_add_empty(g, "a");
    ck_assert_uint_eq(weir_graph_find(g, "a").number, a.number);
    ck_assert_uint_eq(weir_graph_find(g, "a").graph, a.graph);
    ck_assert_uint_eq(weir_graph_find(g, "b").number, b.number);
    ck_assert_uint_eq(weir_graph_find(g, "c").number, 0);
    weir_task c = weir_add_empty(g, "c");
    ck_assert_uint_eq(weir_graph_find(g, "c").number, c.number);
    weir_task_set(g, a, &(weir_task_options){.name = "z"});
    ck_assert_uint_eq(weir_graph_find(g, "z").number, a.number);
    ck_assert_uint_eq(weir_graph_find(g, "a").number, 3);
    ck_assert_uint_eq(weir_graph_find(g, NULL).number, 0);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(finding_without_memory_is_slow_not_wrong)
{
    counting_start(0, 0);
    weir_graph *g = graph_make(0);
    weir_task a = weir_add_empty(g, "a"), b = weir_add_empty(g, "b");
    counting_start(1, 1);
    ck_assert_uint_eq(weir_graph_find(g, "b").number, b.number);
    ck_assert_uint_eq(weir_graph_find(g, "a").number, a.number);
    ck_assert_uint_eq(weir_graph_find(g, "c").number, 0);
    counting_relent();
    ck_assert_uint_eq(weir_graph_find(g, "b").number, b.number);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(names_are_told_for_own_tasks_only)
{
    weir_graph *g = graph_make(0), *other = graph_make(0);
    weir_task a = weir_add_empty(g, "a");
    ck_assert_str_eq(weir_task_name(g, a), "a");
    ck_assert_ptr_null(weir_task_name(other, a));
    ck_assert_ptr_null(weir_task_name(g, (weir_task){0, 0}));
    ck_assert_ptr_null(weir_task_name(g, (weir_task){2, a.graph}));
    ck_assert_str_eq(weir_task_name(g, weir_add_kernel(g, &kernel, (weir_shape){.grid = {1}}, weir_no_args())), "jacobi");
    weir_graph_destroy(g);
    weir_graph_destroy(other);
}
END_TEST

START_TEST(whoever_holds_the_declaration_sees_no_later_change)
{
    weir_graph *g = graph_make(0);
    weir_task a = task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local), WEIR_VALUE(half)));
    weir_body *held = weir_body_hold(weir_graph_body(g)); /* as a plan does */
    weir_task b = task_add(g, "b", WEIR_ARGS(WEIR_READ(local), WEIR_READ(out)));
    weir_task_set(g, a, &(weir_task_options){.name = "changed", .group = "late", .priority = 5});
    weir_after(g, b, a);
    weir_after_previous(g, a, b, 1);
    edges_are(g, "changed>b");
    ck_assert_uint_eq(held->id, a.graph);
    ck_assert_uint_eq(held->tasks.count, 1);
    ck_assert_str_eq(held->tasks.at[0].name, "a");
    ck_assert_int_eq(held->tasks.at[0].priority, 0);
    ck_assert_uint_eq(held->groups.count, 0);
    ck_assert_uint_eq(held->buffers.count, 1);
    ck_assert_uint_eq(held->explicits.count, 0);
    ck_assert_uint_eq(held->explicits_carried.count, 0);
    weir_graph_destroy(g);
    float value;
    memcpy(&value, held->values.at + held->args.at[1].index, sizeof value);
    ck_assert(value == half);
    ck_assert_str_eq(held->buffers.at[0].buffer->name, "local");
    weir_body_release(held);
}
END_TEST

START_TEST(handles_stay_good_after_the_declaration_was_copied)
{
    weir_graph *g = graph_make(0);
    weir_task a = task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local)));
    weir_body *held = weir_body_hold(weir_graph_body(g));
    weir_task b = weir_add_empty(g, "b");
    weir_after(g, b, a);
    task_add(g, "c", WEIR_ARGS(WEIR_READ(local)));
    edges_are(g, "a>b a>c");
    ck_assert_uint_eq(weir_graph_find(g, "a").number, a.number);
    weir_body_release(held);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(nothing_is_copied_when_the_graph_alone_holds_it)
{
    weir_graph *g = graph_make(0);
    const weir_body *before = weir_graph_body(g);
    weir_add_empty(g, "a");
    ck_assert_ptr_eq(weir_graph_body(g), before);
    weir_body_release(weir_body_hold(before));
    weir_add_empty(g, "b");
    ck_assert_ptr_eq(weir_graph_body(g), before);
    weir_graph_destroy(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/graph");
    TCase *cases = tcase_create("graph");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, graph_needs_a_name_and_known_flags);
    tcase_add_test(cases, first_error_sticks);
    tcase_add_test(cases, first_of_a_name_is_found_as_tasks_come_and_change);
    tcase_add_test(cases, finding_without_memory_is_slow_not_wrong);
    tcase_add_test(cases, names_are_told_for_own_tasks_only);
    tcase_add_test(cases, whoever_holds_the_declaration_sees_no_later_change);
    tcase_add_test(cases, handles_stay_good_after_the_declaration_was_copied);
    tcase_add_test(cases, nothing_is_copied_when_the_graph_alone_holds_it);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
