/* action.h - what a task is on the device: a kernel with its launch shape, a copy or fill in pieces, user code that is handed a stream, a loop or
 * branch with the actions of its bodies, a gate for what host threads do, or nothing. Launching one, and making it a node, are others' business. */
#ifndef WEIR_BACKEND_CUDA_ACTION_H
#define WEIR_BACKEND_CUDA_ACTION_H

#include "backend/backend.h"
#include "backend/movement.h"
#include <cuda_runtime_api.h>

typedef enum {
    ACTION_NOTHING, /* empty tasks, copies and fills of no bytes */
    ACTION_KERNEL,
    ACTION_COPY,
    ACTION_FILL,
    ACTION_NATIVE,
    ACTION_CONTROL, /* loops and branches */
    ACTION_GATE     /* host tasks; copies between host memories, which CUDA makes the caller wait for */
} action_kind;

typedef struct {
    const void *function;    /* a cudaKernel_t */
    struct dim3 grid, block;
    const uint32_t *cluster; /* three extents; NULL: none */
} kernel_launch;

typedef struct {
    weir_movement movement;
    enum cudaMemcpyKind copy_kind;
    uint32_t pieces;        /* so many calls or nodes */
    uint32_t pattern;       /* fill */
    uint8_t element;        /* fill: bytes of one; where memory is not aligned to the pattern: 1, with a piece a byte of it */
    uint8_t pattern_bytes;
} data_move;

typedef struct {
    const weir_native *code;
    void *user;
    bool warned; /* of an error that it left behind */
} native_code;

typedef struct control control; /* see control.h */

/* A cache line each: launching a frame touches all of them. */
typedef struct {
    uint8_t kind;           /* action_kind */
    bool fixed;             /* passed the same in each frame */
    bool cooperative;       /* kernel */
    bool programmatic;      /* kernel: waits for its predecessors by itself, and may be launched before they are done */
    uint32_t shared_bytes;  /* kernel */
    void **args;            /* args[i] points at argument i */
    const char *name;       /* the task's */
    union {
        kernel_launch kernel;
        data_move *move;    /* copies and fills */
        native_code native;
        control *control;   /* loops and branches */
    } as;
} action;

/* Nodes that are known singly, those in bodies included. */
uint32_t weir_action_pieces(const action *a);

/* True if a device does something for it: it has nodes that may be changed and switched, or made anew, and may be to blame. */
static inline bool weir_action_is_on_device(const action *a)
{
    return a->kind != ACTION_GATE && a->kind != ACTION_NOTHING;
}

struct cudaKernelNodeParams weir_action_kernel_node(const action *a); /* of a kernel, as it is passed now */

/* The node or call that does piece i. */
void weir_action_copy_piece(const action *a, uint32_t piece, struct cudaMemcpy3DParms *out);
void weir_action_fill_piece(const action *a, uint32_t piece, struct cudaMemsetParams *out);
bool weir_action_is_line(const action *a); /* a copy that is one run of bytes: */
void weir_action_line(const action *a, void **to, const void **from, size_t *bytes);

/* The tasks of a graph, or of a loop's or branch's body, as actions. Zeroed is empty. */
typedef struct section {
    const weir_image *image;
    action *actions;   /* one a task */
    data_move *moves;  /* of those that copy or fill */
    void **args;       /* what actions are passed; those of rings and params change from frame to frame */
    uint32_t *piece_first; /* task -> its pieces; tasks + 1 */
    control *controls; /* of its loops and branches, in the order of tasks */
    uint32_t control_count, controls_within; /* its own; with those in bodies */
    uint64_t prepared; /* its natives, each once for each slot; without those in bodies */
} section;

/* The actions of all tasks. Kernels are found, loaded, and allowed the shared memory they ask for. WEIR_ERR_NO_MEMORY; WEIR_ERR_BACKEND and
 * WEIR_ERR_DEVICE name the task. To be finished, also when it failed. watched: what kernels say of loops is to be checked. */
weir_status weir_section_make(section *out, const weir_image *image, bool watched);
void weir_section_finish(section *s);

/* Puts what a task is passed in a frame into `args`, but for decisions. An action that is fixed has it in its own. */
void weir_action_pass(const weir_image *image, uint32_t task, const weir_frame_values *values, void **args);
/* The same into the action's own, and into those of a control's bodies. */
void weir_section_pass(const section *s, uint32_t task, const weir_frame_values *values);

/* The device code of a kernel; NULL: none. */
const void *weir_kernel_function(const weir_kernel *kernel);

/* True if the task is for host threads. */
bool weir_task_is_gate(const weir_body *body, const weir_task_record *task);

#endif
