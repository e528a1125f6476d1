/* graph.c - declaring: checks each task and its arguments, keeps them, and derives the edges that its accesses ask for. */
#include "graph/graph.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = 512, ARGS_MOST = 65535, VALUE_BYTES_MOST = 65536, THREADS_IN_BLOCK_MOST = 1024 };

/* ---- the graph itself ---- */

weir_status weir_graph_create(const char *name, uint32_t flags, weir_graph **out)
{
    if (!name || !out)
        return weir_fail(WEIR_ERR_INVALID, "weir_graph_create: NULL argument");
    if (flags & ~(uint32_t)WEIR_GRAPH_EXPLICIT)
        return weir_fail(WEIR_ERR_INVALID, "graph '%s': unknown flags 0x%x", name, flags);
    weir_graph *graph = weir_alloc(1, sizeof *graph);
    if (graph) {
        graph->body = weir_body_create(name, flags);
        graph->error = weir_alloc(1, ERROR_BYTES);
        graph->names = weir_alloc(1, sizeof *graph->names);
        graph->indices = weir_table_create();
    }
    if (!graph || !graph->body || !graph->error || !graph->names || !graph->indices) {
        weir_graph_destroy(graph);
        return weir_fail_no_memory();
    }
    *out = graph;
    return WEIR_OK;
}

void weir_graph_destroy(weir_graph *graph)
{
    if (!graph)
        return;
    for (uint32_t i = 0; i < graph->states.count; i++)
        weir_hazard_destroy(graph->states.at[i].hazard);
    weir_vector_finish(&graph->states);
    weir_vector_finish(&graph->stamps);
    weir_vector_finish(&graph->found);
    if (graph->names)
        weir_table_destroy(graph->names->table);
    weir_free(graph->names);
    weir_table_destroy(graph->indices);
    weir_free(graph->error);
    weir_body_release(graph->body);
    weir_free(graph);
}

weir_status weir_graph_fail(weir_graph *graph, weir_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    weir_fail_v(status, format, args);
    va_end(args);
    if (graph->status == WEIR_OK) {
        graph->status = status;
        snprintf(graph->error, ERROR_BYTES, "%s", weir_last_error());
    }
    return status;
}

static uint32_t graph_no_memory(weir_graph *graph)
{
    weir_graph_fail(graph, WEIR_ERR_NO_MEMORY, "graph '%s': out of memory", graph->body->name);
    return 0;
}

weir_status weir_graph_status(const weir_graph *graph)
{
    if (!graph)
        return weir_fail(WEIR_ERR_INVALID, "the graph is NULL");
    if (graph->status == WEIR_OK)
        return WEIR_OK;
    return weir_fail(graph->status, "%s", graph->error);
}

const weir_body *weir_graph_body(const weir_graph *graph)
{
    return graph->body;
}

bool weir_graph_own(weir_graph *graph)
{
    if (atomic_load_explicit(&graph->body->holders, memory_order_acquire) == 1)
        return true;
    weir_body *copy = weir_body_clone(graph->body);
    if (!copy)
        return graph_no_memory(graph) != 0;
    weir_body_release(graph->body);
    graph->body = copy;
    return true;
}

uint32_t weir_graph_task_count(const weir_graph *graph)
{
    return graph ? graph->body->tasks.count : 0;
}

/* Index of a handle's task, or UINT32_MAX for the null task or another graph's. */
static uint32_t index_of(const weir_graph *graph, weir_task task)
{
    bool mine = task.graph == graph->body->id && task.number >= 1 && task.number <= graph->body->tasks.count;
    return mine ? task.number - 1 : UINT32_MAX;
}

const char *weir_task_name(const weir_graph *graph, weir_task task)
{
    uint32_t i = graph ? index_of(graph, task) : UINT32_MAX;
    return i == UINT32_MAX ? NULL : graph->body->tasks.at[i].name;
}

weir_task weir_graph_find(const weir_graph *graph, const char *name)
{
    weir_task none = {0, 0};
    if (!graph || !name)
        return none;
    weir_name_index *index = graph->names;
    if (!index->table)
        index->table = weir_table_create();
    const weir_body *body = graph->body;
    while (index->table && index->count < body->tasks.count) {
        if (!weir_table_put_text(index->table, body->tasks.at[index->count].name, index->count))
            break;
        index->count++;
    }
    if (index->table && index->count == body->tasks.count) {
        uint32_t i = weir_table_get_text(index->table, name);
        return i == UINT32_MAX ? none : (weir_task){i + 1, body->id};
    }
    for (uint32_t i = 0; i < body->tasks.count; i++) /* no memory for the table: slowly, then */
        if (strcmp(body->tasks.at[i].name, name) == 0)
            return (weir_task){i + 1, body->id};
    return none;
}

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

/* ---- arguments ---- */

static bool box_is_whole(const weir_box *box)
{
    return (box->x | box->y | box->z | box->nx | box->ny | box->nz) == 0;
}

static weir_span span_of_box(const weir_box *box)
{
    uint32_t ny = box->ny ? box->ny : 1, nz = box->nz ? box->nz : 1;
    return (weir_span){{box->x, box->y, box->z}, {box->x + box->nx, box->y + ny, box->z + nz}};
}

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
    if (!box_is_whole(&arg->box) && !box_fits(buffer, &arg->box))
        return weir_graph_fail(graph, WEIR_ERR_INVALID,
                               "task '%s': box at (%u, %u, %u) of %u x %u x %u is empty or past the end of buffer '%s' of %u x %u x %u",
                               task->name, arg->box.x, arg->box.y, arg->box.z, arg->box.nx, arg->box.ny, arg->box.nz, buffer->name,
                               buffer->n[0], buffer->n[1], buffer->n[2]);
    if (arg->back == 0)
        return WEIR_OK;
    if (arg->mode != WEIR_ARG_READ)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': earlier frames' copies of '%s' can only be read", task->name, buffer->name);
    if (!weir_buffer_is_ring(buffer))
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': buffer '%s' keeps no earlier frames: give it copies", task->name, buffer->name);
    if (buffer->copies != WEIR_RING_AUTO && arg->back >= buffer->copies)
        return weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': '%s' of %u frames ago needs %u copies, it has %u", task->name,
                               buffer->name, arg->back, arg->back + 1u, buffer->copies);
    return WEIR_OK;
}

static weir_status check_args(weir_graph *graph, const weir_task_record *task, weir_args args)
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
        else if (arg->flags & WEIR_ARG_HIDDEN)
            status = weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu is hidden, but only buffers can be", task->name, i);
        else if (arg->mode == WEIR_ARG_PARAM && !arg->param)
            status = weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu names no param (NULL)", task->name, i);
        else if (arg->mode == WEIR_ARG_VALUE && (!arg->value || arg->bytes == 0 || arg->bytes > VALUE_BYTES_MOST))
            status = weir_graph_fail(graph, WEIR_ERR_INVALID, "task '%s': argument %zu is no value of 1 to %d bytes", task->name, i, VALUE_BYTES_MOST);
        if (status != WEIR_OK)
            return status;
    }
    return WEIR_OK;
}

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

static bool keep_arg(weir_graph *graph, const weir_arg *arg)
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
        if (!box_is_whole(&arg->box)) {
            if (!weir_vector_reserve(&body->boxes, 1))
                return false;
            weir_vector_push(&body->boxes, span_of_box(&arg->box));
            kept.box = body->boxes.count;
        }
    }
    if (kept.index == UINT32_MAX || !weir_vector_reserve(&body->args, 1))
        return false;
    weir_vector_push(&body->args, kept);
    return true;
}

/* ---- edges from accesses ---- */

/* Rings start each frame with an old frame's contents, and a reduce needs something to combine with: both must be written in
 * the frame before anything else touches them. */
static weir_status note_early_touch(weir_graph *graph, const weir_task_record *task, const weir_arg_record *arg, uint32_t index)
{
    weir_buffer_record *record = &graph->body->buffers.at[arg->index];
    weir_buffer_state *state = &graph->states.at[arg->index];
    const weir_buffer *buffer = record->buffer;
    weir_span span = weir_arg_span(graph->body, arg);
    if (!weir_hazard_unwritten(state->hazard, &span))
        return WEIR_OK;
    if (arg->mode == WEIR_ARG_REDUCE && buffer->place != WEIR_HOST_IN)
        return weir_graph_fail(graph, WEIR_ERR_HAZARD,
                               "task '%s' reduces into buffer '%s' before anything writes it in the frame: fill or write it first", task->name, buffer->name);
    if (!record->touched_early) {
        record->touched_early = true;
        state->early_toucher = index;
    }
    return WEIR_OK;
}

static weir_status check_ring_rule(weir_graph *graph, const weir_arg_record *arg)
{
    const weir_buffer_record *record = &graph->body->buffers.at[arg->index];
    const weir_buffer *buffer = record->buffer;
    uint32_t early = graph->states.at[arg->index].early_toucher;
    if (!record->written || !record->touched_early || !weir_buffer_is_ring(buffer) || buffer->place == WEIR_HOST_IN)
        return WEIR_OK;
    if (early >= graph->body->tasks.count) /* of a failed add, taken back */
        return WEIR_OK;
    const weir_task_record *toucher = &graph->body->tasks.at[early];
    return weir_graph_fail(graph, WEIR_ERR_HAZARD,
                           "task '%s' touches this frame's copy of ring '%s' before anything writes it in the frame: read an earlier frame's with "
                           "WEIR_PREVIOUS('%s', 1), or give the buffer one copy and update it in place",
                           toucher->name, buffer->name, buffer->name);
}

static bool touch(weir_graph *graph, const weir_arg_record *arg, uint32_t index)
{
    weir_buffer_state *state = &graph->states.at[arg->index];
    weir_span span = weir_arg_span(graph->body, arg);
    return weir_hazard_touch(state->hazard, &span, arg->mode, index, &graph->found);
}

static bool make_hazard(weir_graph *graph, const weir_arg_record *arg)
{
    weir_buffer_state *state = &graph->states.at[arg->index];
    if (state->hazard)
        return true;
    weir_arg_record whole = {.index = arg->index};
    weir_span span = weir_arg_span(graph->body, &whole);
    state->hazard = weir_hazard_create(&span);
    return state->hazard != NULL;
}

static bool stamp_tasks(weir_graph *graph, uint32_t count)
{
    uint32_t more = count > graph->stamps.count ? count - graph->stamps.count : 0;
    if (!weir_vector_reserve(&graph->stamps, more))
        return false;
    memset(graph->stamps.at + graph->stamps.count, 0, more * sizeof *graph->stamps.at);
    graph->stamps.count += more;
    return true;
}

/* Keeps what was found: each task once, in ascending order. */
static bool keep_derived(weir_graph *graph, uint32_t index)
{
    weir_body *body = graph->body;
    if (graph->found.count == 0)
        return true;
    if (!weir_vector_reserve(&body->derived, graph->found.count) || !stamp_tasks(graph, index + 1))
        return false;
    uint32_t first = body->derived.count;
    for (uint32_t i = 0; i < graph->found.count; i++) {
        uint32_t earlier = graph->found.at[i];
        if (earlier >= index || graph->stamps.at[earlier] == index + 1) /* above: of a failed add, taken back */
            continue;
        graph->stamps.at[earlier] = index + 1;
        uint32_t at = body->derived.count++;
        while (at > first && body->derived.at[at - 1] > earlier) {
            body->derived.at[at] = body->derived.at[at - 1];
            at--;
        }
        body->derived.at[at] = earlier;
    }
    return true;
}

/* The task's reads come before its writes, whatever the order of its arguments. */
static weir_status derive_edges(weir_graph *graph, uint32_t index)
{
    weir_body *body = graph->body;
    const weir_task_record *task = &body->tasks.at[index];
    const weir_arg_record *args = body->args.at + task->arg_first;
    bool derives = !(body->flags & WEIR_GRAPH_EXPLICIT);
    graph->found.count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < task->arg_count; i++) {
            const weir_arg_record *arg = &args[i];
            if (!weir_arg_is_access(arg) || weir_arg_writes(arg) != (pass == 1))
                continue;
            weir_buffer_record *record = &body->buffers.at[arg->index];
            if (arg->back > record->furthest_back)
                record->furthest_back = arg->back;
            if (arg->back > 0)
                continue;
            record->written = record->written || weir_arg_writes(arg);
            if (!derives)
                continue;
            if (!make_hazard(graph, arg))
                return WEIR_ERR_NO_MEMORY;
            weir_status status = arg->mode == WEIR_ARG_WRITE ? WEIR_OK : note_early_touch(graph, task, arg, index);
            if (status == WEIR_OK)
                status = check_ring_rule(graph, arg);
            if (status != WEIR_OK)
                return status;
            if (!touch(graph, arg, index))
                return WEIR_ERR_NO_MEMORY;
        }
    return keep_derived(graph, index) ? WEIR_OK : WEIR_ERR_NO_MEMORY;
}

/* ---- tasks ---- */

weir_graph_mark weir_graph_mark_of(const weir_graph *graph)
{
    const weir_body *body = graph->body;
    return (weir_graph_mark){body->tasks.count,  body->args.count,      body->derived.count,           body->boxes.count,     body->shapes.count,
                             body->values.count, body->explicits.count, body->explicits_carried.count, body->composites.count};
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
    body->composites.count = mark->composites;
}

uint32_t weir_graph_append(weir_graph *graph, const weir_new_task *new_task)
{
    if (check_args(graph, &new_task->record, new_task->args) != WEIR_OK || !weir_graph_own(graph))
        return 0;
    weir_body *body = graph->body;
    const weir_graph_mark before = weir_graph_mark_of(graph);
    if (!weir_vector_reserve(&body->tasks, 1) || !weir_vector_reserve(&body->shapes, 1))
        return graph_no_memory(graph);
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
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < new_task->args.count && status == WEIR_OK; i++)
        if (!keep_arg(graph, &new_task->args.arg[i]))
            status = WEIR_ERR_NO_MEMORY;
    if (status == WEIR_OK && new_task->args.count > 0)
        status = derive_edges(graph, before.tasks);
    if (status == WEIR_OK)
        return before.tasks + 1;
    if (status == WEIR_ERR_NO_MEMORY)
        graph_no_memory(graph);
    weir_graph_back_to(graph, &before);
    return 0;
}

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
    bool whole = box_is_whole(&arg->box);
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
        weir_span a = box_is_whole(&write->box) ? (weir_span){{0, 0, 0}, {to[0], to[1], to[2]}} : span_of_box(&write->box);
        weir_span b = box_is_whole(&read->box) ? (weir_span){{0, 0, 0}, {to[0], to[1], to[2]}} : span_of_box(&read->box);
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
    if (n[0] * write.buffer->element_bytes % pattern_bytes != 0 || (write.box.x * write.buffer->element_bytes) % pattern_bytes != 0)
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

/* ---- explicit edges ---- */

bool weir_graph_add_edge(weir_graph *graph, uint32_t later, uint32_t earlier)
{
    if (!weir_graph_own(graph))
        return false;
    weir_body *body = graph->body;
    if (!weir_vector_reserve(&body->explicits, 1))
        return graph_no_memory(graph) != 0;
    weir_vector_push(&body->explicits, ((weir_edge){later, earlier}));
    body->backwards = body->backwards || earlier > later;
    return true;
}

bool weir_graph_add_carried_edge(weir_graph *graph, uint32_t later, uint32_t earlier, uint32_t distance)
{
    if (!weir_graph_own(graph))
        return false;
    if (!weir_vector_reserve(&graph->body->explicits_carried, 1))
        return graph_no_memory(graph) != 0;
    weir_vector_push(&graph->body->explicits_carried, ((weir_carried_edge){later, earlier, distance}));
    return true;
}

/* Indices of both ends; false, with the error kept, if one is null or foreign. */
static bool edge_ends(weir_graph *graph, weir_task later, weir_task earlier, uint32_t *to, uint32_t *from)
{
    *to = index_of(graph, later);
    *from = index_of(graph, earlier);
    if (*to != UINT32_MAX && *from != UINT32_MAX)
        return true;
    const weir_task bad = *to == UINT32_MAX ? later : earlier;
    const char *which = *to == UINT32_MAX ? "later" : "earlier", *other = weir_task_name(graph, *to == UINT32_MAX ? earlier : later);
    weir_graph_fail(graph, WEIR_ERR_INVALID, "weir_after with '%s': the %s task is %s", name_or_question(other), which,
                    bad.number == 0 ? "the null task" : bad.graph != graph->body->id ? "of another graph" : "none of this graph");
    return false;
}

void weir_after(weir_graph *graph, weir_task later, weir_task earlier)
{
    uint32_t to, from;
    if (!graph) {
        null_task("weir_after");
        return;
    }
    if (!edge_ends(graph, later, earlier, &to, &from))
        return;
    if (to == from) {
        const char *name = graph->body->tasks.at[to].name;
        weir_graph_fail(graph, WEIR_ERR_CYCLE, "cycle: '%s' -> '%s'", name, name);
        return;
    }
    weir_graph_add_edge(graph, weir_body_first_of(graph->body, to), from);
}

void weir_after_previous(weir_graph *graph, weir_task later, weir_task earlier, uint32_t distance)
{
    uint32_t to, from;
    if (!graph) {
        null_task("weir_after_previous");
        return;
    }
    if (!edge_ends(graph, later, earlier, &to, &from))
        return;
    if (distance == 0) {
        weir_graph_fail(graph, WEIR_ERR_INVALID, "weir_after_previous with '%s': a distance of 0 frames, use weir_after",
                        graph->body->tasks.at[to].name);
        return;
    }
    weir_graph_add_carried_edge(graph, weir_body_first_of(graph->body, to), from, distance);
}

/* ---- options ---- */

static const char *why_no_options(const weir_task_options *o)
{
    if (!(o->cost_ns >= 0) || isinf(o->cost_ns))
        return "the cost is negative or no number";
    if (!(o->share >= 0 && o->share <= 1))
        return "the share is not from 0 to 1";
    if (o->device != 0)
        return "there is only device 0";
    if (o->flags & ~(uint32_t)WEIR_TASK_REENTRANT)
        return "unknown flags";
    return NULL;
}

void weir_task_set(weir_graph *graph, weir_task task, const weir_task_options *options)
{
    if (!graph) {
        null_task("weir_task_set");
        return;
    }
    uint32_t index = index_of(graph, task);
    if (index == UINT32_MAX || !options) {
        weir_graph_fail(graph, WEIR_ERR_INVALID, "weir_task_set: %s", options ? "the null task, or one of another graph" : "the options are NULL");
        return;
    }
    const char *why = why_no_options(options);
    if (why) {
        refuse(graph, graph->body->tasks.at[index].name, why);
        return;
    }
    if (!weir_graph_own(graph))
        return;
    weir_body *body = graph->body;
    uint32_t group = weir_body_group_number(body, options->group);
    if (group == UINT32_MAX) {
        graph_no_memory(graph);
        return;
    }
    const uint32_t first = weir_body_first_of(body, index);
    for (uint32_t i = first; i <= index; i++) {
        weir_task_record *record = &body->tasks.at[i];
        record->group = group;
        record->priority = options->priority;
        record->cost_ns = first < index && record->kind == WEIR_KIND_EMPTY ? 0 : (float)options->cost_ns; /* what ties a sub-graph costs nothing */
        record->share = options->share;
        record->flags = options->flags & 0xffu;
    }
    if (options->name) {
        body->tasks.at[index].name = options->name;
        weir_table_destroy(graph->names->table);
        *graph->names = (weir_name_index){NULL, 0};
    }
}
