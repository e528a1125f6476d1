/* fake.h - what the files of the fake CUDA share. One lock guards all that is here; a function of another file is called with it held. */
#ifndef TESTS_BACKEND_CUDA_FAKE_FAKE_H
#define TESTS_BACKEND_CUDA_FAKE_FAKE_H

#include "fake_cuda.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE_MOST = 1000, PRIORITY_GREATEST = -5, BLOCK_MOST = 1024, SHARED_MOST = 232448, SHARED_USUAL = 49152, BATCH_MOST = 256 };

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

typedef enum { IS_STREAM = 1, IS_EVENT, IS_GRAPH, IS_NODE, IS_EXEC, IS_POOL } handle_kind;

extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_work, fake_done;
extern struct CUstream_st *fake_streams, fake_legacy;
extern range *fake_ranges;
extern uint64_t fake_numbers, fake_random;
extern _Thread_local enum cudaStreamCaptureMode fake_thread_mode;

/* fake_base.c */
__attribute__((noreturn, format(printf, 2, 3))) void fake_wrong(const char *call, const char *format, ...);
cudaError_t fake_give(cudaError_t error);
void *fake_zeros(size_t count, size_t size);
void *fake_grow(void *memory, size_t count, size_t *room, size_t size);
int64_t fake_now_ns(void);
uint64_t fake_draw(void);
uint64_t fake_mixed(uint64_t a, uint64_t b);
void *fake_know(void *of, handle_kind kind);
void fake_forget(const void *of);
void fake_check_handle(const char *call, const void *of, handle_kind kind);
struct CUstream_st *fake_check_stream(const char *call, cudaStream_t stream);
const weir_kernel *fake_known_kernel(const void *function);

/* fake_memory.c */
range *fake_range_of(const void *memory);
void fake_add_range(void *memory, size_t bytes, enum cudaMemoryType type, int origin);
void fake_drop_range(const char *call, void *memory, int origin);
enum cudaMemoryType fake_type_of(const char *call, const void *memory, size_t bytes);
void fake_check_copy(const char *call, enum cudaMemoryType to, enum cudaMemoryType from, enum cudaMemcpyKind kind);
size_t fake_box_bytes(const struct cudaPitchedPtr *p, const struct cudaExtent *e);
unsigned char *fake_box_first(const struct cudaPitchedPtr *p, const struct cudaPos *pos);
void fake_check_side(const char *call, const struct cudaPitchedPtr *p, const struct cudaPos *pos, const struct cudaExtent *e);

/* fake_act.c */
act *fake_make_act(act_kind kind);
act *fake_hold(act *a);
void fake_drop_act(act *a);
cudaError_t fake_kernel_act(const char *call, const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared, act **out);
act *fake_line_act(const char *call, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
act *fake_box_act(const char *call, const struct cudaMemcpy3DParms *p);
act *fake_fill_act(const char *call, const struct cudaMemsetParams *p);
act *fake_batch_act(const char *call, unsigned count, const CUstreamBatchMemOpParams *operations);
void fake_run_act(const act *a);
uint32_t *fake_word_at(CUdeviceptr address);
bool fake_batch_can(const act *a, unsigned step);
void fake_batch_step(const act *a, unsigned step);

/* fake_run.c */
void fake_drop_mark(mark *m);
void fake_drop_exec(struct CUgraphExec_st *exec);
graph_run *fake_make_run(struct CUgraphExec_st *exec);
void fake_wait_for_operations(const struct CUstream_st *stream);
void fake_launch(struct CUstream_st *s, operation with);

/* fake_capture.c */
void fake_careful(const char *call);
capture *fake_capture_of(uint64_t id);
void fake_put(const char *call, struct CUstream_st *s, act *does);

/* fake_stream.c */
cudaError_t fake_check_attribute(const char *call, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value, struct dim3 grid);

/* fake_graph.c */
act *fake_check_pinned(const char *call, act *does);
bool fake_has_node(const node_set *set, const struct CUgraphNode_st *node);
void fake_add_to(node_set *set, cudaGraphNode_t node);
cudaGraphNode_t fake_add_node(const char *call, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, act *does);
void fake_destroy_graph(cudaGraph_t graph);

#endif
