/* fake_cuda.h - a CUDA runtime without a device, to link in cudart's place: threads run what is launched, in any order that CUDA allows.
 *
 * A kernel's device code is its weir_kernel, whose host twin runs it: `resolve` returns what fake_cuda_kernel gives for one that tells the
 * bytes of its arguments. What CUDA forbids, and what weir must never do, ends the process with a message.
 * FAKE_CUDA_SEED chooses the order (1), FAKE_CUDA_EXECUTORS how many threads run (4). With FAKE_CUDA_NO_INNER_UPDATES=1 nodes in bodies of
 * conditional nodes cannot be changed or switched one by one; with FAKE_CUDA_STRICT_BODIES=1 what they may not hold is refused when it is captured,
 * not when the graph is made executable. */
#ifndef TESTS_BACKEND_CUDA_FAKE_FAKE_CUDA_H
#define TESTS_BACKEND_CUDA_FAKE_FAKE_CUDA_H

#include "weir/kernel.h"

/* Has a host twin and arg_bytes, and stays; gives it back. */
const void *fake_cuda_kernel(const weir_kernel *kernel);

/* Launches into the legacy stream, where weir may launch nothing. A cudaError_t. */
int fake_cuda_launch_legacy(const weir_kernel *kernel, void **args);

/* Whether the calling thread may use the legacy stream from now on, as code that weir did not write may; else that ends the process, unless CUDA
 * has an error for it. */
void fake_cuda_allow_legacy(int allowed);

/* For a kernel's host twin: cudaGraphSetConditional, what weir_decide is on a device, and cudaGridDependencySynchronize. */
void fake_cuda_set_conditional(unsigned long long handle, unsigned value);
void fake_cuda_decide(weir_decision decision, int go_on);
void fake_cuda_grid_dependency_synchronize(void);

#endif
