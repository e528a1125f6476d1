/* cuda_frames_fluid.c - the smoke of examples/fluid at 1920 x 1080 with an RGBA picture up and one down in each frame, one to three frames in flight:
 * how fast frames follow each other, against what no order of these tasks can beat.
 *
 * That bound comes from each task alone: timed by events, launched eagerly in one lane, each frame waited for, and behind a kernel that holds the
 * device until all of it is launched, so that no time has the host in it. Much of what an empty kernel takes there is the events' own part; behind
 * another in a replay it takes less. So the bound is there twice: of the times as they are, and less what an empty kernel takes there more than as a
 * node of a replayed chain. */
#include "cuda_inside.h"
#include "fluid_graph.h"
#include "fluid_input.h"
#include "fluid_sources.h"
#include "timing.h"
#include "weir/drawing.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 1920, NY = 1080, FRAMES_MOST = 3, COMPARED_FRAMES = 7, TIMED_FRAMES = 31, FED = 12, EMPTIES = 64, CHAIN = 1024, HOLD_US = 3000 };

/* Each racer's graph and buffers are its own, since execs of one runtime share what a buffer holds. */
typedef struct {
    const fluid_input *input;
    weir_runtime *runtime;
    fluid_graph graph;
    uint32_t tasks; /* of the frame */
    weir_plan *plan;
    weir_exec *exec;
    weir_ticket last;
    uint64_t frames; /* so far */
} smoke;

static void smoke_finish(void *self)
{
    smoke *s = self;
    weir_exec_destroy(s->exec);
    weir_plan_destroy(s->plan);
    fluid_graph_destroy(&s->graph);
    free(s);
}

/* ---- declaring ---- */

static weir_task task_of(const smoke *s, uint32_t t)
{
    return (weir_task){.number = t + 1, .graph = s->graph.handles};
}

/* Uploads first, what makes the picture last: a lane each. */
static weir_status declare(smoke *s, bool has_priorities)
{
    fluid_setup setup = {.size = s->input->size, .motion = s->input->motion, .sweeps = s->input->sweeps, .feeds = true};
    if (has_priorities)
        memcpy(setup.priority, (const int32_t[FLUID_STAGES]){-1, 0, 1}, sizeof setup.priority);
    weir_status status = fluid_graph_create(&setup, &s->graph);
    if (status == WEIR_OK)
        s->tasks = weir_graph_task_count(s->graph.frame);
    return status;
}

/* From the last to the first: what is said of a repeat's handle is said of all its tasks, and these come before it. share: 0 as it is. */
static bool describe(smoke *s, const double *cost_ns, float share, trouble *why)
{
    const weir_drawing *now = NULL;
    if (!trouble_weir(why, weir_drawing_of(s->graph.frame, NULL, &now)))
        return false;
    for (uint32_t t = s->tasks; t-- > 0;)
        weir_task_set(s->graph.frame, task_of(s, t), &(weir_task_options){.cost_ns = cost_ns[t], .priority = now->task[t].priority, .share = share});
    weir_drawing_destroy(now);
    return trouble_weir(why, weir_graph_status(s->graph.frame));
}

/* ---- running ---- */

static bool run_start(smoke *s, trouble *why)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_frame *frame = NULL;
    size_t cells = (size_t)NX * NY;
    weir_status status = weir_plan_create(s->graph.start, NULL, &plan);
    if (status == WEIR_OK)
        status = weir_exec_create(s->runtime, plan, &(weir_exec_options){.mode = "eager"}, &exec);
    if (status == WEIR_OK)
        status = weir_exec_begin(exec, -1, &frame);
    if (status == WEIR_OK) {
        memcpy(weir_frame_data(frame, s->graph.picture), s->input->picture, 3 * cells * sizeof(float));
        memcpy(weir_frame_data(frame, s->graph.walls), s->input->walls, cells);
        status = weir_frame_submit(frame, NULL);
    }
    if (status == WEIR_OK)
        status = weir_runtime_wait(s->runtime, -1);
    bool done = trouble_weir(why, status);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    return done;
}

static weir_status submit(smoke *s)
{
    weir_frame *frame = NULL;
    weir_status status = weir_exec_begin(s->exec, -1, &frame);
    if (status != WEIR_OK)
        return status;
    if (s->frames < FED) /* each copy of the ring once; then it stands there */
        memcpy(weir_frame_data(frame, s->graph.feed), s->input->rgba, (size_t)NX * NY * 4);
    fluid_sources_at(s->input->seed, s->frames++, s->input->size, weir_frame_data(frame, s->graph.sources));
    return weir_frame_submit(frame, &s->last);
}

static bool smoke_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    smoke *s = self;
    weir_status status = WEIR_OK;
    double begun = timing_now_ns();
    for (uint32_t i = 0; i < frames && status == WEIR_OK; i++)
        status = submit(s);
    double submitted = timing_now_ns();
    if (status == WEIR_OK)
        status = weir_exec_wait(s->exec, s->last, -1);
    double ended = timing_now_ns();
    *out = (lap){(submitted - begun) / frames, (ended - begun) / frames};
    return trouble_weir(why, status);
}

static smoke *smoke_declare(weir_runtime *runtime, const fluid_input *input, bool has_priorities, trouble *why)
{
    smoke *s = calloc(1, sizeof *s);
    if (!s) {
        trouble_no_memory(why);
        return NULL;
    }
    s->input = input;
    s->runtime = runtime;
    if (!trouble_weir(why, declare(s, has_priorities))) {
        smoke_finish(s);
        return NULL;
    }
    return s;
}

static bool bind(smoke *s, weir_way way, bool timing, trouble *why)
{
    weir_plan_options plan = weir_way_plan(way);
    weir_exec_options exec = weir_way_exec(way);
    exec.timing = timing;
    weir_status status = weir_plan_create(s->graph.frame, &plan, &s->plan);
    if (status == WEIR_OK)
        status = weir_exec_create(s->runtime, s->plan, &exec, &s->exec);
    return trouble_weir(why, status) && weir_way_is_kept(way, s->exec, why) && run_start(s, why);
}

/* ---- tasks alone ---- */

static int64_t hold_ticks(const cuda_bench *b)
{
    return (int64_t)(b->ticks_per_us * HOLD_US);
}

/* An exec of one kernel, after which the smoke's next frame starts, since that writes what this one says it reads. */
static bool make_hold(const cuda_bench *b, const smoke *s, weir_exec **out, trouble *why)
{
    const int64_t hold = hold_ticks(b);
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    weir_status status = weir_graph_create("hold", 0, &graph);
    if (status == WEIR_OK) {
        weir_add_kernel(graph, &spin_spin, (weir_shape){.block = {SPIN_THREADS}}, WEIR_ARGS(WEIR_VALUE(hold), weir_hidden(WEIR_READ(s->graph.u))));
        status = weir_plan_create(graph, NULL, &plan);
    }
    if (status == WEIR_OK)
        status = weir_exec_create(b->runtime, plan, &(weir_exec_options){.mode = "eager"}, out);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    return trouble_weir(why, status);
}

/* What an empty kernel takes between the two events of its times. */
static bool time_empties(const cuda_bench *b, double *ns, trouble *why)
{
    double median[EMPTIES];
    uint64_t count = 0;
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_task task[EMPTIES];
    const int64_t hold = hold_ticks(b);
    weir_status status = weir_graph_create("empties", WEIR_GRAPH_EXPLICIT, &graph);
    if (status == WEIR_OK)
        weir_add_kernel(graph, &spin_spin, (weir_shape){.block = {SPIN_THREADS}}, WEIR_ARGS(WEIR_VALUE(hold)));
    for (int i = 0; i < EMPTIES && status == WEIR_OK; i++)
        task[i] = weir_add_kernel(graph, &spin_empty, (weir_shape){.block = {SPIN_THREADS}}, weir_no_args()); /* in its lane behind the former */
    if (status == WEIR_OK)
        status = weir_plan_create(graph, &(weir_plan_options){.lanes = 1}, &plan);
    if (status == WEIR_OK)
        status = weir_exec_create(b->runtime, plan, &(weir_exec_options){.mode = "eager", .timing = 1}, &exec);
    for (int i = 0; i < TIMED_FRAMES && status == WEIR_OK; i++) {
        status = weir_exec_submit(exec, NULL);
        if (status == WEIR_OK)
            status = weir_runtime_wait(b->runtime, -1);
    }
    for (int i = 0; i < EMPTIES && status == WEIR_OK; i++)
        status = weir_exec_task_stats(exec, task[i], &count, &median[i]);
    if (status == WEIR_OK)
        *ns = timing_median(median, EMPTIES);
    bool done = trouble_weir(why, status);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    return done;
}

/* How long a replay takes of a chain of so many empty kernels. */
static bool time_chain(const cuda_bench *b, uint32_t tasks, double *ns, trouble *why)
{
    double frame_ns[TIMED_FRAMES];
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_task last = {0};
    weir_status status = weir_graph_create("chain", WEIR_GRAPH_EXPLICIT, &graph);
    for (uint32_t i = 0; i < tasks && status == WEIR_OK; i++) {
        weir_task task = weir_add_kernel(graph, &spin_empty, (weir_shape){.block = {SPIN_THREADS}}, weir_no_args());
        if (i > 0)
            weir_after(graph, task, last);
        last = task;
    }
    if (status == WEIR_OK)
        status = weir_plan_create(graph, NULL, &plan);
    if (status == WEIR_OK)
        status = weir_exec_create(b->runtime, plan, &(weir_exec_options){.mode = "replay"}, &exec);
    for (int i = -1; i < TIMED_FRAMES && status == WEIR_OK; i++) { /* the first one uploads */
        double begun = timing_now_ns();
        status = weir_exec_submit(exec, NULL);
        if (status == WEIR_OK)
            status = weir_runtime_wait(b->runtime, -1);
        if (i >= 0)
            frame_ns[i] = timing_now_ns() - begun;
    }
    if (status == WEIR_OK)
        *ns = timing_median(frame_ns, TIMED_FRAMES);
    bool done = trouble_weir(why, status);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    return done;
}

/* What an empty kernel adds to such a chain. */
static bool time_node(const cuda_bench *b, double *ns, trouble *why)
{
    double few_ns = 0, many_ns = 0;
    if (!time_chain(b, EMPTIES, &few_ns, why) || !time_chain(b, CHAIN, &many_ns, why))
        return false;
    *ns = (many_ns - few_ns) / (CHAIN - EMPTIES);
    return true;
}

/* *out: a cost for each task, the caller's to free; 0 for one that is empty. */
static bool time_tasks(cuda_bench *b, const fluid_input *input, double **out, uint32_t *tasks, trouble *why)
{
    const weir_way way = {.mode = "eager", .policy = "priority", .lanes = 1, .frames = 1};
    smoke *s = smoke_declare(b->runtime, input, false, why);
    if (!s)
        return false;
    double *cost_ns = calloc(s->tasks, sizeof *cost_ns);
    lap unused;
    uint64_t count = 0;
    weir_exec *hold = NULL;
    bool done = cost_ns ? bind(s, way, true, why) && make_hold(b, s, &hold, why) : trouble_no_memory(why);
    for (int i = 0; i < TIMED_FRAMES && done; i++)
        done = trouble_weir(why, weir_exec_submit(hold, NULL)) && smoke_run(s, 1, &unused, why);
    for (uint32_t t = 0; t < s->tasks && done; t++) {
        double ns = NAN;
        done = trouble_weir(why, weir_exec_task_stats(s->exec, task_of(s, t), &count, &ns));
        cost_ns[t] = isnan(ns) ? 0.0 : ns;
    }
    *tasks = s->tasks;
    weir_exec_destroy(hold);
    smoke_finish(s);
    if (done)
        *out = cost_ns;
    else
        free(cost_ns);
    return done;
}

/* ---- bounds ---- */

/* Of plans whose lanes bind nothing and whose kernels each fill the device. */
typedef struct {
    double path_ns, recurrence_ns, kernels_ns, up_ns, down_ns;
    double frame_ns[FRAMES_MOST];   /* with one frame in flight, two, three */
    char what[FRAMES_MOST][32];     /* that is */
} bounds;

static double sum_of(const weir_drawing *d, const uint32_t *task, uint32_t count)
{
    double ns = 0.0;
    for (uint32_t i = 0; i < count; i++)
        ns += d->task[task[i]].cost_ns;
    return ns;
}

static bool plan_bound(const smoke *s, uint32_t frames, bounds *out, trouble *why)
{
    weir_plan *plan = NULL;
    const weir_drawing *d = NULL;
    weir_status status = weir_plan_create(s->graph.frame, &(weir_plan_options){.policy = "priority", .lanes = 256, .frames = frames}, &plan);
    if (status == WEIR_OK)
        status = weir_drawing_of(NULL, plan, &d);
    if (status == WEIR_OK) {
        out->path_ns = sum_of(d, d->critical, d->critical_count);
        out->recurrence_ns = d->cycle_count > 0 ? sum_of(d, d->cycle, d->cycle_count) / d->cycle_frames : 0.0;
        out->frame_ns[frames - 1] = d->bound_ns;
        snprintf(out->what[frames - 1], sizeof out->what[0], "%s", d->binding);
    }
    weir_drawing_destroy(d);
    weir_plan_destroy(plan);
    return trouble_weir(why, status);
}

static bool find_bounds(cuda_bench *b, const fluid_input *input, const double *cost_ns, bounds *out, trouble *why)
{
    *out = (bounds){.path_ns = 0.0};
    smoke *s = smoke_declare(b->runtime, input, false, why);
    if (!s)
        return false;
    for (uint32_t t = 0; t < s->tasks; t++) {
        const uint32_t *first = s->graph.first, number = t + 1;
        const bool paints = weir_graph_find(s->graph.frame, "paint").number == number;
        if (!paints && number >= first[FLUID_UPLOAD] && number < first[FLUID_UPLOAD + 1])
            out->up_ns += cost_ns[t];
        else if (number >= first[FLUID_DOWNLOAD] && number < first[FLUID_DOWNLOAD + 1])
            out->down_ns += cost_ns[t];
        else
            out->kernels_ns += cost_ns[t];
    }
    bool done = describe(s, cost_ns, 1.0f, why);
    for (uint32_t frames = 1; frames <= FRAMES_MOST && done; frames++)
        done = plan_bound(s, frames, out, why);
    smoke_finish(s);
    return done;
}

/* ---- the race ---- */

enum { REPLAY, EAGER = REPLAY + FRAMES_MOST, ONE_STREAM = EAGER + FRAMES_MOST, RACERS };

typedef struct {
    fluid_input input;
    shape counted;         /* how many tasks, for the lines that are printed */
    double *cost_ns;       /* of each task */
    double empty_ns, node_ns; /* what an empty kernel takes between its events, and in a chain */
    bounds whole, least;   /* of the times as they are, and less the difference of these two */
    racer racer[RACERS];   /* zeroed: not asked for */
    uint8_t *wanted;       /* the picture after COMPARED_FRAMES */
} contest;

static bool make_racer(cuda_bench *b, contest *c, racer *out, weir_way way, bool has_priorities, trouble *why)
{
    smoke *s = smoke_declare(b->runtime, &c->input, has_priorities, why);
    if (!s)
        return false;
    if (!describe(s, c->cost_ns, 0.0f, why) || !bind(s, way, false, why)) {
        smoke_finish(s);
        return false;
    }
    weir_plan_summary made;
    weir_plan_summarise(s->plan, &made);
    *out = (racer){.mode = way.mode, .run = smoke_run, .finish = smoke_finish, .self = s};
    out->lanes = strcmp(way.mode, "eager") == 0 ? made.lanes : way.lanes;
    snprintf(out->how, sizeof out->how, "%s, F = %u", way.policy, (unsigned)way.frames);
    return true;
}

/* All must make the same picture, bit for bit: the first one's. */
static bool compare(contest *c, const racer *r, trouble *why)
{
    const size_t bytes = (size_t)NX * NY * 4;
    const smoke *s = r->self;
    lap unused;
    if (!r->run(r->self, COMPARED_FRAMES, &unused, why))
        return false;
    const void *pixels = weir_exec_data(s->exec, s->last, s->graph.pixels);
    if (!pixels)
        return trouble_weir(why, WEIR_ERR_STATE);
    if (!c->wanted) {
        c->wanted = malloc(bytes);
        if (!c->wanted)
            return trouble_no_memory(why);
        memcpy(c->wanted, pixels, bytes);
    }
    bool same = memcmp(c->wanted, pixels, bytes) == 0;
    if (!same)
        snprintf(why->text, sizeof why->text, "after %d frames, %s, %s, has another picture than the first way to run it", COMPARED_FRAMES, r->mode, r->how);
    return same;
}

static bool make_racers(cuda_bench *b, contest *c, trouble *why)
{
    bool done = true;
    for (uint32_t f = 1; f <= FRAMES_MOST && done; f++) {
        weir_way way = {.mode = "replay", .policy = b->policy[0], .frames = f};
        done = !b->replay || (make_racer(b, c, &c->racer[REPLAY + f - 1], way, false, why) && compare(c, &c->racer[REPLAY + f - 1], why));
        way.mode = "eager";
        done = done && (!b->eager || (make_racer(b, c, &c->racer[EAGER + f - 1], way, true, why) && compare(c, &c->racer[EAGER + f - 1], why)));
    }
    weir_way one = {.mode = "eager", .policy = b->policy[0], .lanes = 1, .frames = FRAMES_MOST};
    return done && (!b->eager || (make_racer(b, c, &c->racer[ONE_STREAM], one, false, why) && compare(c, &c->racer[ONE_STREAM], why)));
}

static bool race(cuda_bench *b, contest *c, trouble *why)
{
    enum { FEW = 20, MANY = 60 };
    const uint32_t frames = b->settings.quick ? FEW : MANY;
    racer *list[RACERS];
    uint32_t count = 0;
    race_length length = cuda_race_length(b);
    bool done = true;
    length.budget_ns *= 2; /* all of them together */
    for (int i = 0; i < RACERS && done; i++)
        if (c->racer[i].run) {
            list[count++] = &c->racer[i];
            done = race_look(&c->racer[i], frames, 0.0, why);
        }
    return done && (count == 0 || race_run(list, count, frames, length, why));
}

/* ---- printing ---- */

static void print_bounds(const cuda_bench *b, const contest *c)
{
    cuda_print_us(b, "fluid_recurrence_us", c->whole.recurrence_ns, NULL);
    cuda_print_us(b, "fluid_critical_path_us", c->whole.path_ns, NULL);
    cuda_print_us(b, "fluid_kernels_us", c->whole.kernels_ns, NULL);
    cuda_print_us(b, "fluid_upload_us", c->whole.up_ns, NULL);
    cuda_print_us(b, "fluid_download_us", c->whole.down_ns, NULL);
    cuda_print_us(b, "empty_kernel_us", c->empty_ns, NULL);
    cuda_print_us(b, "empty_node_us", c->node_ns, NULL);
}

/* The row of the bound says what binds where a policy would stand. */
static void print_racer(const cuda_bench *b, const contest *c, const racer *r, uint32_t frames)
{
    racer said = {.mode = r->mode, .lanes = r->lanes};
    const double bound_ns = c->whole.frame_ns[frames - 1], least_ns = c->least.frame_ns[frames - 1];
    snprintf(said.how, sizeof said.how, "%s, F = %" PRIu32, c->whole.what[frames - 1], frames);
    cuda_print_us(b, "fluid_interval_us", r->result.done_ns, r);
    cuda_print_us(b, "fluid_bound_us", bound_ns, &said);
    cuda_print_ratio(b, "fluid_bound_ratio", r->result.done_ns, bound_ns, r);
    cuda_print_ratio(b, "fluid_least_bound_ratio", r->result.done_ns, least_ns, r);
}

static void print_savings(const cuda_bench *b, const contest *c)
{
    const racer *replay = &c->racer[REPLAY], *eager = &c->racer[EAGER], *one = &c->racer[ONE_STREAM];
    if (one->run)
        cuda_print_us(b, "one_stream_us", one->result.done_ns, one);
    if (replay->run)
        cuda_print_ratio(b, "replay_saving", replay[0].result.done_ns, replay[FRAMES_MOST - 1].result.done_ns, &replay[FRAMES_MOST - 1]);
    if (eager->run)
        cuda_print_ratio(b, "eager_saving", eager[0].result.done_ns, eager[FRAMES_MOST - 1].result.done_ns, &eager[FRAMES_MOST - 1]);
    if (one->run && replay->run)
        cuda_print_ratio(b, "one_stream_saving", one->result.done_ns, replay[FRAMES_MOST - 1].result.done_ns, &replay[FRAMES_MOST - 1]);
}

static void print_all(const cuda_bench *b, const contest *c)
{
    print_bounds(b, c);
    for (uint32_t f = 1; f <= FRAMES_MOST; f++) {
        if (b->replay)
            print_racer(b, c, &c->racer[REPLAY + f - 1], f);
        if (b->eager)
            print_racer(b, c, &c->racer[EAGER + f - 1], f);
    }
    print_savings(b, c);
}

static bool look_at_tasks(cuda_bench *b, contest *c, trouble *why)
{
    uint32_t tasks = 0;
    if (!time_empties(b, &c->empty_ns, why) || !time_node(b, &c->node_ns, why) || !time_tasks(b, &c->input, &c->cost_ns, &tasks, why) ||
        !find_bounds(b, &c->input, c->cost_ns, &c->whole, why))
        return false;
    c->counted.tasks = tasks;
    double *least_ns = calloc(tasks, sizeof *least_ns);
    if (!least_ns)
        return trouble_no_memory(why);
    const double events_ns = c->empty_ns > c->node_ns ? c->empty_ns - c->node_ns : 0.0;
    for (uint32_t t = 0; t < tasks; t++)
        least_ns[t] = c->cost_ns[t] > events_ns ? c->cost_ns[t] - events_ns : 1e-3 * (c->cost_ns[t] > 0.0);
    bool done = find_bounds(b, &c->input, least_ns, &c->least, why);
    free(least_ns);
    return done;
}

bool cuda_measure_frames_fluid(cuda_bench *b, const char *name, trouble *why)
{
    contest c = {.cost_ns = NULL};
    b->on = (subject){.name = name, .graph = &c.counted};
    bool done = fluid_input_init(&c.input, (fluid_size){NX, NY}) || trouble_no_memory(why);
    done = done && look_at_tasks(b, &c, why) && make_racers(b, &c, why) && race(b, &c, why);
    if (done)
        print_all(b, &c);
    for (int i = 0; i < RACERS; i++)
        racer_finish(&c.racer[i]);
    free(c.cost_ns);
    free(c.wanted);
    fluid_input_finish(&c.input);
    return done;
}
