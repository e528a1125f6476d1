/* json_text.h - a text as JSON. */
#ifndef TOOLS_JSON_TEXT_H
#define TOOLS_JSON_TEXT_H

#include "read_format.h"
#include <jansson.h>

/* What the text says, to be freed with json_decref; NULL after read_fail with its line. */
json_t *json_text(const read_input *in);

#endif
