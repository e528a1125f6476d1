/* openmp.c - see openmp.h. A task depends on the addresses of its predecessors' own memory, and is what writes its own. */
#include "openmp.h"

bool openmp_is_there(void)
{
    return true;
}

void openmp_run(const shape *graph, uint32_t threads, void (*body)(void *task), void *task, size_t task_bytes)
{
    char *base = task;
#pragma omp parallel num_threads((int)threads)
#pragma omp single
    for (uint32_t t = 0; t < graph->tasks; t++) {
        char *own = base + t * task_bytes;
#pragma omp task firstprivate(own) depend(out : own[0]) \
    depend(iterator(uint32_t i = graph->first[t] : graph->first[t + 1]), in : base[graph->pred[i] * task_bytes])
        body(own);
    }
}
