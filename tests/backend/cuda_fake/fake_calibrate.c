/* fake_calibrate.c - calibrate.cu for the fake CUDA. */
#include "fake_cuda.h"

const void *weir_cuda_nothing(void);

static void nothing(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

const void *weir_cuda_nothing(void)
{
    static const weir_kernel kernel = {"nothing", NULL, NULL, nothing, NULL, 0, 0};
    return fake_cuda_kernel(&kernel);
}
