/* touched.h - shapes whose tasks are ordered by the data they touch. The predecessors here come from code of its own, the sequential truth
 * that a checked run compares with. Knows nothing of weir. */
#ifndef DAGBENCH_TOUCHED_H
#define DAGBENCH_TOUCHED_H

#include "shapes.h"

enum {
    TOUCHED_BUFFERS = 64,    /* of SHAPE_BUFFERS */
    TOUCHED_BOXES_SIDE = 64, /* of SHAPE_BOXES: a square of this many boxes a side */
    TOUCHED_BOXES = TOUCHED_BOXES_SIDE * TOUCHED_BOXES_SIDE
};

/* What one task touches: s->touched[t * touched_a_task(s->kind)] and on; the last of them is updated, those before are read. */
uint32_t touched_a_task(shape_kind kind);

/* Fills touched, pred, first and edges of a shape that has tasks and kind. Returns 0 when there is no memory; the caller frees. */
int touched_init(shape *s, uint64_t *random);

#endif
