/* dump_test.c - what dump.c promises about WEIR_DUMP. The count of plans is the process's, so each test looks at how it goes on. */
#include "observe/dump.h"
#include "observe/folder.h"
#include "observe/sample.h"
#include <pthread.h>

static void set(const char *value)
{
    ck_assert_int_eq(value ? setenv("WEIR_DUMP", value, 1) : unsetenv("WEIR_DUMP"), 0);
}

START_TEST(nothing_is_written_unasked)
{
    sample s = sample_make(2);
    set(NULL);
    ck_assert_int_eq(weir_dump_if_asked(s.plan), WEIR_OK);
    set("");
    ck_assert_int_eq(weir_dump_if_asked(s.plan), WEIR_OK);
    sample_finish(&s);
}
END_TEST

START_TEST(an_unknown_suffix_names_the_switch_and_what_is_allowed)
{
    sample s = sample_make(2);
    set("dag.png");
    ck_assert_int_eq(weir_dump_if_asked(s.plan), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "WEIR_DUMP=dag.png: the name must end in .json, .dot, .gv or .txt");
    set(NULL);
    sample_finish(&s);
}
END_TEST

enum { THREADS = 4, EACH = 5 };

static void *dump_some(void *plan)
{
    for (int i = 0; i < EACH; i++)
        if (weir_dump_if_asked(plan) != WEIR_OK)
            return plan;
    return NULL;
}

/* The first test of this process that dumps anything, so numbers begin at 1 here. */
START_TEST(the_first_plan_has_the_name_and_each_later_one_a_number_of_its_own)
{
    sample s = sample_make(2);
    test_folder f = folder_make();
    pthread_t thread[THREADS];
    void *failed = NULL;
    set(folder_file(&f, "dag.v1.dot").text);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, dump_some, s.plan), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_eq(folder_count(&f), THREADS * EACH);
    for (int i = 1; i <= THREADS * EACH; i++) {
        char name[32];
        snprintf(name, sizeof name, i == 1 ? "dag.v1.dot" : "dag.v1-%d.dot", i);
        char *text = folder_text(&f, name);
        ck_assert_msg(text != NULL, "%s is not there", name);
        ck_assert_int_eq(strncmp(text, "digraph", 7), 0);
        free(text);
    }
    set("/tmp/no-such-folder/dag.json");
    ck_assert_int_eq(weir_dump_if_asked(s.plan), WEIR_ERR_IO);
    set(NULL);
    folder_remove(&f);
    sample_finish(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/dump");
    TCase *tcase = tcase_create("dump");
    tcase_add_test(tcase, nothing_is_written_unasked);
    tcase_add_test(tcase, an_unknown_suffix_names_the_switch_and_what_is_allowed);
    tcase_add_test(tcase, the_first_plan_has_the_name_and_each_later_one_a_number_of_its_own);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
