/* shape_file.h - the graph of a file as a shape. */
#ifndef DAGBENCH_SHAPE_FILE_H
#define DAGBENCH_SHAPE_FILE_H

#include "shapes.h"
#include <stdbool.h>
#include <stddef.h>

/* Its tasks and the edges of one frame, as given, implied ones too; a task that stands before one it follows is moved behind it. Costs and
 * groups are left out: each task only counts. On success the shape is the caller's, to free with shape_finish; else `error` says
 * "FILE:LINE: what is wrong". */
bool shape_read(const char *path, shape *out, char *error, size_t error_bytes);

/* Whether a text names a file: it has a '/' or ends in .stg, .dot, .gv or .json. */
bool shape_is_file(const char *text);

#endif
