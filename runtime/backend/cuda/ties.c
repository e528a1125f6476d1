/* ties.c - see ties.h. */
#include "backend/cuda/slot.h"
#include "plan/replay.h"
#include "util/memory.h"
#include "util/status.h"

static weir_status find_carried(const weir_plan *plan, weir_carried *out)
{
    weir_carried all = {{NULL, 0, 0}};
    weir_replay_edges kept = {0};
    weir_status status = weir_carried_create(plan->body, plan->ring_copies, plan->frames, &all);
    if (status == WEIR_OK && all.edges.count > 0)
        status = weir_replay_edges_with(plan, &all, &kept);
    *out = kept.carried;
    kept.carried = (weir_carried){{NULL, 0, 0}};
    weir_replay_edges_finish(&kept);
    weir_carried_finish(&all);
    return status;
}

static bool take_memory(replay *r)
{
    slot_ties *ties = &r->ties;
    ties->first = weir_alloc((size_t)r->tasks + 1, sizeof *ties->first);
    ties->event_of = weir_alloc(r->tasks, sizeof *ties->event_of);
    return ties->first && ties->event_of;
}

static void number_events(replay *r)
{
    slot_ties *ties = &r->ties;
    for (uint32_t t = 0, e = 0; t < r->tasks; ties->first[++t] = e) {
        ties->event_of[t] = UINT32_MAX;
        while (e < ties->carried.edges.count && ties->carried.edges.at[e].later == t)
            e++;
    }
    for (uint32_t e = 0; e < ties->carried.edges.count; e++)
        ties->event_of[ties->carried.edges.at[e].earlier] = 0;
    for (uint32_t t = 0; t < r->tasks; t++)
        if (ties->event_of[t] != UINT32_MAX)
            ties->event_of[t] = ties->event_count++;
}

static weir_status make_events(replay *r)
{
    slot_ties *ties = &r->ties;
    const uint32_t all = r->count * ties->event_count;
    weir_status status = WEIR_OK;
    ties->events = weir_alloc(all, sizeof(cudaEvent_t));
    if (!ties->events)
        return weir_fail_no_memory();
    for (; ties->made < all && status == WEIR_OK; ties->made += status == WEIR_OK)
        status = weir_cuda_status(cudaEventCreateWithFlags(&ties->events[ties->made], cudaEventDisableTiming), "cudaEventCreateWithFlags");
    return status;
}

weir_status weir_cuda_ties_make(replay *r)
{
    const weir_plan *plan = r->program->plan;
    if (plan->frames == 1 || r->alone || r->program->in_turn)
        return WEIR_OK;
    weir_status status = find_carried(plan, &r->ties.carried);
    if (status != WEIR_OK || r->ties.carried.edges.count == 0)
        return status;
    if (!take_memory(r))
        return weir_fail_no_memory();
    number_events(r);
    return make_events(r);
}

void weir_cuda_ties_finish(slot_ties *ties)
{
    for (uint32_t i = 0; i < ties->made; i++)
        (void)cudaEventDestroy(ties->events[i]);
    weir_free(ties->events);
    weir_free(ties->event_of);
    weir_free(ties->first);
    weir_carried_finish(&ties->carried);
    *ties = (slot_ties){0};
}

/* ---- nodes ---- */

/* Of the slot so many frames before. */
static const cudaEvent_t *events_of(const slot *s, uint32_t back)
{
    uint32_t number = (s->number + s->replay->count - back) % s->replay->count;
    return s->replay->ties.events + (size_t)number * s->replay->ties.event_count;
}

static cudaEvent_t event_before(const slot *s, const weir_carried_edge *edge)
{
    return events_of(s, edge->distance)[s->replay->ties.event_of[edge->earlier]];
}

cudaError_t weir_cuda_ties_wait(const slot *s, cudaGraph_t graph, uint32_t task, const cudaGraphNode_t *follows, size_t count, cudaGraphNode_t *last,
                                const char **call)
{
    const slot_ties *ties = &s->replay->ties;
    cudaError_t result = cudaSuccess;
    *call = "cudaGraphAddEventWaitNode";
    for (uint32_t e = ties->first[task]; e < ties->first[task + 1] && result == cudaSuccess; e++) {
        cudaGraphNode_t before = *last;
        bool first = e == ties->first[task];
        result = cudaGraphAddEventWaitNode(last, graph, first ? follows : &before, first ? count : 1, event_before(s, &ties->carried.edges.at[e]));
    }
    return result;
}

cudaError_t weir_cuda_ties_record(const slot *s, cudaGraph_t graph, uint32_t task, cudaGraphNode_t last, const char **call)
{
    cudaGraphNode_t node;
    *call = "cudaGraphAddEventRecordNode";
    return cudaGraphAddEventRecordNode(&node, graph, &last, 1, events_of(s, 0)[s->replay->ties.event_of[task]]);
}
