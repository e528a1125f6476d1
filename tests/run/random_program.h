/* random_program.h - programs made from a seed: buffers, rings and tasks that write, into what they write, a hash of who they are and of
 * all they read. The same program can be computed one task after another in plain arrays (the slow truth), or declared as a
 * graph and run. */
#ifndef TESTS_RUN_RANDOM_PROGRAM_H
#define TESTS_RUN_RANDOM_PROGRAM_H

#include "weir/weir.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    BUFFERS_MOST = 10,
    ELEMENTS_MOST = 96,
    TASKS_MOST = 64,
    ACCESSES_MOST = 4,
    BACK_MOST = 3, /* frames */
    FRAMES_MOST = 8
};

typedef struct {
    uint32_t buffer;
    unsigned mode, back; /* WEIR_ARG_* */
    bool whole;
    weir_box box;        /* when not whole */
} touching;

typedef enum { DO_KERNEL, DO_HOST, DO_COPY, DO_FILL, DO_NOTHING } doing;

typedef struct {
    char name[16];
    doing what;
    uint32_t id, blocks, value;
    uint32_t pattern;
    bool takes_param, one_call;
    int32_t priority;
    uint32_t access_count;
    touching accesses[ACCESSES_MOST]; /* copies: the write first */
    const struct random_program *program;
    uint32_t seen[FRAMES_MOST];     /* hash of what it read in each frame, as it saw it */
} step;

typedef struct {
    uint32_t nx, ny, copies; /* as in weir_buffer_desc */
    weir_place place;
    uint32_t furthest_back;
} described;

typedef struct random_program {
    uint64_t seed;
    bool explicit_only;     /* edges are declared, not derived; no rings, one frame */
    uint32_t buffer_count, step_count, edge_count;
    described buffers[BUFFERS_MOST];
    step steps[TASKS_MOST];
    struct {
        uint32_t later, earlier;
    } edges[TASKS_MOST * TASKS_MOST];
} random_program;

/* What is left after some frames: each buffer's newest copy, and what each task saw. */
typedef struct {
    uint32_t data[BUFFERS_MOST][ELEMENTS_MOST];
    uint32_t seen[TASKS_MOST][FRAMES_MOST];
} outcome;

typedef struct {
    bool rings, explicit_only;
    uint32_t tasks_most;
} random_options;

void random_program_make(random_program *program, uint64_t seed, const random_options *options);

/* The truth. */
void random_program_compute(random_program *program, uint32_t frames, outcome *out);

/* Buffers and graph for one run; `skip_edge` is left out (UINT32_MAX: none). */
typedef struct {
    weir_buffer *buffers[BUFFERS_MOST];
    weir_param *param;
    weir_graph *graph;
} declared;
void random_program_declare(random_program *program, uint32_t skip_edge, declared *out);
void declared_finish(declared *d);

/* Plans, checks the plan, and runs `frames` frames with `in_flight` at a time. */
typedef struct {
    const char *policy;
    uint32_t lanes, in_flight, frames;
} random_run;
void random_program_run(random_program *program, declared *d, weir_runtime *runtime, const random_run *run, outcome *out);

/* True if they differ, with what differs first printed under `what`. */
bool outcomes_differ(const random_program *program, const outcome *a, const outcome *b, uint32_t frames, bool print);

#endif
