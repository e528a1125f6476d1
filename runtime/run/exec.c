/* exec.c - the life of an exec, and what may be asked of it or changed between frames. */
#include "run/exec.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/settings.h"
#include "util/status.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- making ---- */

static weir_status check_plan(const weir_runtime *runtime, const weir_plan *plan)
{
    if (runtime->lanes_max && plan->lanes > runtime->lanes_max)
        return weir_fail(WEIR_ERR_BACKEND, "graph '%s': its plan has %u lanes, the runtime at most %u: plan it with fewer", plan->body->name, plan->lanes,
                         runtime->lanes_max);
    return runtime->debug ? weir_plan_check(plan) : WEIR_OK;
}

static weir_status check_mode(const char *mode, weir_mode *out)
{
    static const char *const modes[] = {[WEIR_MODE_DEFAULT] = "default", [WEIR_MODE_EAGER] = "eager",     [WEIR_MODE_REPLAY] = "replay",
                                        [WEIR_MODE_CAPTURE] = "capture", [WEIR_MODE_AUTO] = "auto",       NULL};
    const char *chosen = mode ? mode : modes[WEIR_MODE_DEFAULT];
    weir_status status = weir_settings_choice("WEIR_MODE", "mode", modes, &chosen);
    for (unsigned m = 0; status == WEIR_OK && modes[m]; m++)
        if (strcmp(chosen, modes[m]) == 0)
            *out = (weir_mode)m;
    return status;
}

static void free_exec(weir_exec *exec)
{
    weir_runtime *runtime = exec->runtime;
    const weir_plan *plan = exec->plan;
    weir_exec_unbind(exec);
    weir_free(exec);
    weir_plan_destroy((weir_plan *)plan); /* may be the last to hold a buffer, whose storage takes the lock to go */
    weir_runtime_release(runtime);
}

weir_status weir_exec_create(weir_runtime *runtime, const weir_plan *plan, const weir_exec_options *options, weir_exec **out)
{
    const weir_exec_options defaults = {.mode = NULL};
    const weir_exec_options *given = options ? options : &defaults;
    if (!runtime || !plan || !out)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_create: NULL argument");
    weir_mode mode = WEIR_MODE_DEFAULT;
    weir_status status = check_mode(given->mode, &mode);
    if (status != WEIR_OK)
        return status;
    weir_exec *exec = weir_alloc(1, sizeof *exec);
    if (!exec)
        return weir_fail_no_memory();
    weir_runtime_hold(runtime);
    exec->runtime = runtime;
    exec->plan = weir_plan_hold(plan);
    exec->made_ns = weir_clock_ns();
    exec->frames = plan->frames;
    exec->culprit = UINT32_MAX;
    exec->frame.exec = exec;
    pthread_mutex_lock(&runtime->making);
    status = check_plan(runtime, plan);
    if (status == WEIR_OK)
        status = weir_exec_bind(exec, mode, given);
    if (status == WEIR_OK) {
        pthread_mutex_lock(&runtime->lock);
        status = runtime->ended ? weir_fail(WEIR_ERR_STATE, "graph '%s': its runtime has ended", plan->body->name) : weir_exec_link(exec);
        pthread_mutex_unlock(&runtime->lock);
    }
    pthread_mutex_unlock(&runtime->making);
    if (status != WEIR_OK) {
        free_exec(exec);
        return status;
    }
    status = runtime->observers->exec_made(plan);
    if (status != WEIR_OK) {
        weir_exec_destroy(exec);
        return status;
    }
    *out = exec;
    return WEIR_OK;
}

/* ---- ending ---- */

void weir_exec_destroy(weir_exec *exec)
{
    enum { SECOND = 1000000000 };
    if (!exec)
        return;
    weir_runtime *runtime = exec->runtime;
    pthread_mutex_lock(&runtime->lock);
    exec->ending = true;
    weir_exec_drop_open(exec);
    while (weir_exec_is_busy(exec))
        if (!weir_runtime_await(runtime, weir_deadline(SECOND)) && weir_exec_is_busy(exec)) {
            weir_exec_say_waiting(exec, WEIR_TIMEOUT);
            weir_log(WEIR_LOG_WARN, "weir_exec_destroy waits: %s", weir_last_error());
        }
    weir_exec_unlink(exec);
    runtime->callbacks -= exec->on_frame != NULL;
    weir_runtime_notify(runtime);
    bool ended = runtime->ended;
    pthread_mutex_unlock(&runtime->lock);
    if (ended) { /* its storages were left for it */
        pthread_mutex_lock(&runtime->making);
        weir_storages_end(runtime);
        pthread_mutex_unlock(&runtime->making);
    }
    free_exec(exec);
}

/* ---- asking, with the lock held ---- */

bool weir_exec_is_busy(const weir_exec *exec)
{
    return exec->done < exec->submitted || exec->telling;
}

weir_status weir_exec_say_waiting(const weir_exec *exec, weir_status status)
{
    const weir_body *body = exec->plan->body;
    if (exec->done == exec->submitted)
        return weir_fail(status, "graph '%s': the frame's callback has not returned", body->name);
    if (exec->done == exec->released)
        return weir_fail(status, "graph '%s', frame %" PRIu64 ": waits for frames of other execs, or for a read or write by the program, of the same buffers", body->name, exec->done);
    if (status == WEIR_WOULD_BLOCK && exec->runtime->ops->look) /* asked often, where finding the task means asking a device for many */
        return weir_fail(status, "graph '%s', frame %" PRIu64 ": is not done", body->name, exec->done);
    uint32_t task = exec->runtime->ops->unfinished(exec->program, exec->done);
    return weir_fail(status, "graph '%s', frame %" PRIu64 ": waits for task '%s'", body->name, exec->done, task == UINT32_MAX ? "?" : body->tasks.at[task].name);
}

weir_status weir_exec_failure(const weir_exec *exec)
{
    if (exec->failure == WEIR_OK)
        return WEIR_OK;
    const weir_body *body = exec->plan->body;
    if (exec->failure_text)
        return weir_fail(exec->failure, "graph '%s', frame %" PRIu64 ": %s; this exec takes no more frames", body->name, exec->failed_frame, exec->failure_text);
    return weir_fail(exec->failure, "graph '%s': task '%s' failed in frame %" PRIu64 " with %s; this exec takes no more frames", body->name,
                     exec->culprit == UINT32_MAX ? "?" : body->tasks.at[exec->culprit].name, exec->failed_frame, weir_status_name(exec->cause));
}

bool weir_exec_task_index(const weir_exec *exec, weir_task task, uint32_t *index)
{
    bool mine = task.graph == exec->plan->body->id && task.number >= 1 && task.number <= exec->plan->tasks;
    *index = task.number - 1;
    return mine;
}

uint32_t weir_exec_buffer_index(const weir_exec *exec, const weir_buffer *buffer)
{
    const weir_body *body = exec->plan->body;
    for (uint32_t b = 0; b < body->buffers.count; b++)
        if (body->buffers.at[b].buffer == buffer)
            return b;
    return UINT32_MAX;
}

/* ---- the program's calls between frames ---- */

weir_status weir_exec_set(weir_exec *exec, weir_param *param, const void *value)
{
    if (!exec || !param || !value)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_set: NULL argument");
    const weir_body *body = exec->plan->body;
    for (uint32_t i = 0; i < body->params.count; i++)
        if (body->params.at[i] == param) {
            pthread_mutex_lock(&exec->runtime->lock);
            memcpy(exec->params + exec->param_offset[i], value, param->bytes);
            pthread_mutex_unlock(&exec->runtime->lock);
            return WEIR_OK;
        }
    return weir_fail(WEIR_ERR_INVALID, "no task of graph '%s' is passed param '%s'", body->name, param->name);
}

weir_status weir_exec_enable(weir_exec *exec, weir_task task, int on)
{
    uint32_t index;
    if (!exec)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_enable: the exec is NULL");
    if (!weir_exec_task_index(exec, task, &index))
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_enable: the null task, or one that is not of graph '%s'", exec->plan->body->name);
    pthread_mutex_lock(&exec->runtime->lock);
    for (uint32_t t = weir_body_first_of(exec->plan->body, index); t <= index; t++) { /* all that a sub-graph's handle stands for */
        unsigned char bit = (unsigned char)(1u << t % 8);
        bool was_on = !(exec->off[t / 8] & bit);
        if (was_on == (on != 0))
            continue;
        exec->off[t / 8] ^= bit;
        exec->off_count += on ? UINT32_MAX : 1; /* one less, or one more */
        exec->off_changed = true;
    }
    pthread_mutex_unlock(&exec->runtime->lock);
    return WEIR_OK;
}

weir_status weir_exec_status(const weir_exec *exec, weir_task *culprit)
{
    if (!exec)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_status: the exec is NULL");
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = weir_exec_failure(exec);
    if (culprit)
        *culprit = exec->culprit == UINT32_MAX ? (weir_task){0, 0} : (weir_task){exec->culprit + 1, exec->plan->body->id};
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

void weir_exec_on_frame(weir_exec *exec, void (*done)(void *, weir_ticket, weir_status), void *user)
{
    if (!exec)
        return;
    pthread_mutex_lock(&exec->runtime->lock);
    exec->runtime->callbacks -= exec->on_frame != NULL;
    exec->runtime->callbacks += done != NULL;
    exec->on_frame = done;
    exec->on_frame_user = user;
    pthread_mutex_unlock(&exec->runtime->lock);
}
