/* timeline.h - when each task would run if costs were true and lanes did not disturb each other. */
#ifndef WEIR_PLAN_TIMELINE_H
#define WEIR_PLAN_TIMELINE_H

#include "plan/plan.h"

/* From order, lane, waits and frames of `plan` to start_ns, end_ns, makespan_ns and interval_ns. WEIR_ERR_NO_MEMORY. */
weir_status weir_timeline_create(const float *cost_ns, weir_plan *plan);

#endif
