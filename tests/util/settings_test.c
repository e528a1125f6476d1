/* settings_test.c - what settings.c promises, for every kind of variable. */
#include "util/settings.h"
#include "util/status.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *const fruits[] = {"apple", "pear", "plum", NULL};

static void check_number(const char *text, weir_status expected, uint64_t value)
{
    uint64_t number = 77;
    setenv("WEIR_TEST", text, 1);
    ck_assert_msg(weir_settings_number("WEIR_TEST", 3, 12, &number) == expected, "'%s' gives %s", text,
                  weir_status_name(weir_settings_number("WEIR_TEST", 3, 12, &number)));
    ck_assert_uint_eq(number, value);
}

START_TEST(text_is_what_is_set_and_empty_is_unset)
{
    unsetenv("WEIR_TEST");
    ck_assert_ptr_null(weir_settings_text("WEIR_TEST"));
    setenv("WEIR_TEST", "", 1);
    ck_assert_ptr_null(weir_settings_text("WEIR_TEST"));
    setenv("WEIR_TEST", "out/dag.svg", 1);
    ck_assert_str_eq(weir_settings_text("WEIR_TEST"), "out/dag.svg");
}
END_TEST

START_TEST(unset_number_leaves_the_programs_own)
{
    uint64_t number = 77; /* out of bounds, but not the environment's fault */
    unsetenv("WEIR_TEST");
    ck_assert_int_eq(weir_settings_number("WEIR_TEST", 3, 12, &number), WEIR_OK);
    ck_assert_uint_eq(number, 77);
    setenv("WEIR_TEST", "", 1);
    ck_assert_int_eq(weir_settings_number("WEIR_TEST", 3, 12, &number), WEIR_OK);
    ck_assert_uint_eq(number, 77);
}
END_TEST

START_TEST(number_within_its_bounds_wins)
{
    check_number("3", WEIR_OK, 3);
    check_number("12", WEIR_OK, 12);
    check_number("007", WEIR_OK, 7);
}
END_TEST

START_TEST(anything_else_is_refused_and_changes_nothing)
{
    static const char *const bad[] = {"2", "13", "0", "-5", "+5", " 5", "5 ", "5x", "0x5", "5.0", "five", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_number(bad[i], WEIR_ERR_INVALID, 77);
}
END_TEST

START_TEST(refused_number_names_variable_value_and_bounds)
{
    uint64_t number = 0;
    setenv("WEIR_TEST", "many", 1);
    ck_assert_int_eq(weir_settings_number("WEIR_TEST", 1, 1024, &number), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "WEIR_TEST=many: must be a whole number from 1 to 1024");
}
END_TEST

START_TEST(largest_number_there_is_can_be_allowed)
{
    uint64_t number = 0;
    setenv("WEIR_TEST", "18446744073709551615", 1);
    ck_assert_int_eq(weir_settings_number("WEIR_TEST", 0, UINT64_MAX, &number), WEIR_OK);
    ck_assert_uint_eq(number, UINT64_MAX);
}
END_TEST

START_TEST(environment_beats_the_programs_choice)
{
    const char *choice = "apple";
    setenv("WEIR_TEST", "plum", 1);
    ck_assert_int_eq(weir_settings_choice("WEIR_TEST", "fruit", fruits, &choice), WEIR_OK);
    ck_assert_str_eq(choice, "plum");
}
END_TEST

START_TEST(choice_becomes_the_allowed_text_itself)
{
    char mine[] = "pear";
    const char *choice = mine;
    unsetenv("WEIR_TEST");
    ck_assert_int_eq(weir_settings_choice("WEIR_TEST", "fruit", fruits, &choice), WEIR_OK);
    ck_assert_ptr_eq(choice, fruits[1]); /* static, so that it may be kept */
}
END_TEST

START_TEST(unknown_choice_names_all_that_are_allowed)
{
    const char *choice = "apple";
    setenv("WEIR_TEST", "Plum", 1);
    ck_assert_int_eq(weir_settings_choice("WEIR_TEST", "fruit", fruits, &choice), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "WEIR_TEST=Plum: must be one of apple, pear, plum");
    ck_assert_str_eq(choice, "apple");
    unsetenv("WEIR_TEST");
    choice = "fig";
    ck_assert_int_eq(weir_settings_choice("WEIR_TEST", "fruit", fruits, &choice), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "unknown fruit 'fig': must be one of apple, pear, plum");
    ck_assert_str_eq(choice, "fig");
}
END_TEST

START_TEST(environment_saves_a_wrong_choice_of_the_program)
{
    const char *choice = "fig";
    setenv("WEIR_TEST", "apple", 1);
    ck_assert_int_eq(weir_settings_choice("WEIR_TEST", "fruit", fruits, &choice), WEIR_OK);
    ck_assert_str_eq(choice, "apple");
}
END_TEST

START_TEST(log_levels_count_from_off)
{
    static const char *const levels[] = {"off", "error", "warn", "info", "debug"};
    for (int i = 0; i < 5; i++) {
        setenv("WEIR_LOG", levels[i], 1);
        ck_assert_int_eq(weir_settings_log_level(), i);
        ck_assert_int_eq(weir_settings_check_log(), WEIR_OK);
    }
    ck_assert_int_eq(WEIR_LOG_DEBUG, 4);
}
END_TEST

START_TEST(unknown_log_level_is_refused_with_the_known_ones)
{
    unsetenv("WEIR_LOG");
    ck_assert_int_eq(weir_settings_log_level(), -1);
    ck_assert_int_eq(weir_settings_check_log(), WEIR_OK);
    setenv("WEIR_LOG", "loud", 1);
    ck_assert_int_eq(weir_settings_log_level(), -1);
    ck_assert_int_eq(weir_settings_check_log(), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "WEIR_LOG=loud: must be one of off, error, warn, info, debug");
}
END_TEST

START_TEST(list_of_allowed_values_is_cut_not_overrun)
{
    static char words[40][33];
    const char *allowed[41] = {NULL};
    for (int i = 0; i < 40; i++) {
        memset(words[i], 'a' + i % 26, 32);
        allowed[i] = words[i];
    }
    const char *choice = "none of them";
    unsetenv("WEIR_TEST");
    ck_assert_int_eq(weir_settings_choice("WEIR_TEST", "word", allowed, &choice), WEIR_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(weir_last_error(), words[0]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/settings");
    TCase *cases = tcase_create("settings");
    tcase_add_test(cases, text_is_what_is_set_and_empty_is_unset);
    tcase_add_test(cases, unset_number_leaves_the_programs_own);
    tcase_add_test(cases, number_within_its_bounds_wins);
    tcase_add_test(cases, anything_else_is_refused_and_changes_nothing);
    tcase_add_test(cases, refused_number_names_variable_value_and_bounds);
    tcase_add_test(cases, largest_number_there_is_can_be_allowed);
    tcase_add_test(cases, environment_beats_the_programs_choice);
    tcase_add_test(cases, choice_becomes_the_allowed_text_itself);
    tcase_add_test(cases, unknown_choice_names_all_that_are_allowed);
    tcase_add_test(cases, environment_saves_a_wrong_choice_of_the_program);
    tcase_add_test(cases, log_levels_count_from_off);
    tcase_add_test(cases, unknown_log_level_is_refused_with_the_known_ones);
    tcase_add_test(cases, list_of_allowed_values_is_cut_not_overrun);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
