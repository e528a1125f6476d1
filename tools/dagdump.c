/* dagdump.c - shows and plans graphs from files, shows plans and traces, and what weir can run on. Finds the sub-command; dagdump/ has a file for each. */
#include "dagdump/dagdump.h"
#include "weir/weir.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"draw", dagdump_draw}, /* what is done where no other sub-command is named */
    {"stats", dagdump_stats}, {"plan", dagdump_plan}, {"timeline", dagdump_timeline}, {"devices", dagdump_devices},
};

static const char usage[] =
    "usage: dagdump [draw] [--format dot|svg|json|text] [-o FILE] FILE\n"
    "       dagdump stats [--json] FILE\n"
    "       dagdump plan [--policy NAME] [--lanes N] [--json] [-o FILE] FILE\n"
    "       dagdump timeline [--frames A-B] [--plan FILE] -o FILE.svg [TRACE]\n"
    "       dagdump devices\n"
    "\n"
    "FILE is a graph or plan that weir_save or WEIR_DUMP=FILE.json saved, a Standard Task Graph (.stg), or Graphviz DOT\n"
    "with the time of a node in its attribute cost (1 where it has none); - is standard input.\n"
    "\n"
    "draw       lanes as colours, waits for another lane dashed, the critical path bold, groups as clusters, what comes\n"
    "           from an earlier frame in purple\n"
    "stats      tasks, edges, those that others imply, depth, width, critical path, work, parallelism; of a plan\n"
    "           also how often a frame comes, and what keeps frames from coming faster\n"
    "plan       plans the graph, proves the plan, and compares it with one event a task and one wait an edge between lanes,\n"
    "           and with the larger of critical path and work / lanes, below which no plan can be\n"
    "timeline   draws what WEIR_TRACE=TRACE or weir_trace_start recorded: a row a lane, frames in shades, copies and kernels\n"
    "           in two colours, the critical path outlined; or, without TRACE, what a plan has in mind for its frames\n"
    "devices    backends and their devices, lanes, priorities and workers, and why one is not there\n"
    "\n"
    "  -o, --output FILE   where to; - (draw's default) is standard output\n"
    "  -f, --format NAME   of draw and plan; the default goes by the suffix of the output (.dot .gv .svg .json .txt), or is\n"
    "                      text; svg is drawn by graphviz's program dot, which must be installed\n"
    "  -p, --policy NAME   round_robin or priority (the default); comes before WEIR_POLICY\n"
    "  -l, --lanes N       1 to 1024; default: level width, but at most 8; comes before WEIR_LANES\n"
    "      --frames A-B    the frames to draw, counted from 0; default: the last three\n"
    "      --plan FILE     of timeline: the saved plan whose bound stands beside what was measured, or that is drawn itself\n"
    "      --json          a JSON object on a line\n"
    "  -h, --help          this text\n"
    "      --version       the version of weir\n"
    "\n"
    "Exit status: 0 done, 1 bad input or output, 2 wrong usage.\n";

int dagdump_fail(int exit_status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("dagdump: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return exit_status;
}

static bool is(const char *argument, const char *name)
{
    return strcmp(argument, name) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs(usage, stderr);
        return DAGDUMP_USAGE;
    }
    for (int i = 1; i < argc && !is(argv[i], "--"); i++) {
        if (is(argv[i], "--help") || is(argv[i], "-h"))
            return fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? DAGDUMP_OK : DAGDUMP_BAD_INPUT;
        if (is(argv[i], "--version"))
            return printf("dagdump %s\n", weir_version()) > 0 && fflush(stdout) == 0 ? DAGDUMP_OK : DAGDUMP_BAD_INPUT;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (is(argv[1], commands[i].name))
            return commands[i].run(argc - 2, argv + 2);
    return dagdump_draw(argc - 1, argv + 1);
}
