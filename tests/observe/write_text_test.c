/* write_text_test.c - what write_text.c promises: tables that people can read, one line a task. */
#include "observe/sample.h"

START_TEST(a_plans_table_goes_by_position_and_says_the_waits)
{
    weir_drawn_task task[] = {
        {.name = "late", .kind = "kernel", .group = "solve", .cost_ns = 2000, .lane = 1, .position = 1, .start_ns = 1000, .end_ns = 3000},
        {.name = "early", .kind = "copy", .cost_ns = 1000, .lane = 0, .position = 0, .end_ns = 1000}};
    weir_drawn_edge edge = {1, 0, 0}, waits[] = {{1, 0, 0}, {0, 1, 2}};
    int32_t lane_priority[] = {-1, 0};
    uint32_t critical[] = {1, 0};
    weir_drawing d = {.name = "table",
                      .policy = "priority",
                      .binding = "critical path",
                      .frames = 3,
                      .makespan_ns = 4000,
                      .interval_ns = 3500,
                      .bound_ns = 3000,
                      .task = task,
                      .task_count = 2,
                      .edge = &edge,
                      .edge_count = 1,
                      .wait = waits,
                      .wait_count = 2,
                      .lane_count = 2,
                      .lane_priority = lane_priority,
                      .critical = critical,
                      .critical_count = 2};
    char *text = sample_written(&d, "text");
    ck_assert_str_eq(text, "table: 2 tasks, 1 edge, 0 to later frames\n"
                           "plan: policy priority, 2 lanes, 3 frames in flight, 2 waits a frame, 1 of them for earlier frames\n"
                           "predicted: 4 us for one frame alone, then one every 3.5 us; "
                           "frames cannot come faster than 3 us: early -> late (3 frames at once)\n"
                           "critical path: 2 tasks, 3 us (marked *)\n"
                           "\n"
                           "lane  priority  tasks  busy\n"
                           "   0        -1      1  1 us (25%)\n"
                           "   1         0      1  2 us (50%)\n"
                           "\n"
                           " place  task   kind    group  lane     start       end  waits for\n"
                           "*    0  early  copy              0         0      1 us  late (2 frames before)\n"
                           "*    1  late   kernel  solve     1      1 us      3 us  early\n");
    free(text);
}
END_TEST

START_TEST(a_graphs_table_goes_by_number_and_says_what_each_task_follows)
{
    weir_drawn_task task[] = {
        {.name = "a", .kind = "empty"}, {.name = "b", .kind = "kernel", .cost_ns = 5}, {.name = "c", .kind = "kernel", .cost_ns = 7}};
    weir_drawn_edge edge[] = {{0, 1, 0}, {0, 2, 0}, {1, 2, 0}};
    weir_drawing d = {.name = "graph", .task = task, .task_count = 3, .edge = edge, .edge_count = 3};
    char *text = sample_written(&d, "text");
    ck_assert_str_eq(text, "graph: 3 tasks, 3 edges, 0 to later frames\n"
                           "critical path: 0 tasks, 0 (marked *)\n"
                           "\n"
                           "number  task  kind        cost  follows\n"
                           "     0  a     empty          0\n"
                           "     1  b     kernel      5 ns  a\n"
                           "     2  c     kernel      7 ns  a, b\n");
    free(text);
}
END_TEST

START_TEST(loops_and_branches_say_what_they_run)
{
    weir_drawn_body jacobi = {"jacobi", 2}, two[] = {{"a\nb", 1}, {"b", 0}};
    weir_drawn_task task[] = {{.name = "solve", .kind = "while", .cost_ns = 5, .rounds = 50, .body_count = 1, .body = &jacobi},
                              {.name = "k", .kind = "kernel", .cost_ns = 7},
                              {.name = "choose", .kind = "switch", .body_count = 2, .body = two},
                              {.name = "if", .kind = "if", .body_count = 1, .body = &jacobi}};
    weir_drawing d = {.name = "graph", .task = task, .task_count = 4};
    char *text = sample_written(&d, "text");
    ck_assert_str_eq(text, "graph: 4 tasks, 0 edges, 0 to later frames\n"
                           "critical path: 0 tasks, 0 (marked *)\n"
                           "\n"
                           "number  task    kind        cost  follows\n"
                           "     0  solve   while       5 ns\n"
                           "     1  k       kernel      7 ns\n"
                           "     2  choose  switch         0\n"
                           "     3  if      if             0\n"
                           "\n"
                           "loops and branches\n"
                           "        task    kind    runs\n"
                           "     0  solve   while   at most 50 rounds of jacobi (2 tasks)\n"
                           "     2  choose  switch  one of a\xE2\x90\x8A" "b (1 task), b (0 tasks)\n"
                           "     3  if      if      jacobi (2 tasks), or none\n");
    free(text);
}
END_TEST

START_TEST(columns_count_characters_and_no_name_breaks_a_line)
{
    weir_drawn_task task[] = {{.name = "\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC", .kind = "empty"}, {.name = "two\nl", .kind = "empty"}};
    weir_drawing d = {.name = "g\x1B[2J", .task = task, .task_count = 2};
    char *text = sample_written(&d, "text");
    sample_says(text, "g\xE2\x90\x9B[2J: 2 tasks");
    sample_says(text, "     0  \xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC  empty");
    sample_says(text, "     1  two\xE2\x90\x8Al  empty");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/write_text");
    TCase *tcase = tcase_create("write_text");
    tcase_add_test(tcase, a_plans_table_goes_by_position_and_says_the_waits);
    tcase_add_test(tcase, a_graphs_table_goes_by_number_and_says_what_each_task_follows);
    tcase_add_test(tcase, loops_and_branches_say_what_they_run);
    tcase_add_test(tcase, columns_count_characters_and_no_name_breaks_a_line);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
