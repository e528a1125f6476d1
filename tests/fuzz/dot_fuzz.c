/* dot_fuzz.c - any bytes at all as DOT. */
#include "try.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    try_text(read_dot, data, bytes);
    return 0;
}
