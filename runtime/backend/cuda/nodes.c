/* nodes.c - builds a graph node by node: a node a task, or one a piece and one that joins them; what a native adds and one that ends it; edges as
 * they are given.
 *
 * Programmatic edges. A kernel that waits for its predecessors by itself (WEIR_KERNEL_PROGRAMMATIC) gets such edges from those that are one
 * kernel node: it may be launched when all their blocks have said so or ended, and what it does before it waits goes on beside them. All
 * other edges are plain, and so is each where
 * - one of the two is cooperative: nothing says that CUDA allows it;
 * - one of the two is guarded (slot.c): a node that is off waits for nobody;
 * - the two are in the body of a loop or branch.
 *
 * Edges that others imply stay out of the graph all the same (plan/replay.c, and the waits of lanes). What implies a -> t is a path
 * a -> p -> ... -> t, and each of its steps must order the end of one task before what the next does. A plain edge does: the next starts
 * later. A programmatic one does: the next touches nothing before its wait returns, which waits until all that it has such edges from have
 * ended, with their writes to be seen; and it ends after that, since one of its threads at least waits. So all that p follows has ended when
 * p has, whatever the edge between. That is what the flag promises; a kernel that ended without having waited would break edges that are
 * not its own.
 * Nobody waits for ever: what a kernel waits for has all its blocks on the device before it is launched itself. */
#include "backend/cuda/control.h"
#include "backend/cuda/slot.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdio.h>
#include <string.h>

/* ---- one node ---- */

static const int *level_of(const section_nodes *n, uint32_t task)
{
    return n->levels ? &n->levels[task - n->first] : n->level;
}

static cudaError_t set_priority(section_nodes *n, uint32_t task, cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value;
    if (!level_of(n, task))
        return cudaSuccess;
    memset(&value, 0, sizeof value);
    value.priority = *level_of(n, task);
    n->call = "cudaGraphKernelNodeSetAttribute(Priority)";
    return cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value);
}

static cudaError_t set_shape(section_nodes *n, const action *a, cudaGraphNode_t node)
{
    const kernel_launch *k = &a->as.kernel;
    cudaLaunchAttributeValue value;
    cudaError_t result = cudaSuccess;
    if (k->cluster) {
        memset(&value, 0, sizeof value);
        value.clusterDim.x = k->cluster[0];
        value.clusterDim.y = k->cluster[1];
        value.clusterDim.z = k->cluster[2];
        n->call = "cudaGraphKernelNodeSetAttribute(ClusterDimension)";
        result = cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value);
    }
    if (a->cooperative && result == cudaSuccess) {
        memset(&value, 0, sizeof value);
        value.cooperative = 1;
        n->call = "cudaGraphKernelNodeSetAttribute(Cooperative)";
        result = cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &value);
    }
    return result;
}

static cudaError_t add_waits(section_nodes *n, cudaGraphNode_t node)
{
    if (n->wait_count == 0)
        return cudaSuccess;
    for (size_t i = 0; i < n->wait_count; i++)
        n->itself[i] = node;
    n->call = "cudaGraphAddDependencies";
    return cudaGraphAddDependencies(n->graph, n->waits_for, n->itself, n->waiting, n->wait_count);
}

static cudaError_t add_kernel(section_nodes *n, uint32_t task, const action *a, cudaGraphNode_t *node)
{
    struct cudaKernelNodeParams params = weir_action_kernel_node(a);
    n->call = "cudaGraphAddKernelNode";
    cudaError_t result = cudaGraphAddKernelNode(node, n->graph, n->follows, n->follow_count, &params);
    if (result == cudaSuccess)
        result = add_waits(n, *node);
    if (result == cudaSuccess)
        result = set_priority(n, task, *node);
    return result == cudaSuccess ? set_shape(n, a, *node) : result;
}

static cudaError_t add_copy(section_nodes *n, const action *a, uint32_t piece, cudaGraphNode_t *node)
{
    if (weir_action_is_line(a)) {
        void *to;
        const void *from;
        size_t bytes;
        weir_action_line(a, &to, &from, &bytes);
        n->call = "cudaGraphAddMemcpyNode1D";
        return cudaGraphAddMemcpyNode1D(node, n->graph, n->follows, n->follow_count, to, from, bytes, a->as.move->copy_kind);
    }
    struct cudaMemcpy3DParms params;
    weir_action_copy_piece(a, piece, &params);
    n->call = "cudaGraphAddMemcpyNode";
    return cudaGraphAddMemcpyNode(node, n->graph, n->follows, n->follow_count, &params);
}

static cudaError_t add_fill(section_nodes *n, const action *a, uint32_t piece, cudaGraphNode_t *node)
{
    struct cudaMemsetParams params;
    weir_action_fill_piece(a, piece, &params);
    n->call = "cudaGraphAddMemsetNode";
    return cudaGraphAddMemsetNode(node, n->graph, n->follows, n->follow_count, &params);
}

static cudaError_t add_gate(section_nodes *n, uint32_t task, cudaGraphNode_t *node)
{
    const weir_program *p = n->s->replay->program;
    CUstreamBatchMemOpParams operations[WEIR_GATE_OPERATIONS];
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.ctx = p->device->context, .count = WEIR_GATE_OPERATIONS, .paramArray = operations};
    weir_cuda_gate_operations(&n->s->words[p->gate_of[task]], operations);
    n->call = "cuGraphAddBatchMemOpNode";
    return weir_from_driver(p->device->driver.add_batch_node(node, n->graph, n->follows, n->follow_count, &params));
}

static cudaError_t add_piece(section_nodes *n, uint32_t task, uint32_t piece, cudaGraphNode_t *node)
{
    const action *a = &n->tasks->actions[task];
    switch ((action_kind)a->kind) {
    case ACTION_KERNEL:
        return add_kernel(n, task, a, node);
    case ACTION_COPY:
        return add_copy(n, a, piece, node);
    case ACTION_FILL:
        return add_fill(n, a, piece, node);
    case ACTION_GATE:
        return add_gate(n, task, node);
    case ACTION_NATIVE: /* that is off */
    case ACTION_CONTROL:
    case ACTION_NOTHING:
        break;
    }
    n->call = "cudaGraphAddEmptyNode";
    return cudaGraphAddEmptyNode(node, n->graph, n->follows, n->follow_count);
}

/* Beside the task, and an empty node that joins the two. */
static cudaError_t add_guard(section_nodes *n, cudaGraphNode_t *last)
{
    cudaGraphNode_t both[2] = {*last, NULL};
    n->call = "cudaGraphAddEmptyNode";
    cudaError_t result = cudaGraphAddEmptyNode(&both[1], n->graph, n->follows, n->follow_count);
    return result == cudaSuccess ? cudaGraphAddEmptyNode(last, n->graph, both, 2) : result;
}

/* ---- programmatic edges ---- */

static bool is_alone(const replay *r, uint32_t task)
{
    const action *a = &r->program->root.actions[task];
    return a->kind == ACTION_KERNEL && !a->cooperative && !r->guarded[task];
}

static bool may_be_programmatic(const replay *r, uint32_t from, uint32_t to)
{
    return r->program->root.actions[to].programmatic && is_alone(r, to) && is_alone(r, from);
}

bool weir_cuda_edge_is_programmatic(const replay *r, uint32_t from, uint32_t to)
{
    return r->linked && r->linked[to] && may_be_programmatic(r, from, to);
}

weir_status weir_cuda_nodes_link(replay *r, const node_edges *edges)
{
    uint64_t count = 0;
    for (uint32_t t = 0; edges->pred_first && t < r->tasks; t++)
        for (uint32_t e = edges->pred_first[t]; e < edges->pred_first[t + 1]; e++)
            count += may_be_programmatic(r, edges->pred[e], t);
    if (count == 0)
        return WEIR_OK;
    if (!r->program->device->programmatic) {
        weir_log(WEIR_LOG_INFO, "graph '%s': its kernels that could be launched before what they follow is done are not: that takes a device of 9.0 or later",
                 r->program->plan->body->name);
        return WEIR_OK;
    }
    r->linked = weir_alloc(r->tasks, sizeof *r->linked);
    if (!r->linked)
        return weir_fail_no_memory();
    for (uint32_t t = 0; t < r->tasks; t++)
        for (uint32_t e = edges->pred_first[t]; e < edges->pred_first[t + 1]; e++)
            if (may_be_programmatic(r, edges->pred[e], t))
                r->linked[edges->pred[e]] = r->linked[t] = true;
    return WEIR_OK;
}

/* ---- one task ---- */

static cudaGraphNode_t *pieces_of(const section_nodes *n, uint32_t task)
{
    return n->pieces + (n->tasks->piece_first[task] - n->tasks->piece_first[n->first]);
}

static bool is_guarded(const section_nodes *n, uint32_t task)
{
    return n->guarded && n->guarded[task - n->first];
}

static cudaError_t add_pieces(section_nodes *n, uint32_t task, cudaGraphNode_t *last)
{
    cudaGraphNode_t *nodes = pieces_of(n, task);
    uint32_t pieces = weir_action_pieces(&n->tasks->actions[task]);
    cudaError_t result = cudaSuccess;
    for (uint32_t i = 0; i < pieces && result == cudaSuccess; i++)
        result = add_piece(n, task, i, &nodes[i]);
    *last = nodes[0];
    if (pieces > 1 && result == cudaSuccess) {
        n->call = "cudaGraphAddEmptyNode";
        result = cudaGraphAddEmptyNode(last, n->graph, nodes, pieces);
    }
    return result;
}

/* "body's task" of a loop is called "loop/task". */
static const char *name_of(const section_nodes *n, uint32_t task, char *room, size_t bytes)
{
    const char *name = n->tasks->image->plan->body->tasks.at[task].name;
    if (!n->of)
        return name;
    snprintf(room, bytes, "%s/%s", n->of, name);
    return room;
}

static weir_status add_control(section_nodes *n, uint32_t task, const char *name, cudaGraphNode_t *last)
{
    const control_nodes nodes = {
        .s = n->s,
        .control = n->tasks->actions[task].as.control,
        .graph = n->graph,
        .pieces = pieces_of(n, task),
        .level = level_of(n, task),
        .name = name,
    };
    cudaGraph_t *bodies = NULL;
    weir_status status = weir_cuda_control_add(&nodes, n->follows, n->follow_count, last, &bodies);
    return status == WEIR_OK ? weir_cuda_control_fill(&nodes, bodies) : status;
}

/* One that is off is empty; in a body none is. */
static bool is_native(const section_nodes *n, uint32_t task)
{
    return n->of ? n->tasks->actions[task].kind == ACTION_NATIVE : weir_cuda_slot_has_native(n->s, task - n->first);
}

static weir_status add_native(section_nodes *n, uint32_t task, const char *name, cudaGraphNode_t *last)
{
    native_nodes *natives = &n->s->natives;
    cudaGraphNode_t *node = pieces_of(n, task);
    uint32_t had_nodes = natives->added.count;
    uint64_t had_edges = natives->edges;
    const native_place place = {
        .name = name,
        .graph = n->graph,
        .follows = n->follows,
        .count = n->follow_count,
        .level = level_of(n, task) ? *level_of(n, task) : 0,
        .in_body = n->of != NULL,
    };
    weir_status status = weir_native_add(natives, &n->tasks->actions[task], &place, node);
    n->native_nodes += natives->added.count - had_nodes;
    n->native_edges += natives->edges - had_edges;
    *last = *node;
    return status;
}

/* By plain edges; `n->wait_count` more, by programmatic ones. */
static void find_follows(section_nodes *n, uint32_t task)
{
    n->follow_count = n->wait_count = 0;
    for (uint32_t e = n->edges.pred_first ? n->edges.pred_first[task] : 0; n->edges.pred_first && e < n->edges.pred_first[task + 1]; e++) {
        cudaGraphNode_t node = n->last[n->edges.pred[e]];
        if (n->linked && weir_cuda_edge_is_programmatic(n->s->replay, n->edges.pred[e], task))
            n->waits_for[n->wait_count++] = node;
        else
            n->follows[n->follow_count++] = node;
    }
}

/* Events of frames before are waited for behind what the task follows. */
static cudaError_t wait_for_frames_before(section_nodes *n, uint32_t task)
{
    cudaGraphNode_t last = NULL;
    if (!n->ties || weir_ties_before(n->ties, task) == 0)
        return cudaSuccess;
    cudaError_t result = weir_cuda_ties_wait(n->s, n->graph, task, n->follows, n->follow_count, &last, &n->call);
    n->follows[0] = last;
    n->follow_count = 1;
    return result;
}

static weir_status add_nodes(section_nodes *n, uint32_t task, const char *name, cudaGraphNode_t *last)
{
    if (!n->of)
        n->s->natives.task = task;
    if (n->tasks->actions[task].kind == ACTION_CONTROL)
        return add_control(n, task, name, last);
    if (is_native(n, task))
        return add_native(n, task, name, last);
    cudaError_t result = add_pieces(n, task, last);
    if (result == cudaSuccess && is_guarded(n, task))
        result = add_guard(n, last);
    return weir_cuda_task_status(n->s->replay->program, name, result, n->call);
}

static weir_status add_task(section_nodes *n, uint32_t task)
{
    char room[512];
    const char *name = name_of(n, task, room, sizeof room);
    cudaGraphNode_t *last = &n->last[task - n->first];
    find_follows(n, task);
    cudaError_t result = wait_for_frames_before(n, task);
    if (result == cudaSuccess) {
        weir_status status = add_nodes(n, task, name, last);
        if (status != WEIR_OK || !n->ties || !weir_ties_behind(n->ties, task))
            return status;
        result = weir_cuda_ties_record(n->s, n->graph, task, *last, &n->call);
    }
    return weir_cuda_task_status(n->s->replay->program, name, result, n->call);
}

/* ---- all of them ---- */

static uint32_t preds_of(const section_nodes *n, uint32_t task)
{
    return n->edges.pred_first ? n->edges.pred_first[task + 1] - n->edges.pred_first[task] : 0;
}

static bool take_waits(section_nodes *n, uint32_t most)
{
    n->waits_for = weir_alloc(most, sizeof *n->waits_for);
    n->itself = weir_alloc(most, sizeof *n->itself);
    n->waiting = weir_alloc(most, sizeof *n->waiting);
    if (!n->waits_for || !n->itself || !n->waiting)
        return false;
    for (uint32_t i = 0; i < most; i++)
        n->waiting[i] = (cudaGraphEdgeData){.from_port = cudaGraphKernelNodePortProgrammatic, .type = cudaGraphDependencyTypeProgrammatic};
    return true;
}

weir_status weir_cuda_nodes_begin(section_nodes *n)
{
    uint32_t most = n->count > 0 ? n->count : 1; /* all may be ends */
    for (uint32_t t = n->first; t < n->first + n->count; t++)
        if (preds_of(n, t) > most)
            most = preds_of(n, t);
    n->last = weir_alloc(n->count, sizeof *n->last);
    n->follows = weir_alloc(most, sizeof *n->follows);
    n->followed = weir_alloc(n->count, sizeof *n->followed);
    if (!n->last || !n->follows || !n->followed || (n->linked && !take_waits(n, most)))
        return weir_fail_no_memory();
    for (uint32_t e = 0; n->edges.pred_first && e < n->edges.pred_first[n->count]; e++)
        n->followed[n->edges.pred[e]] = true;
    return WEIR_OK;
}

weir_status weir_cuda_nodes_add(section_nodes *n)
{
    const weir_frame_values values = {.ring_at = n->s->ring_at, .params = n->s->params};
    weir_status status = WEIR_OK;
    for (uint32_t k = 0; k < n->count && status == WEIR_OK; k++) {
        weir_section_pass(n->tasks, n->edges.order[k], &values);
        status = add_task(n, n->edges.order[k]);
    }
    return status;
}

size_t weir_cuda_nodes_ends(section_nodes *n)
{
    size_t count = 0;
    for (uint32_t t = 0; t < n->count; t++)
        if (!n->followed[t])
            n->follows[count++] = n->last[t];
    return count;
}

static uint64_t programmatic_preds(const section_nodes *n, uint32_t task)
{
    uint64_t count = 0;
    for (uint32_t e = n->edges.pred_first ? n->edges.pred_first[task] : 0; n->linked && n->edges.pred_first && e < n->edges.pred_first[task + 1]; e++)
        count += weir_cuda_edge_is_programmatic(n->s->replay, n->edges.pred[e], task);
    return count;
}

weir_status weir_cuda_nodes_check(const section_nodes *n, bool has_end)
{
    uint64_t nodes = has_end + n->native_nodes, edges = n->native_edges;
    for (uint32_t t = n->first; t < n->first + n->count; t++) {
        const action *a = &n->tasks->actions[t];
        uint64_t preds = preds_of(n, t), pieces = weir_action_pieces(a), waits = n->ties ? weir_ties_before(n->ties, t) : 0;
        if (waits > 0) {
            uint64_t programmatic = programmatic_preds(n, t);
            nodes += waits;
            edges += preds - programmatic + waits - 1;
            preds = programmatic + 1;
        }
        if (n->ties && weir_ties_behind(n->ties, t)) {
            nodes++;
            edges++;
        }
        if (a->kind == ACTION_CONTROL) {
            nodes += 2;
            edges += preds + 1;
        } else {
            nodes += pieces + (pieces > 1) + (is_guarded(n, t) ? 2 : 0);
            edges += preds * pieces + (pieces > 1 ? pieces : 0) + (is_guarded(n, t) ? preds + 2 : 0);
        }
        edges += has_end && !n->followed[t - n->first];
    }
    return weir_cuda_graph_check(n->s->replay->program, n->graph, nodes, edges);
}

void weir_cuda_nodes_end(section_nodes *n)
{
    weir_free(n->last);
    weir_free(n->follows);
    weir_free(n->followed);
    weir_free(n->waits_for);
    weir_free(n->itself);
    weir_free(n->waiting);
}

static weir_status add_end(section_nodes *n)
{
    cudaGraphNode_t node;
    size_t ends = weir_cuda_nodes_ends(n);
    return weir_cuda_status(weir_cuda_end_add(n->s, n->graph, n->follows, ends, &node), "cudaGraphAddMemsetNode");
}

weir_status weir_cuda_nodes_make(slot *s, const node_edges *edges)
{
    const replay *r = s->replay;
    section_nodes n = {
        .s = s,
        .tasks = &r->program->root,
        .first = r->first,
        .count = r->tasks,
        .edges = *edges,
        .pieces = s->nodes,
        .guarded = r->guarded,
        .linked = r->linked,
        .levels = r->level,
        .ties = &r->ties,
    };
    weir_status status = weir_cuda_status(cudaGraphCreate(&s->graph, 0), "cudaGraphCreate");
    n.graph = s->graph;
    if (status == WEIR_OK)
        status = weir_cuda_nodes_begin(&n);
    if (status == WEIR_OK)
        status = weir_cuda_nodes_add(&n);
    if (status == WEIR_OK && weir_cuda_needs_end(r))
        status = add_end(&n);
    if (status == WEIR_OK)
        status = weir_cuda_nodes_check(&n, weir_cuda_needs_end(r));
    weir_cuda_nodes_end(&n);
    return status;
}
