/* program.c - a program of a user, valid C11 and C++11: declares and plans two tasks, and says so. */
#include <stdio.h>
#include <weir/weir.h>

int main(void)
{
    weir_graph *graph = NULL;
    weir_plan *plan = NULL;
    if (weir_graph_create("two", 0, &graph) != WEIR_OK)
        return 1;
    weir_task first = weir_add_empty(graph, "first"), second = weir_add_empty(graph, "second");
    weir_after(graph, second, first);
    if (weir_plan_create(graph, NULL, &plan) != WEIR_OK) {
        fprintf(stderr, "%s\n", weir_last_error());
        return 1;
    }
    weir_plan_summary summary;
    weir_plan_summarise(plan, &summary);
    printf("weir %s: %u tasks\n", weir_version(), (unsigned)summary.tasks);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    return 0;
}
