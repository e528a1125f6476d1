/* runner.c - see runner.h. The norms are written anew, from the definition of the grid, and share nothing with the kernels. */
#include "kernels/runner.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t runner_blocks;
const runner_place *runner_elsewhere;

void *runner_zeros(size_t count, size_t bytes)
{
    void *memory = runner_elsewhere ? runner_elsewhere->allocate(count * bytes) : calloc(count, bytes);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

void runner_release(void *memory)
{
    if (runner_elsewhere)
        runner_elsewhere->release(memory);
    else
        free(memory);
}

void runner_run(const weir_kernel *kernel, weir_shape shape, void *const *args)
{
    if (runner_elsewhere) {
        runner_elsewhere->run(kernel, shape, args);
        return;
    }
    uint64_t count = (uint64_t)shape.grid[0] * shape.grid[1] * shape.grid[2];
    uint64_t run = runner_blocks ? runner_blocks : count;
    for (uint64_t end = count; end > 0;) {
        uint64_t first = (end - 1) / run * run;
        weir_blocks blocks = {.grid = {shape.grid[0], shape.grid[1], shape.grid[2]},
            .block = {shape.block[0], shape.block[1], shape.block[2]},
            .first = first,
            .count = end - first};
        kernel->host(&blocks, args);
        end = first;
    }
}

world *world_make(int32_t nx, int32_t ny)
{
    world *w = runner_zeros(1, sizeof *w);
    w->size = (fluid_size){nx, ny};
    w->motion = (fluid_motion){.step = 1.0f, .keep = 1.0f};
    size_t cells = (size_t)(nx * ny), half = (size_t)(fluid_half(w->size) * ny);
    float **fields[] = {&w->u, &w->v, &w->next_u, &w->next_v, &w->vorticity, &w->from_x, &w->from_y, &w->dye[0], &w->dye[1], &w->dye[2],
        &w->next_dye};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        *fields[i] = runner_zeros(cells, sizeof(float));
    for (int c = 0; c < 2; c++) {
        w->pressure[c] = runner_zeros(half, sizeof(float));
        w->pressure_next[c] = runner_zeros(half, sizeof(float));
        w->divergence[c] = runner_zeros(half, sizeof(float));
        w->open[c] = runner_zeros(half, 1);
    }
    w->sums = runner_zeros((size_t)fluid_blocks(fluid_half_shape(w->size)), sizeof *w->sums);
    w->residuals = runner_zeros((size_t)fluid_blocks(fluid_half_shape(w->size)), sizeof *w->residuals);
    w->means = runner_zeros(1, sizeof *w->means);
    w->residual = runner_zeros(1, sizeof *w->residual);
    w->too_much = runner_zeros(1, sizeof *w->too_much);
    w->solid = runner_zeros(cells, 1);
    w->clearance = runner_zeros(cells, 1);
    world_walls(w);
    return w;
}

void world_walls(world *w)
{
    size_t cells = (size_t)(w->size.nx * w->size.ny);
    uint8_t *other = runner_zeros(cells, 1);
    memset(w->clearance, 0, cells);
    for (int round = 0; round < FLUID_CLEARANCE_MAX; round += 2) {
        RUN(&fluid_clearance, fluid_shape(w->size), &other, &w->clearance, &w->solid, &w->size);
        RUN(&fluid_clearance, fluid_shape(w->size), &w->clearance, &other, &w->solid, &w->size);
    }
    runner_release(other);
    RUN(&fluid_openings, fluid_half_shape(w->size), &w->open[0], &w->open[1], &w->solid, &w->size);
}

void world_free(world *w)
{
    void *fields[] = {w->u, w->v, w->next_u, w->next_v, w->vorticity, w->from_x, w->from_y, w->dye[0], w->dye[1], w->dye[2], w->next_dye,
        w->solid, w->clearance, w->sums, w->residuals, w->means, w->residual, w->too_much};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        runner_release(fields[i]);
    for (int c = 0; c < 2; c++) {
        runner_release(w->pressure[c]);
        runner_release(w->pressure_next[c]);
        runner_release(w->divergence[c]);
        runner_release(w->open[c]);
    }
    runner_release(w);
}

static bool wall_at(const world *w, int32_t x, int32_t y)
{
    return x < 0 || y < 0 || x >= w->size.nx || y >= w->size.ny || w->solid[y * w->size.nx + x];
}

bool world_open_left(const world *w, int32_t x, int32_t y)
{
    return !wall_at(w, x, y) && !wall_at(w, x - 1, y);
}

bool world_open_up(const world *w, int32_t x, int32_t y)
{
    return !wall_at(w, x, y) && !wall_at(w, x, y - 1);
}

void world_close(world *w)
{
    for (int32_t y = 0; y < w->size.ny; y++)
        for (int32_t x = 0; x < w->size.nx; x++) {
            if (!world_open_left(w, x, y))
                w->u[y * w->size.nx + x] = 0.0f;
            if (!world_open_up(w, x, y))
                w->v[y * w->size.nx + x] = 0.0f;
        }
}

static void swap(float **a, float **b)
{
    float *kept = *a;
    *a = *b;
    *b = kept;
}

void world_advect_velocity(world *w)
{
    weir_shape shape = fluid_shape(w->size);
    RUN(&fluid_advect_u, shape, &w->next_u, &w->u, &w->v, &w->solid, &w->clearance, &w->size, &w->motion.step);
    RUN(&fluid_advect_v, shape, &w->next_v, &w->u, &w->v, &w->solid, &w->clearance, &w->size, &w->motion.step);
    swap(&w->u, &w->next_u);
    swap(&w->v, &w->next_v);
}

void world_advect_dye(world *w, int channels)
{
    weir_shape shape = fluid_shape(w->size);
    RUN(&fluid_trace, shape, &w->from_x, &w->from_y, &w->u, &w->v, &w->solid, &w->clearance, &w->size, &w->motion.step);
    for (int c = 0; c < channels; c++) {
        RUN(&fluid_advect_dye, shape, &w->next_dye, &w->dye[c], &w->from_x, &w->from_y, &w->solid, &w->clearance, &w->size);
        swap(&w->dye[c], &w->next_dye);
    }
}

void world_push(world *w)
{
    weir_shape shape = fluid_shape(w->size);
    RUN(&fluid_vorticity, shape, &w->vorticity, &w->u, &w->v, &w->size);
    RUN(&fluid_push_u, shape, &w->u, &w->vorticity, &w->solid, &w->sources, &w->size, &w->motion);
    RUN(&fluid_push_v, shape, &w->v, &w->vorticity, &w->dye[0], &w->dye[1], &w->dye[2], &w->solid, &w->sources, &w->size, &w->motion);
}

void world_pour(world *w, const float *picture, int channels)
{
    for (int32_t c = 0; c < channels; c++)
        RUN(&fluid_pour, fluid_shape(w->size), &w->dye[c], &picture, &w->solid, &w->sources, &w->size, &w->motion, &c);
}

void world_divergence(world *w)
{
    RUN(&fluid_divergence, fluid_half_shape(w->size), &w->divergence[0], &w->divergence[1], &w->u, &w->v, &w->open[0], &w->open[1],
        &w->size);
}

void world_relax(world *w, int sweeps, float omega)
{
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int32_t colour = 0; colour < 2; colour++)
            RUN(&fluid_relax, fluid_half_shape(w->size), &w->pressure[colour], &w->pressure[1 - colour], &w->divergence[colour],
                &w->open[colour], &w->size, &colour, &omega);
}

void world_jacobi(world *w, int sweeps, float omega)
{
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int32_t colour = 0; colour < 2; colour++)
            RUN(&fluid_jacobi, fluid_half_shape(w->size), &w->pressure_next[colour], &w->pressure[colour], &w->pressure[1 - colour],
                &w->divergence[colour], &w->open[colour], &w->size, &colour, &omega);
        swap(&w->pressure[0], &w->pressure_next[0]);
        swap(&w->pressure[1], &w->pressure_next[1]);
    }
}

void world_centre(world *w)
{
    weir_shape shape = fluid_half_shape(w->size);
    int32_t entries = fluid_blocks(fluid_half_shape(w->size));
    RUN(&fluid_sum, shape, &w->sums, &w->divergence[0], &w->divergence[1], &w->pressure[0], &w->pressure[1], &w->open[0], &w->open[1],
        &w->size);
    RUN(&fluid_mean, fluid_fold_shape(), &w->means, &w->sums, &entries);
    RUN(&fluid_centre, shape, &w->divergence[0], &w->divergence[1], &w->pressure[0], &w->pressure[1], &w->open[0], &w->open[1],
        &w->means, &w->size);
}

static void find_residual(world *w)
{
    RUN(&fluid_residual, fluid_half_shape(w->size), &w->residuals, &w->pressure[0], &w->pressure[1], &w->divergence[0],
        &w->divergence[1], &w->open[0], &w->open[1], &w->size);
}

void world_judge(world *w, float tolerance)
{
    int32_t entries = fluid_blocks(fluid_half_shape(w->size));
    find_residual(w);
    RUN(&fluid_judge, fluid_fold_shape(), &w->residual, &w->too_much, &w->residuals, &entries, &tolerance);
}

/* In no loop of weir's: what it decides goes nowhere. */
static void judge_round(world *w, float tolerance)
{
    int32_t entries = fluid_blocks(fluid_half_shape(w->size));
    weir_decision decision = {.kind = WEIR_DECISION_NONE};
    find_residual(w);
    RUN(&fluid_judge_round, fluid_fold_shape(), &w->residual, &w->too_much, &w->residuals, &entries, &tolerance, &decision);
}

uint32_t world_solve(world *w, float tolerance, int sweeps, uint32_t most, float omega)
{
    uint32_t rounds = 0;
    world_centre(w);
    world_judge(w, tolerance);
    while (*w->too_much && rounds < most) {
        world_relax(w, sweeps, omega);
        judge_round(w, tolerance);
        rounds++;
    }
    return rounds;
}

void world_project(world *w)
{
    weir_shape shape = fluid_half_shape(w->size);
    RUN(&fluid_project_u, shape, &w->u, &w->pressure[0], &w->pressure[1], &w->solid, &w->size);
    RUN(&fluid_project_v, shape, &w->v, &w->pressure[0], &w->pressure[1], &w->solid, &w->size);
}

static double flow_right(const world *w, int32_t x, int32_t y)
{
    return world_open_left(w, x, y) ? (double)w->u[y * w->size.nx + x] : 0.0;
}

static double flow_down(const world *w, int32_t x, int32_t y)
{
    return world_open_up(w, x, y) ? (double)w->v[y * w->size.nx + x] : 0.0;
}

static double divergence_of(const world *w, int32_t x, int32_t y)
{
    return flow_right(w, x + 1, y) - flow_right(w, x, y) + flow_down(w, x, y + 1) - flow_down(w, x, y);
}

static double pressure_of(const world *w, int32_t x, int32_t y)
{
    return (double)w->pressure[(x + y) & 1][y * fluid_half(w->size) + x / 2];
}

static double residual_of(const world *w, int32_t x, int32_t y)
{
    double here = pressure_of(w, x, y), sum = 0.0;
    if (world_open_left(w, x, y))
        sum += pressure_of(w, x - 1, y) - here;
    if (world_open_left(w, x + 1, y))
        sum += pressure_of(w, x + 1, y) - here;
    if (world_open_up(w, x, y))
        sum += pressure_of(w, x, y - 1) - here;
    if (world_open_up(w, x, y + 1))
        sum += pressure_of(w, x, y + 1) - here;
    return divergence_of(w, x, y) - sum;
}

static double rms_over_fluid(const world *w, double (*value)(const world *, int32_t, int32_t))
{
    double sum = 0.0;
    long cells = 0;
    for (int32_t y = 0; y < w->size.ny; y++)
        for (int32_t x = 0; x < w->size.nx; x++)
            if (!wall_at(w, x, y)) {
                double here = value(w, x, y);
                sum += here * here;
                cells++;
            }
    return sqrt(sum / (double)cells);
}

static double max_over_fluid(const world *w, double (*value)(const world *, int32_t, int32_t))
{
    double greatest = 0.0;
    for (int32_t y = 0; y < w->size.ny; y++)
        for (int32_t x = 0; x < w->size.nx; x++)
            if (!wall_at(w, x, y))
                greatest = fmax(greatest, fabs(value(w, x, y)));
    return greatest;
}

double world_max_divergence(const world *w)
{
    return max_over_fluid(w, divergence_of);
}

double world_max_residual(const world *w)
{
    return max_over_fluid(w, residual_of);
}

double world_rms_divergence(const world *w)
{
    return rms_over_fluid(w, divergence_of);
}

double world_rms_residual(const world *w)
{
    return rms_over_fluid(w, residual_of);
}

void world_wall(world *w, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    for (int32_t y = y0; y < y1 && y < w->size.ny; y++)
        for (int32_t x = x0; x < x1 && x < w->size.nx; x++)
            w->solid[y * w->size.nx + x] = 1;
    world_walls(w);
}

void world_random_flow(world *w, float strength, uint64_t seed)
{
    for (int32_t i = 0; i < w->size.nx * w->size.ny; i++) {
        w->u[i] = random_float(&seed, -strength, strength);
        w->v[i] = random_float(&seed, -strength, strength);
    }
}

float random_float(uint64_t *state, float low, float high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (float)(*state >> 40) / 16777216.0f;
}
