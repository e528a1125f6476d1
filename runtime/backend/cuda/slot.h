/* slot.h - a frame as a graph that is launched at once. A slot is one such graph, made executable, with the arguments and switches it
 * has now; rings need one a phase, so that each meets its copies again with nothing changed, and there are as many as frames in flight, since CUDA
 * runs launches of one graph one after the other.
 * All but making and finishing: by whoever submits, one at a time. */
#ifndef WEIR_BACKEND_CUDA_SLOT_H
#define WEIR_BACKEND_CUDA_SLOT_H

#include "backend/cuda/cache.h"
#include "backend/cuda/device.h"
#include "backend/cuda/native.h"
#include "backend/cuda/ties.h"

/* A node as CUPTI numbers it. */
typedef struct {
    uint32_t node, task;
} traced_node;

typedef struct slot {
    struct replay *replay;
    uint32_t number;
    uint64_t free_from;      /* frame: until then one that is launched as this slot may be under way */
    gate_words *words;       /* of its gates */
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t *nodes;  /* piece -> node */
    cudaGraphConditionalHandle *handles; /* control -> its node's */
    uint32_t *ring_at;       /* what the nodes are passed: the copies, */
    unsigned char *params;   /* the values, */
    unsigned char *off;      /* and which are switched off, a bit a task: of natives, which are not in the graph; */
    bool some_off;           /* if any */
    uint32_t guards;         /* that its graph has */
    native_nodes natives;    /* what they put into its graph */
    traced_node *traced_nodes; /* by number, once traced; */
    uint32_t traced_count;     /* so many */
    bool is_numbered;
} slot;

/* A param or a ring, and the tasks that are passed it: users[first] .. users[first + count - 1]. */
typedef struct {
    uint32_t index;          /* of a ring; a param's offset */
    uint32_t bytes;          /* param */
    uint32_t first, count;
} passed_value;

/* The nodes that each must come after. */
typedef struct {
    const uint32_t *order;   /* of adding nodes */
    uint32_t *pred_first, *pred;
} node_edges;

/* How a replay's graphs are made. */
typedef struct {
    bool captured;           /* by capturing the plan's lanes; else node by node */
    const weir_plan *lanes;  /* whose order, too, nodes keep; NULL: that of the edges alone */
} replay_way;

/* All slots of one way, and what they have in common. Tasks are those of the program from `first` on, counted from there. */
typedef struct replay {
    weir_program *program;
    replay_way way;
    uint32_t first, tasks;
    bool alone;              /* one task of a program that is launched lane by lane */
    slot *slots;
    uint32_t count;
    gate_words *words;       /* slots times gates */
    slot_ties ties;
    passed_value *params, *rings;
    uint32_t param_count, ring_count, *users;
    uint64_t *stamp, stamped; /* task -> the last pass that found it changed */
    uint32_t *changed;       /* tasks */
    shape_key shape;         /* of its graphs without guards, */
    bool has_shape;          /* if one can tell; */
    bool has_boxes;          /* with copies that are no run of bytes */
    bool *linked;            /* task -> it has a programmatic edge, to or from it; NULL: there is none */
    bool *guarded;           /* task -> its node has an empty one beside it */
    uint32_t guards;         /* so many */
    int *level;              /* task -> its priority as CUDA has it; NULL: all the same */
    size_t off_bytes;
} replay;

static inline const uint32_t *weir_replay_pieces(const replay *r) /* task -> its pieces */
{
    return r->program->root.piece_first + r->first;
}

static inline uint32_t weir_replay_piece_count(const replay *r)
{
    return weir_replay_pieces(r)[r->tasks] - weir_replay_pieces(r)[0];
}

/* The nodes of a task, as many as its action has pieces. */
static inline cudaGraphNode_t *weir_slot_nodes(const slot *s, uint32_t task)
{
    return s->nodes + (weir_replay_pieces(s->replay)[task] - weir_replay_pieces(s->replay)[0]);
}

/* A multiple of so many frames as it takes all rings that its frames move to be at the same copies again, and no fewer than frames in flight; 0: more
 * than WEIR_SLOTS_MOST. */
uint32_t weir_cuda_slot_count(const weir_image *image);

weir_status weir_cuda_replay_make(weir_program *program, const replay_way *way, replay **out);
weir_status weir_cuda_replay_make_alone(weir_program *program, uint32_t task, replay **out); /* of that task alone */
/* leave: its graphs are left to later programs of their shape; else they go. NULL and half-made are fine. */
void weir_cuda_replay_finish(replay *r, bool leave);

weir_status weir_cuda_slot_remake(slot *s, bool was_on); /* its graph anew, with what it stands for now; by whoever submits */

/* One that no frame under way is launched as, if it can be with nothing to change. */
slot *weir_cuda_slot_choose(const replay *r, const weir_frame_values *values);
/* Its nodes wait for what they must of that slot's frame, so many frames before. */
bool weir_cuda_slot_follows(const slot *s, const slot *earlier, uint32_t distance);
void weir_cuda_slot_launch(weir_program *program, flight *f); /* f->slot */
/* Gives a frame that was launched as a slot an event of its own. It is the last in its stream, or no other program has joined that. */
cudaError_t weir_cuda_slot_record_end(flight *f);
/* Makes the slot what the frame needs. Of a failure, says by what call, and for which task, where it is for one. */
cudaError_t weir_cuda_slot_change(slot *s, const weir_frame_values *values, const char **call, uint32_t *task);
bool weir_cuda_can_change(const action *a); /* CUDA changes its nodes in a graph that is executable */
cudaError_t weir_cuda_nodes_change(const slot *s, const action *a, const cudaGraphNode_t *pieces, const char **call); /* to what it is passed now */

/* capture.c: the slot's graph, by capturing the plan's lanes. */
weir_status weir_cuda_capture_make(slot *s);
/* nodes.c: marks the tasks that will have programmatic edges, and says so where the device has none. */
weir_status weir_cuda_nodes_link(replay *r, const node_edges *edges);
bool weir_cuda_edge_is_programmatic(const replay *r, uint32_t from, uint32_t to); /* once they are marked */
/* nodes.c: the slot's graph, node by node. */
weir_status weir_cuda_nodes_make(slot *s, const node_edges *edges);

/* nodes.c: tasks of a section as nodes of a graph. The caller sets the first part. */
typedef struct {
    slot *s;
    const section *tasks;
    uint32_t first, count;    /* so many of its tasks, from there on */
    node_edges edges;         /* no pred_first: none */
    cudaGraph_t graph;
    cudaGraphNode_t *pieces;  /* of the tasks */
    const bool *guarded, *linked; /* as in replay; NULL: none is */
    const int *levels;        /* of priority, each task's; NULL: */
    const int *level;         /* that of all; NULL: none */
    const char *of;           /* the task whose body it is; NULL: no body */
    cudaGraphNode_t *last;    /* task -> the node that others follow, */
    bool *followed;           /* if any do */
    cudaGraphNode_t *follows; /* of the task that is being added, by plain edges; */
    size_t follow_count;
    cudaGraphNode_t *waits_for, *itself; /* by programmatic ones, and as often itself; NULL: there are none */
    cudaGraphEdgeData *waiting;
    size_t wait_count;
    const slot_ties *ties;    /* NULL: frames under way at once do not concern them */
    uint64_t native_nodes, native_edges; /* more than if each native were one node */
    const char *call;
} section_nodes;
weir_status weir_cuda_nodes_begin(section_nodes *n);
weir_status weir_cuda_nodes_add(section_nodes *n);
size_t weir_cuda_nodes_ends(section_nodes *n); /* in n->follows: those that nobody follows */
weir_status weir_cuda_nodes_check(const section_nodes *n, bool has_end); /* as it should be; has_end: and a node after all ends */
void weir_cuda_nodes_end(section_nodes *n);

/* shape.c: of graphs that are to be made with these edges. */
weir_status weir_cuda_shape_find(replay *r, const node_edges *edges);

/* takeover.c: the slot's graph, which is made, is executable after that if this returns true; */
bool weir_cuda_slot_take_over(slot *s); /* by a graph that an earlier program left, */
bool weir_cuda_slot_update(slot *s, made_graph *old); /* or by this one, of the same shape, where that may be; else the caller keeps it. */
bool weir_cuda_slot_is_on(const slot *s);     /* all its nodes are */
made_graph weir_cuda_slot_give_up(slot *s);   /* the caller's; the slot has none from then on */
void weir_cuda_slot_leave(slot *s);           /* its graph, for later programs */

/* CUDA may tell the end of a graph too early where it ends in a fill or copy that is switched off, also with a guard beside that (driver 580; seen
 * behind a conditional node, without weir too, and taken to be so behind other fills): streams and events say so, and the host goes on. So where some
 * fill or copy may be off a graph ends in a fill of weir's own, of a word that nobody reads, behind all that nobody follows. */
bool weir_cuda_needs_end(const replay *r);
cudaError_t weir_cuda_end_add(const slot *s, cudaGraph_t graph, const cudaGraphNode_t *ends, size_t count, cudaGraphNode_t *node);

/* What is passed to tasks is that of the slot. */
void weir_cuda_slot_pass(const slot *s, uint32_t task);
bool weir_cuda_slot_has_native(const slot *s, uint32_t task); /* the task is one, and on: else it is empty there */
/* Says a failure of a call that made the task's node. */
weir_status weir_cuda_task_status(const weir_program *program, const char *task, cudaError_t result, const char *call);
/* The task of which it is a node; UINT32_MAX: of none. */
uint32_t weir_cuda_slot_owner(const slot *s, cudaGraphNode_t node);
/* WEIR_ERR_STATE unless the graph has that many nodes and edges. */
weir_status weir_cuda_graph_check(const weir_program *program, cudaGraph_t graph, uint64_t nodes, uint64_t edges);

#endif
