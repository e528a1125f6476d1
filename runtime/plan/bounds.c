/* bounds.c - each bound on the time from frame to frame; the largest binds, the first of equals. With one frame in flight that time is the
 * frame's own. A device has an engine for copies to it and one for those to the host; with both at work each is a little slower. */
#include "plan/bounds.h"

/* Copies that take 100 us each way when they are alone take 109 us both ways at once: 55.3 and 55.1 GB/s, together 101.6 (an H200). */
static const double both_ways = (55.3 + 55.1) / 2 / 101.6;

const char *weir_bound_name(weir_bound bound)
{
    static const char *const names[WEIR_BOUNDS] = {
        [WEIR_BOUND_PATH] = "critical path",
        [WEIR_BOUND_LANES] = "lanes",
        [WEIR_BOUND_KERNELS] = "device",
        [WEIR_BOUND_COPIES_IN] = "copies to the device",
        [WEIR_BOUND_COPIES_OUT] = "copies to the host",
        [WEIR_BOUND_COPIES] = "copies both ways",
        [WEIR_BOUND_HOST_TASK] = "host task",
        [WEIR_BOUND_RECURRENCE] = "recurrence",
        [WEIR_BOUND_WORKERS] = "workers",
        [WEIR_BOUND_LAUNCHES] = "launches",
    };
    return names[bound];
}

weir_status weir_bounds_create(const weir_dag *dag, const weir_work *work, const weir_bands *bands, const double *tail_ns, weir_plan *plan)
{
    double *bound = plan->each_bound_ns;
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (plan->critical_ns < tail_ns[t])
            plan->critical_ns = tail_ns[t];
    bound[WEIR_BOUND_PATH] = plan->critical_ns / plan->frames; /* frame n begins when frame n - F is done */
    for (uint32_t b = 0; b < bands->count; b++) {
        double ns = bands->work_ns[b] / (bands->lane_first[b + 1] - bands->lane_first[b]);
        if (bound[WEIR_BOUND_LANES] < ns)
            bound[WEIR_BOUND_LANES] = ns;
    }
    bound[WEIR_BOUND_KERNELS] = work->device_ns;
    bound[WEIR_BOUND_COPIES_IN] = work->copies_in_ns;
    bound[WEIR_BOUND_COPIES_OUT] = work->copies_out_ns;
    bound[WEIR_BOUND_COPIES] = both_ways * (work->copies_in_ns + work->copies_out_ns);
    plan->host_ns = work->host_ns;
    plan->launches = work->launches;
    weir_status status = WEIR_OK;
    if (plan->frames > 1) {
        bound[WEIR_BOUND_HOST_TASK] = work->longest_serial_ns;
        status = weir_recurrence_find(dag, &plan->carried, work->cost_ns, &plan->recurrence);
        bound[WEIR_BOUND_RECURRENCE] = plan->recurrence.ratio_ns;
    }
    for (uint32_t b = 0; b < WEIR_BOUND_WORKERS; b++)
        if (bound[b] > bound[plan->binding])
            plan->binding = (weir_bound)b;
    plan->bound_ns = bound[plan->binding];
    return status;
}
