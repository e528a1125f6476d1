/* vector_add.h - the kernel of examples/vector_add.c. */
#ifndef WEIR_VECTOR_ADD_H
#define WEIR_VECTOR_ADD_H

#include "weir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* W float *sum, R const float *a, R const float *b, uint64_t first, uint64_t count: elements first to first + count - 1. */
extern const weir_kernel vector_add;
weir_shape vector_add_shape(uint64_t count);

#ifdef __cplusplus
}
#endif
#endif
