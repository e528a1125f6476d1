/* device_kernels.cu - the device side of device_kernels.h. */
#undef NDEBUG /* an assertion has to fail in release builds too */
#include "device_kernels.h"
#include "weir/cuda.h"
#include <assert.h>

static __device__ uint32_t first_of_all(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint32_t all_threads(void)
{
    return gridDim.x * blockDim.x;
}

static __device__ unsigned long long now_ns(void)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

extern "C" __global__ void put_device(uint32_t *to, uint32_t value, uint32_t count)
{
    for (uint32_t i = first_of_all(); i < count; i += all_threads())
        to[i] = value + i;
}

extern "C" __global__ void scale_device(uint32_t *to, const uint32_t *from, uint32_t factor, uint32_t addend, uint32_t count)
{
    for (uint32_t i = first_of_all(); i < count; i += all_threads())
        to[i] = from[i] * factor + addend;
}

extern "C" __global__ void add_device(uint32_t *to, uint32_t addend, uint32_t count)
{
    for (uint32_t i = first_of_all(); i < count; i += all_threads())
        to[i] += addend;
}

extern "C" __global__ void await_device(const volatile uint32_t *flag, uint32_t *gave_up)
{
    const unsigned long long longest_ns = 20000000000ull, start = now_ns();
    while (*flag == 0)
        if (now_ns() - start > longest_ns) {
            *gave_up = 1;
            return;
        }
}

static __device__ void keep_place(uint32_t clocks)
{
    long long start = clock64();
    while (clock64() - start < (long long)clocks)
        ;
}

extern "C" __global__ void ticket_device(uint32_t *counter, uint32_t *slot, uint32_t clocks)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *slot = atomicAdd(counter, 1u);
    keep_place(clocks);
}

extern "C" __global__ void busy_device(uint32_t clocks)
{
    keep_place(clocks);
}

extern "C" __global__ void illegal_address_device(uint32_t *to, uint32_t armed)
{
    uint32_t *at = armed ? reinterpret_cast<uint32_t *>(0x10) : to;
    *at = 1;
}

extern "C" __global__ void trap_device(uint32_t *to, uint32_t armed)
{
    if (armed)
        asm volatile("trap;");
    *to = 1;
}

extern "C" __global__ void assert_device(uint32_t *to, uint32_t armed)
{
    assert(!armed);
    *to = 1;
}

#define RESOLVE(name) \
    extern "C" const void *name##_resolve(void) \
    { \
        return weir_cuda_kernel(reinterpret_cast<const void *>(name##_device)); \
    }

RESOLVE(put)
RESOLVE(scale)
RESOLVE(add)
RESOLVE(await)
RESOLVE(ticket)
RESOLVE(busy)
RESOLVE(illegal_address)
RESOLVE(trap)
RESOLVE(assert)

extern "C" int park_legacy_stream(volatile uint32_t *flag, uint32_t *gave_up)
{
    void *args[] = {&flag, &gave_up};
    return (int)cudaLaunchKernel(reinterpret_cast<const void *>(await_device), dim3(1), dim3(1), args, 0, cudaStreamLegacy);
}
