/* dag.c - joins derived and explicit edges into one adjacency, and finds an order or the cycle that forbids one. */
#include "graph/dag.h"
#include "util/sort.h"
#include "util/status.h"
#include <stdio.h>
#include <string.h>

/* Predecessors: derived ones first, then explicit ones by counting; sorted, doubles dropped. */
static bool gather_preds(const weir_body *body, weir_dag *dag)
{
    const uint32_t n = body->tasks.count;
    uint64_t most = (uint64_t)body->derived.count + body->explicits.count;
    if (most > UINT32_MAX)
        return false;
    dag->pred_first = weir_alloc((size_t)n + 1, sizeof *dag->pred_first);
    dag->pred = weir_resize(NULL, most ? most * sizeof *dag->pred : 1);
    uint32_t *end = weir_alloc((size_t)n + 1, sizeof *end); /* where the next predecessor of a task goes */
    if (!dag->pred_first || !dag->pred || !end) {
        weir_free(end);
        return false;
    }
    for (uint32_t i = 0; i < body->explicits.count; i++)
        end[body->explicits.at[i].later]++;
    uint32_t sum = 0;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t derived = weir_derived_end(body, t) - body->tasks.at[t].derived_first, all = derived + end[t];
        dag->pred_first[t] = sum;
        for (uint32_t i = 0; i < derived; i++)
            dag->pred[sum + i] = body->derived.at[body->tasks.at[t].derived_first + i];
        end[t] = sum + derived;
        sum += all;
    }
    dag->pred_first[n] = sum;
    for (uint32_t i = 0; i < body->explicits.count; i++)
        dag->pred[end[body->explicits.at[i].later]++] = body->explicits.at[i].earlier;
    weir_free(end);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t first = dag->pred_first[t], count = dag->pred_first[t + 1] - first;
        weir_sort_u32(dag->pred + first, count);
        dag->pred_first[t] = kept;
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || dag->pred[first + i] != dag->pred[first + i - 1])
                dag->pred[kept++] = dag->pred[first + i];
    }
    dag->pred_first[n] = kept;
    dag->edges = kept;
    if (kept > 0 && kept < most / 2) {
        uint32_t *smaller = weir_resize(dag->pred, kept * sizeof *dag->pred);
        dag->pred = smaller ? smaller : dag->pred;
    }
    return true;
}

static bool turn_round(weir_dag *dag)
{
    const uint32_t n = dag->tasks;
    dag->succ_first = weir_alloc((size_t)n + 2, sizeof *dag->succ_first);
    dag->succ = weir_resize(NULL, dag->edges ? dag->edges * sizeof *dag->succ : 1);
    if (!dag->succ_first || !dag->succ)
        return false;
    uint32_t *next = dag->succ_first + 1; /* shifted by one while filling, so that it ends as it should begin */
    for (uint32_t i = 0; i < dag->edges; i++)
        next[dag->pred[i] + 1]++;
    for (uint32_t t = 0; t < n; t++)
        next[t + 1] += next[t];
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t i = dag->pred_first[t]; i < dag->pred_first[t + 1]; i++)
            dag->succ[next[dag->pred[i]]++] = t;
    return true;
}

/* Every task of `waiting` has a predecessor in it: walking back from any must come round. */
static weir_status name_cycle(const weir_body *body, const weir_dag *dag, const uint32_t *waiting)
{
    enum { NAMED_MOST = 12 };
    uint32_t *seen = weir_alloc(dag->tasks, sizeof *seen), *path = weir_alloc(dag->tasks, sizeof *path);
    if (!seen || !path) {
        weir_free(seen);
        weir_free(path);
        return weir_fail_no_memory();
    }
    uint32_t t = 0, length = 0;
    while (!waiting[t])
        t++;
    while (!seen[t]) {
        seen[t] = ++length;
        path[length - 1] = t;
        uint32_t i = dag->pred_first[t];
        while (!waiting[dag->pred[i]])
            i++;
        t = dag->pred[i];
    }
    uint32_t first = seen[t] - 1, count = length - first; /* path[first..] walks the cycle backwards */
    char text[768];
    size_t used = (size_t)snprintf(text, sizeof text, "cycle: '%s'", body->tasks.at[t].name);
    for (uint32_t i = 0; i < count && used < sizeof text; i++) {
        uint32_t left_out = count > NAMED_MOST && i == NAMED_MOST / 2 ? count - NAMED_MOST : 0;
        if (left_out) {
            used += (size_t)snprintf(text + used, sizeof text - used, " -> (%u more)", left_out);
            i += left_out - 1;
        } else {
            used += (size_t)snprintf(text + used, sizeof text - used, " -> '%s'", body->tasks.at[path[length - 1 - i]].name);
        }
    }
    weir_free(seen);
    weir_free(path);
    return weir_fail(WEIR_ERR_CYCLE, "%s", text);
}

/* Kahn 1962. */
static weir_status find_order(const weir_body *body, weir_dag *dag)
{
    const uint32_t n = dag->tasks;
    dag->order = weir_alloc(n, sizeof *dag->order);
    uint32_t *waiting = weir_alloc(n, sizeof *waiting); /* for how many predecessors */
    weir_status status = dag->order && waiting ? WEIR_OK : weir_fail_no_memory();
    uint32_t done = 0, ready = 0;
    for (uint32_t t = 0; t < n && status == WEIR_OK; t++) {
        waiting[t] = dag->pred_first[t + 1] - dag->pred_first[t];
        if (waiting[t] == 0)
            dag->order[ready++] = t;
    }
    for (; done < ready; done++) {
        uint32_t t = dag->order[done];
        for (uint32_t i = dag->succ_first[t]; i < dag->succ_first[t + 1]; i++)
            if (--waiting[dag->succ[i]] == 0)
                dag->order[ready++] = dag->succ[i];
    }
    if (status == WEIR_OK && done < n)
        status = name_cycle(body, dag, waiting);
    weir_free(waiting);
    return status;
}

weir_status weir_dag_create(const weir_body *body, weir_dag *out)
{
    weir_dag dag = {.tasks = body->tasks.count};
    weir_status status = gather_preds(body, &dag) && turn_round(&dag) ? WEIR_OK : weir_fail_no_memory();
    if (status == WEIR_OK && body->backwards)
        status = find_order(body, &dag);
    if (status != WEIR_OK) {
        weir_dag_finish(&dag);
        return status;
    }
    *out = dag;
    return WEIR_OK;
}

void weir_dag_finish(weir_dag *dag)
{
    weir_free(dag->pred_first);
    weir_free(dag->pred);
    weir_free(dag->succ_first);
    weir_free(dag->succ);
    weir_free(dag->order);
    *dag = (weir_dag){0};
}
