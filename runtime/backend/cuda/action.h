/* action.h - what a task is on the device: a kernel with its launch shape, a copy or fill in pieces, a gate for what host threads do,
 * or nothing. Launching one, and making it a node, are others' business. */
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
    ACTION_GATE     /* host tasks; copies between host memories, which CUDA makes the caller wait for */
} action_kind;

typedef struct {
    const void *function; /* a cudaKernel_t */
    struct dim3 grid, block;
    uint32_t cluster[3], shared_bytes;
    bool has_cluster, cooperative;
} kernel_launch;

typedef struct {
    weir_movement movement;
    enum cudaMemcpyKind copy_kind;
    uint32_t pattern;       /* fill */
    uint8_t element;        /* fill: bytes of one; where memory is not aligned to the pattern: 1, with a piece a byte of it */
    uint8_t pattern_bytes;
} data_move;

typedef struct {
    action_kind kind;
    bool fixed;             /* passed the same in each frame */
    uint32_t pieces;        /* copies and fills: so many calls or nodes; else 1 */
    uint16_t arg_count;
    void **args;            /* args[i] points at argument i */
    union {
        kernel_launch kernel;
        data_move move;
    } as;
} action;

/* The node or call that does piece i. */
void weir_action_copy_piece(const action *a, uint32_t piece, struct cudaMemcpy3DParms *out);
void weir_action_fill_piece(const action *a, uint32_t piece, struct cudaMemsetParams *out);
bool weir_action_is_line(const action *a); /* a copy that is one run of bytes: */
void weir_action_line(const action *a, void **to, const void **from, size_t *bytes);

/* The actions of all tasks; `args` has room for all that they are passed. Kernels are found, loaded, and allowed the shared memory they
 * ask for. WEIR_ERR_BACKEND and WEIR_ERR_DEVICE name the task. */
weir_status weir_actions_make(const weir_image *image, action *actions, void **args);

/* Lets the arguments of a task be those of a frame. */
void weir_action_pass(const weir_image *image, uint32_t task, action *a, const weir_frame_values *values);

/* The device code of a kernel; NULL: none. */
const void *weir_kernel_function(const weir_kernel *kernel);

/* True if the task is for host threads. */
bool weir_task_is_gate(const weir_body *body, const weir_task_record *task);

#endif
