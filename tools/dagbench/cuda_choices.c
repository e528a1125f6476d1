/* cuda_choices.c - mode "auto", once it has chosen how to replay, against each of the ways that it chooses from: each launch waited for, and many back
 * to back, where another way may win. The choice is made on frames launched as those that are timed. */
#include "cuda_inside.h"
#include <math.h>
#include <stdio.h>

/* It takes 64 frames at most. */
enum { FRAMES_TO_CHOOSE = 80, CANDIDATES_MOST = 32 };

/* One of the two. */
typedef struct {
    const char *sweep, *candidate, *choice, *chosen, *fixed, *ratio; /* metrics */
    uint32_t frames;    /* launched before they are waited for */
    uint32_t in_flight; /* that weir plans for */
    podium best;        /* of the fixed ways */
    racer chooser;
} heat;

static weir_way chooser_way(const cuda_bench *b, const heat *h)
{
    return (weir_way){.mode = "auto", .policy = b->policy[0], .frames = h->in_flight};
}

/* ---- the fixed ways ---- */

static bool look_at_fixed(cuda_bench *b, heat *h, uint32_t lanes, trouble *why)
{
    weir_way way = {.mode = "replay", .policy = b->policy[0], .lanes = lanes, .frames = h->in_flight};
    racer r = {.mode = NULL};
    bool done = cuda_check_weir(b, way, why) && weir_racer_make(&r, b->runtime, b->on.timed, way, why) &&
        race_look(&r, h->frames, h->best.count ? h->best.best[0].result.done_ns : 0.0, why);
    if (!done) {
        racer_finish(&r);
        return false;
    }
    cuda_print_us(b, h->sweep, r.result.done_ns, &r);
    podium_offer(&h->best, &r);
    return true;
}

/* The graph's own edges, and with those of lanes added. */
static bool look_at_all_fixed(cuda_bench *b, heat *h, trouble *why)
{
    if (!look_at_fixed(b, h, 0, why))
        return false;
    for (uint32_t l = 0; l < b->lane_counts; l++)
        if (!look_at_fixed(b, h, b->lanes[l], why))
            return false;
    return true;
}

/* ---- the one that chooses ---- */

/* Each frame by itself, since each may be run in another way. */
static bool check_choosing(cuda_bench *b, const heat *h, trouble *why)
{
    racer r = {.mode = NULL};
    trouble found = {""};
    lap unused;
    bool right = weir_racer_make(&r, b->runtime, b->on.checked, chooser_way(b, h), why);
    if (!right)
        return false;
    for (uint32_t i = 0; i < FRAMES_TO_CHOOSE && right; i++) {
        right = tickets_clear(&b->on.tickets, &found) && r.run(r.self, 1, &unused, &found) && tickets_are_right(&b->on.tickets, 1, true, &found);
        if (!right)
            snprintf(why->text, sizeof why->text, "weir, auto, frame %u: %.400s", (unsigned)i, found.text);
    }
    racer_finish(&r);
    return right;
}

static bool let_it_choose(cuda_bench *b, heat *h, trouble *why)
{
    lap unused;
    if (!weir_racer_make(&h->chooser, b->runtime, b->on.timed, chooser_way(b, h), why))
        return false;
    for (uint32_t frames = 0; frames < FRAMES_TO_CHOOSE; frames += h->frames)
        if (!h->chooser.run(h->chooser.self, h->frames, &unused, why))
            return false;
    return true;
}

/* What it saw of each candidate, where it saw any frames, and the lanes of the one that won. */
static bool print_candidates(const cuda_bench *b, const heat *h, trouble *why)
{
    weir_candidate all[CANDIDATES_MOST];
    uint32_t count = weir_exec_candidates(weir_racer_exec(&h->chooser), all, CANDIDATES_MOST), chosen = 0;
    for (uint32_t i = 0; i < count && i < CANDIDATES_MOST; i++) {
        racer r = {.mode = all[i].mode, .how = "as auto saw it", .lanes = all[i].replay_lanes};
        if (!isnan(all[i].frame_ns))
            cuda_print_us(b, h->candidate, all[i].frame_ns, &r);
        if (!all[i].chosen)
            continue;
        cuda_print(b, h->choice, all[i].replay_lanes, "lanes", &r);
        chosen++;
    }
    if (chosen != 1)
        snprintf(why->text, sizeof why->text, "weir, auto: of %u candidates it has chosen %u after %d frames", (unsigned)count, (unsigned)chosen,
            FRAMES_TO_CHOOSE);
    return chosen == 1;
}

/* ---- against each other ---- */

static bool race(cuda_bench *b, heat *h, trouble *why)
{
    racer *list[PODIUM + 1] = {&h->chooser};
    uint32_t count = 1;
    for (uint32_t i = 0; i < h->best.count; i++)
        list[count++] = &h->best.best[i];
    race_length length = h->frames == 1 ? cuda_long_race(b) : cuda_race_length(b);
    if (!race_look(&h->chooser, h->frames, 0.0, why) || !race_run(list, count, h->frames, length, why))
        return false;
    racer *fixed = race_winner(list + 1, count - 1);
    cuda_print_us(b, h->chosen, h->chooser.result.done_ns, &h->chooser);
    cuda_print_us(b, h->fixed, fixed->result.done_ns, fixed);
    cuda_print_ratio(b, h->ratio, h->chooser.result.done_ns, fixed->result.done_ns, &h->chooser);
    return true;
}

static bool run_heat(cuda_bench *b, heat *h, trouble *why)
{
    bool done = check_choosing(b, h, why) && look_at_all_fixed(b, h, why) && let_it_choose(b, h, why) &&
        print_candidates(b, h, why) && race(b, h, why);
    racer_finish(&h->chooser);
    return done;
}

bool cuda_measure_choices(cuda_bench *b, trouble *why)
{
    heat single = {
        .sweep = "fixed_sweep_us",
        .candidate = "auto_candidate_us",
        .choice = "auto_choice_lanes",
        .chosen = "auto_us",
        .fixed = "fixed_us",
        .ratio = "auto_ratio",
        .frames = 1,
        .in_flight = 1,
    };
    heat many = {
        .sweep = "fixed_back_to_back_sweep_us",
        .candidate = "auto_back_to_back_candidate_us",
        .choice = "auto_back_to_back_choice_lanes",
        .chosen = "auto_back_to_back_us",
        .fixed = "fixed_back_to_back_us",
        .ratio = "auto_back_to_back_ratio",
        .in_flight = IN_FLIGHT,
    };
    bool done = run_heat(b, &single, why);
    if (done) {
        many.frames = cuda_back_to_back(b, single.best.best[0].result.done_ns);
        done = run_heat(b, &many, why);
    }
    podium_finish(&single.best);
    podium_finish(&many.best);
    return done;
}
