/* race.h - several ways to run one graph, measured against each other: first a quick look at each, the best of which then take turns, so that a
 * drift of the machine meets all alike. Knows neither weir nor how the rival works. */
#ifndef DAGBENCH_RACE_H
#define DAGBENCH_RACE_H

#include "trouble.h"
#include <stdint.h>

/* A frame: until its last launch came back, and until it was done. Of several frames, launched together and waited for once: the mean. */
typedef struct {
    double submit_ns, done_ns;
} lap;

/* One way to run the graph. */
typedef struct {
    const char *mode; /* "eager", "replay", "capture" */
    char how[32];     /* the policy, or how the rival lays tasks out */
    uint32_t lanes;
    bool (*run)(void *self, uint32_t frames, lap *out, trouble *why);
    void (*finish)(void *self);
    void *self;
    lap result; /* medians, once measured */
} racer;

void racer_finish(racer *r); /* zeroed is fine */

/* How much time measuring may take. */
typedef struct {
    uint32_t laps;    /* at most */
    double budget_ns; /* after which no lap begins, but the first three */
} race_length;

/* A short lap to warm up, then the median of a few of `frames` frames each: fewer if they are long, none if the first took three times
 * `best_ns` (0: no best yet). Fills r->result. */
bool race_look(racer *r, uint32_t frames, double best_ns, trouble *why);

/* All in turn, lap by lap; fills their results. */
bool race_run(racer *const *r, uint32_t count, uint32_t frames, race_length length, trouble *why);

enum { PODIUM = 3 };

/* The best so far, best first. */
typedef struct {
    racer best[PODIUM];
    uint32_t count;
} podium;

void podium_offer(podium *p, racer *r); /* takes it, or finishes it if it is not among the best; leaves *r zeroed */
void podium_finish(podium *p);

/* The one with the least time to done. */
racer *race_winner(racer *const *r, uint32_t count);

#endif
