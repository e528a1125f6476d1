/* fluid_rival.h - the smoke of examples/fluid as a CUDA graph by hand: the same kernels, launch shapes and copies, edges where the data ask for
 * them. Includes nothing of weir but the tables of the kernels. */
#ifndef DAGBENCH_FLUID_RIVAL_H
#define DAGBENCH_FLUID_RIVAL_H

#include "fluid_input.h"
#include "race.h"

/* `in_line`: one node after another instead of true edges. The input must outlive it. */
bool fluid_rival_make(racer *out, const fluid_input *input, bool in_line, trouble *why);

/* After the frames that it ran. */
bool fluid_rival_state(const racer *r, fluid_state *state, trouble *why);

#endif
