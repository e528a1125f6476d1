/* json_text.c - jansson's errors in this project's words. */
#include "json_text.h"
#include "json_memory.h"

json_t *json_text(const read_input *in)
{
    json_error_t error;
    json_memory_limit();
    json_t *root = json_loadb(in->text, in->bytes, JSON_REJECT_DUPLICATES, &error);
    if (root)
        return root;
    unsigned line = error.line > 0 ? (unsigned)error.line : 1;
    if (json_memory_ran_out()) {
        read_fail(in, line, "there is not enough memory to read it, or it needs more than the %d MiB that a file may", JSON_MEMORY_MIB);
        return NULL;
    }
    switch (json_error_code(&error)) {
    case json_error_premature_end_of_input:
        read_fail(in, line, "the file is cut off; save it again");
        break;
    case json_error_duplicate_key:
        read_fail(in, line, "%s; leave one of them", error.text);
        break;
    case json_error_numeric_overflow:
        read_fail(in, line, "%s; no number in such a file is that large", error.text);
        break;
    default:
        read_fail(in, line, "this is no JSON: %s; save the file again, or correct it there", error.text);
        break;
    }
    return NULL;
}
