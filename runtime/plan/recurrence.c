/* recurrence.c - the maximal cycle ratio, by Newton steps: take the best ratio so far as the price of a frame of distance, and
 * relax longest paths. If paths stop growing, no cycle costs more than its price: the ratio is the largest. If not, the edges
 * that relaxed last close a dearer cycle; its ratio is the next price. Edges within a frame form a DAG, so that one walk along
 * its order relaxes all paths between two carried edges.
 *
 * The ratio of any cycle is a true lower bound, so stopping after a fixed number of walks costs sharpness and nothing else. */
#include "plan/recurrence.h"
#include "plan/paths.h"
#include "util/memory.h"
#include "util/status.h"
#include <string.h>

#define NONE UINT32_MAX
enum { WALKS_MOST = 256 };

typedef struct {
    const weir_dag *dag;
    const weir_carried *carried;
    const float *cost_ns;
    uint32_t *carried_first; /* task -> its carried edges */
    double *start_ns;        /* task -> longest path that ends before it, at the present price */
    uint32_t *parent;        /* task -> the last predecessor that moved it, or NONE */
    uint32_t *parent_distance;
    uint32_t *seen; /* task -> number of the trace that met it first; 0: none */
    double price_ns, slack_ns;
    weir_recurrence best;
} search;

static bool relax(search *s, uint32_t task, uint32_t earlier, uint32_t distance)
{
    double start = s->start_ns[earlier] + (double)s->cost_ns[earlier] - s->price_ns * distance;
    if (start <= s->start_ns[task] + s->slack_ns)
        return false;
    s->start_ns[task] = start;
    s->parent[task] = earlier;
    s->parent_distance[task] = distance;
    return true;
}

static bool walk(search *s)
{
    bool moved = false;
    for (uint32_t i = 0; i < s->dag->tasks; i++) {
        uint32_t task = weir_dag_at(s->dag, i);
        for (uint32_t e = s->dag->pred_first[task]; e < s->dag->pred_first[task + 1]; e++)
            moved |= relax(s, task, s->dag->pred[e], 0);
        for (uint32_t e = s->carried_first[task]; e < s->carried_first[task + 1]; e++)
            moved |= relax(s, task, s->carried->edges.at[e].earlier, s->carried->edges.at[e].distance);
    }
    return moved;
}

static double ratio_of_cycle(const search *s, uint32_t task)
{
    double cost = 0;
    uint32_t distance = 0, at = task;
    do {
        distance += s->parent_distance[at];
        at = s->parent[at];
        cost += (double)s->cost_ns[at];
    } while (at != task);
    return cost / distance;
}

/* The largest ratio of the cycles that parents form, and a task of that cycle; 0 if they form none. */
static double best_parent_cycle(search *s, uint32_t *task)
{
    double best = 0;
    memset(s->seen, 0, s->dag->tasks * sizeof *s->seen);
    for (uint32_t t = 0; t < s->dag->tasks; t++) {
        uint32_t at = t;
        while (at != NONE && s->seen[at] == 0) {
            s->seen[at] = t + 1;
            at = s->parent[at];
        }
        if (at == NONE || s->seen[at] != t + 1)
            continue;
        double ratio = ratio_of_cycle(s, at);
        if (ratio > best) {
            best = ratio;
            *task = at;
        }
    }
    return best;
}

static void keep_cycle(search *s, uint32_t task, double ratio)
{
    weir_recurrence *best = &s->best;
    while (s->parent_distance[task] == 0) /* carried edges alone lead back in the order of a frame, so there is one */
        task = s->parent[task];
    const uint32_t first = task;
    best->ratio_ns = ratio;
    best->count = best->distance = 0;
    do { /* backwards, from the last one */
        best->distance += s->parent_distance[task];
        task = s->parent[task];
        best->task[best->count++] = task;
    } while (task != first);
    for (uint32_t i = 0; i < best->count / 2; i++) {
        uint32_t other = best->task[i];
        best->task[i] = best->task[best->count - 1 - i];
        best->task[best->count - 1 - i] = other;
    }
}

static void find_ratio(search *s)
{
    memset(s->parent, 0xff, s->dag->tasks * sizeof *s->parent);
    for (int walks = 0; walks < WALKS_MOST && walk(s); walks++) {
        uint32_t task = NONE;
        double ratio = best_parent_cycle(s, &task);
        if (ratio <= s->price_ns)
            continue;
        s->price_ns = ratio;
        keep_cycle(s, task, ratio);
        memset(s->parent, 0xff, s->dag->tasks * sizeof *s->parent); /* they were right at the old price */
    }
}

static bool prepare(search *s)
{
    uint32_t tasks = s->dag->tasks;
    s->carried_first = weir_alloc((size_t)tasks + 1, sizeof *s->carried_first);
    s->start_ns = weir_alloc(tasks, sizeof *s->start_ns);
    s->parent = weir_alloc(tasks, sizeof *s->parent);
    s->parent_distance = weir_alloc(tasks, sizeof *s->parent_distance);
    s->seen = weir_alloc(tasks, sizeof *s->seen);
    s->best.task = weir_alloc(tasks, sizeof *s->best.task);
    if (!s->carried_first || !s->start_ns || !s->parent || !s->parent_distance || !s->seen || !s->best.task)
        return false;
    double total_ns = 0;
    for (uint32_t t = 0, i = 0; t < tasks; s->carried_first[++t] = i) {
        total_ns += (double)s->cost_ns[t];
        while (i < s->carried->edges.count && s->carried->edges.at[i].later == t)
            i++;
    }
    s->slack_ns = 1e-12 * total_ns; /* above what rounding adds up to */
    return true;
}

/* The cycle alone: room was for all tasks. */
static bool give(search *s, weir_recurrence *out)
{
    *out = s->best;
    out->task = s->best.count > 0 ? weir_alloc_copy(s->best.task, s->best.count * sizeof *out->task) : NULL;
    return s->best.count == 0 || out->task;
}

weir_status weir_recurrence_find(const weir_dag *dag, const weir_carried *carried, const float *cost_ns, weir_recurrence *out)
{
    *out = (weir_recurrence){0};
    if (carried->edges.count == 0)
        return WEIR_OK;
    search s = {.dag = dag, .carried = carried, .cost_ns = cost_ns};
    bool enough = prepare(&s);
    if (enough) {
        find_ratio(&s);
        enough = give(&s, out);
    }
    weir_free(s.carried_first);
    weir_free(s.start_ns);
    weir_free(s.parent);
    weir_free(s.parent_distance);
    weir_free(s.seen);
    weir_free(s.best.task);
    return enough ? WEIR_OK : weir_fail_no_memory();
}

void weir_recurrence_finish(weir_recurrence *recurrence)
{
    weir_free(recurrence->task);
    *recurrence = (weir_recurrence){0};
}
