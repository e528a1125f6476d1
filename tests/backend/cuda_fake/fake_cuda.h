/* fake_cuda.h - a CUDA runtime without a device, to link in cudart's place: threads run what is launched, in any order that CUDA allows.
 *
 * A kernel's device code is its weir_kernel, whose host twin runs it: `resolve` returns what fake_cuda_kernel gives for one that tells the
 * bytes of its arguments. What CUDA forbids, and what weir must never do, ends the process with a message.
 * FAKE_CUDA_SEED chooses the order (1), FAKE_CUDA_EXECUTORS how many threads run (4). */
#ifndef TESTS_BACKEND_CUDA_FAKE_FAKE_CUDA_H
#define TESTS_BACKEND_CUDA_FAKE_FAKE_CUDA_H

#include "weir/kernel.h"

/* Has a host twin and arg_bytes, and stays; gives it back. */
const void *fake_cuda_kernel(const weir_kernel *kernel);

/* Launches into the legacy stream, where weir may launch nothing. A cudaError_t. */
int fake_cuda_launch_legacy(const weir_kernel *kernel, void **args);

/* What cudaGraphSetConditional is on a device: from inside a kernel. */
void fake_cuda_set_conditional(unsigned long long handle, unsigned value);

#endif
