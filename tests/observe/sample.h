/* sample.h - what the tests of this room draw: a small plan, drawings written down by hand, and what a writer makes of them. */
#ifndef WEIR_TESTS_OBSERVE_SAMPLE_H
#define WEIR_TESTS_OBSERVE_SAMPLE_H

#include "weir/drawing.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static inline void sample_kernel(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

static inline weir_status sample_host(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_OK;
}

typedef struct {
    weir_graph *graph;
    weir_plan *plan;
    weir_buffer *state, *out;
} sample;

/* step (group "flow", 3 us) of a ring -> shade (group "view", 1 us) and copy (1 us) -> save, a host task; beside them `idle`, empty. */
static inline sample sample_make(uint32_t lanes)
{
    static const weir_kernel step = {.name = "step", .host = sample_kernel}, shade = {.name = "shade", .host = sample_kernel};
    sample s = {0};
    ck_assert_int_eq(weir_graph_create("sample", 0, &s.graph), WEIR_OK);
    ck_assert_int_eq(weir_buffer_create(&(weir_buffer_desc){.name = "state", .element_bytes = 4, .nx = 8, .copies = 2}, &s.state), WEIR_OK);
    ck_assert_int_eq(weir_buffer_create(&(weir_buffer_desc){.name = "out", .element_bytes = 4, .nx = 8, .place = WEIR_HOST_OUT}, &s.out),
                     WEIR_OK);
    weir_task t = weir_add_kernel(s.graph, &step, (weir_shape){0}, WEIR_ARGS(WEIR_PREVIOUS(s.state, 1), WEIR_WRITE(s.state)));
    weir_task_set(s.graph, t, &(weir_task_options){.group = "flow", .cost_ns = 3000});
    t = weir_add_kernel(s.graph, &shade, (weir_shape){0}, WEIR_ARGS(WEIR_READ(s.state)));
    weir_task_set(s.graph, t, &(weir_task_options){.group = "view", .priority = 2});
    weir_add_copy(s.graph, "copy", WEIR_WRITE(s.out), WEIR_READ(s.state));
    weir_add_host(s.graph, "save", sample_host, NULL, WEIR_ARGS(WEIR_READ(s.out)));
    weir_add_empty(s.graph, "idle");
    ck_assert_msg(weir_plan_create(s.graph, &(weir_plan_options){.lanes = lanes, .frames = 2}, &s.plan) == WEIR_OK, "%s",
                  weir_last_error());
    return s;
}

/* set -> solve: while (go) { sweep } -> maybe: if (go) { sweep -> solve } else {}, with a loop in the branch. `state` is none of a ring's. */
static inline sample sample_loops_make(uint32_t lanes)
{
    static const weir_kernel set = {.name = "set", .host = sample_kernel}, sweep = {.name = "sweep", .host = sample_kernel};
    sample s = {0};
    weir_graph *body = NULL, *more = NULL, *nothing = NULL;
    ck_assert_int_eq(weir_graph_create("loops", 0, &s.graph), WEIR_OK);
    ck_assert_int_eq(weir_graph_create("jacobi", 0, &body), WEIR_OK);
    ck_assert_int_eq(weir_graph_create("more", 0, &more), WEIR_OK);
    ck_assert_int_eq(weir_graph_create("nothing", 0, &nothing), WEIR_OK);
    ck_assert_int_eq(weir_buffer_create(&(weir_buffer_desc){.name = "state", .element_bytes = 4, .nx = 8}, &s.state), WEIR_OK);
    ck_assert_int_eq(weir_buffer_create(&(weir_buffer_desc){.name = "go", .element_bytes = 4, .nx = 1}, &s.out), WEIR_OK);
    weir_add_kernel(s.graph, &set, (weir_shape){0}, WEIR_ARGS(WEIR_WRITE(s.state), WEIR_WRITE(s.out)));
    weir_add_kernel(body, &sweep, (weir_shape){0}, WEIR_ARGS(WEIR_READ_WRITE(s.state), WEIR_WRITE(s.out)));
    weir_add_while(s.graph, "solve", body, s.out, 50);
    weir_add_kernel(more, &sweep, (weir_shape){0}, WEIR_ARGS(WEIR_READ_WRITE(s.state)));
    weir_add_while(more, "solve", body, s.out, 7);
    weir_add_if(s.graph, "maybe", s.out, more, nothing);
    weir_graph_destroy(body);
    weir_graph_destroy(more);
    weir_graph_destroy(nothing);
    ck_assert_msg(weir_plan_create(s.graph, &(weir_plan_options){.lanes = lanes, .frames = 2}, &s.plan) == WEIR_OK, "%s", weir_last_error());
    return s;
}

static inline void sample_finish(sample *s)
{
    weir_plan_destroy(s->plan);
    weir_graph_destroy(s->graph);
    weir_buffer_destroy(s->state);
    weir_buffer_destroy(s->out);
}

/* What the writer of that format makes of a drawing; to be freed. */
static inline char *sample_written(const weir_drawing *drawing, const char *format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    ck_assert_ptr_nonnull(stream);
    weir_status status = weir_drawing_write(drawing, stream, format);
    ck_assert_int_eq(fclose(stream), 0);
    ck_assert_msg(status == WEIR_OK, "%s", weir_last_error());
    char *kept = strdup(text); /* gcc 12 takes what the stream left in `text` for a pointer to it */
    free(text);
    return kept;
}

static inline void sample_says(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in:\n%s", part, text);
}

static inline void sample_says_not(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "'%s' is in:\n%s", part, text);
}

/* How often. */
static inline unsigned sample_count(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* A graph's drawing by hand; the arrays stay the caller's. */
#define SAMPLE_COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

static inline int sample_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
