/* cuda_fixture.h - a CUDA runtime in a line, pinned memory, and main programs that are skipped where there is no device. */
#ifndef TESTS_BACKEND_CUDA_FIXTURE_H
#define TESTS_BACKEND_CUDA_FIXTURE_H

#include "run/fixture.h"
#include <cuda_runtime_api.h>
#include <stdint.h>

enum { SKIPPED = 77 };

#define CUDA(call)                                                                                                                         \
    do {                                                                                                                                   \
        cudaError_t cuda_status = (call);                                                                                                  \
        ck_assert_msg(cuda_status == cudaSuccess, "%s: %s", #call, cudaGetErrorString(cuda_status));                                       \
    } while (0)

/* Asked through CUDA, not through weir: a weir that finds no device where there is one fails its tests. */
static inline int devices(void)
{
    int count = 0; /* CUDA leaves it alone where it fails */
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

static inline void skip_without_device(void)
{
    if (devices() > 0)
        return;
    printf("skipped: no CUDA device\n");
    exit(SKIPPED);
}

static inline weir_runtime *cuda_runtime_with(uint32_t workers, uint32_t lanes_max)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "cuda", .workers = workers, .lanes_max = lanes_max}, &runtime));
    ck_assert_str_eq(weir_runtime_backend(runtime), "cuda");
    return runtime;
}

static inline weir_runtime *cuda_runtime(void)
{
    return cuda_runtime_with(4, 0);
}

static inline weir_exec *exec_in_mode(weir_runtime *runtime, const weir_graph *graph, uint32_t frames, const char *mode)
{
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.frames = frames}, &(weir_exec_options){.mode = mode});
    weir_stats stats;
    weir_exec_stats(exec, &stats);
    ck_assert_str_eq(stats.mode, mode);
    return exec;
}

/* Zeros that host and device both reach, at the same address. */
static inline void *pinned(size_t bytes)
{
    void *memory = NULL;
    CUDA(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    memset(memory, 0, bytes);
    return memory;
}

static inline uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static const char *const cuda_modes[] = {"eager", "replay", "capture"};
enum { CUDA_MODES = 3 };

#endif
