/* host.c - opens the device of this process: its threads, and plain memory. */
#define _GNU_SOURCE /* sched_getaffinity, where there is one */
#include "backend/host/host.h"
#include "backend/host/device.h"
#include "util/memory.h"
#include "util/status.h"
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS_MOST = 1024 };

struct scratch {
    struct scratch *older; /* its kernel may still run */
    unsigned char *lines;
};

/* How many this process may use. */
static uint32_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        count = CPU_COUNT(&allowed);
#endif
    return count < 1 ? 1 : count > WORKERS_MOST ? WORKERS_MOST : (uint32_t)count;
}

static void host_describe(weir_device_info *out)
{
    *out = (weir_device_info){
        .backend = "host",
        .device = "threads of this process",
        .available = 1,
        .why_not = "",
        .lanes = processors(),
        .workers = processors(),
    };
}

static void host_close(weir_backend *device)
{
    if (!device)
        return;
    if (device->workers)
        weir_host_workers_stop(device);
    for (program_table *table = atomic_load(&device->programs); table;) {
        program_table *older = table->older;
        weir_free(table);
        table = older;
    }
    while (device->scratch) {
        struct scratch *older = device->scratch->older;
        weir_free_lines(device->scratch->lines);
        weir_free(device->scratch);
        device->scratch = older;
    }
    pthread_cond_destroy(&device->rung);
    pthread_mutex_destroy(&device->lock);
    weir_free(device);
}

static weir_status host_open(const weir_backend_options *options, weir_backend **out)
{
    uint32_t wanted = options->workers ? options->workers : processors();
    if (wanted > WORKERS_MOST)
        return weir_fail(WEIR_ERR_INVALID, "host: %u workers, at most %d", wanted, WORKERS_MOST);
    weir_backend *device = weir_alloc(1, sizeof *device);
    if (!device)
        return weir_fail_no_memory();
    device->options = *options;
    device->lanes = wanted;
    device->worker_count = options->shuffle ? 1 : wanted; /* a shuffled run is one thread's, so that its seed tells all */
    atomic_init(&device->programs, NULL);
    atomic_init(&device->sleepers, 0);
    atomic_init(&device->closing, false);
    pthread_mutex_init(&device->lock, NULL);
    pthread_cond_init(&device->rung, NULL);
    weir_status status = weir_host_workers_start(device);
    if (status != WEIR_OK) {
        host_close(device);
        return status;
    }
    *out = device;
    return WEIR_OK;
}

static uint32_t host_workers(const weir_backend *device)
{
    return device->worker_count;
}

static uint32_t host_lanes(const weir_backend *device)
{
    return device->lanes;
}

/* Raises `most` to what any kernel asks for, those of bodies too. */
static weir_status find_most(void *most, const weir_plan *plan)
{
    size_t *bytes = most;
    for (uint32_t i = 0; i < plan->body->shapes.count; i++)
        if (plan->body->shapes.at[i].shared_bytes > *bytes)
            *bytes = plan->body->shapes.at[i].shared_bytes;
    return weir_plan_each_body(plan, find_most, most);
}

/* Workers look where their scratch is at each kernel, so it may be made larger while others run; the old one stays for those. */
weir_status weir_host_scratch_grow(weir_backend *device, const weir_plan *plan)
{
    size_t most = 0;
    weir_status status = find_most(&most, plan);
    if (status != WEIR_OK || most <= device->scratch_bytes)
        return status;
    most = (most + 63) & ~(size_t)63;
    struct scratch *made = weir_alloc(1, sizeof *made);
    if (made)
        made->lines = weir_alloc_lines(device->worker_count, most);
    if (!made || !made->lines) {
        weir_free(made);
        return weir_fail_no_memory();
    }
    made->older = device->scratch;
    device->scratch = made;
    device->scratch_bytes = most;
    for (uint32_t w = 0; w < device->worker_count; w++)
        atomic_store_explicit(&device->workers[w].shared, made->lines + w * most, memory_order_release);
    return WEIR_OK;
}

static void *host_take(weir_backend *device, weir_place place, size_t bytes)
{
    (void)device;
    (void)place;
    void *memory = weir_alloc_lines(bytes, 1);
    if (!memory)
        weir_fail(WEIR_ERR_NO_MEMORY, "out of memory: %zu bytes", bytes);
    return memory;
}

static void host_give(weir_backend *device, weir_place place, void *memory)
{
    (void)device;
    (void)place;
    weir_free_lines(memory);
}

static weir_status host_move(weir_backend *device, weir_place place, void *to, const void *from, size_t bytes)
{
    (void)device;
    (void)place;
    memcpy(to, from, bytes);
    return WEIR_OK;
}

const weir_backend_ops weir_host_backend = {
    .name = "host",
    .describe = host_describe,
    .open = host_open,
    .close = host_close,
    .workers = host_workers,
    .lanes = host_lanes,
    .take = host_take,
    .give = host_give,
    .write = host_move,
    .read = host_move,
    .check = weir_host_check,
    .program_create = weir_host_program_create,
    .program_destroy = weir_host_program_destroy,
    .submit = weir_host_submit,
    .task_done = weir_host_task_done,
    .unfinished = weir_host_unfinished,
};
