/* stage.cu - see stage.h. The first number is read when a kernel begins and the last one when it ends, what it changes is read first and written
 * last: so one that starts too early, or that the next frame does not wait for, gives another result. */
#include "stage.h"
#include "weir/cuda.h"

static __device__ void last_for(long long ticks)
{
    long long start = clock64();
    while (clock64() - start < ticks)
        ;
}

extern "C" __global__ void dagbench_fold(const volatile unsigned *from, volatile unsigned *state, volatile unsigned *to, unsigned last, long long ticks)
{
    if (threadIdx.x != 0)
        return;
    unsigned first = from[0], old = *state;
    last_for(ticks);
    unsigned next = first == from[last] ? STAGE_NEXT(old, first) : 0u;
    to[0] = next;
    to[last] = next;
    *state = next;
}

extern "C" __global__ void dagbench_pass(const volatile unsigned *from, volatile unsigned *to, unsigned last, long long ticks)
{
    if (threadIdx.x != 0)
        return;
    unsigned first = from[0];
    last_for(ticks);
    unsigned sum = first + from[last];
    to[0] = sum;
    to[last] = sum;
}

extern "C" const void *stage_fold_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_fold));
}

extern "C" const void *stage_pass_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_pass));
}
