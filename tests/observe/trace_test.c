/* trace_test.c - what trace.c promises: a file that is JSON, with a row per lane, worker and copy engine, and each task that ran where it
 * belongs. What a device would tell is made up. */
#include "observe/folder.h"
#include "run/fixture.h"
#include "run/runtime.h"
#include "util/clock.h"
#include <ctype.h>

static test_folder folder;

static void set_up(void)
{
    no_environment();
    folder = folder_make();
}

static void tear_down(void)
{
    folder_remove(&folder);
}

/* ---- is it JSON: where the value that begins here ends, or NULL ---- */

static const char *after_space(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
        at++;
    return at;
}

static const char *after_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL; /* its end among them */
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            for (int i = 1; i <= 4; i++)
                if (!isxdigit((unsigned char)at[i]))
                    return NULL;
            at += 4;
        } else if (*at == '\0' || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static const char *after_number(const char *at)
{
    char *end;
    if (*at != '-' && !isdigit((unsigned char)*at))
        return NULL;
    (void)strtod(at, &end);
    return end;
}

static const char *after_value(const char *at, int depth)
{
    at = after_space(at);
    if (depth > 10)
        return NULL;
    if (*at == '"')
        return after_string(at);
    if (*at != '{' && *at != '[')
        return after_number(at);
    char close = *at == '{' ? '}' : ']';
    bool object = *at == '{';
    at = after_space(at + 1);
    if (*at == close)
        return at + 1;
    for (;;) {
        if (object) {
            at = after_string(after_space(at));
            at = at ? after_space(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = after_value(at, depth + 1);
        if (!at)
            return NULL;
        at = after_space(at);
        if (*at == close)
            return at + 1;
        if (*at++ != ',')
            return NULL;
    }
}

/* ---- the events of a trace, one a line ---- */

enum { EVENTS_MOST = 2000 };

typedef struct {
    char phase, name[64], arg_name[64];
    int process, row, frame;
    double start_us, us;
} event;

typedef struct {
    event at[EVENTS_MOST];
    int count;
} events;

static double number_of(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found ? strtod(found + strlen(key), NULL) : -1;
}

static void text_of(const char *line, const char *key, char to[64])
{
    const char *found = strstr(line, key);
    to[0] = '\0';
    if (found)
        sscanf(found + strlen(key), "%63[^\"]", to);
}

static const events *read_trace(const char *name)
{
    static events all;
    char *text = folder_text(&folder, name);
    ck_assert_msg(text != NULL, "%s is not there", name);
    const char *end = after_value(text, 0);
    ck_assert_msg(end && *after_space(end) == '\0', "no JSON: %s", text);
    says(text, "\"traceEvents\":[");
    all.count = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *phase = strstr(line, "{\"ph\":\"");
        if (!phase)
            continue;
        ck_assert_int_lt(all.count, EVENTS_MOST);
        event *e = &all.at[all.count++];
        e->phase = phase[7];
        text_of(line, "\"name\":\"", e->name);
        text_of(line, "\"args\":{\"name\":\"", e->arg_name);
        e->process = (int)number_of(line, "\"pid\":");
        e->row = (int)number_of(line, "\"tid\":");
        e->frame = (int)number_of(line, "\"frame\":");
        e->start_us = number_of(line, "\"ts\":");
        e->us = number_of(line, "\"dur\":");
    }
    free(text);
    return &all;
}

/* Times the task is in a row of this process (0: any but the workers'). */
static int times_in(const events *all, int process, const char *name)
{
    int times = 0;
    for (int i = 0; i < all->count; i++)
        times += all->at[i].phase == 'X' && (process ? all->at[i].process == process : all->at[i].process != 1) &&
                 strcmp(all->at[i].name, name) == 0;
    return times;
}

static bool has_named(const events *all, const char *what, const char *name)
{
    for (int i = 0; i < all->count; i++)
        if (all->at[i].phase == 'M' && strcmp(all->at[i].name, what) == 0 && strcmp(all->at[i].arg_name, name) == 0)
            return true;
    return false;
}

/* A row shows one thing at a time. */
static void rows_do_not_overlap(const events *all)
{
    for (int i = 0; i < all->count; i++)
        for (int j = 0; j < all->count; j++) {
            const event *a = &all->at[i], *b = &all->at[j];
            if (i == j || a->phase != 'X' || b->phase != 'X' || a->process != b->process || a->row != b->row || a->start_us > b->start_us)
                continue;
            ck_assert_msg(a->start_us + a->us <= b->start_us + 0.0015, "%s and %s overlap in row %d of process %d", a->name, b->name,
                          a->row, a->process);
        }
}

static void no_kernel(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    (void)args;
}

static const weir_kernel shared = {.name = "shared", .host = no_kernel};

START_TEST(each_task_stands_in_a_lane_and_in_a_worker)
{
    weir_runtime *runtime = runtime_make(2);
    weir_graph *graph = graph_make("frame graph");
    weir_task a = weir_add_host(graph, "first", do_nothing, NULL, weir_no_args());
    weir_task b = weir_add_host(graph, "left", do_nothing, NULL, weir_no_args());
    weir_task c = weir_add_kernel(graph, &shared, (weir_shape){.grid = {64}}, weir_no_args());
    weir_task off = weir_add_host(graph, "never", do_nothing, NULL, weir_no_args());
    weir_task_set(graph, b, &(weir_task_options){.group = "sides"});
    weir_after(graph, b, a);
    weir_after(graph, c, a);
    weir_after(graph, off, a);
    weir_exec *exec = exec_with(runtime, graph, &(weir_plan_options){.lanes = 2, .frames = 2}, NULL);
    OK(weir_exec_enable(exec, off, 0));
    OK(weir_trace_start(runtime, folder_file(&folder, "trace.json").text));
    ck_assert_ptr_null(folder_text(&folder, "trace.json")); /* not before it is whole */
    run_frames(exec, 5);
    OK(weir_trace_stop(runtime));
    run_frames(exec, 3); /* too late */
    const events *all = read_trace("trace.json");
    ck_assert_int_eq(times_in(all, 0, "first"), 5);
    ck_assert_int_eq(times_in(all, 0, "left"), 5);
    ck_assert_int_eq(times_in(all, 0, "shared"), 5);
    ck_assert_int_eq(times_in(all, 0, "never"), 0);
    ck_assert_int_eq(times_in(all, 1, "first"), 5);
    ck_assert_int_eq(times_in(all, 1, "left"), 5);
    ck_assert_int_gt(times_in(all, 1, "shared"), 5); /* in parts */
    ck_assert(has_named(all, "process_name", "workers"));
    ck_assert(has_named(all, "process_name", "frame graph"));
    ck_assert(has_named(all, "thread_name", "lane 0"));
    ck_assert(has_named(all, "thread_name", "lane 1"));
    ck_assert(has_named(all, "thread_name", "worker 0") || has_named(all, "thread_name", "worker 1"));
    for (int i = 0; i < all->count; i++)
        if (all->at[i].phase == 'X')
            ck_assert(all->at[i].start_us >= 0 && all->at[i].us >= 0 && all->at[i].frame >= 0 && all->at[i].frame < 5);
    rows_do_not_overlap(all);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
}
END_TEST

static void count_down(const weir_blocks *blocks, void *const *args)
{
    (void)blocks;
    --*WEIR_PASSED(uint32_t *, args, 0);
}

static const weir_kernel down = {.name = "down", .host = count_down};

/* However many rounds it takes, and whoever takes part. */
START_TEST(loop_is_one_event)
{
    const uint32_t rounds = 10;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        weir_runtime *runtime = runtime_make(workers);
        weir_graph *graph = graph_make("g"), *body = graph_make("body");
        weir_buffer *word = numbers("word", 1, 1, WEIR_DEVICE);
        weir_add_kernel(body, &shared, (weir_shape){.grid = {64}}, weir_no_args());
        weir_add_kernel(body, &down, (weir_shape){.grid = {1}}, WEIR_ARGS(WEIR_READ_WRITE(word)));
        weir_add_fill(graph, "fill", WEIR_WRITE(word), &rounds, sizeof rounds);
        weir_add_while(graph, "loop", body, word, 100);
        weir_exec *exec = exec_make(runtime, graph, 1);
        OK(weir_trace_start(runtime, folder_file(&folder, "loop.json").text));
        run_frames(exec, 3);
        OK(weir_trace_stop(runtime));
        const events *all = read_trace("loop.json");
        ck_assert_int_eq(times_in(all, 0, "loop"), 3);
        ck_assert_int_eq(times_in(all, 1, "loop"), workers == 1 ? 3 : 0); /* of several it is nobody's own */
        ck_assert_int_eq(times_in(all, 0, "shared") + times_in(all, 1, "shared") + times_in(all, 0, "down") + times_in(all, 1, "down"), 0);
        rows_do_not_overlap(all);
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_graph_destroy(body);
        weir_buffer_destroy(word);
        weir_runtime_destroy(runtime);
    }
}
END_TEST

START_TEST(odd_names_stay_json)
{
    weir_runtime *runtime = runtime_make(1);
    weir_graph *graph = graph_make("g \"quoted\"");
    weir_add_empty(graph, "back\\slash \"and\" quotes");
    weir_add_empty(graph, "tab\tand\x01" "control\nlines");
    weir_add_empty(graph, "r\xc3\xa9gion \xe2\x88\x87p");
    weir_add_empty(graph, "broken \xff\xc3 bytes");
    weir_task t = weir_add_empty(graph, "t");
    weir_task_set(graph, t, &(weir_task_options){.group = "group \"q\""});
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_trace_start(runtime, folder_file(&folder, "trace.json").text));
    run_frames(exec, 1);
    OK(weir_trace_stop(runtime));
    const events *all = read_trace("trace.json");
    ck_assert_int_eq(times_in(all, 0, "r\xc3\xa9gion \xe2\x88\x87p"), 1);
    ck_assert_int_eq(times_in(all, 0, "t"), 1);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(graphs_have_rows_apart)
{
    weir_runtime *runtime = runtime_make(2);
    weir_graph *one = graph_make("one"), *two = graph_make("two");
    weir_add_host(one, "t", do_nothing, NULL, weir_no_args());
    weir_add_host(two, "u", do_nothing, NULL, weir_no_args());
    weir_exec *first = exec_make(runtime, one, 1), *second = exec_make(runtime, two, 1);
    OK(weir_trace_start(runtime, folder_file(&folder, "trace.json").text));
    run_frames(first, 1);
    run_frames(second, 1);
    weir_exec_destroy(first);
    weir_exec_destroy(second);
    weir_graph_destroy(one);
    weir_graph_destroy(two);
    OK(weir_trace_stop(runtime)); /* all that it names is gone */
    const events *all = read_trace("trace.json");
    int of_t = 0, of_u = 0;
    for (int i = 0; i < all->count; i++)
        if (all->at[i].phase == 'X' && all->at[i].process != 1)
            *(all->at[i].name[0] == 't' ? &of_t : &of_u) = all->at[i].process;
    ck_assert(of_t > 1 && of_u > 1 && of_t != of_u);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(one_trace_a_runtime_at_a_time)
{
    weir_runtime *runtime = runtime_make(1), *other = runtime_make(1);
    test_path first = folder_file(&folder, "first.json"), second = folder_file(&folder, "second.json");
    REFUSED(WEIR_ERR_STATE, weir_trace_stop(runtime), "not being traced");
    OK(weir_trace_start(runtime, first.text));
    REFUSED(WEIR_ERR_STATE, weir_trace_start(runtime, second.text), "being traced already");
    OK(weir_trace_start(other, second.text));
    OK(weir_trace_stop(other));
    OK(weir_trace_stop(runtime));
    ck_assert_int_eq(weir_trace_stop(runtime), WEIR_ERR_STATE);
    (void)read_trace("first.json"); /* without a single task it is JSON too */
    OK(weir_trace_start(runtime, second.text));
    OK(weir_trace_stop(runtime));
    weir_runtime_destroy(runtime);
    weir_runtime_destroy(other);
}
END_TEST

START_TEST(trace_that_cannot_be_written_is_refused)
{
    weir_runtime *runtime = runtime_make(1);
    REFUSED(WEIR_ERR_IO, weir_trace_start(runtime, "/no/such/folder/trace.json"), "/no/such/folder/trace.json");
    ck_assert_int_eq(weir_trace_start(NULL, "trace.json"), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_trace_start(runtime, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_trace_stop(NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_trace_stop(runtime), WEIR_ERR_STATE);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(runtimes_end_ends_its_trace)
{
    weir_runtime *runtime = runtime_make(1);
    weir_graph *graph = graph_make("g");
    weir_add_empty(graph, "t");
    weir_exec *exec = exec_make(runtime, graph, 1);
    OK(weir_trace_start(runtime, folder_file(&folder, "trace.json").text));
    run_frames(exec, 2);
    weir_runtime_destroy(runtime);
    ck_assert_int_eq(times_in(read_trace("trace.json"), 0, "t"), 2);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(environment_traces_each_runtime_to_a_file_of_its_own)
{
    weir_graph *graph = graph_make("g");
    weir_add_empty(graph, "t");
    setenv("WEIR_TRACE", folder_file(&folder, "run.json").text, 1);
    for (int i = 0; i < 2; i++) {
        weir_runtime *runtime = runtime_make(1);
        weir_exec *exec = exec_make(runtime, graph, 1);
        run_frames(exec, i + 1);
        weir_exec_destroy(exec);
        weir_runtime_destroy(runtime);
    }
    ck_assert_int_eq(times_in(read_trace("run.json"), 0, "t"), 1);
    ck_assert_int_eq(times_in(read_trace("run-2.json"), 0, "t"), 2);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- what a device tells ---- */

enum { ENGINES = 1000000, NO_WORKER = -1 };

typedef struct {
    const char *task;
    int lane, worker;
    weir_trace_engine engine;
    int64_t from, to; /* ns after the trace's start */
} told;

static void tell(weir_runtime *runtime, int64_t start_ns, const char *graph, told what)
{
    weir_tracer *tracer = atomic_load(&runtime->tracer);
    weir_trace_event told_of = {.graph = graph,
                                .task = what.task,
                                .kind = what.engine == WEIR_ENGINE_NONE ? "kernel" : "copy",
                                .frame = 3,
                                .lane = (uint32_t)what.lane,
                                .worker = what.worker == NO_WORKER ? UINT32_MAX : (uint32_t)what.worker,
                                .engine = what.engine,
                                .span = {start_ns + what.from, start_ns + what.to}};
    tracer->event(tracer, &told_of);
}

static const events *trace_of_told(const told *what, size_t count)
{
    weir_runtime *runtime = runtime_make(1);
    OK(weir_trace_start(runtime, folder_file(&folder, "trace.json").text));
    int64_t now = weir_clock_ns();
    for (size_t i = 0; i < count; i++)
        tell(runtime, now, "g", what[i]);
    OK(weir_trace_stop(runtime));
    weir_runtime_destroy(runtime);
    return read_trace("trace.json");
}

/* The name of the row in which the task is in that process (0: any graph's). It must be there once. */
static const char *row_of(const events *all, int process, const char *task)
{
    const event *found = NULL;
    for (int i = 0; i < all->count; i++) {
        const event *e = &all->at[i];
        bool meant = process ? e->process == process : e->process != 1 && e->process != ENGINES;
        if (e->phase != 'X' || !meant || strcmp(e->name, task) != 0)
            continue;
        ck_assert_msg(!found, "%s is there twice", task);
        found = e;
    }
    ck_assert_msg(found != NULL, "%s is not there", task);
    for (int i = 0; i < all->count; i++)
        if (all->at[i].phase == 'M' && strcmp(all->at[i].name, "thread_name") == 0 && all->at[i].process == found->process &&
            all->at[i].row == found->row)
            return all->at[i].arg_name;
    ck_abort_msg("the row of %s has no name", task);
}

START_TEST(devices_tasks_have_no_worker_and_its_copies_an_engine)
{
    static const told what[] = {{"up", 0, NO_WORKER, WEIR_ENGINE_TO_DEVICE, 10, 20},
                                {"kernel", 1, NO_WORKER, WEIR_ENGINE_NONE, 20, 30},
                                {"host task", 1, 0, WEIR_ENGINE_NONE, 30, 40},
                                {"down", 0, NO_WORKER, WEIR_ENGINE_TO_HOST, 40, 50}};
    const events *all = trace_of_told(what, sizeof what / sizeof what[0]);
    ck_assert_str_eq(row_of(all, 0, "up"), "lane 0");
    ck_assert_str_eq(row_of(all, 0, "kernel"), "lane 1");
    ck_assert_str_eq(row_of(all, 0, "host task"), "lane 1");
    ck_assert_str_eq(row_of(all, 0, "down"), "lane 0");
    ck_assert_str_eq(row_of(all, ENGINES, "up"), "to device");
    ck_assert_str_eq(row_of(all, ENGINES, "down"), "to host");
    ck_assert_str_eq(row_of(all, 1, "host task"), "worker 0");
    ck_assert_int_eq(times_in(all, 1, "kernel") + times_in(all, 1, "up") + times_in(all, ENGINES, "kernel"), 0);
    ck_assert(has_named(all, "process_name", "copy engines"));
    char *text = folder_text(&folder, "trace.json");
    ck_assert_ptr_null(strstr(text, "4294967295"));
    free(text);
}
END_TEST

START_TEST(no_copies_no_copy_engines)
{
    static const told what[] = {{"kernel", 0, NO_WORKER, WEIR_ENGINE_NONE, 20, 30}};
    ck_assert(!has_named(trace_of_told(what, 1), "process_name", "copy engines"));
}
END_TEST

/* lane 0     a--------  d----
 * lane 0 (2)   b--------
 * lane 0 (3)     c e--------      then f in lane 0 again; beside them lane 1 with x */
START_TEST(what_would_overlap_goes_to_further_rows_of_its_lane)
{
    static const told what[] = {{"a", 0, NO_WORKER, WEIR_ENGINE_NONE, 10, 20}, {"b", 0, NO_WORKER, WEIR_ENGINE_NONE, 12, 22},
                                {"c", 0, NO_WORKER, WEIR_ENGINE_NONE, 14, 15}, {"x", 1, NO_WORKER, WEIR_ENGINE_NONE, 14, 25},
                                {"e", 0, NO_WORKER, WEIR_ENGINE_NONE, 16, 26}, {"d", 0, NO_WORKER, WEIR_ENGINE_NONE, 20, 27},
                                {"f", 0, NO_WORKER, WEIR_ENGINE_NONE, 27, 28}};
    const events *all = trace_of_told(what, sizeof what / sizeof what[0]);
    ck_assert_str_eq(row_of(all, 0, "a"), "lane 0");
    ck_assert_str_eq(row_of(all, 0, "b"), "lane 0 (2)");
    ck_assert_str_eq(row_of(all, 0, "c"), "lane 0 (3)");
    ck_assert_str_eq(row_of(all, 0, "e"), "lane 0 (3)");
    ck_assert_str_eq(row_of(all, 0, "d"), "lane 0");
    ck_assert_str_eq(row_of(all, 0, "f"), "lane 0");
    ck_assert_str_eq(row_of(all, 0, "x"), "lane 1");
    rows_do_not_overlap(all);
}
END_TEST

START_TEST(rows_of_engines_do_not_overlap_either)
{
    static const told what[] = {{"a", 0, NO_WORKER, WEIR_ENGINE_TO_HOST, 10, 20},
                                {"b", 1, NO_WORKER, WEIR_ENGINE_TO_HOST, 12, 22},
                                {"c", 2, NO_WORKER, WEIR_ENGINE_TO_DEVICE, 14, 24}};
    const events *all = trace_of_told(what, sizeof what / sizeof what[0]);
    ck_assert_str_eq(row_of(all, ENGINES, "a"), "to host");
    ck_assert_str_eq(row_of(all, ENGINES, "b"), "to host (2)");
    ck_assert_str_eq(row_of(all, ENGINES, "c"), "to device");
    rows_do_not_overlap(all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/trace");
    TCase *cases = tcase_create("trace");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, each_task_stands_in_a_lane_and_in_a_worker);
    tcase_add_test(cases, loop_is_one_event);
    tcase_add_test(cases, odd_names_stay_json);
    tcase_add_test(cases, graphs_have_rows_apart);
    tcase_add_test(cases, one_trace_a_runtime_at_a_time);
    tcase_add_test(cases, trace_that_cannot_be_written_is_refused);
    tcase_add_test(cases, runtimes_end_ends_its_trace);
    tcase_add_test(cases, environment_traces_each_runtime_to_a_file_of_its_own);
    tcase_add_test(cases, devices_tasks_have_no_worker_and_its_copies_an_engine);
    tcase_add_test(cases, no_copies_no_copy_engines);
    tcase_add_test(cases, what_would_overlap_goes_to_further_rows_of_its_lane);
    tcase_add_test(cases, rows_of_engines_do_not_overlap_either);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
