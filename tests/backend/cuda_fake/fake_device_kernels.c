/* fake_device_kernels.c - device_kernels.cu for the fake CUDA: the host twins of device_kernels.c, and such as these have none. Faults are left out. */
#include "fake_cuda.h"
#include "backend/cuda/device_kernels.h"
#include <sched.h>
#include <stdbool.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void decide_twin(const weir_blocks *blocks, void *const *args)
{
    uint32_t *word = WEIR_PASSED(uint32_t *, args, 0), left = *word - 1;
    (void)blocks;
    for (uint32_t call = 0; call < WEIR_PASSED(uint32_t, args, 2); call++)
        fake_cuda_decide(WEIR_PASSED(weir_decision, args, 4), (left != 0) != (WEIR_PASSED(uint32_t, args, 3) != 0));
    *WEIR_PASSED(uint32_t *, args, 1) = *word = left;
}

/* The host writes the flag as plain memory, which devices may be told by. */
__attribute__((no_sanitize("thread"))) static void await_twin(const weir_blocks *blocks, void *const *args)
{
    const int64_t longest_ns = 20000000000, start = now_ns();
    (void)blocks;
    while (*WEIR_PASSED(volatile uint32_t *, args, 0) == 0) {
        if (now_ns() - start > longest_ns) {
            *WEIR_PASSED(volatile uint32_t *, args, 1) = 1;
            return;
        }
        sched_yield();
    }
}

static void keep_place(uint32_t clocks)
{
    for (int64_t start = now_ns(); now_ns() - start < (int64_t)clocks / 2;) /* as of 2 GHz */
        sched_yield();
}

static void ticket_twin(const weir_blocks *blocks, void *const *args)
{
    if (blocks->first == 0)
        *WEIR_PASSED(uint32_t *, args, 1) = __atomic_fetch_add(WEIR_PASSED(uint32_t *, args, 0), 1, __ATOMIC_ACQ_REL);
    keep_place(WEIR_PASSED(uint32_t, args, 2));
}

static void busy_twin(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    keep_place(WEIR_PASSED(uint32_t, args, 0));
}

static void programmatic_twin(const weir_blocks *blocks, void *const *args)
{
    fake_cuda_grid_dependency_synchronize();
    add_kernel.host(blocks, args);
}

static weir_kernel twin_of(const weir_kernel *kernel, weir_host_kernel *host)
{
    weir_kernel twin = *kernel;
    twin.host = host;
    return twin;
}

/* Resolved under no lock: what several threads write is the same. */
#define RESOLVE(name, twin)                                                                                                                \
    const void *name##_resolve(void);                                                                                                      \
    const void *name##_resolve(void)                                                                                                       \
    {                                                                                                                                      \
        static weir_kernel kernel;                                                                                                         \
        if (!kernel.host)                                                                                                                  \
            kernel = twin_of(&name##_kernel, twin);                                                                                        \
        return fake_cuda_kernel(&kernel);                                                                                                  \
    }

#define MISSING(name)                                                                                                                      \
    const void *name##_resolve(void);                                                                                                      \
    const void *name##_resolve(void)                                                                                                       \
    {                                                                                                                                      \
        return NULL;                                                                                                                       \
    }

RESOLVE(put, put_kernel.host)
RESOLVE(scale, scale_kernel.host)
RESOLVE(add, add_kernel.host)
RESOLVE(decide, decide_twin)
RESOLVE(await, await_twin)
RESOLVE(ticket, ticket_twin)
RESOLVE(busy, busy_twin)
RESOLVE(programmatic, programmatic_twin)
MISSING(found)
MISSING(together)
MISSING(illegal_address)
MISSING(trap)
MISSING(assert)

int park_legacy_stream(volatile uint32_t *flag, uint32_t *gave_up)
{
    void *args[] = {&flag, &gave_up};
    return fake_cuda_launch_legacy(await_resolve(), args);
}
