/* lane_test.c - what lane.c promises: each block once, whoever does it; scratch of one's own; entries in order, and none before what it
 * waits for. */
#include "run/fixture.h"
#include "util/random.h"
#include <stdatomic.h>
#include <stdint.h>

enum { BLOCKS_MOST = 5000 };

/* What a kernel saw: how often each block was done, how many calls, and what was odd. */
typedef struct {
    atomic_int done[BLOCKS_MOST];
    atomic_int calls, odd;
    uint32_t grid[3], block[3];
} seen;

static seen saw;

static void note_blocks(const weir_blocks *blocks, void *const *args)
{
    seen *s = WEIR_PASSED(seen *, args, 0);
    atomic_fetch_add(&s->calls, 1);
    for (uint64_t b = blocks->first; b < blocks->first + blocks->count; b++)
        atomic_fetch_add(&s->done[b], 1);
    if (memcmp(blocks->grid, s->grid, sizeof s->grid) != 0 || memcmp(blocks->block, s->block, sizeof s->block) != 0 || blocks->shared)
        atomic_fetch_add(&s->odd, 1);
}

static const weir_kernel spread = {.name = "spread", .host = note_blocks},
                         one_call = {.name = "one call", .host = note_blocks, .flags = WEIR_KERNEL_ONE_CALL},
                         cooperative = {.name = "cooperative", .host = note_blocks, .flags = WEIR_KERNEL_COOPERATIVE};

/* Runs the kernel over this shape for some frames; returns the calls a frame, at most. */
static int run_shape(const weir_kernel *kernel, weir_shape shape, uint32_t workers, int frames)
{
    weir_runtime *runtime = runtime_make(workers);
    weir_graph *graph = graph_make("g");
    seen *s = &saw;
    uint64_t blocks = 1;
    memset(&saw, 0, sizeof saw);
    for (int i = 0; i < 3; i++) {
        saw.grid[i] = shape.grid[i] ? shape.grid[i] : 1;
        saw.block[i] = shape.block[i] ? shape.block[i] : 1;
        blocks *= saw.grid[i];
    }
    weir_add_kernel(graph, kernel, shape, WEIR_ARGS(WEIR_VALUE(s)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, frames);
    for (uint64_t b = 0; b < BLOCKS_MOST; b++)
        ck_assert_msg(atomic_load(&saw.done[b]) == (b < blocks ? frames : 0), "block %d of %d was done %d times in %d frames", (int)b,
                      (int)blocks, atomic_load(&saw.done[b]), frames);
    ck_assert_int_eq(atomic_load(&saw.odd), 0);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
    return atomic_load(&saw.calls) / frames;
}

START_TEST(every_block_is_done_once_a_frame)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 8, 15, 16, 17, 100, 4099};
    for (uint32_t workers = 1; workers <= 4; workers++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            run_shape(&spread, (weir_shape){.grid = {counts[i]}, .block = {32}}, workers, 5);
    run_shape(&spread, (weir_shape){.grid = {7, 11, 13}, .block = {4, 3, 2}}, 3, 20);
}
END_TEST

START_TEST(blocks_of_a_kernel_are_shared_out)
{
    ck_assert_int_eq(run_shape(&spread, (weir_shape){.grid = {4000}}, 1, 3), 1); /* nobody to share with */
    ck_assert_int_gt(run_shape(&spread, (weir_shape){.grid = {4000}}, 4, 3), 4);
    ck_assert_int_eq(run_shape(&spread, (weir_shape){.grid = {1}}, 4, 3), 1);
}
END_TEST

START_TEST(one_call_is_one_call)
{
    ck_assert_int_eq(run_shape(&one_call, (weir_shape){.grid = {300, 3}}, 4, 10), 1);
    ck_assert_int_eq(run_shape(&cooperative, (weir_shape){.grid = {300, 3}}, 4, 10), 1); /* its blocks may wait for each other */
}
END_TEST

/* ---- scratch ---- */

typedef struct {
    atomic_int odd, inside;
    uint32_t bytes;
} scratching;

static void use_scratch(const weir_blocks *blocks, void *const *args)
{
    scratching *s = WEIR_PASSED(scratching *, args, 0);
    unsigned char *shared = blocks->shared, mark = (unsigned char)(blocks->first * 31 + 1);
    if (!shared || (uintptr_t)shared % 64 != 0) {
        atomic_fetch_add(&s->odd, 1);
        return;
    }
    memset(shared, mark, s->bytes);
    if (blocks->first % 5 == 0)
        pause_ms(0); /* let others in */
    for (uint32_t i = 0; i < s->bytes; i++)
        if (shared[i] != mark) {
            atomic_fetch_add(&s->odd, 1);
            return;
        }
}

static const weir_kernel scratcher = {.name = "scratcher", .host = use_scratch};

START_TEST(scratch_is_the_workers_own)
{
    weir_runtime *runtime = runtime_make(4);
    weir_graph *graphs[3];
    weir_exec *execs[3];
    static scratching s[3];
    for (uint32_t i = 0; i < 3; i++) { /* each wants more than those before, whose frames go on */
        s[i].bytes = 100u << 3 * i;
        scratching *mine = &s[i];
        graphs[i] = graph_make("g");
        for (int k = 0; k < 3; k++)
            weir_add_kernel(graphs[i], &scratcher, (weir_shape){.grid = {40}, .shared_bytes = s[i].bytes}, WEIR_ARGS(WEIR_VALUE(mine)));
        execs[i] = exec_make(runtime, graphs[i], 2);
        for (uint32_t e = 0; e <= i; e++)
            for (int f = 0; f < 20; f++)
                submit(execs[e]);
    }
    OK(weir_runtime_wait(runtime, -1));
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(atomic_load(&s[i].odd), 0);
        weir_exec_destroy(execs[i]);
        weir_graph_destroy(graphs[i]);
    }
    weir_runtime_destroy(runtime);
}
END_TEST

/* ---- order ---- */

enum { TASKS = 60, FRAMES = 40 };

/* Tasks number themselves as they run; each checks that all it follows ran before it in its frame. */
typedef struct {
    atomic_int frame[TASKS]; /* times the task ran */
    atomic_int wrong;
    uint64_t follows[TASKS]; /* bits */
} ordering;

typedef struct {
    ordering *all;
    uint32_t number;
} ordered;

static weir_status check_order(void *user, void *const *args)
{
    ordered *me = user;
    (void)args;
    int frame = atomic_load(&me->all->frame[me->number]) + 1;
    for (uint32_t t = 0; t < TASKS; t++)
        if (me->all->follows[me->number] >> t & 1 && atomic_load(&me->all->frame[t]) < frame)
            atomic_fetch_add(&me->all->wrong, 1);
    atomic_store(&me->all->frame[me->number], frame);
    return WEIR_OK;
}

START_TEST(no_task_runs_before_what_it_follows)
{
    static ordering all;
    static ordered tasks[TASKS];
    static char names[TASKS][12];
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t random = seed;
        memset(&all, 0, sizeof all);
        weir_graph *graph = graph_make("g");
        weir_task handles[TASKS];
        for (uint32_t t = 0; t < TASKS; t++) {
            tasks[t] = (ordered){&all, t};
            snprintf(names[t], sizeof names[t], "t%u", t);
            handles[t] = weir_add_host(graph, names[t], check_order, &tasks[t], weir_no_args());
            for (uint32_t e = weir_random_below(&random, 3); t > 0 && e > 0; e--) {
                uint32_t earlier = weir_random_below(&random, t);
                weir_after(graph, handles[t], handles[earlier]);
                all.follows[t] |= (uint64_t)1 << earlier;
            }
        }
        weir_runtime *runtime = runtime_make(1 + weir_random_below(&random, 4));
        weir_exec *exec =
            exec_with(runtime, graph,
                      &(weir_plan_options){.lanes = 1 + weir_random_below(&random, 12), .frames = 1 + weir_random_below(&random, 3)}, NULL);
        run_frames(exec, FRAMES);
        ck_assert_msg(atomic_load(&all.wrong) == 0, "seed %llu", (unsigned long long)seed);
        for (uint32_t t = 0; t < TASKS; t++)
            ck_assert_int_eq(atomic_load(&all.frame[t]), FRAMES);
        weir_exec_destroy(exec);
        weir_runtime_destroy(runtime);
        weir_graph_destroy(graph);
    }
}
END_TEST

/* ---- shuffled runs ---- */

typedef struct {
    uint32_t order[512], count;
} journal;

typedef struct {
    journal *journal;
    uint32_t number;
} writer;

static weir_status write_journal(void *user, void *const *args)
{
    writer *w = user;
    (void)args;
    w->journal->order[w->journal->count++] = w->number;
    return WEIR_OK;
}

static journal shuffled_with(const char *seed)
{
    static journal j;
    static writer writers[16];
    memset(&j, 0, sizeof j);
    setenv("WEIR_SHUFFLE", seed, 1);
    weir_runtime *runtime = runtime_make(4);
    unsetenv("WEIR_SHUFFLE");
    weir_graph *graph = graph_make("g");
    for (uint32_t i = 0; i < 16; i++) {
        writers[i] = (writer){&j, i};
        weir_add_host(graph, "t", write_journal, &writers[i], weir_no_args());
    }
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 8}, NULL);
    for (int f = 0; f < 10; f++)
        run_frames(exec, 1); /* one by one, so that no order depends on when they were submitted */
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
    ck_assert_uint_eq(j.count, 160);
    return j;
}

START_TEST(seed_of_a_shuffle_decides_the_order)
{
    journal first = shuffled_with("1"), again = shuffled_with("1"), other = shuffled_with("2");
    ck_assert_mem_eq(first.order, again.order, sizeof first.order);
    ck_assert_int_ne(memcmp(first.order, other.order, sizeof first.order), 0);
    ck_assert_int_ne(memcmp(first.order, first.order + 16, 16 * sizeof *first.order), 0); /* nor is it every frame's */
}
END_TEST

int main(void)
{
    no_environment();
    Suite *suite = suite_create("backend/host/lane");
    TCase *cases = tcase_create("lane");
    tcase_add_test(cases, every_block_is_done_once_a_frame);
    tcase_add_test(cases, blocks_of_a_kernel_are_shared_out);
    tcase_add_test(cases, one_call_is_one_call);
    tcase_add_test(cases, scratch_is_the_workers_own);
    tcase_add_test(cases, no_task_runs_before_what_it_follows);
    tcase_add_test(cases, seed_of_a_shuffle_decides_the_order);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
