/* fake_run.c - runs what was launched.
 *
 * A stream is a queue of operations; a few threads (executors) take whatever may run next, picked at random: the first operation of a stream,
 * or a node of a graph that is being run whose dependencies are done. What it does is done with the lock free. Memory operations on host words
 * go step by step; one that waits holds up its stream, or its node, and nothing else.
 *
 * A run is a part for the graph and one for each body and child in it, made at the launch; a body's begins anew each time that it is run.
 * A kernel behind a programmatic edge may start when the other has started. One that waits for the other's end holds up its executor, so
 * another executor is started in its place: what it waits for was started before, and the first of them waits for nobody. */
#define _GNU_SOURCE /* sem_clockwait */
#include "fake.h"
#include <semaphore.h>
#include <time.h>

static uint64_t epoch;
static bool started;
static int polling;
static sem_t work; /* posted for each thing that an executor may look for. No condition: until 2.41 glibc's lose wake-ups, where several wait */
static size_t executors, executors_wanted, executors_held_up;
static pthread_cond_t node_done = PTHREAD_COND_INITIALIZER;
static _Thread_local struct {
    run_part *part; /* NULL: in no node of a graph */
    size_t node;
} current;

/* ---- marks ---- */

mark *fake_make_mark(unsigned refs)
{
    mark *m = fake_zeros(1, sizeof *m);
    m->refs = refs;
    return m;
}

void fake_drop_mark(mark *m)
{
    if (m && --m->refs == 0)
        free(m);
}

/* ---- runs of graphs: made at the launch ---- */

static void make_part(run_part *part, graph_run *run, run_part *parent, size_t parent_node, const exec_graph *of);

static void make_node(run_part *part, size_t i)
{
    const exec_node *from = &part->of->node[i];
    run_node *node = &part->node[i];
    node->does = from->enabled ? fake_hold(from->does) : NULL;
    /* Seen with driver 580: a copy or fill that is off keeps no order. */
    node->vanished = !from->enabled && from->does->kind != ACT_KERNEL;
    for (size_t d = 0; d < from->after_count; d++)
        node->early += from->after[d].programmatic;
    node->inner = fake_zeros(from->inner_count, sizeof *node->inner);
    for (size_t b = 0; b < from->inner_count; b++)
        make_part(&node->inner[b], part->run, part, i, &from->inner[b]);
}

static void make_part(run_part *part, graph_run *run, run_part *parent, size_t parent_node, const exec_graph *of)
{
    *part = (run_part){.run = run, .parent = parent, .parent_node = parent_node, .of = of, .graph_id = of->graph_id, .update_id = of->update_id};
    part->value = fake_zeros(of->handle_count, sizeof *part->value);
    part->is_set = fake_zeros(of->handle_count, sizeof *part->is_set);
    part->times_set = fake_zeros(of->handle_count, sizeof *part->times_set);
    for (size_t i = 0; i < of->handle_count; i++) {
        part->value[i] = of->handle[i].value;
        part->is_set[i] = of->handle[i].flags & cudaGraphCondAssignDefault;
    }
    part->node = fake_zeros(of->count, sizeof *part->node);
    part->ready = fake_zeros(of->count, sizeof *part->ready);
    for (size_t i = 0; i < of->count; i++)
        make_node(part, i);
}

static void finish_part(run_part *part)
{
    for (size_t i = 0; i < part->of->count; i++) {
        run_node *node = &part->node[i];
        for (size_t b = 0; b < part->of->node[i].inner_count; b++)
            finish_part(&node->inner[b]);
        free(node->inner);
        if (node->does)
            fake_drop_act(node->does);
        fake_drop_mark(node->at);
    }
    free(part->value);
    free(part->is_set);
    free(part->times_set);
    free(part->node);
    free(part->ready);
}

/* From its beginning. */
static void begin_part(run_part *part)
{
    const exec_graph *of = part->of;
    part->left = of->count;
    part->ready_count = 0;
    for (size_t i = 0; i < of->count; i++) {
        run_node *node = &part->node[i];
        node->started = node->synchronised = false;
        node->step = 0;
        node->behind = node->early;
        node->waits_for = 0;
        for (size_t d = 0; d < of->node[i].after_count; d++)
            node->waits_for += !part->node[of->node[i].after[d].node].vanished;
        if (node->waits_for == 0)
            part->ready[part->ready_count++] = i;
    }
}

/* A node that waits for an event waits for what was recorded before this launch. */
static void bind_events(run_part *part, act_kind kind)
{
    for (size_t i = 0; i < part->of->count; i++) {
        run_node *node = &part->node[i];
        for (size_t b = 0; b < part->of->node[i].inner_count; b++)
            bind_events(&node->inner[b], kind);
        if (!node->does || node->does->kind != kind)
            continue;
        cudaEvent_t event = node->does->event;
        fake_check_handle("cudaGraphLaunch", event, IS_EVENT);
        if (kind == ACT_AWAIT) {
            node->at = event->at;
            if (node->at)
                node->at->refs++;
        } else {
            fake_drop_mark(event->at);
            event->at = node->at = fake_make_mark(2);
            event->capture_id = 0;
            event->nodes.count = 0;
        }
    }
}

graph_run *fake_make_run(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    graph_run *run = fake_zeros(1, sizeof *run);
    run->exec = exec;
    exec->refs++;
    run->stream = stream;
    run->number = exec->launched++;
    make_part(&run->all, run, NULL, 0, &exec->all);
    bind_events(&run->all, ACT_AWAIT);
    bind_events(&run->all, ACT_RECORD);
    begin_part(&run->all);
    return run;
}

static void drop_run(graph_run *run)
{
    finish_part(&run->all);
    fake_drop_exec(run->exec);
    free(run);
}

/* ---- runs of graphs: from node to node ---- */

static void fulfil(run_part *part, size_t node)
{
    if (--part->node[node].waits_for == 0)
        part->ready[part->ready_count++] = node;
}

/* Calls `then` for each edge from the node that is, or is not, programmatic. */
static void follow_edges(run_part *part, size_t node, bool programmatic, void then(run_part *part, size_t node))
{
    for (size_t i = 0; i < part->of->count && (!programmatic || part->of->has_early); i++)
        for (size_t d = 0; d < part->of->node[i].after_count; d++)
            if (part->of->node[i].after[d].node == node && part->of->node[i].after[d].programmatic == programmatic)
                then(part, i);
}

static void start_node(run_part *part, size_t node)
{
    size_t before = part->ready_count;
    part->node[node].started = true;
    follow_edges(part, node, true, fulfil);
    if (part->ready_count > before) /* this executor does not look again before the node has ended */
        sem_post(&work);
}

static void leave_behind(run_part *part, size_t node)
{
    part->node[node].behind--;
}

static void go_round(run_part *part, size_t node);

static void end_node(run_part *part, size_t node)
{
    for (size_t i = 0; i < part->ready_count; i++)
        if (part->ready[i] == node) {
            part->ready[i] = part->ready[--part->ready_count];
            break;
        }
    part->left--;
    if (!part->node[node].vanished)
        follow_edges(part, node, false, fulfil);
    follow_edges(part, node, true, leave_behind);
    pthread_cond_broadcast(&node_done);
    if (part->left > 0 || !part->parent)
        return;
    const act *around = part->parent->node[part->parent_node].does;
    if (around->kind == ACT_CONDITIONAL && around->condition.type == cudaGraphCondTypeWhile)
        go_round(part->parent, part->parent_node);
    else
        end_node(part->parent, part->parent_node);
}

static bool is_of(const run_part *part, cudaGraphConditionalHandle handle)
{
    return (part->graph_id == handle >> 16 || part->update_id == handle >> 16) && (handle & 0xffff) < part->of->handle_count;
}

static const run_part *owner_of(const run_part *part, cudaGraphConditionalHandle handle)
{
    while (part && !is_of(part, handle))
        part = part->parent;
    if (!part)
        fake_wrong("a conditional node", "its handle %llx is of another graph", handle);
    return part;
}

static unsigned value_of(const run_part *part, cudaGraphConditionalHandle handle)
{
    part = owner_of(part, handle);
    if (!part->is_set[handle & 0xffff])
        fake_wrong("a conditional node", "nobody has set the value of its handle %llx in this launch, and it has no default", handle);
    return part->value[handle & 0xffff];
}

static unsigned choice_of(const run_part *part, const act *does)
{
    if (does->kind == ACT_CHILD)
        return 0;
    const struct cudaConditionalNodeParams *c = &does->condition;
    unsigned value = value_of(part, c->handle);
    if (c->type == cudaGraphCondTypeSwitch)
        return value;
    return value != 0 ? 0 : c->type == cudaGraphCondTypeIf ? 1 : UINT32_MAX;
}

/* The body that the node's value names, or none and the node is done. */
static void begin_inner(run_part *part, size_t node)
{
    run_node *n = &part->node[node];
    n->choice = choice_of(part, n->does);
    if (n->does->kind == ACT_CONDITIONAL)
        owner_of(part, n->does->condition.handle)->times_set[n->does->condition.handle & 0xffff] = 0;
    if (n->choice >= part->of->node[node].inner_count) {
        end_node(part, node);
        return;
    }
    run_part *inner = &n->inner[n->choice];
    begin_part(inner);
    if (inner->left > 0)
        return;
    if (n->does->kind == ACT_CONDITIONAL && n->does->condition.type == cudaGraphCondTypeWhile)
        fake_wrong("a conditional node", "a loop without end: its body is empty");
    end_node(part, node);
}

/* CUDA lets a round pass in which nobody sets the condition; of weir's loops it would be one that may never end. */
static void go_round(run_part *part, size_t node)
{
    cudaGraphConditionalHandle handle = part->node[node].does->condition.handle;
    const run_part *owner = owner_of(part, handle);
    unsigned times = owner->times_set[handle & 0xffff];
    if (times != 1)
        fake_wrong("a conditional node", "in a round of a loop its condition was set %u times", times);
    begin_inner(part, node);
}

static run_part *part_with(run_part *part, cudaGraphConditionalHandle handle)
{
    if (is_of(part, handle))
        return part;
    for (size_t i = 0; i < part->of->count; i++)
        for (size_t b = 0; b < part->of->node[i].inner_count; b++) {
            run_part *found = part_with(&part->node[i].inner[b], handle);
            if (found)
                return found;
        }
    return NULL;
}

void fake_cuda_set_conditional(unsigned long long handle, unsigned value)
{
    pthread_mutex_lock(&fake_lock);
    run_part *of = current.part ? part_with(&current.part->run->all, handle) : NULL;
    if (!of)
        fake_wrong("cudaGraphSetConditional", "handle %llx, in no kernel of a graph that has it", handle);
    of->value[handle & 0xffff] = value;
    of->is_set[handle & 0xffff] = true;
    of->times_set[handle & 0xffff]++;
    pthread_mutex_unlock(&fake_lock);
}

/* ---- executors ---- */

typedef struct {
    struct CUstream_st *stream;
    run_part *part; /* NULL: the operation itself */
    size_t node;
    uint64_t key;
} candidate;

static candidate *candidates;
static size_t candidate_count, candidate_room;

static void suggest(struct CUstream_st *stream, run_part *part, size_t node)
{
    candidates = fake_grow(candidates, candidate_count, &candidate_room, sizeof *candidates);
    candidates[candidate_count++] = (candidate){stream, part, node, part ? fake_mixed(node, 77) : stream->id};
}

/* True if it waits for a word of the host's. */
static bool suggest_nodes(struct CUstream_st *s, run_part *part)
{
    bool waits = false;
    for (size_t i = 0; i < part->ready_count; i++) {
        size_t number = part->ready[i];
        const run_node *node = &part->node[number];
        if (node->started && (node->does->kind == ACT_CONDITIONAL || node->does->kind == ACT_CHILD))
            waits |= suggest_nodes(s, &node->inner[node->choice]);
        if (node->started || (node->does && node->does->kind == ACT_AWAIT && node->at && !node->at->done))
            continue;
        bool can = !node->does || node->does->kind != ACT_BATCH || fake_batch_can(node->does, node->step);
        waits |= !can;
        if (can)
            suggest(s, part, number);
    }
    return waits;
}

static bool suggest_of(struct CUstream_st *s)
{
    operation *o = s->first;
    if (!o || (o->running && o->kind != OP_GRAPH))
        return false;
    if (o->kind == OP_GRAPH && o->running)
        return suggest_nodes(s, &o->run->all);
    if (o->kind == OP_GRAPH && o->run->exec->done != o->run->number)
        return false;
    if (o->kind == OP_WAIT && !o->at->done)
        return false;
    if (o->kind == OP_ACT && o->does->kind == ACT_BATCH && !fake_batch_can(o->does, o->step))
        return true;
    suggest(s, NULL, 0);
    return false;
}

/* Some streams and nodes are favoured for a while, so that others fall far behind; or none are. */
static candidate choose(void)
{
    size_t best = fake_draw() % candidate_count;
    if (fake_draw() % 32 == 0)
        epoch = fake_draw();
    if (epoch % 2 == 0)
        return candidates[best];
    for (size_t i = 0; i < candidate_count; i++)
        if (fake_mixed(candidates[i].key, epoch) > fake_mixed(candidates[best].key, epoch))
            best = i;
    return candidates[best];
}

static void end_operation(struct CUstream_st *s)
{
    operation *o = s->first;
    s->first = o->next;
    if (!s->first)
        s->last = NULL;
    s->count--;
    if (o->does)
        fake_drop_act(o->does);
    fake_drop_mark(o->at);
    if (o->run) {
        o->run->exec->done++;
        drop_run(o->run);
    }
    free(o);
    if (s->gone && s->count == 0) {
        struct CUstream_st **link = &fake_streams;
        while (*link != s)
            link = &(*link)->next;
        *link = s->next;
        free(s);
    }
    pthread_cond_broadcast(&fake_done);
}

static void run_kernel_node(run_part *part, size_t number)
{
    run_node *node = &part->node[number];
    current.part = part;
    current.node = number;
    fake_run_act(node->does);
    current.part = NULL;
    if (node->early > 0 && !node->synchronised && node->behind > 0)
        fake_wrong("a kernel behind a programmatic edge", "'%s' ended before what it follows, and did not call cudaGridDependencySynchronize",
                   node->does->kernel->name);
}

static void do_node(run_part *part, size_t number)
{
    run_node *node = &part->node[number];
    act_kind kind = node->does ? node->does->kind : ACT_NOTHING;
    if (kind == ACT_BATCH) {
        fake_batch_step(node->does, node->step++);
        if (node->step < node->does->batch_count)
            return;
    }
    start_node(part, number);
    if (kind == ACT_CONDITIONAL || kind == ACT_CHILD) {
        begin_inner(part, number);
        return;
    }
    if (kind == ACT_KERNEL) {
        run_kernel_node(part, number);
    } else if (kind == ACT_RECORD) {
        node->at->done = true;
        node->at->when_ns = fake_now_ns();
        pthread_cond_broadcast(&fake_done);
    } else if (kind == ACT_LINE || kind == ACT_BOX || kind == ACT_FILL || kind == ACT_HOST) {
        fake_run_act(node->does);
    }
    end_node(part, number);
}

static void run_graph_node(struct CUstream_st *s, run_part *part, size_t number)
{
    graph_run *run = part->run;
    do_node(part, number);
    if (run->all.left == 0)
        end_operation(s);
}

static void run_operation(struct CUstream_st *s)
{
    operation *o = s->first;
    if (o->kind == OP_ACT && o->does->kind == ACT_BATCH) {
        fake_batch_step(o->does, o->step++);
        if (o->step < o->does->batch_count)
            return;
    } else if (o->kind == OP_ACT) {
        o->running = true;
        fake_run_act(o->does);
    } else if (o->kind == OP_RECORD) {
        o->at->done = true;
        o->at->when_ns = fake_now_ns();
    } else if (o->kind == OP_GRAPH) {
        o->running = true;
        if (o->run->all.left > 0)
            return;
    }
    end_operation(s);
}

static void *execute(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&fake_lock);
    while (executors - executors_held_up <= executors_wanted) {
        bool waits = false;
        candidate_count = 0;
        for (struct CUstream_st *s = fake_streams; s; s = s->next)
            waits |= suggest_of(s);
        waits |= suggest_of(&fake_legacy);
        if (candidate_count > 0) {
            candidate c = choose();
            if (candidate_count > 1 || waits)
                sem_post(&work);
            if (c.part)
                run_graph_node(c.stream, c.part, c.node);
            else
                run_operation(c.stream);
        } else if (waits && polling == 0) { /* nobody tells of words of the host's */
            struct timespec until;
            clock_gettime(CLOCK_MONOTONIC, &until);
            until.tv_nsec += 50000;
            if (until.tv_nsec >= 1000000000) {
                until.tv_sec++;
                until.tv_nsec -= 1000000000;
            }
            polling++;
            pthread_mutex_unlock(&fake_lock);
            sem_clockwait(&work, CLOCK_MONOTONIC, &until);
            pthread_mutex_lock(&fake_lock);
            polling--;
        } else {
            pthread_mutex_unlock(&fake_lock);
            sem_wait(&work);
            pthread_mutex_lock(&fake_lock);
        }
    }
    executors--;
    sem_post(&work); /* not meant for this one */
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

static void start_executor(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, execute, NULL) != 0)
        fake_wrong("pthread_create", "no thread");
    pthread_detach(thread);
    executors++;
}

static void start(void)
{
    if (started)
        return;
    started = true;
    sem_init(&work, 0, 0);
    fake_promise_stacks();
    const char *text = getenv("FAKE_CUDA_SEED");
    fake_random = fake_mixed(text && *text ? strtoull(text, NULL, 10) : 1, 1) | 1;
    text = getenv("FAKE_CUDA_EXECUTORS");
    executors_wanted = text && *text ? strtoul(text, NULL, 10) : 4;
    while (executors < executors_wanted)
        start_executor();
}

void fake_cuda_grid_dependency_synchronize(void)
{
    if (!current.part)
        return;
    pthread_mutex_lock(&fake_lock);
    run_node *node = &current.part->node[current.node];
    node->synchronised = true;
    executors_held_up++;
    while (node->behind > 0) {
        if (executors - executors_held_up < executors_wanted)
            start_executor();
        pthread_cond_wait(&node_done, &fake_lock);
    }
    executors_held_up--;
    pthread_mutex_unlock(&fake_lock);
}

/* ---- waiting ---- */

/* Until all that was launched so far is done; stream NULL: of all streams. */
void fake_wait_for_operations(const struct CUstream_st *stream)
{
    uint64_t last = fake_numbers;
    for (;;) {
        bool busy = false;
        for (const struct CUstream_st *s = fake_streams; s; s = s->next)
            busy |= (!stream || s == stream) && s->first && s->first->number < last;
        busy |= (!stream || stream == &fake_legacy) && fake_legacy.first && fake_legacy.first->number < last;
        if (!busy)
            return;
        pthread_cond_wait(&fake_done, &fake_lock);
    }
}

static void enqueue(struct CUstream_st *s, operation with)
{
    start();
    while (s->count >= QUEUE_MOST)
        pthread_cond_wait(&fake_done, &fake_lock);
    operation *o = fake_zeros(1, sizeof *o);
    *o = with;
    o->number = fake_numbers++;
    if (s->last)
        s->last->next = o;
    else
        s->first = o;
    s->last = o;
    s->count++;
    sem_post(&work);
}

/* What is in the one now comes before what the other gets from now on. */
static void order(struct CUstream_st *first, struct CUstream_st *then)
{
    if (first->count == 0)
        return;
    mark *m = fake_make_mark(2);
    enqueue(first, (operation){.kind = OP_RECORD, .at = m});
    enqueue(then, (operation){.kind = OP_WAIT, .at = m});
}

/* The legacy stream and each blocking one wait for each other. */
void fake_launch(struct CUstream_st *s, operation with)
{
    if (s->blocking)
        order(&fake_legacy, s);
    for (struct CUstream_st *t = fake_streams; t && s == &fake_legacy; t = t->next)
        if (t->blocking)
            order(t, s);
    enqueue(s, with);
}
