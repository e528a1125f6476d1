/* differential_test.c - random programs give, to the byte, what they give one task after another: on the host, and on a device launched
 * task by task, as a replayed graph by true edges, with the edges of lanes added, and as captured lanes; by both policies, on 1 to 32
 * lanes, with 1 to 4 frames in flight, params that change and tasks switched off. The first seed is WEIR_TEST_SEED, or 1; how many programs
 * is WEIR_TEST_PROGRAMS, or 500; WEIR_TEST_LOOPS=0 leaves out loops and branches. WEIR_TEST_TELL=1 says what runs, and since when in seconds. */
#include "cuda_fixture.h"
#include "run/random_program.h"
#include "util/random.h"
#include <time.h>

enum { LANES_MOST = 32, IN_FLIGHT_MOST = 4, PROGRAMS_MOST = 2, FRAMES_OF_ALL_MOST = PROGRAMS_MOST * FRAMES_MOST, WAYS = 5 };

/* How an exec is made. */
typedef struct {
    const char *mode, *policy;
    uint32_t lanes, in_flight, replay_lanes;
} way;

/* One or two programs on the same buffers, and whose frame comes when, with what switched off. */
typedef struct {
    random_program program[PROGRAMS_MOST];
    uint32_t programs, frames;
    uint32_t turn[FRAMES_OF_ALL_MOST], number[FRAMES_OF_ALL_MOST]; /* whose; which of its own */
    uint64_t off[FRAMES_OF_ALL_MOST];
    outcome expected[PROGRAMS_MOST], got[PROGRAMS_MOST];
} story;

static story s;
static random_world world;
static weir_runtime *on_host, *on_device;
static uint64_t switched_frames, plain_frames, device_runs;

/* ---- running ---- */

static uint64_t seed(void)
{
    return s.program[0].seed;
}

#define SEED_OK(call) ck_assert_msg((call) == WEIR_OK, "seed %llu: %s: %s", (unsigned long long)seed(), #call, weir_last_error())

/* A frame that may not be, for what is off, has everything on from now on. */
static void submit_frame(declared *d, weir_exec *exec, uint32_t frame, bool settle, weir_ticket *ticket)
{
    const random_program *program = &s.program[s.turn[frame]];
    weir_status status = random_program_frame(program, d, exec, s.number[frame], s.off[frame], ticket);
    if (settle && status == WEIR_ERR_STATE && s.off[frame] != 0) {
        s.off[frame] = 0;
        status = random_program_frame(program, d, exec, s.number[frame], 0, ticket);
    }
    ck_assert_msg(status == WEIR_OK, "seed %llu: frame %u: %s", (unsigned long long)seed(), frame, weir_last_error());
}

static weir_exec *exec_of(declared *d, uint32_t p, weir_runtime *runtime, const way *how)
{
    const random_run run = {how->policy, how->lanes, how->in_flight, 0};
    weir_exec *exec = random_program_exec(&s.program[p], d, runtime, &run, &(weir_exec_options){.mode = how->mode, .replay_lanes = how->replay_lanes});
    weir_stats stats;
    weir_exec_stats(exec, &stats);
    if (runtime == on_device)
        ck_assert_str_eq(stats.mode, how->mode);
    return exec;
}

static void play(weir_runtime *runtime, const way *ways, bool settle)
{
    declared d[PROGRAMS_MOST];
    weir_exec *exec[PROGRAMS_MOST];
    weir_ticket last[PROGRAMS_MOST] = {{0}, {0}};
    random_program_declare(&s.program[0], UINT32_MAX, &d[0]);
    if (s.programs > 1)
        random_program_declare_other(&s.program[1], &d[0], &d[1]);
    for (uint32_t p = 0; p < s.programs; p++)
        exec[p] = exec_of(&d[p], p, runtime, &ways[p]);
    for (uint32_t frame = 0; frame < s.frames; frame++)
        submit_frame(&d[s.turn[frame]], exec[s.turn[frame]], frame, settle, &last[s.turn[frame]]);
    for (uint32_t p = 0; p < s.programs; p++)
        if (last[p].number > 0)
            SEED_OK(weir_exec_wait(exec[p], last[p], -1));
    for (uint32_t p = 0; p < s.programs; p++) {
        random_program_outcome(&s.program[p], &d[p], runtime, &s.got[p]);
        for (uint32_t frame = s.frames, back = 0; frame-- > 0;)
            if (s.turn[frame] == p && back < ways[p].in_flight)
                random_program_rounds(&s.program[p], &d[p], exec[p], (weir_ticket){last[p].number - back++}, s.number[frame], &s.got[p]);
    }
    for (uint32_t p = s.programs; p-- > 0;) {
        weir_exec_destroy(exec[p]);
        declared_finish(&d[p]);
    }
}

static void compare(const char *where, const way *ways)
{
    for (uint32_t p = 0; p < s.programs; p++) {
        const way *w = &ways[p];
        ck_assert_msg(!outcomes_differ(&s.program[p], &s.expected[p], &s.got[p], FRAMES_MOST, true),
                      "seed %llu, program %u of %u, on the %s: mode %s, policy %s, %u lanes, %u replay lanes, %u frames in flight, %u frames",
                      (unsigned long long)seed(), p + 1, s.programs, where, w->mode, w->policy, w->lanes, w->replay_lanes, w->in_flight, s.frames);
    }
}

static void compute_truth(void)
{
    memset(&world, 0, sizeof world);
    for (uint32_t frame = 0; frame < s.frames; frame++) {
        random_world_frame(&world, &s.program[s.turn[frame]], s.number[frame], s.off[frame]);
        switched_frames += s.off[frame] != 0;
        plain_frames += s.off[frame] == 0;
    }
    for (uint32_t p = 0; p < s.programs; p++)
        random_world_outcome(&world, &s.program[p], &s.expected[p]);
}

static way random_way(uint64_t *random, uint32_t number)
{
    static const struct {
        const char *mode;
        bool narrowed;
    } kinds[WAYS] = {{"eager", false}, {"replay", false}, {"replay", true}, {"capture", false}, {"auto", false}};
    const uint32_t k = number % WAYS;
    way w = {kinds[k].mode, number / WAYS % 2 ? "priority" : "round_robin", 1 + weir_random_below(random, LANES_MOST), 1 + weir_random_below(random, IN_FLIGHT_MOST), 0};
    if (kinds[k].narrowed)
        w.replay_lanes = 1 + weir_random_below(random, LANES_MOST);
    return w;
}

/* For who wonders where it hangs. */
static void say_way(const char *where, const way *ways)
{
    struct timespec now;
    if (number_from_environment("WEIR_TEST_TELL", 0) == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(stderr, "%.3f seed %llu on the %s:", (double)now.tv_sec + (double)now.tv_nsec * 1e-9, (unsigned long long)seed(), where);
    for (uint32_t p = 0; p < s.programs; p++)
        fprintf(stderr, " %s, %s, %u lanes, %u replay lanes, %u frames in flight;", ways[p].mode, ways[p].policy, ways[p].lanes, ways[p].replay_lanes, ways[p].in_flight);
    fprintf(stderr, " %u frames\n", s.frames);
}

/* Alone, each way comes as the first; of two, the second goes another. */
static void tell(uint64_t *random)
{
    way ways[PROGRAMS_MOST] = {random_way(random, 0), random_way(random, 0)};
    say_way("host", ways);
    play(on_host, ways, true);
    compute_truth();
    compare("host", ways);
    for (uint32_t number = 0; number < 2 * WAYS; number++) {
        ways[0] = random_way(random, number);
        ways[1] = random_way(random, weir_random_below(random, 2 * WAYS));
        say_way("device", ways);
        play(on_device, ways, false);
        compare("device", ways);
        device_runs++;
    }
}

/* ---- stories ---- */

static void turn(uint32_t whose, uint32_t number, uint64_t *random)
{
    s.turn[s.frames] = whose;
    s.number[s.frames] = number;
    s.off[s.frames++] = weir_random_below(random, 3) == 0 ? random_program_switches(&s.program[whose], random) : 0;
}

static void one_program(uint64_t program_seed, const random_options *options, uint32_t (*seen)[FRAMES_MOST], uint64_t *random)
{
    random_program_make(&s.program[0], program_seed, options);
    s.program[0].seen = seen;
    s.programs = 1;
    uint32_t frames = 1 + weir_random_below(random, FRAMES_MOST);
    for (uint32_t frame = 0; frame < frames; frame++)
        turn(0, frame, random);
}

/* A few frames of the first, so that rings do not stand at their beginning, then frames of both. */
static void two_programs(uint64_t program_seed, const random_options *options, uint32_t (*seen)[FRAMES_MOST], uint64_t *random)
{
    uint32_t number[PROGRAMS_MOST] = {0, 0};
    random_program_make(&s.program[0], program_seed, options);
    random_program_make_other(&s.program[1], &s.program[0], program_seed ^ 0xabcdef, options);
    s.program[0].seen = seen;
    s.program[1].seen = seen + STEPS_MOST;
    s.programs = 2;
    for (uint32_t first = 1 + weir_random_below(random, 3); number[0] < first; number[0]++)
        turn(0, number[0], random);
    while (number[0] < FRAMES_MOST && number[1] < FRAMES_MOST) {
        uint32_t whose = weir_random_below(random, 4) > 0;
        turn(whose, number[whose]++, random);
    }
}

typedef void story_maker(uint64_t program_seed, const random_options *options, uint32_t (*seen)[FRAMES_MOST], uint64_t *random);

static void tell_all(story_maker *make, const random_options *options, uint64_t salt, uint64_t percent)
{
    const random_options asked = {options->rings, options->explicit_only, number_from_environment("WEIR_TEST_LOOPS", 1) == 0, options->tasks_most};
    uint64_t first = number_from_environment("WEIR_TEST_SEED", 1), count = number_from_environment("WEIR_TEST_PROGRAMS", 500) * percent / 100;
    uint32_t(*seen)[FRAMES_MOST] = pinned(PROGRAMS_MOST * STEPS_MOST * sizeof *seen);
    if (count == 0)
        count = 1;
    switched_frames = plain_frames = device_runs = 0;
    for (uint64_t n = first; n < first + count; n++) {
        uint64_t random = n ^ salt;
        s.frames = 0;
        make(n, &asked, seen, &random);
        tell(&random);
    }
    printf("%llu programs from seed %llu on, %llu runs on the device; of their frames %llu with tasks switched off, %llu without\n", (unsigned long long)count,
           (unsigned long long)first, (unsigned long long)device_runs, (unsigned long long)switched_frames, (unsigned long long)plain_frames);
    if (count >= 20)
        ck_assert_uint_gt(switched_frames, count / 20);
    CUDA(cudaFreeHost(seen));
}

START_TEST(derived_edges_give_what_the_order_of_declaration_gives)
{
    tell_all(one_program, &(random_options){.rings = false, .tasks_most = TASKS_MOST}, 0x5bd1e995, 25);
}
END_TEST

START_TEST(rings_and_frames_in_flight_give_what_frame_after_frame_gives)
{
    tell_all(one_program, &(random_options){.rings = true, .tasks_most = TASKS_MOST / 2}, 0x27d4eb2f, 50);
}
END_TEST

START_TEST(graphs_that_take_turns_give_what_they_give_frame_after_frame)
{
    tell_all(two_programs, &(random_options){.rings = true, .tasks_most = TASKS_MOST / 2}, 0x165667b1, 25);
}
END_TEST

/* ---- all of them on one runtime ---- */

static void set_up(void)
{
    no_environment();
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 2}, &on_host));
    on_device = cuda_runtime_with(4, LANES_MOST);
}

static void tear_down(void)
{
    weir_runtime_destroy(on_device);
    weir_runtime_destroy(on_host);
}

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/differential");
    TCase *tests = tcase_create("random programs");
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, derived_edges_give_what_the_order_of_declaration_gives);
    tcase_add_test(tests, rings_and_frames_in_flight_give_what_frame_after_frame_gives);
    tcase_add_test(tests, graphs_that_take_turns_give_what_they_give_frame_after_frame);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
