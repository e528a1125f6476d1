/* force_cell.h - what pushes the air of one place, and what colours it. */
#ifndef WEIR_KERNELS_FORCE_CELL_H
#define WEIR_KERNELS_FORCE_CELL_H

#include "fluid_kernels.h"

/* Not to be asked at x = 0 or y = 0, where it is 0. */
WEIR_HD float force_vorticity(const float *u, const float *v, int32_t here, int32_t nx)
{
    return (v[here] - v[here - 1]) - (u[here] - u[here - nx]);
}

/* (gradient / its length) * vorticity; a nearly flat field has no direction. */
WEIR_HD float force_confine(float along, float across, float vorticity)
{
    return across / (sqrtf(along * along + across * across) + 1e-5f) * vorticity;
}

/* Confinement at the left side of a cell; `w` points at the corner above it. */
WEIR_HD float force_confine_u(const float *w, fluid_around to)
{
    float above = w[0], below = w[to.down];
    float right = fluid_abs(w[to.right]) + fluid_abs(w[to.right + to.down]);
    float left = fluid_abs(w[to.left]) + fluid_abs(w[to.left + to.down]);
    return force_confine(0.25f * (right - left), fluid_abs(below) - fluid_abs(above), 0.5f * (above + below));
}

/* Confinement at the upper side of a cell; `w` points at the corner left of it. */
WEIR_HD float force_confine_v(const float *w, fluid_around to)
{
    float left = w[0], right = w[to.right];
    float below = fluid_abs(w[to.down]) + fluid_abs(w[to.right + to.down]);
    float above = fluid_abs(w[to.up]) + fluid_abs(w[to.right + to.up]);
    return -force_confine(0.25f * (below - above), fluid_abs(right) - fluid_abs(left), 0.5f * (left + right));
}

/* 1 at a source's centre, falling smoothly to 0 at its radius and staying there. */
WEIR_HD float force_reach(fluid_source source, float x, float y)
{
    float dx = (x - source.x) / source.radius, dy = (y - source.y) / source.radius;
    float rest = 1.0f - (dx * dx + dy * dy);
    return rest > 0.0f ? rest * rest : 0.0f;
}

/* Out of reach nothing is added, not even zero, so that a host twin may leave such places out. */
WEIR_HD float force_push(float velocity, float push, float reach)
{
    return reach > 0.0f ? velocity + push * reach : velocity;
}

WEIR_HD float force_brightness(float red, float green, float blue)
{
    return 0.3f * red + 0.59f * green + 0.11f * blue;
}

/* The velocity of a side after one frame's confinement and lift; then what one source adds. */
WEIR_HD float force_u(float u, const float *vorticity, fluid_around to, fluid_motion motion)
{
    return u * motion.keep + motion.step * motion.confinement * force_confine_u(vorticity, to);
}

WEIR_HD float force_v(float v, const float *vorticity, fluid_around to, float brightness, fluid_motion motion)
{
    return v * motion.keep + motion.step * (motion.confinement * force_confine_v(vorticity, to) - motion.lift * brightness);
}

WEIR_HD float force_push_u(float u, fluid_source source, int32_t x, int32_t y, fluid_motion motion)
{
    return force_push(u, motion.step * source.push_x, force_reach(source, (float)x, (float)y + 0.5f));
}

WEIR_HD float force_push_v(float v, fluid_source source, int32_t x, int32_t y, fluid_motion motion)
{
    return force_push(v, motion.step * source.push_y, force_reach(source, (float)x + 0.5f, (float)y));
}

/* One channel of the dye after one frame's pull towards the picture; then after one source's. */
WEIR_HD float force_feed(float dye, float picture, fluid_motion motion)
{
    return fluid_clamp(fluid_mix(dye, picture, motion.feed), 0.0f, 1.0f);
}

WEIR_HD float force_pour(float dye, fluid_source source, int32_t channel, int32_t x, int32_t y, fluid_motion motion)
{
    float reach = force_reach(source, (float)x + 0.5f, (float)y + 0.5f);
    return reach > 0.0f ? fluid_clamp(fluid_mix(dye, source.colour[channel], motion.pour * reach), 0.0f, 1.0f) : dye;
}

#endif
