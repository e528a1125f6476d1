/* reduce.c - the transitive reduction of a drawing's edges, so that a picture shows each order once. Frames follow each other, so
 * they are laid out side by side: node n * tasks + t is task t of frame n, and all edges from frame 0 are looked at in as many frames
 * as the furthest spans. For each task: take its edges by the order of where they lead; one that leads where an earlier one
 * already got to is implied. O(tasks * edges), thus the limit. */
#include "observe/draw.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 200 * 1000 * 1000 }; /* a second or so; a picture of that many tasks is not for looking at anyway */

typedef struct {
    uint32_t to, distance, index, rank; /* index: in keep; rank: of `to` in topological order */
} way;

typedef struct {
    uint32_t tasks, frames;
    uint32_t *first; /* task -> its ways on */
    way *ways;
    uint32_t *seen; /* node -> the last task whose search got there, + 1 */
    uint32_t *stack;
} search;

weir_status weir_drawing_order(const weir_drawing *drawing, uint32_t *order)
{
    uint32_t tasks = drawing->task_count, ready = 0;
    uint32_t *first = weir_alloc((size_t)tasks + 2, sizeof *first), *to = weir_alloc(drawing->edge_count, sizeof *to);
    uint32_t *missing = weir_alloc(tasks, sizeof *missing);
    weir_status status = first && to && missing ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t i = 0; i < drawing->edge_count && status == WEIR_OK; i++) {
        first[drawing->edge[i].from + 2]++;
        missing[drawing->edge[i].to]++;
    }
    if (status == WEIR_OK) {
        for (uint32_t t = 0; t < tasks; t++)
            first[t + 2] += first[t + 1];
        for (uint32_t i = 0; i < drawing->edge_count; i++)
            to[first[drawing->edge[i].from + 1]++] = drawing->edge[i].to;
        for (uint32_t t = 0; t < tasks; t++)
            if (missing[t] == 0)
                order[ready++] = t;
        for (uint32_t done = 0; done < ready; done++)
            for (uint32_t i = first[order[done]]; i < first[order[done] + 1]; i++)
                if (--missing[to[i]] == 0)
                    order[ready++] = to[i];
        for (uint32_t t = 0; t < tasks && status == WEIR_OK && ready < tasks; t++)
            if (missing[t] != 0)
                status = weir_fail(WEIR_ERR_CYCLE, "the drawing's edges form a cycle, from which task '%s' follows", drawing->task[t].name);
    }
    weir_free(missing);
    weir_free(to);
    weir_free(first);
    return status;
}

static int by_where_to(const void *a, const void *b)
{
    const way *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Marks all that can be reached from task `to`, `distance` frames on. */
static void mark(search *s, uint32_t from, uint32_t to, uint32_t distance)
{
    size_t depth = 0;
    uint32_t node = distance * s->tasks + to;
    s->seen[node] = from + 1;
    s->stack[depth++] = node;
    while (depth > 0) {
        node = s->stack[--depth];
        uint32_t task = node % s->tasks, frame = node / s->tasks;
        for (uint32_t i = s->first[task]; i < s->first[task + 1]; i++) {
            if (s->ways[i].distance >= s->frames - frame)
                continue;
            uint32_t next = (frame + s->ways[i].distance) * s->tasks + s->ways[i].to;
            if (s->seen[next] != from + 1) {
                s->seen[next] = from + 1;
                s->stack[depth++] = next;
            }
        }
    }
}

/* One table of all edges by where they start; carried ones are numbered on from the others. */
static void gather(search *s, const weir_drawing *drawing, const uint32_t *rank)
{
    const weir_drawn_edge *lists[] = {drawing->edge, drawing->carried};
    const uint32_t counts[] = {drawing->edge_count, drawing->carried_count};
    for (int list = 0; list < 2; list++)
        for (uint32_t i = 0; i < counts[list]; i++)
            s->first[lists[list][i].from + 2]++;
    for (uint32_t t = 0; t < s->tasks; t++)
        s->first[t + 2] += s->first[t + 1];
    for (uint32_t list = 0, index = 0; list < 2; list++)
        for (uint32_t i = 0; i < counts[list]; i++, index++) {
            const weir_drawn_edge *e = &lists[list][i];
            s->ways[s->first[e->from + 1]++] = (way){e->to, e->distance, index, rank[e->to]};
        }
    for (uint32_t t = 0; t < s->tasks; t++)
        qsort(s->ways + s->first[t], s->first[t + 1] - s->first[t], sizeof *s->ways, by_where_to);
}

static weir_status reduce(const weir_drawing *drawing, uint32_t frames, unsigned char *keep_edge, unsigned char *keep_carried)
{
    uint32_t tasks = drawing->task_count;
    size_t edges = (size_t)drawing->edge_count + drawing->carried_count, nodes = (size_t)tasks * frames;
    uint32_t *order = weir_alloc(tasks, sizeof *order), *rank = weir_alloc(tasks, sizeof *rank);
    search s = {.tasks = tasks, .frames = frames};
    s.first = weir_alloc((size_t)tasks + 2, sizeof *s.first);
    s.ways = weir_alloc(edges, sizeof *s.ways);
    s.seen = weir_alloc(nodes, sizeof *s.seen);
    s.stack = weir_alloc(nodes, sizeof *s.stack);
    weir_status status =
        order && rank && s.first && s.ways && s.seen && s.stack ? weir_drawing_order(drawing, order) : weir_fail_no_memory();
    if (status == WEIR_OK) {
        for (uint32_t i = 0; i < tasks; i++)
            rank[order[i]] = i;
        gather(&s, drawing, rank);
        for (uint32_t t = 0; t < tasks; t++)
            for (uint32_t i = s.first[t]; i < s.first[t + 1]; i++) {
                way w = s.ways[i];
                bool implied = s.seen[w.distance * tasks + w.to] == t + 1;
                if (w.index < drawing->edge_count)
                    keep_edge[w.index] = !implied;
                else
                    keep_carried[w.index - drawing->edge_count] = !implied;
                if (!implied)
                    mark(&s, t, w.to, w.distance);
            }
    }
    weir_free(s.stack);
    weir_free(s.seen);
    weir_free(s.ways);
    weir_free(s.first);
    weir_free(rank);
    weir_free(order);
    return status;
}

weir_status weir_drawing_reduce(const weir_drawing *drawing, unsigned char *keep_edge, unsigned char *keep_carried)
{
    uint64_t frames = 1, edges = (uint64_t)drawing->edge_count + drawing->carried_count;
    for (uint32_t i = 0; i < drawing->carried_count; i++)
        if (frames <= drawing->carried[i].distance)
            frames = (uint64_t)drawing->carried[i].distance + 1;
    if (drawing->edge_count)
        memset(keep_edge, 1, drawing->edge_count);
    if (drawing->carried_count)
        memset(keep_carried, 1, drawing->carried_count);
    if (drawing->task_count == 0 || frames > MOST_STEPS || frames * (drawing->task_count + edges) > MOST_STEPS / drawing->task_count)
        return WEIR_OK;
    return reduce(drawing, (uint32_t)frames, keep_edge, keep_carried);
}
