/* create.c - makes a plan, one pass after the other, each from what those before it found:
 * options, edges, work -> lanes and order (policy) -> waits -> timeline, bounds. With several frames in flight the lanes are tried another way
 * too (stages.c), and what comes faster from frame to frame is kept. Then bodies of loops and branches, each a plan of its own for
 * one lane: a body runs within the task that decides about it, in the frame's copies of rings. */
#include "graph/dag.h"
#include "plan/bands.h"
#include "plan/behind.h"
#include "plan/bounds.h"
#include "plan/layout.h"
#include "plan/paths.h"
#include "plan/plan.h"
#include "plan/policy.h"
#include "plan/stages.h"
#include "plan/timeline.h"
#include "plan/waits.h"
#include "plan/work.h"
#include "util/memory.h"
#include "util/settings.h"
#include "util/status.h"
#include "util/table.h"
#include <assert.h>
#include <stdio.h>

/* What passes hand to each other and the plan does not keep. Zeroed is empty. */
typedef struct {
    const weir_policy *policy;
    uint32_t lanes; /* 0: ours to choose */
    uint32_t ring_copies; /* of the plan that this one is inside; 0: inside none */
    bool behind;          /* lanes are for a replay to keep, not for streams */
    weir_dag dag;
    weir_work work;
    double *tail_ns;
    weir_bands bands;
} making;

static weir_status resolve_options(const weir_plan_options *options, making *m, weir_plan *plan)
{
    uint64_t lanes = options->lanes;
    weir_status status = weir_policy_find(options->policy, &m->policy);
    if (status == WEIR_OK)
        status = weir_settings_number("WEIR_LANES", 1, WEIR_LANES_MOST, &lanes);
    if (status != WEIR_OK)
        return status;
    if (lanes > WEIR_LANES_MOST)
        return weir_fail(WEIR_ERR_INVALID, "%u lanes are too many: plan with at most %u", options->lanes, WEIR_LANES_MOST);
    if (options->frames > WEIR_FRAMES_MOST)
        return weir_fail(WEIR_ERR_INVALID, "%u frames in flight are too many: plan with at most %u", options->frames, WEIR_FRAMES_MOST);
    m->lanes = (uint32_t)lanes;
    plan->policy = m->policy->name;
    plan->frames = options->frames != 0 ? options->frames : 1;
    return WEIR_OK;
}

/* An AUTO ring that an exec has fixed already cannot grow with this graph. */
static weir_status check_rings(const weir_plan *plan)
{
    for (uint32_t b = 0; b < plan->body->buffers.count; b++) {
        weir_buffer *buffer = plan->body->buffers.at[b].buffer;
        uint32_t fixed = atomic_load(&buffer->fixed_copies);
        if (fixed != 0 && fixed < plan->ring_copies)
            return weir_fail(WEIR_ERR_INVALID,
                             "ring '%s' has %u copies since the first exec that used it, and this graph needs %u: make the exec that needs "
                             "most first, or give the ring a number of copies",
                             buffer->name, fixed, plan->ring_copies);
    }
    return WEIR_OK;
}

/* Every slot then meets each ring at the same copy each time. */
static uint32_t count_slots(const weir_plan *plan)
{
    uint32_t slots = 1;
    for (uint32_t b = 0; b < plan->body->buffers.count; b++) {
        uint32_t copies = weir_buffer_copies(plan->body->buffers.at[b].buffer, plan->ring_copies), larger = slots;
        if (copies > WEIR_SLOTS_MOST)
            return 0;
        while (larger % copies != 0)
            larger += slots;
        slots = larger;
        if (slots > WEIR_SLOTS_MOST)
            return 0;
    }
    uint32_t period = slots;
    while (slots < plan->frames)
        slots += period;
    return slots <= WEIR_SLOTS_MOST ? slots : 0;
}

static weir_status find_edges(making *m, weir_plan *plan)
{
    weir_status status = weir_dag_create(plan->body, &m->dag);
    if (status != WEIR_OK)
        return status;
    plan->tasks = m->dag.tasks;
    plan->edges = m->dag.edges;
    plan->ring_copies = m->ring_copies ? m->ring_copies : weir_ring_copies(plan->body, plan->frames);
    status = check_rings(plan);
    if (status != WEIR_OK)
        return status;
    plan->slots = count_slots(plan);
    if (plan->frames > 1) /* a shorter distance than 1 there is not */
        status = weir_carried_create(plan->body, plan->ring_copies, plan->frames, &plan->carried);
    return status;
}

/* How many tasks can run at once, going by levels, of as many frames as are in flight; looked for only where it decides something. */
static weir_status find_width(const making *m, uint32_t frames, uint32_t *width)
{
    weir_levels levels = {0};
    weir_status status = m->lanes == 0 ? weir_levels_create(&m->dag, &levels) : WEIR_OK;
    uint64_t all = (uint64_t)levels.width * frames;
    *width = all == 0 ? 1 : all < WEIR_LANES_MOST ? (uint32_t)all : WEIR_LANES_MOST;
    weir_levels_finish(&levels);
    return status;
}

static weir_status weigh(making *m, weir_plan *plan)
{
    uint32_t width = 0;
    weir_status status = weir_work_create(plan->body, &m->work);
    if (status == WEIR_OK)
        status = find_width(m, plan->frames, &width);
    if (status == WEIR_OK)
        status = weir_bands_create(&m->work, m->lanes, width, &m->bands);
    if (status != WEIR_OK)
        return status;
    plan->lanes = m->bands.lanes;
    m->tail_ns = weir_tails_create(&m->dag, m->work.cost_ns);
    plan->lane_priority = weir_alloc(plan->lanes, sizeof *plan->lane_priority);
    if (!m->tail_ns || !plan->lane_priority)
        return weir_fail_no_memory();
    for (uint32_t b = 0; b < m->bands.count; b++)
        for (uint32_t l = m->bands.lane_first[b]; l < m->bands.lane_first[b + 1]; l++)
            plan->lane_priority[l] = m->bands.priority[b];
    return WEIR_OK;
}

static weir_status place(making *m, weir_plan *plan)
{
    plan->order = weir_alloc(plan->tasks, sizeof *plan->order);
    plan->lane = weir_alloc(plan->tasks, sizeof *plan->lane);
    if (!plan->order || !plan->lane)
        return weir_fail_no_memory();
    weir_policy_input in = {&m->dag, &m->work, &m->bands, m->tail_ns};
    weir_status status = m->policy->place(&in, plan->order, plan->lane);
    return status == WEIR_OK && m->behind ? weir_behind_place(&m->dag, &m->work, &m->bands, plan->order, plan->lane) : status;
}

/* What only lanes and bounds come from; the clocks of waits may take its room. */
static void drop_paths(making *m)
{
    weir_free(m->tail_ns);
    weir_free(m->dag.succ_first);
    weir_free(m->dag.succ);
    m->tail_ns = NULL;
    m->dag.succ_first = m->dag.succ = NULL;
}

static void keep_edges(making *m, weir_plan *plan)
{
    plan->pred_first = m->dag.pred_first;
    plan->pred = m->dag.pred;
    m->dag.pred_first = m->dag.pred = NULL;
}

static void finish_making(making *m)
{
    weir_dag_finish(&m->dag);
    weir_work_finish(&m->work);
    weir_bands_finish(&m->bands);
    weir_free(m->tail_ns);
}

/* The timeline lets every lane have the device to itself. However tasks lie, they do not get more of it than there is. */
static void respect_device(weir_plan *plan)
{
    for (int b = WEIR_BOUND_KERNELS; b <= WEIR_BOUND_COPIES; b++) {
        const double ns = plan->each_bound_ns[b];
        if (plan->makespan_ns < ns)
            plan->makespan_ns = ns;
        if (plan->interval_ns < ns)
            plan->interval_ns = ns;
    }
}

/* Lists, waits and times for an order and lanes. */
static weir_status arrange(const making *m, weir_plan *plan)
{
    weir_status status = weir_layout_create(plan);
    if (status == WEIR_OK)
        status = weir_waits_create(&m->dag, plan);
    if (status == WEIR_OK)
        status = weir_timeline_create(m->work.cost_ns, plan);
    if (status == WEIR_OK)
        respect_device(plan);
    return status;
}

/* The plan with other lanes, where they bring frames faster. */
static weir_status try_stages(const making *m, weir_plan *plan)
{
    weir_plan other = *plan;
    weir_plan_forget_lanes(&other);
    other.lane = weir_alloc(plan->tasks, sizeof *other.lane);
    weir_status status = other.lane ? WEIR_OK : weir_fail_no_memory();
    if (status == WEIR_OK)
        status = weir_stages_place(&m->work, &m->bands, plan, other.lane);
    if (status == WEIR_OK)
        status = arrange(m, &other);
    bool faster = status == WEIR_OK && other.interval_ns < 0.999 * plan->interval_ns;
    weir_plan_drop_lanes(faster ? plan : &other);
    if (faster)
        *plan = other;
    return status;
}

/* From the policy and the lanes of `given`, and the frames of the plan. Not yet what is inside. */
static weir_status make_itself(const making *given, weir_plan *plan)
{
    making m = *given;
    weir_status status = find_edges(&m, plan);
    if (status == WEIR_OK)
        status = weigh(&m, plan);
    if (status == WEIR_OK)
        status = place(&m, plan);
    if (status == WEIR_OK)
        status = weir_bounds_create(&m.dag, &m.work, &m.bands, m.tail_ns, plan);
    drop_paths(&m);
    if (status == WEIR_OK)
        status = arrange(&m, plan);
    if (status == WEIR_OK && plan->frames > 1 && plan->lanes > 1 && plan->interval_ns > plan->bound_ns && !m.behind)
        status = try_stages(&m, plan);
    keep_edges(&m, plan);
    finish_making(&m);
    return status;
}

static weir_plan *plan_of(const weir_body *body)
{
    weir_plan *plan = weir_alloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    atomic_init(&plan->holders, 1);
    plan->body = weir_body_hold(body);
    return plan;
}

/* ---- bodies of loops and branches ---- */

/* The task that decides about body->inner.at[i]. */
static const char *decider_of(const weir_body *body, uint32_t i)
{
    for (uint32_t t = 0; t < body->tasks.count; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        const weir_control *control = weir_kind_is_control(task->kind) ? &body->controls.at[task->with.control] : NULL;
        if (control && i >= control->first && i < control->first + control->count)
            return task->name;
    }
    return "?";
}

static weir_status fail_inside(const weir_body *body, uint32_t i, weir_status status)
{
    char why[512];
    if (status == WEIR_ERR_NO_MEMORY)
        return status;
    snprintf(why, sizeof why, "%s", weir_last_error());
    return weir_fail(status, "body '%s' of task '%s': %s", body->inner.at[i]->name, decider_of(body, i), why);
}

static weir_status make(const making *given, weir_plan *plan);

static weir_status plan_body(const making *given, weir_plan *outer, uint32_t i)
{
    making m = {.lanes = 1, .policy = given->policy, .ring_copies = outer->ring_copies};
    weir_plan *plan = outer->inner[i] = plan_of(outer->body->inner.at[i]);
    if (!plan)
        return weir_fail_no_memory();
    plan->policy = m.policy->name;
    plan->frames = 1;
    weir_status status = make(&m, plan);
    return status == WEIR_OK ? WEIR_OK : fail_inside(outer->body, i, status);
}

/* A body that several tasks decide about, as when a loop is in a repeated sub-graph, is planned once. */
static weir_status plan_bodies(const making *given, weir_plan *plan)
{
    const weir_body *body = plan->body;
    if (body->inner.count == 0)
        return WEIR_OK;
    weir_table *planned = weir_table_create();
    plan->inner = weir_alloc(body->inner.count, sizeof(weir_plan *));
    weir_status status = planned && plan->inner ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t i = 0; i < body->inner.count && status == WEIR_OK; i++) {
        uint32_t same = weir_table_get_pointer(planned, body->inner.at[i]);
        if (same != UINT32_MAX)
            plan->inner[i] = weir_plan_hold(plan->inner[same]);
        else if (!weir_table_put_pointer(planned, body->inner.at[i], i))
            status = weir_fail_no_memory();
        else
            status = plan_body(given, plan, i);
    }
    weir_table_destroy(planned);
    return status;
}

static weir_status make(const making *given, weir_plan *plan)
{
    weir_status status = make_itself(given, plan);
    return status == WEIR_OK ? plan_bodies(given, plan) : status;
}

/* ---- whole plans ---- */

weir_status weir_plan_create(const weir_graph *graph, const weir_plan_options *options, weir_plan **out)
{
    static const weir_plan_options defaults = {0};
    if (!graph)
        return weir_fail(WEIR_ERR_INVALID, "no graph to plan");
    weir_status status = weir_graph_status(graph);
    if (status != WEIR_OK)
        return status;
    weir_plan *plan = plan_of(weir_graph_body(graph));
    if (!plan)
        return weir_fail_no_memory();
    making m = {0};
    status = resolve_options(options ? options : &defaults, &m, plan);
    if (status == WEIR_OK)
        status = make(&m, plan);
    if (status != WEIR_OK) {
        weir_plan_destroy(plan); /* zeroed at birth, so a half-made plan is safe to destroy */
        return status;
    }
    assert(weir_plan_is_valid(plan));
    *out = plan;
    return WEIR_OK;
}

weir_status weir_plan_again(const weir_plan *plan, uint32_t lanes, weir_plan **out)
{
    const making m = {.lanes = lanes, .policy = weir_policy_named(plan->policy), .behind = true};
    assert(lanes >= 1 && lanes <= WEIR_LANES_MOST && m.policy);
    weir_plan *made = plan_of(plan->body);
    if (!made)
        return weir_fail_no_memory();
    made->policy = m.policy->name;
    made->frames = plan->frames;
    weir_status status = make(&m, made);
    if (status != WEIR_OK) {
        weir_plan_destroy(made);
        return status;
    }
    *out = made;
    return WEIR_OK;
}
