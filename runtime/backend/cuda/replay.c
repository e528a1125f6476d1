/* replay.c - makes slots, and what they have in common: who is passed what, priorities of nodes, edges. */
#include "backend/cuda/control.h"
#include "backend/cuda/slot.h"
#include "backend/cuda/timing.h"
#include "plan/replay.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdlib.h>
#include <string.h>

/* ---- shared with those who make graphs ---- */

void weir_cuda_slot_pass(const slot *s, uint32_t task)
{
    const weir_frame_values values = {.ring_at = s->ring_at, .params = s->params};
    weir_section_pass(&s->replay->program->root, task, &values);
}

bool weir_cuda_slot_has_native(const slot *s, uint32_t task)
{
    const replay *r = s->replay;
    bool is_off = s->off[task / 8] >> task % 8 & 1;
    return r->program->root.actions[r->first + task].kind == ACTION_NATIVE && !is_off;
}

weir_status weir_cuda_task_status(const weir_program *program, const char *task, cudaError_t result, const char *call)
{
    char text[256];
    if (result == cudaSuccess)
        return WEIR_OK;
    (void)cudaGetLastError();
    weir_cuda_note(program->device, result);
    weir_cuda_describe(result, text, sizeof text);
    return weir_fail(result == cudaErrorMemoryAllocation ? WEIR_ERR_NO_MEMORY : WEIR_ERR_DEVICE, "task '%s': %s: %s", task, call, text);
}

weir_status weir_cuda_graph_check(const weir_program *program, cudaGraph_t graph, uint64_t nodes, uint64_t edges)
{
    size_t has_nodes = 0, has_edges = 0;
    weir_status status = weir_cuda_status(cudaGraphGetNodes(graph, NULL, &has_nodes), "cudaGraphGetNodes");
    if (status == WEIR_OK)
        status = weir_cuda_status(cudaGraphGetEdges(graph, NULL, NULL, NULL, &has_edges), "cudaGraphGetEdges");
    if (status == WEIR_OK && (has_nodes != nodes || has_edges != edges))
        status = weir_fail(WEIR_ERR_STATE, "graph '%s': its CUDA graph has %zu nodes and %zu edges, planned were %llu and %llu: this is a bug of weir",
                           program->plan->body->name, has_nodes, has_edges, (unsigned long long)nodes, (unsigned long long)edges);
    return status;
}

bool weir_cuda_needs_end(const replay *r)
{
    for (uint32_t t = 0; r->guards > 0 && t < r->tasks; t++) {
        const action *a = &r->program->root.actions[r->first + t];
        if (r->guarded[t] && (a->kind == ACTION_COPY || a->kind == ACTION_FILL))
            return true;
    }
    return false;
}

cudaError_t weir_cuda_end_add(const slot *s, cudaGraph_t graph, const cudaGraphNode_t *ends, size_t count, cudaGraphNode_t *node)
{
    const struct cudaMemsetParams params = {.dst = s->replay->program->device->unread, .elementSize = sizeof(uint32_t), .width = 1, .height = 1};
    return cudaGraphAddMemsetNode(node, graph, ends, count, &params);
}

/* ---- who is passed what ---- */

typedef struct {
    uint32_t index, bytes, task;
    bool param;
} use;

static int compare_uses(const void *a, const void *b)
{
    const use *x = a, *y = b;
    if (x->param != y->param)
        return x->param ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

typedef struct {
    use *at;         /* NULL: only counted */
    uint32_t count;
} use_list;

static void add_use(use_list *uses, use u)
{
    if (uses->at)
        uses->at[uses->count] = u;
    uses->count++;
}

/* Of one task of a section, as part of task `as` of the graph. Host tasks read theirs when they run. */
static void find_uses(const section *s, uint32_t t, uint32_t as, use_list *uses)
{
    const weir_body *body = s->image->plan->body;
    const weir_task_record *task = &body->tasks.at[t];
    const action *a = &s->actions[t];
    uint32_t pass = s->image->pass_first[t];
    bool in_nodes = weir_action_is_on_device(a) && !a->fixed;
    for (uint32_t i = 0; in_nodes && i < task->arg_count; i++) {
        const weir_arg_record *arg = &body->args.at[task->arg_first + i];
        if (arg->flags & WEIR_ARG_HIDDEN)
            continue;
        const weir_pass *passed = &s->image->pass[pass++];
        if (passed->kind == WEIR_PASS_PARAM)
            add_use(uses, (use){passed->index, (uint32_t)body->params.at[arg->index]->bytes, as, true});
        else if (passed->kind == WEIR_PASS_RING)
            add_use(uses, (use){passed->index, 0, as, false});
    }
    for (uint32_t b = 0; in_nodes && a->kind == ACTION_CONTROL && b < a->as.control->what->count; b++)
        for (uint32_t inner = 0; inner < a->as.control->bodies[b].image->plan->tasks; inner++)
            find_uses(&a->as.control->bodies[b], inner, as, uses);
}

static uint32_t find_all_uses(const replay *r, use *out)
{
    use_list uses = {.at = out};
    for (uint32_t t = 0; t < r->tasks; t++)
        find_uses(&r->program->root, r->first + t, t, &uses);
    return uses.count;
}

static weir_status find_users(replay *r)
{
    uint32_t count = find_all_uses(r, NULL);
    use *uses = weir_alloc(count, sizeof *uses);
    r->params = weir_alloc(count, sizeof *r->params);
    r->rings = weir_alloc(count, sizeof *r->rings);
    r->users = weir_alloc(count, sizeof *r->users);
    r->stamp = weir_alloc(r->tasks, sizeof *r->stamp);
    r->changed = weir_alloc(r->tasks, sizeof *r->changed);
    r->guarded = weir_alloc(r->tasks, sizeof *r->guarded);
    if (!uses || !r->params || !r->rings || !r->users || !r->stamp || !r->changed || !r->guarded) {
        weir_free(uses);
        return weir_fail_no_memory();
    }
    find_all_uses(r, uses);
    qsort(uses, count, sizeof *uses, compare_uses);
    for (uint32_t i = 0; i < count; i++) {
        bool first = i == 0 || uses[i].param != uses[i - 1].param || uses[i].index != uses[i - 1].index;
        passed_value **list = uses[i].param ? &r->params : &r->rings;
        uint32_t *length = uses[i].param ? &r->param_count : &r->ring_count;
        if (first)
            (*list)[(*length)++] = (passed_value){uses[i].index, uses[i].bytes, i, 0};
        (*list)[*length - 1].count++;
        r->users[i] = uses[i].task;
    }
    weir_free(uses);
    return WEIR_OK;
}

/* ---- priorities ---- */

static int compare_priorities(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static bool has_one_priority(const weir_body *body)
{
    for (uint32_t t = 1; t < body->tasks.count; t++)
        if (body->tasks.at[t].priority != body->tasks.at[0].priority)
            return false;
    return true;
}

static weir_status find_levels(replay *r)
{
    const weir_program *p = r->program;
    const weir_body *body = p->plan->body;
    uint32_t tasks = p->plan->tasks, bands = 0;
    if (has_one_priority(body))
        return WEIR_OK;
    int32_t *distinct = weir_alloc(tasks, sizeof *distinct);
    r->level = weir_alloc(r->tasks, sizeof *r->level);
    if (!distinct || !r->level) {
        weir_free(distinct);
        return weir_fail_no_memory();
    }
    for (uint32_t t = 0; t < tasks; t++)
        distinct[t] = body->tasks.at[t].priority;
    qsort(distinct, tasks, sizeof *distinct, compare_priorities);
    for (uint32_t i = 0; i < tasks; i++)
        if (i == 0 || distinct[i] != distinct[i - 1])
            distinct[bands++] = distinct[i];
    for (uint32_t t = 0; t < r->tasks; t++) {
        const int32_t *found = bsearch(&body->tasks.at[r->first + t].priority, distinct, bands, sizeof *distinct, compare_priorities);
        r->level[t] = weir_cuda_level_of(p->device, found ? (uint32_t)(found - distinct) : 0, bands);
    }
    weir_free(distinct);
    weir_cuda_say_shared_levels(p->device, p->plan, bands);
    return WEIR_OK;
}

/* ---- edges ---- */

static void finish_edges(node_edges *edges)
{
    weir_free(edges->pred_first);
    weir_free(edges->pred);
}

/* The waits of lanes within a frame, and the order of each lane. */
static weir_status edges_of_lanes(const weir_plan *lanes, node_edges *out)
{
    uint32_t count = 0;
    out->order = lanes->order;
    out->pred_first = weir_alloc((size_t)lanes->tasks + 1, sizeof *out->pred_first);
    out->pred = weir_alloc((size_t)lanes->wait_first[lanes->tasks] + lanes->tasks, sizeof *out->pred);
    if (!out->pred_first || !out->pred)
        return weir_fail_no_memory();
    for (uint32_t t = 0; t < lanes->tasks; out->pred_first[++t] = count) {
        if (lanes->lane_position[t] > 0)
            out->pred[count++] = lanes->lane_task[lanes->lane_first[lanes->lane[t]] + lanes->lane_position[t] - 1];
        for (uint32_t w = lanes->wait_first[t]; w < lanes->wait_first[t + 1]; w++)
            if (lanes->wait[w].distance == 0)
                out->pred[count++] = lanes->wait[w].task;
    }
    return WEIR_OK;
}

static weir_status edges_of_graph(const weir_plan *plan, node_edges *out)
{
    weir_replay_edges edges = {0};
    weir_status status = weir_replay_edges_create(plan, &edges);
    *out = (node_edges){.order = plan->order, .pred_first = edges.pred_first, .pred = edges.pred};
    edges.pred_first = edges.pred = NULL;
    weir_replay_edges_finish(&edges);
    return status;
}

/* ---- making ---- */

/* So many frames until all rings that its frames move are at the same copies again; 0: more than there are slots. */
static uint32_t phase_count(const weir_image *image)
{
    uint32_t frames = 1;
    for (uint32_t r = 0; r < image->ring_count; r++) {
        uint32_t copies = image->rings[r].moves ? image->rings[r].count : 1, larger = frames;
        while (larger % copies != 0 && larger <= WEIR_SLOTS_MOST)
            larger += frames;
        if (larger > WEIR_SLOTS_MOST)
            return 0;
        frames = larger;
    }
    return frames;
}

uint32_t weir_cuda_slot_count(const weir_image *image)
{
    uint32_t phases = phase_count(image), frames = image->plan->frames;
    uint64_t count = phases > 0 ? ((uint64_t)frames + phases - 1) / phases * phases : 0;
    return count <= WEIR_SLOTS_MOST ? (uint32_t)count : 0;
}

uint32_t weir_cuda_slot_owner(const slot *s, cudaGraphNode_t node)
{
    const replay *r = s->replay;
    for (uint32_t t = 0; t < r->tasks; t++)
        for (uint32_t i = 0; i < weir_action_pieces(&r->program->root.actions[r->first + t]); i++)
            if (weir_slot_nodes(s, t)[i] == node)
                return r->first + t;
    for (uint32_t i = 0; i < s->natives.added.count; i++)
        if (s->natives.added.at[i].node == node)
            return s->natives.added.at[i].task;
    return UINT32_MAX;
}

static weir_status instantiate(slot *s)
{
    weir_program *p = s->replay->program;
    cudaGraphInstantiateParams params = {.flags = s->replay->level ? cudaGraphInstantiateFlagUseNodePriority : 0};
    cudaError_t result = weir_cuda_note(p->device, cudaGraphInstantiateWithParams(&s->exec, s->graph, &params));
    uint32_t culprit = result != cudaSuccess && params.errNode_out ? weir_cuda_slot_owner(s, params.errNode_out) : UINT32_MAX;
    if (culprit != UINT32_MAX)
        return weir_cuda_task_status(p, p->plan->body->tasks.at[culprit].name, result, "cudaGraphInstantiate");
    if (result != cudaSuccess)
        return weir_cuda_status(result, "cudaGraphInstantiate");
    p->instantiations++;
    return WEIR_OK; /* the first launch uploads it */
}

static weir_status make_graph(slot *s, const node_edges *edges)
{
    s->nodes = weir_alloc(weir_replay_piece_count(s->replay), sizeof(cudaGraphNode_t));
    if (!s->nodes)
        return weir_fail_no_memory();
    weir_native_nodes_begin(&s->natives, s->replay->program, s->number);
    weir_status status = s->replay->way.captured ? weir_cuda_capture_make(s) : weir_cuda_nodes_make(s, edges);
    weir_native_nodes_end(&s->natives);
    if (s->natives.graph_is_lost)
        s->graph = NULL;
    return status;
}

static weir_status make_slot(replay *r, uint32_t number, const node_edges *edges)
{
    const weir_image *image = r->program->image;
    slot *s = &r->slots[number];
    s->replay = r;
    s->number = number;
    s->words = r->words ? r->words + (size_t)number * r->program->gate_count : NULL;
    s->handles = weir_alloc(r->program->root.controls_within, sizeof *s->handles);
    s->ring_at = weir_alloc(image->ring_count, sizeof *s->ring_at);
    s->params = weir_alloc(image->param_bytes, 1);
    s->off = weir_alloc(r->off_bytes, 1);
    if (!s->handles || !s->ring_at || !s->params || !s->off)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < image->ring_count; i++)
        s->ring_at[i] = (image->rings[i].next + (image->rings[i].moves ? number : 0)) % image->rings[i].count;
    if (image->param_bytes > 0)
        memcpy(s->params, image->params, image->param_bytes);
    weir_status status = make_graph(s, edges);
    return status != WEIR_OK || weir_cuda_slot_take_over(s) ? status : instantiate(s);
}

/* Of a task alone there are none. */
static weir_status find_edges(const replay *r, node_edges *out)
{
    if (r->way.captured)
        return WEIR_OK;
    if (r->alone) {
        out->order = &r->first;
        return WEIR_OK;
    }
    return r->way.lanes ? edges_of_lanes(r->way.lanes, out) : edges_of_graph(r->program->plan, out);
}

static weir_status make(replay *r)
{
    node_edges edges = {0};
    r->off_bytes = (r->tasks + 7u) / 8;
    r->count = r->program->slots;
    r->slots = weir_alloc(r->count, sizeof *r->slots);
    if (!r->slots)
        return weir_fail_no_memory();
    if (r->program->gate_count > 0 && !r->alone) {
        r->words = weir_cuda_words_take(r->program->device, (size_t)r->count * r->program->gate_count);
        if (!r->words)
            return weir_fail_no_memory();
    }
    weir_status status = find_users(r);
    if (status == WEIR_OK)
        status = find_levels(r);
    if (status == WEIR_OK)
        status = find_edges(r, &edges);
    if (status == WEIR_OK && !r->way.captured)
        status = weir_cuda_nodes_link(r, &edges);
    if (status == WEIR_OK)
        status = weir_cuda_ties_make(r);
    if (status == WEIR_OK)
        status = weir_cuda_shape_find(r, &edges);
    for (uint32_t i = 0; i < r->count && status == WEIR_OK; i++)
        status = make_slot(r, i, &edges);
    finish_edges(&edges);
    return status;
}

static weir_status make_of(weir_program *program, const replay_way *way, uint32_t first, uint32_t tasks, bool alone, replay **out)
{
    replay *r = weir_alloc(1, sizeof *r);
    if (!r)
        return weir_fail_no_memory();
    r->program = program;
    r->way = *way;
    r->first = first;
    r->tasks = tasks;
    r->alone = alone;
    weir_status status = make(r);
    if (status == WEIR_OK)
        *out = r;
    else
        weir_cuda_replay_finish(r, false);
    return status;
}

weir_status weir_cuda_replay_make(weir_program *program, const replay_way *way, replay **out)
{
    return make_of(program, way, 0, program->plan->tasks, false, out);
}

weir_status weir_cuda_replay_make_alone(weir_program *program, uint32_t task, replay **out)
{
    return make_of(program, &(replay_way){.captured = false}, task, 1, true, out);
}

static void drop_graph(slot *s)
{
    made_graph made = weir_cuda_slot_give_up(s);
    weir_made_graph_destroy(&made);
}

void weir_cuda_replay_finish(replay *r, bool leave)
{
    if (!r)
        return;
    weir_cuda_timing_forget(r);
    for (uint32_t i = 0; r->slots && i < r->count; i++) {
        if (leave)
            weir_cuda_slot_leave(&r->slots[i]);
        else
            drop_graph(&r->slots[i]);
        weir_free(r->slots[i].handles);
        weir_free(r->slots[i].ring_at);
        weir_free(r->slots[i].params);
        weir_free(r->slots[i].off);
        weir_free(r->slots[i].traced_nodes);
        weir_native_nodes_finish(&r->slots[i].natives);
    }
    weir_cuda_ties_finish(&r->ties);
    if (r->words)
        weir_cuda_words_give(r->program->device, r->words);
    weir_free(r->slots);
    weir_free(r->params);
    weir_free(r->rings);
    weir_free(r->users);
    weir_free(r->stamp);
    weir_free(r->changed);
    weir_free(r->linked);
    weir_free(r->guarded);
    weir_free(r->level);
    weir_free(r);
}

static weir_status remake(slot *s, made_graph *before)
{
    replay *r = s->replay;
    node_edges edges = {0};
    bool same_shape = s->guards == r->guards;
    s->guards = r->guards;
    weir_status status = find_edges(r, &edges);
    if (status == WEIR_OK)
        status = make_graph(s, &edges);
    finish_edges(&edges);
    if (status != WEIR_OK || (before->exec && same_shape && weir_cuda_slot_update(s, before)))
        return status;
    return instantiate(s);
}

weir_status weir_cuda_slot_remake(slot *s, bool was_on)
{
    made_graph before = weir_cuda_slot_give_up(s), none = {0};
    weir_status status = remake(s, was_on ? &before : &none); /* what is off stays off in an update */
    weir_made_graph_destroy(&before);
    if (status != WEIR_OK)
        drop_graph(s); /* the next frame tries again */
    return status;
}
