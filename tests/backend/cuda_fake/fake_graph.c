/* fake_graph.c - graphs as they are built and read. */
#include "fake.h"

/* ---- sets of nodes ---- */

bool fake_is_programmatic(const cudaGraphEdgeData *data)
{
    return data->type == cudaGraphDependencyTypeProgrammatic;
}

static size_t find(const node_set *set, const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->at[i] == node)
            return i;
    return SIZE_MAX;
}

/* One that is there already stays once, with the edge that orders more. Data NULL: a full edge. */
void fake_add_to(node_set *set, cudaGraphNode_t node, const cudaGraphEdgeData *data)
{
    static const cudaGraphEdgeData full;
    size_t i = find(set, node);
    if (i == SIZE_MAX) {
        i = set->count;
        set->at = fake_grow(set->at, set->count, &set->room, sizeof(cudaGraphNode_t));
        set->data = fake_grow(set->data, set->count, &set->data_room, sizeof(cudaGraphEdgeData));
        set->at[set->count++] = node;
        set->data[i] = data ? *data : full;
    } else if (!data || !fake_is_programmatic(data)) {
        set->data[i] = full;
    }
}

void fake_finish_set(node_set *set)
{
    free(set->at);
    free(set->data);
    *set = (node_set){0};
}

/* ---- nodes ---- */

struct CUgraph_st *fake_make_graph(struct CUgraphNode_st *owner)
{
    struct CUgraph_st *graph = fake_know(fake_zeros(1, sizeof *graph), IS_GRAPH);
    graph->id = fake_numbers++;
    graph->owner = owner;
    return graph;
}

/* A full edge, or a programmatic one between kernels. */
cudaError_t fake_check_edge(const struct CUgraph_st *graph, cudaGraphNode_t from, act_kind to, const cudaGraphEdgeData *data)
{
    static const unsigned char none[sizeof data->reserved];
    if (from->graph != graph)
        return cudaErrorInvalidValue;
    if (!data)
        return cudaSuccess;
    if (data->to_port != 0 || memcmp(data->reserved, none, sizeof none) != 0)
        return cudaErrorInvalidValue;
    if (data->type == cudaGraphDependencyTypeDefault)
        return data->from_port == cudaGraphKernelNodePortDefault ? cudaSuccess : cudaErrorInvalidValue;
    bool early = data->from_port == cudaGraphKernelNodePortProgrammatic || data->from_port == cudaGraphKernelNodePortLaunchCompletion;
    return fake_is_programmatic(data) && early && from->does->kind == ACT_KERNEL && to == ACT_KERNEL ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t check_edges(const char *call, const struct CUgraph_st *graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count, act_kind to)
{
    cudaError_t result = cudaSuccess;
    if (count > 0 && !after)
        fake_wrong(call, "%zu dependencies that are NULL", count);
    for (size_t i = 0; i < count && result == cudaSuccess; i++) {
        fake_check_handle(call, after[i], IS_NODE);
        result = fake_check_edge(graph, after[i], to, data ? &data[i] : NULL);
        for (size_t j = 0; j < i; j++)
            if (after[j] == after[i])
                result = cudaErrorInvalidValue;
    }
    return result;
}

/* The act is the node's, or gone. */
cudaError_t fake_add_node(const char *call, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count, act *does,
                          cudaGraphNode_t *out)
{
    fake_check_handle(call, graph, IS_GRAPH);
    cudaError_t result = check_edges(call, graph, after, data, count, does->kind);
    if (result != cudaSuccess) {
        fake_drop_act(does);
        return result;
    }
    struct CUgraphNode_st *node = fake_know(fake_zeros(1, sizeof *node), IS_NODE);
    node->graph = graph;
    node->index = graph->count;
    node->does = does;
    for (size_t i = 0; i < count; i++)
        fake_add_to(&node->after, after[i], data ? &data[i] : NULL);
    graph->edges += count;
    graph->node = fake_grow(graph->node, graph->count, &graph->room, sizeof *graph->node);
    graph->node[graph->count++] = node;
    *out = node;
    return cudaSuccess;
}

void fake_destroy_graph(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct CUgraphNode_st *node = graph->node[i];
        for (size_t b = 0; b < node->inner_count; b++)
            fake_destroy_graph(node->inner[b]);
        fake_forget(node);
        fake_drop_act(node->does);
        fake_finish_set(&node->after);
        free(node->inner);
        free(node);
    }
    free(graph->node);
    free(graph->handle);
    fake_forget(graph);
    free(graph);
}

enum cudaGraphNodeType fake_node_type(const act *does)
{
    switch (does->kind) {
    case ACT_NOTHING: return cudaGraphNodeTypeEmpty;
    case ACT_KERNEL: return cudaGraphNodeTypeKernel;
    case ACT_LINE:
    case ACT_BOX: return cudaGraphNodeTypeMemcpy;
    case ACT_FILL: return cudaGraphNodeTypeMemset;
    case ACT_BATCH: return (enum cudaGraphNodeType)CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    case ACT_HOST: return cudaGraphNodeTypeHost;
    case ACT_RECORD: return cudaGraphNodeTypeEventRecord;
    case ACT_AWAIT: return cudaGraphNodeTypeWaitEvent;
    case ACT_ALLOC: return cudaGraphNodeTypeMemAlloc;
    case ACT_RELEASE: return cudaGraphNodeTypeMemFree;
    case ACT_CONDITIONAL: return cudaGraphNodeTypeConditional;
    case ACT_CHILD: return cudaGraphNodeTypeGraph;
    case ACT_FREE: break;
    }
    fake_wrong("cudaGraphNodeGetType", "no node's act: %d", (int)does->kind);
}

/* ---- calls that make graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    if (flags != 0)
        return fake_give(cudaErrorInvalidValue);
    pthread_mutex_lock(&fake_lock);
    *graph = fake_make_graph(NULL);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

bool fake_is_captured_into(const struct CUgraph_st *graph)
{
    bool is = graph->captures > 0;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t b = 0; b < graph->node[i]->inner_count; b++)
            is |= fake_is_captured_into(graph->node[i]->inner[b]);
    return is;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphDestroy", graph, IS_GRAPH);
    if (graph->owner)
        fake_wrong("cudaGraphDestroy", "a graph that a node owns");
    if (fake_is_captured_into(graph))
        fake_wrong("cudaGraphDestroy", "a capture goes on into it");
    fake_destroy_graph(graph);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_add_node("cudaGraphAddEmptyNode", graph, after, NULL, count, fake_make_act(ACT_NOTHING), node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaKernelNodeParams *p)
{
    const char *call = "cudaGraphAddKernelNode";
    act *does;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_kernel_act(call, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, &does);
    if (result == cudaSuccess)
        result = fake_add_node(call, graph, after, NULL, count, does, node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphAddMemcpyNode1D";
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_add_node(call, graph, after, NULL, count, fake_check_pinned(call, fake_line_act(call, to, from, bytes, kind)), node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemcpy3DParms *p)
{
    const char *call = "cudaGraphAddMemcpyNode";
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_add_node(call, graph, after, NULL, count, fake_box_act(call, p), node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemsetParams *p)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_add_node("cudaGraphAddMemsetNode", graph, after, NULL, count, fake_fill_act("cudaGraphAddMemsetNode", p), node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaHostNodeParams *p)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_add_node("cudaGraphAddHostNode", graph, after, NULL, count, fake_host_act(p->fn, p->userData), node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

static cudaError_t add_event_node(const char *call, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, act_kind kind, cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_add_node(call, graph, after, NULL, count, fake_event_act(call, kind, event), node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event)
{
    return add_event_node("cudaGraphAddEventRecordNode", node, graph, after, count, ACT_RECORD, event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event)
{
    return add_event_node("cudaGraphAddEventWaitNode", node, graph, after, count, ACT_AWAIT, event);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value)
{
    const char *call = "cudaGraphKernelNodeSetAttribute";
    pthread_mutex_lock(&fake_lock);
    fake_check_handle(call, node, IS_NODE);
    cudaError_t result =
        node->does->kind != ACT_KERNEL ? cudaErrorInvalidValue : fake_set_attribute(call, id, value, node->does->grid, &node->attributes);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- graphs in nodes ---- */

/* Of this graph, or of one that it is in. */
handle_use *fake_use_of(const struct CUgraph_st *graph, cudaGraphConditionalHandle handle)
{
    for (; graph; graph = graph->owner ? graph->owner->graph : NULL)
        if (graph->id == handle >> 16)
            return (handle & 0xffff) < graph->handle_count ? &graph->handle[handle & 0xffff] : NULL;
    return NULL;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value, unsigned int flags)
{
    if (flags != 0 && flags != cudaGraphCondAssignDefault)
        return fake_give(cudaErrorInvalidValue);
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphConditionalHandleCreate", graph, IS_GRAPH);
    if (graph->handle_count == 0xffff)
        fake_wrong("cudaGraphConditionalHandleCreate", "too many handles for the fake");
    graph->handle = fake_grow(graph->handle, graph->handle_count, &graph->handle_room, sizeof *graph->handle);
    *handle = graph->id << 16 | graph->handle_count;
    graph->handle[graph->handle_count++] = (handle_use){value, flags, false};
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

/* The first of them comes back. */
struct CUgraph_st *fake_give_inner(struct CUgraphNode_st *node, size_t count)
{
    node->inner = fake_zeros(count, sizeof(struct CUgraph_st *));
    node->inner_count = count;
    for (size_t i = 0; i < count; i++)
        node->inner[i] = fake_make_graph(node);
    return node->inner[0];
}

static cudaError_t add_conditional(const char *call, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count,
                                   struct cudaConditionalNodeParams *p, cudaGraphNode_t *out)
{
    handle_use *use = fake_use_of(graph, p->handle);
    bool fits = p->type == cudaGraphCondTypeWhile ? p->size == 1 : p->type == cudaGraphCondTypeIf ? p->size == 1 || p->size == 2 : p->type == cudaGraphCondTypeSwitch && p->size > 0;
    if (!use || use->used || !fits)
        return cudaErrorInvalidValue;
    act *does = fake_make_act(ACT_CONDITIONAL);
    does->condition = *p;
    does->condition.phGraph_out = NULL;
    cudaError_t result = fake_add_node(call, graph, after, data, count, does, out);
    if (result != cudaSuccess)
        return result;
    use->used = true;
    (void)fake_give_inner(*out, p->size);
    p->phGraph_out = (*out)->inner;
    return cudaSuccess;
}

static void copy_nodes(const char *call, const struct CUgraph_st *from, struct CUgraph_st *to)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct CUgraphNode_st *node = from->node[i];
        cudaGraphNode_t copy;
        (void)fake_add_node(call, to, NULL, NULL, 0, fake_hold(node->does), &copy);
        copy->attributes = node->attributes;
        if (node->inner_count > 0)
            copy_nodes(call, node->inner[0], fake_give_inner(copy, node->inner_count));
    }
    for (size_t i = 0; i < from->count; i++)
        for (size_t d = 0; d < from->node[i]->after.count; d++)
            fake_add_to(&to->node[i]->after, to->node[from->node[i]->after.at[d]->index], &from->node[i]->after.data[d]);
    to->edges = from->edges;
}

/* Conditional nodes, and those of memory, are of one graph for ever. */
static bool can_be_copied(const struct CUgraph_st *graph)
{
    bool can = !fake_is_captured_into(graph);
    for (size_t i = 0; i < graph->count && can; i++) {
        const struct CUgraphNode_st *node = graph->node[i];
        can = node->does->kind != ACT_CONDITIONAL && node->does->kind != ACT_ALLOC && node->does->kind != ACT_RELEASE;
        if (node->does->kind == ACT_CHILD)
            can = can_be_copied(node->inner[0]);
    }
    return can;
}

static cudaError_t add_child(const char *call, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count, cudaGraph_t child,
                             cudaGraphNode_t *out)
{
    fake_check_handle(call, child, IS_GRAPH);
    if (!can_be_copied(child))
        return cudaErrorInvalidValue;
    cudaError_t result = fake_add_node(call, graph, after, data, count, fake_make_act(ACT_CHILD), out);
    if (result != cudaSuccess)
        return result;
    copy_nodes(call, child, fake_give_inner(*out, 1));
    return cudaSuccess;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphAddChildGraphNode", graph, IS_GRAPH);
    cudaError_t result = add_child("cudaGraphAddChildGraphNode", graph, after, NULL, count, child, node);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphChildGraphNodeGetGraph", node, IS_NODE);
    cudaError_t result = fake_node_type(node->does) == cudaGraphNodeTypeGraph ? cudaSuccess : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        *out = node->inner[0];
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphClone", graph, IS_GRAPH);
    cudaError_t result = can_be_copied(graph) ? cudaSuccess : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        copy_nodes("cudaGraphClone", graph, *out = fake_make_graph(NULL));
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- cudaGraphAddNode ---- */

static size_t used_bytes(const struct cudaGraphNodeParams *p)
{
    switch ((int)p->type) {
    case cudaGraphNodeTypeKernel: return sizeof p->kernel;
    case cudaGraphNodeTypeMemcpy: return sizeof p->memcpy;
    case cudaGraphNodeTypeMemset: return sizeof p->memset;
    case cudaGraphNodeTypeHost: return sizeof p->host;
    case cudaGraphNodeTypeGraph: return sizeof p->graph;
    case cudaGraphNodeTypeEventRecord: return sizeof p->eventRecord;
    case cudaGraphNodeTypeWaitEvent: return sizeof p->eventWait;
    case cudaGraphNodeTypeConditional: return sizeof p->conditional;
    default: return 0;
    }
}

/* All bytes that the type does not use are zero. */
static bool rest_is_zero(const struct cudaGraphNodeParams *p)
{
    const unsigned char *bytes = (const unsigned char *)p->reserved1;
    bool zero = p->reserved0[0] == 0 && p->reserved0[1] == 0 && p->reserved0[2] == 0 && p->reserved2 == 0;
    for (size_t i = used_bytes(p); i < sizeof p->reserved1; i++)
        zero &= bytes[i] == 0;
    return zero;
}

static cudaError_t node_act(const char *call, const struct cudaGraphNodeParams *p, act **does)
{
    const struct cudaKernelNodeParamsV2 *k = &p->kernel;
    switch ((int)p->type) {
    case cudaGraphNodeTypeKernel:
        return fake_kernel_act(call, k->func, k->gridDim, k->blockDim, k->kernelParams, k->sharedMemBytes, does);
    case cudaGraphNodeTypeMemcpy:
        *does = fake_box_act(call, &p->memcpy.copyParams);
        return cudaSuccess;
    case cudaGraphNodeTypeMemset:
        *does = fake_fill_act(call, &(struct cudaMemsetParams){.dst = p->memset.dst, .pitch = p->memset.pitch, .value = p->memset.value,
                                                               .elementSize = p->memset.elementSize, .width = p->memset.width, .height = p->memset.height});
        return cudaSuccess;
    case cudaGraphNodeTypeHost:
        *does = fake_host_act(p->host.fn, p->host.userData);
        return cudaSuccess;
    case cudaGraphNodeTypeEmpty:
        *does = fake_make_act(ACT_NOTHING);
        return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
        *does = fake_event_act(call, ACT_RECORD, p->eventRecord.event);
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        *does = fake_event_act(call, ACT_AWAIT, p->eventWait.event);
        return cudaSuccess;
    default:
        fake_wrong(call, "no node of type %d in the fake", (int)p->type);
    }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count,
                             struct cudaGraphNodeParams *p)
{
    const char *call = "cudaGraphAddNode";
    act *does;
    if (!rest_is_zero(p))
        return fake_give(cudaErrorInvalidValue);
    pthread_mutex_lock(&fake_lock);
    fake_check_handle(call, graph, IS_GRAPH);
    cudaError_t result;
    if (p->type == cudaGraphNodeTypeConditional) {
        result = add_conditional(call, graph, after, data, count, &p->conditional, node);
    } else if (p->type == cudaGraphNodeTypeGraph) {
        result = p->graph.ownership == cudaGraphChildGraphOwnershipClone ? add_child(call, graph, after, data, count, p->graph.graph, node) : cudaErrorNotSupported;
    } else {
        result = node_act(call, p, &does);
        if (result == cudaSuccess)
            result = fake_add_node(call, graph, after, data, count, does, node);
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- edges ---- */

static cudaError_t add_edge(const char *call, struct CUgraph_st *graph, cudaGraphNode_t from, cudaGraphNode_t to, const cudaGraphEdgeData *data)
{
    fake_check_handle(call, from, IS_NODE);
    fake_check_handle(call, to, IS_NODE);
    if (to->graph != graph || from == to || find(&to->after, from) != SIZE_MAX)
        return cudaErrorInvalidValue;
    cudaError_t result = fake_check_edge(graph, from, to->does->kind, data);
    if (result != cudaSuccess)
        return result;
    fake_add_to(&to->after, from, data);
    graph->edges++;
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t count)
{
    const char *call = "cudaGraphAddDependencies";
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle(call, graph, IS_GRAPH);
    for (size_t i = 0; i < count && result == cudaSuccess; i++)
        result = add_edge(call, graph, from[i], to[i], data ? &data[i] : NULL);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* ---- reading ---- */

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphGetNodes", graph, IS_GRAPH);
    size_t room = nodes ? *count : 0;
    for (size_t i = 0; i < room; i++)
        nodes[i] = i < graph->count ? graph->node[i] : NULL;
    *count = nodes && room < graph->count ? room : graph->count;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphNodeGetType", node, IS_NODE);
    *type = fake_node_type(node->does);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

/* The edges of a list, as far as there is room. */
typedef struct {
    cudaGraphNode_t *from, *to;
    cudaGraphEdgeData *data;
    size_t room, count;
    bool loses; /* what is said of an edge, and was not asked for */
} edge_list;

static void list_edge(edge_list *list, cudaGraphNode_t from, cudaGraphNode_t to, const cudaGraphEdgeData *data)
{
    static const cudaGraphEdgeData none;
    size_t i = list->count++;
    list->loses |= list->from && !list->data && memcmp(data, &none, sizeof none) != 0;
    if (!list->from || i >= list->room)
        return;
    list->from[i] = from;
    if (list->to)
        list->to[i] = to;
    if (list->data)
        list->data[i] = *data;
}

static cudaError_t end_list(edge_list *list, size_t *count)
{
    for (size_t i = list->count; list->from && i < list->room; i++) {
        list->from[i] = NULL;
        if (list->to)
            list->to[i] = NULL;
    }
    *count = list->from && list->room < list->count ? list->room : list->count;
    return list->loses ? cudaErrorLossyQuery : cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *count)
{
    edge_list list = {from, to, data, from ? *count : 0, 0, false};
    if ((from == NULL) != (to == NULL) || (data && !from))
        return fake_give(cudaErrorInvalidValue);
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphGetEdges", graph, IS_GRAPH);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t d = 0; d < graph->node[i]->after.count; d++)
            list_edge(&list, graph->node[i]->after.at[d], graph->node[i], &graph->node[i]->after.data[d]);
    cudaError_t result = end_list(&list, count);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *from, cudaGraphEdgeData *data, size_t *count)
{
    edge_list list = {from, NULL, data, from ? *count : 0, 0, false};
    if (data && !from)
        return fake_give(cudaErrorInvalidValue);
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphNodeGetDependencies", node, IS_NODE);
    for (size_t d = 0; d < node->after.count; d++)
        list_edge(&list, node->after.at[d], NULL, &node->after.data[d]);
    cudaError_t result = end_list(&list, count);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *count)
{
    edge_list list = {to, NULL, data, to ? *count : 0, 0, false};
    if (data && !to)
        return fake_give(cudaErrorInvalidValue);
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphNodeGetDependentNodes", node, IS_NODE);
    for (size_t i = 0; i < node->graph->count; i++) {
        const struct CUgraphNode_st *other = node->graph->node[i];
        size_t d = find(&other->after, node);
        if (d != SIZE_MAX)
            list_edge(&list, node->graph->node[i], NULL, &other->after.data[d]);
    }
    cudaError_t result = end_list(&list, count);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}
