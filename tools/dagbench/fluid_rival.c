/* fluid_rival.c - see fluid_rival.h. Velocity and dye are kept twice: a frame reads one and writes the other, so there are two graphs, launched in
 * turn. */
#include "fluid_rival.h"
#include "fluid_sources.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_MOST = 64, BEFORE_MOST = 4, ARGS_MOST = 9 };

static const float OVER_RELAXATION = 1.9f;

typedef struct {
    const fluid_input *input;
    uint64_t frames; /* launched so far */
    cudaStream_t stream;
    cudaGraph_t graph[2];
    cudaGraphExec_t exec[2];
    void *device[MEMORY_MOST];
    uint32_t devices;
    fluid_source *sources_in; /* pinned, as are the pixels */
    uint8_t *pixels;
    float *u[2], *v[2], *dye[3][2], *picture[3];
    uint8_t *solid, *clearance[2], *open[2];
    fluid_source *sources;
    float *from_x, *from_y, *vorticity, *pressure[2], *divergence[2];
    uint8_t *rgba;
} fluid;

static void fluid_finish(void *self)
{
    fluid *f = self;
    for (int i = 0; i < 2; i++) {
        if (f->exec[i])
            cudaGraphExecDestroy(f->exec[i]);
        if (f->graph[i])
            cudaGraphDestroy(f->graph[i]);
    }
    for (uint32_t i = 0; i < f->devices; i++)
        cudaFree(f->device[i]);
    cudaFreeHost(f->sources_in);
    cudaFreeHost(f->pixels);
    if (f->stream)
        cudaStreamDestroy(f->stream);
    free(f);
}

/* ---- memory ---- */

static void *zeros(fluid *f, size_t bytes, trouble *why)
{
    void *memory = NULL;
    if (f->devices == MEMORY_MOST || !CUDA_GOOD(why, cudaMalloc(&memory, bytes)))
        return NULL;
    f->device[f->devices++] = memory;
    return CUDA_GOOD(why, cudaMemset(memory, 0, bytes)) ? memory : NULL;
}

static bool take_memory(fluid *f, trouble *why)
{
    fluid_size size = f->input->size;
    size_t cells = (size_t)size.nx * (size_t)size.ny, halves = (size_t)fluid_half(size) * (size_t)size.ny;
    size_t sources = (size_t)f->input->motion.sources * sizeof(fluid_source);
    void *host[2] = {NULL, NULL};
    bool done = CUDA_GOOD(why, cudaHostAlloc(&host[0], sources, cudaHostAllocPortable)) &&
        CUDA_GOOD(why, cudaHostAlloc(&host[1], 4 * cells, cudaHostAllocPortable));
    f->sources_in = host[0];
    f->pixels = host[1];
    for (int i = 0; i < 2 && done; i++) {
        done = (f->u[i] = zeros(f, cells * sizeof(float), why)) && (f->v[i] = zeros(f, cells * sizeof(float), why)) &&
            (f->clearance[i] = zeros(f, cells, why)) && (f->open[i] = zeros(f, halves, why)) &&
            (f->pressure[i] = zeros(f, halves * sizeof(float), why)) && (f->divergence[i] = zeros(f, halves * sizeof(float), why));
        for (int c = 0; c < 3 && done; c++)
            done = (f->dye[c][i] = zeros(f, cells * sizeof(float), why)) != NULL;
    }
    for (int c = 0; c < 3 && done; c++)
        done = (f->picture[c] = zeros(f, cells * sizeof(float), why)) != NULL;
    return done && (f->solid = zeros(f, cells, why)) && (f->sources = zeros(f, sources, why)) &&
        (f->from_x = zeros(f, cells * sizeof(float), why)) && (f->from_y = zeros(f, cells * sizeof(float), why)) &&
        (f->vorticity = zeros(f, cells * sizeof(float), why)) && (f->rgba = zeros(f, 4 * cells, why));
}

/* ---- the start: once, so plain launches do ---- */

static struct cudaKernelNodeParams launch_of(const weir_kernel *kernel, weir_shape shape, void **args)
{
    return (struct cudaKernelNodeParams){
        .func = (void *)kernel->resolve(),
        .gridDim = {shape.grid[0], shape.grid[1], shape.grid[2]},
        .blockDim = {shape.block[0], shape.block[1], shape.block[2]},
        .kernelParams = args,
    };
}

static bool launch(const fluid *f, const weir_kernel *kernel, weir_shape shape, void **args, trouble *why)
{
    struct cudaKernelNodeParams p = launch_of(kernel, shape, args);
    return CUDA_GOOD(why, cudaLaunchKernel(p.func, p.gridDim, p.blockDim, p.kernelParams, 0, f->stream));
}

static bool copy(const fluid *f, void *to, const void *from, size_t bytes, trouble *why)
{
    return CUDA_GOOD(why, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, f->stream));
}

/* The dye before the first frame is in copy 1, since frame 0 writes copy 0. */
static bool run_start(fluid *f, trouble *why)
{
    fluid_size size = f->input->size;
    size_t cells = (size_t)size.nx * (size_t)size.ny;
    bool done = CUDA_GOOD(why, cudaDeviceSynchronize()); /* memory is zeroed on another stream */
    for (int c = 0; c < 3 && done; c++)
        done = copy(f, f->picture[c], f->input->picture + (size_t)c * cells, cells * sizeof(float), why) &&
            copy(f, f->dye[c][1], f->picture[c], cells * sizeof(float), why);
    done = done && copy(f, f->solid, f->input->walls, cells, why);
    for (int round = 0; round < FLUID_CLEARANCE_MAX && done; round++) {
        void *args[] = {&f->clearance[1 - round % 2], &f->clearance[round % 2], &f->solid, &size};
        done = launch(f, &fluid_clearance, fluid_shape(size), args, why);
    }
    void *args[] = {&f->open[0], &f->open[1], &f->solid, &size};
    return done && launch(f, &fluid_openings, fluid_half_shape(size), args, why) && CUDA_GOOD(why, cudaStreamSynchronize(f->stream));
}

/* ---- the frame ---- */

/* A graph under construction. */
typedef struct {
    fluid *f;
    cudaGraph_t graph;
    cudaGraphNode_t last; /* for nodes in line */
    bool in_line, good;
    trouble *why;
} builder;

/* Nodes that the next one comes after; NULL ones do not count. */
typedef struct {
    cudaGraphNode_t node[BEFORE_MOST];
} before;

static size_t edges_of(const builder *b, const before *given, cudaGraphNode_t out[BEFORE_MOST])
{
    size_t count = 0;
    if (b->in_line) {
        if (b->last)
            out[count++] = b->last;
        return count;
    }
    for (int i = 0; i < BEFORE_MOST; i++)
        if (given->node[i])
            out[count++] = given->node[i];
    return count;
}

static cudaGraphNode_t kernel_node(builder *b, const weir_kernel *kernel, weir_shape shape, void **args, before after)
{
    cudaGraphNode_t edge[BEFORE_MOST], node = NULL;
    struct cudaKernelNodeParams params = launch_of(kernel, shape, args);
    size_t count = edges_of(b, &after, edge);
    b->good = b->good && CUDA_GOOD(b->why, cudaGraphAddKernelNode(&node, b->graph, edge, count, &params));
    return b->last = node;
}

static cudaGraphNode_t copy_node(builder *b, void *to, const void *from, size_t bytes, before after)
{
    cudaGraphNode_t edge[BEFORE_MOST], node = NULL;
    size_t count = edges_of(b, &after, edge);
    b->good = b->good && CUDA_GOOD(b->why, cudaGraphAddMemcpyNode1D(&node, b->graph, edge, count, to, from, bytes, cudaMemcpyDefault));
    return b->last = node;
}

/* The pressure's sweeps, one after another, and what they follow and are followed by. Returns the last node. */
static cudaGraphNode_t add_solve(builder *b, float **u, float **v, before forces)
{
    fluid *f = b->f;
    fluid_size size = f->input->size;
    weir_shape half = fluid_half_shape(size);
    float omega = OVER_RELAXATION;
    void *divergence[] = {&f->divergence[0], &f->divergence[1], u, v, &f->open[0], &f->open[1], &size};
    cudaGraphNode_t last = kernel_node(b, &fluid_divergence, half, divergence, forces);
    for (uint32_t i = 0; i < f->input->sweeps; i++)
        for (int32_t c = 0; c < 2; c++) {
            void *relax[] = {&f->pressure[c], &f->pressure[1 - c], &f->divergence[c], &f->open[c], &size, &c, &omega};
            last = kernel_node(b, &fluid_relax, half, relax, (before){{last}});
        }
    return last;
}

/* The frame that writes copy `now`. In the order of examples/fluid_graph.c. */
static void add_frame(builder *b, int now)
{
    fluid *f = b->f;
    fluid_size size = f->input->size;
    fluid_motion motion = f->input->motion;
    float step = motion.step, **u = &f->u[now], **v = &f->v[now], **u0 = &f->u[1 - now], **v0 = &f->v[1 - now];
    uint8_t **clearance = &f->clearance[0];
    weir_shape whole = fluid_shape(size), half = fluid_half_shape(size);
    size_t cells = (size_t)size.nx * (size_t)size.ny;
    cudaGraphNode_t upload = copy_node(b, f->sources, f->sources_in, (size_t)motion.sources * sizeof(fluid_source), (before){{NULL}});

    void *trace_args[] = {&f->from_x, &f->from_y, u0, v0, &f->solid, clearance, &size, &step};
    cudaGraphNode_t trace = kernel_node(b, &fluid_trace, whole, trace_args, (before){{NULL}}), dye[3], pour[3];
    for (int c = 0; c < 3; c++) {
        void *args[] = {&f->dye[c][now], &f->dye[c][1 - now], &f->from_x, &f->from_y, &f->solid, clearance, &size};
        dye[c] = kernel_node(b, &fluid_advect_dye, whole, args, (before){{trace}});
    }
    void *u_args[] = {u, u0, v0, &f->solid, clearance, &size, &step}, *v_args[] = {v, u0, v0, &f->solid, clearance, &size, &step};
    cudaGraphNode_t advect_u = kernel_node(b, &fluid_advect_u, whole, u_args, (before){{NULL}});
    cudaGraphNode_t advect_v = kernel_node(b, &fluid_advect_v, whole, v_args, (before){{NULL}});

    for (int32_t c = 0; c < 3; c++) {
        void *args[] = {&f->dye[c][now], &f->picture[c], &f->solid, &f->sources, &size, &motion, &c};
        pour[c] = kernel_node(b, &fluid_pour, whole, args, (before){{dye[c], upload}});
    }
    void *shade_args[] = {&f->rgba, &f->dye[0][now], &f->dye[1][now], &f->dye[2][now], &f->solid, &size};
    cudaGraphNode_t shade = kernel_node(b, &fluid_shade, whole, shade_args, (before){{pour[0], pour[1], pour[2]}});
    copy_node(b, f->pixels, f->rgba, 4 * cells, (before){{shade}});

    void *vorticity_args[] = {&f->vorticity, u, v, &size};
    cudaGraphNode_t vorticity = kernel_node(b, &fluid_vorticity, whole, vorticity_args, (before){{advect_u, advect_v}});
    void *push_u_args[] = {u, &f->vorticity, &f->solid, &f->sources, &size, &motion};
    void *push_v_args[ARGS_MOST] = {v, &f->vorticity, &f->dye[0][now], &f->dye[1][now], &f->dye[2][now], &f->solid, &f->sources, &size,
        &motion};
    cudaGraphNode_t push_u = kernel_node(b, &fluid_push_u, whole, push_u_args, (before){{vorticity, upload}});
    cudaGraphNode_t push_v = kernel_node(b, &fluid_push_v, whole, push_v_args, (before){{vorticity, pour[0], pour[1], pour[2]}});

    cudaGraphNode_t solved = add_solve(b, u, v, (before){{push_u, push_v}});
    void *project_u_args[] = {u, &f->pressure[0], &f->pressure[1], &f->solid, &size};
    void *project_v_args[] = {v, &f->pressure[0], &f->pressure[1], &f->solid, &size};
    kernel_node(b, &fluid_project_u, half, project_u_args, (before){{solved}});
    kernel_node(b, &fluid_project_v, half, project_v_args, (before){{solved}});
}

static bool build_frame(fluid *f, int now, bool in_line, trouble *why)
{
    if (!CUDA_GOOD(why, cudaGraphCreate(&f->graph[now], 0)))
        return false;
    builder b = {.f = f, .graph = f->graph[now], .in_line = in_line, .good = true, .why = why};
    add_frame(&b, now);
    return b.good && CUDA_GOOD(why, cudaGraphInstantiate(&f->exec[now], f->graph[now], 0)) &&
        CUDA_GOOD(why, cudaGraphUpload(f->exec[now], f->stream)) && CUDA_GOOD(why, cudaStreamSynchronize(f->stream));
}

/* Frames are not launched back to back here: each has sources of its own. */
static bool fluid_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    fluid *f = self;
    *out = (lap){0.0, 0.0};
    for (uint32_t i = 0; i < frames; i++) {
        fluid_sources_at(f->input->seed, f->frames, f->input->size, f->sources_in);
        double begun = timing_now_ns();
        if (!CUDA_GOOD(why, cudaGraphLaunch(f->exec[f->frames % 2], f->stream)))
            return false;
        double submitted = timing_now_ns();
        cudaError_t error = cudaErrorNotReady;
        while (error == cudaErrorNotReady)
            error = cudaStreamQuery(f->stream);
        double ended = timing_now_ns();
        if (!trouble_check(why, error, "cudaStreamQuery"))
            return false;
        out->submit_ns += (submitted - begun) / frames;
        out->done_ns += (ended - begun) / frames;
        f->frames++;
    }
    return true;
}

bool fluid_rival_make(racer *out, const fluid_input *input, bool in_line, trouble *why)
{
    fluid *f = calloc(1, sizeof *f);
    if (!f)
        return trouble_no_memory(why);
    f->input = input;
    bool done = CUDA_GOOD(why, cudaStreamCreateWithFlags(&f->stream, cudaStreamNonBlocking)) && take_memory(f, why) && run_start(f, why) &&
        build_frame(f, 0, in_line, why) && build_frame(f, 1, in_line, why);
    if (!done) {
        fluid_finish(f);
        return false;
    }
    *out = (racer){.mode = "replay", .run = fluid_run, .finish = fluid_finish, .self = f};
    snprintf(out->how, sizeof out->how, "nodes, %s", in_line ? "in line" : "true edges");
    return true;
}

bool fluid_rival_state(const racer *r, fluid_state *state, trouble *why)
{
    const fluid *f = r->self;
    int now = f->frames % 2 == 0; /* frame n wrote copy n % 2 */
    const void *from[FLUID_FIELDS] = {f->u[now], f->v[now], f->dye[0][now], f->dye[1][now], f->dye[2][now], f->pressure[0], f->pressure[1],
        f->pixels};
    bool done = CUDA_GOOD(why, cudaStreamSynchronize(f->stream));
    for (int i = 0; i < FLUID_FIELDS && done; i++)
        done = CUDA_GOOD(why, cudaMemcpy(state->field[i], from[i], fluid_field_bytes(f->input->size, i), cudaMemcpyDefault));
    return done;
}
