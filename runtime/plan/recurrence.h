/* recurrence.h - how fast frames can follow each other when each needs results of the one before. */
#ifndef WEIR_PLAN_RECURRENCE_H
#define WEIR_PLAN_RECURRENCE_H

#include "graph/carried.h"
#include "graph/dag.h"

/* The cycle of edges within a frame and carried ones that costs most for its distance. Zeroed: there is none. */
typedef struct {
    double ratio_ns;    /* cost / distance */
    uint32_t *task;     /* each after the one before it, and the first after the last; the first follows a task of an earlier frame */
    uint32_t count, distance;
} weir_recurrence;

/* On success *out is the caller's, to finish. WEIR_ERR_NO_MEMORY. */
weir_status weir_recurrence_find(const weir_dag *dag, const weir_carried *carried, const float *cost_ns, weir_recurrence *out);
void weir_recurrence_finish(weir_recurrence *recurrence); /* zeroed is fine */

#endif
