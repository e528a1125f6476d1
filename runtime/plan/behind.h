/* behind.h - the same order on other lanes, for the order that a replay keeps on purpose. */
#ifndef WEIR_PLAN_BEHIND_H
#define WEIR_PLAN_BEHIND_H

#include "graph/dag.h"
#include "plan/bands.h"
#include "plan/work.h"

/* From `order`, topological, to `lane` (task -> a lane of its band). WEIR_ERR_NO_MEMORY. */
weir_status weir_behind_place(const weir_dag *dag, const weir_work *work, const weir_bands *bands, const uint32_t *order, uint16_t *lane);

#endif
