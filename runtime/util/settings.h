/* settings.h - the switches of the environment, each with its allowed values. Environment beats program beats default; a
 * program that wants its command line to win writes it into the environment. Read when used, never cached but for the log. */
#ifndef WEIR_UTIL_SETTINGS_H
#define WEIR_UTIL_SETTINGS_H

#include "weir/status.h"
#include <stdbool.h>

/* The variable's text, or NULL if it is unset or empty. */
const char *weir_settings_text(const char *variable);

/* Overwrites *value by the variable if that is set. WEIR_ERR_INVALID, naming what is allowed, if it is no number from
 * `lowest` to `highest`. */
weir_status weir_settings_number(const char *variable, uint64_t lowest, uint64_t highest, uint64_t *value);

/* Overwrites *value by the variable if that is set; the result must be one of `allowed` (NULL ends it), whoever said it;
 * `what` names it in the error. */
weir_status weir_settings_choice(const char *variable, const char *what, const char *const *allowed, const char **value);

/* WEIR_LOG as a level, WEIR_LOG_ERROR ... or 0 for "off"; -1 if unset or unknown. */
int weir_settings_log_level(void);
/* WEIR_ERR_INVALID if WEIR_LOG is set to something unknown. */
weir_status weir_settings_check_log(void);

#endif
