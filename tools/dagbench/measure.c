/* measure.c - see measure.h. Every repetition declares and plans anew; the last plan is the one that runs. */
#include "measure.h"
#include "tally.h"
#include "weir/weir.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The allocator that counts: each block begins with its size. */
typedef struct {
    alignas(max_align_t) size_t bytes;
} block;

static atomic_size_t live_bytes;

static void *counting_resize(void *memory, size_t bytes)
{
    block *old = memory ? (block *)memory - 1 : NULL;
    size_t old_bytes = old ? old->bytes : 0;
    if (bytes == 0) {
        free(old);
        atomic_fetch_sub_explicit(&live_bytes, old_bytes, memory_order_relaxed);
        return NULL;
    }
    block *resized = bytes <= SIZE_MAX - sizeof *resized ? realloc(old, bytes + sizeof *resized) : NULL;
    if (!resized)
        return NULL;
    resized->bytes = bytes;
    atomic_fetch_add_explicit(&live_bytes, bytes - old_bytes, memory_order_relaxed);
    return resized + 1;
}

void measure_prepare(void)
{
    weir_set_allocator(counting_resize);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, uint32_t count)
{
    qsort(value, count, sizeof *value, ascending);
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/* What a measurement holds; everything may be missing. */
typedef struct {
    tally counts;
    weir_graph *graph;
    weir_plan *plan;
    weir_runtime *runtime;
    weir_exec *exec;
    double *times[3]; /* declare, plan, run */
    uint32_t frames;  /* run so far */
} bench;

static weir_status declare(bench *b, const shape *s)
{
    weir_status status = weir_graph_create("dagbench", WEIR_GRAPH_EXPLICIT, &b->graph);
    if (status != WEIR_OK)
        return status;
    weir_task first = {0}, task = {0};
    for (uint32_t t = 0; t < s->tasks; t++) {
        task = weir_add_host(b->graph, "task", tally_run, &b->counts.task[t], weir_no_args());
        if (t == 0)
            first = task;
        for (uint32_t i = s->first[t]; i < s->first[t + 1]; i++)
            weir_after(b->graph, task, (weir_task){first.number + s->pred[i], first.graph});
    }
    return weir_graph_status(b->graph);
}

static weir_status declare_and_plan(bench *b, const shape *s, uint32_t repeat, figures *out)
{
    for (uint32_t i = 0; i < repeat; i++) {
        weir_plan_destroy(b->plan);
        weir_graph_destroy(b->graph);
        b->plan = NULL;
        b->graph = NULL;

        size_t bytes_before = atomic_load(&live_bytes);
        double start = now_ns();
        weir_status status = declare(b, s);
        double declared = now_ns();
        if (status == WEIR_OK)
            status = weir_plan_create(b->graph, NULL, &b->plan);
        double planned = now_ns();
        if (status != WEIR_OK)
            return status;
        b->times[0][i] = declared - start;
        b->times[1][i] = planned - declared;
        out->bytes = (double)(atomic_load(&live_bytes) - bytes_before) / s->tasks;
    }
    return WEIR_OK;
}

static weir_status run_frame(bench *b, double *ns)
{
    weir_ticket ticket;
    double start = now_ns();
    weir_status status = weir_exec_submit(b->exec, &ticket);
    if (status == WEIR_OK)
        status = weir_exec_wait(b->exec, ticket, -1);
    *ns = now_ns() - start;
    b->frames++;
    return status;
}

/* Two checked frames, the second on warm caches, then the measured ones. */
static weir_status run(bench *b, uint32_t repeat)
{
    double unused;
    weir_status status = weir_runtime_create(NULL, &b->runtime);
    if (status == WEIR_OK)
        status = weir_exec_create(b->runtime, b->plan, NULL, &b->exec);
    b->counts.checking = true;
    for (int i = 0; i < 2 && status == WEIR_OK; i++)
        status = run_frame(b, &unused);
    b->counts.checking = false;
    for (uint32_t i = 0; i < repeat && status == WEIR_OK; i++)
        status = run_frame(b, &b->times[2][i]);
    return status;
}

static void tell(bench *b, const shape *s, uint32_t repeat, figures *out)
{
    weir_plan_summary summary;
    weir_stats stats;
    weir_plan_summarise(b->plan, &summary);
    weir_exec_stats(b->exec, &stats);
    out->backend = weir_runtime_backend(b->runtime);
    out->mode = stats.mode;
    out->policy = summary.policy;
    out->lanes = summary.lanes;
    out->workers = weir_runtime_workers(b->runtime);
    out->declare_ns = median(b->times[0], repeat) / s->tasks;
    out->plan_ns = median(b->times[1], repeat) / s->tasks;
    out->run_ns = median(b->times[2], repeat) / s->tasks;
}

bool measure(const shape *graph, uint32_t repeat, figures *out, char *error, size_t error_bytes)
{
    bench b = {.graph = NULL};
    bool right = tally_init(&b.counts, graph);
    for (int i = 0; i < 3; i++)
        right = (b.times[i] = malloc(repeat * sizeof *b.times[i])) && right;
    if (!right)
        snprintf(error, error_bytes, "out of memory, use fewer --tasks");
    if (right) {
        weir_status status = declare_and_plan(&b, graph, repeat, out);
        if (status == WEIR_OK)
            status = run(&b, repeat);
        if (status != WEIR_OK)
            snprintf(error, error_bytes, "%s", weir_last_error());
        right = status == WEIR_OK && tally_is_right(&b.counts, b.frames, error, error_bytes);
    }
    if (right)
        tell(&b, graph, repeat, out);
    weir_exec_destroy(b.exec);
    weir_runtime_destroy(b.runtime);
    weir_plan_destroy(b.plan);
    weir_graph_destroy(b.graph);
    tally_finish(&b.counts);
    for (int i = 0; i < 3; i++)
        free(b.times[i]);
    return right;
}
