/* read_dot.c - Graphviz DOT, through graphviz's own library: nodes are tasks, edges are edges (the same one twice counts once), and a
 * node's attribute `cost` is its time, 1 where it has none. Everything else in the file is about looks, and left alone. */
#include "dot_text.h"
#include "read_format.h"
#include <graphviz/cgraph.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What libcgraph keeps with each node for us. */
typedef struct {
    Agrec_t header;
    uint32_t task;
} numbered;

static char numbered_name[] = "weir"; /* libcgraph does not promise to leave its strings alone */

static uint32_t task_of(Agnode_t *node)
{
    const numbered *record = (const numbered *)aggetrec(node, numbered_name, 0);
    return record->task;
}

/* libcgraph tells errors in pieces, to a function without a user's pointer. */
static char complaint[512];

static int complain(char *text)
{
    size_t used = strlen(complaint);
    snprintf(complaint + used, sizeof complaint - used, "%s", text);
    return 0;
}

/* A line `# NUMBER` makes libcgraph count on from there, so what it says may be no line of the text: the first, then. */
static unsigned line_of(const read_input *in, unsigned long said)
{
    unsigned long lines = 1;
    for (const char *at = in->text; (at = strchr(at, '\n')); at++)
        lines++;
    return said >= 1 && said <= lines ? (unsigned)said : 1;
}

/* "Error: FILE: syntax error in line 3 near '->'"; warnings may come before it. */
static bool fail_syntax(const read_input *in)
{
    static const char in_line[] = " in line ";
    const char *what = strstr(complaint, "syntax error"), *where = strstr(what ? what : complaint, in_line);
    if (!where)
        return read_fail(in, 1, "this is no DOT: %s",
                         complaint[0] ? read_shown(complaint, strlen(complaint)).text : "there is no graph in it");
    char *near = NULL;
    unsigned long line = strtoul(where + strlen(in_line), &near, 10);
    near[strcspn(near, "\n")] = '\0';
    if (!what)
        what = complaint;
    return read_fail(in, line_of(in, line), "this is no DOT: %.*s%s", (int)(where - what), what, near);
}

static void release(void *graph)
{
    agclose(graph);
}

static Agraph_t *parse(const read_input *in)
{
    complaint[0] = '\0';
    agusererrf before = agseterrf(complain);
    agreadline(1);
    Agraph_t *graph = agmemread(in->text);
    agseterrf(before);
    if (!graph)
        fail_syntax(in);
    return graph;
}

static bool make_task(const read_input *in, Agnode_t *node, Agsym_t *cost, uint32_t number)
{
    weir_drawn_task *task = &in->memory->task[number];
    *task = (weir_drawn_task){.name = agnameof(node), .kind = "empty", .cost_ns = 1, .share = 1};
    numbered *record = agbindrec(node, numbered_name, sizeof *record, 0);
    if (!record)
        return read_no_memory(in);
    record->task = number;
    const char *text = cost ? agxget(node, cost) : "";
    const char *wrong = *text ? read_time(text, strlen(text), &task->cost_ns) : NULL;
    if (!wrong)
        return true;
    return read_fail(in, dot_line(in, "cost", "=", text), "the cost of '%s' %s: '%s'", read_shown(task->name, strlen(task->name)).text,
                     wrong, read_shown(text, strlen(text)).text);
}

static bool make_tasks(const read_input *in, Agraph_t *graph)
{
    char key[] = "cost";
    Agsym_t *cost = agattr(graph, AGNODE, key, NULL);
    uint32_t number = 0;
    in->memory->task = read_room(in, (size_t)agnnodes(graph), sizeof *in->memory->task);
    if (!in->memory->task)
        return false;
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
        if (!make_task(in, node, cost, number++))
            return false;
    in->drawing->task = in->memory->task;
    in->drawing->task_count = number;
    return true;
}

static bool make_edges(const read_input *in, Agraph_t *graph)
{
    uint32_t count = 0;
    weir_drawn_edge *edge = in->memory->edge = read_room(in, (size_t)agnedges(graph), sizeof *edge);
    uint32_t *leader = read_room(in, in->drawing->task_count, sizeof *leader); /* of an edge to the task, the last, + 1 */
    if (!edge || !leader) {
        free(leader);
        return false;
    }
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node)) {
        uint32_t from = task_of(node);
        for (Agedge_t *out = agfstout(graph, node); out; out = agnxtout(graph, out)) {
            uint32_t to = task_of(aghead(out));
            if (leader[to] != from + 1)
                edge[count++] = (weir_drawn_edge){from, to, 0};
            leader[to] = from + 1;
        }
    }
    free(leader);
    in->drawing->edge = edge;
    in->drawing->edge_count = count;
    return true;
}

static unsigned line_of_edge(const read_input *in, void *user, uint32_t edge)
{
    (void)user;
    const weir_drawing *d = in->drawing;
    return dot_line(in, d->task[d->edge[edge].from].name, "->", d->task[d->edge[edge].to].name);
}

bool read_dot(const read_input *in)
{
    Agraph_t *graph = dot_check(in) ? parse(in) : NULL;
    if (!graph)
        return false;
    in->memory->kept = graph;
    in->memory->release = release;
    if (!agisdirected(graph))
        return read_fail(in, dot_line(in, "graph", NULL, NULL), "the graph has no directions; begin it with digraph, and write -> for --");
    const char *name = agnameof(graph);
    in->drawing->name = name && *name && *name != '%' ? name : in->memory->title; /* libcgraph's names for the nameless begin so */
    return make_tasks(in, graph) && make_edges(in, graph) && read_order(in, line_of_edge, NULL);
}
