/* runtime.h - a runtime: one open backend, its execs, and the storage they share. The inside of the run room.
 *
 * One lock, the runtime's, guards all that changes here, in execs and in storages, unless said otherwise; `changed` is broadcast
 * whenever a frame is done, opened or submitted. Reports of the backend take the lock, so it is never held while waiting for
 * the backend's threads, nor while large memory is taken or copied. A second lock, `making`, taken before it, lets one exec be made at a time.
 * Who keeps whom: each exec and each storage holds the runtime's memory and its backend open; the program's own hold ends with
 * weir_runtime_destroy. A storage hangs on its buffer and goes with the buffer or with the runtime, whichever ends first. */
#ifndef WEIR_RUN_RUNTIME_H
#define WEIR_RUN_RUNTIME_H

#include "backend/backend.h"
#include "graph/buffer.h"
#include <pthread.h>

typedef struct weir_storage weir_storage;

/* What an exec does with a storage, and until which of its frames. Linked into the storage's list. */
typedef struct weir_use weir_use;
struct weir_use {
    weir_storage *storage;
    weir_exec *exec;
    bool writes;
    uint32_t furthest_back; /* the largest distance it is read at */
    uint64_t last_touch, last_write; /* frame number + 1 of the last submitted frame that does; 0: none */
    uint64_t awaited, held_from; /* by a transfer that is under way: it waits for frames below, and frames from there on wait for it */
    weir_use *next;
};

/* Which frame touched a copy of a WEIR_HOST_IN buffer last. */
typedef struct {
    weir_exec *exec; /* NULL: nobody, or done and gone */
    uint64_t frame;
} weir_copy_user;

/* The memory of a buffer in one runtime. */
struct weir_storage {
    weir_attachment attachment; /* first: the buffer's list knows only this */
    weir_runtime *runtime;      /* held */
    weir_buffer *buffer;        /* not held: the buffer frees its storages when it dies */
    weir_place place;
    bool adopted;
    uint32_t count;             /* of copies */
    size_t bytes;               /* of one copy */
    size_t guard_bytes;         /* before and after each copy, when debugging; else 0 */
    void **copies;              /* never changes: backends read it without the lock */
    uint32_t newest;            /* the copy of the last frame that moved the ring on */
    uint64_t moves;             /* frames that wrote it, of all execs: tells a copy that was reused */
    bool under_way;             /* a read or write by the program: later frames that touch it are held back */
    uint64_t touches;           /* WEIR_HOST_IN: frames submitted, each with a copy of its own in turn */
    weir_exec *holder;          /* WEIR_HOST_IN: whose open frame holds the next copy; NULL: nobody's */
    weir_copy_user *users;      /* WEIR_HOST_IN: of each copy; else NULL */
    uint32_t furthest_back;     /* the largest of its uses */
    weir_use *uses;
    weir_storage *next, **link; /* the runtime's list */
};

struct weir_runtime {
    atomic_uint holders;
    const weir_backend_ops *ops;
    weir_backend *backend;
    uint32_t lanes_max; /* 0: no bound */
    bool debug;
    uint32_t callbacks; /* execs that tell the program of each frame, on threads of weir's alone */
    uint64_t changes;   /* times that `changed` was said */
    const struct weir_observers *observers;
    pthread_mutex_t making, lock;
    pthread_cond_t changed; /* on the monotonic clock */
    bool ended;
    weir_exec *execs;
    weir_storage *storages;
    _Atomic(weir_tracer *) tracer; /* NULL: nobody traces */
    weir_tracer *tracers;          /* all there ever were */
};

/* What run tells the observe room, which it does not include: handed over when a runtime is opened. */
typedef struct weir_observers {
    weir_status (*runtime_opened)(weir_runtime *runtime);  /* may start a trace */
    void (*runtime_ends)(weir_runtime *runtime);           /* all frames are done */
    weir_status (*exec_made)(const weir_plan *plan);
} weir_observers;

weir_status weir_runtime_open(const weir_runtime_options *options, const weir_observers *observers, weir_runtime **out);
void weir_runtime_hold(weir_runtime *runtime);
void weir_runtime_release(weir_runtime *runtime);

/* Says `changed`, with the lock held. */
void weir_runtime_notify(weir_runtime *runtime);
/* Waits for `changed` with the lock held, or a while; deadline on weir_clock_ns, INT64_MAX: none. false: it has passed. */
bool weir_runtime_await(weir_runtime *runtime, int64_t deadline_ns);
int64_t weir_deadline(int64_t timeout_ns); /* from now; negative: INT64_MAX */

/* Installs a tracer; the runtime destroys it with itself. WEIR_ERR_STATE if there is one already. NULL takes it away and gives back
 * the one that was there. */
weir_status weir_runtime_set_tracer(weir_runtime *runtime, weir_tracer *tracer, weir_tracer **before);

/* storage.c: */
weir_status weir_storage_of(weir_runtime *runtime, weir_buffer *buffer, uint32_t automatic, weir_storage **out); /* finds or makes; with `making` held */
void weir_storage_link(weir_use *use);   /* with the lock held */
void weir_storage_unlink(weir_use *use); /* the same */
/* True if the guards of every copy are as they were made. Without the lock: storages of a live exec do not change. */
bool weir_storage_is_intact(const weir_storage *storage);
void weir_storages_end(weir_runtime *runtime); /* frees all that no dying buffer is freeing already */

#endif
