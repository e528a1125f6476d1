/* shape.c - the shape of a replay's graphs: what must be the same in another's for cudaGraphExecUpdate to make the one into the other. These
 * are the nodes in the order they are added, each with its kind and the number of its task (a graph that is left behind keeps its nodes by
 * these), the edges with their kinds, and of each node what an update leaves as it is.
 * What it changes is no part of a shape: functions, grids, arguments, shared memory, addresses, the words of gates, and the length of copies
 * and fills that are one run of memory. */
#include "backend/cuda/slot.h"
#include "util/memory.h"
#include "util/status.h"

static void add_layout(shape_key *key, const weir_layout *l)
{
    weir_shape_add(key, l->row_step);
    weir_shape_add(key, l->slice_step);
}

/* Only the addresses of boxes can be changed, if anything. */
static void add_extents(shape_key *key, const weir_movement *m)
{
    weir_shape_add(key, m->row_bytes);
    weir_shape_add(key, m->rows);
    weir_shape_add(key, m->slices);
    add_layout(key, &m->to);
    add_layout(key, &m->from);
}

static void add_kernel(shape_key *key, const action *a)
{
    const uint32_t *cluster = a->as.kernel.cluster;
    weir_shape_add(key, a->cooperative);
    for (int d = 0; d < 3; d++)
        weir_shape_add(key, cluster ? cluster[d] : 0);
}

/* The kind of a copy tells the kind of memory on both sides. */
static void add_copy(shape_key *key, const action *a)
{
    weir_shape_add(key, a->as.move->copy_kind);
    weir_shape_add(key, weir_action_is_line(a));
    if (!weir_action_is_line(a))
        add_extents(key, &a->as.move->movement);
}

static void add_fill(shape_key *key, const action *a)
{
    const data_move *m = a->as.move;
    bool is_line = weir_action_is_line(a) && m->element == m->pattern_bytes;
    weir_shape_add(key, m->element);
    weir_shape_add(key, is_line);
    if (is_line)
        return;
    weir_shape_add(key, m->pattern_bytes);
    add_extents(key, &m->movement);
}

/* false: none of its nodes may be changed so. */
static bool add_action(shape_key *key, const action *a)
{
    weir_shape_add(key, a->kind);
    weir_shape_add(key, weir_action_pieces(a));
    switch ((action_kind)a->kind) {
    case ACTION_KERNEL:
        add_kernel(key, a);
        return true;
    case ACTION_COPY:
        add_copy(key, a);
        return true;
    case ACTION_FILL:
        add_fill(key, a);
        return true;
    case ACTION_GATE:
    case ACTION_NOTHING:
        return true;
    case ACTION_NATIVE: /* its nodes are known by what it enqueued alone */
    case ACTION_CONTROL:
        break;
    }
    return false;
}

/* By their places in the order of adding. */
static void add_preds(shape_key *key, const replay *r, uint32_t task, const node_edges *edges, const uint32_t *place)
{
    weir_shape_add(key, edges->pred_first[task + 1] - edges->pred_first[task]);
    for (uint32_t e = edges->pred_first[task]; e < edges->pred_first[task + 1]; e++)
        weir_shape_add(key, place[edges->pred[e]] * UINT64_C(2) + weir_cuda_edge_is_programmatic(r, edges->pred[e], task));
}

static bool add_nodes(shape_key *key, const replay *r, const node_edges *edges, const uint32_t *place)
{
    for (uint32_t k = 0; k < r->tasks; k++) {
        uint32_t task = edges->order[k];
        weir_shape_add(key, task);
        if (r->level)
            weir_shape_add(key, (uint64_t)(int64_t)r->level[task]);
        if (!add_action(key, &r->program->root.actions[task]))
            return false;
        add_preds(key, r, task, edges, place);
    }
    return true;
}

/* What is captured follows from the lanes and their waits. */
static bool add_lanes(shape_key *key, const replay *r)
{
    const weir_plan *plan = r->program->plan;
    weir_shape_add(key, plan->lanes);
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k];
        weir_shape_add(key, task);
        weir_shape_add(key, plan->lane[task]);
        weir_shape_add(key, (uint64_t)(int64_t)weir_cuda_lane_level(r->program->device, plan, plan->lane[task]));
        if (!add_action(key, &r->program->root.actions[task]))
            return false;
        for (uint32_t w = plan->wait_first[task]; w < plan->wait_first[task + 1]; w++)
            if (plan->wait[w].distance == 0)
                weir_shape_add(key, plan->position[plan->wait[w].task] + UINT64_C(1));
        weir_shape_add(key, 0);
    }
    return true;
}

weir_status weir_cuda_shape_find(replay *r, const node_edges *edges)
{
    if (r->alone)
        return WEIR_OK;
    uint32_t *place = r->way.captured ? NULL : weir_alloc(r->tasks, sizeof *place);
    if (!r->way.captured && !place)
        return weir_fail_no_memory();
    for (uint32_t k = 0; place && k < r->tasks; k++)
        place[edges->order[k]] = k;
    weir_shape_add(&r->shape, r->way.captured);
    weir_shape_add(&r->shape, r->level != NULL);
    weir_shape_add(&r->shape, r->tasks);
    for (uint32_t t = 0; t < r->tasks; t++)
        r->has_boxes |= r->program->root.actions[t].kind == ACTION_COPY && !weir_action_is_line(&r->program->root.actions[t]);
    r->has_shape = r->way.captured ? add_lanes(&r->shape, r) : add_nodes(&r->shape, r, edges, place);
    weir_free(place);
    return WEIR_OK;
}
