/* device_kernels.cu - the device side of device_kernels.h. */
#undef NDEBUG /* an assertion has to fail in release builds too */
#include "device_kernels.h"
#include "weir/cuda.h"
#include <assert.h>
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

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

extern "C" __global__ void decide_device(uint32_t *word, uint32_t *seen, uint32_t calls, uint32_t lies, weir_decision decision)
{
    uint32_t left = *word - 1;
    for (uint32_t call = 0; call < calls; call++)
        weir_decide(decision, (left != 0) != (lies != 0));
    *seen = *word = left;
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

static __device__ uint32_t dynamic_shared_bytes(void)
{
    uint32_t bytes;
    asm volatile("mov.u32 %0, %dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

/* Before sm_90 there are no clusters: each block is its own. */
static __device__ dim3 cluster_of_blocks(void)
{
#if __CUDA_ARCH__ >= 900
    return groups::this_cluster().dim_blocks();
#else
    return dim3(1, 1, 1);
#endif
}

static __device__ void put_dim(uint32_t *to, dim3 dim)
{
    to[0] = dim.x;
    to[1] = dim.y;
    to[2] = dim.z;
}

static __device__ void tell_launch(uint32_t *out)
{
    extern __shared__ unsigned char all_of_it[];
    bool first_thread = threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0;
    if (first_thread && dynamic_shared_bytes() > 0)
        all_of_it[dynamic_shared_bytes() - 1] = 1;
    if (first_thread && blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0) {
        put_dim(out + FOUND_GRID, gridDim);
        put_dim(out + FOUND_BLOCK, blockDim);
        put_dim(out + FOUND_CLUSTER, cluster_of_blocks());
        out[FOUND_SHARED] = dynamic_shared_bytes();
        out[FOUND_COOPERATIVE] = groups::this_grid().is_valid();
    }
    atomicAdd(&out[FOUND_THREADS], 1u);
}

extern "C" __global__ void found_device(uint32_t *out)
{
    tell_launch(out);
}

extern "C" __global__ void together_device(uint32_t *out)
{
    groups::grid_group grid = groups::this_grid();
    tell_launch(out);
    if (!grid.is_valid())
        return;
    grid.sync();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0 && atomicAdd(&out[FOUND_THREADS], 0u) == grid.num_threads())
        atomicAdd(&out[FOUND_NUMBERS], 1u);
}

extern "C" __global__ void programmatic_device(uint32_t *to, uint32_t addend, uint32_t count)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    for (uint32_t i = first_of_all(); i < count; i += all_threads())
        to[i] += addend;
}

#define RESOLVE(name) \
    extern "C" const void *name##_resolve(void) \
    { \
        return weir_cuda_kernel(reinterpret_cast<const void *>(name##_device)); \
    }

RESOLVE(put)
RESOLVE(scale)
RESOLVE(add)
RESOLVE(decide)
RESOLVE(await)
RESOLVE(ticket)
RESOLVE(busy)
RESOLVE(found)
RESOLVE(together)
RESOLVE(programmatic)
RESOLVE(illegal_address)
RESOLVE(trap)
RESOLVE(assert)

extern "C" int park_legacy_stream(volatile uint32_t *flag, uint32_t *gave_up)
{
    void *args[] = {&flag, &gave_up};
    return (int)cudaLaunchKernel(reinterpret_cast<const void *>(await_device), dim3(1), dim3(1), args, 0, cudaStreamLegacy);
}
