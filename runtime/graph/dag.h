/* dag.h - all edges within a frame, derived and explicit, as adjacency in both directions. Never written after it is made. */
#ifndef WEIR_GRAPH_DAG_H
#define WEIR_GRAPH_DAG_H

#include "graph/body.h"

typedef struct {
    uint32_t tasks, edges;
    uint32_t *pred_first, *pred; /* task t follows pred[pred_first[t]] .. pred[pred_first[t + 1] - 1]: ascending, none twice */
    uint32_t *succ_first, *succ; /* the same the other way round */
    uint32_t *order;             /* a topological order, or NULL where the order of declaration is one */
} weir_dag;

static inline uint32_t weir_dag_task_at(const weir_dag *dag, uint32_t position)
{
    return dag->order ? dag->order[position] : position;
}

/* WEIR_ERR_CYCLE names the cycle's tasks in order: "a -> b -> a". WEIR_ERR_NO_MEMORY. */
weir_status weir_dag_create(const weir_body *body, weir_dag *out);
void weir_dag_finish(weir_dag *dag); /* zeroed and moved-from is fine */

#endif
