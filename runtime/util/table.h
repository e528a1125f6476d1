/* table.h - a hash table from text or from a pointer to a 32-bit number. Keys are not copied. One thread at a time. */
#ifndef WEIR_UTIL_TABLE_H
#define WEIR_UTIL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct weir_table weir_table;

weir_table *weir_table_create(void); /* NULL: no memory */
void weir_table_destroy(weir_table *table); /* NULL is fine */

/* Keeps the first value of a key. false: no memory. */
bool weir_table_put_text(weir_table *table, const char *key, uint32_t value);
bool weir_table_put_pointer(weir_table *table, const void *key, uint32_t value);

/* The value, or UINT32_MAX. */
uint32_t weir_table_get_text(const weir_table *table, const char *key);
uint32_t weir_table_get_pointer(const weir_table *table, const void *key);

#endif
