/* control.h - loops and branches on the device. In a graph a control is a kernel that enters it, by looking at the word, and a conditional node
 * after it, whose bodies are graphs of their own; a while's body ends with a kernel that looks again, unless a kernel of the user's in it tells
 * (WEIR_DECISION). Debugging, there is one all the same, which also checks what that told. Where frames are launched lane by lane, each control
 * is a small graph that is launched in its lane: a replay of that task alone. */
#ifndef WEIR_BACKEND_CUDA_CONTROL_H
#define WEIR_BACKEND_CUDA_CONTROL_H

#include "backend/cuda/action.h"
#include "backend/cuda/condition.h"
#include "backend/cuda/device.h"
#include "backend/cuda/slot.h"
#include "plan/replay.h"

struct control {
    const weir_control *what;
    section *bodies;            /* what->count, and the edges in each */
    weir_replay_edges *edges;
    uint32_t number;            /* of all of its program's, those in bodies included */
    condition condition;        /* what its kernels are passed, in the first slot; `off` is 0 here */
    weir_decision *decision;    /* what the kernel of its body that decides is passed, in the slot whose nodes are made or changed; NULL: none does */
    bool looks;                 /* while: its body ends with a kernel that does */
    replay *alone;              /* eager: the graph of this task; NULL: it is part of others only */
};

/* Its own and those of its bodies, in this order: enter, the conditional node, bodies, the kernel at the end of a while's, if there is one. */
uint32_t weir_control_pieces(const control *c);

/* The memory that its loops need on the device, and where they leave how often they ran. WEIR_ERR_NO_MEMORY, WEIR_ERR_BACKEND, WEIR_ERR_DEVICE. */
weir_status weir_cuda_controls_make(weir_program *program);
weir_status weir_cuda_controls_make_alone(weir_program *program);
void weir_cuda_controls_finish(weir_program *program); /* half-made is fine */

/* Its nodes in a graph. */
typedef struct {
    slot *s;
    const control *control;
    cudaGraph_t graph;
    cudaGraphNode_t *pieces;
    const int *level;           /* of priority, for its kernels; NULL: they have none */
    const char *name;           /* of the task, for errors */
} control_nodes;
/* Adds it behind those it follows; *last is the node that others follow. *bodies, which live as long as the graph, are empty until they are filled. */
weir_status weir_cuda_control_add(const control_nodes *n, const cudaGraphNode_t *follows, size_t count, cudaGraphNode_t *last, cudaGraph_t **bodies);
weir_status weir_cuda_control_fill(const control_nodes *n, const cudaGraph_t *bodies);

/* False if some node in its bodies cannot be changed in a graph that is executable. */
bool weir_cuda_control_can_change(const control *c);
/* The nodes in its bodies that are passed what changes from frame to frame, as actions have it now. */
cudaError_t weir_cuda_control_change(const slot *s, const control *c, const cudaGraphNode_t *pieces, const char **call);
cudaError_t weir_cuda_control_switch(const slot *s, const control *c, const cudaGraphNode_t *pieces, bool on);

/* Eager: the graph of the task alone, into a stream. */
cudaError_t weir_cuda_control_launch(weir_program *program, flight *f, uint32_t task, cudaStream_t stream, const char **call);

/* Debugging: what was wrong with a decision in a body of that task, once it has run. False: nothing was. */
bool weir_cuda_control_mistake(const weir_program *program, uint32_t task, char *text, size_t bytes);

/* How often loops ran goes to the image's rounds. The frame has ended. */
void weir_cuda_controls_tell(const weir_program *program, uint64_t frame);

#endif
