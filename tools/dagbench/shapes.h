/* shapes.h - the graphs that dagbench measures, as bare predecessors. Knows nothing of weir. */
#ifndef DAGBENCH_SHAPES_H
#define DAGBENCH_SHAPES_H

#include <stdint.h>

/* How the tasks come to be ordered. */
typedef enum {
    SHAPE_EDGES,   /* by explicit edges */
    SHAPE_BUFFERS, /* by what they touch: three whole buffers each */
    SHAPE_BOXES    /* by what they touch: a box of one buffer each */
} shape_kind;

/* Task t follows pred[first[t]] .. pred[first[t + 1] - 1], all of them < t, none twice. */
typedef struct {
    uint32_t tasks, edges;
    uint32_t *first, *pred;
    shape_kind kind;
    uint16_t *touched; /* what each task touches, see touched.h; NULL: explicit edges */
} shape;

enum { SHAPE_PREDS_MOST = 32, SHAPE_TASKS_MOST = 50 * 1000 * 1000 };

typedef struct {
    const char *name;
    const char *says; /* what the graph looks like, for --help */
    shape_kind kind;
    /* SHAPE_EDGES alone: writes the predecessors of task t of a graph of that many, and returns how many they are. */
    uint32_t (*preds)(uint32_t t, uint32_t tasks, uint64_t *random, uint32_t pred[SHAPE_PREDS_MOST]);
} workload;

/* A number below `bound`; moves `state` on. */
uint32_t shape_random(uint64_t *state, uint32_t bound);

extern const workload workloads[];
extern const uint32_t workload_count;

const workload *workload_find(const char *name); /* NULL: none of that name */

/* 1 <= tasks <= SHAPE_TASKS_MOST. The same seed gives the same graph. Returns 0 when there is no memory; else free it
 * with shape_finish. */
int shape_init(shape *s, const workload *w, uint32_t tasks, uint64_t seed);
void shape_finish(shape *s); /* zeroed is fine */

#endif
