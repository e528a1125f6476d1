/* read_stg_test.c - what read_stg.c promises: each row is a task, and whatever is wrong is refused with its line. */
#include "texts.h"

START_TEST(each_row_is_a_task_with_its_time_and_predecessors)
{
    read_drawing read = text_read(read_stg, "# a diamond\n 4 # tasks\n0 0 0\n1 2.5 1 0 # left\r\n\n2 7 1 0\n3 0 2 1 2");
    const weir_drawing *d = &read.drawing;
    ck_assert_uint_eq(d->task_count, 4);
    ck_assert_uint_eq(d->edge_count, 4);
    ck_assert_str_eq(d->name, "name");
    ck_assert_str_eq(d->task[1].name, "1");
    ck_assert_str_eq(d->task[1].kind, "empty");
    ck_assert_double_eq(d->task[1].cost_ns, 2.5);
    ck_assert_double_eq(d->task[3].cost_ns, 0);
    has_edge(&read, 0, "0", "1");
    has_edge(&read, 3, "2", "3");
    ck_assert_uint_eq(d->critical_count, 3);
    ck_assert_uint_eq(d->critical[1], 2);
    read_drawing_finish(&read);
}
END_TEST

START_TEST(the_count_may_leave_out_the_two_dummy_tasks)
{
    read_drawing read = text_read(read_stg, "1\n0 0 0\n1 5 1 0\n2 0 1 1\n");
    ck_assert_uint_eq(read.drawing.task_count, 3);
    read_drawing_finish(&read);
    read = text_read(read_stg, "3\n0 0 0\n1 5 1 0\n2 0 1 1\n");
    ck_assert_uint_eq(read.drawing.task_count, 3);
    read_drawing_finish(&read);
    text_refused(read_stg, "2\n0 0 0\n1 5 1 0\n2 0 1 1\n", 1, "says it has 2 tasks, but there are 3 rows");
    text_refused(read_stg, "\n# more\n4\n0 0 0\n1 5 1 0\n2 0 1 1\n", 3, "says it has 4 tasks, but there are 3 rows");
    text_refused(read_stg, "4294967294\n0 0 0\n", 1, "there are 1 rows");
}
END_TEST

START_TEST(rows_may_come_in_any_order)
{
    read_drawing read = text_read(read_stg, "2\n1 3 1 0\n0 4 0\n");
    has_edge(&read, 0, "0", "1");
    ck_assert_double_eq(read.drawing.task[0].cost_ns, 3);
    read_drawing_finish(&read);
}
END_TEST

START_TEST(a_graph_without_tasks_is_one)
{
    read_drawing read = text_read(read_stg, "0\n");
    ck_assert_uint_eq(read.drawing.task_count, 0);
    ck_assert_uint_eq(read.drawing.critical_count, 0);
    read_drawing_finish(&read);
}
END_TEST

START_TEST(what_is_not_a_number_is_named)
{
    text_refused(read_stg, "x\n0 0 0\n", 1, "'x'");
    text_refused(read_stg, "1\na 0 0\n", 2, "a task's number must be a whole number from 0 on, but is 'a'");
    text_refused(read_stg, "1\n-1 0 0\n", 2, "'-1'");
    text_refused(read_stg, "1\n1.5 0 0\n", 2, "'1.5'");
    text_refused(read_stg, "1\n0 1 0x1 0\n", 2, "'0x1'");
    text_refused(read_stg, "1\n0 abc 0\n", 2, "the time of task 0 is no number: 'abc'");
    text_refused(read_stg, "1\n0 nan 0\n", 2, "is no number");
    text_refused(read_stg, "1\n0 inf 0\n", 2, "is no number");
    text_refused(read_stg, "1\n0 1e 0\n", 2, "is no number");
    text_refused(read_stg, "1\n0 1,5 0\n", 2, "is no number");
    text_refused(read_stg, "2\n0 1 0\n1 1 1 zero\n", 3, "'zero'");
}
END_TEST

START_TEST(times_out_of_range_are_named)
{
    text_refused(read_stg, "2\n0 1 0\n1 -3 0\n", 3, "the time of task 1 is negative: '-3'");
    text_refused(read_stg, "1\n0 1e16 0\n", 2, "more than 1e15");
    text_refused(read_stg, "1\n0 1e999 0\n", 2, "more than 1e15");
    text_refused(read_stg, "1\n99999999999999999999 1 0\n", 2, "too large");
    text_refused(read_stg, "1\n0 1 4294967295\n", 2, "too large");
}
END_TEST

START_TEST(unknown_and_repeated_tasks_are_named)
{
    text_refused(read_stg, "2\n0 1 0\n2 1 0\n", 3, "task 2 is unknown");
    text_refused(read_stg, "2\n0 1 0\n0 1 0\n", 3, "task 0 is repeated: line 2 has it");
    text_refused(read_stg, "2\n0 1 0\n1 1 1 2\n", 3, "task 1 follows task 2, which is unknown");
    text_refused(read_stg, "2\n0 1 0\n1 1 2 0 0\n", 3, "task 1 follows task 0 repeatedly");
}
END_TEST

START_TEST(rows_of_a_wrong_length_are_named)
{
    text_refused(read_stg, "2\n0 1 0\n1 1 0 0\n", 3, "task 1 has 0 predecessors, but after them comes '0'");
    text_refused(read_stg, "2\n0 1 1\n1 1 0\n", 2, "the row ends before all its predecessors");
    text_refused(read_stg, "2\n0\n1 1 0\n", 2, "the row ends before its time");
    text_refused(read_stg, "2 2\n0 1 0\n1 1 0\n", 1, "alone, but after it comes '2'");
}
END_TEST

START_TEST(a_file_that_is_cut_off_says_so)
{
    text_refused(read_stg, "2\n0 1 0\n1 1 2 0", 3, "cut off");
    text_refused(read_stg, "2\n0 1 0\n1 1", 3, "cut off");
    text_refused(read_stg, "2\n0 1 0\n", 1, "says it has 2 tasks, but there are 1 rows");
    text_refused(read_stg, "", 1, "empty");
    text_refused(read_stg, "\n \t\n", 1, "empty");
    text_refused(read_stg, "# nothing\n", 1, "only comments");
}
END_TEST

START_TEST(cycles_are_named_in_their_order)
{
    text_refused(read_stg, "4\n0 1 0\n1 1 2 0 3\n2 1 1 1\n3 1 1 2\n", 3, "cycle: '1' -> '2' -> '3' -> '1'");
    text_refused(read_stg, "2\n0 1 0\n1 1 1 1\n", 3, "cycle: '1' -> '1'");
}
END_TEST

START_TEST(a_long_cycle_is_named_in_part)
{
    char text[4096] = "100\n0 1 1 99\n";
    for (int i = 1; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d 1 1 %d\n", i, i - 1);
    text_refused(read_stg, text, 2, "'4' -> ... (90 more) ... -> '95'");
    text_refused(read_stg, text, 2, "cycle: '0' -> '1'");
    text_refused(read_stg, text, 2, "'99' -> '0'");
}
END_TEST

START_TEST(zero_bytes_and_noise_are_no_numbers)
{
    static const char zeros[] = "2\n0 1 0\n\0\0\0\0 1 0\n", noise[] = "\x7F\x45\x4C\x46\x02\x01\x01\0\0\xFF\n\n";
    bytes_refused(read_stg, zeros, sizeof zeros - 1, 3,
                  "'?"
                  "?"
                  "?"
                  "?'");
    bytes_refused(read_stg, noise, sizeof noise - 1, 1, "'?ELF");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/read_stg");
    TCase *tcase = tcase_create("read_stg");
    tcase_add_test(tcase, each_row_is_a_task_with_its_time_and_predecessors);
    tcase_add_test(tcase, the_count_may_leave_out_the_two_dummy_tasks);
    tcase_add_test(tcase, rows_may_come_in_any_order);
    tcase_add_test(tcase, a_graph_without_tasks_is_one);
    tcase_add_test(tcase, what_is_not_a_number_is_named);
    tcase_add_test(tcase, times_out_of_range_are_named);
    tcase_add_test(tcase, unknown_and_repeated_tasks_are_named);
    tcase_add_test(tcase, rows_of_a_wrong_length_are_named);
    tcase_add_test(tcase, a_file_that_is_cut_off_says_so);
    tcase_add_test(tcase, cycles_are_named_in_their_order);
    tcase_add_test(tcase, a_long_cycle_is_named_in_part);
    tcase_add_test(tcase, zero_bytes_and_noise_are_no_numbers);
    suite_add_tcase(suite, tcase);
    return texts_run(suite);
}
