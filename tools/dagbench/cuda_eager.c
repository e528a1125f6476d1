/* cuda_eager.c - eager frames: weir for each policy and lane count, and by hand for each number of streams, order and way of dealing; then the
 * best of both against each other, and the best of weir against the order of rows. Each is checked before it is timed. */
#include "cuda_inside.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    podium weir, rival;
    racer *best;        /* of weir, after the race */
    double one_lane_ns; /* the rival's on one stream */
} contest;

static double best_of(const podium *p)
{
    return p->count ? p->best[0].result.done_ns : 0.0;
}

static bool look_at_weir(cuda_bench *b, contest *c, trouble *why)
{
    for (uint32_t p = 0; p < b->policies; p++)
        for (uint32_t l = 0; l < b->lane_counts; l++) {
            weir_way way = {.mode = "eager", .policy = b->policy[p], .lanes = b->lanes[l], .frames = 1};
            racer r = {.mode = NULL};
            bool done = cuda_check_weir(b, way, why) && weir_racer_make(&r, b->runtime, b->on.timed, way, why) &&
                race_look(&r, 1, best_of(&c->weir), why);
            if (!done) {
                racer_finish(&r);
                return false;
            }
            cuda_print_us(b, "weir_eager_sweep_us", r.result.done_ns, &r);
            podium_offer(&c->weir, &r);
        }
    return true;
}

static bool make_rival(cuda_bench *b, rival_way way, racer *out, trouble *why)
{
    subject *on = &b->on;
    racer checked = {.mode = NULL};
    bool right = rival_eager_make(&checked, &b->pool, on->graph, &on->checked_work, way, RIVAL_ASK, why) &&
        cuda_check(b, &checked, "by hand", why);
    racer_finish(&checked);
    return right && rival_eager_make(out, &b->pool, on->graph, &on->timed_work, way, RIVAL_ASK, why);
}

static bool look_at_rival_way(cuda_bench *b, contest *c, rival_way way, trouble *why)
{
    racer r = {.mode = NULL};
    if (!make_rival(b, way, &r, why) || !race_look(&r, 1, best_of(&c->rival), why)) {
        racer_finish(&r);
        return false;
    }
    cuda_print_us(b, "handwritten_eager_sweep_us", r.result.done_ns, &r);
    if (way.streams == 1 && (c->one_lane_ns == 0.0 || r.result.done_ns < c->one_lane_ns))
        c->one_lane_ns = r.result.done_ns;
    podium_offer(&c->rival, &r);
    return true;
}

static bool look_at_rival(cuda_bench *b, contest *c, trouble *why)
{
    for (uint32_t streams = 1; streams <= RIVAL_STREAMS_MOST; streams *= 2)
        for (int way = 0; way < (streams == 1 ? 1 : 4); way++)
            if (!look_at_rival_way(b, c, (rival_way){.streams = streams, .by_level = way & 1, .follow = way & 2}, why))
                return false;
    return true;
}

/* The rival's best way once more, but ended by cudaStreamSynchronize, which may be quicker. */
static bool end_otherwise(const cuda_bench *b, const racer *best, racer *out, trouble *why)
{
    rival_way way = {.streams = best->lanes, .by_level = strncmp(best->how, "levels", 6) == 0, .follow = strstr(best->how, "followed") != NULL};
    return rival_eager_make(out, &b->pool, b->on.graph, &b->on.timed_work, way, RIVAL_SYNCHRONISE, why);
}

static bool race(cuda_bench *b, contest *c, racer *otherwise, trouble *why)
{
    racer *list[2 * PODIUM + 1];
    uint32_t count = 0, weirs = c->weir.count;
    for (uint32_t i = 0; i < weirs; i++)
        list[count++] = &c->weir.best[i];
    for (uint32_t i = 0; i < c->rival.count; i++)
        list[count++] = &c->rival.best[i];
    list[count++] = otherwise;
    if (!race_run(list, count, 1, cuda_race_length(b), why))
        return false;
    racer *weir = race_winner(list, weirs), *rival = race_winner(list + weirs, count - weirs);
    double tasks = b->on.graph->tasks;
    c->best = weir;
    cuda_print_us(b, "weir_eager_us", weir->result.done_ns, weir);
    cuda_print_us(b, "handwritten_eager_us", rival->result.done_ns, rival);
    cuda_print_ratio(b, "eager_ratio", weir->result.done_ns, rival->result.done_ns, weir);
    cuda_print_us(b, "weir_eager_submit_us_per_task", weir->result.submit_ns / tasks, weir);
    cuda_print_us(b, "handwritten_eager_submit_us_per_task", rival->result.submit_ns / tasks, rival);
    return cuda_measure_allocations(b, "eager_allocations_per_1000_frames", weir, why);
}

/* The classic mistakes, beside which the figures stand: everything on one stream, and to wait for each task. */
static bool measure_mistakes(cuda_bench *b, const contest *c, trouble *why)
{
    racer one = {.mode = "eager", .how = "rows", .lanes = 1}, each = {.mode = NULL};
    cuda_print_us(b, "one_lane_us", c->one_lane_ns, &one);
    bool done = rival_sync_each_make(&each, &b->pool, b->on.graph, &b->on.timed_work, why) && race_look(&each, 1, 0.0, why);
    if (done)
        cuda_print_us(b, "sync_each_task_us", each.result.done_ns, &each);
    racer_finish(&each);
    return done;
}

/* What one writes without a thought of order: tasks in that of their numbers, in a grid row by row, on as many streams as weir's best has lanes;
 * dealt to them in turn, or each left on the stream of the one before it. */
static bool measure_row_order(cuda_bench *b, const contest *c, trouble *why)
{
    weir_plan_summary plan;
    racer dealt = {.mode = NULL}, followed = {.mode = NULL}, *weir = c->best;
    racer *const list[] = {weir, &dealt, &followed};
    weir_plan_summarise(weir_racer_plan(weir), &plan);
    rival_way way = {.streams = plan.lanes < RIVAL_STREAMS_MOST ? plan.lanes : RIVAL_STREAMS_MOST};
    bool done = make_rival(b, way, &dealt, why);
    way.follow = true;
    done = done && make_rival(b, way, &followed, why) && race_look(&dealt, 1, 0.0, why) && race_look(&followed, 1, 0.0, why) &&
        race_run(list, sizeof list / sizeof *list, 1, cuda_race_length(b), why);
    if (done) {
        cuda_print_us(b, "row_order_us", dealt.result.done_ns, &dealt);
        cuda_print_us(b, "row_order_followed_us", followed.result.done_ns, &followed);
        cuda_print_us(b, "weir_beside_row_order_us", weir->result.done_ns, weir);
        cuda_print_ratio(b, "row_order_ratio", dealt.result.done_ns, weir->result.done_ns, &dealt);
        cuda_print_ratio(b, "row_order_followed_ratio", followed.result.done_ns, weir->result.done_ns, &followed);
    }
    racer_finish(&dealt);
    racer_finish(&followed);
    return done;
}

bool cuda_measure_eager(cuda_bench *b, trouble *why)
{
    contest c = {.one_lane_ns = 0.0};
    racer otherwise = {.mode = NULL};
    bool done = look_at_weir(b, &c, why) && look_at_rival(b, &c, why) && end_otherwise(b, &c.rival.best[0], &otherwise, why) &&
        race(b, &c, &otherwise, why) && measure_mistakes(b, &c, why) && measure_row_order(b, &c, why);
    racer_finish(&otherwise);
    podium_finish(&c.weir);
    podium_finish(&c.rival);
    return done;
}
