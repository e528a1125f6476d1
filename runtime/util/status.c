/* status.c - names of statuses and each thread's last error. */
#include "util/status.h"
#include "weir/version.h"
#include <stdio.h>

static _Thread_local char last_error[8192] /* may list many tasks */;

#define TEXT_OF(x) #x
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *weir_version(void)
{
    return VERSION(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_PATCH);
}

const char *weir_status_name(weir_status status)
{
    static const char *const names[] = {
        [WEIR_OK] = "WEIR_OK",
        [WEIR_WOULD_BLOCK] = "WEIR_WOULD_BLOCK",
        [WEIR_TIMEOUT] = "WEIR_TIMEOUT",
        [WEIR_ERR_INVALID] = "WEIR_ERR_INVALID",
        [WEIR_ERR_NO_MEMORY] = "WEIR_ERR_NO_MEMORY",
        [WEIR_ERR_CYCLE] = "WEIR_ERR_CYCLE",
        [WEIR_ERR_HAZARD] = "WEIR_ERR_HAZARD",
        [WEIR_ERR_BACKEND] = "WEIR_ERR_BACKEND",
        [WEIR_ERR_TASK] = "WEIR_ERR_TASK",
        [WEIR_ERR_DEVICE] = "WEIR_ERR_DEVICE",
        [WEIR_ERR_IO] = "WEIR_ERR_IO",
        [WEIR_ERR_STATE] = "WEIR_ERR_STATE",
    };
    if ((unsigned)status >= sizeof names / sizeof *names)
        return "unknown weir_status";
    return names[status];
}

const char *weir_last_error(void)
{
    return last_error;
}

weir_status weir_fail_v(weir_status status, const char *format, va_list args)
{
    char text[sizeof last_error]; /* the arguments may point into the old text */
    vsnprintf(text, sizeof text, format, args);
    snprintf(last_error, sizeof last_error, "%s", text);
    return status;
}

/* In parentheses: not a macro's use, whatever the header defines for analysers. */
weir_status (weir_fail)(weir_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    weir_fail_v(status, format, args);
    va_end(args);
    return status;
}

weir_status (weir_fail_no_memory)(void)
{
    return weir_fail(WEIR_ERR_NO_MEMORY, "out of memory");
}
