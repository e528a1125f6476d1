/* pressure_test.c - what pressure.c promises. */
#include "kernels/runner.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>

static world *random_flow(int32_t nx, int32_t ny, uint64_t seed)
{
    world *w = world_make(nx, ny);
    world_random_flow(w, 1.0f, seed);
    world_close(w);
    return w;
}

/* Relaxes until the residual is `relative` times what it was for no pressure; false: `most` sweeps were not enough. */
static bool solve(world *w, double relative, float omega, int most)
{
    world_divergence(w);
    double goal = relative * world_rms_divergence(w);
    for (int sweep = 0; sweep < most; sweep += 20) {
        world_relax(w, 20, omega);
        if (world_rms_residual(w) <= goal)
            return true;
    }
    return false;
}

/* The cut of the RMS divergence by one projection after a solve to 1e-6. */
static double cut_by_projection(world *w, float omega, int most)
{
    double before = world_rms_divergence(w);
    ck_assert_msg(solve(w, 1e-6, omega, most), "no relative residual of 1e-6, but %g", world_rms_residual(w) / before);
    world_project(w);
    return before / world_rms_divergence(w);
}

START_TEST(a_projection_cuts_random_divergence_by_1e5)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        world *w = random_flow(64, 64, seed);
        double cut = cut_by_projection(w, 1.9f, 2000);
        ck_assert_msg(cut >= 1e5, "seed %d: %g", (int)seed, cut);
        world_free(w);
    }
}
END_TEST

START_TEST(so_it_does_on_odd_grids_with_walls)
{
    world *w = random_flow(53, 37, 7);
    world_wall(w, 10, 5, 20, 15);
    world_wall(w, 30, 0, 31, 37); /* two rooms */
    world_wall(w, 40, 20, 43, 21);
    world_wall(w, 51, 35, 52, 37); /* a corner cell with one open side */
    world_close(w);
    ck_assert_double_ge(cut_by_projection(w, 1.8f, 4000), 1e5);
    world_free(w);
}
END_TEST

START_TEST(plain_gauss_seidel_gets_there_too)
{
    world *w = random_flow(32, 32, 3);
    ck_assert_double_ge(cut_by_projection(w, 1.0f, 10000), 1e5);
    world_free(w);
}
END_TEST

START_TEST(jacobi_and_red_black_agree)
{
    world *a = random_flow(24, 17, 11), *b = random_flow(24, 17, 11);
    world_wall(a, 6, 6, 10, 9);
    world_wall(b, 6, 6, 10, 9);
    world_close(a);
    world_close(b);
    ck_assert(solve(a, 1e-6, 1.7f, 4000));
    world_divergence(b);
    double goal = 2e-6 * world_rms_divergence(b);
    world_jacobi(b, 12000, 0.9f);
    ck_assert_double_le(world_rms_residual(b), goal);
    world_project(a);
    world_project(b);
    /* the same velocity, but for what two residuals of about 1e-6 leave of the smoothest mode: 1 / its eigenvalue, < 100 */
    for (int32_t i = 0; i < 24 * 17; i++) {
        ck_assert_float_le(fabsf(a->u[i] - b->u[i]), 2e-5f);
        ck_assert_float_le(fabsf(a->v[i] - b->v[i]), 2e-5f);
    }
    world_free(a);
    world_free(b);
}
END_TEST

START_TEST(damping_kills_the_chessboard_that_plain_jacobi_keeps)
{
    world *damped = world_make(16, 16), *plain = world_make(16, 16);
    for (int32_t i = 0; i < 8 * 16; i++) {
        damped->pressure[FLUID_RED][i] = plain->pressure[FLUID_RED][i] = 1.0f;
        damped->pressure[FLUID_BLACK][i] = plain->pressure[FLUID_BLACK][i] = -1.0f;
    }
    double start = world_rms_residual(plain);
    world_jacobi(damped, 100, 0.9f);
    world_jacobi(plain, 100, 1.0f);
    ck_assert_double_ge(world_rms_residual(plain), 0.99 * start);
    ck_assert_double_le(world_rms_residual(damped), 1e-6 * start);
    world_free(damped);
    world_free(plain);
}
END_TEST

START_TEST(closed_sides_carry_no_flow_after_a_projection)
{
    world *w = random_flow(31, 22, 5);
    world_wall(w, 8, 8, 13, 15);
    world_wall(w, 20, 0, 21, 22);
    world_random_flow(w, 1.0f, 9); /* through everything, the walls too */
    world_divergence(w);
    world_relax(w, 10, 1.5f);
    world_project(w);
    for (int32_t y = 0; y < 22; y++)
        for (int32_t x = 0; x < 31; x++) {
            if (!world_open_left(w, x, y))
                ck_assert_float_eq(w->u[y * 31 + x], 0.0f);
            if (!world_open_up(w, x, y))
                ck_assert_float_eq(w->v[y * 31 + x], 0.0f);
        }
    world_free(w);
}
END_TEST

START_TEST(flow_without_divergence_is_left_alone)
{
    world *w = world_make(20, 20);
    for (int32_t y = 5; y < 15; y++) { /* a square eddy: around through the sides of four corner cells */
        w->u[5 * 20 + y] = y > 5 ? 1.0f : 0.0f;
        w->u[14 * 20 + y] = y > 5 ? -1.0f : 0.0f;
        w->v[y * 20 + 5] = y > 5 ? -1.0f : 0.0f;
        w->v[y * 20 + 14] = y > 5 ? 1.0f : 0.0f;
    }
    ck_assert_double_eq(world_rms_divergence(w), 0.0);
    world_divergence(w);
    world_relax(w, 50, 1.8f);
    world_project(w);
    ck_assert_float_eq(w->u[5 * 20 + 8], 1.0f);
    ck_assert_float_eq(w->v[9 * 20 + 14], 1.0f);
    ck_assert_float_eq(w->u[10 * 20 + 10], 0.0f);
    world_free(w);
}
END_TEST

START_TEST(a_cell_walled_in_has_no_pressure)
{
    world *w = random_flow(9, 9, 2);
    world_wall(w, 3, 3, 6, 6);
    w->solid[4 * 9 + 4] = 0;
    world_walls(w);
    w->pressure[FLUID_RED][4 * 5 + 2] = 5.0f;
    world_divergence(w);
    world_relax(w, 60, 1.0f);
    ck_assert_float_eq(w->pressure[FLUID_RED][4 * 5 + 2], 0.0f);
    ck_assert(isfinite(world_rms_residual(w)));
    world_free(w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/pressure");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, a_projection_cuts_random_divergence_by_1e5);
    tcase_add_test(cases, so_it_does_on_odd_grids_with_walls);
    tcase_add_test(cases, plain_gauss_seidel_gets_there_too);
    tcase_add_test(cases, jacobi_and_red_black_agree);
    tcase_add_test(cases, damping_kills_the_chessboard_that_plain_jacobi_keeps);
    tcase_add_test(cases, closed_sides_carry_no_flow_after_a_projection);
    tcase_add_test(cases, flow_without_divergence_is_left_alone);
    tcase_add_test(cases, a_cell_walled_in_has_no_pressure);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
