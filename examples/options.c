/* options.c - see options.h. */
#include "options.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "weir/status.h"

static int usage_error(const options *all, const char *name, const char *text, const char *what)
{
    fprintf(stderr, "%s: %s%s%s: %s; see %s --help\n", all->program, name, text ? " " : "", text ? text : "", what, all->program);
    return EXIT_BAD_USAGE;
}

static void print_help(const options *all)
{
    printf("%s\n\n", all->summary);
    for (size_t i = 0; i < all->count; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", all->options[i].name, all->options[i].operand);
        printf("  %-22s %s\n", left, all->options[i].help);
    }
    printf("  %-22s %s\n  %-22s %s\n", "--help", "print this and end", "--version", "print the version and end");
}

static bool read_number(const char *text, const char **rest, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!end || errno)
        return false;
    *rest = end;
    *out = number;
    return true;
}

static bool take_number(const option *o, const char *text, char *what, size_t room)
{
    uint64_t number = 0;
    const char *rest = "";
    if (!read_number(text, &rest, &number) || *rest || number < o->lowest || number > o->highest) {
        snprintf(what, room, "must be a whole number from %" PRIu64 " to %" PRIu64, o->lowest, o->highest);
        return false;
    }
    if (o->value)
        *(uint64_t *)o->value = number;
    return true;
}

static bool read_signed(const char *text, const char **rest, uint64_t most, int32_t *out)
{
    const bool negative = *text == '-';
    uint64_t number = 0;
    if (!read_number(text + negative, rest, &number) || number > most)
        return false;
    *out = negative ? -(int32_t)number : (int32_t)number;
    return true;
}

/* "-1,0,1" */
static bool take_three(const option *o, const char *text, char *what, size_t room)
{
    int32_t three[3];
    const char *rest = text;
    bool good = true;
    for (int i = 0; i < 3 && good; i++)
        good = read_signed(rest, &rest, o->highest, &three[i]) && *rest++ == (i < 2 ? ',' : '\0');
    if (!good) {
        snprintf(what, room, "must be three whole numbers with commas between, each from -%" PRIu64 " to %" PRIu64, o->highest, o->highest);
        return false;
    }
    if (o->value)
        memcpy(o->value, three, sizeof three);
    return true;
}

/* Decimal, as "0.001" or "1e-3". */
static bool take_share(const option *o, const char *text, char *what, size_t room)
{
    char *end = NULL;
    double share = strspn(text, "0123456789.eE+-") == strlen(text) ? strtod(text, &end) : 0.0;
    if (!end || end == text || *end || !(share > 0.0 && share <= 1.0)) {
        snprintf(what, room, "must be a number above 0 and not above 1");
        return false;
    }
    if (o->value)
        *(double *)o->value = share;
    return true;
}

static bool take_size(const option *o, const char *text, char *what, size_t room)
{
    uint64_t width = 0, height = 0;
    const char *rest = "";
    bool good = read_number(text, &rest, &width) && *rest == 'x' && read_number(rest + 1, &rest, &height) && !*rest;
    if (!good || width < o->lowest || height < o->lowest || width > o->highest || height > o->highest) {
        snprintf(what, room, "must be WIDTHxHEIGHT, each from %" PRIu64 " to %" PRIu64, o->lowest, o->highest);
        return false;
    }
    if (o->value)
        *(option_size *)o->value = (option_size){(uint32_t)width, (uint32_t)height};
    return true;
}

static bool take_choice(const option *o, const char *text, char *what, size_t room)
{
    int used = snprintf(what, room, "must be one of");
    for (const char *const *choice = o->choices; *choice; choice++) {
        if (strcmp(text, *choice) == 0) {
            if (o->value)
                *(const char **)o->value = *choice;
            return true;
        }
        if (used > 0 && (size_t)used < room)
            used += snprintf(what + used, room - (size_t)used, "%s %s", choice == o->choices ? "" : ",", *choice);
    }
    return false;
}

static bool take_text(const option *o, const char *text, char *what, size_t room)
{
    if (!*text) {
        snprintf(what, room, "must not be empty");
        return false;
    }
    *(const char **)o->value = text;
    return true;
}

/* Reads one option's text. -1, or an exit status. */
static int take(const options *all, const option *o, const char *text)
{
    char what[256] = "";
    bool good = false;
    switch (o->kind) {
    case OPTION_TEXT:
        good = take_text(o, text, what, sizeof what);
        break;
    case OPTION_NUMBER:
        good = take_number(o, text, what, sizeof what);
        break;
    case OPTION_THREE:
        good = take_three(o, text, what, sizeof what);
        break;
    case OPTION_SHARE:
        good = take_share(o, text, what, sizeof what);
        break;
    case OPTION_SIZE:
        good = take_size(o, text, what, sizeof what);
        break;
    case OPTION_CHOICE:
        good = take_choice(o, text, what, sizeof what);
        break;
    }
    if (!good)
        return usage_error(all, o->name, text, what);
    if (o->environment && setenv(o->environment, text, 1) != 0) {
        fprintf(stderr, "%s: %s: %s\n", all->program, o->environment, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    return -1;
}

static const option *find(const options *all, const char *word, size_t length)
{
    for (size_t i = 0; i < all->count; i++)
        if (strlen(all->options[i].name) == length && memcmp(all->options[i].name, word, length) == 0)
            return &all->options[i];
    return NULL;
}

int options_read(const options *all, int argc, char *const *argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *equals = strchr(word, '=');
        if (strcmp(word, "--help") == 0) {
            print_help(all);
            return EXIT_GOOD;
        }
        if (strcmp(word, "--version") == 0) {
            printf("%s (weir) %s\n", all->program, weir_version());
            return EXIT_GOOD;
        }
        const option *o = find(all, word, equals ? (size_t)(equals - word) : strlen(word));
        if (!o)
            return usage_error(all, word, NULL, word[0] == '-' ? "unknown option" : "unexpected argument");
        const char *text = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (!text)
            return usage_error(all, o->name, NULL, "needs a value");
        int ended = take(all, o, text);
        if (ended >= 0)
            return ended;
    }
    return -1;
}
