/* dagbench_shapes_test.c - what dagbench's shapes.c promises: the graphs are the ones that --help names. */
#include "tools/dagbench/shapes.h"
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

static shape make(const char *name, uint32_t tasks, uint64_t seed)
{
    shape s;
    const workload *w = workload_find(name);
    ck_assert_ptr_nonnull(w);
    ck_assert_int_eq(shape_init(&s, w, tasks, seed), 1);
    return s;
}

static uint32_t preds(const shape *s, uint32_t t)
{
    return s->first[t + 1] - s->first[t];
}

static bool follows(const shape *s, uint32_t later, uint32_t earlier)
{
    for (uint32_t i = s->first[later]; i < s->first[later + 1]; i++)
        if (s->pred[i] == earlier)
            return true;
    return false;
}

START_TEST(every_predecessor_is_an_earlier_task_and_named_once)
{
    static const uint32_t sizes[] = {1, 2, 3, 19, 20, 21, 32, 33, 34, 35, 64, 100, 1000, 4099};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        shape s = make(workloads[_i].name, sizes[i], 7);
        ck_assert_uint_eq(s.tasks, sizes[i]);
        ck_assert_uint_eq(s.first[0], 0);
        ck_assert_uint_eq(s.first[s.tasks], s.edges);
        for (uint32_t t = 0; t < s.tasks; t++)
            for (uint32_t e = s.first[t]; e < s.first[t + 1]; e++) {
                ck_assert_uint_lt(s.pred[e], t);
                for (uint32_t other = s.first[t]; other < e; other++)
                    ck_assert_uint_ne(s.pred[other], s.pred[e]);
            }
        shape_finish(&s);
    }
}
END_TEST

START_TEST(a_chain_has_one_edge_less_than_tasks)
{
    shape s = make("chain", 1000, 0);
    ck_assert_uint_eq(s.edges, 999);
    for (uint32_t t = 1; t < s.tasks; t++)
        ck_assert(follows(&s, t, t - 1));
    shape_finish(&s);
}
END_TEST

START_TEST(forks_are_32_chains_between_a_fork_and_a_join)
{
    shape s = make("forks", 1026, 0);
    ck_assert_uint_eq(s.edges, 1056);
    for (uint32_t t = 1; t <= 32; t++)
        ck_assert(follows(&s, t, 0));
    for (uint32_t t = 33; t < 1025; t++)
        ck_assert(preds(&s, t) == 1 && follows(&s, t, t - 32));
    for (uint32_t t = 993; t < 1025; t++)
        ck_assert(follows(&s, 1025, t));
    shape_finish(&s);
}
END_TEST

START_TEST(a_wavefront_follows_left_and_above)
{
    shape s = make("wavefront", 4096, 0);
    ck_assert_uint_eq(s.edges, 8064);
    ck_assert(preds(&s, 65) == 2 && follows(&s, 65, 64) && follows(&s, 65, 1));
    ck_assert(preds(&s, 64) == 1 && follows(&s, 64, 0));
    shape_finish(&s);
}
END_TEST

START_TEST(layers_follow_the_layer_before_two_edges_a_task_and_the_seed_decides)
{
    shape s = make("layers", 20000, 1), same = make("layers", 20000, 1), other = make("layers", 20000, 2);
    bool differs = s.edges != other.edges;
    ck_assert_uint_eq(s.edges, same.edges);
    for (uint32_t e = 0; e < s.edges; e++) {
        ck_assert_uint_eq(s.pred[e], same.pred[e]);
        differs = differs || s.pred[e] != other.pred[e];
    }
    ck_assert(differs);
    for (uint32_t t = 20; t < s.tasks; t++) {
        ck_assert(preds(&s, t) >= 1 && preds(&s, t) <= 3);
        for (uint32_t e = s.first[t]; e < s.first[t + 1]; e++)
            ck_assert_uint_eq(s.pred[e] / 20, t / 20 - 1);
    }
    ck_assert_uint_gt(s.edges, s.tasks * 19 / 10);
    ck_assert_uint_lt(s.edges, s.tasks * 21 / 10);
    shape_finish(&s);
    shape_finish(&same);
    shape_finish(&other);
}
END_TEST

/* One frame: 32 tasks, 40 edges, 28 deep. Two frames: joined by an edge between uploads and two for each advection. */
START_TEST(fluid_is_frames_of_32_tasks_tied_by_uploads_and_projections)
{
    shape s = make("fluid", 32, 0);
    ck_assert_uint_eq(s.edges, 40);
    uint32_t depth[32] = {0};
    for (uint32_t t = 0; t < 32; t++) {
        for (uint32_t e = s.first[t]; e < s.first[t + 1]; e++)
            if (depth[s.pred[e]] > depth[t])
                depth[t] = depth[s.pred[e]];
        depth[t]++;
    }
    ck_assert_uint_eq(depth[31], 28);
    shape_finish(&s);

    s = make("fluid", 64, 0);
    ck_assert_uint_eq(s.edges, 2 * 40 + 1 + 4 * 2);
    ck_assert(follows(&s, 32, 0));
    for (uint32_t t = 33; t <= 36; t++)
        ck_assert(follows(&s, t, 27) && follows(&s, t, 28) && follows(&s, t, 32));
    shape_finish(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/dagbench_shapes");
    TCase *tests = tcase_create("shapes");
    tcase_add_loop_test(tests, every_predecessor_is_an_earlier_task_and_named_once, 0, (int)workload_count);
    tcase_add_test(tests, a_chain_has_one_edge_less_than_tasks);
    tcase_add_test(tests, forks_are_32_chains_between_a_fork_and_a_join);
    tcase_add_test(tests, a_wavefront_follows_left_and_above);
    tcase_add_test(tests, layers_follow_the_layer_before_two_edges_a_task_and_the_seed_decides);
    tcase_add_test(tests, fluid_is_frames_of_32_tasks_tied_by_uploads_and_projections);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
