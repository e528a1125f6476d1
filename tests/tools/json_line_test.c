/* json_line_test.c - what json_line.c promises: the line of a value, however the file is laid out. */
#include "json_line.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "\n"
                           "{ \"a\": [1,\n"
                           "  {\"x\": \"not \\\" [ { the end\", \"y\"\n"
                           "     : {}},\n"
                           "  []], \"b\":\n"
                           "  {\"y\": [\n"
                           "  2]},\n"
                           "  \"ab\": null, \"c\": -1.5e3\n"
                           "}\n";

static unsigned line(const char *key, long index, const char *member)
{
    return json_line(text, strlen(text), key, index, member);
}

START_TEST(values_are_found_by_key_index_and_member)
{
    ck_assert_uint_eq(line(NULL, -1, NULL), 2);
    ck_assert_uint_eq(line("a", -1, NULL), 2);
    ck_assert_uint_eq(line("a", 0, NULL), 2);
    ck_assert_uint_eq(line("a", 1, NULL), 3);
    ck_assert_uint_eq(line("a", 1, "x"), 3);
    ck_assert_uint_eq(line("a", 1, "y"), 4);
    ck_assert_uint_eq(line("a", 2, NULL), 5);
    ck_assert_uint_eq(line("b", -1, NULL), 6);
    ck_assert_uint_eq(line("b", -1, "y"), 6);
    ck_assert_uint_eq(line("ab", -1, NULL), 8);
    ck_assert_uint_eq(line("c", -1, NULL), 8);
}
END_TEST

START_TEST(what_is_not_there_has_the_line_of_what_is_around_it)
{
    ck_assert_uint_eq(line("nothing", -1, NULL), 2);
    ck_assert_uint_eq(line("a", 1, "z"), 3);
    ck_assert_uint_eq(line("a", 9, NULL), 2);
    ck_assert_uint_eq(line("b", 0, NULL), 6);
    ck_assert_uint_eq(line("c", -1, "x"), 8);
}
END_TEST

START_TEST(no_text_at_all_is_harmless)
{
    ck_assert_uint_eq(json_line("", 0, "a", 0, "b"), 1);
    ck_assert_uint_eq(json_line("{", 1, "a", 0, "b"), 1);
    ck_assert_uint_eq(json_line("{\"a", 3, "a", 0, "b"), 1);
    ck_assert_uint_eq(json_line("{\"a\":[[", 7, "a", 1, "b"), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/json_line");
    TCase *tcase = tcase_create("json_line");
    tcase_add_test(tcase, values_are_found_by_key_index_and_member);
    tcase_add_test(tcase, what_is_not_there_has_the_line_of_what_is_around_it);
    tcase_add_test(tcase, no_text_at_all_is_harmless);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
