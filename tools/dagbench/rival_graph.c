/* rival_graph.c - CUDA graphs by hand: explicit nodes with the graph's own edges, or a capture of the streams that rival_eager.c would use. */
#include "rival.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const rival_pool *pool;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    rival_ending ending;
} replay;

static void replay_finish(void *self)
{
    replay *r = self;
    if (r->exec)
        cudaGraphExecDestroy(r->exec);
    if (r->graph)
        cudaGraphDestroy(r->graph);
    free(r);
}

/* Launches of one instantiated graph come one after another by themselves. */
static bool replay_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    static const uint32_t launched_on = 0;
    const replay *r = self;
    double begun = timing_now_ns();
    bool done = true;
    for (uint32_t i = 0; i < frames && done; i++)
        done = CUDA_GOOD(why, cudaGraphLaunch(r->exec, r->pool->stream[launched_on]));
    double submitted = timing_now_ns();
    done = done && rival_wait(r->pool, &launched_on, 1, r->ending, why);
    double ended = timing_now_ns();
    *out = (lap){(submitted - begun) / frames, (ended - begun) / frames};
    return done;
}

/* The first launch need not carry the graph to the device. */
static bool upload(const replay *r, trouble *why)
{
    return CUDA_GOOD(why, cudaGraphUpload(r->exec, r->pool->stream[0])) && CUDA_GOOD(why, cudaStreamSynchronize(r->pool->stream[0]));
}

/* ---- explicit nodes ---- */

static uint32_t most_predecessors(const shape *graph)
{
    uint32_t most = 0;
    for (uint32_t t = 0; t < graph->tasks; t++)
        if (graph->first[t + 1] - graph->first[t] > most)
            most = graph->first[t + 1] - graph->first[t];
    return most;
}

/* `node` has room for all tasks, `before` for the predecessors of any. */
static bool add_nodes(cudaGraph_t out, const shape *graph, const rival_work *work, cudaGraphNode_t *node, cudaGraphNode_t *before, trouble *why)
{
    struct cudaKernelNodeParams params = {
        .func = (void *)work->code,
        .gridDim = {1, 1, 1},
        .blockDim = {SPIN_THREADS, 1, 1},
    };
    for (uint32_t t = 0; t < graph->tasks; t++) {
        uint32_t count = 0;
        for (uint32_t i = graph->first[t]; i < graph->first[t + 1]; i++)
            before[count++] = node[graph->pred[i]];
        params.kernelParams = work->args[t];
        if (!CUDA_GOOD(why, cudaGraphAddKernelNode(&node[t], out, before, count, &params)))
            return false;
    }
    return true;
}

static cudaGraphNode_t *room_for_nodes(const shape *graph, trouble *why)
{
    cudaGraphNode_t *node = malloc(((size_t)graph->tasks + most_predecessors(graph) + 1) * sizeof(cudaGraphNode_t));
    if (!node)
        trouble_no_memory(why);
    return node;
}

/* Sets *ns to the time from an empty hand to an instantiated graph. */
static bool build(replay *r, const shape *graph, const rival_work *work, double *ns, trouble *why)
{
    cudaGraphNode_t *node = room_for_nodes(graph, why);
    if (!node)
        return false;
    double begun = timing_now_ns();
    bool done = CUDA_GOOD(why, cudaGraphCreate(&r->graph, 0)) && add_nodes(r->graph, graph, work, node, node + graph->tasks, why) &&
        CUDA_GOOD(why, cudaGraphInstantiate(&r->exec, r->graph, 0));
    *ns = timing_now_ns() - begun;
    free(node);
    return done;
}

static replay *replay_create(const rival_pool *pool, rival_ending ending, trouble *why)
{
    replay *r = calloc(1, sizeof *r);
    if (!r) {
        trouble_no_memory(why);
        return NULL;
    }
    r->pool = pool;
    r->ending = ending;
    return r;
}

static racer racer_of(replay *r)
{
    return (racer){.run = replay_run, .finish = replay_finish, .self = r};
}

bool rival_nodes_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, rival_ending ending, trouble *why)
{
    double unused;
    replay *r = replay_create(pool, ending, why);
    if (!r)
        return false;
    if (!build(r, graph, work, &unused, why) || !upload(r, why)) {
        replay_finish(r);
        return false;
    }
    *out = racer_of(r);
    out->mode = "replay";
    snprintf(out->how, sizeof out->how, "nodes%s", ending == RIVAL_ASK ? "" : ", sync");
    return true;
}

bool rival_nodes_change(racer *made, const shape *graph, const rival_work *work, trouble *why)
{
    const replay *r = made->self;
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t other = NULL;
    cudaGraphNode_t *node = room_for_nodes(graph, why);
    bool done = node && CUDA_GOOD(why, cudaGraphCreate(&other, 0)) && add_nodes(other, graph, work, node, node + graph->tasks, why) &&
        CUDA_GOOD(why, cudaGraphExecUpdate(r->exec, other, &info)) && upload(r, why);
    if (other)
        cudaGraphDestroy(other);
    free(node);
    snprintf(made->how, sizeof made->how, "nodes, changed");
    return done;
}

bool rival_nodes_time_build(const rival_pool *pool, const shape *graph, const rival_work *work, double *ns, double *uploaded_ns, trouble *why)
{
    replay *r = replay_create(pool, RIVAL_ASK, why);
    if (!r)
        return false;
    bool done = build(r, graph, work, ns, why);
    double built = timing_now_ns();
    done = done && upload(r, why);
    *uploaded_ns = *ns + (timing_now_ns() - built);
    replay_finish(r);
    return done;
}

bool rival_graph_make(racer *out, const rival_pool *pool, cudaGraph_t graph, trouble *why)
{
    replay *r = replay_create(pool, RIVAL_ASK, why);
    if (!r) {
        cudaGraphDestroy(graph);
        return false;
    }
    r->graph = graph;
    if (!CUDA_GOOD(why, cudaGraphInstantiate(&r->exec, graph, 0)) || !upload(r, why)) {
        replay_finish(r);
        return false;
    }
    *out = racer_of(r);
    out->mode = "replay";
    return true;
}

/* ---- capture ---- */

/* Events live as long as the capture only. One more than the schedule's, `joint`, forks the streams off the first and joins them again. */
static bool capture_tasks(const rival_pool *pool, const rival_schedule *s, const rival_work *work, uint32_t streams, const cudaEvent_t *event,
    cudaEvent_t joint, trouble *why)
{
    bool done = CUDA_GOOD(why, cudaEventRecord(joint, pool->stream[0]));
    for (uint32_t i = 1; i < streams && done; i++)
        done = CUDA_GOOD(why, cudaStreamWaitEvent(pool->stream[i], joint, 0));
    for (uint32_t p = 0; p < s->tasks && done; p++) {
        cudaStream_t stream = pool->stream[s->stream[p]];
        for (uint32_t i = s->first_wait[p]; i < s->first_wait[p + 1] && done; i++)
            done = CUDA_GOOD(why, cudaStreamWaitEvent(stream, event[s->wait[i]], 0));
        done = done && rival_launch(work, s->task[p], stream, why);
        if (done && s->event[p] != RIVAL_NO_EVENT)
            done = CUDA_GOOD(why, cudaEventRecord(event[s->event[p]], stream));
    }
    for (uint32_t i = 1; i < streams && done; i++)
        done = CUDA_GOOD(why, cudaEventRecord(joint, pool->stream[i])) && CUDA_GOOD(why, cudaStreamWaitEvent(pool->stream[0], joint, 0));
    return done;
}

static bool capture(replay *r, const rival_schedule *s, const rival_work *work, uint32_t streams, const cudaEvent_t *event, trouble *why)
{
    cudaStream_t first = r->pool->stream[0];
    if (!CUDA_GOOD(why, cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal)))
        return false;
    bool done = capture_tasks(r->pool, s, work, streams, event, event[s->events], why);
    trouble at_end;
    bool ended = CUDA_GOOD(&at_end, cudaStreamEndCapture(first, &r->graph));
    if (done && !ended)
        *why = at_end;
    return done && ended && CUDA_GOOD(why, cudaGraphInstantiate(&r->exec, r->graph, 0)) && upload(r, why);
}

static bool capture_with_events(replay *r, const rival_schedule *s, const rival_work *work, uint32_t streams, trouble *why)
{
    cudaEvent_t *event = calloc((size_t)s->events + 1, sizeof(cudaEvent_t));
    if (!event)
        return trouble_no_memory(why);
    bool done = true;
    for (uint32_t i = 0; i <= s->events && done; i++)
        done = CUDA_GOOD(why, cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming));
    done = done && capture(r, s, work, streams, event, why);
    for (uint32_t i = 0; i <= s->events; i++)
        if (event[i])
            cudaEventDestroy(event[i]);
    free(event);
    return done;
}

bool rival_capture_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, rival_way way, rival_ending ending,
    trouble *why)
{
    rival_schedule schedule;
    replay *r = replay_create(pool, ending, why);
    if (!r)
        return false;
    bool done = rival_schedule_init(&schedule, graph, way) || trouble_no_memory(why);
    done = done && capture_with_events(r, &schedule, work, way.streams, why);
    rival_schedule_finish(&schedule);
    if (!done) {
        replay_finish(r);
        return false;
    }
    *out = racer_of(r);
    rival_name(out, "capture", way, ending);
    return true;
}
