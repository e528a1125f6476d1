/* fake_capture.c - streams whose work becomes nodes.
 *
 * A capture is lost by the first call that it forbids; all of its streams answer with an error from then on, until it is ended. */
#include "fake.h"

enum { CAPTURES_MOST = 64 };
static capture *captures[CAPTURES_MOST];

/* ---- what captures forbid ---- */

cudaError_t fake_lose(capture *c, cudaError_t error)
{
    c->lost = true;
    return error;
}

/* Of a call that concerns all streams. */
cudaError_t fake_lose_all(void)
{
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < CAPTURES_MOST; i++)
        if (captures[i])
            result = fake_lose(captures[i], cudaErrorStreamCaptureUnsupported);
    return result;
}

/* A call that CUDA may not be asked while this thread, or for careless ones any, captures. */
cudaError_t fake_careful(void)
{
    cudaError_t result = cudaSuccess;
    for (size_t i = 0; i < CAPTURES_MOST; i++) {
        capture *c = captures[i];
        if (!c || fake_thread_mode == cudaStreamCaptureModeRelaxed || c->mode == cudaStreamCaptureModeRelaxed)
            continue;
        bool mine = pthread_equal(c->thread, pthread_self());
        if (mine || (c->mode == cudaStreamCaptureModeGlobal && fake_thread_mode == cudaStreamCaptureModeGlobal))
            result = fake_lose(c, cudaErrorStreamCaptureUnsupported);
    }
    return result;
}

/* The legacy stream waits for all blocking ones, also those that are captured. */
cudaError_t fake_legacy_used(void)
{
    cudaError_t result = cudaSuccess;
    for (struct CUstream_st *s = fake_streams; s; s = s->next)
        if (s->blocking && s->captured)
            result = fake_lose(s->captured, cudaErrorStreamCaptureImplicit);
    return result;
}

capture *fake_capture_of(uint64_t id)
{
    for (size_t i = 0; i < CAPTURES_MOST; i++)
        if (captures[i] && captures[i]->id == id)
            return captures[i];
    return NULL;
}

/* ---- work ---- */

static bool is_kernel(const struct CUgraphNode_st *node)
{
    return node->does->kind == ACT_KERNEL;
}

/* A launch that may begin early need not wait for the ends of kernels. */
static void begin_early(node_set *follows)
{
    for (size_t i = 0; i < follows->count; i++)
        if (is_kernel(follows->at[i]))
            follows->data[i] = (cudaGraphEdgeData){.from_port = cudaGraphKernelNodePortProgrammatic, .type = cudaGraphDependencyTypeProgrammatic};
}

/* When a device refuses what a body may not hold is not known. */
static bool is_refused(const struct CUgraph_st *graph, act_kind kind)
{
    const char *text = getenv("FAKE_CUDA_STRICT_BODIES");
    bool strict = text && *text && strcmp(text, "0") != 0;
    return strict && graph->owner && graph->owner->does->kind == ACT_CONDITIONAL && !fake_may_be_in_body(kind);
}

static cudaError_t capture_act(const char *call, struct CUstream_st *s, act *does, const launch_attributes *attributes)
{
    cudaGraphNode_t node;
    if (s->captured->lost) {
        fake_drop_act(does);
        return cudaErrorStreamCaptureInvalidated;
    }
    if (is_refused(s->captured->graph, does->kind)) {
        fake_drop_act(does);
        return fake_lose(s->captured, cudaErrorNotSupported);
    }
    if (attributes && attributes->programmatic)
        begin_early(&s->follows);
    cudaError_t result = fake_add_node(call, s->captured->graph, s->follows.at, s->follows.data, s->follows.count, does, &node);
    if (result != cudaSuccess)
        return fake_lose(s->captured, result);
    if (attributes)
        node->attributes = *attributes;
    node->captured = s->captured->id;
    s->follows.count = 0;
    fake_add_to(&s->follows, node, NULL);
    return cudaSuccess;
}

/* An act goes into the stream, or into the graph that it is captured into. */
cudaError_t fake_put(const char *call, struct CUstream_st *s, act *does, const launch_attributes *attributes)
{
    if (s->captured)
        return capture_act(call, s, does, attributes);
    fake_launch(s, (operation){.kind = OP_ACT, .does = does});
    return cudaSuccess;
}

/* ---- begin ---- */

static cudaError_t check_into(const char *call, const struct CUgraph_st *graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fake_check_handle(call, after[i], IS_NODE);
        if (after[i]->graph != graph || (data && data[i].type == cudaGraphDependencyTypeProgrammatic && !is_kernel(after[i])))
            return cudaErrorInvalidValue;
        for (size_t j = 0; j < i; j++)
            if (after[j] == after[i])
                return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static capture *begin(const char *call, struct CUstream_st *s, enum cudaStreamCaptureMode mode, struct CUgraph_st *graph)
{
    size_t i = 0;
    while (captures[i])
        if (++i == CAPTURES_MOST)
            fake_wrong(call, "too many captures for the fake");
    capture *c = fake_zeros(1, sizeof *c);
    *c = (capture){.id = fake_numbers++, .graph = graph, .origin = s, .mode = mode, .thread = pthread_self()};
    captures[i] = c;
    graph->captures++;
    s->captured = c;
    s->follows.count = 0;
    return c;
}

/* NULL if it may not be captured. */
static struct CUstream_st *check_origin(const char *call, cudaStream_t stream, cudaError_t *error)
{
    if (stream == NULL || stream == cudaStreamLegacy) {
        *error = cudaErrorStreamCaptureUnsupported;
        return NULL;
    }
    struct CUstream_st *s = fake_check_stream(call, stream);
    *error = s->captured ? cudaErrorIllegalState : cudaSuccess;
    return s->captured ? NULL : s;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    const char *call = "cudaStreamBeginCapture";
    cudaError_t result;
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = check_origin(call, stream, &result);
    if (s)
        begin(call, s, mode, fake_make_graph(NULL));
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    const char *call = "cudaStreamBeginCaptureToGraph";
    cudaError_t result;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle(call, graph, IS_GRAPH);
    if (graph->captures > 0)
        fake_wrong(call, "another capture goes on into the graph");
    if (count > 0 && !after)
        fake_wrong(call, "%zu dependencies that are NULL", count);
    struct CUstream_st *s = check_origin(call, stream, &result);
    if (s)
        result = check_into(call, graph, after, data, count);
    if (s && result == cudaSuccess) {
        (void)begin(call, s, mode, graph);
        for (size_t i = 0; i < count; i++)
            fake_add_to(&s->follows, after[i], data ? &data[i] : NULL);
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- end ---- */

static void reach(cudaGraphNode_t node)
{
    if (node->reached)
        return;
    node->reached = true;
    for (size_t i = 0; i < node->after.count; i++)
        reach(node->after.at[i]);
}

/* All that was captured is behind what the origin would do next. */
static bool all_joined(const capture *c)
{
    bool joined = true;
    for (size_t i = 0; i < c->graph->count; i++)
        c->graph->node[i]->reached = false;
    for (size_t i = 0; i < c->origin->follows.count; i++)
        reach(c->origin->follows.at[i]);
    for (size_t i = 0; i < c->graph->count; i++)
        joined &= c->graph->node[i]->captured != c->id || c->graph->node[i]->reached;
    return joined;
}

static void take_apart(capture *c)
{
    for (struct CUstream_st *s = fake_streams; s; s = s->next)
        if (s->captured == c) {
            s->captured = NULL;
            s->follows.count = 0;
        }
    for (size_t i = 0; i < CAPTURES_MOST; i++)
        if (captures[i] == c)
            captures[i] = NULL;
    c->graph->captures--;
    free(c);
}

static cudaError_t end(struct CUstream_st *s, cudaGraph_t *graph)
{
    capture *c = s->captured;
    *graph = NULL;
    if (!c)
        return cudaErrorIllegalState;
    if (c->origin != s)
        return fake_lose(c, cudaErrorStreamCaptureUnmatched);
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        return fake_lose(c, cudaErrorStreamCaptureWrongThread);
    cudaError_t result = c->lost ? cudaErrorStreamCaptureInvalidated : all_joined(c) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
    struct CUgraph_st *into = c->graph;
    take_apart(c);
    if (result == cudaSuccess)
        *graph = into;
    else if (!into->owner) /* also one that was lent: drivers are reported to free it */
        fake_destroy_graph(into);
    else
        fake_wrong("cudaStreamEndCapture", "a capture into a body is lost: drivers are reported to crash when what the body is part of is destroyed");
    return result;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = end(fake_check_stream("cudaStreamEndCapture", stream), graph);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- what is asked of captures ---- */

static enum cudaStreamCaptureStatus status_of(const struct CUstream_st *s)
{
    if (!s->captured)
        return cudaStreamCaptureStatusNone;
    return s->captured->lost ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&fake_lock);
    if (stream == NULL || stream == cudaStreamLegacy) {
        *status = cudaStreamCaptureStatusNone;
        for (struct CUstream_st *s = fake_streams; s; s = s->next)
            if (s->blocking && s->captured)
                result = cudaErrorStreamCaptureImplicit;
    } else {
        *status = status_of(fake_check_stream("cudaStreamIsCapturing", stream));
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

static bool has_data(const node_set *set)
{
    static const cudaGraphEdgeData none;
    for (size_t i = 0; i < set->count; i++)
        if (memcmp(&set->data[i], &none, sizeof none) != 0)
            return true;
    return false;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data, size_t *count)
{
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamGetCaptureInfo", stream);
    *status = status_of(s);
    if (*status == cudaStreamCaptureStatusActive) {
        if (id)
            *id = s->captured->id;
        if (graph)
            *graph = s->captured->graph;
        if (nodes && !data && has_data(&s->follows))
            result = cudaErrorLossyQuery;
        for (size_t i = 0; i < s->follows.count; i++)
            fake_add_to(&s->shown, s->follows.at[i], &s->follows.data[i]);
        if (nodes && result == cudaSuccess)
            *nodes = s->shown.at;
        if (data)
            *data = s->shown.data;
        if (count)
            *count = s->follows.count;
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* What the stream no longer follows need not be joined. */
static void let_go(struct CUstream_st *s)
{
    for (size_t i = 0; i < s->follows.count; i++)
        s->follows.at[i]->captured = 0;
    s->follows.count = 0;
}

static cudaError_t update(const char *call, struct CUstream_st *s, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t count, unsigned flags)
{
    if (!s->captured)
        return cudaErrorIllegalState;
    if (s->captured->lost)
        return cudaErrorStreamCaptureInvalidated;
    if (flags != cudaStreamSetCaptureDependencies && flags != cudaStreamAddCaptureDependencies)
        return cudaErrorInvalidValue;
    cudaError_t result = check_into(call, s->captured->graph, nodes, data, count);
    if (result != cudaSuccess)
        return result;
    if (flags == cudaStreamSetCaptureDependencies)
        let_go(s);
    for (size_t i = 0; i < count; i++)
        fake_add_to(&s->follows, nodes[i], data ? &data[i] : NULL);
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t count, unsigned int flags)
{
    const char *call = "cudaStreamUpdateCaptureDependencies";
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = update(call, fake_check_stream(call, stream), nodes, data, count, flags);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode before = fake_thread_mode;
    fake_thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
