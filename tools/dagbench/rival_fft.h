/* rival_fft.h - a step of cuFFT by hand: forward and back, captured into a CUDA graph. What weir's side is compared with, and filled from. Includes
 * nothing of weir. */
#ifndef DAGBENCH_RIVAL_FFT_H
#define DAGBENCH_RIVAL_FFT_H

#include "rival.h"
#include <cufft.h>

/* The calls of a step, on a side x side grid. Weir's task makes the same ones. */
bool fft_plan(cufftHandle *plan, int side, trouble *why);
bool fft_step(cufftHandle plan, cudaStream_t stream, cufftComplex *input, cufftComplex *spectrum, cufftComplex *output, trouble *why);

typedef struct {
    int side;
    cufftHandle plan;
    bool planned;
    cufftComplex *input, *spectrum, *output; /* the device's */
    cufftComplex *given, *found; /* the host's: what the input is, and room for an output */
} rival_fft;

bool rival_fft_init(rival_fft *fft, int side, trouble *why); /* finish it whatever comes back */
void rival_fft_finish(rival_fft *fft);
size_t rival_fft_bytes(const rival_fft *fft); /* of each grid */

/* Runs the calls once before they are captured, since their first use loads code. Pool and fft must outlive it. */
bool rival_fft_make(racer *out, const rival_pool *pool, const rival_fft *fft, trouble *why);

/* Fills `found` from the device. */
bool rival_fft_read(const rival_fft *fft, trouble *why);
/* Whether `found` is what was given, times the cells of the grid, which cuFFT leaves to the caller. `who`: whose output it is. */
bool rival_fft_is_right(const rival_fft *fft, const char *who, trouble *why);

#endif
