/* openmp_absent.c - stands in for openmp.c where the compiler has no OpenMP. */
#include "openmp.h"
#include <assert.h>

bool openmp_is_there(void)
{
    return false;
}

void openmp_run(const shape *graph, uint32_t threads, void (*body)(void *task), void *task, size_t task_bytes)
{
    (void)graph, (void)threads, (void)body, (void)task, (void)task_bytes;
    assert(!"not called where OpenMP is not there");
}
