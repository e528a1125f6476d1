/* drawing.h - a graph or a plan as plain data that can be drawn, written to a file and read back by tools. Rarely needed by
 * programs: weir_save (observe.h) does both steps.
 * Threads: a drawing is never written after it is made, so any number of threads may use it. */
#ifndef WEIR_DRAWING_H
#define WEIR_DRAWING_H

#include "weir/graph.h"
#include "weir/plan.h"
#include "weir/status.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a loop or branch decides about, as far as it is drawn. */
typedef struct {
    const char *name; /* the graph's */
    uint32_t tasks;   /* in it, a loop or branch among them being one */
} weir_drawn_body;

/* Tasks count from 0 here, in the order of declaration. Lane, position and times are a plan's, zero in a graph's drawing. */
typedef struct {
    const char *name;        /* text in UTF-8, as everywhere here */
    const char *kind;        /* "kernel", "copy", "fill", "host", "native", "empty", "while", "if", "switch" */
    const char *group;       /* NULL: none */
    int32_t priority;
    double cost_ns, share;   /* as planned with: defaults filled in */
    uint32_t lane, position; /* position: in the plan's order */
    double start_ns, end_ns; /* predicted, one frame alone */
    uint32_t rounds;         /* of a loop: the most; 0: it is none */
    uint32_t body_count;     /* of a loop, 1; of a branch, those that it chooses from; 0: it is neither */
    const weir_drawn_body *body;
} weir_drawn_task;

/* `to` of frame n + distance comes after `from` of frame n; or waits for it. */
typedef struct {
    uint32_t from, to, distance;
} weir_drawn_edge;

/* A tool may fill one itself; weir_drawing_destroy is only for those that weir_drawing_of made. */
typedef struct {
    const char *name;
    const char *policy;            /* NULL: a graph without a plan, which has no lanes, waits and predictions */
    const char *binding;           /* what bound_ns is */
    uint32_t frames, ring_copies;  /* in flight; of rings that have as many as needed */
    double makespan_ns, interval_ns, bound_ns;
    uint32_t task_count, edge_count, carried_count, wait_count, lane_count, critical_count;
    const weir_drawn_task *task;
    const weir_drawn_edge *edge;    /* within a frame: all of them, implied ones too; distance 0 */
    const weir_drawn_edge *carried; /* to later frames: all of them, whatever the number of frames in flight; distance >= 1 */
    const weir_drawn_edge *wait;    /* of `to`, for another lane; in the steady state */
    const int32_t *lane_priority;
    const uint32_t *critical;       /* the tasks of the longest path by cost, in its order */
    uint32_t cycle_count, cycle_frames;
    const uint32_t *cycle;          /* the tasks of the dearest cycle from frame to frame, in its order; it takes so many frames; of a plan with several in flight */
} weir_drawing;

/* Describes a graph (`plan` NULL) or a plan (`graph` may be NULL). Names are kept, as graphs keep them. On success *out is
 * the caller's, to free with weir_drawing_destroy. The graph's own error; WEIR_ERR_CYCLE; WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_drawing_of(const weir_graph *graph, const weir_plan *plan, const weir_drawing **out);
WEIR_API void weir_drawing_destroy(const weir_drawing *drawing); /* NULL is fine */

/* Writes it as "json", "dot" or "text" (formats: runtime/observe/write_*.c); to a stream, or to a file, whole or not at all: a
 * reader sees the old file or the new one. A NULL format goes by the suffix of the path: .json, .dot, .gv, .txt. "-" as path is
 * standard output, as text where no format is given. What the program's locale says about numbers does not matter.
 * WEIR_ERR_INVALID: unknown format or suffix, or a drawing with numbers out of range; WEIR_ERR_CYCLE: its edges form one;
 * WEIR_ERR_IO; WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_drawing_write(const weir_drawing *drawing, FILE *stream, const char *format);
WEIR_API WEIR_MUST_USE weir_status weir_drawing_save(const weir_drawing *drawing, const char *path, const char *format);

/* A sentence on what keeps frames of a plan from coming faster, with the tasks that do: "frames cannot come faster than 1.84 ms: project ->
 * advect -> project". Of many tasks it has the first and last ones. At most `room` bytes with the 0 at the end; nothing of a graph without a plan. */
WEIR_API void weir_drawing_why(const weir_drawing *drawing, char *text, size_t room);

/* The first `frames` frames of a plan as it predicts them, with its number of frames in flight, if costs are true and lanes do not disturb each
 * other: task t of frame n runs from start_ns[n * task_count + t] to end_ns[n * task_count + t], counted from the begin of the first frame. Both
 * have room for frames * task_count. WEIR_ERR_INVALID: a graph without a plan, or numbers out of range; WEIR_ERR_CYCLE; WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_drawing_predict(const weir_drawing *drawing, uint32_t frames, double *start_ns, double *end_ns);

#ifdef __cplusplus
}
#endif
#endif
