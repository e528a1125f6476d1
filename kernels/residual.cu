/* residual.cu - the device side of residual.c. */
#include "pressure_cell.h"
#include "fold_block.h"

extern "C" __global__ void __launch_bounds__(FLUID_FOLD) fluid_sum_device(fluid_sums *list, const float *divergence_red,
    const float *divergence_black, const float *red, const float *black, const uint8_t *open_red, const uint8_t *open_black, fluid_size size)
{
    int k = thread_x(), y = thread_y(), pitch = fluid_half(size), i = y * pitch + k;
    fluid_sums mine = {0.0, 0.0, 0.0};
    if (k < pitch && y < size.ny)
        mine = fold_add(fold_cell(open_red[i], divergence_red[i], red[i]), fold_cell(open_black[i], divergence_black[i], black[i]));
    fluid_sums all = fold_block<fluid_sums, fold_add>(mine);
    if (thread_in_block() == 0)
        list[block_in_grid()] = all;
}
KERNEL_DEVICE(fluid_sum)

extern "C" __global__ void __launch_bounds__(FLUID_FOLD) fluid_mean_device(fluid_means *means, const fluid_sums *list, int32_t count)
{
    fluid_sums mine = {0.0, 0.0, 0.0};
    for (int i = thread_in_block(); i < count; i += FLUID_FOLD)
        mine = fold_add(mine, list[i]);
    fluid_sums all = fold_block<fluid_sums, fold_add>(mine);
    if (thread_in_block() == 0)
        *means = fold_means(all);
}
KERNEL_DEVICE(fluid_mean)

extern "C" __global__ void fluid_centre_device(float *divergence_red, float *divergence_black, float *red, float *black,
    const uint8_t *open_red, const uint8_t *open_black, const fluid_means *means, fluid_size size)
{
    int k = thread_x(), y = thread_y(), pitch = fluid_half(size), i = y * pitch + k;
    if (k >= pitch || y >= size.ny)
        return;
    fluid_means mean = *means;
    divergence_red[i] = pressure_centre(open_red[i], divergence_red[i], mean.divergence);
    divergence_black[i] = pressure_centre(open_black[i], divergence_black[i], mean.divergence);
    red[i] = pressure_centre(open_red[i], red[i], mean.pressure);
    black[i] = pressure_centre(open_black[i], black[i], mean.pressure);
}
KERNEL_DEVICE(fluid_centre)

static __device__ __forceinline__ float residual_at(const float *own, const float *other, const float *divergence, const uint8_t *open,
    fluid_size size, int k, int y, int colour)
{
    int i = y * fluid_half(size) + k;
    fluid_around to = pressure_neighbours(size, k, y, colour);
    return fluid_abs(pressure_residual(open[i], own[i], other[i + to.left], other[i + to.right], other[i + to.up], other[i + to.down],
        divergence[i]));
}

extern "C" __global__ void __launch_bounds__(FLUID_FOLD) fluid_residual_device(float *list, const float *red, const float *black,
    const float *divergence_red, const float *divergence_black, const uint8_t *open_red, const uint8_t *open_black, fluid_size size)
{
    int k = thread_x(), y = thread_y();
    float mine = 0.0f;
    if (k < fluid_half(size) && y < size.ny)
        mine = fold_greater(residual_at(red, black, divergence_red, open_red, size, k, y, FLUID_RED),
            residual_at(black, red, divergence_black, open_black, size, k, y, FLUID_BLACK));
    float greatest = fold_block<float, fold_greater>(mine);
    if (thread_in_block() == 0)
        list[block_in_grid()] = greatest;
}
KERNEL_DEVICE(fluid_residual)

/* All threads get the greatest of the list. */
static __device__ __forceinline__ float greatest_of(const float *list, int32_t count)
{
    float mine = 0.0f;
    for (int i = thread_in_block(); i < count; i += FLUID_FOLD)
        mine = fold_greater(mine, list[i]);
    return fold_block<float, fold_greater>(mine);
}

extern "C" __global__ void __launch_bounds__(FLUID_FOLD) fluid_judge_device(float *residual, uint32_t *too_much, const float *list,
    int32_t count, float tolerance)
{
    float greatest = greatest_of(list, count);
    if (thread_in_block() == 0) {
        *residual = greatest;
        *too_much = fold_judge(greatest, tolerance);
    }
}
KERNEL_DEVICE(fluid_judge)

extern "C" __global__ void __launch_bounds__(FLUID_FOLD) fluid_judge_round_device(float *residual, uint32_t *too_much, const float *list,
    int32_t count, float tolerance, weir_decision decision)
{
    float greatest = greatest_of(list, count);
    if (thread_in_block() == 0) {
        uint32_t more = fold_judge(greatest, tolerance);
        weir_decide(decision, more != 0);
        *residual = greatest;
        *too_much = more;
    }
}
KERNEL_DEVICE(fluid_judge_round)
