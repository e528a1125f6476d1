/* read_dot_test.c - what read_dot.c promises: nodes, edges and costs as graphviz understands them, and a line with every error. */
#include "texts.h"

START_TEST(nodes_are_tasks_and_cost_is_their_time)
{
    read_drawing read = text_read(read_dot, "digraph smoke {\n  a [cost=7, color=red]\n  a -> b -> c\n  \"two words\" [cost=\"2.5\"]\n}\n");
    const weir_drawing *d = &read.drawing;
    ck_assert_str_eq(d->name, "smoke");
    ck_assert_uint_eq(d->task_count, 4);
    ck_assert_uint_eq(d->edge_count, 2);
    ck_assert_str_eq(d->task[0].name, "a");
    ck_assert_str_eq(d->task[0].kind, "empty");
    ck_assert_str_eq(d->task[3].name, "two words");
    ck_assert_double_eq(d->task[0].cost_ns, 7);
    ck_assert_double_eq(d->task[1].cost_ns, 1);
    ck_assert_double_eq(d->task[3].cost_ns, 2.5);
    has_edge(&read, 0, "a", "b");
    has_edge(&read, 1, "b", "c");
    ck_assert_uint_eq(d->critical_count, 3);
    read_drawing_finish(&read);
}
END_TEST

START_TEST(defaults_subgraphs_and_ports_are_understood)
{
    read_drawing read =
        text_read(read_dot, "strict digraph {\n node [cost=3]; subgraph cluster_x { a; b } -> c:port:n\n node [cost=5]; d\n}");
    ck_assert_str_eq(read.drawing.name, "name");
    ck_assert_uint_eq(read.drawing.task_count, 4);
    ck_assert_uint_eq(read.drawing.edge_count, 2);
    ck_assert_double_eq(read.drawing.task[0].cost_ns, 3);
    ck_assert_double_eq(read.drawing.task[3].cost_ns, 5);
    read_drawing_finish(&read);
}
END_TEST

START_TEST(the_same_edge_twice_counts_once)
{
    read_drawing read = text_read(read_dot, "digraph { a -> b; a -> c; a -> b; b -> c }");
    ck_assert_uint_eq(read.drawing.edge_count, 3);
    read_drawing_finish(&read);
}
END_TEST

START_TEST(a_graph_without_nodes_is_one)
{
    read_drawing read = text_read(read_dot, "digraph {}");
    ck_assert_uint_eq(read.drawing.task_count, 0);
    read_drawing_finish(&read);
}
END_TEST

START_TEST(costs_that_are_no_times_are_named_with_their_line)
{
    text_refused(read_dot, "digraph {\n a [cost=1]\n b [label=\"cost = x\",\n cost=x]\n}", 4, "the cost of 'b' is no number: 'x'");
    text_refused(read_dot, "digraph {\n a [cost=-2]\n}", 2, "the cost of 'a' is negative: '-2'");
    text_refused(read_dot, "digraph {\n // cost=nan\n\n a [cost=nan]\n}", 4, "is no number");
    text_refused(read_dot, "digraph {\n a\n node [cost=\"1e30\"]\n b }", 3, "more than 1e15");
}
END_TEST

START_TEST(syntax_errors_have_their_line)
{
    text_refused(read_dot, "digraph {\n a -> b\n b -> -> c\n}\n", 3, "syntax error");
    text_refused(read_dot, "digraph {\n a [cost=1e30]\n a -> -> b\n}\n", 2, "syntax error"); /* graphviz reads 1 and e30 */
    text_refused(read_dot, "hello\n", 1, "no DOT");
    text_refused(read_dot, "digraph {\n a -- b\n}\n", 2, "syntax error");
    text_refused(read_dot, "#0 directive\ndigraph {\n a -> -> b\n}\n", 1, "syntax error"); /* graphviz counts lines from there */
    text_refused(read_dot, "# 9999999999\ndigraph {\n a -> -> b\n}\n", 1, "syntax error");
    text_refused(read_dot, "digraph {\n a -> b\n}\n\n}\n", 5, "after the end of the graph comes '}'");
    text_refused(read_dot, "digraph {}\ndigraph {}", 2, "one graph a file");
}
END_TEST

START_TEST(one_error_leaves_nothing_for_the_next_file)
{
    for (int i = 0; i < 3; i++) {
        text_refused(read_dot, "digraph {\n a -> b\n b -> -> c\n}\n", 3, "syntax error");
        read_drawing read = text_read(read_dot, "digraph { a -> b }");
        ck_assert_uint_eq(read.drawing.task_count, 2);
        read_drawing_finish(&read);
    }
}
END_TEST

START_TEST(a_graph_without_directions_is_refused)
{
    text_refused(read_dot, "\ngraph { a -- b }", 2, "digraph");
}
END_TEST

START_TEST(a_file_that_is_cut_off_says_so)
{
    text_refused(read_dot, "digraph {\n a -> b\n subgraph {\n", 4, "cut off: 2 { have no }");
    text_refused(read_dot, "digraph {\n a [label=\"x\n y\n", 2, "cut off: what begins with '\"x");
    text_refused(read_dot, "digraph {\n /* a\n", 2, "cut off");
    text_refused(read_dot, "digraph {\n a [label=<<b>x</b>\n", 2, "cut off");
    text_refused(read_dot, "", 1, "empty");
}
END_TEST

START_TEST(cycles_are_named_in_their_order)
{
    text_refused(read_dot, "digraph {\n a -> b\n b -> c\n \"c\" -> b\n c -> d }", 4, "cycle: 'b' -> 'c' -> 'b'");
    text_refused(read_dot, "digraph {\n a\n a -> a\n}", 3, "cycle: 'a' -> 'a'");
}
END_TEST

START_TEST(what_would_take_libcgraph_long_is_refused)
{
    size_t bytes = (size_t)1 << 17;
    char *text = malloc(bytes + 1);
    memset(text, 'a', bytes);
    text[bytes] = '\0';
    text_refused(read_dot, text, 1, "longer than 65536 bytes");
    memset(text, ' ', bytes);
    memcpy(text + bytes - 10, "digraph {}", 10);
    text_refused(read_dot, text, 1, "longer than 65536 bytes");
    memset(text, '{', bytes);
    memcpy(text, "digraph\n", 8);
    text_refused(read_dot, text, 2, "more than 1000 deep");
    free(text);
    bytes_refused(read_dot, "digraph {\n\0}", 12, 2, "zero byte");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/read_dot");
    TCase *tcase = tcase_create("read_dot");
    tcase_add_test(tcase, nodes_are_tasks_and_cost_is_their_time);
    tcase_add_test(tcase, defaults_subgraphs_and_ports_are_understood);
    tcase_add_test(tcase, the_same_edge_twice_counts_once);
    tcase_add_test(tcase, a_graph_without_nodes_is_one);
    tcase_add_test(tcase, costs_that_are_no_times_are_named_with_their_line);
    tcase_add_test(tcase, syntax_errors_have_their_line);
    tcase_add_test(tcase, one_error_leaves_nothing_for_the_next_file);
    tcase_add_test(tcase, a_graph_without_directions_is_refused);
    tcase_add_test(tcase, a_file_that_is_cut_off_says_so);
    tcase_add_test(tcase, cycles_are_named_in_their_order);
    tcase_add_test(tcase, what_would_take_libcgraph_long_is_refused);
    suite_add_tcase(suite, tcase);
    return texts_run(suite);
}
