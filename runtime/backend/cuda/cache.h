/* cache.h - executable graphs that programs leave behind, for later programs of the same shape. It knows neither programs nor slots: a shape
 * is a number, and what has the same number is taken to have the same shape. Any thread may call; nothing here waits for another. */
#ifndef WEIR_BACKEND_CUDA_CACHE_H
#define WEIR_BACKEND_CUDA_CACHE_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A hash of 128 bits over all that makes up a shape, and taken for it: there are some 2^64 shapes before two are likely to have one hash. */
typedef struct {
    uint64_t word[2];
} shape_key;

void weir_shape_add(shape_key *key, uint64_t value); /* what is added, and in what order, counts */

/* An executable graph, the graph that it was first made from, and that one's nodes: by these alone can it be changed. */
typedef struct {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t *nodes; /* piece -> node; of weir_alloc */
    uint32_t pieces;
} made_graph;

void weir_made_graph_destroy(made_graph *made); /* a zeroed one is fine */

enum { WEIR_CACHE_ROWS = 256 };

typedef struct {
    pthread_mutex_t lock;       /* a leaf; guards the rest */
    struct cached *rows[WEIR_CACHE_ROWS];
    struct cached *newest, *oldest;
    uint64_t nodes, nodes_most; /* of all graphs in it */
} graph_cache;

void weir_cache_init(graph_cache *cache, uint64_t nodes_most); /* 0: it keeps none */
void weir_cache_finish(graph_cache *cache); /* with the device current */

/* The last graph of that shape that was given, which is the caller's from then on: nobody else gets it. false: there is none. */
bool weir_cache_take(graph_cache *cache, const shape_key *key, uint32_t pieces, made_graph *out);

/* Nothing that runs may change it any more, and all its nodes are on. The caller has it no longer, also where it is not kept. Those given
 * longest ago go when there are more nodes than there may be. */
void weir_cache_give(graph_cache *cache, const shape_key *key, made_graph *made);

#endif
