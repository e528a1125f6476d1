/* cuda_inside.h - what the files of the measurement on CUDA share: cuda_bench.c opens it, cuda_eager.c, cuda_replay.c, cuda_costs.c and
 * cuda_fluid.c each measure a part. */
#ifndef DAGBENCH_CUDA_INSIDE_H
#define DAGBENCH_CUDA_INSIDE_H

#include "cuda_bench.h"
#include "declaration.h"
#include "race.h"
#include "rival.h"
#include "tickets.h"
#include "weir_racer.h"

enum { LANES_MOST = 8, POLICIES_MOST = 2 };

/* One graph that is being measured. */
typedef struct {
    const char *name;
    const shape *graph;
    shape reduced;               /* without edges that others imply */
    declaration_data data;
    weir_graph *timed, *checked; /* of the kernels that are timed, and of those that draw tickets */
    rival_work timed_work, checked_work;
    tickets tickets;
    bool modes_checked;
} subject;

struct cuda_bench {
    cuda_settings settings;
    weir_runtime *runtime;
    rival_pool pool;
    int64_t ticks;               /* that a timed kernel is passed; 0: the empty kernel, which is passed nothing */
    void *tick_arg[1];
    bool eager, replay, capture; /* which modes are measured */
    uint32_t lanes[LANES_MOST], lane_counts;
    const char *policy[POLICIES_MOST];
    uint32_t policies;
    subject on;
};

/* Weir's kernels, static data. */
extern const weir_kernel spin_empty, spin_spin, spin_told, spin_ticket;

bool cuda_measure_eager(cuda_bench *b, trouble *why);
bool cuda_measure_replay(cuda_bench *b, trouble *why);
bool cuda_measure_costs(cuda_bench *b, trouble *why); /* of building, launching and changing a replay */

/* Two frames of tickets, one after the other, of a racer on the `checked` graph. `who`: whose. */
bool cuda_check(cuda_bench *b, const racer *r, const char *who, trouble *why);
/* The same of weir in some way, which the racer's exec is made for. */
bool cuda_check_weir(cuda_bench *b, weir_way way, trouble *why);

/* How long a race may be. */
race_length cuda_race_length(const cuda_bench *b);

/* Prints a line. `r`: how it was reached; NULL: by none in particular. */
void cuda_print(const cuda_bench *b, const char *metric, double value, const char *unit, const racer *r);
void cuda_print_us(const cuda_bench *b, const char *metric, double ns, const racer *r);
void cuda_print_ratio(const cuda_bench *b, const char *metric, double weir_ns, double rival_ns, const racer *r);

/* The calls of weir's allocator in 1000 frames like those of the racer, from fewer if they are long. */
bool cuda_measure_allocations(const cuda_bench *b, const char *metric, racer *r, trouble *why);

#endif
