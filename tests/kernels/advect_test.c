/* advect_test.c - what advect.c promises. */
#include "kernels/runner.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

START_TEST(constant_dye_stays_constant_in_any_flow_and_beside_walls)
{
    world *w = world_make(48, 40);
    world_wall(w, 10, 10, 20, 11);
    world_wall(w, 30, 5, 33, 30);
    for (int32_t i = 0; i < 48 * 40; i++)
        w->dye[0][i] = w->solid[i] ? 0.0f : 0.37f;
    for (uint64_t frame = 0; frame < 50; frame++) {
        world_random_flow(w, 5.0f, frame + 1);
        world_advect_dye(w, 1);
    }
    for (int32_t i = 0; i < 48 * 40; i++)
        ck_assert_float_le(fabsf(w->dye[0][i] - (w->solid[i] ? 0.0f : 0.37f)), 1e-6f);
    world_free(w);
}
END_TEST

START_TEST(constant_velocity_stays_constant_away_from_walls)
{
    world *w = world_make(64, 64);
    for (int32_t i = 0; i < 64 * 64; i++) {
        w->u[i] = 1.3f;
        w->v[i] = -0.7f;
    }
    world_close(w);
    for (int frame = 0; frame < 10; frame++)
        world_advect_velocity(w);
    for (int32_t y = 1; y < 64 - 12; y++) /* a frame reads at most two cells to the left and one below */
        for (int32_t x = 22; x < 63; x++) {
            ck_assert_float_le(fabsf(w->u[y * 64 + x] - 1.3f), 1e-6f);
            ck_assert_float_le(fabsf(w->v[y * 64 + x] + 0.7f), 1e-6f);
        }
    world_free(w);
}
END_TEST

/* A round blob at (x, y); then its centre of mass. */
static void add_blob(world *w, float x, float y)
{
    for (int32_t j = 0; j < w->size.ny; j++)
        for (int32_t i = 0; i < w->size.nx; i++) {
            float dx = (float)i + 0.5f - x, dy = (float)j + 0.5f - y;
            w->dye[0][j * w->size.nx + i] = fmaxf(0.0f, 1.0f - (dx * dx + dy * dy) / 49.0f);
        }
}

static void centre_of_mass(const world *w, double *x, double *y)
{
    double mass = 0.0, sum_x = 0.0, sum_y = 0.0;
    for (int32_t j = 0; j < w->size.ny; j++)
        for (int32_t i = 0; i < w->size.nx; i++) {
            double here = (double)w->dye[0][j * w->size.nx + i];
            mass += here;
            sum_x += here * (i + 0.5);
            sum_y += here * (j + 0.5);
        }
    *x = sum_x / mass;
    *y = sum_y / mass;
}

START_TEST(after_one_turn_a_blob_is_back_within_half_a_cell)
{
    enum { N = 96, STEPS = 150 };
    world *w = world_make(N, N);
    w->motion.step = 6.2831853f / STEPS;
    for (int32_t y = 0; y < N; y++)
        for (int32_t x = 0; x < N; x++) {
            w->u[y * N + x] = -((float)y + 0.5f - 0.5f * N);
            w->v[y * N + x] = (float)x + 0.5f - 0.5f * N;
        }
    add_blob(w, 48.0f + 24.0f, 48.0f);
    double x, y;
    for (int frame = 0; frame < STEPS / 2; frame++)
        world_advect_dye(w, 1);
    centre_of_mass(w, &x, &y); /* half way: it did go round */
    ck_assert_double_le(hypot(x - 24.0, y - 48.0), 0.5);
    for (int frame = STEPS / 2; frame < STEPS; frame++)
        world_advect_dye(w, 1);
    centre_of_mass(w, &x, &y);
    ck_assert_msg(hypot(x - 72.0, y - 48.0) <= 0.5, "%g, %g", x, y);
    world_free(w);
}
END_TEST

START_TEST(velocity_is_carried_along)
{
    world *w = world_make(64, 32); /* a rightward wind of 2 carries a downward gust */
    for (int32_t i = 0; i < 64 * 32; i++)
        w->u[i] = 2.0f;
    world_close(w);
    w->v[16 * 64 + 20] = 0.01f;
    world_advect_velocity(w);
    ck_assert_float_le(fabsf(w->v[16 * 64 + 22] - 0.01f), 1e-4f);
    ck_assert_float_le(fabsf(w->v[16 * 64 + 20]), 1e-4f);
    world_free(w);
}
END_TEST

/* Dye on the left, a wall, and a storm that does not care for walls: not a trace on the right. */
static void no_dye_passes(world *w)
{
    int32_t nx = w->size.nx, ny = w->size.ny;
    int8_t *side = calloc((size_t)(nx * ny), 1); /* which room, by flooding from the upper left through open sides */
    ck_assert_ptr_nonnull(side);
    side[0] = 1;
    for (int32_t round = 0; round < nx * ny; round++)
        for (int32_t y = 0; y < ny; y++)
            for (int32_t x = 0; x < nx; x++) {
                if (world_open_left(w, x, y) && (side[y * nx + x] | side[y * nx + x - 1]))
                    side[y * nx + x] = side[y * nx + x - 1] = 1;
                if (world_open_up(w, x, y) && (side[y * nx + x] | side[(y - 1) * nx + x]))
                    side[y * nx + x] = side[(y - 1) * nx + x] = 1;
            }
    ck_assert_int_eq(side[nx * ny - 1], 0);
    for (int32_t i = 0; i < nx * ny; i++)
        w->dye[0][i] = side[i] ? 1.0f : 0.0f;
    for (uint64_t frame = 0; frame < 60; frame++) {
        world_random_flow(w, 9.0f, frame + 1);
        world_advect_dye(w, 1);
        for (int32_t i = 0; i < nx * ny; i++)
            ck_assert_msg(w->dye[0][i] == (side[i] ? 1.0f : 0.0f), "frame %d, cell %d, %d", (int)frame, (int)(i % nx), (int)(i / nx));
    }
    free(side);
}

START_TEST(no_dye_passes_a_wall_of_one_cell)
{
    world *w = world_make(40, 32);
    world_wall(w, 20, 0, 21, 32);
    no_dye_passes(w);
    world_free(w);
}
END_TEST

START_TEST(no_dye_passes_between_cells_that_touch_at_corners)
{
    world *w = world_make(32, 32);
    for (int32_t i = 0; i < 32; i++)
        w->solid[i * 32 + 31 - i] = 1;
    world_walls(w);
    no_dye_passes(w);
    world_free(w);
}
END_TEST

START_TEST(closed_sides_get_no_velocity)
{
    world *w = world_make(20, 20);
    world_wall(w, 8, 8, 12, 12);
    world_random_flow(w, 3.0f, 4);
    world_advect_velocity(w);
    for (int32_t y = 0; y < 20; y++)
        for (int32_t x = 0; x < 20; x++) {
            ck_assert(world_open_left(w, x, y) || w->u[y * 20 + x] == 0.0f);
            ck_assert(world_open_up(w, x, y) || w->v[y * 20 + x] == 0.0f);
        }
    world_free(w);
}
END_TEST

START_TEST(dye_stays_within_0_and_1_even_in_absurd_flow)
{
    world *w = world_make(24, 24);
    uint64_t seed = 8;
    for (int32_t i = 0; i < 24 * 24; i++)
        w->dye[0][i] = random_float(&seed, 0.0f, 1.0f);
    world_random_flow(w, 1e30f, 2);
    w->u[100] = INFINITY;
    w->v[200] = NAN;
    world_advect_dye(w, 1);
    for (int32_t i = 0; i < 24 * 24; i++)
        ck_assert(w->dye[0][i] >= 0.0f && w->dye[0][i] <= 1.0f);
    world_free(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/advect");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, constant_dye_stays_constant_in_any_flow_and_beside_walls);
    tcase_add_test(cases, constant_velocity_stays_constant_away_from_walls);
    tcase_add_test(cases, after_one_turn_a_blob_is_back_within_half_a_cell);
    tcase_add_test(cases, velocity_is_carried_along);
    tcase_add_test(cases, no_dye_passes_a_wall_of_one_cell);
    tcase_add_test(cases, no_dye_passes_between_cells_that_touch_at_corners);
    tcase_add_test(cases, closed_sides_get_no_velocity);
    tcase_add_test(cases, dye_stays_within_0_and_1_even_in_absurd_flow);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
