/* dag_test.c - what dag.c promises. */
#include "graph/dag.h"
#include "graph/closure.h"
#include "graph/declare.h"
#include "util/counting.h"
#include "util/random.h"

enum { TASKS_MOST = 120 };

static char names[TASKS_MOST][12];

/* `count` empty tasks "t0", "t1" ... in an own graph. */
static weir_graph *tasks_make(uint32_t count, weir_task *tasks)
{
    weir_graph *graph = graph_make(0);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "t%u", i);
        tasks[i] = weir_add_empty(graph, names[i]);
    }
    return graph;
}

START_TEST(doubles_are_dropped_whoever_said_them)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("b", 1);
    weir_task writer = task_add(graph, "writer", WEIR_ARGS(WEIR_WRITE(b))), reader = task_add(graph, "reader", WEIR_ARGS(WEIR_READ(b)));
    weir_after(graph, reader, writer); /* as derived */
    weir_after(graph, reader, writer);
    edges_are(graph, "writer>reader");
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(predecessors_are_sorted_and_successors_mirror_them)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t random = seed;
        weir_task tasks[TASKS_MOST];
        uint32_t count = 1 + weir_random_below(&random, TASKS_MOST), edges = weir_random_below(&random, count * 8);
        weir_graph *graph = tasks_make(count, tasks);
        closure declared = closure_make(count), mirrored = closure_make(count);
        for (uint32_t e = 0; e < edges && count > 1; e++) {
            uint32_t later = 1 + weir_random_below(&random, count - 1), earlier = weir_random_below(&random, later);
            weir_after(graph, tasks[later], tasks[earlier]);
            closure_edge(&declared, earlier, later);
        }
        weir_dag dag;
        ck_assert_int_eq(weir_dag_create(weir_graph_body(graph), &dag), WEIR_OK);
        ck_assert_uint_eq(dag.tasks, count);
        uint32_t sum = 0;
        for (uint32_t t = 0; t < count; t++) {
            for (uint32_t i = dag.pred_first[t]; i < dag.pred_first[t + 1]; i++, sum++) {
                ck_assert(i == dag.pred_first[t] || dag.pred[i - 1] < dag.pred[i]);
                ck_assert(closure_leads(&declared, dag.pred[i], t));
                closure_no_edge(&declared, dag.pred[i], t); /* none may be left, none come twice */
            }
            for (uint32_t i = dag.succ_first[t]; i < dag.succ_first[t + 1]; i++) {
                ck_assert(i == dag.succ_first[t] || dag.succ[i - 1] < dag.succ[i]);
                closure_edge(&mirrored, t, dag.succ[i]);
            }
        }
        ck_assert_uint_eq(dag.edges, sum);
        ck_assert_uint_eq(dag.succ_first[count], sum);
        for (uint32_t t = 0; t < count; t++) {
            for (uint32_t i = dag.pred_first[t]; i < dag.pred_first[t + 1]; i++) {
                ck_assert(closure_leads(&mirrored, dag.pred[i], t));
                closure_no_edge(&mirrored, dag.pred[i], t);
            }
            for (uint32_t other = 0; other < count; other++)
                ck_assert(!closure_leads(&declared, t, other));
        }
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++)
                ck_assert(!closure_leads(&mirrored, a, b));
        ck_assert_ptr_null(dag.order); /* the order of declaration is one */
        weir_dag_finish(&dag);
        closure_finish(&declared);
        closure_finish(&mirrored);
        weir_graph_destroy(graph);
    }
}
END_TEST

START_TEST(edges_backwards_get_an_order_and_loops_an_error)
{
    uint32_t ordered = 0, looped = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        weir_task tasks[TASKS_MOST];
        uint32_t count = 2 + weir_random_below(&random, 40), edges = weir_random_below(&random, count * 2);
        weir_graph *graph = tasks_make(count, tasks);
        closure truth = closure_make(count);
        bool backwards = false;
        for (uint32_t e = 0; e < edges; e++) {
            uint32_t later = weir_random_below(&random, count), earlier = weir_random_below(&random, count);
            if (later == earlier)
                continue;
            weir_after(graph, tasks[later], tasks[earlier]);
            closure_edge(&truth, earlier, later);
            backwards = backwards || later < earlier;
        }
        closure_close(&truth);
        bool loop = false;
        for (uint32_t t = 0; t < count; t++)
            loop = loop || closure_leads(&truth, t, t);
        weir_dag dag = {0};
        weir_status status = weir_dag_create(weir_graph_body(graph), &dag);
        ck_assert_msg(status == (loop ? WEIR_ERR_CYCLE : WEIR_OK), "seed %llu", (unsigned long long)seed);
        ck_assert(loop || backwards == (dag.order != NULL));
        uint32_t position[TASKS_MOST], seen = 0;
        for (uint32_t k = 0; dag.order && k < count; k++) {
            position[dag.order[k]] = k;
            seen++;
        }
        for (uint32_t t = 0; dag.order && t < count; t++)
            for (uint32_t i = dag.pred_first[t]; i < dag.pred_first[t + 1]; i++)
                ck_assert_uint_lt(position[dag.pred[i]], position[t]);
        ck_assert(!dag.order || seen == count);
        ordered += dag.order != NULL;
        looped += loop;
        weir_dag_finish(&dag);
        closure_finish(&truth);
        weir_graph_destroy(graph);
    }
    ck_assert_uint_gt(ordered, 20); /* the seeds give enough of both */
    ck_assert_uint_gt(looped, 20);
}
END_TEST

/* ---- how a cycle is named ---- */

/* The tasks that "cycle: 'a' -> 'b' -> 'a'" names, by number; UINT32_MAX for "(n more)". */
static uint32_t cycle_named(const char *text, uint32_t path[TASKS_MOST])
{
    uint32_t count = 0;
    ck_assert_msg(strncmp(text, "cycle: ", 7) == 0, "%s", text);
    for (const char *at = text + 7; *at;) {
        unsigned number = 0;
        if (*at == '(')
            path[count++] = UINT32_MAX;
        else if (sscanf(at, "'t%u'", &number) == 1)
            path[count++] = number;
        else
            ck_abort_msg("what is '%s' in '%s'?", at, text);
        const char *arrow = strstr(at, " -> ");
        at = arrow ? arrow + 4 : "";
    }
    return count;
}

static uint32_t cycle_of(const weir_graph *graph, uint32_t path[TASKS_MOST])
{
    weir_dag untouched = {.tasks = 77}, dag = untouched;
    ck_assert_int_eq(weir_dag_create(weir_graph_body(graph), &dag), WEIR_ERR_CYCLE);
    ck_assert_uint_eq(dag.tasks, 77);
    return cycle_named(weir_last_error(), path);
}

START_TEST(cycle_of_two_is_named)
{
    weir_task t[2];
    uint32_t path[TASKS_MOST];
    weir_graph *graph = tasks_make(2, t);
    weir_after(graph, t[1], t[0]);
    weir_after(graph, t[0], t[1]);
    ck_assert_uint_eq(cycle_of(graph, path), 3);
    ck_assert_uint_eq(path[0], path[2]);
    ck_assert_uint_eq(path[1], 1 - path[0]);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(cycle_is_named_along_its_edges_without_what_hangs_on_it)
{
    weir_task t[30];
    uint32_t path[TASKS_MOST];
    weir_graph *graph = tasks_make(30, t);
    for (uint32_t i = 0; i < 29; i++) /* one chain ... */
        weir_after(graph, t[i + 1], t[i]);
    weir_after(graph, t[10], t[17]); /* ... with one edge back: 10 .. 17 */
    uint32_t count = cycle_of(graph, path);
    ck_assert_uint_eq(count, 9);
    for (uint32_t i = 0; i + 1 < count; i++) {
        ck_assert(path[i] >= 10 && path[i] <= 17);
        ck_assert_uint_eq(path[i + 1], path[i] == 17 ? 10 : path[i] + 1);
    }
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(long_cycle_is_named_at_both_ends)
{
    weir_task t[TASKS_MOST];
    uint32_t path[TASKS_MOST];
    weir_graph *graph = tasks_make(TASKS_MOST, t);
    for (uint32_t i = 0; i < TASKS_MOST; i++)
        weir_after(graph, t[(i + 1) % TASKS_MOST], t[i]);
    uint32_t count = cycle_of(graph, path), gaps = 0;
    says(weir_last_error(), "(108 more)"); /* 12 are named */
    ck_assert_uint_eq(count, 14);
    ck_assert_uint_eq(path[0], path[count - 1]);
    for (uint32_t i = 0; i + 1 < count; i++) {
        gaps += path[i] == UINT32_MAX;
        if (path[i] == UINT32_MAX)
            ck_assert_uint_eq(path[i + 1], (path[i - 1] + 109) % TASKS_MOST);
        else if (path[i + 1] != UINT32_MAX)
            ck_assert_uint_eq(path[i + 1], (path[i] + 1) % TASKS_MOST);
    }
    ck_assert_uint_eq(gaps, 1);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(long_names_of_a_cycle_are_cut_not_overrun)
{
    static char long_names[12][300];
    weir_task t[12];
    weir_graph *graph = graph_make(0);
    for (int i = 0; i < 12; i++) {
        memset(long_names[i], 'a' + i, sizeof long_names[i] - 1);
        t[i] = weir_add_empty(graph, long_names[i]);
    }
    for (int i = 0; i < 12; i++)
        weir_after(graph, t[(i + 1) % 12], t[i]);
    weir_dag dag;
    ck_assert_int_eq(weir_dag_create(weir_graph_body(graph), &dag), WEIR_ERR_CYCLE);
    says(weir_last_error(), "cycle: '");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(no_tasks_are_a_dag)
{
    weir_graph *graph = graph_make(0);
    weir_dag dag;
    ck_assert_int_eq(weir_dag_create(weir_graph_body(graph), &dag), WEIR_OK);
    ck_assert_uint_eq(dag.tasks, 0);
    ck_assert_uint_eq(dag.edges, 0);
    weir_dag_finish(&dag);
    weir_dag_finish(&dag);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(no_memory_is_told_and_leaves_nothing)
{
    counting_start(0, 0);
    weir_task t[20];
    weir_graph *graph = tasks_make(20, t);
    for (uint32_t i = 1; i < 20; i++)
        weir_after(graph, t[i - 1], t[i]);
    long live = atomic_load(&counting_live);
    for (int loop = 0; loop < 2; loop++) {
        for (long fail_at = 1;; fail_at++) {
            weir_dag dag = {0};
            counting_start(fail_at, 1);
            weir_status status = weir_dag_create(weir_graph_body(graph), &dag);
            counting_relent();
            weir_dag_finish(&dag);
            ck_assert_msg(atomic_load(&counting_live) == live, "request %ld fails", fail_at);
            if (status == (loop ? WEIR_ERR_CYCLE : WEIR_OK))
                break;
            ck_assert_int_eq(status, WEIR_ERR_NO_MEMORY);
            ck_assert_int_lt(fail_at, 100);
        }
        weir_after(graph, t[19], t[0]);
        live = atomic_load(&counting_live);
    }
    weir_graph_destroy(graph);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/dag");
    TCase *cases = tcase_create("dag");
    tcase_add_test(cases, doubles_are_dropped_whoever_said_them);
    tcase_add_test(cases, predecessors_are_sorted_and_successors_mirror_them);
    tcase_add_test(cases, edges_backwards_get_an_order_and_loops_an_error);
    tcase_add_test(cases, cycle_of_two_is_named);
    tcase_add_test(cases, cycle_is_named_along_its_edges_without_what_hangs_on_it);
    tcase_add_test(cases, long_cycle_is_named_at_both_ends);
    tcase_add_test(cases, long_names_of_a_cycle_are_cut_not_overrun);
    tcase_add_test(cases, no_tasks_are_a_dag);
    tcase_add_test(cases, no_memory_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
