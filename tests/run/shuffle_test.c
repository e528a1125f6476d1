/* shuffle_test.c - WEIR_SHUFFLE runs random orders that lanes and waits allow: a right plan gives the same results in all of
 * them, and one that lacks an edge betrays itself in some. */
#include "run/random_program.h"
#include "util/random.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHUFFLES = 32, LANES = 32, TASKS_OF_SMALL = 32 };

static random_program program;
static outcome expected, got;

static weir_runtime *shuffling_runtime(uint64_t seed)
{
    char text[32];
    weir_runtime *runtime = NULL;
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    setenv("WEIR_SHUFFLE", text, 1);
    ck_assert_int_eq(weir_runtime_create(&(weir_runtime_options){.backend = "host"}, &runtime), WEIR_OK);
    unsetenv("WEIR_SHUFFLE");
    return runtime;
}

START_TEST(every_order_that_lanes_and_waits_allow_gives_the_same)
{
    enum { PROGRAMS = 500, RUNTIMES = 8 };
    weir_runtime *runtimes[RUNTIMES];
    for (uint64_t i = 0; i < RUNTIMES; i++)
        runtimes[i] = shuffling_runtime(i);
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        uint64_t random = seed;
        random_program_make(&program, seed, &(random_options){.rings = seed % 2, .tasks_most = TASKS_OF_SMALL});
        uint32_t frames = 1 + weir_random_below(&random, FRAMES_MOST);
        random_program_compute(&program, frames, &expected);
        for (uint32_t i = 0; i < RUNTIMES; i++) {
            random_run run = {i % 2 ? "priority" : "round_robin", 1 + weir_random_below(&random, LANES), 1 + i % 4, frames};
            declared d;
            random_program_declare(&program, UINT32_MAX, &d);
            random_program_run(&program, &d, runtimes[i], &run, &got);
            declared_finish(&d);
            ck_assert_msg(!outcomes_differ(&program, &expected, &got, frames, true), "seed %llu: shuffle %u, %s, %u lanes", (unsigned long long)seed, i, run.policy,
                          run.lanes);
        }
    }
    for (uint32_t i = 0; i < RUNTIMES; i++)
        weir_runtime_destroy(runtimes[i]);
}
END_TEST

static bool some_shuffle_differs(weir_runtime *const *runtimes, uint32_t skipped, uint32_t in_flight, uint32_t frames)
{
    for (uint32_t i = 0; i < SHUFFLES; i++) {
        declared d;
        random_program_declare(&program, skipped, &d);
        random_program_run(&program, &d, runtimes[i], &(random_run){"priority", LANES, in_flight, frames}, &got);
        declared_finish(&d);
        if (outcomes_differ(&program, &expected, &got, frames, false))
            return true;
    }
    return false;
}

START_TEST(a_dropped_edge_is_reported_in_every_graph_and_changes_results_in_nine_of_ten)
{
    enum { GRAPHS = 500 };
    weir_runtime *runtimes[SHUFFLES];
    uint32_t graphs = 0, changed = 0;
    for (uint64_t i = 0; i < SHUFFLES; i++)
        runtimes[i] = shuffling_runtime(1000 + i);
    for (uint64_t seed = 1; graphs < GRAPHS; seed++) {
        uint64_t random = seed;
        random_program_make(&program, seed, &(random_options){.explicit_only = true, .tasks_most = TASKS_OF_SMALL});
        if (program.edge_count == 0)
            continue;
        graphs++;
        random_program_compute(&program, 1, &expected);
        declared d;
        random_program_declare(&program, UINT32_MAX, &d);
        ck_assert_msg(weir_graph_check(d.graph, 1, NULL, NULL) == WEIR_OK, "seed %llu: %s", (unsigned long long)seed, weir_last_error());
        declared_finish(&d);
        uint32_t skipped = weir_random_below(&random, program.edge_count);
        random_program_declare(&program, skipped, &d);
        ck_assert_msg(weir_graph_check(d.graph, 1, NULL, NULL) == WEIR_ERR_HAZARD, "seed %llu: edge %u is not missed", (unsigned long long)seed, skipped);
        declared_finish(&d);
        changed += some_shuffle_differs(runtimes, skipped, 1, 1);
    }
    printf("a dropped edge changed the result in %u of %u graphs (%.1f %%)\n", changed, graphs, 100.0 * changed / graphs);
    ck_assert_msg(changed * 10 >= graphs * 9, "only %u of %u", changed, graphs);
    for (uint32_t i = 0; i < SHUFFLES; i++)
        weir_runtime_destroy(runtimes[i]);
}
END_TEST

/* With explicit edges within frames and between them. Where one of these is left out, either the check finds a hazard, or others imply it. */
START_TEST(frames_in_flight_are_right_where_the_check_finds_no_hazard)
{
    enum { GRAPHS = 200, TASKS = 16 };
    weir_runtime *runtimes[SHUFFLES];
    uint32_t hazards = 0, changed = 0, implied = 0;
    for (uint64_t i = 0; i < SHUFFLES; i++)
        runtimes[i] = shuffling_runtime(2000 + i);
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        uint64_t random = seed;
        declared d;
        random_program_make(&program, seed, &(random_options){.explicit_only = true, .rings = true, .tasks_most = TASKS});
        random_program_compute(&program, FRAMES_MOST, &expected);
        const uint32_t in_flight = 2 + weir_random_below(&random, 3);
        random_program_declare(&program, UINT32_MAX, &d);
        ck_assert_msg(weir_graph_check(d.graph, in_flight, NULL, NULL) == WEIR_OK, "seed %llu, %u in flight: %s", (unsigned long long)seed, in_flight, weir_last_error());
        declared_finish(&d);
        ck_assert_msg(!some_shuffle_differs(runtimes, UINT32_MAX, in_flight, FRAMES_MOST), "seed %llu, %u in flight", (unsigned long long)seed, in_flight);
        if (program.carried_count == 0)
            continue;
        const uint32_t skipped = program.edge_count + weir_random_below(&random, program.carried_count);
        random_program_declare(&program, skipped, &d);
        const bool hazard = weir_graph_check(d.graph, in_flight, NULL, NULL) == WEIR_ERR_HAZARD, differs = some_shuffle_differs(runtimes, skipped, in_flight, FRAMES_MOST);
        declared_finish(&d);
        ck_assert_msg(hazard || !differs, "seed %llu, %u in flight: without carried edge %u no hazard is found, and results differ", (unsigned long long)seed, in_flight,
                      skipped - program.edge_count);
        hazards += hazard;
        changed += differs;
        implied += !hazard;
    }
    printf("a dropped carried edge was a hazard in %u graphs, which changed the result in %u, and not in %u\n", hazards, changed, implied);
    ck_assert_msg(hazards > GRAPHS / 3 && changed * 5 >= hazards, "%u of %u", changed, hazards);
    for (uint32_t i = 0; i < SHUFFLES; i++)
        weir_runtime_destroy(runtimes[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shuffle");
    TCase *tests = tcase_create("orders");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, every_order_that_lanes_and_waits_allow_gives_the_same);
    tcase_add_test(tests, a_dropped_edge_is_reported_in_every_graph_and_changes_results_in_nine_of_ten);
    tcase_add_test(tests, frames_in_flight_are_right_where_the_check_finds_no_hazard);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
