/* write_dot_test.c - what write_dot.c promises about its text. That graphviz takes it, whatever the names, is shown with dagdump. */
#include "observe/sample.h"
#include <stdbool.h>

/* a, b in group "flow", c, host task d; c waits for a, b -> c is implied by lanes, c follows d of the frame before, a that of two
 * before. */
static weir_drawn_task task[4];
static weir_drawn_edge edge[3] = {{0, 2, 0}, {1, 2, 0}, {2, 3, 0}}, carried[2] = {{3, 0, 2}, {3, 2, 1}}, waits[1] = {{0, 2, 0}};
static uint32_t critical[3] = {0, 2, 3};
static int32_t lane_priority[2];

static weir_drawing make(void)
{
    task[0] = (weir_drawn_task){.name = "a", .kind = "copy", .group = "flow", .lane = 0, .cost_ns = 12300, .end_ns = 12300};
    task[1] = (weir_drawn_task){.name = "b", .kind = "kernel", .group = "flow", .lane = 0};
    task[2] = (weir_drawn_task){.name = "c", .kind = "kernel", .lane = 1};
    task[3] = (weir_drawn_task){.name = "d", .kind = "host", .lane = 1};
    for (uint32_t i = 0; i < 4; i++)
        task[i].position = i;
    return (weir_drawing){.name = "picture",
                          .policy = "priority",
                          .binding = "lanes",
                          .frames = 2,
                          .makespan_ns = 15000,
                          .interval_ns = 14000,
                          .bound_ns = 13000,
                          .task = task,
                          .task_count = 4,
                          .edge = edge,
                          .edge_count = 3,
                          .carried = carried,
                          .carried_count = 2,
                          .wait = waits,
                          .wait_count = 1,
                          .lane_count = 2,
                          .lane_priority = lane_priority,
                          .critical = critical,
                          .critical_count = 3};
}

/* The line on which that is; to be freed. */
static char *line_with(const char *text, const char *part)
{
    const char *at = strstr(text, part), *end;
    ck_assert_msg(at != NULL, "'%s' is not in:\n%s", part, text);
    while (at > text && at[-1] != '\n')
        at--;
    end = strchr(at, '\n');
    return strndup(at, (size_t)(end - at));
}

static void line_says(const char *text, const char *line, const char *part, bool says)
{
    char *found = line_with(text, line);
    (says ? sample_says : sample_says_not)(found, part);
    free(found);
}

START_TEST(lanes_are_colours_and_said_in_words)
{
    weir_drawing d = make();
    char *text = sample_written(&d, "dot");
    line_says(text, "t0 [", "fillcolor=\"#77AADD\"", true);
    line_says(text, "t0 [", "lane 0, 12.3 us", true);
    line_says(text, "t1 [", "fillcolor=\"#77AADD\"", true);
    line_says(text, "t2 [", "fillcolor=\"#EEDD88\"", true);
    line_says(text, "t2 [", "lane 1", true);
    sample_says(text, "<td bgcolor=\"#EEDD88\">lane 1</td>");
    free(text);
}
END_TEST

START_TEST(waits_are_dashed_and_implied_edges_grey)
{
    weir_drawing d = make();
    char *text = sample_written(&d, "dot");
    line_says(text, "t0 -> t2", "style=dashed", true);
    line_says(text, "t1 -> t2", "style=solid", true);
    line_says(text, "t1 -> t2", "#AAAAAA", true);
    line_says(text, "t2 -> t3", "style=solid", true);
    line_says(text, "t2 -> t3", "#AAAAAA", false);
    free(text);
}
END_TEST

START_TEST(the_critical_path_is_bold)
{
    weir_drawing d = make();
    char *text = sample_written(&d, "dot");
    line_says(text, "t0 [", "penwidth=2.5", true);
    line_says(text, "t1 [", "penwidth=2.5", false);
    line_says(text, "t0 -> t2", "penwidth=2.5", true);
    line_says(text, "t1 -> t2", "penwidth=2.5", false);
    free(text);
}
END_TEST

START_TEST(groups_are_clusters)
{
    weir_drawing d = make();
    char *text = sample_written(&d, "dot");
    const char *cluster = strstr(text, "subgraph cluster_0 {"), *end = cluster ? strstr(cluster, "  }\n") : NULL;
    ck_assert_ptr_nonnull(end);
    ck_assert_ptr_nonnull(strstr(cluster, "label=\"flow\""));
    ck_assert(strstr(cluster, "t0 [") < end && strstr(cluster, "t1 [") < end);
    ck_assert(strstr(cluster, "t2 [") > end);
    ck_assert_uint_eq(sample_count(text, "subgraph"), 1);
    free(text);
}
END_TEST

START_TEST(carried_edges_are_marked_with_their_distance_and_do_not_move_tasks)
{
    weir_drawing d = make();
    char *text = sample_written(&d, "dot");
    line_says(text, "t3 -> t2", "label=\"+1\", constraint=false", true); /* beside the line c -> d */
    line_says(text, "t3 -> t2", "#AA3377", true);
    line_says(text, "e1 [", "label=\"d\\nof 2 frames before\"", true); /* far from a: d is written again above it */
    line_says(text, "e1 -> t0", "#AA3377", true);
    free(text);
}
END_TEST

START_TEST(the_title_says_what_is_drawn)
{
    weir_drawing d = make();
    char *text = sample_written(&d, "dot");
    sample_says(text, "<b>picture</b>: 4 tasks, 2 lanes, policy priority, 2 frames in flight");
    sample_says(text, "predicted: 15 us for one frame alone, then one every 14 us; bound 13 us (lanes)");
    free(text);
    d.policy = NULL;
    d.wait_count = d.lane_count = 0;
    text = sample_written(&d, "dot");
    sample_says(text, "<b>picture</b>: 4 tasks</td>");
    sample_says_not(text, "predicted");
    sample_says_not(text, "lane ");
    free(text);
}
END_TEST

START_TEST(names_are_escaped_once_for_each_reader)
{
    weir_drawing d = make();
    d.name = "<b>&\"\\";
    task[2].name = "say \"hi\" \\N &amp;\n<x>";
    task[0].group = task[1].group = "g\"\\";
    char *text = sample_written(&d, "dot");
    line_says(text, "t2 [", "label=\"say \\\"hi\\\" \\\\N &amp;amp;\xE2\x90\x8A<x>\\nlane 1", true);
    sample_says(text, "label=\"g\\\"\\\\\"");
    sample_says(text, "<b>&#60;b&#62;&#38;&#34;&#92;</b>");
    sample_says(text, "digraph \"<b>&amp;\\\"\\\\\" {");
    free(text);
}
END_TEST

START_TEST(loops_and_branches_say_how_much_they_run)
{
    static weir_drawn_body bodies[10] = {{"say \"x\"", 3}, {"b", 1}};
    for (size_t i = 2; i < 10; i++)
        bodies[i] = (weir_drawn_body){"more", 1};
    weir_drawing d = make();
    char *text = sample_written(&d, "dot");
    sample_says_not(text, "hexagon");
    free(text);
    task[0].kind = "while";
    task[0].rounds = 50;
    task[1].kind = "if";
    task[0].body = task[1].body = task[2].body = task[3].body = bodies;
    task[0].body_count = task[1].body_count = 1;
    task[2].kind = "if";
    task[2].body_count = 2;
    task[3].kind = "switch";
    task[3].body_count = 10;
    text = sample_written(&d, "dot");
    sample_says(text, "hexagon: loop");
    line_says(text, "t0 [", "label=\"a\\nat most 50 rounds of 3 tasks\\nlane 0, 12.3 us\"", true);
    line_says(text, "t0 [", "shape=hexagon, style=filled", true);
    line_says(text, "t0 [", "tooltip=\"a: while say \\\"x\\\", predicted", true);
    line_says(text, "t1 [", "label=\"b\\n3 tasks or none\\nlane 0", true);
    line_says(text, "t1 [", "shape=octagon, style=filled", true);
    line_says(text, "t2 [", "label=\"c\\none of 3, 1 tasks\\nlane 1", true);
    line_says(text, "t3 [", "label=\"d\\none of 3, 1, 1, 1, 1, 1, 1, 1, ... tasks\\nlane 1", true);
    line_says(text, "t3 [", "shape=octagon, style=filled", true);
    line_says(text, "t3 [", "switch say \\\"x\\\", b, more, more, more, more, more, more, ...,", true);
    free(text);
    task[0].rounds = 1;
    bodies[0].tasks = 1;
    text = sample_written(&d, "dot");
    line_says(text, "t0 [", "at most 1 round of 1 task\\n", true);
    line_says(text, "t1 [", "1 task or none", true);
    free(text);
}
END_TEST

START_TEST(a_chain_of_loops_is_not_folded)
{
    enum { CHAIN = 8 };
    weir_drawn_body body = {"body", 1};
    weir_drawn_task loop[CHAIN];
    weir_drawn_edge next[CHAIN - 1];
    for (uint32_t i = 0; i < CHAIN; i++)
        loop[i] = (weir_drawn_task){.name = "loop", .kind = "while", .rounds = i + 1, .body_count = 1, .body = &body};
    for (uint32_t i = 1; i < CHAIN; i++)
        next[i - 1] = (weir_drawn_edge){i - 1, i, 0};
    weir_drawing d = {.name = "chain", .task = loop, .task_count = CHAIN, .edge = next, .edge_count = CHAIN - 1};
    char *text = sample_written(&d, "dot");
    sample_says_not(text, "more");
    ck_assert_uint_eq(sample_count(text, "at most"), CHAIN);
    free(text);
}
END_TEST

START_TEST(a_fold_says_how_many_tasks_and_how_long)
{
    enum { CHAIN = 8 };
    weir_drawn_task sweep[CHAIN];
    weir_drawn_edge next[CHAIN - 1];
    for (uint32_t i = 0; i < CHAIN; i++)
        sweep[i] = (weir_drawn_task){.name = "sweep", .kind = "kernel", .cost_ns = 2000};
    for (uint32_t i = 0; i + 1 < CHAIN; i++)
        next[i] = (weir_drawn_edge){i, i + 1, 0};
    weir_drawing d = {.name = "chain", .task = sweep, .task_count = CHAIN, .edge = next, .edge_count = CHAIN - 1};
    char *text = sample_written(&d, "dot");
    line_says(text, "t1 [", "... 6 more ...\\n12 us", true);
    ck_assert_uint_eq(sample_count(text, " [label="), 3);
    ck_assert_uint_eq(sample_count(text, " -> "), 2);
    sample_says(text, "t0 -> t1 ");
    sample_says(text, "t1 -> t7 ");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/write_dot");
    TCase *tcase = tcase_create("write_dot");
    tcase_add_test(tcase, lanes_are_colours_and_said_in_words);
    tcase_add_test(tcase, waits_are_dashed_and_implied_edges_grey);
    tcase_add_test(tcase, the_critical_path_is_bold);
    tcase_add_test(tcase, groups_are_clusters);
    tcase_add_test(tcase, carried_edges_are_marked_with_their_distance_and_do_not_move_tasks);
    tcase_add_test(tcase, the_title_says_what_is_drawn);
    tcase_add_test(tcase, names_are_escaped_once_for_each_reader);
    tcase_add_test(tcase, loops_and_branches_say_how_much_they_run);
    tcase_add_test(tcase, a_chain_of_loops_is_not_folded);
    tcase_add_test(tcase, a_fold_says_how_many_tasks_and_how_long);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
