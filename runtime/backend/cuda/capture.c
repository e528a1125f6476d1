/* capture.c - builds a slot's graph by feeding the plan's lanes to streams that are being captured. They are made for it: the pool's may be
 * in use by frames, which must neither be captured nor waited for. Empty tasks become nodes by hand, so that the graph has a node for each
 * task and an edge for each wait and each step of a lane; and so do natives, after what they add. */
#include "backend/cuda/control.h"
#include "backend/cuda/slot.h"
#include "backend/walk.h"
#include "util/memory.h"
#include "util/status.h"

typedef struct {
    weir_program *program;
    slot *s;
    cudaStream_t origin, *streams;
    cudaEvent_t fork, *events; /* task that records -> event */
    cudaGraph_t **bodies;      /* of the program's own controls, in order */
    cudaError_t error;
    const char *call;
    uint32_t task;
    weir_status said;          /* of a task that told what went wrong itself */
    uint64_t native_nodes, native_edges; /* more than if each native were one node */
    uint64_t end_edges;                  /* to a node behind all others, if there is one */
} capturing;

static bool keep(capturing *c, cudaError_t result, const char *call, uint32_t task)
{
    if (result == cudaSuccess)
        return true;
    c->error = result;
    c->call = call;
    c->task = task;
    return false;
}

/* ---- what the walk asks ---- */

static bool wait_for(void *feeder, uint32_t lane, const weir_wait *wait)
{
    capturing *c = feeder;
    if (wait->distance > 0)
        return true; /* nodes of their own wait for what frames before record */
    return keep(c, cudaStreamWaitEvent(c->streams[lane], c->events[c->program->record_of[wait->task]], 0), "cudaStreamWaitEvent", wait->task);
}

/* What the next node of a stream that is captured will follow; good until the next call that captures. */
typedef struct {
    cudaGraph_t graph;
    const cudaGraphNode_t *nodes;
    size_t count;
} capture_point;

static cudaError_t find_point(cudaStream_t stream, capture_point *at)
{
    enum cudaStreamCaptureStatus state;
    const cudaGraphEdgeData *data = NULL;
    return cudaStreamGetCaptureInfo(stream, &state, NULL, &at->graph, &at->nodes, &data, &at->count);
}

/* That point, where it is one node; after a launch, that launch's. */
static cudaError_t find_node(cudaStream_t stream, capture_point *at)
{
    cudaError_t result = find_point(stream, at);
    return result == cudaSuccess && at->count != 1 ? cudaErrorUnknown : result;
}

static cudaError_t last_node(cudaStream_t stream, cudaGraphNode_t *node)
{
    capture_point at;
    cudaError_t result = find_node(stream, &at);
    if (result == cudaSuccess)
        *node = at.nodes[0];
    return result;
}

/* An empty node after what the stream did last; the stream does not follow it. */
static cudaError_t add_beside(cudaStream_t stream, cudaGraphNode_t *node)
{
    capture_point at;
    cudaError_t result = find_point(stream, &at);
    return result == cudaSuccess ? cudaGraphAddEmptyNode(node, at.graph, at.nodes, at.count) : result;
}

/* The same, and the stream goes on from there. */
static cudaError_t add_empty(cudaStream_t stream, cudaGraphNode_t *node)
{
    cudaError_t result = add_beside(stream, node);
    if (result == cudaSuccess)
        result = cudaStreamUpdateCaptureDependencies(stream, node, NULL, 1, cudaStreamSetCaptureDependencies);
    return result;
}

/* Joins what the stream did last and the node beside it. */
static cudaError_t join_beside(cudaStream_t stream, cudaGraphNode_t beside)
{
    cudaGraphNode_t joined;
    cudaError_t result = cudaStreamUpdateCaptureDependencies(stream, &beside, NULL, 1, cudaStreamAddCaptureDependencies);
    return result == cudaSuccess ? add_empty(stream, &joined) : result;
}

/* Pieces are launched one by one, to know the node of each: in a lane they follow each other. */
static cudaError_t capture_pieces(capturing *c, const action *a, uint32_t task, cudaStream_t stream)
{
    cudaGraphNode_t *nodes = weir_slot_nodes(c->s, task);
    cudaError_t result = cudaSuccess;
    for (uint32_t piece = 0, pieces = weir_action_pieces(a); piece < pieces && result == cudaSuccess; piece++) {
        result = weir_cuda_launch_piece(c->program->device, a, piece, stream, &c->call);
        if (result == cudaSuccess)
            result = last_node(stream, &nodes[piece]);
    }
    return result;
}

static control_nodes nodes_of_control(const capturing *c, uint32_t task)
{
    const action *a = &c->program->root.actions[task];
    return (control_nodes){
        .s = c->s,
        .control = a->as.control,
        .pieces = weir_slot_nodes(c->s, task),
        .level = c->s->replay->level ? &c->s->replay->level[task] : NULL,
        .name = a->name,
    };
}

/* By hand, behind what the stream did last, and the stream goes on from there. Its bodies are filled when nothing is captured any more: natives
 * in them may use streams that natives outside have drawn into the capture. What went wrong is said already. */
static cudaError_t capture_control(capturing *c, const action *a, uint32_t task, cudaStream_t stream)
{
    capture_point at = {.count = 0};
    cudaGraphNode_t last = NULL;
    cudaError_t result = find_point(stream, &at);
    cudaGraphNode_t *follows = result == cudaSuccess ? weir_alloc(at.count, sizeof(cudaGraphNode_t)) : NULL; /* the stream's own are gone at the next call */
    if (!follows)
        return result == cudaSuccess ? cudaErrorMemoryAllocation : result;
    for (size_t i = 0; i < at.count; i++)
        follows[i] = at.nodes[i];
    control_nodes add = nodes_of_control(c, task);
    add.graph = at.graph;
    c->said = weir_cuda_control_add(&add, follows, at.count, &last, &c->bodies[a->as.control - c->program->root.controls]);
    weir_free(follows);
    if (c->said != WEIR_OK)
        return cudaErrorUnknown;
    return cudaStreamUpdateCaptureDependencies(stream, &last, NULL, 1, cudaStreamSetCaptureDependencies);
}

static weir_status fill_bodies(capturing *c)
{
    const section *root = &c->program->root;
    weir_status status = WEIR_OK;
    for (uint32_t t = 0; t < root->image->plan->tasks && status == WEIR_OK; t++) {
        if (root->actions[t].kind != ACTION_CONTROL)
            continue;
        const control_nodes fill = nodes_of_control(c, t);
        c->s->natives.task = t;
        status = weir_cuda_control_fill(&fill, c->bodies[root->actions[t].as.control - root->controls]);
    }
    return status;
}

static cudaError_t capture_native(capturing *c, const action *a, uint32_t task, cudaStream_t stream)
{
    native_nodes *natives = &c->s->natives;
    uint32_t had_nodes = natives->added.count;
    uint64_t had_edges = natives->edges;
    c->said = weir_native_capture(natives, a, stream, weir_slot_nodes(c->s, task));
    c->native_nodes += natives->added.count - had_nodes; /* those in bodies are in other graphs */
    c->native_edges += natives->edges - had_edges;
    return c->said == WEIR_OK ? cudaSuccess : cudaErrorUnknown;
}

/* By hand: what waits, and the stream goes on from there; what records, and it does not. */
static cudaError_t wait_for_frames_before(capturing *c, uint32_t task, cudaStream_t stream)
{
    capture_point at;
    cudaGraphNode_t last = NULL;
    if (weir_ties_before(&c->s->replay->ties, task) == 0)
        return cudaSuccess;
    c->call = "cudaStreamGetCaptureInfo";
    cudaError_t result = find_point(stream, &at);
    if (result == cudaSuccess)
        result = weir_cuda_ties_wait(c->s, at.graph, task, at.nodes, at.count, &last, &c->call);
    if (result == cudaSuccess) {
        c->call = "cudaStreamUpdateCaptureDependencies";
        result = cudaStreamUpdateCaptureDependencies(stream, &last, NULL, 1, cudaStreamSetCaptureDependencies);
    }
    return result;
}

static cudaError_t record_for_frames_after(capturing *c, uint32_t task, cudaStream_t stream)
{
    capture_point at;
    if (!weir_ties_behind(&c->s->replay->ties, task))
        return cudaSuccess;
    c->call = "cudaStreamGetCaptureInfo";
    cudaError_t result = find_node(stream, &at);
    return result == cudaSuccess ? weir_cuda_ties_record(c->s, at.graph, task, at.nodes[0], &c->call) : result;
}

static bool run(void *feeder, uint32_t lane, uint32_t task)
{
    capturing *c = feeder;
    weir_program *p = c->program;
    const action *a = &p->root.actions[task];
    cudaStream_t stream = c->streams[lane];
    cudaGraphNode_t *node = weir_slot_nodes(c->s, task), guard = NULL;
    c->s->natives.task = task;
    weir_cuda_slot_pass(c->s, task);
    cudaError_t result = wait_for_frames_before(c, task, stream);
    if (result == cudaSuccess && c->s->replay->guarded[task]) {
        c->call = "cudaStreamGetCaptureInfo";
        result = add_beside(stream, &guard);
    }
    if (result != cudaSuccess)
        return keep(c, result, c->call, task);
    if (a->kind == ACTION_GATE) {
        result = weir_cuda_launch_gate(p->device, &c->s->words[p->gate_of[task]], stream, &c->call);
        if (result == cudaSuccess)
            result = last_node(stream, node);
    } else if (weir_cuda_slot_has_native(c->s, task)) {
        result = capture_native(c, a, task, stream);
    } else if (a->kind == ACTION_NOTHING || a->kind == ACTION_NATIVE) {
        result = add_empty(stream, node);
    } else if (a->kind == ACTION_CONTROL) {
        result = capture_control(c, a, task, stream);
    } else {
        result = capture_pieces(c, a, task, stream);
    }
    if (guard && result == cudaSuccess)
        result = join_beside(stream, guard);
    if (result == cudaSuccess)
        result = record_for_frames_after(c, task, stream);
    return keep(c, result, c->call, task);
}

static bool record(void *feeder, uint32_t lane, uint32_t task)
{
    capturing *c = feeder;
    return keep(c, cudaEventRecord(c->events[c->program->record_of[task]], c->streams[lane]), "cudaEventRecord", task);
}

/* ---- from fork to join ---- */

static cudaError_t fork_lanes(capturing *c)
{
    cudaError_t result = cudaEventRecord(c->fork, c->origin);
    for (uint32_t l = 0; l < c->program->plan->lanes && result == cudaSuccess; l++)
        result = cudaStreamWaitEvent(c->streams[l], c->fork, 0);
    return result;
}

static cudaError_t join_lanes(capturing *c)
{
    cudaError_t result = cudaSuccess;
    for (uint32_t l = 0; l < c->program->plan->lanes && result == cudaSuccess; l++) {
        result = cudaEventRecord(c->fork, c->streams[l]);
        if (result == cudaSuccess)
            result = cudaStreamWaitEvent(c->origin, c->fork, 0);
    }
    return result;
}

/* Behind all lanes, which have joined. */
static cudaError_t add_end(capturing *c)
{
    capture_point at;
    cudaGraphNode_t node;
    if (!weir_cuda_needs_end(c->s->replay))
        return cudaSuccess;
    cudaError_t result = find_point(c->origin, &at);
    if (result == cudaSuccess) {
        c->end_edges = at.count;
        result = weir_cuda_end_add(c->s, at.graph, at.nodes, at.count, &node);
    }
    return result == cudaSuccess ? cudaStreamUpdateCaptureDependencies(c->origin, &node, NULL, 1, cudaStreamSetCaptureDependencies) : result;
}

static weir_status status_of(const capturing *c)
{
    if (c->said != WEIR_OK)
        return c->said;
    if (c->error == cudaSuccess)
        return WEIR_OK;
    return c->task == UINT32_MAX ? weir_cuda_status(c->error, c->call) : weir_cuda_task_status(c->program, c->program->root.actions[c->task].name, c->error, c->call);
}

/* In the graph itself: a control's bodies are graphs of their own. */
static uint32_t node_count(const action *a)
{
    return a->kind == ACTION_CONTROL ? 2 : weir_action_pieces(a);
}

static uint64_t all_nodes(const replay *r)
{
    uint64_t count = 2 * (uint64_t)r->guards + weir_cuda_needs_end(r);
    for (uint32_t t = 0; t < r->tasks; t++)
        count += node_count(&r->program->root.actions[t]) + weir_ties_before(&r->ties, t) + weir_ties_behind(&r->ties, t);
    return count;
}

/* The steps of lanes and the waits, those for frames before among them. */
static uint64_t edge_count(const replay *r)
{
    const weir_plan *plan = r->program->plan;
    uint64_t count = 0;
    for (uint32_t t = 0; t < plan->tasks; t++) {
        uint32_t preds = plan->lane_position[t] > 0;
        for (uint32_t w = plan->wait_first[t]; w < plan->wait_first[t + 1]; w++)
            preds += plan->wait[w].distance == 0;
        uint32_t waits = weir_ties_before(&r->ties, t);
        count += weir_ties_behind(&r->ties, t);
        if (waits > 0) {
            count += preds + waits - 1;
            preds = 1;
        }
        count += preds + node_count(&r->program->root.actions[t]) - 1;
        if (r->guarded[t])
            count += preds + 2;
    }
    return count;
}

static weir_status capture(capturing *c)
{
    static const weir_lane_ops ops = {wait_for, run, record};
    const weir_program *p = c->program;
    const replay *r = c->s->replay;
    weir_status status = weir_cuda_status(cudaStreamBeginCapture(c->origin, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    if (status != WEIR_OK)
        return status;
    if (keep(c, fork_lanes(c), "cudaStreamWaitEvent", UINT32_MAX) && weir_walk(p->plan, &ops, c) == p->plan->tasks &&
        keep(c, join_lanes(c), "cudaStreamWaitEvent", UINT32_MAX))
        keep(c, add_end(c), "cudaGraphAddMemsetNode", UINT32_MAX);
    cudaError_t ended = cudaStreamEndCapture(c->origin, &c->s->graph); /* always, or the streams stay in it */
    if (c->error == cudaSuccess)
        keep(c, ended, "cudaStreamEndCapture", UINT32_MAX);
    status = status_of(c);
    if (status == WEIR_OK)
        status = fill_bodies(c);
    if (status == WEIR_OK)
        status = weir_cuda_graph_check(p, c->s->graph, all_nodes(r) + c->native_nodes, edge_count(r) + c->native_edges + c->end_edges);
    return status;
}

/* ---- what it needs ---- */

static weir_status make_streams(capturing *c)
{
    const weir_plan *plan = c->program->plan;
    weir_status status = weir_cuda_status(cudaStreamCreateWithFlags(&c->origin, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    for (uint32_t l = 0; l < plan->lanes && status == WEIR_OK; l++)
        status = weir_cuda_status(cudaStreamCreateWithPriority(&c->streams[l], cudaStreamNonBlocking, weir_cuda_lane_level(c->program->device, plan, l)),
                                  "cudaStreamCreateWithPriority");
    if (status == WEIR_OK)
        status = weir_cuda_status(cudaEventCreateWithFlags(&c->fork, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    for (uint32_t i = 0; i < c->program->record_count && status == WEIR_OK; i++)
        status = weir_cuda_status(cudaEventCreateWithFlags(&c->events[i], cudaEventDisableTiming), "cudaEventCreateWithFlags");
    return status;
}

static void finish(capturing *c)
{
    if (c->origin)
        (void)cudaStreamDestroy(c->origin);
    for (uint32_t l = 0; c->streams && l < c->program->plan->lanes; l++)
        if (c->streams[l])
            (void)cudaStreamDestroy(c->streams[l]);
    if (c->fork)
        (void)cudaEventDestroy(c->fork);
    for (uint32_t i = 0; c->events && i < c->program->record_count; i++)
        if (c->events[i])
            (void)cudaEventDestroy(c->events[i]);
    weir_free(c->streams);
    weir_free(c->events);
    weir_free(c->bodies);
    (void)cudaGetLastError();
}

weir_status weir_cuda_capture_make(slot *s)
{
    weir_program *program = s->replay->program;
    capturing c = {.program = program, .s = s, .call = "", .task = UINT32_MAX};
    c.streams = weir_alloc(program->plan->lanes, sizeof(cudaStream_t));
    c.events = weir_alloc(program->record_count, sizeof(cudaEvent_t));
    c.bodies = weir_alloc(program->root.control_count, sizeof *c.bodies);
    weir_status status = c.streams && c.events && c.bodies ? make_streams(&c) : weir_fail_no_memory();
    /* Calls that a capture forbids are other threads' or none: this thread's mode is what entering made it. */
    if (status == WEIR_OK)
        status = capture(&c);
    finish(&c);
    return status;
}
