/* save.c - the table of formats; writing to streams and files. */
#include "observe/draw.h"
#include "observe/output.h"
#include "util/status.h"
#include "weir/observe.h"
#include <locale.h>
#include <string.h>

static const struct {
    const char *name;
    weir_status (*write)(const weir_drawing *drawing, FILE *to);
} formats[] = {{"json", weir_write_json}, {"dot", weir_write_dot}, {"text", weir_write_text}};

static const struct {
    const char *suffix, *format;
} suffixes[] = {{".json", "json"}, {".dot", "dot"}, {".gv", "dot"}, {".txt", "text"}};

weir_status weir_format_of(const char *path, const char **format)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *suffix = strrchr(name, '.');
    if (strcmp(path, "-") == 0) {
        *format = "text";
        return WEIR_OK;
    }
    for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix, suffixes[i].suffix) == 0) {
            *format = suffixes[i].format;
            return WEIR_OK;
        }
    return weir_fail(WEIR_ERR_INVALID, "cannot tell the format of '%s': its name must end in .json, .dot, .gv or .txt", path);
}

weir_status weir_drawing_write(const weir_drawing *drawing, FILE *stream, const char *format)
{
    if (!stream || !format)
        return weir_fail(WEIR_ERR_INVALID, "weir_drawing_write: the stream or the format is NULL");
    size_t i = 0, count = sizeof formats / sizeof *formats;
    while (i < count && strcmp(format, formats[i].name) != 0)
        i++;
    if (i == count)
        return weir_fail(WEIR_ERR_INVALID, "unknown format '%s': must be one of json, dot, text", format);
    weir_status status = weir_drawing_check(drawing);
    if (status != WEIR_OK)
        return status;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a number's point stays a point, whatever the program speaks */
    if (plain == (locale_t)0)
        return weir_fail_no_memory();
    locale_t before = uselocale(plain);
    status = formats[i].write(drawing, stream);
    uselocale(before);
    freelocale(plain);
    return status;
}

weir_status weir_drawing_save(const weir_drawing *drawing, const char *path, const char *format)
{
    if (!path)
        return weir_fail(WEIR_ERR_INVALID, "weir_drawing_save: the path is NULL");
    weir_output output;
    weir_status status = format ? WEIR_OK : weir_format_of(path, &format);
    if (status == WEIR_OK)
        status = weir_output_init(&output, path);
    if (status != WEIR_OK)
        return status;
    return weir_output_finish(&output, weir_drawing_write(drawing, output.stream, format));
}

weir_status weir_save(const char *path, const char *format, const weir_graph *graph, const weir_plan *plan)
{
    const weir_drawing *drawing = NULL;
    weir_status status = weir_drawing_of(graph, plan, &drawing);
    if (status != WEIR_OK)
        return status;
    status = weir_drawing_save(drawing, path, format);
    weir_drawing_destroy(drawing);
    return status;
}
