/* json_line.c - walks well-formed JSON, counting lines. */
#include "json_line.h"
#include <stdbool.h>
#include <string.h>

typedef struct {
    const char *at, *end;
    unsigned line;
} cursor;

static void skip(cursor *c, size_t bytes)
{
    for (; bytes > 0 && c->at < c->end; bytes--, c->at++)
        c->line += *c->at == '\n';
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n,:", *c->at))
        skip(c, 1);
}

static void skip_text(cursor *c)
{
    skip(c, 1);
    while (c->at < c->end && *c->at != '"')
        skip(c, *c->at == '\\' ? 2 : 1);
    skip(c, 1);
}

static void skip_value(cursor *c)
{
    size_t depth = 0;
    do {
        skip_space(c);
        if (c->at == c->end)
            return;
        if (*c->at == '"') {
            skip_text(c);
        } else if (*c->at == '{' || *c->at == '[') {
            depth++;
            skip(c, 1);
        } else if (*c->at == '}' || *c->at == ']') {
            depth--;
            skip(c, 1);
        } else {
            while (c->at < c->end && !strchr(" \t\r\n,:]}", *c->at))
                skip(c, 1);
        }
        if (depth > 0)
            skip_space(c);
    } while (depth > 0);
}

/* From a value to one inside it: the one of that key, or number `index`. False, without moving, if there is none. */
static bool enter(cursor *c, const char *key, long index)
{
    cursor inside = *c;
    if (c->at == c->end || *c->at != (key ? '{' : '['))
        return false;
    skip(&inside, 1);
    for (long i = 0;; i++) {
        skip_space(&inside);
        if (inside.at == inside.end || *inside.at == '}' || *inside.at == ']')
            return false;
        const char *name = inside.at;
        if (key) {
            skip_text(&inside);
            skip_space(&inside);
        }
        if (key ? (strncmp(name + 1, key, strlen(key)) == 0 && name[1 + strlen(key)] == '"') : i == index) {
            *c = inside;
            return true;
        }
        skip_value(&inside);
    }
}

unsigned json_line(const char *text, size_t bytes, const char *key, long index, const char *member)
{
    cursor c = {text, text + bytes, 1};
    skip_space(&c);
    if (key && enter(&c, key, 0) && (index < 0 || enter(&c, NULL, index)) && member)
        enter(&c, member, 0);
    return c.line;
}
