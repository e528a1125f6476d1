/* follow.c - what a frame starts after, besides frames of its own program that are launched as it is: frames of other programs.
 *
 * Events mark ends, and a wait for one holds for what was recorded last when the wait was asked for. So all is asked for while the frame is
 * launched, and nothing of it lasts. A frame that has ended is not waited for: who has seen that launches after it. */
#include "backend/cuda/device.h"
#include "backend/cuda/slot.h"

/* ---- the end of a frame ---- */

static bool has_ended(const flight *f)
{
    return atomic_load_explicit(&f->program->ended, memory_order_acquire) > f->number;
}

/* The events of its end. A replayed frame without one gets it now, behind all that is in its stream: that is the frame itself as long as its
 * program is alone there. Else what came with the others is behind the mark that the first of them left. */
static cudaError_t find_ends(flight *f, const cudaEvent_t **ends, uint32_t *count)
{
    *ends = f->ends;
    *count = f->slot ? 1 : f->program->end_count;
    if (atomic_load_explicit(&f->end_recorded, memory_order_relaxed))
        return cudaSuccess;
    const pool_stream *stream = f->program->pool[0];
    if (!atomic_load_explicit(&((pool_stream *)stream)->has_joined, memory_order_acquire))
        return weir_cuda_slot_record_end(f);
    *ends = &stream->joined;
    return cudaSuccess;
}

cudaError_t weir_cuda_wait_for_ends(flight *f, cudaStream_t stream)
{
    const cudaEvent_t *ends;
    uint32_t count;
    if (has_ended(f))
        return cudaSuccess;
    cudaError_t result = find_ends(f, &ends, &count);
    for (uint32_t i = 0; i < count && result == cudaSuccess; i++)
        result = cudaStreamWaitEvent(stream, ends[i], 0);
    return result;
}

/* ---- the start of a frame ---- */

/* Run asks for this and submits the follower under one lock, so a flight is in one list at most. */
void weir_cuda_follow(weir_program *program, weir_program *other, uint64_t frame)
{
    flight *f = &other->flights[frame % other->frames];
    f->next_followed = program->followed;
    program->followed = f;
}

static cudaError_t start_after(const weir_program *p, const flight *f, flight *other)
{
    cudaError_t result = cudaSuccess;
    if (f->slot)
        return weir_cuda_wait_for_ends(other, p->streams[0]);
    for (uint32_t i = 0; i < p->entry_count && result == cudaSuccess; i++)
        result = weir_cuda_wait_for_ends(other, p->streams[p->entry_lane[i]]);
    return result;
}

/* Lanes keep the order of frames by waits between them, slots by their stream. Where one way follows the other, neither does. */
static flight *launched_otherwise(const weir_program *p, const flight *f)
{
    flight *before = p->frames > 1 && f->number > 0 ? &p->flights[(f->number - 1) % p->frames] : NULL;
    return before && !before->slot != !f->slot ? before : NULL;
}

cudaError_t weir_cuda_start_after(weir_program *program, flight *f, const char **call)
{
    cudaError_t result = cudaSuccess;
    flight *before = launched_otherwise(program, f);
    *call = "cudaStreamWaitEvent";
    if (before)
        result = start_after(program, f, before);
    for (flight *other = program->followed; other && result == cudaSuccess; other = other->next_followed)
        result = start_after(program, f, other);
    return result;
}
