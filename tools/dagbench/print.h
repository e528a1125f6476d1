/* print.h - figures on standard output: as a table, or as a JSON object for each. On the host a row is a workload, on CUDA a figure. */
#ifndef DAGBENCH_PRINT_H
#define DAGBENCH_PRINT_H

#include "measure.h"
#include <stdint.h>

void print_heading(void);
void print_row(const char *name, uint32_t tasks, const figures *f);  /* "-" for OpenMP where there is none */
void print_json(const char *name, uint32_t tasks, const figures *f); /* no line for OpenMP where there is none */

/* One figure, as measured on CUDA. */
typedef struct {
    const char *workload, *backend, *mode, *policy; /* policy: or how the rival lays tasks out */
    uint32_t lanes, workers, tasks, kernel_us;
    const char *metric, *unit;
    double value;
} line;

void print_line_heading(void);
void print_line_row(const line *l);
void print_line_json(const line *l); /* the keys are those of print_json */

#endif
