/* plan.c - a made plan: its holders, what must be true of its arrays, and what it tells of itself. */
#include "plan/plan.h"
#include "util/memory.h"
#include "util/status.h"
#include "util/table.h"

weir_plan *weir_plan_hold(const weir_plan *plan)
{
    weir_plan *held = (weir_plan *)plan; /* the count of holders is the one thing that changes */
    atomic_fetch_add_explicit(&held->holders, 1, memory_order_relaxed);
    return held;
}

void weir_plan_drop_lanes(weir_plan *plan)
{
    weir_free(plan->lane);
    weir_free(plan->position);
    weir_free(plan->lane_position);
    weir_free(plan->lane_first);
    weir_free(plan->lane_task);
    weir_free(plan->wait_first);
    weir_free(plan->wait);
    weir_free(plan->records);
    weir_free(plan->start_ns);
    weir_free(plan->end_ns);
    weir_plan_forget_lanes(plan);
}

void weir_plan_forget_lanes(weir_plan *plan)
{
    plan->lane = NULL;
    plan->position = plan->lane_position = plan->lane_first = plan->lane_task = plan->wait_first = NULL;
    plan->wait = NULL;
    plan->records = NULL;
    plan->start_ns = plan->end_ns = NULL;
}

void weir_plan_destroy(weir_plan *plan)
{
    if (!plan || atomic_fetch_sub_explicit(&plan->holders, 1, memory_order_acq_rel) > 1)
        return;
    for (uint32_t i = 0; plan->inner && i < plan->body->inner.count; i++)
        weir_plan_destroy(plan->inner[i]);
    weir_free(plan->inner);
    weir_body_release(plan->body);
    weir_free(plan->order);
    weir_free(plan->lane_priority);
    weir_free(plan->pred_first);
    weir_free(plan->pred);
    weir_carried_finish(&plan->carried);
    weir_recurrence_finish(&plan->recurrence);
    weir_plan_drop_lanes(plan);
    weir_free(plan);
}

static weir_status look_at_bodies(const weir_plan *plan, const weir_task_record *task, weir_table *seen,
                                  weir_status (*look)(void *user, const weir_plan *body), void *user)
{
    const weir_control *control = &plan->body->controls.at[task->with.control];
    for (uint32_t i = control->first; i < control->first + control->count; i++) {
        const weir_plan *body = plan->inner[i];
        if (weir_table_get_pointer(seen, body) != UINT32_MAX)
            continue;
        if (!weir_table_put_pointer(seen, body, i))
            return weir_fail_no_memory();
        weir_status status = look(user, body);
        if (status != WEIR_OK)
            return weir_fail(status, "body '%s' of task '%s': %s", body->body->name, task->name, weir_last_error());
    }
    return WEIR_OK;
}

weir_status weir_plan_each_body(const weir_plan *plan, weir_status (*look)(void *user, const weir_plan *body), void *user)
{
    if (plan->body->inner.count == 0)
        return WEIR_OK;
    weir_table *seen = weir_table_create();
    weir_status status = seen ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t t = 0; t < plan->tasks && status == WEIR_OK; t++)
        if (weir_kind_is_control(plan->body->tasks.at[t].kind))
            status = look_at_bodies(plan, &plan->body->tasks.at[t], seen, look, user);
    weir_table_destroy(seen);
    return status;
}

bool weir_plan_is_valid(const weir_plan *plan)
{
    if (plan->lanes == 0 || plan->lanes > WEIR_LANES_MOST || plan->frames == 0 || plan->frames > WEIR_FRAMES_MOST)
        return false;
    if (plan->lane_first[0] != 0 || plan->lane_first[plan->lanes] != plan->tasks || !plan->policy)
        return false;
    for (uint32_t i = 0; i < plan->body->inner.count; i++)
        if (!plan->inner[i] || plan->inner[i]->body != plan->body->inner.at[i] || plan->inner[i]->lanes != 1 || plan->inner[i]->frames != 1)
            return false;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i], lane = task < plan->tasks ? plan->lane[task] : plan->lanes;
        if (lane >= plan->lanes || plan->position[task] != i || plan->wait_first[task] > plan->wait_first[task + 1])
            return false;
        if (plan->lane_task[plan->lane_first[lane] + plan->lane_position[task]] != task)
            return false;
    }
    return true;
}

weir_status weir_plan_get(const weir_plan *plan, weir_task task, weir_plan_entry *out)
{
    if (!plan || task.graph != plan->body->id || task.number == 0 || task.number > plan->tasks)
        return weir_fail(WEIR_ERR_INVALID, "task %u of graph %u is not of the planned graph", task.number, task.graph);
    uint32_t t = task.number - 1;
    weir_plan_entry entry = {
        .lane = plan->lane[t],
        .position = plan->position[t],
        .records = plan->records[t],
        .start_ns = plan->start_ns[t],
        .end_ns = plan->end_ns[t],
    };
    for (uint32_t w = plan->wait_first[t]; w < plan->wait_first[t + 1]; w++) {
        entry.waits += plan->wait[w].distance == 0;
        entry.carried_waits += plan->wait[w].distance != 0;
    }
    *out = entry;
    return WEIR_OK;
}

void weir_plan_summarise(const weir_plan *plan, weir_plan_summary *out)
{
    uint64_t events = 0;
    for (uint32_t t = 0; t < plan->tasks; t++)
        events += plan->records[t];
    *out = (weir_plan_summary){
        .tasks = plan->tasks,
        .edges = plan->edges,
        .waits = plan->wait_first[plan->tasks],
        .events = events,
        .naive_waits = plan->naive_waits,
        .lanes = plan->lanes,
        .frames = plan->frames,
        .slots = plan->slots,
        .makespan_ns = plan->makespan_ns,
        .interval_ns = plan->interval_ns,
        .bound_ns = plan->bound_ns,
        .binding = weir_bound_name(plan->binding),
        .policy = plan->policy,
    };
}
