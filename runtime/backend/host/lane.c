/* lane.c - what a worker does with one program: takes lanes that are free, runs entries that are ready, shares out kernels of
 * many blocks. The design stands in device.h. */
#include "backend/host/device.h"
#include "backend/host/move.h"
#include "util/clock.h"
#include "util/fence.h"
#include "util/random.h"
#include <string.h>

enum { CHUNKS_PER_WORKER = 4, CHUNKS_MOST = 4096, FRAMES_BETWEEN_TIMINGS = 64, BRIEF_NS = 2000, OWED_MOST = 64, TURN_ENTRIES = 512 };

/* ---- running code ---- */

static weir_status call_blocks(worker *self, const weir_program *program, const entry *what, void *const *args, uint64_t first, uint64_t count)
{
    const weir_body *body = program->plan->body;
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
        break;
    }
    return WEIR_OK;
}

static void *const *arguments(const weir_program *program, lane *l, const entry *what, const weir_frame_values *values)
{
    if (what->args || what->arg_count == 0)
        return what->args;
    const weir_image *image = program->image;
    const weir_pass *pass = image->pass + image->pass_first[what->task];
    for (uint32_t i = 0; i < what->arg_count; i++)
        l->args[i] = weir_pass_address(image, &pass[i], values);
    return (void *const *)l->args;
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

/* A task has run: with what it returned, and what run says of it when debugging. */
static void judge(weir_program *program, uint64_t frame, uint32_t task, weir_status returned)
{
    const weir_reports *reports = &program->image->reports;
    weir_status found = reports->task_ran ? reports->task_ran(reports->user, task) : WEIR_OK;
    if (returned != WEIR_OK)
        note_failure(program, frame, task, WEIR_ERR_TASK, returned);
    else if (found != WEIR_OK)
        note_failure(program, frame, task, found, found);
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

static bool wait_is_over(const weir_program *program, lane *l, const lane_wait *w, uint64_t frame)
{
    if (frame < w->distance)
        return true; /* there was no such frame */
    const lane *other = &program->lanes[w->lane];
    uint64_t needed = (frame - w->distance) * other->count + w->position;
    if (l->seen[w->lane] > needed)
        return true;
    l->seen[w->lane] = atomic_load_explicit(&other->done, memory_order_acquire);
    return l->seen[w->lane] > needed;
}

static bool next_is_ready(const weir_program *program, lane *l)
{
    if (l->frame >= atomic_load_explicit(&program->submitted, memory_order_acquire))
        return false;
    const entry *what = &l->entries[l->next];
    const lane_wait *waits = program->waits + what->wait_first;
    for (uint32_t i = 0; i < what->wait_count; i++)
        if (!wait_is_over(program, l, &waits[i], l->frame))
            return false;
    return true;
}

/* ---- kernels of several blocks ---- */

static uint64_t chunk_count(unsigned long long chunks)
{
    return chunks >> 16 & 0xffff;
}

static uint64_t chunk_next(unsigned long long chunks)
{
    return chunks & 0xffff;
}

static bool has_chunks(const lane *l)
{
    unsigned long long chunks = atomic_load_explicit(&((lane *)l)->chunks, memory_order_relaxed);
    return chunk_next(chunks) < chunk_count(chunks);
}

/* Claims chunks until there are none. True if this worker finished the last one: it is the lane's taker then. */
static bool work_on_job(worker *self, weir_program *program, lane *l, bool *did)
{
    unsigned long long chunks = atomic_load_explicit(&l->chunks, memory_order_acquire);
    while (chunk_next(chunks) < chunk_count(chunks)) {
        if (!atomic_compare_exchange_weak_explicit(&l->chunks, &chunks, chunks + 1, memory_order_acq_rel, memory_order_acquire))
            continue;
        *did = true;
        const job *j = &l->job; /* stays as it is until this chunk is finished */
        const entry *what = j->what;
        uint64_t first = chunk_next(chunks) * j->blocks_in_chunk, left = what->blocks - first;
        bool traced = tracer_of(program);
        int64_t start = traced ? weir_clock_ns() : 0;
        call_blocks(self, program, what, j->args, first, left < j->blocks_in_chunk ? left : j->blocks_in_chunk);
        if (traced)
            trace(self, program, l, what, j->values->number, WEIR_TRACE_PART, (weir_task_span){start, weir_clock_ns()});
        if (atomic_fetch_sub_explicit(&l->chunks_left, 1, memory_order_acq_rel) == 1) {
            if (is_watched(program))
                note_span(self, program, l, what, WEIR_TRACE_SHARED, (weir_task_span){j->start_ns, weir_clock_ns()});
            judge(program, l->frame, what->task, WEIR_OK);
            finish_entry(program, l);
            weir_host_ring(program->device);
            return true;
        }
        chunks = atomic_load_explicit(&l->chunks, memory_order_acquire);
    }
    return false;
}

static void post_job(weir_program *program, lane *l, const entry *what, void *const *args, const weir_frame_values *values)
{
    uint64_t wanted = (uint64_t)program->device->worker_count * CHUNKS_PER_WORKER;
    if (wanted > CHUNKS_MOST)
        wanted = CHUNKS_MOST;
    uint64_t in_chunk = (what->blocks + wanted - 1) / wanted, count = (what->blocks + in_chunk - 1) / in_chunk;
    l->job = (job){what, args, values, in_chunk, is_watched(program) ? weir_clock_ns() : 0};
    unsigned long long generation = (atomic_load_explicit(&l->chunks, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&l->chunks_left, (unsigned)count, memory_order_relaxed);
    atomic_store_explicit(&l->chunks, generation << 32 | count << 16, memory_order_release);
    weir_host_ring(program->device);
}

/* ---- lanes ---- */

static bool passes_over(const weir_program *program, const entry *what, const weir_frame_values *values)
{
    return values->number >= atomic_load_explicit(&program->failed, memory_order_relaxed) || weir_task_is_off(values, what->task);
}

/* Calls the code of an entry that is not shared out. Now and then, and always when watched, it is timed: a brief task is not worth
 * waking anybody before it, see run_lane. */
static void run_alone(worker *self, weir_program *program, lane *l, entry *what, void *const *args)
{
    bool watched = is_watched(program), timed = watched || l->frame % FRAMES_BETWEEN_TIMINGS == 0;
    weir_task_span span = {timed ? weir_clock_ns() : 0, 0};
    weir_status status = call_blocks(self, program, what, args, 0, what->blocks);
    if (timed) {
        span.end_ns = weir_clock_ns();
        what->brief = what->kind != WEIR_KIND_HOST && what->kind != WEIR_KIND_NATIVE && span.end_ns - span.start_ns < BRIEF_NS;
    }
    if (watched)
        note_span(self, program, l, what, WEIR_TRACE_WHOLE, span);
    judge(program, l->frame, what->task, status);
}

/* Runs the taker's next entry, which is ready. False if the lane is no longer the caller's: others finish the entry. */
static bool run_next(worker *self, weir_program *program, lane *l)
{
    entry *what = &l->entries[l->next];
    const weir_frame_values *values = program->flights[l->frame % program->frames].values;
    if (!passes_over(program, what, values)) {
        void *const *args = arguments(program, l, what, values);
        if (what->shared && program->device->worker_count > 1) {
            bool did = false;
            post_job(program, l, what, args, values);
            return work_on_job(self, program, l, &did);
        }
        run_alone(self, program, l, what, args);
    } else if (program->image->spans) {
        program->image->spans[l->frame % program->frames * program->plan->tasks + what->task] = (weir_task_span){0, 0};
    }
    finish_entry(program, l);
    return true;
}

static bool take(lane *l)
{
    unsigned free = 0;
    return atomic_load_explicit(&l->taken, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong_explicit(&l->taken, &free, 1, memory_order_acquire, memory_order_relaxed);
}

/* As next_is_ready, for one who does not hold the lane and asks for the entry it had when he did. */
static bool became_ready(const weir_program *program, const lane *l, uint64_t frame, const entry *what)
{
    if (frame >= atomic_load_explicit(&program->submitted, memory_order_acquire))
        return false;
    const lane_wait *w = program->waits + what->wait_first;
    for (uint32_t i = 0; i < what->wait_count; i++, w++) {
        const lane *other = &program->lanes[w->lane];
        if (frame >= w->distance && atomic_load_explicit(&other->done, memory_order_acquire) <= (frame - w->distance) * other->count + w->position)
            return false;
    }
    return atomic_load_explicit(&l->taken, memory_order_relaxed) == 0;
}

typedef struct {
    bool ran;  /* any entry */
    bool mine; /* the lane is still the caller's */
    bool more; /* it could go on */
    bool owes; /* the bell, to those that wait for what was run */
} turn;

static bool is_brief(const lane *l)
{
    return l->entries[l->next].brief && l->frame >= l->slow_until;
}

/* Runs entries as long as they are ready, but no more than a turn's: other lanes and programs come round too. Entries that others wait for
 * may let a sleeper go on, but waking one takes longer than many tasks: the bell is owed until a task comes that is not brief, or
 * enough of them have passed, or the turn ends. */
static turn run_turn(worker *self, weir_program *program, lane *l)
{
    int64_t start = weir_clock_ns();
    const uint64_t frame = l->frame;
    unsigned owed = 0, entries = 0;
    bool mine = true, more = false;
    while (mine && next_is_ready(program, l)) {
        more = entries == TURN_ENTRIES || l->frame != frame;
        if (more)
            break;
        if (owed > OWED_MOST || (owed > 0 && !is_brief(l))) {
            weir_host_ring(program->device);
            owed = 0;
        }
        owed += l->entries[l->next].records;
        entries++;
        mine = run_next(self, program, l);
    }
    if (mine && entries > 0 && weir_clock_ns() - start > (int64_t)BRIEF_NS * entries) /* what was brief once is no more */
        l->slow_until = l->frame + FRAMES_BETWEEN_TIMINGS;
    return (turn){.ran = entries > 0, .mine = mine, .more = more, .owes = owed > 0};
}

/* Runs a turn of the lane, which the caller has taken, and lets go of it. True if any entry was run. */
static bool run_lane(worker *self, weir_program *program, lane *l)
{
    bool ran = false;
    for (;;) {
        turn t = run_turn(self, program, l);
        ran = ran || t.ran;
        if (!t.mine)
            return ran;
        uint64_t frame = l->frame;
        const entry *what = &l->entries[l->next];
        atomic_store_explicit(&l->taken, 0, memory_order_release);
        /* What it waits for may have come while others still saw the lane taken, and went to sleep. */
        weir_full_fence();
        if (t.more || t.owes)
            weir_host_ring(program->device); /* now that the lane can be had */
        if (t.more || !became_ready(program, l, frame, what) || !take(l))
            return ran;
    }
}

/* Frames of a plan without tasks are done when somebody says so. */
static bool tell_empty_frames(weir_program *program)
{
    unsigned long long told = atomic_load(&program->told);
    while (told < atomic_load_explicit(&program->submitted, memory_order_acquire))
        if (atomic_compare_exchange_weak(&program->told, &told, told + 1)) {
            program->image->reports.frame_done(program->image->reports.user, told);
            return true;
        }
    return false;
}

bool weir_host_visit(worker *self, weir_program *program)
{
    bool did = program->busy_lanes == 0 && tell_empty_frames(program);
    for (uint32_t i = 0, k = self->number % program->lane_count; i < program->lane_count; i++) { /* its own lanes first */
        lane *l = &program->lanes[k];
        if ((has_chunks(l) && work_on_job(self, program, l, &did)) || (l->count > 0 && take(l)))
            did = run_lane(self, program, l) || did;
        k += program->device->worker_count;
        if (k >= program->lane_count)
            k = (k + 1) % program->device->worker_count % program->lane_count;
    }
    return did;
}

/* How a lane ranks in a frame of a shuffled run. In most frames the ready lane of the lowest rank runs, which keeps some lanes back as
 * long as waits allow (Burckhardt et al., ASPLOS 2010, show why: an order that needs one task to be late is then as likely as
 * that task's lane is to rank last). In the others the next lane is drawn at each step. */
static uint64_t rank_of(worker *self, const lane *l)
{
    uint64_t of_frame = self->seed + l->frame;
    if (weir_random_below(&of_frame, 8) == 0)
        return weir_random_next(&self->random);
    uint64_t of_lane = of_frame ^ (uint64_t)l->number << 32;
    return weir_random_next(&of_lane);
}

bool weir_host_visit_at_random(worker *self, weir_program *program)
{
    lane *chosen = NULL;
    uint64_t lowest = 0;
    if (program->busy_lanes == 0)
        return tell_empty_frames(program);
    /* Read once: a frame submitted in the middle of the look would be there for some lanes only, and the order one of timing. */
    uint64_t submitted = atomic_load_explicit(&program->submitted, memory_order_acquire);
    for (uint32_t k = 0; k < program->lane_count; k++) {
        lane *l = &program->lanes[k];
        if (l->count == 0 || l->frame >= submitted || !next_is_ready(program, l))
            continue;
        uint64_t rank = rank_of(self, l);
        if (!chosen || rank < lowest) {
            chosen = l;
            lowest = rank;
        }
    }
    if (chosen)
        run_next(self, program, chosen);
    return chosen != NULL;
}
