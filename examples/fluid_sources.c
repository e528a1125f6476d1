/* fluid_sources.c - each source follows a Lissajous figure of its own, pushes the way it goes and leaves its colour behind. */
#include "fluid_sources.h"
#include <math.h>

/* The box that the constants below were chosen in. */
static float scale_of(fluid_size size)
{
    float least = (float)(size.nx < size.ny ? size.nx : size.ny);
    return least / 360.0f;
}

fluid_motion fluid_motion_for(fluid_size size)
{
    float scale = scale_of(size);
    fluid_motion motion = {
        .step = 1.0f,
        .confinement = 0.045f * scale,
        .lift = 0.04f * scale,
        .keep = 0.995f,
        .feed = 0.018f,
        .pour = 0.12f,
        .sources = FLUID_SOURCES,
    };
    return motion;
}

/* Steele, Lea and Flood's SplitMix64 (2014): numbers from 0 to 1, one after another. */
static float next_number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (float)((z ^ (z >> 31)) >> 40) / 16777216.0f;
}

/* A full colour: `hue` from 0 to 1 goes once around the circle. */
static void colour_of(float hue, float out[3])
{
    for (int channel = 0; channel < 3; channel++) {
        float turn = 6.2831853f * (hue - (float)channel / 3.0f);
        float value = 0.5f + 0.6f * cosf(turn);
        out[channel] = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
    }
}

void fluid_sources_at(uint64_t seed, uint64_t frame, fluid_size size, fluid_source out[FLUID_SOURCES])
{
    float scale = scale_of(size), time = (float)frame, turn = next_number(&seed);
    for (int i = 0; i < FLUID_SOURCES; i++) {
        float rate_x = 0.016f + 0.014f * next_number(&seed), phase_x = 6.2831853f * next_number(&seed);
        float rate_y = 0.016f + 0.014f * next_number(&seed), phase_y = 6.2831853f * next_number(&seed);
        float angle_x = rate_x * time + phase_x, angle_y = rate_y * time + phase_y;
        float go_x = rate_x * cosf(angle_x), go_y = rate_y * cosf(angle_y);
        float speed = sqrtf(go_x * go_x + go_y * go_y) + 1e-6f;
        out[i].x = (float)size.nx * (0.5f + 0.42f * sinf(angle_x));
        out[i].y = (float)size.ny * (0.5f + 0.40f * sinf(angle_y));
        out[i].radius = 30.0f * scale;
        out[i].push_x = 0.9f * scale * go_x / speed;
        out[i].push_y = 0.9f * scale * go_y / speed;
        colour_of(turn + (float)i / FLUID_SOURCES, out[i].colour);
    }
}
