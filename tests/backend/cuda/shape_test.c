/* shape_test.c - a kernel finds the launch that was declared: grid, block, cluster, shared memory, and what its flags ask for. */
#include "cuda_fixture.h"
#include "device_kernels.h"

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    runtime = cuda_runtime();
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

static uint32_t or_1(uint32_t n)
{
    return n ? n : 1;
}

static uint32_t product(const uint32_t n[3])
{
    return or_1(n[0]) * or_1(n[1]) * or_1(n[2]);
}

static void found(const weir_kernel *kernel, weir_shape shape, const char *mode)
{
    const uint32_t zero = 0;
    weir_graph *graph = graph_make("shape");
    weir_buffer *out = numbers("out", FOUND_NUMBERS + 1, 1, WEIR_HOST_OUT);
    weir_add_fill(graph, "zeros", WEIR_WRITE(out), &zero, sizeof zero);
    weir_add_kernel(graph, kernel, shape, WEIR_ARGS(WEIR_READ_WRITE(out)));
    weir_exec *exec = exec_in_mode(runtime, graph, 1, mode);
    for (int n = 0; n < 2; n++) {
        weir_ticket ticket = submit(exec);
        OK(weir_exec_wait(exec, ticket, -1));
        const uint32_t *got = weir_exec_data(exec, ticket, out);
        ck_assert_msg(got != NULL, "%s", weir_last_error());
        for (int d = 0; d < 3; d++) {
            ck_assert_uint_eq(got[FOUND_GRID + d], or_1(shape.grid[d]));
            ck_assert_uint_eq(got[FOUND_BLOCK + d], or_1(shape.block[d]));
            ck_assert_uint_eq(got[FOUND_CLUSTER + d], or_1(shape.cluster[d]));
        }
        ck_assert_uint_eq(got[FOUND_SHARED], shape.shared_bytes);
        ck_assert_uint_eq(got[FOUND_COOPERATIVE] != 0, (kernel->flags & WEIR_KERNEL_COOPERATIVE) != 0);
        ck_assert_uint_eq(got[FOUND_THREADS], product(shape.grid) * product(shape.block));
        if (kernel->flags & WEIR_KERNEL_COOPERATIVE)
            ck_assert_uint_eq(got[FOUND_NUMBERS], product(shape.grid)); /* every block saw all of them */
    }
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(out);
}

static bool has_clusters(void)
{
    struct cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    return device.major >= 9;
}

START_TEST(kernel_finds_the_shape_that_was_declared)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        found(&found_kernel, (weir_shape){0}, cuda_modes[m]);
        found(&found_kernel, (weir_shape){.grid = {7}, .block = {33}}, cuda_modes[m]);
        found(&found_kernel, (weir_shape){.grid = {3, 4, 5}, .block = {2, 8, 4}}, cuda_modes[m]);
        found(&found_kernel, (weir_shape){.grid = {2}, .block = {64}, .shared_bytes = 1000}, cuda_modes[m]);
        found(&found_kernel, (weir_shape){.grid = {2}, .block = {64}, .shared_bytes = 90 * 1024}, cuda_modes[m]); /* more than without asking */
        if (has_clusters()) {
            found(&found_kernel, (weir_shape){.grid = {8, 2}, .block = {32}, .cluster = {4}}, cuda_modes[m]);
            found(&found_kernel, (weir_shape){.grid = {4, 4}, .block = {32}, .cluster = {2, 2}}, cuda_modes[m]);
        }
    }
}
END_TEST

START_TEST(cooperative_grid_synchronises)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        found(&together_kernel, (weir_shape){.grid = {40}, .block = {128}}, cuda_modes[m]);
        found(&together_kernel, (weir_shape){.grid = {4, 8}, .block = {16, 4}}, cuda_modes[m]);
    }
}
END_TEST

START_TEST(programmatic_kernels_follow_each_other)
{
    enum { N = 5000, CHAIN = 20 };
    const uint32_t zero = 0, addend = 3, count = N;
    for (int m = 0; m < CUDA_MODES; m++) {
        weir_graph *graph = graph_make("programmatic");
        weir_buffer *x = numbers("x", N, 1, WEIR_DEVICE), *out = numbers("out", N, 1, WEIR_HOST_OUT);
        weir_add_fill(graph, "zeros", WEIR_WRITE(x), &zero, sizeof zero);
        for (int i = 0; i < CHAIN; i++)
            weir_add_kernel(graph, &programmatic_kernel, (weir_shape){.grid = {20}, .block = {128}}, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(addend), WEIR_VALUE(count)));
        weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(x));
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        for (int n = 0; n < 5; n++) {
            weir_ticket ticket = submit(exec);
            OK(weir_exec_wait(exec, ticket, -1));
            const uint32_t *got = weir_exec_data(exec, ticket, out);
            ck_assert_msg(got != NULL, "%s", weir_last_error());
            for (uint32_t i = 0; i < N; i++)
                ck_assert_uint_eq(got[i], CHAIN * addend);
        }
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(x);
        weir_buffer_destroy(out);
    }
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/shape");
    TCase *cases = tcase_create("shape");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, kernel_finds_the_shape_that_was_declared);
    tcase_add_test(cases, cooperative_grid_synchronises);
    tcase_add_test(cases, programmatic_kernels_follow_each_other);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
