/* read_json.h - reads what weir_save wrote as JSON (the format stands in runtime/observe/write_json.c). Trusts nothing in the file. */
#ifndef TOOLS_READ_JSON_H
#define TOOLS_READ_JSON_H

#include "weir/drawing.h"
#include <stdbool.h>

typedef struct {
    weir_drawing drawing;
    struct read_memory *memory; /* what it points to */
} read_drawing;

/* "FILE:LINE: what is wrong, and what to do" */
typedef struct {
    char text[512];
} read_error;

/* "-" is standard input. On success *out is to be finished; false: it is untouched and *error says why. */
bool read_json(const char *path, read_drawing *out, read_error *error);
void read_drawing_finish(read_drawing *read);

#endif
