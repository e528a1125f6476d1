/* try.c - what is done with every text. */
#include "try.h"
#include "declare.h"
#include "measure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_PLANNED_MOST = 200 };

static void check(bool holds, const char *what, const char *why)
{
    if (holds)
        return;
    fprintf(stderr, "promise broken: %s: %s\n", what, why);
    abort();
}

/* "f:LINE: text"; no line only where there is no memory. */
static bool names_line(const char *error)
{
    return strncmp(error, "f:", 2) == 0 && error[2] >= '1' && error[2] <= '9';
}

static void draw(const weir_drawing *drawing)
{
    static const char *const formats[] = {"json", "dot", "text"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *to = open_memstream(&text, &bytes);
        check(to, "no stream in memory", formats[i]);
        weir_status status = weir_drawing_write(drawing, to, formats[i]);
        fclose(to);
        check(status == WEIR_OK, "what was read cannot be written", weir_last_error());
        free(text);
    }
}

static void plan(const weir_drawing *drawing)
{
    weir_graph *graph = NULL;
    weir_plan *made = NULL;
    for (uint32_t i = 0; i < drawing->task_count; i++)
        if (drawing->task[i].cost_ns > READ_TIME_MOST) /* JSON may say so, and dagdump plan refuses it */
            return;
    check(declare_graph(drawing, &graph) == WEIR_OK, "what was read cannot be declared", weir_last_error());
    check(weir_plan_create(graph, &(weir_plan_options){.lanes = 3}, &made) == WEIR_OK, "what was read cannot be planned",
          weir_last_error());
    check(weir_plan_check(made) == WEIR_OK, "the plan is wrong", weir_last_error());
    weir_plan_destroy(made);
    weir_graph_destroy(graph);
}

void try_text(read_format *format, const uint8_t *data, size_t bytes)
{
    read_drawing read;
    read_error error = {""};
    measures m;
    char *text = malloc(bytes + 1);
    check(text, "no memory", "for the text");
    if (bytes > 0)
        memcpy(text, data, bytes);
    text[bytes] = '\0';
    if (read_from_text(format, "f", text, bytes, &read, &error)) {
        check(measure_graph(&read.drawing, &m), "what was read cannot be measured", "no memory");
        check(m.depth <= m.tasks && m.redundant_edges <= (int64_t)m.edges && m.critical_path <= m.work * 1.000001, "the figures are odd",
              "");
        draw(&read.drawing);
        if (read.drawing.task_count <= TASKS_PLANNED_MOST)
            plan(&read.drawing);
        read_drawing_finish(&read);
    } else {
        check(names_line(error.text), "no line", error.text);
    }
    free(text);
}
