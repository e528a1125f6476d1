/* timeline.h - when each task would run if costs were true and lanes did not disturb each other. */
#ifndef WEIR_PLAN_TIMELINE_H
#define WEIR_PLAN_TIMELINE_H

#include "plan/plan.h"

/* From order, lane, waits and frames of `plan` to start_ns, end_ns, makespan_ns and interval_ns. WEIR_ERR_NO_MEMORY. */
weir_status weir_timeline_create(const float *cost_ns, weir_plan *plan);
/* The first `frames` frames, from order, lane, waits and frames of `plan`: task t of frame n from start_ns[n * tasks + t] to end_ns[n * tasks + t],
 * counted from the begin of the first. WEIR_ERR_NO_MEMORY. */
weir_status weir_timeline_play(const float *cost_ns, const weir_plan *plan, uint32_t frames, double *start_ns, double *end_ns);

#endif
