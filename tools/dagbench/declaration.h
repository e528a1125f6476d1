/* declaration.h - declares a shape through weir's public calls. */
#ifndef DAGBENCH_DECLARATION_H
#define DAGBENCH_DECLARATION_H

#include "shapes.h"
#include "spin.h"
#include "tally.h"
#include "touched.h"
#include "weir/weir.h"

/* The buffers that tasks touch; zeroed is fine. */
typedef struct {
    weir_buffer *buffer[TOUCHED_BUFFERS];
} declaration_data;

/* Describes the buffers that a shape's tasks touch; none for explicit edges. Finish it whatever the status is. */
weir_status declaration_data_init(declaration_data *data, const shape *s, weir_place place);
void declaration_data_finish(declaration_data *data);

/* A graph of a task for each of the shape's, which runs its tally. *out may be set also on failure, and is the caller's. */
weir_status declaration_of(const shape *s, const declaration_data *data, tally *counts, weir_graph **out);

/* What every task launches, on one block of SPIN_THREADS, and is passed: those of these that are there, in this order. */
typedef struct {
    const weir_kernel *kernel;
    int64_t ticks;        /* 0: not passed */
    weir_param *param;
    spin_record *records; /* and behind it the task's number, from 0 */
} declared_kernel;

/* The same graph of kernels. */
weir_status declaration_of_kernels(const shape *s, const declaration_data *data, const declared_kernel *declared, weir_graph **out);

#endif
