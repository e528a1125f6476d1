/* native.c - natives' own code, called: prepared, released, and given the stream of a lane.
 *
 * It may leave an error of CUDA's behind, another device current, or a capture of the program's broken: none of that gets out. Eagerly it may do
 * all that CUDA allows, so the thread is made lenient round it; while its work is captured, strict, so that what is forbidden shows. */
#include "backend/cuda/native.h"
#include "backend/cuda/control.h"
#include "util/log.h"
#include "util/status.h"
#include "weir/cuda.h"

/* ---- what user code asks ---- */

struct weir_native_call {
    cudaStream_t stream;
    void *const *args;
    uint32_t slot;
};

cudaStream_t weir_native_stream(const weir_native_call *call)
{
    return call->stream;
}

void *const *weir_native_args(const weir_native_call *call)
{
    return call->args;
}

uint32_t weir_native_slot(const weir_native_call *call)
{
    return call->slot;
}

/* ---- calling user code ---- */

/* What the thread had before. */
typedef struct {
    cudaError_t error;
    enum cudaStreamCaptureMode mode;
} outside;

static outside go_in(enum cudaStreamCaptureMode mode)
{
    outside before = {cudaPeekAtLastError(), mode};
    (void)cudaThreadExchangeStreamCaptureMode(&before.mode);
    return before;
}

/* The error that user code has left behind, which the caller's next check is not to find. */
static cudaError_t come_out(weir_backend *device, outside before)
{
    int current = device->ordinal;
    (void)cudaThreadExchangeStreamCaptureMode(&before.mode);
    cudaError_t left = cudaPeekAtLastError();
    (void)cudaGetDevice(&current);
    if (current != device->ordinal)
        (void)cudaSetDevice(device->ordinal);
    if (left == before.error)
        return cudaSuccess;
    (void)cudaGetLastError();
    return weir_cuda_note(device, left);
}

weir_status weir_native_enqueue(weir_backend *device, const action *a, cudaStream_t stream, uint32_t number, enum cudaStreamCaptureMode mode, cudaError_t *left)
{
    const native_code *native = &a->as.native;
    weir_native_call call = {stream, a->args, number};
    outside before = go_in(mode);
    weir_status status = native->code->enqueue(native->user, &call);
    *left = come_out(device, before);
    return status;
}

/* ---- prepare and release ---- */

static weir_status prepare(weir_program *p, const action *a, uint32_t number)
{
    const native_code *native = &a->as.native;
    if (!native->code->prepare)
        return WEIR_OK;
    outside before = go_in(cudaStreamCaptureModeRelaxed);
    weir_status status = native->code->prepare(native->user, number);
    (void)come_out(p->device, before);
    if (status == WEIR_OK)
        return WEIR_OK;
    return weir_fail(WEIR_ERR_TASK, "task '%s': prepare of native '%s' returned %s for slot %u", a->name, native->code->name, weir_status_name(status), number);
}

static weir_status prepare_own(weir_program *p, section *s)
{
    for (uint32_t t = 0; t < s->image->plan->tasks; t++)
        for (uint32_t i = 0; s->actions[t].kind == ACTION_NATIVE && i < p->slots; i++) {
            weir_status status = prepare(p, &s->actions[t], i);
            if (status != WEIR_OK)
                return status;
            s->prepared++;
        }
    return WEIR_OK;
}

weir_status weir_natives_prepare(weir_program *program, section *s)
{
    weir_status status = prepare_own(program, s);
    for (uint32_t i = 0; i < s->control_count; i++)
        for (uint32_t b = 0; b < s->controls[i].what->count && status == WEIR_OK; b++)
            status = weir_natives_prepare(program, &s->controls[i].bodies[b]);
    return status;
}

static void release(weir_program *p, const action *a, uint32_t number)
{
    const native_code *native = &a->as.native;
    if (!native->code->release)
        return;
    outside before = go_in(cudaStreamCaptureModeRelaxed);
    native->code->release(native->user, number);
    (void)come_out(p->device, before);
}

static uint64_t count_natives(const section *s)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < s->image->plan->tasks; t++)
        count += s->actions[t].kind == ACTION_NATIVE;
    return count;
}

static void release_own(weir_program *p, section *s)
{
    uint64_t number = s->prepared > 0 ? count_natives(s) * p->slots : 0;
    for (uint32_t t = number > 0 ? s->image->plan->tasks : 0; t-- > 0;)
        for (uint32_t i = p->slots; s->actions[t].kind == ACTION_NATIVE && i-- > 0;)
            if (--number < s->prepared)
                release(p, &s->actions[t], i);
    s->prepared = 0;
}

/* The last prepared first. */
void weir_natives_release(weir_program *program, section *s)
{
    for (uint32_t i = s->control_count; i-- > 0;)
        for (uint32_t b = s->controls[i].bodies ? s->controls[i].what->count : 0; b-- > 0;)
            weir_natives_release(program, &s->controls[i].bodies[b]);
    release_own(program, s);
}

/* ---- eagerly ---- */

static void warn_of_error(action *a, cudaError_t left)
{
    char text[256];
    if (left == cudaSuccess || left == cudaErrorNotReady || a->as.native.warned)
        return;
    a->as.native.warned = true;
    weir_cuda_describe(left, text, sizeof text);
    weir_log(WEIR_LOG_WARN, "task '%s': enqueue of native '%s' returned WEIR_OK and left an error of CUDA's behind: %s", a->name, a->as.native.code->name, text);
}

/* Once a frame has failed, what natives have not begun is skipped, as that of host tasks is. */
cudaError_t weir_native_launch(weir_program *program, flight *f, uint32_t task, cudaStream_t stream)
{
    action *a = &program->root.actions[task];
    cudaError_t left = cudaSuccess;
    if (atomic_load(&program->failed) <= f->number)
        return cudaSuccess;
    weir_status status = weir_native_enqueue(program->device, a, stream, (uint32_t)(f->number % program->slots), cudaStreamCaptureModeRelaxed, &left);
    if (weir_cuda_is_sticky(left))
        return left;
    if (status != WEIR_OK)
        weir_cuda_task_failed(program, f, task, status, NULL);
    else
        warn_of_error(a, left);
    return cudaSuccess;
}
