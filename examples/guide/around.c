/* around.c - what surrounds the shorter blocks of the guide. A block is the body of a function; it finds a graph, ways to make buffers
 * and tasks in a line, and ways to show what came of them. Compile one with -DBLOCK='"file that holds the block"'. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h> /* for blocks */
#include <threads.h>
#include "weir/weir.h"

/* A call that fails ends the block; main tells why. */
#define TRY(call) \
    do { \
        weir_status tried = (call); \
        if (tried != WEIR_OK) \
            return tried; \
    } while (0)

/* For blocks to use; what stands here at the end is destroyed. */
weir_graph *graph; /* empty, and not NULL */
weir_runtime *runtime;
weir_plan *plan;
weir_exec *exec;

enum { ELEMENTS = 8, MOST = 256 };
static weir_buffer *buffers[MOST];
static weir_kernel kernels[MOST];
static size_t buffer_count, kernel_count;

static void give_up(const char *what)
{
    fprintf(stderr, "around.c: cannot make '%s': %s\n", what, weir_last_error());
    exit(1);
}

/* A buffer of 8 ints. */
weir_buffer *ring(const char *name, weir_place place, uint32_t copies)
{
    weir_buffer_desc desc = {.name = name, .element_bytes = sizeof(int), .nx = ELEMENTS, .copies = copies, .place = place};
    if (buffer_count == MOST || weir_buffer_create(&desc, &buffers[buffer_count]) != WEIR_OK)
        give_up(name);
    return buffers[buffer_count++];
}

weir_buffer *buffer(const char *name, weir_place place)
{
    return ring(name, place, 1);
}

/* Kernels that do nothing, for graphs that are looked at; and one that adds 1 to its argument, for graphs that run. */
static void do_nothing(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

static void increase(const weir_blocks *blocks, void *const *args)
{
    int *u = WEIR_PASSED(int *, args, 0);
    for (uint64_t i = blocks->first; i < blocks->first + blocks->count; i++)
        u[i]++;
}
const weir_kernel add_one = {.name = "add one", .host = increase};
const weir_shape shape = {.grid = {ELEMENTS}};

/* A host task that fails. */
weir_status fail(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_ERR_IO;
}

/* A host task that lasts until the gate is open: so a block can look at a frame that is on its way. */
atomic_bool gate_is_open;
weir_status wait_for_gate(void *user, void *const *args)
{
    (void)user;
    (void)args;
    while (!atomic_load(&gate_is_open))
        thrd_yield();
    return WEIR_OK;
}

/* A kernel's task that does nothing; on paper it takes so many microseconds, and a quarter of the device. */
weir_task task(const char *name, double cost_us, weir_args args)
{
    if (kernel_count == MOST)
        give_up(name);
    kernels[kernel_count] = (weir_kernel){.name = name, .host = do_nothing};
    weir_task added = weir_add_kernel(graph, &kernels[kernel_count++], shape, args);
    if (added.number != 0)
        weir_task_set(graph, added, &(weir_task_options){.cost_ns = cost_us * 1000, .share = 0.25f});
    return added;
}

/* For weir_graph_check. */
void say(void *user, weir_status status, const char *text)
{
    (void)user;
    printf("%s: %s\n", weir_status_name(status), text);
}

static void show_edge(const weir_drawing *drawing, const weir_drawn_edge *edge, const char *between)
{
    printf("%s%s%s", drawing->task[edge->from].name, between, drawing->task[edge->to].name);
    if (edge->distance == 1)
        printf(" of the next frame");
    else if (edge->distance > 1)
        printf(" %u frames later", edge->distance);
    printf("\n");
}

/* Prints every edge of `graph`, or its error. */
weir_status show_edges(void)
{
    const weir_drawing *drawing;
    TRY(weir_drawing_of(graph, NULL, &drawing));
    for (uint32_t i = 0; i < drawing->edge_count; i++)
        show_edge(drawing, &drawing->edge[i], " -> ");
    for (uint32_t i = 0; i < drawing->carried_count; i++)
        show_edge(drawing, &drawing->carried[i], " -> ");
    weir_drawing_destroy(drawing);
    return WEIR_OK;
}

/* Prints what each lane of a plan runs, in its order, and who waits for another lane. */
weir_status show_plan(const weir_plan *shown)
{
    const weir_drawing *drawing;
    TRY(weir_drawing_of(NULL, shown, &drawing));
    for (uint32_t lane = 0; lane < drawing->lane_count; lane++) {
        printf("lane %u:", lane);
        for (uint32_t position = 0; position < drawing->task_count; position++)
            for (uint32_t t = 0; t < drawing->task_count; t++)
                if (drawing->task[t].position == position && drawing->task[t].lane == lane)
                    printf(" %s", drawing->task[t].name);
        printf("\n");
    }
    for (uint32_t i = 0; i < drawing->wait_count; i++)
        show_edge(drawing, &drawing->wait[i], " is waited for by ");
    weir_drawing_destroy(drawing);
    return WEIR_OK;
}

static weir_status block(void)
{
    {
#include BLOCK
    }
    return WEIR_OK;
}

int main(void)
{
    setenv("WEIR_BACKEND", "host", 0); /* the kernels of the blocks have no other code */
    weir_status status = weir_graph_create("guide", 0, &graph);
    if (status == WEIR_OK)
        status = block();
    if (status != WEIR_OK)
        printf("%s: %s\n", weir_status_name(status), weir_last_error());
    atomic_store(&gate_is_open, true);
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    for (size_t i = 0; i < buffer_count; i++)
        weir_buffer_destroy(buffers[i]);
    return 0;
}
