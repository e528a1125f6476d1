/* residual.c - for a solve of the pressure that stops when it is good enough: what is still missing, whether that is too much, and
 * the means, taken off so that there is a solution, and that it stays where it is.
 *
 * With closed borders the equation of pressure.c determines the pressure but for a constant, and only where all divergence adds up
 * to nothing. That it does, but for rounding: what rounding leaves would keep the residual up and let the pressure drift. Sums are
 * of double precision and leave out cells without an open side, whose equation is 0 = 0. (Rooms that no flow connects have a mean
 * each; what they differ by is of rounding's size, and so small that no tolerance asks for it.)
 *
 * Folding: each block of fluid_half_shape folds its cells into one entry of a list of fluid_blocks(shape) entries; then one block of
 * FLUID_FOLD threads folds the list. Within a block, threads t and t + 128 become t, then t and t + 64, and so on: a tree that the
 * host twins climb in the same order. No atomic operation, so the bits never depend on who was first.
 *
 * fluid_sum: of divergence and pressure, a list entry for each block. Launched with fluid_half_shape.
 * fluid_mean: of the list, by fluid_fold_shape.
 * fluid_centre: divergence and pressure -= mean, where a cell has an open side. Launched with fluid_half_shape.
 * fluid_residual: greatest | sum over open sides (p_neighbour - p) - divergence | of each block. Launched with fluid_half_shape.
 * fluid_judge: greatest of the list, and whether that is above the tolerance: the word that a loop goes on by, 1 or 0. By
 *     fluid_fold_shape.
 * fluid_judge_round: the same in a loop, which it tells too. */
#include "fold_cell.h"
#include "pressure_cell.h"
#include "blocks.h"
#include "table.h"

int32_t fluid_blocks(weir_shape shape)
{
    return (int32_t)(shape.grid[0] * shape.grid[1]);
}

weir_shape fluid_fold_shape(void)
{
    weir_shape shape = {.grid = {1, 1, 1}, .block = {FLUID_FOLD, 1, 1}};
    return shape;
}

static fluid_sums fold_tree(fluid_sums lane[FLUID_FOLD])
{
    for (int half = FLUID_FOLD / 2; half > 0; half /= 2)
        for (int t = 0; t < half; t++)
            lane[t] = fold_add(lane[t], lane[t + half]);
    return lane[0];
}

static void fluid_sum_host(const weir_blocks *blocks, void *const *args)
{
    fluid_sums *list = WEIR_PASSED(fluid_sums *, args, 0);
    const float *divergence[2] = {WEIR_PASSED(const float *, args, 1), WEIR_PASSED(const float *, args, 2)};
    const float *pressure[2] = {WEIR_PASSED(const float *, args, 3), WEIR_PASSED(const float *, args, 4)};
    const uint8_t *open[2] = {WEIR_PASSED(const uint8_t *, args, 5), WEIR_PASSED(const uint8_t *, args, 6)};
    fluid_size size = WEIR_PASSED(fluid_size, args, 7);
    int32_t pitch = fluid_half(size);
    for (uint64_t block = blocks->first; block < blocks->first + blocks->count; block++) {
        block_walk at = block_walk_one(blocks, block, pitch, size.ny);
        fluid_sums lane[FLUID_FOLD] = {{0.0, 0.0, 0.0}};
        for (int32_t y = at.y0; y < at.y1; y++)
            for (int32_t k = at.x0; k < at.x1; k++) {
                int32_t i = y * pitch + k;
                lane[(y - at.y0) * (int32_t)blocks->block[0] + k - at.x0] =
                    fold_add(fold_cell(open[0][i], divergence[0][i], pressure[0][i]), fold_cell(open[1][i], divergence[1][i], pressure[1][i]));
            }
        list[block] = fold_tree(lane);
    }
}

static void fluid_mean_host(const weir_blocks *blocks, void *const *args)
{
    fluid_means *means = WEIR_PASSED(fluid_means *, args, 0);
    const fluid_sums *list = WEIR_PASSED(const fluid_sums *, args, 1);
    int32_t count = WEIR_PASSED(int32_t, args, 2);
    (void)blocks; /* the only one */
    fluid_sums lane[FLUID_FOLD] = {{0.0, 0.0, 0.0}};
    for (int32_t i = 0; i < count; i++)
        lane[i % FLUID_FOLD] = fold_add(lane[i % FLUID_FOLD], list[i]);
    *means = fold_means(fold_tree(lane));
}

static void fluid_centre_host(const weir_blocks *blocks, void *const *args)
{
    float *divergence[2] = {WEIR_PASSED(float *, args, 0), WEIR_PASSED(float *, args, 1)};
    float *pressure[2] = {WEIR_PASSED(float *, args, 2), WEIR_PASSED(float *, args, 3)};
    const uint8_t *open[2] = {WEIR_PASSED(const uint8_t *, args, 4), WEIR_PASSED(const uint8_t *, args, 5)};
    fluid_means mean = *WEIR_PASSED(const fluid_means *, args, 6);
    fluid_size size = WEIR_PASSED(fluid_size, args, 7);
    int32_t pitch = fluid_half(size);
    for (uint64_t block = blocks->first; block < blocks->first + blocks->count; block++) {
        block_walk at = block_walk_one(blocks, block, pitch, size.ny);
        for (int32_t y = at.y0; y < at.y1; y++)
            for (int32_t colour = 0; colour < 2; colour++)
                for (int32_t i = y * pitch + at.x0; i < y * pitch + at.x1; i++) {
                    divergence[colour][i] = pressure_centre(open[colour][i], divergence[colour][i], mean.divergence);
                    pressure[colour][i] = pressure_centre(open[colour][i], pressure[colour][i], mean.pressure);
                }
    }
}

/* The arrays of one colour. */
typedef struct {
    const float *own, *other, *divergence;
    const uint8_t *open;
    fluid_size size;
    int32_t colour;
} residual_fields;

static inline float residual_cells(const residual_fields *f, int32_t row, fluid_around to, int32_t first, int32_t end, float greatest)
{
    const float *own = f->own + row, *divergence = f->divergence + row, *left = f->other + row + to.left, *right = f->other + row + to.right;
    const float *up = f->other + row + to.up, *down = f->other + row + to.down;
    const uint8_t *open = f->open + row;
    for (int32_t k = first; k < end; k++)
        greatest = fold_greater(greatest, fluid_abs(pressure_residual(open[k], own[k], left[k], right[k], up[k], down[k], divergence[k])));
    return greatest;
}

/* Of cells k0 to k1 - 1 of row y; the first and the last of a row have neighbours of their own. */
static float residual_row(const residual_fields *f, int32_t y, int32_t k0, int32_t k1, float greatest)
{
    int32_t pitch = fluid_half(f->size), row = y * pitch, k = k0, inner_end = k1 < pitch ? k1 : pitch - 1;
    if (k == 0 && k < inner_end) {
        greatest = residual_cells(f, row, pressure_neighbours(f->size, 0, y, f->colour), 0, 1, greatest);
        k = 1;
    }
    if (k < inner_end)
        greatest = residual_cells(f, row, pressure_neighbours(f->size, k, y, f->colour), k, inner_end, greatest);
    if (inner_end < k1)
        greatest = residual_cells(f, row, pressure_neighbours(f->size, pitch - 1, y, f->colour), pitch - 1, pitch, greatest);
    return greatest;
}

static void fluid_residual_host(const weir_blocks *blocks, void *const *args)
{
    float *list = WEIR_PASSED(float *, args, 0);
    const float *pressure[2] = {WEIR_PASSED(const float *, args, 1), WEIR_PASSED(const float *, args, 2)};
    const float *divergence[2] = {WEIR_PASSED(const float *, args, 3), WEIR_PASSED(const float *, args, 4)};
    const uint8_t *open[2] = {WEIR_PASSED(const uint8_t *, args, 5), WEIR_PASSED(const uint8_t *, args, 6)};
    fluid_size size = WEIR_PASSED(fluid_size, args, 7);
    int32_t pitch = fluid_half(size);
    for (uint64_t block = blocks->first; block < blocks->first + blocks->count; block++) {
        block_walk at = block_walk_one(blocks, block, pitch, size.ny);
        float greatest = 0.0f;
        for (int32_t colour = 0; colour < 2; colour++) {
            residual_fields f = {pressure[colour], pressure[1 - colour], divergence[colour], open[colour], size, colour};
            for (int32_t y = at.y0; y < at.y1; y++)
                greatest = residual_row(&f, y, at.x0, at.x1, greatest);
        }
        list[block] = greatest;
    }
}

/* The order does not matter to the greatest. */
static void fluid_judge_host(const weir_blocks *blocks, void *const *args)
{
    float *residual = WEIR_PASSED(float *, args, 0);
    uint32_t *too_much = WEIR_PASSED(uint32_t *, args, 1);
    const float *list = WEIR_PASSED(const float *, args, 2);
    int32_t count = WEIR_PASSED(int32_t, args, 3);
    float greatest = 0.0f;
    (void)blocks; /* the only one */
    for (int32_t i = 0; i < count; i++)
        greatest = fold_greater(greatest, list[i]);
    *residual = greatest;
    *too_much = fold_judge(greatest, WEIR_PASSED(float, args, 4));
}

static void fluid_judge_round_host(const weir_blocks *blocks, void *const *args)
{
    fluid_judge_host(blocks, args);
    weir_decide(WEIR_PASSED(weir_decision, args, 5), *WEIR_PASSED(const uint32_t *, args, 1) != 0);
}

KERNEL_TABLE(fluid_sum, "sum", sizeof(fluid_sums *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *),
    sizeof(uint8_t *), sizeof(fluid_size));
KERNEL_TABLE(fluid_mean, "mean", sizeof(fluid_means *), sizeof(fluid_sums *), sizeof(int32_t));
KERNEL_TABLE(fluid_centre, "centre", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *),
    sizeof(uint8_t *), sizeof(fluid_means *), sizeof(fluid_size));
KERNEL_TABLE(fluid_residual, "residual", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *),
    sizeof(uint8_t *), sizeof(uint8_t *), sizeof(fluid_size));
KERNEL_TABLE(fluid_judge, "judge", sizeof(float *), sizeof(uint32_t *), sizeof(float *), sizeof(int32_t), sizeof(float));
KERNEL_TABLE(fluid_judge_round, "judge", sizeof(float *), sizeof(uint32_t *), sizeof(float *), sizeof(int32_t), sizeof(float),
    sizeof(weir_decision));
