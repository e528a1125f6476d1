/* buffer_test.c - what buffer.c promises. */
#include "graph/buffer.h"
#include "graph/declare.h"
#include "util/counting.h"

#define KIB ((size_t)1 << 10)

static void check_refused(weir_buffer_desc desc, const char *text)
{
    weir_buffer *untouched = (weir_buffer *)&untouched, *out = untouched;
    ck_assert_int_eq(weir_buffer_create(&desc, &out), WEIR_ERR_INVALID);
    ck_assert_ptr_eq(out, untouched);
    if (desc.name)
        says(weir_last_error(), desc.name);
    says(weir_last_error(), text);
}

START_TEST(senseless_descriptions_are_refused_by_name)
{
    void *memory[2] = {memory, NULL};
    check_refused((weir_buffer_desc){.element_bytes = 4, .nx = 4}, "a buffer needs a name");
    check_refused((weir_buffer_desc){.name = "u", .nx = 4}, "element_bytes is 0");
    check_refused((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 4, .copies = 4097}, "4097 copies, at most 4096");
    check_refused((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 4, .place = (weir_place)(WEIR_HOST_LOCAL + 1)},
                  "unknown place 4");
    check_refused((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 4, .device = 1}, "there is only device 0");
    check_refused((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 4, .row_bytes = 15}, "row_bytes 15 is less than a row, 16");
    check_refused((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 4, .ny = 3, .row_bytes = 20, .slice_bytes = 59},
                  "slice_bytes 59 is less than 3 rows");
    check_refused((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 4, .adopted = memory, .copies = 2},
                  "adopted pointer 1 is NULL");
    check_refused((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 4, .adopted = memory, .copies = WEIR_RING_AUTO},
                  "needs its number of copies");
    check_refused((weir_buffer_desc){.name = "u", .adopted = memory}, "a token has no memory to adopt");
}
END_TEST

START_TEST(more_than_memory_can_be_is_refused)
{
    check_refused((weir_buffer_desc){.name = "huge", .element_bytes = SIZE_MAX / 4 + 1, .nx = 4}, "larger than memory can be");
    check_refused((weir_buffer_desc){.name = "huge", .element_bytes = SIZE_MAX / 2, .nx = 4}, "larger than memory can be");
    check_refused((weir_buffer_desc){.name = "huge", .element_bytes = KIB * KIB * KIB, .nx = UINT32_MAX, .ny = UINT32_MAX},
                  "larger than memory can be");
    check_refused((weir_buffer_desc){.name = "huge", .element_bytes = 16, .nx = UINT32_MAX, .ny = UINT32_MAX, .nz = UINT32_MAX},
                  "larger than memory can be");
    check_refused((weir_buffer_desc){.name = "huge", .element_bytes = 1, .nx = 1, .ny = 4, .row_bytes = SIZE_MAX / 2},
                  "larger than memory can be");
    check_refused((weir_buffer_desc){.name = "huge", .element_bytes = 1, .nx = 1, .nz = 4, .slice_bytes = SIZE_MAX / 2},
                  "larger than memory can be");
}
END_TEST

START_TEST(null_arguments_are_refused)
{
    weir_buffer *buffer = NULL;
    weir_param *param = NULL;
    int value = 0;
    ck_assert_int_eq(weir_buffer_create(NULL, &buffer), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_buffer_create(&(weir_buffer_desc){.name = "u", .element_bytes = 1, .nx = 1}, NULL), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_param_create(NULL, &value, sizeof value, &param), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_param_create("p", NULL, sizeof value, &param), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_param_create("p", &value, sizeof value, NULL), WEIR_ERR_INVALID);
    ck_assert_ptr_null(buffer);
    ck_assert_ptr_null(param);
    weir_buffer_destroy(NULL);
    weir_param_destroy(NULL);
}
END_TEST

START_TEST(zeros_read_as_defaults)
{
    weir_buffer *b = buffer_of((weir_buffer_desc){.name = "u", .element_bytes = 12, .nx = 5});
    ck_assert_uint_eq(b->n[0], 5);
    ck_assert_uint_eq(b->n[1], 1);
    ck_assert_uint_eq(b->n[2], 1);
    ck_assert_uint_eq(b->row_bytes, 60);
    ck_assert_uint_eq(b->slice_bytes, 60);
    ck_assert_uint_eq(b->copies, 1);
    ck_assert_int_eq(b->place, WEIR_DEVICE);
    ck_assert(!weir_buffer_is_ring(b));
    ck_assert(!weir_buffer_is_token(b));
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(pitches_are_kept_and_counted)
{
    weir_buffer *b = buffer_of(
        (weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 5, .ny = 3, .nz = 2, .row_bytes = 32, .slice_bytes = 128, .copies = 3});
    ck_assert_uint_eq(weir_buffer_copy_bytes(b), 256);
    ck_assert(weir_buffer_is_ring(b));
    weir_buffer_destroy(b);
    b = buffer_of((weir_buffer_desc){.name = "u", .element_bytes = 4, .nx = 5, .ny = 3, .nz = 2, .row_bytes = 32});
    ck_assert_uint_eq(weir_buffer_copy_bytes(b), 192);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(no_elements_are_a_token)
{
    weir_buffer *b = buffer_of((weir_buffer_desc){.name = "token"});
    ck_assert(weir_buffer_is_token(b));
    ck_assert_uint_eq(weir_buffer_copy_bytes(b), 0);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(name_and_adopted_pointers_are_copied)
{
    char name[] = "mine";
    int one, two;
    void *memory[2] = {&one, &two};
    weir_buffer *b = buffer_of((weir_buffer_desc){.name = name, .element_bytes = 4, .nx = 1, .copies = 2, .adopted = memory});
    name[0] = 'f';
    memory[1] = NULL;
    ck_assert_str_eq(b->name, "mine");
    ck_assert_ptr_eq(b->adopted[0], &one);
    ck_assert_ptr_eq(b->adopted[1], &two);
    weir_buffer_destroy(b);
}
END_TEST

/* ---- holders ---- */

typedef struct {
    weir_attachment attachment; /* first */
    int released;
} counted;

static void count_release(weir_attachment *attachment)
{
    ((counted *)attachment)->released++;
}

START_TEST(buffer_lives_as_long_as_a_graph_that_touches_it)
{
    weir_graph *graph = graph_make(0);
    weir_buffer *b = buffer_make("kept", 1);
    counted c = {.attachment = {.owner = graph, .release = count_release}};
    weir_buffer_attach(b, &c.attachment);
    task_add(graph, "writer", WEIR_ARGS(WEIR_WRITE(b)));
    weir_buffer_destroy(b);
    ck_assert_int_eq(c.released, 0);
    task_add(graph, "reader", WEIR_ARGS(WEIR_READ(b)));
    edges_are(graph, "writer>reader");
    weir_graph_destroy(graph);
    ck_assert_int_eq(c.released, 1);
}
END_TEST

START_TEST(attachments_are_found_by_owner_and_released_once)
{
    int first_owner, second_owner;
    weir_buffer *b = buffer_make("b", 1);
    counted first = {.attachment = {.owner = &first_owner, .release = count_release}};
    counted second = {.attachment = {.owner = &second_owner, .release = count_release}};
    ck_assert_ptr_null(weir_buffer_attachment(b, &first_owner));
    weir_buffer_attach(b, &first.attachment);
    weir_buffer_attach(b, &second.attachment);
    ck_assert_ptr_eq(weir_buffer_attachment(b, &first_owner), &first.attachment);
    ck_assert_ptr_eq(weir_buffer_attachment(b, &second_owner), &second.attachment);
    ck_assert_ptr_null(weir_buffer_attachment(b, b));
    weir_buffer_destroy(b);
    ck_assert_int_eq(first.released, 1);
    ck_assert_int_eq(second.released, 1);
}
END_TEST

START_TEST(detached_attachment_is_not_released)
{
    int owner, other;
    weir_buffer *b = buffer_make("b", 1);
    counted c = {.attachment = {.owner = &owner, .release = count_release}},
            d = {.attachment = {.owner = &other, .release = count_release}};
    weir_buffer_attach(b, &c.attachment);
    weir_buffer_attach(b, &d.attachment);
    ck_assert(weir_buffer_detach(b, &c.attachment));
    ck_assert(!weir_buffer_detach(b, &c.attachment));
    ck_assert_ptr_null(weir_buffer_attachment(b, &owner));
    ck_assert_ptr_eq(weir_buffer_attachment(b, &other), &d.attachment);
    weir_buffer_destroy(b);
    ck_assert_int_eq(c.released, 0);
    ck_assert_int_eq(d.released, 1);
}
END_TEST

/* ---- rings that get as many copies as needed ---- */

START_TEST(automatic_ring_keeps_what_it_was_fixed_to_first)
{
    weir_buffer *b = buffer_make("ring", WEIR_RING_AUTO);
    ck_assert(weir_buffer_is_ring(b));
    ck_assert_uint_eq(weir_buffer_copies(b, 5), 5);
    ck_assert_uint_eq(weir_buffer_fix_copies(b, 3), 3);
    ck_assert_uint_eq(weir_buffer_fix_copies(b, 4), 3);
    ck_assert_uint_eq(weir_buffer_fix_copies(b, 2), 3);
    weir_buffer_destroy(b);
}
END_TEST

START_TEST(other_buffers_have_the_copies_they_were_given)
{
    weir_buffer *b = buffer_make("ring", 2);
    ck_assert_uint_eq(weir_buffer_copies(b, 5), 2);
    ck_assert_uint_eq(weir_buffer_fix_copies(b, 3), 2);
    weir_buffer_destroy(b);
}
END_TEST

/* ---- params ---- */

START_TEST(params_of_no_or_too_many_bytes_are_refused)
{
    static unsigned char value[65537];
    weir_param *param = NULL;
    ck_assert_int_eq(weir_param_create("gain", value, 0, &param), WEIR_ERR_INVALID);
    says(weir_last_error(), "param 'gain': 0 bytes, must be 1 to 65536");
    ck_assert_int_eq(weir_param_create("gain", value, sizeof value, &param), WEIR_ERR_INVALID);
    ck_assert_int_eq(weir_param_create("gain", value, sizeof value - 1, &param), WEIR_OK);
    weir_param_destroy(param);
}
END_TEST

START_TEST(param_copies_name_and_value_and_is_held_by_graphs)
{
    char name[] = "gain";
    double value = 2.5;
    weir_param *param = NULL;
    weir_graph *graph = graph_make(0);
    ck_assert_int_eq(weir_param_create(name, &value, sizeof value, &param), WEIR_OK);
    name[0] = 'p';
    value = 7;
    task_add(graph, "t", WEIR_ARGS(WEIR_PARAM(param), WEIR_PARAM(param)));
    weir_param_destroy(param);
    const weir_body *body = weir_graph_body(graph);
    ck_assert_uint_eq(body->params.count, 1);
    ck_assert_str_eq(body->params.at[0]->name, "gain");
    memcpy(&value, body->params.at[0]->initial, sizeof value);
    ck_assert_double_eq(value, 2.5);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(no_memory_leaves_nothing)
{
    int one = 1;
    void *memory[1] = {&one};
    const weir_buffer_desc desc = {.name = "u", .element_bytes = 4, .nx = 1, .adopted = memory};
    for (long fail_at = 1; fail_at <= 5; fail_at++) {
        weir_buffer *buffer = NULL;
        weir_param *param = NULL;
        counting_start(fail_at, 0);
        weir_status made = weir_buffer_create(&desc, &buffer), made_too = weir_param_create("p", &one, sizeof one, &param);
        counting_relent();
        ck_assert_int_eq(made, fail_at <= 3 ? WEIR_ERR_NO_MEMORY : WEIR_OK); /* itself, name, pointers */
        ck_assert_int_eq(buffer == NULL, made != WEIR_OK);
        ck_assert_int_eq(made_too == WEIR_OK, param != NULL);
        weir_buffer_destroy(buffer);
        weir_param_destroy(param);
        ck_assert_int_eq(atomic_load(&counting_live), 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/buffer");
    TCase *cases = tcase_create("buffer");
    tcase_add_test(cases, senseless_descriptions_are_refused_by_name);
    tcase_add_test(cases, more_than_memory_can_be_is_refused);
    tcase_add_test(cases, null_arguments_are_refused);
    tcase_add_test(cases, zeros_read_as_defaults);
    tcase_add_test(cases, pitches_are_kept_and_counted);
    tcase_add_test(cases, no_elements_are_a_token);
    tcase_add_test(cases, name_and_adopted_pointers_are_copied);
    tcase_add_test(cases, buffer_lives_as_long_as_a_graph_that_touches_it);
    tcase_add_test(cases, attachments_are_found_by_owner_and_released_once);
    tcase_add_test(cases, detached_attachment_is_not_released);
    tcase_add_test(cases, automatic_ring_keeps_what_it_was_fixed_to_first);
    tcase_add_test(cases, other_buffers_have_the_copies_they_were_given);
    tcase_add_test(cases, params_of_no_or_too_many_bytes_are_refused);
    tcase_add_test(cases, param_copies_name_and_value_and_is_held_by_graphs);
    tcase_add_test(cases, no_memory_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
