/* check_replay.c - proves the edges of a replay, sharing no code with replay.c, which makes them: no edge of the plan is lost (one is kept, or a
 * path of kept ones leads from its earlier to its later task), and of the kept ones none can be left out (no other such path leads there). check.c
 * proves before that the plan's edges are its graph's, and that its order respects them.
 *
 * replay.c asks of later tasks, backwards and by levels, what leads to them. Here 64 earlier tasks go forwards, one bit each, by the plan's order,
 * from frame to frame as far as a carried edge of theirs reaches: each place looks back along its kept edges at who gets there by one edge or more,
 * and by two or more. No path leads back in the order, so a walk ends with the last place that follows one of the 64. */
#include "plan/replay.h"
#include "util/memory.h"
#include "util/status.h"
#include <inttypes.h>

enum { BATCH = 64 };

/* Bits of the batch: which of its tasks lead to a place, and which by two or more edges. */
typedef struct {
    uint64_t near_or_far, far;
} arrivals;

typedef struct {
    const weir_plan *plan;
    const weir_replay_edges *kept;
    uint32_t *carried_first, *kept_carried_first; /* task -> its carried edges, as the later one: of the plan; kept */
    uint32_t *last;     /* task -> position of the last that follows it in its frame, or its own */
    uint32_t *frames;   /* task -> how many frames later the furthest follows it */
    arrivals *arrived;  /* (frames later) x position */
    uint64_t *self;     /* task -> its bit, while it is in the batch */
} proof;

static const char *name_of(const proof *p, uint32_t task)
{
    return p->plan->body->tasks.at[task].name;
}

/* ---- what is kept is the plan's ---- */

static weir_status check_frame_edges(const proof *p)
{
    const weir_plan *plan = p->plan;
    const uint32_t *first = p->kept->pred_first;
    if (first[0] != 0)
        return weir_fail(WEIR_ERR_HAZARD, "the replay's first edge belongs to no task");
    for (uint32_t task = 0; task < plan->tasks; task++) {
        uint32_t own = plan->pred_first[task];
        if (first[task] > first[task + 1])
            return weir_fail(WEIR_ERR_HAZARD, "the replay's list of edges of task '%s' is wrong", name_of(p, task));
        for (uint32_t e = first[task]; e < first[task + 1]; e++, own++) {
            while (own < plan->pred_first[task + 1] && plan->pred[own] != p->kept->pred[e])
                own++;
            if (own == plan->pred_first[task + 1])
                return weir_fail(WEIR_ERR_HAZARD, "the replay's list of edges of task '%s' is not of those that the plan has", name_of(p, task));
        }
    }
    return WEIR_OK;
}

static weir_status check_carried_edges(const proof *p)
{
    const weir_carried *all = &p->plan->carried, *kept = &p->kept->carried;
    uint32_t own = 0;
    for (uint32_t e = 0; e < kept->edges.count; e++, own++) {
        const weir_carried_edge *edge = &kept->edges.at[e];
        while (own < all->edges.count &&
               (all->edges.at[own].later != edge->later || all->edges.at[own].earlier != edge->earlier || all->edges.at[own].distance != edge->distance))
            own++;
        if (own == all->edges.count)
            return weir_fail(WEIR_ERR_HAZARD, "the replay's list of edges to later frames is not of those that the plan has");
    }
    return WEIR_OK;
}

/* ---- paths ---- */

/* task -> the first of its edges; they are sorted by the later task. */
static uint32_t *index_carried(const weir_carried *carried, uint32_t tasks)
{
    uint32_t *first = weir_alloc((size_t)tasks + 1, sizeof *first);
    for (uint32_t task = 0, e = 0; first && task < tasks; first[++task] = e)
        while (e < carried->edges.count && carried->edges.at[e].later == task)
            e++;
    return first;
}

static weir_status prepare(proof *p)
{
    const weir_plan *plan = p->plan;
    uint32_t furthest = 0;
    p->carried_first = index_carried(&plan->carried, plan->tasks);
    p->kept_carried_first = index_carried(&p->kept->carried, plan->tasks);
    p->last = weir_alloc(plan->tasks, sizeof *p->last);
    p->frames = weir_alloc(plan->tasks, sizeof *p->frames);
    p->self = weir_alloc(plan->tasks, sizeof *p->self);
    if (!p->carried_first || !p->kept_carried_first || !p->last || !p->frames || !p->self)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < plan->tasks; i++) { /* later ones overwrite */
        uint32_t task = plan->order[i];
        p->last[task] = i;
        for (uint32_t e = plan->pred_first[task]; e < plan->pred_first[task + 1]; e++)
            p->last[plan->pred[e]] = i;
    }
    for (uint32_t e = 0; e < plan->carried.edges.count; e++) {
        const weir_carried_edge *edge = &plan->carried.edges.at[e];
        if (p->frames[edge->earlier] < edge->distance)
            p->frames[edge->earlier] = edge->distance;
        if (furthest < edge->distance)
            furthest = edge->distance;
    }
    p->arrived = weir_alloc(((size_t)furthest + 1) * plan->tasks, sizeof *p->arrived);
    return p->arrived ? WEIR_OK : weir_fail_no_memory();
}

static inline void arrive(proof *p, arrivals *here, uint32_t frame, uint32_t from)
{
    uint64_t before = p->arrived[(size_t)frame * p->plan->tasks + p->plan->position[from]].near_or_far;
    here->near_or_far |= before | (frame == 0 ? p->self[from] : 0);
    here->far |= before;
}

/* Places of frame 0 before position `low` have no part in it. */
static arrivals look_back(proof *p, uint32_t task, uint32_t frame, uint32_t low)
{
    arrivals here = {0, 0};
    for (uint32_t e = p->kept->pred_first[task]; e < p->kept->pred_first[task + 1]; e++)
        if (frame > 0 || p->plan->position[p->kept->pred[e]] >= low)
            arrive(p, &here, frame, p->kept->pred[e]);
    for (uint32_t e = p->kept_carried_first[task]; e < p->kept_carried_first[task + 1]; e++) {
        const weir_carried_edge *edge = &p->kept->carried.edges.at[e];
        if (edge->distance < frame || (edge->distance == frame && p->plan->position[edge->earlier] >= low))
            arrive(p, &here, frame - edge->distance, edge->earlier);
    }
    return here;
}

static weir_status lost(const proof *p, uint32_t earlier, uint32_t later, uint32_t distance)
{
    if (distance == 0)
        return weir_fail(WEIR_ERR_HAZARD, "in a replay task '%s' may start before '%s' is done: nothing orders them", name_of(p, later), name_of(p, earlier));
    return weir_fail(WEIR_ERR_HAZARD, "in a replay task '%s' may start before '%s' of %" PRIu32 " frames before is done: nothing orders them",
                     name_of(p, later), name_of(p, earlier), distance);
}

static weir_status needless(const proof *p, uint32_t earlier, uint32_t later, uint32_t distance)
{
    if (distance == 0)
        return weir_fail(WEIR_ERR_HAZARD, "the replay's edge from '%s' to '%s' can be left out", name_of(p, earlier), name_of(p, later));
    return weir_fail(WEIR_ERR_HAZARD, "the replay's edge from '%s' to '%s' %" PRIu32 " frames later can be left out", name_of(p, earlier), name_of(p, later), distance);
}

/* The edges that lead from the batch straight to this place. */
static weir_status check_place(const proof *p, uint32_t task, uint32_t frame, arrivals here)
{
    const weir_plan *plan = p->plan;
    for (uint32_t e = plan->pred_first[task]; frame == 0 && e < plan->pred_first[task + 1]; e++)
        if (p->self[plan->pred[e]] & ~here.near_or_far)
            return lost(p, plan->pred[e], task, 0);
    for (uint32_t e = p->kept->pred_first[task]; frame == 0 && e < p->kept->pred_first[task + 1]; e++)
        if (p->self[p->kept->pred[e]] & here.far)
            return needless(p, p->kept->pred[e], task, 0);
    for (uint32_t e = p->carried_first[task]; e < p->carried_first[task + 1]; e++) {
        const weir_carried_edge *edge = &plan->carried.edges.at[e];
        if (edge->distance == frame && (p->self[edge->earlier] & ~here.near_or_far))
            return lost(p, edge->earlier, task, frame);
    }
    for (uint32_t e = p->kept_carried_first[task]; e < p->kept_carried_first[task + 1]; e++) {
        const weir_carried_edge *edge = &p->kept->carried.edges.at[e];
        if (edge->distance == frame && (p->self[edge->earlier] & here.far))
            return needless(p, edge->earlier, task, frame);
    }
    return WEIR_OK;
}

/* The tasks at positions `low` to `end` - 1. */
static weir_status check_batch(proof *p, uint32_t low, uint32_t end)
{
    const weir_plan *plan = p->plan;
    uint32_t last = low, frames = 0;
    weir_status status = WEIR_OK;
    for (uint32_t i = low; i < end; i++) {
        uint32_t task = plan->order[i];
        p->self[task] = (uint64_t)1 << (i - low);
        last = last > p->last[task] ? last : p->last[task];
        frames = frames > p->frames[task] ? frames : p->frames[task];
    }
    for (uint32_t f = 0; f <= frames; f++) {
        uint32_t from = f == 0 ? low : 0, to = frames == 0 ? last + 1 : plan->tasks;
        for (uint32_t i = from; i < to && status == WEIR_OK; i++) {
            arrivals here = look_back(p, plan->order[i], f, low);
            p->arrived[(size_t)f * plan->tasks + i] = here;
            status = check_place(p, plan->order[i], f, here);
        }
    }
    for (uint32_t i = low; i < end; i++)
        p->self[plan->order[i]] = 0;
    return status;
}

weir_status weir_replay_check(const weir_plan *plan, const weir_replay_edges *edges)
{
    proof p = {.plan = plan, .kept = edges};
    weir_status status = check_frame_edges(&p);
    if (status == WEIR_OK)
        status = check_carried_edges(&p);
    if (status == WEIR_OK)
        status = prepare(&p);
    for (uint32_t low = 0; low < plan->tasks && status == WEIR_OK; low += BATCH)
        status = check_batch(&p, low, plan->tasks - low < BATCH ? plan->tasks : low + BATCH);
    weir_free(p.carried_first);
    weir_free(p.kept_carried_first);
    weir_free(p.last);
    weir_free(p.frames);
    weir_free(p.self);
    weir_free(p.arrived);
    return status;
}
