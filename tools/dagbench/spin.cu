/* spin.cu - see spin.h. Time is kept by the processor's own clock, which ticks every cycle; %globaltimer may step by a whole microsecond. */
#include "spin.h"
#include "weir/cuda.h"

extern "C" __global__ void dagbench_empty(void)
{
}

extern "C" __global__ void dagbench_spin(long long ticks)
{
    long long start = clock64();
    while (clock64() - start < ticks)
        ;
}

extern "C" __global__ void dagbench_told(unsigned value)
{
    (void)value;
}

/* Between the two tickets it lasts about a microsecond, so that tasks which nothing orders overlap, and missing waits show. */
static __device__ void draw_tickets(spin_record *records, unsigned task)
{
    if (threadIdx.x != 0)
        return;
    spin_record *own = records + task + 1;
    unsigned begun = atomicAdd(&records->begun, 1u);
    long long start = clock64();
    while (clock64() - start < 2000)
        ;
    atomicAdd(&own->runs, 1u);
    own->begun = begun;
    __threadfence();
    own->ended = atomicAdd(&records->begun, 1u);
}

extern "C" __global__ void dagbench_ticket(spin_record *records, unsigned task)
{
    draw_tickets(records, task);
}

/* Lets the next kernel onto the device at once, and waits for the end of those before. Older devices know neither. */
static __device__ void begin_early()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

extern "C" __global__ void dagbench_early(void)
{
    begin_early();
}

extern "C" __global__ void dagbench_early_ticket(spin_record *records, unsigned task)
{
    begin_early();
    draw_tickets(records, task);
}

extern "C" const void *spin_empty_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_empty));
}

extern "C" const void *spin_spin_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_spin));
}

extern "C" const void *spin_told_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_told));
}

extern "C" const void *spin_ticket_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_ticket));
}

extern "C" const void *spin_early_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_early));
}

extern "C" const void *spin_early_ticket_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(dagbench_early_ticket));
}

static cudaError_t spin(long long ticks, cudaStream_t stream)
{
    dim3 grid(1, 1, 1), block(SPIN_THREADS, 1, 1);
    void *args[] = {&ticks};
    return cudaLaunchKernel(reinterpret_cast<const void *>(dagbench_spin), grid, block, args, 0, stream);
}

/* Event to event around one kernel, in ms. */
static cudaError_t time_spin(long long ticks, cudaStream_t stream, const cudaEvent_t event[2], float *ms)
{
    cudaError_t error = cudaEventRecord(event[0], stream);
    if (error == cudaSuccess)
        error = spin(ticks, stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(event[1], stream);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(event[1]);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(ms, event[0], event[1]);
    return error;
}

/* A short and a long one: what launching costs drops out of the difference. The first ones only wake the clock up. */
extern "C" double spin_ticks_per_us(int *error)
{
    const long long shorter = 2000000, longer = 22000000;
    cudaEvent_t event[2] = {NULL, NULL};
    cudaStream_t stream = NULL;
    float ms_shorter = 0.0f, ms_longer = 0.0f;
    cudaError_t failed = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && failed == cudaSuccess; i++)
        failed = cudaEventCreate(&event[i]);
    for (int round = 0; round < 3 && failed == cudaSuccess; round++) {
        failed = time_spin(shorter, stream, event, &ms_shorter);
        if (failed == cudaSuccess)
            failed = time_spin(longer, stream, event, &ms_longer);
    }
    for (int i = 0; i < 2; i++)
        if (event[i])
            cudaEventDestroy(event[i]);
    if (stream)
        cudaStreamDestroy(stream);
    *error = (int)failed;
    return failed == cudaSuccess ? (double)(longer - shorter) / ((double)(ms_longer - ms_shorter) * 1000.0) : 0.0;
}
