/* cupti_test.c - what cupti.h promises, with CUDA alone: graphs of a kernel, a fill and copies, launched with and without being announced. */
#include "backend/cuda/cupti.h"
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "util/clock.h"
#include <cupti.h>
#include <dlfcn.h>

enum { COUNT = 1024, RECORDS_MOST = 256, SECOND = 1000000000 };

static void set_up(void)
{
    no_environment();
}

/* fill -> to device -> within -> to host -> kernel */
enum { FILL, TO_DEVICE, WITHIN, TO_HOST, KERNEL, NODES };

static const weir_cupti_kind kind_of[NODES] = {
    [FILL] = WEIR_CUPTI_FILL,       [TO_DEVICE] = WEIR_CUPTI_TO_DEVICE, [WITHIN] = WEIR_CUPTI_WITHIN,
    [TO_HOST] = WEIR_CUPTI_TO_HOST, [KERNEL] = WEIR_CUPTI_KERNEL,
};

typedef struct {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node[NODES];
    cudaStream_t stream;
    char *device, *host; /* two parts each */
} replayed;

static void add_copy(replayed *r, int node, void *to, const void *from, enum cudaMemcpyKind kind)
{
    CUDA(cudaGraphAddMemcpyNode1D(&r->node[node], r->graph, &r->node[node - 1], 1, to, from, COUNT, kind));
}

static replayed replayed_make(void)
{
    replayed r = {0};
    void *memory = NULL;
    uint32_t clocks = 20000;
    CUDA(cudaMalloc(&memory, (size_t)COUNT * 2));
    r.device = memory;
    r.host = pinned((size_t)COUNT * 2);
    CUDA(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
    CUDA(cudaGraphCreate(&r.graph, 0));
    struct cudaMemsetParams fill = {.dst = r.device, .value = 7, .elementSize = 1, .width = COUNT, .height = 1};
    CUDA(cudaGraphAddMemsetNode(&r.node[FILL], r.graph, NULL, 0, &fill));
    add_copy(&r, TO_DEVICE, r.device, r.host, cudaMemcpyHostToDevice);
    add_copy(&r, WITHIN, r.device + COUNT, r.device, cudaMemcpyDeviceToDevice);
    add_copy(&r, TO_HOST, r.host + COUNT, r.device + COUNT, cudaMemcpyDeviceToHost);
    const void *code = busy_kernel.resolve();
    ck_assert_ptr_nonnull(code);
    void *args[] = {&clocks};
    struct cudaKernelNodeParams kernel = {.func = (void *)(uintptr_t)code, .gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = args};
    CUDA(cudaGraphAddKernelNode(&r.node[KERNEL], r.graph, &r.node[KERNEL - 1], 1, &kernel));
    CUDA(cudaGraphInstantiate(&r.exec, r.graph, 0));
    return r;
}

static void replayed_destroy(replayed *r)
{
    CUDA(cudaGraphExecDestroy(r->exec));
    CUDA(cudaGraphDestroy(r->graph));
    CUDA(cudaStreamDestroy(r->stream));
    CUDA(cudaFree(r->device));
    CUDA(cudaFreeHost(r->host));
}

static uint64_t launch(const replayed *r)
{
    uint64_t number = weir_cupti_launch_number();
    weir_cupti_launch_begin(number);
    CUDA(cudaGraphLaunch(r->exec, r->stream));
    weir_cupti_launch_end();
    return number;
}

/* ---- what is told ---- */

typedef struct {
    weir_cupti_record at[RECORDS_MOST];
    int count;
    bool in_order; /* one flush tells all */
} records;

static void keep(void *user, const weir_cupti_record *record)
{
    records *all = user;
    ck_assert_int_lt(all->count, RECORDS_MOST);
    ck_assert(!all->in_order || all->count == 0 || all->at[all->count - 1].start_ns <= record->start_ns);
    all->at[all->count++] = *record;
}

static void flush_after(const replayed *r)
{
    CUDA(cudaStreamSynchronize(r->stream));
    OK(weir_cupti_flush());
}

/* Each node of the launch is there once, in order, as what it is, and now by the clock of the host rather than by another. */
static void holds(const records *all, const replayed *r, uint64_t number)
{
    uint32_t exec = weir_cupti_exec_id(r->exec);
    int64_t before = 0, now = weir_clock_ns();
    ck_assert_uint_ne(exec, UINT32_MAX);
    for (int n = 0; n < NODES; n++) {
        const weir_cupti_record *found = NULL;
        uint32_t node = weir_cupti_node(r->node[n]);
        ck_assert_uint_ne(node, UINT32_MAX);
        for (int i = 0; i < all->count; i++) {
            const weir_cupti_record *record = &all->at[i];
            if (record->launch != number || record->node != node)
                continue;
            ck_assert_msg(!found, "node %d of launch %llu is told of twice", n, (unsigned long long)number);
            found = record;
        }
        ck_assert_msg(found != NULL, "node %d of launch %llu is missing among %d records", n, (unsigned long long)number, all->count);
        ck_assert_uint_eq(found->graph, exec);
        bool by_a_kernel = found->kind == WEIR_CUPTI_KERNEL && (kind_of[n] == WEIR_CUPTI_WITHIN || kind_of[n] == WEIR_CUPTI_FILL);
        ck_assert_msg(found->kind == kind_of[n] || by_a_kernel, "node %d of kind %d is told as %d", n, (int)kind_of[n], (int)found->kind);
        ck_assert_int_le(found->start_ns, found->end_ns);
        ck_assert_int_ge(found->start_ns, before);
        ck_assert_msg(found->start_ns > now - (int64_t)600 * SECOND && found->end_ns < now + (int64_t)10 * SECOND,
                      "node %d ran at %lld, and it is %lld now", n, (long long)found->start_ns, (long long)now);
        before = found->end_ns;
    }
}

START_TEST(each_node_of_each_launch_is_told_once)
{
    records all = {0};
    uint64_t numbers_given[3];
    replayed earlier = replayed_make(); /* CUPTI comes after it */
    CUDA(cudaGraphLaunch(earlier.exec, earlier.stream));
    CUDA(cudaStreamSynchronize(earlier.stream));
    OK(weir_cupti_start(keep, &all));
    replayed later = replayed_make();
    for (int i = 0; i < 3; i++)
        numbers_given[i] = launch(i == 1 ? &later : &earlier);
    CUDA(cudaStreamSynchronize(earlier.stream));
    flush_after(&later);
    ck_assert_int_eq(all.count, 3 * NODES);
    holds(&all, &earlier, numbers_given[0]);
    holds(&all, &later, numbers_given[1]);
    holds(&all, &earlier, numbers_given[2]);
    weir_cupti_stop(&all);
    ck_assert_int_eq(all.count, 3 * NODES);
    replayed_destroy(&earlier);
    replayed_destroy(&later);
}
END_TEST

START_TEST(what_was_not_announced_is_not_told)
{
    records all = {0};
    replayed r = replayed_make();
    OK(weir_cupti_start(keep, &all));
    CUDA(cudaGraphLaunch(r.exec, r.stream));
    CUDA(cudaMemcpyAsync(r.device, r.host, COUNT, cudaMemcpyHostToDevice, r.stream));
    uint64_t number = launch(&r);
    CUDA(cudaGraphLaunch(r.exec, r.stream));
    flush_after(&r);
    ck_assert_int_eq(all.count, NODES);
    holds(&all, &r, number);
    weir_cupti_stop(&all);
    launch(&r);
    CUDA(cudaStreamSynchronize(r.stream));
    ck_assert_int_eq(all.count, NODES);
    replayed_destroy(&r);
}
END_TEST

START_TEST(stop_tells_what_is_left_in_order)
{
    enum { LAUNCHED = RECORDS_MOST / NODES };
    records all = {.in_order = true};
    uint64_t number[LAUNCHED];
    replayed r[2] = {replayed_make(), replayed_make()}; /* side by side */
    OK(weir_cupti_start(keep, &all));
    for (int i = 0; i < LAUNCHED; i++)
        number[i] = launch(&r[i % 2]);
    CUDA(cudaStreamSynchronize(r[0].stream));
    CUDA(cudaStreamSynchronize(r[1].stream));
    ck_assert_int_eq(all.count, 0); /* not before somebody asks */
    weir_cupti_stop(&all);
    ck_assert_int_eq(all.count, LAUNCHED * NODES);
    for (int i = 0; i < LAUNCHED; i++)
        holds(&all, &r[i % 2], number[i]);
    replayed_destroy(&r[0]);
    replayed_destroy(&r[1]);
}
END_TEST

START_TEST(several_users_are_told_and_one_may_go)
{
    records one = {0}, two = {0};
    replayed r = replayed_make();
    OK(weir_cupti_start(keep, &one));
    OK(weir_cupti_start(keep, &two));
    uint64_t first = launch(&r);
    flush_after(&r);
    holds(&one, &r, first);
    holds(&two, &r, first);
    weir_cupti_stop(&one);
    uint64_t second = launch(&r);
    flush_after(&r);
    ck_assert_int_eq(one.count, NODES);
    ck_assert_int_eq(two.count, 2 * NODES);
    holds(&two, &r, second);
    weir_cupti_stop(&two);
    weir_cupti_stop(&two); /* nobody is left, and that is fine */
    OK(weir_cupti_flush());
    OK(weir_cupti_start(keep, &one));
    uint64_t third = launch(&r);
    flush_after(&r);
    ck_assert_int_eq(one.count, 2 * NODES);
    holds(&one, &r, third);
    weir_cupti_stop(&one);
    replayed_destroy(&r);
}
END_TEST

typedef struct {
    records all;
    replayed graph;
    uint64_t first;
    pthread_t thread;
} threaded;

static void *launch_many(void *user)
{
    threaded *t = user;
    for (int i = 0; i < 8; i++) {
        uint64_t number = launch(&t->graph);
        t->first = i == 0 ? number : t->first;
        flush_after(&t->graph);
    }
    return NULL;
}

START_TEST(threads_launch_and_flush_at_once)
{
    static threaded t[4];
    records *all = &t[0].all; /* all hear the same: one listens */
    OK(weir_cupti_start(keep, all));
    for (int i = 0; i < 4; i++) {
        t[i].graph = replayed_make();
        ck_assert_int_eq(pthread_create(&t[i].thread, NULL, launch_many, &t[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i].thread, NULL);
    OK(weir_cupti_flush());
    ck_assert_int_eq(all->count, 4 * 8 * NODES);
    for (int i = 0; i < 4; i++) {
        holds(all, &t[i].graph, t[i].first);
        replayed_destroy(&t[i].graph);
    }
    weir_cupti_stop(all);
}
END_TEST

/* ---- another profiler ---- */

static void hear_nothing(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)user;
    (void)domain;
    (void)id;
    (void)data;
}

static void find_call(void *library, const char *name, void *call)
{
    void *symbol = dlsym(library, name);
    ck_assert_msg(symbol != NULL, "%s", name);
    memcpy(call, &symbol, sizeof symbol);
}

START_TEST(another_profiler_is_left_alone)
{
    records all = {0};
    CUptiResult (*subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
    CUptiResult (*unsubscribe)(CUpti_SubscriberHandle);
    CUpti_SubscriberHandle other;
    char name[32];
    OK(weir_cupti_start(keep, &all)); /* so that it is loaded */
    weir_cupti_stop(&all);
    snprintf(name, sizeof name, "libcupti.so.%d", CUDART_VERSION / 1000);
    void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    ck_assert_msg(library != NULL, "%s", dlerror());
    find_call(library, "cuptiSubscribe", &subscribe);
    find_call(library, "cuptiUnsubscribe", &unsubscribe);
    ck_assert_int_eq(subscribe(&other, hear_nothing, NULL), CUPTI_SUCCESS);
    REFUSED(WEIR_ERR_STATE, weir_cupti_start(keep, &all), "another profiler has CUPTI");
    ck_assert_int_eq(unsubscribe(other), CUPTI_SUCCESS);
    OK(weir_cupti_start(keep, &all));
    weir_cupti_stop(&all);
    dlclose(library);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/cupti");
    TCase *cases = tcase_create("cupti");
    tcase_add_checked_fixture(cases, set_up, NULL);
    tcase_add_test(cases, each_node_of_each_launch_is_told_once);
    tcase_add_test(cases, what_was_not_announced_is_not_told);
    tcase_add_test(cases, stop_tells_what_is_left_in_order);
    tcase_add_test(cases, several_users_are_told_and_one_may_go);
    tcase_add_test(cases, threads_launch_and_flush_at_once);
    tcase_add_test(cases, another_profiler_is_left_alone);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
