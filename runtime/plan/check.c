/* check.c - proves a plan, sharing no code with the rooms' files that made it. The edges come from the graph room again, not from
 * the plan, so that one dropped on the way is noticed.
 *
 * What runs after what is H: each lane in its order, frame after frame, and the waits. An edge is covered if H leads from its
 * earlier to its later task; a wait can be left out if H leads there by another first step. The planner looks back from each
 * task (what is done by now?). Here we look forward, one lane at a time: reach[t] is the first place in that lane which H leads
 * to from t. Places of a lane count on through the frames: place i of frame n is n * length + i, frame 0 being that of t. So one
 * array a lane is enough, and it is exact once the tasks have been swept as often as the furthest edge spans frames, plus once:
 * no path from frame 0 to frame d leaves those frames. Frame n also follows all of frame n - F, but no edge of the plan is that
 * long, so this neither covers an edge nor makes a wait needless. O((tasks + edges) * lanes) time, O(tasks + edges) memory.
 *
 * What a replay has in place of lanes and waits is made for this, and proved by check_replay.c.
 *
 * The plan of a loop's body is proved as one of its own. What it may rely on besides is that its task's accesses are those of the bodies; that
 * is the graph's to see to, and its tests'. */
#include "graph/dag.h"
#include "plan/plan.h"
#include "plan/replay.h"
#include "util/memory.h"
#include "util/status.h"
#include "util/table.h"
#include <inttypes.h>
#include <stdio.h>

#define NEVER UINT64_MAX

/* H's way on: task `to` of the frame `distance` frames later. */
typedef struct {
    uint32_t to, distance;
} step;

typedef struct {
    const weir_plan *plan;
    weir_dag dag;
    weir_carried carried;
    uint32_t *carried_first; /* task -> its carried edges, as the later one */
    uint32_t *step_first;    /* task -> who waits for it */
    step *step;
    uint64_t *reach;
    uint32_t furthest; /* distance of any edge */
} proof;

static const char *name_of(const proof *p, uint32_t task)
{
    return p->plan->body->tasks.at[task].name;
}

static weir_status wrong(const proof *p, uint32_t task, const char *what)
{
    return weir_fail(WEIR_ERR_HAZARD, "the plan's %s of task '%s' is wrong", what, name_of(p, task));
}

static weir_status check_order(const proof *p)
{
    const weir_plan *plan = p->plan;
    if (plan->tasks != plan->body->tasks.count)
        return weir_fail(WEIR_ERR_HAZARD, "the plan has %" PRIu32 " tasks, its graph %" PRIu32, plan->tasks, plan->body->tasks.count);
    for (uint32_t i = 0; i < plan->tasks; i++) /* one place for each task, so each task has one place */
        if (plan->order[i] >= plan->tasks || plan->position[plan->order[i]] != i)
            return weir_fail(WEIR_ERR_HAZARD, "the plan's order and positions disagree at position %" PRIu32, i);
    return WEIR_OK;
}

static weir_status check_lane(const proof *p, uint32_t lane)
{
    const weir_plan *plan = p->plan;
    uint64_t beyond = 0;
    for (uint32_t i = plan->lane_first[lane]; i < plan->lane_first[lane + 1]; i++) {
        uint32_t task = plan->lane_task[i];
        if (task >= plan->tasks)
            return weir_fail(WEIR_ERR_HAZARD, "lane %" PRIu32 " of the plan holds a task that is not of its graph", lane);
        if (plan->lane[task] != lane)
            return wrong(p, task, "lane");
        if (plan->lane_position[task] != i - plan->lane_first[lane] || plan->position[task] < beyond)
            return wrong(p, task, "place in its lane");
        beyond = (uint64_t)plan->position[task] + 1;
    }
    return WEIR_OK;
}

static weir_status check_lanes(const proof *p)
{
    const weir_plan *plan = p->plan;
    if (plan->lanes == 0 || plan->lanes > WEIR_LANES_MOST)
        return weir_fail(WEIR_ERR_HAZARD, "the plan has %" PRIu32 " lanes: must be 1 to %d", plan->lanes, WEIR_LANES_MOST);
    if (plan->lane_first[0] != 0 || plan->lane_first[plan->lanes] != plan->tasks)
        return weir_fail(WEIR_ERR_HAZARD, "the plan's lanes do not hold each task once");
    for (uint32_t lane = 0; lane < plan->lanes; lane++)
        if (plan->lane_first[lane] > plan->lane_first[lane + 1])
            return weir_fail(WEIR_ERR_HAZARD, "lane %" PRIu32 " of the plan ends before it begins", lane);
    for (uint32_t task = 0; task < plan->tasks; task++)
        if (plan->lane[task] >= plan->lanes)
            return wrong(p, task, "lane");
    weir_status status = WEIR_OK;
    for (uint32_t lane = 0; lane < plan->lanes && status == WEIR_OK; lane++)
        status = check_lane(p, lane);
    return status;
}

/* The band that holds a priority is the one that begins last at or before it. False: it is more urgent than all of them. */
static bool band_of(const weir_plan *plan, int32_t priority, int32_t *band)
{
    bool found = false;
    for (uint32_t lane = 0; lane < plan->lanes; lane++)
        if (plan->lane_priority[lane] <= priority && (!found || plan->lane_priority[lane] > *band)) {
            *band = plan->lane_priority[lane];
            found = true;
        }
    return found;
}

static weir_status check_priorities(const proof *p)
{
    const weir_plan *plan = p->plan;
    int32_t priority = 0, band = 0;
    bool known = false; /* most tasks have the priority of the one before */
    for (uint32_t task = 0; task < plan->tasks; task++) {
        int32_t own = plan->body->tasks.at[task].priority;
        if (!known || own != priority) {
            priority = own;
            known = band_of(plan, priority, &band);
        }
        int32_t lane = plan->lane_priority[plan->lane[task]];
        if (!known || lane != band)
            return weir_fail(WEIR_ERR_HAZARD, "task '%s' of priority %" PRId32 " is on lane %d, whose priority is %" PRId32,
                             name_of(p, task), own, plan->lane[task], lane);
    }
    return WEIR_OK;
}

static weir_status check_edges(const proof *p)
{
    const weir_plan *plan = p->plan;
    for (uint32_t task = 0; task < plan->tasks; task++) {
        uint32_t count = p->dag.pred_first[task + 1] - p->dag.pred_first[task];
        const uint32_t *own = p->dag.pred + p->dag.pred_first[task];
        if (plan->pred_first[task] != p->dag.pred_first[task] || plan->pred_first[task + 1] - plan->pred_first[task] != count)
            return wrong(p, task, "number of edges");
        for (uint32_t i = 0; i < count; i++) {
            if (plan->pred[plan->pred_first[task] + i] != own[i])
                return weir_fail(WEIR_ERR_HAZARD, "the plan lacks the edge from task '%s' to '%s'", name_of(p, own[i]), name_of(p, task));
            if (plan->position[own[i]] >= plan->position[task])
                return weir_fail(WEIR_ERR_HAZARD, "task '%s' comes before '%s', which it must follow", name_of(p, task),
                                 name_of(p, own[i]));
        }
    }
    if (plan->edges != p->dag.edges)
        return weir_fail(WEIR_ERR_HAZARD, "the plan counts %" PRIu64 " edges, its graph %" PRIu32, plan->edges, p->dag.edges);
    return WEIR_OK;
}

static bool same_edge(const weir_carried_edge *a, const weir_carried_edge *b)
{
    return a->later == b->later && a->earlier == b->earlier && a->distance == b->distance;
}

static weir_status check_carried(const proof *p)
{
    const weir_plan *plan = p->plan;
    if (plan->frames == 0 || plan->frames > WEIR_FRAMES_MOST || plan->ring_copies < weir_ring_copies(plan->body, plan->frames))
        return weir_fail(WEIR_ERR_HAZARD, "the plan's %" PRIu32 " frames and %" PRIu32 " copies of rings do not fit its graph",
                         plan->frames, plan->ring_copies);
    for (uint32_t i = 0; i < p->carried.edges.count; i++) {
        const weir_carried_edge *edge = &p->carried.edges.at[i];
        if (i >= plan->carried.edges.count || !same_edge(edge, &plan->carried.edges.at[i]))
            return weir_fail(WEIR_ERR_HAZARD, "the plan lacks the edge from task '%s' to '%s' %" PRIu32 " frames later",
                             name_of(p, edge->earlier), name_of(p, edge->later), edge->distance);
    }
    if (plan->carried.edges.count != p->carried.edges.count)
        return weir_fail(WEIR_ERR_HAZARD, "the plan has %" PRIu32 " edges to later frames, its graph %" PRIu32, plan->carried.edges.count,
                         p->carried.edges.count);
    return WEIR_OK;
}

/* True if `task` may wait for that: an edge says so. Both lists are sorted, but a task has few edges. */
static bool is_edge(const proof *p, uint32_t task, weir_wait wait)
{
    if (wait.distance == 0) {
        uint32_t low = p->dag.pred_first[task], high = p->dag.pred_first[task + 1];
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (p->dag.pred[middle] < wait.task)
                low = middle + 1;
            else
                high = middle;
        }
        return low < p->dag.pred_first[task + 1] && p->dag.pred[low] == wait.task;
    }
    for (uint32_t i = p->carried_first[task]; i < p->carried_first[task + 1]; i++)
        if (p->carried.edges.at[i].earlier == wait.task && p->carried.edges.at[i].distance == wait.distance)
            return true;
    return false;
}

static weir_status check_waits(const proof *p)
{
    const weir_plan *plan = p->plan;
    if (plan->wait_first[0] != 0)
        return weir_fail(WEIR_ERR_HAZARD, "the plan's first wait belongs to no task");
    for (uint32_t task = 0; task < plan->tasks; task++) {
        bool carried = false;
        if (plan->wait_first[task] > plan->wait_first[task + 1])
            return wrong(p, task, "list of waits");
        for (uint32_t i = plan->wait_first[task]; i < plan->wait_first[task + 1]; i++) {
            if (plan->wait[i].task >= plan->tasks || (carried && plan->wait[i].distance == 0))
                return wrong(p, task, "list of waits");
            if (!is_edge(p, task, plan->wait[i]))
                return weir_fail(WEIR_ERR_HAZARD, "task '%s' waits for '%s' of %" PRIu32 " frames before, which it need not follow",
                                 name_of(p, task), name_of(p, plan->wait[i].task), plan->wait[i].distance);
            carried = plan->wait[i].distance != 0;
        }
    }
    return WEIR_OK;
}

static weir_status gather(proof *p)
{
    const weir_plan *plan = p->plan;
    weir_status status = weir_dag_create(plan->body, &p->dag);
    if (status == WEIR_OK)
        status = weir_carried_create(plan->body, plan->ring_copies, plan->frames, &p->carried);
    if (status != WEIR_OK)
        return status;
    p->carried_first = weir_alloc((size_t)plan->tasks + 2, sizeof *p->carried_first);
    p->reach = weir_alloc(plan->tasks, sizeof *p->reach);
    if (!p->carried_first || !p->reach)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < p->carried.edges.count; i++) {
        p->carried_first[p->carried.edges.at[i].later + 1]++;
        if (p->furthest < p->carried.edges.at[i].distance)
            p->furthest = p->carried.edges.at[i].distance;
    }
    for (uint32_t task = 0; task < plan->tasks; task++)
        p->carried_first[task + 1] += p->carried_first[task];
    return WEIR_OK;
}

/* Turns the waits round, so that H can be followed forwards. */
static weir_status turn_waits(proof *p)
{
    const weir_plan *plan = p->plan;
    uint32_t count = plan->tasks ? plan->wait_first[plan->tasks] : 0;
    p->step_first = weir_alloc((size_t)plan->tasks + 2, sizeof *p->step_first);
    p->step = weir_alloc(count, sizeof *p->step);
    if (!p->step_first || !p->step)
        return weir_fail_no_memory();
    uint32_t *end = p->step_first + 1; /* one ahead, so that filling leaves the firsts where they belong */
    for (uint32_t i = 0; i < count; i++)
        end[plan->wait[i].task + 1]++;
    for (uint32_t task = 0; task < plan->tasks; task++)
        end[task + 1] += end[task];
    for (uint32_t task = 0; task < plan->tasks; task++)
        for (uint32_t i = plan->wait_first[task]; i < plan->wait_first[task + 1]; i++)
            p->step[end[plan->wait[i].task]++] = (step){task, plan->wait[i].distance};
    return WEIR_OK;
}

static weir_status check_records(const proof *p)
{
    const weir_plan *plan = p->plan;
    for (uint32_t task = 0; task < plan->tasks; task++) {
        bool waited_for = false;
        for (uint32_t i = p->step_first[task]; i < p->step_first[task + 1]; i++)
            waited_for |= plan->lane[p->step[i].to] != plan->lane[task];
        if (plan->records[task] != waited_for)
            return weir_fail(WEIR_ERR_HAZARD,
                             waited_for ? "task '%s' is waited for and leaves no event" : "task '%s' leaves an event that nobody waits for",
                             name_of(p, task));
    }
    return WEIR_OK;
}

static uint64_t lane_length(const weir_plan *plan, uint32_t lane)
{
    return plan->lane_first[lane + 1] - plan->lane_first[lane];
}

/* What follows `task` in its own lane: after the last comes the first of the next frame. */
static step next_in_lane(const weir_plan *plan, uint32_t task)
{
    uint32_t first = plan->lane_first[plan->lane[task]], next = first + plan->lane_position[task] + 1;
    if (next < plan->lane_first[plan->lane[task] + 1])
        return (step){plan->lane_task[next], 0};
    return (step){plan->lane_task[first], 1};
}

/* The first place in the lane that one gets to by `s`. */
static uint64_t place_by(const proof *p, uint32_t lane, step s)
{
    uint64_t there = p->plan->lane[s.to] == lane ? p->plan->lane_position[s.to] : p->reach[s.to];
    return there == NEVER ? NEVER : there + s.distance * lane_length(p->plan, lane);
}

static void follow(proof *p, uint32_t lane)
{
    const weir_plan *plan = p->plan;
    for (uint32_t task = 0; task < plan->tasks; task++)
        p->reach[task] = NEVER;
    bool changed = true;
    for (uint32_t sweep = 0; sweep <= p->furthest && changed; sweep++) {
        changed = false;
        for (uint32_t i = plan->tasks; i-- > 0;) {
            uint32_t task = plan->order[i];
            uint64_t first = place_by(p, lane, next_in_lane(plan, task));
            for (uint32_t k = p->step_first[task]; k < p->step_first[task + 1]; k++) {
                uint64_t place = place_by(p, lane, p->step[k]);
                if (place < first)
                    first = place;
            }
            changed |= first != p->reach[task];
            p->reach[task] = first;
        }
    }
}

static weir_status check_covered(const proof *p, uint32_t lane)
{
    const weir_plan *plan = p->plan;
    for (uint32_t k = plan->lane_first[lane]; k < plan->lane_first[lane + 1]; k++) {
        uint32_t later = plan->lane_task[k];
        uint64_t place = plan->lane_position[later];
        for (uint32_t i = p->dag.pred_first[later]; i < p->dag.pred_first[later + 1]; i++)
            if (p->reach[p->dag.pred[i]] > place)
                return weir_fail(WEIR_ERR_HAZARD, "task '%s' may start before '%s' is done: nothing orders them", name_of(p, later),
                                 name_of(p, p->dag.pred[i]));
        for (uint32_t i = p->carried_first[later]; i < p->carried_first[later + 1]; i++) {
            const weir_carried_edge *edge = &p->carried.edges.at[i];
            if (p->reach[edge->earlier] > place + edge->distance * lane_length(plan, lane))
                return weir_fail(WEIR_ERR_HAZARD,
                                 "task '%s' may start before '%s' of %" PRIu32 " frames before is done: nothing orders them",
                                 name_of(p, later), name_of(p, edge->earlier), edge->distance);
        }
    }
    return WEIR_OK;
}

/* Of all first steps from `task`, only the one that gets to the lane before every other can be a wait that is needed. */
static weir_status check_needed(const proof *p, uint32_t lane, uint32_t task)
{
    const weir_plan *plan = p->plan;
    uint64_t first = place_by(p, lane, next_in_lane(plan, task)), second = NEVER;
    for (uint32_t i = p->step_first[task]; i < p->step_first[task + 1]; i++) {
        uint64_t place = place_by(p, lane, p->step[i]);
        if (place < first) {
            second = first;
            first = place;
        } else if (place < second) {
            second = place;
        }
    }
    for (uint32_t i = p->step_first[task]; i < p->step_first[task + 1]; i++) {
        step s = p->step[i];
        if (plan->lane[s.to] != lane || (place_by(p, lane, s) == first && second > first))
            continue;
        if (s.distance == 0)
            return weir_fail(WEIR_ERR_HAZARD, "the wait of '%s' for '%s' can be left out", name_of(p, s.to), name_of(p, task));
        return weir_fail(WEIR_ERR_HAZARD, "the wait of '%s' for '%s' of %" PRIu32 " frames before can be left out", name_of(p, s.to),
                         name_of(p, task), s.distance);
    }
    return WEIR_OK;
}

static weir_status check_lane_waits(proof *p, uint32_t lane)
{
    follow(p, lane);
    weir_status status = check_covered(p, lane);
    for (uint32_t task = 0; task < p->plan->tasks && status == WEIR_OK; task++)
        if (p->step_first[task] < p->step_first[task + 1])
            status = check_needed(p, lane, task);
    return status;
}

/* Body i of the task's. */
static weir_status check_body(const weir_plan *plan, const weir_task_record *task, uint32_t i)
{
    const weir_plan *inner = plan->inner[i];
    if (!inner || inner->body != plan->body->inner.at[i])
        return weir_fail(WEIR_ERR_HAZARD, "the plan lacks one of body '%s' of task '%s'", plan->body->inner.at[i]->name, task->name);
    if (inner->lanes != 1 || inner->frames != 1 || inner->ring_copies != plan->ring_copies)
        return weir_fail(WEIR_ERR_HAZARD,
                         "body '%s' of task '%s' is planned for %" PRIu32 " lanes, %" PRIu32 " frames and %" PRIu32
                         " copies of rings: must be one, one, and the %" PRIu32 " of its graph",
                         inner->body->name, task->name, inner->lanes, inner->frames, inner->ring_copies, plan->ring_copies);
    weir_status status = weir_plan_check(inner);
    if (status != WEIR_ERR_HAZARD)
        return status;
    char why[512];
    snprintf(why, sizeof why, "%s", weir_last_error());
    return weir_fail(status, "body '%s' of task '%s': %s", inner->body->name, task->name, why);
}

/* A plan that several bodies share is proved once. */
static weir_status check_bodies(const weir_plan *plan)
{
    const weir_body *body = plan->body;
    weir_table *proved = body->inner.count > 0 ? weir_table_create() : NULL;
    weir_status status = WEIR_OK;
    if (body->inner.count > 0 && !plan->inner)
        status = weir_fail(WEIR_ERR_HAZARD, "the plan lacks those of its loops' bodies");
    else if (body->inner.count > 0 && !proved)
        status = weir_fail_no_memory();
    for (uint32_t t = 0; t < body->tasks.count && status == WEIR_OK; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        if (!weir_kind_is_control(task->kind))
            continue;
        const weir_control *control = &body->controls.at[task->with.control];
        for (uint32_t i = control->first; i < control->first + control->count && status == WEIR_OK; i++) {
            uint32_t same = weir_table_get_pointer(proved, plan->inner[i]);
            if (same != UINT32_MAX && body->inner.at[same] == body->inner.at[i])
                continue;
            status = check_body(plan, task, i);
            if (status == WEIR_OK && !weir_table_put_pointer(proved, plan->inner[i], i))
                status = weir_fail_no_memory();
        }
    }
    weir_table_destroy(proved);
    return status;
}

static weir_status check_replay(const weir_plan *plan)
{
    weir_replay_edges edges = {0};
    weir_status status = weir_replay_edges_create(plan, &edges);
    if (status == WEIR_OK)
        status = weir_replay_check(plan, &edges);
    weir_replay_edges_finish(&edges);
    return status;
}

weir_status weir_plan_check(const weir_plan *plan)
{
    if (!plan)
        return weir_fail(WEIR_ERR_INVALID, "weir_plan_check: the plan is NULL");
    proof p = {.plan = plan};
    weir_status status = check_order(&p);
    if (status == WEIR_OK)
        status = check_lanes(&p);
    if (status == WEIR_OK)
        status = check_priorities(&p);
    if (status == WEIR_OK)
        status = gather(&p);
    if (status == WEIR_OK)
        status = check_edges(&p);
    if (status == WEIR_OK)
        status = check_carried(&p);
    if (status == WEIR_OK)
        status = check_waits(&p);
    if (status == WEIR_OK)
        status = turn_waits(&p);
    if (status == WEIR_OK)
        status = check_records(&p);
    for (uint32_t lane = 0; lane < plan->lanes && status == WEIR_OK; lane++)
        status = check_lane_waits(&p, lane);
    if (status == WEIR_OK)
        status = check_replay(plan);
    if (status == WEIR_OK)
        status = check_bodies(plan);
    weir_free(p.reach);
    weir_free(p.step);
    weir_free(p.step_first);
    weir_free(p.carried_first);
    weir_carried_finish(&p.carried);
    weir_dag_finish(&p.dag);
    return status;
}
