/* priority.c - the policy "priority": list scheduling on the predicted timeline. Whenever a lane falls free, of the tasks of its
 * band that are ready then it gets the one of most urgent user priority, then of longest remaining path, then of lowest number.
 * No lane is idle while a task of its band is ready, so with one band a frame takes at most critical path + work / lanes.
 *
 * Where several lanes are free, a task goes to that of the predecessor in its band that finished last, which saves a wait; the
 * tasks that start at one moment choose together, so that none takes by chance the lane another would save a wait in. */
#include "plan/policy.h"
#include "util/memory.h"
#include "util/status.h"
#include "util/vector.h"
#include <string.h>

weir_place_fn weir_place_priority;

enum { NO_LANE = UINT16_MAX };

/* Priority (32 bits), length of the remaining path (63, the longer the smaller), task (32) as one number of two words: smaller goes
 * first. Numbers are compared without branches, which a processor would guess wrong half the time. */
typedef struct {
    uint64_t high, low;
} candidate;

typedef struct {
    WEIR_VECTOR(candidate) ready; /* a heap, four children a node: they share a cache line */
    uint32_t idle;                /* lanes of the band that are free */
} queue;

typedef struct {
    double end_ns;
    uint32_t lane;
} busy_lane;

typedef struct {
    const weir_policy_input *in;
    uint32_t *order, placed;
    uint16_t *lane;    /* of a task not yet placed: the lane it would like, or NO_LANE */
    uint32_t *pending; /* task -> predecessors that are not done */
    queue *queues;     /* band -> */
    busy_lane *busy;   /* a heap by end, then by lane */
    uint32_t busy_count;
    uint32_t *running;   /* lane -> its task */
    unsigned char *idle; /* lane -> 1 if free */
    uint32_t *chosen;    /* lanes: those who start at one moment */
} schedule;

static inline candidate candidate_of(int32_t priority, double tail_ns, uint32_t task)
{
    uint64_t bits;
    memcpy(&bits, &tail_ns, sizeof bits); /* of numbers that are not negative, the bits are in the order of the numbers */
    bits = INT64_MAX - bits;
    return (candidate){(uint64_t)((uint32_t)priority ^ 0x80000000u) << 32 | bits >> 31, (bits & 0x7fffffffu) << 32 | task};
}

static inline bool more_urgent(const candidate *a, const candidate *b)
{
    return (a->high < b->high) | ((a->high == b->high) & (a->low < b->low));
}

/* Puts `added` where `at` is empty, or above. */
static inline void rise(candidate *heap, size_t at, candidate added)
{
    while (at > 0 && more_urgent(&added, &heap[(at - 1) / 4])) {
        heap[at] = heap[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    heap[at] = added;
}

static bool make_ready(schedule *s, uint32_t task)
{
    queue *q = &s->queues[weir_band_of(s->in->bands, task)];
    if (!weir_vector_reserve(&q->ready, 1))
        return false;
    const weir_work *work = s->in->work;
    candidate added = candidate_of(work->priority ? work->priority[task] : 0, s->in->tail_ns[task], task);
    rise(q->ready.at, q->ready.count++, added);
    return true;
}

/* The hole that the first leaves sinks to the bottom, where the last fills it: that one came from there, and rarely rises far. */
static uint32_t take_most_urgent(queue *q)
{
    candidate *heap = q->ready.at;
    const uint32_t taken = (uint32_t)heap[0].low;
    const size_t count = --q->ready.count;
    size_t hole = 0, child = 1;
    for (; child + 3 < count; child = 4 * hole + 1) {
        size_t a = child + more_urgent(&heap[child + 1], &heap[child]), b = child + 2 + more_urgent(&heap[child + 3], &heap[child + 2]);
        size_t best = more_urgent(&heap[b], &heap[a]) ? b : a;
        heap[hole] = heap[best];
        hole = best;
    }
    if (child < count) {
        size_t best = child;
        while (++child < count)
            best = more_urgent(&heap[child], &heap[best]) ? child : best;
        heap[hole] = heap[best];
        hole = best;
    }
    rise(heap, hole, heap[count]);
    return taken;
}

static inline bool ends_sooner(const busy_lane *a, const busy_lane *b)
{
    return a->end_ns < b->end_ns || (!(a->end_ns > b->end_ns) && a->lane < b->lane);
}

static void push_busy(schedule *s, busy_lane added)
{
    uint32_t at = s->busy_count++;
    while (at > 0 && ends_sooner(&added, &s->busy[(at - 1) / 2])) {
        s->busy[at] = s->busy[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->busy[at] = added;
}

static uint32_t take_soonest(schedule *s)
{
    uint32_t taken = s->busy[0].lane, count = --s->busy_count, at = 0;
    busy_lane moved = s->busy[count];
    for (uint32_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && ends_sooner(&s->busy[child + 1], &s->busy[child]))
            child++;
        if (!ends_sooner(&s->busy[child], &moved))
            break;
        s->busy[at] = s->busy[child];
        at = child;
    }
    s->busy[at] = moved;
    return taken;
}

static void start(schedule *s, uint32_t task, uint32_t lane, double now_ns)
{
    s->lane[task] = (uint16_t)lane;
    s->running[lane] = task;
    s->idle[lane] = 0;
    push_busy(s, (busy_lane){now_ns + (double)s->in->work->cost_ns[task], lane});
}

static void start_all_that_can(schedule *s, uint32_t band, double now_ns)
{
    queue *q = &s->queues[band];
    uint32_t count = 0, unsettled = 0;
    while (q->idle > 0 && q->ready.count > 0) {
        uint32_t task = take_most_urgent(q);
        s->order[s->placed++] = s->chosen[count++] = task;
        q->idle--;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t task = s->chosen[i], liked = s->lane[task];
        if (liked != NO_LANE && s->idle[liked])
            start(s, task, liked, now_ns);
        else
            s->chosen[unsettled++] = task;
    }
    const unsigned char *lanes = s->idle + s->in->bands->lane_first[band];
    for (uint32_t i = 0; i < unsettled; i++) {
        lanes = memchr(lanes, 1, (size_t)(s->idle + s->in->bands->lane_first[band + 1] - lanes));
        start(s, s->chosen[i], (uint32_t)(lanes - s->idle), now_ns);
    }
}

static bool finish(schedule *s, uint32_t lane)
{
    const weir_dag *dag = s->in->dag;
    const weir_bands *bands = s->in->bands;
    uint32_t task = s->running[lane], band = weir_band_of(bands, task);
    s->idle[lane] = 1;
    s->queues[band].idle++;
    for (uint32_t e = dag->succ_first[task]; e < dag->succ_first[task + 1]; e++) {
        uint32_t later = dag->succ[e];
        if (weir_band_of(bands, later) == band)
            s->lane[later] = (uint16_t)lane;
        if (--s->pending[later] == 0 && !make_ready(s, later))
            return false;
    }
    return true;
}

static bool run(schedule *s)
{
    double now_ns = 0;
    for (uint32_t t = 0; t < s->in->dag->tasks; t++)
        if (s->pending[t] == 0 && !make_ready(s, t))
            return false;
    for (;;) {
        for (uint32_t b = 0; b < s->in->bands->count; b++)
            start_all_that_can(s, b, now_ns);
        if (s->busy_count == 0)
            return true;
        now_ns = s->busy[0].end_ns;
        while (s->busy_count > 0 && s->busy[0].end_ns <= now_ns)
            if (!finish(s, take_soonest(s)))
                return false;
    }
}

static bool prepare(schedule *s)
{
    const weir_dag *dag = s->in->dag;
    const weir_bands *bands = s->in->bands;
    s->pending = weir_alloc(dag->tasks, sizeof *s->pending);
    s->queues = weir_alloc(bands->count, sizeof *s->queues);
    s->busy = weir_alloc(bands->lanes, sizeof *s->busy);
    s->running = weir_alloc(bands->lanes, sizeof *s->running);
    s->idle = weir_alloc(bands->lanes, sizeof *s->idle);
    s->chosen = weir_alloc(bands->lanes, sizeof *s->chosen);
    if (!s->pending || !s->queues || !s->busy || !s->running || !s->idle || !s->chosen)
        return false;
    for (uint32_t t = 0; t < dag->tasks; t++) {
        s->pending[t] = dag->pred_first[t + 1] - dag->pred_first[t];
        s->lane[t] = NO_LANE;
    }
    for (uint32_t b = 0; b < bands->count; b++)
        s->queues[b].idle = bands->lane_first[b + 1] - bands->lane_first[b];
    memset(s->idle, 1, bands->lanes);
    return true;
}

weir_status weir_place_priority(const weir_policy_input *in, uint32_t *order, uint16_t *lane)
{
    schedule s = {.in = in, .order = order, .lane = lane};
    bool enough = prepare(&s) && run(&s);
    for (uint32_t b = 0; s.queues && b < in->bands->count; b++)
        weir_vector_finish(&s.queues[b].ready);
    weir_free(s.pending);
    weir_free(s.queues);
    weir_free(s.busy);
    weir_free(s.running);
    weir_free(s.idle);
    weir_free(s.chosen);
    return enough ? WEIR_OK : weir_fail_no_memory();
}
