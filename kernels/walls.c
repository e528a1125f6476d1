/* walls.c - what other kernels want to know of the walls; needed once a run, not once a frame.
 *
 * fluid_clearance: distance in king's moves to the nearest solid cell. One round computes 1 + the least of the nine cells around
 *   (0 in a wall); after FLUID_CLEARANCE_MAX rounds from all zero, each cell holds its distance or that maximum. Tracing looks at
 *   single cells on its way only where this says that a wall may be near.
 * fluid_openings: the open sides of each cell as bits, in the two halves that the pressure has (pressure.c). */
#include "walls_cell.h"
#include "blocks.h"
#include "table.h"

weir_shape fluid_shape(fluid_size size)
{
    weir_shape shape = {.grid = {(uint32_t)(size.nx + 63) / 64, (uint32_t)(size.ny + 3) / 4, 1}, .block = {64, 4, 1}};
    return shape;
}

weir_shape fluid_half_shape(fluid_size size)
{
    return fluid_shape((fluid_size){fluid_half(size), size.ny});
}

static void fluid_clearance_host(const weir_blocks *blocks, void *const *args)
{
    uint8_t *out = WEIR_PASSED(uint8_t *, args, 0);
    const uint8_t *before = WEIR_PASSED(const uint8_t *, args, 1);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 2);
    fluid_size size = WEIR_PASSED(fluid_size, args, 3);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t x = walk.x0; x < walk.x1; x++)
                out[fluid_index(size, x, y)] = walls_clearance(before, solid, size, x, y);
}

static void fluid_openings_host(const weir_blocks *blocks, void *const *args)
{
    uint8_t *half[2] = {WEIR_PASSED(uint8_t *, args, 0), WEIR_PASSED(uint8_t *, args, 1)};
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 2);
    fluid_size size = WEIR_PASSED(fluid_size, args, 3);
    int32_t pitch = fluid_half(size);
    for (block_walk walk = block_walk_start(blocks, pitch, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t x = 2 * walk.x0; x < 2 * walk.x1; x++)
                half[(x + y) & 1][y * pitch + x / 2] = walls_openings(solid, size, x, y);
}

KERNEL_TABLE(fluid_clearance, "clearance", sizeof(uint8_t *), sizeof(uint8_t *), sizeof(uint8_t *), sizeof(fluid_size));
KERNEL_TABLE(fluid_openings, "openings", sizeof(uint8_t *), sizeof(uint8_t *), sizeof(uint8_t *), sizeof(fluid_size));
