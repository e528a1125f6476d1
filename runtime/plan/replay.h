/* replay.h - the edges a replayed graph needs. Lanes get by with waits, since each keeps its order; a graph of nodes has no lanes,
 * so every task names all that it must follow: the transitive reduction of (DAG and carried edges) without the order of lanes. */
#ifndef WEIR_PLAN_REPLAY_H
#define WEIR_PLAN_REPLAY_H

#include "plan/plan.h"

typedef struct {
    uint32_t *pred_first, *pred; /* within a frame, as in plan.h, without the edges that other paths imply */
    weir_carried carried;        /* of the carried edges, those that no other path implies; in the same order */
} weir_replay_edges;

/* Exact; not cheap, so made when a replay is asked for and not with every plan. Takes one walk over the levels that an edge
 * spans for 64 tasks that have predecessors on several levels, and one over the frames spanned for 64 that have carried edges.
 * WEIR_ERR_NO_MEMORY. */
weir_status weir_replay_edges_create(const weir_plan *plan, weir_replay_edges *out);
/* The same with these carried edges, sorted as the plan's, in place of the plan's own. */
weir_status weir_replay_edges_with(const weir_plan *plan, const weir_carried *carried, weir_replay_edges *out);
/* Proves edges of the plan's own carried ones (check_replay.c): none is lost, none can be left out. The plan's edges and order are right already.
 * Walks, for 64 tasks at a time, the places from the first of them to the last that follows one. WEIR_ERR_HAZARD with the tasks named;
 * WEIR_ERR_NO_MEMORY. */
weir_status weir_replay_check(const weir_plan *plan, const weir_replay_edges *edges);
void weir_replay_edges_finish(weir_replay_edges *edges); /* zeroed is fine */

#endif
