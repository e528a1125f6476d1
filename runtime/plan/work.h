/* work.h - what planning needs to know of each task, taken out of the body into flat arrays, and its sums. */
#ifndef WEIR_PLAN_WORK_H
#define WEIR_PLAN_WORK_H

#include "graph/body.h"

typedef struct {
    uint32_t tasks;
    float *cost_ns;           /* task -> cost, as exact as the body keeps it */
    int32_t *priority;        /* task -> the user's; NULL: all are `most_urgent` */
    int32_t most_urgent;      /* the numerically lowest */
    double total_ns;          /* of all costs */
    double device_ns;         /* kernels, each times the share of the device that it fills */
    double copies_in_ns, copies_out_ns; /* copies from the host to the device, and back */
    double host_ns;           /* host tasks */
    uint32_t launches;        /* tasks that a device is given */
    double longest_serial_ns; /* the costliest task that follows itself from frame to frame because it has hidden state */
} weir_work;

weir_status weir_work_create(const weir_body *body, weir_work *out); /* WEIR_ERR_NO_MEMORY */
void weir_work_finish(weir_work *work);                              /* zeroed is fine */

#endif
