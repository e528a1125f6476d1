/* fake_exec.c - graphs that can be launched, and how they are changed. */
#include "fake.h"

static struct CUgraphExec_st *make_exec(cudaGraph_t graph)
{
    struct CUgraphExec_st *exec = fake_know(fake_zeros(1, sizeof *exec), IS_EXEC);
    exec->graph_id = graph->id;
    exec->refs = 1;
    exec->count = graph->count;
    exec->node = fake_zeros(graph->count, sizeof *exec->node);
    exec->after = fake_zeros(graph->count, sizeof *exec->after);
    exec->after_count = fake_zeros(graph->count, sizeof *exec->after_count);
    for (size_t i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *node = graph->node[i];
        exec->node[i] = (exec_node){fake_hold(node->does), true};
        exec->after_count[i] = node->after.count;
        exec->after[i] = fake_zeros(node->after.count, sizeof **exec->after);
        for (size_t d = 0; d < node->after.count; d++)
            exec->after[i][d] = node->after.at[d]->index;
    }
    return exec;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphInstantiate", graph, IS_GRAPH);
    if (params->flags != 0 && params->flags != cudaGraphInstantiateFlagUseNodePriority)
        fake_wrong("cudaGraphInstantiate", "flags %llu", params->flags);
    *exec = make_exec(graph);
    params->result_out = cudaGraphInstantiateSuccess;
    params->errNode_out = NULL;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaGraphExecDestroy", exec, IS_EXEC);
    fake_forget(exec);
    fake_drop_exec(exec);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

static exec_node *exec_node_of(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    fake_check_handle(call, exec, IS_EXEC);
    fake_check_handle(call, node, IS_NODE);
    if (node->graph->id != exec->graph_id)
        fake_wrong(call, "a node of another graph than the exec was made from");
    return &exec->node[node->index];
}

static void change(exec_node *node, act *does)
{
    fake_drop_act(node->does);
    node->does = does;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    const char *call = "cudaGraphExecKernelNodeSetParams";
    act *does;
    pthread_mutex_lock(&fake_lock);
    exec_node *of = exec_node_of(call, exec, node);
    cudaError_t result = of->does->kind == ACT_KERNEL ? fake_kernel_act(call, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, &does) : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        change(of, does);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphExecMemcpyNodeSetParams1D";
    pthread_mutex_lock(&fake_lock);
    exec_node *of = exec_node_of(call, exec, node);
    if (of->does->kind != ACT_LINE)
        fake_wrong(call, "not a node that copies a line");
    act *does = fake_check_pinned(call, fake_line_act(call, to, from, bytes, kind));
    if (does->to_kind != of->does->to_kind || does->from_kind != of->does->from_kind)
        fake_wrong(call, "another kind of memory than before");
    change(of, does);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
    const char *call = "cudaGraphExecMemsetNodeSetParams";
    pthread_mutex_lock(&fake_lock);
    exec_node *of = exec_node_of(call, exec, node);
    if (of->does->kind != ACT_FILL)
        fake_wrong(call, "not a node that fills");
    const struct cudaMemsetParams *before = &of->does->fill;
    if (before->width != p->width || before->height != p->height || before->elementSize != p->elementSize || (p->height > 1 && before->pitch != p->pitch))
        fake_wrong(call, "another shape than before");
    change(of, fake_fill_act(call, p));
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    const char *call = "cudaGraphNodeSetEnabled";
    pthread_mutex_lock(&fake_lock);
    exec_node *of = exec_node_of(call, exec, node);
    act_kind kind = of->does->kind;
    cudaError_t result = kind == ACT_KERNEL || kind == ACT_FILL || kind == ACT_LINE || kind == ACT_BOX ? cudaSuccess : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        of->enabled = enabled != 0;
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    struct CUstream_st *s = fake_check_stream("cudaGraphLaunch", stream);
    fake_check_handle("cudaGraphLaunch", exec, IS_EXEC);
    if (s->captured)
        fake_wrong("cudaGraphLaunch", "into a captured stream");
    fake_launch(s, (operation){.kind = OP_GRAPH, .run = fake_make_run(exec)});
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}
