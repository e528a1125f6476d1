/* fluid_graph.h - smoke as two weir graphs: `start`, run once, and `frame`, run for every picture. Knows no runtime and no file.
 *
 *   frame:  (draw ->) upload -> advect -> forces -> solve -> project        the air of the next frame
 *                        \-> colour -> render -> download -> encode    this frame's picture
 *
 * The solve is a fixed number of sweeps, or a loop on the device, which ends where the residual is small enough: the host learns of it afterwards.
 * The lower path needs nothing of the solve and runs beside it. Velocity and dye are rings: a frame reads the previous one's
 * copies and writes its own.
 *
 * With several frames in flight these are three stages, which overlap: the next frame's upload, this one's solve, the shading and download of those
 * before, whose dye keeps its copy of the ring as long as it may be looked at. What one stage alone touches is there once. */
#ifndef WEIR_EXAMPLES_FLUID_GRAPH_H
#define WEIR_EXAMPLES_FLUID_GRAPH_H

#include <stdbool.h>
#include "fluid_kernels.h"
#include "weir/graph.h"

typedef enum {
    FLUID_STAGE_UPLOAD, /* group upload */
    FLUID_STAGE_SOLVE,  /* all that moves smoke and air */
    FLUID_STAGE_SHADE,  /* render, download, encode */
    FLUID_STAGES
} fluid_stage;

typedef struct {
    fluid_size size;        /* at least 1 x 1 */
    fluid_motion motion;    /* its sources: how many a frame has, at least 1 */
    uint32_t sweeps;        /* of the pressure, at least 1 */
    bool jacobi;            /* instead of red-black Gauss-Seidel; an odd number of sweeps is then rounded up */
    float residual;         /* above 0: red-black sweeps until no cell gains or loses more of its air in a unit of time, or `sweeps` of them are done */
    uint32_t sweeps_a_test; /* of that; 0 reads as 1. `sweeps` is rounded up to whole tests */
    int32_t priority[FLUID_STAGES]; /* of a stage's tasks: weir_task_options.priority */
    bool feeds;             /* each frame uploads a picture of its own, and it is this that colours the smoke; else that of start does, in all frames */
    weir_host_fn *draw;     /* of feeds: a host task that draws it, several frames' at once: it is passed the pixels and a uint64_t, `number`. NULL: whoever submits writes `feed` */
    void *draw_user;        /* what draw is passed besides */
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

enum { FLUID_BUFFERS_MAX = 48 };

typedef struct {
    weir_graph *start, *frame;
    weir_buffer *picture;  /* HOST_IN of start: float, three planes: red, green, blue; the dye that the run begins with */
    weir_buffer *walls;    /* HOST_IN of start: uint8_t, not 0 where a wall stands */
    weir_buffer *sources;  /* HOST_IN of frame: fluid_source, motion.sources of them */
    weir_buffer *feed;     /* of setup.feeds: HOST_IN of frame: its picture, 4 bytes a cell as PNG has them; else NULL */
    weir_param *number;    /* of setup.draw: uint64_t, to be set before each frame; else NULL */
    weir_buffer *pixels;   /* HOST_OUT of frame: 4 bytes a cell */
    uint32_t first[FLUID_GROUPS + 1]; /* group g has the frame's tasks number first[g] to first[g + 1] - 1 */
    uint32_t handles;      /* what the frame's weir_task handles hold beside the number */
    weir_task loop;        /* of setup.residual: its iterations are tests; else the null task */
    weir_buffer *residual; /* of setup.residual: HOST_OUT of frame: float, what is left; else NULL */
    weir_buffer *u, *v, *pressure[2], *divergence[2]; /* of the device, see fluid_kernels.h; red and black halves */
    weir_buffer *all[FLUID_BUFFERS_MAX];
    uint32_t count;
} fluid_graph;

/* How much a sweep of setup.residual over-relaxes (Young 1954). */
float fluid_over_relaxation(fluid_size size);

/* Declares both graphs. The rings' size is left to the first exec that uses them: make frame's exec before start's, and run
 * start's first. On success *out is the caller's, to give to fluid_graph_destroy; the setup may go. */
WEIR_MUST_USE weir_status fluid_graph_create(const fluid_setup *setup, fluid_graph *out);
void fluid_graph_destroy(fluid_graph *graph); /* execs made of it live on; zeros are fine */

#endif
