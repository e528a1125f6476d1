/* derive.c - edges from accesses: whom a new task must follow, by what it and others before it touch; and the rules of what must
 * be written before it is touched. Those are the frame's, not the task's: where these tasks become a sub-graph, or the body of a loop, others
 * may have written it, and the graph that they are added to looks again. */
#include "graph/graph.h"
#include "util/sort.h"
#include <string.h>


/* Rings start each frame with an old frame's contents, and a reduce needs something to combine with: both must be written in
 * the frame before anything else touches them. */
static void note_early_touch(weir_graph *graph, const weir_task_record *task, const weir_arg_record *arg, uint32_t index)
{
    weir_buffer_record *record = &graph->body->buffers.at[arg->index];
    weir_buffer_state *state = &graph->states.at[arg->index];
    const weir_buffer *buffer = record->buffer;
    weir_span span = weir_arg_span(graph->body, arg);
    if (!weir_hazard_unwritten(state->hazard, &span))
        return;
    if (arg->mode == WEIR_ARG_REDUCE && buffer->place != WEIR_HOST_IN)
        weir_graph_fail_frame(graph, WEIR_ERR_HAZARD,
                              "task '%s' reduces into buffer '%s' before anything writes it in the frame: fill or write it first", task->name, buffer->name);
    if (!record->touched_early) {
        record->touched_early = true;
        state->early_toucher = index;
    }
}

static void check_ring_rule(weir_graph *graph, const weir_arg_record *arg)
{
    const weir_buffer_record *record = &graph->body->buffers.at[arg->index];
    const weir_buffer *buffer = record->buffer;
    uint32_t early = graph->states.at[arg->index].early_toucher;
    if (!record->written || !record->touched_early || !weir_buffer_is_ring(buffer) || buffer->place == WEIR_HOST_IN)
        return;
    const weir_task_record *toucher = &graph->body->tasks.at[early];
    weir_graph_fail_frame(graph, WEIR_ERR_HAZARD,
                          "task '%s' touches this frame's copy of ring '%s' before anything writes it in the frame: read an earlier frame's with "
                          "WEIR_PREVIOUS('%s', 1), or give the buffer one copy and update it in place",
                          toucher->name, buffer->name, buffer->name);
}

static bool touch(weir_graph *graph, const weir_arg_record *arg, uint32_t index)
{
    weir_buffer_state *state = &graph->states.at[arg->index];
    weir_span span = weir_arg_span(graph->body, arg);
    return weir_hazard_touch(state->hazard, &span, arg->mode, index, &graph->found);
}

static bool make_hazard(weir_graph *graph, const weir_arg_record *arg)
{
    weir_buffer_state *state = &graph->states.at[arg->index];
    if (state->hazard)
        return true;
    weir_arg_record whole = {.index = arg->index};
    weir_span span = weir_arg_span(graph->body, &whole);
    state->hazard = weir_hazard_create(&span);
    return state->hazard != NULL;
}

static bool stamp_tasks(weir_graph *graph, uint32_t count)
{
    uint32_t more = count > graph->stamps.count ? count - graph->stamps.count : 0;
    if (!weir_vector_reserve(&graph->stamps, more))
        return false;
    memset(graph->stamps.at + graph->stamps.count, 0, more * sizeof *graph->stamps.at);
    graph->stamps.count += more;
    return true;
}

/* Keeps what was found: each task once, in ascending order. */
static bool keep_derived(weir_graph *graph, uint32_t index)
{
    weir_body *body = graph->body;
    if (graph->found.count == 0)
        return true;
    if (!weir_vector_reserve(&body->derived, graph->found.count) || !stamp_tasks(graph, index + 1))
        return false;
    uint32_t first = body->derived.count;
    for (uint32_t i = 0; i < graph->found.count; i++) {
        uint32_t earlier = graph->found.at[i];
        if (earlier == index || graph->stamps.at[earlier] == index + 1)
            continue;
        graph->stamps.at[earlier] = index + 1;
        weir_vector_push(&body->derived, earlier);
    }
    weir_sort_u32(body->derived.at + first, body->derived.count - first);
    return true;
}

/* The task's reads come before its writes, whatever the order of its arguments. */
bool weir_graph_derive(weir_graph *graph, uint32_t index)
{
    weir_body *body = graph->body;
    const weir_task_record *task = &body->tasks.at[index];
    const weir_arg_record *args = body->args.at + task->arg_first;
    bool derives = !(body->flags & WEIR_GRAPH_EXPLICIT);
    graph->found.count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < task->arg_count; i++) {
            const weir_arg_record *arg = &args[i];
            if (!weir_arg_is_access(arg) || weir_arg_writes(arg) != (pass == 1))
                continue;
            weir_buffer_record *record = &body->buffers.at[arg->index];
            if (arg->back > record->furthest_back)
                record->furthest_back = arg->back;
            if (arg->back > 0)
                continue;
            record->written = record->written || weir_arg_writes(arg);
            if (!derives)
                continue;
            if (!make_hazard(graph, arg))
                return false;
            if (arg->mode != WEIR_ARG_WRITE)
                note_early_touch(graph, task, arg, index);
            check_ring_rule(graph, arg);
            if (!touch(graph, arg, index))
                return false;
        }
    return keep_derived(graph, index);
}
