/* timing.h - when tasks ran on the device: of frames launched task by task by events round each, of replays by what CUPTI tells. */
#ifndef WEIR_BACKEND_CUDA_TIMING_H
#define WEIR_BACKEND_CUDA_TIMING_H

#include "backend/cuda/device.h"

/* Whether this frame is to be timed: somebody traces, or the exec keeps times. Sets f->timed; takes memory the first time, and
 * goes without where there is none. */
void weir_cuda_timing_begin(weir_program *program, flight *f);

/* Eager: round the frame and each task. */
void weir_cuda_timing_frame(flight *f, cudaStream_t stream);
void weir_cuda_timing_start(flight *f, uint32_t task, cudaStream_t stream);
void weir_cuda_timing_end(flight *f, uint32_t task, cudaStream_t stream);

/* Replay: round the launch of the slot's graph. */
void weir_cuda_timing_launch(weir_program *program, flight *f);
void weir_cuda_timing_launched(void);
struct replay;
void weir_cuda_timing_forget(const struct replay *r); /* its slots go: records of their launches are nobody's */

/* The frame has ended: its times go to the image's spans and to the tracer. */
void weir_cuda_timing_collect(weir_program *program, flight *f);

void weir_cuda_timing_finish(weir_program *program, flight *f);
void weir_cuda_clock_finish(weir_backend *device);

#endif
