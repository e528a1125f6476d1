/* fake_stream.c - streams, events, and what is launched into streams. */
#include "fake.h"

/* ---- streams ---- */

/* A thread that tests what code of others does may use the legacy stream; weir may not. */
static _Thread_local bool may_use_legacy;

void fake_cuda_allow_legacy(int allowed)
{
    may_use_legacy = allowed != 0;
}

struct CUstream_st *fake_check_stream(const char *call, cudaStream_t stream)
{
    if (stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        fake_wrong(call, "on the legacy stream");
    fake_check_handle(call, stream, IS_STREAM);
    if (stream->gone)
        fake_wrong(call, "on a stream that was destroyed");
    if (stream->shown.at) { /* what was shown of a capture is good until the next call */
        memset(stream->shown.at, 0xa5, stream->shown.count * sizeof *stream->shown.at);
        fake_finish_set(&stream->shown);
    }
    return stream;
}

/* Where work goes. */
cudaError_t fake_target(const char *call, cudaStream_t stream, struct CUstream_st **out)
{
    if (stream != NULL && stream != cudaStreamLegacy) {
        *out = fake_check_stream(call, stream);
        return (*out)->captured && (*out)->captured->lost ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    }
    cudaError_t result = fake_legacy_used();
    if (result == cudaSuccess && !may_use_legacy)
        fake_wrong(call, "on the legacy stream");
    *out = &fake_legacy;
    return result;
}

static struct CUstream_st *make_stream(bool blocking)
{
    struct CUstream_st *s = fake_know(fake_zeros(1, sizeof *s), IS_STREAM);
    s->id = fake_numbers++;
    s->blocking = blocking;
    s->next = fake_streams;
    fake_streams = s;
    return s;
}

/* What weir's pool is made with. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    if (flags != cudaStreamNonBlocking)
        fake_wrong("cudaStreamCreateWithPriority", "not a non-blocking stream");
    if (priority > 0 || priority < PRIORITY_GREATEST)
        fake_wrong("cudaStreamCreateWithPriority", "priority %d", priority);
    pthread_mutex_lock(&fake_lock);
    *stream = make_stream(false);
    (*stream)->priority = priority;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    if (flags != cudaStreamNonBlocking && flags != cudaStreamDefault)
        return fake_give(cudaErrorInvalidValue);
    pthread_mutex_lock(&fake_lock);
    *stream = make_stream(flags == cudaStreamDefault);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamDestroy", stream);
    if (s->captured)
        fake_wrong("cudaStreamDestroy", "is captured");
    fake_forget(s);
    fake_finish_set(&s->follows);
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

/* What a stream is, which captures do not change. */
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    pthread_mutex_lock(&fake_lock);
    *flags = fake_check_stream("cudaStreamGetFlags", stream)->blocking ? cudaStreamDefault : cudaStreamNonBlocking;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    pthread_mutex_lock(&fake_lock);
    *priority = fake_check_stream("cudaStreamGetPriority", stream)->priority;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    pthread_mutex_lock(&fake_lock);
    *id = fake_check_stream("cudaStreamGetId", stream)->id;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

static cudaError_t asked_stream(const char *call, cudaStream_t stream, struct CUstream_st **out)
{
    if (stream == cudaStreamLegacy) {
        *out = &fake_legacy;
        cudaError_t result = fake_legacy_used();
        return result == cudaSuccess ? fake_careful() : result;
    }
    cudaError_t result = fake_target(call, stream, out);
    if (result == cudaSuccess && (*out)->captured)
        result = fake_lose((*out)->captured, cudaErrorStreamCaptureUnsupported);
    return result == cudaSuccess ? fake_careful() : result;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = asked_stream("cudaStreamSynchronize", stream, &s);
    if (result == cudaSuccess)
        fake_wait_for_operations(s);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* As under tools that check each call: who asks waits. With the lock held. */
static bool queries_wait(void)
{
    static int wait = -1;
    const char *text = wait < 0 ? getenv("FAKE_CUDA_QUERIES_WAIT") : NULL;
    if (wait < 0)
        wait = text && strcmp(text, "1") == 0;
    return wait > 0;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = asked_stream("cudaStreamQuery", stream, &s);
    while (result == cudaSuccess && s->count > 0 && queries_wait())
        pthread_cond_wait(&fake_done, &fake_lock);
    if (result == cudaSuccess && s->count > 0)
        result = cudaErrorNotReady;
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags)
{
    (void)callback;
    (void)user;
    (void)flags;
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamAddCallback", stream);
    if (!s->captured)
        fake_wrong("cudaStreamAddCallback", "not in the fake");
    cudaError_t result = s->captured->lost ? cudaErrorStreamCaptureInvalidated : fake_lose(s->captured, cudaErrorStreamCaptureUnsupported);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    pthread_mutex_lock(&fake_lock);
    if (stream != cudaStreamLegacy)
        fake_check_stream("cudaStreamGetDevice", stream);
    *device = 0;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

/* No device with a stream that is captured can be waited for, whoever captures. */
cudaError_t cudaDeviceSynchronize(void)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_lose_all();
    if (result == cudaSuccess)
        fake_wait_for_operations(NULL);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming))
        fake_wrong("cudaEventCreateWithFlags", "flags %u", flags);
    pthread_mutex_lock(&fake_lock);
    struct CUevent_st *e = fake_know(fake_zeros(1, sizeof *e), IS_EVENT);
    e->times = !(flags & cudaEventDisableTiming);
    *event = e;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaEventDestroy", event, IS_EVENT);
    fake_forget(event);
    fake_drop_mark(event->at);
    fake_finish_set(&event->nodes);
    free(event);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

static void record(cudaEvent_t event, struct CUstream_st *s)
{
    fake_drop_mark(event->at);
    event->at = NULL;
    event->nodes.count = 0;
    event->capture_id = 0;
    if (s->captured) {
        event->capture_id = s->captured->id;
        for (size_t i = 0; i < s->follows.count; i++)
            fake_add_to(&event->nodes, s->follows.at[i], &s->follows.data[i]);
    } else {
        event->at = fake_make_mark(2);
        fake_launch(s, (operation){.kind = OP_RECORD, .at = event->at});
    }
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    const char *call = "cudaEventRecordWithFlags";
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle(call, event, IS_EVENT);
    cudaError_t result = fake_target(call, stream, &s);
    if (result == cudaSuccess && flags == cudaEventRecordExternal)
        result = s->captured ? fake_put(call, s, fake_event_act(call, ACT_RECORD, event), NULL) : cudaErrorInvalidValue;
    else if (result == cudaSuccess && flags != cudaEventRecordDefault)
        result = cudaErrorInvalidValue;
    else if (result == cudaSuccess)
        record(event, s);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* For an event that a capture holds: the stream is in that capture from then on. */
static cudaError_t follow_captured(struct CUstream_st *s, const struct CUevent_st *event)
{
    capture *c = fake_capture_of(event->capture_id);
    if (!c)
        return cudaErrorInvalidValue; /* it has ended */
    if (s == &fake_legacy)
        return fake_lose(c, cudaErrorStreamCaptureImplicit);
    if (s->captured && s->captured != c) {
        fake_lose(c, cudaErrorStreamCaptureMerge);
        return fake_lose(s->captured, cudaErrorStreamCaptureMerge);
    }
    if (c->lost)
        return cudaErrorStreamCaptureInvalidated;
    s->captured = c;
    for (size_t i = 0; i < event->nodes.count; i++)
        fake_add_to(&s->follows, event->nodes.at[i], &event->nodes.data[i]);
    return cudaSuccess;
}

static cudaError_t follow(struct CUstream_st *s, const struct CUevent_st *event)
{
    if (event->capture_id != 0)
        return follow_captured(s, event);
    if (!event->at)
        return cudaSuccess; /* never recorded */
    if (s->captured)
        return fake_lose(s->captured, cudaErrorStreamCaptureIsolation);
    event->at->refs++;
    fake_launch(s, (operation){.kind = OP_WAIT, .at = event->at});
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    const char *call = "cudaStreamWaitEvent";
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle(call, event, IS_EVENT);
    cudaError_t result = fake_target(call, stream, &s);
    if (result == cudaSuccess && flags == cudaEventWaitExternal)
        result = s->captured ? fake_put(call, s, fake_event_act(call, ACT_AWAIT, event), NULL) : cudaErrorInvalidValue;
    else if (result == cudaSuccess && flags != cudaEventWaitDefault)
        result = cudaErrorInvalidValue;
    else if (result == cudaSuccess)
        result = follow(s, event);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* An event of a capture has no state that can be asked. */
static cudaError_t asked_event(const char *call, const struct CUevent_st *event)
{
    fake_check_handle(call, event, IS_EVENT);
    if (event->capture_id == 0)
        return fake_careful();
    capture *c = fake_capture_of(event->capture_id);
    return c ? fake_lose(c, cudaErrorCapturedEvent) : cudaErrorInvalidValue;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = asked_event("cudaEventQuery", event);
    mark *m = result == cudaSuccess ? event->at : NULL;
    if (m && !m->done && queries_wait()) {
        m->refs++;
        while (!m->done)
            pthread_cond_wait(&fake_done, &fake_lock);
        fake_drop_mark(m);
    } else if (m && !m->done) {
        result = cudaErrorNotReady;
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = asked_event("cudaEventSynchronize", event);
    mark *m = result == cudaSuccess ? event->at : NULL;
    if (m) {
        m->refs++;
        while (!m->done)
            pthread_cond_wait(&fake_done, &fake_lock);
        fake_drop_mark(m);
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
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

static cudaError_t launch_kernel(const char *call, const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream,
                                 const launch_attributes *attributes)
{
    struct CUstream_st *s;
    act *does;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_target(call, stream, &s);
    if (result == cudaSuccess)
        result = fake_kernel_act(call, function, grid, block, args, shared, &does);
    if (result == cudaSuccess)
        result = fake_put(call, s, does, attributes);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    return launch_kernel("cudaLaunchKernel", function, grid, block, args, shared, stream, NULL);
}

cudaError_t fake_set_attribute(const char *call, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value, struct dim3 grid, launch_attributes *attributes)
{
    if (id == cudaLaunchAttributeClusterDimension) {
        if (value->clusterDim.x == 0 || value->clusterDim.y == 0 || value->clusterDim.z == 0 || grid.x % value->clusterDim.x != 0 ||
            grid.y % value->clusterDim.y != 0 || grid.z % value->clusterDim.z != 0)
            return cudaErrorInvalidConfiguration;
        attributes->cluster[0] = value->clusterDim.x;
        attributes->cluster[1] = value->clusterDim.y;
        attributes->cluster[2] = value->clusterDim.z;
    } else if (id == cudaLaunchAttributePriority) {
        if (value->priority > 0 || value->priority < PRIORITY_GREATEST)
            fake_wrong(call, "priority %d", value->priority);
        attributes->priority = value->priority;
    } else if (id == cudaLaunchAttributeCooperative) {
        attributes->cooperative = value->cooperative;
    } else if (id == cudaLaunchAttributeProgrammaticStreamSerialization) {
        attributes->programmatic = value->programmaticStreamSerializationAllowed != 0;
    } else {
        fake_wrong(call, "attribute %d", (int)id);
    }
    return cudaSuccess;
}

/* Programmatic launches of a stream that is not captured are run one after the other. */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    const char *call = "cudaLaunchKernelExC";
    launch_attributes attributes = {0};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t result = fake_set_attribute(call, config->attrs[i].id, &config->attrs[i].val, config->gridDim, &attributes);
        if (result != cudaSuccess)
            return fake_give(result);
    }
    return launch_kernel(call, function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream, &attributes);
}

/* A copy that touches memory that is not pinned is over when the call returns. */
static cudaError_t put_copy(const char *call, struct CUstream_st *s, act *does)
{
    bool pageable = does->to_kind == cudaMemoryTypeUnregistered || does->from_kind == cudaMemoryTypeUnregistered;
    if (pageable && s->captured)
        fake_wrong(call, "of memory that is not pinned, captured");
    cudaError_t result = fake_put(call, s, does, NULL);
    if (pageable)
        fake_wait_for_operations(s);
    return result;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const char *call = "cudaMemcpyAsync";
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_target(call, stream, &s);
    if (result == cudaSuccess)
        result = put_copy(call, s, fake_line_act(call, to, from, bytes, kind));
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *params, cudaStream_t stream)
{
    const char *call = "cudaMemcpy3DAsync";
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_target(call, stream, &s);
    if (result == cudaSuccess)
        result = put_copy(call, s, fake_box_act(call, params));
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const char *call = "cudaMemsetAsync";
    const struct cudaMemsetParams params = {.dst = to, .pitch = bytes, .value = (unsigned char)value, .elementSize = 1, .width = bytes, .height = 1};
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_target(call, stream, &s);
    if (result == cudaSuccess)
        result = fake_put(call, s, fake_fill_act(call, &params), NULL);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_target("cudaLaunchHostFunc", stream, &s);
    if (result == cudaSuccess)
        result = fake_put("cudaLaunchHostFunc", s, fake_host_act(function, user), NULL);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

int fake_cuda_launch_legacy(const weir_kernel *kernel, void **args)
{
    const struct dim3 one = {1, 1, 1};
    (void)fake_cuda_kernel(kernel);
    bool before = may_use_legacy;
    may_use_legacy = true;
    cudaError_t result = launch_kernel("launch into the legacy stream", kernel, one, one, args, 0, NULL, NULL);
    may_use_legacy = before;
    return (int)result;
}
