/* timeline.c - dagdump timeline: a trace as a picture. */
#include "timeline.h"
#include "dagdump/dagdump.h"
#include "dagdump/timeline_svg.h"
#include "read.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "A-B", or "A" alone. */
static bool parse_frames(const char *text, uint64_t *first, uint64_t *last)
{
    char *end = NULL;
    errno = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    *first = *last = strtoull(text, &end, 10);
    if (*end == '-' && isdigit((unsigned char)end[1]))
        *last = strtoull(end + 1, &end, 10);
    return !*end && !errno && *first <= *last;
}

/* What a saved plan says of its frames; "" without one. */
static int read_why(const char *plan, char *why, size_t room)
{
    read_drawing read;
    read_error error;
    why[0] = '\0';
    if (!plan)
        return DAGDUMP_OK;
    if (!read_file(plan, &read, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    int exit_status = read.drawing.policy ? DAGDUMP_OK : dagdump_fail(DAGDUMP_BAD_INPUT, "%s: this is a graph; --plan needs a plan", plan);
    weir_drawing_why(&read.drawing, why, room);
    read_drawing_finish(&read);
    return exit_status;
}

typedef struct {
    const timeline *timeline;
    const char *why;
} shown;

static bool write_picture(int file, const char *name, void *user)
{
    const shown *show = user;
    int copy = dup(file); /* closing the stream closes it, and `file` is not ours to close */
    FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
    if (!to) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be written: %s", name, strerror(errno));
        if (copy >= 0)
            close(copy);
        return false;
    }
    timeline_svg(show->timeline, show->why[0] ? show->why : NULL, to);
    bool written = fflush(to) == 0 && !ferror(to);
    int error = errno;
    if (fclose(to) != 0 && written) {
        error = errno;
        written = false;
    }
    if (!written)
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be written: %s", name, strerror(error));
    return written;
}

static int draw(const read_trace *trace, const char *input, const char *output, uint64_t first, uint64_t last, const char *why)
{
    timeline t;
    shown show = {&t, why};
    int exit_status = DAGDUMP_OK;
    if (!timeline_init(trace, first, last, &t))
        exit_status = dagdump_fail(DAGDUMP_BAD_INPUT, "%s: there is not enough memory to draw it", input);
    else if (t.tasks == 0)
        exit_status = dagdump_fail(DAGDUMP_BAD_INPUT, "%s: it has frames %" PRIu64 " to %" PRIu64 ", none of those that --frames names",
                                   input, t.earliest_frame, t.latest_frame);
    else if (!dagdump_write(output, write_picture, &show))
        exit_status = DAGDUMP_BAD_INPUT;
    timeline_finish(&t);
    return exit_status;
}

int dagdump_timeline(int argc, char **argv)
{
    const char *input = NULL, *output = NULL, *frames = NULL, *plan = NULL;
    const dagdump_option options[] = {{"--output", "-o", &output, NULL}, {"--frames", NULL, &frames, NULL}, {"--plan", NULL, &plan, NULL}};
    char why[512];
    uint64_t first = 1, last = 0;
    int exit_status = dagdump_options(argc, argv, options, sizeof options / sizeof *options, "draw", &input);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    if (!output)
        return dagdump_fail(DAGDUMP_USAGE, "no file to draw to; name one with -o FILE.svg, or - for standard output");
    if (frames && !parse_frames(frames, &first, &last))
        return dagdump_fail(DAGDUMP_USAGE, "--frames must be two numbers A-B, the first not above the second, or one; but is '%s'", frames);
    exit_status = read_why(plan, why, sizeof why);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    read_trace trace;
    read_error error;
    if (!read_trace_file(input, &trace, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    exit_status = draw(&trace, input, output, first, last, why);
    read_trace_finish(&trace);
    return exit_status;
}
