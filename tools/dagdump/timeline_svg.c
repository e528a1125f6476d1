/* timeline_svg.c - from top to bottom: title, a bracket a frame, a row a lane, axis, legend. Tasks are rectangles with their names where
 * there is room, and always as a tooltip. Coordinates are pixels at the picture's own size. */
#include "dagdump/timeline_svg.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    WIDTH = 1280,
    LEFT = 100, /* of the rows, behind their names */
    RIGHT = 24,
    TITLE_HEIGHT = 58,
    WHY_HEIGHT = 18,
    BRACKET_HEIGHT = 15,
    BRACKETS_MOST = 12,
    HEADING_HEIGHT = 18, /* a graph's name, where there are several */
    ROW_HEIGHT = 30,
    BAR_HEIGHT = 24,
    AXIS_HEIGHT = 42,
    LEGEND_HEIGHT = 30,
    LETTER = 6, /* wide, about */
    SHADES = 3
};

static const struct {
    const char *name, *shade[SHADES], *ink[SHADES];
} classes[] = {
    {"kernel, loop or branch", {"#aed0ee", "#5f9bd3", "#2d669f"}, {"#102a43", "#0b1f33", "#ffffff"}},
    {"copy or fill", {"#fcd5a3", "#f0a04b", "#bd6a12"}, {"#4a2c05", "#3a2103", "#ffffff"}},
    {"on the host, or empty", {"#dcdcdc", "#b4b4b4", "#7d7d7d"}, {"#222222", "#1a1a1a", "#ffffff"}},
};
enum { CLASSES = sizeof classes / sizeof *classes };

static const char critical_colour[] = "#c2003f";

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1}, {"\xC2\xB5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};

typedef struct {
    const timeline *t;
    const char *why; /* or NULL */
    FILE *to;
    double scale; /* pixels a nanosecond */
    int rows_top, rows_bottom, height;
    const char *unit;
    double unit_ns;
} picture;

/* ---- text ---- */

/* For XML: text and attributes alike. What XML does not allow at all is shown as a question mark. At most `most` letters. */
static void put_text(FILE *to, const char *text, size_t most)
{
    size_t letters = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool inside = (*at & 0xC0) == 0x80; /* of a letter that began before */
        if (!inside && letters++ == most)
            return;
        if (*at == '&')
            fputs("&amp;", to);
        else if (*at == '<')
            fputs("&lt;", to);
        else if (*at == '>')
            fputs("&gt;", to);
        else if (*at == '"')
            fputs("&quot;", to);
        else if (*at < ' ' || *at == 0x7F)
            putc('?', to);
        else if (at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE) /* U+FFFE and U+FFFF */
            putc('?', to), at += 2;
        else
            putc(*at, to);
    }
}

static size_t letters_of(const char *text)
{
    size_t letters = 0;
    for (; *text; text++)
        letters += ((unsigned char)*text & 0xC0) != 0x80;
    return letters;
}

static int unit_of(double ns)
{
    int unit = 0;
    while (unit < 3 && ns >= units[unit + 1].ns)
        unit++;
    return unit;
}

static void put_time(FILE *to, double ns)
{
    int unit = unit_of(ns);
    fprintf(to, "%.3g %s", ns / units[unit].ns, units[unit].name);
}

/* ---- where things are ---- */

static double x_of(const picture *p, double ns)
{
    double x = LEFT + (ns - p->t->start_ns) * p->scale;
    return x < LEFT ? LEFT : x > WIDTH - RIGHT ? WIDTH - RIGHT : x;
}

static bool has_headings(const picture *p)
{
    return p->t->headings > 1;
}

static int row_top(const picture *p, uint32_t row)
{
    int headings = has_headings(p) ? (int)p->t->heading[row] + 1 : 0;
    return p->rows_top + headings * HEADING_HEIGHT + (int)p->t->line[row] * ROW_HEIGHT;
}

static uint64_t brackets(const timeline *t)
{
    uint64_t frames = t->last_frame - t->first_frame + 1;
    return frames <= BRACKETS_MOST ? frames : 0;
}

static int title_height(const picture *p)
{
    return TITLE_HEIGHT + (p->why ? WHY_HEIGHT : 0);
}

static void lay_out(picture *p)
{
    const timeline *t = p->t;
    double span_ns = t->end_ns - t->start_ns;
    p->scale = (WIDTH - RIGHT - LEFT) / (span_ns > 0 ? span_ns : 1);
    p->rows_top = title_height(p) + (int)brackets(t) * BRACKET_HEIGHT;
    p->rows_bottom = p->rows_top + (has_headings(p) ? (int)t->headings * HEADING_HEIGHT : 0) + (int)t->lines * ROW_HEIGHT;
    p->height = p->rows_bottom + AXIS_HEIGHT + LEGEND_HEIGHT;
    int unit = unit_of(span_ns);
    p->unit = units[unit].name;
    p->unit_ns = units[unit].ns;
}

static int class_of(const char *kind)
{
    static const char *const of_kernels[] = {"kernel", "while", "if", "switch"};
    for (size_t i = 0; i < sizeof of_kernels / sizeof *of_kernels; i++)
        if (strcmp(kind, of_kernels[i]) == 0)
            return 0;
    return strcmp(kind, "copy") == 0 || strcmp(kind, "fill") == 0 ? 1 : 2;
}

/* Frames of another graph have shades of their own count, by the same rule. */
static int shade_of(const picture *p, const traced_task *task)
{
    const timeline *t = p->t;
    bool meant = t->trace->row[task->row].graph == t->graph && task->frame >= t->first_frame;
    return (int)((meant ? task->frame - t->first_frame : task->frame) % SHADES);
}

static const char *graph_name(const picture *p, uint32_t graph)
{
    return p->t->trace->graph[graph].name ? p->t->trace->graph[graph].name : "a graph without name";
}

/* ---- the parts ---- */

/* "frame 3", "frames 3 to 5" */
static void put_frames(FILE *to, uint64_t first, uint64_t last)
{
    fprintf(to, "frame%s %" PRIu64, first < last ? "s" : "", first);
    if (first < last)
        fprintf(to, " to %" PRIu64, last);
}

static void put_title(const picture *p)
{
    const timeline *t = p->t;
    fprintf(p->to, "<text x=\"%d\" y=\"24\" class=\"title\">", LEFT);
    put_text(p->to, graph_name(p, t->graph), 80);
    fputs(t->trace->predicted ? ", predicted: " : ": ", p->to);
    put_frames(p->to, t->first_frame, t->last_frame);
    fputs(" in ", p->to);
    put_time(p->to, t->end_ns - t->start_ns);
    if (!isnan(t->interval_ns)) {
        fputs(", one every ", p->to);
        put_time(p->to, t->interval_ns);
    }
    fprintf(p->to, "%s</text>\n<text x=\"%d\" y=\"43\" class=\"small\">critical path: %" PRIu32 " task%s, ",
            t->trace->predicted ? " if each lane has the device to itself" : "", LEFT, t->critical_tasks,
            t->critical_tasks == 1 ? "" : "s");
    put_time(p->to, t->critical_ns);
    fputs(", the rest of the time it waited", p->to);
    if (!t->trace->predicted) {
        fputs("; the trace has ", p->to);
        put_frames(p->to, t->earliest_frame, t->latest_frame);
    }
    fputs("</text>\n", p->to);
    if (p->why) {
        fprintf(p->to, "<text x=\"%d\" y=\"60\" class=\"small\">", LEFT);
        put_text(p->to, p->why, 190);
        fputs("</text>\n", p->to);
    }
}

static void put_bracket(const picture *p, uint64_t frame)
{
    const timeline *t = p->t;
    double start_ns = t->end_ns, end_ns = t->start_ns;
    for (uint32_t i = 0; i < t->tasks; i++) {
        const traced_task *task = &t->trace->task[t->task[i]];
        if (t->trace->row[task->row].graph != t->graph || task->frame != frame)
            continue;
        start_ns = task->start_ns < start_ns ? task->start_ns : start_ns;
        end_ns = task->end_ns > end_ns ? task->end_ns : end_ns;
    }
    if (start_ns > end_ns)
        return;
    double from = x_of(p, start_ns), to = x_of(p, end_ns), y = title_height(p) + (double)(frame - t->first_frame) * BRACKET_HEIGHT + 4;
    fprintf(p->to, "<path d=\"M%.2f %.1fv-6M%.2f %.1fH%.2fM%.2f %.1fv-6\" class=\"bracket\"/>", from, y + 3, from, y, to, to, y + 3);
    fprintf(p->to, "<text x=\"%d\" y=\"%.1f\" class=\"small right\">frame %" PRIu64 "</text>\n", LEFT - 10, y + 3.5, frame);
}

static void put_row(const picture *p, uint32_t row)
{
    const traced_row *r = &p->t->trace->row[row];
    int top = row_top(p, row);
    if (has_headings(p) && (row == 0 || p->t->trace->row[row - 1].graph != r->graph)) {
        fprintf(p->to, "<text x=\"%d\" y=\"%d\" class=\"small bold\">", LEFT, top - 5);
        put_text(p->to, graph_name(p, r->graph), 80);
        fputs("</text>\n", p->to);
    }
    fprintf(p->to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"row\"/>", LEFT, top, WIDTH - RIGHT - LEFT, BAR_HEIGHT);
    fprintf(p->to, "<text x=\"%d\" y=\"%d\" class=\"right\">", LEFT - 10, top + BAR_HEIGHT / 2 + 4);
    if (r->name)
        put_text(p->to, r->name, 14);
    else
        fprintf(p->to, "lane %" PRIu32, r->number);
    fputs("</text>\n", p->to);
}

static void put_name(const picture *p, const traced_task *task, double x, double width)
{
    double room = (width - 6) / LETTER;
    size_t letters = letters_of(task->name);
    if (room < 3 || (room < 5 && (double)letters > room))
        return;
    bool whole = (double)letters <= room;
    fprintf(p->to, "<text x=\"%.2f\" y=\"%d\" style=\"fill:%s\">", x + 3, row_top(p, task->row) + BAR_HEIGHT / 2 + 4,
            classes[class_of(task->kind)].ink[shade_of(p, task)]);
    put_text(p->to, task->name, whole ? letters : (size_t)room - 1);
    fputs(whole ? "</text>" : "\xE2\x80\xA6</text>", p->to);
}

static void put_task(const picture *p, uint32_t place)
{
    const traced_task *task = &p->t->trace->task[p->t->task[place]];
    double x = x_of(p, task->start_ns), width = x_of(p, task->end_ns) - x;
    width = width < 0.4 ? 0.4 : width; /* else it would not be seen at all */
    fprintf(p->to, "<g><title>");
    put_text(p->to, task->name, 200);
    fputs(" (", p->to);
    put_text(p->to, task->kind, 20);
    fprintf(p->to, "), frame %" PRIu64 "\nat ", task->frame);
    put_time(p->to, task->start_ns > p->t->start_ns ? task->start_ns - p->t->start_ns : 0);
    fputs(", took ", p->to);
    put_time(p->to, task->end_ns - task->start_ns);
    fprintf(p->to, "</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s/>", x, row_top(p, task->row), width,
            BAR_HEIGHT, classes[class_of(task->kind)].shade[shade_of(p, task)], width > 3 ? " class=\"bar\"" : "");
    put_name(p, task, x, width);
    fputs("</g>\n", p->to);
}

static const traced_task *critical_from(const timeline *t, uint32_t *place)
{
    while (*place < t->tasks && !t->critical[*place])
        ++*place;
    return *place < t->tasks ? &t->trace->task[t->task[(*place)++]] : NULL;
}

/* Over all tasks, so that no neighbour hides them. Tasks that follow each other closely in one row are outlined together, else many short
 * ones would be nothing but outline; a line leads from row to row. */
static void put_critical_path(const picture *p)
{
    enum { CLOSE = 2 };
    uint32_t place = 0;
    const traced_task *task = critical_from(p->t, &place);
    fputs("<g class=\"critical\">\n", p->to);
    while (task) {
        const traced_task *last = task, *next = critical_from(p->t, &place);
        while (next && next->row == task->row && x_of(p, next->start_ns) - x_of(p, last->end_ns) < CLOSE) {
            last = next;
            next = critical_from(p->t, &place);
        }
        double x = x_of(p, task->start_ns), end = x_of(p, last->end_ns);
        int top = row_top(p, task->row);
        fprintf(p->to, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"/>\n", x, top, end - x < 0.4 ? 0.4 : end - x, BAR_HEIGHT);
        if (next)
            fprintf(p->to, "<path d=\"M%.2f %dL%.2f %d\"/>\n", end, top + BAR_HEIGHT / 2, x_of(p, next->start_ns),
                    row_top(p, next->row) + BAR_HEIGHT / 2);
        task = next;
    }
    fputs("</g>\n", p->to);
}

/* 1, 2 or 5 times a power of ten, so that there are five to twelve ticks. */
static double tick_step(double span)
{
    double step = 1;
    while (step * 12 < span)
        step *= 10;
    while (step * 1.2 > span && step > 1e-9)
        step /= 10;
    if (span / step > 5)
        return step;
    return span / step > 2.5 ? step / 2 : step / 5;
}

static void put_grid(const picture *p, bool labels)
{
    double span = (p->t->end_ns - p->t->start_ns) / p->unit_ns, step = tick_step(span > 0 ? span : 1);
    for (int i = 0; i * step <= span * (1 + 1e-9); i++) {
        double x = LEFT + i * step * p->unit_ns * p->scale;
        if (!labels)
            fprintf(p->to, "<path d=\"M%.2f %dV%d\" class=\"grid\"/>\n", x, p->rows_top, p->rows_bottom);
        else
            fprintf(p->to, "<path d=\"M%.2f %dv5\" class=\"axis\"/><text x=\"%.2f\" y=\"%d\" class=\"small middle\">%.6g</text>\n", x,
                    p->rows_bottom, x, p->rows_bottom + 18, i * step);
    }
}

static void put_axis(const picture *p)
{
    fprintf(p->to, "<path d=\"M%d %dH%d\" class=\"axis\"/>\n", LEFT, p->rows_bottom, WIDTH - RIGHT);
    put_grid(p, true);
    fprintf(p->to, "<text x=\"%d\" y=\"%d\" class=\"small middle\">time in %s</text>\n", (LEFT + WIDTH - RIGHT) / 2, p->rows_bottom + 35,
            p->unit);
}

static void put_legend(const picture *p)
{
    enum { SWATCH = 14 };
    int x = LEFT, y = p->rows_bottom + AXIS_HEIGHT + 6;
    for (int c = 0; c < CLASSES; c++) {
        for (int shade = 0; shade < SHADES; shade++, x += SWATCH)
            fprintf(p->to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>", x, y, SWATCH, SWATCH,
                    classes[c].shade[shade]);
        fprintf(p->to, "<text x=\"%d\" y=\"%d\" class=\"small\">%s</text>\n", x + 6, y + 11, classes[c].name);
        x += 6 + LETTER * (int)strlen(classes[c].name) + 24;
    }
    fprintf(p->to, "<g class=\"critical\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></g>", x, y, 2 * SWATCH, SWATCH);
    fprintf(p->to, "<text x=\"%d\" y=\"%d\" class=\"small\">critical path</text>\n", x + 2 * SWATCH + 6, y + 11);
    fprintf(p->to, "<text x=\"%d\" y=\"%d\" class=\"small right\">shades: one frame, the next, the one after</text>\n", WIDTH - RIGHT,
            y + 11);
}

void timeline_svg(const timeline *t, const char *why, FILE *to)
{
    picture p = {.t = t, .why = why, .to = to};
    lay_out(&p);
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
            "0 %d %d\">\n",
            WIDTH, p.height, WIDTH, p.height);
    fprintf(
        to,
        "<style>\n"
        "text { font: 11px Helvetica, Arial, sans-serif; fill: #222222 }\n"
        ".title { font-size: 16px; font-weight: bold }\n.small { font-size: 10.5px; fill: #444444 }\n.bold { font-weight: bold }\n"
        ".right { text-anchor: end }\n.middle { text-anchor: middle }\n"
        ".row { fill: #f4f4f4 }\n.bar { stroke: #ffffff; stroke-width: 0.5 }\n.grid { stroke: #e2e2e2; fill: none }\n"
        ".axis { stroke: #555555; fill: none }\n.bracket { stroke: #888888; fill: none }\n"
        ".critical { fill: none; stroke: %s; stroke-width: 1.6 }\n.critical path { stroke-width: 1; stroke-dasharray: 3 2 }\n</style>\n",
        critical_colour);
    fprintf(to, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, p.height);
    put_title(&p);
    for (uint64_t i = 0; i < brackets(t); i++)
        put_bracket(&p, t->first_frame + i);
    for (uint32_t row = 0; row < t->trace->rows; row++)
        if (t->line[row] != UINT32_MAX)
            put_row(&p, row);
    put_grid(&p, false);
    for (uint32_t i = 0; i < t->tasks; i++)
        put_task(&p, i);
    put_critical_path(&p);
    put_axis(&p);
    put_legend(&p);
    fputs("</svg>\n", to);
}
