/* force_test.c - what force.c promises. */
#include "kernels/runner.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(vorticity_of_a_turning_field_is_twice_its_rate)
{
    world *w = world_make(16, 12);
    for (int32_t y = 0; y < 12; y++)
        for (int32_t x = 0; x < 16; x++) {
            w->u[y * 16 + x] = -0.25f * ((float)y + 0.5f);
            w->v[y * 16 + x] = 0.25f * ((float)x + 0.5f);
        }
    RUN(&fluid_vorticity, fluid_shape(w->size), &w->vorticity, &w->u, &w->v, &w->size);
    for (int32_t y = 0; y < 12; y++)
        for (int32_t x = 0; x < 16; x++)
            ck_assert_float_eq(w->vorticity[y * 16 + x], x > 0 && y > 0 ? 0.5f : 0.0f);
    world_free(w);
}
END_TEST

/* An eddy that falls off from (24, 24) outwards. */
static world *eddy(void)
{
    world *w = world_make(48, 48);
    for (int32_t y = 0; y < 48; y++)
        for (int32_t x = 0; x < 48; x++) {
            float ux = (float)x - 24.0f, uy = (float)y - 23.5f, vx = (float)x - 23.5f, vy = (float)y - 24.0f;
            w->u[y * 48 + x] = -uy / (1.0f + 0.05f * (ux * ux + uy * uy));
            w->v[y * 48 + x] = vx / (1.0f + 0.05f * (vx * vx + vy * vy));
        }
    world_close(w);
    return w;
}

static double energy(const world *w)
{
    double sum = 0.0;
    for (int32_t i = 0; i < w->size.nx * w->size.ny; i++)
        sum += (double)w->u[i] * (double)w->u[i] + (double)w->v[i] * (double)w->v[i];
    return sum;
}

START_TEST(confinement_spins_an_eddy_either_way_round)
{
    for (int turn = 0; turn < 2; turn++) {
        world *w = eddy();
        for (int32_t i = 0; i < 48 * 48 && turn; i++) {
            w->u[i] = -w->u[i];
            w->v[i] = -w->v[i];
        }
        w->motion.confinement = 0.1f;
        double before = energy(w);
        world_push(w);
        ck_assert_double_gt(energy(w), 1.01 * before);
        world_free(w);
    }
}
END_TEST

START_TEST(without_forces_nothing_changes)
{
    world *w = eddy();
    world *same = eddy();
    world_push(w);
    ck_assert_int_eq(memcmp(w->u, same->u, 48 * 48 * sizeof(float)), 0);
    for (int32_t i = 0; i < 48 * 48; i++)
        ck_assert_float_eq(w->v[i], same->v[i]);
    world_free(w);
    world_free(same);
}
END_TEST

START_TEST(bright_dye_rises)
{
    world *w = world_make(20, 20);
    w->motion.lift = 0.5f;
    w->dye[0][10 * 20 + 10] = w->dye[1][10 * 20 + 10] = w->dye[2][10 * 20 + 10] = 1.0f;
    world_push(w);
    ck_assert_float_le(fabsf(w->v[10 * 20 + 10] + 0.25f), 1e-6f); /* half of it at either side of the cell */
    ck_assert_float_le(fabsf(w->v[11 * 20 + 10] + 0.25f), 1e-6f);
    ck_assert_float_eq(w->v[5 * 20 + 10], 0.0f);
    world_free(w);
}
END_TEST

START_TEST(a_source_pushes_within_its_radius_only)
{
    world *w = world_make(40, 30);
    fluid_source source = {.x = 20.0f, .y = 15.5f, .radius = 6.0f, .push_x = 2.0f, .push_y = -1.0f};
    w->sources = &source;
    w->motion.sources = 1;
    world_push(w);
    ck_assert_float_eq(w->u[15 * 40 + 20], 2.0f);
    for (int32_t y = 0; y < 30; y++)
        for (int32_t x = 0; x < 40; x++) {
            bool near_u = hypot(x - 20.0, y + 0.5 - 15.5) < 6.0, near_v = hypot(x + 0.5 - 20.0, y - 15.5) < 6.0;
            ck_assert(near_u ? w->u[y * 40 + x] > 0.0f : w->u[y * 40 + x] == 0.0f);
            ck_assert(near_v ? w->v[y * 40 + x] < 0.0f : w->v[y * 40 + x] == 0.0f);
        }
    world_free(w);
}
END_TEST

START_TEST(a_source_colours_what_is_around_it)
{
    world *w = world_make(32, 32);
    float *black = calloc(32 * 32, sizeof *black);
    ck_assert_ptr_nonnull(black);
    fluid_source source = {.x = 16.5f, .y = 16.5f, .radius = 5.0f, .colour = {1.0f, 0.5f, 0.0f}};
    w->sources = &source;
    w->motion.sources = 1;
    w->motion.pour = 0.2f;
    for (int frame = 0; frame < 100; frame++)
        world_pour(w, black, 3);
    for (int c = 0; c < 3; c++) {
        ck_assert_float_le(fabsf(w->dye[c][16 * 32 + 16] - source.colour[c]), 1e-5f);
        ck_assert_float_eq(w->dye[c][16 * 32 + 26], 0.0f);
    }
    free(black);
    world_free(w);
}
END_TEST

START_TEST(the_picture_draws_the_dye_towards_itself_and_not_into_walls)
{
    world *w = world_make(20, 20);
    world_wall(w, 5, 5, 8, 8);
    float *picture = calloc(20 * 20, sizeof *picture);
    ck_assert_ptr_nonnull(picture);
    for (int32_t i = 0; i < 20 * 20; i++)
        picture[i] = (float)i / 400.0f;
    w->motion.feed = 0.25f;
    world_pour(w, picture, 1);
    ck_assert_float_eq(w->dye[0][200], 0.25f * picture[200]);
    for (int frame = 0; frame < 100; frame++)
        world_pour(w, picture, 1);
    for (int32_t i = 0; i < 20 * 20; i++)
        ck_assert_float_le(fabsf(w->dye[0][i] - (w->solid[i] ? 0.0f : picture[i])), 1e-6f);
    free(picture);
    world_free(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/force");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, vorticity_of_a_turning_field_is_twice_its_rate);
    tcase_add_test(cases, confinement_spins_an_eddy_either_way_round);
    tcase_add_test(cases, without_forces_nothing_changes);
    tcase_add_test(cases, bright_dye_rises);
    tcase_add_test(cases, a_source_pushes_within_its_radius_only);
    tcase_add_test(cases, a_source_colours_what_is_around_it);
    tcase_add_test(cases, the_picture_draws_the_dye_towards_itself_and_not_into_walls);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
