/* fake_exec.c - graphs that can be launched, and how they are changed. */
#include "fake.h"

static struct CUgraphExec_st *execs; /* those that are not destroyed */

/* ---- what can be instantiated ---- */

typedef struct {
    enum cudaGraphInstantiateResult result;
    cudaGraphNode_t node;
} verdict;

/* Takes away, again and again, what follows nothing that is left. */
static cudaGraphNode_t in_a_cycle(const struct CUgraph_st *graph)
{
    size_t left = graph->count;
    for (size_t i = 0; i < graph->count; i++)
        graph->node[i]->reached = false;
    for (bool found = true; found && left > 0;) {
        found = false;
        for (size_t i = 0; i < graph->count; i++) {
            struct CUgraphNode_st *node = graph->node[i];
            bool free_to_go = !node->reached;
            for (size_t d = 0; d < node->after.count; d++)
                free_to_go &= node->after.at[d]->reached;
            if (free_to_go) {
                node->reached = found = true;
                left--;
            }
        }
    }
    for (size_t i = 0; i < graph->count && left > 0; i++)
        if (!graph->node[i]->reached)
            return graph->node[i];
    return NULL;
}

bool fake_may_be_in_body(act_kind kind)
{
    return kind == ACT_NOTHING || kind == ACT_KERNEL || kind == ACT_LINE || kind == ACT_BOX || kind == ACT_FILL || kind == ACT_CONDITIONAL || kind == ACT_CHILD;
}

static verdict judge(const struct CUgraph_st *graph, bool body)
{
    cudaGraphNode_t cycle = in_a_cycle(graph);
    if (cycle)
        return (verdict){cudaGraphInstantiateInvalidStructure, cycle};
    for (size_t i = 0; i < graph->handle_count; i++)
        if (!graph->handle[i].used)
            return (verdict){cudaGraphInstantiateConditionalHandleUnused, NULL};
    for (size_t i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *node = graph->node[i];
        if (body && !fake_may_be_in_body(node->does->kind))
            return (verdict){cudaGraphInstantiateNodeOperationNotSupported, graph->node[i]};
        for (size_t b = 0; b < node->inner_count; b++) {
            verdict inner = judge(node->inner[b], body || node->does->kind == ACT_CONDITIONAL);
            if (inner.result != cudaGraphInstantiateSuccess)
                return inner;
        }
    }
    return (verdict){cudaGraphInstantiateSuccess, NULL};
}

/* With conditional nodes, or such as take memory, in it or in a child. */
static bool is_of_one_exec(const struct CUgraph_st *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *node = graph->node[i];
        act_kind kind = node->does->kind;
        if (kind == ACT_CONDITIONAL || kind == ACT_ALLOC || kind == ACT_RELEASE || (kind == ACT_CHILD && is_of_one_exec(node->inner[0])))
            return true;
    }
    return false;
}

static bool has_exec(const struct CUgraph_st *graph)
{
    for (const struct CUgraphExec_st *e = execs; e; e = e->next)
        if (e->all.graph_id == graph->id)
            return true;
    return false;
}

/* ---- instantiate ---- */

static void fill_graph(exec_graph *to, const struct CUgraph_st *from);

static void fill_node(exec_node *to, const struct CUgraphNode_st *from, bool *has_early)
{
    *to = (exec_node){.does = fake_hold(from->does), .attributes = from->attributes, .enabled = true};
    to->after_count = from->after.count;
    to->after = fake_zeros(from->after.count, sizeof *to->after);
    for (size_t d = 0; d < from->after.count; d++) {
        to->after[d] = (exec_edge){from->after.at[d]->index, fake_is_programmatic(&from->after.data[d])};
        *has_early |= to->after[d].programmatic;
    }
    to->inner_count = from->inner_count;
    to->inner = fake_zeros(from->inner_count, sizeof *to->inner);
    for (size_t b = 0; b < from->inner_count; b++)
        fill_graph(&to->inner[b], from->inner[b]);
}

static void fill_graph(exec_graph *to, const struct CUgraph_st *from)
{
    *to = (exec_graph){.graph_id = from->id, .update_id = from->id, .count = from->count, .handle_count = from->handle_count};
    to->handle = fake_zeros(from->handle_count, sizeof *to->handle);
    if (from->handle_count > 0)
        memcpy(to->handle, from->handle, from->handle_count * sizeof *to->handle);
    to->node = fake_zeros(from->count, sizeof *to->node);
    for (size_t i = 0; i < from->count; i++)
        fill_node(&to->node[i], from->node[i], &to->has_early);
}

static void finish_graph(exec_graph *all)
{
    for (size_t i = 0; i < all->count; i++) {
        exec_node *node = &all->node[i];
        fake_drop_act(node->does);
        for (size_t b = 0; b < node->inner_count; b++)
            finish_graph(&node->inner[b]);
        free(node->inner);
        free(node->after);
    }
    free(all->node);
    free(all->handle);
}

void fake_drop_exec(struct CUgraphExec_st *exec)
{
    if (--exec->refs > 0)
        return;
    finish_graph(&exec->all);
    free(exec);
}

static cudaError_t instantiate(cudaGraphExec_t *out, const struct CUgraph_st *graph, cudaGraphInstantiateParams *params)
{
    params->result_out = cudaGraphInstantiateError;
    params->errNode_out = NULL;
    if (graph->owner || fake_is_captured_into(graph))
        return cudaErrorInvalidValue;
    verdict v = judge(graph, false);
    params->result_out = v.result;
    params->errNode_out = v.node;
    if (v.result != cudaGraphInstantiateSuccess)
        return v.result == cudaGraphInstantiateNodeOperationNotSupported ? cudaErrorNotSupported : cudaErrorInvalidValue;
    if (is_of_one_exec(graph) && has_exec(graph)) {
        params->result_out = cudaGraphInstantiateError;
        return cudaErrorNotSupported;
    }
    struct CUgraphExec_st *exec = fake_know(fake_zeros(1, sizeof *exec), IS_EXEC);
    exec->refs = 1;
    exec->flags = params->flags;
    fill_graph(&exec->all, graph);
    exec->next = execs;
    execs = exec;
    *out = exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphInstantiate", graph, IS_GRAPH);
    if (params->flags != 0 && params->flags != cudaGraphInstantiateFlagUseNodePriority)
        fake_wrong("cudaGraphInstantiate", "flags %llu", params->flags);
    cudaError_t result = instantiate(exec, graph, params);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    cudaGraphInstantiateParams params = {.flags = flags};
    return cudaGraphInstantiateWithParams(exec, graph, &params);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphExecDestroy", exec, IS_EXEC);
    fake_forget(exec);
    struct CUgraphExec_st **link = &execs;
    while (*link != exec)
        link = &(*link)->next;
    *link = exec->next;
    fake_drop_exec(exec);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

/* ---- changing a node ---- */

static exec_graph *graph_in(exec_graph *all, uint64_t id)
{
    if (all->graph_id == id)
        return all;
    for (size_t i = 0; i < all->count; i++)
        for (size_t b = 0; b < all->node[i].inner_count; b++) {
            exec_graph *found = graph_in(&all->node[i].inner[b], id);
            if (found)
                return found;
        }
    return NULL;
}

/* It is not known whether a device lets nodes of bodies be changed. */
static bool inner_updates(void)
{
    const char *text = getenv("FAKE_CUDA_NO_INNER_UPDATES");
    return !text || !*text || strcmp(text, "0") == 0;
}

/* NULL if it may not be changed. */
static exec_node *exec_node_of(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    fake_check_handle(call, exec, IS_EXEC);
    fake_check_handle(call, node, IS_NODE);
    exec_graph *in = graph_in(&exec->all, node->graph->id);
    if (!in)
        fake_wrong(call, "a node of another graph than the exec was made from");
    if (node->index >= in->count)
        fake_wrong(call, "a node that was added after the exec was made");
    return in != &exec->all && !inner_updates() ? NULL : &in->node[node->index];
}

/* A launch that is under way may see what is changed in a body, so weir never does that. */
static exec_node *exec_node_at_rest(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    exec_node *of = exec_node_of(call, exec, node);
    if (node->graph->owner && exec->launched != exec->done)
        fake_wrong(call, "a node in a body, while a launch is under way");
    return of;
}

static void change(exec_node *node, act *does)
{
    fake_drop_act(node->does);
    node->does = does;
}

static cudaError_t change_kernel(const char *call, exec_node *of, const struct cudaKernelNodeParams *p)
{
    act *does;
    if (!of || of->does->kind != ACT_KERNEL)
        return cudaErrorInvalidValue;
    cudaError_t result = fake_kernel_act(call, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, &does);
    if (result == cudaSuccess)
        change(of, does);
    return result;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    const char *call = "cudaGraphExecKernelNodeSetParams";
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = change_kernel(call, exec_node_at_rest(call, exec, node), p);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

static cudaError_t change_line(const char *call, exec_node *of, act *does)
{
    if (of && of->does->kind != ACT_LINE)
        fake_wrong(call, "not a node that copies a line");
    if (of && (does->to_kind != of->does->to_kind || does->from_kind != of->does->from_kind))
        fake_wrong(call, "another kind of memory than before");
    if (of)
        change(of, does);
    else
        fake_drop_act(does);
    return of ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphExecMemcpyNodeSetParams1D";
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = change_line(call, exec_node_of(call, exec, node), fake_check_pinned(call, fake_line_act(call, to, from, bytes, kind)));
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

static bool is_same_fill(const struct cudaMemsetParams *a, const struct cudaMemsetParams *b)
{
    return a->width == b->width && a->height == b->height && a->elementSize == b->elementSize && (a->height == 1 || a->pitch == b->pitch);
}

static cudaError_t change_fill(const char *call, exec_node *of, const struct cudaMemsetParams *p)
{
    if (!of)
        return cudaErrorInvalidValue;
    if (of->does->kind != ACT_FILL)
        fake_wrong(call, "not a node that fills");
    if (!is_same_fill(&of->does->fill, p))
        fake_wrong(call, "another shape than before");
    change(of, fake_fill_act(call, p));
    return cudaSuccess;
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
    const char *call = "cudaGraphExecMemsetNodeSetParams";
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = change_fill(call, exec_node_of(call, exec, node), p);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
    pthread_mutex_lock(&fake_lock);
    exec_node *of = exec_node_of("cudaGraphExecHostNodeSetParams", exec, node);
    cudaError_t result = of && of->does->kind == ACT_HOST ? cudaSuccess : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        change(of, fake_host_act(p->fn, p->userData));
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

static cudaError_t change_event(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node, act_kind kind, cudaEvent_t event)
{
    pthread_mutex_lock(&fake_lock);
    exec_node *of = exec_node_of(call, exec, node);
    cudaError_t result = of && of->does->kind == kind ? cudaSuccess : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        change(of, fake_event_act(call, kind, event));
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    return change_event("cudaGraphExecEventRecordNodeSetEvent", exec, node, ACT_RECORD, event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    return change_event("cudaGraphExecEventWaitNodeSetEvent", exec, node, ACT_AWAIT, event);
}

/* NULL if it cannot be switched. */
static exec_node *switched_node(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    exec_node *of = exec_node_of(call, exec, node);
    act_kind kind = of ? of->does->kind : ACT_NOTHING;
    return kind == ACT_KERNEL || kind == ACT_FILL || kind == ACT_LINE || kind == ACT_BOX ? of : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    pthread_mutex_lock(&fake_lock);
    exec_node *of = switched_node("cudaGraphNodeSetEnabled", exec, node);
    if (of)
        of->enabled = enabled != 0;
    pthread_mutex_unlock(&fake_lock);
    return fake_give(of ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    pthread_mutex_lock(&fake_lock);
    const exec_node *of = switched_node("cudaGraphNodeGetEnabled", exec, node);
    if (of)
        *enabled = of->enabled;
    pthread_mutex_unlock(&fake_lock);
    return fake_give(of ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- changing all ---- */

static bool refuse(cudaGraphExecUpdateResultInfo *info, enum cudaGraphExecUpdateResult result, cudaGraphNode_t node, cudaGraphNode_t from)
{
    *info = (cudaGraphExecUpdateResultInfo){result, node, from};
    return false;
}

static bool same_edges(const exec_node *was, cudaGraphNode_t node, cudaGraphExecUpdateResultInfo *info)
{
    if (was->after_count != node->after.count)
        return refuse(info, cudaGraphExecUpdateErrorTopologyChanged, node, NULL);
    for (size_t d = 0; d < was->after_count; d++)
        if (was->after[d].node != node->after.at[d]->index || was->after[d].programmatic != fake_is_programmatic(&node->after.data[d]))
            return refuse(info, cudaGraphExecUpdateErrorTopologyChanged, node, node->after.at[d]);
    return true;
}

static bool same_attributes(const launch_attributes *a, const launch_attributes *b, unsigned long long flags)
{
    return a->cooperative == b->cooperative && (!(flags & cudaGraphInstantiateFlagUseNodePriority) || a->priority == b->priority);
}

static bool same_box(const struct cudaMemcpy3DParms *a, const struct cudaMemcpy3DParms *b)
{
    return memcmp(&a->extent, &b->extent, sizeof a->extent) == 0 && memcmp(&a->srcPos, &b->srcPos, sizeof a->srcPos) == 0 &&
           memcmp(&a->dstPos, &b->dstPos, sizeof a->dstPos) == 0 && a->srcPtr.ptr == b->srcPtr.ptr && a->dstPtr.ptr == b->dstPtr.ptr &&
           a->srcPtr.pitch == b->srcPtr.pitch && a->dstPtr.pitch == b->dstPtr.pitch && a->srcPtr.ysize == b->srcPtr.ysize && a->dstPtr.ysize == b->dstPtr.ysize;
}

static bool same_batch(const act *a, const act *b)
{
    bool same = a->batch_count == b->batch_count;
    for (unsigned i = 0; same && i < a->batch_count; i++)
        same = a->batch[i].operation == b->batch[i].operation;
    return same;
}

/* What is of a conditional node's kind, and whether its handle is the same number of graphs further out, and the same there. */
static bool same_condition(const act *was, const exec_graph *const *around, size_t depth, cudaGraphNode_t node)
{
    const struct cudaConditionalNodeParams *a = &was->condition, *b = &node->does->condition;
    const struct CUgraph_st *graph = node->graph;
    if (a->type != b->type || a->size != b->size || (a->handle & 0xffff) != (b->handle & 0xffff))
        return false;
    for (; graph && graph->id != b->handle >> 16; graph = graph->owner ? graph->owner->graph : NULL)
        depth--;
    return graph && (around[depth]->graph_id == a->handle >> 16 || around[depth]->update_id == a->handle >> 16);
}

static bool same_place(const act *a, const act *b)
{
    return a->to_kind == b->to_kind && a->from_kind == b->from_kind;
}

/* A copy of a box cannot be changed one by one, so what CUDA makes of another is not relied on. */
static bool can_become(const act *was, cudaGraphNode_t node, const exec_graph *const *around, size_t depth)
{
    const act *is = node->does;
    if (was->kind == ACT_LINE || was->kind == ACT_BOX || was->kind == ACT_FILL)
        if (was->kind != is->kind || !same_place(was, is))
            return false;
    if (was->kind == ACT_BOX)
        return same_box(&was->box, &is->box);
    if (was->kind == ACT_FILL)
        return is_same_fill(&was->fill, &is->fill);
    if (was->kind == ACT_BATCH)
        return same_batch(was, is);
    if (was->kind == ACT_RECORD || was->kind == ACT_AWAIT)
        return was->event == is->event;
    return was->kind != ACT_CONDITIONAL || same_condition(was, around, depth, node);
}

enum { DEPTH_MOST = 64 };

static bool same_graph(const exec_graph **around, size_t depth, const struct CUgraph_st *graph, unsigned long long flags, cudaGraphExecUpdateResultInfo *info);

static bool same_node(const exec_node *was, cudaGraphNode_t node, const exec_graph **around, size_t depth, unsigned long long flags, cudaGraphExecUpdateResultInfo *info)
{
    if (fake_node_type(was->does) != fake_node_type(node->does))
        return refuse(info, cudaGraphExecUpdateErrorNodeTypeChanged, node, NULL);
    if (was->does->kind == ACT_ALLOC || was->does->kind == ACT_RELEASE)
        return refuse(info, cudaGraphExecUpdateErrorNotSupported, node, NULL);
    if (was->does->kind == ACT_KERNEL && !same_attributes(&was->attributes, &node->attributes, flags))
        return refuse(info, cudaGraphExecUpdateErrorAttributesChanged, node, NULL);
    if (!can_become(was->does, node, around, depth))
        return refuse(info, cudaGraphExecUpdateErrorParametersChanged, node, NULL);
    bool same = same_edges(was, node, info);
    if (depth + 1 == DEPTH_MOST)
        fake_wrong("cudaGraphExecUpdate", "too deep for the fake");
    for (size_t b = 0; b < was->inner_count && same; b++) {
        around[depth + 1] = &was->inner[b];
        same = same_graph(around, depth + 1, node->inner[b], flags, info);
    }
    return same;
}

/* around[depth] against the graph. */
static bool same_graph(const exec_graph **around, size_t depth, const struct CUgraph_st *graph, unsigned long long flags, cudaGraphExecUpdateResultInfo *info)
{
    const exec_graph *was = around[depth];
    if (was->count != graph->count || was->handle_count != graph->handle_count)
        return refuse(info, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
    bool same = true;
    for (size_t i = 0; i < was->count && same; i++)
        same = same_node(&was->node[i], graph->node[i], around, depth, flags, info);
    return same;
}

static void take_over(exec_graph *to, const struct CUgraph_st *from)
{
    to->update_id = from->id;
    if (from->handle_count > 0)
        memcpy(to->handle, from->handle, from->handle_count * sizeof *to->handle);
    for (size_t i = 0; i < to->count; i++) {
        change(&to->node[i], fake_hold(from->node[i]->does));
        to->node[i].attributes = from->node[i]->attributes;
        for (size_t b = 0; b < to->node[i].inner_count; b++)
            take_over(&to->node[i].inner[b], from->node[i]->inner[b]);
    }
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    const exec_graph *around[DEPTH_MOST];
    bool same = false;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphExecUpdate", exec, IS_EXEC);
    fake_check_handle("cudaGraphExecUpdate", graph, IS_GRAPH);
    around[0] = &exec->all;
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
    if (graph->owner || fake_is_captured_into(graph) || judge(graph, false).result != cudaGraphInstantiateSuccess)
        refuse(info, cudaGraphExecUpdateError, NULL, NULL);
    else
        same = same_graph(around, 0, graph, exec->flags, info);
    if (same)
        take_over(&exec->all, graph);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(same ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

/* ---- launching ---- */

/* The graph again, as the exec has it now. */
static void copy_back(const char *call, const exec_graph *from, struct CUgraph_st *to)
{
    for (size_t i = 0; i < from->count; i++) {
        const exec_node *node = &from->node[i];
        cudaGraphNode_t copy;
        act_kind kind = node->does->kind;
        if (kind == ACT_CONDITIONAL || kind == ACT_ALLOC || kind == ACT_RELEASE || !node->enabled)
            fake_wrong(call, "into a captured stream: a node that is off, or of a kind that has no copy");
        (void)fake_add_node(call, to, NULL, NULL, 0, fake_hold(node->does), &copy);
        copy->attributes = node->attributes;
        if (node->inner_count > 0)
            copy_back(call, &node->inner[0], fake_give_inner(copy, 1));
    }
    for (size_t i = 0; i < from->count; i++)
        for (size_t d = 0; d < from->node[i].after_count; d++) {
            const exec_edge *edge = &from->node[i].after[d];
            const cudaGraphEdgeData early = {.from_port = cudaGraphKernelNodePortProgrammatic, .type = cudaGraphDependencyTypeProgrammatic};
            fake_add_to(&to->node[i]->after, to->node[edge->node], edge->programmatic ? &early : NULL);
            to->edges++;
        }
}

/* Captured, it is a child. */
static cudaError_t launch_graph(const char *call, struct CUgraphExec_st *exec, struct CUstream_st *s)
{
    if (!s->captured) {
        fake_launch(s, (operation){.kind = OP_GRAPH, .run = fake_make_run(exec, s)});
        return cudaSuccess;
    }
    cudaError_t result = fake_put(call, s, fake_make_act(ACT_CHILD), NULL);
    if (result == cudaSuccess)
        copy_back(call, &exec->all, fake_give_inner(s->follows.at[0], 1));
    return result;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphLaunch", exec, IS_EXEC);
    cudaError_t result = fake_target("cudaGraphLaunch", stream, &s);
    if (result == cudaSuccess)
        result = launch_graph("cudaGraphLaunch", exec, s);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphUpload", exec, IS_EXEC);
    cudaError_t result = fake_target("cudaGraphUpload", stream, &s);
    if (result == cudaSuccess && s->captured)
        fake_wrong("cudaGraphUpload", "into a captured stream");
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}
