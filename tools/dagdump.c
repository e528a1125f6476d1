/* dagdump.c - shows saved graphs and plans, and what weir can run on. Finds the sub-command; dagdump/ has a file for each. */
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
    {"devices", dagdump_devices},
};

static const char usage[] =
    "usage: dagdump [draw] [--format dot|svg|json|text] [-o FILE] FILE\n"
    "       dagdump devices\n"
    "\n"
    "Draws a graph or plan that weir_save or WEIR_DUMP=FILE.json saved: lanes as colours, waits for another lane\n"
    "dashed, the critical path bold, groups as clusters, what comes from an earlier frame in purple.\n"
    "\n"
    "  FILE                JSON; - is standard input\n"
    "  -o, --output FILE   where to; - (the default) is standard output\n"
    "  -f, --format NAME   the default goes by the suffix of the output (.dot .gv .svg .json .txt), or is text\n"
    "                      svg is drawn by graphviz's program dot, which must be installed\n"
    "  -h, --help          this text\n"
    "      --version       the version of weir\n"
    "\n"
    "dagdump devices lists backends and their devices, lanes, priorities and workers, and why one is not there.\n"
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
