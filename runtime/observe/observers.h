/* observers.h - what the observe room wants to be told by run, as one table. */
#ifndef WEIR_OBSERVE_OBSERVERS_H
#define WEIR_OBSERVE_OBSERVERS_H

#include "run/runtime.h"

extern const weir_observers weir_observers_all;

#endif
