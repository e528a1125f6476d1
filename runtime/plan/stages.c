/* stages.c - a policy places one frame, and there a chain of tasks costs fewest waits in one lane: a lane keeps its order from frame to frame, so such
 * frames follow each other. Here the order is cut instead, each band's share of it into runs of about equal cost, one a lane: a frame moves on from lane
 * to lane, and the next one comes behind it. Which of the two has the shorter interval is for create.c to see.
 *
 * A task goes where the middle of its cost falls, so cuts are as even as they can be without looking ahead. */
#include "plan/stages.h"
#include "util/memory.h"
#include "util/status.h"

typedef struct {
    double all_ns, before; /* cost of all its tasks; share of it that is placed */
    uint32_t count;
} share_of_band;

weir_status weir_stages_place(const weir_work *work, const weir_bands *bands, const weir_plan *plan, uint16_t *lane)
{
    share_of_band *of = weir_alloc(bands->count, sizeof *of);
    if (!of)
        return weir_fail_no_memory();
    for (uint32_t t = 0; t < plan->tasks; t++) {
        of[weir_band_of(bands, t)].all_ns += (double)work->cost_ns[t];
        of[weir_band_of(bands, t)].count++;
    }
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i], band = weir_band_of(bands, task), lanes = bands->lane_first[band + 1] - bands->lane_first[band];
        share_of_band *b = &of[band];
        double share = b->all_ns > 0 ? (double)work->cost_ns[task] / b->all_ns : 1.0 / b->count; /* where nothing costs anything, all count alike */
        uint32_t stage = (uint32_t)((b->before + share / 2) * lanes);
        lane[task] = (uint16_t)(bands->lane_first[band] + (stage < lanes ? stage : lanes - 1));
        b->before += share;
    }
    weir_free(of);
    return WEIR_OK;
}
