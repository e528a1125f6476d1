/* log.h - log lines, to standard error or the program's sink. Any thread. */
#ifndef WEIR_UTIL_LOG_H
#define WEIR_UTIL_LOG_H

#include "util/status.h"

void weir_log(int level, const char *format, ...) WEIR_PRINTF(2, 3); /* level: WEIR_LOG_* */

#endif
