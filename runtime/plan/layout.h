/* layout.h - the lanes of a plan as lists. */
#ifndef WEIR_PLAN_LAYOUT_H
#define WEIR_PLAN_LAYOUT_H

#include "plan/plan.h"

/* From tasks, lanes, order and lane of `plan` to its position, lane_position, lane_first and lane_task. WEIR_ERR_NO_MEMORY. */
weir_status weir_layout_create(weir_plan *plan);

#endif
