/* periodic.c - the pressure's equation of pressure.c in a box without borders,
 *
 *     p[x-1,y] + p[x+1,y] + p[x,y-1] + p[x,y+1] - 4 p[x,y] = divergence[x,y],     x and y modulo nx and ny,
 *
 * which waves come apart in: transformed, the left side is the mode times a number. So: transform, divide, transform back (Hockney
 * 1965). Fields have nx * ny entries, x fastest; a spectrum, periodic_modes(size) * ny.
 *
 * periodic_divide: each mode by the sum of its two waves' numbers; the mean becomes 0. Launched with periodic_modes_shape.
 * periodic_residual: greatest | left side - divergence | of each block, an entry each of fluid_blocks(shape). Launched with
 *     periodic_shape. */
#include "periodic_cell.h"
#include "blocks.h"
#include "table.h"

int32_t periodic_modes(fluid_size size)
{
    return size.nx / 2 + 1;
}

weir_shape periodic_shape(fluid_size size)
{
    return fluid_shape(size);
}

weir_shape periodic_modes_shape(fluid_size size)
{
    return fluid_shape((fluid_size){periodic_modes(size), size.ny});
}

void periodic_waves(int32_t n, int32_t count, float *out)
{
    for (int32_t k = 0; k < count; k++) {
        double root = sin(3.14159265358979323846 * k / n);
        out[k] = (float)(-4.0 * root * root);
    }
}

static void periodic_divide_host(const weir_blocks *blocks, void *const *args)
{
    periodic_mode *spectrum = WEIR_PASSED(periodic_mode *, args, 0);
    const float *along_x = WEIR_PASSED(const float *, args, 1);
    const float *along_y = WEIR_PASSED(const float *, args, 2);
    fluid_size size = WEIR_PASSED(fluid_size, args, 3);
    int32_t modes = periodic_modes(size);
    float cells = (float)size.nx * (float)size.ny;
    for (block_walk walk = block_walk_start(blocks, modes, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            periodic_mode *row = spectrum + y * modes;
            for (int32_t x = walk.x0; x < walk.x1; x++)
                row[x] = periodic_divided(row[x], along_x[x], along_y[y], cells);
        }
}

static void periodic_residual_host(const weir_blocks *blocks, void *const *args)
{
    float *list = WEIR_PASSED(float *, args, 0);
    const float *pressure = WEIR_PASSED(const float *, args, 1);
    const float *divergence = WEIR_PASSED(const float *, args, 2);
    fluid_size size = WEIR_PASSED(fluid_size, args, 3);
    for (uint64_t block = blocks->first; block < blocks->first + blocks->count; block++) {
        block_walk cells = block_walk_one(blocks, block, size.nx, size.ny);
        float greatest = 0.0f;
        for (int32_t y = cells.y0; y < cells.y1; y++)
            for (int32_t x = cells.x0; x < cells.x1; x++)
                greatest = fold_greater(greatest, periodic_lack(pressure, divergence, size, x, y));
        list[block] = greatest;
    }
}

KERNEL_TABLE(periodic_divide, "divide", sizeof(periodic_mode *), sizeof(float *), sizeof(float *), sizeof(fluid_size));
KERNEL_TABLE(periodic_residual, "residual", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(fluid_size));
