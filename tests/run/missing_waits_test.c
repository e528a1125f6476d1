/* missing_waits_test.c - of the plans of random programs no wait can be left out, and weir_plan_check says so: what it guards is order that
 * nothing else gives. The first seed is WEIR_TEST_SEED, or 1; how many programs is WEIR_TEST_PROGRAMS, or 1000. */
#include "plan/plan.h"
#include "run/random_program.h"
#include "util/random.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES_MOST = 12, IN_FLIGHT_MOST = 4 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static random_program program;
static uint64_t within, carried[IN_FLIGHT_MOST]; /* waits left out, by their distance */

/* The plan as if that task had never waited: nothing else of it is wrong. */
static void leave_out(weir_plan *plan, uint32_t task, uint32_t i)
{
    const uint32_t for_whom = plan->wait[i].task, count = plan->wait_first[plan->tasks];
    memmove(&plan->wait[i], &plan->wait[i + 1], (count - i - 1) * sizeof *plan->wait);
    for (uint32_t t = task + 1; t <= plan->tasks; t++)
        plan->wait_first[t]--;
    plan->records[for_whom] = 0;
    for (uint32_t t = 0; t < plan->tasks; t++)
        for (uint32_t w = plan->wait_first[t]; w < plan->wait_first[t + 1]; w++)
            if (plan->wait[w].task == for_whom && plan->lane[t] != plan->lane[for_whom])
                plan->records[for_whom] = 1;
}

static void put_back(weir_plan *plan, uint32_t task, uint32_t i, weir_wait wait)
{
    for (uint32_t t = task + 1; t <= plan->tasks; t++)
        plan->wait_first[t]++;
    memmove(&plan->wait[i + 1], &plan->wait[i], (plan->wait_first[plan->tasks] - i - 1) * sizeof *plan->wait);
    plan->wait[i] = wait;
    plan->records[wait.task] = 1;
}

static void leave_out_each(weir_plan *plan)
{
    for (uint32_t task = 0; task < plan->tasks; task++)
        for (uint32_t i = plan->wait_first[task]; i < plan->wait_first[task + 1]; i++) {
            const weir_wait wait = plan->wait[i];
            ck_assert_uint_lt(wait.distance, plan->frames);
            leave_out(plan, task, i);
            weir_status status = weir_plan_check(plan);
            ck_assert_msg(status == WEIR_ERR_HAZARD && strstr(weir_last_error(), "nothing orders them"), "seed %llu: the wait of task %u for %u of %u frames before is not missed: %s",
                          (unsigned long long)program.seed, task, wait.task, wait.distance, status == WEIR_OK ? "no error" : weir_last_error());
            put_back(plan, task, i, wait);
            within += wait.distance == 0;
            carried[wait.distance]++;
        }
    ck_assert_msg(weir_plan_check(plan) == WEIR_OK, "seed %llu: %s", (unsigned long long)program.seed, weir_last_error());
}

START_TEST(every_wait_is_missed)
{
    const uint64_t first = from_environment("WEIR_TEST_SEED", 1), count = from_environment("WEIR_TEST_PROGRAMS", 1000);
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t random = seed ^ 0x2545f491;
        declared d;
        random_program_make(&program, seed, &(random_options){.rings = true, .tasks_most = 24});
        random_program_declare(&program, UINT32_MAX, &d);
        for (int policy = 0; policy < 2; policy++) {
            weir_plan *plan = NULL;
            const weir_plan_options options = {policy ? "priority" : "round_robin", 1 + weir_random_below(&random, LANES_MOST), 1 + weir_random_below(&random, IN_FLIGHT_MOST)};
            ck_assert_msg(weir_plan_create(d.graph, &options, &plan) == WEIR_OK, "seed %llu: %s", (unsigned long long)seed, weir_last_error());
            leave_out_each(plan);
            weir_plan_destroy(plan);
        }
        declared_finish(&d);
    }
    printf("%llu programs from seed %llu on; waits left out: %llu for the same frame, %llu, %llu and %llu for 1, 2 and 3 frames before\n", (unsigned long long)count,
           (unsigned long long)first, (unsigned long long)within, (unsigned long long)carried[1], (unsigned long long)carried[2], (unsigned long long)carried[3]);
    for (uint32_t distance = 1; distance < IN_FLIGHT_MOST && count >= 1000; distance++)
        ck_assert_uint_gt(carried[distance], 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("missing waits");
    TCase *tests = tcase_create("plans of random programs");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, every_wait_is_missed);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
