/* kernel.h - describes a kernel: its name, its code for each backend and what it is passed. All that kernels/ needs of weir. */
#ifndef WEIR_KERNEL_H
#define WEIR_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include "weir/decide.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a kernel is launched, as in CUDA: blocks in the grid, threads in a block, blocks in a cluster, bytes of dynamic shared
 * memory a block. Index 0 is x. Zeros read as 1. */
typedef struct {
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
} weir_shape;

/* The part of a grid that one call of a host kernel does: `count` whole blocks from number `first` on, x fastest. */
typedef struct {
    uint32_t grid[3], block[3];
    uint64_t first, count;
    void *shared; /* shape.shared_bytes of scratch of the calling worker, 64-byte aligned, contents undefined; NULL if none */
} weir_blocks;

/* A kernel's host twin. args[i] points at argument i, as cudaLaunchKernel has it (and is passed them on CUDA): at the pointer for a buffer (the base of
 * the copy touched, also when only a box is), at the value for values and params. Hidden arguments are not counted.
 * Several workers may be inside at once, each with blocks of its own: blocks are independent. No weir call from inside. */
typedef void weir_host_kernel(const weir_blocks *blocks, void *const *args);

/* Argument i as a `type`: float *u = WEIR_PASSED(float *, args, 0); */
#define WEIR_PASSED(type, args, i) (*(type const *)(args)[i])

typedef void (*weir_symbol)(void); /* any function */

enum {
    WEIR_KERNEL_ONE_CALL = 1,     /* the host twin is called once, with the whole grid */
    WEIR_KERNEL_COOPERATIVE = 2,  /* CUDA: launched so that the whole grid may synchronise */
    WEIR_KERNEL_PROGRAMMATIC = 4  /* CUDA: waits for what it follows by itself */
};

/* WEIR_KERNEL_PROGRAMMATIC: the kernel calls cudaGridDependencySynchronize, and in a replay (mode "replay") it may be launched before the kernels
 * that its task follows have ended: as soon as each of their blocks has called cudaTriggerProgrammaticLaunchCompletion, or ended. So
 * - at least one thread of the grid makes the call in every launch, or tasks that come later may start too early;
 * - before it returns, a thread reads nothing that a task before it in the frame writes, and writes nothing.
 * That needs a device of compute capability 9.0 or later (else the log says so), and that neither kernel is cooperative. Tasks of other kinds have
 * ended before it is launched. Eagerly, and in a captured graph, it is launched like any other kernel, and the call returns at once.
 * Any kernel may call cudaTriggerProgrammaticLaunchCompletion. */

/* Static data: a graph keeps the pointer, so it must outlive graphs, plans and execs. A kernel without code for a backend
 * is refused there when the exec is made; that loads it too, so that no first launch waits for it. On CUDA its module must outlive the
 * runtimes, which keep graphs of execs that are gone. */
typedef struct {
    const char *name;               /* the default name of its tasks */
    weir_symbol device;             /* the __global__ function, of a module that shares the library's CUDA runtime; NULL: none */
    const void *(*resolve)(void);   /* gives the device code from the module that holds it, see weir/cuda.h; works anywhere, wins over `device` */
    weir_host_kernel *host;         /* the host twin; NULL: none */
    const uint16_t *arg_bytes;      /* bytes of each argument passed, checked when the exec is made; NULL: not checked */
    uint16_t arg_count;             /* of arg_bytes; not looked at if that is NULL */
    uint16_t flags;                 /* WEIR_KERNEL_* */
} weir_kernel;

#ifdef __cplusplus
}
#endif
#endif
