/* call.c - see call.h. */
#include "backend/cuda/call.h"
#include "util/status.h"
#include <stdio.h>
#include <string.h>

void weir_cuda_describe(cudaError_t result, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s (%d), %s", cudaGetErrorName(result), (int)result, cudaGetErrorString(result));
}

weir_status weir_cuda_status(cudaError_t result, const char *call)
{
    char text[256];
    if (result == cudaSuccess)
        return WEIR_OK;
    (void)cudaGetLastError(); /* said here, and not to be found by the program's next check */
    weir_cuda_describe(result, text, sizeof text);
    return weir_fail(result == cudaErrorMemoryAllocation ? WEIR_ERR_NO_MEMORY : WEIR_ERR_DEVICE, "%s: %s", call, text);
}

bool weir_cuda_is_sticky(cudaError_t result)
{
    switch (result) {
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorExternalDevice:
    case cudaErrorContextIsDestroyed:
    case cudaErrorCudartUnloading:
    case cudaErrorDevicesUnavailable:
        return true;
    default:
        return false;
    }
}

static bool find(const char *name, void *function, size_t bytes)
{
    enum { VERSION = 13000 };
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult state = cudaDriverEntryPointSymbolNotFound;
    cudaError_t result = cudaGetDriverEntryPointByVersion(name, &found, VERSION, cudaEnableDefault, &state);
    if (result != cudaSuccess || state != cudaDriverEntryPointSuccess || !found) {
        (void)cudaGetLastError();
        return false;
    }
    memcpy(function, &found, bytes); /* from a data to a function pointer, as POSIX has it */
    return true;
}

weir_status weir_driver_find(weir_driver *out)
{
    const struct {
        const char *name;
        void *function;
        size_t bytes;
    } wanted[] = {
        {"cuStreamBatchMemOp", &out->batch, sizeof out->batch},
        {"cuGraphAddBatchMemOpNode", &out->add_batch_node, sizeof out->add_batch_node},
        {"cuCtxGetCurrent", &out->current_context, sizeof out->current_context},
        {"cuDevicePrimaryCtxGetState", &out->context_state, sizeof out->context_state},
        {"cuMemsetD2D8Async", &out->fill_8, sizeof out->fill_8},
        {"cuMemsetD2D16Async", &out->fill_16, sizeof out->fill_16},
        {"cuMemsetD2D32Async", &out->fill_32, sizeof out->fill_32},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!find(wanted[i].name, wanted[i].function, wanted[i].bytes))
            return weir_fail(WEIR_ERR_BACKEND, "cuda: the driver has no %s of CUDA 13.0: it is too old", wanted[i].name);
    return WEIR_OK;
}
