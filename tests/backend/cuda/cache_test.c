/* cache_test.c - executable graphs that outlive their exec: who takes which over, that it then does what its new exec asks, how many are kept,
 * and what is said where CUDA refuses. */
#include "cuda_fixture.h"
#include "backend/cuda/slot.h"
#include "device_kernels.h"
#include "run/exec.h"
#include "run/runtime.h"
#include "util/memory.h"
#include "util/random.h"

enum { N = 500 };
static const uint32_t count_n = N, zero = 0;
static const weir_shape wide = {.grid = {4}, .block = {128}};

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    setenv("WEIR_LOG", "info", 1); /* read once a process */
    runtime = cuda_runtime();
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

static weir_runtime *runtime_that_keeps(uint32_t nodes)
{
    char text[16];
    snprintf(text, sizeof text, "%u", nodes);
    setenv("WEIR_CACHE_NODES", text, 1);
    weir_runtime *made = cuda_runtime();
    unsetenv("WEIR_CACHE_NODES");
    return made;
}

static uint64_t nodes_kept(const weir_runtime *r)
{
    return r->backend->cache.nodes;
}

/* ---- x = value, x + i + addend in each step, a host task that looks ---- */

typedef struct {
    uint32_t steps;
    bool two_ways, looks, early;
    const weir_kernel *kernel; /* of steps; NULL: add */
    int32_t priority;          /* of the first step */
    const char *mode;          /* NULL: "replay" */
    uint32_t frames, grid, lanes;
} wanted;

typedef struct {
    wanted as;
    weir_graph *graph;
    weir_buffer *x, *y, *out;
    weir_param *value, *addend;
    weir_task first_step;
    int calls;
    weir_exec *exec;
} made;

static void make(made *m, weir_runtime *on, wanted as)
{
    const weir_kernel *kernel = as.kernel ? as.kernel : as.early ? &programmatic_kernel : &add_kernel;
    const weir_shape shape = {.grid = {as.grid ? as.grid : 4}, .block = {64}};
    *m = (made){.as = as, .graph = graph_make("shape")};
    m->x = numbers("x", N, 1, WEIR_DEVICE);
    m->y = numbers("y", N, 1, WEIR_DEVICE);
    m->out = numbers("out", N, 1, WEIR_HOST_OUT);
    OK(weir_param_create("value", &zero, sizeof zero, &m->value));
    OK(weir_param_create("addend", &zero, sizeof zero, &m->addend));
    weir_add_kernel(m->graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(m->x), WEIR_PARAM(m->value), WEIR_VALUE(count_n)));
    if (as.two_ways)
        weir_add_fill(m->graph, "other way", WEIR_WRITE(m->y), &zero, sizeof zero);
    for (uint32_t i = 0; i < as.steps; i++) {
        weir_task t = weir_add_kernel(m->graph, kernel, shape, WEIR_ARGS(WEIR_READ_WRITE(m->x), WEIR_PARAM(m->addend), WEIR_VALUE(count_n)));
        m->first_step = i == 0 ? t : m->first_step;
    }
    if (as.priority != 0)
        weir_task_set(m->graph, m->first_step, &(weir_task_options){.priority = as.priority});
    weir_add_copy(m->graph, "down", WEIR_WRITE(m->out), WEIR_READ(m->x));
    if (as.looks)
        weir_add_host(m->graph, "look", count_call, &m->calls, WEIR_ARGS(WEIR_READ(m->out)));
    m->exec = exec_with(on, m->graph, &(weir_plan_options){.frames = as.frames ? as.frames : 1}, &(weir_exec_options){.mode = as.mode ? as.mode : "replay", .replay_lanes = as.lanes});
}

static void finish(made *m)
{
    weir_exec_destroy(m->exec);
    weir_graph_destroy(m->graph);
    weir_buffer_destroy(m->x);
    weir_buffer_destroy(m->y);
    weir_buffer_destroy(m->out);
    weir_param_destroy(m->value);
    weir_param_destroy(m->addend);
}

/* A frame with these params gives what they say. */
static void gives(made *m, uint32_t value, uint32_t addend)
{
    int calls = m->calls;
    OK(weir_exec_set(m->exec, m->value, &value));
    OK(weir_exec_set(m->exec, m->addend, &addend));
    weir_ticket ticket = submit(m->exec);
    OK(weir_exec_wait(m->exec, ticket, -1));
    const uint32_t *out = weir_exec_data(m->exec, ticket, m->out);
    ck_assert_msg(out != NULL, "%s", weir_last_error());
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(out[i], value + i + m->as.steps * addend);
    ck_assert_int_eq(m->calls, calls + m->as.looks);
}

static void was_made_by(const made *m, uint64_t instantiations, uint64_t taken_over)
{
    weir_stats stats;
    weir_exec_stats(m->exec, &stats);
    ck_assert_uint_eq(stats.instantiations, instantiations);
    ck_assert_uint_eq(stats.taken_over, taken_over);
}

/* Makes it, runs it, and leaves it. */
static void once(weir_runtime *on, wanted as, uint64_t instantiations, uint64_t taken_over)
{
    static uint32_t values;
    made m;
    make(&m, on, as);
    was_made_by(&m, instantiations, taken_over);
    gives(&m, ++values, 3);
    gives(&m, ++values, 4);
    finish(&m);
}

/* ---- lines about updates that CUDA refuses ---- */

static int lines;
static char line[1024];

static void keep_line(void *user, int level, const char *text)
{
    (void)user;
    if (level != WEIR_LOG_INFO || !strstr(text, "cudaGraphExecUpdate"))
        return;
    lines++;
    snprintf(line, sizeof line, "%s", text);
}

/* ---- taking over ---- */

START_TEST(two_shapes_in_turn_are_instantiated_twice)
{
    enum { TURNS = 1000 };
    uint64_t instantiations = 0, taken_over = 0;
    for (uint32_t n = 0; n < TURNS; n++) {
        made m;
        weir_stats stats;
        make(&m, runtime, (wanted){.steps = n % 2 ? 3 : 5, .two_ways = n % 2});
        gives(&m, n, n + 1);
        weir_exec_stats(m.exec, &stats);
        instantiations += stats.instantiations;
        taken_over += stats.taken_over;
        finish(&m);
    }
    ck_assert_uint_eq(instantiations, 2);
    ck_assert_uint_eq(taken_over, TURNS - 2);
}
END_TEST

START_TEST(it_does_what_its_new_exec_asks)
{
    static const char *const modes[] = {"replay", "capture"};
    for (int m = 0; m < 2; m++) {
        once(runtime, (wanted){.steps = 4, .two_ways = true, .looks = true, .mode = modes[m]}, 1, 0);
        once(runtime, (wanted){.steps = 4, .two_ways = true, .looks = true, .mode = modes[m], .grid = 9}, 0, 1);
        once(runtime, (wanted){.steps = 4, .two_ways = true, .looks = true, .mode = modes[m], .kernel = &programmatic_kernel}, m == 0, m == 1);
        once(runtime, (wanted){.steps = 4, .two_ways = true, .looks = true, .mode = modes[m]}, 0, 1);
    }
}
END_TEST

START_TEST(other_kernels_take_over_what_is_changed)
{
    const uint32_t factor = 7, addend = 2;
    made m;
    make(&m, runtime, (wanted){.steps = 1});
    gives(&m, 1, 2);
    finish(&m);
    weir_graph *graph = graph_make("others");
    weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE), *out = numbers("out", N, 1, WEIR_HOST_OUT);
    weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_VALUE(factor), WEIR_VALUE(count_n)));
    weir_add_kernel(graph, &scale_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_READ(x), WEIR_VALUE(factor), WEIR_VALUE(addend), WEIR_VALUE(count_n)));
    weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x));
    m.exec = exec_in_mode(runtime, graph, 1, "replay");
    was_made_by(&m, 0, 1);
    weir_ticket ticket = submit(m.exec);
    OK(weir_exec_wait(m.exec, ticket, -1));
    const uint32_t *got = weir_exec_data(m.exec, ticket, out);
    ck_assert_msg(got != NULL, "%s", weir_last_error());
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], (factor + i) * factor + addend);
    weir_exec_destroy(m.exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(x);
    weir_buffer_destroy(out);
}
END_TEST

/* Two tasks that nothing orders, added as 1, 2, of which the dearer comes first in the plan: by places their graphs are the same. */
static void run_pair(const char *mode, double first_cost, double second_cost, uint64_t taken_over)
{
    weir_graph *graph = graph_make("pair");
    weir_buffer *x[2] = {numbers("x0", N, 1, WEIR_HOST_OUT), numbers("x1", N, 1, WEIR_HOST_OUT)};
    weir_param *value[2] = {NULL, NULL};
    const double cost[2] = {first_cost, second_cost};
    weir_stats stats;
    for (int i = 0; i < 2; i++) {
        OK(weir_param_create("value", &zero, sizeof zero, &value[i]));
        weir_task t = weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x[i]), WEIR_PARAM(value[i]), WEIR_VALUE(count_n)));
        weir_task_set(graph, t, &(weir_task_options){.cost_ns = cost[i]});
    }
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 1}, &(weir_exec_options){.mode = mode});
    for (uint32_t n = 1; n < 4; n++) {
        for (uint32_t i = 0; i < 2; i++)
            OK(weir_exec_set(exec, value[i], &(uint32_t){10 * n + i}));
        weir_ticket ticket = submit(exec);
        OK(weir_exec_wait(exec, ticket, -1));
        for (uint32_t i = 0; i < 2; i++)
            ck_assert_uint_eq(((const uint32_t *)weir_exec_data(exec, ticket, x[i]))[0], 10 * n + i);
    }
    weir_exec_stats(exec, &stats);
    ck_assert_uint_eq(stats.taken_over, taken_over);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    for (int i = 0; i < 2; i++) {
        weir_buffer_destroy(x[i]);
        weir_param_destroy(value[i]);
    }
}

START_TEST(tasks_in_another_order_are_another_shape)
{
    static const char *const modes[] = {"replay", "capture"};
    for (size_t m = 0; m < 2; m++) {
        run_pair(modes[m], 1000, 2000, 0);
        run_pair(modes[m], 2000, 1000, 0);
        run_pair(modes[m], 2000, 1000, 1);
        run_pair(modes[m], 1000, 2000, 1);
    }
}
END_TEST

START_TEST(execs_that_live_share_none)
{
    enum { EXECS = 3 };
    made m[EXECS];
    for (int i = 0; i < EXECS; i++) {
        make(&m[i], runtime, (wanted){.steps = 2, .looks = true});
        was_made_by(&m[i], 1, 0);
    }
    for (uint32_t n = 0; n < 20; n++)
        gives(&m[n % EXECS], n, n);
    finish(&m[0]);
    finish(&m[2]);
    for (int i = 0; i < EXECS; i += 2) {
        make(&m[i], runtime, (wanted){.steps = 2, .looks = true});
        was_made_by(&m[i], 0, 1);
        for (int k = 0; k < EXECS; k++)
            ck_assert(k == i || i + k == 2 || m[k].exec->program->replay->slots[0].exec != m[i].exec->program->replay->slots[0].exec);
    }
    ck_assert(m[0].exec->program->replay->slots[0].exec != m[2].exec->program->replay->slots[0].exec);
    for (uint32_t n = 0; n < 20; n++)
        gives(&m[n % EXECS], n, n);
    for (int i = 0; i < EXECS; i++)
        finish(&m[i]);
}
END_TEST

START_TEST(each_slot_is_left_and_taken)
{
    for (int turn = 0; turn < 2; turn++) {
        weir_graph *graph = graph_make("slots");
        weir_buffer *ring = numbers("ring", N, 3, WEIR_DEVICE), *out = numbers("out", N, 1, WEIR_HOST_OUT);
        const uint32_t one = 1;
        weir_stats stats;
        weir_add_kernel(graph, &scale_kernel, wide, WEIR_ARGS(WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 1), WEIR_VALUE(one), WEIR_VALUE(one), WEIR_VALUE(count_n)));
        weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(ring));
        weir_exec *exec = exec_in_mode(runtime, graph, 1, "replay");
        weir_exec_stats(exec, &stats);
        ck_assert_uint_eq(stats.instantiations, turn == 0 ? 3 : 0);
        ck_assert_uint_eq(stats.taken_over, turn == 0 ? 0 : 3);
        for (uint32_t n = 1; n <= 7; n++) {
            weir_ticket ticket = submit(exec);
            OK(weir_exec_wait(exec, ticket, -1));
            const uint32_t *got = weir_exec_data(exec, ticket, out);
            ck_assert_msg(got != NULL && got[0] == n && got[N - 1] == n, "frame %u of turn %d", n, turn);
        }
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(ring);
        weir_buffer_destroy(out);
    }
}
END_TEST

/* CUDA changes no event of a node, so graphs that are tied to others by events are nobody else's. */
START_TEST(frames_in_flight_have_graphs_of_their_own)
{
    enum { IN_FLIGHT = 3, FRAMES_OF_ALL = 50 };
    const uint32_t one = 1;
    for (int turn = 0; turn < 2; turn++)
        for (int m = 1; m < CUDA_MODES; m++) { /* replay, capture */
            weir_graph *graph = graph_make("in flight");
            weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE), *ring = numbers("ring", N, WEIR_RING_AUTO, WEIR_DEVICE), *out = numbers("out", N, WEIR_RING_AUTO, WEIR_HOST_OUT);
            weir_ticket last[IN_FLIGHT];
            weir_stats stats;
            weir_add_kernel(graph, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(one), WEIR_VALUE(count_n)));
            weir_add_copy(graph, "across", WEIR_WRITE(ring), WEIR_READ(x));
            weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(ring));
            weir_exec *exec = exec_in_mode(runtime, graph, IN_FLIGHT, cuda_modes[m]);
            weir_exec_stats(exec, &stats);
            ck_assert_uint_eq(stats.instantiations, IN_FLIGHT);
            ck_assert_uint_eq(stats.taken_over, 0);
            for (uint32_t n = 0; n < FRAMES_OF_ALL; n++)
                last[n % IN_FLIGHT] = submit(exec);
            for (uint32_t n = FRAMES_OF_ALL - IN_FLIGHT; n < FRAMES_OF_ALL; n++) {
                OK(weir_exec_wait(exec, last[n % IN_FLIGHT], -1));
                const uint32_t *got = weir_exec_data(exec, last[n % IN_FLIGHT], out);
                ck_assert_msg(got != NULL && got[0] == n + 1 && got[N - 1] == n + 1, "frame %u of turn %d in mode %s", n, turn, cuda_modes[m]);
            }
            weir_exec_destroy(exec);
            weir_graph_destroy(graph);
            weir_buffer_destroy(x);
            weir_buffer_destroy(ring);
            weir_buffer_destroy(out);
        }
}
END_TEST

START_TEST(other_shapes_are_not_taken)
{
    const wanted shapes[] = {
        {.steps = 3},
        {.steps = 4},
        {.steps = 3, .two_ways = true},
        {.steps = 3, .looks = true},
        {.steps = 3, .early = true},
        {.steps = 3, .priority = -1},
        {.steps = 3, .priority = 1},
        {.steps = 3, .mode = "capture"},
        {.steps = 3, .two_ways = true, .lanes = 1},
    };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < SHAPES; i++)
            once(runtime, shapes[i], turn == 0, turn == 1);
}
END_TEST

START_TEST(copies_and_fills_are_told_apart_by_what_no_update_changes)
{
    static const weir_place places[][2] = {{WEIR_DEVICE, WEIR_DEVICE}, {WEIR_DEVICE, WEIR_HOST_IN}, {WEIR_HOST_OUT, WEIR_DEVICE}};
    static const weir_box parts[] = {{.nx = 8, .ny = 8}, {.nx = 4, .ny = 8}, {.nx = 8, .ny = 4}};
    enum { PLACES = 3, PARTS = 3 };
    lines = 0;
    weir_set_log(keep_line, NULL);
    for (int turn = 0; turn < 2; turn++)
        for (int p = 0; p < PLACES; p++)
            for (int b = 0; b < PARTS; b++) {
                weir_graph *graph = graph_make("copy");
                weir_stats stats;
                weir_buffer *to = buffer_of((weir_buffer_desc){.name = "to", .element_bytes = 4, .nx = 8, .ny = 8, .place = places[p][0]});
                weir_buffer *from = buffer_of((weir_buffer_desc){.name = "from", .element_bytes = 4, .nx = 8, .ny = 8, .place = places[p][1]});
                const bool is_written = places[p][1] == WEIR_DEVICE;
                if (is_written)
                    weir_add_fill(graph, "fill", WEIR_WRITE(from), &count_n, sizeof count_n);
                weir_add_copy(graph, "copy", weir_part(WEIR_WRITE(to), parts[b]), weir_part(WEIR_READ(from), parts[b]));
                weir_exec *exec = exec_in_mode(runtime, graph, 1, "replay");
                weir_exec_stats(exec, &stats);
                if (b == 1) /* boxes proper: an update of them may be refused */
                    ck_assert_uint_eq(stats.instantiations + stats.taken_over, 1);
                else
                    ck_assert_uint_eq(stats.taken_over, turn == 1 || b == 2);
                run_frames(exec, 2);
                weir_exec_destroy(exec);
                weir_graph_destroy(graph);
                weir_buffer_destroy(to);
                weir_buffer_destroy(from);
            }
    weir_set_log(NULL, NULL);
    ck_assert_int_le(lines, 1); /* and then none is tried any more */
}
END_TEST

/* ---- what is not left ---- */

START_TEST(what_is_off_or_guarded_is_not_left)
{
    made m;
    make(&m, runtime, (wanted){.steps = 2});
    OK(weir_exec_enable(m.exec, m.first_step, 0));
    OK(weir_exec_wait(m.exec, submit(m.exec), -1));
    finish(&m);
    ck_assert_uint_eq(nodes_kept(runtime), 0);
    make(&m, runtime, (wanted){.steps = 2});
    was_made_by(&m, 1, 0);
    OK(weir_exec_enable(m.exec, m.first_step, 0));
    OK(weir_exec_wait(m.exec, submit(m.exec), -1));
    OK(weir_exec_enable(m.exec, m.first_step, 1)); /* and on again: it is as it was */
    gives(&m, 1, 1);
    finish(&m);
    ck_assert_uint_eq(nodes_kept(runtime), 4);
    once(runtime, (wanted){.steps = 2}, 0, 1);

    make(&m, runtime, (wanted){.steps = 2, .early = true});
    OK(weir_exec_enable(m.exec, m.first_step, 0));
    OK(weir_exec_wait(m.exec, submit(m.exec), -1));
    OK(weir_exec_enable(m.exec, m.first_step, 1));
    gives(&m, 1, 1);
    finish(&m);
    ck_assert_uint_eq(nodes_kept(runtime), 4);
}
END_TEST

START_TEST(what_failed_is_not_left)
{
    made m;
    make(&m, runtime, (wanted){.steps = 2});
    atomic_store(&m.exec->program->failed, 0);
    finish(&m);
    ck_assert_uint_eq(nodes_kept(runtime), 0);
    weir_runtime *other = cuda_runtime();
    make(&m, other, (wanted){.steps = 2});
    gives(&m, 1, 2);
    atomic_store(&other->backend->broken, cudaErrorIllegalAddress);
    finish(&m);
    ck_assert_uint_eq(nodes_kept(other), 0);
    weir_runtime_destroy(other);
}
END_TEST

/* ---- how much is kept ---- */

START_TEST(none_are_kept_where_none_may_be)
{
    weir_runtime *on = runtime_that_keeps(0);
    for (int i = 0; i < 3; i++)
        once(on, (wanted){.steps = 2}, 1, 0);
    ck_assert_uint_eq(nodes_kept(on), 0);
    weir_runtime_destroy(on);
}
END_TEST

START_TEST(those_unused_longest_go)
{
    const wanted a = {.steps = 2}, b = {.steps = 2, .early = true}, c = {.steps = 2, .mode = "capture"}, large = {.steps = 20};
    weir_runtime *on = runtime_that_keeps(8); /* two of four nodes */
    once(on, a, 1, 0);
    once(on, b, 1, 0);
    ck_assert_uint_eq(nodes_kept(on), 8);
    once(on, c, 1, 0); /* a goes */
    once(on, b, 0, 1);
    once(on, a, 1, 0); /* c goes */
    once(on, b, 0, 1);
    once(on, c, 1, 0); /* a goes */
    once(on, large, 1, 0); /* too large itself: nothing goes */
    once(on, b, 0, 1);
    once(on, c, 0, 1);
    ck_assert_uint_eq(nodes_kept(on), 8);
    weir_runtime_destroy(on);
}
END_TEST

/* ---- the table alone, against a list ---- */

typedef struct {
    uint64_t key, age;
    cudaGraph_t graph;
    uint32_t nodes;
} modelled;

static made_graph graph_of(uint32_t nodes)
{
    made_graph g = {.pieces = nodes, .nodes = weir_alloc(nodes + 1, sizeof(cudaGraphNode_t))};
    CUDA(cudaGraphCreate(&g.graph, 0));
    for (uint32_t i = 0; i < nodes; i++)
        CUDA(cudaGraphAddEmptyNode(&g.nodes[i], g.graph, NULL, 0));
    return g;
}

static shape_key key_of(uint64_t number)
{
    shape_key key = {{0, 0}};
    weir_shape_add(&key, number);
    return key;
}

START_TEST(table_keeps_what_a_list_would)
{
    enum { STEPS = 3000, KEYS = 12, MOST = 40, KEPT_MOST = MOST + 1 };
    uint64_t random = number_from_environment("WEIR_TEST_SEED", 1), age = 0;
    graph_cache cache;
    modelled list[KEPT_MOST];
    uint32_t count = 0, kept = 0, takes = 0;
    printf("table keeps what a list would: seed %llu\n", (unsigned long long)random);
    weir_cache_init(&cache, MOST);
    for (int step = 0; step < STEPS; step++) {
        uint64_t number = weir_random_below(&random, KEYS);
        shape_key key = key_of(number);
        if (weir_random_below(&random, 2)) {
            uint32_t nodes = 1 + (uint32_t)number % 3;
            made_graph g = graph_of(nodes);
            list[count++] = (modelled){number, age++, g.graph, nodes};
            kept += nodes;
            weir_cache_give(&cache, &key, &g);
            ck_assert_ptr_null(g.graph);
            for (; kept > MOST; kept -= list[0].nodes, memmove(list, list + 1, --count * sizeof *list))
                ;
        } else {
            made_graph g;
            uint32_t at = count;
            while (at > 0 && list[at - 1].key != number)
                at--;
            ck_assert_int_eq(weir_cache_take(&cache, &key, 1 + (uint32_t)number % 3, &g), at > 0);
            if (at == 0)
                continue;
            ck_assert_ptr_eq(g.graph, list[at - 1].graph);
            kept -= list[at - 1].nodes;
            memmove(&list[at - 1], &list[at], (count-- - at) * sizeof *list);
            weir_made_graph_destroy(&g);
            takes++;
        }
        ck_assert_uint_eq(cache.nodes, kept);
    }
    ck_assert_uint_gt(takes, STEPS / 10);
    made_graph g;
    shape_key key = key_of(0);
    ck_assert(!weir_cache_take(&cache, &key, 2, &g)); /* of other pieces */
    weir_cache_finish(&cache);
}
END_TEST

START_TEST(order_and_values_make_a_shape)
{
    shape_key a = {{0, 0}}, b = a, c = a, d = a;
    weir_shape_add(&a, 1);
    weir_shape_add(&a, 2);
    weir_shape_add(&b, 2);
    weir_shape_add(&b, 1);
    weir_shape_add(&c, 1);
    weir_shape_add(&c, 2);
    weir_shape_add(&d, 1);
    ck_assert(memcmp(&a, &b, sizeof a) != 0 && a.word[0] != b.word[0] && a.word[1] != b.word[1]);
    ck_assert(memcmp(&a, &c, sizeof a) == 0);
    weir_shape_add(&d, 0);
    ck_assert(memcmp(&a, &d, sizeof a) != 0);
}
END_TEST

/* ---- several threads ---- */

static void *make_and_leave(void *unused)
{
    for (uint32_t n = 0; n < 10; n++) {
        made m;
        make(&m, runtime, (wanted){.steps = 1 + n % 3});
        gives(&m, n, n);
        finish(&m);
    }
    return unused;
}

START_TEST(threads_leave_and_take)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, make_and_leave, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_ge(nodes_kept(runtime), 3 + 4 + 5);
}
END_TEST

/* ---- an update that CUDA refuses ---- */

/* What `left` leaves is kept as if it had the shape of `taken`. */
static void refused(weir_graph *left, weir_graph *taken, const char *task, const char *field)
{
    weir_stats stats;
    weir_exec *exec = exec_in_mode(runtime, taken, 1, "replay");
    shape_key key = exec->program->replay->shape;
    uint32_t pieces = weir_replay_piece_count(exec->program->replay);
    atomic_store(&exec->program->failed, 0); /* so that it leaves nothing */
    weir_exec_destroy(exec);
    exec = exec_in_mode(runtime, left, 1, "replay");
    shape_key other = exec->program->replay->shape;
    weir_exec_destroy(exec);
    made_graph g;
    ck_assert(weir_cache_take(&runtime->backend->cache, &other, pieces, &g));
    weir_cache_give(&runtime->backend->cache, &key, &g);
    lines = 0;
    weir_set_log(keep_line, NULL);
    exec = exec_in_mode(runtime, taken, 1, "replay");
    weir_set_log(NULL, NULL);
    ck_assert_int_eq(lines, 1);
    says(line, task);
    says(line, field);
    says(line, "graph 'taken'");
    weir_exec_stats(exec, &stats);
    ck_assert_uint_eq(stats.instantiations, 1);
    ck_assert_uint_eq(stats.taken_over, 0);
    run_frames(exec, 3);
    ck_assert_uint_eq(nodes_kept(runtime), 0); /* the old one is gone */
    atomic_store(&exec->program->failed, 0);
    weir_exec_destroy(exec);
}

START_TEST(refused_update_says_task_and_field)
{
    weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE), *y = numbers("y", N, 1, WEIR_DEVICE);
    weir_graph *chain = graph_make("left"), *fork = graph_make("taken");
    weir_add_fill(chain, "zeros", WEIR_WRITE(x), &zero, sizeof zero);
    for (int i = 0; i < 2; i++)
        weir_add_kernel(chain, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(count_n), WEIR_VALUE(count_n)));
    weir_add_fill(fork, "zeros", WEIR_WRITE(x), &zero, sizeof zero);
    for (int i = 0; i < 2; i++)
        weir_add_kernel(fork, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(i ? y : x), WEIR_VALUE(count_n), WEIR_VALUE(count_n)));
    refused(chain, fork, "task '", "edges");
    weir_graph_destroy(chain);
    weir_graph_destroy(fork);

    weir_graph *kernels = graph_make("left"), *fills = graph_make("taken");
    weir_add_kernel(kernels, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_VALUE(zero), WEIR_VALUE(count_n)));
    weir_add_kernel(kernels, &add_kernel, wide, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(count_n), WEIR_VALUE(count_n)));
    weir_add_kernel(fills, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(x), WEIR_VALUE(zero), WEIR_VALUE(count_n)));
    weir_add_fill(fills, "ones again", WEIR_WRITE(x), &zero, sizeof zero);
    refused(kernels, fills, "task 'ones again'", "kind of node");
    weir_graph_destroy(kernels);
    weir_graph_destroy(fills);
    weir_buffer_destroy(x);
    weir_buffer_destroy(y);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/cache");
    TCase *cases = tcase_create("cache");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, two_shapes_in_turn_are_instantiated_twice);
    tcase_add_test(cases, it_does_what_its_new_exec_asks);
    tcase_add_test(cases, other_kernels_take_over_what_is_changed);
    tcase_add_test(cases, tasks_in_another_order_are_another_shape);
    tcase_add_test(cases, execs_that_live_share_none);
    tcase_add_test(cases, each_slot_is_left_and_taken);
    tcase_add_test(cases, frames_in_flight_have_graphs_of_their_own);
    tcase_add_test(cases, other_shapes_are_not_taken);
    tcase_add_test(cases, copies_and_fills_are_told_apart_by_what_no_update_changes);
    tcase_add_test(cases, what_is_off_or_guarded_is_not_left);
    tcase_add_test(cases, what_failed_is_not_left);
    tcase_add_test(cases, none_are_kept_where_none_may_be);
    tcase_add_test(cases, those_unused_longest_go);
    tcase_add_test(cases, table_keeps_what_a_list_would);
    tcase_add_test(cases, order_and_values_make_a_shape);
    tcase_add_test(cases, threads_leave_and_take);
    tcase_add_test(cases, refused_update_says_task_and_field);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
