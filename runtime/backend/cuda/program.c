/* program.c - makes a plan into a program of this device, and submits its frames. */
#include "backend/cuda/choose.h"
#include "backend/cuda/control.h"
#include "backend/cuda/device.h"
#include "backend/cuda/native.h"
#include "backend/cuda/slot.h"
#include "backend/cuda/timing.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/status.h"
#include <string.h>

/* ---- what it can run ---- */

static weir_status check_task(const weir_task_record *task, const weir_kernel **last)
{
    if (task->kind == WEIR_KIND_NATIVE && !task->code.native->enqueue)
        return weir_fail(WEIR_ERR_BACKEND, "task '%s': native '%s' has no code for CUDA", task->name, task->code.native->name);
    if (task->kind != WEIR_KIND_KERNEL || task->code.kernel == *last)
        return WEIR_OK;
    *last = task->code.kernel;
    if (weir_kernel_function(task->code.kernel))
        return WEIR_OK;
    return weir_fail(WEIR_ERR_BACKEND, "task '%s': kernel '%s' has no code for this device", task->name, task->code.kernel->name);
}

/* Those in bodies too. */
static weir_status check_tasks(const weir_plan *plan, const weir_kernel **last)
{
    weir_status status = WEIR_OK;
    for (uint32_t t = 0; t < plan->tasks && status == WEIR_OK; t++)
        status = check_task(&plan->body->tasks.at[t], last);
    for (uint32_t i = 0; i < plan->body->inner.count && status == WEIR_OK; i++)
        status = check_tasks(plan->inner[i], last);
    return status;
}

weir_status weir_cuda_check(const weir_backend *device, const weir_plan *plan)
{
    const weir_kernel *last = NULL;
    weir_status status = weir_cuda_broken(device);
    if (status == WEIR_OK && plan->lanes > device->lanes) /* the pool has so many streams of a level */
        status = weir_fail(WEIR_ERR_BACKEND, "graph '%s': its plan has %u lanes, the runtime at most %u: plan it with fewer, or give the runtime more", plan->body->name,
                           plan->lanes, device->lanes);
    entered before = weir_cuda_enter(device);
    status = status == WEIR_OK ? check_tasks(plan, &last) : status;
    weir_cuda_leave(device, before);
    return status;
}

/* ---- making ---- */

/* Where a cycle from frame to frame is predicted to be as long as a frame there is next to nothing to overlap, and events that tie graphs only cost. */
static bool follow_each_other(const weir_plan *plan)
{
    return plan->frames > 1 && plan->recurrence.ratio_ns >= 0.98 * plan->critical_ns;
}

/* Debugging, and times of single tasks, want tasks launched one by one. */
static weir_status choose_mode(weir_program *p)
{
    const weir_image *image = p->image;
    const char *name = p->plan->body->name;
    bool fits = weir_cuda_slot_count(image) > 0;
    p->mode = p->device->options.debug ? WEIR_MODE_EAGER : image->mode;
    bool chosen = p->mode == WEIR_MODE_AUTO;
    if (chosen || p->mode == WEIR_MODE_DEFAULT) {
        p->mode = image->spans || !fits ? WEIR_MODE_EAGER : WEIR_MODE_REPLAY;
        if (!fits)
            weir_log(WEIR_LOG_INFO, "graph '%s' runs eagerly: with %u frames in flight and rings of these sizes a replay would keep more than %d CUDA graphs", name,
                     p->plan->frames, WEIR_SLOTS_MOST);
    }
    if (p->mode != WEIR_MODE_EAGER && !fits)
        return weir_fail(WEIR_ERR_INVALID,
                         "graph '%s': with %u frames in flight and rings of these sizes a replay would keep more than %d CUDA graphs, one a phase of the rings and no fewer "
                         "than frames in flight: give its rings one size, or sizes that divide each other, have fewer frames in flight, or run it eagerly",
                         name, p->plan->frames, WEIR_SLOTS_MOST);
    p->chooses = chosen && p->mode == WEIR_MODE_REPLAY;
    p->in_turn = follow_each_other(p->plan);
    if (p->in_turn && p->mode != WEIR_MODE_EAGER)
        weir_log(WEIR_LOG_INFO, "graph '%s': its replayed frames run one after the other: by costs, the cycle from frame to frame through task '%s' is as long as a frame", name,
                 p->plan->body->tasks.at[p->plan->recurrence.task[0]].name);
    return WEIR_OK;
}

/* Some of its frames may be launched lane by lane. */
static bool may_be_eager(const weir_program *p)
{
    return p->mode == WEIR_MODE_EAGER || p->chooses;
}

static bool take_memory(weir_program *p)
{
    const weir_plan *plan = p->plan;
    p->step_args = weir_alloc(p->image->pass_first[plan->tasks], sizeof *p->step_args);
    const uint32_t streams = plan->lanes > plan->frames ? plan->lanes : plan->frames;
    p->streams = weir_alloc(streams, sizeof(cudaStream_t));
    p->pool = weir_alloc(streams, sizeof *p->pool);
    p->end_lane = weir_alloc(plan->lanes, sizeof *p->end_lane);
    p->entry_lane = weir_alloc(plan->lanes, sizeof *p->entry_lane);
    p->record_of = weir_alloc(plan->tasks, sizeof *p->record_of);
    p->gate_of = weir_alloc(plan->tasks, sizeof *p->gate_of);
    p->flights = weir_alloc(plan->frames, sizeof *p->flights);
    p->known = weir_alloc(plan->tasks, 1);
    return p->step_args && p->streams && p->pool && p->end_lane && p->entry_lane && p->record_of && p->gate_of && p->flights && p->known;
}

/* A lane is done when its last task is; that needs no event of its own where a task of another lane waits for it. */
static bool find_ends(weir_program *p)
{
    const weir_plan *plan = p->plan;
    bool *awaited = weir_alloc(plan->tasks, sizeof *awaited);
    if (!awaited)
        return false;
    for (uint32_t w = 0; w < plan->wait_first[plan->tasks]; w++)
        if (plan->wait[w].distance == 0)
            awaited[plan->wait[w].task] = true;
    for (uint32_t l = 0; l < plan->lanes; l++)
        if (plan->lane_first[l] < plan->lane_first[l + 1] && !awaited[plan->lane_task[plan->lane_first[l + 1] - 1]])
            p->end_lane[p->end_count++] = l;
    weir_free(awaited);
    return true;
}

static bool waits_within_frame(const weir_plan *plan, uint32_t task)
{
    for (uint32_t w = plan->wait_first[task]; w < plan->wait_first[task + 1]; w++)
        if (plan->wait[w].distance == 0)
            return true;
    return false;
}

/* Lanes that begin a frame by themselves. Each other lane's first task waits for one that comes before it in the plan's order, so, from the
 * order's beginning on, every task comes after a first task of these. */
static void find_entries(weir_program *p)
{
    const weir_plan *plan = p->plan;
    for (uint32_t l = 0; l < plan->lanes; l++)
        if (plan->lane_first[l] < plan->lane_first[l + 1] && !waits_within_frame(plan, plan->lane_task[plan->lane_first[l]]))
            p->entry_lane[p->entry_count++] = l;
}

static void count_records_and_gates(weir_program *p)
{
    const weir_plan *plan = p->plan;
    for (uint32_t t = 0; t < plan->tasks; t++) {
        p->record_of[t] = plan->records[t] ? p->record_count++ : UINT32_MAX;
        p->gate_of[t] = weir_task_is_gate(plan->body, &plan->body->tasks.at[t]) ? p->gate_count++ : UINT32_MAX;
    }
}

static size_t count_gate_args(const weir_program *p)
{
    size_t count = 0;
    for (uint32_t t = 0; t < p->plan->tasks; t++)
        if (p->gate_of[t] != UINT32_MAX)
            count += p->image->pass_first[t + 1] - p->image->pass_first[t];
    return count;
}

/* Eager frames have words of their own. */
static weir_status make_gates(weir_program *p)
{
    const weir_plan *plan = p->plan;
    if (p->gate_count == 0)
        return WEIR_OK;
    p->job_pool = weir_alloc((size_t)plan->frames * p->gate_count, sizeof *p->job_pool);
    p->job_args = weir_alloc(plan->frames * count_gate_args(p), sizeof *p->job_args);
    p->waiting_pool = weir_alloc((size_t)plan->frames * p->gate_count, sizeof *p->waiting_pool);
    if (may_be_eager(p))
        p->words = weir_cuda_words_take(p->device, (size_t)plan->frames * p->gate_count);
    if (!p->job_pool || !p->job_args || !p->waiting_pool || (may_be_eager(p) && !p->words))
        return weir_fail_no_memory();
    void **args = p->job_args;
    for (uint32_t f = 0; f < plan->frames; f++) {
        flight *mine = &p->flights[f];
        mine->gates = p->job_pool + (size_t)f * p->gate_count;
        mine->waiting = p->waiting_pool + (size_t)f * p->gate_count;
        for (uint32_t t = 0; t < plan->tasks; t++)
            if (p->gate_of[t] != UINT32_MAX) {
                gate_job *job = &mine->gates[p->gate_of[t]];
                job->program = p;
                job->flight = mine;
                job->task = t;
                job->args = args;
                args += p->image->pass_first[t + 1] - p->image->pass_first[t];
                atomic_init(&job->over, false);
            }
    }
    if (p->device->options.debug)
        return WEIR_OK;
    weir_status status = weir_cuda_workers_start(p->device);
    return status == WEIR_OK ? weir_cuda_standby_start(p->device) : status;
}

static weir_status make_events(weir_program *p)
{
    uint32_t ends = may_be_eager(p) && p->end_count > 1 ? p->end_count : 1, records = may_be_eager(p) ? p->record_count : 0;
    weir_status status = WEIR_OK;
    p->event_count = (size_t)p->frames * (ends + records);
    p->event_pool = weir_alloc(p->event_count, sizeof(cudaEvent_t));
    if (!p->event_pool)
        return weir_fail_no_memory();
    for (size_t i = 0; i < p->event_count && status == WEIR_OK; i++)
        status = weir_cuda_status(cudaEventCreateWithFlags(&p->event_pool[i], cudaEventDisableTiming), "cudaEventCreateWithFlags");
    for (uint32_t f = 0; f < p->frames; f++) {
        p->flights[f].program = p;
        p->flights[f].ends = p->event_pool + (size_t)f * (ends + records);
        p->flights[f].records = p->flights[f].ends + ends;
    }
    return status;
}

static weir_status make(weir_program *p)
{
    weir_status status = weir_cuda_broken(p->device);
    if (status == WEIR_OK)
        status = take_memory(p) && find_ends(p) ? choose_mode(p) : weir_fail_no_memory();
    if (status != WEIR_OK)
        return status;
    find_entries(p);
    count_records_and_gates(p);
    p->slots = weir_cuda_slot_count(p->image);
    if (p->slots == 0)
        p->slots = p->frames; /* lane by lane: what stands in a slot is changed from frame to frame */
    status = weir_section_make(&p->root, p->image, p->device->options.debug);
    if (status == WEIR_OK)
        status = weir_cuda_controls_make(p);
    if (status == WEIR_OK)
        status = weir_cuda_streams_for(p, may_be_eager(p), p->mode != WEIR_MODE_EAGER);
    if (status == WEIR_OK)
        status = make_gates(p);
    if (status == WEIR_OK)
        status = make_events(p);
    if (status == WEIR_OK)
        status = weir_natives_prepare(p, &p->root);
    if (status == WEIR_OK && p->mode == WEIR_MODE_EAGER)
        status = weir_cuda_controls_make_alone(p);
    if (status == WEIR_OK && p->chooses)
        status = weir_cuda_choice_make(p);
    else if (status == WEIR_OK && p->mode != WEIR_MODE_EAGER)
        status = weir_cuda_replay_make(p, &(replay_way){.captured = p->mode == WEIR_MODE_CAPTURE, .lanes = p->image->replay_lanes}, &p->replay);
    return status;
}

static void free_program(weir_program *p)
{
    if (p->choice)
        weir_cuda_choice_finish(p);
    else
        weir_cuda_replay_finish(p->replay, true);
    weir_cuda_streams_leave(p);
    for (uint32_t f = 0; p->flights && f < p->frames; f++) {
        weir_cuda_timing_finish(p, &p->flights[f]);
        if (p->flights[f].aside)
            (void)cudaStreamDestroy(p->flights[f].aside);
        weir_free(p->flights[f].failed_text);
    }
    for (size_t i = 0; p->event_pool && i < p->event_count; i++)
        if (p->event_pool[i])
            (void)cudaEventDestroy(p->event_pool[i]);
    if (p->words)
        weir_cuda_words_give(p->device, p->words);
    weir_free(p->event_pool);
    weir_free(p->job_pool);
    weir_free(p->job_args);
    weir_free(p->waiting_pool);
    weir_cuda_controls_finish(p);
    weir_natives_release(p, &p->root);
    weir_section_finish(&p->root);
    weir_free(p->traced);
    weir_free(p->step_args);
    weir_free(p->streams);
    weir_free(p->pool);
    weir_free(p->lane_end);
    weir_free(p->end_lane);
    weir_free(p->entry_lane);
    weir_free(p->record_of);
    weir_free(p->gate_of);
    weir_free(p->flights);
    weir_free(p->known);
    (void)cudaGetLastError();
    weir_free(p);
}

weir_status weir_cuda_program_create(weir_backend *device, const weir_image *image, weir_program **out)
{
    weir_program *p = weir_alloc(1, sizeof *p);
    if (!p)
        return weir_fail_no_memory();
    p->device = device;
    p->image = image;
    p->plan = image->plan;
    p->frames = image->plan->frames;
    atomic_init(&p->failed, UINT64_MAX);
    entered before = weir_cuda_enter(device);
    weir_status status = make(p);
    if (status == WEIR_OK)
        weir_cuda_watch_add(p);
    else
        free_program(p);
    weir_cuda_leave(device, before);
    if (status == WEIR_OK)
        *out = p;
    return status;
}

void weir_cuda_program_destroy(weir_program *program)
{
    if (!program)
        return;
    const weir_backend *device = program->device;
    entered before = weir_cuda_enter(device);
    weir_cuda_watch_remove(program);
    free_program(program);
    weir_cuda_leave(device, before);
}

weir_program_info weir_cuda_info(const weir_program *program)
{
    static const char *const names[] = {[WEIR_MODE_EAGER] = "eager", [WEIR_MODE_REPLAY] = "replay", [WEIR_MODE_CAPTURE] = "capture"};
    static const double launch_ns[] = {[WEIR_MODE_EAGER] = 3000, [WEIR_MODE_REPLAY] = 180, [WEIR_MODE_CAPTURE] = 180}; /* seen with an H200 */
    return (weir_program_info){.mode = weir_cuda_choice_is_open(program) ? "auto" : names[program->mode],
                               .instantiations = atomic_load(&((weir_program *)program)->instantiations),
                               .taken_over = atomic_load(&((weir_program *)program)->taken_over),
                               .launch_ns = launch_ns[program->mode]};
}

/* ---- submitting ---- */

/* NULL: lane by lane. */
static slot *choose_slot(weir_program *p, flight *f, const weir_frame_values *values)
{
    if (p->choice)
        return weir_cuda_choice_next(p, f, values);
    return p->replay ? weir_cuda_slot_choose(p->replay, values) : NULL;
}

static void prepare(weir_program *p, flight *f, const weir_frame_values *values)
{
    f->values = values;
    f->number = values->number;
    f->turn = p->device->turns++;
    f->error = cudaSuccess;
    f->error_call = "";
    f->error_task = UINT32_MAX;
    f->ends_seen = 0;
    f->lost = false;
    f->starts_aside = false;
    f->slot = choose_slot(p, f, values);
    atomic_store_explicit(&f->launched, false, memory_order_relaxed);
    atomic_store_explicit(&f->end_recorded, !f->slot, memory_order_relaxed);
    atomic_store_explicit(&f->reached, 0, memory_order_relaxed);
    atomic_store_explicit(&f->running, 0, memory_order_relaxed);
    atomic_store_explicit(&f->failed_task, UINT32_MAX, memory_order_relaxed);
    weir_cuda_gates_expect(p, f, f->slot ? f->slot->words : p->words + (size_t)(f->number % p->frames) * p->gate_count);
    weir_cuda_timing_begin(p, f);
}

/* A call between the frame and the program's queues failed. */
static void note_failure(weir_program *p, flight *f, cudaError_t result, const char *call)
{
    (void)cudaGetLastError();
    if (f->error == cudaSuccess) {
        f->error = result;
        f->error_call = call;
    }
    weir_cuda_note(p->device, result);
    weir_cuda_fail_from(p, f->number);
}

static void launch(weir_program *p, flight *f)
{
    const char *call = "";
    if (f->slot)
        weir_cuda_slot_launch(p, f);
    else
        weir_cuda_launch_lanes(p, f);
    cudaError_t result = f->values->foreign ? weir_cuda_let_go_on(f, &call) : cudaSuccess;
    if (result != cudaSuccess)
        note_failure(p, f, result, call);
}

/* Frames are stepped as they were submitted, so there is nothing else to follow. */
static void leave_to_teller(weir_program *p, flight *f)
{
    const char *call = "";
    cudaError_t result = f->values->foreign ? weir_cuda_put_start_aside(f, &call) : cudaSuccess;
    if (result != cudaSuccess)
        note_failure(p, f, result, call);
}

/* The frame is shown to who looks before it is launched: a full launch queue makes the caller wait, perhaps for one of its host tasks. */
static void submit(weir_program *program, const weir_frame_values *values)
{
    weir_backend *device = program->device;
    flight *f = &program->flights[values->number % program->frames];
    prepare(program, f, values);
    if (device->options.debug)
        leave_to_teller(program, f);
    atomic_fetch_add(&device->in_flight, 1);
    atomic_store_explicit(&program->submitted, values->number + 1, memory_order_release);
    if (device->options.debug) {
        program->followed = NULL;
        weir_cuda_news(device);
        return;
    }
    weir_cuda_wake(device);
    if (atomic_load_explicit(&device->broken, memory_order_acquire) == cudaSuccess)
        launch(program, f);
    program->followed = NULL;
    atomic_store_explicit(&f->launched, true, memory_order_release);
}

/* Less than entering: no call that each frame makes can break a capture. */
void weir_cuda_submit(weir_program *program, const weir_frame_values *values)
{
    int ordinal = program->device->ordinal, before = ordinal;
    (void)cudaGetDevice(&before);
    if (before != ordinal)
        (void)cudaSetDevice(ordinal);
    submit(program, values);
    if (before != ordinal)
        (void)cudaSetDevice(before);
}
