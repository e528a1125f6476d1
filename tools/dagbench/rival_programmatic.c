/* rival_programmatic.c - a CUDA graph by hand whose edges are programmatic: the kernel behind one is brought to the device while the one before it
 * still runs, and waits there. */
#include "rival.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    cudaGraphNode_t *node;   /* by task */
    cudaGraphNode_t *before; /* room for the predecessors of one */
    cudaGraphEdgeData *edge; /* as many */
} room;

static bool room_init(room *r, const shape *graph)
{
    *r = (room){
        .node = calloc((size_t)graph->tasks + 1, sizeof(cudaGraphNode_t)),
        .before = calloc((size_t)graph->edges + 1, sizeof(cudaGraphNode_t)),
        .edge = calloc((size_t)graph->edges + 1, sizeof(cudaGraphEdgeData)),
    };
    for (uint32_t i = 0; r->edge && i < graph->edges; i++) {
        r->edge[i].from_port = cudaGraphKernelNodePortProgrammatic;
        r->edge[i].type = cudaGraphDependencyTypeProgrammatic;
    }
    return r->node && r->before && r->edge;
}

static void room_finish(room *r)
{
    free(r->node);
    free(r->before);
    free(r->edge);
}

static bool add_nodes(cudaGraph_t out, const shape *graph, const rival_work *work, const room *r, trouble *why)
{
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeKernel};
    params.kernel.func = (void *)work->code;
    params.kernel.gridDim = (dim3){1, 1, 1};
    params.kernel.blockDim = (dim3){SPIN_THREADS, 1, 1};
    for (uint32_t t = 0; t < graph->tasks; t++) {
        uint32_t count = 0;
        for (uint32_t i = graph->first[t]; i < graph->first[t + 1]; i++)
            r->before[count++] = r->node[graph->pred[i]];
        params.kernel.kernelParams = work->args[t];
        if (!CUDA_GOOD(why, cudaGraphAddNode(&r->node[t], out, r->before, r->edge, count, &params)))
            return false;
    }
    return true;
}

static bool device_knows_them(trouble *why)
{
    int device = 0, major = 0;
    if (!CUDA_GOOD(why, cudaGetDevice(&device)) || !CUDA_GOOD(why, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)))
        return false;
    if (major < 9)
        snprintf(why->text, sizeof why->text, "programmatic edges need a device of compute capability 9.0; this one has %d", major);
    return major >= 9;
}

bool rival_programmatic_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, trouble *why)
{
    cudaGraph_t built = NULL;
    room r;
    if (!device_knows_them(why))
        return false;
    bool done = room_init(&r, graph) || trouble_no_memory(why);
    done = done && CUDA_GOOD(why, cudaGraphCreate(&built, 0)) && add_nodes(built, graph, work, &r, why);
    room_finish(&r);
    if (!done) {
        if (built)
            cudaGraphDestroy(built);
        return false;
    }
    if (!rival_graph_make(out, pool, built, why))
        return false;
    snprintf(out->how, sizeof out->how, "nodes, programmatic");
    return true;
}
