/* random_plan.h - plans of random graphs that were declared, with rings, carried edges, priorities and costs. */
#ifndef WEIR_TESTS_PLAN_RANDOM_PLAN_H
#define WEIR_TESTS_PLAN_RANDOM_PLAN_H

#include "plan/plan.h"
#include "util/random.h"
#include "weir/graph.h"
#include <check.h>
#include <stdio.h>

enum { MOST_TASKS = 64, BUFFERS = 8 };

static inline void no_work(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

static const weir_kernel kernel = {.name = "kernel", .host = no_work};

typedef struct {
    weir_graph *graph;
    weir_buffer *buffer[BUFFERS];
} random_graph;

static char task_names[MOST_TASKS][16]; /* the same for every graph; kept by plans, not copied */

/* A graph of kernels that read and write plain buffers, rings of 2 and 3 and their earlier copies, with a few explicit edges, priorities
 * and costs. */
static inline void make_graph(random_graph *r, uint64_t *seed, uint32_t tasks)
{
    uint32_t buffers = 2 + weir_random_below(seed, BUFFERS - 1);
    ck_assert_int_eq(weir_graph_create("random", 0, &r->graph), WEIR_OK);
    for (uint32_t i = 0; i < buffers; i++)
        ck_assert_int_eq(
            weir_buffer_create(&(weir_buffer_desc){.name = "data", .element_bytes = 4, .nx = 4, .copies = i % 3 + 1}, &r->buffer[i]),
            WEIR_OK);
    bool written[BUFFERS] = {false};
    weir_task before[MOST_TASKS];
    for (uint32_t t = 0; t < tasks; t++) {
        weir_arg arg[3];
        size_t args = 0;
        uint32_t target = weir_random_below(seed, buffers), source = weir_random_below(seed, buffers);
        arg[args++] = written[target] || target % 3 == 0 ? WEIR_READ_WRITE(r->buffer[target]) : WEIR_WRITE(r->buffer[target]);
        if (source % 3 > 0 && weir_random_below(seed, 2))
            arg[args++] = WEIR_PREVIOUS(r->buffer[source], 1 + weir_random_below(seed, source % 3));
        else if (source != target && written[source])
            arg[args++] = WEIR_READ(r->buffer[source]);
        written[target] = true;
        snprintf(task_names[t], sizeof task_names[t], "t%u", t);
        before[t] = weir_add_kernel(r->graph, &kernel, (weir_shape){0}, (weir_args){arg, args});
        weir_task_set(r->graph, before[t],
                      &(weir_task_options){.name = task_names[t],
                                           .priority = -(int32_t)weir_random_below(seed, 3),
                                           .cost_ns = 100 + weir_random_below(seed, 900)});
        if (t > 0 && weir_random_below(seed, 4) == 0)
            weir_after(r->graph, before[t], before[weir_random_below(seed, t)]);
        if (weir_random_below(seed, 8) == 0)
            weir_after_previous(r->graph, before[weir_random_below(seed, t + 1)], before[t], 1 + weir_random_below(seed, 3));
    }
    ck_assert_msg(weir_graph_status(r->graph) == WEIR_OK, "%s", weir_last_error());
}

static inline void finish_graph(random_graph *r)
{
    weir_graph_destroy(r->graph);
    for (uint32_t i = 0; i < BUFFERS; i++)
        weir_buffer_destroy(r->buffer[i]);
}

static inline weir_plan *make_plan(uint64_t *seed, uint32_t most_tasks)
{
    static const char *const policies[] = {"priority", "round_robin"};
    random_graph r = {0};
    weir_plan *plan = NULL;
    make_graph(&r, seed, 2 + weir_random_below(seed, most_tasks - 1));
    weir_plan_options options = {
        .policy = policies[weir_random_below(seed, 2)], .lanes = 1 + weir_random_below(seed, 9), .frames = 1 + weir_random_below(seed, 4)};
    ck_assert_msg(weir_plan_create(r.graph, &options, &plan) == WEIR_OK, "%s", weir_last_error());
    finish_graph(&r);
    return plan;
}

#endif
