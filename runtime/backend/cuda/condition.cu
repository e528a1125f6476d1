/* condition.cu - the kernels that decide loops and branches. */
#include "backend/cuda/condition.h"
#include "weir/cuda.h"

static __global__ void enter(cudaGraphConditionalHandle handle, condition c)
{
    cudaGraphSetConditional(handle, condition_enter(&c));
}

static __global__ void again(cudaGraphConditionalHandle handle, condition c)
{
    cudaGraphSetConditional(handle, condition_again(&c));
}

extern "C" const void *weir_cuda_condition_enter(void)
{
    return weir_cuda_kernel((const void *)enter);
}

extern "C" const void *weir_cuda_condition_again(void)
{
    return weir_cuda_kernel((const void *)again);
}
