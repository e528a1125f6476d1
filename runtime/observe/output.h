/* output.h - a file that appears under its name whole or not at all: it is written beside under another name, then renamed. */
#ifndef WEIR_OBSERVE_OUTPUT_H
#define WEIR_OBSERVE_OUTPUT_H

#include "weir/status.h"
#include <stdio.h>

typedef struct {
    FILE *stream; /* to write to */
    char *path, *temporary; /* temporary NULL: `stream` is the destination itself */
} weir_output;

/* "-" is standard output. What exists and is no ordinary file (a device, a pipe) is written directly. WEIR_ERR_IO names the
 * path and the reason. Must be followed by one weir_output_finish. */
weir_status weir_output_init(weir_output *output, const char *path);

/* Keeps the file if `status` is WEIR_OK and everything was written, and drops it if not. Returns `status`, or what went wrong here. */
weir_status weir_output_finish(weir_output *output, weir_status status);

#endif
