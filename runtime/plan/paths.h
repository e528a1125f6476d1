/* paths.h - what the shape of a DAG says by itself: the level of each task, and the longest path from it to the end. */
#ifndef WEIR_PLAN_PATHS_H
#define WEIR_PLAN_PATHS_H

#include "graph/dag.h"

/* A task's level is the number of edges on the longest path that leads to it: no edge joins two tasks of one level. */
typedef struct {
    uint32_t *level;       /* task -> level */
    uint32_t *first;       /* count + 1, into by_level */
    uint32_t *by_level;    /* tasks level by level, ascending in each */
    uint32_t count, width; /* levels; tasks of the widest */
} weir_levels;

weir_status weir_levels_create(const weir_dag *dag, weir_levels *out); /* WEIR_ERR_NO_MEMORY */
void weir_levels_finish(weir_levels *levels);                          /* zeroed is fine */

/* task -> cost of the costliest path that starts with it, itself included. NULL: no memory. */
double *weir_tails_create(const weir_dag *dag, const float *cost_ns);

/* Number i of a topological order. */
static inline uint32_t weir_dag_at(const weir_dag *dag, uint32_t i)
{
    return dag->order ? dag->order[i] : i;
}

#endif
