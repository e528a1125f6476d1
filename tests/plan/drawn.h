/* drawn.h - DAGs drawn by hand or by chance, and plans of them made pass by pass, without a graph that was declared. */
#ifndef WEIR_TESTS_PLAN_DRAWN_H
#define WEIR_TESTS_PLAN_DRAWN_H

#include "graph/dag.h"
#include "plan/bands.h"
#include "plan/layout.h"
#include "plan/paths.h"
#include "plan/plan.h"
#include "plan/policy.h"
#include "plan/waits.h"
#include "plan/work.h"
#include "util/memory.h"
#include "util/random.h"
#include <check.h>

typedef struct {
    uint32_t earlier, later;
} drawn_edge;

#define DRAWN(...) (const drawn_edge[]){__VA_ARGS__}, sizeof((const drawn_edge[]){__VA_ARGS__}) / sizeof(drawn_edge)

typedef struct {
    weir_dag dag;
    weir_work work;
    weir_bands bands;
    double *tail_ns;
    weir_plan plan; /* pred, carried, order, lane, ... as far as made */
} drawn;

/* As ck_assert_msg, but where it holds it makes no system call: for the inside of long loops. */
#define expect(holds, ...)                                                                                                                 \
    do {                                                                                                                                   \
        if (!(holds))                                                                                                                      \
            ck_abort_msg(__VA_ARGS__);                                                                                                     \
    } while (0)

/* Tasks of 1000 ns each and priority 0. `order`: a topological order, or NULL where 0, 1, 2, ... is one. */
static inline drawn drawn_make(uint32_t tasks, const uint32_t *order, const drawn_edge *edge, size_t count)
{
    drawn d = {.dag = {.tasks = tasks, .edges = (uint32_t)count}, .work = {.tasks = tasks}};
    d.dag.pred_first = weir_alloc(tasks + 1, sizeof(uint32_t));
    d.dag.succ_first = weir_alloc(tasks + 1, sizeof(uint32_t));
    d.dag.pred = weir_alloc(count, sizeof(uint32_t));
    d.dag.succ = weir_alloc(count, sizeof(uint32_t));
    d.dag.order = order ? weir_alloc_copy(order, tasks * sizeof *order) : NULL;
    bool *follows = weir_alloc((size_t)tasks * tasks, sizeof *follows); /* later x earlier */
    for (size_t e = 0; e < count; e++)
        follows[edge[e].later * tasks + edge[e].earlier] = true;
    uint32_t preds = 0, succs = 0;
    for (uint32_t t = 0; t < tasks; t++) {
        for (uint32_t o = 0; o < tasks; o++) {
            if (follows[t * tasks + o])
                d.dag.pred[preds++] = o;
            if (follows[o * tasks + t])
                d.dag.succ[succs++] = o;
        }
        d.dag.pred_first[t + 1] = preds;
        d.dag.succ_first[t + 1] = succs;
    }
    weir_free(follows);
    d.work.cost_ns = weir_alloc(tasks, sizeof(float));
    for (uint32_t t = 0; t < tasks; t++)
        d.work.cost_ns[t] = 1000;
    d.plan.tasks = tasks;
    d.plan.edges = count;
    d.plan.frames = 1;
    d.plan.pred_first = d.dag.pred_first;
    d.plan.pred = d.dag.pred;
    return d;
}

/* Once is enough: as in graph/carried.h, sorted, and none twice. */
static inline void drawn_carry(drawn *d, uint32_t later, uint32_t earlier, uint32_t distance)
{
    ck_assert(weir_vector_reserve(&d->plan.carried.edges, 1));
    weir_carried_edge *edge = d->plan.carried.edges.at;
    uint32_t count = d->plan.carried.edges.count, at = 0;
    while (at < count &&
           (edge[at].later < later ||
            (edge[at].later == later && (edge[at].earlier < earlier || (edge[at].earlier == earlier && edge[at].distance < distance)))))
        at++;
    if (at < count && edge[at].later == later && edge[at].earlier == earlier && edge[at].distance == distance)
        return;
    for (uint32_t i = count; i > at; i--)
        edge[i] = edge[i - 1];
    edge[at] = (weir_carried_edge){later, earlier, distance};
    d->plan.carried.edges.count++;
}

/* Up to `most` tasks, edges of a density by chance, costs of 0 to 9 in hundreds; half the time the numbers are shuffled, so that
 * their order is not topological. */
static inline drawn drawn_by_chance(uint64_t *seed, uint32_t most)
{
    static drawn_edge edge[64 * 63 / 2];
    uint32_t tasks = 1 + weir_random_below(seed, most), density = 1 + weir_random_below(seed, 40), order[64] = {0}, count = 0;
    uint32_t reach = 1 + weir_random_below(seed, tasks); /* how far apart the ends of an edge may be */
    ck_assert_uint_le(most, 64);
    for (uint32_t i = 0; i < tasks; i++)
        order[i] = i;
    bool shuffled = weir_random_below(seed, 2);
    for (uint32_t i = tasks; shuffled && i > 1; i--) {
        uint32_t j = weir_random_below(seed, i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    for (uint32_t i = 0; i < tasks; i++)
        for (uint32_t j = i + 1; j < tasks && j <= i + reach; j++)
            if (weir_random_below(seed, 100) < density)
                edge[count++] = (drawn_edge){order[i], order[j]};
    drawn d = drawn_make(tasks, shuffled ? order : NULL, edge, count);
    for (uint32_t t = 0; t < tasks; t++)
        d.work.cost_ns[t] = (float)(100 * weir_random_below(seed, 10));
    return d;
}

static inline void drawn_carry_by_chance(drawn *d, uint64_t *seed, uint32_t frames)
{
    d->plan.frames = frames;
    for (uint32_t i = weir_random_below(seed, 2 * d->dag.tasks); frames > 1 && i > 0; i--)
        drawn_carry(d, weir_random_below(seed, d->dag.tasks), weir_random_below(seed, d->dag.tasks),
                    1 + weir_random_below(seed, frames - 1));
}

static inline void drawn_prioritise_by_chance(drawn *d, uint64_t *seed, uint32_t distinct)
{
    d->work.priority = weir_alloc(d->dag.tasks, sizeof(int32_t));
    for (uint32_t t = 0; t < d->dag.tasks; t++)
        d->work.priority[t] = 5 * (int32_t)weir_random_below(seed, distinct) - 10;
}

/* Lanes, order and layout by a policy. */
static inline void drawn_place(drawn *d, weir_place_fn *place, uint32_t lanes)
{
    for (uint32_t t = 0; t < d->dag.tasks; t++)
        d->work.total_ns += (double)d->work.cost_ns[t];
    ck_assert_int_eq(weir_bands_create(&d->work, lanes, 1, &d->bands), WEIR_OK);
    d->tail_ns = weir_tails_create(&d->dag, d->work.cost_ns);
    d->plan.lanes = d->bands.lanes;
    d->plan.order = weir_alloc(d->dag.tasks, sizeof(uint32_t));
    d->plan.lane = weir_alloc(d->dag.tasks, sizeof(uint16_t));
    weir_policy_input in = {&d->dag, &d->work, &d->bands, d->tail_ns};
    ck_assert_int_eq(place(&in, d->plan.order, d->plan.lane), WEIR_OK);
    ck_assert_int_eq(weir_layout_create(&d->plan), WEIR_OK);
}

/* Lanes and order by hand. */
static inline void drawn_place_as(drawn *d, uint32_t lanes, const uint32_t *order, const uint16_t *lane)
{
    d->plan.lanes = lanes;
    d->plan.order = weir_alloc_copy(order, d->dag.tasks * sizeof *order);
    d->plan.lane = weir_alloc_copy(lane, d->dag.tasks * sizeof *lane);
    ck_assert_int_eq(weir_layout_create(&d->plan), WEIR_OK);
}

/* Any topological order and any lanes: worse plans than a policy makes, and more kinds of them. */
static inline void drawn_place_by_chance(drawn *d, uint64_t *seed, uint32_t lanes)
{
    uint32_t order[64] = {0}, pending[64] = {0}, placed = 0, tasks = d->dag.tasks;
    uint16_t lane[64] = {0};
    bool done[64] = {0};
    for (uint32_t t = 0; t < tasks; t++) {
        pending[t] = d->dag.pred_first[t + 1] - d->dag.pred_first[t];
        lane[t] = (uint16_t)weir_random_below(seed, lanes);
    }
    while (placed < tasks) {
        uint32_t task = weir_random_below(seed, tasks);
        if (done[task] || pending[task] > 0)
            continue;
        done[task] = true;
        order[placed++] = task;
        for (uint32_t e = d->dag.succ_first[task]; e < d->dag.succ_first[task + 1]; e++)
            pending[d->dag.succ[e]]--;
    }
    drawn_place_as(d, lanes, order, lane);
}

static inline void drawn_find_waits(drawn *d)
{
    ck_assert_int_eq(weir_waits_create(&d->dag, &d->plan), WEIR_OK);
}

static inline bool drawn_waits_for(const drawn *d, uint32_t later, uint32_t earlier, uint32_t distance)
{
    for (uint32_t w = d->plan.wait_first[later]; w < d->plan.wait_first[later + 1]; w++)
        if (d->plan.wait[w].task == earlier && d->plan.wait[w].distance == distance)
            return true;
    return false;
}

static inline bool drawn_order_is_topological(const drawn *d)
{
    for (uint32_t t = 0; t < d->dag.tasks; t++)
        for (uint32_t e = d->dag.pred_first[t]; e < d->dag.pred_first[t + 1]; e++)
            if (d->plan.position[d->dag.pred[e]] >= d->plan.position[t])
                return false;
    return true;
}

static inline void drawn_finish(drawn *d)
{
    weir_free(d->dag.pred_first);
    weir_free(d->dag.pred);
    weir_free(d->dag.succ_first);
    weir_free(d->dag.succ);
    weir_free(d->dag.order);
    weir_work_finish(&d->work);
    weir_bands_finish(&d->bands);
    weir_free(d->tail_ns);
    weir_vector_finish(&d->plan.carried.edges);
    weir_free(d->plan.recurrence.task);
    weir_free(d->plan.order);
    weir_free(d->plan.position);
    weir_free(d->plan.lane);
    weir_free(d->plan.lane_position);
    weir_free(d->plan.lane_first);
    weir_free(d->plan.lane_task);
    weir_free(d->plan.wait_first);
    weir_free(d->plan.wait);
    weir_free(d->plan.records);
    weir_free(d->plan.start_ns);
    weir_free(d->plan.end_ns);
}

#endif
