/* blame.c - what may be said of a frame whose device failed: which tasks it has known to be done, and hence which may be to blame. A fault
 * comes to light at some later call and does not say where it was. */
#include "backend/cuda/device.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdio.h>
#include <string.h>

void weir_cuda_fail_from(weir_program *program, uint64_t number)
{
    uint64_t failed = atomic_load(&program->failed);
    while (number < failed && !atomic_compare_exchange_weak(&program->failed, &failed, number))
        continue;
}

void weir_cuda_task_failed(weir_program *program, flight *f, uint32_t task, weir_status cause, const char *text)
{
    uint32_t none = UINT32_MAX;
    if (atomic_compare_exchange_strong(&f->failed_task, &none, task)) {
        f->failed_cause = cause;
        f->failed_text = text ? weir_alloc_text(text) : NULL; /* NULL, without memory: it is said with less */
    }
    weir_cuda_fail_from(program, f->number);
}

/* ---- what is known to be done ---- */

static bool event_says_done(const weir_program *p, const flight *f, uint32_t task)
{
    return !f->slot && p->record_of[task] != UINT32_MAX && p->plan->position[task] < atomic_load(&((flight *)f)->reached) &&
           cudaEventQuery(f->records[p->record_of[task]]) == cudaSuccess;
}

static bool says_done(const weir_program *p, const flight *f, uint32_t task, bool ask_events)
{
    uint32_t gate = p->gate_of[task];
    if (gate != UINT32_MAX && atomic_load_explicit(&((flight *)f)->gates[gate].over, memory_order_acquire))
        return true;
    return ask_events && event_says_done(p, f, task);
}

/* A task that is done has all done that it follows: by edges and, where there are lanes, in its lane. Backwards, so that each is seen after
 * all that follow it. A gate that is at its host task follows as much as one that is over. */
static void mark_known(weir_program *p, const flight *f, bool ask_events)
{
    const weir_plan *plan = p->plan;
    memset(p->known, 0, plan->tasks);
    for (uint32_t k = plan->tasks; k > 0; k--) {
        uint32_t task = plan->order[k - 1];
        if (!p->known[task])
            p->known[task] = says_done(p, f, task, ask_events);
        if (!p->known[task])
            continue;
        for (uint32_t e = plan->pred_first[task]; e < plan->pred_first[task + 1]; e++)
            p->known[plan->pred[e]] = 1;
        if (!f->slot && plan->lane_position[task] > 0)
            p->known[plan->lane_task[plan->lane_first[plan->lane[task]] + plan->lane_position[task] - 1]] = 1;
    }
}

bool weir_cuda_task_done(const weir_program *program, uint64_t frame, uint32_t task)
{
    weir_program *p = (weir_program *)program;
    if (frame < atomic_load(&p->ended))
        return true;
    if (frame >= atomic_load(&p->submitted) || p->device->options.debug)
        return false;
    entered before = weir_cuda_enter(p->device);
    bool done = says_done(p, &p->flights[frame % p->frames], task, atomic_load(&p->device->broken) == cudaSuccess);
    weir_cuda_forgive_not_ready();
    weir_cuda_leave(p->device, before);
    return done;
}

uint32_t weir_cuda_unfinished(const weir_program *program, uint64_t frame)
{
    weir_program *p = (weir_program *)program;
    uint32_t found = UINT32_MAX;
    if (frame >= atomic_load(&p->submitted) || frame < atomic_load(&p->ended))
        return UINT32_MAX;
    entered before = weir_cuda_enter(p->device);
    pthread_mutex_lock(&p->device->lock);
    mark_known(p, &p->flights[frame % p->frames], atomic_load(&p->device->broken) == cudaSuccess && !p->device->options.debug);
    for (uint32_t k = 0; k < p->plan->tasks && found == UINT32_MAX; k++)
        if (!p->known[p->plan->order[k]])
            found = p->plan->order[k];
    pthread_mutex_unlock(&p->device->lock);
    weir_cuda_forgive_not_ready();
    weir_cuda_leave(p->device, before);
    return found;
}

/* ---- blaming ---- */

static bool is_suspect(const weir_program *p, const flight *f, uint32_t task)
{
    bool on_device = weir_action_is_on_device(&p->root.actions[task]);
    bool given = p->plan->position[task] < atomic_load(&((flight *)f)->reached);
    return on_device && given && !p->known[task] && !weir_task_is_off(f->values, task);
}

/* A fault does not say of which frame it is. Where replayed frames run one after the other, it is the first's. */
static uint64_t later_frames(const weir_program *p, const flight *f)
{
    return f->slot && p->in_turn ? 0 : atomic_load(&((weir_program *)p)->submitted) - f->number - 1;
}

typedef struct {
    char *at;
    size_t left;
} text;

static void put(text *t, const char *what)
{
    int wrote = snprintf(t->at, t->left, "%s", what);
    size_t took = wrote < 0 ? 0 : (size_t)wrote < t->left ? (size_t)wrote : t->left - 1;
    t->at += took;
    t->left -= took;
}

/* The suspects of a frame by name; returns how many, and one of them. */
static uint32_t list_suspects(const weir_program *p, const flight *f, text *t, uint32_t *one)
{
    enum { ROOM_FOR_THE_END = 128 };
    const weir_plan *plan = p->plan;
    uint32_t count = 0, unsaid = 0;
    for (uint32_t k = 0; k < plan->tasks; k++) {
        uint32_t task = plan->order[k];
        const char *name = plan->body->tasks.at[task].name;
        if (!is_suspect(p, f, task))
            continue;
        *one = task;
        if (t->left < strlen(name) + ROOM_FOR_THE_END) {
            unsaid++;
            continue;
        }
        put(t, count++ > 0 ? ", '" : "'");
        put(t, name);
        put(t, "'");
    }
    if (unsaid > 0) {
        char more[64];
        snprintf(more, sizeof more, " and %u more", unsaid);
        put(t, more);
    }
    return count + unsaid;
}

static void blame_one(weir_program *p, const flight *f, const char *what, text t)
{
    const weir_reports *reports = &p->image->reports;
    char *said = t.at;
    put(&t, "task '");
    put(&t, p->plan->body->tasks.at[f->error_task].name);
    put(&t, "': ");
    put(&t, f->error_call);
    put(&t, ": ");
    put(&t, what);
    reports->device_failed(reports->user, f->number, f->error_task, said);
}

static void blame_many(weir_program *p, const flight *f, const char *what, text t)
{
    const weir_reports *reports = &p->image->reports;
    char *said = t.at;
    uint32_t one = UINT32_MAX;
    put(&t, "the device failed: ");
    put(&t, what);
    put(&t, "; on it were ");
    pthread_mutex_lock(&p->device->lock);
    mark_known(p, f, false);
    uint32_t count = list_suspects(p, f, &t, &one);
    pthread_mutex_unlock(&p->device->lock);
    uint64_t later = later_frames(p, f);
    if (count == 0)
        put(&t, "no tasks of this frame");
    if (later > 0) {
        char more[64];
        snprintf(more, sizeof more, " and tasks of %llu later frame%s", (unsigned long long)later, later > 1 ? "s" : "");
        put(&t, more);
    }
    if (count > 1 || later > 0)
        put(&t, ": WEIR_DEBUG=1 finds which it is");
    reports->device_failed(reports->user, f->number, count == 1 && later == 0 ? one : UINT32_MAX, said);
}

/* A call that CUDA refused, for no task's sake. */
static void blame_call(weir_program *p, const flight *f, const char *what, text t)
{
    const weir_reports *reports = &p->image->reports;
    char *said = t.at;
    put(&t, f->error_call);
    put(&t, ": ");
    put(&t, what);
    reports->device_failed(reports->user, f->number, UINT32_MAX, said);
}

void weir_cuda_blame(weir_program *program, flight *f, cudaError_t error)
{
    enum { MOST = 7000 };
    char what[256], short_text[512];
    char *long_text = weir_alloc(MOST, 1);
    text t = {long_text ? long_text : short_text, long_text ? MOST : sizeof short_text};
    weir_cuda_describe(error, what, sizeof what);
    if (f->error_task != UINT32_MAX)
        blame_one(program, f, what, t);
    else if (f->error != cudaSuccess && !weir_cuda_is_sticky(f->error))
        blame_call(program, f, what, t);
    else
        blame_many(program, f, what, t);
    weir_free(long_text);
}
