/* cuda_bench.c - see cuda_bench.h. Here: what all parts need, opened and closed, and checks. */
#include "cuda_inside.h"
#include "counting.h"
#include "print.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint16_t spin_spin_bytes[] = {sizeof(int64_t)}, spin_told_bytes[] = {sizeof(uint32_t)},
                      spin_ticket_bytes[] = {sizeof(spin_record *), sizeof(uint32_t)};
const weir_kernel spin_empty = {"empty", NULL, spin_empty_resolve, NULL, NULL, 0, 0};
const weir_kernel spin_spin = {"spin", NULL, spin_spin_resolve, NULL, spin_spin_bytes, 1, 0};
const weir_kernel spin_told = {"told", NULL, spin_told_resolve, NULL, spin_told_bytes, 1, 0};
const weir_kernel spin_ticket = {"ticket", NULL, spin_ticket_resolve, NULL, spin_ticket_bytes, 2, 0};

static bool tell(const trouble *why, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "%s", why->text);
    return false;
}

/* ---- opening ---- */

/* A variable names one lane count, policy or mode; nothing names all. */
static bool read_wishes(cuda_bench *b, trouble *why)
{
    static const uint32_t lanes[] = {1, 2, 4, 8, 16, 32};
    const char *one_lane_count = getenv("WEIR_LANES"), *one_policy = getenv("WEIR_POLICY"), *mode = getenv("WEIR_MODE");
    memcpy(b->lanes, lanes, sizeof lanes);
    b->lane_counts = sizeof lanes / sizeof *lanes;
    if (one_lane_count && *one_lane_count) {
        unsigned long number = strtoul(one_lane_count, NULL, 10);
        b->lanes[0] = number > 0 && number <= 1024 ? (uint32_t)number : 1; /* weir judges the text itself */
        b->lane_counts = 1;
    }
    b->policy[0] = "priority";
    b->policy[1] = "round_robin";
    b->policies = 2;
    if (one_policy && *one_policy) {
        b->policy[0] = one_policy;
        b->policies = 1;
    }
    bool all = !mode || !*mode || strcmp(mode, "auto") == 0 || strcmp(mode, "default") == 0;
    b->eager = all || strcmp(mode, "eager") == 0;
    b->replay = all || strcmp(mode, "replay") == 0;
    b->capture = all || strcmp(mode, "capture") == 0;
    if (!b->eager && !b->replay && !b->capture) {
        snprintf(why->text, sizeof why->text, "WEIR_MODE=%s: the modes are auto, eager, replay and capture", mode);
        return false;
    }
    unsetenv("WEIR_MODE"); /* it would win over the mode that each exec asks for */
    return true;
}

static uint32_t most_lanes(const cuda_bench *b)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < b->lane_counts; i++)
        if (b->lanes[i] > most)
            most = b->lanes[i];
    return most;
}

static bool open_rival(cuda_bench *b, trouble *why)
{
    if (!rival_pool_init(&b->pool, why))
        return false;
    int error = 0;
    b->ticks_per_us = spin_ticks_per_us(&error);
    if (error)
        return trouble_cuda(why, (cudaError_t)error, "measuring how fast the device's clock ticks");
    b->ticks = (int64_t)(b->ticks_per_us * b->settings.kernel_us + 0.5);
    b->tick_arg[0] = &b->ticks;
    return true;
}

bool cuda_bench_create(const cuda_settings *settings, cuda_bench **out, char *error, size_t error_bytes)
{
    trouble why = {""};
    const char *backend = getenv("WEIR_BACKEND");
    *out = NULL;
    if (backend && strcmp(backend, "host") == 0)
        return true;
    cuda_bench *b = calloc(1, sizeof *b);
    if (!b)
        return trouble_no_memory(&why) || tell(&why, error, error_bytes);
    b->settings = *settings;
    /* Streams that share a connection wait for each other. Both sides have as many as they have streams. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    /* Building is measured, not taking over what the same graph left before. */
    setenv("WEIR_CACHE_NODES", "0", 0);
    weir_runtime_options wanted = {.lanes_max = RIVAL_STREAMS_MOST};
    bool done = read_wishes(b, &why);
    if (done && most_lanes(b) > wanted.lanes_max)
        wanted.lanes_max = most_lanes(b);
    done = done && trouble_weir(&why, weir_runtime_create(&wanted, &b->runtime));
    if (done && strcmp(weir_runtime_backend(b->runtime), "cuda") != 0) {
        cuda_bench_destroy(b);
        return true;
    }
    if (!done || !open_rival(b, &why)) {
        cuda_bench_destroy(b);
        return tell(&why, error, error_bytes);
    }
    *out = b;
    return true;
}

void cuda_bench_destroy(cuda_bench *bench)
{
    if (!bench)
        return;
    rival_pool_finish(&bench->pool);
    weir_runtime_destroy(bench->runtime);
    free(bench);
}

/* ---- one graph ---- */

static bool open_subject(cuda_bench *b, const char *name, const shape *graph, trouble *why)
{
    subject *on = &b->on;
    *on = (subject){.name = name, .kernel_us = b->settings.kernel_us, .graph = graph};
    if (!rival_reduce(graph, &on->reduced))
        return trouble_no_memory(why);
    if (!trouble_weir(why, declaration_data_init(&on->data, graph, WEIR_DEVICE)) || !tickets_init(&on->tickets, graph, why))
        return false;
    declared_kernel timed = {.kernel = b->ticks ? &spin_spin : &spin_empty, .ticks = b->ticks};
    declared_kernel checked = {.kernel = &spin_ticket, .records = on->tickets.device};
    const void *timed_code = timed.kernel->resolve(), *checked_code = checked.kernel->resolve();
    if (!timed_code || !checked_code) {
        snprintf(why->text, sizeof why->text, "dagbench has no kernels for this device; build it with CMAKE_CUDA_ARCHITECTURES=native");
        return false;
    }
    return trouble_weir(why, declaration_of_kernels(graph, &on->data, &timed, &on->timed)) &&
        trouble_weir(why, declaration_of_kernels(graph, &on->data, &checked, &on->checked)) &&
        rival_work_same(&on->timed_work, graph->tasks, timed_code, b->tick_arg, why) &&
        rival_work_tickets(&on->checked_work, graph->tasks, checked_code, &on->tickets.device, why);
}

static void close_subject(subject *on)
{
    rival_work_finish(&on->timed_work);
    rival_work_finish(&on->checked_work);
    weir_graph_destroy(on->timed);
    weir_graph_destroy(on->checked);
    declaration_data_finish(&on->data);
    tickets_finish(&on->tickets);
    shape_finish(&on->reduced);
}

static bool measure_by_hand(cuda_bench *b, trouble *why)
{
    return (!b->eager || cuda_measure_eager(b, why)) && (!(b->replay || b->capture) || cuda_measure_replay(b, why)) &&
        (!b->replay || cuda_measure_costs(b, why));
}

bool cuda_bench_shape(cuda_bench *bench, const char *name, const shape *graph, char *error, size_t error_bytes)
{
    trouble why = {""};
    bool done = open_subject(bench, name, graph, &why) &&
        (bench->settings.choices ? cuda_measure_choices(bench, &why) : measure_by_hand(bench, &why));
    close_subject(&bench->on);
    return done || tell(&why, error, error_bytes);
}

bool cuda_bench_workload(cuda_bench *bench, const cuda_workload *w, char *error, size_t error_bytes)
{
    static bool (*const measure[])(cuda_bench *b, const char *name, trouble *why) = {
        [CUDA_FLUID_KERNELS] = cuda_measure_fluid,
        [CUDA_PROGRAMMATIC] = cuda_measure_programmatic,
        [CUDA_WHILE] = cuda_measure_while,
        [CUDA_FFT] = cuda_measure_fft,
        [CUDA_FRAMES_TWO] = cuda_measure_frames_two,
        [CUDA_FRAMES_THREE] = cuda_measure_frames_three,
        [CUDA_FRAMES_FLUID] = cuda_measure_frames_fluid,
        [CUDA_FRAMES_COST] = cuda_measure_frames_cost,
    };
    trouble why = {""};
    bool done = measure[w->kind](bench, w->name, &why);
    bench->on = (subject){.name = NULL};
    return done || tell(&why, error, error_bytes);
}

/* ---- what the parts share ---- */

race_length cuda_race_length(const cuda_bench *b)
{
    const cuda_settings *s = &b->settings;
    return (race_length){.laps = s->repeat ? s->repeat : s->quick ? 15 : 51, .budget_ns = s->quick ? 0.6e9 : 3e9};
}

race_length cuda_long_race(const cuda_bench *b)
{
    enum { LONG_LAPS = 401 };
    race_length length = cuda_race_length(b);
    length.laps = b->settings.repeat ? b->settings.repeat : LONG_LAPS;
    return length;
}

uint32_t cuda_back_to_back(const cuda_bench *b, double frame_ns)
{
    enum { LEAST = 8, MOST = 100 };
    double frames = (b->settings.quick ? 30e6 : 80e6) / frame_ns;
    return frames < LEAST ? LEAST : frames > MOST ? MOST : (uint32_t)frames;
}

bool cuda_check(cuda_bench *b, const racer *r, const char *who, trouble *why)
{
    enum { FRAMES = 2 };
    lap unused;
    trouble found = {""};
    tickets *t = &b->on.tickets;
    bool right = tickets_clear(t, &found);
    for (int i = 0; i < FRAMES && right; i++)
        right = r->run(r->self, 1, &unused, &found);
    right = right && tickets_are_right(t, FRAMES, true, &found);
    if (!right)
        snprintf(why->text, sizeof why->text, "%s, %s, %s, %u lanes: %.400s", who, r->mode, r->how, (unsigned)r->lanes, found.text);
    return right;
}

bool cuda_check_weir(cuda_bench *b, weir_way way, trouble *why)
{
    racer r = {.mode = NULL};
    bool right = weir_racer_make(&r, b->runtime, b->on.checked, way, why) && cuda_check(b, &r, "weir", why);
    racer_finish(&r);
    return right;
}

bool cuda_measure_allocations(const cuda_bench *b, const char *metric, racer *r, trouble *why)
{
    double budget_ns = b->settings.quick ? 0.3e9 : 1.5e9;
    double affordable = budget_ns / (r->result.done_ns > 1.0 ? r->result.done_ns : 1.0);
    uint32_t frames = affordable > 1000.0 ? 1000 : affordable < 20.0 ? 20 : (uint32_t)affordable;
    lap unused;
    uint64_t before = counting_calls();
    for (uint32_t i = 0; i < frames; i++)
        if (!r->run(r->self, 1, &unused, why))
            return false;
    cuda_print(b, metric, (double)(counting_calls() - before) * 1000.0 / frames, "calls", r);
    return true;
}

/* ---- printing ---- */

void cuda_bench_heading(const cuda_bench *bench)
{
    if (!bench->settings.json)
        print_line_heading();
}

void cuda_print(const cuda_bench *b, const char *metric, double value, const char *unit, const racer *r)
{
    const line l = {
        .workload = b->on.name,
        .backend = "cuda",
        .mode = r ? r->mode : "-",
        .policy = r ? r->how : "-",
        .lanes = r ? r->lanes : 0,
        .workers = weir_runtime_workers(b->runtime),
        .tasks = b->on.graph->tasks,
        .kernel_us = b->on.kernel_us,
        .metric = metric,
        .unit = unit,
        .value = value,
    };
    (b->settings.json ? print_line_json : print_line_row)(&l);
    fflush(stdout);
}

void cuda_print_us(const cuda_bench *b, const char *metric, double ns, const racer *r)
{
    cuda_print(b, metric, ns / 1e3, "us", r);
}

void cuda_print_ratio(const cuda_bench *b, const char *metric, double weir_ns, double rival_ns, const racer *r)
{
    cuda_print(b, metric, weir_ns / rival_ns, "ratio", r);
}
