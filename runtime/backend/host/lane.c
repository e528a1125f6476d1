/* lane.c - what a worker does with one program: looks whose turn it is, takes lanes that are free and runs them as long as they are ready. The design
 * stands in device.h. */
#include "backend/host/device.h"
#include "util/clock.h"
#include "util/fence.h"
#include "util/random.h"

enum { OWED_MOST = 64, TURN_ENTRIES = 512 };

/* ---- whose turn it is ---- */

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

/* Of the frame that the lane's next entry is to run in, which has been submitted. */
static const weir_frame_values *values_of(const weir_program *program, const lane *l)
{
    return program->flights[l->frame % program->frames].values;
}

/* ---- turns ---- */

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
    const weir_frame_values *values = NULL; /* once it is known to be submitted */
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
        const entry *what = &l->entries[l->next];
        if (entries++ == 0)
            values = values_of(program, l);
        mine = weir_host_run_next(self, program, l, values);
        if (mine && l->depth == 0) /* else it is in the middle of a loop or branch, and nothing is finished */
            owed += what->records;
    }
    if (mine && entries > 0 && weir_clock_ns() - start > (int64_t)WEIR_HOST_BRIEF_NS * entries) /* what was brief once is no more */
        l->slow_until = l->frame + WEIR_HOST_FRAMES_BETWEEN_TIMINGS;
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
        if ((weir_host_has_chunks(l) && weir_host_help(self, program, l, &did)) || (l->count > 0 && take(l)))
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
        weir_host_run_next(self, program, chosen, values_of(program, chosen));
    return chosen != NULL;
}
