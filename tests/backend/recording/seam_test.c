/* seam_test.c - what run asks of a backend and what it makes of its answers: optional entries given and left out, what an image says, how a
 * device fails, who looks for the end of frames. */
#include "backend/recording/recording.h"
#include "backend/recording/sketch.h"
#include "graph/buffer.h"
#include "weir/observe.h"
#include <errno.h>

static void set_up(void)
{
    no_environment();
    recording_reset(REPORTED_BY_THREAD);
}

/* Whatever was opened and made is closed and gone. */
static void tear_down(void)
{
    ck_assert_uint_eq(recorded.opens, recorded.closes);
    ck_assert_uint_eq(recorded.programs, 0);
    recording_reset(REPORTED_BY_THREAD);
}

static void be_quiet(void *user, int level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static weir_runtime *runtime_on(const char *backend)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = backend}, &runtime));
    return runtime;
}

/* first -> second -> third */
typedef struct {
    weir_graph *graph;
    weir_task task[3];
} chain;

static chain chain_make(void)
{
    static const char *const names[] = {"first", "second", "third"};
    chain c = {.graph = graph_make("chain")};
    for (int i = 0; i < 3; i++) {
        c.task[i] = weir_add_empty(c.graph, names[i]);
        if (i > 0)
            weir_after(c.graph, c.task[i], c.task[i - 1]);
    }
    return c;
}

/* A runtime and an exec of the chain on it, with F frames in flight. */
typedef struct {
    weir_runtime *runtime;
    chain chain;
    weir_exec *exec;
    weir_program *program;
} running;

static running run_chain(const char *backend, uint32_t frames, const weir_exec_options *options)
{
    running r = {.runtime = runtime_on(backend), .chain = chain_make()};
    r.exec = exec_with(r.runtime, r.chain.graph, &(weir_plan_options){.frames = frames}, options);
    r.program = recorded.last;
    return r;
}

static void stop(running *r)
{
    weir_exec_destroy(r->exec);
    weir_graph_destroy(r->chain.graph);
    weir_runtime_destroy(r->runtime);
}

/* ---- adopted memory ---- */

enum { ADOPTED_COPIES = 3, ADOPTED_NUMBERS = 16 };

static uint32_t adopted[ADOPTED_COPIES][ADOPTED_NUMBERS];

/* A ring in the program's own memory, and a graph whose second task writes it. */
static weir_buffer *adopting_ring(void)
{
    void *const copies[ADOPTED_COPIES] = {adopted[0], adopted[1], adopted[2]};
    return buffer_of((weir_buffer_desc){
        .name = "own", .element_bytes = 4, .nx = ADOPTED_NUMBERS, .copies = ADOPTED_COPIES, .place = WEIR_HOST_OUT, .adopted = copies});
}

static weir_graph *graph_writing(weir_buffer *buffer)
{
    weir_graph *graph = graph_make("adopts");
    weir_add_empty(graph, "idle");
    weir_add_host(graph, "writer", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(buffer)));
    return graph;
}

static void check_copies(uint32_t count, uint32_t adoptions, uint32_t abandoned, uint32_t refused)
{
    ck_assert_uint_eq(recorded.copies.count, count);
    for (uint32_t i = 0; i < count; i++) {
        const recorded_copy *copy = &recorded.copies.at[i];
        ck_assert_ptr_eq(copy->memory, adopted[i]);
        ck_assert_int_eq(copy->place, WEIR_HOST_OUT);
        ck_assert_uint_eq(copy->bytes, sizeof adopted[i]);
        ck_assert_uint_eq(copy->adopted, i == count - 1 && refused > 0 ? adoptions - 1 : adoptions);
        ck_assert_uint_eq(copy->abandoned, i == count - 1 && refused > 0 ? abandoned - 1 : abandoned);
        ck_assert_uint_eq(copy->refused, i == count - 1 ? refused : 0);
    }
}

START_TEST(each_adopted_copy_is_adopted_once_and_abandoned_once)
{
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *ring = adopting_ring();
    weir_graph *graph = graph_writing(ring);
    weir_exec *exec = exec_make(runtime, graph, 2), *second = exec_make(runtime, graph, 1);
    check_copies(ADOPTED_COPIES, 1, 0, 0);
    run_frames(exec, 5);
    run_frames(second, 5);
    weir_exec_destroy(exec);
    weir_exec_destroy(second);
    weir_graph_destroy(graph);
    check_copies(ADOPTED_COPIES, 1, 0, 0);
    weir_buffer_destroy(ring);
    check_copies(ADOPTED_COPIES, 1, 1, 0);
    weir_runtime_destroy(runtime);
    check_copies(ADOPTED_COPIES, 1, 1, 0);
}
END_TEST

START_TEST(runtime_that_ends_first_abandons)
{
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *ring = adopting_ring();
    weir_graph *graph = graph_writing(ring);
    weir_exec *exec = exec_make(runtime, graph, 2);
    weir_runtime_destroy(runtime);
    check_copies(ADOPTED_COPIES, 1, 0, 0); /* an exec still uses them */
    weir_exec_destroy(exec);
    check_copies(ADOPTED_COPIES, 1, 1, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
    check_copies(ADOPTED_COPIES, 1, 1, 0);
}
END_TEST

START_TEST(runtimes_adopt_each_for_itself)
{
    weir_runtime *one = runtime_on("recording"), *other = runtime_on("recording");
    weir_buffer *ring = adopting_ring();
    weir_graph *graph = graph_writing(ring);
    weir_exec *exec = exec_make(one, graph, 1), *beside = exec_make(other, graph, 1);
    check_copies(ADOPTED_COPIES, 2, 0, 0);
    weir_exec_destroy(exec);
    weir_runtime_destroy(one);
    check_copies(ADOPTED_COPIES, 2, 1, 0);
    weir_exec_destroy(beside);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
    check_copies(ADOPTED_COPIES, 2, 2, 0);
    weir_runtime_destroy(other);
}
END_TEST

START_TEST(refusal_names_buffer_and_task_and_abandons_what_was_adopted)
{
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *ring = adopting_ring();
    weir_graph *graph = graph_writing(ring);
    weir_plan *plan = NULL;
    weir_exec *untouched = (weir_exec *)&untouched, *exec = untouched;
    OK(weir_plan_create(graph, NULL, &plan));
    recorded.refuse = adopted[1];
    REFUSED(WEIR_ERR_BACKEND, weir_exec_create(runtime, plan, NULL, &exec), "buffer 'own'");
    says(weir_last_error(), "task 'writer'");
    says(weir_last_error(), "it is written on both sides");
    ck_assert_ptr_eq(exec, untouched);
    check_copies(2, 1, 1, 1);
    recorded.refuse = NULL; /* and the program may try again */
    OK(weir_exec_create(runtime, plan, NULL, &exec));
    run_frames(exec, 2);
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
    ck_assert_uint_eq(recorded.copies.count, ADOPTED_COPIES);
    for (uint32_t i = 0; i < ADOPTED_COPIES; i++) {
        ck_assert_uint_eq(recorded.copies.at[i].adopted, i == 0 ? 2 : 1);
        ck_assert_uint_eq(recorded.copies.at[i].abandoned, recorded.copies.at[i].adopted);
    }
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(backend_without_adopt_takes_any_memory)
{
    weir_runtime *runtime = runtime_on("bare");
    weir_buffer *ring = adopting_ring();
    weir_graph *graph = graph_writing(ring);
    weir_exec *exec = exec_make(runtime, graph, 1);
    uint32_t seven = 7, back = 0;
    OK(weir_buffer_write(runtime, ring, &seven, 0, sizeof seven));
    OK(weir_buffer_read(runtime, ring, &back, 0, sizeof back));
    ck_assert_uint_eq(back, 7);
    ck_assert_uint_eq(adopted[2][0], 7);
    run_frames(exec, 2);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
    weir_runtime_destroy(runtime);
    ck_assert_uint_eq(recorded.copies.count, 0);
}
END_TEST

START_TEST(memory_of_weirs_own_is_not_adopted)
{
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *buffer = numbers("plain", 4, 0, WEIR_HOST_OUT);
    weir_graph *graph = graph_writing(buffer);
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 1);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(buffer);
    weir_runtime_destroy(runtime);
    ck_assert_uint_eq(recorded.copies.count, 0);
}
END_TEST

/* ---- who looks ---- */

static bool somebody_looked(pthread_t who, uint32_t before)
{
    return recording_looks() > before && pthread_equal(recorded.looker, who);
}

START_TEST(waiter_looks_and_ends_its_own_wait)
{
    running r = run_chain("recording", 2, NULL);
    recording_report(REPORTED_BY_LOOK);
    weir_ticket first = submit(r.exec), second = submit(r.exec);
    ck_assert_int_eq(weir_exec_wait(r.exec, first, 0), WEIR_WOULD_BLOCK);
    ck_assert_uint_eq(recording_looks(), 0); /* who only asks does not look */
    OK(weir_exec_wait(r.exec, second, -1));
    ck_assert(somebody_looked(pthread_self(), 0));
    OK(weir_exec_wait(r.exec, first, 0));
    uint32_t looks = recording_looks();
    OK(weir_exec_wait(r.exec, first, -1));
    ck_assert_uint_eq(recording_looks(), looks); /* nothing to wait for, nothing to look for */
    stop(&r);
}
END_TEST

START_TEST(whoever_waits_looks)
{
    running r = run_chain("recording", 1, NULL);
    weir_buffer *buffer = numbers("buffer", 4, 0, WEIR_HOST_OUT);
    weir_graph *graph = graph_writing(buffer);
    weir_exec *writer = exec_make(r.runtime, graph, 1);
    uint32_t value = 0, looks = 0;
    recording_report(REPORTED_BY_LOOK);
    submit(r.exec);
    OK(weir_runtime_wait(r.runtime, -1));
    ck_assert(somebody_looked(pthread_self(), looks));
    submit(r.exec);
    looks = recording_looks();
    submit(r.exec); /* begin waits for the frame before */
    ck_assert(somebody_looked(pthread_self(), looks));
    submit(writer);
    looks = recording_looks();
    OK(weir_buffer_read(r.runtime, buffer, &value, 0, sizeof value));
    ck_assert(somebody_looked(pthread_self(), looks));
    submit(writer);
    looks = recording_looks();
    weir_exec_destroy(writer);
    ck_assert(somebody_looked(pthread_self(), looks));
    submit(r.exec);
    looks = recording_looks();
    weir_graph_destroy(graph);
    weir_buffer_destroy(buffer);
    weir_runtime_destroy(r.runtime);
    ck_assert(somebody_looked(pthread_self(), looks));
    weir_exec_destroy(r.exec);
    weir_graph_destroy(r.chain.graph);
}
END_TEST

START_TEST(who_looks_in_vain_is_told_by_the_backends_threads)
{
    running r = run_chain("recording", 1, NULL);
    recording_report(REPORTED_BY_NOBODY);
    weir_ticket ticket = submit(r.exec);
    REFUSED(WEIR_TIMEOUT, weir_exec_wait(r.exec, ticket, 50 * MILLISECOND), "waits for task 'third'");
    ck_assert_uint_gt(recording_looks(), 0);
    REFUSED(WEIR_TIMEOUT, weir_runtime_wait(r.runtime, MILLISECOND), "waits for task 'third'");
    recording_report(REPORTED_BY_THREAD);
    OK(weir_exec_wait(r.exec, ticket, -1));
    stop(&r);
}
END_TEST

static void *wait_for_first(void *user)
{
    OK(weir_exec_wait(user, (weir_ticket){1}, -1));
    return NULL;
}

/* One reports the other's frame, and the other hears of it. */
START_TEST(several_look_at_once)
{
    enum { WAITERS = 4 };
    running r = run_chain("recording", 1, NULL);
    pthread_t waiter[WAITERS];
    recording_report(REPORTED_BY_NOBODY);
    submit(r.exec);
    for (int i = 0; i < WAITERS; i++)
        ck_assert_int_eq(pthread_create(&waiter[i], NULL, wait_for_first, r.exec), 0);
    while (recording_looks() < WAITERS)
        pause_ms(1);
    recording_report(REPORTED_BY_LOOK);
    OK(weir_exec_wait(r.exec, (weir_ticket){1}, -1));
    for (int i = 0; i < WAITERS; i++)
        pthread_join(waiter[i], NULL);
    stop(&r);
}
END_TEST

typedef struct {
    pthread_t thread;
    atomic_uint calls;
} told;

static void tell(void *user, weir_ticket ticket, weir_status status)
{
    told *t = user;
    (void)ticket;
    (void)status;
    t->thread = pthread_self();
    atomic_fetch_add(&t->calls, 1);
}

/* Callbacks come on threads of weir's, so no thread of the program's may report. */
START_TEST(nobody_looks_while_a_callback_is_set)
{
    running r = run_chain("recording", 1, NULL);
    weir_exec *other = exec_make(r.runtime, r.chain.graph, 1);
    told t = {.calls = 0};
    weir_exec_on_frame(other, tell, &t);
    recording_report(REPORTED_BY_NOBODY);
    weir_ticket ticket = submit(r.exec), others = submit(other);
    ck_assert_int_eq(weir_exec_wait(r.exec, ticket, 30 * MILLISECOND), WEIR_TIMEOUT);
    ck_assert_int_eq(weir_exec_wait(other, others, 30 * MILLISECOND), WEIR_TIMEOUT);
    ck_assert_int_eq(weir_runtime_wait(r.runtime, 30 * MILLISECOND), WEIR_TIMEOUT);
    ck_assert_uint_eq(recording_looks(), 0);
    recording_report(REPORTED_BY_THREAD);
    OK(weir_runtime_wait(r.runtime, -1));
    ck_assert_uint_eq(atomic_load(&t.calls), 1);
    ck_assert(!pthread_equal(t.thread, pthread_self()));
    ck_assert_uint_eq(recording_looks(), 0);
    weir_exec_destroy(other); /* and the callback with it */
    recording_report(REPORTED_BY_LOOK);
    OK(weir_exec_wait(r.exec, submit(r.exec), -1));
    ck_assert(somebody_looked(pthread_self(), 0));
    stop(&r);
}
END_TEST

START_TEST(callback_taken_away_lets_look_again)
{
    running r = run_chain("recording", 1, NULL);
    told t = {.calls = 0};
    weir_exec_on_frame(r.exec, tell, &t);
    weir_exec_on_frame(r.exec, tell, &t); /* counts once */
    OK(weir_exec_wait(r.exec, submit(r.exec), -1));
    OK(weir_runtime_wait(r.runtime, -1));
    ck_assert_uint_eq(recording_looks(), 0);
    weir_exec_on_frame(r.exec, NULL, NULL);
    recording_report(REPORTED_BY_LOOK);
    OK(weir_exec_wait(r.exec, submit(r.exec), -1));
    ck_assert(somebody_looked(pthread_self(), 0));
    ck_assert_uint_eq(atomic_load(&t.calls), 1);
    stop(&r);
}
END_TEST

START_TEST(backend_without_look_is_waited_for)
{
    running r = run_chain("bare", 1, NULL);
    recording_report(REPORTED_BY_NOBODY);
    weir_ticket ticket = submit(r.exec);
    ck_assert_int_eq(weir_exec_wait(r.exec, ticket, 5 * MILLISECOND), WEIR_TIMEOUT);
    recording_report(REPORTED_BY_THREAD);
    OK(weir_exec_wait(r.exec, ticket, -1));
    ck_assert_uint_eq(recording_looks(), 0);
    stop(&r);
}
END_TEST

/* ---- a device that fails ---- */

/* Frames 0, 1, 2 are submitted; 1 fails like that. */
static running fail_second_frame(recorded_failure failure, weir_ticket tickets[3])
{
    running r = run_chain("recording", 3, NULL);
    failure.frame = 1;
    weir_set_log(be_quiet, NULL);
    recording_report(REPORTED_BY_NOBODY);
    recording_fail(failure);
    for (int i = 0; i < 3; i++)
        tickets[i] = submit(r.exec);
    recording_report(REPORTED_BY_THREAD);
    return r;
}

static void check_second_failed(running *r, const weir_ticket tickets[3], weir_status status, const char *text)
{
    weir_frame *frame = NULL;
    REFUSED(status, weir_exec_wait(r->exec, tickets[1], -1), text);
    says(weir_last_error(), "frame 1");
    says(weir_last_error(), "graph 'chain'");
    OK(weir_exec_wait(r->exec, tickets[0], -1));
    REFUSED(status, weir_exec_wait(r->exec, tickets[2], -1), text);
    OK(weir_exec_poll_task(r->exec, tickets[0], r->chain.task[1]));
    REFUSED(status, weir_exec_poll_task(r->exec, tickets[1], r->chain.task[1]), text);
    REFUSED(status, weir_exec_begin(r->exec, -1, &frame), text);
    REFUSED(status, weir_exec_submit(r->exec, NULL), text);
}

START_TEST(fault_of_one_task_fails_its_frame_and_names_it)
{
    weir_ticket tickets[3];
    weir_task culprit = {0};
    running r = fail_second_frame((recorded_failure){.task = 1, .what = "an illegal address was touched by 'second'"}, tickets);
    check_second_failed(&r, tickets, WEIR_ERR_DEVICE, "an illegal address was touched by 'second'");
    REFUSED(WEIR_ERR_DEVICE, weir_exec_status(r.exec, &culprit), "an illegal address was touched by 'second'");
    ck_assert_uint_eq(culprit.number, r.chain.task[1].number);
    ck_assert_uint_eq(culprit.graph, r.chain.task[1].graph);
    stop(&r);
}
END_TEST

START_TEST(fault_of_whom_nobody_knows_has_no_culprit)
{
    weir_ticket tickets[3];
    weir_task culprit = {77, 77};
    running r = fail_second_frame((recorded_failure){.task = UINT32_MAX, .what = "a trap; 'first' and 'second' were in flight"}, tickets);
    check_second_failed(&r, tickets, WEIR_ERR_DEVICE, "a trap; 'first' and 'second' were in flight");
    REFUSED(WEIR_ERR_DEVICE, weir_exec_status(r.exec, &culprit), "a trap");
    ck_assert_uint_eq(culprit.number, 0);
    ck_assert_uint_eq(culprit.graph, 0);
    stop(&r);
}
END_TEST

START_TEST(failure_of_a_tasks_own_code_says_so)
{
    weir_ticket tickets[3];
    weir_task culprit = {0};
    running r = fail_second_frame((recorded_failure){.task = 2, .cause = WEIR_ERR_IO}, tickets);
    check_second_failed(&r, tickets, WEIR_ERR_TASK, "task 'third' failed in frame 1 with WEIR_ERR_IO");
    ck_assert_int_eq(weir_exec_status(r.exec, &culprit), WEIR_ERR_TASK);
    ck_assert_uint_eq(culprit.number, r.chain.task[2].number);
    stop(&r);
}
END_TEST

/* Frames may end in any order; the first that failed is the exec's. Told after, it wins, and takes the later one's text away. */
START_TEST(earlier_frames_failure_wins_whoever_is_told_first)
{
    weir_task culprit = {0};
    weir_set_log(be_quiet, NULL);
    for (int order = 0; order < 2; order++) {
        running r = run_chain("recording", 3, NULL);
        recording_report(REPORTED_BY_NOBODY);
        for (int i = 0; i < 3; i++)
            submit(r.exec);
        const weir_reports *reports = &r.program->image.reports;
        for (int i = 0; i < 2; i++)
            if (i == order)
                reports->device_failed(reports->user, 2, UINT32_MAX, "the later");
            else
                reports->task_failed(reports->user, 1, 0, WEIR_ERR_TASK, WEIR_ERR_STATE);
        recording_report(REPORTED_BY_THREAD);
        REFUSED(WEIR_ERR_TASK, weir_exec_wait(r.exec, (weir_ticket){3}, -1), "task 'first' failed in frame 1 with WEIR_ERR_STATE");
        OK(weir_exec_wait(r.exec, (weir_ticket){1}, -1));
        ck_assert_int_eq(weir_exec_status(r.exec, &culprit), WEIR_ERR_TASK);
        ck_assert_uint_eq(culprit.number, r.chain.task[0].number);
        stop(&r);
    }
}
END_TEST

START_TEST(two_faults_are_told_by_the_earlier)
{
    weir_set_log(be_quiet, NULL);
    running r = run_chain("recording", 3, NULL);
    recording_report(REPORTED_BY_NOBODY);
    for (int i = 0; i < 3; i++)
        submit(r.exec);
    const weir_reports *reports = &r.program->image.reports;
    reports->device_failed(reports->user, 2, 0, "the later");
    reports->device_failed(reports->user, 1, 1, "the earlier");
    reports->device_failed(reports->user, 1, 2, "the same, once more");
    recording_report(REPORTED_BY_THREAD);
    REFUSED(WEIR_ERR_DEVICE, weir_exec_wait(r.exec, (weir_ticket){3}, -1), "the earlier");
    stop(&r);
}
END_TEST

START_TEST(failure_stops_its_exec_alone)
{
    weir_ticket tickets[3];
    running r = fail_second_frame((recorded_failure){.task = UINT32_MAX, .what = "gone"}, tickets);
    ck_assert_int_eq(weir_exec_wait(r.exec, tickets[2], -1), WEIR_ERR_DEVICE);
    weir_vector_finish(&recorded.failures);
    weir_exec *other = exec_make(r.runtime, r.chain.graph, 1);
    run_frames(other, 3);
    weir_exec_destroy(other);
    stop(&r);
}
END_TEST

START_TEST(callback_hears_of_a_fault)
{
    running r = run_chain("recording", 1, NULL);
    told t = {.calls = 0};
    weir_set_log(be_quiet, NULL);
    weir_exec_on_frame(r.exec, tell, &t);
    recording_fail((recorded_failure){.frame = 0, .task = 0, .what = "gone"});
    REFUSED(WEIR_ERR_DEVICE, weir_exec_wait(r.exec, submit(r.exec), -1), "gone");
    OK(weir_runtime_wait(r.runtime, -1));
    ck_assert_uint_eq(atomic_load(&t.calls), 1);
    stop(&r);
}
END_TEST

/* ---- what it does ---- */

START_TEST(stats_say_what_the_backend_says)
{
    weir_stats stats;
    running r = run_chain("recording", 1, &(weir_exec_options){.mode = "capture"});
    recorded.instantiations = 3;
    recorded.taken_over = 4;
    run_frames(r.exec, 2);
    weir_exec_stats(r.exec, &stats);
    ck_assert_str_eq(stats.mode, "by ear");
    ck_assert_uint_eq(stats.instantiations, 3);
    ck_assert_uint_eq(stats.taken_over, 4);
    ck_assert_uint_eq(stats.frames, 2);
    stop(&r);
}
END_TEST

/* Two copies side by side, of 5 us each. */
static weir_stats stats_of_copies(const char *backend, double launch_ns)
{
    weir_runtime *runtime = NULL;
    weir_stats stats;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = backend}, &runtime));
    recorded.launch_ns = launch_ns;
    weir_graph *graph = graph_make("copies");
    weir_buffer *from = numbers("from", 8, 1, WEIR_HOST_IN), *to[2] = {numbers("one", 8, 1, WEIR_DEVICE), numbers("other", 8, 1, WEIR_DEVICE)};
    for (int i = 0; i < 2; i++)
        weir_task_set(graph, weir_add_copy(graph, i ? "b" : "a", WEIR_WRITE(to[i]), WEIR_READ(from)), &(weir_task_options){.cost_ns = 5000});
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2}, NULL);
    weir_exec_stats(exec, &stats);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(from);
    weir_buffer_destroy(to[0]);
    weir_buffer_destroy(to[1]);
    weir_runtime_destroy(runtime);
    recording_reset(REPORTED_BY_THREAD);
    return stats;
}

START_TEST(copies_and_launches_bind_a_device)
{
    weir_stats stats = stats_of_copies("recording", 0);
    ck_assert_str_eq(stats.binding, "copies to the device");
    ck_assert_double_eq_tol(stats.bound_ns, 10000, 1e-9);
    stats = stats_of_copies("recording", 7000);
    ck_assert_str_eq(stats.binding, "launches");
    ck_assert_double_eq_tol(stats.bound_ns, 14000, 1e-9);
}
END_TEST

START_TEST(copies_bind_nothing_where_there_is_no_device)
{
    weir_stats stats = stats_of_copies("bare", 7000);
    ck_assert_str_eq(stats.binding, "critical path");
    ck_assert_double_eq_tol(stats.bound_ns, 5000, 1e-9);
}
END_TEST

START_TEST(backend_without_info_is_eager)
{
    weir_stats stats;
    running r = run_chain("bare", 1, &(weir_exec_options){.mode = "replay"});
    recorded.instantiations = recorded.taken_over = 3;
    run_frames(r.exec, 2);
    weir_exec_stats(r.exec, &stats);
    ck_assert_str_eq(stats.mode, "eager");
    ck_assert_uint_eq(stats.instantiations, 0);
    ck_assert_uint_eq(stats.taken_over, 0);
    stop(&r);
}
END_TEST

START_TEST(image_has_the_mode_that_was_asked_for)
{
    static const char *const names[] = {NULL, "default", "auto", "eager", "replay", "capture"};
    static const weir_mode modes[] = {WEIR_MODE_DEFAULT, WEIR_MODE_DEFAULT, WEIR_MODE_AUTO, WEIR_MODE_EAGER, WEIR_MODE_REPLAY, WEIR_MODE_CAPTURE};
    for (int i = 0; i < 6; i++) {
        running r = run_chain("recording", 1, &(weir_exec_options){.mode = names[i]});
        ck_assert_int_eq(r.program->image.mode, modes[i]);
        stop(&r);
    }
    running r = run_chain("recording", 1, NULL);
    ck_assert_int_eq(r.program->image.mode, WEIR_MODE_DEFAULT);
    stop(&r);
}
END_TEST

START_TEST(environments_mode_wins)
{
    setenv("WEIR_MODE", "capture", 1);
    running r = run_chain("recording", 1, &(weir_exec_options){.mode = "eager"});
    ck_assert_int_eq(r.program->image.mode, WEIR_MODE_CAPTURE);
    weir_exec *untouched = (weir_exec *)&untouched, *exec = untouched;
    weir_plan *plan = NULL;
    OK(weir_plan_create(r.chain.graph, NULL, &plan));
    setenv("WEIR_MODE", "backwards", 1);
    REFUSED(WEIR_ERR_INVALID, weir_exec_create(r.runtime, plan, NULL, &exec), "WEIR_MODE=backwards: must be one of default, eager, replay, capture, auto");
    unsetenv("WEIR_MODE");
    REFUSED(WEIR_ERR_INVALID, weir_exec_create(r.runtime, plan, &(weir_exec_options){.mode = "sideways"}, &exec), "sideways");
    ck_assert_ptr_eq(exec, untouched);
    weir_plan_destroy(plan);
    stop(&r);
}
END_TEST

START_TEST(replay_lanes_are_a_plan_of_the_same_graph)
{
    static sketch s;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t random = seed;
        sketch_make(&s, &random);
        weir_runtime *runtime = runtime_on("recording");
        uint32_t lanes = 1 + weir_random_below(&random, 16);
        weir_plan *plan = NULL, *asked = NULL;
        weir_exec *exec = NULL;
        weir_plan_options options = {.lanes = 1 + weir_random_below(&random, 8), .frames = 1 + weir_random_below(&random, 3)};
        OK(weir_plan_create(s.graph, &options, &plan));
        OK(weir_exec_create(runtime, plan, &(weir_exec_options){.replay_lanes = lanes}, &exec));
        OK(weir_plan_again(plan, lanes, &asked));
        const weir_plan *given = recorded.last->image.replay_lanes;
        ck_assert_ptr_nonnull(given);
        ck_assert_ptr_eq(recorded.last->image.plan, plan);
        ck_assert_ptr_eq(given->body, plan->body);
        ck_assert_uint_eq(given->lanes, asked->lanes);
        ck_assert_uint_eq(given->frames, plan->frames);
        ck_assert_int_eq(memcmp(given->order, asked->order, plan->tasks * sizeof *given->order), 0);
        ck_assert_int_eq(memcmp(given->lane, asked->lane, plan->tasks * sizeof *given->lane), 0);
        OK(weir_plan_check(given));
        run_frames(exec, 2); /* by the plan itself */
        ck_assert_uint_eq(recorded.last->frames.at[1].reached, plan->tasks);
        weir_exec_destroy(exec);
        weir_plan_destroy(plan);
        weir_plan_destroy(asked);
        weir_runtime_destroy(runtime);
        sketch_finish(&s);
    }
}
END_TEST

START_TEST(replay_lanes_are_made_only_for_who_looks_at_them)
{
    running r = run_chain("recording", 1, NULL);
    ck_assert_ptr_null(r.program->image.replay_lanes);
    stop(&r);
    r = run_chain("bare", 1, &(weir_exec_options){.replay_lanes = 4});
    ck_assert_ptr_null(r.program->image.replay_lanes);
    stop(&r);
}
END_TEST

START_TEST(too_many_replay_lanes_are_refused)
{
    static const char *const backends[] = {"recording", "bare"};
    for (int i = 0; i < 2; i++) {
        running r = run_chain(backends[i], 1, &(weir_exec_options){.replay_lanes = WEIR_LANES_MOST});
        weir_exec *exec = NULL;
        weir_plan *plan = NULL;
        OK(weir_plan_create(r.chain.graph, NULL, &plan));
        REFUSED(WEIR_ERR_INVALID, weir_exec_create(r.runtime, plan, &(weir_exec_options){.replay_lanes = WEIR_LANES_MOST + 1}, &exec), "1025");
        ck_assert_ptr_null(exec);
        weir_plan_destroy(plan);
        stop(&r);
    }
}
END_TEST

START_TEST(runtimes_switches_reach_the_backend)
{
    weir_runtime *runtime = NULL;
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "recording", .workers = 3, .lanes_max = 5}, &runtime));
    ck_assert_uint_eq(recorded.opened.workers, 3);
    ck_assert_uint_eq(recorded.opened.lanes, 5);
    ck_assert(!recorded.opened.debug && !recorded.opened.shuffle);
    ck_assert_str_eq(weir_runtime_backend(runtime), "recording");
    weir_runtime_destroy(runtime);
    setenv("WEIR_DEBUG", "1", 1);
    setenv("WEIR_LANES", "6", 1);
    setenv("WEIR_BACKEND", "bare", 1);
    running r = run_chain("recording", 1, NULL);
    ck_assert_str_eq(weir_runtime_backend(r.runtime), "bare");
    ck_assert(recorded.opened.debug);
    ck_assert_uint_eq(recorded.opened.lanes, 6);
    ck_assert(r.program->image.reports.task_ran != NULL);
    stop(&r);
    no_environment();
    r = run_chain("recording", 1, NULL);
    ck_assert(r.program->image.reports.task_ran == NULL);
    stop(&r);
}
END_TEST

/* The values as the params were created with, each where the tasks' passes say, also when other execs have set others. */
/* A loop that has a branch twice, whose body is passed a ring, a param, a value and a plain buffer; it meets them in another order than the graph. */
typedef struct {
    weir_buffer *ring, *word, *plain;
    weir_param *unused, *param;
    weir_graph *graph, *body, *branch;
    weir_task loop;
} nest;

static void nest_make(nest *n)
{
    static const weir_kernel kernel = {.name = "kernel"};
    const uint32_t zero = 0;
    const weir_shape one = {.grid = {1}};
    n->ring = numbers("ring", 1, 3, WEIR_DEVICE);
    n->word = numbers("word", 1, 1, WEIR_DEVICE);
    n->plain = numbers("plain", 1, 1, WEIR_DEVICE);
    OK(weir_param_create("unused", &zero, sizeof zero, &n->unused));
    OK(weir_param_create("param", &zero, sizeof zero, &n->param));
    n->graph = graph_make("nest");
    n->body = graph_make("body");
    n->branch = graph_make("branch");
    weir_add_kernel(n->branch, &kernel, one, WEIR_ARGS(WEIR_PREVIOUS(n->ring, 2), WEIR_PARAM(n->param), weir_hidden(WEIR_READ(n->word)), WEIR_VALUE(zero), WEIR_READ(n->plain)));
    weir_add_switch(n->body, "switch", n->word, (const weir_graph *const[]){n->branch, n->branch}, 2);
    weir_add_kernel(n->body, &kernel, one, WEIR_ARGS(WEIR_READ_WRITE(n->word)));
    weir_add_kernel(n->graph, &kernel, one, WEIR_ARGS(WEIR_WRITE(n->word), WEIR_PARAM(n->unused), WEIR_READ(n->plain)));
    weir_add_kernel(n->graph, &kernel, one, WEIR_ARGS(WEIR_WRITE(n->ring)));
    n->loop = weir_add_while(n->graph, "loop", n->body, n->word, 9);
    OK(weir_graph_status(n->graph));
}

static void nest_finish(nest *n)
{
    weir_graph_destroy(n->graph);
    weir_graph_destroy(n->body);
    weir_graph_destroy(n->branch);
    weir_buffer_destroy(n->ring);
    weir_buffer_destroy(n->word);
    weir_buffer_destroy(n->plain);
    weir_param_destroy(n->unused);
    weir_param_destroy(n->param);
}

static void same_pass(const weir_pass *a, const weir_pass *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_uint_eq(a->index, b->index);
    ck_assert_ptr_eq(a->address, b->address);
}

START_TEST(bodies_have_images_with_the_graphs_rings_and_params)
{
    nest n;
    nest_make(&n);
    weir_runtime *runtime = runtime_on("recording");
    weir_exec *exec = exec_make(runtime, n.graph, 1);
    const weir_image *image = &recorded.last->image, *body = &image->inner[0], *branch = &body->inner[0];
    ck_assert_ptr_eq(body->plan, image->plan->inner[0]);
    ck_assert_ptr_eq(branch->plan, body->plan->inner[0]);
    ck_assert_ptr_eq(body->inner[1].pass, branch->pass); /* the same body */
    ck_assert_ptr_eq(branch->rings, image->rings);
    ck_assert_uint_eq(branch->ring_count, 1);
    ck_assert_ptr_eq(branch->params, image->params);
    ck_assert_uint_eq(branch->param_bytes, image->param_bytes);
    const weir_pass *outer = image->pass;
    const uint32_t *first = image->pass_first;
    ck_assert_uint_eq(first[3] - first[2], 1); /* the loop: its word */
    same_pass(&outer[first[2]], &outer[first[0]]);
    ck_assert_uint_eq(body->pass_first[1], 1);
    same_pass(&body->pass[0], &outer[first[0]]);
    same_pass(&body->pass[1], &outer[first[0]]);
    ck_assert_uint_eq(branch->pass_first[1], 4);
    ck_assert_int_eq(branch->pass[0].kind, WEIR_PASS_RING);
    ck_assert_uint_eq(branch->pass[0].index, outer[first[1]].index);
    ck_assert_uint_eq(branch->pass[0].back, 2);
    ck_assert_int_eq(branch->pass[1].kind, WEIR_PASS_PARAM);
    ck_assert_uint_ne(branch->pass[1].index, outer[first[0] + 1].index);
    ck_assert_int_eq(branch->pass[2].kind, WEIR_PASS_FIXED);
    same_pass(&branch->pass[3], &outer[first[0] + 2]);
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    nest_finish(&n);
}
END_TEST

/* What a backend that decides by the word passes on as it is. */
START_TEST(decisions_are_told_apart_and_are_the_same_in_each_frame)
{
    static const weir_kernel kernel = {.name = "kernel"};
    static const weir_decision nothing = {.kind = WEIR_DECISION_NONE};
    weir_buffer *word = numbers("word", 1, 1, WEIR_DEVICE);
    weir_graph *graph = graph_make("graph"), *body = graph_make("body");
    weir_add_kernel(body, &kernel, (weir_shape){.grid = {1}}, WEIR_ARGS(WEIR_READ_WRITE(word), WEIR_DECISION));
    weir_add_while(graph, "loop", body, word, 9);
    weir_runtime *runtime = runtime_on("recording");
    weir_exec *exec = exec_make(runtime, graph, 1);
    const weir_image *inner = &recorded.last->image.inner[0];
    ck_assert_uint_eq(inner->pass_first[1], 2);
    ck_assert_int_eq(inner->pass[0].kind, WEIR_PASS_FIXED);
    ck_assert_int_eq(inner->pass[1].kind, WEIR_PASS_DECISION);
    ck_assert(weir_task_is_fixed(inner, 0));
    ck_assert_mem_eq(weir_pass_address(inner, &inner->pass[1], &(weir_frame_values){.number = 0}), &nothing, sizeof nothing);
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
    weir_buffer_destroy(word);
}
END_TEST

START_TEST(iterations_are_what_the_backend_left)
{
    nest n;
    nest_make(&n);
    weir_runtime *runtime = runtime_on("recording");
    weir_exec *plain = exec_make(runtime, n.branch, 1);
    ck_assert_ptr_null(recorded.last->image.rounds); /* no loop */
    weir_exec_destroy(plain);
    plain = exec_make(runtime, n.body, 1);
    ck_assert_ptr_null(recorded.last->image.rounds); /* a branch is none */
    weir_exec_destroy(plain);
    weir_exec *exec = exec_make(runtime, n.graph, 2);
    const weir_image *image = &recorded.last->image;
    const uint32_t tasks = image->plan->tasks, loop = n.loop.number - 1;
    weir_ticket tickets[4];
    uint32_t count = 77;
    for (uint32_t f = 0; f < 4; f++) {
        OK(weir_exec_enable(exec, n.loop, f != 2));
        tickets[f] = submit(exec);
        OK(weir_exec_wait(exec, tickets[f], -1));
        image->rounds[f % 2 * tasks + loop] = f + 5;
    }
    OK(weir_exec_iterations(exec, tickets[3], n.loop, &count));
    ck_assert_uint_eq(count, 8);
    OK(weir_exec_iterations(exec, tickets[2], n.loop, &count));
    ck_assert_uint_eq(count, 0); /* it was off, whatever stands there */
    REFUSED(WEIR_ERR_STATE, weir_exec_iterations(exec, tickets[1], n.loop, &count), "too long ago");
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    nest_finish(&n);
}
END_TEST

START_TEST(image_has_the_first_values_of_params)
{
    uint32_t small = 7;
    double large[3] = {1, 2, 3};
    weir_param *one = NULL, *other = NULL;
    OK(weir_param_create("one", &small, sizeof small, &one));
    OK(weir_param_create("other", large, sizeof large, &other));
    weir_runtime *runtime = runtime_on("recording");
    weir_graph *graph = graph_make("params");
    weir_add_host(graph, "first", do_nothing, NULL, WEIR_ARGS(WEIR_PARAM(one), WEIR_PARAM(other)));
    weir_add_host(graph, "second", do_nothing, NULL, WEIR_ARGS(WEIR_PARAM(other)));
    for (int i = 0; i < 2; i++) {
        weir_exec *exec = exec_make(runtime, graph, 1);
        const weir_image *image = &recorded.last->image;
        ck_assert_uint_eq(image->pass_first[2], 3);
        for (uint32_t p = 0; p < 3; p++) {
            const weir_pass *pass = &image->pass[p];
            ck_assert_int_eq(pass->kind, WEIR_PASS_PARAM);
            size_t bytes = p == 0 ? sizeof small : sizeof large;
            ck_assert_uint_le(pass->index + bytes, image->param_bytes);
            ck_assert_int_eq(memcmp(image->params + pass->index, p == 0 ? (const void *)&small : large, bytes), 0);
        }
        ck_assert_uint_eq(image->pass[1].index, image->pass[2].index);
        uint32_t changed = 8;
        OK(weir_exec_set(exec, one, &changed));
        run_frames(exec, 2);
        weir_exec_destroy(exec);
    }
    weir_graph_destroy(graph);
    weir_param_destroy(one);
    weir_param_destroy(other);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(spans_are_for_timed_execs_alone)
{
    running r = run_chain("recording", 2, NULL);
    ck_assert_ptr_null(r.program->image.spans);
    stop(&r);
    r = run_chain("recording", 2, &(weir_exec_options){.timing = 1});
    ck_assert_ptr_nonnull(r.program->image.spans);
    run_frames(r.exec, 3); /* with no time told: the tasks are said not to have run */
    double start, end;
    ck_assert_int_eq(weir_exec_task_time(r.exec, (weir_ticket){3}, r.chain.task[0], &start, &end), WEIR_ERR_STATE);
    stop(&r);
}
END_TEST

/* ---- rings ---- */

static uint32_t ring_at(const weir_program *program, uint32_t frame, uint32_t ring)
{
    return program->ring_at.at[program->frames.at[frame].ring_first + ring];
}

/* What a program is told of its one ring, and where its frames then find it. */
static void check_ring(const weir_program *program, uint32_t count, uint32_t next, bool moves)
{
    ck_assert_uint_eq(program->image.ring_count, 1);
    const weir_ring *ring = &program->image.rings[0];
    ck_assert_uint_eq(ring->count, count);
    ck_assert_uint_eq(ring->next, next);
    ck_assert_int_eq(ring->moves, moves);
    for (uint32_t f = 0; f < program->frames.count; f++)
        ck_assert_uint_eq(ring_at(program, f, 0), (next + (moves ? f : 0)) % count);
}

/* Writers and readers of one ring are made after each other has moved it: each is told where it stands. */
START_TEST(rings_stand_where_other_execs_left_them)
{
    enum { COPIES = 5 };
    static const uint32_t frames[] = {1, 3, 4, 7};
    uint32_t moved = 0;
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *ring = numbers("ring", 4, COPIES, WEIR_HOST_OUT);
    weir_graph *writing = graph_writing(ring), *reading = graph_make("reads");
    weir_add_host(reading, "reader", do_nothing, NULL, WEIR_ARGS(WEIR_READ(ring), WEIR_PREVIOUS(ring, 2)));
    for (int i = 0; i < 4; i++) {
        weir_exec *writer = exec_make(runtime, writing, 2);
        run_frames(writer, (int)frames[i]);
        check_ring(recorded.last, COPIES, moved % COPIES, true);
        moved += frames[i];
        weir_exec *reader = exec_make(runtime, reading, 2);
        run_frames(reader, 3);
        check_ring(recorded.last, COPIES, (moved - 1) % COPIES, false); /* the newest, and it stays */
        weir_exec_destroy(reader);
        weir_exec_destroy(writer);
    }
    weir_graph_destroy(writing);
    weir_graph_destroy(reading);
    weir_buffer_destroy(ring);
    weir_runtime_destroy(runtime);
}
END_TEST

/* An exec made before others move the ring on is told where it stood then; each frame is told where it stands. */
START_TEST(each_frame_is_told_where_its_rings_stand)
{
    enum { COPIES = 4 };
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *ring = numbers("ring", 4, COPIES, WEIR_HOST_OUT);
    weir_graph *writing = graph_writing(ring);
    weir_exec *one = exec_make(runtime, writing, 1);
    const weir_program *ones = recorded.last;
    weir_exec *other = exec_make(runtime, writing, 1);
    const weir_program *others = recorded.last;
    uint64_t random = 5;
    for (uint32_t moved = 0; moved < 40; moved++) {
        bool first = weir_random_below(&random, 2);
        const weir_program *program = first ? ones : others;
        run_frames(first ? one : other, 1);
        ck_assert_uint_eq(ring_at(program, program->frames.count - 1, 0), moved % COPIES);
    }
    ck_assert_uint_eq(ones->image.rings[0].next, 0);
    ck_assert_uint_eq(others->image.rings[0].next, 0);
    weir_exec_destroy(one);
    weir_exec_destroy(other);
    weir_graph_destroy(writing);
    weir_buffer_destroy(ring);
    weir_runtime_destroy(runtime);
}
END_TEST

/* A ring that the program writes moves on with each frame of any exec, also where tasks only read it. */
START_TEST(inputs_move_on_with_every_frame)
{
    enum { COPIES = 3 };
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *input = numbers("input", 4, COPIES, WEIR_HOST_IN);
    weir_graph *reading = graph_make("reads");
    weir_add_host(reading, "reader", do_nothing, NULL, WEIR_ARGS(WEIR_READ(input)));
    for (uint32_t moved = 0; moved < 12; moved += 4) {
        weir_exec *exec = exec_make(runtime, reading, 2);
        run_frames(exec, 4);
        check_ring(recorded.last, COPIES, moved % COPIES, true);
        weir_exec_destroy(exec);
    }
    weir_graph_destroy(reading);
    weir_buffer_destroy(input);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(plain_buffers_are_no_rings)
{
    weir_runtime *runtime = runtime_on("recording");
    weir_buffer *plain = numbers("plain", 4, 1, WEIR_HOST_OUT);
    weir_graph *graph = graph_writing(plain);
    weir_exec *exec = exec_make(runtime, graph, 2);
    ck_assert_uint_eq(recorded.last->image.ring_count, 0);
    run_frames(exec, 2);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(plain);
    weir_runtime_destroy(runtime);
}
END_TEST

/* ---- order between execs ---- */

/* Two execs that write one buffer, and what became of them at the seam. */
typedef struct {
    weir_runtime *runtime;
    weir_buffer *buffer;
    weir_graph *graph;
    weir_exec *one, *other;
    weir_program *ones, *others;
} neighbours;

static neighbours neighbours_make(const char *backend)
{
    neighbours n = {.runtime = runtime_on(backend), .buffer = numbers("shared", 4, 0, WEIR_HOST_OUT)};
    n.graph = graph_writing(n.buffer);
    n.one = exec_make(n.runtime, n.graph, 3);
    n.ones = recorded.last;
    n.other = exec_make(n.runtime, n.graph, 3);
    n.others = recorded.last;
    recording_report(REPORTED_BY_NOBODY);
    return n;
}

static void neighbours_finish(neighbours *n)
{
    weir_exec_destroy(n->one);
    weir_exec_destroy(n->other);
    weir_graph_destroy(n->graph);
    weir_buffer_destroy(n->buffer);
    weir_runtime_destroy(n->runtime);
}

static void check_follow(uint32_t i, const weir_program *program, uint64_t next, const weir_program *other, uint64_t frame)
{
    ck_assert_uint_gt(recorded.follows.count, i);
    const recorded_follow *f = &recorded.follows.at[i];
    ck_assert_ptr_eq(f->program, program);
    ck_assert_ptr_eq(f->other, other);
    ck_assert_uint_eq(f->next, next);
    ck_assert_uint_eq(f->frame, frame);
}

START_TEST(frame_is_held_back_until_frames_it_follows_are_done)
{
    neighbours n = neighbours_make("bare");
    submit(n.one);
    weir_ticket ticket = submit(n.other);
    ck_assert_uint_eq(n.ones->frames.count, 1);
    ck_assert_uint_eq(n.others->frames.count, 0);
    REFUSED(WEIR_WOULD_BLOCK, weir_exec_wait(n.other, ticket, 0), "waits for frames of other execs");
    recording_report(REPORTED_BY_THREAD);
    OK(weir_exec_wait(n.other, ticket, -1));
    ck_assert_uint_eq(n.others->frames.count, 1);
    neighbours_finish(&n);
}
END_TEST

START_TEST(backend_that_can_follow_gets_the_frame_at_once)
{
    neighbours n = neighbours_make("recording");
    submit(n.one);
    submit(n.one);
    ck_assert_uint_eq(recorded.follows.count, 0); /* its own frames it follows by itself */
    submit(n.other);
    ck_assert_uint_eq(n.others->frames.count, 1);
    ck_assert_uint_eq(recorded.follows.count, 1);
    check_follow(0, n.others, 0, n.ones, 1);
    weir_ticket last = submit(n.one);
    ck_assert_uint_eq(n.ones->frames.count, 3);
    ck_assert_uint_eq(recorded.follows.count, 2);
    check_follow(1, n.ones, 2, n.others, 0);
    recording_report(REPORTED_BY_THREAD);
    OK(weir_exec_wait(n.one, last, -1));
    OK(weir_runtime_wait(n.runtime, -1));
    submit(n.other); /* what is done need not be followed */
    ck_assert_uint_eq(recorded.follows.count, 2);
    neighbours_finish(&n);
}
END_TEST

START_TEST(readers_of_one_buffer_do_not_follow_each_other)
{
    neighbours n = neighbours_make("recording");
    weir_graph *reading = graph_make("reads");
    weir_add_host(reading, "reader", do_nothing, NULL, WEIR_ARGS(WEIR_READ(n.buffer)));
    weir_exec *reader = exec_make(n.runtime, reading, 1), *beside = exec_make(n.runtime, reading, 1);
    submit(reader);
    submit(beside);
    ck_assert_uint_eq(recorded.follows.count, 0);
    submit(n.one); /* follows both */
    ck_assert_uint_eq(recorded.follows.count, 2);
    recording_report(REPORTED_BY_THREAD);
    OK(weir_runtime_wait(n.runtime, -1));
    weir_exec_destroy(reader);
    weir_exec_destroy(beside);
    weir_graph_destroy(reading);
    neighbours_finish(&n);
}
END_TEST

typedef struct {
    weir_runtime *runtime;
    weir_buffer *buffer;
} reading;

static void *read_first_number(void *user)
{
    const reading *r = user;
    uint32_t value;
    OK(weir_buffer_read(r->runtime, r->buffer, &value, 0, sizeof value));
    return NULL;
}

/* The program's read of one buffer holds back the next frame that writes it. A frame of another exec must follow that one for another buffer's
 * sake, and cannot before it is submitted. */
START_TEST(frame_that_is_held_back_cannot_be_followed)
{
    neighbours n = neighbours_make("recording");
    pthread_t reader;
    weir_buffer *read = numbers("read", 4, 0, WEIR_HOST_OUT);
    weir_graph *both = graph_writing(read);
    weir_add_host(both, "writer too", do_nothing, NULL, WEIR_ARGS(WEIR_WRITE(n.buffer)));
    weir_exec *held = exec_make(n.runtime, both, 2);
    weir_program *helds = recorded.last;
    reading r = {n.runtime, read};
    submit(held);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_first_number, &r), 0);
    while (recording_looks() == 0) /* until it waits for that frame */
        pause_ms(1);
    weir_ticket first = submit(held), second = submit(n.one);
    ck_assert_uint_eq(helds->frames.count, 1);
    ck_assert_uint_eq(n.ones->frames.count, 0);
    ck_assert_uint_eq(recorded.follows.count, 0);
    recording_report(REPORTED_BY_THREAD);
    OK(weir_exec_wait(held, first, -1));
    OK(weir_exec_wait(n.one, second, -1));
    pthread_join(reader, NULL);
    ck_assert_uint_eq(helds->frames.count, 2);
    ck_assert_uint_eq(n.ones->frames.count, 1);
    weir_exec_destroy(held);
    weir_graph_destroy(both);
    weir_buffer_destroy(read);
    neighbours_finish(&n);
}
END_TEST

/* ---- queues and events of the program's own: any addresses ---- */

static char queue, another_queue, events[17];

static weir_frame *begun(weir_exec *exec)
{
    weir_frame *frame = NULL;
    OK(weir_exec_begin(exec, -1, &frame));
    return frame;
}

static weir_ticket submit_on(weir_exec *exec, void *on)
{
    weir_ticket ticket = {0};
    OK(weir_frame_submit_on_queue(begun(exec), on, &ticket));
    return ticket;
}

static void check_foreign_of(const weir_program *program, uint32_t frame, const void *on, uint32_t first_event, uint32_t event_count)
{
    ck_assert_uint_gt(program->frames.count, frame);
    const recorded_frame *f = &program->frames.at[frame];
    ck_assert_ptr_eq(f->queue, on);
    ck_assert_uint_eq(f->event_count, event_count);
    for (uint32_t i = 0; i < event_count; i++)
        ck_assert_ptr_eq(program->events.at[f->event_first + i], &events[first_event + i]);
}

START_TEST(queue_and_events_reach_the_backend_with_their_frame_alone)
{
    running r = run_chain("recording", 8, NULL);
    weir_frame *frame = begun(r.exec);
    OK(weir_frame_wait_for(frame, &events[3]));
    OK(weir_frame_wait_for(frame, &events[4]));
    OK(weir_frame_submit_on_queue(frame, &queue, NULL));
    submit(r.exec);
    frame = begun(r.exec);
    OK(weir_frame_wait_for(frame, &events[7]));
    OK(weir_frame_submit(frame, NULL));
    frame = begun(r.exec);
    OK(weir_frame_wait_for(frame, &events[1]));
    weir_frame_drop(frame);
    OK(weir_exec_wait(r.exec, submit_on(r.exec, &another_queue), -1));
    check_foreign_of(r.program, 0, &queue, 3, 2);
    check_foreign_of(r.program, 1, NULL, 0, 0);
    check_foreign_of(r.program, 2, NULL, 7, 1);
    check_foreign_of(r.program, 3, &another_queue, 0, 0);
    stop(&r);
}
END_TEST

START_TEST(frame_waits_for_sixteen_events_at_most)
{
    running r = run_chain("recording", 2, NULL);
    weir_frame *frame = begun(r.exec);
    for (int i = 0; i < 16; i++)
        OK(weir_frame_wait_for(frame, &events[i]));
    REFUSED(WEIR_ERR_INVALID, weir_frame_wait_for(frame, &events[16]), "16 events at most");
    OK(weir_frame_submit(frame, NULL));
    OK(weir_runtime_wait(r.runtime, -1));
    check_foreign_of(r.program, 0, NULL, 0, 16);
    stop(&r);
}
END_TEST

START_TEST(end_of_a_frame_in_flight_and_of_one_that_is_done_is_recorded)
{
    running r = run_chain("recording", 2, NULL);
    recording_report(REPORTED_BY_NOBODY);
    submit(r.exec);
    weir_ticket second = submit(r.exec);
    OK(weir_exec_record_end_in(r.exec, second, &events[0]));
    recording_report(REPORTED_BY_THREAD);
    OK(weir_exec_wait(r.exec, second, -1));
    OK(weir_exec_record_end_in(r.exec, (weir_ticket){1}, &events[1]));
    ck_assert_uint_eq(recorded.ends.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const recorded_end *end = &recorded.ends.at[i];
        ck_assert_ptr_eq(end->program, r.program);
        ck_assert_uint_eq(end->frame, 1 - i);
        ck_assert_ptr_eq(end->event, &events[i]);
        ck_assert_int_eq(end->done, i == 1);
    }
    stop(&r);
}
END_TEST

START_TEST(what_cannot_be_waited_for_or_recorded_is_refused)
{
    running r = run_chain("recording", 2, NULL);
    weir_frame *frame = begun(r.exec);
    recorded.refuse = &events[0];
    REFUSED(WEIR_ERR_STATE, weir_frame_wait_for(frame, &events[0]), "nobody can wait for it");
    REFUSED(WEIR_ERR_INVALID, weir_frame_wait_for(frame, NULL), "NULL argument");
    REFUSED(WEIR_ERR_INVALID, weir_frame_wait_for(NULL, &events[1]), "NULL argument");
    OK(weir_frame_wait_for(frame, &events[1]));
    recorded.refuse = &events[1]; /* it was recorded elsewhere since */
    REFUSED(WEIR_ERR_STATE, weir_frame_submit(frame, NULL), "nobody can wait for it");
    recorded.refuse = &queue;
    REFUSED(WEIR_ERR_STATE, weir_frame_submit_on_queue(begun(r.exec), &queue, NULL), "nobody can wait for it");
    REFUSED(WEIR_ERR_INVALID, weir_frame_submit_on_queue(begun(r.exec), NULL, NULL), "queue is NULL");
    REFUSED(WEIR_ERR_INVALID, weir_frame_submit_on_queue(NULL, &queue, NULL), "frame is NULL");
    ck_assert_uint_eq(r.program->frames.count, 0); /* and no frame is open: */
    frame = begun(r.exec);
    OK(weir_frame_submit(frame, NULL));
    REFUSED(WEIR_ERR_STATE, weir_frame_submit_on_queue(frame, &another_queue, NULL), "submitted already");
    REFUSED(WEIR_ERR_STATE, weir_frame_wait_for(frame, &events[2]), "submitted already");
    recorded.refuse = &events[0];
    REFUSED(WEIR_ERR_INVALID, weir_exec_record_end_in(r.exec, (weir_ticket){1}, &events[0]), "no event");
    REFUSED(WEIR_ERR_INVALID, weir_exec_record_end_in(r.exec, (weir_ticket){2}, &events[1]), "no frame with ticket 2");
    REFUSED(WEIR_ERR_INVALID, weir_exec_record_end_in(r.exec, (weir_ticket){0}, &events[1]), "no frame with ticket 0");
    REFUSED(WEIR_ERR_INVALID, weir_exec_record_end_in(r.exec, (weir_ticket){1}, NULL), "NULL argument");
    REFUSED(WEIR_ERR_INVALID, weir_exec_record_end_in(NULL, (weir_ticket){1}, &events[1]), "NULL argument");
    OK(weir_runtime_wait(r.runtime, -1));
    stop(&r);
}
END_TEST

START_TEST(backend_without_queues_says_so)
{
    running r = run_chain("bare", 2, NULL);
    weir_frame *frame = begun(r.exec);
    REFUSED(WEIR_ERR_BACKEND, weir_frame_wait_for(frame, &events[0]), "backend 'bare' has no queues");
    REFUSED(WEIR_ERR_BACKEND, weir_frame_submit_on_queue(frame, &queue, NULL), "backend 'bare' has no queues");
    weir_ticket ticket = submit(r.exec);
    REFUSED(WEIR_ERR_BACKEND, weir_exec_record_end_in(r.exec, ticket, &events[0]), "backend 'bare' has no queues");
    OK(weir_exec_wait(r.exec, ticket, -1));
    stop(&r);
}
END_TEST

typedef struct {
    weir_exec *exec;
    weir_ticket ticket;
    pthread_t thread;
} submitting;

static void *submit_on_queue_after_event(void *user)
{
    submitting *s = user;
    weir_frame *frame = begun(s->exec);
    OK(weir_frame_wait_for(frame, &events[5]));
    OK(weir_frame_submit_on_queue(frame, &queue, &s->ticket));
    return NULL;
}

static void *record_end_of_second(void *user)
{
    OK(weir_exec_record_end_in(user, (weir_ticket){2}, &events[9]));
    return NULL;
}

/* The program's read holds back a frame on a queue. Its thread waits, and is the one that gives it to the backend, as it was. Who asks for the
 * end of that frame waits too; and a frame that follows it comes after it. */
START_TEST(frame_on_a_queue_that_is_held_back_is_given_by_its_own_thread)
{
    neighbours n = neighbours_make("recording");
    pthread_t reader, recorder;
    reading r = {n.runtime, n.buffer};
    submitting s = {.exec = n.one};
    submit(n.one);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_first_number, &r), 0);
    while (recording_looks() == 0)
        pause_ms(1);
    ck_assert_int_eq(pthread_create(&s.thread, NULL, submit_on_queue_after_event, &s), 0);
    weir_frame *next = NULL;
    for (weir_ticket second = {2}; weir_exec_wait(n.one, second, 0) == WEIR_ERR_INVALID;) /* until it is submitted */
        pause_ms(1);
    OK(weir_exec_begin(n.one, -1, &next));
    OK(weir_frame_wait_for(next, &events[6]));
    ck_assert_int_eq(pthread_create(&recorder, NULL, record_end_of_second, n.one), 0);
    weir_ticket follower = submit(n.other);
    ck_assert_uint_eq(n.ones->frames.count, 1);
    ck_assert_uint_eq(n.others->frames.count, 0);
    recording_report(REPORTED_BY_THREAD);
    OK(weir_exec_wait(n.other, follower, -1));
    pthread_join(reader, NULL);
    pthread_join(s.thread, NULL);
    pthread_join(recorder, NULL);
    check_foreign_of(n.ones, 1, &queue, 5, 1);
    ck_assert(pthread_equal(n.ones->frames.at[1].submitter, s.thread));
    ck_assert_uint_eq(s.ticket.number, 2);
    ck_assert_uint_eq(recorded.ends.count, 1);
    ck_assert_uint_eq(recorded.ends.at[0].frame, 1);
    OK(weir_frame_submit(next, NULL));
    OK(weir_runtime_wait(n.runtime, -1));
    check_foreign_of(n.ones, 2, NULL, 6, 1);
    neighbours_finish(&n);
}
END_TEST

START_TEST(debugging_waits_for_frames_on_queues_and_for_ends)
{
    setenv("WEIR_DEBUG", "1", 1);
    running r = run_chain("recording", 2, NULL);
    for (uint32_t i = 0; i < 20; i++) {
        OK(weir_exec_wait(r.exec, submit_on(r.exec, &queue), 0));
        OK(weir_exec_record_end_in(r.exec, submit(r.exec), &events[0]));
        ck_assert(recorded.ends.at[i].done);
    }
    stop(&r);
    unsetenv("WEIR_DEBUG");
}
END_TEST

/* ---- names ---- */

START_TEST(first_backend_that_is_there_is_taken)
{
    weir_runtime *runtime = runtime_on("auto");
    ck_assert_str_eq(weir_runtime_backend(runtime), "recording");
    ck_assert_uint_eq(weir_runtime_lanes(runtime), 8);
    weir_runtime_destroy(runtime);
    REFUSED(WEIR_ERR_INVALID, weir_runtime_create(&(weir_runtime_options){.backend = "host"}, &runtime), "auto, recording, bare, cuda");
    REFUSED(WEIR_ERR_BACKEND, weir_runtime_create(&(weir_runtime_options){.backend = "cuda"}, &runtime), "this library was built without it");
}
END_TEST

static void add_cases(Suite *suite, const char *name, const TTest *const *tests, size_t count)
{
    TCase *cases = tcase_create(name);
    tcase_add_checked_fixture(cases, set_up, tear_down);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(cases, tests[i]);
    suite_add_tcase(suite, cases);
}

#define ADD(suite, name, ...)                                                                                                              \
    add_cases(suite, name, (const TTest *const[]){__VA_ARGS__}, sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *))

int main(void)
{
    Suite *suite = suite_create("backend/recording/seam");
    ADD(suite, "adopted memory", each_adopted_copy_is_adopted_once_and_abandoned_once, runtime_that_ends_first_abandons, runtimes_adopt_each_for_itself,
        refusal_names_buffer_and_task_and_abandons_what_was_adopted, backend_without_adopt_takes_any_memory, memory_of_weirs_own_is_not_adopted);
    ADD(suite, "looking", waiter_looks_and_ends_its_own_wait, whoever_waits_looks, who_looks_in_vain_is_told_by_the_backends_threads, several_look_at_once,
        nobody_looks_while_a_callback_is_set, callback_taken_away_lets_look_again, backend_without_look_is_waited_for);
    ADD(suite, "failures", fault_of_one_task_fails_its_frame_and_names_it, fault_of_whom_nobody_knows_has_no_culprit,
        failure_of_a_tasks_own_code_says_so, earlier_frames_failure_wins_whoever_is_told_first, two_faults_are_told_by_the_earlier,
        failure_stops_its_exec_alone, callback_hears_of_a_fault);
    ADD(suite, "images", stats_say_what_the_backend_says, copies_and_launches_bind_a_device, copies_bind_nothing_where_there_is_no_device,
        backend_without_info_is_eager, image_has_the_mode_that_was_asked_for, environments_mode_wins,
        replay_lanes_are_a_plan_of_the_same_graph, replay_lanes_are_made_only_for_who_looks_at_them, too_many_replay_lanes_are_refused,
        runtimes_switches_reach_the_backend, image_has_the_first_values_of_params, spans_are_for_timed_execs_alone,
        bodies_have_images_with_the_graphs_rings_and_params, decisions_are_told_apart_and_are_the_same_in_each_frame,
        iterations_are_what_the_backend_left);
    ADD(suite, "rings", rings_stand_where_other_execs_left_them, each_frame_is_told_where_its_rings_stand, inputs_move_on_with_every_frame,
        plain_buffers_are_no_rings);
    ADD(suite, "between", frame_is_held_back_until_frames_it_follows_are_done, backend_that_can_follow_gets_the_frame_at_once,
        readers_of_one_buffer_do_not_follow_each_other, frame_that_is_held_back_cannot_be_followed, first_backend_that_is_there_is_taken);
    ADD(suite, "foreign", queue_and_events_reach_the_backend_with_their_frame_alone, frame_waits_for_sixteen_events_at_most,
        end_of_a_frame_in_flight_and_of_one_that_is_done_is_recorded, what_cannot_be_waited_for_or_recorded_is_refused, backend_without_queues_says_so,
        frame_on_a_queue_that_is_held_back_is_given_by_its_own_thread, debugging_waits_for_frames_on_queues_and_for_ends);
    return suite_run(suite);
}
