/* storage_test.c - what storage.c promises: the memory of buffers in a runtime, and the program's reading and writing of it. */
#include "run/fixture.h"
#include "util/counting.h"
#include <stdatomic.h>
#include <stdint.h>

static weir_runtime *runtime;
static gate stop;

static void set_up(void)
{
    no_environment();
    gate_init(&stop);
    runtime = runtime_make(2);
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
    gate_finish(&stop);
}

/* An exec of one task that touches `arg`. */
static weir_exec *exec_that(weir_runtime *of, weir_host_fn *function, void *user, weir_arg arg, uint32_t frames)
{
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "t", function, user, WEIR_ARGS(arg));
    weir_exec *exec = exec_make(of, graph, frames);
    weir_graph_destroy(graph);
    return exec;
}

static weir_status write_next(void *user, void *const *args)
{
    WEIR_PASSED(uint32_t *, args, 0)[0] = (uint32_t)++ * (int *)user;
    return WEIR_OK;
}

START_TEST(there_is_no_memory_before_the_first_exec)
{
    weir_buffer *b = numbers("early", 4, 1, WEIR_HOST_LOCAL);
    uint32_t value = 1;
    REFUSED(WEIR_ERR_STATE, weir_buffer_write(runtime, b, &value, 0, sizeof value),
            "buffer 'early' has no memory in this runtime before the first exec");
    REFUSED(WEIR_ERR_STATE, weir_buffer_read(runtime, b, &value, 0, sizeof value), "buffer 'early' has no memory");
    weir_runtime *other = runtime_make(1);
    weir_exec *elsewhere = exec_that(other, do_nothing, NULL, WEIR_READ(b), 1);
    ck_assert_int_eq(weir_buffer_read(runtime, b, &value, 0, sizeof value), WEIR_ERR_STATE);
    OK(weir_buffer_read(other, b, &value, 0, sizeof value));
    weir_exec_destroy(elsewhere);
    weir_runtime_destroy(other);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(null_arguments_are_refused)
{
    weir_buffer *b = numbers("b", 4, 1, WEIR_HOST_LOCAL);
    weir_exec *exec = exec_that(runtime, do_nothing, NULL, WEIR_READ(b), 1);
    uint32_t value = 1;
    ck_assert_int_eq(weir_buffer_write(NULL, b, &value, 0, 4), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_write(runtime, NULL, &value, 0, 4), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_write(runtime, b, NULL, 0, 4), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_read(NULL, b, &value, 0, 4), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_read(runtime, NULL, &value, 0, 4), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_read(runtime, b, NULL, 0, 4), WEIR_ERR_INVALID);
    OK(weir_buffer_write(runtime, b, NULL, 16, 0)); /* nothing, at the end */
    OK(weir_buffer_read(runtime, b, NULL, 16, 0));
    weir_exec_destroy(exec);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(bytes_past_the_end_are_refused)
{
    weir_buffer *b = numbers("short", 4, 1, WEIR_HOST_LOCAL);
    weir_exec *exec = exec_that(runtime, do_nothing, NULL, WEIR_READ(b), 1);
    unsigned char bytes[32] = {0};
    REFUSED(WEIR_ERR_INVALID, weir_buffer_write(runtime, b, bytes, 0, 17), "buffer 'short': bytes 0 to 17 are past its end, 16");
    REFUSED(WEIR_ERR_INVALID, weir_buffer_read(runtime, b, bytes, 9, 8), "bytes 9 to 17 are past its end, 16");
    ck_assert_int_eq(weir_buffer_read(runtime, b, bytes, 17, 0), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_read(runtime, b, bytes, SIZE_MAX, 2), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_write(runtime, b, bytes, 2, SIZE_MAX), WEIR_ERR_INVALID);
    OK(weir_buffer_write(runtime, b, bytes, 12, 4));
    weir_exec_destroy(exec);
    weir_buffer_destroy(b);
}
END_TEST

static weir_status check_zero(void *user, void *const *args)
{
    const unsigned char *bytes = WEIR_PASSED(const unsigned char *, args, 0);
    for (int i = 0; i < 4000; i++)
        *(int *)user += bytes[i] != 0;
    *(int *)user += (uintptr_t)bytes % 64 != 0;
    return WEIR_OK;
}

static void *dirty(void *memory, size_t bytes)
{
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    void *moved = realloc(memory, bytes);
    if (moved && !memory)
        memset(moved, 0xcd, bytes);
    return moved;
}

START_TEST(memory_begins_zeroed_and_on_a_cache_line)
{
    weir_set_allocator(dirty);
    weir_runtime *own = runtime_make(1);
    weir_buffer *b = numbers("b", 1000, 3, WEIR_HOST_LOCAL);
    int wrong = 0;
    weir_graph *graph = graph_make("g");
    weir_add_host(graph, "this", check_zero, &wrong, WEIR_ARGS(WEIR_READ(b)));
    weir_add_host(graph, "one back", check_zero, &wrong, WEIR_ARGS(WEIR_PREVIOUS(b, 1)));
    weir_add_host(graph, "two back", check_zero, &wrong, WEIR_ARGS(WEIR_PREVIOUS(b, 2)));
    weir_exec *exec = exec_with(own, graph, &(weir_plan_options){.lanes = 1}, NULL);
    run_frames(exec, 1);
    ck_assert_int_eq(wrong, 0);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_runtime_destroy(own);
    weir_set_allocator(NULL);
}
END_TEST

START_TEST(what_is_written_is_read)
{
    weir_buffer *b = numbers("b", 4, 1, WEIR_HOST_LOCAL);
    weir_exec *exec = exec_that(runtime, do_nothing, NULL, WEIR_READ(b), 1);
    uint32_t values[4] = {1, 2, 3, 4}, got[4] = {0};
    OK(weir_buffer_write(runtime, b, values, 0, sizeof values));
    OK(weir_buffer_write(runtime, b, &(uint32_t){9}, 8, 4));
    OK(weir_buffer_read(runtime, b, got, 0, sizeof got));
    ck_assert(got[0] == 1 && got[1] == 2 && got[2] == 9 && got[3] == 4);
    got[0] = 0;
    OK(weir_buffer_read(runtime, b, got, 8, 4));
    ck_assert_uint_eq(got[0], 9);
    weir_exec_destroy(exec);
    weir_buffer_destroy(b);
}
END_TEST

typedef struct {
    uint32_t now, before, before_that;
} seen;

static weir_status look(void *user, void *const *args)
{
    *(seen *)user =
        (seen){WEIR_PASSED(const uint32_t *, args, 0)[0], WEIR_PASSED(const uint32_t *, args, 1)[0], WEIR_PASSED(const uint32_t *, args, 2)[0]};
    return WEIR_OK;
}

START_TEST(writing_reaches_every_copy_and_reading_the_newest)
{
    weir_buffer *ring = numbers("ring", 4, 3, WEIR_HOST_LOCAL);
    weir_graph *graph = graph_make("look");
    seen s;
    int written = 0;
    uint32_t value = 50;
    weir_add_host(graph, "look", look, &s, WEIR_ARGS(WEIR_READ(ring), WEIR_PREVIOUS(ring, 1), WEIR_PREVIOUS(ring, 2)));
    weir_exec *looking = exec_make(runtime, graph, 1), *writing = exec_that(runtime, write_next, &written, WEIR_WRITE(ring), 2);
    OK(weir_buffer_write(runtime, ring, &value, 0, sizeof value));
    run_frames(looking, 1);
    ck_assert(s.now == 50 && s.before == 50 && s.before_that == 50);
    for (uint32_t n = 1; n <= 7; n++) {
        run_frames(writing, 1);
        OK(weir_buffer_read(runtime, ring, &value, 0, sizeof value));
        ck_assert_uint_eq(value, n);
    }
    run_frames(looking, 1);
    ck_assert(s.now == 7 && s.before == 6 && s.before_that == 5);
    weir_exec_destroy(looking);
    weir_exec_destroy(writing);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

typedef struct {
    weir_buffer *buffer;
    uint32_t value;
    bool writes;
    weir_status status;
    pthread_mutex_t lock;
    bool done;
} access_thread;

static void *access_buffer(void *argument)
{
    access_thread *a = argument;
    a->status = a->writes ? weir_buffer_write(runtime, a->buffer, &a->value, 0, 4) : weir_buffer_read(runtime, a->buffer, &a->value, 0, 4);
    pthread_mutex_lock(&a->lock);
    a->done = true;
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* True if the access waited for the frame at the gate. */
static bool waits(bool writes, bool task_writes)
{
    weir_buffer *b = numbers("b", 4, 1, WEIR_HOST_LOCAL);
    weir_exec *exec = exec_that(runtime, gate_pass, &stop, task_writes ? WEIR_WRITE(b) : WEIR_READ(b), 1);
    access_thread a = {.buffer = b, .value = 7, .writes = writes};
    pthread_mutex_init(&a.lock, NULL);
    submit(exec);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, access_buffer, &a), 0);
    bool waited = true;
    for (int i = 0; i < 60 && waited; i++) { /* one that does not wait is done at once, or it is so seldom not that many tries fail */
        pause_ms(1);
        pthread_mutex_lock(&a.lock);
        waited = !a.done;
        pthread_mutex_unlock(&a.lock);
    }
    gate_let(&stop, 1);
    pthread_join(thread, NULL);
    ck_assert_int_eq(a.status, WEIR_OK);
    pthread_mutex_destroy(&a.lock);
    weir_exec_destroy(exec);
    weir_buffer_destroy(b);
    return waited;
}

START_TEST(reading_waits_for_writers_and_writing_for_all)
{
    ck_assert(waits(false, true));
    ck_assert(waits(true, true));
    ck_assert(waits(true, false));
    ck_assert(!waits(false, false));
}
END_TEST

typedef struct {
    weir_buffer *ring;
    weir_exec *exec;
    atomic_bool stop;
    int backwards, failed;
} reading;

static void *read_always(void *argument)
{
    reading *r = argument;
    uint32_t last = 0, value = 0;
    while (!atomic_load(&r->stop)) {
        r->failed += weir_buffer_read(runtime, r->ring, &value, 0, sizeof value) != WEIR_OK;
        r->backwards += value < last;
        last = value;
    }
    return NULL;
}

/* The newest copy is that of the last frame that is done, not of one that was submitted meanwhile. */
START_TEST(reading_beside_frames_never_goes_back)
{
    weir_buffer *ring = numbers("ring", 4, 3, WEIR_HOST_LOCAL);
    int written = 0;
    reading r = {.ring = ring};
    atomic_init(&r.stop, false);
    weir_exec *exec = exec_that(runtime, write_next, &written, WEIR_WRITE(ring), 2);
    run_frames(exec, 3);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, read_always, &r), 0);
    for (int i = 0; i < 3000; i++)
        submit(exec);
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
    ck_assert_int_eq(r.failed, 0);
    ck_assert_int_eq(r.backwards, 0);
    weir_exec_destroy(exec);
    weir_buffer_destroy(ring);
}
END_TEST

/* ---- whose memory ---- */

START_TEST(execs_of_a_runtime_share_the_memory)
{
    weir_buffer *b = numbers("b", 4, 1, WEIR_HOST_LOCAL);
    int written = 0;
    uint32_t value = 0;
    weir_exec *first = exec_that(runtime, write_next, &written, WEIR_WRITE(b), 1);
    run_frames(first, 3);
    weir_exec_destroy(first);
    OK(weir_buffer_read(runtime, b, &value, 0, sizeof value)); /* stays as long as the buffer */
    ck_assert_uint_eq(value, 3);
    weir_exec *second = exec_that(runtime, do_nothing, NULL, WEIR_READ(b), 1);
    value = 0;
    OK(weir_buffer_read(runtime, b, &value, 0, sizeof value));
    ck_assert_uint_eq(value, 3);
    weir_exec_destroy(second);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(memory_goes_with_the_last_holder_or_the_runtime)
{
    counting_start(0, 0);
    for (int order = 0; order < 4; order++) {
        weir_runtime *own = runtime_make(1);
        weir_buffer *b = numbers("b", 1000, 2, WEIR_HOST_LOCAL);
        weir_exec *exec = exec_that(own, do_nothing, NULL, WEIR_WRITE(b), 1);
        run_frames(exec, 1);
        if (order == 0) { /* the exec is the last holder */
            weir_buffer_destroy(b);
            weir_exec_destroy(exec);
            weir_runtime_destroy(own);
        } else if (order == 1) { /* the program is */
            weir_exec_destroy(exec);
            long before = atomic_load(&counting_live);
            weir_buffer_destroy(b);
            ck_assert_int_le(atomic_load(&counting_live), before - 4); /* two copies, their list, itself */
            weir_runtime_destroy(own);
        } else if (order == 2) { /* the runtime ends first */
            weir_exec_destroy(exec);
            weir_runtime_destroy(own);
            weir_buffer_destroy(b);
        } else { /* and before the exec */
            weir_runtime_destroy(own);
            weir_exec_destroy(exec);
            weir_buffer_destroy(b);
        }
        ck_assert_msg(atomic_load(&counting_live) == 0, "order %d: %ld allocations are left", order, atomic_load(&counting_live));
    }
    weir_set_allocator(NULL);
}
END_TEST

static void *churn(void *argument)
{
    weir_buffer *b = argument;
    for (int i = 0; i < 40; i++) {
        weir_runtime *own = runtime_make(1);
        weir_exec *exec = exec_that(own, do_nothing, NULL, WEIR_READ(b), 1);
        run_frames(exec, 1);
        if (i % 2) {
            weir_exec_destroy(exec);
            weir_runtime_destroy(own);
        } else {
            weir_runtime_destroy(own);
            weir_exec_destroy(exec);
        }
    }
    return NULL;
}

START_TEST(runtimes_of_several_threads_may_come_and_go_with_one_buffer)
{
    pthread_t threads[3];
    weir_buffer *b = numbers("b", 100, 2, WEIR_HOST_LOCAL);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, b), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(adopted_memory_is_used_as_it_is)
{
    static uint32_t mine[2][4] = {{10, 11, 12, 13}, {20, 21, 22, 23}};
    void *copies[2] = {mine[0], mine[1]};
    weir_buffer *ring =
        buffer_of((weir_buffer_desc){.name = "mine", .element_bytes = 4, .nx = 4, .copies = 2, .place = WEIR_HOST_OUT, .adopted = copies});
    int written = 0;
    weir_exec *exec = exec_that(runtime, write_next, &written, WEIR_WRITE(ring), 1);
    ck_assert(mine[0][0] == 10 && mine[1][0] == 20 && mine[1][3] == 23); /* not zeroed */
    run_frames(exec, 1);
    ck_assert(mine[0][0] == 1 && mine[1][0] == 20);
    run_frames(exec, 1);
    ck_assert(mine[0][0] == 1 && mine[1][0] == 2);
    ck_assert_ptr_eq(weir_exec_data(exec, (weir_ticket){2}, ring), mine[1]);
    OK(weir_buffer_write(runtime, ring, &(uint32_t){77}, 4, 4));
    ck_assert(mine[0][1] == 77 && mine[1][1] == 77);
    weir_exec_destroy(exec);
    weir_buffer_destroy(ring); /* nothing of it is freed: a sanitizer would tell */
    mine[0][0] = 5;
}
END_TEST

START_TEST(tokens_take_no_bytes)
{
    weir_buffer *token = buffer_of((weir_buffer_desc){.name = "token", .copies = 2, .place = WEIR_HOST_LOCAL});
    weir_exec *exec = exec_that(runtime, do_nothing, NULL, weir_hidden(WEIR_WRITE(token)), 2);
    run_frames(exec, 5);
    char byte;
    OK(weir_buffer_read(runtime, token, &byte, 0, 0));
    REFUSED(WEIR_ERR_INVALID, weir_buffer_read(runtime, token, &byte, 0, 1), "past its end, 0");
    weir_exec_destroy(exec);
    weir_buffer_destroy(token);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run/storage");
    TCase *cases = tcase_create("storage");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, there_is_no_memory_before_the_first_exec);
    tcase_add_test(cases, null_arguments_are_refused);
    tcase_add_test(cases, bytes_past_the_end_are_refused);
    tcase_add_test(cases, what_is_written_is_read);
    tcase_add_test(cases, writing_reaches_every_copy_and_reading_the_newest);
    tcase_add_test(cases, reading_waits_for_writers_and_writing_for_all);
    tcase_add_test(cases, reading_beside_frames_never_goes_back);
    tcase_add_test(cases, execs_of_a_runtime_share_the_memory);
    tcase_add_test(cases, runtimes_of_several_threads_may_come_and_go_with_one_buffer);
    tcase_add_test(cases, adopted_memory_is_used_as_it_is);
    tcase_add_test(cases, tokens_take_no_bytes);
    suite_add_tcase(suite, cases);
    TCase *memory = tcase_create("memory"); /* these set an allocator of their own before they make anything */
    tcase_add_test(memory, memory_begins_zeroed_and_on_a_cache_line);
    tcase_add_test(memory, memory_goes_with_the_last_holder_or_the_runtime);
    suite_add_tcase(suite, memory);
    return suite_run(suite);
}
