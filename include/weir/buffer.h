/* buffer.h - the data of a graph: buffers (memory, described once), rings (buffers with a copy per frame) and params
 * (small values that may change between frames), and how a task says that it touches or is passed them.
 * Threads: handles are immutable and may be used from any thread. */
#ifndef WEIR_BUFFER_H
#define WEIR_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include "weir/decide.h"
#include "weir/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_buffer weir_buffer; /* described memory */
typedef struct weir_param weir_param;   /* a small value that tasks are passed */

/* Where a buffer lives and who may touch it, on every backend alike. On CUDA host places are pinned, and kernels reach the two that they may
 * touch over the bus. */
typedef enum {
    WEIR_DEVICE,    /* kernels, copies, fills, native tasks */
    WEIR_HOST_IN,   /* those and host tasks; the program writes it between begin and submit */
    WEIR_HOST_OUT,  /* those and host tasks; the program reads it after wait */
    WEIR_HOST_LOCAL /* host tasks only */
} weir_place;

#define WEIR_RING_AUTO UINT32_MAX /* copies: as many as the first graph that is made an exec needs, one number for all its rings */

/* What a buffer is. Zeroed fields are the defaults; name and element_bytes have none. */
typedef struct {
    const char *name;        /* copied */
    size_t element_bytes;    /* > 0 */
    uint32_t nx, ny, nz;     /* extents in elements, x fastest; ny, nz: 0 reads as 1; nx 0: a token, which orders and holds nothing */
    size_t row_bytes;        /* from one row to the next; 0: packed */
    size_t slice_bytes;      /* from one slice to the next; 0: packed */
    uint32_t copies;         /* 0 or 1: a plain buffer; n: a ring of n; WEIR_RING_AUTO */
    weir_place place;
    uint32_t device;         /* 0 */
    void *const *adopted;    /* NULL, or the program's own memory, one pointer a copy: not zero-filled, never freed by weir; on CUDA see below */
} weir_buffer_desc;

/* Describes a buffer; takes no memory for it yet. Storage is made for each runtime by the first exec that uses the buffer,
 * zero-filled, shared by all execs of that runtime, and freed when the last holder (program, graph, plan or exec) lets go.
 * On success *out is the caller's hold, to give back with weir_buffer_destroy. WEIR_ERR_INVALID, WEIR_ERR_NO_MEMORY.
 *
 * Adopted memory on CUDA: for WEIR_DEVICE it must be the device's, or managed. For host places, what is not pinned yet is pinned by whole
 * pages, as long as the runtime has the buffer. Where that cannot be, weir_exec_create refuses: so it is with memory whose first or last
 * page is pinned for another buffer already, or of which only a part is. Memory that begins and ends at pages is free of that. */
WEIR_API WEIR_MUST_USE weir_status weir_buffer_create(const weir_buffer_desc *desc, weir_buffer **out);
/* Gives up the program's hold; NULL is fine. To free host places on CUDA waits for the device: so between frames. */
WEIR_API void weir_buffer_destroy(weir_buffer *buffer);

/* Describes a small value (at most 64 KiB) that tasks are passed and that may change between frames, see weir_exec_set.
 * `name` and `initial` are copied. */
WEIR_API WEIR_MUST_USE weir_status weir_param_create(const char *name, const void *initial, size_t bytes, weir_param **out);
WEIR_API void weir_param_destroy(weir_param *param); /* gives up the program's hold; NULL is fine */

/* A part of a buffer, in elements. All zero: the whole buffer; otherwise ny, nz: 0 reads as 1. */
typedef struct {
    uint32_t x, y, z, nx, ny, nz;
} weir_box;

enum { WEIR_ARG_VALUE, WEIR_ARG_PARAM, WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_REDUCE };
enum { WEIR_ARG_HIDDEN = 1, WEIR_ARG_BACK = 2, WEIR_ARG_DECISION = 4 };

/* One argument of a task: what it is passed and, for a buffer, how it touches it. Made by the macros below. */
typedef struct {
    uint8_t mode;       /* WEIR_ARG_VALUE ... */
    uint8_t flags;      /* WEIR_ARG_HIDDEN, ... */
    uint16_t back;      /* frames back, for rings; reads only */
    uint32_t bytes;     /* of a value */
    weir_buffer *buffer;
    weir_param *param;
    const void *value;  /* copied when the task is added */
    weir_box box;
} weir_arg;

/* All arguments of a task, in order. Made by WEIR_ARGS; an array of one's own does as well. */
typedef struct {
    const weir_arg *arg;
    size_t count;
} weir_args;

/* What the macros below are made of. */
static inline weir_arg weir_arg_of(unsigned mode, weir_buffer *buffer, weir_param *param, const void *value, size_t bytes)
{
    weir_arg a = {(uint8_t)mode, 0, 0, (uint32_t)bytes, buffer, param, value, {0, 0, 0, 0, 0, 0}};
    return a;
}

/* The task touches only `box` of the buffer. The pointer it is passed stays the base of the copy. */
static inline weir_arg weir_part(weir_arg a, weir_box box)
{
    a.box = box;
    return a;
}

/* The copy of a ring that was this frame's `frames` frames ago, 1 <= frames < copies. Reads only. */
static inline weir_arg weir_back(weir_arg a, unsigned frames)
{
    a.back = (uint16_t)(frames < UINT16_MAX ? frames : UINT16_MAX);
    a.flags |= WEIR_ARG_BACK;
    return a;
}

/* Touched, but not passed: tokens, workspaces. */
static inline weir_arg weir_hidden(weir_arg a)
{
    a.flags |= WEIR_ARG_HIDDEN;
    return a;
}

/* A weir_decision, which weir fills in. */
static inline weir_arg weir_decision_arg(void)
{
    static const weir_decision nothing = {0, NULL, NULL, 0, 0, WEIR_DECISION_NONE, 0};
    weir_arg a = weir_arg_of(WEIR_ARG_VALUE, NULL, NULL, &nothing, sizeof nothing);
    a.flags |= WEIR_ARG_DECISION;
    return a;
}

/* For a task that is passed nothing and touches nothing. */
static inline weir_args weir_no_args(void)
{
    weir_args a = {NULL, 0};
    return a;
}

#define WEIR_READ(b) weir_arg_of(WEIR_ARG_READ, b, NULL, NULL, 0)
#define WEIR_WRITE(b) weir_arg_of(WEIR_ARG_WRITE, b, NULL, NULL, 0)           /* promises to overwrite its whole box */
#define WEIR_READ_WRITE(b) weir_arg_of(WEIR_ARG_READ_WRITE, b, NULL, NULL, 0)
#define WEIR_REDUCE(b) weir_arg_of(WEIR_ARG_REDUCE, b, NULL, NULL, 0)         /* combines atomically, in any order; something wrote it first in the frame */
#define WEIR_PREVIOUS(b, d) weir_back(WEIR_READ(b), d)                        /* a ring's copy of d frames ago */
#define WEIR_PARAM(p) weir_arg_of(WEIR_ARG_PARAM, NULL, p, NULL, 0)           /* the value it has in this frame */
/* A weir_decision, by value: the kernel says whether the loop goes on whose body it is in, by weir_decide (weir/decide.h). For one kernel of a body
 * of weir_add_while, which is in that body itself and not in that of a branch there. A graph with such a kernel that is no body is not planned. */
#define WEIR_DECISION weir_decision_arg()

#ifdef __cplusplus
}
#include <initializer_list>
static inline weir_args weir_args_list(std::initializer_list<weir_arg> list)
{
    return weir_args{list.begin(), list.size()};
}
template <class T> static inline weir_arg weir_value_of(const T &value)
{
    return weir_arg_of(WEIR_ARG_VALUE, NULL, NULL, &value, sizeof value);
}
#define WEIR_VALUE(x) weir_value_of(x)
#define WEIR_ARGS(...) weir_args_list({__VA_ARGS__})
#else
#define WEIR_VALUE(lvalue) weir_arg_of(WEIR_ARG_VALUE, NULL, NULL, &(lvalue), sizeof(lvalue))
#define WEIR_ARGS(...) ((weir_args){(const weir_arg[]){__VA_ARGS__}, sizeof((const weir_arg[]){__VA_ARGS__}) / sizeof(weir_arg)})
#endif
#endif
