/* rival_slots.h - several frames in flight by hand: a CUDA graph for each of them, launched in turn, each in a stream of its own, so that a graph
 * starts when its own last launch is done; tied to the one before by event nodes. Includes nothing of weir. */
#ifndef DAGBENCH_RIVAL_SLOTS_H
#define DAGBENCH_RIVAL_SLOTS_H

#include "rival.h"

enum { RIVAL_SLOTS_MOST = 8, RIVAL_TIES_MOST = 64 };

/* When a frame is launched: once the one that had its slot before is done, for which the host looks, so that never more frames are in flight than
 * there are slots; or at once, which leaves that order to the device. The latter spares the host's part, but nobody could read a frame's output. */
typedef enum { RIVAL_KEPT, RIVAL_FREE } rival_launching;

typedef struct {
    const rival_pool *pool;
    uint32_t slots, ties; /* ties: carried edges, each from a task of a frame to one of the next */
    rival_launching launching;
    cudaGraph_t graph[RIVAL_SLOTS_MOST];
    cudaGraphExec_t exec[RIVAL_SLOTS_MOST];
    cudaEvent_t event[RIVAL_SLOTS_MOST][RIVAL_TIES_MOST];
} rival_slots;

/* Empty graphs, which the caller fills, and events. Finish it whatever comes back; zeroed is fine. */
bool rival_slots_init(rival_slots *s, const rival_pool *pool, uint32_t slots, uint32_t ties, rival_launching launching, trouble *why);
void rival_slots_finish(rival_slots *s);

/* While a slot's graph is filled: the node that waits for the frame before, and goes before the later task; NULL where there is one slot, whose
 * launches come one after another by themselves. And one behind the earlier task, that the next frame waits for. */
bool rival_slots_wait(const rival_slots *s, uint32_t slot, uint32_t tie, cudaGraphNode_t *out, trouble *why);
bool rival_slots_record(const rival_slots *s, uint32_t slot, uint32_t tie, cudaGraphNode_t earlier, trouble *why);

/* Makes them executable, when all graphs are filled, and carries them to the device. */
bool rival_slots_instantiate(rival_slots *s, trouble *why);

/* Frame after frame, from 0: its turn, where the host looks for that; its launch; the end of all. */
bool rival_slots_await(const rival_slots *s, uint64_t frame, trouble *why);
bool rival_slots_launch(const rival_slots *s, uint64_t frame, trouble *why);
bool rival_slots_end(const rival_slots *s, trouble *why);

/* A racer: any graph of a kernel, whose first `ties` tasks each follow themselves from frame to frame. submit_ns of a lap is the time in
 * cudaGraphLaunch alone. */
bool rival_tied_make(racer *out, const rival_pool *pool, const shape *graph, const rival_work *work, uint32_t slots, uint32_t ties, trouble *why);

#endif
