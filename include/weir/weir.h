/* weir.h - a task-graph scheduler runtime: declare tasks and the data they touch, plan, run, observe.
 * The words of a program, in order (examples/hello.c is a whole one):
 *
 *     weir_buffer_create(&desc, &x);                // described once; each runtime that uses it makes its memory
 *     weir_graph_create("frame", 0, &graph);
 *     weir_add_copy(graph, "upload", WEIR_WRITE(x), WEIR_READ(input));
 *     weir_add_kernel(graph, &scale, (weir_shape){.grid = {16}, .block = {256}}, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(factor)));
 *     weir_plan_create(graph, NULL, &plan);         // which lane, which order, which waits; errors of declaring come out here
 *     weir_runtime_create(NULL, &runtime);
 *     weir_exec_create(runtime, plan, NULL, &exec);
 *     weir_exec_submit(exec, &ticket);              // once a frame
 *     weir_exec_wait(exec, ticket, -1);
 *
 * Pulls in everything but weir/cuda.h, where all CUDA types are. C11 and C++11. */
#ifndef WEIR_H
#define WEIR_H

#include "weir/version.h"
#include "weir/status.h"
#include "weir/buffer.h"
#include "weir/kernel.h"
#include "weir/graph.h"
#include "weir/plan.h"
#include "weir/run.h"
#include "weir/observe.h"
#include "weir/drawing.h"

#endif
