/* pressure.cu - the device side of pressure.c. */
#include "pressure_cell.h"
#include "device.h"

extern "C" __global__ void fluid_divergence_device(float *red, float *black, const float *u, const float *v, const uint8_t *open_red,
    const uint8_t *open_black, fluid_size size)
{
    int k = thread_x(), y = thread_y(), pitch = fluid_half(size);
    if (k >= pitch || y >= size.ny)
        return;
    for (int colour = 0; colour < 2; colour++) {
        int x = 2 * k + pressure_shift(y, colour), place = y * pitch + k;
        float value = 0.0f;
        if (x < size.nx) {
            int here = fluid_index(size, x, y);
            float u1 = x + 1 < size.nx ? u[here + 1] : 0.0f, v1 = y + 1 < size.ny ? v[here + size.nx] : 0.0f;
            value = pressure_divergence((colour ? open_black : open_red)[place], u[here], u1, v[here], v1);
        }
        (colour ? black : red)[place] = value;
    }
}
KERNEL_DEVICE(fluid_divergence)

/* The relaxed value of cell k of row y. */
static __device__ __forceinline__ float relaxed(const float *before, const float *other, const float *divergence, const uint8_t *open,
    fluid_size size, int k, int y, int colour, float omega)
{
    int place = y * fluid_half(size) + k;
    fluid_around to = pressure_neighbours(size, k, y, colour);
    return pressure_relax(open[place], before[place], other[place + to.left], other[place + to.right], other[place + to.up],
        other[place + to.down], divergence[place], omega);
}

extern "C" __global__ void fluid_relax_device(float *own, const float *other, const float *divergence, const uint8_t *open,
    fluid_size size, int32_t colour, float omega)
{
    int k = thread_x(), y = thread_y(), pitch = fluid_half(size);
    if (k < pitch && y < size.ny)
        own[y * pitch + k] = relaxed(own, other, divergence, open, size, k, y, colour, omega);
}
KERNEL_DEVICE(fluid_relax)

extern "C" __global__ void fluid_jacobi_device(float *own, const float *before, const float *other, const float *divergence,
    const uint8_t *open, fluid_size size, int32_t colour, float omega)
{
    int k = thread_x(), y = thread_y(), pitch = fluid_half(size);
    if (k < pitch && y < size.ny)
        own[y * pitch + k] = relaxed(before, other, divergence, open, size, k, y, colour, omega);
}
KERNEL_DEVICE(fluid_jacobi)

static __device__ __forceinline__ float pressure_at(const float *red, const float *black, int pitch, int x, int y)
{
    return ((x + y) & 1 ? black : red)[y * pitch + x / 2];
}

extern "C" __global__ void fluid_project_u_device(float *u, const float *red, const float *black, const uint8_t *solid, fluid_size size)
{
    int pitch = fluid_half(size), y = thread_y(), end = 2 * thread_x() + 2;
    if (y >= size.ny)
        return;
    for (int x = end - 2; x < end && x < size.nx; x++) {
        int here = fluid_index(size, x, y);
        u[here] = fluid_open_left(solid, size, x, y)
            ? pressure_project(1, u[here], pressure_at(red, black, pitch, x, y), pressure_at(red, black, pitch, x - 1, y))
            : 0.0f;
    }
}
KERNEL_DEVICE(fluid_project_u)

extern "C" __global__ void fluid_project_v_device(float *v, const float *red, const float *black, const uint8_t *solid, fluid_size size)
{
    int pitch = fluid_half(size), y = thread_y(), end = 2 * thread_x() + 2;
    if (y >= size.ny)
        return;
    for (int x = end - 2; x < end && x < size.nx; x++) {
        int here = fluid_index(size, x, y);
        v[here] = fluid_open_up(solid, size, x, y)
            ? pressure_project(1, v[here], pressure_at(red, black, pitch, x, y), pressure_at(red, black, pitch, x, y - 1))
            : 0.0f;
    }
}
KERNEL_DEVICE(fluid_project_v)
