/* graph_test.c - what graph.c promises: what is refused, and with which words; which edges accesses give; who may change what. */
#include "graph/graph.h"
#include "graph/declare.h"
#include "util/counting.h"

static const weir_kernel kernel = {.name = "jacobi"};

/* Buffers of each kind, the same for every case. */
static weir_buffer *device, *in, *out, *local, *ring, *automatic, *wide;
static weir_param *gain;
static float half = 0.5f;

static void set_up(void)
{
    device = buffer_of((weir_buffer_desc){.name = "device", .element_bytes = 4, .nx = 16, .ny = 8});
    in = buffer_of((weir_buffer_desc){.name = "in", .element_bytes = 4, .nx = 16, .place = WEIR_HOST_IN});
    out = buffer_of((weir_buffer_desc){.name = "out", .element_bytes = 4, .nx = 16, .place = WEIR_HOST_OUT});
    local = buffer_make("local", 1);
    ring = buffer_make("ring", 3);
    automatic = buffer_make("automatic", WEIR_RING_AUTO);
    wide = buffer_of((weir_buffer_desc){.name = "wide", .element_bytes = 3, .nx = 16, .ny = 8});
    ck_assert_int_eq(weir_param_create("gain", &half, sizeof half, &gain), WEIR_OK);
}

static void tear_down(void)
{
    weir_buffer *all[] = {device, in, out, local, ring, automatic, wide};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        weir_buffer_destroy(all[i]);
    weir_param_destroy(gain);
}

/* Evaluates `call`, which declares something in graph `g`, and wants it refused with this status and a text that says all of this. */
#define REFUSED(status, call, ...)                                                                                                         \
    do {                                                                                                                                   \
        weir_graph *g = graph_make(0);                                                                                                     \
        weir_task refused_task = call;                                                                                                     \
        check_refused(g, refused_task, status, (const char *const[]){__VA_ARGS__, NULL});                                                  \
    } while (0)

static void check_refused(weir_graph *graph, weir_task task, weir_status status, const char *const *texts)
{
    const weir_body *body = weir_graph_body(graph);
    ck_assert_uint_eq(task.number, 0);
    ck_assert_uint_eq(task.graph, 0);
    ck_assert_uint_eq(weir_graph_task_count(graph), 0);
    ck_assert_uint_eq(body->args.count, 0);
    ck_assert_uint_eq(body->boxes.count, 0);
    ck_assert_uint_eq(body->shapes.count, 0);
    ck_assert_uint_eq(body->values.count, 0);
    ck_assert_int_eq(weir_graph_status(graph), status);
    for (; *texts; texts++)
        says(weir_last_error(), *texts);
    weir_graph_destroy(graph);
}

/* ---- graphs ---- */

START_TEST(graph_needs_a_name_and_known_flags)
{
    weir_graph *untouched = (weir_graph *)&untouched, *graph = untouched;
    ck_assert_int_eq(weir_graph_create(NULL, 0, &graph), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_create("g", 0, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_create("g", 2, &graph), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "graph 'g': unknown flags 0x2");
    ck_assert_ptr_eq(graph, untouched);
}
END_TEST

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

/* ---- what is refused ---- */

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

#define KERNEL(...) weir_add_kernel(g, &kernel, (weir_shape){.grid = {1}}, WEIR_ARGS(__VA_ARGS__))
#define HOST(...) task_add(g, "host", WEIR_ARGS(__VA_ARGS__))

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

static weir_task touch_then_write(weir_graph *g, weir_arg touch, weir_buffer *buffer)
{
    weir_task toucher = weir_add_host(g, "early bird", do_nothing, NULL, WEIR_ARGS(touch));
    ck_assert_uint_ne(toucher.number, 0);
    weir_task writer = weir_add_host(g, "writer", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(buffer)));
    ck_assert_uint_eq(writer.number, 0);
    ck_assert_uint_eq(weir_graph_task_count(g), 1);
    return writer;
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
    REFUSED(WEIR_ERR_HAZARD, HOST(WEIR_READ_WRITE(ring)), "task 'host' touches this frame's copy of ring 'ring'");
    REFUSED(WEIR_ERR_HAZARD, HOST(WEIR_WRITE(ring), WEIR_READ(ring)), "task 'host' touches this frame's copy"); /* reads come first */
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
    ck_assert_uint_eq(t.number, 0);
    ck_assert_int_eq(weir_graph_status(g), WEIR_ERR_HAZARD);
    says(weir_last_error(), "task 'past it'");
    weir_graph_destroy(g);
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
    REFUSED(WEIR_ERR_HAZARD, HOST(WEIR_REDUCE(local)), "task 'host' reduces into buffer 'local' before anything writes it",
            "fill or write it first");
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

START_TEST(edges_to_null_and_foreign_tasks_are_refused)
{
    weir_graph *graph = graph_make(0), *other = graph_make(0);
    weir_task none = {0, 0}, mine = weir_add_empty(graph, "mine"), foreign = weir_add_empty(other, "foreign"), past = {99, mine.graph};
    weir_after(graph, mine, foreign);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    ck_assert_str_eq(weir_last_error(), "weir_after with 'mine': the earlier task is of another graph");
    weir_after(graph, none, mine); /* the first error sticks, each is in its call's last error */
    ck_assert_str_eq(weir_last_error(), "weir_after with 'mine': the later task is the null task");
    weir_after_previous(graph, past, mine, 1);
    ck_assert_str_eq(weir_last_error(), "weir_after with 'mine': the later task is none of this graph");
    weir_after(graph, none, foreign);
    says(weir_last_error(), "'?'");
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "of another graph");
    ck_assert_uint_eq(weir_graph_body(graph)->explicits.count, 0);
    ck_assert_uint_eq(weir_graph_body(graph)->explicits_carried.count, 0);
    weir_graph_destroy(graph);
    weir_graph_destroy(other);
}
END_TEST

START_TEST(edge_to_itself_is_a_cycle_and_distance_zero_no_distance)
{
    weir_graph *graph = graph_make(0);
    weir_task t = weir_add_empty(graph, "t");
    weir_after(graph, t, t);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_CYCLE);
    ck_assert_str_eq(weir_last_error(), "cycle: 't' -> 't'");
    weir_graph_destroy(graph);
    graph = graph_make(0);
    t = weir_add_empty(graph, "t");
    weir_after_previous(graph, t, t, 1); /* a task may follow itself from frame to frame */
    ck_assert_int_eq(weir_graph_status(graph), WEIR_OK);
    weir_after_previous(graph, t, t, 0);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "'t': a distance of 0 frames, use weir_after");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(senseless_options_are_refused_by_name)
{
    const struct {
        weir_task_options options;
        const char *text;
    } bad[] = {
        {{.cost_ns = -1}, "task 't': the cost is negative or no number"},
        {{.cost_ns = 0.0 / 0.0}, "task 't': the cost is negative or no number"},
        {{.cost_ns = 1.0 / 0.0}, "task 't': the cost is negative or no number"},
        {{.share = 1.5f}, "task 't': the share is not from 0 to 1"},
        {{.share = -0.5f}, "task 't': the share is not from 0 to 1"},
        {{.share = (float)(0.0 / 0.0)}, "task 't': the share is not from 0 to 1"},
        {{.device = 1}, "task 't': there is only device 0"},
        {{.flags = 1}, "task 't': unknown flags"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_graph *graph = graph_make(0);
        weir_task_options with_name = bad[i].options;
        with_name.name = "renamed";
        weir_task_set(graph, weir_add_empty(graph, "t"), &with_name);
        ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
        ck_assert_str_eq(weir_last_error(), bad[i].text);
        ck_assert_str_eq(weir_graph_body(graph)->tasks.at[0].name, "t");
        weir_graph_destroy(graph);
    }
    weir_graph *graph = graph_make(0);
    weir_task_set(graph, (weir_task){0, 0}, &(weir_task_options){.name = "a"});
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "the null task, or one of another graph");
    weir_graph_destroy(graph);
    graph = graph_make(0);
    weir_task_set(graph, weir_add_empty(graph, "t"), NULL);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "the options are NULL");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(options_are_kept)
{
    weir_graph *graph = graph_make(0);
    weir_task t = task_add(graph, "t", weir_no_args());
    weir_task_set(graph, t,
                  &(weir_task_options){.group = "solve", .priority = -7, .cost_ns = 1500, .share = 0.25f, .flags = WEIR_TASK_REENTRANT});
    const weir_task_record *record = &weir_graph_body(graph)->tasks.at[0];
    ck_assert_str_eq(record->name, "t");
    ck_assert_str_eq(weir_task_group(weir_graph_body(graph), record), "solve");
    ck_assert_int_eq(record->priority, -7);
    ck_assert(record->cost_ns == 1500.0f && record->share == 0.25f && record->flags == WEIR_TASK_REENTRANT);
    weir_task_set(graph, t, &(weir_task_options){.name = "u"}); /* replaces them all */
    record = &weir_graph_body(graph)->tasks.at[0];
    ck_assert_str_eq(record->name, "u");
    ck_assert_ptr_null(weir_task_group(weir_graph_body(graph), record));
    ck_assert(record->priority == 0 && record->cost_ns == 0 && record->share == 0 && record->flags == 0);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(first_error_sticks)
{
    weir_graph *graph = graph_make(0);
    weir_add_empty(graph, "good");
    task_add(graph, "first bad", WEIR_ARGS(WEIR_READ(NULL)));
    task_add(graph, "second bad", WEIR_ARGS(WEIR_PREVIOUS(local, 1)));
    says(weir_last_error(), "second bad");
    weir_add_empty(graph, "good again");
    weir_graph *unrelated = NULL;
    ck_assert_int_eq(weir_graph_create(NULL, 0, &unrelated), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "first bad");
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "first bad");
    names_are(graph, "good"); /* nothing is added after it */
    weir_graph_destroy(graph);
}
END_TEST

/* ---- edges from accesses ---- */

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
    task_add(g, "r", WEIR_ARGS(weir_part(WEIR_READ(local), (weir_box){.x = 12, .nx = 4}), weir_part(WEIR_READ(local), (weir_box){.nx = 9})));
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

START_TEST(explicit_edges_join_the_derived_ones)
{
    weir_graph *g = graph_make(0);
    weir_task a = task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local))), b = task_add(g, "b", WEIR_ARGS(WEIR_READ(local)));
    weir_task c = task_add(g, "c", WEIR_ARGS(WEIR_READ(out)));
    weir_after(g, c, a);
    weir_after(g, b, c);
    edges_are(g, "a>b c>b a>c");
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

/* ---- names ---- */

START_TEST(first_of_a_name_is_found_as_tasks_come_and_change)
{
    weir_graph *g = graph_make(0);
    ck_assert_uint_eq(weir_graph_find(g, "a").number, 0);
    weir_task a = weir_add_empty(g, "a"), b = weir_add_empty(g, "b");
    weir_add_empty(g, "a");
    ck_assert_uint_eq(weir_graph_find(g, "a").number, a.number);
    ck_assert_uint_eq(weir_graph_find(g, "a").graph, a.graph);
    ck_assert_uint_eq(weir_graph_find(g, "b").number, b.number);
    ck_assert_uint_eq(weir_graph_find(g, "c").number, 0);
    weir_task c = weir_add_empty(g, "c");
    ck_assert_uint_eq(weir_graph_find(g, "c").number, c.number);
    weir_task_set(g, a, &(weir_task_options){.name = "z"});
    ck_assert_uint_eq(weir_graph_find(g, "z").number, a.number);
    ck_assert_uint_eq(weir_graph_find(g, "a").number, 3);
    ck_assert_uint_eq(weir_graph_find(g, NULL).number, 0);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(finding_without_memory_is_slow_not_wrong)
{
    counting_start(0, 0);
    weir_graph *g = graph_make(0);
    weir_task a = weir_add_empty(g, "a"), b = weir_add_empty(g, "b");
    counting_start(1, 1);
    ck_assert_uint_eq(weir_graph_find(g, "b").number, b.number);
    ck_assert_uint_eq(weir_graph_find(g, "a").number, a.number);
    ck_assert_uint_eq(weir_graph_find(g, "c").number, 0);
    counting_relent();
    ck_assert_uint_eq(weir_graph_find(g, "b").number, b.number);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(names_are_told_for_own_tasks_only)
{
    weir_graph *g = graph_make(0), *other = graph_make(0);
    weir_task a = weir_add_empty(g, "a");
    ck_assert_str_eq(weir_task_name(g, a), "a");
    ck_assert_ptr_null(weir_task_name(other, a));
    ck_assert_ptr_null(weir_task_name(g, (weir_task){0, 0}));
    ck_assert_ptr_null(weir_task_name(g, (weir_task){2, a.graph}));
    ck_assert_str_eq(weir_task_name(g, weir_add_kernel(g, &kernel, (weir_shape){.grid = {1}}, weir_no_args())), "jacobi");
    weir_graph_destroy(g);
    weir_graph_destroy(other);
}
END_TEST

/* ---- what a plan shares ---- */

START_TEST(whoever_holds_the_declaration_sees_no_later_change)
{
    weir_graph *g = graph_make(0);
    weir_task a = task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local), WEIR_VALUE(half)));
    weir_body *held = weir_body_hold(weir_graph_body(g)); /* as a plan does */
    weir_task b = task_add(g, "b", WEIR_ARGS(WEIR_READ(local), WEIR_READ(out)));
    weir_task_set(g, a, &(weir_task_options){.name = "changed", .group = "late", .priority = 5});
    weir_after(g, b, a);
    weir_after_previous(g, a, b, 1);
    edges_are(g, "changed>b");
    ck_assert_uint_eq(held->id, a.graph);
    ck_assert_uint_eq(held->tasks.count, 1);
    ck_assert_str_eq(held->tasks.at[0].name, "a");
    ck_assert_int_eq(held->tasks.at[0].priority, 0);
    ck_assert_uint_eq(held->groups.count, 0);
    ck_assert_uint_eq(held->buffers.count, 1);
    ck_assert_uint_eq(held->explicits.count, 0);
    ck_assert_uint_eq(held->explicits_carried.count, 0);
    weir_graph_destroy(g);
    float value;
    memcpy(&value, held->values.at + held->args.at[1].index, sizeof value);
    ck_assert(value == half);
    ck_assert_str_eq(held->buffers.at[0].buffer->name, "local");
    weir_body_release(held);
}
END_TEST

START_TEST(handles_stay_good_after_the_declaration_was_copied)
{
    weir_graph *g = graph_make(0);
    weir_task a = task_add(g, "a", WEIR_ARGS(WEIR_WRITE(local)));
    weir_body *held = weir_body_hold(weir_graph_body(g));
    weir_task b = weir_add_empty(g, "b");
    weir_after(g, b, a);
    task_add(g, "c", WEIR_ARGS(WEIR_READ(local)));
    edges_are(g, "a>b a>c");
    ck_assert_uint_eq(weir_graph_find(g, "a").number, a.number);
    weir_body_release(held);
    weir_graph_destroy(g);
}
END_TEST

START_TEST(nothing_is_copied_when_the_graph_alone_holds_it)
{
    weir_graph *g = graph_make(0);
    const weir_body *before = weir_graph_body(g);
    weir_add_empty(g, "a");
    ck_assert_ptr_eq(weir_graph_body(g), before);
    weir_body_release(weir_body_hold(before));
    weir_add_empty(g, "b");
    ck_assert_ptr_eq(weir_graph_body(g), before);
    weir_graph_destroy(g);
}
END_TEST

/* ---- memory ---- */

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
    Suite *suite = suite_create("graph/graph");
    TCase *cases = tcase_create("graph");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, graph_needs_a_name_and_known_flags);
    tcase_add_test(cases, null_graph_gives_null_tasks_and_a_text);
    tcase_add_test(cases, tasks_without_name_or_code_are_refused);
    tcase_add_test(cases, shapes_that_no_device_takes_are_refused);
    tcase_add_test(cases, zeros_of_a_shape_read_as_one);
    tcase_add_test(cases, senseless_arguments_are_refused_by_number);
    tcase_add_test(cases, tasks_that_cannot_reach_a_place_are_told_to_copy);
    tcase_add_test(cases, boxes_past_the_end_are_refused_with_both_extents);
    tcase_add_test(cases, earlier_frames_are_only_there_in_rings_and_only_to_read);
    tcase_add_test(cases, touching_a_ring_before_it_is_written_names_both_remedies);
    tcase_add_test(cases, first_of_those_who_touch_a_ring_too_early_is_named);
    tcase_add_test(cases, touching_a_part_or_in_the_same_task_is_no_better);
    tcase_add_test(cases, part_of_a_ring_that_nothing_wrote_is_no_better);
    tcase_add_test(cases, rings_that_the_graph_or_the_program_only_hands_over_are_no_error);
    tcase_add_test(cases, reduce_needs_something_to_combine_with);
    tcase_add_test(cases, senseless_copies_are_refused);
    tcase_add_test(cases, senseless_fills_are_refused);
    tcase_add_test(cases, edges_to_null_and_foreign_tasks_are_refused);
    tcase_add_test(cases, edge_to_itself_is_a_cycle_and_distance_zero_no_distance);
    tcase_add_test(cases, senseless_options_are_refused_by_name);
    tcase_add_test(cases, options_are_kept);
    tcase_add_test(cases, first_error_sticks);
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
    tcase_add_test(cases, explicit_edges_join_the_derived_ones);
    tcase_add_test(cases, explicit_graph_derives_nothing);
    tcase_add_test(cases, first_of_a_name_is_found_as_tasks_come_and_change);
    tcase_add_test(cases, finding_without_memory_is_slow_not_wrong);
    tcase_add_test(cases, names_are_told_for_own_tasks_only);
    tcase_add_test(cases, whoever_holds_the_declaration_sees_no_later_change);
    tcase_add_test(cases, handles_stay_good_after_the_declaration_was_copied);
    tcase_add_test(cases, nothing_is_copied_when_the_graph_alone_holds_it);
    tcase_add_test(cases, values_are_copied_and_aligned);
    tcase_add_test(cases, no_memory_anywhere_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
