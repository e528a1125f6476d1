/* race.c - see race.h. */
#include "race.h"
#include "timing.h"
#include <stdlib.h>
#include <string.h>

enum { LOOK_LAPS = 5, LAPS_LEAST = 3, SLOTS_MOST = 8, WARM_FRAMES = 4 };
static const double LOOK_BUDGET_NS = 40e6, HOPELESS = 3.0;

void racer_finish(racer *r)
{
    if (r->finish)
        r->finish(r->self);
    memset(r, 0, sizeof *r);
}

bool race_look(racer *r, uint32_t frames, double best_ns, trouble *why)
{
    double done[LOOK_LAPS], submit[LOOK_LAPS];
    lap one;
    uint32_t laps = 0;
    if (!r->run(r->self, frames < SLOTS_MOST ? frames : SLOTS_MOST, &one, why)) /* puts what it launches on the device: a graph for each frame in flight */
        return false;
    if (!r->run(r->self, frames < WARM_FRAMES ? frames : WARM_FRAMES, &r->result, why))
        return false;
    if (best_ns > 0.0 && r->result.done_ns > HOPELESS * best_ns)
        return true;
    for (double begun = timing_now_ns(); laps < LOOK_LAPS && (laps == 0 || timing_now_ns() - begun < LOOK_BUDGET_NS); laps++) {
        if (!r->run(r->self, frames, &one, why))
            return false;
        done[laps] = one.done_ns;
        submit[laps] = one.submit_ns;
    }
    r->result = (lap){timing_median(submit, laps), timing_median(done, laps)};
    return true;
}

bool race_run(racer *const *r, uint32_t count, uint32_t frames, race_length length, trouble *why)
{
    uint32_t laps_most = length.laps > LAPS_LEAST ? length.laps : LAPS_LEAST, laps = 0;
    double *times = malloc(2 * (size_t)count * laps_most * sizeof *times); /* a row of done and one of submit for each */
    if (!times)
        return trouble_no_memory(why);
    bool done = true;
    for (double begun = timing_now_ns(); done && laps < laps_most && (laps < LAPS_LEAST || timing_now_ns() - begun < length.budget_ns); laps++)
        for (uint32_t i = 0; i < count && done; i++) {
            uint32_t turn = (i + laps) % count; /* nobody always follows the same one */
            lap one = {0};
            done = r[turn]->run(r[turn]->self, frames, &one, why);
            times[(size_t)(2 * turn) * laps_most + laps] = one.done_ns;
            times[(size_t)(2 * turn + 1) * laps_most + laps] = one.submit_ns;
        }
    for (uint32_t i = 0; i < count && done; i++) {
        r[i]->result.done_ns = timing_median(times + (size_t)(2 * i) * laps_most, laps);
        r[i]->result.submit_ns = timing_median(times + (size_t)(2 * i + 1) * laps_most, laps);
    }
    free(times);
    return done;
}

void podium_offer(podium *p, racer *r)
{
    uint32_t place = p->count;
    while (place > 0 && r->result.done_ns < p->best[place - 1].result.done_ns)
        place--;
    if (place == PODIUM) {
        racer_finish(r);
        return;
    }
    if (p->count == PODIUM)
        racer_finish(&p->best[--p->count]);
    memmove(&p->best[place + 1], &p->best[place], (p->count - place) * sizeof *p->best);
    p->best[place] = *r;
    p->count++;
    memset(r, 0, sizeof *r);
}

void podium_finish(podium *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        racer_finish(&p->best[i]);
    p->count = 0;
}

racer *race_winner(racer *const *r, uint32_t count)
{
    racer *winner = r[0];
    for (uint32_t i = 1; i < count; i++)
        if (r[i]->result.done_ns < winner->result.done_ns)
            winner = r[i];
    return winner;
}
