/* plan.c - dagdump plan: plans a graph as a program would, proves the plan, and tells how far it is from what is possible. */
#include "dagdump/dagdump.h"
#include "declare.h"
#include "measure.h"
#include "read.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST_MOST_NS 1e15 /* eleven days */

typedef struct {
    const char *input, *output, *format, *policy, *lanes;
    bool json;
} options;

static int read_options(int argc, char **argv, options *o)
{
    const dagdump_option known[] = {{"--policy", "-p", &o->policy, NULL},
                                    {"--lanes", "-l", &o->lanes, NULL},
                                    {"--json", NULL, NULL, &o->json},
                                    {"--output", "-o", &o->output, NULL},
                                    {"--format", "-f", &o->format, NULL}};
    uint32_t lanes = 0;
    int exit_status = dagdump_options(argc, argv, known, sizeof known / sizeof *known, "plan", &o->input);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    if (o->lanes && !dagdump_number("--lanes", o->lanes, 1024, &lanes))
        return DAGDUMP_USAGE;
    if (o->output && strcmp(o->output, "-") == 0)
        return dagdump_fail(DAGDUMP_USAGE, "--output: standard output is for the figures; name a file");
    if (!o->output && o->format)
        return dagdump_fail(DAGDUMP_USAGE, "--format: there is nothing to write; name a file with --output");
    /* weir looks for its switches in the environment first, and the command line comes before that. */
    if ((o->lanes && setenv("WEIR_LANES", o->lanes, 1) != 0) || (o->policy && setenv("WEIR_POLICY", o->policy, 1) != 0))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "out of memory");
    return o->output ? dagdump_format(o->output, &o->format) : DAGDUMP_OK;
}

static int print(const weir_plan_summary *s, const measures *m, bool valid, bool json)
{
    double bound = m->work / s->lanes > m->critical_path ? m->work / s->lanes : m->critical_path;
    double ratio = bound > 0 ? s->makespan_ns / bound : 1;
    if (json)
        printf("{\"tasks\":%" PRIu64 ",\"edges\":%" PRIu64 ",\"policy\":\"%s\",\"lanes\":%" PRIu32 ",\"waits\":%" PRIu64
               ",\"events\":%" PRIu64 ",\"naive_waits\":%" PRIu64 ",\"naive_events\":%" PRIu64
               ",\"makespan\":%.15g,\"bound\":%.15g,\"ratio\":%.6f,\"valid\":%s}\n",
               s->tasks, s->edges, s->policy, s->lanes, s->waits, s->events, s->naive_waits, s->tasks, s->makespan_ns, bound, ratio,
               valid ? "true" : "false");
    else
        printf("tasks         %" PRIu64 "\nedges         %" PRIu64 "\npolicy        %s\nlanes         %" PRIu32 "\nwaits         %" PRIu64
               "\nevents        %" PRIu64 "\nnaive waits   %" PRIu64 "\nnaive events  %" PRIu64
               "\nmakespan      %.15g\nbound         %.15g\nratio         %.6f\nvalid         %s\n",
               s->tasks, s->edges, s->policy, s->lanes, s->waits, s->events, s->naive_waits, s->tasks, s->makespan_ns, bound, ratio,
               valid ? "yes" : "no");
    return fflush(stdout) == 0 ? DAGDUMP_OK : dagdump_fail(DAGDUMP_BAD_INPUT, "standard output cannot be written");
}

static int save(const weir_plan *plan, const options *o)
{
    const weir_drawing *drawing = NULL;
    if (weir_drawing_of(NULL, plan, &drawing) != WEIR_OK)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", o->input, weir_last_error());
    int exit_status = dagdump_save(drawing, o->input, o->output, o->format);
    weir_drawing_destroy(drawing);
    return exit_status;
}

static int report(const weir_plan *plan, const weir_drawing *drawing, const options *o)
{
    measures m;
    weir_plan_summary summary;
    if (!measure_graph(drawing, &m))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: there is not enough memory to measure it", o->input);
    weir_plan_summarise(plan, &summary);
    weir_status checked = weir_plan_check(plan);
    if (checked != WEIR_OK && checked != WEIR_ERR_HAZARD)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", o->input, weir_last_error());
    if (checked != WEIR_OK) /* a fault of weir's, not of the input: say everything */
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", o->input, weir_last_error());
    int exit_status = print(&summary, &m, checked == WEIR_OK, o->json);
    if (exit_status == DAGDUMP_OK && o->output)
        exit_status = save(plan, o);
    return checked == WEIR_OK ? exit_status : DAGDUMP_BAD_INPUT;
}

static int make_plan(const weir_graph *graph, const options *o, weir_plan **plan)
{
    weir_status status = weir_plan_create(graph, NULL, plan);
    if (status == WEIR_ERR_INVALID) /* the graph is declared, so it is the policy or the lanes */
        return dagdump_fail(DAGDUMP_USAGE, "%s", weir_last_error());
    return status == WEIR_OK ? DAGDUMP_OK : dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", o->input, weir_last_error());
}

static int plan_drawing(const weir_drawing *drawing, const options *o)
{
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    for (uint32_t i = 0; i < drawing->task_count; i++)
        if (drawing->task[i].cost_ns > COST_MOST_NS)
            return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: task '%s' has a cost of %g; no more than %g can be planned", o->input,
                                drawing->task[i].name, drawing->task[i].cost_ns, COST_MOST_NS);
    if (declare_graph(drawing, &graph) != WEIR_OK)
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s: %s", o->input, weir_last_error());
    int exit_status = make_plan(graph, o, &plan);
    if (exit_status == DAGDUMP_OK)
        exit_status = report(plan, drawing, o);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    return exit_status;
}

int dagdump_plan(int argc, char **argv)
{
    options o = {0};
    int exit_status = read_options(argc, argv, &o);
    if (exit_status != DAGDUMP_OK)
        return exit_status;
    read_drawing read;
    read_error error;
    if (!read_file(o.input, &read, &error))
        return dagdump_fail(DAGDUMP_BAD_INPUT, "%s", error.text);
    exit_status = plan_drawing(&read.drawing, &o);
    read_drawing_finish(&read);
    return exit_status;
}
