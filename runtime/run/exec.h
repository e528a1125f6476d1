/* exec.h - a plan bound to a runtime: what it is passed, its frames in flight, its failure. The inside of the run room. All of it is
 * guarded by the runtime's lock, but for what is made in weir_exec_create and never changes. */
#ifndef WEIR_RUN_EXEC_H
#define WEIR_RUN_EXEC_H

#include "graph/accesses.h"
#include "run/runtime.h"
#include "util/arena.h"
#include "util/vector.h"

/* A frame of another exec that must be done before a frame of this one starts. */
typedef struct {
    weir_exec *exec; /* NULL: gone, hence done */
    uint64_t until;  /* its frame number + 1 */
} weir_followed;

/* What a frame in flight has of its own. Frame n's is number n % F, from its begin until it is done. */
typedef struct {
    weir_frame_values values;
    uint32_t *ring_at;
    unsigned char *params, *off;
    WEIR_VECTOR(weir_followed) followed; /* has room for every other exec of the runtime */
    pthread_t submitter; /* of a frame with foreign queues or events: nobody else gives it to the backend */
    int64_t submitted_ns;
    bool finished; /* by the backend, not told yet */
} weir_frame_state;

enum { WEIR_FOREIGN_EVENTS_MOST = 16 };

struct weir_frame {
    weir_exec *exec;
    void *events[WEIR_FOREIGN_EVENTS_MOST]; /* that the open frame waits for */
    uint32_t event_count;
};

enum { WEIR_FRAME_SAMPLES = 63, WEIR_TASK_SAMPLES = 31 };

typedef struct {
    uint64_t count; /* times it ran */
    float ns[WEIR_TASK_SAMPLES]; /* of the last runs, in turn */
} weir_task_samples;

struct weir_exec {
    weir_runtime *runtime; /* held */
    weir_exec *next;       /* the runtime's list, where it is once linked */
    bool linked;
    const weir_plan *plan; /* held */
    weir_plan *replay_lanes; /* NULL, or the plan of the image's */
    int64_t made_ns;

    /* Made once: */
    weir_image image;
    weir_program *program;
    weir_arena passes;           /* the image's, and the images of bodies with theirs */
    weir_ring *rings;
    weir_storage **ring_storage; /* ring -> storage */
    bool *ring_moves;            /* ring -> this exec's frames move it on */
    uint32_t *ring_of;           /* buffer of the body -> ring, or UINT32_MAX */
    weir_use *uses;              /* one a buffer of the body, in its order; linked into the storages */
    uint32_t *param_offset;      /* param of the body -> offset */
    weir_accesses accesses;      /* for the check of switches */
    size_t param_bytes, off_bytes;
    uint32_t frames;             /* F */

    weir_frame_state *states;
    weir_frame frame;            /* the open one */
    bool open;
    bool ending;                 /* being destroyed: no more frames are begun */
    uint64_t submitted, released, done; /* frames: taken from the program; given to the backend; finished, in order */
    bool telling;                /* a thread is in finish_frames */
    unsigned char *params, *off; /* as they are now */
    uint32_t off_count;
    bool off_changed;            /* since the last submit */

    weir_status failure, cause;  /* what calls return from then on; what the task returned, or why it is to blame */
    uint64_t failed_frame;       /* the first */
    uint32_t culprit;            /* task; UINT32_MAX: none, or nobody knows which */
    char *failure_text;          /* what is said of it; NULL: a task's code returned `cause` */
    void (*on_frame)(void *, weir_ticket, weir_status);
    void *on_frame_user;

    uint32_t *history;           /* for weir_exec_data, of the last `history_frames` frames: ring_at, */
    uint64_t *moves_history;     /* and the moves of each buffer's storage, in the order of `uses` */
    uint32_t history_frames;
    double frame_ns[WEIR_FRAME_SAMPLES]; /* in turn, as are the next */
    int64_t done_ns[WEIR_FRAME_SAMPLES];
    uint32_t *rounds;            /* NULL without loops */
    weir_task_span *spans;       /* NULL without timing, as are the next two */
    weir_task_span *last_spans;  /* of the last frame done */
    weir_task_samples *samples;
    int64_t last_start_ns, last_end_ns; /* of the last frame done */
};

/* exec.c; with the lock held: */
bool weir_exec_is_busy(const weir_exec *exec);       /* a frame is submitted and not done, or being told */
weir_status weir_exec_say_waiting(const weir_exec *exec, weir_status status); /* what its next frame waits for, as last error */
weir_status weir_exec_failure(const weir_exec *exec); /* said again */
bool weir_exec_task_index(const weir_exec *exec, weir_task task, uint32_t *index);
uint32_t weir_exec_buffer_index(const weir_exec *exec, const weir_buffer *buffer); /* of the body; UINT32_MAX: not its */

/* bind.c: everything of the exec that follows from plan and runtime. Bind and unbind are called without the lock, since they take and
 * touch much memory; one bind at a time. Link and unlink, with the lock, show the exec to the runtime's others. */
weir_status weir_exec_bind(weir_exec *exec, weir_mode mode, const weir_exec_options *options);
void weir_exec_unbind(weir_exec *exec); /* half-bound is fine */
weir_status weir_exec_link(weir_exec *exec);
void weir_exec_unlink(weir_exec *exec); /* not linked is fine */

/* arguments.c: for bind. WEIR_ERR_INVALID names the task whose kernel takes others; the exec's rings and params are bound already. */
weir_status weir_exec_check_arguments(const weir_plan *plan);
weir_status weir_exec_bind_arguments(weir_exec *exec);

/* frame.c; with the lock held: */
void weir_exec_drop_open(weir_exec *exec);           /* gives up the open frame, if there is one */
weir_status weir_exec_submit_open(weir_exec *exec, const weir_foreign *foreign, weir_ticket *ticket); /* foreign: NULL, or kept until it is released */
weir_status weir_exec_check_ticket(const weir_exec *exec, weir_ticket ticket);
void weir_runtime_release_frames(weir_runtime *runtime); /* gives backends every frame that no longer waits for others */

/* foreign.c; with the lock held: submits the open frame with its events and, if not NULL, a queue. May wait. */
weir_status weir_exec_submit_foreign(weir_exec *exec, void *queue, weir_ticket *ticket);

/* frame.c: what the backend reports; without the lock. */
void weir_exec_task_failed(void *exec, uint64_t frame, uint32_t task, weir_status failure, weir_status cause);
void weir_exec_task_refused(void *exec, uint64_t frame, uint32_t task, weir_status failure, const char *what);
void weir_exec_frame_done(void *exec, uint64_t frame);
void weir_exec_device_failed(void *exec, uint64_t frame, uint32_t task, const char *what);
weir_status weir_exec_task_ran(void *exec, uint32_t task); /* debugging: WEIR_ERR_HAZARD if a buffer it touches is broken at an end */

/* switches.c: WEIR_ERR_STATE names a task that is off though no other that is on writes (WEIR_WRITE) what one that is on reads (or changes). */
weir_status weir_exec_check_switches(const weir_exec *exec);

#endif
