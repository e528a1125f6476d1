/* auto_test.c - mode auto: frames are right while ways of replaying take turns, one of them wins in time, and it is told. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "util/random.h"

enum { N = 256, STRIPS = 9, FRAMES_TO_CHOOSE = 64 };
static const int64_t LONG_NS = 10000000000;

static weir_runtime *runtime;
static char said[4096];    /* the line that says what was chosen */
static char in_turn[1024]; /* the one that says that frames do not overlap */

static void listen(void *user, int level, const char *text)
{
    (void)user;
    (void)level;
    if (strstr(text, "chosen with"))
        snprintf(said, sizeof said, "%s", text);
    if (strstr(text, "one after the other"))
        snprintf(in_turn, sizeof in_turn, "%s", text);
}

static void set_up(void)
{
    no_environment();
    setenv("WEIR_LOG", "info", 1);
    said[0] = in_turn[0] = '\0';
    weir_set_log(listen, NULL);
    runtime = cuda_runtime_with(4, 32);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
    weir_set_log(NULL, NULL);
}

/* ---- a graph as wide as there are strips: each strip twice its value and the addend, all of them added up, frame after frame ---- */

typedef struct {
    weir_graph *graph;
    weir_buffer *strip[STRIPS], *sum, *out;
    weir_param *addend;
    weir_task last;          /* that may be switched off */
    uint32_t width;
    uint32_t value[STRIPS], total; /* what they are */
} wide_graph;

static const weir_shape blocks = {.grid = {2}, .block = {128}};
static const uint32_t count_n = N, two = 2, one = 1;

static void wide_make(wide_graph *g, uint32_t width)
{
    const uint32_t zero = 0;
    memset(g, 0, sizeof *g);
    g->width = width;
    g->graph = graph_make("wide");
    OK(weir_param_create("addend", &zero, sizeof zero, &g->addend));
    g->sum = numbers("sum", N, WEIR_RING_AUTO, WEIR_DEVICE);
    g->out = numbers("out", N, WEIR_RING_AUTO, WEIR_HOST_OUT);
    for (uint32_t i = 0; i < width; i++) {
        g->strip[i] = numbers("strip", N, 1, WEIR_DEVICE);
        weir_add_kernel(g->graph, &scale_kernel, blocks, WEIR_ARGS(WEIR_WRITE(g->strip[i]), WEIR_READ(g->strip[i]), WEIR_VALUE(two), WEIR_PARAM(g->addend), WEIR_VALUE(count_n)));
        g->last = weir_add_kernel(g->graph, &add_kernel, blocks, WEIR_ARGS(WEIR_READ_WRITE(g->strip[i]), WEIR_VALUE(one), WEIR_VALUE(count_n)));
    }
    for (uint32_t i = 0; i < width; i++) {
        weir_arg from = i == 0 ? WEIR_READ(g->strip[0]) : WEIR_READ(g->sum);
        weir_arg to = i == 0 ? WEIR_WRITE(g->sum) : WEIR_READ_WRITE(g->sum);
        if (i == 0)
            weir_add_kernel(g->graph, &scale_kernel, blocks, WEIR_ARGS(to, from, WEIR_VALUE(one), WEIR_PARAM(g->addend), WEIR_VALUE(count_n)));
        else
            weir_add_kernel(g->graph, &add_kernel, blocks, WEIR_ARGS(to, WEIR_PARAM(g->addend), WEIR_VALUE(count_n), weir_hidden(WEIR_READ(g->strip[i]))));
    }
    weir_add_copy(g->graph, "down", WEIR_WRITE(g->out), WEIR_READ(g->sum));
    OK(weir_graph_status(g->graph));
}

static void wide_finish(wide_graph *g)
{
    weir_graph_destroy(g->graph);
    for (uint32_t i = 0; i < g->width; i++)
        weir_buffer_destroy(g->strip[i]);
    weir_buffer_destroy(g->sum);
    weir_buffer_destroy(g->out);
    weir_param_destroy(g->addend);
}

/* The same, counted here. */
static uint32_t wide_frame(wide_graph *g, uint32_t addend, bool off)
{
    for (uint32_t i = 0; i < g->width; i++)
        g->value[i] = g->value[i] * 2 + addend + (off && i == g->width - 1 ? 0 : 1);
    return g->value[0] + addend * g->width;
}

static uint32_t frames_of_candidates(const weir_exec *exec, uint32_t *losers, uint32_t *chosen)
{
    weir_candidate all[16];
    uint32_t count = weir_exec_candidates(exec, all, 16), frames = 0;
    *losers = *chosen = 0;
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_str_eq(all[i].mode, "replay");
        frames += all[i].frames;
        *losers += all[i].chosen ? 0 : all[i].frames;
        *chosen += all[i].chosen != 0;
    }
    return frames;
}

/* In flight: tickets whose frames are not looked at yet, each with what it is to give. */
static void run_wide(wide_graph *g, weir_exec *exec, uint32_t in_flight, uint32_t frames, uint64_t *random)
{
    enum { FLIGHTS_MOST = 12 };
    weir_ticket ticket[FLIGHTS_MOST] = {{0}};
    uint32_t expected[FLIGHTS_MOST] = {0}, addend = 0;
    bool off = false;
    ck_assert_uint_le(in_flight, FLIGHTS_MOST);
    for (uint32_t n = 0; n < frames + in_flight; n++) {
        uint32_t at = n % in_flight;
        if (n >= in_flight) {
            OK(weir_exec_wait(exec, ticket[at], LONG_NS));
            const uint32_t *out = weir_exec_data(exec, ticket[at], g->out);
            ck_assert_msg(out != NULL, "%s", weir_last_error());
            for (uint32_t i = 0; i < N; i++)
                ck_assert_msg(out[i] == expected[at], "frame %u: %u for %u", n - in_flight, out[i], expected[at]);
        }
        if (n >= frames)
            continue;
        if (weir_random_below(random, 5) == 0) {
            addend = weir_random_below(random, 1000);
            OK(weir_exec_set(exec, g->addend, &addend));
        }
        if (weir_random_below(random, 7) == 0) {
            off = !off;
            OK(weir_exec_enable(exec, g->last, !off));
        }
        expected[at] = wide_frame(g, addend, off);
        ticket[at] = submit(exec);
    }
}

START_TEST(frames_are_right_and_one_way_wins)
{
    static const uint32_t flights[] = {1, 2, 3, 6, 8, 12}, candidates[] = {5, 5, 5, 5, 5, 4}; /* its edges alone, 1, 2, 4 and 8 lanes; with 12 not all */
    for (size_t i = 0; i < sizeof flights / sizeof *flights; i++) {
        const uint32_t in_flight = flights[i];
        uint64_t random = number_from_environment("WEIR_TEST_SEED", 1) + in_flight;
        uint32_t losers, chosen;
        weir_candidate all[8];
        wide_graph g;
        weir_stats stats;
        wide_make(&g, STRIPS);
        said[0] = '\0';
        weir_exec *exec = exec_in_mode(runtime, g.graph, in_flight, "auto");
        run_wide(&g, exec, in_flight, 100, &random);
        weir_exec_stats(exec, &stats);
        ck_assert_str_eq(stats.mode, "replay");
        ck_assert_uint_eq(weir_exec_candidates(exec, all, 8), candidates[i]);
        for (uint32_t k = 0; k < candidates[i]; k++) {
            ck_assert_msg(all[k].frame_ns >= 0, "%u in flight: nothing is known of %u lanes", in_flight, all[k].replay_lanes);
            ck_assert_uint_ge(all[k].frames, in_flight);
        }
        uint32_t frames = frames_of_candidates(exec, &losers, &chosen);
        ck_assert_uint_eq(chosen, 1);
        ck_assert_uint_ge(frames, 99); /* the first may have run eagerly */
        ck_assert_uint_le(losers, FRAMES_TO_CHOOSE);
        says(said, "graph 'wide' replays by ");
        says(said, "its edges alone");
        says(said, "the order of 8 lanes");
        weir_exec_destroy(exec);
        wide_finish(&g);
    }
}
END_TEST

START_TEST(a_chain_has_nothing_to_choose)
{
    wide_graph g;
    uint32_t losers, chosen;
    uint64_t random = 3;
    wide_make(&g, 1);
    weir_exec *exec = exec_in_mode(runtime, g.graph, 1, "auto");
    run_wide(&g, exec, 1, 5, &random);
    ck_assert_uint_eq(weir_exec_candidates(exec, NULL, 0), 1);
    ck_assert_uint_ge(frames_of_candidates(exec, &losers, &chosen), 4);
    ck_assert_uint_eq(chosen, 1);
    weir_exec_destroy(exec);
    wide_finish(&g);
}
END_TEST

START_TEST(an_exec_may_end_before_it_has_chosen)
{
    for (uint32_t frames = 0; frames < 12; frames++) {
        wide_graph g;
        uint64_t random = frames;
        wide_make(&g, STRIPS);
        weir_exec *exec = exec_in_mode(runtime, g.graph, 3, "auto");
        run_wide(&g, exec, 3, frames, &random);
        for (int i = 0; i < 3; i++)
            (void)submit(exec);
        weir_exec_destroy(exec); /* waits for them */
        wide_finish(&g);
    }
}
END_TEST

START_TEST(what_the_first_exec_showed_serves_the_next)
{
    wide_graph first, second;
    uint32_t losers, chosen;
    uint64_t random = 5;
    wide_make(&first, STRIPS);
    wide_make(&second, STRIPS);
    weir_exec *one_exec = exec_in_mode(runtime, first.graph, 1, "auto"), *other = exec_in_mode(runtime, second.graph, 1, "auto");
    run_wide(&first, one_exec, 1, 80, &random);
    ck_assert_uint_eq(frames_of_candidates(one_exec, &losers, &chosen), 79); /* nothing was known: the first ran eagerly */
    run_wide(&second, other, 1, 80, &random);
    ck_assert_uint_ge(frames_of_candidates(other, &losers, &chosen), 79);
    ck_assert_uint_eq(chosen, 1);
    weir_exec_destroy(one_exec);
    weir_exec_destroy(other);
    wide_finish(&first);
    wide_finish(&second);
}
END_TEST

/* ---- with host tasks, whose words are those of the way each frame runs ---- */

START_TEST(host_tasks_run_once_a_frame_whatever_the_way)
{
    int calls = 0;
    wide_graph g;
    uint64_t random = 7;
    wide_make(&g, STRIPS);
    weir_add_host(g.graph, "look", count_call, &calls, WEIR_ARGS(WEIR_READ(g.out)));
    weir_exec *exec = exec_in_mode(runtime, g.graph, 2, "auto");
    run_wide(&g, exec, 2, 90, &random);
    weir_exec_destroy(exec);
    ck_assert_int_eq(calls, 90);
    wide_finish(&g);
}
END_TEST

START_TEST(times_of_tasks_want_eager_frames)
{
    wide_graph g;
    weir_stats stats;
    wide_make(&g, 2);
    weir_exec *exec = exec_with(runtime, g.graph, NULL, &(weir_exec_options){.mode = "auto", .timing = 1});
    run_frames(exec, 2);
    weir_exec_stats(exec, &stats);
    ck_assert_str_eq(stats.mode, "eager");
    ck_assert_uint_eq(weir_exec_candidates(exec, NULL, 0), 0);
    weir_exec_destroy(exec);
    wide_finish(&g);
}
END_TEST

/* One adds to what the frame before left; in the other nothing leads from frame to frame. */
START_TEST(frames_that_cannot_overlap_replay_in_turn_and_it_is_said)
{
    enum { FRAMES = 12 };
    const weir_exec_options replay = {.mode = "replay"};
    uint32_t seen[N];
    weir_graph *counting = graph_make("counting"), *streaming = graph_make("streaming");
    weir_buffer *sum = numbers("sum", N, 1, WEIR_DEVICE), *in = numbers("in", N, 3, WEIR_HOST_IN), *there = numbers("there", N, 3, WEIR_DEVICE);
    weir_add_kernel(counting, &add_kernel, blocks, WEIR_ARGS(WEIR_READ_WRITE(sum), WEIR_VALUE(one), WEIR_VALUE(count_n)));
    weir_add_copy(streaming, "up", WEIR_WRITE(there), WEIR_READ(in));
    weir_exec *exec = exec_with(runtime, counting, &(weir_plan_options){.frames = 3}, &replay);
    ck_assert_ptr_nonnull(strstr(in_turn, "'counting'"));
    ck_assert_ptr_nonnull(strstr(in_turn, "'add'"));
    run_frames(exec, FRAMES);
    OK(weir_buffer_read(runtime, sum, seen, 0, sizeof seen));
    for (int i = 0; i < N; i++)
        ck_assert_uint_eq(seen[i], FRAMES);
    weir_exec_destroy(exec);
    in_turn[0] = '\0';
    exec = exec_with(runtime, streaming, &(weir_plan_options){.frames = 3}, &replay);
    weir_exec_destroy(exec);
    exec = exec_with(runtime, counting, &(weir_plan_options){.frames = 1}, &replay);
    weir_exec_destroy(exec);
    exec = exec_with(runtime, counting, &(weir_plan_options){.frames = 3}, &(weir_exec_options){.mode = "eager"});
    weir_exec_destroy(exec);
    ck_assert_str_eq(in_turn, "");
    weir_graph_destroy(counting);
    weir_graph_destroy(streaming);
    weir_buffer_destroy(sum);
    weir_buffer_destroy(in);
    weir_buffer_destroy(there);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/auto");
    TCase *tests = tcase_create("auto");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, frames_are_right_and_one_way_wins);
    tcase_add_test(tests, a_chain_has_nothing_to_choose);
    tcase_add_test(tests, an_exec_may_end_before_it_has_chosen);
    tcase_add_test(tests, what_the_first_exec_showed_serves_the_next);
    tcase_add_test(tests, host_tasks_run_once_a_frame_whatever_the_way);
    tcase_add_test(tests, times_of_tasks_want_eager_frames);
    tcase_add_test(tests, frames_that_cannot_overlap_replay_in_turn_and_it_is_said);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
