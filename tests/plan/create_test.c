/* create_test.c - what weir_plan_create promises. */
#include "plan/brute.h"
#include "plan/replay.h"
#include "util/memory.h"
#include "util/random.h"
#include "weir/weir.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static void no_environment(void)
{
    unsetenv("WEIR_POLICY");
    unsetenv("WEIR_LANES");
}

static weir_graph *graph_make(void)
{
    weir_graph *graph = NULL;
    ck_assert_int_eq(weir_graph_create("graph", 0, &graph), WEIR_OK);
    return graph;
}

static weir_buffer *buffer_make(const char *name, uint32_t copies, weir_place place)
{
    weir_buffer *buffer = NULL;
    weir_buffer_desc desc = {.name = name, .element_bytes = 4, .nx = 16, .copies = copies, .place = place};
    ck_assert_int_eq(weir_buffer_create(&desc, &buffer), WEIR_OK);
    return buffer;
}

static weir_status nothing(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_OK;
}

static weir_plan *plan_of(const weir_graph *graph, const weir_plan_options *options)
{
    weir_plan *plan = NULL;
    weir_status status = weir_plan_create(graph, options, &plan);
    ck_assert_msg(status == WEIR_OK, "%s", weir_last_error());
    ck_assert(weir_plan_is_valid(plan));
    return plan;
}

static weir_plan_summary summary_of(const weir_graph *graph, const weir_plan_options *options)
{
    weir_plan_summary summary;
    weir_plan *plan = plan_of(graph, options);
    weir_plan_summarise(plan, &summary);
    weir_plan_destroy(plan);
    return summary;
}

static void check_refused(const weir_graph *graph, const weir_plan_options *options, weir_status expected, const char *text)
{
    weir_plan *untouched = (weir_plan *)&untouched, *out = untouched;
    ck_assert_int_eq(weir_plan_create(graph, options, &out), expected);
    ck_assert_ptr_eq(out, untouched);
    ck_assert_msg(strstr(weir_last_error(), text), "'%s' does not say '%s'", weir_last_error(), text);
}

START_TEST(no_options_are_the_defaults)
{
    no_environment();
    weir_graph *graph = graph_make();
    for (int i = 0; i < 12; i++)
        weir_add_host(graph, "wide", nothing, NULL, weir_no_args());
    weir_plan_summary s = summary_of(graph, NULL);
    ck_assert_str_eq(s.policy, "priority");
    ck_assert_uint_eq(s.lanes, 8);
    ck_assert_uint_eq(s.frames, 1);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(lanes_left_alone_fit_the_level_width)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_task first = weir_add_empty(graph, "first");
    ck_assert_uint_eq(summary_of(graph, NULL).lanes, 1);
    for (int i = 0; i < 3; i++)
        weir_after(graph, weir_add_empty(graph, "then"), first);
    ck_assert_uint_eq(summary_of(graph, NULL).lanes, 3);
    ck_assert_uint_eq(summary_of(graph, &(weir_plan_options){.lanes = 5}).lanes, 5);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(empty_graph_has_an_empty_plan)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_plan_summary s = summary_of(graph, &(weir_plan_options){.frames = 3});
    ck_assert_uint_eq(s.tasks, 0);
    ck_assert_uint_eq(s.waits, 0);
    ck_assert_uint_eq(s.lanes, 1);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(environment_wins_over_options)
{
    weir_graph *graph = graph_make();
    weir_add_empty(graph, "task");
    setenv("WEIR_LANES", "3", 1);
    setenv("WEIR_POLICY", "round_robin", 1);
    weir_plan_summary s = summary_of(graph, &(weir_plan_options){.lanes = 7, .policy = "priority"});
    ck_assert_uint_eq(s.lanes, 3);
    ck_assert_str_eq(s.policy, "round_robin");
    no_environment();
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(bad_environment_is_refused_with_what_is_allowed)
{
    weir_graph *graph = graph_make();
    weir_add_empty(graph, "task");
    static const char *const bad[] = {"0", "1025", "many", "-1", "3x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("WEIR_LANES", bad[i], 1);
        check_refused(graph, NULL, WEIR_ERR_INVALID, "from 1 to 1024");
    }
    no_environment();
    setenv("WEIR_POLICY", "luck", 1);
    check_refused(graph, NULL, WEIR_ERR_INVALID, "priority, round_robin");
    no_environment();
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(bad_options_are_refused)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_add_empty(graph, "task");
    check_refused(graph, &(weir_plan_options){.policy = "luck"}, WEIR_ERR_INVALID, "priority, round_robin");
    check_refused(graph, &(weir_plan_options){.lanes = 1025}, WEIR_ERR_INVALID, "1024");
    check_refused(graph, &(weir_plan_options){.frames = 65}, WEIR_ERR_INVALID, "64");
    check_refused(NULL, NULL, WEIR_ERR_INVALID, "graph");
    ck_assert_uint_eq(summary_of(graph, &(weir_plan_options){.lanes = 1024, .frames = 64}).lanes, 1024);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(first_error_of_declaring_comes_out)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_task fine = weir_add_empty(graph, "fine");
    weir_after(graph, fine, (weir_task){0});
    ck_assert_int_ne(weir_graph_status(graph), WEIR_OK);
    check_refused(graph, NULL, weir_graph_status(graph), "fine");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(cycle_is_refused_and_named)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_task a = weir_add_empty(graph, "a"), b = weir_add_empty(graph, "b");
    weir_after(graph, a, b);
    weir_after(graph, b, a);
    check_refused(graph, NULL, WEIR_ERR_CYCLE, " -> ");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(graph_may_change_afterwards)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_task a = weir_add_empty(graph, "a");
    weir_plan *plan = plan_of(graph, NULL);
    weir_after(graph, weir_add_empty(graph, "b"), a);
    weir_plan_summary s;
    weir_plan_summarise(plan, &s);
    ck_assert_uint_eq(s.tasks, 1);
    ck_assert_uint_eq(plan->body->tasks.count, 1);
    ck_assert_uint_eq(summary_of(graph, NULL).tasks, 2);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(lanes_have_the_priority_of_their_band)
{
    no_environment();
    weir_graph *graph = graph_make();
    static const int32_t priority[] = {3, -7, 3, 3};
    for (int i = 0; i < 4; i++)
        weir_task_set(graph, weir_add_host(graph, "task", nothing, NULL, weir_no_args()), &(weir_task_options){.priority = priority[i]});
    weir_plan *plan = plan_of(graph, &(weir_plan_options){.lanes = 3});
    ck_assert_int_eq(plan->lane_priority[0], -7);
    ck_assert_int_eq(plan->lane_priority[1], 3);
    ck_assert_int_eq(plan->lane_priority[2], 3);
    for (uint32_t t = 0; t < 4; t++)
        ck_assert_int_eq(plan->lane_priority[plan->lane[t]], priority[t]);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
}
END_TEST

/* One ring of `copies`, written and read back every frame. */
static uint32_t slots_of(uint32_t copies, uint32_t other_copies, uint32_t frames)
{
    weir_graph *graph = graph_make();
    weir_buffer *ring = buffer_make("ring", copies, WEIR_HOST_LOCAL), *other = buffer_make("other", other_copies, WEIR_HOST_LOCAL);
    weir_add_host(graph, "write", nothing, NULL, WEIR_ARGS(WEIR_WRITE(ring), WEIR_WRITE(other)));
    uint32_t slots = summary_of(graph, &(weir_plan_options){.frames = frames}).slots;
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
    weir_buffer_destroy(other);
    return slots;
}

START_TEST(slots_are_a_multiple_of_every_ring_and_enough_for_the_frames)
{
    no_environment();
    ck_assert_uint_eq(slots_of(1, 1, 1), 1);
    ck_assert_uint_eq(slots_of(1, 1, 3), 3);
    ck_assert_uint_eq(slots_of(2, 1, 3), 4);
    ck_assert_uint_eq(slots_of(2, 3, 1), 6);
    ck_assert_uint_eq(slots_of(3, 4, 12), 12);
    ck_assert_uint_eq(slots_of(WEIR_RING_AUTO, 1, 3), 3);
}
END_TEST

START_TEST(more_than_twelve_slots_are_none)
{
    no_environment();
    ck_assert_uint_eq(slots_of(3, 5, 1), 0);
    ck_assert_uint_eq(slots_of(13, 1, 1), 0);
    ck_assert_uint_eq(slots_of(9, 1, 10), 0);
    ck_assert_uint_eq(slots_of(1, 1, 13), 0);
}
END_TEST

START_TEST(automatic_rings_have_a_copy_a_frame_in_flight)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_buffer *ring = buffer_make("ring", WEIR_RING_AUTO, WEIR_HOST_LOCAL);
    weir_add_host(graph, "step", nothing, NULL, WEIR_ARGS(WEIR_PREVIOUS(ring, 2), WEIR_WRITE(ring)));
    weir_plan *plan = plan_of(graph, &(weir_plan_options){.frames = 2});
    ck_assert_uint_eq(plan->ring_copies, 3);
    weir_plan_destroy(plan);
    plan = plan_of(graph, &(weir_plan_options){.frames = 5});
    ck_assert_uint_eq(plan->ring_copies, 5);
    weir_plan_destroy(plan);
    ck_assert_uint_eq(weir_buffer_fix_copies(ring, 3), 3);
    check_refused(graph, &(weir_plan_options){.frames = 5}, WEIR_ERR_INVALID, "'ring' has 3 copies");
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(carried_waits_are_there_only_with_frames_in_flight)
{
    no_environment();
    weir_graph *graph = graph_make();
    weir_task a = weir_add_empty(graph, "a"), b = weir_add_empty(graph, "b");
    weir_after_previous(graph, a, b, 1);
    weir_plan_entry entry;
    for (uint32_t frames = 1; frames <= 2; frames++) {
        weir_plan *plan = plan_of(graph, &(weir_plan_options){.frames = frames, .lanes = 2});
        ck_assert_int_eq(weir_plan_get(plan, a, &entry), WEIR_OK);
        ck_assert_uint_eq(entry.waits, 0);
        ck_assert_uint_eq(entry.carried_waits, frames - 1);
        weir_plan_destroy(plan);
    }
    weir_graph_destroy(graph);
}
END_TEST

/* Host tasks over a few rings and plain buffers, as a program would declare them. */
static weir_graph *graph_by_chance(uint64_t *seed)
{
    enum { BUFFERS = 5 };
    weir_graph *graph = graph_make();
    weir_buffer *buffer[BUFFERS];
    bool written[BUFFERS] = {0};
    for (int b = 0; b < BUFFERS; b++)
        buffer[b] = buffer_make("buffer", 1 + weir_random_below(seed, 4), WEIR_HOST_LOCAL);
    for (uint32_t i = 1 + weir_random_below(seed, 40); i > 0; i--) {
        uint32_t to = weir_random_below(seed, BUFFERS), from = weir_random_below(seed, BUFFERS), copies = buffer[from]->copies;
        weir_arg args[2] = {WEIR_WRITE(buffer[to])};
        size_t count = 1;
        if (copies > 1 && weir_random_below(seed, 2))
            args[count++] = weir_back(WEIR_READ(buffer[from]), 1 + weir_random_below(seed, copies - 1));
        else if (written[from] && from != to)
            args[count++] = WEIR_READ(buffer[from]);
        weir_task task = weir_add_host(graph, "task", nothing, NULL, (weir_args){args, count});
        weir_task_options options = {
            .cost_ns = 100 * weir_random_below(seed, 20),
            .priority = (int32_t)weir_random_below(seed, 3),
            .flags = weir_random_below(seed, 2) ? WEIR_TASK_REENTRANT : 0,
        };
        weir_task_set(graph, task, &options);
        written[to] = true;
    }
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "%s", weir_last_error());
    for (int b = 0; b < BUFFERS; b++)
        weir_buffer_destroy(buffer[b]);
    return graph;
}

static weir_plan_options options_by_chance(uint64_t *seed)
{
    static const char *const policies[] = {"priority", "round_robin"};
    return (weir_plan_options){policies[weir_random_below(seed, 2)], weir_random_below(seed, 33), weir_random_below(seed, 5)};
}

static bool covered_by_force(const weir_plan *plan)
{
    static brute edges, kept;
    uint32_t frames = brute_furthest(plan) + 1;
    brute_init(&edges, frames * plan->tasks);
    brute_add_edges(&edges, plan, frames);
    brute_init(&kept, frames * plan->tasks);
    brute_add_lanes(&kept, plan, frames);
    brute_add_waits(&kept, plan, frames);
    brute_close(&kept);
    for (uint32_t from = 0; from < frames * plan->tasks; from++)
        for (uint32_t w = 0; w < BRUTE_WORDS; w++)
            if (edges.reach[from][w] & ~kept.reach[from][w])
                return false;
    return true;
}

START_TEST(plans_of_declared_graphs_cover_every_edge)
{
    no_environment();
    for (uint64_t first = 1; first <= 1000; first++) {
        uint64_t seed = first;
        weir_graph *graph = graph_by_chance(&seed);
        weir_plan_options options = options_by_chance(&seed);
        weir_plan *plan = plan_of(graph, &options);
        ck_assert_msg(covered_by_force(plan), "seed %llu", (unsigned long long)first);
        weir_plan_destroy(plan);
        weir_graph_destroy(graph);
    }
}
END_TEST

static bool same(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_numbers(const double *a, const double *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return false;
    return true;
}

START_TEST(same_graph_and_options_give_the_same_plan)
{
    no_environment();
    for (uint64_t first = 1; first <= 300; first++) {
        uint64_t seed = first, again = first;
        weir_graph *graphs[] = {graph_by_chance(&seed), graph_by_chance(&again)};
        weir_plan_options options = options_by_chance(&seed);
        weir_plan *a = plan_of(graphs[0], &options), *b = plan_of(graphs[1], &options);
        ck_assert_uint_eq(a->lanes, b->lanes);
        ck_assert(same(a->order, b->order, a->tasks * sizeof *a->order));
        ck_assert(same(a->lane, b->lane, a->tasks * sizeof *a->lane));
        ck_assert(same(a->wait_first, b->wait_first, (a->tasks + 1) * sizeof *a->wait_first));
        ck_assert(same(a->wait, b->wait, a->wait_first[a->tasks] * sizeof *a->wait));
        ck_assert(same_numbers(a->start_ns, b->start_ns, a->tasks));
        ck_assert(same_numbers(&a->interval_ns, &b->interval_ns, 1));
        ck_assert(same_numbers(&a->bound_ns, &b->bound_ns, 1));
        weir_plan_destroy(a);
        weir_plan_destroy(b);
        weir_graph_destroy(graphs[0]);
        weir_graph_destroy(graphs[1]);
    }
}
END_TEST

/* An allocator that fails once, and counts what is alive. */
static long alive, taken, fails_at;

static void *resize_or_fail(void *memory, size_t bytes)
{
    if (bytes == 0) {
        alive -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (++taken == fails_at)
        return NULL;
    void *resized = realloc(memory, bytes);
    alive += !memory && resized;
    return resized;
}

START_TEST(running_out_of_memory_anywhere_is_told_and_leaks_nothing)
{
    no_environment();
    weir_set_allocator(resize_or_fail);
    for (uint64_t first = 1; first <= 4; first++) {
        uint64_t seed = first;
        weir_graph *graph = graph_by_chance(&seed);
        weir_plan_options options = {first % 2 ? "priority" : "round_robin", first < 3 ? 4 : 0, 3};
        bool made = false;
        for (long at = 1; !made; at++) {
            long before = alive;
            weir_plan *plan = NULL;
            weir_replay_edges edges = {0};
            taken = 0;
            fails_at = at;
            weir_status status = weir_plan_create(graph, &options, &plan);
            bool planned = status == WEIR_OK;
            if (planned)
                status = weir_replay_edges_create(plan, &edges);
            fails_at = 0;
            made = status == WEIR_OK;
            ck_assert(made || status == WEIR_ERR_NO_MEMORY);
            ck_assert(planned || !plan);
            weir_replay_edges_finish(&edges);
            weir_plan_destroy(plan);
            ck_assert_msg(alive == before, "allocation %ld failed, and %ld are left", at, alive - before);
        }
        ck_assert_int_gt(taken, 30);
        weir_graph_destroy(graph);
    }
    ck_assert_int_eq(alive, 0);
    weir_set_allocator(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/create");
    TCase *cases = tcase_create("create");
    tcase_add_test(cases, no_options_are_the_defaults);
    tcase_add_test(cases, lanes_left_alone_fit_the_level_width);
    tcase_add_test(cases, empty_graph_has_an_empty_plan);
    tcase_add_test(cases, environment_wins_over_options);
    tcase_add_test(cases, bad_environment_is_refused_with_what_is_allowed);
    tcase_add_test(cases, bad_options_are_refused);
    tcase_add_test(cases, first_error_of_declaring_comes_out);
    tcase_add_test(cases, cycle_is_refused_and_named);
    tcase_add_test(cases, graph_may_change_afterwards);
    tcase_add_test(cases, lanes_have_the_priority_of_their_band);
    tcase_add_test(cases, slots_are_a_multiple_of_every_ring_and_enough_for_the_frames);
    tcase_add_test(cases, more_than_twelve_slots_are_none);
    tcase_add_test(cases, automatic_rings_have_a_copy_a_frame_in_flight);
    tcase_add_test(cases, carried_waits_are_there_only_with_frames_in_flight);
    tcase_add_test(cases, plans_of_declared_graphs_cover_every_edge);
    tcase_add_test(cases, same_graph_and_options_give_the_same_plan);
    tcase_add_test(cases, running_out_of_memory_anywhere_is_told_and_leaks_nothing);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
