/* stats.c - figures of an exec, computed when asked from what frames left behind. */
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

/* What the last frames' own task times say of the least time a frame can take: its longest path, and its work over lanes. */
static double measured_bound(const weir_exec *exec, const char **binding)
{
    const weir_plan *plan = exec->plan;
    double *end = weir_alloc(plan->tasks, sizeof *end), longest = 0, work = 0;
    if (!end)
        return NAN;
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t t = plan->order[k];
        double ns = median_task(exec, t);
        for (uint32_t i = plan->pred_first[t]; i < plan->pred_first[t + 1]; i++)
            if (end[plan->pred[i]] > end[t])
                end[t] = end[plan->pred[i]];
        end[t] += isnan(ns) ? 0 : ns;
        work += isnan(ns) ? 0 : ns;
        longest = end[t] > longest ? end[t] : longest;
    }
    weir_free(end);
    double by_lanes = work / plan->lanes;
    *binding = longest >= by_lanes ? "critical path" : "lanes";
    return longest >= by_lanes ? longest : by_lanes;
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
    *out = (weir_stats){.frames = exec->done, .frame_ns = median_frame(exec), .busy_share = NAN, .overlap_share = NAN, .mode = "eager"};
    if (exec->runtime->ops->info) {
        weir_program_info info = exec->runtime->ops->info(exec->program);
        out->mode = info.mode;
        out->instantiations = info.instantiations;
        out->taken_over = info.taken_over;
    }
    out->bound_ns = plan->bound_ns;
    out->binding = plan->binding;
    if (exec->spans && exec->done > 0) {
        double busy = 0;
        for (uint32_t k = 0; k < plan->lanes; k++)
            busy += busy_ns(exec, k);
        out->busy_share = busy / (last_frame_ns(exec) * plan->lanes);
        out->overlap_share = overlap_share(exec);
        out->bound_ns = measured_bound(exec, &out->binding);
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
