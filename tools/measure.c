/* measure.c - levels, and the edges that others imply. An edge to the next level is implied by none, so only longer ones are looked
 * into, and of the graph only the levels that they cross. */
#include "measure.h"
#include "dag.h"
#include <stdlib.h>

static const uint64_t steps_most = 2000 * 1000 * 1000; /* ten seconds or so */

typedef struct {
    dag dag;
    uint32_t *level, *width; /* task -> its level; level -> its tasks */
    uint32_t *seen;          /* task -> the last whose search got there, + 1 */
    uint32_t *stack;
    uint64_t steps;
} search;

static void *room(size_t count, size_t bytes)
{
    return calloc(count ? count : 1, bytes);
}

static void find_levels(search *s, measures *out)
{
    const dag *d = &s->dag;
    for (uint32_t i = 0; i < d->tasks; i++) {
        uint32_t t = d->order[i];
        if (out->depth < (uint64_t)s->level[t] + 1)
            out->depth = (uint64_t)s->level[t] + 1;
        if (out->level_width < ++s->width[s->level[t]])
            out->level_width = s->width[s->level[t]];
        for (uint32_t e = d->first[t]; e < d->first[t + 1]; e++)
            if (s->level[d->to[e]] < s->level[t] + 1)
                s->level[d->to[e]] = s->level[t] + 1;
    }
}

/* Marks what lies behind `task` up to a level. */
static void mark_behind(search *s, uint32_t task, uint32_t from, uint32_t level)
{
    const dag *d = &s->dag;
    size_t depth = 0;
    s->stack[depth++] = task;
    while (depth > 0) {
        uint32_t t = s->stack[--depth];
        s->steps += d->first[t + 1] - d->first[t] + 1;
        for (uint32_t e = d->first[t]; e < d->first[t + 1]; e++) {
            uint32_t next = d->to[e];
            if (s->level[next] > level || s->seen[next] == from + 1)
                continue;
            s->seen[next] = from + 1;
            s->stack[depth++] = next;
        }
    }
}

static uint32_t count_implied(search *s, uint32_t task)
{
    const dag *d = &s->dag;
    uint32_t furthest = 0, implied = 0;
    for (uint32_t e = d->first[task]; e < d->first[task + 1]; e++)
        if (furthest < s->level[d->to[e]])
            furthest = s->level[d->to[e]];
    if (furthest <= s->level[task] + 1)
        return 0;
    for (uint32_t e = d->first[task]; e < d->first[task + 1] && s->steps < steps_most; e++)
        if (s->seen[d->to[e]] != task + 1) /* else what is behind it is marked already */
            mark_behind(s, d->to[e], task, furthest);
    for (uint32_t e = d->first[task]; e < d->first[task + 1]; e++)
        implied += s->seen[d->to[e]] == task + 1;
    return implied;
}

static bool measure(search *s, const weir_drawing *drawing, measures *out)
{
    uint32_t path_tasks = 0;
    find_levels(s, out);
    for (uint32_t t = 0; t < s->dag.tasks && s->steps < steps_most; t++)
        out->redundant_edges += count_implied(s, t);
    if (s->steps >= steps_most)
        out->redundant_edges = -1;
    for (uint32_t t = 0; t < drawing->task_count; t++)
        out->work += drawing->task[t].cost_ns;
    out->critical_path = dag_longest_path(drawing, &s->dag, s->stack, &path_tasks);
    return out->critical_path >= 0;
}

bool measure_graph(const weir_drawing *drawing, measures *out)
{
    search s = {.steps = 0};
    measures made = {.tasks = drawing->task_count, .edges = drawing->edge_count};
    if (!dag_init(drawing, &s.dag))
        return false;
    s.level = room(drawing->task_count, sizeof *s.level);
    s.width = room(drawing->task_count, sizeof *s.width);
    s.seen = room(drawing->task_count, sizeof *s.seen);
    s.stack = room((size_t)drawing->task_count + 1, sizeof *s.stack);
    bool enough = s.level && s.width && s.seen && s.stack && measure(&s, drawing, &made);
    if (enough)
        *out = made;
    free(s.level);
    free(s.width);
    free(s.seen);
    free(s.stack);
    dag_finish(&s.dag);
    return enough;
}
