/* follow.c - what a frame starts after, besides frames of its own program that are launched as it is, and what goes on after it: frames of other
 * programs, and the streams and events of whoever uses weir, here called foreign.
 *
 * Events mark ends, and a wait for one holds for what was recorded last when the wait was asked for. So all is asked for while the frame is
 * launched, and nothing of it lasts. A frame that has ended is not waited for: who has seen that launches after it.
 * A foreign event happens behind a frame's end. It is recorded in the stream where that end is, if there is but one and nothing else has come
 * after it; else in a stream `aside`, one a flight, since a stream keeps an order that these events should not have. */
#include "backend/cuda/device.h"
#include "backend/cuda/slot.h"
#include "util/status.h"

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
    const pool_stream *stream = f->program->pool[weir_flight_stream(f)];
    if (!atomic_load_explicit(&((pool_stream *)stream)->has_joined, memory_order_acquire))
        return weir_cuda_slot_record_end(f);
    *ends = &stream->joined;
    return cudaSuccess;
}

static cudaError_t wait_for_this(flight *f, cudaStream_t stream)
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

/* A frame lane by lane ends after all before it: in lanes, or because it waited for them. One that is launched as a slot may end earlier, unless they are
 * in turn. */
static uint64_t first_to_wait_for(const flight *f)
{
    uint64_t ended = atomic_load_explicit(&f->program->ended, memory_order_acquire);
    return f->slot && !f->program->in_turn && ended < f->number ? ended : f->number;
}

cudaError_t weir_cuda_wait_for_ends(flight *f, cudaStream_t stream)
{
    weir_program *p = f->program;
    cudaError_t result = cudaSuccess;
    for (uint64_t n = first_to_wait_for(f); n <= f->number && result == cudaSuccess; n++)
        result = wait_for_this(&p->flights[n % p->frames], stream);
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

/* The streams that all of a frame comes after. */
static uint32_t entry_count(const flight *f)
{
    return f->slot ? 1 : f->program->entry_count;
}

static cudaStream_t entry(const flight *f, uint32_t i)
{
    return f->program->streams[f->slot ? weir_flight_stream(f) : f->program->entry_lane[i]];
}

static cudaError_t start_after_event(const flight *f, cudaEvent_t event)
{
    cudaError_t result = cudaSuccess;
    for (uint32_t i = 0; i < entry_count(f) && result == cudaSuccess; i++)
        result = cudaStreamWaitEvent(entry(f, i), event, 0);
    return result;
}

static cudaError_t start_after_frame(const flight *f, flight *other)
{
    cudaError_t result = cudaSuccess;
    for (uint32_t i = 0; i < entry_count(f) && result == cudaSuccess; i++)
        result = weir_cuda_wait_for_ends(other, entry(f, i));
    return result;
}

/* Lanes keep the order of frames by waits between them, slots by their ties or their one stream. Where one way follows the other, or slots do not come
 * in turn, nothing does. */
static bool is_in_order(const flight *f, const flight *before, uint32_t distance)
{
    if (f->slot && before->slot)
        return f->program->in_turn || weir_cuda_slot_follows(f->slot, before->slot, distance);
    return !f->slot && !before->slot;
}

static cudaError_t start_after_own(const flight *f)
{
    const weir_program *p = f->program;
    cudaError_t result = cudaSuccess;
    for (uint32_t distance = 1; distance < p->frames && distance <= f->number && result == cudaSuccess; distance++) {
        flight *before = &p->flights[(f->number - distance) % p->frames];
        for (uint32_t i = 0; i < entry_count(f) && result == cudaSuccess && !is_in_order(f, before, distance); i++)
            result = wait_for_this(before, entry(f, i));
    }
    return result;
}

static cudaError_t mark_queue(const weir_backend *device, const weir_foreign *foreign, const char **call)
{
    *call = "cudaEventRecord in the stream that the frame was submitted on";
    return cudaEventRecord(device->mark, foreign->queue);
}

static cudaError_t start_after_foreign(const flight *f, const weir_foreign *foreign, const char **call)
{
    const weir_backend *device = f->program->device;
    cudaError_t result = cudaSuccess;
    if (foreign->queue) {
        result = mark_queue(device, foreign, call);
        if (result == cudaSuccess)
            result = start_after_event(f, device->mark);
    }
    for (uint32_t i = 0; i < foreign->event_count && result == cudaSuccess; i++) {
        *call = "cudaStreamWaitEvent for the program's event";
        result = start_after_event(f, foreign->events[i]);
    }
    return result;
}

cudaError_t weir_cuda_start_after(weir_program *program, flight *f, const char **call)
{
    *call = "cudaStreamWaitEvent";
    cudaError_t result = start_after_own(f);
    for (flight *other = program->followed; other && result == cudaSuccess; other = other->next_followed)
        result = start_after_frame(f, other);
    if (result == cudaSuccess && f->values->foreign)
        result = start_after_foreign(f, f->values->foreign, call);
    return result;
}

cudaError_t weir_cuda_let_go_on(flight *f, const char **call)
{
    *call = "cudaStreamWaitEvent in the stream that the frame was submitted on";
    return f->values->foreign->queue ? weir_cuda_wait_for_ends(f, f->values->foreign->queue) : cudaSuccess;
}

/* ---- aside ---- */

static cudaError_t make_aside(flight *f)
{
    return f->aside ? cudaSuccess : cudaStreamCreateWithFlags(&f->aside, cudaStreamNonBlocking);
}

cudaError_t weir_cuda_put_start_aside(flight *f, const char **call)
{
    const weir_foreign *foreign = f->values->foreign;
    const weir_backend *device = f->program->device;
    *call = "cudaStreamCreateWithFlags";
    cudaError_t result = make_aside(f);
    if (result == cudaSuccess && foreign->queue) {
        result = mark_queue(device, foreign, call);
        if (result == cudaSuccess)
            result = cudaStreamWaitEvent(f->aside, device->mark, 0);
    }
    for (uint32_t i = 0; i < foreign->event_count && result == cudaSuccess; i++) {
        *call = "cudaStreamWaitEvent for the program's event";
        result = cudaStreamWaitEvent(f->aside, foreign->events[i], 0);
    }
    f->starts_aside = true;
    return result;
}

/* NULL unless the frame has one end, with all frames before it and nothing behind it in its stream. */
static cudaStream_t stream_of_end(const flight *f)
{
    weir_program *p = f->program;
    if ((!f->slot && p->end_count != 1) || first_to_wait_for(f) < f->number || atomic_load_explicit(&p->submitted, memory_order_relaxed) != f->number + 1)
        return NULL;
    uint32_t lane = f->slot ? weir_flight_stream(f) : p->end_lane[0];
    return atomic_load(&p->pool[lane]->users) == 1 ? p->streams[lane] : NULL;
}

static cudaError_t record_behind(flight *f, cudaEvent_t event, const char **call)
{
    cudaStream_t stream = stream_of_end(f);
    if (!stream) {
        *call = "cudaStreamCreateWithFlags";
        cudaError_t result = make_aside(f);
        stream = f->aside;
        if (result == cudaSuccess) {
            *call = "cudaStreamWaitEvent";
            result = weir_cuda_wait_for_ends(f, stream);
        }
        if (result != cudaSuccess)
            return result;
    }
    *call = "cudaEventRecord";
    return cudaEventRecord(event, stream);
}

/* ---- what is foreign, and wrong ---- */

/* A call that was passed something foreign failed; a device that broke meanwhile is another matter. */
static weir_status refuse(weir_backend *device, cudaError_t result, const char *call, const char *what)
{
    char text[256];
    (void)cudaGetLastError();
    weir_cuda_note(device, result);
    weir_status status = weir_cuda_broken(device);
    weir_cuda_describe(result, text, sizeof text);
    return status != WEIR_OK ? status : weir_fail(WEIR_ERR_INVALID, "%s: %s: is it %s of this device?", call, text, what);
}

static weir_status check_queue(weir_backend *device, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    int ordinal = device->ordinal;
    cudaError_t result = cudaStreamIsCapturing(stream, &capture);
    if (result == cudaErrorStreamCaptureImplicit || (result == cudaSuccess && capture != cudaStreamCaptureStatusNone)) {
        (void)cudaGetLastError();
        return weir_fail(WEIR_ERR_STATE, "the stream is being captured: a frame cannot be submitted on it");
    }
    if (result != cudaSuccess)
        return refuse(device, result, "cudaStreamIsCapturing", "a stream");
    result = cudaStreamGetDevice(stream, &ordinal);
    if (result != cudaSuccess)
        return refuse(device, result, "cudaStreamGetDevice", "a stream");
    if (ordinal != device->ordinal)
        return weir_fail(WEIR_ERR_INVALID, "the stream is of device %d, the runtime of device %d", ordinal, device->ordinal);
    return WEIR_OK;
}

/* A stream for a wait that may draw it into a capture, where it then stays until that ends. */
static weir_status find_probe(weir_backend *device, cudaStream_t *probe)
{
    for (uint32_t i = 0; i < WEIR_CUDA_PROBES; i++) {
        enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
        if (!device->probes[i]) {
            weir_status status = weir_cuda_status(cudaStreamCreateWithFlags(&device->probes[i], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
            if (status != WEIR_OK)
                return status;
        }
        weir_status status = weir_cuda_status(cudaStreamIsCapturing(device->probes[i], &capture), "cudaStreamIsCapturing");
        if (status != WEIR_OK)
            return status;
        if (capture == cudaStreamCaptureStatusNone) {
            *probe = device->probes[i];
            return WEIR_OK;
        }
    }
    return weir_fail(WEIR_ERR_STATE, "%d captures are going on whose events frames were to wait for: end one", WEIR_CUDA_PROBES);
}

/* To query an event that was recorded in a capture ends the capture; to wait for it does not, and draws in the stream that waits, which must be
 * none of a program's. */
static weir_status check_event(weir_backend *device, cudaEvent_t event)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStream_t probe = NULL;
    weir_status status = find_probe(device, &probe);
    if (status != WEIR_OK)
        return status;
    cudaError_t result = cudaStreamWaitEvent(probe, event, 0);
    if (result != cudaSuccess && result != cudaErrorStreamCaptureInvalidated)
        return refuse(device, result, "cudaStreamWaitEvent", "an event, recorded last outside a capture,");
    (void)cudaGetLastError();
    if (result == cudaSuccess && cudaStreamIsCapturing(probe, &capture) == cudaSuccess && capture == cudaStreamCaptureStatusNone)
        return WEIR_OK;
    return weir_fail(WEIR_ERR_STATE, "the event was last recorded in a capture: a frame cannot wait for it");
}

weir_status weir_cuda_check_foreign(weir_backend *device, const weir_foreign *foreign)
{
    weir_status status = weir_cuda_broken(device);
    if (status != WEIR_OK)
        return status;
    entered before = weir_cuda_enter(device);
    if (foreign->queue)
        status = check_queue(device, foreign->queue);
    for (uint32_t i = 0; i < foreign->event_count && status == WEIR_OK; i++)
        status = check_event(device, foreign->events[i]);
    weir_cuda_leave(device, before);
    return status;
}

/* An event for a frame that has ended goes where nothing waits for long. */
weir_status weir_cuda_record_end(weir_program *program, uint64_t frame, void *event)
{
    weir_backend *device = program->device;
    flight *f = &program->flights[frame % program->frames];
    const char *call = "cudaEventRecord";
    weir_status status = weir_cuda_broken(device);
    if (status != WEIR_OK)
        return status;
    entered before = weir_cuda_enter(device);
    bool ended = atomic_load_explicit(&program->ended, memory_order_acquire) > frame;
    cudaError_t result = ended ? cudaEventRecord(event, device->errands) : record_behind(f, event, &call);
    if (result != cudaSuccess)
        status = refuse(device, result, call, "an event");
    weir_cuda_leave(device, before);
    return status;
}
