/* recurrence.h - how fast frames can follow each other when each needs results of the one before. */
#ifndef WEIR_PLAN_RECURRENCE_H
#define WEIR_PLAN_RECURRENCE_H

#include "graph/carried.h"
#include "graph/dag.h"

/* The largest (cost / distance) of a cycle of edges within a frame and carried ones; 0 if there is none. WEIR_ERR_NO_MEMORY. */
weir_status weir_recurrence_find(const weir_dag *dag, const weir_carried *carried, const float *cost_ns, double *ratio_ns);

#endif
