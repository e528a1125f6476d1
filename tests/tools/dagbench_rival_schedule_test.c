/* dagbench_rival_schedule_test.c - what rival_schedule.c promises: waits that keep every edge, and none too many. Random graphs, compared with the
 * order that streams and waits give by themselves, worked out without vector clocks. */
#include "tools/dagbench/rival_schedule.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MOST = 48, PREDS = 3 };

/* Whether task b must be done before task a starts: order[a][b]. */
typedef struct {
    bool order[TASKS_MOST][TASKS_MOST];
} closure;

static shape random_shape(uint64_t *seed)
{
    shape s = {.tasks = 1 + shape_random(seed, TASKS_MOST)};
    s.first = malloc((s.tasks + 1) * sizeof *s.first);
    s.pred = malloc((s.tasks * PREDS + 1) * sizeof *s.pred);
    ck_assert(s.first && s.pred);
    for (uint32_t t = 0; t < s.tasks; t++) {
        s.first[t] = s.edges;
        for (uint32_t tries = t ? shape_random(seed, PREDS + 1) : 0; tries > 0; tries--) {
            uint32_t before = shape_random(seed, t), i = s.first[t];
            while (i < s.edges && s.pred[i] != before)
                i++;
            if (i == s.edges)
                s.pred[s.edges++] = before;
        }
    }
    s.first[s.tasks] = s.edges;
    return s;
}

static void follow(closure *c, uint32_t later, uint32_t earlier)
{
    c->order[later][earlier] = true;
    for (uint32_t i = 0; i < TASKS_MOST; i++)
        c->order[later][i] |= c->order[earlier][i];
}

static void close_shape(closure *c, const shape *s)
{
    memset(c, 0, sizeof *c);
    for (uint32_t t = 0; t < s->tasks; t++)
        for (uint32_t i = s->first[t]; i < s->first[t + 1]; i++)
            follow(c, t, s->pred[i]);
}

/* What the schedule enforces, but for wait number `left_out`. */
static void close_schedule(closure *c, const rival_schedule *s, uint32_t left_out)
{
    uint32_t last[RIVAL_STREAMS_MOST], recorded_by[TASKS_MOST];
    bool any[RIVAL_STREAMS_MOST] = {false};
    memset(c, 0, sizeof *c);
    for (uint32_t p = 0; p < s->tasks; p++) {
        uint32_t task = s->task[p], stream = s->stream[p];
        if (any[stream])
            follow(c, task, last[stream]);
        for (uint32_t i = s->first_wait[p]; i < s->first_wait[p + 1]; i++)
            if (i != left_out)
                follow(c, task, recorded_by[s->wait[i]]);
        if (s->event[p] != RIVAL_NO_EVENT)
            recorded_by[s->event[p]] = task;
        last[stream] = task;
        any[stream] = true;
    }
}

static bool keeps_edges(const closure *c, const shape *s)
{
    for (uint32_t t = 0; t < s->tasks; t++)
        for (uint32_t i = s->first[t]; i < s->first[t + 1]; i++)
            if (!c->order[t][s->pred[i]])
                return false;
    return true;
}

static void check_events(const rival_schedule *s)
{
    bool recorded[TASKS_MOST] = {false}, waited[TASKS_MOST] = {false};
    for (uint32_t p = 0; p < s->tasks; p++) {
        for (uint32_t i = s->first_wait[p]; i < s->first_wait[p + 1]; i++) {
            ck_assert(recorded[s->wait[i]]); /* before it is waited for, or it would be the last frame's */
            waited[s->wait[i]] = true;
        }
        if (s->event[p] != RIVAL_NO_EVENT) {
            ck_assert_uint_lt(s->event[p], s->events);
            ck_assert(!recorded[s->event[p]]);
            recorded[s->event[p]] = true;
        }
    }
    for (uint32_t e = 0; e < s->events; e++)
        ck_assert(recorded[e] && waited[e]);
}

/* Once the ends' last tasks are done, all are; and each of them is needed for that. */
static void check_ends(const rival_schedule *s, const closure *c)
{
    uint32_t last[RIVAL_STREAMS_MOST] = {0};
    for (uint32_t p = 0; p < s->tasks; p++)
        last[s->stream[p]] = s->task[p];
    for (uint32_t t = 0; t < s->tasks; t++) {
        bool covered = false;
        for (uint32_t i = 0; i < s->ends; i++)
            covered |= last[s->end[i]] == t || c->order[last[s->end[i]]][t];
        ck_assert(covered);
    }
    for (uint32_t i = 0; i < s->ends; i++)
        for (uint32_t j = 0; j < s->ends; j++)
            ck_assert(!c->order[last[s->end[i]]][last[s->end[j]]]);
}

START_TEST(waits_keep_every_edge_and_none_is_too_many)
{
    uint64_t seed = 1;
    closure c;
    for (int round = 0; round < 60; round++) {
        shape graph = random_shape(&seed);
        for (uint32_t streams = 1; streams <= RIVAL_STREAMS_MOST; streams *= 2)
            for (int how = 0; how < 4; how++) {
                rival_schedule s;
                ck_assert(rival_schedule_init(&s, &graph, (rival_way){.streams = streams, .by_level = how & 1, .follow = how & 2}));
                close_schedule(&c, &s, UINT32_MAX);
                ck_assert(keeps_edges(&c, &graph));
                check_events(&s);
                check_ends(&s, &c);
                for (uint32_t i = 0; i < s.waits; i++) {
                    close_schedule(&c, &s, i);
                    ck_assert(!keeps_edges(&c, &graph));
                }
                rival_schedule_finish(&s);
            }
        shape_finish(&graph);
    }
}
END_TEST

/* A grid of 8 x 8 in rows: who follows a predecessor keeps a row on a stream. */
START_TEST(following_keeps_a_row_of_the_wavefront_on_a_stream)
{
    shape graph;
    rival_schedule s;
    ck_assert(shape_init(&graph, workload_find("wavefront"), 64, 1));
    ck_assert(rival_schedule_init(&s, &graph, (rival_way){.streams = 8, .follow = true}));
    for (uint32_t p = 0; p < 64; p++)
        ck_assert_uint_eq(s.stream[p], p / 8);
    ck_assert_uint_eq(s.waits, 7 * 8);
    ck_assert_uint_eq(s.ends, 1);
    rival_schedule_finish(&s);
    shape_finish(&graph);
}
END_TEST

START_TEST(levels_are_launched_one_after_another_and_dealt_anew)
{
    shape graph;
    rival_schedule s;
    ck_assert(shape_init(&graph, workload_find("forks"), 1 + 32 * 3 + 1, 1));
    ck_assert(rival_schedule_init(&s, &graph, (rival_way){.streams = 8, .by_level = true}));
    for (uint32_t p = 1; p < 97; p++) {
        ck_assert_uint_eq(s.task[p], p);
        ck_assert_uint_eq(s.stream[p], (p - 1) % 8);
    }
    rival_schedule_finish(&s);
    shape_finish(&graph);
}
END_TEST

START_TEST(reducing_drops_the_edges_that_others_imply_and_no_more)
{
    uint64_t seed = 7;
    closure whole, reduced;
    for (int round = 0; round < 1000; round++) {
        shape graph = random_shape(&seed), out;
        ck_assert(rival_reduce(&graph, &out));
        close_shape(&whole, &graph);
        close_shape(&reduced, &out);
        ck_assert(memcmp(&whole, &reduced, sizeof whole) == 0);
        for (uint32_t t = 0; t < out.tasks; t++)
            for (uint32_t i = out.first[t]; i < out.first[t + 1]; i++)
                for (uint32_t j = out.first[t]; j < out.first[t + 1]; j++)
                    ck_assert(!whole.order[out.pred[i]][out.pred[j]]);
        shape_finish(&graph);
        shape_finish(&out);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/dagbench_rival_schedule");
    TCase *tests = tcase_create("schedules");
    tcase_add_test(tests, waits_keep_every_edge_and_none_is_too_many);
    tcase_add_test(tests, following_keeps_a_row_of_the_wavefront_on_a_stream);
    tcase_add_test(tests, levels_are_launched_one_after_another_and_dealt_anew);
    tcase_add_test(tests, reducing_drops_the_edges_that_others_imply_and_no_more);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
