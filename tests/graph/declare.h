/* declare.h - declaring in a line, and what came of it as text. */
#ifndef WEIR_TESTS_GRAPH_DECLARE_H
#define WEIR_TESTS_GRAPH_DECLARE_H

#include "graph/dag.h"
#include "weir/graph.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline weir_graph *graph_make(uint32_t flags)
{
    weir_graph *graph = NULL;
    ck_assert_int_eq(weir_graph_create("graph", flags, &graph), WEIR_OK);
    return graph;
}

static inline weir_buffer *buffer_of(weir_buffer_desc desc)
{
    weir_buffer *buffer = NULL;
    weir_status status = weir_buffer_create(&desc, &buffer);
    ck_assert_msg(status == WEIR_OK, "%s", weir_last_error());
    return buffer;
}

/* For host tasks; of 16 elements of 4 bytes. */
static inline weir_buffer *buffer_make(const char *name, uint32_t copies)
{
    return buffer_of((weir_buffer_desc){.name = name, .element_bytes = 4, .nx = 16, .copies = copies, .place = WEIR_HOST_LOCAL});
}

static inline weir_status do_nothing(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_OK;
}

/* A host task; all tests of edges are of these. */
static inline weir_task task_add(weir_graph *graph, const char *name, weir_args args)
{
    return weir_add_host(graph, name, do_nothing, NULL, args);
}

static inline void says(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' does not say '%s'", text, part);
}

/* All edges within a frame, "earlier>later", by later, then earlier. */
static inline void edges_are(const weir_graph *graph, const char *expected)
{
    char text[4096] = "";
    size_t used = 0;
    weir_dag dag;
    weir_status status = weir_graph_status(graph);
    ck_assert_msg(status == WEIR_OK, "%s", weir_last_error());
    const weir_body *body = weir_graph_body(graph);
    ck_assert_int_eq(weir_dag_create(body, &dag), WEIR_OK);
    for (uint32_t t = 0; t < dag.tasks; t++)
        for (uint32_t i = dag.pred_first[t]; i < dag.pred_first[t + 1] && used < sizeof text; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s>%s", used ? " " : "", body->tasks.at[dag.pred[i]].name,
                                     body->tasks.at[t].name);
    weir_dag_finish(&dag);
    ck_assert_str_eq(text, expected);
}

/* All names, in order. */
static inline void names_are(const weir_graph *graph, const char *expected)
{
    char text[4096] = "";
    size_t used = 0;
    const weir_body *body = weir_graph_body(graph);
    for (uint32_t t = 0; t < body->tasks.count && used < sizeof text; t++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", body->tasks.at[t].name);
    ck_assert_str_eq(text, expected);
}

static inline int suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
