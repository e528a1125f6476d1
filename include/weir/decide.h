/* decide.h - lets a kernel in the body of a loop (weir_add_while) say whether the loop goes on. Includes no CUDA headers, and is read by nvcc, with or
 * without -rdc, as by C compilers: so the device code and the host twin of a kernel may share one header that calls weir_decide.
 *
 * A loop on CUDA ends each round with a kernel of weir's that looks at the condition, which costs about as much as a short kernel. It is left
 * out where a kernel of the body takes the argument WEIR_DECISION (weir/buffer.h) and tells:
 *
 *     __global__ void test(const float *residual, uint32_t *go_on, weir_decision decision)
 *     {
 *         uint32_t more = *residual > 0.01f;
 *         weir_decide(decision, more != 0);
 *         *go_on = more;
 *     }
 *
 * It is launched with one thread. The host goes by `go_on`, and on CUDA so does the test before the first round. */
#ifndef WEIR_DECIDE_H
#define WEIR_DECIDE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define WEIR_DECIDE_FUNCTION static __host__ __device__ __forceinline__
#else
#define WEIR_DECIDE_FUNCTION static inline
#endif

enum {
    WEIR_DECISION_NONE,    /* nothing: the host looks at the condition itself */
    WEIR_DECISION_SETS,    /* sets the loop's condition in a CUDA graph */
    WEIR_DECISION_NOTED    /* is noted, for a kernel of weir's to check */
};

/* What weir keeps of a loop on the device: words of weir_decision.state. */
enum {
    WEIR_LOOP_LAUNCHES, /* frames that have come to it, this one included */
    WEIR_LOOP_ROUNDS,   /* that are done, of this time */
    WEIR_LOOP_CALLS,    /* noted: in this round, */
    WEIR_LOOP_SAID,     /* and what the last one said */
    WEIR_LOOP_WORDS
};

/* What a kernel is passed for WEIR_DECISION. All of it is weir's business. */
typedef struct {
    unsigned long long handle; /* of the condition, as CUDA has it */
    uint32_t *state;           /* the loop's */
    uint32_t *results;         /* where it leaves its rounds when it ends; NULL: nobody asks */
    uint32_t result_count;     /* a word a frame, in turn */
    uint32_t at_most;          /* rounds */
    uint32_t kind;             /* WEIR_DECISION_... */
    uint32_t unused;
} weir_decision;

/* Counts a round. 1: another follows. Not for programs. */
WEIR_DECIDE_FUNCTION uint32_t weir_decision_count(const weir_decision *decision, int go_on)
{
    uint32_t rounds = decision->state[WEIR_LOOP_ROUNDS] + 1; /* read before anything is written: beside what the caller reads */
    uint32_t more = go_on && rounds < decision->at_most;
    decision->state[WEIR_LOOP_ROUNDS] = rounds;
    if (!more && decision->results)
        decision->results[(decision->state[WEIR_LOOP_LAUNCHES] - 1) % decision->result_count] = rounds;
    return more;
}

/* Keeps what was said of a round. Not for programs. */
WEIR_DECIDE_FUNCTION void weir_decision_note(const weir_decision *decision, int go_on)
{
    decision->state[WEIR_LOOP_CALLS]++;
    decision->state[WEIR_LOOP_SAID] = go_on != 0;
}

/* Whether the loop, whose body this kernel is in, goes on after this round, unless it has had as many as it may. To be called by one thread of the
 * whole grid, once in each round, anywhere in the kernel (early is cheaper: it looks up the round in memory). `go_on` is what the condition
 * will be when the round is over, not 0 or 0: it is still to be written, and is what the host, which does nothing here, goes by.
 * Nobody looks at the condition besides. In a round without a call it stays as the last call, or the test before the first round, set it: so the
 * loop goes on, unless it ended. A kernel that never calls keeps a loop that is begun running for ever, whatever its at_most, as a kernel without
 * end does; and a second call in a round counts as one more round. With WEIR_DEBUG=1 the condition decides, and the first round in which
 * there was not one call, or one that said something else, fails the frame and is told with the loop's name. */
WEIR_DECIDE_FUNCTION void weir_decide(weir_decision decision, int go_on)
{
#ifdef __CUDA_ARCH__
    if (decision.kind == WEIR_DECISION_SETS)
        cudaGraphSetConditional(decision.handle, weir_decision_count(&decision, go_on));
    else if (decision.kind == WEIR_DECISION_NOTED)
        weir_decision_note(&decision, go_on);
#else
    (void)decision;
    (void)go_on;
#endif
}

#undef WEIR_DECIDE_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
