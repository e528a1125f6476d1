/* waits.h - the waits of a placed plan: the unique minimal set for its lanes and order. */
#ifndef WEIR_PLAN_WAITS_H
#define WEIR_PLAN_WAITS_H

#include "graph/dag.h"
#include "plan/plan.h"

/* From tasks, lanes, order, position, lane, lane_position, lane_first and carried of `plan` and the edges of `dag` to its
 * wait_first, wait, records and naive_waits. WEIR_ERR_NO_MEMORY; WEIR_ERR_INVALID: too many tasks for so many frames. */
weir_status weir_waits_create(const weir_dag *dag, weir_plan *plan);

#endif
