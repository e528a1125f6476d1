/* rival_schedule.h - how one would put a graph on streams by hand: in which order to launch, on which stream, and which waits are needed.
 * Bare numbers; knows neither weir nor CUDA. */
#ifndef DAGBENCH_RIVAL_SCHEDULE_H
#define DAGBENCH_RIVAL_SCHEDULE_H

#include "shapes.h"
#include <stdbool.h>
#include <stddef.h>

enum { RIVAL_STREAMS_MOST = 32 };

typedef struct {
    uint32_t streams; /* 1 to RIVAL_STREAMS_MOST */
    bool by_level;    /* launch level by level, else in the order of numbers */
    bool follow;      /* stay on the stream of a predecessor that is its last task; else tasks are dealt to streams in turn, in each level anew */
} rival_way;

#define RIVAL_NO_EVENT UINT32_MAX

/* Position: where a task stands in the order of launches. */
typedef struct {
    uint32_t tasks, events, waits;
    uint32_t *task;       /* by position */
    uint32_t *stream;     /* by position */
    uint32_t *first_wait; /* by position: it first waits for the events wait[first_wait[p]] .. wait[first_wait[p + 1] - 1] */
    uint32_t *wait;
    uint32_t *event;      /* by position: recorded right after it, or RIVAL_NO_EVENT */
    uint32_t ends, end[RIVAL_STREAMS_MOST]; /* streams whose last tasks are, together, the end of the frame */
    void *memory;         /* all of the above */
} rival_schedule;

/* A wait that earlier waits imply is left out, and an event that nobody waits for. Returns false when there is no memory. */
bool rival_schedule_init(rival_schedule *s, const shape *graph, rival_way way);
void rival_schedule_finish(rival_schedule *s); /* zeroed is fine */

/* Drops from a shape's edges those that others imply. Returns false when there is no memory; else `out` is the caller's, to give to shape_finish. */
bool rival_reduce(const shape *graph, shape *out);

#endif
