/* rival_schedule.c - see rival_schedule.h. What a stream has waited for is a vector clock: of each other stream, how many of its tasks are done
 * before the next one here can start. A task waits for the latest of its predecessors first, whose clock may cover the others; one that
 * was launched earlier cannot cover one launched later, so no wait is left over. */
#include "rival_schedule.h"
#include <stdlib.h>
#include <string.h>

/* What placing needs and the schedule does not keep. */
typedef struct {
    const shape *graph;
    rival_way way;
    uint32_t *level;    /* by task */
    uint32_t *position; /* by task */
    uint32_t *turn;     /* by task: how many tasks its stream has with it */
    uint32_t *clock;    /* by task, a number a stream: tasks done before it is, its own stream's with itself */
    uint32_t last[RIVAL_STREAMS_MOST];  /* position + 1 of a stream's last task */
    uint32_t count[RIVAL_STREAMS_MOST]; /* tasks of a stream */
    uint32_t known[RIVAL_STREAMS_MOST][RIVAL_STREAMS_MOST]; /* the clocks of the streams themselves */
    uint32_t next;      /* stream whose turn it is */
    uint32_t *memory;
} placing;

static bool placing_init(placing *p, const shape *graph, rival_way way)
{
    size_t tasks = graph->tasks;
    *p = (placing){.graph = graph, .way = way};
    p->memory = calloc(tasks, (3 + way.streams) * sizeof *p->memory);
    if (!p->memory)
        return false;
    p->level = p->memory;
    p->position = p->level + tasks;
    p->turn = p->position + tasks;
    p->clock = p->turn + tasks;
    return true;
}

static bool make_room(rival_schedule *s, const shape *graph)
{
    size_t tasks = graph->tasks, numbers = 4 * tasks + 1 + graph->edges;
    uint32_t *memory = calloc(numbers, sizeof *memory);
    *s = (rival_schedule){.tasks = graph->tasks, .memory = memory};
    if (!memory)
        return false;
    s->task = memory;
    s->stream = s->task + tasks;
    s->event = s->stream + tasks;
    s->first_wait = s->event + tasks;
    s->wait = s->first_wait + tasks + 1;
    return true;
}

static uint32_t find_levels(placing *p)
{
    const shape *graph = p->graph;
    uint32_t levels = 0;
    for (uint32_t t = 0; t < graph->tasks; t++) {
        p->level[t] = 0;
        for (uint32_t i = graph->first[t]; i < graph->first[t + 1]; i++)
            if (p->level[graph->pred[i]] >= p->level[t])
                p->level[t] = p->level[graph->pred[i]] + 1;
        if (p->level[t] >= levels)
            levels = p->level[t] + 1;
    }
    return levels;
}

/* Counting sort; the tasks of a level stay in the order of their numbers. */
static bool order_tasks(placing *p, rival_schedule *s)
{
    uint32_t levels = find_levels(p);
    uint32_t *first = calloc((size_t)levels + 1, sizeof *first);
    if (!first)
        return false;
    if (p->way.by_level)
        for (uint32_t t = 0; t < s->tasks; t++)
            first[p->level[t] + 1]++;
    for (uint32_t l = 0; l < levels; l++)
        first[l + 1] += first[l];
    for (uint32_t t = 0; t < s->tasks; t++) {
        uint32_t position = p->way.by_level ? first[p->level[t]]++ : t;
        s->task[position] = t;
        p->position[t] = position;
    }
    free(first);
    return true;
}

static uint32_t stream_in_turn(placing *p)
{
    uint32_t stream = p->next;
    p->next = (p->next + 1) % p->way.streams;
    return stream;
}

/* Of the predecessors that are the last of their streams, the one launched last. */
static uint32_t stream_to_follow(placing *p, const rival_schedule *s, uint32_t task)
{
    const shape *graph = p->graph;
    uint32_t best = 0; /* position + 1 */
    for (uint32_t i = graph->first[task]; i < graph->first[task + 1]; i++) {
        uint32_t before = p->position[graph->pred[i]] + 1;
        if (before > best && p->last[s->stream[before - 1]] == before)
            best = before;
    }
    return best ? s->stream[best - 1] : stream_in_turn(p);
}

static uint32_t choose_stream(placing *p, const rival_schedule *s, uint32_t position)
{
    uint32_t task = s->task[position];
    if (p->way.follow)
        return stream_to_follow(p, s, task);
    if (p->way.by_level && (position == 0 || p->level[s->task[position - 1]] != p->level[task]))
        p->next = 0;
    return stream_in_turn(p);
}

/* The predecessor launched last of those that the stream's clock does not cover; false if it covers all. */
static bool latest_uncovered(const placing *p, const rival_schedule *s, uint32_t task, uint32_t stream, uint32_t *out)
{
    const shape *graph = p->graph;
    bool found = false;
    for (uint32_t i = graph->first[task]; i < graph->first[task + 1]; i++) {
        uint32_t before = graph->pred[i], other = s->stream[p->position[before]];
        if (p->known[stream][other] >= p->turn[before] || (found && p->position[before] < p->position[*out]))
            continue;
        *out = before;
        found = true;
    }
    return found;
}

static void wait_for(placing *p, rival_schedule *s, uint32_t before, uint32_t stream)
{
    uint32_t position = p->position[before];
    if (s->event[position] == RIVAL_NO_EVENT)
        s->event[position] = s->events++;
    s->wait[s->waits++] = s->event[position];
    for (uint32_t q = 0; q < p->way.streams; q++) {
        uint32_t known = p->clock[(size_t)before * p->way.streams + q];
        if (known > p->known[stream][q])
            p->known[stream][q] = known;
    }
}

static void place(placing *p, rival_schedule *s, uint32_t position)
{
    uint32_t task = s->task[position], stream = choose_stream(p, s, position), before = 0;
    s->stream[position] = stream;
    s->event[position] = RIVAL_NO_EVENT;
    s->first_wait[position] = s->waits;
    while (latest_uncovered(p, s, task, stream, &before))
        wait_for(p, s, before, stream);
    p->turn[task] = ++p->count[stream];
    p->known[stream][stream] = p->turn[task];
    p->last[stream] = position + 1;
    memcpy(p->clock + (size_t)task * p->way.streams, p->known[stream], p->way.streams * sizeof *p->clock);
}

/* A stream's last task is part of the end unless another stream's waited for it. */
static void find_ends(const placing *p, rival_schedule *s)
{
    for (uint32_t stream = 0; stream < p->way.streams; stream++) {
        bool is_end = p->count[stream] > 0;
        for (uint32_t q = 0; q < p->way.streams; q++)
            if (q != stream && p->known[q][stream] == p->count[stream])
                is_end = false;
        if (is_end)
            s->end[s->ends++] = stream;
    }
}

bool rival_schedule_init(rival_schedule *s, const shape *graph, rival_way way)
{
    placing p;
    *s = (rival_schedule){.tasks = 0};
    if (!placing_init(&p, graph, way))
        return false;
    bool done = make_room(s, graph) && order_tasks(&p, s);
    if (done) {
        for (uint32_t position = 0; position < s->tasks; position++)
            place(&p, s, position);
        s->first_wait[s->tasks] = s->waits;
        find_ends(&p, s);
    } else {
        rival_schedule_finish(s);
    }
    free(p.memory);
    return done;
}

void rival_schedule_finish(rival_schedule *s)
{
    free(s->memory);
    *s = (rival_schedule){.tasks = 0};
}

/* ---- reduction ---- */

static bool has(const uint64_t *set, uint32_t member)
{
    return set[member / 64] >> member % 64 & 1;
}

/* Highest number first: a task never follows one of a higher number, so what is kept is never implied by what is kept later. A task's set holds
 * all that it follows, at once or through others. */
static void keep_needed(shape *out, const shape *graph, uint32_t task, uint64_t *sets, size_t words)
{
    uint64_t *set = sets + task * words;
    for (;;) {
        bool found = false;
        uint32_t latest = 0;
        for (uint32_t i = graph->first[task]; i < graph->first[task + 1]; i++) {
            uint32_t before = graph->pred[i];
            if (!has(set, before) && (!found || before > latest)) {
                latest = before;
                found = true;
            }
        }
        if (!found)
            return;
        out->pred[out->edges++] = latest;
        for (size_t w = 0; w < words; w++)
            set[w] |= sets[latest * words + w];
        set[latest / 64] |= (uint64_t)1 << latest % 64;
    }
}

bool rival_reduce(const shape *graph, shape *out)
{
    size_t words = (graph->tasks + 63) / 64;
    uint64_t *sets = calloc(graph->tasks, words * sizeof *sets);
    *out = (shape){.tasks = graph->tasks};
    out->first = malloc(((size_t)graph->tasks + 1) * sizeof *out->first);
    out->pred = malloc(((size_t)graph->edges + 1) * sizeof *out->pred);
    bool done = sets && out->first && out->pred;
    for (uint32_t t = 0; t < graph->tasks && done; t++) {
        out->first[t] = out->edges;
        keep_needed(out, graph, t, sets, words);
    }
    if (done)
        out->first[graph->tasks] = out->edges;
    else
        shape_finish(out);
    free(sets);
    return done;
}
