/* timeline.h - which part of a trace is drawn, and the chain of tasks that its length comes from. */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include "read_trace.h"

typedef struct {
    const read_trace *trace;
    uint32_t graph;                        /* the one with most frames, whose frames are meant */
    uint64_t first_frame, last_frame;      /* drawn */
    uint64_t earliest_frame, latest_frame; /* of the trace */
    double start_ns, end_ns;               /* of those frames; what other graphs did meanwhile is drawn too */
    double interval_ns;                    /* from the end of one of them to the next one's, on average; NAN of one frame */
    uint32_t tasks, critical_tasks;
    uint32_t *task;          /* drawn, indices into trace->task, by end */
    unsigned char *critical; /* place in `task` -> is on the critical path */
    uint32_t *line;          /* row -> its place among the rows drawn, UINT32_MAX for those of graphs that did nothing meanwhile */
    uint32_t *heading;       /* row -> graphs drawn before its own */
    uint32_t lines, headings;
    double critical_ns; /* that tasks on it ran; the rest of the time it waited */
} timeline;

/* Chooses the frames from `first` to `last`, or, if first > last, the last three. The critical path leads from the last end back through
 * the task that ended last before the other started. out->tasks is 0 if there are no such frames. False: no memory. */
bool timeline_init(const read_trace *trace, uint64_t first, uint64_t last, timeline *out);
void timeline_finish(timeline *t);

#endif
