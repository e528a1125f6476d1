/* random_step.h - what a task of a random program computes, cell by cell: read by the C compiler for the truth and the host twin, and by nvcc
 * for the device's. Integers only, and sums where several threads or blocks meet: the result is the same under every launch shape. */
#ifndef TESTS_RUN_RANDOM_STEP_H
#define TESTS_RUN_RANDOM_STEP_H

#include "weir/buffer.h"
#include <stdint.h>

#ifdef __CUDACC__
#define RANDOM_HD static __host__ __device__ __forceinline__
#else
#define RANDOM_HD static inline
#endif

enum { ACCESSES_MOST = 4, FRAMES_MOST = 8, WORDS_UP_TO = 6 };

/* The cells of one access. */
typedef struct {
    uint32_t mode;             /* WEIR_ARG_* */
    uint32_t x, y, nx, ny, row; /* the box, and elements from one row to the next */
    uint32_t word;              /* 1: it decides about loops and branches */
} random_cells;

/* A task without pointers to its program: passed by value. */
typedef struct {
    uint32_t id, value, blocks, access_count;
    uint32_t takes_frame, delay; /* delay: clocks that each block of a device lets go by first, for what should have waited to show */
    random_cells cells[ACCESSES_MOST];
    uint32_t *seen; /* FRAMES_MOST sums of what it read, a slot a frame; those that are not passed the frame use the first */
} random_code;

RANDOM_HD uint32_t random_mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u);
    h ^= h >> 15;
    h *= 0x85ebca77u;
    h ^= h >> 13;
    return h;
}

RANDOM_HD uint32_t random_cell_count(const random_cells *cells)
{
    return cells->nx * cells->ny;
}

/* The element of the buffer that is cell number `cell` of the box. */
RANDOM_HD uint32_t random_element(const random_cells *cells, uint32_t cell)
{
    return (cells->y + cell / cells->nx) * cells->row + cells->x + cell % cells->nx;
}

/* Of who it is and what it is passed; 0 for what it is not. */
RANDOM_HD uint32_t random_start(const random_code *code, uint32_t frame, uint32_t other)
{
    return random_mix(random_mix(random_mix(code->id, code->value), frame), other);
}

/* What one element that access i merely reads adds to the sum. */
RANDOM_HD uint32_t random_read(uint32_t i, uint32_t element, uint32_t value)
{
    return random_mix(random_mix(i + 1, element), value);
}

/* What a write or read-write leaves where `old` was; what a reduce adds. Into a word that decides a write puts a few rounds, or none, and a read-write
 * counts them down. */
RANDOM_HD uint32_t random_written(const random_cells *cells, uint32_t sum, uint32_t element, uint32_t old)
{
    uint32_t hash = random_mix(sum, cells->mode == WEIR_ARG_READ_WRITE ? random_mix(old, element) : element);
    if (!cells->word)
        return hash;
    return cells->mode == WEIR_ARG_READ_WRITE ? old - (old > 0) : hash % WORDS_UP_TO;
}

RANDOM_HD uint32_t random_slot(const random_code *code, uint32_t frame)
{
    return code->takes_frame && frame < FRAMES_MOST ? frame : 0;
}

#endif
