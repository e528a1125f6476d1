/* periodic_cell.h - one cell, and one mode, of a pressure without borders. */
#ifndef WEIR_KERNELS_PERIODIC_CELL_H
#define WEIR_KERNELS_PERIODIC_CELL_H

#include "fold_cell.h"
#include "periodic.h"
#include "pressure_cell.h"

/* The transforms there and back multiply by the number of cells, which is taken back here. Mode (0, 0) is the mean, and has no other
 * than 0. */
WEIR_HD periodic_mode periodic_divided(periodic_mode mode, float wave_x, float wave_y, float cells)
{
    float divisor = (wave_x + wave_y) * cells;
    periodic_mode none = {0.0f, 0.0f}, divided = {mode.re / divisor, mode.im / divisor};
    return divisor < 0.0f ? divided : none;
}

/* The magnitude of what the pressure lacks in cell (x, y). */
WEIR_HD float periodic_lack(const float *pressure, const float *divergence, fluid_size size, int32_t x, int32_t y)
{
    int32_t row = fluid_index(size, 0, y), left = x > 0 ? x - 1 : size.nx - 1, right = x + 1 < size.nx ? x + 1 : 0;
    int32_t up = fluid_index(size, x, y > 0 ? y - 1 : size.ny - 1), down = fluid_index(size, x, y + 1 < size.ny ? y + 1 : 0);
    return fluid_abs(pressure_residual(OPEN_LEFT | OPEN_RIGHT | OPEN_UP | OPEN_DOWN, pressure[row + x], pressure[row + left],
        pressure[row + right], pressure[up], pressure[down], divergence[row + x]));
}

#endif
