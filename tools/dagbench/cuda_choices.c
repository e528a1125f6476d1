/* cuda_choices.c - mode "auto", once it has chosen how to replay, against each of the ways that it chooses from: each launch waited for, and many back
 * to back, where another way may win. The choice is made on frames launched as those that are timed. */
#include "cuda_inside.h"
#include <stdio.h>

/* It takes 64 frames at most. */
enum { FRAMES_TO_CHOOSE = 80 };

/* One of the two. */
typedef struct {
    const char *sweep, *chosen, *fixed, *ratio; /* metrics */
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
    bool done = check_choosing(b, h, why) && look_at_all_fixed(b, h, why) && let_it_choose(b, h, why) && race(b, h, why);
    racer_finish(&h->chooser);
    return done;
}

bool cuda_measure_choices(cuda_bench *b, trouble *why)
{
    heat single = {
        .sweep = "fixed_sweep_us",
        .chosen = "auto_us",
        .fixed = "fixed_us",
        .ratio = "auto_ratio",
        .frames = 1,
        .in_flight = 1,
    };
    heat many = {
        .sweep = "fixed_back_to_back_sweep_us",
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
