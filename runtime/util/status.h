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
weir_status weir_fail_no_memory(void);

#ifdef __clang_analyzer__ /* it looks at one file at a time, and would think that a failure may be WEIR_OK */
#define weir_fail(status, ...) ((void)weir_fail(status, __VA_ARGS__), (status))
#define weir_fail_no_memory() ((void)weir_fail_no_memory(), WEIR_ERR_NO_MEMORY)
#endif

#endif
