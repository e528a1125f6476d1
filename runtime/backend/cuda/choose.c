/* choose.c - mode auto.
 *
 * Candidates are the graph by its edges alone, and with the order of 1, 2, 4 ... lanes added, as far as the graph is that wide. They take turns
 * of several frames, since a graph that is launched again while it runs may behave unlike one that comes after another; the first frame of a
 * turn is not counted, unless frames overlap. After a turn each the best three have another, longer one, then the best two; then it is settled,
 * after 64 frames at most. A frame's time is that from the end of the one before to its own, or from its launch, if that was later: alone it holds what launching costs
 * the host, and behind or beside others how long it keeps the next one waiting, so what is measured is how the program itself launches.
 * What counts is the median of a candidate's times.
 *
 * Where frames overlap it is their mean, in the last round alone: a turn begins when the one before it has ended, its frames end close together, and
 * the first of them has the time of all. A turn then has at least as many frames as can be in flight, or less of the device would be shared than will
 * be later; after each round as many pass before it is known how the last ones did; so there are two rounds, or one, and with very many in flight not
 * all candidates.
 *
 * Graphs are made when their turn comes, so making the exec takes little. The first frame runs lane by lane, unless this device has shown that
 * making a graph takes less.
 *
 * Those that lost go when no frame in flight can be one of theirs. */
#include "backend/cuda/choose.h"
#include "backend/cuda/slot.h"
#include "plan/paths.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MOST = 7, ROUNDS_MOST = 3, SAMPLES_MOST = 24, FRAMES_MOST = 64, NO_CANDIDATE = -1 };

/* How many candidates are left in it, and how many frames a turn has. */
typedef struct {
    uint32_t left, turn;
} round_length;

/* 7 * 4 + 3 * 6 + 2 * 8 = 62. */
static const round_length one_by_one[ROUNDS_MOST] = {{CANDIDATES_MOST, 4}, {3, 6}, {2, 8}};

typedef struct {
    uint32_t lanes;      /* 0: edges alone */
    weir_plan *plan;     /* of those lanes */
    replay *replay;      /* NULL: not made yet, or gone */
    bool out;            /* it lost, or could not be made */
    float us[SAMPLES_MOST];
    uint32_t samples, awaited; /* times known; frames that are measured and have not ended */
    uint32_t of_round;   /* times from this one on are of its last turn, where frames overlap */
    atomic_uint frames;  /* launched so */
} candidate;

typedef struct choice {
    pthread_mutex_t lock; /* guards samples, awaited, settled and `out`: a leaf */
    candidate candidates[CANDIDATES_MOST];
    uint32_t count;
    round_length rounds[ROUNDS_MOST];
    uint32_t round_count;
    bool overlap; /* frames may run beside each other */
    bool from_first; /* frame 0 was launched as a candidate */
    bool settled;
    /* Of whoever submits: */
    uint32_t round, turn, frame_of_turn;
    uint32_t last_of_round;  /* the candidate whose turn is the round's last */
    uint32_t latest;         /* as which a frame was last launched */
    uint32_t best;
    uint64_t last_of_others; /* frame that was launched as another than the best */
    bool others_gone;
    cudaEvent_t *events;     /* two a frame in flight and one more: each is measured from the one before */
} choice;

/* ---- what there is to choose among ---- */

/* The tasks of the widest level. */
static weir_status find_width(const weir_plan *plan, uint32_t *width)
{
    const weir_dag dag = {.tasks = plan->tasks, .pred_first = plan->pred_first, .pred = plan->pred, .order = plan->order};
    weir_levels levels = {0};
    weir_status status = weir_levels_create(&dag, &levels);
    *width = levels.width;
    weir_levels_finish(&levels);
    return status;
}

bool weir_cuda_choice_is_free(const weir_program *program, uint32_t slot_number, uint64_t frame)
{
    const choice *c = program->choice;
    for (uint32_t i = 0; c && i < c->count; i++)
        if (c->candidates[i].replay && c->candidates[i].replay->slots[slot_number].free_from > frame)
            return false;
    return true;
}

static uint32_t event_count(const weir_program *p)
{
    return 2 * (p->frames + 1);
}

/* Of that frame's launch: before it, and behind it. */
static cudaEvent_t *events_of(const weir_program *p, uint64_t frame)
{
    return p->choice->events + 2 * (frame % (p->frames + 1));
}

static weir_status make_events(const weir_program *p, choice *c)
{
    weir_status status = WEIR_OK;
    c->events = weir_alloc(event_count(p), sizeof(cudaEvent_t));
    if (!c->events)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < event_count(p) && status == WEIR_OK; i++)
        status = weir_cuda_status(cudaEventCreateWithFlags(&c->events[i], cudaEventDefault), "cudaEventCreateWithFlags");
    return status;
}

/* Else its first launch would do it, and count as time of a frame. Where frames of its number are launched. */
static void upload(const weir_program *p, const slot *s)
{
    const cudaStream_t stream = p->streams[p->in_turn ? 0 : s->number % p->frames];
    if (s->exec && cudaGraphUpload(s->exec, stream) != cudaSuccess)
        (void)cudaGetLastError(); /* the launch will say it */
}

void weir_cuda_choice_remade(const weir_program *program, const slot *s)
{
    if (program->choice && !program->choice->settled)
        upload(program, s);
}

/* Its graphs. What that took tells whether the next program's first frame had better be launched lane by lane. */
static weir_status make_replay(weir_program *p, candidate *c)
{
    int64_t start = weir_clock_ns();
    weir_status status = c->lanes > 0 ? weir_plan_again(p->plan, c->lanes, &c->plan) : WEIR_OK;
    if (status == WEIR_OK)
        status = weir_cuda_replay_make(p, &(replay_way){.lanes = c->plan}, &c->replay);
    for (uint32_t i = 0; status == WEIR_OK && i < c->replay->count; i++)
        upload(p, &c->replay->slots[i]);
    if (status == WEIR_OK && p->plan->tasks > 0)
        atomic_store(&p->device->make_ns, (uint64_t)(weir_clock_ns() - start) / p->plan->tasks + 1);
    return status;
}

/* Natives may be refused, and loops would need graphs of their own for a frame lane by lane. */
static bool is_made_at_once(const weir_program *p)
{
    bool at_once = p->root.control_count > 0;
    for (uint32_t t = 0; t < p->plan->tasks && !at_once; t++)
        at_once = p->plan->body->tasks.at[t].kind == WEIR_KIND_NATIVE;
    return at_once;
}

/* The widest ones go first as long as that many frames of them have more lanes than a device has room for graphs' kernels, then the narrowest. */
static void leave_out(choice *c, uint32_t most, uint32_t in_flight)
{
    enum { AT_ONCE_MOST = 128 };
    while (c->count > most && c->count > 1) {
        bool widest = c->candidates[c->count - 1].lanes * in_flight > AT_ONCE_MOST;
        if (!widest)
            memmove(&c->candidates[1], &c->candidates[2], (c->count - 2) * sizeof *c->candidates);
        memset(&c->candidates[--c->count], 0, sizeof *c->candidates);
    }
}

/* The first frame may be launched lane by lane. What is known of a frame is known when the one that takes its place may begin. */
static void plan_rounds(choice *c, uint32_t in_flight)
{
    enum { TURN_LEAST = 4, LAST_LEFT = 2, LAST_TURN_MOST = 12 };
    const uint32_t unknown = in_flight - 1, room = FRAMES_MOST - 1 > unknown ? FRAMES_MOST - 1 - unknown : 0;
    uint32_t turn = in_flight > TURN_LEAST ? in_flight : TURN_LEAST;
    if (!c->overlap) {
        memcpy(c->rounds, one_by_one, sizeof one_by_one);
        c->round_count = ROUNDS_MOST;
        return;
    }
    leave_out(c, room / turn > 1 ? room / turn : 1, in_flight);
    uint32_t rest = room - (room < c->count * turn ? room : c->count * turn), last = rest > unknown ? (rest - unknown) / LAST_LEFT : 0;
    if (c->count > LAST_LEFT && last >= turn) {
        c->rounds[1] = (round_length){LAST_LEFT, last < LAST_TURN_MOST ? last : LAST_TURN_MOST};
        c->round_count = 2;
    } else {
        turn = room / c->count > turn ? room / c->count : turn;
        c->round_count = 1;
    }
    c->rounds[0] = (round_length){c->count, turn < SAMPLES_MOST ? turn : SAMPLES_MOST};
}

weir_status weir_cuda_choice_make(weir_program *program)
{
    choice *c = program->choice = weir_alloc(1, sizeof *c);
    uint32_t width = 0;
    if (!c)
        return weir_fail_no_memory();
    pthread_mutex_init(&c->lock, NULL);
    weir_status status = find_width(program->plan, &width);
    if (status != WEIR_OK)
        return status;
    c->count = 1; /* its edges alone */
    for (uint32_t lanes = 1; lanes <= width && width > 1 && c->count < CANDIDATES_MOST; lanes *= 2)
        c->candidates[c->count++].lanes = lanes;
    c->overlap = program->frames > 1 && !program->in_turn;
    plan_rounds(c, program->frames);
    c->last_of_round = c->count - 1;
    status = make_events(program, c);
    if (status == WEIR_OK && is_made_at_once(program))
        status = make_replay(program, &c->candidates[0]);
    return status;
}

/* What lost goes, or there would soon be nothing else for programs to come. */
static void drop(candidate *c, bool leave)
{
    weir_cuda_replay_finish(c->replay, leave);
    weir_plan_destroy(c->plan);
    c->replay = NULL;
    c->plan = NULL;
}

void weir_cuda_choice_finish(weir_program *program)
{
    choice *c = program->choice;
    if (!c)
        return;
    for (uint32_t i = 0; i < c->count; i++)
        drop(&c->candidates[i], c->settled && i == c->best);
    for (uint32_t i = 0; c->events && i < event_count(program); i++)
        if (c->events[i])
            (void)cudaEventDestroy(c->events[i]);
    weir_free(c->events);
    pthread_mutex_destroy(&c->lock);
    weir_free(c);
}

/* ---- judging, with the lock held ---- */

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Of its last turn, or, as long as nothing is known of that, of those before. */
static double mean_us(const candidate *c)
{
    const uint32_t from = c->of_round < c->samples ? c->of_round : 0;
    double sum = 0;
    for (uint32_t i = from; i < c->samples; i++)
        sum += c->us[i];
    return sum > 0 ? sum / (c->samples - from) : 0;
}

/* INFINITY: nothing is known of it. */
static double typical_us(const choice *all, const candidate *c)
{
    float sorted[SAMPLES_MOST];
    if (c->samples == 0)
        return INFINITY;
    if (all->overlap)
        return mean_us(c);
    memcpy(sorted, c->us, c->samples * sizeof *sorted);
    qsort(sorted, c->samples, sizeof *sorted, compare_floats);
    return sorted[c->samples / 2];
}

static uint32_t best_of(const choice *c)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < c->count; i++)
        if (c->candidates[best].out || (!c->candidates[i].out && typical_us(c, &c->candidates[i]) < typical_us(c, &c->candidates[best])))
            best = i;
    return best;
}

static uint32_t still_in(const choice *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        count += !c->candidates[i].out;
    return count;
}

static void keep_best(choice *c, uint32_t most)
{
    while (still_in(c) > most) {
        uint32_t worst = UINT32_MAX;
        for (uint32_t i = 0; i < c->count; i++)
            if (!c->candidates[i].out && (worst == UINT32_MAX || typical_us(c, &c->candidates[i]) >= typical_us(c, &c->candidates[worst])))
                worst = i;
        c->candidates[worst].out = true;
    }
}

static bool is_any_awaited(const choice *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->candidates[i].awaited > 0)
            return true;
    return false;
}

/* ---- settling ---- */

static const char *way_of(const candidate *c, char *room, size_t bytes)
{
    if (c->lanes == 0)
        return "its edges alone";
    snprintf(room, bytes, "the order of %u lane%s", c->lanes, c->lanes > 1 ? "s" : "");
    return room;
}

static void say(const weir_program *p, const choice *c, uint64_t frames)
{
    char text[512] = "", room[64];
    size_t used = 0;
    for (uint32_t i = 0; i < c->count && used < sizeof text; i++) {
        const candidate *one = &c->candidates[i];
        int wrote = one->samples > 0 ? snprintf(text + used, sizeof text - used, "%s%s %.1f us", used > 0 ? ", " : "", way_of(one, room, sizeof room), typical_us(c, one))
                                     : snprintf(text + used, sizeof text - used, "%s%s unmeasured", used > 0 ? ", " : "", way_of(one, room, sizeof room));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    weir_log(WEIR_LOG_INFO, "graph '%s' replays by %s, chosen with its first %llu frames: %s", p->plan->body->name,
             way_of(&c->candidates[c->best], room, sizeof room), (unsigned long long)frames, text);
}

/* With the lock held. */
static void settle(weir_program *p, choice *c, uint64_t frames)
{
    c->best = best_of(c);
    c->settled = true;
    p->replay = c->candidates[c->best].replay;
    say(p, c, frames);
}

/* A frame's place is taken again when it is done, so all of number - F and before are. */
static void drop_others(const weir_program *p, choice *c, uint64_t number)
{
    if (c->others_gone || number < c->last_of_others + p->frames)
        return;
    entered before = weir_cuda_enter(p->device);
    for (uint32_t i = 0; i < c->count; i++)
        if (i != c->best)
            drop(&c->candidates[i], false);
    weir_cuda_leave(p->device, before);
    c->others_gone = true;
}

/* ---- whose turn it is ---- */

static bool is_made(weir_program *p, choice *c, candidate *one)
{
    if (one->replay)
        return true;
    entered before = weir_cuda_enter(p->device);
    weir_status status = make_replay(p, one);
    weir_cuda_leave(p->device, before);
    if (status == WEIR_OK)
        return true;
    char room[64];
    weir_log(WEIR_LOG_WARN, "graph '%s' cannot be replayed by %s: %s", p->plan->body->name, way_of(one, room, sizeof room), weir_last_error());
    drop(one, false);
    pthread_mutex_lock(&c->lock);
    one->out = true;
    pthread_mutex_unlock(&c->lock);
    return false;
}

/* Of those that are still in, the next one behind `i`, all around. */
static uint32_t next_in(const choice *c, uint32_t i)
{
    do
        i = (i + 1) % c->count;
    while (c->candidates[i].out);
    return i;
}

/* The one that frames were launched as just now has its turn last, or it would begin in the midst of its own. */
static void begin_round(choice *c)
{
    c->last_of_round = c->candidates[c->latest].out ? next_in(c, c->latest) : c->latest;
    c->turn = next_in(c, c->last_of_round);
    c->frame_of_turn = 0;
}

/* Moves on to the next candidate that is still in, or the next round, or settles it. With the lock held. False: times are still awaited. */
static bool next_turn(weir_program *p, choice *c, uint64_t number)
{
    const uint32_t turn = c->rounds[c->round].turn;
    if (c->frame_of_turn < turn && !c->candidates[c->turn].out)
        return true;
    while (c->turn != c->last_of_round) {
        c->turn = (c->turn + 1) % c->count;
        c->frame_of_turn = 0;
        if (!c->candidates[c->turn].out)
            return true;
    }
    c->frame_of_turn = turn; /* the round is over, once its times are known */
    if (is_any_awaited(c))
        return false;
    while (c->round + 1 < c->round_count) {
        c->round++;
        uint32_t before = still_in(c);
        keep_best(c, c->rounds[c->round].left);
        if (before <= 1)
            break;
        begin_round(c);
        return true;
    }
    settle(p, c, number);
    return true;
}

/* The candidate that this frame is launched as. *measured: and its time is wanted. */
static uint32_t take_turn(weir_program *p, choice *c, uint64_t number, bool *measured)
{
    pthread_mutex_lock(&c->lock);
    *measured = false;
    if (still_in(c) <= 1 || number >= FRAMES_MOST)
        settle(p, c, number);
    bool known = c->settled || next_turn(p, c, number);
    uint32_t chosen = c->settled ? c->best : known ? c->turn : best_of(c);
    candidate *one = &c->candidates[chosen];
    if (known && !c->settled) {
        if (c->overlap && c->frame_of_turn == 0)
            one->of_round = one->samples;
        *measured = (c->overlap || c->frame_of_turn > 0) && one->samples + one->awaited < SAMPLES_MOST;
        c->frame_of_turn++;
        one->awaited += *measured;
    }
    pthread_mutex_unlock(&c->lock);
    return chosen;
}

/* Launching lane by lane has this device shown to take longer than making a graph; or it has shown neither. */
static bool is_eager_first(weir_program *p, const choice *c)
{
    uint64_t make = atomic_load(&p->device->make_ns), lanes = atomic_load(&p->device->lanes_ns);
    return !c->candidates[0].replay && (make == 0 || lanes == 0 || lanes < make * p->slots);
}

static void untake(choice *c, uint32_t chosen, bool measured)
{
    pthread_mutex_lock(&c->lock);
    c->candidates[chosen].awaited -= measured;
    pthread_mutex_unlock(&c->lock);
}

slot *weir_cuda_choice_next(weir_program *program, flight *f, const weir_frame_values *values)
{
    choice *c = program->choice;
    f->candidate = NO_CANDIDATE;
    if (values->number == 0 && is_eager_first(program, c))
        return NULL;
    c->from_first |= values->number == 0;
    for (bool measured = false;;) {
        uint32_t chosen = c->settled ? c->best : take_turn(program, c, values->number, &measured);
        if (!is_made(program, c, &c->candidates[chosen])) {
            untake(c, chosen, measured);
            if (c->settled || still_in(c) == 0)
                return NULL; /* no way can be made: lane by lane, and the next frame tries again */
            continue;
        }
        if (c->settled) {
            program->replay = c->candidates[chosen].replay;
            drop_others(program, c, values->number);
        } else if (c->last_of_others < values->number) {
            c->last_of_others = values->number;
        }
        c->latest = chosen;
        if (measured)
            f->candidate = (int)chosen;
        atomic_fetch_add_explicit(&c->candidates[chosen].frames, 1, memory_order_relaxed);
        return weir_cuda_slot_choose(c->candidates[chosen].replay, values);
    }
}

/* ---- measuring ---- */

/* Also of frames that are not measured: the next one may be. */
static void record(const weir_program *p, const flight *f, uint32_t which)
{
    if (!p->choice->settled)
        (void)cudaEventRecord(events_of(p, f->number)[which], p->streams[weir_flight_stream(f)]);
}

/* Of its turn's first the frame before was launched as another, and ended before this one began. One that was launched lane by lane has no events.
 * Frames that overlap may end out of order: then one has less than no time, so that all of a turn add up. */
static cudaError_t measure(const weir_program *p, const flight *f, float *ms)
{
    const cudaEvent_t *events = events_of(p, f->number), *before = events_of(p, f->number - 1);
    float since_launch = 0, since_end = 0;
    cudaError_t result = cudaEventElapsedTime(&since_launch, events[0], events[1]);
    bool first = p->frames == 1 || f->number == 0 || (f->number == 1 && !p->choice->from_first);
    if (result == cudaSuccess && !first)
        result = cudaEventElapsedTime(&since_end, before[1], events[1]);
    *ms = first || since_launch < since_end ? since_launch : since_end;
    return result;
}

void weir_cuda_choice_begin(const weir_program *program, const flight *f)
{
    record(program, f, 0);
}

void weir_cuda_choice_end(const weir_program *program, const flight *f)
{
    record(program, f, 1);
}

void weir_cuda_choice_launched(weir_program *program, int64_t ns)
{
    if (program->plan->tasks > 0)
        atomic_store(&program->device->lanes_ns, (uint64_t)ns / program->plan->tasks + 1);
}

void weir_cuda_choice_note(weir_program *program, flight *f)
{
    choice *c = program->choice;
    float ms = 0;
    if (!c || f->candidate == NO_CANDIDATE)
        return;
    bool known = !f->lost && f->error == cudaSuccess && measure(program, f, &ms) == cudaSuccess;
    pthread_mutex_lock(&c->lock);
    candidate *one = &c->candidates[f->candidate];
    one->awaited--;
    if (known && one->samples < SAMPLES_MOST)
        one->us[one->samples++] = ms * 1000;
    pthread_mutex_unlock(&c->lock);
    if (!known)
        (void)cudaGetLastError();
}

/* ---- telling ---- */

bool weir_cuda_choice_is_open(const weir_program *program)
{
    choice *c = program->choice;
    if (!c)
        return false;
    pthread_mutex_lock(&c->lock);
    bool open = !c->settled;
    pthread_mutex_unlock(&c->lock);
    return open;
}

uint32_t weir_cuda_candidates(const weir_program *program, weir_candidate *out, uint32_t room)
{
    choice *c = program->choice;
    if (!c)
        return 0;
    pthread_mutex_lock(&c->lock);
    for (uint32_t i = 0; i < c->count && i < room; i++) {
        const candidate *one = &c->candidates[i];
        out[i] = (weir_candidate){
            .mode = "replay",
            .replay_lanes = one->lanes,
            .frames = atomic_load_explicit(&((candidate *)one)->frames, memory_order_relaxed),
            .frame_ns = one->samples > 0 ? typical_us(c, one) * 1000 : NAN,
            .chosen = c->settled && i == c->best,
        };
    }
    uint32_t count = c->count;
    pthread_mutex_unlock(&c->lock);
    return count;
}
