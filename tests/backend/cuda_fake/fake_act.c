/* fake_act.c - what an operation of a stream or a node of a graph does: made and checked when it is asked for, and run. */
#include "fake.h"
#include <sched.h>

act *fake_make_act(act_kind kind)
{
    act *a = fake_zeros(1, sizeof *a);
    a->kind = kind;
    a->refs = 1;
    return a;
}

act *fake_hold(act *a)
{
    a->refs++;
    return a;
}

void fake_drop_act(act *a)
{
    if (--a->refs > 0)
        return;
    for (uint16_t i = 0; a->args && i < a->kernel->arg_count; i++)
        free(a->args[i]);
    free(a->args);
    free(a->batch);
    if (a->kind == ACT_ALLOC) {
        fake_drop_range("memory of a graph", a->to, FROM_GRAPH);
        free(a->to);
    }
    free(a);
}

cudaError_t fake_kernel_act(const char *call, const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, act **out)
{
    const weir_kernel *k = fake_known_kernel(function);
    if (!k)
        fake_wrong(call, "%p is no kernel", function);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
        return cudaErrorInvalidConfiguration;
    if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535 || (uint64_t)block.x * block.y * block.z > BLOCK_MOST || block.z > 64 || shared > SHARED_MOST)
        return cudaErrorInvalidConfiguration;
    act *a = fake_make_act(ACT_KERNEL);
    a->kernel = k;
    a->grid = grid;
    a->block = block;
    a->shared = shared;
    a->args = fake_zeros(k->arg_count, sizeof *a->args);
    for (uint16_t i = 0; i < k->arg_count; i++) {
        a->args[i] = fake_zeros(k->arg_bytes[i], 1);
        memcpy(a->args[i], args[i], k->arg_bytes[i]);
    }
    *out = a;
    return cudaSuccess;
}

act *fake_line_act(const char *call, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    act *a = fake_make_act(ACT_LINE);
    a->to = to;
    a->from = from;
    a->bytes = bytes;
    a->to_kind = (int)fake_type_of(call, to, bytes);
    a->from_kind = (int)fake_type_of(call, from, bytes);
    fake_check_copy(call, (enum cudaMemoryType)a->to_kind, (enum cudaMemoryType)a->from_kind, kind);
    if ((const unsigned char *)to < (const unsigned char *)from + bytes && (const unsigned char *)from < (const unsigned char *)to + bytes)
        fake_wrong(call, "a copy onto itself");
    return a;
}

act *fake_box_act(const char *call, const struct cudaMemcpy3DParms *p)
{
    if (p->srcArray || p->dstArray || !p->srcPtr.ptr || !p->dstPtr.ptr || p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0)
        fake_wrong(call, "not a copy between pitched memories");
    fake_check_side(call, &p->srcPtr, &p->srcPos, &p->extent);
    fake_check_side(call, &p->dstPtr, &p->dstPos, &p->extent);
    act *a = fake_make_act(ACT_BOX);
    a->box = *p;
    a->to_kind = (int)fake_type_of(call, fake_box_first(&p->dstPtr, &p->dstPos), fake_box_bytes(&p->dstPtr, &p->extent));
    a->from_kind = (int)fake_type_of(call, fake_box_first(&p->srcPtr, &p->srcPos), fake_box_bytes(&p->srcPtr, &p->extent));
    fake_check_copy(call, (enum cudaMemoryType)a->to_kind, (enum cudaMemoryType)a->from_kind, p->kind);
    if (a->to_kind == cudaMemoryTypeUnregistered || a->from_kind == cudaMemoryTypeUnregistered)
        fake_wrong(call, "memory that is not pinned");
    return a;
}

act *fake_fill_act(const char *call, const struct cudaMemsetParams *p)
{
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        fake_wrong(call, "elements of %u bytes", p->elementSize);
    if (p->width == 0 || p->height == 0)
        fake_wrong(call, "no elements");
    if ((uintptr_t)p->dst % p->elementSize != 0 || (p->height > 1 && p->pitch % p->elementSize != 0))
        fake_wrong(call, "elements of %u bytes at %p, pitch %zu: not aligned", p->elementSize, p->dst, p->pitch);
    if (p->height > 1 && p->pitch < p->width * p->elementSize)
        fake_wrong(call, "a pitch of %zu for rows of %zu", p->pitch, p->width * p->elementSize);
    if (p->elementSize < 4 && p->value >> 8 * p->elementSize != 0)
        fake_wrong(call, "value %x for elements of %u bytes", p->value, p->elementSize);
    act *a = fake_make_act(ACT_FILL);
    a->to_kind = (int)fake_type_of(call, p->dst, (p->height - 1) * p->pitch + p->width * p->elementSize);
    if (a->to_kind == cudaMemoryTypeUnregistered)
        fake_wrong(call, "memory that CUDA does not know");
    a->fill = *p;
    return a;
}

act *fake_batch_act(const char *call, unsigned count, const CUstreamBatchMemOpParams *operations)
{
    if (count == 0 || count > BATCH_MOST)
        fake_wrong(call, "%u operations", count);
    act *a = fake_make_act(ACT_BATCH);
    a->batch = fake_zeros(count, sizeof *a->batch);
    a->batch_count = count;
    memcpy(a->batch, operations, count * sizeof *operations);
    for (unsigned i = 0; i < count; i++) {
        const CUstreamBatchMemOpParams *o = &operations[i];
        uintptr_t address = (uintptr_t)(o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? o->writeValue.address : o->waitValue.address);
        if (o->operation != CU_STREAM_MEM_OP_WRITE_VALUE_32 && o->operation != CU_STREAM_MEM_OP_WAIT_VALUE_32)
            fake_wrong(call, "operation %d", (int)o->operation);
        if (address % 4 != 0 || fake_type_of(call, (const void *)address, 4) == cudaMemoryTypeUnregistered) // NOLINT(performance-no-int-to-ptr)
            fake_wrong(call, "a word at %p", (void *)address); // NOLINT(performance-no-int-to-ptr)
        if (o->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 && o->waitValue.flags != CU_STREAM_WAIT_VALUE_EQ && o->waitValue.flags != CU_STREAM_WAIT_VALUE_GEQ)
            fake_wrong(call, "wait flags %x", o->waitValue.flags);
        if (o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 && o->writeValue.flags != CU_STREAM_WRITE_VALUE_DEFAULT)
            fake_wrong(call, "write flags %x", o->writeValue.flags);
    }
    return a;
}

act *fake_host_act(cudaHostFn_t host, void *user)
{
    act *a = fake_make_act(ACT_HOST);
    a->host = host;
    a->user = user;
    return a;
}

act *fake_event_act(const char *call, act_kind kind, cudaEvent_t event)
{
    fake_check_handle(call, event, IS_EVENT);
    act *a = fake_make_act(kind);
    a->event = event;
    return a;
}

act *fake_check_pinned(const char *call, act *does)
{
    if (does->to_kind == cudaMemoryTypeUnregistered || does->from_kind == cudaMemoryTypeUnregistered)
        fake_wrong(call, "memory that is not pinned");
    return does;
}

static void check_run(const void *memory, size_t bytes, int kind)
{
    if ((int)fake_type_of("a copy or fill that runs", memory, bytes) != kind)
        fake_wrong("a copy or fill that runs", "its memory at %p was given back", memory);
}

/* What it was launched with is still there. */
static void check_still_there(const act *a)
{
    const struct cudaMemcpy3DParms *box = &a->box;
    if (a->kind == ACT_LINE) {
        check_run(a->to, a->bytes, a->to_kind);
        check_run(a->from, a->bytes, a->from_kind);
    } else if (a->kind == ACT_BOX) {
        check_run(fake_box_first(&box->dstPtr, &box->dstPos), fake_box_bytes(&box->dstPtr, &box->extent), a->to_kind);
        check_run(fake_box_first(&box->srcPtr, &box->srcPos), fake_box_bytes(&box->srcPtr, &box->extent), a->from_kind);
    } else if (a->kind == ACT_FILL) {
        check_run(a->fill.dst, (a->fill.height - 1) * a->fill.pitch + a->fill.width * a->fill.elementSize, a->to_kind);
    }
}

static void run_blocks(const act *a, void *shared, uint64_t first, uint64_t count)
{
    weir_blocks blocks = {{a->grid.x, a->grid.y, a->grid.z}, {a->block.x, a->block.y, a->block.z}, first, count, shared};
    a->kernel->host(&blocks, a->args);
}

static void run_kernel(const act *a, uint64_t luck)
{
    uint64_t all = (uint64_t)a->grid.x * a->grid.y * a->grid.z, half = luck % all;
    size_t bytes = (a->shared + 63) / 64 * 64;
    void *shared = bytes > 0 ? aligned_alloc(64, bytes) : NULL;
    if (a->kernel->flags & WEIR_KERNEL_ONE_CALL) {
        run_blocks(a, shared, 0, all);
    } else { /* blocks come in any order */
        run_blocks(a, shared, half, all - half);
        if (half > 0)
            run_blocks(a, shared, 0, half);
    }
    free(shared);
}

static void run_box(const struct cudaMemcpy3DParms *p)
{
    unsigned char *to = fake_box_first(&p->dstPtr, &p->dstPos);
    const unsigned char *from = fake_box_first(&p->srcPtr, &p->srcPos);
    for (size_t z = 0; z < p->extent.depth; z++)
        for (size_t y = 0; y < p->extent.height; y++)
            memcpy(to + (z * p->dstPtr.ysize + y) * p->dstPtr.pitch, from + (z * p->srcPtr.ysize + y) * p->srcPtr.pitch, p->extent.width);
}

static void run_fill(const struct cudaMemsetParams *p)
{
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            memcpy((unsigned char *)p->dst + y * p->pitch + x * p->elementSize, &p->value, p->elementSize); /* little endian */
}

/* With the lock; lets it go. */
void fake_run_act(const act *a)
{
    uint64_t luck = fake_draw();
    check_still_there(a);
    pthread_mutex_unlock(&fake_lock);
    for (uint64_t i = luck >> 8 & 15; i > 12; i--)
        sched_yield();
    if (a->kind == ACT_KERNEL)
        run_kernel(a, luck >> 16);
    else if (a->kind == ACT_LINE)
        memcpy(a->to, a->from, a->bytes);
    else if (a->kind == ACT_BOX)
        run_box(&a->box);
    else if (a->kind == ACT_FILL)
        run_fill(&a->fill);
    else if (a->kind == ACT_HOST)
        a->host(a->user);
    pthread_mutex_lock(&fake_lock);
    if (a->kind == ACT_FREE) {
        fake_drop_range("cudaFreeAsync", a->to, FROM_POOL);
        free(a->to);
    }
}

/* ---- memory operations ---- */

uint32_t *fake_word_at(CUdeviceptr address)
{
    return (uint32_t *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

bool fake_batch_can(const act *a, unsigned step)
{
    const CUstreamBatchMemOpParams *o = &a->batch[step];
    if (o->operation != CU_STREAM_MEM_OP_WAIT_VALUE_32)
        return true;
    uint32_t value = __atomic_load_n(fake_word_at(o->waitValue.address), __ATOMIC_ACQUIRE);
    return o->waitValue.flags == CU_STREAM_WAIT_VALUE_EQ ? value == o->waitValue.value : (int32_t)(value - o->waitValue.value) >= 0;
}

void fake_batch_step(const act *a, unsigned step)
{
    const CUstreamBatchMemOpParams *o = &a->batch[step];
    if (fake_type_of("memory operation that runs", fake_word_at(o->writeValue.address), 4) == cudaMemoryTypeUnregistered)
        fake_wrong("memory operation that runs", "its memory was given back");
    if (o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32)
        __atomic_store_n(fake_word_at(o->writeValue.address), o->writeValue.value, __ATOMIC_RELEASE);
}
