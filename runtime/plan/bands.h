/* bands.h - how many lanes there are and which tasks may use which. Distinct user priorities are bands, each with lanes of its
 * own, so that a backend can give a lane one priority and an urgent task never queues behind a relaxed one. */
#ifndef WEIR_PLAN_BANDS_H
#define WEIR_PLAN_BANDS_H

#include "plan/work.h"

enum { WEIR_LANES_BY_ITSELF = 8 }; /* the most that planning takes when the number is left to it */

typedef struct {
    uint32_t count, lanes;
    uint16_t *of_task;    /* task -> band; NULL: there is but one */
    uint32_t *lane_first; /* count + 1: band b has lanes lane_first[b] .. lane_first[b + 1] - 1, at least one */
    int32_t *priority;    /* band -> its most urgent user priority; ascending */
    double *work_ns;      /* band -> sum of its costs */
} weir_bands;

/* lanes 0: enough for the level width and for a lane a band, 8 at most. With more priorities than lanes, neighbouring ones share
 * a band, each with about as much work. Lanes are dealt out in proportion to work. WEIR_ERR_NO_MEMORY. */
weir_status weir_bands_create(const weir_work *work, uint32_t lanes, uint32_t level_width, weir_bands *out);
void weir_bands_finish(weir_bands *bands); /* zeroed is fine */

static inline uint32_t weir_band_of(const weir_bands *bands, uint32_t task)
{
    return bands->of_task ? bands->of_task[task] : 0;
}

#endif
