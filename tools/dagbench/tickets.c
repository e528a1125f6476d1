/* tickets.c - see tickets.h. */
#include "tickets.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static size_t bytes_of(const tickets *t)
{
    return ((size_t)t->graph->tasks + 1) * sizeof *t->host;
}

bool tickets_init(tickets *t, const shape *graph, trouble *why)
{
    void *device = NULL;
    *t = (tickets){.graph = graph};
    t->host = malloc(bytes_of(t));
    if (!t->host)
        return trouble_no_memory(why);
    bool done = CUDA_GOOD(why, cudaMalloc(&device, bytes_of(t)));
    t->device = device;
    return done && tickets_clear(t, why);
}

void tickets_finish(tickets *t)
{
    cudaFree(t->device);
    free(t->host);
    *t = (tickets){.graph = NULL};
}

bool tickets_clear(const tickets *t, trouble *why)
{
    return CUDA_GOOD(why, cudaMemset(t->device, 0, bytes_of(t))) && CUDA_GOOD(why, cudaDeviceSynchronize());
}

static bool edges_are_kept(const tickets *t, trouble *why)
{
    const shape *graph = t->graph;
    for (uint32_t later = 0; later < graph->tasks; later++)
        for (uint32_t i = graph->first[later]; i < graph->first[later + 1]; i++) {
            uint32_t earlier = graph->pred[i];
            if (t->host[earlier + 1].ended < t->host[later + 1].begun)
                continue;
            snprintf(why->text, sizeof why->text, "task %" PRIu32 " started before task %" PRIu32 " was done, which it follows", later, earlier);
            return false;
        }
    return true;
}

bool tickets_are_right(tickets *t, uint32_t frames, bool in_turn, trouble *why)
{
    if (!CUDA_GOOD(why, cudaMemcpy(t->host, t->device, bytes_of(t), cudaMemcpyDeviceToHost)))
        return false;
    for (uint32_t i = 0; i < t->graph->tasks; i++)
        if (t->host[i + 1].runs != frames) {
            snprintf(why->text, sizeof why->text, "task %" PRIu32 " ran %" PRIu32 " times in %" PRIu32 " frames", i, t->host[i + 1].runs, frames);
            return false;
        }
    return !in_turn || edges_are_kept(t, why);
}
