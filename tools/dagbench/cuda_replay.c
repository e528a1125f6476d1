/* cuda_replay.c - replayed frames: weir with the graph's own edges, with those of lanes added, and captured; by hand explicit nodes and captured
 * streams. Twice: each frame waited for, and many launched back to back, which another way may win. */
#include "cuda_inside.h"
#include <stdio.h>
#include <string.h>

/* One of the two. */
typedef struct {
    const char *weir_sweep, *rival_sweep, *weir_best, *rival_best, *ratio; /* metrics */
    uint32_t frames;    /* launched before they are waited for */
    uint32_t in_flight; /* that weir plans for */
    bool check;         /* each way, before it is timed */
    podium weir, rival;
} heat;

static double best_of(const podium *p)
{
    return p->count ? p->best[0].result.done_ns : 0.0;
}

/* Whether so many lanes are looked at: all, or the usual ones if it is to be quick. */
static bool lanes_are_wanted(const cuda_bench *b, uint32_t lanes)
{
    return !b->settings.quick || b->lane_counts == 1 || lanes == 8 || lanes == 32;
}

/* ---- weir ---- */

static bool look_at_weir_way(cuda_bench *b, heat *h, weir_way way, trouble *why)
{
    racer r = {.mode = NULL};
    bool done = (!h->check || cuda_check_weir(b, way, why)) && weir_racer_make(&r, b->runtime, b->on.timed, way, why) &&
        race_look(&r, h->frames, best_of(&h->weir), why);
    if (!done) {
        racer_finish(&r);
        return false;
    }
    cuda_print_us(b, h->weir_sweep, r.result.done_ns, &r);
    podium_offer(&h->weir, &r);
    return true;
}

static bool look_at_weir(cuda_bench *b, heat *h, trouble *why)
{
    weir_way own_edges = {.mode = "replay", .policy = b->policy[0], .lanes = 0, .frames = h->in_flight};
    if (b->replay && !look_at_weir_way(b, h, own_edges, why))
        return false;
    for (uint32_t l = 0; l < b->lane_counts; l++)
        for (uint32_t p = 0; p < b->policies && lanes_are_wanted(b, b->lanes[l]); p++) {
            weir_way way = {.mode = "replay", .policy = b->policy[p], .lanes = b->lanes[l], .frames = h->in_flight};
            if (b->replay && !look_at_weir_way(b, h, way, why))
                return false;
            way.mode = "capture";
            if (b->capture && !look_at_weir_way(b, h, way, why))
                return false;
        }
    return true;
}

/* ---- by hand ---- */

/* How one rival is made; nodes, or else a capture. */
typedef struct {
    bool nodes, reduced;
    rival_way way;
    rival_ending ending;
} rival_replay;

static bool make_rival(const cuda_bench *b, const rival_work *work, rival_replay how, racer *out, trouble *why)
{
    const subject *on = &b->on;
    if (!how.nodes)
        return rival_capture_make(out, &b->pool, on->graph, work, how.way, how.ending, why);
    if (!rival_nodes_make(out, &b->pool, how.reduced ? &on->reduced : on->graph, work, how.ending, why))
        return false;
    snprintf(out->how, sizeof out->how, "nodes, edges %s%s", how.reduced ? "reduced" : "as given", how.ending == RIVAL_ASK ? "" : ", sync");
    return true;
}

static rival_replay how_it_was_made(const racer *r)
{
    return (rival_replay){
        .nodes = strcmp(r->mode, "replay") == 0,
        .reduced = strstr(r->how, "reduced") != NULL,
        .way = {.streams = r->lanes, .by_level = strncmp(r->how, "levels", 6) == 0, .follow = strstr(r->how, "followed") != NULL},
    };
}

static bool look_at_rival_way(cuda_bench *b, heat *h, rival_replay how, trouble *why)
{
    subject *on = &b->on;
    racer r = {.mode = NULL};
    bool done = !h->check || (make_rival(b, &on->checked_work, how, &r, why) && cuda_check(b, &r, "by hand", why));
    racer_finish(&r);
    done = done && make_rival(b, &on->timed_work, how, &r, why) && race_look(&r, h->frames, best_of(&h->rival), why);
    if (!done) {
        racer_finish(&r);
        return false;
    }
    cuda_print_us(b, h->rival_sweep, r.result.done_ns, &r);
    podium_offer(&h->rival, &r);
    return true;
}

static bool look_at_rival(cuda_bench *b, heat *h, trouble *why)
{
    bool all_needed = b->on.reduced.edges == b->on.graph->edges;
    if (!look_at_rival_way(b, h, (rival_replay){.nodes = true, .reduced = true}, why))
        return false;
    if (!all_needed && !look_at_rival_way(b, h, (rival_replay){.nodes = true}, why))
        return false;
    for (uint32_t streams = 1; streams <= RIVAL_STREAMS_MOST; streams *= 2)
        for (int way = 0; way < (streams == 1 ? 1 : 4) && lanes_are_wanted(b, streams); way++) {
            rival_replay how = {.way = {.streams = streams, .by_level = way & 1, .follow = way & 2}};
            if (!look_at_rival_way(b, h, how, why))
                return false;
        }
    return true;
}

/* ---- against each other ---- */

static bool race(cuda_bench *b, heat *h, racer *otherwise, trouble *why)
{
    racer *list[2 * PODIUM + 1];
    uint32_t count = 0, weirs = h->weir.count;
    for (uint32_t i = 0; i < weirs; i++)
        list[count++] = &h->weir.best[i];
    for (uint32_t i = 0; i < h->rival.count; i++)
        list[count++] = &h->rival.best[i];
    list[count++] = otherwise;
    if (!race_run(list, count, h->frames, cuda_race_length(b), why))
        return false;
    racer *weir = race_winner(list, weirs), *rival = race_winner(list + weirs, count - weirs);
    cuda_print_us(b, h->weir_best, weir->result.done_ns, weir);
    cuda_print_us(b, h->rival_best, rival->result.done_ns, rival);
    cuda_print_ratio(b, h->ratio, weir->result.done_ns, rival->result.done_ns, weir);
    return h->frames > 1 || cuda_measure_allocations(b, "replay_allocations_per_1000_frames", weir, why);
}

static bool run_heat(cuda_bench *b, heat *h, trouble *why)
{
    racer otherwise = {.mode = NULL};
    bool done = look_at_weir(b, h, why) && look_at_rival(b, h, why);
    if (done) {
        rival_replay how = how_it_was_made(&h->rival.best[0]);
        how.ending = RIVAL_SYNCHRONISE;
        done = make_rival(b, &b->on.timed_work, how, &otherwise, why) && race(b, h, &otherwise, why);
    }
    racer_finish(&otherwise);
    return done;
}

/* Frames of tickets back to back must all run; their order shows where one is waited for before the next. */
static bool check_back_to_back(cuda_bench *b, const racer *best, trouble *why)
{
    enum { FRAMES = 3 * IN_FLIGHT };
    weir_way way = {.mode = best->mode, .policy = best->how, .lanes = best->lanes, .frames = IN_FLIGHT};
    racer r = {.mode = NULL};
    lap unused;
    bool right = cuda_check_weir(b, way, why) && tickets_clear(&b->on.tickets, why) &&
        weir_racer_make(&r, b->runtime, b->on.checked, way, why) && r.run(r.self, FRAMES, &unused, why) &&
        tickets_are_right(&b->on.tickets, FRAMES, false, why);
    racer_finish(&r);
    return right;
}

bool cuda_measure_replay(cuda_bench *b, trouble *why)
{
    heat single = {
        .weir_sweep = "weir_replay_sweep_us",
        .rival_sweep = "handwritten_replay_sweep_us",
        .weir_best = "weir_replay_us",
        .rival_best = "handwritten_replay_us",
        .ratio = "replay_ratio",
        .frames = 1,
        .in_flight = 1,
        .check = true,
    };
    heat many = {
        .weir_sweep = "weir_back_to_back_sweep_us",
        .rival_sweep = "handwritten_back_to_back_sweep_us",
        .weir_best = "weir_back_to_back_us",
        .rival_best = "handwritten_back_to_back_us",
        .ratio = "back_to_back_ratio",
        .in_flight = IN_FLIGHT,
    };
    bool done = run_heat(b, &single, why);
    if (done)
        many.frames = cuda_back_to_back(b, best_of(&single.rival));
    podium_finish(&single.weir);
    podium_finish(&single.rival);
    done = done && run_heat(b, &many, why) && check_back_to_back(b, &many.weir.best[0], why);
    podium_finish(&many.weir);
    podium_finish(&many.rival);
    return done;
}
