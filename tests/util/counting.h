/* counting.h - an allocator for weir_set_allocator that counts what lives and can run out of memory when told. One a test. */
#ifndef WEIR_TESTS_UTIL_COUNTING_H
#define WEIR_TESTS_UTIL_COUNTING_H

#include "weir/status.h"
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long counting_live;    /* allocations not freed yet */
static atomic_long counting_asked;   /* times that memory was asked for */
static atomic_long counting_fail_at; /* which of these gets none; 0: every one gets some */
static atomic_int counting_fail_on;  /* and none after it does either */

static void *counting_resize(void *memory, size_t bytes)
{
    if (bytes == 0) {
        if (memory)
            atomic_fetch_sub(&counting_live, 1);
        free(memory);
        return NULL;
    }
    long number = atomic_fetch_add(&counting_asked, 1) + 1, fails = atomic_load(&counting_fail_at);
    if (fails != 0 && (number == fails || (number > fails && atomic_load(&counting_fail_on))))
        return NULL;
    void *moved = realloc(memory, bytes);
    if (moved && !memory)
        atomic_fetch_add(&counting_live, 1);
    return moved;
}

/* From here on the `fail_at`-th request fails; `fail_on`: and all after it. 0: none. */
static inline void counting_start(long fail_at, int fail_on)
{
    atomic_store(&counting_asked, 0);
    atomic_store(&counting_fail_at, fail_at);
    atomic_store(&counting_fail_on, fail_on);
    weir_set_allocator(counting_resize);
}

/* Nothing fails any more. The allocator stays, since what it gave is still to be freed by it. */
static inline void counting_relent(void)
{
    atomic_store(&counting_fail_at, 0);
}

#endif
