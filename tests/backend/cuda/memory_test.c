/* memory_test.c - memory that the program brings along: pageable memory is pinned from the first exec on until the last holder has gone, and what
 * cannot be pinned or reached is refused by name. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include <sys/mman.h>

enum { N = 100000, BYTES = N * 4 };
static const uint32_t count_n = N;
static const weir_shape wide = {.grid = {8}, .block = {128}};

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

static weir_buffer *adopted(const char *name, void *const *memory, weir_place place)
{
    return buffer_of((weir_buffer_desc){.name = name, .element_bytes = 4, .nx = N, .place = place, .adopted = memory});
}

static enum cudaMemoryType type_of(const void *memory)
{
    struct cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, memory));
    return attributes.type;
}

/* A graph that puts `value` + i into the buffer. */
static weir_graph *putting(weir_buffer *buffer, uint32_t value)
{
    weir_graph *graph = graph_make("putting");
    weir_task task = weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(buffer), WEIR_VALUE(value), WEIR_VALUE(count_n)));
    weir_task_set(graph, task, &(weir_task_options){.name = "put it there"});
    OK(weir_graph_status(graph));
    return graph;
}

static void holds(const uint32_t *memory, uint32_t value)
{
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(memory[i], value + i);
}

START_TEST(pageable_memory_is_pinned_as_long_as_it_is_used)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        char *memory = malloc(BYTES + 64);
        void *inside = memory + 16; /* as malloc gives it, not a page's beginning */
        weir_buffer *out = adopted("out", &inside, WEIR_HOST_OUT);
        weir_graph *graph = putting(out, 40);
        ck_assert_int_eq(type_of(inside), cudaMemoryTypeUnregistered);
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        ck_assert_int_eq(type_of(inside), cudaMemoryTypeHost);
        ck_assert_int_eq(type_of((char *)inside + BYTES - 1), cudaMemoryTypeHost);
        run_frames(exec, 2);
        holds(inside, 40);
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(out);
        ck_assert_int_eq(type_of(inside), cudaMemoryTypeUnregistered);
        free(memory);
    }
}
END_TEST

/* Two buffers that share a page: one exec's end leaves the other's pinned. `memory` has room for both. */
static void neighbours(uint32_t *memory, uint32_t few)
{
    const uint32_t value = 8;
    weir_exec *exec[2];
    weir_buffer *buffer[2];
    for (uint32_t i = 0; i < 2; i++) {
        void *half = memory + few * i;
        weir_graph *graph = graph_make("half");
        buffer[i] = buffer_of((weir_buffer_desc){.name = "half", .element_bytes = 4, .nx = few, .place = WEIR_HOST_OUT, .adopted = &half});
        weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(buffer[i]), WEIR_VALUE(value), WEIR_VALUE(few)));
        exec[i] = exec_make(runtime, graph, 1);
        weir_graph_destroy(graph);
    }
    run_frames(exec[0], 1);
    weir_exec_destroy(exec[0]);
    weir_buffer_destroy(buffer[0]);
    ck_assert_int_eq(type_of(memory + few), cudaMemoryTypeHost);
    run_frames(exec[1], 1);
    weir_exec_destroy(exec[1]);
    weir_buffer_destroy(buffer[1]);
    for (uint32_t i = 0; i < 2 * few; i++)
        ck_assert_uint_eq(memory[i], value + i % few);
    ck_assert_int_eq(type_of(memory), cudaMemoryTypeUnregistered);
    ck_assert_int_eq(type_of(memory + 2 * few - 1), cudaMemoryTypeUnregistered);
}

enum { PAGE = 4096 };

START_TEST(neighbours_in_one_page_are_pinned_each_as_long_as_it_is_used)
{
    char *memory = NULL;
    ck_assert_int_eq(posix_memalign((void **)&memory, PAGE, 4 * PAGE), 0);
    neighbours((uint32_t *)(void *)(memory + 64), 100);
    free(memory);
}
END_TEST

static void refused(void *memory, weir_place place);

/* As two arrays in a row are: the second begins in the first's last page and goes on. */
START_TEST(neighbour_that_shares_a_page_at_its_border_is_refused)
{
    char *memory = NULL;
    ck_assert_int_eq(posix_memalign((void **)&memory, PAGE, BYTES + 4 * PAGE), 0);
    void *first = memory + 64, *second = memory + 64 + PAGE + PAGE / 2;
    const uint32_t value = 8, few = (PAGE + PAGE / 2) / 4;
    weir_graph *graph = graph_make("first");
    weir_buffer *buffer = buffer_of((weir_buffer_desc){.name = "first", .element_bytes = 4, .nx = few, .place = WEIR_HOST_OUT, .adopted = &first});
    weir_add_kernel(graph, &put_kernel, wide, WEIR_ARGS(WEIR_WRITE(buffer), WEIR_VALUE(value), WEIR_VALUE(few)));
    weir_exec *exec = exec_make(runtime, graph, 1);
    weir_graph_destroy(graph);
    refused(second, WEIR_HOST_OUT);
    run_frames(exec, 1);
    ck_assert_uint_eq(((uint32_t *)first)[few - 1], value + few - 1);
    weir_exec_destroy(exec);
    weir_buffer_destroy(buffer);
    ck_assert_int_eq(type_of(memory), cudaMemoryTypeUnregistered);
    free(memory);
}
END_TEST

START_TEST(adopted_input_is_what_the_frame_reads)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        const uint32_t factor = 2, addend = 1;
        void *memory = malloc(BYTES);
        weir_buffer *in = adopted("in", &memory, WEIR_HOST_IN), *out = numbers("out", N, 1, WEIR_HOST_OUT);
        weir_graph *graph = graph_make("reading");
        weir_add_kernel(graph, &scale_kernel, wide, WEIR_ARGS(WEIR_WRITE(out), WEIR_READ(in), WEIR_VALUE(factor), WEIR_VALUE(addend), WEIR_VALUE(count_n)));
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        for (uint32_t n = 0; n < 3; n++) {
            weir_frame *frame = NULL;
            weir_ticket ticket;
            OK(weir_exec_begin(exec, -1, &frame));
            ck_assert_ptr_eq(weir_frame_data(frame, in), memory);
            for (uint32_t i = 0; i < N; i++)
                ((uint32_t *)memory)[i] = n + i;
            OK(weir_frame_submit(frame, &ticket));
            OK(weir_exec_wait(exec, ticket, -1));
            const uint32_t *got = weir_exec_data(exec, ticket, out);
            ck_assert_msg(got != NULL, "%s", weir_last_error());
            ck_assert_uint_eq(got[0], n * 2 + 1);
            ck_assert_uint_eq(got[N - 1], (n + N - 1) * 2 + 1);
        }
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(in);
        weir_buffer_destroy(out);
        free(memory);
    }
}
END_TEST

START_TEST(memory_that_is_pinned_already_stays_the_programs)
{
    void *memory = pinned(BYTES);
    weir_buffer *out = adopted("out", &memory, WEIR_HOST_OUT);
    weir_graph *graph = putting(out, 11);
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 1);
    holds(memory, 11);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(out);
    ck_assert_int_eq(type_of(memory), cudaMemoryTypeHost);
    CUDA(cudaFreeHost(memory));
}
END_TEST

START_TEST(adopted_device_memory_is_used_as_it_is)
{
    for (int m = 0; m < CUDA_MODES; m++) {
        void *memory = NULL;
        uint32_t *copy = malloc(BYTES);
        CUDA(cudaMalloc(&memory, BYTES));
        weir_buffer *x = adopted("x", &memory, WEIR_DEVICE);
        weir_graph *graph = putting(x, 77);
        weir_exec *exec = exec_in_mode(runtime, graph, 1, cuda_modes[m]);
        run_frames(exec, 2);
        CUDA(cudaMemcpy(copy, memory, BYTES, cudaMemcpyDeviceToHost));
        holds(copy, 77);
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_buffer_destroy(x);
        ck_assert_int_eq(type_of(memory), cudaMemoryTypeDevice); /* weir freed nothing */
        CUDA(cudaFree(memory));
        free(copy);
    }
}
END_TEST

/* ---- refused ---- */

/* The exec is refused, naming buffer and task; the runtime is as good as before. */
static void refused(void *memory, weir_place place)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    weir_buffer *buffer = adopted("brought along", &memory, place), *other = numbers("other", N, 1, WEIR_HOST_OUT);
    weir_graph *graph = putting(buffer, 1), *good = putting(other, 5);
    OK(weir_plan_create(graph, NULL, &plan));
    for (int again = 0; again < 2; again++) {
        weir_status status = weir_exec_create(runtime, plan, NULL, &exec);
        ck_assert_int_ge(status, WEIR_ERR_INVALID);
        ck_assert_ptr_null(exec);
        says(weir_last_error(), "'brought along'");
        says(weir_last_error(), "'put it there'");
    }
    exec = exec_make(runtime, good, 1);
    run_frames(exec, 1);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    weir_graph_destroy(good);
    weir_buffer_destroy(buffer);
    weir_buffer_destroy(other);
    ck_assert_int_eq(cudaPeekAtLastError(), cudaSuccess); /* nor does the program's next check find anything */
}

START_TEST(memory_that_nobody_may_touch_is_refused)
{
    void *memory = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    refused(memory, WEIR_HOST_OUT);
    munmap(memory, BYTES);
}
END_TEST

START_TEST(memory_of_which_a_part_is_pinned_already_is_refused)
{
    char *memory = NULL;
    ck_assert_int_eq(posix_memalign((void **)&memory, PAGE, BYTES + PAGE), 0);
    CUDA(cudaHostRegister(memory, PAGE, cudaHostRegisterDefault)); /* its beginning */
    refused(memory, WEIR_HOST_OUT);
    ck_assert_int_eq(type_of(memory), cudaMemoryTypeHost);
    CUDA(cudaHostUnregister(memory));
    char *middle = memory + (size_t)BYTES / 2 / PAGE * PAGE;
    CUDA(cudaHostRegister(middle, PAGE, cudaHostRegisterDefault));
    refused(memory, WEIR_HOST_OUT);
    ck_assert_int_eq(type_of(memory), cudaMemoryTypeUnregistered);
    CUDA(cudaHostUnregister(middle));
    free(memory);
}
END_TEST

/* Both ends are pinned, each by itself: what lies between is not. */
START_TEST(memory_with_a_hole_between_pinned_ends_is_refused)
{
    char *memory = NULL;
    ck_assert_int_eq(posix_memalign((void **)&memory, PAGE, BYTES + PAGE), 0);
    char *end = memory + (size_t)(BYTES - 1) / PAGE * PAGE;
    CUDA(cudaHostRegister(memory, PAGE, cudaHostRegisterDefault));
    CUDA(cudaHostRegister(end, PAGE, cudaHostRegisterDefault));
    refused(memory, WEIR_HOST_OUT);
    CUDA(cudaHostUnregister(memory));
    CUDA(cudaHostUnregister(end));
    free(memory);
}
END_TEST

START_TEST(host_memory_is_no_device_memory)
{
    void *memory = malloc(BYTES);
    refused(memory, WEIR_DEVICE);
    free(memory);
}
END_TEST

START_TEST(device_memory_is_no_host_memory)
{
    void *memory = NULL;
    CUDA(cudaMalloc(&memory, BYTES));
    refused(memory, WEIR_HOST_OUT);
    CUDA(cudaFree(memory));
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/memory");
    TCase *cases = tcase_create("memory");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, pageable_memory_is_pinned_as_long_as_it_is_used);
    tcase_add_test(cases, neighbours_in_one_page_are_pinned_each_as_long_as_it_is_used);
    tcase_add_test(cases, neighbour_that_shares_a_page_at_its_border_is_refused);
    tcase_add_test(cases, adopted_input_is_what_the_frame_reads);
    tcase_add_test(cases, memory_that_is_pinned_already_stays_the_programs);
    tcase_add_test(cases, adopted_device_memory_is_used_as_it_is);
    tcase_add_test(cases, memory_that_nobody_may_touch_is_refused);
    tcase_add_test(cases, memory_of_which_a_part_is_pinned_already_is_refused);
    tcase_add_test(cases, memory_with_a_hole_between_pinned_ends_is_refused);
    tcase_add_test(cases, host_memory_is_no_device_memory);
    tcase_add_test(cases, device_memory_is_no_host_memory);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
