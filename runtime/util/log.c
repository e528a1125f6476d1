/* log.c - one lock a line; the level is read from WEIR_LOG once. An unknown level is reported by weir_settings_check, not here. */
#include "util/log.h"
#include "util/settings.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the three below */
static void (*sink)(void *, int, const char *);
static void *sink_user;

static pthread_once_t level_once = PTHREAD_ONCE_INIT;
static int highest_level = WEIR_LOG_WARN;

static void read_level(void)
{
    int level = weir_settings_log_level();
    if (level >= 0)
        highest_level = level;
}

void weir_set_log(void (*new_sink)(void *, int, const char *), void *user)
{
    pthread_mutex_lock(&lock);
    sink = new_sink;
    sink_user = user;
    pthread_mutex_unlock(&lock);
}

void weir_log(int level, const char *format, ...)
{
    static const char *const names[] = {"", "error", "warning", "info", "debug"};
    pthread_once(&level_once, read_level);
    if (level > highest_level)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&lock);
    if (sink)
        sink(sink_user, level, text);
    else
        fprintf(stderr, "weir: %s: %s\n", names[level], text);
    pthread_mutex_unlock(&lock);
}
