/* walk_test.c - what walk.c promises: the lanes are fed until one refuses, and the caller learns how far it came. */
#include "backend/recording/sketch.h"
#include "backend/walk.h"

enum { CALLS_MOST = 4096, PLANS = 300 };

typedef enum { CALL_WAIT, CALL_RUN, CALL_RECORD } call;

/* Refuses its call number `refused`. */
typedef struct {
    call made[CALLS_MOST];
    uint32_t count, refused;
} feeder;

static bool take_call(feeder *f, call what)
{
    ck_assert_uint_lt(f->count, CALLS_MOST);
    f->made[f->count] = what;
    return f->count++ != f->refused;
}

static bool take_wait(void *user, uint32_t lane, const weir_wait *wait)
{
    (void)lane;
    (void)wait;
    return take_call(user, CALL_WAIT);
}

static bool take_run(void *user, uint32_t lane, uint32_t task)
{
    (void)lane;
    (void)task;
    return take_call(user, CALL_RUN);
}

static bool take_record(void *user, uint32_t lane, uint32_t task)
{
    (void)lane;
    (void)task;
    return take_call(user, CALL_RECORD);
}

static const weir_lane_ops take = {take_wait, take_run, take_record};

/* Which task, by position, a call belongs to: the one being prepared, or run, or just run. */
static uint32_t position_of(const feeder *all, uint32_t number)
{
    uint32_t ran = 0;
    for (uint32_t i = 0; i < number; i++)
        ran += all->made[i] == CALL_RUN;
    return all->made[number] == CALL_RECORD ? ran - 1 : ran;
}

/* Refuses each call in turn. Returns how many of them were of that kind. */
static uint32_t refuse_each(const weir_plan *plan, uint64_t seed, call kind)
{
    static feeder all, f;
    uint32_t found = 0;
    all = (feeder){.refused = UINT32_MAX};
    ck_assert_msg(weir_walk(plan, &take, &all) == plan->tasks, "seed %llu: the walk ends early", (unsigned long long)seed);
    for (uint32_t n = 0; n < all.count; n++) {
        f = (feeder){.refused = n};
        uint32_t reached = weir_walk(plan, &take, &f);
        if (reached != position_of(&all, n) || f.count != n + 1 || memcmp(f.made, all.made, f.count * sizeof *f.made) != 0)
            ck_abort_msg("seed %llu: call %u refused: reached %u after %u calls", (unsigned long long)seed, n, reached, f.count);
        found += all.made[n] == kind;
    }
    return found;
}

static void refuse_each_of_many(call kind)
{
    uint32_t found = 0;
    for (uint64_t seed = 1; seed <= PLANS; seed++) {
        uint64_t random = seed;
        static sketch s;
        weir_plan *plan = NULL;
        sketch_make(&s, &random);
        OK(weir_plan_create(s.graph, &(weir_plan_options){.lanes = 1 + weir_random_below(&random, 8), .frames = 1 + weir_random_below(&random, 4)}, &plan));
        found += refuse_each(plan, seed, kind);
        weir_plan_destroy(plan);
        sketch_finish(&s);
    }
    ck_assert_uint_gt(found, PLANS);
}

START_TEST(walk_ends_at_a_wait_that_is_refused)
{
    refuse_each_of_many(CALL_WAIT);
}
END_TEST

START_TEST(walk_ends_at_a_task_that_is_refused)
{
    refuse_each_of_many(CALL_RUN);
}
END_TEST

START_TEST(task_whose_record_is_refused_does_not_count)
{
    refuse_each_of_many(CALL_RECORD);
}
END_TEST

START_TEST(plan_without_tasks_is_no_walk)
{
    weir_graph *graph = graph_make("nothing");
    weir_plan *plan = NULL;
    feeder f = {.refused = 0};
    OK(weir_plan_create(graph, NULL, &plan));
    ck_assert_uint_eq(weir_walk(plan, &take, &f), 0);
    ck_assert_uint_eq(f.count, 0);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("backend/recording/walk");
    TCase *tests = tcase_create("walk");
    no_environment();
    tcase_add_test(tests, walk_ends_at_a_wait_that_is_refused);
    tcase_add_test(tests, walk_ends_at_a_task_that_is_refused);
    tcase_add_test(tests, task_whose_record_is_refused_does_not_count);
    tcase_add_test(tests, plan_without_tasks_is_no_walk);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
