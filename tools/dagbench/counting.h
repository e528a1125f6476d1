/* counting.h - the allocator that weir takes memory through in dagbench: it counts. From any thread. */
#ifndef DAGBENCH_COUNTING_H
#define DAGBENCH_COUNTING_H

#include <stddef.h>
#include <stdint.h>

void counting_install(void);        /* before any other call of weir */
size_t counting_live_bytes(void);   /* taken and not given back */
uint64_t counting_calls(void);      /* how often memory was asked for or given back, so far */

#endif
