/* status.h - what calls return, the text behind a failure, and the two process-wide hooks: memory and log.
 * Threads: weir_last_error() is the calling thread's own; the hooks are set once, before anything else is called. */
#ifndef WEIR_STATUS_H
#define WEIR_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#define WEIR_MUST_USE __attribute__((warn_unused_result))
#else
#define WEIR_API
#define WEIR_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The first three are outcomes, the rest are failures. */
typedef enum {
    WEIR_OK,
    WEIR_WOULD_BLOCK,   /* asked not to wait, and it is not done yet */
    WEIR_TIMEOUT,       /* waited that long; weir_last_error() says for what */
    WEIR_ERR_INVALID,   /* an argument, a declaration or a switch that makes no sense */
    WEIR_ERR_NO_MEMORY, /* nothing was changed */
    WEIR_ERR_CYCLE,     /* the tasks of the cycle are named in order */
    WEIR_ERR_HAZARD,    /* two tasks touch the same data and nothing orders them; or data are read before anything wrote them */
    WEIR_ERR_BACKEND,   /* the backend is absent, or cannot do what a task asks for */
    WEIR_ERR_TASK,      /* the code of a host or native task failed, or did what it may not; it is named */
    WEIR_ERR_DEVICE,    /* a call of CUDA's failed, which is named; or the device faulted, and is lost to the whole process */
    WEIR_ERR_IO,        /* a file could not be read or written */
    WEIR_ERR_STATE      /* right call, wrong time */
} weir_status;

/* "major.minor.patch" of the library, which agrees with WEIR_VERSION_* of its headers. */
WEIR_API const char *weir_version(void);

/* "WEIR_OK", "WEIR_ERR_CYCLE", ... A static string, never NULL. */
WEIR_API const char *weir_status_name(weir_status status);

/* What the calling thread's last weir call that did not return WEIR_OK had to say: the task or buffer by name, and what
 * to do. Valid until this thread's next call that fails. Never NULL; empty if nothing failed yet. */
WEIR_API const char *weir_last_error(void);

/* Takes memory through `resize` instead of realloc/free. It behaves as realloc does, but resize(p, 0) frees p and returns
 * NULL. Buffers' storage on the host backend comes from it too. Call it before anything else; NULL gives the default back.
 * `resize` is called from any thread. */
WEIR_API void weir_set_allocator(void *(*resize)(void *memory, size_t bytes));

enum { WEIR_LOG_ERROR = 1, WEIR_LOG_WARN = 2, WEIR_LOG_INFO = 3, WEIR_LOG_DEBUG = 4 };

/* Sends log lines (no newline at their end) to `sink` instead of standard error. `level` is one of WEIR_LOG_*; lines above
 * the level of WEIR_LOG ("off", "error", "warn", "info", "debug"; default "warn") are not made. NULL gives the default back.
 * `sink` is called from any thread, one call at a time, and may not call weir. */
WEIR_API void weir_set_log(void (*sink)(void *user, int level, const char *text), void *user);

#ifdef __cplusplus
}
#endif
#endif
