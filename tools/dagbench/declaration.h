/* declaration.h - declares a shape through weir's public calls. */
#ifndef DAGBENCH_DECLARATION_H
#define DAGBENCH_DECLARATION_H

#include "shapes.h"
#include "tally.h"
#include "touched.h"
#include "weir/weir.h"

/* The buffers that tasks touch; zeroed is fine. */
typedef struct {
    weir_buffer *buffer[TOUCHED_BUFFERS];
} declaration_data;

/* Describes the buffers that a shape's tasks touch; none for explicit edges. Finish it whatever the status is. */
weir_status declaration_data_init(declaration_data *data, const shape *s);
void declaration_data_finish(declaration_data *data);

/* A graph of a task for each of the shape's, which runs its tally. *out may be set also on failure, and is the caller's. */
weir_status declaration_of(const shape *s, const declaration_data *data, tally *counts, weir_graph **out);

#endif
