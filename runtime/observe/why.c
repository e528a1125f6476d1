/* why.c - what keeps frames from coming faster, as a sentence for people. */
#include "observe/draw.h"
#include "observe/text.h"
#include "plan/plan.h"
#include "weir/drawing.h"
#include <inttypes.h>
#include <string.h>

enum { NAMED_WHOLE = 8, NAMED_FIRST = 4, NAMED_LAST = 3 }; /* of a longer list the first and last ones */

/* "project -> advect -> project": a cycle comes back to its first. */
static void put_chain(FILE *to, const weir_drawing *d, const uint32_t *task, uint32_t count, bool cycle)
{
    const uint32_t skipped = count > NAMED_WHOLE ? count - NAMED_FIRST - NAMED_LAST : 0;
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? " -> " : "", to);
        if (skipped > 0 && i == NAMED_FIRST) {
            fprintf(to, "(%" PRIu32 " more) -> ", skipped);
            i += skipped;
        }
        weir_text_put_visible(to, d->task[task[i]].name);
    }
    if (cycle) {
        fputs(" -> ", to);
        weir_text_put_visible(to, d->task[task[0]].name);
    }
}

static bool keeps_state(const weir_drawn_task *task)
{
    return strcmp(task->kind, weir_kind_name(WEIR_KIND_HOST)) == 0 || strcmp(task->kind, weir_kind_name(WEIR_KIND_NATIVE)) == 0;
}

/* The dearest that follows itself from frame to frame. */
static void put_serial_task(FILE *to, const weir_drawing *d)
{
    const weir_drawn_task *dearest = NULL;
    for (uint32_t i = 0; i < d->carried_count; i++) {
        const weir_drawn_task *task = &d->task[d->carried[i].from];
        if (d->carried[i].from == d->carried[i].to && keeps_state(task) && (!dearest || task->cost_ns > dearest->cost_ns))
            dearest = task;
    }
    fputs(weir_bound_name(WEIR_BOUND_HOST_TASK), to);
    if (dearest) {
        fputs(" '", to);
        weir_text_put_visible(to, dearest->name);
        putc('\'', to);
    }
}

static void put_tasks(FILE *to, const weir_drawing *d, const char *binding)
{
    if (strcmp(binding, weir_bound_name(WEIR_BOUND_RECURRENCE)) == 0 && d->cycle_count > 0) {
        put_chain(to, d, d->cycle, d->cycle_count, true);
        if (d->cycle_frames > 1)
            fprintf(to, " (in %" PRIu32 " frames)", d->cycle_frames);
    } else if (strcmp(binding, weir_bound_name(WEIR_BOUND_PATH)) == 0 && d->critical_count > 0) {
        put_chain(to, d, d->critical, d->critical_count, false);
        if (d->frames > 1)
            fprintf(to, " (%" PRIu32 " frames at once)", d->frames);
    } else if (strcmp(binding, weir_bound_name(WEIR_BOUND_HOST_TASK)) == 0) {
        put_serial_task(to, d);
    } else {
        weir_text_put_visible(to, binding);
    }
}

/* A character that is cut off at the end is left out. */
static void end_in_whole(char *text)
{
    size_t length = strlen(text), first = length;
    while (first > 0 && ((unsigned char)text[first - 1] & 0xc0) == 0x80)
        first--;
    if (first == 0 || (unsigned char)text[first - 1] < 0x80)
        return;
    const unsigned char lead = (unsigned char)text[first - 1];
    const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (length - (first - 1) < bytes)
        text[first - 1] = '\0';
}

void weir_why(const weir_drawing *drawing, const char *binding, double bound_ns, char *text, size_t room)
{
    if (!text || room == 0)
        return;
    text[0] = '\0';
    FILE *to = room > 1 ? fmemopen(text, room, "w") : NULL;
    if (!to)
        return;
    fprintf(to, "frames cannot come faster than %s: ", weir_text_time(bound_ns).text);
    put_tasks(to, drawing, binding);
    (void)fclose(to); /* what has no room is left out */
    text[room - 1] = '\0';
    end_in_whole(text);
}

void weir_drawing_why(const weir_drawing *drawing, char *text, size_t room)
{
    if (drawing && drawing->policy)
        weir_why(drawing, drawing->binding, drawing->bound_ns, text, room);
    else if (text && room > 0)
        text[0] = '\0';
}
