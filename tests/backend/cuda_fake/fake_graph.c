/* fake_graph.c - graphs as they are built and read. */
#include "fake.h"

bool fake_has_node(const node_set *set, const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->at[i] == node)
            return true;
    return false;
}

void fake_add_to(node_set *set, cudaGraphNode_t node)
{
    if (fake_has_node(set, node))
        return;
    set->at = fake_grow(set->at, set->count, &set->room, sizeof(cudaGraphNode_t));
    set->at[set->count++] = node;
}

cudaGraphNode_t fake_add_node(const char *call, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, act *does)
{
    fake_check_handle(call, graph, IS_GRAPH);
    if (count > 0 && !after)
        fake_wrong(call, "%zu dependencies that are NULL", count);
    struct CUgraphNode_st *node = fake_know(fake_zeros(1, sizeof *node), IS_NODE);
    node->graph = graph;
    node->index = graph->count;
    node->does = does;
    for (size_t i = 0; i < count; i++) {
        fake_check_handle(call, after[i], IS_NODE);
        if (after[i]->graph != graph)
            fake_wrong(call, "depends on a node of another graph");
        if (fake_has_node(&node->after, after[i]))
            fake_wrong(call, "depends on a node twice");
        fake_add_to(&node->after, after[i]);
    }
    graph->edges += count;
    graph->node = fake_grow(graph->node, graph->count, &graph->room, sizeof *graph->node);
    graph->node[graph->count++] = node;
    return node;
}

void fake_destroy_graph(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        fake_forget(graph->node[i]);
        fake_drop_act(graph->node[i]->does);
        free(graph->node[i]->after.at);
        free(graph->node[i]);
    }
    free(graph->node);
    fake_forget(graph);
    free(graph);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    (void)flags;
    pthread_mutex_lock(&fake_lock);
    struct CUgraph_st *g = fake_know(fake_zeros(1, sizeof *g), IS_GRAPH);
    g->id = fake_numbers++;
    *graph = g;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphDestroy", graph, IS_GRAPH);
    fake_destroy_graph(graph);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count)
{
    pthread_mutex_lock(&fake_lock);
    *node = fake_add_node("cudaGraphAddEmptyNode", graph, after, count, fake_make_act(ACT_NOTHING));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaKernelNodeParams *p)
{
    act *does;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_kernel_act("cudaGraphAddKernelNode", p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, &does);
    if (result == cudaSuccess)
        *node = fake_add_node("cudaGraphAddKernelNode", graph, after, count, does);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

act *fake_check_pinned(const char *call, act *does)
{
    if (does->to_kind == cudaMemoryTypeUnregistered || does->from_kind == cudaMemoryTypeUnregistered)
        fake_wrong(call, "memory that is not pinned");
    return does;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphAddMemcpyNode1D";
    pthread_mutex_lock(&fake_lock);
    *node = fake_add_node(call, graph, after, count, fake_check_pinned(call, fake_line_act(call, to, from, bytes, kind)));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemcpy3DParms *p)
{
    const char *call = "cudaGraphAddMemcpyNode";
    pthread_mutex_lock(&fake_lock);
    *node = fake_add_node(call, graph, after, count, fake_box_act(call, p));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemsetParams *p)
{
    pthread_mutex_lock(&fake_lock);
    *node = fake_add_node("cudaGraphAddMemsetNode", graph, after, count, fake_fill_act("cudaGraphAddMemsetNode", p));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphKernelNodeSetAttribute", node, IS_NODE);
    cudaError_t result = node->does->kind != ACT_KERNEL ? cudaErrorInvalidValue : fake_check_attribute("cudaGraphKernelNodeSetAttribute", id, value, node->does->grid);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphGetNodes", graph, IS_GRAPH);
    for (size_t i = 0; nodes && i < *count && i < graph->count; i++)
        nodes[i] = graph->node[i];
    *count = graph->count;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *count)
{
    (void)data;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphGetEdges", graph, IS_GRAPH);
    if (from || to)
        fake_wrong("cudaGraphGetEdges", "the fake only counts");
    *count = graph->edges;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}
