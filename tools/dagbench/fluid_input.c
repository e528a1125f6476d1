/* fluid_input.c - see fluid_input.h. A picture of stripes, and a wall in the middle. */
#include "fluid_input.h"
#include "fluid_sources.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 20, STRIPE = 64 };

const char *const fluid_field_names[FLUID_FIELDS] = {"u", "v", "red", "green", "blue", "pressure red", "pressure black", "pixels"};

bool fluid_input_init(fluid_input *input, fluid_size size)
{
    *input = (fluid_input){.size = size, .motion = fluid_motion_for(size), .sweeps = SWEEPS, .seed = 1};
    size_t cells = (size_t)size.nx * (size_t)size.ny;
    input->picture = malloc(3 * cells * sizeof *input->picture);
    input->rgba = malloc(4 * cells);
    input->walls = calloc(cells, 1);
    if (!input->picture || !input->rgba || !input->walls)
        return false;
    memset(input->rgba, 255, 4 * cells);
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < size.ny; y++)
            for (int x = 0; x < size.nx; x++) {
                const size_t cell = (size_t)y * (size_t)size.nx + (size_t)x;
                const float light = (float)((x + (c + 1) * y) / STRIPE % 8) / 8.0f;
                input->picture[(size_t)c * cells + cell] = light;
                input->rgba[4 * cell + (size_t)c] = (uint8_t)(255.0f * sqrtf(light));
            }
    for (int y = 2 * size.ny / 5; y < size.ny / 2; y++)
        memset(input->walls + (size_t)y * (size_t)size.nx + 2 * size.nx / 5, 1, (size_t)size.nx / 5);
    return true;
}

void fluid_input_finish(fluid_input *input)
{
    free(input->picture);
    free(input->rgba);
    free(input->walls);
    *input = (fluid_input){.picture = NULL};
}

size_t fluid_field_bytes(fluid_size size, int field)
{
    bool is_half = field == FLUID_PRESSURE_RED || field == FLUID_PRESSURE_BLACK;
    return (size_t)(is_half ? fluid_half(size) : size.nx) * (size_t)size.ny * 4;
}

bool fluid_state_init(fluid_state *state, fluid_size size)
{
    bool room = true;
    for (int i = 0; i < FLUID_FIELDS; i++)
        room = (state->field[i] = malloc(fluid_field_bytes(size, i))) && room;
    return room;
}

void fluid_state_finish(fluid_state *state)
{
    for (int i = 0; i < FLUID_FIELDS; i++)
        free(state->field[i]);
    *state = (fluid_state){.field = {NULL}};
}

const char *fluid_state_difference(const fluid_state *a, const fluid_state *b, fluid_size size)
{
    for (int i = 0; i < FLUID_FIELDS; i++)
        if (memcmp(a->field[i], b->field[i], fluid_field_bytes(size, i)) != 0)
            return fluid_field_names[i];
    return NULL;
}
