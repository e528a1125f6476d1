/* measure_test.c - what measure.c promises, against looking at every path of small random graphs. */
#include "measure.h"
#include "texts.h"
#include "util/random.h"

enum { TASKS_MOST = 9, EDGES_MOST = 20, GRAPHS = 3000 };

typedef struct {
    weir_drawing drawing;
    weir_drawn_task task[TASKS_MOST];
    weir_drawn_edge edge[EDGES_MOST];
} graph;

static bool has_edge_already(const graph *g, uint32_t from, uint32_t to)
{
    for (uint32_t e = 0; e < g->drawing.edge_count; e++)
        if (g->edge[e].from == from && g->edge[e].to == to)
            return true;
    return false;
}

/* Numbers of tasks are shuffled, so that nothing follows from them. */
static void make(graph *g, uint64_t *seed)
{
    uint32_t tasks = 1 + weir_random_below(seed, TASKS_MOST), edges = weir_random_below(seed, EDGES_MOST), number[TASKS_MOST];
    *g = (graph){.drawing = {.name = "g", .task_count = tasks}};
    g->drawing.task = g->task;
    g->drawing.edge = g->edge;
    for (uint32_t t = 0; t < tasks; t++) {
        uint32_t other = weir_random_below(seed, t + 1);
        number[t] = t;
        number[t] = number[other];
        number[other] = t;
        g->task[t].cost_ns = weir_random_below(seed, 4);
    }
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t a = weir_random_below(seed, tasks), b = weir_random_below(seed, tasks);
        if (a < b && !has_edge_already(g, number[a], number[b]))
            g->edge[g->drawing.edge_count++] = (weir_drawn_edge){number[a], number[b], 0};
    }
}

static bool leads(const graph *g, uint32_t from, uint32_t to, uint32_t without)
{
    for (uint32_t e = 0; e < g->drawing.edge_count; e++)
        if (e != without && g->edge[e].from == from && (g->edge[e].to == to || leads(g, g->edge[e].to, to, without)))
            return true;
    return false;
}

static uint32_t level_of(const graph *g, uint32_t task)
{
    uint32_t level = 0;
    for (uint32_t e = 0; e < g->drawing.edge_count; e++)
        if (g->edge[e].to == task) {
            uint32_t before = level_of(g, g->edge[e].from) + 1;
            level = before > level ? before : level;
        }
    return level;
}

START_TEST(figures_are_those_of_looking_at_everything)
{
    uint64_t seed = 9;
    int64_t redundant_in_all = 0;
    for (int i = 0; i < GRAPHS; i++) {
        graph g;
        measures m;
        uint64_t width[TASKS_MOST] = {0}, widest = 0, depth = 0;
        int64_t redundant = 0;
        double work = 0;
        make(&g, &seed);
        ck_assert(measure_graph(&g.drawing, &m));
        for (uint32_t e = 0; e < g.drawing.edge_count; e++)
            redundant += leads(&g, g.edge[e].from, g.edge[e].to, e);
        for (uint32_t t = 0; t < g.drawing.task_count; t++) {
            uint32_t level = level_of(&g, t);
            widest = ++width[level] > widest ? width[level] : widest;
            depth = level + 1 > depth ? level + 1 : depth;
            work += g.task[t].cost_ns;
        }
        ck_assert_uint_eq(m.tasks, g.drawing.task_count);
        ck_assert_uint_eq(m.edges, g.drawing.edge_count);
        ck_assert_int_eq(m.redundant_edges, redundant);
        ck_assert_uint_eq(m.depth, depth);
        ck_assert_uint_eq(m.level_width, widest);
        ck_assert_double_eq(m.work, work);
        redundant_in_all += redundant;
    }
    ck_assert_int_gt(redundant_in_all, GRAPHS / 10);
}
END_TEST

START_TEST(a_graph_without_tasks_has_no_figures)
{
    measures m;
    ck_assert(measure_graph(&(weir_drawing){.name = "nothing"}, &m));
    ck_assert_uint_eq(m.depth, 0);
    ck_assert_uint_eq(m.level_width, 0);
    ck_assert_int_eq(m.redundant_edges, 0);
    ck_assert_double_eq(m.critical_path, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/measure");
    TCase *tcase = tcase_create("measure");
    tcase_add_test(tcase, figures_are_those_of_looking_at_everything);
    tcase_add_test(tcase, a_graph_without_tasks_has_no_figures);
    suite_add_tcase(suite, tcase);
    return texts_run(suite);
}
