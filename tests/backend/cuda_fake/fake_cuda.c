/* fake_cuda.c - see fake_cuda.h.
 *
 * One lock guards all that is here. A stream is a queue of operations; a few threads (executors) take whatever may run next, picked at
 * random: the first operation of a stream, or a node of a graph that is being run whose dependencies are done. What it does is done with
 * the lock free. Memory operations on host words go step by step; one that waits holds up its stream, or its node, and nothing else. */
#define _GNU_SOURCE /* syscall */
#include "fake_cuda.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_MOST = 1000, PRIORITY_GREATEST = -5, BLOCK_MOST = 1024, SHARED_MOST = 232448, SHARED_USUAL = 49152, BATCH_MOST = 256 };

/* ---- what must not be ---- */

__attribute__((noreturn, format(printf, 2, 3))) static void wrong(const char *call, const char *format, ...)
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

static cudaError_t give(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        wrong("calloc", "no memory");
    return memory;
}

static void *grow(void *memory, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return memory;
    *room = count * 2 + 8;
    memory = realloc(memory, *room * size);
    if (!memory)
        wrong("realloc", "no memory");
    return memory;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- objects ---- */

typedef enum { ACT_NOTHING, ACT_KERNEL, ACT_LINE, ACT_BOX, ACT_FILL, ACT_BATCH, ACT_FREE, ACT_HOST } act_kind;

/* What an operation or node does; never changed once made. */
typedef struct {
    act_kind kind;
    unsigned refs;
    const weir_kernel *kernel;
    struct dim3 grid, block;
    size_t shared;
    void **args;
    struct cudaMemcpy3DParms box;
    void *to;
    const void *from;
    size_t bytes;
    int to_kind, from_kind; /* cudaMemoryType */
    struct cudaMemsetParams fill;
    CUstreamBatchMemOpParams *batch;
    unsigned batch_count;
    cudaHostFn_t host;
    void *user;
} act;

/* A recorded point of a stream. */
typedef struct {
    unsigned refs;
    bool done;
    int64_t when_ns;
} mark;

typedef struct {
    cudaGraphNode_t *at;
    size_t count, room;
} node_set;

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    size_t index;
    act *does;
    node_set after;
    bool captured, reached;
};

struct CUgraph_st {
    uint64_t id;
    struct CUgraphNode_st **node;
    size_t count, room, edges;
};

typedef struct {
    uint64_t id;
    struct CUgraph_st *graph;
    struct CUstream_st *origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
} capture;

typedef struct {
    act *does;
    bool enabled;
} exec_node;

struct CUgraphExec_st {
    uint64_t graph_id;
    unsigned refs;
    size_t count;
    exec_node *node;
    size_t **after, *after_count;
    uint64_t launched, done;
};

/* One run of an exec. */
typedef struct {
    struct CUgraphExec_st *exec;
    uint64_t number;
    act **does;
    bool *vanished, *started;
    unsigned *waits_for, *step;
    size_t *ready, ready_count, left;
} graph_run;

typedef enum { OP_ACT, OP_RECORD, OP_WAIT, OP_GRAPH } op_kind;

typedef struct operation {
    struct operation *next;
    op_kind kind;
    uint64_t number;
    act *does;
    mark *at;
    graph_run *run;
    unsigned step;
    bool running;
} operation;

struct CUstream_st {
    struct CUstream_st *next;
    uint64_t id;
    operation *first, *last;
    size_t count;
    bool gone;
    capture *captured;
    node_set follows;
    cudaGraphEdgeData *edge_data;
    size_t edge_room;
};

struct CUevent_st {
    mark *at; /* NULL: never recorded */
    bool times;
    uint64_t capture_id; /* 0: not recorded in a capture */
    node_set nodes;
};

struct CUmemPoolHandle_st {
    int unused;
};

enum { FROM_MALLOC, FROM_POOL, FROM_HOST_ALLOC, FROM_REGISTER };

/* Memory that CUDA knows. */
typedef struct range {
    struct range *next;
    unsigned char *from;
    size_t bytes;
    enum cudaMemoryType type;
    int origin; /* FROM_* */
} range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static struct CUstream_st *streams, legacy;
static range *ranges;
static uint64_t numbers = 1, random_state, epoch;
static bool started;
static int polling;
static int context;
static _Thread_local int current_device;
static _Thread_local enum cudaStreamCaptureMode thread_mode;

static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 1) * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u);
    h ^= h >> 31;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 29;
}

/* ---- handles: known while they live ---- */

typedef enum { IS_STREAM = 1, IS_EVENT, IS_GRAPH, IS_NODE, IS_EXEC, IS_POOL } handle_kind;
enum { BUCKETS = 4096 };
typedef struct handle {
    struct handle *next;
    const void *of;
    handle_kind kind;
} handle;
static handle *handles[BUCKETS];

static handle **find_handle(const void *of)
{
    handle **link = &handles[mixed((uintptr_t)of, 0) % BUCKETS];
    while (*link && (*link)->of != of)
        link = &(*link)->next;
    return link;
}

static void *know(void *of, handle_kind kind)
{
    handle **link = find_handle(of);
    if (*link)
        wrong("fake", "handle known twice");
    *link = zeros(1, sizeof **link);
    **link = (handle){NULL, of, kind};
    return of;
}

static void forget(const void *of)
{
    handle **link = find_handle(of), *gone = *link;
    *link = gone->next;
    free(gone);
}

static void check_handle(const char *call, const void *of, handle_kind kind)
{
    handle *h = *find_handle(of);
    if (!h || h->kind != kind)
        wrong(call, "handle %p is not one of its kind (%d): never was, or was destroyed", of, (int)kind);
}

static struct CUstream_st *check_stream(const char *call, cudaStream_t stream)
{
    if (stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        wrong(call, "on the legacy stream");
    check_handle(call, stream, IS_STREAM);
    if (stream->gone)
        wrong(call, "on a stream that was destroyed");
    return stream;
}

/* ---- memory ---- */

static range *range_of(const void *memory)
{
    const unsigned char *at = memory;
    for (range *r = ranges; r; r = r->next)
        if (at >= r->from && at < r->from + r->bytes)
            return r;
    return NULL;
}

static void add_range(void *memory, size_t bytes, enum cudaMemoryType type, int origin)
{
    range *r = zeros(1, sizeof *r);
    r->next = ranges;
    r->from = memory;
    r->bytes = bytes;
    r->type = type;
    r->origin = origin;
    ranges = r;
}

static void drop_range(const char *call, void *memory, int origin)
{
    range **link = &ranges;
    while (*link && !((*link)->from == memory && (*link)->origin == origin))
        link = &(*link)->next;
    if (!*link)
        wrong(call, "memory %p is not what such a call gave", memory);
    range *gone = *link;
    *link = gone->next;
    free(gone);
}

/* Device or host; what CUDA does not know is host's. A run of bytes lies within one range. */
static enum cudaMemoryType type_of(const char *call, const void *memory, size_t bytes)
{
    const range *r = range_of(memory);
    if (bytes == 0)
        wrong(call, "no bytes");
    if (!r) {
        if (range_of((const unsigned char *)memory + bytes - 1))
            wrong(call, "%zu bytes at %p begin outside of memory that CUDA knows and end in it", bytes, memory);
        return cudaMemoryTypeUnregistered;
    }
    if ((const unsigned char *)memory + bytes > r->from + r->bytes)
        wrong(call, "%zu bytes at %p go %zu past the end of their memory", bytes, memory, (size_t)((const unsigned char *)memory + bytes - (r->from + r->bytes)));
    return r->type;
}

static void check_copy(const char *call, enum cudaMemoryType to, enum cudaMemoryType from, enum cudaMemcpyKind kind)
{
    bool to_device = to == cudaMemoryTypeDevice, from_device = from == cudaMemoryTypeDevice;
    if (!to_device && !from_device)
        wrong(call, "a copy from host to host: the caller would wait for it");
    if (kind == cudaMemcpyDefault)
        return;
    if (kind != (to_device ? from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost))
        wrong(call, "kind %d of a copy from memory of type %d to type %d", (int)kind, (int)from, (int)to);
}

static size_t box_bytes(const struct cudaPitchedPtr *p, const struct cudaExtent *e)
{
    return (e->depth - 1) * p->pitch * p->ysize + (e->height - 1) * p->pitch + e->width;
}

static unsigned char *box_first(const struct cudaPitchedPtr *p, const struct cudaPos *pos)
{
    return (unsigned char *)p->ptr + pos->z * p->pitch * p->ysize + pos->y * p->pitch + pos->x;
}

static void check_side(const char *call, const struct cudaPitchedPtr *p, const struct cudaPos *pos, const struct cudaExtent *e)
{
    if (pos->x + e->width > p->pitch && (e->height > 1 || e->depth > 1))
        wrong(call, "a row of %zu bytes at a pitch of %zu", pos->x + e->width, p->pitch);
    if (p->pitch < e->width)
        wrong(call, "a pitch of %zu for rows of %zu", p->pitch, e->width);
    if (e->depth > 1 && pos->y + e->height > p->ysize)
        wrong(call, "%zu rows of a slice that has %zu", pos->y + e->height, p->ysize);
}

/* ---- acts ---- */

static act *make_act(act_kind kind)
{
    act *a = zeros(1, sizeof *a);
    a->kind = kind;
    a->refs = 1;
    return a;
}

static act *hold(act *a)
{
    a->refs++;
    return a;
}

static void drop_act(act *a)
{
    if (--a->refs > 0)
        return;
    for (uint16_t i = 0; a->args && i < a->kernel->arg_count; i++)
        free(a->args[i]);
    free(a->args);
    free(a->batch);
    free(a);
}

static const weir_kernel **kernels;
static size_t kernel_count, kernel_room;

static const weir_kernel *known_kernel(const void *function)
{
    for (size_t i = 0; i < kernel_count; i++)
        if ((const void *)kernels[i] == function)
            return kernels[i];
    return NULL;
}

static cudaError_t kernel_act(const char *call, const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, act **out)
{
    const weir_kernel *k = known_kernel(function);
    if (!k)
        wrong(call, "%p is no kernel", function);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
        return cudaErrorInvalidConfiguration;
    if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535 || (uint64_t)block.x * block.y * block.z > BLOCK_MOST || block.z > 64 || shared > SHARED_MOST)
        return cudaErrorInvalidConfiguration;
    act *a = make_act(ACT_KERNEL);
    a->kernel = k;
    a->grid = grid;
    a->block = block;
    a->shared = shared;
    a->args = zeros(k->arg_count, sizeof *a->args);
    for (uint16_t i = 0; i < k->arg_count; i++) {
        a->args[i] = zeros(k->arg_bytes[i], 1);
        memcpy(a->args[i], args[i], k->arg_bytes[i]);
    }
    *out = a;
    return cudaSuccess;
}

static act *line_act(const char *call, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    act *a = make_act(ACT_LINE);
    a->to = to;
    a->from = from;
    a->bytes = bytes;
    a->to_kind = (int)type_of(call, to, bytes);
    a->from_kind = (int)type_of(call, from, bytes);
    check_copy(call, (enum cudaMemoryType)a->to_kind, (enum cudaMemoryType)a->from_kind, kind);
    if ((const unsigned char *)to < (const unsigned char *)from + bytes && (const unsigned char *)from < (const unsigned char *)to + bytes)
        wrong(call, "a copy onto itself");
    return a;
}

static act *box_act(const char *call, const struct cudaMemcpy3DParms *p)
{
    if (p->srcArray || p->dstArray || !p->srcPtr.ptr || !p->dstPtr.ptr || p->extent.width == 0 || p->extent.height == 0 || p->extent.depth == 0)
        wrong(call, "not a copy between pitched memories");
    check_side(call, &p->srcPtr, &p->srcPos, &p->extent);
    check_side(call, &p->dstPtr, &p->dstPos, &p->extent);
    act *a = make_act(ACT_BOX);
    a->box = *p;
    a->to_kind = (int)type_of(call, box_first(&p->dstPtr, &p->dstPos), box_bytes(&p->dstPtr, &p->extent));
    a->from_kind = (int)type_of(call, box_first(&p->srcPtr, &p->srcPos), box_bytes(&p->srcPtr, &p->extent));
    check_copy(call, (enum cudaMemoryType)a->to_kind, (enum cudaMemoryType)a->from_kind, p->kind);
    if (a->to_kind == cudaMemoryTypeUnregistered || a->from_kind == cudaMemoryTypeUnregistered)
        wrong(call, "memory that is not pinned");
    return a;
}

static act *fill_act(const char *call, const struct cudaMemsetParams *p)
{
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        wrong(call, "elements of %u bytes", p->elementSize);
    if (p->width == 0 || p->height == 0)
        wrong(call, "no elements");
    if ((uintptr_t)p->dst % p->elementSize != 0 || (p->height > 1 && p->pitch % p->elementSize != 0))
        wrong(call, "elements of %u bytes at %p, pitch %zu: not aligned", p->elementSize, p->dst, p->pitch);
    if (p->height > 1 && p->pitch < p->width * p->elementSize)
        wrong(call, "a pitch of %zu for rows of %zu", p->pitch, p->width * p->elementSize);
    if (p->elementSize < 4 && p->value >> 8 * p->elementSize != 0)
        wrong(call, "value %x for elements of %u bytes", p->value, p->elementSize);
    act *a = make_act(ACT_FILL);
    a->to_kind = (int)type_of(call, p->dst, (p->height - 1) * p->pitch + p->width * p->elementSize);
    if (a->to_kind == cudaMemoryTypeUnregistered)
        wrong(call, "memory that CUDA does not know");
    a->fill = *p;
    return a;
}

static act *batch_act(const char *call, unsigned count, const CUstreamBatchMemOpParams *operations)
{
    if (count == 0 || count > BATCH_MOST)
        wrong(call, "%u operations", count);
    act *a = make_act(ACT_BATCH);
    a->batch = zeros(count, sizeof *a->batch);
    a->batch_count = count;
    memcpy(a->batch, operations, count * sizeof *operations);
    for (unsigned i = 0; i < count; i++) {
        const CUstreamBatchMemOpParams *o = &operations[i];
        uintptr_t address = (uintptr_t)(o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? o->writeValue.address : o->waitValue.address);
        if (o->operation != CU_STREAM_MEM_OP_WRITE_VALUE_32 && o->operation != CU_STREAM_MEM_OP_WAIT_VALUE_32)
            wrong(call, "operation %d", (int)o->operation);
        if (address % 4 != 0 || type_of(call, (const void *)address, 4) == cudaMemoryTypeUnregistered) // NOLINT(performance-no-int-to-ptr)
            wrong(call, "a word at %p", (void *)address); // NOLINT(performance-no-int-to-ptr)
        if (o->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 && o->waitValue.flags != CU_STREAM_WAIT_VALUE_EQ && o->waitValue.flags != CU_STREAM_WAIT_VALUE_GEQ)
            wrong(call, "wait flags %x", o->waitValue.flags);
        if (o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 && o->writeValue.flags != CU_STREAM_WRITE_VALUE_DEFAULT)
            wrong(call, "write flags %x", o->writeValue.flags);
    }
    return a;
}

static void check_run(const void *memory, size_t bytes, int kind)
{
    if ((int)type_of("a copy or fill that runs", memory, bytes) != kind)
        wrong("a copy or fill that runs", "its memory at %p was given back", memory);
}

/* What it was launched with is still there. */
static void check_still_there(const act *a)
{
    const struct cudaMemcpy3DParms *box = &a->box;
    if (a->kind == ACT_LINE) {
        check_run(a->to, a->bytes, a->to_kind);
        check_run(a->from, a->bytes, a->from_kind);
    } else if (a->kind == ACT_BOX) {
        check_run(box_first(&box->dstPtr, &box->dstPos), box_bytes(&box->dstPtr, &box->extent), a->to_kind);
        check_run(box_first(&box->srcPtr, &box->srcPos), box_bytes(&box->srcPtr, &box->extent), a->from_kind);
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
    unsigned char *to = box_first(&p->dstPtr, &p->dstPos);
    const unsigned char *from = box_first(&p->srcPtr, &p->srcPos);
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
static void run_act(const act *a)
{
    uint64_t luck = draw();
    check_still_there(a);
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    if (a->kind == ACT_FREE) {
        drop_range("cudaFreeAsync", a->to, FROM_POOL);
        free(a->to);
    }
}

/* ---- memory operations ---- */

static uint32_t *word_at(CUdeviceptr address)
{
    return (uint32_t *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

static bool batch_can(const act *a, unsigned step)
{
    const CUstreamBatchMemOpParams *o = &a->batch[step];
    if (o->operation != CU_STREAM_MEM_OP_WAIT_VALUE_32)
        return true;
    uint32_t value = __atomic_load_n(word_at(o->waitValue.address), __ATOMIC_ACQUIRE);
    return o->waitValue.flags == CU_STREAM_WAIT_VALUE_EQ ? value == o->waitValue.value : (int32_t)(value - o->waitValue.value) >= 0;
}

static void batch_step(const act *a, unsigned step)
{
    const CUstreamBatchMemOpParams *o = &a->batch[step];
    if (type_of("memory operation that runs", word_at(o->writeValue.address), 4) == cudaMemoryTypeUnregistered)
        wrong("memory operation that runs", "its memory was given back");
    if (o->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32)
        __atomic_store_n(word_at(o->writeValue.address), o->writeValue.value, __ATOMIC_RELEASE);
}

/* ---- marks ---- */

static void drop_mark(mark *m)
{
    if (m && --m->refs == 0)
        free(m);
}

/* ---- runs of graphs ---- */

static void drop_exec(struct CUgraphExec_st *exec)
{
    if (--exec->refs > 0)
        return;
    for (size_t i = 0; i < exec->count; i++) {
        drop_act(exec->node[i].does);
        free(exec->after[i]);
    }
    free(exec->node);
    free(exec->after);
    free(exec->after_count);
    free(exec);
}

static graph_run *make_run(struct CUgraphExec_st *exec)
{
    graph_run *run = zeros(1, sizeof *run);
    size_t count = exec->count;
    run->exec = exec;
    exec->refs++;
    run->number = exec->launched++;
    run->does = zeros(count, sizeof *run->does);
    run->vanished = zeros(count, sizeof *run->vanished);
    run->started = zeros(count, sizeof *run->started);
    run->waits_for = zeros(count, sizeof *run->waits_for);
    run->step = zeros(count, sizeof *run->step);
    run->ready = zeros(count, sizeof *run->ready);
    run->left = count;
    for (size_t i = 0; i < count; i++) {
        act *does = exec->node[i].does;
        run->does[i] = exec->node[i].enabled ? hold(does) : NULL;
        /* Seen with driver 580: a copy or fill that is off keeps no order. */
        run->vanished[i] = !exec->node[i].enabled && does->kind != ACT_KERNEL;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t d = 0; d < exec->after_count[i]; d++)
            run->waits_for[i] += !run->vanished[exec->after[i][d]];
        if (run->waits_for[i] == 0)
            run->ready[run->ready_count++] = i;
    }
    return run;
}

static void drop_run(graph_run *run)
{
    for (size_t i = 0; i < run->exec->count; i++)
        if (run->does[i])
            drop_act(run->does[i]);
    free(run->does);
    free(run->vanished);
    free(run->started);
    free(run->waits_for);
    free(run->step);
    free(run->ready);
    drop_exec(run->exec);
    free(run);
}

static void end_node(graph_run *run, size_t node)
{
    const struct CUgraphExec_st *exec = run->exec;
    for (size_t i = 0; i < run->ready_count; i++)
        if (run->ready[i] == node) {
            run->ready[i] = run->ready[--run->ready_count];
            break;
        }
    run->left--;
    for (size_t i = 0; i < exec->count && !run->vanished[node]; i++)
        for (size_t d = 0; d < exec->after_count[i]; d++)
            if (exec->after[i][d] == node && --run->waits_for[i] == 0)
                run->ready[run->ready_count++] = i;
}

/* ---- executors ---- */

typedef struct {
    struct CUstream_st *stream;
    size_t node; /* SIZE_MAX: the operation itself */
    uint64_t key;
} candidate;

static candidate *candidates;
static size_t candidate_count, candidate_room;

static void suggest(struct CUstream_st *stream, size_t node)
{
    candidates = grow(candidates, candidate_count, &candidate_room, sizeof *candidates);
    candidates[candidate_count++] = (candidate){stream, node, node == SIZE_MAX ? stream->id : mixed(node, 77)};
}

/* True if it waits for a word of the host's. */
static bool suggest_nodes(struct CUstream_st *s, const graph_run *run)
{
    bool waits = false;
    for (size_t i = 0; i < run->ready_count; i++) {
        size_t node = run->ready[i];
        if (run->started[node])
            continue;
        bool can = !run->does[node] || run->does[node]->kind != ACT_BATCH || batch_can(run->does[node], run->step[node]);
        waits |= !can;
        if (can)
            suggest(s, node);
    }
    return waits;
}

static bool suggest_of(struct CUstream_st *s)
{
    operation *o = s->first;
    if (!o || (o->running && o->kind != OP_GRAPH))
        return false;
    if (o->kind == OP_GRAPH && o->running)
        return suggest_nodes(s, o->run);
    if (o->kind == OP_GRAPH && o->run->exec->done != o->run->number)
        return false;
    if (o->kind == OP_WAIT && !o->at->done)
        return false;
    if (o->kind == OP_ACT && o->does->kind == ACT_BATCH && !batch_can(o->does, o->step))
        return true;
    suggest(s, SIZE_MAX);
    return false;
}

/* Some streams and nodes are favoured for a while, so that others fall far behind; or none are. */
static candidate choose(void)
{
    size_t best = draw() % candidate_count;
    if (draw() % 32 == 0)
        epoch = draw();
    if (epoch % 2 == 0)
        return candidates[best];
    for (size_t i = 0; i < candidate_count; i++)
        if (mixed(candidates[i].key, epoch) > mixed(candidates[best].key, epoch))
            best = i;
    return candidates[best];
}

static void end_operation(struct CUstream_st *s)
{
    operation *o = s->first;
    s->first = o->next;
    if (!s->first)
        s->last = NULL;
    s->count--;
    if (o->does)
        drop_act(o->does);
    drop_mark(o->at);
    if (o->run) {
        o->run->exec->done++;
        drop_run(o->run);
    }
    free(o);
    if (s->gone && s->count == 0) {
        struct CUstream_st **link = &streams;
        while (*link != s)
            link = &(*link)->next;
        *link = s->next;
        free(s);
    }
    pthread_cond_broadcast(&done);
}

static void run_node(struct CUstream_st *s, size_t node)
{
    graph_run *run = s->first->run;
    act *does = run->does[node];
    if (does && does->kind == ACT_BATCH) {
        batch_step(does, run->step[node]++);
        if (run->step[node] < does->batch_count)
            return;
    } else if (does && does->kind != ACT_NOTHING) {
        run->started[node] = true;
        run_act(does);
    }
    end_node(run, node);
    if (run->left == 0)
        end_operation(s);
}

static void run_operation(struct CUstream_st *s)
{
    operation *o = s->first;
    if (o->kind == OP_ACT && o->does->kind == ACT_BATCH) {
        batch_step(o->does, o->step++);
        if (o->step < o->does->batch_count)
            return;
    } else if (o->kind == OP_ACT) {
        o->running = true;
        run_act(o->does);
    } else if (o->kind == OP_RECORD) {
        o->at->done = true;
        o->at->when_ns = now_ns();
    } else if (o->kind == OP_GRAPH) {
        o->running = true;
        if (o->run->left > 0)
            return;
    }
    end_operation(s);
}

static void *execute(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        bool waits = false;
        candidate_count = 0;
        for (struct CUstream_st *s = streams; s; s = s->next)
            waits |= suggest_of(s);
        waits |= suggest_of(&legacy);
        if (candidate_count > 0) {
            candidate c = choose();
            if (candidate_count > 1 || waits)
                pthread_cond_signal(&work);
            if (c.node == SIZE_MAX)
                run_operation(c.stream);
            else
                run_node(c.stream, c.node);
        } else if (waits && polling == 0) { /* nobody tells of words of the host's */
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += 50000;
            if (until.tv_nsec >= 1000000000) {
                until.tv_sec++;
                until.tv_nsec -= 1000000000;
            }
            polling++;
            pthread_cond_timedwait(&work, &lock, &until);
            polling--;
        } else {
            pthread_cond_wait(&work, &lock);
        }
    }
    return NULL;
}

static void start(void)
{
    if (started)
        return;
    started = true;
    const char *text = getenv("FAKE_CUDA_SEED");
    random_state = mixed(text && *text ? strtoull(text, NULL, 10) : 1, 1) | 1;
    text = getenv("FAKE_CUDA_EXECUTORS");
    for (unsigned long i = text && *text ? strtoul(text, NULL, 10) : 4; i > 0; i--) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, execute, NULL) != 0)
            wrong("pthread_create", "no thread");
        pthread_detach(thread);
    }
}

/* ---- waiting ---- */

/* Until all that was launched so far is done; stream NULL: of all streams. */
static void wait_for_operations(const struct CUstream_st *stream)
{
    uint64_t last = numbers;
    for (;;) {
        bool busy = false;
        for (const struct CUstream_st *s = streams; s; s = s->next)
            busy |= (!stream || s == stream) && s->first && s->first->number < last;
        busy |= (!stream || stream == &legacy) && legacy.first && legacy.first->number < last;
        if (!busy)
            return;
        pthread_cond_wait(&done, &lock);
    }
}

static void launch(struct CUstream_st *s, operation with)
{
    start();
    while (s->count >= QUEUE_MOST)
        pthread_cond_wait(&done, &lock);
    operation *o = zeros(1, sizeof *o);
    *o = with;
    o->number = numbers++;
    if (s->last)
        s->last->next = o;
    else
        s->first = o;
    s->last = o;
    s->count++;
    pthread_cond_signal(&work);
}

/* ---- captures ---- */

static capture *captures[64];

/* A call that CUDA may not be asked while this thread, or for careless ones any, captures. */
static void careful(const char *call)
{
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        const capture *c = captures[i];
        if (!c)
            continue;
        bool mine = pthread_equal(c->thread, pthread_self());
        if (thread_mode == cudaStreamCaptureModeRelaxed || c->mode == cudaStreamCaptureModeRelaxed)
            continue;
        if (mine || (c->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal))
            wrong(call, "breaks a capture of %s", mine ? "this thread" : "another thread");
    }
}

static bool has_node(const node_set *set, const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->at[i] == node)
            return true;
    return false;
}

static void add_to(node_set *set, cudaGraphNode_t node)
{
    if (has_node(set, node))
        return;
    set->at = grow(set->at, set->count, &set->room, sizeof(cudaGraphNode_t));
    set->at[set->count++] = node;
}

static cudaGraphNode_t add_node(const char *call, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, act *does)
{
    check_handle(call, graph, IS_GRAPH);
    if (count > 0 && !after)
        wrong(call, "%zu dependencies that are NULL", count);
    struct CUgraphNode_st *node = know(zeros(1, sizeof *node), IS_NODE);
    node->graph = graph;
    node->index = graph->count;
    node->does = does;
    for (size_t i = 0; i < count; i++) {
        check_handle(call, after[i], IS_NODE);
        if (after[i]->graph != graph)
            wrong(call, "depends on a node of another graph");
        if (has_node(&node->after, after[i]))
            wrong(call, "depends on a node twice");
        add_to(&node->after, after[i]);
    }
    graph->edges += count;
    graph->node = grow(graph->node, graph->count, &graph->room, sizeof *graph->node);
    graph->node[graph->count++] = node;
    return node;
}

/* An act goes into the stream, or into the graph that it is captured into. */
static void put(const char *call, struct CUstream_st *s, act *does)
{
    if (!s->captured) {
        launch(s, (operation){.kind = OP_ACT, .does = does});
        return;
    }
    cudaGraphNode_t node = add_node(call, s->captured->graph, s->follows.at, s->follows.count, does);
    node->captured = true;
    s->follows.count = 0;
    add_to(&s->follows, node);
}

static void leave_capture(struct CUstream_st *s)
{
    s->captured = NULL;
    s->follows.count = 0;
}

static void reach(cudaGraphNode_t node)
{
    if (node->reached)
        return;
    node->reached = true;
    for (size_t i = 0; i < node->after.count; i++)
        reach(node->after.at[i]);
}

static bool all_joined(const capture *c)
{
    for (size_t i = 0; i < c->origin->follows.count; i++)
        reach(c->origin->follows.at[i]);
    for (size_t i = 0; i < c->graph->count; i++)
        if (c->graph->node[i]->captured && !c->graph->node[i]->reached)
            return false;
    for (struct CUstream_st *s = streams; s; s = s->next)
        for (size_t i = 0; s->captured == c && i < s->follows.count; i++)
            if (!s->follows.at[i]->reached)
                return false;
    return true;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaStreamBeginCapture", stream);
    if (s->captured)
        wrong("cudaStreamBeginCapture", "is captured already");
    capture *c = zeros(1, sizeof *c);
    struct CUgraph_st *graph = know(zeros(1, sizeof *graph), IS_GRAPH);
    graph->id = numbers++;
    *c = (capture){numbers++, graph, s, mode, pthread_self()};
    size_t i = 0;
    while (captures[i])
        if (++i == sizeof captures / sizeof *captures)
            wrong("cudaStreamBeginCapture", "too many captures for the fake");
    captures[i] = c;
    s->captured = c;
    s->follows.count = 0;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static void destroy_graph(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        forget(graph->node[i]);
        drop_act(graph->node[i]->does);
        free(graph->node[i]->after.at);
        free(graph->node[i]);
    }
    free(graph->node);
    forget(graph);
    free(graph);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaStreamEndCapture", stream);
    capture *c = s->captured;
    if (!c || c->origin != s)
        wrong("cudaStreamEndCapture", "not where a capture began");
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        wrong("cudaStreamEndCapture", "another thread began it");
    bool joined = all_joined(c);
    for (struct CUstream_st *t = streams; t; t = t->next)
        if (t->captured == c)
            leave_capture(t);
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++)
        if (captures[i] == c)
            captures[i] = NULL;
    *graph = c->graph;
    if (!joined) {
        destroy_graph(c->graph);
        *graph = NULL;
    }
    free(c);
    pthread_mutex_unlock(&lock);
    return joined ? cudaSuccess : give(cudaErrorStreamCaptureUnjoined);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data, size_t *count)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaStreamGetCaptureInfo", stream);
    *status = s->captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (s->captured) {
        if (id)
            *id = s->captured->id;
        if (graph)
            *graph = s->captured->graph;
        if (nodes)
            *nodes = s->follows.at;
        s->edge_data = grow(s->edge_data, s->follows.count, &s->edge_room, sizeof *s->edge_data);
        memset(s->edge_data, 0, s->edge_room * sizeof *s->edge_data);
        if (data)
            *data = s->edge_data;
        if (count)
            *count = s->follows.count;
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t count, unsigned int flags)
{
    (void)data;
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaStreamUpdateCaptureDependencies", stream);
    if (!s->captured)
        wrong("cudaStreamUpdateCaptureDependencies", "is not captured");
    if (flags == cudaStreamSetCaptureDependencies)
        s->follows.count = 0;
    else if (flags != cudaStreamAddCaptureDependencies)
        wrong("cudaStreamUpdateCaptureDependencies", "flags %u", flags);
    for (size_t i = 0; i < count; i++) {
        check_handle("cudaStreamUpdateCaptureDependencies", nodes[i], IS_NODE);
        if (nodes[i]->graph != s->captured->graph)
            wrong("cudaStreamUpdateCaptureDependencies", "a node of another graph");
        add_to(&s->follows, nodes[i]);
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    if (flags != cudaStreamNonBlocking)
        wrong("cudaStreamCreateWithPriority", "not a non-blocking stream");
    if (priority > 0 || priority < PRIORITY_GREATEST)
        wrong("cudaStreamCreateWithPriority", "priority %d", priority);
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = know(zeros(1, sizeof *s), IS_STREAM);
    s->id = numbers++;
    s->next = streams;
    streams = s;
    *stream = s;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaStreamDestroy", stream);
    if (s->captured)
        wrong("cudaStreamDestroy", "is captured");
    forget(s);
    free(s->follows.at);
    free(s->edge_data);
    s->gone = true;
    if (s->count == 0) {
        struct CUstream_st **link = &streams;
        while (*link != s)
            link = &(*link)->next;
        *link = s->next;
        free(s);
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static struct CUstream_st *asked_stream(const char *call, cudaStream_t stream)
{
    if (stream == cudaStreamLegacy)
        return &legacy;
    struct CUstream_st *s = check_stream(call, stream);
    if (s->captured)
        wrong(call, "is captured");
    return s;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    careful("cudaStreamSynchronize");
    wait_for_operations(asked_stream("cudaStreamSynchronize", stream));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    careful("cudaStreamQuery");
    bool idle = asked_stream("cudaStreamQuery", stream)->count == 0;
    pthread_mutex_unlock(&lock);
    return idle ? cudaSuccess : give(cudaErrorNotReady);
}

cudaError_t cudaDeviceSynchronize(void)
{
    pthread_mutex_lock(&lock);
    careful("cudaDeviceSynchronize");
    wait_for_operations(NULL);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (flags != cudaEventDefault && flags != cudaEventDisableTiming)
        wrong("cudaEventCreateWithFlags", "flags %u", flags);
    pthread_mutex_lock(&lock);
    struct CUevent_st *e = know(zeros(1, sizeof *e), IS_EVENT);
    e->times = flags == cudaEventDefault;
    *event = e;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaEventDestroy", event, IS_EVENT);
    forget(event);
    drop_mark(event->at);
    free(event->nodes.at);
    free(event);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaEventRecord", stream);
    check_handle("cudaEventRecord", event, IS_EVENT);
    drop_mark(event->at);
    event->at = NULL;
    event->nodes.count = 0;
    event->capture_id = 0;
    if (s->captured) {
        event->capture_id = s->captured->id;
        for (size_t i = 0; i < s->follows.count; i++)
            add_to(&event->nodes, s->follows.at[i]);
    } else {
        event->at = zeros(1, sizeof *event->at);
        event->at->refs = 2;
        launch(s, (operation){.kind = OP_RECORD, .at = event->at});
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static capture *capture_of(uint64_t id)
{
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++)
        if (captures[i] && captures[i]->id == id)
            return captures[i];
    return NULL;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaStreamWaitEvent", stream);
    check_handle("cudaStreamWaitEvent", event, IS_EVENT);
    if (flags != 0)
        wrong("cudaStreamWaitEvent", "flags %u", flags);
    if (event->capture_id != 0) {
        capture *c = capture_of(event->capture_id);
        if (!c)
            wrong("cudaStreamWaitEvent", "for an event of a capture that has ended");
        if (s->captured && s->captured != c)
            wrong("cudaStreamWaitEvent", "joins two captures");
        s->captured = c;
        for (size_t i = 0; i < event->nodes.count; i++)
            add_to(&s->follows, event->nodes.at[i]);
    } else if (s->captured) {
        wrong("cudaStreamWaitEvent", "a captured stream, for an event that is not of the capture");
    } else if (event->at) {
        event->at->refs++;
        launch(s, (operation){.kind = OP_WAIT, .at = event->at});
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    pthread_mutex_lock(&lock);
    careful("cudaEventQuery");
    check_handle("cudaEventQuery", event, IS_EVENT);
    if (event->capture_id != 0)
        wrong("cudaEventQuery", "an event of a capture");
    bool is_done = !event->at || event->at->done;
    pthread_mutex_unlock(&lock);
    return is_done ? cudaSuccess : give(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    pthread_mutex_lock(&lock);
    careful("cudaEventSynchronize");
    check_handle("cudaEventSynchronize", event, IS_EVENT);
    if (event->capture_id != 0)
        wrong("cudaEventSynchronize", "an event of a capture");
    mark *m = event->at;
    if (m) {
        m->refs++;
        while (!m->done)
            pthread_cond_wait(&done, &lock);
        drop_mark(m);
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    cudaError_t result = cudaSuccess;
    pthread_mutex_lock(&lock);
    check_handle("cudaEventElapsedTime", from, IS_EVENT);
    check_handle("cudaEventElapsedTime", to, IS_EVENT);
    if (!from->times || !to->times || !from->at || !to->at)
        result = cudaErrorInvalidResourceHandle;
    else if (!from->at->done || !to->at->done)
        result = cudaErrorNotReady;
    else
        *ms = (float)((double)(to->at->when_ns - from->at->when_ns) / 1e6);
    pthread_mutex_unlock(&lock);
    return give(result);
}

/* ---- launches ---- */

static cudaError_t launch_kernel(const char *call, const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    act *does;
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream(call, stream);
    cudaError_t result = kernel_act(call, function, grid, block, args, shared, &does);
    if (result == cudaSuccess)
        put(call, s, does);
    pthread_mutex_unlock(&lock);
    return give(result);
}

cudaError_t cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    return launch_kernel("cudaLaunchKernel", function, grid, block, args, shared, stream);
}

static cudaError_t check_attribute(const char *call, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value, struct dim3 grid)
{
    if (id == cudaLaunchAttributeClusterDimension) {
        if (value->clusterDim.x == 0 || value->clusterDim.y == 0 || value->clusterDim.z == 0 || grid.x % value->clusterDim.x != 0 ||
            grid.y % value->clusterDim.y != 0 || grid.z % value->clusterDim.z != 0)
            return cudaErrorInvalidConfiguration;
    } else if (id == cudaLaunchAttributePriority) {
        if (value->priority > 0 || value->priority < PRIORITY_GREATEST)
            wrong(call, "priority %d", value->priority);
    } else if (id != cudaLaunchAttributeCooperative) {
        wrong(call, "attribute %d", (int)id);
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t result = check_attribute("cudaLaunchKernelExC", config->attrs[i].id, &config->attrs[i].val, config->gridDim);
        if (result != cudaSuccess)
            return give(result);
    }
    return launch_kernel("cudaLaunchKernelExC", function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream);
}

/* A copy that touches memory that is not pinned is over when the call returns. */
static void put_copy(const char *call, cudaStream_t stream, act *does)
{
    struct CUstream_st *s = check_stream(call, stream);
    bool pageable = does->to_kind == cudaMemoryTypeUnregistered || does->from_kind == cudaMemoryTypeUnregistered;
    if (pageable && s->captured)
        wrong(call, "of memory that is not pinned, captured");
    put(call, s, does);
    if (pageable)
        wait_for_operations(s);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    put_copy("cudaMemcpyAsync", stream, line_act("cudaMemcpyAsync", to, from, bytes, kind));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *params, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    put_copy("cudaMemcpy3DAsync", stream, box_act("cudaMemcpy3DAsync", params));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const struct cudaMemsetParams params = {.dst = to, .pitch = bytes, .value = (unsigned char)value, .elementSize = 1, .width = bytes, .height = 1};
    pthread_mutex_lock(&lock);
    put("cudaMemsetAsync", check_stream("cudaMemsetAsync", stream), fill_act("cudaMemsetAsync", &params));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    pthread_mutex_lock(&lock);
    act *does = make_act(ACT_HOST);
    does->host = function;
    does->user = user;
    put("cudaLaunchHostFunc", check_stream("cudaLaunchHostFunc", stream), does);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

int fake_cuda_launch_legacy(const weir_kernel *kernel, void **args)
{
    act *does;
    const struct dim3 one = {1, 1, 1};
    (void)fake_cuda_kernel(kernel);
    pthread_mutex_lock(&lock);
    cudaError_t result = kernel_act("launch into the legacy stream", kernel, one, one, args, 0, &does);
    if (result == cudaSuccess)
        put("launch into the legacy stream", &legacy, does);
    pthread_mutex_unlock(&lock);
    return (int)result;
}

/* ---- the driver's ---- */

static CUresult stream_batch(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations, unsigned int flags)
{
    pthread_mutex_lock(&lock);
    if (flags != 0)
        wrong("cuStreamBatchMemOp", "flags %u", flags);
    put("cuStreamBatchMemOp", check_stream("cuStreamBatchMemOp", stream), batch_act("cuStreamBatchMemOp", count, operations));
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static CUresult add_batch_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    pthread_mutex_lock(&lock);
    if ((void *)params->ctx != (void *)&context)
        wrong("cuGraphAddBatchMemOpNode", "of another context");
    *node = add_node("cuGraphAddBatchMemOpNode", graph, after, count, batch_act("cuGraphAddBatchMemOpNode", params->count, params->paramArray));
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static CUresult current_context(CUcontext *out)
{
    *out = (CUcontext)(void *)&context;
    return CUDA_SUCCESS;
}

static CUresult context_state(CUdevice device, unsigned int *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
}

static CUresult fill(const char *call, CUdeviceptr to, size_t pitch, unsigned value, unsigned bytes, size_t width, size_t height, CUstream stream)
{
    struct cudaMemsetParams params = {.dst = word_at(to), .pitch = pitch, .value = value, .elementSize = bytes, .width = width, .height = height};
    pthread_mutex_lock(&lock);
    put(call, check_stream(call, stream), fill_act(call, &params));
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static CUresult fill_8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream)
{
    return fill("cuMemsetD2D8Async", to, pitch, value, 1, width, height, stream);
}

static CUresult fill_16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream)
{
    return fill("cuMemsetD2D16Async", to, pitch, value, 2, width, height, stream);
}

static CUresult fill_32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream)
{
    return fill("cuMemsetD2D32Async", to, pitch, value, 4, width, height, stream);
}

typedef void any_function(void);

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *state)
{
    static const struct {
        const char *name;
        any_function *function;
    } known[] = {
        {"cuStreamBatchMemOp", (any_function *)stream_batch},
        {"cuGraphAddBatchMemOpNode", (any_function *)add_batch_node},
        {"cuCtxGetCurrent", (any_function *)current_context},
        {"cuDevicePrimaryCtxGetState", (any_function *)context_state},
        {"cuMemsetD2D8Async", (any_function *)fill_8},
        {"cuMemsetD2D16Async", (any_function *)fill_16},
        {"cuMemsetD2D32Async", (any_function *)fill_32},
    };
    (void)version;
    (void)flags;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            memcpy(function, &known[i].function, sizeof *function);
            *state = cudaDriverEntryPointSuccess;
            return cudaSuccess;
        }
    wrong("cudaGetDriverEntryPointByVersion", "no %s in the fake", name);
}

/* ---- graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    (void)flags;
    pthread_mutex_lock(&lock);
    struct CUgraph_st *g = know(zeros(1, sizeof *g), IS_GRAPH);
    g->id = numbers++;
    *graph = g;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaGraphDestroy", graph, IS_GRAPH);
    destroy_graph(graph);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count)
{
    pthread_mutex_lock(&lock);
    *node = add_node("cudaGraphAddEmptyNode", graph, after, count, make_act(ACT_NOTHING));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaKernelNodeParams *p)
{
    act *does;
    pthread_mutex_lock(&lock);
    cudaError_t result = kernel_act("cudaGraphAddKernelNode", p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, &does);
    if (result == cudaSuccess)
        *node = add_node("cudaGraphAddKernelNode", graph, after, count, does);
    pthread_mutex_unlock(&lock);
    return give(result);
}

static act *check_pinned(const char *call, act *does)
{
    if (does->to_kind == cudaMemoryTypeUnregistered || does->from_kind == cudaMemoryTypeUnregistered)
        wrong(call, "memory that is not pinned");
    return does;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphAddMemcpyNode1D";
    pthread_mutex_lock(&lock);
    *node = add_node(call, graph, after, count, check_pinned(call, line_act(call, to, from, bytes, kind)));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemcpy3DParms *p)
{
    const char *call = "cudaGraphAddMemcpyNode";
    pthread_mutex_lock(&lock);
    *node = add_node(call, graph, after, count, box_act(call, p));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemsetParams *p)
{
    pthread_mutex_lock(&lock);
    *node = add_node("cudaGraphAddMemsetNode", graph, after, count, fill_act("cudaGraphAddMemsetNode", p));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaGraphKernelNodeSetAttribute", node, IS_NODE);
    cudaError_t result = node->does->kind != ACT_KERNEL ? cudaErrorInvalidValue : check_attribute("cudaGraphKernelNodeSetAttribute", id, value, node->does->grid);
    pthread_mutex_unlock(&lock);
    return give(result);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaGraphGetNodes", graph, IS_GRAPH);
    for (size_t i = 0; nodes && i < *count && i < graph->count; i++)
        nodes[i] = graph->node[i];
    *count = graph->count;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *count)
{
    (void)data;
    pthread_mutex_lock(&lock);
    check_handle("cudaGraphGetEdges", graph, IS_GRAPH);
    if (from || to)
        wrong("cudaGraphGetEdges", "the fake only counts");
    *count = graph->edges;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static struct CUgraphExec_st *make_exec(cudaGraph_t graph)
{
    struct CUgraphExec_st *exec = know(zeros(1, sizeof *exec), IS_EXEC);
    exec->graph_id = graph->id;
    exec->refs = 1;
    exec->count = graph->count;
    exec->node = zeros(graph->count, sizeof *exec->node);
    exec->after = zeros(graph->count, sizeof *exec->after);
    exec->after_count = zeros(graph->count, sizeof *exec->after_count);
    for (size_t i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *node = graph->node[i];
        exec->node[i] = (exec_node){hold(node->does), true};
        exec->after_count[i] = node->after.count;
        exec->after[i] = zeros(node->after.count, sizeof **exec->after);
        for (size_t d = 0; d < node->after.count; d++)
            exec->after[i][d] = node->after.at[d]->index;
    }
    return exec;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaGraphInstantiate", graph, IS_GRAPH);
    if (params->flags != 0 && params->flags != cudaGraphInstantiateFlagUseNodePriority)
        wrong("cudaGraphInstantiate", "flags %llu", params->flags);
    *exec = make_exec(graph);
    params->result_out = cudaGraphInstantiateSuccess;
    params->errNode_out = NULL;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaGraphExecDestroy", exec, IS_EXEC);
    forget(exec);
    drop_exec(exec);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static exec_node *exec_node_of(const char *call, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    check_handle(call, exec, IS_EXEC);
    check_handle(call, node, IS_NODE);
    if (node->graph->id != exec->graph_id)
        wrong(call, "a node of another graph than the exec was made from");
    return &exec->node[node->index];
}

static void change(exec_node *node, act *does)
{
    drop_act(node->does);
    node->does = does;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    const char *call = "cudaGraphExecKernelNodeSetParams";
    act *does;
    pthread_mutex_lock(&lock);
    exec_node *of = exec_node_of(call, exec, node);
    cudaError_t result = of->does->kind == ACT_KERNEL ? kernel_act(call, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, &does) : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        change(of, does);
    pthread_mutex_unlock(&lock);
    return give(result);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const char *call = "cudaGraphExecMemcpyNodeSetParams1D";
    pthread_mutex_lock(&lock);
    exec_node *of = exec_node_of(call, exec, node);
    if (of->does->kind != ACT_LINE)
        wrong(call, "not a node that copies a line");
    act *does = check_pinned(call, line_act(call, to, from, bytes, kind));
    if (does->to_kind != of->does->to_kind || does->from_kind != of->does->from_kind)
        wrong(call, "another kind of memory than before");
    change(of, does);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
    const char *call = "cudaGraphExecMemsetNodeSetParams";
    pthread_mutex_lock(&lock);
    exec_node *of = exec_node_of(call, exec, node);
    if (of->does->kind != ACT_FILL)
        wrong(call, "not a node that fills");
    const struct cudaMemsetParams *before = &of->does->fill;
    if (before->width != p->width || before->height != p->height || before->elementSize != p->elementSize || (p->height > 1 && before->pitch != p->pitch))
        wrong(call, "another shape than before");
    change(of, fill_act(call, p));
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    const char *call = "cudaGraphNodeSetEnabled";
    pthread_mutex_lock(&lock);
    exec_node *of = exec_node_of(call, exec, node);
    act_kind kind = of->does->kind;
    cudaError_t result = kind == ACT_KERNEL || kind == ACT_FILL || kind == ACT_LINE || kind == ACT_BOX ? cudaSuccess : cudaErrorInvalidValue;
    if (result == cudaSuccess)
        of->enabled = enabled != 0;
    pthread_mutex_unlock(&lock);
    return give(result);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *s = check_stream("cudaGraphLaunch", stream);
    check_handle("cudaGraphLaunch", exec, IS_EXEC);
    if (s->captured)
        wrong("cudaGraphLaunch", "into a captured stream");
    launch(s, (operation){.kind = OP_GRAPH, .run = make_run(exec)});
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* ---- memory calls ---- */

static void *new_memory(size_t bytes, enum cudaMemoryType type, int origin)
{
    void *memory = NULL;
    if (bytes == 0)
        wrong("allocation", "of no bytes");
    if (bytes > (size_t)1 << 40)
        return NULL;
    memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory)
        return NULL;
    memset(memory, 0xa5, bytes); /* what is there before is anybody's guess */
    add_range(memory, bytes, type, origin);
    return memory;
}

static cudaError_t allocate(const char *call, void **out, size_t bytes, enum cudaMemoryType type, int origin)
{
    pthread_mutex_lock(&lock);
    if (origin != FROM_POOL)
        careful(call);
    *out = new_memory(bytes, type, origin);
    pthread_mutex_unlock(&lock);
    return *out ? cudaSuccess : give(cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    return allocate("cudaMalloc", out, bytes, cudaMemoryTypeDevice, FROM_MALLOC);
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned int flags)
{
    (void)flags;
    return allocate("cudaHostAlloc", out, bytes, cudaMemoryTypeHost, FROM_HOST_ALLOC);
}

/* Waits for all that was launched. */
static cudaError_t give_back(const char *call, void *memory, int origin)
{
    pthread_mutex_lock(&lock);
    careful(call);
    if (memory) {
        wait_for_operations(NULL);
        drop_range(call, memory, origin);
        free(memory);
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
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
        wrong("pipe", "no pipe");
    for (size_t at = 0; at < bytes && can; at += PAGE)
        can = syscall(SYS_write, ends[1], memory + at, (size_t)1) == 1 && read(ends[0], &unused, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    cudaError_t result = cudaSuccess;
    (void)flags;
    pthread_mutex_lock(&lock);
    careful("cudaHostRegister");
    for (const range *r = ranges; r; r = r->next)
        if ((unsigned char *)memory < r->from + r->bytes && r->from < (unsigned char *)memory + bytes)
            result = cudaErrorHostMemoryAlreadyRegistered;
    if (result == cudaSuccess && !can_touch(memory, bytes))
        result = cudaErrorInvalidValue;
    if (result == cudaSuccess)
        add_range(memory, bytes, cudaMemoryTypeHost, FROM_REGISTER);
    pthread_mutex_unlock(&lock);
    return give(result);
}

cudaError_t cudaHostUnregister(void *memory)
{
    pthread_mutex_lock(&lock);
    careful("cudaHostUnregister");
    drop_range("cudaHostUnregister", memory, FROM_REGISTER);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    if (properties->allocType != cudaMemAllocationTypePinned || properties->location.type != cudaMemLocationTypeDevice)
        wrong("cudaMemPoolCreate", "not of device memory");
    pthread_mutex_lock(&lock);
    *pool = know(zeros(1, sizeof **pool), IS_POOL);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    (void)value;
    pthread_mutex_lock(&lock);
    check_handle("cudaMemPoolSetAttribute", pool, IS_POOL);
    pthread_mutex_unlock(&lock);
    return attribute == cudaMemPoolAttrReleaseThreshold ? cudaSuccess : give(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaMemPoolDestroy", pool, IS_POOL);
    for (const range *r = ranges; r; r = r->next)
        if (r->origin == FROM_POOL)
            wrong("cudaMemPoolDestroy", "%zu bytes of it are in use", r->bytes);
    forget(pool);
    free(pool);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    check_handle("cudaMallocFromPoolAsync", pool, IS_POOL);
    check_stream("cudaMallocFromPoolAsync", stream);
    pthread_mutex_unlock(&lock);
    return allocate("cudaMallocFromPoolAsync", out, bytes, cudaMemoryTypeDevice, FROM_POOL);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    const range *r = range_of(memory);
    if (!r || r->from != memory || r->origin != FROM_POOL)
        wrong("cudaFreeAsync", "memory %p is not of a pool", memory);
    act *does = make_act(ACT_FREE);
    does->to = memory;
    put("cudaFreeAsync", check_stream("cudaFreeAsync", stream), does);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    pthread_mutex_lock(&lock);
    careful("cudaMemcpy");
    put("cudaMemcpy", &legacy, line_act("cudaMemcpy", to, from, bytes, kind));
    wait_for_operations(&legacy);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *all)
{
    *all = *unused = (size_t)1 << 37;
    pthread_mutex_lock(&lock);
    for (const range *r = ranges; r; r = r->next)
        if (r->type == cudaMemoryTypeDevice)
            *unused -= r->bytes;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    pthread_mutex_lock(&lock);
    const range *r = range_of(memory);
    memset(attributes, 0, sizeof *attributes);
    attributes->type = r ? r->type : cudaMemoryTypeUnregistered;
    attributes->device = r ? 0 : -2;
    attributes->devicePointer = r ? (void *)(uintptr_t)memory : NULL;
    attributes->hostPointer = r && r->type == cudaMemoryTypeDevice ? NULL : (void *)(uintptr_t)memory;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* ---- the device, kernels, errors ---- */

const void *fake_cuda_kernel(const weir_kernel *kernel)
{
    pthread_mutex_lock(&lock);
    if (!kernel->host || (!kernel->arg_bytes && kernel->arg_count > 0))
        wrong("fake_cuda_kernel", "kernel '%s' has no host twin or does not tell its arguments", kernel->name);
    if (!known_kernel(kernel)) {
        kernels = grow(kernels, kernel_count, &kernel_room, sizeof *kernels);
        kernels[kernel_count++] = kernel;
    }
    pthread_mutex_unlock(&lock);
    return kernel;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
    (void)stub;
    *kernel = NULL;
    return give(cudaErrorInvalidDeviceFunction); /* kernels here have `resolve` */
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    pthread_mutex_lock(&lock);
    bool known = known_kernel(function) != NULL;
    pthread_mutex_unlock(&lock);
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = BLOCK_MOST;
    attributes->maxDynamicSharedSizeBytes = SHARED_USUAL;
    return known ? cudaSuccess : give(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    pthread_mutex_lock(&lock);
    bool known = known_kernel(function) != NULL;
    pthread_mutex_unlock(&lock);
    if (!known || attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        wrong("cudaFuncSetAttribute", "function %p, attribute %d", function, (int)attribute);
    return value >= 0 && value <= SHARED_MOST ? cudaSuccess : give(cudaErrorInvalidValue);
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
        return give(cudaErrorInvalidDevice);
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
    return device == 0 ? cudaSuccess : give(cudaErrorInvalidDevice);
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
    case cudaErrorStreamCaptureUnjoined: return "cudaErrorStreamCaptureUnjoined";
    default: return "another cudaError_t";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "told by the fake CUDA";
}
