/* control.c - makes loops and branches into nodes, and changes those.
 *
 * What a loop keeps, and where it leaves how often it ran, is the slot's, since frames may be under way at once. Lane by lane they share it: a lane
 * keeps their order, and a while's `launches` count frames, since each frame launches each of a graph's loops once, also one that is switched off;
 * so there it leaves its rounds where the frame's number says. A loop in a body leaves them nowhere: it may run many times a frame.
 * A conditional node cannot be switched off; its enter kernel is told to choose no body. */
#include "backend/cuda/control.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdio.h>
#include <string.h>

uint32_t weir_control_pieces(const control *c)
{
    uint32_t pieces = 2 + c->looks;
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

/* What a slot's loops keep. */
static size_t state_words(const weir_program *p)
{
    return (size_t)p->root.controls_within * WEIR_LOOP_WORDS;
}

/* Of the first slot. Results are those of the graph's own loops. */
static void give_memory(weir_program *p, section *s, uint32_t *results)
{
    for (uint32_t i = 0; i < s->control_count; i++) {
        control *c = &s->controls[i];
        for (uint32_t b = 0; b < c->what->count; b++)
            give_memory(p, &c->bodies[b], NULL);
        if (c->condition.kind != CONDITION_WHILE)
            continue;
        c->condition.decision.state = &p->loop_states[(size_t)c->number * WEIR_LOOP_WORDS];
        c->condition.decision.results = results ? results + (size_t)i * p->slots : NULL;
        c->condition.decision.result_count = p->frames;
        c->condition.mistake = c->decision && c->looks ? &p->loop_mistakes[c->number] : NULL;
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
    program->loop_states = weir_cuda_take(program->device, WEIR_DEVICE, state_words(program) * program->slots * sizeof *program->loop_states);
    program->loop_results = weir_cuda_take(program->device, WEIR_HOST_OUT, (size_t)root->control_count * program->slots * sizeof *program->loop_results);
    if (program->device->options.debug)
        program->loop_mistakes = weir_cuda_take(program->device, WEIR_HOST_OUT, root->controls_within * sizeof *program->loop_mistakes);
    if (!program->loop_states || !program->loop_results || (program->device->options.debug && !program->loop_mistakes))
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
    if (program->loop_mistakes)
        weir_cuda_give(program->device, WEIR_HOST_OUT, program->loop_mistakes);
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
    with.decision.state += s->number * state_words(s->replay->program);
    if (with.decision.results)
        with.decision.results += s->number;
    with.decision.result_count = 1;
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

/* For the nodes of a slot, whose handle is its own. */
static void set_decision(const slot *s, const control *c)
{
    if (!c->decision)
        return;
    *c->decision = condition_of(s, c).decision;
    c->decision->handle = s->handles[c->number];
    c->decision->kind = c->looks ? WEIR_DECISION_NOTED : WEIR_DECISION_SETS;
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
    set_decision(n->s, n->control);
    weir_status status = weir_cuda_nodes_begin(&inner);
    if (status == WEIR_OK)
        status = weir_cuda_nodes_add(&inner);
    if (status == WEIR_OK && n->control->looks) {
        cudaGraphNode_t *again = &pieces[body->piece_first[inner.count]];
        size_t ends = weir_cuda_nodes_ends(&inner);
        cudaError_t result = add_kernel(a, graph, n->s->replay->program->again, inner.follows, ends, again);
        status = weir_cuda_task_status(n->s->replay->program, n->name, result, a->call);
    }
    if (status == WEIR_OK)
        status = weir_cuda_nodes_check(&inner, n->control->looks);
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
    set_decision(s, c);
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

static const char *decider_of(const section *body)
{
    const weir_body *tasks = body->image->plan->body;
    uint32_t t = 0;
    while (!weir_task_decides(tasks, &tasks->tasks.at[t]))
        t++;
    return tasks->tasks.at[t].name;
}

/* A nested loop is called "loop/nested". */
static bool say_mistake(const section *s, uint32_t task, const char *of, char *text, size_t bytes)
{
    const action *a = &s->actions[task];
    char name[256];
    if (a->kind != ACTION_CONTROL)
        return false;
    snprintf(name, sizeof name, "%s%s%s", of, *of ? "/" : "", a->name);
    const control *c = a->as.control;
    const condition_mistake *m = c->condition.mistake;
    if (m && m->round > 0 && m->calls != 1)
        snprintf(text, bytes, "task '%s': in round %u its kernel '%s' called weir_decide %u times, and should once", name, m->round,
                 decider_of(&c->bodies[0]), m->calls);
    else if (m && m->round > 0)
        snprintf(text, bytes, "task '%s': in round %u its kernel '%s' told weir_decide that the loop %s, but then the condition was %u", name, m->round,
                 decider_of(&c->bodies[0]), m->word ? "ends" : "goes on", m->word);
    if (m && m->round > 0)
        return true;
    for (uint32_t b = 0; b < c->what->count; b++)
        for (uint32_t t = 0; t < c->bodies[b].image->plan->tasks; t++)
            if (say_mistake(&c->bodies[b], t, name, text, bytes))
                return true;
    return false;
}

bool weir_cuda_control_mistake(const weir_program *program, uint32_t task, char *text, size_t bytes)
{
    return say_mistake(&program->root, task, "", text, bytes);
}

void weir_cuda_controls_tell(const weir_program *program, uint64_t frame)
{
    const weir_image *image = program->image;
    const flight *f = &program->flights[frame % program->frames];
    uint32_t tasks = program->plan->tasks, left = program->root.control_count, at = f->slot ? f->slot->number : (uint32_t)(frame % program->frames);
    for (uint32_t t = 0; left > 0 && image->rounds && t < tasks; t++) {
        if (program->root.actions[t].kind != ACTION_CONTROL)
            continue;
        const weir_decision *d = &program->root.actions[t].as.control->condition.decision;
        if (d->results)
            image->rounds[frame % program->frames * tasks + t] = d->results[at];
        left--;
    }
}
