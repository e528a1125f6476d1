/* sort_test.c - what sort.h promises. */
#include "util/sort.h"
#include "util/random.h"
#include <check.h>

START_TEST(numbers_come_out_in_order_and_none_is_lost)
{
    enum { MOST = 100, VALUES = 50 };
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t random = seed;
        uint32_t at[MOST + 1], counts[VALUES] = {0}, count = weir_random_below(&random, MOST + 1);
        for (uint32_t i = 0; i < count; i++)
            counts[at[i] = weir_random_below(&random, VALUES)]++;
        at[count] = 0; /* one past the end stays as it is */
        weir_sort_u32(at, count);
        ck_assert_uint_eq(at[count], 0);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_msg(i == 0 || at[i - 1] <= at[i], "seed %llu: %u before %u", (unsigned long long)seed, i ? at[i - 1] : 0, at[i]);
            counts[at[i]]--;
        }
        for (uint32_t v = 0; v < VALUES; v++)
            ck_assert_uint_eq(counts[v], 0);
    }
}
END_TEST

START_TEST(largest_numbers_are_compared_not_subtracted)
{
    uint32_t at[] = {UINT32_MAX, 0, 0x80000000u, 1, 0x7fffffffu}, expected[] = {0, 1, 0x7fffffffu, 0x80000000u, UINT32_MAX};
    weir_sort_u32(at, 5);
    ck_assert_mem_eq(at, expected, sizeof at);
    ck_assert_int_lt(weir_compare_u32(&(uint32_t){0}, &(uint32_t){UINT32_MAX}), 0);
    ck_assert_int_gt(weir_compare_u32(&(uint32_t){UINT32_MAX}, &(uint32_t){0}), 0);
    ck_assert_int_eq(weir_compare_u32(&(uint32_t){7}, &(uint32_t){7}), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/sort");
    TCase *cases = tcase_create("sort");
    tcase_add_test(cases, numbers_come_out_in_order_and_none_is_lost);
    tcase_add_test(cases, largest_numbers_are_compared_not_subtracted);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
