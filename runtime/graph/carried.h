/* carried.h - edges from one frame to a later one: what the access rules give when the frame is declared again and again with
 * the copies of rings renamed, what weir_after_previous declared, and each host or native task after itself. */
#ifndef WEIR_GRAPH_CARRIED_H
#define WEIR_GRAPH_CARRIED_H

#include "graph/body.h"

typedef struct {
    WEIR_VECTOR(weir_carried_edge) edges; /* by later, then earlier, then distance; none twice */
} weir_carried;

/* How many copies this graph wants its AUTO rings to have with `frames` frames in flight: max(frames, furthest back + 1). */
uint32_t weir_ring_copies(const weir_body *body, uint32_t frames);

/* Only edges of distance < below (those beyond are implied by what begin waits for); UINT32_MAX: all. AUTO rings have
 * `automatic` copies. WEIR_ERR_NO_MEMORY. */
weir_status weir_carried_create(const weir_body *body, uint32_t automatic, uint32_t below, weir_carried *out);
void weir_carried_finish(weir_carried *carried);

#endif
