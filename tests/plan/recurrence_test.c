/* recurrence_test.c - what recurrence.c promises. */
#include "plan/drawn.h"
#include "plan/recurrence.h"
#include <stdlib.h>

/* The least distance of an edge from one task to the other, 0 within a frame; UINT32_MAX: there is none. */
static uint32_t distance_of(const drawn *d, uint32_t earlier, uint32_t later)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t e = d->dag.pred_first[later]; e < d->dag.pred_first[later + 1]; e++)
        if (d->dag.pred[e] == earlier)
            return 0;
    for (uint32_t i = 0; i < d->plan.carried.edges.count; i++) {
        const weir_carried_edge *e = &d->plan.carried.edges.at[i];
        if (e->later == later && e->earlier == earlier && e->distance < least)
            least = e->distance;
    }
    return least;
}

/* Its tasks form a cycle of the edges there are, which costs what is said. */
static void check_cycle(const drawn *d, const weir_recurrence *found)
{
    double cost = 0;
    uint32_t distance = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        const uint32_t step = distance_of(d, found->task[i > 0 ? i - 1 : found->count - 1], found->task[i]);
        ck_assert_uint_ne(step, UINT32_MAX);
        ck_assert(i > 0 || step > 0); /* begins a frame */
        distance += step;
        cost += (double)d->work.cost_ns[found->task[i]];
    }
    ck_assert_uint_eq(distance, found->distance);
    ck_assert(found->count > 0 ? cost / distance == found->ratio_ns : found->ratio_ns == 0);
}

static double ratio_of(const drawn *d)
{
    weir_recurrence found;
    ck_assert_int_eq(weir_recurrence_find(&d->dag, &d->plan.carried, d->work.cost_ns, &found), WEIR_OK);
    check_cycle(d, &found);
    const double ratio = found.ratio_ns;
    weir_recurrence_finish(&found);
    return ratio;
}

START_TEST(without_a_cycle_nothing_recurs)
{
    drawn d = drawn_make(2, NULL, DRAWN({0, 1}));
    ck_assert_double_eq(ratio_of(&d), 0);
    drawn_carry(&d, 1, 0, 1);
    ck_assert_double_eq(ratio_of(&d), 0);
    drawn_finish(&d);
}
END_TEST

START_TEST(task_after_itself_recurs_with_its_own_cost)
{
    drawn d = drawn_make(2, NULL, NULL, 0);
    d.work.cost_ns[1] = 300;
    drawn_carry(&d, 1, 1, 1);
    ck_assert_double_eq(ratio_of(&d), 300);
    drawn_finish(&d);
}
END_TEST

START_TEST(cycle_costs_all_its_tasks_over_its_distance)
{
    /* 0 -> 1 -> 2, the 0 of two frames later follows 2 */
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {1, 2}));
    drawn_carry(&d, 0, 2, 2);
    ck_assert_double_eq(ratio_of(&d), 1500);
    drawn_finish(&d);
}
END_TEST

START_TEST(dearest_of_several_cycles_counts)
{
    /* 0 -> 1 -> 2; 0 after 1 one frame before: 2000; 0 after 2 two before: 1500; 2 after itself: 1000 */
    drawn d = drawn_make(3, NULL, DRAWN({0, 1}, {1, 2}));
    drawn_carry(&d, 0, 2, 2);
    drawn_carry(&d, 0, 1, 1);
    drawn_carry(&d, 2, 2, 1);
    ck_assert_double_eq(ratio_of(&d), 2000);
    drawn_finish(&d);
}
END_TEST

START_TEST(cycle_of_several_carried_edges_counts)
{
    /* each after the other's frame before: 400 + 1000 in two frames */
    drawn d = drawn_make(2, NULL, NULL, 0);
    d.work.cost_ns[0] = 400;
    drawn_carry(&d, 0, 1, 1);
    drawn_carry(&d, 1, 0, 1);
    ck_assert_double_eq(ratio_of(&d), 700);
    drawn_finish(&d);
}
END_TEST

/* True if some cycle costs more than `price` a frame: longest paths by Floyd and Warshall. */
static bool cycle_above(const drawn *d, double price)
{
    enum { MOST = 12 };
    static double path[MOST][MOST];
    uint32_t tasks = d->dag.tasks;
    for (uint32_t a = 0; a < tasks; a++)
        for (uint32_t b = 0; b < tasks; b++)
            path[a][b] = -1e30;
    for (uint32_t t = 0; t < tasks; t++)
        for (uint32_t e = d->dag.pred_first[t]; e < d->dag.pred_first[t + 1]; e++)
            path[d->dag.pred[e]][t] = (double)d->work.cost_ns[d->dag.pred[e]];
    for (uint32_t i = 0; i < d->plan.carried.edges.count; i++) {
        weir_carried_edge edge = d->plan.carried.edges.at[i];
        double length = (double)d->work.cost_ns[edge.earlier] - price * edge.distance;
        if (path[edge.earlier][edge.later] < length)
            path[edge.earlier][edge.later] = length;
    }
    for (uint32_t m = 0; m < tasks; m++)
        for (uint32_t a = 0; a < tasks; a++)
            for (uint32_t b = 0; b < tasks; b++)
                if (path[a][b] < path[a][m] + path[m][b])
                    path[a][b] = path[a][m] + path[m][b];
    for (uint32_t t = 0; t < tasks; t++)
        if (path[t][t] > 1e-7)
            return true;
    return false;
}

START_TEST(no_cycle_is_dearer_and_one_is_as_dear)
{
    for (uint64_t first = 1; first <= 2000; first++) {
        uint64_t seed = first;
        drawn d = drawn_by_chance(&seed, 12);
        drawn_carry_by_chance(&d, &seed, 4);
        double ratio = ratio_of(&d);
        expect(!cycle_above(&d, ratio + 1e-3), "seed %llu: %g is too low", (unsigned long long)first, ratio);
        expect(ratio <= 0 || cycle_above(&d, ratio - 1e-3), "seed %llu: %g is too high", (unsigned long long)first, ratio);
        drawn_finish(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/recurrence");
    TCase *cases = tcase_create("recurrence");
    tcase_add_test(cases, without_a_cycle_nothing_recurs);
    tcase_add_test(cases, task_after_itself_recurs_with_its_own_cost);
    tcase_add_test(cases, cycle_costs_all_its_tasks_over_its_distance);
    tcase_add_test(cases, dearest_of_several_cycles_counts);
    tcase_add_test(cases, cycle_of_several_carried_edges_counts);
    tcase_add_test(cases, no_cycle_is_dearer_and_one_is_as_dear);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
