/* cuda_bench_absent.c - stands in for cuda_bench.c where there is no CUDA: all is left to the host, and if CUDA is demanded, weir says why it
 * cannot be had. */
#include "cuda_bench.h"
#include "weir/weir.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cuda_bench_create(const cuda_settings *settings, cuda_bench **out, char *error, size_t error_bytes)
{
    (void)settings;
    *out = NULL;
    const char *backend = getenv("WEIR_BACKEND");
    if (!backend || strcmp(backend, "cuda") != 0)
        return true;
    weir_runtime *runtime = NULL;
    weir_status status = weir_runtime_create(NULL, &runtime);
    snprintf(error, error_bytes, "%s", status == WEIR_OK ? "built without CUDA, unlike the library" : weir_last_error());
    weir_runtime_destroy(runtime);
    return false;
}

void cuda_bench_destroy(cuda_bench *bench)
{
    (void)bench;
}

void cuda_bench_heading(const cuda_bench *bench)
{
    (void)bench;
}

bool cuda_bench_shape(cuda_bench *bench, const char *name, const shape *graph, char *error, size_t error_bytes)
{
    (void)bench, (void)name, (void)graph, (void)error, (void)error_bytes;
    assert(false && "not called where CUDA is not there");
    return false;
}

bool cuda_bench_workload(cuda_bench *bench, const cuda_workload *w, char *error, size_t error_bytes)
{
    (void)bench, (void)w, (void)error, (void)error_bytes;
    assert(false && "not called where CUDA is not there");
    return false;
}
