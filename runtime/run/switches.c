/* switches.c - tasks switched off: whether what is left still makes sense. */
#include "run/exec.h"
#include "util/status.h"

static bool is_off(const weir_exec *exec, uint32_t task)
{
    return exec->off[task / 8] >> task % 8 & 1;
}

static const weir_arg_record *access_at(const weir_exec *exec, uint32_t i)
{
    return &exec->plan->body->args.at[exec->accesses.at[i].arg];
}

static bool is_whole(const weir_exec *exec, const weir_arg_record *arg)
{
    const weir_arg_record all = {.index = arg->index};
    weir_span whole = weir_arg_span(exec->plan->body, &all), span = weir_arg_span(exec->plan->body, arg);
    return weir_span_covers(&span, &whole);
}

static weir_status refuse(const weir_exec *exec, uint32_t off, uint32_t reader, uint32_t b)
{
    const weir_body *body = exec->plan->body;
    return weir_fail(WEIR_ERR_STATE, "task '%s' is off, but nothing else writes buffer '%s', which task '%s' reads: switch that off too", body->tasks.at[off].name,
                     body->buffers.at[b].buffer->name, body->tasks.at[reader].name);
}

/* A write that is off, against every access of the buffer that is on: refused if some overlap and none of those is a write. */
static weir_status check_write(const weir_exec *exec, uint32_t b, uint32_t write)
{
    weir_span span = weir_arg_span(exec->plan->body, access_at(exec, write));
    uint32_t reader = UINT32_MAX;
    for (uint32_t i = exec->accesses.first[b]; i < exec->accesses.first[b + 1]; i++) {
        weir_span other = weir_arg_span(exec->plan->body, access_at(exec, i));
        if (is_off(exec, exec->accesses.at[i].task) || !weir_span_overlaps(&span, &other))
            continue;
        if (access_at(exec, i)->mode == WEIR_ARG_WRITE)
            return WEIR_OK;
        reader = exec->accesses.at[i].task;
    }
    return reader == UINT32_MAX ? WEIR_OK : refuse(exec, exec->accesses.at[write].task, reader, b);
}

/* Most buffers need one look: nothing that writes them is off, or nobody that is on reads them, or somebody writes all of them. */
static weir_status check_buffer(const weir_exec *exec, uint32_t b)
{
    bool write_off = false, read = false, written = false;
    for (uint32_t i = exec->accesses.first[b]; i < exec->accesses.first[b + 1]; i++) {
        bool off = is_off(exec, exec->accesses.at[i].task), writes = access_at(exec, i)->mode == WEIR_ARG_WRITE;
        write_off = write_off || (off && writes);
        read = read || (!off && !writes);
        written = written || (!off && writes && is_whole(exec, access_at(exec, i)));
    }
    weir_status status = WEIR_OK;
    for (uint32_t i = exec->accesses.first[b]; write_off && read && !written && i < exec->accesses.first[b + 1] && status == WEIR_OK; i++)
        if (is_off(exec, exec->accesses.at[i].task) && access_at(exec, i)->mode == WEIR_ARG_WRITE)
            status = check_write(exec, b, i);
    return status;
}

weir_status weir_exec_check_switches(const weir_exec *exec)
{
    weir_status status = WEIR_OK;
    for (uint32_t b = 0; b < exec->plan->body->buffers.count && status == WEIR_OK; b++)
        status = check_buffer(exec, b);
    return status;
}
