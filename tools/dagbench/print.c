/* print.c - see print.h. */
#include "print.h"
#include "openmp.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* Ratios are judged by their third digit. */
static int digits(const line *l)
{
    bool fine = strcmp(l->unit, "ratio") == 0 || strcmp(l->unit, "us") == 0;
    return fine ? 4 : 2;
}

void print_line_json(const line *l)
{
    fputs("{\"workload\":", stdout);
    print_json_text(l->workload);
    printf(",\"backend\":\"%s\",\"mode\":\"%s\",\"policy\":\"%s\",\"lanes\":%" PRIu32 ",\"workers\":%" PRIu32 ",\"tasks\":%" PRIu32
           ",\"kernel_us\":%" PRIu32 ",\"metric\":\"%s\",\"value\":%.*f,\"unit\":\"%s\"}\n",
           l->backend, l->mode, l->policy, l->lanes, l->workers, l->tasks, l->kernel_us, l->metric, digits(l), l->value, l->unit);
}

void print_json(const char *name, uint32_t tasks, const figures *f)
{
    const struct {
        const char *metric, *unit;
        double value;
        bool absent;
    } figure[] = {
        {"declare_ns_per_task", "ns", f->declare_ns, false},
        {"plan_ns_per_task", "ns", f->plan_ns, false},
        {"run_ns_per_task", "ns", f->run_ns, false},
        {"openmp_ns_per_task", "ns", f->openmp_ns, !openmp_is_there()},
        {"bytes_per_task", "bytes", f->bytes, false},
    };
    line l = {name, f->backend, f->mode, f->policy, f->lanes, f->workers, tasks, 0, NULL, NULL, 0.0};
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
        if (figure[i].absent)
            continue;
        l.metric = figure[i].metric;
        l.unit = figure[i].unit;
        l.value = figure[i].value;
        print_line_json(&l);
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

void print_line_heading(void)
{
    printf("%-19s %-7s %-24s %5s %7s %6s  %-38s %13s %s\n", "workload", "mode", "policy", "lanes", "tasks", "kernel", "metric", "value", "unit");
}

void print_line_row(const line *l)
{
    printf("%-19s %-7s %-24s %5" PRIu32 " %7" PRIu32 " %3" PRIu32 " us  %-38s %13.*f %s\n", l->workload, l->mode, l->policy, l->lanes, l->tasks,
           l->kernel_us, l->metric, digits(l), l->value, l->unit);
}
