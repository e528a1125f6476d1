/* print.c - see print.h. */
#include "print.h"
#include "openmp.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* A file may be called anything. */
static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    putchar('"');
}

void print_json(const char *name, uint32_t tasks, const figures *f)
{
    const struct {
        const char *metric, *unit;
        double value;
        bool absent;
    } line[] = {
        {"declare_ns_per_task", "ns", f->declare_ns, false},
        {"plan_ns_per_task", "ns", f->plan_ns, false},
        {"run_ns_per_task", "ns", f->run_ns, false},
        {"openmp_ns_per_task", "ns", f->openmp_ns, !openmp_is_there()},
        {"bytes_per_task", "bytes", f->bytes, false},
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        if (line[i].absent)
            continue;
        fputs("{\"workload\":", stdout);
        print_json_text(name);
        printf(",\"backend\":\"%s\",\"mode\":\"%s\",\"policy\":\"%s\",\"lanes\":%" PRIu32 ",\"workers\":%" PRIu32 ",\"tasks\":%" PRIu32
               ",\"metric\":\"%s\",\"value\":%.2f,\"unit\":\"%s\"}\n",
               f->backend, f->mode, f->policy, f->lanes, f->workers, tasks, line[i].metric, line[i].value, line[i].unit);
    }
}

void print_heading(void)
{
    printf("%-19s %-7s %-7s %-11s %5s %7s %9s %10s %10s %10s %10s %10s\n", "workload", "backend", "mode", "policy", "lanes", "workers", "tasks",
           "declare ns", "plan ns", "run ns", "openmp ns", "bytes");
}

void print_row(const char *name, uint32_t tasks, const figures *f)
{
    char openmp[32] = "-";
    if (openmp_is_there())
        snprintf(openmp, sizeof openmp, "%.1f", f->openmp_ns);
    printf("%-19s %-7s %-7s %-11s %5" PRIu32 " %7" PRIu32 " %9" PRIu32 " %10.1f %10.1f %10.1f %10s %10.1f\n", name, f->backend, f->mode,
           f->policy, f->lanes, f->workers, tasks, f->declare_ns, f->plan_ns, f->run_ns, openmp, f->bytes);
}
