/* device.h - the host backend's own picture of itself.
 *
 * A program's lane is a cyclic list of entries, its tasks in the plan's order. `done` counts the entries finished since the
 * program was made, over all frames, so "task at index i of a lane of L entries, frame n, is done" is done > n * L + i: no event
 * objects, no resetting, and a wait is one comparison against a number that is cached until it no longer suffices.
 *
 * A lane is run by whoever took it (`taken`, one compare-and-swap); the taker runs entries until one is not ready, and lets go.
 * A worker never waits while it holds a lane. A kernel of several blocks becomes the lane's job: workers claim chunks of it, the
 * last to finish one finishes the entry and goes on as the lane's taker; until then the lane stays taken by the job.
 *
 * A loop or branch is one entry of its lane, and its bodies are sequences of entries of their own, in the order of their plans. While the lane
 * is in one, `levels` says where: the taker goes on there step by step (a decision, or an entry inside), shares out what has several blocks as
 * outside, and the entry is finished when `depth` is 0 again. So a lane may be let go in the middle of a loop, and taken by another.
 *
 * The order of a plan is a linear extension of its edges, so one worker suffices for progress.
 *
 * Sleeping: a worker that finds nothing for a while counts itself a sleeper, looks once more, and sleeps until the next bell.
 * Whoever makes work possible looks for sleepers afterwards (both with a full fence between) and rings. */
#ifndef WEIR_BACKEND_HOST_DEVICE_H
#define WEIR_BACKEND_HOST_DEVICE_H

#include "backend/backend.h"
#include "util/arena.h"
#include <pthread.h>

enum {
    WEIR_HOST_BRIEF_NS = 2000,             /* a task that takes less */
    WEIR_HOST_FRAMES_BETWEEN_TIMINGS = 64
};

typedef struct {
    uint32_t position; /* index in its lane, of a task to wait for */
    uint16_t lane, distance; /* frames back */
} lane_wait;

typedef struct sequence sequence;

/* One task, as a lane runs it. */
typedef struct {
    union {
        weir_host_kernel *kernel;
        weir_host_fn *host;
        const sequence *bodies; /* loop, branch */
    } code;
    void *user;            /* host, native */
    void *const *args;     /* the same in every frame; NULL: made for each frame */
    uint64_t blocks;       /* kernel, copy, fill: into how many it may be cut; 1: called once */
    uint32_t task, wait_first;
    uint16_t wait_count, arg_count;
    uint8_t kind;          /* weir_task_kind */
    bool records;          /* some other lane waits for it */
    bool simple;           /* one call by the taker does it: neither shared out among workers, nor a loop or branch */
    bool brief;            /* it took little time when last timed; never a host task; the taker's */
} entry;

/* A body of a loop or branch: its tasks in the order of its plan, without the empty ones. Their waits are that order. */
struct sequence {
    const weir_image *image; /* of what it is a body of: inner[...] of that one's image */
    entry *entries;
    uint32_t count;
};

/* Where a lane stands in a loop or branch. */
typedef struct {
    const entry *what; /* the loop or branch */
    const weir_control *control;
    const sequence *body; /* of the round that has begun last; NULL: none has */
    uint32_t next, rounds; /* entry of the body; rounds begun */
} level;

/* What the workers that share a kernel need to know; written by the lane's taker while no chunk is to be had. */
typedef struct {
    const weir_image *image; /* whose task it is */
    const entry *what;
    void *const *args;
    const weir_frame_values *values;
    uint64_t blocks_in_chunk;
    int64_t start_ns;
} job;

typedef struct {
    _Alignas(64) atomic_ullong done;
    _Alignas(64) atomic_uint taken;
    /* The taker's, handed over by `taken` or by the job: */
    uint32_t next;         /* entry, and the frame it is to run in */
    uint64_t frame;
    uint64_t slow_until;   /* frame before which no entry counts as brief */
    uint64_t *seen;        /* lane -> its `done` when last looked at */
    const void **args;     /* room for the arguments of an entry that has none of its own */
    uint32_t depth;        /* levels in use; 0: not inside a loop or branch */
    job job;
    level *levels;
    int64_t entered_ns;    /* when it came into the outermost of them */
    /* Never change, but for `brief`: */
    entry *entries;
    uint32_t count, number;
    _Alignas(64) atomic_ullong chunks; /* see weir_host_chunk_count */
    atomic_uint chunks_left;           /* to finish */
} lane;

/* Beside each of the frames in flight. */
typedef struct {
    const weir_frame_values *values;
    atomic_uint lanes_left;
} flight;

struct weir_program {
    struct weir_backend *device;
    const weir_image *image;
    const weir_plan *plan;
    lane *lanes;
    uint32_t lane_count, busy_lanes; /* busy: with any entry */
    entry *entries;
    lane_wait *waits;
    void **fixed_args;       /* pool of entry.args */
    weir_arena bodies;       /* sequences, their entries, and those' args */
    uint32_t args_most, depth_most; /* that any entry has; of loops and branches within each other */
    uint64_t *seen_pool;
    const void **args_pool;
    level *levels_pool;
    flight *flights;         /* frames in flight, F of them */
    uint32_t frames;
    atomic_ullong submitted; /* frames */
    atomic_ullong told;      /* of a program without entries: frames told done */
    atomic_ullong failed;    /* first frame that failed; from there on tasks are passed over */
};

typedef struct worker {
    struct weir_backend *device;
    pthread_t thread;
    uint32_t number;
    _Atomic(void *) shared;  /* scratch of kernels */
    _Atomic(weir_program *) visiting; /* not destroyed while it stands here */
    uint64_t seed, random;   /* of shuffled runs; random moves on */
} worker;

typedef struct program_table program_table;
struct program_table {
    program_table *older;    /* workers may still look at it; freed with the device */
    uint32_t capacity;
    _Atomic(weir_program *) at[];
};

struct weir_backend {
    weir_backend_options options;
    uint32_t worker_count, lanes;
    worker *workers;
    _Atomic(program_table *) programs; /* changed under `lock`, read without */
    struct scratch *scratch;     /* the workers' `shared`, for the largest that any kernel asked for yet */
    size_t scratch_bytes;
    atomic_uint sleepers;
    atomic_bool closing;
    pthread_mutex_t lock;        /* guards `bell`, and changes of `programs` */
    pthread_cond_t rung;
    uint64_t bell;
};

/* worker.c */
weir_status weir_host_workers_start(struct weir_backend *device);
void weir_host_workers_stop(struct weir_backend *device);
void weir_host_ring(struct weir_backend *device); /* work became possible */

/* program.c */
weir_status weir_host_check(const weir_backend *backend, const weir_plan *plan);
weir_status weir_host_program_create(weir_backend *backend, const weir_image *image, weir_program **out);
void weir_host_program_destroy(weir_program *program);
void weir_host_submit(weir_program *program, const weir_frame_values *values);
bool weir_host_task_done(const weir_program *program, uint64_t frame, uint32_t task);
uint32_t weir_host_unfinished(const weir_program *program, uint64_t frame);

/* Makes an entry of a task, but for its waits. `bodies`: of image->inner; fixed_args has room for what it is passed. */
void weir_host_entry_make(weir_program *program, const weir_image *image, const sequence *bodies, uint32_t task, void **fixed_args, entry *made);

/* control.c: loops and branches. Making: sequences of image->inner, which are `depth` loops and branches deep. WEIR_ERR_NO_MEMORY. */
weir_status weir_host_bodies_make(weir_program *program, const weir_image *image, uint32_t depth, const sequence **out);
/* Running, by the taker. `next` takes one step: gives the entry that is to be run now, and then passed; or NULL, and if `depth` is 0 the lane is out. */
void weir_host_control_enter(lane *l, const weir_image *image, const entry *what);
const entry *weir_host_control_next(lane *l);
void weir_host_control_passed(lane *l);

/* host.c */
weir_status weir_host_scratch_grow(struct weir_backend *device, const weir_plan *plan);

/* entry.c. A lane's chunks as one number: generation << 32 | chunks << 16 | next to claim. */
static inline uint64_t weir_host_chunk_count(unsigned long long chunks)
{
    return chunks >> 16 & 0xffff;
}

static inline uint64_t weir_host_chunk_next(unsigned long long chunks)
{
    return chunks & 0xffff;
}

static inline bool weir_host_has_chunks(const lane *l)
{
    unsigned long long chunks = atomic_load_explicit(&((lane *)l)->chunks, memory_order_relaxed);
    return weir_host_chunk_next(chunks) < weir_host_chunk_count(chunks);
}

/* Runs the taker's next entry, which is ready, with the values of its frame. False if the lane is no longer the caller's: others finish the entry. */
bool weir_host_run_next(worker *self, weir_program *program, lane *l, const weir_frame_values *values);
/* Claims chunks of the lane's job until there are none. True if this worker finished the last one: it is the lane's taker then. */
bool weir_host_help(worker *self, weir_program *program, lane *l, bool *did);

/* lane.c: what a worker does with a program. All return whether anything was done. */
bool weir_host_visit(worker *self, weir_program *program);          /* helps with jobs, runs lanes that are free and ready */
bool weir_host_visit_at_random(worker *self, weir_program *program); /* one entry of one lane that is ready */

#endif
