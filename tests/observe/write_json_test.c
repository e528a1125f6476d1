/* write_json_test.c - what write_json.c promises: valid JSON with stable keys, and numbers that read back as they were. That whole
 * files survive being read and written again is shown with dagdump. */
#include "observe/sample.h"
#include <jansson.h>
#include <locale.h>

static json_t *parsed(const weir_drawing *d, char **text)
{
    json_error_t error;
    *text = sample_written(d, "json");
    json_t *root = json_loads(*text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "line %d: %s in\n%s", error.line, error.text, *text);
    return root;
}

START_TEST(a_plan_says_all_that_its_drawing_has)
{
    sample s = sample_make(2);
    const weir_drawing *d = NULL;
    char *text = NULL;
    ck_assert_int_eq(weir_drawing_of(NULL, s.plan, &d), WEIR_OK);
    json_t *root = parsed(d, &text);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "weir")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(root, "name")), "sample");
    json_t *plan = json_object_get(root, "plan"), *tasks = json_object_get(root, "tasks");
    ck_assert_str_eq(json_string_value(json_object_get(plan, "policy")), "priority");
    ck_assert_int_eq(json_integer_value(json_object_get(plan, "frames")), 2);
    ck_assert_double_eq(json_number_value(json_object_get(plan, "makespan_ns")), d->makespan_ns);
    ck_assert_uint_eq(json_array_size(json_object_get(plan, "lane_priorities")), d->lane_count);
    ck_assert_uint_eq(json_array_size(tasks), d->task_count);
    for (uint32_t i = 0; i < d->task_count; i++) {
        json_t *task = json_array_get(tasks, i);
        ck_assert_str_eq(json_string_value(json_object_get(task, "name")), d->task[i].name);
        ck_assert_int_eq(json_integer_value(json_object_get(task, "position")), d->task[i].position);
        ck_assert_int_eq(json_integer_value(json_object_get(task, "priority")), d->task[i].priority);
        ck_assert_double_eq(json_number_value(json_object_get(task, "end_ns")), d->task[i].end_ns);
        ck_assert((json_object_get(task, "group") != NULL) == (d->task[i].group != NULL));
    }
    ck_assert_uint_eq(json_array_size(json_object_get(root, "edges")), d->edge_count);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "carried")), d->carried_count);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "waits")), d->wait_count);
    json_t *wait = json_array_get(json_object_get(root, "waits"), 0);
    ck_assert_int_eq(json_integer_value(json_array_get(wait, 0)), d->wait[0].from);
    ck_assert_int_eq(json_integer_value(json_array_get(wait, 1)), d->wait[0].to);
    ck_assert_int_eq(json_integer_value(json_array_get(wait, 2)), d->wait[0].distance);
    json_decref(root);
    free(text);
    weir_drawing_destroy(d);
    sample_finish(&s);
}
END_TEST

START_TEST(a_graph_says_nothing_of_lanes)
{
    sample s = sample_make(2);
    const weir_drawing *d = NULL;
    ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &d), WEIR_OK);
    char *text = sample_written(d, "json");
    sample_says_not(text, "\"plan\"");
    sample_says_not(text, "\"lane");
    sample_says_not(text, "\"waits\"");
    free(text);
    weir_drawing_destroy(d);
    sample_finish(&s);
}
END_TEST

START_TEST(equal_graphs_give_equal_bytes)
{
    char *text[2];
    for (int i = 0; i < 2; i++) {
        sample s = sample_make(3);
        const weir_drawing *d = NULL;
        ck_assert_int_eq(weir_drawing_of(NULL, s.plan, &d), WEIR_OK);
        text[i] = sample_written(d, "json");
        weir_drawing_destroy(d);
        sample_finish(&s);
    }
    ck_assert_str_eq(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}
END_TEST

START_TEST(any_name_survives)
{
    const char *names[] = {"say \"hi\" \\ / ", "two\nlines\tand\r\b\f", "\x01\x1F\x7F", "\xC3\xBC\xE2\x82\xAC\xF0\x9F\x8C\x8A", ""};
    weir_drawn_task task[5];
    for (size_t i = 0; i < 5; i++)
        task[i] = (weir_drawn_task){.name = names[i], .kind = "empty", .group = names[i]};
    weir_drawing d = {.name = names[0], .ring_copies = 1, .task = task, .task_count = 5};
    char *text = NULL;
    json_t *root = parsed(&d, &text), *tasks = json_object_get(root, "tasks");
    ck_assert_str_eq(json_string_value(json_object_get(root, "name")), names[0]);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_str_eq(json_string_value(json_object_get(json_array_get(tasks, i), "name")), names[i]);
        ck_assert_str_eq(json_string_value(json_object_get(json_array_get(tasks, i), "group")), names[i]);
    }
    json_decref(root);
    free(text);
}
END_TEST

START_TEST(loops_and_branches_say_what_they_decide_about)
{
    weir_drawn_body bodies[] = {{"say \"x\"", 3}, {"b", 0}};
    weir_drawn_task task[] = {{.name = "solve", .kind = "while", .rounds = UINT32_MAX, .body_count = 1, .body = bodies},
                              {.name = "maybe", .kind = "if", .body_count = 2, .body = bodies},
                              {.name = "k", .kind = "kernel"}};
    weir_drawing d = {.name = "d", .ring_copies = 1, .task = task, .task_count = 3};
    char *text = NULL;
    json_t *root = parsed(&d, &text);
    json_decref(root);
    sample_says(text, "{\"name\": \"solve\", \"kind\": \"while\", \"priority\": 0, \"cost_ns\": 0, \"share\": 0, \"rounds\": 4294967295, "
                      "\"bodies\": [{\"name\": \"say \\\"x\\\"\", \"tasks\": 3}]}");
    sample_says(text, "\"share\": 0, \"bodies\": [{\"name\": \"say \\\"x\\\"\", \"tasks\": 3}, {\"name\": \"b\", \"tasks\": 0}]}");
    sample_says(text, "{\"name\": \"k\", \"kind\": \"kernel\", \"priority\": 0, \"cost_ns\": 0, \"share\": 0}");
    free(text);
}
END_TEST

START_TEST(a_name_that_is_no_utf8_is_mended)
{
    weir_drawing d = {.name = "a\xFF"
                              "b\xC3",
                      .ring_copies = 1};
    char *text = NULL;
    json_t *root = parsed(&d, &text);
    ck_assert_str_eq(json_string_value(json_object_get(root, "name")), "a\xEF\xBF\xBD"
                                                                       "b\xEF\xBF\xBD");
    json_decref(root);
    free(text);
}
END_TEST

START_TEST(numbers_read_back_as_they_were)
{
    static const double costs[] = {
        0, 1, 0.1, 1.0 / 3, 12345.678, 1e15, 1e15 + 0.5, 1e22, 1.7976931348623157e308, 5e-324, 999999999999999.0, 0.1f};
    enum { COUNT = sizeof costs / sizeof *costs };
    weir_drawn_task task[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        task[i] = (weir_drawn_task){.name = "t", .kind = "empty", .cost_ns = costs[i], .priority = i % 2 ? INT32_MIN : INT32_MAX};
    weir_drawing d = {.name = "d", .ring_copies = 1, .task = task, .task_count = COUNT};
    char *text = NULL;
    json_t *root = parsed(&d, &text), *tasks = json_object_get(root, "tasks");
    for (size_t i = 0; i < COUNT; i++) {
        json_t *cost = json_object_get(json_array_get(tasks, i), "cost_ns");
        ck_assert_msg(json_number_value(cost) == costs[i], "%.17g became %.17g", costs[i], json_number_value(cost));
        ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(tasks, i), "priority")), task[i].priority);
    }
    sample_says(text, "\"cost_ns\": 0.1,"); /* the shortest form */
    json_decref(root);
    free(text);
}
END_TEST

/* Needs a locale that writes 0,5; where none is installed there is nothing to see. */
START_TEST(the_programs_locale_does_not_matter)
{
    static const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8", "ru_RU.UTF-8", "de_DE", "fr_FR"};
    weir_drawn_task task = {.name = "t", .kind = "empty", .cost_ns = 1500.5};
    weir_drawing d = {.name = "d", .ring_copies = 1, .task = &task, .task_count = 1};
    for (size_t i = 0; i < sizeof comma / sizeof *comma; i++)
        if (setlocale(LC_ALL, comma[i]))
            break;
    char *text = sample_written(&d, "json");
    setlocale(LC_ALL, "C");
    sample_says(text, "\"cost_ns\": 1500.5,");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/write_json");
    TCase *tcase = tcase_create("write_json");
    tcase_add_test(tcase, a_plan_says_all_that_its_drawing_has);
    tcase_add_test(tcase, a_graph_says_nothing_of_lanes);
    tcase_add_test(tcase, equal_graphs_give_equal_bytes);
    tcase_add_test(tcase, any_name_survives);
    tcase_add_test(tcase, loops_and_branches_say_what_they_decide_about);
    tcase_add_test(tcase, a_name_that_is_no_utf8_is_mended);
    tcase_add_test(tcase, numbers_read_back_as_they_were);
    tcase_add_test(tcase, the_programs_locale_does_not_matter);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
