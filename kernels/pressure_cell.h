/* pressure_cell.h - the discrete projection of one cell: divergence, one relaxation, what that leaves, and the gradient taken off. */
#ifndef WEIR_KERNELS_PRESSURE_CELL_H
#define WEIR_KERNELS_PRESSURE_CELL_H

#include "walls_cell.h"

/* `open`: the cell's open sides; u0, u1 flow through its left and right, v0, v1 through its upper and lower side. */
WEIR_HD float pressure_divergence(int32_t open, float u0, float u1, float v0, float v1)
{
    float out_x = (open & OPEN_RIGHT ? u1 : 0.0f) - (open & OPEN_LEFT ? u0 : 0.0f);
    float out_y = (open & OPEN_DOWN ? v1 : 0.0f) - (open & OPEN_UP ? v0 : 0.0f);
    return out_x + out_y;
}

WEIR_HD float pressure_relax(int32_t open, float own, float left, float right, float up, float down, float divergence, float omega)
{
    float sum_x = (open & OPEN_LEFT ? left : 0.0f) + (open & OPEN_RIGHT ? right : 0.0f);
    float sum_y = (open & OPEN_UP ? up : 0.0f) + (open & OPEN_DOWN ? down : 0.0f);
    int32_t sides = (open & 1) + ((open >> 1) & 1) + ((open >> 2) & 1) + (open >> 3);
    float divisor = (float)(sides + (open == 0)); /* a cell without open sides has no divergence either: it goes to 0 */
    return own + omega * ((sum_x + sum_y - divergence) / divisor - own);
}

/* What the pressure still lacks: sum over open sides (p_neighbour - p) - divergence. */
WEIR_HD float pressure_residual(int32_t open, float own, float left, float right, float up, float down, float divergence)
{
    float sum_x = (open & OPEN_LEFT ? left - own : 0.0f) + (open & OPEN_RIGHT ? right - own : 0.0f);
    float sum_y = (open & OPEN_UP ? up - own : 0.0f) + (open & OPEN_DOWN ? down - own : 0.0f);
    return sum_x + sum_y - divergence;
}

/* A cell without an open side keeps its value: it takes no part in the mean. */
WEIR_HD float pressure_centre(int32_t open, float value, float mean)
{
    return open ? value - mean : value;
}

WEIR_HD float pressure_project(int open, float velocity, float here, float before)
{
    return open ? velocity - (here - before) : 0.0f;
}

/* Where the cells of one colour keep their neighbours: cell k of the row has x = 2 k + shift. */
WEIR_HD int32_t pressure_shift(int32_t y, int32_t colour)
{
    return (y + colour) & 1;
}

/* Offsets from place k of a row of one colour to its neighbours in the other colour's array. A border's missing neighbours are behind
 * closed sides: the cell's own place stands for them. */
WEIR_HD fluid_around pressure_neighbours(fluid_size size, int32_t k, int32_t y, int32_t colour)
{
    int32_t shift = pressure_shift(y, colour), pitch = fluid_half(size);
    fluid_around to = {k + shift > 0 ? shift - 1 : 0, k + shift < pitch ? shift : 0, y > 0 ? -pitch : 0, y + 1 < size.ny ? pitch : 0};
    return to;
}

#endif
