/* json_memory.c - counts jansson's memory. Each block begins with its size, since jansson does not tell it when it frees. */
#include "json_memory.h"
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef union {
    size_t bytes;
    max_align_t aligned;
} header;

static size_t in_use;
static bool ran_out;

static void *take(size_t bytes)
{
    const size_t most = (size_t)JSON_MEMORY_MIB << 20;
    header *block = bytes > most || bytes + sizeof *block > most - in_use ? NULL : malloc(sizeof *block + bytes);
    if (!block) {
        ran_out = true;
        return NULL;
    }
    block->bytes = sizeof *block + bytes;
    in_use += block->bytes;
    return block + 1;
}

static void give(void *memory)
{
    header *block = memory;
    if (!block)
        return;
    block--;
    in_use -= block->bytes;
    free(block);
}

void json_memory_limit(void)
{
    static bool limited;
    if (!limited)
        json_set_alloc_funcs(take, give);
    limited = true;
    ran_out = false;
}

bool json_memory_ran_out(void)
{
    return ran_out;
}
