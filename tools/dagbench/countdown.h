/* countdown.h - the body of a loop that is decided on the device: kernels that count a word down to 0. Knows nothing of weir's graphs. */
#ifndef DAGBENCH_COUNTDOWN_H
#define DAGBENCH_COUNTDOWN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Device code of one thread, to be launched by any part of the program; NULL where there is none for this device. Arguments: */
const void *countdown_resolve(void);     /* uint32_t *word: takes one from it */
const void *countdown_set_resolve(void); /* uint32_t *word, cudaGraphConditionalHandle loop: the same, and lets the loop go on until it is 0 */
const void *countdown_look_resolve(void); /* as many: lets the loop go on until it is 0, and takes nothing */
const void *countdown_decide_resolve(void); /* uint32_t *word, weir_decision loop: takes one, and weir lets the loop go on until it is 0 */

#ifdef __cplusplus
}
#endif
#endif
