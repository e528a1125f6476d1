/* declare_test.c - what declare.c promises: which tasks are refused, kind by kind. */
#include "graph/refused.h"
#include "util/counting.h"

START_TEST(null_graph_gives_null_tasks_and_a_text)
{
    weir_task none = {0, 0}, task;
    const struct {
        const char *call;
        weir_task task;
    } calls[] = {
        {"weir_add_kernel", weir_add_kernel(NULL, &kernel, (weir_shape){.grid = {1}}, weir_no_args())},
        {"weir_add_copy", weir_add_copy(NULL, "copy", WEIR_WRITE(out), WEIR_READ(in))},
        {"weir_add_fill", weir_add_fill(NULL, "fill", WEIR_WRITE(device), &half, 4)},
        {"weir_add_host", weir_add_host(NULL, "host", do_nothing, NULL, weir_no_args())},
        {"weir_add_native", weir_add_native(NULL, NULL, NULL, weir_no_args())},
        {"weir_add_empty", weir_add_empty(NULL, "empty")},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        ck_assert_uint_eq(calls[i].task.number, 0);
    task = weir_add_empty(NULL, "empty");
    ck_assert_uint_eq(task.number, 0);
    ck_assert_str_eq(weir_last_error(), "weir_add_empty: the graph is NULL");
    weir_after(NULL, none, none);
    ck_assert_str_eq(weir_last_error(), "weir_after: the graph is NULL");
    weir_after_previous(NULL, none, none, 1);
    ck_assert_str_eq(weir_last_error(), "weir_after_previous: the graph is NULL");
    weir_task_set(NULL, none, &(weir_task_options){.name = NULL});
    ck_assert_str_eq(weir_last_error(), "weir_task_set: the graph is NULL");
    ck_assert_int_eq(weir_graph_status(NULL), WEIR_ERR_INVALID);
    ck_assert_uint_eq(weir_graph_task_count(NULL), 0);
    ck_assert_ptr_null(weir_task_name(NULL, none));
    ck_assert_uint_eq(weir_graph_find(NULL, "a").number, 0);
    weir_graph_destroy(NULL);
}
END_TEST

START_TEST(tasks_without_name_or_code_are_refused)
{
    static const weir_kernel nameless = {.name = NULL};
    static const weir_native nameless_native = {.name = NULL};
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, NULL, (weir_shape){.grid = {1}}, weir_no_args()), "task '?'",
            "the kernel, or its name, is NULL");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &nameless, (weir_shape){.grid = {1}}, weir_no_args()), "the kernel, or its name, is NULL");
    REFUSED(WEIR_ERR_INVALID, weir_add_host(g, NULL, do_nothing, NULL, weir_no_args()), "a host task needs a name and a function");
    REFUSED(WEIR_ERR_INVALID, weir_add_host(g, "png", NULL, NULL, weir_no_args()), "task 'png'", "a host task needs a name and a function");
    REFUSED(WEIR_ERR_INVALID, weir_add_native(g, NULL, NULL, weir_no_args()), "the native, or its name, is NULL");
    REFUSED(WEIR_ERR_INVALID, weir_add_native(g, &nameless_native, NULL, weir_no_args()), "the native, or its name, is NULL");
    REFUSED(WEIR_ERR_INVALID, weir_add_empty(g, NULL), "an empty task needs a name");
    REFUSED(WEIR_ERR_INVALID, weir_add_copy(g, NULL, WEIR_WRITE(out), WEIR_READ(in)), "a copy needs a name");
    REFUSED(WEIR_ERR_INVALID, weir_add_fill(g, NULL, WEIR_WRITE(device), &half, 4), "a fill needs a name and a pattern");
}
END_TEST

START_TEST(shapes_that_no_device_takes_are_refused)
{
    const weir_args none = weir_no_args();
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.block = {1025}}, none), "task 'jacobi'",
            "more than 1024 threads in a block");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.block = {32, 33}}, none), "more than 1024 threads");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.block = {65536, 65536, 65536}}, none), "more than 1024 threads");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.grid = {0x80000000u}}, none), "the grid is too large",
            "2147483647 x 65535 x 65535");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.grid = {1, 65536}}, none), "the grid is too large");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.grid = {1, 1, 65536}}, none), "the grid is too large");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.grid = {6}, .cluster = {4}}, none), "task 'jacobi'",
            "no multiple of the cluster");
    REFUSED(WEIR_ERR_INVALID, weir_add_kernel(g, &kernel, (weir_shape){.grid = {6}, .cluster = {2, 2}}, none),
            "no multiple of the cluster");
    weir_graph *graph = graph_make(0);
    weir_add_kernel(graph, &kernel, (weir_shape){.grid = {0x7fffffffu, 65535, 65535}, .block = {1024}}, none);
    weir_add_kernel(graph, &kernel, (weir_shape){.grid = {6, 6}, .cluster = {3, 2}}, none);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_OK);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(zeros_of_a_shape_read_as_one)
{
    weir_graph *graph = graph_make(0);
    weir_add_kernel(graph, &kernel, (weir_shape){.grid = {5}, .shared_bytes = 7}, weir_no_args());
    weir_shape kept = weir_graph_body(graph)->shapes.at[0], expected = {{5, 1, 1}, {1, 1, 1}, {1, 1, 1}, 7};
    ck_assert_mem_eq(&kept, &expected, sizeof kept);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(senseless_copies_are_refused)
{
#define COPY(to, from) weir_add_copy(g, "c", to, from)
    const weir_box left = {.nx = 8, .ny = 8}, right = {.x = 8, .nx = 8, .ny = 8}, middle = {.x = 4, .nx = 8, .ny = 8};
    REFUSED(WEIR_ERR_INVALID, COPY(WEIR_READ(device), WEIR_WRITE(in)), "task 'c'", "a WEIR_WRITE and a WEIR_READ, in this order");
    REFUSED(WEIR_ERR_INVALID, COPY(WEIR_READ_WRITE(device), WEIR_READ(in)), "a WEIR_WRITE and a WEIR_READ");
    REFUSED(WEIR_ERR_INVALID, COPY(WEIR_WRITE(NULL), WEIR_READ(in)), "task 'c'", "needs two buffers, one is NULL");
    REFUSED(WEIR_ERR_INVALID, COPY(WEIR_WRITE(out), WEIR_READ(NULL)), "needs two buffers, one is NULL");
    REFUSED(WEIR_ERR_INVALID, COPY(weir_hidden(WEIR_WRITE(out)), WEIR_READ(in)), "cannot be hidden");
    REFUSED(WEIR_ERR_INVALID, COPY(WEIR_WRITE(wide), WEIR_READ(device)), "elements of different size");
    REFUSED(WEIR_ERR_INVALID, COPY(WEIR_WRITE(device), WEIR_READ(in)), "the two boxes have different extents");
    REFUSED(WEIR_ERR_INVALID, COPY(weir_part(WEIR_WRITE(device), left), weir_part(WEIR_READ(device), middle)), "the two boxes overlap");
    REFUSED(WEIR_ERR_INVALID, COPY(WEIR_WRITE(device), WEIR_READ(device)), "the two boxes overlap");
    REFUSED(WEIR_ERR_INVALID,
            COPY(weir_part(WEIR_WRITE(device), (weir_box){.x = 9, .nx = 8}), weir_part(WEIR_READ(in), (weir_box){.nx = 8})),
            "past the end of buffer 'device'");
    weir_graph *g = graph_make(0);
    COPY(WEIR_WRITE(out), WEIR_READ(in));
    COPY(weir_part(WEIR_WRITE(device), left), weir_part(WEIR_READ(device), right));
    COPY(weir_part(WEIR_WRITE(device), (weir_box){.ny = 1, .nx = 16}), WEIR_READ(in));
    weir_buffer *state = buffer_of((weir_buffer_desc){.name = "state", .element_bytes = 4, .nx = 16, .copies = 2});
    COPY(WEIR_WRITE(state), WEIR_PREVIOUS(state, 1)); /* another copy of the same buffer */
    weir_buffer_destroy(state);
    ck_assert_msg(weir_graph_status(g) == WEIR_OK, "%s", weir_last_error());
    weir_graph_destroy(g);
}
END_TEST

START_TEST(senseless_fills_are_refused)
{
#define FILL(to, pattern_bytes) weir_add_fill(g, "f", to, "pattern", pattern_bytes)
    REFUSED(WEIR_ERR_INVALID, weir_add_fill(g, "f", WEIR_WRITE(device), NULL, 4), "task 'f'", "a fill needs a name and a pattern");
    REFUSED(WEIR_ERR_INVALID, FILL(WEIR_WRITE(device), 3), "task 'f'", "the pattern must have 1, 2 or 4 bytes");
    REFUSED(WEIR_ERR_INVALID, FILL(WEIR_WRITE(device), 0), "the pattern must have 1, 2 or 4 bytes");
    REFUSED(WEIR_ERR_INVALID, FILL(WEIR_WRITE(device), 8), "the pattern must have 1, 2 or 4 bytes");
    REFUSED(WEIR_ERR_INVALID, FILL(WEIR_READ_WRITE(device), 4), "a fill takes a WEIR_WRITE of a buffer");
    REFUSED(WEIR_ERR_INVALID, FILL(WEIR_WRITE(NULL), 4), "a fill takes a WEIR_WRITE of a buffer");
    REFUSED(WEIR_ERR_INVALID, FILL(weir_hidden(WEIR_WRITE(device)), 4), "a fill takes a WEIR_WRITE of a buffer");
    REFUSED(WEIR_ERR_INVALID, FILL(weir_part(WEIR_WRITE(wide), (weir_box){.nx = 2}), 4), "the box's rows are no multiples of the pattern");
    REFUSED(WEIR_ERR_INVALID, FILL(weir_part(WEIR_WRITE(wide), (weir_box){.x = 1, .nx = 3}), 2),
            "the box's rows are no multiples of the pattern");
    weir_graph *g = graph_make(0);
    FILL(weir_part(WEIR_WRITE(wide), (weir_box){.x = 1, .nx = 4}), 4); /* a pattern begins anew with each row, wherever that begins */
    FILL(weir_part(WEIR_WRITE(wide), (weir_box){.x = 1, .nx = 1}), 1);
    ck_assert_int_eq(weir_graph_status(g), WEIR_OK);
    uint32_t kept = weir_graph_body(g)->tasks.at[1].with.pattern.value;
    ck_assert_mem_eq(&kept, "pppp", 4); /* a short pattern is repeated to four bytes */
    weir_graph_destroy(g);
}
END_TEST

static weir_status declare_a_little_of_everything(weir_graph *g)
{
    for (uint32_t i = 0; i < 40; i++) {
        weir_task t = task_add(
            g, "tile", WEIR_ARGS(weir_part(WEIR_WRITE(local), (weir_box){.x = i % 16, .nx = 1}), WEIR_VALUE(half), WEIR_PARAM(gain)));
        weir_task u = weir_add_kernel(g, &kernel, (weir_shape){.grid = {1}}, WEIR_ARGS(WEIR_READ_WRITE(device), WEIR_READ(in)));
        weir_after(g, u, t);
        weir_after_previous(g, t, u, 1);
        weir_task_set(g, u, &(weir_task_options){.group = "group"});
        if (i % 10 == 9)
            task_add(g, "all", WEIR_ARGS(WEIR_READ(local)));
    }
    return weir_graph_status(g);
}

START_TEST(no_memory_anywhere_is_told_and_leaves_nothing)
{
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (long fail_at = 1;; fail_at++) {
            weir_graph *g = NULL;
            counting_start(fail_at, fail_on);
            weir_status status = weir_graph_create("g", 0, &g);
            if (status == WEIR_OK)
                status = declare_a_little_of_everything(g);
            bool reached = atomic_load(&counting_asked) >= fail_at;
            counting_relent();
            weir_graph_destroy(g);
            ck_assert_msg(status == (reached ? WEIR_ERR_NO_MEMORY : WEIR_OK), "request %ld fails: %s", fail_at, weir_status_name(status));
            ck_assert_msg(atomic_load(&counting_live) == 0, "request %ld fails: %ld allocations are left", fail_at,
                          atomic_load(&counting_live));
            if (!reached)
                break;
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/declare");
    TCase *cases = tcase_create("declare");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, null_graph_gives_null_tasks_and_a_text);
    tcase_add_test(cases, tasks_without_name_or_code_are_refused);
    tcase_add_test(cases, shapes_that_no_device_takes_are_refused);
    tcase_add_test(cases, zeros_of_a_shape_read_as_one);
    tcase_add_test(cases, senseless_copies_are_refused);
    tcase_add_test(cases, senseless_fills_are_refused);
    tcase_add_test(cases, no_memory_anywhere_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
