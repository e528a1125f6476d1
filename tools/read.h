/* read.h - reads a graph or a plan from a file: what weir_save wrote as JSON, a Standard Task Graph (.stg), or Graphviz DOT. Trusts
 * nothing in the file. Threads: one at a time, since libcgraph, which reads DOT, has but one state. */
#ifndef TOOLS_READ_H
#define TOOLS_READ_H

#include "weir/drawing.h"
#include <stdbool.h>

typedef struct {
    weir_drawing drawing;       /* its edges form no cycle */
    struct read_memory *memory; /* what it points to */
} read_drawing;

/* "FILE:LINE: what is wrong, and what to do" */
typedef struct {
    char text[512];
} read_error;

/* The format goes by the suffix (.json, .stg, .dot, .gv), or else by how the file begins. "-" is standard input. Tasks of .stg and DOT
 * files are empty ones with a cost. On success *out is to be finished; false: it is untouched and *error says why. */
bool read_file(const char *path, read_drawing *out, read_error *error);
void read_drawing_finish(read_drawing *read);

#endif
