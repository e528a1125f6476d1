/* advect.c - semi-Lagrangian advection (Stam, "Stable Fluids", 1999) on the staggered grid:
 *
 *     q'(p) = q(p - step * velocity(p - step / 2 * velocity(p)))
 *
 * with the midpoint rule, so that a turning field does not spiral outwards, and bilinear interpolation, which never leaves the
 * range of its inputs. Ways that would cross a wall end before it. Launched with fluid_shape, one thread a cell.
 *
 * fluid_advect_u, fluid_advect_v: the velocity carries itself; closed sides get 0.
 * fluid_trace: where the air of each cell's centre came from, once for all channels of the dye.
 * fluid_advect_dye: one channel of the dye from there; within [0, 1], and 0 in walls that had 0. */
#include "advect_cell.h"
#include "blocks.h"
#include "fluid_kernels.h"
#include "table.h"

static void fluid_advect_u_host(const weir_blocks *blocks, void *const *args)
{
    float *out = WEIR_PASSED(float *, args, 0);
    const float *u = WEIR_PASSED(const float *, args, 1);
    const float *v = WEIR_PASSED(const float *, args, 2);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 3);
    const uint8_t *clearance = WEIR_PASSED(const uint8_t *, args, 4);
    fluid_size size = WEIR_PASSED(fluid_size, args, 5);
    float step = WEIR_PASSED(float, args, 6);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t x = walk.x0; x < walk.x1; x++)
                out[fluid_index(size, x, y)] = advect_u(u, v, solid, clearance, size, step, x, y);
}

static void fluid_advect_v_host(const weir_blocks *blocks, void *const *args)
{
    float *out = WEIR_PASSED(float *, args, 0);
    const float *u = WEIR_PASSED(const float *, args, 1);
    const float *v = WEIR_PASSED(const float *, args, 2);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 3);
    const uint8_t *clearance = WEIR_PASSED(const uint8_t *, args, 4);
    fluid_size size = WEIR_PASSED(fluid_size, args, 5);
    float step = WEIR_PASSED(float, args, 6);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t x = walk.x0; x < walk.x1; x++)
                out[fluid_index(size, x, y)] = advect_v(u, v, solid, clearance, size, step, x, y);
}

static void fluid_trace_host(const weir_blocks *blocks, void *const *args)
{
    float *from_x = WEIR_PASSED(float *, args, 0);
    float *from_y = WEIR_PASSED(float *, args, 1);
    const float *u = WEIR_PASSED(const float *, args, 2);
    const float *v = WEIR_PASSED(const float *, args, 3);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 4);
    const uint8_t *clearance = WEIR_PASSED(const uint8_t *, args, 5);
    fluid_size size = WEIR_PASSED(fluid_size, args, 6);
    float step = WEIR_PASSED(float, args, 7);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t x = walk.x0; x < walk.x1; x++) {
                advect_point from = advect_trace(u, v, solid, clearance, size, step, x, y);
                from_x[fluid_index(size, x, y)] = from.x;
                from_y[fluid_index(size, x, y)] = from.y;
            }
}

static void fluid_advect_dye_host(const weir_blocks *blocks, void *const *args)
{
    float *out = WEIR_PASSED(float *, args, 0);
    const float *dye = WEIR_PASSED(const float *, args, 1);
    const float *from_x = WEIR_PASSED(const float *, args, 2);
    const float *from_y = WEIR_PASSED(const float *, args, 3);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 4);
    const uint8_t *clearance = WEIR_PASSED(const uint8_t *, args, 5);
    fluid_size size = WEIR_PASSED(fluid_size, args, 6);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t x = walk.x0; x < walk.x1; x++) {
                int32_t here = fluid_index(size, x, y);
                out[here] = advect_dye(dye, solid, clearance, size, (advect_point){from_x[here], from_y[here]});
            }
}

KERNEL_TABLE(fluid_advect_u, "advect u", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(uint8_t *),
    sizeof(fluid_size), sizeof(float));
KERNEL_TABLE(fluid_advect_v, "advect v", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(uint8_t *),
    sizeof(fluid_size), sizeof(float));
KERNEL_TABLE(fluid_trace, "trace", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *),
    sizeof(uint8_t *), sizeof(fluid_size), sizeof(float));
KERNEL_TABLE(fluid_advect_dye, "advect dye", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *),
    sizeof(uint8_t *), sizeof(fluid_size));
