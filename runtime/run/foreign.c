/* foreign.c - frames among queues and events of the program's own. What these are only the backend knows.
 *
 * A queue or an event counts as it is when the frame reaches the backend. So such a frame is given to it by the thread that submits it (to some
 * backends a queue means one thing in one thread and another in the next), which waits where something holds the frame back. */
#include "run/exec.h"
#include "util/status.h"
#include <string.h>

static weir_status check_backend(const weir_runtime *runtime)
{
    if (runtime->ops->record_end)
        return WEIR_OK;
    return weir_fail(WEIR_ERR_BACKEND, "backend '%s' has no queues and events that a program could have too", runtime->ops->name);
}

/* Others may have waited for it to be given to the backend: frames that follow it, who would record its end. */
static void await_release(weir_exec *exec, uint64_t number)
{
    weir_runtime *runtime = exec->runtime;
    if (exec->released > number)
        return;
    while (exec->released <= number) {
        weir_runtime_await(runtime, INT64_MAX);
        weir_runtime_release_frames(runtime);
    }
    weir_runtime_release_frames(runtime);
    weir_runtime_notify(runtime);
}

/* Debugging, frames run one after the other on a thread of the backend's, which no queue waits for. */
static void await_when_debugging(const weir_exec *exec, uint64_t number)
{
    while (exec->runtime->debug && exec->done <= number)
        weir_runtime_await(exec->runtime, INT64_MAX);
}

static bool is_any_busy(const weir_runtime *runtime)
{
    for (const weir_exec *e = runtime->execs; e; e = e->next)
        if (e->done < e->submitted)
            return true;
    return false;
}

/* There it also captures natives so that whatever else uses the legacy stream meanwhile fails, which the queue may be. */
static void await_all_when_debugging(weir_runtime *runtime)
{
    while (runtime->debug && is_any_busy(runtime))
        weir_runtime_await(runtime, INT64_MAX);
}

weir_status weir_exec_submit_foreign(weir_exec *exec, void *queue, weir_ticket *ticket)
{
    void *events[WEIR_FOREIGN_EVENTS_MOST]; /* the frame's own may be the next one's soon */
    weir_foreign foreign = {.queue = queue, .events = events, .event_count = exec->frame.event_count};
    uint64_t number = exec->submitted;
    memcpy(events, exec->frame.events, sizeof events);
    await_all_when_debugging(exec->runtime);
    weir_status status = exec->runtime->ops->check_foreign(exec->runtime->backend, &foreign);
    if (status != WEIR_OK) {
        weir_exec_drop_open(exec);
        return status;
    }
    status = weir_exec_submit_open(exec, &foreign, ticket);
    if (status == WEIR_OK) {
        await_release(exec, number);
        await_when_debugging(exec, number);
    }
    return status;
}

weir_status weir_frame_submit_on_queue(weir_frame *frame, void *queue, weir_ticket *ticket)
{
    if (!frame)
        return weir_fail(WEIR_ERR_INVALID, "weir_frame_submit_on_queue: the frame is NULL");
    weir_exec *exec = frame->exec;
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = check_backend(exec->runtime);
    if (status == WEIR_OK && !queue)
        status = weir_fail(WEIR_ERR_INVALID, "weir_frame_submit_on_queue: the queue is NULL");
    if (status != WEIR_OK)
        weir_exec_drop_open(exec);
    else if (!exec->open)
        status = weir_fail(WEIR_ERR_STATE, "weir_frame_submit_on_queue: the frame is submitted already");
    else
        status = weir_exec_submit_foreign(exec, queue, ticket);
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

weir_status weir_frame_wait_for(weir_frame *frame, void *event)
{
    if (!frame || !event)
        return weir_fail(WEIR_ERR_INVALID, "weir_frame_wait_for: NULL argument");
    weir_runtime *runtime = frame->exec->runtime;
    const weir_foreign foreign = {.events = &event, .event_count = 1};
    pthread_mutex_lock(&runtime->lock);
    weir_status status = check_backend(runtime);
    if (status == WEIR_OK && !frame->exec->open)
        status = weir_fail(WEIR_ERR_STATE, "weir_frame_wait_for: the frame is submitted already");
    if (status == WEIR_OK && frame->event_count == WEIR_FOREIGN_EVENTS_MOST)
        status = weir_fail(WEIR_ERR_INVALID, "weir_frame_wait_for: a frame waits for %d events at most", WEIR_FOREIGN_EVENTS_MOST);
    if (status == WEIR_OK)
        status = runtime->ops->check_foreign(runtime->backend, &foreign);
    if (status == WEIR_OK)
        frame->events[frame->event_count++] = event;
    pthread_mutex_unlock(&runtime->lock);
    return status;
}

weir_status weir_exec_record_end_in(weir_exec *exec, weir_ticket ticket, void *event)
{
    if (!exec || !event)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_record_end_in: NULL argument");
    weir_runtime *runtime = exec->runtime;
    pthread_mutex_lock(&runtime->lock);
    weir_status status = check_backend(runtime);
    if (status == WEIR_OK)
        status = weir_exec_check_ticket(exec, ticket);
    if (status == WEIR_OK) {
        while (exec->released < ticket.number)
            weir_runtime_await(runtime, INT64_MAX);
        await_when_debugging(exec, ticket.number - 1);
        status = runtime->ops->record_end(exec->program, ticket.number - 1, event);
    }
    pthread_mutex_unlock(&runtime->lock);
    return status;
}
