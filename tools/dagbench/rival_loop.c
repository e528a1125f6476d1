/* rival_loop.c - see rival_loop.h. */
#include "rival_loop.h"
#include "countdown.h"
#include "timing.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEVER_SET = 0x7f7f7f7f };

bool rival_loop_init(rival_loop *loop, uint32_t rounds, trouble *why)
{
    void *word = NULL, *seen = NULL;
    *loop = (rival_loop){.rounds = rounds};
    if (!CUDA_GOOD(why, cudaMalloc(&word, sizeof *loop->word)))
        return false;
    loop->word = word;
    if (!CUDA_GOOD(why, cudaHostAlloc(&seen, 2 * sizeof *loop->seen, cudaHostAllocPortable)))
        return false;
    loop->seen = seen;
    loop->seen[1] = rounds;
    return true;
}

void rival_loop_finish(rival_loop *loop)
{
    cudaFree(loop->word);
    cudaFreeHost(loop->seen);
    *loop = (rival_loop){.rounds = 0};
}

bool rival_loop_check(const rival_loop *loop, const racer *r, trouble *why)
{
    uint32_t left = NEVER_SET;
    lap unused;
    bool done = CUDA_GOOD(why, cudaMemcpy(loop->word, &left, sizeof left, cudaMemcpyHostToDevice)) &&
        CUDA_GOOD(why, cudaDeviceSynchronize()) && r->run(r->self, 1, &unused, why) &&
        CUDA_GOOD(why, cudaMemcpy(&left, loop->word, sizeof left, cudaMemcpyDeviceToHost));
    if (!done || left == 0)
        return done;
    snprintf(why->text, sizeof why->text, "by hand, %s: the loop left %" PRIu32 " of %" PRIu32 " rounds over", r->how, left, loop->rounds);
    return false;
}

/* ---- decided on the device ---- */

/* Behind `after`, if there is such a node. */
static bool add_kernel(cudaGraph_t body, const void *code, void **args, cudaGraphNode_t *after, trouble *why)
{
    struct cudaKernelNodeParams params = {.func = (void *)code, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = args};
    cudaGraphNode_t before = *after;
    return CUDA_GOOD(why, cudaGraphAddKernelNode(after, body, &before, before ? 1 : 0, &params));
}

static bool add_body(cudaGraph_t body, const rival_loop *loop, cudaGraphConditionalHandle handle, bool apart, trouble *why)
{
    uint32_t *word = loop->word;
    void *args[] = {&word, &handle};
    cudaGraphNode_t last = NULL;
    if (!apart)
        return add_kernel(body, countdown_set_resolve(), args, &last, why);
    return add_kernel(body, countdown_resolve(), args, &last, why) && add_kernel(body, countdown_look_resolve(), args, &last, why);
}

/* The word is set, and then counted down; the first round needs no asking. */
static bool add_loop(cudaGraph_t graph, const rival_loop *loop, bool apart, trouble *why)
{
    struct cudaMemsetParams set = {.dst = loop->word, .elementSize = sizeof *loop->word, .value = loop->rounds, .width = 1, .height = 1};
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    cudaGraphConditionalHandle handle = 0;
    cudaGraphNode_t filled = NULL, node = NULL;
    if (!CUDA_GOOD(why, cudaGraphAddMemsetNode(&filled, graph, NULL, 0, &set)) ||
        !CUDA_GOOD(why, cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault)))
        return false;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    return CUDA_GOOD(why, cudaGraphAddNode(&node, graph, &filled, NULL, 1, &params)) &&
        add_body(params.conditional.phGraph_out[0], loop, handle, apart, why);
}

bool rival_while_make(racer *out, const rival_pool *pool, const rival_loop *loop, bool apart, trouble *why)
{
    cudaGraph_t graph = NULL;
    if (!CUDA_GOOD(why, cudaGraphCreate(&graph, 0)))
        return false;
    if (!add_loop(graph, loop, apart, why)) {
        cudaGraphDestroy(graph);
        return false;
    }
    if (!rival_graph_make(out, pool, graph, why))
        return false;
    snprintf(out->how, sizeof out->how, "conditional%s", apart ? ", set apart" : "");
    return true;
}

/* ---- decided on the host ---- */

typedef struct {
    const rival_loop *loop;
    cudaStream_t stream;
    const void *code;
} host_loop;

static bool round_trip(const host_loop *h, trouble *why)
{
    const rival_loop *loop = h->loop;
    const dim3 one = {1, 1, 1};
    uint32_t *word = loop->word;
    void *args[] = {&word};
    return CUDA_GOOD(why, cudaLaunchKernel(h->code, one, one, args, 0, h->stream)) &&
        CUDA_GOOD(why, cudaMemcpyAsync(loop->seen, word, sizeof *word, cudaMemcpyDeviceToHost, h->stream)) &&
        CUDA_GOOD(why, cudaStreamSynchronize(h->stream));
}

/* The host is busy to the end, so there is no time of submitting apart from it. */
static bool host_loop_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    const host_loop *h = self;
    const rival_loop *loop = h->loop;
    bool done = true;
    double begun = timing_now_ns();
    for (uint32_t i = 0; i < frames && done; i++) {
        done = CUDA_GOOD(why, cudaMemcpyAsync(loop->word, &loop->seen[1], sizeof *loop->word, cudaMemcpyHostToDevice, h->stream));
        do
            done = done && round_trip(h, why);
        while (done && loop->seen[0] != 0);
    }
    double ns = (timing_now_ns() - begun) / frames;
    *out = (lap){ns, ns};
    return done;
}

bool rival_host_loop_make(racer *out, const rival_pool *pool, const rival_loop *loop, trouble *why)
{
    host_loop *h = calloc(1, sizeof *h);
    if (!h)
        return trouble_no_memory(why);
    *h = (host_loop){.loop = loop, .stream = pool->stream[0], .code = countdown_resolve()};
    *out = (racer){.mode = "eager", .lanes = 1, .run = host_loop_run, .finish = free, .self = h};
    snprintf(out->how, sizeof out->how, "checked by the host");
    return true;
}
