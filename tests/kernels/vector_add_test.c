/* vector_add_test.c - what vector_add.c promises. */
#include "kernels/runner.h"
#include "kernels/vector_add.h"
#include <check.h>
#include <stdlib.h>

START_TEST(adds_its_part_and_nothing_else)
{
    enum { N = 3000 };
    float *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b), *sum = calloc(N, sizeof *sum);
    ck_assert(a && b && sum);
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 0.5f * (float)i + 1.0f;
    }
    const uint64_t cuts[] = {0, 1, 3};
    for (int c = 0; c < 3; c++) {
        runner_blocks = cuts[c];
        for (int i = 0; i < N; i++)
            sum[i] = -1.0f;
        uint64_t first = 700, count = 1301;
        RUN(&vector_add, vector_add_shape(count), &sum, &a, &b, &first, &count);
        for (int i = 0; i < N; i++)
            ck_assert_float_eq(sum[i], i >= 700 && i < 2001 ? a[i] + b[i] : -1.0f);
    }
    runner_blocks = 0;
    free(a);
    free(b);
    free(sum);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels/vector_add");
    TCase *cases = tcase_create("promises");
    tcase_add_test(cases, adds_its_part_and_nothing_else);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
