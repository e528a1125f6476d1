/* fft_cufft.c - transforms on a device, by cuFFT.
 *
 * In a replay what cuFFT launches becomes a part of the frame's CUDA graph, so nothing may be allocated or waited for while it is
 * enqueued: plan and workspace are made in `prepare`, for each slot anew, and cuFFT is told to allocate nothing itself. Each plan also
 * runs once there, on fields of no meaning: the first run loads code, which may do both. */
#include "fft.h"
#include <cufft.h>
#include <stdio.h>
#include "weir/cuda.h"

/* Keeps the first thing that went wrong since the last success. */
static weir_status from_cufft(fft_transform *transform, cufftResult result, const char *call)
{
    if (result == CUFFT_SUCCESS)
        return WEIR_OK;
    snprintf(transform->trouble, sizeof transform->trouble, "%s: result %d of cufftResult", call, (int)result);
    return result == CUFFT_ALLOC_FAILED ? WEIR_ERR_NO_MEMORY : WEIR_ERR_DEVICE;
}

static weir_status from_cuda(fft_transform *transform, cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return WEIR_OK;
    snprintf(transform->trouble, sizeof transform->trouble, "%s: %s", call, cudaGetErrorString(error));
    return error == cudaErrorMemoryAllocation ? WEIR_ERR_NO_MEMORY : WEIR_ERR_DEVICE;
}

static weir_status make_plan(fft_transform *transform, fft_slot *slot, size_t *workspace_bytes)
{
    const cufftType type = transform->inverse ? CUFFT_C2R : CUFFT_R2C;
    weir_status status = from_cufft(transform, cufftSetAutoAllocation(slot->plan, 0), "cufftSetAutoAllocation");
    if (status == WEIR_OK) /* the slowest dimension first */
        status = from_cufft(transform, cufftMakePlan2d(slot->plan, transform->size.ny, transform->size.nx, type, workspace_bytes),
            "cufftMakePlan2d");
    return status;
}

static weir_status give_workspace(fft_transform *transform, fft_slot *slot, size_t bytes)
{
    weir_status status = WEIR_OK;
    if (bytes > 0)
        status = from_cuda(transform, cudaMalloc(&slot->workspace, bytes), "cudaMalloc");
    if (status == WEIR_OK && bytes > 0)
        status = from_cufft(transform, cufftSetWorkArea(slot->plan, slot->workspace), "cufftSetWorkArea");
    return status;
}

static weir_status execute(fft_transform *transform, cufftHandle plan, cudaStream_t stream, void *written, void *read)
{
    weir_status status = from_cufft(transform, cufftSetStream(plan, stream), "cufftSetStream");
    if (status != WEIR_OK)
        return status;
    if (transform->inverse)
        return from_cufft(transform, cufftExecC2R(plan, read, written), "cufftExecC2R");
    return from_cufft(transform, cufftExecR2C(plan, read, written), "cufftExecR2C");
}

static weir_status run_once(fft_transform *transform, fft_slot *slot)
{
    const size_t modes = (size_t)(transform->size.nx / 2 + 1) * (size_t)transform->size.ny; /* a spectrum has room for a field */
    void *written = NULL, *read = NULL;
    cudaStream_t stream = NULL;
    weir_status status = from_cuda(transform, cudaMalloc(&written, modes * sizeof(cufftComplex)), "cudaMalloc");
    if (status == WEIR_OK)
        status = from_cuda(transform, cudaMalloc(&read, modes * sizeof(cufftComplex)), "cudaMalloc");
    if (status == WEIR_OK)
        status = from_cuda(transform, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    if (status == WEIR_OK)
        status = execute(transform, slot->plan, stream, written, read);
    if (stream) { /* also when that failed: what was begun must be over before its memory goes */
        weir_status ended = from_cuda(transform, cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        status = status == WEIR_OK ? ended : status;
        (void)cudaStreamDestroy(stream);
    }
    (void)cudaFree(read);
    (void)cudaFree(written);
    return status;
}

weir_status fft_cufft_prepare(void *user, uint32_t number)
{
    fft_transform *transform = user;
    size_t workspace_bytes = 0;
    if (number >= FFT_SLOTS || transform->slots[number].made) {
        snprintf(transform->trouble, sizeof transform->trouble, "slot %u is one too many, or in use", (unsigned)number);
        return WEIR_ERR_INVALID;
    }
    fft_slot *slot = &transform->slots[number];
    weir_status status = from_cufft(transform, cufftCreate(&slot->plan), "cufftCreate");
    if (status != WEIR_OK)
        return status;
    slot->made = true;
    status = make_plan(transform, slot, &workspace_bytes);
    if (status == WEIR_OK)
        status = give_workspace(transform, slot, workspace_bytes);
    if (status == WEIR_OK)
        status = run_once(transform, slot);
    if (status != WEIR_OK)
        fft_cufft_release(transform, number); /* a slot that was not prepared is not released by weir */
    return status;
}

weir_status fft_cufft_enqueue(void *user, weir_native_call *call)
{
    fft_transform *transform = user;
    void *const *args = weir_native_args(call);
    const fft_slot *slot = &transform->slots[weir_native_slot(call)];
    return execute(transform, slot->plan, weir_native_stream(call), WEIR_PASSED(void *, args, 0), WEIR_PASSED(void *, args, 1));
}

void fft_cufft_release(void *user, uint32_t number)
{
    fft_transform *transform = user;
    fft_slot *slot = &transform->slots[number];
    if (slot->made)
        (void)cufftDestroy(slot->plan);
    (void)cudaFree(slot->workspace); /* NULL is fine */
    *slot = (fft_slot){.made = false};
}
