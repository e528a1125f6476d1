/* periodic.cu - the device side of periodic.c. */
#include "periodic_cell.h"
#include "fold_block.h"

extern "C" __global__ void periodic_divide_device(periodic_mode *spectrum, const float *along_x, const float *along_y, fluid_size size)
{
    int x = thread_x(), y = thread_y(), modes = size.nx / 2 + 1;
    if (x < modes && y < size.ny)
        spectrum[y * modes + x] = periodic_divided(spectrum[y * modes + x], along_x[x], along_y[y], (float)size.nx * (float)size.ny);
}
KERNEL_DEVICE(periodic_divide)

extern "C" __global__ void __launch_bounds__(FLUID_FOLD) periodic_residual_device(float *list, const float *pressure,
    const float *divergence, fluid_size size)
{
    int x = thread_x(), y = thread_y();
    float mine = x < size.nx && y < size.ny ? periodic_lack(pressure, divergence, size, x, y) : 0.0f;
    float greatest = fold_block<float, fold_greater>(mine);
    if (thread_in_block() == 0)
        list[block_in_grid()] = greatest;
}
KERNEL_DEVICE(periodic_residual)
