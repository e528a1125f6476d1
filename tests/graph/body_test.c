/* body_test.c - what body.c promises: shared declarations, and the defaults behind what was not declared. */
#include "graph/declare.h"
#include "util/counting.h"

static const weir_task_record *record_of(const weir_graph *graph, weir_task task)
{
    return &weir_graph_body(graph)->tasks.at[task.number - 1];
}

START_TEST(cost_is_a_microsecond_or_nothing_for_an_empty_task)
{
    weir_graph *graph = graph_make(0);
    weir_task host = task_add(graph, "host", weir_no_args()), empty = weir_add_empty(graph, "empty");
    ck_assert_double_eq(weir_task_cost(weir_graph_body(graph), record_of(graph, host)), 1000.0);
    ck_assert_double_eq(weir_task_cost(weir_graph_body(graph), record_of(graph, empty)), 0.0);
    weir_task_set(graph, host, &(weir_task_options){.cost_ns = 250});
    weir_task_set(graph, empty, &(weir_task_options){.cost_ns = 40});
    ck_assert_double_eq(weir_task_cost(weir_graph_body(graph), record_of(graph, host)), 250.0);
    ck_assert_double_eq(weir_task_cost(weir_graph_body(graph), record_of(graph, empty)), 40.0);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(share_of_a_kernel_follows_from_its_grid)
{
    static const weir_kernel kernel = {.name = "kernel"};
    weir_graph *graph = graph_make(0);
    const weir_body *body = weir_graph_body(graph);
    weir_task small = weir_add_kernel(graph, &kernel, (weir_shape){.grid = {33}, .block = {1024}}, weir_no_args());
    weir_task large = weir_add_kernel(graph, &kernel, (weir_shape){.grid = {1000, 1000}, .block = {32, 32}}, weir_no_args());
    weir_task twice = weir_add_kernel(graph, &kernel, (weir_shape){.grid = {528}, .block = {1024}}, weir_no_args());
    weir_task once_and_a_half = weir_add_kernel(graph, &kernel, (weir_shape){.grid = {396}, .block = {1024}}, weir_no_args());
    weir_task host = task_add(graph, "host", weir_no_args());
    float eighth = weir_task_share(body, record_of(graph, small));
    ck_assert(eighth > 0.124f && eighth < 0.126f); /* 33 * 1024 of 132 * 2048 threads */
    ck_assert(weir_task_share(body, record_of(graph, large)) == 1.0f);
    ck_assert(weir_task_share(body, record_of(graph, twice)) == 1.0f);
    ck_assert(weir_task_share(body, record_of(graph, once_and_a_half)) == 0.75f); /* its second wave fills half of the device */
    ck_assert(weir_task_share(body, record_of(graph, host)) == 1.0f);
    weir_task_set(graph, small, &(weir_task_options){.share = 0.5f});
    ck_assert(weir_task_share(body, record_of(graph, small)) == 0.5f);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(equal_text_is_the_same_group)
{
    char one[] = "solve", same[] = "solve", other[] = "shade";
    weir_body *body = weir_body_create("body", 0);
    uint32_t group = weir_body_group_number(body, one);
    ck_assert_uint_eq(weir_body_group_number(body, NULL), 0);
    ck_assert_uint_ne(group, 0);
    ck_assert_uint_eq(weir_body_group_number(body, same), group);
    ck_assert_uint_ne(weir_body_group_number(body, other), group);
    ck_assert_uint_eq(weir_body_group_number(body, same), group);
    ck_assert_uint_eq(body->groups.count, 2);
    weir_body_release(body);
}
END_TEST

START_TEST(kinds_have_names)
{
    ck_assert_str_eq(weir_kind_name(WEIR_KIND_EMPTY), "empty");
    ck_assert_str_eq(weir_kind_name(WEIR_KIND_KERNEL), "kernel");
    ck_assert_str_eq(weir_kind_name(WEIR_KIND_COPY), "copy");
    ck_assert_str_eq(weir_kind_name(WEIR_KIND_FILL), "fill");
    ck_assert_str_eq(weir_kind_name(WEIR_KIND_HOST), "host");
    ck_assert_str_eq(weir_kind_name(WEIR_KIND_NATIVE), "native");
}
END_TEST

START_TEST(argument_spans_its_box_or_the_whole_buffer)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_of((weir_buffer_desc){.name = "b", .element_bytes = 1, .nx = 9, .ny = 5, .nz = 3, .place = WEIR_HOST_LOCAL});
    weir_buffer *token = buffer_of((weir_buffer_desc){.name = "token", .place = WEIR_HOST_LOCAL});
    task_add(graph, "t", WEIR_ARGS(WEIR_WRITE(b), weir_part(WEIR_READ(b), (weir_box){2, 1, 0, 4, 3, 2}), WEIR_READ(token)));
    const weir_body *body = weir_graph_body(graph);
    weir_span whole = weir_arg_span(body, &body->args.at[0]), part = weir_arg_span(body, &body->args.at[1]),
              one = weir_arg_span(body, &body->args.at[2]);
    ck_assert_mem_eq(&whole, (&(weir_span){{0, 0, 0}, {9, 5, 3}}), sizeof whole);
    ck_assert_mem_eq(&part, (&(weir_span){{2, 1, 0}, {6, 4, 2}}), sizeof part);
    ck_assert_mem_eq(&one, (&(weir_span){{0, 0, 0}, {1, 1, 1}}), sizeof one);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_buffer_destroy(token);
}
END_TEST

/* A body with something in each of its vectors. */
static weir_graph *graph_of_everything(void)
{
    static const weir_kernel kernel = {.name = "kernel"};
    weir_graph *graph = graph_make(0), *child = graph_make(0);
    weir_buffer *b = buffer_of((weir_buffer_desc){.name = "b", .element_bytes = 4, .nx = 16});
    weir_param *p = NULL;
    float gain = 0.5f;
    ck_assert_int_eq(weir_param_create("gain", &gain, sizeof gain, &p), WEIR_OK);
    weir_add_fill(child, "clear", WEIR_WRITE(b), &gain, sizeof gain);
    weir_add_graph(graph, "sub", child);
    weir_task t = weir_add_kernel(graph, &kernel, (weir_shape){.grid = {7}},
                                  WEIR_ARGS(weir_part(WEIR_READ_WRITE(b), (weir_box){.nx = 3}), WEIR_VALUE(gain), WEIR_PARAM(p)));
    weir_task_set(graph, t, &(weir_task_options){.group = "group", .priority = -3});
    weir_task last = weir_add_empty(graph, "last");
    weir_after(graph, last, t);
    weir_after_previous(graph, t, last, 2);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_OK);
    weir_graph_destroy(child);
    weir_buffer_destroy(b);
    weir_param_destroy(p);
    return graph;
}

START_TEST(clone_is_equal_and_apart)
{
    weir_graph *graph = graph_of_everything();
    weir_body *copy = weir_body_clone(weir_graph_body(graph));
    uint32_t id = weir_graph_body(graph)->id;
    weir_graph_destroy(graph); /* what the copy needs, it holds itself */
    ck_assert_uint_eq(copy->id, id);
    ck_assert_uint_eq(copy->tasks.count, 5);
    ck_assert_str_eq(copy->tasks.at[1].name, "sub/clear");
    ck_assert_str_eq(copy->buffers.at[0].buffer->name, "b");
    ck_assert_str_eq(copy->params.at[0]->name, "gain");
    ck_assert_str_eq(copy->groups.at[0], "group");
    ck_assert_uint_eq(copy->shapes.at[copy->tasks.at[3].with.shape].grid[0], 7);
    ck_assert_uint_eq(weir_derived_end(copy, 3) - copy->tasks.at[3].derived_first, 1);
    ck_assert_uint_eq(copy->explicits.count, 3);
    ck_assert_uint_eq(copy->explicits_carried.at[0].distance, 2);
    ck_assert_uint_eq(weir_body_first_of(copy, 2), 0);
    ck_assert_uint_eq(weir_body_first_of(copy, 3), 3);
    weir_body_release(copy);
}
END_TEST

START_TEST(texts_outlive_the_body_they_were_made_for)
{
    weir_body *first = weir_body_create("first", 0);
    strcpy(weir_body_text(first, 8), "unused");
    char *text = weir_body_text(first, 8);
    strcpy(text, "kept");
    weir_body *second = weir_body_clone(first);
    strcpy(weir_body_text(second, 8), "new");
    ck_assert_ptr_ne(second->texts, first->texts); /* two threads may each have one of them */
    weir_body *third = weir_body_clone(second);
    weir_body_release(first);
    weir_body_release(second);
    ck_assert_str_eq(text, "kept"); /* a sanitizer would tell */
    weir_body_release(third);
}
END_TEST

START_TEST(clone_without_memory_is_none_and_leaves_nothing)
{
    counting_start(0, 0);
    weir_graph *graph = graph_of_everything();
    long live = atomic_load(&counting_live);
    for (long fail_at = 1;; fail_at++) {
        counting_start(fail_at, 1);
        weir_body *copy = weir_body_clone(weir_graph_body(graph));
        counting_relent();
        weir_body_release(copy);
        ck_assert_msg(atomic_load(&counting_live) == live, "request %ld fails: %ld allocations are left", fail_at,
                      atomic_load(&counting_live) - live);
        if (copy)
            break;
        ck_assert_int_lt(fail_at, 100);
    }
    weir_graph_destroy(graph);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

START_TEST(ids_are_never_given_twice)
{
    uint32_t last = 0;
    for (int i = 0; i < 100; i++) {
        weir_body *body = weir_body_create("body", 0);
        ck_assert_uint_gt(body->id, last);
        last = body->id;
        weir_body_release(body);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/body");
    TCase *cases = tcase_create("body");
    tcase_add_test(cases, cost_is_a_microsecond_or_nothing_for_an_empty_task);
    tcase_add_test(cases, share_of_a_kernel_follows_from_its_grid);
    tcase_add_test(cases, equal_text_is_the_same_group);
    tcase_add_test(cases, kinds_have_names);
    tcase_add_test(cases, argument_spans_its_box_or_the_whole_buffer);
    tcase_add_test(cases, clone_is_equal_and_apart);
    tcase_add_test(cases, texts_outlive_the_body_they_were_made_for);
    tcase_add_test(cases, clone_without_memory_is_none_and_leaves_nothing);
    tcase_add_test(cases, ids_are_never_given_twice);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
