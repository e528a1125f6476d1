/* grid.h - the staggered (MAC) grid that all fluid kernels share, and the few operations their physics is made of. Read by the
 * C compiler and by nvcc, like every *_cell.h beside it.
 *
 * Cell (x, y) is the unit square with its upper left corner at (x, y); y grows downwards, as in pictures. Every field has
 * nx * ny entries, x fastest:
 *
 *       v[x,y]              u[x,y]: flow to the right through the left side of cell (x, y)
 *      +---|---+            v[x,y]: downward flow through its upper side
 *      |       |            cell values (dye, solid): at the centre
 *  u[x,y] --  u[x+1,y]      vorticity[x,y]: at the corner (x, y)
 *      |       |
 *      +---|---+            The sides at x = nx and y = ny are not stored: the box is closed, nothing flows through them.
 *       v[x,y+1]            Velocities are in cells per unit of time.
 *
 * Only + - * / sqrt, absolute values, comparisons and truncation occur, and both compilers are told not to contract them: host and device then
 * compute the same bits. */
#ifndef WEIR_KERNELS_GRID_H
#define WEIR_KERNELS_GRID_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define WEIR_HD static __host__ __device__ __forceinline__
#else
#define WEIR_HD static inline
#endif

typedef struct {
    int32_t nx, ny; /* cells; nx * ny < 2^31 */
} fluid_size;

/* Written as comparisons, not as fminf and fmaxf: those are calls on the host. A NaN becomes `low`. */
WEIR_HD float fluid_clamp(float value, float low, float high)
{
    float above = value > low ? value : low;
    return above < high ? above : high;
}

WEIR_HD float fluid_abs(float value)
{
    return fabsf(value);
}

/* Exactly `a` where a == b, so that constant fields stay constant. */
WEIR_HD float fluid_mix(float a, float b, float t)
{
    return a + t * (b - a);
}

WEIR_HD int32_t fluid_index(fluid_size size, int32_t x, int32_t y)
{
    return y * size.nx + x;
}

/* Entries of one row of a field that holds only the cells of one colour of the chessboard, see pressure.c. */
WEIR_HD int32_t fluid_half(fluid_size size)
{
    return (size.nx + 1) / 2;
}

/* Offsets from a place to its neighbours; 0 where there is none, so that a border counts as its own neighbour. */
typedef struct {
    int32_t left, right, up, down;
} fluid_around;

WEIR_HD fluid_around fluid_neighbours(fluid_size size, int32_t x, int32_t y)
{
    fluid_around to = {x > 0 ? -1 : 0, x + 1 < size.nx ? 1 : 0, y > 0 ? -size.nx : 0, y + 1 < size.ny ? size.nx : 0};
    return to;
}

/* The side between two neighbours lets flow through. */
WEIR_HD int fluid_open_between(const uint8_t *solid, int32_t here, int32_t there)
{
    return !(solid[here] | solid[there]);
}

WEIR_HD int fluid_open_left(const uint8_t *solid, fluid_size size, int32_t x, int32_t y)
{
    int32_t here = fluid_index(size, x, y);
    return x > 0 && fluid_open_between(solid, here, here - 1);
}

WEIR_HD int fluid_open_up(const uint8_t *solid, fluid_size size, int32_t x, int32_t y)
{
    int32_t here = fluid_index(size, x, y);
    return y > 0 && fluid_open_between(solid, here, here - size.nx);
}

#endif
