/* fft.h - Fourier transforms of a real periodic field as native tasks: cuFFT on CUDA, FFTW on the host, each where the program was
 * built with it.
 *
 * A field has nx * ny floats, x fastest; its spectrum (nx / 2 + 1) * ny complex ones, likewise: modes kx = 0 to nx / 2, the rest being
 * their mirror image. Nothing is scaled: there and back is the field times nx * ny. What both libraries do alike.
 *
 * A transform is the `user` of one native task of one exec at a time:
 *     weir_add_native(graph, &fft_forward, &there, WEIR_ARGS(WEIR_WRITE(spectrum), WEIR_READ(field)));
 *     weir_add_native(graph, &fft_inverse, &back, WEIR_ARGS(WEIR_WRITE(field), WEIR_READ_WRITE(spectrum)));   which destroys the spectrum */
#ifndef WEIR_EXAMPLES_FFT_H
#define WEIR_EXAMPLES_FFT_H

#include <stdbool.h>
#include "grid.h"
#include "weir/graph.h"

enum { FFT_SLOTS = 128 }; /* more than an exec has */

/* What cuFFT needs for one slot: frames of two slots may be under way at once, and a plan on two streams would share its workspace. */
typedef struct {
    int plan;        /* a cufftHandle */
    void *workspace; /* of the device; NULL: it needs none */
    bool made;
} fft_slot;

typedef struct {
    fluid_size size;
    bool inverse;
    void *host_plan;          /* FFTW's; NULL without it */
    fft_slot slots[FFT_SLOTS];
    char trouble[160];        /* what a library said last; empty if all was well */
} fft_transform;

extern const weir_native fft_forward, fft_inverse;

/* Whether the program was built with the library that does it on that backend, "host" or "cuda"; and which that is. */
bool fft_runs_on(const char *backend);
const char *fft_library(const char *backend);

/* Plans for the host; for CUDA that is done when the exec is made. False: see `trouble`. */
bool fft_init(fft_transform *transform, fluid_size size, bool inverse);
void fft_finish(fft_transform *transform); /* zeros are fine; after the exec */

/* For fft.c: what fft_fftw.c and fft_cufft.c do. */
bool fft_fftw_plan(fft_transform *transform);
void fft_fftw_finish(fft_transform *transform);
weir_host_fn fft_fftw_run;
weir_status fft_cufft_prepare(void *transform, uint32_t slot);
weir_status fft_cufft_enqueue(void *transform, weir_native_call *call);
void fft_cufft_release(void *transform, uint32_t slot);

#endif
