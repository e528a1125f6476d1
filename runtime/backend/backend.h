/* backend.h - the seam between run and what executes: a backend opens a device, keeps its memory, and runs programs. A program
 * is a plan bound to a device, made once and submitted frame by frame; how a frame is executed (lanes walked by host threads,
 * launches on streams, a replayed graph) is the backend's own business.
 *
 * Adding a backend is a folder beside this file and a line in backends.c. A backend includes this file and reads plans; it
 * knows nothing of execs, tickets, or other backends.
 * Threads: `submit` and `follow` come one at a time, and so do `take`, `adopt` and `program_create`; otherwise calls come from any thread at any time.
 * A backend calls its reports from threads of its own, or from inside `look`, never from inside any other call. Only `close` and
 * `program_destroy` may wait for its threads. */
#ifndef WEIR_BACKEND_BACKEND_H
#define WEIR_BACKEND_BACKEND_H

#include "plan/plan.h"
#include "weir/observe.h"
#include "weir/run.h"
#include <stdatomic.h>
#include <stdbool.h>

typedef struct weir_backend weir_backend;
typedef struct weir_program weir_program;

/* ---- what a program is made of ---- */

/* A ring as a program sees it: copies[i] is the base of copy i. A plain buffer is not in this list. */
typedef struct {
    void *const *copies;
    uint32_t count;
    uint32_t next;  /* when the program is made: the copy that would be the next frame's */
    bool moves;     /* each frame of the program moves it on by one */
} weir_ring;

typedef enum { WEIR_PASS_FIXED, WEIR_PASS_RING, WEIR_PASS_PARAM, WEIR_PASS_DECISION } weir_pass_kind;

/* One argument that a task is passed. `address` is where the value (for a buffer: the pointer) stands; of a ring or param the
 * frame says which copy or where. Of a decision it is one that decides nothing: a backend that has its own passes that. */
typedef struct {
    uint8_t kind;          /* weir_pass_kind */
    uint16_t back;         /* ring: frames back */
    uint32_t index;        /* ring: its number; param: offset into the frame's params */
    const void *address;   /* fixed, decision */
} weir_pass;

/* What one frame has of its own; all of it is run's and stays as it is until the frame is done. */
typedef struct {
    uint64_t number;             /* of this program, from 0 */
    const uint32_t *ring_at;     /* ring -> the copy that is this frame's */
    const unsigned char *params; /* values, each at its offset */
    const unsigned char *off;    /* a bit a task: switched off; NULL: all on */
    const struct weir_foreign *foreign; /* NULL: it has nothing to do with queues of the program's; valid during submit alone */
} weir_frame_values;

/* What a frame has to do with the program's own queues and events, which are of the backend's kind: on CUDA cudaStream_t and cudaEvent_t. */
typedef struct weir_foreign {
    void *queue;           /* NULL: none. The frame starts after all that is in it, and it goes on when the frame is done */
    void *const *events;   /* the frame starts after each */
    uint32_t event_count;
} weir_foreign;

typedef struct {
    int64_t start_ns, end_ns; /* weir_clock_ns */
} weir_task_span;

/* What a program tells run. Frames may be told done in any order and from several threads at once; each once. */
typedef struct {
    void *user;
    /* Before that frame is told done. failure: WEIR_ERR_TASK if its own code returned `cause`, else what weir found (= cause). */
    void (*task_failed)(void *user, uint64_t frame, uint32_t task, weir_status failure, weir_status cause);
    void (*frame_done)(void *user, uint64_t frame);
    /* As task_failed, for what may be the fault of any task that was on the device: WEIR_ERR_DEVICE. `what` says what happened and which tasks
     * those are; `task`: the one, if there is but one, else UINT32_MAX. */
    void (*device_failed)(void *user, uint64_t frame, uint32_t task, const char *what);
    /* As task_failed, for what weir found wrong with the task; `what` says it, and names the task. */
    void (*task_refused)(void *user, uint64_t frame, uint32_t task, weir_status failure, const char *what);
    weir_status (*task_ran)(void *user, uint32_t task); /* NULL, or called after each task, before others may follow; a failure is the task's */
} weir_reports;

/* How a program is to be run; a backend that knows but one way takes that. */
typedef enum {
    WEIR_MODE_DEFAULT, /* the backend's to choose, by what it knows when the program is made */
    WEIR_MODE_EAGER,  /* lanes are fed task by task */
    WEIR_MODE_REPLAY, /* a graph of nodes made once, by the edges of tasks */
    WEIR_MODE_CAPTURE, /* the same, by what lanes were seen to be fed */
    WEIR_MODE_AUTO     /* the fastest, found out with the first frames */
} weir_mode;

/* A plan and all that its tasks are passed, with everything in it valid as long as the program. Copies and fills are passed
 * their buffers like kernels: destination first. */
typedef struct weir_image {
    const weir_plan *plan;
    const weir_pass *pass;      /* task t is passed pass[pass_first[t]] .. pass[pass_first[t + 1] - 1] */
    const uint32_t *pass_first;
    const weir_ring *rings;
    uint32_t ring_count;
    const unsigned char *params; /* the values when the program is made, each at its offset */
    size_t param_bytes;
    weir_mode mode;
    const weir_plan *replay_lanes; /* the same graph planned for lanes whose order a replay adds to the edges; NULL: none */
    const struct weir_image *inner; /* of each of plan->inner, with passes of its own; rings and params are this one's, and nothing else is set */
    uint32_t *rounds;           /* NULL: no loops; where frame n's task t, a while, leaves how often its body ran: (n % frames) * tasks + t */
    weir_task_span *spans;      /* NULL, or frames in flight times tasks: where frame n's task t goes is (n % frames) * tasks + t */
    weir_reports reports;
} weir_image;

/* ---- tracing ---- */

typedef enum {
    WEIR_TRACE_WHOLE,  /* a task that one worker ran alone */
    WEIR_TRACE_PART,   /* some blocks of a task that several share */
    WEIR_TRACE_SHARED  /* the whole of such a task, told once beside its parts */
} weir_trace_extent;

typedef enum { WEIR_ENGINE_NONE, WEIR_ENGINE_TO_DEVICE, WEIR_ENGINE_TO_HOST } weir_trace_engine;

typedef struct {
    const char *graph, *task, *group; /* group may be NULL */
    const char *kind;
    uint64_t frame;
    uint32_t lane, worker;    /* worker UINT32_MAX: a device ran it, and tells a lane's events of a frame by when they started */
    weir_trace_extent extent;
    weir_trace_engine engine; /* of a device, a copy between it and the host: shown there too */
    weir_task_span span;
} weir_trace_event;

typedef struct weir_tracer weir_tracer;
struct weir_tracer {
    void (*event)(weir_tracer *tracer, const weir_trace_event *event); /* any thread */
    void (*destroy)(weir_tracer *tracer);                               /* called when the runtime's memory goes */
    weir_tracer *next; /* the runtime's list of all it ever had */
};

/* ---- a backend ---- */

/* What became of a program. */
typedef struct {
    const char *mode;        /* static: what it really does */
    uint64_t instantiations; /* graphs made executable */
    uint64_t taken_over;     /* graphs that an earlier program of the same shape left, executable as they were */
    double launch_ns;        /* from one task that a device is given to the next, at least */
} weir_program_info;

typedef struct {
    uint32_t device, workers; /* workers 0: the backend's default */
    uint32_t lanes;           /* the most that a plan will have; 0: the backend's default */
    uint64_t cache_nodes;     /* of graphs that may be kept of programs that are gone */
    bool debug;               /* check after each task, whatever that costs */
    bool shuffle;             /* run in a random order that lanes and waits allow */
    uint64_t seed;
    _Atomic(weir_tracer *) *tracer; /* where to look, task by task, whether anybody traces; outlives the backend */
} weir_backend_options;

typedef struct {
    const char *name;

    /* Required. */
    void (*describe)(weir_device_info *out); /* device 0, without opening it; `workers` and `lanes` as by default */
    weir_status (*open)(const weir_backend_options *options, weir_backend **out);
    void (*close)(weir_backend *backend);    /* no program is left */
    uint32_t (*workers)(const weir_backend *backend);
    uint32_t (*lanes)(const weir_backend *backend); /* its own number */

    void *(*take)(weir_backend *backend, weir_place place, size_t bytes); /* zero-filled, 64-byte aligned; NULL: no memory, said */
    void (*give)(weir_backend *backend, weir_place place, void *memory);
    weir_status (*write)(weir_backend *backend, weir_place place, void *to, const void *from, size_t bytes);
    weir_status (*read)(weir_backend *backend, weir_place place, void *to, const void *from, size_t bytes);

    weir_status (*check)(const weir_backend *backend, const weir_plan *plan); /* WEIR_ERR_BACKEND names a task that it has no code for */
    weir_status (*program_create)(weir_backend *backend, const weir_image *image, weir_program **out);
    void (*program_destroy)(weir_program *program); /* no frame is in flight */
    void (*submit)(weir_program *program, const weir_frame_values *values); /* in the order of their numbers, F at most in flight */
    bool (*task_done)(const weir_program *program, uint64_t frame, uint32_t task);
    uint32_t (*unfinished)(const weir_program *program, uint64_t frame); /* a task it waits for; UINT32_MAX: none */

    /* Optional. */
    /* Memory of the program's own that a buffer adopts, while an exec may use it. Fails with what is wrong with it. NULL: any will do. */
    weir_status (*adopt)(weir_backend *backend, weir_place place, void *memory, size_t bytes);
    void (*abandon)(weir_backend *backend, weir_place place, void *memory, size_t bytes);
    /* Reports what has come to an end, for who waits and would rather look than sleep; for the caller's thread it never blocks on the
     * device. NULL: the backend's threads are quick enough. */
    void (*look)(weir_backend *backend);
    /* WEIR_OK, or says what happened to the device, after which no frame can run. NULL: nothing can happen to it. */
    weir_status (*state)(const weir_backend *backend);
    void (*describe_closely)(weir_device_info *io); /* adds what only a device that is started tells; NULL: there is no such thing */
    weir_program_info (*info)(const weir_program *program); /* NULL: eager, and nothing to be instantiated */
    /* What the span of a task that a device is given has too much, in ns: what timing it adds. May take a millisecond. NULL: nothing. */
    double (*timing_excess)(weir_backend *backend);
    uint32_t (*candidates)(const weir_program *program, weir_candidate *out, uint32_t room); /* of mode auto: how many; NULL: none */
    /* NULL: run holds a frame back until the frames of other programs that it must follow are done. Else the program's next submit, which comes
     * before any other, starts after that frame, which is submitted and not told done. */
    void (*follow)(weir_program *program, weir_program *other, uint64_t frame);
    /* NULL: there are no foreign queues and events. Else makes the event happen when that frame, submitted, is done. */
    weir_status (*record_end)(weir_program *program, uint64_t frame, void *event);
    /* Beside record_end. WEIR_OK if a frame can wait for these now, else says what is wrong with which: a submit cannot. */
    weir_status (*check_foreign)(weir_backend *backend, const weir_foreign *foreign);
} weir_backend_ops;

/* All backends this library was built with, most wanted first; NULL ends the list. */
extern const weir_backend_ops *const weir_backends[];

/* Where argument `pass` of a frame stands, for the `args` of a kernel. */
static inline const void *weir_pass_address(const weir_image *image, const weir_pass *pass, const weir_frame_values *values)
{
    if (pass->kind == WEIR_PASS_FIXED || pass->kind == WEIR_PASS_DECISION)
        return pass->address;
    if (pass->kind == WEIR_PASS_PARAM)
        return values->params + pass->index;
    const weir_ring *ring = &image->rings[pass->index];
    uint32_t at = values->ring_at[pass->index];
    return &ring->copies[at >= pass->back ? at - pass->back : at + ring->count - pass->back];
}

/* True if the task is passed the same in each frame. */
static inline bool weir_task_is_fixed(const weir_image *image, uint32_t task)
{
    for (uint32_t i = image->pass_first[task]; i < image->pass_first[task + 1]; i++)
        if (image->pass[i].kind == WEIR_PASS_RING || image->pass[i].kind == WEIR_PASS_PARAM)
            return false;
    return true;
}

static inline bool weir_task_is_off(const weir_frame_values *values, uint32_t task)
{
    return values->off && (values->off[task / 8] >> task % 8 & 1);
}

#endif
