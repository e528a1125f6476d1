/* timing.c - see timing.h.
 *
 * Events give times relative to each other, as floats: exact enough for a second or so. So each timed frame has a base event, whose time is
 * reckoned from an older one's, the device's origin; and now and then a base becomes the origin. The first origin is made by asking the clock
 * on both sides of an event on a stream that does nothing else. */
#include "backend/cuda/timing.h"
#include "backend/cuda/cupti.h"
#include "backend/cuda/slot.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_KEPT = 256 };

struct timing {
    cudaEvent_t base;
    cudaEvent_t *start, *end; /* task -> events */
    bool *ran;                /* task -> it was launched between them */
    int64_t *ended;           /* task -> when it ended */
};

static weir_tracer *tracer_of(const weir_backend *device)
{
    return atomic_load_explicit(device->options.tracer, memory_order_acquire);
}

/* ---- the clock ---- */

/* Under `clock`. The narrowest of a few tries. */
static cudaError_t set_origin(weir_backend *device)
{
    enum { TRIES = 3 };
    int64_t narrowest = INT64_MAX;
    cudaError_t result = device->origin ? cudaSuccess : cudaEventCreateWithFlags(&device->origin, cudaEventDefault);
    for (int i = 0; i < TRIES && result == cudaSuccess; i++) {
        cudaEvent_t event = NULL;
        result = cudaEventCreateWithFlags(&event, cudaEventDefault);
        int64_t before = weir_clock_ns();
        if (result == cudaSuccess)
            result = cudaEventRecord(event, device->errands);
        if (result == cudaSuccess)
            result = cudaEventSynchronize(event);
        int64_t after = weir_clock_ns();
        if (result == cudaSuccess && after - before < narrowest) {
            cudaEvent_t worse = device->origin;
            narrowest = after - before;
            device->origin = event;
            device->origin_ns = before + narrowest / 2;
            event = worse;
        }
        if (event)
            (void)cudaEventDestroy(event);
    }
    return result;
}

static bool has_origin(weir_backend *device)
{
    pthread_mutex_lock(&device->clock);
    bool has = device->origin_ns != 0;
    pthread_mutex_unlock(&device->clock);
    return has;
}

/* By whoever submits: after the first time it waits for no errand, which may be a long transfer. */
static bool start_clock(weir_backend *device)
{
    if (has_origin(device))
        return true;
    entered before = weir_cuda_enter(device); /* it waits for an event */
    pthread_mutex_lock(&device->errand);
    pthread_mutex_lock(&device->clock);
    cudaError_t result = set_origin(device);
    pthread_mutex_unlock(&device->clock);
    pthread_mutex_unlock(&device->errand);
    if (result != cudaSuccess)
        (void)cudaGetLastError();
    weir_cuda_leave(device, before);
    return result == cudaSuccess;
}

/* The time of an event that has happened. It may become the origin; the caller then has the one before. */
static bool time_of_base(weir_backend *device, cudaEvent_t *base, int64_t *ns)
{
    const float FAR_MS = 500;
    float ms = 0;
    pthread_mutex_lock(&device->clock);
    bool known = cudaEventElapsedTime(&ms, device->origin, *base) == cudaSuccess;
    if (known) {
        *ns = device->origin_ns + (int64_t)((double)ms * 1e6);
        if (ms > FAR_MS) {
            cudaEvent_t old = device->origin;
            device->origin = *base;
            device->origin_ns = *ns;
            *base = old;
        }
    }
    pthread_mutex_unlock(&device->clock);
    return known;
}

void weir_cuda_clock_finish(weir_backend *device)
{
    if (device->cupti_state == WEIR_CUPTI_ON)
        weir_cupti_stop(device);
    if (device->origin)
        (void)cudaEventDestroy(device->origin);
}

/* ---- memory ---- */

static void free_timing(struct timing *t, uint32_t tasks)
{
    if (!t)
        return;
    if (t->base)
        (void)cudaEventDestroy(t->base);
    for (uint32_t i = 0; t->start && t->end && i < tasks; i++) {
        if (t->start[i])
            (void)cudaEventDestroy(t->start[i]);
        if (t->end[i])
            (void)cudaEventDestroy(t->end[i]);
    }
    weir_free(t->start);
    weir_free(t->end);
    weir_free(t->ran);
    weir_free(t->ended);
    weir_free(t);
}

static struct timing *make_timing(const weir_program *p)
{
    uint32_t tasks = p->plan->tasks;
    struct timing *t = weir_alloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->start = weir_alloc(tasks, sizeof(cudaEvent_t));
    t->end = weir_alloc(tasks, sizeof(cudaEvent_t));
    t->ran = weir_alloc(tasks, sizeof *t->ran);
    t->ended = weir_alloc(tasks, sizeof *t->ended);
    bool made = t->start && t->end && t->ran && t->ended && cudaEventCreateWithFlags(&t->base, cudaEventDefault) == cudaSuccess;
    for (uint32_t i = 0; made && i < tasks; i++)
        if (p->root.actions[i].kind != ACTION_GATE)
            made = cudaEventCreateWithFlags(&t->start[i], cudaEventDefault) == cudaSuccess && cudaEventCreateWithFlags(&t->end[i], cudaEventDefault) == cudaSuccess;
    if (!made) {
        (void)cudaGetLastError();
        free_timing(t, tasks);
        return NULL;
    }
    return t;
}

void weir_cuda_timing_finish(weir_program *program, flight *f)
{
    free_timing(f->timing, program->plan->tasks);
    f->timing = NULL;
}

/* ---- before a frame ---- */

static bool start_cupti(weir_backend *device);

/* A node's number is its own within its graph alone, and the bodies of loops and branches are graphs of their own. */
static bool is_told_apart(weir_program *p)
{
    if (p->root.control_count > 0 && !p->untraced) {
        p->untraced = true;
        weir_log(WEIR_LOG_WARN, "graph '%s' has loops or branches: its replays are not in the trace, but for host tasks (WEIR_MODE=eager is)", p->plan->body->name);
    }
    return p->root.control_count == 0;
}

void weir_cuda_timing_begin(weir_program *program, flight *f)
{
    weir_backend *device = program->device;
    weir_task_span *spans = program->image->spans;
    bool traced = tracer_of(device) != NULL;
    f->timed = false;
    if (!traced && !spans)
        return;
    if (spans) /* a task that is off will not write its own */
        memset(spans + f->number % program->frames * program->plan->tasks, 0, program->plan->tasks * sizeof *spans);
    if (device->options.debug)
        return;
    if (f->slot) {
        f->timed = traced && is_told_apart(program) && start_cupti(device);
        return;
    }
    if (!program->lane_end)
        program->lane_end = weir_alloc(program->plan->lanes, sizeof *program->lane_end);
    if (!f->timing)
        f->timing = make_timing(program);
    f->timed = program->lane_end && f->timing && start_clock(device);
    if (f->timed)
        memset(f->timing->ran, 0, program->plan->tasks * sizeof *f->timing->ran);
    else if (!device->timing_refused) {
        device->timing_refused = true;
        weir_log(WEIR_LOG_WARN, "cuda: tasks are not timed: no memory for events");
    }
}

/* ---- eager frames ---- */

void weir_cuda_timing_frame(flight *f, cudaStream_t stream)
{
    (void)cudaEventRecord(f->timing->base, stream);
}

void weir_cuda_timing_start(flight *f, uint32_t task, cudaStream_t stream)
{
    f->timing->ran[task] = cudaEventRecord(f->timing->start[task], stream) == cudaSuccess;
}

void weir_cuda_timing_end(flight *f, uint32_t task, cudaStream_t stream)
{
    f->timing->ran[task] = f->timing->ran[task] && cudaEventRecord(f->timing->end[task], stream) == cudaSuccess;
}

static weir_trace_engine engine_of(const action *a)
{
    if (a->kind != ACTION_COPY || a->as.move->copy_kind == cudaMemcpyDeviceToDevice)
        return WEIR_ENGINE_NONE;
    return a->as.move->copy_kind == cudaMemcpyHostToDevice ? WEIR_ENGINE_TO_DEVICE : WEIR_ENGINE_TO_HOST;
}

static void tell_tracer(const weir_program *p, weir_tracer *tracer, uint64_t frame, uint32_t t, uint32_t worker, weir_task_span span)
{
    const weir_body *body = p->plan->body;
    const weir_task_record *task = &body->tasks.at[t];
    weir_trace_event event = {
        .graph = body->name,
        .task = task->name,
        .group = weir_task_group(body, task),
        .kind = weir_kind_name((weir_task_kind)task->kind),
        .frame = frame,
        .lane = p->plan->lane[t],
        .worker = worker,
        .extent = WEIR_TRACE_WHOLE,
        .engine = engine_of(&p->root.actions[t]),
        .span = span,
    };
    tracer->event(tracer, &event);
}

/* A task starts after those it follows and after the one before in its lane, however coarse events are, and however little the clocks of
 * host and device agree. */
static weir_task_span in_order(const weir_program *p, struct timing *t, uint32_t task, weir_task_span span)
{
    const weir_plan *plan = p->plan;
    int64_t *lane_end = &p->lane_end[plan->lane[task]];
    int64_t least = *lane_end;
    for (uint32_t e = plan->pred_first[task]; e < plan->pred_first[task + 1]; e++)
        if (least < t->ended[plan->pred[e]])
            least = t->ended[plan->pred[e]];
    if (span.end_ns <= least && span.end_ns > span.start_ns) /* the clocks are far apart: it comes later, and is as long */
        span.end_ns += least - span.start_ns;
    if (span.start_ns < least)
        span.start_ns = least;
    if (span.end_ns < span.start_ns)
        span.end_ns = span.start_ns;
    t->ended[task] = *lane_end = span.end_ns;
    return span;
}

static bool span_on_device(const struct timing *t, uint32_t task, int64_t base_ns, weir_task_span *out)
{
    float start = 0, end = 0;
    if (!t->ran[task] || cudaEventElapsedTime(&start, t->base, t->start[task]) != cudaSuccess || cudaEventElapsedTime(&end, t->base, t->end[task]) != cudaSuccess)
        return false;
    out->start_ns = base_ns + (int64_t)((double)start * 1e6);
    out->end_ns = base_ns + (int64_t)((double)end * 1e6);
    return true;
}

static bool span_on_host(const gate_job *job, weir_task_span *out)
{
    *out = job->span;
    return job->span.end_ns != 0;
}

static void collect_eager(weir_program *p, flight *f)
{
    const weir_plan *plan = p->plan;
    struct timing *t = f->timing;
    weir_tracer *tracer = tracer_of(p->device);
    weir_task_span *spans = p->image->spans ? p->image->spans + f->number % p->frames * plan->tasks : NULL;
    cudaEvent_t base = t->base;
    int64_t base_ns = 0;
    bool known = time_of_base(p->device, &base, &base_ns);
    memset(t->ended, 0, plan->tasks * sizeof *t->ended);
    for (uint32_t k = 0; k < plan->tasks && known; k++) {
        uint32_t task = plan->order[k];
        const gate_job *job = p->gate_of[task] != UINT32_MAX ? &f->gates[p->gate_of[task]] : NULL;
        weir_task_span span;
        if (job ? !span_on_host(job, &span) : !span_on_device(t, task, base_ns, &span))
            continue;
        span = in_order(p, t, task, span);
        if (spans)
            spans[task] = span;
        if (tracer)
            tell_tracer(p, tracer, f->number, task, job ? job->worker : UINT32_MAX, span);
    }
    t->base = base;
    (void)cudaGetLastError();
}

/* ---- replayed frames ---- */

/* A launch that was traced, until its records have come. */
typedef struct {
    uint64_t launch, frame;
    const slot *slot;
} traced_launch;

struct traced {
    traced_launch launches[LAUNCHES_KEPT]; /* in turn */
    uint64_t count;
};

static const traced_launch *find_launch(const weir_program *p, uint64_t launch)
{
    const struct traced *t = p->traced;
    for (uint64_t i = t ? t->count : 0; t && i > 0 && t->count - i < LAUNCHES_KEPT; i--)
        if (t->launches[(i - 1) % LAUNCHES_KEPT].slot && t->launches[(i - 1) % LAUNCHES_KEPT].launch == launch)
            return &t->launches[(i - 1) % LAUNCHES_KEPT];
    return NULL;
}

void weir_cuda_timing_forget(const replay *r)
{
    weir_backend *device = r->program->device;
    pthread_mutex_lock(&device->clock);
    struct traced *t = r->program->traced;
    for (uint32_t i = 0; t && i < LAUNCHES_KEPT; i++)
        if (t->launches[i].slot && t->launches[i].slot->replay == r)
            t->launches[i] = (traced_launch){0, 0, NULL};
    pthread_mutex_unlock(&device->clock);
}

static uint32_t task_of_node(const slot *s, uint32_t node)
{
    uint32_t low = 0, high = s->traced_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->traced_nodes[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < s->traced_count && s->traced_nodes[low].node == node;
    return found ? s->traced_nodes[low].task : UINT32_MAX;
}

/* Whose record it is, and of which frame and task; NULL: no program's that is still there. Under `looking`. */
static weir_program *find_traced(weir_backend *device, const weir_cupti_record *record, uint64_t *frame, uint32_t *task)
{
    weir_program *found = NULL;
    pthread_mutex_lock(&device->clock);
    for (weir_program *p = device->programs; p && !found; p = p->next) {
        const traced_launch *launch = find_launch(p, record->launch);
        if (!launch)
            continue;
        found = p;
        *frame = launch->frame;
        *task = task_of_node(launch->slot, record->node);
    }
    pthread_mutex_unlock(&device->clock);
    return found;
}

/* Perhaps within a flush for another device, so `looking` it is that keeps programs from going. */
static void take_record(void *user, const weir_cupti_record *record)
{
    weir_backend *device = user;
    weir_tracer *tracer = tracer_of(device);
    uint64_t frame = 0;
    uint32_t task = UINT32_MAX;
    pthread_mutex_lock(&device->looking);
    const weir_program *p = find_traced(device, record, &frame, &task);
    if (p && tracer && task != UINT32_MAX)
        tell_tracer(p, tracer, frame, task, UINT32_MAX, (weir_task_span){record->start_ns, record->end_ns});
    pthread_mutex_unlock(&device->looking);
}

static bool start_cupti(weir_backend *device)
{
    if (device->cupti_state == WEIR_CUPTI_OFF) {
        bool started = weir_cupti_start(take_record, device) == WEIR_OK;
        device->cupti_state = started ? WEIR_CUPTI_ON : WEIR_CUPTI_REFUSED;
        if (!started)
            weir_log(WEIR_LOG_ERROR, "replays are not in the trace (WEIR_MODE=eager is): %s", weir_last_error());
    }
    return device->cupti_state == WEIR_CUPTI_ON;
}

static int compare_nodes(const void *a, const void *b)
{
    const traced_node *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

/* The numbers of the slot's nodes, as records carry them. */
static bool number_nodes(const weir_program *p, slot *s)
{
    const replay *r = s->replay;
    const uint32_t *piece_first = weir_replay_pieces(r), pieces = weir_replay_piece_count(r), count = pieces + s->natives.added.count;
    traced_node *nodes = weir_alloc(count, sizeof *nodes), *before;
    if (!nodes)
        return false;
    for (uint32_t t = 0; t < r->tasks; t++)
        for (uint32_t i = piece_first[t]; i < piece_first[t + 1]; i++) {
            bool has_record = weir_action_is_on_device(&p->root.actions[r->first + t]);
            nodes[i] = (traced_node){has_record ? weir_cupti_node(s->nodes[i]) : UINT32_MAX, r->first + t};
        }
    for (uint32_t i = pieces; i < count; i++)
        nodes[i] = (traced_node){weir_cupti_node(s->natives.added.at[i - pieces].node), s->natives.added.at[i - pieces].task};
    qsort(nodes, count, sizeof *nodes, compare_nodes);
    pthread_mutex_lock(&p->device->clock);
    before = s->traced_nodes;
    s->traced_nodes = nodes;
    s->traced_count = count;
    s->is_numbered = true;
    pthread_mutex_unlock(&p->device->clock);
    weir_free(before);
    return true;
}

void weir_cuda_timing_launch(weir_program *program, flight *f)
{
    slot *s = f->slot;
    if (!s->is_numbered && !number_nodes(program, s))
        return;
    uint64_t launch = weir_cupti_launch_number();
    pthread_mutex_lock(&program->device->clock);
    if (!program->traced)
        program->traced = weir_alloc(1, sizeof *program->traced);
    struct traced *t = program->traced;
    if (t)
        t->launches[t->count++ % LAUNCHES_KEPT] = (traced_launch){launch, f->number, s};
    pthread_mutex_unlock(&program->device->clock);
    if (t)
        weir_cupti_launch_begin(launch);
}

void weir_cuda_timing_launched(void)
{
    weir_cupti_launch_end();
}

/* ---- after a frame ---- */

static void collect_replay(weir_program *p, flight *f)
{
    weir_tracer *tracer = tracer_of(p->device);
    for (uint32_t g = 0; tracer && g < p->gate_count; g++) {
        weir_task_span span;
        if (span_on_host(&f->gates[g], &span))
            tell_tracer(p, tracer, f->number, f->gates[g].task, f->gates[g].worker, span);
    }
    if (weir_cupti_flush() != WEIR_OK)
        weir_log(WEIR_LOG_WARN, "cuda: the trace lacks records: %s", weir_last_error());
}

void weir_cuda_timing_collect(weir_program *program, flight *f)
{
    if (f->slot)
        collect_replay(program, f);
    else
        collect_eager(program, f);
}
