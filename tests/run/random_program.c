/* random_program.c - see random_program.h. What a task computes is one function for truth and kernels; what is compared is order and
 * addresses. */
#include "run/random_program.h"
#include "util/random.h"
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a task does ---- */

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u);
    h ^= h >> 15;
    h *= 0x85ebca77u;
    h ^= h >> 13;
    return h;
}

static weir_box box_of(const random_program *program, const touching *a)
{
    const described *b = &program->buffers[a->buffer];
    return a->whole ? (weir_box){0, 0, 0, b->nx, b->ny, 1} : a->box;
}

static uint32_t element(const described *b, uint32_t x, uint32_t y)
{
    return y * b->nx + x;
}

/* Of all that it merely reads. */
static uint32_t hash_of_reads(const step *s, uint32_t *const *base, uint32_t param)
{
    uint32_t h = mix(s->id, s->value);
    if (s->takes_param)
        h = mix(h, param);
    for (uint32_t i = 0; i < s->access_count; i++) {
        const touching *a = &s->accesses[i];
        if (a->mode != WEIR_ARG_READ)
            continue;
        weir_box box = box_of(s->program, a);
        for (uint32_t y = box.y; y < box.y + box.ny; y++)
            for (uint32_t x = box.x; x < box.x + box.nx; x++)
                h = mix(h, base[i][element(&s->program->buffers[a->buffer], x, y)]);
    }
    return h;
}

/* Writes those elements that belong to blocks first .. first + count - 1: each block has those with its own remainder. */
static void write_elements(const step *s, uint32_t *const *base, uint32_t h, uint64_t first, uint64_t count)
{
    for (uint32_t i = 0; i < s->access_count; i++) {
        const touching *a = &s->accesses[i];
        if (a->mode == WEIR_ARG_READ)
            continue;
        weir_box box = box_of(s->program, a);
        for (uint32_t y = box.y; y < box.y + box.ny; y++)
            for (uint32_t x = box.x; x < box.x + box.nx; x++) {
                uint32_t e = element(&s->program->buffers[a->buffer], x, y), *at = &base[i][e];
                if (e % s->blocks < first || e % s->blocks >= first + count)
                    continue;
                if (a->mode == WEIR_ARG_REDUCE)
                    atomic_fetch_add_explicit((_Atomic uint32_t *)at, mix(h, e), memory_order_relaxed);
                else
                    *at = mix(h, a->mode == WEIR_ARG_READ_WRITE ? mix(*at, e) : e);
            }
    }
}

/* args: the step, the frame (a param), then the buffers. */
static void kernel(const weir_blocks *blocks, void *const *args)
{
    step *s = WEIR_PASSED(step *, args, 0);
    uint32_t frame = WEIR_PASSED(uint32_t, args, 1), *base[ACCESSES_MOST];
    for (uint32_t i = 0; i < s->access_count; i++)
        base[i] = WEIR_PASSED(uint32_t *, args, 2 + i);
    uint32_t h = hash_of_reads(s, base, frame);
    if (blocks->first == 0 && frame < FRAMES_MOST)
        s->seen[frame] = h;
    write_elements(s, base, h, blocks->first, blocks->count);
}

static weir_status host_function(void *user, void *const *args)
{
    (void)user;
    const weir_blocks all = {.first = 0, .count = 1};
    kernel(&all, args);
    return WEIR_OK;
}

/* ---- making ---- */

typedef struct {
    uint64_t random;
    random_program *program;
    bool written[BUFFERS_MOST]; /* this frame, all of it */
    bool never_written[BUFFERS_MOST]; /* a ring that this graph only reads */
} maker;

static uint32_t below(maker *m, uint32_t bound)
{
    return weir_random_below(&m->random, bound);
}

static bool chance(maker *m, uint32_t percent)
{
    return below(m, 100) < percent;
}

static void make_buffers(maker *m, bool rings)
{
    random_program *p = m->program;
    p->buffer_count = 2 + below(m, BUFFERS_MOST - 1);
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        described *d = &p->buffers[b];
        d->ny = chance(m, 50) ? 1 : 1 + below(m, 4);
        d->nx = 1 + below(m, ELEMENTS_MOST / d->ny);
        d->place = chance(m, 60) ? WEIR_DEVICE : WEIR_HOST_OUT;
        d->copies = 1;
        if (rings && chance(m, 50)) {
            static const uint32_t sizes[] = {2, 3, WEIR_RING_AUTO};
            d->copies = sizes[below(m, 3)];
            m->never_written[b] = chance(m, 10);
        }
    }
}

static bool is_ring(const described *d)
{
    return d->copies > 1;
}

static weir_box random_box(maker *m, const described *d)
{
    weir_box box = {.x = below(m, d->nx), .y = below(m, d->ny)};
    box.nx = 1 + below(m, d->nx - box.x);
    box.ny = 1 + below(m, d->ny - box.y);
    box.nz = 1;
    return box;
}

/* An access that the rules of rings and reduces allow at this point of the frame. */
static touching random_access(maker *m, uint32_t buffer)
{
    const described *d = &m->program->buffers[buffer];
    touching a = {.buffer = buffer, .whole = chance(m, 50), .box = random_box(m, d)};
    if (is_ring(d) && (m->never_written[buffer] || chance(m, 30))) {
        a.mode = WEIR_ARG_READ;
        uint32_t most = d->copies == WEIR_RING_AUTO ? BACK_MOST : d->copies - 1;
        a.back = m->never_written[buffer] && chance(m, 50) ? 0 : 1 + below(m, most);
    } else if (is_ring(d) && !m->written[buffer]) {
        a.mode = WEIR_ARG_WRITE;
        a.whole = true;
    } else {
        static const unsigned modes[] = {WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_REDUCE};
        a.mode = modes[below(m, m->written[buffer] ? 6 : 5)];
    }
    return a;
}

static void note_access(maker *m, const touching *a)
{
    described *d = &m->program->buffers[a->buffer];
    if (a->back > d->furthest_back)
        d->furthest_back = a->back;
    if (a->back == 0 && a->whole && (a->mode == WEIR_ARG_WRITE || a->mode == WEIR_ARG_READ_WRITE))
        m->written[a->buffer] = true;
}

static bool fits(maker *m, const step *s, uint32_t buffer)
{
    for (uint32_t i = 0; i < s->access_count; i++) /* once a task: what it reads of its own writes is not defined */
        if (s->accesses[i].buffer == buffer)
            return false;
    return s->what != DO_HOST || m->program->buffers[buffer].place != WEIR_DEVICE;
}

static void make_accesses(maker *m, step *s)
{
    uint32_t wanted = 1 + below(m, ACCESSES_MOST);
    for (uint32_t tries = 0; tries < 20 && s->access_count < wanted; tries++) {
        uint32_t buffer = below(m, m->program->buffer_count);
        if (fits(m, s, buffer))
            s->accesses[s->access_count++] = random_access(m, buffer);
    }
    for (uint32_t i = 0; i < s->access_count; i++)
        note_access(m, &s->accesses[i]);
}

/* From one buffer to another, boxes of equal extents; nothing if rules forbid it. */
static void make_copy(maker *m, step *s)
{
    random_program *p = m->program;
    uint32_t to = below(m, p->buffer_count), from = below(m, p->buffer_count);
    touching w = random_access(m, to), r = random_access(m, from);
    const described *dt = &p->buffers[to], *df = &p->buffers[from];
    if (to == from || w.mode != WEIR_ARG_WRITE || r.mode != WEIR_ARG_READ)
        return;
    bool must_be_whole = is_ring(dt) && !m->written[to];
    uint32_t nx = dt->nx < df->nx ? dt->nx : df->nx, ny = dt->ny < df->ny ? dt->ny : df->ny;
    if (must_be_whole && (dt->nx > df->nx || dt->ny > df->ny))
        return;
    w.whole = r.whole = false;
    if (!must_be_whole) {
        nx = 1 + below(m, nx);
        ny = 1 + below(m, ny);
    }
    w.box = (weir_box){must_be_whole ? 0 : below(m, dt->nx - nx + 1), must_be_whole ? 0 : below(m, dt->ny - ny + 1), 0, nx, ny, 1};
    r.box = (weir_box){below(m, df->nx - nx + 1), below(m, df->ny - ny + 1), 0, nx, ny, 1};
    if (nx == dt->nx && ny == dt->ny)
        m->written[to] = true;
    s->what = DO_COPY;
    s->accesses[0] = w;
    s->accesses[1] = r;
    s->access_count = 2;
    note_access(m, &w);
    note_access(m, &r);
}

static void make_fill(maker *m, step *s)
{
    touching w = random_access(m, below(m, m->program->buffer_count));
    if (w.mode != WEIR_ARG_WRITE)
        return;
    s->what = DO_FILL;
    s->pattern = below(m, UINT32_MAX);
    s->accesses[0] = w;
    s->access_count = 1;
    note_access(m, &w);
}

static void make_step(maker *m, uint32_t id)
{
    step *s = &m->program->steps[id];
    *s = (step){.what = DO_NOTHING, .id = id, .blocks = 1, .value = below(m, 1000), .program = m->program};
    snprintf(s->name, sizeof s->name, "t%u", id);
    s->takes_param = chance(m, 20);
    s->priority = chance(m, 20) ? (int32_t)below(m, 3) - 1 : 0;
    uint32_t kind = below(m, 100);
    if (kind < 60) {
        s->what = DO_KERNEL;
        s->blocks = chance(m, 50) ? 1 : 1 + below(m, 40);
        s->one_call = chance(m, 10);
        make_accesses(m, s);
    } else if (kind < 75) {
        s->what = DO_HOST;
        make_accesses(m, s);
    } else if (kind < 85) {
        make_copy(m, s);
    } else if (kind < 95) {
        make_fill(m, s);
    }
}

static bool steps_conflict(const random_program *p, const step *a, const step *b)
{
    for (uint32_t i = 0; i < a->access_count; i++)
        for (uint32_t j = 0; j < b->access_count; j++) {
            const touching *x = &a->accesses[i], *y = &b->accesses[j];
            if (x->buffer != y->buffer || (x->mode == y->mode && (x->mode == WEIR_ARG_READ || x->mode == WEIR_ARG_REDUCE)))
                continue;
            weir_box u = box_of(p, x), v = box_of(p, y);
            if (u.x < v.x + v.nx && v.x < u.x + u.nx && u.y < v.y + v.ny && v.y < u.y + u.ny)
                return true;
        }
    return false;
}

/* The transitive reduction of "conflicts with, and comes before": every edge is needed. */
static void make_edges(random_program *p)
{
    static _Thread_local bool reaches[TASKS_MOST][TASKS_MOST];
    memset(reaches, 0, sizeof reaches);
    for (uint32_t later = 0; later < p->step_count; later++)
        for (uint32_t earlier = later; earlier-- > 0;) {
            if (reaches[earlier][later] || !steps_conflict(p, &p->steps[earlier], &p->steps[later]))
                continue;
            p->edges[p->edge_count].later = later;
            p->edges[p->edge_count++].earlier = earlier;
            for (uint32_t t = 0; t <= earlier; t++)
                if (t == earlier || reaches[t][earlier])
                    reaches[t][later] = true;
        }
}

void random_program_make(random_program *program, uint64_t seed, const random_options *options)
{
    maker m = {.random = seed, .program = program};
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->explicit_only = options->explicit_only;
    make_buffers(&m, options->rings);
    program->step_count = 2 + below(&m, options->tasks_most - 1);
    for (uint32_t i = 0; i < program->step_count; i++)
        make_step(&m, i);
    if (program->explicit_only)
        make_edges(program);
}

/* ---- the truth ---- */

typedef struct {
    uint32_t data[BUFFERS_MOST][BACK_MOST + 1][ELEMENTS_MOST]; /* frame n's copy of a ring stands at n % (BACK_MOST + 1) */
} memory;

static uint32_t *copy_of(const random_program *p, memory *m, const touching *a, uint32_t frame)
{
    const described *d = &p->buffers[a->buffer];
    uint32_t at = is_ring(d) ? (frame + BACK_MOST + 1 - a->back) % (BACK_MOST + 1) : 0;
    return m->data[a->buffer][at];
}

static void compute_step(random_program *p, memory *m, step *s, uint32_t frame)
{
    uint32_t *base[ACCESSES_MOST];
    for (uint32_t i = 0; i < s->access_count; i++)
        base[i] = copy_of(p, m, &s->accesses[i], frame);
    if (s->what == DO_KERNEL || s->what == DO_HOST) {
        s->seen[frame] = hash_of_reads(s, base, frame);
        write_elements(s, base, s->seen[frame], 0, s->blocks);
    } else if (s->what == DO_COPY || s->what == DO_FILL) {
        const touching *w = &s->accesses[0], *r = &s->accesses[1];
        weir_box to = box_of(p, w);
        for (uint32_t y = 0; y < to.ny; y++)
            for (uint32_t x = 0; x < to.nx; x++)
                base[0][element(&p->buffers[w->buffer], to.x + x, to.y + y)] =
                    s->what == DO_FILL ? s->pattern : base[1][element(&p->buffers[r->buffer], r->box.x + x, r->box.y + y)];
    }
}

void random_program_compute(random_program *program, uint32_t frames, outcome *out)
{
    static _Thread_local memory m;
    memset(&m, 0, sizeof m);
    memset(out, 0, sizeof *out);
    for (uint32_t frame = 0; frame < frames; frame++)
        for (uint32_t i = 0; i < program->step_count; i++)
            compute_step(program, &m, &program->steps[i], frame);
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        touching newest = {.buffer = b};
        memcpy(out->data[b], copy_of(program, &m, &newest, frames - 1), sizeof out->data[b]);
    }
    for (uint32_t i = 0; i < program->step_count; i++) {
        memcpy(out->seen[i], program->steps[i].seen, sizeof out->seen[i]);
        memset(program->steps[i].seen, 0, sizeof program->steps[i].seen);
    }
}

/* ---- the same as a graph ---- */

static weir_arg arg_of(const declared *d, const touching *a)
{
    weir_arg arg = weir_arg_of(a->mode, d->buffers[a->buffer], NULL, NULL, 0);
    if (a->back > 0)
        arg = weir_back(arg, a->back);
    return a->whole ? arg : weir_part(arg, a->box);
}

static weir_task declare_step(declared *d, step *s)
{
    static const weir_kernel shared = {.name = "shared", .host = kernel}, one_call = {.name = "one call", .host = kernel, .flags = WEIR_KERNEL_ONE_CALL};
    weir_arg args[ACCESSES_MOST + 2] = {WEIR_VALUE(s), WEIR_PARAM(d->param)};
    for (uint32_t i = 0; i < s->access_count; i++)
        args[2 + i] = arg_of(d, &s->accesses[i]);
    const weir_args all = {args, 2 + s->access_count};
    weir_task task = {0, 0};
    switch (s->what) {
    case DO_KERNEL:
        task = weir_add_kernel(d->graph, s->one_call ? &one_call : &shared, (weir_shape){.grid = {s->blocks}}, all);
        break;
    case DO_HOST:
        task = weir_add_host(d->graph, s->name, host_function, NULL, all);
        break;
    case DO_COPY:
        task = weir_add_copy(d->graph, s->name, args[2], args[3]);
        break;
    case DO_FILL:
        task = weir_add_fill(d->graph, s->name, args[2], &s->pattern, sizeof s->pattern);
        break;
    case DO_NOTHING:
        task = weir_add_empty(d->graph, s->name);
        break;
    }
    weir_task_set(d->graph, task, &(weir_task_options){.name = s->name, .priority = s->priority, .cost_ns = 1 + s->value});
    return task;
}

void random_program_declare(random_program *program, uint32_t skip_edge, declared *out)
{
    static const char *const names[BUFFERS_MOST] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"};
    const uint32_t zero = 0;
    weir_task tasks[TASKS_MOST];
    memset(out, 0, sizeof *out);
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        const described *d = &program->buffers[b];
        weir_buffer_desc desc = {.name = names[b], .element_bytes = 4, .nx = d->nx, .ny = d->ny, .copies = d->copies, .place = d->place};
        ck_assert_int_eq(weir_buffer_create(&desc, &out->buffers[b]), WEIR_OK);
    }
    ck_assert_int_eq(weir_param_create("frame", &zero, sizeof zero, &out->param), WEIR_OK);
    ck_assert_int_eq(weir_graph_create("random", program->explicit_only ? WEIR_GRAPH_EXPLICIT : 0, &out->graph), WEIR_OK);
    for (uint32_t i = 0; i < program->step_count; i++)
        tasks[i] = declare_step(out, &program->steps[i]);
    for (uint32_t e = 0; e < program->edge_count; e++)
        if (e != skip_edge)
            weir_after(out->graph, tasks[program->edges[e].later], tasks[program->edges[e].earlier]);
    ck_assert_msg(weir_graph_status(out->graph) == WEIR_OK, "seed %llu: %s", (unsigned long long)program->seed, weir_last_error());
}

void declared_finish(declared *d)
{
    for (uint32_t b = 0; b < BUFFERS_MOST; b++)
        weir_buffer_destroy(d->buffers[b]);
    weir_param_destroy(d->param);
    weir_graph_destroy(d->graph);
}

#define MUST(call) ck_assert_msg((call) == WEIR_OK, "seed %llu: %s: %s", (unsigned long long)program->seed, #call, weir_last_error())

void random_program_run(random_program *program, declared *d, weir_runtime *runtime, const random_run *run, outcome *out)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_ticket last = {0};
    memset(out, 0, sizeof *out);
    MUST(weir_plan_create(d->graph, &(weir_plan_options){.policy = run->policy, .lanes = run->lanes, .frames = run->in_flight}, &plan));
    MUST(weir_plan_check(plan));
    MUST(weir_exec_create(runtime, plan, NULL, &exec));
    weir_plan_destroy(plan);
    for (uint32_t frame = 0; frame < run->frames; frame++) {
        weir_status set = weir_exec_set(exec, d->param, &frame);
        ck_assert(set == WEIR_OK || set == WEIR_ERR_INVALID); /* a program without kernels and host tasks is passed none */
        MUST(weir_exec_submit(exec, &last));
    }
    MUST(weir_exec_wait(exec, last, -1));
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        size_t bytes = (size_t)program->buffers[b].nx * program->buffers[b].ny * 4;
        weir_status read = weir_buffer_read(runtime, d->buffers[b], out->data[b], 0, bytes);
        ck_assert(read == WEIR_OK || read == WEIR_ERR_STATE); /* no task touches it */
    }
    weir_exec_destroy(exec);
    for (uint32_t i = 0; i < program->step_count; i++) {
        memcpy(out->seen[i], program->steps[i].seen, sizeof out->seen[i]);
        memset(program->steps[i].seen, 0, sizeof program->steps[i].seen);
    }
}

bool outcomes_differ(const random_program *program, const outcome *a, const outcome *b, uint32_t frames, bool print)
{
    for (uint32_t frame = 0; frame < frames; frame++)
        for (uint32_t i = 0; i < program->step_count; i++)
            if (a->seen[i][frame] != b->seen[i][frame]) {
                if (print)
                    fprintf(stderr, "seed %llu: task %u read something else in frame %u\n", (unsigned long long)program->seed, i, frame);
                return true;
            }
    for (uint32_t i = 0; i < program->buffer_count; i++)
        if (memcmp(a->data[i], b->data[i], sizeof a->data[i]) != 0) {
            if (print)
                fprintf(stderr, "seed %llu: buffer %u differs\n", (unsigned long long)program->seed, i);
            return true;
        }
    return false;
}
