/* shade_cell.h - the colour that one cell is seen in, and the dye that has a colour. */
#ifndef WEIR_KERNELS_SHADE_CELL_H
#define WEIR_KERNELS_SHADE_CELL_H

#include "grid.h"

typedef struct {
    const float *red, *green, *blue;
} shade_dye;

WEIR_HD float shade_density(shade_dye dye, int32_t here)
{
    return 0.3f * dye.red[here] + 0.59f * dye.green[here] + 0.11f * dye.blue[here];
}

/* Light from the upper left falls on the smoke as if its density were a height. */
WEIR_HD float shade_light(shade_dye dye, int32_t here, fluid_around to)
{
    float slope_x = shade_density(dye, here + to.right) - shade_density(dye, here + to.left);
    float slope_y = shade_density(dye, here + to.down) - shade_density(dye, here + to.up);
    return fluid_clamp(1.0f + 1.5f * (slope_x + slope_y), 0.7f, 1.3f);
}

/* Dye adds as light does; the square root makes it a screen's value. */
WEIR_HD uint8_t shade_byte(float dye, float light)
{
    return (uint8_t)(int32_t)(sqrtf(fluid_clamp(dye * light, 0.0f, 1.0f)) * 255.0f + 0.5f);
}

WEIR_HD void shade_smoke(uint8_t *rgba, shade_dye dye, int32_t here, fluid_around to)
{
    float light = shade_light(dye, here, to);
    rgba[0] = shade_byte(dye.red[here], light);
    rgba[1] = shade_byte(dye.green[here], light);
    rgba[2] = shade_byte(dye.blue[here], light);
    rgba[3] = 255;
}

WEIR_HD void shade_wall(uint8_t *rgba, const uint8_t *solid, int32_t here, fluid_around to)
{
    int lit = !solid[here + to.left] || !solid[here + to.up];
    int dark = !solid[here + to.right] || !solid[here + to.down];
    uint8_t grey = (uint8_t)(78 + 52 * lit - 30 * dark);
    rgba[0] = rgba[1] = rgba[2] = grey;
    rgba[3] = 255;
}

/* A screen's value becomes light, so that mixed colours look as they should; the shading takes the root again. Transparent parts are black. */
WEIR_HD float shade_dye_of(const uint8_t *rgba, int32_t channel)
{
    float value = (float)(rgba[channel] * rgba[3]) / 65025.0f;
    return value * value;
}

#endif
