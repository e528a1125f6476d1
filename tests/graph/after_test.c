/* after_test.c - what after.c promises: edges that the program declares itself. */
#include "graph/refused.h"

START_TEST(edges_to_null_and_foreign_tasks_are_refused)
{
    weir_graph *graph = graph_make(0), *other = graph_make(0);
    weir_task none = {0, 0}, mine = weir_add_empty(graph, "mine"), foreign = weir_add_empty(other, "foreign"), past = {99, mine.graph};
    weir_after(graph, mine, foreign);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "weir_after with 'mine': the earlier task is of another graph");
    weir_after(graph, none, mine); /* the first error sticks, each is in its call's last error */
    ck_assert_str_eq(weir_last_error(), "weir_after with 'mine': the later task is the null task");
    weir_after_previous(graph, past, mine, 1);
    ck_assert_str_eq(weir_last_error(), "weir_after with 'mine': the later task is none of this graph");
    weir_after(graph, none, foreign);
    says(weir_last_error(), "'?'");
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "of another graph");
    ck_assert_uint_eq(weir_graph_body(graph)->explicits.count, 0);
    ck_assert_uint_eq(weir_graph_body(graph)->explicits_carried.count, 0);
    weir_graph_destroy(graph);
    weir_graph_destroy(other);
}
END_TEST

START_TEST(edge_to_itself_is_a_cycle_and_distance_zero_no_distance)
{
    weir_graph *graph = graph_make(0);
    weir_task t = weir_add_empty(graph, "t");
    weir_after(graph, t, t);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_CYCLE);
    ck_assert_str_eq(weir_last_error(), "cycle: 't' -> 't'");
    weir_graph_destroy(graph);
    graph = graph_make(0);
    t = weir_add_empty(graph, "t");
    weir_after_previous(graph, t, t, 1); /* a task may follow itself from frame to frame */
    ck_assert_int_eq(weir_graph_status(graph), WEIR_OK);
    weir_after_previous(graph, t, t, 0);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "'t': a distance of 0 frames, use weir_after");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(explicit_edges_join_the_derived_ones)
{
    weir_graph *g = graph_make(0);
    weir_task a = task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local))), b = task_add(g, "b", WEIR_ARGS(WEIR_READ(local)));
    weir_task c = task_add(g, "c", WEIR_ARGS(WEIR_READ(out)));
    weir_after(g, c, a);
    weir_after(g, b, c);
    edges_are(g, "a>b c>b a>c");
    weir_graph_destroy(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/after");
    TCase *cases = tcase_create("after");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, edges_to_null_and_foreign_tasks_are_refused);
    tcase_add_test(cases, edge_to_itself_is_a_cycle_and_distance_zero_no_distance);
    tcase_add_test(cases, explicit_edges_join_the_derived_ones);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
