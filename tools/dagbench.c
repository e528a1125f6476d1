/* dagbench.c - what weir costs: time to declare, plan and run a task, and bytes it takes. Here: the command line. */
#include "dagbench/counting.h"
#include "dagbench/cuda_bench.h"
#include "dagbench/host_frames.h"
#include "dagbench/measure.h"
#include "dagbench/print.h"
#include "dagbench/shape_file.h"
#include "dagbench/shapes.h"
#include "weir/weir.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BAD_INPUT = 1, EXIT_USAGE = 2, TASKS = 100000, REPEAT = 20 };

typedef struct {
    const workload *only; /* NULL: all */
    const char *file;     /* or this graph alone */
    uint32_t tasks;       /* 0: not said */
    uint32_t repeat;      /* 0: not said */
    uint64_t seed;
    bool json;
    const cuda_workload *only_cuda; /* or this, which is no graph of tasks */
    bool host_frames;     /* or this one, which runs on the host alone */
    const char *kernels;  /* an option was given that only kernels on CUDA have: this one */
    bool kernel_us;       /* it was said */
    cuda_settings cuda;
} options;

static void print_help(void)
{
    puts("usage: dagbench [options]\n"
         "Declares, plans and runs a graph of tasks that each count their own runs; prints the cost of one task, medians;\n"
         "and that of running the same graph as OpenMP tasks, where dagbench was built with OpenMP.\n"
         "Before it is measured, a run is checked edge by edge.\n"
         "On CUDA, tasks are kernels, run eagerly and replayed in all ways that weir has, against streams, events and graphs by hand.\n"
         "  --workload NAME  one of these, or all (default):");
    for (uint32_t i = 0; i < workload_count; i++)
        printf("                     %-13s %s\n", workloads[i].name, workloads[i].says);
    puts("                   or one of these, which are measured on CUDA alone and are not among all:");
    for (int i = 0; i < CUDA_WORKLOADS; i++)
        printf("                     %-13s %s\n", cuda_workloads[i].name, cuda_workloads[i].says);
    printf("                   or this one, which is measured on the host alone and is not among all:\n"
           "                     %-13s %s\n", HOST_FRAMES_NAME, HOST_FRAMES_SAYS);
    puts("  --workload FILE  the graph of a file: a Standard Task Graph, DOT or saved JSON; its name has a / or such a suffix\n"
         "  --tasks N        tasks in the graph (default 100000, on CUDA 1000); a file's has as many as it has\n"
         "  --backend NAME   auto, host or cuda (default auto: cuda if it is there)\n"
         "  --mode NAME      auto, eager, replay or capture: what to measure on CUDA (default auto: all)\n"
         "  --kernel-us N    on CUDA, how long each task's kernel lasts, up to 100000 (default 0: it does nothing)\n"
         "  --quick          on CUDA, fewer laps and fewer ways to replay\n"
         "  --choices        on CUDA, what mode auto chooses against each of the ways that it chooses from, and nothing else\n"
         "  --lanes N        lanes to plan for (default: what weir chooses, on CUDA 1, 2, 4, 8, 16 and 32)\n"
         "  --workers N      host threads (default: as many as there are processors)\n"
         "  --policy NAME    round_robin or priority (default priority, on CUDA both)\n"
         "  --repeat N       measurements to take the median of (default 20, on CUDA at most 51, or 401 if frames are short)\n"
         "  --seed N         of random edges and accesses (default 1)\n"
         "  --json           a JSON object a line instead of a table\n"
         "  --help, --version\n"
         "WEIR_LANES, WEIR_WORKERS, WEIR_POLICY, WEIR_BACKEND and WEIR_MODE count where the command line says nothing.");
}

static int usage(const char *option, const char *what)
{
    fprintf(stderr, "dagbench: %s: %s; see dagbench --help\n", option, what);
    return EXIT_USAGE;
}

static bool parse_number(const char *text, uint64_t lowest, uint64_t highest, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || parsed < lowest || parsed > highest)
        return false;
    *number = parsed;
    return true;
}

/* Options that are weir's own switches go into the environment, where weir looks first. */
static const struct {
    const char *option, *variable;
    uint64_t lowest, highest; /* both 0: a name, which weir judges */
} switches[] = {
    {"--lanes", "WEIR_LANES", 1, 1024},
    {"--workers", "WEIR_WORKERS", 1, 1024},
    {"--policy", "WEIR_POLICY", 0, 0},
    {"--backend", "WEIR_BACKEND", 0, 0},
    {"--mode", "WEIR_MODE", 0, 0},
};

/* 0, or the exit status of a command line that makes no sense. */
static int parse_value(const char *option, const char *text, options *o)
{
    uint64_t number = 0;
    char what[64];
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (strcmp(option, switches[i].option) != 0)
            continue;
        if (switches[i].highest && !parse_number(text, switches[i].lowest, switches[i].highest, &number)) {
            snprintf(what, sizeof what, "must be a whole number from %" PRIu64 " to %" PRIu64, switches[i].lowest, switches[i].highest);
            return usage(option, what);
        }
        return setenv(switches[i].variable, text, 1) == 0 ? 0 : usage(option, strerror(errno));
    }
    if (strcmp(option, "--workload") == 0) {
        bool is_file = shape_is_file(text);
        o->file = is_file ? text : NULL;
        o->only = is_file ? NULL : workload_find(text);
        o->only_cuda = is_file ? NULL : cuda_workload_find(text);
        o->host_frames = strcmp(text, HOST_FRAMES_NAME) == 0;
        if (!is_file && !o->only && !o->only_cuda && !o->host_frames && strcmp(text, "all") != 0)
            return usage(text, "no such workload, nor the name of a file");
        return 0;
    }
    if (strcmp(option, "--kernel-us") == 0) {
        if (!parse_number(text, 0, 100000, &number))
            return usage(option, "must be a whole number from 0 to 100000");
        o->cuda.kernel_us = (uint32_t)number;
        o->kernel_us = true;
        o->kernels = "--kernel-us";
        return 0;
    }
    if (strcmp(option, "--seed") == 0)
        return parse_number(text, 0, UINT64_MAX, &o->seed) ? 0 : usage(option, "must be a whole number");

    bool tasks = strcmp(option, "--tasks") == 0;
    uint64_t most = tasks ? SHAPE_TASKS_MOST : 100000;
    if (!parse_number(text, 1, most, &number)) {
        snprintf(what, sizeof what, "must be a whole number from 1 to %" PRIu64, most);
        return usage(option, what);
    }
    *(tasks ? &o->tasks : &o->repeat) = (uint32_t)number;
    return 0;
}

static bool takes_value(const char *option)
{
    static const char *const names[] = {"--workload", "--tasks", "--lanes", "--workers", "--policy", "--repeat", "--seed", "--backend", "--mode",
        "--kernel-us"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* Measures and prints a shape, on the host (`cuda` NULL) or on CUDA, and finishes it. */
static bool bench_shape(const char *name, shape *graph, const options *o, cuda_bench *cuda)
{
    figures f;
    char error[512];
    uint32_t tasks = graph->tasks;
    bool right = false;
    if (!cuda)
        right = measure(graph, o->repeat ? o->repeat : REPEAT, &f, error, sizeof error);
    else if (tasks > CUDA_TASKS_MOST)
        snprintf(error, sizeof error, "has %" PRIu32 " tasks; on CUDA, give it at most %d", tasks, CUDA_TASKS_MOST);
    else
        right = cuda_bench_shape(cuda, name, graph, error, sizeof error);
    shape_finish(graph);
    if (!right) {
        fprintf(stderr, "dagbench: %s: %s\n", name, error);
        return false;
    }
    if (!cuda)
        (o->json ? print_json : print_row)(name, tasks, &f);
    fflush(stdout);
    return true;
}

static bool bench_file(const char *path, const options *o, cuda_bench *cuda)
{
    shape graph;
    char error[512];
    const char *slash = strrchr(path, '/');
    if (!shape_read(path, &graph, error, sizeof error)) {
        fprintf(stderr, "dagbench: %s\n", error);
        return false;
    }
    return bench_shape(slash ? slash + 1 : path, &graph, o, cuda);
}

static bool bench_workload(const workload *w, const options *o, cuda_bench *cuda)
{
    shape graph;
    uint32_t usual = cuda ? CUDA_TASKS : TASKS;
    if (!shape_init(&graph, w, o->tasks ? o->tasks : usual, o->seed)) {
        fprintf(stderr, "dagbench: %s: out of memory, use fewer --tasks\n", w->name);
        return false;
    }
    return bench_shape(w->name, &graph, o, cuda);
}

static bool bench_only_cuda(const cuda_workload *w, const options *o, cuda_bench *cuda)
{
    char error[512];
    if (w->has_tasks && o->tasks > CUDA_TASKS_MOST)
        snprintf(error, sizeof error, "give it at most %d tasks", CUDA_TASKS_MOST);
    else if (cuda_bench_workload(cuda, w, error, sizeof error))
        return true;
    fprintf(stderr, "dagbench: %s: %s\n", w->name, error);
    return false;
}

/* Returns the exit status. */
static int bench_host_frames(const options *o)
{
    char error[512];
    const char *backend = getenv("WEIR_BACKEND");
    if (backend && strcmp(backend, "cuda") == 0)
        return usage(HOST_FRAMES_NAME, "only on the host, and this asks for CUDA");
    if (backend && strcmp(backend, "auto") == 0 && setenv("WEIR_BACKEND", "host", 1) != 0)
        return usage("--backend", strerror(errno));
    if (host_frames_bench(o->repeat ? o->repeat : REPEAT, o->json, error, sizeof error))
        return EXIT_SUCCESS;
    fprintf(stderr, "dagbench: %s: %s\n", HOST_FRAMES_NAME, error);
    return EXIT_BAD_INPUT;
}

static bool bench_all(const options *o, cuda_bench *cuda)
{
    if (o->only_cuda)
        return bench_only_cuda(o->only_cuda, o, cuda);
    if (o->file)
        return bench_file(o->file, o, cuda);
    for (uint32_t i = 0; i < workload_count; i++)
        if ((!o->only || o->only == &workloads[i]) && !bench_workload(&workloads[i], o, cuda))
            return false;
    return true;
}

/* Prints all that is asked for; returns the exit status. */
static int bench(const options *o)
{
    cuda_bench *cuda = NULL;
    char error[512];
    if (o->host_frames)
        return bench_host_frames(o);
    if (!cuda_bench_create(&o->cuda, &cuda, error, sizeof error)) {
        fprintf(stderr, "dagbench: %s\n", error);
        return EXIT_BAD_INPUT;
    }
    if (!cuda && (o->kernels || o->only_cuda))
        return usage(o->only_cuda ? o->only_cuda->name : o->kernels, "only on CUDA, and this runs on the host");
    if (cuda)
        cuda_bench_heading(cuda);
    else if (!o->json)
        print_heading();
    bool done = bench_all(o, cuda);
    cuda_bench_destroy(cuda);
    return done ? EXIT_SUCCESS : EXIT_BAD_INPUT;
}

int main(int argc, char **argv)
{
    options o = {.seed = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("dagbench %s\n", weir_version());
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--json") == 0) {
            o.json = o.cuda.json = true;
            continue;
        }
        if (strcmp(argv[i], "--quick") == 0) {
            o.cuda.quick = true;
            o.kernels = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--choices") == 0) {
            o.cuda.choices = true;
            o.kernels = argv[i];
            continue;
        }
        if (!takes_value(argv[i]))
            return usage(argv[i], "unknown option");
        if (i + 1 == argc)
            return usage(argv[i], "needs a value");
        int wrong = parse_value(argv[i], argv[i + 1], &o);
        if (wrong)
            return wrong;
        i++;
    }

    if (o.file && o.tasks)
        return usage("--tasks", "a file's graph has as many as it has; leave it out");
    if (o.only_cuda && o.kernel_us)
        return usage("--kernel-us", "this workload has kernels of its own; leave it out");
    if (o.only_cuda && o.cuda.choices)
        return usage("--choices", "this workload is not a graph of tasks; leave it out");

    if (o.host_frames && o.tasks)
        return usage("--tasks", "this workload has three; leave it out");
    if (o.host_frames && o.kernels)
        return usage(o.kernels, "only on CUDA, and this workload runs on the host");

    o.cuda.repeat = o.repeat;
    o.cuda.tasks = o.tasks ? o.tasks : CUDA_TASKS;
    counting_install();
    int status = bench(&o);
    if (status != EXIT_SUCCESS)
        return status;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "dagbench: standard output: %s\n", strerror(errno));
        return EXIT_BAD_INPUT;
    }
    return EXIT_SUCCESS;
}
