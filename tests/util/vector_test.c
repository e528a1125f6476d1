/* vector_test.c - what vector.h promises. */
#include "util/vector.h"
#include "util/counting.h"
#include <check.h>
#include <stdlib.h>

typedef WEIR_VECTOR(uint32_t) numbers;

START_TEST(elements_stay_while_it_grows)
{
    numbers v = {NULL, 0, 0};
    for (uint32_t i = 0; i < 10000; i++) {
        ck_assert(weir_vector_reserve(&v, 1));
        weir_vector_push(&v, i * i);
    }
    ck_assert_uint_eq(v.count, 10000);
    for (uint32_t i = 0; i < 10000; i++)
        ck_assert_uint_eq(v.at[i], i * i);
    weir_vector_finish(&v);
}
END_TEST

START_TEST(growing_one_by_one_asks_for_memory_seldom)
{
    numbers v = {NULL, 0, 0};
    counting_start(0, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        ck_assert(weir_vector_reserve(&v, 1));
        weir_vector_push(&v, i);
    }
    ck_assert_int_lt(atomic_load(&counting_asked), 40); /* a factor of 1.5 each time */
    weir_vector_finish(&v);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(reserved_room_needs_no_memory_later)
{
    numbers v = {NULL, 0, 0};
    counting_start(0, 0);
    ck_assert(weir_vector_reserve(&v, 1000));
    for (uint32_t i = 0; i < 1000; i++) {
        ck_assert(weir_vector_reserve(&v, 1));
        weir_vector_push(&v, i);
    }
    ck_assert(weir_vector_reserve(&v, 0));
    ck_assert_int_eq(atomic_load(&counting_asked), 1);
    weir_vector_finish(&v);
}
END_TEST

START_TEST(no_memory_changes_nothing)
{
    numbers v = {NULL, 0, 0};
    counting_start(0, 0);
    ck_assert(weir_vector_reserve(&v, 4));
    weir_vector_push(&v, 5u);
    numbers before = v;
    counting_start(1, 1);
    ck_assert(!weir_vector_reserve(&v, before.capacity));
    counting_relent();
    ck_assert_ptr_eq(v.at, before.at);
    ck_assert_uint_eq(v.count, before.count);
    ck_assert_uint_eq(v.capacity, before.capacity);
    ck_assert_uint_eq(v.at[0], 5);
    weir_vector_finish(&v);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(more_than_32_bits_can_count_is_no_memory)
{
    numbers v = {NULL, 0, 0};
    counting_start(0, 0);
    ck_assert(weir_vector_reserve(&v, 1));
    weir_vector_push(&v, 1u);
    ck_assert(!weir_vector_reserve(&v, UINT32_MAX));
    ck_assert(!weir_vector_reserve(&v, (size_t)UINT32_MAX + 7));
    ck_assert_int_eq(atomic_load(&counting_asked), 1);
    weir_vector_finish(&v);
}
END_TEST

START_TEST(finished_is_empty)
{
    numbers v = {NULL, 0, 0};
    weir_vector_finish(&v);
    ck_assert(weir_vector_reserve(&v, 1));
    weir_vector_push(&v, 1u);
    weir_vector_finish(&v);
    ck_assert_ptr_null(v.at);
    ck_assert_uint_eq(v.count, 0);
    ck_assert_uint_eq(v.capacity, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/vector");
    TCase *cases = tcase_create("vector");
    tcase_add_test(cases, elements_stay_while_it_grows);
    tcase_add_test(cases, growing_one_by_one_asks_for_memory_seldom);
    tcase_add_test(cases, reserved_room_needs_no_memory_later);
    tcase_add_test(cases, no_memory_changes_nothing);
    tcase_add_test(cases, more_than_32_bits_can_count_is_no_memory);
    tcase_add_test(cases, finished_is_empty);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
