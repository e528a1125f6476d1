/* read.c - gets a file into memory, finds its format, and helps the formats. */
#include "read.h"
#include "dag.h"
#include "read_format.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BYTES_MOST ((size_t)256 << 20) /* a plan of a million tasks in JSON has 200 */

/* ---- for the formats ---- */

bool read_fail(const read_input *in, unsigned line, const char *format, ...)
{
    va_list args;
    char *text = in->error->text;
    size_t room = sizeof in->error->text;
    int used = line ? snprintf(text, room, "%s:%u: ", in->name, line) : snprintf(text, room, "%s: ", in->name);
    va_start(args, format);
    if (used > 0 && (size_t)used < room)
        vsnprintf(text + used, room - (size_t)used, format, args);
    va_end(args);
    return false;
}

bool read_no_memory(const read_input *in)
{
    return read_fail(in, 0, "there is not enough memory to read it");
}

void *read_room(const read_input *in, size_t count, size_t bytes)
{
    void *room = calloc(count ? count : 1, bytes);
    if (!room)
        read_no_memory(in);
    return room;
}

read_word read_shown(const char *word, size_t length)
{
    read_word shown = {""};
    const size_t most = sizeof shown.text - 4;
    size_t kept = length < most ? length : most;
    for (size_t i = 0; i < kept; i++)
        shown.text[i] = '?';
    for (size_t i = 0; i < kept; i++)
        if (isprint((unsigned char)word[i]))
            shown.text[i] = word[i];
    if (length > most)
        memcpy(shown.text + most, "...", 4);
    return shown;
}

const char *read_time(const char *word, size_t length, double *time)
{
    char copy[64], *end = NULL;
    if (length == 0 || length >= sizeof copy || strspn(word, "0123456789+-.eE") < length)
        return "is no number";
    memcpy(copy, word, length);
    copy[length] = '\0';
    *time = strtod(copy, &end);
    if (end == copy || *end)
        return "is no number";
    if (signbit(*time))
        return "is negative";
    return *time <= READ_TIME_MOST ? NULL : "is more than 1e15";
}

/* "'a' -> 'b' -> 'a'", without the middle of a long one. */
static void name_cycle(const weir_drawing *d, const uint32_t *cycle, uint32_t count, char *text, size_t room)
{
    enum { NAMED_MOST = 10 };
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < room; i++) {
        if (count > NAMED_MOST && i == NAMED_MOST / 2) {
            i = count - NAMED_MOST / 2;
            used += (size_t)snprintf(text + used, room - used, "... (%" PRIu32 " more) ... -> ", count - NAMED_MOST);
        }
        const char *name = d->task[d->edge[cycle[i]].from].name;
        if (used < room)
            used += (size_t)snprintf(text + used, room - used, "'%s' -> ", read_shown(name, strlen(name)).text);
    }
    const char *name = d->task[d->edge[cycle[0]].from].name;
    if (used < room)
        snprintf(text + used, room - used, "'%s'", read_shown(name, strlen(name)).text);
}

static bool fail_cycle(const read_input *in, const dag *d, unsigned (*line_of)(const read_input *in, void *user, uint32_t edge), void *user)
{
    char text[400];
    uint32_t *cycle = read_room(in, d->tasks, sizeof *cycle), count = cycle ? dag_cycle(in->drawing, d, cycle) : 0;
    if (count == 0) {
        free(cycle);
        return read_no_memory(in);
    }
    name_cycle(in->drawing, cycle, count, text, sizeof text);
    read_fail(in, line_of(in, user, cycle[count - 1]), "cycle: %s; take one of these edges out", text);
    free(cycle);
    return false;
}

static bool find_critical_path(const read_input *in, const dag *d)
{
    in->memory->critical = read_room(in, d->tasks, sizeof *in->memory->critical);
    if (!in->memory->critical)
        return false;
    if (dag_longest_path(in->drawing, d, in->memory->critical, &in->drawing->critical_count) < 0)
        return read_no_memory(in);
    in->drawing->critical = in->memory->critical;
    return true;
}

bool read_order(const read_input *in, unsigned (*line_of)(const read_input *in, void *user, uint32_t edge), void *user)
{
    dag d;
    if (!dag_init(in->drawing, &d))
        return read_no_memory(in);
    bool done = d.ordered < d.tasks ? fail_cycle(in, &d, line_of, user) : in->drawing->critical || find_critical_path(in, &d);
    dag_finish(&d);
    return done;
}

/* ---- which format ---- */

static const struct {
    const char *suffix;
    read_format *read;
} suffixes[] = {{".json", read_json}, {".stg", read_stg}, {".dot", read_dot}, {".gv", read_dot}};

static const struct {
    const char *beginning; /* in any case */
    read_format *read;
} beginnings[] = {{"{", read_json}, {"[", read_json}, {"digraph", read_dot}, {"graph", read_dot}, {"strict", read_dot}, {"/", read_dot}};

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static read_format *format_of(const char *name, const char *text)
{
    const char *suffix = strrchr(base_of(name), '.');
    for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix, suffixes[i].suffix) == 0)
            return suffixes[i].read;
    text += strspn(text, " \t\r\n");
    while (*text == '#') { /* a comment in both .stg and DOT */
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    if (isdigit((unsigned char)*text))
        return read_stg;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncasecmp(text, beginnings[i].beginning, strlen(beginnings[i].beginning)) == 0)
            return beginnings[i].read;
    return NULL;
}

/* ---- the file ---- */

static void free_memory(struct read_memory *memory)
{
    free(memory->task);
    free(memory->body);
    free(memory->edge);
    free(memory->carried);
    free(memory->wait);
    free(memory->lane_priority);
    free(memory->critical);
    free(memory->cycle);
    free(memory->title);
    free(memory->texts);
    if (memory->release)
        memory->release(memory->kept);
    free(memory);
}

static char *title_of(const read_input *in)
{
    const char *base = base_of(in->name), *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *title = read_room(in, length + 1, 1);
    if (title)
        snprintf(title, length + 1, "%s", base);
    return title;
}

bool read_from_text(read_format *format, const char *name, const char *text, size_t bytes, read_drawing *out, read_error *error)
{
    read_drawing read = {.drawing = {.frames = 1, .ring_copies = 1}};
    read_input in = {.name = name, .text = text, .bytes = bytes, .drawing = &read.drawing, .error = error};
    read.memory = in.memory = read_room(&in, 1, sizeof *read.memory);
    if (!read.memory)
        return false;
    read.memory->title = title_of(&in);
    if (!format)
        format = format_of(name, text);
    bool done = false;
    if (strspn(text, " \t\r\n") == bytes)
        read_fail(&in, 1, "the file is empty; save a graph or plan with weir_save or WEIR_DUMP=FILE.json");
    else if (!format)
        read_fail(&in, 1, "this is no format dagdump knows: JSON that weir saved, a Standard Task Graph (.stg) or DOT (.dot, .gv)");
    else
        done = read.memory->title && format(&in);
    if (!done) {
        free_memory(read.memory);
        return false;
    }
    *out = read;
    return true;
}

/* Everything a stream holds, with a zero byte behind it. */
static char *load_stream(const read_input *in, FILE *from, size_t *bytes)
{
    char *text = NULL;
    size_t used = 0, room = (size_t)1 << 16;
    for (;;) {
        char *moved = realloc(text, room);
        if (!moved) {
            read_no_memory(in);
            break;
        }
        text = moved;
        used += fread(text + used, 1, room - used - 1, from);
        if (ferror(from)) {
            read_fail(in, 0, "cannot be read: %s", strerror(errno));
            break;
        }
        if (feof(from)) {
            text[used] = '\0';
            *bytes = used;
            return text;
        }
        if (used >= BYTES_MOST) {
            read_fail(in, 0, "it is larger than %zu MiB, the most that is read", BYTES_MOST >> 20);
            break;
        }
        if (room - used == 1)
            room *= 2;
    }
    free(text);
    return NULL;
}

char *read_load(const char *path, const char **name, size_t *bytes, read_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    read_input in = {.name = standard ? "standard input" : path, .error = error};
    FILE *from = standard ? stdin : fopen(path, "rb");
    if (!from) {
        read_fail(&in, 0, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    char *text = load_stream(&in, from, bytes);
    if (!standard)
        fclose(from);
    *name = in.name;
    return text;
}

bool read_file(const char *path, read_drawing *out, read_error *error)
{
    const char *name = NULL;
    size_t bytes = 0;
    char *text = read_load(path, &name, &bytes, error);
    bool done = text && read_from_text(NULL, name, text, bytes, out, error);
    free(text);
    return done;
}

void read_drawing_finish(read_drawing *read)
{
    free_memory(read->memory);
    *read = (read_drawing){0};
}
