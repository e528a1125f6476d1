/* shade_test.c - what shade.c promises. */
#include "kernels/runner.h"
#include <check.h>
#include <stdlib.h>

static uint8_t *shaded(world *w)
{
    uint8_t *rgba = calloc((size_t)(w->size.nx * w->size.ny), 4);
    ck_assert_ptr_nonnull(rgba);
    RUN(&fluid_shade, fluid_shape(w->size), &rgba, &w->dye[0], &w->dye[1], &w->dye[2], &w->solid, &w->size);
    return rgba;
}

START_TEST(even_dye_has_its_colour_everywhere)
{
    world *w = world_make(19, 7);
    for (int32_t i = 0; i < 19 * 7; i++) {
        w->dye[0][i] = 1.0f;
        w->dye[1][i] = 0.25f;
    }
    uint8_t *rgba = shaded(w);
    for (int32_t i = 0; i < 19 * 7; i++) {
        ck_assert_int_eq(rgba[4 * i], 255);
        ck_assert_int_eq(rgba[4 * i + 1], 128); /* a quarter of the light is half the screen's value */
        ck_assert_int_eq(rgba[4 * i + 2], 0);
        ck_assert_int_eq(rgba[4 * i + 3], 255);
    }
    free(rgba);
    world_free(w);
}
END_TEST

START_TEST(light_comes_from_the_upper_left)
{
    world *w = world_make(21, 21); /* a hill */
    for (int32_t y = 0; y < 21; y++)
        for (int32_t x = 0; x < 21; x++)
            for (int c = 0; c < 3; c++)
                w->dye[c][y * 21 + x] = 0.8f - 0.03f * (float)(abs(x - 10) + abs(y - 10));
    uint8_t *rgba = shaded(w);
    ck_assert_int_gt(rgba[4 * (7 * 21 + 7)], rgba[4 * (13 * 21 + 13)] + 10);
    free(rgba);
    world_free(w);
}
END_TEST

START_TEST(walls_are_grey_whatever_the_dye_is)
{
    world *w = world_make(16, 16);
    world_wall(w, 4, 4, 12, 12);
    for (int32_t i = 0; i < 16 * 16; i++)
        w->dye[0][i] = 1.0f;
    uint8_t *rgba = shaded(w);
    for (int32_t y = 4; y < 12; y++)
        for (int32_t x = 4; x < 12; x++) {
            const uint8_t *pixel = rgba + 4 * (y * 16 + x);
            ck_assert_int_eq(pixel[0], pixel[1]);
            ck_assert_int_eq(pixel[1], pixel[2]);
            ck_assert_int_gt(pixel[0], 20);
        }
    ck_assert_int_gt(rgba[4 * (4 * 16 + 4)], rgba[4 * (11 * 16 + 11)]); /* its lit and its dark corner */
    free(rgba);
    world_free(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/shade");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, even_dye_has_its_colour_everywhere);
    tcase_add_test(cases, light_comes_from_the_upper_left);
    tcase_add_test(cases, walls_are_grey_whatever_the_dye_is);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
