/* check.h - what the files of weir_graph_check share: what data need within a frame, and whom to tell what was found. */
#ifndef WEIR_GRAPH_CHECK_H
#define WEIR_GRAPH_CHECK_H

#include "graph/dag.h"

/* "later follows earlier because both touch what access `arg` of later touches", in one frame. */
typedef struct {
    uint32_t later, earlier, arg;
} weir_need;

/* Task t's are at[first[t]] .. at[first[t] + count[t] - 1]. The order of the dag is topological for them too. */
typedef struct {
    const weir_need *at;
    const uint32_t *first, *count;
} weir_needs;

typedef struct {
    void (*found)(void *user, weir_status status, const char *text); /* NULL: nobody */
    void *user;
    bool hazard; /* one was told */
} weir_reporter;

enum { WEIR_SPAN_TEXT = 96 };

void weir_report(weir_reporter *reporter, weir_status status, const char *text);
const char *weir_access_verb(unsigned mode); /* "reads", ... */
void weir_span_text(const weir_span *span, char text[WEIR_SPAN_TEXT]); /* its first and last element */
bool weir_task_has_accesses(const weir_body *body, uint32_t task);

/* check_frames.c: reports what is wrong between different frames, of which `frames` > 1 are in flight. WEIR_ERR_NO_MEMORY. */
weir_status weir_check_frames(const weir_body *body, uint32_t frames, const weir_dag *dag, const weir_needs *needs, weir_reporter *reporter);

#endif
