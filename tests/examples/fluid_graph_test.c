/* fluid_graph_test.c - what examples/fluid_graph.c promises, seen through weir's public interface. */
#include "fluid_graph.h"
#include "fluid_sources.h"
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/runner.h"
#include "weir/weir.h"

static weir_status no_encode(void *user, void *const *args)
{
    (void)args;
    ++*(int *)user;
    return WEIR_OK;
}

static int encoded;

static fluid_setup setup_of(int32_t nx, int32_t ny, uint32_t sweeps, bool jacobi)
{
    fluid_size size = {nx, ny};
    encoded = 0;
    return (fluid_setup){.size = size, .motion = fluid_motion_for(size), .sweeps = sweeps, .jacobi = jacobi, .encode = no_encode,
        .user = &encoded};
}

/* Each frame with a picture of its own. */
static fluid_setup setup_fed(int32_t nx, int32_t ny, uint32_t sweeps)
{
    fluid_setup setup = setup_of(nx, ny, sweeps, false);
    setup.feeds = true;
    return setup;
}

/* Stops at a residual. */
static fluid_setup setup_to(int32_t nx, int32_t ny, float residual, uint32_t sweeps_a_test, uint32_t most)
{
    fluid_setup setup = setup_of(nx, ny, most, false);
    setup.residual = residual;
    setup.sweeps_a_test = sweeps_a_test;
    return setup;
}

static fluid_graph graph_of(fluid_setup setup)
{
    fluid_graph graph;
    ck_assert_msg(fluid_graph_create(&setup, &graph) == WEIR_OK, "%s", weir_last_error());
    return graph;
}

static void print_found(void *user, weir_status status, const char *text)
{
    (void)user;
    printf("%s: %s\n", weir_status_name(status), text);
}

START_TEST(both_graphs_are_free_of_hazards)
{
    const fluid_setup setups[4] = {setup_of(40, 30, 5, false), setup_of(40, 30, 5, true), setup_to(40, 30, 1e-3f, 3, 60), setup_fed(40, 30, 5)};
    for (int s = 0; s < 4; s++) {
        fluid_graph graph = graph_of(setups[s]);
        ck_assert_int_eq(weir_graph_check(graph.start, 1, print_found, NULL), WEIR_OK);
        ck_assert_int_eq(weir_graph_check(graph.frame, 3, print_found, NULL), WEIR_OK);
        fluid_graph_destroy(&graph);
    }
}
END_TEST

START_TEST(every_plan_of_it_holds)
{
    static const char *const policies[] = {"round_robin", "priority"};
    const fluid_setup setups[3] = {setup_of(40, 30, 7, false), setup_to(40, 30, 1e-3f, 3, 60), setup_fed(40, 30, 7)};
    for (int s = 0; s < 3; s++) {
        fluid_graph graph = graph_of(setups[s]);
        for (uint32_t lanes = 1; lanes <= 8; lanes++)
            for (int p = 0; p < 2; p++)
                for (uint32_t frames = 1; frames <= 3; frames++) {
                    weir_plan *plan = NULL;
                    weir_plan_options options = {.policy = policies[p], .lanes = lanes, .frames = frames};
                    ck_assert_int_eq(weir_plan_create(graph.frame, &options, &plan), WEIR_OK);
                    ck_assert_msg(weir_plan_check(plan) == WEIR_OK, "%s", weir_last_error());
                    weir_plan_destroy(plan);
                }
        fluid_graph_destroy(&graph);
    }
}
END_TEST

static uint32_t lane_of(const fluid_graph *graph, const weir_plan *plan, const char *name)
{
    weir_plan_entry entry;
    ck_assert_msg(weir_plan_get(plan, weir_graph_find(graph->frame, name), &entry) == WEIR_OK, "%s: %s", name, weir_last_error());
    return entry.lane;
}

START_TEST(stages_of_different_priorities_have_lanes_of_their_own)
{
    static const char *const names[FLUID_STAGES][4] = {{"upload sources", "upload picture", "paint"}, {"trace", "pour red", "sweep/3/relax red", "project u"}, {"shade", "download", "encode"}};
    fluid_setup setup = setup_fed(64, 64, 6);
    memcpy(setup.priority, (const int32_t[FLUID_STAGES]){-1, 0, 1}, sizeof setup.priority);
    fluid_graph graph = graph_of(setup);
    for (uint32_t lanes = 3; lanes <= 8; lanes++) {
        weir_plan *plan = NULL;
        int stage_of_lane[8] = {0}; /* 1 and up */
        ck_assert_int_eq(weir_plan_create(graph.frame, &(weir_plan_options){.lanes = lanes, .frames = 3}, &plan), WEIR_OK);
        ck_assert_msg(weir_plan_check(plan) == WEIR_OK, "%s", weir_last_error());
        for (int stage = 0; stage < FLUID_STAGES; stage++)
            for (int i = 0; i < 4 && names[stage][i]; i++) {
                uint32_t lane = lane_of(&graph, plan, names[stage][i]);
                ck_assert_msg(stage_of_lane[lane] == 0 || stage_of_lane[lane] == stage + 1, "'%s' is in lane %u of another stage, %u lanes",
                    names[stage][i], (unsigned)lane, (unsigned)lanes);
                stage_of_lane[lane] = stage + 1;
            }
        weir_plan_destroy(plan);
    }
    fluid_graph_destroy(&graph);
}
END_TEST

static weir_plan_entry entry_of(const fluid_graph *graph, const weir_plan *plan, const char *name)
{
    weir_plan_entry entry;
    ck_assert_int_eq(weir_plan_get(plan, weir_graph_find(graph->frame, name), &entry), WEIR_OK);
    return entry;
}

START_TEST(the_picture_does_not_wait_for_the_solve)
{
    fluid_graph graph = graph_of(setup_of(64, 64, 40, false));
    weir_plan *plan = NULL;
    ck_assert_int_eq(weir_plan_create(graph.frame, &(weir_plan_options){.policy = "priority", .lanes = 2}, &plan), WEIR_OK);
    ck_assert_double_lt(entry_of(&graph, plan, "encode").start_ns, entry_of(&graph, plan, "project u").start_ns);
    ck_assert_uint_ne(entry_of(&graph, plan, "encode").lane, entry_of(&graph, plan, "sweep/9/relax red").lane);
    weir_plan_destroy(plan);
    fluid_graph_destroy(&graph);
}
END_TEST

START_TEST(groups_share_out_all_tasks_in_order)
{
    fluid_graph graph = graph_of(setup_of(32, 32, 4, false));
    ck_assert_uint_eq(graph.first[0], 1);
    for (int g = 0; g < FLUID_GROUPS; g++)
        ck_assert_uint_lt(graph.first[g], graph.first[g + 1]);
    ck_assert_uint_eq(graph.first[FLUID_GROUPS], weir_graph_task_count(graph.frame) + 1);
    weir_task shade = {.number = graph.first[FLUID_RENDER], .graph = graph.handles};
    ck_assert_str_eq(weir_task_name(graph.frame, shade), "shade");
    fluid_graph_destroy(&graph);
}
END_TEST

START_TEST(an_odd_number_of_jacobi_sweeps_is_rounded_up)
{
    fluid_graph five = graph_of(setup_of(32, 32, 5, true)), six = graph_of(setup_of(32, 32, 6, true));
    ck_assert_uint_eq(weir_graph_task_count(five.frame), weir_graph_task_count(six.frame));
    fluid_graph_destroy(&five);
    fluid_graph_destroy(&six);
}
END_TEST

/* A run of a graph, its start done. */
typedef struct {
    fluid_graph graph;
    weir_runtime *runtime;
    weir_exec *exec;
} fixture;

static fixture run_of(const fluid_setup *setup, const float *picture, const uint8_t *walls)
{
    fixture f = {.graph = graph_of(*setup)};
    weir_plan *plan = NULL, *start_plan = NULL;
    weir_exec *start = NULL;
    weir_frame *frame = NULL;
    weir_ticket ticket;
    size_t cells = (size_t)(setup->size.nx * setup->size.ny);
    ck_assert_int_eq(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 2}, &f.runtime), WEIR_OK);
    ck_assert_int_eq(weir_plan_create(f.graph.frame, &(weir_plan_options){.lanes = 3}, &plan), WEIR_OK);
    ck_assert_int_eq(weir_plan_create(f.graph.start, NULL, &start_plan), WEIR_OK);
    ck_assert_msg(weir_exec_create(f.runtime, plan, NULL, &f.exec) == WEIR_OK, "%s", weir_last_error());
    ck_assert_msg(weir_exec_create(f.runtime, start_plan, NULL, &start) == WEIR_OK, "%s", weir_last_error());
    ck_assert_int_eq(weir_exec_begin(start, -1, &frame), WEIR_OK);
    memcpy(weir_frame_data(frame, f.graph.picture), picture, 3 * cells * sizeof(float));
    memcpy(weir_frame_data(frame, f.graph.walls), walls, cells);
    ck_assert_int_eq(weir_frame_submit(frame, &ticket), WEIR_OK);
    ck_assert_int_eq(weir_exec_wait(start, ticket, -1), WEIR_OK);
    weir_exec_destroy(start);
    weir_plan_destroy(start_plan);
    weir_plan_destroy(plan);
    return f;
}

static weir_ticket next_frame(fixture *f, const fluid_source *sources, size_t count)
{
    weir_frame *frame = NULL;
    weir_ticket ticket;
    ck_assert_int_eq(weir_exec_begin(f->exec, -1, &frame), WEIR_OK);
    memcpy(weir_frame_data(frame, f->graph.sources), sources, count * sizeof *sources);
    ck_assert_int_eq(weir_frame_submit(frame, &ticket), WEIR_OK);
    ck_assert_int_eq(weir_exec_wait(f->exec, ticket, -1), WEIR_OK);
    return ticket;
}

static const uint8_t *next_pixels(fixture *f, const fluid_source *sources, size_t count)
{
    return weir_exec_data(f->exec, next_frame(f, sources, count), f->graph.pixels);
}

static uint32_t rounds_of(fixture *f, weir_ticket ticket)
{
    uint32_t rounds = UINT32_MAX;
    ck_assert_msg(weir_exec_iterations(f->exec, ticket, f->graph.loop, &rounds) == WEIR_OK, "%s", weir_last_error());
    return rounds;
}

static float residual_of(fixture *f, weir_ticket ticket)
{
    const float *residual = weir_exec_data(f->exec, ticket, f->graph.residual);
    ck_assert_msg(residual != NULL, "%s", weir_last_error());
    return *residual;
}

static void end(fixture *f)
{
    weir_exec_destroy(f->exec);
    weir_runtime_destroy(f->runtime);
    fluid_graph_destroy(&f->graph);
}

START_TEST(without_forces_the_picture_stands_still)
{
    enum { NX = 33, NY = 20, CELLS = NX * NY };
    static float picture[3 * CELLS];
    static uint8_t walls[CELLS];
    for (int i = 0; i < CELLS; i++) {
        picture[i] = 0.25f;
        picture[2 * CELLS + i] = 1.0f;
    }
    walls[5 * NX + 5] = 1;
    fluid_setup setup = setup_of(NX, NY, 6, false);
    setup.motion = (fluid_motion){.step = 1.0f, .keep = 1.0f, .sources = 1};
    fixture f = run_of(&setup, picture, walls);
    const fluid_source nothing = {.radius = 1.0f};
    for (int n = 0; n < 4; n++) {
        const uint8_t *pixels = next_pixels(&f, &nothing, 1);
        const uint8_t *far_away = pixels + 4 * (15 * NX + 30), *wall = pixels + 4 * (5 * NX + 5);
        ck_assert_int_eq(far_away[0], 128);
        ck_assert_int_eq(far_away[1], 0);
        ck_assert_int_eq(far_away[2], 255);
        ck_assert_int_eq(wall[0], wall[2]);
    }
    ck_assert_int_eq(encoded, 4);
    end(&f);
}
END_TEST

START_TEST(sources_filled_in_for_a_frame_show_in_that_frame)
{
    enum { N = 48, CELLS = N * N };
    static float black[3 * CELLS];
    static uint8_t walls[CELLS];
    fluid_setup setup = setup_of(N, N, 6, true);
    setup.motion.sources = 2;
    fixture f = run_of(&setup, black, walls);
    const fluid_source sources[2] = {{.x = 10.5f, .y = 10.5f, .radius = 4.0f, .colour = {1.0f, 0.0f, 0.0f}},
        {.x = 36.5f, .y = 36.5f, .radius = 4.0f, .colour = {0.0f, 0.0f, 1.0f}}};
    const uint8_t *pixels = next_pixels(&f, sources, 2);
    ck_assert_int_gt(pixels[4 * (10 * N + 10)], 60);
    ck_assert_int_eq(pixels[4 * (10 * N + 10) + 2], 0);
    ck_assert_int_gt(pixels[4 * (36 * N + 36) + 2], 60);
    ck_assert_int_eq(pixels[4 * (24 * N + 24)], 0);
    end(&f);
}
END_TEST

START_TEST(the_picture_of_a_frame_shows_in_that_frame)
{
    enum { N = 32, CELLS = N * N };
    static float black[3 * CELLS];
    static uint8_t walls[CELLS];
    fluid_setup setup = setup_fed(N, N, 4);
    setup.motion = (fluid_motion){.step = 1.0f, .keep = 1.0f, .feed = 1.0f, .sources = 1}; /* all of it, at once */
    fixture f = run_of(&setup, black, walls);
    for (int n = 0; n < 5; n++) {
        weir_frame *frame = NULL;
        weir_ticket ticket;
        ck_assert_int_eq(weir_exec_begin(f.exec, -1, &frame), WEIR_OK);
        *(fluid_source *)weir_frame_data(frame, f.graph.sources) = (fluid_source){.radius = 1.0f};
        uint8_t *feed = weir_frame_data(frame, f.graph.feed);
        for (int i = 0; i < CELLS; i++)
            memcpy(feed + 4 * i, (const uint8_t[4]){(uint8_t)(50 * n), 255, 7, i % N < N / 2 ? 255 : 0}, 4);
        ck_assert_int_eq(weir_frame_submit(frame, &ticket), WEIR_OK);
        ck_assert_int_eq(weir_exec_wait(f.exec, ticket, -1), WEIR_OK);
        const uint8_t *pixels = weir_exec_data(f.exec, ticket, f.graph.pixels), *left = pixels + 4 * (10 * N + 5), *right = pixels + 4 * (10 * N + 25);
        ck_assert_int_eq(left[0], 50 * n);
        ck_assert_int_eq(left[1], 255);
        ck_assert_int_eq(left[2], 7);
        ck_assert_int_eq(right[1], 0); /* transparent */
    }
    end(&f);
}
END_TEST

/* A frame in plain C, one kernel's host twin after another: world_solve is its loop. */
static uint32_t plain_frame(world *w, const float *picture, const fluid_setup *setup)
{
    world_advect_dye(w, 3);
    world_advect_velocity(w);
    for (int32_t c = 0; c < 3; c++) {
        const float *plane = picture + c * w->size.nx * w->size.ny;
        RUN(&fluid_pour, fluid_shape(w->size), &w->dye[c], &plane, &w->solid, &w->sources, &w->size, &w->motion, &c);
    }
    world_push(w);
    world_divergence(w);
    const uint32_t most = (setup->sweeps + setup->sweeps_a_test - 1) / setup->sweeps_a_test;
    return world_solve(w, setup->residual, (int)setup->sweeps_a_test, most, fluid_over_relaxation(w->size));
}

static void same_as_in_world(fixture *f, weir_buffer *buffer, const float *there, size_t count, const char *what)
{
    float *here = calloc(count, sizeof *here);
    ck_assert_ptr_nonnull(here);
    ck_assert_msg(weir_buffer_read(f->runtime, buffer, here, 0, count * sizeof *here) == WEIR_OK, "%s", weir_last_error());
    ck_assert_msg(memcmp(here, there, count * sizeof *here) == 0, "%s is not what the plain loop has", what);
    free(here);
}

enum { LOOP_NX = 75, LOOP_NY = 46, LOOP_CELLS = LOOP_NX * LOOP_NY };

/* Values of about 1 and pressures of at most some tens, in float. */
static const double ROUNDING = 2e-5;

/* Ten frames beside the plain loop, with walls: the same rounds, the same bits; and what is left, computed anew in double from velocity and
 * pressure, is as little as asked for, but where the most rounds were not enough. Returns all rounds. */
static uint32_t run_beside_plain(const fluid_setup *setup)
{
    static float picture[3 * LOOP_CELLS];
    static uint8_t walls[LOOP_CELLS];
    const uint32_t most = (setup->sweeps + setup->sweeps_a_test - 1) / setup->sweeps_a_test;
    fluid_source sources[FLUID_SOURCES];
    uint32_t all = 0;
    world *w = world_make(LOOP_NX, LOOP_NY);
    w->motion = setup->motion;
    w->sources = sources;
    world_wall(w, 30, 10, 36, 30);
    memcpy(walls, w->solid, sizeof walls);
    uint64_t seed = 3;
    for (int i = 0; i < 3 * LOOP_CELLS; i++)
        picture[i] = random_float(&seed, 0.0f, 1.0f);
    for (int c = 0; c < 3; c++)
        memcpy(w->dye[c], picture + c * LOOP_CELLS, LOOP_CELLS * sizeof(float));
    fixture f = run_of(setup, picture, walls);
    for (uint64_t n = 0; n < 10; n++) {
        fluid_sources_at(1, n, w->size, sources);
        weir_ticket ticket = next_frame(&f, sources, FLUID_SOURCES);
        uint32_t rounds = plain_frame(w, picture, setup);
        double left = world_max_residual(w);
        all += rounds;
        ck_assert_uint_eq(rounds_of(&f, ticket), rounds);
        ck_assert_uint_le(rounds, most);
        ck_assert_float_eq(residual_of(&f, ticket), *w->residual);
        ck_assert_double_eq_tol(left, (double)*w->residual, ROUNDING);
        if (rounds < most)
            ck_assert_double_le(left, (double)setup->residual + ROUNDING);
        world_project(w);
        same_as_in_world(&f, f.graph.u, w->u, LOOP_CELLS, "u");
        same_as_in_world(&f, f.graph.v, w->v, LOOP_CELLS, "v");
        for (int c = 0; c < 2; c++) {
            same_as_in_world(&f, f.graph.pressure[c], w->pressure[c], LOOP_CELLS / 2, "pressure");
            same_as_in_world(&f, f.graph.divergence[c], w->divergence[c], LOOP_CELLS / 2, "divergence");
        }
        if (rounds < most)
            ck_assert_double_le(world_max_divergence(w), (double)setup->residual + ROUNDING);
    }
    w->sources = NULL;
    world_free(w);
    end(&f);
    return all;
}

START_TEST(a_solve_ends_at_its_residual_after_the_rounds_of_a_plain_loop)
{
    const float residuals[] = {0.02f, 1e-3f};
    uint32_t before = 0;
    for (int r = 0; r < 2; r++)
        for (uint32_t a_test = 1; a_test <= 7; a_test += 3) {
            fluid_setup setup = setup_to(LOOP_NX, LOOP_NY, residuals[r], a_test, 3000);
            uint32_t sweeps = run_beside_plain(&setup) * a_test;
            ck_assert_uint_gt(sweeps, r == 0 ? 20 : before); /* it did sweep, and the more, the less may be left */
            before = r == 0 && sweeps > before ? sweeps : before;
        }
}
END_TEST

START_TEST(it_ends_at_the_most_sweeps_too)
{
    fluid_setup setup = setup_to(LOOP_NX, LOOP_NY, 1e-9f, 4, 21); /* 21 sweeps are 6 tests */
    ck_assert_uint_eq(run_beside_plain(&setup), 10 * 6);
}
END_TEST

START_TEST(still_air_needs_no_sweep)
{
    enum { N = 32, CELLS = N * N };
    static float black[3 * CELLS];
    static uint8_t walls[CELLS];
    fluid_setup setup = setup_to(N, N, 1e-6f, 5, 100);
    setup.motion = (fluid_motion){.step = 1.0f, .keep = 1.0f, .sources = 1};
    fixture f = run_of(&setup, black, walls);
    for (int n = 0; n < 3; n++) {
        weir_ticket ticket = next_frame(&f, &(fluid_source){.radius = 1.0f}, 1);
        ck_assert_uint_eq(rounds_of(&f, ticket), 0);
        ck_assert_float_eq(residual_of(&f, ticket), 0.0f);
    }
    end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("examples/fluid_graph");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, both_graphs_are_free_of_hazards);
    tcase_add_test(cases, every_plan_of_it_holds);
    tcase_add_test(cases, the_picture_does_not_wait_for_the_solve);
    tcase_add_test(cases, stages_of_different_priorities_have_lanes_of_their_own);
    tcase_add_test(cases, groups_share_out_all_tasks_in_order);
    tcase_add_test(cases, an_odd_number_of_jacobi_sweeps_is_rounded_up);
    tcase_add_test(cases, without_forces_the_picture_stands_still);
    tcase_add_test(cases, sources_filled_in_for_a_frame_show_in_that_frame);
    tcase_add_test(cases, the_picture_of_a_frame_shows_in_that_frame);
    tcase_add_test(cases, a_solve_ends_at_its_residual_after_the_rounds_of_a_plain_loop);
    tcase_add_test(cases, it_ends_at_the_most_sweeps_too);
    tcase_add_test(cases, still_air_needs_no_sweep);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
