/* memory.h - all memory of the library, through the program's allocator if it set one. Any thread. */
#ifndef WEIR_UTIL_MEMORY_H
#define WEIR_UTIL_MEMORY_H

#include <stddef.h>

/* As realloc; bytes 0 frees and returns NULL. */
void *weir_resize(void *memory, size_t bytes);
/* count * bytes, zeroed; NULL if there is no memory or the product overflows. A zero product takes one byte. */
void *weir_alloc(size_t count, size_t bytes);
void *weir_alloc_copy(const void *from, size_t bytes);
char *weir_alloc_text(const char *text); /* a copy of a string */
void weir_free(void *memory);            /* NULL is fine */

/* Zeroed and 64-byte aligned, for what should not share a cache line; to free with the one below. NULL: no memory. */
void *weir_alloc_lines(size_t count, size_t bytes);
void weir_free_lines(void *memory);      /* NULL is fine */

#endif
