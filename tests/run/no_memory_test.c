/* no_memory_test.c - a program from its first declaration to its last frame, with each request for memory failing in turn: every
 * call says WEIR_ERR_NO_MEMORY or succeeds, whatever was made can be destroyed, and nothing is left. */
#include "run/fixture.h"
#include "util/counting.h"

enum { N = 32 };

static void step(const weir_blocks *blocks, void *const *args)
{
    uint32_t *to = WEIR_PASSED(uint32_t *, args, 0);
    const uint32_t *from = WEIR_PASSED(const uint32_t *, args, 1);
    for (uint64_t b = blocks->first; b < blocks->first + blocks->count; b++)
        to[b] = from[b] + WEIR_PASSED(uint32_t, args, 2);
}

static const weir_kernel step_kernel = {.name = "step", .host = step};

static void decrement(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    --*WEIR_PASSED(uint32_t *, args, 0);
}

static const weir_kernel decrement_kernel = {.name = "decrement", .host = decrement};

/* All that a program has, each NULL until it is made. */
typedef struct {
    weir_buffer *in, *state, *out, *word;
    weir_param *param;
    weir_graph *child, *inner, *body, *graph;
    weir_plan *plan;
    weir_runtime *runtime;
    weir_exec *exec, *second;
    int host_calls;
} program;

/* Goes on to the next call only if this one worked. */
#define TRY(call)                                                                                                                          \
    do {                                                                                                                                   \
        weir_status try_status = (call);                                                                                                   \
        if (try_status != WEIR_OK)                                                                                                         \
            return try_status;                                                                                                             \
    } while (0)

static weir_status declare(program *p)
{
    uint32_t one = 1;
    const weir_buffer_desc in = {.name = "in", .element_bytes = 4, .nx = N, .copies = 2, .place = WEIR_HOST_IN};
    const weir_buffer_desc state = {.name = "state", .element_bytes = 4, .nx = N, .copies = WEIR_RING_AUTO};
    const weir_buffer_desc out = {.name = "out", .element_bytes = 4, .nx = N, .place = WEIR_HOST_OUT};
    const weir_buffer_desc word = {.name = "word", .element_bytes = 4, .nx = 1};
    TRY(weir_buffer_create(&in, &p->in));
    TRY(weir_buffer_create(&state, &p->state));
    TRY(weir_buffer_create(&out, &p->out));
    TRY(weir_param_create("param", &one, sizeof one, &p->param));
    TRY(weir_graph_create("child", 0, &p->child));
    TRY(weir_buffer_create(&word, &p->word));
    TRY(weir_graph_create("inner", 0, &p->inner));
    TRY(weir_graph_create("body", 0, &p->body));
    TRY(weir_graph_create("graph", 0, &p->graph));
    weir_add_kernel(p->child, &step_kernel, (weir_shape){.grid = {N}, .shared_bytes = 64},
                    WEIR_ARGS(WEIR_WRITE(p->state), WEIR_PREVIOUS(p->state, 1), WEIR_PARAM(p->param)));
    weir_task first = weir_add_fill(p->graph, "clear", WEIR_WRITE(p->out), &one, sizeof one);
    weir_task sub = weir_add_graph(p->graph, "sub", p->child);
    for (uint32_t i = 0; i < 8; i++)
        weir_add_copy(p->graph, "down", weir_part(WEIR_WRITE(p->out), (weir_box){.x = 4 * i, .nx = 4}),
                      weir_part(WEIR_READ(p->state), (weir_box){.x = 4 * i, .nx = 4}));
    weir_add_fill(p->graph, "two", WEIR_WRITE(p->word), &(uint32_t){2}, sizeof(uint32_t));
    weir_add_kernel(p->inner, &decrement_kernel, (weir_shape){.grid = {1}}, WEIR_ARGS(WEIR_READ_WRITE(p->word), WEIR_PARAM(p->param)));
    weir_add_if(p->body, "if", p->word, p->inner, p->inner);
    weir_task loop = weir_add_while(p->graph, "loop", p->body, p->word, 5);
    weir_task last =
        weir_add_host(p->graph, "host", count_call, &p->host_calls, WEIR_ARGS(WEIR_READ(p->in), WEIR_READ(p->out), WEIR_VALUE(one)));
    weir_after(p->graph, sub, first);
    weir_after(p->graph, last, loop);
    weir_after_previous(p->graph, first, last, 1);
    weir_task_set(p->graph, last, &(weir_task_options){.group = "last"});
    return weir_graph_status(p->graph);
}

static weir_status run(program *p)
{
    const weir_plan_options planning = {.frames = 2};
    const weir_exec_options options = {.timing = 1};
    uint32_t value = 3;
    weir_frame *frame = NULL;
    weir_ticket ticket;
    TRY(weir_graph_check(p->graph, planning.frames, NULL, NULL));
    TRY(weir_plan_create(p->graph, &planning, &p->plan));
    TRY(weir_plan_check(p->plan));
    TRY(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 2}, &p->runtime));
    TRY(weir_exec_create(p->runtime, p->plan, &options, &p->exec));
    TRY(weir_exec_create(p->runtime, p->plan, NULL, &p->second));
    TRY(weir_buffer_write(p->runtime, p->state, &value, 0, sizeof value));
    for (int i = 0; i < 3; i++) {
        TRY(weir_exec_begin(p->exec, -1, &frame));
        ((uint32_t *)weir_frame_data(frame, p->in))[0] = 1;
        TRY(weir_frame_submit(frame, &ticket));
        TRY(weir_exec_submit(p->second, NULL));
    }
    TRY(weir_exec_wait(p->exec, ticket, -1));
    TRY(weir_runtime_wait(p->runtime, -1));
    TRY(weir_buffer_read(p->runtime, p->state, &value, 0, sizeof value));
    ck_assert_uint_eq(value, 9);
    ck_assert_int_eq(p->host_calls, 6);
    return WEIR_OK;
}

static void finish(program *p)
{
    weir_exec_destroy(p->exec);
    weir_exec_destroy(p->second);
    weir_runtime_destroy(p->runtime);
    weir_plan_destroy(p->plan);
    weir_graph_destroy(p->graph);
    weir_graph_destroy(p->child);
    weir_graph_destroy(p->inner);
    weir_graph_destroy(p->body);
    weir_param_destroy(p->param);
    weir_buffer_destroy(p->in);
    weir_buffer_destroy(p->state);
    weir_buffer_destroy(p->out);
    weir_buffer_destroy(p->word);
}

static void fail_in_turn(int fail_on)
{
    for (long fail_at = 1;; fail_at++) {
        program p = {.host_calls = 0};
        counting_start(fail_at, fail_on);
        weir_status status = declare(&p);
        if (status == WEIR_OK)
            status = run(&p);
        bool reached = atomic_load(&counting_asked) >= fail_at;
        ck_assert_msg(status == WEIR_OK || status == WEIR_ERR_NO_MEMORY, "request %ld fails: %s: %s", fail_at, weir_status_name(status),
                      weir_last_error());
        ck_assert_msg(status == WEIR_OK || strstr(weir_last_error(), "memory"), "request %ld fails: %s", fail_at, weir_last_error());
        ck_assert_msg(reached || status == WEIR_OK, "request %ld was never made, yet there is no memory", fail_at);
        finish(&p); /* while there still is none */
        counting_relent();
        ck_assert_msg(atomic_load(&counting_live) == 0, "request %ld fails: %ld allocations are left", fail_at,
                      atomic_load(&counting_live));
        if (!reached) {
            printf("%ld requests failed in turn\n", fail_at - 1);
            ck_assert_int_gt(fail_at, 100);
            return;
        }
    }
}

START_TEST(any_one_request_may_fail)
{
    fail_in_turn(0);
}
END_TEST

START_TEST(all_requests_may_fail_from_some_time_on)
{
    fail_in_turn(1);
}
END_TEST

/* What was there before a failed call is as good as before: the same call works when there is memory again. */
START_TEST(calls_that_failed_work_when_there_is_memory_again)
{
    for (long fail_at = 1;; fail_at++) {
        program p = {.host_calls = 0};
        counting_start(0, 0);
        OK(declare(&p));
        counting_start(fail_at, 1);
        weir_status status = run(&p);
        bool reached = atomic_load(&counting_asked) >= fail_at;
        counting_relent();
        if (status == WEIR_ERR_NO_MEMORY) {
            weir_exec_destroy(p.exec);
            weir_exec_destroy(p.second);
            weir_runtime_destroy(p.runtime);
            weir_plan_destroy(p.plan);
            p.exec = p.second = NULL;
            p.runtime = NULL;
            p.plan = NULL;
            status = run(&p);
        }
        ck_assert_msg(status == WEIR_OK, "request %ld fails: %s: %s", fail_at, weir_status_name(status), weir_last_error());
        finish(&p);
        ck_assert_int_eq(atomic_load(&counting_live), 0);
        if (!reached)
            return;
    }
}
END_TEST

int main(void)
{
    no_environment();
    Suite *suite = suite_create("run/no_memory");
    TCase *cases = tcase_create("no memory");
    tcase_add_test(cases, any_one_request_may_fail);
    tcase_add_test(cases, all_requests_may_fail_from_some_time_on);
    tcase_add_test(cases, calls_that_failed_work_when_there_is_memory_again);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
