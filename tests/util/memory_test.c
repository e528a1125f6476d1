/* memory_test.c - what memory.c promises. */
#include "util/memory.h"
#include "util/counting.h"
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void ck_assert_zeroed(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ck_assert_uint_eq(at[i], 0);
}

static bool has_run;
static void *dirty_resize(void *memory, size_t bytes) /* memory that is certainly not zero by itself */
{
    has_run = true;
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    void *moved = realloc(memory, bytes);
    if (moved && !memory)
        memset(moved, 0xa5, bytes);
    return moved;
}

START_TEST(memory_is_zeroed)
{
    weir_set_allocator(dirty_resize);
    for (size_t n = 1; n < 300; n += 7) {
        unsigned char *memory = weir_alloc(n, 3), *lines = weir_alloc_lines(n, 3);
        ck_assert_zeroed(memory, n * 3);
        ck_assert_zeroed(lines, n * 3);
        weir_free(memory);
        weir_free_lines(lines);
    }
    ck_assert(has_run);
}
END_TEST

START_TEST(lines_begin_on_a_cache_line_and_are_freed_whole)
{
    counting_start(0, 0);
    for (size_t bytes = 0; bytes < 500; bytes++) {
        unsigned char *lines = weir_alloc_lines(bytes, 1);
        ck_assert_ptr_nonnull(lines);
        ck_assert_uint_eq((uintptr_t)lines % 64, 0);
        memset(lines, 0xff, bytes);
        weir_free_lines(lines);
    }
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(product_that_overflows_is_no_memory)
{
    counting_start(0, 0);
    ck_assert_ptr_null(weir_alloc(SIZE_MAX / 2, 3));
    ck_assert_ptr_null(weir_alloc(3, SIZE_MAX / 2));
    ck_assert_ptr_null(weir_alloc_lines(SIZE_MAX / 2, 3));
    ck_assert_ptr_null(weir_alloc_lines(1, SIZE_MAX - 70)); /* the product fits, with the line it does not */
    ck_assert_int_eq(atomic_load(&counting_asked), 0);
}
END_TEST

START_TEST(zero_bytes_are_memory_all_the_same)
{
    void *memory[] = {weir_alloc(0, 8), weir_alloc(8, 0), weir_alloc_copy(NULL, 0), weir_alloc_lines(0, 0)};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        ck_assert_ptr_nonnull(memory[i]);
    for (size_t i = 0; i < 3; i++)
        weir_free(memory[i]);
    weir_free_lines(memory[3]);
}
END_TEST

START_TEST(copies_are_equal_and_apart)
{
    char text[] = "a weir keeps a river in bounds";
    char *copy = weir_alloc_text(text);
    ck_assert_str_eq(copy, text);
    text[0] = 'A';
    ck_assert_int_eq(copy[0], 'a');
    char *part = weir_alloc_copy(text, 6);
    ck_assert_mem_eq(part, "A weir", 6);
    weir_free(copy);
    weir_free(part);
}
END_TEST

START_TEST(resizing_keeps_contents_and_zero_frees)
{
    counting_start(0, 0);
    char *memory = weir_resize(NULL, 4);
    memcpy(memory, "abc", 4);
    memory = weir_resize(memory, 4000);
    ck_assert_str_eq(memory, "abc");
    ck_assert_ptr_null(weir_resize(memory, 0));
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(freeing_nothing_is_fine)
{
    counting_start(0, 0);
    weir_free(NULL);
    weir_free_lines(NULL);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(no_memory_is_null)
{
    counting_start(1, 1);
    ck_assert_ptr_null(weir_alloc(1, 1));
    ck_assert_ptr_null(weir_alloc_copy("a", 1));
    ck_assert_ptr_null(weir_alloc_text("a"));
    ck_assert_ptr_null(weir_alloc_lines(1, 1));
    ck_assert_ptr_null(weir_resize(NULL, 1));
    ck_assert_int_eq(atomic_load(&counting_asked), 5);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(default_allocator_comes_back)
{
    counting_start(0, 0);
    weir_set_allocator(NULL);
    void *memory = weir_alloc(10, 10);
    ck_assert_ptr_nonnull(memory);
    weir_free(memory);
    ck_assert_int_eq(atomic_load(&counting_asked), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/memory");
    TCase *cases = tcase_create("memory");
    tcase_add_test(cases, memory_is_zeroed);
    tcase_add_test(cases, lines_begin_on_a_cache_line_and_are_freed_whole);
    tcase_add_test(cases, product_that_overflows_is_no_memory);
    tcase_add_test(cases, zero_bytes_are_memory_all_the_same);
    tcase_add_test(cases, copies_are_equal_and_apart);
    tcase_add_test(cases, resizing_keeps_contents_and_zero_frees);
    tcase_add_test(cases, freeing_nothing_is_fine);
    tcase_add_test(cases, no_memory_is_null);
    tcase_add_test(cases, default_allocator_comes_back);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
