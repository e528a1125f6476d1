/* graph.h - declares tasks, the data they touch and the order between them. Knows no backend: whether one has the code for
 * a task is asked when an exec is made.
 *
 * The order of declaration is the meaning: the graph computes what its tasks computed one after another in that order, frame
 * after frame. Edges are derived from the accesses: a task comes after the tasks before it that touch an overlapping box of
 * the same copy, unless both only read or both only reduce.
 *
 * Declaring needs no check a line. A failed call returns the null task and adds nothing, nor does any after it; the first error sticks
 * to the graph, names the task, and comes out of weir_graph_status and weir_plan_create. So does what is touched before anything in the frame
 * wrote it, a ring or what is reduced into; but adding goes on, and where the graph is added to another or becomes a body, the other's frame counts.
 * Names, kernels and natives are kept, not copied: they must outlive graphs, plans and execs.
 * Threads: a graph belongs to one thread at a time. */
#ifndef WEIR_GRAPH_H
#define WEIR_GRAPH_H

#include "weir/buffer.h"
#include "weir/kernel.h"
#include "weir/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_graph weir_graph;             /* tasks, accesses and edges, being declared */
typedef struct weir_native_call weir_native_call; /* what a native is handed on CUDA, see weir/cuda.h */

/* A task of one graph. {0} is the null task. */
typedef struct {
    uint32_t number; /* 1, 2, ... in the order of adding */
    uint32_t graph;  /* tells handles of another graph apart */
} weir_task;

enum {
    WEIR_GRAPH_EXPLICIT = 1 /* edges only where weir_after declares them, between frames in flight too: weir_after_previous;
                             * accesses merely serve weir_graph_check */
};

/* An empty graph. `name` is kept. On success *out is the caller's, to free with weir_graph_destroy. WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_graph_create(const char *name, uint32_t flags, weir_graph **out);
WEIR_API void weir_graph_destroy(weir_graph *graph); /* plans made of it live on; NULL is fine */

/* A kernel over `shape`, passed `args` without the hidden ones. Touches WEIR_DEVICE, WEIR_HOST_IN and WEIR_HOST_OUT. */
WEIR_API weir_task weir_add_kernel(weir_graph *graph, const weir_kernel *kernel, weir_shape shape, weir_args args);

/* Copies the box of `read` (WEIR_READ or WEIR_PREVIOUS) to the box of `write` (WEIR_WRITE): equal extents, equal element
 * size. Any places but WEIR_HOST_LOCAL; the direction follows from them. On CUDA, workers copy between host places: there CUDA would keep its
 * caller waiting. */
WEIR_API weir_task weir_add_copy(weir_graph *graph, const char *name, weir_arg write, weir_arg read);

/* Fills the box of `write` with a pattern of 1, 2 or 4 bytes, copied here. The box's row must be a multiple of it. */
WEIR_API weir_task weir_add_fill(weir_graph *graph, const char *name, weir_arg write, const void *pattern, size_t pattern_bytes);

/* A function on a host thread of weir's, passed `user` and the arguments as a host kernel is. Touches host places only.
 * It follows itself from frame to frame, unless flagged WEIR_TASK_REENTRANT. Anything but WEIR_OK fails the frame and all later ones, of which
 * what has not begun is skipped: everything on the host, host tasks on CUDA, whose device has been given the rest.
 * No weir call from inside, and on CUDA no call that waits for the device, which may be waiting for this task. */
typedef weir_status weir_host_fn(void *user, void *const *args);
WEIR_API weir_task weir_add_host(weir_graph *graph, const char *name, weir_host_fn *function, void *user, weir_args args);

/* User code that is handed a stream: calls of a library, say cuFFT's. Static data, kept. Touches what kernels touch; a workspace of its own is
 * declared too, as a hidden buffer that it writes (weir_hidden), or it follows itself from frame to frame (WEIR_TASK_REENTRANT below).
 * On CUDA: `prepare` makes handles and whatever else takes memory, with the exec, once for each task and slot (0, 1, ...): frames of different slots
 * may be under way at once. So where it keeps something, each task of each exec that lives wants a `user` of its own. `enqueue` puts the work into
 * weir_native_stream(call) and returns (weir/cuda.h): once a frame in eager mode, else once when a slot's CUDA graph is made, of which it becomes a
 * part; then again only where that is made anew, as it is when a param that the task is passed has changed, or the task is switched off or on. In
 * the body of a loop or branch it is called twice each time, first into a graph that is thrown away, since a body must not fail. `release` undoes
 * prepare, for each slot that was prepared. All three run on the thread that makes the exec, submits or destroys, with the device current; enqueue
 * may also run on a thread of weir's.
 * Anything but WEIR_OK fails the exec's making (WEIR_ERR_TASK), or, of enqueue eagerly, the frame, as a host task's failure does.
 * What is enqueued may use other streams that fork from the given one and are joined to it again. In a CUDA graph, enqueue may not wait for the
 * device, take or free device memory, leave a stream unjoined, or do nothing: making the exec fails then and names the task. With WEIR_DEBUG=1
 * that holds in every mode, and it may not use the legacy stream either; nor may the program's other threads while it runs.
 * On the host only `host` is called, as a host task's function. No weir call from inside any but those of weir/cuda.h that take a call. */
typedef struct {
    const char *name;
    weir_status (*prepare)(void *user, uint32_t slot);                /* NULL: nothing to prepare */
    weir_status (*enqueue)(void *user, weir_native_call *call);       /* NULL: no code for CUDA */
    weir_host_fn *host;                                               /* NULL: no code for the host */
    void (*release)(void *user, uint32_t slot);                       /* NULL: nothing to release */
} weir_native;
WEIR_API weir_task weir_add_native(weir_graph *graph, const weir_native *native, void *user, weir_args args);

/* Does nothing; a point to order things by. */
WEIR_API weir_task weir_add_empty(weir_graph *graph, const char *name);

/* Declares all tasks of `child` again, in order, named "name/task", or "name/1/task", "name/2/task" ... when repeated (a
 * repeat is unrolled; count 0 adds nothing but the handle). The handle stands for all of them: "after" it is after every one,
 * and it after something is every one after that. `child` itself may be changed or destroyed afterwards. */
WEIR_API weir_task weir_add_graph(weir_graph *graph, const char *name, const weir_graph *child);
WEIR_API weir_task weir_add_repeat(weir_graph *graph, const char *name, const weir_graph *body, uint32_t count);

/* Loops and branches that are decided where the data are, with no word to the host between: by a plain buffer of one 4-byte element that kernels
 * can touch (not WEIR_HOST_LOCAL, no ring).
 *     while:  while (*condition != 0 && done < at_most) body;   the word is set before, each frame anew, and written by the body
 *     if:     if (*condition != 0) then_body; else else_body;   else_body may be NULL
 *     switch: bodies[*selector], as an unsigned number; none if it is count or more
 * A body holds kernels, copies that are not between host places, fills, empty tasks, sub-graphs, loops and branches, and natives that enqueue only
 * such; a host task is refused here, on every backend. It is kept as it is now, and may be changed or destroyed afterwards.
 * The task touches all that its bodies touch; what they write counts as read and written, since it may be written never. A ring's copies are the
 * frame's in every round. Its cost is that of one round, or of the dearest branch, unless it is given one (weir_task_set).
 * In a CUDA graph these are conditional nodes; eagerly they are a small graph in the task's lane; the host decides as it runs.
 * One kernel of a while's body may take a WEIR_DECISION and say itself whether there is another round (weir/decide.h): on CUDA a round then costs a kernel less. */
WEIR_API weir_task weir_add_while(weir_graph *graph, const char *name, const weir_graph *body, weir_buffer *condition, uint32_t at_most);
WEIR_API weir_task weir_add_if(weir_graph *graph, const char *name, weir_buffer *condition, const weir_graph *then_body, const weir_graph *else_body);
WEIR_API weir_task weir_add_switch(weir_graph *graph, const char *name, weir_buffer *selector, const weir_graph *const *bodies, uint32_t count);

/* `later` starts when `earlier` is done: in the same frame, or in the frame `distance` frames before (>= 1). */
WEIR_API void weir_after(weir_graph *graph, weir_task later, weir_task earlier);
WEIR_API void weir_after_previous(weir_graph *graph, weir_task later, weir_task earlier, uint32_t distance);

enum {
    WEIR_TASK_REENTRANT = 8 /* a host or native task without state of its own: it need not follow itself from frame to frame */
};

/* What may be said of any task. Zeroed fields are the defaults. */
typedef struct {
    const char *name;  /* NULL: unchanged */
    const char *group; /* NULL: no group. A cluster in pictures, a row in tables. Equal text is the same group */
    int32_t priority;  /* as in CUDA: lower is more urgent, 0 the default. A device with fewer than a graph has gives neighbours one, and the log says so */
    double cost_ns;    /* how long it takes; 0: one microsecond, or nothing for an empty task */
    float share;       /* of the device that it fills, 0 to 1, as long as it runs; 0: from the grid (kernels), whose last wave may leave room, else 1 */
    uint32_t device;   /* 0 */
    uint32_t flags;    /* WEIR_TASK_* */
} weir_task_options;

/* Replaces the options of a task, or of every task that a sub-graph's handle stands for (but for `name`, the handle's own; and empty tasks
 * among them cost nothing). */
WEIR_API void weir_task_set(weir_graph *graph, weir_task task, const weir_task_options *options);

/* The first error of declaring, or WEIR_OK; the text is in weir_last_error(). */
WEIR_API WEIR_MUST_USE weir_status weir_graph_status(const weir_graph *graph);

WEIR_API uint32_t weir_graph_task_count(const weir_graph *graph);                    /* with those that sub-graphs begin and end with */
WEIR_API const char *weir_task_name(const weir_graph *graph, weir_task task);        /* NULL for a foreign or null handle */
WEIR_API weir_task weir_graph_find(const weir_graph *graph, const char *name);       /* the first of that name, or the null task */

/* Looks for what an explicit edge too few or too many leaves behind, with `frames` in flight, F, as weir_plan_options has them (0 reads as 1, at
 * most 64), and calls `found` (NULL: nobody) for each:
 * WEIR_ERR_HAZARD: two tasks touch overlapping data, at least one changes it, and no path orders them. Both may be of one frame, or the second,
 *     which may be the first again, of a frame up to F - 1 later: where it reads what the first wrote for it (WEIR_PREVIOUS), or writes where
 *     the first reads or writes, as copies come round: in the next frame for a plain buffer, and for a ring as many frames after a copy was
 *     written as it has copies. Paths are of weir_after, weir_after_previous, and host and native tasks after themselves;
 * WEIR_OK: an explicit edge, within a frame or to one up to F - 1 later, that no data needs, between two tasks that declare accesses.
 * Both texts name the two tasks, how many frames they are apart, and the buffer and box they meet in, or lack.
 * With one frame in flight nothing between frames is looked at, since begin orders frames that are F apart or more, as it does what touches a
 * copy of WEIR_HOST_IN before the program writes it again. So check with the F that is planned with: without hazards for one F there are none
 * for a smaller one, unless WEIR_RING_AUTO rings then have fewer copies. These are taken to have what a plan for F gives them, max(F, furthest
 * back + 1), or what an exec has fixed them to.
 * Returns WEIR_ERR_HAZARD if there was a hazard, WEIR_OK if not; a sticky or a cycle error as it is. WEIR_ERR_INVALID: F. WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_graph_check(const weir_graph *graph, uint32_t frames, void (*found)(void *user, weir_status status, const char *text),
                                                    void *user);

#ifdef __cplusplus
}
#endif
#endif
