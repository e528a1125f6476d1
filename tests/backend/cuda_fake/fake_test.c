/* fake_test.c - what the fake CUDA promises: it runs what CUDA would, in any order that CUDA allows, and refuses what CUDA refuses, with the same
 * errors. No weir in it. Needs two executors or more, since kernels wait for each other. What has to end the process is tried in a process of
 * its own: this program, with a case's name. The first seed is WEIR_TEST_SEED, or 1; how many are WEIR_TEST_PROGRAMS, or 200. */
#include "fake_cuda.h"
#include <check.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool in_a_case; /* that has to end the process: check is not there */

static void expect(cudaError_t expected, cudaError_t result, const char *call, int line)
{
    if (!in_a_case)
        ck_assert_msg(result == expected, "line %d: %s gave %s (%d), not %s (%d)", line, call, cudaGetErrorName(result), (int)result, cudaGetErrorName(expected),
                      (int)expected);
    else if (result != expected)
        fprintf(stderr, "line %d: %s gave %d, not %d\n", line, call, (int)result, (int)expected);
}

#define GIVES(error, call) expect(error, call, #call, __LINE__)
#define OK(call) GIVES(cudaSuccess, call)

/* ---- kernels ---- */

static void put_code(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    *WEIR_PASSED(uint32_t *, args, 0) = WEIR_PASSED(uint32_t, args, 1);
}

/* Order matters. */
static void mix_code(const weir_blocks *blocks, void *const *args)
{
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    (void)blocks;
    *to = *to * 31 + *WEIR_PASSED(const uint32_t *, args, 1) + WEIR_PASSED(uint32_t, args, 2);
}

/* The same; may be launched early. */
static void mix_early_code(const weir_blocks *blocks, void *const *args)
{
    fake_cuda_grid_dependency_synchronize();
    mix_code(blocks, args);
}

/* The handle's value is the word, modulo. */
static void set_code(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    fake_cuda_set_conditional(WEIR_PASSED(unsigned long long, args, 0), *WEIR_PASSED(const uint32_t *, args, 1) % WEIR_PASSED(uint32_t, args, 2));
}

/* One less, and that is the handle's value. */
static void count_down_code(const weir_blocks *blocks, void *const *args)
{
    uint32_t *word = WEIR_PASSED(uint32_t *, args, 1);
    (void)blocks;
    fake_cuda_set_conditional(WEIR_PASSED(unsigned long long, args, 0), --*word);
}

static void raise_code(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    __atomic_store_n(WEIR_PASSED(uint32_t *, args, 0), 1, __ATOMIC_RELEASE);
}

static void raise_early_code(const weir_blocks *blocks, void *const *args)
{
    raise_code(blocks, args);
    fake_cuda_grid_dependency_synchronize();
}

static void await_code(const weir_blocks *blocks, void *const *args)
{
    const uint32_t *flag = WEIR_PASSED(const uint32_t *, args, 0);
    (void)blocks;
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
        sched_yield();
}

static const uint16_t word_bytes[] = {sizeof(void *), 4}, mix_bytes[] = {sizeof(void *), sizeof(void *), 4}, set_bytes[] = {8, sizeof(void *), 4};
static const weir_kernel put = {"put", NULL, NULL, put_code, word_bytes, 2, WEIR_KERNEL_ONE_CALL};
static const weir_kernel mix = {"mix", NULL, NULL, mix_code, mix_bytes, 3, WEIR_KERNEL_ONE_CALL};
static const weir_kernel mix_early = {"mix early", NULL, NULL, mix_early_code, mix_bytes, 3, WEIR_KERNEL_ONE_CALL};
static const weir_kernel set = {"set", NULL, NULL, set_code, set_bytes, 3, WEIR_KERNEL_ONE_CALL};
static const weir_kernel count_down = {"count down", NULL, NULL, count_down_code, set_bytes, 2, WEIR_KERNEL_ONE_CALL};
static const weir_kernel raise_flag = {"raise", NULL, NULL, raise_code, word_bytes, 1, WEIR_KERNEL_ONE_CALL};
static const weir_kernel raise_early = {"raise early", NULL, NULL, raise_early_code, word_bytes, 1, WEIR_KERNEL_ONE_CALL};
static const weir_kernel await_flag = {"await", NULL, NULL, await_code, word_bytes, 1, WEIR_KERNEL_ONE_CALL};

/* A kernel with its arguments. */
typedef struct {
    const weir_kernel *kernel;
    unsigned long long handle;
    void *to;
    const void *from;
    uint32_t value;
} step;

static const struct dim3 one = {1, 1, 1};

static void point_at(const step *s, void **args)
{
    const bool sets = s->kernel == &set || s->kernel == &count_down;
    args[0] = sets ? (void *)(uintptr_t)&s->handle : (void *)(uintptr_t)&s->to;
    args[1] = sets ? (void *)(uintptr_t)&s->to : s->kernel->arg_count == 2 ? (void *)(uintptr_t)&s->value : (void *)(uintptr_t)&s->from;
    args[2] = (void *)(uintptr_t)&s->value;
}

static struct cudaKernelNodeParams params_of(const step *s, void **args)
{
    point_at(s, args);
    return (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)fake_cuda_kernel(s->kernel), .gridDim = one, .blockDim = one, .kernelParams = args};
}

static cudaError_t launch(step s, cudaStream_t stream)
{
    void *args[3];
    point_at(&s, args);
    return cudaLaunchKernel(fake_cuda_kernel(s.kernel), one, one, args, 0, stream);
}

static cudaGraphNode_t add(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, step s)
{
    void *args[3];
    cudaGraphNode_t node = NULL;
    struct cudaKernelNodeParams params = params_of(&s, args);
    OK(cudaGraphAddKernelNode(&node, graph, after, count, &params));
    return node;
}

static step put_step(uint32_t *to, uint32_t value)
{
    return (step){.kernel = &put, .to = to, .value = value};
}

static step mix_step(uint32_t *to, const uint32_t *from, uint32_t value)
{
    return (step){.kernel = &mix, .to = to, .from = from, .value = value};
}

static step set_step(cudaGraphConditionalHandle handle, uint32_t *word, uint32_t modulo)
{
    return (step){.kernel = &set, .handle = handle, .to = word, .value = modulo};
}

static step count_down_step(cudaGraphConditionalHandle handle, uint32_t *word)
{
    return (step){.kernel = &count_down, .handle = handle, .to = word};
}

/* ---- what most tests need ---- */

enum { WORDS = 64 };
static uint32_t *words; /* pinned */
static cudaStream_t stream, other;
static cudaEvent_t event;

static void make_all(void)
{
    void *memory;
    OK(cudaHostAlloc(&memory, WORDS * sizeof *words, 0));
    words = memory;
    memset(words, 0, WORDS * sizeof *words);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
}

/* A test that failed may have left one open. */
static void end_capture(cudaStream_t of)
{
    cudaGraph_t graph;
    (void)cudaStreamEndCapture(of, &graph);
}

static void drop_all(void)
{
    end_capture(stream);
    end_capture(other);
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(other));
    OK(cudaEventDestroy(event));
    OK(cudaFreeHost(words));
    (void)cudaGetLastError();
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void run_once(cudaGraph_t graph)
{
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaGraphExecDestroy(exec));
}

static cudaGraph_t new_graph(void)
{
    cudaGraph_t graph = NULL;
    OK(cudaGraphCreate(&graph, 0));
    return graph;
}

static size_t node_count(cudaGraph_t graph)
{
    size_t count = 0;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

static enum cudaGraphNodeType type_of_last(cudaGraph_t graph)
{
    cudaGraphNode_t nodes[WORDS];
    size_t count = WORDS;
    enum cudaGraphNodeType type;
    OK(cudaGraphGetNodes(graph, nodes, &count));
    OK(cudaGraphNodeGetType(nodes[count - 1], &type));
    return type;
}

/* In a thread of its own. */
typedef struct {
    cudaError_t (*call)(void *of);
    void *of;
    cudaError_t result;
} elsewhere;

static void *do_elsewhere(void *of)
{
    elsewhere *e = of;
    e->result = e->call(e->of);
    return NULL;
}

static cudaError_t in_another_thread(cudaError_t (*call)(void *of), void *of)
{
    elsewhere e = {call, of, cudaSuccess};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, do_elsewhere, &e), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    return e.result;
}

/* ---- conditional nodes ---- */

/* Adds it; bodies come back in `bodies`. */
static cudaError_t try_conditional(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraphConditionalHandle handle, enum cudaGraphConditionalNodeType type,
                                   unsigned size, cudaGraphNode_t *node, cudaGraph_t *bodies)
{
    struct cudaGraphNodeParams params;
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    cudaError_t result = cudaGraphAddNode(node, graph, after, NULL, count, &params);
    for (unsigned i = 0; i < size && result == cudaSuccess; i++)
        bodies[i] = params.conditional.phGraph_out[i];
    return result;
}

static cudaGraphNode_t add_conditional(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraphConditionalHandle handle, enum cudaGraphConditionalNodeType type,
                                       unsigned size, cudaGraph_t *bodies)
{
    cudaGraphNode_t node = NULL;
    OK(try_conditional(graph, after, count, handle, type, size, &node, bodies));
    return node;
}

static cudaGraphConditionalHandle new_handle(cudaGraph_t graph, unsigned value, unsigned flags)
{
    cudaGraphConditionalHandle handle = 0;
    OK(cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
    return handle;
}

/* word 0 counts down from its value, word 1 is mixed each time; the loop's default is that it is run. */
static cudaGraph_t loop_graph(cudaGraphNode_t *mixes)
{
    cudaGraph_t graph = new_graph(), body = NULL;
    cudaGraphConditionalHandle handle = new_handle(graph, 1, cudaGraphCondAssignDefault);
    add_conditional(graph, NULL, 0, handle, cudaGraphCondTypeWhile, 1, &body);
    cudaGraphNode_t mixed = add(body, NULL, 0, mix_step(&words[1], &words[0], 3));
    add(body, &mixed, 1, count_down_step(handle, &words[0]));
    if (mixes)
        *mixes = mixed;
    return graph;
}

static uint32_t loop_result(uint32_t start, uint32_t times, uint32_t value)
{
    for (; times > 0; times--)
        start = start * 31 + times + value;
    return start;
}

START_TEST(while_runs_its_body_as_long_as_the_value_is_not_zero)
{
    cudaGraph_t graph = loop_graph(NULL);
    cudaGraphExec_t exec = instantiate(graph);
    uint32_t expected = 0;
    for (uint32_t times = 1; times < 30; times++) {
        words[0] = times;
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        expected = loop_result(expected, times, 3);
        ck_assert_uint_eq(words[0], 0);
        ck_assert_uint_eq(words[1], expected);
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(if_and_else_and_switch_choose)
{
    for (uint32_t value = 0; value < 5; value++) {
        cudaGraph_t graph = new_graph(), bodies[4];
        memset(words, 0, WORDS * sizeof *words);
        words[0] = value;
        cudaGraphConditionalHandle handle[3];
        const enum cudaGraphConditionalNodeType types[3] = {cudaGraphCondTypeIf, cudaGraphCondTypeIf, cudaGraphCondTypeSwitch};
        const unsigned sizes[3] = {1, 2, 4};
        for (uint32_t i = 0; i < 3; i++) {
            handle[i] = new_handle(graph, 0, 0);
            cudaGraphNode_t sets = add(graph, NULL, 0, set_step(handle[i], &words[0], 100));
            add_conditional(graph, &sets, 1, handle[i], types[i], sizes[i], bodies);
            for (uint32_t b = 0; b < sizes[i]; b++)
                add(bodies[b], NULL, 0, put_step(&words[1 + i], b + 1));
        }
        run_once(graph);
        ck_assert_uint_eq(words[1], value > 0 ? 1 : 0);
        ck_assert_uint_eq(words[2], value > 0 ? 1 : 2);
        ck_assert_uint_eq(words[3], value < 4 ? value + 1 : 0);
        OK(cudaGraphDestroy(graph));
    }
}
END_TEST

START_TEST(conditional_parameters_are_checked)
{
    cudaGraph_t graph = new_graph(), bodies[4], elsewhere_graph = new_graph();
    cudaGraphConditionalHandle handle = new_handle(graph, 0, 0), foreign = new_handle(elsewhere_graph, 0, 0);
    cudaGraphNode_t node;
    GIVES(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&foreign, graph, 0, 2));
    GIVES(cudaErrorInvalidValue, try_conditional(graph, NULL, 0, handle, cudaGraphCondTypeWhile, 2, &node, bodies));
    GIVES(cudaErrorInvalidValue, try_conditional(graph, NULL, 0, handle, cudaGraphCondTypeIf, 3, &node, bodies));
    GIVES(cudaErrorInvalidValue, try_conditional(graph, NULL, 0, handle, cudaGraphCondTypeSwitch, 0, &node, bodies));
    GIVES(cudaErrorInvalidValue, try_conditional(graph, NULL, 0, foreign, cudaGraphCondTypeIf, 1, &node, bodies));
    OK(try_conditional(graph, NULL, 0, handle, cudaGraphCondTypeIf, 1, &node, bodies));
    GIVES(cudaErrorInvalidValue, try_conditional(graph, NULL, 0, handle, cudaGraphCondTypeIf, 1, &node, bodies));
    ck_assert_uint_eq(node_count(graph), 1);
    struct cudaGraphNodeParams params;
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeEmpty;
    params.reserved1[3] = 1; /* not used, so zero */
    GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(elsewhere_graph));
}
END_TEST

START_TEST(instantiating_refuses_what_a_body_may_not_hold)
{
    cudaGraph_t graph = new_graph(), body = NULL, deeper = NULL;
    cudaGraphConditionalHandle handle = new_handle(graph, 0, cudaGraphCondAssignDefault), inner = new_handle(graph, 0, cudaGraphCondAssignDefault);
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    add_conditional(graph, NULL, 0, handle, cudaGraphCondTypeIf, 1, &body);
    cudaGraphInstantiateParams params = {0};
    GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &params)); /* `inner` is not used yet */
    ck_assert_int_eq(params.result_out, cudaGraphInstantiateConditionalHandleUnused);
    add_conditional(body, NULL, 0, inner, cudaGraphCondTypeIf, 1, &deeper);
    OK(cudaGraphInstantiateWithParams(&exec, graph, &params));
    ck_assert_int_eq(params.result_out, cudaGraphInstantiateSuccess);
    OK(cudaGraphExecDestroy(exec));
    GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, body, 0));
    OK(cudaGraphAddEventRecordNode(&node, deeper, NULL, 0, event));
    GIVES(cudaErrorNotSupported, cudaGraphInstantiateWithParams(&exec, graph, &params));
    ck_assert_int_eq(params.result_out, cudaGraphInstantiateNodeOperationNotSupported);
    ck_assert_ptr_eq(params.errNode_out, node);
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(graph_with_conditionals_has_one_exec_and_no_copy)
{
    cudaGraph_t graph = loop_graph(NULL), around = new_graph(), copy;
    cudaGraphExec_t exec = instantiate(graph), second;
    cudaGraphNode_t node;
    GIVES(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));
    GIVES(cudaErrorInvalidValue, cudaGraphClone(&copy, graph));
    GIVES(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&node, around, NULL, 0, graph));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(instantiate(graph)));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(around));
}
END_TEST

START_TEST(child_graph_runs_a_copy)
{
    cudaGraph_t child = new_graph(), graph = new_graph();
    cudaGraphNode_t first = add(child, NULL, 0, put_step(&words[0], 5)), node;
    add(child, &first, 1, mix_step(&words[0], &words[1], 2));
    OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    OK(cudaGraphDestroy(child));
    add(graph, &node, 1, mix_step(&words[2], &words[0], 1));
    ck_assert_uint_eq(node_count(graph), 2);
    run_once(graph);
    ck_assert_uint_eq(words[2], 5 * 31 + 2 + 1);
    OK(cudaGraphDestroy(graph));
}
END_TEST

/* ---- captures ---- */

static void end_lost(cudaStream_t of)
{
    cudaGraph_t graph = (cudaGraph_t)(void *)words;
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(of, &graph));
    ck_assert_ptr_null(graph);
    enum cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(of, &status));
    ck_assert_int_eq(status, cudaStreamCaptureStatusNone);
    OK(launch(put_step(&words[60], 1), of));
    OK(cudaStreamSynchronize(of));
}

static cudaGraph_t end_well(cudaStream_t of)
{
    cudaGraph_t graph = NULL;
    OK(cudaStreamEndCapture(of, &graph));
    ck_assert_ptr_nonnull(graph);
    return graph;
}

static void fork_to(cudaStream_t from, cudaStream_t to)
{
    OK(cudaEventRecord(event, from));
    OK(cudaStreamWaitEvent(to, event, 0));
}

START_TEST(capture_into_a_graph_follows_what_it_is_told)
{
    cudaGraph_t graph = new_graph(), same;
    cudaGraphNode_t first = add(graph, NULL, 0, put_step(&words[0], 7)), end;
    OK(cudaStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, cudaStreamCaptureModeThreadLocal));
    OK(launch(mix_step(&words[0], &words[1], 1), stream));
    fork_to(stream, other);
    OK(launch(mix_step(&words[2], &words[0], 2), stream));
    OK(launch(mix_step(&words[3], &words[0], 3), other));
    fork_to(other, stream);
    enum cudaStreamCaptureStatus status;
    cudaGraph_t into = NULL;
    const cudaGraphNode_t *frontier = NULL;
    const cudaGraphEdgeData *data = NULL;
    size_t count = 0;
    GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&(cudaGraphExec_t){NULL}, graph, 0));
    OK(cudaStreamGetCaptureInfo(stream, &status, NULL, &into, &frontier, &data, &count));
    ck_assert_ptr_eq(into, graph);
    ck_assert_uint_eq(count, 2);
    cudaGraphNode_t copy[2] = {frontier[0], frontier[1]};
    OK(cudaStreamEndCapture(stream, &same));
    ck_assert_ptr_eq(same, graph);
    OK(cudaGraphAddEmptyNode(&end, graph, copy, 2));
    add(graph, &end, 1, mix_step(&words[2], &words[3], 4));
    run_once(graph);
    uint32_t zero = 7 * 31 + 1;
    ck_assert_uint_eq(words[2], (zero + 2) * 31 + zero + 3 + 4);
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(capture_of_nothing_ends_where_it_began)
{
    cudaGraph_t graph = new_graph(), same;
    cudaGraphNode_t first[2] = {add(graph, NULL, 0, put_step(&words[0], 7)), add(graph, NULL, 0, put_step(&words[1], 7))};
    const cudaGraphNode_t *frontier = NULL;
    const cudaGraphEdgeData *data = NULL;
    enum cudaStreamCaptureStatus status;
    size_t count = 0;
    OK(cudaStreamBeginCaptureToGraph(stream, graph, first, NULL, 2, cudaStreamCaptureModeThreadLocal));
    OK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &frontier, &data, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert(frontier[0] == first[0] && frontier[1] == first[1]);
    OK(cudaStreamEndCapture(stream, &same));
    ck_assert_uint_eq(node_count(graph), 2);
    GIVES(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(stream, graph, (cudaGraphNode_t[]){first[0], first[0]}, NULL, 2, cudaStreamCaptureModeRelaxed));
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(capture_makes_nodes_of_what_has_one)
{
    void *memory;
    cudaGraph_t graph = new_graph(), same;
    OK(cudaMalloc(&memory, 64));
    OK(cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    OK(launch(put_step(&words[0], 1), stream));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeKernel);
    OK(cudaMemsetAsync(memory, 1, 64, stream));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeMemset);
    OK(cudaMemcpyAsync(words, memory, 64, cudaMemcpyDeviceToHost, stream));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeMemcpy);
    OK(cudaLaunchHostFunc(stream, free, NULL));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeHost);
    OK(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeEventRecord);
    OK(cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeWaitEvent);
    void *taken;
    OK(cudaMallocAsync(&taken, 64, stream));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeMemAlloc);
    OK(cudaFreeAsync(taken, stream));
    ck_assert_int_eq(type_of_last(graph), cudaGraphNodeTypeMemFree);
    GIVES(cudaErrorInvalidValue, cudaFreeAsync(memory, stream)); /* and the capture goes on */
    OK(cudaStreamEndCapture(stream, &same));
    ck_assert_uint_eq(node_count(graph), 8);
    run_once(graph);
    ck_assert_uint_eq(words[0], 0x01010101);
    OK(cudaEventQuery(event));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(memory));
    GIVES(cudaErrorInvalidValue, cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal)); /* captured streams alone */
    GIVES(cudaErrorInvalidValue, cudaStreamWaitEvent(stream, event, cudaEventWaitExternal));
}
END_TEST

static cudaError_t query_other(void *of)
{
    (void)of;
    return cudaStreamQuery(other);
}

static cudaError_t query_event(void *of)
{
    (void)of;
    return cudaEventQuery(event);
}

static cudaError_t take_memory(void *of)
{
    void *memory = NULL;
    (void)of;
    cudaError_t result = cudaMalloc(&memory, 16);
    return result == cudaSuccess ? cudaFree(memory) : result;
}

static cudaError_t take_pinned(void *of)
{
    void *memory = NULL;
    (void)of;
    cudaError_t result = cudaHostAlloc(&memory, 16, 0);
    return result == cudaSuccess ? cudaFreeHost(memory) : result;
}

static cudaError_t free_nothing(void *of)
{
    return cudaFree(of);
}

/* What the calling thread's mode and the capture's forbid. */
static cudaError_t (*const unsafe_calls[])(void *of) = {query_other, query_event, take_memory, take_pinned, free_nothing};
enum { UNSAFE_CALLS = sizeof unsafe_calls / sizeof *unsafe_calls };

static cudaError_t call_carefully(void *of)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    cudaError_t result = unsafe_calls[*(size_t *)of](NULL);
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    return result;
}

START_TEST(unsafe_call_of_the_capturing_thread)
{
    static const enum cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};
    OK(cudaEventRecord(event, other));
    OK(cudaStreamSynchronize(other));
    for (size_t m = 0; m < 3; m++)
        for (size_t c = 0; c < UNSAFE_CALLS; c++) {
            OK(cudaStreamBeginCapture(stream, modes[m]));
            OK(launch(put_step(&words[0], 1), stream));
            GIVES(m < 2 ? cudaErrorStreamCaptureUnsupported : cudaSuccess, unsafe_calls[c](NULL));
            GIVES(m < 2 ? cudaErrorStreamCaptureInvalidated : cudaSuccess, launch(put_step(&words[0], 1), stream));
            if (m < 2)
                end_lost(stream);
            else
                OK(cudaGraphDestroy(end_well(stream)));
        }
}
END_TEST

START_TEST(unsafe_call_of_another_thread_breaks_global_captures_alone)
{
    OK(cudaEventRecord(event, other));
    OK(cudaStreamSynchronize(other));
    for (size_t c = 0; c < UNSAFE_CALLS; c++) {
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        OK(in_another_thread(unsafe_calls[c], NULL));
        OK(cudaGraphDestroy(end_well(stream)));
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        OK(in_another_thread(call_carefully, &c));
        GIVES(cudaErrorStreamCaptureUnsupported, in_another_thread(unsafe_calls[c], NULL));
        end_lost(stream);
    }
}
END_TEST

START_TEST(captured_stream_and_its_events_have_no_state)
{
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        enum cudaStreamCaptureMode mode = relaxed ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeThreadLocal;
        OK(cudaStreamBeginCapture(stream, mode));
        GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
        end_lost(stream);
        OK(cudaStreamBeginCapture(stream, mode));
        GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(stream));
        end_lost(stream);
        OK(cudaStreamBeginCapture(stream, mode));
        GIVES(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
        end_lost(stream);
        OK(cudaStreamBeginCapture(stream, mode));
        GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(stream, NULL, NULL, 0));
        end_lost(stream);
        OK(cudaStreamBeginCapture(stream, mode));
        OK(cudaEventRecord(event, stream));
        GIVES(cudaErrorCapturedEvent, cudaEventQuery(event));
        end_lost(stream);
        OK(cudaStreamBeginCapture(stream, mode));
        OK(cudaEventRecord(event, stream));
        GIVES(cudaErrorCapturedEvent, cudaEventSynchronize(event));
        end_lost(stream);
        GIVES(cudaErrorInvalidValue, cudaEventQuery(event)); /* the capture has ended */
        GIVES(cudaErrorInvalidValue, cudaStreamWaitEvent(other, event, 0));
        OK(cudaEventRecord(event, stream));
        OK(cudaEventSynchronize(event));
    }
}
END_TEST

START_TEST(capture_waits_for_nothing_outside)
{
    cudaEvent_t never;
    OK(cudaEventCreate(&never));
    OK(cudaEventRecord(event, other));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cudaStreamWaitEvent(stream, never, 0));
    GIVES(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, event, 0));
    end_lost(stream);
    OK(cudaEventDestroy(never));
}
END_TEST

START_TEST(captures_do_not_merge)
{
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
    OK(cudaEventRecord(event, stream));
    GIVES(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(other, event, 0));
    cudaGraph_t graph;
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    end_lost(other);
}
END_TEST

static cudaError_t end_elsewhere(void *of)
{
    return cudaStreamEndCapture(stream, of);
}

START_TEST(capture_ends_where_it_began)
{
    cudaGraph_t graph = NULL;
    GIVES(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    GIVES(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); /* and the capture goes on */
    OK(launch(put_step(&words[0], 1), stream));
    OK(cudaGraphDestroy(end_well(stream)));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    fork_to(stream, other);
    GIVES(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
    end_lost(stream);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    GIVES(cudaErrorStreamCaptureWrongThread, in_another_thread(end_elsewhere, &graph));
    end_lost(stream);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(in_another_thread(end_elsewhere, &graph));
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(forked_stream_with_work_is_joined)
{
    cudaGraph_t graph = (cudaGraph_t)(void *)words;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(launch(put_step(&words[0], 1), stream));
    fork_to(stream, other);
    OK(cudaGraphDestroy(end_well(stream))); /* it did nothing */
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    fork_to(stream, other);
    OK(launch(put_step(&words[0], 1), other));
    GIVES(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
    ck_assert_ptr_null(graph);
    OK(launch(put_step(&words[0], 1), other));
    OK(cudaStreamSynchronize(other));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    fork_to(stream, other);
    OK(launch(put_step(&words[0], 1), other));
    OK(cudaStreamUpdateCaptureDependencies(other, NULL, NULL, 0, cudaStreamSetCaptureDependencies)); /* what is let go need not be joined */
    OK(cudaGraphDestroy(end_well(stream)));
    GIVES(cudaErrorIllegalState, cudaStreamUpdateCaptureDependencies(other, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
}
END_TEST

START_TEST(legacy_stream_breaks_captures_of_blocking_streams_alone)
{
    cudaStream_t blocking;
    enum cudaStreamCaptureStatus status;
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
    GIVES(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(cudaStreamLegacy, &status)); /* and the capture goes on */
    OK(launch(put_step(&words[0], 1), blocking));
    GIVES(cudaErrorStreamCaptureImplicit, launch(put_step(&words[0], 1), NULL));
    end_lost(blocking);
    OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    GIVES(cudaErrorStreamCaptureImplicit, cudaMemcpy(words, words, 4, cudaMemcpyDefault));
    end_lost(blocking);
    fake_cuda_allow_legacy(1);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(launch(put_step(&words[0], 5), NULL));
    cudaGraph_t graph = end_well(stream);
    ck_assert_uint_eq(node_count(graph), 0);
    OK(cudaStreamSynchronize(cudaStreamLegacy));
    ck_assert_uint_eq(words[0], 5);
    OK(cudaGraphDestroy(graph));
    for (uint32_t i = 0; i < 40; i++) { /* each waits for the other */
        OK(launch(mix_step(&words[0], &words[1], i), NULL));
        OK(launch(mix_step(&words[1], &words[0], i), blocking));
    }
    uint32_t a = 5, b = 0;
    for (uint32_t i = 0; i < 40; i++) {
        a = a * 31 + b + i;
        b = b * 31 + a + i;
    }
    OK(cudaStreamSynchronize(blocking));
    ck_assert_uint_eq(words[0], a);
    ck_assert_uint_eq(words[1], b);
    fake_cuda_allow_legacy(0);
    OK(cudaStreamDestroy(blocking));
}
END_TEST

START_TEST(captured_launch_of_a_graph_is_a_child)
{
    cudaGraph_t inner = new_graph(), graph;
    cudaGraphNode_t first = add(inner, NULL, 0, put_step(&words[0], 5));
    add(inner, &first, 1, mix_step(&words[0], &words[1], 2));
    cudaGraphExec_t exec = instantiate(inner);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaGraphLaunch(exec, stream));
    OK(launch(mix_step(&words[2], &words[0], 1), stream));
    graph = end_well(stream);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(inner));
    ck_assert_uint_eq(node_count(graph), 2);
    run_once(graph);
    ck_assert_uint_eq(words[2], 5 * 31 + 2 + 1);
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(stream_says_what_it_is)
{
    cudaStream_t blocking, urgent;
    unsigned flags;
    int number = 7;
    unsigned long long a, b;
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -2));
    OK(cudaStreamGetFlags(blocking, &flags));
    ck_assert_uint_eq(flags, cudaStreamDefault);
    OK(cudaStreamGetFlags(urgent, &flags));
    ck_assert_uint_eq(flags, cudaStreamNonBlocking);
    OK(cudaStreamGetPriority(urgent, &number));
    ck_assert_int_eq(number, -2);
    OK(cudaStreamGetDevice(urgent, &number));
    ck_assert_int_eq(number, 0);
    OK(cudaStreamGetId(urgent, &a));
    OK(cudaStreamGetId(blocking, &b));
    ck_assert(a != b);
    OK(cudaStreamDestroy(blocking));
    OK(cudaStreamDestroy(urgent));
}
END_TEST

/* Launched again and again, it is tied to the launch before. */
START_TEST(event_nodes_tie_launches)
{
    cudaGraph_t first = new_graph(), second = new_graph();
    cudaGraphNode_t node = add(first, NULL, 0, mix_step(&words[0], &words[1], 1)), last;
    OK(cudaGraphAddEventRecordNode(&last, first, &node, 1, event));
    OK(cudaGraphAddEventWaitNode(&last, second, NULL, 0, event));
    add(second, &last, 1, mix_step(&words[2], &words[0], 1));
    cudaGraphExec_t a = instantiate(first), b = instantiate(second);
    uint32_t x = 0, y = 0;
    for (int i = 0; i < 50; i++) {
        OK(cudaGraphLaunch(a, stream));
        OK(cudaGraphLaunch(b, other));
        OK(cudaStreamSynchronize(other));
        x = x * 31 + 1;
        y = y * 31 + x + 1;
        ck_assert_uint_eq(words[2], y);
    }
    OK(cudaGraphExecDestroy(a));
    OK(cudaGraphExecDestroy(b));
    OK(cudaGraphDestroy(first));
    OK(cudaGraphDestroy(second));
}
END_TEST

/* ---- edges ---- */

static const cudaGraphEdgeData early_edge = {.from_port = cudaGraphKernelNodePortProgrammatic, .type = cudaGraphDependencyTypeProgrammatic};

static cudaError_t try_step(cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count, step s, cudaGraphNode_t *node)
{
    void *args[3];
    struct cudaKernelNodeParams kernel = params_of(&s, args);
    struct cudaGraphNodeParams params;
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = kernel.func;
    params.kernel.gridDim = kernel.gridDim;
    params.kernel.blockDim = kernel.blockDim;
    params.kernel.kernelParams = args;
    return cudaGraphAddNode(node, graph, after, data, count, &params);
}

static cudaGraphNode_t add_early(cudaGraph_t graph, cudaGraphNode_t after, step s)
{
    cudaGraphNode_t node = NULL;
    OK(try_step(graph, &after, &early_edge, 1, s, &node));
    return node;
}

static step flag_step(const weir_kernel *kernel, uint32_t *flag)
{
    return (step){.kernel = kernel, .to = flag};
}

/* The first kernel waits for what only the last one does. */
START_TEST(kernel_behind_a_programmatic_edge_starts_early)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t waits = add(graph, NULL, 0, flag_step(&await_flag, &words[0])), raises = NULL;
    const cudaGraphEdgeData at_launch = {.from_port = cudaGraphKernelNodePortLaunchCompletion, .type = cudaGraphDependencyTypeProgrammatic};
    OK(try_step(graph, &waits, &at_launch, 1, flag_step(&raise_early, &words[0]), &raises));
    run_once(graph);
    ck_assert_uint_eq(words[0], 1);
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(any_number_of_kernels_waits_for_what_is_before_it)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t last = add(graph, NULL, 0, flag_step(&await_flag, &words[0]));
    for (int i = 0; i < 30; i++)
        last = add_early(graph, last, (step){.kernel = &mix_early, .to = &words[1], .from = &words[2], .value = (uint32_t)i});
    add_early(graph, last, flag_step(&raise_early, &words[0]));
    for (int times = 0; times < 3; times++) {
        uint32_t expected = words[1];
        words[0] = 0;
        run_once(graph);
        for (uint32_t i = 0; i < 30; i++)
            expected = expected * 31 + i;
        ck_assert_uint_eq(words[1], expected);
    }
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(switched_off_kernel_hands_an_early_start_on)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t waits = add(graph, NULL, 0, flag_step(&await_flag, &words[0]));
    cudaGraphNode_t off = add_early(graph, waits, (step){.kernel = &mix_early, .to = &words[1], .from = &words[2]});
    add(graph, &off, 1, flag_step(&raise_flag, &words[0]));
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphNodeSetEnabled(exec, off, 0));
    OK(cudaGraphLaunch(exec, stream)); /* a full edge behind it, and yet it ends */
    OK(cudaStreamSynchronize(stream));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(switching_is_for_kernels_copies_and_fills)
{
    void *memory;
    cudaGraph_t graph = new_graph(), body = NULL;
    cudaGraphNode_t nodes[6], end;
    unsigned enabled = 7;
    OK(cudaMalloc(&memory, 64));
    const struct cudaMemsetParams fill = {.dst = memory, .value = 2, .elementSize = 4, .width = 4, .height = 1};
    nodes[0] = add(graph, NULL, 0, put_step(&words[0], 1));
    OK(cudaGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &fill));
    OK(cudaGraphAddMemcpyNode1D(&nodes[2], graph, &nodes[1], 1, &words[4], memory, 16, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddEmptyNode(&nodes[3], graph, &nodes[2], 1));
    OK(cudaGraphAddHostNode(&nodes[4], graph, &nodes[3], 1, &(struct cudaHostNodeParams){free, NULL}));
    nodes[5] = add_conditional(graph, NULL, 0, new_handle(graph, 0, cudaGraphCondAssignDefault), cudaGraphCondTypeIf, 1, &body);
    OK(cudaGraphAddEmptyNode(&end, body, NULL, 0));
    cudaGraphExec_t exec = instantiate(graph);
    for (int i = 0; i < 6; i++)
        GIVES(i < 3 ? cudaSuccess : cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, nodes[i], 0));
    OK(cudaGraphNodeGetEnabled(exec, nodes[1], &enabled));
    ck_assert_uint_eq(enabled, 0);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert(words[0] == 0 && words[4] == 0);
    for (int i = 0; i < 3; i++)
        OK(cudaGraphNodeSetEnabled(exec, nodes[i], 1));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert(words[0] == 1 && words[4] == 2 && words[7] == 2);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(memory));
}
END_TEST

START_TEST(edges_are_checked)
{
    cudaGraph_t graph = new_graph(), foreign = new_graph();
    cudaGraphNode_t kernel = add(graph, NULL, 0, put_step(&words[0], 1)), empty, node, of_another = add(foreign, NULL, 0, put_step(&words[0], 1));
    const cudaGraphEdgeData wrong_port = {.type = cudaGraphDependencyTypeProgrammatic}, port_alone = {.from_port = cudaGraphKernelNodePortProgrammatic};
    cudaGraphEdgeData reserved = {0};
    reserved.reserved[2] = 1;
    OK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    GIVES(cudaErrorInvalidValue, try_step(graph, &empty, &early_edge, 1, put_step(&words[0], 1), &node));
    GIVES(cudaErrorInvalidValue, try_step(graph, &kernel, &wrong_port, 1, put_step(&words[0], 1), &node));
    GIVES(cudaErrorInvalidValue, try_step(graph, &kernel, &port_alone, 1, put_step(&words[0], 1), &node));
    GIVES(cudaErrorInvalidValue, try_step(graph, &kernel, &reserved, 1, put_step(&words[0], 1), &node));
    GIVES(cudaErrorInvalidValue, try_step(graph, &of_another, NULL, 1, put_step(&words[0], 1), &node));
    GIVES(cudaErrorInvalidValue, try_step(graph, (cudaGraphNode_t[]){kernel, kernel}, NULL, 2, put_step(&words[0], 1), &node));
    GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &kernel, &empty, &early_edge, 1));
    OK(cudaGraphAddDependencies(graph, &kernel, &empty, NULL, 1));
    GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &kernel, &empty, NULL, 1));
    GIVES(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &of_another, &empty, NULL, 1));
    ck_assert_uint_eq(node_count(graph), 2);
    OK(cudaGraphAddDependencies(graph, &empty, &kernel, NULL, 1)); /* a cycle */
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams params = {0};
    GIVES(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &params));
    ck_assert_int_eq(params.result_out, cudaGraphInstantiateInvalidStructure);
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(foreign));
}
END_TEST

START_TEST(edges_are_read_with_their_data)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t first = add(graph, NULL, 0, put_step(&words[0], 1)), second = add_early(graph, first, (step){.kernel = &mix_early, .to = &words[0], .from = &words[1]});
    cudaGraphNode_t third = add(graph, &second, 1, put_step(&words[0], 1)), from[4], to[4];
    cudaGraphEdgeData data[4];
    size_t count = 77;
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    ck_assert_uint_eq(count, 2);
    count = 4;
    GIVES(cudaErrorLossyQuery, cudaGraphGetEdges(graph, from, to, NULL, &count));
    count = 4;
    OK(cudaGraphGetEdges(graph, from, to, data, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert(from[0] == first && to[0] == second && from[1] == second && to[1] == third && from[2] == NULL);
    ck_assert(data[0].type == cudaGraphDependencyTypeProgrammatic && data[0].from_port == 1 && data[1].type == 0);
    GIVES(cudaErrorInvalidValue, cudaGraphGetEdges(graph, NULL, NULL, data, &count));
    count = 4;
    GIVES(cudaErrorLossyQuery, cudaGraphNodeGetDependencies(second, from, NULL, &count));
    count = 4;
    OK(cudaGraphNodeGetDependencies(third, from, NULL, &count));
    ck_assert(count == 1 && from[0] == second);
    count = 4;
    OK(cudaGraphNodeGetDependentNodes(first, to, data, &count));
    ck_assert(count == 1 && to[0] == second && data[0].type == cudaGraphDependencyTypeProgrammatic);
    OK(cudaGraphDestroy(graph));
}
END_TEST

/* A launch that may start early, captured. */
START_TEST(captured_programmatic_launch_has_a_programmatic_edge)
{
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {.gridDim = one, .blockDim = one, .stream = stream, .attrs = &attribute, .numAttrs = 1};
    const step s = {.kernel = &mix_early, .to = &words[0], .from = &words[1]};
    void *args[3];
    cudaGraphNode_t from[2], to[2];
    cudaGraphEdgeData data[2];
    size_t count = 2;
    point_at(&s, args);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(launch(put_step(&words[0], 1), stream));
    OK(cudaLaunchKernelExC(&config, fake_cuda_kernel(&mix_early), args));
    cudaGraph_t graph = end_well(stream);
    OK(cudaGraphGetEdges(graph, from, to, data, &count));
    ck_assert(count == 1 && data[0].type == cudaGraphDependencyTypeProgrammatic && data[0].from_port == cudaGraphKernelNodePortProgrammatic);
    OK(cudaGraphDestroy(graph));
}
END_TEST

/* ---- changes ---- */

static void update_gives(enum cudaGraphExecUpdateResult result, cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t node)
{
    cudaGraphExecUpdateResultInfo info;
    memset(&info, 0xff, sizeof info);
    GIVES(result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, graph, &info));
    ck_assert_int_eq(info.result, result);
    ck_assert_ptr_eq(info.errorNode, node);
}

/* put, then mix; `second` is an edge's data. */
static cudaGraph_t two_kernels(uint32_t value, const cudaGraphEdgeData *second, cudaGraphNode_t nodes[2])
{
    cudaGraph_t graph = new_graph();
    nodes[0] = add(graph, NULL, 0, put_step(&words[0], value));
    OK(try_step(graph, nodes, second, 1, (step){.kernel = &mix_early, .to = &words[0], .from = &words[1], .value = value}, &nodes[1]));
    return graph;
}

START_TEST(update_refuses_what_is_not_alike)
{
    void *memory, *more;
    cudaGraphNode_t nodes[2], others[3];
    cudaGraph_t graph = two_kernels(1, NULL, nodes), another = two_kernels(2, NULL, others), fills = new_graph();
    cudaGraphExec_t exec = instantiate(graph);
    const cudaLaunchAttributeValue yes = {.cooperative = 1};
    OK(cudaMalloc(&memory, 64));
    OK(cudaMalloc(&more, 64));
    struct cudaMemsetParams fill = {.dst = memory, .value = 2, .elementSize = 4, .width = 4, .height = 1};
    update_gives(cudaGraphExecUpdateSuccess, exec, another, NULL);
    OK(cudaGraphKernelNodeSetAttribute(others[1], cudaLaunchAttributeCooperative, &yes));
    update_gives(cudaGraphExecUpdateErrorAttributesChanged, exec, another, others[1]);
    OK(cudaGraphDestroy(another));
    another = two_kernels(2, &early_edge, others);
    update_gives(cudaGraphExecUpdateErrorTopologyChanged, exec, another, others[1]);
    add(another, NULL, 0, put_step(&words[0], 1));
    update_gives(cudaGraphExecUpdateErrorTopologyChanged, exec, another, NULL);
    OK(cudaGraphDestroy(another));
    another = new_graph();
    others[0] = add(another, NULL, 0, put_step(&words[0], 1));
    OK(cudaGraphAddEmptyNode(&others[1], another, others, 1));
    update_gives(cudaGraphExecUpdateErrorNodeTypeChanged, exec, another, others[1]);
    OK(cudaGraphLaunch(exec, stream)); /* as the update that was made left it */
    OK(cudaStreamSynchronize(stream));
    ck_assert_uint_eq(words[0], 2 * 31 + 2);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(another));
    graph = new_graph();
    OK(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill));
    OK(cudaGraphAddMemcpyNode1D(&nodes[1], graph, nodes, 1, &words[4], memory, 16, cudaMemcpyDeviceToHost));
    exec = instantiate(graph);
    fill.dst = more;
    OK(cudaGraphAddMemsetNode(&others[0], fills, NULL, 0, &fill));
    OK(cudaGraphAddMemcpyNode1D(&others[1], fills, others, 1, &words[8], more, 16, cudaMemcpyDeviceToHost));
    update_gives(cudaGraphExecUpdateSuccess, exec, fills, NULL);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert(words[4] == 0 && words[8] == 2);
    OK(cudaGraphDestroy(fills));
    fills = new_graph();
    OK(cudaGraphAddMemsetNode(&others[0], fills, NULL, 0, &fill));
    OK(cudaGraphAddMemcpyNode1D(&others[1], fills, others, 1, memory, more, 16, cudaMemcpyDeviceToDevice)); /* another place */
    update_gives(cudaGraphExecUpdateErrorParametersChanged, exec, fills, others[1]);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(fills));
    OK(cudaFree(memory));
    OK(cudaFree(more));
}
END_TEST

START_TEST(update_keeps_what_is_off_and_what_is_under_way)
{
    cudaGraph_t graph[2];
    cudaGraphNode_t off[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2; i++) {
        graph[i] = new_graph();
        cudaGraphNode_t node = add(graph[i], NULL, 0, flag_step(&await_flag, &words[0]));
        node = add(graph[i], &node, 1, mix_step(&words[1], &words[2], i + 1));
        off[i] = add(graph[i], &node, 1, put_step(&words[1], 0));
    }
    cudaGraphExec_t exec = instantiate(graph[0]);
    OK(cudaGraphNodeSetEnabled(exec, off[0], 0));
    OK(cudaGraphLaunch(exec, stream));
    update_gives(cudaGraphExecUpdateSuccess, exec, graph[1], NULL);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphDestroy(graph[1]));
    __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
    OK(cudaStreamSynchronize(stream));
    ck_assert_uint_eq(words[1], 1 * 31 + 2);
    OK(cudaGraphNodeSetEnabled(exec, off[0], 1)); /* still a node of the first graph's */
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert_uint_eq(words[1], 0);
    OK(cudaGraphDestroy(graph[0]));
    OK(cudaGraphLaunch(exec, stream)); /* it needs no graph for that */
    OK(cudaStreamSynchronize(stream));
    OK(cudaGraphExecDestroy(exec));
}
END_TEST

START_TEST(update_maps_handles_by_their_order)
{
    cudaGraphNode_t mixes[2];
    cudaGraph_t graph = loop_graph(&mixes[0]), another = loop_graph(&mixes[1]), third = new_graph(), body;
    cudaGraphExec_t exec = instantiate(graph);
    update_gives(cudaGraphExecUpdateSuccess, exec, another, NULL);
    words[0] = 4;
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert_uint_eq(words[1], loop_result(0, 4, 3));
    cudaGraphConditionalHandle handle = new_handle(third, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t node = add_conditional(third, NULL, 0, handle, cudaGraphCondTypeIf, 1, &body);
    update_gives(cudaGraphExecUpdateErrorParametersChanged, exec, third, node);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(another));
    OK(cudaGraphDestroy(third));
}
END_TEST

START_TEST(nodes_in_bodies_can_be_changed_unless_told_otherwise)
{
    cudaGraphNode_t mixed;
    void *args[3];
    cudaGraph_t graph = loop_graph(&mixed);
    cudaGraphExec_t exec = instantiate(graph);
    const step s = mix_step(&words[1], &words[0], 9);
    const struct cudaKernelNodeParams params = params_of(&s, args);
    OK(cudaGraphExecKernelNodeSetParams(exec, mixed, &params));
    words[0] = 3;
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert_uint_eq(words[1], loop_result(0, 3, 9));
    OK(cudaGraphNodeSetEnabled(exec, mixed, 0));
    words[0] = 3;
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ck_assert_uint_eq(words[1], loop_result(0, 3, 9));
    ck_assert_int_eq(setenv("FAKE_CUDA_NO_INNER_UPDATES", "1", 1), 0);
    GIVES(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, mixed, &params));
    GIVES(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, mixed, 1));
    ck_assert_int_eq(unsetenv("FAKE_CUDA_NO_INNER_UPDATES"), 0);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}
END_TEST

/* ---- what ends the process ---- */

static void set_outside(void)
{
    fake_cuda_set_conditional(new_handle(new_graph(), 0, 0), 1);
}

static void set_in_a_stream(void)
{
    OK(launch(set_step(new_handle(new_graph(), 0, 0), &words[0], 2), stream));
    OK(cudaStreamSynchronize(stream));
}

static void set_of_another_graph(void)
{
    cudaGraph_t graph = new_graph();
    add(graph, NULL, 0, set_step(new_handle(new_graph(), 0, 0), &words[0], 2));
    run_once(graph);
}

static void never_set(void)
{
    cudaGraph_t graph = new_graph(), body = NULL;
    add_conditional(graph, NULL, 0, new_handle(graph, 1, 0), cudaGraphCondTypeIf, 1, &body);
    run_once(graph);
}

static void loop_of_nothing(void)
{
    cudaGraph_t graph = new_graph(), body = NULL;
    add_conditional(graph, NULL, 0, new_handle(graph, 1, cudaGraphCondAssignDefault), cudaGraphCondTypeWhile, 1, &body);
    run_once(graph);
}

static void loop_of_the_undecided(void)
{
    cudaGraph_t graph = new_graph(), body = NULL;
    add_conditional(graph, NULL, 0, new_handle(graph, 1, cudaGraphCondAssignDefault), cudaGraphCondTypeWhile, 1, &body);
    add(body, NULL, 0, put_step(&words[0], 1));
    run_once(graph);
}

static void loop_decided_twice(void)
{
    cudaGraph_t graph = new_graph(), body = NULL;
    cudaGraphConditionalHandle handle = new_handle(graph, 1, cudaGraphCondAssignDefault);
    add_conditional(graph, NULL, 0, handle, cudaGraphCondTypeWhile, 1, &body);
    cudaGraphNode_t first = add(body, NULL, 0, set_step(handle, &words[0], 7));
    add(body, &first, 1, set_step(handle, &words[0], 7));
    run_once(graph);
}

static void early_without_waiting(void)
{
    cudaGraph_t graph = new_graph();
    add_early(graph, add(graph, NULL, 0, flag_step(&await_flag, &words[0])), put_step(&words[1], 1));
    run_once(graph);
}

static void legacy_launch(void)
{
    (void)launch(put_step(&words[0], 1), NULL);
}

static void destroy_body(void)
{
    cudaGraph_t graph = new_graph(), body = NULL;
    add_conditional(graph, NULL, 0, new_handle(graph, 1, 0), cudaGraphCondTypeIf, 1, &body);
    (void)cudaGraphDestroy(body);
}

static void destroy_captured(void)
{
    cudaGraph_t graph = new_graph();
    OK(cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
    (void)cudaGraphDestroy(graph);
}

static void node_of_another_graph(void)
{
    cudaGraphNode_t nodes[2], others[2];
    cudaGraph_t graph = two_kernels(1, NULL, nodes), another = two_kernels(1, NULL, others);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphExecUpdate(exec, another, &(cudaGraphExecUpdateResultInfo){0}));
    (void)cudaGraphNodeSetEnabled(exec, others[0], 0);
}

static void dead_node(void)
{
    cudaGraphNode_t nodes[2];
    cudaGraph_t graph = two_kernels(1, NULL, nodes);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphDestroy(graph));
    (void)cudaGraphNodeSetEnabled(exec, nodes[0], 0);
}

static void dead_event(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node;
    cudaEvent_t gone;
    OK(cudaEventCreate(&gone));
    OK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, gone));
    OK(cudaEventDestroy(gone));
    run_once(graph);
}

static const struct {
    const char *name, *says;
    void (*make)(void);
} fatal[] = {
    {"set outside", "in no kernel of a graph", set_outside},
    {"set in a stream", "in no kernel of a graph", set_in_a_stream},
    {"set of another graph", "in no kernel of a graph that has it", set_of_another_graph},
    {"never set", "nobody has set the value", never_set},
    {"loop of nothing", "its body is empty", loop_of_nothing},
    {"loop of the undecided", "its condition was set 0 times", loop_of_the_undecided},
    {"loop decided twice", "its condition was set 2 times", loop_decided_twice},
    {"early without waiting", "ended before what it follows", early_without_waiting},
    {"legacy launch", "on the legacy stream", legacy_launch},
    {"destroy body", "a graph that a node owns", destroy_body},
    {"destroy captured", "a capture goes on into it", destroy_captured},
    {"node of another graph", "a node of another graph", node_of_another_graph},
    {"dead node", "is not one of its kind", dead_node},
    {"dead event", "is not one of its kind", dead_event},
};
enum { FATAL = sizeof fatal / sizeof *fatal };

static int make_fatal(const char *name)
{
    for (size_t i = 0; i < FATAL; i++)
        if (strcmp(fatal[i].name, name) == 0) {
            in_a_case = true;
            make_all();
            fatal[i].make();
            return EXIT_SUCCESS; /* which it should not come to */
        }
    return EXIT_FAILURE;
}

/* What the process writes to standard error, and how it ended. */
static int told_by(const char *name, char *text, size_t room)
{
    int ends[2], status = 0;
    size_t count = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        execl("/proc/self/exe", "fake_test", name, (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    for (ssize_t got = 1; got > 0 && count + 1 < room; count += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], text + count, room - count - 1);
    text[count] = 0;
    (void)close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(undefined_use_ends_the_process)
{
    char text[4096];
    int status = told_by(fatal[_i].name, text, sizeof text);
    ck_assert_msg(WIFSIGNALED(status) && strstr(text, "fake CUDA: ") && strstr(text, fatal[_i].says), "%s: ended with status %x, and said: %s", fatal[_i].name, (unsigned)status,
                  text);
}
END_TEST

/* ---- random graphs against what they mean ---- */

enum { SHARED_WORDS = 10, STATEMENTS_MOST = 8, DEEPEST = 3, BODIES_MOST = 3 };
typedef enum { MIX, REPEAT, CHOOSE } statement_kind;

typedef struct statement {
    statement_kind kind;
    uint32_t to, from, value; /* MIX: words. REPEAT: `value` times. CHOOSE: word `from` modulo `value` */
    uint32_t counter;         /* of REPEAT: a word of its own */
    bool early, captured, outer_handle, off;
    uint64_t reads, writes;
    struct block {
        struct statement *at;
        size_t count;
    } body[BODIES_MOST];
    unsigned bodies;
    cudaGraphNode_t node, sets; /* in the first graph */
    cudaGraphConditionalHandle handle;
} statement;
typedef struct block block;

static uint64_t state;
static uint32_t counters;

static uint32_t below(uint32_t bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % bound;
}

static block make_block(unsigned depth);

static statement make_statement(unsigned depth)
{
    statement s = {.kind = MIX, .to = below(SHARED_WORDS), .from = below(SHARED_WORDS), .value = below(1000), .early = below(2), .captured = below(4) == 0, .outer_handle = below(2)};
    if (depth < DEEPEST && below(4) == 0 && SHARED_WORDS + counters < WORDS - 1) {
        s.kind = below(2) ? REPEAT : CHOOSE;
        s.value = 1 + below(3);
        s.bodies = s.kind == REPEAT ? 1 : 1 + below(BODIES_MOST);
        s.counter = SHARED_WORDS + counters;
        counters += s.kind == REPEAT;
        s.reads = s.kind == CHOOSE ? 1u << s.from : 0;
        for (unsigned b = 0; b < s.bodies; b++) {
            s.body[b] = make_block(depth + 1);
            for (size_t i = 0; i < s.body[b].count; i++) {
                s.reads |= s.body[b].at[i].reads;
                s.writes |= s.body[b].at[i].writes;
            }
        }
    } else {
        s.reads = 1u << s.from | 1u << s.to;
        s.writes = 1u << s.to;
    }
    return s;
}

static block make_block(unsigned depth)
{
    block b = {NULL, 1 + below(STATEMENTS_MOST)};
    b.at = calloc(b.count, sizeof *b.at);
    ck_assert_ptr_nonnull(b.at);
    for (size_t i = 0; i < b.count; i++)
        b.at[i] = make_statement(depth);
    return b;
}

static void free_block(block b)
{
    for (size_t i = 0; i < b.count; i++)
        for (unsigned j = 0; j < b.at[i].bodies; j++)
            free_block(b.at[i].body[j]);
    free(b.at);
}

static void mean(block b, uint32_t *w)
{
    for (size_t i = 0; i < b.count; i++) {
        const statement *s = &b.at[i];
        if (s->kind == MIX && !s->off)
            w[s->to] = w[s->to] * 31 + w[s->from] + s->value;
        for (uint32_t times = 0; s->kind == REPEAT && times < s->value; times++)
            mean(s->body[0], w);
        uint32_t choice = s->kind == CHOOSE ? w[s->from] % s->value : BODIES_MOST;
        if (s->kind == CHOOSE && s->bodies < BODIES_MOST) /* IF, with or without ELSE */
            choice = choice > 0 ? 0 : 1;
        if (choice < s->bodies)
            mean(s->body[choice], w);
    }
}

static step mix_of(const statement *s)
{
    return (step){.kernel = s->early ? &mix_early : &mix, .to = &words[s->to], .from = &words[s->from], .value = s->value};
}

static cudaGraphNode_t build_mix(const statement *s, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *data, size_t count)
{
    cudaGraphNode_t node = NULL;
    if (!s->captured) {
        OK(try_step(graph, after, data, count, mix_of(s), &node));
        return node;
    }
    enum cudaStreamCaptureStatus status;
    const cudaGraphNode_t *frontier = NULL;
    const cudaGraphEdgeData *none = NULL;
    cudaGraph_t same;
    OK(cudaStreamBeginCaptureToGraph(stream, graph, after, data, count, cudaStreamCaptureModeThreadLocal));
    OK(launch(mix_of(s), stream));
    OK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &frontier, &none, &count));
    ck_assert_uint_eq(count, 1);
    node = frontier[0];
    OK(cudaStreamEndCapture(stream, &same));
    return node;
}

static void build(block b, cudaGraph_t graph, cudaGraph_t root, bool first);

static cudaGraphNode_t build_control(statement *s, cudaGraph_t graph, cudaGraph_t root, bool first, const cudaGraphNode_t *after, size_t count)
{
    cudaGraph_t bodies[BODIES_MOST];
    cudaGraphConditionalHandle handle = new_handle(s->outer_handle ? root : graph, 0, s->early ? cudaGraphCondAssignDefault : 0);
    cudaGraphNode_t sets;
    if (s->kind == REPEAT) {
        sets = add(graph, after, count, put_step(&words[s->counter], s->value));
        sets = add(graph, &sets, 1, set_step(handle, &words[s->counter], 1000));
    } else {
        sets = add(graph, after, count, set_step(handle, &words[s->from], s->value));
    }
    enum cudaGraphConditionalNodeType type = s->kind == REPEAT ? cudaGraphCondTypeWhile : s->bodies < BODIES_MOST ? cudaGraphCondTypeIf : cudaGraphCondTypeSwitch;
    cudaGraphNode_t node = add_conditional(graph, &sets, 1, handle, type, s->bodies, bodies);
    for (unsigned i = 0; i < s->bodies; i++)
        build(s->body[i], bodies[i], root, first);
    if (s->kind == REPEAT)
        add(bodies[0], NULL, 0, count_down_step(handle, &words[s->counter]));
    if (first) {
        s->sets = sets;
        s->handle = handle;
    }
    return node;
}

/* An edge for each conflict. Which of them are programmatic is the same whenever it is built. */
static void build(block b, cudaGraph_t graph, cudaGraph_t root, bool first)
{
    cudaGraphNode_t nodes[STATEMENTS_MOST], after[STATEMENTS_MOST];
    cudaGraphEdgeData data[STATEMENTS_MOST];
    for (size_t i = 0; i < b.count; i++) {
        statement *s = &b.at[i];
        size_t count = 0;
        for (size_t j = 0; j < i; j++) {
            const statement *t = &b.at[j];
            if (!(s->writes & (t->reads | t->writes)) && !(s->reads & t->writes))
                continue;
            after[count] = nodes[j];
            data[count++] = s->kind == MIX && t->kind == MIX && s->early && (i + j) % 4 != 0 ? early_edge : (cudaGraphEdgeData){0};
        }
        nodes[i] = s->kind == MIX ? build_mix(s, graph, after, data, count) : build_control(s, graph, root, first, after, count);
        if (first)
            s->node = nodes[i];
    }
}

static void change_some(block b, cudaGraphExec_t exec)
{
    for (size_t i = 0; i < b.count; i++) {
        statement *s = &b.at[i];
        void *args[3];
        if (s->kind == MIX && below(6) == 0) {
            s->value = below(1000);
            const step as = mix_of(s);
            const struct cudaKernelNodeParams params = params_of(&as, args);
            OK(cudaGraphExecKernelNodeSetParams(exec, s->node, &params));
        }
        if (s->kind == MIX && below(6) == 0) {
            s->off = !s->off;
            OK(cudaGraphNodeSetEnabled(exec, s->node, !s->off));
        }
        if (s->kind == CHOOSE && below(6) == 0) {
            s->value = 1 + below(3);
            const step as = set_step(s->handle, &words[s->from], s->value);
            const struct cudaKernelNodeParams params = params_of(&as, args);
            OK(cudaGraphExecKernelNodeSetParams(exec, s->sets, &params));
        }
        for (unsigned j = 0; j < s->bodies; j++)
            change_some(s->body[j], exec);
    }
}

static void update_all(block b, cudaGraphExec_t exec)
{
    cudaGraph_t again = new_graph();
    build(b, again, again, false);
    update_gives(cudaGraphExecUpdateSuccess, exec, again, NULL);
    OK(cudaGraphDestroy(again));
}

static void try_program(void)
{
    counters = 0;
    memset(words, 0, WORDS * sizeof *words);
    uint32_t expected[SHARED_WORDS] = {0};
    block b = make_block(0);
    cudaGraph_t graph = new_graph();
    build(b, graph, graph, true);
    cudaGraphExec_t exec = instantiate(graph);
    for (uint32_t launches = 1 + below(6); launches > 0; launches--) {
        if (below(2)) { /* in bodies too, so nothing may be under way */
            OK(cudaDeviceSynchronize());
            change_some(b, exec);
        }
        if (below(4) == 0)
            update_all(b, exec);
        mean(b, expected);
        OK(cudaGraphLaunch(exec, below(2) ? stream : other));
    }
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamSynchronize(other));
    for (int i = 0; i < SHARED_WORDS; i++)
        ck_assert_msg(words[i] == expected[i], "word %d is %u, not %u", i, words[i], expected[i]);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    free_block(b);
}

static unsigned long from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

START_TEST(random_graphs_do_what_they_mean)
{
    const unsigned long seed = from_environment("WEIR_TEST_SEED", 1), programs = from_environment("WEIR_TEST_PROGRAMS", 200);
    printf("random graphs: seeds %lu to %lu\n", seed, seed + programs - 1);
    for (unsigned long i = 0; i < programs; i++) {
        state = seed + i;
        try_program();
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("fake CUDA");
    TCase *conditional = tcase_create("conditional nodes"), *capture = tcase_create("captures");
    tcase_add_checked_fixture(conditional, make_all, drop_all);
    tcase_add_test(conditional, while_runs_its_body_as_long_as_the_value_is_not_zero);
    tcase_add_test(conditional, if_and_else_and_switch_choose);
    tcase_add_test(conditional, conditional_parameters_are_checked);
    tcase_add_test(conditional, instantiating_refuses_what_a_body_may_not_hold);
    tcase_add_test(conditional, graph_with_conditionals_has_one_exec_and_no_copy);
    tcase_add_test(conditional, child_graph_runs_a_copy);
    tcase_add_checked_fixture(capture, make_all, drop_all);
    tcase_add_test(capture, capture_into_a_graph_follows_what_it_is_told);
    tcase_add_test(capture, capture_of_nothing_ends_where_it_began);
    tcase_add_test(capture, capture_makes_nodes_of_what_has_one);
    tcase_add_test(capture, unsafe_call_of_the_capturing_thread);
    tcase_add_test(capture, unsafe_call_of_another_thread_breaks_global_captures_alone);
    tcase_add_test(capture, captured_stream_and_its_events_have_no_state);
    tcase_add_test(capture, capture_waits_for_nothing_outside);
    tcase_add_test(capture, captures_do_not_merge);
    tcase_add_test(capture, capture_ends_where_it_began);
    tcase_add_test(capture, forked_stream_with_work_is_joined);
    tcase_add_test(capture, legacy_stream_breaks_captures_of_blocking_streams_alone);
    tcase_add_test(capture, captured_launch_of_a_graph_is_a_child);
    tcase_add_test(capture, stream_says_what_it_is);
    tcase_add_test(capture, event_nodes_tie_launches);
    TCase *edges = tcase_create("edges"), *changes = tcase_create("changes"), *ends = tcase_create("ends"), *random = tcase_create("random");
    tcase_add_checked_fixture(edges, make_all, drop_all);
    tcase_add_test(edges, kernel_behind_a_programmatic_edge_starts_early);
    tcase_add_test(edges, any_number_of_kernels_waits_for_what_is_before_it);
    tcase_add_test(edges, switched_off_kernel_hands_an_early_start_on);
    tcase_add_test(edges, switching_is_for_kernels_copies_and_fills);
    tcase_add_test(edges, edges_are_checked);
    tcase_add_test(edges, edges_are_read_with_their_data);
    tcase_add_test(edges, captured_programmatic_launch_has_a_programmatic_edge);
    tcase_add_checked_fixture(changes, make_all, drop_all);
    tcase_add_test(changes, update_refuses_what_is_not_alike);
    tcase_add_test(changes, update_keeps_what_is_off_and_what_is_under_way);
    tcase_add_test(changes, update_maps_handles_by_their_order);
    tcase_add_test(changes, nodes_in_bodies_can_be_changed_unless_told_otherwise);
    tcase_add_loop_test(ends, undefined_use_ends_the_process, 0, FATAL);
    tcase_add_checked_fixture(random, make_all, drop_all);
    tcase_add_test(random, random_graphs_do_what_they_mean);
    suite_add_tcase(s, conditional);
    suite_add_tcase(s, capture);
    suite_add_tcase(s, edges);
    suite_add_tcase(s, changes);
    suite_add_tcase(s, ends);
    suite_add_tcase(s, random);
    return s;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return make_fatal(argv[1]);
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
