/* bands_test.c - what bands.c promises. */
#include "plan/drawn.h"
#include <stdlib.h>

/* `tasks` tasks of 1000 ns; their priorities repeat `priority`. */
static weir_work work_of(uint32_t tasks, const int32_t *priority, uint32_t repeat)
{
    weir_work work = {.tasks = tasks, .cost_ns = weir_alloc(tasks, sizeof(float)), .priority = weir_alloc(tasks, sizeof(int32_t))};
    for (uint32_t t = 0; t < tasks; t++) {
        work.cost_ns[t] = 1000;
        work.priority[t] = priority[t % repeat];
        work.total_ns += 1000;
    }
    return work;
}

static weir_bands bands_of(const weir_work *work, uint32_t lanes, uint32_t width)
{
    weir_bands bands;
    ck_assert_int_eq(weir_bands_create(work, lanes, width, &bands), WEIR_OK);
    ck_assert_uint_eq(bands.lane_first[0], 0);
    ck_assert_uint_eq(bands.lane_first[bands.count], bands.lanes);
    return bands;
}

static uint32_t lanes_of(const weir_bands *bands, uint32_t band)
{
    return bands->lane_first[band + 1] - bands->lane_first[band];
}

START_TEST(one_priority_is_one_band_with_all_lanes)
{
    float cost_ns[] = {1000, 2000};
    weir_work work = {.tasks = 2, .cost_ns = cost_ns, .most_urgent = 3, .total_ns = 3000};
    weir_bands bands = bands_of(&work, 5, 1);
    ck_assert_uint_eq(bands.count, 1);
    ck_assert_uint_eq(bands.lanes, 5);
    ck_assert_ptr_null(bands.of_task);
    ck_assert_int_eq(bands.priority[0], 3);
    ck_assert_double_eq(bands.work_ns[0], 3000);
    weir_bands_finish(&bands);
}
END_TEST

START_TEST(bands_are_ascending_priorities)
{
    weir_work work = work_of(4, (const int32_t[]){7, -2147483647 - 1, 2147483647, 0}, 4);
    weir_bands bands = bands_of(&work, 4, 1);
    ck_assert_uint_eq(bands.count, 4);
    const int32_t priority[] = {-2147483647 - 1, 0, 7, 2147483647};
    const uint16_t of_task[] = {2, 0, 3, 1};
    ck_assert_mem_eq(bands.priority, priority, sizeof priority);
    ck_assert_mem_eq(bands.of_task, of_task, sizeof of_task);
    weir_bands_finish(&bands);
    weir_work_finish(&work);
}
END_TEST

START_TEST(lanes_are_dealt_out_in_proportion_to_work)
{
    weir_work work = work_of(80, (const int32_t[]){0, 0, 0, -1}, 4); /* three quarters are relaxed */
    weir_bands bands = bands_of(&work, 8, 1);
    ck_assert_uint_eq(lanes_of(&bands, 0), 2);
    ck_assert_uint_eq(lanes_of(&bands, 1), 6);
    ck_assert_double_eq(bands.work_ns[0], 20000);
    ck_assert_double_eq(bands.work_ns[1], 60000);
    weir_bands_finish(&bands);
    weir_work_finish(&work);
}
END_TEST

START_TEST(every_band_has_a_lane_however_small)
{
    weir_work work = work_of(1000, (const int32_t[]){0}, 1);
    work.priority[500] = -5;
    work.cost_ns[500] = 0;
    weir_bands bands = bands_of(&work, 3, 1);
    ck_assert_uint_eq(bands.count, 2);
    ck_assert_uint_eq(lanes_of(&bands, 0), 1);
    ck_assert_uint_eq(lanes_of(&bands, 1), 2);
    weir_bands_finish(&bands);
    weir_work_finish(&work);
}
END_TEST

START_TEST(more_priorities_than_lanes_share_bands_with_neighbours)
{
    weir_work work = work_of(6, (const int32_t[]){0, 1, 2, 3, 4, 5}, 6);
    weir_bands bands = bands_of(&work, 3, 1);
    const uint16_t of_task[] = {0, 0, 1, 1, 2, 2};
    const int32_t priority[] = {0, 2, 4};
    ck_assert_uint_eq(bands.count, 3);
    ck_assert_mem_eq(bands.of_task, of_task, sizeof of_task);
    ck_assert_mem_eq(bands.priority, priority, sizeof priority);
    weir_bands_finish(&bands);
    weir_work_finish(&work);
}
END_TEST

START_TEST(a_heavy_priority_has_its_band_alone)
{
    weir_work work = work_of(4, (const int32_t[]){0, 1, 2, 3}, 4);
    work.cost_ns[0] = 100000;
    weir_bands bands = bands_of(&work, 2, 1);
    const uint16_t of_task[] = {0, 1, 1, 1};
    ck_assert_mem_eq(bands.of_task, of_task, sizeof of_task);
    weir_bands_finish(&bands);
    weir_work_finish(&work);
}
END_TEST

START_TEST(lanes_by_itself_fit_width_and_bands_up_to_eight)
{
    static const struct {
        uint32_t priorities, width, lanes;
    } cases[] = {{1, 1, 1}, {1, 5, 5}, {1, 100, 8}, {3, 1, 3}, {3, 5, 5}, {20, 1, 8}};
    int32_t priority[20];
    for (int32_t i = 0; i < 20; i++)
        priority[i] = i;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_work work = work_of(20, priority, cases[i].priorities);
        weir_bands bands = bands_of(&work, 0, cases[i].width);
        ck_assert_uint_eq(bands.lanes, cases[i].lanes);
        weir_bands_finish(&bands);
        weir_work_finish(&work);
    }
}
END_TEST

/* By chance: bands are runs of priorities, none is empty, and none has no lane. */
START_TEST(bands_are_runs_and_none_is_without_tasks_or_lanes)
{
    for (uint64_t first = 1; first <= 2000; first++) {
        uint64_t seed = first;
        uint32_t tasks = 1 + weir_random_below(&seed, 60), lanes = 1 + weir_random_below(&seed, 12),
                 distinct = 1 + weir_random_below(&seed, 30);
        weir_work work = work_of(tasks, (const int32_t[]){0}, 1);
        for (uint32_t t = 0; t < tasks; t++) {
            work.priority[t] = (int32_t)weir_random_below(&seed, distinct) - 15;
            work.cost_ns[t] = (float)weir_random_below(&seed, 1000);
        }
        weir_bands bands = bands_of(&work, lanes, 1);
        ck_assert_uint_le(bands.count, lanes);
        for (uint32_t b = 0; b < bands.count; b++) {
            int32_t lowest = INT32_MAX;
            for (uint32_t t = 0; t < tasks; t++)
                if (weir_band_of(&bands, t) == b && work.priority[t] < lowest)
                    lowest = work.priority[t];
            expect(lowest == bands.priority[b], "seed %llu: band %u is not that of its priority", (unsigned long long)first, b);
            ck_assert_uint_ge(lanes_of(&bands, b), 1);
        }
        for (uint32_t a = 0; a < tasks; a++)
            for (uint32_t b = 0; b < tasks; b++)
                if (work.priority[a] <= work.priority[b])
                    expect(weir_band_of(&bands, a) <= weir_band_of(&bands, b), "seed %llu: bands cross", (unsigned long long)first);
        weir_bands_finish(&bands);
        weir_work_finish(&work);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan/bands");
    TCase *cases = tcase_create("bands");
    tcase_add_test(cases, one_priority_is_one_band_with_all_lanes);
    tcase_add_test(cases, bands_are_ascending_priorities);
    tcase_add_test(cases, lanes_are_dealt_out_in_proportion_to_work);
    tcase_add_test(cases, every_band_has_a_lane_however_small);
    tcase_add_test(cases, more_priorities_than_lanes_share_bands_with_neighbours);
    tcase_add_test(cases, a_heavy_priority_has_its_band_alone);
    tcase_add_test(cases, lanes_by_itself_fit_width_and_bands_up_to_eight);
    tcase_add_test(cases, bands_are_runs_and_none_is_without_tasks_or_lanes);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
