/* table.c - the only file that sees uthash. Running out of memory is a result, not the end of the process. */
#include "util/table.h"
#include "util/memory.h"
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) weir_resize(NULL, bytes)
#define uthash_free(memory, bytes) weir_free(memory)
#define uthash_nonfatal_oom(item) ((item)->added = false)
#include <uthash.h>

typedef struct {
    const void *key; /* the text, or the pointer itself */
    uint32_t value;
    bool added;
    UT_hash_handle hh;
} item;

struct weir_table {
    item *texts, *pointers;
};

weir_table *weir_table_create(void)
{
    return weir_alloc(1, sizeof(weir_table));
}

static void free_items(item **head)
{
    item *all = *head;
    HASH_CLEAR(hh, *head); /* frees uthash's own memory; the items stay linked */
    while (all) {
        item *next = all->hh.next;
        weir_free(all);
        all = next;
    }
}

void weir_table_destroy(weir_table *table)
{
    if (!table)
        return;
    free_items(&table->texts);
    free_items(&table->pointers);
    weir_free(table);
}

static item *item_create(const void *key, uint32_t value)
{
    item *made = weir_alloc(1, sizeof *made);
    if (made)
        *made = (item){.key = key, .value = value, .added = true};
    return made;
}

bool weir_table_put_text(weir_table *table, const char *key, uint32_t value)
{
    item *found = NULL;
    HASH_FIND(hh, table->texts, key, strlen(key), found);
    if (found)
        return true;
    item *made = item_create(key, value);
    if (!made)
        return false;
    HASH_ADD_KEYPTR(hh, table->texts, made->key, strlen(key), made);
    bool added = made->added;
    if (!added)
        weir_free(made);
    return added;
}

bool weir_table_put_pointer(weir_table *table, const void *key, uint32_t value)
{
    item *found = NULL;
    HASH_FIND(hh, table->pointers, &key, sizeof key, found);
    if (found)
        return true;
    item *made = item_create(key, value);
    if (!made)
        return false;
    HASH_ADD_KEYPTR(hh, table->pointers, &made->key, sizeof made->key, made);
    bool added = made->added;
    if (!added)
        weir_free(made);
    return added;
}

uint32_t weir_table_get_text(const weir_table *table, const char *key)
{
    item *found = NULL;
    HASH_FIND(hh, table->texts, key, strlen(key), found);
    return found ? found->value : UINT32_MAX;
}

uint32_t weir_table_get_pointer(const weir_table *table, const void *key)
{
    item *found = NULL;
    HASH_FIND(hh, table->pointers, &key, sizeof key, found);
    return found ? found->value : UINT32_MAX;
}
