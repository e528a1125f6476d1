/* ties.h - what keeps the frames of a replay in order that are under way at once. Each slot is launched into a stream of its frame's own, and
 * each carried edge is a pair of nodes: behind the earlier task's one that records an event, before the later task's one that waits for it.
 *
 * A node that waits is bound by the launch to what was recorded last, by launches before it. So an event a slot and task is enough, as long as
 * frames are launched in order and a slot's tasks wait for those of the slots before it. Frames that do not come so, after another program has
 * moved a ring or a graph was launched that keeps another order, wait for whole frames (follow.c).
 * Frames that cannot overlap are not tied, but launched into one stream. */
#ifndef WEIR_BACKEND_CUDA_TIES_H
#define WEIR_BACKEND_CUDA_TIES_H

#include "graph/carried.h"
#include "weir/status.h"
#include <cuda_runtime_api.h>
#include <stdbool.h>

struct replay;
struct slot;

/* Of one way of replaying; zeroed: no frame is under way with another. */
typedef struct {
    weir_carried carried;    /* the edges that no others imply */
    uint32_t *first;         /* task -> its edges: carried.edges.at[first[t]] .. carried.edges.at[first[t + 1] - 1] */
    uint32_t *event_of;      /* task -> its event of each slot, or UINT32_MAX */
    uint32_t event_count;    /* of a slot */
    cudaEvent_t *events;     /* slot by slot */
    uint32_t made;           /* so many of all */
} slot_ties;

/* With the copies that rings have by now, which may be more than the plan knew. Before any slot is made. */
weir_status weir_cuda_ties_make(struct replay *r);
void weir_cuda_ties_finish(slot_ties *ties); /* half-made is fine */

static inline uint32_t weir_ties_before(const slot_ties *ties, uint32_t task) /* so many events the task waits for */
{
    return ties->first ? ties->first[task + 1] - ties->first[task] : 0;
}

static inline bool weir_ties_behind(const slot_ties *ties, uint32_t task) /* it has an event */
{
    return ties->event_of && ties->event_of[task] != UINT32_MAX;
}

/* Adds the nodes that wait, one after the other, behind those that the task follows. *last: the one that it follows instead. For tasks that wait. */
cudaError_t weir_cuda_ties_wait(const struct slot *s, cudaGraph_t graph, uint32_t task, const cudaGraphNode_t *follows, size_t count, cudaGraphNode_t *last,
                                const char **call);
/* Adds the node that records, behind the task's last one. For tasks that have an event. */
cudaError_t weir_cuda_ties_record(const struct slot *s, cudaGraph_t graph, uint32_t task, cudaGraphNode_t last, const char **call);

#endif
