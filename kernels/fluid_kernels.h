/* fluid_kernels.h - the kernels of two-dimensional smoke, as graphs use them. Each is described where it is written; here is
 * what it is passed: W written, R read, RW both, then values. They are launched with fluid_shape or fluid_half_shape, or fluid_fold_shape. */
#ifndef WEIR_FLUID_KERNELS_H
#define WEIR_FLUID_KERNELS_H

#include "grid.h"
#include "weir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place that pushes the air and colours it, from its centre out to `radius`. */
typedef struct {
    float x, y, radius;     /* in cells */
    float push_x, push_y;   /* acceleration at the centre */
    float colour[3];        /* red, green, blue: 0 to 1 */
} fluid_source;

/* How the air moves: the constants of a run. */
typedef struct {
    float step;         /* time from frame to frame */
    float confinement;  /* strength of vorticity confinement */
    float lift;         /* upward acceleration of full white */
    float keep;         /* share of the velocity that a frame keeps */
    float feed;         /* how far a frame pulls the dye towards the picture, 0 to 1 */
    float pour;         /* the same towards a source's colour, at its centre */
    int32_t sources;    /* how many there are */
} fluid_motion;

/* What the pressure's equation adds up to, over the cells that have an open side; and its means. */
typedef struct {
    double divergence, pressure, cells;
} fluid_sums;

typedef struct {
    float divergence, pressure;
} fluid_means;

enum { FLUID_RED, FLUID_BLACK }; /* colour of cell (x, y): (x + y) & 1 */
#define FLUID_CLEARANCE_MAX 16   /* rounds of fluid_clearance, and the most it says */

/* One thread a cell; one thread a pair of cells (2x, y), (2x + 1, y), which is one of each colour. */
weir_shape fluid_shape(fluid_size size);
weir_shape fluid_half_shape(fluid_size size);

#define FLUID_FOLD 256                  /* threads of a block of each of these shapes */
int32_t fluid_blocks(weir_shape shape); /* how many there are: a list that each folds its cells into has as many entries */
weir_shape fluid_fold_shape(void);      /* one block, which folds such a list */

/* walls.c. solid: uint8_t, not 0 where a wall stands. */
extern const weir_kernel fluid_clearance; /* cells:  W uint8_t *, R before, R solid, size */
extern const weir_kernel fluid_openings;  /* halves: W uint8_t *red, W *black, R solid, size */

/* advect.c */
extern const weir_kernel fluid_advect_u;  /* cells: W u, R u before, R v before, R solid, R clearance, size, float step */
extern const weir_kernel fluid_advect_v;  /* the same for v */
extern const weir_kernel fluid_trace;     /* cells: W from_x, W from_y, R u, R v, R solid, R clearance, size, float step */
extern const weir_kernel fluid_advect_dye; /* cells: W dye, R dye before, R from_x, R from_y, R solid, R clearance, size */

/* force.c */
extern const weir_kernel fluid_vorticity; /* cells: W vorticity, R u, R v, size */
extern const weir_kernel fluid_push_u;    /* cells: RW u, R vorticity, R solid, R fluid_source *, size, fluid_motion */
extern const weir_kernel fluid_push_v;    /* cells: RW v, R vorticity, R red, R green, R blue dye, R solid, R sources, size, fluid_motion */
extern const weir_kernel fluid_pour;      /* cells: RW dye, R picture, R solid, R sources, size, fluid_motion, int32_t channel 0 to 2 */

/* pressure.c. "own" and "other" are the two colours' halves of the pressure. */
extern const weir_kernel fluid_divergence; /* halves: W red, W black, R u, R v, R open red, R open black, size */
extern const weir_kernel fluid_relax;      /* halves: RW own, R other, R divergence, R open (both own), size, int32_t colour, float omega */
extern const weir_kernel fluid_jacobi;     /* halves: W own after, R own before, R other before, then as fluid_relax */
extern const weir_kernel fluid_project_u;  /* halves: RW u, R red, R black pressure, R solid, size */
extern const weir_kernel fluid_project_v;  /* the same for v */

/* residual.c. The list of fluid_sum and fluid_mean is of fluid_sums; those of the others, of float. */
extern const weir_kernel fluid_sum;      /* halves: W list, R divergence red, R black, R pressure red, R black, R open red, R black, size */
extern const weir_kernel fluid_mean;     /* fold:   W fluid_means *, R list, int32_t entries */
extern const weir_kernel fluid_centre;   /* halves: RW divergence red, RW black, RW pressure red, RW black, R open red, R black, R fluid_means *, size */
extern const weir_kernel fluid_residual; /* halves: W list, R pressure red, R black, R divergence red, R black, R open red, R black, size */
extern const weir_kernel fluid_judge;    /* fold:   W float *residual, W uint32_t *too_much, R list, int32_t entries, float tolerance */
extern const weir_kernel fluid_judge_round; /* fold: the same and a decision, in the body of a loop that goes on as long as it is too much */

/* shade.c */
extern const weir_kernel fluid_shade; /* cells: W uint8_t *rgba, R red, R green, R blue dye, R solid, size */
extern const weir_kernel fluid_paint; /* cells: W red, W green, W blue dye, R uint8_t *rgba, size */

#ifdef __cplusplus
}
#endif
#endif
