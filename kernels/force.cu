/* force.cu - the device side of force.c. */
#include "force_cell.h"
#include "device.h"

extern "C" __global__ void fluid_vorticity_device(float *out, const float *u, const float *v, fluid_size size)
{
    int x = thread_x(), y = thread_y();
    if (x < size.nx && y < size.ny) {
        int here = fluid_index(size, x, y);
        out[here] = x > 0 && y > 0 ? force_vorticity(u, v, here, size.nx) : 0.0f;
    }
}
KERNEL_DEVICE(fluid_vorticity)

extern "C" __global__ void fluid_push_u_device(float *u, const float *vorticity, const uint8_t *solid, const fluid_source *sources,
    fluid_size size, fluid_motion motion)
{
    int x = thread_x(), y = thread_y();
    if (x >= size.nx || y >= size.ny)
        return;
    int here = fluid_index(size, x, y);
    float value = force_u(u[here], vorticity + here, fluid_neighbours(size, x, y), motion);
    for (int s = 0; s < motion.sources; s++)
        value = force_push_u(value, sources[s], x, y, motion);
    u[here] = fluid_open_left(solid, size, x, y) ? value : 0.0f;
}
KERNEL_DEVICE(fluid_push_u)

extern "C" __global__ void fluid_push_v_device(float *v, const float *vorticity, const float *red, const float *green, const float *blue,
    const uint8_t *solid, const fluid_source *sources, fluid_size size, fluid_motion motion)
{
    int x = thread_x(), y = thread_y();
    if (x >= size.nx || y >= size.ny)
        return;
    int here = fluid_index(size, x, y), above = here - size.nx;
    if (!fluid_open_up(solid, size, x, y)) {
        v[here] = 0.0f;
        return;
    }
    float lifted = 0.5f * (force_brightness(red[above], green[above], blue[above]) + force_brightness(red[here], green[here], blue[here]));
    float value = force_v(v[here], vorticity + here, fluid_neighbours(size, x, y), lifted, motion);
    for (int s = 0; s < motion.sources; s++)
        value = force_push_v(value, sources[s], x, y, motion);
    v[here] = value;
}
KERNEL_DEVICE(fluid_push_v)

extern "C" __global__ void fluid_pour_device(float *dye, const float *picture, const uint8_t *solid, const fluid_source *sources,
    fluid_size size, fluid_motion motion, int32_t channel)
{
    int x = thread_x(), y = thread_y();
    if (x >= size.nx || y >= size.ny)
        return;
    int here = fluid_index(size, x, y);
    float value = solid[here] ? 0.0f : force_feed(dye[here], picture[here], motion);
    for (int s = 0; s < motion.sources; s++)
        value = solid[here] ? 0.0f : force_pour(value, sources[s], channel, x, y, motion);
    dye[here] = value;
}
KERNEL_DEVICE(fluid_pour)
