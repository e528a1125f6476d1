/* fake_random_step.c - random_step.cu for the fake CUDA: block after block, it computes what random_step.h says. */
#include "fake_cuda.h"
#include "run/random_step.h"
#include <sched.h>

static uint32_t sum_of(const random_code *code, uint32_t *const *base)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < code->access_count; i++)
        for (uint32_t c = 0; code->cells[i].mode == WEIR_ARG_READ && c < random_cell_count(&code->cells[i]); c++) {
            uint32_t e = random_element(&code->cells[i], c);
            sum += random_read(i, e, base[i][e]);
        }
    return sum;
}

static void write_block(const random_code *code, uint32_t *const *base, uint32_t sum, uint64_t block)
{
    for (uint32_t i = 0; i < code->access_count; i++) {
        const random_cells *cells = &code->cells[i];
        for (uint32_t c = 0; cells->mode != WEIR_ARG_READ && c < random_cell_count(cells); c++) {
            uint32_t e = random_element(cells, c);
            if (e % code->blocks != block)
                continue;
            if (cells->mode == WEIR_ARG_REDUCE)
                __atomic_fetch_add(&base[i][e], random_written(cells, sum, e, 0), __ATOMIC_RELAXED);
            else
                base[i][e] = random_written(cells, sum, e, cells->mode == WEIR_ARG_READ_WRITE ? base[i][e] : 0);
        }
    }
}

static void step(const weir_blocks *blocks, void *const *args)
{
    const random_code *code = args[0];
    uint32_t frame = WEIR_PASSED(uint32_t, args, 1), other = WEIR_PASSED(uint32_t, args, 2);
    uint32_t *base[ACCESSES_MOST];
    for (int i = 0; i < ACCESSES_MOST; i++)
        base[i] = WEIR_PASSED(uint32_t *, args, 3 + i);
    if (code->delay > 0)
        sched_yield();
    for (uint64_t block = blocks->first; block < blocks->first + blocks->count; block++) {
        uint32_t sum = random_start(code, frame, other) + sum_of(code, base);
        if (block == 0)
            __atomic_fetch_add(&code->seen[random_slot(code, frame)], sum, __ATOMIC_RELAXED);
        write_block(code, base, sum, block);
    }
}

static void early_step(const weir_blocks *blocks, void *const *args)
{
    fake_cuda_grid_dependency_synchronize();
    step(blocks, args);
}

static const uint16_t bytes[] = {sizeof(random_code), 4, 4, sizeof(void *), sizeof(void *), sizeof(void *), sizeof(void *)};

const void *random_step_resolve(void);
const void *random_step_resolve(void)
{
    static const weir_kernel kernel = {"random step", NULL, NULL, step, bytes, 3 + ACCESSES_MOST, 0};
    return fake_cuda_kernel(&kernel);
}

const void *random_early_resolve(void);
const void *random_early_resolve(void)
{
    static const weir_kernel kernel = {"random early step", NULL, NULL, early_step, bytes, 3 + ACCESSES_MOST, WEIR_KERNEL_PROGRAMMATIC};
    return fake_cuda_kernel(&kernel);
}
