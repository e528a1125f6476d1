/* run.h - runs plans: runtimes, execs, frames, tickets.
 *
 * begin -> fill weir_frame_data -> submit -> wait -> weir_exec_data, once a frame. Submitting never waits for the work;
 * `begin` waits until a frame's place is free. Tickets complete in order.
 * Threads: every call may be made from any thread; submissions to one runtime are serialised inside. No call may be made
 * from inside a host kernel, host or native task. Timeouts: 0 asks and does not wait, negative waits for ever.
 * CUDA: every call leaves the caller's current device as it was, none touches the legacy stream unless it is passed it, and submitting makes no call that
 * synchronises. After a fault on the device all that needs it fails with WEIR_ERR_DEVICE, in every runtime of the process; waits and
 * destroying return. */
#ifndef WEIR_RUN_H
#define WEIR_RUN_H

#include "weir/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_runtime weir_runtime; /* one backend on one device */
typedef struct weir_exec weir_exec;       /* a plan bound to a runtime */
typedef struct weir_frame weir_frame;     /* the open frame of an exec, from begin to submit */

/* The handle of a submitted frame. */
typedef struct {
    uint64_t number; /* frame number + 1 of one exec; 0: none */
} weir_ticket;

/* Zeroed fields are the defaults. */
typedef struct {
    const char *backend; /* "host", "cuda", "auto"; NULL: "auto", CUDA where a device answers, else the host, and the log says why. WEIR_BACKEND wins */
    uint32_t lanes_max;  /* an exec of a plan with more lanes is refused; 0: no bound on the host, 8 on CUDA. WEIR_LANES wins */
    uint32_t workers;    /* host threads, on CUDA for host tasks alone; 0: as many as there are processors that may be used. WEIR_WORKERS wins */
    uint32_t device;     /* 0, the first */
} weir_runtime_options;

/* Opens one backend on one device. NULL options are zeros. On success *out is the caller's, to free with weir_runtime_destroy.
 * "auto" logs at level info why it did not take CUDA.
 * CUDA with more than 8 lanes: sets CUDA_DEVICE_MAX_CONNECTIONS in the environment (32 at most) if it is unset and CUDA has not started, else
 * warns, since streams that share a connection may wait for each other.
 * WEIR_ERR_BACKEND: not there, with the reason, for CUDA what the driver said; WEIR_ERR_INVALID: an unknown name or switch;
 * WEIR_ERR_DEVICE: the device refuses; WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_runtime_create(const weir_runtime_options *options, weir_runtime **out);

/* Waits for every frame of every exec, and logs each second what it waits for. Execs may be destroyed later, but run no more. NULL is fine. */
WEIR_API void weir_runtime_destroy(weir_runtime *runtime);

WEIR_API const char *weir_runtime_backend(const weir_runtime *runtime); /* "host" or "cuda" */
WEIR_API uint32_t weir_runtime_lanes(const weir_runtime *runtime);      /* its own number, for weir_plan_options.lanes: the workers on the host; lanes_max, or 8, on CUDA */
WEIR_API uint32_t weir_runtime_workers(const weir_runtime *runtime);    /* its host threads; on CUDA they start with the first exec that has host tasks */

/* Waits for every frame of every exec. WEIR_TIMEOUT says for what it waits; WEIR_WOULD_BLOCK when asked with 0. Failures of
 * frames are the tickets' to tell. */
WEIR_API WEIR_MUST_USE weir_status weir_runtime_wait(weir_runtime *runtime, int64_t timeout_ns);

/* A device that this library could run on, or why it cannot. */
typedef struct {
    const char *backend;     /* "host", "cuda" */
    const char *device;      /* the device's name, or "" */
    int available;
    const char *why_not;     /* if not available: what is missing; else "" */
    uint32_t lanes;          /* the backend's own number of lanes */
    uint32_t workers;
    int32_t priority_urgent, priority_relaxed; /* the range of lane priorities, numerically lowest and highest */
} weir_device_info;

/* Describes device `index` of all backends this library knows, absent ones included; strings are static or the thread's
 * until its next call. A CUDA device is started for it, since it tells its priorities only then; so ask after opening a runtime with more
 * than 8 lanes. WEIR_ERR_INVALID past the last. */
WEIR_API WEIR_MUST_USE weir_status weir_device_get(uint32_t index, weir_device_info *out);

/* Copies to every copy of a buffer, or from its newest copy. Both first wait for the frames that touch the buffer.
 * WEIR_ERR_STATE before the first exec that uses the buffer is made; WEIR_ERR_INVALID past its end; WEIR_ERR_DEVICE. */
WEIR_API WEIR_MUST_USE weir_status weir_buffer_write(weir_runtime *runtime, weir_buffer *buffer, const void *data, size_t offset_bytes, size_t bytes);
WEIR_API WEIR_MUST_USE weir_status weir_buffer_read(weir_runtime *runtime, weir_buffer *buffer, void *data, size_t offset_bytes, size_t bytes);

/* How frames run. Zeroed fields are the defaults. The modes, whose results are the same:
 *     "eager"    task by task, each lane a stream, with the plan's waits
 *     "replay"   a CUDA graph made with the exec from the edges of the plan, and launched as a whole
 *     "capture"  the same, but made from what the lanes of "eager" are given: it has their order too
 *     "default"  on CUDA a replay; eager with `timing`, or where it would need more CUDA graphs than 12
 *     "auto"     as "default", but where that replays, the way of it that is fastest: by its edges alone, or with the order of 1, 2, 4, 8, 16 or 32
 *                lanes added. Measured on the first frames, 64 at most, which take turns; making graphs, these frames take longer to submit. The
 *                very first one runs eagerly, unless making a graph was seen to take less on this device. The log says what was chosen and what
 *                each took (level info), and so does weir_exec_candidates
 * The host runs everything eagerly, and so does CUDA under WEIR_DEBUG=1. weir_exec_stats tells what it came to.
 * In each of them frames in flight overlap as far as the data allow. A replay keeps a CUDA graph for each phase of its rings, so that a frame changes
 * nothing in them, and no fewer than frames in flight: the least common multiple of the rings' copies, times what it takes. */
typedef struct {
    const char *mode;      /* as above; NULL: "default". WEIR_MODE wins */
    int timing;            /* keep times of tasks that run eagerly; on CUDA two events a task, and none kept under WEIR_DEBUG=1 */
    uint32_t replay_lanes; /* "replay": also keeps the order of so many lanes, 1024 at most, which narrows a wide graph; 0: of none */
} weir_exec_options;

/* Binds a plan to a runtime: makes the storage it needs, checks that the backend has code for each task, loads it, takes all memory
 * that frames will need. NULL options are zeros. On success *out is the caller's, to free with weir_exec_destroy.
 * WEIR_ERR_BACKEND names the task without code, or says that the plan has too many lanes; WEIR_ERR_TASK names a native whose prepare failed, or
 * whose enqueue did, or did what it may not, as a part of a CUDA graph; WEIR_ERR_INVALID: argument sizes that do not fit the kernel, a ring fixed to fewer copies than this plan needs, a replay asked for that needs more than 12 CUDA
 * graphs; WEIR_ERR_DEVICE: a call of CUDA's failed, with its name and, where it is for one task, the task's; either of the two, with buffer and
 * task: adopted memory that cannot be used; WEIR_ERR_NO_MEMORY. */
WEIR_API WEIR_MUST_USE weir_status weir_exec_create(weir_runtime *runtime, const weir_plan *plan, const weir_exec_options *options, weir_exec **out);

/* Waits for its frames, and logs each second what it waits for. An open frame is dropped. Not from a frame's callback. NULL is fine.
 * On CUDA the graphs of its replay stay with the runtime, WEIR_CACHE_NODES nodes of all execs at most (16384), and those longest unused go first. A
 * later exec whose graph has the same shape (kinds of tasks, edges, priorities; not which kernels, grids, arguments or buffers) takes them over,
 * which is quicker than making its own executable: weir_stats.taken_over. Not where events tie them to each other, with several frames in flight. */
WEIR_API void weir_exec_destroy(weir_exec *exec);

/* The value of a param, or a task switched off (0) or on, from the next submit on. A task that is off has no effect and keeps
 * its edges. WEIR_ERR_INVALID: not of this exec's graph.
 * In a replay a new value costs a change of each node that is passed it. Its CUDA graph is made anew, which takes as long as making it did, when a
 * native is passed another value, or is switched; and when one of these is off for the first time: a copy, a fill, a kernel that is launched early
 * or lets others be (WEIR_KERNEL_PROGRAMMATIC). */
WEIR_API WEIR_MUST_USE weir_status weir_exec_set(weir_exec *exec, weir_param *param, const void *value);
WEIR_API WEIR_MUST_USE weir_status weir_exec_enable(weir_exec *exec, weir_task task, int on);

/* Opens the next frame when there is room: F frames in flight at most, and the copies of WEIR_HOST_IN buffers that the program will
 * write no longer used, by any exec. One frame of an exec is open at a time: a second begin waits for its submit. A copy belongs to the open
 * frame it was given to, so one thread that begins frames of two execs with a common WEIR_HOST_IN buffer waits for itself.
 * WEIR_WOULD_BLOCK, WEIR_TIMEOUT; the exec's failure once it has failed; WEIR_ERR_DEVICE once the device has; WEIR_ERR_STATE after the runtime's
 * end. */
WEIR_API WEIR_MUST_USE weir_status weir_exec_begin(weir_exec *exec, int64_t timeout_ns, weir_frame **out);

/* This frame's copy of a WEIR_HOST_IN buffer, the program's to write until submit. NULL for any other buffer. */
WEIR_API void *weir_frame_data(weir_frame *frame, weir_buffer *buffer);

/* Submits the frame with the params and switches as they are now. Consumes the frame, also when it fails. `ticket` may be NULL.
 * WEIR_ERR_STATE names a task that is off though no other that is on writes (WEIR_WRITE) what one that is on reads or changes.
 * Frames of several execs keep the order they are submitted in, buffer by buffer: one that touches what an earlier one writes, or writes what
 * that touches, starts after it; on CUDA the device sees to it, and nobody's thread. Others may run at the same time. */
WEIR_API WEIR_MUST_USE weir_status weir_frame_submit(weir_frame *frame, weir_ticket *ticket);
WEIR_API WEIR_MUST_USE weir_status weir_exec_submit(weir_exec *exec, weir_ticket *ticket); /* begin for ever, then submit */

/* Gives up a begun frame instead of submitting it: nothing of it remains, and its number goes to the next. NULL is fine. */
WEIR_API void weir_frame_drop(weir_frame *frame);

/* Waits for a frame: its own failure, else WEIR_OK. WEIR_TIMEOUT names a task it waits for.
 * On CUDA this and all other waits first look for themselves, up to 20 ms, which uses a processor and is quicker than being woken; they sleep
 * at once where an exec of the runtime has a callback (weir_exec_on_frame). */
WEIR_API WEIR_MUST_USE weir_status weir_exec_wait(weir_exec *exec, weir_ticket ticket, int64_t timeout_ns);

/* That frame's copy of a WEIR_HOST_OUT buffer, once the frame is done, and until the frame `copies` after it is begun, or other execs
 * have submitted frames that reuse the copy; else, or if the frame failed, NULL, and weir_last_error() says why. */
WEIR_API const void *weir_exec_data(weir_exec *exec, weir_ticket ticket, weir_buffer *buffer);

/* The exec's failure, or WEIR_OK. A failure stops this exec alone: others go on, also those that read what its frame should have written.
 * `culprit`, if not NULL, is set to the task that failed, or to the null task.
 * A fault on the device (WEIR_ERR_DEVICE) ends every exec. Its text names the tasks of the frame that may be to blame: those given to the
 * device and not known to be done. With WEIR_DEBUG=1 it is the one, which is the culprit. A launch that CUDA refuses fails this exec alone. */
WEIR_API WEIR_MUST_USE weir_status weir_exec_status(const weir_exec *exec, weir_task *culprit);

/* One task of one frame: WEIR_OK if done, WEIR_WOULD_BLOCK if not yet, the failure for every task of a frame that failed. On CUDA a task is told
 * done as late as its frame, unless it is a host task, or runs eagerly and another lane waits for it (weir_plan_entry.records). */
WEIR_API WEIR_MUST_USE weir_status weir_exec_poll_task(weir_exec *exec, weir_ticket ticket, weir_task task);

/* When a task of a done frame ran, in ns since the exec was made. For execs made with timing, and the latest frame or one of the F - 1
 * before it; otherwise, and of a task that did not run or, being replayed, was not timed, WEIR_ERR_STATE. */
WEIR_API WEIR_MUST_USE weir_status weir_exec_task_time(weir_exec *exec, weir_ticket ticket, weir_task task, double *start_ns, double *end_ns);

/* How often the body of a loop (weir_add_while) ran in a frame that is done: the latest one or one of the F - 1 before it. Of a loop that was
 * switched off: 0. WEIR_ERR_INVALID: no loop of this exec's graph; WEIR_ERR_STATE: the frame is not done, failed, or is too long ago. */
WEIR_API WEIR_MUST_USE weir_status weir_exec_iterations(weir_exec *exec, weir_ticket ticket, weir_task loop, uint32_t *count);

/* A frame among work of the program's own. Queues and events are the backend's: on CUDA a cudaStream_t and a cudaEvent_t of the runtime's device,
 * and weir/cuda.h has these calls with their types. WEIR_ERR_BACKEND where there is no such thing, as on the host.
 * submit_on: as weir_frame_submit, but the frame starts after all that is in the queue now, and what the program adds to it from then on starts when
 *     the frame is done, also when it failed; this thread waits for neither, but with WEIR_DEBUG=1.
 * wait_for: the frame, which is open, starts after what the event was last recorded behind when the frame is submitted. At most 16 a frame.
 * With several frames in flight these hold for their frame alone: one after it that needs the same asks for it too.
 * record_end: the event happens when that frame is done, also when it failed; what it was recorded behind before is forgotten.
 * WEIR_ERR_STATE: the stream is being captured, or the event was last recorded in a capture; WEIR_ERR_INVALID: CUDA does not take them, or the
 * stream is of another device. After a failed wait_for the frame is as it was. These calls may wait until a frame that a read or write by the program
 * (weir_buffer_read) holds back may start; with WEIR_DEBUG=1 the last, and submitting a frame with any of it, wait until it is done. So not from a
 * frame's callback. */
WEIR_API WEIR_MUST_USE weir_status weir_frame_submit_on_queue(weir_frame *frame, void *queue, weir_ticket *ticket);
WEIR_API WEIR_MUST_USE weir_status weir_frame_wait_for(weir_frame *frame, void *event);
WEIR_API WEIR_MUST_USE weir_status weir_exec_record_end_in(weir_exec *exec, weir_ticket ticket, void *event);

/* Calls `done` once a frame, failed ones too, in order, on a thread of weir's, which may be the only one: it may submit, begin without
 * waiting, set and enable, but wait for nothing and destroy nothing. The frame is done before: weir_exec_wait may return earlier;
 * weir_exec_destroy and weir_runtime_wait wait for the call too. Set it before the first begin; NULL: nobody.
 * On CUDA, as long as an exec of the runtime has one, waits sleep until that thread wakes them instead of looking. */
WEIR_API void weir_exec_on_frame(weir_exec *exec, void (*done)(void *user, weir_ticket ticket, weir_status status), void *user);

#ifdef __cplusplus
}
#endif
#endif
