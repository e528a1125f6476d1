/* cuda_inside.h - what the files of the measurement on CUDA share: cuda_bench.c opens it, and each other cuda_*.c measures a part. */
#ifndef DAGBENCH_CUDA_INSIDE_H
#define DAGBENCH_CUDA_INSIDE_H

#include "cuda_bench.h"
#include "declaration.h"
#include "race.h"
#include "rival.h"
#include "tickets.h"
#include "weir_racer.h"

enum { LANES_MOST = 8, POLICIES_MOST = 2, IN_FLIGHT = 8 /* frames that weir plans for where they are launched back to back */ };

/* One graph that is being measured. */
typedef struct {
    const char *name;
    uint32_t kernel_us;          /* for the lines that are printed */
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
    double ticks_per_us;
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

/* Of the graph that is opened. */
bool cuda_measure_eager(cuda_bench *b, trouble *why);
bool cuda_measure_replay(cuda_bench *b, trouble *why);
bool cuda_measure_costs(cuda_bench *b, trouble *why); /* of building, launching and changing a replay */
bool cuda_measure_choices(cuda_bench *b, trouble *why);

/* Of workloads that are none of those graphs; they set what is being measured themselves. */
bool cuda_measure_fluid(cuda_bench *b, const char *name, trouble *why);
bool cuda_measure_programmatic(cuda_bench *b, const char *name, trouble *why);
bool cuda_measure_while(cuda_bench *b, const char *name, trouble *why);
bool cuda_measure_fft(cuda_bench *b, const char *name, trouble *why);
bool cuda_measure_frames_two(cuda_bench *b, const char *name, trouble *why);
bool cuda_measure_frames_three(cuda_bench *b, const char *name, trouble *why);
bool cuda_measure_frames_fluid(cuda_bench *b, const char *name, trouble *why);
bool cuda_measure_frames_cost(cuda_bench *b, const char *name, trouble *why);

/* Two frames of tickets, one after the other, of a racer on the `checked` graph. `who`: whose. */
bool cuda_check(cuda_bench *b, const racer *r, const char *who, trouble *why);
/* The same of weir in some way, which the racer's exec is made for. */
bool cuda_check_weir(cuda_bench *b, weir_way way, trouble *why);

/* How long a race may be; of frames so short that many laps are cheap, longer. */
race_length cuda_race_length(const cuda_bench *b);
race_length cuda_long_race(const cuda_bench *b);
/* How many frames to launch back to back, if one takes so long. */
uint32_t cuda_back_to_back(const cuda_bench *b, double frame_ns);

/* Prints a line. `r`: how it was reached; NULL: by none in particular. */
void cuda_print(const cuda_bench *b, const char *metric, double value, const char *unit, const racer *r);
void cuda_print_us(const cuda_bench *b, const char *metric, double ns, const racer *r);
void cuda_print_ratio(const cuda_bench *b, const char *metric, double weir_ns, double rival_ns, const racer *r);

/* The calls of weir's allocator in 1000 frames like those of the racer, from fewer if they are long. */
bool cuda_measure_allocations(const cuda_bench *b, const char *metric, racer *r, trouble *why);

#endif
