/* residual_test.c - what residual.c promises: a solve that stops at a residual. */
#include "kernels/runner.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static world *random_flow(int32_t nx, int32_t ny, uint64_t seed)
{
    world *w = world_make(nx, ny);
    world_random_flow(w, 1.0f, seed);
    world_close(w);
    return w;
}

static void add_walls(world *w)
{
    int32_t nx = w->size.nx, ny = w->size.ny;
    world_wall(w, nx / 5, ny / 8, nx / 3, ny / 3);
    world_wall(w, nx / 2, 0, nx / 2 + 1, ny); /* two rooms */
    world_wall(w, nx - 4, ny - 4, nx - 1, ny - 1);
    w->solid[(ny - 3) * nx + nx - 3] = 0; /* a cell walled in */
    world_walls(w);
    world_close(w);
}

static float *pressure_at(world *w, int32_t x, int32_t y)
{
    return &w->pressure[(x + y) & 1][y * fluid_half(w->size) + x / 2];
}

static float *divergence_at(world *w, int32_t x, int32_t y)
{
    return &w->divergence[(x + y) & 1][y * fluid_half(w->size) + x / 2];
}

static bool has_open_side(const world *w, int32_t x, int32_t y)
{
    return world_open_left(w, x, y) || world_open_left(w, x + 1, y) || world_open_up(w, x, y) || world_open_up(w, x, y + 1);
}

/* The mean over cells with an open side, in double, cell by cell. */
static double mean_of(world *w, float *(*at)(world *, int32_t, int32_t))
{
    double sum = 0.0;
    long cells = 0;
    for (int32_t y = 0; y < w->size.ny; y++)
        for (int32_t x = 0; x < w->size.nx; x++)
            if (has_open_side(w, x, y)) {
                sum += (double)*at(w, x, y);
                cells++;
            }
    return cells ? sum / (double)cells : 0.0;
}

static const int32_t sizes[][2] = {{64, 64}, {200, 37}, {53, 131}, {129, 5}, {16, 17}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

START_TEST(the_residual_is_the_greatest_of_all_cells)
{
    for (int s = 0; s < SIZES; s++)
        for (int walls = 0; walls < 2; walls++) {
            world *w = random_flow(sizes[s][0], sizes[s][1], (uint64_t)(s + 1));
            if (walls)
                add_walls(w);
            world_divergence(w);
            for (int sweeps = 0; sweeps < 3; sweeps++) {
                world_judge(w, 0.0f);
                double truth = world_max_residual(w);
                ck_assert_double_eq_tol((double)*w->residual, truth, 2e-6 * (truth + 1.0)); /* values of about 1, rounded a few times */
                world_relax(w, 5, 1.5f);
            }
            world_free(w);
        }
}
END_TEST

/* One cell alone is off: each in turn, those at corners, borders and the blocks' edges with them. */
START_TEST(no_cell_is_left_out)
{
    enum { NX = 131, NY = 9 };
    world *w = world_make(NX, NY);
    for (int32_t y = 0; y < NY; y++)
        for (int32_t x = 0; x < NX; x++) {
            *divergence_at(w, x, y) = -0.75f;
            world_judge(w, 0.5f);
            ck_assert_msg(*w->residual == 0.75f && *w->too_much == 1, "cell %d, %d: %g", (int)x, (int)y, (double)*w->residual);
            *divergence_at(w, x, y) = 0.0f;
        }
    world_judge(w, 0.5f);
    ck_assert(*w->residual == 0.0f && *w->too_much == 0);
    world_free(w);
}
END_TEST

START_TEST(too_much_is_what_is_above_the_tolerance)
{
    world *w = world_make(20, 10);
    *divergence_at(w, 7, 3) = 0.25f;
    world_judge(w, nextafterf(0.25f, 0.0f));
    ck_assert_uint_eq(*w->too_much, 1);
    world_judge(w, 0.25f);
    ck_assert_uint_eq(*w->too_much, 0);
    *divergence_at(w, 7, 3) = INFINITY;
    world_judge(w, 1e30f);
    ck_assert_uint_eq(*w->too_much, 1);
    world_free(w);
}
END_TEST

/* Wherever it stands, and whatever comes after it. */
START_TEST(a_nan_is_never_lost_and_ends_the_loop)
{
    for (int32_t x = 0; x < 140; x += 3) {
        world *w = world_make(140, 11);
        world_random_flow(w, 1.0f, 5);
        world_divergence(w);
        *divergence_at(w, x, x % 11) = NAN;
        world_judge(w, 0.0f);
        ck_assert(isnan(*w->residual));
        ck_assert_uint_eq(*w->too_much, 0);
        world_free(w);
    }
}
END_TEST

START_TEST(means_are_taken_off_where_a_side_is_open)
{
    for (int s = 0; s < SIZES; s++) {
        world *w = random_flow(sizes[s][0], sizes[s][1], (uint64_t)(s + 7));
        add_walls(w);
        uint64_t seed = 3;
        for (int32_t y = 0; y < w->size.ny; y++)
            for (int32_t x = 0; x < w->size.nx; x++) {
                *divergence_at(w, x, y) = random_float(&seed, 0.0f, 1.0f);
                *pressure_at(w, x, y) = random_float(&seed, 2.0f, 5.0f);
            }
        double divergence = mean_of(w, divergence_at), pressure = mean_of(w, pressure_at);
        float walled_in = *pressure_at(w, w->size.nx - 3, w->size.ny - 3);
        float before = *pressure_at(w, 0, 0);
        world_centre(w);
        ck_assert_float_eq(w->means->divergence, (float)divergence); /* two sums in double differ by far less than a float can tell */
        ck_assert_float_eq(w->means->pressure, (float)pressure);
        ck_assert_double_le(fabs(mean_of(w, divergence_at)), 1e-7);
        ck_assert_double_le(fabs(mean_of(w, pressure_at)), 4e-7);
        ck_assert_float_eq(*pressure_at(w, 0, 0), before - w->means->pressure);
        ck_assert_float_eq(*pressure_at(w, w->size.nx - 3, w->size.ny - 3), walled_in);
        world_free(w);
    }
}
END_TEST

START_TEST(a_box_without_an_open_side_has_no_means)
{
    world *w = world_make(3, 3);
    world_wall(w, 0, 0, 3, 3);
    w->solid[4] = 0;
    world_walls(w);
    world_centre(w);
    ck_assert(w->means->divergence == 0.0f && w->means->pressure == 0.0f);
    ck_assert_uint_eq(world_solve(w, 1e-6f, 2, 10, 1.0f), 0);
    world_free(w);
}
END_TEST

START_TEST(a_solve_ends_below_its_tolerance_and_so_does_the_projection)
{
    for (int s = 0; s < SIZES; s++)
        for (int walls = 0; walls < 2; walls++) {
            world *w = random_flow(sizes[s][0], sizes[s][1], (uint64_t)(s + 20));
            if (walls)
                add_walls(w);
            world_divergence(w);
            const float tolerance = 1e-3f;
            uint32_t rounds = world_solve(w, tolerance, 10, 1000, 1.9f);
            ck_assert_uint_gt(rounds, 0);
            ck_assert_uint_lt(rounds, 1000);
            ck_assert_float_le(*w->residual, tolerance);
            ck_assert_double_le(world_max_residual(w), (double)tolerance + 2e-5); /* p of at most some tens, in float */
            world_project(w);
            ck_assert_double_le(world_max_divergence(w), (double)tolerance + 2e-5);
            world_free(w);
        }
}
END_TEST

START_TEST(the_most_rounds_are_the_most)
{
    world *w = random_flow(64, 64, 4);
    world_divergence(w);
    ck_assert_uint_eq(world_solve(w, 1e-12f, 2, 13, 1.5f), 13);
    ck_assert_uint_eq(*w->too_much, 1);
    world_free(w);
}
END_TEST

/* A flow that drives divergence into nothing at all: the box cannot hold it, so without the mean no pressure is a solution. */
START_TEST(without_its_mean_a_divergence_has_a_solution)
{
    enum { N = 32 };
    world *kept = world_make(N, N), *centred = world_make(N, N);
    for (int32_t y = 0; y < N; y++)
        for (int32_t x = 0; x < N; x++)
            *divergence_at(kept, x, y) = *divergence_at(centred, x, y) =
                (float)cos(PI * (x + 0.5) / N) * 0.01f + 0.002f;
    world_relax(kept, 3000, 1.8f);
    world_judge(kept, 0.0f);
    ck_assert_float_gt(*kept->residual, 1e-3f);
    float first = *pressure_at(kept, 5, 5);
    world_relax(kept, 300, 1.8f);
    ck_assert_float_gt(fabsf(*pressure_at(kept, 5, 5) - first), 0.1f); /* and it runs away */
    ck_assert_uint_lt(world_solve(centred, 1e-5f, 10, 300, 1.8f), 300);
    ck_assert_float_le(*centred->residual, 1e-5f);
    world_free(kept);
    world_free(centred);
}
END_TEST

/* p = cos(pi x) cos(2 pi y) on the unit square has no slope at its borders. What the grid makes of its Laplacian differs from p by
 * the second order of the width of a cell. */
static double error_on(int32_t n)
{
    world *w = world_make(n, n);
    double h = 1.0 / n, greatest = 0.0;
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < n; x++)
            *divergence_at(w, x, y) = (float)(-5.0 * PI * PI * h * h * cos(PI * (x + 0.5) * h) * cos(2.0 * PI * (y + 0.5) * h));
    uint32_t rounds = world_solve(w, 1e-6f, 10, 1000, 1.85f);
    ck_assert_uint_lt(rounds, 1000);
    world_centre(w); /* of the solution, too: that of the cosines is 0 */
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < n; x++)
            greatest = fmax(greatest, fabs((double)*pressure_at(w, x, y) - cos(PI * (x + 0.5) * h) * cos(2.0 * PI * (y + 0.5) * h)));
    world_free(w);
    return greatest;
}

START_TEST(a_known_pressure_is_met_to_second_order)
{
    double coarse = error_on(8), middle = error_on(16), fine = error_on(32);
    ck_assert_msg(coarse < 0.05, "%g", coarse);
    ck_assert_msg(coarse / middle > 3.4 && coarse / middle < 4.6, "8 to 16: %g / %g", coarse, middle);
    ck_assert_msg(middle / fine > 3.4 && middle / fine < 4.6, "16 to 32: %g / %g", middle, fine);
}
END_TEST

/* ---- the same solve in plain C: one array, no halves, no blocks ---- */

enum { PLAIN_NX = 45, PLAIN_NY = 28 };

/* Neighbours' sum over open sides, each less `minus`; how many there are. */
static float plain_sum(const world *w, const float *p, int32_t x, int32_t y, float minus, int *sides)
{
    const float *here = p + y * PLAIN_NX + x;
    bool left = world_open_left(w, x, y), right = world_open_left(w, x + 1, y), up = world_open_up(w, x, y), down = world_open_up(w, x, y + 1);
    float across = (left ? here[-1] - minus : 0.0f) + (right ? here[1] - minus : 0.0f);
    float along = (up ? here[-PLAIN_NX] - minus : 0.0f) + (down ? here[PLAIN_NX] - minus : 0.0f);
    *sides = left + right + up + down;
    return across + along;
}

static uint32_t plain_solve(const world *w, float *p, const float *divergence, float tolerance, int sweeps, float omega)
{
    for (uint32_t rounds = 0;; rounds++) {
        float greatest = 0.0f;
        int sides;
        for (int32_t y = 0; y < PLAIN_NY; y++)
            for (int32_t x = 0; x < PLAIN_NX; x++) {
                int32_t i = y * PLAIN_NX + x;
                float residual = fabsf(plain_sum(w, p, x, y, p[i], &sides) - divergence[i]);
                greatest = residual > greatest ? residual : greatest;
            }
        if (!(greatest > tolerance))
            return rounds;
        for (int half = 0; half < 2 * sweeps; half++)
            for (int32_t y = 0; y < PLAIN_NY; y++)
                for (int32_t x = 0; x < PLAIN_NX; x++)
                    if (((x + y) & 1) == (half & 1)) {
                        int32_t i = y * PLAIN_NX + x;
                        float sum = plain_sum(w, p, x, y, 0.0f, &sides);
                        p[i] = p[i] + omega * ((sum - divergence[i]) / (float)(sides ? sides : 1) - p[i]);
                    }
    }
}

START_TEST(rounds_and_pressure_are_those_of_a_plain_loop)
{
    static float p[PLAIN_NX * PLAIN_NY], divergence[PLAIN_NX * PLAIN_NY];
    const float tolerances[] = {1e-1f, 1e-2f, 1e-3f};
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int t = 0; t < 3; t++) {
            world *w = random_flow(PLAIN_NX, PLAIN_NY, seed);
            add_walls(w);
            world_divergence(w);
            world_centre(w);
            for (int32_t y = 0; y < PLAIN_NY; y++)
                for (int32_t x = 0; x < PLAIN_NX; x++) {
                    p[y * PLAIN_NX + x] = 0.0f;
                    divergence[y * PLAIN_NX + x] = *divergence_at(w, x, y);
                }
            uint32_t wanted = plain_solve(w, p, divergence, tolerances[t], 4, 1.8f);
            world_divergence(w);
            uint32_t rounds = world_solve(w, tolerances[t], 4, 100000, 1.8f);
            ck_assert_uint_eq(rounds, wanted);
            ck_assert_uint_gt(rounds, 1);
            for (int32_t y = 0; y < PLAIN_NY; y++)
                for (int32_t x = 0; x < PLAIN_NX; x++)
                    ck_assert_float_eq(*pressure_at(w, x, y), p[y * PLAIN_NX + x]);
            world_free(w);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/residual");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, the_residual_is_the_greatest_of_all_cells);
    tcase_add_test(cases, no_cell_is_left_out);
    tcase_add_test(cases, too_much_is_what_is_above_the_tolerance);
    tcase_add_test(cases, a_nan_is_never_lost_and_ends_the_loop);
    tcase_add_test(cases, means_are_taken_off_where_a_side_is_open);
    tcase_add_test(cases, a_box_without_an_open_side_has_no_means);
    tcase_add_test(cases, a_solve_ends_below_its_tolerance_and_so_does_the_projection);
    tcase_add_test(cases, the_most_rounds_are_the_most);
    tcase_add_test(cases, without_its_mean_a_divergence_has_a_solution);
    tcase_add_test(cases, a_known_pressure_is_met_to_second_order);
    tcase_add_test(cases, rounds_and_pressure_are_those_of_a_plain_loop);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
