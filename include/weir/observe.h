/* observe.h - what weir tells of itself: graphs and plans as files, statistics, traces.
 * WEIR_DUMP=FILE and WEIR_TRACE=FILE do the same for any program without a line of code. */
#ifndef WEIR_OBSERVE_H
#define WEIR_OBSERVE_H

#include "weir/plan.h"
#include "weir/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a graph (`plan` NULL) or a plan (`graph` may be NULL) to a file, whole or not at all. `format`: "json", "dot" or
 * "text"; NULL: by the suffix of `path` (.json, .dot, .gv, .txt). "-" as path is standard output.
 * WEIR_ERR_IO, WEIR_ERR_INVALID, WEIR_ERR_NO_MEMORY; the graph's own error. */
WEIR_API WEIR_MUST_USE weir_status weir_save(const char *path, const char *format, const weir_graph *graph, const weir_plan *plan);

/* Figures of an exec so far. Times are NAN where nothing was measured. */
typedef struct {
    uint64_t frames;          /* completed */
    uint64_t instantiations;  /* of CUDA graphs: one for each phase of its rings, and each that had to be made anew, */
    uint64_t taken_over;      /* but for those that an exec of the same shape has left behind, and were merely changed */
    double frame_ns;          /* median over the last 63 frames, from submit to done */
    double interval_ns;       /* median over the same frames, from one done to the next done */
    double bound_ns;          /* frames cannot come faster, going by the plan's costs (weir_graph_take_costs) and by what runs it */
    double busy_share;        /* of the lanes' time that tasks ran, 0 to 1; execs whose tasks are timed: made with timing, and eager */
    double overlap_share;     /* of the busy time that at least two lanes were busy; the same execs */
    const char *mode;         /* what it does: "eager", "replay" or "capture", or "auto" until that has chosen; on the host "eager". A static string */
    const char *binding;      /* what bound_ns is: one of those of a plan, or "workers" for its host tasks, or "launches". A static string */
} weir_stats;

WEIR_API void weir_exec_stats(const weir_exec *exec, weir_stats *out); /* as they are now */

/* What bound_ns is, as a sentence with the tasks that bind: "frames cannot come faster than 1.84 ms: project -> advect -> project". Of many tasks
 * it has the first and last ones. At most `room` bytes, with the 0 at the end. WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_exec_why(const weir_exec *exec, char *text, size_t room);

/* Makes the cost of each task of the graph that the exec has run the median of its last 31 times there: what plans made from now on go by, and the
 * bounds of frames. The exec is of a plan with one lane, so that each task ran alone, and made with timing; on CUDA it runs eagerly. Tasks that
 * never ran keep their costs. On CUDA these are times between events, less what the events add: that is measured the first time, with nothing else
 * running if it is to be right, and takes a millisecond. WEIR_ERR_STATE for other execs; WEIR_ERR_INVALID for another graph's; WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_graph_take_costs(weir_graph *graph, const weir_exec *exec);

/* A way of running frames that mode "auto" tried, see weir_exec_options. */
typedef struct {
    const char *mode;      /* "replay" */
    uint32_t replay_lanes; /* whose order was added to the graph's edges; 0: of none */
    uint32_t frames;       /* run so so far */
    double frame_ns;       /* median of those measured; NAN: none was */
    int chosen;            /* 1: this one won */
} weir_candidate;

/* The first `room` candidates of an exec into `out` (NULL with room 0), as they are now. Returns how many there are: 0 for an exec of another mode. */
WEIR_API uint32_t weir_exec_candidates(const weir_exec *exec, weir_candidate *out, uint32_t room);

/* How often a task was seen to run, and the median of its last 31 times. Execs made with timing; else WEIR_ERR_STATE. In a replay none is seen. */
WEIR_API WEIR_MUST_USE weir_status weir_exec_task_stats(const weir_exec *exec, weir_task task, uint64_t *count, double *median_ns);

/* Share of the last frame's time that the lane was busy, 0 to 1; NAN for execs made without timing, or no such lane. */
WEIR_API double weir_exec_lane_busy(const weir_exec *exec, uint32_t lane);

/* Records every task that runs on the runtime, until stopped or the runtime's end, and writes it as Chrome/Perfetto JSON: a
 * row per lane and one per worker, and on a device one for copies to it and one for those to the host. What would overlap in a row, as
 * tasks of a replay do, which keeps no lanes, goes to further rows of that lane: "lane 2 (2)".
 * On CUDA frames that are submitted while this is on are recorded, and they take longer: tasks run eagerly are timed by events, replayed ones by
 * CUPTI. Without CUPTI, or while another profiler has it, a line is logged and replayed tasks are missing; with WEIR_DEBUG=1, all are.
 * One trace a runtime at a time: WEIR_ERR_STATE. WEIR_ERR_IO. */
WEIR_API WEIR_MUST_USE weir_status weir_trace_start(weir_runtime *runtime, const char *path);
WEIR_API WEIR_MUST_USE weir_status weir_trace_stop(weir_runtime *runtime);

#ifdef __cplusplus
}
#endif
#endif
