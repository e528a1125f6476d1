/* memory.c - memory of the device and pinned memory of the host; memory of the program's that buffers adopt; what is moved between frames.
 *
 * Device memory is of a pool, since taking and giving it back then waits for nobody; cudaFree would wait for the device. What is pinned is
 * given back by cudaFreeHost, which does wait: buffers are destroyed between frames, not in them. */
#include "backend/cuda/device.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* ---- errands: on a stream of their own, waited for ---- */

static weir_status finish_errand(weir_backend *device, cudaError_t result, const char *call)
{
    if (result == cudaSuccess) {
        result = cudaStreamSynchronize(device->errands);
        call = "cudaStreamSynchronize";
    }
    return weir_cuda_status(weir_cuda_note(device, result), call);
}

static weir_status take_device(weir_backend *device, size_t bytes, void **out)
{
    pthread_mutex_lock(&device->errand);
    cudaError_t result = cudaMallocFromPoolAsync(out, bytes, device->pool, device->errands);
    const char *call = "cudaMallocFromPoolAsync";
    if (result == cudaSuccess) {
        result = cudaMemsetAsync(*out, 0, bytes, device->errands);
        call = "cudaMemsetAsync";
    }
    weir_status status = finish_errand(device, result, call);
    if (status != WEIR_OK && *out)
        (void)cudaFreeAsync(*out, device->errands);
    pthread_mutex_unlock(&device->errand);
    return status;
}

void *weir_cuda_take(weir_backend *device, weir_place place, size_t bytes)
{
    void *memory = NULL;
    if (weir_cuda_broken(device) != WEIR_OK)
        return NULL;
    entered before = weir_cuda_enter(device);
    weir_status status;
    if (place == WEIR_DEVICE) {
        status = take_device(device, bytes, &memory);
    } else {
        status = weir_cuda_status(weir_cuda_note(device, cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped)), "cudaHostAlloc");
        if (status == WEIR_OK)
            memset(memory, 0, bytes);
    }
    weir_cuda_leave(device, before);
    return status == WEIR_OK ? memory : NULL;
}

void weir_cuda_give(weir_backend *device, weir_place place, void *memory)
{
    entered before = weir_cuda_enter(device);
    if (place == WEIR_DEVICE) {
        pthread_mutex_lock(&device->errand);
        (void)finish_errand(device, cudaFreeAsync(memory, device->errands), "cudaFreeAsync");
        pthread_mutex_unlock(&device->errand);
    } else {
        (void)weir_cuda_status(cudaFreeHost(memory), "cudaFreeHost");
    }
    weir_cuda_leave(device, before);
}

static weir_status transfer(weir_backend *device, void *to, const void *from, size_t bytes)
{
    weir_status status = weir_cuda_broken(device);
    if (status != WEIR_OK)
        return status;
    entered before = weir_cuda_enter(device);
    pthread_mutex_lock(&device->errand);
    status = finish_errand(device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, device->errands), "cudaMemcpyAsync");
    pthread_mutex_unlock(&device->errand);
    weir_cuda_leave(device, before);
    return status;
}

weir_status weir_cuda_move(weir_backend *device, weir_place place, void *to, const void *from, size_t bytes)
{
    if (place == WEIR_DEVICE)
        return transfer(device, to, from, bytes);
    memcpy(to, from, bytes);
    return weir_cuda_broken(device);
}

/* ---- adopted memory ---- */

/* What weir has pinned. Several buffers may lie in one range. */
struct adopted {
    struct adopted *next;
    unsigned char *memory;
    size_t bytes;
    uint32_t holders;
};

static struct adopted *find_range(weir_backend *device, const unsigned char *memory, size_t bytes)
{
    struct adopted *a = device->adopted;
    while (a && !(memory >= a->memory && memory + bytes <= a->memory + a->bytes))
        a = a->next;
    return a;
}

static bool is_of_type(const void *memory, enum cudaMemoryType type)
{
    struct cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return attributes.type == type || attributes.type == cudaMemoryTypeManaged;
}

/* Page by page: it may have been pinned in parts, with holes between. */
static bool is_whole_of_type(const unsigned char *memory, size_t bytes, enum cudaMemoryType type)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < bytes; at += page)
        if (!is_of_type(memory + at, type))
            return false;
    return is_of_type(memory + bytes - 1, type);
}

/* Whole pages: two buffers in one page would else each ask for a part of it. */
static void to_pages(unsigned char **memory, size_t *bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)*memory / page * page;
    uintptr_t end = ((uintptr_t)*memory + *bytes + page - 1) / page * page;
    *memory = *memory - ((uintptr_t)*memory - first);
    *bytes = end - first;
}

/* CUDA copies nothing that lies in two ranges, so one cannot go on where another ends. */
static bool overlaps_range(const weir_backend *device, const unsigned char *memory, size_t bytes)
{
    for (const struct adopted *a = device->adopted; a; a = a->next)
        if (memory < a->memory + a->bytes && a->memory < memory + bytes)
            return true;
    return false;
}

/* With the lock held. */
static weir_status pin(weir_backend *device, unsigned char *memory, size_t bytes)
{
    struct adopted *a = find_range(device, memory, bytes);
    if (a) {
        a->holders++;
        return WEIR_OK;
    }
    if (is_whole_of_type(memory, bytes, cudaMemoryTypeHost))
        return WEIR_OK; /* by the program */
    if (overlaps_range(device, memory, bytes))
        return weir_fail(WEIR_ERR_INVALID, "it cannot be pinned: its first or last page is pinned for another buffer; let each begin at a page of its own");
    a = weir_alloc(1, sizeof *a);
    if (!a)
        return weir_fail_no_memory();
    *a = (struct adopted){.next = device->adopted, .memory = memory, .bytes = bytes, .holders = 1};
    to_pages(&a->memory, &a->bytes);
    weir_status status = weir_cuda_status(cudaHostRegister(a->memory, a->bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), "it cannot be pinned: cudaHostRegister");
    if (status != WEIR_OK) {
        weir_free(a);
        return status;
    }
    device->adopted = a;
    return WEIR_OK;
}

weir_status weir_cuda_adopt(weir_backend *device, weir_place place, void *memory, size_t bytes)
{
    weir_status status = weir_cuda_broken(device);
    if (status != WEIR_OK)
        return status;
    entered before = weir_cuda_enter(device);
    pthread_mutex_lock(&device->lock);
    if (place != WEIR_DEVICE)
        status = pin(device, memory, bytes);
    else if (!is_whole_of_type(memory, bytes, cudaMemoryTypeDevice))
        status = weir_fail(WEIR_ERR_INVALID, "it is not memory of the device, as place WEIR_DEVICE asks");
    pthread_mutex_unlock(&device->lock);
    weir_cuda_leave(device, before);
    return status;
}

void weir_cuda_abandon(weir_backend *device, weir_place place, void *memory, size_t bytes)
{
    struct adopted *gone = NULL;
    if (place == WEIR_DEVICE)
        return;
    pthread_mutex_lock(&device->lock);
    struct adopted *a = find_range(device, memory, bytes);
    if (a && --a->holders == 0) {
        for (struct adopted **link = &device->adopted; *link; link = &(*link)->next)
            if (*link == a) {
                *link = a->next;
                break;
            }
        gone = a;
    }
    pthread_mutex_unlock(&device->lock);
    if (!gone)
        return;
    entered before = weir_cuda_enter(device);
    (void)weir_cuda_status(cudaHostUnregister(gone->memory), "cudaHostUnregister");
    weir_cuda_leave(device, before);
    weir_free(gone);
}

/* ---- words of gates, kept for the next program: giving pinned memory back waits for the device ---- */

struct word_block {
    struct word_block *next;
    gate_words *words;
    size_t count;
    bool taken;
};

static struct word_block *find_block(weir_backend *device, size_t count)
{
    struct word_block *best = NULL;
    for (struct word_block *b = device->words; b; b = b->next)
        if (!b->taken && b->count >= count && (!best || b->count < best->count))
            best = b;
    return best;
}

static struct word_block *make_block(weir_backend *device, size_t count)
{
    struct word_block *b = weir_alloc(1, sizeof *b);
    void *words = NULL;
    if (!b || weir_cuda_status(cudaHostAlloc(&words, count * sizeof(gate_words), cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc") != WEIR_OK) {
        weir_free(b);
        return NULL;
    }
    b->words = words;
    b->count = count;
    b->next = device->words;
    device->words = b;
    return b;
}

gate_words *weir_cuda_words_take(weir_backend *device, size_t count)
{
    enum { FEWEST = 32 };
    pthread_mutex_lock(&device->lock);
    struct word_block *b = find_block(device, count);
    if (!b)
        b = make_block(device, count < FEWEST ? FEWEST : count);
    if (b) {
        b->taken = true;
        memset(b->words, 0, b->count * sizeof(gate_words));
    }
    pthread_mutex_unlock(&device->lock);
    return b ? b->words : NULL;
}

void weir_cuda_words_give(weir_backend *device, gate_words *words)
{
    pthread_mutex_lock(&device->lock);
    for (struct word_block *b = device->words; words && b; b = b->next)
        if (b->words == words)
            b->taken = false;
    pthread_mutex_unlock(&device->lock);
}

void weir_cuda_words_finish(weir_backend *device)
{
    while (device->words) {
        struct word_block *next = device->words->next;
        (void)cudaFreeHost(device->words->words);
        weir_free(device->words);
        device->words = next;
    }
}
