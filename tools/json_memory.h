/* json_memory.h - a bound on what jansson may take: a small file can ask for a lot, a list of a million numbers for fifty bytes each. */
#ifndef TOOLS_JSON_MEMORY_H
#define TOOLS_JSON_MEMORY_H

#include <stdbool.h>

enum { JSON_MEMORY_MIB = 2048 }; /* for all JSON in use at a time: enough for a graph of a million tasks, or a plan of 700,000 */

/* From here on jansson has no more. Call it before the first use of jansson, and before each later one. */
void json_memory_limit(void);

bool json_memory_ran_out(void); /* since then: jansson's own error does not always say so */

#endif
