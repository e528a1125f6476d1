/* timeline.c - dagdump timeline: a trace as a picture; or what a plan has in mind. */
#include "timeline.h"
#include "dagdump/dagdump.h"
#include "dagdump/timeline_svg.h"
#include "predict.h"
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

/* ---- what is drawn ---- */

typedef struct {
    const char *input, *output, *plan;
    uint64_t first, last; /* frames; first > last: the last three */
} wanted;

static int draw_trace(const wanted *w, const char *why)
{
    read_trace trace;
    read_error error;
    if (!read_trace_file(w->input, &trace, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    int exit_status = draw(&trace, w->input, w->output, w->first, w->last, why);
    read_trace_finish(&trace);
    return exit_status;
}

/* So many frames that the last three are as steady as they become, or those that are asked for. */
static int draw_prediction(const wanted *w, const weir_drawing *plan, const char *why)
{
    enum { TASKS_MOST = 100 * 1000 * 1000 };
    const uint64_t frames = w->first > w->last ? 8 * (uint64_t)plan->frames + 3 : w->last + 1;
    read_trace trace;
    if (plan->task_count == 0)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: it has no tasks", w->plan);
    if (frames > TASKS_MOST / plan->task_count)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %" PRIu64 " frames of %" PRIu32 " tasks are too many to draw", w->plan, frames, plan->task_count);
    weir_status status = predict(plan, (uint32_t)frames, &trace);
    if (status != WEIR_OK)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", w->plan, status == WEIR_ERR_NO_MEMORY ? "there is not enough memory to draw it" : weir_last_error());
    int exit_status = draw(&trace, w->plan, w->output, w->first, w->last, why);
    predicted_finish(&trace);
    return exit_status;
}

static int draw_with_plan(const wanted *w)
{
    read_drawing read;
    read_error error;
    char why[512];
    if (!read_file(w->plan, &read, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    int exit_status = read.drawing.policy ? DAGDUMP_OK : dagdump_fail(DAGDUMP_BAD_INPUT, "%s: this is a graph; --plan needs a plan", w->plan);
    weir_drawing_why(&read.drawing, why, sizeof why);
    if (exit_status == DAGDUMP_OK)
        exit_status = w->input ? draw_trace(w, why) : draw_prediction(w, &read.drawing, why);
    read_drawing_finish(&read);
    return exit_status;
}

int dagdump_timeline(int argc, char **argv)
{
    const char *frames = NULL;
    wanted w = {.first = 1, .last = 0};
    const dagdump_option options[] = {{"--output", "-o", &w.output, NULL}, {"--frames", NULL, &frames, NULL}, {"--plan", NULL, &w.plan, NULL}};
    int exit_status = dagdump_options(argc, argv, options, sizeof options / sizeof *options, NULL, &w.input);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    if (!w.input && !w.plan)
        return dagdump_fail(DAGDUMP_USAGE, "no file to draw; give a trace, or - for standard input, or a plan with --plan");
    if (!w.output)
        return dagdump_fail(DAGDUMP_USAGE, "no file to draw to; name one with -o FILE.svg, or - for standard output");
    if (frames && !parse_frames(frames, &w.first, &w.last))
        return dagdump_fail(DAGDUMP_USAGE, "--frames must be two numbers A-B, the first not above the second, or one; but is '%s'", frames);
    return w.plan ? draw_with_plan(&w) : draw_trace(&w, "");
}
