/* trace.h - WEIR_TRACE, and traces that a program asks for: Chrome/Perfetto JSON, one event a line, written as it happens. */
#ifndef WEIR_OBSERVE_TRACE_H
#define WEIR_OBSERVE_TRACE_H

#include "run/runtime.h"

/* Starts a trace if WEIR_TRACE asks for one: the process's first traced runtime writes to the file it names, the second to e.g.
 * trace-2.json. Called when a runtime is opened. */
weir_status weir_trace_if_asked(weir_runtime *runtime);

/* Ends what is left of a trace when the runtime ends; failures are logged. */
void weir_trace_end(weir_runtime *runtime);

#endif
