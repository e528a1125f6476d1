/* random_program.h - programs made from a seed: buffers, rings and tasks that write, into what they write, a hash of who they are and of
 * all they read; and loops and branches of such tasks. The same program can be computed one task after another in plain arrays (the slow truth), or declared as a
 * graph and run, on any backend, alone or in turn with another program on the same buffers. */
#ifndef TESTS_RUN_RANDOM_PROGRAM_H
#define TESTS_RUN_RANDOM_PROGRAM_H

#include "run/random_step.h"
#include "weir/weir.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    BUFFERS_MOST = 10,
    ELEMENTS_MOST = 96,
    TASKS_MOST = 64,
    INSIDE_MOST = 64, /* in bodies of loops and branches */
    STEPS_MOST = TASKS_MOST + INSIDE_MOST,
    BODIES_MOST = 4,
    BACK_MOST = 3, /* frames */
    CARRIED_MOST = 4
};

typedef struct {
    uint32_t buffer;
    unsigned mode, back; /* WEIR_ARG_* */
    bool whole;
    weir_box box;        /* when not whole */
} touching;

typedef enum { DO_KERNEL, DO_HOST, DO_COPY, DO_FILL, DO_NOTHING, DO_WHILE, DO_IF, DO_SWITCH } doing;

typedef struct {
    char name[16];
    doing what;
    uint32_t id, blocks, value, delay;
    uint32_t pattern, pattern_bytes;
    bool takes_frame, takes_other; /* which params it is passed */
    bool one_call, early, native; /* kernel; native: launched by user code */
    int32_t priority;
    uint32_t access_count;
    touching accesses[ACCESSES_MOST]; /* copies: the write first; loops and branches: none of their own */
    uint32_t word, at_most;           /* loops and branches: the buffer that decides */
    uint32_t body_count;
    struct {
        uint32_t first, count; /* steps of the program: its bodies' steps stand behind its tasks, each body's own in a row */
    } bodies[BODIES_MOST];
} step;

typedef struct {
    uint32_t nx, ny, copies; /* as in weir_buffer_desc; of rings one size all, or sizes that go into 12 slots together */
    uint32_t row;            /* elements from one row to the next */
    weir_place place;
    uint32_t furthest_back;
    bool word; /* of one element, which may decide */
} described;

typedef struct {
    uint64_t seed;
    bool explicit_only;     /* edges are declared, not derived; with rings, those between frames too */
    uint32_t buffer_count, step_count, edge_count;
    uint32_t all_steps; /* with those in bodies */
    described buffers[BUFFERS_MOST];
    step steps[STEPS_MOST];
    struct {
        uint32_t later, earlier;
    } edges[TASKS_MOST * TASKS_MOST];
    uint32_t carried_count;
    struct {
        uint32_t later, earlier, distance;
    } carried[BACK_MOST * TASKS_MOST * TASKS_MOST]; /* at most CARRIED_MOST beside those that are derived; of explicit_only what 4 frames in flight need */
    uint32_t own_seen[STEPS_MOST][FRAMES_MOST];
    uint32_t (*seen)[FRAMES_MOST]; /* where tasks leave what they saw: own_seen, or what a device too can reach; zeros */
    uint32_t rounds[TASKS_MOST][FRAMES_MOST]; /* of loops, as the truth has it */
} random_program;

/* What is left after some frames: each buffer's newest copy, what each task saw, and how often loops ran, where that is known, + 1. */
typedef struct {
    uint32_t data[BUFFERS_MOST][ELEMENTS_MOST];
    uint32_t seen[STEPS_MOST][FRAMES_MOST];
    uint32_t rounds[TASKS_MOST][FRAMES_MOST]; /* 0: not known */
} outcome;

typedef struct {
    bool rings, explicit_only;
    bool straight; /* no loops, no branches */
    uint32_t tasks_most;
} random_options;

void random_program_make(random_program *program, uint64_t seed, const random_options *options);

/* Other tasks on the same buffers. Rings as large as needed get a size of their own in both, since the first exec would settle it. */
void random_program_make_other(random_program *other, random_program *first, uint64_t seed, const random_options *options);

/* Each frame may have tasks switched off, a bit each: some of those whose absence the truth can follow. Submit may refuse it still. */
uint64_t random_program_switches(const random_program *program, uint64_t *random);

/* ---- the truth ---- */

/* The memory that programs work on, one task after another. Zeros at first. */
typedef struct {
    uint32_t data[BUFFERS_MOST][BACK_MOST + 1][ELEMENTS_MOST]; /* the copy of position p stands at p % (BACK_MOST + 1) */
    uint32_t at[BUFFERS_MOST];                                 /* of the newest copy */
} random_world;

void random_world_frame(random_world *world, random_program *program, uint32_t frame, uint64_t off);

/* Takes what the tasks saw: the program has seen nothing afterwards. */
void random_world_outcome(const random_world *world, random_program *program, outcome *out);

/* Of a program alone, with everything on. */
void random_program_compute(random_program *program, uint32_t frames, outcome *out);

/* ---- the same as a graph ---- */

/* Buffers and graph for one run. */
typedef struct {
    weir_buffer *buffers[BUFFERS_MOST];
    bool borrowed; /* the buffers are another's */
    weir_param *param, *other; /* the frame's number; a number that changes now and then */
    weir_graph *graph;
    weir_task tasks[TASKS_MOST];
    uint64_t off; /* as the exec has it */
} declared;

/* `skip_edge` is left out (UINT32_MAX: none): of `edges`, or, edge_count and on, of `carried`. */
void random_program_declare(random_program *program, uint32_t skip_edge, declared *out);
void random_program_declare_other(random_program *other, const declared *first, declared *out); /* on the buffers of the first */
void declared_finish(declared *d);

/* Plans with `policy`, `lanes`, and `in_flight` frames at a time, and checks the plan. */
typedef struct {
    const char *policy;
    uint32_t lanes, in_flight, frames;
} random_run;
weir_exec *random_program_exec(const random_program *program, declared *d, weir_runtime *runtime, const random_run *run, const weir_exec_options *options);

/* Fills and submits one frame. Returns what submit does. */
weir_status random_program_frame(const random_program *program, declared *d, weir_exec *exec, uint32_t frame, uint64_t off, weir_ticket *ticket);

/* After all frames are done. Takes what the tasks saw. */
void random_program_outcome(random_program *program, const declared *d, weir_runtime *runtime, outcome *out);

/* After that. Adds how often loops ran in a frame that is done, and which of the program's frames that was. */
void random_program_rounds(const random_program *program, const declared *d, weir_exec *exec, weir_ticket ticket, uint32_t frame, outcome *out);

/* All of it, with everything on. */
void random_program_run(random_program *program, declared *d, weir_runtime *runtime, const random_run *run, outcome *out);

/* True if they differ, with what differs first printed. */
bool outcomes_differ(const random_program *program, const outcome *a, const outcome *b, uint32_t frames, bool print);

#endif
