/* openmp.h - runs a shape as OpenMP tasks, for comparison. Knows nothing of weir. Where the compiler has no OpenMP, openmp_absent.c. */
#ifndef DAGBENCH_OPENMP_H
#define DAGBENCH_OPENMP_H

#include "shapes.h"
#include <stdbool.h>
#include <stddef.h>

bool openmp_is_there(void);

/* One frame on that many threads, the caller among them: `body` is called for each task, with its own `task_bytes` of `task`, after it was
 * called for the task's predecessors. Returns when all are done. */
void openmp_run(const shape *graph, uint32_t threads, void (*body)(void *task), void *task, size_t task_bytes);

#endif
