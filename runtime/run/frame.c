/* frame.c - frames from begin to wait: when one may begin, what it latches when it is submitted, the order between execs, and what
 * follows when the backend is done with one. */
#include "run/exec.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <inttypes.h>
#include <string.h>

/* ---- begin ---- */

static bool user_is_done(const weir_copy_user *user)
{
    return !user->exec || user->exec->done > user->frame;
}

/* The buffer of whose copies the next frame cannot be given one yet, and who uses it; UINT32_MAX: none. Touch number q is given copy
 * q % R, which touch q - R had, to be read by the `furthest_back` touches after that. Which touch a frame is shows when it is submitted,
 * so only one open frame at a time holds a copy. */
static uint32_t input_in_use(const weir_exec *exec, weir_copy_user *by)
{
    for (uint32_t b = 0; b < exec->plan->body->buffers.count; b++) {
        const weir_storage *storage = exec->uses[b].storage;
        if (!storage->users)
            continue;
        if (storage->holder) {
            *by = (weir_copy_user){storage->holder, storage->holder->submitted};
            return b;
        }
        for (uint32_t i = 0; i <= storage->furthest_back; i++) {
            *by = storage->users[(storage->touches + i) % storage->count];
            if (!user_is_done(by))
                return b;
        }
    }
    return UINT32_MAX;
}

/* True if a frame may be begun; if not, says why not with `late`, unless that is WEIR_OK. */
static bool may_begin(const weir_exec *exec, weir_status late)
{
    const weir_body *body = exec->plan->body;
    weir_copy_user by;
    if (exec->open) {
        if (late != WEIR_OK)
            weir_fail(late, "graph '%s': frame %" PRIu64 " is open and not submitted", body->name, exec->submitted);
        return false;
    }
    if (exec->submitted - exec->done == exec->frames) {
        if (late != WEIR_OK)
            weir_exec_say_waiting(exec, late);
        return false;
    }
    uint32_t input = input_in_use(exec, &by);
    if (input == UINT32_MAX)
        return true;
    if (late != WEIR_OK && by.frame >= by.exec->submitted)
        weir_fail(late, "graph '%s': its input '%s' is held by frame %" PRIu64 " of graph '%s', which is open and not submitted", body->name,
                  body->buffers.at[input].buffer->name, by.frame, by.exec->plan->body->name);
    else if (late != WEIR_OK)
        weir_exec_say_waiting(by.exec, late);
    return false;
}

static void give_copies(weir_exec *exec)
{
    for (uint32_t b = 0; b < exec->plan->body->buffers.count; b++) {
        weir_storage *storage = exec->uses[b].storage;
        if (!storage->users)
            continue;
        storage->holder = exec;
        if (exec->ring_of[b] != UINT32_MAX)
            exec->states[exec->submitted % exec->frames].ring_at[exec->ring_of[b]] = (uint32_t)(storage->touches % storage->count);
    }
}

/* The open frame is submitted, and its copies are the newest; or it is not, and nothing has happened. */
static void let_copies_go(weir_exec *exec, bool submitted)
{
    for (uint32_t b = 0; b < exec->plan->body->buffers.count; b++) {
        weir_storage *storage = exec->uses[b].storage;
        if (!storage->users)
            continue;
        storage->holder = NULL;
        if (!submitted)
            continue;
        storage->newest = (uint32_t)(storage->touches++ % storage->count);
        storage->users[storage->newest] = (weir_copy_user){exec, exec->submitted};
    }
}

static weir_status device_state(const weir_runtime *runtime)
{
    return runtime->ops->state ? runtime->ops->state(runtime->backend) : WEIR_OK;
}

static weir_status say_ended(const weir_exec *exec)
{
    return weir_fail(WEIR_ERR_STATE, "graph '%s': its %s", exec->plan->body->name, exec->ending ? "exec is being destroyed" : "runtime has ended");
}

/* With the lock held. */
static weir_status begin(weir_exec *exec, int64_t timeout_ns)
{
    weir_runtime *runtime = exec->runtime;
    int64_t deadline = weir_deadline(timeout_ns);
    weir_status status = WEIR_OK;
    for (bool in_time = timeout_ns != 0;;) {
        if ((status = weir_exec_failure(exec)) != WEIR_OK || (status = device_state(runtime)) != WEIR_OK)
            break;
        if (runtime->ended || exec->ending) {
            status = say_ended(exec);
            break;
        }
        weir_status late = in_time ? WEIR_OK : timeout_ns == 0 ? WEIR_WOULD_BLOCK : WEIR_TIMEOUT;
        if (may_begin(exec, late))
            break;
        if (late != WEIR_OK) {
            status = late;
            break;
        }
        in_time = weir_runtime_await(runtime, deadline);
    }
    if (status == WEIR_OK) {
        exec->open = true;
        exec->frame.event_count = 0;
        give_copies(exec);
    }
    return status;
}

weir_status weir_exec_begin(weir_exec *exec, int64_t timeout_ns, weir_frame **out)
{
    if (!exec || !out)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_begin: NULL argument");
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = begin(exec, timeout_ns);
    if (status == WEIR_OK)
        *out = &exec->frame;
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

void weir_exec_drop_open(weir_exec *exec)
{
    if (!exec->open)
        return;
    let_copies_go(exec, false);
    exec->open = false;
    weir_runtime_notify(exec->runtime);
}

void weir_frame_drop(weir_frame *frame)
{
    if (!frame)
        return;
    pthread_mutex_lock(&frame->exec->runtime->lock);
    weir_exec_drop_open(frame->exec);
    pthread_mutex_unlock(&frame->exec->runtime->lock);
}

void *weir_frame_data(weir_frame *frame, weir_buffer *buffer)
{
    if (!frame || !buffer) {
        weir_fail(WEIR_ERR_INVALID, "weir_frame_data: NULL argument");
        return NULL;
    }
    weir_exec *exec = frame->exec;
    uint32_t b = weir_exec_buffer_index(exec, buffer);
    if (b == UINT32_MAX || buffer->place != WEIR_HOST_IN) {
        weir_fail(WEIR_ERR_INVALID, "buffer '%s' is %s", buffer->name, b == UINT32_MAX ? "not used by this frame's graph" : "not WEIR_HOST_IN");
        return NULL;
    }
    void *data = NULL;
    pthread_mutex_lock(&exec->runtime->lock);
    uint32_t ring = exec->ring_of[b];
    if (exec->open)
        data = exec->uses[b].storage->copies[ring == UINT32_MAX ? 0 : exec->states[exec->submitted % exec->frames].ring_at[ring]];
    else
        weir_fail(WEIR_ERR_STATE, "weir_frame_data: the frame is submitted already");
    pthread_mutex_unlock(&exec->runtime->lock);
    return data;
}

/* ---- submit, with the lock held ---- */

static void latch_params_and_switches(weir_exec *exec, weir_frame_state *state)
{
    if (exec->param_bytes > 0)
        memcpy(state->params, exec->params, exec->param_bytes);
    state->values.off = exec->off_count > 0 ? state->off : NULL;
    if (exec->off_count > 0)
        memcpy(state->off, exec->off, exec->off_bytes);
}

/* Rings that this exec's frames write move on by one; of the others the newest copy is read. */
static void latch_rings(weir_exec *exec, weir_frame_state *state)
{
    for (uint32_t r = 0; r < exec->image.ring_count; r++) {
        weir_storage *storage = exec->ring_storage[r];
        if (storage->users)
            continue; /* given at begin */
        if (exec->ring_moves[r])
            storage->newest = (storage->newest + 1) % storage->count;
        state->ring_at[r] = storage->newest;
    }
    if (exec->image.ring_count > 0)
        memcpy(exec->history + exec->submitted % exec->history_frames * exec->image.ring_count, state->ring_at,
               exec->image.ring_count * sizeof *state->ring_at);
}

static void follow(weir_frame_state *state, weir_exec *other, uint64_t until)
{
    for (uint32_t i = 0; i < state->followed.count; i++)
        if (state->followed.at[i].exec == other) {
            if (state->followed.at[i].until < until)
                state->followed.at[i].until = until;
            return;
        }
    weir_vector_push(&state->followed, ((weir_followed){other, until})); /* reserved for every exec */
}

/* Program order per buffer between execs: whoever touches what an earlier frame of another writes, or writes what it touches. */
static void follow_other_execs(weir_exec *exec, weir_frame_state *state)
{
    state->followed.count = 0;
    for (uint32_t b = 0; b < exec->plan->body->buffers.count; b++) {
        weir_use *mine = &exec->uses[b];
        for (weir_use *use = mine->storage->uses; use; use = use->next) {
            uint64_t until = mine->writes ? use->last_touch : use->last_write;
            if (use->exec != exec && until > use->exec->done)
                follow(state, use->exec, until);
        }
        mine->last_touch = exec->submitted + 1;
        if (mine->writes) {
            mine->last_write = exec->submitted + 1;
            mine->storage->moves++;
        }
        exec->moves_history[exec->submitted % exec->history_frames * exec->plan->body->buffers.count + b] = mine->storage->moves;
    }
}

static bool is_awaited(const weir_followed *f)
{
    return f->exec && f->exec->done < f->until;
}

/* What the backend has been given it can let others follow by itself, if it says how. */
static bool may_start(const weir_exec *exec)
{
    const weir_frame_state *state = &exec->states[exec->released % exec->frames];
    if (state->values.foreign && !pthread_equal(state->submitter, pthread_self()))
        return false;
    for (uint32_t i = 0; i < state->followed.count; i++) {
        const weir_followed *f = &state->followed.at[i];
        if (is_awaited(f) && !(exec->runtime->ops->follow && f->exec->released >= f->until))
            return false;
    }
    for (uint32_t b = 0; b < exec->plan->body->buffers.count; b++)
        if (exec->uses[b].storage->under_way && exec->released >= exec->uses[b].held_from)
            return false;
    return true;
}

/* Gives the backend every frame that no longer waits for others. */
static void release_frames(weir_exec *exec)
{
    while (exec->released < exec->submitted && may_start(exec)) {
        weir_frame_state *state = &exec->states[exec->released % exec->frames];
        for (uint32_t i = 0; i < state->followed.count; i++)
            if (is_awaited(&state->followed.at[i]))
                exec->runtime->ops->follow(exec->program, state->followed.at[i].exec->program, state->followed.at[i].until - 1);
        exec->released++;
        exec->runtime->ops->submit(exec->program, &state->values);
        state->values.foreign = NULL;
    }
}

void weir_runtime_release_frames(weir_runtime *runtime)
{
    for (weir_exec *exec = runtime->execs; exec; exec = exec->next)
        release_frames(exec);
}

weir_status weir_exec_submit_open(weir_exec *exec, const weir_foreign *foreign, weir_ticket *ticket)
{
    weir_frame_state *state = &exec->states[exec->submitted % exec->frames];
    weir_status status = exec->open ? weir_exec_failure(exec) : weir_fail(WEIR_ERR_STATE, "weir_frame_submit: the frame is submitted already");
    if (status == WEIR_OK && exec->runtime->ended)
        status = say_ended(exec);
    if (status == WEIR_OK && exec->off_changed && exec->off_count > 0)
        status = weir_exec_check_switches(exec);
    if (status != WEIR_OK) {
        weir_exec_drop_open(exec);
        return status;
    }
    exec->off_changed = false;
    state->values.number = exec->submitted;
    state->values.foreign = foreign;
    state->submitter = pthread_self();
    state->finished = false;
    state->submitted_ns = weir_clock_ns();
    latch_params_and_switches(exec, state);
    let_copies_go(exec, true);
    latch_rings(exec, state);
    follow_other_execs(exec, state);
    exec->open = false;
    exec->submitted++;
    if (ticket)
        ticket->number = exec->submitted;
    release_frames(exec);
    weir_runtime_notify(exec->runtime);
    return WEIR_OK;
}

weir_status weir_frame_submit(weir_frame *frame, weir_ticket *ticket)
{
    if (!frame)
        return weir_fail(WEIR_ERR_INVALID, "weir_frame_submit: the frame is NULL");
    weir_exec *exec = frame->exec;
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = exec->open && frame->event_count > 0 ? weir_exec_submit_foreign(exec, NULL, ticket) : weir_exec_submit_open(exec, NULL, ticket);
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

weir_status weir_exec_submit(weir_exec *exec, weir_ticket *ticket)
{
    if (!exec)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_submit: the exec is NULL");
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = begin(exec, -1);
    if (status == WEIR_OK)
        status = weir_exec_submit_open(exec, NULL, ticket);
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

/* ---- done ---- */

void weir_exec_task_failed(void *user, uint64_t frame, uint32_t task, weir_status failure, weir_status cause)
{
    weir_exec *exec = user;
    pthread_mutex_lock(&exec->runtime->lock);
    if (exec->failure == WEIR_OK || frame < exec->failed_frame) {
        weir_free(exec->failure_text);
        exec->failure_text = NULL;
        exec->failure = failure;
        exec->cause = cause;
        exec->failed_frame = frame;
        exec->culprit = task;
        weir_log(WEIR_LOG_ERROR, "graph '%s': task '%s' failed in frame %" PRIu64 ": %s", exec->plan->body->name, exec->plan->body->tasks.at[task].name,
                 frame, weir_status_name(cause));
    }
    pthread_mutex_unlock(&exec->runtime->lock);
}

static void fail_with(weir_exec *exec, uint64_t frame, uint32_t task, weir_status failure, const char *what)
{
    pthread_mutex_lock(&exec->runtime->lock);
    if (exec->failure == WEIR_OK || frame < exec->failed_frame) {
        weir_free(exec->failure_text);
        exec->failure = exec->cause = failure;
        exec->failure_text = weir_alloc_text(what); /* NULL, without memory: it is said with less */
        exec->failed_frame = frame;
        exec->culprit = task;
        weir_log(WEIR_LOG_ERROR, "graph '%s', frame %" PRIu64 ": %s", exec->plan->body->name, frame, what);
    }
    pthread_mutex_unlock(&exec->runtime->lock);
}

void weir_exec_task_refused(void *user, uint64_t frame, uint32_t task, weir_status failure, const char *what)
{
    fail_with(user, frame, task, failure, what);
}

void weir_exec_device_failed(void *user, uint64_t frame, uint32_t task, const char *what)
{
    fail_with(user, frame, task, WEIR_ERR_DEVICE, what);
}

weir_status weir_exec_task_ran(void *user, uint32_t task)
{
    const weir_exec *exec = user;
    const weir_body *body = exec->plan->body;
    const weir_task_record *record = &body->tasks.at[task];
    for (uint32_t i = record->arg_first; i < record->arg_first + record->arg_count; i++) {
        const weir_arg_record *arg = &body->args.at[i];
        if (!weir_arg_is_access(arg) || weir_storage_is_intact(exec->uses[arg->index].storage))
            continue;
        weir_log(WEIR_LOG_ERROR, "task '%s' wrote past an end of buffer '%s', or one that ran beside it did", record->name,
                 body->buffers.at[arg->index].buffer->name);
        return WEIR_ERR_HAZARD;
    }
    return WEIR_OK;
}

static void keep_figures(weir_exec *exec, uint64_t frame)
{
    const weir_frame_state *state = &exec->states[frame % exec->frames];
    uint32_t tasks = exec->plan->tasks;
    int64_t now = weir_clock_ns();
    exec->frame_ns[frame % WEIR_FRAME_SAMPLES] = (double)(now - state->submitted_ns);
    exec->done_ns[frame % WEIR_FRAME_SAMPLES] = now;
    if (!exec->spans)
        return;
    exec->last_start_ns = state->submitted_ns;
    exec->last_end_ns = now;
    memcpy(exec->last_spans, exec->spans + frame % exec->frames * tasks, tasks * sizeof *exec->spans);
    for (uint32_t t = 0; t < tasks; t++) {
        weir_task_samples *s = &exec->samples[t];
        if (exec->last_spans[t].end_ns != 0) /* 0: it did not run */
            s->ns[s->count++ % WEIR_TASK_SAMPLES] = (float)(exec->last_spans[t].end_ns - exec->last_spans[t].start_ns);
    }
}

/* Moves `done` over the frames that the backend has finished, in order, lets frames of other execs go that waited for them, and
 * tells the program of each without the lock. One thread at a time; whoever comes meanwhile leaves it to him. */
static void finish_frames(weir_exec *exec)
{
    weir_runtime *runtime = exec->runtime;
    if (exec->telling)
        return;
    exec->telling = true;
    while (exec->done < exec->released && exec->states[exec->done % exec->frames].finished) {
        keep_figures(exec, exec->done);
        weir_status status = exec->failure != WEIR_OK && exec->done >= exec->failed_frame ? exec->failure : WEIR_OK;
        exec->states[exec->done % exec->frames].finished = false;
        weir_ticket ticket = {++exec->done};
        weir_runtime_release_frames(runtime);
        weir_runtime_notify(runtime);
        if (exec->on_frame) {
            void (*on_frame)(void *, weir_ticket, weir_status) = exec->on_frame;
            void *user = exec->on_frame_user;
            pthread_mutex_unlock(&runtime->lock);
            on_frame(user, ticket, status);
            pthread_mutex_lock(&runtime->lock);
        }
    }
    exec->telling = false;
    weir_runtime_notify(runtime);
}

void weir_exec_frame_done(void *user, uint64_t frame)
{
    weir_exec *exec = user;
    weir_runtime *runtime = exec->runtime;
    pthread_mutex_lock(&runtime->lock);
    exec->states[frame % exec->frames].finished = true;
    finish_frames(exec);
    pthread_mutex_unlock(&runtime->lock);
}

/* ---- wait and read ---- */

weir_status weir_exec_check_ticket(const weir_exec *exec, weir_ticket ticket)
{
    if (ticket.number >= 1 && ticket.number <= exec->submitted)
        return WEIR_OK;
    return weir_fail(WEIR_ERR_INVALID, "graph '%s': no frame with ticket %" PRIu64 " was submitted", exec->plan->body->name, ticket.number);
}

weir_status weir_exec_wait(weir_exec *exec, weir_ticket ticket, int64_t timeout_ns)
{
    if (!exec)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_wait: the exec is NULL");
    int64_t deadline = weir_deadline(timeout_ns);
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = weir_exec_check_ticket(exec, ticket);
    while (status == WEIR_OK && exec->done < ticket.number)
        if (timeout_ns == 0)
            status = weir_exec_say_waiting(exec, WEIR_WOULD_BLOCK);
        else if (!weir_runtime_await(exec->runtime, deadline) && exec->done < ticket.number)
            status = weir_exec_say_waiting(exec, WEIR_TIMEOUT);
    if (status == WEIR_OK && exec->failure != WEIR_OK && ticket.number > exec->failed_frame)
        status = weir_exec_failure(exec);
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

const void *weir_exec_data(weir_exec *exec, weir_ticket ticket, weir_buffer *buffer)
{
    if (!exec || !buffer) {
        weir_fail(WEIR_ERR_INVALID, "weir_exec_data: NULL argument");
        return NULL;
    }
    uint32_t b = weir_exec_buffer_index(exec, buffer);
    if (b == UINT32_MAX || buffer->place != WEIR_HOST_OUT) {
        weir_fail(WEIR_ERR_INVALID, "buffer '%s' is %s", buffer->name, b == UINT32_MAX ? "not used by this exec's graph" : "not WEIR_HOST_OUT");
        return NULL;
    }
    const void *data = NULL;
    pthread_mutex_lock(&exec->runtime->lock);
    const weir_storage *storage = exec->uses[b].storage;
    uint64_t begun = exec->submitted + (exec->open ? 1 : 0), frame = ticket.number - 1;
    const uint64_t *moves = exec->moves_history + frame % exec->history_frames * exec->plan->body->buffers.count;
    if (weir_exec_check_ticket(exec, ticket) == WEIR_OK) {
        if (exec->done < ticket.number)
            weir_fail(WEIR_ERR_STATE, "buffer '%s': its frame is not done: wait for it first", buffer->name);
        else if (exec->failure != WEIR_OK && frame >= exec->failed_frame)
            weir_exec_failure(exec);
        else if (begun > frame + storage->count)
            weir_fail(WEIR_ERR_STATE, "buffer '%s' has %u copies, and as many frames were begun since: give it more, or read sooner", buffer->name, storage->count);
        else if (storage->moves >= moves[b] + storage->count)
            weir_fail(WEIR_ERR_STATE, "buffer '%s': another exec has written that frame's copy since: give it more copies, or read sooner", buffer->name);
        else if (exec->ring_of[b] == UINT32_MAX)
            data = storage->copies[0];
        else
            data = storage->copies[exec->history[frame % exec->history_frames * exec->image.ring_count + exec->ring_of[b]]];
    }
    pthread_mutex_unlock(&exec->runtime->lock);
    return data;
}

weir_status weir_exec_poll_task(weir_exec *exec, weir_ticket ticket, weir_task task)
{
    uint32_t index;
    if (!exec)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_poll_task: the exec is NULL");
    if (!weir_exec_task_index(exec, task, &index))
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_poll_task: the null task, or one that is not of graph '%s'", exec->plan->body->name);
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = weir_exec_check_ticket(exec, ticket);
    uint64_t frame = ticket.number - 1;
    if (status == WEIR_OK && exec->failure != WEIR_OK && frame >= exec->failed_frame)
        status = weir_exec_failure(exec);
    if (status == WEIR_OK && exec->done <= frame && (exec->released <= frame || !exec->runtime->ops->task_done(exec->program, frame, index)))
        status = weir_fail(WEIR_WOULD_BLOCK, "task '%s' is not done in frame %" PRIu64, exec->plan->body->tasks.at[index].name, frame);
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

/* Whether what is kept of a task for F frames is still there; with the lock held. */
static weir_status check_recent(const weir_exec *exec, weir_ticket ticket, const char *task)
{
    if (exec->done >= ticket.number && exec->submitted < ticket.number + exec->frames)
        return WEIR_OK;
    return weir_fail(WEIR_ERR_STATE, "task '%s': frame %" PRIu64 " is %s", task, ticket.number - 1, exec->done < ticket.number ? "not done" : "too long ago");
}

weir_status weir_exec_task_time(weir_exec *exec, weir_ticket ticket, weir_task task, double *start_ns, double *end_ns)
{
    uint32_t index;
    if (!exec || !start_ns || !end_ns)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_task_time: NULL argument");
    if (!weir_exec_task_index(exec, task, &index))
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_task_time: the null task, or one that is not of graph '%s'", exec->plan->body->name);
    pthread_mutex_lock(&exec->runtime->lock);
    const char *name = exec->plan->body->tasks.at[index].name;
    weir_status status = weir_exec_check_ticket(exec, ticket);
    if (status == WEIR_OK && !exec->spans)
        status = weir_fail(WEIR_ERR_STATE, "task '%s': this exec was made without timing, or replays: a trace tells then", name);
    if (status == WEIR_OK)
        status = check_recent(exec, ticket, name);
    if (status == WEIR_OK) {
        const weir_task_span *span = &exec->spans[(ticket.number - 1) % exec->frames * exec->plan->tasks + index];
        *start_ns = (double)(span->start_ns - exec->made_ns);
        *end_ns = (double)(span->end_ns - exec->made_ns);
        if (span->end_ns == 0)
            status = weir_fail(WEIR_ERR_STATE, "task '%s' did not run in frame %" PRIu64, name, ticket.number - 1);
    }
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}

weir_status weir_exec_iterations(weir_exec *exec, weir_ticket ticket, weir_task loop, uint32_t *count)
{
    uint32_t index;
    if (!exec || !count)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_iterations: NULL argument");
    const weir_body *body = exec->plan->body;
    if (!weir_exec_task_index(exec, loop, &index))
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_iterations: the null task, or one that is not of graph '%s'", body->name);
    const char *name = body->tasks.at[index].name;
    if (body->tasks.at[index].kind != WEIR_KIND_WHILE)
        return weir_fail(WEIR_ERR_INVALID, "weir_exec_iterations: task '%s' is no loop", name);
    pthread_mutex_lock(&exec->runtime->lock);
    weir_status status = weir_exec_check_ticket(exec, ticket);
    if (status == WEIR_OK)
        status = check_recent(exec, ticket, name);
    uint64_t frame = ticket.number - 1;
    if (status == WEIR_OK && exec->failure != WEIR_OK && frame >= exec->failed_frame)
        status = weir_fail(WEIR_ERR_STATE, "task '%s': frame %" PRIu64 " failed", name, frame);
    if (status == WEIR_OK) { /* its switches are kept until its place is taken by another frame */
        bool off = weir_task_is_off(&exec->states[frame % exec->frames].values, index);
        *count = off ? 0 : exec->rounds[frame % exec->frames * exec->plan->tasks + index];
    }
    pthread_mutex_unlock(&exec->runtime->lock);
    return status;
}
