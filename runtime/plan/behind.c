/* behind.c - a task goes behind one that it follows, where that is the last in its lane: the lane's order is then an edge that is there anyway. A graph
 * of nodes has an edge for each pair of neighbours in a lane, so it replays faster the more of them are; streams wait for no edge within a lane, and
 * policies look at times alone. Of several such lanes it takes the one whose last task ends last, which it must wait for; if there is none, the lane
 * that is free first. */
#include "plan/behind.h"
#include "util/memory.h"
#include "util/status.h"

#define NONE UINT32_MAX

typedef struct {
    const weir_dag *dag;
    const weir_bands *bands;
    const uint16_t *lane;
    uint32_t *last;  /* lane -> its last task, or NONE */
    double *free_ns; /* lane -> when that ends */
    double *end_ns;  /* task -> when it ends */
    uint32_t latest; /* lane that was last taken for being free */
} placing;

static bool is_behind(const placing *p, uint32_t task, uint32_t earlier)
{
    const uint32_t band = weir_band_of(p->bands, task), lane = p->lane[earlier];
    return p->last[lane] == earlier && lane >= p->bands->lane_first[band] && lane < p->bands->lane_first[band + 1];
}

/* Of lanes that are free at once, the next in turn. */
static uint32_t free_lane(placing *p, uint32_t band)
{
    const uint32_t first = p->bands->lane_first[band], lanes = p->bands->lane_first[band + 1] - first;
    uint32_t from = p->latest >= first && p->latest < first + lanes ? p->latest - first + 1 : 0, best = NONE;
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t lane = first + (from + i) % lanes;
        if (best == NONE || p->free_ns[lane] < p->free_ns[best])
            best = lane;
    }
    p->latest = best;
    return best;
}

static uint32_t choose(placing *p, uint32_t task, double *ready_ns)
{
    uint32_t behind = NONE;
    *ready_ns = 0;
    for (uint32_t e = p->dag->pred_first[task]; e < p->dag->pred_first[task + 1]; e++) {
        uint32_t earlier = p->dag->pred[e];
        *ready_ns = *ready_ns > p->end_ns[earlier] ? *ready_ns : p->end_ns[earlier];
        if (is_behind(p, task, earlier) && (behind == NONE || p->end_ns[earlier] > p->end_ns[behind]))
            behind = earlier;
    }
    return behind != NONE ? p->lane[behind] : free_lane(p, weir_band_of(p->bands, task));
}

weir_status weir_behind_place(const weir_dag *dag, const weir_work *work, const weir_bands *bands, const uint32_t *order, uint16_t *lane)
{
    placing p = {.dag = dag, .bands = bands, .lane = lane, .latest = NONE};
    p.last = weir_alloc(bands->lanes, sizeof *p.last);
    p.free_ns = weir_alloc(bands->lanes, sizeof *p.free_ns);
    p.end_ns = weir_alloc(dag->tasks, sizeof *p.end_ns);
    const bool enough = p.last && p.free_ns && p.end_ns;
    for (uint32_t l = 0; enough && l < bands->lanes; l++)
        p.last[l] = NONE;
    for (uint32_t i = 0; enough && i < dag->tasks; i++) {
        double ready_ns;
        const uint32_t task = order[i], taken = choose(&p, task, &ready_ns);
        lane[task] = (uint16_t)taken;
        p.last[taken] = task;
        p.free_ns[taken] = p.end_ns[task] = (ready_ns > p.free_ns[taken] ? ready_ns : p.free_ns[taken]) + (double)work->cost_ns[task];
    }
    weir_free(p.last);
    weir_free(p.free_ns);
    weir_free(p.end_ns);
    return enough ? WEIR_OK : weir_fail_no_memory();
}
