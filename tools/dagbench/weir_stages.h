/* weir_stages.h - frames of stages in line by weir, as a racer: what rival_stages.h has by hand. */
#ifndef DAGBENCH_WEIR_STAGES_H
#define DAGBENCH_WEIR_STAGES_H

#include "stage.h"
#include "weir_racer.h"

/* Graph and buffers are its own, since execs of one runtime share what a buffer holds. The runtime must outlive it. `apart`: stages have priorities,
 * the earlier the more urgent, which gives each a lane of its own; else they are left to the policy, and stages in line share a lane. */
bool weir_stages_make(racer *out, weir_runtime *runtime, const stages *s, weir_way way, bool apart, trouble *why);

/* Whether it has the state and the result that its frames so far must give. */
bool weir_stages_check(const racer *r, trouble *why);

#endif
