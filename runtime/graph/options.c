/* options.c - what may be said of a task after it was added. */
#include "graph/graph.h"
#include <math.h>

static const char *why_no_options(const weir_task_options *o)
{
    if (!(o->cost_ns >= 0) || isinf(o->cost_ns))
        return "the cost is negative or no number";
    if (!(o->share >= 0 && o->share <= 1))
        return "the share is not from 0 to 1";
    if (o->device != 0)
        return "there is only device 0";
    if (o->flags & ~(uint32_t)WEIR_TASK_REENTRANT)
        return "unknown flags";
    return NULL;
}

void weir_task_set(weir_graph *graph, weir_task task, const weir_task_options *options)
{
    if (!graph) {
        weir_fail(WEIR_ERR_INVALID, "weir_task_set: the graph is NULL");
        return;
    }
    uint32_t index = weir_graph_index_of(graph, task);
    if (index == UINT32_MAX || !options) {
        weir_graph_fail(graph, WEIR_ERR_INVALID, "weir_task_set: %s", options ? "the null task, or one of another graph" : "the options are NULL");
        return;
    }
    const char *why = why_no_options(options);
    if (why) {
        weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': %s", graph->body->tasks.at[index].name, why);
        return;
    }
    if (!weir_graph_own(graph))
        return;
    weir_body *body = graph->body;
    uint32_t group = weir_body_group_number(body, options->group);
    if (group == UINT32_MAX) {
        weir_graph_no_memory(graph);
        return;
    }
    const uint32_t first = weir_body_first_of(body, index);
    for (uint32_t i = first; i <= index; i++) {
        weir_task_record *record = &body->tasks.at[i];
        record->group = group;
        record->priority = options->priority;
        record->cost_ns = first < index && record->kind == WEIR_KIND_EMPTY ? 0 : (float)options->cost_ns; /* what ties a sub-graph costs nothing */
        record->share = options->share;
        record->flags = options->flags & 0xffu;
    }
    if (options->name) {
        body->tasks.at[index].name = options->name;
        weir_table_destroy(graph->names->table);
        *graph->names = (weir_name_index){NULL, 0};
    }
}

weir_status weir_graph_set_costs(weir_graph *graph, const float *cost_ns, uint32_t count)
{
    static const float least_ns = 1; /* 0 would be the default */
    if (weir_graph_status(graph) != WEIR_OK)
        return weir_graph_status(graph);
    if (!weir_graph_own(graph))
        return weir_fail_no_memory();
    for (uint32_t t = 0; t < count; t++)
        if (!isnan(cost_ns[t]))
            graph->body->tasks.at[t].cost_ns = cost_ns[t] > least_ns ? cost_ns[t] : least_ns;
    return WEIR_OK;
}
