/* cuda_while.c - a loop decided on the device, of a body that takes next to nothing: weir's weir_add_while, replayed and launched eagerly, and replayed
 * with a body whose kernel tells weir whether it goes on; by hand a conditional node whose body sets the condition itself, one whose body has a
 * kernel more that does, as weir must where nobody tells it; and a host that looks after each round. All take turns. */
#include "countdown.h"
#include "cuda_inside.h"
#include "rival_loop.h"
#include <inttypes.h>
#include <stdio.h>

enum { NEVER_SET = 0x7f7f7f7f };

static const uint16_t countdown_bytes[] = {sizeof(uint32_t *)};
static const weir_kernel countdown = {"countdown", NULL, countdown_resolve, NULL, countdown_bytes, 1, 0};
static const uint16_t decide_bytes[] = {sizeof(uint32_t *), sizeof(weir_decision)};
static const weir_kernel countdown_decide = {"countdown", NULL, countdown_decide_resolve, NULL, decide_bytes, 2, 0};

typedef struct {
    weir_graph *graph;
    weir_task loop;
} looping;

typedef struct {
    uint32_t rounds;
    weir_buffer *word;
    looping plain, decided; /* by weir's own kernel, by the body's */
    shape tasks; /* how many rounds, for the lines that are printed */
    rival_loop by_hand;
    racer replay, decides, eager, conditional, apart, host;
} contest;

/* ---- weir ---- */

static bool declare_loop(const contest *c, bool decided, looping *out, trouble *why)
{
    weir_graph *round = NULL;
    if (!trouble_weir(why, weir_graph_create("round", 0, &round)))
        return false;
    if (decided)
        weir_add_kernel(round, &countdown_decide, (weir_shape){0}, WEIR_ARGS(WEIR_READ_WRITE(c->word), WEIR_DECISION));
    else
        weir_add_kernel(round, &countdown, (weir_shape){0}, WEIR_ARGS(WEIR_READ_WRITE(c->word)));
    bool done = trouble_weir(why, weir_graph_create("dagbench", 0, &out->graph));
    if (done) {
        weir_add_fill(out->graph, "set", WEIR_WRITE(c->word), &c->rounds, sizeof c->rounds);
        out->loop = weir_add_while(out->graph, "loop", round, c->word, c->rounds + 1);
        done = trouble_weir(why, weir_graph_status(out->graph));
    }
    weir_graph_destroy(round);
    return done;
}

static bool declare(contest *c, trouble *why)
{
    weir_buffer_desc desc = {.name = "rounds left", .element_bytes = sizeof c->rounds, .nx = 1};
    return trouble_weir(why, weir_buffer_create(&desc, &c->word)) && declare_loop(c, false, &c->plain, why) && declare_loop(c, true, &c->decided, why);
}

static bool counted(const cuda_bench *b, const contest *c, weir_task loop, weir_ticket ticket, weir_exec *exec, trouble *why)
{
    uint32_t left = NEVER_SET, count = 0;
    if (!trouble_weir(why, weir_buffer_read(b->runtime, c->word, &left, 0, sizeof left)) ||
        !trouble_weir(why, weir_exec_iterations(exec, ticket, loop, &count)))
        return false;
    if (left != 0 || count != c->rounds)
        snprintf(why->text, sizeof why->text, "weir says that the loop ran %" PRIu32 " of %" PRIu32 " rounds, and %" PRIu32 " are left", count,
            c->rounds, left);
    return left == 0 && count == c->rounds;
}

static bool check(const cuda_bench *b, const contest *c, weir_task loop, const racer *r, trouble *why)
{
    const uint32_t left = NEVER_SET;
    weir_exec *exec = weir_racer_exec(r);
    weir_ticket ticket = {0};
    return trouble_weir(why, weir_buffer_write(b->runtime, c->word, &left, 0, sizeof left)) &&
        trouble_weir(why, weir_exec_submit(exec, &ticket)) && trouble_weir(why, weir_exec_wait(exec, ticket, -1)) &&
        counted(b, c, loop, ticket, exec, why);
}

static bool open_weir(cuda_bench *b, const contest *c, const looping *l, const char *mode, racer *out, trouble *why)
{
    weir_way way = {.mode = mode, .policy = "priority", .frames = 1};
    return weir_racer_make(out, b->runtime, l->graph, way, why) && check(b, c, l->loop, out, why) && race_look(out, 1, 0.0, why);
}

/* ---- by hand ---- */

static bool open_by_hand(cuda_bench *b, contest *c, trouble *why)
{
    if (!countdown_resolve() || !countdown_set_resolve() || !countdown_decide_resolve() || !countdown_look_resolve()) {
        snprintf(why->text, sizeof why->text, "dagbench has no kernels for this device; build it with CMAKE_CUDA_ARCHITECTURES=native");
        return false;
    }
    racer *const all[] = {&c->conditional, &c->apart, &c->host};
    bool done = rival_loop_init(&c->by_hand, c->rounds, why) && rival_while_make(&c->conditional, &b->pool, &c->by_hand, false, why) &&
        rival_while_make(&c->apart, &b->pool, &c->by_hand, true, why) && rival_host_loop_make(&c->host, &b->pool, &c->by_hand, why);
    for (size_t i = 0; i < sizeof all / sizeof *all && done; i++)
        done = rival_loop_check(&c->by_hand, all[i], why) && race_look(all[i], 1, 0.0, why);
    return done;
}

/* ---- against each other ---- */

static void print_all(const cuda_bench *b, const contest *c)
{
    double rounds = c->rounds, rival_ns = c->conditional.result.done_ns, host_ns = c->host.result.done_ns;
    cuda_print_us(b, "weir_while_us_per_round", c->replay.result.done_ns / rounds, &c->replay);
    cuda_print_us(b, "weir_while_decided_us_per_round", c->decides.result.done_ns / rounds, &c->decides);
    cuda_print_us(b, "weir_while_eager_us_per_round", c->eager.result.done_ns / rounds, &c->eager);
    cuda_print_us(b, "handwritten_while_us_per_round", rival_ns / rounds, &c->conditional);
    cuda_print_us(b, "handwritten_while_apart_us_per_round", c->apart.result.done_ns / rounds, &c->apart);
    cuda_print_us(b, "host_checked_us_per_round", host_ns / rounds, &c->host);
    cuda_print_ratio(b, "while_ratio", c->replay.result.done_ns, rival_ns, &c->replay);
    cuda_print_ratio(b, "while_apart_ratio", c->replay.result.done_ns, c->apart.result.done_ns, &c->replay);
    cuda_print_ratio(b, "while_decided_ratio", c->decides.result.done_ns, rival_ns, &c->decides);
    cuda_print_ratio(b, "while_eager_ratio", c->eager.result.done_ns, rival_ns, &c->eager);
    cuda_print_ratio(b, "while_host_checked_ratio", c->replay.result.done_ns, host_ns, &c->replay);
}

bool cuda_measure_while(cuda_bench *b, const char *name, trouble *why)
{
    contest c = {.rounds = b->settings.tasks, .tasks = {.tasks = b->settings.tasks}};
    racer *const all[] = {&c.replay, &c.conditional, &c.decides, &c.eager, &c.apart, &c.host};
    b->on = (subject){.name = name, .graph = &c.tasks};
    bool done = open_by_hand(b, &c, why) && declare(&c, why) && open_weir(b, &c, &c.plain, "replay", &c.replay, why) &&
        open_weir(b, &c, &c.decided, "replay", &c.decides, why) && open_weir(b, &c, &c.plain, "eager", &c.eager, why) &&
        race_run(all, sizeof all / sizeof *all, 1, cuda_race_length(b), why);
    if (done)
        print_all(b, &c);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        racer_finish(all[i]);
    weir_graph_destroy(c.plain.graph);
    weir_graph_destroy(c.decided.graph);
    weir_buffer_destroy(c.word);
    rival_loop_finish(&c.by_hand);
    return done;
}
