/* declare.c - adding tasks: each kind with what it asks of its own, and what all have in common. */
#include "graph/graph.h"
#include <string.h>

enum { THREADS_IN_BLOCK_MOST = 1024 };

/* ---- any task ---- */


weir_graph_mark weir_graph_mark_of(const weir_graph *graph)
{
    const weir_body *body = graph->body;
    return (weir_graph_mark){body->tasks.count,  body->args.count,      body->derived.count,           body->boxes.count,     body->shapes.count,
                             body->values.count, body->explicits.count, body->explicits_carried.count, body->subgraphs.count,
                             body->controls.count, body->inner.count};
}

void weir_graph_back_to(weir_graph *graph, const weir_graph_mark *mark)
{
    weir_body *body = graph->body;
    body->tasks.count = mark->tasks;
    if (graph->stamps.count > mark->tasks)
        graph->stamps.count = mark->tasks;
    body->args.count = mark->args;
    body->derived.count = mark->derived;
    body->boxes.count = mark->boxes;
    body->shapes.count = mark->shapes;
    body->values.count = mark->values;
    body->explicits.count = mark->explicits;
    body->explicits_carried.count = mark->explicits_carried;
    body->subgraphs.count = mark->subgraphs;
    body->controls.count = mark->controls;
    while (body->inner.count > mark->inner)
        weir_body_release(body->inner.at[--body->inner.count]);
}

/* Only a loop's body may have such a task: said when the graph is no body. */
static void say_if_it_decides(weir_graph *graph, uint32_t task)
{
    if (weir_task_decides(graph->body, &graph->body->tasks.at[task]))
        weir_graph_fail_frame(graph, WEIR_ERR_INVALID, "task '%s' takes a WEIR_DECISION, but graph '%s' is not the body of a loop (weir_add_while): there is nothing to decide",
                              graph->body->tasks.at[task].name, graph->body->name);
}

uint32_t weir_graph_append(weir_graph *graph, const weir_new_task *new_task)
{
    if (weir_graph_check_args(graph, &new_task->record, new_task->args) != WEIR_OK)
        return 0;
    if (graph->status != WEIR_OK) /* it will not be planned any more, so what a failed add left half-done is never looked at */
        return 0;
    if (!weir_graph_own(graph))
        return 0;
    weir_body *body = graph->body;
    const weir_graph_mark before = weir_graph_mark_of(graph);
    if (!weir_vector_reserve(&body->tasks, 1) || !weir_vector_reserve(&body->shapes, 1))
        return weir_graph_no_memory(graph);
    weir_task_record record = new_task->record;
    record.arg_first = before.args;
    record.derived_first = before.derived;
    record.arg_count = (uint16_t)new_task->args.count;
    if (new_task->shape) {
        if (before.shapes == 0 || memcmp(&body->shapes.at[before.shapes - 1], new_task->shape, sizeof *new_task->shape) != 0)
            weir_vector_push(&body->shapes, *new_task->shape);
        record.with.shape = body->shapes.count - 1; /* kernels in a row often share one */
    }
    weir_vector_push(&body->tasks, record);
    bool complete = true;
    for (size_t i = 0; i < new_task->args.count && complete; i++)
        complete = weir_graph_keep_arg(graph, &new_task->args.arg[i]);
    if (complete && new_task->args.count > 0)
        complete = weir_graph_derive(graph, before.tasks);
    if (complete) {
        say_if_it_decides(graph, before.tasks);
        return before.tasks + 1;
    }
    weir_graph_no_memory(graph);
    weir_graph_back_to(graph, &before);
    return 0;
}

/* ---- each kind ---- */

static weir_task handle(const weir_graph *graph, uint32_t number)
{
    return number ? (weir_task){number, graph->body->id} : (weir_task){0, 0};
}

static weir_task null_task(const char *call)
{
    weir_fail(WEIR_ERR_INVALID, "%s: the graph is NULL", call);
    return (weir_task){0, 0};
}

static const char *name_or_question(const char *name)
{
    return name ? name : "?";
}

static weir_task refuse(weir_graph *graph, const char *name, const char *why)
{
    weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': %s", name_or_question(name), why);
    return (weir_task){0, 0};
}

static weir_shape with_ones(weir_shape shape)
{
    for (int i = 0; i < 3; i++) {
        shape.grid[i] = shape.grid[i] ? shape.grid[i] : 1;
        shape.block[i] = shape.block[i] ? shape.block[i] : 1;
        shape.cluster[i] = shape.cluster[i] ? shape.cluster[i] : 1;
    }
    return shape;
}

weir_task weir_add_kernel(weir_graph *graph, const weir_kernel *kernel, weir_shape shape, weir_args args)
{
    if (!graph)
        return null_task("weir_add_kernel");
    if (!kernel || !kernel->name)
        return refuse(graph, kernel ? kernel->name : NULL, "the kernel, or its name, is NULL");
    shape = with_ones(shape);
    uint64_t threads = 1;
    for (int i = 0; i < 3 && threads <= THREADS_IN_BLOCK_MOST; i++)
        threads *= shape.block[i];
    if (threads > THREADS_IN_BLOCK_MOST)
        return refuse(graph, kernel->name, "more than 1024 threads in a block");
    if (shape.grid[0] > INT32_MAX || shape.grid[1] > 65535 || shape.grid[2] > 65535)
        return refuse(graph, kernel->name, "the grid is too large: at most 2147483647 x 65535 x 65535 blocks");
    for (int i = 0; i < 3; i++)
        if (shape.cluster[i] > 1 && shape.grid[i] % shape.cluster[i] != 0)
            return refuse(graph, kernel->name, "the grid is no multiple of the cluster");
    weir_new_task task = {.record = {.name = kernel->name, .kind = WEIR_KIND_KERNEL, .code.kernel = kernel}, .args = args, .shape = &shape};
    return handle(graph, weir_graph_append(graph, &task));
}

static void extents(const weir_arg *arg, uint32_t n[3])
{
    bool whole = weir_box_is_whole(&arg->box);
    n[0] = whole ? arg->buffer->n[0] : arg->box.nx;
    n[1] = whole ? arg->buffer->n[1] : arg->box.ny ? arg->box.ny : 1;
    n[2] = whole ? arg->buffer->n[2] : arg->box.nz ? arg->box.nz : 1;
}

static const char *why_no_copy(const weir_arg *write, const weir_arg *read)
{
    if (write->mode != WEIR_ARG_WRITE || read->mode != WEIR_ARG_READ)
        return "a copy takes a WEIR_WRITE and a WEIR_READ, in this order";
    if (!write->buffer || !read->buffer)
        return "a copy needs two buffers, one is NULL";
    if ((write->flags | read->flags) & WEIR_ARG_HIDDEN)
        return "a copy's buffers cannot be hidden";
    if (write->buffer->element_bytes != read->buffer->element_bytes)
        return "the two buffers have elements of different size";
    uint32_t to[3], from[3];
    extents(write, to);
    extents(read, from);
    if (memcmp(to, from, sizeof to) != 0)
        return "the two boxes have different extents";
    if (write->buffer == read->buffer && read->back == 0) {
        weir_span a = weir_box_is_whole(&write->box) ? (weir_span){{0, 0, 0}, {to[0], to[1], to[2]}} : weir_span_of_box(&write->box);
        weir_span b = weir_box_is_whole(&read->box) ? (weir_span){{0, 0, 0}, {to[0], to[1], to[2]}} : weir_span_of_box(&read->box);
        if (weir_span_overlaps(&a, &b))
            return "the two boxes overlap";
    }
    return NULL;
}

weir_task weir_add_copy(weir_graph *graph, const char *name, weir_arg write, weir_arg read)
{
    if (!graph)
        return null_task("weir_add_copy");
    const char *why = name ? why_no_copy(&write, &read) : "a copy needs a name";
    if (why)
        return refuse(graph, name, why);
    weir_new_task task = {.record = {.name = name, .kind = WEIR_KIND_COPY}, .args = {(const weir_arg[]){write, read}, 2}};
    return handle(graph, weir_graph_append(graph, &task));
}

weir_task weir_add_fill(weir_graph *graph, const char *name, weir_arg write, const void *pattern, size_t pattern_bytes)
{
    if (!graph)
        return null_task("weir_add_fill");
    if (!name || !pattern)
        return refuse(graph, name, "a fill needs a name and a pattern");
    if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4)
        return refuse(graph, name, "the pattern must have 1, 2 or 4 bytes");
    if (write.mode != WEIR_ARG_WRITE || !write.buffer || (write.flags & WEIR_ARG_HIDDEN))
        return refuse(graph, name, "a fill takes a WEIR_WRITE of a buffer");
    uint32_t n[3];
    extents(&write, n);
    if (n[0] * write.buffer->element_bytes % pattern_bytes != 0)
        return refuse(graph, name, "the box's rows are no multiples of the pattern");
    unsigned char bytes[4];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = ((const unsigned char *)pattern)[i % pattern_bytes];
    weir_new_task task = {.record = {.name = name, .kind = WEIR_KIND_FILL}, .args = {&write, 1}};
    memcpy(&task.record.with.pattern.value, bytes, sizeof bytes);
    task.record.with.pattern.bytes = (uint32_t)pattern_bytes;
    return handle(graph, weir_graph_append(graph, &task));
}

weir_task weir_add_host(weir_graph *graph, const char *name, weir_host_fn *function, void *user, weir_args args)
{
    if (!graph)
        return null_task("weir_add_host");
    if (!name || !function)
        return refuse(graph, name, "a host task needs a name and a function");
    weir_new_task task = {.record = {.name = name, .kind = WEIR_KIND_HOST, .code.host = function, .with.user = user}, .args = args};
    return handle(graph, weir_graph_append(graph, &task));
}

weir_task weir_add_native(weir_graph *graph, const weir_native *native, void *user, weir_args args)
{
    if (!graph)
        return null_task("weir_add_native");
    if (!native || !native->name)
        return refuse(graph, native ? native->name : NULL, "the native, or its name, is NULL");
    weir_new_task task = {.record = {.name = native->name, .kind = WEIR_KIND_NATIVE, .code.native = native, .with.user = user}, .args = args};
    return handle(graph, weir_graph_append(graph, &task));
}

weir_task weir_add_empty(weir_graph *graph, const char *name)
{
    if (!graph)
        return null_task("weir_add_empty");
    if (!name)
        return refuse(graph, name, "an empty task needs a name");
    weir_new_task task = {.record = {.name = name, .kind = WEIR_KIND_EMPTY}};
    return handle(graph, weir_graph_append(graph, &task));
}
