/* periodic.h - the kernels of a pressure in a box without borders, where what leaves on one side enters on the other; as graphs use
 * them. What each is passed: W written, R read, RW both, then values. */
#ifndef WEIR_PERIODIC_H
#define WEIR_PERIODIC_H

#include "grid.h"
#include "weir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One mode of a spectrum of real values: mode (kx, ky) is spectrum[ky * periodic_modes(size) + kx]. */
typedef struct {
    float re, im;
} periodic_mode;

int32_t periodic_modes(fluid_size size);          /* kx = 0 to nx / 2: the rest is their mirror image */
weir_shape periodic_shape(fluid_size size);       /* one thread a cell */
weir_shape periodic_modes_shape(fluid_size size); /* one thread a mode */

/* What the second difference makes of the waves k = 0 to count - 1 of n cells: -4 sin(pi k / n) squared times themselves. */
void periodic_waves(int32_t n, int32_t count, float *out);

extern const weir_kernel periodic_divide;   /* RW periodic_mode *, R float *waves along x, R along y, size */
extern const weir_kernel periodic_residual; /* W float *list, an entry a block, R pressure, R divergence, size; for fluid_judge */

#ifdef __cplusplus
}
#endif
#endif
