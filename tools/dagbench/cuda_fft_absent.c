/* cuda_fft_absent.c - stands in for cuda_fft.c where the toolkit has no cuFFT. */
#include "cuda_inside.h"
#include <stdio.h>

bool cuda_measure_fft(cuda_bench *b, const char *name, trouble *why)
{
    (void)b, (void)name;
    snprintf(why->text, sizeof why->text, "dagbench was built without cuFFT");
    return false;
}
