/* programmatic_test.c - which edges of a replay let a kernel be launched before what it follows has ended, and that results are what they are
 * without: chains, other predecessors, the order of lanes, tasks that are switched off. */
#include "cuda_fixture.h"
#include "backend/cuda/slot.h"
#include "device_kernels.h"
#include "run/exec.h"
#include "run/runtime.h"
#include "util/random.h"

enum { N = 3000, CHAIN = 12, FRAMES = 12 };
static const uint32_t count_n = N, zero = 0;
static const weir_shape wide = {.grid = {12}, .block = {64}};

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    setenv("WEIR_LOG", "info", 1); /* read once a process */
    runtime = cuda_runtime();
    ck_assert_msg(runtime->backend->programmatic, "a device before 9.0: it has no such edges");
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

/* ---- looking at edges ---- */

typedef struct {
    size_t all, programmatic;
} edge_count;

static edge_count edges_of(const weir_exec *exec)
{
    const slot *s = &exec->program->replay->slots[0];
    edge_count count = {0, 0};
    CUDA(cudaGraphGetEdges(s->graph, NULL, NULL, NULL, &count.all));
    cudaGraphNode_t *from = calloc(count.all + 1, sizeof *from), *to = calloc(count.all + 1, sizeof *to);
    cudaGraphEdgeData *data = calloc(count.all + 1, sizeof *data);
    ck_assert(from && to && data);
    if (count.all > 0) /* to ask for none of them is an error */
        CUDA(cudaGraphGetEdges(s->graph, from, to, data, &count.all));
    for (size_t i = 0; i < count.all; i++) {
        ck_assert_uint_eq(data[i].from_port, data[i].type == cudaGraphDependencyTypeProgrammatic ? cudaGraphKernelNodePortProgrammatic : cudaGraphKernelNodePortDefault);
        count.programmatic += data[i].type == cudaGraphDependencyTypeProgrammatic;
    }
    free(from);
    free(to);
    free(data);
    return count;
}

static void has_edges(const weir_exec *exec, size_t all, size_t programmatic)
{
    edge_count count = edges_of(exec);
    ck_assert_uint_eq(count.all, all);
    ck_assert_uint_eq(count.programmatic, programmatic);
}

/* ---- x = 0, then addends[0], [1], ... one after the other, each by its kernel, then out = x ---- */

typedef struct {
    weir_graph *graph;
    weir_buffer *x, *out;
    weir_task task[CHAIN];
    uint32_t addend[CHAIN];
} chain;

static void chain_make(chain *c, const weir_kernel *const kernels[CHAIN])
{
    c->graph = graph_make("chain");
    c->x = numbers("x", N, 1, WEIR_DEVICE);
    c->out = numbers("out", N, 1, WEIR_HOST_OUT);
    weir_add_fill(c->graph, "zeros", WEIR_WRITE(c->x), &zero, sizeof zero);
    for (uint32_t i = 0; i < CHAIN; i++) {
        c->addend[i] = 1u << i;
        c->task[i] = weir_add_kernel(c->graph, kernels[i], wide, WEIR_ARGS(WEIR_READ_WRITE(c->x), WEIR_VALUE(c->addend[i]), WEIR_VALUE(count_n)));
    }
    weir_add_copy(c->graph, "down", WEIR_WRITE(c->out), WEIR_READ(c->x));
    OK(weir_graph_status(c->graph));
}

static void chain_finish(chain *c)
{
    weir_graph_destroy(c->graph);
    weir_buffer_destroy(c->x);
    weir_buffer_destroy(c->out);
}

static void out_is(weir_exec *exec, weir_ticket ticket, weir_buffer *out, uint32_t value)
{
    OK(weir_exec_wait(exec, ticket, -1));
    const uint32_t *got = weir_exec_data(exec, ticket, out);
    ck_assert_msg(got != NULL, "%s", weir_last_error());
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], value);
}

/* Every `plain` one is without the flag. */
static void chain_of(chain *c, uint32_t plain)
{
    const weir_kernel *kernels[CHAIN];
    for (uint32_t i = 0; i < CHAIN; i++)
        kernels[i] = i % plain == plain - 1 ? &add_kernel : &programmatic_kernel;
    chain_make(c, kernels);
}

static void chain_gives_its_sum(const chain *c, weir_exec *exec)
{
    for (int n = 0; n < FRAMES; n++)
        out_is(exec, submit(exec), c->out, (1u << CHAIN) - 1);
}

START_TEST(kernel_is_launched_early_after_a_kernel)
{
    chain c;
    chain_of(&c, CHAIN + 1);
    weir_exec *exec = exec_in_mode(runtime, c.graph, 1, "replay");
    has_edges(exec, CHAIN + 1, CHAIN - 1); /* the first follows a fill, and a copy the last */
    chain_gives_its_sum(&c, exec);
    weir_exec_destroy(exec);
    chain_finish(&c);
}
END_TEST

START_TEST(kernel_without_the_flag_never_is)
{
    for (uint32_t plain = 1; plain <= 4; plain++) {
        chain c;
        size_t early = 0;
        for (uint32_t i = 1; i < CHAIN; i++)
            early += i % plain != plain - 1;
        chain_of(&c, plain);
        weir_exec *exec = exec_in_mode(runtime, c.graph, 2, "replay");
        has_edges(exec, CHAIN + 1, early);
        chain_gives_its_sum(&c, exec);
        weir_exec_destroy(exec);
        chain_finish(&c);
    }
}
END_TEST

START_TEST(captured_and_eager_kernels_are_not)
{
    chain c;
    chain_of(&c, CHAIN + 1);
    for (int m = 0; m < CUDA_MODES; m++) {
        if (strcmp(cuda_modes[m], "replay") == 0)
            continue;
        weir_exec *exec = exec_in_mode(runtime, c.graph, 1, cuda_modes[m]);
        if (exec->program->replay)
            has_edges(exec, CHAIN + 1, 0);
        chain_gives_its_sum(&c, exec);
        weir_exec_destroy(exec);
    }
    chain_finish(&c);
}
END_TEST

/* ---- other predecessors ---- */

START_TEST(other_tasks_and_cooperative_kernels_have_ended_before)
{
    weir_kernel together = programmatic_kernel;
    together.flags |= WEIR_KERNEL_COOPERATIVE;
    weir_graph *graph = graph_make("others");
    weir_buffer *filled = numbers("filled", N, 1, WEIR_DEVICE), *copied = numbers("copied", N, 1, WEIR_DEVICE), *added = numbers("added", N, 1, WEIR_DEVICE);
    weir_buffer *joined = numbers("joined", N, 1, WEIR_DEVICE), *x = numbers("x", N, 1, WEIR_DEVICE), *out = numbers("out", N, 1, WEIR_HOST_OUT);
    const uint32_t three = 3;
    weir_add_fill(graph, "zeros of added", WEIR_WRITE(added), &zero, sizeof zero);
    weir_add_fill(graph, "zeros of joined", WEIR_WRITE(joined), &zero, sizeof zero);
    weir_add_fill(graph, "zeros of filled", WEIR_WRITE(filled), &zero, sizeof zero);
    weir_add_kernel(graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(added), WEIR_VALUE(three), WEIR_VALUE(count_n)));
    weir_add_kernel(graph, &together, wide, WEIR_ARGS(WEIR_READ_WRITE(joined), WEIR_VALUE(three), WEIR_VALUE(count_n)));
    weir_add_copy(graph, "copy", WEIR_WRITE(copied), WEIR_READ(filled));
    weir_add_fill(graph, "zeros of x", WEIR_WRITE(x), &zero, sizeof zero);
    weir_add_kernel(graph, &programmatic_kernel, wide,
                    WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(three), WEIR_VALUE(count_n), weir_hidden(WEIR_READ(added)), weir_hidden(WEIR_READ(joined)), weir_hidden(WEIR_READ(copied))));
    weir_add_kernel(graph, &together, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(three), WEIR_VALUE(count_n)));
    weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x));
    weir_exec *exec = exec_in_mode(runtime, graph, 1, "replay");
    has_edges(exec, 3 + 4 + 2, 1); /* to the kernel that follows all, from the one kernel that is not cooperative */
    for (int n = 0; n < FRAMES; n++)
        out_is(exec, submit(exec), out, 6);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer *const all[] = {filled, copied, added, joined, x, out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        weir_buffer_destroy(all[i]);
}
END_TEST

/* a writes x and y, b makes z of x, c adds z to what it finds in y: that c follows a is implied, and true. */
START_TEST(what_is_implied_by_early_launches_holds)
{
    const uint32_t factor = 2, addend = 1;
    weir_graph *graph = graph_make("implied");
    weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE), *y = numbers("y", N, 1, WEIR_DEVICE), *out = numbers("out", N, 1, WEIR_HOST_OUT);
    weir_add_fill(graph, "zeros of x", WEIR_WRITE(x), &zero, sizeof zero);
    weir_add_fill(graph, "zeros of y", WEIR_WRITE(y), &zero, sizeof zero);
    weir_add_kernel(graph, &programmatic_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(addend), WEIR_VALUE(count_n), weir_hidden(WEIR_WRITE(y))));
    for (int i = 0; i < CHAIN; i++) /* each follows the first too, by y */
        weir_add_kernel(graph, &programmatic_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(addend), WEIR_VALUE(count_n), weir_hidden(WEIR_READ(y))));
    weir_add_kernel(graph, &scale_kernel, wide, WEIR_ARGS(WEIR_WRITE(y), WEIR_READ(x), WEIR_VALUE(factor), WEIR_VALUE(addend), WEIR_VALUE(count_n)));
    weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(y));
    weir_exec *exec = exec_in_mode(runtime, graph, 1, "replay");
    has_edges(exec, 2 + CHAIN + 2, CHAIN);
    for (int n = 0; n < FRAMES; n++)
        out_is(exec, submit(exec), out, (CHAIN + 1) * factor + addend);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(x);
    weir_buffer_destroy(y);
    weir_buffer_destroy(out);
}
END_TEST

/* ---- the order of lanes ---- */

START_TEST(order_of_lanes_launches_early_too)
{
    weir_graph *graph = graph_make("lanes");
    weir_buffer *buffers[CHAIN];
    for (int i = 0; i < CHAIN; i++) {
        buffers[i] = numbers("one of many", N, 1, WEIR_DEVICE);
        weir_add_kernel(graph, &programmatic_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(buffers[i]), WEIR_VALUE(count_n), WEIR_VALUE(count_n)));
    }
    for (uint32_t lanes = 0; lanes <= 3; lanes++) {
        weir_exec *exec = exec_with(runtime, graph, NULL, &(weir_exec_options){.mode = "replay", .replay_lanes = lanes});
        size_t edges = lanes == 0 ? 0 : CHAIN - lanes;
        has_edges(exec, edges, edges);
        run_frames(exec, FRAMES);
        weir_exec_destroy(exec);
    }
    weir_graph_destroy(graph);
    for (int i = 0; i < CHAIN; i++)
        weir_buffer_destroy(buffers[i]);
}
END_TEST

/* ---- switched off ---- */

/* Runs a frame with these on, a bit each. */
static void chain_with(const chain *c, weir_exec *exec, uint32_t on)
{
    for (uint32_t i = 0; i < CHAIN; i++)
        OK(weir_exec_enable(exec, c->task[i], on >> i & 1));
    out_is(exec, submit(exec), c->out, on);
}

START_TEST(kernel_that_is_off_still_orders)
{
    const uint32_t all = (1u << CHAIN) - 1;
    chain c;
    chain_of(&c, CHAIN + 1);
    weir_exec *exec = exec_in_mode(runtime, c.graph, 1, "replay");
    chain_with(&c, exec, all & ~(1u << 5));
    has_edges(exec, CHAIN + 1 + 3, CHAIN - 3); /* what is beside the kernel, and a node that joins the two: all plain */
    chain_with(&c, exec, all);
    has_edges(exec, CHAIN + 1 + 3, CHAIN - 3);
    chain_with(&c, exec, all & ~1u); /* it waits for nobody, but another for it */
    has_edges(exec, CHAIN + 1 + 6, CHAIN - 4);
    weir_exec_destroy(exec);
    chain_finish(&c);
}
END_TEST

START_TEST(kernel_before_one_that_waits_may_be_off)
{
    const weir_kernel *kernels[CHAIN];
    const uint32_t all = (1u << CHAIN) - 1;
    chain c;
    for (uint32_t i = 0; i < CHAIN; i++)
        kernels[i] = i == 5 ? &programmatic_kernel : &add_kernel;
    chain_make(&c, kernels);
    weir_exec *exec = exec_in_mode(runtime, c.graph, 1, "replay");
    has_edges(exec, CHAIN + 1, 1);
    chain_with(&c, exec, all & ~(1u << 9)); /* has none: nothing is made anew */
    has_edges(exec, CHAIN + 1, 1);
    chain_with(&c, exec, all & ~(1u << 4));
    has_edges(exec, CHAIN + 1 + 3, 0);
    chain_with(&c, exec, all);
    weir_exec_destroy(exec);
    chain_finish(&c);
}
END_TEST

START_TEST(any_of_them_may_be_off)
{
    uint64_t random = number_from_environment("WEIR_TEST_SEED", 1);
    printf("any of them may be off: seed %llu\n", (unsigned long long)random);
    for (uint32_t plain = 2; plain <= CHAIN + 1; plain++) {
        chain c;
        chain_of(&c, plain);
        weir_exec *exec = exec_in_mode(runtime, c.graph, 2, "replay");
        for (int n = 0; n < FRAMES; n++)
            chain_with(&c, exec, weir_random_below(&random, 1u << CHAIN));
        weir_exec_destroy(exec);
        chain_finish(&c);
    }
}
END_TEST

/* ---- a device that has none ---- */

static int said;

static void count_lines(void *user, int level, const char *text)
{
    (void)user;
    said += level == WEIR_LOG_INFO && strstr(text, "'chain'") && strstr(text, "9.0");
}

START_TEST(older_device_has_plain_edges_and_says_so_once)
{
    chain c;
    said = 0;
    weir_runtime *older = cuda_runtime();
    older->backend->programmatic = false;
    chain_of(&c, CHAIN + 1);
    weir_set_log(count_lines, NULL);
    weir_exec *exec = exec_in_mode(older, c.graph, 2, "replay");
    ck_assert_int_eq(said, 1);
    has_edges(exec, CHAIN + 1, 0);
    chain_gives_its_sum(&c, exec);
    chain_with(&c, exec, 5); /* plain edges need nobody beside */
    has_edges(exec, CHAIN + 1, 0);
    weir_exec *eager = exec_in_mode(older, c.graph, 2, "eager");
    ck_assert_int_eq(said, 1);
    weir_exec_destroy(eager);
    weir_exec_destroy(exec);
    weir_set_log(NULL, NULL);
    chain_finish(&c);
    weir_runtime_destroy(older);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/programmatic");
    TCase *cases = tcase_create("programmatic");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, kernel_is_launched_early_after_a_kernel);
    tcase_add_test(cases, kernel_without_the_flag_never_is);
    tcase_add_test(cases, captured_and_eager_kernels_are_not);
    tcase_add_test(cases, other_tasks_and_cooperative_kernels_have_ended_before);
    tcase_add_test(cases, what_is_implied_by_early_launches_holds);
    tcase_add_test(cases, order_of_lanes_launches_early_too);
    tcase_add_test(cases, kernel_that_is_off_still_orders);
    tcase_add_test(cases, kernel_before_one_that_waits_may_be_off);
    tcase_add_test(cases, any_of_them_may_be_off);
    tcase_add_test(cases, older_device_has_plain_edges_and_says_so_once);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
