/* log_test.c - what log.c promises. The level is read from WEIR_LOG once in a process, so each level is a process of its own. */
#include "util/log.h"
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    int lines, level, inside, overlaps;
    char text[2048];
} heard;

static void listen(void *user, int level, const char *text)
{
    heard *h = user;
    h->overlaps += h->inside++;
    h->lines++;
    h->level = level;
    snprintf(h->text, sizeof h->text, "%s", text);
    h->inside--;
}

/* How many of one line a level get through when WEIR_LOG is `level`; told as the exit status of a child. */
static int lines_through(const char *level)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        heard h = {0};
        if (level)
            setenv("WEIR_LOG", level, 1);
        else
            unsetenv("WEIR_LOG");
        weir_set_log(listen, &h);
        for (int l = WEIR_LOG_ERROR; l <= WEIR_LOG_DEBUG; l++)
            weir_log(l, "line");
        _exit(h.lines);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(level_lets_through_itself_and_what_is_graver)
{
    ck_assert_int_eq(lines_through("off"), 0);
    ck_assert_int_eq(lines_through("error"), 1);
    ck_assert_int_eq(lines_through("warn"), 2);
    ck_assert_int_eq(lines_through("info"), 3);
    ck_assert_int_eq(lines_through("debug"), 4);
}
END_TEST

START_TEST(level_is_warn_if_unset_empty_or_unknown)
{
    ck_assert_int_eq(lines_through(NULL), 2);
    ck_assert_int_eq(lines_through(""), 2);
    ck_assert_int_eq(lines_through("loud"), 2);
}
END_TEST

START_TEST(sink_is_handed_level_and_text_without_newline)
{
    heard h = {0};
    setenv("WEIR_LOG", "debug", 1);
    weir_set_log(listen, &h);
    weir_log(WEIR_LOG_INFO, "task '%s' %d", "jacobi", 7);
    ck_assert_int_eq(h.lines, 1);
    ck_assert_int_eq(h.level, WEIR_LOG_INFO);
    ck_assert_str_eq(h.text, "task 'jacobi' 7");
}
END_TEST

START_TEST(without_a_sink_or_after_it_lines_go_to_standard_error)
{
    int pipe_ends[2];
    ck_assert_int_eq(pipe(pipe_ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("WEIR_LOG");
        dup2(pipe_ends[1], STDERR_FILENO);
        weir_log(WEIR_LOG_WARN, "disk %s", "full");
        weir_log(WEIR_LOG_INFO, "not wanted");
        heard h = {0};
        weir_set_log(listen, &h);
        weir_log(WEIR_LOG_ERROR, "to the sink");
        weir_set_log(NULL, NULL);
        weir_log(WEIR_LOG_ERROR, "gone");
        _exit(0);
    }
    close(pipe_ends[1]);
    char text[256] = "";
    size_t used = 0;
    for (ssize_t got; used < sizeof text - 1 && (got = read(pipe_ends[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)got;
    close(pipe_ends[0]);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_str_eq(text, "weir: warning: disk full\nweir: error: gone\n");
}
END_TEST

START_TEST(long_line_is_cut_not_overrun)
{
    heard h = {0};
    char line[5000];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    weir_set_log(listen, &h);
    weir_log(WEIR_LOG_ERROR, "%s", line);
    ck_assert_uint_gt(strlen(h.text), 500);
    ck_assert_uint_lt(strlen(h.text), sizeof line - 1);
    ck_assert_uint_eq(strspn(h.text, "x"), strlen(h.text));
}
END_TEST

enum { LINES = 2000 };

static void *shout(void *unused)
{
    (void)unused;
    for (int i = 0; i < LINES; i++)
        weir_log(WEIR_LOG_ERROR, "line %d", i);
    return NULL;
}

START_TEST(sink_is_called_by_one_thread_at_a_time)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    heard h = {0};
    weir_set_log(listen, &h);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, shout, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(h.lines, THREADS * LINES);
    ck_assert_int_eq(h.overlaps, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/log");
    TCase *cases = tcase_create("log");
    tcase_add_test(cases, level_lets_through_itself_and_what_is_graver);
    tcase_add_test(cases, level_is_warn_if_unset_empty_or_unknown);
    tcase_add_test(cases, without_a_sink_or_after_it_lines_go_to_standard_error);
    tcase_add_test(cases, sink_is_handed_level_and_text_without_newline);
    tcase_add_test(cases, long_line_is_cut_not_overrun);
    tcase_add_test(cases, sink_is_called_by_one_thread_at_a_time);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
