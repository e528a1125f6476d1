/* poisson.c - a library's calls inside the graph: the pressure's equation in a box without borders, solved by Fourier transforms.
 *
 *     upload -> forward transform -> divide -> inverse transform -> download
 *                                                      \-> residual -> judge
 *
 * The transforms are native tasks (fft.h): cuFFT on a GPU, in a replay as a part of the frame's CUDA graph, FFTW on the host. Dividing
 * the spectrum and looking at what is left are kernels (kernels/periodic.h, kernels/residual.c).
 *
 * Each frame has an equation whose solution is known. It is made of multiples of 2^-16, so that its divergence is exact in floats,
 * and has no waves left out: each cell is a random number of its own. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fft.h"
#include "fluid_kernels.h"
#include "options.h"
#include "periodic.h"
#include "weir/weir.h"

enum { SIDE_MAX = 4096, PARTS = 65536 };

static const char program[] = "poisson";

typedef struct {
    option_size size;
    uint64_t frames, seed;
} settings;

typedef struct {
    fluid_size size;
    weir_graph *graph;
    weir_buffer *divergence_in, *divergence, *spectrum, *waves_x, *waves_y, *pressure, *pressure_out, *list, *residual, *too_much;
    fft_transform there, back;
    weir_runtime *runtime;
    weir_plan *plan;
    weir_exec *exec;
    int32_t *known;     /* the solution of this frame's equation, but for its mean, in parts */
    double mean;        /* of it */
} work;

/* The worst of all frames. */
typedef struct {
    double error;
    float residual;
} figures;

static int read_options(int argc, char **argv, settings *s)
{
    static const char *const backends[] = {"auto", "host", "cuda", NULL};
    static const char *const modes[] = {"default", "eager", "replay", "capture", "auto", NULL};
    const option table[] = {
        {"--size", "WxH", "cells of the box (512x512)", OPTION_SIZE, &s->size, 1, SIDE_MAX, NULL, NULL},
        {"--frames", "N", "how many equations to solve, one a frame (20)", OPTION_NUMBER, &s->frames, 1, 100000, NULL, NULL},
        {"--seed", "N", "of their solutions (1)", OPTION_NUMBER, &s->seed, 0, UINT64_MAX, NULL, NULL},
        {"--lanes", "N", "at most so many tasks at once (the backend's own number)", OPTION_NUMBER, NULL, 1, 1024, NULL, "WEIR_LANES"},
        {"--workers", "N", "host threads (as many as there are processors)", OPTION_NUMBER, NULL, 1, 1024, NULL, "WEIR_WORKERS"},
        {"--backend", "NAME", "auto, host or cuda (auto)", OPTION_CHOICE, NULL, 0, 0, backends, "WEIR_BACKEND"},
        {"--mode", "NAME", "on CUDA: default, a replay; eager, replay, capture, or auto, the fastest replay (default)", OPTION_CHOICE, NULL, 0, 0, modes, "WEIR_MODE"},
    };
    const options all = {program, "poisson: solves the pressure's equation in a periodic box by cuFFT or FFTW, and checks the solution", table,
        sizeof table / sizeof table[0]};
    return options_read(&all, argc, argv);
}

static bool good(weir_status status)
{
    if (status == WEIR_OK)
        return true;
    fprintf(stderr, "%s: %s\n", program, weir_last_error());
    return false;
}

/* What a library said goes with what weir makes of it. */
static bool library_good(const work *w, bool is)
{
    const fft_transform *const both[2] = {&w->there, &w->back};
    for (int i = 0; i < 2 && !is; i++)
        if (both[i]->trouble[0])
            fprintf(stderr, "%s: %s\n", program, both[i]->trouble);
    return is;
}

static bool make(const char *name, size_t element_bytes, int32_t nx, int32_t ny, weir_place place, weir_buffer **out)
{
    weir_buffer_desc desc = {.name = name, .element_bytes = element_bytes, .nx = (uint32_t)nx, .ny = (uint32_t)ny, .place = place};
    return good(weir_buffer_create(&desc, out));
}

static bool make_buffers(work *w)
{
    const int32_t nx = w->size.nx, ny = w->size.ny, modes = periodic_modes(w->size);
    return make("divergence in", sizeof(float), nx, ny, WEIR_HOST_IN, &w->divergence_in) &&
        make("divergence", sizeof(float), nx, ny, WEIR_DEVICE, &w->divergence) &&
        make("spectrum", sizeof(periodic_mode), modes, ny, WEIR_DEVICE, &w->spectrum) &&
        make("waves along x", sizeof(float), modes, 1, WEIR_DEVICE, &w->waves_x) &&
        make("waves along y", sizeof(float), ny, 1, WEIR_DEVICE, &w->waves_y) &&
        make("pressure", sizeof(float), nx, ny, WEIR_DEVICE, &w->pressure) &&
        make("pressure out", sizeof(float), nx, ny, WEIR_HOST_OUT, &w->pressure_out) &&
        make("residuals", sizeof(float), fluid_blocks(periodic_shape(w->size)), 1, WEIR_DEVICE, &w->list) &&
        make("residual", sizeof(float), 1, 1, WEIR_HOST_OUT, &w->residual) &&
        make("too much", sizeof(uint32_t), 1, 1, WEIR_HOST_OUT, &w->too_much);
}

/* Rounding leaves errors of the size of the last bits of what is added up there, about 8. */
static const float RESIDUAL_MOST = 1e-4f;

static void add_tasks(work *w)
{
    const fluid_size size = w->size;
    const int32_t entries = fluid_blocks(periodic_shape(size));
    weir_add_copy(w->graph, "upload", WEIR_WRITE(w->divergence), WEIR_READ(w->divergence_in));
    weir_add_native(w->graph, &fft_forward, &w->there, WEIR_ARGS(WEIR_WRITE(w->spectrum), WEIR_READ(w->divergence)));
    weir_add_kernel(w->graph, &periodic_divide, periodic_modes_shape(size),
        WEIR_ARGS(WEIR_READ_WRITE(w->spectrum), WEIR_READ(w->waves_x), WEIR_READ(w->waves_y), WEIR_VALUE(size)));
    weir_add_native(w->graph, &fft_inverse, &w->back, WEIR_ARGS(WEIR_WRITE(w->pressure), WEIR_READ_WRITE(w->spectrum)));
    weir_add_copy(w->graph, "download", WEIR_WRITE(w->pressure_out), WEIR_READ(w->pressure));
    weir_add_kernel(w->graph, &periodic_residual, periodic_shape(size),
        WEIR_ARGS(WEIR_WRITE(w->list), WEIR_READ(w->pressure), WEIR_READ(w->divergence), WEIR_VALUE(size)));
    weir_add_kernel(w->graph, &fluid_judge, fluid_fold_shape(),
        WEIR_ARGS(WEIR_WRITE(w->residual), WEIR_WRITE(w->too_much), WEIR_READ(w->list), WEIR_VALUE(entries), WEIR_VALUE(RESIDUAL_MOST)));
}

/* The waves' numbers never change, so they are written once, before the first frame. */
static bool write_waves(const work *w)
{
    const int32_t modes = periodic_modes(w->size), most = modes > w->size.ny ? modes : w->size.ny;
    float *waves = calloc((size_t)most, sizeof *waves);
    if (!waves)
        return fprintf(stderr, "%s: no memory for %d waves\n", program, (int)most), false;
    periodic_waves(w->size.nx, modes, waves);
    bool done = good(weir_buffer_write(w->runtime, w->waves_x, waves, 0, (size_t)modes * sizeof *waves));
    periodic_waves(w->size.ny, w->size.ny, waves);
    done = done && good(weir_buffer_write(w->runtime, w->waves_y, waves, 0, (size_t)w->size.ny * sizeof *waves));
    free(waves);
    return done;
}

static bool has_library(const work *w)
{
    const char *backend = weir_runtime_backend(w->runtime), *other = strcmp(backend, "cuda") == 0 ? "host" : "cuda";
    if (fft_runs_on(backend))
        return true;
    fprintf(stderr, "%s: built without %s, which does the transforms on %s: install %s and build again", program, fft_library(backend), backend,
        strcmp(backend, "cuda") == 0 ? "the CUDA toolkit with cuFFT" : "libfftw3-dev");
    if (fft_runs_on(other))
        fprintf(stderr, "; or try --backend %s, with %s", other, fft_library(other));
    fprintf(stderr, "\n");
    return false;
}

static bool prepare(work *w)
{
    if (!good(weir_runtime_create(NULL, &w->runtime)) || !has_library(w) || !library_good(w, fft_init(&w->there, w->size, false)) ||
        !library_good(w, fft_init(&w->back, w->size, true)))
        return false;
    w->known = calloc((size_t)w->size.nx * (size_t)w->size.ny, sizeof *w->known);
    if (!w->known)
        return fprintf(stderr, "%s: no memory for %d x %d cells\n", program, (int)w->size.nx, (int)w->size.ny), false;
    if (!make_buffers(w) || !good(weir_graph_create("poisson", 0, &w->graph)))
        return false;
    add_tasks(w);
    return good(weir_plan_create(w->graph, &(weir_plan_options){.lanes = weir_runtime_lanes(w->runtime)}, &w->plan)) &&
        library_good(w, good(weir_exec_create(w->runtime, w->plan, NULL, &w->exec))) && write_waves(w);
}

/* Steele, Lea and Flood's SplitMix64 (2014). */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Pressures from -1 to 1, and the divergence that they solve. */
static void make_equation(work *w, uint64_t seed, float *divergence)
{
    const int32_t nx = w->size.nx, ny = w->size.ny;
    const int32_t *p = w->known;
    int64_t sum = 0;
    for (int32_t i = 0; i < nx * ny; i++) {
        w->known[i] = (int32_t)(next_number(&seed) >> 47) - PARTS; /* 17 bits */
        sum += p[i];
    }
    w->mean = (double)sum / nx / ny / PARTS;
    for (int32_t y = 0; y < ny; y++) {
        const int32_t *row = p + y * nx, *up = p + (y + ny - 1) % ny * nx, *down = p + (y + 1) % ny * nx;
        for (int32_t x = 0; x < nx; x++)
            divergence[y * nx + x] = (float)(row[(x + nx - 1) % nx] + row[(x + 1) % nx] + up[x] + down[x] - 4 * row[x]) / PARTS;
    }
}

static double error_of(const work *w, const float *pressure)
{
    double greatest = 0.0;
    for (int32_t i = 0; i < w->size.nx * w->size.ny; i++) {
        double error = fabs((double)pressure[i] - ((double)w->known[i] / PARTS - w->mean));
        greatest = error <= greatest ? greatest : error; /* a NaN stays */
    }
    return greatest;
}

/* The last bits of a divergence of about 8 are noise, alike in all waves; and of noise in a wave n cells long the equation makes n * n / 40
 * times as much pressure. Sixteen times that: it is a mean, and the transforms add theirs. */
static double error_allowed(fluid_size size)
{
    const double noise = 8.0 * 6e-8, longest = size.nx > size.ny ? size.nx : size.ny;
    return 16.0 * noise * (1.0 + longest * longest / 40.0 / sqrt((double)size.nx * size.ny));
}

static bool check(const work *w, uint64_t n, double error, float residual)
{
    if (error <= error_allowed(w->size) && residual <= RESIDUAL_MOST)
        return true;
    fprintf(stderr, "%s: frame %" PRIu64 ": the pressure is off by %g, the residual is %g: not a solution\n", program, n, error, (double)residual);
    return false;
}

static bool run_frames(work *w, const settings *s, figures *worst)
{
    uint64_t seed = s->seed;
    for (uint64_t n = 0; n < s->frames; n++) {
        weir_frame *frame = NULL;
        weir_ticket ticket;
        if (!good(weir_exec_begin(w->exec, -1, &frame)))
            return false;
        make_equation(w, next_number(&seed), weir_frame_data(frame, w->divergence_in));
        if (!library_good(w, good(weir_frame_submit(frame, &ticket)) && good(weir_exec_wait(w->exec, ticket, -1))))
            return false;
        double error = error_of(w, weir_exec_data(w->exec, ticket, w->pressure_out));
        float residual = *(const float *)weir_exec_data(w->exec, ticket, w->residual);
        if (!check(w, n, error, residual))
            return false;
        worst->error = fmax(worst->error, error);
        worst->residual = fmaxf(worst->residual, residual);
    }
    return true;
}

static void report(const work *w, const settings *s, const figures *worst)
{
    const char *backend = weir_runtime_backend(w->runtime);
    weir_stats stats;
    weir_exec_stats(w->exec, &stats);
    printf("%" PRIu64 " equation%s of %d x %d on %s, %s, by %s: %.3f ms a frame (median)\n", s->frames, s->frames == 1 ? "" : "s", (int)w->size.nx,
        (int)w->size.ny, backend, stats.mode, fft_library(backend), stats.frame_ns / 1e6);
    printf("pressures of -1 to 1 are off by %.2g at most (%.2g allowed); residual %.2g at most\n", worst->error, error_allowed(w->size),
        (double)worst->residual);
}

/* Transforms end after their exec: it releases what they hold. */
static void finish(work *w)
{
    weir_exec_destroy(w->exec);
    weir_plan_destroy(w->plan);
    weir_runtime_destroy(w->runtime);
    weir_graph_destroy(w->graph);
    weir_buffer *all[] = {w->divergence_in, w->divergence, w->spectrum, w->waves_x, w->waves_y, w->pressure, w->pressure_out, w->list,
        w->residual, w->too_much};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        weir_buffer_destroy(all[i]);
    fft_finish(&w->there);
    fft_finish(&w->back);
    free(w->known);
}

int main(int argc, char **argv)
{
    settings s = {.size = {512, 512}, .frames = 20, .seed = 1};
    int ended = read_options(argc, argv, &s);
    if (ended >= 0)
        return ended;
    work w = {.size = {(int32_t)s.size.width, (int32_t)s.size.height}};
    figures worst = {0};
    bool done = prepare(&w) && run_frames(&w, &s, &worst);
    if (done)
        report(&w, &s, &worst);
    finish(&w);
    return done ? EXIT_GOOD : EXIT_BAD_INPUT;
}
