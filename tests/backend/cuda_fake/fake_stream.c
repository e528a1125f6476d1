/* fake_stream.c - streams, events, and what is launched into streams. */
#include "fake.h"

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    if (flags != cudaStreamNonBlocking)
        fake_wrong("cudaStreamCreateWithPriority", "not a non-blocking stream");
    if (priority > 0 || priority < PRIORITY_GREATEST)
        fake_wrong("cudaStreamCreateWithPriority", "priority %d", priority);
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_know(fake_zeros(1, sizeof *s), IS_STREAM);
    s->id = fake_numbers++;
    s->next = fake_streams;
    fake_streams = s;
    *stream = s;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamDestroy", stream);
    if (s->captured)
        fake_wrong("cudaStreamDestroy", "is captured");
    fake_forget(s);
    free(s->follows.at);
    free(s->edge_data);
    s->gone = true;
    if (s->count == 0) {
        struct CUstream_st **link = &fake_streams;
        while (*link != s)
            link = &(*link)->next;
        *link = s->next;
        free(s);
    }
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

static struct CUstream_st *asked_stream(const char *call, cudaStream_t stream)
{
    if (stream == cudaStreamLegacy)
        return &fake_legacy;
    struct CUstream_st *s = fake_check_stream(call, stream);
    if (s->captured)
        fake_wrong(call, "is captured");
    return s;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    fake_careful("cudaStreamSynchronize");
    fake_wait_for_operations(asked_stream("cudaStreamSynchronize", stream));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    fake_careful("cudaStreamQuery");
    bool idle = asked_stream("cudaStreamQuery", stream)->count == 0;
    pthread_mutex_unlock(&fake_lock);
    return idle ? cudaSuccess : fake_give(cudaErrorNotReady);
}

cudaError_t cudaDeviceSynchronize(void)
{
    pthread_mutex_lock(&fake_lock);
    fake_careful("cudaDeviceSynchronize");
    fake_wait_for_operations(NULL);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (flags != cudaEventDefault && flags != cudaEventDisableTiming)
        fake_wrong("cudaEventCreateWithFlags", "flags %u", flags);
    pthread_mutex_lock(&fake_lock);
    struct CUevent_st *e = fake_know(fake_zeros(1, sizeof *e), IS_EVENT);
    e->times = flags == cudaEventDefault;
    *event = e;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaEventDestroy", event, IS_EVENT);
    fake_forget(event);
    fake_drop_mark(event->at);
    free(event->nodes.at);
    free(event);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaEventRecord", stream);
    fake_check_handle("cudaEventRecord", event, IS_EVENT);
    fake_drop_mark(event->at);
    event->at = NULL;
    event->nodes.count = 0;
    event->capture_id = 0;
    if (s->captured) {
        event->capture_id = s->captured->id;
        for (size_t i = 0; i < s->follows.count; i++)
            fake_add_to(&event->nodes, s->follows.at[i]);
    } else {
        event->at = fake_zeros(1, sizeof *event->at);
        event->at->refs = 2;
        fake_launch(s, (operation){.kind = OP_RECORD, .at = event->at});
    }
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamWaitEvent", stream);
    fake_check_handle("cudaStreamWaitEvent", event, IS_EVENT);
    if (flags != 0)
        fake_wrong("cudaStreamWaitEvent", "flags %u", flags);
    if (event->capture_id != 0) {
        capture *c = fake_capture_of(event->capture_id);
        if (!c)
            fake_wrong("cudaStreamWaitEvent", "for an event of a capture that has ended");
        if (s->captured && s->captured != c)
            fake_wrong("cudaStreamWaitEvent", "joins two captures");
        s->captured = c;
        for (size_t i = 0; i < event->nodes.count; i++)
            fake_add_to(&s->follows, event->nodes.at[i]);
    } else if (s->captured) {
        fake_wrong("cudaStreamWaitEvent", "a captured stream, for an event that is not of the capture");
    } else if (event->at) {
        event->at->refs++;
        fake_launch(s, (operation){.kind = OP_WAIT, .at = event->at});
    }
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    fake_careful("cudaEventQuery");
    fake_check_handle("cudaEventQuery", event, IS_EVENT);
    if (event->capture_id != 0)
        fake_wrong("cudaEventQuery", "an event of a capture");
    bool is_done = !event->at || event->at->done;
    pthread_mutex_unlock(&fake_lock);
    return is_done ? cudaSuccess : fake_give(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    fake_careful("cudaEventSynchronize");
    fake_check_handle("cudaEventSynchronize", event, IS_EVENT);
    if (event->capture_id != 0)
        fake_wrong("cudaEventSynchronize", "an event of a capture");
    mark *m = event->at;
    if (m) {
        m->refs++;
        while (!m->done)
            pthread_cond_wait(&fake_done, &fake_lock);
        fake_drop_mark(m);
    }
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaEventElapsedTime", from, IS_EVENT);
    fake_check_handle("cudaEventElapsedTime", to, IS_EVENT);
    if (!from->times || !to->times || !from->at || !to->at)
        result = cudaErrorInvalidResourceHandle;
    else if (!from->at->done || !to->at->done)
        result = cudaErrorNotReady;
    else
        *ms = (float)((double)(to->at->when_ns - from->at->when_ns) / 1e6);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- launches ---- */

static cudaError_t launch_kernel(const char *call, const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    act *does;
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream(call, stream);
    cudaError_t result = fake_kernel_act(call, function, grid, block, args, shared, &does);
    if (result == cudaSuccess)
        fake_put(call, s, does);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    return launch_kernel("cudaLaunchKernel", function, grid, block, args, shared, stream);
}

cudaError_t fake_check_attribute(const char *call, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value, struct dim3 grid)
{
    if (id == cudaLaunchAttributeClusterDimension) {
        if (value->clusterDim.x == 0 || value->clusterDim.y == 0 || value->clusterDim.z == 0 || grid.x % value->clusterDim.x != 0 ||
            grid.y % value->clusterDim.y != 0 || grid.z % value->clusterDim.z != 0)
            return cudaErrorInvalidConfiguration;
    } else if (id == cudaLaunchAttributePriority) {
        if (value->priority > 0 || value->priority < PRIORITY_GREATEST)
            fake_wrong(call, "priority %d", value->priority);
    } else if (id != cudaLaunchAttributeCooperative) {
        fake_wrong(call, "attribute %d", (int)id);
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t result = fake_check_attribute("cudaLaunchKernelExC", config->attrs[i].id, &config->attrs[i].val, config->gridDim);
        if (result != cudaSuccess)
            return fake_give(result);
    }
    return launch_kernel("cudaLaunchKernelExC", function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream);
}

/* A copy that touches memory that is not pinned is over when the call returns. */
static void put_copy(const char *call, cudaStream_t stream, act *does)
{
    struct CUstream_st *s = fake_check_stream(call, stream);
    bool pageable = does->to_kind == cudaMemoryTypeUnregistered || does->from_kind == cudaMemoryTypeUnregistered;
    if (pageable && s->captured)
        fake_wrong(call, "of memory that is not pinned, captured");
    fake_put(call, s, does);
    if (pageable)
        fake_wait_for_operations(s);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    put_copy("cudaMemcpyAsync", stream, fake_line_act("cudaMemcpyAsync", to, from, bytes, kind));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *params, cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    put_copy("cudaMemcpy3DAsync", stream, fake_box_act("cudaMemcpy3DAsync", params));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const struct cudaMemsetParams params = {.dst = to, .pitch = bytes, .value = (unsigned char)value, .elementSize = 1, .width = bytes, .height = 1};
    pthread_mutex_lock(&fake_lock);
    fake_put("cudaMemsetAsync", fake_check_stream("cudaMemsetAsync", stream), fake_fill_act("cudaMemsetAsync", &params));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    pthread_mutex_lock(&fake_lock);
    act *does = fake_make_act(ACT_HOST);
    does->host = function;
    does->user = user;
    fake_put("cudaLaunchHostFunc", fake_check_stream("cudaLaunchHostFunc", stream), does);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

int fake_cuda_launch_legacy(const weir_kernel *kernel, void **args)
{
    act *does;
    const struct dim3 one = {1, 1, 1};
    (void)fake_cuda_kernel(kernel);
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_kernel_act("launch into the legacy stream", kernel, one, one, args, 0, &does);
    if (result == cudaSuccess)
        fake_put("launch into the legacy stream", &fake_legacy, does);
    pthread_mutex_unlock(&fake_lock);
    return (int)result;
}
