/* takeover.c - makes a slot's new graph executable without instantiating it, which takes longer than all else: an executable graph of the same
 * shape is changed into it. One is there where an earlier program left it (cache.c), or where the slot itself is made anew.
 *
 * The new graph then goes: nodes are changed by those of the graph that the executable one was made from, so the slot has these from then
 * on. Graphs with natives, loops or branches are never changed so: what a native adds is kept by its nodes, and nothing says whose handles a
 * graph with conditional nodes goes by then. Graphs that are tied to others are not left: no update changes the events of nodes (driver 580); a slot
 * that is made anew has the same as before. Only graphs with all nodes on and no guards are left behind, since an update says nothing of what is off,
 * and shapes nothing of guards; and none of programs that failed, perhaps amid a change. An update that CUDA refuses costs a line in the log and the
 * old graph, and the slot is instantiated. */
#include "backend/cuda/slot.h"
#include "util/log.h"
#include "util/memory.h"
#include <stdio.h>

/* ---- saying why not ---- */

static const char *field_of(enum cudaGraphExecUpdateResult result)
{
    switch (result) {
    case cudaGraphExecUpdateErrorTopologyChanged:
        return "edges";
    case cudaGraphExecUpdateErrorNodeTypeChanged:
        return "kind of node";
    case cudaGraphExecUpdateErrorFunctionChanged:
    case cudaGraphExecUpdateErrorUnsupportedFunctionChange:
        return "function";
    case cudaGraphExecUpdateErrorParametersChanged:
        return "parameters";
    case cudaGraphExecUpdateErrorAttributesChanged:
        return "attributes";
    case cudaGraphExecUpdateErrorNotSupported:
        return "kind of node or its configuration, which no update supports";
    default:
        return "something CUDA does not name";
    }
}

static const char *name_of(const slot *s, cudaGraphNode_t node)
{
    uint32_t task = node ? weir_cuda_slot_owner(s, node) : UINT32_MAX;
    return task == UINT32_MAX ? NULL : s->replay->program->plan->body->tasks.at[task].name;
}

static void say(const slot *s, cudaError_t error, const cudaGraphExecUpdateResultInfo *info)
{
    const char *task = name_of(s, info->errorNode), *before = name_of(s, info->errorFromNode);
    char text[256], of[512] = "no task in particular";
    weir_cuda_describe(error, text, sizeof text);
    if (task && before)
        snprintf(of, sizeof of, "task '%s' after task '%s'", task, before);
    else if (task)
        snprintf(of, sizeof of, "task '%s'", task);
    weir_log(WEIR_LOG_INFO, "graph '%s': an executable CUDA graph of the same shape cannot be made into this one, which is instantiated: %s: %s: cudaGraphExecUpdate: %s",
             s->replay->program->plan->body->name, of, field_of(info->result), text);
}

/* ---- changing one ---- */

/* Whether an update changes copies of boxes is not documented: the first refusal of a graph with any is remembered. */
static bool may_change(const replay *r)
{
    return r->has_shape && !(r->has_boxes && atomic_load(&r->program->device->boxes_stay));
}

bool weir_cuda_slot_update(slot *s, made_graph *old)
{
    weir_backend *device = s->replay->program->device;
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateSuccess};
    if (!may_change(s->replay))
        return false;
    cudaError_t error = weir_cuda_note(device, cudaGraphExecUpdate(old->exec, s->graph, &info));
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        say(s, error, &info);
        if (s->replay->has_boxes)
            atomic_store(&device->boxes_stay, true);
        return false;
    }
    (void)cudaGraphDestroy(s->graph);
    weir_free(s->nodes);
    s->graph = old->graph;
    s->exec = old->exec;
    s->nodes = old->nodes;
    *old = (made_graph){0};
    return true;
}

bool weir_cuda_slot_take_over(slot *s)
{
    replay *r = s->replay;
    made_graph old;
    if (!may_change(r) || r->ties.made > 0 || s->guards > 0 || !weir_cache_take(&r->program->device->cache, &r->shape, weir_replay_piece_count(r), &old))
        return false;
    bool changed = weir_cuda_slot_update(s, &old);
    weir_made_graph_destroy(&old); /* of no use to anybody if it was refused */
    r->program->taken_over += changed;
    return changed;
}

/* ---- leaving one ---- */

bool weir_cuda_slot_is_on(const slot *s)
{
    const replay *r = s->replay;
    const weir_frame_values values = {.off = s->off};
    for (uint32_t t = 0; s->some_off && t < r->tasks; t++)
        if (weir_task_is_off(&values, t) && weir_action_is_on_device(&r->program->root.actions[r->first + t]))
            return false;
    return true;
}

made_graph weir_cuda_slot_give_up(slot *s)
{
    made_graph made = {s->graph, s->exec, s->nodes, s->replay ? weir_replay_piece_count(s->replay) : 0}; /* half-made: without a replay */
    s->graph = NULL;
    s->exec = NULL;
    s->nodes = NULL;
    s->is_numbered = false;
    return made;
}

void weir_cuda_slot_leave(slot *s)
{
    replay *r = s->replay;
    weir_backend *device = r->program->device;
    bool works = atomic_load(&device->broken) == cudaSuccess && atomic_load(&r->program->failed) == UINT64_MAX;
    bool kept = works && may_change(r) && r->ties.made == 0 && s->exec && s->guards == 0 && weir_cuda_slot_is_on(s);
    made_graph made = weir_cuda_slot_give_up(s);
    if (kept)
        weir_cache_give(&device->cache, &r->shape, &made);
    else
        weir_made_graph_destroy(&made);
}
