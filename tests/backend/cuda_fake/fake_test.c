/* fake_test.c - what the fake CUDA promises: it runs what CUDA would, in any order that CUDA allows, and refuses what CUDA refuses, with the same
 * errors. No weir in it. What has to end the process is tried in a process of its own: this program, with a case's name. */
#include "fake_cuda.h"
#include <check.h>
#include <cuda_runtime_api.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call) ck_assert_int_eq((int)(call), cudaSuccess)
#define GIVES(error, call) ck_assert_int_eq((int)(call), (int)(error))

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
__attribute__((unused)) static const weir_kernel mix_early = {"mix early", NULL, NULL, mix_early_code, mix_bytes, 3, WEIR_KERNEL_ONE_CALL};
static const weir_kernel set = {"set", NULL, NULL, set_code, set_bytes, 3, WEIR_KERNEL_ONE_CALL};
static const weir_kernel count_down = {"count down", NULL, NULL, count_down_code, set_bytes, 2, WEIR_KERNEL_ONE_CALL};
__attribute__((unused)) static const weir_kernel raise_flag = {"raise", NULL, NULL, raise_code, word_bytes, 1, WEIR_KERNEL_ONE_CALL};
__attribute__((unused)) static const weir_kernel await_flag = {"await", NULL, NULL, await_code, word_bytes, 1, WEIR_KERNEL_ONE_CALL};

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
    cudaGraph_t graph = new_graph(), body;
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
    cudaGraph_t graph = new_graph(), body, deeper;
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
    tcase_add_test(capture, event_nodes_tie_launches);
    suite_add_tcase(s, conditional);
    suite_add_tcase(s, capture);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
