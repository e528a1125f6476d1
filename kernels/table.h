/* table.h - writes the weir_kernel of a host twin `<name>_host`, and of a device function found by `<name>_resolve`
 * (device.h) when the library is built with CUDA. */
#ifndef WEIR_KERNELS_TABLE_H
#define WEIR_KERNELS_TABLE_H

#include "weir/kernel.h"

#ifdef WEIR_HAVE_CUDA
#define KERNEL_RESOLVE_DECLARE(name) const void *name##_resolve(void);
#define KERNEL_RESOLVE(name) name##_resolve
#else
#define KERNEL_RESOLVE_DECLARE(name)
#define KERNEL_RESOLVE(name) NULL
#endif

/* The rest of the arguments are the bytes of each argument of the kernel. */
#define KERNEL_TABLE(name, text, ...) \
    KERNEL_RESOLVE_DECLARE(name) \
    static const uint16_t name##_bytes[] = {__VA_ARGS__}; \
    const weir_kernel name = { \
        text, NULL, KERNEL_RESOLVE(name), name##_host, name##_bytes, sizeof name##_bytes / sizeof name##_bytes[0], 0}

#endif
