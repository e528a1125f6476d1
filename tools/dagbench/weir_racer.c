/* weir_racer.c - see weir_racer.h. */
#include "weir_racer.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    weir_plan *plan;
    weir_exec *exec;
} bound;

bool trouble_weir(trouble *t, weir_status status)
{
    if (status != WEIR_OK)
        snprintf(t->text, sizeof t->text, "%s", weir_last_error());
    return status == WEIR_OK;
}

static bool is_replay(weir_way way)
{
    return strcmp(way.mode, "replay") == 0;
}

static bool is_auto(weir_way way)
{
    return strcmp(way.mode, "auto") == 0;
}

weir_plan_options weir_way_plan(weir_way way)
{
    return (weir_plan_options){.policy = way.policy, .lanes = is_replay(way) ? 0 : way.lanes, .frames = way.frames};
}

weir_exec_options weir_way_exec(weir_way way)
{
    return (weir_exec_options){.mode = way.mode, .replay_lanes = is_replay(way) ? way.lanes : 0};
}

static void bound_finish(void *self)
{
    bound *b = self;
    weir_exec_destroy(b->exec);
    weir_plan_destroy(b->plan);
    free(b);
}

static bool bound_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    const bound *b = self;
    weir_ticket ticket = {0};
    weir_status status = WEIR_OK;
    double begun = timing_now_ns();
    for (uint32_t i = 0; i < frames && status == WEIR_OK; i++)
        status = weir_exec_submit(b->exec, &ticket);
    double submitted = timing_now_ns();
    if (status == WEIR_OK)
        status = weir_exec_wait(b->exec, ticket, -1);
    double ended = timing_now_ns();
    *out = (lap){(submitted - begun) / frames, (ended - begun) / frames};
    return trouble_weir(why, status);
}

bool weir_way_is_kept(weir_way way, const weir_exec *exec, trouble *why)
{
    weir_stats stats;
    weir_exec_stats(exec, &stats);
    if (is_auto(way) || strcmp(stats.mode, way.mode) == 0)
        return true;
    snprintf(why->text, sizeof why->text, "asked to run in mode %s, weir runs in mode %s", way.mode, stats.mode);
    return false;
}

bool weir_racer_make(racer *out, weir_runtime *runtime, const weir_graph *graph, weir_way way, trouble *why)
{
    bound *b = calloc(1, sizeof *b);
    if (!b)
        return trouble_no_memory(why);
    weir_plan_options plan = weir_way_plan(way);
    weir_exec_options exec = weir_way_exec(way);
    weir_status status = weir_plan_create(graph, &plan, &b->plan);
    if (status == WEIR_OK)
        status = weir_exec_create(runtime, b->plan, &exec, &b->exec);
    if (!trouble_weir(why, status) || !weir_way_is_kept(way, b->exec, why)) {
        bound_finish(b);
        return false;
    }
    *out = (racer){.mode = way.mode, .lanes = way.lanes, .run = bound_run, .finish = bound_finish, .self = b};
    snprintf(out->how, sizeof out->how, "%s", way.policy);
    return true;
}

weir_exec *weir_racer_exec(const racer *r)
{
    return ((const bound *)r->self)->exec;
}

const weir_plan *weir_racer_plan(const racer *r)
{
    return ((const bound *)r->self)->plan;
}
