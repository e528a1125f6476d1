/* status.h - how a failure is told: the first place that sees it names it, callers only pass the status up. */
#ifndef WEIR_UTIL_STATUS_H
#define WEIR_UTIL_STATUS_H

#include "weir/status.h"
#include <stdarg.h>

#if defined(__GNUC__)
#define WEIR_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define WEIR_PRINTF(text, rest)
#endif

/* Sets the calling thread's last error and returns `status`. */
weir_status weir_fail(weir_status status, const char *format, ...) WEIR_PRINTF(2, 3);
weir_status weir_fail_v(weir_status status, const char *format, va_list args) WEIR_PRINTF(2, 0);

/* Inline, so that a reader of one file, a static analyser say, sees that it is never WEIR_OK. */
static inline weir_status weir_fail_no_memory(void)
{
    weir_fail(WEIR_ERR_NO_MEMORY, "out of memory");
    return WEIR_ERR_NO_MEMORY;
}

#endif
