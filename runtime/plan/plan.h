/* plan.h - the plan as data. Made by create.c from what the other files of this room compute; read by run, backends,
 * observe and the checker. Tasks count from 0, as in graph/body.h. */
#ifndef WEIR_PLAN_PLAN_H
#define WEIR_PLAN_PLAN_H

#include "graph/body.h"
#include "graph/carried.h"
#include "plan/recurrence.h"
#include "weir/plan.h"
#include <stdatomic.h>

enum { WEIR_LANES_MOST = 1024, WEIR_SLOTS_MOST = 12 };

/* What keeps frames from coming faster, see bounds.c. */
typedef enum {
    WEIR_BOUND_PATH, WEIR_BOUND_LANES,
    WEIR_BOUND_KERNELS, WEIR_BOUND_COPIES_IN, WEIR_BOUND_COPIES_OUT, WEIR_BOUND_COPIES, /* of a device; the last: both ways */
    WEIR_BOUND_HOST_TASK, WEIR_BOUND_RECURRENCE,
    WEIR_BOUND_WORKERS, WEIR_BOUND_LAUNCHES, /* what an exec adds, which knows what it runs on */
    WEIR_BOUNDS
} weir_bound;
const char *weir_bound_name(weir_bound bound); /* static */

/* Before a task starts: `task` of the frame `distance` frames before (0: of the same frame) is done. */
typedef struct {
    uint32_t task, distance;
} weir_wait;

struct weir_plan {
    atomic_uint holders;
    const weir_body *body; /* held */
    const char *policy;    /* static */
    uint32_t tasks, lanes, frames;
    uint32_t ring_copies;  /* what AUTO rings were planned with: an exec needs as many or more */
    uint32_t slots;        /* for a replay; 0: more than WEIR_SLOTS_MOST */
    uint32_t *order;       /* position -> task; a topological order */
    uint32_t *position;    /* task -> position */
    uint16_t *lane;        /* task -> lane */
    uint32_t *lane_position; /* task -> index within its lane */
    uint32_t *lane_first;  /* lanes + 1, into lane_task */
    uint32_t *lane_task;   /* lane by lane, each in the plan's order */
    int32_t *lane_priority; /* lane -> the most urgent user priority of its band */
    uint32_t *pred_first, *pred; /* the edges within a frame, as in graph/dag.h */
    uint64_t edges;
    weir_carried carried;  /* those of distance < frames */
    uint32_t *wait_first;  /* task -> its waits: wait[wait_first[t]] .. wait[wait_first[t + 1] - 1], in-frame ones first */
    weir_wait *wait;
    uint8_t *records;      /* task -> 1 if some task in another lane waits for it, in its own frame or a later one */
    double *start_ns, *end_ns; /* task -> predicted, one frame alone */
    double makespan_ns, interval_ns, bound_ns;
    double each_bound_ns[WEIR_BOUND_WORKERS]; /* 0: it does not bind */
    weir_bound binding;    /* the largest of these, which is bound_ns */
    double critical_ns;    /* longest path of a frame */
    weir_recurrence recurrence; /* longest cycle from frame to frame */
    double host_ns;        /* of all host tasks */
    uint32_t launches;     /* tasks that a device is given */
    uint64_t naive_waits;
    weir_plan **inner;     /* of each of body->inner, planned for one lane and one frame; held, the same of the same body */
};

weir_plan *weir_plan_hold(const weir_plan *plan);
/* What follows from which lane each task has: lists, waits, times. While a plan is made. */
void weir_plan_drop_lanes(weir_plan *plan);
void weir_plan_forget_lanes(weir_plan *plan); /* they are another's */
/* The same graph and options, planned anew for so many lanes, 1 to WEIR_LANES_MOST, whose order a replay keeps on purpose: by the same policy, but each
 * task behind one that it follows where it can be (behind.h). WEIR_ERR_NO_MEMORY. */
weir_status weir_plan_again(const weir_plan *plan, uint32_t lanes, weir_plan **out);
/* Calls `look` for each of plan->inner, once where several are the same, and not for what is inside those. What fails there is said with the names of
 * body and task before it. WEIR_ERR_NO_MEMORY. */
weir_status weir_plan_each_body(const weir_plan *plan, weir_status (*look)(void *user, const weir_plan *body), void *user);
bool weir_plan_is_valid(const weir_plan *plan); /* its arrays agree with each other; for assert */

#endif
