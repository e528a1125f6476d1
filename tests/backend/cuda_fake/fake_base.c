/* fake_base.c - what all of the fake CUDA stands on: its lock, its luck, which handles live, the device, kernels and errors. */
#include "fake.h"
#include <stdarg.h>
#include <time.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_done = PTHREAD_COND_INITIALIZER;
struct CUstream_st *fake_streams, fake_legacy;
range *fake_ranges;
uint64_t fake_numbers = 1, fake_random;
_Thread_local enum cudaStreamCaptureMode fake_thread_mode;

/* ---- what must not be ---- */

void fake_wrong(const char *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "fake CUDA: %s: ", call);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

static _Thread_local cudaError_t last_error;

cudaError_t fake_give(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

void *fake_zeros(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        fake_wrong("calloc", "no memory");
    return memory;
}

void *fake_grow(void *memory, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return memory;
    *room = count * 2 + 8;
    memory = realloc(memory, *room * size);
    if (!memory)
        fake_wrong("realloc", "no memory");
    return memory;
}

int64_t fake_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- luck ---- */

uint64_t fake_draw(void)
{
    fake_random ^= fake_random << 13;
    fake_random ^= fake_random >> 7;
    fake_random ^= fake_random << 17;
    return fake_random;
}

uint64_t fake_mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 1) * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u);
    h ^= h >> 31;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 29;
}

/* ---- handles: known while they live ---- */

enum { BUCKETS = 4096 };
typedef struct handle {
    struct handle *next;
    const void *of;
    handle_kind kind;
} handle;
static handle *handles[BUCKETS];

static handle **find_handle(const void *of)
{
    handle **link = &handles[fake_mixed((uintptr_t)of, 0) % BUCKETS];
    while (*link && (*link)->of != of)
        link = &(*link)->next;
    return link;
}

void *fake_know(void *of, handle_kind kind)
{
    handle **link = find_handle(of);
    if (*link)
        fake_wrong("fake", "handle known twice");
    *link = fake_zeros(1, sizeof **link);
    **link = (handle){NULL, of, kind};
    return of;
}

void fake_forget(const void *of)
{
    handle **link = find_handle(of), *gone = *link;
    *link = gone->next;
    free(gone);
}

void fake_check_handle(const char *call, const void *of, handle_kind kind)
{
    handle *h = *find_handle(of);
    if (!h || h->kind != kind)
        fake_wrong(call, "handle %p is not one of its kind (%d): never was, or was destroyed", of, (int)kind);
}

/* ---- the device, kernels, errors ---- */

static _Thread_local int current_device;
static const weir_kernel **kernels;
static size_t kernel_count, kernel_room;

const weir_kernel *fake_known_kernel(const void *function)
{
    for (size_t i = 0; i < kernel_count; i++)
        if ((const void *)kernels[i] == function)
            return kernels[i];
    return NULL;
}

const void *fake_cuda_kernel(const weir_kernel *kernel)
{
    pthread_mutex_lock(&fake_lock);
    if (!kernel->host || (!kernel->arg_bytes && kernel->arg_count > 0))
        fake_wrong("fake_cuda_kernel", "kernel '%s' has no host twin or does not tell its arguments", kernel->name);
    if (!fake_known_kernel(kernel)) {
        kernels = fake_grow(kernels, kernel_count, &kernel_room, sizeof *kernels);
        kernels[kernel_count++] = kernel;
    }
    pthread_mutex_unlock(&fake_lock);
    return kernel;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
    (void)stub;
    *kernel = NULL;
    return fake_give(cudaErrorInvalidDeviceFunction); /* kernels here have `resolve` */
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    pthread_mutex_lock(&fake_lock);
    bool known = fake_known_kernel(function) != NULL;
    pthread_mutex_unlock(&fake_lock);
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = BLOCK_MOST;
    attributes->maxDynamicSharedSizeBytes = SHARED_USUAL;
    return known ? cudaSuccess : fake_give(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    pthread_mutex_lock(&fake_lock);
    bool known = fake_known_kernel(function) != NULL;
    pthread_mutex_unlock(&fake_lock);
    if (!known || attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        fake_wrong("cudaFuncSetAttribute", "function %p, attribute %d", function, (int)attribute);
    return value >= 0 && value <= SHARED_MOST ? cudaSuccess : fake_give(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (device != 0)
        return fake_give(cudaErrorInvalidDevice);
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "fake device");
    properties->major = 9;
    properties->multiProcessorCount = 4;
    properties->totalGlobalMem = (size_t)1 << 37;
    properties->maxThreadsPerBlock = BLOCK_MOST;
    properties->sharedMemPerBlockOptin = SHARED_MOST;
    properties->unifiedAddressing = properties->canMapHostMemory = properties->memoryPoolsSupported = properties->cooperativeLaunch = 1;
    return device == 0 ? cudaSuccess : fake_give(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp properties;
    cudaError_t result = cudaGetDeviceProperties(&properties, device);
    if (attribute != cudaDevAttrComputeCapabilityMajor)
        fake_wrong("cudaDeviceGetAttribute", "attribute %d, which the fake does not know", (int)attribute);
    *value = properties.major;
    return result;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = PRIORITY_GREATEST;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDeviceFunction: return "cudaErrorInvalidDeviceFunction";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorHostMemoryAlreadyRegistered: return "cudaErrorHostMemoryAlreadyRegistered";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorIllegalState: return "cudaErrorIllegalState";
    case cudaErrorLossyQuery: return "cudaErrorLossyQuery";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    case cudaErrorStreamCaptureUnsupported: return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated: return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureMerge: return "cudaErrorStreamCaptureMerge";
    case cudaErrorStreamCaptureUnmatched: return "cudaErrorStreamCaptureUnmatched";
    case cudaErrorStreamCaptureUnjoined: return "cudaErrorStreamCaptureUnjoined";
    case cudaErrorStreamCaptureIsolation: return "cudaErrorStreamCaptureIsolation";
    case cudaErrorStreamCaptureImplicit: return "cudaErrorStreamCaptureImplicit";
    case cudaErrorCapturedEvent: return "cudaErrorCapturedEvent";
    case cudaErrorStreamCaptureWrongThread: return "cudaErrorStreamCaptureWrongThread";
    case cudaErrorGraphExecUpdateFailure: return "cudaErrorGraphExecUpdateFailure";
    default: return "another cudaError_t";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "told by the fake CUDA";
}
