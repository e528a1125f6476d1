/* slot.c - launches a frame as one of its program's slots.
 *
 * Nodes keep what they were made with. Where a frame passes something else (a param that was set, a ring that another exec has moved), the
 * nodes of the tasks that are passed it are changed, and no others; so it is with switches. Rings that only this program's frames move
 * need no change: there is a slot for each phase. No frame in flight is launched as a slot that is changed.
 * Frames in flight are launched into a stream each, as a slot each; what orders them is in their graphs (ties.h). Where they
 * cannot overlap they are in turn: all are launched into one stream.
 *
 * Guards. A node that copies or fills and is switched off no longer orders what comes after it after what came before (seen with driver 580;
 * kernels do). So a task of these kinds that is ever switched off gets an empty node beside it, with the same edges, and the slot is made
 * anew once for that. So does a kernel with programmatic edges. Switched off it waits for nobody, and those before it, which have merely let
 * it be launched, may still run when it is passed. What waits for it may have begun before those before it have ended, and CUDA does not say
 * what that wait is for when there is nothing to be waited for. All edges of what is guarded are plain.
 *
 * Natives. What they enqueue is theirs, and is changed by having them enqueue it again: the slot is made anew where one is passed something else,
 * or is switched. One that is off is not in the graph, whatever it is passed. */
#include "backend/cuda/choose.h"
#include "backend/cuda/control.h"
#include "backend/cuda/slot.h"
#include "backend/cuda/timing.h"
#include "util/log.h"
#include "util/status.h"
#include <string.h>

/* ---- choosing ---- */

static bool is_at(const slot *s, const weir_frame_values *values)
{
    uint32_t rings = s->replay->program->image->ring_count;
    return rings == 0 || memcmp(s->ring_at, values->ring_at, rings * sizeof *s->ring_at) == 0;
}

/* A task alone, too, has a slot for each frame in flight, though its lane keeps their order: what is changed in the body of a loop may be seen by a launch
 * that is under way (driver 580). */
static bool is_free(const slot *s, const weir_frame_values *values)
{
    return s->free_from <= values->number && weir_cuda_choice_is_free(s->replay->program, s->number, values->number);
}

slot *weir_cuda_slot_choose(const replay *r, const weir_frame_values *values)
{
    uint32_t usual = (uint32_t)(values->number % r->count);
    slot *found = &r->slots[usual];
    bool any_free = false, fits = false;
    for (uint32_t i = 0; i < r->count && !fits; i++) {
        slot *s = &r->slots[usual + i < r->count ? usual + i : usual + i - r->count];
        if (!is_free(s, values))
            continue;
        fits = is_at(s, values);
        if (fits || !any_free)
            found = s;
        any_free = true;
    }
    found->free_from = values->number + r->program->frames; /* there are no fewer slots than frames in flight, so one was free */
    return found;
}

bool weir_cuda_slot_follows(const slot *s, const slot *earlier, uint32_t distance)
{
    return earlier->replay == s->replay && (s->number + s->replay->count - distance) % s->replay->count == earlier->number;
}

/* ---- changing ---- */

static uint32_t add_users(replay *r, const passed_value *value, uint32_t count)
{
    for (uint32_t u = value->first; u < value->first + value->count; u++)
        if (r->stamp[r->users[u]] != r->stamped) {
            r->stamp[r->users[u]] = r->stamped;
            r->changed[count++] = r->users[u];
        }
    return count;
}

/* Tasks that this frame passes something else than the slot's last one did. The slot then stands for this frame. */
static uint32_t find_changed(slot *s, const weir_frame_values *values)
{
    replay *r = s->replay;
    uint32_t count = 0;
    r->stamped++;
    for (uint32_t i = 0; i < r->param_count; i++) {
        const passed_value *v = &r->params[i];
        if (memcmp(s->params + v->index, values->params + v->index, v->bytes) == 0)
            continue;
        memcpy(s->params + v->index, values->params + v->index, v->bytes);
        count = add_users(r, v, count);
    }
    if (is_at(s, values))
        return count;
    for (uint32_t i = 0; i < r->ring_count; i++)
        if (s->ring_at[r->rings[i].index] != values->ring_at[r->rings[i].index])
            count = add_users(r, &r->rings[i], count);
    memcpy(s->ring_at, values->ring_at, r->program->image->ring_count * sizeof *s->ring_at);
    return count;
}

static cudaError_t change_kernel(const slot *s, cudaGraphNode_t node, const action *a)
{
    struct cudaKernelNodeParams params = weir_action_kernel_node(a);
    return cudaGraphExecKernelNodeSetParams(s->exec, node, &params);
}

static cudaError_t change_line(const slot *s, cudaGraphNode_t node, const action *a)
{
    void *to;
    const void *from;
    size_t bytes;
    weir_action_line(a, &to, &from, &bytes);
    return cudaGraphExecMemcpyNodeSetParams1D(s->exec, node, to, from, bytes, a->as.move->copy_kind);
}

static cudaError_t change_fill(const slot *s, const cudaGraphNode_t *nodes, const action *a)
{
    cudaError_t result = cudaSuccess;
    for (uint32_t piece = 0; piece < a->as.move->pieces && result == cudaSuccess; piece++) {
        struct cudaMemsetParams params;
        weir_action_fill_piece(a, piece, &params);
        result = cudaGraphExecMemsetNodeSetParams(s->exec, nodes[piece], &params);
    }
    return result;
}

/* CUDA changes no node that copies boxes; what is to change in a native's nodes is not known. */
bool weir_cuda_can_change(const action *a)
{
    if (a->kind == ACTION_CONTROL)
        return weir_cuda_control_can_change(a->as.control);
    return a->kind != ACTION_NATIVE && (a->kind != ACTION_COPY || weir_action_is_line(a));
}

static bool can_change(const replay *r, const action *a)
{
    return weir_cuda_can_change(a) && !(a->kind == ACTION_CONTROL && atomic_load_explicit(&r->program->device->bodies_stay, memory_order_relaxed));
}

static const action *action_of(const replay *r, uint32_t task)
{
    return &r->program->root.actions[r->first + task];
}

static bool is_native(const replay *r, uint32_t task)
{
    return action_of(r, task)->kind == ACTION_NATIVE;
}

cudaError_t weir_cuda_nodes_change(const slot *s, const action *a, const cudaGraphNode_t *nodes, const char **call)
{
    if (a->kind == ACTION_CONTROL)
        return weir_cuda_control_change(s, a->as.control, nodes, call);
    if (a->kind == ACTION_KERNEL) {
        *call = "cudaGraphExecKernelNodeSetParams";
        return change_kernel(s, nodes[0], a);
    }
    if (a->kind == ACTION_FILL) {
        *call = "cudaGraphExecMemsetNodeSetParams";
        return change_fill(s, nodes, a);
    }
    *call = "cudaGraphExecMemcpyNodeSetParams1D";
    return change_line(s, nodes[0], a);
}

static cudaError_t change_task(const slot *s, uint32_t task, const char **call)
{
    weir_cuda_slot_pass(s, s->replay->first + task);
    return weir_cuda_nodes_change(s, action_of(s->replay, task), weir_slot_nodes(s, task), call);
}

/* ---- switching ---- */

static cudaError_t switch_task(const slot *s, uint32_t task, bool on)
{
    const action *a = action_of(s->replay, task);
    const cudaGraphNode_t *nodes = weir_slot_nodes(s, task);
    cudaError_t result = cudaSuccess;
    if (a->kind == ACTION_CONTROL)
        return weir_cuda_control_switch(s, a->as.control, nodes, on);
    for (uint32_t i = 0; i < weir_action_pieces(a) && result == cudaSuccess; i++)
        result = cudaGraphNodeSetEnabled(s->exec, nodes[i], on);
    return result;
}

/* Tasks whose nodes go on are added to the changed ones: while they were off nothing was done to them. Those that cannot be changed have what
 * they need: the slot was made anew for it. */
static cudaError_t switch_tasks(slot *s, const weir_frame_values *values, uint32_t *changed)
{
    replay *r = s->replay;
    cudaError_t result = cudaSuccess;
    for (size_t byte = 0; byte < r->off_bytes; byte++) {
        unsigned char wanted = values->off ? values->off[byte] : 0, differs = (unsigned char)(wanted ^ s->off[byte]);
        for (uint32_t bit = 0; differs != 0 && bit < 8 && result == cudaSuccess; bit++) {
            uint32_t task = (uint32_t)(byte * 8 + bit);
            bool on = !(wanted >> bit & 1);
            if (!(differs >> bit & 1) || !weir_action_is_on_device(action_of(r, task)))
                continue; /* of a gate, a worker skips the task */
            result = switch_task(s, task, on);
            if (on && !action_of(r, task)->fixed && can_change(r, action_of(r, task)) && r->stamp[task] != r->stamped) {
                r->stamp[task] = r->stamped;
                r->changed[(*changed)++] = task;
            }
        }
        s->off[byte] = wanted;
    }
    s->some_off = values->off != NULL;
    return result;
}

/* ---- before a launch ---- */

/* Everything is on, but for natives: of them, those that the frame has on. */
static void switch_for_rebuilding(slot *s, const weir_frame_values *values)
{
    const replay *r = s->replay;
    memset(s->off, 0, r->off_bytes);
    for (uint32_t t = 0; values->off && t < r->tasks; t++)
        if (is_native(r, t) && weir_task_is_off(values, t))
            s->off[t / 8] |= (unsigned char)(1u << t % 8);
}

/* The whole slot anew, as it stands for this frame, with all guards there are. */
static cudaError_t rebuild_slot(slot *s, const weir_frame_values *values)
{
    const weir_backend *device = s->replay->program->device;
    bool was_on = weir_cuda_slot_is_on(s);
    switch_for_rebuilding(s, values);
    entered before = weir_cuda_enter(device); /* capturing and making must not break a capture of the caller's */
    weir_status status = weir_cuda_slot_remake(s, was_on);
    if (status == WEIR_OK)
        weir_cuda_choice_remade(s->replay->program, s);
    weir_cuda_leave(device, before);
    if (status == WEIR_OK)
        return cudaSuccess;
    if (s->natives.failed_task == UINT32_MAX)
        weir_log(WEIR_LOG_ERROR, "%s", weir_last_error());
    return status == WEIR_ERR_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorUnknown;
}

/* Tasks that this frame switches off for the first time get their guards. */
static void add_guards(replay *r, const weir_frame_values *values)
{
    for (uint32_t t = 0; values->off && t < r->tasks; t++) {
        const action *a = action_of(r, t);
        bool orders = a->kind != ACTION_COPY && a->kind != ACTION_FILL && !(r->linked && r->linked[t]);
        if (!orders && weir_task_is_off(values, t) && !r->guarded[t]) {
            r->guarded[t] = true;
            r->guards++;
        }
    }
}

static bool switches_native(const slot *s, const weir_frame_values *values)
{
    const replay *r = s->replay;
    for (size_t byte = 0; (values->off || s->some_off) && byte < r->off_bytes; byte++) {
        unsigned char differs = (unsigned char)((values->off ? values->off[byte] : 0) ^ s->off[byte]);
        for (uint32_t bit = 0; differs >> bit != 0; bit++)
            if (differs >> bit & 1 && is_native(r, (uint32_t)(byte * 8 + bit)))
                return true;
    }
    return false;
}

/* Bodies of what goes on now may be behind what is passed to them: they were left alone while it was off, when it seemed they could be changed. */
static bool has_old_bodies(const slot *s, const weir_frame_values *values)
{
    const replay *r = s->replay;
    if (!s->some_off || !atomic_load_explicit(&r->program->device->bodies_stay, memory_order_relaxed))
        return false;
    for (uint32_t t = 0; t < r->tasks; t++)
        if (action_of(r, t)->kind == ACTION_CONTROL && !action_of(r, t)->fixed && (s->off[t / 8] >> t % 8 & 1) && !weir_task_is_off(values, t))
            return true;
    return false;
}

static bool must_rebuild(const slot *s, const weir_frame_values *values, uint32_t changed)
{
    const replay *r = s->replay;
    bool must = s->exec == NULL || s->guards != r->guards || switches_native(s, values) || has_old_bodies(s, values);
    for (uint32_t i = 0; i < changed && !must; i++)
        must = !can_change(r, action_of(r, r->changed[i])) && !(is_native(r, r->changed[i]) && weir_task_is_off(values, r->changed[i]));
    return must;
}

static cudaError_t change_tasks(slot *s, const weir_frame_values *values, uint32_t count, const char **call, uint32_t *task)
{
    const replay *r = s->replay;
    cudaError_t result = cudaSuccess;
    for (uint32_t i = 0; i < count && result == cudaSuccess; i++) {
        if (weir_task_is_off(values, r->changed[i]))
            continue;
        *task = r->first + r->changed[i];
        result = change_task(s, r->changed[i], call);
    }
    return result;
}

/* Whether drivers change nodes in the bodies of conditional ones is not documented: the first refusal is remembered. */
static bool is_refused_body(const replay *r, cudaError_t result, uint32_t task)
{
    bool refused = result == cudaErrorInvalidValue || result == cudaErrorNotSupported || result == cudaErrorInvalidResourceHandle;
    if (!refused || r->program->root.actions[task].kind != ACTION_CONTROL || atomic_load(&r->program->device->bodies_stay))
        return false;
    (void)cudaGetLastError();
    weir_log(WEIR_LOG_INFO, "cuda: the driver changes no nodes in the bodies of loops and branches: where what they are passed changes, the CUDA graph is made anew");
    atomic_store(&r->program->device->bodies_stay, true);
    return true;
}

/* Anew, if it must be, and with what is off switched off. Tasks that are left to be changed: *count of them. */
static cudaError_t rebuild_and_switch(slot *s, const weir_frame_values *values, bool rebuild, uint32_t *count, const char **call)
{
    cudaError_t result = cudaSuccess;
    if (rebuild) {
        *call = "making the CUDA graph anew";
        result = rebuild_slot(s, values);
        *count = 0;
    }
    if (result == cudaSuccess && (values->off || s->some_off)) {
        *call = "cudaGraphNodeSetEnabled";
        result = switch_tasks(s, values, count);
    }
    return result;
}

cudaError_t weir_cuda_slot_change(slot *s, const weir_frame_values *values, const char **call, uint32_t *task)
{
    replay *r = s->replay;
    uint32_t count = r->param_count > 0 || r->ring_count > 0 ? find_changed(s, values) : 0, at = UINT32_MAX;
    if (values->off && memcmp(values->off, s->off, r->off_bytes) != 0)
        add_guards(r, values);
    cudaError_t result = rebuild_and_switch(s, values, must_rebuild(s, values, count), &count, call);
    if (result != cudaSuccess)
        return result;
    result = change_tasks(s, values, count, call, &at);
    if (result != cudaSuccess && is_refused_body(r, result, at))
        return rebuild_and_switch(s, values, true, &count, call);
    if (result != cudaSuccess)
        *task = at;
    return result;
}

/* An event costs the host a quarter of what a launch does, and is for nothing where the stream tells as much: while a frame is the last in a
 * stream that no other program uses. */
cudaError_t weir_cuda_slot_record_end(flight *f)
{
    cudaError_t result = cudaEventRecord(f->ends[0], f->program->streams[weir_flight_stream(f)]);
    if (result == cudaSuccess)
        atomic_store_explicit(&f->end_recorded, true, memory_order_release);
    return result;
}

static cudaError_t record_end_before(const weir_program *p, const flight *f)
{
    if (!p->in_turn || f->number == 0 || p->frames == 1 || atomic_load(&p->ended) >= f->number)
        return cudaSuccess;
    if (atomic_load_explicit(&p->pool[0]->has_joined, memory_order_acquire))
        return cudaSuccess; /* that was recorded behind it, and others' frames may have come since */
    flight *before = &p->flights[(f->number - 1) % p->frames];
    return atomic_load_explicit(&before->end_recorded, memory_order_relaxed) ? cudaSuccess : weir_cuda_slot_record_end(before);
}

static void launch(weir_program *p, flight *f)
{
    slot *s = f->slot;
    const uint32_t stream = weir_flight_stream(f);
    if (atomic_load(&p->failed) < f->number)
        return; /* a frame that came to nothing records no events, and does not pass on the order of those before it */
    f->error_call = "cudaEventRecord";
    f->error = record_end_before(p, f); /* also if this frame comes to nothing: the next one's launch would hide that end */
    if (f->error != cudaSuccess)
        return;
    f->error = weir_cuda_slot_change(s, f->values, &f->error_call, &f->error_task);
    if (f->error != cudaSuccess) {
        if (weir_native_failed(p, f, &s->natives))
            f->error = cudaSuccess; /* it is the task's, not the device's */
        return;
    }
    f->error = weir_cuda_start_after(p, f, &f->error_call); /* now: how the frame before ends was asked of the stream, where waits would be in the way */
    if (f->error != cudaSuccess)
        return;
    if (f->timed)
        weir_cuda_timing_launch(p, f);
    f->error_call = "cudaGraphLaunch";
    if (p->choice)
        weir_cuda_choice_begin(p, f);
    f->error = cudaGraphLaunch(s->exec, p->streams[stream]);
    if (p->choice)
        weir_cuda_choice_end(p, f);
    if (f->timed)
        weir_cuda_timing_launched();
    atomic_store_explicit(&f->reached, p->plan->tasks, memory_order_relaxed);
    if (f->error == cudaSuccess && atomic_load(&p->pool[stream]->users) > 1) {
        f->error_call = "cudaEventRecord";
        f->error = weir_cuda_slot_record_end(f);
    }
}

void weir_cuda_slot_launch(weir_program *program, flight *f)
{
    launch(program, f);
    if (f->error == cudaSuccess)
        return;
    (void)cudaGetLastError();
    weir_cuda_note(program->device, f->error);
    weir_cuda_fail_from(program, f->number);
}
