/* policy_test.c - what policy.c promises. */
#include "plan/policy.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const char *wanted)
{
    const weir_policy *policy = NULL;
    ck_assert_int_eq(weir_policy_find(wanted, &policy), WEIR_OK);
    return policy->name;
}

START_TEST(default_is_priority)
{
    unsetenv("WEIR_POLICY");
    ck_assert_str_eq(name_of(NULL), "priority");
}
END_TEST

START_TEST(policies_are_found_by_name)
{
    unsetenv("WEIR_POLICY");
    ck_assert_str_eq(name_of("priority"), "priority");
    ck_assert_str_eq(name_of("round_robin"), "round_robin");
}
END_TEST

START_TEST(environment_wins_over_program)
{
    setenv("WEIR_POLICY", "round_robin", 1);
    ck_assert_str_eq(name_of("priority"), "round_robin");
    unsetenv("WEIR_POLICY");
}
END_TEST

START_TEST(unknown_policy_is_told_the_known_ones)
{
    const weir_policy *policy = NULL;
    unsetenv("WEIR_POLICY");
    ck_assert_int_eq(weir_policy_find("chance", &policy), WEIR_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(weir_last_error(), "'chance'"));
    ck_assert_ptr_nonnull(strstr(weir_last_error(), "priority, round_robin"));
    setenv("WEIR_POLICY", "dice", 1);
    ck_assert_int_eq(weir_policy_find(NULL, &policy), WEIR_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(weir_last_error(), "WEIR_POLICY=dice"));
    ck_assert_ptr_nonnull(strstr(weir_last_error(), "priority, round_robin"));
    ck_assert_ptr_null(policy);
    unsetenv("WEIR_POLICY");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/policy");
    TCase *cases = tcase_create("policy");
    tcase_add_test(cases, default_is_priority);
    tcase_add_test(cases, policies_are_found_by_name);
    tcase_add_test(cases, environment_wins_over_program);
    tcase_add_test(cases, unknown_policy_is_told_the_known_ones);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
