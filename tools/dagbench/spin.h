/* spin.h - the kernels that tasks are on CUDA, each one block of one warp, and how long they last. Knows nothing of weir's graphs: weir and
 * the hand-written rival launch the same code. */
#ifndef DAGBENCH_SPIN_H
#define DAGBENCH_SPIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPIN_THREADS = 32 };

/* What a task leaves behind in a checked run. Entry 0 of an array is the clock that tickets are drawn from, task t's entry is t + 1. */
typedef struct {
    uint32_t begun, ended; /* tickets drawn first and last */
    uint32_t runs;
} spin_record;

/* Device code, to be launched by any part of the program; NULL where there is none for this device. Arguments: */
const void *spin_empty_resolve(void);  /* none: does nothing */
const void *spin_spin_resolve(void);   /* int64_t ticks: lasts as many ticks of the processor's clock */
const void *spin_told_resolve(void);   /* uint32_t: does nothing with it */
const void *spin_ticket_resolve(void); /* spin_record *records, uint32_t task */
const void *spin_early_resolve(void);  /* none: lets the next kernel start at once, waits for the end of those before, does nothing more */
const void *spin_early_ticket_resolve(void); /* as that, and then as spin_ticket */

/* Ticks of that clock a microsecond, measured against events on the current device; 0 if CUDA failed, with its error in *error. */
double spin_ticks_per_us(int *error);

#ifdef __cplusplus
}
#endif
#endif
