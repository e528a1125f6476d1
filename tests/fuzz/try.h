/* try.h - inside the fuzz targets: what is done with every text. */
#ifndef TESTS_FUZZ_TRY_H
#define TESTS_FUZZ_TRY_H

#include "read_format.h"
#include <stdint.h>

/* What libFuzzer and replay.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Reads the text. A refusal must name a line; what is accepted must be measurable, drawable and, if small, have a plan that is proven.
 * Ends the program if not. */
void try_text(read_format *format, const uint8_t *data, size_t bytes);

#endif
