/* rival_stages.c - see rival_stages.h. What stages hand on is kept once for each frame in flight, the state once: so the fold is tied to that of the
 * frame before, and nothing else is but by the place that a frame takes over. */
#include "rival_stages.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_MOST = 3 };

typedef struct {
    stages s;
    uint32_t frames; /* in flight at most */
    rival_launching launching;
    uint64_t begun;   /* frames so far */
    uint32_t *state;
    uint32_t *in[RIVAL_SLOTS_MOST], *source[RIVAL_SLOTS_MOST], *between[RIVAL_SLOTS_MOST], *out[RIVAL_SLOTS_MOST]; /* in, out: pinned, if it moves */
    rival_slots slots; /* of graphs; else the pool alone is used of it */
    cudaEvent_t done[STAGES_MOST][RIVAL_SLOTS_MOST]; /* of streams */
} line;

/* ---- memory ---- */

static size_t bytes_of(const stages *s)
{
    return s->count * sizeof(uint32_t);
}

static bool take_device(uint32_t **out, size_t bytes, trouble *why)
{
    void *memory = NULL;
    if (!CUDA_GOOD(why, cudaMalloc(&memory, bytes)))
        return false;
    *out = memory;
    return CUDA_GOOD(why, cudaMemset(memory, 0, bytes));
}

static bool take_pinned(uint32_t **out, size_t bytes, trouble *why)
{
    void *memory = NULL;
    if (!CUDA_GOOD(why, cudaHostAlloc(&memory, bytes, cudaHostAllocPortable)))
        return false;
    *out = memset(memory, 0, bytes);
    return true;
}

static bool take_memory(line *l, trouble *why)
{
    size_t bytes = bytes_of(&l->s);
    bool done = take_device(&l->state, sizeof *l->state, why);
    for (uint32_t i = 0; i < l->frames && done; i++) {
        done = take_device(&l->source[i], bytes, why) && take_device(&l->between[i], bytes, why);
        if (l->s.moves)
            done = done && take_pinned(&l->in[i], bytes, why) && take_pinned(&l->out[i], bytes, why);
        else
            done = done && take_device(&l->out[i], bytes, why);
    }
    return done && CUDA_GOOD(why, cudaDeviceSynchronize()); /* memory is zeroed on another stream */
}

static void line_finish(void *self)
{
    line *l = self;
    rival_slots_finish(&l->slots);
    for (uint32_t i = 0; i < l->frames; i++) {
        for (int stage = 0; stage < STAGES_MOST; stage++)
            if (l->done[stage][i])
                cudaEventDestroy(l->done[stage][i]);
        cudaFree(l->source[i]);
        cudaFree(l->between[i]);
        cudaFreeHost(l->in[i]);
        if (l->s.moves)
            cudaFreeHost(l->out[i]);
        else
            cudaFree(l->out[i]);
    }
    cudaFree(l->state);
    free(l);
}

/* ---- numbers ---- */

/* What a frame is given to read. Nobody may write where the device may still be reading, so frames launched freely read what was there at first. */
static uint32_t number_of(const line *l, uint64_t frame)
{
    return l->s.moves && l->launching == RIVAL_KEPT ? (uint32_t)frame + 1 : 0;
}

static void write_number(line *l, uint32_t place)
{
    uint32_t number = number_of(l, l->begun);
    if (number)
        l->in[place][0] = l->in[place][l->s.count - 1] = number;
}

bool rival_stages_check(const racer *r, trouble *why)
{
    const line *l = r->self;
    uint32_t wanted = 0, state = 0, result = 0;
    const uint32_t *left = l->out[(l->begun + l->frames - 1) % l->frames] + l->s.count - 1;
    for (uint64_t f = 0; f < l->begun; f++)
        wanted = STAGE_NEXT(wanted, number_of(l, f));
    if (!CUDA_GOOD(why, cudaMemcpy(&state, l->state, sizeof state, cudaMemcpyDeviceToHost)) ||
        (!l->s.moves && !CUDA_GOOD(why, cudaMemcpy(&result, left, sizeof result, cudaMemcpyDeviceToHost))))
        return false;
    if (l->s.moves)
        result = *left;
    if (state == wanted && result == stages_result(&l->s, wanted))
        return true;
    snprintf(why->text, sizeof why->text, "by hand, %s, %s: wrong after %llu frames", r->mode, r->how, (unsigned long long)l->begun);
    return false;
}

/* ---- stages ---- */

/* The arguments of a frame's kernels, in its place; to be given to CUDA at once, which copies what they point at. */
typedef struct {
    uint32_t *from, *state, *to, last;
    int64_t ticks;
    void *fold[5], *pass[4];
} arguments;

static void fold_arguments(const line *l, uint32_t place, arguments *a)
{
    *a = (arguments){.from = l->source[place], .state = l->state, .to = l->between[place], .last = l->s.count - 1, .ticks = l->s.ticks};
    void *const fold[] = {&a->from, &a->state, &a->to, &a->last, &a->ticks};
    memcpy(a->fold, fold, sizeof fold);
}

static void pass_arguments(const line *l, uint32_t place, arguments *a)
{
    *a = (arguments){.from = l->between[place], .to = l->out[place], .last = l->s.count - 1, .ticks = l->s.ticks};
    void *const pass[] = {&a->from, &a->to, &a->last, &a->ticks};
    memcpy(a->pass, pass, sizeof pass);
}

/* ---- graphs ---- */

static struct cudaKernelNodeParams kernel_of(const void *code, void **args)
{
    return (struct cudaKernelNodeParams){
        .func = (void *)code, .gridDim = {1, 1, 1}, .blockDim = {SPIN_THREADS, 1, 1}, .kernelParams = args};
}

static bool add_fold(const line *l, uint32_t place, cudaGraphNode_t upload, cudaGraphNode_t *fold, trouble *why)
{
    cudaGraphNode_t before[2] = {upload, NULL};
    size_t count = upload ? 1 : 0;
    arguments a;
    fold_arguments(l, place, &a);
    struct cudaKernelNodeParams params = kernel_of(stage_fold_resolve(), a.fold);
    if (!rival_slots_wait(&l->slots, place, 0, &before[count], why))
        return false;
    count += before[count] != NULL;
    return CUDA_GOOD(why, cudaGraphAddKernelNode(fold, l->slots.graph[place], before, count, &params)) &&
        rival_slots_record(&l->slots, place, 0, *fold, why);
}

static bool add_pass(const line *l, uint32_t place, cudaGraphNode_t fold, trouble *why)
{
    cudaGraphNode_t node = NULL;
    arguments a;
    pass_arguments(l, place, &a);
    struct cudaKernelNodeParams params = kernel_of(stage_pass_resolve(), a.pass);
    return CUDA_GOOD(why, cudaGraphAddKernelNode(&node, l->slots.graph[place], &fold, 1, &params));
}

static bool fill(const line *l, uint32_t place, trouble *why)
{
    cudaGraph_t graph = l->slots.graph[place];
    cudaGraphNode_t upload = NULL, fold = NULL, download = NULL;
    size_t bytes = bytes_of(&l->s);
    if (!l->s.moves)
        return add_fold(l, place, NULL, &fold, why) && add_pass(l, place, fold, why);
    return CUDA_GOOD(why, cudaGraphAddMemcpyNode1D(&upload, graph, NULL, 0, l->source[place], l->in[place], bytes, cudaMemcpyHostToDevice)) &&
        add_fold(l, place, upload, &fold, why) &&
        CUDA_GOOD(why, cudaGraphAddMemcpyNode1D(&download, graph, &fold, 1, l->out[place], l->between[place], bytes, cudaMemcpyDeviceToHost));
}

static bool graphs_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    line *l = self;
    bool done = true;
    double begun = timing_now_ns();
    for (uint32_t i = 0; i < frames && done; i++) {
        done = rival_slots_await(&l->slots, l->begun, why);
        write_number(l, (uint32_t)(l->begun % l->frames));
        done = done && rival_slots_launch(&l->slots, l->begun++, why);
    }
    double submitted = timing_now_ns();
    done = done && rival_slots_end(&l->slots, why);
    double ended = timing_now_ns();
    *out = (lap){(submitted - begun) / frames, (ended - begun) / frames};
    return done;
}

static bool graphs_make(line *l, const rival_pool *pool, trouble *why)
{
    bool done = rival_slots_init(&l->slots, pool, l->frames, 1, l->launching, why) && take_memory(l, why);
    for (uint32_t i = 0; i < l->frames && done; i++)
        done = fill(l, i, why);
    return done && rival_slots_instantiate(&l->slots, why);
}

/* ---- streams ---- */

static bool launch_stage(const line *l, uint32_t stage, uint32_t place, cudaStream_t stream, trouble *why)
{
    const dim3 grid = {1, 1, 1}, block = {SPIN_THREADS, 1, 1};
    size_t bytes = bytes_of(&l->s);
    uint32_t kind = l->s.moves ? stage : stage + 1;
    arguments a;
    if (kind == 0)
        return CUDA_GOOD(why, cudaMemcpyAsync(l->source[place], l->in[place], bytes, cudaMemcpyHostToDevice, stream));
    if (kind == 1) {
        fold_arguments(l, place, &a);
        return CUDA_GOOD(why, cudaLaunchKernel(stage_fold_resolve(), grid, block, a.fold, 0, stream));
    }
    if (l->s.moves)
        return CUDA_GOOD(why, cudaMemcpyAsync(l->out[place], l->between[place], bytes, cudaMemcpyDeviceToHost, stream));
    pass_arguments(l, place, &a);
    return CUDA_GOOD(why, cudaLaunchKernel(stage_pass_resolve(), grid, block, a.pass, 0, stream));
}

static uint32_t stages_of(const line *l)
{
    return l->s.moves ? 3 : 2;
}

/* The host looks for the end of the frame that had this place before, after which nobody reads what is overwritten. */
static bool await_place(const line *l, uint32_t place, trouble *why)
{
    cudaError_t error = cudaErrorNotReady;
    if (l->launching == RIVAL_FREE)
        return true;
    while (error == cudaErrorNotReady)
        error = cudaEventQuery(l->done[stages_of(l) - 1][place]);
    return trouble_check(why, error, "cudaEventQuery");
}

/* A frame launched freely overwrites what the next stage read in the frame that had this place before. */
static bool submit(const line *l, uint32_t place, trouble *why)
{
    uint32_t count = stages_of(l);
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++) {
        cudaStream_t stream = l->slots.pool->stream[i];
        if (i > 0)
            done = CUDA_GOOD(why, cudaStreamWaitEvent(stream, l->done[i - 1][place], 0));
        if (l->launching == RIVAL_FREE && i + 1 < count)
            done = done && CUDA_GOOD(why, cudaStreamWaitEvent(stream, l->done[i + 1][place], 0));
        done = done && launch_stage(l, i, place, stream, why) && CUDA_GOOD(why, cudaEventRecord(l->done[i][place], stream));
    }
    return done;
}

static bool streams_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    line *l = self;
    uint32_t last = stages_of(l) - 1;
    bool done = true;
    double begun = timing_now_ns();
    for (uint32_t i = 0; i < frames && done; i++) {
        uint32_t place = (uint32_t)(l->begun % l->frames);
        done = await_place(l, place, why);
        write_number(l, place);
        done = done && submit(l, place, why);
        l->begun++;
    }
    double submitted = timing_now_ns();
    done = done && rival_wait(l->slots.pool, &last, 1, RIVAL_ASK, why);
    double ended = timing_now_ns();
    *out = (lap){(submitted - begun) / frames, (ended - begun) / frames};
    return done;
}

static bool streams_make(line *l, const rival_pool *pool, trouble *why)
{
    l->slots.pool = pool;
    for (uint32_t stage = 0; stage < stages_of(l); stage++)
        for (uint32_t i = 0; i < l->frames; i++)
            if (!CUDA_GOOD(why, cudaEventCreateWithFlags(&l->done[stage][i], cudaEventDisableTiming)))
                return false;
    return take_memory(l, why);
}

/* ---- racers ---- */

static line *line_create(const stages *s, uint32_t frames, rival_launching launching, trouble *why)
{
    line *l = calloc(1, sizeof *l);
    if (!l) {
        trouble_no_memory(why);
        return NULL;
    }
    l->s = *s;
    l->frames = frames;
    l->launching = launching;
    return l;
}

static racer racer_of(line *l, const char *mode, const char *how)
{
    racer r = {.mode = mode, .finish = line_finish, .self = l};
    snprintf(r.how, sizeof r.how, "%s, F = %u%s", how, (unsigned)l->frames, l->launching == RIVAL_FREE ? ", free" : "");
    return r;
}

bool rival_stages_graphs_make(racer *out, const rival_pool *pool, const stages *s, uint32_t frames, rival_launching launching, trouble *why)
{
    line *l = line_create(s, frames, launching, why);
    if (!l)
        return false;
    if (!graphs_make(l, pool, why)) {
        line_finish(l);
        return false;
    }
    *out = racer_of(l, "replay", "graphs");
    out->run = graphs_run;
    return true;
}

bool rival_stages_streams_make(racer *out, const rival_pool *pool, const stages *s, uint32_t frames, rival_launching launching, trouble *why)
{
    line *l = line_create(s, frames, launching, why);
    if (!l)
        return false;
    if (!streams_make(l, pool, why)) {
        line_finish(l);
        return false;
    }
    *out = racer_of(l, "eager", "streams");
    out->run = streams_run;
    out->lanes = stages_of(l);
    return true;
}

/* ---- moves alone ---- */

static bool time_move(cudaStream_t stream, const cudaEvent_t event[2], void *to, const void *from, size_t bytes, double *us, trouble *why)
{
    float ms = 0.0f;
    bool done = CUDA_GOOD(why, cudaEventRecord(event[0], stream)) &&
        CUDA_GOOD(why, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream)) && CUDA_GOOD(why, cudaEventRecord(event[1], stream)) &&
        CUDA_GOOD(why, cudaEventSynchronize(event[1])) && CUDA_GOOD(why, cudaEventElapsedTime(&ms, event[0], event[1]));
    *us = (double)ms * 1e3;
    return done;
}

static bool time_moves(cudaStream_t stream, const cudaEvent_t event[2], uint32_t *device, uint32_t *pinned, size_t bytes, double *upload_us,
    double *download_us, trouble *why)
{
    enum { TIMES = 15 };
    double up[TIMES + 1], down[TIMES + 1]; /* the first does not count */
    bool done = true;
    for (int i = 0; i <= TIMES && done; i++)
        done = time_move(stream, event, device, pinned, bytes, &up[i], why) && time_move(stream, event, pinned, device, bytes, &down[i], why);
    if (!done)
        return false;
    *upload_us = timing_median(up + 1, TIMES);
    *download_us = timing_median(down + 1, TIMES);
    return true;
}

bool rival_stages_time_moves(const rival_pool *pool, uint32_t count, double *upload_us, double *download_us, trouble *why)
{
    cudaEvent_t event[2] = {NULL, NULL};
    uint32_t *device = NULL, *pinned = NULL;
    size_t bytes = count * sizeof *device;
    bool done = CUDA_GOOD(why, cudaEventCreate(&event[0])) && CUDA_GOOD(why, cudaEventCreate(&event[1])) && take_device(&device, bytes, why) &&
        take_pinned(&pinned, bytes, why) && CUDA_GOOD(why, cudaDeviceSynchronize()) &&
        time_moves(pool->stream[0], event, device, pinned, bytes, upload_us, download_us, why);
    for (int i = 0; i < 2; i++)
        if (event[i])
            cudaEventDestroy(event[i]);
    cudaFree(device);
    cudaFreeHost(pinned);
    return done;
}
