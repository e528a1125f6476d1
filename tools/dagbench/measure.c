/* measure.c - see measure.h. Every repetition declares and plans anew; the last plan is the one that runs. */
#include "measure.h"
#include "counting.h"
#include "declaration.h"
#include "openmp.h"
#include "tally.h"
#include "timing.h"
#include "weir/weir.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { DECLARE, PLAN, RUN, OPENMP, TIMES };
enum { CHECKED = 2 }; /* frames before those that are measured */

/* What a measurement holds; everything may be missing. */
typedef struct {
    tally counts;
    declaration_data data;
    weir_graph *graph;
    weir_plan *plan;
    weir_runtime *runtime;
    weir_exec *exec;
    double *times[TIMES];
    uint32_t frames; /* run so far, OpenMP's too */
} bench;

static weir_status declare_and_plan(bench *b, const shape *s, uint32_t repeat, figures *out)
{
    for (uint32_t i = 0; i < repeat; i++) {
        weir_plan_destroy(b->plan);
        weir_graph_destroy(b->graph);
        b->plan = NULL;
        b->graph = NULL;

        size_t bytes_before = counting_live_bytes();
        double start = timing_now_ns();
        weir_status status = declaration_of(s, &b->data, &b->counts, &b->graph);
        double declared = timing_now_ns();
        if (status == WEIR_OK)
            status = weir_plan_create(b->graph, NULL, &b->plan);
        double planned = timing_now_ns();
        if (status != WEIR_OK)
            return status;
        b->times[DECLARE][i] = declared - start;
        b->times[PLAN][i] = planned - declared;
        out->bytes = (double)(counting_live_bytes() - bytes_before) / s->tasks;
    }
    return WEIR_OK;
}

static weir_status run_frame(bench *b, double *ns)
{
    weir_ticket ticket;
    double start = timing_now_ns();
    weir_status status = weir_exec_submit(b->exec, &ticket);
    if (status == WEIR_OK)
        status = weir_exec_wait(b->exec, ticket, -1);
    *ns = timing_now_ns() - start;
    b->frames++;
    return status;
}

/* Two checked frames, the second on warm caches, then the measured ones. */
static weir_status run_weir(bench *b, uint32_t repeat)
{
    double unused;
    weir_status status = weir_runtime_create(NULL, &b->runtime);
    if (status == WEIR_OK)
        status = weir_exec_create(b->runtime, b->plan, NULL, &b->exec);
    b->counts.checking = true;
    for (int i = 0; i < CHECKED && status == WEIR_OK; i++)
        status = run_frame(b, &unused);
    b->counts.checking = false;
    for (uint32_t i = 0; i < repeat && status == WEIR_OK; i++)
        status = run_frame(b, &b->times[RUN][i]);
    return status;
}

/* The same frames, on the same counts; weir's runtime is gone by then. */
static void run_openmp(bench *b, const shape *s, uint32_t threads, uint32_t repeat)
{
    for (uint32_t i = 0; i < CHECKED + repeat; i++) {
        b->counts.checking = i < CHECKED;
        double start = timing_now_ns();
        openmp_run(s, threads, tally_count, b->counts.task, sizeof *b->counts.task);
        if (i >= CHECKED)
            b->times[OPENMP][i - CHECKED] = timing_now_ns() - start;
        b->frames++;
    }
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
    out->openmp_ns = 0;
    out->declare_ns = timing_median(b->times[DECLARE], repeat) / s->tasks;
    out->plan_ns = timing_median(b->times[PLAN], repeat) / s->tasks;
    out->run_ns = timing_median(b->times[RUN], repeat) / s->tasks;
}

static bool measure_openmp(bench *b, const shape *s, uint32_t repeat, figures *out, char *error, size_t error_bytes)
{
    run_openmp(b, s, out->workers, repeat);
    out->openmp_ns = timing_median(b->times[OPENMP], repeat) / s->tasks;
    char wrong[256];
    bool right = tally_is_right(&b->counts, b->frames, wrong, sizeof wrong);
    if (!right)
        snprintf(error, error_bytes, "as OpenMP tasks: %s", wrong);
    return right;
}

bool measure(const shape *graph, uint32_t repeat, figures *out, char *error, size_t error_bytes)
{
    bench b = {.graph = NULL};
    bool right = tally_init(&b.counts, graph);
    for (int i = 0; i < TIMES; i++)
        right = (b.times[i] = malloc(repeat * sizeof *b.times[i])) && right;
    if (!right)
        snprintf(error, error_bytes, "out of memory, use fewer --tasks");
    if (right) {
        weir_status status = declaration_data_init(&b.data, graph, WEIR_HOST_LOCAL);
        if (status == WEIR_OK)
            status = declare_and_plan(&b, graph, repeat, out);
        if (status == WEIR_OK)
            status = run_weir(&b, repeat);
        if (status != WEIR_OK)
            snprintf(error, error_bytes, "%s", weir_last_error());
        right = status == WEIR_OK && tally_is_right(&b.counts, b.frames, error, error_bytes);
    }
    if (right)
        tell(&b, graph, repeat, out);
    weir_exec_destroy(b.exec);
    weir_runtime_destroy(b.runtime);
    if (right && openmp_is_there())
        right = measure_openmp(&b, graph, repeat, out, error, error_bytes);
    weir_plan_destroy(b.plan);
    weir_graph_destroy(b.graph);
    declaration_data_finish(&b.data);
    tally_finish(&b.counts);
    for (int i = 0; i < TIMES; i++)
        free(b.times[i]);
    return right;
}
