/* sort.h - sorts short runs of numbers, as most lists of edges are, without a call. */
#ifndef WEIR_UTIL_SORT_H
#define WEIR_UTIL_SORT_H

#include <stdint.h>
#include <stdlib.h>

static inline int weir_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline void weir_sort_u32(uint32_t *at, uint32_t count)
{
    enum { FEW = 24 };
    if (count > FEW) {
        qsort(at, count, sizeof *at, weir_compare_u32);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moving = at[i], to = i;
        for (; to > 0 && at[to - 1] > moving; to--)
            at[to] = at[to - 1];
        at[to] = moving;
    }
}

#endif
