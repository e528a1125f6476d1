/* runtime.c - opens a backend by name, and ends it when nobody needs it any more. */
#include "run/runtime.h"
#include "run/exec.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/settings.h"
#include "util/status.h"
#include <errno.h>
#include <string.h>

/* ---- time ---- */

int64_t weir_deadline(int64_t timeout_ns)
{
    if (timeout_ns < 0)
        return INT64_MAX;
    int64_t now = weir_clock_ns();
    return timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

void weir_runtime_notify(weir_runtime *runtime)
{
    runtime->changes++;
    pthread_cond_broadcast(&runtime->changed);
}

/* Whoever waits looks for a while himself what has ended: waking a thread that sleeps takes longer than a short frame. Not where the
 * program is told of frames: that is for weir's threads to do. true: `changed`. */
static bool look_for_a_while(weir_runtime *runtime, int64_t deadline_ns)
{
    enum { LOOKING_NS = 20 * 1000 * 1000 };
    int64_t now = weir_clock_ns(), until = now + LOOKING_NS;
    uint64_t before = runtime->changes;
    if (!runtime->ops->look)
        return false;
    until = until < deadline_ns ? until : deadline_ns;
    for (; runtime->changes == before && runtime->callbacks == 0 && now < until; now = weir_clock_ns()) {
        pthread_mutex_unlock(&runtime->lock);
        runtime->ops->look(runtime->backend);
        pthread_mutex_lock(&runtime->lock);
    }
    return runtime->changes != before;
}

/* Callers look for themselves what has changed, so one that looks again after a while has lost nothing: until 2.41 glibc's conditions may lose a
 * wake-up, where several threads wait. */
bool weir_runtime_await(weir_runtime *runtime, int64_t deadline_ns)
{
    enum { SECOND = 1000000000 };
    if (look_for_a_while(runtime, deadline_ns))
        return true;
    const int64_t look_again_ns = weir_deadline(SECOND), until_ns = deadline_ns < look_again_ns ? deadline_ns : look_again_ns;
    struct timespec until = {.tv_sec = (time_t)(until_ns / SECOND), .tv_nsec = (long)(until_ns % SECOND)};
    return pthread_cond_timedwait(&runtime->changed, &runtime->lock, &until) != ETIMEDOUT || until_ns < deadline_ns;
}

/* ---- opening ---- */

static const weir_backend_ops *backend_named(const char *name)
{
    for (size_t i = 0; weir_backends[i]; i++)
        if (strcmp(weir_backends[i]->name, name) == 0)
            return weir_backends[i];
    return NULL;
}

/* "auto", the backends there are, and those that a library may be built without: to name one of these is no mistake in spelling. */
static weir_status check_name(const char **name)
{
    enum { NAMES_MOST = 16 };
    const char *allowed[NAMES_MOST] = {"auto"};
    size_t count = 1;
    for (size_t i = 0; weir_backends[i] && count < NAMES_MOST - 2; i++)
        allowed[count++] = weir_backends[i]->name;
    if (!backend_named("cuda"))
        allowed[count++] = "cuda";
    return weir_settings_choice("WEIR_BACKEND", "backend", allowed, name);
}

static weir_status choose_backend(const char *name, const weir_backend_ops **out)
{
    weir_status status = check_name(&name);
    if (status != WEIR_OK)
        return status;
    weir_device_info info = {.available = 0};
    if (strcmp(name, "auto") != 0) {
        *out = backend_named(name);
        if (!*out)
            return weir_fail(WEIR_ERR_BACKEND, "backend '%s': this library was built without it", name);
        (*out)->describe(&info);
        return info.available ? WEIR_OK : weir_fail(WEIR_ERR_BACKEND, "backend '%s': %s", name, info.why_not);
    }
    for (size_t i = 0; weir_backends[i]; i++) {
        weir_backends[i]->describe(&info);
        if (info.available) {
            *out = weir_backends[i];
            return WEIR_OK;
        }
        weir_log(WEIR_LOG_INFO, "backend '%s' is not taken: %s", weir_backends[i]->name, info.why_not);
    }
    return weir_fail(WEIR_ERR_BACKEND, "no backend is available");
}

enum { CACHE_NODES = 16384 };

static weir_status read_settings(const weir_runtime_options *given, weir_runtime *runtime, weir_backend_options *options)
{
    uint64_t lanes = given->lanes_max, workers = given->workers, debug = 0;
    options->cache_nodes = CACHE_NODES;
    weir_status status = weir_settings_check_log();
    if (status == WEIR_OK)
        status = weir_settings_number("WEIR_LANES", 1, WEIR_LANES_MOST, &lanes);
    if (status == WEIR_OK)
        status = weir_settings_number("WEIR_WORKERS", 1, 1024, &workers);
    if (status == WEIR_OK)
        status = weir_settings_number("WEIR_CACHE_NODES", 0, UINT32_MAX, &options->cache_nodes);
    if (status == WEIR_OK)
        status = weir_settings_number("WEIR_DEBUG", 0, 1, &debug);
    options->shuffle = weir_settings_text("WEIR_SHUFFLE") != NULL;
    if (status == WEIR_OK)
        status = weir_settings_number("WEIR_SHUFFLE", 0, UINT64_MAX, &options->seed);
    if (status == WEIR_OK && given->device != 0)
        status = weir_fail(WEIR_ERR_INVALID, "device %u: there is only device 0", given->device);
    options->workers = (uint32_t)workers;
    options->lanes = (uint32_t)lanes;
    options->debug = debug != 0;
    options->tracer = &runtime->tracer;
    runtime->lanes_max = (uint32_t)lanes;
    runtime->debug = debug != 0;
    return status;
}

static void init_lock(weir_runtime *runtime)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&runtime->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&runtime->lock, NULL);
    pthread_mutex_init(&runtime->making, NULL);
}

weir_status weir_runtime_open(const weir_runtime_options *options, const weir_observers *observers, weir_runtime **out)
{
    const weir_runtime_options defaults = {.backend = NULL};
    const weir_runtime_options *given = options ? options : &defaults;
    if (!out)
        return weir_fail(WEIR_ERR_INVALID, "weir_runtime_create: NULL argument");
    weir_runtime *runtime = weir_alloc(1, sizeof *runtime);
    if (!runtime)
        return weir_fail_no_memory();
    atomic_init(&runtime->holders, 1);
    atomic_init(&runtime->tracer, NULL);
    runtime->observers = observers;
    init_lock(runtime);
    weir_backend_options backend_options = {.device = given->device};
    weir_status status = read_settings(given, runtime, &backend_options);
    if (status == WEIR_OK)
        status = choose_backend(given->backend ? given->backend : "auto", &runtime->ops);
    if (status == WEIR_OK)
        status = runtime->ops->open(&backend_options, &runtime->backend);
    if (status == WEIR_OK)
        status = observers->runtime_opened(runtime);
    if (status != WEIR_OK) {
        weir_runtime_release(runtime);
        return status;
    }
    weir_log(WEIR_LOG_INFO, "runtime on '%s' with %u workers", runtime->ops->name, runtime->ops->workers(runtime->backend));
    *out = runtime;
    return WEIR_OK;
}

void weir_runtime_hold(weir_runtime *runtime)
{
    atomic_fetch_add_explicit(&runtime->holders, 1, memory_order_relaxed);
}

void weir_runtime_release(weir_runtime *runtime)
{
    if (atomic_fetch_sub_explicit(&runtime->holders, 1, memory_order_acq_rel) != 1)
        return;
    if (runtime->backend)
        runtime->ops->close(runtime->backend);
    while (runtime->tracers) {
        weir_tracer *next = runtime->tracers->next;
        runtime->tracers->destroy(runtime->tracers);
        runtime->tracers = next;
    }
    pthread_cond_destroy(&runtime->changed);
    pthread_mutex_destroy(&runtime->lock);
    pthread_mutex_destroy(&runtime->making);
    weir_free(runtime);
}

/* ---- waiting and ending ---- */

/* An exec with a frame that is not done, with the lock held. */
static weir_exec *busy_exec(const weir_runtime *runtime)
{
    weir_exec *exec = runtime->execs;
    while (exec && !weir_exec_is_busy(exec))
        exec = exec->next;
    return exec;
}

weir_status weir_runtime_wait(weir_runtime *runtime, int64_t timeout_ns)
{
    if (!runtime)
        return weir_fail(WEIR_ERR_INVALID, "weir_runtime_wait: the runtime is NULL");
    int64_t deadline = weir_deadline(timeout_ns);
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&runtime->lock);
    while (status == WEIR_OK && busy_exec(runtime))
        if (timeout_ns == 0 || !weir_runtime_await(runtime, deadline))
            status = busy_exec(runtime) ? weir_exec_say_waiting(busy_exec(runtime), timeout_ns == 0 ? WEIR_WOULD_BLOCK : WEIR_TIMEOUT) : WEIR_OK;
    pthread_mutex_unlock(&runtime->lock);
    return status;
}

void weir_runtime_destroy(weir_runtime *runtime)
{
    enum { SECOND = 1000000000 };
    if (!runtime)
        return;
    pthread_mutex_lock(&runtime->lock);
    runtime->ended = true; /* begins that wait give up */
    weir_runtime_notify(runtime);
    while (busy_exec(runtime)) {
        weir_exec *busy = weir_runtime_await(runtime, weir_deadline(SECOND)) ? NULL : busy_exec(runtime);
        if (busy) {
            weir_exec_say_waiting(busy, WEIR_TIMEOUT);
            weir_log(WEIR_LOG_WARN, "weir_runtime_destroy waits: %s", weir_last_error());
        }
    }
    pthread_mutex_unlock(&runtime->lock);
    runtime->observers->runtime_ends(runtime);
    pthread_mutex_lock(&runtime->making);
    weir_storages_end(runtime);
    pthread_mutex_unlock(&runtime->making);
    weir_runtime_release(runtime);
}

/* ---- what it is ---- */

const char *weir_runtime_backend(const weir_runtime *runtime)
{
    return runtime ? runtime->ops->name : "";
}

uint32_t weir_runtime_lanes(const weir_runtime *runtime)
{
    return runtime ? runtime->ops->lanes(runtime->backend) : 0;
}

uint32_t weir_runtime_workers(const weir_runtime *runtime)
{
    return runtime ? runtime->ops->workers(runtime->backend) : 0;
}

weir_status weir_device_get(uint32_t index, weir_device_info *out)
{
    if (!out)
        return weir_fail(WEIR_ERR_INVALID, "weir_device_get: NULL argument");
    uint32_t count = 0;
    for (; weir_backends[count]; count++)
        if (count == index) {
            weir_backends[count]->describe(out);
            if (out->available && weir_backends[count]->describe_closely)
                weir_backends[count]->describe_closely(out);
            return WEIR_OK;
        }
    if (!backend_named("cuda") && index == count) {
        *out = (weir_device_info){.backend = "cuda", .device = "", .why_not = "this library was built without it"};
        return WEIR_OK;
    }
    return weir_fail(WEIR_ERR_INVALID, "there is no device %u", index);
}

weir_status weir_runtime_set_tracer(weir_runtime *runtime, weir_tracer *tracer, weir_tracer **before)
{
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&runtime->lock);
    weir_tracer *old = atomic_load(&runtime->tracer);
    if (tracer && old) {
        status = weir_fail(WEIR_ERR_STATE, "the runtime is being traced already");
    } else {
        atomic_store(&runtime->tracer, tracer);
        if (tracer) {
            tracer->next = runtime->tracers;
            runtime->tracers = tracer;
        }
        if (before)
            *before = old;
    }
    pthread_mutex_unlock(&runtime->lock);
    return status;
}
