/* vector_add.cu - the device side of vector_add.c. */
#include "vector_add.h"
#include "device.h"

extern "C" __global__ void vector_add_device(float *sum, const float *a, const float *b, uint64_t first, uint64_t count)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        sum[first + i] = a[first + i] + b[first + i];
}
KERNEL_DEVICE(vector_add)
