/* check_drawing_test.c - what check_drawing.c promises: no writer sees a drawing whose numbers point nowhere. */
#include "observe/draw.h"
#include "observe/sample.h"
#include <math.h>

/* a -> b on one lane, changed by one field at a time. */
static weir_drawn_task task[2];
static weir_drawn_edge edge, carried, waiting;
static uint32_t critical[2], cycle;
static int32_t lane_priority;
static weir_drawing drawing;

static void set_up(void)
{
    task[0] = (weir_drawn_task){.name = "a", .kind = "kernel", .share = 1};
    task[1] = (weir_drawn_task){.name = "b", .kind = "kernel", .share = 1, .position = 1};
    edge = (weir_drawn_edge){0, 1, 0};
    carried = (weir_drawn_edge){1, 0, 1};
    waiting = (weir_drawn_edge){0, 1, 0};
    critical[0] = 0;
    critical[1] = 1;
    cycle = 0;
    lane_priority = 0;
    drawing = (weir_drawing){.name = "d",
                             .policy = "p",
                             .binding = "b",
                             .frames = 1,
                             .task_count = 2,
                             .edge_count = 1,
                             .carried_count = 1,
                             .wait_count = 1,
                             .lane_count = 1,
                             .critical_count = 2,
                             .cycle = &cycle,
                             .cycle_count = 1,
                             .cycle_frames = 1,
                             .task = task,
                             .edge = &edge,
                             .carried = &carried,
                             .wait = &waiting,
                             .lane_priority = &lane_priority,
                             .critical = critical};
    ck_assert_int_eq(weir_drawing_check(&drawing), WEIR_OK);
}

static void refused(weir_status status)
{
    ck_assert_int_eq(weir_drawing_check(&drawing), status);
    ck_assert_str_ne(weir_last_error(), "");
    set_up();
}

START_TEST(missing_texts_are_refused)
{
    set_up();
    ck_assert_int_eq(weir_drawing_check(NULL), WEIR_ERR_INVALID);
    drawing.name = NULL;
    refused(WEIR_ERR_INVALID);
    drawing.binding = NULL;
    refused(WEIR_ERR_INVALID);
    task[1].name = NULL;
    refused(WEIR_ERR_INVALID);
    task[0].kind = NULL;
    refused(WEIR_ERR_INVALID);
}
END_TEST

START_TEST(numbers_that_are_none_are_refused)
{
    double *const fields[] = {&task[0].cost_ns,     &task[0].share,       &task[1].start_ns, &task[1].end_ns,
                              &drawing.makespan_ns, &drawing.interval_ns, &drawing.bound_ns};
    set_up();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        *fields[i] = -1;
        refused(WEIR_ERR_INVALID);
        *fields[i] = (double)NAN;
        refused(WEIR_ERR_INVALID);
        *fields[i] = (double)INFINITY;
        refused(WEIR_ERR_INVALID);
    }
}
END_TEST

START_TEST(indices_out_of_range_are_refused)
{
    uint32_t *const fields[] = {&task[0].lane, &task[1].position, &edge.from,  &edge.to,    &carried.from,
                                &carried.to,   &waiting.from,     &waiting.to, &critical[1], &cycle};
    set_up();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        *fields[i] = 2;
        refused(WEIR_ERR_INVALID);
    }
    edge.distance = 1;
    refused(WEIR_ERR_INVALID);
    carried.distance = 0;
    refused(WEIR_ERR_INVALID);
}
END_TEST

START_TEST(loops_and_branches_without_their_bodies_are_refused)
{
    weir_drawn_body body[2] = {{"a", 1}, {"b", 0}};
    set_up();
    task[0].body_count = 2;
    refused(WEIR_ERR_INVALID);
    task[0].rounds = 3; /* a loop of nothing */
    refused(WEIR_ERR_INVALID);
    task[1].body = body;
    task[1].body_count = 2;
    task[1].rounds = 1; /* a loop of two */
    refused(WEIR_ERR_INVALID);
    body[1].name = NULL;
    task[1].body = body;
    task[1].body_count = 2;
    refused(WEIR_ERR_INVALID);
    task[1].body = body;
    task[1].body_count = task[1].rounds = 1;
    ck_assert_int_eq(weir_drawing_check(&drawing), WEIR_OK);
}
END_TEST

START_TEST(two_tasks_at_one_position_are_refused)
{
    set_up();
    task[1].position = 0;
    refused(WEIR_ERR_INVALID);
}
END_TEST

START_TEST(cycles_are_refused_and_carried_ones_are_none)
{
    weir_drawn_edge both[] = {{0, 1, 0}, {1, 0, 0}};
    set_up();
    drawing.edge = both;
    drawing.edge_count = 2;
    refused(WEIR_ERR_CYCLE);
    edge.from = 1; /* to itself */
    refused(WEIR_ERR_CYCLE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/check_drawing");
    TCase *tcase = tcase_create("check_drawing");
    tcase_add_test(tcase, missing_texts_are_refused);
    tcase_add_test(tcase, numbers_that_are_none_are_refused);
    tcase_add_test(tcase, indices_out_of_range_are_refused);
    tcase_add_test(tcase, loops_and_branches_without_their_bodies_are_refused);
    tcase_add_test(tcase, two_tasks_at_one_position_are_refused);
    tcase_add_test(tcase, cycles_are_refused_and_carried_ones_are_none);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
