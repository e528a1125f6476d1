/* fluid_graph.h - smoke as two weir graphs: `start`, run once, and `frame`, run for every picture. Knows no runtime and no file.
 *
 *   frame:  upload -> advect -> forces -> solve -> project        the air of the next frame
 *                        \-> colour -> render -> download -> encode    this frame's picture
 *
 * The lower path needs nothing of the solve and runs beside it. Velocity and dye are rings: a frame reads the previous one's
 * copies and writes its own. */
#ifndef WEIR_EXAMPLES_FLUID_GRAPH_H
#define WEIR_EXAMPLES_FLUID_GRAPH_H

#include <stdbool.h>
#include "fluid_kernels.h"
#include "weir/graph.h"

typedef struct {
    fluid_size size;        /* at least 1 x 1 */
    fluid_motion motion;    /* its sources: how many a frame has, at least 1 */
    uint32_t sweeps;        /* of the pressure, at least 1 */
    bool jacobi;            /* instead of red-black Gauss-Seidel; an odd number of sweeps is then rounded up */
    weir_host_fn *encode;   /* called with each frame's picture, in order; NULL: nobody looks */
    void *user;             /* what encode is passed */
} fluid_setup;

typedef enum {
    FLUID_UPLOAD,
    FLUID_ADVECT,
    FLUID_COLOUR,
    FLUID_RENDER,
    FLUID_DOWNLOAD,
    FLUID_ENCODE,
    FLUID_FORCES,
    FLUID_SOLVE,
    FLUID_PROJECT,
    FLUID_GROUPS
} fluid_group;

extern const char *const fluid_group_names[FLUID_GROUPS];

enum { FLUID_BUFFERS_MAX = 40 };

typedef struct {
    weir_graph *start, *frame;
    weir_buffer *picture;  /* HOST_IN of start: float, three planes: red, green, blue; the dye that the run begins with */
    weir_buffer *walls;    /* HOST_IN of start: uint8_t, not 0 where a wall stands */
    weir_buffer *sources;  /* HOST_IN of frame: fluid_source, motion.sources of them */
    weir_buffer *pixels;   /* HOST_OUT of frame: 4 bytes a cell */
    uint32_t first[FLUID_GROUPS + 1]; /* group g has the frame's tasks number first[g] to first[g + 1] - 1 */
    uint32_t handles;      /* what the frame's weir_task handles hold beside the number */
    weir_buffer *all[FLUID_BUFFERS_MAX];
    uint32_t count;
} fluid_graph;

/* Declares both graphs. The rings' size is left to the first exec that uses them: make frame's exec before start's, and run
 * start's first. On success *out is the caller's, to give to fluid_graph_destroy; the setup may go. */
WEIR_MUST_USE weir_status fluid_graph_create(const fluid_setup *setup, fluid_graph *out);
void fluid_graph_destroy(fluid_graph *graph); /* execs made of it live on; zeros are fine */

#endif
