/* rival_stages.h - frames of stages in line by hand, several in flight, as racers: graphs tied by event nodes, or streams and events. Includes
 * nothing of weir. */
#ifndef DAGBENCH_RIVAL_STAGES_H
#define DAGBENCH_RIVAL_STAGES_H

#include "rival_slots.h"
#include "stage.h"

/* Graphs, as many as frames in flight; with one, a single graph in a single stream. The pool must outlive it. */
bool rival_stages_graphs_make(racer *out, const rival_pool *pool, const stages *s, uint32_t frames, rival_launching launching, trouble *why);
/* A stream a stage, an event a stage and frame in flight. */
bool rival_stages_streams_make(racer *out, const rival_pool *pool, const stages *s, uint32_t frames, rival_launching launching, trouble *why);

/* Whether one of these has the state and the result that its frames so far must give. */
bool rival_stages_check(const racer *r, trouble *why);

/* How long an upload and a download of so many numbers take alone: medians, between events. */
bool rival_stages_time_moves(const rival_pool *pool, uint32_t count, double *upload_us, double *download_us, trouble *why);

#endif
