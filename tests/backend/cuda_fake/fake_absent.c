/* fake_absent.c - what the fake lacks yet; goes when it has conditional nodes. */
#include "fake_cuda.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>

void fake_cuda_set_conditional(unsigned long long handle, unsigned value)
{
    (void)handle;
    (void)value;
    abort();
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned value, unsigned flags)
{
    (void)handle, (void)graph, (void)value, (void)flags;
    return cudaErrorNotSupported;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count,
                             struct cudaGraphNodeParams *params)
{
    (void)node, (void)graph, (void)after, (void)data, (void)count, (void)params;
    return cudaErrorNotSupported;
}
