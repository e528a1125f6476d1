/* entry.c - what a worker does with an entry whose turn it is: calls its code, or shares its blocks out among the workers, tells what became of
 * it, and moves the lane on. The design stands in device.h. */
#include "backend/host/device.h"
#include "backend/host/move.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/status.h"
#include <inttypes.h>
#include <string.h>

enum { CHUNKS_PER_WORKER = 4, CHUNKS_MOST = 4096 };

/* ---- running code ---- */

static weir_status call_blocks(worker *self, const weir_image *image, const entry *what, void *const *args, uint64_t first, uint64_t count)
{
    const weir_body *body = image->plan->body;
    const weir_task_record *task = &body->tasks.at[what->task];
    switch ((weir_task_kind)what->kind) {
    case WEIR_KIND_EMPTY:
        break;
    case WEIR_KIND_KERNEL: {
        const weir_shape *shape = &body->shapes.at[task->with.shape];
        weir_blocks blocks = {.first = first, .count = count};
        memcpy(blocks.grid, shape->grid, sizeof blocks.grid);
        memcpy(blocks.block, shape->block, sizeof blocks.block);
        if (shape->shared_bytes)
            blocks.shared = atomic_load_explicit(&self->shared, memory_order_acquire);
        what->code.kernel(&blocks, args);
        break;
    }
    case WEIR_KIND_COPY:
    case WEIR_KIND_FILL:
        weir_host_move(body, task, args, first, count);
        break;
    case WEIR_KIND_HOST:
    case WEIR_KIND_NATIVE:
        return what->code.host(what->user, args);
    case WEIR_KIND_WHILE:
    case WEIR_KIND_IF:
    case WEIR_KIND_SWITCH:
        break; /* never called */
    }
    return WEIR_OK;
}

static void *const *make_arguments(const weir_image *image, lane *l, const entry *what, const weir_frame_values *values)
{
    const weir_pass *pass = image->pass + image->pass_first[what->task];
    for (uint32_t i = 0; i < what->arg_count; i++)
        l->args[i] = weir_pass_address(image, &pass[i], values);
    return (void *const *)l->args;
}

static inline void *const *arguments(const weir_image *image, lane *l, const entry *what, const weir_frame_values *values)
{
    return what->args || what->arg_count == 0 ? what->args : make_arguments(image, l, what, values);
}

/* ---- telling ---- */

static weir_tracer *tracer_of(const weir_program *program)
{
    return atomic_load_explicit(program->device->options.tracer, memory_order_acquire);
}

static bool is_watched(const weir_program *program)
{
    return program->image->spans || tracer_of(program);
}

static void trace(const worker *self, const weir_program *program, const lane *l, const entry *what, uint64_t frame, weir_trace_extent extent,
                  weir_task_span span)
{
    weir_tracer *tracer = tracer_of(program);
    if (!tracer)
        return;
    const weir_body *body = program->plan->body;
    const weir_task_record *task = &body->tasks.at[what->task];
    weir_trace_event event = {
        .graph = body->name,
        .task = task->name,
        .group = weir_task_group(body, task),
        .kind = weir_kind_name((weir_task_kind)task->kind),
        .frame = frame,
        .lane = l->number,
        .worker = self->number,
        .extent = extent,
        .span = span,
    };
    tracer->event(tracer, &event);
}

static void note_span(const worker *self, const weir_program *program, const lane *l, const entry *what, weir_trace_extent extent, weir_task_span span)
{
    if (program->image->spans)
        program->image->spans[l->frame % program->frames * program->plan->tasks + what->task] = span;
    trace(self, program, l, what, l->frame, extent, span);
}

static void note_failure(weir_program *program, uint64_t frame, uint32_t task, weir_status failure, weir_status cause)
{
    unsigned long long first = atomic_load(&program->failed);
    while (frame < first && !atomic_compare_exchange_weak(&program->failed, &first, frame))
        ;
    program->image->reports.task_failed(program->image->reports.user, frame, task, failure, cause);
}

static void judge_closely(weir_program *program, uint64_t frame, uint32_t task, weir_status returned)
{
    const weir_reports *reports = &program->image->reports;
    weir_status found = reports->task_ran ? reports->task_ran(reports->user, task) : WEIR_OK;
    if (returned != WEIR_OK)
        note_failure(program, frame, task, WEIR_ERR_TASK, returned);
    else if (found != WEIR_OK)
        note_failure(program, frame, task, found, found);
}

/* A task has run: with what it returned, and what run says of it when debugging. */
static inline void judge(weir_program *program, uint64_t frame, uint32_t task, weir_status returned)
{
    if (returned != WEIR_OK || program->image->reports.task_ran)
        judge_closely(program, frame, task, returned);
}

/* ---- entries ---- */

/* Finishes the entry that the taker has just run: everything it wrote is visible to whoever sees `done`. */
static void finish_entry(weir_program *program, lane *l)
{
    uint64_t frame = l->frame;
    bool last = l->next + 1 == l->count;
    if (last) {
        l->next = 0;
        l->frame++;
    } else {
        l->next++;
    }
    atomic_store_explicit(&l->done, frame * l->count + (last ? l->count : l->next), memory_order_release);
    if (last) {
        flight *f = &program->flights[frame % program->frames];
        if (atomic_fetch_sub_explicit(&f->lanes_left, 1, memory_order_acq_rel) == 1)
            program->image->reports.frame_done(program->image->reports.user, frame);
    }
}

/* ---- kernels of several blocks ---- */

/* By who finished its last chunk, and is the lane's taker now. */
static void finish_job(const worker *self, weir_program *program, lane *l, const entry *what)
{
    if (l->depth > 0) {
        weir_host_control_passed(l);
        return;
    }
    if (is_watched(program))
        note_span(self, program, l, what, WEIR_TRACE_SHARED, (weir_task_span){l->job.start_ns, weir_clock_ns()});
    judge(program, l->frame, what->task, WEIR_OK);
    finish_entry(program, l);
    weir_host_ring(program->device);
}

bool weir_host_help(worker *self, weir_program *program, lane *l, bool *did)
{
    unsigned long long chunks = atomic_load_explicit(&l->chunks, memory_order_acquire);
    while (weir_host_chunk_next(chunks) < weir_host_chunk_count(chunks)) {
        if (!atomic_compare_exchange_weak_explicit(&l->chunks, &chunks, chunks + 1, memory_order_acq_rel, memory_order_acquire))
            continue;
        *did = true;
        const job *j = &l->job; /* stays as it is until this chunk is finished */
        const entry *what = j->what;
        uint64_t first = weir_host_chunk_next(chunks) * j->blocks_in_chunk, left = what->blocks - first;
        bool traced = l->depth == 0 && tracer_of(program);
        int64_t start = traced ? weir_clock_ns() : 0;
        call_blocks(self, j->image, what, j->args, first, left < j->blocks_in_chunk ? left : j->blocks_in_chunk);
        if (traced)
            trace(self, program, l, what, j->values->number, WEIR_TRACE_PART, (weir_task_span){start, weir_clock_ns()});
        if (atomic_fetch_sub_explicit(&l->chunks_left, 1, memory_order_acq_rel) == 1) {
            finish_job(self, program, l, what);
            return true;
        }
        chunks = atomic_load_explicit(&l->chunks, memory_order_acquire);
    }
    return false;
}

static void post_job(weir_program *program, const weir_image *image, lane *l, const entry *what, const weir_frame_values *values)
{
    void *const *args = arguments(image, l, what, values);
    uint64_t wanted = (uint64_t)program->device->worker_count * CHUNKS_PER_WORKER;
    if (wanted > CHUNKS_MOST)
        wanted = CHUNKS_MOST;
    uint64_t in_chunk = (what->blocks + wanted - 1) / wanted, count = (what->blocks + in_chunk - 1) / in_chunk;
    l->job = (job){image, what, args, values, in_chunk, is_watched(program) ? weir_clock_ns() : 0};
    unsigned long long generation = (atomic_load_explicit(&l->chunks, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&l->chunks_left, (unsigned)count, memory_order_relaxed);
    atomic_store_explicit(&l->chunks, generation << 32 | count << 16, memory_order_release);
    weir_host_ring(program->device);
}

/* As weir_host_run_next. */
static bool share_out(worker *self, weir_program *program, const weir_image *image, lane *l, const entry *what, const weir_frame_values *values)
{
    bool did = false;
    post_job(program, image, l, what, values);
    return weir_host_help(self, program, l, &did);
}

/* ---- loops and branches ---- */

/* The lane is out of the loop or branch that is its next entry. */
static void finish_control(const worker *self, weir_program *program, lane *l, const entry *what, weir_status status)
{
    const weir_image *image = program->image;
    weir_trace_extent extent = program->device->worker_count > 1 ? WEIR_TRACE_SHARED : WEIR_TRACE_WHOLE;
    if (what->kind == WEIR_KIND_WHILE)
        image->rounds[l->frame % program->frames * program->plan->tasks + what->task] = l->levels[0].rounds;
    if (is_watched(program))
        note_span(self, program, l, what, extent, (weir_task_span){l->entered_ns, weir_clock_ns()});
    judge(program, l->frame, what->task, status);
    finish_entry(program, l);
}

/* Only a native can fail in a body: the loop or branch that it is in ends there, and fails with it. */
static void fail_inside(const worker *self, weir_program *program, lane *l, const weir_image *image, const entry *inner, weir_status status)
{
    const weir_body *body = program->plan->body;
    const entry *what = l->levels[0].what;
    weir_log(WEIR_LOG_ERROR, "graph '%s', frame %" PRIu64 ": task '%s' in the body of '%s' failed: %s", body->name, l->frame,
             image->plan->body->tasks.at[inner->task].name, body->tasks.at[what->task].name, weir_status_name(status));
    l->depth = 0;
    finish_control(self, program, l, what, status);
}

static bool step_control(worker *self, weir_program *program, lane *l, const entry *what, const weir_frame_values *values)
{
    if (l->depth == 0) {
        l->entered_ns = weir_clock_ns();
        weir_host_control_enter(l, program->image, what);
    }
    const entry *inner = weir_host_control_next(l);
    if (!inner) {
        if (l->depth == 0)
            finish_control(self, program, l, what, WEIR_OK);
        return true;
    }
    const weir_image *image = l->levels[l->depth - 1].body->image;
    if (!inner->simple)
        return share_out(self, program, image, l, inner, values);
    weir_status status = call_blocks(self, image, inner, arguments(image, l, inner, values), 0, inner->blocks);
    if (status == WEIR_OK)
        weir_host_control_passed(l);
    else
        fail_inside(self, program, l, image, inner, status);
    return true;
}

/* ---- the next entry ---- */

static bool is_passed_over(const weir_program *program, const entry *what, const weir_frame_values *values)
{
    return values->number >= atomic_load_explicit(&program->failed, memory_order_relaxed) || weir_task_is_off(values, what->task);
}

static void pass_over(weir_program *program, lane *l, const entry *what)
{
    l->depth = 0; /* another task may have failed in the middle of a loop */
    if (program->image->spans)
        program->image->spans[l->frame % program->frames * program->plan->tasks + what->task] = (weir_task_span){0, 0};
    finish_entry(program, l);
}

/* Calls the code of an entry. Now and then, and always when watched, it is timed: a brief task is not worth waking anybody before it, see run_turn in
 * lane.c. */
static void run_alone(worker *self, weir_program *program, lane *l, entry *what, const weir_frame_values *values)
{
    void *const *args = arguments(program->image, l, what, values);
    bool watched = is_watched(program), timed = watched || l->frame % WEIR_HOST_FRAMES_BETWEEN_TIMINGS == 0;
    weir_task_span span = {timed ? weir_clock_ns() : 0, 0};
    weir_status status = call_blocks(self, program->image, what, args, 0, what->blocks);
    if (timed) {
        span.end_ns = weir_clock_ns();
        what->brief = what->kind != WEIR_KIND_HOST && what->kind != WEIR_KIND_NATIVE && span.end_ns - span.start_ns < WEIR_HOST_BRIEF_NS;
    }
    if (watched)
        note_span(self, program, l, what, WEIR_TRACE_WHOLE, span);
    judge(program, l->frame, what->task, status);
}

bool weir_host_run_next(worker *self, weir_program *program, lane *l, const weir_frame_values *values)
{
    entry *what = &l->entries[l->next];
    if (is_passed_over(program, what, values)) {
        pass_over(program, l, what);
        return true;
    }
    if (!what->simple)
        return weir_kind_is_control(what->kind) ? step_control(self, program, l, what, values)
                                                : share_out(self, program, program->image, l, what, values);
    run_alone(self, program, l, what, values);
    finish_entry(program, l);
    return true;
}
