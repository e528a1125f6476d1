/* declare.c - through the public API alone. */
#include "declare.h"
#include <stdlib.h>

static void declare(const weir_drawing *drawing, weir_graph *graph, weir_task *task)
{
    for (uint32_t i = 0; i < drawing->task_count; i++) {
        const weir_drawn_task *t = &drawing->task[i];
        task[i] = weir_add_empty(graph, t->name);
        weir_task_set(graph, task[i], &(weir_task_options){.group = t->group, .priority = t->priority, .cost_ns = t->cost_ns});
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++)
        weir_after(graph, task[drawing->edge[i].to], task[drawing->edge[i].from]);
    for (uint32_t i = 0; i < drawing->carried_count; i++) {
        const weir_drawn_edge *edge = &drawing->carried[i];
        weir_after_previous(graph, task[edge->to], task[edge->from], edge->distance);
    }
}

weir_status declare_graph(const weir_drawing *drawing, weir_graph **out)
{
    weir_graph *graph = NULL;
    weir_task *task = calloc((size_t)drawing->task_count + 1, sizeof *task);
    if (!task)
        return WEIR_ERR_NO_MEMORY;
    weir_status status = weir_graph_create(drawing->name, WEIR_GRAPH_EXPLICIT, &graph);
    if (status == WEIR_OK) {
        declare(drawing, graph, task);
        status = weir_graph_status(graph);
    }
    free(task);
    if (status == WEIR_OK)
        *out = graph;
    else
        weir_graph_destroy(graph);
    return status;
}
