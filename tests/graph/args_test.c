/* args_test.c - what args.c promises: which arguments are refused, and what is kept of the others. */
#include "graph/refused.h"

START_TEST(senseless_arguments_are_refused_by_number)
{
    static unsigned char large[65537];
    weir_arg odd = WEIR_READ(local), hidden_value = weir_hidden(WEIR_VALUE(half));
    odd.mode = 6;
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_READ(NULL)), "task 'host'", "argument 0 names no buffer");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_VALUE(half), WEIR_PARAM(NULL)), "task 'host'", "argument 1 names no param");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_VALUE(half), odd), "task 'host'", "argument 1 has the unknown mode 6");
    REFUSED(WEIR_ERR_INVALID, HOST(hidden_value), "task 'host'", "argument 0 is hidden, but only buffers can be");
    REFUSED(WEIR_ERR_INVALID, HOST(weir_hidden(WEIR_PARAM(gain))), "argument 0 is hidden, but only buffers can be");
    REFUSED(WEIR_ERR_INVALID, HOST(weir_arg_of(WEIR_ARG_VALUE, NULL, NULL, NULL, 4)), "argument 0 is no value of 1 to 65536 bytes");
    REFUSED(WEIR_ERR_INVALID, HOST(weir_arg_of(WEIR_ARG_VALUE, NULL, NULL, large, 0)), "argument 0 is no value of 1 to 65536 bytes");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_WRITE(out), WEIR_DECISION), "task 'host': argument 1 is a WEIR_DECISION, which kernels alone can take, and it is a host task");
    REFUSED(WEIR_ERR_INVALID, KERNEL(WEIR_DECISION, WEIR_WRITE(device), WEIR_DECISION), "task 'jacobi': arguments 0 and 2 are both WEIR_DECISION: a round is decided once");
    REFUSED(WEIR_ERR_INVALID, KERNEL(weir_hidden(WEIR_DECISION)), "task 'jacobi': argument 0 is hidden, but only buffers can be");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_VALUE(large)), "argument 0 is no value of 1 to 65536 bytes");
    REFUSED(WEIR_ERR_INVALID, task_add(g, "host", (weir_args){NULL, 1}), "task 'host'", "the arguments are NULL");
    REFUSED(WEIR_ERR_INVALID, task_add(g, "host", (weir_args){&odd, 65536}), "task 'host'", "65536 arguments, at most 65535");
}
END_TEST

START_TEST(tasks_that_cannot_reach_a_place_are_told_to_copy)
{
    static const weir_native native = {.name = "cufft"};
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_READ(device)), "task 'host'",
            "a host task cannot touch buffer 'device', which is WEIR_DEVICE: copy it first");
    REFUSED(WEIR_ERR_INVALID, KERNEL(WEIR_READ(in), WEIR_WRITE(local)), "task 'jacobi'",
            "a kernel task cannot touch buffer 'local', which is WEIR_HOST_LOCAL: copy it first");
    REFUSED(WEIR_ERR_INVALID, weir_add_native(g, &native, NULL, WEIR_ARGS(WEIR_READ(local))), "task 'cufft'", "a native task",
            "copy it first");
    REFUSED(WEIR_ERR_INVALID, weir_add_copy(g, "c", WEIR_WRITE(out), WEIR_READ(local)), "task 'c'", "a copy task", "copy it first");
    REFUSED(WEIR_ERR_INVALID, weir_add_fill(g, "f", WEIR_WRITE(local), &half, 4), "task 'f'", "a fill task", "copy it first");
    weir_graph *g = graph_make(0);
    KERNEL(WEIR_WRITE(device), WEIR_READ(in), WEIR_WRITE(out));
    HOST(WEIR_READ(in), WEIR_READ_WRITE(out), WEIR_WRITE(local));
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(boxes_past_the_end_are_refused_with_both_extents)
{
    const weir_box past[] = {{1, 0, 0, 16, 8, 1},         {0, 1, 0, 16, 8, 1},         {0, 0, 1, 16, 8, 1},
                             {0, 0, 0, 17, 1, 1},         {16, 0, 0, 1, 1, 1},         {5, 0, 0, 0, 1, 1},
                             {UINT32_MAX, 0, 0, 1, 0, 0}, {1, 0, 0, UINT32_MAX, 0, 0}, {0, 0, 0, 1, UINT32_MAX, 0}};
    for (size_t i = 0; i < sizeof past / sizeof *past; i++)
        REFUSED(WEIR_ERR_INVALID, KERNEL(weir_part(WEIR_WRITE(device), past[i])), "task 'jacobi'",
                "is empty or past the end of buffer 'device' of 16 x 8 x 1");
    REFUSED(WEIR_ERR_INVALID, KERNEL(weir_part(WEIR_WRITE(device), (weir_box){1, 2, 0, 3, 7, 1})), "box at (1, 2, 0) of 3 x 7 x 1");
    weir_graph *g = graph_make(0);
    KERNEL(weir_part(WEIR_WRITE(device), (weir_box){15, 7, 0, 1, 1, 1}));
    KERNEL(weir_part(WEIR_WRITE(device), (weir_box){0, 0, 0, 16, 8, 0}));
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(earlier_frames_are_only_there_in_rings_and_only_to_read)
{
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_PREVIOUS(local, 1)), "task 'host'", "buffer 'local' keeps no earlier frames: give it copies");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_PREVIOUS(ring, 0)), "task 'host'", "say WEIR_READ");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_PREVIOUS(automatic, 70000)), "task 'host'") /* no 16-bit remainder of it */;
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_PREVIOUS(ring, 3)), "task 'host'", "'ring' of 3 frames ago needs 4 copies, it has 3");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_PREVIOUS(ring, 0)), "task 'host'", "'ring' of 0 frames ago is this frame's: say WEIR_READ");
    REFUSED(WEIR_ERR_INVALID, HOST(WEIR_PREVIOUS(ring, 65537)), "of so many frames ago, at most 65534"); /* and not of 1 */
    REFUSED(WEIR_ERR_INVALID, HOST(weir_back(WEIR_WRITE(ring), 1)), "task 'host'", "earlier frames' copies of 'ring' can only be read");
    REFUSED(WEIR_ERR_INVALID, HOST(weir_back(WEIR_READ_WRITE(ring), 1)), "can only be read");
    REFUSED(WEIR_ERR_INVALID, HOST(weir_back(WEIR_REDUCE(ring), 1)), "can only be read");
    weir_graph *g = graph_make(0);
    HOST(WEIR_PREVIOUS(ring, 2), WEIR_PREVIOUS(automatic, 40));
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    ck_assert_uint_eq(weir_graph_body(g)->buffers.at[1].furthest_back, 40);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(values_are_copied_and_aligned)
{
    weir_graph *g = graph_make(0);
    char small = 'a';
    double large = 1.5;
    task_add(g, "t", WEIR_ARGS(WEIR_VALUE(small), WEIR_VALUE(large)));
    small = 'b';
    large = 2.5;
    const weir_body *body = weir_graph_body(g);
    ck_assert_int_eq(body->values.at[body->args.at[0].index], 'a');
    ck_assert_uint_eq(body->args.at[1].index % 16, 0);
    memcpy(&large, body->values.at + body->args.at[1].index, sizeof large);
    ck_assert_double_eq(large, 1.5);
    weir_graph_destroy(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/args");
    TCase *cases = tcase_create("args");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, senseless_arguments_are_refused_by_number);
    tcase_add_test(cases, tasks_that_cannot_reach_a_place_are_told_to_copy);
    tcase_add_test(cases, boxes_past_the_end_are_refused_with_both_extents);
    tcase_add_test(cases, earlier_frames_are_only_there_in_rings_and_only_to_read);
    tcase_add_test(cases, values_are_copied_and_aligned);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
