/* check_test.c - what weir_graph_check promises. */
#include "graph/closure.h"
#include "graph/declare.h"
#include "util/counting.h"
#include "util/random.h"

typedef struct {
    uint32_t hazards, needless;
    char text[512]; /* of the last one */
} report;

static void note(void *user, weir_status status, const char *text)
{
    report *r = user;
    ck_assert(status == WEIR_ERR_HAZARD || status == WEIR_OK);
    r->hazards += status == WEIR_ERR_HAZARD;
    r->needless += status == WEIR_OK;
    snprintf(r->text, sizeof r->text, "%s", text);
}

static report check_finds(const weir_graph *graph, uint32_t hazards, uint32_t needless)
{
    report r = {0, 0, ""};
    weir_status status = weir_graph_check(graph, 1, note, &r);
    ck_assert_msg(status == (hazards ? WEIR_ERR_HAZARD : WEIR_OK), "%s: %s", weir_status_name(status), weir_last_error());
    ck_assert_uint_eq(r.hazards, hazards);
    ck_assert_uint_eq(r.needless, needless);
    return r;
}

/* ---- by hand ---- */

START_TEST(unordered_writer_and_reader_are_reported_with_buffer_and_box)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_of((weir_buffer_desc){.name = "velocity", .element_bytes = 4, .nx = 16, .ny = 16, .place = WEIR_HOST_LOCAL});
    task_add(graph, "advect", WEIR_ARGS(weir_part(WEIR_WRITE(b), (weir_box){.x = 2, .y = 3, .nx = 8, .ny = 8})));
    task_add(graph, "shade", WEIR_ARGS(weir_part(WEIR_READ(b), (weir_box){.x = 6, .y = 1, .nx = 8, .ny = 4})));
    report r = check_finds(graph, 1, 0);
    ck_assert_str_eq(
        r.text,
        "nothing orders task 'advect', which writes buffer 'velocity' at (6, 3, 0) to (9, 4, 0), and task 'shade', which reads it there");
    says(weir_last_error(), "graph 'graph'");
    ck_assert_int_eq(weir_graph_check(graph, 1, NULL, NULL), WEIR_ERR_HAZARD);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(pair_is_reported_once_however_much_it_shares)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_make("b", 1), *c = buffer_make("c", 1);
    const weir_box left = {.nx = 8}, right = {.x = 8, .nx = 8};
    task_add(graph, "left", WEIR_ARGS(weir_part(WEIR_WRITE(b), left), weir_part(WEIR_WRITE(c), left)));
    task_add(graph, "right", WEIR_ARGS(weir_part(WEIR_WRITE(b), right), weir_part(WEIR_WRITE(c), right)));
    task_add(graph, "both", WEIR_ARGS(WEIR_READ(b), WEIR_READ(c)));
    check_finds(graph, 2, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_buffer_destroy(c);
}
END_TEST

START_TEST(a_path_of_any_edges_orders)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_make("b", 1);
    weir_task writer = task_add(graph, "writer", WEIR_ARGS(WEIR_WRITE(b))), point = weir_add_empty(graph, "point");
    weir_task reader = task_add(graph, "reader", WEIR_ARGS(WEIR_READ(b)));
    weir_after(graph, point, writer);
    check_finds(graph, 1, 0);
    weir_after(graph, reader, point);
    check_finds(graph, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(order_of_declaration_does_not_matter_only_edges_do)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_make("b", 1);
    weir_task reader = task_add(graph, "reader", WEIR_ARGS(WEIR_READ(b))), writer = task_add(graph, "writer", WEIR_ARGS(WEIR_WRITE(b)));
    weir_after(graph, reader, writer);
    check_finds(graph, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(readers_reducers_and_strangers_need_no_order)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_make("b", 1), *c = buffer_make("c", 2);
    weir_task w = task_add(graph, "w", WEIR_ARGS(WEIR_WRITE(b)));
    weir_after(graph, task_add(graph, "r1", WEIR_ARGS(WEIR_REDUCE(b), WEIR_PREVIOUS(c, 1))), w);
    weir_after(graph, task_add(graph, "r2", WEIR_ARGS(WEIR_REDUCE(b))), w);
    task_add(graph, "stranger", WEIR_ARGS(WEIR_WRITE(c))); /* r1 looks at another copy */
    check_finds(graph, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_buffer_destroy(c);
}
END_TEST

START_TEST(needless_edge_is_reported_with_both_names)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_make("b", 1), *c = buffer_make("c", 1);
    weir_task one = task_add(graph, "one", WEIR_ARGS(WEIR_WRITE(b))), two = task_add(graph, "two", WEIR_ARGS(WEIR_WRITE(c)));
    weir_task point = weir_add_empty(graph, "point"); /* declares no accesses: it may order what it likes */
    weir_after(graph, two, one);
    weir_after(graph, point, one);
    report r = check_finds(graph, 0, 1);
    says(r.text, "no data need the edge from task 'one' to task 'two'");
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_buffer_destroy(c);
}
END_TEST

START_TEST(edge_that_data_need_through_others_is_no_news)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_make("b", 1), *c = buffer_make("c", 1);
    weir_task first = task_add(graph, "first", WEIR_ARGS(WEIR_WRITE(b)));
    weir_task second = task_add(graph, "second", WEIR_ARGS(WEIR_READ(b), WEIR_WRITE(c)));
    weir_task third = task_add(graph, "third", WEIR_ARGS(WEIR_READ(c)));
    weir_after(graph, second, first);
    weir_after(graph, third, second);
    weir_after(graph, third, first);
    check_finds(graph, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_buffer_destroy(c);
}
END_TEST

START_TEST(reduce_or_ring_that_nothing_wrote_first_is_a_hazard)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *sum = buffer_make("sum", 1), *ring = buffer_make("ring", 2);
    task_add(graph, "adder", WEIR_ARGS(WEIR_REDUCE(sum)));
    report r = check_finds(graph, 1, 0);
    ck_assert_str_eq(r.text, "task 'adder' reduces into buffer 'sum' before anything writes it in the frame");
    weir_graph_destroy(graph);
    graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_task early = task_add(graph, "early", WEIR_ARGS(WEIR_READ(ring)));
    weir_after(graph, task_add(graph, "writer", WEIR_ARGS(WEIR_WRITE(ring))), early);
    r = check_finds(graph, 1, 0);
    ck_assert_str_eq(r.text, "task 'early' touches this frame's copy of ring 'ring' before anything writes it in the frame");
    weir_graph_destroy(graph);
    weir_buffer_destroy(sum);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(derived_graphs_have_no_hazards)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("b", 1);
    task_add(graph, "w", WEIR_ARGS(WEIR_WRITE(b)));
    task_add(graph, "r", WEIR_ARGS(WEIR_READ(b)));
    task_add(graph, "w again", WEIR_ARGS(WEIR_WRITE(b)));
    check_finds(graph, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(errors_of_declaring_and_cycles_come_out)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    ck_assert_int_eq(weir_graph_check(graph, 1, NULL, NULL), WEIR_OK); /* empty */
    weir_task a = weir_add_empty(graph, "a"), b = weir_add_empty(graph, "b");
    weir_after(graph, b, a);
    weir_after(graph, a, b);
    ck_assert_int_eq(weir_graph_check(graph, 1, NULL, NULL), WEIR_ERR_CYCLE);
    says(weir_last_error(), "cycle: '");
    weir_add_empty(graph, NULL);
    ck_assert_int_eq(weir_graph_check(graph, 1, NULL, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_check(NULL, 1, NULL, NULL), WEIR_ERR_INVALID);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- random graphs, whose explicit edges are just those that data need ---- */

enum { TASKS_MOST = 32, BUFFERS = 4, ACCESSES_MOST = 3, SEEDS = 500 };

typedef struct {
    unsigned buffer, mode, x, nx;
} touched;

typedef struct {
    uint32_t tasks, touches[TASKS_MOST];
    touched touch[TASKS_MOST][ACCESSES_MOST];
    closure conflicts, needs; /* pairs; and paths over them */
} needed;

static bool conflict(const touched *a, const touched *b)
{
    bool both_read = a->mode == WEIR_ARG_READ && b->mode == WEIR_ARG_READ;
    return a->buffer == b->buffer && a->x < b->x + b->nx && b->x < a->x + a->nx && !both_read;
}

static needed needed_make(uint64_t *random)
{
    static const unsigned modes[] = {WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE};
    needed n = {.tasks = 3 + weir_random_below(random, TASKS_MOST - 2)};
    n.conflicts = closure_make(n.tasks);
    n.needs = closure_make(n.tasks);
    for (uint32_t t = 0; t < n.tasks; t++) {
        n.touches[t] = weir_random_below(random, ACCESSES_MOST + 1);
        for (uint32_t i = 0; i < n.touches[t]; i++) {
            unsigned nx = 1 + weir_random_below(random, 16);
            n.touch[t][i] =
                (touched){weir_random_below(random, BUFFERS), modes[weir_random_below(random, 4)], weir_random_below(random, 17 - nx), nx};
        }
        for (uint32_t earlier = 0; earlier < t; earlier++)
            for (uint32_t i = 0; i < n.touches[t]; i++)
                for (uint32_t j = 0; j < n.touches[earlier]; j++)
                    if (conflict(&n.touch[earlier][j], &n.touch[t][i])) {
                        closure_edge(&n.conflicts, earlier, t);
                        closure_edge(&n.needs, earlier, t);
                    }
    }
    closure_close(&n.needs);
    return n;
}

static void needed_finish(needed *n)
{
    closure_finish(&n->conflicts);
    closure_finish(&n->needs);
}

static bool is_edge(const needed *n, uint32_t earlier, uint32_t later)
{
    return closure_leads(&n->needs, earlier, later) && !closure_leads_far(&n->needs, earlier, later);
}

/* The graph with the transitive reduction of what data need as edges, but for one. */
static weir_graph *needed_declare(const needed *n, weir_buffer *const *buffers, uint32_t dropped_earlier, uint32_t dropped_later)
{
    static char names[TASKS_MOST][16];
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_task tasks[TASKS_MOST];
    for (uint32_t t = 0; t < n->tasks; t++) {
        weir_arg args[ACCESSES_MOST];
        for (uint32_t i = 0; i < n->touches[t]; i++) {
            const touched *touch = &n->touch[t][i];
            args[i] =
                weir_part(weir_arg_of(touch->mode, buffers[touch->buffer], NULL, NULL, 0), (weir_box){.x = touch->x, .nx = touch->nx});
        }
        snprintf(names[t], sizeof names[t], "t%u", t);
        tasks[t] = task_add(graph, names[t], (weir_args){args, n->touches[t]});
    }
    for (uint32_t later = 0; later < n->tasks; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++)
            if (is_edge(n, earlier, later) && !(earlier == dropped_earlier && later == dropped_later))
                weir_after(graph, tasks[later], tasks[earlier]);
    return graph;
}

/* What was reported, as pairs of task numbers. */
typedef struct {
    closure pairs;
    uint32_t hazards, needless;
} told;

static void note_pair(void *user, weir_status status, const char *text)
{
    told *t = user;
    unsigned one = 0, two = 0;
    const char *first = strstr(text, "task 't"), *second = first ? strstr(first + 1, "task 't") : NULL;
    ck_assert_msg(second && sscanf(first, "task 't%u'", &one) == 1 && sscanf(second, "task 't%u'", &two) == 1, "%s", text);
    closure_edge(&t->pairs, one, two);
    t->hazards += status == WEIR_ERR_HAZARD;
    t->needless += status == WEIR_OK;
}

static weir_status tell(const weir_graph *graph, told *t)
{
    *t = (told){closure_make(TASKS_MOST), 0, 0};
    return weir_graph_check(graph, 1, note_pair, t);
}

START_TEST(dropping_any_needed_edge_is_a_hazard_and_nothing_else_is)
{
    weir_buffer *buffers[BUFFERS];
    uint32_t dropped_of = 0;
    for (uint32_t b = 0; b < BUFFERS; b++)
        buffers[b] = buffer_make("b", 1);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        needed n = needed_make(&random);
        uint32_t edges = 0, chosen, drop_earlier = 0, drop_later = 0;
        told t;
        weir_graph *graph = needed_declare(&n, buffers, UINT32_MAX, UINT32_MAX);
        ck_assert_msg(tell(graph, &t) == WEIR_OK && t.hazards == 0 && t.needless == 0,
                      "seed %llu: %u hazards and %u needless edges before anything is dropped", (unsigned long long)seed, t.hazards,
                      t.needless);
        closure_finish(&t.pairs);
        weir_graph_destroy(graph);
        for (uint32_t later = 0; later < n.tasks; later++)
            for (uint32_t earlier = 0; earlier < later; earlier++)
                edges += is_edge(&n, earlier, later);
        if (edges > 0) {
            chosen = weir_random_below(&random, edges);
            for (uint32_t later = 0; later < n.tasks; later++)
                for (uint32_t earlier = 0; earlier < later; earlier++)
                    if (is_edge(&n, earlier, later) && chosen-- == 0) {
                        drop_earlier = earlier;
                        drop_later = later;
                    }
            graph = needed_declare(&n, buffers, drop_earlier, drop_later);
            ck_assert_msg(tell(graph, &t) == WEIR_ERR_HAZARD, "seed %llu: the edge from t%u to t%u is not missed", (unsigned long long)seed,
                          drop_earlier, drop_later);
            ck_assert_msg(closure_leads(&t.pairs, drop_earlier, drop_later) || closure_leads(&t.pairs, drop_later, drop_earlier),
                          "seed %llu: others are reported, t%u and t%u are not", (unsigned long long)seed, drop_earlier, drop_later);
            for (uint32_t one = 0; one < n.tasks; one++) /* nobody is reported who touches nothing of the other's */
                for (uint32_t two = 0; two < n.tasks; two++)
                    ck_assert_msg(!closure_leads(&t.pairs, one, two) || closure_leads(&n.conflicts, one, two) ||
                                      closure_leads(&n.conflicts, two, one),
                                  "seed %llu: t%u and t%u share nothing", (unsigned long long)seed, one, two);
            closure_finish(&t.pairs);
            weir_graph_destroy(graph);
            dropped_of++;
        }
        needed_finish(&n);
    }
    ck_assert_uint_gt(dropped_of, SEEDS * 9 / 10);
    for (uint32_t b = 0; b < BUFFERS; b++)
        weir_buffer_destroy(buffers[b]);
}
END_TEST

START_TEST(adding_any_edge_that_no_data_need_is_reported)
{
    weir_buffer *buffers[BUFFERS];
    uint32_t added_of = 0;
    for (uint32_t b = 0; b < BUFFERS; b++)
        buffers[b] = buffer_make("b", 1);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed ^ 0x9e3779b9;
        needed n = needed_make(&random);
        weir_graph *graph = needed_declare(&n, buffers, UINT32_MAX, UINT32_MAX);
        for (int tries = 0; tries < 30; tries++) {
            uint32_t later = 1 + weir_random_below(&random, n.tasks - 1), earlier = weir_random_below(&random, later);
            if (closure_leads(&n.needs, earlier, later) || n.touches[later] == 0 || n.touches[earlier] == 0)
                continue;
            uint32_t id = weir_graph_body(graph)->id;
            weir_after(graph, (weir_task){later + 1, id}, (weir_task){earlier + 1, id});
            told t;
            ck_assert_int_eq(tell(graph, &t), WEIR_OK);
            ck_assert_msg(t.needless == 1 && closure_leads(&t.pairs, earlier, later), "seed %llu: the edge from t%u to t%u is not reported",
                          (unsigned long long)seed, earlier, later);
            closure_finish(&t.pairs);
            added_of++;
            break;
        }
        weir_graph_destroy(graph);
        needed_finish(&n);
    }
    ck_assert_uint_gt(added_of, SEEDS / 2);
    for (uint32_t b = 0; b < BUFFERS; b++)
        weir_buffer_destroy(buffers[b]);
}
END_TEST

START_TEST(no_memory_anywhere_is_told_and_leaves_nothing)
{
    weir_buffer *buffers[BUFFERS];
    uint64_t random = 7;
    counting_start(0, 0);
    for (uint32_t b = 0; b < BUFFERS; b++)
        buffers[b] = buffer_make("b", 1);
    needed n = needed_make(&random);
    weir_graph *graph = needed_declare(&n, buffers, UINT32_MAX, UINT32_MAX);
    long live = atomic_load(&counting_live);
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (long fail_at = 1;; fail_at++) {
            counting_start(fail_at, fail_on);
            weir_status status = weir_graph_check(graph, 1, NULL, NULL);
            bool reached = atomic_load(&counting_asked) >= fail_at;
            counting_relent();
            ck_assert_int_eq(status, reached ? WEIR_ERR_NO_MEMORY : WEIR_OK);
            ck_assert_msg(atomic_load(&counting_live) == live, "request %ld fails", fail_at);
            if (!reached)
                break;
        }
    needed_finish(&n);
    weir_graph_destroy(graph);
    for (uint32_t b = 0; b < BUFFERS; b++)
        weir_buffer_destroy(buffers[b]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/check");
    TCase *cases = tcase_create("check");
    tcase_add_test(cases, unordered_writer_and_reader_are_reported_with_buffer_and_box);
    tcase_add_test(cases, pair_is_reported_once_however_much_it_shares);
    tcase_add_test(cases, a_path_of_any_edges_orders);
    tcase_add_test(cases, order_of_declaration_does_not_matter_only_edges_do);
    tcase_add_test(cases, readers_reducers_and_strangers_need_no_order);
    tcase_add_test(cases, needless_edge_is_reported_with_both_names);
    tcase_add_test(cases, edge_that_data_need_through_others_is_no_news);
    tcase_add_test(cases, reduce_or_ring_that_nothing_wrote_first_is_a_hazard);
    tcase_add_test(cases, derived_graphs_have_no_hazards);
    tcase_add_test(cases, errors_of_declaring_and_cycles_come_out);
    tcase_add_test(cases, dropping_any_needed_edge_is_a_hazard_and_nothing_else_is);
    tcase_add_test(cases, adding_any_edge_that_no_data_need_is_reported);
    tcase_add_test(cases, no_memory_anywhere_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
