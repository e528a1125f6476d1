/* compose_test.c - what compose.c promises. The child of most tests is a -> b: a writes x, b reads x and writes y. */
#include "graph/graph.h"
#include "graph/carried.h"
#include "graph/declare.h"
#include "util/counting.h"

static weir_buffer *x, *y;

static void set_up(void)
{
    x = buffer_make("x", 1);
    y = buffer_make("y", 1);
}

static void tear_down(void)
{
    weir_buffer_destroy(x);
    weir_buffer_destroy(y);
}

static weir_graph *child_make(uint32_t flags)
{
    weir_graph *child = graph_make(flags);
    weir_task a = task_add(child, "a", WEIR_ARGS(WEIR_WRITE(x))), b = task_add(child, "b", WEIR_ARGS(WEIR_READ(x), WEIR_WRITE(y)));
    if (flags & WEIR_GRAPH_EXPLICIT)
        weir_after(child, b, a);
    return child;
}

START_TEST(child_stands_between_an_entry_and_its_handle)
{
    weir_graph *graph = graph_make(0), *child = child_make(0);
    weir_task handle = weir_add_graph(graph, "sub", child);
    ck_assert_str_eq(weir_task_name(graph, handle), "sub");
    names_are(graph, "sub/begin sub/a sub/b sub");
    edges_are(graph, "sub/begin>sub/a sub/a>sub/b sub/b>sub");
    names_are(child, "a b");
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(handle_stands_for_all_tasks_both_ways)
{
    weir_graph *graph = graph_make(0), *child = graph_make(0);
    weir_add_empty(child, "a");
    weir_add_empty(child, "b");
    weir_task before = weir_add_empty(graph, "before"), handle = weir_add_graph(graph, "sub", child),
              after = weir_add_empty(graph, "after");
    weir_after(graph, handle, before);
    weir_after(graph, after, handle);
    edges_are(graph, "before>sub/begin sub/begin>sub/a sub/begin>sub/b sub/a>sub sub/b>sub sub>after");
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(handle_stands_for_all_tasks_from_frame_to_frame)
{
    weir_graph *graph = graph_make(0), *child = child_make(0);
    weir_task handle = weir_add_graph(graph, "sub", child);
    weir_after_previous(graph, handle, handle, 2);
    weir_carried_edge edge = weir_graph_body(graph)->explicits_carried.at[0];
    ck_assert_uint_eq(edge.later, 0);   /* sub/begin */
    ck_assert_uint_eq(edge.earlier, 3); /* sub */
    ck_assert_uint_eq(edge.distance, 2);
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(accesses_order_child_and_parent)
{
    weir_graph *graph = graph_make(0), *child = child_make(0);
    task_add(graph, "reads x", WEIR_ARGS(WEIR_READ(x)));
    weir_add_graph(graph, "sub", child);
    task_add(graph, "reads y", WEIR_ARGS(WEIR_READ(y)));
    edges_are(graph, "reads x>sub/a sub/begin>sub/a sub/a>sub/b sub/b>sub sub/b>reads y");
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(repeat_unrolls_and_accesses_order_the_rounds)
{
    weir_graph *graph = graph_make(0), *child = child_make(0);
    weir_add_repeat(graph, "r", child, 2);
    names_are(graph, "r/begin r/1/a r/1/b r/2/a r/2/b r");
    edges_are(graph, "r/begin>r/1/a r/1/a>r/1/b r/1/b>r/2/a r/1/b>r/2/b r/2/a>r/2/b r/2/b>r");
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(rounds_that_share_nothing_run_at_once)
{
    weir_graph *graph = graph_make(0), *child = graph_make(0);
    task_add(child, "look", WEIR_ARGS(WEIR_READ(x)));
    weir_add_repeat(graph, "r", child, 3);
    edges_are(graph, "r/begin>r/1/look r/begin>r/2/look r/begin>r/3/look r/1/look>r r/2/look>r r/3/look>r");
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(one_round_is_numbered_and_no_round_is_the_handle_alone)
{
    weir_graph *graph = graph_make(0), *child = child_make(0), *none = graph_make(0);
    weir_task one = weir_add_repeat(graph, "one", child, 1), zero = weir_add_repeat(graph, "zero", child, 0),
              empty = weir_add_graph(graph, "empty", none);
    names_are(graph, "one/begin one/1/a one/1/b one zero empty");
    weir_after(graph, zero, one);
    weir_after(graph, empty, zero);
    edges_are(graph, "one/begin>one/1/a one/1/a>one/1/b one/1/b>one one>zero zero>empty");
    weir_graph_destroy(child);
    weir_graph_destroy(none);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(explicit_graph_is_told_the_childs_derived_edges)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT), *child = child_make(0);
    weir_add_graph(graph, "sub", child);
    edges_are(graph, "sub/begin>sub/a sub/a>sub/b sub/b>sub");
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(explicit_rounds_wait_for_the_round_before)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT), *child = child_make(WEIR_GRAPH_EXPLICIT);
    weir_add_repeat(graph, "r", child, 3);
    names_are(graph, "r/begin r/1/a r/1/b r/1/end r/2/a r/2/b r/2/end r/3/a r/3/b r");
    edges_are(graph, "r/begin>r/1/a r/1/a>r/1/b r/1/b>r/1/end r/1/end>r/2/a r/2/a>r/2/b r/2/b>r/2/end r/2/end>r/3/a r/3/a>r/3/b r/3/b>r");
    ck_assert_int_eq(weir_graph_check(graph, 1, NULL, NULL), WEIR_OK);
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(nested_handles_stand_for_what_they_did)
{
    weir_graph *graph = graph_make(0), *middle = graph_make(0), *child = child_make(0);
    weir_add_graph(middle, "in", child);
    weir_add_empty(middle, "loose");
    weir_task outer = weir_add_repeat(graph, "out", middle, 2);
    names_are(graph, "out/begin out/1/in/begin out/1/in/a out/1/in/b out/1/in out/1/loose out/2/in/begin out/2/in/a out/2/in/b out/2/in "
                     "out/2/loose out");
    edges_are(graph, "out/begin>out/1/in/begin out/1/in/begin>out/1/in/a out/1/in/a>out/1/in/b out/1/in/b>out/1/in out/begin>out/1/loose "
                     "out/begin>out/2/in/begin out/1/in/b>out/2/in/a out/2/in/begin>out/2/in/a out/1/in/b>out/2/in/b out/2/in/a>out/2/in/b "
                     "out/2/in/b>out/2/in out/begin>out/2/loose out/1/in>out out/1/loose>out out/2/in>out out/2/loose>out");
    const weir_body *body = weir_graph_body(graph);
    weir_task inner = weir_graph_find(graph, "out/2/in"), extra = weir_add_empty(graph, "extra");
    ck_assert_uint_eq(weir_body_first_of(body, inner.number - 1), weir_graph_find(graph, "out/2/in/begin").number - 1);
    ck_assert_uint_eq(weir_body_first_of(body, outer.number - 1), 0);
    weir_after(graph, inner, extra); /* reaches its entry, not its handle alone */
    weir_edge last = body->explicits.at[body->explicits.count - 1];
    ck_assert_str_eq(body->tasks.at[last.later].name, "out/2/in/begin");
    weir_graph_destroy(child);
    weir_graph_destroy(middle);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(options_of_a_handle_are_those_of_all_but_for_the_name)
{
    weir_graph *graph = graph_make(0), *child = child_make(0);
    weir_add_empty(graph, "outside");
    weir_task handle = weir_add_graph(graph, "sub", child);
    weir_task_set(graph, handle,
                  &(weir_task_options){.name = "solve", .group = "pressure", .priority = -2, .cost_ns = 50, .flags = WEIR_TASK_REENTRANT});
    names_are(graph, "outside sub/begin sub/a sub/b solve");
    const weir_body *body = weir_graph_body(graph);
    for (uint32_t t = 0; t < 5; t++) {
        const char *group = weir_task_group(body, &body->tasks.at[t]);
        ck_assert_int_eq(body->tasks.at[t].priority, t ? -2 : 0);
        ck_assert_int_eq(body->tasks.at[t].flags, t ? WEIR_TASK_REENTRANT : 0);
        ck_assert(t ? group && strcmp(group, "pressure") == 0 : group == NULL);
    }
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(everything_a_task_has_comes_along)
{
    static const weir_kernel kernel = {.name = "kernel"};
    weir_graph *graph = graph_make(0), *child = graph_make(0);
    weir_buffer *image = buffer_of((weir_buffer_desc){.name = "image", .element_bytes = 4, .nx = 16, .ny = 8, .copies = 3});
    weir_param *gain = NULL;
    int value = 42, pattern = 7, user = 0;
    ck_assert_int_eq(weir_param_create("gain", &value, sizeof value, &gain), WEIR_OK);
    task_add(graph, "pad",
             WEIR_ARGS(WEIR_VALUE(pattern), weir_part(WEIR_READ(x), (weir_box){.nx = 1}))); /* so that no index is the child's */
    const weir_box box = {1, 2, 0, 3, 4, 1};
    weir_add_fill(child, "fill", weir_part(WEIR_WRITE(image), box), &pattern, sizeof pattern);
    weir_task k = weir_add_kernel(
        child, &kernel, (weir_shape){.grid = {3, 2}, .block = {8}, .shared_bytes = 99},
        WEIR_ARGS(WEIR_VALUE(value), WEIR_PARAM(gain), weir_part(WEIR_READ(image), box), weir_hidden(WEIR_PREVIOUS(image, 2))));
    weir_task h = weir_add_host(child, "host", do_nothing, &user, weir_no_args());
    weir_task_set(child, k, &(weir_task_options){.name = "k", .group = "own", .priority = 4, .cost_ns = 123, .share = 0.5f});
    weir_task_set(child, h, &(weir_task_options){.flags = WEIR_TASK_REENTRANT});
    weir_after_previous(child, k, h, 3);
    weir_after(child, h, k);
    weir_add_graph(graph, "s", child);
    weir_graph_destroy(child);
    value = 0;
    const weir_body *body = weir_graph_body(graph);
    edges_are(graph, "s/begin>s/fill s/fill>s/k s/k>s/host s/host>s");
    const weir_task_record *fill = &body->tasks.at[2], *made = &body->tasks.at[3], *host = &body->tasks.at[4];
    ck_assert_mem_eq(&fill->with.pattern.value, &pattern, sizeof pattern);
    ck_assert_uint_eq(fill->with.pattern.bytes, 4);
    ck_assert_ptr_eq(made->code.kernel, &kernel);
    weir_shape expected = {{3, 2, 1}, {8, 1, 1}, {1, 1, 1}, 99};
    ck_assert_mem_eq(&body->shapes.at[made->with.shape], &expected, sizeof expected);
    ck_assert_str_eq(weir_task_group(body, made), "own");
    ck_assert(made->priority == 4 && made->cost_ns == 123.0f && made->share == 0.5f);
    const weir_arg_record *arg = &body->args.at[made->arg_first];
    ck_assert_uint_eq(made->arg_count, 4);
    memcpy(&value, body->values.at + arg[0].index, sizeof value);
    ck_assert_int_eq(value, 42);
    ck_assert_ptr_eq(body->params.at[arg[1].index], gain);
    ck_assert_ptr_eq(body->buffers.at[arg[2].index].buffer, image);
    weir_span span = weir_arg_span(body, &arg[2]), expected_span = {{1, 2, 0}, {4, 6, 1}};
    ck_assert_mem_eq(&span, &expected_span, sizeof span);
    ck_assert((arg[3].flags & WEIR_ARG_HIDDEN) && arg[3].back == 2 && arg[3].mode == WEIR_ARG_READ);
    ck_assert_ptr_eq(host->with.user, &user);
    ck_assert_int_eq(host->flags, WEIR_TASK_REENTRANT);
    weir_carried_edge carried = body->explicits_carried.at[0];
    ck_assert(carried.later == 3 && carried.earlier == 4 && carried.distance == 3);
    weir_graph_destroy(graph);
    weir_buffer_destroy(image);
    weir_param_destroy(gain);
}
END_TEST

START_TEST(child_may_be_changed_or_destroyed_afterwards)
{
    weir_graph *graph = graph_make(0), *child = child_make(0);
    char name[] = "temporary";
    weir_add_graph(graph, "sub", child);
    task_add(child, "c", WEIR_ARGS(WEIR_READ(y)));
    weir_task_set(child, weir_graph_find(child, "a"), &(weir_task_options){.name = name});
    weir_add_graph(graph, "again", child);
    weir_graph_destroy(child);
    names_are(graph, "sub/begin sub/a sub/b sub again/begin again/temporary again/b again/c again");
    memset(name, '?', sizeof name - 1);
    names_are(graph, "sub/begin sub/a sub/b sub again/begin again/temporary again/b again/c again"); /* made names are weir's own */
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(senseless_children_are_refused_by_name)
{
    weir_graph *child = child_make(0), *explicit_child = child_make(WEIR_GRAPH_EXPLICIT), *failed = graph_make(0);
    task_add(failed, "culprit", WEIR_ARGS(WEIR_PREVIOUS(x, 1)));
    const struct {
        const char *name;
        const weir_graph *child;
        weir_status status;
        const char *text;
    } bad[] = {
        {NULL, child, WEIR_ERR_INVALID, "sub-graph '?': it needs a name"},
        {"s", NULL, WEIR_ERR_INVALID, "sub-graph 's': the graph to add is NULL"},
        {"s", explicit_child, WEIR_ERR_INVALID, "sub-graph 's': its edges are explicit only, those of 'graph' are derived"},
        {"s", failed, WEIR_ERR_INVALID, "sub-graph 's': task 'culprit': buffer 'x' keeps no earlier frames"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_graph *graph = graph_make(0);
        ck_assert_uint_eq(weir_add_repeat(graph, bad[i].name, bad[i].child, 2).number, 0);
        ck_assert_uint_eq(weir_graph_task_count(graph), 0);
        ck_assert_int_eq(weir_graph_status(graph), bad[i].status);
        says(weir_last_error(), bad[i].text);
        weir_graph_destroy(graph);
    }
    weir_graph *graph = graph_make(0);
    ck_assert_uint_eq(weir_add_graph(graph, "s", graph).number, 0);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "sub-graph 's': a graph cannot be added to itself");
    ck_assert_uint_eq(weir_add_graph(NULL, "s", child).number, 0);
    ck_assert_uint_eq(weir_add_repeat(NULL, "s", child, 3).number, 0);
    says(weir_last_error(), "the graph is NULL");
    weir_graph_destroy(graph);
    weir_graph_destroy(child);
    weir_graph_destroy(explicit_child);
    weir_graph_destroy(failed);
}
END_TEST

/* Whatever was added when memory ran out is taken back, and what was there before stays sound. */
START_TEST(child_that_is_added_by_half_changes_nothing)
{
    for (long fail_at = 1;; fail_at++) {
        counting_start(0, 0);
        weir_graph *graph = graph_make(0), *good = child_make(0);
        weir_add_graph(graph, "good", good);
        weir_task last = task_add(graph, "writer", WEIR_ARGS(WEIR_WRITE(x)));
        counting_start(fail_at, 0);
        weir_task bad = weir_add_repeat(graph, "bad", good, 4);
        bool reached = atomic_load(&counting_asked) >= fail_at;
        counting_relent();
        ck_assert_int_eq(bad.number == 0, reached);
        if (reached) {
            names_are(graph, "good/begin good/a good/b good writer");
            ck_assert_ptr_null(weir_task_name(graph, (weir_task){last.number + 1, last.graph}));
            task_add(graph, "goes on", WEIR_ARGS(WEIR_WRITE(x), WEIR_READ(y)));
        }
        const weir_body *body = weir_graph_body(graph);
        for (uint32_t t = 0; t < body->tasks.count; t++)
            for (uint32_t i = body->tasks.at[t].derived_first; i < weir_derived_end(body, t); i++)
                ck_assert_uint_lt(body->derived.at[i], t);
        for (uint32_t i = 0; i < body->explicits.count; i++)
            ck_assert(body->explicits.at[i].later < body->tasks.count && body->explicits.at[i].earlier < body->tasks.count);
        weir_graph_destroy(good);
        weir_graph_destroy(graph);
        if (!reached)
            break;
    }
}
END_TEST

START_TEST(no_memory_anywhere_is_told_and_leaves_nothing)
{
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (long fail_at = 1;; fail_at++) {
            counting_start(0, 0);
            weir_graph *graph = graph_make(fail_on ? WEIR_GRAPH_EXPLICIT : 0), *middle = graph_make(0), *child = child_make(0);
            weir_add_graph(middle, "in", child);
            weir_body *held = weir_body_hold(weir_graph_body(graph)); /* so that it has to be copied as well */
            counting_start(fail_at, fail_on);
            weir_task handle = weir_add_repeat(graph, "out", middle, 3);
            bool reached = atomic_load(&counting_asked) >= fail_at;
            counting_relent();
            ck_assert_int_eq(handle.number == 0, reached);
            ck_assert_int_eq(weir_graph_status(graph), reached ? WEIR_ERR_NO_MEMORY : WEIR_OK);
            if (reached)
                ck_assert_uint_eq(weir_graph_task_count(graph), 0);
            weir_body_release(held);
            weir_graph_destroy(child);
            weir_graph_destroy(middle);
            weir_graph_destroy(graph);
            if (!reached)
                break;
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/compose");
    TCase *cases = tcase_create("compose");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, child_stands_between_an_entry_and_its_handle);
    tcase_add_test(cases, handle_stands_for_all_tasks_both_ways);
    tcase_add_test(cases, handle_stands_for_all_tasks_from_frame_to_frame);
    tcase_add_test(cases, accesses_order_child_and_parent);
    tcase_add_test(cases, repeat_unrolls_and_accesses_order_the_rounds);
    tcase_add_test(cases, rounds_that_share_nothing_run_at_once);
    tcase_add_test(cases, one_round_is_numbered_and_no_round_is_the_handle_alone);
    tcase_add_test(cases, explicit_graph_is_told_the_childs_derived_edges);
    tcase_add_test(cases, explicit_rounds_wait_for_the_round_before);
    tcase_add_test(cases, nested_handles_stand_for_what_they_did);
    tcase_add_test(cases, options_of_a_handle_are_those_of_all_but_for_the_name);
    tcase_add_test(cases, everything_a_task_has_comes_along);
    tcase_add_test(cases, child_may_be_changed_or_destroyed_afterwards);
    tcase_add_test(cases, senseless_children_are_refused_by_name);
    tcase_add_test(cases, child_that_is_added_by_half_changes_nothing);
    tcase_add_test(cases, no_memory_anywhere_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
