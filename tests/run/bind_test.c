/* bind_test.c - what bind.c promises: what each task is passed, and which plans do not fit. */
#include "run/fixture.h"
#include <stdint.h>

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    runtime = runtime_make(2);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

static void no_kernel(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

/* The exec of this graph is refused with that status and a text that says this. */
static void exec_refused(const weir_graph *graph, weir_status status, const char *text)
{
    weir_plan *plan = NULL;
    weir_exec *untouched = (weir_exec *)&untouched, *exec = untouched;
    OK(weir_plan_create(graph, NULL, &plan));
    REFUSED(status, weir_exec_create(runtime, plan, NULL, &exec), text);
    ck_assert_ptr_eq(exec, untouched);
    weir_plan_destroy(plan);
}

/* ---- sizes and code ---- */

START_TEST(kernels_arguments_must_have_the_sizes_it_takes)
{
    static const uint16_t bytes[] = {sizeof(void *), 4, 8};
    static const weir_kernel kernel = {.name = "scale", .host = no_kernel, .arg_bytes = bytes, .arg_count = 3};
    weir_buffer *b = numbers("b", 4, 1, WEIR_DEVICE);
    weir_param *param = NULL;
    float factor = 2;
    double shift = 1;
    OK(weir_param_create("shift", &shift, sizeof shift, &param));
    const struct {
        weir_args args;
        const char *text;
    } bad[] = {
        {WEIR_ARGS(WEIR_READ_WRITE(b), WEIR_VALUE(shift), WEIR_PARAM(param)),
         "task 'scale': argument 1 has 8 bytes, kernel 'scale' takes 4 there"},
        {WEIR_ARGS(WEIR_READ_WRITE(b), WEIR_VALUE(factor), WEIR_VALUE(factor)), "argument 2 has 4 bytes, kernel 'scale' takes 8 there"},
        {WEIR_ARGS(WEIR_VALUE(factor), WEIR_VALUE(factor), WEIR_PARAM(param)), "argument 0 has 4 bytes, kernel 'scale' takes 8 there"},
        {WEIR_ARGS(WEIR_READ_WRITE(b), WEIR_VALUE(factor)), "task 'scale': 2 arguments are passed, kernel 'scale' takes 3"},
        {WEIR_ARGS(WEIR_READ_WRITE(b), WEIR_VALUE(factor), WEIR_PARAM(param), WEIR_PARAM(param)),
         "4 arguments are passed, kernel 'scale' takes 3"},
        {WEIR_ARGS(WEIR_READ_WRITE(b), WEIR_VALUE(factor), weir_hidden(WEIR_READ(b))), "2 arguments are passed, kernel 'scale' takes 3"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_graph *graph = graph_make("g");
        weir_add_kernel(graph, &kernel, (weir_shape){.grid = {1}}, bad[i].args);
        exec_refused(graph, WEIR_ERR_INVALID, bad[i].text);
        weir_graph_destroy(graph);
    }
    weir_graph *graph = graph_make("g");
    weir_add_kernel(graph, &kernel, (weir_shape){.grid = {1}},
                    WEIR_ARGS(weir_hidden(WEIR_READ(b)), WEIR_READ_WRITE(b), WEIR_VALUE(factor), WEIR_PARAM(param)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 1);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_param_destroy(param);
}
END_TEST

START_TEST(sizes_that_a_kernel_does_not_tell_are_not_checked)
{
    static const weir_kernel kernel = {.name = "any", .host = no_kernel, .arg_count = 9};
    weir_graph *graph = graph_make("g");
    char odd[5] = "odd";
    weir_add_kernel(graph, &kernel, (weir_shape){.grid = {1}}, WEIR_ARGS(WEIR_VALUE(odd)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 1);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(task_without_code_for_the_host_is_named)
{
    static const weir_kernel deviceonly = {.name = "deviceonly"};
    static const weir_native native = {.name = "cufft"};
    weir_graph *graph = graph_make("g");
    weir_task t = weir_add_kernel(graph, &deviceonly, (weir_shape){.grid = {1}}, weir_no_args());
    weir_task_set(graph, t, &(weir_task_options){.name = "poisson"});
    exec_refused(graph, WEIR_ERR_BACKEND, "task 'poisson': kernel 'deviceonly' has no code for the host");
    weir_graph_destroy(graph);
    graph = graph_make("g");
    weir_add_native(graph, &native, NULL, weir_no_args());
    exec_refused(graph, WEIR_ERR_BACKEND, "task 'cufft': native 'cufft' has no code for the host");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(native_tasks_run_their_host_function)
{
    static const weir_native native = {.name = "count", .host = count_call};
    weir_graph *graph = graph_make("g");
    int ran = 0;
    weir_add_native(graph, &native, &ran, weir_no_args());
    weir_exec *exec = exec_make(runtime, graph, 2);
    run_frames(exec, 5);
    ck_assert_int_eq(ran, 5);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- what is passed ---- */

typedef struct {
    uint32_t *plain, *ring, *previous, *before_that;
    double value;
    uint32_t param;
    int calls;
} passed;

static weir_status keep_passed(void *user, void *const *args)
{
    passed *p = user;
    p->value = WEIR_PASSED(double, args, 0);
    p->plain = WEIR_PASSED(uint32_t *, args, 1);
    p->ring = WEIR_PASSED(uint32_t *, args, 2);
    p->param = WEIR_PASSED(uint32_t, args, 3);
    p->previous = WEIR_PASSED(uint32_t *, args, 4);
    p->before_that = WEIR_PASSED(uint32_t *, args, 5);
    p->calls++;
    return WEIR_OK;
}

START_TEST(arguments_come_in_order_without_the_hidden_ones)
{
    weir_buffer *plain = numbers("plain", 8, 1, WEIR_HOST_LOCAL), *ring = numbers("ring", 8, 3, WEIR_HOST_LOCAL);
    weir_buffer *token = buffer_of((weir_buffer_desc){.name = "token", .place = WEIR_HOST_LOCAL});
    weir_param *param = NULL;
    weir_graph *graph = graph_make("g");
    passed p = {.calls = 0};
    uint32_t value = 11;
    double third = 1.0 / 3;
    OK(weir_param_create("param", &value, sizeof value, &param));
    weir_add_host(graph, "t", keep_passed, &p,
                  WEIR_ARGS(weir_hidden(WEIR_WRITE(token)), WEIR_VALUE(third),
                            weir_part(WEIR_READ_WRITE(plain), (weir_box){.x = 5, .nx = 2}), weir_hidden(WEIR_READ(plain)), WEIR_WRITE(ring),
                            WEIR_PARAM(param), WEIR_PREVIOUS(ring, 1), WEIR_PREVIOUS(ring, 2)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    uint32_t *before = NULL, *before_that = NULL, *plain_at = NULL;
    for (uint32_t n = 0; n < 9; n++) {
        value = 100 + n;
        OK(weir_exec_set(exec, param, &value));
        run_frames(exec, 1);
        ck_assert_int_eq(p.calls, (int)n + 1);
        ck_assert_double_eq(p.value, third);
        ck_assert_uint_eq(p.param, 100 + n);
        ck_assert(p.ring != p.previous && p.ring != p.before_that && p.previous != p.before_that);
        ck_assert(n < 1 || (p.previous == before && p.plain == plain_at)); /* the base of the copy, whatever the box */
        ck_assert(n < 2 || p.before_that == before_that);
        before_that = before;
        before = p.ring;
        if (n == 1)
            before_that = p.previous;
        plain_at = p.plain;
    }
    uint32_t last = 77, got = 0;
    plain_at[0] = last; /* as in storage */
    OK(weir_buffer_read(runtime, plain, &got, 0, sizeof got));
    ck_assert_uint_eq(got, last);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(plain);
    weir_buffer_destroy(ring);
    weir_buffer_destroy(token);
    weir_param_destroy(param);
}
END_TEST

typedef struct {
    char bytes[48];
} record;

typedef struct {
    _Alignas(16) char at[16];
} aligned;

static weir_status check_alignment(void *user, void *const *args)
{
    for (int i = 0; i < 4; i++)
        *(int *)user += (uintptr_t)args[i] % 16 != 0;
    *(int *)user += ((const char *)args[1])[47] != 'z';
    *(int *)user += ((const char *)args[3])[15] != 'y';
    return WEIR_OK;
}

START_TEST(values_and_params_are_aligned_for_any_type)
{
    weir_param *small = NULL, *large = NULL;
    weir_graph *graph = graph_make("g");
    char letter = 'a';
    record r = {{0}};
    aligned a = {{0}};
    int wrong = 0;
    r.bytes[47] = 'z';
    a.at[15] = 'y';
    OK(weir_param_create("small", &letter, 1, &small));
    OK(weir_param_create("large", &a, sizeof a, &large));
    weir_add_host(graph, "t", check_alignment, &wrong, WEIR_ARGS(WEIR_VALUE(letter), WEIR_VALUE(r), WEIR_PARAM(small), WEIR_PARAM(large)));
    weir_exec *exec = exec_make(runtime, graph, 2);
    run_frames(exec, 3);
    ck_assert_int_eq(wrong, 0);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_param_destroy(small);
    weir_param_destroy(large);
}
END_TEST

/* ---- rings that get as many copies as needed ---- */

START_TEST(first_exec_fixes_automatic_rings)
{
    weir_buffer *ring = numbers("history", 4, WEIR_RING_AUTO, WEIR_HOST_LOCAL);
    weir_graph *small = graph_make("small"), *large = graph_make("large");
    weir_plan *early = NULL, *late = NULL;
    weir_exec *refused = NULL;
    weir_add_host(small, "w", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 1)));
    weir_add_host(large, "w", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 3)));
    OK(weir_plan_create(large, NULL, &early)); /* before it is fixed */
    weir_exec *exec = exec_make(runtime, small, 1);
    run_frames(exec, 3);
    REFUSED(WEIR_ERR_INVALID, weir_exec_create(runtime, early, NULL, &refused),
            "ring 'history' was fixed to 2 copies by an earlier exec, this plan needs 4: make this exec first, or give the ring 4 copies");
    REFUSED(WEIR_ERR_INVALID, weir_plan_create(large, NULL, &late),
            "ring 'history' has 2 copies since the first exec that used it, and this graph needs 4");
    ck_assert_ptr_null(refused);
    weir_exec_destroy(exec);
    weir_plan_destroy(early);
    weir_graph_destroy(small);
    weir_graph_destroy(large);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(exec_that_is_refused_fixes_nothing)
{
    static const weir_kernel deviceonly = {.name = "deviceonly"};
    weir_buffer *ring = numbers("history", 4, WEIR_RING_AUTO, WEIR_HOST_LOCAL);
    weir_graph *small = graph_make("small"), *large = graph_make("large");
    uint32_t value;
    weir_add_host(small, "w", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 1)));
    weir_add_kernel(small, &deviceonly, (weir_shape){.grid = {1}}, weir_no_args());
    weir_add_host(large, "w", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 3)));
    exec_refused(small, WEIR_ERR_BACKEND, "deviceonly");
    REFUSED(WEIR_ERR_STATE, weir_buffer_read(runtime, ring, &value, 0, sizeof value), "has no memory in this runtime");
    weir_exec *exec = exec_make(runtime, large, 1);
    run_frames(exec, 5);
    weir_exec_destroy(exec);
    weir_graph_destroy(small);
    weir_graph_destroy(large);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(plan_that_needs_fewer_copies_takes_what_is_there)
{
    weir_buffer *ring = numbers("history", 4, WEIR_RING_AUTO, WEIR_HOST_LOCAL);
    weir_graph *small = graph_make("small"), *large = graph_make("large");
    weir_add_host(small, "w", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 1)));
    weir_add_host(large, "w", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 3)));
    weir_exec *first = exec_make(runtime, large, 1), *second = exec_make(runtime, small, 2);
    run_frames(first, 5);
    run_frames(second, 5);
    weir_exec_destroy(first);
    weir_exec_destroy(second);
    weir_graph_destroy(small);
    weir_graph_destroy(large);
    weir_buffer_destroy(ring);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/bind");
    TCase *cases = tcase_create("bind");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, kernels_arguments_must_have_the_sizes_it_takes);
    tcase_add_test(cases, sizes_that_a_kernel_does_not_tell_are_not_checked);
    tcase_add_test(cases, task_without_code_for_the_host_is_named);
    tcase_add_test(cases, native_tasks_run_their_host_function);
    tcase_add_test(cases, arguments_come_in_order_without_the_hidden_ones);
    tcase_add_test(cases, values_and_params_are_aligned_for_any_type);
    tcase_add_test(cases, first_exec_fixes_automatic_rings);
    tcase_add_test(cases, exec_that_is_refused_fixes_nothing);
    tcase_add_test(cases, plan_that_needs_fewer_copies_takes_what_is_there);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
