/* arena_test.c - what arena.c promises. */
#include "util/arena.h"
#include "util/counting.h"
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(pieces_are_aligned_and_keep_their_contents)
{
    enum { PIECES = 3000 };
    static unsigned char *piece[PIECES];
    static size_t bytes[PIECES];
    weir_arena arena = {NULL, 0};
    for (size_t i = 0; i < PIECES; i++) {
        bytes[i] = 1 + i * 37 % 301;
        piece[i] = weir_arena_take(&arena, bytes[i]);
        ck_assert_ptr_nonnull(piece[i]);
        ck_assert_uint_eq((uintptr_t)piece[i] % 16, 0);
        memset(piece[i], (int)(i % 251), bytes[i]);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t b = 0; b < bytes[i]; b++)
            ck_assert_uint_eq(piece[i][b], i % 251);
    weir_arena_finish(&arena);
}
END_TEST

START_TEST(many_small_pieces_take_few_blocks)
{
    weir_arena arena = {NULL, 0};
    counting_start(0, 0);
    for (int i = 0; i < 10000; i++)
        ck_assert_ptr_nonnull(weir_arena_take(&arena, 16));
    ck_assert_int_le(atomic_load(&counting_live), 10); /* 1 KiB, 2 KiB, 4 KiB ... */
    weir_arena_finish(&arena);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(piece_larger_than_any_block_fits)
{
    enum { LARGE = 5 << 20 };
    weir_arena arena = {NULL, 0};
    char *small = weir_arena_take(&arena, 1);
    *small = 'a';
    char *large = weir_arena_take(&arena, LARGE);
    ck_assert_ptr_nonnull(large);
    memset(large, 'b', LARGE);
    char *after = weir_arena_take(&arena, 1);
    *after = 'c';
    ck_assert_int_eq(*small, 'a');
    ck_assert_int_eq(large[LARGE - 1], 'b');
    weir_arena_finish(&arena);
}
END_TEST

START_TEST(impossible_size_is_no_memory)
{
    weir_arena arena = {NULL, 0};
    ck_assert_ptr_null(weir_arena_take(&arena, SIZE_MAX));
    ck_assert_ptr_null(weir_arena_take(&arena, SIZE_MAX - 15));
    ck_assert_ptr_null(arena.block);
}
END_TEST

START_TEST(no_memory_leaves_the_arena_as_it_was)
{
    weir_arena arena = {NULL, 0};
    counting_start(0, 0);
    char *kept = weir_arena_take(&arena, 1000);
    memset(kept, 'k', 1000);
    counting_start(1, 1);
    ck_assert_ptr_null(weir_arena_take(&arena, 1000));
    counting_relent();
    ck_assert_ptr_nonnull(weir_arena_take(&arena, 1000));
    ck_assert_int_eq(kept[999], 'k');
    weir_arena_finish(&arena);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(finished_arena_is_empty_and_usable)
{
    weir_arena arena = {NULL, 0};
    weir_arena_finish(&arena);
    ck_assert_ptr_nonnull(weir_arena_take(&arena, 10));
    weir_arena_finish(&arena);
    ck_assert_ptr_null(arena.block);
    ck_assert_uint_eq(arena.used, 0);
    ck_assert_ptr_nonnull(weir_arena_take(&arena, 10));
    weir_arena_finish(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("util/arena");
    TCase *cases = tcase_create("arena");
    tcase_add_test(cases, pieces_are_aligned_and_keep_their_contents);
    tcase_add_test(cases, many_small_pieces_take_few_blocks);
    tcase_add_test(cases, piece_larger_than_any_block_fits);
    tcase_add_test(cases, impossible_size_is_no_memory);
    tcase_add_test(cases, no_memory_leaves_the_arena_as_it_was);
    tcase_add_test(cases, finished_arena_is_empty_and_usable);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
