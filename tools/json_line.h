/* json_line.h - the line of a text on which some value stands: jansson keeps no lines of what it read. */
#ifndef TOOLS_JSON_LINE_H
#define TOOLS_JSON_LINE_H

#include <stddef.h>

/* Of text[key][index][member]; `key` NULL: of the text's own value; `index` -1 or `member` NULL: not that deep. Where that is not there,
 * the line of the innermost value around it that is. The text must be well-formed JSON whose keys have no escapes. */
unsigned json_line(const char *text, size_t bytes, const char *key, long index, const char *member);

#endif
