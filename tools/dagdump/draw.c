/* draw.c - dagdump [draw]: reads a graph or plan and writes it in some format. */
#include "dagdump/dagdump.h"
#include "read.h"

int dagdump_draw(int argc, char **argv)
{
    const char *input = NULL, *output = "-", *format = NULL;
    const dagdump_option options[] = {{"--format", "-f", &format, NULL}, {"--output", "-o", &output, NULL}};
    int exit_status = dagdump_options(argc, argv, options, sizeof options / sizeof *options, "draw", &input);
    if (exit_status == DAGDUMP_OK)
        exit_status = dagdump_format(output, &format);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    read_drawing read;
    read_error error;
    if (!read_file(input, &read, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    exit_status = dagdump_save(&read.drawing, input, output, format);
    read_drawing_finish(&read);
    return exit_status;
}
