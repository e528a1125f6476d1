/* read_stg.c - Standard Task Graph: the number of tasks, then a row a task: its number, its time, how many predecessors it has, and
 * their numbers. '#' starts a comment. The two dummy tasks, first and last, are counted by some files and not by others, so there may be
 * two rows more than the file says; each row is a task. Nothing is taken from a count that the rows do not bear out. */
#include "read_format.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Walks the rows. */
typedef struct {
    const char *at, *end;    /* what is left of the row, without comment */
    const char *next, *stop; /* the line after, the file's end */
    unsigned line;
} scan;

typedef struct {
    uint32_t number, pred_first, pred_count;
    unsigned line;
    double time;
} row;

typedef struct {
    const read_input *in;
    scan scan;
    row *row;
    uint32_t rows, row_room;
    uint32_t *pred; /* numbers */
    uint32_t preds, pred_room;
    uint32_t *where; /* number -> row + 1 */
} reader;

static bool next_row(scan *s)
{
    while (s->next < s->stop) {
        const char *newline = memchr(s->next, '\n', (size_t)(s->stop - s->next)), *end = newline ? newline : s->stop;
        const char *comment = memchr(s->next, '#', (size_t)(end - s->next));
        s->at = s->next;
        s->end = comment ? comment : end;
        s->next = newline ? newline + 1 : s->stop;
        s->line++;
        while (s->at < s->end && strchr(" \t\r\f\v", *s->at) && *s->at)
            s->at++;
        if (s->at < s->end)
            return true;
    }
    return false;
}

static size_t next_word(scan *s, const char **word)
{
    while (s->at < s->end && *s->at && strchr(" \t\r\f\v", *s->at))
        s->at++;
    *word = s->at;
    while (s->at < s->end && (!*s->at || !strchr(" \t\r\f\v", *s->at)))
        s->at++;
    return (size_t)(s->at - *word);
}

static bool fail_missing(const reader *r, const char *what)
{
    if (r->scan.next == r->scan.stop)
        return read_fail(r->in, r->scan.line, "the file is cut off: the row ends before %s", what);
    return read_fail(r->in, r->scan.line, "the row ends before %s; a row is: number, time, number of predecessors, their numbers", what);
}

static bool take_count(reader *r, const char *what, uint32_t *count)
{
    const char *word;
    size_t length = next_word(&r->scan, &word);
    uint64_t number = 0;
    if (length == 0)
        return fail_missing(r, what);
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return read_fail(r->in, r->scan.line, "%s must be a whole number from 0 on, but is '%s'", what, read_shown(word, length).text);
        number = number * 10 + (uint64_t)(word[i] - '0');
        if (number >= UINT32_MAX)
            return read_fail(r->in, r->scan.line, "%s is '%s', which is too large", what, read_shown(word, length).text);
    }
    *count = (uint32_t)number;
    return true;
}

static bool take_time(reader *r, uint32_t task, double *time)
{
    const char *word;
    size_t length = next_word(&r->scan, &word);
    if (length == 0)
        return fail_missing(r, "its time");
    const char *wrong = read_time(word, length, time);
    if (wrong)
        return read_fail(r->in, r->scan.line, "the time of task %" PRIu32 " %s: '%s'", task, wrong, read_shown(word, length).text);
    return true;
}

/* Room for one more. */
static bool grow(const reader *r, void **array, uint32_t count, uint32_t *room, size_t bytes)
{
    if (count < *room)
        return true;
    uint32_t more = *room ? *room * 2 : 256; /* a file's bytes keep it far from the end of the numbers */
    void *moved = realloc(*array, more * bytes);
    if (!moved)
        return read_no_memory(r->in);
    *array = moved;
    *room = more;
    return true;
}

static bool take_row(reader *r)
{
    row taken = {.pred_first = r->preds, .line = r->scan.line};
    if (!take_count(r, "a task's number", &taken.number) || !take_time(r, taken.number, &taken.time) ||
        !take_count(r, "the number of its predecessors", &taken.pred_count))
        return false;
    for (uint32_t i = 0; i < taken.pred_count; i++) {
        void *pred = r->pred;
        bool enough = grow(r, &pred, r->preds, &r->pred_room, sizeof *r->pred);
        r->pred = pred;
        if (!enough || !take_count(r, "all its predecessors", &r->pred[r->preds]))
            return false;
        r->preds++;
    }
    const char *word;
    size_t length = next_word(&r->scan, &word);
    if (length > 0)
        return read_fail(r->in, r->scan.line, "task %" PRIu32 " has %" PRIu32 " predecessors, but after them comes '%s'", taken.number,
                         taken.pred_count, read_shown(word, length).text);
    void *rows = r->row;
    bool enough = grow(r, &rows, r->rows, &r->row_room, sizeof *r->row);
    r->row = rows;
    if (enough)
        r->row[r->rows++] = taken;
    return enough;
}

static bool take_rows(reader *r)
{
    const char *word;
    uint32_t count = 0;
    if (!next_row(&r->scan))
        return read_fail(r->in, 1, "there are only comments; the first row must be the number of tasks");
    unsigned line = r->scan.line;
    if (!take_count(r, "the number of tasks", &count))
        return false;
    size_t length = next_word(&r->scan, &word);
    if (length > 0)
        return read_fail(r->in, line, "the first row must be the number of tasks alone, but after it comes '%s'",
                         read_shown(word, length).text);
    while (next_row(&r->scan))
        if (!take_row(r))
            return false;
    if (r->rows != count && r->rows != (uint64_t)count + 2)
        return read_fail(r->in, line,
                         "the file says it has %" PRIu32 " tasks, but there are %" PRIu32 " rows; there must be as many, or two more",
                         count, r->rows);
    return true;
}

static bool number_rows(reader *r)
{
    r->where = read_room(r->in, r->rows, sizeof *r->where);
    if (!r->where)
        return false;
    for (uint32_t i = 0; i < r->rows; i++) {
        const row *at = &r->row[i];
        if (at->number >= r->rows)
            return read_fail(r->in, at->line, "task %" PRIu32 " is unknown: of %" PRIu32 " rows the tasks are 0 to %" PRIu32, at->number,
                             r->rows, r->rows - 1);
        if (r->where[at->number])
            return read_fail(r->in, at->line, "task %" PRIu32 " is repeated: line %u has it already", at->number,
                             r->row[r->where[at->number] - 1].line);
        r->where[at->number] = i + 1;
    }
    return true;
}

static bool make_tasks(const reader *r)
{
    enum { NAME_BYTES = 11 };
    struct read_memory *memory = r->in->memory;
    memory->task = read_room(r->in, r->rows, sizeof *memory->task);
    memory->texts = read_room(r->in, r->rows, NAME_BYTES);
    if (!memory->task || !memory->texts)
        return false;
    for (uint32_t i = 0; i < r->rows; i++) {
        char *name = memory->texts + (size_t)i * NAME_BYTES;
        snprintf(name, NAME_BYTES, "%" PRIu32, r->row[i].number);
        memory->task[i] = (weir_drawn_task){.name = name, .kind = "empty", .cost_ns = r->row[i].time, .share = 1};
    }
    r->in->drawing->task = memory->task;
    r->in->drawing->task_count = r->rows;
    return true;
}

static bool make_row_edges(const reader *r, uint32_t task, uint32_t *follower)
{
    const row *at = &r->row[task];
    for (uint32_t i = at->pred_first; i < at->pred_first + at->pred_count; i++) {
        if (r->pred[i] >= r->rows)
            return read_fail(r->in, at->line, "task %" PRIu32 " follows task %" PRIu32 ", which is unknown: the last is %" PRIu32,
                             at->number, r->pred[i], r->rows - 1);
        uint32_t from = r->where[r->pred[i]] - 1;
        if (follower[from] == task + 1)
            return read_fail(r->in, at->line, "task %" PRIu32 " follows task %" PRIu32 " repeatedly; name it once", at->number, r->pred[i]);
        follower[from] = task + 1;
        r->in->memory->edge[i] = (weir_drawn_edge){from, task, 0};
    }
    return true;
}

static bool make_edges(const reader *r)
{
    uint32_t *follower = read_room(r->in, r->rows, sizeof *follower); /* the last, + 1 */
    r->in->memory->edge = read_room(r->in, r->preds, sizeof *r->in->memory->edge);
    bool done = follower && r->in->memory->edge;
    for (uint32_t i = 0; i < r->rows && done; i++)
        done = make_row_edges(r, i, follower);
    free(follower);
    r->in->drawing->edge = r->in->memory->edge;
    r->in->drawing->edge_count = r->preds;
    return done;
}

static unsigned line_of_edge(const read_input *in, void *user, uint32_t edge)
{
    const reader *r = user;
    return r->row[in->drawing->edge[edge].to].line;
}

bool read_stg(const read_input *in)
{
    reader r = {.in = in, .scan = {.next = in->text, .stop = in->text + in->bytes}};
    in->drawing->name = in->memory->title;
    bool done = take_rows(&r) && number_rows(&r) && make_tasks(&r) && make_edges(&r) && read_order(in, line_of_edge, &r);
    free(r.row);
    free(r.pred);
    free(r.where);
    return done;
}
