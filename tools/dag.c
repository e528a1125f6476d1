/* dag.c - Kahn's algorithm, and what follows from its order. */
#include "dag.h"
#include <stdlib.h>

static void *room(size_t count, size_t bytes)
{
    return calloc(count ? count : 1, bytes);
}

static void fill(const weir_drawing *drawing, dag *d)
{
    for (uint32_t i = 0; i < drawing->edge_count; i++)
        d->first[drawing->edge[i].from + 2]++;
    for (uint32_t t = 0; t < d->tasks; t++)
        d->first[t + 2] += d->first[t + 1];
    for (uint32_t i = 0; i < drawing->edge_count; i++) /* shifted by one while filling, so that it ends as it should begin */
        d->to[d->first[drawing->edge[i].from + 1]++] = drawing->edge[i].to;
}

static void put_in_order(dag *d, uint32_t *missing)
{
    for (uint32_t t = 0; t < d->tasks; t++)
        if (missing[t] == 0)
            d->order[d->ordered++] = t;
    for (uint32_t done = 0; done < d->ordered; done++)
        for (uint32_t i = d->first[d->order[done]]; i < d->first[d->order[done] + 1]; i++)
            if (--missing[d->to[i]] == 0)
                d->order[d->ordered++] = d->to[i];
}

bool dag_init(const weir_drawing *drawing, dag *out)
{
    dag d = {.tasks = drawing->task_count};
    uint32_t *missing = room(d.tasks, sizeof *missing); /* predecessors not yet in order */
    d.first = room((size_t)d.tasks + 2, sizeof *d.first);
    d.to = room(drawing->edge_count, sizeof *d.to);
    d.order = room(d.tasks, sizeof *d.order);
    bool enough = missing && d.first && d.to && d.order;
    if (enough) {
        fill(drawing, &d);
        for (uint32_t i = 0; i < drawing->edge_count; i++)
            missing[drawing->edge[i].to]++;
        put_in_order(&d, missing);
        *out = d;
    } else {
        dag_finish(&d);
    }
    free(missing);
    return enough;
}

void dag_finish(dag *d)
{
    free(d->first);
    free(d->to);
    free(d->order);
    *d = (dag){0};
}

/* Each task that could not be ordered follows another such: walking back from any must come round. */
static uint32_t walk_back(const weir_drawing *drawing, const uint32_t *into, uint32_t task, uint32_t *seen, uint32_t *path)
{
    uint32_t length = 0;
    while (!seen[task]) {
        seen[task] = ++length;
        path[length - 1] = into[task];
        task = drawing->edge[into[task]].from;
    }
    uint32_t before = seen[task] - 1, count = length - before;
    for (uint32_t i = 0; i < count; i++) /* only the cycle, and from its first edge to its last */
        path[i] = path[i + before];
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t swapped = path[i];
        path[i] = path[count - 1 - i];
        path[count - 1 - i] = swapped;
    }
    return count;
}

uint32_t dag_cycle(const weir_drawing *drawing, const dag *d, uint32_t *cycle)
{
    unsigned char *ordered = room(d->tasks, 1);
    uint32_t *seen = room(d->tasks, sizeof *seen), *into = room(d->tasks, sizeof *into), count = 0;
    if (ordered && seen && into) {
        uint32_t task = 0;
        for (uint32_t i = 0; i < d->ordered; i++)
            ordered[d->order[i]] = 1;
        for (uint32_t i = 0; i < drawing->edge_count; i++)
            if (!ordered[drawing->edge[i].from] && !ordered[drawing->edge[i].to])
                into[drawing->edge[i].to] = i;
        while (ordered[task])
            task++;
        count = walk_back(drawing, into, task, seen, cycle);
    }
    free(ordered);
    free(seen);
    free(into);
    return count;
}

double dag_longest_path(const weir_drawing *drawing, const dag *d, uint32_t *path, uint32_t *count)
{
    double *tail = room(d->tasks, sizeof *tail), longest = 0; /* from a task's start to the end of all that follow it */
    uint32_t *next = room(d->tasks, sizeof *next), at = UINT32_MAX;
    *count = 0;
    if (!tail || !next) {
        free(tail);
        free(next);
        return -1;
    }
    for (uint32_t i = d->tasks; i-- > 0;) {
        uint32_t t = d->order[i];
        next[t] = UINT32_MAX;
        for (uint32_t e = d->first[t]; e < d->first[t + 1]; e++)
            if (next[t] == UINT32_MAX || tail[d->to[e]] > tail[next[t]])
                next[t] = d->to[e];
        tail[t] = drawing->task[t].cost_ns + (next[t] == UINT32_MAX ? 0 : tail[next[t]]);
    }
    for (uint32_t t = 0; t < d->tasks; t++)
        if (at == UINT32_MAX || tail[t] > longest) {
            longest = tail[t];
            at = t;
        }
    for (; at != UINT32_MAX; at = next[at])
        path[(*count)++] = at;
    free(tail);
    free(next);
    return longest;
}
