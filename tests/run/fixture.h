/* fixture.h - a runtime and what runs on it in a line each, and gates: host tasks that stop until they are let through. */
#ifndef WEIR_TESTS_RUN_FIXTURE_H
#define WEIR_TESTS_RUN_FIXTURE_H

#include "weir/weir.h"
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MILLISECOND = 1000000 };

/* Nothing of the caller's environment counts, unless a test sets it. */
static inline void no_environment(void)
{
    static const char *const variables[] = {"WEIR_BACKEND", "WEIR_LANES", "WEIR_WORKERS", "WEIR_POLICY",  "WEIR_LOG",
                                            "WEIR_DEBUG",   "WEIR_DUMP",  "WEIR_TRACE",   "WEIR_SHUFFLE", "WEIR_MODE", "WEIR_CACHE_NODES"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
}

#define OK(call)                                                                                                                           \
    do {                                                                                                                                   \
        weir_status ok_status = (call);                                                                                                    \
        ck_assert_msg(ok_status == WEIR_OK, "%s: %s: %s", #call, weir_status_name(ok_status), weir_last_error());                          \
    } while (0)

static inline void says(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' does not say '%s'", text, part);
}

/* The call gives this status, and its text says this. */
#define REFUSED(status, call, part)                                                                                                        \
    do {                                                                                                                                   \
        ck_assert_int_eq(call, status);                                                                                                    \
        says(weir_last_error(), part);                                                                                                     \
    } while (0)

static inline weir_runtime *runtime_make(uint32_t workers)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = workers}, &runtime));
    return runtime;
}

static inline weir_graph *graph_make(const char *name)
{
    weir_graph *graph = NULL;
    OK(weir_graph_create(name, 0, &graph));
    return graph;
}

static inline weir_buffer *buffer_of(weir_buffer_desc desc)
{
    weir_buffer *buffer = NULL;
    OK(weir_buffer_create(&desc, &buffer));
    return buffer;
}

/* `count` numbers of 32 bits. */
static inline weir_buffer *numbers(const char *name, uint32_t count, uint32_t copies, weir_place place)
{
    return buffer_of((weir_buffer_desc){.name = name, .element_bytes = 4, .nx = count, .copies = copies, .place = place});
}

/* Plans with F frames in flight and makes the exec; the plan goes at once. */
static inline weir_exec *exec_with(weir_runtime *runtime, const weir_graph *graph, const weir_plan_options *planning,
                                   const weir_exec_options *options)
{
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    OK(weir_plan_create(graph, planning, &plan));
    OK(weir_exec_create(runtime, plan, options, &exec));
    weir_plan_destroy(plan);
    return exec;
}

static inline weir_exec *exec_make(weir_runtime *runtime, const weir_graph *graph, uint32_t frames)
{
    return exec_with(runtime, graph, &(weir_plan_options){.frames = frames}, NULL);
}

static inline weir_ticket submit(weir_exec *exec)
{
    weir_ticket ticket = {0};
    OK(weir_exec_submit(exec, &ticket));
    return ticket;
}

static inline void run_frames(weir_exec *exec, int count)
{
    weir_ticket ticket = {0};
    for (int i = 0; i < count; i++)
        ticket = submit(exec);
    OK(weir_exec_wait(exec, ticket, -1));
}

static inline void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MILLISECOND}, NULL);
}

/* ---- gates ---- */

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int entered, let; /* how many came; how many may pass */
    weir_status result;
} gate;

static inline void gate_init(gate *g)
{
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    g->entered = g->let = 0;
    g->result = WEIR_OK;
}

static inline void gate_finish(gate *g)
{
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->lock);
}

/* The host function: as whichever came first, passes when it may. */
static inline weir_status gate_pass(void *user, void *const *args)
{
    gate *g = user;
    (void)args;
    pthread_mutex_lock(&g->lock);
    int number = ++g->entered;
    pthread_cond_broadcast(&g->changed);
    while (g->let < number)
        pthread_cond_wait(&g->changed, &g->lock);
    weir_status result = g->result;
    pthread_mutex_unlock(&g->lock);
    return result;
}

static inline void gate_await(gate *g, int entered)
{
    pthread_mutex_lock(&g->lock);
    while (g->entered < entered)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static inline void gate_let(gate *g, int count)
{
    pthread_mutex_lock(&g->lock);
    g->let += count;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

static inline void gate_open(gate *g)
{
    gate_let(g, 1 << 20);
}

static inline int gate_entered(gate *g)
{
    pthread_mutex_lock(&g->lock);
    int entered = g->entered;
    pthread_mutex_unlock(&g->lock);
    return entered;
}

/* ---- host functions ---- */

/* Counts its calls; exact without atomics only for tasks that follow themselves. */
static inline weir_status count_call(void *user, void *const *args)
{
    (void)args;
    ++*(int *)user;
    return WEIR_OK;
}

static inline weir_status do_nothing(void *user, void *const *args)
{
    (void)user;
    (void)args;
    return WEIR_OK;
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
