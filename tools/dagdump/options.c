/* options.c - reads the arguments of sub-commands. */
#include "dagdump/dagdump.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* If argv[*i] is the option, by its long or short name, takes it, moves past what was read and returns 1; 0 if it is not; -1 if its
 * value is missing. */
static int take_option(int argc, char **argv, int *i, const dagdump_option *option)
{
    const char *argument = argv[*i];
    size_t length = strlen(option->long_name);
    if (option->value && strncmp(argument, option->long_name, length) == 0 && argument[length] == '=') {
        *option->value = argument + length + 1;
        return 1;
    }
    if (strcmp(argument, option->long_name) != 0 && (!option->short_name || strcmp(argument, option->short_name) != 0))
        return 0;
    if (option->given)
        *option->given = true;
    if (!option->value)
        return 1;
    if (*i + 1 >= argc)
        return -1;
    *option->value = argv[++*i];
    return 1;
}

int dagdump_options(int argc, char **argv, const dagdump_option *options, size_t count, const char *purpose, const char **file)
{
    bool only_files = false;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (!only_files && strcmp(argument, "--") == 0) {
            only_files = true;
            continue;
        }
        if (!only_files && argument[0] == '-' && argument[1] != '\0') {
            int taken = 0;
            for (size_t k = 0; k < count && taken == 0; k++)
                taken = take_option(argc, argv, &i, &options[k]);
            if (taken == 0)
                return dagdump_fail(DAGDUMP_USAGE, "unknown option '%s'; see dagdump --help", argument);
            if (taken < 0)
                return dagdump_fail(DAGDUMP_USAGE, "option '%s' needs a value; see dagdump --help", argument);
            continue;
        }
        if (*file)
            return dagdump_fail(DAGDUMP_USAGE, "'%s' is one file too many; give one at a time", argument);
        *file = argument;
    }
    if (!*file && purpose)
        return dagdump_fail(DAGDUMP_USAGE, "no file to %s; give one, or - for standard input", purpose);
    return DAGDUMP_OK;
}

bool dagdump_number(const char *option, const char *text, uint32_t most, uint32_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && !*end && !errno && parsed >= 1 && parsed <= most) {
        *number = (uint32_t)parsed;
        return true;
    }
    dagdump_fail(DAGDUMP_USAGE, "%s must be a whole number from 1 to %" PRIu32 ", but is '%s'", option, most, text);
    return false;
}
