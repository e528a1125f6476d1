/* tickets.h - checks runs on CUDA: each task ran once a frame, and began after those it follows had ended. */
#ifndef DAGBENCH_TICKETS_H
#define DAGBENCH_TICKETS_H

#include "shapes.h"
#include "spin.h"
#include "trouble.h"

typedef struct {
    const shape *graph;
    spin_record *device, *host; /* tasks + 1 records */
} tickets;

/* Finish it whatever comes back. The device must be idle where these are called. */
bool tickets_init(tickets *t, const shape *graph, trouble *why);
void tickets_finish(tickets *t);

bool tickets_clear(const tickets *t, trouble *why); /* before the frames of one check */

/* After `frames` frames since then. `in_turn`: one frame began after the other had ended, so that the last one's tickets tell its order. */
bool tickets_are_right(tickets *t, uint32_t frames, bool in_turn, trouble *why);

#endif
