/* compose.c - graphs inside graphs: declares a child's tasks again, once or several times, between an empty entry and an empty
 * exit, so that one handle can stand for all of them. */
#include "graph/graph.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    weir_graph *graph;
    const weir_body *child;
    const char *name;
    WEIR_VECTOR(weir_arg) args; /* scratch */
} inlining;

/* An argument as the program once gave it. */
static weir_arg arg_again(const weir_body *child, const weir_arg_record *kept)
{
    weir_arg arg = weir_arg_of(kept->mode, NULL, NULL, NULL, kept->bytes);
    arg.flags = kept->flags;
    arg.back = kept->back;
    if (kept->mode == WEIR_ARG_VALUE) {
        arg.value = child->values.at + kept->index;
    } else if (kept->mode == WEIR_ARG_PARAM) {
        arg.param = child->params.at[kept->index];
    } else {
        arg.buffer = child->buffers.at[kept->index].buffer;
        if (kept->box) {
            const weir_span *s = &child->boxes.at[kept->box - 1];
            arg.box = (weir_box){s->lo[0], s->lo[1], s->lo[2], s->hi[0] - s->lo[0], s->hi[1] - s->lo[1], s->hi[2] - s->lo[2]};
        }
    }
    return arg;
}

/* "name/task", or "name/round/task" with round > 0. NULL, said to the graph: no memory. */
static const char *prefixed(weir_graph *graph, const char *name, uint32_t round, const char *task)
{
    size_t bytes = strlen(name) + strlen(task) + 16;
    char *text = weir_graph_own(graph) ? weir_body_text(graph->body, bytes) : NULL;
    if (!text)
        weir_graph_no_memory(graph);
    else if (round > 0)
        snprintf(text, bytes, "%s/%u/%s", name, round, task);
    else
        snprintf(text, bytes, "%s/%s", name, task);
    return text;
}

static bool add_task_again(inlining *in, uint32_t round, uint32_t index)
{
    const weir_task_record *from = &in->child->tasks.at[index];
    const char *name = prefixed(in->graph, in->name, round, from->name);
    if (!name)
        return false;
    in->args.count = 0;
    if (!weir_vector_reserve(&in->args, from->arg_count))
        return weir_graph_no_memory(in->graph);
    for (uint32_t i = 0; i < from->arg_count; i++)
        weir_vector_push(&in->args, arg_again(in->child, &in->child->args.at[from->arg_first + i]));
    weir_new_task task = {.record = *from, .args = {in->args.at, in->args.count}};
    task.record.name = name;
    if (from->kind == WEIR_KIND_KERNEL)
        task.shape = &in->child->shapes.at[from->with.shape];
    task.record.group = weir_body_group_number(in->graph->body, weir_task_group(in->child, from));
    if (task.record.group == UINT32_MAX)
        return weir_graph_no_memory(in->graph);
    if (weir_kind_is_control(from->kind)) {
        const weir_control *control = &in->child->controls.at[from->with.control];
        task.record.with.control = weir_graph_keep_control(in->graph, control, in->child->inner.at + control->first);
        if (task.record.with.control == UINT32_MAX)
            return false;
    }
    return weir_graph_append(in->graph, &task) != 0;
}

/* A graph that derives edges finds those between the copied accesses again; one that does not is told. */
static bool add_edges_again(inlining *in, uint32_t base)
{
    const weir_body *child = in->child;
    weir_graph *graph = in->graph;
    bool tell_derived = (graph->body->flags & WEIR_GRAPH_EXPLICIT) != 0;
    for (uint32_t t = 0; tell_derived && t < child->tasks.count; t++)
        for (uint32_t i = child->tasks.at[t].derived_first; i < weir_derived_end(child, t); i++)
            if (!weir_graph_add_edge(graph, base + t, base + child->derived.at[i]))
                return false;
    for (uint32_t i = 0; i < child->explicits.count; i++)
        if (!weir_graph_add_edge(graph, base + child->explicits.at[i].later, base + child->explicits.at[i].earlier))
            return false;
    for (uint32_t i = 0; i < child->explicits_carried.count; i++) {
        const weir_carried_edge *e = &child->explicits_carried.at[i];
        if (!weir_graph_add_carried_edge(graph, base + e->later, base + e->earlier, e->distance))
            return false;
    }
    if (!weir_vector_reserve(&graph->body->subgraphs, child->subgraphs.count))
        return weir_graph_no_memory(graph);
    for (uint32_t i = 0; i < child->subgraphs.count; i++) {
        const weir_subgraph *c = &child->subgraphs.at[i];
        weir_vector_push(&graph->body->subgraphs, ((weir_subgraph){base + c->first, base + c->handle}));
    }
    return true;
}

static bool add_round(inlining *in, uint32_t round)
{
    uint32_t base = in->graph->body->tasks.count;
    for (uint32_t t = 0; t < in->child->tasks.count; t++)
        if (!add_task_again(in, round, t))
            return false;
    return add_edges_again(in, base);
}

/* Ties tasks first..end-1 between two empty tasks: those without a predecessor among them after `entry`, and `exit` after those
 * without a successor. Their explicit edges are those from `edge_first` on. */
static bool enclose(weir_graph *graph, uint32_t entry, uint32_t first, uint32_t end, uint32_t exit, uint32_t edge_first)
{
    enum { HAS_PRED = 1, HAS_SUCC = 2 };
    const weir_body *body = graph->body;
    unsigned char *has = weir_alloc(end - first, 1);
    if (!has)
        return weir_graph_no_memory(graph);
    for (uint32_t t = first; t < end; t++)
        for (uint32_t i = body->tasks.at[t].derived_first; i < weir_derived_end(body, t); i++)
            if (body->derived.at[i] >= first) {
                has[t - first] |= HAS_PRED;
                has[body->derived.at[i] - first] |= HAS_SUCC;
            }
    for (uint32_t i = edge_first; i < body->explicits.count; i++) {
        weir_edge e = body->explicits.at[i];
        if (e.later >= first && e.later < end && e.earlier >= first && e.earlier < end) {
            has[e.later - first] |= HAS_PRED;
            has[e.earlier - first] |= HAS_SUCC;
        }
    }
    bool added = true;
    for (uint32_t t = first; t < end && added; t++)
        added = ((has[t - first] & HAS_PRED) || weir_graph_add_edge(graph, t, entry)) &&
                ((has[t - first] & HAS_SUCC) || weir_graph_add_edge(graph, exit, t));
    weir_free(has);
    return added;
}

static uint32_t append_empty(weir_graph *graph, const char *name)
{
    if (!name)
        return 0;
    weir_new_task task = {.record = {.name = name, .kind = WEIR_KIND_EMPTY}};
    return weir_graph_append(graph, &task);
}

/* Rounds of a graph that derives its edges are one section: accesses order them. Where edges are explicit only, each round is a
 * section of its own and waits for the one before. Returns the handle's number, or 0. */
static uint32_t add_sections(inlining *in, uint32_t rounds, bool numbered)
{
    weir_graph *graph = in->graph;
    bool apart = (graph->body->flags & WEIR_GRAPH_EXPLICIT) != 0;
    uint32_t entry = append_empty(graph, prefixed(graph, in->name, 0, "begin"));
    if (!entry)
        return 0;
    uint32_t before = entry - 1, first = entry, edge_first = graph->body->explicits.count, handle = 0;
    for (uint32_t round = 1; round <= rounds; round++) {
        if (!add_round(in, numbered ? round : 0))
            return 0;
        if (!apart && round < rounds)
            continue;
        bool last = round == rounds;
        uint32_t end = graph->body->tasks.count;
        uint32_t after = append_empty(graph, last ? in->name : prefixed(graph, in->name, round, "end"));
        if (!after || !enclose(graph, before, first, end, after - 1, edge_first))
            return 0;
        before = after - 1;
        first = after;
        edge_first = graph->body->explicits.count;
        handle = after;
    }
    if (!weir_vector_reserve(&graph->body->subgraphs, 1))
        return weir_graph_no_memory(graph);
    weir_vector_push(&graph->body->subgraphs, ((weir_subgraph){entry - 1, handle - 1}));
    return handle;
}

static weir_task add_inlined(weir_graph *graph, const char *name, const weir_graph *child, uint32_t rounds, bool numbered)
{
    const weir_task none = {0, 0};
    if (!graph || !name || !child) {
        if (graph)
            weir_graph_fail(graph, WEIR_ERR_INVALID, "sub-graph '%s': %s", name ? name : "?", name ? "the graph to add is NULL" : "it needs a name");
        else
            weir_fail(WEIR_ERR_INVALID, "weir_add_graph: the graph is NULL");
        return none;
    }
    if (child == graph) {
        weir_graph_fail(graph, WEIR_ERR_INVALID, "sub-graph '%s': a graph cannot be added to itself", name);
        return none;
    }
    if (child->status != WEIR_OK) {
        weir_graph_fail(graph, child->status, "sub-graph '%s': %s", name, child->error);
        return none;
    }
    if ((child->body->flags & WEIR_GRAPH_EXPLICIT) && !(graph->body->flags & WEIR_GRAPH_EXPLICIT)) {
        weir_graph_fail(graph, WEIR_ERR_INVALID, "sub-graph '%s': its edges are explicit only, those of '%s' are derived", name, graph->body->name);
        return none;
    }
    uint32_t handle;
    if (rounds == 0 || child->body->tasks.count == 0) {
        handle = append_empty(graph, name);
    } else {
        inlining in = {.graph = graph, .child = child->body, .name = name};
        const weir_graph_mark before = weir_graph_mark_of(graph);
        handle = add_sections(&in, rounds, numbered);
        if (!handle)
            weir_graph_back_to(graph, &before);
        weir_vector_finish(&in.args);
    }
    return handle ? (weir_task){handle, graph->body->id} : none;
}

weir_task weir_add_graph(weir_graph *graph, const char *name, const weir_graph *child)
{
    return add_inlined(graph, name, child, 1, false);
}

weir_task weir_add_repeat(weir_graph *graph, const char *name, const weir_graph *body, uint32_t count)
{
    return add_inlined(graph, name, body, count, true);
}
