/* fake_capture.c - streams whose work becomes nodes. */
#include "fake.h"

static capture *captures[64];

/* A call that CUDA may not be asked while this thread, or for careless ones any, captures. */
void fake_careful(const char *call)
{
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        const capture *c = captures[i];
        if (!c)
            continue;
        bool mine = pthread_equal(c->thread, pthread_self());
        if (fake_thread_mode == cudaStreamCaptureModeRelaxed || c->mode == cudaStreamCaptureModeRelaxed)
            continue;
        if (mine || (c->mode == cudaStreamCaptureModeGlobal && fake_thread_mode == cudaStreamCaptureModeGlobal))
            fake_wrong(call, "breaks a capture of %s", mine ? "this thread" : "another thread");
    }
}

capture *fake_capture_of(uint64_t id)
{
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++)
        if (captures[i] && captures[i]->id == id)
            return captures[i];
    return NULL;
}

/* An act goes into the stream, or into the graph that it is captured into. */
void fake_put(const char *call, struct CUstream_st *s, act *does)
{
    if (!s->captured) {
        fake_launch(s, (operation){.kind = OP_ACT, .does = does});
        return;
    }
    cudaGraphNode_t node = fake_add_node(call, s->captured->graph, s->follows.at, s->follows.count, does);
    node->captured = true;
    s->follows.count = 0;
    fake_add_to(&s->follows, node);
}

static void leave_capture(struct CUstream_st *s)
{
    s->captured = NULL;
    s->follows.count = 0;
}

static void reach(cudaGraphNode_t node)
{
    if (node->reached)
        return;
    node->reached = true;
    for (size_t i = 0; i < node->after.count; i++)
        reach(node->after.at[i]);
}

static bool all_joined(const capture *c)
{
    for (size_t i = 0; i < c->origin->follows.count; i++)
        reach(c->origin->follows.at[i]);
    for (size_t i = 0; i < c->graph->count; i++)
        if (c->graph->node[i]->captured && !c->graph->node[i]->reached)
            return false;
    for (struct CUstream_st *s = fake_streams; s; s = s->next)
        for (size_t i = 0; s->captured == c && i < s->follows.count; i++)
            if (!s->follows.at[i]->reached)
                return false;
    return true;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamBeginCapture", stream);
    if (s->captured)
        fake_wrong("cudaStreamBeginCapture", "is captured already");
    capture *c = fake_zeros(1, sizeof *c);
    struct CUgraph_st *graph = fake_know(fake_zeros(1, sizeof *graph), IS_GRAPH);
    graph->id = fake_numbers++;
    *c = (capture){fake_numbers++, graph, s, mode, pthread_self()};
    size_t i = 0;
    while (captures[i])
        if (++i == sizeof captures / sizeof *captures)
            fake_wrong("cudaStreamBeginCapture", "too many captures for the fake");
    captures[i] = c;
    s->captured = c;
    s->follows.count = 0;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamEndCapture", stream);
    capture *c = s->captured;
    if (!c || c->origin != s)
        fake_wrong("cudaStreamEndCapture", "not where a capture began");
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        fake_wrong("cudaStreamEndCapture", "another thread began it");
    bool joined = all_joined(c);
    for (struct CUstream_st *t = fake_streams; t; t = t->next)
        if (t->captured == c)
            leave_capture(t);
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++)
        if (captures[i] == c)
            captures[i] = NULL;
    *graph = c->graph;
    if (!joined) {
        fake_destroy_graph(c->graph);
        *graph = NULL;
    }
    free(c);
    pthread_mutex_unlock(&fake_lock);
    return joined ? cudaSuccess : fake_give(cudaErrorStreamCaptureUnjoined);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data, size_t *count)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamGetCaptureInfo", stream);
    *status = s->captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (s->captured) {
        if (id)
            *id = s->captured->id;
        if (graph)
            *graph = s->captured->graph;
        if (nodes)
            *nodes = s->follows.at;
        s->edge_data = fake_grow(s->edge_data, s->follows.count, &s->edge_room, sizeof *s->edge_data);
        memset(s->edge_data, 0, s->edge_room * sizeof *s->edge_data);
        if (data)
            *data = s->edge_data;
        if (count)
            *count = s->follows.count;
    }
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t count, unsigned int flags)
{
    (void)data;
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaStreamUpdateCaptureDependencies", stream);
    if (!s->captured)
        fake_wrong("cudaStreamUpdateCaptureDependencies", "is not captured");
    if (flags == cudaStreamSetCaptureDependencies)
        s->follows.count = 0;
    else if (flags != cudaStreamAddCaptureDependencies)
        fake_wrong("cudaStreamUpdateCaptureDependencies", "flags %u", flags);
    for (size_t i = 0; i < count; i++) {
        fake_check_handle("cudaStreamUpdateCaptureDependencies", nodes[i], IS_NODE);
        if (nodes[i]->graph != s->captured->graph)
            fake_wrong("cudaStreamUpdateCaptureDependencies", "a node of another graph");
        fake_add_to(&s->follows, nodes[i]);
    }
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode before = fake_thread_mode;
    fake_thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
