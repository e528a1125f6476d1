/* fold_cell.h - how many values become one. In what order they do is fixed by the shape of the launch alone (residual.c), so
 * that sums too come out the same to the bit, whoever computes them. */
#ifndef WEIR_KERNELS_FOLD_CELL_H
#define WEIR_KERNELS_FOLD_CELL_H

#include "fluid_kernels.h"

/* What one cell adds to the sums. */
WEIR_HD fluid_sums fold_cell(int32_t open, float divergence, float pressure)
{
    fluid_sums cell = {open ? (double)divergence : 0.0, open ? (double)pressure : 0.0, open ? 1.0 : 0.0};
    return cell;
}

WEIR_HD fluid_sums fold_add(fluid_sums a, fluid_sums b)
{
    fluid_sums both = {a.divergence + b.divergence, a.pressure + b.pressure, a.cells + b.cells};
    return both;
}

WEIR_HD fluid_means fold_means(fluid_sums sums)
{
    double cells = sums.cells > 0.0 ? sums.cells : 1.0;
    fluid_means means = {(float)(sums.divergence / cells), (float)(sums.pressure / cells)};
    return means;
}

/* The greater of two magnitudes. A NaN is greater than all, so that none gets lost. */
WEIR_HD float fold_greater(float a, float b)
{
    return a > b || a != a ? a : b;
}

/* Whether to go on. Not for a NaN, which never gets better. */
WEIR_HD uint32_t fold_judge(float residual, float tolerance)
{
    return residual > tolerance;
}

#endif
