/* cuda_fft.c - a step of cuFFT, forward and back, as a native task in a replay, against the same calls captured by hand; each launch waited for, and
 * many back to back. */
#include "cuda_inside.h"
#include "rival_fft.h"
#include "weir/cuda.h"
#include <stdio.h>

enum { SLOTS_MOST = 64 };
static const int sides[] = {256, 1024, 2048};

typedef struct {
    rival_fft by_hand;
    weir_buffer *input, *spectrum, *output;
    weir_graph *graph;
    cufftHandle plan[SLOTS_MOST];
    trouble *why; /* what cuFFT says in a task */
    shape tasks;  /* one, for the lines that are printed */
    racer weir, rival;
} contest;

/* ---- weir's task ---- */

static weir_status prepare_step(void *user, uint32_t slot)
{
    contest *c = user;
    if (slot >= SLOTS_MOST)
        return WEIR_ERR_INVALID;
    return fft_plan(&c->plan[slot], c->by_hand.side, c->why) ? WEIR_OK : WEIR_ERR_DEVICE;
}

static weir_status enqueue_step(void *user, weir_native_call *call)
{
    contest *c = user;
    void *const *args = weir_native_args(call);
    cufftComplex *input = WEIR_PASSED(cufftComplex *, args, 0), *spectrum = WEIR_PASSED(cufftComplex *, args, 1);
    cufftComplex *output = WEIR_PASSED(cufftComplex *, args, 2);
    bool done = fft_step(c->plan[weir_native_slot(call)], weir_native_stream(call), input, spectrum, output, c->why);
    return done ? WEIR_OK : WEIR_ERR_DEVICE;
}

static void release_step(void *user, uint32_t slot)
{
    contest *c = user;
    cufftDestroy(c->plan[slot]);
}

static const weir_native step = {"forward and back", prepare_step, enqueue_step, NULL, release_step};

static bool declare(contest *c, trouble *why)
{
    const uint32_t side = (uint32_t)c->by_hand.side;
    weir_buffer_desc desc = {.name = "input", .element_bytes = sizeof(cufftComplex), .nx = side, .ny = side};
    weir_status status = weir_buffer_create(&desc, &c->input);
    desc.name = "spectrum";
    if (status == WEIR_OK)
        status = weir_buffer_create(&desc, &c->spectrum);
    desc.name = "output";
    if (status == WEIR_OK)
        status = weir_buffer_create(&desc, &c->output);
    if (status == WEIR_OK)
        status = weir_graph_create("dagbench", 0, &c->graph);
    if (status != WEIR_OK)
        return trouble_weir(why, status);
    weir_add_native(c->graph, &step, c, WEIR_ARGS(WEIR_READ(c->input), WEIR_WRITE(c->spectrum), WEIR_WRITE(c->output)));
    return trouble_weir(why, weir_graph_status(c->graph));
}

/* What cuFFT said in a task is told before what weir says of it. */
static bool make_weir(const cuda_bench *b, contest *c, uint32_t frames, racer *out, trouble *why)
{
    trouble said = {""}, weir_says = {""};
    weir_way way = {.mode = "replay", .policy = "priority", .frames = frames};
    c->why = &said;
    bool done = weir_racer_make(out, b->runtime, c->graph, way, &weir_says);
    c->why = why;
    if (!done)
        *why = said.text[0] ? said : weir_says;
    return done;
}

static bool check(const cuda_bench *b, const contest *c, trouble *why)
{
    lap unused;
    size_t bytes = rival_fft_bytes(&c->by_hand);
    return c->rival.run(c->rival.self, 1, &unused, why) && rival_fft_read(&c->by_hand, why) && rival_fft_is_right(&c->by_hand, "by hand", why) &&
        trouble_weir(why, weir_buffer_write(b->runtime, c->input, c->by_hand.given, 0, bytes)) &&
        c->weir.run(c->weir.self, 1, &unused, why) && trouble_weir(why, weir_buffer_read(b->runtime, c->output, c->by_hand.found, 0, bytes)) &&
        rival_fft_is_right(&c->by_hand, "weir", why);
}

/* ---- against each other ---- */

/* Each launch waited for (`frames` 1), or so many launched before. */
static bool race(cuda_bench *b, contest *c, uint32_t frames, const char *const metric[3], trouble *why)
{
    racer *const both[] = {&c->weir, &c->rival};
    race_length length = frames == 1 ? cuda_long_race(b) : cuda_race_length(b);
    if (!race_look(&c->weir, frames, 0.0, why) || !race_look(&c->rival, frames, 0.0, why) || !race_run(both, 2, frames, length, why))
        return false;
    cuda_print_us(b, metric[0], c->weir.result.done_ns, &c->weir);
    cuda_print_us(b, metric[1], c->rival.result.done_ns, &c->rival);
    cuda_print_ratio(b, metric[2], c->weir.result.done_ns, c->rival.result.done_ns, &c->weir);
    return true;
}

static bool measure(cuda_bench *b, contest *c, int side, trouble *why)
{
    static const char *const single[] = {"weir_fft_us", "handwritten_fft_us", "fft_ratio"};
    static const char *const many[] = {"weir_fft_back_to_back_us", "handwritten_fft_back_to_back_us", "fft_back_to_back_ratio"};
    bool done = rival_fft_init(&c->by_hand, side, why) && rival_fft_make(&c->rival, &b->pool, &c->by_hand, why) && declare(c, why) &&
        make_weir(b, c, 1, &c->weir, why) && check(b, c, why) && race(b, c, 1, single, why);
    if (!done)
        return false;
    uint32_t frames = cuda_back_to_back(b, c->rival.result.done_ns);
    racer_finish(&c->weir);
    return make_weir(b, c, IN_FLIGHT, &c->weir, why) && check(b, c, why) && race(b, c, frames, many, why);
}

static bool measure_side(cuda_bench *b, const char *name, int side, trouble *why)
{
    char sized[32];
    contest c = {.tasks = {.tasks = 1}, .why = why};
    snprintf(sized, sizeof sized, "%s-%d", name, side);
    b->on = (subject){.name = sized, .graph = &c.tasks};
    bool done = measure(b, &c, side, why);
    racer_finish(&c.weir);
    racer_finish(&c.rival);
    weir_graph_destroy(c.graph);
    weir_buffer_destroy(c.input);
    weir_buffer_destroy(c.spectrum);
    weir_buffer_destroy(c.output);
    rival_fft_finish(&c.by_hand);
    return done;
}

bool cuda_measure_fft(cuda_bench *b, const char *name, trouble *why)
{
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (!measure_side(b, name, sides[i], why))
            return false;
    return true;
}
