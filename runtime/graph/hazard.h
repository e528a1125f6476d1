/* hazard.h - who touched which part of one copy of a buffer, in order, and therefore whom a new touch must follow.
 *
 * A touch follows every earlier one that overlaps it and conflicts with it (weir_modes_conflict). What is found is that
 * relation without pairs that others found imply: a write that covers an earlier touch stands for it from then on. It may
 * still hold implied pairs; it never lacks one that is not.
 *
 * Touches of the whole buffer go into a log of groups: reads (or reduces) in a row are one group, a write is a group alone.
 * Every member of a group follows every member of the group before, so only the last two groups matter.
 * Touches of boxes go into bins, a uniform grid over the buffer, clipped to each bin they meet; a write cuts what it covers out
 * of the touches before it. Bins are as large as the first box, and made smaller when many touches share one.
 * Beside that each bin knows which of its elements nothing wrote yet. */
#ifndef WEIR_GRAPH_HAZARD_H
#define WEIR_GRAPH_HAZARD_H

#include "graph/body.h"
#include "util/vector.h"

typedef struct weir_hazard weir_hazard;

/* Whoever touches is told apart by a number of the caller's choice. */
typedef WEIR_VECTOR(uint32_t) weir_touchers;

weir_hazard *weir_hazard_create(const weir_span *whole); /* NULL: no memory */
void weir_hazard_destroy(weir_hazard *hazard);           /* NULL is fine */

/* Adds to `found` all that this touch must follow (some may come twice, and `who` itself if it touched before), then
 * remembers it. mode: WEIR_ARG_READ ... false: no memory; from then on what is found may lack pairs, so the graph has failed. */
bool weir_hazard_touch(weir_hazard *hazard, const weir_span *span, unsigned mode, uint32_t who, weir_touchers *found);

/* True if some element of `span` was never written (WRITE, or READ_WRITE). */
bool weir_hazard_unwritten(const weir_hazard *hazard, const weir_span *span);

#endif
