/* table_test.c - what table.c promises. */
#include "util/table.h"
#include "util/counting.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

START_TEST(what_was_put_is_found_again)
{
    enum { KEYS = 5000 };
    static char keys[KEYS][16];
    weir_table *table = weir_table_create();
    for (uint32_t i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "task %u", i);
        ck_assert(weir_table_put_text(table, keys[i], i));
        ck_assert(weir_table_put_pointer(table, keys[i], i + KEYS));
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        char same[16];
        snprintf(same, sizeof same, "task %u", i);
        ck_assert_uint_eq(weir_table_get_text(table, same), i);
        ck_assert_uint_eq(weir_table_get_pointer(table, keys[i]), i + KEYS);
    }
    weir_table_destroy(table);
}
END_TEST

START_TEST(what_was_not_put_is_not_found)
{
    weir_table *table = weir_table_create();
    ck_assert_uint_eq(weir_table_get_text(table, "a"), UINT32_MAX);
    ck_assert_uint_eq(weir_table_get_pointer(table, table), UINT32_MAX);
    ck_assert(weir_table_put_text(table, "task", 1));
    ck_assert_uint_eq(weir_table_get_text(table, "tas"), UINT32_MAX);
    ck_assert_uint_eq(weir_table_get_text(table, "tasks"), UINT32_MAX);
    ck_assert_uint_eq(weir_table_get_text(table, ""), UINT32_MAX);
    weir_table_destroy(table);
}
END_TEST

START_TEST(first_value_of_a_key_stays)
{
    int something = 0;
    weir_table *table = weir_table_create();
    ck_assert(weir_table_put_text(table, "solve", 1));
    ck_assert(weir_table_put_text(table, "solve", 2));
    ck_assert(weir_table_put_pointer(table, &something, 3));
    ck_assert(weir_table_put_pointer(table, &something, 4));
    ck_assert_uint_eq(weir_table_get_text(table, "solve"), 1);
    ck_assert_uint_eq(weir_table_get_pointer(table, &something), 3);
    weir_table_destroy(table);
}
END_TEST

START_TEST(text_and_pointer_are_keys_apart)
{
    const char *key = "both";
    weir_table *table = weir_table_create();
    ck_assert(weir_table_put_text(table, key, 1));
    ck_assert_uint_eq(weir_table_get_pointer(table, key), UINT32_MAX);
    ck_assert(weir_table_put_pointer(table, key, 2));
    ck_assert_uint_eq(weir_table_get_text(table, key), 1);
    ck_assert_uint_eq(weir_table_get_pointer(table, key), 2);
    weir_table_destroy(table);
}
END_TEST

START_TEST(no_memory_is_told_and_keeps_what_was_there)
{
    static char keys[600][16];
    for (int i = 0; i < 600; i++)
        snprintf(keys[i], sizeof keys[i], "%d", i);
    for (long fail_at = 1;; fail_at++) { /* the 600 keys make the table grow several times */
        counting_start(fail_at, 0);
        weir_table *table = weir_table_create();
        uint32_t refused = 0;
        for (uint32_t i = 0; table && i < 600; i++) {
            bool done = i % 2 ? weir_table_put_text(table, keys[i], i) : weir_table_put_pointer(table, keys[i], i);
            refused += !done;
            uint32_t found = i % 2 ? weir_table_get_text(table, keys[i]) : weir_table_get_pointer(table, keys[i]);
            ck_assert_msg(found == (done ? i : UINT32_MAX), "request %ld fails: key %u is found as %u", fail_at, i, found);
        }
        counting_relent();
        for (uint32_t i = 0; table && i < 600; i++) { /* whoever got no memory may come again */
            ck_assert(i % 2 ? weir_table_put_text(table, keys[i], i) : weir_table_put_pointer(table, keys[i], i));
            ck_assert_uint_eq(i % 2 ? weir_table_get_text(table, keys[i]) : weir_table_get_pointer(table, keys[i]), i);
        }
        weir_table_destroy(table);
        ck_assert_msg(atomic_load(&counting_live) == 0, "request %ld fails: %ld allocations are left", fail_at,
                      atomic_load(&counting_live));
        if (table && refused == 0 && atomic_load(&counting_asked) < fail_at)
            break;
    }
}
END_TEST

START_TEST(destroying_nothing_is_fine)
{
    weir_table_destroy(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/table");
    TCase *cases = tcase_create("table");
    tcase_add_test(cases, what_was_put_is_found_again);
    tcase_add_test(cases, what_was_not_put_is_not_found);
    tcase_add_test(cases, first_value_of_a_key_stays);
    tcase_add_test(cases, text_and_pointer_are_keys_apart);
    tcase_add_test(cases, no_memory_is_told_and_keeps_what_was_there);
    tcase_add_test(cases, destroying_nothing_is_fine);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
