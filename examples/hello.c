/* hello.c - a whole program: two tasks, the second reads what the first wrote. Prints "1 + 4 + ... + 64 = 204". */
#include <stdio.h>
#include "weir/weir.h"

static void square(const weir_blocks *blocks, void *const *args) /* a run of blocks; here a block is a number */
{
    int *out = WEIR_PASSED(int *, args, 0);
    for (uint64_t i = blocks->first; i < blocks->first + blocks->count; i++)
        out[i] = (int)((i + 1) * (i + 1));
}
static const weir_kernel square_kernel = {.name = "square", .host = square};

static weir_status print_sum(void *user, void *const *args)
{
    const int *squares = WEIR_PASSED(const int *, args, 0);
    int sum = 0;
    for (int i = 0; i < *(int *)user; i++)
        sum += squares[i];
    return printf("1 + 4 + ... + 64 = %d\n", sum) > 0 ? WEIR_OK : WEIR_ERR_IO;
}

int main(void)
{
    int count = 8;
    weir_buffer_desc desc = {.name = "squares", .element_bytes = sizeof(int), .nx = 8, .place = WEIR_HOST_OUT};
    weir_buffer *squares; weir_graph *graph; weir_plan *plan; weir_runtime *runtime; weir_exec *exec; weir_ticket ticket;
    if (weir_buffer_create(&desc, &squares) || weir_graph_create("hello", 0, &graph))
        return 1;
    weir_add_kernel(graph, &square_kernel, (weir_shape){.grid = {8}}, WEIR_ARGS(WEIR_WRITE(squares)));
    weir_add_host(graph, "print", print_sum, &count, WEIR_ARGS(WEIR_READ(squares))); /* after "square": it reads what that writes */
    weir_runtime_options options = {.backend = "host"}; /* where the kernel's code is; NULL would mean CUDA where there is a device */
    if (weir_plan_create(graph, NULL, &plan) || weir_runtime_create(&options, &runtime) || weir_exec_create(runtime, plan, NULL, &exec) ||
        weir_exec_submit(exec, &ticket) || weir_exec_wait(exec, ticket, -1))
        return fprintf(stderr, "hello: %s\n", weir_last_error()), 1;
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    weir_buffer_destroy(squares);
}
