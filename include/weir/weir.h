/* weir.h - a task-graph scheduler runtime: declare tasks and the data they touch, plan, run, observe.
 * A whole program (see README.md for the kernel `saxpy`):
 *
 *     weir_graph *graph; weir_plan *plan; weir_runtime *runtime; weir_exec *exec; weir_ticket ticket;
 *     weir_graph_create("frame", 0, &graph);
 *     weir_add_copy(graph, "upload", WEIR_WRITE(x), WEIR_READ(x_host));
 *     weir_add_kernel(graph, &saxpy, (weir_shape){.grid = {n / 256}, .block = {256}}, WEIR_ARGS(WEIR_READ(x), WEIR_READ_WRITE(y)));
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
