/* reduce_test.c - what reduce.c promises: the edges it keeps order all that all edges order, and none of them is implied by the rest. */
#include "observe/draw.h"
#include "observe/sample.h"
#include "util/random.h"

enum { TASKS = 12, MOST_EDGES = TASKS * TASKS, FRAMES = 4, NODES = TASKS * FRAMES };

typedef struct {
    weir_drawn_task task[TASKS];
    weir_drawn_edge edge[MOST_EDGES], carried[MOST_EDGES];
    unsigned char keep_edge[MOST_EDGES], keep_carried[MOST_EDGES];
    weir_drawing drawing;
} random_drawing;

static bool reach[NODES][NODES];

/* Which task of frame 0 leads to which of any frame, by all edges or the kept ones, leaving out one of each kind (UINT32_MAX: none). */
static void find_reach(const random_drawing *r, bool kept_only, uint32_t no_edge, uint32_t no_carried)
{
    memset(reach, 0, sizeof reach);
    for (uint32_t f = 0; f < FRAMES; f++) {
        for (uint32_t i = 0; i < r->drawing.edge_count; i++)
            if (i != no_edge && (!kept_only || r->keep_edge[i]))
                reach[f * TASKS + r->edge[i].from][f * TASKS + r->edge[i].to] = true;
        for (uint32_t i = 0; i < r->drawing.carried_count; i++)
            if (i != no_carried && (!kept_only || r->keep_carried[i]) && f + r->carried[i].distance < FRAMES)
                reach[f * TASKS + r->carried[i].from][(f + r->carried[i].distance) * TASKS + r->carried[i].to] = true;
    }
    for (uint32_t m = 0; m < NODES; m++)
        for (uint32_t a = 0; a < NODES; a++)
            if (reach[a][m])
                for (uint32_t b = 0; b < NODES; b++)
                    reach[a][b] |= reach[m][b];
}

static void make(random_drawing *r, uint64_t seed)
{
    *r = (random_drawing){.drawing = {.name = "random", .frames = 1, .task_count = TASKS}};
    uint32_t rank[TASKS]; /* so that the order of numbers is no topological one */
    for (uint32_t t = 0; t < TASKS; t++) {
        uint32_t other = weir_random_below(&seed, t + 1);
        rank[t] = rank[other];
        rank[other] = t;
        r->task[t] = (weir_drawn_task){.name = "task", .kind = "empty"};
    }
    uint32_t odds = 2 + weir_random_below(&seed, 8);
    for (uint32_t a = 0; a < TASKS; a++)
        for (uint32_t b = 0; b < TASKS; b++) {
            if (rank[a] < rank[b] && weir_random_below(&seed, odds) == 0)
                r->edge[r->drawing.edge_count++] = (weir_drawn_edge){a, b, 0};
            if (weir_random_below(&seed, odds * 2) == 0)
                r->carried[r->drawing.carried_count++] = (weir_drawn_edge){a, b, 1 + weir_random_below(&seed, FRAMES - 1)};
        }
    r->drawing.task = r->task;
    r->drawing.edge = r->edge;
    r->drawing.carried = r->carried;
}

START_TEST(the_rest_orders_the_same_and_nothing_in_it_is_implied)
{
    static random_drawing r;
    unsigned dropped = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        make(&r, seed);
        ck_assert_int_eq(weir_drawing_reduce(&r.drawing, r.keep_edge, r.keep_carried), WEIR_OK);
        find_reach(&r, true, UINT32_MAX, UINT32_MAX);
        for (uint32_t i = 0; i < r.drawing.edge_count; i++) {
            ck_assert_msg(reach[r.edge[i].from][r.edge[i].to], "seed %u: edge %u is lost", (unsigned)seed, i);
            dropped += !r.keep_edge[i];
        }
        for (uint32_t i = 0; i < r.drawing.carried_count; i++) {
            weir_drawn_edge e = r.carried[i];
            ck_assert_msg(reach[e.from][e.distance * TASKS + e.to], "seed %u: carried edge %u is lost", (unsigned)seed, i);
            dropped += !r.keep_carried[i];
        }
        for (uint32_t i = 0; i < r.drawing.edge_count; i++)
            if (r.keep_edge[i]) {
                find_reach(&r, true, i, UINT32_MAX);
                ck_assert_msg(!reach[r.edge[i].from][r.edge[i].to], "seed %u: edge %u is implied", (unsigned)seed, i);
            }
        for (uint32_t i = 0; i < r.drawing.carried_count; i++)
            if (r.keep_carried[i]) {
                find_reach(&r, true, UINT32_MAX, i);
                weir_drawn_edge e = r.carried[i];
                ck_assert_msg(!reach[e.from][e.distance * TASKS + e.to], "seed %u: carried edge %u is implied", (unsigned)seed, i);
            }
    }
    ck_assert_uint_gt(dropped, 500);
}
END_TEST

START_TEST(a_drawing_too_large_to_look_through_keeps_all)
{
    enum { LARGE = 20000 };
    weir_drawn_task *task = calloc(LARGE, sizeof *task);
    weir_drawn_edge *edge = calloc(LARGE, sizeof *edge);
    unsigned char *keep = calloc(LARGE, 1);
    for (uint32_t i = 0; i < LARGE; i++)
        task[i] = (weir_drawn_task){.name = "task", .kind = "empty"};
    for (uint32_t i = 0; i < LARGE - 1; i++)
        edge[i] = (weir_drawn_edge){i, i + 1, 0};
    edge[LARGE - 1] = (weir_drawn_edge){0, LARGE - 1, 0}; /* implied */
    weir_drawing drawing = {.name = "large", .task_count = LARGE, .edge_count = LARGE, .task = task, .edge = edge};
    ck_assert_int_eq(weir_drawing_reduce(&drawing, keep, NULL), WEIR_OK);
    ck_assert_uint_eq(keep[LARGE - 1], 1);
    free(keep);
    free(edge);
    free(task);
}
END_TEST

START_TEST(an_order_follows_every_edge)
{
    static random_drawing r;
    for (uint64_t seed = 1000; seed < 1100; seed++) {
        uint32_t order[TASKS], place[TASKS];
        make(&r, seed);
        ck_assert_int_eq(weir_drawing_order(&r.drawing, order), WEIR_OK);
        for (uint32_t i = 0; i < TASKS; i++)
            place[order[i]] = i;
        for (uint32_t i = 0; i < TASKS; i++)
            ck_assert_uint_eq(order[place[i]], i);
        for (uint32_t i = 0; i < r.drawing.edge_count; i++)
            ck_assert_uint_lt(place[r.edge[i].from], place[r.edge[i].to]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/reduce");
    TCase *tcase = tcase_create("reduce");
    tcase_add_test(tcase, the_rest_orders_the_same_and_nothing_in_it_is_implied);
    tcase_add_test(tcase, a_drawing_too_large_to_look_through_keeps_all);
    tcase_add_test(tcase, an_order_follows_every_edge);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
