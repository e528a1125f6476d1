/* texts.h - for the tests of readers: texts that must be read, and texts that must be refused with their line. */
#ifndef TESTS_TOOLS_TEXTS_H
#define TESTS_TOOLS_TEXTS_H

#include "read_format.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read, to be finished. */
static inline read_drawing text_read(read_format *format, const char *text)
{
    read_drawing read;
    read_error error = {""};
    ck_assert_msg(read_from_text(format, "folder/name.suffix", text, strlen(text), &read, &error), "%s in:\n%s", error.text, text);
    return read;
}

/* The error must be "FILE:LINE: ..." and say `part`. */
static inline void bytes_refused(read_format *format, const char *text, size_t bytes, unsigned line, const char *part)
{
    read_drawing read;
    read_error error = {""};
    char begins[64];
    snprintf(begins, sizeof begins, "f:%u: ", line);
    ck_assert_msg(!read_from_text(format, "f", text, bytes, &read, &error), "accepted:\n%s", text);
    ck_assert_msg(strncmp(error.text, begins, strlen(begins)) == 0, "'%s' does not begin with '%s' for:\n%s", error.text, begins, text);
    ck_assert_msg(strstr(error.text, part), "'%s' does not say '%s'", error.text, part);
}

static inline void text_refused(read_format *format, const char *text, unsigned line, const char *part)
{
    bytes_refused(format, text, strlen(text), line, part);
}

static inline const char *task_name(const read_drawing *read, uint32_t task)
{
    return read->drawing.task[task].name;
}

static inline void has_edge(const read_drawing *read, uint32_t i, const char *from, const char *to)
{
    ck_assert_uint_lt(i, read->drawing.edge_count);
    ck_assert_str_eq(task_name(read, read->drawing.edge[i].from), from);
    ck_assert_str_eq(task_name(read, read->drawing.edge[i].to), to);
}

static inline int texts_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
