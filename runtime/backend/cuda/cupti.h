/* cupti.h - when the nodes of replayed graphs ran, by NVIDIA's tracing library. It is looked for and loaded when the first trace wants it:
 * programs are not linked with it, and without it all but such traces works.
 *
 * One user is one who wants records: a runtime that is traced. CUPTI knows one client a process, so all users share it, and each is told of
 * all launches that weir made: `launch` tells whose it was.
 * A record is matched by three numbers. `launch` is what the launching thread said to weir_cupti_launch_begin; give each launch of the process
 * a number of its own (weir_cupti_launch_number). `graph` is the instantiated graph's (weir_cupti_exec_id), `node` that of a node of the
 * graph it was made from (weir_cupti_node): an instantiated graph has a number of its own and keeps those of the nodes within.
 * Nodes that run no device code (empty nodes, host functions, those switched off) have no record.
 *
 * Threads: any. Records come only inside weir_cupti_flush and weir_cupti_stop, whoever calls them, one at a time; so call these two, and
 * weir_cupti_start, with no lock held that `record` takes, and not from a callback of CUDA's or CUPTI's. */
#ifndef WEIR_BACKEND_CUDA_CUPTI_H
#define WEIR_BACKEND_CUDA_CUPTI_H

#include "weir/status.h"
#include <cuda_runtime_api.h>

typedef enum { WEIR_CUPTI_KERNEL, WEIR_CUPTI_TO_DEVICE, WEIR_CUPTI_TO_HOST, WEIR_CUPTI_WITHIN, WEIR_CUPTI_FILL } weir_cupti_kind;

typedef struct {
    uint32_t graph, node;
    uint64_t launch;
    int64_t start_ns, end_ns; /* weir_clock_ns, reckoned from the device's clock by CUPTI */
    weir_cupti_kind kind;     /* TO_DEVICE, TO_HOST: copies between host and device; WITHIN: any other copy */
    uint32_t stream;          /* where the driver ran it: of one stream, records do not overlap */
} weir_cupti_record;

/* What one flush has to tell comes in the order in which it started. Must not call this file. */
typedef void weir_cupti_reader(void *user, const weir_cupti_record *record);

/* From now on graphs that are launched between launch_begin and launch_end are recorded. WEIR_ERR_BACKEND: there is no CUPTI, or it refuses;
 * WEIR_ERR_STATE: another profiler has it, which is named; WEIR_ERR_NO_MEMORY. The program can go on without. */
weir_status weir_cupti_start(weir_cupti_reader *record, void *user);

/* Tells of what has completed. What completed while something else that is recorded still runs may be held back, and come with a later
 * flush: CUPTI gives records out in buffers. Once the device is idle everything has come. Does not wait for the device. */
weir_status weir_cupti_flush(void);

/* Tells of what is left, then forgets the user; nothing that it launched is running. Does nothing for one who never started. */
void weir_cupti_stop(void *user);

/* Numbers as records carry them, while there is a user; UINT32_MAX: CUPTI does not know. */
uint32_t weir_cupti_exec_id(cudaGraphExec_t exec);
uint32_t weir_cupti_node(cudaGraphNode_t node);

uint64_t weir_cupti_launch_number(void); /* from 1 on, never the same twice in a process */

/* Round a cudaGraphLaunch of the calling thread. Cheap, and without effect while nobody traces. */
void weir_cupti_launch_begin(uint64_t launch);
void weir_cupti_launch_end(void);

#endif
