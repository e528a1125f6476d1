/* cuda_programmatic.c - a chain of kernels that let the next one start early and wait for the end of the one before themselves: weir, where the
 * kernel is flagged (WEIR_KERNEL_PROGRAMMATIC) and where it is not, and by hand with programmatic edges and with plain ones. All take turns.
 *
 * An executable graph may run at another speed where it was made by changing one of other kernels (cudaGraphExecUpdate) than where it was
 * instantiated. A runtime that keeps graphs changes what an exec of the same shape has left behind, so both sides of the plain chain are there
 * twice: made afresh, and changed from the chain of tickets that checked them. */
#include "cuda_inside.h"
#include <stdio.h>
#include <stdlib.h>

static const uint16_t ticket_bytes[] = {sizeof(spin_record *), sizeof(uint32_t)};
static const weir_kernel early = {"early", NULL, spin_early_resolve, NULL, NULL, 0, WEIR_KERNEL_PROGRAMMATIC},
                         early_plain = {"early, plain", NULL, spin_early_resolve, NULL, NULL, 0, 0},
                         early_ticket = {"early ticket", NULL, spin_early_ticket_resolve, NULL, ticket_bytes, 2, WEIR_KERNEL_PROGRAMMATIC},
                         early_ticket_plain = {"early ticket, plain", NULL, spin_early_ticket_resolve, NULL, ticket_bytes, 2, 0};

static const char CACHE[] = "WEIR_CACHE_NODES";
static const weir_way own_edges = {.mode = "replay", .policy = "priority", .lanes = 0, .frames = 1};

/* Either side with programmatic edges, or with plain ones. */
typedef struct {
    const weir_kernel *timed, *checked;
    bool (*by_hand)(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, trouble *why);
    weir_runtime *runtime;
    bool changed;                           /* from the graph that was checked; else made afresh */
    const char *weir_us, *rival_us, *ratio; /* metrics */
    racer weir, rival;
} side;

static bool plain_nodes_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, trouble *why)
{
    return rival_nodes_make(out, pool, graph, work, RIVAL_ASK, why);
}

/* ---- what both sides share ---- */

static bool open_chain(cuda_bench *b, const char *name, shape *chain, trouble *why)
{
    subject *on = &b->on;
    *on = (subject){.name = name, .graph = chain};
    if (!shape_init(chain, workload_find("chain"), b->settings.tasks, 1))
        return trouble_no_memory(why);
    const void *timed = spin_early_resolve(), *checked = spin_early_ticket_resolve();
    if (!timed || !checked) {
        snprintf(why->text, sizeof why->text, "dagbench has no kernels for this device; build it with CMAKE_CUDA_ARCHITECTURES=native");
        return false;
    }
    return tickets_init(&on->tickets, chain, why) && rival_work_same(&on->timed_work, chain->tasks, timed, NULL, why) &&
        rival_work_tickets(&on->checked_work, chain->tasks, checked, &on->tickets.device, why);
}

static void close_chain(cuda_bench *b, shape *chain)
{
    rival_work_finish(&b->on.timed_work);
    rival_work_finish(&b->on.checked_work);
    tickets_finish(&b->on.tickets);
    shape_finish(chain);
}

/* ---- a side ---- */

static bool make_weir(const cuda_bench *b, weir_runtime *runtime, const weir_kernel *kernel, spin_record *records, racer *out, trouble *why)
{
    declared_kernel declared = {.kernel = kernel, .records = records};
    weir_graph *graph = NULL;
    bool done = trouble_weir(why, declaration_of_kernels(b->on.graph, &b->on.data, &declared, &graph)) &&
        weir_racer_make(out, runtime, graph, own_edges, why);
    weir_graph_destroy(graph);
    return done;
}

static bool check(cuda_bench *b, const side *s, trouble *why)
{
    racer weir = {.mode = NULL}, rival = {.mode = NULL};
    bool right = make_weir(b, s->runtime, s->checked, b->on.tickets.device, &weir, why) && cuda_check(b, &weir, "weir", why) &&
        s->by_hand(&rival, &b->pool, b->on.graph, &b->on.checked_work, why) && cuda_check(b, &rival, "by hand", why);
    racer_finish(&weir);
    racer_finish(&rival);
    return right;
}

/* Says so where weir's graph was changed. */
static bool make_timed_weir(const cuda_bench *b, side *s, trouble *why)
{
    weir_stats stats;
    if (!make_weir(b, s->runtime, s->timed, NULL, &s->weir, why))
        return false;
    weir_exec_stats(weir_racer_exec(&s->weir), &stats);
    if (stats.taken_over > 0)
        snprintf(s->weir.how, sizeof s->weir.how, "%s, changed", own_edges.policy);
    return true;
}

static bool make_timed_rival(const cuda_bench *b, side *s, trouble *why)
{
    const subject *on = &b->on;
    return s->by_hand(&s->rival, &b->pool, on->graph, s->changed ? &on->checked_work : &on->timed_work, why) &&
        (!s->changed || rival_nodes_change(&s->rival, on->graph, &on->timed_work, why));
}

static bool make_timed(const cuda_bench *b, side *s, trouble *why)
{
    return make_timed_weir(b, s, why) && make_timed_rival(b, s, why);
}

static bool open_side(cuda_bench *b, side *s, trouble *why)
{
    return check(b, s, why) && make_timed(b, s, why) && race_look(&s->weir, 1, 0.0, why) && race_look(&s->rival, 1, 0.0, why);
}

static void print_side(const cuda_bench *b, const side *s)
{
    double nodes = b->on.graph->tasks;
    cuda_print_us(b, s->weir_us, s->weir.result.done_ns / nodes, &s->weir);
    cuda_print_us(b, s->rival_us, s->rival.result.done_ns / nodes, &s->rival);
    cuda_print_ratio(b, s->ratio, s->weir.result.done_ns, s->rival.result.done_ns, &s->weir);
}

/* One that keeps graphs, as runtimes do that no benchmark opens. */
static bool open_keeping(weir_runtime **out, trouble *why)
{
    const char *set = getenv(CACHE);
    char kept[32] = "";
    snprintf(kept, sizeof kept, "%s", set ? set : "");
    setenv(CACHE, "65536", 1);
    bool done = trouble_weir(why, weir_runtime_create(&(weir_runtime_options){.backend = "cuda"}, out));
    if (set)
        setenv(CACHE, kept, 1);
    else
        unsetenv(CACHE);
    return done;
}

bool cuda_measure_programmatic(cuda_bench *b, const char *name, trouble *why)
{
    shape chain = {0};
    weir_runtime *keeping = NULL;
    if (!open_keeping(&keeping, why))
        return false;
    side flagged = {
        .runtime = b->runtime,
        .timed = &early,
        .checked = &early_ticket,
        .by_hand = rival_programmatic_make,
        .weir_us = "weir_programmatic_us_per_node",
        .rival_us = "handwritten_programmatic_us_per_node",
        .ratio = "programmatic_ratio",
    };
    side plain = {
        .runtime = b->runtime,
        .timed = &early_plain,
        .checked = &early_ticket_plain,
        .by_hand = plain_nodes_make,
        .weir_us = "weir_plain_us_per_node",
        .rival_us = "handwritten_plain_us_per_node",
        .ratio = "plain_ratio",
    };
    side changed = {
        .runtime = keeping,
        .timed = &early_plain,
        .checked = &early_ticket_plain,
        .by_hand = plain_nodes_make,
        .changed = true,
        .weir_us = "weir_plain_changed_us_per_node",
        .rival_us = "handwritten_plain_changed_us_per_node",
        .ratio = "plain_changed_ratio",
    };
    racer *const all[] = {&flagged.weir, &flagged.rival, &plain.weir, &plain.rival, &changed.weir, &changed.rival};
    bool done = open_chain(b, name, &chain, why) && open_side(b, &flagged, why) && open_side(b, &plain, why) && open_side(b, &changed, why) &&
        race_run(all, sizeof all / sizeof *all, 1, cuda_long_race(b), why);
    if (done) {
        print_side(b, &flagged);
        print_side(b, &plain);
        print_side(b, &changed);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        racer_finish(all[i]);
    weir_runtime_destroy(keeping);
    close_chain(b, &chain);
    return done;
}
