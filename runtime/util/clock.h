/* clock.h - monotonic time. */
#ifndef WEIR_UTIL_CLOCK_H
#define WEIR_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t weir_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
