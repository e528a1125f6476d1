/* save_samples.c FOLDER - saves a graph, a plan, plans of unusual names and of loops in each format, for dagdump.sh. */
#include "weir/weir.h"
#include <stdio.h>

static void no_work(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

static const weir_kernel kernel = {.name = "kernel", .host = no_work};

static int failed(const char *what)
{
    fprintf(stderr, "save_samples: %s: %s\n", what, weir_last_error());
    return 1;
}

static int save_all(const char *folder, const char *name, const weir_graph *graph, const weir_plan *plan)
{
    static const char *const suffixes[] = {"json", "dot", "txt"};
    char path[512];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffixes[i]);
        if (weir_save(path, NULL, graph, plan) != WEIR_OK)
            return failed(path);
    }
    return 0;
}

/* Three dyes moved along, each on its own, then blended; a solver of many sweeps beside them. */
static int declare_smoke(weir_graph *graph)
{
    static const char *const names[] = {"red", "green", "blue"};
    weir_buffer *dye[3] = {NULL}, *pressure = NULL, *image = NULL;
    weir_graph *sweep = NULL;
    weir_shape shape = {.grid = {1}};
    for (int i = 0; i < 3; i++)
        if (weir_buffer_create(&(weir_buffer_desc){.name = names[i], .element_bytes = 4, .nx = 8, .copies = 2}, &dye[i]) != WEIR_OK)
            return failed(names[i]);
    if (weir_buffer_create(&(weir_buffer_desc){.name = "pressure", .element_bytes = 4, .nx = 8}, &pressure) != WEIR_OK ||
        weir_buffer_create(&(weir_buffer_desc){.name = "image", .element_bytes = 4, .nx = 8}, &image) != WEIR_OK ||
        weir_graph_create("sweep", 0, &sweep) != WEIR_OK)
        return failed("buffers");
    for (int i = 0; i < 3; i++) {
        weir_task t = weir_add_kernel(graph, &kernel, shape, WEIR_ARGS(WEIR_PREVIOUS(dye[i], 1), WEIR_WRITE(dye[i])));
        weir_task_set(graph, t, &(weir_task_options){.name = names[i], .group = "advect", .cost_ns = 1234.5});
    }
    weir_task t =
        weir_add_kernel(graph, &kernel, shape, WEIR_ARGS(WEIR_READ(dye[0]), WEIR_READ(dye[1]), WEIR_READ(dye[2]), WEIR_WRITE(image)));
    weir_task_set(graph, t, &(weir_task_options){.name = "blend", .group = "render", .priority = 1});
    weir_add_kernel(sweep, &kernel, shape, WEIR_ARGS(WEIR_READ_WRITE(pressure)));
    t = weir_add_repeat(graph, "sweep", sweep, 12);
    weir_task_set(graph, t, &(weir_task_options){.group = "solve", .cost_ns = 800});
    weir_graph_destroy(sweep);
    for (int i = 0; i < 3; i++)
        weir_buffer_destroy(dye[i]);
    weir_buffer_destroy(pressure);
    weir_buffer_destroy(image);
    return 0;
}

/* Whatever a name may hold, in names of tasks, groups and the graph. */
static int declare_names(weir_graph *graph)
{
    static const char *const names[] = {
        "say \"hi\"", "\\N and \\\\", "a&amp;b <i>", "two\nlines", "gr\xC3\xBCn \xE6\xB0\xB4", "-> {;} |", "", "bad \xFF\x1B[31m"};
    weir_task before = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        weir_task t = weir_add_empty(graph, names[i]);
        weir_task_set(graph, t, &(weir_task_options){.group = i % 3 == 0 ? names[i] : NULL, .cost_ns = i < 3 ? 3000 : 1000});
        if (i > 1)
            weir_after(graph, t, before);
        if (i != 1) /* beside the rest, so that a second lane is used and waited for */
            before = t;
    }
    weir_after(graph, before, weir_graph_find(graph, names[1]));
    return 0;
}

/* A solver that stops by itself, in a branch beside one of nothing, after tasks that set the words that decide. */
static int declare_loops(weir_graph *graph)
{
    weir_buffer *field = NULL, *go = NULL, *which = NULL;
    weir_graph *body = NULL, *nothing = NULL, *solver = NULL;
    weir_shape shape = {.grid = {1}};
    if (weir_buffer_create(&(weir_buffer_desc){.name = "field", .element_bytes = 4, .nx = 8}, &field) != WEIR_OK ||
        weir_buffer_create(&(weir_buffer_desc){.name = "go", .element_bytes = 4, .nx = 1}, &go) != WEIR_OK ||
        weir_buffer_create(&(weir_buffer_desc){.name = "which", .element_bytes = 4, .nx = 1}, &which) != WEIR_OK ||
        weir_graph_create("jacobi & \"co\"", 0, &body) != WEIR_OK || weir_graph_create("nothing", 0, &nothing) != WEIR_OK ||
        weir_graph_create("solver", 0, &solver) != WEIR_OK)
        return failed("loops");
    weir_add_fill(graph, "set", WEIR_WRITE(go), &(int){1}, 4);
    weir_add_fill(graph, "choose", WEIR_WRITE(which), &(int){1}, 4);
    weir_add_fill(graph, "start", WEIR_WRITE(field), &(int){0}, 4);
    weir_add_kernel(body, &kernel, shape, WEIR_ARGS(WEIR_READ_WRITE(field), WEIR_WRITE(go)));
    weir_add_while(solver, "solve", body, go, 50);
    weir_add_while(graph, "solve first", body, go, 50);
    weir_add_switch(graph, "solver or not", which, (const weir_graph *const[]){nothing, solver, body}, 3);
    weir_add_if(graph, "once more", go, body, NULL);
    weir_graph_destroy(body);
    weir_graph_destroy(nothing);
    weir_graph_destroy(solver);
    weir_buffer_destroy(field);
    weir_buffer_destroy(go);
    weir_buffer_destroy(which);
    return 0;
}

static int save(const char *folder, const char *title, int (*declare)(weir_graph *graph), const char *graph_name, const char *plan_name)
{
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    if (weir_graph_create(title, 0, &graph) != WEIR_OK)
        return failed(title);
    if (declare(graph) != 0)
        return 1;
    if (weir_plan_create(graph, &(weir_plan_options){.lanes = 3, .frames = 2}, &plan) != WEIR_OK)
        return failed(title);
    int status = graph_name ? save_all(folder, graph_name, graph, NULL) : 0;
    if (status == 0)
        status = save_all(folder, plan_name, NULL, plan);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    int status = save(argv[1], "smoke", declare_smoke, "graph", "plan");
    if (status == 0)
        status = save(argv[1], "loops", declare_loops, NULL, "loops");
    return status ? status : save(argv[1], "<b>names</b> & \"more\" \\ \xC3\xBC\n", declare_names, NULL, "names");
}
