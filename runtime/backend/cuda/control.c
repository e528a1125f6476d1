/* control.c - makes loops and branches into nodes, and changes those.
 *
 * What a loop keeps, and where it leaves how often it ran, is the slot's, since frames may be under way at once. Lane by lane they share it: a lane
 * keeps their order, and a while's `launches` count frames, since each frame launches each of a graph's loops once, also one that is switched off;
 * so there it leaves its rounds where the frame's number says. A loop in a body leaves them nowhere: it may run many times a frame.
 * A conditional node cannot be switched off; its enter kernel is told to choose no body. */
#include "backend/cuda/control.h"
#include "util/memory.h"
#include "util/status.h"
#include <string.h>

uint32_t weir_control_pieces(const control *c)
{
    uint32_t pieces = 2 + (c->condition.kind == CONDITION_WHILE);
    for (uint32_t b = 0; b < c->what->count; b++)
        pieces += c->bodies[b].piece_first[c->bodies[b].image->plan->tasks];
    return pieces;
}

/* ---- memory ---- */

static weir_status load(const void *function)
{
    struct cudaFuncAttributes attributes;
    if (!function)
        return weir_fail(WEIR_ERR_BACKEND, "loops and branches have no code for this device");
    return weir_cuda_status(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
}

/* So many results each of the graph's own loops has room for. */
static uint32_t result_room(const weir_program *p)
{
    return p->native_slots > p->frames ? p->native_slots : p->frames;
}

/* Of the first slot. Results are those of the graph's own loops. */
static void give_memory(weir_program *p, section *s, unsigned *results)
{
    for (uint32_t i = 0; i < s->control_count; i++) {
        control *c = &s->controls[i];
        for (uint32_t b = 0; b < c->what->count; b++)
            give_memory(p, &c->bodies[b], NULL);
        if (c->condition.kind != CONDITION_WHILE)
            continue;
        c->condition.state = &p->loop_states[c->number];
        c->condition.results = results ? results + (size_t)i * result_room(p) : NULL;
        c->condition.result_count = p->frames;
    }
}

weir_status weir_cuda_controls_make(weir_program *program)
{
    section *root = &program->root;
    if (root->control_count == 0)
        return WEIR_OK;
    program->enter = weir_cuda_condition_enter();
    program->again = weir_cuda_condition_again();
    weir_status status = load(program->enter);
    if (status == WEIR_OK)
        status = load(program->again);
    if (status != WEIR_OK)
        return status;
    program->loop_states = weir_cuda_take(program->device, WEIR_DEVICE, (size_t)root->controls_within * program->native_slots * sizeof *program->loop_states);
    program->loop_results = weir_cuda_take(program->device, WEIR_HOST_OUT, (size_t)root->control_count * result_room(program) * sizeof *program->loop_results);
    if (!program->loop_states || !program->loop_results)
        return weir_fail_no_memory();
    give_memory(program, root, program->loop_results);
    return WEIR_OK;
}

static uint32_t task_of(const weir_program *p, const control *c)
{
    uint32_t t = 0;
    while (p->root.actions[t].kind != ACTION_CONTROL || p->root.actions[t].as.control != c)
        t++;
    return t;
}

weir_status weir_cuda_controls_make_alone(weir_program *program)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < program->root.control_count && status == WEIR_OK; i++)
        status = weir_cuda_replay_make_alone(program, task_of(program, &program->root.controls[i]), &program->root.controls[i].alone);
    return status;
}

void weir_cuda_controls_finish(weir_program *program)
{
    for (uint32_t i = 0; i < program->root.control_count; i++)
        weir_cuda_replay_finish(program->root.controls[i].alone, false);
    if (program->loop_states)
        weir_cuda_give(program->device, WEIR_DEVICE, program->loop_states);
    if (program->loop_results)
        weir_cuda_give(program->device, WEIR_HOST_OUT, program->loop_results);
}

/* ---- adding nodes ---- */

static struct cudaKernelNodeParams kernel_of_one(const void *function, void **args)
{
    return (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)function, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = args};
}

/* What its kernels are passed in a slot. */
static condition condition_of(const slot *s, const control *c)
{
    condition with = c->condition;
    if (s->replay->alone || with.kind != CONDITION_WHILE)
        return with;
    with.state += (size_t)s->number * s->replay->program->root.controls_within;
    if (with.results)
        with.results += s->number;
    with.result_count = 1;
    return with;
}

typedef struct {
    const control_nodes *n;
    cudaGraphConditionalHandle handle;
    const char *call;
} adding;

static cudaError_t add_kernel(adding *a, cudaGraph_t graph, const void *function, const cudaGraphNode_t *follows, size_t count, cudaGraphNode_t *node)
{
    condition c = condition_of(a->n->s, a->n->control);
    struct cudaKernelNodeParams params = kernel_of_one(function, (void *[]){&a->handle, &c});
    cudaLaunchAttributeValue value;
    a->call = "cudaGraphAddKernelNode";
    cudaError_t result = cudaGraphAddKernelNode(node, graph, follows, count, &params);
    if (result != cudaSuccess || !a->n->level)
        return result;
    memset(&value, 0, sizeof value);
    value.priority = *a->n->level;
    a->call = "cudaGraphKernelNodeSetAttribute(Priority)";
    return cudaGraphKernelNodeSetAttribute(*node, cudaLaunchAttributePriority, &value);
}

static cudaError_t add_conditional(adding *a, cudaGraphNode_t enter, cudaGraphNode_t *node, cudaGraph_t **bodies)
{
    const control *c = a->n->control;
    struct cudaGraphNodeParams params;
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = a->handle;
    params.conditional.type = c->condition.kind == CONDITION_WHILE ? cudaGraphCondTypeWhile : cudaGraphCondTypeSwitch;
    params.conditional.size = c->what->count;
    a->call = "cudaGraphAddNode(conditional)";
    cudaError_t result = cudaGraphAddNode(node, a->n->graph, &enter, NULL, 1, &params);
    *bodies = params.conditional.phGraph_out;
    return result;
}

/* The enter kernel and the conditional node, in the graph itself. */
static cudaError_t add_outside(adding *a, const cudaGraphNode_t *follows, size_t count, cudaGraph_t **bodies)
{
    const control_nodes *n = a->n;
    weir_program *p = n->s->replay->program;
    a->call = "cudaGraphConditionalHandleCreate";
    cudaError_t result = cudaGraphConditionalHandleCreate(&a->handle, n->graph, 0, cudaGraphCondAssignDefault);
    if (result == cudaSuccess)
        result = add_kernel(a, n->graph, p->enter, follows, count, &n->pieces[0]);
    if (result == cudaSuccess)
        result = add_conditional(a, n->pieces[0], &n->pieces[1], bodies);
    n->s->handles[n->control->number] = a->handle;
    return result;
}

static weir_status add_body(adding *a, uint32_t b, cudaGraph_t graph, cudaGraphNode_t *pieces)
{
    const control_nodes *n = a->n;
    const section *body = &n->control->bodies[b];
    const weir_replay_edges *edges = &n->control->edges[b];
    section_nodes inner = {
        .s = n->s,
        .tasks = body,
        .count = body->image->plan->tasks,
        .edges = {.order = body->image->plan->order, .pred_first = edges->pred_first, .pred = edges->pred},
        .graph = graph,
        .pieces = pieces,
        .level = n->level,
        .of = n->name,
    };
    weir_status status = weir_cuda_nodes_begin(&inner);
    if (status == WEIR_OK)
        status = weir_cuda_nodes_add(&inner);
    if (status == WEIR_OK && n->control->condition.kind == CONDITION_WHILE) {
        cudaGraphNode_t *again = &pieces[body->piece_first[inner.count]];
        size_t ends = weir_cuda_nodes_ends(&inner);
        cudaError_t result = add_kernel(a, graph, n->s->replay->program->again, inner.follows, ends, again);
        status = weir_cuda_task_status(n->s->replay->program, n->name, result, a->call);
    }
    if (status == WEIR_OK)
        status = weir_cuda_nodes_check(&inner, n->control->condition.kind == CONDITION_WHILE);
    weir_cuda_nodes_end(&inner);
    return status;
}

weir_status weir_cuda_control_add(const control_nodes *n, const cudaGraphNode_t *follows, size_t count, cudaGraphNode_t *last, cudaGraph_t **bodies)
{
    adding a = {.n = n, .call = ""};
    weir_status status = weir_cuda_task_status(n->s->replay->program, n->name, add_outside(&a, follows, count, bodies), a.call);
    *last = n->pieces[1];
    if (status == WEIR_OK && !*bodies)
        status = weir_fail(WEIR_ERR_DEVICE, "task '%s': a conditional node without bodies", n->name);
    return status;
}

weir_status weir_cuda_control_fill(const control_nodes *n, const cudaGraph_t *bodies)
{
    adding a = {.n = n, .handle = n->s->handles[n->control->number], .call = ""};
    weir_status status = WEIR_OK;
    cudaGraphNode_t *pieces = n->pieces + 2;
    for (uint32_t b = 0; b < n->control->what->count && status == WEIR_OK; b++) {
        const section *body = &n->control->bodies[b];
        status = add_body(&a, b, bodies[b], pieces);
        pieces += body->piece_first[body->image->plan->tasks];
    }
    return status;
}

/* ---- changing ---- */

static bool is_changed(const action *a)
{
    return !a->fixed && weir_action_is_on_device(a);
}

static bool can_change(const section *s)
{
    for (uint32_t t = 0; t < s->image->plan->tasks; t++)
        if (is_changed(&s->actions[t]) && !weir_cuda_can_change(&s->actions[t]))
            return false;
    return true;
}

bool weir_cuda_control_can_change(const control *c)
{
    for (uint32_t b = 0; b < c->what->count; b++)
        if (!can_change(&c->bodies[b]))
            return false;
    return true;
}

cudaError_t weir_cuda_control_change(const slot *s, const control *c, const cudaGraphNode_t *pieces, const char **call)
{
    cudaError_t result = cudaSuccess;
    pieces += 2;
    for (uint32_t b = 0; b < c->what->count; b++) {
        const section *body = &c->bodies[b];
        uint32_t tasks = body->image->plan->tasks;
        for (uint32_t t = 0; t < tasks && result == cudaSuccess; t++)
            if (is_changed(&body->actions[t]))
                result = weir_cuda_nodes_change(s, &body->actions[t], pieces + body->piece_first[t], call);
        pieces += body->piece_first[tasks];
    }
    return result;
}

cudaError_t weir_cuda_control_switch(const slot *s, const control *c, const cudaGraphNode_t *pieces, bool on)
{
    cudaGraphConditionalHandle handle = s->handles[c->number];
    condition with = condition_of(s, c);
    with.off = !on;
    struct cudaKernelNodeParams params = kernel_of_one(s->replay->program->enter, (void *[]){&handle, &with});
    return cudaGraphExecKernelNodeSetParams(s->exec, pieces[0], &params);
}

/* ---- frames ---- */

/* Making the graph anew may fail by the code of a native in a body, which is the frame's failure, and not the device's. */
cudaError_t weir_cuda_control_launch(weir_program *program, flight *f, uint32_t task, cudaStream_t stream, const char **call)
{
    const replay *alone = program->root.actions[task].as.control->alone;
    static const unsigned char off = 1;
    const weir_frame_values *values = f->values; /* not all of it: what is foreign to the frame may be another thread's to take back */
    weir_frame_values of_task = {.number = values->number, .ring_at = values->ring_at, .params = values->params};
    uint32_t at;
    of_task.off = weir_task_is_off(values, task) ? &off : NULL;
    slot *s = weir_cuda_slot_choose(alone, &of_task);
    cudaError_t result = weir_cuda_slot_change(s, &of_task, call, &at);
    if (result != cudaSuccess)
        return weir_native_failed(program, f, &s->natives) ? cudaSuccess : result;
    *call = "cudaGraphLaunch";
    return cudaGraphLaunch(s->exec, stream);
}

void weir_cuda_controls_tell(const weir_program *program, uint64_t frame)
{
    const weir_image *image = program->image;
    const flight *f = &program->flights[frame % program->frames];
    uint32_t tasks = program->plan->tasks, left = program->root.control_count, at = f->slot ? f->slot->number : (uint32_t)(frame % program->frames);
    for (uint32_t t = 0; left > 0 && image->rounds && t < tasks; t++) {
        if (program->root.actions[t].kind != ACTION_CONTROL)
            continue;
        const condition *c = &program->root.actions[t].as.control->condition;
        if (c->results)
            image->rounds[frame % program->frames * tasks + t] = c->results[at];
        left--;
    }
}
