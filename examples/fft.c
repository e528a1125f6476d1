/* fft.c - see fft.h: which library there is for what. A native without code for a backend is refused there by weir, with the task's name. */
#include "fft.h"
#include <string.h>

#ifdef WEIR_HAVE_CUFFT
#define PREPARE fft_cufft_prepare
#define ENQUEUE fft_cufft_enqueue
#define RELEASE fft_cufft_release
static const bool on_cuda = true;
#else
#define PREPARE NULL
#define ENQUEUE NULL
#define RELEASE NULL
static const bool on_cuda = false;
#endif

#ifdef WEIR_HAVE_FFTW
#define RUN fft_fftw_run
static const bool on_host = true;
#else
#define RUN NULL
static const bool on_host = false;
#endif

const weir_native fft_forward = {"forward transform", PREPARE, ENQUEUE, RUN, RELEASE};
const weir_native fft_inverse = {"inverse transform", PREPARE, ENQUEUE, RUN, RELEASE};

bool fft_runs_on(const char *backend)
{
    return strcmp(backend, "cuda") == 0 ? on_cuda : on_host;
}

const char *fft_library(const char *backend)
{
    return strcmp(backend, "cuda") == 0 ? "cuFFT" : "FFTW";
}

bool fft_init(fft_transform *transform, fluid_size size, bool inverse)
{
    *transform = (fft_transform){.size = size, .inverse = inverse};
#ifdef WEIR_HAVE_FFTW
    return fft_fftw_plan(transform);
#else
    return true;
#endif
}

void fft_finish(fft_transform *transform)
{
#ifdef WEIR_HAVE_FFTW
    fft_fftw_finish(transform);
#else
    (void)transform;
#endif
}
