/* fake_memory.c - memory that the fake CUDA knows: what it is, and the calls that take it and give it back. */
#define _GNU_SOURCE /* syscall */
#include "fake.h"
#include <sys/syscall.h>
#include <unistd.h>

range *fake_range_of(const void *memory)
{
    const unsigned char *at = memory;
    for (range *r = fake_ranges; r; r = r->next)
        if (at >= r->from && at < r->from + r->bytes)
            return r;
    return NULL;
}

static void add_range(void *memory, size_t bytes, enum cudaMemoryType type, int origin)
{
    range *r = fake_zeros(1, sizeof *r);
    r->next = fake_ranges;
    r->from = memory;
    r->bytes = bytes;
    r->type = type;
    r->origin = origin;
    fake_ranges = r;
}

void fake_drop_range(const char *call, void *memory, int origin)
{
    range **link = &fake_ranges;
    while (*link && !((*link)->from == memory && (*link)->origin == origin))
        link = &(*link)->next;
    if (!*link)
        fake_wrong(call, "memory %p is not what such a call gave", memory);
    range *gone = *link;
    *link = gone->next;
    free(gone);
}

/* Device or host; what CUDA does not know is host's. A run of bytes lies within one range. */
enum cudaMemoryType fake_type_of(const char *call, const void *memory, size_t bytes)
{
    const range *r = fake_range_of(memory);
    if (bytes == 0)
        fake_wrong(call, "no bytes");
    if (!r) {
        if (fake_range_of((const unsigned char *)memory + bytes - 1))
            fake_wrong(call, "%zu bytes at %p begin outside of memory that CUDA knows and end in it", bytes, memory);
        return cudaMemoryTypeUnregistered;
    }
    if ((const unsigned char *)memory + bytes > r->from + r->bytes)
        fake_wrong(call, "%zu bytes at %p go %zu past the end of their memory", bytes, memory, (size_t)((const unsigned char *)memory + bytes - (r->from + r->bytes)));
    return r->type;
}

void fake_check_copy(const char *call, enum cudaMemoryType to, enum cudaMemoryType from, enum cudaMemcpyKind kind)
{
    bool to_device = to == cudaMemoryTypeDevice, from_device = from == cudaMemoryTypeDevice;
    if (!to_device && !from_device)
        fake_wrong(call, "a copy from host to host: the caller would wait for it");
    if (kind == cudaMemcpyDefault)
        return;
    if (kind != (to_device ? from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost))
        fake_wrong(call, "kind %d of a copy from memory of type %d to type %d", (int)kind, (int)from, (int)to);
}

size_t fake_box_bytes(const struct cudaPitchedPtr *p, const struct cudaExtent *e)
{
    return (e->depth - 1) * p->pitch * p->ysize + (e->height - 1) * p->pitch + e->width;
}

unsigned char *fake_box_first(const struct cudaPitchedPtr *p, const struct cudaPos *pos)
{
    return (unsigned char *)p->ptr + pos->z * p->pitch * p->ysize + pos->y * p->pitch + pos->x;
}

void fake_check_side(const char *call, const struct cudaPitchedPtr *p, const struct cudaPos *pos, const struct cudaExtent *e)
{
    if (pos->x + e->width > p->pitch && (e->height > 1 || e->depth > 1))
        fake_wrong(call, "a row of %zu bytes at a pitch of %zu", pos->x + e->width, p->pitch);
    if (p->pitch < e->width)
        fake_wrong(call, "a pitch of %zu for rows of %zu", p->pitch, e->width);
    if (e->depth > 1 && pos->y + e->height > p->ysize)
        fake_wrong(call, "%zu rows of a slice that has %zu", pos->y + e->height, p->ysize);
}

/* ---- memory calls ---- */

void *fake_new_memory(size_t bytes, enum cudaMemoryType type, int origin)
{
    void *memory = NULL;
    if (bytes == 0)
        fake_wrong("allocation", "of no bytes");
    if (bytes > (size_t)1 << 40)
        return NULL;
    memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory)
        return NULL;
    memset(memory, 0xa5, bytes); /* what is there before is anybody's guess */
    add_range(memory, bytes, type, origin);
    return memory;
}

/* Of memory that a graph's own nodes take in a capture, too. */
static cudaError_t allocate(void **out, size_t bytes, enum cudaMemoryType type, int origin)
{
    *out = fake_new_memory(bytes, type, origin);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t allocate_carefully(void **out, size_t bytes, enum cudaMemoryType type, int origin)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_careful();
    if (result == cudaSuccess)
        result = allocate(out, bytes, type, origin);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    return allocate_carefully(out, bytes, cudaMemoryTypeDevice, FROM_MALLOC);
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned int flags)
{
    (void)flags;
    return allocate_carefully(out, bytes, cudaMemoryTypeHost, FROM_HOST_ALLOC);
}

/* Waits for all that was launched. */
static cudaError_t give_back(const char *call, void *memory, int origin)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_careful();
    if (memory && result == cudaSuccess) {
        fake_wait_for_operations(NULL);
        fake_drop_range(call, memory, origin);
        free(memory);
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaFree(void *memory)
{
    return give_back("cudaFree", memory, FROM_MALLOC);
}

cudaError_t cudaFreeHost(void *memory)
{
    return give_back("cudaFreeHost", memory, FROM_HOST_ALLOC);
}

/* What the process may not read cannot be pinned. Asked past sanitizers: pages begin and end where what lies in them does not. */
static bool can_touch(const unsigned char *memory, size_t bytes)
{
    enum { PAGE = 4096 };
    int ends[2];
    char unused;
    bool can = true;
    if (pipe(ends) != 0)
        fake_wrong("pipe", "no pipe");
    for (size_t at = 0; at < bytes && can; at += PAGE)
        can = syscall(SYS_write, ends[1], memory + at, (size_t)1) == 1 && read(ends[0], &unused, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    (void)flags;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_careful();
    for (const range *r = fake_ranges; r; r = r->next)
        if ((unsigned char *)memory < r->from + r->bytes && r->from < (unsigned char *)memory + bytes)
            result = result == cudaSuccess ? cudaErrorHostMemoryAlreadyRegistered : result;
    if (result == cudaSuccess && !can_touch(memory, bytes))
        result = cudaErrorInvalidValue;
    if (result == cudaSuccess)
        add_range(memory, bytes, cudaMemoryTypeHost, FROM_REGISTER);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaHostUnregister(void *memory)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_careful();
    if (result == cudaSuccess)
        fake_drop_range("cudaHostUnregister", memory, FROM_REGISTER);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    if (properties->allocType != cudaMemAllocationTypePinned || properties->location.type != cudaMemLocationTypeDevice)
        fake_wrong("cudaMemPoolCreate", "not of device memory");
    pthread_mutex_lock(&fake_lock);
    *pool = fake_know(fake_zeros(1, sizeof **pool), IS_POOL);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    (void)value;
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaMemPoolSetAttribute", pool, IS_POOL);
    pthread_mutex_unlock(&fake_lock);
    return attribute == cudaMemPoolAttrReleaseThreshold ? cudaSuccess : fake_give(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaMemPoolDestroy", pool, IS_POOL);
    for (const range *r = fake_ranges; r; r = r->next)
        if (r->origin == FROM_POOL && r->pool == pool)
            fake_wrong("cudaMemPoolDestroy", "%zu bytes of it are in use", r->bytes);
    fake_forget(pool);
    free(pool);
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

/* A capture makes it a node, which owns the memory. */
static cudaError_t allocate_in(const char *call, void **out, size_t bytes, cudaStream_t stream)
{
    struct CUstream_st *s;
    cudaError_t result = fake_target(call, stream, &s);
    if (result != cudaSuccess || !s->captured)
        return result == cudaSuccess ? allocate(out, bytes, cudaMemoryTypeDevice, FROM_POOL) : result;
    result = allocate(out, bytes, cudaMemoryTypeDevice, FROM_GRAPH);
    if (result != cudaSuccess)
        return result;
    act *does = fake_make_act(ACT_ALLOC);
    does->to = *out;
    return fake_put(call, s, does, NULL);
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    fake_check_handle("cudaMallocFromPoolAsync", pool, IS_POOL);
    cudaError_t result = allocate_in("cudaMallocFromPoolAsync", out, bytes, stream);
    if (result == cudaSuccess)
        fake_ranges->pool = pool; /* the newest */
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = allocate_in("cudaMallocAsync", out, bytes, stream);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

/* A capture takes back only what its own graph gave. */
static cudaError_t free_in(void *memory, struct CUstream_st *s)
{
    const range *r = fake_range_of(memory);
    bool first = r && r->from == memory;
    if (s->captured && !(first && r->origin == FROM_GRAPH))
        return cudaErrorInvalidValue;
    if (!s->captured && !(first && r->origin == FROM_POOL))
        fake_wrong("cudaFreeAsync", "memory %p is not of a pool", memory);
    act *does = fake_make_act(s->captured ? ACT_RELEASE : ACT_FREE);
    does->to = memory;
    return fake_put("cudaFreeAsync", s, does, NULL);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    struct CUstream_st *s;
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_target("cudaFreeAsync", stream, &s);
    if (result == cudaSuccess)
        result = free_in(memory, s);
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    pthread_mutex_lock(&fake_lock);
    cudaError_t result = fake_legacy_used();
    if (result == cudaSuccess) {
        (void)fake_put("cudaMemcpy", &fake_legacy, fake_line_act("cudaMemcpy", to, from, bytes, kind), NULL);
        fake_wait_for_operations(&fake_legacy);
    }
    pthread_mutex_unlock(&fake_lock);
    return fake_give(result);
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *all)
{
    *all = *unused = (size_t)1 << 37;
    pthread_mutex_lock(&fake_lock);
    for (const range *r = fake_ranges; r; r = r->next)
        if (r->type == cudaMemoryTypeDevice)
            *unused -= r->bytes;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    pthread_mutex_lock(&fake_lock);
    const range *r = fake_range_of(memory);
    memset(attributes, 0, sizeof *attributes);
    attributes->type = r ? r->type : cudaMemoryTypeUnregistered;
    attributes->device = r ? 0 : -2;
    attributes->devicePointer = r ? (void *)(uintptr_t)memory : NULL;
    attributes->hostPointer = r && r->type == cudaMemoryTypeDevice ? NULL : (void *)(uintptr_t)memory;
    pthread_mutex_unlock(&fake_lock);
    return cudaSuccess;
}
