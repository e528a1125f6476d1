/* body.h - a declaration as data: tasks, arguments, edges, and the buffers and params they name. The graph that declares it and
 * the plans made of it share one body: it is only written while the graph alone holds it, and copied before that if not.
 * Everything counts from 0 here: task i is the public handle number i + 1. */
#ifndef WEIR_GRAPH_BODY_H
#define WEIR_GRAPH_BODY_H

#include "graph/box.h"
#include "graph/buffer.h"
#include "util/arena.h"
#include "util/vector.h"
#include "weir/graph.h"
#include <stdatomic.h>

enum { WEIR_FRAMES_MOST = 64 }; /* in flight */

typedef enum {
    WEIR_KIND_EMPTY, WEIR_KIND_KERNEL, WEIR_KIND_COPY, WEIR_KIND_FILL, WEIR_KIND_HOST, WEIR_KIND_NATIVE,
    WEIR_KIND_WHILE, WEIR_KIND_IF, WEIR_KIND_SWITCH /* control: decided by a word, argument 0, which is all that is passed */
} weir_task_kind;

typedef struct {
    const char *name;
    union {
        const weir_kernel *kernel;
        const weir_native *native;
        weir_host_fn *host;
    } code;
    union {
        void *user;             /* host, native */
        uint32_t shape;         /* kernel: index into shapes */
        uint32_t control;       /* control: index into controls */
        struct {
            uint32_t bytes, value; /* fill: the pattern, repeated to 4 bytes in memory order */
        } pattern;
    } with;
    uint32_t arg_first, derived_first; /* into args and derived; each ends where the next task's begins */
    uint32_t arg_count : 16, kind : 8, flags : 8; /* weir_task_kind; WEIR_TASK_* */
    float cost_ns; /* 0: the default, see weir_task_cost */
    float share;   /* 0: the default */
    int32_t priority;
    uint32_t group; /* 0: none, else index + 1 into groups */
} weir_task_record;

/* One argument as kept. `index`: of the buffer or param, or the offset into values. */
typedef struct {
    uint8_t mode, flags; /* WEIR_ARG_* */
    uint16_t back;
    uint32_t index, bytes; /* bytes: of a value */
    uint32_t box;          /* 0: the whole buffer, else index + 1 into boxes */
} weir_arg_record;

typedef struct {
    weir_buffer *buffer; /* held */
    uint16_t furthest_back; /* the largest distance it is read at */
    bool written, touched_early; /* this frame's copy: by any task; before anything wrote it in the frame */
} weir_buffer_record;

typedef struct {
    uint32_t later, earlier;
} weir_edge;

typedef struct {
    uint32_t later, earlier, distance; /* later in frame n + distance after earlier in frame n */
} weir_carried_edge;

/* What a loop or branch decides about: inner[first] .. inner[first + count - 1]. A while has one; an if has its then, and its else if there is one. */
typedef struct {
    uint32_t first, count;
    uint32_t at_most;   /* while: rounds; else 1 */
    bool keeps_state;   /* some task of theirs has hidden state, see weir_task_keeps_state */
    double cost_ns;     /* of one round, or of the dearest body */
} weir_control;

/* Tasks first..handle (the handle included) were added as one sub-graph; `first` is its empty entry. */
typedef struct {
    uint32_t first, handle;
} weir_subgraph;

typedef struct weir_body {
    atomic_uint holders;
    uint32_t id;    /* of the graph that declares it; unique in the process, never 0 */
    uint32_t flags; /* WEIR_GRAPH_* */
    const char *name;
    WEIR_VECTOR(weir_task_record) tasks;
    WEIR_VECTOR(weir_arg_record) args;
    WEIR_VECTOR(uint32_t) derived;     /* earlier tasks that each task follows by its accesses, ascending, no task twice */
    WEIR_VECTOR(weir_edge) explicits;  /* in the order of declaration */
    WEIR_VECTOR(weir_carried_edge) explicits_carried;
    WEIR_VECTOR(weir_span) boxes;
    WEIR_VECTOR(weir_shape) shapes;    /* zeros already read as 1 */
    WEIR_VECTOR(unsigned char) values; /* each value 16-byte aligned */
    WEIR_VECTOR(weir_buffer_record) buffers;
    WEIR_VECTOR(weir_param *) params;  /* held */
    WEIR_VECTOR(const char *) groups;
    WEIR_VECTOR(weir_subgraph) subgraphs; /* handles ascending */
    WEIR_VECTOR(weir_control) controls;
    WEIR_VECTOR(const struct weir_body *) inner; /* bodies of loops and branches, held */
    struct weir_texts *texts;          /* names that weir made; shared by copies of the body */
    bool backwards;                    /* some explicit edge goes from a higher to a lower number */
} weir_body;

weir_body *weir_body_create(const char *name, uint32_t flags); /* NULL: no memory */
weir_body *weir_body_clone(const weir_body *body);             /* NULL: no memory */
weir_body *weir_body_hold(const weir_body *body);
void weir_body_release(const weir_body *body);                 /* NULL is fine */
char *weir_body_text(weir_body *body, size_t bytes);           /* room for a name; NULL: no memory */

/* Number of a group (index + 1) by its text, new or known; 0 for NULL; UINT32_MAX: no memory. */
uint32_t weir_body_group_number(weir_body *body, const char *group);

/* The first task that a handle stands for: its own index, or the entry of its sub-graph. */
uint32_t weir_body_first_of(const weir_body *body, uint32_t handle);

/* What the graph holds now; for plans, and for writers of files. */
const weir_body *weir_graph_body(const weir_graph *graph);

double weir_task_cost(const weir_body *body, const weir_task_record *task); /* ns, its own or the default */
bool weir_task_keeps_state(const weir_body *body, const weir_task_record *task); /* so it follows itself from frame to frame */
float weir_task_share(const weir_body *body, const weir_task_record *task); /* 0 < share <= 1 */
const char *weir_task_group(const weir_body *body, const weir_task_record *task); /* NULL: none */
const char *weir_kind_name(weir_task_kind kind);      /* "kernel", "copy", ... */
weir_span weir_arg_span(const weir_body *body, const weir_arg_record *arg); /* of a buffer argument; a token's is one element */

/* Where a task's derived edges end in `derived`. */
static inline uint32_t weir_derived_end(const weir_body *body, uint32_t task)
{
    return task + 1 < body->tasks.count ? body->tasks.at[task + 1].derived_first : body->derived.count;
}

static inline bool weir_kind_is_control(unsigned kind)
{
    return kind >= WEIR_KIND_WHILE;
}

/* Which of a control's bodies a word chooses; none: UINT32_MAX. */
static inline uint32_t weir_control_choice(unsigned kind, const weir_control *control, uint32_t word)
{
    uint32_t choice = kind == WEIR_KIND_SWITCH ? word : kind == WEIR_KIND_IF ? word == 0 : word != 0 ? 0 : UINT32_MAX;
    return choice < control->count ? choice : UINT32_MAX;
}

static inline bool weir_arg_is_access(const weir_arg_record *arg)
{
    return arg->mode >= WEIR_ARG_READ;
}

static inline bool weir_arg_writes(const weir_arg_record *arg)
{
    return arg->mode >= WEIR_ARG_WRITE;
}

static inline bool weir_arg_is_decision(const weir_arg_record *arg)
{
    return arg->mode == WEIR_ARG_VALUE && (arg->flags & WEIR_ARG_DECISION);
}

/* True if the task says whether the loop goes on whose body it is in. */
static inline bool weir_task_decides(const weir_body *body, const weir_task_record *task)
{
    bool decides = false;
    for (uint32_t i = 0; i < task->arg_count && !decides; i++)
        decides = weir_arg_is_decision(&body->args.at[task->arg_first + i]);
    return decides;
}

/* True if two accesses of the same copy must be ordered when their boxes overlap. */
static inline bool weir_modes_conflict(unsigned a, unsigned b)
{
    return !(a == WEIR_ARG_READ && b == WEIR_ARG_READ) && !(a == WEIR_ARG_REDUCE && b == WEIR_ARG_REDUCE);
}

#endif
