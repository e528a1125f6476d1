/* fluid_sources.h - what stirs the smoke: a few coloured sources on their ways through the box, and the constants of its motion. */
#ifndef WEIR_EXAMPLES_FLUID_SOURCES_H
#define WEIR_EXAMPLES_FLUID_SOURCES_H

#include "fluid_kernels.h"

enum { FLUID_SOURCES = 5 };

/* The motion that looks alike at every size: velocities and pushes grow with the box. */
fluid_motion fluid_motion_for(fluid_size size);

/* The sources in frame `frame` (0, 1, ...). A pure function: the same seed gives the same smoke. */
void fluid_sources_at(uint64_t seed, uint64_t frame, fluid_size size, fluid_source out[FLUID_SOURCES]);

#endif
