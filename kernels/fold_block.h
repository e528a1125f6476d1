/* fold_block.h - for the .cu files: a block of FLUID_FOLD threads folds a value of each into one. */
#ifndef WEIR_KERNELS_FOLD_BLOCK_H
#define WEIR_KERNELS_FOLD_BLOCK_H

#include "device.h"
#include "fold_cell.h"

static __device__ __forceinline__ int thread_in_block(void)
{
    return (int)(threadIdx.y * blockDim.x + threadIdx.x);
}

/* All threads of the block call this, once a kernel; all get the result. The tree of residual.c. */
template <typename T, T (*both)(T, T)> static __device__ __forceinline__ T fold_block(T mine)
{
    __shared__ T lane[FLUID_FOLD];
    int t = thread_in_block();
    lane[t] = mine;
    __syncthreads();
    for (int half = FLUID_FOLD / 2; half > 0; half /= 2) {
        if (t < half)
            lane[t] = both(lane[t], lane[t + half]);
        __syncthreads();
    }
    return lane[0];
}

/* The place of this block in a list with an entry for each. */
static __device__ __forceinline__ int block_in_grid(void)
{
    return (int)(blockIdx.y * gridDim.x + blockIdx.x);
}

#endif
