/* cuda_frames.c - frames in flight of stages in line: weir, replayed and launched eagerly, against graphs by hand that event nodes tie, streams and
 * events by hand, and the serial graph. All take turns, each launching many frames back to back; what each computed is checked before and after.
 *
 * By hand twice: kept to as many frames in flight as weir is, by the host that looks for a frame's end before the one that takes its place; and
 * launched freely, where the device alone keeps them in order. weir is the former, since begin hands a frame's input to the program. */
#include "cuda_inside.h"
#include "rival_stages.h"
#include "weir_stages.h"
#include <stdio.h>

enum { REPLAY, EAGER, MORE, EAGER_SHARED, ALONE, GRAPHS, GRAPHS_FREE, STREAMS, STREAMS_FREE, SERIAL, RACERS };

typedef struct {
    stages s;
    uint32_t in_flight;
    racer racer[RACERS]; /* zeroed: not asked for */
} contest;

static const char *const metrics[RACERS] = {
    [REPLAY] = "weir_frames_us",
    [EAGER] = "weir_frames_eager_us",
    [MORE] = "weir_frames_more_us",
    [EAGER_SHARED] = "weir_frames_eager_shared_us",
    [ALONE] = "weir_frames_alone_us",
    [GRAPHS] = "handwritten_frames_us",
    [GRAPHS_FREE] = "handwritten_frames_free_us",
    [STREAMS] = "handwritten_streams_us",
    [STREAMS_FREE] = "handwritten_streams_free_us",
    [SERIAL] = "serial_us",
};

/* ---- the racers ---- */

static bool check(const contest *c, trouble *why)
{
    bool right = true;
    for (int i = 0; i < RACERS && right; i++)
        if (c->racer[i].run)
            right = (i < GRAPHS ? weir_stages_check : rival_stages_check)(&c->racer[i], why);
    return right;
}

static bool make_weir(cuda_bench *b, contest *c, trouble *why)
{
    const struct {
        int racer;
        weir_way way;
        bool apart;
    } ways[] = {
        {REPLAY, {.mode = "replay", .policy = b->policy[0], .frames = c->in_flight}, false},
        {MORE, {.mode = "replay", .policy = b->policy[0], .frames = 2 * c->in_flight}, false},
        {ALONE, {.mode = "replay", .policy = b->policy[0], .frames = 1}, false},
        {EAGER, {.mode = "eager", .policy = b->policy[0], .frames = c->in_flight}, true},
        {EAGER_SHARED, {.mode = "eager", .policy = b->policy[0], .frames = c->in_flight}, false},
    };
    bool done = true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && done; i++) {
        bool is_eager = ways[i].racer == EAGER || ways[i].racer == EAGER_SHARED;
        if (is_eager ? b->eager : b->replay)
            done = weir_stages_make(&c->racer[ways[i].racer], b->runtime, &c->s, ways[i].way, ways[i].apart, why);
    }
    return done;
}

static bool make_rivals(cuda_bench *b, contest *c, trouble *why)
{
    racer *r = c->racer;
    return rival_stages_graphs_make(&r[GRAPHS], &b->pool, &c->s, c->in_flight, RIVAL_KEPT, why) &&
        rival_stages_graphs_make(&r[GRAPHS_FREE], &b->pool, &c->s, c->in_flight, RIVAL_FREE, why) &&
        rival_stages_streams_make(&r[STREAMS], &b->pool, &c->s, c->in_flight, RIVAL_KEPT, why) &&
        rival_stages_streams_make(&r[STREAMS_FREE], &b->pool, &c->s, c->in_flight, RIVAL_FREE, why) &&
        rival_stages_graphs_make(&r[SERIAL], &b->pool, &c->s, 1, RIVAL_FREE, why);
}

/* ---- against each other ---- */

/* So many frames that filling and emptying the line do not count. */
static uint32_t frames_a_lap(const cuda_bench *b)
{
    enum { FEW = 50, MANY = 400 };
    return b->settings.quick ? FEW : MANY;
}

static bool race(cuda_bench *b, contest *c, trouble *why)
{
    racer *list[RACERS];
    uint32_t count = 0, frames = frames_a_lap(b);
    race_length length = cuda_race_length(b);
    bool done = true;
    length.budget_ns *= 2; /* all of them together */
    for (int i = 0; i < RACERS && done; i++)
        if (c->racer[i].run) {
            done = race_look(&c->racer[i], frames, 0.0, why);
            list[count++] = &c->racer[i];
        }
    return done && check(c, why) && race_run(list, count, frames, length, why) && check(c, why);
}

static void print_ratio(const cuda_bench *b, const contest *c, const char *metric, int of, int over)
{
    const racer *r = c->racer;
    if (r[of].run && r[over].run)
        cuda_print_ratio(b, metric, r[of].result.done_ns, r[over].result.done_ns, &r[of]);
}

static void print_all(const cuda_bench *b, const contest *c)
{
    for (int i = 0; i < RACERS; i++)
        if (c->racer[i].run)
            cuda_print_us(b, metrics[i], c->racer[i].result.done_ns, &c->racer[i]);
    print_ratio(b, c, "frames_ratio", REPLAY, GRAPHS);
    print_ratio(b, c, "frames_free_ratio", REPLAY, GRAPHS_FREE);
    print_ratio(b, c, "frames_more_ratio", MORE, GRAPHS_FREE);
    print_ratio(b, c, "frames_eager_ratio", EAGER, GRAPHS);
    print_ratio(b, c, "frames_eager_streams_ratio", EAGER, STREAMS);
    print_ratio(b, c, "frames_serial_ratio", REPLAY, SERIAL);
}

static bool measure(cuda_bench *b, contest *c, trouble *why)
{
    if (!stage_fold_resolve() || !stage_pass_resolve()) {
        snprintf(why->text, sizeof why->text, "dagbench has no kernels for this device; build it with CMAKE_CUDA_ARCHITECTURES=native");
        return false;
    }
    bool done = make_weir(b, c, why) && make_rivals(b, c, why) && race(b, c, why);
    if (done)
        print_all(b, c);
    for (int i = 0; i < RACERS; i++)
        racer_finish(&c->racer[i]);
    return done;
}

bool cuda_measure_frames_two(cuda_bench *b, const char *name, trouble *why)
{
    enum { KERNEL_US = 20 };
    const shape tasks = {.tasks = 2};
    contest c = {.s = {.count = 1, .ticks = (int64_t)(b->ticks_per_us * KERNEL_US + 0.5)}, .in_flight = 2};
    b->on = (subject){.name = name, .kernel_us = KERNEL_US, .graph = &tasks};
    return measure(b, &c, why);
}

/* The kernel lasts as long as the upload does alone. */
bool cuda_measure_frames_three(cuda_bench *b, const char *name, trouble *why)
{
    const shape tasks = {.tasks = 3};
    contest c = {.s = {.moves = 1, .count = (8u << 20) / sizeof(uint32_t)}, .in_flight = 3};
    double upload_us = 0.0, download_us = 0.0;
    if (!rival_stages_time_moves(&b->pool, c.s.count, &upload_us, &download_us, why))
        return false;
    c.s.ticks = (int64_t)(b->ticks_per_us * upload_us + 0.5);
    b->on = (subject){.name = name, .kernel_us = (uint32_t)(upload_us + 0.5), .graph = &tasks};
    cuda_print(b, "upload_alone_us", upload_us, "us", NULL);
    cuda_print(b, "download_alone_us", download_us, "us", NULL);
    return measure(b, &c, why);
}
