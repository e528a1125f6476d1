/* nodes.c - builds a slot's graph node by node: a node a task, or one a piece and one that joins them; edges as they are given. */
#include "backend/cuda/slot.h"
#include "util/memory.h"
#include "util/status.h"
#include <string.h>

typedef struct {
    weir_program *program;
    slot *s;
    const replay *replay;
    cudaGraphNode_t *last;    /* task -> the node that others follow */
    cudaGraphNode_t *follows; /* of the task that is being added */
    size_t count;
    const char *call;
} builder;

/* ---- one node ---- */

static cudaError_t set_priority(builder *b, uint32_t task, cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value;
    if (!b->replay->level)
        return cudaSuccess;
    memset(&value, 0, sizeof value);
    value.priority = b->replay->level[task];
    b->call = "cudaGraphKernelNodeSetAttribute(Priority)";
    return cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value);
}

static cudaError_t set_shape(builder *b, const action *a, cudaGraphNode_t node)
{
    const kernel_launch *k = &a->as.kernel;
    cudaLaunchAttributeValue value;
    cudaError_t result = cudaSuccess;
    if (k->cluster) {
        memset(&value, 0, sizeof value);
        value.clusterDim.x = k->cluster[0];
        value.clusterDim.y = k->cluster[1];
        value.clusterDim.z = k->cluster[2];
        b->call = "cudaGraphKernelNodeSetAttribute(ClusterDimension)";
        result = cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value);
    }
    if (a->cooperative && result == cudaSuccess) {
        memset(&value, 0, sizeof value);
        value.cooperative = 1;
        b->call = "cudaGraphKernelNodeSetAttribute(Cooperative)";
        result = cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &value);
    }
    return result;
}

static cudaError_t add_kernel(builder *b, uint32_t task, const action *a, cudaGraphNode_t *node)
{
    struct cudaKernelNodeParams params = weir_action_kernel_node(a);
    b->call = "cudaGraphAddKernelNode";
    cudaError_t result = cudaGraphAddKernelNode(node, b->s->graph, b->follows, b->count, &params);
    if (result == cudaSuccess)
        result = set_priority(b, task, *node);
    return result == cudaSuccess ? set_shape(b, a, *node) : result;
}

static cudaError_t add_copy(builder *b, const action *a, uint32_t piece, cudaGraphNode_t *node)
{
    if (weir_action_is_line(a)) {
        void *to;
        const void *from;
        size_t bytes;
        weir_action_line(a, &to, &from, &bytes);
        b->call = "cudaGraphAddMemcpyNode1D";
        return cudaGraphAddMemcpyNode1D(node, b->s->graph, b->follows, b->count, to, from, bytes, a->as.move->copy_kind);
    }
    struct cudaMemcpy3DParms params;
    weir_action_copy_piece(a, piece, &params);
    b->call = "cudaGraphAddMemcpyNode";
    return cudaGraphAddMemcpyNode(node, b->s->graph, b->follows, b->count, &params);
}

static cudaError_t add_fill(builder *b, const action *a, uint32_t piece, cudaGraphNode_t *node)
{
    struct cudaMemsetParams params;
    weir_action_fill_piece(a, piece, &params);
    b->call = "cudaGraphAddMemsetNode";
    return cudaGraphAddMemsetNode(node, b->s->graph, b->follows, b->count, &params);
}

static cudaError_t add_gate(builder *b, uint32_t task, cudaGraphNode_t *node)
{
    const weir_program *p = b->program;
    CUstreamBatchMemOpParams operations[WEIR_GATE_OPERATIONS];
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.ctx = p->device->context, .count = WEIR_GATE_OPERATIONS, .paramArray = operations};
    weir_cuda_gate_operations(&b->s->words[p->gate_of[task]], operations);
    b->call = "cuGraphAddBatchMemOpNode";
    return weir_from_driver(p->device->driver.add_batch_node(node, b->s->graph, b->follows, b->count, &params));
}

static cudaError_t add_piece(builder *b, uint32_t task, uint32_t piece, cudaGraphNode_t *node)
{
    const action *a = &b->program->root.actions[task];
    switch ((action_kind)a->kind) {
    case ACTION_KERNEL:
        return add_kernel(b, task, a, node);
    case ACTION_COPY:
        return add_copy(b, a, piece, node);
    case ACTION_FILL:
        return add_fill(b, a, piece, node);
    case ACTION_GATE:
        return add_gate(b, task, node);
    case ACTION_NOTHING:
        break;
    }
    b->call = "cudaGraphAddEmptyNode";
    return cudaGraphAddEmptyNode(node, b->s->graph, b->follows, b->count);
}

/* Beside the task, and an empty node that joins the two. */
static cudaError_t add_guard(builder *b, uint32_t task)
{
    cudaGraphNode_t both[2] = {b->last[task], NULL};
    b->call = "cudaGraphAddEmptyNode";
    cudaError_t result = cudaGraphAddEmptyNode(&both[1], b->s->graph, b->follows, b->count);
    return result == cudaSuccess ? cudaGraphAddEmptyNode(&b->last[task], b->s->graph, both, 2) : result;
}

/* ---- all nodes ---- */

static cudaError_t add_task(builder *b, uint32_t task, const node_edges *edges)
{
    const replay *r = b->replay;
    uint32_t first = r->piece_first[task], pieces = r->piece_first[task + 1] - first;
    cudaError_t result = cudaSuccess;
    b->count = 0;
    for (uint32_t e = edges->pred_first[task]; e < edges->pred_first[task + 1]; e++)
        b->follows[b->count++] = b->last[edges->pred[e]];
    weir_cuda_slot_pass(b->s, task);
    for (uint32_t i = 0; i < pieces && result == cudaSuccess; i++)
        result = add_piece(b, task, i, &b->s->nodes[first + i]);
    b->last[task] = b->s->nodes[first];
    if (pieces > 1 && result == cudaSuccess) {
        b->call = "cudaGraphAddEmptyNode";
        result = cudaGraphAddEmptyNode(&b->last[task], b->s->graph, &b->s->nodes[first], pieces);
    }
    if (r->guarded[task] && result == cudaSuccess)
        result = add_guard(b, task);
    return result;
}

static uint64_t edge_count(const replay *r, const node_edges *edges)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < r->tasks; t++) {
        uint64_t pieces = r->piece_first[t + 1] - r->piece_first[t];
        uint64_t preds = edges->pred_first[t + 1] - edges->pred_first[t];
        count += preds * pieces + (pieces > 1 ? pieces : 0);
        if (r->guarded[t])
            count += preds + 2;
    }
    return count;
}

static uint32_t most_preds(const replay *r, const node_edges *edges)
{
    uint32_t most = 1;
    for (uint32_t t = 0; t < r->tasks; t++)
        if (edges->pred_first[t + 1] - edges->pred_first[t] > most)
            most = edges->pred_first[t + 1] - edges->pred_first[t];
    return most;
}

static weir_status add_all(builder *b, const node_edges *edges)
{
    const replay *r = b->replay;
    for (uint32_t k = 0; k < r->tasks; k++) {
        uint32_t task = edges->order[k];
        cudaError_t result = add_task(b, task, edges);
        if (result != cudaSuccess)
            return weir_cuda_task_status(b->program, task, result, b->call);
    }
    return weir_cuda_graph_check(b->program, b->s->graph, r->piece_first[r->tasks] + r->joins + 2 * (uint64_t)r->guards, edge_count(r, edges));
}

weir_status weir_cuda_nodes_make(slot *s, const node_edges *edges)
{
    builder b = {.program = s->replay->program, .s = s, .replay = s->replay};
    b.last = weir_alloc(s->replay->tasks, sizeof *b.last);
    b.follows = weir_alloc(most_preds(s->replay, edges), sizeof *b.follows);
    weir_status status = b.last && b.follows ? weir_cuda_status(cudaGraphCreate(&s->graph, 0), "cudaGraphCreate") : weir_fail_no_memory();
    if (status == WEIR_OK)
        status = add_all(&b, edges);
    weir_free(b.last);
    weir_free(b.follows);
    return status;
}
