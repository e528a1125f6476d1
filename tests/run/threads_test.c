/* threads_test.c - several threads at once: each with graphs of its own on one runtime, or on a runtime of its own. */
#include "run/random_program.h"
#include "util/random.h"
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, PROGRAMS = 60 };

typedef struct {
    weir_runtime *shared; /* NULL: a runtime of its own for each program */
    uint64_t seed;
    random_program program;
    outcome expected, got;
    bool wrong;
} job;

static void run_one(job *j, uint64_t seed)
{
    uint64_t random = seed;
    weir_runtime *own = NULL, *runtime = j->shared;
    declared d;
    if (!runtime) {
        if (weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 1 + weir_random_below(&random, 3)}, &own) != WEIR_OK) {
            j->wrong = true;
            return;
        }
        runtime = own;
    }
    random_program_make(&j->program, seed, &(random_options){.rings = true, .tasks_most = TASKS_MOST / 2});
    random_program_compute(&j->program, FRAMES_MOST, &j->expected);
    random_program_declare(&j->program, UINT32_MAX, &d);
    random_run run = {seed % 2 ? "priority" : "round_robin", 1 + weir_random_below(&random, 8), 1 + weir_random_below(&random, 4), FRAMES_MOST};
    random_program_run(&j->program, &d, runtime, &run, &j->got);
    declared_finish(&d);
    j->wrong = j->wrong || outcomes_differ(&j->program, &j->expected, &j->got, FRAMES_MOST, true);
    weir_runtime_destroy(own);
}

static void *run_many(void *argument)
{
    job *j = argument;
    for (uint64_t i = 0; i < PROGRAMS; i++)
        run_one(j, j->seed + i);
    return NULL;
}

static void run_threads(weir_runtime *shared)
{
    job *jobs = calloc(THREADS, sizeof *jobs);
    pthread_t threads[THREADS];
    ck_assert_ptr_nonnull(jobs);
    for (uint64_t t = 0; t < THREADS; t++) {
        jobs[t].shared = shared;
        jobs[t].seed = 1 + t * 1000;
        ck_assert_int_eq(pthread_create(&threads[t], NULL, run_many, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        ck_assert_msg(!jobs[t].wrong, "thread %d, seeds from %llu on", t, (unsigned long long)jobs[t].seed);
    free(jobs);
}

START_TEST(threads_with_graphs_of_their_own_share_a_runtime)
{
    weir_runtime *runtime = NULL;
    ck_assert_int_eq(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 3}, &runtime), WEIR_OK);
    run_threads(runtime);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(threads_with_runtimes_of_their_own_do_not_meet)
{
    run_threads(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("threads");
    TCase *tests = tcase_create("at once");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, threads_with_graphs_of_their_own_share_a_runtime);
    tcase_add_test(tests, threads_with_runtimes_of_their_own_do_not_meet);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
