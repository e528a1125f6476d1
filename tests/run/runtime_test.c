/* runtime_test.c - what runtime.c promises: opening a backend, the switches of the environment, waiting for all. */
#include "run/fixture.h"

static void set_up(void)
{
    no_environment();
}

/* With `variable` set to `value`, no runtime is made, and the text says this. */
static void refused_with(const char *variable, const char *value, weir_status status, const char *text)
{
    weir_runtime *untouched = (weir_runtime *)&untouched, *runtime = untouched;
    setenv(variable, value, 1);
    REFUSED(status, weir_runtime_create(NULL, &runtime), text);
    ck_assert_ptr_eq(runtime, untouched);
    unsetenv(variable);
}

START_TEST(no_options_open_the_best_there_is)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(NULL, &runtime));
    ck_assert_uint_ge(weir_runtime_workers(runtime), 1);
    ck_assert_uint_ge(weir_runtime_lanes(runtime), 1);
    ck_assert(strcmp(weir_runtime_backend(runtime), "host") == 0 || strcmp(weir_runtime_backend(runtime), "cuda") == 0);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(options_say_backend_and_workers)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 3}, &runtime));
    ck_assert_str_eq(weir_runtime_backend(runtime), "host");
    ck_assert_uint_eq(weir_runtime_workers(runtime), 3);
    ck_assert_uint_eq(weir_runtime_lanes(runtime), 3); /* its own number: the workers */
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(senseless_options_are_refused)
{
    weir_runtime *untouched = (weir_runtime *)&untouched, *runtime = untouched;
    ck_assert_int_eq(weir_runtime_create(NULL, NULL), WEIR_ERR_INVALID);
    REFUSED(WEIR_ERR_INVALID, weir_runtime_create(&(weir_runtime_options){.backend = "vulkan"}, &runtime),
            "unknown backend 'vulkan': must be one of auto, ");
    REFUSED(WEIR_ERR_INVALID, weir_runtime_create(&(weir_runtime_options){.device = 1}, &runtime), "device 1: there is only device 0");
    REFUSED(WEIR_ERR_INVALID, weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 1025}, &runtime),
            "1025 workers, at most 1024");
    ck_assert_ptr_eq(runtime, untouched);
}
END_TEST

START_TEST(environment_wins)
{
    weir_runtime *runtime = NULL;
    setenv("WEIR_BACKEND", "host", 1);
    setenv("WEIR_WORKERS", "2", 1);
    setenv("WEIR_LANES", "3", 1);
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "vulkan", .workers = 9, .lanes_max = 50}, &runtime));
    ck_assert_uint_eq(weir_runtime_workers(runtime), 2);
    unsetenv("WEIR_LANES"); /* it is the runtime's now; the plan is to have more */
    weir_graph *graph = graph_make("g");
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    for (int i = 0; i < 8; i++)
        weir_add_host(graph, "t", do_nothing, NULL, weir_no_args());
    OK(weir_plan_create(graph, &(weir_plan_options){.lanes = 4}, &plan));
    REFUSED(WEIR_ERR_BACKEND, weir_exec_create(runtime, plan, NULL, &exec), "its plan has 4 lanes, the runtime at most 3");
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(unknown_values_are_refused_with_the_allowed_ones)
{
    refused_with("WEIR_BACKEND", "metal", WEIR_ERR_INVALID, "WEIR_BACKEND=metal: must be one of auto, ");
    refused_with("WEIR_WORKERS", "0", WEIR_ERR_INVALID, "WEIR_WORKERS=0: must be a whole number from 1 to 1024");
    refused_with("WEIR_WORKERS", "many", WEIR_ERR_INVALID, "WEIR_WORKERS=many: must be a whole number from 1 to 1024");
    refused_with("WEIR_LANES", "0", WEIR_ERR_INVALID, "WEIR_LANES=0: must be a whole number from 1 to 1024");
    refused_with("WEIR_LANES", "1025", WEIR_ERR_INVALID, "WEIR_LANES=1025: must be a whole number from 1 to 1024");
    refused_with("WEIR_CACHE_NODES", "all", WEIR_ERR_INVALID, "WEIR_CACHE_NODES=all: must be a whole number from 0 to 4294967295");
    refused_with("WEIR_DEBUG", "yes", WEIR_ERR_INVALID, "WEIR_DEBUG=yes: must be a whole number from 0 to 1");
    refused_with("WEIR_SHUFFLE", "dice", WEIR_ERR_INVALID, "WEIR_SHUFFLE=dice: must be a whole number from 0 to");
    refused_with("WEIR_LOG", "loud", WEIR_ERR_INVALID, "WEIR_LOG=loud: must be one of off, error, warn, info, debug");
    refused_with("WEIR_TRACE", "/no/such/folder/trace.json", WEIR_ERR_IO, "/no/such/folder/trace.json");
}
END_TEST

START_TEST(backend_that_is_not_there_says_why)
{
    weir_runtime *runtime = NULL;
    weir_device_info info;
    uint32_t index = 0;
    while (weir_device_get(index, &info) == WEIR_OK && strcmp(info.backend, "cuda") != 0)
        index++;
    ck_assert_str_eq(info.backend, "cuda"); /* told of, built or not */
    if (!info.available) {
        ck_assert_str_ne(info.why_not, "");
        REFUSED(WEIR_ERR_BACKEND, weir_runtime_create(&(weir_runtime_options){.backend = "cuda"}, &runtime), info.why_not);
        ck_assert_ptr_null(runtime);
    }
}
END_TEST

START_TEST(every_device_is_described)
{
    weir_device_info info;
    uint32_t count = 0, hosts = 0;
    ck_assert_int_eq(weir_device_get(0, NULL), WEIR_ERR_INVALID);
    for (; weir_device_get(count, &info) == WEIR_OK; count++) {
        ck_assert(info.backend && info.device && info.why_not);
        ck_assert_int_eq(info.available != 0, info.why_not[0] == '\0');
        if (strcmp(info.backend, "host") == 0) {
            hosts++;
            ck_assert(info.available && info.workers >= 1 && info.lanes >= 1);
        }
    }
    ck_assert_uint_eq(hosts, 1);
    ck_assert_uint_ge(count, 2);
    REFUSED(WEIR_ERR_INVALID, weir_device_get(count, &info), "there is no device");
    ck_assert_int_eq(weir_device_get(UINT32_MAX, &info), WEIR_ERR_INVALID);
}
END_TEST

START_TEST(null_runtime_is_nothing)
{
    weir_runtime_destroy(NULL);
    ck_assert_str_eq(weir_runtime_backend(NULL), "");
    ck_assert_uint_eq(weir_runtime_lanes(NULL), 0);
    ck_assert_uint_eq(weir_runtime_workers(NULL), 0);
    ck_assert_int_eq(weir_runtime_wait(NULL, 0), WEIR_ERR_INVALID);
}
END_TEST

START_TEST(shuffled_runtime_is_one_thread_with_the_lanes_of_many)
{
    weir_runtime *runtime = NULL;
    setenv("WEIR_SHUFFLE", "5", 1);
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 4}, &runtime));
    ck_assert_uint_eq(weir_runtime_workers(runtime), 1);
    ck_assert_uint_eq(weir_runtime_lanes(runtime), 4);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(waiting_for_all_execs_says_for_what)
{
    gate stop;
    int ran = 0;
    gate_init(&stop);
    weir_runtime *runtime = runtime_make(2);
    weir_graph *stuck = graph_make("stuck"), *quick = graph_make("quick");
    OK(weir_runtime_wait(runtime, 0)); /* for nothing */
    weir_add_host(stuck, "gate", gate_pass, &stop, weir_no_args());
    weir_add_host(quick, "count", count_call, &ran, weir_no_args());
    weir_exec *first = exec_make(runtime, stuck, 1), *second = exec_make(runtime, quick, 2);
    OK(weir_runtime_wait(runtime, 0));
    submit(first);
    for (int i = 0; i < 20; i++)
        submit(second);
    gate_await(&stop, 1);
    OK(weir_exec_wait(second, (weir_ticket){20}, -1));
    REFUSED(WEIR_WOULD_BLOCK, weir_runtime_wait(runtime, 0), "graph 'stuck', frame 0: waits for task 'gate'");
    REFUSED(WEIR_TIMEOUT, weir_runtime_wait(runtime, 10 * MILLISECOND), "graph 'stuck', frame 0: waits for task 'gate'");
    gate_open(&stop);
    OK(weir_runtime_wait(runtime, -1));
    OK(weir_exec_wait(first, (weir_ticket){1}, 0));
    ck_assert_int_eq(ran, 20);
    OK(weir_runtime_wait(runtime, INT64_MAX));
    weir_exec_destroy(first);
    weir_exec_destroy(second);
    weir_graph_destroy(stuck);
    weir_graph_destroy(quick);
    weir_runtime_destroy(runtime);
    gate_finish(&stop);
}
END_TEST

static void callback_at_gate(void *user, weir_ticket ticket, weir_status status)
{
    (void)ticket;
    (void)status;
    (void)gate_pass(user, NULL);
}

START_TEST(waiting_for_all_includes_the_callbacks)
{
    gate stop;
    gate_init(&stop);
    weir_runtime *runtime = runtime_make(1);
    weir_graph *graph = graph_make("g");
    weir_exec *exec = exec_make(runtime, graph, 1);
    weir_exec_on_frame(exec, callback_at_gate, &stop);
    submit(exec);
    gate_await(&stop, 1);
    REFUSED(WEIR_WOULD_BLOCK, weir_runtime_wait(runtime, 0), "graph 'g': the frame's callback has not returned");
    gate_open(&stop);
    OK(weir_runtime_wait(runtime, -1));
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
    gate_finish(&stop);
}
END_TEST

START_TEST(many_runtimes_come_and_go)
{
    weir_graph *graph = graph_make("g");
    int ran = 0;
    weir_add_host(graph, "t", count_call, &ran, weir_no_args());
    for (int i = 0; i < 50; i++) {
        weir_runtime *runtime = runtime_make(1 + (uint32_t)i % 4);
        weir_exec *exec = exec_make(runtime, graph, 1);
        run_frames(exec, 1);
        weir_exec_destroy(exec);
        weir_runtime_destroy(runtime);
    }
    ck_assert_int_eq(ran, 50);
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/runtime");
    TCase *cases = tcase_create("runtime");
    tcase_add_checked_fixture(cases, set_up, NULL);
    tcase_add_test(cases, no_options_open_the_best_there_is);
    tcase_add_test(cases, options_say_backend_and_workers);
    tcase_add_test(cases, senseless_options_are_refused);
    tcase_add_test(cases, environment_wins);
    tcase_add_test(cases, unknown_values_are_refused_with_the_allowed_ones);
    tcase_add_test(cases, backend_that_is_not_there_says_why);
    tcase_add_test(cases, every_device_is_described);
    tcase_add_test(cases, null_runtime_is_nothing);
    tcase_add_test(cases, shuffled_runtime_is_one_thread_with_the_lanes_of_many);
    tcase_add_test(cases, waiting_for_all_execs_says_for_what);
    tcase_add_test(cases, waiting_for_all_includes_the_callbacks);
    tcase_add_test(cases, many_runtimes_come_and_go);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
