/* rival.h - the same graph by hand, with nothing but the CUDA runtime API: streams and events, or a CUDA graph. What weir is measured against, so
 * it does what a good programmer would do, and no more. Includes nothing of weir. */
#ifndef DAGBENCH_RIVAL_H
#define DAGBENCH_RIVAL_H

#include "race.h"
#include "rival_schedule.h"
#include "spin.h"
#include "trouble.h"

/* What tasks launch: `code` with task t's arguments args[t]. */
typedef struct {
    const void *code;
    void ***args;
    void *memory;
} rival_work;

/* The same arguments for all tasks: `arg` is what cudaLaunchKernel is given, and must outlive the work. */
bool rival_work_same(rival_work *w, uint32_t tasks, const void *code, void **arg, trouble *why);
/* The arguments of spin_ticket. */
bool rival_work_tickets(rival_work *w, uint32_t tasks, const void *code, spin_record *const *records, trouble *why);
void rival_work_finish(rival_work *w); /* zeroed is fine */

/* The streams that all rivals share. */
typedef struct {
    cudaStream_t stream[RIVAL_STREAMS_MOST];
} rival_pool;

bool rival_pool_init(rival_pool *pool, trouble *why); /* finish it whatever comes back */
void rival_pool_finish(rival_pool *pool);

/* How the end of a frame is waited for: by asking streams again and again, or in cudaStreamSynchronize. */
typedef enum { RIVAL_ASK, RIVAL_SYNCHRONISE } rival_ending;

/* These make a racer: its name, and what it needs for frames. Pool, work and graph must outlive it. */
bool rival_eager_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, rival_way way, rival_ending ending,
    trouble *why);
bool rival_sync_each_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, trouble *why); /* a classic mistake */
bool rival_capture_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, rival_way way, rival_ending ending,
    trouble *why);
bool rival_nodes_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, rival_ending ending, trouble *why);
/* Of the latter: makes its executable graph into that of another work by changing it. */
bool rival_nodes_change(racer *made, const shape *graph, const rival_work *work, trouble *why);
/* Explicit nodes by programmatic edges: a task may start when those before it let it, and waits for their end itself. Compute capability 9.0. */
bool rival_programmatic_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, trouble *why);
/* Any CUDA graph, which it takes over, also where it fails. `how` is left to the caller. */
bool rival_graph_make(racer *out, const rival_pool *pool, cudaGraph_t graph, trouble *why);

/* How long it takes to build and instantiate a graph of explicit nodes, and with the upload to the device. */
bool rival_nodes_time_build(const rival_pool *pool, const shape *graph, const rival_work *work, double *ns, double *uploaded_ns, trouble *why);

/* Shared by rival_*.c: a task's launch, and the wait for streams to be done. */
bool rival_launch(const rival_work *work, uint32_t task, cudaStream_t stream, trouble *why);
bool rival_wait(const rival_pool *pool, const uint32_t *stream, uint32_t count, rival_ending ending, trouble *why);
void rival_name(racer *out, const char *mode, rival_way way, rival_ending ending);

#endif
