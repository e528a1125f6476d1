/* whole_test.c - what all kernels of a frame promise together, and that no host twin cares how its grid is cut into runs. */
#include "kernels/runner.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static fluid_source sources[2];

static world *busy_world(int32_t nx, int32_t ny)
{
    world *w = world_make(nx, ny);
    float fx = (float)nx, fy = (float)ny;
    sources[0] = (fluid_source){fx * 0.2f, fy * 0.6f, fy * 0.15f, 1.5f, -1.0f, {1.0f, 0.3f, 0.1f}};
    sources[1] = (fluid_source){fx * 0.3f, fy * 0.3f, fy * 0.12f, 0.7f, 1.8f, {0.1f, 0.4f, 1.0f}};
    w->sources = sources;
    w->motion = (fluid_motion){1.0f, 0.15f, 0.02f, 0.998f, 0.01f, 0.2f, 2};
    return w;
}

static void frame(world *w, const float *picture)
{
    world_advect_dye(w, 3);
    world_advect_velocity(w);
    world_pour(w, picture, 3);
    world_push(w);
    world_divergence(w);
    world_relax(w, 15, 1.8f);
    world_project(w);
}

START_TEST(nothing_flows_through_the_mask)
{
    enum { NX = 60, NY = 36, WALL = 38 };
    world *w = busy_world(NX, NY);
    world_wall(w, WALL, 0, WALL + 1, NY);
    float *black = calloc(NX * NY, sizeof *black);
    ck_assert_ptr_nonnull(black);
    for (int n = 0; n < 120; n++)
        frame(w, black);
    float left = 0.0f;
    for (int32_t y = 0; y < NY; y++)
        for (int32_t x = 0; x < NX; x++) {
            int32_t i = y * NX + x;
            left += w->dye[0][i] + w->u[i] * w->u[i];
            if (x >= WALL) { /* air and dye behind the wall never learn of what happens before it */
                ck_assert(w->u[i] == 0.0f && w->v[i] == 0.0f);
                ck_assert(w->dye[0][i] == 0.0f && w->dye[1][i] == 0.0f && w->dye[2][i] == 0.0f);
            }
        }
    ck_assert_float_gt(left, 100.0f); /* something did happen */
    free(black);
    world_free(w);
}
END_TEST

START_TEST(dye_stays_within_0_and_1)
{
    enum { NX = 50, NY = 41 };
    world *w = busy_world(NX, NY);
    world_wall(w, 20, 20, 26, 24);
    float *picture = calloc(NX * NY, sizeof *picture);
    ck_assert_ptr_nonnull(picture);
    uint64_t seed = 3;
    for (int32_t i = 0; i < NX * NY; i++)
        picture[i] = random_float(&seed, 0.0f, 1.0f) < 0.5f ? 0.0f : 1.0f;
    for (int n = 0; n < 100; n++) {
        frame(w, picture);
        for (int c = 0; c < 3; c++)
            for (int32_t i = 0; i < NX * NY; i++)
                ck_assert(w->dye[c][i] >= 0.0f && w->dye[c][i] <= 1.0f);
    }
    free(picture);
    world_free(w);
}
END_TEST

/* All that a world computes in three frames, and its picture. */
static void run_cut(int32_t nx, int32_t ny, uint64_t blocks, world **out, uint8_t **rgba)
{
    runner_blocks = blocks;
    world *w = busy_world(nx, ny);
    world_wall(w, nx / 2, ny / 3, nx / 2 + 4, ny / 3 + 5);
    float *picture = calloc((size_t)(nx * ny), sizeof *picture);
    *rgba = calloc((size_t)(nx * ny), 4);
    ck_assert(picture && *rgba);
    uint64_t seed = 5;
    for (int32_t i = 0; i < nx * ny; i++) {
        picture[i] = random_float(&seed, 0.0f, 1.0f);
        w->dye[0][i] = w->solid[i] ? 0.0f : picture[i];
    }
    world_random_flow(w, 2.0f, 6);
    for (int n = 0; n < 3; n++)
        frame(w, picture);
    world_jacobi(w, 2, 0.9f);
    world_divergence(w);
    world_solve(w, 0.05f, 3, 7, 1.7f);
    RUN(&fluid_shade, fluid_shape(w->size), rgba, &w->dye[0], &w->dye[1], &w->dye[2], &w->solid, &w->size);
    free(picture);
    *out = w;
    runner_blocks = 0;
}

static void same_bytes(const void *a, const void *b, size_t bytes, const char *what, uint64_t blocks)
{
    ck_assert_msg(memcmp(a, b, bytes) == 0, "%s differs in runs of %d", what, (int)blocks);
}

START_TEST(host_twins_give_the_same_bytes_however_the_grid_is_cut)
{
    const int32_t sizes[][2] = {{200, 30}, {131, 17}, {64, 8}, {65, 9}, {3, 5}, {1, 6}, {6, 1}};
    const uint64_t cuts[] = {1, 2, 3, 7, 16};
    for (int s = 0; s < 7; s++) {
        int32_t nx = sizes[s][0], ny = sizes[s][1];
        world *whole, *cut;
        uint8_t *whole_rgba, *cut_rgba;
        run_cut(nx, ny, 0, &whole, &whole_rgba);
        for (int c = 0; c < 5; c++) {
            run_cut(nx, ny, cuts[c], &cut, &cut_rgba);
            size_t cells = (size_t)(nx * ny), half = (size_t)(fluid_half(whole->size) * ny);
            same_bytes(whole->u, cut->u, cells * sizeof(float), "u", cuts[c]);
            same_bytes(whole->v, cut->v, cells * sizeof(float), "v", cuts[c]);
            same_bytes(whole->vorticity, cut->vorticity, cells * sizeof(float), "vorticity", cuts[c]);
            same_bytes(whole->clearance, cut->clearance, cells, "clearance", cuts[c]);
            same_bytes(whole_rgba, cut_rgba, cells * 4, "picture", cuts[c]);
            for (int channel = 0; channel < 3; channel++)
                same_bytes(whole->dye[channel], cut->dye[channel], cells * sizeof(float), "dye", cuts[c]);
            size_t entries = (size_t)fluid_blocks(fluid_half_shape(whole->size));
            same_bytes(whole->sums, cut->sums, entries * sizeof *whole->sums, "sums", cuts[c]);
            same_bytes(whole->means, cut->means, sizeof *whole->means, "means", cuts[c]);
            same_bytes(whole->residuals, cut->residuals, entries * sizeof(float), "residuals", cuts[c]);
            same_bytes(whole->residual, cut->residual, sizeof(float), "residual", cuts[c]);
            for (int colour = 0; colour < 2; colour++) {
                same_bytes(whole->pressure[colour], cut->pressure[colour], half * sizeof(float), "pressure", cuts[c]);
                same_bytes(whole->divergence[colour], cut->divergence[colour], half * sizeof(float), "divergence", cuts[c]);
                same_bytes(whole->open[colour], cut->open[colour], half, "openings", cuts[c]);
            }
            world_free(cut);
            free(cut_rgba);
        }
        world_free(whole);
        free(whole_rgba);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/whole");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, nothing_flows_through_the_mask);
    tcase_add_test(cases, dye_stays_within_0_and_1);
    tcase_add_test(cases, host_twins_give_the_same_bytes_however_the_grid_is_cut);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
