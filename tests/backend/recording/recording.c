/* recording.c - see recording.h. Frames that were submitted stand in a queue of their backend, from which whoever reports takes them. */
#include "backend/recording/recording.h"
#include "backend/walk.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    weir_program *program;
    uint64_t frame;
} queued;

struct weir_backend {
    pthread_t reporter;
    WEIR_VECTOR(queued) queue; /* oldest first */
    bool closing;
};

recorded_facts recorded;
/* Guards `recorded`, who reports, and every queue. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static reporting reported_by;

/* A test has no use for a record with holes. */
#define PUSH(vector, value)                                                                                                                \
    do {                                                                                                                                   \
        if (!weir_vector_reserve(vector, 1))                                                                                               \
            abort();                                                                                                                       \
        weir_vector_push(vector, value);                                                                                                   \
    } while (0)

/* ---- what tests ask and say ---- */

void recording_reset(reporting by)
{
    weir_vector_finish(&recorded.copies);
    weir_vector_finish(&recorded.failures);
    weir_vector_finish(&recorded.follows);
    weir_vector_finish(&recorded.ends);
    recorded = (recorded_facts){.refuse = NULL};
    reported_by = by;
}

void recording_report(reporting by)
{
    pthread_mutex_lock(&lock);
    reported_by = by;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

uint32_t recording_looks(void)
{
    pthread_mutex_lock(&lock);
    uint32_t looks = recorded.looks;
    pthread_mutex_unlock(&lock);
    return looks;
}

void recording_fail(recorded_failure failure)
{
    pthread_mutex_lock(&lock);
    PUSH(&recorded.failures, failure);
    pthread_mutex_unlock(&lock);
}

/* ---- reporting ---- */

/* With the lock held, as when it returns: it is let go while run is told. */
static void report_oldest(weir_backend *backend)
{
    queued q = backend->queue.at[0];
    recorded_failure failure = {.frame = UINT64_MAX};
    backend->queue.count--;
    memmove(backend->queue.at, backend->queue.at + 1, backend->queue.count * sizeof q);
    for (uint32_t i = 0; i < recorded.failures.count; i++)
        if (recorded.failures.at[i].frame == q.frame)
            failure = recorded.failures.at[i];
    pthread_mutex_unlock(&lock);
    const weir_reports reports = q.program->image.reports;
    if (failure.frame == q.frame && failure.what)
        reports.device_failed(reports.user, q.frame, failure.task, failure.what);
    else if (failure.frame == q.frame)
        reports.task_failed(reports.user, q.frame, failure.task, WEIR_ERR_TASK, failure.cause);
    atomic_fetch_add(&q.program->done, 1);
    reports.frame_done(reports.user, q.frame); /* the program may be gone from here on */
    pthread_mutex_lock(&lock);
}

static void *report_frames(void *user)
{
    weir_backend *backend = user;
    pthread_mutex_lock(&lock);
    while (!backend->closing)
        if (reported_by == REPORTED_BY_THREAD && backend->queue.count > 0)
            report_oldest(backend);
        else
            pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void recording_look(weir_backend *backend)
{
    pthread_mutex_lock(&lock);
    recorded.looks++;
    recorded.looker = pthread_self();
    if (reported_by == REPORTED_BY_LOOK && backend->queue.count > 0)
        report_oldest(backend);
    pthread_mutex_unlock(&lock);
}

/* ---- the device ---- */

static void describe(weir_device_info *out, const char *name)
{
    *out = (weir_device_info){.backend = name, .device = "a notebook", .available = 1, .why_not = "", .lanes = 8, .workers = 1};
}

static void recording_describe(weir_device_info *out)
{
    describe(out, "recording");
}

static void bare_describe(weir_device_info *out)
{
    describe(out, "bare");
}

static weir_status recording_open(const weir_backend_options *options, weir_backend **out)
{
    weir_backend *backend = weir_alloc(1, sizeof *backend);
    if (!backend || pthread_create(&backend->reporter, NULL, report_frames, backend) != 0)
        abort();
    pthread_mutex_lock(&lock);
    recorded.opened = *options;
    recorded.opens++;
    pthread_mutex_unlock(&lock);
    *out = backend;
    return WEIR_OK;
}

static void recording_close(weir_backend *backend)
{
    if (!backend)
        return;
    pthread_mutex_lock(&lock);
    if (backend->queue.count > 0)
        abort(); /* run still has frames of a program */
    backend->closing = true;
    recorded.closes++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(backend->reporter, NULL);
    weir_vector_finish(&backend->queue);
    weir_free(backend);
}

static uint32_t recording_workers(const weir_backend *backend)
{
    (void)backend;
    return 1;
}

static uint32_t recording_lanes(const weir_backend *backend)
{
    (void)backend;
    return 8;
}

/* ---- memory ---- */

static void *recording_take(weir_backend *backend, weir_place place, size_t bytes)
{
    (void)backend;
    (void)place;
    void *memory = weir_alloc_lines(bytes, 1);
    if (!memory)
        weir_fail(WEIR_ERR_NO_MEMORY, "out of memory: %zu bytes", bytes);
    return memory;
}

static void recording_give(weir_backend *backend, weir_place place, void *memory)
{
    (void)backend;
    (void)place;
    weir_free_lines(memory);
}

static weir_status recording_move(weir_backend *backend, weir_place place, void *to, const void *from, size_t bytes)
{
    (void)backend;
    (void)place;
    memcpy(to, from, bytes);
    return WEIR_OK;
}

static recorded_copy *copy_of(void *memory, weir_place place, size_t bytes)
{
    for (uint32_t i = 0; i < recorded.copies.count; i++) {
        recorded_copy *copy = &recorded.copies.at[i];
        if (copy->memory == memory && copy->place == place && copy->bytes == bytes)
            return copy;
    }
    PUSH(&recorded.copies, ((recorded_copy){.memory = memory, .place = place, .bytes = bytes}));
    return &recorded.copies.at[recorded.copies.count - 1];
}

static weir_status recording_adopt(weir_backend *backend, weir_place place, void *memory, size_t bytes)
{
    (void)backend;
    pthread_mutex_lock(&lock);
    bool refused = memory == recorded.refuse;
    recorded_copy *copy = copy_of(memory, place, bytes);
    copy->adopted += !refused;
    copy->refused += refused;
    pthread_mutex_unlock(&lock);
    return refused ? weir_fail(WEIR_ERR_BACKEND, "it is written on both sides") : WEIR_OK;
}

static void recording_abandon(weir_backend *backend, weir_place place, void *memory, size_t bytes)
{
    (void)backend;
    pthread_mutex_lock(&lock);
    copy_of(memory, place, bytes)->abandoned++;
    pthread_mutex_unlock(&lock);
}

/* ---- programs ---- */

static bool write_wait(void *feeder, uint32_t lane, const weir_wait *wait)
{
    weir_program *program = feeder;
    PUSH(&program->deeds, ((deed){DEED_WAIT, lane, wait->task, wait->distance}));
    return true;
}

static bool write_run(void *feeder, uint32_t lane, uint32_t task)
{
    weir_program *program = feeder;
    PUSH(&program->deeds, ((deed){DEED_RUN, lane, task, 0}));
    return true;
}

static bool write_record(void *feeder, uint32_t lane, uint32_t task)
{
    weir_program *program = feeder;
    PUSH(&program->deeds, ((deed){DEED_RECORD, lane, task, 0}));
    return true;
}

static weir_status recording_check(const weir_backend *backend, const weir_plan *plan)
{
    (void)backend;
    (void)plan;
    return WEIR_OK;
}

static weir_status recording_program_create(weir_backend *backend, const weir_image *image, weir_program **out)
{
    weir_program *program = weir_alloc(1, sizeof *program);
    if (!program)
        abort();
    program->backend = backend;
    program->image = *image;
    atomic_init(&program->done, 0);
    pthread_mutex_lock(&lock);
    recorded.last = program;
    recorded.programs++;
    pthread_mutex_unlock(&lock);
    *out = program;
    return WEIR_OK;
}

static void recording_program_destroy(weir_program *program)
{
    if (!program)
        return;
    weir_vector_finish(&program->deeds);
    weir_vector_finish(&program->frames);
    weir_vector_finish(&program->ring_at);
    weir_vector_finish(&program->events);
    weir_free(program);
    pthread_mutex_lock(&lock);
    recorded.programs--;
    pthread_mutex_unlock(&lock);
}

static void write_foreign(weir_program *program, recorded_frame *frame, const weir_foreign *foreign)
{
    frame->submitter = pthread_self();
    frame->event_first = program->events.count;
    if (!foreign)
        return;
    frame->queue = foreign->queue;
    frame->event_count = foreign->event_count;
    for (uint32_t i = 0; i < foreign->event_count; i++)
        PUSH(&program->events, foreign->events[i]);
}

static void recording_submit(weir_program *program, const weir_frame_values *values)
{
    static const weir_lane_ops write = {write_wait, write_run, write_record};
    recorded_frame frame = {.number = values->number, .first = program->deeds.count, .ring_first = program->ring_at.count};
    if (values->number - atomic_load(&program->done) >= program->image.plan->frames)
        abort(); /* more in flight than the plan has */
    for (uint32_t r = 0; r < program->image.ring_count; r++)
        PUSH(&program->ring_at, values->ring_at[r]);
    write_foreign(program, &frame, values->foreign);
    frame.reached = weir_walk(program->image.plan, &write, program);
    frame.end = program->deeds.count;
    PUSH(&program->frames, frame);
    pthread_mutex_lock(&lock);
    PUSH(&program->backend->queue, ((queued){program, values->number}));
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void recording_follow(weir_program *program, weir_program *other, uint64_t frame)
{
    if (frame >= other->frames.count)
        abort(); /* not submitted: there is nothing to follow */
    pthread_mutex_lock(&lock);
    PUSH(&recorded.follows, ((recorded_follow){program, other, program->frames.count, frame}));
    pthread_mutex_unlock(&lock);
}

static weir_status recording_record_end(weir_program *program, uint64_t frame, void *event)
{
    if (frame >= program->frames.count)
        abort(); /* not submitted: it has no end */
    pthread_mutex_lock(&lock);
    bool refused = event == recorded.refuse;
    if (!refused)
        PUSH(&recorded.ends, ((recorded_end){program, frame, event, frame < atomic_load(&program->done)}));
    pthread_mutex_unlock(&lock);
    return refused ? weir_fail(WEIR_ERR_INVALID, "it is no event") : WEIR_OK;
}

static weir_status recording_check_foreign(weir_backend *backend, const weir_foreign *foreign)
{
    (void)backend;
    pthread_mutex_lock(&lock);
    bool refused = foreign->queue && foreign->queue == recorded.refuse;
    for (uint32_t i = 0; i < foreign->event_count; i++)
        refused = refused || foreign->events[i] == recorded.refuse;
    pthread_mutex_unlock(&lock);
    return refused ? weir_fail(WEIR_ERR_STATE, "nobody can wait for it") : WEIR_OK;
}

static bool recording_task_done(const weir_program *program, uint64_t frame, uint32_t task)
{
    (void)task;
    return frame < atomic_load(&program->done);
}

static uint32_t recording_unfinished(const weir_program *program, uint64_t frame)
{
    const weir_plan *plan = program->image.plan;
    return frame < atomic_load(&program->done) || plan->tasks == 0 ? UINT32_MAX : plan->order[plan->tasks - 1];
}

static weir_program_info recording_info(const weir_program *program)
{
    static const char *const modes[] = {"by itself", "word by word", "by heart", "by ear"};
    return (weir_program_info){modes[program->image.mode], recorded.instantiations, recorded.taken_over, recorded.launch_ns};
}

#define REQUIRED                                                                                                                           \
    .open = recording_open, .close = recording_close, .workers = recording_workers, .lanes = recording_lanes, .take = recording_take,      \
    .give = recording_give, .write = recording_move, .read = recording_move, .check = recording_check,                                     \
    .program_create = recording_program_create, .program_destroy = recording_program_destroy, .submit = recording_submit,                  \
    .task_done = recording_task_done, .unfinished = recording_unfinished

static const weir_backend_ops recording_backend = {
    .name = "recording",
    .describe = recording_describe,
    REQUIRED,
    .adopt = recording_adopt,
    .abandon = recording_abandon,
    .look = recording_look,
    .info = recording_info,
    .follow = recording_follow,
    .record_end = recording_record_end,
    .check_foreign = recording_check_foreign,
};

static const weir_backend_ops bare_backend = {
    .name = "bare",
    .describe = bare_describe,
    REQUIRED,
};

const weir_backend_ops *const weir_backends[] = {&recording_backend, &bare_backend, NULL};
