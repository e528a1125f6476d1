/* touched.c - see touched.h. Who read what since its last update is kept in short lists: a buffer whose list is full is not read again
 * before it is updated, which also keeps a task's predecessors within SHAPE_PREDS_MOST. */
#include "touched.h"
#include <stdbool.h>
#include <stdlib.h>

enum { NOBODY = -1, READERS_MOST = SHAPE_PREDS_MOST - 3 };

/* One buffer or box, as far as tasks have come. */
typedef struct {
    int64_t writer; /* the task that updated it last, or NOBODY */
    uint32_t readers, reader[READERS_MOST];
} thing;

uint32_t touched_a_task(shape_kind kind)
{
    return kind == SHAPE_BUFFERS ? 3 : kind == SHAPE_BOXES ? 1 : 0;
}

/* The buffers are updated in turn, so all lists together hold the reads of one turn, two a task. Few of them are full at a time, and the
 * search ends. */
static void touch_buffers(uint32_t t, const thing *things, uint64_t *random, uint16_t touched[3])
{
    touched[2] = (uint16_t)(t % TOUCHED_BUFFERS);
    for (int i = 0; i < 2; i++) {
        uint32_t candidate = shape_random(random, TOUCHED_BUFFERS);
        while (candidate == touched[2] || (i == 1 && candidate == touched[0]) || things[candidate].readers == READERS_MOST)
            candidate = (candidate + 1) % TOUCHED_BUFFERS;
        touched[i] = (uint16_t)candidate;
    }
}

/* Adds to the shape's list, unless task `t` has it already. */
static void follow(shape *s, uint32_t t, int64_t earlier)
{
    if (earlier == NOBODY)
        return;
    for (uint32_t i = s->first[t]; i < s->edges; i++)
        if (s->pred[i] == (uint32_t)earlier)
            return;
    s->pred[s->edges++] = (uint32_t)earlier;
}

static void read_thing(shape *s, uint32_t t, thing *read)
{
    follow(s, t, read->writer);
    read->reader[read->readers++] = t;
}

static void update_thing(shape *s, uint32_t t, thing *updated)
{
    follow(s, t, updated->writer);
    for (uint32_t i = 0; i < updated->readers; i++)
        follow(s, t, updated->reader[i]);
    updated->writer = t;
    updated->readers = 0;
}

int touched_init(shape *s, uint64_t *random)
{
    uint32_t a_task = touched_a_task(s->kind), count = s->kind == SHAPE_BUFFERS ? TOUCHED_BUFFERS : TOUCHED_BOXES;
    thing *things = malloc(count * sizeof *things);
    /* Every access is followed once by the next update and follows one: at most two edges each. */
    s->pred = malloc(((size_t)s->tasks * a_task * 2 + 1) * sizeof *s->pred);
    s->first = malloc(((size_t)s->tasks + 1) * sizeof *s->first);
    s->touched = malloc(((size_t)s->tasks * a_task + 1) * sizeof *s->touched);
    bool room = things && s->pred && s->first && s->touched;
    for (uint32_t i = 0; room && i < count; i++)
        things[i] = (thing){.writer = NOBODY};
    for (uint32_t t = 0; room && t < s->tasks; t++) {
        uint16_t *touched = s->touched + (size_t)t * a_task;
        if (s->kind == SHAPE_BUFFERS)
            touch_buffers(t, things, random, touched);
        else
            touched[0] = (uint16_t)shape_random(random, TOUCHED_BOXES);
        s->first[t] = s->edges;
        for (uint32_t i = 0; i + 1 < a_task; i++)
            read_thing(s, t, &things[touched[i]]);
        update_thing(s, t, &things[touched[a_task - 1]]);
    }
    if (room)
        s->first[s->tasks] = s->edges;
    free(things);
    return room;
}
