/* after.c - explicit edges. */
#include "graph/graph.h"


bool weir_graph_add_edge(weir_graph *graph, uint32_t later, uint32_t earlier)
{
    if (!weir_graph_own(graph))
        return false;
    weir_body *body = graph->body;
    if (!weir_vector_reserve(&body->explicits, 1))
        return weir_graph_no_memory(graph);
    weir_vector_push(&body->explicits, ((weir_edge){later, earlier}));
    body->backwards = body->backwards || earlier > later;
    return true;
}

bool weir_graph_add_carried_edge(weir_graph *graph, uint32_t later, uint32_t earlier, uint32_t distance)
{
    if (!weir_graph_own(graph))
        return false;
    if (!weir_vector_reserve(&graph->body->explicits_carried, 1))
        return weir_graph_no_memory(graph);
    weir_vector_push(&graph->body->explicits_carried, ((weir_carried_edge){later, earlier, distance}));
    return true;
}

/* Indices of both ends; false, with the error kept, if one is null or foreign. */
static bool edge_ends(weir_graph *graph, weir_task later, weir_task earlier, uint32_t *to, uint32_t *from)
{
    *to = weir_graph_index_of(graph, later);
    *from = weir_graph_index_of(graph, earlier);
    if (*to != UINT32_MAX && *from != UINT32_MAX)
        return true;
    const weir_task bad = *to == UINT32_MAX ? later : earlier;
    const char *which = *to == UINT32_MAX ? "later" : "earlier", *other = weir_task_name(graph, *to == UINT32_MAX ? earlier : later);
    weir_graph_fail(graph, WEIR_ERR_INVALID, "weir_after with '%s': the %s task is %s", other ? other : "?", which,
                    bad.number == 0 ? "the null task" : bad.graph != graph->body->id ? "of another graph" : "none of this graph");
    return false;
}

void weir_after(weir_graph *graph, weir_task later, weir_task earlier)
{
    uint32_t to, from;
    if (!graph) {
        weir_fail(WEIR_ERR_INVALID, "weir_after: the graph is NULL");
        return;
    }
    if (!edge_ends(graph, later, earlier, &to, &from))
        return;
    if (to == from) {
        const char *name = graph->body->tasks.at[to].name;
        weir_graph_fail(graph, WEIR_ERR_CYCLE, "cycle: '%s' -> '%s'", name, name);
        return;
    }
    weir_graph_add_edge(graph, weir_body_first_of(graph->body, to), from);
}

void weir_after_previous(weir_graph *graph, weir_task later, weir_task earlier, uint32_t distance)
{
    uint32_t to, from;
    if (!graph) {
        weir_fail(WEIR_ERR_INVALID, "weir_after_previous: the graph is NULL");
        return;
    }
    if (!edge_ends(graph, later, earlier, &to, &from))
        return;
    if (distance == 0) {
        weir_graph_fail(graph, WEIR_ERR_INVALID, "weir_after_previous with '%s': a distance of 0 frames, use weir_after",
                        graph->body->tasks.at[to].name);
        return;
    }
    weir_graph_add_carried_edge(graph, weir_body_first_of(graph->body, to), from, distance);
}
