/* fluid.c - two-dimensional smoke, from any picture to numbered PNG files: one weir graph a frame (fluid_graph.h).
 *
 *     fluid --input drawing.png --frames 120 --output out/fluid
 *
 * The loop is the one of every weir program: begin, fill what the frame is to read, submit. It waits only for the frame whose place the next one
 * takes, --in-flight frames before, to look how that went. Encoding is a task of the graph, so that it too overlaps what does not need it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fluid_graph.h"
#include "fluid_scene.h"
#include "fluid_sources.h"
#include "frame_writer.h"
#include "options.h"
#include "weir/weir.h"

enum { IN_FLIGHT_MAX = 12, PRIORITY_MAX = 100, ALONE = 3 };

static const char program[] = "fluid";

typedef struct {
    const char *input, *mask, *output, *solver, *timing;
    option_size size;
    int32_t priority[FLUID_STAGES];
    uint64_t frames, drift, in_flight, sweeps, seed, sweeps_a_test, sweeps_at_most;
    double residual;
} settings;

/* What the solve of each frame took, where it stops at a residual. */
typedef struct {
    uint32_t *tests;   /* rounds of its loop, a frame each */
    uint64_t frames;   /* so far */
    uint64_t given_up; /* of them, with more than --residual left */
    float residual;    /* the greatest that one was left with */
} solves;

/* A picture that moves to the right. */
typedef struct {
    const picture *image;
    uint64_t pixels; /* a frame */
} drift;

typedef struct {
    fluid_graph graph;
    drift drift;
    frame_writer writer;
    bool writes;
    weir_runtime *runtime;
    weir_plan *plan;
    weir_exec *exec;
    uint64_t first; /* frame of this exec */
    bool measured;  /* the plan goes by the times of tasks alone */
    solves solves;
} run;

static int read_options(int argc, char **argv, settings *s)
{
    static const char *const solvers[] = {"red-black", "jacobi", "residual", NULL};
    static const char *const policies[] = {"round_robin", "priority", NULL};
    static const char *const backends[] = {"auto", "host", "cuda", NULL};
    static const char *const modes[] = {"default", "eager", "replay", "capture", "auto", NULL};
    static const char *const timings[] = {"on", "off", "alone", NULL};
    const option table[] = {
        {"--input", "FILE", "picture whose colours become smoke (a drawing that comes with weir)", OPTION_TEXT, &s->input, 0, 0, NULL,
            NULL},
        {"--mask", "FILE", "picture whose bright parts are walls (none)", OPTION_TEXT, &s->mask, 0, 0, NULL, NULL},
        {"--drift", "N", "pixels that the picture moves to the right in a frame, around and around; it is then uploaded for each (0)", OPTION_NUMBER,
            &s->drift, 0, FLUID_SIDE_MAX, NULL, NULL},
        {"--size", "WxH", "cells of the grid, pixels of a frame (as the picture, longer side 640)", OPTION_SIZE, &s->size,
            FLUID_SIDE_MIN, FLUID_SIDE_MAX, NULL, NULL},
        {"--frames", "N", "how many (120)", OPTION_NUMBER, &s->frames, 1, 100000, NULL, NULL},
        {"--in-flight", "N", "frames under way at once, as far as their data allow (1)", OPTION_NUMBER, &s->in_flight, 1, IN_FLIGHT_MAX, NULL, NULL},
        {"--priorities", "A,B,C", "of upload, solve, and shading and download; lower is more urgent (-1,0,1)", OPTION_THREE, s->priority, 0,
            PRIORITY_MAX, NULL, NULL},
        {"--sweeps", "N", "of the pressure a frame (40)", OPTION_NUMBER, &s->sweeps, 1, 1000, NULL, NULL},
        {"--solver", "NAME", "red-black; jacobi, which needs many more sweeps; or residual, red-black until it is good enough (red-black)",
            OPTION_CHOICE, &s->solver, 0, 0, solvers, NULL},
        {"--residual", "R", "good enough: what share of its air a cell may still gain or lose in a frame (0.001)", OPTION_SHARE, &s->residual, 0, 0,
            NULL, NULL},
        {"--sweeps-a-test", "N", "of solver residual, from one look at it to the next (10)", OPTION_NUMBER, &s->sweeps_a_test, 1, 100, NULL, NULL},
        {"--sweeps-at-most", "N", "of solver residual in a frame, good enough or not (2000)", OPTION_NUMBER, &s->sweeps_at_most, 1, 1000000, NULL,
            NULL},
        {"--lanes", "N", "at most so many tasks at once (the backend's own number; with several frames in flight no less than 3)", OPTION_NUMBER, NULL, 1, 1024, NULL, "WEIR_LANES"},
        {"--workers", "N", "host threads (as many as there are processors)", OPTION_NUMBER, NULL, 1, 1024, NULL, "WEIR_WORKERS"},
        {"--policy", "NAME", "how tasks are laid out: round_robin or priority (priority)", OPTION_CHOICE, NULL, 0, 0, policies,
            "WEIR_POLICY"},
        {"--backend", "NAME", "auto, host or cuda (auto)", OPTION_CHOICE, NULL, 0, 0, backends, "WEIR_BACKEND"},
        {"--mode", "NAME", "on CUDA: default, a replay; eager, replay, capture, or auto, the fastest replay (default)", OPTION_CHOICE, NULL, 0, 0, modes, "WEIR_MODE"},
        {"--timing", "NAME", "of each task, for the table: on; off for the fastest frames; or alone: on, and the first three frames one task at a time, by whose times the "
            "others are planned (on)", OPTION_CHOICE, &s->timing, 0, 0, timings,
            NULL},
        {"--seed", "N", "of the sources' ways (1)", OPTION_NUMBER, &s->seed, 0, UINT64_MAX, NULL, NULL},
        {"--output", "DIR", "where frames and contact sheet go, or none (out/fluid)", OPTION_TEXT, &s->output, 0, 0, NULL, NULL},
    };
    const options all = {program, "fluid: turns a picture into smoke, one PNG a frame", table, sizeof table / sizeof table[0]};
    return options_read(&all, argc, argv);
}

static bool good(weir_status status)
{
    if (status == WEIR_OK)
        return true;
    fprintf(stderr, "%s: %s\n", program, weir_last_error());
    return false;
}

static bool writer_failed(const frame_writer *writer)
{
    fprintf(stderr, "%s: %s: %s\n", program, writer->path, writer->trouble.text);
    return false;
}

static bool stops_at_residual(const settings *s)
{
    return strcmp(s->solver, "residual") == 0;
}

/* In place of the one before. With one lane, each task runs alone. */
static bool make_exec(run *r, const settings *s, bool one_lane)
{
    weir_plan_options wanted = {.lanes = one_lane ? 1 : weir_runtime_lanes(r->runtime), .frames = (uint32_t)s->in_flight};
    if (!one_lane && s->in_flight > 1 && wanted.lanes < FLUID_STAGES)
        wanted.lanes = FLUID_STAGES; /* so that none holds up another's next frame */
    weir_exec_destroy(r->exec);
    weir_plan_destroy(r->plan);
    r->exec = NULL;
    r->plan = NULL;
    return good(weir_plan_create(r->graph.frame, &wanted, &r->plan)) &&
        good(weir_exec_create(r->runtime, r->plan, &(weir_exec_options){.timing = strcmp(s->timing, "off") != 0}, &r->exec));
}

/* With one lane, and launched task by task whatever the other frames are: a replay has no times of its tasks. */
static bool make_exec_alone(run *r, const settings *s)
{
    const char *asked = getenv("WEIR_MODE");
    char *mode = strdup(asked ? asked : "default");
    if (!mode) {
        fprintf(stderr, "%s: no memory\n", program);
        return false;
    }
    bool made = setenv("WEIR_MODE", "eager", 1) == 0 && make_exec(r, s, true);
    made = setenv("WEIR_MODE", mode, 1) == 0 && made;
    free(mode);
    return made;
}

/* The picture, moved to the right by `shift` pixels; what leaves there comes in on the left. */
static void write_moved(const picture *from, size_t shift, uint8_t *to)
{
    const size_t row = 4 * (size_t)from->width, left = 4 * (shift % from->width);
    for (size_t y = 0; y < from->height; y++) {
        memcpy(to + y * row + left, from->rgba + y * row, row - left);
        memcpy(to + y * row, from->rgba + y * row + row - left, left);
    }
}

/* The picture of a frame, on one of weir's threads. */
static weir_status draw_moved(void *user, void *const *args)
{
    const drift *d = user;
    write_moved(d->image, d->pixels * WEIR_PASSED(uint64_t, args, 1), WEIR_PASSED(uint8_t *, args, 0));
    return WEIR_OK;
}

/* The frame's exec is made before the other: it settles how many copies the rings have. */
static bool prepare(run *r, const settings *s, const fluid_scene *scene, weir_exec **start)
{
    fluid_setup setup = {
        .size = scene->size,
        .motion = fluid_motion_for(scene->size),
        .sweeps = (uint32_t)(stops_at_residual(s) ? s->sweeps_at_most : s->sweeps),
        .residual = stops_at_residual(s) ? (float)s->residual : 0.0f,
        .sweeps_a_test = (uint32_t)s->sweeps_a_test,
        .jacobi = strcmp(s->solver, "jacobi") == 0,
        .feeds = s->drift > 0,
        .draw = draw_moved,
        .draw_user = &r->drift,
        .encode = r->writes ? frame_writer_encode : NULL,
        .user = &r->writer,
    };
    memcpy(setup.priority, s->priority, sizeof setup.priority);
    weir_plan *start_plan = NULL;
    bool done = good(fluid_graph_create(&setup, &r->graph)) && good(weir_runtime_create(NULL, &r->runtime)) &&
        (strcmp(s->timing, "alone") == 0 ? make_exec_alone(r, s) : make_exec(r, s, false)) && good(weir_plan_create(r->graph.start, NULL, &start_plan)) &&
        good(weir_exec_create(r->runtime, start_plan, NULL, start));
    weir_plan_destroy(start_plan);
    return done;
}

/* Picture and walls go where all frames find them. */
static bool run_start(run *r, weir_exec *start, const fluid_scene *scene)
{
    weir_frame *frame = NULL;
    weir_ticket ticket;
    size_t cells = (size_t)scene->size.nx * (size_t)scene->size.ny;
    if (!good(weir_exec_begin(start, -1, &frame)))
        return false;
    memcpy(weir_frame_data(frame, r->graph.picture), scene->picture, 3 * cells * sizeof(float));
    memcpy(weir_frame_data(frame, r->graph.walls), scene->walls, cells);
    return good(weir_frame_submit(frame, &ticket)) && good(weir_exec_wait(start, ticket, -1));
}

/* Leaves the cursor at the line's beginning, for a message to overwrite the bar. */
static void show_progress(uint64_t submitted, uint64_t all)
{
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    if (!isatty(STDERR_FILENO))
        return;
    memset(bar, ' ', WIDTH);
    memset(bar, '#', (size_t)(submitted * WIDTH / all));
    bar[WIDTH] = '\0';
    fprintf(stderr, "%s [%s] %" PRIu64 "/%" PRIu64 "%c", program, bar, submitted, all, submitted < all ? '\r' : '\n');
}

/* How the solve of a frame went that is done. */
static bool note_solve(run *r, const settings *s, weir_ticket ticket)
{
    solves *all = &r->solves;
    uint32_t tests = 0;
    if (!all->tests)
        return true;
    if (!good(weir_exec_iterations(r->exec, ticket, r->graph.loop, &tests)))
        return false;
    const float *residual = weir_exec_data(r->exec, ticket, r->graph.residual);
    if (!residual)
        return good(WEIR_ERR_STATE);
    all->tests[all->frames++] = tests;
    all->given_up += !(*residual <= (float)s->residual);
    all->residual = *residual <= all->residual ? all->residual : *residual; /* a NaN stays */
    return true;
}

/* Before another frame takes the place of frame `n`, 0 and up. */
static bool see_end(run *r, const settings *s, uint64_t n)
{
    const weir_ticket ticket = {n - r->first + 1};
    return good(weir_exec_wait(r->exec, ticket, -1)) && note_solve(r, s, ticket);
}

/* Those from r->first on. */
static bool run_frames(run *r, const settings *s, const fluid_scene *scene, uint64_t end)
{
    uint64_t seen = r->first;
    for (uint64_t n = r->first; n < end; n++) {
        weir_frame *frame = NULL;
        if ((n - r->first >= s->in_flight && !see_end(r, s, seen++)) || !good(weir_exec_begin(r->exec, -1, &frame)))
            return false;
        if (r->graph.number && !good(weir_exec_set(r->exec, r->graph.number, &n)))
            return false;
        fluid_sources_at(s->seed, n, scene->size, weir_frame_data(frame, r->graph.sources));
        if (!good(weir_frame_submit(frame, NULL)))
            return false;
        show_progress(n + 1, s->frames);
    }
    while (seen < end)
        if (!see_end(r, s, seen++))
            return false;
    return true;
}

/* The first frames one task at a time; the others are planned by what tasks took. Not where the environment asks for other lanes. */
static bool run_alone(run *r, const settings *s, const fluid_scene *scene)
{
    weir_plan_summary plan;
    weir_plan_summarise(r->plan, &plan);
    r->measured = s->frames > ALONE && plan.lanes == 1;
    if (r->measured && !(run_frames(r, s, scene, ALONE) && good(weir_graph_take_costs(r->graph.frame, r->exec))))
        return false;
    r->first = r->measured ? ALONE : 0;
    return make_exec(r, s, false);
}

static bool run_all(run *r, const settings *s, const fluid_scene *scene)
{
    return (strcmp(s->timing, "alone") != 0 || run_alone(r, s, scene)) && run_frames(r, s, scene, s->frames);
}

/* Median times of a group's tasks in a frame, added up. */
static double group_time(const run *r, fluid_group group)
{
    double sum = 0.0;
    for (uint32_t number = r->graph.first[group]; number < r->graph.first[group + 1]; number++) {
        uint64_t count = 0;
        double median_ns = 0.0;
        weir_task task = {.number = number, .graph = r->graph.handles};
        if (weir_exec_task_stats(r->exec, task, &count, &median_ns) == WEIR_OK && count > 0)
            sum += median_ns;
    }
    return sum;
}

static void print_table(const run *r, const double *time, double all)
{
    printf("\n%-10s %6s %10s %7s\n", "group", "tasks", "ms/frame", "share");
    for (fluid_group g = 0; g < FLUID_GROUPS; g++)
        if (r->graph.first[g] < r->graph.first[g + 1])
            printf("%-10s %6" PRIu32 " %10.3f %6.1f%%\n", fluid_group_names[g], r->graph.first[g + 1] - r->graph.first[g], time[g] / 1e6,
                100.0 * time[g] / all);
    printf("%-10s %6" PRIu32 " %10.3f %6.1f%%\n", "together", r->graph.first[FLUID_GROUPS] - 1, all / 1e6, 100.0);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void print_solves(const run *r, const settings *s)
{
    const solves *all = &r->solves;
    const uint64_t a_test = s->sweeps_a_test;
    qsort(all->tests, all->frames, sizeof *all->tests, by_number);
    printf("pressure to %.3g: %" PRIu64 " sweeps a frame (median), %" PRIu64 " at most, a test after each %" PRIu64 "; residual %.3g at most", s->residual,
        all->tests[all->frames / 2] * a_test, all->tests[all->frames - 1] * a_test, a_test, (double)all->residual);
    if (all->given_up > 0)
        printf("; %" PRIu64 " frame%s ended at --sweeps-at-most", all->given_up, all->given_up == 1 ? "" : "s");
    printf("\n");
}

static void print_bound(const run *r)
{
    char why[512];
    if (r->measured && good(weir_exec_why(r->exec, why, sizeof why)))
        printf("%s\n", why);
}

/* Tasks have no times where none were asked for, and in a replay, which is launched as a whole. */
static void report(const run *r, const settings *s, fluid_size size)
{
    weir_plan_summary plan;
    weir_stats stats;
    double time[FLUID_GROUPS], all = 0.0;
    for (fluid_group g = 0; g < FLUID_GROUPS; g++)
        all += time[g] = group_time(r, g);
    const bool timed = all > 0.0;
    weir_plan_summarise(r->plan, &plan);
    weir_exec_stats(r->exec, &stats);
    printf("%" PRIu64 " frame%s of %d x %d", s->frames, s->frames == 1 ? "" : "s", (int)size.nx, (int)size.ny);
    if (r->writes)
        printf(": %s/frame-0001.png ..., all on one sheet: %s", r->writer.folder, r->writer.path);
    printf("\n%s, %s, %" PRIu32 " workers, %" PRIu32 " lanes, %s: %.3f ms a frame (median)", weir_runtime_backend(r->runtime), stats.mode,
        weir_runtime_workers(r->runtime), plan.lanes, plan.policy, stats.frame_ns / 1e6);
    if (s->in_flight > 1)
        printf(", %" PRIu64 " in flight", s->in_flight);
    if (s->in_flight > 1 && !isnan(stats.interval_ns))
        printf(", one every %.3f ms", stats.interval_ns / 1e6);
    printf("\n");
    print_bound(r);
    if (r->solves.tests)
        print_solves(r, s);
    if (timed)
        print_table(r, time, all);
}

static bool make_room_for_solves(run *r, const settings *s)
{
    if (!stops_at_residual(s))
        return true;
    r->solves.tests = calloc(s->frames, sizeof *r->solves.tests);
    if (!r->solves.tests)
        fprintf(stderr, "%s: no memory for %" PRIu64 " frames\n", program, s->frames);
    return r->solves.tests != NULL;
}

static bool work(run *r, const settings *s, const fluid_scene *scene)
{
    weir_exec *start = NULL;
    bool done = make_room_for_solves(r, s) && prepare(r, s, scene, &start) && run_start(r, start, scene);
    weir_exec_destroy(start);
    if (done && !run_all(r, s, scene)) {
        done = false;
        if (r->writes && r->writer.trouble.text[0]) {
            writer_failed(&r->writer);
            fprintf(stderr, "%s: %s: keeps the %" PRIu32 " frames written before\n", program, r->writer.folder, r->writer.written);
        }
    }
    if (done && r->writes && !frame_writer_sheet(&r->writer))
        done = writer_failed(&r->writer);
    if (done)
        report(r, s, scene->size);
    return done;
}

int main(int argc, char **argv)
{
    settings s = {.input = WEIR_FLUID_PICTURE, .solver = "red-black", .output = "out/fluid", .timing = "on", .frames = 120, .in_flight = 1, .priority = {-1, 0, 1}, .sweeps = 40, .seed = 1,
        .residual = 1e-3, .sweeps_a_test = 10, .sweeps_at_most = 2000};
    int ended = read_options(argc, argv, &s);
    if (ended >= 0)
        return ended;
    run r = {.writes = strcmp(s.output, "none") != 0};
    fluid_scene scene = {0};
    r.drift = (drift){&scene.image, s.drift};
    fluid_size size = {(int32_t)s.size.width, (int32_t)s.size.height};
    bool done = fluid_scene_read(program, s.input, s.mask, size, &scene);
    if (done && r.writes &&
        !frame_writer_init(&r.writer, s.output, (uint32_t)scene.size.nx, (uint32_t)scene.size.ny, (uint32_t)s.frames))
        done = writer_failed(&r.writer);
    done = done && work(&r, &s, &scene);
    weir_exec_destroy(r.exec);
    weir_plan_destroy(r.plan);
    weir_runtime_destroy(r.runtime);
    fluid_graph_destroy(&r.graph);
    frame_writer_finish(&r.writer);
    fluid_scene_free(&scene);
    free(r.solves.tests);
    return done ? EXIT_GOOD : EXIT_BAD_INPUT;
}
