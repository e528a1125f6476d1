/* drawing.c - turns a graph or a plan into a drawing. It holds the body, whose names it shows. */
#include "observe/draw.h"
#include "graph/carried.h"
#include "graph/dag.h"
#include "plan/plan.h"
#include "util/memory.h"
#include "util/status.h"
#include <inttypes.h>
#include <string.h>

/* The public drawing, and what it points to. */
typedef struct {
    weir_drawing drawing; /* first: the same address */
    const weir_body *body;
    weir_drawn_task *task;
    weir_drawn_body *inner; /* as body->inner */
    weir_drawn_edge *edge, *carried, *wait;
    int32_t *lane_priority;
    uint32_t *critical, *cycle;
} owned;

void weir_drawing_destroy(const weir_drawing *drawing)
{
    if (!drawing)
        return;
    owned *o = (owned *)drawing;
    weir_free(o->task);
    weir_free(o->inner);
    weir_free(o->edge);
    weir_free(o->carried);
    weir_free(o->wait);
    weir_free(o->lane_priority);
    weir_free(o->critical);
    weir_free(o->cycle);
    weir_body_release(o->body);
    weir_free(o);
}

static weir_status describe_tasks(owned *o)
{
    const weir_body *body = o->body;
    o->task = weir_alloc(body->tasks.count, sizeof *o->task);
    if (!o->task)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < body->tasks.count; i++) {
        const weir_task_record *task = &body->tasks.at[i];
        o->task[i] = (weir_drawn_task){
            .name = task->name,
            .kind = weir_kind_name((weir_task_kind)task->kind),
            .group = weir_task_group(body, task),
            .priority = task->priority,
            .cost_ns = weir_task_cost(body, task),
            .share = (double)weir_task_share(body, task),
        };
    }
    o->drawing.task = o->task;
    o->drawing.task_count = body->tasks.count;
    return WEIR_OK;
}

static weir_status describe_bodies(owned *o)
{
    const weir_body *body = o->body;
    o->inner = weir_alloc(body->inner.count, sizeof *o->inner);
    if (!o->inner)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < body->inner.count; i++)
        o->inner[i] = (weir_drawn_body){body->inner.at[i]->name, body->inner.at[i]->tasks.count};
    for (uint32_t i = 0; i < body->tasks.count; i++) {
        const weir_task_record *task = &body->tasks.at[i];
        if (!weir_kind_is_control(task->kind))
            continue;
        const weir_control *control = &body->controls.at[task->with.control];
        o->task[i].rounds = task->kind == WEIR_KIND_WHILE ? control->at_most : 0;
        o->task[i].body_count = control->count;
        o->task[i].body = o->inner + control->first;
    }
    return WEIR_OK;
}

static weir_status describe_edges(owned *o, const weir_dag *dag)
{
    o->edge = weir_alloc(dag->edges, sizeof *o->edge);
    if (!o->edge)
        return weir_fail_no_memory();
    for (uint32_t task = 0; task < dag->tasks; task++)
        for (uint32_t i = dag->pred_first[task]; i < dag->pred_first[task + 1]; i++)
            o->edge[i] = (weir_drawn_edge){dag->pred[i], task, 0};
    o->drawing.edge = o->edge;
    o->drawing.edge_count = dag->edges;
    return WEIR_OK;
}

static weir_status describe_carried(owned *o)
{
    weir_carried carried = {0};
    weir_status status = weir_carried_create(o->body, o->drawing.ring_copies, UINT32_MAX, &carried);
    if (status != WEIR_OK)
        return status;
    o->carried = weir_alloc(carried.edges.count, sizeof *o->carried);
    for (uint32_t i = 0; o->carried && i < carried.edges.count; i++)
        o->carried[i] = (weir_drawn_edge){carried.edges.at[i].earlier, carried.edges.at[i].later, carried.edges.at[i].distance};
    o->drawing.carried = o->carried;
    o->drawing.carried_count = carried.edges.count;
    weir_carried_finish(&carried);
    return o->carried ? WEIR_OK : weir_fail_no_memory();
}

/* The longest path by cost; of equal ones, seen from its end, that of the highest numbers, which leaves out no task that takes no time. */
static weir_status describe_critical(owned *o, const weir_dag *dag)
{
    double *end_ns = weir_alloc(dag->tasks, sizeof *end_ns);
    uint32_t *before = weir_alloc(dag->tasks, sizeof *before); /* on the longest path to a task; itself if it is the first */
    o->critical = weir_alloc(dag->tasks, sizeof *o->critical);
    weir_status status = end_ns && before && o->critical ? WEIR_OK : weir_fail_no_memory();
    if (status == WEIR_OK && dag->tasks) {
        uint32_t last = 0;
        for (uint32_t i = 0; i < dag->tasks; i++) {
            uint32_t task = dag->order ? dag->order[i] : i, longest = task;
            double start_ns = -1;
            for (uint32_t k = dag->pred_first[task]; k < dag->pred_first[task + 1]; k++)
                if (end_ns[dag->pred[k]] >= start_ns) {
                    longest = dag->pred[k];
                    start_ns = end_ns[longest];
                }
            before[task] = longest;
            end_ns[task] = (longest == task ? 0 : start_ns) + o->task[task].cost_ns;
        }
        for (uint32_t task = 1; task < dag->tasks; task++)
            if (end_ns[task] > end_ns[last])
                last = task;
        uint32_t length = 1;
        for (uint32_t task = last; before[task] != task; task = before[task])
            length++;
        for (uint32_t i = length, task = last; i-- > 0; task = before[task])
            o->critical[i] = task;
        o->drawing.critical = o->critical;
        o->drawing.critical_count = length;
    }
    weir_free(before);
    weir_free(end_ns);
    return status;
}

static weir_status describe_plan(owned *o, const weir_plan *plan)
{
    uint32_t waits = plan->tasks ? plan->wait_first[plan->tasks] : 0;
    o->wait = weir_alloc(waits, sizeof *o->wait);
    o->lane_priority = weir_alloc(plan->lanes, sizeof *o->lane_priority);
    o->cycle = weir_alloc(plan->recurrence.count, sizeof *o->cycle);
    if (!o->wait || !o->lane_priority || !o->cycle)
        return weir_fail_no_memory();
    for (uint32_t task = 0; task < plan->tasks; task++) {
        o->task[task].lane = plan->lane[task];
        o->task[task].position = plan->position[task];
        o->task[task].start_ns = plan->start_ns[task];
        o->task[task].end_ns = plan->end_ns[task];
        for (uint32_t i = plan->wait_first[task]; i < plan->wait_first[task + 1]; i++)
            o->wait[i] = (weir_drawn_edge){plan->wait[i].task, task, plan->wait[i].distance};
    }
    for (uint32_t lane = 0; lane < plan->lanes; lane++)
        o->lane_priority[lane] = plan->lane_priority[lane];
    for (uint32_t i = 0; i < plan->recurrence.count; i++)
        o->cycle[i] = plan->recurrence.task[i];
    weir_drawing *drawing = &o->drawing;
    drawing->cycle = o->cycle;
    drawing->cycle_count = plan->recurrence.count;
    drawing->cycle_frames = plan->recurrence.distance;
    drawing->policy = plan->policy;
    drawing->binding = weir_bound_name(plan->binding);
    drawing->makespan_ns = plan->makespan_ns;
    drawing->interval_ns = plan->interval_ns;
    drawing->bound_ns = plan->bound_ns;
    drawing->wait = o->wait;
    drawing->wait_count = waits;
    drawing->lane_priority = o->lane_priority;
    drawing->lane_count = plan->lanes;
    return WEIR_OK;
}

weir_status weir_drawing_of(const weir_graph *graph, const weir_plan *plan, const weir_drawing **out)
{
    if ((!graph && !plan) || !out)
        return weir_fail(WEIR_ERR_INVALID, "weir_drawing_of: neither a graph nor a plan, or nowhere to put the drawing");
    weir_status status = plan ? WEIR_OK : weir_graph_status(graph);
    if (status != WEIR_OK)
        return status;
    owned *o = weir_alloc(1, sizeof *o);
    if (!o)
        return weir_fail_no_memory();
    o->body = weir_body_hold(plan ? plan->body : weir_graph_body(graph));
    o->drawing.name = o->body->name ? o->body->name : "";
    o->drawing.frames = plan ? plan->frames : 1;
    o->drawing.ring_copies = plan ? plan->ring_copies : weir_ring_copies(o->body, 1);
    weir_dag dag = {0};
    status = weir_dag_create(o->body, &dag);
    if (status == WEIR_OK)
        status = describe_tasks(o);
    if (status == WEIR_OK)
        status = describe_bodies(o);
    if (status == WEIR_OK)
        status = describe_edges(o, &dag);
    if (status == WEIR_OK)
        status = describe_carried(o);
    if (status == WEIR_OK)
        status = describe_critical(o, &dag);
    if (status == WEIR_OK && plan)
        status = describe_plan(o, plan);
    weir_dag_finish(&dag);
    if (status != WEIR_OK) {
        weir_drawing_destroy(&o->drawing);
        return status;
    }
    *out = &o->drawing;
    return WEIR_OK;
}
