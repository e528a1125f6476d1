/* shape_file.c - see shape_file.h. Tasks are numbered anew so that each comes after those it follows: predecessors first, depth first, in
 * the file's order. Where the file has such an order already, its numbers stay. */
#include "shape_file.h"
#include "read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool shape_is_file(const char *text)
{
    static const char *const suffixes[] = {".stg", ".dot", ".gv", ".json"};
    const char *dot = strrchr(text, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return strchr(text, '/') != NULL;
}

/* By the file's numbers; everything may be missing. */
typedef struct {
    uint32_t *first, *pred; /* as in a shape */
    uint32_t *next;         /* the next predecessor to look at */
    uint32_t *path;         /* of the search */
    uint32_t *number;       /* the new one + 1; 0: none yet */
    uint32_t *task;         /* new -> old */
    uint32_t *follower;     /* the last to list this one as a predecessor, new number + 1 */
} order;

static bool order_init(order *o, const weir_drawing *d)
{
    size_t tasks = (size_t)d->task_count + 1;
    *o = (order){
        .first = calloc(tasks + 1, sizeof *o->first),
        .pred = malloc(((size_t)d->edge_count + 1) * sizeof *o->pred),
        .next = malloc(tasks * sizeof *o->next),
        .path = malloc(tasks * sizeof *o->path),
        .number = calloc(tasks, sizeof *o->number),
        .task = calloc(tasks, sizeof *o->task),
        .follower = calloc(tasks, sizeof *o->follower),
    };
    return o->first && o->pred && o->next && o->path && o->number && o->task && o->follower;
}

static void order_finish(order *o)
{
    free(o->first);
    free(o->pred);
    free(o->next);
    free(o->path);
    free(o->number);
    free(o->task);
    free(o->follower);
}

static void gather_predecessors(order *o, const weir_drawing *d)
{
    for (uint32_t e = 0; e < d->edge_count; e++)
        o->first[d->edge[e].to + 1]++;
    for (uint32_t t = 0; t < d->task_count; t++) {
        o->first[t + 1] += o->first[t];
        o->next[t] = o->first[t];
    }
    for (uint32_t e = 0; e < d->edge_count; e++)
        o->pred[o->next[d->edge[e].to]++] = d->edge[e].from;
    memcpy(o->next, o->first, d->task_count * sizeof *o->next);
}

/* A task on the path has no number and comes up again only where edges form a cycle, which read.h rules out. */
static void number_tasks(order *o, uint32_t tasks)
{
    uint32_t numbered = 0;
    for (uint32_t root = 0; root < tasks; root++) {
        uint32_t depth = 0;
        if (!o->number[root])
            o->path[depth++] = root;
        while (depth > 0) {
            uint32_t t = o->path[depth - 1];
            if (o->next[t] < o->first[t + 1]) {
                uint32_t earlier = o->pred[o->next[t]++];
                if (!o->number[earlier])
                    o->path[depth++] = earlier;
                continue;
            }
            o->task[numbered++] = t;
            o->number[t] = numbered;
            depth--;
        }
    }
}

static bool fill(shape *s, order *o, const weir_drawing *d)
{
    *s = (shape){.tasks = d->task_count};
    s->first = malloc(((size_t)s->tasks + 1) * sizeof *s->first);
    s->pred = malloc(((size_t)d->edge_count + 1) * sizeof *s->pred);
    if (!s->first || !s->pred) {
        shape_finish(s);
        return false;
    }
    for (uint32_t t = 0; t < s->tasks; t++) {
        uint32_t old = o->task[t];
        s->first[t] = s->edges;
        for (uint32_t i = o->first[old]; i < o->first[old + 1]; i++) {
            uint32_t from = o->pred[i];
            if (o->follower[from] != t + 1)
                s->pred[s->edges++] = o->number[from] - 1;
            o->follower[from] = t + 1;
        }
    }
    s->first[s->tasks] = s->edges;
    return true;
}

bool shape_read(const char *path, shape *out, char *error, size_t error_bytes)
{
    read_drawing read;
    read_error said;
    order o;
    if (!read_file(path, &read, &said)) {
        snprintf(error, error_bytes, "%s", said.text);
        return false;
    }
    const weir_drawing *d = &read.drawing;
    bool done = false;
    if (d->task_count == 0 || d->task_count > SHAPE_TASKS_MOST)
        snprintf(error, error_bytes, "%s: has %u tasks; give one with 1 to %d", path, d->task_count, SHAPE_TASKS_MOST);
    else {
        done = order_init(&o, d);
        if (done) {
            gather_predecessors(&o, d);
            number_tasks(&o, d->task_count);
            done = fill(out, &o, d);
        }
        if (!done)
            snprintf(error, error_bytes, "%s: out of memory, give a smaller graph", path);
        order_finish(&o);
    }
    read_drawing_finish(&read);
    return done;
}
