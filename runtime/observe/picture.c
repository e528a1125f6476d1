/* picture.c - chooses the lines and folds the chains. */
#include "observe/picture.h"
#include "util/memory.h"
#include "util/status.h"
#include "util/table.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
enum { FOLD_AT_LEAST = 4 }; /* fewer tasks than that are shown */

static int by_ends(const void *a, const void *b)
{
    const weir_line *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->distance < y->distance ? -1 : x->distance > y->distance;
}

static void add(weir_picture *p, const weir_drawn_edge *edge, uint32_t flags)
{
    p->line[p->lines++] = (weir_line){edge->from, edge->to, edge->distance, flags};
}

/* A wait or a step of the critical path is an edge as well: where lines are alike, one is left that is all of them. */
static void merge(weir_picture *p)
{
    size_t left = 0;
    qsort(p->line, p->lines, sizeof *p->line, by_ends);
    for (size_t i = 0; i < p->lines; i++) {
        if (left > 0 && by_ends(&p->line[left - 1], &p->line[i]) == 0)
            p->line[left - 1].flags |= p->line[i].flags;
        else
            p->line[left++] = p->line[i];
    }
    p->lines = left;
}

static bool has_line(const weir_picture *p, uint32_t from, uint32_t to)
{
    weir_line wanted = {from, to, 0, 0};
    return bsearch(&wanted, p->line, p->lines, sizeof *p->line, by_ends) != NULL;
}

static void mark_beside(weir_picture *p)
{
    for (size_t i = 0; i < p->lines; i++) {
        weir_line *l = &p->line[i];
        bool together = p->cluster[l->from] == p->cluster[l->to] && (has_line(p, l->from, l->to) || has_line(p, l->to, l->from));
        if (l->distance > 0 && (l->from == l->to || together))
            l->flags |= WEIR_LINE_BESIDE;
    }
}

static weir_status choose_lines(weir_picture *p, const weir_drawing *d)
{
    p->line = weir_alloc((size_t)d->edge_count + d->carried_count + d->wait_count + d->critical_count, sizeof *p->line);
    unsigned char *keep_edge = weir_alloc(d->edge_count, 1), *keep_carried = weir_alloc(d->carried_count, 1);
    weir_status status = p->line && keep_edge && keep_carried ? weir_drawing_reduce(d, keep_edge, keep_carried) : weir_fail_no_memory();
    if (status == WEIR_OK) {
        for (uint32_t i = 0; i < d->edge_count; i++)
            if (keep_edge[i])
                add(p, &d->edge[i], 0);
        for (uint32_t i = 0; i < d->carried_count; i++)
            if (keep_carried[i])
                add(p, &d->carried[i], 0);
        for (uint32_t i = 0; i < d->wait_count; i++)
            add(p, &d->wait[i], WEIR_LINE_WAIT);
        for (uint32_t i = 1; i < d->critical_count; i++)
            add(p, &(weir_drawn_edge){d->critical[i - 1], d->critical[i], 0}, WEIR_LINE_CRITICAL);
        merge(p);
        mark_beside(p);
    }
    weir_free(keep_carried);
    weir_free(keep_edge);
    return status;
}

/* Loops and branches are not: each says something of its own. */
static bool alike(const weir_picture *p, const weir_drawing *d, uint32_t a, uint32_t b)
{
    const weir_drawn_task *x = &d->task[a], *y = &d->task[b];
    return x->body_count == 0 && y->body_count == 0 && x->lane == y->lane && p->critical[a] == p->critical[b] && p->cluster[a] == p->cluster[b] && strcmp(x->kind, y->kind) == 0;
}

static weir_status find_clusters(weir_picture *p, const weir_drawing *d)
{
    weir_table *groups = weir_table_create();
    weir_status status = groups ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t t = 0; t < d->task_count && status == WEIR_OK; t++) {
        p->cluster[t] = NONE;
        if (d->task[t].group && !weir_table_put_text(groups, d->task[t].group, t)) /* keeps the first of equal ones */
            status = weir_fail_no_memory();
        if (d->task[t].group && status == WEIR_OK)
            p->cluster[t] = weir_table_get_text(groups, d->task[t].group);
    }
    weir_table_destroy(groups);
    return status;
}

/* before[t] and after[t]: the only task with a line to or from t; NONE if there are none or several, or some of other frames. */
static void find_neighbours(const weir_picture *p, uint32_t tasks, uint32_t *before, uint32_t *after, uint32_t *lines)
{
    memset(before, 0xFF, tasks * sizeof *before);
    memset(after, 0xFF, tasks * sizeof *after);
    for (size_t i = 0; i < p->lines; i++) {
        const weir_line *l = &p->line[i];
        lines[l->from]++;
        lines[l->to]++;
        if (l->distance == 0) {
            before[l->to] = l->from;
            after[l->from] = l->to;
        }
    }
    for (uint32_t t = 0; t < tasks; t++) /* exactly one each way makes two */
        if (lines[t] != 2 || before[t] == NONE || after[t] == NONE)
            before[t] = after[t] = NONE;
}

static void fold_chain(weir_picture *p, uint32_t first, uint32_t count, const uint32_t *after)
{
    double cost_ns = 0;
    for (uint32_t i = 0, t = first; i < count; i++, t = after[t]) {
        p->fold[t] = first;
        p->folded[t] = 0;
        cost_ns += p->cost_ns[t];
    }
    p->folded[first] = count;
    p->cost_ns[first] = cost_ns;
}

static weir_status fold_chains(weir_picture *p, const weir_drawing *d)
{
    uint32_t tasks = d->task_count;
    uint32_t *before = weir_alloc(tasks, sizeof *before), *after = weir_alloc(tasks, sizeof *after),
             *lines = weir_alloc(tasks, sizeof *lines);
    weir_status status = before && after && lines ? WEIR_OK : weir_fail_no_memory();
    if (status == WEIR_OK) {
        find_neighbours(p, tasks, before, after, lines);
        for (uint32_t t = 0; t < tasks; t++) {
            /* Where a chain begins: an inner task like the one before it, which is not inner. */
            if (before[t] == NONE || !alike(p, d, before[t], t) || (before[before[t]] != NONE && alike(p, d, before[before[t]], before[t])))
                continue;
            uint32_t count = 0;
            for (uint32_t i = t; after[i] != NONE && alike(p, d, i, after[i]); i = after[i])
                count++;
            if (count >= FOLD_AT_LEAST)
                fold_chain(p, t, count, after);
        }
    }
    weir_free(lines);
    weir_free(after);
    weir_free(before);
    return status;
}

weir_status weir_picture_init(weir_picture *picture, const weir_drawing *drawing)
{
    uint32_t tasks = drawing->task_count;
    weir_picture p = {0};
    p.fold = weir_alloc(tasks, sizeof *p.fold);
    p.folded = weir_alloc(tasks, sizeof *p.folded);
    p.cost_ns = weir_alloc(tasks, sizeof *p.cost_ns);
    p.critical = weir_alloc(tasks, sizeof *p.critical);
    p.cluster = weir_alloc(tasks, sizeof *p.cluster);
    weir_status status = p.fold && p.folded && p.cost_ns && p.critical && p.cluster ? find_clusters(&p, drawing) : weir_fail_no_memory();
    if (status == WEIR_OK)
        status = choose_lines(&p, drawing);
    if (status == WEIR_OK) {
        for (uint32_t t = 0; t < tasks; t++) {
            p.fold[t] = t;
            p.folded[t] = 1;
            p.cost_ns[t] = drawing->task[t].cost_ns;
        }
        for (uint32_t i = 0; i < drawing->critical_count; i++)
            p.critical[drawing->critical[i]] = 1;
        status = fold_chains(&p, drawing);
    }
    if (status != WEIR_OK) {
        weir_picture_finish(&p);
        return status;
    }
    *picture = p;
    return WEIR_OK;
}

void weir_picture_finish(weir_picture *picture)
{
    weir_free(picture->line);
    weir_free(picture->fold);
    weir_free(picture->folded);
    weir_free(picture->cost_ns);
    weir_free(picture->critical);
    weir_free(picture->cluster);
    *picture = (weir_picture){0};
}
