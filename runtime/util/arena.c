/* arena.c - a list of blocks, each larger than the one before. */
#include "util/arena.h"
#include "util/memory.h"
#include <stdint.h>

struct weir_arena_block {
    weir_arena_block *older;
    size_t bytes;
    _Alignas(16) unsigned char data[];
};

enum { FIRST_BLOCK_BYTES = 1024, LARGEST_BLOCK_BYTES = 1 << 20 };

void *weir_arena_take(weir_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!arena->block || bytes > arena->block->bytes - arena->used) {
        size_t size = arena->block ? arena->block->bytes * 2 : FIRST_BLOCK_BYTES;
        if (size > LARGEST_BLOCK_BYTES)
            size = LARGEST_BLOCK_BYTES;
        if (size < bytes)
            size = bytes;
        weir_arena_block *block = weir_resize(NULL, sizeof *block + size);
        if (!block)
            return NULL;
        block->older = arena->block;
        block->bytes = size;
        arena->block = block;
        arena->used = 0;
    }
    void *taken = arena->block->data + arena->used;
    arena->used += bytes;
    return taken;
}

void weir_arena_finish(weir_arena *arena)
{
    while (arena->block) {
        weir_arena_block *older = arena->block->older;
        weir_free(arena->block);
        arena->block = older;
    }
    arena->used = 0;
}
