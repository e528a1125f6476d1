/* cuda_frames_cost.c - what frames in flight cost: the host, to submit one, over its cudaGraphLaunch; and a frame, for each edge from one frame to
 * the next. Chains of kernels that do nothing, two frames in flight, replayed; by hand two graphs tied by event nodes. */
#include "cuda_inside.h"
#include "rival_slots.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 2, IN_A_ROW = 8, LAPS = 401 };

/* ---- weir: a chain whose first tasks follow themselves from frame to frame ---- */

typedef struct {
    weir_plan *plan;
    weir_exec *exec;
    weir_ticket back[FRAMES]; /* of the last frames; 0: none yet */
    uint64_t frames;          /* so far */
} chain;

static void chain_finish(void *self)
{
    chain *c = self;
    weir_exec_destroy(c->exec);
    weir_plan_destroy(c->plan);
    free(c);
}

/* The frame whose place this one takes is waited for first, so that submitting waits for nothing; only that is in submit_ns, begin and all. */
static bool chain_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    chain *c = self;
    weir_status status = WEIR_OK;
    double submitting_ns = 0.0, begun = timing_now_ns();
    for (uint32_t i = 0; i < frames && status == WEIR_OK; i++) {
        weir_ticket *place = &c->back[c->frames++ % FRAMES];
        if (place->number)
            status = weir_exec_wait(c->exec, *place, -1);
        double called = timing_now_ns();
        if (status == WEIR_OK)
            status = weir_exec_submit(c->exec, place);
        submitting_ns += timing_now_ns() - called;
    }
    if (status == WEIR_OK)
        status = weir_exec_wait(c->exec, c->back[(c->frames - 1) % FRAMES], -1);
    *out = (lap){submitting_ns / frames, (timing_now_ns() - begun) / frames};
    return trouble_weir(why, status);
}

static weir_status declare(const shape *s, const weir_kernel *kernel, spin_record *records, uint32_t ties, weir_graph **out)
{
    const declaration_data none = {{NULL}};
    const declared_kernel declared = {.kernel = kernel, .records = records};
    weir_status status = declaration_of_kernels(s, &none, &declared, out);
    if (status != WEIR_OK)
        return status;
    weir_task task = weir_graph_find(*out, kernel->name); /* the first */
    for (uint32_t t = 0; t < ties; t++, task.number++)
        weir_after_previous(*out, task, task, 1);
    return weir_graph_status(*out);
}

static bool chain_make(racer *out, weir_runtime *runtime, const weir_graph *graph, weir_way way, trouble *why)
{
    chain *c = calloc(1, sizeof *c);
    if (!c)
        return trouble_no_memory(why);
    weir_plan_options plan = weir_way_plan(way);
    weir_exec_options exec = weir_way_exec(way);
    weir_status status = weir_plan_create(graph, &plan, &c->plan);
    if (status == WEIR_OK)
        status = weir_exec_create(runtime, c->plan, &exec, &c->exec);
    if (!trouble_weir(why, status) || !weir_way_is_kept(way, c->exec, why)) {
        chain_finish(c);
        return false;
    }
    *out = (racer){.mode = way.mode, .lanes = way.lanes, .run = chain_run, .finish = chain_finish, .self = c};
    snprintf(out->how, sizeof out->how, "%s, F = %u", way.policy, (unsigned)way.frames);
    return true;
}

/* ---- both, on one chain ---- */

typedef struct {
    shape graph;
    uint32_t ties;
    tickets tickets;
    rival_work timed, checked;
    racer weir, rival;
} pair;

static bool make_weir(const cuda_bench *b, pair *p, const weir_kernel *kernel, spin_record *records, racer *out, trouble *why)
{
    const weir_way way = {.mode = "replay", .policy = "priority", .frames = FRAMES};
    weir_graph *graph = NULL;
    bool done = trouble_weir(why, declare(&p->graph, kernel, records, p->ties, &graph)) && chain_make(out, b->runtime, graph, way, why);
    weir_graph_destroy(graph);
    return done;
}

/* Frames in flight of tickets must all run; the order of each shows where it is waited for before the next. */
static bool check_racer(const pair *p, const racer *r, const char *who, trouble *why)
{
    trouble found = {""};
    lap unused;
    tickets t = p->tickets;
    bool right = tickets_clear(&t, &found) && r->run(r->self, 1, &unused, &found) && r->run(r->self, 1, &unused, &found) &&
        tickets_are_right(&t, 2, true, &found) && tickets_clear(&t, &found) && r->run(r->self, IN_A_ROW, &unused, &found) &&
        tickets_are_right(&t, IN_A_ROW, false, &found);
    if (!right)
        snprintf(why->text, sizeof why->text, "%s, %u tasks, %u edges between frames: %.400s", who, (unsigned)p->graph.tasks, (unsigned)p->ties,
            found.text);
    return right;
}

static bool check(const cuda_bench *b, pair *p, trouble *why)
{
    racer weir = {.mode = NULL}, rival = {.mode = NULL};
    bool right = make_weir(b, p, &spin_ticket, p->tickets.device, &weir, why) && check_racer(p, &weir, "weir", why) &&
        rival_tied_make(&rival, &b->pool, &p->graph, &p->checked, FRAMES, p->ties, why) && check_racer(p, &rival, "by hand", why);
    racer_finish(&weir);
    racer_finish(&rival);
    return right;
}

/* Those that are timed are made first, so that they take over no graph that the check has left. */
static bool pair_make(const cuda_bench *b, pair *p, uint32_t tasks, uint32_t ties, trouble *why)
{
    const void *timed = spin_empty_resolve(), *checked = spin_ticket_resolve();
    p->ties = ties;
    if (!timed || !checked) {
        snprintf(why->text, sizeof why->text, "dagbench has no kernels for this device; build it with CMAKE_CUDA_ARCHITECTURES=native");
        return false;
    }
    if (!shape_init(&p->graph, workload_find("chain"), tasks, 1))
        return trouble_no_memory(why);
    return tickets_init(&p->tickets, &p->graph, why) && rival_work_same(&p->timed, tasks, timed, NULL, why) &&
        rival_work_tickets(&p->checked, tasks, checked, &p->tickets.device, why) && make_weir(b, p, &spin_empty, NULL, &p->weir, why) &&
        rival_tied_make(&p->rival, &b->pool, &p->graph, &p->timed, FRAMES, ties, why) && check(b, p, why);
}

static void pair_finish(pair *p)
{
    racer_finish(&p->weir);
    racer_finish(&p->rival);
    rival_work_finish(&p->timed);
    rival_work_finish(&p->checked);
    tickets_finish(&p->tickets);
    shape_finish(&p->graph);
}

static race_length length_of(const cuda_bench *b)
{
    return (race_length){.laps = b->settings.repeat ? b->settings.repeat : LAPS, .budget_ns = b->settings.quick ? 0.3e9 : 1.5e9};
}

/* ---- the host's part ---- */

static bool measure_submission(cuda_bench *b, uint32_t tasks, trouble *why)
{
    pair p = {.ties = 0};
    racer *const list[] = {&p.weir, &p.rival};
    bool done = pair_make(b, &p, tasks, 1, why) && race_look(&p.weir, IN_A_ROW, 0.0, why) && race_look(&p.rival, IN_A_ROW, 0.0, why) &&
        race_run(list, 2, IN_A_ROW, length_of(b), why);
    b->on.graph = &p.graph;
    if (done) {
        cuda_print_us(b, "weir_submit_us", p.weir.result.submit_ns, &p.weir);
        cuda_print_us(b, "handwritten_launch_us", p.rival.result.submit_ns, &p.rival);
        cuda_print_us(b, "submit_over_launch_us", p.weir.result.submit_ns - p.rival.result.submit_ns, &p.weir);
    }
    pair_finish(&p);
    return done;
}

/* ---- an edge from frame to frame ---- */

enum { TIED_TASKS = 32, FEW_TIES = 1, MANY_TIES = 17 };

/* What one edge more adds. */
typedef struct {
    double weir_ns, rival_ns, weir_submit_ns, rival_submit_ns;
} slope;

static slope slope_of(const pair *few, const pair *many)
{
    const double edges = MANY_TIES - FEW_TIES;
    return (slope){
        (many->weir.result.done_ns - few->weir.result.done_ns) / edges,
        (many->rival.result.done_ns - few->rival.result.done_ns) / edges,
        (many->weir.result.submit_ns - few->weir.result.submit_ns) / edges,
        (many->rival.result.submit_ns - few->rival.result.submit_ns) / edges,
    };
}

static bool measure_edges(cuda_bench *b, trouble *why)
{
    pair few = {.ties = 0}, many = {.ties = 0};
    racer *const list[] = {&few.weir, &few.rival, &many.weir, &many.rival};
    slope alone = {0}, in_a_row = {0};
    bool done = pair_make(b, &few, TIED_TASKS, FEW_TIES, why) && pair_make(b, &many, TIED_TASKS, MANY_TIES, why);
    for (size_t i = 0; i < sizeof list / sizeof *list && done; i++)
        done = race_look(list[i], IN_A_ROW, 0.0, why);
    done = done && race_run(list, sizeof list / sizeof *list, 1, length_of(b), why);
    if (done)
        alone = slope_of(&few, &many);
    done = done && race_run(list, sizeof list / sizeof *list, 8 * IN_A_ROW, length_of(b), why);
    if (done)
        in_a_row = slope_of(&few, &many);
    b->on.graph = &many.graph;
    if (done) {
        cuda_print_us(b, "carried_edge_us", alone.weir_ns, &many.weir);
        cuda_print_us(b, "handwritten_carried_edge_us", alone.rival_ns, &many.rival);
        cuda_print_us(b, "carried_edge_interval_us", in_a_row.weir_ns, &many.weir);
        cuda_print_us(b, "handwritten_carried_edge_interval_us", in_a_row.rival_ns, &many.rival);
        cuda_print_us(b, "carried_edge_submit_us", in_a_row.weir_submit_ns, &many.weir);
        cuda_print_us(b, "handwritten_carried_edge_launch_us", in_a_row.rival_submit_ns, &many.rival);
    }
    pair_finish(&few);
    pair_finish(&many);
    return done;
}

bool cuda_measure_frames_cost(cuda_bench *b, const char *name, trouble *why)
{
    static const uint32_t tasks[] = {3, 100, 1000};
    bool done = true;
    b->on = (subject){.name = name};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks && done; i++)
        done = measure_submission(b, tasks[i], why);
    return done && measure_edges(b, why);
}
