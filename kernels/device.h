/* device.h - for the .cu files: where a thread stands, and how the table in the .c file finds the device function. */
#ifndef WEIR_KERNELS_DEVICE_H
#define WEIR_KERNELS_DEVICE_H

#include "weir/cuda.h"

static __device__ __forceinline__ int thread_x(void)
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int thread_y(void)
{
    return (int)(blockIdx.y * blockDim.y + threadIdx.y);
}

/* Defines `<name>_resolve` for the kernel `<name>_device` of this file. */
#define KERNEL_DEVICE(name) \
    extern "C" const void *name##_resolve(void) \
    { \
        return weir_cuda_kernel(reinterpret_cast<const void *>(name##_device)); \
    }

#endif
