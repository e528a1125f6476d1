/* countdown.cu - see countdown.h. */
#include "countdown.h"
#include "weir/cuda.h"

extern "C" __global__ void dagbench_countdown(unsigned *word)
{
    *word -= 1;
}

extern "C" __global__ void dagbench_countdown_set(unsigned *word, cudaGraphConditionalHandle loop)
{
    unsigned left = *word - 1;
    *word = left;
    cudaGraphSetConditional(loop, left != 0);
}

extern "C" __global__ void dagbench_countdown_decide(unsigned *word, weir_decision loop)
{
    unsigned left = *word - 1;
    weir_decide(loop, left != 0);
    *word = left;
}

extern "C" __global__ void dagbench_countdown_look(const unsigned *word, cudaGraphConditionalHandle loop)
{
    cudaGraphSetConditional(loop, *word != 0);
}

extern "C" const void *countdown_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_countdown));
}

extern "C" const void *countdown_set_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_countdown_set));
}

extern "C" const void *countdown_decide_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_countdown_decide));
}

extern "C" const void *countdown_look_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_countdown_look));
}
