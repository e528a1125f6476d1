/* rival_eager.c - streams and events by hand: a frame is a plain loop over launches, the waits before and the events behind them. */
#include "rival.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    rival_schedule schedule;
    const rival_pool *pool;
    const rival_work *work;
    cudaEvent_t *event;
    rival_ending ending;
    bool sync_each;
} eager;

static void eager_finish(void *self)
{
    eager *e = self;
    for (uint32_t i = 0; e->event && i < e->schedule.events; i++)
        if (e->event[i])
            cudaEventDestroy(e->event[i]);
    free(e->event);
    rival_schedule_finish(&e->schedule);
    free(e);
}

static bool submit(const eager *e, trouble *why)
{
    const rival_schedule *s = &e->schedule;
    for (uint32_t p = 0; p < s->tasks; p++) {
        cudaStream_t stream = e->pool->stream[s->stream[p]];
        for (uint32_t i = s->first_wait[p]; i < s->first_wait[p + 1]; i++)
            if (!CUDA_GOOD(why, cudaStreamWaitEvent(stream, e->event[s->wait[i]], 0)))
                return false;
        if (!rival_launch(e->work, s->task[p], stream, why))
            return false;
        if (s->event[p] != RIVAL_NO_EVENT && !CUDA_GOOD(why, cudaEventRecord(e->event[s->event[p]], stream)))
            return false;
        if (e->sync_each && !CUDA_GOOD(why, cudaStreamSynchronize(stream)))
            return false;
    }
    return true;
}

static bool eager_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    const eager *e = self;
    double begun = timing_now_ns();
    bool done = true;
    for (uint32_t i = 0; i < frames && done; i++)
        done = submit(e, why);
    double submitted = timing_now_ns();
    done = done && rival_wait(e->pool, e->schedule.end, e->schedule.ends, e->ending, why);
    double ended = timing_now_ns();
    *out = (lap){(submitted - begun) / frames, (ended - begun) / frames};
    return done;
}

static bool make_events(eager *e, trouble *why)
{
    e->event = calloc((size_t)e->schedule.events + 1, sizeof(cudaEvent_t));
    if (!e->event)
        return trouble_no_memory(why);
    for (uint32_t i = 0; i < e->schedule.events; i++)
        if (!CUDA_GOOD(why, cudaEventCreateWithFlags(&e->event[i], cudaEventDisableTiming)))
            return false;
    return true;
}

bool rival_eager_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, rival_way way, rival_ending ending,
    trouble *why)
{
    eager *e = calloc(1, sizeof *e);
    if (!e)
        return trouble_no_memory(why);
    e->pool = pool;
    e->work = work;
    e->ending = ending;
    bool done = rival_schedule_init(&e->schedule, graph, way) || trouble_no_memory(why);
    if (!done || !make_events(e, why)) {
        eager_finish(e);
        return false;
    }
    *out = (racer){.run = eager_run, .finish = eager_finish, .self = e};
    rival_name(out, "eager", way, ending);
    return true;
}

bool rival_sync_each_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, trouble *why)
{
    rival_way way = {.streams = 1};
    if (!rival_eager_make(out, pool, graph, work, way, RIVAL_ASK, why))
        return false;
    ((eager *)out->self)->sync_each = true;
    snprintf(out->how, sizeof out->how, "rows, sync each");
    return true;
}
