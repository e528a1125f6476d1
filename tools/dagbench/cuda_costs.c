/* cuda_costs.c - what a replay costs the host: planning, building and instantiating, a launch, a launch with a changed parameter. */
#include "cuda_inside.h"
#include "timing.h"
#include <stdlib.h>

enum { BUILDS_MOST = 15, LAUNCHES_MOST = 401 };

static const weir_way own_edges = {.mode = "replay", .policy = "priority", .lanes = 0, .frames = 1};

static bool time_plan(const cuda_bench *b, weir_plan **out, double *ns, trouble *why)
{
    weir_plan_options options = weir_way_plan(own_edges);
    double begun = timing_now_ns();
    weir_status status = weir_plan_create(b->on.timed, &options, out);
    *ns = timing_now_ns() - begun;
    return trouble_weir(why, status);
}

static bool time_exec(const cuda_bench *b, const weir_plan *plan, double *ns, trouble *why)
{
    weir_exec_options options = weir_way_exec(own_edges);
    weir_exec *exec = NULL;
    double begun = timing_now_ns();
    weir_status status = weir_exec_create(b->runtime, plan, &options, &exec);
    *ns = timing_now_ns() - begun;
    weir_exec_destroy(exec);
    return trouble_weir(why, status);
}

/* Weir's plan, its exec, the rival's graph; again and again, and the first round does not count. */
static bool measure_building(cuda_bench *b, trouble *why)
{
    double plan_ns[BUILDS_MOST], weir_ns[BUILDS_MOST], rival_ns[BUILDS_MOST], uploaded_ns[BUILDS_MOST];
    uint32_t builds = b->settings.quick ? 5 : BUILDS_MOST;
    bool done = true;
    for (uint32_t i = 0; i <= builds && done; i++) {
        uint32_t at = i > 0 ? i - 1 : 0;
        weir_plan *plan = NULL;
        done = time_plan(b, &plan, &plan_ns[at], why) && time_exec(b, plan, &weir_ns[at], why) &&
            rival_nodes_time_build(&b->pool, &b->on.reduced, &b->on.timed_work, &rival_ns[at], &uploaded_ns[at], why);
        weir_plan_destroy(plan);
    }
    if (!done)
        return false;
    double tasks = b->on.graph->tasks, weir = timing_median(weir_ns, builds), rival = timing_median(rival_ns, builds);
    racer r = {.mode = "replay", .how = "priority"};
    cuda_print_us(b, "weir_plan_us_per_task", timing_median(plan_ns, builds) / tasks, &r);
    cuda_print_us(b, "weir_build_us_per_task", weir / tasks, &r);
    cuda_print_us(b, "handwritten_build_us_per_task", rival / tasks, NULL);
    cuda_print_us(b, "handwritten_build_upload_us_per_task", timing_median(uploaded_ns, builds) / tasks, NULL);
    cuda_print_ratio(b, "build_ratio", weir, rival, &r);
    return true;
}

/* Each launch is waited for before the next. The same graph on both sides: explicit nodes by reduced edges. */
static bool measure_launch(cuda_bench *b, trouble *why)
{
    racer weir = {.mode = NULL}, rival = {.mode = NULL};
    racer *const list[] = {&weir, &rival};
    race_length length = {.laps = LAUNCHES_MOST, .budget_ns = b->settings.quick ? 0.3e9 : 1.5e9};
    bool done = weir_racer_make(&weir, b->runtime, b->on.timed, own_edges, why) &&
        rival_nodes_make(&rival, &b->pool, &b->on.reduced, &b->on.timed_work, RIVAL_ASK, why) && race_look(&weir, 1, 0.0, why) &&
        race_look(&rival, 1, 0.0, why) && race_run(list, 2, 1, length, why);
    if (done) {
        cuda_print_us(b, "weir_replay_submit_us", weir.result.submit_ns, &weir);
        cuda_print_us(b, "handwritten_launch_us", rival.result.submit_ns, &rival);
        cuda_print_us(b, "submit_over_launch_us", weir.result.submit_ns - rival.result.submit_ns, &weir);
    }
    racer_finish(&weir);
    racer_finish(&rival);
    return done;
}

/* The host's time for a frame, with the parameter set anew or left alone. */
static bool time_told(racer *r, weir_param *param, uint32_t value, bool set, double *ns, trouble *why)
{
    weir_exec *exec = weir_racer_exec(r);
    weir_ticket ticket = {0};
    weir_status status = WEIR_OK;
    double begun = timing_now_ns();
    if (set)
        status = weir_exec_set(exec, param, &value);
    if (status == WEIR_OK)
        status = weir_exec_submit(exec, &ticket);
    *ns = timing_now_ns() - begun;
    if (status == WEIR_OK)
        status = weir_exec_wait(exec, ticket, -1);
    return trouble_weir(why, status);
}

static bool race_told(const cuda_bench *b, racer *r, weir_param *param, trouble *why)
{
    double set_ns[LAUNCHES_MOST], left_ns[LAUNCHES_MOST], budget_ns = b->settings.quick ? 0.2e9 : 1e9;
    uint32_t laps = 0;
    for (double begun = timing_now_ns(); laps < LAUNCHES_MOST && (laps < 5 || timing_now_ns() - begun < budget_ns); laps++)
        if (!time_told(r, param, laps + 1, true, &set_ns[laps], why) || !time_told(r, param, 0, false, &left_ns[laps], why))
            return false;
    double set = timing_median(set_ns, laps), left = timing_median(left_ns, laps);
    cuda_print_us(b, "param_us_per_node", (set - left) / b->on.graph->tasks, r);
    return true;
}

/* Every task is passed the parameter. */
static bool measure_param(cuda_bench *b, trouble *why)
{
    weir_param *param = NULL;
    weir_graph *graph = NULL;
    racer r = {.mode = NULL};
    uint32_t initial = 0;
    bool done = trouble_weir(why, weir_param_create("told", &initial, sizeof initial, &param));
    declared_kernel declared = {.kernel = &spin_told, .param = param};
    done = done && trouble_weir(why, declaration_of_kernels(b->on.graph, &b->on.data, &declared, &graph)) &&
        weir_racer_make(&r, b->runtime, graph, own_edges, why) && race_look(&r, 1, 0.0, why) && race_told(b, &r, param, why);
    racer_finish(&r);
    weir_graph_destroy(graph);
    weir_param_destroy(param);
    return done;
}

bool cuda_measure_costs(cuda_bench *b, trouble *why)
{
    return measure_building(b, why) && measure_launch(b, why) && measure_param(b, why);
}
