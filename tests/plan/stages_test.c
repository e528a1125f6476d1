/* stages_test.c - what stages.c promises; and that plans take such lanes where frames come faster by them, and nowhere else. */
#include "plan/drawn.h"
#include "plan/stages.h"
#include "weir/weir.h"
#include <stdlib.h>

#define OK(call) ck_assert_msg((call) == WEIR_OK, "%s: %s", #call, weir_last_error())

extern weir_place_fn weir_place_priority;

START_TEST(order_is_cut_into_runs_of_about_equal_cost)
{
    drawn d = drawn_make(6, NULL, DRAWN({0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}));
    uint16_t lane[6];
    d.work.cost_ns[5] = 5000; /* the others 1,000 each */
    drawn_place(&d, weir_place_priority, 2);
    OK(weir_stages_place(&d.work, &d.bands, &d.plan, lane));
    const uint16_t cut[] = {0, 0, 0, 0, 0, 1}; /* the first five are half of it */
    ck_assert_mem_eq(lane, cut, sizeof cut);
    drawn_finish(&d);
}
END_TEST

START_TEST(lanes_are_those_of_the_band_and_come_in_the_plans_order)
{
    for (uint64_t first = 1; first <= 1000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 64);
        drawn_prioritise_by_chance(&d, &seed, 1 + weir_random_below(&seed, 6));
        drawn_place(&d, weir_place_priority, 1 + weir_random_below(&seed, 32));
        uint16_t *lane = calloc(d.dag.tasks + 1, sizeof *lane);
        uint32_t *last = calloc(d.bands.count + 1, sizeof *last);
        ck_assert(lane && last);
        OK(weir_stages_place(&d.work, &d.bands, &d.plan, lane));
        for (uint32_t i = 0; i < d.dag.tasks; i++) {
            uint32_t task = d.plan.order[i], band = weir_band_of(&d.bands, task);
            expect(lane[task] >= d.bands.lane_first[band] && lane[task] < d.bands.lane_first[band + 1], "seed %llu: task %u is in lane %u",
                   (unsigned long long)first, task, lane[task]);
            expect(lane[task] >= last[band], "seed %llu: task %u goes back to lane %u", (unsigned long long)first, task, lane[task]);
            last[band] = lane[task];
        }
        free(lane);
        free(last);
        drawn_finish(&d);
    }
}
END_TEST

/* ---- whole plans: a chain of which each task reads what the one before it wrote ---- */

enum { CHAIN = 3 };

static weir_status nothing(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_OK;
}

/* With `copies` of what is between two tasks. The summary of a plan that is proved. */
static weir_plan_summary chain_planned(const char *policy, uint32_t copies, uint32_t lanes, uint32_t frames, const uint32_t cost_ns[CHAIN])
{
    weir_graph *graph = NULL;
    weir_buffer *buffer[CHAIN];
    weir_plan *plan = NULL;
    weir_plan_summary summary;
    OK(weir_graph_create("chain", 0, &graph));
    for (int i = 0; i < CHAIN; i++) {
        OK(weir_buffer_create(&(weir_buffer_desc){.name = "between", .element_bytes = 4, .nx = 4, .copies = copies, .place = WEIR_HOST_LOCAL}, &buffer[i]));
        weir_task task = weir_add_host(graph, "task", nothing, NULL, i > 0 ? WEIR_ARGS(WEIR_WRITE(buffer[i]), WEIR_READ(buffer[i - 1])) : WEIR_ARGS(WEIR_WRITE(buffer[i])));
        weir_task_set(graph, task, &(weir_task_options){.cost_ns = cost_ns[i], .flags = WEIR_TASK_REENTRANT});
    }
    OK(weir_plan_create(graph, &(weir_plan_options){.policy = policy, .lanes = lanes, .frames = frames}, &plan));
    OK(weir_plan_check(plan));
    weir_plan_summarise(plan, &summary);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    for (int i = 0; i < CHAIN; i++)
        weir_buffer_destroy(buffer[i]);
    return summary;
}

START_TEST(chain_with_rings_comes_as_fast_as_its_longest_task)
{
    static const char *const policies[] = {"priority", "round_robin"};
    static const uint32_t alike[CHAIN] = {1000, 1000, 1000}, apart[CHAIN] = {1000, 3000, 2000};
    for (int p = 0; p < 2; p++) {
        ck_assert_double_eq(chain_planned(policies[p], 3, 3, 3, alike).interval_ns, 1000);
        ck_assert_double_eq(chain_planned(policies[p], 3, 3, 3, apart).interval_ns, 3000);
        ck_assert_double_eq(chain_planned(policies[p], 3, 0, 3, alike).interval_ns, 1000); /* and has lanes enough by itself */
        ck_assert_double_eq(chain_planned(policies[p], 3, 2, 3, alike).interval_ns, 2000);
    }
}
END_TEST

START_TEST(one_frame_or_one_copy_is_left_in_its_lane)
{
    static const uint32_t alike[CHAIN] = {1000, 1000, 1000};
    weir_plan_summary alone = chain_planned("priority", 3, 3, 1, alike), plain = chain_planned("priority", 1, 3, 3, alike);
    ck_assert_uint_eq(alone.waits, 0);
    ck_assert_double_eq(alone.interval_ns, 3000);
    ck_assert_double_le(plain.interval_ns, 2000); /* a plain buffer is written again once it is read: two tasks at a time */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/stages");
    TCase *cases = tcase_create("stages");
    unsetenv("WEIR_POLICY");
    unsetenv("WEIR_LANES");
    tcase_add_test(cases, order_is_cut_into_runs_of_about_equal_cost);
    tcase_add_test(cases, lanes_are_those_of_the_band_and_come_in_the_plans_order);
    tcase_add_test(cases, chain_with_rings_comes_as_fast_as_its_longest_task);
    tcase_add_test(cases, one_frame_or_one_copy_is_left_in_its_lane);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
