/* dump.h - WEIR_DUMP. */
#ifndef WEIR_OBSERVE_DUMP_H
#define WEIR_OBSERVE_DUMP_H

#include "weir/plan.h"

/* Saves the plan if WEIR_DUMP asks for it: the process's first plan to the file it names, the second to e.g. dag-2.dot. Called when an
 * exec is made, from any thread. WEIR_ERR_INVALID for a suffix that tells no format; as weir_save. */
weir_status weir_dump_if_asked(const weir_plan *plan);

#endif
