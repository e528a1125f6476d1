/* predict_test.c - what weir_drawing_predict promises: of random plans the times that the plan itself has, and of many frames its interval; and
 * drawings that are none of a plan are refused. */
#include "observe/sample.h"
#include "plan/random_plan.h"

enum { FRAMES = 80 };

static double start_ns[FRAMES * MOST_TASKS], end_ns[FRAMES * MOST_TASKS];

static double end_of(const weir_drawing *drawing, uint32_t frame)
{
    double last = 0;
    for (uint32_t i = 0; i < (frame + 1) * drawing->task_count; i++)
        last = last > end_ns[i] ? last : end_ns[i];
    return last;
}

START_TEST(first_frame_and_interval_are_the_plans)
{
    for (uint64_t number = 0; number < 200; number++) {
        uint64_t seed = 500 + number;
        weir_plan *plan = make_plan(&seed, MOST_TASKS);
        const weir_drawing *drawing = NULL;
        weir_plan_summary summary;
        weir_plan_summarise(plan, &summary);
        ck_assert_int_eq(weir_drawing_of(NULL, plan, &drawing), WEIR_OK);
        ck_assert_msg(weir_drawing_predict(drawing, FRAMES, start_ns, end_ns) == WEIR_OK, "seed %u: %s", (unsigned)number, weir_last_error());
        for (uint32_t t = 0; t < drawing->task_count; t++) {
            ck_assert_double_eq_tol(start_ns[t], drawing->task[t].start_ns, 1e-6);
            ck_assert_double_eq_tol(end_ns[t], drawing->task[t].end_ns, 1e-6);
        }
        const double interval = (end_of(drawing, FRAMES - 1) - end_of(drawing, FRAMES / 2 - 1)) / (FRAMES / 2);
        ck_assert_msg(interval <= summary.interval_ns * 1.02 + 1, "seed %u: %g ns a frame, and %g by the plan", (unsigned)number, interval, summary.interval_ns);
        if (summary.interval_ns > drawing->bound_ns * 1.001) /* else what kernels share of the device may be what the plan goes by */
            ck_assert_double_ge(interval, summary.interval_ns * 0.98 - 1);
        weir_drawing_destroy(drawing);
        weir_plan_destroy(plan);
    }
}
END_TEST

START_TEST(what_is_no_plan_is_refused)
{
    sample s = sample_make(2);
    const weir_drawing *graph = NULL, *plan = NULL;
    ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &graph), WEIR_OK);
    ck_assert_int_eq(weir_drawing_predict(graph, 1, start_ns, end_ns), WEIR_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(weir_last_error(), "a graph without a plan"));
    ck_assert_int_eq(weir_drawing_of(NULL, s.plan, &plan), WEIR_OK);
    weir_drawn_edge far[] = {{0, 1, 3}, {0, UINT32_MAX, 0}};
    weir_drawing changed = *plan;
    changed.wait = far;
    changed.wait_count = 1;
    ck_assert_int_eq(weir_drawing_predict(&changed, 2, start_ns, end_ns), WEIR_OK); /* a frame that there was not is not waited for */
    changed.wait_count = 2;
    ck_assert_int_eq(weir_drawing_predict(&changed, 2, start_ns, end_ns), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_drawing_predict(NULL, 1, start_ns, end_ns), WEIR_ERR_INVALID);
    weir_drawing_destroy(plan);
    weir_drawing_destroy(graph);
    sample_finish(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/predict");
    TCase *cases = tcase_create("predict");
    tcase_add_test(cases, first_frame_and_interval_are_the_plans);
    tcase_add_test(cases, what_is_no_plan_is_refused);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
