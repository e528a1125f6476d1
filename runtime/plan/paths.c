/* paths.c - one walk along a topological order for the levels, one against it for the tails. */
#include "plan/paths.h"
#include "util/memory.h"
#include "util/status.h"

static uint32_t find_levels(const weir_dag *dag, uint32_t *level)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dag->tasks; i++) {
        uint32_t task = weir_dag_at(dag, i), lowest = 0;
        for (uint32_t e = dag->pred_first[task]; e < dag->pred_first[task + 1]; e++)
            if (lowest <= level[dag->pred[e]])
                lowest = level[dag->pred[e]] + 1;
        level[task] = lowest;
        if (count <= lowest)
            count = lowest + 1;
    }
    return count;
}

/* A counting sort. `first` is moved on while tasks are put down, and then shifted back by one. */
static void sort_by_level(uint32_t tasks, weir_levels *levels)
{
    for (uint32_t t = 0; t < tasks; t++)
        levels->first[levels->level[t] + 1]++;
    for (uint32_t l = 0; l < levels->count; l++) {
        if (levels->width < levels->first[l + 1])
            levels->width = levels->first[l + 1];
        levels->first[l + 1] += levels->first[l];
    }
    for (uint32_t t = 0; t < tasks; t++)
        levels->by_level[levels->first[levels->level[t]]++] = t;
    for (uint32_t l = levels->count; l > 0; l--)
        levels->first[l] = levels->first[l - 1];
    levels->first[0] = 0;
}

weir_status weir_levels_create(const weir_dag *dag, weir_levels *out)
{
    weir_levels made = {0};
    made.level = weir_alloc(dag->tasks, sizeof *made.level);
    if (made.level)
        made.count = find_levels(dag, made.level);
    made.first = weir_alloc((size_t)made.count + 1, sizeof *made.first);
    made.by_level = weir_alloc(dag->tasks, sizeof *made.by_level);
    if (!made.level || !made.first || !made.by_level) {
        weir_levels_finish(&made);
        return weir_fail_no_memory();
    }
    sort_by_level(dag->tasks, &made);
    *out = made;
    return WEIR_OK;
}

void weir_levels_finish(weir_levels *levels)
{
    weir_free(levels->level);
    weir_free(levels->first);
    weir_free(levels->by_level);
    *levels = (weir_levels){0};
}

double *weir_tails_create(const weir_dag *dag, const float *cost_ns)
{
    double *tail = weir_alloc(dag->tasks, sizeof *tail);
    for (uint32_t i = tail ? dag->tasks : 0; i-- > 0;) {
        uint32_t task = weir_dag_at(dag, i);
        double longest = 0;
        for (uint32_t e = dag->succ_first[task]; e < dag->succ_first[task + 1]; e++)
            if (longest < tail[dag->succ[e]])
                longest = tail[dag->succ[e]];
        tail[task] = longest + (double)cost_ns[task];
    }
    return tail;
}
