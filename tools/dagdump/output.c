/* output.c - a drawing in the format that is asked for. The library's own writers do that, so there is one of each in the world; only
 * svg is made here. */
#include "dagdump/dagdump.h"
#include <string.h>

static const char *const formats[] = {"dot", "svg", "json", "text"};

static const struct {
    const char *suffix, *format;
} suffixes[] = {{".dot", "dot"}, {".gv", "dot"}, {".svg", "svg"}, {".json", "json"}, {".txt", "text"}};

int dagdump_format(const char *output, const char **format)
{
    for (size_t i = 0; *format && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(*format, formats[i]) == 0)
            return DAGDUMP_OK;
    if (*format)
        return dagdump_fail(DAGDUMP_USAGE, "unknown format '%s'; it must be dot, svg, json or text", *format);
    if (strcmp(output, "-") == 0) {
        *format = "text";
        return DAGDUMP_OK;
    }
    const char *name = strrchr(output, '/') ? strrchr(output, '/') + 1 : output, *suffix = strrchr(name, '.');
    for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix, suffixes[i].suffix) == 0) {
            *format = suffixes[i].format;
            return DAGDUMP_OK;
        }
    return dagdump_fail(DAGDUMP_USAGE, "%s: its name tells no format; end it in .dot, .gv, .svg, .json or .txt, or say --format", output);
}

int dagdump_save(const weir_drawing *drawing, const char *input, const char *output, const char *format)
{
    if (strcmp(format, "svg") == 0)
        return dagdump_svg(drawing, output) ? DAGDUMP_OK : DAGDUMP_BAD_INPUT;
    weir_status status = weir_drawing_save(drawing, output, format);
    if (status == WEIR_ERR_IO)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", weir_last_error());
    if (status != WEIR_OK)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", input, weir_last_error());
    return DAGDUMP_OK;
}
