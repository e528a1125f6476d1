/* check_test.c - what check.c promises: good plans pass, and a plan with anything wrong in it is refused, with the tasks named. The
 * waits are compared with brute.h on random graphs; everything else is broken by hand, one array at a time. */
#include "plan/brute.h"
#include "plan/random_plan.h"

enum { MOST_WAITS = 8192 };

/* The waits of a plan, taken out of it so that they can be changed. */
typedef struct {
    weir_plan *plan;
    uint32_t *first;
    weir_wait *wait;
    uint8_t *records;
    uint32_t own_first[MOST_TASKS + 1];
    weir_wait own_wait[MOST_WAITS];
    uint8_t own_records[MOST_TASKS];
} changed_waits;

static void find_records(changed_waits *c)
{
    memset(c->own_records, 0, sizeof c->own_records);
    for (uint32_t t = 0; t < c->plan->tasks; t++)
        for (uint32_t i = c->own_first[t]; i < c->own_first[t + 1]; i++)
            if (c->own_wait[i].task < c->plan->tasks && c->plan->lane[c->own_wait[i].task] != c->plan->lane[t])
                c->own_records[c->own_wait[i].task] = 1;
}

/* Keeps the plan's waits but for number `without`, and adds one for task `by` (MOST_TASKS: none). */
static void change_waits(changed_waits *c, weir_plan *plan, uint32_t without, uint32_t by, weir_wait added)
{
    uint32_t count = 0;
    *c = (changed_waits){.plan = plan, .first = plan->wait_first, .wait = plan->wait, .records = plan->records};
    for (uint32_t t = 0; t < plan->tasks; t++) {
        c->own_first[t] = count;
        if (t == by && added.distance == 0)
            c->own_wait[count++] = added;
        for (uint32_t i = plan->wait_first[t]; i < plan->wait_first[t + 1]; i++)
            if (i != without)
                c->own_wait[count++] = plan->wait[i];
        if (t == by && added.distance > 0)
            c->own_wait[count++] = added;
    }
    c->own_first[plan->tasks] = count;
    find_records(c);
    plan->wait_first = c->own_first;
    plan->wait = c->own_wait;
    plan->records = c->own_records;
}

static void restore_waits(changed_waits *c)
{
    c->plan->wait_first = c->first;
    c->plan->wait = c->wait;
    c->plan->records = c->records;
}

static bool has_wait(const weir_plan *plan, uint32_t task, weir_wait wanted)
{
    for (uint32_t i = plan->wait_first[task]; i < plan->wait_first[task + 1]; i++)
        if (plan->wait[i].task == wanted.task && plan->wait[i].distance == wanted.distance)
            return true;
    return false;
}

/* Slow truth: every edge is covered by paths of lanes and waits, and no wait is by other paths. */
static bool waits_are_right(const weir_plan *plan)
{
    static brute b;
    uint32_t frames = brute_furthest(plan) + 1, tasks = plan->tasks, last = (frames - 1) * tasks;
    brute_init(&b, frames * tasks);
    brute_add_lanes(&b, plan, frames);
    brute_add_waits(&b, plan, frames);
    brute_close(&b);
    for (uint32_t t = 0; t < tasks; t++) {
        for (uint32_t i = plan->pred_first[t]; i < plan->pred_first[t + 1]; i++)
            if (!brute_reaches(&b, last + plan->pred[i], last + t))
                return false;
        for (uint32_t i = plan->wait_first[t]; i < plan->wait_first[t + 1]; i++) {
            uint32_t from = last - plan->wait[i].distance * tasks + plan->wait[i].task;
            if (plan->lane[plan->wait[i].task] == plan->lane[t] || brute_reaches_far(&b, from, last + t))
                return false;
        }
    }
    for (uint32_t i = 0; i < plan->carried.edges.count; i++) {
        weir_carried_edge edge = plan->carried.edges.at[i];
        if (!brute_reaches(&b, last - edge.distance * tasks + edge.earlier, last + edge.later))
            return false;
    }
    return true;
}

START_TEST(plans_of_random_graphs_pass_and_are_right_by_brute_force)
{
    for (uint64_t number = 0; number < 200; number++) {
        uint64_t seed = number;
        weir_plan *plan = make_plan(&seed, MOST_TASKS);
        ck_assert_msg(weir_plan_check(plan) == WEIR_OK, "seed %u: %s", (unsigned)number, weir_last_error());
        ck_assert_msg(waits_are_right(plan), "seed %u", (unsigned)number);
        weir_plan_destroy(plan);
    }
}
END_TEST

START_TEST(a_plan_that_lost_any_of_its_waits_is_refused)
{
    uint32_t waits = 0;
    for (uint64_t number = 0; number < 300; number++) {
        uint64_t seed = 1000 + number;
        weir_plan *plan = make_plan(&seed, MOST_TASKS);
        for (uint32_t t = 0; t < plan->tasks; t++)
            for (uint32_t i = plan->wait_first[t]; i < plan->wait_first[t + 1]; i++, waits++) {
                static changed_waits c;
                change_waits(&c, plan, i, MOST_TASKS, (weir_wait){0});
                ck_assert_msg(weir_plan_check(plan) == WEIR_ERR_HAZARD, "seed %u: wait %u of task %u", (unsigned)number, i, t);
                ck_assert_msg(strstr(weir_last_error(), "may start before"), "%s", weir_last_error());
                restore_waits(&c);
            }
        ck_assert_int_eq(weir_plan_check(plan), WEIR_OK);
        weir_plan_destroy(plan);
    }
    ck_assert_uint_gt(waits, 3000);
}
END_TEST

START_TEST(a_plan_that_waits_for_any_other_of_its_edges_is_refused)
{
    uint32_t added = 0;
    for (uint64_t number = 0; number < 200; number++) {
        uint64_t seed = 2000 + number;
        weir_plan *plan = make_plan(&seed, MOST_TASKS);
        static changed_waits c;
        for (uint32_t t = 0; t < plan->tasks; t++)
            for (uint32_t i = plan->pred_first[t]; i < plan->pred_first[t + 1]; i++) {
                weir_wait wait = {plan->pred[i], 0};
                if (has_wait(plan, t, wait))
                    continue;
                change_waits(&c, plan, UINT32_MAX, t, wait);
                ck_assert_msg(weir_plan_check(plan) == WEIR_ERR_HAZARD && strstr(weir_last_error(), "can be left out"),
                              "seed %u: %u for %u: %s", (unsigned)number, t, wait.task, weir_last_error());
                restore_waits(&c);
                added++;
            }
        for (uint32_t i = 0; i < plan->carried.edges.count; i++) {
            weir_carried_edge edge = plan->carried.edges.at[i];
            weir_wait wait = {edge.earlier, edge.distance};
            if (has_wait(plan, edge.later, wait))
                continue;
            change_waits(&c, plan, UINT32_MAX, edge.later, wait);
            ck_assert_msg(weir_plan_check(plan) == WEIR_ERR_HAZARD && strstr(weir_last_error(), "can be left out"),
                          "seed %u: %u for %u of %u: %s", (unsigned)number, edge.later, wait.task, wait.distance, weir_last_error());
            restore_waits(&c);
            added++;
        }
        weir_plan_destroy(plan);
    }
    ck_assert_uint_gt(added, 3000);
}
END_TEST

START_TEST(a_wait_that_stands_twice_is_refused)
{
    for (uint64_t number = 0; number < 50; number++) {
        uint64_t seed = 3000 + number;
        weir_plan *plan = make_plan(&seed, 32);
        for (uint32_t t = 0; t < plan->tasks; t++)
            for (uint32_t i = plan->wait_first[t]; i < plan->wait_first[t + 1]; i++) {
                static changed_waits c;
                change_waits(&c, plan, UINT32_MAX, t, plan->wait[i]);
                ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
                restore_waits(&c);
            }
        weir_plan_destroy(plan);
    }
}
END_TEST

/* Any edges may be waits here, so plans have several things wrong, or by chance nothing. */
START_TEST(verdicts_agree_with_brute_force_on_random_waits)
{
    unsigned right = 0, wrong = 0;
    for (uint64_t number = 0; number < 1500; number++) {
        uint64_t seed = 4000 + number;
        weir_plan *plan = make_plan(&seed, number % 3 ? 6 : 24);
        static changed_waits c;
        change_waits(&c, plan, UINT32_MAX, MOST_TASKS, (weir_wait){0});
        uint32_t count = 0, odds = 1 + weir_random_below(&seed, 12);
        for (uint32_t t = 0; t < plan->tasks; t++) {
            c.own_first[t] = count;
            for (uint32_t i = plan->pred_first[t]; i < plan->pred_first[t + 1]; i++) {
                bool own = false;
                for (uint32_t k = c.first[t]; k < c.first[t + 1]; k++)
                    own |= c.wait[k].distance == 0 && c.wait[k].task == plan->pred[i];
                if (own != (weir_random_below(&seed, odds * 8) == 0))
                    c.own_wait[count++] = (weir_wait){plan->pred[i], 0};
            }
            for (uint32_t i = 0; i < plan->carried.edges.count; i++) {
                weir_carried_edge edge = plan->carried.edges.at[i];
                bool own = false;
                for (uint32_t k = c.first[t]; k < c.first[t + 1]; k++)
                    own |= c.wait[k].distance == edge.distance && c.wait[k].task == edge.earlier;
                if (edge.later == t && own != (weir_random_below(&seed, odds * 8) == 0))
                    c.own_wait[count++] = (weir_wait){edge.earlier, edge.distance};
            }
        }
        c.own_first[plan->tasks] = count;
        find_records(&c);
        bool truth = waits_are_right(plan);
        ck_assert_msg((weir_plan_check(plan) == WEIR_OK) == truth, "seed %u: brute force says %s, check: %s", (unsigned)number,
                      truth ? "right" : "wrong", weir_last_error());
        *(truth ? &right : &wrong) += 1;
        restore_waits(&c);
        weir_plan_destroy(plan);
    }
    ck_assert_uint_gt(right, 100); /* else the comparison says nothing */
    ck_assert_uint_gt(wrong, 100);
}
END_TEST

/* a -> b, a -> c, b -> d, c -> d on two lanes: a, b, d in one and c in the other; d of each frame after c of the frame before. */
typedef struct {
    weir_graph *graph;
    weir_plan *plan;
    uint32_t a, b, c, d;
} diamond;

static diamond diamond_make(void)
{
    diamond f = {0};
    ck_assert_int_eq(weir_graph_create("diamond", WEIR_GRAPH_EXPLICIT, &f.graph), WEIR_OK);
    weir_task a = weir_add_empty(f.graph, "a"), b = weir_add_empty(f.graph, "b"), c = weir_add_empty(f.graph, "c"),
              d = weir_add_empty(f.graph, "d");
    weir_task tasks[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        weir_task_set(f.graph, tasks[i], &(weir_task_options){.cost_ns = i == 2 ? 500 : 1000});
    weir_after(f.graph, b, a);
    weir_after(f.graph, c, a);
    weir_after(f.graph, d, b);
    weir_after(f.graph, d, c);
    weir_after_previous(f.graph, b, c, 1);
    weir_after_previous(f.graph, a, d, 1); /* frames cannot overlap, so there is no gain in other lanes than those of one */
    ck_assert_int_eq(weir_plan_create(f.graph, &(weir_plan_options){.policy = "priority", .lanes = 2, .frames = 2}, &f.plan), WEIR_OK);
    ck_assert_int_eq(weir_plan_check(f.plan), WEIR_OK);
    f.a = a.number - 1;
    f.b = b.number - 1;
    f.c = c.number - 1;
    f.d = d.number - 1;
    ck_assert_uint_eq(f.plan->lane[f.a], f.plan->lane[f.b]);
    ck_assert_uint_ne(f.plan->lane[f.a], f.plan->lane[f.c]);
    return f;
}

static void diamond_finish(diamond *f)
{
    ck_assert_int_eq(weir_plan_check(f->plan), WEIR_OK); /* the test put back what it broke */
    weir_plan_destroy(f->plan);
    weir_graph_destroy(f->graph);
}

static void refuses(const weir_plan *plan, const char *text)
{
    ck_assert_int_eq(weir_plan_check(plan), WEIR_ERR_HAZARD);
    ck_assert_msg(strstr(weir_last_error(), text) != NULL, "'%s' does not say '%s'", weir_last_error(), text);
}

START_TEST(a_missing_wait_names_both_tasks)
{
    diamond f = diamond_make();
    static changed_waits c;
    change_waits(&c, f.plan, f.plan->wait_first[f.c], MOST_TASKS, (weir_wait){0});
    refuses(f.plan, "task 'c' may start before 'a' is done: nothing orders them");
    restore_waits(&c);
    diamond_finish(&f);
}
END_TEST

/* b of the next frame follows d, which waits for c: so that wait covers the carried edge, and an own one is one too many. */
START_TEST(a_needless_wait_names_both_tasks_and_the_frame)
{
    diamond f = diamond_make();
    static changed_waits c;
    change_waits(&c, f.plan, UINT32_MAX, f.b, (weir_wait){f.a, 0});
    refuses(f.plan, "the wait of 'b' for 'a' can be left out");
    restore_waits(&c);
    change_waits(&c, f.plan, UINT32_MAX, f.b, (weir_wait){f.c, 1});
    refuses(f.plan, "the wait of 'b' for 'c' of 1 frames before can be left out");
    restore_waits(&c);
    diamond_finish(&f);
}
END_TEST

START_TEST(a_carried_edge_that_nothing_covers_names_the_frame)
{
    diamond f = diamond_make();
    static changed_waits c;
    change_waits(&c, f.plan, f.plan->wait_first[f.d], MOST_TASKS, (weir_wait){0});
    ck_assert_int_eq(weir_plan_check(f.plan), WEIR_ERR_HAZARD);
    ck_assert_msg(strstr(weir_last_error(), "'c'") &&
                      (strstr(weir_last_error(), "'d' may start") || strstr(weir_last_error(), "'c' of 1 frames before is done")),
                  "%s", weir_last_error());
    restore_waits(&c);
    diamond_finish(&f);
}
END_TEST

START_TEST(a_wait_that_is_no_edge_is_refused)
{
    diamond f = diamond_make();
    static changed_waits c;
    change_waits(&c, f.plan, UINT32_MAX, f.c, (weir_wait){f.b, 0});
    refuses(f.plan, "which it need not follow");
    restore_waits(&c);
    change_waits(&c, f.plan, UINT32_MAX, f.d, (weir_wait){f.c, 1});
    refuses(f.plan, "which it need not follow");
    restore_waits(&c);
    change_waits(&c, f.plan, UINT32_MAX, f.d, (weir_wait){4, 0});
    refuses(f.plan, "list of waits of task 'd'");
    restore_waits(&c);
    diamond_finish(&f);
}
END_TEST

START_TEST(an_order_against_an_edge_is_refused)
{
    diamond f = diamond_make();
    uint32_t kept[4], *order = f.plan->order;
    memcpy(kept, order, sizeof kept);
    uint32_t next = 0;
    order[next++] = f.c; /* c to the front; it is alone in its lane, so the lanes stay as they are */
    for (uint32_t i = 0; i < 4; i++)
        if (kept[i] != f.c)
            order[next++] = kept[i];
    for (uint32_t i = 0; i < 4; i++)
        f.plan->position[order[i]] = i;
    refuses(f.plan, "task 'c' comes before 'a', which it must follow");
    memcpy(order, kept, sizeof kept);
    for (uint32_t i = 0; i < 4; i++)
        f.plan->position[order[i]] = i;
    diamond_finish(&f);
}
END_TEST

START_TEST(an_order_that_is_no_permutation_is_refused)
{
    diamond f = diamond_make();
    uint32_t kept = f.plan->order[3];
    f.plan->order[3] = f.plan->order[2];
    refuses(f.plan, "order and positions disagree");
    f.plan->order[3] = 4;
    refuses(f.plan, "order and positions disagree");
    f.plan->order[3] = kept;
    diamond_finish(&f);
}
END_TEST

START_TEST(lanes_that_do_not_hold_their_tasks_are_refused)
{
    diamond f = diamond_make();
    weir_plan *plan = f.plan;
    uint16_t lane = plan->lane[f.c];
    plan->lane[f.c] = plan->lane[f.a];
    refuses(plan, "lane of task 'c'");
    plan->lane[f.c] = 2;
    refuses(plan, "lane of task 'c'");
    plan->lane[f.c] = lane;
    plan->lane_position[f.d]--;
    refuses(plan, "place in its lane of task 'd'");
    plan->lane_position[f.d]++;
    plan->lanes = 0;
    refuses(plan, "0 lanes");
    plan->lanes = WEIR_LANES_MOST + 1;
    refuses(plan, "must be 1 to 1024");
    plan->lanes = 2;
    plan->lane_first[plan->lanes]--;
    refuses(plan, "do not hold each task once");
    plan->lane_first[plan->lanes]++;
    diamond_finish(&f);
}
END_TEST

START_TEST(a_lane_out_of_the_plans_order_is_refused)
{
    diamond f = diamond_make();
    uint32_t *task = f.plan->lane_task + f.plan->lane_first[f.plan->lane[f.a]];
    ck_assert_uint_eq(task[0], f.a);
    task[0] = task[1];
    task[1] = f.a;
    f.plan->lane_position[task[0]] = 0;
    f.plan->lane_position[f.a] = 1;
    refuses(f.plan, "place in its lane");
    task[1] = task[0];
    task[0] = f.a;
    f.plan->lane_position[task[1]] = 1;
    f.plan->lane_position[f.a] = 0;
    diamond_finish(&f);
}
END_TEST

START_TEST(dropped_edges_are_noticed)
{
    diamond f = diamond_make();
    uint32_t at = f.plan->pred_first[f.d];
    f.plan->pred[at] = f.plan->pred[at + 1];
    refuses(f.plan, "the plan lacks the edge from task 'b' to 'd'");
    f.plan->pred[at] = f.b;
    f.plan->edges--;
    refuses(f.plan, "counts 3 edges");
    f.plan->edges++;
    ck_assert_uint_eq(f.plan->carried.edges.count, 2);
    f.plan->carried.edges.count = 1;
    refuses(f.plan, "the plan lacks the edge from task 'c' to 'b' 1 frames later");
    f.plan->carried.edges.count = 2;
    f.plan->carried.edges.at[1].distance = 2;
    refuses(f.plan, "the plan lacks the edge from task 'c' to 'b' 1 frames later");
    f.plan->carried.edges.at[1].distance = 1;
    diamond_finish(&f);
}
END_TEST

START_TEST(edges_to_later_frames_that_the_graph_does_not_have_are_noticed)
{
    diamond f = diamond_make();
    weir_carried_edge *kept = f.plan->carried.edges.at, more[] = {kept[0], kept[1], {f.d, f.a, 1}};
    f.plan->carried.edges.at = more;
    f.plan->carried.edges.count = 3;
    refuses(f.plan, "the plan has 3 edges to later frames, its graph 2");
    f.plan->carried.edges.at = kept;
    f.plan->carried.edges.count = 2;
    diamond_finish(&f);
}
END_TEST

START_TEST(waits_of_earlier_frames_before_those_of_the_same_are_refused)
{
    diamond f = diamond_make();
    static changed_waits c;
    change_waits(&c, f.plan, UINT32_MAX, f.b, (weir_wait){f.c, 1});
    uint32_t end = c.own_first[f.b + 1];
    memmove(&c.own_wait[end + 1], &c.own_wait[end], (c.own_first[4] - end) * sizeof(weir_wait));
    c.own_wait[end] = (weir_wait){f.a, 0};
    for (uint32_t t = f.b + 1; t <= 4; t++)
        c.own_first[t]++;
    refuses(f.plan, "list of waits of task 'b'");
    restore_waits(&c);
    diamond_finish(&f);
}
END_TEST

START_TEST(figures_that_do_not_fit_the_graph_are_refused)
{
    diamond f = diamond_make();
    f.plan->tasks--;
    refuses(f.plan, "the plan has 3 tasks, its graph 4");
    f.plan->tasks++;
    f.plan->frames = 0;
    refuses(f.plan, "do not fit");
    f.plan->frames = 2;
    uint32_t kept = f.plan->ring_copies;
    f.plan->ring_copies = 1;
    refuses(f.plan, "2 frames and 1 copies of rings do not fit");
    f.plan->ring_copies = kept;
    diamond_finish(&f);
}
END_TEST

START_TEST(events_that_are_missing_or_idle_are_refused)
{
    diamond f = diamond_make();
    f.plan->records[f.a] = 0;
    refuses(f.plan, "task 'a' is waited for and leaves no event");
    f.plan->records[f.a] = 1;
    f.plan->records[f.b] = 1;
    refuses(f.plan, "task 'b' leaves an event that nobody waits for");
    f.plan->records[f.b] = 0;
    diamond_finish(&f);
}
END_TEST

/* Two urgent and two relaxed tasks, all free of each other, on two lanes: a band each. */
START_TEST(a_task_on_a_lane_of_another_band_is_refused)
{
    static const int32_t priorities[] = {-2, -1, 0, 3};
    static const char *const names[] = {"p", "q", "r", "s"};
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    ck_assert_int_eq(weir_graph_create("bands", 0, &graph), WEIR_OK);
    for (int i = 0; i < 4; i++) {
        weir_task task = weir_add_empty(graph, names[i]);
        weir_task_set(graph, task, &(weir_task_options){.priority = priorities[i], .cost_ns = 1000});
    }
    ck_assert_int_eq(weir_plan_create(graph, &(weir_plan_options){.lanes = 2}, &plan), WEIR_OK);
    ck_assert_int_eq(weir_plan_check(plan), WEIR_OK);
    ck_assert_int_ne(plan->lane_priority[0], plan->lane_priority[1]);
    int32_t kept[] = {plan->lane_priority[0], plan->lane_priority[1]};
    plan->lane_priority[0] = kept[1];
    plan->lane_priority[1] = kept[0];
    refuses(plan, "whose priority is");
    plan->lane_priority[0] = plan->lane_priority[1] = -1; /* -2 is more urgent than every band */
    refuses(plan, "task 'p' of priority -2 is on lane");
    plan->lane_priority[0] = kept[0];
    plan->lane_priority[1] = kept[1];
    ck_assert_int_eq(weir_plan_check(plan), WEIR_OK);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(no_plan_and_an_empty_plan_are_told_apart)
{
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    ck_assert_int_eq(weir_plan_check(NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_graph_create("empty", 0, &graph), WEIR_OK);
    ck_assert_int_eq(weir_plan_create(graph, NULL, &plan), WEIR_OK);
    ck_assert_int_eq(weir_plan_check(plan), WEIR_OK);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

/* A long chain over many lanes keeps the promise on time: this takes a blink, where anything quadratic would take minutes. */
START_TEST(large_plans_are_checked_in_time)
{
    enum { TASKS = 20000 };
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    uint64_t seed = 5;
    weir_task *task = calloc(TASKS, sizeof *task);
    ck_assert_int_eq(weir_graph_create("large", WEIR_GRAPH_EXPLICIT, &graph), WEIR_OK);
    for (uint32_t i = 0; i < TASKS; i++) {
        task[i] = weir_add_empty(graph, "task");
        for (uint32_t k = 0; i > 0 && k < 3; k++)
            weir_after(graph, task[i], task[i < 100 ? weir_random_below(&seed, i) : i - 1 - weir_random_below(&seed, 100)]);
    }
    ck_assert_int_eq(weir_plan_create(graph, &(weir_plan_options){.lanes = 32}, &plan), WEIR_OK);
    ck_assert_msg(weir_plan_check(plan) == WEIR_OK, "%s", weir_last_error());
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    free(task);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/check");
    TCase *random = tcase_create("random graphs"), *broken = tcase_create("broken by hand");
    tcase_add_test(random, plans_of_random_graphs_pass_and_are_right_by_brute_force);
    tcase_add_test(random, a_plan_that_lost_any_of_its_waits_is_refused);
    tcase_add_test(random, a_plan_that_waits_for_any_other_of_its_edges_is_refused);
    tcase_add_test(random, a_wait_that_stands_twice_is_refused);
    tcase_add_test(random, verdicts_agree_with_brute_force_on_random_waits);
    tcase_add_test(random, large_plans_are_checked_in_time);
    tcase_add_test(broken, a_missing_wait_names_both_tasks);
    tcase_add_test(broken, a_needless_wait_names_both_tasks_and_the_frame);
    tcase_add_test(broken, a_carried_edge_that_nothing_covers_names_the_frame);
    tcase_add_test(broken, a_wait_that_is_no_edge_is_refused);
    tcase_add_test(broken, an_order_against_an_edge_is_refused);
    tcase_add_test(broken, an_order_that_is_no_permutation_is_refused);
    tcase_add_test(broken, lanes_that_do_not_hold_their_tasks_are_refused);
    tcase_add_test(broken, a_lane_out_of_the_plans_order_is_refused);
    tcase_add_test(broken, dropped_edges_are_noticed);
    tcase_add_test(broken, edges_to_later_frames_that_the_graph_does_not_have_are_noticed);
    tcase_add_test(broken, waits_of_earlier_frames_before_those_of_the_same_are_refused);
    tcase_add_test(broken, figures_that_do_not_fit_the_graph_are_refused);
    tcase_add_test(broken, events_that_are_missing_or_idle_are_refused);
    tcase_add_test(broken, a_task_on_a_lane_of_another_band_is_refused);
    tcase_add_test(broken, no_plan_and_an_empty_plan_are_told_apart);
    suite_add_tcase(suite, random);
    suite_add_tcase(suite, broken);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
