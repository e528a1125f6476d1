/* accesses.h - the accesses of a declaration, sorted by buffer. */
#ifndef WEIR_GRAPH_ACCESSES_H
#define WEIR_GRAPH_ACCESSES_H

#include "graph/body.h"

/* Argument `arg` of the body, of task `task`. */
typedef struct {
    uint32_t task, arg;
} weir_access;

typedef struct {
    uint32_t *first;  /* buffer b's are at[first[b]] .. at[first[b + 1] - 1], in the order of declaration, a task's reads first */
    weir_access *at;
} weir_accesses;

bool weir_accesses_create(const weir_body *body, weir_accesses *out); /* false: no memory */
void weir_accesses_finish(weir_accesses *accesses);                   /* zeroed is fine */

#endif
