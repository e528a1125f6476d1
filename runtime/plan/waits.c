/* waits.c - who must wait for whom, by vector clocks.
 *
 * Walk the order; each lane carries a clock: for each lane, how many of its tasks are known to be done. A predecessor in another
 * lane needs a wait only if the clock does not cover it. Looking at the latest predecessors first and merging the clock that
 * each had when it ran, a wait is taken only if no other implies it: what is left are exactly the cross-lane edges of the
 * transitive reduction of (DAG and lane order), the unique minimal set.
 *
 * Carried edges: the frame is unrolled into a window of (largest distance + 1) frames. Every path to the last frame that a
 * carried edge could be implied by lies within that window, so the waits found in the last frame are those of the steady
 * state. A path between two tasks of one frame never leaves that frame: its own waits are the same in every frame, and the first
 * frames need no plan of their own.
 *
 * A clock is kept only for a task with successors in other lanes, and only until the last of those has looked at it: the
 * clocks alive at one time are few, and stay in the cache. */
#include "plan/waits.h"
#include "util/memory.h"
#include "util/status.h"
#include "util/vector.h"
#include <string.h>

#define NONE UINT32_MAX

/* The latest predecessor in one other lane; it covers all before it there. */
typedef struct {
    uint64_t when; /* position in the unrolled order + 1; 0: none */
    uint32_t task, distance;
} latest;

typedef struct {
    const weir_dag *dag;
    weir_plan *plan;
    uint32_t window;              /* frames that are unrolled */
    uint32_t *carried_first;      /* task -> its carried edges, as plan->carried has them sorted by `later`; NULL if there are none */
    uint32_t *carried_uses;       /* task -> carried edges to other lanes that end within the window; NULL if there are none */
    uint32_t *now;                /* lanes x lanes: each lane's clock */
    uint32_t *kept;               /* window x tasks: which kept clock, once the task ran and if a successor will look */
    WEIR_VECTOR(uint32_t) clocks; /* of stride words: how many successors have still to look (free: the next free one), then the clock */
    uint32_t stride, free;        /* free: the first free kept clock, or NONE */
    latest *lane_latest;          /* lane -> */
    uint32_t *touched;            /* lanes that have a latest predecessor, and how many those are */
    uint32_t touched_count;
    WEIR_VECTOR(weir_wait) found; /* in the plan's order */
} search;

static uint32_t furthest_distance(const weir_plan *plan)
{
    uint32_t furthest = 0;
    for (uint32_t i = 0; i < plan->carried.edges.count; i++)
        if (furthest < plan->carried.edges.at[i].distance)
            furthest = plan->carried.edges.at[i].distance;
    return furthest;
}

static bool prepare(search *s)
{
    weir_plan *plan = s->plan;
    uint32_t lanes = plan->lanes;
    s->stride = lanes + 1;
    s->free = NONE;
    plan->wait_first = weir_alloc((size_t)plan->tasks + 1, sizeof *plan->wait_first);
    plan->records = weir_alloc(plan->tasks, sizeof *plan->records);
    s->now = weir_alloc((size_t)lanes * lanes, sizeof *s->now);
    s->kept = weir_alloc((size_t)s->window * plan->tasks, sizeof *s->kept);
    s->lane_latest = weir_alloc(lanes, sizeof *s->lane_latest);
    s->touched = weir_alloc(lanes, sizeof *s->touched);
    bool enough = weir_vector_reserve(&s->clocks, s->stride) && weir_vector_reserve(&s->found, lanes);
    if (!enough || !plan->wait_first || !plan->records || !s->now || !s->kept || !s->lane_latest || !s->touched)
        return false;
    if (s->window == 1)
        return true;
    s->carried_first = weir_alloc((size_t)plan->tasks + 1, sizeof *s->carried_first);
    s->carried_uses = weir_alloc(plan->tasks, sizeof *s->carried_uses);
    if (!s->carried_first || !s->carried_uses)
        return false;
    for (uint32_t t = 0, i = 0; t < plan->tasks; s->carried_first[++t] = i)
        while (i < plan->carried.edges.count && plan->carried.edges.at[i].later == t)
            i++;
    return true;
}

static void count_carried_uses(search *s, uint32_t frame)
{
    const weir_plan *plan = s->plan;
    if (!s->carried_uses)
        return;
    memset(s->carried_uses, 0, plan->tasks * sizeof *s->carried_uses);
    for (uint32_t i = 0; i < plan->carried.edges.count; i++) {
        const weir_carried_edge *edge = &plan->carried.edges.at[i];
        if (frame + edge->distance < s->window && plan->lane[edge->later] != plan->lane[edge->earlier])
            s->carried_uses[edge->earlier]++;
    }
}

/* The clock's entry for a task's own lane once that task is done. */
static inline uint32_t mark_of(const weir_plan *plan, uint32_t frame, uint32_t task)
{
    uint32_t lane = plan->lane[task];
    return frame * (plan->lane_first[lane + 1] - plan->lane_first[lane]) + plan->lane_position[task] + 1;
}

static inline void offer(search *s, uint32_t frame, uint32_t task, uint32_t distance)
{
    const weir_plan *plan = s->plan;
    latest *seen = &s->lane_latest[plan->lane[task]];
    uint64_t when = (uint64_t)(frame - distance) * plan->tasks + plan->position[task] + 1;
    if (seen->when == 0)
        s->touched[s->touched_count++] = plan->lane[task];
    if (seen->when < when)
        *seen = (latest){when, task, distance};
}

static inline void let_go(search *s, uint32_t frame, uint32_t task)
{
    uint32_t clock = s->kept[(size_t)frame * s->plan->tasks + task];
    uint32_t *uses = &s->clocks.at[(size_t)clock * s->stride];
    if (--*uses == 0) {
        *uses = s->free;
        s->free = clock;
    }
}

/* Calls offer (looking) or let_go (leaving) for each predecessor in another lane. Returns how many there are. */
static inline uint32_t visit(search *s, uint32_t frame, uint32_t task, bool looking)
{
    const weir_plan *plan = s->plan;
    uint32_t count = 0, lane = plan->lane[task];
    for (uint32_t e = s->dag->pred_first[task]; e < s->dag->pred_first[task + 1]; e++) {
        uint32_t earlier = s->dag->pred[e];
        if (plan->lane[earlier] == lane)
            continue;
        count++;
        if (looking)
            offer(s, frame, earlier, 0);
        else
            let_go(s, frame, earlier);
    }
    if (!s->carried_first)
        return count;
    for (uint32_t e = s->carried_first[task]; e < s->carried_first[task + 1]; e++) {
        const weir_carried_edge *edge = &plan->carried.edges.at[e];
        if (edge->distance > frame || plan->lane[edge->earlier] == lane)
            continue;
        count++;
        if (looking)
            offer(s, frame, edge->earlier, edge->distance);
        else
            let_go(s, frame - edge->distance, edge->earlier);
    }
    return count;
}

static void sort_touched_latest_first(search *s)
{
    for (uint32_t i = 1; i < s->touched_count; i++) {
        uint32_t lane = s->touched[i], at = i;
        for (; at > 0 && s->lane_latest[s->touched[at - 1]].when < s->lane_latest[lane].when; at--)
            s->touched[at] = s->touched[at - 1];
        s->touched[at] = lane;
    }
}

/* Takes the waits that `clock`, the clock of the task's lane, does not imply, and merges what they bring. */
static bool take_waits(search *s, uint32_t frame, uint32_t task, uint32_t *clock)
{
    weir_plan *plan = s->plan;
    bool steady = frame + 1 == s->window;
    sort_touched_latest_first(s);
    if (steady && !weir_vector_reserve(&s->found, s->touched_count))
        return false;
    for (uint32_t i = 0; i < s->touched_count; i++) {
        latest *before = &s->lane_latest[s->touched[i]];
        uint32_t then = frame - before->distance;
        before->when = 0;
        if (clock[s->touched[i]] >= mark_of(plan, then, before->task))
            continue;
        const uint32_t *had = &s->clocks.at[(size_t)s->kept[(size_t)then * plan->tasks + before->task] * s->stride + 1];
        for (uint32_t l = 0; l < plan->lanes; l++)
            clock[l] = clock[l] < had[l] ? had[l] : clock[l];
        if (steady) {
            weir_vector_push(&s->found, ((weir_wait){before->task, before->distance}));
            plan->wait_first[task + 1]++;
            plan->records[before->task] = 1;
        }
    }
    s->touched_count = 0;
    return true;
}

static uint32_t uses_of(const search *s, uint32_t task)
{
    const weir_dag *dag = s->dag;
    const uint16_t *lane = s->plan->lane;
    uint32_t uses = s->carried_uses ? s->carried_uses[task] : 0;
    for (uint32_t e = dag->succ_first[task]; e < dag->succ_first[task + 1]; e++)
        uses += lane[dag->succ[e]] != lane[task];
    return uses;
}

static bool keep_clock(search *s, uint32_t frame, uint32_t task, uint32_t uses, const uint32_t *clock)
{
    uint32_t at = s->free;
    if (at == NONE) {
        if (!weir_vector_reserve(&s->clocks, s->stride))
            return false;
        at = s->clocks.count / s->stride;
        s->clocks.count += s->stride;
    } else {
        s->free = s->clocks.at[(size_t)at * s->stride];
    }
    uint32_t *kept = &s->clocks.at[(size_t)at * s->stride];
    kept[0] = uses;
    memcpy(kept + 1, clock, s->plan->lanes * sizeof *clock);
    s->kept[(size_t)frame * s->plan->tasks + task] = at;
    return true;
}

static bool walk_frame(search *s, uint32_t frame)
{
    weir_plan *plan = s->plan;
    count_carried_uses(s, frame);
    plan->naive_waits = 0;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i], *clock = s->now + (size_t)plan->lane[task] * plan->lanes;
        uint32_t crossing = visit(s, frame, task, true);
        if (crossing > 0) {
            if (!take_waits(s, frame, task, clock))
                return false;
            visit(s, frame, task, false);
        }
        plan->naive_waits += crossing;
        clock[plan->lane[task]] = mark_of(plan, frame, task);
        uint32_t uses = uses_of(s, task);
        if (uses > 0 && !keep_clock(s, frame, task, uses, clock))
            return false;
    }
    return true;
}

/* From the plan's order to the order of tasks. */
static bool sort_by_task(search *s)
{
    weir_plan *plan = s->plan;
    plan->wait = weir_alloc(s->found.count, sizeof *plan->wait);
    if (!plan->wait)
        return false;
    for (uint32_t t = 0; t < plan->tasks; t++)
        plan->wait_first[t + 1] += plan->wait_first[t];
    const weir_wait *next = s->found.at;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i];
        for (uint32_t w = plan->wait_first[task]; w < plan->wait_first[task + 1]; w++)
            plan->wait[w] = *next++;
    }
    return true;
}

static void finish(search *s)
{
    weir_free(s->carried_first);
    weir_free(s->carried_uses);
    weir_free(s->now);
    weir_free(s->kept);
    weir_vector_finish(&s->clocks);
    weir_free(s->lane_latest);
    weir_free(s->touched);
    weir_vector_finish(&s->found);
}

weir_status weir_waits_create(const weir_dag *dag, weir_plan *plan)
{
    search s = {.dag = dag, .plan = plan, .window = furthest_distance(plan) + 1};
    if ((uint64_t)s.window * plan->tasks >= UINT32_MAX)
        return weir_fail(WEIR_ERR_INVALID, "%u tasks are too many to plan over %u frames: have fewer in flight", plan->tasks, s.window);
    bool enough = prepare(&s);
    for (uint32_t frame = 0; enough && frame < s.window; frame++)
        enough = walk_frame(&s, frame);
    enough = enough && sort_by_task(&s);
    finish(&s);
    return enough ? WEIR_OK : weir_fail_no_memory();
}
