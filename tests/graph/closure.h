/* closure.h - slow truth: which node leads to which, as bits. Shares no code with the library. */
#ifndef WEIR_TESTS_GRAPH_CLOSURE_H
#define WEIR_TESTS_GRAPH_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint32_t nodes, words;
    uint64_t *reach; /* node * words */
} closure;

static inline closure closure_make(uint32_t nodes)
{
    closure c = {nodes, nodes / 64 + 1, NULL};
    c.reach = calloc((size_t)nodes * c.words + 1, sizeof *c.reach);
    if (!c.reach)
        abort();
    return c;
}

static inline void closure_finish(closure *c)
{
    free(c->reach);
    c->reach = NULL;
}

static inline bool closure_leads(const closure *c, uint32_t from, uint32_t to)
{
    return c->reach[(size_t)from * c->words + to / 64] >> to % 64 & 1;
}

static inline void closure_edge(closure *c, uint32_t from, uint32_t to)
{
    c->reach[(size_t)from * c->words + to / 64] |= (uint64_t)1 << to % 64;
}

static inline void closure_no_edge(closure *c, uint32_t from, uint32_t to)
{
    c->reach[(size_t)from * c->words + to / 64] &= ~((uint64_t)1 << to % 64);
}

/* Warshall: from single edges to paths of any length. */
static inline void closure_close(closure *c)
{
    for (uint32_t middle = 0; middle < c->nodes; middle++)
        for (uint32_t from = 0; from < c->nodes; from++)
            for (uint32_t w = 0; closure_leads(c, from, middle) && w < c->words; w++)
                c->reach[(size_t)from * c->words + w] |= c->reach[(size_t)middle * c->words + w];
}

/* After closing: a path with another node in between. */
static inline bool closure_leads_far(const closure *c, uint32_t from, uint32_t to)
{
    for (uint32_t middle = 0; middle < c->nodes; middle++)
        if (middle != from && middle != to && closure_leads(c, from, middle) && closure_leads(c, middle, to))
            return true;
    return false;
}

/* The first pair that one has and the other lacks; false: none. */
static inline bool closure_differs(const closure *a, const closure *b, uint32_t *from, uint32_t *to)
{
    for (*from = 0; *from < a->nodes; ++*from)
        for (*to = 0; *to < a->nodes; ++*to)
            if (closure_leads(a, *from, *to) != closure_leads(b, *from, *to))
                return true;
    return false;
}

#endif
