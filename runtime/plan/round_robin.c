/* round_robin.c - the policy "round_robin": level by level, the tasks of a level to the lanes of their band in turn, which begins
 * anew with each level: parallel chains then stay in their lanes. Looks at no cost. */
#include "plan/paths.h"
#include "plan/policy.h"
#include "util/memory.h"
#include "util/status.h"
#include <string.h>

weir_place_fn weir_place_round_robin;

weir_status weir_place_round_robin(const weir_policy_input *in, uint32_t *order, uint16_t *lane)
{
    const weir_bands *bands = in->bands;
    weir_levels levels;
    weir_status status = weir_levels_create(in->dag, &levels);
    if (status != WEIR_OK)
        return status;
    uint32_t *turn = weir_alloc(bands->count, sizeof *turn); /* band -> offset of the lane whose turn it is */
    if (!turn)
        status = weir_fail_no_memory();
    for (uint32_t l = 0; turn && l < levels.count; l++) {
        memset(turn, 0, bands->count * sizeof *turn);
        for (uint32_t i = levels.first[l]; i < levels.first[l + 1]; i++) {
            uint32_t task = levels.by_level[i], band = weir_band_of(bands, task);
            order[i] = task;
            lane[task] = (uint16_t)(bands->lane_first[band] + turn[band]);
            if (++turn[band] == bands->lane_first[band + 1] - bands->lane_first[band])
                turn[band] = 0;
        }
    }
    weir_free(turn);
    weir_levels_finish(&levels);
    return status;
}
