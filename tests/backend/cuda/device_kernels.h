/* device_kernels.h - what tests have a device do: put numbers, wait for the host, take a ticket, fault. Each is a weir_kernel; the host twin, where
 * there is one, does the same. */
#ifndef TESTS_BACKEND_CUDA_DEVICE_KERNELS_H
#define TESTS_BACKEND_CUDA_DEVICE_KERNELS_H

#include "weir/kernel.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* to[i] = value + i, i < count. Args: uint32_t *to, uint32_t value, uint32_t count. Any launch shape. */
extern const weir_kernel put_kernel;

/* to[i] = from[i] * factor + addend. Args: uint32_t *to, const uint32_t *from, uint32_t factor, uint32_t addend, uint32_t count. */
extern const weir_kernel scale_kernel;

/* to[i] = to[i] + addend. Args: uint32_t *to, uint32_t addend, uint32_t count. */
extern const weir_kernel add_kernel;

/* *word -= 1, and weir_decide is told `calls` times, where once would be right, whether it is not 0 then; if `lies` is not 0, the contrary. *seen is
 * what the word is then. Args: uint32_t *word, uint32_t *seen, uint32_t calls, uint32_t lies, weir_decision. One thread. */
extern const weir_kernel decide_kernel;

/* Waits until *flag, pinned memory, is not 0, or some 20 s have passed, which is told by *gave_up = 1.
 * Args: volatile uint32_t *flag, uint32_t *gave_up. Device only. */
extern const weir_kernel await_kernel;

/* *slot = number of those that took a ticket before it, when its first block starts; then each block keeps its place for so many clocks.
 * Args: uint32_t *counter, uint32_t *slot, uint32_t clocks. Device only. */
extern const weir_kernel ticket_kernel;

/* Does what a broken kernel does, if `armed` is not 0. Args: uint32_t *to, uint32_t armed. Device only. */
extern const weir_kernel illegal_address_kernel, trap_kernel, assert_kernel;

/* What a kernel finds of its launch: grid, block and cluster (three each, x first), bytes of dynamic shared memory, whether the whole grid may
 * synchronise, and the number of threads that came. Args: uint32_t *out, FOUND_NUMBERS of them, zeros before. Device only. */
enum { FOUND_GRID, FOUND_BLOCK = 3, FOUND_CLUSTER = 6, FOUND_SHARED = 9, FOUND_COOPERATIVE, FOUND_THREADS, FOUND_NUMBERS };
extern const weir_kernel found_kernel;

/* The same, launched so that the whole grid may synchronise: every block sees, after it has, that all have come, and says so in
 * out[FOUND_NUMBERS]. */
extern const weir_kernel together_kernel;

/* As add_kernel, but waits for what came before by itself. Device only. */
extern const weir_kernel programmatic_kernel;

/* Keeps the device busy for `clocks`. Args: uint32_t clocks. Device only. */
extern const weir_kernel busy_kernel;

/* The await kernel launched by plain CUDA into the legacy stream. Returns a cudaError_t. */
int park_legacy_stream(volatile uint32_t *flag, uint32_t *gave_up);

#ifdef __cplusplus
}
#endif
#endif
