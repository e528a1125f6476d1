/* counting.c - see counting.h. Each block begins with its size. */
#include "counting.h"
#include "weir/weir.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    alignas(max_align_t) size_t bytes;
} block;

static atomic_size_t live_bytes;
static _Atomic uint64_t calls;

static void *counting_resize(void *memory, size_t bytes)
{
    block *old = memory ? (block *)memory - 1 : NULL;
    size_t old_bytes = old ? old->bytes : 0;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (bytes == 0) {
        free(old);
        atomic_fetch_sub_explicit(&live_bytes, old_bytes, memory_order_relaxed);
        return NULL;
    }
    block *resized = bytes <= SIZE_MAX - sizeof *resized ? realloc(old, bytes + sizeof *resized) : NULL;
    if (!resized)
        return NULL;
    resized->bytes = bytes;
    atomic_fetch_add_explicit(&live_bytes, bytes - old_bytes, memory_order_relaxed);
    return resized + 1;
}

void counting_install(void)
{
    weir_set_allocator(counting_resize);
}

size_t counting_live_bytes(void)
{
    return atomic_load(&live_bytes);
}

uint64_t counting_calls(void)
{
    return atomic_load(&calls);
}
