/* dag.h - a drawing's edges by task, and an order of its tasks. */
#ifndef TOOLS_DAG_H
#define TOOLS_DAG_H

#include "weir/drawing.h"
#include <stdbool.h>

/* Task t leads to to[first[t]] ... to[first[t + 1] - 1]; the tasks in `order` follow all that lead to them, and there are fewer than
 * there are tasks if the edges form a cycle. */
typedef struct {
    uint32_t tasks, ordered;
    uint32_t *first, *to, *order;
} dag;

bool dag_init(const weir_drawing *drawing, dag *out); /* false: no memory */
void dag_finish(dag *d);

/* If there is a cycle: its edges in their order, as indices into drawing->edge, into `cycle`, which has room for as many as there are
 * tasks; returns how many. 0: no memory. */
uint32_t dag_cycle(const weir_drawing *drawing, const dag *d, uint32_t *cycle);

/* The tasks of the longest path by cost into `path`, which has room for all tasks, and their number into *count; returns its length. Of
 * equals the one of lowest numbers. There may be no cycle. Negative: no memory. */
double dag_longest_path(const weir_drawing *drawing, const dag *d, uint32_t *path, uint32_t *count);

#endif
