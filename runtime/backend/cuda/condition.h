/* condition.h - how a loop or branch is decided on the device, by a word there. Read by nvcc and by C compilers. */
#ifndef WEIR_BACKEND_CUDA_CONDITION_H
#define WEIR_BACKEND_CUDA_CONDITION_H

#ifdef __CUDACC__
#define CONDITION_FUNCTION static __device__ inline
#else
#define CONDITION_FUNCTION static inline
#endif

/* What a loop keeps from kernel to kernel, on the device. Zeroed at first. */
typedef struct {
    unsigned launches; /* frames that have come to it, this one included */
    unsigned rounds;   /* of this time */
} condition_state;

enum { CONDITION_WHILE, CONDITION_IF, CONDITION_SWITCH };

/* Passed by value. */
typedef struct {
    const unsigned *word;
    condition_state *state;  /* while */
    unsigned *results;       /* while: where rounds are left, memory that the host sees; NULL: nobody asks */
    unsigned result_count;   /* a frame each, in turn */
    unsigned kind;           /* CONDITION_* */
    unsigned count;          /* bodies */
    unsigned at_most;        /* while */
    unsigned off;            /* no body runs */
} condition;

CONDITION_FUNCTION unsigned condition_go_on(const condition *c)
{
    unsigned more = !c->off && *c->word != 0 && c->state->rounds < c->at_most;
    if (!more && c->results)
        c->results[(c->state->launches - 1) % c->result_count] = c->state->rounds;
    return more;
}

/* Before: the value of the node's handle. A while's body runs as long as that is not 0; of branches, the body of that number, if there is one. */
CONDITION_FUNCTION unsigned condition_enter(const condition *c)
{
    if (c->kind == CONDITION_WHILE) {
        c->state->launches++;
        c->state->rounds = 0;
        return condition_go_on(c);
    }
    if (c->off)
        return c->count;
    return c->kind == CONDITION_IF ? *c->word == 0 : *c->word;
}

/* At the end of a while's body. */
CONDITION_FUNCTION unsigned condition_again(const condition *c)
{
    c->state->rounds++;
    return condition_go_on(c);
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
