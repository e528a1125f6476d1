/* shapes.c - one function a workload, one line each in the table at the foot. */
#include "shapes.h"
#include "touched.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORK_CHAINS = 32, LAYER_WIDTH = 20, FLUID_TASKS = 32 };

uint32_t shape_random(uint64_t *state, uint32_t bound)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((*state >> 33) * bound) >> 31);
}

static uint32_t chain(uint32_t t, uint32_t tasks, uint64_t *random, uint32_t pred[SHAPE_PREDS_MOST])
{
    (void)tasks, (void)random;
    if (t == 0)
        return 0;
    pred[0] = t - 1;
    return 1;
}

/* Task 0 forks, the last one joins, and between them stand chains, numbered level by level. */
static uint32_t forks(uint32_t t, uint32_t tasks, uint64_t *random, uint32_t pred[SHAPE_PREDS_MOST])
{
    (void)random;
    if (t == 0)
        return 0;
    if (t == tasks - 1 && t > 1) {
        uint32_t ends = t - 1 < FORK_CHAINS ? t - 1 : FORK_CHAINS;
        for (uint32_t i = 0; i < ends; i++)
            pred[i] = t - ends + i;
        return ends;
    }
    pred[0] = t <= FORK_CHAINS ? 0 : t - FORK_CHAINS;
    return 1;
}

/* A square grid, numbered row by row: (row, column) follows its neighbours to the left and above. */
static uint32_t wavefront(uint32_t t, uint32_t tasks, uint64_t *random, uint32_t pred[SHAPE_PREDS_MOST])
{
    (void)random;
    uint32_t width = (uint32_t)sqrt((double)tasks), count = 0;
    if (t >= width)
        pred[count++] = t - width;
    if (t % width != 0)
        pred[count++] = t - 1;
    return count;
}

/* Each follows one to three of the layer before, two on average. */
static uint32_t layers(uint32_t t, uint32_t tasks, uint64_t *random, uint32_t pred[SHAPE_PREDS_MOST])
{
    (void)tasks;
    if (t < LAYER_WIDTH)
        return 0;
    uint32_t before = t - t % LAYER_WIDTH - LAYER_WIDTH, wanted = 1 + shape_random(random, 3), count = 0;
    while (count < wanted) {
        uint32_t candidate = before + shape_random(random, LAYER_WIDTH), i = 0;
        while (i < count && pred[i] != candidate)
            i++;
        if (i == count)
            pred[count++] = candidate;
    }
    return count;
}

/* A frame of a fluid solver: 0 upload, 1-4 advections, 5 forces, 6 divergence, 7-26 pressure sweeps, 27-28 projections, 29 vorticity,
 * 30 render, 31 download. Whom each follows, counted from the frame's first task; who is not named follows the one before. A frame's
 * upload follows the last frame's upload (-32), its advections what that frame projected (-5, -4). */
static const struct {
    int task, count, pred[4];
} fluid_frame[] = {
    {0, 1, {-32}},         {1, 3, {-5, -4, 0}}, {2, 3, {-5, -4, 0}}, {3, 3, {-5, -4, 0}}, {4, 3, {-5, -4, 0}},  {5, 4, {1, 2, 3, 4}},
    {6, 2, {1, 5}},        {27, 2, {1, 26}},    {28, 2, {5, 26}},    {29, 2, {27, 28}},   {30, 3, {3, 4, 29}},
};

static uint32_t fluid(uint32_t t, uint32_t tasks, uint64_t *random, uint32_t pred[SHAPE_PREDS_MOST])
{
    (void)tasks, (void)random;
    uint32_t frame = t - t % FLUID_TASKS, count = 0;
    for (size_t i = 0; i < sizeof fluid_frame / sizeof *fluid_frame; i++) {
        if (fluid_frame[i].task != (int)(t - frame))
            continue;
        for (int j = 0; j < fluid_frame[i].count; j++)
            if (frame != 0 || fluid_frame[i].pred[j] >= 0)
                pred[count++] = (uint32_t)((int64_t)frame + fluid_frame[i].pred[j]);
        return count;
    }
    pred[0] = t - 1;
    return 1;
}

int shape_init(shape *s, const workload *w, uint32_t tasks, uint64_t seed)
{
    uint64_t random = seed;
    uint32_t pred[SHAPE_PREDS_MOST];
    size_t capacity = (size_t)tasks * 2 + SHAPE_PREDS_MOST;
    *s = (shape){.tasks = tasks, .kind = w->kind};
    if (w->kind != SHAPE_EDGES) {
        int room = touched_init(s, &random);
        if (!room)
            shape_finish(s);
        return room;
    }
    s->first = malloc(((size_t)tasks + 1) * sizeof *s->first);
    s->pred = malloc(capacity * sizeof *s->pred);
    for (uint32_t t = 0; t < tasks && s->first && s->pred; t++) {
        uint32_t count = w->preds(t, tasks, &random, pred);
        if (s->edges + count > capacity) {
            uint32_t *larger = realloc(s->pred, (capacity += capacity / 2) * sizeof *s->pred);
            if (!larger) {
                shape_finish(s);
                return 0;
            }
            s->pred = larger;
        }
        s->first[t] = s->edges;
        memcpy(s->pred + s->edges, pred, count * sizeof *pred);
        s->edges += count;
    }
    if (!s->first || !s->pred) {
        shape_finish(s);
        return 0;
    }
    s->first[tasks] = s->edges;
    return 1;
}

void shape_finish(shape *s)
{
    free(s->first);
    free(s->pred);
    free(s->touched);
    *s = (shape){0};
}

const workload workloads[] = {
    {"chain", "one task after another", SHAPE_EDGES, chain},
    {"forks", "a fork, 32 chains, a join", SHAPE_EDGES, forks},
    {"wavefront", "a square grid, each after its neighbours to the left and above", SHAPE_EDGES, wavefront},
    {"layers", "layers of 20, each task after one to three of the layer before", SHAPE_EDGES, layers},
    {"fluid", "frames of a fluid solver, 32 tasks each", SHAPE_EDGES, fluid},
    {"accesses", "tasks that read two and update one of 64 buffers, edges derived", SHAPE_BUFFERS, NULL},
    {"boxes", "tasks that update one of 4096 boxes of a buffer, edges derived", SHAPE_BOXES, NULL},
};
const uint32_t workload_count = sizeof workloads / sizeof *workloads;

const workload *workload_find(const char *name)
{
    for (uint32_t i = 0; i < workload_count; i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    return NULL;
}
