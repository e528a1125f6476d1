/* measure.h - declares, plans and runs a shape through weir, runs it as OpenMP tasks, and takes the time. One at a time; after counting_install. */
#ifndef DAGBENCH_MEASURE_H
#define DAGBENCH_MEASURE_H

#include "shapes.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *backend, *mode, *policy; /* as weir tells them */
    uint32_t lanes, workers;             /* those in use */
    double declare_ns, plan_ns, run_ns;  /* a task, medians */
    double openmp_ns;                    /* a task, median, as OpenMP tasks on as many threads; 0 where there is no OpenMP */
    double bytes;                        /* a task, live after planning, graph and plan together */
} figures;

/* Each figure is the median of `repeat` measurements. Both runs are checked first, edge by edge, and after all frames each task must
 * have run once a frame. On failure `error` says what is wrong. */
bool measure(const shape *graph, uint32_t repeat, figures *out, char *error, size_t error_bytes);

#endif
