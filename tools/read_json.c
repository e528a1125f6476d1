/* read_json.c - one function a part of the file. Each value is checked where it is read, so that an error can name its line. */
#include "read_json.h"
#include "json_line.h"
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

struct read_memory {
    json_t *root; /* owns the texts */
    weir_drawn_task *task;
    weir_drawn_edge *edge, *carried, *wait;
    int32_t *lane_priority;
    uint32_t *critical;
    unsigned char *taken; /* position -> some task has it */
};

typedef struct {
    const char *name; /* of the file, for messages */
    char *text;
    size_t bytes;
    struct read_memory *memory;
    weir_drawing *drawing;
    read_error *error;
    const char *key; /* which part is being read, and which element of it (-1: itself), for the line */
    long index;
} reader;

static void fail_at(reader *r, unsigned line, const char *format, va_list args)
{
    int used = line ? snprintf(r->error->text, sizeof r->error->text, "%s:%u: ", r->name, line)
                    : snprintf(r->error->text, sizeof r->error->text, "%s: ", r->name);
    if (used > 0 && (size_t)used < sizeof r->error->text)
        vsnprintf(r->error->text + used, sizeof r->error->text - (size_t)used, format, args);
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
fail(reader *r, const char *member, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(r, json_line(r->text, r->bytes, r->key, r->index, member), format, args);
    va_end(args);
    return false;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
fail_line(reader *r, unsigned line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(r, line, format, args);
    va_end(args);
    return false;
}

static bool no_memory(reader *r)
{
    return fail_line(r, 0, "there is not enough memory to read it");
}

static const char *type_name(const json_t *value)
{
    if (!value)
        return "missing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "null";
    }
}

static bool read_text(reader *r, const json_t *from, const char *key, const char **text)
{
    const json_t *value = json_object_get(from, key);
    if (!json_is_string(value))
        return fail(r, key, "\"%s\" must be a text, but is %s", key, type_name(value));
    *text = json_string_value(value);
    return true;
}

static bool whole_number(reader *r, const json_t *value, const char *member, const char *what, int64_t least, int64_t most, int64_t *number)
{
    if (!json_is_integer(value))
        return fail(r, member, "%s must be a whole number, but is %s", what, type_name(value));
    if (json_integer_value(value) < least || json_integer_value(value) > most)
        return fail(r, member, "%s must be from %lld to %lld, but is %lld", what, (long long)least, (long long)most,
                    (long long)json_integer_value(value));
    *number = json_integer_value(value);
    return true;
}

static bool read_count(reader *r, const json_t *from, const char *key, uint32_t most, uint32_t *count)
{
    int64_t number = 0;
    char what[64];
    snprintf(what, sizeof what, "\"%s\"", key);
    if (!whole_number(r, json_object_get(from, key), key, what, 0, most, &number))
        return false;
    *count = (uint32_t)number;
    return true;
}

/* Of nanoseconds, or a share: from 0 on. */
static bool read_amount(reader *r, const json_t *from, const char *key, double *amount)
{
    const json_t *value = json_object_get(from, key);
    if (!json_is_number(value))
        return fail(r, key, "\"%s\" must be a number, but is %s", key, type_name(value));
    *amount = json_number_value(value);
    if (!isfinite(*amount) || *amount < 0)
        return fail(r, key, "\"%s\" must be a number from 0 on, but is %g", key, *amount);
    return true;
}

/* The list of that key, and room for what it says; NULL with the error set if it is none. */
static json_t *read_list(reader *r, const json_t *from, const char *key, const char *member, uint32_t *count)
{
    json_t *list = json_object_get(from, member ? member : key);
    r->key = key;
    r->index = -1;
    if (!json_is_array(list)) {
        if (!list)
            r->key = member ? key : NULL;
        fail(r, member, "\"%s\" must be a list, but is %s", member ? member : key, type_name(list));
        return NULL;
    }
    if (json_array_size(list) >= UINT32_MAX) {
        fail(r, member, "\"%s\" has more than %u elements", member ? member : key, UINT32_MAX - 1);
        return NULL;
    }
    *count = (uint32_t)json_array_size(list);
    return list;
}

static void *room_for(reader *r, uint32_t count, size_t bytes)
{
    void *room = calloc(count ? count : 1, bytes);
    if (!room)
        no_memory(r);
    return room;
}

static bool read_plan(reader *r, const json_t *plan)
{
    weir_drawing *d = r->drawing;
    r->key = "plan";
    r->index = -1;
    if (!json_is_object(plan))
        return fail(r, NULL, "\"plan\" must be an object, but is %s", type_name(plan));
    if (!read_text(r, plan, "policy", &d->policy) || !read_count(r, plan, "frames", INT_MAX, &d->frames) ||
        !read_amount(r, plan, "makespan_ns", &d->makespan_ns) || !read_amount(r, plan, "interval_ns", &d->interval_ns) ||
        !read_amount(r, plan, "bound_ns", &d->bound_ns) || !read_text(r, plan, "binding", &d->binding))
        return false;
    json_t *priorities = read_list(r, plan, "plan", "lane_priorities", &d->lane_count);
    if (!priorities)
        return false;
    d->lane_priority = r->memory->lane_priority = room_for(r, d->lane_count, sizeof(int32_t));
    for (uint32_t i = 0; d->lane_priority && i < d->lane_count; i++) {
        int64_t priority = 0;
        if (!whole_number(r, json_array_get(priorities, i), "lane_priorities", "the priority of a lane", INT32_MIN, INT32_MAX, &priority))
            return false;
        r->memory->lane_priority[i] = (int32_t)priority;
    }
    return d->lane_priority != NULL;
}

static bool read_place(reader *r, const json_t *from, weir_drawn_task *task)
{
    const weir_drawing *d = r->drawing;
    if (!read_count(r, from, "lane", UINT32_MAX, &task->lane) || !read_count(r, from, "position", UINT32_MAX, &task->position) ||
        !read_amount(r, from, "start_ns", &task->start_ns) || !read_amount(r, from, "end_ns", &task->end_ns))
        return false;
    if (task->lane >= d->lane_count)
        return fail(r, "lane", "\"lane\" is %u, but the plan has %u lanes, counted from 0", task->lane, d->lane_count);
    if (task->position >= d->task_count)
        return fail(r, "position", "\"position\" is %u, but there are %u tasks, counted from 0", task->position, d->task_count);
    if (r->memory->taken[task->position]++)
        return fail(r, "position", "\"position\" is %u, as is that of a task before; each task must have its own", task->position);
    return true;
}

static bool read_task(reader *r, const json_t *from, weir_drawn_task *task)
{
    int64_t priority = 0;
    if (!json_is_object(from))
        return fail(r, NULL, "a task must be an object, but is %s", type_name(from));
    if (!read_text(r, from, "name", &task->name) || !read_text(r, from, "kind", &task->kind) ||
        (json_object_get(from, "group") && !read_text(r, from, "group", &task->group)) ||
        !whole_number(r, json_object_get(from, "priority"), "priority", "\"priority\"", INT32_MIN, INT32_MAX, &priority) ||
        !read_amount(r, from, "cost_ns", &task->cost_ns) || !read_amount(r, from, "share", &task->share))
        return false;
    task->priority = (int32_t)priority;
    return !r->drawing->policy || read_place(r, from, task);
}

static bool read_tasks(reader *r)
{
    weir_drawing *d = r->drawing;
    json_t *list = read_list(r, r->memory->root, "tasks", NULL, &d->task_count);
    if (!list)
        return false;
    d->task = r->memory->task = room_for(r, d->task_count, sizeof *d->task);
    r->memory->taken = room_for(r, d->task_count, 1);
    if (!d->task || !r->memory->taken)
        return false;
    for (uint32_t i = 0; i < d->task_count; i++) {
        r->index = (long)i;
        if (!read_task(r, json_array_get(list, i), &r->memory->task[i]))
            return false;
    }
    return true;
}

/* [from, to], or [from, to, distance]. */
static bool read_edge(reader *r, const json_t *from, bool distances, uint32_t least, weir_drawn_edge *edge)
{
    int64_t number[3] = {0};
    size_t numbers = distances ? 3 : 2;
    const char *form = distances ? "[from, to, distance]" : "[from, to]";
    if (!json_is_array(from) || json_array_size(from) != numbers)
        return fail(r, NULL, "an element of \"%s\" must be a list of %s", r->key, form);
    for (size_t i = 0; i < numbers; i++)
        if (!whole_number(r, json_array_get(from, i), NULL, i == 2 ? "the distance" : "a task's number", i == 2 ? least : 0, UINT32_MAX,
                          &number[i]))
            return false;
    for (size_t i = 0; i < 2; i++)
        if (number[i] >= r->drawing->task_count)
            return fail(r, NULL, "there is no task %lld: the file has %u, counted from 0", (long long)number[i], r->drawing->task_count);
    *edge = (weir_drawn_edge){(uint32_t)number[0], (uint32_t)number[1], (uint32_t)number[2]};
    return true;
}

static bool read_edges(reader *r, const char *key, bool distances, uint32_t least, weir_drawn_edge **edges, uint32_t *count)
{
    json_t *list = read_list(r, r->memory->root, key, NULL, count);
    if (!list)
        return false;
    *edges = room_for(r, *count, sizeof **edges);
    if (!*edges)
        return false;
    for (uint32_t i = 0; i < *count; i++) {
        r->index = (long)i;
        if (!read_edge(r, json_array_get(list, i), distances, least, &(*edges)[i]))
            return false;
    }
    return true;
}

static bool read_critical(reader *r)
{
    weir_drawing *d = r->drawing;
    json_t *list = read_list(r, r->memory->root, "critical_path", NULL, &d->critical_count);
    if (!list)
        return false;
    d->critical = r->memory->critical = room_for(r, d->critical_count, sizeof(uint32_t));
    for (uint32_t i = 0; d->critical && i < d->critical_count; i++) {
        int64_t number = 0;
        r->index = (long)i;
        if (!whole_number(r, json_array_get(list, i), NULL, "a task of \"critical_path\"", 0, (int64_t)d->task_count - 1, &number))
            return false;
        r->memory->critical[i] = (uint32_t)number;
    }
    return d->critical != NULL;
}

static bool read_root(reader *r)
{
    weir_drawing *d = r->drawing;
    const json_t *root = r->memory->root, *version = json_object_get(root, "weir");
    if (!json_is_object(root) || !version)
        return fail(r, NULL, "this is JSON, but no graph or plan of weir; save one with weir_save or WEIR_DUMP=FILE.json");
    r->key = "weir";
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        return fail(r, NULL, "\"weir\", the version of the format, must be %d; use the dagdump of the weir that saved the file", VERSION);
    r->key = "name";
    const json_t *name = json_object_get(root, "name");
    if (!json_is_string(name))
        return fail(r, NULL, "\"name\" must be a text, but is %s", type_name(name));
    d->name = json_string_value(name);
    d->frames = 1;
    json_t *plan = json_object_get(root, "plan");
    if (plan && !read_plan(r, plan))
        return false;
    int64_t ring_copies = 0;
    r->key = "ring_copies";
    r->index = -1;
    if (!whole_number(r, json_object_get(root, "ring_copies"), NULL, "\"ring_copies\"", 1, UINT32_MAX, &ring_copies))
        return false;
    d->ring_copies = (uint32_t)ring_copies;
    if (!read_tasks(r) || !read_edges(r, "edges", false, 0, &r->memory->edge, &d->edge_count) ||
        !read_edges(r, "carried", true, 1, &r->memory->carried, &d->carried_count) ||
        (plan && !read_edges(r, "waits", true, 0, &r->memory->wait, &d->wait_count)))
        return false;
    d->edge = r->memory->edge;
    d->carried = r->memory->carried;
    d->wait = r->memory->wait;
    return read_critical(r);
}

/* Everything a stream holds. */
static bool read_all(reader *r, FILE *from)
{
    size_t room = 1 << 16;
    for (;;) {
        char *moved = realloc(r->text, room);
        if (!moved)
            return no_memory(r);
        r->text = moved;
        r->bytes += fread(r->text + r->bytes, 1, room - r->bytes - 1, from);
        if (ferror(from))
            return fail_line(r, 0, "cannot be read: %s", strerror(errno));
        if (feof(from))
            break;
        if (room - r->bytes == 1) {
            if (room > SIZE_MAX / 2)
                return no_memory(r);
            room *= 2;
        }
    }
    r->text[r->bytes] = '\0';
    return true;
}

static bool parse(reader *r)
{
    json_error_t error;
    if (strspn(r->text, " \t\r\n") == r->bytes)
        return fail_line(r, 1, "the file is empty; save a graph or plan with weir_save or WEIR_DUMP=FILE.json");
    r->memory->root = json_loadb(r->text, r->bytes, JSON_REJECT_DUPLICATES, &error);
    if (r->memory->root)
        return true;
    unsigned line = error.line > 0 ? (unsigned)error.line : 1;
    switch (json_error_code(&error)) {
    case json_error_out_of_memory:
        return no_memory(r);
    case json_error_premature_end_of_input:
        return fail_line(r, line, "the file is cut off; save it again");
    case json_error_duplicate_key:
        return fail_line(r, line, "%s; leave one of them", error.text);
    case json_error_numeric_overflow:
        return fail_line(r, line, "%s; no number in such a file is that large", error.text);
    default:
        return fail_line(r, line, "this is no JSON: %s; save the file again, or correct it there", error.text);
    }
}

static void free_memory(struct read_memory *memory)
{
    free(memory->task);
    free(memory->edge);
    free(memory->carried);
    free(memory->wait);
    free(memory->lane_priority);
    free(memory->critical);
    free(memory->taken);
    json_decref(memory->root);
    free(memory);
}

bool read_json(const char *path, read_drawing *out, read_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    read_drawing read = {.memory = calloc(1, sizeof *read.memory)};
    reader r = {.name = standard ? "standard input" : path, .memory = read.memory, .drawing = &read.drawing, .error = error, .index = -1};
    if (!read.memory)
        return no_memory(&r);
    FILE *from = standard ? stdin : fopen(path, "rb");
    bool done = from ? read_all(&r, from) : fail_line(&r, 0, "cannot be opened: %s", strerror(errno));
    if (from && !standard)
        fclose(from);
    done = done && parse(&r) && read_root(&r);
    free(r.text);
    if (!done) {
        free_memory(read.memory);
        return false;
    }
    *out = read;
    return true;
}

void read_drawing_finish(read_drawing *read)
{
    free_memory(read->memory);
    *read = (read_drawing){0};
}
