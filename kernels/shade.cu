/* shade.cu - the device side of shade.c. */
#include "shade_cell.h"
#include "device.h"

extern "C" __global__ void fluid_shade_device(uint8_t *rgba, const float *red, const float *green, const float *blue, const uint8_t *solid,
    fluid_size size)
{
    int x = thread_x(), y = thread_y();
    if (x >= size.nx || y >= size.ny)
        return;
    int here = fluid_index(size, x, y);
    shade_dye dye = {red, green, blue};
    uint8_t *out = rgba + 4 * (int64_t)here;
    if (solid[here])
        shade_wall(out, solid, here, fluid_neighbours(size, x, y));
    else
        shade_smoke(out, dye, here, fluid_neighbours(size, x, y));
}
KERNEL_DEVICE(fluid_shade)

extern "C" __global__ void fluid_paint_device(float *red, float *green, float *blue, const uint8_t *rgba, fluid_size size)
{
    int x = thread_x(), y = thread_y();
    if (x >= size.nx || y >= size.ny)
        return;
    int here = fluid_index(size, x, y);
    const uint8_t *pixel = rgba + 4 * (int64_t)here;
    red[here] = shade_dye_of(pixel, 0);
    green[here] = shade_dye_of(pixel, 1);
    blue[here] = shade_dye_of(pixel, 2);
}
KERNEL_DEVICE(fluid_paint)
