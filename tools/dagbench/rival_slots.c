/* rival_slots.c - see rival_slots.h. A wait node waits for what its event was last recorded behind when the graph was launched, and graphs are
 * launched in the order of frames: so an event for each tie and slot is enough. One that was never recorded is not waited for. */
#include "rival_slots.h"
#include "timing.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

bool rival_slots_init(rival_slots *s, const rival_pool *pool, uint32_t slots, uint32_t ties, rival_launching launching, trouble *why)
{
    assert(slots >= 1 && slots <= RIVAL_SLOTS_MOST && ties <= RIVAL_TIES_MOST);
    *s = (rival_slots){.pool = pool, .slots = slots, .ties = ties, .launching = launching};
    for (uint32_t i = 0; i < slots; i++) {
        if (!CUDA_GOOD(why, cudaGraphCreate(&s->graph[i], 0)))
            return false;
        for (uint32_t t = 0; t < ties; t++)
            if (!CUDA_GOOD(why, cudaEventCreateWithFlags(&s->event[i][t], cudaEventDisableTiming)))
                return false;
    }
    return true;
}

void rival_slots_finish(rival_slots *s)
{
    for (uint32_t i = 0; i < s->slots; i++) {
        if (s->exec[i])
            cudaGraphExecDestroy(s->exec[i]);
        if (s->graph[i])
            cudaGraphDestroy(s->graph[i]);
        for (uint32_t t = 0; t < s->ties; t++)
            if (s->event[i][t])
                cudaEventDestroy(s->event[i][t]);
    }
    *s = (rival_slots){.pool = NULL};
}

bool rival_slots_wait(const rival_slots *s, uint32_t slot, uint32_t tie, cudaGraphNode_t *out, trouble *why)
{
    uint32_t before = (slot + s->slots - 1) % s->slots;
    *out = NULL;
    return s->slots == 1 || CUDA_GOOD(why, cudaGraphAddEventWaitNode(out, s->graph[slot], NULL, 0, s->event[before][tie]));
}

bool rival_slots_record(const rival_slots *s, uint32_t slot, uint32_t tie, cudaGraphNode_t earlier, trouble *why)
{
    cudaGraphNode_t node = NULL;
    return s->slots == 1 || CUDA_GOOD(why, cudaGraphAddEventRecordNode(&node, s->graph[slot], &earlier, 1, s->event[slot][tie]));
}

bool rival_slots_instantiate(rival_slots *s, trouble *why)
{
    for (uint32_t i = 0; i < s->slots; i++)
        if (!CUDA_GOOD(why, cudaGraphInstantiate(&s->exec[i], s->graph[i], 0)) ||
            !CUDA_GOOD(why, cudaGraphUpload(s->exec[i], s->pool->stream[i])) || !CUDA_GOOD(why, cudaStreamSynchronize(s->pool->stream[i])))
            return false;
    return true;
}

bool rival_slots_await(const rival_slots *s, uint64_t frame, trouble *why)
{
    uint32_t slot = (uint32_t)(frame % s->slots);
    return s->launching == RIVAL_FREE || rival_wait(s->pool, &slot, 1, RIVAL_ASK, why);
}

bool rival_slots_launch(const rival_slots *s, uint64_t frame, trouble *why)
{
    uint32_t slot = (uint32_t)(frame % s->slots);
    return CUDA_GOOD(why, cudaGraphLaunch(s->exec[slot], s->pool->stream[slot]));
}

bool rival_slots_end(const rival_slots *s, trouble *why)
{
    bool done = true;
    for (uint32_t i = 0; i < s->slots && done; i++)
        done = rival_wait(s->pool, &i, 1, RIVAL_ASK, why);
    return done;
}

/* ---- any graph of a kernel ---- */

typedef struct {
    rival_slots slots;
    uint64_t frames; /* so far */
} tied;

static void tied_finish(void *self)
{
    tied *t = self;
    rival_slots_finish(&t->slots);
    free(t);
}

static bool tied_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    tied *t = self;
    double launching_ns = 0.0, begun = timing_now_ns();
    bool done = true;
    for (uint32_t i = 0; i < frames && done; i++) {
        done = rival_slots_await(&t->slots, t->frames, why);
        double called = timing_now_ns();
        done = done && rival_slots_launch(&t->slots, t->frames, why);
        launching_ns += timing_now_ns() - called;
        t->frames++;
    }
    done = done && rival_slots_end(&t->slots, why);
    *out = (lap){launching_ns / frames, (timing_now_ns() - begun) / frames};
    return done;
}

/* `node` has room for all tasks, `before` for the predecessors of any and one more. */
static bool fill(const rival_slots *s, uint32_t slot, const shape *graph, const rival_work *work, cudaGraphNode_t *node, cudaGraphNode_t *before,
    trouble *why)
{
    struct cudaKernelNodeParams params = {.func = (void *)work->code, .gridDim = {1, 1, 1}, .blockDim = {SPIN_THREADS, 1, 1}};
    bool done = true;
    for (uint32_t t = 0; t < graph->tasks && done; t++) {
        uint32_t count = 0;
        for (uint32_t i = graph->first[t]; i < graph->first[t + 1]; i++)
            before[count++] = node[graph->pred[i]];
        bool is_tied = t < s->ties && s->slots > 1;
        if (is_tied)
            done = rival_slots_wait(s, slot, t, &before[count++], why);
        params.kernelParams = work->args[t];
        done = done && CUDA_GOOD(why, cudaGraphAddKernelNode(&node[t], s->graph[slot], before, count, &params)) &&
            (!is_tied || rival_slots_record(s, slot, t, node[t], why));
    }
    return done;
}

static bool tied_make(tied *t, const rival_pool *pool, const shape *graph, const rival_work *work, uint32_t slots, uint32_t ties, trouble *why)
{
    cudaGraphNode_t *node = calloc((size_t)graph->tasks + graph->edges + 1, sizeof(cudaGraphNode_t));
    if (!node)
        return trouble_no_memory(why);
    bool done = rival_slots_init(&t->slots, pool, slots, ties, RIVAL_KEPT, why);
    for (uint32_t i = 0; i < slots && done; i++)
        done = fill(&t->slots, i, graph, work, node, node + graph->tasks, why);
    free(node);
    return done && rival_slots_instantiate(&t->slots, why);
}

bool rival_tied_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, uint32_t slots, uint32_t ties, trouble *why)
{
    tied *t = calloc(1, sizeof *t);
    if (!t)
        return trouble_no_memory(why);
    if (!tied_make(t, pool, graph, work, slots, ties, why)) {
        tied_finish(t);
        return false;
    }
    *out = (racer){.mode = "replay", .run = tied_run, .finish = tied_finish, .self = t};
    snprintf(out->how, sizeof out->how, "nodes, F = %u", (unsigned)slots);
    return true;
}
