/* native_nodes.c - natives in a CUDA graph: what they enqueue is captured into it, and looked through.
 *
 * A native's nodes are found by walking back from what its stream would follow next, to what it followed before. All nodes that the graph has
 * got more must be met on the way: others hang off a stream that was not joined. The walk also stops at what natives before this one added or
 * followed: a stream that one of them forked stays in the capture of lanes, and the next to use it follows what is in it.
 *
 * Forbidden calls fail while a stream is captured, and the capture is lost. Two things are needed for that: a capture that is not relaxed, and a
 * thread that is not. */
#include "backend/cuda/native.h"
#include "backend/cuda/slot.h"
#include "util/status.h"
#include <stdio.h>

/* ---- what is wrong with it ---- */

static weir_status refuse(native_nodes *n, const action *a, const char *what)
{
    n->failed_task = n->task;
    n->failed_cause = WEIR_OK;
    return weir_fail(WEIR_ERR_TASK, "task '%s': enqueue of native '%s' %s", n->name, a->as.native.code->name, what);
}

static weir_status fail_call(const native_nodes *n, cudaError_t result, const char *call)
{
    return weir_cuda_task_status(n->program, n->name, result, call);
}

static const char *const uses_legacy_stream = "uses the legacy stream (906), which waits for other streams: give its calls the stream of weir_native_stream";
static const char *const leaves_unjoined = "leaves a stream that it forked unjoined (904): record an event there, and have the stream that it was given wait for it";

/* The first forbidden call says why it fails, all later ones that the capture is lost. */
static const char *reason_for(cudaError_t left)
{
    switch (left) {
    case cudaErrorStreamCaptureUnsupported:
        return "waits for the device, or takes or frees memory (900), which a part of a CUDA graph may not: prepare is the place for it";
    case cudaErrorStreamCaptureMerge:
        return "waits for what is in another capture (902)";
    case cudaErrorStreamCaptureUnjoined:
        return leaves_unjoined;
    case cudaErrorStreamCaptureIsolation:
        return "waits for an event that was recorded before it was called (905)";
    case cudaErrorStreamCaptureImplicit:
        return uses_legacy_stream;
    case cudaErrorCapturedEvent:
        return "asks whether an event that it recorded has happened, or waits for it (907): in a CUDA graph that is later";
    default:
        return "does what a part of a CUDA graph may not, and goes on: it waits for the device, takes or frees memory, or uses the legacy stream; look at what its first call that "
               "fails returns";
    }
}

static const char *name_of_type(enum cudaGraphNodeType type)
{
    switch ((int)type) {
    case cudaGraphNodeTypeHost:
        return "a host function";
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        return "an event of another stream's";
    case cudaGraphNodeTypeMemAlloc:
        return "an allocation (cudaMallocAsync)";
    case cudaGraphNodeTypeMemFree:
        return "a deallocation (cudaFreeAsync)";
    default:
        return "an operation";
    }
}

/* A graph that takes memory can be launched again only when it has given it back, and never beside itself. What a body may hold is CUDA's. */
static bool may_be(enum cudaGraphNodeType type, bool in_body)
{
    if (!in_body)
        return type != cudaGraphNodeTypeMemAlloc && type != cudaGraphNodeTypeMemFree;
    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeEmpty ||
           type == cudaGraphNodeTypeGraph || type == cudaGraphNodeTypeConditional;
}

static weir_status check_graph(native_nodes *n, const action *a, cudaGraph_t graph);

/* In a body also what is in a graph that was launched into the stream. */
static weir_status check_node(native_nodes *n, const action *a, cudaGraphNode_t node)
{
    enum cudaGraphNodeType type = cudaGraphNodeTypeCount;
    cudaGraph_t child = NULL;
    cudaError_t result = cudaGraphNodeGetType(node, &type);
    if (result == cudaErrorUnknown) { /* the runtime has no name for it, as for operations on words of memory */
        (void)cudaGetLastError();
        type = cudaGraphNodeTypeCount;
        result = cudaSuccess;
    }
    weir_status status = fail_call(n, result, "cudaGraphNodeGetType");
    if (status == WEIR_OK && !may_be(type, n->in_body)) {
        char what[160];
        snprintf(what, sizeof what, "puts %s into its stream, which %s may not hold", name_of_type(type), n->in_body ? "the body of a loop or branch" : "a CUDA graph");
        return refuse(n, a, what);
    }
    if (status != WEIR_OK || type != cudaGraphNodeTypeGraph || !n->in_body)
        return status;
    status = fail_call(n, cudaGraphChildGraphNodeGetGraph(node, &child), "cudaGraphChildGraphNodeGetGraph");
    return status == WEIR_OK ? check_graph(n, a, child) : status;
}

static weir_status check_graph(native_nodes *n, const action *a, cudaGraph_t graph)
{
    size_t count = 0;
    weir_status status = fail_call(n, cudaGraphGetNodes(graph, NULL, &count), "cudaGraphGetNodes");
    cudaGraphNode_t *nodes = status == WEIR_OK ? weir_alloc(count, sizeof(cudaGraphNode_t)) : NULL;
    if (status == WEIR_OK && !nodes)
        status = weir_fail_no_memory();
    if (status == WEIR_OK && count > 0)
        status = fail_call(n, cudaGraphGetNodes(graph, nodes, &count), "cudaGraphGetNodes");
    for (size_t i = 0; i < count && status == WEIR_OK; i++)
        status = check_node(n, a, nodes[i]);
    weir_free(nodes);
    return status;
}

/* ---- what it added ---- */

static bool is_in_frontier(const native_nodes *n, cudaGraphNode_t node)
{
    for (uint32_t i = 0; i < n->frontier.count; i++)
        if (n->frontier.at[i] == node)
            return true;
    return false;
}

/* *active: it is still being captured; else there is no frontier. */
static weir_status read_frontier(native_nodes *n, cudaStream_t stream, cudaGraph_t *graph, bool *active)
{
    enum cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *nodes = NULL;
    const cudaGraphEdgeData *data = NULL; /* asked for, or edges that have some are an error */
    size_t count = 0;
    cudaError_t result = weir_cuda_note(n->program->device, cudaStreamGetCaptureInfo(stream, &state, NULL, graph, &nodes, &data, &count));
    n->frontier.count = 0;
    *active = result == cudaSuccess && state == cudaStreamCaptureStatusActive;
    if (!*active) {
        (void)cudaGetLastError();
        return WEIR_OK;
    }
    if (!weir_vector_reserve(&n->frontier, count))
        return weir_fail_no_memory();
    for (size_t i = 0; i < count; i++)
        if (!is_in_frontier(n, nodes[i]))
            weir_vector_push(&n->frontier, nodes[i]);
    return WEIR_OK;
}

static weir_status know_frontier(native_nodes *n)
{
    bool known = n->known != NULL;
    for (uint32_t i = 0; i < n->frontier.count && known; i++)
        known = weir_table_put_pointer(n->known, n->frontier.at[i], 0);
    return known ? WEIR_OK : weir_fail_no_memory();
}

static bool add_unknown(native_nodes *n, const cudaGraphNode_t *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (weir_table_get_pointer(n->known, nodes[i]) != UINT32_MAX)
            continue;
        if (!weir_vector_reserve(&n->added, 1) || !weir_table_put_pointer(n->known, nodes[i], 0))
            return false;
        weir_vector_push(&n->added, ((native_node){nodes[i], n->task}));
    }
    return true;
}

/* What the node follows, in n->before. */
static weir_status read_before(native_nodes *n, cudaGraphNode_t node)
{
    size_t count = 0;
    n->before.count = n->before_data.count = 0;
    cudaError_t result = cudaGraphNodeGetDependencies(node, NULL, NULL, &count);
    if (result == cudaErrorLossyQuery) { /* some edge is no plain one, and nothing was asked of that: it has less than all nodes before it */
        (void)cudaGetLastError();
        count = n->nodes;
        result = cudaSuccess;
    }
    weir_status status = fail_call(n, result, "cudaGraphNodeGetDependencies");
    if (status != WEIR_OK || count == 0)
        return status;
    if (!weir_vector_reserve(&n->before, count) || !weir_vector_reserve(&n->before_data, count))
        return weir_fail_no_memory();
    status = fail_call(n, cudaGraphNodeGetDependencies(node, n->before.at, n->before_data.at, &count), "cudaGraphNodeGetDependencies");
    n->before.count = status == WEIR_OK ? (uint32_t)count : 0;
    return status;
}

/* Its nodes, of which there are so many, from the frontier backwards. */
static weir_status find_added(native_nodes *n, const action *a, size_t count)
{
    uint32_t first = n->added.count;
    weir_status status = add_unknown(n, n->frontier.at, n->frontier.count) ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t i = first; i < n->added.count && status == WEIR_OK; i++) {
        status = check_node(n, a, n->added.at[i].node);
        if (status == WEIR_OK)
            status = read_before(n, n->added.at[i].node);
        if (status == WEIR_OK && !add_unknown(n, n->before.at, n->before.count))
            status = weir_fail_no_memory();
        n->edges += n->before.count;
    }
    if (status == WEIR_OK && n->added.count - first != count)
        return refuse(n, a, leaves_unjoined);
    return status;
}

static weir_status count_nodes(const native_nodes *n, cudaGraph_t graph, size_t *count)
{
    return fail_call(n, cudaGraphGetNodes(graph, NULL, count), "cudaGraphGetNodes");
}

/* After the user's code, which returned `returned`. */
static weir_status check_added(native_nodes *n, const action *a, cudaStream_t stream, size_t had, weir_status returned)
{
    cudaGraph_t graph = NULL;
    bool active = false;
    size_t has = 0;
    weir_status status = read_frontier(n, stream, &graph, &active);
    if (status != WEIR_OK)
        return status;
    if (!active && weir_cuda_is_sticky(n->left))
        return fail_call(n, n->left, "enqueue");
    if (!active)
        return refuse(n, a, reason_for(n->left));
    if (returned != WEIR_OK) {
        n->failed_task = n->task;
        n->failed_cause = n->in_body ? WEIR_OK : returned; /* to be said of a loop: the text, which names the task in it */
        return weir_fail(WEIR_ERR_TASK, "task '%s': enqueue of native '%s' returned %s", n->name, a->as.native.code->name, weir_status_name(returned));
    }
    status = count_nodes(n, graph, &has);
    if (status != WEIR_OK)
        return status;
    n->nodes = has;
    if (has == had)
        return refuse(n, a, "added nothing to its stream: switch the task off where there is nothing to do");
    return find_added(n, a, has - had);
}

/* Has user code put its work into a captured stream, and finds what that is. The frontier is what whatever comes next is to follow. */
static weir_status take_in(native_nodes *n, const action *a, cudaStream_t stream, cudaGraph_t *graph)
{
    bool active = false;
    size_t had = 0;
    if (!n->known)
        n->known = weir_table_create();
    weir_status status = read_frontier(n, stream, graph, &active);
    if (status == WEIR_OK && !active)
        status = fail_call(n, cudaErrorStreamCaptureInvalidated, "cudaStreamGetCaptureInfo");
    if (status == WEIR_OK)
        status = know_frontier(n);
    if (status == WEIR_OK)
        status = count_nodes(n, *graph, &had);
    if (status != WEIR_OK)
        return status;
    uint32_t followed = n->frontier.count;
    weir_status returned = weir_native_enqueue(n->program->device, a, stream, n->slot, cudaStreamCaptureModeThreadLocal, &n->left);
    status = check_added(n, a, stream, had, returned);
    n->edges += (uint64_t)n->frontier.count - followed;
    return status;
}

/* ---- the ways into a graph ---- */

static weir_status make_stream(native_nodes *n, int level)
{
    if (n->stream && n->level == level)
        return WEIR_OK;
    if (n->stream)
        (void)cudaStreamDestroy(n->stream);
    n->stream = NULL;
    n->level = level;
    if (n->program->device->options.debug) /* the legacy stream waits for it, so that to use that one is an error */
        return fail_call(n, cudaStreamCreateWithFlags(&n->stream, cudaStreamDefault), "cudaStreamCreateWithFlags");
    return fail_call(n, cudaStreamCreateWithPriority(&n->stream, cudaStreamNonBlocking, level), "cudaStreamCreateWithPriority");
}

/* Always, whatever became of it, or streams stay in the capture. *lost: it took along the graph that it went into. */
static weir_status end_capture(native_nodes *n, const action *a, cudaStream_t stream, weir_status status, cudaGraph_t *graph, bool *lost)
{
    cudaError_t ended = weir_cuda_note(n->program->device, cudaStreamEndCapture(stream, graph));
    *lost = ended != cudaSuccess;
    if (*lost)
        (void)cudaGetLastError();
    if (status != WEIR_OK || ended == cudaSuccess)
        return status;
    return ended == cudaErrorStreamCaptureUnjoined ? refuse(n, a, leaves_unjoined) : fail_call(n, ended, "cudaStreamEndCapture");
}

static weir_status add(native_nodes *n, const action *a, const native_place *place, cudaGraphNode_t *last)
{
    cudaGraph_t graph = NULL;
    weir_status status = make_stream(n, place->level);
    if (status == WEIR_OK)
        status = fail_call(n, cudaStreamBeginCaptureToGraph(n->stream, place->graph, place->follows, NULL, place->count, cudaStreamCaptureModeThreadLocal),
                           "cudaStreamBeginCaptureToGraph");
    if (status != WEIR_OK)
        return status;
    status = end_capture(n, a, n->stream, take_in(n, a, n->stream, &graph), &graph, &n->graph_is_lost);
    return status == WEIR_OK ? fail_call(n, cudaGraphAddEmptyNode(last, place->graph, n->frontier.at, n->frontier.count), "cudaGraphAddEmptyNode") : status;
}

static weir_status record_on(native_nodes *n, const action *a, unsigned flags, cudaGraph_t *out)
{
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    bool lost = false;
    weir_status status = fail_call(n, cudaStreamCreateWithFlags(&stream, flags), "cudaStreamCreateWithFlags");
    if (status != WEIR_OK)
        return status;
    status = fail_call(n, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    if (status == WEIR_OK)
        status = end_capture(n, a, stream, take_in(n, a, stream, &graph), out, &lost);
    (void)cudaStreamDestroy(stream);
    weir_table_destroy(n->known); /* of nodes that may be others next time */
    n->known = NULL;
    return status;
}

/* Into a graph apart. Debugging, the stream is one that the legacy stream waits for. Of code that goes on after its capture was lost it does not
 * show what lost it; if none is lost where the legacy stream is no concern, that did. */
static weir_status record_apart(native_nodes *n, const action *a, cudaGraph_t *out)
{
    bool debug = n->program->device->options.debug;
    cudaGraph_t graph = NULL;
    weir_status status = record_on(n, a, debug ? cudaStreamDefault : cudaStreamNonBlocking, out);
    if (!debug || status != WEIR_ERR_TASK || n->left != cudaErrorStreamCaptureInvalidated || record_on(n, a, cudaStreamNonBlocking, &graph) != WEIR_OK)
        return status;
    (void)cudaGraphDestroy(graph);
    return refuse(n, a, uses_legacy_stream);
}

/* What is refused for a body is refused here: a capture that is lost in a body takes it along, and with it, as is reported of drivers, whatever
 * graph it is in. */
static weir_status rehearse(native_nodes *n, const action *a)
{
    cudaGraph_t graph = NULL;
    const uint32_t added = n->added.count;
    const uint64_t edges = n->edges;
    weir_status status = record_apart(n, a, &graph);
    if (status == WEIR_OK)
        (void)cudaGraphDestroy(graph);
    n->added.count = added;
    n->edges = edges;
    return status;
}

weir_status weir_native_add(native_nodes *n, const action *a, const native_place *place, cudaGraphNode_t *last)
{
    n->name = place->name;
    n->in_body = place->in_body;
    weir_status status = n->in_body ? rehearse(n, a) : WEIR_OK;
    return status == WEIR_OK ? add(n, a, place, last) : status;
}

weir_status weir_native_capture(native_nodes *n, const action *a, cudaStream_t stream, cudaGraphNode_t *last)
{
    cudaGraph_t graph = NULL;
    n->name = a->name;
    n->in_body = false;
    weir_status status = take_in(n, a, stream, &graph);
    if (status == WEIR_OK)
        status = fail_call(n, cudaGraphAddEmptyNode(last, graph, n->frontier.at, n->frontier.count), "cudaGraphAddEmptyNode");
    return status == WEIR_OK ? fail_call(n, cudaStreamUpdateCaptureDependencies(stream, last, NULL, 1, cudaStreamSetCaptureDependencies), "cudaStreamUpdateCaptureDependencies")
                             : status;
}

weir_status weir_native_record(native_nodes *n, const action *a, cudaGraph_t *out)
{
    n->name = a->name;
    n->in_body = false;
    return record_apart(n, a, out);
}

/* ---- failures, and from one graph to the next ---- */

bool weir_native_failed(weir_program *program, flight *f, const native_nodes *n)
{
    if (n->failed_task == UINT32_MAX)
        return false;
    bool returned = n->failed_cause != WEIR_OK;
    weir_cuda_task_failed(program, f, n->failed_task, returned ? n->failed_cause : WEIR_ERR_TASK, returned ? NULL : weir_last_error());
    return true;
}

void weir_native_nodes_begin(native_nodes *n, weir_program *program, uint32_t number)
{
    n->program = program;
    n->slot = number;
    n->added.count = 0;
    n->edges = 0;
    n->failed_task = UINT32_MAX;
    n->failed_cause = WEIR_OK;
    n->left = cudaSuccess;
    n->graph_is_lost = false;
}

void weir_native_nodes_end(native_nodes *n)
{
    weir_table_destroy(n->known);
    n->known = NULL;
    if (n->stream)
        (void)cudaStreamDestroy(n->stream);
    n->stream = NULL;
}

void weir_native_nodes_finish(native_nodes *n)
{
    weir_native_nodes_end(n);
    weir_vector_finish(&n->added);
    weir_vector_finish(&n->frontier);
    weir_vector_finish(&n->before);
    weir_vector_finish(&n->before_data);
}
