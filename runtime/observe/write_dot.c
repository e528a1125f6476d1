/* write_dot.c - a drawing as Graphviz's DOT. What it shows, and why not more, is chosen in picture.c: with every implied edge of a
 * fluid solver's sweeps the picture would be ink. Colours are Paul Tol's "light" scheme, which keeps its differences for colour-blind
 * eyes and under black text; as they repeat after eight, each task also says its lane.
 *
 * A carried edge is drawn as an arc only within a cluster beside a line that already links the two tasks, or from a task to itself. All
 * others would cross the whole picture from its foot to its head; for them the earlier frame's task is written again where it is
 * needed, once a cluster: an echo.
 *
 * Names are quoted for DOT and escaped once more for its labels, where a backslash and an ampersand mean something. */
#include "observe/picture.h"
#include "observe/text.h"
#include "util/memory.h"
#include "util/status.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 8, LEGEND_LANES = 16, BODIES_SHOWN = 8 };
static const char *const lane_colours[COLOURS] = {"#77AADD", "#EEDD88", "#44BB99", "#EE8866", "#99DDFF", "#FFAABB", "#BBCC33", "#AAAA00"};
static const char *const no_lane_colour = "#F2F2F2", *const carried_colour = "#AA3377";

static void put_escaped(FILE *to, const char *text)
{
    for (uint32_t c; (c = weir_text_next(&text)) != 0;) {
        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", (int)c);
        else if (c == '&')
            fputs("&amp;", to);
        else
            weir_text_put(to, weir_text_visible(c));
    }
}

/* The same inside <>, where DOT wants XML. */
static void put_xml(FILE *to, const char *text)
{
    for (uint32_t c; (c = weir_text_next(&text)) != 0;) {
        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\\')
            fprintf(to, "&#%d;", (int)c);
        else
            weir_text_put(to, weir_text_visible(c));
    }
}

static bool has_bodies(const weir_drawing *d)
{
    for (uint32_t t = 0; t < d->task_count; t++)
        if (d->task[t].body_count > 0)
            return true;
    return false;
}

static void put_legend(FILE *to, const weir_drawing *d)
{
    uint32_t shown = d->lane_count < LEGEND_LANES ? d->lane_count : LEGEND_LANES;
    fputs("  label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"3\" cellpadding=\"3\">\n    <tr><td align=\"left\"><b>", to);
    put_xml(to, d->name);
    fprintf(to, "</b>: %" PRIu32 " tasks", d->task_count);
    if (d->policy) {
        fprintf(to, ", %" PRIu32 " lane%s, policy ", d->lane_count, d->lane_count == 1 ? "" : "s");
        put_xml(to, d->policy);
        fprintf(to, ", %" PRIu32 " frame%s in flight", d->frames, d->frames == 1 ? "" : "s");
    }
    fputs("</td></tr>\n", to);
    if (d->policy) {
        fprintf(to, "    <tr><td align=\"left\">predicted: %s for one frame alone, then one every %s; ",
                weir_text_time(d->makespan_ns).text, weir_text_time(d->interval_ns).text);
        fprintf(to, "bound %s (", weir_text_time(d->bound_ns).text);
        put_xml(to, d->binding);
        fprintf(to,
                ")</td></tr>\n    <tr><td align=\"left\"><table align=\"left\" border=\"0\" cellborder=\"0\" cellspacing=\"2\" "
                "fixedsize=\"true\" width=\"%" PRIu32 "\" height=\"24\"><tr>",
                56 * (shown + (shown < d->lane_count)));
        for (uint32_t lane = 0; lane < shown; lane++)
            fprintf(to, "<td bgcolor=\"%s\">lane %" PRIu32 "</td>", lane_colours[lane % COLOURS], lane);
        fprintf(to, "%s</tr></table></td></tr>\n", shown < d->lane_count ? "<td>...</td>" : "");
    }
    fputs("    <tr><td align=\"left\">", to);
    if (d->policy)
        fputs("dashed: a wait for another lane; grey: implied by lanes and waits; ", to);
    fputs("bold: critical path</td></tr>\n", to);
    fprintf(to, "    <tr><td align=\"left\"><font color=\"%s\">purple: from an earlier frame, +1: to the next</font></td></tr>\n",
            carried_colour); /* a row of its own: in another font than the one measured, texts of one row overlap */
    fputs("    <tr><td align=\"left\">arrow: copy; page: host task; plain box: fill; tab: native; ellipse: empty; else a "
          "kernel</td></tr>\n",
          to);
    if (has_bodies(d))
        fputs("    <tr><td align=\"left\">hexagon: loop, whose time is a round's unless it was given one; octagon: branch</td></tr>\n", to);
    fputs("  </table>>\n", to);
}

static void put_shape(FILE *to, const char *kind)
{
    static const char *const shapes[][2] = {{"copy", "shape=cds, style=filled, height=0.5, margin=\"0.18,0.08\""},
                                            {"host", "shape=note, style=filled"},
                                            {"fill", "style=filled"},
                                            {"native", "shape=tab, style=filled"},
                                            {"empty", "shape=ellipse, style=filled"},
                                            {"while", "shape=hexagon, style=filled, margin=\"0,0\""},
                                            {"if", "shape=octagon, style=filled, margin=\"0,0\""},
                                            {"switch", "shape=octagon, style=filled, margin=\"0,0\""}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(kind, shapes[i][0]) == 0)
            fprintf(to, ", %s", shapes[i][1]);
}

/* A line of the label: "at most 50 rounds of 2 tasks", "3 tasks or none", "one of 3, 1 tasks". */
static void put_bodies(FILE *to, const weir_drawn_task *task)
{
    const weir_drawn_body *body = task->body;
    if (task->body_count == 0)
        return;
    fputs("\\n", to);
    if (task->rounds > 0)
        fprintf(to, "at most %" PRIu32 " round%s of ", task->rounds, task->rounds == 1 ? "" : "s");
    else if (task->body_count > 1)
        fputs("one of ", to);
    for (uint32_t i = 0; i < task->body_count && i < BODIES_SHOWN; i++)
        fprintf(to, "%s%" PRIu32, i ? ", " : "", body[i].tasks);
    fprintf(to, "%s task%s%s", task->body_count > BODIES_SHOWN ? ", ..." : "", task->body_count == 1 && body->tasks == 1 ? "" : "s",
            task->rounds == 0 && task->body_count == 1 ? " or none" : "");
}

static void put_task(FILE *to, const weir_drawing *d, const weir_picture *p, uint32_t t)
{
    const weir_drawn_task *task = &d->task[t];
    if (p->folded[t] == 0)
        return;
    fprintf(to, "%st%" PRIu32 " [label=\"", task->group ? "    " : "  ", t);
    if (p->folded[t] > 1)
        fprintf(to, "... %" PRIu32 " more ...", p->folded[t]);
    else
        put_escaped(to, task->name);
    put_bodies(to, task);
    bool timed = strcmp(task->kind, "empty") != 0;
    if (d->policy)
        fprintf(to, "\\nlane %" PRIu32 "%s", task->lane, timed ? ", " : "");
    else if (timed)
        fputs("\\n", to);
    if (timed)
        fputs(weir_text_time(p->cost_ns[t]).text, to);
    fprintf(to, "\", fillcolor=\"%s\"", d->policy ? lane_colours[task->lane % COLOURS] : no_lane_colour);
    put_shape(to, task->kind);
    if (p->folded[t] > 1)
        fputs(", peripheries=2", to);
    if (p->critical[t])
        fputs(", penwidth=2.5", to);
    fputs(", tooltip=\"", to);
    put_escaped(to, task->name);
    fputs(": ", to);
    put_escaped(to, task->kind);
    for (uint32_t i = 0; i < task->body_count && i < BODIES_SHOWN; i++) {
        fputs(i ? ", " : " ", to);
        put_escaped(to, task->body[i].name);
    }
    if (task->body_count > BODIES_SHOWN)
        fputs(", ...", to);
    if (d->policy && p->folded[t] == 1)
        fprintf(to, ", predicted from %s to %s", weir_text_time(task->start_ns).text, weir_text_time(task->end_ns).text);
    fputs("\"];\n", to);
}

/* A group's tasks stand together, at the first of them. */
static void put_tasks(FILE *to, const weir_drawing *d, const weir_picture *p)
{
    for (uint32_t t = 0; t < d->task_count; t++) {
        if (!d->task[t].group) {
            put_task(to, d, p, t);
            continue;
        }
        if (p->cluster[t] != t)
            continue;
        fprintf(to, "  subgraph cluster_%" PRIu32 " {\n    label=\"", t);
        put_escaped(to, d->task[t].group);
        fputs("\";\n", to);
        for (uint32_t i = t; i < d->task_count; i++)
            if (p->cluster[i] == t)
                put_task(to, d, p, i);
        fputs("  }\n", to);
    }
}

/* Where a line's ends are drawn. */
static weir_line drawn(const weir_picture *p, const weir_line *line)
{
    return (weir_line){p->fold[line->from], p->fold[line->to], line->distance, line->flags};
}

static void put_line_style(FILE *to, const weir_line *line)
{
    fprintf(to, "style=%s%s];\n", line->flags & WEIR_LINE_WAIT ? "dashed" : "solid",
            line->flags & WEIR_LINE_CRITICAL ? ", penwidth=2.5" : "");
}

static void put_line(FILE *to, const weir_drawing *d, const weir_picture *p, const weir_line *line)
{
    weir_line ends = drawn(p, line);
    if (ends.from == ends.to && p->folded[ends.from] > 1)
        return;
    fprintf(to, "  t%" PRIu32 " -> t%" PRIu32 " [", ends.from, ends.to);
    if (d->policy && !(line->flags & WEIR_LINE_WAIT) && d->task[line->from].lane != d->task[line->to].lane)
        fputs("color=\"#AAAAAA\", ", to);
    put_line_style(to, line);
}

/* constraint=false: the tasks stay where the frame's own edges put them. */
static void put_arc(FILE *to, const weir_line *line)
{
    fprintf(to, "  t%" PRIu32 " -> t%" PRIu32 " [color=\"%s\", fontcolor=\"%s\", label=\"+%" PRIu32 "\", constraint=false, ", line->from,
            line->to, carried_colour, carried_colour, line->distance);
    put_line_style(to, line);
}

/* A carried line whose earlier end is written again: where, and for whom. */
typedef struct {
    uint32_t from, distance;
    bool clustered;
    uint32_t place; /* the cluster it serves; or the one task, where that is in none */
    weir_line line;
} echo;

static int by_place(const void *a, const void *b)
{
    const echo *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->clustered != y->clustered)
        return x->clustered ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void put_echo(FILE *to, const weir_drawing *d, const echo *e, size_t number)
{
    fprintf(to, "  e%zu [shape=plaintext, style=\"\", fontcolor=\"%s\", fontsize=9, margin=0, height=0.2, label=\"", number,
            carried_colour);
    put_escaped(to, d->task[e->from].name);
    if (e->distance == 1)
        fputs("\\nof the frame before\"];\n", to);
    else
        fprintf(to, "\\nof %" PRIu32 " frames before\"];\n", e->distance);
}

static weir_status put_echoes(FILE *to, const weir_drawing *d, const weir_picture *p)
{
    echo *echoes = weir_alloc(p->lines, sizeof *echoes);
    size_t count = 0, number = 0;
    if (!echoes)
        return weir_fail_no_memory();
    for (size_t i = 0; i < p->lines; i++) {
        const weir_line *line = &p->line[i];
        bool clustered = p->cluster[line->to] != UINT32_MAX;
        if (line->distance > 0 && !(line->flags & WEIR_LINE_BESIDE))
            echoes[count++] = (echo){line->from, line->distance, clustered, clustered ? p->cluster[line->to] : line->to, *line};
    }
    qsort(echoes, count, sizeof *echoes, by_place);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_place(&echoes[i - 1], &echoes[i]) != 0)
            put_echo(to, d, &echoes[i], ++number);
        fprintf(to, "  e%zu -> t%" PRIu32 " [color=\"%s\", ", number, echoes[i].line.to, carried_colour);
        put_line_style(to, &echoes[i].line);
    }
    weir_free(echoes);
    return WEIR_OK;
}

weir_status weir_write_dot(const weir_drawing *drawing, FILE *to)
{
    weir_picture picture = {0};
    weir_status status = weir_picture_init(&picture, drawing);
    if (status != WEIR_OK)
        return status;
    fputs("digraph \"", to);
    put_escaped(to, drawing->name);
    fputs("\" {\n", to);
    put_legend(to, drawing);
    fputs("  labelloc=t; labeljust=l; fontname=\"Helvetica,Arial,sans-serif\"; fontsize=12;\n"
          "  rankdir=TB; ranksep=0.35; nodesep=0.2;\n"
          "  graph [style=\"rounded,filled\", color=\"#DDDDDD\", fillcolor=\"#FAFAFA\", fontname=\"Helvetica,Arial,sans-serif\", "
          "fontsize=11];\n"
          "  node [shape=box, style=\"rounded,filled\", color=\"#333333\", fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, "
          "margin=\"0.1,0.04\", height=0.3];\n"
          "  edge [color=\"#333333\", fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, arrowsize=0.6];\n",
          to);
    put_tasks(to, drawing, &picture);
    for (size_t i = 0; i < picture.lines; i++) {
        if (picture.line[i].distance == 0)
            put_line(to, drawing, &picture, &picture.line[i]);
        else if (picture.line[i].flags & WEIR_LINE_BESIDE)
            put_arc(to, &picture.line[i]);
    }
    status = put_echoes(to, drawing, &picture);
    fputs("}\n", to);
    weir_picture_finish(&picture);
    return status;
}
