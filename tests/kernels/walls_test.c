/* walls_test.c - what walls.c promises, against the definitions. */
#include "kernels/runner.h"
#include "kernels/walls_cell.h"
#include <check.h>
#include <stdlib.h>

static world *random_walls(int32_t nx, int32_t ny, float share, uint64_t seed)
{
    world *w = world_make(nx, ny);
    for (int32_t i = 0; i < nx * ny; i++)
        w->solid[i] = random_float(&seed, 0.0f, 1.0f) < share;
    world_walls(w);
    return w;
}

/* King's moves to the nearest wall, or the maximum. */
static int distance_to_wall(const world *w, int32_t x, int32_t y)
{
    int least = FLUID_CLEARANCE_MAX;
    for (int32_t j = 0; j < w->size.ny; j++)
        for (int32_t i = 0; i < w->size.nx; i++)
            if (w->solid[j * w->size.nx + i]) {
                int far = abs(i - x) > abs(j - y) ? abs(i - x) : abs(j - y);
                least = far < least ? far : least;
            }
    return least;
}

START_TEST(clearance_is_the_distance_to_the_nearest_wall)
{
    const float shares[] = {0.0f, 0.003f, 0.02f, 0.5f, 1.0f};
    for (uint64_t s = 0; s < 5; s++) {
        world *w = random_walls(45, 38, shares[s], s + 1);
        for (int32_t y = 0; y < 38; y++)
            for (int32_t x = 0; x < 45; x++)
                ck_assert_int_eq(w->clearance[y * 45 + x], distance_to_wall(w, x, y));
        world_free(w);
    }
}
END_TEST

START_TEST(openings_are_the_sides_between_two_free_cells)
{
    const int32_t sizes[][2] = {{16, 16}, {17, 15}, {1, 9}, {9, 1}, {1, 1}, {2, 2}};
    for (uint64_t s = 0; s < 6; s++) {
        int32_t nx = sizes[s][0], ny = sizes[s][1];
        world *w = random_walls(nx, ny, 0.3f, s + 1);
        for (int32_t y = 0; y < ny; y++)
            for (int32_t x = 0; x < 2 * fluid_half(w->size); x++) {
                int expected = 0;
                if (x < nx)
                    expected = (world_open_left(w, x, y) ? OPEN_LEFT : 0) | (world_open_left(w, x + 1, y) ? OPEN_RIGHT : 0) |
                        (world_open_up(w, x, y) ? OPEN_UP : 0) | (world_open_up(w, x, y + 1) ? OPEN_DOWN : 0);
                ck_assert_int_eq(w->open[(x + y) & 1][y * fluid_half(w->size) + x / 2], expected);
            }
        world_free(w);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/walls");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, clearance_is_the_distance_to_the_nearest_wall);
    tcase_add_test(cases, openings_are_the_sides_between_two_free_cells);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
