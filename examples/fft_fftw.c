/* fft_fftw.c - transforms on the host, by FFTW (single precision).
 *
 * A plan is made once, for arrays of its own, and run on others: that is the one call of FFTW's that any thread may make. Made by
 * estimate, since a plan found by measuring may differ from run to run, and with it the last bits of the result. */
#include "fft.h"
#include <fftw3.h>
#include <stdio.h>

bool fft_fftw_plan(fft_transform *transform)
{
    const fluid_size size = transform->size;
    size_t cells = (size_t)size.nx * (size_t)size.ny, modes = (size_t)(size.nx / 2 + 1) * (size_t)size.ny;
    float *field = fftwf_alloc_real(cells);
    fftwf_complex *spectrum = fftwf_alloc_complex(modes);
    const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED; /* weir does not promise the alignment that FFTW would like */
    fftwf_plan plan = NULL;
    if (field && spectrum)
        plan = transform->inverse ? fftwf_plan_dft_c2r_2d(size.ny, size.nx, spectrum, field, flags)
                                  : fftwf_plan_dft_r2c_2d(size.ny, size.nx, field, spectrum, flags);
    fftwf_free(field);
    fftwf_free(spectrum);
    if (!plan)
        snprintf(transform->trouble, sizeof transform->trouble, "FFTW makes no plan for %d x %d", (int)size.nx, (int)size.ny);
    transform->host_plan = plan;
    return plan != NULL;
}

void fft_fftw_finish(fft_transform *transform)
{
    if (transform->host_plan)
        fftwf_destroy_plan(transform->host_plan);
    transform->host_plan = NULL;
}

weir_status fft_fftw_run(void *user, void *const *args)
{
    const fft_transform *transform = user;
    if (transform->inverse)
        fftwf_execute_dft_c2r(transform->host_plan, WEIR_PASSED(fftwf_complex *, args, 1), WEIR_PASSED(float *, args, 0));
    else
        fftwf_execute_dft_r2c(transform->host_plan, WEIR_PASSED(float *, args, 1), WEIR_PASSED(fftwf_complex *, args, 0));
    return WEIR_OK;
}
