/* memory.c - the allocator hook and the few forms of taking memory built on it. */
#include "util/memory.h"
#include "weir/status.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *resize_by_libc(void *memory, size_t bytes)
{
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, bytes);
}

static void *(*resize)(void *, size_t) = resize_by_libc; /* set before any other call, so unguarded */

void weir_set_allocator(void *(*hook)(void *, size_t))
{
    resize = hook ? hook : resize_by_libc;
}

void *weir_resize(void *memory, size_t bytes)
{
    return resize(memory, bytes);
}

void *weir_alloc(size_t count, size_t bytes)
{
    if (bytes != 0 && count > SIZE_MAX / bytes)
        return NULL;
    size_t total = count * bytes != 0 ? count * bytes : 1;
    void *memory = resize(NULL, total);
    if (memory)
        memset(memory, 0, total);
    return memory;
}

void *weir_alloc_copy(const void *from, size_t bytes)
{
    void *memory = resize(NULL, bytes != 0 ? bytes : 1);
    if (memory && bytes != 0)
        memcpy(memory, from, bytes);
    return memory;
}

char *weir_alloc_text(const char *text)
{
    return weir_alloc_copy(text, strlen(text) + 1);
}

void weir_free(void *memory)
{
    if (memory)
        resize(memory, 0);
}

enum { LINE_BYTES = 64 };

void *weir_alloc_lines(size_t count, size_t bytes)
{
    if (bytes != 0 && count > (SIZE_MAX - 2 * LINE_BYTES) / bytes)
        return NULL;
    unsigned char *taken = weir_alloc(1, count * bytes + LINE_BYTES + sizeof(void *));
    if (!taken)
        return NULL;
    uintptr_t first = ((uintptr_t)taken + sizeof(void *) + LINE_BYTES - 1) & ~(uintptr_t)(LINE_BYTES - 1);
    memcpy((void *)(first - sizeof(void *)), &taken, sizeof taken); /* what to free stands in front */
    return (void *)first;
}

void weir_free_lines(void *memory)
{
    if (!memory)
        return;
    void *taken;
    memcpy(&taken, (unsigned char *)memory - sizeof taken, sizeof taken);
    weir_free(taken);
}
