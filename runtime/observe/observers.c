/* observers.c - the table of what the observe room wants to be told. */
#include "observe/observers.h"
#include "observe/dump.h"
#include "observe/trace.h"

const weir_observers weir_observers_all = {
    .runtime_opened = weir_trace_if_asked,
    .runtime_ends = weir_trace_end,
    .exec_made = weir_dump_if_asked,
};
