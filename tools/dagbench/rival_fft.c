/* rival_fft.c - see rival_fft.h. */
#include "rival_fft.h"
#include "shapes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool fft_good(cufftResult result, const char *call, trouble *why)
{
    if (result != CUFFT_SUCCESS)
        snprintf(why->text, sizeof why->text, "%s: cuFFT's error %d", call, (int)result);
    return result == CUFFT_SUCCESS;
}

bool fft_plan(cufftHandle *plan, int side, trouble *why)
{
    return fft_good(cufftPlan2d(plan, side, side, CUFFT_C2C), "cufftPlan2d", why);
}

bool fft_step(cufftHandle plan, cudaStream_t stream, cufftComplex *input, cufftComplex *spectrum, cufftComplex *output, trouble *why)
{
    return fft_good(cufftSetStream(plan, stream), "cufftSetStream", why) &&
        fft_good(cufftExecC2C(plan, input, spectrum, CUFFT_FORWARD), "cufftExecC2C, forward", why) &&
        fft_good(cufftExecC2C(plan, spectrum, output, CUFFT_INVERSE), "cufftExecC2C, inverse", why);
}

size_t rival_fft_bytes(const rival_fft *fft)
{
    return (size_t)fft->side * (size_t)fft->side * sizeof(cufftComplex);
}

static bool take(cufftComplex **out, size_t bytes, trouble *why)
{
    void *memory = NULL;
    bool done = CUDA_GOOD(why, cudaMalloc(&memory, bytes));
    *out = memory;
    return done;
}

bool rival_fft_init(rival_fft *fft, int side, trouble *why)
{
    uint64_t random = 1;
    *fft = (rival_fft){.side = side};
    size_t bytes = rival_fft_bytes(fft), cells = bytes / sizeof *fft->given;
    fft->given = malloc(bytes);
    fft->found = malloc(bytes);
    if (!fft->given || !fft->found)
        return trouble_no_memory(why);
    for (size_t i = 0; i < cells; i++) {
        fft->given[i].x = (float)shape_random(&random, 2001) / 1000.0f - 1.0f;
        fft->given[i].y = (float)shape_random(&random, 2001) / 1000.0f - 1.0f;
    }
    return take(&fft->input, bytes, why) && take(&fft->spectrum, bytes, why) && take(&fft->output, bytes, why) &&
        CUDA_GOOD(why, cudaMemcpy(fft->input, fft->given, bytes, cudaMemcpyHostToDevice)) && CUDA_GOOD(why, cudaDeviceSynchronize()) &&
        (fft->planned = fft_plan(&fft->plan, side, why));
}

void rival_fft_finish(rival_fft *fft)
{
    if (fft->planned)
        cufftDestroy(fft->plan);
    cudaFree(fft->input);
    cudaFree(fft->spectrum);
    cudaFree(fft->output);
    free(fft->given);
    free(fft->found);
    *fft = (rival_fft){.side = 0};
}

/* Whatever became of the calls, the capture is ended. */
static bool capture(const rival_fft *fft, cudaStream_t stream, cudaGraph_t *graph, trouble *why)
{
    if (!CUDA_GOOD(why, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)))
        return false;
    bool done = fft_step(fft->plan, stream, fft->input, fft->spectrum, fft->output, why);
    trouble at_end;
    bool ended = CUDA_GOOD(&at_end, cudaStreamEndCapture(stream, graph));
    if (done && !ended)
        *why = at_end;
    return done && ended;
}

bool rival_fft_make(racer *out, const rival_pool *pool, const rival_fft *fft, trouble *why)
{
    cudaStream_t stream = pool->stream[0];
    cudaGraph_t graph = NULL;
    bool done = fft_step(fft->plan, stream, fft->input, fft->spectrum, fft->output, why) && CUDA_GOOD(why, cudaStreamSynchronize(stream)) &&
        capture(fft, stream, &graph, why);
    if (!done) {
        if (graph)
            cudaGraphDestroy(graph);
        return false;
    }
    if (!rival_graph_make(out, pool, graph, why))
        return false;
    snprintf(out->how, sizeof out->how, "captured calls");
    return true;
}

bool rival_fft_read(const rival_fft *fft, trouble *why)
{
    return CUDA_GOOD(why, cudaMemcpy(fft->found, fft->output, rival_fft_bytes(fft), cudaMemcpyDeviceToHost));
}

/* Single precision leaves an error of some units in the last place, of values that add up over log2 of the side in both directions: far below
 * a ten thousandth of the largest value, which is 1. */
bool rival_fft_is_right(const rival_fft *fft, const char *who, trouble *why)
{
    size_t cells = rival_fft_bytes(fft) / sizeof *fft->found;
    const float scale = 1.0f / (float)cells, most = 1e-4f;
    for (size_t i = 0; i < cells; i++) {
        float off_x = fabsf(fft->found[i].x * scale - fft->given[i].x), off_y = fabsf(fft->found[i].y * scale - fft->given[i].y);
        if (off_x <= most && off_y <= most)
            continue;
        snprintf(why->text, sizeof why->text, "%s: forward and back gives %g %+gi at cell %zu, not %g %+gi", who,
            (double)(fft->found[i].x * scale), (double)(fft->found[i].y * scale), i, (double)fft->given[i].x, (double)fft->given[i].y);
        return false;
    }
    return true;
}
