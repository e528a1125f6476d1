/* carried.c - follows one copy of each buffer through its life: written in frame n (phase 0), read in frame n + d by those that
 * look d frames back (phase d), and written again in frame n + R (phase R). A pair that must be ordered in that sequence is an
 * edge whose distance is the difference of phases. Later rounds add nothing: whatever frame n + 2R must follow of frame n, it
 * follows through frame n + R. */
#include "graph/carried.h"
#include "graph/accesses.h"
#include "graph/hazard.h"
#include "util/status.h"
#include <stdlib.h>

typedef struct {
    uint32_t task, phase;
} toucher;

typedef struct {
    const weir_body *body;
    uint32_t below;
    weir_carried *out;
    weir_accesses accesses;
    WEIR_VECTOR(toucher) touchers; /* scratch of one buffer: whom a number of the hazards means */
    weir_touchers found;
} life;

#define NEXT_ROUND UINT32_MAX /* as toucher: of phase R, whose order among themselves is the frame's own */

uint32_t weir_ring_copies(const weir_body *body, uint32_t frames)
{
    uint32_t copies = frames > 1 ? frames : 1;
    for (uint32_t i = 0; i < body->buffers.count; i++) {
        const weir_buffer_record *record = &body->buffers.at[i];
        if (record->buffer->copies == WEIR_RING_AUTO && record->furthest_back + 1u > copies)
            copies = record->furthest_back + 1u;
    }
    return copies;
}

static bool add_edge(life *l, uint32_t later, uint32_t earlier, uint32_t distance)
{
    if (distance >= l->below)
        return true;
    if (!weir_vector_reserve(&l->out->edges, 1))
        return false;
    weir_vector_push(&l->out->edges, ((weir_carried_edge){later, earlier, distance}));
    return true;
}

/* Lets the accesses of buffer `b` that look `back` frames back touch its copy, `phase` frames after it was new. */
static bool live_phase(life *l, weir_hazard *hazard, uint32_t b, uint32_t back, uint32_t phase)
{
    for (uint32_t i = l->accesses.first[b]; i < l->accesses.first[b + 1]; i++) {
        weir_access access = l->accesses.at[i];
        const weir_arg_record *arg = &l->body->args.at[access.arg];
        if (arg->back != back)
            continue;
        bool again = back != phase;
        uint32_t who = again ? NEXT_ROUND : l->touchers.count;
        if (!again) {
            if (!weir_vector_reserve(&l->touchers, 1))
                return false;
            weir_vector_push(&l->touchers, ((toucher){access.task, phase}));
        }
        weir_span span = weir_arg_span(l->body, arg);
        l->found.count = 0;
        if (!weir_hazard_touch(hazard, &span, arg->mode, who, &l->found))
            return false;
        for (uint32_t f = 0; f < l->found.count; f++) {
            if (l->found.at[f] == NEXT_ROUND)
                continue;
            toucher earlier = l->touchers.at[l->found.at[f]];
            if (earlier.phase < phase && !add_edge(l, access.task, earlier.task, phase - earlier.phase))
                return false;
        }
    }
    return true;
}

static bool live_buffer(life *l, uint32_t b, uint32_t automatic)
{
    const weir_buffer_record *record = &l->body->buffers.at[b];
    if (!record->written)
        return true;
    weir_arg_record whole = {.index = b};
    weir_span span = weir_arg_span(l->body, &whole);
    weir_hazard *hazard = weir_hazard_create(&span);
    if (!hazard)
        return false;
    l->touchers.count = 0;
    bool lived = true;
    for (uint32_t back = 0; back <= record->furthest_back && lived; back++)
        lived = live_phase(l, hazard, b, back, back);
    if (lived)
        lived = live_phase(l, hazard, b, 0, weir_buffer_copies(record->buffer, automatic));
    weir_hazard_destroy(hazard);
    return lived;
}

static bool add_declared(life *l)
{
    const weir_body *body = l->body;
    for (uint32_t i = 0; i < body->explicits_carried.count; i++) {
        const weir_carried_edge *e = &body->explicits_carried.at[i];
        if (!add_edge(l, e->later, e->earlier, e->distance))
            return false;
    }
    for (uint32_t t = 0; t < body->tasks.count; t++) { /* hidden state */
        const weir_task_record *task = &body->tasks.at[t];
        if (weir_task_keeps_state(body, task) && !add_edge(l, t, t, 1))
            return false;
    }
    return true;
}

static int compare_edges(const void *a, const void *b)
{
    const weir_carried_edge *x = a, *y = b;
    if (x->later != y->later)
        return x->later < y->later ? -1 : 1;
    if (x->earlier != y->earlier)
        return x->earlier < y->earlier ? -1 : 1;
    return (x->distance > y->distance) - (x->distance < y->distance);
}

static void sort_and_drop_doubles(weir_carried *carried)
{
    weir_carried_edge *at = carried->edges.at;
    uint32_t kept = 0;
    if (carried->edges.count > 1)
        qsort(at, carried->edges.count, sizeof *at, compare_edges);
    for (uint32_t i = 0; i < carried->edges.count; i++)
        if (kept == 0 || compare_edges(&at[i], &at[kept - 1]) != 0)
            at[kept++] = at[i];
    carried->edges.count = kept;
}

weir_status weir_carried_create(const weir_body *body, uint32_t automatic, uint32_t below, weir_carried *out)
{
    weir_carried carried = {{NULL, 0, 0}};
    life l = {.body = body, .below = below, .out = &carried};
    bool done = add_declared(&l);
    if (done && !(body->flags & WEIR_GRAPH_EXPLICIT)) {
        done = weir_accesses_create(body, &l.accesses);
        for (uint32_t b = 0; done && b < body->buffers.count; b++)
            done = live_buffer(&l, b, automatic);
    }
    weir_accesses_finish(&l.accesses);
    weir_vector_finish(&l.touchers);
    weir_vector_finish(&l.found);
    if (!done) {
        weir_carried_finish(&carried);
        return weir_fail_no_memory();
    }
    sort_and_drop_doubles(&carried);
    *out = carried;
    return WEIR_OK;
}

void weir_carried_finish(weir_carried *carried)
{
    weir_vector_finish(&carried->edges);
}
