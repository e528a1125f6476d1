/* stage.h - a frame of stages in line, of which several frames are in flight: what weir and the rival both run. A state goes on from frame to frame
 * and through every stage, so that the last result tells whether each waited for what it should. Knows nothing of weir's graphs. */
#ifndef DAGBENCH_STAGE_H
#define DAGBENCH_STAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a frame is. `moves`: upload, fold, download. Else: fold, pass. */
typedef struct {
    int moves;
    uint32_t count; /* numbers that each stage hands on; the first and the last one count, and are the same */
    int64_t ticks;  /* that a kernel lasts */
} stages;

/* Device code of one block, to be launched by any part of the program; NULL where there is none for this device. Arguments: */
const void *stage_fold_resolve(void); /* const uint32_t *from, uint32_t *state, uint32_t *to, uint32_t last, int64_t ticks: to = state = the next */
const void *stage_pass_resolve(void); /* const uint32_t *from, uint32_t *to, uint32_t last, int64_t ticks: to = the first of `from` and the last, added */

/* The state after a frame that began with it and was given `number`, as its first number and as its last. */
#define STAGE_NEXT(state, number) ((state) * 31u + 2u * (number) + 1u)

/* What the last stage leaves for such a state. */
static inline uint32_t stages_result(const stages *s, uint32_t state)
{
    return s->moves ? state : 2u * state;
}

#ifdef __cplusplus
}
#endif
#endif
