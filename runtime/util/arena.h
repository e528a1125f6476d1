/* arena.h - strings and small values that live as long as their owner. */
#ifndef WEIR_UTIL_ARENA_H
#define WEIR_UTIL_ARENA_H

#include <stddef.h>

typedef struct weir_arena_block weir_arena_block;
typedef struct {
    weir_arena_block *block; /* the newest; zeroed is empty */
    size_t used;             /* bytes of the newest block */
} weir_arena;

/* 16-byte aligned, uninitialised; NULL if there is no memory. */
void *weir_arena_take(weir_arena *arena, size_t bytes);
void weir_arena_finish(weir_arena *arena);

#endif
