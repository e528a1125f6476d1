/* random.h - a small seeded generator (SplitMix64, Steele, Lea and Flood, OOPSLA 2014): orders that can be had again. */
#ifndef WEIR_UTIL_RANDOM_H
#define WEIR_UTIL_RANDOM_H

#include <stdint.h>

static inline uint64_t weir_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 <= result < bound; bound > 0. */
static inline uint32_t weir_random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(((weir_random_next(state) >> 32) * bound) >> 32);
}

#endif
