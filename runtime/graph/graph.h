/* graph.h - the graph being declared: its body, what it needs to derive edges as it grows, and its first error. Shared by the
 * files of this room that declare. */
#ifndef WEIR_GRAPH_GRAPH_H
#define WEIR_GRAPH_GRAPH_H

#include "graph/body.h"
#include "graph/hazard.h"
#include "util/status.h"
#include "util/table.h"

/* Beside each buffer of the body. */
typedef struct {
    weir_hazard *hazard;  /* of this frame's copy */
    uint32_t early_toucher; /* the task behind touched_early */
} weir_buffer_state;

/* Names, looked up; made when first asked for. Apart, so that looking up may change it in a graph that is const. */
typedef struct {
    weir_table *table; /* of the first `count` tasks */
    uint32_t count;
} weir_name_index;

struct weir_graph {
    weir_body *body;
    weir_status status, frame_status; /* frame_status: what is wrong unless the tasks come to stand behind others, as a sub-graph or body */
    char *error, *frame_error; /* text of the first of each; ERROR_BYTES, taken at birth so that no memory can be said */
    WEIR_VECTOR(weir_buffer_state) states; /* like body->buffers */
    WEIR_VECTOR(uint32_t) stamps;          /* task -> the last task that followed it, + 1: finds doubles; as many as were needed yet */
    weir_touchers found;                   /* scratch */
    weir_table *indices;                   /* buffers and params by pointer: their index in the body */
    weir_name_index *names;
};

/* Keeps the first error. The task's name, if it has one, comes first in the text. Returns `status`. */
weir_status weir_graph_fail(weir_graph *graph, weir_status status, const char *format, ...) WEIR_PRINTF(3, 4);

/* Keeps the first of what is wrong with the frame if nothing comes before these tasks: adding goes on, planning does not. */
void weir_graph_fail_frame(weir_graph *graph, weir_status status, const char *format, ...) WEIR_PRINTF(3, 4);

bool weir_graph_no_memory(weir_graph *graph); /* says so to the graph; false, for the caller to return */

/* Index of a handle's task; UINT32_MAX for the null task or another graph's. */
uint32_t weir_graph_index_of(const weir_graph *graph, weir_task task);

/* args.c */
weir_status weir_graph_check_args(weir_graph *graph, const weir_task_record *task, weir_args args); /* keeps the first error */
bool weir_graph_keep_arg(weir_graph *graph, const weir_arg *arg); /* appends it to the body; false: no memory */

/* derive.c: the edges of the task that was added last, by its accesses. false: no memory. */
bool weir_graph_derive(weir_graph *graph, uint32_t index);

/* Makes the body the graph's own before it is written. false: no memory, said to the graph. */
bool weir_graph_own(weir_graph *graph);

/* A task with checked options from here on: everything but kind-specific checks. Returns its index + 1, or 0 with the error kept. */
typedef struct {
    weir_task_record record; /* but for what this call fills in: args, derived edges */
    weir_args args;
    const weir_shape *shape; /* kernels */
} weir_new_task;
uint32_t weir_graph_append(weir_graph *graph, const weir_new_task *task);

/* How much of everything the body holds, so that an add that fails half-way can take back what it added. What hazards remember of
 * it stays, and is passed over. */
typedef struct {
    uint32_t tasks, args, derived, boxes, shapes, values, explicits, explicits_carried, subgraphs, controls, inner;
} weir_graph_mark;
weir_graph_mark weir_graph_mark_of(const weir_graph *graph);
void weir_graph_back_to(weir_graph *graph, const weir_graph_mark *mark);

/* control.c: appends a control like this, and holds its bodies. Its index; UINT32_MAX: no memory, said to the graph. */
uint32_t weir_graph_keep_control(weir_graph *graph, const weir_control *control, const weir_body *const *bodies);

/* options.c: what each of the first `count` tasks costs from now on; NAN: as before. The graph's own error; WEIR_ERR_NO_MEMORY. */
weir_status weir_graph_set_costs(weir_graph *graph, const float *cost_ns, uint32_t count);

/* The edge as indices; both ends valid. false: no memory, said to the graph. */
bool weir_graph_add_edge(weir_graph *graph, uint32_t later, uint32_t earlier);
bool weir_graph_add_carried_edge(weir_graph *graph, uint32_t later, uint32_t earlier, uint32_t distance);

#endif
