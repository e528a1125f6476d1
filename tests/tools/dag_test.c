/* dag_test.c - what dag.c promises, against looking at everything. */
#include "dag.h"
#include "texts.h"
#include "util/random.h"

enum { TASKS_MOST = 9, EDGES_MOST = 20, GRAPHS = 3000 };

typedef struct {
    weir_drawing drawing;
    weir_drawn_task task[TASKS_MOST];
    weir_drawn_edge edge[EDGES_MOST];
} graph;

/* Of any edges: half of the graphs have cycles. */
static void make(graph *g, uint64_t *seed, bool forward)
{
    uint32_t tasks = 1 + weir_random_below(seed, TASKS_MOST), edges = weir_random_below(seed, EDGES_MOST);
    *g = (graph){.drawing = {.name = "g", .task_count = tasks}};
    g->drawing.task = g->task;
    g->drawing.edge = g->edge;
    for (uint32_t t = 0; t < tasks; t++)
        g->task[t].cost_ns = weir_random_below(seed, 4);
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t a = weir_random_below(seed, tasks), b = weir_random_below(seed, tasks);
        if (forward && a == b)
            continue;
        if (forward && a > b) {
            uint32_t swapped = a;
            a = b;
            b = swapped;
        }
        g->edge[g->drawing.edge_count++] = (weir_drawn_edge){a, b, 0};
    }
}

static double longest_from(const graph *g, uint32_t task)
{
    double longest = 0;
    for (uint32_t e = 0; e < g->drawing.edge_count; e++)
        if (g->edge[e].from == task) {
            double on = longest_from(g, g->edge[e].to);
            longest = on > longest ? on : longest;
        }
    return longest + g->task[task].cost_ns;
}

START_TEST(an_order_respects_all_edges_or_a_cycle_is_one)
{
    uint64_t seed = 5;
    int cyclic = 0;
    for (int i = 0; i < GRAPHS; i++) {
        graph g;
        dag d;
        uint32_t place[TASKS_MOST], cycle[TASKS_MOST];
        make(&g, &seed, i % 2);
        ck_assert(dag_init(&g.drawing, &d));
        if (d.ordered == d.tasks) {
            for (uint32_t t = 0; t < d.tasks; t++)
                place[d.order[t]] = t;
            for (uint32_t e = 0; e < g.drawing.edge_count; e++)
                ck_assert_uint_lt(place[g.edge[e].from], place[g.edge[e].to]);
        } else {
            uint32_t count = dag_cycle(&g.drawing, &d, cycle);
            cyclic++;
            ck_assert_int_eq(i % 2, 0);
            ck_assert_uint_gt(count, 0);
            for (uint32_t e = 0; e < count; e++)
                ck_assert_uint_eq(g.edge[cycle[e]].to, g.edge[cycle[(e + 1) % count]].from);
        }
        dag_finish(&d);
    }
    ck_assert_int_gt(cyclic, GRAPHS / 8);
}
END_TEST

START_TEST(the_longest_path_is_one_and_no_path_is_longer)
{
    uint64_t seed = 6;
    for (int i = 0; i < GRAPHS; i++) {
        graph g;
        dag d;
        uint32_t path[TASKS_MOST], count = 0;
        double longest = 0, along = 0;
        make(&g, &seed, true);
        ck_assert(dag_init(&g.drawing, &d));
        double length = dag_longest_path(&g.drawing, &d, path, &count);
        for (uint32_t t = 0; t < d.tasks; t++) {
            double from = longest_from(&g, t);
            longest = from > longest ? from : longest;
        }
        for (uint32_t at = 0; at < count; at++) {
            bool edge = at == 0;
            for (uint32_t e = 0; e < g.drawing.edge_count && !edge; e++)
                edge = g.edge[e].from == path[at - 1] && g.edge[e].to == path[at];
            ck_assert(edge);
            along += g.task[path[at]].cost_ns;
        }
        ck_assert_double_eq(length, longest);
        ck_assert_double_eq(along, longest);
        dag_finish(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/dag");
    TCase *tcase = tcase_create("dag");
    tcase_add_test(tcase, an_order_respects_all_edges_or_a_cycle_is_one);
    tcase_add_test(tcase, the_longest_path_is_one_and_no_path_is_longer);
    suite_add_tcase(suite, tcase);
    return texts_run(suite);
}
