/* json_fuzz.c - any bytes at all as JSON. */
#include "try.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    try_text(read_json, data, bytes);
    return 0;
}
