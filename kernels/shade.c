/* shade.c - the dye as a picture: 4 bytes a cell, red, green, blue, alpha (255).
 *
 *     byte = 255 sqrt(dye * light),    light = 1 + 1.5 (slope of the dye's density towards the lower right), within 0.7 to 1.3
 *
 * (Lambert's law for flat slopes: sides that face the upper left are brighter.) Walls are grey with lit and dark edges.
 * And the other way, fluid_paint: a picture as dye, without light or walls.
 * Launched with fluid_shape, one thread a cell. */
#include "shade_cell.h"
#include "blocks.h"
#include "fluid_kernels.h"
#include "table.h"

static inline void smoke_cells(uint8_t *restrict rgba, shade_dye dye, fluid_around to, int32_t first, int32_t end)
{
    for (int32_t i = first; i < end; i++)
        shade_smoke(rgba + 4 * (int64_t)i, dye, i, to);
}

static void fluid_shade_host(const weir_blocks *blocks, void *const *args)
{
    uint8_t *rgba = WEIR_PASSED(uint8_t *, args, 0);
    shade_dye dye = {WEIR_PASSED(const float *, args, 1), WEIR_PASSED(const float *, args, 2), WEIR_PASSED(const float *, args, 3)};
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 4);
    fluid_size size = WEIR_PASSED(fluid_size, args, 5);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            int32_t row = fluid_index(size, 0, y), first = row + walk.x0, end = row + walk.x1;
            int32_t inner_first = walk.x0 == 0 ? first + 1 : first, inner_end = walk.x1 == size.nx ? end - 1 : end;
            smoke_cells(rgba, dye, fluid_neighbours(size, walk.x0, y), first, inner_first);
            smoke_cells(rgba, dye, fluid_neighbours(size, 1, y), inner_first, inner_end);
            smoke_cells(rgba, dye, fluid_neighbours(size, size.nx - 1, y), inner_end < inner_first ? inner_first : inner_end, end);
            for (int32_t x = walk.x0; x < walk.x1; x++)
                if (solid[row + x])
                    shade_wall(rgba + 4 * (int64_t)(row + x), solid, row + x, fluid_neighbours(size, x, y));
        }
}

static void fluid_paint_host(const weir_blocks *blocks, void *const *args)
{
    float *const dye[3] = {WEIR_PASSED(float *, args, 0), WEIR_PASSED(float *, args, 1), WEIR_PASSED(float *, args, 2)};
    const uint8_t *rgba = WEIR_PASSED(const uint8_t *, args, 3);
    fluid_size size = WEIR_PASSED(fluid_size, args, 4);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t c = 0; c < 3; c++)
                for (int32_t i = fluid_index(size, walk.x0, y); i < fluid_index(size, walk.x1, y); i++)
                    dye[c][i] = shade_dye_of(rgba + 4 * (int64_t)i, c);
}

KERNEL_TABLE(fluid_shade, "shade", sizeof(uint8_t *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *),
    sizeof(fluid_size));
KERNEL_TABLE(fluid_paint, "paint", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(fluid_size));
