/* shade_test.c - what shade.c promises. */
#include "kernels/runner.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

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

START_TEST(paint_is_what_the_shading_shows_as_the_picture)
{
    enum { NX = 40, NY = 11 };
    for (uint64_t blocks = 0; blocks < 4; blocks++) { /* 0: all at once */
        runner_blocks = blocks;
        world *w = world_make(NX, NY);
        for (int value = 0; value < 256; value++) {
            uint8_t drawing[4 * NX * NY], *from = drawing;
            for (int i = 0; i < NX * NY; i++)
                memcpy(drawing + 4 * i, (const uint8_t[4]){(uint8_t)value, (uint8_t)(255 - value), 255, 255}, 4);
            drawing[3] = 0;
            RUN(&fluid_paint, fluid_shape(w->size), &w->dye[0], &w->dye[1], &w->dye[2], &from, &w->size);
            ck_assert_float_eq(w->dye[2][0], 0.0f); /* transparent */
            ck_assert_float_eq(w->dye[2][1], 1.0f);
            uint8_t *rgba = shaded(w);
            ck_assert_int_eq(memcmp(rgba + 4 * (5 * NX + 20), drawing + 4 * (5 * NX + 20), 4), 0);
            ck_assert_int_eq(memcmp(rgba + 4 * (NX * NY - 1), drawing + 4 * (NX * NY - 1), 4), 0);
            free(rgba);
        }
        world_free(w);
    }
    runner_blocks = 0;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/shade");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, even_dye_has_its_colour_everywhere);
    tcase_add_test(cases, light_comes_from_the_upper_left);
    tcase_add_test(cases, walls_are_grey_whatever_the_dye_is);
    tcase_add_test(cases, paint_is_what_the_shading_shows_as_the_picture);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
