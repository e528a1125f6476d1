/* fluid_input.h - what the smoke of `fluid-kernels` and `frames-fluid` begins with, and its state after some frames. Knows no runtime. */
#ifndef DAGBENCH_FLUID_INPUT_H
#define DAGBENCH_FLUID_INPUT_H

#include "fluid_kernels.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    fluid_size size;
    fluid_motion motion;
    uint32_t sweeps;
    uint64_t seed;    /* of the sources' ways */
    float *picture;   /* three planes */
    uint8_t *rgba;    /* the same as a picture that is uploaded */
    uint8_t *walls;
} fluid_input;

bool fluid_input_init(fluid_input *input, fluid_size size); /* false: no memory; finish it whatever comes back */
void fluid_input_finish(fluid_input *input);

/* What a frame leaves behind. */
enum { FLUID_U, FLUID_V, FLUID_DYE_RED, FLUID_DYE_GREEN, FLUID_DYE_BLUE, FLUID_PRESSURE_RED, FLUID_PRESSURE_BLACK, FLUID_PIXELS, FLUID_FIELDS };
extern const char *const fluid_field_names[FLUID_FIELDS];

typedef struct {
    void *field[FLUID_FIELDS];
} fluid_state;

size_t fluid_field_bytes(fluid_size size, int field);
bool fluid_state_init(fluid_state *state, fluid_size size); /* false: no memory; finish it whatever comes back */
void fluid_state_finish(fluid_state *state);
const char *fluid_state_difference(const fluid_state *a, const fluid_state *b, fluid_size size); /* the first field that is not equal; NULL: none */

#endif
