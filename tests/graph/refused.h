/* refused.h - buffers of each kind, and calls that want to be refused with the words they must say. */
#ifndef WEIR_TESTS_GRAPH_REFUSED_H
#define WEIR_TESTS_GRAPH_REFUSED_H

#include "graph/declare.h"

static const weir_kernel kernel = {.name = "jacobi"};

/* Buffers of each kind, the same for every case. */
static weir_buffer *device, *in, *out, *local, *ring, *automatic, *wide;
static weir_param *gain;
static float half = 0.5f;

static inline void set_up(void)
{
    device = buffer_of((weir_buffer_desc){.name = "device", .element_bytes = 4, .nx = 16, .ny = 8});
    in = buffer_of((weir_buffer_desc){.name = "in", .element_bytes = 4, .nx = 16, .place = WEIR_HOST_IN});
    out = buffer_of((weir_buffer_desc){.name = "out", .element_bytes = 4, .nx = 16, .place = WEIR_HOST_OUT});
    local = buffer_make("local", 1);
    ring = buffer_make("ring", 3);
    automatic = buffer_make("automatic", WEIR_RING_AUTO);
    wide = buffer_of((weir_buffer_desc){.name = "wide", .element_bytes = 3, .nx = 16, .ny = 8});
    ck_assert_int_eq(weir_param_create("gain", &half, sizeof half, &gain), WEIR_OK);
}

static inline void tear_down(void)
{
    weir_buffer *all[] = {device, in, out, local, ring, automatic, wide};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        weir_buffer_destroy(all[i]);
    weir_param_destroy(gain);
}

/* Evaluates `call`, which declares something in graph `g`, and wants it refused with this status and a text that says all of this. */
#define REFUSED(status, call, ...)                                                                                                         \
    do {                                                                                                                                   \
        weir_graph *g = graph_make(0);                                                                                                     \
        weir_task refused_task = call;                                                                                                     \
        check_refused(g, refused_task, status, (const char *const[]){__VA_ARGS__, NULL});                                                  \
    } while (0)

static inline void check_refused(weir_graph *graph, weir_task task, weir_status status, const char *const *texts)
{
    const weir_body *body = weir_graph_body(graph);
    ck_assert_uint_eq(task.number, 0);
    ck_assert_uint_eq(task.graph, 0);
    ck_assert_uint_eq(weir_graph_task_count(graph), 0);
    ck_assert_uint_eq(body->args.count, 0);
    ck_assert_uint_eq(body->boxes.count, 0);
    ck_assert_uint_eq(body->shapes.count, 0);
    ck_assert_uint_eq(body->values.count, 0);
    ck_assert_int_eq(weir_graph_status(graph), status);
    for (; *texts; texts++)
        says(weir_last_error(), *texts);
    weir_graph_destroy(graph);
}

#define KERNEL(...) weir_add_kernel(g, &kernel, (weir_shape){.grid = {1}}, WEIR_ARGS(__VA_ARGS__))
#define HOST(...) task_add(g, "host", WEIR_ARGS(__VA_ARGS__))

#endif
