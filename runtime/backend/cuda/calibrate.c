/* calibrate.c - what a time between events has too much.
 *
 * A kernel that does nothing takes some microseconds from the event before it to the one behind it, most of which is the events' own; as a node of a
 * replayed chain it adds half of one. The difference is taken off times of tasks, so that what they add up to is what a chain of them takes at
 * least. Both are measured where no launch is waited for: behind a gate that is released when all is there, and in a graph. */
#include "backend/cuda/device.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdlib.h>

enum { PAIRS = 33, NODES = 256, LAUNCHES = 5 };

typedef struct {
    weir_backend *device;
    cudaEvent_t before[PAIRS], after[PAIRS];
    gate_words *words;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
} bench;

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median of the first `count` pairs. */
static cudaError_t read_pairs(const bench *b, uint32_t count, double *ns)
{
    float ms[PAIRS];
    cudaError_t result = cudaStreamSynchronize(b->device->errands);
    for (uint32_t i = 0; i < count && result == cudaSuccess; i++)
        result = cudaEventElapsedTime(&ms[i], b->before[i], b->after[i]);
    if (result != cudaSuccess)
        return result;
    qsort(ms, count, sizeof *ms, compare_floats);
    *ns = (double)ms[count / 2] * 1e6;
    return cudaSuccess;
}

static cudaError_t launch_pair(const bench *b, uint32_t i)
{
    cudaError_t result = cudaEventRecord(b->before[i], b->device->errands);
    if (result == cudaSuccess)
        result = b->exec ? cudaGraphLaunch(b->exec, b->device->errands) : cudaLaunchKernel(weir_cuda_nothing(), (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, b->device->errands);
    return result == cudaSuccess ? cudaEventRecord(b->after[i], b->device->errands) : result;
}

/* The kernel is there before it is launched behind the gate: loading it could wait for the device. The gate is released whatever happens behind it. */
static cudaError_t time_kernel(const bench *b, double *ns)
{
    const char *call;
    cudaError_t result = launch_pair(b, 0);
    if (result == cudaSuccess)
        result = cudaStreamSynchronize(b->device->errands);
    if (result == cudaSuccess)
        result = weir_cuda_launch_gate(b->device, b->words, b->device->errands, &call);
    if (result != cudaSuccess)
        return result;
    for (uint32_t i = 0; i < PAIRS && result == cudaSuccess; i++)
        result = launch_pair(b, i);
    atomic_store_explicit(&b->words->released, 1, memory_order_release);
    cudaError_t ended = read_pairs(b, result == cudaSuccess ? PAIRS : 0, ns);
    return result == cudaSuccess ? ended : result;
}

static cudaError_t make_chain(bench *b)
{
    const struct cudaKernelNodeParams nothing = {.func = (void *)weir_cuda_nothing(), .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    cudaGraphNode_t last = NULL;
    cudaError_t result = cudaGraphCreate(&b->graph, 0);
    for (uint32_t i = 0; i < NODES && result == cudaSuccess; i++) {
        const cudaGraphNode_t before = last;
        result = cudaGraphAddKernelNode(&last, b->graph, &before, i > 0, &nothing);
    }
    if (result == cudaSuccess)
        result = cudaGraphInstantiate(&b->exec, b->graph, 0);
    return result == cudaSuccess ? cudaGraphUpload(b->exec, b->device->errands) : result;
}

static cudaError_t time_node(bench *b, double *ns)
{
    double all_ns = 0;
    cudaError_t result = make_chain(b);
    for (uint32_t i = 0; i < LAUNCHES && result == cudaSuccess; i++)
        result = launch_pair(b, i);
    if (result == cudaSuccess)
        result = read_pairs(b, LAUNCHES, &all_ns);
    *ns = all_ns / NODES;
    return result;
}

static cudaError_t measure(bench *b, double *excess_ns)
{
    double kernel_ns = 0, node_ns = 0;
    cudaError_t result = cudaSuccess;
    for (uint32_t i = 0; i < PAIRS && result == cudaSuccess; i++) {
        result = cudaEventCreateWithFlags(&b->before[i], cudaEventDefault);
        if (result == cudaSuccess)
            result = cudaEventCreateWithFlags(&b->after[i], cudaEventDefault);
    }
    if (result == cudaSuccess)
        result = time_kernel(b, &kernel_ns);
    if (result == cudaSuccess)
        result = time_node(b, &node_ns);
    *excess_ns = kernel_ns > node_ns ? kernel_ns - node_ns : 0;
    return result;
}

static void finish(bench *b)
{
    if (b->exec)
        (void)cudaGraphExecDestroy(b->exec);
    if (b->graph)
        (void)cudaGraphDestroy(b->graph);
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (b->before[i])
            (void)cudaEventDestroy(b->before[i]);
        if (b->after[i])
            (void)cudaEventDestroy(b->after[i]);
    }
    if (b->words)
        weir_cuda_words_give(b->device, b->words);
}

static double calibrate(weir_backend *device)
{
    bench b = {.device = device, .words = weir_cuda_words_take(device, 1)};
    double excess_ns = 0;
    cudaError_t result = b.words ? measure(&b, &excess_ns) : cudaErrorMemoryAllocation;
    finish(&b);
    if (result != cudaSuccess) {
        char text[256];
        (void)cudaGetLastError();
        weir_cuda_note(device, result);
        weir_cuda_describe(result, text, sizeof text);
        weir_log(WEIR_LOG_WARN, "cuda: what events add to times of tasks is not known: %s", text);
        return 0;
    }
    weir_log(WEIR_LOG_INFO, "cuda: events add %.1f us to the time of a task", excess_ns / 1e3);
    return excess_ns;
}

double weir_cuda_timing_excess(weir_backend *device)
{
    if (weir_cuda_broken(device) != WEIR_OK)
        return 0;
    entered before = weir_cuda_enter(device);
    pthread_mutex_lock(&device->errand);
    if (!device->excess_known)
        device->excess_ns = calibrate(device);
    device->excess_known = true;
    const double excess_ns = device->excess_ns;
    pthread_mutex_unlock(&device->errand);
    weir_cuda_leave(device, before);
    return excess_ns;
}
