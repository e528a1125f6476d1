/* status_test.c - what status.c promises. */
#include "util/status.h"
#include "weir/version.h"
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(every_status_has_its_own_name)
{
    ck_assert_str_eq(weir_status_name(WEIR_OK), "WEIR_OK");
    ck_assert_str_eq(weir_status_name(WEIR_WOULD_BLOCK), "WEIR_WOULD_BLOCK");
    ck_assert_str_eq(weir_status_name(WEIR_TIMEOUT), "WEIR_TIMEOUT");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_INVALID), "WEIR_ERR_INVALID");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_NO_MEMORY), "WEIR_ERR_NO_MEMORY");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_CYCLE), "WEIR_ERR_CYCLE");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_HAZARD), "WEIR_ERR_HAZARD");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_BACKEND), "WEIR_ERR_BACKEND");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_TASK), "WEIR_ERR_TASK");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_DEVICE), "WEIR_ERR_DEVICE");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_IO), "WEIR_ERR_IO");
    ck_assert_str_eq(weir_status_name(WEIR_ERR_STATE), "WEIR_ERR_STATE");
}
END_TEST

START_TEST(no_status_at_all_has_a_name_too)
{
    int past = WEIR_ERR_STATE + 1, negative = -1;
    weir_status odd;
    memcpy(&odd, &past, sizeof odd);
    ck_assert_str_eq(weir_status_name(odd), "unknown weir_status");
    memcpy(&odd, &negative, sizeof odd);
    ck_assert_str_eq(weir_status_name(odd), "unknown weir_status");
}
END_TEST

START_TEST(version_agrees_with_the_headers)
{
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_PATCH);
    ck_assert_str_eq(weir_version(), text);
}
END_TEST

START_TEST(nothing_failed_yet_is_empty_text)
{
    ck_assert_str_eq(weir_last_error(), "");
}
END_TEST

START_TEST(failing_keeps_the_text_and_gives_the_status)
{
    ck_assert_int_eq(weir_fail(WEIR_ERR_IO, "%s: cannot be read, line %d", "a.json", 12), WEIR_ERR_IO);
    ck_assert_str_eq(weir_last_error(), "a.json: cannot be read, line 12");
    ck_assert_int_eq(weir_fail_no_memory(), WEIR_ERR_NO_MEMORY);
    ck_assert_str_eq(weir_last_error(), "out of memory");
}
END_TEST

START_TEST(text_may_be_made_of_the_text_before)
{
    weir_fail(WEIR_ERR_INVALID, "task 'a' is null");
    ck_assert_int_eq(weir_fail(WEIR_ERR_STATE, "sub-graph 's': %s", weir_last_error()), WEIR_ERR_STATE);
    ck_assert_str_eq(weir_last_error(), "sub-graph 's': task 'a' is null");
}
END_TEST

START_TEST(long_text_is_cut_not_overrun)
{
    char line[40000];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    weir_fail(WEIR_ERR_INVALID, "%s", line);
    size_t kept = strlen(weir_last_error());
    ck_assert_uint_ge(kept, 500);
    ck_assert_uint_lt(kept, sizeof line - 1);
    ck_assert_uint_eq(strspn(weir_last_error(), "x"), kept);
}
END_TEST

typedef struct {
    pthread_barrier_t *both_failed;
    const char *own;
    int was_empty, kept;
} failing_thread;

static void *fail_apart(void *argument)
{
    failing_thread *self = argument;
    self->was_empty = weir_last_error()[0] == '\0';
    weir_fail(WEIR_ERR_INVALID, "%s", self->own);
    pthread_barrier_wait(self->both_failed);
    self->kept = strcmp(weir_last_error(), self->own) == 0;
    return NULL;
}

START_TEST(each_thread_has_its_own_text)
{
    pthread_barrier_t both_failed;
    pthread_barrier_init(&both_failed, NULL, 2);
    weir_fail(WEIR_ERR_INVALID, "of the main thread");
    failing_thread sides[2] = {{&both_failed, "left", 0, 0}, {&both_failed, "right", 0, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, fail_apart, &sides[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(sides[i].was_empty);
        ck_assert(sides[i].kept);
    }
    ck_assert_str_eq(weir_last_error(), "of the main thread");
    pthread_barrier_destroy(&both_failed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/status");
    TCase *cases = tcase_create("status");
    tcase_add_test(cases, nothing_failed_yet_is_empty_text);
    tcase_add_test(cases, every_status_has_its_own_name);
    tcase_add_test(cases, no_status_at_all_has_a_name_too);
    tcase_add_test(cases, version_agrees_with_the_headers);
    tcase_add_test(cases, failing_keeps_the_text_and_gives_the_status);
    tcase_add_test(cases, text_may_be_made_of_the_text_before);
    tcase_add_test(cases, long_text_is_cut_not_overrun);
    tcase_add_test(cases, each_thread_has_its_own_text);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
