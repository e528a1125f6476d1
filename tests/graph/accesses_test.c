/* accesses_test.c - what accesses.c promises. */
#include "graph/accesses.h"
#include "graph/declare.h"
#include "util/counting.h"

/* The accesses of buffer `b`, as "task:argument" in their order. */
static void accesses_are(const weir_graph *graph, uint32_t b, const char *expected)
{
    char text[512] = "";
    size_t used = 0;
    const weir_body *body = weir_graph_body(graph);
    weir_accesses accesses;
    ck_assert(weir_accesses_create(body, &accesses));
    for (uint32_t i = accesses.first[b]; i < accesses.first[b + 1] && used < sizeof text; i++) {
        weir_access a = accesses.at[i];
        ck_assert_uint_eq(body->args.at[a.arg].index, b);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:%u", used ? " " : "", body->tasks.at[a.task].name,
                                 a.arg - body->tasks.at[a.task].arg_first);
    }
    weir_accesses_finish(&accesses);
    weir_accesses_finish(&accesses);
    ck_assert_str_eq(text, expected);
}

START_TEST(accesses_stand_by_buffer_and_a_tasks_reads_come_first)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("b", 1), *c = buffer_make("c", 2), *unused = buffer_make("unused", 1);
    int value = 0;
    task_add(graph, "t", WEIR_ARGS(WEIR_WRITE(b), WEIR_VALUE(value), WEIR_WRITE(c), weir_part(WEIR_READ(b), (weir_box){.nx = 2})));
    task_add(graph, "none", WEIR_ARGS(WEIR_VALUE(value)));
    task_add(graph, "u", WEIR_ARGS(weir_hidden(WEIR_READ(c)), WEIR_REDUCE(b), WEIR_PREVIOUS(c, 1)));
    task_add(graph, "v", WEIR_ARGS(WEIR_READ_WRITE(b), WEIR_READ(unused)));
    accesses_are(graph, 0, "t:3 t:0 u:1 v:0");
    accesses_are(graph, 1, "t:2 u:0 u:2");
    accesses_are(graph, 2, "v:1");
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
    weir_buffer_destroy(c);
    weir_buffer_destroy(unused);
}
END_TEST

START_TEST(no_tasks_have_no_accesses)
{
    weir_graph *graph = graph_make(0);
    weir_accesses accesses;
    ck_assert(weir_accesses_create(weir_graph_body(graph), &accesses));
    ck_assert_uint_eq(accesses.first[0], 0);
    weir_accesses_finish(&accesses);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(no_memory_is_told_and_leaves_nothing)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("b", 1);
    task_add(graph, "t", WEIR_ARGS(WEIR_WRITE(b)));
    for (long fail_at = 1; fail_at <= 3; fail_at++) {
        weir_accesses accesses = {NULL, NULL};
        counting_start(fail_at, 1);
        bool made = weir_accesses_create(weir_graph_body(graph), &accesses);
        counting_relent();
        ck_assert_int_eq(made, fail_at == 3);
        weir_accesses_finish(&accesses);
        ck_assert_int_eq(atomic_load(&counting_live), 0);
    }
    weir_set_allocator(NULL);
    weir_graph_destroy(graph);
    weir_buffer_destroy(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/accesses");
    TCase *cases = tcase_create("accesses");
    tcase_add_test(cases, accesses_stand_by_buffer_and_a_tasks_reads_come_first);
    tcase_add_test(cases, no_tasks_have_no_accesses);
    tcase_add_test(cases, no_memory_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
