/* vector.h - growable arrays. Zeroed is empty; indices are 32 bits, as everywhere in weir. */
#ifndef WEIR_UTIL_VECTOR_H
#define WEIR_UTIL_VECTOR_H

#include "util/memory.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_VECTOR(type)                                                                                                                  \
    struct {                                                                                                                               \
        type *at;                                                                                                                          \
        uint32_t count, capacity;                                                                                                          \
    }

/* Makes room for `extra` more elements; false, with nothing changed, if there is no memory. */
#define weir_vector_reserve(v, extra) weir_vector_grow((void **)&(v)->at, &(v)->capacity, (v)->count, (extra), sizeof *(v)->at)
/* Appends; only after a reserve. */
#define weir_vector_push(v, value) ((v)->at[(v)->count++] = (value))
#define weir_vector_finish(v) (weir_free((v)->at), (v)->at = NULL, (v)->count = (v)->capacity = 0)

static inline bool weir_vector_grow(void **at, uint32_t *capacity, uint32_t count, size_t extra, size_t element_bytes)
{
    if (extra <= (size_t)(*capacity - count))
        return true;
    uint64_t wanted = (uint64_t)count + extra, roomy = (uint64_t)*capacity + *capacity / 2;
    if (wanted > UINT32_MAX)
        return false;
    if (roomy < wanted)
        roomy = wanted < 8 ? 8 : wanted;
    if (roomy > UINT32_MAX)
        roomy = UINT32_MAX;
    void *moved = weir_resize(*at, (size_t)roomy * element_bytes);
    if (!moved)
        return false;
    *at = moved;
    *capacity = (uint32_t)roomy;
    return true;
}

#endif
