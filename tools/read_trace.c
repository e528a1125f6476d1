/* read_trace.c - events of a trace: first the rows that tasks ran in, then the tasks, then the names of both. */
#include "read_trace.h"
#include "json_line.h"
#include "json_text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_PROCESS = 1, ENGINES_PROCESS = 1000000 }; /* runtime/observe/trace.c: they show tasks of lanes again */

typedef struct {
    const read_input *in;
    read_trace *trace;
    json_t *events;
    size_t index; /* of the event being read */
} reader;

static bool fail(const reader *r, const char *what)
{
    return read_fail(r->in, json_line(r->in->text, r->in->bytes, "traceEvents", (long)r->index, NULL), "%s; is this a trace of weir's?",
                     what);
}

static bool is_event(const json_t *event, const char *phase)
{
    const char *text = json_string_value(json_object_get(event, "ph"));
    return text && strcmp(text, phase) == 0;
}

static bool is_graph(json_int_t process)
{
    return process != WORKERS_PROCESS && process != ENGINES_PROCESS;
}

static bool take_number(const reader *r, const json_t *from, const char *key, json_int_t most, json_int_t *number)
{
    const json_t *value = json_object_get(from, key);
    char what[80];
    snprintf(what, sizeof what, "\"%s\" of an event must be a whole number from 0 on", key);
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > most)
        return fail(r, what);
    *number = json_integer_value(value);
    return true;
}

static bool take_us(const reader *r, const json_t *event, const char *key, double *us)
{
    const json_t *value = json_object_get(event, key);
    char what[80];
    snprintf(what, sizeof what, "\"%s\" of an event must be a number from 0 on", key);
    *us = json_number_value(value);
    return (json_is_number(value) && *us >= 0 && *us <= READ_TIME_MOST) || fail(r, what);
}

static bool take_text(const reader *r, const json_t *from, const char *key, const char **text)
{
    char what[80];
    snprintf(what, sizeof what, "\"%s\" of an event must be a text", key);
    *text = json_string_value(json_object_get(from, key));
    return *text || fail(r, what);
}

static bool take_place(const reader *r, const json_t *event, uint32_t *process, uint32_t *number)
{
    json_int_t pid = 0, tid = 0;
    if (!take_number(r, event, "pid", UINT32_MAX, &pid) || !take_number(r, event, "tid", UINT32_MAX, &tid))
        return false;
    *process = (uint32_t)pid;
    *number = (uint32_t)tid;
    return true;
}

/* While they are gathered, rows name their process instead of their graph. */
static int by_place(const void *a, const void *b)
{
    const traced_row *x = a, *y = b;
    if (x->graph != y->graph)
        return x->graph < y->graph ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static traced_row *find_row(const read_trace *t, uint32_t process, uint32_t number)
{
    traced_row wanted = {.graph = process, .number = number};
    return t->rows ? bsearch(&wanted, t->row, t->rows, sizeof *t->row, by_place) : NULL;
}

/* Every place that has tasks, sorted, each once. */
static bool gather_rows(reader *r)
{
    read_trace *t = r->trace;
    size_t events = json_array_size(r->events);
    t->row = read_room(r->in, events, sizeof *t->row);
    for (r->index = 0; t->row && r->index < events; r->index++) {
        const json_t *event = json_array_get(r->events, r->index);
        uint32_t process, number;
        if (!is_event(event, "X"))
            continue;
        if (!take_place(r, event, &process, &number))
            return false;
        if (is_graph(process))
            t->row[t->tasks++] = (traced_row){.graph = process, .number = number};
    }
    if (!t->row)
        return false;
    qsort(t->row, t->tasks, sizeof *t->row, by_place);
    for (uint32_t i = 0; i < t->tasks; i++)
        if (i == 0 || by_place(&t->row[i], &t->row[t->rows - 1]) != 0)
            t->row[t->rows++] = t->row[i];
    return true;
}

static bool take_task(reader *r, const json_t *event, traced_task *task)
{
    uint32_t process, number;
    json_int_t frame = 0;
    double start_us, took_us;
    const json_t *args = json_object_get(event, "args");
    if (!take_place(r, event, &process, &number) || !take_text(r, event, "name", &task->name) || !take_text(r, args, "kind", &task->kind) ||
        !take_number(r, args, "frame", INT64_MAX, &frame) || !take_us(r, event, "ts", &start_us) || !take_us(r, event, "dur", &took_us))
        return false;
    task->row = (uint32_t)(find_row(r->trace, process, number) - r->trace->row);
    task->frame = (uint64_t)frame;
    task->start_ns = start_us * 1e3;
    task->end_ns = (start_us + took_us) * 1e3;
    return true;
}

static bool gather_tasks(reader *r)
{
    read_trace *t = r->trace;
    uint32_t count = 0;
    t->task = read_room(r->in, t->tasks, sizeof *t->task);
    for (r->index = 0; t->task && r->index < json_array_size(r->events); r->index++) {
        const json_t *event = json_array_get(r->events, r->index);
        if (is_event(event, "X") && is_graph(json_integer_value(json_object_get(event, "pid"))) &&
            !take_task(r, event, &t->task[count++]))
            return false;
    }
    return t->task;
}

static void take_name(const reader *r, const json_t *event)
{
    const read_trace *t = r->trace;
    const char *what = json_string_value(json_object_get(event, "name"));
    const char *name = json_string_value(json_object_get(json_object_get(event, "args"), "name"));
    json_int_t process = json_integer_value(json_object_get(event, "pid")), number = json_integer_value(json_object_get(event, "tid"));
    if (!what || !name || process < 0 || process > UINT32_MAX || number < 0 || number > UINT32_MAX)
        return;
    for (uint32_t i = 0; strcmp(what, "process_name") == 0 && i < t->graphs; i++)
        if (t->graph[i].process == process)
            t->graph[i].name = name;
    traced_row *row = strcmp(what, "thread_name") == 0 ? find_row(t, (uint32_t)process, (uint32_t)number) : NULL;
    if (row)
        row->name = name;
}

static bool gather_names(reader *r)
{
    read_trace *t = r->trace;
    t->graph = read_room(r->in, t->rows, sizeof *t->graph);
    if (!t->graph)
        return false;
    for (uint32_t i = 0; i < t->rows; i++)
        if (i == 0 || t->row[i].graph != t->row[i - 1].graph)
            t->graph[t->graphs++].process = t->row[i].graph;
    for (size_t i = 0; i < json_array_size(r->events); i++)
        if (is_event(json_array_get(r->events, i), "M"))
            take_name(r, json_array_get(r->events, i));
    for (uint32_t i = 0, graph = 0; i < t->rows; i++) {
        graph += t->graph[graph].process != t->row[i].graph;
        t->row[i].graph = graph;
    }
    return true;
}

static bool read_events(const read_input *in, json_t *root, read_trace *trace)
{
    reader r = {.in = in, .trace = trace, .events = json_object_get(root, "traceEvents")};
    if (!json_is_array(r.events))
        return read_fail(in, 1,
                         "this is JSON, but no trace: it has no list \"traceEvents\"; record one with WEIR_TRACE=FILE or weir_trace_start");
    if (json_array_size(r.events) >= UINT32_MAX)
        return read_fail(in, 1, "there are too many events");
    if (!gather_rows(&r) || !gather_tasks(&r) || !gather_names(&r))
        return false;
    return trace->tasks > 0 || read_fail(in, 1, "no task ran on a lane while this was recorded");
}

bool read_trace_file(const char *path, read_trace *out, read_error *error)
{
    read_input in = {.error = error};
    read_trace trace = {0};
    char *text = read_load(path, &in.name, &in.bytes, error);
    if (!text)
        return false;
    in.text = text;
    if (strspn(text, " \t\r\n") == in.bytes)
        read_fail(&in, 1, "the file is empty; a trace is whole when the program has ended its runtime");
    else
        trace.kept = json_text(&in);
    bool done = trace.kept && read_events(&in, trace.kept, &trace);
    free(text);
    if (done)
        *out = trace;
    else
        read_trace_finish(&trace);
    return done;
}

void read_trace_finish(read_trace *trace)
{
    free(trace->task);
    free(trace->row);
    free(trace->graph);
    json_decref(trace->kept);
    *trace = (read_trace){0};
}
