/* stats.c - figures of an exec, computed when asked from what frames left behind. */
#include "graph/graph.h"
#include "observe/draw.h"
#include "run/exec.h"
#include "util/memory.h"
#include "util/status.h"
#include "weir/observe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint64_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double median_frame(const weir_exec *exec)
{
    double values[WEIR_FRAME_SAMPLES];
    uint64_t count = exec->done < WEIR_FRAME_SAMPLES ? exec->done : WEIR_FRAME_SAMPLES;
    memcpy(values, exec->frame_ns, count * sizeof *values);
    return median(values, count);
}

/* From frame to frame, over as many as are in flight at once: those that end together begin together. */
static double median_interval(const weir_exec *exec)
{
    double values[WEIR_FRAME_SAMPLES];
    uint64_t kept = exec->done < WEIR_FRAME_SAMPLES ? exec->done : WEIR_FRAME_SAMPLES, count = 0;
    for (uint64_t n = exec->done - kept + exec->frames; n < exec->done; n++)
        values[count++] = (double)(exec->done_ns[n % WEIR_FRAME_SAMPLES] - exec->done_ns[(n - exec->frames) % WEIR_FRAME_SAMPLES]) / exec->frames;
    return median(values, count);
}

static double median_task(const weir_exec *exec, uint32_t task)
{
    double values[WEIR_TASK_SAMPLES];
    const weir_task_samples *s = &exec->samples[task];
    uint64_t count = s->count < WEIR_TASK_SAMPLES ? s->count : WEIR_TASK_SAMPLES;
    for (uint64_t i = 0; i < count; i++)
        values[i] = s->ns[i];
    return median(values, count);
}

static double busy_ns(const weir_exec *exec, uint32_t lane)
{
    const weir_plan *plan = exec->plan;
    int64_t busy = 0;
    for (uint32_t i = plan->lane_first[lane]; i < plan->lane_first[lane + 1]; i++) {
        const weir_task_span *span = &exec->last_spans[plan->lane_task[i]];
        busy += span->end_ns - span->start_ns;
    }
    return (double)busy;
}

static double last_frame_ns(const weir_exec *exec)
{
    return (double)(exec->last_end_ns - exec->last_start_ns);
}

static int compare_starts(const void *a, const void *b)
{
    const weir_task_span *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Of the time in which any task of the last frame ran, the share in which two or more did. Tasks in the order of their starts: the
 * two latest ends so far tell how far one, and how far two, are busy. NAN: nothing ran, or no memory. */
static double overlap_share(const weir_exec *exec)
{
    uint32_t tasks = exec->plan->tasks;
    weir_task_span *spans = weir_alloc_copy(exec->last_spans, tasks * sizeof *spans);
    if (!spans)
        return NAN;
    qsort(spans, tasks, sizeof *spans, compare_starts);
    int64_t one = 0, two = 0, until_one = INT64_MIN, until_two = INT64_MIN;
    for (uint32_t t = 0; t < tasks; t++) {
        int64_t start = spans[t].start_ns, end = spans[t].end_ns;
        if (end == 0)
            continue;
        int64_t second = end < until_one ? end : until_one; /* from its start to here another task runs as well */
        if (end > until_one) {
            one += end - (start > until_one ? start : until_one);
            until_one = end;
        }
        if (second > until_two) {
            int64_t from = start > until_two ? start : until_two;
            two += second > from ? second - from : 0;
            until_two = second;
        }
    }
    weir_free(spans);
    return one > 0 ? (double)two / (double)one : NAN;
}

/* ---- bounds ---- */

/* Whether the plan's bound holds for what runs it. */
static bool holds(const weir_exec *exec, weir_bound bound, const weir_program_info *info)
{
    if (bound >= WEIR_BOUND_KERNELS && bound <= WEIR_BOUND_COPIES)
        return exec->runtime->ops->info != NULL; /* else it is no device */
    return bound != WEIR_BOUND_LANES || strcmp(info->mode, "replay") != 0 || exec->replay_lanes; /* a replay goes by edges */
}

static weir_bound binding_of(const weir_exec *exec, const weir_program_info *info, double *bound_ns)
{
    const weir_plan *plan = exec->plan;
    double each[WEIR_BOUNDS] = {[WEIR_BOUND_WORKERS] = plan->host_ns / exec->runtime->ops->workers(exec->runtime->backend),
                                [WEIR_BOUND_LAUNCHES] = plan->launches * info->launch_ns};
    weir_bound binding = WEIR_BOUND_PATH;
    for (uint32_t b = 0; b < WEIR_BOUND_WORKERS; b++)
        each[b] = holds(exec, (weir_bound)b, info) ? plan->each_bound_ns[b] : 0;
    for (uint32_t b = 0; b < WEIR_BOUNDS; b++)
        if (each[b] > each[binding])
            binding = (weir_bound)b;
    *bound_ns = each[binding];
    return binding;
}

static weir_program_info info_of(const weir_exec *exec)
{
    return exec->runtime->ops->info ? exec->runtime->ops->info(exec->program) : (weir_program_info){.mode = "eager"};
}

weir_status weir_exec_why(const weir_exec *exec, char *text, size_t room)
{
    const weir_drawing *drawing = NULL;
    double bound_ns = 0;
    if (!exec || !text)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_why: NULL argument");
    weir_status status = weir_drawing_of(NULL, exec->plan, &drawing);
    if (status != WEIR_OK)
        return status;
    pthread_mutex_lock(&exec->runtime->lock);
    const weir_program_info info = info_of(exec);
    weir_bound binding = binding_of(exec, &info, &bound_ns);
    pthread_mutex_unlock(&exec->runtime->lock);
    weir_why(drawing, weir_bound_name(binding), bound_ns, text, room);
    weir_drawing_destroy(drawing);
    return WEIR_OK;
}

/* NAN: never seen to run. One that ran cost something. */
static double cost_of(const weir_exec *exec, uint32_t task, double excess_ns)
{
    const double least_ns = 1, ns = median_task(exec, task);
    const bool on_host = exec->plan->body->tasks.at[task].kind == WEIR_KIND_HOST;
    return on_host || isnan(ns) ? ns : ns - excess_ns > least_ns ? ns - excess_ns : ns < least_ns ? ns : least_ns;
}

weir_status weir_graph_take_costs(weir_graph *graph, const weir_exec *exec)
{
    if (!graph || !exec)
        return weir_fail(WEIR_ERR_INVALID, "weir_graph_take_costs: NULL argument");
    const weir_plan *plan = exec->plan;
    if (plan->body->id != weir_graph_body(graph)->id)
        return weir_fail(WEIR_ERR_INVALID, "weir_graph_take_costs: the exec is of graph '%s', not of '%s'", plan->body->name, weir_graph_body(graph)->name);
    if (!exec->spans || plan->lanes > 1)
        return weir_fail(WEIR_ERR_STATE, "graph '%s': its tasks were not timed alone: that takes an exec made with timing, which runs eagerly, of a plan with one lane",
                         plan->body->name);
    float *cost_ns = weir_alloc(plan->tasks, sizeof *cost_ns);
    if (!cost_ns)
        return weir_fail_no_memory();
    const weir_runtime *runtime = exec->runtime;
    const double excess_ns = runtime->ops->timing_excess ? runtime->ops->timing_excess(runtime->backend) : 0;
    pthread_mutex_lock(&exec->runtime->lock);
    for (uint32_t t = 0; t < plan->tasks; t++)
        cost_ns[t] = (float)cost_of(exec, t, excess_ns);
    pthread_mutex_unlock(&exec->runtime->lock);
    weir_status status = weir_graph_set_costs(graph, cost_ns, plan->tasks);
    weir_free(cost_ns);
    return status;
}

uint32_t weir_exec_candidates(const weir_exec *exec, weir_candidate *out, uint32_t room)
{
    if (!exec || !exec->runtime->ops->candidates)
        return 0;
    pthread_mutex_lock(&exec->runtime->lock);
    uint32_t count = exec->runtime->ops->candidates(exec->program, out, out ? room : 0);
    pthread_mutex_unlock(&exec->runtime->lock);
    return count;
}

void weir_exec_stats(const weir_exec *exec, weir_stats *out)
{
    if (!exec || !out)
        return;
    pthread_mutex_lock(&exec->runtime->lock);
    const weir_plan *plan = exec->plan;
    const weir_program_info info = info_of(exec);
    *out = (weir_stats){.frames = exec->done, .instantiations = info.instantiations, .taken_over = info.taken_over, .frame_ns = median_frame(exec),
                        .interval_ns = median_interval(exec), .busy_share = NAN, .overlap_share = NAN, .mode = info.mode};
    out->binding = weir_bound_name(binding_of(exec, &info, &out->bound_ns));
    if (exec->spans && exec->done > 0) {
        double busy = 0;
        for (uint32_t k = 0; k < plan->lanes; k++)
            busy += busy_ns(exec, k);
        out->busy_share = busy / (last_frame_ns(exec) * plan->lanes);
        out->overlap_share = overlap_share(exec);
    }
    pthread_mutex_unlock(&exec->runtime->lock);
}

weir_status weir_exec_task_stats(const weir_exec *exec, weir_task task, uint64_t *count, double *median_ns)
{
    uint32_t index;
    if (!exec || !count || !median_ns)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_task_stats: NULL argument");
    if (!weir_exec_task_index(exec, task, &index))
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_task_stats: the null task, or one that is not of graph '%s'", exec->plan->body->name);
    if (!exec->spans)
        return weir_fail(WEIR_ERR_STATE, "task '%s': this exec was made without timing, or replays: a trace tells then", exec->plan->body->tasks.at[index].name);
    pthread_mutex_lock(&exec->runtime->lock);
    *count = exec->samples[index].count;
    *median_ns = median_task(exec, index);
    pthread_mutex_unlock(&exec->runtime->lock);
    return WEIR_OK;
}

double weir_exec_lane_busy(const weir_exec *exec, uint32_t lane)
{
    if (!exec || !exec->spans || lane >= exec->plan->lanes)
        return NAN;
    pthread_mutex_lock(&exec->runtime->lock);
    double share = exec->done > 0 ? busy_ns(exec, lane) / last_frame_ns(exec) : NAN;
    pthread_mutex_unlock(&exec->runtime->lock);
    return share;
}
