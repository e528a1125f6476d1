/* bounds.h - what no plan on these lanes can beat, and what it is that binds. */
#ifndef WEIR_PLAN_BOUNDS_H
#define WEIR_PLAN_BOUNDS_H

#include "graph/dag.h"
#include "plan/bands.h"
#include "plan/plan.h"
#include "plan/work.h"

/* From frames and carried of `plan` and the rest to all of its bounds. tail_ns as in policy.h. WEIR_ERR_NO_MEMORY. */
weir_status weir_bounds_create(const weir_dag *dag, const weir_work *work, const weir_bands *bands, const double *tail_ns, weir_plan *plan);

#endif
