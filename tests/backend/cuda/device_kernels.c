/* device_kernels.c - the tables of device_kernels.h, and the host twins. */
#include "device_kernels.h"
#include <stdbool.h>

static bool mine(const weir_blocks *blocks, uint32_t i)
{
    uint64_t all = (uint64_t)blocks->grid[0] * blocks->block[0], block = i % all / blocks->block[0];
    return block >= blocks->first && block < blocks->first + blocks->count;
}

static void put_host(const weir_blocks *blocks, void *const *args)
{
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    for (uint32_t i = 0; i < WEIR_PASSED(uint32_t, args, 2); i++)
        if (mine(blocks, i))
            to[i] = WEIR_PASSED(uint32_t, args, 1) + i;
}

static void scale_host(const weir_blocks *blocks, void *const *args)
{
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    const uint32_t *from = WEIR_PASSED(const uint32_t *, args, 1);
    for (uint32_t i = 0; i < WEIR_PASSED(uint32_t, args, 4); i++)
        if (mine(blocks, i))
            to[i] = from[i] * WEIR_PASSED(uint32_t, args, 2) + WEIR_PASSED(uint32_t, args, 3);
}

static void add_host(const weir_blocks *blocks, void *const *args)
{
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    for (uint32_t i = 0; i < WEIR_PASSED(uint32_t, args, 2); i++)
        if (mine(blocks, i))
            to[i] += WEIR_PASSED(uint32_t, args, 1);
}

static void decide_host(const weir_blocks *blocks, void *const *args)
{
    uint32_t *word = WEIR_PASSED(uint32_t *, args, 0), left = *word - 1;
    (void)blocks;
    for (uint32_t call = 0; call < WEIR_PASSED(uint32_t, args, 2); call++)
        weir_decide(WEIR_PASSED(weir_decision, args, 4), (left != 0) != (WEIR_PASSED(uint32_t, args, 3) != 0));
    *WEIR_PASSED(uint32_t *, args, 1) = *word = left;
}

/* The rest of the arguments are the bytes of each argument of the kernel. */
#define TABLE_WITH(name, twin, flags, ...) \
    const void *name##_resolve(void); \
    static const uint16_t name##_bytes[] = {__VA_ARGS__}; \
    const weir_kernel name##_kernel = {#name, NULL, name##_resolve, twin, name##_bytes, sizeof name##_bytes / sizeof *name##_bytes, flags}
#define TABLE(name, twin, ...) TABLE_WITH(name, twin, 0, __VA_ARGS__)

enum { POINTER = sizeof(void *), NUMBER = sizeof(uint32_t) };

TABLE(put, put_host, POINTER, NUMBER, NUMBER);
TABLE(scale, scale_host, POINTER, POINTER, NUMBER, NUMBER, NUMBER);
TABLE(add, add_host, POINTER, NUMBER, NUMBER);
TABLE(decide, decide_host, POINTER, POINTER, NUMBER, NUMBER, sizeof(weir_decision));
TABLE(await, NULL, POINTER, POINTER);
TABLE(ticket, NULL, POINTER, POINTER, NUMBER);
TABLE(busy, NULL, NUMBER);
TABLE(illegal_address, NULL, POINTER, NUMBER);
TABLE(trap, NULL, POINTER, NUMBER);
TABLE(assert, NULL, POINTER, NUMBER);
TABLE(found, NULL, POINTER);
TABLE_WITH(together, NULL, WEIR_KERNEL_COOPERATIVE, POINTER);
TABLE_WITH(programmatic, NULL, WEIR_KERNEL_PROGRAMMATIC, POINTER, NUMBER, NUMBER);
