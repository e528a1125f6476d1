/* check.c - holds the declared edges against the declared accesses: pairs that data order but no path does, and explicit edges
 * that no data need. Here within one frame; check_frames.c goes on from one to the next. */
#include "graph/check.h"
#include "graph/graph.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    const weir_body *body;
    weir_dag dag;
    uint32_t *level;    /* longest path from any root, in edges */
    uint32_t *need_level; /* the same over needs */
    uint32_t *needed_by;  /* task -> how many need it */
    WEIR_VECTOR(weir_need) needs; /* grouped by later, in the order of dag */
    uint32_t *need_first, *need_count; /* task -> its needs */
    uint32_t *noted;    /* task -> the last one that needs it, + 1: finds doubles */
    uint32_t *visited;  /* task -> the search that saw it last */
    uint32_t search;
    uint32_t *stack;
    weir_reporter reporter;
} checking;

static bool make_room(checking *c)
{
    uint32_t n = c->dag.tasks;
    c->level = weir_alloc(n, sizeof *c->level);
    c->need_level = weir_alloc(n, sizeof *c->need_level);
    c->needed_by = weir_alloc(n, sizeof *c->needed_by);
    c->need_first = weir_alloc(n, sizeof *c->need_first);
    c->need_count = weir_alloc(n, sizeof *c->need_count);
    c->visited = weir_alloc(n, sizeof *c->visited);
    c->stack = weir_alloc(n, sizeof *c->stack);
    c->noted = weir_alloc(n, sizeof *c->noted);
    return c->noted && c->level && c->need_level && c->needed_by && c->need_first && c->need_count && c->visited && c->stack;
}

static void find_levels(checking *c)
{
    for (uint32_t k = 0; k < c->dag.tasks; k++) {
        uint32_t t = weir_dag_task_at(&c->dag, k);
        for (uint32_t i = c->dag.pred_first[t]; i < c->dag.pred_first[t + 1]; i++)
            if (c->level[c->dag.pred[i]] >= c->level[t])
                c->level[t] = c->level[c->dag.pred[i]] + 1;
    }
}

void weir_report(weir_reporter *reporter, weir_status status, const char *text)
{
    reporter->hazard = reporter->hazard || status == WEIR_ERR_HAZARD;
    if (reporter->found)
        reporter->found(reporter->user, status, text);
}

/* ---- what data need ---- */

static void check_written_first(checking *c, const weir_hazard *hazard, const weir_arg_record *arg, uint32_t t)
{
    const weir_buffer_record *record = &c->body->buffers.at[arg->index];
    const weir_buffer *buffer = record->buffer;
    bool must = arg->mode == WEIR_ARG_REDUCE || (weir_buffer_is_ring(buffer) && record->written);
    weir_span span = weir_arg_span(c->body, arg);
    if (!must || arg->mode == WEIR_ARG_WRITE || buffer->place == WEIR_HOST_IN || !weir_hazard_unwritten(hazard, &span))
        return;
    char text[512];
    snprintf(text, sizeof text, "task '%s' %s '%s' before anything writes it in the frame", c->body->tasks.at[t].name,
             arg->mode == WEIR_ARG_REDUCE ? "reduces into buffer" : "touches this frame's copy of ring", buffer->name);
    weir_report(&c->reporter, WEIR_ERR_HAZARD, text);
}

static weir_status needs_of_access(checking *c, weir_hazard **hazards, uint32_t t, uint32_t arg_index, weir_touchers *found)
{
    const weir_arg_record *arg = &c->body->args.at[arg_index];
    weir_arg_record whole = {.index = arg->index};
    weir_span all = weir_arg_span(c->body, &whole), span = weir_arg_span(c->body, arg);
    if (!hazards[arg->index])
        hazards[arg->index] = weir_hazard_create(&all);
    if (!hazards[arg->index])
        return WEIR_ERR_NO_MEMORY;
    check_written_first(c, hazards[arg->index], arg, t);
    found->count = 0;
    if (!weir_hazard_touch(hazards[arg->index], &span, arg->mode, t, found) || !weir_vector_reserve(&c->needs, found->count))
        return WEIR_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t earlier = found->at[i];
        if (earlier == t || c->noted[earlier] == t + 1)
            continue;
        c->noted[earlier] = t + 1;
        c->needed_by[earlier]++;
        if (c->need_level[earlier] >= c->need_level[t])
            c->need_level[t] = c->need_level[earlier] + 1;
        weir_vector_push(&c->needs, ((weir_need){t, earlier, arg_index}));
    }
    return WEIR_OK;
}

/* Lets tasks touch their data in an order that the edges allow. If any two that conflict are unordered, so are two that are
 * found here: what is found orders every pair that conflicts. */
static weir_status find_needs(checking *c)
{
    const weir_body *body = c->body;
    weir_hazard **hazards = weir_alloc(body->buffers.count, sizeof *hazards);
    weir_touchers found = {NULL, 0, 0};
    weir_status status = hazards ? WEIR_OK : WEIR_ERR_NO_MEMORY;
    for (uint32_t k = 0; k < c->dag.tasks && status == WEIR_OK; k++) {
        uint32_t t = weir_dag_task_at(&c->dag, k);
        const weir_task_record *task = &body->tasks.at[t];
        c->need_first[t] = c->needs.count;
        for (int writes = 0; writes < 2; writes++)
            for (uint32_t i = task->arg_first; i < task->arg_first + task->arg_count && status == WEIR_OK; i++) {
                const weir_arg_record *arg = &body->args.at[i];
                if (weir_arg_is_access(arg) && arg->back == 0 && weir_arg_writes(arg) == (writes == 1))
                    status = needs_of_access(c, hazards, t, i, &found);
            }
        c->need_count[t] = c->needs.count - c->need_first[t];
    }
    for (uint32_t b = 0; hazards && b < body->buffers.count; b++)
        weir_hazard_destroy(hazards[b]);
    weir_free(hazards);
    weir_vector_finish(&found);
    return status;
}

/* ---- is there a path ---- */

/* A path from `earlier` to `later` over all edges of the graph: walks back from `later`, no further than `earlier`'s level. */
static bool path_over_edges(checking *c, uint32_t earlier, uint32_t later)
{
    uint32_t depth = 0;
    c->visited[later] = ++c->search;
    c->stack[depth++] = later;
    while (depth > 0) {
        uint32_t t = c->stack[--depth];
        for (uint32_t i = c->dag.pred_first[t]; i < c->dag.pred_first[t + 1]; i++) {
            uint32_t p = c->dag.pred[i];
            if (p == earlier)
                return true;
            if (c->visited[p] == c->search || c->level[p] <= c->level[earlier])
                continue;
            c->visited[p] = c->search;
            c->stack[depth++] = p;
        }
    }
    return false;
}

/* The same over what data need, within their own levels. */
static bool path_over_needs(checking *c, uint32_t earlier, uint32_t later)
{
    uint32_t depth = 0;
    c->visited[later] = ++c->search;
    c->stack[depth++] = later;
    while (depth > 0) {
        uint32_t t = c->stack[--depth];
        for (uint32_t i = c->need_first[t]; i < c->need_first[t] + c->need_count[t]; i++) {
            uint32_t p = c->needs.at[i].earlier;
            if (p == earlier)
                return true;
            if (c->visited[p] == c->search || c->need_level[p] <= c->need_level[earlier])
                continue;
            c->visited[p] = c->search;
            c->stack[depth++] = p;
        }
    }
    return false;
}

/* Marks with the new c->search all that follow `earlier`. */
static void mark_followers(checking *c, uint32_t earlier)
{
    uint32_t depth = 0;
    c->visited[earlier] = ++c->search;
    c->stack[depth++] = earlier;
    while (depth > 0) {
        uint32_t t = c->stack[--depth];
        for (uint32_t i = c->dag.succ_first[t]; i < c->dag.succ_first[t + 1]; i++) {
            uint32_t s = c->dag.succ[i];
            if (c->visited[s] == c->search)
                continue;
            c->visited[s] = c->search;
            c->stack[depth++] = s;
        }
    }
}

/* ---- the two reports ---- */

const char *weir_access_verb(unsigned mode)
{
    return mode == WEIR_ARG_READ ? "reads" : mode == WEIR_ARG_REDUCE ? "reduces into" : "writes";
}

void weir_span_text(const weir_span *span, char text[WEIR_SPAN_TEXT])
{
    snprintf(text, WEIR_SPAN_TEXT, "(%u, %u, %u) to (%u, %u, %u)", span->lo[0], span->lo[1], span->lo[2], span->hi[0] - 1, span->hi[1] - 1, span->hi[2] - 1);
}

/* How the earlier task touches what `later` touches, for the text. */
static const weir_arg_record *counterpart(const checking *c, const weir_need *need)
{
    const weir_arg_record *arg = &c->body->args.at[need->arg];
    weir_span span = weir_arg_span(c->body, arg);
    const weir_task_record *task = &c->body->tasks.at[need->earlier];
    for (uint32_t i = task->arg_first; i < task->arg_first + task->arg_count; i++) {
        const weir_arg_record *other = &c->body->args.at[i];
        if (!weir_arg_is_access(other) || other->index != arg->index || other->back != 0)
            continue;
        weir_span other_span = weir_arg_span(c->body, other);
        if (weir_modes_conflict(arg->mode, other->mode) && weir_span_overlaps(&span, &other_span))
            return other;
    }
    return arg;
}

static void tell_hazard(checking *c, const weir_need *need)
{
    const weir_body *body = c->body;
    const weir_arg_record *later = &body->args.at[need->arg], *earlier = counterpart(c, need);
    weir_span a = weir_arg_span(body, later), b = weir_arg_span(body, earlier), both = weir_span_intersect(a, &b);
    char text[512], where[WEIR_SPAN_TEXT];
    weir_span_text(&both, where);
    snprintf(text, sizeof text, "nothing orders task '%s', which %s buffer '%s' at %s, and task '%s', which %s it there", body->tasks.at[need->earlier].name,
             weir_access_verb(earlier->mode), body->buffers.at[later->index].buffer->name, where, body->tasks.at[need->later].name, weir_access_verb(later->mode));
    weir_report(&c->reporter, WEIR_ERR_HAZARD, text);
}

/* Needs in the order of who is needed, so that one whom many need is followed once. */
static weir_need *needs_by_earlier(const checking *c)
{
    uint32_t *next = weir_alloc((size_t)c->dag.tasks + 1, sizeof *next);
    weir_need *sorted = weir_alloc(c->needs.count, sizeof *sorted);
    if (!next || !sorted) {
        weir_free(next);
        weir_free(sorted);
        return NULL;
    }
    for (uint32_t t = 0; t < c->dag.tasks; t++)
        next[t + 1] = next[t] + c->needed_by[t];
    for (uint32_t i = 0; i < c->needs.count; i++)
        sorted[next[c->needs.at[i].earlier]++] = c->needs.at[i];
    weir_free(next);
    return sorted;
}

static weir_status report_hazards(checking *c)
{
    enum { MANY = 8 };
    weir_need *needs = needs_by_earlier(c);
    if (!needs)
        return WEIR_ERR_NO_MEMORY;
    for (uint32_t i = 0, end; i < c->needs.count; i = end) {
        uint32_t earlier = needs[i].earlier;
        end = i + c->needed_by[earlier];
        bool many = end - i > MANY;
        if (many)
            mark_followers(c, earlier);
        for (uint32_t k = i; k < end; k++)
            if (many ? c->visited[needs[k].later] != c->search : !path_over_edges(c, earlier, needs[k].later))
                tell_hazard(c, &needs[k]);
    }
    weir_free(needs);
    return WEIR_OK;
}

bool weir_task_has_accesses(const weir_body *body, uint32_t t)
{
    const weir_task_record *task = &body->tasks.at[t];
    for (uint32_t i = task->arg_first; i < task->arg_first + task->arg_count; i++)
        if (weir_arg_is_access(&body->args.at[i]))
            return true;
    return false;
}

static void report_needless_edges(checking *c)
{
    const weir_body *body = c->body;
    for (uint32_t i = 0; i < body->explicits.count && c->reporter.found; i++) {
        weir_edge e = body->explicits.at[i];
        if (!weir_task_has_accesses(body, e.later) || !weir_task_has_accesses(body, e.earlier) || path_over_needs(c, e.earlier, e.later))
            continue;
        char text[512];
        snprintf(text, sizeof text, "no data need the edge from task '%s' to task '%s': they share none that either changes, directly or through others",
                 body->tasks.at[e.earlier].name, body->tasks.at[e.later].name);
        weir_report(&c->reporter, WEIR_OK, text);
    }
}

weir_status weir_graph_check(const weir_graph *graph, uint32_t frames, void (*found)(void *, weir_status, const char *), void *user)
{
    weir_status status = weir_graph_status(graph);
    if (status == WEIR_OK && frames > WEIR_FRAMES_MOST)
        status = weir_fail(WEIR_ERR_INVALID, "%u frames in flight are too many: at most %u", frames, WEIR_FRAMES_MOST);
    if (status != WEIR_OK)
        return status;
    checking c = {.body = graph->body, .reporter = {found, user, false}};
    status = weir_dag_create(graph->body, &c.dag);
    if (status != WEIR_OK)
        return status;
    status = make_room(&c) ? WEIR_OK : WEIR_ERR_NO_MEMORY;
    if (status == WEIR_OK) {
        find_levels(&c);
        status = find_needs(&c);
    }
    if (status == WEIR_OK)
        status = report_hazards(&c);
    if (status == WEIR_OK)
        report_needless_edges(&c);
    if (status == WEIR_OK && frames > 1)
        status = weir_check_frames(c.body, frames, &c.dag, &(weir_needs){c.needs.at, c.need_first, c.need_count}, &c.reporter);
    weir_dag_finish(&c.dag);
    weir_free(c.level);
    weir_free(c.need_level);
    weir_free(c.needed_by);
    weir_free(c.need_first);
    weir_free(c.need_count);
    weir_free(c.visited);
    weir_free(c.noted);
    weir_free(c.stack);
    weir_vector_finish(&c.needs);
    if (status != WEIR_OK)
        return weir_fail_no_memory();
    return c.reporter.hazard ? weir_fail(WEIR_ERR_HAZARD, "graph '%s': tasks that touch the same data are not ordered", graph->body->name) : WEIR_OK;
}
