/* trouble.c - see trouble.h. */
#include "trouble.h"
#include <stdio.h>
#include <string.h>

bool trouble_no_memory(trouble *t)
{
    snprintf(t->text, sizeof t->text, "out of memory, use fewer --tasks");
    return false;
}

bool trouble_cuda(trouble *t, cudaError_t error, const char *call)
{
    snprintf(t->text, sizeof t->text, "%.*s: %s", (int)strcspn(call, "("), call, cudaGetErrorString(error));
    return false;
}
