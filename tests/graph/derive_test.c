/* derive_test.c - what derive.c promises: which edges accesses give, and what must be written first. */
#include "graph/refused.h"

/*            +-> left --+
 *   writer --|          |-> again
 *            +-> right -+                */
START_TEST(readers_follow_their_writer_and_the_next_writer_follows_them)
{
    weir_graph *g = graph_make(0);
    task_add(g, "writer", WEIR_ARGS(WEIR_WRITE(local)));
    task_add(g, "left", WEIR_ARGS(WEIR_READ(local)));
    task_add(g, "right", WEIR_ARGS(WEIR_READ(local)));
    task_add(g, "again", WEIR_ARGS(WEIR_WRITE(local)));
    edges_are(g, "writer>left writer>right left>again right>again");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(updates_in_place_are_a_chain)
{
    weir_graph *g = graph_make(0);
    task_add(g, "a", WEIR_ARGS(WEIR_READ_WRITE(local)));
    task_add(g, "b", WEIR_ARGS(WEIR_READ_WRITE(local)));
    task_add(g, "c", WEIR_ARGS(WEIR_READ_WRITE(local)));
    edges_are(g, "a>b b>c");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(reduces_are_at_once_between_writer_and_reader)
{
    weir_graph *g = graph_make(0);
    task_add(g, "clear", WEIR_ARGS(WEIR_WRITE(local)));
    task_add(g, "one", WEIR_ARGS(WEIR_REDUCE(local)));
    task_add(g, "two", WEIR_ARGS(WEIR_REDUCE(local)));
    task_add(g, "sum", WEIR_ARGS(WEIR_READ(local)));
    task_add(g, "three", WEIR_ARGS(WEIR_REDUCE(local)));
    edges_are(g, "clear>one clear>two one>sum two>sum sum>three");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(boxes_that_do_not_meet_give_no_edge)
{
    weir_graph *g = graph_make(0);
    task_add(g, "left", WEIR_ARGS(weir_part(WEIR_WRITE(local), (weir_box){.nx = 8})));
    task_add(g, "right", WEIR_ARGS(weir_part(WEIR_WRITE(local), (weir_box){.x = 8, .nx = 8})));
    task_add(g, "of left", WEIR_ARGS(weir_part(WEIR_READ(local), (weir_box){.nx = 8})));
    task_add(g, "of both", WEIR_ARGS(weir_part(WEIR_READ(local), (weir_box){.x = 7, .nx = 2})));
    edges_are(g, "left>of left left>of both right>of both");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(halo_reader_follows_only_its_neighbours)
{
    static const char *const writers[] = {"w0", "w1", "w2", "w3"};
    weir_graph *g = graph_make(0);
    for (uint32_t i = 0; i < 4; i++)
        task_add(g, writers[i], WEIR_ARGS(weir_part(WEIR_WRITE(local), (weir_box){.x = 4 * i, .nx = 4})));
    task_add(g, "r1", WEIR_ARGS(weir_part(WEIR_READ(local), (weir_box){.x = 3, .nx = 6})));
    task_add(g, "next w3", WEIR_ARGS(weir_part(WEIR_WRITE(local), (weir_box){.x = 12, .nx = 4})));
    edges_are(g, "w0>r1 w1>r1 w2>r1 w3>next w3");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(two_buffers_give_one_edge)
{
    weir_graph *g = graph_make(0);
    task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local), WEIR_WRITE(out)));
    task_add(g, "b", WEIR_ARGS(WEIR_READ(out), WEIR_READ(local), WEIR_READ(out)));
    edges_are(g, "a>b");
    ck_assert_uint_eq(weir_graph_body(g)->derived.count, 1);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(derived_edges_are_kept_in_ascending_order)
{
    static const char *const writers[] = {"w0", "w1", "w2", "w3"};
    weir_graph *g = graph_make(0);
    for (uint32_t i = 0; i < 4; i++)
        task_add(g, writers[i], WEIR_ARGS(weir_part(WEIR_WRITE(local), (weir_box){.x = 4 * i, .nx = 4})));
    task_add(g, "r",
             WEIR_ARGS(weir_part(WEIR_READ(local), (weir_box){.x = 12, .nx = 4}), weir_part(WEIR_READ(local), (weir_box){.nx = 9})));
    const weir_body *body = weir_graph_body(g);
    ck_assert_uint_eq(weir_derived_end(body, 4) - body->tasks.at[4].derived_first, 4);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(body->derived.at[body->tasks.at[4].derived_first + i], i);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(earlier_frames_copies_give_no_edge_within_the_frame)
{
    weir_graph *g = graph_make(0);
    task_add(g, "a", WEIR_ARGS(WEIR_PREVIOUS(ring, 1), WEIR_WRITE(ring)));
    task_add(g, "b", WEIR_ARGS(WEIR_PREVIOUS(ring, 1)));
    task_add(g, "c", WEIR_ARGS(WEIR_READ(ring)));
    edges_are(g, "a>c");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(tasks_own_reads_come_before_its_writes)
{
    weir_graph *g = graph_make(0);
    task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local)));
    task_add(g, "b", WEIR_ARGS(WEIR_WRITE(local), WEIR_READ(local))); /* had it written first, its read would hide the write from c */
    task_add(g, "c", WEIR_ARGS(WEIR_READ(local)));
    task_add(
        g, "d",
        WEIR_ARGS(weir_part(WEIR_WRITE(local), (weir_box){.x = 2, .nx = 2}), weir_part(WEIR_READ(local), (weir_box){.x = 1, .nx = 4})));
    edges_are(g, "a>b b>c b>d c>d");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(tokens_order_and_hidden_arguments_count)
{
    weir_graph *g = graph_make(0);
    weir_buffer *token = buffer_of((weir_buffer_desc){.name = "token", .place = WEIR_HOST_LOCAL});
    task_add(g, "a", WEIR_ARGS(weir_hidden(WEIR_WRITE(token))));
    task_add(g, "b", WEIR_ARGS(weir_hidden(WEIR_READ(token))));
    task_add(g, "c", WEIR_ARGS(WEIR_READ(token)));
    task_add(g, "d", WEIR_ARGS(weir_hidden(WEIR_WRITE(token))));
    edges_are(g, "a>b a>c b>d c>d");
    weir_graph_destroy(g);
    weir_buffer_destroy(token);
}
END_TEST

START_TEST(copies_and_fills_touch_their_buffers)
{
    weir_graph *g = graph_make(0);
    weir_add_fill(g, "fill", WEIR_WRITE(device), &half, sizeof half);
    weir_add_copy(g, "row", weir_part(WEIR_WRITE(device), (weir_box){.y = 2, .nx = 16, .ny = 1}), WEIR_READ(in));
    weir_add_copy(g, "down", WEIR_WRITE(out), weir_part(WEIR_READ(device), (weir_box){.y = 2, .nx = 16, .ny = 1}));
    weir_add_copy(g, "elsewhere", WEIR_WRITE(out), weir_part(WEIR_READ(device), (weir_box){.y = 3, .nx = 16, .ny = 1}));
    edges_are(g, "fill>row row>down fill>elsewhere down>elsewhere");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(explicit_graph_derives_nothing)
{
    weir_graph *g = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_task a = task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local)));
    task_add(g, "b", WEIR_ARGS(WEIR_READ(local)));
    weir_task c = task_add(g, "c", WEIR_ARGS(WEIR_READ(ring)));
    task_add(g, "d", WEIR_ARGS(WEIR_WRITE(ring), WEIR_REDUCE(out))); /* merely checked when asked */
    weir_after(g, c, a);
    edges_are(g, "a>c");
    weir_graph_destroy(g);
}
END_TEST

/* Adding goes on: whether something comes before these tasks only a graph that they are added to can tell. */
static void touch_then_write(weir_graph *g, weir_arg touch, weir_buffer *buffer)
{
    weir_add_host(g, "early bird", do_nothing, NULL, WEIR_ARGS(touch));
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    weir_task writer = weir_add_host(g, "writer", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(buffer)));
    ck_assert_uint_eq(writer.number, 2);
    ck_assert_uint_eq(weir_graph_task_count(g), 2);
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_HAZARD);
}

static void too_early(weir_graph *graph, weir_arg first, weir_arg second, const char *text)
{
    task_add(graph, "host", second.mode == WEIR_ARG_VALUE ? WEIR_ARGS(first) : WEIR_ARGS(first, second));
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_HAZARD);
    says(weir_last_error(), text);
    weir_graph_destroy(graph);
}

START_TEST(touching_a_ring_before_it_is_written_names_both_remedies)
{
    weir_graph *g = graph_make(0);
    touch_then_write(g, WEIR_READ(ring), ring);
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_HAZARD);
    says(weir_last_error(), "task 'early bird' touches this frame's copy of ring 'ring' before anything writes it");
    says(weir_last_error(), "WEIR_PREVIOUS('ring', 1)");
    says(weir_last_error(), "give the buffer one copy and update it in place");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(first_of_those_who_touch_a_ring_too_early_is_named)
{
    weir_graph *g = graph_make(0);
    HOST(WEIR_READ(out)); /* touches something else */
    task_add(g, "first", WEIR_ARGS(WEIR_READ(ring)));
    task_add(g, "second", WEIR_ARGS(WEIR_READ(ring)));
    HOST(WEIR_WRITE(ring));
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_HAZARD);
    says(weir_last_error(), "task 'first'");
    weir_graph_destroy(g);
}
END_TEST

START_TEST(touching_a_part_or_in_the_same_task_is_no_better)
{
    too_early(graph_make(0), WEIR_READ_WRITE(ring), WEIR_VALUE(half), "task 'host' touches this frame's copy of ring 'ring'");
    too_early(graph_make(0), WEIR_WRITE(ring), WEIR_READ(ring), "task 'host' touches this frame's copy"); /* reads come first */
    weir_graph *graph = graph_make(0);
    touch_then_write(graph, weir_part(WEIR_READ(automatic), (weir_box){.x = 3, .nx = 1}), automatic);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_HAZARD);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(part_of_a_ring_that_nothing_wrote_is_no_better)
{
    weir_graph *g = graph_make(0);
    HOST(weir_part(WEIR_WRITE(ring), (weir_box){.nx = 8}));
    HOST(weir_part(WEIR_READ(ring), (weir_box){.x = 4, .nx = 4}));
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    weir_task t = weir_add_host(g, "past it", do_nothing, NULL, WEIR_ARGS(weir_part(WEIR_READ(ring), (weir_box){.x = 4, .nx = 5})));
    ck_assert_uint_eq(t.number, 3);
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_HAZARD);
    says(weir_last_error(), "task 'past it'");
    weir_graph_destroy(g);
}
END_TEST

/* A part that touches early by itself, where it stands behind a writer and where it does not. */
START_TEST(graph_that_the_tasks_are_added_to_decides_what_is_early)
{
    weir_graph *part = graph_make(0);
    task_add(part, "update", WEIR_ARGS(WEIR_READ_WRITE(ring)));
    task_add(part, "sum", WEIR_ARGS(WEIR_REDUCE(local)));
    ck_assert_int_eq(weir_graph_status(part), WEIR_ERR_HAZARD);
    says(weir_last_error(), "task 'update' touches"); /* the first */
    weir_graph *g = graph_make(0);
    HOST(WEIR_WRITE(ring), WEIR_WRITE(local));
    weir_add_graph(g, "part", part);
    ck_assert_msg(weir_graph_status(g) == WEIR_OK, "%s", weir_last_error());
    weir_graph_destroy(g);
    g = graph_make(0);
    HOST(WEIR_WRITE(ring));
    ck_assert_uint_ne(weir_add_graph(g, "part", part).number, 0);
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_HAZARD);
    says(weir_last_error(), "task 'part/sum' reduces into buffer 'local'");
    weir_after(g, (weir_task){0, 0}, (weir_task){0, 0}); /* a mistake of its own comes first */
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_INVALID);
    weir_graph_destroy(g);
    weir_graph_destroy(part);
}
END_TEST

START_TEST(rings_that_the_graph_or_the_program_only_hands_over_are_no_error)
{
    weir_graph *g = graph_make(0);
    weir_buffer *uploads =
        buffer_of((weir_buffer_desc){.name = "uploads", .element_bytes = 4, .nx = 16, .copies = 2, .place = WEIR_HOST_IN});
    HOST(WEIR_READ(ring)); /* nothing here writes it */
    HOST(WEIR_READ(uploads));
    HOST(WEIR_WRITE(uploads)); /* the program wrote it before */
    HOST(WEIR_PREVIOUS(automatic, 1));
    HOST(WEIR_WRITE(automatic)); /* an earlier copy was read, not this */
    HOST(WEIR_READ(local));
    HOST(WEIR_WRITE(local)); /* a plain buffer updated in place */
    ck_assert_msg(weir_graph_status(g) == WEIR_OK, "%s", weir_last_error());
    weir_graph_destroy(g);
    weir_buffer_destroy(uploads);
}
END_TEST

START_TEST(reduce_needs_something_to_combine_with)
{
    too_early(graph_make(0), WEIR_REDUCE(local), WEIR_VALUE(half),
              "task 'host' reduces into buffer 'local' before anything writes it in the frame: fill or write it first");
    weir_graph *g = graph_make(0);
    HOST(weir_part(WEIR_WRITE(local), (weir_box){.nx = 8}));
    HOST(weir_part(WEIR_REDUCE(local), (weir_box){.nx = 8}));
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    HOST(weir_part(WEIR_REDUCE(local), (weir_box){.x = 7, .nx = 2}));
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_HAZARD);
    weir_graph_destroy(g);
    g = graph_make(0);
    HOST(WEIR_REDUCE(in)); /* the program wrote it */
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    weir_graph_destroy(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/derive");
    TCase *cases = tcase_create("derive");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, readers_follow_their_writer_and_the_next_writer_follows_them);
    tcase_add_test(cases, updates_in_place_are_a_chain);
    tcase_add_test(cases, reduces_are_at_once_between_writer_and_reader);
    tcase_add_test(cases, boxes_that_do_not_meet_give_no_edge);
    tcase_add_test(cases, halo_reader_follows_only_its_neighbours);
    tcase_add_test(cases, two_buffers_give_one_edge);
    tcase_add_test(cases, derived_edges_are_kept_in_ascending_order);
    tcase_add_test(cases, earlier_frames_copies_give_no_edge_within_the_frame);
    tcase_add_test(cases, tasks_own_reads_come_before_its_writes);
    tcase_add_test(cases, tokens_order_and_hidden_arguments_count);
    tcase_add_test(cases, copies_and_fills_touch_their_buffers);
    tcase_add_test(cases, explicit_graph_derives_nothing);
    tcase_add_test(cases, touching_a_ring_before_it_is_written_names_both_remedies);
    tcase_add_test(cases, first_of_those_who_touch_a_ring_too_early_is_named);
    tcase_add_test(cases, touching_a_part_or_in_the_same_task_is_no_better);
    tcase_add_test(cases, part_of_a_ring_that_nothing_wrote_is_no_better);
    tcase_add_test(cases, graph_that_the_tasks_are_added_to_decides_what_is_early);
    tcase_add_test(cases, rings_that_the_graph_or_the_program_only_hands_over_are_no_error);
    tcase_add_test(cases, reduce_needs_something_to_combine_with);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
