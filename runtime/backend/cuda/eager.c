/* eager.c - launches a frame task by task, lane by lane of the plan. Each lane is a stream. */
#include "backend/cuda/choose.h"
#include "backend/cuda/control.h"
#include "backend/cuda/device.h"
#include "backend/cuda/native.h"
#include "backend/cuda/timing.h"
#include "backend/walk.h"
#include "util/clock.h"
#include <nvtx3/nvToolsExt.h>
#include <string.h>

/* ---- one action ---- */

static cudaError_t launch_kernel(const action *a, cudaStream_t stream)
{
    const kernel_launch *k = &a->as.kernel;
    if (!k->cluster && !a->cooperative)
        return cudaLaunchKernel(k->function, k->grid, k->block, a->args, a->shared_bytes, stream);
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config = {.gridDim = k->grid, .blockDim = k->block, .dynamicSmemBytes = a->shared_bytes, .stream = stream, .attrs = attributes};
    memset(attributes, 0, sizeof attributes);
    if (k->cluster) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs].val.clusterDim.x = k->cluster[0];
        attributes[config.numAttrs].val.clusterDim.y = k->cluster[1];
        attributes[config.numAttrs++].val.clusterDim.z = k->cluster[2];
    }
    if (a->cooperative) {
        attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[config.numAttrs++].val.cooperative = 1;
    }
    return cudaLaunchKernelExC(&config, k->function, a->args);
}

static cudaError_t launch_copy(const action *a, uint32_t piece, cudaStream_t stream)
{
    if (weir_action_is_line(a)) {
        void *to;
        const void *from;
        size_t bytes;
        weir_action_line(a, &to, &from, &bytes);
        return cudaMemcpyAsync(to, from, bytes, a->as.move->copy_kind, stream);
    }
    struct cudaMemcpy3DParms params;
    weir_action_copy_piece(a, piece, &params);
    return cudaMemcpy3DAsync(&params, stream);
}

static cudaError_t launch_fill(const weir_driver *driver, const action *a, uint32_t piece, cudaStream_t stream)
{
    struct cudaMemsetParams p;
    weir_action_fill_piece(a, piece, &p);
    CUdeviceptr to = (CUdeviceptr)(uintptr_t)p.dst;
    if (p.elementSize == 1)
        return weir_from_driver(driver->fill_8(to, p.pitch, (unsigned char)p.value, p.width, p.height, stream));
    if (p.elementSize == 2)
        return weir_from_driver(driver->fill_16(to, p.pitch, (unsigned short)p.value, p.width, p.height, stream));
    return weir_from_driver(driver->fill_32(to, p.pitch, p.value, p.width, p.height, stream));
}

cudaError_t weir_cuda_launch_piece(const weir_backend *device, const action *a, uint32_t piece, cudaStream_t stream, const char **call)
{
    switch ((action_kind)a->kind) {
    case ACTION_KERNEL:
        *call = "cudaLaunchKernel";
        return launch_kernel(a, stream);
    case ACTION_COPY:
        *call = weir_action_is_line(a) ? "cudaMemcpyAsync" : "cudaMemcpy3DAsync";
        return launch_copy(a, piece, stream);
    case ACTION_FILL:
        *call = "cuMemsetD2DAsync";
        return launch_fill(&device->driver, a, piece, stream);
    case ACTION_NATIVE:
    case ACTION_CONTROL:
    case ACTION_GATE:
    case ACTION_NOTHING:
        break;
    }
    return cudaSuccess;
}

cudaError_t weir_cuda_launch(const weir_backend *device, const action *a, cudaStream_t stream, const char **call)
{
    cudaError_t result = cudaSuccess;
    for (uint32_t piece = 0, pieces = weir_action_pieces(a); piece < pieces && result == cudaSuccess; piece++)
        result = weir_cuda_launch_piece(device, a, piece, stream, call);
    return result;
}

void weir_cuda_gate_operations(const gate_words *words, CUstreamBatchMemOpParams operations[WEIR_GATE_OPERATIONS])
{
    CUdeviceptr arrived = (CUdeviceptr)(uintptr_t)&words->arrived, released = (CUdeviceptr)(uintptr_t)&words->released;
    memset(operations, 0, WEIR_GATE_OPERATIONS * sizeof *operations);
    operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = arrived;
    operations[0].writeValue.value = 1;
    operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[1].waitValue.address = released;
    operations[1].waitValue.value = 1;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    operations[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[2].writeValue.address = released;
    operations[2].writeValue.value = 0;
}

cudaError_t weir_cuda_launch_gate(const weir_backend *device, const gate_words *words, cudaStream_t stream, const char **call)
{
    CUstreamBatchMemOpParams operations[WEIR_GATE_OPERATIONS];
    weir_cuda_gate_operations(words, operations);
    *call = "cuStreamBatchMemOp";
    return weir_from_driver(device->driver.batch(stream, WEIR_GATE_OPERATIONS, operations, 0));
}

/* ---- a frame ---- */

typedef struct {
    weir_program *program;
    flight *f;
    uint32_t launched;
} lanes;

/* The first failure is the frame's. One that leaves the device usable costs the task alone: others are launched, so that what waits for
 * events and gates finds them. */
static bool note(lanes *l, cudaError_t result, const char *call, uint32_t task)
{
    if (result == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    if (l->f->error == cudaSuccess) {
        l->f->error = result;
        l->f->error_call = call;
        l->f->error_task = weir_cuda_is_sticky(result) ? UINT32_MAX : task;
    }
    weir_cuda_fail_from(l->program, l->f->number);
    weir_cuda_note(l->program->device, result);
    return !weir_cuda_is_sticky(result);
}

static bool wait_for(void *feeder, uint32_t lane, const weir_wait *wait)
{
    lanes *l = feeder;
    weir_program *p = l->program;
    if (wait->distance > l->f->number)
        return true; /* there was no such frame */
    const flight *of = &p->flights[(l->f->number - wait->distance) % p->frames];
    return note(l, cudaStreamWaitEvent(p->streams[lane], of->records[p->record_of[wait->task]], 0), "cudaStreamWaitEvent", wait->task);
}

static cudaError_t launch_on_device(weir_program *p, flight *f, uint32_t task, cudaStream_t stream, const char **call)
{
    action *a = &p->root.actions[task];
    if (a->kind == ACTION_CONTROL)
        return weir_cuda_control_launch(p, f, task, stream, call);
    if (!a->fixed)
        weir_action_pass(p->image, task, f->values, a->args);
    if (a->kind == ACTION_NATIVE) {
        *call = "enqueue";
        return weir_native_launch(p, f, task, stream);
    }
    return weir_cuda_launch(p->device, a, stream, call);
}

static cudaError_t launch_task(weir_program *p, flight *f, uint32_t task, cudaStream_t stream, const char **call)
{
    const action *a = &p->root.actions[task];
    if (a->kind == ACTION_GATE)
        return weir_cuda_launch_gate(p->device, f->gates[p->gate_of[task]].words, stream, call);
    if (a->kind != ACTION_CONTROL && weir_task_is_off(f->values, task)) /* a loop counts its frames */
        return cudaSuccess;
    if (!f->timed)
        return launch_on_device(p, f, task, stream, call);
    weir_cuda_timing_start(f, task, stream);
    cudaError_t result = launch_on_device(p, f, task, stream, call);
    weir_cuda_timing_end(f, task, stream);
    return result;
}

/* What the next tasks are lies where frames of others may have pushed it out of the caches; a launch is long enough to get it back. */
static void fetch_ahead(const weir_program *p, uint32_t position)
{
    const weir_plan *plan = p->plan;
    if (position + 2 < plan->tasks)
        __builtin_prefetch(&p->root.actions[plan->order[position + 2]]);
    if (position + 1 < plan->tasks)
        __builtin_prefetch(p->root.actions[plan->order[position + 1]].args);
}

static bool run(void *feeder, uint32_t lane, uint32_t task)
{
    lanes *l = feeder;
    weir_program *p = l->program;
    const char *call = "";
    fetch_ahead(p, l->launched);
    nvtxRangePushA(p->root.actions[task].name);
    cudaError_t result = launch_task(p, l->f, task, p->streams[lane], &call);
    nvtxRangePop();
    atomic_store_explicit(&l->f->reached, ++l->launched, memory_order_relaxed);
    return note(l, result, call, task);
}

static bool record(void *feeder, uint32_t lane, uint32_t task)
{
    lanes *l = feeder;
    weir_program *p = l->program;
    return note(l, cudaEventRecord(l->f->records[p->record_of[task]], p->streams[lane]), "cudaEventRecord", task);
}

static void launch_lanes(weir_program *program, flight *f)
{
    static const weir_lane_ops ops = {wait_for, run, record};
    lanes l = {.program = program, .f = f};
    const char *call = "";
    cudaError_t result = weir_cuda_start_after(program, f, &call);
    if (result != cudaSuccess) {
        note(&l, result, call, UINT32_MAX);
        return; /* it may have nothing to work on */
    }
    if (f->timed)
        weir_cuda_timing_frame(f, program->streams[0]);
    if (weir_walk(program->plan, &ops, &l) < program->plan->tasks)
        return;
    for (uint32_t i = 0; i < program->end_count; i++)
        if (!note(&l, cudaEventRecord(f->ends[i], program->streams[program->end_lane[i]]), "cudaEventRecord", UINT32_MAX))
            return;
}

void weir_cuda_launch_lanes(weir_program *program, flight *f)
{
    int64_t start = program->choice ? weir_clock_ns() : 0;
    launch_lanes(program, f);
    if (program->choice)
        weir_cuda_choice_launched(program, weir_clock_ns() - start);
}
