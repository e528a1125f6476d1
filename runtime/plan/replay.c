/* replay.c - transitive reduction, 64 tasks at a time.
 *
 * An edge a -> t is implied by others if a path of two or more edges leads from a to t. So take 64 tasks t, one bit each, and
 * walk the levels downwards from them; each task hands its bits to its predecessors, which then know to which t they lead, and
 * to which in two steps or more. Most tasks never need this: where all predecessors are on one level, none can reach another.
 *
 * Carried edges join frames: a place is a task and how many frames it lies before the frame of t. The bits travel on from frame to
 * frame, no further than the edges in question reach. Paths within a frame never leave it, so the edges of a frame are reduced
 * without regard to the carried ones. */
#include "plan/replay.h"
#include "graph/dag.h"
#include "plan/paths.h"
#include "util/memory.h"
#include "util/status.h"

enum { BATCH = 64 };

/* Bits of the batch: to which of its tasks a place leads, and to which by two or more edges. */
typedef struct {
    uint64_t leads, leads_far;
} reach;

typedef struct {
    const weir_plan *plan;
    const weir_carried *carried;
    weir_levels levels;
    uint32_t *carried_first; /* task -> its carried edges */
    uint64_t *self;          /* task -> its bit, while it is in the batch */
    reach *place;            /* (frames before) x task */
    unsigned char *implied;  /* edge -> 1: other edges imply it */
    unsigned char *carried_implied;
    uint32_t batch[BATCH], count;
    uint32_t low, frames; /* lowest level and most frames before that the batch's edges come from */
} reduction;

static void clear(reduction *r, uint32_t frames_before, uint32_t high)
{
    reach *place = r->place + (size_t)frames_before * r->plan->tasks;
    for (uint32_t i = r->levels.first[r->low]; i < r->levels.first[high + 1]; i++)
        place[r->levels.by_level[i]] = (reach){0, 0};
}

static inline void hand_on(reach *to, const reach *from, uint64_t self)
{
    to->leads |= from->leads | self;
    to->leads_far |= from->leads;
}

static void walk_frame(reduction *r, uint32_t frames_before, uint32_t high)
{
    const weir_plan *plan = r->plan;
    reach *place = r->place + (size_t)frames_before * plan->tasks;
    for (uint32_t i = r->levels.first[high + 1]; i > r->levels.first[r->low]; i--) {
        uint32_t task = r->levels.by_level[i - 1];
        uint64_t self = frames_before == 0 ? r->self[task] : 0;
        if ((place[task].leads | self) == 0)
            continue;
        for (uint32_t e = plan->pred_first[task]; e < plan->pred_first[task + 1]; e++)
            hand_on(&place[plan->pred[e]], &place[task], self);
        for (uint32_t e = r->carried_first[task]; e < r->carried_first[task + 1]; e++) {
            const weir_carried_edge *edge = &r->carried->edges.at[e];
            if (frames_before + edge->distance <= r->frames)
                hand_on(&place[(size_t)edge->distance * plan->tasks + edge->earlier], &place[task], self);
        }
    }
}

static void mark_implied(reduction *r, uint32_t task, bool carried)
{
    const weir_plan *plan = r->plan;
    if (!carried)
        for (uint32_t e = plan->pred_first[task]; e < plan->pred_first[task + 1]; e++)
            r->implied[e] = (r->place[plan->pred[e]].leads_far & r->self[task]) != 0;
    else
        for (uint32_t e = r->carried_first[task]; e < r->carried_first[task + 1]; e++) {
            const weir_carried_edge *edge = &r->carried->edges.at[e];
            const reach *from = &r->place[(size_t)edge->distance * plan->tasks + edge->earlier];
            r->carried_implied[e] = (from->leads_far & r->self[task]) != 0;
        }
}

static void finish_batch(reduction *r, bool carried)
{
    if (r->count == 0)
        return;
    uint32_t high = r->levels.level[r->batch[r->count - 1]]; /* they were added in the order of levels */
    for (uint32_t i = 0; i < r->count; i++)
        r->self[r->batch[i]] = (uint64_t)1 << i;
    for (uint32_t f = 0; f <= r->frames; f++)
        clear(r, f, f == 0 ? high : r->levels.count - 1);
    for (uint32_t f = 0; f <= r->frames; f++)
        walk_frame(r, f, f == 0 ? high : r->levels.count - 1);
    for (uint32_t i = 0; i < r->count; i++)
        mark_implied(r, r->batch[i], carried);
    for (uint32_t i = 0; i < r->count; i++)
        r->self[r->batch[i]] = 0;
    r->count = 0;
}

static void add_to_batch(reduction *r, uint32_t task, uint32_t low, uint32_t frames, bool carried)
{
    if (r->count == 0) {
        r->low = low;
        r->frames = 0;
    }
    r->batch[r->count++] = task;
    r->low = r->low < low ? r->low : low;
    r->frames = r->frames > frames ? r->frames : frames;
    if (r->count == BATCH)
        finish_batch(r, carried);
}

static void reduce_frame(reduction *r)
{
    const weir_plan *plan = r->plan;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = r->levels.by_level[i], low = UINT32_MAX, high = 0;
        for (uint32_t e = plan->pred_first[task]; e < plan->pred_first[task + 1]; e++) {
            uint32_t level = r->levels.level[plan->pred[e]];
            low = low < level ? low : level;
            high = high > level ? high : level;
        }
        if (low < high)
            add_to_batch(r, task, low, 0, false);
    }
    finish_batch(r, false);
}

static void reduce_carried(reduction *r)
{
    const weir_plan *plan = r->plan;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = r->levels.by_level[i], frames = 0;
        for (uint32_t e = r->carried_first[task]; e < r->carried_first[task + 1]; e++)
            if (frames < r->carried->edges.at[e].distance)
                frames = r->carried->edges.at[e].distance;
        if (frames > 0)
            add_to_batch(r, task, 0, frames, true);
    }
    finish_batch(r, true);
}

static weir_status prepare(reduction *r)
{
    const weir_plan *plan = r->plan;
    const uint32_t carried = r->carried->edges.count;
    weir_dag dag = {.tasks = plan->tasks, .pred_first = plan->pred_first, .pred = plan->pred, .order = plan->order};
    weir_status status = weir_levels_create(&dag, &r->levels);
    if (status != WEIR_OK)
        return status;
    uint32_t furthest = 0;
    for (uint32_t i = 0; i < carried; i++)
        if (furthest < r->carried->edges.at[i].distance)
            furthest = r->carried->edges.at[i].distance;
    r->carried_first = weir_alloc((size_t)plan->tasks + 1, sizeof *r->carried_first);
    r->self = weir_alloc(plan->tasks, sizeof *r->self);
    r->place = weir_alloc(((size_t)furthest + 1) * plan->tasks, sizeof *r->place);
    r->implied = weir_alloc(plan->edges, 1);
    r->carried_implied = weir_alloc(carried, 1);
    if (!r->carried_first || !r->self || !r->place || !r->implied || !r->carried_implied)
        return weir_fail_no_memory();
    for (uint32_t t = 0, i = 0; t < plan->tasks; r->carried_first[++t] = i)
        while (i < carried && r->carried->edges.at[i].later == t)
            i++;
    return WEIR_OK;
}

static bool collect(const reduction *r, weir_replay_edges *edges)
{
    const weir_plan *plan = r->plan;
    uint32_t kept = 0, carried_kept = 0;
    for (uint64_t e = 0; e < plan->edges; e++)
        kept += !r->implied[e];
    for (uint32_t e = 0; e < r->carried->edges.count; e++)
        carried_kept += !r->carried_implied[e];
    edges->pred_first = weir_alloc((size_t)plan->tasks + 1, sizeof *edges->pred_first);
    edges->pred = weir_alloc(kept, sizeof *edges->pred);
    if (!edges->pred_first || !edges->pred || !weir_vector_reserve(&edges->carried.edges, carried_kept))
        return false;
    kept = 0;
    for (uint32_t t = 0; t < plan->tasks; edges->pred_first[++t] = kept)
        for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
            if (!r->implied[e])
                edges->pred[kept++] = plan->pred[e];
    for (uint32_t e = 0; e < r->carried->edges.count; e++)
        if (!r->carried_implied[e])
            weir_vector_push(&edges->carried.edges, r->carried->edges.at[e]);
    return true;
}

weir_status weir_replay_edges_with(const weir_plan *plan, const weir_carried *carried, weir_replay_edges *out)
{
    reduction r = {.plan = plan, .carried = carried};
    weir_replay_edges made = {0};
    weir_status status = prepare(&r);
    if (status == WEIR_OK) {
        reduce_frame(&r);
        reduce_carried(&r);
        if (!collect(&r, &made)) {
            weir_replay_edges_finish(&made);
            status = weir_fail_no_memory();
        }
    }
    weir_levels_finish(&r.levels);
    weir_free(r.carried_first);
    weir_free(r.self);
    weir_free(r.place);
    weir_free(r.implied);
    weir_free(r.carried_implied);
    if (status == WEIR_OK)
        *out = made;
    return status;
}

weir_status weir_replay_edges_create(const weir_plan *plan, weir_replay_edges *out)
{
    return weir_replay_edges_with(plan, &plan->carried, out);
}

void weir_replay_edges_finish(weir_replay_edges *edges)
{
    weir_free(edges->pred_first);
    weir_free(edges->pred);
    weir_carried_finish(&edges->carried);
    *edges = (weir_replay_edges){0};
}
