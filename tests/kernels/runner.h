/* runner.h - runs host twins without a runtime, and a small world for them to run in. */
#ifndef WEIR_TESTS_KERNELS_RUNNER_H
#define WEIR_TESTS_KERNELS_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/fluid_kernels.h"

/* Another place for kernels to run and for worlds to live in than this process: device_test.c's. NULL: host twins, calloc. */
typedef struct {
    void *(*allocate)(size_t bytes); /* zeros */
    void (*release)(void *memory);
    void (*run)(const weir_kernel *kernel, weir_shape shape, void *const *args);
} runner_place;
extern const runner_place *runner_elsewhere;

void *runner_zeros(size_t count, size_t bytes);
void runner_release(void *memory);

/* Runs a whole grid in runs of `runner_blocks` blocks, last run first; 0: in one run. */
extern uint64_t runner_blocks;
void runner_run(const weir_kernel *kernel, weir_shape shape, void *const *args);

#define RUN(kernel, shape, ...) runner_run(kernel, shape, (void *[]){__VA_ARGS__})

/* A closed box with walls and all fields of the fluid, zero at birth. */
typedef struct {
    fluid_size size;
    fluid_motion motion;
    fluid_source *sources; /* motion.sources of them, the test's own */
    uint8_t *solid, *clearance, *open[2];
    float *u, *v, *next_u, *next_v, *vorticity, *from_x, *from_y, *dye[3], *next_dye;
    float *pressure[2], *pressure_next[2], *divergence[2];
    fluid_sums *sums;          /* a list */
    fluid_means *means;
    float *residuals, *residual; /* a list, and its greatest */
    uint32_t *too_much;
} world;

world *world_make(int32_t nx, int32_t ny);
void world_walls(world *w); /* to be called when `solid` has changed */
void world_free(world *w);

bool world_open_left(const world *w, int32_t x, int32_t y);
bool world_open_up(const world *w, int32_t x, int32_t y);
void world_close(world *w); /* no flow through closed sides */

void world_advect_velocity(world *w);
void world_advect_dye(world *w, int channels); /* by the present velocity */
void world_push(world *w);
void world_pour(world *w, const float *picture, int channels);
void world_divergence(world *w);
void world_relax(world *w, int sweeps, float omega);
void world_jacobi(world *w, int sweeps, float omega);
void world_centre(world *w); /* takes the means off divergence and pressure */
void world_judge(world *w, float tolerance); /* `residual`, `too_much` */
/* Sweeps, as many at a time, until no residual is above the tolerance, or `most` times. Returns how many times. */
uint32_t world_solve(world *w, float tolerance, int sweeps, uint32_t most, float omega);
void world_project(world *w);

/* Root mean square, and greatest, of div(u, v) over the cells that are no walls; of divergence - laplace(pressure). In double. */
double world_rms_divergence(const world *w);
double world_rms_residual(const world *w);
double world_max_divergence(const world *w);
double world_max_residual(const world *w);

void world_wall(world *w, int32_t x0, int32_t y0, int32_t x1, int32_t y1); /* fills a box, as far as it is inside */
void world_random_flow(world *w, float strength, uint64_t seed); /* through walls, too */

float random_float(uint64_t *state, float low, float high);

#endif
