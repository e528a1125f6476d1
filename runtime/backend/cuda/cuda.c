/* cuda.c - opens a GPU: whether there is one, what it is, and what all its programs share. */
#include "backend/cuda/choose.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/device.h"
#include "backend/cuda/timing.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is there ---- */

static uint32_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 1024 ? 1024 : (uint32_t)count;
}

static void cuda_describe(weir_device_info *out)
{
    static _Thread_local char name[256], why[512];
    struct cudaDeviceProp properties;
    int count = 0, driver = 0;
    *out = (weir_device_info){.backend = "cuda", .device = "", .why_not = why, .lanes = WEIR_CUDA_LANES, .workers = processors()};
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaSuccess && count > 0) {
        result = cudaGetDeviceProperties(&properties, 0);
        if (result == cudaSuccess) {
            snprintf(name, sizeof name, "%s", properties.name);
            *out = (weir_device_info){.backend = "cuda", .device = name, .available = 1, .why_not = "", .lanes = WEIR_CUDA_LANES, .workers = processors()};
            return;
        }
    }
    (void)cudaGetLastError();
    (void)cudaDriverGetVersion(&driver);
    if (result == cudaSuccess)
        result = cudaErrorNoDevice;
    char text[256];
    weir_cuda_describe(result, text, sizeof text);
    snprintf(why, sizeof why, driver == 0 ? "no driver for CUDA: %s" : "no device: %s", text);
}

/* Starts CUDA: a runtime that is opened afterwards comes too late to ask for more connections. */
static void cuda_describe_closely(weir_device_info *io)
{
    int before = -1, least = 0, greatest = 0;
    (void)cudaGetDevice(&before);
    if (cudaSetDevice(0) == cudaSuccess && cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess) {
        io->priority_relaxed = least;
        io->priority_urgent = greatest;
    }
    (void)cudaGetLastError();
    if (before > 0)
        (void)cudaSetDevice(before);
}

/* ---- enter, leave, broken ---- */

entered weir_cuda_enter(const weir_backend *device)
{
    entered before = {.device = -1, .mode = cudaStreamCaptureModeRelaxed};
    (void)cudaGetDevice(&before.device);
    if (before.device != device->ordinal)
        (void)cudaSetDevice(device->ordinal);
    (void)cudaThreadExchangeStreamCaptureMode(&before.mode);
    return before;
}

void weir_cuda_leave(const weir_backend *device, entered before)
{
    (void)cudaThreadExchangeStreamCaptureMode(&before.mode);
    if (before.device >= 0 && before.device != device->ordinal)
        (void)cudaSetDevice(before.device);
}

weir_status weir_cuda_broken(const weir_backend *device)
{
    int error = atomic_load_explicit(&((weir_backend *)device)->broken, memory_order_acquire);
    if (error == cudaSuccess)
        return WEIR_OK;
    char text[256];
    weir_cuda_describe((cudaError_t)error, text, sizeof text);
    return weir_fail(WEIR_ERR_DEVICE, "the device failed with %s: this process cannot use it any more", text);
}

cudaError_t weir_cuda_note(weir_backend *device, cudaError_t result)
{
    int none = cudaSuccess;
    if (result != cudaSuccess && weir_cuda_is_sticky(result))
        atomic_compare_exchange_strong(&device->broken, &none, (int)result);
    return result;
}

/* ---- opening ---- */

/* Streams beyond 8 may share a connection and wait for each other without need. How many there are is read when the context is made. */
static void ask_for_connections(const weir_backend *device)
{
    enum { MOST = 32 };
    unsigned int flags;
    int active = 0;
    char text[16];
    if (device->lanes <= WEIR_CUDA_CONNECTIONS || getenv("CUDA_DEVICE_MAX_CONNECTIONS"))
        return;
    if (device->driver.context_state(device->ordinal, &flags, &active) == CUDA_SUCCESS && active) {
        weir_log(WEIR_LOG_WARN, "cuda: %u lanes on %d connections: set CUDA_DEVICE_MAX_CONNECTIONS=%d before CUDA starts", device->lanes, WEIR_CUDA_CONNECTIONS, MOST);
        return;
    }
    snprintf(text, sizeof text, "%u", device->lanes < MOST ? device->lanes : (uint32_t)MOST);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", text, 0);
}

static weir_status make_pool(weir_backend *device)
{
    struct cudaMemPoolProps properties;
    uint64_t keep = UINT64_MAX;
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypeNone;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device->ordinal;
    weir_status status = weir_cuda_status(cudaMemPoolCreate(&device->pool, &properties), "cudaMemPoolCreate");
    if (status == WEIR_OK) /* else each wait would give free memory back to the system */
        status = weir_cuda_status(cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
    return status;
}

static weir_status ask_capability(weir_backend *device)
{
    int major = 0;
    weir_status status = weir_cuda_status(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device->ordinal), "cudaDeviceGetAttribute");
    device->programmatic = major >= 9;
    return status;
}

static weir_status open_device(weir_backend *device)
{
    weir_status status = weir_cuda_status(cudaSetDevice(device->ordinal), "cudaSetDevice"); /* makes the context */
    if (status == WEIR_OK)
        status = weir_cuda_status(weir_from_driver(device->driver.current_context(&device->context)), "cuCtxGetCurrent");
    if (status == WEIR_OK)
        status = weir_cuda_status(cudaDeviceGetStreamPriorityRange(&device->least, &device->greatest), "cudaDeviceGetStreamPriorityRange");
    if (status == WEIR_OK)
        status = ask_capability(device);
    if (status == WEIR_OK)
        status = weir_cuda_status(cudaStreamCreateWithFlags(&device->errands, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    if (status == WEIR_OK)
        status = weir_cuda_status(cudaEventCreateWithFlags(&device->mark, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    if (status == WEIR_OK)
        status = make_pool(device);
    if (status == WEIR_OK) {
        device->unread = weir_cuda_take(device, WEIR_DEVICE, sizeof *device->unread);
        status = device->unread ? WEIR_OK : WEIR_ERR_NO_MEMORY; /* said */
    }
    return status;
}

static void cuda_close(weir_backend *device)
{
    if (!device)
        return;
    entered before = weir_cuda_enter(device);
    weir_cuda_watch_stop(device);
    weir_cuda_workers_stop(device);
    weir_cuda_streams_finish(device);
    weir_cuda_words_finish(device);
    weir_cuda_clock_finish(device);
    weir_cache_finish(&device->cache);
    if (device->unread)
        weir_cuda_give(device, WEIR_DEVICE, device->unread);
    if (device->errands)
        (void)cudaStreamDestroy(device->errands);
    for (uint32_t i = 0; i < WEIR_CUDA_PROBES; i++)
        if (device->probes[i])
            (void)cudaStreamDestroy(device->probes[i]);
    if (device->mark)
        (void)cudaEventDestroy(device->mark);
    if (device->pool)
        (void)cudaMemPoolDestroy(device->pool);
    (void)cudaGetLastError();
    weir_cuda_leave(device, before);
    pthread_mutex_destroy(&device->errand);
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->looking);
    pthread_mutex_destroy(&device->arriving);
    sem_destroy(&device->gates_there);
    pthread_mutex_destroy(&device->telling);
    pthread_mutex_destroy(&device->bell);
    pthread_cond_destroy(&device->rung);
    pthread_cond_destroy(&device->news);
    pthread_mutex_destroy(&device->work);
    sem_destroy(&device->work_there);
    pthread_mutex_destroy(&device->clock);
    weir_free_lines(device);
}

static void init_locks(weir_backend *device)
{
    pthread_mutex_init(&device->errand, NULL);
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->looking, NULL);
    pthread_mutex_init(&device->arriving, NULL);
    sem_init(&device->gates_there, 0, 0);
    pthread_mutex_init(&device->telling, NULL);
    pthread_mutex_init(&device->bell, NULL);
    pthread_cond_init(&device->rung, NULL);
    pthread_cond_init(&device->news, NULL);
    pthread_mutex_init(&device->work, NULL);
    sem_init(&device->work_there, 0, 0);
    pthread_mutex_init(&device->clock, NULL);
}

static weir_status cuda_open(const weir_backend_options *options, weir_backend **out)
{
    weir_backend *device = weir_alloc_lines(1, sizeof *device);
    if (!device)
        return weir_fail_no_memory();
    device->options = *options;
    device->ordinal = (int)options->device;
    device->lanes = options->lanes ? options->lanes : WEIR_CUDA_LANES;
    device->worker_count = options->workers ? options->workers : processors();
    init_locks(device);
    weir_cache_init(&device->cache, options->cache_nodes);
    weir_status status = weir_driver_find(&device->driver);
    entered before = {0};
    if (status == WEIR_OK) {
        ask_for_connections(device);
        before = weir_cuda_enter(device);
        status = open_device(device);
        if (status == WEIR_OK)
            status = weir_cuda_watch_start(device);
        weir_cuda_leave(device, before);
    }
    if (status != WEIR_OK) {
        cuda_close(device);
        return status;
    }
    *out = device;
    return WEIR_OK;
}

static uint32_t cuda_workers(const weir_backend *device)
{
    return device->worker_count;
}

static uint32_t cuda_lanes(const weir_backend *device)
{
    return device->lanes;
}

const weir_backend_ops weir_cuda_backend = {
    .name = "cuda",
    .describe = cuda_describe,
    .open = cuda_open,
    .close = cuda_close,
    .workers = cuda_workers,
    .lanes = cuda_lanes,
    .take = weir_cuda_take,
    .give = weir_cuda_give,
    .write = weir_cuda_move,
    .read = weir_cuda_move,
    .check = weir_cuda_check,
    .program_create = weir_cuda_program_create,
    .program_destroy = weir_cuda_program_destroy,
    .submit = weir_cuda_submit,
    .task_done = weir_cuda_task_done,
    .unfinished = weir_cuda_unfinished,
    .adopt = weir_cuda_adopt,
    .abandon = weir_cuda_abandon,
    .look = weir_cuda_look,
    .state = weir_cuda_broken,
    .describe_closely = cuda_describe_closely,
    .info = weir_cuda_info,
    .timing_excess = weir_cuda_timing_excess,
    .candidates = weir_cuda_candidates,
    .follow = weir_cuda_follow,
    .record_end = weir_cuda_record_end,
    .check_foreign = weir_cuda_check_foreign,
};
