/* check_frames_test.c - what weir_graph_check promises between frames. The slow truth is the frame unrolled F times: every pair of
 * accesses compared, paths by closure. The first seed is WEIR_TEST_SEED, or 1. */
#include "graph/closure.h"
#include "graph/declare.h"
#include "util/counting.h"
#include "util/random.h"

/* ---- by hand ---- */

typedef struct {
    uint32_t hazards, needless;
    char text[512]; /* of the last one */
} report;

static void note(void *user, weir_status status, const char *text)
{
    report *r = user;
    r->hazards += status == WEIR_ERR_HAZARD;
    r->needless += status == WEIR_OK;
    snprintf(r->text, sizeof r->text, "%s", text);
}

static report check_finds(const weir_graph *graph, uint32_t frames, uint32_t hazards, uint32_t needless)
{
    report r = {0, 0, ""};
    weir_status status = weir_graph_check(graph, frames, note, &r);
    ck_assert_msg(status == (hazards ? WEIR_ERR_HAZARD : WEIR_OK), "%s: %s", weir_status_name(status), weir_last_error());
    ck_assert_msg(r.hazards == hazards && r.needless == needless, "%u hazards and %u needless edges, the last: %s", r.hazards, r.needless, r.text);
    return r;
}

/* Without state, so that only data tie it to other frames. */
static weir_task stateless(weir_graph *graph, const char *name, weir_args args)
{
    weir_task task = task_add(graph, name, args);
    weir_task_set(graph, task, &(weir_task_options){.flags = WEIR_TASK_REENTRANT});
    return task;
}

START_TEST(plain_buffer_is_overwritten_in_the_next_frame)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *u = buffer_make("u", 1);
    weir_task w = stateless(graph, "w", WEIR_ARGS(weir_part(WEIR_WRITE(u), (weir_box){.nx = 9}))), r = stateless(graph, "r", WEIR_ARGS(weir_part(WEIR_READ(u), (weir_box){.x = 4, .nx = 8})));
    weir_after(graph, r, w);
    check_finds(graph, 0, 0, 0); /* begin waits for the frame before */
    check_finds(graph, 1, 0, 0);
    report found = check_finds(graph, 2, 2, 0); /* w after itself, and after r */
    ck_assert_str_eq(found.text, "nothing orders task 'r', which reads buffer 'u' at (4, 0, 0) to (8, 0, 0), and task 'w' 1 frame later, which writes it there");
    says(weir_last_error(), "graph 'graph'");
    weir_after_previous(graph, w, r, 1);
    check_finds(graph, 2, 0, 0);
    check_finds(graph, 64, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(u);
}
END_TEST

START_TEST(ring_is_looked_back_at_and_comes_round)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *ring = buffer_make("ring", 3);
    weir_task w = stateless(graph, "w", WEIR_ARGS(WEIR_WRITE(ring))), r = stateless(graph, "r", WEIR_ARGS(WEIR_PREVIOUS(ring, 1)));
    check_finds(graph, 1, 0, 0);
    report found = check_finds(graph, 2, 1, 0);
    says(found.text, "task 'w', which writes buffer 'ring'");
    says(found.text, "task 'r' 1 frame later, which reads it");
    weir_after_previous(graph, r, w, 1);
    check_finds(graph, 2, 0, 0);
    found = check_finds(graph, 3, 1, 0);
    says(found.text, "task 'r', which reads buffer 'ring'");
    says(found.text, "task 'w' 2 frames later, which writes it");
    weir_after_previous(graph, w, r, 2);
    check_finds(graph, 3, 0, 0);
    check_finds(graph, 5, 0, 0); /* w follows itself through r */
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(automatic_ring_has_the_copies_of_a_plan_for_so_many_frames)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *ring = buffer_make("ring", WEIR_RING_AUTO);
    weir_task w = stateless(graph, "w", WEIR_ARGS(WEIR_WRITE(ring))), r = stateless(graph, "r", WEIR_ARGS(WEIR_PREVIOUS(ring, 2)));
    weir_after_previous(graph, r, w, 2);
    check_finds(graph, 2, 1, 0); /* three copies */
    says(check_finds(graph, 3, 1, 0).text, "task 'w' 1 frame later");
    says(check_finds(graph, 4, 1, 0).text, "task 'w' 2 frames later"); /* four */
    weir_after_previous(graph, w, r, 2);
    check_finds(graph, 4, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(begin_orders_what_the_program_writes)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *in = buffer_of((weir_buffer_desc){.name = "in", .element_bytes = 4, .nx = 16, .copies = 2, .place = WEIR_HOST_IN});
    weir_task w = stateless(graph, "w", WEIR_ARGS(WEIR_READ_WRITE(in)));
    check_finds(graph, 3, 0, 0);
    weir_task r = stateless(graph, "r", WEIR_ARGS(WEIR_PREVIOUS(in, 1)));
    check_finds(graph, 3, 1, 0); /* what w made of it is read a frame later */
    weir_after_previous(graph, r, w, 1);
    check_finds(graph, 3, 0, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(in);
}
END_TEST

START_TEST(hidden_state_orders_a_task_after_itself)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *u = buffer_make("u", 1);
    weir_task step = task_add(graph, "step", WEIR_ARGS(WEIR_READ_WRITE(u)));
    check_finds(graph, 3, 0, 0);
    weir_after_previous(graph, step, step, 1); /* is there already */
    check_finds(graph, 3, 0, 0);
    weir_graph_destroy(graph);
    graph = graph_make(WEIR_GRAPH_EXPLICIT);
    stateless(graph, "step", WEIR_ARGS(WEIR_READ_WRITE(u)));
    check_finds(graph, 3, 1, 0);
    weir_graph_destroy(graph);
    weir_buffer_destroy(u);
}
END_TEST

START_TEST(carried_edge_that_no_data_need_is_reported)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *u = buffer_make("u", 1), *v = buffer_make("v", 1);
    weir_task a = task_add(graph, "a", WEIR_ARGS(WEIR_WRITE(u))), b = task_add(graph, "b", WEIR_ARGS(WEIR_WRITE(v))), point = weir_add_empty(graph, "point");
    weir_after_previous(graph, b, a, 2);
    weir_after_previous(graph, point, a, 1); /* declares no accesses: it may order what it likes */
    check_finds(graph, 2, 0, 0);             /* of two frames that are never in flight together */
    report found = check_finds(graph, 3, 0, 1);
    says(found.text, "no data need the edge from task 'a' to task 'b' 2 frames later");
    weir_graph_destroy(graph);
    weir_buffer_destroy(u);
    weir_buffer_destroy(v);
}
END_TEST

START_TEST(derived_graphs_have_no_hazards_but_may_have_needless_edges)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *u = buffer_make("u", 1), *v = buffer_make("v", 2);
    weir_task a = stateless(graph, "a", WEIR_ARGS(WEIR_READ_WRITE(u))), b = stateless(graph, "b", WEIR_ARGS(WEIR_READ(u), WEIR_WRITE(v)));
    weir_task c = stateless(graph, "c", WEIR_ARGS(WEIR_PREVIOUS(v, 1)));
    check_finds(graph, 4, 0, 0);
    weir_after_previous(graph, c, a, 1); /* through b */
    weir_after_previous(graph, a, b, 1);
    check_finds(graph, 4, 0, 0);
    weir_after_previous(graph, a, c, 1);
    says(check_finds(graph, 4, 0, 1).text, "from task 'c' to task 'a' 1 frame later");
    weir_graph_destroy(graph);
    weir_buffer_destroy(u);
    weir_buffer_destroy(v);
}
END_TEST

/* a0 -> out0, in0 of the next frame -> a0, and so on: as many ties as tasks, and no need has an edge of its own. */
START_TEST(many_paths_of_several_edges_are_found_and_the_one_that_lacks)
{
    enum { MANY = 300 };
    for (uint32_t lacks = 0; lacks <= MANY; lacks += 50) {
        static char names[MANY][16];
        weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
        weir_buffer *wide = buffer_of((weir_buffer_desc){.name = "wide", .element_bytes = 4, .nx = MANY, .place = WEIR_HOST_LOCAL});
        for (uint32_t i = 0; i < MANY; i++) {
            snprintf(names[i], sizeof names[i], "a%u", i);
            weir_task in = weir_add_empty(graph, "in"), a = stateless(graph, names[i], WEIR_ARGS(weir_part(WEIR_READ_WRITE(wide), (weir_box){.x = i, .nx = 1})));
            weir_task out = weir_add_empty(graph, "out");
            weir_after(graph, a, in);
            weir_after(graph, out, a);
            if (i != lacks)
                weir_after_previous(graph, in, out, 1);
        }
        report found = check_finds(graph, 3, lacks < MANY, 0);
        if (lacks < MANY) {
            says(found.text, names[lacks]);
            says(found.text, "1 frame later");
        }
        weir_graph_destroy(graph);
        weir_buffer_destroy(wide);
    }
}
END_TEST

START_TEST(as_many_frames_as_plans_may_have)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    ck_assert_int_eq(weir_graph_check(graph, 64, NULL, NULL), WEIR_OK);
    ck_assert_int_eq(weir_graph_check(graph, 65, NULL, NULL), WEIR_ERR_INVALID);
    says(weir_last_error(), "65 frames in flight are too many");
    weir_graph_destroy(graph);
}
END_TEST

/* ---- random graphs ---- */

enum { TASKS_MOST = 90, FEW_TASKS = 12, BUFFERS = 4, ACCESSES_MOST = 3, FRAMES_MOST = 5, COPIES_MOST = 4, EDGES_MOST = TASKS_MOST * TASKS_MOST * (FRAMES_MOST + 1), NX = 10, NY = 6, SEEDS = 1500 };

typedef struct {
    unsigned buffer, mode, back;
    weir_box box; /* always given */
} touched;

typedef struct {
    uint32_t tasks, frames, copies[BUFFERS], automatic_copies;
    weir_place place[BUFFERS];
    bool automatic[BUFFERS], stateful[TASKS_MOST];
    uint32_t place_of[TASKS_MOST]; /* in the order that edges within the frame keep */
    uint32_t touches[TASKS_MOST];
    touched touch[TASKS_MOST][ACCESSES_MOST];
    uint32_t edges;
    weir_carried_edge edge[EDGES_MOST]; /* distance 0: within the frame */
} unrolled;

static unrolled u;

static uint32_t copies_of(uint32_t buffer)
{
    return u.automatic[buffer] ? u.automatic_copies : u.copies[buffer];
}

static bool meet(const touched *a, const touched *b)
{
    return a->box.x < b->box.x + b->box.nx && b->box.x < a->box.x + a->box.nx && a->box.y < b->box.y + b->box.ny && b->box.y < a->box.y + a->box.ny &&
           !(a->mode == b->mode && (a->mode == WEIR_ARG_READ || a->mode == WEIR_ARG_REDUCE));
}

/* Of frames 0 and `distance`, which are in this order but for distance 0. */
static bool touches_conflict(const touched *a, const touched *b, uint32_t distance)
{
    if (a->buffer != b->buffer || !meet(a, b))
        return false;
    uint32_t a_copy = COPIES_MOST * FRAMES_MOST * 12 - a->back, b_copy = COPIES_MOST * FRAMES_MOST * 12 + distance - b->back; /* counted on */
    return u.place[a->buffer] == WEIR_HOST_IN ? a_copy == b_copy : a_copy % copies_of(a->buffer) == b_copy % copies_of(a->buffer);
}

static bool conflict(uint32_t earlier, uint32_t later, uint32_t distance)
{
    for (uint32_t i = 0; i < u.touches[earlier]; i++)
        for (uint32_t j = 0; j < u.touches[later]; j++)
            if (touches_conflict(&u.touch[earlier][i], &u.touch[later][j], distance))
                return true;
    return false;
}

static void add(uint32_t later, uint32_t earlier, uint32_t distance)
{
    ck_assert_uint_lt(u.edges, EDGES_MOST);
    u.edge[u.edges++] = (weir_carried_edge){later, earlier, distance};
}

static touched random_touch(uint64_t *random)
{
    static const unsigned modes[] = {WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_REDUCE};
    touched t = {.buffer = weir_random_below(random, BUFFERS), .mode = modes[weir_random_below(random, 5)], .box = {0, 0, 0, NX, NY, 1}};
    if (weir_random_below(random, 3) > 0) {
        t.box.nx = 1 + weir_random_below(random, u.tasks > FEW_TASKS ? 2 : NX);
        t.box.ny = 1 + weir_random_below(random, u.tasks > FEW_TASKS ? 2 : NY);
        t.box.x = weir_random_below(random, NX + 1 - t.box.nx);
        t.box.y = weir_random_below(random, NY + 1 - t.box.ny);
    }
    if (u.copies[t.buffer] > 1 && weir_random_below(random, 2)) {
        t.mode = WEIR_ARG_READ;
        t.back = 1 + weir_random_below(random, u.copies[t.buffer] - 1);
    }
    return t;
}

static void make_tasks(uint64_t *random)
{
    u.tasks = 1 + weir_random_below(random, weir_random_below(random, 8) == 0 ? TASKS_MOST : FEW_TASKS);
    u.frames = 2 + weir_random_below(random, FRAMES_MOST - 1);
    for (uint32_t b = 0; b < BUFFERS; b++) {
        u.automatic[b] = weir_random_below(random, 4) == 0;
        u.copies[b] = 1 + weir_random_below(random, COPIES_MOST);
        u.place[b] = weir_random_below(random, 6) == 0 ? WEIR_HOST_IN : WEIR_HOST_LOCAL;
    }
    for (uint32_t t = 0; t < u.tasks; t++) {
        u.stateful[t] = weir_random_below(random, 4) == 0;
        u.touches[t] = weir_random_below(random, ACCESSES_MOST + 1);
        for (uint32_t i = 0; i < u.touches[t]; i++)
            u.touch[t][i] = random_touch(random);
        u.place_of[t] = t;
    }
    for (uint32_t t = u.tasks; t-- > 1 && u.frames % 2;) { /* some in another order than that of declaration */
        uint32_t other = weir_random_below(random, t + 1), place = u.place_of[t];
        u.place_of[t] = u.place_of[other];
        u.place_of[other] = place;
    }
}

/* Rings of automatic size: as large as the furthest look back or the frames in flight, all of them. */
static void settle_copies(void)
{
    u.automatic_copies = u.frames;
    for (uint32_t t = 0; t < u.tasks; t++)
        for (uint32_t i = 0; i < u.touches[t]; i++)
            if (u.automatic[u.touch[t][i].buffer] && u.touch[t][i].back + 1 > u.automatic_copies)
                u.automatic_copies = u.touch[t][i].back + 1;
}

/* Within the frame all that data need; between frames a share of it, and some that may be for nothing. */
static void make_edges(uint64_t *random)
{
    static const uint32_t shares[] = {0, 50, 90, 100};
    const uint32_t share = shares[weir_random_below(random, 4)], at_random = weir_random_below(random, 4);
    for (uint32_t earlier = 0; earlier < u.tasks; earlier++)
        for (uint32_t later = 0; later < u.tasks; later++)
            for (uint32_t distance = 0; distance < u.frames; distance++)
                if ((distance > 0 || u.place_of[earlier] < u.place_of[later]) && conflict(earlier, later, distance) && (distance == 0 || weir_random_below(random, 100) < share))
                    add(later, earlier, distance);
    for (uint32_t i = 0; i < at_random; i++) {
        uint32_t a = weir_random_below(random, u.tasks), b = weir_random_below(random, u.tasks), distance = weir_random_below(random, FRAMES_MOST);
        if (distance > 0 || u.place_of[a] < u.place_of[b])
            add(b, a, distance);
    }
    if (weir_random_below(random, 6) == 0) { /* one edge that ties all of a frame to all of the next */
        uint32_t first = 0, last = 0;
        for (uint32_t t = 0; t < u.tasks; t++) {
            first = u.place_of[t] < u.place_of[first] ? t : first;
            last = u.place_of[t] > u.place_of[last] ? t : last;
        }
        for (uint32_t t = 0; t < u.tasks; t++) {
            if (t != first)
                add(t, first, 0);
            if (t != last)
                add(last, t, 0);
        }
        add(first, last, 1);
    }
}

static weir_graph *declare(weir_buffer **buffers)
{
    static char names[TASKS_MOST][16];
    static const char *const called[BUFFERS] = {"b0", "b1", "b2", "b3"};
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_task tasks[TASKS_MOST];
    for (uint32_t b = 0; b < BUFFERS; b++)
        buffers[b] = buffer_of((weir_buffer_desc){.name = called[b], .element_bytes = 1, .nx = NX, .ny = NY, .copies = u.automatic[b] ? WEIR_RING_AUTO : u.copies[b], .place = u.place[b]});
    for (uint32_t t = 0; t < u.tasks; t++) {
        weir_arg args[ACCESSES_MOST];
        for (uint32_t i = 0; i < u.touches[t]; i++) {
            const touched *touch = &u.touch[t][i];
            args[i] = weir_part(weir_arg_of(touch->mode, buffers[touch->buffer], NULL, NULL, 0), touch->box);
            if (touch->back > 0)
                args[i] = weir_back(args[i], touch->back);
        }
        snprintf(names[t], sizeof names[t], "t%u", t);
        tasks[t] = u.stateful[t] ? task_add(graph, names[t], (weir_args){args, u.touches[t]}) : stateless(graph, names[t], (weir_args){args, u.touches[t]});
    }
    for (uint32_t i = 0; i < u.edges; i++)
        if (u.edge[i].distance == 0)
            weir_after(graph, tasks[u.edge[i].later], tasks[u.edge[i].earlier]);
        else
            weir_after_previous(graph, tasks[u.edge[i].later], tasks[u.edge[i].earlier], u.edge[i].distance);
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "%s", weir_last_error());
    return graph;
}

/* Over frames 0 to F - 1: of what is declared, or of what data need. */
static closure paths_of(bool of_data)
{
    closure paths = closure_make(u.tasks * u.frames);
    for (uint32_t frame = 0; frame < u.frames; frame++)
        for (uint32_t distance = 0; frame + distance < u.frames; distance++) {
            for (uint32_t i = 0; i < u.edges && !of_data; i++)
                if (u.edge[i].distance == distance)
                    closure_edge(&paths, frame * u.tasks + u.edge[i].earlier, (frame + distance) * u.tasks + u.edge[i].later);
            for (uint32_t a = 0; a < u.tasks; a++) {
                if (distance == 1 && u.stateful[a])
                    closure_edge(&paths, frame * u.tasks + a, (frame + 1) * u.tasks + a);
                for (uint32_t b = 0; b < u.tasks && of_data; b++)
                    if ((distance > 0 || u.place_of[a] < u.place_of[b]) && conflict(a, b, distance))
                        closure_edge(&paths, frame * u.tasks + a, (frame + distance) * u.tasks + b);
            }
        }
    closure_close(&paths);
    return paths;
}

typedef struct {
    uint32_t hazards, needless;
    weir_carried_edge hazard[EDGES_MOST], edge[EDGES_MOST];
} told;

static told heard;

static void hear(void *user, weir_status status, const char *text)
{
    told *t = user;
    weir_carried_edge e = {0, 0, 0};
    const char *first = strstr(text, "task 't"), *second = first ? strstr(first + 1, "task 't") : NULL;
    if (status == WEIR_ERR_HAZARD && strncmp(text, "nothing orders", 14) != 0) /* of what is touched before it is written */
        return;
    ck_assert_msg(second && sscanf(first, "task 't%u'", &e.earlier) == 1 && sscanf(second, "task 't%u'", &e.later) == 1, "%s", text);
    if (sscanf(strchr(second + 6, '\''), "' %u frame", &e.distance) != 1)
        e.distance = 0;
    if (status == WEIR_ERR_HAZARD)
        t->hazard[t->hazards++] = e;
    else if (e.distance > 0) /* within the frame check_test.c sees to it */
        t->edge[t->needless++] = e;
}

static bool is_needless(const closure *data, const weir_carried_edge *e)
{
    return e->distance > 0 && e->distance < u.frames && u.touches[e->later] > 0 && u.touches[e->earlier] > 0 &&
           !closure_leads(data, e->earlier, e->distance * u.tasks + e->later);
}

static uint64_t hazards_of_all, needless_of_all, clean_of_all;

/* What is told is so; if anything is wrong something is told; and who adds the edges that are asked for is done. */
static void check_random(uint64_t seed)
{
    weir_buffer *buffers[BUFFERS];
    for (int round = 0; round < 2; round++) {
        weir_graph *graph = declare(buffers);
        closure paths = paths_of(false), data = paths_of(true);
        memset(&heard, 0, sizeof heard);
        weir_status status = weir_graph_check(graph, u.frames, hear, &heard);
        ck_assert(status == WEIR_OK || status == WEIR_ERR_HAZARD);
        bool wrong = false;
        for (uint32_t a = 0; a < u.tasks; a++)
            for (uint32_t b = 0; b < u.tasks; b++)
                for (uint32_t distance = 1; distance < u.frames; distance++)
                    wrong = wrong || (conflict(a, b, distance) && !closure_leads(&paths, a, distance * u.tasks + b));
        ck_assert_msg(wrong == (heard.hazards > 0), "seed %llu, round %d: %u hazards", (unsigned long long)seed, round, heard.hazards);
        ck_assert_msg(round == 0 || heard.hazards == 0, "seed %llu: hazards are left when all edges that were asked for are there", (unsigned long long)seed);
        for (uint32_t i = 0; i < heard.hazards; i++) {
            weir_carried_edge e = heard.hazard[i];
            ck_assert_msg(e.distance > 0 && e.distance < u.frames && conflict(e.earlier, e.later, e.distance) && !closure_leads(&paths, e.earlier, e.distance * u.tasks + e.later),
                          "seed %llu: t%u and t%u, %u frames later, are no hazard", (unsigned long long)seed, e.earlier, e.later, e.distance);
        }
        uint32_t needless = 0;
        for (uint32_t i = 0; i < u.edges; i++)
            needless += is_needless(&data, &u.edge[i]);
        for (uint32_t i = 0; i < heard.needless; i++)
            ck_assert_msg(is_needless(&data, &heard.edge[i]), "seed %llu: the edge from t%u to t%u, %u frames later, is needed", (unsigned long long)seed, heard.edge[i].earlier, heard.edge[i].later,
                          heard.edge[i].distance);
        ck_assert_msg(needless == heard.needless, "seed %llu, round %d: %u needless edges, not %u", (unsigned long long)seed, round, needless, heard.needless);
        hazards_of_all += heard.hazards;
        needless_of_all += heard.needless;
        clean_of_all += round == 0 && heard.hazards == 0 && heard.needless == 0;
        closure_finish(&paths);
        closure_finish(&data);
        weir_graph_destroy(graph);
        for (uint32_t b = 0; b < BUFFERS; b++)
            weir_buffer_destroy(buffers[b]);
        for (uint32_t i = 0; i < heard.hazards; i++)
            add(heard.hazard[i].later, heard.hazard[i].earlier, heard.hazard[i].distance);
    }
}

static void make(uint64_t *random)
{
    memset(&u, 0, sizeof u);
    make_tasks(random);
    settle_copies();
    make_edges(random);
}

START_TEST(what_is_told_is_what_the_unrolled_frames_lack)
{
    const char *text = getenv("WEIR_TEST_SEED");
    const uint64_t first = text && *text ? strtoull(text, NULL, 10) : 1;
    hazards_of_all = needless_of_all = clean_of_all = 0;
    for (uint64_t seed = first; seed < first + SEEDS; seed++) {
        uint64_t random = seed;
        make(&random);
        check_random(seed);
    }
    printf("%d graphs from seed %llu on: %llu hazards, %llu needless edges, %llu graphs with neither\n", SEEDS, (unsigned long long)first, (unsigned long long)hazards_of_all,
           (unsigned long long)needless_of_all, (unsigned long long)clean_of_all);
    ck_assert_uint_gt(hazards_of_all, SEEDS);
    ck_assert_uint_gt(needless_of_all, SEEDS / 4);
    ck_assert_uint_gt(clean_of_all, SEEDS / 8);
}
END_TEST

START_TEST(no_memory_anywhere_is_told_and_leaves_nothing)
{
    weir_buffer *buffers[BUFFERS];
    uint64_t random = 8;
    counting_start(0, 0);
    make(&random);
    weir_graph *graph = declare(buffers);
    ck_assert_int_eq(weir_graph_check(graph, u.frames, note, &(report){0, 0, ""}), WEIR_ERR_HAZARD); /* so there are questions */
    long live = atomic_load(&counting_live);
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (long fail_at = 1;; fail_at++) {
            report r = {0, 0, ""};
            counting_start(fail_at, fail_on);
            weir_status status = weir_graph_check(graph, u.frames, note, &r);
            bool reached = atomic_load(&counting_asked) >= fail_at;
            counting_relent();
            ck_assert_int_eq(status, reached ? WEIR_ERR_NO_MEMORY : WEIR_ERR_HAZARD);
            ck_assert_msg(atomic_load(&counting_live) == live, "request %ld fails", fail_at);
            if (!reached)
                break;
        }
    weir_graph_destroy(graph);
    for (uint32_t b = 0; b < BUFFERS; b++)
        weir_buffer_destroy(buffers[b]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/check_frames");
    TCase *cases = tcase_create("check_frames");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, plain_buffer_is_overwritten_in_the_next_frame);
    tcase_add_test(cases, ring_is_looked_back_at_and_comes_round);
    tcase_add_test(cases, automatic_ring_has_the_copies_of_a_plan_for_so_many_frames);
    tcase_add_test(cases, begin_orders_what_the_program_writes);
    tcase_add_test(cases, hidden_state_orders_a_task_after_itself);
    tcase_add_test(cases, carried_edge_that_no_data_need_is_reported);
    tcase_add_test(cases, derived_graphs_have_no_hazards_but_may_have_needless_edges);
    tcase_add_test(cases, many_paths_of_several_edges_are_found_and_the_one_that_lacks);
    tcase_add_test(cases, as_many_frames_as_plans_may_have);
    tcase_add_test(cases, what_is_told_is_what_the_unrolled_frames_lack);
    tcase_add_test(cases, no_memory_anywhere_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
