/* watch.c - finds what has ended, and tells it.
 *
 * Looking and telling are two steps, since telling takes run's lock, and whoever holds that may need somebody to look (device.h). Whoever
 * waits for a frame does both; for all others the watcher looks and wakes the teller. The watcher naps between looks, shorter where host
 * tasks are awaited, and sleeps when there has been nothing in flight for a while: waking it takes longer than launching a graph. */
#define _GNU_SOURCE /* prctl's PR_SET_TIMERSLACK */
#include "backend/cuda/choose.h"
#include "backend/cuda/control.h"
#include "backend/cuda/device.h"
#include "backend/cuda/timing.h"
#include "util/clock.h"
#include "util/fence.h"
#include "util/memory.h"
#include "util/status.h"
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    NAP_NS = 50 * 1000,         /* between looks, where only frames are awaited */
    SHORT_NAP_NS = 5 * 1000,    /* where host tasks are */
    EAGER_NS = 100 * 1000,      /* after anything has happened: no naps */
    STANDBY_NAP_NS = 1000 * 1000,
    STAY_AWAKE_NS = 5 * 1000 * 1000 /* with nothing in flight */
};

/* ---- looking, under `looking` ---- */

static void lose(weir_program *program, flight *f)
{
    f->lost = true;
    weir_cuda_gates_give_up(f); /* those that have not arrived never will */
    weir_cuda_fail_from(program, f->number); /* and what workers have not begun is skipped */
}

/* Of a frame without an event of its own: whether the stream has done what this program launched before others came into it. */
static cudaError_t ask_stream(pool_stream *s)
{
    cudaError_t result = cudaStreamQuery(s->stream);
    if (result == cudaErrorNotReady && atomic_load_explicit(&s->has_joined, memory_order_acquire))
        result = cudaEventQuery(s->joined);
    return result;
}

/* True if all that was launched for the frame is done, or never will be. */
static bool has_ended(weir_program *program, flight *f)
{
    weir_backend *device = program->device;
    if (!atomic_load_explicit(&f->launched, memory_order_acquire))
        return false;
    uint32_t count = f->slot ? 1 : program->end_count;
    while (f->ends_seen < count && atomic_load(&device->broken) == cudaSuccess) {
        bool recorded = atomic_load_explicit(&f->end_recorded, memory_order_acquire);
        cudaError_t result = weir_cuda_note(device, recorded ? cudaEventQuery(f->ends[f->ends_seen]) : ask_stream(program->pool[weir_flight_stream(f)]));
        if (result == cudaErrorNotReady)
            return false;
        if (result != cudaSuccess) {
            if (f->error == cudaSuccess) {
                f->error = result;
                f->error_call = "cudaEventQuery";
            }
            break;
        }
        f->ends_seen++;
    }
    if (f->ends_seen < count)
        lose(program, f);
    return atomic_load_explicit(&f->running, memory_order_acquire) == 0;
}

static void look_at(weir_program *program, bool *found)
{
    uint64_t submitted = atomic_load_explicit(&program->submitted, memory_order_acquire);
    uint64_t ended = atomic_load_explicit(&program->ended, memory_order_relaxed);
    while (ended < submitted && has_ended(program, &program->flights[ended % program->frames])) {
        if (program->gate_count > 0)
            weir_cuda_gates_give_up(&program->flights[ended % program->frames]); /* such as could not be launched */
        atomic_store_explicit(&program->ended, ++ended, memory_order_release);
        atomic_fetch_add(&program->device->untold, 1);
        *found = true;
    }
}

/* Returns whether there are gates to look at soon. *found: something has ended. */
static bool look(weir_backend *device, bool *found)
{
    bool gates = weir_cuda_gates_look(device);
    for (weir_program *p = device->programs; p; p = p->next)
        look_at(p, found);
    return gates;
}

void weir_cuda_forgive_not_ready(void)
{
    if (cudaPeekAtLastError() == cudaErrorNotReady)
        (void)cudaGetLastError();
}

/* ---- telling, under `telling` ---- */

static void tell_failures(weir_program *program, flight *f)
{
    const weir_reports *reports = &program->image->reports;
    uint32_t task = atomic_load(&f->failed_task);
    if (f->failed_text)
        reports->task_refused(reports->user, f->number, task, WEIR_ERR_TASK, f->failed_text);
    else if (task != UINT32_MAX)
        reports->task_failed(reports->user, f->number, task, WEIR_ERR_TASK, f->failed_cause);
    weir_free(f->failed_text);
    f->failed_text = NULL;
    if (program->failure_told)
        return;
    if (f->lost || f->error != cudaSuccess) {
        program->failure_told = true;
        weir_cuda_blame(program, f, f->error != cudaSuccess ? f->error : (cudaError_t)atomic_load(&program->device->broken));
    }
}

static void tell_one(weir_program *program, uint64_t number)
{
    weir_backend *device = program->device;
    flight *f = &program->flights[number % program->frames];
    if (f->timed && !f->lost)
        weir_cuda_timing_collect(program, f);
    weir_cuda_controls_tell(program, number);
    weir_cuda_choice_note(program, f);
    tell_failures(program, f);
    program->told = number + 1;
    atomic_fetch_sub(&device->in_flight, 1);
    atomic_fetch_sub(&device->untold, 1);
    program->image->reports.frame_done(program->image->reports.user, number); /* its place may be another frame's from here on */
}

static uint64_t next_turn(const weir_program *p)
{
    return p->flights[p->told % p->frames].turn;
}

/* A program with something to tell; of several, when debugging, the one whose frame was submitted first. The list is read under `looking`;
 * a program with frames that are not told stays. */
static weir_program *next_to_tell(weir_backend *device)
{
    weir_program *found = NULL;
    bool debug = device->options.debug;
    pthread_mutex_lock(&device->looking);
    for (weir_program *p = device->programs; p && (debug || !found); p = p->next) {
        uint64_t ready = atomic_load_explicit(debug ? &p->submitted : &p->ended, memory_order_acquire);
        if (p->told < ready && (!found || next_turn(p) < next_turn(found)))
            found = p;
    }
    pthread_mutex_unlock(&device->looking);
    return found;
}

/* false: there is nothing to tell. */
static bool tell_next(weir_backend *device)
{
    weir_program *found = next_to_tell(device);
    if (!found)
        return false;
    if (device->options.debug) {
        weir_cuda_step(found, &found->flights[found->told % found->frames]);
        atomic_store(&found->ended, found->told + 1);
        atomic_fetch_add(&device->untold, 1);
    }
    tell_one(found, found->told);
    return true;
}

static bool try_to_tell(weir_backend *device)
{
    if (pthread_mutex_trylock(&device->telling) != 0)
        return false;
    while (atomic_load(&device->untold) > 0 && tell_next(device))
        continue;
    pthread_mutex_unlock(&device->telling);
    return true;
}

void weir_cuda_look(weir_backend *device)
{
    enum { LOOKS = 16 }; /* each takes much less than what is round them */
    bool found = false;
    if (device->options.debug || pthread_mutex_trylock(&device->looking) != 0) {
        sched_yield();
        return;
    }
    entered before = weir_cuda_enter(device);
    for (uint32_t i = 0; i < LOOKS && !found && atomic_load_explicit(&device->in_flight, memory_order_relaxed) > 0; i++)
        look(device, &found);
    weir_cuda_forgive_not_ready();
    atomic_fetch_add_explicit(&device->looks, 1, memory_order_relaxed);
    pthread_mutex_unlock(&device->looking);
    if (atomic_load(&device->untold) > 0 && !try_to_tell(device) && found)
        weir_cuda_news(device); /* whoever tells now may have passed it */
    weir_cuda_leave(device, before);
}

/* ---- the three threads ---- */

static void nap(int64_t ns)
{
    struct timespec time = {.tv_sec = 0, .tv_nsec = (long)ns};
    nanosleep(&time, NULL);
}

static void make_current(const weir_backend *device)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaSetDevice(device->ordinal);
    (void)cudaThreadExchangeStreamCaptureMode(&mode); /* what it asks concerns no capture of the program's */
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

void weir_cuda_wake(weir_backend *device)
{
    weir_full_fence(); /* the frame first, then whether anybody sleeps */
    if (!atomic_load_explicit(&device->watcher_sleeps, memory_order_relaxed))
        return;
    pthread_mutex_lock(&device->bell);
    pthread_cond_signal(&device->rung);
    pthread_mutex_unlock(&device->bell);
}

/* Until a frame is in flight; false: until the end. */
static bool sleep_until_woken(weir_backend *device)
{
    pthread_mutex_lock(&device->bell);
    atomic_store_explicit(&device->watcher_sleeps, true, memory_order_relaxed);
    weir_full_fence();
    while (!device->closing && atomic_load(&device->in_flight) == 0)
        pthread_cond_wait(&device->rung, &device->bell);
    atomic_store_explicit(&device->watcher_sleeps, false, memory_order_relaxed);
    bool go_on = !device->closing;
    pthread_mutex_unlock(&device->bell);
    return go_on;
}

static bool is_closing(weir_backend *device)
{
    pthread_mutex_lock(&device->bell);
    bool closing = device->closing;
    pthread_mutex_unlock(&device->bell);
    return closing;
}

static void *watch(void *arg)
{
    weir_backend *device = arg;
    make_current(device);
    uint32_t seen = 0;
    for (int64_t busy = weir_clock_ns(), eager = busy;;) {
        bool found = false, gates = false;
        int64_t now = weir_clock_ns();
        if (atomic_load(&device->in_flight) > 0) {
            busy = now;
        } else if (now - busy > STAY_AWAKE_NS) {
            if (!sleep_until_woken(device))
                return NULL;
            eager = busy = now = weir_clock_ns();
        } else if (is_closing(device)) {
            return NULL;
        }
        /* Where nothing is in flight, or somebody waits and looks all the time, it would only be in the way. */
        uint32_t looks = atomic_load_explicit(&device->looks, memory_order_relaxed);
        if (busy == now && looks == seen && pthread_mutex_trylock(&device->looking) == 0) {
            gates = look(device, &found);
            pthread_mutex_unlock(&device->looking);
        }
        seen = looks;
        if (found) {
            eager = now;
            weir_cuda_news(device);
        }
        if (!gates)
            nap(NAP_NS);
        else if (now - eager > EAGER_NS)
            nap(SHORT_NAP_NS);
        else
            sched_yield();
    }
}

void weir_cuda_news(weir_backend *device)
{
    pthread_mutex_lock(&device->bell);
    device->any_news = true;
    pthread_cond_signal(&device->news);
    pthread_mutex_unlock(&device->bell);
}

static bool wait_for_news(weir_backend *device)
{
    pthread_mutex_lock(&device->bell);
    while (!device->closing && !device->any_news)
        pthread_cond_wait(&device->news, &device->bell);
    device->any_news = false;
    bool go_on = !device->closing;
    pthread_mutex_unlock(&device->bell);
    return go_on;
}

static void *tell(void *arg)
{
    weir_backend *device = arg;
    make_current(device);
    while (wait_for_news(device)) {
        pthread_mutex_lock(&device->telling);
        while (tell_next(device))
            continue;
        pthread_mutex_unlock(&device->telling);
    }
    return NULL;
}

/* Only where nobody looks at gates: all who would may be inside CUDA. */
static void *stand_by(void *arg)
{
    weir_backend *device = arg;
    for (;;) {
        bool alone = false;
        while (sem_wait(&device->gates_there) != 0)
            continue;
        while (atomic_load(&device->awaited) > 0 && !is_closing(device)) {
            uint32_t before = atomic_load_explicit(&device->arrivals, memory_order_relaxed);
            nap(alone ? NAP_NS : STANDBY_NAP_NS);
            alone = atomic_load_explicit(&device->arrivals, memory_order_relaxed) == before;
            if (alone)
                (void)weir_cuda_gates_look(device);
        }
        if (is_closing(device))
            return NULL;
    }
}

static weir_status start(helper_thread *helper, void *(*run)(void *), weir_backend *device)
{
    helper->started = pthread_create(&helper->thread, NULL, run, device) == 0;
    return helper->started ? WEIR_OK : weir_fail(WEIR_ERR_NO_MEMORY, "cuda: no thread can be started");
}

weir_status weir_cuda_watch_start(weir_backend *device)
{
    weir_status status = device->options.debug ? WEIR_OK : start(&device->watcher, watch, device); /* who steps needs nobody to look */
    return status == WEIR_OK ? start(&device->teller, tell, device) : status;
}

weir_status weir_cuda_standby_start(weir_backend *device)
{
    return device->standby.started || device->options.debug ? WEIR_OK : start(&device->standby, stand_by, device);
}

void weir_cuda_watch_stop(weir_backend *device)
{
    pthread_mutex_lock(&device->bell);
    device->closing = true;
    pthread_cond_broadcast(&device->rung);
    pthread_cond_broadcast(&device->news);
    pthread_mutex_unlock(&device->bell);
    sem_post(&device->gates_there);
    if (device->standby.started)
        pthread_join(device->standby.thread, NULL);
    if (device->watcher.started)
        pthread_join(device->watcher.thread, NULL);
    if (device->teller.started)
        pthread_join(device->teller.thread, NULL);
}

/* ---- the list of programs ---- */

void weir_cuda_watch_add(weir_program *program)
{
    weir_backend *device = program->device;
    pthread_mutex_lock(&device->looking);
    pthread_mutex_lock(&device->arriving);
    program->next = device->programs;
    device->programs = program;
    pthread_mutex_unlock(&device->arriving);
    pthread_mutex_unlock(&device->looking);
}

void weir_cuda_watch_remove(weir_program *program)
{
    weir_backend *device = program->device;
    pthread_mutex_lock(&device->telling);
    pthread_mutex_lock(&device->looking);
    pthread_mutex_lock(&device->arriving);
    for (weir_program **link = &device->programs; *link; link = &(*link)->next)
        if (*link == program) {
            *link = program->next;
            break;
        }
    pthread_mutex_unlock(&device->arriving);
    pthread_mutex_unlock(&device->looking);
    pthread_mutex_unlock(&device->telling);
}
