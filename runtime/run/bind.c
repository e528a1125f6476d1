/* bind.c - joins a plan and a runtime: finds storage for every buffer and a place for every param, and takes all the memory that frames will
 * use. */
#include "run/exec.h"
#include "util/memory.h"
#include "util/status.h"
#include <stdio.h>
#include <string.h>

/* ---- what may be refused ---- */

static weir_status check_ring(const weir_plan *plan, const weir_buffer *buffer, uint32_t has)
{
    if (buffer->copies != WEIR_RING_AUTO || has >= plan->ring_copies)
        return WEIR_OK;
    return weir_fail(WEIR_ERR_INVALID, "ring '%s' was fixed to %u copies by an earlier exec, this plan needs %u: make this exec first, or give the ring %u copies",
                     buffer->name, has, plan->ring_copies, plan->ring_copies);
}

/* Before any memory is taken, and before a ring is fixed. */
static weir_status check_all(const weir_exec *exec)
{
    const weir_plan *plan = exec->plan;
    const weir_body *body = plan->body;
    weir_status status = exec->runtime->ops->check(exec->runtime->backend, plan);
    if (status == WEIR_OK)
        status = weir_exec_check_arguments(plan);
    for (uint32_t b = 0; b < body->buffers.count && status == WEIR_OK; b++)
        status = check_ring(plan, body->buffers.at[b].buffer, weir_buffer_copies(body->buffers.at[b].buffer, plan->ring_copies));
    return status;
}

/* ---- storages and rings ---- */

/* Memory of the program's own that cannot be used: for whom it was wanted. */
static weir_status say_who_touches(const weir_body *body, uint32_t b, weir_status status)
{
    for (uint32_t t = 0; t < body->tasks.count; t++)
        for (uint32_t i = 0; i < body->tasks.at[t].arg_count; i++) {
            const weir_arg_record *arg = &body->args.at[body->tasks.at[t].arg_first + i];
            char why[512];
            if (!weir_arg_is_access(arg) || arg->index != b)
                continue;
            snprintf(why, sizeof why, "%s", weir_last_error());
            return weir_fail(status, "%s; task '%s' touches it", why, body->tasks.at[t].name);
        }
    return status;
}

static weir_status use_storage(weir_exec *exec, uint32_t b)
{
    const weir_body *body = exec->plan->body;
    const weir_buffer_record *record = &body->buffers.at[b];
    weir_use *use = &exec->uses[b];
    /* A runtime beside this one may have fixed the ring since it was checked. */
    weir_status status = check_ring(exec->plan, record->buffer, weir_buffer_fix_copies(record->buffer, exec->plan->ring_copies));
    if (status == WEIR_OK)
        status = weir_storage_of(exec->runtime, record->buffer, exec->plan->ring_copies, &use->storage);
    if (status != WEIR_OK)
        return record->buffer->adopted ? say_who_touches(body, b, status) : status;
    const weir_storage *storage = use->storage;
    use->exec = exec;
    use->writes = record->written || record->buffer->place == WEIR_HOST_IN;
    use->furthest_back = record->furthest_back;
    exec->ring_of[b] = UINT32_MAX;
    if (storage->count > 1) {
        uint32_t ring = exec->ring_of[b] = exec->image.ring_count++;
        exec->rings[ring] = (weir_ring){.copies = storage->copies, .count = storage->count, .moves = use->writes};
        exec->ring_storage[ring] = use->storage;
        exec->ring_moves[ring] = use->writes;
    }
    return WEIR_OK;
}

static weir_status bind_buffers(weir_exec *exec)
{
    uint32_t count = exec->plan->body->buffers.count;
    exec->uses = weir_alloc(count, sizeof *exec->uses);
    exec->rings = weir_alloc(count, sizeof *exec->rings);
    exec->ring_storage = weir_alloc(count, sizeof *exec->ring_storage);
    exec->ring_moves = weir_alloc(count, sizeof *exec->ring_moves);
    exec->ring_of = weir_alloc(count, sizeof *exec->ring_of);
    if (!exec->uses || !exec->rings || !exec->ring_storage || !exec->ring_moves || !exec->ring_of)
        return weir_fail_no_memory();
    weir_status status = WEIR_OK;
    for (uint32_t b = 0; b < count && status == WEIR_OK; b++)
        status = use_storage(exec, b);
    exec->image.rings = exec->rings;
    return status;
}

/* ---- params ---- */

static weir_status bind_params(weir_exec *exec)
{
    const weir_body *body = exec->plan->body;
    exec->param_offset = weir_alloc(body->params.count, sizeof *exec->param_offset);
    if (!exec->param_offset)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < body->params.count; i++) {
        exec->param_offset[i] = (uint32_t)exec->param_bytes;
        exec->param_bytes += (body->params.at[i]->bytes + 15) & ~(size_t)15;
    }
    exec->params = weir_alloc_lines(exec->param_bytes, 1);
    if (!exec->params)
        return weir_fail_no_memory();
    for (uint32_t i = 0; i < body->params.count; i++)
        memcpy(exec->params + exec->param_offset[i], body->params.at[i]->initial, body->params.at[i]->bytes);
    exec->image.params = exec->params;
    exec->image.param_bytes = exec->param_bytes;
    return WEIR_OK;
}

/* ---- frames ---- */

static weir_status bind_frames(weir_exec *exec)
{
    exec->off_bytes = (exec->plan->tasks + 7u) / 8;
    exec->off = weir_alloc(exec->off_bytes, 1);
    exec->states = weir_alloc(exec->frames, sizeof *exec->states);
    if (!exec->off || !exec->states)
        return weir_fail_no_memory();
    for (uint32_t f = 0; f < exec->frames; f++) {
        weir_frame_state *state = &exec->states[f];
        state->ring_at = weir_alloc(exec->image.ring_count, sizeof *state->ring_at);
        state->params = weir_alloc_lines(exec->param_bytes, 1);
        state->off = weir_alloc(exec->off_bytes, 1);
        if (!state->ring_at || !state->params || !state->off)
            return weir_fail_no_memory();
        state->values.ring_at = state->ring_at;
        state->values.params = state->params;
    }
    exec->history_frames = exec->frames;
    for (uint32_t r = 0; r < exec->image.ring_count; r++)
        if (exec->rings[r].count > exec->history_frames)
            exec->history_frames = exec->rings[r].count;
    exec->history = weir_alloc((size_t)exec->history_frames * exec->image.ring_count, sizeof *exec->history);
    exec->moves_history = weir_alloc((size_t)exec->history_frames * exec->plan->body->buffers.count, sizeof *exec->moves_history);
    return exec->history && exec->moves_history ? WEIR_OK : weir_fail_no_memory();
}

/* Loops in bodies are not told of. */
static weir_status bind_rounds(weir_exec *exec)
{
    const weir_body *body = exec->plan->body;
    bool loops = false;
    for (uint32_t t = 0; t < body->tasks.count; t++)
        loops = loops || body->tasks.at[t].kind == WEIR_KIND_WHILE;
    if (loops)
        exec->rounds = weir_alloc((size_t)body->tasks.count * exec->frames, sizeof *exec->rounds);
    exec->image.rounds = exec->rounds;
    return exec->rounds || !loops ? WEIR_OK : weir_fail_no_memory();
}

static weir_status bind_timing(weir_exec *exec)
{
    uint32_t tasks = exec->plan->tasks;
    exec->spans = weir_alloc((size_t)tasks * exec->frames, sizeof *exec->spans);
    exec->last_spans = weir_alloc(tasks, sizeof *exec->last_spans);
    exec->samples = weir_alloc(tasks, sizeof *exec->samples);
    exec->image.spans = exec->spans;
    return exec->spans && exec->last_spans && exec->samples ? WEIR_OK : weir_fail_no_memory();
}

/* A frame may have to follow frames of every exec of the runtime: there must be room to say so, for each exec and this one. */
static weir_status reserve_followed(weir_exec *exec)
{
    uint32_t execs = 1;
    for (weir_exec *e = exec->runtime->execs; e; e = e->next)
        execs++;
    bool reserved = true;
    for (weir_exec *e = exec->runtime->execs; e; e = e->next)
        for (uint32_t f = 0; f < e->frames; f++)
            reserved = reserved && weir_vector_reserve(&e->states[f].followed, execs);
    for (uint32_t f = 0; f < exec->frames; f++)
        reserved = reserved && weir_vector_reserve(&exec->states[f].followed, execs);
    return reserved ? WEIR_OK : weir_fail_no_memory();
}

static bool is_eager(const weir_exec *exec)
{
    const weir_backend_ops *ops = exec->runtime->ops;
    return !ops->info || strcmp(ops->info(exec->program).mode, "eager") == 0;
}

/* A graph launched at once tells no times of its tasks. */
static void drop_timing(weir_exec *exec)
{
    exec->image.spans = NULL;
    weir_free(exec->spans);
    weir_free(exec->last_spans);
    weir_free(exec->samples);
    exec->spans = exec->last_spans = NULL;
    exec->samples = NULL;
}

/* Where the rings stand now; others may move them before the first frame. */
static void look_at_rings(weir_exec *exec)
{
    pthread_mutex_lock(&exec->runtime->lock);
    for (uint32_t r = 0; r < exec->image.ring_count; r++) {
        const weir_storage *storage = exec->ring_storage[r];
        exec->rings[r].next = (storage->newest + (exec->ring_moves[r] ? 1 : 0)) % storage->count;
    }
    pthread_mutex_unlock(&exec->runtime->lock);
}

/* Only for what looks at it: planning is dear. */
static weir_status bind_replay_lanes(weir_exec *exec, uint32_t lanes)
{
    if (lanes > WEIR_LANES_MOST)
        return weir_fail(WEIR_ERR_INVALID, "replay_lanes %u: at most %d", lanes, WEIR_LANES_MOST);
    weir_status status = lanes > 0 && exec->runtime->ops->info ? weir_plan_again(exec->plan, lanes, &exec->replay_lanes) : WEIR_OK;
    exec->image.replay_lanes = exec->replay_lanes;
    return status;
}

weir_status weir_exec_bind(weir_exec *exec, weir_mode mode, const weir_exec_options *options)
{
    weir_runtime *runtime = exec->runtime;
    exec->image.plan = exec->plan;
    exec->image.mode = mode;
    exec->image.reports = (weir_reports){
        .user = exec,
        .task_failed = weir_exec_task_failed,
        .task_refused = weir_exec_task_refused,
        .frame_done = weir_exec_frame_done,
        .device_failed = weir_exec_device_failed,
        .task_ran = runtime->debug ? weir_exec_task_ran : NULL,
    };
    weir_status status = check_all(exec);
    if (status == WEIR_OK)
        status = bind_buffers(exec);
    if (status == WEIR_OK)
        status = weir_accesses_create(exec->plan->body, &exec->accesses) ? WEIR_OK : weir_fail_no_memory();
    if (status == WEIR_OK)
        status = bind_params(exec);
    if (status == WEIR_OK)
        status = weir_exec_bind_arguments(exec);
    if (status == WEIR_OK)
        status = bind_frames(exec);
    if (status == WEIR_OK)
        status = bind_rounds(exec);
    if (status == WEIR_OK && options->timing)
        status = bind_timing(exec);
    if (status == WEIR_OK)
        status = bind_replay_lanes(exec, options->replay_lanes);
    if (status == WEIR_OK)
        look_at_rings(exec);
    if (status == WEIR_OK)
        status = runtime->ops->program_create(runtime->backend, &exec->image, &exec->program);
    if (status == WEIR_OK && exec->spans && !is_eager(exec))
        drop_timing(exec);
    return status;
}

weir_status weir_exec_link(weir_exec *exec)
{
    weir_runtime *runtime = exec->runtime;
    weir_status status = reserve_followed(exec);
    if (status != WEIR_OK)
        return status;
    for (uint32_t b = 0; b < exec->plan->body->buffers.count; b++)
        weir_storage_link(&exec->uses[b]);
    exec->next = runtime->execs;
    runtime->execs = exec;
    exec->linked = true;
    return WEIR_OK;
}

void weir_exec_unlink(weir_exec *exec)
{
    weir_runtime *runtime = exec->runtime;
    if (!exec->linked)
        return;
    exec->linked = false;
    for (uint32_t b = 0; b < exec->plan->body->buffers.count; b++)
        weir_storage_unlink(&exec->uses[b]);
    for (weir_exec **link = &runtime->execs; *link; link = &(*link)->next)
        if (*link == exec) {
            *link = exec->next;
            break;
        }
    for (weir_exec *e = runtime->execs; e; e = e->next)
        for (uint32_t f = 0; f < e->frames; f++)
            for (uint32_t i = 0; i < e->states[f].followed.count; i++)
                if (e->states[f].followed.at[i].exec == exec)
                    e->states[f].followed.at[i].exec = NULL; /* all its frames are done */
}

void weir_exec_unbind(weir_exec *exec)
{
    exec->runtime->ops->program_destroy(exec->program);
    for (uint32_t f = 0; exec->states && f < exec->frames; f++) {
        weir_free(exec->states[f].ring_at);
        weir_free_lines(exec->states[f].params);
        weir_free(exec->states[f].off);
        weir_vector_finish(&exec->states[f].followed);
    }
    weir_free(exec->states);
    weir_plan_destroy(exec->replay_lanes);
    weir_free(exec->failure_text);
    weir_free(exec->off);
    weir_free_lines(exec->params);
    weir_free(exec->history);
    weir_free(exec->moves_history);
    weir_accesses_finish(&exec->accesses);
    weir_free(exec->spans);
    weir_free(exec->last_spans);
    weir_free(exec->samples);
    weir_free(exec->param_offset);
    weir_arena_finish(&exec->passes);
    weir_free(exec->rounds);
    weir_free(exec->rings);
    weir_free(exec->ring_storage);
    weir_free(exec->ring_moves);
    weir_free(exec->ring_of);
    weir_free(exec->uses);
}
