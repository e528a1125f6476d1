/* random_program.c - see random_program.h. What a task computes is random_step.h for truth and kernels; what is compared is order and
 * addresses. Built with RANDOM_PROGRAM_CUDA, kernels have a device twin, random_step.cu. */
#include "run/random_program.h"
#include "util/random.h"
#ifdef RANDOM_PROGRAM_CUDA
#include "weir/cuda.h"
#endif
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a task does ---- */

static random_cells cells_of(const random_program *program, const touching *a)
{
    const described *b = &program->buffers[a->buffer];
    weir_box box = a->whole ? (weir_box){0, 0, 0, b->nx, b->ny, 1} : a->box;
    return (random_cells){a->mode, box.x, box.y, box.nx, box.ny, b->row, b->word};
}

static random_code code_of(const random_program *program, const step *s)
{
    random_code code = {.id = s->id, .value = s->value, .blocks = s->blocks, .access_count = s->access_count, .takes_frame = s->takes_frame,
                        .delay = s->delay, .seen = program->seen[s->id]};
    for (uint32_t i = 0; i < s->access_count; i++)
        code.cells[i] = cells_of(program, &s->accesses[i]);
    return code;
}

static void add(uint32_t *to, uint32_t value)
{
    atomic_fetch_add_explicit((_Atomic uint32_t *)to, value, memory_order_relaxed);
}

/* Of all that it merely reads. */
static uint32_t sum_of_reads(const random_code *code, uint32_t *const *base, uint32_t frame, uint32_t other)
{
    uint32_t sum = random_start(code, frame, other);
    for (uint32_t i = 0; i < code->access_count; i++)
        for (uint32_t c = 0; code->cells[i].mode == WEIR_ARG_READ && c < random_cell_count(&code->cells[i]); c++) {
            uint32_t e = random_element(&code->cells[i], c);
            sum += random_read(i, e, base[i][e]);
        }
    return sum;
}

/* Writes those elements that belong to blocks first .. first + count - 1: each block has those with its own remainder. */
static void write_elements(const random_code *code, uint32_t *const *base, uint32_t sum, uint64_t first, uint64_t count)
{
    for (uint32_t i = 0; i < code->access_count; i++) {
        const random_cells *cells = &code->cells[i];
        for (uint32_t c = 0; cells->mode != WEIR_ARG_READ && c < random_cell_count(cells); c++) {
            uint32_t e = random_element(cells, c), *at = &base[i][e];
            if (e % code->blocks < first || e % code->blocks >= first + count)
                continue;
            if (cells->mode == WEIR_ARG_REDUCE)
                add(at, random_written(cells, sum, e, 0));
            else
                *at = random_written(cells, sum, e, *at);
        }
    }
}

static void compute(const random_code *code, uint32_t *const *base, uint32_t frame, uint32_t other, uint64_t first, uint64_t count)
{
    uint32_t sum = sum_of_reads(code, base, frame, other);
    if (first == 0)
        add(&code->seen[random_slot(code, frame)], sum);
    write_elements(code, base, sum, first, count);
}

enum { BUFFERS_FROM = 3 }; /* args: the code, the frame's number, the other param, then as many buffers as any task has */

static void kernel(const weir_blocks *blocks, void *const *args)
{
    const random_code code = WEIR_PASSED(random_code, args, 0);
    uint32_t *base[ACCESSES_MOST];
    for (uint32_t i = 0; i < ACCESSES_MOST; i++)
        base[i] = WEIR_PASSED(uint32_t *, args, BUFFERS_FROM + i);
    compute(&code, base, WEIR_PASSED(uint32_t, args, 1), WEIR_PASSED(uint32_t, args, 2), blocks->first, blocks->count);
}

static weir_status host_function(void *user, void *const *args)
{
    (void)user;
    const weir_blocks all = {.first = 0, .count = 1};
    kernel(&all, args);
    return WEIR_OK;
}

static weir_status native_on_host(void *user, void *const *args)
{
    (void)user;
    const weir_blocks all = {.first = 0, .count = WEIR_PASSED(random_code, args, 0).blocks};
    kernel(&all, args);
    return WEIR_OK;
}

#ifdef RANDOM_PROGRAM_CUDA
const void *random_step_resolve(void);
#define RESOLVE random_step_resolve
const void *random_early_resolve(void);
#define RESOLVE_EARLY random_early_resolve
static weir_status enqueue(void *user, weir_native_call *call)
{
    (void)user;
    void **args = (void **)(uintptr_t)weir_native_args(call);
    const struct dim3 grid = {WEIR_PASSED(random_code, args, 0).blocks, 1, 1}, block = {32, 1, 1};
    return cudaLaunchKernel(random_step_resolve(), grid, block, args, 0, weir_native_stream(call)) == cudaSuccess ? WEIR_OK : WEIR_ERR_DEVICE;
}
#define ENQUEUE enqueue
#else
#define ENQUEUE NULL
#define RESOLVE NULL
#define RESOLVE_EARLY NULL
#endif

static const uint16_t kernel_bytes[] = {sizeof(random_code), 4, 4, sizeof(void *), sizeof(void *), sizeof(void *), sizeof(void *)};
static const weir_kernel shared_kernel = {"shared", NULL, RESOLVE, kernel, kernel_bytes, BUFFERS_FROM + ACCESSES_MOST, 0};
static const weir_kernel one_call_kernel = {"one call", NULL, RESOLVE, kernel, kernel_bytes, BUFFERS_FROM + ACCESSES_MOST, WEIR_KERNEL_ONE_CALL};
static const weir_native native_step = {.name = "native", .enqueue = ENQUEUE, .host = native_on_host};
static const weir_kernel early_kernel = {"early", NULL, RESOLVE_EARLY, kernel, kernel_bytes, BUFFERS_FROM + ACCESSES_MOST, WEIR_KERNEL_PROGRAMMATIC};

/* What is passed in a frame to those that take it. */
static uint32_t other_value(uint32_t frame)
{
    return frame / 3 * 77 + 5;
}

/* What the program puts into a WEIR_HOST_IN buffer. */
static uint32_t input_value(const random_program *program, uint32_t buffer, uint32_t frame, uint32_t element)
{
    uint32_t hash = random_mix(random_mix((uint32_t)program->seed, buffer * 64 + frame), element);
    return program->buffers[buffer].word ? hash % WORDS_UP_TO : hash;
}

static void fill_input(const random_program *program, uint32_t buffer, uint32_t frame, uint32_t *to)
{
    const described *d = &program->buffers[buffer];
    for (uint32_t y = 0; y < d->ny; y++)
        for (uint32_t x = 0; x < d->nx; x++)
            to[y * d->row + x] = input_value(program, buffer, frame, y * d->row + x);
}

static bool is_control(const step *s)
{
    return s->what >= DO_WHILE;
}

static bool touches(const random_program *program, uint32_t buffer, bool merely_reads_count)
{
    for (uint32_t i = 0; i < program->all_steps; i++) {
        if (merely_reads_count && is_control(&program->steps[i]) && program->steps[i].word == buffer)
            return true;
        for (uint32_t a = 0; a < program->steps[i].access_count; a++) {
            const touching *t = &program->steps[i].accesses[a];
            if (t->buffer == buffer && (merely_reads_count || t->mode != WEIR_ARG_READ))
                return true;
        }
    }
    return false;
}

/* ---- making ---- */

typedef struct {
    uint64_t random;
    random_program *program;
    bool written[BUFFERS_MOST]; /* this frame, all of it */
    bool never_written[BUFFERS_MOST]; /* a ring that this graph only reads */
    uint32_t inside;                  /* loops and branches that what is made stands in */
    bool straight;
} maker;

static uint32_t below(maker *m, uint32_t bound)
{
    return weir_random_below(&m->random, bound);
}

static bool chance(maker *m, uint32_t percent)
{
    return below(m, 100) < percent;
}

static weir_place random_place(maker *m)
{
    uint32_t place = below(m, 100);
    return place < 55 ? WEIR_DEVICE : place < 85 ? WEIR_HOST_OUT : place < 95 ? WEIR_HOST_IN : WEIR_HOST_LOCAL;
}

/* All rings of one size, or each its own: these and those of automatic size, at most BACK_MOST + 1, go into 12 slots together. */
static uint32_t ring_copies(maker *m, uint32_t common)
{
    static const uint32_t mixed[] = {2, 3, 4, 6, WEIR_RING_AUTO};
    return common != 0 ? common : mixed[below(m, 5)];
}

static uint32_t common_copies(maker *m)
{
    static const uint32_t common[] = {2, 3, 4, 5, WEIR_RING_AUTO};
    return chance(m, 40) ? common[below(m, 5)] : 0;
}

static void make_buffers(maker *m, bool rings)
{
    random_program *p = m->program;
    const uint32_t common = rings ? common_copies(m) : 0;
    p->buffer_count = 2 + below(m, BUFFERS_MOST - 1);
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        described *d = &p->buffers[b];
        d->ny = chance(m, 50) ? 1 : 1 + below(m, 4);
        d->nx = 1 + below(m, ELEMENTS_MOST / d->ny);
        d->row = d->nx;
        if (chance(m, 20) && (d->nx + 3) * d->ny <= ELEMENTS_MOST)
            d->row += 1 + below(m, 3);
        d->place = random_place(m);
        d->copies = 1;
        if (!p->explicit_only && d->place != WEIR_HOST_LOCAL && chance(m, 25)) {
            d->nx = d->ny = d->row = 1;
            d->word = true;
            continue;
        }
        if (rings && chance(m, 50)) {
            d->copies = ring_copies(m, common);
            if (p->explicit_only && d->copies == WEIR_RING_AUTO) /* what edges are needed must not depend on the frames in flight */
                d->copies = BACK_MOST + 1;
            m->never_written[b] = chance(m, 10);
        }
    }
}

static bool is_ring(const described *d)
{
    return d->copies > 1;
}

/* How far one may look back. */
static uint32_t furthest_back(const described *d)
{
    return d->copies - 1 < BACK_MOST ? d->copies - 1 : BACK_MOST;
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
    if (d->place == WEIR_HOST_IN) {
        a.mode = WEIR_ARG_READ;
        a.back = is_ring(d) && chance(m, 50) ? 1 + below(m, furthest_back(d)) : 0;
    } else if (is_ring(d) && (m->never_written[buffer] || (m->inside && !m->written[buffer]) || chance(m, 30))) {
        a.mode = WEIR_ARG_READ;
        a.back = m->never_written[buffer] && chance(m, 50) ? 0 : 1 + below(m, furthest_back(d)); /* what a body writes must be written before, as a whole */
    } else if (is_ring(d) && !m->written[buffer]) {
        a.mode = WEIR_ARG_WRITE;
        a.whole = true;
    } else {
        static const unsigned modes_of_words[] = {WEIR_ARG_READ, WEIR_ARG_READ_WRITE, WEIR_ARG_WRITE, WEIR_ARG_WRITE};
        static const unsigned modes[] = {WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_REDUCE};
        a.mode = d->word ? modes_of_words[below(m, 4)] : modes[below(m, m->written[buffer] ? 6 : 5)];
    }
    return a;
}

static void note_access(maker *m, const touching *a)
{
    described *d = &m->program->buffers[a->buffer];
    if (a->back > d->furthest_back)
        d->furthest_back = a->back;
    if (m->inside == 0 && a->back == 0 && a->whole && (a->mode == WEIR_ARG_WRITE || a->mode == WEIR_ARG_READ_WRITE)) /* a body may never run */
        m->written[a->buffer] = true;
}

static bool fits(maker *m, const step *s, uint32_t buffer)
{
    for (uint32_t i = 0; i < s->access_count; i++) /* once a task: what it reads of its own writes is not defined */
        if (s->accesses[i].buffer == buffer)
            return false;
    weir_place place = m->program->buffers[buffer].place;
    return s->what == DO_HOST ? place != WEIR_DEVICE : place != WEIR_HOST_LOCAL;
}

static void make_accesses(maker *m, step *s)
{
    uint32_t wanted = 1 + below(m, ACCESSES_MOST);
    for (uint32_t tries = 0; tries < 20 && s->access_count < wanted; tries++) {
        uint32_t buffer = below(m, m->program->buffer_count);
        if (!fits(m, s, buffer))
            continue;
        touching *a = &s->accesses[s->access_count++];
        *a = random_access(m, buffer);
        if (s->what == DO_HOST && a->mode == WEIR_ARG_REDUCE) /* an atomic of the host and one of the device do not see each other */
            a->mode = WEIR_ARG_READ_WRITE;
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
    if (to == from || w.mode != WEIR_ARG_WRITE || r.mode != WEIR_ARG_READ || dt->place == WEIR_HOST_LOCAL || df->place == WEIR_HOST_LOCAL)
        return;
    bool must_be_whole = is_ring(dt) && !m->written[to];
    uint32_t nx = dt->nx < df->nx ? dt->nx : df->nx, ny = dt->ny < df->ny ? dt->ny : df->ny;
    if (m->inside && dt->place != WEIR_DEVICE && df->place != WEIR_DEVICE) /* between host places: refused in a body */
        return;
    if (must_be_whole && (dt->nx > df->nx || dt->ny > df->ny))
        return;
    w.whole = r.whole = false;
    if (!must_be_whole) {
        nx = 1 + below(m, nx);
        ny = 1 + below(m, ny);
    }
    w.box = (weir_box){must_be_whole ? 0 : below(m, dt->nx - nx + 1), must_be_whole ? 0 : below(m, dt->ny - ny + 1), 0, nx, ny, 1};
    r.box = (weir_box){below(m, df->nx - nx + 1), below(m, df->ny - ny + 1), 0, nx, ny, 1};
    if (m->inside == 0 && nx == dt->nx && ny == dt->ny)
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
    if (w.mode != WEIR_ARG_WRITE || m->program->buffers[w.buffer].place == WEIR_HOST_LOCAL)
        return;
    s->what = DO_FILL;
    s->pattern_bytes = 1u << below(m, 3);
    s->pattern = below(m, UINT32_MAX) % (s->pattern_bytes == 4 ? UINT32_MAX : 1u << 8 * s->pattern_bytes);
    s->accesses[0] = w;
    s->access_count = 1;
    note_access(m, &w);
}

static void make_step(maker *m, uint32_t id);

/* One of a loop's steps counts its word down, or writes it anew, or it would be refused. */
static void make_counting_step(maker *m, uint32_t id, uint32_t word)
{
    step *s = &m->program->steps[id];
    *s = (step){.what = DO_KERNEL, .id = id, .blocks = 1, .value = below(m, 1000), .takes_frame = chance(m, 50), .access_count = 1};
    snprintf(s->name, sizeof s->name, "t%u", id);
    s->accesses[0] = (touching){.buffer = word, .mode = chance(m, 80) ? WEIR_ARG_READ_WRITE : WEIR_ARG_WRITE, .whole = true};
}

/* So many steps in a row, fewer if there is no room; the bodies of loops and branches among them come behind. */
static void make_body(maker *m, step *s, uint32_t body, uint32_t wanted)
{
    random_program *p = m->program;
    uint32_t room = STEPS_MOST - p->all_steps, first = p->all_steps, count = wanted < room ? wanted : room;
    uint32_t counting = s->what == DO_WHILE ? below(m, count) : UINT32_MAX;
    s->bodies[body].first = first;
    s->bodies[body].count = count;
    p->all_steps += count;
    m->inside++;
    for (uint32_t i = 0; i < count; i++)
        if (i == counting)
            make_counting_step(m, first + i, s->word);
        else
            make_step(m, first + i);
    m->inside--;
}

/* Nothing, if no buffer can decide, or there are steps enough. */
static void make_control(maker *m, step *s)
{
    random_program *p = m->program;
    const doing kind = DO_WHILE + below(m, 3);
    const uint32_t word = below(m, p->buffer_count);
    if (m->straight || !p->buffers[word].word || m->inside > 2 || p->all_steps == STEPS_MOST || (kind == DO_WHILE && p->buffers[word].place == WEIR_HOST_IN))
        return;
    s->what = kind;
    s->word = word;
    s->body_count = kind == DO_WHILE ? 1 : kind == DO_IF ? 1 + below(m, 2) : 1 + below(m, BODIES_MOST);
    s->at_most = 1 + below(m, 5);
    for (uint32_t b = 0; b < s->body_count; b++)
        make_body(m, s, b, kind == DO_WHILE ? 1 + below(m, 4) : below(m, 4));
}

static void make_step(maker *m, uint32_t id)
{
    step *s = &m->program->steps[id];
    *s = (step){.what = DO_NOTHING, .id = id, .blocks = 1, .value = below(m, 1000)};
    snprintf(s->name, sizeof s->name, "t%u", id);
    s->takes_frame = chance(m, 50);
    s->takes_other = chance(m, 20);
    s->delay = chance(m, 20) ? below(m, 40000) : 0;
    s->priority = chance(m, 20) ? (int32_t)below(m, 3) - 1 : 0;
    uint32_t kind = below(m, 100);
    if (!m->program->explicit_only && chance(m, 20)) {
        for (int tries = 0; tries < 8 && s->what == DO_NOTHING; tries++)
            make_control(m, s);
    } else if (kind < 60 || (kind < 75 && m->inside)) {
        s->what = DO_KERNEL;
        s->blocks = chance(m, 50) ? 1 : 1 + below(m, 40);
        s->one_call = chance(m, 10);
        s->early = !s->one_call && chance(m, 50);
        s->native = !s->one_call && !s->early && chance(m, 40);
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

/* Of frames that are `distance` apart. */
static bool same_copy(const described *d, const touching *earlier, const touching *later, uint32_t distance)
{
    return !is_ring(d) || (distance + earlier->back + d->copies - later->back) % d->copies == 0;
}

static bool steps_conflict(const random_program *p, const step *a, const step *b, uint32_t distance)
{
    for (uint32_t i = 0; i < a->access_count; i++)
        for (uint32_t j = 0; j < b->access_count; j++) {
            const touching *x = &a->accesses[i], *y = &b->accesses[j];
            if (x->buffer != y->buffer || !same_copy(&p->buffers[x->buffer], x, y, distance) || (x->mode == y->mode && (x->mode == WEIR_ARG_READ || x->mode == WEIR_ARG_REDUCE)))
                continue;
            random_cells u = cells_of(p, x), v = cells_of(p, y);
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
            if (reaches[earlier][later] || !steps_conflict(p, &p->steps[earlier], &p->steps[later], 0))
                continue;
            p->edges[p->edge_count].later = later;
            p->edges[p->edge_count++].earlier = earlier;
            for (uint32_t t = 0; t <= earlier; t++)
                if (t == earlier || reaches[t][earlier])
                    reaches[t][later] = true;
        }
}

/* Whether the task of frame 0 leads to that of a later frame by edges there are. */
static bool leads(const random_program *p, uint32_t earlier, uint32_t later, uint32_t distance)
{
    bool reached[BACK_MOST + 1][TASKS_MOST] = {{false}};
    reached[0][earlier] = true;
    for (uint32_t frame = 0; frame <= distance; frame++) { /* edges within a frame are in the order of what they lead to */
        for (uint32_t i = 0; i < p->carried_count; i++)
            if (p->carried[i].distance <= frame && reached[frame - p->carried[i].distance][p->carried[i].earlier])
                reached[frame][p->carried[i].later] = true;
        for (uint32_t i = 0; i < p->edge_count; i++)
            if (reached[frame][p->edges[i].earlier])
                reached[frame][p->edges[i].later] = true;
    }
    return reached[distance][later];
}

/* What data need from frame to frame, but for what others imply, with as many in flight as one may look back, and one more. */
static void make_needed_carried(random_program *p)
{
    for (uint32_t distance = 1; distance <= BACK_MOST; distance++)
        for (uint32_t later = 0; later < p->step_count; later++)
            for (uint32_t earlier = p->step_count; earlier-- > 0;) {
                if (!steps_conflict(p, &p->steps[earlier], &p->steps[later], distance) || leads(p, earlier, later, distance))
                    continue;
                p->carried[p->carried_count].later = later;
                p->carried[p->carried_count].earlier = earlier;
                p->carried[p->carried_count++].distance = distance;
            }
}

/* More order from frame to frame than data need, in any direction. */
static void make_carried(maker *m)
{
    random_program *p = m->program;
    p->carried_count = chance(m, 50) ? below(m, CARRIED_MOST + 1) : 0;
    for (uint32_t i = 0; i < p->carried_count; i++) {
        p->carried[i].later = below(m, p->step_count);
        p->carried[i].earlier = below(m, p->step_count);
        p->carried[i].distance = 1 + below(m, BACK_MOST);
    }
}

static void make_steps(maker *m, const random_options *options)
{
    random_program *p = m->program;
    m->straight = options->straight;
    p->step_count = p->all_steps = 2 + below(m, options->tasks_most - 1);
    for (uint32_t i = 0; i < p->step_count; i++)
        make_step(m, i);
    if (p->explicit_only)
        make_edges(p);
    if (p->explicit_only && options->rings)
        make_needed_carried(p);
    if (!p->explicit_only)
        make_carried(m);
}

void random_program_make(random_program *program, uint64_t seed, const random_options *options)
{
    maker m = {.random = seed, .program = program};
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->seen = program->own_seen;
    program->explicit_only = options->explicit_only;
    make_buffers(&m, options->rings);
    make_steps(&m, options);
}

void random_program_make_other(random_program *other, random_program *first, uint64_t seed, const random_options *options)
{
    maker m = {.random = seed, .program = other};
    memset(other, 0, sizeof *other);
    other->seed = seed;
    other->seen = other->own_seen;
    other->buffer_count = first->buffer_count;
    for (uint32_t b = 0; b < first->buffer_count; b++) {
        if (first->buffers[b].copies == WEIR_RING_AUTO)
            first->buffers[b].copies = BACK_MOST + 1;
        other->buffers[b] = first->buffers[b];
        m.never_written[b] = is_ring(&other->buffers[b]) && chance(&m, 20);
    }
    make_steps(&m, options);
}

/* A ring's copy that is not written as a whole would show the frame that had it before, as many frames back as the ring has copies. */
static bool may_be_off(const random_program *program, const step *s)
{
    for (uint32_t i = 0; i < s->access_count; i++)
        if (s->accesses[i].mode == WEIR_ARG_WRITE && is_ring(&program->buffers[s->accesses[i].buffer]))
            return false;
    return true;
}

uint64_t random_program_switches(const random_program *program, uint64_t *random)
{
    uint64_t off = 0;
    uint32_t percent = weir_random_below(random, 30);
    for (uint32_t i = 0; i < program->step_count; i++)
        if (weir_random_below(random, 100) < percent && may_be_off(program, &program->steps[i]))
            off |= 1ull << i;
    return off;
}

/* ---- the truth ---- */

static uint32_t *copy_of(const random_program *p, random_world *world, const touching *a)
{
    uint32_t at = is_ring(&p->buffers[a->buffer]) ? (world->at[a->buffer] + BACK_MOST + 1 - a->back) % (BACK_MOST + 1) : 0;
    return world->data[a->buffer][at];
}

/* The pattern as often as an element holds it. */
static uint32_t pattern_element(const step *s)
{
    return s->pattern_bytes == 4 ? s->pattern : s->pattern_bytes == 2 ? s->pattern * 0x10001u : s->pattern * 0x1010101u;
}

static void move_step(const random_code *code, const step *s, uint32_t *const *base)
{
    for (uint32_t c = 0; c < random_cell_count(&code->cells[0]); c++)
        base[0][random_element(&code->cells[0], c)] = s->what == DO_COPY ? base[1][random_element(&code->cells[1], c)] : pattern_element(s);
}

static void compute_step(random_program *p, random_world *world, step *s, uint32_t frame);

static void compute_body(random_program *p, random_world *world, const step *s, uint32_t body, uint32_t frame)
{
    for (uint32_t i = 0; i < s->bodies[body].count; i++)
        compute_step(p, world, &p->steps[s->bodies[body].first + i], frame);
}

static void compute_control(random_program *p, random_world *world, const step *s, uint32_t frame)
{
    const uint32_t *word = world->data[s->word][0];
    uint32_t rounds = 0;
    switch (s->what) {
    case DO_WHILE:
        for (; *word != 0 && rounds < s->at_most; rounds++)
            compute_body(p, world, s, 0, frame);
        if (s->id < p->step_count)
            p->rounds[s->id][frame] = rounds;
        break;
    case DO_IF:
        if (*word != 0)
            compute_body(p, world, s, 0, frame);
        else if (s->body_count > 1)
            compute_body(p, world, s, 1, frame);
        break;
    default:
        if (*word < s->body_count)
            compute_body(p, world, s, *word, frame);
    }
}

static void compute_step(random_program *p, random_world *world, step *s, uint32_t frame)
{
    const random_code code = code_of(p, s);
    uint32_t *base[ACCESSES_MOST];
    for (uint32_t i = 0; i < s->access_count; i++)
        base[i] = copy_of(p, world, &s->accesses[i]);
    if (s->what == DO_KERNEL || s->what == DO_HOST)
        compute(&code, base, s->takes_frame ? frame : 0, s->takes_other ? other_value(frame) : 0, 0, s->blocks);
    else if (s->what == DO_COPY || s->what == DO_FILL)
        move_step(&code, s, base);
    else if (is_control(s))
        compute_control(p, world, s, frame);
}

void random_world_frame(random_world *world, random_program *program, uint32_t frame, uint64_t off)
{
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        const touching newest = {.buffer = b};
        bool input = program->buffers[b].place == WEIR_HOST_IN;
        if (!touches(program, b, input))
            continue;
        world->at[b]++;
        if (input)
            fill_input(program, b, frame, copy_of(program, world, &newest));
    }
    for (uint32_t i = 0; i < program->step_count; i++) {
        program->rounds[i][frame] = 0;
        if (!(off >> i & 1))
            compute_step(program, world, &program->steps[i], frame);
        program->rounds[i][frame]++; /* known */
    }
}

static void take_seen(random_program *program, outcome *out)
{
    size_t bytes = program->all_steps * sizeof program->seen[0];
    memcpy(out->seen, program->seen, bytes);
    memset(program->seen, 0, bytes);
}

void random_world_outcome(const random_world *world, random_program *program, outcome *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        uint32_t at = is_ring(&program->buffers[b]) ? world->at[b] % (BACK_MOST + 1) : 0;
        memcpy(out->data[b], world->data[b][at], sizeof out->data[b]);
    }
    take_seen(program, out);
    memcpy(out->rounds, program->rounds, sizeof out->rounds);
    memset(program->rounds, 0, sizeof program->rounds);
}

void random_program_compute(random_program *program, uint32_t frames, outcome *out)
{
    static _Thread_local random_world world;
    memset(&world, 0, sizeof world);
    for (uint32_t frame = 0; frame < frames; frame++)
        random_world_frame(&world, program, frame, 0);
    random_world_outcome(&world, program, out);
}

/* ---- the same as a graph ---- */

static weir_arg arg_of(const declared *d, const touching *a)
{
    weir_arg arg = weir_arg_of(a->mode, d->buffers[a->buffer], NULL, NULL, 0);
    if (a->back > 0)
        arg = weir_back(arg, a->back);
    return a->whole ? arg : weir_part(arg, a->box);
}

static weir_task declare_step(const random_program *program, const declared *d, weir_graph *graph, const step *s);

static weir_task declare_control(const random_program *program, const declared *d, weir_graph *graph, const step *s)
{
    weir_graph *bodies[BODIES_MOST] = {NULL};
    weir_buffer *word = d->buffers[s->word];
    weir_task task;
    for (uint32_t b = 0; b < s->body_count; b++) {
        ck_assert_int_eq(weir_graph_create("body", 0, &bodies[b]), WEIR_OK);
        for (uint32_t i = 0; i < s->bodies[b].count; i++)
            declare_step(program, d, bodies[b], &program->steps[s->bodies[b].first + i]);
    }
    if (s->what == DO_WHILE)
        task = weir_add_while(graph, s->name, bodies[0], word, s->at_most);
    else if (s->what == DO_IF)
        task = weir_add_if(graph, s->name, word, bodies[0], bodies[1]);
    else
        task = weir_add_switch(graph, s->name, word, (const weir_graph *const *)bodies, s->body_count);
    for (uint32_t b = 0; b < s->body_count; b++)
        weir_graph_destroy(bodies[b]);
    return task;
}

static weir_task declare_step(const random_program *program, const declared *d, weir_graph *graph, const step *s)
{
    static const uint32_t zero = 0;
    static void *const nothing = NULL;
    const random_code code = code_of(program, s);
    weir_arg args[BUFFERS_FROM + ACCESSES_MOST] = {WEIR_VALUE(code), s->takes_frame ? WEIR_PARAM(d->param) : WEIR_VALUE(zero),
                                                   s->takes_other ? WEIR_PARAM(d->other) : WEIR_VALUE(zero)};
    for (uint32_t i = 0; i < ACCESSES_MOST; i++)
        args[BUFFERS_FROM + i] = i < s->access_count ? arg_of(d, &s->accesses[i]) : WEIR_VALUE(nothing);
    const weir_args all = {args, BUFFERS_FROM + ACCESSES_MOST};
    weir_task task = {0, 0};
    switch (s->what) {
    case DO_KERNEL:
        if (s->native) {
            task = weir_add_native(graph, &native_step, NULL, all);
            break;
        }
        task = weir_add_kernel(graph, s->one_call ? &one_call_kernel : s->early ? &early_kernel : &shared_kernel, (weir_shape){.grid = {s->blocks}, .block = {32}}, all);
        break;
    case DO_HOST:
        task = weir_add_host(graph, s->name, host_function, NULL, all);
        break;
    case DO_COPY:
        task = weir_add_copy(graph, s->name, args[BUFFERS_FROM], args[BUFFERS_FROM + 1]);
        break;
    case DO_FILL:
        task = weir_add_fill(graph, s->name, args[BUFFERS_FROM], &s->pattern, s->pattern_bytes);
        break;
    case DO_NOTHING:
        task = weir_add_empty(graph, s->name);
        break;
    case DO_WHILE:
    case DO_IF:
    case DO_SWITCH:
        task = declare_control(program, d, graph, s);
        break;
    }
    weir_task_set(graph, task, &(weir_task_options){.name = s->name, .priority = s->priority, .cost_ns = 1 + s->value});
    return task;
}

#define MUST(call) ck_assert_msg((call) == WEIR_OK, "seed %llu: %s: %s", (unsigned long long)program->seed, #call, weir_last_error())

static void declare_buffers(const random_program *program, declared *out)
{
    static const char *const names[BUFFERS_MOST] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"};
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        const described *d = &program->buffers[b];
        weir_buffer_desc desc = {.name = names[b], .element_bytes = 4, .nx = d->nx, .ny = d->ny, .copies = d->copies, .place = d->place};
        if (d->row > d->nx)
            desc.row_bytes = (size_t)d->row * 4;
        MUST(weir_buffer_create(&desc, &out->buffers[b]));
    }
}

static void declare_graph(const random_program *program, uint32_t skip_edge, declared *out)
{
    const uint32_t zero = 0, other = other_value(0);
    MUST(weir_param_create("frame", &zero, sizeof zero, &out->param));
    MUST(weir_param_create("other", &other, sizeof other, &out->other));
    MUST(weir_graph_create("random", program->explicit_only ? WEIR_GRAPH_EXPLICIT : 0, &out->graph));
    for (uint32_t i = 0; i < program->step_count; i++)
        out->tasks[i] = declare_step(program, out, out->graph, &program->steps[i]);
    for (uint32_t e = 0; e < program->edge_count; e++)
        if (e != skip_edge)
            weir_after(out->graph, out->tasks[program->edges[e].later], out->tasks[program->edges[e].earlier]);
    for (uint32_t i = 0; i < program->carried_count; i++)
        if (program->edge_count + i != skip_edge)
            weir_after_previous(out->graph, out->tasks[program->carried[i].later], out->tasks[program->carried[i].earlier], program->carried[i].distance);
    MUST(weir_graph_status(out->graph));
}

void random_program_declare(random_program *program, uint32_t skip_edge, declared *out)
{
    memset(out, 0, sizeof *out);
    declare_buffers(program, out);
    declare_graph(program, skip_edge, out);
}

void random_program_declare_other(random_program *other, const declared *first, declared *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->buffers, first->buffers, sizeof out->buffers);
    out->borrowed = true;
    declare_graph(other, UINT32_MAX, out);
}

void declared_finish(declared *d)
{
    for (uint32_t b = 0; b < BUFFERS_MOST && !d->borrowed; b++)
        weir_buffer_destroy(d->buffers[b]);
    weir_param_destroy(d->param);
    weir_param_destroy(d->other);
    weir_graph_destroy(d->graph);
}

weir_exec *random_program_exec(const random_program *program, declared *d, weir_runtime *runtime, const random_run *run, const weir_exec_options *options)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    MUST(weir_plan_create(d->graph, &(weir_plan_options){.policy = run->policy, .lanes = run->lanes, .frames = run->in_flight}, &plan));
    MUST(weir_plan_check(plan));
    MUST(weir_exec_create(runtime, plan, options, &exec));
    weir_plan_destroy(plan);
    d->off = 0;
    return exec;
}

/* A program none of whose tasks is passed it has no such param. */
static void set(weir_exec *exec, weir_param *param, uint32_t value)
{
    weir_status status = weir_exec_set(exec, param, &value);
    ck_assert(status == WEIR_OK || status == WEIR_ERR_INVALID);
}

weir_status random_program_frame(const random_program *program, declared *d, weir_exec *exec, uint32_t frame, uint64_t off, weir_ticket *ticket)
{
    weir_frame *open = NULL;
    set(exec, d->param, frame);
    set(exec, d->other, other_value(frame));
    for (uint32_t i = 0; i < program->step_count; i++)
        if ((off ^ d->off) >> i & 1)
            MUST(weir_exec_enable(exec, d->tasks[i], !(off >> i & 1)));
    d->off = off;
    MUST(weir_exec_begin(exec, -1, &open));
    for (uint32_t b = 0; b < program->buffer_count; b++)
        if (program->buffers[b].place == WEIR_HOST_IN && touches(program, b, true)) {
            uint32_t *to = weir_frame_data(open, d->buffers[b]);
            ck_assert_msg(to != NULL, "seed %llu: %s", (unsigned long long)program->seed, weir_last_error());
            fill_input(program, b, frame, to);
        }
    return weir_frame_submit(open, ticket);
}

void random_program_outcome(random_program *program, const declared *d, weir_runtime *runtime, outcome *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        const described *it = &program->buffers[b];
        weir_status read = weir_buffer_read(runtime, d->buffers[b], out->data[b], 0, ((size_t)it->row * (it->ny - 1) + it->nx) * 4);
        ck_assert_msg(read == WEIR_OK || read == WEIR_ERR_STATE, "seed %llu: %s", (unsigned long long)program->seed, weir_last_error()); /* STATE: no task touches it */
    }
    take_seen(program, out);
}

void random_program_rounds(const random_program *program, const declared *d, weir_exec *exec, weir_ticket ticket, uint32_t frame, outcome *out)
{
    for (uint32_t i = 0; i < program->step_count; i++) {
        uint32_t rounds = 0;
        if (program->steps[i].what == DO_WHILE)
            MUST(weir_exec_iterations(exec, ticket, d->tasks[i], &rounds));
        out->rounds[i][frame] = rounds + 1;
    }
}

void random_program_run(random_program *program, declared *d, weir_runtime *runtime, const random_run *run, outcome *out)
{
    weir_ticket last = {0};
    weir_exec *exec = random_program_exec(program, d, runtime, run, NULL);
    for (uint32_t frame = 0; frame < run->frames; frame++)
        MUST(random_program_frame(program, d, exec, frame, 0, &last));
    MUST(weir_exec_wait(exec, last, -1));
    random_program_outcome(program, d, runtime, out);
    for (uint32_t back = 0; back < run->in_flight && back < run->frames; back++)
        random_program_rounds(program, d, exec, (weir_ticket){last.number - back}, run->frames - 1 - back, out);
    weir_exec_destroy(exec);
}

bool outcomes_differ(const random_program *program, const outcome *a, const outcome *b, uint32_t frames, bool print)
{
    for (uint32_t frame = 0; frame < frames; frame++)
        for (uint32_t i = 0; i < program->all_steps; i++) {
            const uint32_t *x = i < program->step_count ? &a->rounds[i][frame] : NULL, *y = i < program->step_count ? &b->rounds[i][frame] : NULL;
            if (x && *x && *y && *x != *y) {
                if (print)
                    fprintf(stderr, "seed %llu: loop %u ran %u times in frame %u, and %u times\n", (unsigned long long)program->seed, i, *x - 1, frame, *y - 1);
                return true;
            }
            if (a->seen[i][frame] != b->seen[i][frame]) {
                if (print)
                    fprintf(stderr, "seed %llu: task %u read something else in frame %u\n", (unsigned long long)program->seed, i, frame);
                return true;
            }
        }
    for (uint32_t i = 0; i < program->buffer_count; i++)
        if (memcmp(a->data[i], b->data[i], sizeof a->data[i]) != 0) {
            if (print)
                fprintf(stderr, "seed %llu: buffer %u differs\n", (unsigned long long)program->seed, i);
            return true;
        }
    return false;
}
