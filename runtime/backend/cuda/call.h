/* call.h - CUDA's results as statuses, and the driver's functions that the runtime API has no name for. They are looked up and never
 * linked, so that a program starts where there is no driver. */
#ifndef WEIR_BACKEND_CUDA_CALL_H
#define WEIR_BACKEND_CUDA_CALL_H

#include "weir/status.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/* WEIR_OK, or the call's failure said: WEIR_ERR_NO_MEMORY or WEIR_ERR_DEVICE. The thread's last CUDA error is left clear. */
weir_status weir_cuda_status(cudaError_t result, const char *call);

/* As text: "cudaErrorIllegalAddress (700), an illegal memory access was encountered". */
void weir_cuda_describe(cudaError_t result, char *text, size_t bytes);

/* After such an error every call of the process fails with it: the device's state is lost. */
bool weir_cuda_is_sticky(cudaError_t result);

typedef struct {
    CUresult (*batch)(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags);
    CUresult (*add_batch_node)(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
    CUresult (*current_context)(CUcontext *context);
    CUresult (*context_state)(CUdevice device, unsigned int *flags, int *active);
    CUresult (*fill_8)(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream);
    CUresult (*fill_16)(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream);
    CUresult (*fill_32)(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream);
} weir_driver;

/* WEIR_ERR_BACKEND names what the driver lacks. */
weir_status weir_driver_find(weir_driver *out);

/* The driver's results have the runtime's numbers. */
static inline cudaError_t weir_from_driver(CUresult result)
{
    return (cudaError_t)result;
}

#endif
