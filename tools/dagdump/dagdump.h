/* dagdump.h - what the sub-commands of dagdump share. Each is one file in this folder and one line in dagdump.c's table. */
#ifndef DAGDUMP_H
#define DAGDUMP_H

#include "weir/drawing.h"
#include <stdbool.h>
#include <stddef.h>

enum { DAGDUMP_OK = 0, DAGDUMP_BAD_INPUT = 1, DAGDUMP_USAGE = 2 }; /* exit statuses */

/* Sub-commands: argv[0] is the first argument after the sub-command's name. They return an exit status. */
int dagdump_draw(int argc, char **argv);
int dagdump_stats(int argc, char **argv);
int dagdump_plan(int argc, char **argv);
int dagdump_timeline(int argc, char **argv);
int dagdump_devices(int argc, char **argv);

/* Writes "dagdump: " and the text to standard error; returns `exit_status`. */
int dagdump_fail(int exit_status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* An option of a sub-command: one with a value sets *value, one without sets *given. */
typedef struct {
    const char *long_name, *short_name; /* "--output", "-o"; or NULL: no short one */
    const char **value;
    bool *given;
} dagdump_option;

/* Reads the arguments of a sub-command that takes one file: "-" is standard input, and all is a file after "--". `purpose` is what it
 * wants the file for; NULL: it may do without. Returns an exit status. */
int dagdump_options(int argc, char **argv, const dagdump_option *options, size_t count, const char *purpose, const char **file);

/* A whole number from 1 to `most`; else tells what is wrong with the option of that name. */
bool dagdump_number(const char *option, const char *text, uint32_t most, uint32_t *number);

/* Finds the format that is asked for: by name, or NULL by the suffix of the output. Returns an exit status. */
int dagdump_format(const char *output, const char **format);

/* Writes it in that format; `input` is where it comes from, for messages. Returns an exit status. */
int dagdump_save(const weir_drawing *drawing, const char *input, const char *output, const char *format);

/* Draws through graphviz's program; "-" is standard output. False, with the reason on standard error, if that did not work; then the
 * file is as it was. */
bool dagdump_svg(const weir_drawing *drawing, const char *path);

/* Lets `write` write to a file that is opened for it, and gives the file its name only when that has gone well; `write` tells what goes
 * wrong by itself. What is no ordinary file (a pipe, /dev/null) is written to, never replaced; "-" is standard output. */
bool dagdump_write(const char *path, bool (*write)(int file, const char *name, void *user), void *user);

#endif
