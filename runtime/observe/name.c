/* name.c - puts a number before a suffix. */
#include "observe/name.h"
#include "util/memory.h"
#include <stdio.h>
#include <string.h>

char *weir_numbered_name(const char *path, unsigned number)
{
    size_t bytes = strlen(path) + 32;
    char *name = weir_alloc(bytes, 1);
    if (!name)
        return NULL;
    const char *folder_end = strrchr(path, '/'), *suffix = strrchr(folder_end ? folder_end : path, '.');
    if (number == 1)
        snprintf(name, bytes, "%s", path);
    else if (suffix)
        snprintf(name, bytes, "%.*s-%u%s", (int)(suffix - path), path, number, suffix);
    else
        snprintf(name, bytes, "%s-%u", path, number);
    return name;
}
