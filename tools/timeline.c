/* timeline.c - a trace has no edges: what a task waited for is told by the clock. */
#include "timeline.h"
#include <math.h>
#include <stdlib.h>

enum { FRAMES_DRAWN = 3 };

static uint32_t graph_of(const read_trace *trace, const traced_task *task)
{
    return trace->row[task->row].graph;
}

/* The graph whose frames reach furthest; of equals the first. */
static void choose_graph(timeline *t)
{
    const read_trace *trace = t->trace;
    bool any = false;
    for (uint32_t i = 0; i < trace->tasks; i++) {
        const traced_task *task = &trace->task[i];
        uint32_t graph = graph_of(trace, task);
        if (!any || task->frame > t->latest_frame || (task->frame == t->latest_frame && graph < t->graph)) {
            t->graph = graph;
            t->latest_frame = task->frame;
            any = true;
        }
    }
    t->earliest_frame = t->latest_frame;
    for (uint32_t i = 0; i < trace->tasks; i++)
        if (graph_of(trace, &trace->task[i]) == t->graph && trace->task[i].frame < t->earliest_frame)
            t->earliest_frame = trace->task[i].frame;
}

static bool is_meant(const timeline *t, const traced_task *task)
{
    return graph_of(t->trace, task) == t->graph && task->frame >= t->first_frame && task->frame <= t->last_frame;
}

static bool find_window(timeline *t)
{
    bool any = false;
    double first_end_ns = 0, last_end_ns = 0;
    uint64_t first = UINT64_MAX, last = 0; /* that were seen */
    for (uint32_t i = 0; i < t->trace->tasks; i++) {
        const traced_task *task = &t->trace->task[i];
        if (!is_meant(t, task))
            continue;
        t->start_ns = !any || task->start_ns < t->start_ns ? task->start_ns : t->start_ns;
        t->end_ns = !any || task->end_ns > t->end_ns ? task->end_ns : t->end_ns;
        if (task->frame < first || (task->frame == first && task->end_ns > first_end_ns))
            first_end_ns = task->end_ns;
        if (!any || task->frame > last || (task->frame == last && task->end_ns > last_end_ns))
            last_end_ns = task->end_ns;
        first = task->frame < first ? task->frame : first;
        last = task->frame > last ? task->frame : last;
        any = true;
    }
    t->interval_ns = any && last > first ? (last_end_ns - first_end_ns) / (double)(last - first) : NAN;
    return any;
}

static const traced_task *sorted_tasks; /* qsort hands nothing through */

static int by_end(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const traced_task *x = &sorted_tasks[i], *y = &sorted_tasks[k];
    if (x->end_ns < y->end_ns || x->end_ns > y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    if (x->start_ns < y->start_ns || x->start_ns > y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return i < k ? -1 : i > k;
}

static void gather(timeline *t)
{
    for (uint32_t i = 0; i < t->trace->tasks; i++) {
        const traced_task *task = &t->trace->task[i];
        bool meanwhile = graph_of(t->trace, task) != t->graph && task->start_ns < t->end_ns && task->end_ns > t->start_ns;
        if (is_meant(t, task) || meanwhile)
            t->task[t->tasks++] = i;
    }
    sorted_tasks = t->trace->task;
    qsort(t->task, t->tasks, sizeof *t->task, by_end);
}

/* Idle lanes are shown, idle graphs are not. */
static void choose_rows(timeline *t)
{
    const read_trace *trace = t->trace;
    for (uint32_t row = 0; row < trace->rows; row++)
        t->line[row] = UINT32_MAX;
    for (uint32_t i = 0; i < t->tasks; i++)
        t->line[trace->task[t->task[i]].row] = 0;
    for (uint32_t first = 0, end = 0; first < trace->rows; first = end) {
        bool any = false;
        for (end = first; end < trace->rows && trace->row[end].graph == trace->row[first].graph; end++)
            any = any || t->line[end] != UINT32_MAX;
        for (uint32_t row = first; any && row < end; row++) {
            t->line[row] = t->lines++;
            t->heading[row] = t->headings;
        }
        t->headings += any;
    }
}

/* The place, before `at`, of the task that ended last until then; of equals one of the same row. UINT32_MAX: none. */
static uint32_t ended_last(const timeline *t, uint32_t at)
{
    const traced_task *task = t->trace->task, *now = &task[t->task[at]];
    uint32_t low = 0, high = at; /* places below low ended in time */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (task[t->task[middle]].end_ns <= now->start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return UINT32_MAX;
    double end_ns = task[t->task[low - 1]].end_ns;
    for (uint32_t i = low; i-- > 0 && task[t->task[i]].end_ns >= end_ns;)
        if (task[t->task[i]].row == now->row)
            return i;
    return low - 1;
}

static void find_critical_path(timeline *t)
{
    uint32_t last = t->tasks - 1;
    while (!is_meant(t, &t->trace->task[t->task[last]]))
        last--;
    for (uint32_t at = last; at != UINT32_MAX; at = ended_last(t, at)) {
        const traced_task *task = &t->trace->task[t->task[at]];
        t->critical[at] = 1;
        t->critical_tasks++;
        t->critical_ns += task->end_ns - task->start_ns;
    }
}

bool timeline_init(const read_trace *trace, uint64_t first, uint64_t last, timeline *out)
{
    timeline t = {.trace = trace, .first_frame = first, .last_frame = last};
    choose_graph(&t);
    if (first > last) {
        t.last_frame = t.latest_frame;
        t.first_frame = t.latest_frame - t.earliest_frame < FRAMES_DRAWN ? t.earliest_frame : t.latest_frame - FRAMES_DRAWN + 1;
    }
    if (!find_window(&t)) {
        *out = t;
        return true;
    }
    t.task = calloc(trace->tasks, sizeof *t.task);
    t.critical = calloc(trace->tasks, 1);
    t.line = calloc(trace->rows, sizeof *t.line);
    t.heading = calloc(trace->rows, sizeof *t.heading);
    bool enough = t.task && t.critical && t.line && t.heading;
    if (enough) {
        gather(&t);
        choose_rows(&t);
        find_critical_path(&t);
    }
    *out = t;
    return enough;
}

void timeline_finish(timeline *t)
{
    free(t->task);
    free(t->critical);
    free(t->line);
    free(t->heading);
    *t = (timeline){0};
}
