/* cuda_bench.h - measures weir on CUDA against the same graph by hand, in one run, and prints a line a figure. Where the compiler has no CUDA,
 * cuda_bench_absent.c. */
#ifndef DAGBENCH_CUDA_BENCH_H
#define DAGBENCH_CUDA_BENCH_H

#include "shapes.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    uint32_t kernel_us; /* how long each task's kernel lasts; 0: it does nothing */
    uint32_t repeat;    /* laps of a race, at most; 0: not said */
    uint32_t tasks;     /* of the workloads below that are made to measure: nodes of a chain, rounds of a loop */
    bool quick;         /* fewer laps, fewer ways to replay */
    bool choices;       /* of graphs: what mode "auto" chooses against all it may choose from, in place of all else */
    bool json;
} cuda_settings;

enum { CUDA_TASKS = 1000, CUDA_TASKS_MOST = 20000 };

typedef struct cuda_bench cuda_bench;

/* What is measured on CUDA alone, beside graphs of tasks. */
typedef enum {
    CUDA_FLUID_KERNELS,
    CUDA_PROGRAMMATIC,
    CUDA_WHILE,
    CUDA_FFT,
    CUDA_FRAMES_TWO,
    CUDA_FRAMES_THREE,
    CUDA_FRAMES_FLUID,
    CUDA_FRAMES_COST,
    CUDA_WORKLOADS
} cuda_workload_kind;

typedef struct {
    cuda_workload_kind kind;
    const char *name, *says;
    bool has_tasks; /* settings.tasks is for it */
} cuda_workload;

extern const cuda_workload cuda_workloads[CUDA_WORKLOADS];

const cuda_workload *cuda_workload_find(const char *name); /* NULL: none of that name */

/* Opens weir on CUDA and what the rival needs. Heeds WEIR_BACKEND, WEIR_MODE, WEIR_LANES and WEIR_POLICY: what they name is measured alone.
 * Sets *out to NULL, and is no failure, if it is the host that is to be measured: it is named, or CUDA is not there and not demanded.
 * False: `error` says why. Before any other call of CUDA; *out is the caller's, to give to cuda_bench_destroy. */
bool cuda_bench_create(const cuda_settings *settings, cuda_bench **out, char *error, size_t error_bytes);
void cuda_bench_destroy(cuda_bench *bench); /* NULL is fine */

void cuda_bench_heading(const cuda_bench *bench); /* of the table, if it is one */

/* Measures and prints one graph. False: `error` says what is wrong, and the figures printed so far are not to be trusted. */
bool cuda_bench_shape(cuda_bench *bench, const char *name, const shape *graph, char *error, size_t error_bytes);

/* The same for one of those above. */
bool cuda_bench_workload(cuda_bench *bench, const cuda_workload *w, char *error, size_t error_bytes);

#endif
