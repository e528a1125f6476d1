/* host_frames.c - see host_frames.h. Each lap runs the same frames twice: one kernel after the other in this thread, which says how long they take
 * alone and what comes out, and as frames of an exec. Kernels compute for the time that they take; none of them could be left out, since each frame's answer is
 * what all of them made of its number. */
#include "host_frames.h"
#include "print.h"
#include "timing.h"
#include "weir/weir.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 3, STAGE_US = 200, FRAMES = 200, IN_FLIGHT = 3 };
enum { ALONE, IN_STREAM, BOUND, RATIO, TIMES };

/* ---- the kernel ---- */

/* A chain of multiplications, so that `rounds` are what it takes. */
static uint64_t stir(uint64_t word, uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        word ^= word >> 29;
    }
    return word;
}

/* The first stage is passed the frame's number, the others what the one before has made of it. */
static void stage_first(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    *WEIR_PASSED(uint64_t *, args, 0) = stir(WEIR_PASSED(uint64_t, args, 1), WEIR_PASSED(uint64_t, args, 2));
}

static void stage_next(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    *WEIR_PASSED(uint64_t *, args, 0) = stir(*WEIR_PASSED(const uint64_t *, args, 1), WEIR_PASSED(uint64_t, args, 2));
}

static const uint16_t arg_bytes[] = {sizeof(uint64_t *), sizeof(uint64_t), sizeof(uint64_t)};
static const weir_kernel first_kernel = {.name = "first", .host = stage_first, .arg_bytes = arg_bytes, .arg_count = 3};
static const weir_kernel next_kernel = {.name = "next", .host = stage_next, .arg_bytes = arg_bytes, .arg_count = 3};

/* The fewest of several looks: what disturbs makes them take longer, never shorter. */
static uint64_t rounds_that_take(double us)
{
    static volatile uint64_t word;
    const uint64_t tried = 20000;
    double least_ns = 1e18;
    for (int i = 0; i < 50; i++) {
        double start = timing_now_ns();
        word = stir(word, tried);
        double ns = timing_now_ns() - start;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return (uint64_t)(us * 1e3 * (double)tried / least_ns) + 1;
}

/* ---- what a measurement holds; everything may be missing ---- */

typedef struct {
    weir_buffer *ring[STAGES]; /* what each stage makes; the last is the answer */
    weir_param *number;        /* the frame's */
    weir_graph *graph;
    weir_plan *plan;
    weir_runtime *runtime;
    weir_exec *exec;
    uint64_t rounds, frames; /* of a kernel; run so far */
    uint64_t expected[FRAMES], answer[FRAMES];
    double *times[TIMES], alone[FRAMES];
} bench;

static weir_status declare(bench *b)
{
    weir_status status = weir_param_create("number", &b->frames, sizeof b->frames, &b->number);
    for (int i = 0; i < STAGES && status == WEIR_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "ring %d", i);
        weir_buffer_desc desc = {.name = name, .element_bytes = sizeof(uint64_t), .nx = 1, .copies = WEIR_RING_AUTO,
            .place = i + 1 < STAGES ? WEIR_DEVICE : WEIR_HOST_OUT};
        status = weir_buffer_create(&desc, &b->ring[i]);
    }
    if (status == WEIR_OK)
        status = weir_graph_create(HOST_FRAMES_NAME, 0, &b->graph);
    if (status != WEIR_OK)
        return status;
    const weir_shape one_block = {.grid = {1}};
    for (int i = 0; i < STAGES; i++) {
        weir_arg from = i == 0 ? WEIR_PARAM(b->number) : WEIR_READ(b->ring[i - 1]);
        weir_task task = weir_add_kernel(b->graph, i == 0 ? &first_kernel : &next_kernel, one_block,
                                         WEIR_ARGS(WEIR_WRITE(b->ring[i]), from, WEIR_VALUE(b->rounds)));
        weir_task_set(b->graph, task, &(weir_task_options){.cost_ns = STAGE_US * 1e3});
    }
    return weir_graph_status(b->graph);
}

static weir_status prepare(bench *b)
{
    weir_status status = declare(b);
    if (status == WEIR_OK)
        status = weir_plan_create(b->graph, &(weir_plan_options){.lanes = STAGES, .frames = IN_FLIGHT}, &b->plan);
    if (status == WEIR_OK)
        status = weir_runtime_create(&(weir_runtime_options){.backend = "host"}, &b->runtime);
    if (status == WEIR_OK)
        status = weir_exec_create(b->runtime, b->plan, NULL, &b->exec);
    return status;
}

static void finish(bench *b)
{
    weir_exec_destroy(b->exec);
    weir_runtime_destroy(b->runtime);
    weir_plan_destroy(b->plan);
    weir_graph_destroy(b->graph);
    weir_param_destroy(b->number);
    for (int i = 0; i < STAGES; i++)
        weir_buffer_destroy(b->ring[i]);
    for (int i = 0; i < TIMES; i++)
        free(b->times[i]);
    free(b);
}

/* ---- a lap ---- */

/* The frames from b->frames on, one kernel after the other. Returns what a frame takes: the median, which nothing that disturbs a few of them
 * makes longer. */
static double run_sequentially(bench *b)
{
    for (int n = 0; n < FRAMES; n++) {
        double start = timing_now_ns();
        uint64_t word = b->frames + (uint64_t)n;
        for (int i = 0; i < STAGES; i++)
            word = stir(word, b->rounds);
        b->expected[n] = word;
        b->alone[n] = timing_now_ns() - start;
    }
    return timing_median(b->alone, FRAMES);
}

static weir_status collect(bench *b, weir_ticket ticket, uint64_t *answer)
{
    weir_status status = weir_exec_wait(b->exec, ticket, -1);
    const uint64_t *made = status == WEIR_OK ? weir_exec_data(b->exec, ticket, b->ring[STAGES - 1]) : NULL;
    if (made)
        *answer = *made;
    return status == WEIR_OK && !made ? WEIR_ERR_STATE : status;
}

/* The same frames. Before a frame is begun, the answer of the one whose place it takes is read. */
static weir_status run_stream(bench *b, double *ns)
{
    weir_ticket tickets[IN_FLIGHT];
    weir_status status = WEIR_OK;
    double start = timing_now_ns();
    for (int n = 0; n < FRAMES + IN_FLIGHT && status == WEIR_OK; n++) {
        weir_ticket *ticket = &tickets[n % IN_FLIGHT];
        if (n >= IN_FLIGHT)
            status = collect(b, *ticket, &b->answer[n - IN_FLIGHT]);
        if (n >= FRAMES || status != WEIR_OK)
            continue;
        status = weir_exec_set(b->exec, b->number, &(uint64_t){b->frames + (uint64_t)n});
        if (status == WEIR_OK)
            status = weir_exec_submit(b->exec, ticket);
    }
    *ns = (timing_now_ns() - start) / FRAMES;
    return status;
}

static bool answers_are_right(const bench *b, char *error, size_t error_bytes)
{
    for (int n = 0; n < FRAMES; n++)
        if (b->answer[n] != b->expected[n]) {
            snprintf(error, error_bytes, "frame %" PRIu64 ": the answer is not that of the sequential run", b->frames + (uint64_t)n);
            return false;
        }
    return true;
}

/* What no schedule can beat: each worker does its share, and frame n begins when frame n - F is done. Nothing else is carried from frame to frame, and
 * there are no host tasks. */
static double bound_of(const bench *b, double alone)
{
    uint32_t workers = weir_runtime_workers(b->runtime);
    return alone / (workers < IN_FLIGHT ? workers : IN_FLIGHT);
}

static bool run_lap(bench *b, uint32_t lap, char *error, size_t error_bytes)
{
    double alone = run_sequentially(b), bound = bound_of(b, alone);
    weir_status status = run_stream(b, &b->times[IN_STREAM][lap]);
    if (status != WEIR_OK) {
        snprintf(error, error_bytes, "%s", weir_last_error());
        return false;
    }
    b->times[ALONE][lap] = alone;
    b->times[BOUND][lap] = bound;
    b->times[RATIO][lap] = b->times[IN_STREAM][lap] / bound;
    if (!answers_are_right(b, error, error_bytes))
        return false;
    b->frames += FRAMES;
    return true;
}

/* ---- telling ---- */

static void print_figures(bench *b, uint32_t repeat, bool json)
{
    static const struct {
        const char *metric, *unit;
        double per_unit;
    } figure[TIMES] = {
        [ALONE] = {"sequential_us", "us", 1e3},
        [IN_STREAM] = {"weir_frames_us", "us", 1e3},
        [BOUND] = {"frames_bound_us", "us", 1e3},
        [RATIO] = {"frames_bound_ratio", "ratio", 1},
    };
    weir_plan_summary summary;
    weir_stats stats;
    weir_plan_summarise(b->plan, &summary);
    weir_exec_stats(b->exec, &stats);
    line l = {HOST_FRAMES_NAME, weir_runtime_backend(b->runtime), stats.mode, summary.policy, summary.lanes, weir_runtime_workers(b->runtime), STAGES,
        STAGE_US, NULL, NULL, 0};
    if (!json)
        print_line_heading();
    for (int i = 0; i < TIMES; i++) {
        l.metric = figure[i].metric;
        l.unit = figure[i].unit;
        l.value = timing_median(b->times[i], repeat) / figure[i].per_unit;
        (json ? print_line_json : print_line_row)(&l);
    }
}

bool host_frames_bench(uint32_t repeat, bool json, char *error, size_t error_bytes)
{
    bench *b = calloc(1, sizeof *b);
    bool right = b != NULL;
    for (int i = 0; i < TIMES && right; i++)
        right = (b->times[i] = malloc(repeat * sizeof *b->times[i])) != NULL;
    if (!right)
        snprintf(error, error_bytes, "out of memory, use a smaller --repeat");
    if (right) {
        b->rounds = rounds_that_take(STAGE_US);
        right = prepare(b) == WEIR_OK;
        if (!right)
            snprintf(error, error_bytes, "%s", weir_last_error());
    }
    for (uint32_t lap = 0; lap < repeat && right; lap++)
        right = run_lap(b, lap, error, error_bytes);
    if (right)
        print_figures(b, repeat, json);
    if (b)
        finish(b);
    return right;
}
