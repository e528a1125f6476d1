/* read_json.c - what weir_save wrote (the format stands in runtime/observe/write_json.c), one function a part of the file. Each value is
 * checked where it is read, so that an error can name its line. */
#include "json_line.h"
#include "json_text.h"
#include "read_format.h"
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

typedef struct {
    const read_input *in;
    struct read_memory *memory;
    weir_drawing *drawing;
    const json_t *root;
    unsigned char *taken; /* position -> some task has it */
    uint32_t bodies;      /* of tasks read so far */
    const char *key;      /* which part is being read, and which element of it (-1: itself), for the line */
    long index;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
fail(const reader *r, const char *member, const char *format, ...)
{
    char text[sizeof r->in->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return read_fail(r->in, json_line(r->in->text, r->in->bytes, r->key, r->index, member), "%s", text);
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
    d->lane_priority = r->memory->lane_priority = read_room(r->in, d->lane_count, sizeof(int32_t));
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
    if (r->taken[task->position]++)
        return fail(r, "position", "\"position\" is %u, as is that of a task before; each task must have its own", task->position);
    return true;
}

/* What a loop or branch decides about. */
static bool read_bodies(reader *r, const json_t *from, weir_drawn_task *task)
{
    const json_t *rounds = json_object_get(from, "rounds"), *list = json_object_get(from, "bodies");
    int64_t number = 0;
    if (!list)
        return !rounds || fail(r, "rounds", "\"rounds\" is of a loop, but there are no \"bodies\"");
    if (!json_is_array(list) || json_array_size(list) == 0)
        return fail(r, "bodies", "\"bodies\" must be a list of one or more, but is %s", json_is_array(list) ? "empty" : type_name(list));
    if (rounds && json_array_size(list) > 1)
        return fail(r, "bodies", "a loop, which has \"rounds\", must have one body, but has %zu", json_array_size(list));
    if (rounds && !whole_number(r, rounds, "rounds", "\"rounds\"", 1, UINT32_MAX, &number))
        return false;
    task->rounds = (uint32_t)number;
    task->body = r->memory->body + r->bodies;
    task->body_count = (uint32_t)json_array_size(list);
    for (uint32_t i = 0; i < task->body_count; i++) {
        const json_t *body = json_array_get(list, i), *name = json_object_get(body, "name");
        if (!json_is_string(name))
            return fail(r, "bodies", "the \"name\" of a body must be a text, but is %s", type_name(name));
        if (!whole_number(r, json_object_get(body, "tasks"), "bodies", "\"tasks\" of a body", 0, UINT32_MAX, &number))
            return false;
        r->memory->body[r->bodies++] = (weir_drawn_body){json_string_value(name), (uint32_t)number};
    }
    return true;
}

/* Makes room for the bodies of all tasks. */
static bool make_room_for_bodies(reader *r, const json_t *tasks)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(tasks); i++)
        count += json_array_size(json_object_get(json_array_get(tasks, i), "bodies")); /* 0 of what is no list */
    if (count >= UINT32_MAX)
        return fail(r, NULL, "the tasks have more than %u bodies", UINT32_MAX - 1);
    r->memory->body = read_room(r->in, count, sizeof *r->memory->body);
    return r->memory->body != NULL;
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
    if (!read_bodies(r, from, task))
        return false;
    return !r->drawing->policy || read_place(r, from, task);
}

static bool read_tasks(reader *r)
{
    weir_drawing *d = r->drawing;
    json_t *list = read_list(r, r->root, "tasks", NULL, &d->task_count);
    if (!list)
        return false;
    d->task = r->memory->task = read_room(r->in, d->task_count, sizeof *d->task);
    r->taken = read_room(r->in, d->task_count, 1);
    if (!d->task || !r->taken || !make_room_for_bodies(r, list))
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
    json_t *list = read_list(r, r->root, key, NULL, count);
    if (!list)
        return false;
    *edges = read_room(r->in, *count, sizeof **edges);
    if (!*edges)
        return false;
    for (uint32_t i = 0; i < *count; i++) {
        r->index = (long)i;
        if (!read_edge(r, json_array_get(list, i), distances, least, &(*edges)[i]))
            return false;
    }
    return true;
}

static bool read_tasks_of(reader *r, const char *key, const char *what, uint32_t **tasks, uint32_t *count)
{
    json_t *list = read_list(r, r->root, key, NULL, count);
    if (!list)
        return false;
    *tasks = read_room(r->in, *count, sizeof **tasks);
    for (uint32_t i = 0; *tasks && i < *count; i++) {
        int64_t number = 0;
        r->index = (long)i;
        if (!whole_number(r, json_array_get(list, i), NULL, what, 0, (int64_t)r->drawing->task_count - 1, &number))
            return false;
        (*tasks)[i] = (uint32_t)number;
    }
    return *tasks != NULL;
}

/* Where there is one. */
static bool read_cycle(reader *r)
{
    weir_drawing *d = r->drawing;
    int64_t frames = 0;
    if (!json_object_get(r->root, "cycle"))
        return true;
    if (!read_tasks_of(r, "cycle", "a task of \"cycle\"", &r->memory->cycle, &d->cycle_count))
        return false;
    r->key = "cycle_frames";
    r->index = -1;
    if (!whole_number(r, json_object_get(r->root, "cycle_frames"), NULL, "\"cycle_frames\"", 1, UINT32_MAX, &frames))
        return false;
    d->cycle_frames = (uint32_t)frames;
    d->cycle = r->memory->cycle;
    return true;
}

static bool read_root(reader *r)
{
    weir_drawing *d = r->drawing;
    const json_t *root = r->root, *version = json_object_get(root, "weir");
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
    if (!read_tasks_of(r, "critical_path", "a task of \"critical_path\"", &r->memory->critical, &d->critical_count))
        return false;
    d->critical = r->memory->critical;
    return read_cycle(r);
}

static void release(void *root)
{
    json_decref(root);
}

static unsigned line_of_edge(const read_input *in, void *user, uint32_t edge)
{
    (void)user;
    return json_line(in->text, in->bytes, "edges", (long)edge, NULL);
}

bool read_json(const read_input *in)
{
    json_t *root = json_text(in);
    if (!root)
        return false;
    in->memory->kept = root;
    in->memory->release = release;
    reader r = {.in = in, .memory = in->memory, .drawing = in->drawing, .root = root, .index = -1};
    bool done = read_root(&r) && read_order(in, line_of_edge, NULL);
    free(r.taken);
    return done;
}
