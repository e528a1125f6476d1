/* cuda_fluid.c - the smoke of examples/fluid on CUDA: weir, eager and replayed, and a graph of the same kernels by hand. Each is first compared with
 * that, bit for bit, after the same frames. */
#include "cuda_inside.h"
#include "fluid_graph.h"
#include "fluid_rival.h"
#include "fluid_sources.h"
#include "timing.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARED_FRAMES = 7, SIDE = 1024 };

/* Weir's: graph and buffers are its own, since execs of one runtime share what a buffer holds. */
typedef struct {
    const fluid_input *input;
    weir_runtime *runtime;
    fluid_graph graph;
    weir_plan *plan;
    weir_exec *exec;
    weir_ticket last;
    uint64_t frames;
} smoke;

static void smoke_finish(void *self)
{
    smoke *s = self;
    weir_exec_destroy(s->exec);
    weir_plan_destroy(s->plan);
    fluid_graph_destroy(&s->graph);
    free(s);
}

static bool smoke_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    smoke *s = self;
    *out = (lap){0.0, 0.0};
    for (uint32_t i = 0; i < frames; i++) {
        weir_frame *frame = NULL;
        if (!trouble_weir(why, weir_exec_begin(s->exec, -1, &frame)))
            return false;
        fluid_sources_at(s->input->seed, s->frames, s->input->size, weir_frame_data(frame, s->graph.sources));
        double begun = timing_now_ns();
        weir_status status = weir_frame_submit(frame, &s->last);
        double submitted = timing_now_ns();
        if (status == WEIR_OK)
            status = weir_exec_wait(s->exec, s->last, -1);
        double ended = timing_now_ns();
        if (!trouble_weir(why, status))
            return false;
        out->submit_ns += (submitted - begun) / frames;
        out->done_ns += (ended - begun) / frames;
        s->frames++;
    }
    return true;
}

static bool run_start(smoke *s, weir_exec *start, trouble *why)
{
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    size_t cells = (size_t)s->input->size.nx * (size_t)s->input->size.ny;
    if (!trouble_weir(why, weir_exec_begin(start, -1, &frame)))
        return false;
    memcpy(weir_frame_data(frame, s->graph.picture), s->input->picture, 3 * cells * sizeof(float));
    memcpy(weir_frame_data(frame, s->graph.walls), s->input->walls, cells);
    weir_status status = weir_frame_submit(frame, &ticket);
    if (status == WEIR_OK)
        status = weir_exec_wait(start, ticket, -1);
    return trouble_weir(why, status);
}

static weir_status prepare(smoke *s, weir_way way, weir_exec **start)
{
    fluid_setup setup = {.size = s->input->size, .motion = s->input->motion, .sweeps = s->input->sweeps};
    weir_plan_options plan = weir_way_plan(way);
    weir_exec_options exec = weir_way_exec(way);
    weir_plan *start_plan = NULL;
    weir_status status = fluid_graph_create(&setup, &s->graph);
    if (status == WEIR_OK)
        status = weir_plan_create(s->graph.frame, &plan, &s->plan);
    if (status == WEIR_OK)
        status = weir_exec_create(s->runtime, s->plan, &exec, &s->exec);
    if (status == WEIR_OK)
        status = weir_plan_create(s->graph.start, NULL, &start_plan);
    if (status == WEIR_OK)
        status = weir_exec_create(s->runtime, start_plan, &(weir_exec_options){.mode = "eager"}, start);
    weir_plan_destroy(start_plan);
    return status;
}

static bool smoke_make(racer *out, weir_runtime *runtime, const fluid_input *input, weir_way way, trouble *why)
{
    weir_exec *start = NULL;
    smoke *s = calloc(1, sizeof *s);
    if (!s)
        return trouble_no_memory(why);
    s->input = input;
    s->runtime = runtime;
    bool done = trouble_weir(why, prepare(s, way, &start)) && run_start(s, start, why);
    weir_exec_destroy(start);
    if (!done) {
        smoke_finish(s);
        return false;
    }
    *out = (racer){.mode = way.mode, .lanes = way.lanes, .run = smoke_run, .finish = smoke_finish, .self = s};
    snprintf(out->how, sizeof out->how, "%s", way.policy);
    return true;
}

/* Fields by their places in fluid_graph.all, as fluid_graph.c makes them; the pixels come from the frame. */
static bool smoke_state(const smoke *s, fluid_state *state, trouble *why)
{
    static const int place[FLUID_PIXELS] = {4, 5, 6, 8, 10, 22, 23};
    for (int i = 0; i < FLUID_PIXELS; i++) {
        size_t bytes = fluid_field_bytes(s->input->size, i);
        if (!trouble_weir(why, weir_buffer_read(s->runtime, s->graph.all[place[i]], state->field[i], 0, bytes)))
            return false;
    }
    const void *pixels = weir_exec_data(s->exec, s->last, s->graph.pixels);
    if (!pixels)
        return trouble_weir(why, WEIR_ERR_STATE);
    memcpy(state->field[FLUID_PIXELS], pixels, fluid_field_bytes(s->input->size, FLUID_PIXELS));
    return true;
}

/* ---- the contest ---- */

typedef struct {
    fluid_input input;
    fluid_state wanted, found; /* after COMPARED_FRAMES */
    podium eager, replay, rival;
    shape tasks;               /* how many, for the lines that are printed */
} contest;

static bool run_compared(racer *r, trouble *why)
{
    lap unused;
    assert(r->run);
    return r->run(r->self, COMPARED_FRAMES, &unused, why);
}

static bool is_as_wanted(contest *c, const racer *r, const char *who, trouble *why)
{
    const char *field = fluid_state_difference(&c->wanted, &c->found, c->input.size);
    if (!field)
        return true;
    snprintf(why->text, sizeof why->text, "after %d frames, %s, %s, %s, %u lanes has another '%s' than the graph by hand", COMPARED_FRAMES, who, r->mode,
        r->how, (unsigned)r->lanes, field);
    return false;
}

static bool look_at_rival(cuda_bench *b, contest *c, trouble *why)
{
    bool done = true;
    for (int in_line = 0; in_line < 2 && done; in_line++) {
        racer r = {.mode = NULL};
        done = fluid_rival_make(&r, &c->input, in_line, why) && run_compared(&r, why) &&
            fluid_rival_state(&r, in_line ? &c->found : &c->wanted, why) && (!in_line || is_as_wanted(c, &r, "by hand", why)) &&
            race_look(&r, 1, 0.0, why);
        if (done) {
            cuda_print_us(b, "handwritten_sweep_us", r.result.done_ns, &r);
            podium_offer(&c->rival, &r);
        }
        racer_finish(&r);
    }
    return done;
}

static bool look_at_weir(cuda_bench *b, contest *c, weir_way way, podium *p, trouble *why)
{
    racer r = {.mode = NULL};
    bool done = smoke_make(&r, b->runtime, &c->input, way, why) && run_compared(&r, why) && smoke_state(r.self, &c->found, why) &&
        is_as_wanted(c, &r, "weir", why) && race_look(&r, 1, 0.0, why);
    if (done) {
        cuda_print_us(b, strcmp(way.mode, "eager") == 0 ? "fluid_eager_sweep_us" : "fluid_replay_sweep_us", r.result.done_ns, &r);
        podium_offer(p, &r);
    }
    racer_finish(&r);
    return done;
}

static bool look_at_all_of_weir(cuda_bench *b, contest *c, trouble *why)
{
    weir_way own_edges = {.mode = "replay", .policy = b->policy[0], .lanes = 0, .frames = 1};
    bool done = !b->replay || look_at_weir(b, c, own_edges, &c->replay, why);
    for (uint32_t l = 0; l < b->lane_counts; l++)
        for (uint32_t p = 0; p < b->policies && done; p++) {
            weir_way way = {.mode = "eager", .policy = b->policy[p], .lanes = b->lanes[l], .frames = 1};
            done = !b->eager || look_at_weir(b, c, way, &c->eager, why);
            way.mode = "replay";
            done = done && (!b->replay || look_at_weir(b, c, way, &c->replay, why));
            way.mode = "capture";
            done = done && (!b->capture || look_at_weir(b, c, way, &c->replay, why));
        }
    return done;
}

static uint32_t add_all(podium *p, racer **list, uint32_t count)
{
    for (uint32_t i = 0; i < p->count; i++)
        list[count++] = &p->best[i];
    return count;
}

static bool race(cuda_bench *b, contest *c, trouble *why)
{
    racer *list[3 * PODIUM];
    uint32_t rivals = add_all(&c->rival, list, 0), with_eager = add_all(&c->eager, list, rivals), all = add_all(&c->replay, list, with_eager);
    if (!race_run(list, all, 1, cuda_race_length(b), why))
        return false;
    racer *rival = race_winner(list, rivals);
    cuda_print_us(b, "handwritten_us", rival->result.done_ns, rival);
    if (with_eager > rivals) {
        racer *eager = race_winner(list + rivals, with_eager - rivals);
        cuda_print_us(b, "fluid_eager_us", eager->result.done_ns, eager);
        cuda_print_ratio(b, "fluid_eager_ratio", eager->result.done_ns, rival->result.done_ns, eager);
    }
    if (all > with_eager) {
        racer *replay = race_winner(list + with_eager, all - with_eager);
        cuda_print_us(b, "fluid_replay_us", replay->result.done_ns, replay);
        cuda_print_ratio(b, "fluid_replay_ratio", replay->result.done_ns, rival->result.done_ns, replay);
    }
    return true;
}

/* How many tasks a frame has. */
static bool count_tasks(contest *c, trouble *why)
{
    fluid_setup setup = {.size = c->input.size, .motion = c->input.motion, .sweeps = c->input.sweeps};
    fluid_graph graph = {0};
    bool done = trouble_weir(why, fluid_graph_create(&setup, &graph));
    c->tasks.tasks = graph.frame ? weir_graph_task_count(graph.frame) : 0;
    fluid_graph_destroy(&graph);
    return done;
}

static bool measure(cuda_bench *b, contest *c, trouble *why)
{
    if (!fluid_input_init(&c->input, (fluid_size){SIDE, SIDE}) || !fluid_state_init(&c->wanted, c->input.size) || !fluid_state_init(&c->found, c->input.size))
        return trouble_no_memory(why);
    return count_tasks(c, why) && look_at_rival(b, c, why) && look_at_all_of_weir(b, c, why) && race(b, c, why);
}

bool cuda_measure_fluid(cuda_bench *b, const char *name, trouble *why)
{
    contest c = {.tasks = {0}};
    b->on = (subject){.name = name, .graph = &c.tasks};
    bool done = measure(b, &c, why);
    podium_finish(&c.eager);
    podium_finish(&c.replay);
    podium_finish(&c.rival);
    fluid_state_finish(&c.wanted);
    fluid_state_finish(&c.found);
    fluid_input_finish(&c.input);
    return done;
}
