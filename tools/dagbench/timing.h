/* timing.h - clock and median. */
#ifndef DAGBENCH_TIMING_H
#define DAGBENCH_TIMING_H

#include <stdint.h>

double timing_now_ns(void);                          /* monotonic */
double timing_median(double *value, uint32_t count); /* count > 0; sorts */

#endif
