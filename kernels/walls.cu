/* walls.cu - the device side of walls.c. */
#include "walls_cell.h"
#include "device.h"

extern "C" __global__ void fluid_clearance_device(uint8_t *out, const uint8_t *before, const uint8_t *solid, fluid_size size)
{
    int x = thread_x(), y = thread_y();
    if (x < size.nx && y < size.ny)
        out[fluid_index(size, x, y)] = walls_clearance(before, solid, size, x, y);
}
KERNEL_DEVICE(fluid_clearance)

extern "C" __global__ void fluid_openings_device(uint8_t *red, uint8_t *black, const uint8_t *solid, fluid_size size)
{
    int pitch = fluid_half(size), k = thread_x(), y = thread_y();
    if (k < pitch && y < size.ny) {
        uint8_t even = walls_openings(solid, size, 2 * k, y), odd = walls_openings(solid, size, 2 * k + 1, y);
        red[y * pitch + k] = y & 1 ? odd : even;
        black[y * pitch + k] = y & 1 ? even : odd;
    }
}
KERNEL_DEVICE(fluid_openings)
