/* device_test.c - device functions compute the same bits as their host twins. Needs a GPU; skipped without one. */
#include "kernels/periodic.h"
#include "kernels/runner.h"
#include "kernels/vector_add.h"
#include <check.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that both sides see, and a launch that is over when it returns: one step after the other, as on the host. */
static void *allocate(size_t bytes)
{
    void *memory = NULL;
    ck_assert_int_eq(cudaMallocManaged(&memory, bytes ? bytes : 1, cudaMemAttachGlobal), cudaSuccess);
    memset(memory, 0, bytes);
    return memory;
}

static void release(void *memory)
{
    ck_assert_int_eq(cudaFree(memory), cudaSuccess);
}

static void launch(const weir_kernel *kernel, weir_shape shape, void *const *args)
{
    void *list[16];
    ck_assert_uint_le(kernel->arg_count, 16);
    memcpy(list, args, kernel->arg_count * sizeof *list);
    const void *code = kernel->resolve();
    ck_assert_msg(code != NULL, "no device code for '%s'", kernel->name);
    dim3 grid = {shape.grid[0], shape.grid[1], shape.grid[2]}, block = {shape.block[0], shape.block[1], shape.block[2]};
    cudaError_t error = cudaLaunchKernel(code, grid, block, list, 0, NULL);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    ck_assert_msg(error == cudaSuccess, "'%s': %s", kernel->name, cudaGetErrorString(error));
}

static const runner_place device = {allocate, release, launch};

typedef struct {
    world *world;
    float *picture;
    uint8_t *rgba, *drawing;
    float *painted[3];
    uint32_t rounds[3]; /* of each frame's solve */
} run;

/* A few frames of everything, from random fields with walls. */
static run run_frames(const runner_place *place, int32_t nx, int32_t ny, float flow)
{
    runner_elsewhere = place;
    size_t cells = (size_t)(nx * ny);
    run r = {.world = world_make(nx, ny), .picture = runner_zeros(cells, sizeof(float)), .rgba = runner_zeros(cells, 4)};
    world *w = r.world;
    uint64_t seed = 5;
    w->motion = (fluid_motion){1.0f, 0.15f, 0.05f, 0.995f, 0.02f, 0.2f, 2};
    w->sources = runner_zeros(2, sizeof *w->sources);
    for (int s = 0; s < 2; s++)
        w->sources[s] = (fluid_source){(float)nx * (0.3f + 0.3f * (float)s), (float)ny * 0.45f, 6.3f, 1.5f - (float)s, -0.7f,
            {0.9f, 0.2f, 0.6f}};
    world_wall(w, nx / 2, ny / 3, nx / 2 + 4, ny / 3 + 5);
    for (size_t i = 0; i < cells; i++) {
        r.picture[i] = random_float(&seed, 0.0f, 1.0f);
        for (int c = 0; c < 3; c++)
            w->dye[c][i] = w->solid[i] ? 0.0f : random_float(&seed, 0.0f, 1.0f);
    }
    world_random_flow(w, flow, 6);
    for (int n = 0; n < 3; n++) {
        world_advect_dye(w, 3);
        world_advect_velocity(w);
        world_pour(w, r.picture, 3);
        world_push(w);
        world_divergence(w);
        world_relax(w, 15, 1.8f);
        world_jacobi(w, 2, 0.9f);
        r.rounds[n] = world_solve(w, 0.05f, 3, 20, 1.7f);
        world_project(w);
    }
    RUN(&fluid_shade, fluid_shape(w->size), &r.rgba, &w->dye[0], &w->dye[1], &w->dye[2], &w->solid, &w->size);
    r.drawing = runner_zeros(cells, 4);
    for (size_t i = 0; i < 4 * cells; i++)
        r.drawing[i] = (uint8_t)random_float(&seed, 0.0f, 255.9f);
    for (int c = 0; c < 3; c++)
        r.painted[c] = runner_zeros(cells, sizeof(float));
    RUN(&fluid_paint, fluid_shape(w->size), &r.painted[0], &r.painted[1], &r.painted[2], &r.drawing, &w->size);
    return r;
}

static void end(run *r, const runner_place *place)
{
    runner_elsewhere = place;
    runner_release(r->world->sources);
    world_free(r->world);
    runner_release(r->picture);
    runner_release(r->rgba);
    runner_release(r->drawing);
    for (int c = 0; c < 3; c++)
        runner_release(r->painted[c]);
    runner_elsewhere = NULL;
}

static void same_floats(const float *host, const float *there, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(memcmp(&host[i], &there[i], sizeof *host) == 0, "%s[%d]: host %.9g, device %.9g", what, (int)i, (double)host[i],
            (double)there[i]);
}

START_TEST(device_and_host_compute_the_same_bits)
{
    const int32_t sizes[][2] = {{200, 130}, {131, 67}, {64, 8}, {3, 5}};
    const float flows[] = {0.5f, 3.0f, 20.0f};
    for (int s = 0; s < 4; s++)
        for (int f = 0; f < 3; f++) {
            int32_t nx = sizes[s][0], ny = sizes[s][1];
            size_t cells = (size_t)(nx * ny), half = (size_t)((nx + 1) / 2 * ny);
            run host = run_frames(NULL, nx, ny, flows[f]), there = run_frames(&device, nx, ny, flows[f]);
            const world *a = host.world, *b = there.world;
            ck_assert_int_eq(memcmp(a->clearance, b->clearance, cells), 0);
            for (int c = 0; c < 2; c++) {
                ck_assert_int_eq(memcmp(a->open[c], b->open[c], half), 0);
                same_floats(a->divergence[c], b->divergence[c], half, "divergence");
                same_floats(a->pressure[c], b->pressure[c], half, "pressure");
            }
            ck_assert_int_eq(memcmp(host.rounds, there.rounds, sizeof host.rounds), 0);
            same_floats(a->residuals, b->residuals, (size_t)fluid_blocks(fluid_half_shape(a->size)), "residuals");
            same_floats(a->residual, b->residual, 1, "residual");
            ck_assert_int_eq(memcmp(a->sums, b->sums, (size_t)fluid_blocks(fluid_half_shape(a->size)) * sizeof *a->sums), 0);
            ck_assert_int_eq(memcmp(a->means, b->means, sizeof *a->means), 0);
            same_floats(a->vorticity, b->vorticity, cells, "vorticity");
            same_floats(a->u, b->u, cells, "u");
            same_floats(a->v, b->v, cells, "v");
            for (int c = 0; c < 3; c++)
                same_floats(a->dye[c], b->dye[c], cells, "dye");
            for (int c = 0; c < 3; c++)
                same_floats(host.painted[c], there.painted[c], cells, "painted");
            ck_assert_int_eq(memcmp(host.rgba, there.rgba, 4 * cells), 0);
            end(&host, NULL);
            end(&there, &device);
        }
}
END_TEST

/* A spectrum divided, and the residuals of a pressure, on `place`. */
static void run_periodic(const runner_place *place, fluid_size size, periodic_mode **spectrum, float **list)
{
    runner_elsewhere = place;
    size_t cells = (size_t)(size.nx * size.ny), modes = (size_t)periodic_modes(size);
    float *pressure = runner_zeros(cells, sizeof(float)), *divergence = runner_zeros(cells, sizeof(float));
    float *along_x = runner_zeros(modes, sizeof(float)), *along_y = runner_zeros((size_t)size.ny, sizeof(float));
    uint64_t seed = 4;
    *spectrum = runner_zeros(modes * (size_t)size.ny, sizeof **spectrum);
    *list = runner_zeros((size_t)fluid_blocks(periodic_shape(size)), sizeof **list);
    for (size_t i = 0; i < cells; i++) {
        pressure[i] = random_float(&seed, -1.0f, 1.0f);
        divergence[i] = random_float(&seed, -1.0f, 1.0f);
    }
    for (size_t m = 0; m < modes * (size_t)size.ny; m++)
        (*spectrum)[m] = (periodic_mode){random_float(&seed, -9.0f, 9.0f), random_float(&seed, -9.0f, 9.0f)};
    periodic_waves(size.nx, (int32_t)modes, along_x);
    periodic_waves(size.ny, size.ny, along_y);
    RUN(&periodic_divide, periodic_modes_shape(size), spectrum, &along_x, &along_y, &size);
    RUN(&periodic_residual, periodic_shape(size), list, &pressure, &divergence, &size);
    runner_release(pressure);
    runner_release(divergence);
    runner_release(along_x);
    runner_release(along_y);
}

START_TEST(so_they_do_without_borders)
{
    const fluid_size sizes[] = {{200, 130}, {131, 67}, {64, 8}, {3, 5}, {1, 1}};
    for (int s = 0; s < 5; s++) {
        periodic_mode *on_host, *there;
        float *list_on_host, *list_there;
        size_t modes = (size_t)(periodic_modes(sizes[s]) * sizes[s].ny);
        run_periodic(NULL, sizes[s], &on_host, &list_on_host);
        run_periodic(&device, sizes[s], &there, &list_there);
        same_floats(&on_host->re, &there->re, 2 * modes, "spectrum");
        same_floats(list_on_host, list_there, (size_t)fluid_blocks(periodic_shape(sizes[s])), "residuals");
        runner_release(there);
        runner_release(list_there);
        runner_elsewhere = NULL;
        runner_release(on_host);
        runner_release(list_on_host);
    }
}
END_TEST

START_TEST(vectors_add_on_the_device)
{
    enum { N = 3000 };
    float *a = allocate(N * sizeof *a), *b = allocate(N * sizeof *b), *sum = allocate(N * sizeof *sum);
    for (int i = 0; i < N; i++) {
        a[i] = 0.1f * (float)i;
        b[i] = 1.0f / (float)(i + 1);
    }
    uint64_t first = 700, count = 1301;
    launch(&vector_add, vector_add_shape(count), (void *[]){&sum, &a, &b, &first, &count});
    for (int i = 0; i < N; i++)
        ck_assert_float_eq(sum[i], i >= 700 && i < 2001 ? a[i] + b[i] : 0.0f);
    release(a);
    release(b);
    release(sum);
}
END_TEST

int main(void)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        printf("skipped: no CUDA device: %s\n", cudaGetErrorString(error));
        return 77;
    }
    Suite *suite = suite_create("kernels/device");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, device_and_host_compute_the_same_bits);
    tcase_add_test(cases, so_they_do_without_borders);
    tcase_add_test(cases, vectors_add_on_the_device);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
