/* trace_test.c - traces of a device, eager and replayed: each task of each frame once, in its lane, copies in the rows of their engines too, and
 * nothing before what it follows. Times themselves are not looked at. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "observe/folder.h"
#include <jansson.h>
#include <math.h>

enum { COUNT = 1 << 16, LANES = 3, WORKERS_PROCESS = 1, ENGINES_PROCESS = 1000000, FURTHER_ROWS = 65536 };

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

/* upload -> left ----> join -> download -> look
 *       \-> right --/
 * clear -> bump                                  */
enum { UPLOAD, LEFT, RIGHT, JOIN, DOWNLOAD, LOOK, CLEAR, BUMP, TASKS };
enum { CLOCKS_APART_NS = 2000 /* what fills tells its end by another clock than kernels, seen 0.7 us late */ };

static const char *const names[TASKS] = {"upload", "left", "right", "join", "download", "look", "clear", "bump"};
static const int edges[][2] = {{UPLOAD, LEFT}, {UPLOAD, RIGHT}, {LEFT, JOIN}, {RIGHT, JOIN}, {JOIN, DOWNLOAD}, {DOWNLOAD, LOOK}, {CLEAR, BUMP}};

enum { BUFFERS = 6 };

typedef struct {
    weir_graph *graph;
    weir_task task[TASKS];
    weir_buffer *buffer[BUFFERS];
    weir_kernel kernel[TASKS]; /* as those of device_kernels.h, each with its task's name */
} sample;

static weir_task add_scale(sample *s, int task, weir_buffer *to, weir_buffer *from, uint32_t factor)
{
    uint32_t count = COUNT, addend = 1;
    s->kernel[task] = scale_kernel;
    s->kernel[task].name = names[task];
    return weir_add_kernel(s->graph, &s->kernel[task], (weir_shape){.grid = {8}, .block = {64}},
                           WEIR_ARGS(WEIR_WRITE(to), WEIR_READ(from), WEIR_VALUE(factor), WEIR_VALUE(addend), WEIR_VALUE(count)));
}

static void sample_init(sample *s, const char *name)
{
    static const weir_place places[BUFFERS] = {WEIR_HOST_IN, WEIR_DEVICE, WEIR_DEVICE, WEIR_DEVICE, WEIR_HOST_OUT, WEIR_DEVICE};
    static const char *const called[BUFFERS] = {"in", "u", "l", "r", "out", "z"};
    uint32_t nothing = 0, one = 1, count = COUNT;
    *s = (sample){.graph = graph_make(name)};
    for (int i = 0; i < BUFFERS; i++)
        s->buffer[i] = numbers(called[i], COUNT, 1, places[i]);
    weir_buffer *const *b = s->buffer;
    s->task[UPLOAD] = weir_add_copy(s->graph, names[UPLOAD], WEIR_WRITE(b[1]), WEIR_READ(b[0]));
    s->task[LEFT] = add_scale(s, LEFT, b[2], b[1], 2);
    s->task[RIGHT] = add_scale(s, RIGHT, b[3], b[1], 3);
    s->task[JOIN] = add_scale(s, JOIN, b[1], b[2], 5); /* after both, which read what it writes */
    s->task[DOWNLOAD] = weir_add_copy(s->graph, names[DOWNLOAD], WEIR_WRITE(b[4]), WEIR_READ(b[1]));
    s->task[LOOK] = weir_add_host(s->graph, names[LOOK], do_nothing, NULL, WEIR_ARGS(WEIR_READ(b[4])));
    s->task[CLEAR] = weir_add_fill(s->graph, names[CLEAR], WEIR_WRITE(b[5]), &nothing, sizeof nothing);
    s->kernel[BUMP] = add_kernel;
    s->kernel[BUMP].name = names[BUMP];
    s->task[BUMP] = weir_add_kernel(s->graph, &s->kernel[BUMP], (weir_shape){.grid = {8}, .block = {64}},
                                    WEIR_ARGS(WEIR_READ_WRITE(b[5]), WEIR_VALUE(one), WEIR_VALUE(count)));
    OK(weir_graph_status(s->graph));
}

static void sample_finish(sample *s)
{
    weir_graph_destroy(s->graph);
    for (int i = 0; i < BUFFERS; i++)
        weir_buffer_destroy(s->buffer[i]);
}

static weir_plan *sample_plan(const sample *s)
{
    weir_plan *plan = NULL;
    OK(weir_plan_create(s->graph, &(weir_plan_options){.lanes = LANES}, &plan));
    return plan;
}

static weir_exec *exec_of(weir_runtime *runtime, const weir_plan *plan, const char *mode)
{
    weir_exec *exec = NULL;
    weir_stats stats;
    OK(weir_exec_create(runtime, plan, &(weir_exec_options){.mode = mode}, &exec));
    weir_exec_stats(exec, &stats);
    ck_assert_str_eq(stats.mode, mode);
    return exec;
}

/* ---- the file ---- */

typedef struct {
    int process, row; /* row -1: it was not there */
    int lane, worker; /* worker -1: none */
    long long start_ns, end_ns;
} place;

static int number_of(const json_t *from, const char *key, int otherwise)
{
    const json_t *value = json_object_get(from, key);
    return json_is_integer(value) ? (int)json_integer_value(value) : otherwise;
}

static long long ns_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    ck_assert_msg(json_is_number(value), "\"%s\" is no number", key);
    return llround(json_number_value(value) * 1e3);
}

static json_t *read_trace(const char *name)
{
    json_error_t error;
    json_t *root = json_load_file(folder_file(&folder, name).text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "%s:%d: %s", name, error.line, error.text);
    ck_assert(json_is_array(json_object_get(root, "traceEvents")));
    return root;
}

static const char *name_of(const json_t *root, const char *what, int process, int row)
{
    const json_t *events = json_object_get(root, "traceEvents");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (strcmp(json_string_value(json_object_get(event, "name")), what) == 0 && number_of(event, "pid", -1) == process &&
            number_of(event, "tid", -1) == row)
            return json_string_value(json_object_get(json_object_get(event, "args"), "name"));
    }
    return "";
}

typedef enum { OF_A_LANE, OF_AN_ENGINE, OF_A_WORKER } sort_of_row;

static sort_of_row sort_of(int process)
{
    return process == ENGINES_PROCESS ? OF_AN_ENGINE : process == WORKERS_PROCESS ? OF_A_WORKER : OF_A_LANE;
}

/* Where a task of a frame stands in rows of that sort; it does so once at most. */
static place find(const json_t *root, const char *graph, const char *task, int frame, sort_of_row sort)
{
    const json_t *events = json_object_get(root, "traceEvents");
    place found = {.row = -1};
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i), *args = json_object_get(event, "args");
        int process = number_of(event, "pid", -1);
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0 || sort_of(process) != sort ||
            strcmp(json_string_value(json_object_get(event, "name")), task) != 0 || number_of(args, "frame", -1) != frame ||
            (sort == OF_A_LANE && strcmp(name_of(root, "process_name", process, -1), graph) != 0))
            continue;
        ck_assert_msg(found.row == -1, "%s of frame %d is there twice", task, frame);
        long long start_ns = ns_of(event, "ts");
        found = (place){process, number_of(event, "tid", -1), number_of(args, "lane", -1), number_of(args, "worker", -1),
                        start_ns, start_ns + ns_of(event, "dur")};
        ck_assert_int_ge(found.row, 0);
        ck_assert_int_ge(start_ns, 0);
        ck_assert_int_le(found.start_ns, found.end_ns);
    }
    return found;
}

static int events_in(const json_t *root, sort_of_row sort)
{
    const json_t *events = json_object_get(root, "traceEvents");
    int count = 0;
    for (size_t i = 0; i < json_array_size(events); i++)
        count += strcmp(json_string_value(json_object_get(json_array_get(events, i), "ph")), "X") == 0 &&
                 sort_of(number_of(json_array_get(events, i), "pid", -1)) == sort;
    return count;
}

static void stands_in_engine(const json_t *root, int task, int frame, const place *in_lane)
{
    place found = find(root, "", names[task], frame, OF_AN_ENGINE);
    bool copies = task == UPLOAD || task == DOWNLOAD;
    ck_assert_msg(copies == (found.row >= 0), "%s of frame %d %s in a row of an engine", names[task], frame, copies ? "is not" : "is");
    if (!copies)
        return;
    const char *row = name_of(root, "thread_name", ENGINES_PROCESS, found.row), *way = task == UPLOAD ? "to device" : "to host";
    ck_assert_msg(strncmp(row, way, strlen(way)) == 0, "%s stands in '%s'", names[task], row);
    ck_assert_int_eq(found.start_ns, in_lane->start_ns);
    ck_assert_int_eq(found.end_ns, in_lane->end_ns);
}

/* A frame, whole: tasks in their lanes and, but for the host's, on no worker; copies in their engines; all after what they follow. The host
 * has a clock of its own, so no order is asked of `look`. */
static void frame_is_whole(const json_t *root, const sample *s, const weir_plan *plan, const char *graph, int frame, bool eager)
{
    place at[TASKS];
    for (int t = 0; t < TASKS; t++) {
        weir_plan_entry entry;
        char lane[32];
        at[t] = find(root, graph, names[t], frame, OF_A_LANE);
        ck_assert_msg(at[t].row >= 0, "%s of frame %d of '%s' is missing", names[t], frame, graph);
        OK(weir_plan_get(plan, s->task[t], &entry));
        ck_assert_int_eq(at[t].lane, (int)entry.lane);
        ck_assert_int_eq(at[t].row % FURTHER_ROWS, (int)entry.lane);
        if (eager) /* a lane is a stream */
            ck_assert_int_lt(at[t].row, FURTHER_ROWS);
        snprintf(lane, sizeof lane, "lane %u", entry.lane);
        ck_assert_int_eq(strncmp(name_of(root, "thread_name", at[t].process, at[t].row), lane, strlen(lane)), 0);
        ck_assert_int_eq(at[t].worker >= 0, t == LOOK);
        stands_in_engine(root, t, frame, &at[t]);
    }
    for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++) {
        int from = edges[e][0], to = edges[e][1];
        ck_assert_msg(to == LOOK || at[to].start_ns >= at[from].end_ns - CLOCKS_APART_NS, "frame %d: %s started at %lld ns, and %s, which it follows, ended at %lld",
                      frame, names[to], at[to].start_ns, names[from], at[from].end_ns);
    }
}

static bool overlap(const json_t *a, const json_t *b)
{
    if (strcmp(json_string_value(json_object_get(a, "ph")), "X") != 0 || strcmp(json_string_value(json_object_get(b, "ph")), "X") != 0 ||
        number_of(a, "pid", -1) != number_of(b, "pid", -1) || number_of(a, "tid", -1) != number_of(b, "tid", -1))
        return false;
    long long first = ns_of(a, "ts"), second = ns_of(b, "ts");
    return first < second + ns_of(b, "dur") && second < first + ns_of(a, "dur");
}

static void rows_show_one_thing_at_a_time(const json_t *root)
{
    const json_t *events = json_object_get(root, "traceEvents");
    for (size_t i = 0; i < json_array_size(events); i++)
        for (size_t k = i + 1; k < json_array_size(events); k++) {
            const json_t *a = json_array_get(events, i), *b = json_array_get(events, k);
            ck_assert_msg(!overlap(a, b), "%s and %s overlap in a row", json_string_value(json_object_get(a, "name")),
                          json_string_value(json_object_get(b, "name")));
        }
}

/* The frames from `first` to `last` of the sample are whole, and nothing else is there. */
static void tells_of(const char *file, const sample *s, const weir_plan *plan, const char *graph, int first, int last, bool eager)
{
    json_t *root = read_trace(file);
    int frames = last - first + 1;
    for (int frame = first; frame <= last; frame++)
        frame_is_whole(root, s, plan, graph, frame, eager);
    ck_assert_int_eq(events_in(root, OF_A_LANE), frames * TASKS);
    ck_assert_int_eq(events_in(root, OF_AN_ENGINE), frames * 2);
    ck_assert_int_eq(events_in(root, OF_A_WORKER), frames);
    rows_show_one_thing_at_a_time(root);
    json_decref(root);
}

static bool is_eager(const char *mode)
{
    return strcmp(mode, "eager") == 0;
}

/* Started when the exec has run, and once more; frames before, between and after are not there. */
START_TEST(frames_that_ran_meanwhile_are_whole)
{
    const char *mode = cuda_modes[_i];
    weir_runtime *runtime = cuda_runtime();
    sample s;
    sample_init(&s, "sample");
    weir_plan *plan = sample_plan(&s);
    weir_exec *exec = exec_of(runtime, plan, mode);
    run_frames(exec, 2);
    OK(weir_trace_start(runtime, folder_file(&folder, "first.json").text));
    run_frames(exec, 3);
    OK(weir_trace_stop(runtime));
    run_frames(exec, 2);
    OK(weir_trace_start(runtime, folder_file(&folder, "second.json").text));
    run_frames(exec, 1);
    OK(weir_trace_stop(runtime));
    run_frames(exec, 1);
    tells_of("first.json", &s, plan, "sample", 2, 4, is_eager(mode));
    tells_of("second.json", &s, plan, "sample", 7, 7, is_eager(mode));
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    weir_plan_destroy(plan);
    sample_finish(&s);
}
END_TEST

/* A trace that is on before there is an exec, by the environment, and ends with the runtime. The process's second is number 2. */
START_TEST(runtimes_end_ends_its_trace)
{
    static const char *const files[] = {"run.json", "run-2.json", "run-3.json"};
    static int traces;
    const char *mode = cuda_modes[_i];
    sample s;
    sample_init(&s, "sample");
    weir_plan *plan = sample_plan(&s);
    setenv("WEIR_TRACE", folder_file(&folder, "run.json").text, 1);
    weir_runtime *runtime = cuda_runtime();
    weir_exec *exec = exec_of(runtime, plan, mode);
    run_frames(exec, 2);
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    ck_assert_int_lt(traces, (int)(sizeof files / sizeof *files));
    tells_of(files[traces++], &s, plan, "sample", 0, 1, is_eager(mode));
    weir_plan_destroy(plan);
    sample_finish(&s);
}
END_TEST

/* Two runtimes, each with a trace of its own, run by turns; the second trace goes on when the first has ended. */
START_TEST(runtimes_are_traced_apart)
{
    const char *mode = cuda_modes[_i];
    static const char *const graphs[] = {"one", "two"}, *const files[] = {"one.json", "two.json"};
    weir_runtime *runtime[2];
    weir_plan *plan[2];
    weir_exec *exec[2];
    sample s[2];
    for (int i = 0; i < 2; i++) {
        runtime[i] = cuda_runtime();
        sample_init(&s[i], graphs[i]);
        plan[i] = sample_plan(&s[i]);
        exec[i] = exec_of(runtime[i], plan[i], mode);
        OK(weir_trace_start(runtime[i], folder_file(&folder, files[i]).text));
    }
    for (int turn = 0; turn < 3; turn++) {
        weir_ticket ticket[2];
        for (int i = 0; i < 2; i++)
            ticket[i] = submit(exec[i]);
        for (int i = 0; i < 2; i++)
            OK(weir_exec_wait(exec[i], ticket[i], -1));
    }
    OK(weir_trace_stop(runtime[0]));
    run_frames(exec[0], 1);
    run_frames(exec[1], 2);
    OK(weir_trace_stop(runtime[1]));
    tells_of(files[0], &s[0], plan[0], graphs[0], 0, 2, is_eager(mode));
    tells_of(files[1], &s[1], plan[1], graphs[1], 0, 4, is_eager(mode));
    for (int i = 0; i < 2; i++) {
        weir_exec_destroy(exec[i]);
        weir_runtime_destroy(runtime[i]);
        weir_plan_destroy(plan[i]);
        sample_finish(&s[i]);
    }
}
END_TEST

/* A task switched off is not there. */
START_TEST(what_is_switched_off_is_not_told)
{
    const char *mode = cuda_modes[_i];
    weir_runtime *runtime = cuda_runtime();
    sample s;
    sample_init(&s, "sample");
    weir_plan *plan = sample_plan(&s);
    weir_exec *exec = exec_of(runtime, plan, mode);
    OK(weir_trace_start(runtime, folder_file(&folder, "trace.json").text));
    run_frames(exec, 1);
    OK(weir_exec_enable(exec, s.task[BUMP], 0));
    run_frames(exec, 1);
    OK(weir_exec_enable(exec, s.task[BUMP], 1));
    run_frames(exec, 1);
    OK(weir_trace_stop(runtime));
    json_t *root = read_trace("trace.json");
    frame_is_whole(root, &s, plan, "sample", 0, is_eager(mode));
    frame_is_whole(root, &s, plan, "sample", 2, is_eager(mode));
    for (int t = 0; t < TASKS; t++)
        ck_assert_int_eq(find(root, "sample", names[t], 1, OF_A_LANE).row >= 0, t != BUMP);
    json_decref(root);
    weir_exec_destroy(exec);
    weir_runtime_destroy(runtime);
    weir_plan_destroy(plan);
    sample_finish(&s);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/trace");
    TCase *cases = tcase_create("trace");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_loop_test(cases, frames_that_ran_meanwhile_are_whole, 0, CUDA_MODES);
    tcase_add_loop_test(cases, runtimes_end_ends_its_trace, 0, CUDA_MODES);
    tcase_add_loop_test(cases, runtimes_are_traced_apart, 0, CUDA_MODES);
    tcase_add_loop_test(cases, what_is_switched_off_is_not_told, 0, CUDA_MODES);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
