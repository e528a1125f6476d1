/* device.h - the inside of the CUDA backend.
 *
 * A program's tasks are `action`s: what each is on a device. A frame is launched eagerly, lane by lane of a plan (eager.c), or as a
 * graph of nodes (slot.c), made from edges (nodes.c) or by capturing lanes (capture.c).
 *
 * Ends. Events mark the end of a frame. `look` asks for them, from the watcher's thread or that of whoever waits, and notes what has
 * ended; what has ended is then told to run, by whoever looked or by the teller's thread.
 * Gates. A task for host threads is a gate on the device: the lane, or node, writes "arrived" to a pinned word, waits until another
 * says "released", and takes that back. Whoever looks finds the first, gives the task to a worker, and the worker writes the second.
 * Threads. The watcher looks, the teller tells, workers run host tasks. Watcher and workers never take run's lock: a program that submits
 * holds it, and may be waiting in a full launch queue for a gate. Under tools that check or serialise launches, whoever asks CUDA for an end may wait
 * until the device is idle, perhaps for a gate; so a standby looks at gates, and at nothing of CUDA's, when nobody else has for a while.
 * Failures. When CUDA says that the device's state is lost, `broken` is set once: all frames in flight have ended, gates that have not
 * arrived never will, and nothing is launched any more.
 *
 * Locks, each taken before the next: telling -> run's lock -> looking, errand -> arriving -> the rest, which are leaves: lock, work, bell, clock, and
 * the cache's. */
#ifndef WEIR_BACKEND_CUDA_DEVICE_H
#define WEIR_BACKEND_CUDA_DEVICE_H

#include "backend/cuda/action.h"
#include "backend/cuda/cache.h"
#include "backend/cuda/call.h"
#include "backend/cuda/condition.h"
#include "backend/cuda/cuda.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

enum { WEIR_CUDA_LANES = 8, WEIR_CUDA_LEVELS_MOST = 64, WEIR_CUDA_CONNECTIONS = 8, WEIR_CUDA_PROBES = 4 };

/* ---- streams ---- */

/* One of the pool. Frames of a replay whose program is alone in it have no events of their own; when another program comes, `joined` is
 * recorded behind them. */
typedef struct {
    cudaStream_t stream;
    _Atomic uint32_t users;   /* programs */
    cudaEvent_t joined;
    atomic_bool has_joined;   /* since it last had one user */
} pool_stream;

/* ---- gates ---- */

/* Two words of pinned memory, each in a cache line that the other does not share. */
typedef struct {
    _Atomic uint32_t arrived;
    uint32_t unused_1[15];
    _Atomic uint32_t released;
    uint32_t unused_2[15];
} gate_words;

typedef struct flight flight;

/* A gate in a flight: a job for a worker once it has arrived. */
typedef struct gate_job gate_job;
struct gate_job {
    gate_job *next; /* in the workers' queue */
    weir_program *program;
    flight *flight;
    uint32_t task;
    void **args;      /* what the task is passed */
    gate_words *words;
    atomic_bool over; /* run, or skipped */
    weir_task_span span; /* when it ran, and on which worker; start 0: it did not */
    uint32_t worker;
};

/* ---- frames in flight ---- */

/* Frame n's is number n % F. Its submitter writes it before it is published by the program's `submitted`. */
struct flight {
    weir_program *program;
    const weir_frame_values *values;
    uint64_t number;
    uint64_t turn;            /* among the frames of all programs, as they were submitted */
    flight *next_followed;    /* in its follower's list */
    atomic_bool launched;     /* all of it: its ends may be asked for */
    atomic_bool end_recorded; /* else the frame is the last in its stream so far: it has ended when that is idle */
    _Atomic uint32_t reached; /* positions of the plan's order that were given to the device; a replay gives all at once */
    cudaEvent_t *ends;        /* eager: of each lane with an end; else one */
    cudaEvent_t *records;     /* eager: of each task that records */
    gate_job *gates;          /* one a gate */
    /* Of whoever launches, until `launched`: */
    cudaError_t error;        /* of the first launch that failed */
    const char *error_call;
    uint32_t error_task;      /* UINT32_MAX: of none in particular */
    /* Of whoever looks: */
    uint32_t *waiting;        /* gates that have not arrived, */
    uint32_t waiting_count;   /* so many: both under `arriving` */
    uint32_t ends_seen;
    atomic_uint running;      /* gates at workers */
    bool lost;                /* ended because the device is broken */
    _Atomic uint32_t failed_task; /* the first whose own code failed; UINT32_MAX: none */
    weir_status failed_cause;
    char *failed_text;        /* what was wrong with it; NULL: it returned that */
    struct timing *timing;    /* NULL, or its events, see timing.h */
    bool timed;
    struct slot *slot;        /* that it is launched as; NULL: lane by lane */
    int candidate;            /* that its time is for, see choose.c; negative: none */
    cudaStream_t aside;       /* NULL, or waits for what no lane should wait for, see follow.c */
    bool starts_aside;        /* debugging: it starts when that is idle */
};

struct weir_program {
    weir_backend *device;
    const weir_image *image;
    const weir_plan *plan;
    weir_program *next;      /* the device's list, under `looking` */
    weir_mode mode;          /* eager, replay or capture */
    bool chooses;            /* mode auto: how it replays is found out */
    bool in_turn;            /* each replayed frame starts when the one before is done */
    struct choice *choice;   /* NULL: there was none to make */
    uint32_t frames;         /* F */
    uint32_t slots;          /* no fewer than frames: frames under way at once use different ones. Natives and loops keep what they need for each */
    section root;            /* its tasks */
    const void *enter, *again; /* kernels that decide loops and branches, if it has any, */
    uint32_t *loop_states;   /* what loops keep on the device, WEIR_LOOP_WORDS each, */
    uint32_t *loop_results;  /* where the graph's own leave how often they ran: loop by loop, a word a slot, or lane by lane, a frame in flight, */
    condition_mistake *loop_mistakes; /* and, debugging, each the first wrong decision of its body */
    cudaStream_t *streams;   /* lane -> stream; replayed frames in flight take the first of them, or one if they are in turn */
    pool_stream **pool;      /* the same in the pool */
    uint32_t stream_count;   /* so many */
    uint32_t end_count;
    uint32_t *end_lane;      /* lanes whose last task no other lane waits for */
    uint32_t entry_count;
    uint32_t *entry_lane;    /* lanes whose first task waits for none of its frame: what they wait for, all tasks do */
    flight *followed;        /* frames of other programs that the next one starts after; of whoever submits */
    uint32_t record_count;
    uint32_t *record_of;     /* task -> its event in flight.records, or UINT32_MAX */
    uint32_t gate_count;
    uint32_t *gate_of;       /* task -> gate, or UINT32_MAX */
    gate_words *words;       /* eager: F times gates; slots have their own */
    flight *flights;
    _Atomic uint64_t submitted;
    _Atomic uint64_t ended;  /* frames, in order; moved under `looking` */
    uint64_t told;           /* to run; under `telling` */
    _Atomic uint64_t failed; /* first frame with a task that failed; UINT64_MAX: none. Its and later host tasks are skipped */
    bool failure_told;       /* under `telling` */
    struct replay *replay;   /* NULL: it has none */
    bool untraced;           /* and said; of whoever submits */
    struct traced *traced;   /* launches of slots whose records are awaited, once traced; see timing.c */
    _Atomic uint64_t instantiations, taken_over;
    void **step_args;        /* debugging: of a host task */
    cudaEvent_t *event_pool; /* all events of its flights */
    size_t event_count;
    gate_job *job_pool;
    void **job_args;
    uint32_t *waiting_pool;
    unsigned char *known;    /* for blame.c, under the device's lock */
    int64_t *lane_end;       /* eager, timed: lane -> when its last task ended; else NULL */
};

/* Of those of its program: the one of a frame that is launched as a slot. Other slots are in it only if they are in turn; lanes of mode auto may be, and
 * have the ends of slots before them recorded (follow.c). */
static inline uint32_t weir_flight_stream(const flight *f)
{
    return f->program->in_turn ? 0 : (uint32_t)(f->number % f->program->frames);
}

/* ---- the device ---- */

enum { WEIR_CUPTI_OFF, WEIR_CUPTI_ON, WEIR_CUPTI_REFUSED };

typedef struct {
    pthread_t thread;
    bool started;
} helper_thread;

struct weir_backend {
    weir_backend_options options;
    int ordinal;
    uint32_t lanes, worker_count;
    int least, greatest; /* the range of priorities: least urgent, most urgent */
    bool programmatic;   /* kernels may be launched before what they follow is done: devices from 9.0 on */
    uint64_t turns;      /* frames submitted, of all programs; of whoever submits, as is */
    cudaEvent_t mark;    /* in a program's queue, behind what a frame starts after */
    cudaStream_t probes[WEIR_CUDA_PROBES]; /* made when wanted, see follow.c */
    weir_driver driver;
    CUcontext context;
    cudaMemPool_t pool;
    uint32_t *unread;    /* a word of its memory that nobody reads */

    graph_cache cache;         /* graphs of programs that are gone */

    pthread_mutex_t errand;    /* guards the stream, for zeros, transfers and the clock */
    cudaStream_t errands;
    double excess_ns;          /* of times between events, once known: calibrate.c */
    bool excess_known;

    pthread_mutex_t lock;      /* guards the next few */
    pool_stream *streams[WEIR_CUDA_LEVELS_MOST]; /* level -> its lanes' streams, made when wanted */
    uint32_t stream_count[WEIR_CUDA_LEVELS_MOST];
    uint32_t next_stream[WEIR_CUDA_LEVELS_MOST]; /* of each level: where the next program's lanes begin, so that few share one */
    struct adopted *adopted;
    struct word_block *words;

    _Alignas(64) pthread_mutex_t looking; /* guards the list, and what is said to be of whoever looks */
    weir_program *programs;    /* changed under `arriving`, too */
    pthread_mutex_t arriving;  /* guards what flights say of gates that have not arrived */
    _Atomic uint32_t awaited;  /* gates of all flights that have not */
    _Atomic uint32_t arrivals; /* how often somebody looked at them */
    sem_t gates_there;         /* posted when the first of them is awaited */
    pthread_mutex_t telling;
    _Alignas(64) _Atomic int broken; /* a cudaError_t; cudaSuccess: it works */
    _Atomic uint32_t in_flight; /* frames of all programs */
    _Atomic uint32_t untold;    /* of these, such as have ended */
    _Atomic uint64_t make_ns, lanes_ns; /* a task: making the last graph of mode auto took, launching the last frame lane by lane there; 0: not known */
    _Atomic uint32_t looks;     /* by those who wait: the watcher leaves it to them */

    _Alignas(64) pthread_mutex_t bell; /* guards the next few */
    pthread_cond_t rung, news;
    atomic_bool watcher_sleeps;
    bool closing, any_news;
    helper_thread watcher, teller, standby;

    pthread_mutex_t work;      /* guards the queue */
    sem_t work_there;          /* posted for each job. No condition: until 2.41 glibc's lose wake-ups, where several wait */
    gate_job *first_job, *last_job;
    struct cuda_worker *workers; /* NULL until the first program with host tasks */
    uint32_t workers_started;
    bool work_closing;

    /* The device's clock, for times of events; it also guards what is kept of traced launches: */
    pthread_mutex_t clock;
    cudaEvent_t origin;
    int64_t origin_ns;
    bool timing_refused;       /* and said; of whoever submits */
    atomic_bool bodies_stay;   /* the driver does not change nodes in the bodies of loops: their graphs are made anew */
    atomic_bool boxes_stay;    /* nor makes it graphs with copies of boxes into others of their shape */
    _Atomic int cupti_state;
};

/* ---- enter and leave: calls from the program's threads ---- */

typedef struct {
    int device;
    enum cudaStreamCaptureMode mode;
} entered;

/* Makes the device current, and lets this thread do what would break a capture of another: weir's own calls concern none. */
entered weir_cuda_enter(const weir_backend *device);
void weir_cuda_leave(const weir_backend *device, entered before);

weir_status weir_cuda_broken(const weir_backend *device); /* WEIR_OK, or says what happened */
/* To be told every result that may show a device's fault; returns it. */
cudaError_t weir_cuda_note(weir_backend *device, cudaError_t result);

/* ---- memory.c ---- */
void *weir_cuda_take(weir_backend *device, weir_place place, size_t bytes);
void weir_cuda_give(weir_backend *device, weir_place place, void *memory);
weir_status weir_cuda_move(weir_backend *device, weir_place place, void *to, const void *from, size_t bytes); /* either way */
weir_status weir_cuda_adopt(weir_backend *device, weir_place place, void *memory, size_t bytes);
void weir_cuda_abandon(weir_backend *device, weir_place place, void *memory, size_t bytes);
gate_words *weir_cuda_words_take(weir_backend *device, size_t count); /* zeroed; NULL: no memory */
void weir_cuda_words_give(weir_backend *device, gate_words *words);
void weir_cuda_words_finish(weir_backend *device);

/* ---- streams.c ---- */
/* The program's streams: one a lane if its frames are launched so, each with its lane's priority, and for replays one a frame in flight, of the first
 * lane's. The pool keeps them. */
weir_status weir_cuda_streams_for(weir_program *program, bool lanes, bool replays);
int weir_cuda_level_of(const weir_backend *device, uint32_t rank, uint32_t bands); /* of so many bands, rank 0 the most urgent: a priority of CUDA's */
void weir_cuda_say_shared_levels(const weir_backend *device, const weir_plan *plan, uint32_t bands); /* if there are more than the device has */
int weir_cuda_lane_level(const weir_backend *device, const weir_plan *plan, uint32_t lane); /* its priority as CUDA has it */
void weir_cuda_streams_leave(weir_program *program);     /* they may be others' alone from then on */
void weir_cuda_streams_finish(weir_backend *device);

/* ---- program.c ---- */
weir_status weir_cuda_check(const weir_backend *device, const weir_plan *plan);
weir_status weir_cuda_program_create(weir_backend *device, const weir_image *image, weir_program **out);
void weir_cuda_program_destroy(weir_program *program);
void weir_cuda_submit(weir_program *program, const weir_frame_values *values);
bool weir_cuda_task_done(const weir_program *program, uint64_t frame, uint32_t task);
uint32_t weir_cuda_unfinished(const weir_program *program, uint64_t frame);
weir_program_info weir_cuda_info(const weir_program *program);

/* ---- calibrate.c ---- */
/* What a task's time between events has too much, in ns; 0 where that cannot be found. Measured the first time, which takes a millisecond. */
double weir_cuda_timing_excess(weir_backend *device);
const void *weir_cuda_nothing(void); /* calibrate.cu: a kernel without arguments */

/* ---- eager.c ---- */
void weir_cuda_launch_lanes(weir_program *program, flight *f);
/* Launches an action into a stream, with `args` as they are now. Not for gates and natives. */
cudaError_t weir_cuda_launch(const weir_backend *device, const action *a, cudaStream_t stream, const char **call);
cudaError_t weir_cuda_launch_piece(const weir_backend *device, const action *a, uint32_t piece, cudaStream_t stream, const char **call);
cudaError_t weir_cuda_launch_gate(const weir_backend *device, const gate_words *words, cudaStream_t stream, const char **call);
enum { WEIR_GATE_OPERATIONS = 3 };
void weir_cuda_gate_operations(const gate_words *words, CUstreamBatchMemOpParams operations[WEIR_GATE_OPERATIONS]);

/* ---- follow.c: by whoever submits ---- */
void weir_cuda_follow(weir_program *program, weir_program *other, uint64_t frame);
/* Makes the frame start after all that it must follow, but for its own program's frames. Before anything of it is launched. */
cudaError_t weir_cuda_start_after(weir_program *program, flight *f, const char **call);
/* Lets the queue that it was submitted on go on when it has ended. After all of it is launched. */
cudaError_t weir_cuda_let_go_on(flight *f, const char **call);
/* Makes the stream wait for the end of that frame, which is launched and not told done, and of all before it. */
cudaError_t weir_cuda_wait_for_ends(flight *f, cudaStream_t stream);
/* Debugging: what the frame must start after goes aside, where the one who steps it waits for it. */
cudaError_t weir_cuda_put_start_aside(flight *f, const char **call);
weir_status weir_cuda_check_foreign(weir_backend *device, const weir_foreign *foreign);
weir_status weir_cuda_record_end(weir_program *program, uint64_t frame, void *event);

/* ---- watch.c ---- */
weir_status weir_cuda_watch_start(weir_backend *device);
weir_status weir_cuda_standby_start(weir_backend *device); /* where there are host tasks; once; fine to call again */
void weir_cuda_watch_stop(weir_backend *device); /* no program is left */
void weir_cuda_watch_add(weir_program *program);
void weir_cuda_watch_remove(weir_program *program); /* nobody looks at it any more when this returns */
void weir_cuda_wake(weir_backend *device);       /* a frame is in flight */
void weir_cuda_news(weir_backend *device);       /* something is to be told */
void weir_cuda_look(weir_backend *device);
void weir_cuda_forgive_not_ready(void); /* so that the program's next check of its thread's last error does not find it */

/* ---- gates.c ---- */
weir_status weir_cuda_workers_start(weir_backend *device); /* once; fine to call again */
void weir_cuda_workers_stop(weir_backend *device);
/* Before the frame is launched: its gates, each with its words, are awaited from now on. */
void weir_cuda_gates_expect(weir_program *program, flight *f, gate_words *words);
void weir_cuda_gates_give_up(flight *f); /* those of it that have not arrived never will */
/* Gives workers what has arrived; by any thread. Asks nothing of CUDA. False: none is awaited. */
bool weir_cuda_gates_look(weir_backend *device);
/* Runs the task of a gate on this thread. */
weir_status weir_cuda_run_host_task(weir_program *program, const weir_frame_values *values, uint32_t task, void **args);

/* ---- blame.c ---- */
/* The program's frames from this one on have failed: host tasks are skipped. */
void weir_cuda_fail_from(weir_program *program, uint64_t number);
/* The code of one of its tasks did: its host tasks and natives are skipped as well. The frame's first such failure is kept until it is told.
 * `text` is copied; NULL: it returned `cause`. */
void weir_cuda_task_failed(weir_program *program, flight *f, uint32_t task, weir_status cause, const char *text);
/* Tells run that the device failed while this frame was on it. */
void weir_cuda_blame(weir_program *program, flight *f, cudaError_t error);

/* ---- step.c ---- */
/* WEIR_DEBUG: runs a frame task by task on this thread, each checked before the next. */
void weir_cuda_step(weir_program *program, flight *f);

#endif
