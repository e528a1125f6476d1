/* tally.c - see tally.h. */
#include "tally.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static tally *current;

int tally_init(tally *t, const shape *graph)
{
    *t = (tally){.graph = graph, .task = calloc(graph->tasks, sizeof *t->task)};
    current = t;
    return t->task != NULL;
}

void tally_finish(tally *t)
{
    free(t->task);
    t->task = NULL;
    current = NULL;
}

static void check_predecessors(tally *t, const tally_task *task)
{
    const shape *graph = t->graph;
    uint32_t later = (uint32_t)(task - t->task);
    for (uint32_t i = graph->first[later]; i < graph->first[later + 1]; i++) {
        uint32_t earlier = graph->pred[i];
        if (t->task[earlier].runs != task->runs + 1) {
            unsigned long long none = 0, edge = ((unsigned long long)later + 1) << 32 | earlier;
            atomic_compare_exchange_strong(&t->broken, &none, edge);
        }
    }
}

void tally_count(void *task)
{
    tally_task *own = task;
    if (current->checking)
        check_predecessors(current, own);
    own->runs++;
}

weir_status tally_run(void *task, void *const *args)
{
    (void)args;
    tally_count(task);
    return WEIR_OK;
}

bool tally_is_right(const tally *t, uint32_t frames, char *text, size_t text_bytes)
{
    unsigned long long broken = atomic_load(&t->broken);
    if (broken) {
        snprintf(text, text_bytes, "task %" PRIu64 " started before task %" PRIu64 " was done, which it follows", (uint64_t)(broken >> 32) - 1,
                 (uint64_t)(broken & UINT32_MAX));
        return false;
    }
    for (uint32_t i = 0; i < t->graph->tasks; i++)
        if (t->task[i].runs != frames) {
            snprintf(text, text_bytes, "task %" PRIu32 " ran %" PRIu32 " times in %" PRIu32 " frames", i, t->task[i].runs, frames);
            return false;
        }
    return true;
}
