/* no_device_test.c - a program built with CUDA on a machine, or in an environment, where CUDA shows no device: it starts, is told why, and runs on
 * the host. Hides what devices there are, so it needs none and runs everywhere. */
#include "cuda_fixture.h"
#include "device_kernels.h"

enum { N = 100 };
static int lines_about_cuda;
static char said[1024];

static void count_lines(void *user, int level, const char *text)
{
    (void)user;
    (void)level;
    if (strstr(text, "CUDA") == NULL && strstr(text, "cuda") == NULL)
        return;
    lines_about_cuda++;
    snprintf(said, sizeof said, "%s", text);
}

/* In the driver's words, or the runtime's where there is no driver. */
static const char *reason(void)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    ck_assert_msg(error != cudaSuccess || count == 0, "a device is visible in spite of CUDA_VISIBLE_DEVICES=");
    return cudaGetErrorString(error == cudaSuccess ? cudaErrorNoDevice : error);
}

static void set_up(void)
{
    no_environment();
    setenv("WEIR_LOG", "info", 1);
    lines_about_cuda = 0;
    said[0] = '\0';
}

START_TEST(cuda_demanded_by_the_program_is_an_error_that_repeats_the_reason)
{
    weir_runtime *untouched = (weir_runtime *)&untouched, *runtime = untouched;
    REFUSED(WEIR_ERR_BACKEND, weir_runtime_create(&(weir_runtime_options){.backend = "cuda"}, &runtime), reason());
    ck_assert_ptr_eq(runtime, untouched);
}
END_TEST

START_TEST(cuda_demanded_by_the_environment_is_that_error_too)
{
    static const weir_runtime_options wishes[] = {{.backend = NULL}, {.backend = "auto"}, {.backend = "host"}};
    setenv("WEIR_BACKEND", "cuda", 1);
    for (int i = 0; i < 3; i++) {
        weir_runtime *runtime = NULL;
        REFUSED(WEIR_ERR_BACKEND, weir_runtime_create(&wishes[i], &runtime), reason());
        ck_assert_ptr_null(runtime);
    }
}
END_TEST

/* A kernel whose device code nobody can load here, through its host twin. */
static void runs_on_the_host(weir_runtime *runtime)
{
    const uint32_t value = 3, count = N;
    weir_graph *graph = graph_make("host");
    weir_buffer *out = numbers("out", N, 1, WEIR_HOST_OUT);
    weir_add_kernel(graph, &put_kernel, (weir_shape){.grid = {4}, .block = {8}}, WEIR_ARGS(WEIR_WRITE(out), WEIR_VALUE(value), WEIR_VALUE(count)));
    weir_exec *exec = exec_with(runtime, graph, NULL, &(weir_exec_options){.mode = "replay"});
    weir_ticket ticket = submit(exec);
    OK(weir_exec_wait(exec, ticket, -1));
    const uint32_t *got = weir_exec_data(exec, ticket, out);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], value + i);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(out);
}

START_TEST(auto_is_the_host_with_one_line_that_says_why)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "auto", .workers = 2}, &runtime));
    ck_assert_str_eq(weir_runtime_backend(runtime), "host");
    ck_assert_int_eq(lines_about_cuda, 1);
    says(said, reason());
    runs_on_the_host(runtime);
    ck_assert_int_eq(lines_about_cuda, 1);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(host_asked_for_says_nothing_of_it)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 2}, &runtime));
    runs_on_the_host(runtime);
    ck_assert_int_eq(lines_about_cuda, 0);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(devices_told_include_the_absent_one_with_the_reason)
{
    weir_device_info info;
    uint32_t i = 0;
    while (weir_device_get(i, &info) == WEIR_OK && strcmp(info.backend, "cuda") != 0)
        i++;
    ck_assert_str_eq(info.backend, "cuda");
    ck_assert_int_eq(info.available, 0);
    says(info.why_not, reason());
}
END_TEST

int main(void)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* before CUDA starts */
    weir_set_log(count_lines, NULL);
    Suite *suite = suite_create("backend/cuda/no_device");
    TCase *cases = tcase_create("no device");
    tcase_add_checked_fixture(cases, set_up, NULL);
    tcase_add_test(cases, cuda_demanded_by_the_program_is_an_error_that_repeats_the_reason);
    tcase_add_test(cases, cuda_demanded_by_the_environment_is_that_error_too);
    tcase_add_test(cases, auto_is_the_host_with_one_line_that_says_why);
    tcase_add_test(cases, host_asked_for_says_nothing_of_it);
    tcase_add_test(cases, devices_told_include_the_absent_one_with_the_reason);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
