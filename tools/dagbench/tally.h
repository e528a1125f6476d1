/* tally.h - what each task of a benchmark does: it counts its own runs, and on demand checks that all its predecessors ran first. The
 * counts are plain integers: two tasks that an edge orders touch the same one, so a missing wait is a race that ThreadSanitizer
 * sees. */
#ifndef DAGBENCH_TALLY_H
#define DAGBENCH_TALLY_H

#include "shapes.h"
#include "weir/weir.h"
#include <stdatomic.h>
#include <stdbool.h>

typedef struct tally tally;

/* One task's own memory, which its function is handed. */
typedef struct {
    uint32_t runs;
} tally_task;

struct tally {
    const shape *graph;
    tally_task *task;
    bool checking;       /* set between frames only */
    atomic_ullong broken; /* 0, or the first edge that was not kept: (later + 1) << 32 | earlier */
};

/* One benchmark at a time: a task's function is handed its own memory and nothing else. Returns 0 when there is no memory. */
int tally_init(tally *t, const shape *graph);
void tally_finish(tally *t);

void tally_count(void *task); /* runs a task: a tally_task */
weir_status tally_run(void *task, void *const *args); /* the same, as a weir_host_fn */

/* After `frames` whole frames: true if each task ran once a frame and no edge was broken while checking; else `text` says which. */
bool tally_is_right(const tally *t, uint32_t frames, char *text, size_t text_bytes);

#endif
