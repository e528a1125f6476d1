/* advect.cu - the device side of advect.c. */
#include "advect_cell.h"
#include "device.h"
#include "fluid_kernels.h"

extern "C" __global__ void fluid_advect_u_device(float *out, const float *u, const float *v, const uint8_t *solid, const uint8_t *clearance,
    fluid_size size, float step)
{
    int x = thread_x(), y = thread_y();
    if (x < size.nx && y < size.ny)
        out[fluid_index(size, x, y)] = advect_u(u, v, solid, clearance, size, step, x, y);
}
KERNEL_DEVICE(fluid_advect_u)

extern "C" __global__ void fluid_advect_v_device(float *out, const float *u, const float *v, const uint8_t *solid, const uint8_t *clearance,
    fluid_size size, float step)
{
    int x = thread_x(), y = thread_y();
    if (x < size.nx && y < size.ny)
        out[fluid_index(size, x, y)] = advect_v(u, v, solid, clearance, size, step, x, y);
}
KERNEL_DEVICE(fluid_advect_v)

extern "C" __global__ void fluid_trace_device(float *from_x, float *from_y, const float *u, const float *v, const uint8_t *solid,
    const uint8_t *clearance, fluid_size size, float step)
{
    int x = thread_x(), y = thread_y();
    if (x < size.nx && y < size.ny) {
        advect_point from = advect_trace(u, v, solid, clearance, size, step, x, y);
        from_x[fluid_index(size, x, y)] = from.x;
        from_y[fluid_index(size, x, y)] = from.y;
    }
}
KERNEL_DEVICE(fluid_trace)

extern "C" __global__ void fluid_advect_dye_device(float *out, const float *dye, const float *from_x, const float *from_y,
    const uint8_t *solid, const uint8_t *clearance, fluid_size size)
{
    int x = thread_x(), y = thread_y();
    if (x < size.nx && y < size.ny) {
        int here = fluid_index(size, x, y);
        advect_point from = {from_x[here], from_y[here]};
        out[here] = advect_dye(dye, solid, clearance, size, from);
    }
}
KERNEL_DEVICE(fluid_advect_dye)
