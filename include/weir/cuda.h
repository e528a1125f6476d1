/* cuda.h - the part of weir that needs CUDA headers; weir.h does not pull it in. For .cu files, and for C files that are
 * compiled with the CUDA toolkit's include path and linked with cudart. Of CUDA 13.0 or newer. */
#ifndef WEIR_CUDA_H
#define WEIR_CUDA_H

#include <cuda_runtime_api.h>
#include "weir/graph.h"
#include "weir/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device code behind a __global__ function's address, to return from weir_kernel.resolve:
 *     extern "C" const void *scale_resolve(void) { return weir_cuda_kernel((const void *)scale_device); }
 * NULL if it cannot be had here: no driver, or no code for this device.
 * An inline function on purpose: a __global__ function is known to the copy of the CUDA runtime linked into its own module
 * (program or shared library) and to no other, so the module that holds the kernel has to ask. The answer is good in all. */
static inline const void *weir_cuda_kernel(const void *stub)
{
    cudaKernel_t kernel = NULL;
    if (cudaGetKernel(&kernel, stub) != cudaSuccess) {
        (void)cudaGetLastError(); /* not to be found by the program's next check */
        return NULL;
    }
    return (const void *)kernel;
}

/* ---- inside the `enqueue` of a native (weir_add_native) ---- */

WEIR_API cudaStream_t weir_native_stream(const weir_native_call *call);   /* where its work goes */
WEIR_API void *const *weir_native_args(const weir_native_call *call);     /* what it is passed, for WEIR_PASSED, as a kernel's host twin has it */
WEIR_API uint32_t weir_native_slot(const weir_native_call *call);         /* whose handles to use, see `prepare` */

/* ---- frames among a program's own streams; weir/run.h says more ---- */

/* The frame starts after what is in `stream` now; what is put there from then on starts when the frame is done. 0 is the default stream, of the
 * kind that the caller is compiled for. */
static inline WEIR_MUST_USE weir_status weir_frame_submit_on(weir_frame *frame, cudaStream_t stream, weir_ticket *ticket)
{
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
    const cudaStream_t unnamed = cudaStreamPerThread;
#else
    const cudaStream_t unnamed = cudaStreamLegacy;
#endif
    return weir_frame_submit_on_queue(frame, (void *)(stream ? stream : unnamed), ticket);
}

/* The frame, which is open, starts after what `event` was last recorded behind. */
static inline WEIR_MUST_USE weir_status weir_frame_wait_event(weir_frame *frame, cudaEvent_t event)
{
    return weir_frame_wait_for(frame, (void *)event);
}

/* Records `event` behind that frame's end: a stream that waits for it goes on when the frame is done. */
static inline WEIR_MUST_USE weir_status weir_exec_record_end(weir_exec *exec, weir_ticket ticket, cudaEvent_t event)
{
    return weir_exec_record_end_in(exec, ticket, (void *)event);
}

#ifdef __cplusplus
}
#endif
#endif
