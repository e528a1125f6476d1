/* rival_loop.h - a loop by hand: a conditional node whose body sets the condition itself, or has a kernel more that does; and a host that looks at
 * the word after each round. Includes nothing of weir. */
#ifndef DAGBENCH_RIVAL_LOOP_H
#define DAGBENCH_RIVAL_LOOP_H

#include "rival.h"

/* What all count down: set to `rounds` at the start of a frame, and 0 at its end. */
typedef struct {
    uint32_t rounds; /* > 0 */
    uint32_t *word;  /* the device's */
    uint32_t *seen;  /* pinned: what the host has seen of it; behind it, what it is set to */
} rival_loop;

bool rival_loop_init(rival_loop *loop, uint32_t rounds, trouble *why); /* finish it whatever comes back */
void rival_loop_finish(rival_loop *loop);

/* Of a racer made below: whether a frame counts from the first round to the last. */
bool rival_loop_check(const rival_loop *loop, const racer *r, trouble *why);

/* Pool and loop must outlive them. `apart`: the condition is set by a kernel of its own. */
bool rival_while_make(racer *out, const rival_pool *pool, const rival_loop *loop, bool apart, trouble *why);
bool rival_host_loop_make(racer *out, const rival_pool *pool, const rival_loop *loop, trouble *why);

#endif
