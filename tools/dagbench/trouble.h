/* trouble.h - why a measurement on CUDA cannot be had: the text for standard error. Knows nothing of weir. */
#ifndef DAGBENCH_TROUBLE_H
#define DAGBENCH_TROUBLE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

typedef struct {
    char text[512];
} trouble;

bool trouble_no_memory(trouble *t);                                  /* these two: always false */
bool trouble_cuda(trouble *t, cudaError_t error, const char *call);

/* Whether a CUDA call went well; says which did not. */
#define CUDA_GOOD(t, call) trouble_check(t, call, #call)

static inline bool trouble_check(trouble *t, cudaError_t error, const char *call)
{
    return error == cudaSuccess || trouble_cuda(t, error, call);
}

#endif
