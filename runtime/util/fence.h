/* fence.h - a full fence: what this thread stored before is visible before what it loads after. */
#ifndef WEIR_UTIL_FENCE_H
#define WEIR_UTIL_FENCE_H

#include <stdatomic.h>

static inline void weir_full_fence(void)
{
#if defined(__SANITIZE_THREAD__) /* gcc's ThreadSanitizer knows no fences, but what orders as one */
    static atomic_uint ordered;
    atomic_fetch_add(&ordered, 1);
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

#endif
