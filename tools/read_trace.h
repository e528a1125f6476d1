/* read_trace.h - reads what WEIR_TRACE recorded (runtime/observe/trace.c): Chrome JSON. Trusts nothing in the file. */
#ifndef TOOLS_READ_TRACE_H
#define TOOLS_READ_TRACE_H

#include "read.h"

typedef struct {
    const char *name, *kind;
    uint32_t row;
    uint64_t frame;
    double start_ns, end_ns; /* from the beginning of the trace */
} traced_task;

/* A lane of a graph, or a further row of what else ran in it at the same time. */
typedef struct {
    uint32_t graph, number;
    const char *name; /* NULL: none was given */
} traced_row;

typedef struct {
    uint32_t process;
    const char *name; /* NULL: none was given */
} traced_graph;

typedef struct {
    traced_task *task; /* of lanes; the rows of workers and copy engines are left out: they show the same again */
    traced_row *row;   /* by graph, then by number */
    traced_graph *graph;
    uint32_t tasks, rows, graphs;
    bool predicted; /* nothing ran: see predict.h */
    void *kept; /* what texts lie in */
} read_trace;

/* "-" is standard input. On success *out is to be finished; false: it is untouched and *error says why. */
bool read_trace_file(const char *path, read_trace *out, read_error *error);
void read_trace_finish(read_trace *trace);

#endif
