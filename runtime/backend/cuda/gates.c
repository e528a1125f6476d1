/* gates.c - tasks for host threads: found when they arrive, run by workers, released.
 *
 * A gate's two words go back to 0 with each use: who finds `arrived` clears it before he lets the task run, and the device takes
 * `released` back when it goes on. So a gate needs nothing from frame to frame, and a node is the same in each. */
#include "backend/cuda/device.h"
#include "util/clock.h"
#include "util/memory.h"
#include "util/status.h"
#include <string.h>

typedef struct cuda_worker {
    pthread_t thread;
    weir_backend *device;
    uint32_t number;
} cuda_worker;

/* ---- running a task ---- */

static void copy_bytes(const weir_body *body, const weir_task_record *task, void *const *args)
{
    weir_movement m = weir_movement_of(body, task);
    unsigned char *to = WEIR_PASSED(unsigned char *, args, 0);
    const unsigned char *from = WEIR_PASSED(unsigned char *, args, 1);
    for (uint64_t z = 0; z < m.slices && m.row_bytes > 0; z++)
        for (uint64_t y = 0; y < m.rows; y++)
            memcpy(to + m.to.first + z * m.to.slice_step + y * m.to.row_step, from + m.from.first + z * m.from.slice_step + y * m.from.row_step, m.row_bytes);
}

weir_status weir_cuda_run_host_task(weir_program *program, const weir_frame_values *values, uint32_t t, void **args)
{
    const weir_body *body = program->plan->body;
    const weir_task_record *task = &body->tasks.at[t];
    weir_action_pass(program->image, t, values, args);
    if (task->kind == WEIR_KIND_HOST)
        return task->code.host(task->with.user, args);
    copy_bytes(body, task, args);
    return WEIR_OK;
}

/* The device may go on, and the frame may be told done: the last that a worker does with a job. */
static void release(gate_job *job)
{
    flight *f = job->flight;
    gate_words *words = job->words;
    atomic_store_explicit(&job->over, true, memory_order_release);
    atomic_store_explicit(&words->released, 1, memory_order_release);
    atomic_fetch_sub_explicit(&f->running, 1, memory_order_release);
}

static bool is_skipped(const gate_job *job)
{
    const flight *f = job->flight;
    return weir_task_is_off(f->values, job->task) || atomic_load(&((weir_program *)job->program)->failed) <= f->number;
}

static void run_job(cuda_worker *self, gate_job *job)
{
    if (!is_skipped(job)) {
        weir_task_span span = {.start_ns = weir_clock_ns()};
        weir_status status = weir_cuda_run_host_task(job->program, job->flight->values, job->task, job->args);
        span.end_ns = weir_clock_ns();
        job->span = span;
        job->worker = self->number;
        if (status != WEIR_OK)
            weir_cuda_task_failed(job->program, job->flight, job->task, status, NULL);
    }
    release(job);
}

/* ---- workers ---- */

static gate_job *next_job(weir_backend *device)
{
    pthread_mutex_lock(&device->work);
    while (!device->first_job && !device->work_closing) {
        pthread_mutex_unlock(&device->work);
        sem_wait(&device->work_there);
        pthread_mutex_lock(&device->work);
    }
    gate_job *job = device->first_job;
    if (job) {
        device->first_job = job->next;
        if (!device->first_job)
            device->last_job = NULL;
    }
    pthread_mutex_unlock(&device->work);
    return job;
}

static void *work(void *arg)
{
    cuda_worker *self = arg;
    for (gate_job *job = next_job(self->device); job; job = next_job(self->device))
        run_job(self, job);
    return NULL;
}

static weir_status start_worker(weir_backend *device, uint32_t number)
{
    cuda_worker *w = &device->workers[number];
    w->device = device;
    w->number = number;
    if (pthread_create(&w->thread, NULL, work, w) != 0)
        return weir_fail(WEIR_ERR_NO_MEMORY, "cuda: worker %u cannot be started", number);
    device->workers_started++;
    return WEIR_OK;
}

weir_status weir_cuda_workers_start(weir_backend *device)
{
    weir_status status = WEIR_OK;
    if (!device->workers)
        device->workers = weir_alloc(device->worker_count, sizeof *device->workers);
    if (!device->workers)
        return weir_fail_no_memory();
    while (device->workers_started < device->worker_count && status == WEIR_OK)
        status = start_worker(device, device->workers_started);
    return status;
}

void weir_cuda_workers_stop(weir_backend *device)
{
    pthread_mutex_lock(&device->work);
    device->work_closing = true;
    pthread_mutex_unlock(&device->work);
    for (uint32_t i = 0; i < device->workers_started; i++)
        sem_post(&device->work_there);
    for (uint32_t i = 0; i < device->workers_started; i++)
        pthread_join(device->workers[i].thread, NULL);
    weir_free(device->workers);
}

/* ---- arrivals ---- */

static void give_to_workers(weir_backend *device, gate_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&device->work);
    if (device->last_job)
        device->last_job->next = job;
    else
        device->first_job = job;
    device->last_job = job;
    pthread_mutex_unlock(&device->work);
    sem_post(&device->work_there);
}

/* Under `arriving`. */
static void poll(weir_program *program, flight *f)
{
    uint32_t still = 0;
    for (uint32_t i = 0; i < f->waiting_count; i++) {
        gate_job *job = &f->gates[f->waiting[i]];
        if (atomic_load_explicit(&job->words->arrived, memory_order_acquire) == 0) {
            f->waiting[still++] = f->waiting[i];
            continue;
        }
        atomic_store_explicit(&job->words->arrived, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&f->running, 1, memory_order_relaxed);
        if (is_skipped(job))
            release(job);
        else
            give_to_workers(program->device, job);
    }
    atomic_fetch_sub(&program->device->awaited, f->waiting_count - still);
    f->waiting_count = still;
}

void weir_cuda_gates_expect(weir_program *p, flight *f, gate_words *words)
{
    weir_backend *device = p->device;
    if (p->gate_count == 0 || device->options.debug)
        return;
    pthread_mutex_lock(&device->arriving);
    f->waiting_count = p->gate_count; /* 0 before: the frame before it there ended, or was given up */
    for (uint32_t g = 0; g < f->waiting_count; g++) {
        f->gates[g].words = &words[g];
        atomic_store_explicit(&f->gates[g].over, false, memory_order_relaxed);
        f->gates[g].span = (weir_task_span){0, 0};
        f->waiting[g] = g;
    }
    bool first = atomic_fetch_add(&device->awaited, f->waiting_count) == 0;
    pthread_mutex_unlock(&device->arriving);
    if (first)
        sem_post(&device->gates_there);
}

void weir_cuda_gates_give_up(flight *f)
{
    weir_backend *device = f->program->device;
    pthread_mutex_lock(&device->arriving);
    atomic_fetch_sub(&device->awaited, f->waiting_count);
    f->waiting_count = 0;
    pthread_mutex_unlock(&device->arriving);
}

bool weir_cuda_gates_look(weir_backend *device)
{
    atomic_fetch_add_explicit(&device->arrivals, 1, memory_order_relaxed);
    if (atomic_load_explicit(&device->awaited, memory_order_relaxed) == 0)
        return false;
    pthread_mutex_lock(&device->arriving);
    for (weir_program *p = device->programs; p; p = p->next)
        for (uint32_t i = 0; p->gate_count > 0 && i < p->frames; i++)
            if (p->flights[i].waiting_count > 0)
                poll(p, &p->flights[i]);
    pthread_mutex_unlock(&device->arriving);
    return atomic_load_explicit(&device->awaited, memory_order_relaxed) > 0;
}
