/* sketch.h - small graphs by chance, declared through the public header, that remember what they declared: tasks of several kinds and
 * priorities on plain buffers and rings, edges within a frame and between frames. What must follow what is told here from the accesses alone,
 * one pair of tasks at a time, without weir's help. */
#ifndef TESTS_BACKEND_RECORDING_SKETCH_H
#define TESTS_BACKEND_RECORDING_SKETCH_H

#include "run/fixture.h"
#include "util/random.h"

enum { SKETCH_TASKS = 28, SKETCH_BUFFERS = 5, SKETCH_ACCESSES = 4, SKETCH_EDGES = 64, SKETCH_BACK = 3 };

typedef struct {
    uint32_t buffer, back;
    unsigned mode;
} sketch_access;

typedef struct {
    uint32_t later, earlier, distance; /* 0: in one frame */
} sketch_edge;

typedef struct {
    uint32_t tasks, buffer_count, edge_count;
    uint32_t copies[SKETCH_BUFFERS]; /* as in weir_buffer_desc */
    bool written[SKETCH_BUFFERS];
    bool follows_itself[SKETCH_TASKS]; /* from frame to frame */
    uint32_t access_count[SKETCH_TASKS];
    sketch_access access[SKETCH_TASKS][SKETCH_ACCESSES];
    sketch_edge edge[SKETCH_EDGES];
    weir_graph *graph;
    weir_buffer *buffer[SKETCH_BUFFERS];
    weir_task task[SKETCH_TASKS];
} sketch;

static const weir_kernel sketch_kernel = {.name = "touch"};

/* One more access of the task, if it is one that a graph takes. */
static inline void sketch_touch(sketch *s, uint32_t task, uint64_t *random)
{
    static const unsigned unwritten[] = {WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE};
    sketch_access a = {.buffer = weir_random_below(random, s->buffer_count)};
    bool ring = s->copies[a.buffer] > 1;
    if (ring && weir_random_below(random, 3) == 0) {
        a.mode = WEIR_ARG_READ;
        a.back = 1 + weir_random_below(random, s->copies[a.buffer] == WEIR_RING_AUTO ? SKETCH_BACK : s->copies[a.buffer] - 1);
    } else if (s->written[a.buffer]) {
        a.mode = WEIR_ARG_READ + weir_random_below(random, 4);
    } else {
        a.mode = ring ? WEIR_ARG_WRITE : unwritten[weir_random_below(random, 3)];
    }
    for (uint32_t i = 0; i < s->access_count[task]; i++)
        if (s->access[task][i].buffer == a.buffer && s->access[task][i].back == a.back)
            return;
    s->access[task][s->access_count[task]++] = a;
}

static inline void sketch_add_task(sketch *s, uint32_t task, uint64_t *random)
{
    weir_arg args[SKETCH_ACCESSES];
    bool host = weir_random_below(random, 4) == 0, reentrant = weir_random_below(random, 2);
    for (uint32_t i = s->buffer_count > 0 ? weir_random_below(random, SKETCH_ACCESSES + 1) : 0; i > 0; i--)
        sketch_touch(s, task, random);
    for (uint32_t i = 0; i < s->access_count[task]; i++) {
        const sketch_access *a = &s->access[task][i];
        args[i] = a->back > 0 ? WEIR_PREVIOUS(s->buffer[a->buffer], a->back) : weir_arg_of(a->mode, s->buffer[a->buffer], NULL, NULL, 0);
        s->written[a->buffer] = s->written[a->buffer] || a->mode == WEIR_ARG_WRITE || a->mode == WEIR_ARG_READ_WRITE;
    }
    weir_args all = {args, s->access_count[task]};
    if (host)
        s->task[task] = weir_add_host(s->graph, "host", do_nothing, NULL, all);
    else if (all.count > 0 || weir_random_below(random, 2))
        s->task[task] = weir_add_kernel(s->graph, &sketch_kernel, (weir_shape){.grid = {1}}, all);
    else
        s->task[task] = weir_add_empty(s->graph, "empty");
    s->follows_itself[task] = host && !reentrant;
    weir_task_set(s->graph, s->task[task],
                  &(weir_task_options){.priority = (int32_t)weir_random_below(random, 4) - 2,
                                       .cost_ns = 100 + 100 * weir_random_below(random, 20),
                                       .flags = host && reentrant ? WEIR_TASK_REENTRANT : 0});
}

/* Explicit edges: `rank` is an order in which those within a frame all go forward. */
static inline void sketch_add_edges(sketch *s, const uint32_t *rank, uint32_t count, uint64_t *random)
{
    for (uint32_t i = 0; i < count && s->tasks > 1; i++) {
        uint32_t a = weir_random_below(random, s->tasks), b = weir_random_below(random, s->tasks), distance = weir_random_below(random, 5);
        if (a == b && distance == 0)
            continue;
        if (distance == 0 && rank[a] > rank[b]) {
            uint32_t kept = a;
            a = b;
            b = kept;
        }
        s->edge[s->edge_count++] = (sketch_edge){.later = b, .earlier = a, .distance = distance};
        if (distance == 0)
            weir_after(s->graph, s->task[b], s->task[a]);
        else
            weir_after_previous(s->graph, s->task[b], s->task[a], distance);
    }
}

static inline void sketch_shuffle(uint32_t *rank, uint32_t count, uint64_t *random)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = weir_random_below(random, i), kept = rank[i - 1];
        rank[i - 1] = rank[j];
        rank[j] = kept;
    }
}

/* A third have explicit edges alone, which may go from any number to any other. */
static inline void sketch_make(sketch *s, uint64_t *random)
{
    uint32_t rank[SKETCH_TASKS];
    bool explicit_only = weir_random_below(random, 3) == 0;
    *s = (sketch){.tasks = 1 + weir_random_below(random, SKETCH_TASKS)};
    OK(weir_graph_create("sketch", explicit_only ? WEIR_GRAPH_EXPLICIT : 0, &s->graph));
    s->buffer_count = explicit_only ? 0 : weir_random_below(random, SKETCH_BUFFERS + 1);
    for (uint32_t b = 0; b < s->buffer_count; b++) {
        uint32_t kind = weir_random_below(random, 4);
        s->copies[b] = kind == 0 ? 0 : kind == 1 ? WEIR_RING_AUTO : 2 + weir_random_below(random, SKETCH_BACK);
        s->buffer[b] = numbers("b", 4, s->copies[b], WEIR_HOST_OUT);
    }
    for (uint32_t t = 0; t < s->tasks; t++) {
        rank[t] = t;
        sketch_add_task(s, t, random);
    }
    if (explicit_only)
        sketch_shuffle(rank, s->tasks, random);
    sketch_add_edges(s, rank, weir_random_below(random, explicit_only ? SKETCH_EDGES : SKETCH_EDGES / 8), random);
    OK(weir_graph_status(s->graph));
}

static inline void sketch_finish(sketch *s)
{
    weir_graph_destroy(s->graph);
    for (uint32_t b = 0; b < s->buffer_count; b++)
        weir_buffer_destroy(s->buffer[b]);
}

/* ---- what must follow what ---- */

/* All AUTO rings of a graph have one number of copies: enough for the frames in flight, and for who looks back furthest. */
static inline uint32_t sketch_automatic(const sketch *s, uint32_t frames)
{
    uint32_t copies = frames;
    for (uint32_t t = 0; t < s->tasks; t++)
        for (uint32_t i = 0; i < s->access_count[t]; i++)
            if (s->copies[s->access[t][i].buffer] == WEIR_RING_AUTO && s->access[t][i].back + 1 > copies)
                copies = s->access[t][i].back + 1;
    return copies;
}

/* The copy of its ring that an access of frame n means: the ring moves on by one each frame. */
static inline uint32_t sketch_copy(const sketch *s, uint32_t automatic, const sketch_access *a, uint32_t frame)
{
    uint32_t copies = s->copies[a->buffer] == WEIR_RING_AUTO ? automatic : s->copies[a->buffer];
    return copies <= 1 ? 0 : (frame + copies - a->back) % copies;
}

static inline bool sketch_modes_clash(unsigned a, unsigned b)
{
    return a != b || (a != WEIR_ARG_READ && a != WEIR_ARG_REDUCE);
}

/* `later` of frame j comes after `earlier` of frame i, i <= j, since both touch something or somebody said so. */
static inline bool sketch_must_follow(const sketch *s, uint32_t automatic, uint32_t earlier, uint32_t i, uint32_t later, uint32_t j)
{
    for (uint32_t e = 0; e < s->edge_count; e++)
        if (s->edge[e].later == later && s->edge[e].earlier == earlier && s->edge[e].distance == j - i)
            return true;
    if (i == j && earlier >= later)
        return false;
    if (earlier == later && j - i == 1 && s->follows_itself[later])
        return true;
    for (uint32_t a = 0; a < s->access_count[earlier]; a++)
        for (uint32_t b = 0; b < s->access_count[later]; b++) {
            const sketch_access *x = &s->access[earlier][a], *y = &s->access[later][b];
            if (x->buffer == y->buffer && sketch_modes_clash(x->mode, y->mode) && sketch_copy(s, automatic, x, i) == sketch_copy(s, automatic, y, j))
                return true;
        }
    return false;
}

#endif
