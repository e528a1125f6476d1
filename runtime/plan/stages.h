/* stages.h - the same order on other lanes, for frames in flight. */
#ifndef WEIR_PLAN_STAGES_H
#define WEIR_PLAN_STAGES_H

#include "plan/bands.h"
#include "plan/plan.h"
#include "plan/work.h"

/* From order and tasks of `plan` to `lane` (task -> a lane of its band). WEIR_ERR_NO_MEMORY. */
weir_status weir_stages_place(const weir_work *work, const weir_bands *bands, const weir_plan *plan, uint16_t *lane);

#endif
