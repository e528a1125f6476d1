/* recording.h - a backend that runs nothing and writes down what it is told: whole programs go through weir_runtime_create, weir_exec_create,
 * submit and wait, and a test reads what reached the seam. Its lanes are fed by weir_walk; a thread of its own reports frames done.
 *
 * Two tables: "recording" gives every optional entry, "bare" none. Both are `weir_backends` of the tests that link this file; the room
 * backend_list must not be linked beside it.
 * Threads: what hangs on a program may be read when its frames are done; `recorded` through the calls below, or when nothing runs. */
#ifndef TESTS_BACKEND_RECORDING_RECORDING_H
#define TESTS_BACKEND_RECORDING_RECORDING_H

#include "backend/backend.h"
#include "util/vector.h"
#include <pthread.h>

typedef enum { DEED_WAIT, DEED_RUN, DEED_RECORD } deed_kind;

/* What a lane was told. Of a wait: that task, so many frames before. */
typedef struct {
    deed_kind kind;
    uint32_t lane, task, distance;
} deed;

typedef struct {
    uint64_t number;
    uint32_t first, end; /* its deeds */
    uint32_t reached;    /* what the walk returned */
    uint32_t ring_first; /* where its rings stood */
    void *queue;         /* that it was submitted on; NULL: none */
    uint32_t event_first, event_count; /* that it waits for */
    pthread_t submitter;
} recorded_frame;

struct weir_program {
    weir_backend *backend;
    weir_image image;
    WEIR_VECTOR(deed) deeds;
    WEIR_VECTOR(recorded_frame) frames;
    WEIR_VECTOR(uint32_t) ring_at;
    WEIR_VECTOR(void *) events;
    atomic_uint_least64_t done; /* frames reported */
};

/* One copy of a buffer in the program's own memory. */
typedef struct {
    void *memory;
    weir_place place;
    size_t bytes;
    uint32_t adopted, abandoned, refused; /* how often */
} recorded_copy;

/* A program was told that its next frame follows that one of another. */
typedef struct {
    const weir_program *program, *other;
    uint64_t next, frame;
} recorded_follow;

/* The end of a frame was asked for as an event. */
typedef struct {
    const weir_program *program;
    uint64_t frame;
    const void *event;
    bool done; /* the frame, then */
} recorded_end;

/* What a frame comes to instead of just being done. */
typedef struct {
    uint64_t frame;
    uint32_t task;
    const char *what;   /* of a device that fails; NULL: the task fails by itself, */
    weir_status cause;  /* with this */
} recorded_failure;

/* Of all runtimes of the process. */
typedef struct {
    weir_backend_options opened; /* as the last runtime had it */
    uint32_t opens, closes, programs;
    weir_program *last;          /* the program made last */
    WEIR_VECTOR(recorded_copy) copies;
    const void *refuse;          /* memory that is not adopted, a queue or an event that no frame can wait for */
    WEIR_VECTOR(recorded_failure) failures;
    WEIR_VECTOR(recorded_follow) follows;
    WEIR_VECTOR(recorded_end) ends;
    uint32_t looks;
    pthread_t looker;            /* who looked last */
    uint64_t instantiations, taken_over; /* what `info` says, */
    double launch_ns;                    /* this too */
} recorded_facts;

extern recorded_facts recorded;

/* Who reports frames. Held: nobody. */
typedef enum { REPORTED_BY_THREAD, REPORTED_BY_LOOK, REPORTED_BY_NOBODY } reporting;

void recording_reset(reporting by);     /* forgets everything; with no runtime open */
void recording_report(reporting by);    /* from now on; of frames that are done too */
uint32_t recording_looks(void);
void recording_fail(recorded_failure failure); /* that frame, of whatever program */

/* The deeds of a frame. */
static inline const deed *recorded_deeds(const weir_program *program, uint32_t frame, uint32_t *count)
{
    const recorded_frame *f = &program->frames.at[frame];
    *count = f->end - f->first;
    return program->deeds.at + f->first;
}

#endif
