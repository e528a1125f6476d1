/* rival.c - what rival_eager.c and rival_graph.c share; see rival.h. */
#include "rival.h"
#include <stdio.h>
#include <stdlib.h>

bool rival_work_same(rival_work *w, uint32_t tasks, const void *code, void **arg, trouble *why)
{
    *w = (rival_work){.code = code, .args = malloc(tasks * sizeof *w->args)};
    if (!w->args)
        return trouble_no_memory(why);
    for (uint32_t t = 0; t < tasks; t++)
        w->args[t] = arg;
    return true;
}

bool rival_work_tickets(rival_work *w, uint32_t tasks, const void *code, spin_record *const *records, trouble *why)
{
    typedef struct {
        void *pointer[2];
        uint32_t task;
    } ticket_args;
    ticket_args *all = malloc(tasks * sizeof *all);
    *w = (rival_work){.code = code, .args = malloc(tasks * sizeof *w->args), .memory = all};
    if (!w->args || !all)
        return trouble_no_memory(why);
    for (uint32_t t = 0; t < tasks; t++) {
        all[t].task = t;
        all[t].pointer[0] = (void *)records;
        all[t].pointer[1] = &all[t].task;
        w->args[t] = all[t].pointer;
    }
    return true;
}

void rival_work_finish(rival_work *w)
{
    free(w->args);
    free(w->memory);
    *w = (rival_work){.code = NULL};
}

bool rival_pool_init(rival_pool *pool, trouble *why)
{
    *pool = (rival_pool){.stream = {NULL}};
    for (int i = 0; i < RIVAL_STREAMS_MOST; i++)
        if (!CUDA_GOOD(why, cudaStreamCreateWithFlags(&pool->stream[i], cudaStreamNonBlocking)))
            return false;
    return true;
}

void rival_pool_finish(rival_pool *pool)
{
    for (int i = 0; i < RIVAL_STREAMS_MOST; i++)
        if (pool->stream[i])
            cudaStreamDestroy(pool->stream[i]);
    *pool = (rival_pool){.stream = {NULL}};
}

bool rival_launch(const rival_work *work, uint32_t task, cudaStream_t stream, trouble *why)
{
    const dim3 grid = {1, 1, 1}, block = {SPIN_THREADS, 1, 1};
    return CUDA_GOOD(why, cudaLaunchKernel(work->code, grid, block, work->args[task], 0, stream));
}

static bool ask(cudaStream_t stream, trouble *why)
{
    cudaError_t error = cudaErrorNotReady;
    while (error == cudaErrorNotReady)
        error = cudaStreamQuery(stream);
    return trouble_check(why, error, "cudaStreamQuery");
}

bool rival_wait(const rival_pool *pool, const uint32_t *stream, uint32_t count, rival_ending ending, trouble *why)
{
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++) {
        cudaStream_t one = pool->stream[stream[i]];
        done = ending == RIVAL_ASK ? ask(one, why) : CUDA_GOOD(why, cudaStreamSynchronize(one));
    }
    return done;
}

void rival_name(racer *out, const char *mode, rival_way way, rival_ending ending)
{
    out->mode = mode;
    out->lanes = way.streams;
    snprintf(out->how, sizeof out->how, "%s %s%s", way.by_level ? "levels" : "rows", way.follow ? "followed" : "dealt",
        ending == RIVAL_ASK ? "" : ", sync");
}
