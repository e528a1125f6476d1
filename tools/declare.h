/* declare.h - a graph that was read as a graph of weir's, to be planned. */
#ifndef TOOLS_DECLARE_H
#define TOOLS_DECLARE_H

#include "weir/drawing.h"

/* Tasks become empty ones with their costs, groups and priorities; edges explicit ones. Names are kept, not copied: the drawing must
 * outlive the graph and its plans. On success *out is the caller's. What weir_graph_status says. */
weir_status declare_graph(const weir_drawing *drawing, weir_graph **out);

#endif
