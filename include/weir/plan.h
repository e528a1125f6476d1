/* plan.h - turns a declared graph into an immutable plan: which lane, in which order, which waits. Makes no device call.
 * Threads: a plan is never written after weir_plan_create returns, so any number of threads may use it. */
#ifndef WEIR_PLAN_H
#define WEIR_PLAN_H

#include "weir/graph.h"
#include "weir/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_plan weir_plan; /* lanes, order and waits; immutable */

/* Zeroed fields are the defaults. */
typedef struct {
    const char *policy; /* "round_robin" or "priority"; NULL: "priority". WEIR_POLICY wins */
    uint32_t lanes;     /* streams on CUDA; 0: min(8, level width times frames), or one for each priority if those are more. WEIR_LANES wins */
    uint32_t frames;    /* frames in flight, F; 0 reads as 1 */
} weir_plan_options;

/* Orders every task, gives it a lane and its waits; O((tasks + edges) * lanes). Deterministic.
 * The plan shares what it needs of the graph, which may be changed or destroyed right after; NULL options are zeros.
 * On success *out is the caller's, to free with weir_plan_destroy; on failure *out is untouched.
 * The graph's own first error; WEIR_ERR_CYCLE names the cycle's tasks in order; WEIR_ERR_INVALID: unknown policy, more
 * than 1024 lanes or 64 frames, a ring that needs more copies than it has; WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_plan_create(const weir_graph *graph, const weir_plan_options *options, weir_plan **out);
WEIR_API void weir_plan_destroy(weir_plan *plan); /* execs made of it live on; NULL is fine */

/* Proves the plan with code of its own: the order respects every edge, waits cover every edge, no wait can be left out, the
 * lanes are within bounds; and of a replay, which has neither lanes nor waits, that its edges cover all of them and none can be left out. WEIR_ERR_HAZARD with the tasks named if not. WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_plan_check(const weir_plan *plan);

/* What the plan has in mind for one task. */
typedef struct {
    uint32_t lane;
    uint32_t position;      /* in the order of all tasks, from 0 */
    uint32_t waits;         /* for tasks of the same frame in other lanes */
    uint32_t carried_waits; /* for tasks of earlier frames in other lanes */
    int records;            /* another lane waits for it */
    double start_ns, end_ns; /* predicted, from the frame's begin, as if each lane had the device to itself */
} weir_plan_entry;

/* WEIR_ERR_INVALID for a task that is not of the planned graph. */
WEIR_API WEIR_MUST_USE weir_status weir_plan_get(const weir_plan *plan, weir_task task, weir_plan_entry *out);

/* The plan in figures. */
typedef struct {
    uint64_t tasks, edges, waits, events; /* edges within a frame; waits and events of one frame in the steady state */
    uint64_t naive_waits;                 /* one a cross-lane edge */
    uint32_t lanes, frames, slots;        /* slots: CUDA graphs that a replay with all frames in flight at once would keep; 0: more than 12 */
    double makespan_ns, interval_ns;      /* predicted: one frame alone; from frame to frame in the steady state */
    double bound_ns;                      /* no plan on these lanes brings frames faster than this */
    const char *binding;                  /* what that bound is: "critical path", "lanes", "device" (its kernels), "copies to the device", "copies to
                                           * the host", "copies both ways", "host task" (the longest with state), "recurrence" (what leads from frame to
                                           * frame). A static string; weir_drawing_why names tasks */
    const char *policy;                   /* a static string */
} weir_plan_summary;

WEIR_API void weir_plan_summarise(const weir_plan *plan, weir_plan_summary *out); /* fills all of *out */

#ifdef __cplusplus
}
#endif
#endif
