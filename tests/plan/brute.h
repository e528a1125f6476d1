/* brute.h - slow truth: which node of a small graph leads to which, as bits. A node is a task of one of several frames, laid out one
 * after the other, so that carried edges are edges like any other. Shares no code with the planner or the checker. */
#ifndef WEIR_TESTS_PLAN_BRUTE_H
#define WEIR_TESTS_PLAN_BRUTE_H

#include "plan/plan.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BRUTE_NODES = 512, BRUTE_WORDS = BRUTE_NODES / 64 };

typedef struct {
    uint32_t nodes, words;
    uint64_t reach[BRUTE_NODES][BRUTE_WORDS];
} brute;

static inline void brute_init(brute *b, uint32_t nodes)
{
    if (nodes > BRUTE_NODES)
        abort();
    b->nodes = nodes;
    b->words = (nodes + 63) / 64;
    memset(b->reach, 0, nodes * sizeof b->reach[0]);
}

static inline bool brute_reaches(const brute *b, uint32_t from, uint32_t to)
{
    return (b->reach[from][to / 64] >> (to % 64)) & 1;
}

static inline void brute_edge(brute *b, uint32_t from, uint32_t to)
{
    b->reach[from][to / 64] |= (uint64_t)1 << (to % 64);
}

/* Warshall: from single edges to paths of any length. */
static inline void brute_close(brute *b)
{
    for (uint32_t middle = 0; middle < b->nodes; middle++)
        for (uint32_t from = 0; from < b->nodes; from++)
            if (brute_reaches(b, from, middle))
                for (uint32_t w = 0; w < b->words; w++)
                    b->reach[from][w] |= b->reach[middle][w];
}

/* After brute_close: a path with another node in between leads there. */
static inline bool brute_reaches_far(const brute *b, uint32_t from, uint32_t to)
{
    for (uint32_t middle = 0; middle < b->nodes; middle++)
        if (brute_reaches(b, from, middle) && brute_reaches(b, middle, to))
            return true;
    return false;
}

static inline uint32_t brute_furthest(const weir_plan *plan)
{
    uint32_t furthest = 0;
    for (uint32_t i = 0; i < plan->carried.edges.count; i++)
        if (furthest < plan->carried.edges.at[i].distance)
            furthest = plan->carried.edges.at[i].distance;
    return furthest;
}

/* Edges of all kinds, of `frames` frames. */
static inline void brute_add_edges(brute *b, const weir_plan *plan, uint32_t frames)
{
    for (uint32_t f = 0; f < frames; f++) {
        for (uint32_t t = 0; t < plan->tasks; t++)
            for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
                brute_edge(b, f * plan->tasks + plan->pred[e], f * plan->tasks + t);
        for (uint32_t i = 0; i < plan->carried.edges.count; i++) {
            weir_carried_edge edge = plan->carried.edges.at[i];
            if (edge.distance <= f)
                brute_edge(b, (f - edge.distance) * plan->tasks + edge.earlier, f * plan->tasks + edge.later);
        }
    }
}

/* What runs before what in each lane. */
static inline void brute_add_lanes(brute *b, const weir_plan *plan, uint32_t frames)
{
    for (uint32_t i = 0; i < frames * plan->tasks; i++)
        for (uint32_t j = i + 1; j < frames * plan->tasks; j++) {
            uint32_t earlier = plan->order[i % plan->tasks], later = plan->order[j % plan->tasks];
            if (plan->lane[earlier] == plan->lane[later])
                brute_edge(b, i - i % plan->tasks + earlier, j - j % plan->tasks + later);
        }
}

static inline void brute_add_waits(brute *b, const weir_plan *plan, uint32_t frames)
{
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t t = 0; t < plan->tasks; t++)
            for (uint32_t w = plan->wait_first[t]; w < plan->wait_first[t + 1]; w++)
                if (plan->wait[w].distance <= f)
                    brute_edge(b, (f - plan->wait[w].distance) * plan->tasks + plan->wait[w].task, f * plan->tasks + t);
}

#endif
