/* native.h - natives: tasks of user code that is handed a stream. What it puts there goes into a lane's stream as it is, or becomes a part of a
 * CUDA graph by being captured, and is checked. Of natives in a loop's or branch's body `task` is the task of the program that the body belongs to.
 * By whoever makes, submits, steps or destroys, one at a time, with the device current. */
#ifndef WEIR_BACKEND_CUDA_NATIVE_H
#define WEIR_BACKEND_CUDA_NATIVE_H

#include "backend/cuda/device.h"
#include "util/table.h"
#include "util/vector.h"

/* Prepares all natives of a section for each of program->slots; a failure names the task. Released is what was prepared, after a failure too. */
weir_status weir_natives_prepare(weir_program *program, section *s);
void weir_natives_release(weir_program *program, section *s);

/* Eager: a frame's task into its lane's stream. What the native returns becomes the frame's failure; what comes back is the device's. */
cudaError_t weir_native_launch(weir_program *program, flight *f, uint32_t task, cudaStream_t stream);

/* Has the user's code enqueue. *left: the error of CUDA's that it left behind. */
weir_status weir_native_enqueue(weir_backend *device, const action *a, cudaStream_t stream, uint32_t slot_number, enum cudaStreamCaptureMode mode, cudaError_t *left);

/* ---- in a CUDA graph: native_nodes.c ---- */

typedef struct {
    cudaGraphNode_t node;
    uint32_t task;
} native_node;

/* What natives have put into a graph. Zeroed is nothing. */
typedef struct native_nodes {
    weir_program *program;
    uint32_t slot;                           /* that they are handed */
    uint32_t task;                           /* of the program, that is being added: a native, or the loop or branch that has one in a body */
    WEIR_VECTOR(native_node) added;          /* their nodes, without the empty one that each ends with */
    uint64_t edges;                          /* more than if each were that one node, whatever the sign */
    uint32_t failed_task;                    /* UINT32_MAX: none; */
    bool graph_is_lost;                      /* with a capture that failed: it is CUDA's, and not to be destroyed */
    weir_status failed_cause;                /* what its code returned; WEIR_OK: the last error says what was wrong with it */
    /* While one is added: */
    const char *name;
    bool in_body;                            /* of a conditional node, which may hold less */
    cudaError_t left;                        /* the error that its code left behind */
    size_t nodes;                            /* that the graph has then */
    /* While the graph is made: */
    weir_table *known;                       /* nodes that natives followed or added */
    WEIR_VECTOR(cudaGraphNode_t) frontier;   /* what the captured stream would follow next, each once */
    WEIR_VECTOR(cudaGraphNode_t) before;     /* of one node */
    WEIR_VECTOR(cudaGraphEdgeData) before_data;
    cudaStream_t stream;
    int level;                               /* its priority */
} native_nodes;

void weir_native_nodes_begin(native_nodes *n, weir_program *program, uint32_t slot_number); /* of a new graph */
void weir_native_nodes_end(native_nodes *n);                                         /* it is made, or not */
void weir_native_nodes_finish(native_nodes *n);
/* Where the last of the calls below failed with WEIR_ERR_TASK: makes that the frame's failure. */
bool weir_native_failed(weir_program *program, flight *f, const native_nodes *n);

/* Where a native goes in a graph that is made node by node. */
typedef struct {
    const char *name; /* the task's, for errors */
    cudaGraph_t graph;
    const cudaGraphNode_t *follows;
    size_t count;
    int level;        /* the priority of its kernels */
    bool in_body;
} native_place;

/* All: n->task is set, and what the native is passed is in a->args. WEIR_ERR_TASK names the task whose code failed, or did what it may not do here;
 * the graph is good for nothing then but to be destroyed, and if it is lost not even that. */

/* Adds it; *last is the node that ends it. All streams are out of the capture, also after a failure. */
weir_status weir_native_add(native_nodes *n, const action *a, const native_place *place, cudaGraphNode_t *last);
/* The same into a stream that is being captured, and stays so: after a failure it is the caller's to end that. */
weir_status weir_native_capture(native_nodes *n, const action *a, cudaStream_t stream, cudaGraphNode_t *last);
/* Debugging: a graph of its own, captured on a stream that the legacy stream waits for, so that to use that one is an error. */
weir_status weir_native_record(native_nodes *n, const action *a, cudaGraph_t *out);

#endif
