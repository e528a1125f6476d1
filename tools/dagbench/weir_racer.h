/* weir_racer.h - one way in which weir runs a graph of kernels, as a racer. */
#ifndef DAGBENCH_WEIR_RACER_H
#define DAGBENCH_WEIR_RACER_H

#include "race.h"
#include "weir/weir.h"

typedef struct {
    const char *mode;      /* "eager", "replay" or "capture"; "auto" */
    const char *policy;
    uint32_t lanes;        /* of the plan; for a replay, those whose order is added to the edges, 0: none */
    uint32_t frames;       /* in flight */
} weir_way;

/* The runtime must outlive it, the graph need not. Fails if weir would run the plan in another mode; "auto" may be any. */
bool weir_racer_make(racer *out, weir_runtime *runtime, const weir_graph *graph, weir_way way, trouble *why);

/* Of a racer made here. */
weir_exec *weir_racer_exec(const racer *r);
const weir_plan *weir_racer_plan(const racer *r);

bool trouble_weir(trouble *t, weir_status status); /* whether it is WEIR_OK; else says what weir says */

/* What such a plan and exec are made with. */
weir_plan_options weir_way_plan(weir_way way);
weir_exec_options weir_way_exec(weir_way way);
bool weir_way_is_kept(weir_way way, const weir_exec *exec, trouble *why); /* false: it runs in another mode */

#endif
