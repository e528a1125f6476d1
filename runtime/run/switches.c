/* switches.c - tasks switched off: whether what is left still makes sense. */
#include "run/exec.h"
#include "util/status.h"

static bool is_off(const weir_exec *exec, uint32_t task)
{
    return exec->off[task / 8] >> task % 8 & 1;
}

/* What touches the same data as one write of a task that is off. */
typedef struct {
    bool written;           /* by another task that is on */
    uint32_t reader;        /* a task that is on; UINT32_MAX: none */
} others;

static others others_of(const weir_exec *exec, uint32_t task, const weir_arg_record *write)
{
    const weir_body *body = exec->plan->body;
    weir_span span = weir_arg_span(body, write);
    others found = {.reader = UINT32_MAX};
    for (uint32_t t = 0; t < exec->plan->tasks; t++) {
        const weir_task_record *record = &body->tasks.at[t];
        for (uint32_t i = record->arg_first; t != task && !is_off(exec, t) && i < record->arg_first + record->arg_count; i++) {
            const weir_arg_record *arg = &body->args.at[i];
            if (!weir_arg_is_access(arg) || arg->index != write->index)
                continue;
            weir_span other = weir_arg_span(body, arg);
            if (!weir_span_overlaps(&span, &other))
                continue;
            if (arg->mode == WEIR_ARG_WRITE)
                found.written = true;
            else
                found.reader = t;
        }
    }
    return found;
}

weir_status weir_exec_check_switches(const weir_exec *exec)
{
    const weir_body *body = exec->plan->body;
    for (uint32_t t = 0; t < exec->plan->tasks; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        for (uint32_t i = task->arg_first; is_off(exec, t) && i < task->arg_first + task->arg_count; i++) {
            const weir_arg_record *arg = &body->args.at[i];
            if (!weir_arg_is_access(arg) || arg->mode != WEIR_ARG_WRITE)
                continue;
            others found = others_of(exec, t, arg);
            if (!found.written && found.reader != UINT32_MAX)
                return weir_fail(WEIR_ERR_STATE, "task '%s' is off, but nothing else writes buffer '%s', which task '%s' reads: switch that off too", task->name,
                                 body->buffers.at[arg->index].buffer->name, body->tasks.at[found.reader].name);
        }
    }
    return WEIR_OK;
}
