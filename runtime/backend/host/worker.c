/* worker.c - the threads of the host backend: what each looks for, and how it sleeps when there is nothing. */
#include "backend/host/device.h"
#include "util/fence.h"
#include "util/memory.h"
#include "util/status.h"
#include <sched.h>
#include <string.h>

enum { LOOKS_BEFORE_YIELD = 16, LOOKS_BEFORE_SLEEP = 256, PAUSES_MOST = 64 };

/* Longer with each look that found nothing: looking takes cache lines away from those who work. Soon others are let on this processor too: the thread
 * that would submit the next frame, or a worker with work, may be waiting for one. */
static void pause_a_little(unsigned idle)
{
    unsigned pauses = idle < PAUSES_MOST ? idle : PAUSES_MOST;
    if (idle >= LOOKS_BEFORE_YIELD)
        sched_yield();
    for (unsigned i = 0; i < pauses; i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ __volatile__("yield");
#endif
    }
}

/* Looks at every program once. Standing in `visiting` keeps one from being destroyed; it must still be in the table after. */
static bool look_round(worker *self)
{
    weir_backend *device = self->device;
    program_table *table = atomic_load_explicit(&device->programs, memory_order_acquire);
    bool did = false;
    for (uint32_t i = 0; table && i < table->capacity; i++) {
        weir_program *program = atomic_load_explicit(&table->at[i], memory_order_acquire);
        if (!program)
            continue;
        atomic_store(&self->visiting, program);
        if (atomic_load(&table->at[i]) == program)
            did = (device->options.shuffle ? weir_host_visit_at_random(self, program) : weir_host_visit(self, program)) || did;
        atomic_store_explicit(&self->visiting, NULL, memory_order_release);
    }
    return did;
}

static void sleep_until_rung(worker *self)
{
    weir_backend *device = self->device;
    pthread_mutex_lock(&device->lock);
    uint64_t heard = device->bell;
    pthread_mutex_unlock(&device->lock);
    atomic_fetch_add(&device->sleepers, 1);
    weir_full_fence();
    if (!look_round(self) && !atomic_load(&device->closing)) {
        pthread_mutex_lock(&device->lock);
        while (device->bell == heard)
            pthread_cond_wait(&device->rung, &device->lock);
        pthread_mutex_unlock(&device->lock);
    }
    atomic_fetch_sub(&device->sleepers, 1);
}

void weir_host_ring(weir_backend *device)
{
    weir_full_fence();
    if (atomic_load_explicit(&device->sleepers, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&device->lock);
    device->bell++;
    pthread_cond_broadcast(&device->rung);
    pthread_mutex_unlock(&device->lock);
}

static void *work(void *argument)
{
    worker *self = argument;
    unsigned idle = 0;
    while (!atomic_load_explicit(&self->device->closing, memory_order_relaxed)) {
        if (look_round(self)) {
            idle = 0;
        } else if (++idle < LOOKS_BEFORE_SLEEP) {
            pause_a_little(idle);
        } else {
            sleep_until_rung(self);
            idle = 0;
        }
    }
    return NULL;
}

weir_status weir_host_workers_start(weir_backend *device)
{
    device->workers = weir_alloc_lines(device->worker_count, sizeof *device->workers);
    if (!device->workers)
        return weir_fail_no_memory();
    for (uint32_t w = 0; w < device->worker_count; w++) {
        worker *started = &device->workers[w];
        started->device = device;
        started->number = w;
        started->seed = started->random = device->options.seed;
        int error = pthread_create(&started->thread, NULL, work, started);
        if (error) {
            weir_fail(WEIR_ERR_BACKEND, "host: cannot start worker %u of %u: %s", w, device->worker_count, strerror(error));
            device->worker_count = w;
            weir_host_workers_stop(device);
            return WEIR_ERR_BACKEND;
        }
    }
    return WEIR_OK;
}

void weir_host_workers_stop(weir_backend *device)
{
    atomic_store(&device->closing, true);
    weir_host_ring(device);
    for (uint32_t w = 0; w < device->worker_count; w++)
        pthread_join(device->workers[w].thread, NULL);
    weir_free_lines(device->workers);
    device->workers = NULL;
}
