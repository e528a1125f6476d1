/* regression_test.c - a bug a test: its story, then the smallest program that shows it. */
#include "run/fixture.h"

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    runtime = runtime_make(1);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

static weir_status keep_both(void *user, void *const *args)
{
    int *kept = user;
    kept[0] = WEIR_PASSED(const int *, args, 0)[0];
    kept[1] = WEIR_PASSED(const int *, args, 1)[0];
    return WEIR_OK;
}

static weir_status keep_one(void *user, void *const *args)
{
    *(int *)user = WEIR_PASSED(const int *, args, 0)[0];
    return WEIR_OK;
}

static weir_frame *begin_with(weir_exec *exec, weir_buffer *in, int value)
{
    weir_frame *frame = NULL;
    OK(weir_exec_begin(exec, -1, &frame));
    *(int *)weir_frame_data(frame, in) = value;
    return frame;
}

static void submit_and_wait(weir_exec *exec, weir_frame *frame)
{
    weir_ticket ticket;
    OK(weir_frame_submit(frame, &ticket));
    OK(weir_exec_wait(exec, ticket, -1));
}

/* A ring of inputs moved on when a frame was begun, so a frame that was given up afterwards, and had been passed by another exec's,
 * left a copy that nobody submitted: WEIR_PREVIOUS read what the program had written for the frame that never was. */
START_TEST(dropped_frame_leaves_nothing_for_the_next_to_read)
{
    weir_buffer *in = numbers("in", 1, 4, WEIR_HOST_IN);
    int first = 0, both[2] = {0, 0}, read = 0;
    weir_graph *a = graph_make("a"), *b = graph_make("b");
    weir_add_host(a, "keep", keep_one, &first, WEIR_ARGS(WEIR_READ(in)));
    weir_add_host(b, "keep both", keep_both, both, WEIR_ARGS(WEIR_READ(in), WEIR_PREVIOUS(in, 1)));
    weir_exec *of_a = exec_make(runtime, a, 1), *of_b = exec_make(runtime, b, 1);
    submit_and_wait(of_a, begin_with(of_a, in, 10));
    weir_frame *open = begin_with(of_a, in, 999), *other = NULL;
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_begin(of_b, 0, &other), "its input 'in' is held by frame 1 of graph 'a', which is open and not submitted");
    OK(weir_buffer_read(runtime, in, &read, 0, sizeof read));
    ck_assert_int_eq(read, 10); /* not what is being filled */
    weir_frame_drop(open);
    submit_and_wait(of_b, begin_with(of_b, in, 20));
    ck_assert_int_eq(both[0], 20);
    ck_assert_int_eq(both[1], 10);
    weir_exec_destroy(of_a);
    weir_exec_destroy(of_b);
    weir_graph_destroy(a);
    weir_graph_destroy(b);
    weir_buffer_destroy(in);
}
END_TEST

typedef struct {
    weir_exec *exec;
    int left;
} chain_of_frames;

static void submit_another(void *user, weir_ticket ticket, weir_status status)
{
    chain_of_frames *c = user;
    weir_frame *frame = NULL;
    (void)ticket;
    if (status == WEIR_OK && c->left-- > 0 && weir_exec_begin(c->exec, 0, &frame) == WEIR_OK)
        ck_assert_int_eq(weir_frame_submit(frame, NULL), WEIR_OK);
}

static weir_status count_up(void *user, void *const *args)
{
    (void)user;
    ++WEIR_PASSED(int *, args, 0)[0];
    pause_ms(2);
    return WEIR_OK;
}

/* A read waited until no frame was in flight at all: a program whose callback keeps submitting never got to read. */
START_TEST(read_waits_for_frames_before_it_and_not_for_those_after)
{
    weir_buffer *count = numbers("count", 1, 1, WEIR_HOST_OUT);
    weir_graph *graph = graph_make("counting");
    weir_add_host(graph, "count", count_up, NULL, WEIR_ARGS(WEIR_READ_WRITE(count)));
    chain_of_frames endless = {.exec = exec_make(runtime, graph, 3), .left = 500};
    int read = 0;
    weir_exec_on_frame(endless.exec, submit_another, &endless);
    for (int i = 0; i < 3; i++)
        submit(endless.exec);
    OK(weir_buffer_read(runtime, count, &read, 0, sizeof read));
    ck_assert_int_ge(read, 3);
    ck_assert_int_lt(read, 300); /* frames go on meanwhile, but not all of them were waited for */
    weir_exec_destroy(endless.exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(count);
}
END_TEST

/* Destroying waited for the last frame, and the callback of the last frame submitted another. */
START_TEST(callback_that_submits_cannot_keep_an_exec_alive)
{
    weir_graph *graph = graph_make("endless");
    weir_add_empty(graph, "nothing");
    chain_of_frames endless = {.exec = exec_make(runtime, graph, 2), .left = INT32_MAX};
    weir_exec_on_frame(endless.exec, submit_another, &endless);
    submit(endless.exec);
    weir_exec_destroy(endless.exec); /* returns */
    weir_graph_destroy(graph);
}
END_TEST

static void nothing(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

/* An exec that was refused for its second ring had fixed its first to a size that nothing ever used. */
START_TEST(refused_exec_fixes_no_ring)
{
    static const weir_kernel kernel = {.name = "nothing", .host = nothing};
    const weir_shape one = {.grid = {1}};
    weir_buffer *x = numbers("x", 1, WEIR_RING_AUTO, WEIR_DEVICE), *y = numbers("y", 1, WEIR_RING_AUTO, WEIR_DEVICE);
    weir_graph *of_x = graph_make("x alone"), *of_y = graph_make("y alone"), *of_both = graph_make("both");
    weir_add_kernel(of_x, &kernel, one, WEIR_ARGS(WEIR_WRITE(x)));
    weir_add_kernel(of_y, &kernel, one, WEIR_ARGS(WEIR_WRITE(y)));
    weir_add_kernel(of_both, &kernel, one, WEIR_ARGS(WEIR_WRITE(x), WEIR_WRITE(y)));
    weir_plan *both = NULL, *more = NULL;
    weir_exec *refused = NULL, *made = NULL;
    OK(weir_plan_create(of_both, &(weir_plan_options){.frames = 4}, &both));
    OK(weir_plan_create(of_x, &(weir_plan_options){.frames = 6}, &more));
    weir_exec *first = exec_make(runtime, of_y, 2);
    REFUSED(WEIR_ERR_INVALID, weir_exec_create(runtime, both, NULL, &refused), "ring 'y' was fixed to 2 copies");
    OK(weir_exec_create(runtime, more, NULL, &made));
    weir_exec_destroy(made);
    weir_exec_destroy(first);
    weir_plan_destroy(both);
    weir_plan_destroy(more);
    weir_graph_destroy(of_x);
    weir_graph_destroy(of_y);
    weir_graph_destroy(of_both);
    weir_buffer_destroy(x);
    weir_buffer_destroy(y);
}
END_TEST

/* A frame that was open when its runtime ended could still be submitted, and ran. */
START_TEST(open_frame_is_refused_once_the_runtime_has_ended)
{
    weir_graph *graph = graph_make("late");
    weir_add_empty(graph, "nothing");
    weir_runtime *ending = runtime_make(1);
    weir_exec *exec = exec_make(ending, graph, 1);
    weir_frame *frame = NULL;
    OK(weir_exec_begin(exec, -1, &frame));
    weir_runtime_destroy(ending);
    REFUSED(WEIR_ERR_STATE, weir_frame_submit(frame, NULL), "its runtime has ended");
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("regression");
    TCase *cases = tcase_create("run");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, dropped_frame_leaves_nothing_for_the_next_to_read);
    tcase_add_test(cases, read_waits_for_frames_before_it_and_not_for_those_after);
    tcase_add_test(cases, callback_that_submits_cannot_keep_an_exec_alive);
    tcase_add_test(cases, refused_exec_fixes_no_ring);
    tcase_add_test(cases, open_frame_is_refused_once_the_runtime_has_ended);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
