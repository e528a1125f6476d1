/* stages.c - a policy places one frame, and there a chain of tasks costs fewest waits in one lane: a lane keeps its order from frame to frame, so such
 * frames follow each other. Here the order is cut instead, each band's share of it into runs of about equal cost, one a lane: a frame moves on from lane
 * to lane, and the next one comes behind it. Which of the two has the shorter interval is for create.c to see.
 *
 * A task goes where the middle of its cost falls, so cuts are as even as they can be without looking ahead. */
#include "plan/stages.h"

static void place_band(const weir_work *work, const weir_bands *bands, uint32_t band, const weir_plan *plan, uint16_t *lane)
{
    const uint32_t lanes = bands->lane_first[band + 1] - bands->lane_first[band];
    double all_ns = 0, before = 0;
    uint32_t count = 0;
    for (uint32_t t = 0; t < plan->tasks; t++)
        if (weir_band_of(bands, t) == band) {
            all_ns += (double)work->cost_ns[t];
            count++;
        }
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i];
        if (weir_band_of(bands, task) != band)
            continue;
        double share = all_ns > 0 ? (double)work->cost_ns[task] / all_ns : 1.0 / count; /* where nothing costs anything, all count alike */
        uint32_t stage = (uint32_t)((before + share / 2) * lanes);
        lane[task] = (uint16_t)(bands->lane_first[band] + (stage < lanes ? stage : lanes - 1));
        before += share;
    }
}

void weir_stages_place(const weir_work *work, const weir_bands *bands, const weir_plan *plan, uint16_t *lane)
{
    for (uint32_t b = 0; b < bands->count; b++)
        place_band(work, bands, b, plan, lane);
}
