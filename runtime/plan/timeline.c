/* timeline.c - plays frames on paper: a task starts when its lane is free, its waits are over and its frame has begun; a frame
 * begins when the one F frames before is done. Waits cover every edge, so edges need not be looked at.
 *
 * The interval comes from playing frames until, for F of them in a row, all lanes are as far from where they were F frames before
 * as the frames' ends are. Such a system always ends in a period, but maybe a long one: after a fixed number of frames the mean of
 * the later half is taken. */
#include "plan/timeline.h"
#include "util/memory.h"
#include "util/status.h"
#include <string.h>

typedef struct {
    const weir_plan *plan;
    const float *cost_ns;
    double *lane_free_ns;
    uint32_t window; /* frames whose ends are kept: the furthest wait + 1 */
    double *end_ns;  /* window x tasks */
} player;

/* Returns when the frame's last task ends. */
static double play_frame(player *p, uint32_t frame, double begin_ns, double *start_ns)
{
    const weir_plan *plan = p->plan;
    double *end_ns = p->end_ns + (size_t)(frame % p->window) * plan->tasks, done_ns = begin_ns;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        uint32_t task = plan->order[i], lane = plan->lane[task];
        double start = p->lane_free_ns[lane] > begin_ns ? p->lane_free_ns[lane] : begin_ns;
        for (uint32_t w = plan->wait_first[task]; w < plan->wait_first[task + 1]; w++) {
            const weir_wait *wait = &plan->wait[w];
            if (wait->distance > frame)
                continue;
            double over = p->end_ns[(size_t)((frame - wait->distance) % p->window) * plan->tasks + wait->task];
            start = start > over ? start : over;
        }
        end_ns[task] = p->lane_free_ns[lane] = start + (double)p->cost_ns[task];
        done_ns = done_ns > end_ns[task] ? done_ns : end_ns[task];
        if (start_ns)
            start_ns[task] = start;
    }
    return done_ns;
}

/* The frame begins when the one F before is done; frames complete in order. done_ns: of the frames before it; gets this one's. */
static void play_in_turn(player *p, uint32_t frame, double *done_ns, double *start_ns)
{
    const uint32_t flight = p->plan->frames;
    done_ns[frame] = play_frame(p, frame, frame >= flight ? done_ns[frame - flight] : 0, start_ns);
    if (frame > 0 && done_ns[frame] < done_ns[frame - 1])
        done_ns[frame] = done_ns[frame - 1];
}

static bool equal(double a, double b)
{
    double difference = a > b ? a - b : b - a;
    return difference <= 1e-9 * (a > b ? a : b);
}

/* Since F frames before, did every lane move on by as much as the frames' ends did? One that moved on by more will fall behind. */
static bool moved_alike(const player *p, const double *lane_free_before_ns, double moved_ns)
{
    for (uint32_t l = 0; l < p->plan->lanes; l++) {
        bool used = p->plan->lane_first[l] < p->plan->lane_first[l + 1];
        if (used && !equal(p->lane_free_ns[l] - lane_free_before_ns[l], moved_ns))
            return false;
    }
    return true;
}

/* done_ns: room for `most` frames; lane_free_ns: for F of every lane. */
static double play_until_steady(player *p, uint32_t most, double *done_ns, double *lane_free_ns)
{
    const uint32_t flight = p->plan->frames;
    const size_t lanes = p->plan->lanes;
    uint32_t alike = 0, frame = 0;
    for (; frame < most && alike < flight; frame++) {
        double *before_ns = lane_free_ns + frame % flight * lanes;
        play_in_turn(p, frame, done_ns, NULL);
        if (frame >= flight)
            alike = moved_alike(p, before_ns, done_ns[frame] - done_ns[frame - flight]) ? alike + 1 : 0;
        memcpy(before_ns, p->lane_free_ns, lanes * sizeof *before_ns);
    }
    uint32_t last = frame - 1, from = alike == flight ? last - flight : last / 2;
    return (done_ns[last] - done_ns[from]) / (last - from);
}

static weir_status find_interval(const float *cost_ns, weir_plan *plan)
{
    const uint32_t most = 8 * plan->frames + 16;
    player p = {.plan = plan, .cost_ns = cost_ns, .window = 1};
    for (uint32_t w = 0; w < plan->wait_first[plan->tasks]; w++)
        if (p.window <= plan->wait[w].distance)
            p.window = plan->wait[w].distance + 1;
    p.lane_free_ns = weir_alloc(plan->lanes, sizeof *p.lane_free_ns);
    p.end_ns = weir_alloc((size_t)p.window * plan->tasks, sizeof *p.end_ns);
    double *done_ns = weir_alloc(most, sizeof *done_ns);
    double *lane_free_ns = weir_alloc((size_t)plan->frames * plan->lanes, sizeof *lane_free_ns);
    bool enough = p.lane_free_ns && p.end_ns && done_ns && lane_free_ns;
    if (enough)
        plan->interval_ns = play_until_steady(&p, most, done_ns, lane_free_ns);
    weir_free(p.lane_free_ns);
    weir_free(p.end_ns);
    weir_free(done_ns);
    weir_free(lane_free_ns);
    return enough ? WEIR_OK : weir_fail_no_memory();
}

weir_status weir_timeline_create(const float *cost_ns, weir_plan *plan)
{
    plan->start_ns = weir_alloc(plan->tasks, sizeof *plan->start_ns);
    plan->end_ns = weir_alloc(plan->tasks, sizeof *plan->end_ns);
    double *lane_free_ns = weir_alloc(plan->lanes, sizeof *lane_free_ns);
    bool enough = plan->start_ns && plan->end_ns && lane_free_ns;
    if (enough) {
        player alone = {.plan = plan, .cost_ns = cost_ns, .lane_free_ns = lane_free_ns, .window = 1, .end_ns = plan->end_ns};
        plan->makespan_ns = plan->interval_ns = play_frame(&alone, 0, 0, plan->start_ns);
    }
    weir_free(lane_free_ns);
    if (!enough)
        return weir_fail_no_memory();
    return plan->frames > 1 ? find_interval(cost_ns, plan) : WEIR_OK;
}

weir_status weir_timeline_play(const float *cost_ns, const weir_plan *plan, uint32_t frames, double *start_ns, double *end_ns)
{
    player p = {.plan = plan, .cost_ns = cost_ns, .window = frames, .end_ns = end_ns};
    double *done_ns = weir_alloc(frames, sizeof *done_ns);
    p.lane_free_ns = weir_alloc(plan->lanes, sizeof *p.lane_free_ns);
    const bool enough = done_ns && p.lane_free_ns;
    for (uint32_t frame = 0; enough && frame < frames; frame++)
        play_in_turn(&p, frame, done_ns, start_ns + (size_t)frame * plan->tasks);
    weir_free(done_ns);
    weir_free(p.lane_free_ns);
    return enough ? WEIR_OK : weir_fail_no_memory();
}
