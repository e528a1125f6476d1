/* differential_test.c - random programs give on lanes and workers what they give one task after another. The first seed is
 * WEIR_TEST_SEED, or 1; how many programs is WEIR_TEST_PROGRAMS, or 3000. */
#include "run/random_program.h"
#include "util/random.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS_MOST = 4, LANES_MOST = 32, IN_FLIGHT_MOST = 4 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static random_program program;
static outcome expected, got;

/* Of loops that are in no other, over all frames: that ran no round, as many as they may, and between. */
static uint64_t never, cut, between;

static void count_rounds(uint32_t frames)
{
    for (uint32_t i = 0; i < program.step_count; i++)
        for (uint32_t frame = 0; frame < frames && program.steps[i].what == DO_WHILE; frame++) {
            uint32_t rounds = expected.rounds[i][frame] - 1;
            never += rounds == 0;
            cut += rounds == program.steps[i].at_most;
            between += rounds > 0 && rounds < program.steps[i].at_most;
        }
}

static void compare(weir_runtime *runtime, const random_run *run, uint32_t workers)
{
    declared d;
    random_program_declare(&program, UINT32_MAX, &d);
    random_program_run(&program, &d, runtime, run, &got);
    declared_finish(&d);
    ck_assert_msg(!outcomes_differ(&program, &expected, &got, run->frames, true), "seed %llu: policy %s, %u lanes, %u workers, %u frames in flight",
                  (unsigned long long)program.seed, run->policy, run->lanes, workers, run->in_flight);
}

static void compare_all(const random_options *options, uint64_t salt)
{
    weir_runtime *runtimes[WORKERS_MOST];
    uint64_t first = from_environment("WEIR_TEST_SEED", 1), count = from_environment("WEIR_TEST_PROGRAMS", 3000);
    for (uint32_t w = 0; w < WORKERS_MOST; w++)
        ck_assert_int_eq(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = w + 1}, &runtimes[w]), WEIR_OK);
    never = cut = between = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t random = seed ^ salt;
        random_program_make(&program, seed, options);
        uint32_t frames = 1 + weir_random_below(&random, FRAMES_MOST);
        random_program_compute(&program, frames, &expected);
        count_rounds(frames);
        for (int policy = 0; policy < 2; policy++) {
            uint32_t workers = 1 + weir_random_below(&random, WORKERS_MOST);
            random_run run = {policy ? "priority" : "round_robin", 1 + weir_random_below(&random, LANES_MOST), 1 + weir_random_below(&random, IN_FLIGHT_MOST), frames};
            compare(runtimes[workers - 1], &run, workers);
        }
    }
    for (uint32_t w = 0; w < WORKERS_MOST; w++)
        weir_runtime_destroy(runtimes[w]);
    printf("%llu programs from seed %llu on; loops ran no round %llu times, as many as they may %llu times, and between %llu times\n", (unsigned long long)count,
           (unsigned long long)first, (unsigned long long)never, (unsigned long long)cut, (unsigned long long)between);
    if (count >= 20)
        ck_assert_uint_gt(never < cut ? never < between ? never : between : cut < between ? cut : between, count / 20);
}

START_TEST(derived_edges_give_what_the_order_of_declaration_gives)
{
    compare_all(&(random_options){.rings = false, .tasks_most = TASKS_MOST}, 0x5bd1e995);
}
END_TEST

START_TEST(rings_and_frames_in_flight_give_what_frame_after_frame_gives)
{
    compare_all(&(random_options){.rings = true, .tasks_most = TASKS_MOST / 2}, 0x27d4eb2f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("differential");
    TCase *tests = tcase_create("random programs");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, derived_edges_give_what_the_order_of_declaration_gives);
    tcase_add_test(tests, rings_and_frames_in_flight_give_what_frame_after_frame_gives);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
