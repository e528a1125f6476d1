/* policies_test.c - how far the policies are from the bound on other people's graphs, beside a plain longest-path list scheduler that
 * is written here for clarity and not for speed. Makespans are sums of whole numbers, so every run prints the same table. */
#include "declare.h"
#include "measure.h"
#include "texts.h"

static const char *const files[] = {"robot", "fpppp", "sparse", "fft", "laplace", "gaussian_elimination"};
static const uint32_t lane_counts[] = {2, 4, 8};
enum { FILES = sizeof files / sizeof *files, COUNTS = sizeof lane_counts / sizeof *lane_counts };

static read_drawing read_graph(const char *name)
{
    char path[512];
    read_drawing read;
    read_error error;
    const char *folder = getenv("TASK_GRAPHS");
    ck_assert_msg(folder, "TASK_GRAPHS must name the folder of the .stg files");
    snprintf(path, sizeof path, "%s/%s.stg", folder, name);
    ck_assert_msg(read_file(path, &read, &error), "%s", error.text);
    return read;
}

/* ---- the plain scheduler ---- */

static double tail_of(const weir_drawing *d, uint32_t task, double *tail)
{
    if (tail[task] >= 0)
        return tail[task];
    double longest = 0;
    for (uint32_t e = 0; e < d->edge_count; e++)
        if (d->edge[e].from == task && tail_of(d, d->edge[e].to, tail) > longest)
            longest = tail_of(d, d->edge[e].to, tail);
    return tail[task] = longest + d->task[task].cost_ns;
}

/* When a task may start; negative while a predecessor has no end yet. */
static double ready_at(const weir_drawing *d, uint32_t task, const double *end)
{
    double ready = 0;
    for (uint32_t e = 0; e < d->edge_count; e++)
        if (d->edge[e].to == task) {
            if (end[d->edge[e].from] < 0)
                return -1;
            ready = end[d->edge[e].from] > ready ? end[d->edge[e].from] : ready;
        }
    return ready;
}

/* Time goes from one end to the next; a free lane takes, of the tasks ready by then, the one with the longest path to the end. */
static double list_schedule(const weir_drawing *d, uint32_t lanes)
{
    double *tail = malloc(d->task_count * sizeof *tail), *end = malloc(d->task_count * sizeof *end), free_at[8] = {0}, makespan = 0;
    for (uint32_t t = 0; t < d->task_count; t++)
        tail[t] = end[t] = -1;
    for (uint32_t placed = 0; placed < d->task_count;) {
        uint32_t lane = 0, chosen = UINT32_MAX;
        for (uint32_t l = 1; l < lanes; l++)
            lane = free_at[l] < free_at[lane] ? l : lane;
        double now = free_at[lane], soonest = -1;
        for (uint32_t t = 0; t < d->task_count; t++) {
            double ready = end[t] < 0 ? ready_at(d, t, end) : -1;
            if (ready < 0)
                continue;
            soonest = soonest < 0 || ready < soonest ? ready : soonest;
            if (ready <= now && (chosen == UINT32_MAX || tail_of(d, t, tail) > tail_of(d, chosen, tail)))
                chosen = t;
        }
        if (chosen == UINT32_MAX) {
            free_at[lane] = soonest;
            continue;
        }
        end[chosen] = free_at[lane] = now + d->task[chosen].cost_ns;
        makespan = end[chosen] > makespan ? end[chosen] : makespan;
        placed++;
    }
    free(tail);
    free(end);
    return makespan;
}

/* ---- weir's ---- */

static double planned(const weir_graph *graph, const char *policy, uint32_t lanes)
{
    weir_plan *plan = NULL;
    weir_plan_summary summary;
    ck_assert_int_eq(weir_plan_create(graph, &(weir_plan_options){.policy = policy, .lanes = lanes}, &plan), WEIR_OK);
    ck_assert_msg(weir_plan_check(plan) == WEIR_OK, "%s", weir_last_error());
    weir_plan_summarise(plan, &summary);
    ck_assert_uint_eq(summary.lanes, lanes);
    weir_plan_destroy(plan);
    return summary.makespan_ns;
}

START_TEST(priority_comes_as_near_to_the_bound_as_plain_list_scheduling)
{
    double priority_sum = 0, list_sum = 0, turn_sum = 0;
    printf("%-22s %5s %9s | makespan / bound: %8s %12s %13s\n", "graph", "lanes", "bound", "priority", "round_robin", "list, plain");
    for (int f = 0; f < FILES; f++) {
        read_drawing read = read_graph(files[f]);
        weir_graph *graph = NULL;
        measures m;
        ck_assert_int_eq(declare_graph(&read.drawing, &graph), WEIR_OK);
        ck_assert(measure_graph(&read.drawing, &m));
        for (int k = 0; k < COUNTS; k++) {
            uint32_t lanes = lane_counts[k];
            double bound = m.work / lanes > m.critical_path ? m.work / lanes : m.critical_path;
            double priority = planned(graph, "priority", lanes), turn = planned(graph, "round_robin", lanes);
            double list = list_schedule(&read.drawing, lanes);
            printf("%-22s %5u %9.1f | %26.4f %12.4f %13.4f\n", files[f], lanes, bound, priority / bound, turn / bound, list / bound);
            ck_assert_double_ge(priority, bound);
            ck_assert_double_ge(turn, bound);
            ck_assert_double_ge(list, bound);
            ck_assert_double_le(priority, list * 1.02);
            priority_sum += priority / bound;
            turn_sum += turn / bound;
            list_sum += list / bound;
        }
        weir_graph_destroy(graph);
        read_drawing_finish(&read);
    }
    printf("%-38s | %26.4f %12.4f %13.4f\n", "mean", priority_sum / (FILES * COUNTS), turn_sum / (FILES * COUNTS),
           list_sum / (FILES * COUNTS));
    ck_assert_double_le(priority_sum / (FILES * COUNTS), 1.025);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/policies");
    TCase *tcase = tcase_create("policies");
    tcase_add_test(tcase, priority_comes_as_near_to_the_bound_as_plain_list_scheduling);
    suite_add_tcase(suite, tcase);
    return texts_run(suite);
}
