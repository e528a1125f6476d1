/* host_frames.h - frames in flight on host threads: a chain of kernels with rings between them, and how fast its frames follow each other beside what
 * no schedule can beat. Always on the host, also where there is CUDA. */
#ifndef DAGBENCH_HOST_FRAMES_H
#define DAGBENCH_HOST_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_FRAMES_NAME "frames-host"
#define HOST_FRAMES_SAYS "a chain of three kernels of 200 us with rings between them, three frames in flight"

/* Measures and prints it, medians of `repeat` laps. In each, every frame's answer is compared with that of the same frame run sequentially. Heeds
 * WEIR_LANES, WEIR_WORKERS and WEIR_POLICY; WEIR_BACKEND must not name another. False: `error` says what is wrong. */
bool host_frames_bench(uint32_t repeat, bool json, char *error, size_t error_bytes);

#endif
