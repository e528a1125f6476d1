/* predict.c - several frames of a drawn plan on paper: as much of a plan as plan/timeline.c looks at is made of the drawing. */
#include "observe/draw.h"
#include "plan/timeline.h"
#include "util/memory.h"
#include "util/status.h"

typedef struct {
    weir_plan plan; /* tasks, lanes, frames, order, lane, waits */
    float *cost_ns;
} played;

/* By the later task, which is how a plan has them. */
static void take_waits(played *p, const weir_drawing *drawing)
{
    uint32_t *end = p->plan.wait_first + 1; /* one ahead, so that filling leaves the firsts where they belong */
    for (uint32_t i = 0; i < drawing->wait_count; i++)
        end[drawing->wait[i].to + 1]++;
    for (uint32_t t = 0; t < drawing->task_count; t++)
        end[t + 1] += end[t];
    for (uint32_t i = 0; i < drawing->wait_count; i++)
        p->plan.wait[end[drawing->wait[i].to]++] = (weir_wait){drawing->wait[i].from, drawing->wait[i].distance};
}

static weir_status take(played *p, const weir_drawing *drawing)
{
    weir_plan *plan = &p->plan;
    plan->tasks = drawing->task_count;
    plan->lanes = drawing->lane_count;
    plan->frames = drawing->frames > 0 ? drawing->frames : 1;
    plan->order = weir_alloc(plan->tasks, sizeof *plan->order);
    plan->lane = weir_alloc(plan->tasks, sizeof *plan->lane);
    plan->wait_first = weir_alloc((size_t)plan->tasks + 2, sizeof *plan->wait_first);
    plan->wait = weir_alloc(drawing->wait_count, sizeof *plan->wait);
    p->cost_ns = weir_alloc(plan->tasks, sizeof *p->cost_ns);
    if (!plan->order || !plan->lane || !plan->wait_first || !plan->wait || !p->cost_ns)
        return weir_fail_no_memory();
    for (uint32_t t = 0; t < plan->tasks; t++) {
        plan->order[drawing->task[t].position] = t;
        plan->lane[t] = (uint16_t)drawing->task[t].lane;
        p->cost_ns[t] = (float)drawing->task[t].cost_ns;
    }
    take_waits(p, drawing);
    return WEIR_OK;
}

weir_status weir_drawing_predict(const weir_drawing *drawing, uint32_t frames, double *start_ns, double *end_ns)
{
    weir_status status = weir_drawing_check(drawing);
    if (status != WEIR_OK)
        return status;
    if (!drawing->policy || drawing->lane_count > WEIR_LANES_MOST)
        return weir_fail(WEIR_ERR_INVALID, "'%s' is %s, so there is nothing to predict", drawing->name,
                         drawing->policy ? "a plan for more lanes than there can be" : "a graph without a plan");
    played p = {0};
    status = take(&p, drawing);
    if (status == WEIR_OK)
        status = weir_timeline_play(p.cost_ns, &p.plan, frames, start_ns, end_ns);
    weir_free(p.plan.order);
    weir_free(p.plan.lane);
    weir_free(p.plan.wait_first);
    weir_free(p.plan.wait);
    weir_free(p.cost_ns);
    return status;
}
