/* predict.c - frames on paper, each lane a row. */
#include "predict.h"
#include <stdio.h>
#include <stdlib.h>

static void fill(const weir_drawing *plan, uint32_t frames, const double *start_ns, const double *end_ns, read_trace *trace)
{
    for (uint32_t frame = 0; frame < frames; frame++)
        for (uint32_t t = 0; t < plan->task_count; t++) {
            const size_t at = (size_t)frame * plan->task_count + t;
            trace->task[trace->tasks++] = (traced_task){plan->task[t].name, plan->task[t].kind, plan->task[t].lane, frame, start_ns[at], end_ns[at]};
        }
    for (uint32_t lane = 0; lane < plan->lane_count; lane++)
        trace->row[trace->rows++] = (traced_row){.graph = 0, .number = lane};
    trace->graph[trace->graphs++] = (traced_graph){.name = plan->name};
}

weir_status predict(const weir_drawing *plan, uint32_t frames, read_trace *out)
{
    const size_t all = (size_t)frames * plan->task_count;
    read_trace trace = {.predicted = true};
    double *start_ns = calloc(all ? all : 1, sizeof *start_ns), *end_ns = calloc(all ? all : 1, sizeof *end_ns);
    trace.task = calloc(all ? all : 1, sizeof *trace.task);
    trace.row = calloc(plan->lane_count ? plan->lane_count : 1, sizeof *trace.row);
    trace.graph = calloc(1, sizeof *trace.graph);
    weir_status status = start_ns && end_ns && trace.task && trace.row && trace.graph ? WEIR_OK : WEIR_ERR_NO_MEMORY;
    if (status == WEIR_OK)
        status = weir_drawing_predict(plan, frames, start_ns, end_ns);
    if (status == WEIR_OK) {
        fill(plan, frames, start_ns, end_ns, &trace);
        *out = trace;
    } else {
        predicted_finish(&trace);
    }
    free(start_ns);
    free(end_ns);
    return status;
}

void predicted_finish(read_trace *trace)
{
    read_trace_finish(trace); /* nothing else is kept */
}
