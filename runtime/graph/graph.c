/* graph.c - the graph being declared: its life, its first error, its tasks by handle and by name. */
#include "graph/graph.h"
#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = 512 };


weir_status weir_graph_create(const char *name, uint32_t flags, weir_graph **out)
{
    if (!name || !out)
        return weir_fail(WEIR_ERR_INVALID, "weir_graph_create: NULL argument");
    if (flags & ~(uint32_t)WEIR_GRAPH_EXPLICIT)
        return weir_fail(WEIR_ERR_INVALID, "graph '%s': unknown flags 0x%x", name, flags);
    weir_graph *graph = weir_alloc(1, sizeof *graph);
    if (graph) {
        graph->body = weir_body_create(name, flags);
        graph->error = weir_alloc(1, ERROR_BYTES);
        graph->frame_error = weir_alloc(1, ERROR_BYTES);
        graph->names = weir_alloc(1, sizeof *graph->names);
        graph->indices = weir_table_create();
    }
    if (!graph || !graph->body || !graph->error || !graph->frame_error || !graph->names || !graph->indices) {
        weir_graph_destroy(graph);
        return weir_fail_no_memory();
    }
    *out = graph;
    return WEIR_OK;
}

void weir_graph_destroy(weir_graph *graph)
{
    if (!graph)
        return;
    for (uint32_t i = 0; i < graph->states.count; i++)
        weir_hazard_destroy(graph->states.at[i].hazard);
    weir_vector_finish(&graph->states);
    weir_vector_finish(&graph->stamps);
    weir_vector_finish(&graph->found);
    if (graph->names)
        weir_table_destroy(graph->names->table);
    weir_free(graph->names);
    weir_table_destroy(graph->indices);
    weir_free(graph->error);
    weir_free(graph->frame_error);
    weir_body_release(graph->body);
    weir_free(graph);
}

weir_status weir_graph_fail(weir_graph *graph, weir_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    weir_fail_v(status, format, args);
    va_end(args);
    if (graph->status == WEIR_OK) {
        graph->status = status;
        snprintf(graph->error, ERROR_BYTES, "%s", weir_last_error());
    }
    return status;
}

void weir_graph_fail_frame(weir_graph *graph, weir_status status, const char *format, ...)
{
    if (graph->frame_status != WEIR_OK)
        return;
    va_list args;
    va_start(args, format);
    weir_fail_v(status, format, args);
    va_end(args);
    graph->frame_status = status;
    snprintf(graph->frame_error, ERROR_BYTES, "%s", weir_last_error());
}

bool weir_graph_no_memory(weir_graph *graph)
{
    weir_graph_fail(graph, WEIR_ERR_NO_MEMORY, "graph '%s': out of memory", graph->body->name);
    return false;
}

weir_status weir_graph_status(const weir_graph *graph)
{
    if (!graph)
        return weir_fail(WEIR_ERR_INVALID, "the graph is NULL");
    if (graph->status != WEIR_OK)
        return weir_fail(graph->status, "%s", graph->error);
    if (graph->frame_status != WEIR_OK)
        return weir_fail(graph->frame_status, "%s", graph->frame_error);
    return WEIR_OK;
}

const weir_body *weir_graph_body(const weir_graph *graph)
{
    return graph->body;
}

bool weir_graph_own(weir_graph *graph)
{
    if (atomic_load_explicit(&graph->body->holders, memory_order_acquire) == 1)
        return true;
    weir_body *copy = weir_body_clone(graph->body);
    if (!copy)
        return weir_graph_no_memory(graph);
    weir_body_release(graph->body);
    graph->body = copy;
    return true;
}

uint32_t weir_graph_task_count(const weir_graph *graph)
{
    return graph ? graph->body->tasks.count : 0;
}

uint32_t weir_graph_index_of(const weir_graph *graph, weir_task task)
{
    bool mine = task.graph == graph->body->id && task.number >= 1 && task.number <= graph->body->tasks.count;
    return mine ? task.number - 1 : UINT32_MAX;
}

const char *weir_task_name(const weir_graph *graph, weir_task task)
{
    uint32_t i = graph ? weir_graph_index_of(graph, task) : UINT32_MAX;
    return i == UINT32_MAX ? NULL : graph->body->tasks.at[i].name;
}

weir_task weir_graph_find(const weir_graph *graph, const char *name)
{
    weir_task none = {0, 0};
    if (!graph || !name)
        return none;
    weir_name_index *index = graph->names;
    if (!index->table)
        index->table = weir_table_create();
    const weir_body *body = graph->body;
    while (index->table && index->count < body->tasks.count) {
        if (!weir_table_put_text(index->table, body->tasks.at[index->count].name, index->count))
            break;
        index->count++;
    }
    if (index->table && index->count == body->tasks.count) {
        uint32_t i = weir_table_get_text(index->table, name);
        return i == UINT32_MAX ? none : (weir_task){i + 1, body->id};
    }
    for (uint32_t i = 0; i < body->tasks.count; i++) /* no memory for the table: slowly, then */
        if (strcmp(body->tasks.at[i].name, name) == 0)
            return (weir_task){i + 1, body->id};
    return none;
}
