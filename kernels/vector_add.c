/* vector_add.c - sum[i] = a[i] + b[i] for a part of three vectors. One thread an element, 256 a block; the pointers are the
 * vectors' beginnings, as tasks that touch parts of a buffer get them. */
#include "vector_add.h"
#include "table.h"

enum { BLOCK = 256 };

weir_shape vector_add_shape(uint64_t count)
{
    weir_shape shape = {.grid = {(uint32_t)((count + BLOCK - 1) / BLOCK), 1, 1}, .block = {BLOCK, 1, 1}};
    return shape;
}

static void vector_add_host(const weir_blocks *blocks, void *const *args)
{
    float *restrict sum = WEIR_PASSED(float *, args, 0);
    const float *restrict a = WEIR_PASSED(const float *, args, 1);
    const float *restrict b = WEIR_PASSED(const float *, args, 2);
    uint64_t first = WEIR_PASSED(uint64_t, args, 3), count = WEIR_PASSED(uint64_t, args, 4);
    uint64_t begin = blocks->first * BLOCK, end = (blocks->first + blocks->count) * BLOCK;
    for (uint64_t i = first + begin; i < first + (end < count ? end : count); i++)
        sum[i] = a[i] + b[i];
}

KERNEL_TABLE(vector_add, "add", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint64_t), sizeof(uint64_t));
