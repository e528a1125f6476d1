/* why_test.c - what why.c promises: sentences that name what binds and the tasks that do. */
#include "observe/draw.h"
#include "observe/sample.h"
#include "plan/plan.h"

enum { MANY = 12 };

static const char *const names[MANY] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

/* A plan whose tasks all lie on its longest path. */
static weir_drawing drawing_of(weir_drawn_task *task, uint32_t *critical, uint32_t count, const char *binding)
{
    for (uint32_t i = 0; i < count; i++) {
        task[i] = (weir_drawn_task){.name = names[i], .kind = "kernel", .cost_ns = 1000};
        critical[i] = i;
    }
    return (weir_drawing){.name = "p", .policy = "priority", .binding = binding, .frames = 1, .bound_ns = 2500, .task = task, .task_count = count,
                          .critical = critical, .critical_count = count};
}

static void says(const weir_drawing *drawing, const char *expected)
{
    char text[256];
    weir_drawing_why(drawing, text, sizeof text);
    ck_assert_str_eq(text, expected);
}

START_TEST(path_is_said_task_by_task)
{
    weir_drawn_task task[MANY];
    uint32_t critical[MANY];
    weir_drawing d = drawing_of(task, critical, 3, "critical path");
    says(&d, "frames cannot come faster than 2.5 us: a -> b -> c");
    d.frames = 2;
    says(&d, "frames cannot come faster than 2.5 us: a -> b -> c (2 frames at once)");
}
END_TEST

START_TEST(cycle_comes_back_to_its_first_task)
{
    weir_drawn_task task[MANY];
    uint32_t critical[MANY], cycle[] = {2, 0};
    weir_drawing d = drawing_of(task, critical, 3, "recurrence");
    d.cycle = cycle;
    d.cycle_count = 2;
    d.cycle_frames = 1;
    says(&d, "frames cannot come faster than 2.5 us: c -> a -> c");
    d.cycle_frames = 3;
    says(&d, "frames cannot come faster than 2.5 us: c -> a -> c (in 3 frames)");
}
END_TEST

START_TEST(of_many_tasks_the_first_and_last_are_said)
{
    weir_drawn_task task[MANY];
    uint32_t critical[MANY];
    weir_drawing d = drawing_of(task, critical, 8, "critical path");
    says(&d, "frames cannot come faster than 2.5 us: a -> b -> c -> d -> e -> f -> g -> h");
    d = drawing_of(task, critical, MANY, "critical path");
    says(&d, "frames cannot come faster than 2.5 us: a -> b -> c -> d -> (5 more) -> j -> k -> l");
}
END_TEST

START_TEST(dearest_task_with_state_is_said)
{
    weir_drawn_task task[MANY];
    uint32_t critical[MANY];
    const weir_drawn_edge carried[] = {{0, 0, 1}, {1, 1, 1}, {2, 1, 1}};
    weir_drawing d = drawing_of(task, critical, 3, "host task");
    task[0].kind = task[1].kind = task[2].kind = "host";
    task[1].cost_ns = 1500;
    task[2].cost_ns = 9000; /* follows itself only through others */
    d.carried = carried;
    d.carried_count = 3;
    says(&d, "frames cannot come faster than 2.5 us: host task 'b'");
}
END_TEST

START_TEST(what_no_task_is_to_blame_for_is_named)
{
    weir_drawn_task task[MANY];
    uint32_t critical[MANY];
    weir_drawing d = drawing_of(task, critical, 3, "lanes");
    says(&d, "frames cannot come faster than 2.5 us: lanes");
    d.policy = NULL;
    says(&d, "");
}
END_TEST

START_TEST(little_room_cuts_no_character_in_two)
{
    weir_drawn_task task[MANY];
    uint32_t critical[MANY];
    weir_drawing d = drawing_of(task, critical, 1, "critical path");
    char whole[256], text[256];
    task[0].name = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8az";
    weir_drawing_why(&d, whole, sizeof whole);
    ck_assert_ptr_nonnull(strstr(whole, task[0].name));
    weir_drawing_why(&d, NULL, 0);
    for (size_t room = 1; room <= sizeof text; room++) {
        memset(text, 'x', sizeof text);
        weir_drawing_why(&d, text, room);
        size_t length = strlen(text);
        ck_assert_uint_lt(length, room);
        ck_assert(strncmp(text, whole, length) == 0);
        ck_assert(((unsigned char)whole[length] & 0xc0) != 0x80); /* what is missing begins with a character */
        ck_assert(length + 4 >= room || length == strlen(whole));
        ck_assert(room == sizeof text || text[room] == 'x');
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/why");
    TCase *cases = tcase_create("why");
    tcase_add_test(cases, path_is_said_task_by_task);
    tcase_add_test(cases, cycle_comes_back_to_its_first_task);
    tcase_add_test(cases, of_many_tasks_the_first_and_last_are_said);
    tcase_add_test(cases, dearest_task_with_state_is_said);
    tcase_add_test(cases, what_no_task_is_to_blame_for_is_named);
    tcase_add_test(cases, little_room_cuts_no_character_in_two);
    suite_add_tcase(suite, cases);
    return sample_run(suite);
}
