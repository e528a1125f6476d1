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

#define NONE UINT32_MAX

/* The latest predecessor in one other lane; it covers all before it there. */
typedef struct {
    uint32_t mark; /* what the lane's entry of a clock must be to cover it; 0: there is no predecessor in that lane */
    uint32_t task, distance;
} latest;

typedef struct {
    const weir_dag *dag;
    weir_plan *plan;
    uint32_t window;         /* frames that are unrolled */
    uint32_t *carried_first; /* task -> its carried edges, as plan->carried has them sorted by `later`; NULL if there are none */
    uint32_t *now;           /* lanes x lanes: each lane's clock */
    uint32_t *kept;          /* window x tasks: before it ran, how many successors will look; after that, which kept clock, if any will */
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
    if (!s->carried_first)
        return false;
    for (uint32_t t = 0, i = 0; t < plan->tasks; s->carried_first[++t] = i)
        while (i < plan->carried.edges.count && plan->carried.edges.at[i].later == t)
            i++;
    return true;
}

/* How many successors in other lanes, and within the window, each task of the frame has. Returns how many edges cross lanes. */
static uint64_t count_uses(search *s, uint32_t frame)
{
    const weir_plan *plan = s->plan;
    const uint16_t *lane = plan->lane;
    uint32_t *uses = s->kept + (size_t)frame * plan->tasks;
    uint64_t crossing = 0;
    for (uint32_t t = 0; t < plan->tasks; t++)
        for (uint32_t e = s->dag->pred_first[t]; e < s->dag->pred_first[t + 1]; e++) {
            uint32_t earlier = s->dag->pred[e], crosses = lane[earlier] != lane[t];
            uses[earlier] += crosses;
            crossing += crosses;
        }
    for (uint32_t i = 0; i < plan->carried.edges.count; i++) {
        const weir_carried_edge *edge = &plan->carried.edges.at[i];
        uint32_t crosses = lane[edge->earlier] != lane[edge->later];
        if (frame + edge->distance < s->window)
            uses[edge->earlier] += crosses;
        crossing += crosses;
    }
    return crossing;
}

/* The clock's entry for a task's own lane once that task is done. */
static inline uint32_t mark_of(const weir_plan *plan, uint32_t frame, uint32_t task)
{
    uint32_t before = 0, lane = plan->lane[task];
    if (frame > 0)
        before = frame * (plan->lane_first[lane + 1] - plan->lane_first[lane]);
    return before + plan->lane_position[task] + 1;
}

static inline void offer(search *s, uint32_t frame, uint32_t task, uint32_t distance)
{
    latest *seen = &s->lane_latest[s->plan->lane[task]];
    uint32_t mark = mark_of(s->plan, frame - distance, task);
    if (seen->mark == 0)
        s->touched[s->touched_count++] = s->plan->lane[task];
    if (seen->mark < mark)
        *seen = (latest){mark, task, distance};
}

/* Finds the latest predecessor in each other lane. */
static void look_back(search *s, uint32_t frame, uint32_t task)
{
    const weir_plan *plan = s->plan;
    const uint32_t lane = plan->lane[task];
    for (uint32_t e = s->dag->pred_first[task]; e < s->dag->pred_first[task + 1]; e++)
        if (plan->lane[s->dag->pred[e]] != lane)
            offer(s, frame, s->dag->pred[e], 0);
    if (!s->carried_first)
        return;
    for (uint32_t e = s->carried_first[task]; e < s->carried_first[task + 1]; e++) {
        const weir_carried_edge *edge = &plan->carried.edges.at[e];
        if (edge->distance <= frame && plan->lane[edge->earlier] != lane)
            offer(s, frame, edge->earlier, edge->distance);
    }
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

static void let_all_go(search *s, uint32_t frame, uint32_t task)
{
    const weir_plan *plan = s->plan;
    const uint32_t lane = plan->lane[task];
    for (uint32_t e = s->dag->pred_first[task]; e < s->dag->pred_first[task + 1]; e++)
        if (plan->lane[s->dag->pred[e]] != lane)
            let_go(s, frame, s->dag->pred[e]);
    if (!s->carried_first)
        return;
    for (uint32_t e = s->carried_first[task]; e < s->carried_first[task + 1]; e++) {
        const weir_carried_edge *edge = &plan->carried.edges.at[e];
        if (edge->distance <= frame && plan->lane[edge->earlier] != lane)
            let_go(s, frame - edge->distance, edge->earlier);
    }
}

static bool is_later(const weir_plan *plan, const latest *a, const latest *b)
{
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return plan->position[a->task] > plan->position[b->task];
}

static void sort_touched_latest_first(search *s)
{
    for (uint32_t i = 1; i < s->touched_count; i++) {
        uint32_t lane = s->touched[i], at = i;
        for (; at > 0 && is_later(s->plan, &s->lane_latest[lane], &s->lane_latest[s->touched[at - 1]]); at--)
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
        latest before = s->lane_latest[s->touched[i]];
        s->lane_latest[s->touched[i]].mark = 0;
        if (clock[s->touched[i]] >= before.mark)
            continue;
        uint32_t kept = s->kept[(size_t)(frame - before.distance) * plan->tasks + before.task];
        const uint32_t *had = &s->clocks.at[(size_t)kept * s->stride + 1];
        for (uint32_t l = 0; l < plan->lanes; l++)
            clock[l] = clock[l] < had[l] ? had[l] : clock[l];
        if (steady) {
            weir_vector_push(&s->found, ((weir_wait){before.task, before.distance}));
            plan->wait_first[task + 1]++;
            plan->records[before.task] = 1;
        }
    }
    s->touched_count = 0;
    return true;
}

static bool keep_clock(search *s, uint32_t *kept, const uint32_t *clock)
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
    uint32_t *copy = &s->clocks.at[(size_t)at * s->stride];
    *copy++ = *kept;
    for (uint32_t l = 0; l < s->plan->lanes; l++)
        copy[l] = clock[l];
    *kept = at;
    return true;
}

static bool walk_frame(search *s, uint32_t frame)
{
    weir_plan *plan = s->plan;
    uint32_t *kept = s->kept + (size_t)frame * plan->tasks;
    plan->naive_waits = count_uses(s, frame);
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i], lane = plan->lane[task], *clock = s->now + (size_t)lane * plan->lanes;
        look_back(s, frame, task);
        if (s->touched_count > 0) {
            if (!take_waits(s, frame, task, clock))
                return false;
            let_all_go(s, frame, task);
        }
        clock[lane] = mark_of(plan, frame, task);
        if (kept[task] > 0 && !keep_clock(s, &kept[task], clock))
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
