/* options_test.c - what examples/options.c promises, beyond what the programs' own tests look at. */
#include "options.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *text, *choice;
static uint64_t number;
static option_size size;
static double share;
static int32_t three[3];

static int read_line(int argc, const char *const *argv)
{
    static const char *const choices[] = {"left", "right", NULL};
    const option table[] = {
        {"--text", "T", "any text", OPTION_TEXT, &text, 0, 0, NULL, NULL},
        {"--number", "N", "a number", OPTION_NUMBER, &number, 3, 12, NULL, NULL},
        {"--share", "R", "a share", OPTION_SHARE, &share, 0, 0, NULL, NULL},
        {"--three", "A,B,C", "three numbers", OPTION_THREE, three, 0, 20, NULL, NULL},
        {"--size", "WxH", "a size", OPTION_SIZE, &size, 2, 100, NULL, NULL},
        {"--choice", "C", "a choice", OPTION_CHOICE, &choice, 0, 0, choices, NULL},
        {"--lanes", "N", "for weir", OPTION_NUMBER, NULL, 1, 9, NULL, "WEIR_LANES"},
    };
    const options all = {"program", "a test", table, sizeof table / sizeof table[0]};
    char *copy[16];
    for (int i = 0; i < argc; i++)
        copy[i] = (char *)(uintptr_t)argv[i];
    return options_read(&all, argc, copy);
}

#define READ(...) \
    read_line((int)(sizeof((const char *const[]){"program", __VA_ARGS__}) / sizeof(char *)), (const char *const[]){"program", __VA_ARGS__})

static void reset(void)
{
    text = "default";
    choice = "default";
    number = 7;
    share = 0.5;
    size = (option_size){0, 0};
    unsetenv("WEIR_LANES");
}

START_TEST(values_follow_a_space_or_an_equals_sign)
{
    ck_assert_int_eq(READ("--text", "a b", "--number=12", "--size", "2x100", "--choice=right"), -1);
    ck_assert_str_eq(text, "a b");
    ck_assert_uint_eq(number, 12);
    ck_assert_uint_eq(size.width, 2);
    ck_assert_uint_eq(size.height, 100);
    ck_assert_str_eq(choice, "right");
}
END_TEST

START_TEST(a_share_is_above_0_and_not_above_1)
{
    const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1.0}, {"0.001", 1e-3}, {"1e-6", 1e-6}, {".25", 0.25}, {"2.5E-1", 0.25}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert_int_eq(READ("--share", good[i].text), -1);
        ck_assert_double_eq(share, good[i].value);
    }
    const char *const bad[] = {"0", "-0.5", "1.001", "nan", "inf", "0x1p-3", "half", "0.5 ", " 0.5", "0.5x", "1e-400", "e", ".", ""};
    reset();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(READ("--share", bad[i]) == EXIT_BAD_USAGE, "%s", bad[i]);
        ck_assert_double_eq(share, 0.5);
    }
}
END_TEST

START_TEST(three_numbers_have_signs_and_commas)
{
    ck_assert_int_eq(READ("--three", "-20,0,20"), -1);
    ck_assert_int_eq(three[0], -20);
    ck_assert_int_eq(three[1], 0);
    ck_assert_int_eq(three[2], 20);
    const char *const bad[] = {"1", "1,2", "1,2,", "1,2,3,", "1,2,3,4", ",1,2", "1,,2", "1, 2,3", "1,2,21", "-21,0,0", "--1,0,0", "+1,0,0", "1,2,3x", "-,0,0",
        "1,2,99999999999999999999", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(READ("--three", bad[i]) == EXIT_BAD_USAGE, "%s", bad[i]);
        ck_assert_int_eq(three[0], -20);
    }
}
END_TEST

START_TEST(what_is_not_given_keeps_its_value)
{
    ck_assert_int_eq(READ("--number", "3"), -1);
    ck_assert_str_eq(text, "default");
    ck_assert_ptr_null(getenv("WEIR_LANES"));
}
END_TEST

START_TEST(the_last_of_several_counts_and_text_may_hold_equals_signs)
{
    ck_assert_int_eq(READ("--number", "3", "--number", "4", "--text=a=b"), -1);
    ck_assert_uint_eq(number, 4);
    ck_assert_str_eq(text, "a=b");
}
END_TEST

START_TEST(an_option_that_stands_for_a_variable_overwrites_it)
{
    setenv("WEIR_LANES", "9", 1);
    ck_assert_int_eq(READ("--lanes", "2"), -1);
    ck_assert_str_eq(getenv("WEIR_LANES"), "2");
}
END_TEST

START_TEST(bad_values_are_usage_errors_and_change_nothing)
{
    const char *const bad[][2] = {{"--number", "2"}, {"--number", "13"}, {"--number", "-4"}, {"--number", "+4"}, {"--number", " 4"},
        {"--number", "4x"}, {"--number", ""}, {"--number", "18446744073709551619"}, {"--size", "2"}, {"--size", "2x"}, {"--size", "x2"},
        {"--size", "2x101"}, {"--size", "1x50"}, {"--size", "2x50x2"}, {"--choice", "up"}, {"--choice", ""}, {"--text", ""},
        {"--lanes", "0"}, {"--nothing", "1"}, {"number", "4"}, {"--num", "4"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(READ(bad[i][0], bad[i][1]) == EXIT_BAD_USAGE, "%s %s", bad[i][0], bad[i][1]);
        ck_assert_uint_eq(number, 7);
        ck_assert_uint_eq(size.width, 0);
        ck_assert_str_eq(text, "default");
        ck_assert_ptr_null(getenv("WEIR_LANES"));
    }
    ck_assert_int_eq(READ("--number"), EXIT_BAD_USAGE);
}
END_TEST

START_TEST(help_and_version_end_well)
{
    ck_assert_int_eq(READ("--number", "4", "--help"), EXIT_GOOD);
    ck_assert_int_eq(READ("--version"), EXIT_GOOD);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("examples/options");
    TCase *cases = tcase_create("promises");
    tcase_add_checked_fixture(cases, reset, NULL);
    tcase_add_test(cases, values_follow_a_space_or_an_equals_sign);
    tcase_add_test(cases, a_share_is_above_0_and_not_above_1);
    tcase_add_test(cases, three_numbers_have_signs_and_commas);
    tcase_add_test(cases, what_is_not_given_keeps_its_value);
    tcase_add_test(cases, the_last_of_several_counts_and_text_may_hold_equals_signs);
    tcase_add_test(cases, an_option_that_stands_for_a_variable_overwrites_it);
    tcase_add_test(cases, bad_values_are_usage_errors_and_change_nothing);
    tcase_add_test(cases, help_and_version_end_well);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
