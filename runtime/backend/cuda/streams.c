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
    device->streams[level][number].stream = stream;
    device->stream_count[level] = number + 1;
    return WEIR_OK;
}

/* Whoever was alone launches without events: what he has launched so far is marked. Who launches from here on sees that he is not alone. */
static weir_status join(pool_stream *s)
{
    if (atomic_fetch_add(&s->users, 1) != 1)
        return WEIR_OK;
    weir_status status = s->joined ? WEIR_OK : weir_cuda_status(cudaEventCreateWithFlags(&s->joined, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    if (status == WEIR_OK)
        status = weir_cuda_status(cudaEventRecord(s->joined, s->stream), "cudaEventRecord");
    if (status == WEIR_OK)
        atomic_store_explicit(&s->has_joined, true, memory_order_release);
    else
        atomic_fetch_sub(&s->users, 1);
    return status;
}

static void leave(pool_stream *s)
{
    if (atomic_load(&s->users) == 2)
        atomic_store(&s->has_joined, false);
    atomic_fetch_sub(&s->users, 1);
}

/* Of a level: a program has no more lanes, nor a replay more frames in flight. */
static uint32_t streams_most(const weir_backend *device)
{
    return device->lanes > WEIR_SLOTS_MOST ? device->lanes : WEIR_SLOTS_MOST;
}

/* The level's next stream becomes the program's next, with the device's lock held. `most`: the program takes no more of any level, so that it never
 * has one twice. */
static weir_status add_stream(weir_program *program, uint32_t level, uint32_t most)
{
    weir_backend *device = program->device;
    uint32_t number = device->next_stream[level] < most ? device->next_stream[level] : 0;
    if (!device->streams[level])
        device->streams[level] = weir_alloc(streams_most(device), sizeof *device->streams[level]);
    weir_status status = device->streams[level] ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t n = device->stream_count[level]; n <= number && status == WEIR_OK; n++)
        status = make_stream(device, level, n);
    if (status == WEIR_OK)
        status = join(&device->streams[level][number]);
    if (status != WEIR_OK)
        return status;
    device->next_stream[level] = number + 1;
    program->pool[program->stream_count] = &device->streams[level][number];
    program->streams[program->stream_count++] = device->streams[level][number].stream;
    return WEIR_OK;
}

static uint32_t level_of_lane(const weir_backend *device, const weir_plan *plan, uint32_t lane)
{
    return (uint32_t)(weir_cuda_lane_level(device, plan, lane) - device->greatest);
}

weir_status weir_cuda_streams_for(weir_program *program, bool lanes, bool replays)
{
    weir_backend *device = program->device;
    const weir_plan *plan = program->plan;
    const uint32_t of_lanes = lanes ? plan->lanes : 0, of_frames = !replays ? 0 : program->in_turn ? 1 : plan->frames, count = of_lanes > of_frames ? of_lanes : of_frames;
    weir_status status = WEIR_OK;
    if (lanes)
        weir_cuda_say_shared_levels(device, plan, bands_before(plan, plan->lanes));
    pthread_mutex_lock(&device->lock);
    for (uint32_t i = 0; i < count && status == WEIR_OK; i++)
        status = add_stream(program, level_of_lane(device, plan, i < of_lanes ? i : 0), count > device->lanes ? count : device->lanes);
    pthread_mutex_unlock(&device->lock);
    return status;
}

void weir_cuda_streams_leave(weir_program *program)
{
    pthread_mutex_lock(&program->device->lock);
    for (uint32_t i = 0; i < program->stream_count; i++)
        leave(program->pool[i]);
    program->stream_count = 0;
    pthread_mutex_unlock(&program->device->lock);
}

void weir_cuda_streams_finish(weir_backend *device)
{
    for (uint32_t level = 0; level < WEIR_CUDA_LEVELS_MOST; level++) {
        for (uint32_t n = 0; n < device->stream_count[level]; n++) {
            (void)cudaStreamDestroy(device->streams[level][n].stream);
            if (device->streams[level][n].joined)
                (void)cudaEventDestroy(device->streams[level][n].joined);
        }
        weir_free(device->streams[level]);
    }
}
