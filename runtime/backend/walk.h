/* walk.h - feeds a frame of a plan to lanes that keep their order: the tasks in the plan's order, each after its waits, with a record
 * where others wait for it. Exactly what the plan says, nothing more. What a lane is, the feeder knows: a stream, a stream that is
 * captured, a test that writes it all down. */
#ifndef WEIR_BACKEND_WALK_H
#define WEIR_BACKEND_WALK_H

#include "plan/plan.h"
#include <stdbool.h>

/* Each returns false to end the walk there. */
typedef struct {
    bool (*wait)(void *feeder, uint32_t lane, const weir_wait *wait); /* the lane goes on once that task is done, of the frame wait->distance frames before */
    bool (*run)(void *feeder, uint32_t lane, uint32_t task);
    bool (*record)(void *feeder, uint32_t lane, uint32_t task);       /* marks that the task just run is done, for others to wait for */
} weir_lane_ops;

/* Returns the position reached: how many tasks were run and, where they should be, recorded. */
uint32_t weir_walk(const weir_plan *plan, const weir_lane_ops *ops, void *feeder);

#endif
