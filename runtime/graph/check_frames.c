/* check_frames.c - holds the declared edges against the declared accesses between frames: pairs of different frames that touch the
 * same copy and that no path orders, and carried edges that no data need. Shares with carried.c, whose edges are the answer to the
 * same question where edges are derived, only how many copies an automatic ring has.
 *
 * What data need: the life of one copy of each buffer is gone through, its tasks in an order that the frame's edges allow. Frame 0
 * touches it when it is new, frame d looks d frames back at it, frame `copies` touches it as its own again. Whoever must follow a
 * touch of an earlier frame is a need with a distance. As within a frame, those that are found imply all others.
 *
 * Is there a path: from a task of frame 0 to one of frame d, over the edges of frames 0 to d and those between them. Such questions
 * are many, and most have an edge for an answer. The others are answered 64 at a time, by bits that are handed on along all edges
 * of d + 1 frames, and in two ways by turns until nothing is open:
 *     by carried edges: who leads to it within frame 0, and whom it leads to. Where a few edges tie frame to frame, one pass is all;
 *     by earlier tasks: whom they lead to. Where each task has its own edges and a few are missing, one pass is all. */
#include "graph/carried.h"
#include "graph/check.h"
#include "graph/hazard.h"
#include "util/status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 }; /* bits of a mask */

/* Argument `arg` of the body; `place`: of its task in an order that edges allow, a task's reads first. */
typedef struct {
    uint32_t buffer, back, place, task, arg;
} touch;

/* One who touched the copy, `phase` frames after it was new. */
typedef struct {
    uint32_t task, phase, arg;
} toucher;

typedef struct {
    weir_carried_edge pair;
    uint32_t later_arg, earlier_arg;
} frame_need;

typedef enum { OPEN, YES, NO } answer;

/* Does `pair.earlier` of a frame lead to `pair.later` of that `pair.distance` frames later? */
typedef struct {
    weir_carried_edge pair;
    answer answer;
} question;

typedef WEIR_VECTOR(question) questions;

/* Edges within frames and between them. */
typedef struct {
    const weir_dag *dag; /* for the order, which is topological for `within` too */
    const weir_needs *needs; /* within: these, or the dag's own where NULL */
    WEIR_VECTOR(weir_carried_edge) between; /* by later, then earlier, then distance */
    uint32_t *between_first; /* task -> those it is the later of */
} ties;

typedef struct {
    const weir_body *body;
    uint32_t frames;
    const weir_dag *dag;
    const weir_needs *needs;
    weir_reporter *reporter;
    WEIR_VECTOR(touch) touches;
    WEIR_VECTOR(toucher) touchers; /* scratch of one buffer: whom a number of the hazard means */
    WEIR_VECTOR(frame_need) found; /* needs between frames, by later, earlier and distance, none twice */
    weir_touchers who;
} checking;

/* ---- what data need ---- */

static int compare_touches(const void *a, const void *b)
{
    const touch *x = a, *y = b;
    if (x->buffer != y->buffer)
        return x->buffer < y->buffer ? -1 : 1;
    if (x->back != y->back)
        return x->back < y->back ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static bool gather_touches(checking *c)
{
    const weir_body *body = c->body;
    for (uint32_t k = 0; k < c->dag->tasks; k++) {
        uint32_t t = weir_dag_task_at(c->dag, k);
        const weir_task_record *task = &body->tasks.at[t];
        for (int writes = 0; writes < 2; writes++)
            for (uint32_t i = task->arg_first; i < task->arg_first + task->arg_count; i++) {
                const weir_arg_record *arg = &body->args.at[i];
                if (!weir_arg_is_access(arg) || weir_arg_writes(arg) != (writes == 1) || !body->buffers.at[arg->index].written)
                    continue;
                if (!weir_vector_reserve(&c->touches, 1))
                    return false;
                weir_vector_push(&c->touches, ((touch){arg->index, arg->back, c->touches.count, t, i}));
            }
    }
    if (c->touches.count > 1)
        qsort(c->touches.at, c->touches.count, sizeof *c->touches.at, compare_touches);
    return true;
}

/* Notes whom it must follow of earlier frames. */
static bool touch_copy(checking *c, weir_hazard *hazard, const touch *t, uint32_t phase)
{
    const weir_arg_record *arg = &c->body->args.at[t->arg];
    weir_span span = weir_arg_span(c->body, arg);
    c->who.count = 0;
    if (!weir_vector_reserve(&c->touchers, 1) || !weir_hazard_touch(hazard, &span, arg->mode, c->touchers.count, &c->who) ||
        !weir_vector_reserve(&c->found, c->who.count))
        return false;
    weir_vector_push(&c->touchers, ((toucher){t->task, phase, t->arg}));
    for (uint32_t i = 0; i < c->who.count; i++) {
        toucher earlier = c->touchers.at[c->who.at[i]];
        if (earlier.phase < phase && phase - earlier.phase < c->frames)
            weir_vector_push(&c->found, ((frame_need){{t->task, earlier.task, phase - earlier.phase}, t->arg, earlier.arg}));
    }
    return true;
}

/* `touches`: those of one buffer. The copies of what the program writes are nobody's when it does: begin has waited for that. */
static bool live_copy(checking *c, const touch *touches, uint32_t count, uint32_t automatic)
{
    const weir_buffer_record *record = &c->body->buffers.at[touches->buffer];
    const uint32_t copies = weir_buffer_copies(record->buffer, automatic);
    weir_arg_record whole = {.index = touches->buffer};
    weir_span span = weir_arg_span(c->body, &whole);
    weir_hazard *hazard = weir_hazard_create(&span);
    bool lived = hazard != NULL;
    c->touchers.count = 0;
    for (uint32_t i = 0; i < count && lived; i++)
        lived = touch_copy(c, hazard, &touches[i], touches[i].back);
    bool comes_round = record->buffer->place != WEIR_HOST_IN && copies - record->furthest_back < c->frames;
    for (uint32_t i = 0; i < count && touches[i].back == 0 && comes_round && lived; i++)
        lived = touch_copy(c, hazard, &touches[i], copies);
    weir_hazard_destroy(hazard);
    return lived;
}

static int compare_pairs(const void *a, const void *b)
{
    const weir_carried_edge *x = a, *y = b;
    if (x->later != y->later)
        return x->later < y->later ? -1 : 1;
    if (x->earlier != y->earlier)
        return x->earlier < y->earlier ? -1 : 1;
    return (x->distance > y->distance) - (x->distance < y->distance);
}

static int compare_needs(const void *a, const void *b)
{
    const frame_need *x = a, *y = b;
    int order = compare_pairs(&x->pair, &y->pair);
    return order != 0 ? order : (x->later_arg > y->later_arg) - (x->later_arg < y->later_arg);
}

static bool find_needs(checking *c)
{
    const uint32_t automatic = weir_ring_copies(c->body, c->frames); /* where no exec has settled it yet */
    if (!gather_touches(c))
        return false;
    for (uint32_t first = 0, end; first < c->touches.count; first = end) {
        for (end = first; end < c->touches.count && c->touches.at[end].buffer == c->touches.at[first].buffer;)
            end++;
        if (!live_copy(c, &c->touches.at[first], end - first, automatic))
            return false;
    }
    if (c->found.count > 1)
        qsort(c->found.at, c->found.count, sizeof *c->found.at, compare_needs);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->found.count; i++)
        if (kept == 0 || compare_pairs(&c->found.at[i].pair, &c->found.at[kept - 1].pair) != 0)
            c->found.at[kept++] = c->found.at[i];
    c->found.count = kept;
    return true;
}

/* ---- ties ---- */

static bool tie(ties *t, weir_carried_edge edge)
{
    if (!weir_vector_reserve(&t->between, 1))
        return false;
    weir_vector_push(&t->between, edge);
    return true;
}

/* What host and native tasks keep ties each to itself. */
static bool tie_states(const checking *c, ties *t)
{
    for (uint32_t task = 0; task < c->body->tasks.count; task++)
        if (weir_task_keeps_state(c->body, &c->body->tasks.at[task]) && !tie(t, (weir_carried_edge){task, task, 1}))
            return false;
    return true;
}

static bool sort_ties(ties *t)
{
    t->between_first = weir_alloc((size_t)t->dag->tasks + 2, sizeof *t->between_first);
    if (!t->between_first)
        return false;
    if (t->between.count > 1)
        qsort(t->between.at, t->between.count, sizeof *t->between.at, compare_pairs);
    for (uint32_t i = 0; i < t->between.count; i++)
        t->between_first[t->between.at[i].later + 1]++;
    for (uint32_t task = 0; task < t->dag->tasks; task++)
        t->between_first[task + 1] += t->between_first[task];
    return true;
}

static void ties_finish(ties *t)
{
    weir_vector_finish(&t->between);
    weir_free(t->between_first);
}

static uint32_t within_count(const ties *t, uint32_t task)
{
    return t->needs ? t->needs->count[task] : t->dag->pred_first[task + 1] - t->dag->pred_first[task];
}

static uint32_t within(const ties *t, uint32_t task, uint32_t i)
{
    return t->needs ? t->needs->at[t->needs->first[task] + i].earlier : t->dag->pred[t->dag->pred_first[task] + i];
}

/* ---- passes ---- */

typedef struct {
    const ties *ties;
    questions *asked;
    uint32_t furthest;  /* of all questions */
    uint64_t *up;       /* task -> which of 64 edges it leads to within its frame */
    uint64_t *down;     /* (frame, task) -> which of 64 have come there */
    uint32_t *order;    /* of the edges between: those between two tasks first, since one of them may stand for many */
    uint32_t edges_passed;
    uint8_t *number;    /* task -> its bit in a pass by earlier tasks, + 1; 0: none */
} passing;

static uint64_t *down_at(const passing *p, uint32_t frame)
{
    return &p->down[(size_t)frame * p->ties->dag->tasks];
}

/* Hands on what stands in frame 0. */
static void hand_down(const passing *p)
{
    const ties *t = p->ties;
    for (uint32_t frame = 0; frame <= p->furthest; frame++) {
        uint64_t *here = down_at(p, frame);
        for (uint32_t k = 0; k < t->dag->tasks; k++) {
            uint32_t task = weir_dag_task_at(t->dag, k);
            uint64_t mask = here[task];
            for (uint32_t i = 0, end = within_count(t, task); i < end; i++)
                mask |= here[within(t, task, i)];
            for (uint32_t i = t->between_first[task]; i < t->between_first[task + 1]; i++) {
                const weir_carried_edge *e = &t->between.at[i];
                if (e->distance <= frame)
                    mask |= down_at(p, frame - e->distance)[e->earlier];
            }
            here[task] = mask;
        }
    }
}

static void hand_up(const passing *p)
{
    const ties *t = p->ties;
    for (uint32_t k = t->dag->tasks; k-- > 0;) {
        uint32_t task = weir_dag_task_at(t->dag, k);
        for (uint32_t i = 0, end = within_count(t, task); i < end; i++)
            p->up[within(t, task, i)] |= p->up[task];
    }
}

static void clear_down(const passing *p)
{
    memset(p->down, 0, ((size_t)p->furthest + 1) * p->ties->dag->tasks * sizeof *p->down);
}

/* The next 64 edges, as the first that a path takes to another frame. */
static void pass_by_edges(passing *p)
{
    const ties *t = p->ties;
    uint64_t of_distance[WEIR_FRAMES_MOST] = {0};
    uint32_t left = t->between.count - p->edges_passed, count = left < AT_ONCE ? left : AT_ONCE;
    memset(p->up, 0, t->dag->tasks * sizeof *p->up);
    clear_down(p);
    for (uint32_t i = 0; i < count; i++) {
        const weir_carried_edge *e = &t->between.at[p->order[p->edges_passed + i]];
        p->up[e->earlier] |= (uint64_t)1 << i;
        down_at(p, 0)[e->later] |= (uint64_t)1 << i;
        of_distance[e->distance] |= (uint64_t)1 << i;
    }
    hand_up(p);
    hand_down(p);
    for (uint32_t q = 0; q < p->asked->count; q++) {
        question *asked = &p->asked->at[q];
        for (uint32_t d = 1; d <= asked->pair.distance && asked->answer == OPEN; d++)
            if (p->up[asked->pair.earlier] & of_distance[d] & down_at(p, asked->pair.distance - d)[asked->pair.later])
                asked->answer = YES;
    }
    p->edges_passed += count;
}

/* Answers all questions about 64 earlier tasks. */
static void pass_by_earlier(passing *p)
{
    uint8_t count = 0;
    memset(p->number, 0, p->ties->dag->tasks);
    clear_down(p);
    for (uint32_t q = 0; q < p->asked->count; q++) {
        const question *asked = &p->asked->at[q];
        uint32_t earlier = asked->pair.earlier;
        if (asked->answer != OPEN || p->number[earlier] != 0 || count == AT_ONCE)
            continue;
        down_at(p, 0)[earlier] = (uint64_t)1 << count;
        p->number[earlier] = ++count;
    }
    hand_down(p);
    for (uint32_t q = 0; q < p->asked->count; q++) {
        question *asked = &p->asked->at[q];
        uint32_t number = p->number[asked->pair.earlier];
        if (asked->answer == OPEN && number != 0)
            asked->answer = down_at(p, asked->pair.distance)[asked->pair.later] >> (number - 1) & 1 ? YES : NO;
    }
}

static bool any_open(const questions *asked)
{
    for (uint32_t q = 0; q < asked->count; q++)
        if (asked->at[q].answer == OPEN)
            return true;
    return false;
}

static void order_edges(passing *p)
{
    uint32_t count = 0;
    for (int of_one = 0; of_one < 2; of_one++)
        for (uint32_t i = 0; i < p->ties->between.count; i++)
            if ((p->ties->between.at[i].later == p->ties->between.at[i].earlier) == (of_one == 1))
                p->order[count++] = i;
}

/* What no edge has answered. */
static bool answer_by_paths(const ties *t, questions *asked)
{
    passing p = {.ties = t, .asked = asked};
    const uint32_t tasks = t->dag->tasks;
    for (uint32_t q = 0; q < asked->count; q++)
        if (asked->at[q].answer == OPEN && asked->at[q].pair.distance > p.furthest)
            p.furthest = asked->at[q].pair.distance;
    p.up = weir_alloc(tasks, sizeof *p.up);
    p.down = weir_alloc(((size_t)p.furthest + 1) * tasks, sizeof *p.down);
    p.order = weir_alloc(t->between.count, sizeof *p.order);
    p.number = weir_alloc(tasks, sizeof *p.number);
    bool roomy = p.up && p.down && p.order && p.number;
    if (roomy)
        order_edges(&p);
    for (bool by_edges = true; roomy && p.edges_passed < t->between.count && any_open(asked); by_edges = !by_edges)
        if (by_edges)
            pass_by_edges(&p);
        else
            pass_by_earlier(&p);
    weir_free(p.up);
    weir_free(p.down);
    weir_free(p.order);
    weir_free(p.number);
    return roomy;
}

/* Afterwards none that is not YES has a path. */
static bool answer_all(const ties *t, questions *asked)
{
    for (uint32_t q = 0; q < asked->count; q++) {
        const weir_carried_edge *pair = &asked->at[q].pair;
        const uint32_t first = t->between_first[pair->later], count = t->between_first[pair->later + 1] - first;
        if (count > 0 && t->between.at && bsearch(pair, &t->between.at[first], count, sizeof *pair, compare_pairs))
            asked->at[q].answer = YES;
    }
    return !any_open(asked) || t->between.count == 0 || answer_by_paths(t, asked);
}

static bool ask(questions *asked, weir_carried_edge pair)
{
    if (!weir_vector_reserve(asked, 1))
        return false;
    weir_vector_push(asked, ((question){pair, OPEN}));
    return true;
}

/* ---- the two reports ---- */

static void frames_later(uint32_t distance, char text[32])
{
    snprintf(text, 32, "%u frame%s later", distance, distance == 1 ? "" : "s");
}

static void tell_hazard(const checking *c, const frame_need *need)
{
    const weir_body *body = c->body;
    const weir_arg_record *later = &body->args.at[need->later_arg], *earlier = &body->args.at[need->earlier_arg];
    weir_span a = weir_arg_span(body, later), b = weir_arg_span(body, earlier), both = weir_span_intersect(a, &b);
    char text[512], where[WEIR_SPAN_TEXT], when[32];
    weir_span_text(&both, where);
    frames_later(need->pair.distance, when);
    snprintf(text, sizeof text, "nothing orders task '%s', which %s buffer '%s' at %s, and task '%s' %s, which %s it there",
             body->tasks.at[need->pair.earlier].name, weir_access_verb(earlier->mode), body->buffers.at[later->index].buffer->name, where,
             body->tasks.at[need->pair.later].name, when, weir_access_verb(later->mode));
    weir_report(c->reporter, WEIR_ERR_HAZARD, text);
}

static bool report_hazards(const checking *c)
{
    ties t = {.dag = c->dag};
    questions asked = {NULL, 0, 0};
    bool roomy = tie_states(c, &t);
    for (uint32_t i = 0; i < c->body->explicits_carried.count && roomy; i++)
        if (c->body->explicits_carried.at[i].distance < c->frames)
            roomy = tie(&t, c->body->explicits_carried.at[i]);
    for (uint32_t i = 0; i < c->found.count && roomy; i++)
        roomy = ask(&asked, c->found.at[i].pair);
    roomy = roomy && sort_ties(&t) && answer_all(&t, &asked);
    for (uint32_t i = 0; i < c->found.count && roomy; i++)
        if (asked.at[i].answer != YES)
            tell_hazard(c, &c->found.at[i]);
    ties_finish(&t);
    weir_vector_finish(&asked);
    return roomy;
}

static void tell_needless(const checking *c, const weir_carried_edge *edge)
{
    char text[512], when[32];
    frames_later(edge->distance, when);
    snprintf(text, sizeof text, "no data need the edge from task '%s' to task '%s' %s: they share none that either changes, directly or through others",
             c->body->tasks.at[edge->earlier].name, c->body->tasks.at[edge->later].name, when);
    weir_report(c->reporter, WEIR_OK, text);
}

static bool report_needless_edges(const checking *c)
{
    ties t = {.dag = c->dag, .needs = c->needs};
    questions asked = {NULL, 0, 0};
    bool roomy = tie_states(c, &t);
    for (uint32_t i = 0; i < c->found.count && roomy; i++)
        roomy = tie(&t, c->found.at[i].pair);
    for (uint32_t i = 0; i < c->body->explicits_carried.count && roomy; i++) {
        weir_carried_edge e = c->body->explicits_carried.at[i];
        if (e.distance < c->frames && weir_task_has_accesses(c->body, e.later) && weir_task_has_accesses(c->body, e.earlier))
            roomy = ask(&asked, e);
    }
    roomy = roomy && sort_ties(&t) && answer_all(&t, &asked);
    for (uint32_t q = 0; q < asked.count && roomy; q++)
        if (asked.at[q].answer != YES)
            tell_needless(c, &asked.at[q].pair);
    ties_finish(&t);
    weir_vector_finish(&asked);
    return roomy;
}

weir_status weir_check_frames(const weir_body *body, uint32_t frames, const weir_dag *dag, const weir_needs *needs, weir_reporter *reporter)
{
    checking c = {.body = body, .frames = frames, .dag = dag, .needs = needs, .reporter = reporter};
    bool roomy = find_needs(&c);
    if (roomy && body->flags & WEIR_GRAPH_EXPLICIT) /* others have derived what orders them */
        roomy = report_hazards(&c);
    if (roomy && reporter->found && body->explicits_carried.count > 0)
        roomy = report_needless_edges(&c);
    weir_vector_finish(&c.touches);
    weir_vector_finish(&c.touchers);
    weir_vector_finish(&c.found);
    weir_vector_finish(&c.who);
    return roomy ? WEIR_OK : weir_fail_no_memory();
}
