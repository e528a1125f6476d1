/* walls_cell.h - what the walls mean for one cell. */
#ifndef WEIR_KERNELS_WALLS_CELL_H
#define WEIR_KERNELS_WALLS_CELL_H

#include "fluid_kernels.h"

/* Sides of a cell that let flow through. */
enum { OPEN_LEFT = 1, OPEN_RIGHT = 2, OPEN_UP = 4, OPEN_DOWN = 8 };

WEIR_HD uint8_t walls_clearance(const uint8_t *before, const uint8_t *solid, fluid_size size, int32_t x, int32_t y)
{
    if (solid[fluid_index(size, x, y)])
        return 0;
    uint8_t least = FLUID_CLEARANCE_MAX - 1;
    for (int32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < size.ny; j++)
        for (int32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < size.nx; i++) {
            uint8_t there = before[fluid_index(size, i, j)];
            least = there < least ? there : least;
        }
    return (uint8_t)(least + 1);
}

/* 0 for x = nx, the entry without a cell at the end of the rows of an odd grid. */
WEIR_HD uint8_t walls_openings(const uint8_t *solid, fluid_size size, int32_t x, int32_t y)
{
    if (x >= size.nx)
        return 0;
    int open = 0;
    if (fluid_open_left(solid, size, x, y))
        open |= OPEN_LEFT;
    if (x + 1 < size.nx && fluid_open_left(solid, size, x + 1, y))
        open |= OPEN_RIGHT;
    if (fluid_open_up(solid, size, x, y))
        open |= OPEN_UP;
    if (y + 1 < size.ny && fluid_open_up(solid, size, x, y + 1))
        open |= OPEN_DOWN;
    return (uint8_t)open;
}

#endif
