/* fake_run.c - runs what was launched.
 *
 * A stream is a queue of operations; a few threads (executors) take whatever may run next, picked at random: the first operation of a stream,
 * or a node of a graph that is being run whose dependencies are done. What it does is done with the lock free. Memory operations on host words
 * go step by step; one that waits holds up its stream, or its node, and nothing else. */
#include "fake.h"
#include <time.h>

static uint64_t epoch;
static bool started;
static int polling;

/* ---- marks ---- */

void fake_drop_mark(mark *m)
{
    if (m && --m->refs == 0)
        free(m);
}

/* ---- runs of graphs ---- */

void fake_drop_exec(struct CUgraphExec_st *exec)
{
    if (--exec->refs > 0)
        return;
    for (size_t i = 0; i < exec->count; i++) {
        fake_drop_act(exec->node[i].does);
        free(exec->after[i]);
    }
    free(exec->node);
    free(exec->after);
    free(exec->after_count);
    free(exec);
}

graph_run *fake_make_run(struct CUgraphExec_st *exec)
{
    graph_run *run = fake_zeros(1, sizeof *run);
    size_t count = exec->count;
    run->exec = exec;
    exec->refs++;
    run->number = exec->launched++;
    run->does = fake_zeros(count, sizeof *run->does);
    run->vanished = fake_zeros(count, sizeof *run->vanished);
    run->started = fake_zeros(count, sizeof *run->started);
    run->waits_for = fake_zeros(count, sizeof *run->waits_for);
    run->step = fake_zeros(count, sizeof *run->step);
    run->ready = fake_zeros(count, sizeof *run->ready);
    run->left = count;
    for (size_t i = 0; i < count; i++) {
        act *does = exec->node[i].does;
        run->does[i] = exec->node[i].enabled ? fake_hold(does) : NULL;
        /* Seen with driver 580: a copy or fill that is off keeps no order. */
        run->vanished[i] = !exec->node[i].enabled && does->kind != ACT_KERNEL;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t d = 0; d < exec->after_count[i]; d++)
            run->waits_for[i] += !run->vanished[exec->after[i][d]];
        if (run->waits_for[i] == 0)
            run->ready[run->ready_count++] = i;
    }
    return run;
}

static void drop_run(graph_run *run)
{
    for (size_t i = 0; i < run->exec->count; i++)
        if (run->does[i])
            fake_drop_act(run->does[i]);
    free(run->does);
    free(run->vanished);
    free(run->started);
    free(run->waits_for);
    free(run->step);
    free(run->ready);
    fake_drop_exec(run->exec);
    free(run);
}

static void end_node(graph_run *run, size_t node)
{
    const struct CUgraphExec_st *exec = run->exec;
    for (size_t i = 0; i < run->ready_count; i++)
        if (run->ready[i] == node) {
            run->ready[i] = run->ready[--run->ready_count];
            break;
        }
    run->left--;
    for (size_t i = 0; i < exec->count && !run->vanished[node]; i++)
        for (size_t d = 0; d < exec->after_count[i]; d++)
            if (exec->after[i][d] == node && --run->waits_for[i] == 0)
                run->ready[run->ready_count++] = i;
}

/* ---- executors ---- */

typedef struct {
    struct CUstream_st *stream;
    size_t node; /* SIZE_MAX: the operation itself */
    uint64_t key;
} candidate;

static candidate *candidates;
static size_t candidate_count, candidate_room;

static void suggest(struct CUstream_st *stream, size_t node)
{
    candidates = fake_grow(candidates, candidate_count, &candidate_room, sizeof *candidates);
    candidates[candidate_count++] = (candidate){stream, node, node == SIZE_MAX ? stream->id : fake_mixed(node, 77)};
}

/* True if it waits for a word of the host's. */
static bool suggest_nodes(struct CUstream_st *s, const graph_run *run)
{
    bool waits = false;
    for (size_t i = 0; i < run->ready_count; i++) {
        size_t node = run->ready[i];
        if (run->started[node])
            continue;
        bool can = !run->does[node] || run->does[node]->kind != ACT_BATCH || fake_batch_can(run->does[node], run->step[node]);
        waits |= !can;
        if (can)
            suggest(s, node);
    }
    return waits;
}

static bool suggest_of(struct CUstream_st *s)
{
    operation *o = s->first;
    if (!o || (o->running && o->kind != OP_GRAPH))
        return false;
    if (o->kind == OP_GRAPH && o->running)
        return suggest_nodes(s, o->run);
    if (o->kind == OP_GRAPH && o->run->exec->done != o->run->number)
        return false;
    if (o->kind == OP_WAIT && !o->at->done)
        return false;
    if (o->kind == OP_ACT && o->does->kind == ACT_BATCH && !fake_batch_can(o->does, o->step))
        return true;
    suggest(s, SIZE_MAX);
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

static void run_node(struct CUstream_st *s, size_t node)
{
    graph_run *run = s->first->run;
    act *does = run->does[node];
    if (does && does->kind == ACT_BATCH) {
        fake_batch_step(does, run->step[node]++);
        if (run->step[node] < does->batch_count)
            return;
    } else if (does && does->kind != ACT_NOTHING) {
        run->started[node] = true;
        fake_run_act(does);
    }
    end_node(run, node);
    if (run->left == 0)
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
        if (o->run->left > 0)
            return;
    }
    end_operation(s);
}

static void *execute(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&fake_lock);
    for (;;) {
        bool waits = false;
        candidate_count = 0;
        for (struct CUstream_st *s = fake_streams; s; s = s->next)
            waits |= suggest_of(s);
        waits |= suggest_of(&fake_legacy);
        if (candidate_count > 0) {
            candidate c = choose();
            if (candidate_count > 1 || waits)
                pthread_cond_signal(&fake_work);
            if (c.node == SIZE_MAX)
                run_operation(c.stream);
            else
                run_node(c.stream, c.node);
        } else if (waits && polling == 0) { /* nobody tells of words of the host's */
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += 50000;
            if (until.tv_nsec >= 1000000000) {
                until.tv_sec++;
                until.tv_nsec -= 1000000000;
            }
            polling++;
            pthread_cond_timedwait(&fake_work, &fake_lock, &until);
            polling--;
        } else {
            pthread_cond_wait(&fake_work, &fake_lock);
        }
    }
    return NULL;
}

static void start(void)
{
    if (started)
        return;
    started = true;
    const char *text = getenv("FAKE_CUDA_SEED");
    fake_random = fake_mixed(text && *text ? strtoull(text, NULL, 10) : 1, 1) | 1;
    text = getenv("FAKE_CUDA_EXECUTORS");
    for (unsigned long i = text && *text ? strtoul(text, NULL, 10) : 4; i > 0; i--) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, execute, NULL) != 0)
            fake_wrong("pthread_create", "no thread");
        pthread_detach(thread);
    }
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

void fake_launch(struct CUstream_st *s, operation with)
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
    pthread_cond_signal(&fake_work);
}
