/* control.c - loops and branches. Each is one task: it is passed the word that decides, and touches all that its bodies touch. So whoever looks
 * at accesses (edges, hazards, carried edges, switches) needs to know nothing of bodies. They are kept as graphs of their own, with edges of
 * their own, for those who plan and run them.
 *
 * What is touched is told once for each box of each copy. Whether a body runs at all is not known before, so what it overwrites may also stay as
 * it was: what is written counts as read. Boxes that differ stay apart, overlapping or not, and so does a read of a part of what is written. */
#include "graph/graph.h"
#include <stdlib.h>
#include <string.h>

/* A loop or branch that is to be added. */
typedef struct {
    weir_graph *graph;
    const char *name;
    weir_task_kind kind;
    weir_buffer *word;
    const weir_graph *const *bodies;
    uint32_t count, at_most;
} decision;

/* A part of a copy of a buffer, or a param, that bodies name. */
typedef struct {
    weir_buffer *buffer; /* NULL: a param */
    weir_param *param;
    weir_span span;
    uint16_t back;
    uint8_t mode;  /* of all that name it, together */
    uint32_t met;  /* the order in which they did, which does not depend on where things lie in memory */
} named;

typedef WEIR_VECTOR(named) named_list;

/* ---- what may be refused ---- */

static weir_status refuse(const decision *d, const char *why)
{
    return weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': %s", d->name ? d->name : "?", why);
}

static weir_status refuse_body(const decision *d, const weir_body *body, const char *why)
{
    return weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': body '%s' %s", d->name, body->name, why);
}

static weir_status refuse_in_body(const decision *d, const weir_body *body, const weir_task_record *task, const char *why)
{
    return weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': its body '%s' has %s task '%s': %s", d->name, body->name,
                           task->kind == WEIR_KIND_HOST ? "the host" : "the", task->name, why);
}

static weir_status check_word(const decision *d)
{
    const weir_buffer *word = d->word;
    const char *what = d->kind == WEIR_KIND_SWITCH ? "selector" : "condition", *why = NULL;
    if (!word)
        return weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': the %s is NULL", d->name, what);
    if (word->element_bytes != 4 || word->n[0] != 1 || word->n[1] != 1 || word->n[2] != 1)
        why = "must be one element of 4 bytes";
    else if (weir_buffer_is_ring(word))
        why = "must have one copy, it is a ring";
    else if (word->place == WEIR_HOST_LOCAL)
        why = "is WEIR_HOST_LOCAL, where kernels cannot touch it";
    return why ? weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': the %s '%s' %s", d->name, what, word->name, why) : WEIR_OK;
}

/* Between places that are both the host's. */
static bool is_copy_of_hosts(const weir_body *body, const weir_task_record *task)
{
    if (task->kind != WEIR_KIND_COPY)
        return false;
    const weir_arg_record *arg = &body->args.at[task->arg_first];
    return body->buffers.at[arg[0].index].buffer->place != WEIR_DEVICE && body->buffers.at[arg[1].index].buffer->place != WEIR_DEVICE;
}

/* Nothing in it may need the host, who does not know when it runs. Loops and branches in it were looked at when they were added to it. */
static weir_status check_tasks(const decision *d, const weir_body *body)
{
    for (uint32_t t = 0; t < body->tasks.count; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        if (task->kind == WEIR_KIND_HOST)
            return refuse_in_body(d, body, task, "only the device knows whether and how often a body runs");
        if (is_copy_of_hosts(body, task))
            return refuse_in_body(d, body, task, "a copy between host places is made by the host, and only the device knows whether and how often a body runs");
    }
    return WEIR_OK;
}

/* Of a loop's own tasks one at most says whether it goes on. */
static weir_status check_deciders(const decision *d, const weir_body *body)
{
    const weir_task_record *found = NULL;
    for (uint32_t t = 0; t < body->tasks.count; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        if (!weir_task_decides(body, task))
            continue;
        if (d->kind != WEIR_KIND_WHILE)
            return refuse_in_body(d, body, task, "a WEIR_DECISION is for a kernel that is in a loop's body itself, this is the body of a branch");
        if (found)
            return weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': in its body '%s' both tasks '%s' and '%s' take a WEIR_DECISION: a round is decided once",
                                   d->name, body->name, found->name, task->name);
        found = task;
    }
    return WEIR_OK;
}

static weir_status check_body(const decision *d, const weir_graph *graph)
{
    const weir_body *body = graph->body;
    if (graph == d->graph)
        return refuse(d, "a graph cannot be a body in itself");
    if (graph->status != WEIR_OK)
        return weir_graph_fail(d->graph, graph->status, "task '%s': body '%s': %s", d->name, body->name, graph->error);
    if ((body->flags & WEIR_GRAPH_EXPLICIT) && !(d->graph->body->flags & WEIR_GRAPH_EXPLICIT))
        return weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': the edges of body '%s' are explicit only, those of '%s' are derived", d->name,
                               body->name, d->graph->body->name);
    if (body->explicits_carried.count > 0) {
        const weir_carried_edge *edge = &body->explicits_carried.at[0];
        return weir_graph_fail(d->graph, WEIR_ERR_INVALID,
                               "task '%s': in its body '%s' task '%s' is to come after '%s' of an earlier frame (weir_after_previous), but a body may not "
                               "have run in that: say it of '%s'",
                               d->name, body->name, body->tasks.at[edge->later].name, body->tasks.at[edge->earlier].name, d->name);
    }
    weir_status status = check_tasks(d, body);
    return status == WEIR_OK ? check_deciders(d, body) : status;
}

static weir_status check_decision(const decision *d)
{
    if (!d->name)
        return refuse(d, d->kind == WEIR_KIND_WHILE ? "a loop needs a name" : "a branch needs a name");
    weir_status status = check_word(d);
    if (status != WEIR_OK)
        return status;
    if (d->at_most == 0)
        return refuse(d, "at_most is 0: a loop needs a number of rounds after which it ends, whatever its condition");
    if (!d->bodies || d->count == 0)
        return refuse(d, d->bodies ? "a switch needs a body to choose" : "bodies is NULL");
    for (uint32_t i = 0; i < d->count && status == WEIR_OK; i++)
        if (!d->bodies[i])
            status = weir_graph_fail(d->graph, WEIR_ERR_INVALID, "task '%s': body %u of %u is NULL", d->name, i + 1, d->count);
        else
            status = check_body(d, d->bodies[i]);
    return status;
}

/* ---- what bodies name ---- */

static bool gather(const weir_body *body, named_list *list)
{
    if (!weir_vector_reserve(list, body->args.count))
        return false;
    for (uint32_t i = 0; i < body->args.count; i++) {
        const weir_arg_record *arg = &body->args.at[i];
        named n = {.back = arg->back, .mode = arg->mode, .met = list->count};
        if (arg->mode == WEIR_ARG_VALUE)
            continue;
        if (arg->mode == WEIR_ARG_PARAM) {
            n.param = body->params.at[arg->index];
        } else {
            n.buffer = body->buffers.at[arg->index].buffer;
            n.span = weir_arg_span(body, arg);
            if (arg->mode == WEIR_ARG_WRITE)
                n.mode = WEIR_ARG_READ_WRITE;
        }
        weir_vector_push(list, n);
    }
    return true;
}

static int compare(uintptr_t a, uintptr_t b)
{
    return (a > b) - (a < b);
}

/* 0: the same box of the same copy, or the same param. */
static int compare_place(const named *a, const named *b)
{
    int order = compare((uintptr_t)a->buffer, (uintptr_t)b->buffer);
    if (order == 0)
        order = compare((uintptr_t)a->param, (uintptr_t)b->param);
    if (order == 0)
        order = compare(a->back, b->back);
    return order ? order : memcmp(&a->span, &b->span, sizeof a->span);
}

static int by_place(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = compare_place(x, y);
    return order ? order : compare(x->met, y->met);
}

static int by_meeting(const void *a, const void *b)
{
    return compare(((const named *)a)->met, ((const named *)b)->met);
}

/* Leaves each once, in the order of meeting. */
static void join(named_list *list)
{
    if (list->count == 0)
        return;
    qsort(list->at, list->count, sizeof *list->at, by_place);
    uint32_t kept = 0;
    for (uint32_t i = 1; i < list->count; i++)
        if (compare_place(&list->at[i], &list->at[kept]) != 0)
            list->at[++kept] = list->at[i];
        else if (list->at[i].mode != list->at[kept].mode)
            list->at[kept].mode = WEIR_ARG_READ_WRITE;
    list->count = kept + 1;
    qsort(list->at, list->count, sizeof *list->at, by_meeting);
}

static weir_arg arg_of(const named *n)
{
    weir_arg arg = weir_hidden(weir_arg_of(n->mode, n->buffer, n->param, NULL, 0));
    if (n->back > 0)
        arg = weir_back(arg, n->back);
    if (n->buffer && !weir_buffer_is_token(n->buffer)) {
        const weir_span *s = &n->span;
        weir_box box = {s->lo[0], s->lo[1], s->lo[2], s->hi[0] - s->lo[0], s->hi[1] - s->lo[1], s->hi[2] - s->lo[2]};
        if (box.nx != n->buffer->n[0] || box.ny != n->buffer->n[1] || box.nz != n->buffer->n[2])
            arg.box = box;
    }
    return arg;
}

/* ---- adding ---- */

static void weigh(weir_control *control, const weir_body *body)
{
    double cost_ns = 0;
    for (uint32_t t = 0; t < body->tasks.count; t++) {
        cost_ns += weir_task_cost(body, &body->tasks.at[t]);
        control->keeps_state = control->keeps_state || weir_task_keeps_state(body, &body->tasks.at[t]);
    }
    if (control->cost_ns < cost_ns)
        control->cost_ns = cost_ns;
}

uint32_t weir_graph_keep_control(weir_graph *graph, const weir_control *control, const weir_body *const *bodies)
{
    if (!weir_graph_own(graph))
        return UINT32_MAX;
    weir_body *body = graph->body;
    if (!weir_vector_reserve(&body->controls, 1) || !weir_vector_reserve(&body->inner, control->count)) {
        weir_graph_no_memory(graph);
        return UINT32_MAX;
    }
    weir_vector_push(&body->controls, *control);
    body->controls.at[body->controls.count - 1].first = body->inner.count;
    for (uint32_t i = 0; i < control->count; i++)
        weir_vector_push(&body->inner, weir_body_hold(bodies[i]));
    return body->controls.count - 1;
}

static uint32_t keep_bodies(const decision *d)
{
    weir_control control = {.count = d->count, .at_most = d->at_most};
    const weir_body **bodies = weir_alloc(d->count, sizeof *bodies);
    if (!bodies) {
        weir_graph_no_memory(d->graph);
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        bodies[i] = d->bodies[i]->body;
        weigh(&control, bodies[i]);
    }
    uint32_t kept = weir_graph_keep_control(d->graph, &control, bodies);
    weir_free(bodies);
    return kept;
}

/* The number of the task, or 0. */
static uint32_t append(const decision *d, const named_list *list)
{
    weir_graph *graph = d->graph;
    weir_arg *args = weir_alloc((size_t)list->count + 1, sizeof *args);
    if (!args) {
        weir_graph_no_memory(graph);
        return 0;
    }
    args[0] = WEIR_READ(d->word);
    for (uint32_t i = 0; i < list->count; i++)
        args[i + 1] = arg_of(&list->at[i]);
    const weir_graph_mark before = weir_graph_mark_of(graph);
    weir_new_task task = {.record = {.name = d->name, .kind = d->kind & 0xffu}, .args = {args, (size_t)list->count + 1}};
    uint32_t number = 0, control = keep_bodies(d);
    if (control != UINT32_MAX) {
        task.record.with.control = control;
        number = weir_graph_append(graph, &task);
        if (number == 0)
            weir_graph_back_to(graph, &before);
    }
    weir_free(args);
    return number;
}

static bool writes_word(const decision *d, const named_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].buffer == d->word && list->at[i].mode >= WEIR_ARG_WRITE)
            return true;
    return false;
}

static weir_task add(const decision *d)
{
    const weir_task none = {0, 0};
    if (check_decision(d) != WEIR_OK || d->graph->status != WEIR_OK)
        return none;
    named_list list = {NULL, 0, 0};
    uint32_t number = 0;
    bool gathered = true;
    for (uint32_t i = 0; i < d->count && gathered; i++)
        gathered = gather(d->bodies[i]->body, &list);
    join(&list);
    if (!gathered)
        weir_graph_no_memory(d->graph);
    else if (d->kind == WEIR_KIND_WHILE && !writes_word(d, &list))
        refuse_body(d, d->bodies[0]->body, "never writes the condition, so nothing but at_most would end the loop");
    else
        number = append(d, &list);
    weir_vector_finish(&list);
    return number ? (weir_task){number, d->graph->body->id} : none;
}

static weir_task null_task(const char *call)
{
    weir_fail(WEIR_ERR_INVALID, "%s: the graph is NULL", call);
    return (weir_task){0, 0};
}

weir_task weir_add_while(weir_graph *graph, const char *name, const weir_graph *body, weir_buffer *condition, uint32_t at_most)
{
    if (!graph)
        return null_task("weir_add_while");
    return add(&(decision){graph, name, WEIR_KIND_WHILE, condition, &body, 1, at_most});
}

weir_task weir_add_if(weir_graph *graph, const char *name, weir_buffer *condition, const weir_graph *then_body, const weir_graph *else_body)
{
    if (!graph)
        return null_task("weir_add_if");
    const weir_graph *bodies[] = {then_body, else_body};
    return add(&(decision){graph, name, WEIR_KIND_IF, condition, bodies, else_body ? 2 : 1, 1});
}

weir_task weir_add_switch(weir_graph *graph, const char *name, weir_buffer *selector, const weir_graph *const *bodies, uint32_t count)
{
    if (!graph)
        return null_task("weir_add_switch");
    return add(&(decision){graph, name, WEIR_KIND_SWITCH, selector, bodies, count, 1});
}
