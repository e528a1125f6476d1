/* body.c - holders and copies of a declaration, and the defaults behind what was not declared. */
#include "graph/body.h"
#include "util/arena.h"
#include <assert.h>
#include <string.h>

/* Names that weir made for tasks of sub-graphs. A copy of a body points at the same texts, so they are counted apart. The
 * arena is only written by a graph that alone holds its body; bodies that share the texts merely read them. */
struct weir_texts {
    atomic_uint holders;
    weir_arena arena;
    struct weir_texts *older; /* texts of the body this one was copied from; held */
};

static void texts_release(struct weir_texts *texts)
{
    while (texts && atomic_fetch_sub_explicit(&texts->holders, 1, memory_order_acq_rel) == 1) {
        struct weir_texts *older = texts->older;
        weir_arena_finish(&texts->arena);
        weir_free(texts);
        texts = older;
    }
}

weir_body *weir_body_create(const char *name, uint32_t flags)
{
    static atomic_uint last_id;
    weir_body *body = weir_alloc(1, sizeof *body);
    if (!body)
        return NULL;
    atomic_init(&body->holders, 1);
    do {
        body->id = atomic_fetch_add(&last_id, 1) + 1;
    } while (body->id == 0);
    body->flags = flags;
    body->name = name;
    return body;
}

/* Each vector of a body, for what is done to all of them alike. */
#define FOR_EACH_VECTOR(do_it)                                                                                                             \
    do_it(tasks) do_it(args) do_it(derived) do_it(explicits) do_it(explicits_carried) do_it(boxes) do_it(shapes) do_it(values)              \
        do_it(buffers) do_it(params) do_it(groups) do_it(subgraphs) do_it(controls) do_it(inner)

weir_body *weir_body_clone(const weir_body *body)
{
    weir_body *copy = weir_alloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    atomic_init(&copy->holders, 1);
    copy->id = body->id;
    copy->flags = body->flags;
    copy->name = body->name;
    copy->backwards = body->backwards;
    bool complete = true;
#define COPY(vector)                                                                                                                       \
    if (body->vector.count > 0) {                                                                                                          \
        copy->vector.at = weir_alloc_copy(body->vector.at, body->vector.count * sizeof *body->vector.at);                                  \
        copy->vector.count = copy->vector.capacity = copy->vector.at ? body->vector.count : 0;                                             \
        complete = complete && copy->vector.at;                                                                                            \
    }
    FOR_EACH_VECTOR(COPY)
#undef COPY
    for (uint32_t i = 0; i < copy->buffers.count; i++)
        weir_buffer_hold(copy->buffers.at[i].buffer);
    for (uint32_t i = 0; i < copy->params.count; i++)
        weir_param_hold(copy->params.at[i]);
    for (uint32_t i = 0; i < copy->inner.count; i++)
        weir_body_hold(copy->inner.at[i]);
    if (body->texts) { /* the next text of the copy goes into an arena of its own, in front of these */
        copy->texts = body->texts;
        atomic_fetch_add_explicit(&copy->texts->holders, 1, memory_order_relaxed);
    }
    if (!complete) {
        weir_body_release(copy);
        return NULL;
    }
    return copy;
}

weir_body *weir_body_hold(const weir_body *body)
{
    weir_body *held = (weir_body *)body; /* only the count is written */
    atomic_fetch_add_explicit(&held->holders, 1, memory_order_relaxed);
    return held;
}

void weir_body_release(const weir_body *shared)
{
    weir_body *body = (weir_body *)shared;
    if (!body || atomic_fetch_sub_explicit(&body->holders, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < body->buffers.count; i++)
        weir_buffer_release(body->buffers.at[i].buffer);
    for (uint32_t i = 0; i < body->params.count; i++)
        weir_param_release(body->params.at[i]);
    for (uint32_t i = 0; i < body->inner.count; i++)
        weir_body_release(body->inner.at[i]);
#define FINISH(vector) weir_vector_finish(&body->vector);
    FOR_EACH_VECTOR(FINISH)
#undef FINISH
    texts_release(body->texts);
    weir_free(body);
}

char *weir_body_text(weir_body *body, size_t bytes)
{
    if (!body->texts || atomic_load_explicit(&body->texts->holders, memory_order_acquire) > 1) {
        struct weir_texts *texts = weir_alloc(1, sizeof *texts);
        if (!texts)
            return NULL;
        atomic_init(&texts->holders, 1);
        texts->older = body->texts; /* the body's hold moves here */
        body->texts = texts;
    }
    return weir_arena_take(&body->texts->arena, bytes);
}

uint32_t weir_body_group_number(weir_body *body, const char *group)
{
    if (!group)
        return 0;
    for (uint32_t i = body->groups.count; i > 0; i--) /* the latest first: groups are declared in runs */
        if (body->groups.at[i - 1] == group || strcmp(body->groups.at[i - 1], group) == 0)
            return i;
    if (!weir_vector_reserve(&body->groups, 1))
        return UINT32_MAX;
    weir_vector_push(&body->groups, group);
    return body->groups.count;
}

uint32_t weir_body_first_of(const weir_body *body, uint32_t handle_index)
{
    uint32_t lo = 0, hi = body->subgraphs.count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (body->subgraphs.at[mid].handle < handle_index)
            lo = mid + 1;
        else
            hi = mid;
    }
    bool is_subgraph = lo < body->subgraphs.count && body->subgraphs.at[lo].handle == handle_index;
    return is_subgraph ? body->subgraphs.at[lo].first : handle_index;
}

double weir_task_cost(const weir_body *body, const weir_task_record *task)
{
    if (task->cost_ns > 0)
        return task->cost_ns;
    if (weir_kind_is_control(task->kind))
        return body->controls.at[task->with.control].cost_ns;
    return task->kind == WEIR_KIND_EMPTY ? 0.0 : 1000.0;
}

bool weir_task_keeps_state(const weir_body *body, const weir_task_record *task)
{
    if (task->flags & WEIR_TASK_REENTRANT)
        return false;
    if (weir_kind_is_control(task->kind))
        return body->controls.at[task->with.control].keeps_state;
    return task->kind == WEIR_KIND_HOST || task->kind == WEIR_KIND_NATIVE;
}

float weir_task_share(const weir_body *body, const weir_task_record *task)
{
    static const double resident_threads = 132.0 * 2048.0; /* of an H200, whose share is meant when no device is known yet */
    if (task->share > 0)
        return task->share;
    if (task->kind != WEIR_KIND_KERNEL)
        return 1.0f;
    const weir_shape *shape = &body->shapes.at[task->with.shape];
    double threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= (double)shape->grid[i] * shape->block[i];
    const double waves = threads / resident_threads, many = 1000;
    if (waves >= many)
        return 1.0f;
    const double whole = (double)(uint64_t)waves;
    return (float)(waves / (waves > whole ? whole + 1 : whole)); /* the last one leaves room for others */
}

const char *weir_task_group(const weir_body *body, const weir_task_record *task)
{
    return task->group ? body->groups.at[task->group - 1] : NULL;
}

const char *weir_kind_name(weir_task_kind kind)
{
    static const char *const names[] = {
        [WEIR_KIND_EMPTY] = "empty", [WEIR_KIND_KERNEL] = "kernel", [WEIR_KIND_COPY] = "copy",
        [WEIR_KIND_FILL] = "fill",   [WEIR_KIND_HOST] = "host",     [WEIR_KIND_NATIVE] = "native",
        [WEIR_KIND_WHILE] = "while", [WEIR_KIND_IF] = "if",         [WEIR_KIND_SWITCH] = "switch",
    };
    return names[kind];
}

weir_span weir_arg_span(const weir_body *body, const weir_arg_record *arg)
{
    if (arg->box)
        return body->boxes.at[arg->box - 1];
    const weir_buffer *buffer = body->buffers.at[arg->index].buffer;
    weir_span span = {{0, 0, 0}, {buffer->n[0] ? buffer->n[0] : 1, buffer->n[1], buffer->n[2]}};
    return span;
}
