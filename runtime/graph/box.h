/* box.h - boxes of elements as half-open intervals, and what is left of one when another is cut out. */
#ifndef WEIR_GRAPH_BOX_H
#define WEIR_GRAPH_BOX_H

#include "weir/buffer.h"
#include <stdbool.h>

/* lo[i] <= e < hi[i]; index 0 is x. Empty if any lo[i] == hi[i]. */
typedef struct {
    uint32_t lo[3], hi[3];
} weir_span;

/* A box as the program gives it: all zero is the whole buffer. */
static inline bool weir_box_is_whole(const weir_box *box)
{
    return (box->x | box->y | box->z | box->nx | box->ny | box->nz) == 0;
}

static inline weir_span weir_span_of_box(const weir_box *box)
{
    uint32_t ny = box->ny ? box->ny : 1, nz = box->nz ? box->nz : 1;
    weir_span span = {{box->x, box->y, box->z}, {box->x + box->nx, box->y + ny, box->z + nz}};
    return span;
}

static inline bool weir_span_overlaps(const weir_span *a, const weir_span *b)
{
    return a->lo[0] < b->hi[0] && b->lo[0] < a->hi[0] && a->lo[1] < b->hi[1] && b->lo[1] < a->hi[1] && a->lo[2] < b->hi[2] &&
           b->lo[2] < a->hi[2];
}

static inline bool weir_span_covers(const weir_span *outer, const weir_span *inner)
{
    for (int i = 0; i < 3; i++)
        if (outer->lo[i] > inner->lo[i] || outer->hi[i] < inner->hi[i])
            return false;
    return true;
}

static inline weir_span weir_span_intersect(weir_span a, const weir_span *b)
{
    for (int i = 0; i < 3; i++) {
        if (a.lo[i] < b->lo[i])
            a.lo[i] = b->lo[i];
        if (a.hi[i] > b->hi[i])
            a.hi[i] = b->hi[i];
    }
    return a;
}

/* The at most six disjoint spans that make up `from` without `cut`, which overlap. Returns how many. */
static inline int weir_span_subtract(weir_span from, const weir_span *cut, weir_span left[6])
{
    int count = 0;
    for (int i = 2; i >= 0; i--) {
        if (from.lo[i] < cut->lo[i]) {
            left[count] = from;
            left[count++].hi[i] = cut->lo[i];
            from.lo[i] = cut->lo[i];
        }
        if (from.hi[i] > cut->hi[i]) {
            left[count] = from;
            left[count++].lo[i] = cut->hi[i];
            from.hi[i] = cut->hi[i];
        }
    }
    return count;
}

#endif
