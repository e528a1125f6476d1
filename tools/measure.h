/* measure.h - figures of a graph by itself, without lanes. */
#ifndef TOOLS_MEASURE_H
#define TOOLS_MEASURE_H

#include "weir/drawing.h"
#include <stdbool.h>

typedef struct {
    uint64_t tasks, edges;
    int64_t redundant_edges;     /* that other edges imply; -1: not counted, since it would take too long */
    uint64_t depth, level_width; /* tasks of the longest chain; most tasks of one level, a task's level being its longest chain so far */
    double critical_path, work;  /* the longest chain by cost; all costs */
} measures;

/* Of the edges within a frame, which may form no cycle. False: no memory. */
bool measure_graph(const weir_drawing *drawing, measures *out);

#endif
