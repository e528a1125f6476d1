/* stats.c - dagdump stats: figures of a graph by itself, and of a plan what keeps its frames from coming faster. */
#include "dagdump/dagdump.h"
#include "measure.h"
#include "read.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

/* Of a plan: how fast frames may come, and do by its prediction, in ns. */
static void print_plan(const weir_drawing *plan, bool json)
{
    char why[1024];
    weir_drawing_why(plan, why, sizeof why);
    if (!json) {
        printf("interval         %.15g\nbound            %.15g\n%s\n", plan->interval_ns, plan->bound_ns, why);
        return;
    }
    json_t *text = json_string(why);
    printf(",\"interval_ns\":%.15g,\"bound_ns\":%.15g,\"why\":", plan->interval_ns, plan->bound_ns);
    if (!text || json_dumpf(text, stdout, JSON_ENCODE_ANY) != 0)
        fputs("null", stdout);
    json_decref(text);
}

static int print(const measures *m, const weir_drawing *drawing, bool json)
{
    char redundant[24] = "null", parallelism[32] = "null";
    if (m->redundant_edges >= 0)
        snprintf(redundant, sizeof redundant, "%" PRId64, m->redundant_edges);
    if (m->critical_path > 0)
        snprintf(parallelism, sizeof parallelism, "%.6g", m->work / m->critical_path);
    if (json)
        printf("{\"tasks\":%" PRIu64 ",\"edges\":%" PRIu64 ",\"redundant_edges\":%s,\"depth\":%" PRIu64 ",\"level_width\":%" PRIu64
               ",\"critical_path\":%.15g,\"work\":%.15g,\"parallelism\":%s",
               m->tasks, m->edges, redundant, m->depth, m->level_width, m->critical_path, m->work, parallelism);
    else
        printf("tasks            %" PRIu64 "\nedges            %" PRIu64 "\nredundant edges  %s\ndepth            %" PRIu64
               "\nlevel width      %" PRIu64 "\ncritical path    %.15g\nwork             %.15g\nparallelism      %s\n",
               m->tasks, m->edges, m->redundant_edges >= 0 ? redundant : "not counted, it would take long", m->depth, m->level_width,
               m->critical_path, m->work, m->critical_path > 0 ? parallelism : "-");
    if (drawing->policy)
        print_plan(drawing, json);
    if (json)
        puts("}");
    return fflush(stdout) == 0 ? DAGDUMP_OK : dagdump_fail(DAGDUMP_BAD_INPUT, "standard output cannot be written");
}

int dagdump_stats(int argc, char **argv)
{
    bool json = false;
    const char *input = NULL;
    const dagdump_option options[] = {{"--json", NULL, NULL, &json}};
    int exit_status = dagdump_options(argc, argv, options, sizeof options / sizeof *options, "measure", &input);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    read_drawing read;
    read_error error;
    measures m;
    if (!read_file(input, &read, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    if (measure_graph(&read.drawing, &m))
        exit_status = print(&m, &read.drawing, json);
    else
        exit_status = dagdump_fail(DAGDUMP_BAD_INPUT, "%s: there is not enough memory to measure it", input);
    read_drawing_finish(&read);
    return exit_status;
}
