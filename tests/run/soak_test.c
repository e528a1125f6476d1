/* soak_test.c - frames without end: memory stays flat, results stay right. Runs for WEIR_SOAK_SECONDS, or 60. Random programs (rings, up to
 * three frames in flight, both policies) are made execs, run for some thousand frames, and destroyed, on one runtime that lives
 * throughout. */
#include "run/random_program.h"
#include "util/clock.h"
#include "util/random.h"
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECOND = 1000000000, FRAMES_A_ROUND = 4000, WARM_UP_ROUNDS = 200, SLACK_PAGES = 1024 };

static random_program program;
static outcome expected, got;

/* Pages of memory that the process has, or 0 where nobody tells. */
static long resident_pages(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident;
}

/* Many frames that nobody waits for one by one, then the same program's first frames against the truth. */
static void run_round(weir_runtime *runtime, uint64_t seed, uint64_t *frames)
{
    uint64_t random = seed;
    declared d;
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_ticket last = {0};
    random_program_make(&program, seed, &(random_options){.rings = true, .tasks_most = TASKS_MOST / 2});
    random_program_declare(&program, UINT32_MAX, &d);
    weir_plan_options options = {.policy = seed % 2 ? "priority" : "round_robin", .lanes = 1 + weir_random_below(&random, 8), .frames = 1 + weir_random_below(&random, 4)};
    ck_assert_int_eq(weir_plan_create(d.graph, &options, &plan), WEIR_OK);
    ck_assert_int_eq(weir_exec_create(runtime, plan, NULL, &exec), WEIR_OK);
    const uint32_t unseen = FRAMES_MOST; /* what tasks saw is not kept: frames in flight would write it at once */
    weir_status set = weir_exec_set(exec, d.param, &unseen);
    ck_assert(set == WEIR_OK || set == WEIR_ERR_INVALID); /* a program without kernels and host tasks is passed none */
    for (uint32_t frame = 0; frame < FRAMES_A_ROUND; frame++)
        ck_assert_int_eq(weir_exec_submit(exec, &last), WEIR_OK);
    ck_assert_int_eq(weir_exec_wait(exec, last, -1), WEIR_OK);
    *frames += FRAMES_A_ROUND;
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    declared_finish(&d);

    random_program_compute(&program, FRAMES_MOST, &expected);
    random_program_declare(&program, UINT32_MAX, &d);
    random_program_run(&program, &d, runtime, &(random_run){options.policy, options.lanes, options.frames, FRAMES_MOST}, &got);
    declared_finish(&d);
    ck_assert_msg(!outcomes_differ(&program, &expected, &got, FRAMES_MOST, true), "seed %llu", (unsigned long long)seed);
    *frames += FRAMES_MOST;
}

START_TEST(memory_stays_flat_and_results_right)
{
    const char *text = getenv("WEIR_SOAK_SECONDS");
    int64_t start = weir_clock_ns(), until = start + (text && *text ? atoll(text) : 60) * SECOND;
    weir_runtime *runtime = NULL;
    uint64_t frames = 0, rounds = 0;
    long warm = 0, most = 0;
    ck_assert_int_eq(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 2}, &runtime), WEIR_OK);
    for (; weir_clock_ns() < until; rounds++) {
        run_round(runtime, rounds + 1, &frames);
        long now = resident_pages();
        if (rounds < WARM_UP_ROUNDS && now > warm)
            warm = now;
        most = now > most ? now : most;
    }
    weir_runtime_destroy(runtime);
    printf("%llu frames of %llu programs in %lld s; %ld KiB after %d programs, %ld KiB at most\n", (unsigned long long)frames, (unsigned long long)rounds,
           (long long)((weir_clock_ns() - start) / SECOND), warm * (sysconf(_SC_PAGESIZE) / 1024), WARM_UP_ROUNDS, most * (sysconf(_SC_PAGESIZE) / 1024));
    ck_assert_msg(rounds <= WARM_UP_ROUNDS || most <= warm + SLACK_PAGES, "memory grew from %ld to %ld pages", warm, most);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("soak");
    TCase *tests = tcase_create("frames without end");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, memory_stays_flat_and_results_right);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
