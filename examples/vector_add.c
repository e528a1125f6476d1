/* vector_add.c - sum = a + b in chunks: each is copied in, added and copied out, on one lane and then on several.
 *
 * A chunk is a box of the same few buffers. weir derives that a chunk's four tasks follow one another and that chunks have
 * nothing to do with each other; with several lanes they then overlap: on a GPU copies both ways and kernels, on the host
 * whatever the workers bring. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "vector_add.h"
#include "weir/weir.h"

enum { ROUNDS = 5 };

static const char program[] = "vector_add";

typedef struct {
    uint64_t elements, chunks, lanes;
} settings;

typedef struct {
    weir_graph *graph;
    weir_buffer *a_in, *b_in, *a, *b, *sum, *sum_out;
} work;

static int read_options(int argc, char **argv, settings *s)
{
    static const char *const backends[] = {"auto", "host", "cuda", NULL};
    const option table[] = {
        {"--elements", "N", "of each vector (4194304)", OPTION_NUMBER, &s->elements, 1, 1u << 30, NULL, NULL},
        {"--chunks", "N", "that they are cut into (16)", OPTION_NUMBER, &s->chunks, 1, 4096, NULL, NULL},
        {"--lanes", "N", "to compare one lane with (the backend's own number)", OPTION_NUMBER, &s->lanes, 1, 1024, NULL, NULL},
        {"--workers", "N", "host threads (as many as there are processors)", OPTION_NUMBER, NULL, 1, 1024, NULL, "WEIR_WORKERS"},
        {"--backend", "NAME", "auto, host or cuda (auto)", OPTION_CHOICE, NULL, 0, 0, backends, "WEIR_BACKEND"},
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

static void add_chunk(work *w, uint64_t first, uint64_t count)
{
    weir_box box = {.x = (uint32_t)first, .nx = (uint32_t)count};
    weir_add_copy(w->graph, "a in", weir_part(WEIR_WRITE(w->a), box), weir_part(WEIR_READ(w->a_in), box));
    weir_add_copy(w->graph, "b in", weir_part(WEIR_WRITE(w->b), box), weir_part(WEIR_READ(w->b_in), box));
    weir_add_kernel(w->graph, &vector_add, vector_add_shape(count),
        WEIR_ARGS(weir_part(WEIR_WRITE(w->sum), box), weir_part(WEIR_READ(w->a), box), weir_part(WEIR_READ(w->b), box),
            WEIR_VALUE(first), WEIR_VALUE(count)));
    weir_add_copy(w->graph, "sum out", weir_part(WEIR_WRITE(w->sum_out), box), weir_part(WEIR_READ(w->sum), box));
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
            add_chunk(w, first, end - first);
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

/* One round; its time from submit to done, or 0 if it failed. */
static double run_round(weir_exec *exec, const work *w, uint64_t elements, uint64_t round)
{
    weir_frame *frame = NULL;
    weir_ticket ticket;
    if (!good(weir_exec_begin(exec, -1, &frame)))
        return 0.0;
    float *a = weir_frame_data(frame, w->a_in), *b = weir_frame_data(frame, w->b_in);
    for (uint64_t i = 0; i < elements; i++) {
        a[i] = a_of(i, round);
        b[i] = b_of(i, round);
    }
    if (!good(weir_frame_submit(frame, &ticket)) || !good(weir_exec_wait(exec, ticket, -1)))
        return 0.0;
    const float *sum = weir_exec_data(exec, ticket, w->sum_out);
    for (uint64_t i = 0; i < elements; i++)
        if (sum[i] != a_of(i, round) + b_of(i, round)) {
            fprintf(stderr, "%s: element %" PRIu64 " is %g, not %g: this is a bug of weir\n", program, i, (double)sum[i],
                (double)(a_of(i, round) + b_of(i, round)));
            return 0.0;
        }
    weir_stats stats;
    weir_exec_stats(exec, &stats);
    return stats.frame_ns;
}

/* Median time of a few rounds on so many lanes; 0 if one failed. The first round, which touches memory anew, counts like the rest. */
static double measure(weir_runtime *runtime, const work *w, uint64_t elements, uint32_t lanes, uint32_t *taken)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_plan_summary summary;
    double ns = 0.0;
    if (good(weir_plan_create(w->graph, &(weir_plan_options){.lanes = lanes}, &plan)) && good(weir_exec_create(runtime, plan, NULL, &exec)))
        for (uint64_t round = 0; round < ROUNDS; round++) {
            ns = run_round(exec, w, elements, round);
            if (ns == 0.0)
                break;
        }
    if (plan) {
        weir_plan_summarise(plan, &summary);
        *taken = summary.lanes;
    }
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    return ns;
}

static int compare(const settings *s, weir_runtime *runtime, const work *w)
{
    uint32_t lanes[2] = {1, s->lanes ? (uint32_t)s->lanes : weir_runtime_lanes(runtime)};
    double ns[2] = {0.0, 0.0}, bytes = 3.0 * sizeof(float) * (double)s->elements;
    printf("%" PRIu64 " elements on %s, %" PRIu32 " workers; every element checked\n", s->elements, weir_runtime_backend(runtime),
        weir_runtime_workers(runtime));
    printf("%8s %6s %9s %8s %9s\n", "chunks", "lanes", "ms", "GB/s", "speed-up");
    for (int i = 0; i < 2; i++) {
        ns[i] = measure(runtime, w, s->elements, lanes[i], &lanes[i]);
        if (ns[i] == 0.0)
            return 0;
        printf("%8" PRIu64 " %6" PRIu32 " %9.3f %8.2f %9.2f\n", s->chunks, lanes[i], ns[i] / 1e6, bytes / ns[i], ns[0] / ns[i]);
    }
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
