/* dagdump.h - what the sub-commands of dagdump share. Each is one file in this folder and one line in dagdump.c's table. */
#ifndef DAGDUMP_H
#define DAGDUMP_H

#include "weir/drawing.h"
#include <stdbool.h>

enum { DAGDUMP_OK = 0, DAGDUMP_BAD_INPUT = 1, DAGDUMP_USAGE = 2 }; /* exit statuses */

/* Sub-commands: argv[0] is the first argument after the sub-command's name. They return an exit status. */
int dagdump_draw(int argc, char **argv);
int dagdump_devices(int argc, char **argv);

/* Writes "dagdump: " and the text to standard error; returns `exit_status`. */
int dagdump_fail(int exit_status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Draws through graphviz's program; "-" is standard output. False, with the reason on standard error, if that did not work; then the
 * file is as it was. */
bool dagdump_svg(const weir_drawing *drawing, const char *path);

#endif
