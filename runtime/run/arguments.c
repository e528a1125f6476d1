/* arguments.c - what each task of an exec is passed, those in bodies of loops and branches too, and whether that is what kernels take. A body has
 * numbers of its own for buffers and params; the body that it is in has them all, since a loop touches what its body touches. */
#include "run/exec.h"
#include "util/status.h"
#include "util/table.h"
#include <assert.h>

/* ---- checking ---- */

static weir_status check_kernel_args(const weir_body *body, const weir_task_record *task)
{
    const weir_kernel *kernel = task->code.kernel;
    if (!kernel->arg_bytes)
        return WEIR_OK;
    uint32_t passed = 0;
    for (uint32_t i = 0; i < task->arg_count; i++) {
        const weir_arg_record *arg = &body->args.at[task->arg_first + i];
        if (arg->flags & WEIR_ARG_HIDDEN)
            continue;
        size_t bytes = weir_arg_is_access(arg) ? sizeof(void *) : arg->bytes;
        if (passed < kernel->arg_count && bytes != kernel->arg_bytes[passed])
            return weir_fail(WEIR_ERR_INVALID, "task '%s': argument %u has %zu bytes, kernel '%s' takes %u there", task->name, passed, bytes,
                             kernel->name, kernel->arg_bytes[passed]);
        passed++;
    }
    if (passed != kernel->arg_count)
        return weir_fail(WEIR_ERR_INVALID, "task '%s': %u arguments are passed, kernel '%s' takes %u", task->name, passed, kernel->name, kernel->arg_count);
    return WEIR_OK;
}

static weir_status check_plan(void *unused, const weir_plan *plan)
{
    const weir_body *body = plan->body;
    weir_status status = WEIR_OK;
    for (uint32_t t = 0; t < plan->tasks && status == WEIR_OK; t++)
        if (body->tasks.at[t].kind == WEIR_KIND_KERNEL)
            status = check_kernel_args(body, &body->tasks.at[t]);
    return status == WEIR_OK ? weir_plan_each_body(plan, check_plan, unused) : status;
}

weir_status weir_exec_check_arguments(const weir_plan *plan)
{
    return check_plan(NULL, plan);
}

/* ---- making ---- */

/* The exec's number of what a body calls `own`; `known`: the exec's buffers and params by their addresses, and plans of bodies that are made, see
 * make_inner. NULL for its own body. */
static uint32_t number_of(const weir_table *known, const void *address, uint32_t own)
{
    uint32_t number = known ? weir_table_get_pointer(known, address) : own;
    assert(number != UINT32_MAX);
    return number;
}

static weir_pass pass_of(const weir_exec *exec, const weir_body *body, const weir_table *known, const weir_arg_record *arg)
{
    if (arg->mode == WEIR_ARG_VALUE)
        return (weir_pass){.kind = weir_arg_is_decision(arg) ? WEIR_PASS_DECISION : WEIR_PASS_FIXED, .address = body->values.at + arg->index};
    if (arg->mode == WEIR_ARG_PARAM)
        return (weir_pass){.kind = WEIR_PASS_PARAM, .index = exec->param_offset[number_of(known, body->params.at[arg->index], arg->index)]};
    uint32_t b = number_of(known, body->buffers.at[arg->index].buffer, arg->index);
    if (exec->ring_of[b] != UINT32_MAX)
        return (weir_pass){.kind = WEIR_PASS_RING, .back = arg->back, .index = exec->ring_of[b]};
    return (weir_pass){.kind = WEIR_PASS_FIXED, .address = &exec->uses[b].storage->copies[0]};
}

static weir_status make_passes(weir_exec *exec, const weir_body *body, const weir_table *known, weir_image *image)
{
    weir_pass *passes = weir_arena_take(&exec->passes, body->args.count * sizeof *passes);
    uint32_t *first = weir_arena_take(&exec->passes, ((size_t)body->tasks.count + 1) * sizeof *first), count = 0;
    if (!passes || !first)
        return weir_fail_no_memory();
    for (uint32_t t = 0; t < body->tasks.count; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        first[t] = count;
        for (uint32_t i = 0; i < task->arg_count; i++) {
            const weir_arg_record *arg = &body->args.at[task->arg_first + i];
            if (!(arg->flags & WEIR_ARG_HIDDEN))
                passes[count++] = pass_of(exec, body, known, arg);
        }
    }
    first[body->tasks.count] = count;
    image->pass = passes;
    image->pass_first = first;
    return WEIR_OK;
}

static weir_status make_inner(weir_exec *exec, weir_table *known, weir_image *image);

static weir_status make_image(weir_exec *exec, weir_table *known, const weir_plan *plan, weir_image *image)
{
    *image = (weir_image){
        .plan = plan,
        .rings = exec->image.rings,
        .ring_count = exec->image.ring_count,
        .params = exec->image.params,
        .param_bytes = exec->image.param_bytes,
    };
    weir_status status = make_passes(exec, plan->body, known, image);
    return status == WEIR_OK ? make_inner(exec, known, image) : status;
}

/* A body that several loops share has one plan in a body, and it is in no other: what it is passed is made once. */
static weir_status make_inner(weir_exec *exec, weir_table *known, weir_image *image)
{
    const weir_plan *plan = image->plan;
    uint32_t count = plan->body->inner.count;
    weir_image *inner = weir_arena_take(&exec->passes, count * sizeof *inner);
    weir_status status = inner ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t i = 0; i < count && status == WEIR_OK; i++) {
        uint32_t same = weir_table_get_pointer(known, plan->inner[i]);
        if (same != UINT32_MAX)
            inner[i] = inner[same];
        else if (!weir_table_put_pointer(known, plan->inner[i], i))
            status = weir_fail_no_memory();
        else
            status = make_image(exec, known, plan->inner[i], &inner[i]);
    }
    image->inner = inner;
    return status;
}

/* The numbers of the exec's buffers and params. NULL: no memory. */
static weir_table *know_all(const weir_body *body)
{
    weir_table *known = weir_table_create();
    bool put = known;
    for (uint32_t b = 0; b < body->buffers.count && put; b++)
        put = weir_table_put_pointer(known, body->buffers.at[b].buffer, b);
    for (uint32_t p = 0; p < body->params.count && put; p++)
        put = weir_table_put_pointer(known, body->params.at[p], p);
    if (put)
        return known;
    weir_table_destroy(known);
    return NULL;
}

weir_status weir_exec_bind_arguments(weir_exec *exec)
{
    const weir_body *body = exec->plan->body;
    weir_status status = make_passes(exec, body, NULL, &exec->image);
    if (status != WEIR_OK || body->inner.count == 0)
        return status;
    weir_table *known = know_all(body);
    if (!known)
        return weir_fail_no_memory();
    status = make_inner(exec, known, &exec->image);
    weir_table_destroy(known);
    return status;
}
