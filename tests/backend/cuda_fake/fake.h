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

typedef enum {
    ACT_NOTHING, ACT_KERNEL, ACT_LINE, ACT_BOX, ACT_FILL, ACT_BATCH, ACT_FREE, ACT_HOST,
    /* of graphs alone */
    ACT_RECORD, ACT_AWAIT, ACT_ALLOC, ACT_RELEASE, ACT_CONDITIONAL, ACT_CHILD
} act_kind;

/* What an operation or node does; never changed once made. */
typedef struct {
    act_kind kind;
    unsigned refs;
    const weir_kernel *kernel;
    struct dim3 grid, block;
    size_t shared;
    void **args;
    struct cudaMemcpy3DParms box;
    void *to; /* of ACT_ALLOC: the memory, which it owns */
    const void *from;
    size_t bytes;
    int to_kind, from_kind; /* cudaMemoryType */
    struct cudaMemsetParams fill;
    CUstreamBatchMemOpParams *batch;
    unsigned batch_count;
    cudaHostFn_t host;
    void *user;
    cudaEvent_t event;
    struct cudaConditionalNodeParams condition;
} act;

/* A recorded point of a stream. */
typedef struct {
    unsigned refs;
    bool done;
    int64_t when_ns;
} mark;

/* Nodes, and what is said of the edge from each. */
typedef struct {
    cudaGraphNode_t *at;
    cudaGraphEdgeData *data;
    size_t count, room, data_room;
} node_set;

/* Of a kernel. */
typedef struct {
    int priority, cooperative;
    unsigned cluster[3];
    bool programmatic; /* a launch that may begin early */
} launch_attributes;

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    size_t index;
    act *does;
    launch_attributes attributes;
    node_set after;
    struct CUgraph_st **inner; /* bodies, or the child */
    size_t inner_count;
    uint64_t captured; /* the capture that it has to be joined in; 0: none */
    bool reached;
};

/* A conditional handle is its graph's number and, in the low 16 bits, its own in that graph. */
typedef struct {
    unsigned value, flags;
    bool used;
} handle_use;

struct CUgraph_st {
    uint64_t id;
    struct CUgraphNode_st **node;
    size_t count, room, edges;
    struct CUgraphNode_st *owner; /* of a body or child; NULL: a graph of its own */
    handle_use *handle;
    size_t handle_count, handle_room;
    unsigned captures; /* that go on into it */
};

typedef struct {
    uint64_t id;
    struct CUgraph_st *graph;
    struct CUstream_st *origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    bool lost;
} capture;

typedef struct {
    size_t node;
    bool programmatic;
} exec_edge;

typedef struct {
    act *does;
    launch_attributes attributes;
    bool enabled;
    exec_edge *after;
    size_t after_count;
    struct exec_graph *inner;
    size_t inner_count;
} exec_node;

typedef struct exec_graph {
    uint64_t graph_id, update_id; /* made from; updated from last */
    size_t count;
    exec_node *node;
    handle_use *handle;
    size_t handle_count;
    bool has_early; /* a programmatic edge */
} exec_graph;

struct CUgraphExec_st {
    struct CUgraphExec_st *next;
    exec_graph all;
    unsigned refs;
    unsigned long long flags;
    uint64_t launched, done;
};

typedef struct {
    act *does; /* NULL: switched off */
    mark *at;  /* of event nodes */
    bool vanished; /* keeps no order */
    bool started, synchronised;
    size_t waits_for; /* what must be done, or only be started, before it starts */
    size_t behind;    /* what must be done before cudaGridDependencySynchronize returns */
    size_t early;     /* edges from kernels that need only be started */
    unsigned step, choice;
    struct run_part *inner;
} run_node;

/* A graph or body that runs as one run of an exec. */
typedef struct run_part {
    struct graph_run *run;
    struct run_part *parent;
    size_t parent_node;
    const exec_graph *of;
    uint64_t graph_id, update_id;
    unsigned *value;
    bool *is_set;
    unsigned *times_set; /* of a loop's: since its round began */
    run_node *node;
    size_t *ready, ready_count, left;
} run_part;

typedef struct graph_run {
    struct CUgraphExec_st *exec;
    struct CUstream_st *stream;
    uint64_t number;
    run_part all;
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
    int priority;
    operation *first, *last;
    size_t count;
    bool blocking, gone;
    capture *captured;
    node_set follows;
    node_set shown; /* what cudaStreamGetCaptureInfo gave, until the next call */
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

enum { FROM_MALLOC, FROM_POOL, FROM_HOST_ALLOC, FROM_REGISTER, FROM_GRAPH };

/* Memory that CUDA knows. */
typedef struct range {
    struct range *next;
    unsigned char *from;
    size_t bytes;
    enum cudaMemoryType type;
    int origin; /* FROM_* */
    cudaMemPool_t pool; /* of FROM_POOL */
} range;

typedef enum { IS_STREAM = 1, IS_EVENT, IS_GRAPH, IS_NODE, IS_EXEC, IS_POOL } handle_kind;

extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_done;
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
const weir_kernel *fake_known_kernel(const void *function);

/* fake_memory.c */
range *fake_range_of(const void *memory);
void *fake_new_memory(size_t bytes, enum cudaMemoryType type, int origin);
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
act *fake_host_act(cudaHostFn_t host, void *user);
act *fake_event_act(const char *call, act_kind kind, cudaEvent_t event);
act *fake_check_pinned(const char *call, act *does);
void fake_run_act(const act *a);
uint32_t *fake_word_at(CUdeviceptr address);
bool fake_batch_can(const act *a, unsigned step);
void fake_batch_step(const act *a, unsigned step);

/* fake_run.c */
mark *fake_make_mark(unsigned refs);
void fake_drop_mark(mark *m);
graph_run *fake_make_run(struct CUgraphExec_st *exec, struct CUstream_st *stream);
void fake_wait_for_operations(const struct CUstream_st *stream);
void fake_promise_stacks(void); /* fake_stacks.c: of a test that hangs */
void fake_launch(struct CUstream_st *s, operation with);

/* fake_capture.c */
cudaError_t fake_careful(void);
cudaError_t fake_legacy_used(void);
cudaError_t fake_lose(capture *c, cudaError_t error);
cudaError_t fake_lose_all(void);
capture *fake_capture_of(uint64_t id);
cudaError_t fake_put(const char *call, struct CUstream_st *s, act *does, const launch_attributes *attributes);

/* fake_stream.c */
struct CUstream_st *fake_check_stream(const char *call, cudaStream_t stream);
cudaError_t fake_target(const char *call, cudaStream_t stream, struct CUstream_st **out);
cudaError_t fake_set_attribute(const char *call, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value, struct dim3 grid, launch_attributes *attributes);

/* fake_graph.c */
void fake_add_to(node_set *set, cudaGraphNode_t node, const cudaGraphEdgeData *data);
void fake_finish_set(node_set *set);
bool fake_is_programmatic(const cudaGraphEdgeData *data);
cudaError_t fake_check_edge(const struct CUgraph_st *graph, cudaGraphNode_t from, act_kind to, const cudaGraphEdgeData *data);
struct CUgraph_st *fake_make_graph(struct CUgraphNode_st *owner);
cudaError_t fake_add_node(const char *call, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count, act *does,
                          cudaGraphNode_t *out);
void fake_destroy_graph(cudaGraph_t graph);
struct CUgraph_st *fake_give_inner(struct CUgraphNode_st *node, size_t count);
handle_use *fake_use_of(const struct CUgraph_st *graph, cudaGraphConditionalHandle handle);
enum cudaGraphNodeType fake_node_type(const act *does);
bool fake_is_captured_into(const struct CUgraph_st *graph);

/* fake_exec.c */
void fake_drop_exec(struct CUgraphExec_st *exec);
bool fake_may_be_in_body(act_kind kind);

#endif
