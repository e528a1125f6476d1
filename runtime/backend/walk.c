/* walk.c - see walk.h. */
#include "backend/walk.h"

uint32_t weir_walk(const weir_plan *plan, const weir_lane_ops *ops, void *feeder)
{
    for (uint32_t p = 0; p < plan->tasks; p++) {
        uint32_t task = plan->order[p], lane = plan->lane[task];
        for (uint32_t w = plan->wait_first[task]; w < plan->wait_first[task + 1]; w++)
            if (!ops->wait(feeder, lane, &plan->wait[w]))
                return p;
        if (!ops->run(feeder, lane, task))
            return p;
        if (plan->records[task] && !ops->record(feeder, lane, task))
            return p;
    }
    return plan->tasks;
}
