/* check_drawing.c - what a writer may rely on. Drawings come from tools, too, and those read files. */
#include "observe/draw.h"
#include "util/memory.h"
#include "util/status.h"
#include <inttypes.h>
#include <math.h>

static bool is_time(double ns)
{
    return isfinite(ns) && ns >= 0;
}

static weir_status check_task(const weir_drawing *drawing, uint32_t i)
{
    const weir_drawn_task *task = &drawing->task[i];
    if (!task->name || !task->kind)
        return weir_fail(WEIR_ERR_INVALID, "task %" PRIu32 " of the drawing has no %s", i, task->name ? "kind" : "name");
    if (!is_time(task->cost_ns) || !is_time(task->start_ns) || !is_time(task->end_ns) || !is_time(task->share))
        return weir_fail(WEIR_ERR_INVALID, "task '%s' of the drawing has a cost, share or time that is no number from 0 on", task->name);
    if ((task->body_count > 0 && !task->body) || (task->rounds > 0 && task->body_count != 1))
        return weir_fail(WEIR_ERR_INVALID, "task '%s' of the drawing is a loop or branch of %" PRIu32 " bodies, which are not there", task->name,
                         task->body_count);
    for (uint32_t b = 0; b < task->body_count; b++)
        if (!task->body[b].name)
            return weir_fail(WEIR_ERR_INVALID, "body %" PRIu32 " of task '%s' of the drawing has no name", b, task->name);
    if (drawing->policy && (task->lane >= drawing->lane_count || task->position >= drawing->task_count))
        return weir_fail(WEIR_ERR_INVALID,
                         "task '%s' of the drawing is on lane %" PRIu32 " at position %" PRIu32 ", of %" PRIu32 " lanes and %" PRIu32
                         " tasks",
                         task->name, task->lane, task->position, drawing->lane_count, drawing->task_count);
    return WEIR_OK;
}

static weir_status check_positions(const weir_drawing *drawing)
{
    unsigned char *taken = weir_alloc(drawing->task_count, 1);
    weir_status status = taken ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t i = 0; i < drawing->task_count && status == WEIR_OK; i++) {
        if (taken[drawing->task[i].position]++)
            status = weir_fail(WEIR_ERR_INVALID, "task '%s' of the drawing is at position %" PRIu32 ", as is another",
                               drawing->task[i].name, drawing->task[i].position);
    }
    weir_free(taken);
    return status;
}

static weir_status check_edges(const weir_drawing *drawing, const char *what, const weir_drawn_edge *edge, uint32_t count, uint32_t least,
                               uint32_t most)
{
    for (uint32_t i = 0; i < count; i++)
        if (edge[i].from >= drawing->task_count || edge[i].to >= drawing->task_count || edge[i].distance < least || edge[i].distance > most)
            return weir_fail(WEIR_ERR_INVALID,
                             "%s %" PRIu32 " of the drawing, from %" PRIu32 " to %" PRIu32 " over %" PRIu32 " frames, is out of range",
                             what, i, edge[i].from, edge[i].to, edge[i].distance);
    return WEIR_OK;
}

static weir_status check_tasks_of(const weir_drawing *drawing, const char *what, const uint32_t *task, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (task[i] >= drawing->task_count)
            return weir_fail(WEIR_ERR_INVALID, "the drawing's %s has task %" PRIu32 " of %" PRIu32, what, task[i], drawing->task_count);
    return WEIR_OK;
}

static weir_status check_acyclic(const weir_drawing *drawing)
{
    uint32_t *order = weir_alloc(drawing->task_count, sizeof *order);
    weir_status status = order ? weir_drawing_order(drawing, order) : weir_fail_no_memory();
    weir_free(order);
    return status;
}

weir_status weir_drawing_check(const weir_drawing *drawing)
{
    if (!drawing || !drawing->name || (drawing->policy && !drawing->binding))
        return weir_fail(WEIR_ERR_INVALID, "the drawing is NULL or has no name");
    if (!is_time(drawing->makespan_ns) || !is_time(drawing->interval_ns) || !is_time(drawing->bound_ns))
        return weir_fail(WEIR_ERR_INVALID, "the drawing of '%s' has a time that is no number from 0 on", drawing->name);
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < drawing->task_count && status == WEIR_OK; i++)
        status = check_task(drawing, i);
    if (status == WEIR_OK && drawing->policy)
        status = check_positions(drawing);
    if (status == WEIR_OK)
        status = check_edges(drawing, "edge", drawing->edge, drawing->edge_count, 0, 0);
    if (status == WEIR_OK)
        status = check_edges(drawing, "carried edge", drawing->carried, drawing->carried_count, 1, UINT32_MAX);
    if (status == WEIR_OK)
        status = check_edges(drawing, "wait", drawing->wait, drawing->wait_count, 0, UINT32_MAX);
    if (status == WEIR_OK)
        status = check_tasks_of(drawing, "critical path", drawing->critical, drawing->critical_count);
    if (status == WEIR_OK)
        status = check_tasks_of(drawing, "cycle", drawing->cycle, drawing->cycle_count);
    if (status == WEIR_OK)
        status = check_acyclic(drawing);
    return status;
}
