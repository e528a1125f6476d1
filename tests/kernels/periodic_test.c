/* periodic_test.c - what periodic.c promises: a pressure without borders, by its spectrum. */
#include "kernels/periodic.h"
#include "kernels/fluid_kernels.h"
#include "kernels/runner.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const fluid_size sizes[] = {{12, 10}, {9, 7}, {16, 1}, {1, 5}, {2, 3}, {21, 8}, {1, 1}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static int32_t cells_of(fluid_size size)
{
    return size.nx * size.ny;
}

/* Fourier's sum, term by term: nothing of a library's. */
static void transform(fluid_size size, const float *field, periodic_mode *spectrum)
{
    int32_t modes = periodic_modes(size);
    for (int32_t ky = 0; ky < size.ny; ky++)
        for (int32_t kx = 0; kx < modes; kx++) {
            double re = 0.0, im = 0.0;
            for (int32_t y = 0; y < size.ny; y++)
                for (int32_t x = 0; x < size.nx; x++) {
                    double angle = 2.0 * PI * ((double)(kx * x % size.nx) / size.nx + (double)(ky * y % size.ny) / size.ny);
                    re += (double)field[y * size.nx + x] * cos(angle);
                    im -= (double)field[y * size.nx + x] * sin(angle);
                }
            spectrum[ky * modes + kx] = (periodic_mode){(float)re, (float)im};
        }
}

/* And back, where a mode that is not its own mirror image counts twice. */
static void transform_back(fluid_size size, const periodic_mode *spectrum, float *field)
{
    int32_t modes = periodic_modes(size);
    for (int32_t y = 0; y < size.ny; y++)
        for (int32_t x = 0; x < size.nx; x++) {
            double sum = 0.0;
            for (int32_t ky = 0; ky < size.ny; ky++)
                for (int32_t kx = 0; kx < modes; kx++) {
                    double angle = 2.0 * PI * ((double)(kx * x % size.nx) / size.nx + (double)(ky * y % size.ny) / size.ny);
                    periodic_mode mode = spectrum[ky * modes + kx];
                    double times = kx == 0 || 2 * kx == size.nx ? 1.0 : 2.0;
                    sum += times * ((double)mode.re * cos(angle) - (double)mode.im * sin(angle));
                }
            field[y * size.nx + x] = (float)sum;
        }
}

static double second_differences(const float *p, fluid_size size, int32_t x, int32_t y)
{
    const int32_t nx = size.nx, ny = size.ny;
    return (double)p[y * nx + (x + nx - 1) % nx] + (double)p[y * nx + (x + 1) % nx] + (double)p[(y + ny - 1) % ny * nx + x] +
        (double)p[(y + 1) % ny * nx + x] - 4.0 * (double)p[y * nx + x];
}

typedef struct {
    fluid_size size;
    float *known, *divergence, *pressure, *along_x, *along_y, *list;
    periodic_mode *spectrum;
} box;

/* A known pressure of mean 0, and its divergence. */
static box box_make(fluid_size size, uint64_t seed)
{
    size_t cells = (size_t)cells_of(size), modes = (size_t)periodic_modes(size);
    box b = {.size = size, .known = runner_zeros(cells, sizeof(float)), .divergence = runner_zeros(cells, sizeof(float)),
        .pressure = runner_zeros(cells, sizeof(float)), .along_x = runner_zeros(modes, sizeof(float)),
        .along_y = runner_zeros((size_t)size.ny, sizeof(float)),
        .list = runner_zeros((size_t)fluid_blocks(periodic_shape(size)), sizeof(float)),
        .spectrum = runner_zeros(modes * (size_t)size.ny, sizeof(periodic_mode))};
    double mean = 0.0;
    for (size_t i = 0; i < cells; i++) {
        b.known[i] = random_float(&seed, -1.0f, 1.0f);
        mean += (double)b.known[i] / (double)cells;
    }
    for (size_t i = 0; i < cells; i++)
        b.known[i] -= (float)mean;
    for (int32_t y = 0; y < size.ny; y++)
        for (int32_t x = 0; x < size.nx; x++)
            b.divergence[y * size.nx + x] = (float)second_differences(b.known, size, x, y);
    periodic_waves(size.nx, periodic_modes(size), b.along_x);
    periodic_waves(size.ny, size.ny, b.along_y);
    return b;
}

static void box_free(box *b)
{
    void *all[] = {b->known, b->divergence, b->pressure, b->along_x, b->along_y, b->list, b->spectrum};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        runner_release(all[i]);
}

static void solve(box *b)
{
    transform(b->size, b->divergence, b->spectrum);
    RUN(&periodic_divide, periodic_modes_shape(b->size), &b->spectrum, &b->along_x, &b->along_y, &b->size);
    transform_back(b->size, b->spectrum, b->pressure);
}

static float residual_of(box *b)
{
    float residual = 0.0f, tolerance = 0.0f, *at = &residual;
    uint32_t word = 0, *too_much = &word;
    int32_t entries = fluid_blocks(periodic_shape(b->size));
    RUN(&periodic_residual, periodic_shape(b->size), &b->list, &b->pressure, &b->divergence, &b->size);
    RUN(&fluid_judge, fluid_fold_shape(), &at, &too_much, &b->list, &entries, &tolerance);
    ck_assert_uint_eq(word, residual > 0.0f);
    return residual;
}

START_TEST(dividing_the_spectrum_solves_the_equation)
{
    for (int s = 0; s < SIZES; s++) {
        box b = box_make(sizes[s], (uint64_t)(s + 1));
        solve(&b);
        for (int32_t i = 0; i < cells_of(b.size); i++) /* sums of at most 200 terms of about 1, in double; stored as float */
            ck_assert_double_eq_tol((double)b.pressure[i], (double)b.known[i], 1e-5);
        ck_assert_float_le(residual_of(&b), 2e-5f);
        box_free(&b);
    }
}
END_TEST

START_TEST(the_mean_of_the_divergence_is_of_no_account)
{
    box b = box_make((fluid_size){12, 9}, 3);
    for (int32_t i = 0; i < cells_of(b.size); i++)
        b.divergence[i] += 0.5f;
    solve(&b);
    for (int32_t i = 0; i < cells_of(b.size); i++)
        ck_assert_double_eq_tol((double)b.pressure[i], (double)b.known[i], 1e-5);
    ck_assert_float_eq(b.spectrum[0].re, 0.0f);
    ck_assert_float_eq_tol(residual_of(&b), 0.5f, 1e-4f);
    box_free(&b);
}
END_TEST

START_TEST(the_residual_is_the_greatest_of_all_cells)
{
    const fluid_size many[] = {{130, 9}, {64, 4}, {65, 5}, {1, 7}, {3, 1}};
    for (int s = 0; s < 5; s++) {
        box b = box_make(many[s], 7);
        uint64_t seed = 11;
        double greatest = 0.0;
        for (int32_t i = 0; i < cells_of(b.size); i++)
            b.pressure[i] = random_float(&seed, -1.0f, 1.0f);
        for (int32_t y = 0; y < b.size.ny; y++)
            for (int32_t x = 0; x < b.size.nx; x++)
                greatest = fmax(greatest, fabs(second_differences(b.pressure, b.size, x, y) - (double)b.divergence[y * b.size.nx + x]));
        ck_assert_double_eq_tol((double)residual_of(&b), greatest, 1e-5);
        memset(b.pressure, 0, (size_t)cells_of(b.size) * sizeof(float));
        memset(b.divergence, 0, (size_t)cells_of(b.size) * sizeof(float));
        for (int32_t i = 0; i < cells_of(b.size); i++) { /* none is left out */
            b.divergence[i] = -1.25f;
            ck_assert_float_eq(residual_of(&b), 1.25f);
            b.divergence[i] = 0.0f;
        }
        box_free(&b);
    }
}
END_TEST

START_TEST(host_twins_give_the_same_bytes_however_the_grid_is_cut)
{
    const fluid_size many[] = {{200, 30}, {131, 17}, {65, 9}, {1, 6}};
    const uint64_t cuts[] = {1, 2, 3, 7};
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 4; c++) {
            box whole = box_make(many[s], 9), cut = box_make(many[s], 9);
            box *boxes[2] = {&whole, &cut};
            size_t modes = (size_t)(periodic_modes(many[s]) * many[s].ny);
            for (int i = 0; i < 2; i++) {
                box *b = boxes[i];
                runner_blocks = i == 0 ? 0 : cuts[c];
                for (size_t m = 0; m < modes; m++)
                    b->spectrum[m] = (periodic_mode){(float)m, 0.1f * (float)m};
                RUN(&periodic_divide, periodic_modes_shape(b->size), &b->spectrum, &b->along_x, &b->along_y, &b->size);
                RUN(&periodic_residual, periodic_shape(b->size), &b->list, &b->pressure, &b->divergence, &b->size);
            }
            runner_blocks = 0;
            ck_assert_int_eq(memcmp(whole.spectrum, cut.spectrum, modes * sizeof *whole.spectrum), 0);
            ck_assert_int_eq(memcmp(whole.list, cut.list, (size_t)fluid_blocks(periodic_shape(many[s])) * sizeof(float)), 0);
            box_free(&whole);
            box_free(&cut);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/periodic");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, dividing_the_spectrum_solves_the_equation);
    tcase_add_test(cases, the_mean_of_the_divergence_is_of_no_account);
    tcase_add_test(cases, the_residual_is_the_greatest_of_all_cells);
    tcase_add_test(cases, host_twins_give_the_same_bytes_however_the_grid_is_cut);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
