/* picture_test.c - what picture.c promises: each order once, every wait, and long chains folded. */
#include "observe/picture.h"
#include "observe/sample.h"

static const weir_line *line_of(const weir_picture *p, uint32_t from, uint32_t to, uint32_t distance)
{
    for (size_t i = 0; i < p->lines; i++)
        if (p->line[i].from == from && p->line[i].to == to && p->line[i].distance == distance)
            return &p->line[i];
    return NULL;
}

/* 0 -> 1 -> 2, the edge 0 -> 2 that they imply, and as a plan: 2 waits for 1. */
START_TEST(implied_edges_are_no_lines_and_waits_are_marked)
{
    weir_drawn_task task[3] = {{.name = "a", .kind = "empty"}, {.name = "b", .kind = "empty"}, {.name = "c", .kind = "empty", .lane = 1}};
    weir_drawn_edge edge[] = {{0, 1, 0}, {0, 2, 0}, {1, 2, 0}}, wait[] = {{1, 2, 0}};
    uint32_t critical[] = {1, 2};
    weir_drawing d = {.name = "d",
                      .policy = "p",
                      .binding = "b",
                      .task = task,
                      .task_count = 3,
                      .edge = edge,
                      .edge_count = 3,
                      .wait = wait,
                      .wait_count = 1,
                      .lane_count = 2,
                      .critical = critical,
                      .critical_count = 2};
    weir_picture p = {0};
    ck_assert_int_eq(weir_picture_init(&p, &d), WEIR_OK);
    ck_assert_uint_eq(p.lines, 2);
    ck_assert_ptr_null(line_of(&p, 0, 2, 0));
    ck_assert_uint_eq(line_of(&p, 0, 1, 0)->flags, 0);
    ck_assert_uint_eq(line_of(&p, 1, 2, 0)->flags, WEIR_LINE_WAIT | WEIR_LINE_CRITICAL);
    ck_assert_uint_eq(p.critical[0], 0);
    ck_assert_uint_eq(p.critical[1], 1);
    weir_picture_finish(&p);
}
END_TEST

START_TEST(lines_to_later_frames_know_whether_a_line_is_beside_them)
{
    weir_drawn_task task[3] = {{.name = "a", .kind = "empty"}, {.name = "b", .kind = "empty"}, {.name = "c", .kind = "empty"}};
    weir_drawn_edge edge[] = {{0, 1, 0}, {1, 2, 0}}, carried[] = {{0, 0, 2}, {1, 0, 2}, {2, 0, 3}, {2, 2, 1}};
    weir_drawing d = {.name = "d", .task = task, .task_count = 3, .edge = edge, .edge_count = 2, .carried = carried, .carried_count = 4};
    weir_picture p = {0};
    ck_assert_int_eq(weir_picture_init(&p, &d), WEIR_OK);
    ck_assert_uint_eq(line_of(&p, 1, 0, 2)->flags, WEIR_LINE_BESIDE);
    ck_assert_uint_eq(line_of(&p, 2, 0, 3)->flags, 0);
    ck_assert_uint_eq(line_of(&p, 2, 2, 1)->flags, WEIR_LINE_BESIDE);
    weir_picture_finish(&p);
    task[0].group = "elsewhere"; /* then an arc would leave its cluster */
    ck_assert_int_eq(weir_picture_init(&p, &d), WEIR_OK);
    ck_assert_uint_eq(line_of(&p, 1, 0, 2)->flags, 0);
    ck_assert_ptr_null(line_of(&p, 0, 0, 2)); /* a -> b, and b -> a two frames on, say so already */
    weir_picture_finish(&p);
}
END_TEST

enum { CHAIN = 10 };

typedef struct {
    weir_drawn_task task[CHAIN];
    weir_drawn_edge edge[CHAIN];
    weir_drawing drawing;
    weir_picture picture;
} chain;

/* 0 -> 1 -> ... -> 9, all alike. */
static void make_chain(chain *c)
{
    *c = (chain){.drawing = {.name = "chain", .task_count = CHAIN, .edge_count = CHAIN - 1}};
    for (uint32_t i = 0; i < CHAIN; i++)
        c->task[i] = (weir_drawn_task){.name = "sweep", .kind = "kernel", .group = "solve", .cost_ns = 1000};
    for (uint32_t i = 0; i + 1 < CHAIN; i++)
        c->edge[i] = (weir_drawn_edge){i, i + 1, 0};
    c->drawing.task = c->task;
    c->drawing.edge = c->edge;
}

START_TEST(the_inside_of_a_long_chain_is_folded)
{
    static chain c;
    make_chain(&c);
    ck_assert_int_eq(weir_picture_init(&c.picture, &c.drawing), WEIR_OK);
    ck_assert_uint_eq(c.picture.folded[0], 1);
    ck_assert_uint_eq(c.picture.folded[1], CHAIN - 2);
    ck_assert_double_eq(c.picture.cost_ns[1], 1000 * (CHAIN - 2));
    for (uint32_t i = 2; i < CHAIN - 1; i++) {
        ck_assert_uint_eq(c.picture.folded[i], 0);
        ck_assert_uint_eq(c.picture.fold[i], 1);
    }
    ck_assert_uint_eq(c.picture.folded[CHAIN - 1], 1);
    ck_assert_uint_eq(c.picture.fold[CHAIN - 1], CHAIN - 1);
    weir_picture_finish(&c.picture);
}
END_TEST

/* Another lane, group, kind, the end of the critical path or lines to a later frame in the middle leave two chains of 5: 3 inner tasks each, too few. */
START_TEST(whatever_is_worth_seeing_breaks_a_fold)
{
    static chain c;
    weir_drawn_edge carried[] = {{9, 4, 1}, {5, 0, 2}};
    uint32_t critical[] = {0, 1, 2, 3, 4};
    for (int way = 0; way < 6; way++) {
        make_chain(&c);
        for (uint32_t i = 5; i < CHAIN; i++) {
            if (way == 0)
                c.task[i].lane = 1;
            if (way == 1)
                c.task[i].group = NULL;
            if (way == 2)
                c.task[i].group = "other";
            if (way == 3)
                c.task[i].kind = "copy";
        }
        if (way == 5) {
            c.drawing.critical = critical;
            c.drawing.critical_count = 5;
        }
        if (way == 4) {
            c.drawing.carried = carried;
            c.drawing.carried_count = 2;
        }
        ck_assert_int_eq(weir_picture_init(&c.picture, &c.drawing), WEIR_OK);
        for (uint32_t i = 0; i < CHAIN; i++)
            ck_assert_msg(c.picture.folded[i] == 1, "way %d: task %u", way, i);
        weir_picture_finish(&c.picture);
    }
}
END_TEST

START_TEST(a_short_chain_is_drawn_whole)
{
    static chain c;
    make_chain(&c);
    c.drawing.task_count = 6;
    c.drawing.edge_count = 5;
    ck_assert_int_eq(weir_picture_init(&c.picture, &c.drawing), WEIR_OK);
    ck_assert_uint_eq(c.picture.folded[1], 4); /* just long enough */
    weir_picture_finish(&c.picture);
    c.drawing.task_count = 5;
    c.drawing.edge_count = 4;
    ck_assert_int_eq(weir_picture_init(&c.picture, &c.drawing), WEIR_OK);
    for (uint32_t i = 0; i < 5; i++)
        ck_assert_uint_eq(c.picture.folded[i], 1);
    weir_picture_finish(&c.picture);
}
END_TEST

START_TEST(clusters_are_named_by_their_first_task)
{
    char again[] = "flow"; /* equal text, another address */
    weir_drawn_task task[4] = {{.name = "a", .kind = "empty"},
                               {.name = "b", .kind = "empty", .group = "flow"},
                               {.name = "c", .kind = "empty", .group = "view"},
                               {.name = "d", .kind = "empty", .group = again}};
    weir_drawing d = {.name = "d", .task = task, .task_count = 4};
    weir_picture p = {0};
    ck_assert_int_eq(weir_picture_init(&p, &d), WEIR_OK);
    ck_assert_uint_eq(p.cluster[0], UINT32_MAX);
    ck_assert_uint_eq(p.cluster[1], 1);
    ck_assert_uint_eq(p.cluster[2], 2);
    ck_assert_uint_eq(p.cluster[3], 1);
    weir_picture_finish(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/picture");
    TCase *tcase = tcase_create("picture");
    tcase_add_test(tcase, implied_edges_are_no_lines_and_waits_are_marked);
    tcase_add_test(tcase, lines_to_later_frames_know_whether_a_line_is_beside_them);
    tcase_add_test(tcase, the_inside_of_a_long_chain_is_folded);
    tcase_add_test(tcase, whatever_is_worth_seeing_breaks_a_fold);
    tcase_add_test(tcase, a_short_chain_is_drawn_whole);
    tcase_add_test(tcase, clusters_are_named_by_their_first_task);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
