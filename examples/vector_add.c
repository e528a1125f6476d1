/* vector_add.c - sum = a + b in chunks: each is copied in, added and copied out, on one lane and then on several.
 *
 * A chunk is a box of the same few buffers. weir derives that a chunk's four tasks follow one another and that chunks have
 * nothing to do with each other; with several lanes they then overlap: on a GPU copies both ways and kernels, on the host
 * whatever the workers bring.
 *
 * On a GPU the bus is what bounds it: two vectors go up and one comes down. It carries both directions at once, a little slower
 * each, so nothing is faster than one vector up beside the one down, and then the other one up. Both rates are measured here, by
 * small graphs of copies alone, and each row says how near it comes. Chunks must be large, as each copy costs some microseconds, and
 * many, as nothing goes up beside what comes down last. For three vectors of 256 MiB:
 *
 *     vector_add --elements 67108864 --chunks 32 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "vector_add.h"
#include "weir/weir.h"

enum { WARM_UP_ROUNDS = 2, ROUNDS = 7 };

/* GB/s, which is bytes/ns, of a GPU: their proportion tells the plan that copies are long and sums short. */
static const double BUS_RATE = 55.0, MEMORY_RATE = 4000.0;

static const char program[] = "vector_add";

typedef struct {
    uint64_t elements, chunks, lanes;
} settings;

typedef struct {
    weir_graph *graph;
    weir_buffer *a_in, *b_in, *a, *b, *sum, *sum_out;
    weir_task last_upload;
} work;

/* What a plan's rounds took. */
typedef struct {
    double ns; /* median, from submit to done */
    uint32_t lanes;
    const char *mode;
} figures;

/* GB/s of copies without anything beside them. */
typedef struct {
    double up, down, at_once; /* the last: of both directions together */
} rates;

static int read_options(int argc, char **argv, settings *s)
{
    static const char *const backends[] = {"auto", "host", "cuda", NULL};
    static const char *const modes[] = {"default", "eager", "replay", "capture", "auto", NULL};
    const option table[] = {
        {"--elements", "N", "of each vector (4194304); to see what a GPU's bus can do: 67108864, in 32 chunks", OPTION_NUMBER, &s->elements, 1, 1u << 30, NULL, NULL},
        {"--chunks", "N", "that they are cut into (16)", OPTION_NUMBER, &s->chunks, 1, 4096, NULL, NULL},
        {"--lanes", "N", "to compare one lane with (the backend's own number)", OPTION_NUMBER, &s->lanes, 1, 1024, NULL, NULL},
        {"--workers", "N", "host threads (as many as there are processors)", OPTION_NUMBER, NULL, 1, 1024, NULL, "WEIR_WORKERS"},
        {"--backend", "NAME", "auto, host or cuda (auto)", OPTION_CHOICE, NULL, 0, 0, backends, "WEIR_BACKEND"},
        {"--mode", "NAME", "on CUDA: default, a replay; eager, replay, capture, or auto, the fastest replay (default)", OPTION_CHOICE, NULL, 0, 0, modes, "WEIR_MODE"},
    };
    const options all = {program, "vector_add: adds two vectors chunk by chunk, on one lane and on several", table,
        sizeof table / sizeof table[0]};
    return options_read(&all, argc, argv);
}

/* WEIR_LANES would win over both numbers of lanes that are to be compared: here it is only the default of --lanes. */
static int take_lanes_from_environment(settings *s)
{
    const char *text = getenv("WEIR_LANES");
    if (text && *text && s->lanes == 0) {
        char *end = NULL;
        s->lanes = strtoull(text, &end, 10);
        if (*end || s->lanes < 1 || s->lanes > 1024) {
            fprintf(stderr, "%s: WEIR_LANES=%s: must be a whole number from 1 to 1024\n", program, text);
            return EXIT_BAD_INPUT;
        }
    }
    unsetenv("WEIR_LANES");
    return -1;
}

static int good(weir_status status)
{
    if (status != WEIR_OK)
        fprintf(stderr, "%s: %s\n", program, weir_last_error());
    return status == WEIR_OK;
}

static weir_status make_vector(const char *name, weir_place place, uint64_t elements, weir_buffer **out)
{
    weir_buffer_desc desc = {.name = name, .element_bytes = sizeof(float), .nx = (uint32_t)elements, .place = place};
    return weir_buffer_create(&desc, out);
}

/* A copy up, after the one before. The bus carries one after another anyway; the edge says in which order: chunk by chunk. Without it
 * everything would go up before anything comes down, as the way of what is still to come up is the longest. */
static weir_task add_upload(work *w, const char *name, weir_arg to, weir_arg from)
{
    weir_task copy = weir_add_copy(w->graph, name, to, from);
    if (w->last_upload.number != 0)
        weir_after(w->graph, copy, w->last_upload);
    w->last_upload = copy;
    return copy;
}

static void set_cost(const work *w, weir_task task, double ns)
{
    weir_task_set(w->graph, task, &(weir_task_options){.cost_ns = ns});
}

static void add_chunk(work *w, uint64_t first, uint64_t count)
{
    weir_box box = {.x = (uint32_t)first, .nx = (uint32_t)count};
    double bytes = sizeof(float) * (double)count;
    weir_task a_in = add_upload(w, "a in", weir_part(WEIR_WRITE(w->a), box), weir_part(WEIR_READ(w->a_in), box));
    weir_task b_in = add_upload(w, "b in", weir_part(WEIR_WRITE(w->b), box), weir_part(WEIR_READ(w->b_in), box));
    weir_task add = weir_add_kernel(w->graph, &vector_add, vector_add_shape(count),
        WEIR_ARGS(weir_part(WEIR_WRITE(w->sum), box), weir_part(WEIR_READ(w->a), box), weir_part(WEIR_READ(w->b), box),
            WEIR_VALUE(first), WEIR_VALUE(count)));
    weir_task out = weir_add_copy(w->graph, "sum out", weir_part(WEIR_WRITE(w->sum_out), box), weir_part(WEIR_READ(w->sum), box));
    set_cost(w, a_in, bytes / BUS_RATE);
    set_cost(w, b_in, bytes / BUS_RATE);
    set_cost(w, add, 3.0 * bytes / MEMORY_RATE);
    set_cost(w, out, bytes / BUS_RATE);
}

/* What comes down last comes down alone, so the last chunk is cut in halves a few times more. */
static void add_last_chunk(work *w, uint64_t first, uint64_t count)
{
    enum { HALVINGS = 3, FEWEST = 1 << 16 };
    for (int i = 0; i < HALVINGS && count / 2 >= FEWEST; i++) {
        add_chunk(w, first, count - count / 2);
        first += count - count / 2;
        count /= 2;
    }
    add_chunk(w, first, count);
}

static int declare(work *w, const settings *s)
{
    uint64_t n = s->elements;
    int done = good(weir_graph_create("vector add", 0, &w->graph)) && good(make_vector("a in", WEIR_HOST_IN, n, &w->a_in)) &&
        good(make_vector("b in", WEIR_HOST_IN, n, &w->b_in)) && good(make_vector("a", WEIR_DEVICE, n, &w->a)) &&
        good(make_vector("b", WEIR_DEVICE, n, &w->b)) && good(make_vector("sum", WEIR_DEVICE, n, &w->sum)) &&
        good(make_vector("sum out", WEIR_HOST_OUT, n, &w->sum_out));
    for (uint64_t chunk = 0; done && chunk < s->chunks; chunk++) {
        uint64_t first = n * chunk / s->chunks, end = n * (chunk + 1) / s->chunks;
        if (first < end)
            (chunk + 1 < s->chunks ? add_chunk : add_last_chunk)(w, first, end - first);
    }
    return done;
}

static void finish(work *w)
{
    weir_graph_destroy(w->graph);
    weir_buffer *all[] = {w->a_in, w->b_in, w->a, w->b, w->sum, w->sum_out};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        weir_buffer_destroy(all[i]);
}

/* Whole numbers that a float holds exactly, other ones each round, so that a sum left from before is found. */
static float a_of(uint64_t i, uint64_t round)
{
    return (float)((i + round * 7919) % 8388593);
}

static float b_of(uint64_t i, uint64_t round)
{
    return (float)((i * 3 + round) % 8388593);
}

/* Fills the input, which takes longer than all the rest and is no part of the time; checks the output. */
static int run_round(weir_exec *exec, const work *w, uint64_t elements, uint64_t round)
{
    weir_frame *frame = NULL;
    weir_ticket ticket;
    if (!good(weir_exec_begin(exec, -1, &frame)))
        return 0;
    float *a = weir_frame_data(frame, w->a_in), *b = weir_frame_data(frame, w->b_in);
    for (uint64_t i = 0; i < elements; i++) {
        a[i] = a_of(i, round);
        b[i] = b_of(i, round);
    }
    if (!good(weir_frame_submit(frame, &ticket)) || !good(weir_exec_wait(exec, ticket, -1)))
        return 0;
    const float *sum = weir_exec_data(exec, ticket, w->sum_out);
    for (uint64_t i = 0; i < elements; i++)
        if (sum[i] != a_of(i, round) + b_of(i, round)) {
            fprintf(stderr, "%s: element %" PRIu64 " is %g, not %g: this is a bug of weir\n", program, i, (double)sum[i],
                (double)(a_of(i, round) + b_of(i, round)));
            return 0;
        }
    return 1;
}

/* Rounds number `first` to `end` - 1 on an exec of their own, whose median is then theirs alone. */
static int run_rounds(weir_runtime *runtime, const weir_plan *plan, const work *w, uint64_t elements, uint64_t first, uint64_t end, figures *out)
{
    weir_exec *exec = NULL;
    weir_stats stats;
    weir_plan_summary summary;
    weir_plan_summarise(plan, &summary);
    /* A replay needs no lanes, and on one lane would not be what a single stream is. */
    weir_exec_options one_stream = {.replay_lanes = 1};
    int done = good(weir_exec_create(runtime, plan, summary.lanes == 1 ? &one_stream : NULL, &exec));
    for (uint64_t round = first; done && round < end; round++)
        done = run_round(exec, w, elements, round);
    if (done) {
        weir_exec_stats(exec, &stats);
        out->ns = stats.frame_ns;
        out->mode = stats.mode;
    }
    weir_exec_destroy(exec);
    return done;
}

/* The first rounds, which touch memory anew and wake the device, do not count. */
static int measure(weir_runtime *runtime, const work *w, uint64_t elements, uint32_t lanes, figures *out)
{
    weir_plan *plan = NULL;
    weir_plan_summary summary;
    int done = good(weir_plan_create(w->graph, &(weir_plan_options){.lanes = lanes}, &plan)) &&
        run_rounds(runtime, plan, w, elements, 0, WARM_UP_ROUNDS, out) &&
        run_rounds(runtime, plan, w, elements, WARM_UP_ROUNDS, WARM_UP_ROUNDS + ROUNDS, out);
    if (done) {
        weir_plan_summarise(plan, &summary);
        out->lanes = summary.lanes;
    }
    weir_plan_destroy(plan);
    return done;
}

/* Runs a graph of copies alone, a lane each. In GB/s; 0 if that failed. */
static double rate_of(weir_runtime *runtime, const weir_graph *copies, double bytes)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_stats stats = {.frame_ns = 0.0};
    int done = good(weir_plan_create(copies, &(weir_plan_options){.lanes = 2}, &plan)) && good(weir_exec_create(runtime, plan, NULL, &exec));
    for (int frame = 0; done && frame < WARM_UP_ROUNDS + ROUNDS; frame++) {
        weir_ticket ticket;
        done = good(weir_exec_submit(exec, &ticket)) && good(weir_exec_wait(exec, ticket, -1));
    }
    if (done)
        weir_exec_stats(exec, &stats);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    return done && stats.frame_ns > 0.0 ? bytes / stats.frame_ns : 0.0;
}

/* Copies whole vectors: the larger a copy, the less of its time is launching it. */
static double measure_copies(weir_runtime *runtime, const work *w, double vector_bytes, int up, int down)
{
    weir_graph *copies = NULL;
    if (!good(weir_graph_create("copies", 0, &copies)))
        return 0.0;
    if (up)
        weir_add_copy(copies, "up", WEIR_WRITE(w->a), WEIR_READ(w->a_in));
    if (down)
        weir_add_copy(copies, "down", WEIR_WRITE(w->sum_out), WEIR_READ(w->sum));
    double rate = rate_of(runtime, copies, vector_bytes * (up + down));
    weir_graph_destroy(copies);
    return rate;
}

static int measure_rates(weir_runtime *runtime, const work *w, double vector_bytes, rates *out)
{
    out->up = measure_copies(runtime, w, vector_bytes, 1, 0);
    out->down = out->up > 0.0 ? measure_copies(runtime, w, vector_bytes, 0, 1) : 0.0;
    out->at_once = out->down > 0.0 ? measure_copies(runtime, w, vector_bytes, 1, 1) : 0.0;
    return out->at_once > 0.0;
}

/* What copies alone take at least: one vector up and one down at once, then the other up. */
static double bound_of(const rates *r, double vector_bytes)
{
    return 2.0 * vector_bytes / r->at_once + vector_bytes / r->up;
}

static void print_head(const settings *s, weir_runtime *runtime, const figures *one_lane, const rates *r, double bound_ns)
{
    printf("%" PRIu64 " elements on %s, %s, %" PRIu32 " workers; every element checked\n", s->elements, weir_runtime_backend(runtime),
        one_lane->mode, weir_runtime_workers(runtime));
    printf("copies alone: %.2f GB/s up, %.2f down, %.2f both at once; so not less than %.3f ms\n", r->up, r->down, r->at_once, bound_ns / 1e6);
    printf("%8s %6s %9s %8s %9s %9s\n", "chunks", "lanes", "ms", "GB/s", "speed-up", "of bound");
}

/* The rates are measured last: by then the device is awake, and all memory has been touched. */
static int compare(const settings *s, weir_runtime *runtime, const work *w)
{
    const uint32_t lanes[2] = {1, s->lanes ? (uint32_t)s->lanes : weir_runtime_lanes(runtime)};
    double vector_bytes = sizeof(float) * (double)s->elements;
    figures f[2];
    rates r;
    for (int i = 0; i < 2; i++)
        if (!measure(runtime, w, s->elements, lanes[i], &f[i]))
            return 0;
    if (!measure_rates(runtime, w, vector_bytes, &r))
        return 0;
    double bound_ns = bound_of(&r, vector_bytes);
    print_head(s, runtime, &f[0], &r, bound_ns);
    for (int i = 0; i < 2; i++)
        printf("%8" PRIu64 " %6" PRIu32 " %9.3f %8.2f %9.2f %8.1f%%\n", s->chunks, f[i].lanes, f[i].ns / 1e6, 3.0 * vector_bytes / f[i].ns,
            f[0].ns / f[i].ns, 100.0 * bound_ns / f[i].ns);
    return 1;
}

int main(int argc, char **argv)
{
    settings s = {.elements = 1u << 22, .chunks = 16};
    int ended = read_options(argc, argv, &s);
    if (ended < 0)
        ended = take_lanes_from_environment(&s);
    if (ended >= 0)
        return ended;
    if (s.chunks > s.elements)
        s.chunks = s.elements;
    work w = {0};
    weir_runtime *runtime = NULL;
    int done = declare(&w, &s) && good(weir_runtime_create(NULL, &runtime)) && compare(&s, runtime, &w);
    weir_runtime_destroy(runtime);
    finish(&w);
    return done ? EXIT_GOOD : EXIT_BAD_INPUT;
}
