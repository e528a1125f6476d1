/* args.c - arguments of tasks: whether they make sense, and how they are kept. */
#include "graph/graph.h"
#include <string.h>

enum { ARGS_MOST = 65535, VALUE_BYTES_MOST = 65536 };

/* ---- buffers and params of a graph ---- */


static uint32_t buffer_index(weir_graph *graph, weir_buffer *buffer)
{
    weir_body *body = graph->body;
    unsigned long long hint = atomic_load_explicit(&buffer->hint, memory_order_relaxed);
    uint32_t at = (uint32_t)hint;
    if (hint >> 32 == body->id && at < body->buffers.count && body->buffers.at[at].buffer == buffer)
        return at;
    at = weir_table_get_pointer(graph->indices, buffer);
    if (at == UINT32_MAX) {
        at = body->buffers.count;
        if (!weir_vector_reserve(&body->buffers, 1) || !weir_vector_reserve(&graph->states, 1) ||
            !weir_table_put_pointer(graph->indices, buffer, at))
            return UINT32_MAX;
        weir_vector_push(&body->buffers, ((weir_buffer_record){.buffer = weir_buffer_hold(buffer)}));
        weir_vector_push(&graph->states, ((weir_buffer_state){.early_toucher = UINT32_MAX}));
    }
    atomic_store_explicit(&buffer->hint, (unsigned long long)body->id << 32 | at, memory_order_relaxed);
    return at;
}

static uint32_t param_index(weir_graph *graph, weir_param *param)
{
    weir_body *body = graph->body;
    uint32_t at = weir_table_get_pointer(graph->indices, param);
    if (at != UINT32_MAX)
        return at;
    at = body->params.count;
    if (!weir_vector_reserve(&body->params, 1) || !weir_table_put_pointer(graph->indices, param, at))
        return UINT32_MAX;
    weir_vector_push(&body->params, weir_param_hold(param));
    return at;
}

/* ---- checking ---- */


static bool box_fits(const weir_buffer *buffer, const weir_box *box)
{
    uint64_t end[3] = {(uint64_t)box->x + box->nx, (uint64_t)box->y + (box->ny ? box->ny : 1), (uint64_t)box->z + (box->nz ? box->nz : 1)};
    return box->nx > 0 && end[0] <= buffer->n[0] && end[1] <= buffer->n[1] && end[2] <= buffer->n[2];
}

static const char *place_name(weir_place place)
{
    static const char *const names[] = {"WEIR_DEVICE", "WEIR_HOST_IN", "WEIR_HOST_OUT", "WEIR_HOST_LOCAL"};
    return names[place];
}

static bool place_allowed(weir_task_kind kind, weir_place place)
{
    return kind == WEIR_KIND_HOST ? place != WEIR_DEVICE : place != WEIR_HOST_LOCAL;
}

static weir_status check_access(weir_graph *graph, const weir_task_record *task, const weir_arg *arg, size_t i)
{
    const weir_buffer *buffer = arg->buffer;
    if (!buffer)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu names no buffer (NULL)", task->name, i);
    if (!place_allowed((weir_task_kind)task->kind, buffer->place))
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': a %s task cannot touch buffer '%s', which is %s: copy it first",
                               task->name, weir_kind_name((weir_task_kind)task->kind), buffer->name, place_name(buffer->place));
    if (!weir_box_is_whole(&arg->box) && !box_fits(buffer, &arg->box))
        return weir_graph_fail(graph, WEIR_ERR_INVALID,
                               "task '%s': box at (%u, %u, %u) of %u x %u x %u is empty or past the end of buffer '%s' of %u x %u x %u",
                               task->name, arg->box.x, arg->box.y, arg->box.z, arg->box.nx, arg->box.ny, arg->box.nz, buffer->name,
                               buffer->n[0], buffer->n[1], buffer->n[2]);
    if (!(arg->flags & WEIR_ARG_BACK))
        return WEIR_OK;
    if (arg->back == UINT16_MAX)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': '%s' of so many frames ago, at most %d", task->name, buffer->name, UINT16_MAX - 1);
    if (arg->back == 0)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': '%s' of 0 frames ago is this frame's: say WEIR_READ", task->name, buffer->name);
    if (arg->mode != WEIR_ARG_READ)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': earlier frames' copies of '%s' can only be read", task->name, buffer->name);
    if (!weir_buffer_is_ring(buffer))
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': buffer '%s' keeps no earlier frames: give it copies", task->name, buffer->name);
    if (buffer->copies != WEIR_RING_AUTO && arg->back >= buffer->copies)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': '%s' of %u frames ago needs %u copies, it has %u", task->name,
                               buffer->name, arg->back, arg->back + 1u, buffer->copies);
    return WEIR_OK;
}

static bool is_decision(const weir_arg *arg)
{
    return arg->mode == WEIR_ARG_VALUE && (arg->flags & WEIR_ARG_DECISION);
}

static weir_status check_decision(weir_graph *graph, const weir_task_record *task, weir_args args, size_t i)
{
    if (task->kind != WEIR_KIND_KERNEL)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu is a WEIR_DECISION, which kernels alone can take, and it is a %s task",
                               task->name, i, weir_kind_name((weir_task_kind)task->kind));
    for (size_t before = 0; before < i; before++)
        if (is_decision(&args.arg[before]))
            return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': arguments %zu and %zu are both WEIR_DECISION: a round is decided once", task->name, before, i);
    return WEIR_OK;
}

weir_status weir_graph_check_args(weir_graph *graph, const weir_task_record *task, weir_args args)
{
    if (args.count > ARGS_MOST)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': %zu arguments, at most %d", task->name, args.count, ARGS_MOST);
    if (args.count > 0 && !args.arg)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': the arguments are NULL", task->name);
    for (size_t i = 0; i < args.count; i++) {
        const weir_arg *arg = &args.arg[i];
        weir_status status = WEIR_OK;
        if (arg->mode > WEIR_ARG_REDUCE)
            status = weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu has the unknown mode %d", task->name, i, arg->mode);
        else if (arg->mode >= WEIR_ARG_READ)
            status = check_access(graph, task, arg, i);
        else if ((arg->flags & WEIR_ARG_HIDDEN) && !(arg->mode == WEIR_ARG_PARAM && weir_kind_is_control(task->kind)))
            status = weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu is hidden, but only buffers can be", task->name, i);
        else if (arg->mode == WEIR_ARG_PARAM && !arg->param)
            status = weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu names no param (NULL)", task->name, i);
        else if (arg->mode == WEIR_ARG_VALUE && (!arg->value || arg->bytes == 0 || arg->bytes > VALUE_BYTES_MOST))
            status = weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu is no value of 1 to %d bytes", task->name, i, VALUE_BYTES_MOST);
        else if (is_decision(arg))
            status = check_decision(graph, task, args, i);
        if (status != WEIR_OK)
            return status;
    }
    return WEIR_OK;
}

/* ---- keeping ---- */

static bool keep_value(weir_body *body, const weir_arg *arg, uint32_t *offset)
{
    uint32_t start = (body->values.count + 15u) & ~15u, end = start + ((arg->bytes + 15u) & ~15u);
    if (end < start || !weir_vector_reserve(&body->values, end - body->values.count))
        return false;
    memset(body->values.at + body->values.count, 0, end - body->values.count);
    memcpy(body->values.at + start, arg->value, arg->bytes);
    body->values.count = end;
    *offset = start;
    return true;
}

bool weir_graph_keep_arg(weir_graph *graph, const weir_arg *arg)
{
    weir_body *body = graph->body;
    weir_arg_record kept = {.mode = arg->mode, .flags = arg->flags, .back = arg->back};
    if (arg->mode == WEIR_ARG_VALUE) {
        kept.bytes = arg->bytes;
        if (!keep_value(body, arg, &kept.index))
            return false;
    } else if (arg->mode == WEIR_ARG_PARAM) {
        kept.index = param_index(graph, arg->param);
        kept.bytes = (uint32_t)arg->param->bytes;
    } else {
        kept.index = buffer_index(graph, arg->buffer);
        if (!weir_box_is_whole(&arg->box)) {
            if (!weir_vector_reserve(&body->boxes, 1))
                return false;
            weir_vector_push(&body->boxes, weir_span_of_box(&arg->box));
            kept.box = body->boxes.count;
        }
    }
    if (kept.index == UINT32_MAX || !weir_vector_reserve(&body->args, 1))
        return false;
    weir_vector_push(&body->args, kept);
    return true;
}
