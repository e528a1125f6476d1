/* condition.h - how a loop or branch is decided on the device, by a word there. Read by nvcc and by C compilers. How a round is counted is in
 * weir/decide.h, since kernels of users do it too. Of memory, what does not hang on each other is read first, and then written: a round waits
 * for one of its accesses only. */
#ifndef WEIR_BACKEND_CUDA_CONDITION_H
#define WEIR_BACKEND_CUDA_CONDITION_H

#include "weir/decide.h"

#ifdef __CUDACC__
#define CONDITION_FUNCTION static __device__ inline
#else
#define CONDITION_FUNCTION static inline
#endif

enum { CONDITION_WHILE, CONDITION_IF, CONDITION_SWITCH };

/* Of what a kernel that decides said of a round; memory that the host sees. Zeroed at first. */
typedef struct {
    uint32_t round; /* the first that it said something wrong of, from 1 on; 0: there was none */
    uint32_t calls; /* in that: once it should have been */
    uint32_t word;  /* that the condition was at its end */
} condition_mistake;

/* Passed by value. */
typedef struct {
    weir_decision decision;     /* while: what there is to decide; the handle is passed apart */
    const uint32_t *word;
    condition_mistake *mistake; /* NULL: no kernel of the body decides, or nobody checks */
    uint32_t kind;              /* CONDITION_* */
    uint32_t count;             /* bodies */
    uint32_t off;               /* no body runs */
} condition;

/* A while's first round. Its at_most is no less than 1. */
CONDITION_FUNCTION uint32_t condition_begin(const condition *c)
{
    const weir_decision *d = &c->decision;
    uint32_t more = *c->word != 0 && !c->off, launches = d->state[WEIR_LOOP_LAUNCHES] + 1;
    d->state[WEIR_LOOP_LAUNCHES] = launches;
    d->state[WEIR_LOOP_ROUNDS] = d->state[WEIR_LOOP_CALLS] = 0;
    if (!more && d->results)
        d->results[(launches - 1) % d->result_count] = 0;
    return more;
}

/* Before: the value of the node's handle. A while's body runs as long as that is not 0; of branches, the body of that number, if there is one. */
CONDITION_FUNCTION uint32_t condition_enter(const condition *c)
{
    if (c->kind == CONDITION_WHILE)
        return condition_begin(c);
    if (c->off)
        return c->count;
    return c->kind == CONDITION_IF ? *c->word == 0 : *c->word;
}

CONDITION_FUNCTION void condition_check(const condition *c, uint32_t word)
{
    uint32_t *state = c->decision.state, calls = state[WEIR_LOOP_CALLS];
    if (c->mistake->round == 0 && (calls != 1 || state[WEIR_LOOP_SAID] != (word != 0))) {
        c->mistake->calls = calls;
        c->mistake->word = word;
        c->mistake->round = state[WEIR_LOOP_ROUNDS] + 1;
    }
    state[WEIR_LOOP_CALLS] = 0;
}

/* At the end of a while's body. */
CONDITION_FUNCTION uint32_t condition_again(const condition *c)
{
    uint32_t word = *c->word;
    if (c->mistake)
        condition_check(c, word);
    return weir_decision_count(&c->decision, word != 0);
}

#ifdef __cplusplus
extern "C" {
#endif

/* The device code of two kernels of one thread: (cudaGraphConditionalHandle handle, condition c). NULL: there is none for this device. */
const void *weir_cuda_condition_enter(void);
const void *weir_cuda_condition_again(void);

#ifdef __cplusplus
}
#endif
#endif
