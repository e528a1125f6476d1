/* fake_driver.c - the functions of the driver that weir looks up. */
#include "fake.h"

static int context;

static CUresult stream_batch(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags)
{
    pthread_mutex_lock(&fake_lock);
    if (flags != 0)
        fake_wrong("cuStreamBatchMemOp", "flags %u", flags);
    cudaError_t result = fake_put("cuStreamBatchMemOp", fake_check_stream("cuStreamBatchMemOp", stream), fake_batch_act("cuStreamBatchMemOp", count, operations), NULL);
    pthread_mutex_unlock(&fake_lock);
    return (CUresult)result;
}

static CUresult add_batch_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    pthread_mutex_lock(&fake_lock);
    if ((void *)params->ctx != (void *)&context)
        fake_wrong("cuGraphAddBatchMemOpNode", "of another context");
    cudaError_t result = fake_add_node("cuGraphAddBatchMemOpNode", graph, after, NULL, count, fake_batch_act("cuGraphAddBatchMemOpNode", params->count, params->paramArray), node);
    pthread_mutex_unlock(&fake_lock);
    return (CUresult)result;
}

static CUresult current_context(CUcontext *out)
{
    *out = (CUcontext)(void *)&context;
    return CUDA_SUCCESS;
}

static CUresult context_state(CUdevice device, unsigned int *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
}

static CUresult fill(const char *call, CUdeviceptr to, size_t pitch, unsigned value, unsigned bytes, size_t width, size_t height, CUstream stream)
{
    struct cudaMemsetParams params = {.dst = fake_word_at(to), .pitch = pitch, .value = value, .elementSize = bytes, .width = width, .height = height};
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_put(call, fake_check_stream(call, stream), fake_fill_act(call, &params), NULL);
    pthread_mutex_unlock(&fake_lock);
    return (CUresult)result;
}

static CUresult fill_8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream)
{
    return fill("cuMemsetD2D8Async", to, pitch, value, 1, width, height, stream);
}

static CUresult fill_16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream)
{
    return fill("cuMemsetD2D16Async", to, pitch, value, 2, width, height, stream);
}

static CUresult fill_32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream)
{
    return fill("cuMemsetD2D32Async", to, pitch, value, 4, width, height, stream);
}

typedef void any_function(void);

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *state)
{
    static const struct {
        const char *name;
        any_function *function;
    } known[] = {
        {"cuStreamBatchMemOp", (any_function *)stream_batch},
        {"cuGraphAddBatchMemOpNode", (any_function *)add_batch_node},
        {"cuCtxGetCurrent", (any_function *)current_context},
        {"cuDevicePrimaryCtxGetState", (any_function *)context_state},
        {"cuMemsetD2D8Async", (any_function *)fill_8},
        {"cuMemsetD2D16Async", (any_function *)fill_16},
        {"cuMemsetD2D32Async", (any_function *)fill_32},
    };
    (void)version;
    (void)flags;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            memcpy(function, &known[i].function, sizeof *function);
            *state = cudaDriverEntryPointSuccess;
            return cudaSuccess;
        }
    fake_wrong("cudaGetDriverEntryPointByVersion", "no %s in the fake", name);
}
