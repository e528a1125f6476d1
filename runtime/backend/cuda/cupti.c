/* cupti.c - CUPTI's activity records, from buffers to users.
 *
 * CUPTI fills buffers that it asks for, and hands them back on a thread of its own or inside a flush, now and then perhaps inside a CUDA call of
 * a thread that holds locks. So a buffer that comes back is only put in line; it is read by whoever flushes. Nothing of this file is
 * called with `lock` held, and nothing but `door` is held when users are told.
 *
 * Which launch a record belongs to: CUPTI numbers API calls, and gives a record the number of the call that launched it. A subscriber is called
 * inside cudaGraphLaunch, on its thread, and notes that number beside the launch, before a record can be there. (External correlation
 * records would say the same, but need a record of each API call.) The call into the runtime and the one that it makes into the driver are both
 * noted, since a record may carry either number. The subscription also keeps other profilers apart: there can be but one, and without it
 * two would take away each other's buffers. */
#define _GNU_SOURCE /* dladdr, RTLD_DEFAULT */
#include "backend/cuda/cupti.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include "util/vector.h"
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_HEAD = 64,         /* bytes before the records, for the buffer's own link */
    BUFFER_BYTES = 512 << 10, /* some 2000 kernels */
    LAUNCHES = 4096,          /* remembered, at two numbers each: more than can be on their way */
    PATH_BYTES = 4096
};

/* ---- the library ---- */

static struct {
    CUptiResult (*result_string)(CUptiResult result, const char **text);
    CUptiResult (*subscribe)(CUpti_SubscriberHandle *out, CUpti_CallbackFunc call, void *user, CUpti_SubscriberParams *params);
    CUptiResult (*unsubscribe)(CUpti_SubscriberHandle subscriber);
    CUptiResult (*enable_callback)(uint32_t on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain, CUpti_CallbackId id);
    CUptiResult (*register_buffers)(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
    CUptiResult (*register_clock)(CUpti_TimestampCallbackFunc clock);
    CUptiResult (*enable)(CUpti_ActivityKind kind);
    CUptiResult (*disable)(CUpti_ActivityKind kind);
    CUptiResult (*flush_all)(uint32_t flag);
    CUptiResult (*next_record)(uint8_t *buffer, size_t bytes, CUpti_Activity **record);
    CUptiResult (*dropped)(CUcontext context, uint32_t stream, size_t *count);
    CUptiResult (*exec_id)(CUgraphExec exec, uint32_t *id);
    CUptiResult (*node_id)(CUgraphNode node, uint64_t *id);
} cupti;

static const struct {
    const char *name;
    void *call; /* in `cupti` */
} symbols[] = {
    {"cuptiGetResultString", &cupti.result_string},
    {"cuptiSubscribe_v2", &cupti.subscribe},
    {"cuptiUnsubscribe", &cupti.unsubscribe},
    {"cuptiEnableCallback", &cupti.enable_callback},
    {"cuptiActivityRegisterCallbacks", &cupti.register_buffers},
    {"cuptiActivityRegisterTimestampCallback", &cupti.register_clock},
    {"cuptiActivityEnable", &cupti.enable},
    {"cuptiActivityDisable", &cupti.disable},
    {"cuptiActivityFlushAll", &cupti.flush_all},
    {"cuptiActivityGetNextRecord", &cupti.next_record},
    {"cuptiActivityGetNumDroppedRecords", &cupti.dropped},
    {"cuptiGetGraphExecId", &cupti.exec_id},
    {"cuptiGetGraphNodeId", &cupti.node_id},
};

static void *open_library(const char *folder, size_t folder_bytes, const char *below, const char *name)
{
    char path[PATH_BYTES];
    int bytes = snprintf(path, sizeof path, "%.*s%s%s", (int)folder_bytes, folder, below, name);
    return bytes > 0 && (size_t)bytes < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* A toolkit keeps it beside the CUDA runtime, or in a folder that the loader does not search. */
static void *open_beside_runtime(const char *name)
{
    static const char *const below[] = {"", "../extras/CUPTI/lib64/", "../../../extras/CUPTI/lib64/"};
    const void *call = dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion");
    Dl_info where;
    const char *slash = call && dladdr(call, &where) != 0 && where.dli_fname ? strrchr(where.dli_fname, '/') : NULL;
    void *library = NULL;
    for (size_t i = 0; slash && !library && i < sizeof below / sizeof below[0]; i++)
        library = open_library(where.dli_fname, (size_t)(slash + 1 - where.dli_fname), below[i], name);
    return library;
}

/* With `door` held. Once there it stays: CUPTI does not like to be unloaded. */
static weir_status load(void)
{
    static void *library;
    static bool loaded; /* all symbols: they are written once, since others read them without a lock */
    char name[32];
    if (loaded)
        return WEIR_OK;
    snprintf(name, sizeof name, "libcupti.so.%d", CUDART_VERSION / 1000);
    if (!library)
        library = open_library("", 0, "", name);
    if (!library)
        library = open_beside_runtime(name);
    if (!library)
        library = open_library("", 0, "", "libcupti.so");
    if (!library)
        return weir_fail(WEIR_ERR_BACKEND, "replayed tasks cannot be traced: %s is not in the loader's path nor beside the CUDA runtime", name);
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol)
            return weir_fail(WEIR_ERR_BACKEND, "replayed tasks cannot be traced: the CUPTI found has no %s; it is not of CUDA %d",
                             symbols[i].name, CUDART_VERSION / 1000);
        memcpy(symbols[i].call, &symbol, sizeof symbol);
    }
    loaded = true;
    return WEIR_OK;
}

static weir_status from_cupti(CUptiResult result, const char *call)
{
    const char *text = NULL;
    if (result == CUPTI_SUCCESS)
        return WEIR_OK;
    if (cupti.result_string(result, &text) != CUPTI_SUCCESS || !text)
        text = "unknown error";
    return weir_fail(WEIR_ERR_BACKEND, "replayed tasks cannot be traced: %s failed with %s (%d)", call, text, (int)result);
}

/* ---- what CUPTI's callbacks touch ---- */

typedef struct buffer buffer;
struct buffer {
    buffer *next;
    size_t valid; /* bytes of records, from BUFFER_HEAD on */
};

typedef struct {
    uint64_t launch;
    uint32_t correlation; /* CUPTI's number of the call */
} launched;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows; nothing is called with it held */
static buffer *full, **full_end = &full;                 /* came back, the oldest first */
static buffer *spare;
static launched launches[LAUNCHES * 2];                  /* entry n is at n % their count */
static uint64_t launches_noted;

static _Thread_local struct {
    bool on;
    uint64_t launch;
} launching; /* between begin and end */

static void CUPTIAPI give_buffer(uint8_t **records, size_t *bytes, size_t *most)
{
    pthread_mutex_lock(&lock);
    buffer *b = spare;
    if (b)
        spare = b->next;
    pthread_mutex_unlock(&lock);
    if (!b)
        b = weir_alloc_lines(1, BUFFER_HEAD + BUFFER_BYTES);
    *records = b ? (uint8_t *)b + BUFFER_HEAD : NULL; /* without, records are dropped, and counted */
    *bytes = b ? BUFFER_BYTES : 0;
    *most = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *records, size_t bytes, size_t valid)
{
    (void)context;
    (void)stream;
    (void)bytes;
    if (!records)
        return;
    buffer *b = (buffer *)(void *)(records - BUFFER_HEAD);
    b->next = NULL;
    b->valid = valid;
    pthread_mutex_lock(&lock);
    *full_end = b;
    full_end = &b->next;
    pthread_mutex_unlock(&lock);
}

static void CUPTIAPI note_launch(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    const CUpti_CallbackData *call = data;
    (void)user;
    (void)domain;
    (void)id;
    if (!launching.on || call->callbackSite != CUPTI_API_ENTER)
        return;
    pthread_mutex_lock(&lock);
    launches[launches_noted++ % (LAUNCHES * 2)] = (launched){launching.launch, call->correlationId};
    pthread_mutex_unlock(&lock);
}

static uint64_t CUPTIAPI clock_now(void)
{
    return (uint64_t)weir_clock_ns();
}

/* ---- reading: with `door` held ---- */

typedef struct {
    weir_cupti_reader *record;
    void *user;
} reader;

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER; /* one starts, stops or flushes at a time; guards what follows */
static WEIR_VECTOR(reader) readers;
static CUpti_SubscriberHandle subscriber;
static WEIR_VECTOR(weir_cupti_record) gathered; /* of one flush, to be put in order */

/* A launch has many records, one after the other: the last answer is kept. */
typedef struct {
    bool asked, known;
    launched found;
} lookup;

static bool find_launch(lookup *last, uint32_t correlation)
{
    if (last->asked && last->found.correlation == correlation)
        return last->known;
    *last = (lookup){.asked = true, .found.correlation = correlation};
    pthread_mutex_lock(&lock);
    for (uint64_t n = launches_noted; !last->known && n > 0 && launches_noted - n < LAUNCHES * 2; n--) {
        const launched *l = &launches[(n - 1) % (LAUNCHES * 2)];
        last->known = l->correlation == correlation;
        last->found.launch = l->launch;
    }
    pthread_mutex_unlock(&lock);
    return last->known;
}

static weir_cupti_kind copy_kind(uint8_t kind)
{
    if (kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD || kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOA)
        return WEIR_CUPTI_TO_DEVICE;
    return kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH || kind == CUPTI_ACTIVITY_MEMCPY_KIND_ATOH ? WEIR_CUPTI_TO_HOST : WEIR_CUPTI_WITHIN;
}

/* What three types of records have alike. */
#define TAKE(from, its_kind)                                                                                                               \
    ((weir_cupti_record){.graph = (from)->graphId,                                                                                         \
                         .node = (uint32_t)(from)->graphNodeId,                                                                            \
                         .start_ns = (int64_t)(from)->start,                                                                               \
                         .end_ns = (int64_t)(from)->end,                                                                                   \
                         .kind = (its_kind),                                                                                               \
                         .stream = (from)->streamId})

/* False: of no use here. */
static bool take_record(const CUpti_Activity *any, lookup *last, weir_cupti_record *out)
{
    uint64_t node;
    uint32_t correlation;
    if (any->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const CUpti_ActivityKernel10 *kernel = (const void *)any;
        *out = TAKE(kernel, WEIR_CUPTI_KERNEL);
        node = kernel->graphNodeId;
        correlation = kernel->correlationId;
    } else if (any->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const CUpti_ActivityMemcpy6 *copy = (const void *)any;
        *out = TAKE(copy, copy_kind(copy->copyKind));
        node = copy->graphNodeId;
        correlation = copy->correlationId;
    } else if (any->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const CUpti_ActivityMemset4 *fill = (const void *)any;
        *out = TAKE(fill, WEIR_CUPTI_FILL);
        node = fill->graphNodeId;
        correlation = fill->correlationId;
    } else {
        return false;
    }
    if (node == 0 || out->start_ns == 0 || out->end_ns < out->start_ns || !find_launch(last, correlation)) /* no graph's; never finished; not weir's */
        return false;
    out->launch = last->found.launch;
    return true;
}

static void tell(const weir_cupti_record *record)
{
    for (uint32_t i = 0; i < readers.count; i++)
        readers.at[i].record(readers.at[i].user, record);
}

static void read_buffer(buffer *b, lookup *last)
{
    CUpti_Activity *any = NULL;
    weir_cupti_record record;
    while (b->valid > 0 && cupti.next_record((uint8_t *)b + BUFFER_HEAD, b->valid, &any) == CUPTI_SUCCESS) {
        if (!take_record(any, last, &record))
            continue;
        if (weir_vector_reserve(&gathered, 1))
            weir_vector_push(&gathered, record);
        else
            tell(&record); /* better out of order than not at all */
    }
}

static int by_start(const void *a, const void *b)
{
    const weir_cupti_record *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static buffer *next_full(void)
{
    pthread_mutex_lock(&lock);
    buffer *b = full;
    if (b)
        full = b->next;
    if (!full)
        full_end = &full;
    pthread_mutex_unlock(&lock);
    return b;
}

static void lay_by(buffer *b)
{
    pthread_mutex_lock(&lock);
    b->next = spare;
    spare = b;
    pthread_mutex_unlock(&lock);
}

static void read_buffers(void)
{
    lookup last = {0};
    for (buffer *b = next_full(); b; b = next_full()) {
        read_buffer(b, &last);
        lay_by(b);
    }
    if (gathered.count > 0)
        qsort(gathered.at, gathered.count, sizeof *gathered.at, by_start);
    for (uint32_t i = 0; i < gathered.count; i++)
        tell(&gathered.at[i]);
    gathered.count = 0;
    size_t lost = 0;
    if (cupti.dropped(NULL, 0, &lost) == CUPTI_SUCCESS && lost > 0)
        weir_log(WEIR_LOG_WARN, "the trace lacks %zu replayed tasks: CUPTI had no memory for them", lost);
}

static weir_status flush(uint32_t flag)
{
    weir_status status = from_cupti(cupti.flush_all(flag), "cuptiActivityFlushAll");
    read_buffers();
    return status;
}

/* ---- on and off: with `door` held ---- */

static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

static weir_status subscribe(void)
{
    char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUpti_SubscriberParams params = {.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                     .subscriberName = "weir",
                                     .oldSubscriberName = other,
                                     .oldSubscriberSize = sizeof other};
    CUptiResult result = cupti.subscribe(&subscriber, note_launch, NULL, &params);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        return weir_fail(WEIR_ERR_STATE, "replayed tasks cannot be traced while another profiler has CUPTI (%s)", other[0] ? other : "unnamed");
    return from_cupti(result, "cuptiSubscribe_v2");
}

static weir_status watch_launches(void)
{
    static const struct {
        CUpti_CallbackDomain domain;
        CUpti_CallbackId id;
    } calls[] = {
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz},
    };
    weir_status status = WEIR_OK;
    for (size_t i = 0; status == WEIR_OK && i < sizeof calls / sizeof calls[0]; i++)
        status = from_cupti(cupti.enable_callback(1, subscriber, calls[i].domain, calls[i].id), "cuptiEnableCallback");
    return status;
}

static void end(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        (void)cupti.disable(kinds[i]);
    (void)cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    read_buffers();
    (void)cupti.unsubscribe(subscriber);
    pthread_mutex_lock(&lock);
    buffer *left = spare;
    spare = NULL;
    pthread_mutex_unlock(&lock);
    while (left) {
        buffer *next = left->next;
        weir_free_lines(left);
        left = next;
    }
    weir_vector_finish(&gathered);
}

static weir_status begin(void)
{
    weir_status status = load();
    if (status == WEIR_OK)
        status = subscribe();
    if (status != WEIR_OK)
        return status;
    status = watch_launches();
    if (status == WEIR_OK)
        status = from_cupti(cupti.register_buffers(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
    if (status == WEIR_OK) /* before any kind is enabled */
        status = from_cupti(cupti.register_clock(clock_now), "cuptiActivityRegisterTimestampCallback");
    for (size_t i = 0; status == WEIR_OK && i < sizeof kinds / sizeof kinds[0]; i++)
        status = from_cupti(cupti.enable(kinds[i]), "cuptiActivityEnable");
    if (status != WEIR_OK)
        end();
    return status;
}

/* ---- users ---- */

weir_status weir_cupti_start(weir_cupti_reader *record, void *user)
{
    pthread_mutex_lock(&door);
    weir_status status = weir_vector_reserve(&readers, 1) ? WEIR_OK : weir_fail_no_memory();
    if (status == WEIR_OK && readers.count == 0)
        status = begin();
    if (status == WEIR_OK)
        weir_vector_push(&readers, ((reader){record, user}));
    else if (readers.count == 0)
        weir_vector_finish(&readers);
    pthread_mutex_unlock(&door);
    return status;
}

weir_status weir_cupti_flush(void)
{
    pthread_mutex_lock(&door);
    weir_status status = readers.count > 0 ? flush(0) : WEIR_OK;
    pthread_mutex_unlock(&door);
    return status;
}

void weir_cupti_stop(void *user)
{
    pthread_mutex_lock(&door);
    uint32_t at = 0;
    while (at < readers.count && readers.at[at].user != user)
        at++;
    if (at < readers.count) {
        if (flush(0) != WEIR_OK)
            weir_log(WEIR_LOG_WARN, "%s", weir_last_error());
        if (readers.count == 1)
            end();
        readers.at[at] = readers.at[--readers.count];
        if (readers.count == 0)
            weir_vector_finish(&readers);
    }
    pthread_mutex_unlock(&door);
}

uint32_t weir_cupti_exec_id(cudaGraphExec_t exec)
{
    uint32_t id = UINT32_MAX;
    return cupti.exec_id && cupti.exec_id(exec, &id) == CUPTI_SUCCESS ? id : UINT32_MAX;
}

uint32_t weir_cupti_node(cudaGraphNode_t node)
{
    uint64_t id = UINT64_MAX; /* graph << 32 | node */
    return cupti.node_id && cupti.node_id(node, &id) == CUPTI_SUCCESS ? (uint32_t)id : UINT32_MAX;
}

uint64_t weir_cupti_launch_number(void)
{
    static atomic_ullong given;
    return atomic_fetch_add_explicit(&given, 1, memory_order_relaxed) + 1;
}

void weir_cupti_launch_begin(uint64_t launch)
{
    launching.launch = launch;
    launching.on = true;
}

void weir_cupti_launch_end(void)
{
    launching.on = false;
}
