/* output_test.c - what output.c promises: whole or not at all, and nothing left lying about. */
#include "observe/output.h"
#include "observe/folder.h"
#include "observe/sample.h"
#include <fcntl.h>
#include <sys/stat.h>

static test_folder folder;
static char path[160]; /* of the file that is written there */

static void enter_folder(void)
{
    folder = folder_make();
    strcpy(path, folder_file(&folder, "file.txt").text);
}

static void leave_folder(void)
{
    unlink(path);
    ck_assert_uint_eq(folder_count(&folder), 0);
    folder_remove(&folder);
}

static void has_content(const char *expected)
{
    char *text = folder_text(&folder, "file.txt");
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, expected);
    free(text);
}

static void write_file(const char *text, weir_status status)
{
    weir_output output;
    ck_assert_int_eq(weir_output_init(&output, path), WEIR_OK);
    fputs(text, output.stream);
    ck_assert_int_eq(weir_output_finish(&output, status), status);
}

START_TEST(a_file_appears_when_it_is_whole)
{
    weir_output output;
    enter_folder();
    ck_assert_int_eq(weir_output_init(&output, path), WEIR_OK);
    fputs("whole", output.stream);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(weir_output_finish(&output, WEIR_OK), WEIR_OK);
    has_content("whole");
    ck_assert_uint_eq(folder_count(&folder), 1);
    leave_folder();
}
END_TEST

START_TEST(a_failure_leaves_the_old_file_as_it_was)
{
    enter_folder();
    write_file("old", WEIR_OK);
    write_file("new", WEIR_ERR_INVALID);
    has_content("old");
    ck_assert_uint_eq(folder_count(&folder), 1);
    write_file("newer", WEIR_OK);
    has_content("newer");
    leave_folder();
}
END_TEST

START_TEST(a_failure_without_an_old_file_leaves_none)
{
    enter_folder();
    write_file("half", WEIR_ERR_NO_MEMORY);
    ck_assert_uint_eq(folder_count(&folder), 0);
    leave_folder();
}
END_TEST

START_TEST(new_files_have_the_permissions_that_the_user_asks_for)
{
    struct stat info;
    enter_folder();
    mode_t before = umask(027);
    write_file("text", WEIR_OK);
    umask(before);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0640);
    leave_folder();
}
END_TEST

START_TEST(a_link_stays_a_link)
{
    struct stat info;
    enter_folder();
    test_path target = folder_file(&folder, "target");
    fclose(fopen(target.text, "w"));
    ck_assert_int_eq(symlink("target", path), 0);
    write_file("through", WEIR_OK);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    has_content("through");
    unlink(target.text);
    leave_folder();
}
END_TEST

/* A pipe of our own stands for every device: were /dev/null itself used, a failure of this test, run as root, would replace it. */
START_TEST(what_is_no_ordinary_file_is_written_to_and_never_replaced)
{
    struct stat info;
    char text[16] = "";
    weir_output output;
    enter_folder();
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK); /* so that opening it for writing does not wait */
    ck_assert_int_ge(reader, 0);
    ck_assert_int_eq(weir_output_init(&output, path), WEIR_OK);
    fputs("through", output.stream);
    ck_assert_int_eq(weir_output_finish(&output, WEIR_OK), WEIR_OK);
    ck_assert_int_eq(read(reader, text, sizeof text - 1), 7);
    ck_assert_str_eq(text, "through");
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert(S_ISFIFO(info.st_mode));
    close(reader);
    leave_folder();
}
END_TEST

START_TEST(a_full_disk_is_told_and_keeps_the_old_file)
{
    weir_output output;
    enter_folder();
    write_file("old", WEIR_OK);
    file_limit before = limit_files(4096);
    ck_assert_int_eq(weir_output_init(&output, path), WEIR_OK);
    for (int i = 0; i < 100000; i++)
        fputs("much", output.stream);
    weir_status status = weir_output_finish(&output, WEIR_OK);
    unlimit_files(before);
    ck_assert_int_eq(status, WEIR_ERR_IO);
    sample_says(weir_last_error(), "file.txt: cannot be written: ");
    has_content("old");
    ck_assert_uint_eq(folder_count(&folder), 1);
    leave_folder();
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_told)
{
    weir_output output;
    ck_assert_int_eq(weir_output_init(&output, "/tmp/no-such-folder/file.txt"), WEIR_ERR_IO);
    ck_assert_str_eq(weir_last_error(), "/tmp/no-such-folder/file.txt: cannot be created: No such file or directory");
    ck_assert_int_eq(weir_output_finish(&output, WEIR_ERR_IO), WEIR_ERR_IO); /* harmless */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/output");
    TCase *tcase = tcase_create("output");
    tcase_add_test(tcase, a_file_appears_when_it_is_whole);
    tcase_add_test(tcase, a_failure_leaves_the_old_file_as_it_was);
    tcase_add_test(tcase, a_failure_without_an_old_file_leaves_none);
    tcase_add_test(tcase, new_files_have_the_permissions_that_the_user_asks_for);
    tcase_add_test(tcase, a_link_stays_a_link);
    tcase_add_test(tcase, what_is_no_ordinary_file_is_written_to_and_never_replaced);
    tcase_add_test(tcase, a_full_disk_is_told_and_keeps_the_old_file);
    tcase_add_test(tcase, a_folder_that_is_not_there_is_told);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
