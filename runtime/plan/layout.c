/* layout.c - a counting sort of the order by lane. */
#include "plan/layout.h"
#include "util/memory.h"
#include "util/status.h"

weir_status weir_layout_create(weir_plan *plan)
{
    plan->position = weir_alloc(plan->tasks, sizeof *plan->position);
    plan->lane_position = weir_alloc(plan->tasks, sizeof *plan->lane_position);
    plan->lane_first = weir_alloc((size_t)plan->lanes + 1, sizeof *plan->lane_first);
    plan->lane_task = weir_alloc(plan->tasks, sizeof *plan->lane_task);
    if (!plan->position || !plan->lane_position || !plan->lane_first || !plan->lane_task)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i];
        plan->position[task] = i;
        plan->lane_position[task] = plan->lane_first[plan->lane[task] + 1]++;
    }
    for (uint32_t l = 0; l < plan->lanes; l++)
        plan->lane_first[l + 1] += plan->lane_first[l];
    for (uint32_t t = 0; t < plan->tasks; t++)
        plan->lane_task[plan->lane_first[plan->lane[t]] + plan->lane_position[t]] = t;
    return WEIR_OK;
}
