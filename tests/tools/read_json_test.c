/* read_json_test.c - what read_json.c promises: files that weir_save wrote come back the same, and any other file is refused with its
 * line, whatever is in it. */
#include "observe/folder.h"
#include "observe/sample.h"
#include "read.h"
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

static bool read_bytes(const char *text, size_t bytes, read_drawing *read, read_error *error)
{
    test_path path = folder_file(&folder, "file.json");
    FILE *file = fopen(path.text, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
    return read_file(path.text, read, error);
}

/* The error must be "FILE:LINE: ..." and say that. */
static void refused(const char *text, unsigned line, const char *part)
{
    read_drawing read;
    read_error error;
    char begins[192];
    ck_assert_msg(!read_bytes(text, strlen(text), &read, &error), "accepted:\n%s", text);
    snprintf(begins, sizeof begins, "%s:%u: ", folder_file(&folder, "file.json").text, line);
    ck_assert_msg(strncmp(error.text, begins, strlen(begins)) == 0, "'%s' does not begin with '%s'", error.text, begins);
    sample_says(error.text, part);
}

static void same_again(const weir_drawing *drawing)
{
    char *text = sample_written(drawing, "json");
    read_drawing read;
    read_error error = {""};
    ck_assert_msg(read_bytes(text, strlen(text), &read, &error), "%s in:\n%s", error.text, text);
    char *again = sample_written(&read.drawing, "json");
    ck_assert_str_eq(again, text);
    free(again);
    for (int i = 0; i < 2; i++) { /* and so the other writers make the same of it */
        char *first = sample_written(drawing, i ? "dot" : "text"), *second = sample_written(&read.drawing, i ? "dot" : "text");
        ck_assert_str_eq(first, second);
        free(first);
        free(second);
    }
    free(text);
    read_drawing_finish(&read);
}

START_TEST(graphs_and_plans_come_back_as_they_were)
{
    for (uint32_t lanes = 1; lanes < 4; lanes++) {
        sample s = sample_make(lanes);
        const weir_drawing *graph = NULL, *plan = NULL;
        ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &graph), WEIR_OK);
        ck_assert_int_eq(weir_drawing_of(NULL, s.plan, &plan), WEIR_OK);
        same_again(graph);
        same_again(plan);
        weir_drawing_destroy(graph);
        weir_drawing_destroy(plan);
        sample_finish(&s);
    }
}
END_TEST

START_TEST(loops_and_branches_come_back_as_they_were)
{
    sample s = sample_loops_make(2);
    const weir_drawing *graph = NULL, *plan = NULL;
    ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &graph), WEIR_OK);
    ck_assert_int_eq(weir_drawing_of(NULL, s.plan, &plan), WEIR_OK);
    ck_assert(graph->task[1].rounds == 50 && graph->task[1].body_count == 1 && graph->task[2].body_count == 2);
    same_again(graph);
    same_again(plan);
    weir_drawing_destroy(graph);
    weir_drawing_destroy(plan);
    sample_finish(&s);
}
END_TEST

START_TEST(any_names_and_numbers_come_back)
{
    weir_drawn_task task[] = {
        {.name = "say \"hi\" \\N", .kind = "odd kind", .group = "", .priority = INT32_MIN, .cost_ns = 0.1, .share = 1.0 / 3},
        {.name = "two\nlines\x01\x7F", .kind = "", .group = "\xC3\xBC\xE2\x82\xAC", .priority = INT32_MAX, .cost_ns = 1e300},
        {.name = "", .kind = "kernel", .cost_ns = 5e-324}};
    weir_drawn_edge carried = {2, 2, UINT32_MAX};
    weir_drawing d = {
        .name = "</table>", .ring_copies = UINT32_MAX, .task = task, .task_count = 3, .carried = &carried, .carried_count = 1};
    same_again(&d);
}
END_TEST

/* A good file, into whose lines the tests below put bad ones. */
#define HEAD "{\n\"weir\": 1, \"name\": \"n\",\n"
#define PLAN                                                                                                                               \
    "\"plan\": {\"policy\": \"p\", \"frames\": 1, \"makespan_ns\": 1, \"interval_ns\": 1, \"bound_ns\": 1, \"binding\": \"b\",\n"          \
    "\"lane_priorities\": [0, 0]},\n"
#define RINGS "\"ring_copies\": 1,\n"
#define TASK(more) "{\"name\": \"t\", \"kind\": \"k\", \"priority\": 0, \"cost_ns\": 1, \"share\": 1" more "}"
#define PLACE(lane, position) ", \"lane\": " #lane ", \"position\": " #position ", \"start_ns\": 0, \"end_ns\": 1"
#define TASKS "\"tasks\": [\n" TASK("") ",\n" TASK("") "],\n"
#define PLACED "\"tasks\": [\n" TASK(PLACE(0, 0)) ",\n" TASK(PLACE(1, 1)) "],\n"
#define EDGES "\"edges\": [[0, 1]], \"carried\": [[0, 1, 1]],\n"
#define WAITS "\"waits\": [[0, 1, 0]],\n"
#define END "\"critical_path\": [0]}\n"
#define END_WITH(cycle) "\"critical_path\": [0],\n" cycle "}\n"

static void accepted(const char *text)
{
    read_drawing read;
    read_error error = {""};
    ck_assert_msg(read_bytes(text, strlen(text), &read, &error), "%s", error.text);
    read_drawing_finish(&read);
}

START_TEST(the_good_files_of_these_tests_are_good)
{
    accepted(HEAD RINGS TASKS EDGES END);
    accepted(HEAD PLAN RINGS PLACED EDGES WAITS END);
    accepted(HEAD "\"of a later weir\": [{}, 1.5],\n" RINGS TASKS EDGES END);
}
END_TEST

START_TEST(what_is_no_json_is_refused_with_its_line)
{
    refused("", 1, "the file is empty");
    refused(" \n\n", 1, "the file is empty");
    refused("digraph {\n}\n", 1, "no JSON");
    refused(HEAD RINGS "\"tasks\": [,]}", 4, "no JSON");
    refused(HEAD RINGS TASKS EDGES, 8, "cut off");
    refused(HEAD RINGS TASKS EDGES END "more", 9, "no JSON");
    refused(HEAD "\"name\": \"twice\"," RINGS TASKS EDGES END, 3, "leave one of them");
    refused(HEAD "\"ring_copies\": 99999999999999999999,\n" TASKS EDGES END, 3, "too big");
    refused(HEAD "\"ring_copies\": 1e999,\n" TASKS EDGES END, 3, "overflow");
    refused(HEAD "\"ring_copies\": NaN,\n" TASKS EDGES END, 3, "no JSON");
    refused(HEAD "\"bad\": \"\xFF\",\n" RINGS TASKS EDGES END, 3, "unable to decode byte 0xff");
    refused(HEAD "\"bad\": \"\\u0000\",\n" RINGS TASKS EDGES END, 3, "\\u0000");
}
END_TEST

START_TEST(json_of_something_else_is_refused)
{
    refused("[]", 1, "no graph or plan of weir");
    refused("{}", 1, "no graph or plan of weir");
    refused("{\n\"weir\": 2}", 2, "must be 1");
    refused("{\n\"weir\": \"1\"}", 2, "must be 1");
}
END_TEST

START_TEST(cycles_that_are_none_are_refused)
{
    accepted(HEAD PLAN RINGS PLACED EDGES WAITS END_WITH("\"cycle\": [0, 1], \"cycle_frames\": 1"));
    refused(HEAD RINGS TASKS EDGES END_WITH("\"cycle\": 7, \"cycle_frames\": 1"), 9, "\"cycle\" must be a list");
    refused(HEAD RINGS TASKS EDGES END_WITH("\"cycle\": [0,\n2], \"cycle_frames\": 1"), 10, "a task of \"cycle\" must be from 0 to 1, but is 2");
    refused(HEAD RINGS TASKS EDGES END_WITH("\"cycle\": [0],\n\"cycle_frames\": 0"), 10, "\"cycle_frames\" must be from 1");
    refused(HEAD RINGS TASKS EDGES END_WITH("\"cycle\": [0]"), 1, "\"cycle_frames\" must be a whole number, but is missing");
}
END_TEST

START_TEST(bodies_that_are_none_are_refused)
{
    accepted(HEAD RINGS "\"tasks\": [" TASK(", \"rounds\": 2, \"bodies\": [{\"name\": \"b\", \"tasks\": 0}]") ", " TASK("") "]," EDGES END);
    refused(HEAD RINGS "\"tasks\": [\n" TASK(",\n\"rounds\": 2") "],\n" EDGES END, 6, "\"rounds\" is of a loop, but there are no \"bodies\"");
    refused(HEAD RINGS "\"tasks\": [\n" TASK(",\n\"bodies\": 2") "],\n" EDGES END, 6, "\"bodies\" must be a list of one or more, but is a whole number");
    refused(HEAD RINGS "\"tasks\": [\n" TASK(",\n\"bodies\": []") "],\n" EDGES END, 6, "\"bodies\" must be a list of one or more, but is empty");
    refused(HEAD RINGS "\"tasks\": [\n" TASK(", \"rounds\": 1,\n\"bodies\": [{}, {}]") "],\n" EDGES END, 6,
            "a loop, which has \"rounds\", must have one body, but has 2");
    refused(HEAD RINGS "\"tasks\": [\n" TASK(", \"bodies\": [{}],\n\"rounds\": 0") "],\n" EDGES END, 6, "\"rounds\" must be from 1 to 4294967295, but is 0");
    refused(HEAD RINGS "\"tasks\": [\n" TASK(",\n\"bodies\": [7]") "],\n" EDGES END, 6, "the \"name\" of a body must be a text, but is missing");
    refused(HEAD RINGS "\"tasks\": [\n" TASK(",\n\"bodies\": [{\"name\": \"b\", \"tasks\": -1}]") "],\n" EDGES END, 6,
            "\"tasks\" of a body must be from 0 to 4294967295, but is -1");
}
END_TEST

START_TEST(missing_keys_are_named)
{
    refused("{\n\"weir\": 1}", 1, "\"name\" must be a text, but is missing");
    refused(HEAD TASKS EDGES END, 1, "\"ring_copies\" must be a whole number, but is missing");
    refused(HEAD RINGS EDGES END, 1, "\"tasks\" must be a list, but is missing");
    refused(HEAD RINGS TASKS "\"edges\": [],\n" END, 1, "\"carried\" must be a list, but is missing");
    refused(HEAD RINGS TASKS "\"edges\": [], \"carried\": []}", 1, "\"critical_path\" must be a list, but is missing");
    refused(HEAD PLAN RINGS PLACED EDGES END, 1, "\"waits\" must be a list, but is missing");
    refused(HEAD "\"plan\":\n{},\n" RINGS TASKS EDGES END, 4, "\"policy\" must be a text, but is missing");
    refused(HEAD PLAN RINGS "\"tasks\": [\n" TASK(PLACE(0, 0)) ",\n" TASK("") "],\n" EDGES WAITS END, 8,
            "\"lane\" must be a whole number, but is missing");
    refused(HEAD RINGS "\"tasks\": [\n{\"name\": \"a\"}],\n" EDGES END, 5, "\"kind\" must be a text, but is missing");
}
END_TEST

START_TEST(wrong_types_are_named)
{
    refused("{\n\"weir\": 1,\n\"name\":\n7}", 4, "\"name\" must be a text, but is a whole number");
    refused(HEAD "\"plan\": 3,\n" RINGS TASKS EDGES END, 3, "\"plan\" must be an object, but is a whole number");
    refused(HEAD "\"ring_copies\": 1.5,\n" TASKS EDGES END, 3, "\"ring_copies\" must be a whole number, but is a number");
    refused(HEAD RINGS "\"tasks\": {},\n" EDGES END, 4, "\"tasks\" must be a list, but is an object");
    refused(HEAD RINGS "\"tasks\": [\n" TASK("") ",\nnull],\n" EDGES END, 6, "a task must be an object, but is null");
    refused(HEAD RINGS "\"tasks\": [\n{\"name\": true}],\n" EDGES END, 5, "\"name\" must be a text, but is true");
    refused(HEAD RINGS "\"tasks\": [\n" TASK(",\n\"group\": []") "],\n" EDGES END, 6, "\"group\" must be a text, but is a list");
    refused(HEAD RINGS TASKS "\"edges\": [[0, 1],\n[0]], \"carried\": [],\n" END, 8, "[from, to]");
    refused(HEAD RINGS TASKS "\"edges\": [[0, 1],\n{}], \"carried\": [],\n" END, 8, "[from, to]");
    refused(HEAD RINGS TASKS "\"edges\": [],\n\"carried\": [[0, 1]],\n" END, 8, "[from, to, distance]");
    refused(HEAD RINGS TASKS "\"edges\": [[0, \"1\"]], \"carried\": [],\n" END, 7, "a task's number must be a whole number, but is a text");
    refused(HEAD RINGS TASKS EDGES "\"critical_path\": [\n0.5]}", 9, "must be a whole number");
}
END_TEST

START_TEST(numbers_out_of_range_are_named)
{
    refused(HEAD "\"ring_copies\": 0,\n" TASKS EDGES END, 3, "from 1 to 4294967295, but is 0");
    refused(HEAD RINGS "\"tasks\": [{\"name\": \"t\", \"kind\": \"k\", \"priority\": 3000000000}],\n" EDGES END, 4, "but is 3000000000");
    refused(HEAD RINGS "\"tasks\": [{\"name\": \"t\", \"kind\": \"k\", \"priority\": 0, \"cost_ns\":\n-1}],\n" EDGES END, 5,
            "from 0 on, but is -1");
    refused(HEAD PLAN RINGS "\"tasks\": [\n" TASK(PLACE(2, 0)) "],\n" EDGES WAITS END, 7, "\"lane\" is 2, but the plan has 2 lanes");
    refused(HEAD PLAN RINGS "\"tasks\": [\n" TASK(PLACE(0, 1)) "],\n" EDGES WAITS END, 7, "\"position\" is 1, but there are 1 tasks");
    refused(HEAD PLAN RINGS "\"tasks\": [\n" TASK(PLACE(0, 1)) ",\n" TASK(PLACE(0, 1)) "],\n" EDGES WAITS END, 8,
            "each task must have its own");
    refused(HEAD RINGS TASKS "\"edges\": [[0, 1],\n[1, 2]], \"carried\": [],\n" END, 8, "there is no task 2: the file has 2");
    refused(HEAD RINGS TASKS "\"edges\": [[-1, 1]], \"carried\": [],\n" END, 7, "but is -1");
    refused(HEAD RINGS TASKS "\"edges\": [], \"carried\": [[0, 1, 0]],\n" END, 7, "the distance must be from 1");
    refused(HEAD PLAN RINGS PLACED EDGES "\"waits\": [[0, 1, 4294967296]],\n" END, 10, "the distance must be from 0");
    refused(HEAD RINGS TASKS EDGES "\"critical_path\": [2]}", 8, "from 0 to 1, but is 2");
}
END_TEST

START_TEST(a_file_that_is_not_there_or_no_file_is_told)
{
    read_drawing read;
    read_error error;
    ck_assert(!read_file("/tmp/no-such-folder/file.json", &read, &error));
    ck_assert_str_eq(error.text, "/tmp/no-such-folder/file.json: cannot be opened: No such file or directory");
    ck_assert(!read_file("/tmp", &read, &error));
    sample_says(error.text, "/tmp: cannot be read");
}
END_TEST

/* However a file is cut or damaged: an error with file and line, or a drawing that can be drawn. */
START_TEST(no_damage_to_a_file_does_harm)
{
    sample s = _i ? sample_loops_make(2) : sample_make(3);
    const weir_drawing *d = NULL;
    ck_assert_int_eq(weir_drawing_of(NULL, s.plan, &d), WEIR_OK);
    char *text = sample_written(d, "json");
    size_t bytes = strlen(text), begin = strlen(folder_file(&folder, "file.json").text);
    uint64_t seed = 11;
    read_drawing read;
    read_error error;
    for (size_t cut = 0; cut + 2 < bytes; cut += 3) {
        ck_assert_msg(!read_bytes(text, cut, &read, &error), "accepted with %zu of %zu bytes", cut, bytes);
        ck_assert_msg(error.text[begin] == ':' && error.text[begin + 1] > '0' && error.text[begin + 1] <= '9', "%s", error.text);
    }
    for (int i = 0; i < 1500; i++) {
        static const char bytes_to_put[] = "\"{}[],:0129-.eE\\ntfu\xFF\x01 ";
        char *damaged = strdup(text);
        for (uint32_t k = 1 + weir_random_below(&seed, 3); k > 0; k--)
            damaged[weir_random_below(&seed, (uint32_t)bytes)] = bytes_to_put[weir_random_below(&seed, sizeof bytes_to_put - 1)];
        if (read_bytes(damaged, bytes, &read, &error)) {
            FILE *nowhere = fopen("/dev/null", "w");
            weir_status status = weir_drawing_write(&read.drawing, nowhere, i % 2 ? "dot" : "text");
            ck_assert_msg(status == WEIR_OK || status == WEIR_ERR_CYCLE, "%s of:\n%s", weir_last_error(), damaged);
            fclose(nowhere);
            read_drawing_finish(&read);
        } else {
            ck_assert_msg(strncmp(error.text + begin, ":", 1) == 0, "%s", error.text);
        }
        free(damaged);
    }
    free(text);
    weir_drawing_destroy(d);
    sample_finish(&s);
}
END_TEST

START_TEST(deep_nesting_is_refused)
{
    size_t bytes = 1 << 20;
    char *text = malloc(bytes);
    read_drawing read;
    read_error error;
    memset(text, '[', bytes);
    ck_assert(!read_bytes(text, bytes, &read, &error));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/read_json");
    TCase *tcase = tcase_create("read_json");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, graphs_and_plans_come_back_as_they_were);
    tcase_add_test(tcase, loops_and_branches_come_back_as_they_were);
    tcase_add_test(tcase, any_names_and_numbers_come_back);
    tcase_add_test(tcase, the_good_files_of_these_tests_are_good);
    tcase_add_test(tcase, what_is_no_json_is_refused_with_its_line);
    tcase_add_test(tcase, json_of_something_else_is_refused);
    tcase_add_test(tcase, bodies_that_are_none_are_refused);
    tcase_add_test(tcase, cycles_that_are_none_are_refused);
    tcase_add_test(tcase, missing_keys_are_named);
    tcase_add_test(tcase, wrong_types_are_named);
    tcase_add_test(tcase, numbers_out_of_range_are_named);
    tcase_add_test(tcase, a_file_that_is_not_there_or_no_file_is_told);
    tcase_add_loop_test(tcase, no_damage_to_a_file_does_harm, 0, 2);
    tcase_add_test(tcase, deep_nesting_is_refused);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
