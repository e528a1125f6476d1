/* read_format.h - inside the readers: what a format is, and what all of them need. A new format is a file with one such function and
 * a line in read.c's tables. */
#ifndef TOOLS_READ_FORMAT_H
#define TOOLS_READ_FORMAT_H

#include "read.h"
#include <stddef.h>

/* Zeroed at birth; everything is freed with the drawing, however far a reader got. */
struct read_memory {
    weir_drawn_task *task;
    weir_drawn_body *body; /* of all tasks */
    weir_drawn_edge *edge, *carried, *wait;
    int32_t *lane_priority;
    uint32_t *critical, *cycle;
    char *title; /* the file's name without folder and suffix, for a graph without a name */
    char *texts;
    void *kept; /* what else texts lie in, and how to free it */
    void (*release)(void *kept);
};

typedef struct {
    const char *name; /* of the file, for messages */
    const char *text; /* all of it; a zero byte follows */
    size_t bytes;
    weir_drawing *drawing; /* to be filled in, with arrays that `memory` owns */
    struct read_memory *memory;
    read_error *error;
} read_input;

/* False, after read_fail, if the text is not as it should be. */
typedef bool read_format(const read_input *in);
read_format read_json, read_stg, read_dot;

/* Reads a text that is in memory already. */
bool read_from_text(read_format *format, const char *name, const char *text, size_t bytes, read_drawing *out, read_error *error);

/* A whole file, with a zero byte behind it, to be freed; "-" is standard input. *name is what messages call it. */
char *read_load(const char *path, const char **name, size_t *bytes, read_error *error);

/* Sets the error to "NAME:LINE: ..." (line 0: "NAME: ..."); returns false. */
bool read_fail(const read_input *in, unsigned line, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
bool read_no_memory(const read_input *in);

/* Room for `count` zeroed elements, or for one if there are none; NULL after read_no_memory. */
void *read_room(const read_input *in, size_t count, size_t bytes);

/* A word of the file, fit for a message: short and printable. */
typedef struct {
    char text[40];
} read_word;
read_word read_shown(const char *word, size_t length);

/* A time: a decimal number from 0 to READ_TIME_MOST. NULL, or what is wrong with it. */
#define READ_TIME_MOST 1e15
const char *read_time(const char *word, size_t length, double *time);

/* Fails, naming the tasks, if the edges form a cycle; `line_of` finds the line of an edge. Otherwise fills in the critical path, unless
 * the drawing has one. The last that a format does. */
bool read_order(const read_input *in, unsigned (*line_of)(const read_input *in, void *user, uint32_t edge), void *user);

#endif
