/* stg_fuzz.c - any bytes at all as a Standard Task Graph. */
#include "try.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    try_text(read_stg, data, bytes);
    return 0;
}
