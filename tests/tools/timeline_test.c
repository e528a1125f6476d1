/* timeline_test.c - what read_trace.c and timeline.c promise: the tasks of a trace, the frames that are meant, the critical path. */
#include "observe/folder.h"
#include "texts.h"
#include "dagdump/timeline_svg.h"
#include "timeline.h"
#include "util/random.h"

static test_folder folder;

static void set_up(void)
{
    folder = folder_make();
}

static void tear_down(void)
{
    folder_remove(&folder);
}

#define HEAD "{\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"workers\"}}"
#define GRAPH(pid, name) ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" #pid ",\"args\":{\"name\":\"" name "\"}}"
#define TASK(name, kind, pid, tid, frame, from, took)                                                                                      \
    ",\n{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #from ",\"dur\":" #took                             \
    ",\"args\":{\"frame\":" #frame ",\"kind\":\"" kind "\"}}"
#define END "\n]}\n"

static bool read_written(const char *text, read_trace *trace, read_error *error)
{
    test_path path = folder_file(&folder, "trace.json");
    FILE *file = fopen(path.text, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return read_trace_file(path.text, trace, error);
}

static read_trace trace_of(const char *text)
{
    read_trace trace;
    read_error error = {""};
    ck_assert_msg(read_written(text, &trace, &error), "%s", error.text);
    return trace;
}

static void refused(const char *text, unsigned line, const char *part)
{
    read_trace trace;
    read_error error = {""};
    char begins[256];
    ck_assert_msg(!read_written(text, &trace, &error), "accepted:\n%s", text);
    snprintf(begins, sizeof begins, "%s:%u: ", folder_file(&folder, "trace.json").text, line);
    ck_assert_msg(strncmp(error.text, begins, strlen(begins)) == 0, "'%s' does not begin with '%s'", error.text, begins);
    ck_assert_msg(strstr(error.text, part), "'%s' does not say '%s'", error.text, part);
}

/* Lane 0 runs a, c; lane 1 b, which c waits for, then d; a worker's row shows a again. */
static const char two_lanes[] = HEAD GRAPH(2, "smoke") TASK("a", "kernel", 2, 0, 0, 0.5, 10) TASK("a", "kernel", 1, 0, 0, 0.5, 10)
    TASK("b", "copy", 2, 1, 0, 1, 12) TASK("c", "kernel", 2, 0, 0, 13.125, 5) TASK("d", "host", 2, 1, 0, 14, 2) END;

START_TEST(tasks_of_lanes_are_read_and_rows_of_workers_left_out)
{
    read_trace trace = trace_of(two_lanes);
    ck_assert_uint_eq(trace.tasks, 4);
    ck_assert_uint_eq(trace.rows, 2);
    ck_assert_uint_eq(trace.graphs, 1);
    ck_assert_str_eq(trace.graph[0].name, "smoke");
    ck_assert_str_eq(trace.task[1].name, "b");
    ck_assert_str_eq(trace.task[1].kind, "copy");
    ck_assert_uint_eq(trace.task[1].row, 1);
    ck_assert_double_eq(trace.task[2].start_ns, 13125);
    ck_assert_double_eq(trace.task[2].end_ns, 18125);
    read_trace_finish(&trace);
}
END_TEST

/* As two_lanes, from a device: b stands in the row of its copy engine too, and d in a further row of lane 0. */
START_TEST(rows_of_copy_engines_are_left_out_and_further_rows_of_lanes_are_not)
{
    read_trace trace = trace_of(HEAD GRAPH(2, "smoke") GRAPH(1000000, "copy engines") TASK("a", "kernel", 2, 0, 0, 0.5, 10)
                                    TASK("b", "copy", 2, 1, 0, 1, 12) TASK("b", "copy", 1000000, 1, 0, 1, 12)
                                        TASK("c", "kernel", 2, 0, 0, 13.125, 5) TASK("d", "kernel", 2, 65536, 0, 14, 2) END);
    timeline t;
    ck_assert_uint_eq(trace.tasks, 4);
    ck_assert_uint_eq(trace.rows, 3);
    ck_assert_uint_eq(trace.graphs, 1);
    ck_assert_str_eq(trace.graph[0].name, "smoke");
    ck_assert(timeline_init(&trace, 1, 0, &t));
    ck_assert_uint_eq(t.tasks, 4);
    ck_assert_uint_eq(t.lines, 3);
    timeline_finish(&t);
    read_trace_finish(&trace);
}
END_TEST

START_TEST(the_critical_path_leads_back_through_what_ended_last)
{
    read_trace trace = trace_of(two_lanes);
    timeline t;
    ck_assert(timeline_init(&trace, 1, 0, &t));
    ck_assert_uint_eq(t.tasks, 4);
    ck_assert_uint_eq(t.critical_tasks, 2);
    ck_assert_double_eq(t.critical_ns, 17000);
    ck_assert_double_eq(t.start_ns, 500);
    ck_assert_double_eq(t.end_ns, 18125);
    for (uint32_t i = 0; i < t.tasks; i++) {
        const char *name = trace.task[t.task[i]].name;
        ck_assert_int_eq(t.critical[i], strcmp(name, "b") == 0 || strcmp(name, "c") == 0);
    }
    timeline_finish(&t);
    read_trace_finish(&trace);
}
END_TEST

START_TEST(of_tasks_that_ended_together_the_one_of_the_same_row_is_taken)
{
    read_trace trace = trace_of(HEAD TASK("x", "kernel", 2, 1, 0, 0, 4) TASK("y", "kernel", 2, 0, 0, 0, 4)
                                    TASK("z", "kernel", 2, 2, 0, 0, 4) TASK("last", "kernel", 2, 0, 0, 4, 1) END);
    timeline t;
    ck_assert(timeline_init(&trace, 1, 0, &t));
    ck_assert_uint_eq(t.critical_tasks, 2);
    for (uint32_t i = 0; i < t.tasks; i++)
        ck_assert_int_eq(t.critical[i], trace.row[trace.task[t.task[i]].row].number == 0);
    timeline_finish(&t);
    read_trace_finish(&trace);
}
END_TEST

START_TEST(tasks_that_take_no_time_end_the_search)
{
    read_trace trace =
        trace_of(HEAD TASK("a", "empty", 2, 0, 0, 5, 0) TASK("b", "empty", 2, 0, 0, 5, 0) TASK("c", "empty", 2, 0, 0, 5, 0) END);
    timeline t;
    ck_assert(timeline_init(&trace, 1, 0, &t));
    ck_assert_uint_eq(t.critical_tasks, 3);
    timeline_finish(&t);
    read_trace_finish(&trace);
}
END_TEST

/* Five frames of smoke, and a graph beside it of which one task ran meanwhile. */
static const char frames[] = HEAD TASK("early", "fill", 2, 0, 0, 0, 1) TASK("beside", "fill", 2, 0, 0, 31, 1)
    TASK("idle", "fill", 4, 0, 0, 1, 1) GRAPH(3, "smoke") TASK("f0", "kernel", 3, 0, 0, 1, 9) TASK("f1", "kernel", 3, 0, 1, 10, 9)
        TASK("f2", "kernel", 3, 0, 2, 20, 9) TASK("f3", "kernel", 3, 1, 3, 30, 9) TASK("f4", "kernel", 3, 0, 4, 40, 9) END;

START_TEST(the_last_three_frames_or_those_asked_for_are_drawn)
{
    read_trace trace = trace_of(frames);
    timeline t;
    ck_assert(timeline_init(&trace, 1, 0, &t));
    ck_assert_uint_eq(t.first_frame, 2);
    ck_assert_uint_eq(t.last_frame, 4);
    ck_assert_uint_eq(t.tasks, 4); /* beside too */
    ck_assert_uint_eq(t.headings, 2);
    ck_assert_uint_eq(t.lines, 3); /* of smoke's two lanes and the other's one */
    timeline_finish(&t);
    ck_assert(timeline_init(&trace, 0, 1, &t));
    ck_assert_uint_eq(t.tasks, 3); /* with idle, which is of that time */
    ck_assert_double_eq(t.start_ns, 1000);
    ck_assert_double_eq(t.end_ns, 19000);
    timeline_finish(&t);
    ck_assert(timeline_init(&trace, 5, 9, &t));
    ck_assert_uint_eq(t.tasks, 0);
    ck_assert_uint_eq(t.earliest_frame, 0);
    ck_assert_uint_eq(t.latest_frame, 4);
    timeline_finish(&t);
    read_trace_finish(&trace);
}
END_TEST

START_TEST(what_is_no_trace_is_refused_with_its_line)
{
    refused("", 1, "empty");
    refused("{\n\"traceEvents\":[\n", 3, "cut off");
    refused("{}", 1, "no list \"traceEvents\"");
    refused(HEAD END, 1, "no task ran");
    refused(HEAD TASK("a", "kernel", -2, 0, 0, 1, 1) END, 3, "\"pid\" of an event must be a whole number");
    refused(HEAD TASK("a", "kernel", 2, 0, 0, 1, 1) TASK("a", "kernel", 2, 0, "x", 1, 1) END, 4, "\"frame\" of an event");
    refused(HEAD TASK("a", "kernel", 2, 0, 0, -1, 1) END, 3, "\"ts\" of an event must be a number from 0 on");
    refused(HEAD TASK("a", "kernel", 2, 0, 0, 1, 1e300) END, 3, "\"dur\" of an event");
    refused(HEAD ",\n{\"ph\":\"X\",\"name\":7,\"pid\":2,\"tid\":0,\"ts\":1,\"dur\":1}" END, 3, "\"name\" of an event");
    refused(HEAD ",\n{\"ph\":\"X\",\"name\":\"a\",\"pid\":2,\"tid\":0,\"ts\":1,\"dur\":1}" END, 3, "\"kind\" of an event");
}
END_TEST

/* However a trace is damaged: an error with its line, or a whole picture. */
START_TEST(no_damage_to_a_trace_does_harm)
{
    static const char bytes_to_put[] = "\"{}[],:0129-.eE\\ntfuXM\xFF\x01 ";
    uint64_t seed = 12;
    int drawn = 0;
    for (int i = 0; i < 2000; i++) {
        char damaged[sizeof frames];
        read_trace trace;
        read_error error;
        timeline t;
        memcpy(damaged, frames, sizeof frames);
        for (uint32_t k = 1 + weir_random_below(&seed, 3); k > 0; k--)
            damaged[weir_random_below(&seed, sizeof frames - 1)] = bytes_to_put[weir_random_below(&seed, sizeof bytes_to_put - 1)];
        if (!read_written(damaged, &trace, &error)) {
            const char *line = error.text + strlen(folder_file(&folder, "trace.json").text);
            ck_assert_msg(line[0] == ':' && line[1] >= '1' && line[1] <= '9', "%s", error.text);
            continue;
        }
        ck_assert(timeline_init(&trace, (uint64_t)(i % 2), 0, &t));
        if (t.tasks > 0) {
            char *svg = NULL;
            size_t bytes = 0;
            FILE *to = open_memstream(&svg, &bytes);
            timeline_svg(&t, NULL, to);
            fclose(to);
            ck_assert_str_eq(svg + bytes - 7, "</svg>\n");
            free(svg);
            drawn++;
        }
        timeline_finish(&t);
        read_trace_finish(&trace);
    }
    ck_assert_int_gt(drawn, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/timeline");
    TCase *tcase = tcase_create("timeline");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, tasks_of_lanes_are_read_and_rows_of_workers_left_out);
    tcase_add_test(tcase, rows_of_copy_engines_are_left_out_and_further_rows_of_lanes_are_not);
    tcase_add_test(tcase, the_critical_path_leads_back_through_what_ended_last);
    tcase_add_test(tcase, of_tasks_that_ended_together_the_one_of_the_same_row_is_taken);
    tcase_add_test(tcase, tasks_that_take_no_time_end_the_search);
    tcase_add_test(tcase, the_last_three_frames_or_those_asked_for_are_drawn);
    tcase_add_test(tcase, what_is_no_trace_is_refused_with_its_line);
    tcase_add_test(tcase, no_damage_to_a_trace_does_harm);
    suite_add_tcase(suite, tcase);
    return texts_run(suite);
}
