/* movement.h - copies and fills as bytes: what their boxes are from the base of a copy. */
#ifndef WEIR_BACKEND_MOVEMENT_H
#define WEIR_BACKEND_MOVEMENT_H

#include "graph/body.h"

/* Where the rows of a box lie, from the base of its copy. */
typedef struct {
    size_t first, row_step, slice_step;
} weir_layout;

/* `slices` times `rows` rows of `row_bytes`. Rows that lie one behind the other in both buffers count as one long row, and so do slices.
 * row_bytes is 0 for tokens. */
typedef struct {
    weir_layout to, from; /* from: of copies; of a fill, as `to` */
    size_t row_bytes;
    uint64_t rows, slices;
} weir_movement;

weir_movement weir_movement_of(const weir_body *body, const weir_task_record *task); /* a copy or a fill */

#endif
