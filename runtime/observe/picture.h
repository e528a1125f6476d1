/* picture.h - what a picture of a drawing shows: not every edge and not every task of a long chain, but every order and every wait. */
#ifndef WEIR_OBSERVE_PICTURE_H
#define WEIR_OBSERVE_PICTURE_H

#include "observe/draw.h"

enum {
    WEIR_LINE_WAIT = 1,
    WEIR_LINE_CRITICAL = 2,
    WEIR_LINE_BESIDE = 4 /* to a later frame, from a task to itself, or where a line within the frame links the same two of one cluster */
};

typedef struct {
    uint32_t from, to, distance, flags; /* WEIR_LINE_* */
} weir_line;

typedef struct {
    weir_line *line;      /* by to, then from, then distance; no two alike */
    size_t lines;
    uint32_t *fold;       /* task -> the first task of the fold it is in; itself if it is in none */
    uint32_t *folded;     /* first task of a fold -> how many tasks it stands for; 1 for a task in none, 0 for the others of a fold */
    double *cost_ns;      /* first task of a fold -> the sum of their costs */
    unsigned char *critical; /* task -> is on the critical path */
    uint32_t *cluster;    /* task -> the first task of its group; UINT32_MAX: it has no group */
} weir_picture;

/* Lines are the transitive reduction of edges and carried edges, every wait, and every step of the critical path. A fold is
 * the inside of a chain: tasks of one lane, group and kind, no loops and branches, that have no line but the one from the task before and the one to
 * the task after. WEIR_ERR_NO_MEMORY. */
weir_status weir_picture_init(weir_picture *picture, const weir_drawing *drawing);
void weir_picture_finish(weir_picture *picture); /* zeroed is fine */

#endif
