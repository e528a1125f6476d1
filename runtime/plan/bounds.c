/* bounds.c - each bound on the time from frame to frame; the largest binds, the first named of equals. With one frame in flight
 * that time is the frame's own. */
#include "plan/bounds.h"
#include "plan/recurrence.h"

static void raise(weir_plan *plan, double bound_ns, const char *what)
{
    if (plan->binding && bound_ns <= plan->bound_ns)
        return;
    plan->bound_ns = bound_ns;
    plan->binding = what;
}

weir_status weir_bounds_create(const weir_dag *dag, const weir_work *work, const weir_bands *bands, const double *tail_ns, weir_plan *plan)
{
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (plan->critical_ns < tail_ns[t])
            plan->critical_ns = tail_ns[t];
    raise(plan, plan->critical_ns / plan->frames, "critical path"); /* frame n begins when frame n - F is done */
    for (uint32_t b = 0; b < bands->count; b++)
        raise(plan, bands->work_ns[b] / (bands->lane_first[b + 1] - bands->lane_first[b]), "lanes");
    raise(plan, work->device_ns, "device");
    if (plan->frames == 1)
        return WEIR_OK;
    raise(plan, work->longest_serial_ns, "host task");
    weir_status status = weir_recurrence_find(dag, &plan->carried, work->cost_ns, &plan->recurrence_ns);
    raise(plan, plan->recurrence_ns, "recurrence");
    return status;
}
