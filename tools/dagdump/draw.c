/* draw.c - dagdump [draw]: reads a saved graph or plan and writes it in some format. The library's own writers do that, so there is one
 * of each in the world; only svg is made here. */
#include "dagdump/dagdump.h"
#include "read.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *input, *output, *format;
} options;

static const char *const formats[] = {"dot", "svg", "json", "text"};

static const struct {
    const char *suffix, *format;
} suffixes[] = {{".dot", "dot"}, {".gv", "dot"}, {".svg", "svg"}, {".json", "json"}, {".txt", "text"}};

/* If argv[*i] is the option, by its long or short name, sets *value, moves past what was read and returns 1; 0 if it is not; -1
 * if its value is missing. */
static int take_option(int argc, char **argv, int *i, const char *long_name, const char *short_name, const char **value)
{
    const char *argument = argv[*i];
    size_t length = strlen(long_name);
    if (strncmp(argument, long_name, length) == 0 && argument[length] == '=') {
        *value = argument + length + 1;
        return 1;
    }
    if (strcmp(argument, long_name) != 0 && strcmp(argument, short_name) != 0)
        return 0;
    if (*i + 1 >= argc)
        return -1;
    *value = argv[++*i];
    return 1;
}

static int read_options(int argc, char **argv, options *o)
{
    bool only_files = false;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (!only_files && strcmp(argument, "--") == 0) {
            only_files = true;
            continue;
        }
        if (!only_files && argument[0] == '-' && argument[1] != '\0') {
            int taken = take_option(argc, argv, &i, "--format", "-f", &o->format);
            if (taken == 0)
                taken = take_option(argc, argv, &i, "--output", "-o", &o->output);
            if (taken == 0)
                return dagdump_fail(DAGDUMP_USAGE, "unknown option '%s'; see dagdump --help", argument);
            if (taken < 0)
                return dagdump_fail(DAGDUMP_USAGE, "option '%s' needs a value; see dagdump --help", argument);
            continue;
        }
        if (o->input)
            return dagdump_fail(DAGDUMP_USAGE, "'%s' is one file too many; give one at a time", argument);
        o->input = argument;
    }
    if (!o->input)
        return dagdump_fail(DAGDUMP_USAGE,
                            "no file to draw; give one that weir_save or WEIR_DUMP=FILE.json saved, or - for standard input");
    return DAGDUMP_OK;
}

static int choose_format(options *o)
{
    if (!o->output)
        o->output = "-";
    for (size_t i = 0; o->format && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(o->format, formats[i]) == 0)
            return DAGDUMP_OK;
    if (o->format)
        return dagdump_fail(DAGDUMP_USAGE, "unknown format '%s'; it must be dot, svg, json or text", o->format);
    if (strcmp(o->output, "-") == 0) {
        o->format = "text";
        return DAGDUMP_OK;
    }
    const char *name = strrchr(o->output, '/') ? strrchr(o->output, '/') + 1 : o->output, *suffix = strrchr(name, '.');
    for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix, suffixes[i].suffix) == 0) {
            o->format = suffixes[i].format;
            return DAGDUMP_OK;
        }
    return dagdump_fail(DAGDUMP_USAGE, "%s: its name tells no format; end it in .dot, .gv, .svg, .json or .txt, or say --format",
                        o->output);
}

int dagdump_draw(int argc, char **argv)
{
    options o = {0};
    int exit_status = read_options(argc, argv, &o);
    if (exit_status == DAGDUMP_OK)
        exit_status = choose_format(&o);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    read_drawing read;
    read_error error;
    if (!read_file(o.input, &read, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    if (strcmp(o.format, "svg") == 0) {
        exit_status = dagdump_svg(&read.drawing, o.output) ? DAGDUMP_OK : DAGDUMP_BAD_INPUT;
    } else {
        weir_status status = weir_drawing_save(&read.drawing, o.output, o.format);
        if (status == WEIR_ERR_IO)
            exit_status = dagdump_fail(DAGDUMP_BAD_INPUT, "%s", weir_last_error());
        else if (status != WEIR_OK)
            exit_status = dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", o.input, weir_last_error());
    }
    read_drawing_finish(&read);
    return exit_status;
}
