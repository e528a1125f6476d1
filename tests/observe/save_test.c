/* save_test.c - what save.c promises: the format that was asked for, by name or by suffix, whole or not at all. */
#include "observe/folder.h"
#include "observe/sample.h"
#include "weir/observe.h"

START_TEST(the_suffix_chooses_the_format)
{
    static const struct {
        const char *name, *begins;
    } files[] = {{"a.json", "{\n"}, {"a.dot", "digraph \"sample\" {"}, {"a.gv", "digraph \"sample\" {"}, {"a.txt", "sample: 5 tasks"}};
    sample s = sample_make(2);
    test_folder f = folder_make();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ck_assert_int_eq(weir_save(folder_file(&f, files[i].name).text, NULL, NULL, s.plan), WEIR_OK);
        char *text = folder_text(&f, files[i].name);
        ck_assert_ptr_nonnull(text);
        ck_assert_int_eq(strncmp(text, files[i].begins, strlen(files[i].begins)), 0);
        free(text);
    }
    folder_remove(&f);
    sample_finish(&s);
}
END_TEST

START_TEST(a_named_format_beats_the_suffix)
{
    sample s = sample_make(2);
    test_folder f = folder_make();
    ck_assert_int_eq(weir_save(folder_file(&f, "a.dot").text, "json", s.graph, NULL), WEIR_OK);
    char *text = folder_text(&f, "a.dot");
    ck_assert_int_eq(text[0], '{');
    free(text);
    folder_remove(&f);
    sample_finish(&s);
}
END_TEST

START_TEST(unknown_formats_and_suffixes_name_what_is_allowed)
{
    sample s = sample_make(2);
    test_folder f = folder_make();
    static const char *const names[] = {"a.png", "a", "a.json.bak", ".json/a", "json"};
    ck_assert_int_eq(weir_save(folder_file(&f, "a.json").text, "svg", s.graph, NULL), WEIR_ERR_INVALID);
    sample_says(weir_last_error(), "json, dot, text");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_int_eq(weir_save(folder_file(&f, names[i]).text, NULL, s.graph, NULL), WEIR_ERR_INVALID);
        sample_says(weir_last_error(), ".json, .dot, .gv or .txt");
    }
    ck_assert_int_eq(weir_save(NULL, "json", s.graph, NULL), WEIR_ERR_INVALID);
    ck_assert_uint_eq(folder_count(&f), 0);
    folder_remove(&f);
    sample_finish(&s);
}
END_TEST

START_TEST(what_cannot_be_written_leaves_no_file)
{
    sample s = sample_make(2);
    test_folder f = folder_make();
    ck_assert_int_eq(weir_save("/tmp/no-such-folder/a.json", NULL, s.graph, NULL), WEIR_ERR_IO);
    sample_says(weir_last_error(), "/tmp/no-such-folder/a.json");
    file_limit before = limit_files(16);
    weir_status full = weir_save(folder_file(&f, "a.json").text, NULL, s.graph, NULL);
    unlimit_files(before);
    ck_assert_int_eq(full, WEIR_ERR_IO);
    sample_says(weir_last_error(), "a.json: cannot be written: ");
    weir_drawing invalid = {.name = "invalid", .task_count = 0, .edge_count = 1, .edge = &(weir_drawn_edge){0, 1, 0}};
    ck_assert_int_eq(weir_drawing_save(&invalid, folder_file(&f, "a.json").text, NULL), WEIR_ERR_INVALID);
    ck_assert_uint_eq(folder_count(&f), 0);
    folder_remove(&f);
    sample_finish(&s);
}
END_TEST

START_TEST(a_stream_gets_what_a_file_gets)
{
    sample s = sample_make(2);
    test_folder f = folder_make();
    const weir_drawing *d = NULL;
    ck_assert_int_eq(weir_drawing_of(s.graph, s.plan, &d), WEIR_OK);
    ck_assert_int_eq(weir_drawing_save(d, folder_file(&f, "a.dot").text, NULL), WEIR_OK);
    char *file = folder_text(&f, "a.dot"), *stream = sample_written(d, "dot");
    ck_assert_str_eq(file, stream);
    free(file);
    free(stream);
    ck_assert_int_eq(weir_drawing_write(d, NULL, "dot"), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_drawing_write(d, stdout, NULL), WEIR_ERR_INVALID);
    weir_drawing_destroy(d);
    folder_remove(&f);
    sample_finish(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/save");
    TCase *tcase = tcase_create("save");
    tcase_add_test(tcase, the_suffix_chooses_the_format);
    tcase_add_test(tcase, a_named_format_beats_the_suffix);
    tcase_add_test(tcase, unknown_formats_and_suffixes_name_what_is_allowed);
    tcase_add_test(tcase, what_cannot_be_written_leaves_no_file);
    tcase_add_test(tcase, a_stream_gets_what_a_file_gets);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
