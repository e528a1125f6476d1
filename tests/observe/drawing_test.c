/* drawing_test.c - what drawing.c promises: a drawing says what the graph or plan says. */
#include "graph/carried.h"
#include "observe/sample.h"
#include "plan/plan.h"

START_TEST(a_graphs_drawing_has_its_tasks_and_edges_and_no_plan)
{
    sample s = sample_make(2);
    const weir_drawing *d = NULL;
    ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &d), WEIR_OK);
    ck_assert_str_eq(d->name, "sample");
    ck_assert_ptr_null(d->policy);
    ck_assert_uint_eq(d->task_count, 5);
    ck_assert_str_eq(d->task[0].name, "step");
    ck_assert_str_eq(d->task[0].kind, "kernel");
    ck_assert_str_eq(d->task[0].group, "flow");
    ck_assert_double_eq(d->task[0].cost_ns, 3000);
    ck_assert_int_eq(d->task[1].priority, 2);
    ck_assert_double_eq(d->task[1].cost_ns, 1000); /* the default, filled in */
    ck_assert_ptr_null(d->task[2].group);
    ck_assert_str_eq(d->task[3].kind, "host");
    ck_assert_double_eq(d->task[4].cost_ns, 0);
    ck_assert_uint_eq(d->edge_count, 3); /* step -> shade, step -> copy, copy -> save */
    ck_assert(d->edge[0].from == 0 && d->edge[0].to == 1);
    ck_assert(d->edge[1].from == 0 && d->edge[1].to == 2);
    ck_assert(d->edge[2].from == 2 && d->edge[2].to == 3);
    ck_assert_uint_eq(d->lane_count, 0);
    ck_assert_uint_eq(d->wait_count, 0);
    weir_drawing_destroy(d);
    sample_finish(&s);
}
END_TEST

START_TEST(a_plans_drawing_has_what_the_plan_has)
{
    sample s = sample_make(3);
    const weir_drawing *d = NULL;
    const weir_plan *plan = s.plan;
    ck_assert_int_eq(weir_drawing_of(NULL, plan, &d), WEIR_OK);
    ck_assert_str_eq(d->policy, "priority");
    ck_assert_str_eq(d->binding, weir_bound_name(plan->binding));
    ck_assert_uint_eq(d->frames, 2);
    ck_assert_uint_eq(d->lane_count, plan->lanes);
    ck_assert_double_eq(d->makespan_ns, plan->makespan_ns);
    ck_assert_double_eq(d->bound_ns, plan->bound_ns);
    ck_assert_uint_gt(d->cycle_count, 0);
    ck_assert_uint_eq(d->cycle_count, plan->recurrence.count);
    ck_assert_uint_eq(d->cycle_frames, plan->recurrence.distance);
    for (uint32_t i = 0; i < d->cycle_count; i++)
        ck_assert_uint_eq(d->cycle[i], plan->recurrence.task[i]);
    for (uint32_t t = 0; t < d->task_count; t++) {
        ck_assert_uint_eq(d->task[t].lane, plan->lane[t]);
        ck_assert_uint_eq(d->task[t].position, plan->position[t]);
        ck_assert_double_eq(d->task[t].start_ns, plan->start_ns[t]);
        ck_assert_double_eq(d->task[t].end_ns, plan->end_ns[t]);
    }
    ck_assert_uint_gt(d->wait_count, 0);
    ck_assert_uint_eq(d->wait_count, plan->wait_first[plan->tasks]);
    for (uint32_t i = 0; i < d->wait_count; i++) {
        ck_assert_uint_eq(d->wait[i].from, plan->wait[i].task);
        ck_assert_uint_eq(d->wait[i].distance, plan->wait[i].distance);
        ck_assert(i >= plan->wait_first[d->wait[i].to] && i < plan->wait_first[d->wait[i].to + 1]);
    }
    weir_drawing_destroy(d);
    sample_finish(&s);
}
END_TEST

/* A plan of one frame in flight keeps no carried edges; a picture shows them all the same. */
START_TEST(loops_and_branches_say_what_they_decide_about)
{
    sample s = sample_loops_make(2);
    const weir_drawing *drawings[2] = {NULL, NULL};
    ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &drawings[0]), WEIR_OK);
    ck_assert_int_eq(weir_drawing_of(NULL, s.plan, &drawings[1]), WEIR_OK);
    sample_finish(&s); /* bodies live on, too */
    for (int i = 0; i < 2; i++) {
        const weir_drawn_task *task = drawings[i]->task;
        ck_assert_uint_eq(drawings[i]->task_count, 3);
        ck_assert(task[0].body_count == 0 && task[0].rounds == 0 && !task[0].body);
        ck_assert_str_eq(task[1].kind, "while");
        ck_assert(task[1].rounds == 50 && task[1].body_count == 1 && task[1].body[0].tasks == 1);
        ck_assert_str_eq(task[1].body[0].name, "jacobi");
        ck_assert_double_eq(task[1].cost_ns, 1000);
        ck_assert_str_eq(task[2].kind, "if");
        ck_assert(task[2].rounds == 0 && task[2].body_count == 2 && task[2].body[0].tasks == 2 && task[2].body[1].tasks == 0);
        ck_assert_str_eq(task[2].body[1].name, "nothing");
        ck_assert_double_eq(task[2].cost_ns, 2000);
        weir_drawing_destroy(drawings[i]);
    }
}
END_TEST

START_TEST(carried_edges_are_there_whatever_the_frames_in_flight)
{
    sample s = sample_make(2);
    weir_plan *single = NULL;
    ck_assert_int_eq(weir_plan_create(s.graph, &(weir_plan_options){.frames = 1}, &single), WEIR_OK);
    ck_assert_uint_eq(single->carried.edges.count, 0);
    const weir_drawing *of_plan = NULL, *of_graph = NULL;
    ck_assert_int_eq(weir_drawing_of(NULL, single, &of_plan), WEIR_OK);
    ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &of_graph), WEIR_OK);
    ck_assert_uint_gt(of_plan->carried_count, 0);
    ck_assert_uint_eq(of_plan->carried_count, of_graph->carried_count);
    bool step_after_step = false;
    for (uint32_t i = 0; i < of_plan->carried_count; i++)
        step_after_step |= of_plan->carried[i].from == 0 && of_plan->carried[i].to == 0 && of_plan->carried[i].distance == 1;
    ck_assert(step_after_step);
    weir_drawing_destroy(of_plan);
    weir_drawing_destroy(of_graph);
    weir_plan_destroy(single);
    sample_finish(&s);
}
END_TEST

START_TEST(the_critical_path_is_the_longest_by_cost)
{
    sample s = sample_make(2);
    const weir_drawing *d = NULL;
    ck_assert_int_eq(weir_drawing_of(s.graph, NULL, &d), WEIR_OK);
    ck_assert_uint_eq(d->critical_count, 3); /* step, copy, save */
    ck_assert_uint_eq(d->critical[0], 0);
    ck_assert_uint_eq(d->critical[1], 2);
    ck_assert_uint_eq(d->critical[2], 3);
    weir_drawing_destroy(d);
    sample_finish(&s);
}
END_TEST

START_TEST(a_drawing_outlives_graph_and_plan)
{
    sample s = sample_make(2);
    const weir_drawing *d = NULL;
    ck_assert_int_eq(weir_drawing_of(s.graph, s.plan, &d), WEIR_OK);
    sample_finish(&s);
    char *text = sample_written(d, "text");
    sample_says(text, "step");
    free(text);
    weir_drawing_destroy(d);
}
END_TEST

START_TEST(an_empty_graph_can_be_drawn)
{
    static const char *const formats[] = {"json", "dot", "text"};
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    ck_assert_int_eq(weir_graph_create("nothing", 0, &graph), WEIR_OK);
    ck_assert_int_eq(weir_plan_create(graph, NULL, &plan), WEIR_OK);
    for (int with_plan = 0; with_plan < 2; with_plan++) {
        const weir_drawing *d = NULL;
        ck_assert_int_eq(weir_drawing_of(graph, with_plan ? plan : NULL, &d), WEIR_OK);
        ck_assert_uint_eq(d->task_count, 0);
        ck_assert_uint_eq(d->critical_count, 0);
        for (size_t i = 0; i < 3; i++) {
            char *text = sample_written(d, formats[i]);
            sample_says(text, "nothing");
            free(text);
        }
        weir_drawing_destroy(d);
    }
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(the_graphs_own_error_comes_out)
{
    weir_graph *graph = NULL;
    const weir_drawing *d = NULL;
    ck_assert_int_eq(weir_graph_create("broken", 0, &graph), WEIR_OK);
    weir_task a = weir_add_empty(graph, "a"), b = weir_add_empty(graph, "b");
    weir_after(graph, a, b);
    weir_after(graph, b, a);
    ck_assert_int_eq(weir_drawing_of(graph, NULL, &d), WEIR_ERR_CYCLE);
    sample_says(weir_last_error(), "a");
    weir_graph_destroy(graph);
    ck_assert_int_eq(weir_graph_create("broken", 0, &graph), WEIR_OK);
    weir_add_kernel(graph, NULL, (weir_shape){0}, weir_no_args());
    ck_assert_int_eq(weir_drawing_of(graph, NULL, &d), WEIR_ERR_INVALID);
    weir_graph_destroy(graph);
    ck_assert_int_eq(weir_drawing_of(NULL, NULL, &d), WEIR_ERR_INVALID);
    ck_assert_ptr_null(d);
}
END_TEST

static unsigned allowed, asked;

static void *resize_with_limit(void *memory, size_t bytes)
{
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    return asked++ < allowed ? realloc(memory, bytes) : NULL;
}

/* Each allocation fails in turn; the sanitizers' runs see that nothing is lost. */
START_TEST(running_out_of_memory_is_a_status_and_loses_nothing)
{
    static const char *const formats[] = {"json", "dot", "text"};
    sample s = _i ? sample_loops_make(2) : sample_make(2);
    weir_status status = WEIR_ERR_NO_MEMORY;
    const weir_drawing *d = NULL;
    weir_set_allocator(resize_with_limit);
    for (allowed = 0; status != WEIR_OK; allowed++) {
        asked = 0;
        status = weir_drawing_of(s.graph, s.plan, &d);
        ck_assert(status == WEIR_OK || (status == WEIR_ERR_NO_MEMORY && d == NULL));
    }
    ck_assert_uint_gt(allowed, 8);
    for (size_t i = 0; i < 3; i++) {
        status = WEIR_ERR_NO_MEMORY;
        for (allowed = 0; status != WEIR_OK; allowed++) {
            FILE *stream = fopen("/dev/null", "w");
            ck_assert_ptr_nonnull(stream);
            asked = 0;
            status = weir_drawing_write(d, stream, formats[i]);
            ck_assert(status == WEIR_OK || status == WEIR_ERR_NO_MEMORY);
            fclose(stream);
        }
        ck_assert_uint_gt(allowed, 1);
    }
    allowed = UINT32_MAX;
    weir_set_allocator(NULL);
    weir_drawing_destroy(d);
    sample_finish(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/drawing");
    TCase *tcase = tcase_create("drawing");
    tcase_add_test(tcase, a_graphs_drawing_has_its_tasks_and_edges_and_no_plan);
    tcase_add_test(tcase, a_plans_drawing_has_what_the_plan_has);
    tcase_add_test(tcase, loops_and_branches_say_what_they_decide_about);
    tcase_add_test(tcase, carried_edges_are_there_whatever_the_frames_in_flight);
    tcase_add_test(tcase, the_critical_path_is_the_longest_by_cost);
    tcase_add_test(tcase, a_drawing_outlives_graph_and_plan);
    tcase_add_test(tcase, an_empty_graph_can_be_drawn);
    tcase_add_test(tcase, the_graphs_own_error_comes_out);
    tcase_add_loop_test(tcase, running_out_of_memory_is_a_status_and_loses_nothing, 0, 2);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
