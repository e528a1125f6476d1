/* cuda.h - the part of weir that needs CUDA headers; weir.h does not pull it in. For .cu files, and for C files that are
 * compiled with the CUDA toolkit's include path and linked with cudart. Of CUDA 13.0 or newer. */
#ifndef WEIR_CUDA_H
#define WEIR_CUDA_H

#include <cuda_runtime_api.h>
#include "weir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device code behind a __global__ function's address, to return from weir_kernel.resolve:
 *     extern "C" const void *scale_resolve(void) { return weir_cuda_kernel((const void *)scale_device); }
 * NULL if it cannot be had here: no driver, or no code for this device.
 * An inline function on purpose: a __global__ function is known to the copy of the CUDA runtime linked into its own module
 * (program or shared library) and to no other, so the module that holds the kernel has to ask. The answer is good in all. */
static inline const void *weir_cuda_kernel(const void *stub)
{
    cudaKernel_t kernel = NULL;
    if (cudaGetKernel(&kernel, stub) != cudaSuccess) {
        (void)cudaGetLastError(); /* not to be found by the program's next check */
        return NULL;
    }
    return (const void *)kernel;
}

#ifdef __cplusplus
}
#endif
#endif
