/* step.c - WEIR_DEBUG: a frame one task after the other, in the plan's order, each waited for and checked before the next. No events, no
 * gates, no graph but those of loops, branches and natives, each one's own: whatever goes wrong is the fault of the task just run. */
#include "backend/cuda/control.h"
#include "backend/cuda/device.h"
#include "backend/cuda/native.h"

static cudaError_t launch_graph(const weir_program *p, cudaGraph_t graph, const char **call)
{
    cudaGraphExec_t exec = NULL;
    cudaGraphInstantiateParams params = {.flags = 0};
    *call = "cudaGraphInstantiate";
    cudaError_t result = cudaGraphInstantiateWithParams(&exec, graph, &params);
    if (result == cudaSuccess) {
        *call = "cudaGraphLaunch";
        result = cudaGraphLaunch(exec, p->streams[0]);
    }
    if (result == cudaSuccess) {
        *call = "cudaStreamSynchronize after it";
        result = cudaStreamSynchronize(p->streams[0]);
    }
    if (exec)
        (void)cudaGraphExecDestroy(exec);
    return result;
}

/* As a graph of its own, by which what natives may not do shows. A failure of its code is the frame's, and the device goes on. */
static cudaError_t step_native(weir_program *p, flight *f, uint32_t task, const char **call)
{
    native_nodes nodes = {.program = NULL};
    cudaGraph_t graph = NULL;
    cudaError_t result = cudaSuccess;
    if (atomic_load(&p->failed) <= f->number)
        return cudaSuccess;
    weir_native_nodes_begin(&nodes, p, (uint32_t)(f->number % p->slots));
    nodes.task = task;
    *call = "capturing what it enqueues";
    weir_status status = weir_native_record(&nodes, &p->root.actions[task], &graph);
    if (status == WEIR_OK)
        result = launch_graph(p, graph, call);
    else if (!weir_native_failed(p, f, &nodes))
        result = status == WEIR_ERR_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorUnknown; /* which, `broken` knows */
    if (graph)
        (void)cudaGraphDestroy(graph);
    weir_native_nodes_finish(&nodes);
    return result;
}

static cudaError_t step_on_device(weir_program *p, flight *f, uint32_t task, const char **call)
{
    const action *a = &p->root.actions[task];
    if (a->kind != ACTION_CONTROL)
        weir_section_pass(&p->root, task, f->values);
    if (a->kind == ACTION_NATIVE)
        return step_native(p, f, task, call);
    cudaError_t result = a->kind == ACTION_CONTROL ? weir_cuda_control_launch(p, f, task, p->streams[0], call)
                                                   : weir_cuda_launch(p->device, a, p->streams[0], call);
    if (result != cudaSuccess || a->kind == ACTION_NOTHING)
        return result;
    *call = "cudaStreamSynchronize after it";
    return cudaStreamSynchronize(p->streams[0]);
}

/* What weir checks after each task, besides. */
static weir_status check(const weir_program *p, uint32_t task)
{
    const weir_reports *reports = &p->image->reports;
    return reports->task_ran ? reports->task_ran(reports->user, task) : WEIR_OK;
}

static void fail_task(weir_program *p, flight *f, uint32_t task, weir_status failure, weir_status cause)
{
    const weir_reports *reports = &p->image->reports;
    if (atomic_load(&p->failed) <= f->number)
        return;
    atomic_store(&p->failed, f->number);
    reports->task_failed(reports->user, f->number, task, failure, cause);
}

/* What a kernel said of the loop whose body it is in. */
static void check_decisions(weir_program *p, flight *f, uint32_t task)
{
    char text[1024];
    const weir_reports *reports = &p->image->reports;
    if (atomic_load(&p->failed) <= f->number || !weir_cuda_control_mistake(p, task, text, sizeof text))
        return;
    atomic_store(&p->failed, f->number);
    reports->task_refused(reports->user, f->number, task, WEIR_ERR_TASK, text);
}

static bool step(weir_program *p, flight *f, uint32_t task, void **args)
{
    const char *call = "";
    if (p->root.actions[task].kind != ACTION_CONTROL && weir_task_is_off(f->values, task)) /* a loop counts its frames */
        return true;
    if (p->root.actions[task].kind == ACTION_GATE) {
        weir_status status = atomic_load(&p->failed) <= f->number ? WEIR_OK : weir_cuda_run_host_task(p, f->values, task, args);
        if (status != WEIR_OK)
            fail_task(p, f, task, WEIR_ERR_TASK, status);
    } else {
        cudaError_t result = weir_cuda_note(p->device, step_on_device(p, f, task, &call));
        if (result != cudaSuccess) {
            (void)cudaGetLastError();
            f->error = result;
            f->error_call = call;
            f->error_task = task;
            weir_cuda_fail_from(p, f->number); /* host tasks of frames in flight are skipped, as they are without debugging */
            return false;
        }
        check_decisions(p, f, task);
    }
    weir_status status = check(p, task);
    if (status != WEIR_OK)
        fail_task(p, f, task, status, status);
    return true;
}

static bool await_start(weir_program *p, flight *f)
{
    cudaError_t result = f->starts_aside && f->error == cudaSuccess ? weir_cuda_note(p->device, cudaStreamSynchronize(f->aside)) : f->error;
    if (result == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    if (f->error == cudaSuccess) {
        f->error = result;
        f->error_call = "cudaStreamSynchronize after the program's streams and events";
    }
    weir_cuda_fail_from(p, f->number);
    return false;
}

void weir_cuda_step(weir_program *program, flight *f)
{
    const weir_plan *plan = program->plan;
    bool starts = await_start(program, f);
    for (uint32_t k = 0; k < plan->tasks && starts; k++)
        if (atomic_load(&program->device->broken) != cudaSuccess || !step(program, f, plan->order[k], program->step_args))
            break;
    f->lost = atomic_load(&program->device->broken) != cudaSuccess;
}
