/* weir.c - where the rooms are joined: the one file that knows both run and observe. */
#include "observe/observers.h"
#include "run/runtime.h"

weir_status weir_runtime_create(const weir_runtime_options *options, weir_runtime **out)
{
    return weir_runtime_open(options, &weir_observers_all, out);
}
