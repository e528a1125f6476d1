/* carried_test.c - what carried.c promises. The truth is the frame declared again and again, each access with the copy it means, and
 * every pair of earlier and later access compared. */
#include "graph/carried.h"
#include "graph/closure.h"
#include "graph/declare.h"
#include "graph/graph.h"
#include "util/counting.h"
#include "util/random.h"

static weir_carried carried_of(const weir_graph *graph, uint32_t automatic, uint32_t below)
{
    weir_carried carried;
    weir_status status = weir_graph_status(graph);
    ck_assert_msg(status == WEIR_OK, "%s", weir_last_error());
    ck_assert_int_eq(weir_carried_create(weir_graph_body(graph), automatic, below, &carried), WEIR_OK);
    return carried;
}

/* All carried edges, "earlier>later+distance". */
static void carried_are(const weir_graph *graph, uint32_t automatic, const char *expected)
{
    char text[2048] = "";
    size_t used = 0;
    weir_carried carried = carried_of(graph, automatic, UINT32_MAX);
    const weir_body *body = weir_graph_body(graph);
    for (uint32_t i = 0; i < carried.edges.count && used < sizeof text; i++) {
        weir_carried_edge e = carried.edges.at[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s>%s+%u", used ? " " : "", body->tasks.at[e.earlier].name,
                                 body->tasks.at[e.later].name, e.distance);
    }
    weir_carried_finish(&carried);
    ck_assert_str_eq(text, expected);
}

/* A host task without state of its own, so that only data tie it to other frames. */
static weir_task stateless_add(weir_graph *graph, const char *name, weir_args args)
{
    weir_task task = task_add(graph, name, args);
    weir_task_set(graph, task, &(weir_task_options){.flags = WEIR_TASK_REENTRANT});
    return task;
}

/* ---- by hand ---- */

START_TEST(plain_buffer_ties_each_frame_to_the_next)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("b", 1);
    stateless_add(graph, "w", WEIR_ARGS(WEIR_WRITE(b)));
    stateless_add(graph, "r", WEIR_ARGS(WEIR_READ(b)));
    carried_are(graph, 1, "r>w+1");
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(ring_is_overwritten_when_it_comes_round)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *ring = buffer_make("ring", 3);
    stateless_add(graph, "w", WEIR_ARGS(WEIR_WRITE(ring)));
    stateless_add(graph, "r", WEIR_ARGS(WEIR_READ(ring)));
    carried_are(graph, 1, "r>w+3");
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(earlier_frame_is_read_after_it_and_before_its_copy_comes_round)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *ring = buffer_make("ring", 3);
    stateless_add(graph, "w", WEIR_ARGS(WEIR_WRITE(ring)));
    stateless_add(graph, "r", WEIR_ARGS(WEIR_PREVIOUS(ring, 1)));
    carried_are(graph, 1, "r>w+2 w>r+1");
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(step_from_frame_to_frame_ties_itself)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *ring = buffer_make("ring", 2);
    stateless_add(graph, "step", WEIR_ARGS(WEIR_PREVIOUS(ring, 1), WEIR_WRITE(ring)));
    carried_are(graph, 1, "step>step+1");
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(automatic_ring_has_the_copies_it_is_told)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *ring = buffer_make("ring", WEIR_RING_AUTO);
    stateless_add(graph, "w", WEIR_ARGS(WEIR_WRITE(ring)));
    stateless_add(graph, "r", WEIR_ARGS(WEIR_PREVIOUS(ring, 1)));
    carried_are(graph, 2, "r>w+1 w>r+1");
    carried_are(graph, 5, "r>w+4 w>r+1");
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(what_nothing_writes_ties_nothing)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("b", 1), *ring = buffer_make("ring", 2);
    stateless_add(graph, "r", WEIR_ARGS(WEIR_READ(b), WEIR_READ(ring), WEIR_PREVIOUS(ring, 1)));
    carried_are(graph, 1, "");
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_buffer_destroy(ring);
}
END_TEST

START_TEST(boxes_that_do_not_meet_tie_nothing)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("b", 1);
    stateless_add(graph, "left", WEIR_ARGS(weir_part(WEIR_READ_WRITE(b), (weir_box){.nx = 8})));
    stateless_add(graph, "right", WEIR_ARGS(weir_part(WEIR_READ_WRITE(b), (weir_box){.x = 8, .nx = 8})));
    carried_are(graph, 1, "left>left+1 right>right+1");
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(host_and_native_tasks_have_state_unless_they_say_not)
{
    static const weir_native native = {.name = "native"};
    static const weir_kernel kernel = {.name = "kernel"};
    weir_graph *graph = graph_make(0);
    task_add(graph, "host", weir_no_args());
    stateless_add(graph, "stateless", weir_no_args());
    weir_add_native(graph, &native, NULL, weir_no_args());
    weir_add_kernel(graph, &kernel, (weir_shape){.grid = {1}}, weir_no_args());
    weir_add_empty(graph, "empty");
    carried_are(graph, 1, "host>host+1 native>native+1");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(explicit_graph_has_the_declared_ones_and_state_only)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT);
    weir_buffer *b = buffer_make("b", 1);
    weir_task w = stateless_add(graph, "w", WEIR_ARGS(WEIR_WRITE(b))), r = task_add(graph, "r", WEIR_ARGS(WEIR_READ(b)));
    carried_are(graph, 1, "r>r+1");
    weir_after_previous(graph, w, r, 2);
    weir_after_previous(graph, w, r, 2);
    weir_after_previous(graph, r, r, 1);
    carried_are(graph, 1, "r>w+2 r>r+1");
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(copies_wanted_are_frames_in_flight_or_what_is_looked_back)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *ring = buffer_make("ring", WEIR_RING_AUTO), *fixed = buffer_make("fixed", 9);
    stateless_add(graph, "w", WEIR_ARGS(WEIR_WRITE(ring), WEIR_WRITE(fixed), WEIR_PREVIOUS(fixed, 8)));
    ck_assert_uint_eq(weir_ring_copies(weir_graph_body(graph), 0), 1);
    ck_assert_uint_eq(weir_ring_copies(weir_graph_body(graph), 3), 3);
    stateless_add(graph, "r", WEIR_ARGS(WEIR_PREVIOUS(ring, 3)));
    ck_assert_uint_eq(weir_ring_copies(weir_graph_body(graph), 1), 4);
    ck_assert_uint_eq(weir_ring_copies(weir_graph_body(graph), 6), 6);
    weir_graph_destroy(graph);
    weir_buffer_destroy(ring);
    weir_buffer_destroy(fixed);
}
END_TEST

/* ---- random graphs ---- */

enum {
    TASKS_MOST = 12,
    BUFFERS = 4,
    ACCESSES_MOST = 4,
    COPIES_MOST = 3,
    FRAMES = 3 * COPIES_MOST,
    CARRIED_MOST = 3,
    NX = 10,
    NY = 6,
    SEEDS = 1500
};

typedef struct {
    unsigned buffer, mode, back;
    weir_box box; /* always given */
} touched;

typedef struct {
    uint32_t tasks, copies[BUFFERS], automatic, declared;
    bool writes[BUFFERS]; /* this frame's copy, by any task */
    bool is_auto[BUFFERS], stateful[TASKS_MOST];
    uint32_t touches[TASKS_MOST];
    touched touch[TASKS_MOST][ACCESSES_MOST];
    weir_carried_edge edge[CARRIED_MOST]; /* declared; distance 0: within the frame */
} frame;

static weir_box random_box(uint64_t *random)
{
    weir_box whole = {0, 0, 0, NX, NY, 1}, box = {0};
    if (weir_random_below(random, 3) == 0)
        return whole;
    box.nx = 1 + weir_random_below(random, NX);
    box.ny = 1 + weir_random_below(random, NY);
    box.x = weir_random_below(random, NX + 1 - box.nx);
    box.y = weir_random_below(random, NY + 1 - box.ny);
    box.nz = 1;
    return box;
}

/* Whatever is made keeps the rules of rings and reduces: before a whole write of its own frame, a ring is only looked back at. */
static frame frame_make(uint64_t *random)
{
    static const unsigned modes[] = {WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_REDUCE, WEIR_ARG_REDUCE};
    frame f = {.tasks = 1 + weir_random_below(random, TASKS_MOST), .automatic = 1 + weir_random_below(random, COPIES_MOST)};
    bool whole[BUFFERS] = {false}, never[BUFFERS];
    for (uint32_t b = 0; b < BUFFERS; b++) {
        f.is_auto[b] = weir_random_below(random, 4) == 0;
        f.copies[b] = f.is_auto[b] ? f.automatic : 1 + weir_random_below(random, COPIES_MOST);
        never[b] = weir_random_below(random, 8) == 0;
    }
    for (uint32_t t = 0; t < f.tasks; t++) {
        f.stateful[t] = weir_random_below(random, 3) == 0;
        f.touches[t] = weir_random_below(random, ACCESSES_MOST + 1);
        bool becomes_whole[BUFFERS] = {false};
        for (uint32_t i = 0; i < f.touches[t]; i++) {
            touched touch = {.buffer = weir_random_below(random, BUFFERS), .box = random_box(random)};
            bool ring = f.copies[touch.buffer] > 1 || f.is_auto[touch.buffer],
                 looks_back = f.copies[touch.buffer] > 1 && weir_random_below(random, 2);
            touch.mode = modes[weir_random_below(random, 6)];
            if (looks_back || (never[touch.buffer] && f.copies[touch.buffer] > 1)) {
                touch.mode = WEIR_ARG_READ;
                touch.back = 1 + weir_random_below(random, f.copies[touch.buffer] - 1);
            } else if (never[touch.buffer]) {
                touch.mode = WEIR_ARG_READ;
            } else if (!whole[touch.buffer] && (ring || touch.mode == WEIR_ARG_REDUCE)) {
                touch.mode = WEIR_ARG_WRITE;
                touch.box = (weir_box){0, 0, 0, NX, NY, 1};
            }
            becomes_whole[touch.buffer] =
                becomes_whole[touch.buffer] || (touch.mode == WEIR_ARG_WRITE && touch.box.nx == NX && touch.box.ny == NY);
            f.writes[touch.buffer] = f.writes[touch.buffer] || touch.mode >= WEIR_ARG_WRITE;
            f.touch[t][i] = touch;
        }
        for (uint32_t b = 0; b < BUFFERS; b++)
            whole[b] = whole[b] || becomes_whole[b];
    }
    f.declared = weir_random_below(random, CARRIED_MOST + 1);
    for (uint32_t i = 0; i < f.declared; i++) {
        uint32_t distance = f.tasks > 1 ? weir_random_below(random, 4) : 1, later = weir_random_below(random, f.tasks),
                 earlier = weir_random_below(random, f.tasks);
        if (distance == 0 && later <= earlier) { /* within the frame: forwards */
            later = f.tasks - 1;
            earlier = weir_random_below(random, later);
        }
        f.edge[i] = (weir_carried_edge){later, earlier, distance};
    }
    return f;
}

static weir_graph *frame_declare(const frame *f, weir_buffer **buffers)
{
    static char names[TASKS_MOST][16];
    static const char *const called[BUFFERS] = {"b0", "b1", "b2", "b3"};
    weir_graph *graph = graph_make(0);
    weir_task tasks[TASKS_MOST];
    for (uint32_t b = 0; b < BUFFERS; b++)
        buffers[b] = buffer_of((weir_buffer_desc){.name = called[b],
                                                  .element_bytes = 1,
                                                  .nx = NX,
                                                  .ny = NY,
                                                  .copies = f->is_auto[b] ? WEIR_RING_AUTO : f->copies[b],
                                                  .place = WEIR_HOST_LOCAL});
    for (uint32_t t = 0; t < f->tasks; t++) {
        weir_arg args[ACCESSES_MOST];
        for (uint32_t i = 0; i < f->touches[t]; i++) {
            const touched *touch = &f->touch[t][i];
            args[i] = weir_part(weir_arg_of(touch->mode, buffers[touch->buffer], NULL, NULL, 0), touch->box);
            if (touch->back > 0)
                args[i] = weir_back(args[i], touch->back);
        }
        snprintf(names[t], sizeof names[t], "t%u", t);
        tasks[t] = task_add(graph, names[t], (weir_args){args, f->touches[t]});
        if (!f->stateful[t])
            weir_task_set(graph, tasks[t], &(weir_task_options){.flags = WEIR_TASK_REENTRANT});
    }
    for (uint32_t i = 0; i < f->declared; i++) {
        if (f->edge[i].distance == 0)
            weir_after(graph, tasks[f->edge[i].later], tasks[f->edge[i].earlier]);
        else
            weir_after_previous(graph, tasks[f->edge[i].later], tasks[f->edge[i].earlier], f->edge[i].distance);
    }
    return graph;
}

static bool conflict(const frame *f, const touched *a, uint32_t a_frame, const touched *b, uint32_t b_frame)
{
    if (a->buffer != b->buffer || !f->writes[a->buffer])
        return false;
    uint32_t copies = f->copies[a->buffer];
    if ((a_frame + copies - a->back) % copies != (b_frame + copies - b->back) % copies)
        return false;
    if ((a->mode == WEIR_ARG_READ && b->mode == WEIR_ARG_READ) || (a->mode == WEIR_ARG_REDUCE && b->mode == WEIR_ARG_REDUCE))
        return false;
    return a->box.x < b->box.x + b->box.nx && b->box.x < a->box.x + a->box.nx && a->box.y < b->box.y + b->box.ny &&
           b->box.y < a->box.y + a->box.ny;
}

static closure truth_of(const frame *f)
{
    closure truth = closure_make(f->tasks * FRAMES);
    for (uint32_t later = 0; later < truth.nodes; later++) {
        uint32_t later_frame = later / f->tasks, t = later % f->tasks;
        for (uint32_t earlier = 0; earlier < later; earlier++)
            for (uint32_t i = 0; i < f->touches[t]; i++)
                for (uint32_t j = 0; j < f->touches[earlier % f->tasks]; j++)
                    if (conflict(f, &f->touch[earlier % f->tasks][j], earlier / f->tasks, &f->touch[t][i], later_frame))
                        closure_edge(&truth, earlier, later);
        if (later_frame > 0 && f->stateful[t])
            closure_edge(&truth, later - f->tasks, later);
        for (uint32_t i = 0; i < f->declared; i++)
            if (f->edge[i].later == t && f->edge[i].distance <= later_frame)
                closure_edge(&truth, (later_frame - f->edge[i].distance) * f->tasks + f->edge[i].earlier, later);
    }
    closure_close(&truth);
    return truth;
}

static closure found_of(const frame *f, const weir_graph *graph, const weir_carried *carried)
{
    closure found = closure_make(f->tasks * FRAMES);
    weir_dag dag;
    ck_assert_int_eq(weir_dag_create(weir_graph_body(graph), &dag), WEIR_OK);
    for (uint32_t n = 0; n < FRAMES; n++) {
        for (uint32_t t = 0; t < f->tasks; t++)
            for (uint32_t i = dag.pred_first[t]; i < dag.pred_first[t + 1]; i++)
                closure_edge(&found, n * f->tasks + dag.pred[i], n * f->tasks + t);
        for (uint32_t i = 0; i < carried->edges.count; i++) {
            weir_carried_edge e = carried->edges.at[i];
            ck_assert_uint_ge(e.distance, 1);
            if (e.distance <= n)
                closure_edge(&found, (n - e.distance) * f->tasks + e.earlier, n * f->tasks + e.later);
        }
    }
    weir_dag_finish(&dag);
    closure_close(&found);
    return found;
}

static bool is_sorted(const weir_carried *carried)
{
    for (uint32_t i = 1; i < carried->edges.count; i++) {
        weir_carried_edge a = carried->edges.at[i - 1], b = carried->edges.at[i];
        uint64_t first = ((uint64_t)a.later << 32) + a.earlier, second = ((uint64_t)b.later << 32) + b.earlier;
        if (first > second || (first == second && a.distance >= b.distance))
            return false;
    }
    return true;
}

START_TEST(many_frames_are_ordered_as_if_declared_one_after_another)
{
    uint64_t rings_tied = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        frame f = frame_make(&random);
        weir_buffer *buffers[BUFFERS];
        weir_graph *graph = frame_declare(&f, buffers);
        ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "seed %llu: %s", (unsigned long long)seed, weir_last_error());
        weir_carried carried = carried_of(graph, f.automatic, UINT32_MAX);
        closure truth = truth_of(&f), found = found_of(&f, graph, &carried);
        uint32_t from, to;
        ck_assert_msg(!closure_differs(&truth, &found, &from, &to), "seed %llu: task %u of frame %u should %slead to task %u of frame %u",
                      (unsigned long long)seed, from % f.tasks, from / f.tasks, closure_leads(&truth, from, to) ? "" : "not ", to % f.tasks,
                      to / f.tasks);
        ck_assert_msg(is_sorted(&carried), "seed %llu", (unsigned long long)seed);
        for (uint32_t i = 0; i < carried.edges.count; i++)
            rings_tied += carried.edges.at[i].distance > 1;
        closure_finish(&truth);
        closure_finish(&found);
        weir_carried_finish(&carried);
        weir_graph_destroy(graph);
        for (uint32_t b = 0; b < BUFFERS; b++)
            weir_buffer_destroy(buffers[b]);
    }
    ck_assert_uint_gt(rings_tied, SEEDS); /* the seeds give enough of them */
}
END_TEST

START_TEST(below_keeps_the_nearer_ones_and_only_those)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed;
        frame f = frame_make(&random);
        weir_buffer *buffers[BUFFERS];
        weir_graph *graph = frame_declare(&f, buffers);
        weir_carried all = carried_of(graph, f.automatic, UINT32_MAX);
        for (uint32_t below = 1; below <= 4; below++) {
            weir_carried some = carried_of(graph, f.automatic, below);
            uint32_t at = 0;
            for (uint32_t i = 0; i < all.edges.count; i++)
                if (all.edges.at[i].distance < below) {
                    ck_assert_uint_lt(at, some.edges.count);
                    ck_assert_mem_eq(&some.edges.at[at], &all.edges.at[i], sizeof *all.edges.at);
                    at++;
                }
            ck_assert_uint_eq(at, some.edges.count);
            weir_carried_finish(&some);
        }
        weir_carried_finish(&all);
        weir_graph_destroy(graph);
        for (uint32_t b = 0; b < BUFFERS; b++)
            weir_buffer_destroy(buffers[b]);
    }
}
END_TEST

START_TEST(no_memory_anywhere_is_told_and_leaves_nothing)
{
    uint64_t random = 5;
    counting_start(0, 0);
    frame f = frame_make(&random);
    weir_buffer *buffers[BUFFERS];
    weir_graph *graph = frame_declare(&f, buffers);
    long live = atomic_load(&counting_live);
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (long fail_at = 1;; fail_at++) {
            weir_carried carried = {{NULL, 0, 0}};
            counting_start(fail_at, fail_on);
            weir_status status = weir_carried_create(weir_graph_body(graph), f.automatic, UINT32_MAX, &carried);
            bool reached = atomic_load(&counting_asked) >= fail_at;
            counting_relent();
            ck_assert_int_eq(status, reached ? WEIR_ERR_NO_MEMORY : WEIR_OK);
            weir_carried_finish(&carried);
            ck_assert_msg(atomic_load(&counting_live) == live, "request %ld fails", fail_at);
            if (!reached) {
                ck_assert_int_gt(fail_at, 5);
                break;
            }
        }
    weir_graph_destroy(graph);
    for (uint32_t b = 0; b < BUFFERS; b++)
        weir_buffer_destroy(buffers[b]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/carried");
    TCase *cases = tcase_create("carried");
    tcase_add_test(cases, plain_buffer_ties_each_frame_to_the_next);
    tcase_add_test(cases, ring_is_overwritten_when_it_comes_round);
    tcase_add_test(cases, earlier_frame_is_read_after_it_and_before_its_copy_comes_round);
    tcase_add_test(cases, step_from_frame_to_frame_ties_itself);
    tcase_add_test(cases, automatic_ring_has_the_copies_it_is_told);
    tcase_add_test(cases, what_nothing_writes_ties_nothing);
    tcase_add_test(cases, boxes_that_do_not_meet_tie_nothing);
    tcase_add_test(cases, host_and_native_tasks_have_state_unless_they_say_not);
    tcase_add_test(cases, explicit_graph_has_the_declared_ones_and_state_only);
    tcase_add_test(cases, copies_wanted_are_frames_in_flight_or_what_is_looked_back);
    tcase_add_test(cases, many_frames_are_ordered_as_if_declared_one_after_another);
    tcase_add_test(cases, below_keeps_the_nearer_ones_and_only_those);
    tcase_add_test(cases, no_memory_anywhere_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
