/* streams.c - the pool of streams: non-blocking ones, of each priority as many as plans have had lanes of it. The pool never shrinks; all
 * programs of a device share it, so two lanes of two programs may be one stream. */
#include "backend/cuda/device.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <nvtx3/nvToolsExtCudaRt.h>
#include <stdio.h>

static int level_count(const weir_backend *device)
{
    int count = device->least - device->greatest + 1;
    return count < WEIR_CUDA_LEVELS_MOST ? count : WEIR_CUDA_LEVELS_MOST;
}

/* ---- bands onto levels ---- */

/* Bands of lanes below lane `end`: a band's lanes are neighbours, the most urgent band first. */
static uint32_t bands_before(const weir_plan *plan, uint32_t end)
{
    uint32_t bands = end > 0;
    for (uint32_t l = 1; l < end; l++)
        bands += plan->lane_priority[l] != plan->lane_priority[l - 1];
    return bands;
}

/* The least urgent band has CUDA's default priority, which is its least urgent one. */
int weir_cuda_level_of(const weir_backend *device, uint32_t rank, uint32_t bands)
{
    uint32_t levels = (uint32_t)level_count(device);
    if (bands <= levels)
        return device->least - (int)(bands - 1 - rank);
    return device->greatest + (int)((uint64_t)rank * levels / bands);
}

int weir_cuda_lane_level(const weir_backend *device, const weir_plan *plan, uint32_t lane)
{
    return weir_cuda_level_of(device, bands_before(plan, lane + 1) - 1, bands_before(plan, plan->lanes));
}

void weir_cuda_say_shared_levels(const weir_backend *device, const weir_plan *plan, uint32_t bands)
{
    if (bands > (uint32_t)level_count(device))
        weir_log(WEIR_LOG_INFO, "graph '%s': %u priorities on a device that has %d: neighbours share one", plan->body->name, bands, level_count(device));
}

/* ---- the pool ---- */

static weir_status make_stream(weir_backend *device, uint32_t level, uint32_t number)
{
    cudaStream_t stream = NULL;
    int priority = device->greatest + (int)level;
    weir_status status = weir_cuda_status(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "cudaStreamCreateWithPriority");
    if (status != WEIR_OK)
        return status;
    char name[64];
    snprintf(name, sizeof name, priority == device->least ? "weir lane %u" : "weir lane %u, priority %d", number, priority);
    nvtxNameCudaStreamA(stream, name);
    device->streams[level][number] = stream;
    device->stream_count[level] = number + 1;
    return WEIR_OK;
}

/* Stream `number` of a level, with the device's lock held. */
static weir_status stream_at(weir_backend *device, uint32_t level, uint32_t number, cudaStream_t *out)
{
    weir_status status = WEIR_OK;
    if (!device->streams[level])
        device->streams[level] = weir_alloc(device->lanes, sizeof(cudaStream_t));
    if (!device->stream_users[level])
        device->stream_users[level] = weir_alloc(device->lanes, sizeof *device->stream_users[level]);
    if (!device->streams[level] || !device->stream_users[level])
        return weir_fail_no_memory();
    for (uint32_t n = device->stream_count[level]; n <= number && status == WEIR_OK; n++)
        status = make_stream(device, level, n);
    *out = NULL;
    if (status == WEIR_OK) {
        *out = device->streams[level][number];
        atomic_fetch_add(&device->stream_users[level][number], 1);
    }
    return status;
}

weir_status weir_cuda_streams_for(weir_backend *device, const weir_plan *plan, cudaStream_t *out)
{
    uint32_t used[WEIR_CUDA_LEVELS_MOST] = {0};
    weir_status status = WEIR_OK;
    weir_cuda_say_shared_levels(device, plan, bands_before(plan, plan->lanes));
    pthread_mutex_lock(&device->lock);
    for (uint32_t l = 0; l < plan->lanes && status == WEIR_OK; l++) {
        uint32_t level = (uint32_t)(weir_cuda_lane_level(device, plan, l) - device->greatest);
        status = stream_at(device, level, used[level]++, &out[l]);
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

weir_status weir_cuda_stream_of_program(weir_backend *device, const weir_plan *plan, uint32_t number, cudaStream_t *out, _Atomic uint32_t **users)
{
    uint32_t level = (uint32_t)(weir_cuda_lane_level(device, plan, 0) - device->greatest);
    pthread_mutex_lock(&device->lock);
    weir_status status = stream_at(device, level, number % device->lanes, out);
    if (status == WEIR_OK)
        *users = &device->stream_users[level][number % device->lanes];
    pthread_mutex_unlock(&device->lock);
    return status;
}

void weir_cuda_streams_finish(weir_backend *device)
{
    for (uint32_t level = 0; level < WEIR_CUDA_LEVELS_MOST; level++) {
        for (uint32_t n = 0; n < device->stream_count[level]; n++)
            (void)cudaStreamDestroy(device->streams[level][n]);
        weir_free(device->streams[level]);
        weir_free(device->stream_users[level]);
    }
}
