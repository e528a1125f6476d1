/* settings.c - reads the environment and refuses what it does not understand. */
#include "util/settings.h"
#include "util/status.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *weir_settings_text(const char *variable)
{
    const char *text = getenv(variable);
    return text && *text ? text : NULL;
}

weir_status weir_settings_number(const char *variable, uint64_t lowest, uint64_t highest, uint64_t *value)
{
    const char *text = weir_settings_text(variable);
    if (!text)
        return WEIR_OK;
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || number < lowest || number > highest)
        return weir_fail(WEIR_ERR_INVALID, "%s=%s: must be a whole number from %" PRIu64 " to %" PRIu64, variable, text, lowest, highest);
    *value = number;
    return WEIR_OK;
}

weir_status weir_settings_choice(const char *variable, const char *what, const char *const *allowed, const char **value)
{
    const char *text = weir_settings_text(variable);
    const char *chosen = text ? text : *value;
    char list[256] = "";
    size_t used = 0;
    for (size_t i = 0; allowed[i]; i++) {
        if (strcmp(chosen, allowed[i]) == 0) {
            *value = allowed[i];
            return WEIR_OK;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", allowed[i]);
    }
    if (text)
        return weir_fail(WEIR_ERR_INVALID, "%s=%s: must be one of %s", variable, text, list);
    return weir_fail(WEIR_ERR_INVALID, "unknown %s '%s': must be one of %s", what, chosen, list);
}

static const char *const log_levels[] = {"off", "error", "warn", "info", "debug", NULL};

int weir_settings_log_level(void)
{
    const char *text = weir_settings_text("WEIR_LOG");
    for (int i = 0; text && log_levels[i]; i++)
        if (strcmp(text, log_levels[i]) == 0)
            return i;
    return -1;
}

weir_status weir_settings_check_log(void)
{
    const char *level = "warn";
    return weir_settings_choice("WEIR_LOG", "log level", log_levels, &level);
}
