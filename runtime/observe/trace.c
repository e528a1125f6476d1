/* trace.c - a tracer that writes events to a file. In the file process 1 is the workers, with a row each, and each graph is a process
 * of its own, from 2 on, with a row a lane; a device's copies from and to the host also have a process, with a row for each way. A row shows
 * one thing at a time: what would overlap there, since a replay keeps no lanes and execs of one graph share its rows, goes into the first
 * further row of that lane that is free. Events are put into text by whoever tells them, since names may be gone later; a lock guards the
 * file. After the stop the tracer stays, deaf, until its runtime goes: a worker may still hold it. */
#include "observe/trace.h"
#include "observe/name.h"
#include "observe/output.h"
#include "observe/text.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/settings.h"
#include "util/status.h"
#include "util/table.h"
#include "util/vector.h"
#include "weir/observe.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* tools/read_trace.c knows which processes are no graphs. */
enum { WORKERS_PROCESS = 1, FIRST_GRAPH_PROCESS = 2, ENGINES_PROCESS = 1000000, FURTHER_ROWS = 65536 };

/* A row that has its name written already. */
typedef struct {
    uint32_t process, of; /* worker, lane, engine */
    uint32_t further;     /* 0: its row proper, else the n-th further one */
    int64_t end_ns;       /* of what it shows last */
} trace_row;

typedef struct {
    weir_tracer tracer; /* first: all that run knows */
    pthread_mutex_t lock; /* guards the rest */
    bool open;
    weir_output output;
    int64_t started_ns;
    bool any; /* event yet: commas stand between */
    WEIR_VECTOR(char *) graphs; /* names, copied; graph i is process FIRST_GRAPH_PROCESS + i */
    WEIR_VECTOR(trace_row) rows; /* further ones after those they extend */
    bool out_of_memory;
} trace;

/* ---- writing, with the lock held ---- */

static void begin_event(trace *t)
{
    fputs(t->any ? ",\n" : "\n", t->output.stream);
    t->any = true;
}

/* Microseconds with nanoseconds behind the point, whatever the locale makes of one. */
static void put_us(FILE *to, int64_t ns)
{
    fprintf(to, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

static void put_process_name(trace *t, uint32_t process, const char *name)
{
    begin_event(t);
    fprintf(t->output.stream, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":", process);
    weir_text_put_json(t->output.stream, name);
    fputs("}}", t->output.stream);
}

static void put_row_name(trace *t, const trace_row *row)
{
    FILE *to = t->output.stream;
    begin_event(t);
    fprintf(to, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"", row->process,
            row->of + row->further * FURTHER_ROWS);
    if (row->process == ENGINES_PROCESS)
        fputs(row->of == WEIR_ENGINE_TO_DEVICE ? "to device" : "to host", to);
    else
        fprintf(to, "%s %u", row->process == WORKERS_PROCESS ? "worker" : "lane", row->of);
    if (row->further)
        fprintf(to, " (%u)", row->further + 1);
    fputs("\"}}", to);
}

/* The first row of that worker, lane or engine that is free when the span starts; NULL: no memory. */
static trace_row *find_row(trace *t, uint32_t process, uint32_t of, weir_task_span span)
{
    uint32_t further = 0;
    bool known = false; /* the process */
    for (uint32_t i = 0; i < t->rows.count; i++) {
        trace_row *row = &t->rows.at[i];
        known = known || row->process == process;
        if (row->process != process || row->of != of)
            continue;
        if (row->end_ns <= span.start_ns)
            return row;
        further++;
    }
    if (!weir_vector_reserve(&t->rows, 1)) {
        t->out_of_memory = true;
        return NULL;
    }
    if (process == ENGINES_PROCESS && !known)
        put_process_name(t, ENGINES_PROCESS, "copy engines");
    weir_vector_push(&t->rows, ((trace_row){.process = process, .of = of, .further = further}));
    trace_row *row = &t->rows.at[t->rows.count - 1];
    put_row_name(t, row);
    return row;
}

static uint32_t process_of(trace *t, const char *graph)
{
    for (uint32_t i = 0; i < t->graphs.count; i++)
        if (strcmp(t->graphs.at[i], graph) == 0)
            return FIRST_GRAPH_PROCESS + i;
    char *name = weir_vector_reserve(&t->graphs, 1) ? weir_alloc_text(graph) : NULL;
    if (!name) {
        t->out_of_memory = true;
        return FIRST_GRAPH_PROCESS;
    }
    weir_vector_push(&t->graphs, name);
    put_process_name(t, FIRST_GRAPH_PROCESS + t->graphs.count - 1, name);
    return FIRST_GRAPH_PROCESS + t->graphs.count - 1;
}

static void put_event(trace *t, const weir_trace_event *event, uint32_t process, uint32_t of)
{
    FILE *to = t->output.stream;
    trace_row *row = find_row(t, process, of, event->span);
    if (!row)
        return;
    row->end_ns = event->span.end_ns;
    begin_event(t);
    fputs("{\"ph\":\"X\",\"name\":", to);
    weir_text_put_json(to, event->task);
    fputs(",\"cat\":", to);
    weir_text_put_json(to, event->group ? event->group : event->kind);
    fprintf(to, ",\"pid\":%u,\"tid\":%u,\"ts\":", process, of + row->further * FURTHER_ROWS);
    put_us(to, event->span.start_ns - t->started_ns);
    fputs(",\"dur\":", to);
    put_us(to, event->span.end_ns - event->span.start_ns);
    fprintf(to, ",\"args\":{\"frame\":%" PRIu64 ",\"kind\":\"%s\",\"lane\":%u", event->frame, event->kind, event->lane);
    if (event->worker != UINT32_MAX)
        fprintf(to, ",\"worker\":%u", event->worker);
    fputs("}}", to);
}

/* ---- the tracer ---- */

static void trace_event(weir_tracer *tracer, const weir_trace_event *event)
{
    trace *t = (trace *)tracer;
    pthread_mutex_lock(&t->lock);
    if (t->open && event->span.start_ns >= t->started_ns) {
        if (event->extent != WEIR_TRACE_PART)
            put_event(t, event, process_of(t, event->graph), event->lane);
        if (event->extent != WEIR_TRACE_SHARED && event->worker != UINT32_MAX)
            put_event(t, event, WORKERS_PROCESS, event->worker);
        if (event->engine != WEIR_ENGINE_NONE)
            put_event(t, event, ENGINES_PROCESS, event->engine);
    }
    pthread_mutex_unlock(&t->lock);
}

static void trace_destroy(weir_tracer *tracer)
{
    trace *t = (trace *)tracer;
    for (uint32_t i = 0; i < t->graphs.count; i++)
        weir_free(t->graphs.at[i]);
    weir_vector_finish(&t->graphs);
    weir_vector_finish(&t->rows);
    pthread_mutex_destroy(&t->lock);
    weir_free(t);
}

static weir_status trace_close(trace *t)
{
    pthread_mutex_lock(&t->lock);
    t->open = false;
    fputs("\n]}\n", t->output.stream);
    weir_status status = weir_output_finish(&t->output, t->out_of_memory ? weir_fail_no_memory() : WEIR_OK);
    pthread_mutex_unlock(&t->lock);
    return status;
}

weir_status weir_trace_start(weir_runtime *runtime, const char *path)
{
    if (!runtime || !path)
        return weir_fail(WEIR_ERR_INVALID, "weir_trace_start: NULL argument");
    trace *t = weir_alloc(1, sizeof *t);
    if (!t)
        return weir_fail_no_memory();
    t->tracer = (weir_tracer){.event = trace_event, .destroy = trace_destroy};
    t->started_ns = weir_clock_ns();
    pthread_mutex_init(&t->lock, NULL);
    weir_status status = weir_output_init(&t->output, path);
    if (status != WEIR_OK) {
        trace_destroy(&t->tracer);
        return status;
    }
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", t->output.stream);
    put_process_name(t, WORKERS_PROCESS, "workers");
    t->open = true;
    status = weir_runtime_set_tracer(runtime, &t->tracer, NULL);
    if (status != WEIR_OK) {
        weir_output_finish(&t->output, status);
        trace_destroy(&t->tracer);
    }
    return status;
}

weir_status weir_trace_stop(weir_runtime *runtime)
{
    weir_tracer *tracer = NULL;
    if (!runtime)
        return weir_fail(WEIR_ERR_INVALID, "weir_trace_stop: the runtime is NULL");
    weir_status status = weir_runtime_set_tracer(runtime, NULL, &tracer);
    if (status == WEIR_OK && !tracer)
        status = weir_fail(WEIR_ERR_STATE, "the runtime is not being traced");
    return status == WEIR_OK ? trace_close((trace *)tracer) : status;
}

/* ---- WEIR_TRACE ---- */

weir_status weir_trace_if_asked(weir_runtime *runtime)
{
    static atomic_uint traced;
    const char *path = weir_settings_text("WEIR_TRACE");
    if (!path)
        return WEIR_OK;
    char *name = weir_numbered_name(path, atomic_fetch_add(&traced, 1) + 1);
    weir_status status = name ? weir_trace_start(runtime, name) : weir_fail_no_memory();
    weir_free(name);
    return status;
}

void weir_trace_end(weir_runtime *runtime)
{
    weir_tracer *tracer = NULL;
    if (weir_runtime_set_tracer(runtime, NULL, &tracer) == WEIR_OK && tracer && trace_close((trace *)tracer) != WEIR_OK)
        weir_log(WEIR_LOG_ERROR, "the trace is lost: %s", weir_last_error());
}
