/* declaration.c - see declaration.h. One loop for each kind of shape, since each is what is timed. */
#include "declaration.h"
#include <stdio.h>

enum { BOX_SIDE = 8 };

weir_status declaration_data_init(declaration_data *data, const shape *s, weir_place place)
{
    const uint32_t side = BOX_SIDE * TOUCHED_BOXES_SIDE;
    weir_buffer_desc desc = {.element_bytes = sizeof(float), .nx = 1, .place = place};
    uint32_t count = 0;
    if (s->kind == SHAPE_BUFFERS)
        count = TOUCHED_BUFFERS;
    if (s->kind == SHAPE_BOXES) {
        count = 1;
        desc.nx = desc.ny = side;
    }
    *data = (declaration_data){0};
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < count && status == WEIR_OK; i++) {
        char name[16];
        snprintf(name, sizeof name, "data %u", (unsigned)i);
        desc.name = name;
        status = weir_buffer_create(&desc, &data->buffer[i]);
    }
    return status;
}

void declaration_data_finish(declaration_data *data)
{
    for (uint32_t i = 0; i < TOUCHED_BUFFERS; i++)
        weir_buffer_destroy(data->buffer[i]);
}

static void declare_edges(weir_graph *graph, const shape *s, tally *counts)
{
    weir_task first = {0}, task = {0};
    for (uint32_t t = 0; t < s->tasks; t++) {
        task = weir_add_host(graph, "task", tally_run, &counts->task[t], weir_no_args());
        if (t == 0)
            first = task;
        for (uint32_t i = s->first[t]; i < s->first[t + 1]; i++)
            weir_after(graph, task, (weir_task){first.number + s->pred[i], first.graph});
    }
}

static void declare_buffers(weir_graph *graph, const shape *s, const declaration_data *data, tally *counts)
{
    weir_buffer *const *buffer = data->buffer;
    for (uint32_t t = 0; t < s->tasks; t++) {
        const uint16_t *touched = s->touched + (size_t)t * 3;
        weir_add_host(graph, "task", tally_run, &counts->task[t],
                      WEIR_ARGS(WEIR_READ(buffer[touched[0]]), WEIR_READ(buffer[touched[1]]), WEIR_READ_WRITE(buffer[touched[2]])));
    }
}

static void declare_boxes(weir_graph *graph, const shape *s, const declaration_data *data, tally *counts)
{
    for (uint32_t t = 0; t < s->tasks; t++) {
        uint32_t column = s->touched[t] % TOUCHED_BOXES_SIDE, row = s->touched[t] / TOUCHED_BOXES_SIDE;
        weir_box box = {.x = column * BOX_SIDE, .y = row * BOX_SIDE, .nx = BOX_SIDE, .ny = BOX_SIDE};
        weir_add_host(graph, "task", tally_run, &counts->task[t], WEIR_ARGS(weir_part(WEIR_READ_WRITE(data->buffer[0]), box)));
    }
}

weir_status declaration_of(const shape *s, const declaration_data *data, tally *counts, weir_graph **out)
{
    weir_status status = weir_graph_create("dagbench", s->kind == SHAPE_EDGES ? WEIR_GRAPH_EXPLICIT : 0, out);
    if (status != WEIR_OK)
        return status;
    switch (s->kind) {
    case SHAPE_EDGES:
        declare_edges(*out, s, counts);
        break;
    case SHAPE_BUFFERS:
        declare_buffers(*out, s, data, counts);
        break;
    case SHAPE_BOXES:
        declare_boxes(*out, s, data, counts);
        break;
    }
    return weir_graph_status(*out);
}

/* ---- kernels: not timed, so one loop does for all kinds of shape ---- */

static uint32_t arguments_of(const declared_kernel *declared, const uint32_t *task, weir_arg *arg)
{
    uint32_t count = 0;
    if (declared->ticks)
        arg[count++] = WEIR_VALUE(declared->ticks);
    if (declared->param)
        arg[count++] = WEIR_PARAM(declared->param);
    if (declared->records) {
        arg[count++] = WEIR_VALUE(declared->records);
        arg[count++] = WEIR_VALUE(*task);
    }
    return count;
}

/* What orders the task, and its kernel is not passed. */
static uint32_t accesses_of(const shape *s, const declaration_data *data, uint32_t t, weir_arg *arg)
{
    uint32_t count = touched_a_task(s->kind);
    if (!s->touched)
        return 0;
    const uint16_t *touched = s->touched + (size_t)t * count;
    if (s->kind == SHAPE_BUFFERS)
        for (uint32_t i = 0; i < count; i++)
            arg[i] = weir_hidden(i + 1 < count ? WEIR_READ(data->buffer[touched[i]]) : WEIR_READ_WRITE(data->buffer[touched[i]]));
    if (s->kind == SHAPE_BOXES) {
        weir_box box = {.x = touched[0] % TOUCHED_BOXES_SIDE * BOX_SIDE, .y = touched[0] / TOUCHED_BOXES_SIDE * BOX_SIDE,
            .nx = BOX_SIDE, .ny = BOX_SIDE};
        arg[0] = weir_hidden(weir_part(WEIR_READ_WRITE(data->buffer[0]), box));
    }
    return count;
}

weir_status declaration_of_kernels(const shape *s, const declaration_data *data, const declared_kernel *declared, weir_graph **out)
{
    weir_status status = weir_graph_create("dagbench", s->kind == SHAPE_EDGES ? WEIR_GRAPH_EXPLICIT : 0, out);
    if (status != WEIR_OK)
        return status;
    const weir_shape launch = {.block = {SPIN_THREADS, 1, 1}};
    weir_task first = {0};
    for (uint32_t t = 0; t < s->tasks; t++) {
        weir_arg arg[8];
        uint32_t count = arguments_of(declared, &t, arg);
        count += accesses_of(s, data, t, arg + count);
        weir_task task = weir_add_kernel(*out, declared->kernel, launch, (weir_args){arg, count});
        if (t == 0)
            first = task;
        for (uint32_t i = s->first[t]; s->kind == SHAPE_EDGES && i < s->first[t + 1]; i++)
            weir_after(*out, task, (weir_task){first.number + s->pred[i], first.graph});
    }
    return weir_graph_status(*out);
}
