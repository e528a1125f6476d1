/* output_test.c - what output.c promises: whole or not at all, and nothing left lying about. */
#include "observe/output.h"
#include "observe/sample.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[96];

static void enter_folder(void)
{
    strcpy(folder, "/tmp/weir-output-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file.txt", folder);
}

static unsigned files_in_folder(void)
{
    unsigned count = 0;
    DIR *entries = opendir(folder);
    ck_assert_ptr_nonnull(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void leave_folder(void)
{
    unlink(path);
    ck_assert_msg(rmdir(folder) == 0, "%s is not empty", folder);
}

static void has_content(const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    ck_assert_uint_eq(bytes, strlen(expected));
    ck_assert_str_eq(text, expected);
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
    ck_assert_uint_eq(files_in_folder(), 1);
    leave_folder();
}
END_TEST

START_TEST(a_failure_leaves_the_old_file_as_it_was)
{
    enter_folder();
    write_file("old", WEIR_OK);
    write_file("new", WEIR_ERR_INVALID);
    has_content("old");
    ck_assert_uint_eq(files_in_folder(), 1);
    write_file("newer", WEIR_OK);
    has_content("newer");
    leave_folder();
}
END_TEST

START_TEST(a_failure_without_an_old_file_leaves_none)
{
    enter_folder();
    write_file("half", WEIR_ERR_NO_MEMORY);
    ck_assert_uint_eq(files_in_folder(), 0);
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
    char target[96];
    struct stat info;
    enter_folder();
    snprintf(target, sizeof target, "%s/target", folder);
    fclose(fopen(target, "w"));
    ck_assert_int_eq(symlink("target", path), 0);
    write_file("through", WEIR_OK);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    has_content("through");
    unlink(target);
    leave_folder();
}
END_TEST

START_TEST(devices_are_written_to_and_never_replaced)
{
    struct stat info;
    weir_output output;
    ck_assert_int_eq(weir_output_init(&output, "/dev/null"), WEIR_OK);
    fputs("gone", output.stream);
    ck_assert_int_eq(weir_output_finish(&output, WEIR_OK), WEIR_OK);
    ck_assert_int_eq(stat("/dev/null", &info), 0);
    ck_assert(S_ISCHR(info.st_mode));
}
END_TEST

START_TEST(a_full_disk_is_told)
{
    weir_output output;
    ck_assert_int_eq(weir_output_init(&output, "/dev/full"), WEIR_OK);
    for (int i = 0; i < 100000; i++)
        fputs("much", output.stream);
    ck_assert_int_eq(weir_output_finish(&output, WEIR_OK), WEIR_ERR_IO);
    sample_says(weir_last_error(), "/dev/full: cannot be written");
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
    tcase_add_test(tcase, devices_are_written_to_and_never_replaced);
    tcase_add_test(tcase, a_full_disk_is_told);
    tcase_add_test(tcase, a_folder_that_is_not_there_is_told);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
