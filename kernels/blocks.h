/* blocks.h - how a host twin walks its run of blocks: as few rectangles of cells as possible, so that its inner loop over x is
 * long and contiguous.
 *
 *     for (block_walk walk = block_walk_start(blocks, nx, ny); block_walk_next(&walk);)
 *         for (int32_t y = walk.y0; y < walk.y1; y++)
 *             row(y, walk.x0, walk.x1);
 */
#ifndef WEIR_KERNELS_BLOCKS_H
#define WEIR_KERNELS_BLOCKS_H

#include <stdbool.h>
#include "weir/kernel.h"

typedef struct {
    int32_t x0, y0, x1, y1; /* the rectangle: x0 <= x < x1, y0 <= y < y1 */
    int32_t nx, ny;
    const weir_blocks *blocks;
    uint64_t first, end;
} block_walk;

static inline block_walk block_walk_start(const weir_blocks *blocks, int32_t nx, int32_t ny)
{
    block_walk walk = {.nx = nx, .ny = ny, .blocks = blocks, .first = blocks->first, .end = blocks->first + blocks->count};
    return walk;
}

/* The cells of blocks first to first + blocks - 1, all of one row of blocks, without what lies outside the grid of cells. */
static inline void block_walk_take(block_walk *walk, uint64_t rows, uint64_t column, uint64_t columns)
{
    const uint32_t *block = walk->blocks->block;
    uint64_t row = walk->first / walk->blocks->grid[0];
    uint64_t x0 = column * block[0], x1 = (column + columns) * block[0];
    uint64_t y0 = row * block[1], y1 = (row + rows) * block[1];
    uint64_t nx = (uint64_t)walk->nx, ny = (uint64_t)walk->ny;
    walk->x0 = (int32_t)(x0 < nx ? x0 : nx);
    walk->x1 = (int32_t)(x1 < nx ? x1 : nx);
    walk->y0 = (int32_t)(y0 < ny ? y0 : ny);
    walk->y1 = (int32_t)(y1 < ny ? y1 : ny);
}

static inline bool block_walk_next(block_walk *walk)
{
    if (walk->first == walk->end)
        return false;
    uint64_t across = walk->blocks->grid[0];
    uint64_t column = walk->first % across, left = walk->end - walk->first;
    if (column == 0 && left >= across) { /* whole rows of blocks: one rectangle */
        block_walk_take(walk, left / across, 0, across);
        walk->first += left / across * across;
    } else {
        uint64_t columns = left < across - column ? left : across - column;
        block_walk_take(walk, 1, column, columns);
        walk->first += columns;
    }
    return true;
}

/* The rectangle of one block: for a twin that makes one value of each. */
static inline block_walk block_walk_one(const weir_blocks *blocks, uint64_t block, int32_t nx, int32_t ny)
{
    block_walk walk = {.nx = nx, .ny = ny, .blocks = blocks, .first = block, .end = block + 1};
    block_walk_next(&walk);
    return walk;
}

#endif
