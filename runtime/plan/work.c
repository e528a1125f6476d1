/* work.c - one walk over the task records, which are too large to be met again and again in the order of a plan. */
#include "plan/work.h"
#include "util/memory.h"
#include "util/status.h"

static weir_place place_of(const weir_body *body, const weir_task_record *task, uint32_t arg)
{
    return body->buffers.at[body->args.at[task->arg_first + arg].index].buffer->place;
}

static void add_up(const weir_body *body, const weir_task_record *task, double cost, weir_work *work)
{
    work->total_ns += cost;
    work->launches += task->kind != WEIR_KIND_EMPTY && task->kind != WEIR_KIND_HOST;
    if (task->kind == WEIR_KIND_KERNEL) {
        work->device_ns += cost * (double)weir_task_share(body, task);
    } else if (task->kind == WEIR_KIND_HOST) {
        work->host_ns += cost;
    } else if (task->kind == WEIR_KIND_COPY) {
        bool to_device = place_of(body, task, 0) == WEIR_DEVICE, from_device = place_of(body, task, 1) == WEIR_DEVICE;
        work->copies_in_ns += to_device && !from_device ? cost : 0;
        work->copies_out_ns += from_device && !to_device ? cost : 0;
    }
}

static bool gather_costs(const weir_body *body, weir_work *work)
{
    work->cost_ns = weir_alloc(work->tasks, sizeof *work->cost_ns);
    for (uint32_t t = 0; work->cost_ns && t < work->tasks; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        double cost = weir_task_cost(body, task);
        work->cost_ns[t] = (float)cost;
        add_up(body, task, cost, work);
        if (weir_task_keeps_state(body, task) && work->longest_serial_ns < cost)
            work->longest_serial_ns = cost;
        if (t == 0 || task->priority < work->most_urgent)
            work->most_urgent = task->priority;
    }
    return work->cost_ns;
}

static bool priorities_differ(const weir_body *body)
{
    for (uint32_t t = 1; t < body->tasks.count; t++)
        if (body->tasks.at[t].priority != body->tasks.at[0].priority)
            return true;
    return false;
}

static bool gather_priorities(const weir_body *body, weir_work *work)
{
    if (!priorities_differ(body))
        return true;
    work->priority = weir_alloc(work->tasks, sizeof *work->priority);
    for (uint32_t t = 0; work->priority && t < work->tasks; t++)
        work->priority[t] = body->tasks.at[t].priority;
    return work->priority;
}

weir_status weir_work_create(const weir_body *body, weir_work *out)
{
    weir_work made = {.tasks = body->tasks.count};
    if (!gather_costs(body, &made) || !gather_priorities(body, &made)) {
        weir_work_finish(&made);
        return weir_fail_no_memory();
    }
    *out = made;
    return WEIR_OK;
}

void weir_work_finish(weir_work *work)
{
    weir_free(work->cost_ns);
    weir_free(work->priority);
    *work = (weir_work){0};
}
