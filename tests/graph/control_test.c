/* control_test.c - what control.c promises, and what others make of loops and branches. Most bodies are of two kernels: "sweep" updates field in
 * place, "test" reads it and writes go, the condition. */
#include "graph/carried.h"
#include "graph/declare.h"
#include "graph/graph.h"
#include "util/counting.h"
#include "util/random.h"

static const weir_kernel kernel = {.name = "kernel"};
static weir_buffer *field, *go, *ring, *sum, *token, *upload, *download;
static weir_param *gain;

static void set_up(void)
{
    field = buffer_of((weir_buffer_desc){.name = "field", .element_bytes = 4, .nx = 16, .ny = 8});
    go = buffer_of((weir_buffer_desc){.name = "go", .element_bytes = 4, .nx = 1});
    ring = buffer_of((weir_buffer_desc){.name = "ring", .element_bytes = 4, .nx = 16, .copies = 3});
    sum = buffer_of((weir_buffer_desc){.name = "sum", .element_bytes = 4, .nx = 1});
    token = buffer_of((weir_buffer_desc){.name = "token"});
    upload = buffer_of((weir_buffer_desc){.name = "upload", .element_bytes = 4, .nx = 1, .place = WEIR_HOST_IN});
    download = buffer_of((weir_buffer_desc){.name = "download", .element_bytes = 4, .nx = 1, .place = WEIR_HOST_OUT});
    ck_assert_int_eq(weir_param_create("gain", &(float){2}, sizeof(float), &gain), WEIR_OK);
}

static void tear_down(void)
{
    weir_buffer *all[] = {field, go, ring, sum, token, upload, download};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        weir_buffer_destroy(all[i]);
    weir_param_destroy(gain);
}

static weir_task work(weir_graph *graph, const char *name, weir_args args)
{
    weir_task task = weir_add_kernel(graph, &kernel, (weir_shape){.grid = {1}}, args);
    weir_task_set(graph, task, &(weir_task_options){.name = name});
    return task;
}

static weir_graph *named_graph(const char *name, uint32_t flags)
{
    weir_graph *graph = NULL;
    ck_assert_int_eq(weir_graph_create(name, flags, &graph), WEIR_OK);
    return graph;
}

static weir_graph *body_make(void)
{
    weir_graph *body = named_graph("jacobi", 0);
    work(body, "sweep", WEIR_ARGS(WEIR_READ_WRITE(field)));
    work(body, "test", WEIR_ARGS(WEIR_READ(field), WEIR_WRITE(go)));
    return body;
}

static const weir_task_record *record_of(const weir_graph *graph, weir_task task)
{
    ck_assert_uint_ne(task.number, 0);
    return &weir_graph_body(graph)->tasks.at[task.number - 1];
}

/* The accesses and params of a task as text: "read go, hidden read+write field[0..15]", without boxes of the whole. */
static void touches(const weir_graph *graph, weir_task task, const char *expected)
{
    static const char *const modes[] = {"value", "param", "read", "write", "read+write", "reduce"};
    char text[2048] = "";
    size_t used = 0;
    const weir_body *body = weir_graph_body(graph);
    const weir_task_record *record = record_of(graph, task);
    for (uint32_t i = record->arg_first; i < record->arg_first + record->arg_count; i++) {
        const weir_arg_record *arg = &body->args.at[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s ", i > record->arg_first ? ", " : "",
                                 arg->flags & WEIR_ARG_HIDDEN ? "hidden " : "", modes[arg->mode]);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 arg->mode == WEIR_ARG_PARAM ? body->params.at[arg->index]->name : body->buffers.at[arg->index].buffer->name);
        ck_assert_int_eq(arg->back > 0, (arg->flags & WEIR_ARG_BACK) != 0);
        if (arg->back > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "-%u", (unsigned)arg->back);
        if (arg->box) {
            const weir_span *s = &body->boxes.at[arg->box - 1];
            used += (size_t)snprintf(text + used, sizeof text - used, "(%u,%u,%u..%u,%u,%u)", s->lo[0], s->lo[1], s->lo[2], s->hi[0], s->hi[1], s->hi[2]);
        }
    }
    ck_assert_str_eq(text, expected);
}

START_TEST(loop_is_a_task_that_is_passed_its_condition_and_touches_what_its_body_does)
{
    weir_graph *graph = graph_make(0), *body = body_make();
    weir_task loop = weir_add_while(graph, "solve", body, go, 50);
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "%s", weir_last_error());
    ck_assert_str_eq(weir_task_name(graph, loop), "solve");
    touches(graph, loop, "read go, hidden read+write field, hidden read+write go");
    const weir_body *outer = weir_graph_body(graph);
    const weir_task_record *record = record_of(graph, loop);
    ck_assert_int_eq(record->kind, WEIR_KIND_WHILE);
    const weir_control *control = &outer->controls.at[record->with.control];
    ck_assert(control->first == 0 && control->count == 1 && control->at_most == 50);
    ck_assert_ptr_eq(outer->inner.at[0], weir_graph_body(body));
    weir_graph_destroy(body);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(branches_touch_what_any_of_their_bodies_does)
{
    weir_graph *graph = graph_make(0), *one = named_graph("one", 0), *two = named_graph("two", 0), *none = named_graph("none", 0);
    work(one, "a", WEIR_ARGS(WEIR_READ(field), weir_hidden(WEIR_WRITE(token))));
    work(two, "b", WEIR_ARGS(WEIR_WRITE(field), WEIR_READ(sum)));
    weir_task branch = weir_add_if(graph, "if", go, one, NULL), other = weir_add_if(graph, "if else", go, one, two);
    weir_task choice = weir_add_switch(graph, "switch", go, (const weir_graph *const[]){none, two, one}, 3);
    weir_task nothing = weir_add_if(graph, "nothing", go, none, none);
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "%s", weir_last_error());
    touches(graph, branch, "read go, hidden read field, hidden read+write token");
    touches(graph, other, "read go, hidden read+write field, hidden read+write token, hidden read sum");
    touches(graph, choice, "read go, hidden read+write field, hidden read sum, hidden read+write token");
    touches(graph, nothing, "read go");
    const weir_body *outer = weir_graph_body(graph);
    ck_assert_uint_eq(outer->inner.count, 1 + 2 + 3 + 2);
    const weir_control *control = &outer->controls.at[record_of(graph, choice)->with.control];
    ck_assert(control->first == 3 && control->count == 3 && control->at_most == 1);
    ck_assert_ptr_eq(outer->inner.at[control->first + 1], weir_graph_body(two));
    ck_assert_int_eq(record_of(graph, branch)->kind, WEIR_KIND_IF);
    ck_assert_int_eq(record_of(graph, choice)->kind, WEIR_KIND_SWITCH);
    weir_graph_destroy(one);
    weir_graph_destroy(two);
    weir_graph_destroy(none);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(what_is_only_reduced_stays_a_reduce_and_mixed_is_an_update)
{
    weir_graph *graph = graph_make(0), *only = named_graph("only", 0), *mixed = named_graph("mixed", 0);
    work(only, "a", WEIR_ARGS(WEIR_REDUCE(sum)));
    work(only, "b", WEIR_ARGS(WEIR_REDUCE(sum)));
    work(mixed, "a", WEIR_ARGS(WEIR_READ(go), WEIR_REDUCE(sum), WEIR_READ(field)));
    work(mixed, "b", WEIR_ARGS(WEIR_READ(sum), WEIR_READ(field)));
    ck_assert_int_eq(weir_graph_status(only), WEIR_ERR_HAZARD); /* by itself it lacks something to combine with */
    weir_add_fill(graph, "clear", WEIR_WRITE(sum), &(int){0}, 4);
    touches(graph, weir_add_if(graph, "if", go, only, NULL), "read go, hidden reduce sum");
    touches(graph, weir_add_if(graph, "if", go, mixed, NULL), "read go, hidden read go, hidden read+write sum, hidden read field");
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "%s", weir_last_error());
    weir_graph_destroy(only);
    weir_graph_destroy(mixed);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(boxes_copies_and_params_stay_what_they_are)
{
    weir_graph *graph = graph_make(0), *body = named_graph("body", 0);
    const weir_box whole = {0, 0, 0, 16, 8, 1}, left = {0, 0, 0, 8, 8, 1};
    work(body, "a", WEIR_ARGS(weir_part(WEIR_READ(field), left), WEIR_PARAM(gain), WEIR_VALUE(left), WEIR_PREVIOUS(ring, 1)));
    work(body, "b", WEIR_ARGS(weir_part(WEIR_WRITE(field), left), WEIR_PARAM(gain), WEIR_PREVIOUS(ring, 2)));
    work(body, "c", WEIR_ARGS(weir_part(WEIR_READ(field), whole), WEIR_READ(ring)));
    work(body, "d", WEIR_ARGS(WEIR_READ(field), WEIR_PREVIOUS(ring, 1)));
    weir_task branch = weir_add_if(graph, "if", go, body, NULL);
    touches(graph, branch, "read go, hidden read+write field(0,0,0..8,8,1), hidden param gain, hidden read ring-1, hidden read ring-2, "
                           "hidden read field, hidden read ring");
    ck_assert_uint_eq(weir_graph_body(graph)->buffers.at[2].furthest_back, 2);
    weir_graph_destroy(body);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- against all pairs ---- */

typedef struct {
    const weir_buffer *buffer;
    weir_box box;
    unsigned back;
    bool reads, writes, reduces;
} seen;

static void see(seen *list, size_t *count, const weir_arg *arg)
{
    weir_box box = arg->box;
    if (weir_box_is_whole(&box))
        box = (weir_box){0, 0, 0, arg->buffer->n[0] ? arg->buffer->n[0] : 1, arg->buffer->n[1], arg->buffer->n[2]};
    size_t i = 0;
    while (i < *count && (list[i].buffer != arg->buffer || list[i].back != arg->back || memcmp(&list[i].box, &box, sizeof box) != 0))
        i++;
    if (i == *count)
        list[(*count)++] = (seen){.buffer = arg->buffer, .box = box, .back = arg->back};
    list[i].reads |= arg->mode == WEIR_ARG_READ;
    list[i].writes |= arg->mode == WEIR_ARG_WRITE || arg->mode == WEIR_ARG_READ_WRITE;
    list[i].reduces |= arg->mode == WEIR_ARG_REDUCE;
}

static weir_arg random_access(uint64_t *state)
{
    weir_buffer *const buffers[] = {field, ring, sum, token, upload};
    weir_buffer *buffer = buffers[weir_random_below(state, 5)];
    unsigned mode = WEIR_ARG_READ + weir_random_below(state, 4);
    weir_arg arg = weir_arg_of(mode, buffer, NULL, NULL, 0);
    if (buffer == ring && weir_random_below(state, 2))
        return weir_back(WEIR_READ(ring), 1 + weir_random_below(state, 2));
    if (buffer == field && weir_random_below(state, 3))
        arg = weir_part(arg, (weir_box){weir_random_below(state, 2) * 8, 0, 0, 4 + weir_random_below(state, 2) * 4, 8, 1});
    return weir_random_below(state, 2) ? arg : weir_hidden(arg);
}

/* Declares a random body, with loops and branches down to `depth`, and notes what it touches. */
static weir_graph *random_body(uint64_t *state, int depth, seen *list, size_t *count)
{
    weir_graph *body = named_graph("body", 0);
    uint32_t tasks = 1 + weir_random_below(state, 4);
    for (uint32_t t = 0; t < tasks; t++) {
        if (depth > 0 && weir_random_below(state, 3) == 0) {
            const weir_arg condition = WEIR_READ(go);
            see(list, count, &condition);
            weir_graph *one = random_body(state, depth - 1, list, count), *two = random_body(state, depth - 1, list, count);
            ck_assert_uint_ne(weir_add_if(body, "inner", go, one, two).number, 0);
            weir_graph_destroy(one);
            weir_graph_destroy(two);
            continue;
        }
        weir_arg args[4];
        size_t n = weir_random_below(state, 5);
        for (size_t i = 0; i < n; i++) {
            args[i] = random_access(state);
            see(list, count, &args[i]);
        }
        ck_assert_uint_ne(weir_add_kernel(body, &kernel, (weir_shape){.grid = {1}}, (weir_args){args, n}).number, 0);
    }
    return body;
}

static void touches_exactly(const weir_graph *graph, weir_task task, const seen *list, size_t count, uint64_t seed)
{
    const weir_body *body = weir_graph_body(graph);
    const weir_task_record *record = record_of(graph, task);
    ck_assert_msg(record->arg_count == count + 1, "seed %llu: %u accesses, should be %zu", (unsigned long long)seed, record->arg_count - 1u, count);
    for (size_t i = 0; i < count; i++) {
        unsigned expected = list[i].writes || (list[i].reads && list[i].reduces) ? WEIR_ARG_READ_WRITE : list[i].reads ? WEIR_ARG_READ : WEIR_ARG_REDUCE;
        weir_span span = weir_span_of_box(&list[i].box);
        size_t found = 0;
        for (uint32_t a = record->arg_first + 1; a < record->arg_first + record->arg_count; a++) {
            const weir_arg_record *arg = &body->args.at[a];
            weir_span of = weir_arg_span(body, arg);
            bool same = body->buffers.at[arg->index].buffer == list[i].buffer && arg->back == list[i].back && memcmp(&of, &span, sizeof of) == 0;
            found += same && arg->mode == expected && (arg->flags & WEIR_ARG_HIDDEN);
        }
        ck_assert_msg(found == 1, "seed %llu: '%s' is touched %zu times as it should be", (unsigned long long)seed, list[i].buffer->name, found);
    }
}

START_TEST(accesses_of_random_bodies_are_their_union)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t state = seed;
        seen *list = calloc(4096, sizeof *list);
        size_t count = 0;
        weir_graph *graph = graph_make(0);
        weir_graph *bodies[3];
        uint32_t n = 1 + weir_random_below(&state, 3);
        for (uint32_t i = 0; i < n; i++)
            bodies[i] = random_body(&state, 2, list, &count);
        ck_assert_msg(count < 4096, "seed %llu", (unsigned long long)seed);
        weir_task task = weir_add_switch(graph, "switch", go, (const weir_graph *const *)bodies, n);
        ck_assert_msg(task.number == 1, "seed %llu: %s", (unsigned long long)seed, weir_last_error());
        touches_exactly(graph, task, list, count, seed);
        for (uint32_t i = 0; i < n; i++)
            weir_graph_destroy(bodies[i]);
        weir_graph_destroy(graph);
        free(list);
    }
}
END_TEST

/* ---- edges ---- */

START_TEST(accesses_order_loops_as_any_task)
{
    weir_graph *graph = graph_make(0), *body = body_make();
    work(graph, "set", WEIR_ARGS(WEIR_WRITE(go)));
    work(graph, "start", WEIR_ARGS(WEIR_WRITE(field)));
    work(graph, "beside", WEIR_ARGS(WEIR_WRITE(sum)));
    weir_add_while(graph, "solve", body, go, 9);
    work(graph, "show", WEIR_ARGS(WEIR_READ(field)));
    edges_are(graph, "set>solve start>solve solve>show");
    weir_carried carried;
    ck_assert_int_eq(weir_carried_create(weir_graph_body(graph), 1, 3, &carried), WEIR_OK);
    bool start_after_show = false, set_after_solve = false;
    for (uint32_t i = 0; i < carried.edges.count; i++) {
        weir_carried_edge e = carried.edges.at[i];
        start_after_show |= e.later == 1 && e.earlier == 4 && e.distance == 1;
        set_after_solve |= e.later == 0 && e.earlier == 3 && e.distance == 1;
        ck_assert(e.later != 3); /* nothing of an earlier frame that set and start do not follow */
    }
    ck_assert(start_after_show && set_after_solve);
    weir_carried_finish(&carried);
    weir_graph_destroy(body);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(ring_in_a_body_must_have_been_written_before_the_loop)
{
    weir_graph *body = named_graph("body", 0);
    work(body, "update", WEIR_ARGS(WEIR_READ_WRITE(ring)));
    work(body, "test", WEIR_ARGS(WEIR_READ(ring), WEIR_WRITE(go)));
    ck_assert_int_eq(weir_graph_status(body), WEIR_ERR_HAZARD); /* by itself */
    weir_graph *graph = graph_make(0);
    work(graph, "start", WEIR_ARGS(WEIR_WRITE(ring)));
    weir_add_while(graph, "solve", body, go, 9);
    edges_are(graph, "start>solve");
    weir_graph_destroy(graph);
    graph = graph_make(0);
    weir_add_while(graph, "solve", body, go, 9);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_HAZARD);
    says(weir_last_error(), "task 'solve' touches this frame's copy of ring 'ring' before anything writes it");
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
}
END_TEST

static int hazards, needless;

static void count_found(void *user, weir_status status, const char *text)
{
    (void)user;
    (void)text;
    hazards += status != WEIR_OK;
    needless += status == WEIR_OK;
}

START_TEST(hazards_of_loops_are_found)
{
    weir_graph *graph = graph_make(WEIR_GRAPH_EXPLICIT), *body = named_graph("body", WEIR_GRAPH_EXPLICIT);
    weir_task a = work(body, "sweep", WEIR_ARGS(WEIR_READ_WRITE(field))), b = work(body, "test", WEIR_ARGS(WEIR_READ(field), WEIR_WRITE(go)));
    weir_after(body, b, a);
    weir_task start = work(graph, "start", WEIR_ARGS(WEIR_WRITE(field))), loop = weir_add_while(graph, "solve", body, go, 9);
    work(graph, "beside", WEIR_ARGS(WEIR_READ(sum)));
    hazards = needless = 0;
    ck_assert_int_eq(weir_graph_check(graph, 1, count_found, NULL), WEIR_ERR_HAZARD);
    ck_assert_int_eq(hazards, 1);
    weir_after(graph, loop, start);
    hazards = needless = 0;
    ck_assert_msg(weir_graph_check(graph, 1, count_found, NULL) == WEIR_OK, "%s", weir_last_error());
    ck_assert_int_eq(hazards, 0);
    ck_assert_int_eq(needless, 0);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
}
END_TEST

/* ---- cost and state ---- */

START_TEST(cost_is_a_rounds_or_the_dearest_bodys_unless_it_is_set)
{
    weir_graph *graph = graph_make(0), *body = body_make(), *cheap = named_graph("cheap", 0), *middle = named_graph("middle", 0);
    weir_task_set(body, weir_graph_find(body, "sweep"), &(weir_task_options){.name = "sweep", .cost_ns = 5000});
    work(cheap, "cheap", weir_no_args());
    weir_task loop = weir_add_while(graph, "loop", body, go, 100);
    weir_task branch = weir_add_if(graph, "branch", go, cheap, body);
    weir_add_while(middle, "loop", body, go, 100);
    work(middle, "more", weir_no_args());
    weir_task nested = weir_add_switch(graph, "nested", go, (const weir_graph *const[]){cheap, middle}, 2);
    const weir_body *outer = weir_graph_body(graph);
    ck_assert_double_eq(weir_task_cost(outer, record_of(graph, loop)), 6000);
    ck_assert_double_eq(weir_task_cost(outer, record_of(graph, branch)), 6000);
    ck_assert_double_eq(weir_task_cost(outer, record_of(graph, nested)), 7000);
    ck_assert(weir_task_share(outer, record_of(graph, loop)) == 1.0f);
    weir_task_set(graph, loop, &(weir_task_options){.cost_ns = 300000, .share = 0.25f});
    ck_assert_double_eq(weir_task_cost(outer, record_of(graph, loop)), 300000);
    ck_assert(weir_task_share(outer, record_of(graph, loop)) == 0.25f);
    weir_graph_destroy(body);
    weir_graph_destroy(cheap);
    weir_graph_destroy(middle);
    weir_graph_destroy(graph);
}
END_TEST

static uint32_t edges_to_itself(const weir_graph *graph)
{
    weir_carried carried;
    uint32_t count = 0;
    ck_assert_int_eq(weir_carried_create(weir_graph_body(graph), 1, 4, &carried), WEIR_OK);
    for (uint32_t i = 0; i < carried.edges.count; i++)
        count += carried.edges.at[i].later == carried.edges.at[i].earlier;
    weir_carried_finish(&carried);
    return count;
}

START_TEST(native_in_a_body_makes_it_follow_itself_from_frame_to_frame)
{
    static const weir_native native = {.name = "fft"};
    weir_graph *graph = graph_make(0), *body = named_graph("body", 0), *middle = named_graph("middle", 0);
    weir_task fft = weir_add_native(body, &native, NULL, weir_no_args());
    weir_add_if(middle, "if", go, body, NULL);
    weir_add_if(graph, "if", go, middle, NULL);
    ck_assert_uint_eq(edges_to_itself(graph), 1);
    weir_graph_destroy(graph);
    weir_graph_destroy(middle);
    graph = graph_make(0);
    weir_task_set(body, fft, &(weir_task_options){.flags = WEIR_TASK_REENTRANT});
    weir_add_if(graph, "if", go, body, NULL);
    ck_assert_uint_eq(edges_to_itself(graph), 0);
    weir_graph_destroy(graph);
    weir_graph_destroy(body);
}
END_TEST

/* ---- keeping bodies ---- */

START_TEST(body_is_kept_as_it_was)
{
    weir_graph *graph = graph_make(0), *body = body_make();
    weir_task loop = weir_add_while(graph, "solve", body, go, 9);
    work(body, "more", WEIR_ARGS(WEIR_READ(sum)));
    ck_assert_uint_eq(weir_graph_body(graph)->inner.at[0]->tasks.count, 2);
    weir_task again = weir_add_while(graph, "again", body, go, 9);
    weir_graph_destroy(body);
    ck_assert_uint_eq(weir_graph_body(graph)->inner.at[1]->tasks.count, 3);
    touches(graph, loop, "read go, hidden read+write field, hidden read+write go");
    touches(graph, again, "read go, hidden read+write field, hidden read+write go, hidden read sum");
    ck_assert_str_eq(weir_graph_body(graph)->inner.at[0]->tasks.at[0].name, "sweep");
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(copy_of_a_declaration_holds_the_same_bodies)
{
    weir_graph *graph = graph_make(0), *body = body_make();
    weir_task loop = weir_add_while(graph, "solve", body, go, 9);
    weir_body *held = weir_body_hold(weir_graph_body(graph)); /* as a plan does */
    weir_add_while(graph, "again", body, go, 7);
    ck_assert_ptr_ne(weir_graph_body(graph), held);
    ck_assert_uint_eq(held->inner.count, 1);
    ck_assert_uint_eq(weir_graph_body(graph)->inner.count, 2);
    ck_assert_ptr_eq(weir_graph_body(graph)->inner.at[0], held->inner.at[0]);
    ck_assert_uint_eq(atomic_load(&held->inner.at[0]->holders), 1 + 1 + 2); /* the body's own graph, the plan, and both loops of the copy */
    weir_graph_destroy(body);
    weir_body_release(held);
    ck_assert_uint_eq(weir_graph_body(graph)->inner.at[0]->tasks.count, 2);
    ck_assert_uint_eq(weir_graph_body(graph)->controls.at[record_of(graph, loop)->with.control].at_most, 9);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(sub_graphs_bring_their_loops_along_at_any_depth)
{
    weir_graph *graph = graph_make(0), *child = named_graph("child", 0), *middle = named_graph("middle", 0), *body = body_make(),
               *outer_body = named_graph("outer body", 0), *other = named_graph("other", 0);
    work(other, "other", WEIR_ARGS(WEIR_READ(field)));
    work(body, "scale", WEIR_ARGS(WEIR_READ_WRITE(field), WEIR_PARAM(gain)));
    weir_add_while(child, "solve", body, go, 9);
    weir_add_if(child, "maybe", sum, body, other);
    weir_add_graph(middle, "child", child);
    weir_add_if(graph, "first", sum, body, NULL); /* so that numbers differ */
    weir_add_repeat(graph, "twice", middle, 2);
    weir_add_graph(outer_body, "in a body", middle);
    weir_task outer = weir_add_if(graph, "outer", upload, outer_body, NULL);
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "%s", weir_last_error());
    weir_graph_destroy(child);
    weir_graph_destroy(middle);
    weir_graph_destroy(outer_body);
    const weir_body *b = weir_graph_body(graph);
    ck_assert_uint_eq(b->controls.count, 1 + 2 * 2 + 1);
    ck_assert_uint_eq(b->inner.count, 1 + 2 * 3 + 1);
    for (int round = 1; round <= 2; round++) {
        char name[64];
        snprintf(name, sizeof name, "twice/%d/child/solve", round);
        weir_task loop = weir_graph_find(graph, name);
        touches(graph, loop, "read go, hidden read+write field, hidden read+write go, hidden param gain");
        const weir_control *control = &b->controls.at[record_of(graph, loop)->with.control];
        ck_assert(control->at_most == 9 && control->count == 1);
        ck_assert_ptr_eq(b->inner.at[control->first], weir_graph_body(body));
        snprintf(name, sizeof name, "twice/%d/child/maybe", round);
        control = &b->controls.at[record_of(graph, weir_graph_find(graph, name))->with.control];
        ck_assert(control->at_most == 1 && control->count == 2);
        ck_assert_ptr_eq(b->inner.at[control->first], weir_graph_body(body));
        ck_assert_ptr_eq(b->inner.at[control->first + 1], weir_graph_body(other));
    }
    touches(graph, outer, "read upload, hidden read+write go, hidden read+write field, hidden param gain, hidden read sum");
    const weir_body *inner = b->inner.at[b->controls.at[record_of(graph, outer)->with.control].first];
    ck_assert_uint_eq(inner->controls.count, 2);
    ck_assert_uint_eq(inner->inner.count, 3);
    weir_graph_destroy(other);
    weir_graph_destroy(body);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- kernels that decide ---- */

START_TEST(kernel_that_decides_stands_in_the_body_of_a_loop)
{
    static const weir_decision nothing = {.kind = WEIR_DECISION_NONE};
    weir_graph *graph = graph_make(0), *body = named_graph("body", 0), *round = named_graph("round", 0), *outer = named_graph("outer", 0);
    work(round, "sweep", WEIR_ARGS(WEIR_READ_WRITE(field)));
    weir_task decider = work(round, "decider", WEIR_ARGS(WEIR_READ(field), WEIR_DECISION, WEIR_WRITE(go)));
    ck_assert_uint_eq(decider.number, 2);
    weir_add_graph(body, "round", round); /* its tasks are the body's own */
    weir_task solve = weir_add_while(graph, "solve", body, go, 9), again = weir_add_while(graph, "again", round, go, 9);
    weir_add_while(outer, "within", round, go, 9); /* a loop in a loop: each has its own */
    work(outer, "outer", WEIR_ARGS(WEIR_READ_WRITE(sum), WEIR_DECISION));
    weir_task nested = weir_add_while(graph, "nested", outer, sum, 9);
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "%s", weir_last_error());
    touches(graph, solve, "read go, hidden read+write field, hidden read+write go");
    touches(graph, again, "read go, hidden read+write field, hidden read+write go");
    touches(graph, nested, "read sum, hidden read+write go, hidden read+write field, hidden read+write sum");
    const weir_body *kept = weir_graph_body(round);
    const weir_arg_record *arg = &kept->args.at[record_of(round, decider)->arg_first + 1];
    ck_assert(weir_arg_is_decision(arg) && arg->bytes == sizeof nothing && !weir_arg_is_decision(arg - 1));
    ck_assert_mem_eq(kept->values.at + arg->index, &nothing, sizeof nothing);
    ck_assert(weir_task_decides(kept, record_of(round, decider)) && !weir_task_decides(kept, record_of(round, weir_graph_find(round, "sweep"))));
    weir_graph_destroy(round);
    weir_graph_destroy(body);
    weir_graph_destroy(outer);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(kernel_that_decides_must_have_a_loop_to_decide_about)
{
    weir_graph *graph = graph_make(0), *child = named_graph("child", 0);
    work(child, "first", WEIR_ARGS(WEIR_READ_WRITE(go)));
    ck_assert_uint_ne(work(child, "decider", WEIR_ARGS(WEIR_READ_WRITE(go), WEIR_DECISION)).number, 0);
    work(child, "more", WEIR_ARGS(WEIR_READ(go)));
    ck_assert_uint_eq(weir_graph_task_count(child), 3);
    ck_assert_int_eq(weir_graph_status(child), WEIR_ERR_INVALID);
    says(weir_last_error(), "task 'kernel' takes a WEIR_DECISION, but graph 'child' is not the body of a loop (weir_add_while): there is nothing to decide");
    ck_assert_uint_ne(weir_add_graph(graph, "part", child).number, 0);
    ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
    says(weir_last_error(), "task 'part/decider' takes a WEIR_DECISION, but graph 'graph' is not the body of a loop");
    weir_graph_destroy(child);
    weir_graph_destroy(graph);
}
END_TEST

/* ---- refusals ---- */

typedef weir_task add_wrongly(weir_graph *graph);

static weir_task while_of(weir_graph *graph, weir_buffer *condition)
{
    weir_graph *body = body_make();
    weir_task task = weir_add_while(graph, "solve", body, condition, 9);
    weir_graph_destroy(body);
    return task;
}

static weir_task condition_of(weir_graph *graph, weir_buffer_desc desc)
{
    desc.name = "word";
    weir_buffer *word = buffer_of(desc);
    weir_task task = while_of(graph, word);
    weir_buffer_destroy(word);
    return task;
}

/* `declare` says what is wrong with the body. */
static weir_task body_of(weir_graph *graph, uint32_t flags, void (*declare)(weir_graph *body))
{
    weir_graph *body = named_graph("body", flags);
    declare(body);
    weir_task task = weir_add_if(graph, "branch", go, body, NULL);
    weir_graph_destroy(body);
    return task;
}

static weir_task no_name(weir_graph *g) { return weir_add_while(g, NULL, g, go, 1); }
static weir_task no_branch_name(weir_graph *g) { return weir_add_switch(g, NULL, go, NULL, 1); }
static weir_task no_condition(weir_graph *g) { return while_of(g, NULL); }
static weir_task no_selector(weir_graph *g) { return weir_add_switch(g, "choose", NULL, NULL, 1); }
static weir_task wide(weir_graph *g) { return condition_of(g, (weir_buffer_desc){.element_bytes = 8, .nx = 1}); }
static weir_task several(weir_graph *g) { return condition_of(g, (weir_buffer_desc){.element_bytes = 4, .nx = 1, .ny = 2}); }
static weir_task a_token(weir_graph *g) { return condition_of(g, (weir_buffer_desc){.element_bytes = 4}); }
static weir_task a_ring(weir_graph *g) { return condition_of(g, (weir_buffer_desc){.element_bytes = 4, .nx = 1, .copies = 2}); }
static weir_task an_auto_ring(weir_graph *g) { return condition_of(g, (weir_buffer_desc){.element_bytes = 4, .nx = 1, .copies = WEIR_RING_AUTO}); }
static weir_task local(weir_graph *g) { return condition_of(g, (weir_buffer_desc){.element_bytes = 4, .nx = 1, .place = WEIR_HOST_LOCAL}); }
static weir_task unwritten(weir_graph *g) { return while_of(g, sum); }
static weir_task no_body(weir_graph *g) { return weir_add_while(g, "solve", NULL, go, 9); }
static weir_task no_then(weir_graph *g) { return weir_add_if(g, "branch", go, NULL, NULL); }
static weir_task no_bodies(weir_graph *g) { return weir_add_switch(g, "choose", go, NULL, 2); }
static weir_task itself(weir_graph *g) { return weir_add_if(g, "branch", go, g, NULL); }

static weir_task none_to_choose(weir_graph *g)
{
    const weir_graph *bodies[] = {g};
    return weir_add_switch(g, "choose", go, bodies, 0);
}

static weir_task one_missing(weir_graph *g)
{
    weir_graph *body = body_make();
    weir_task task = weir_add_switch(g, "choose", go, (const weir_graph *const[]){body, NULL, body}, 3);
    weir_graph_destroy(body);
    return task;
}

static weir_task never(weir_graph *g)
{
    weir_graph *body = body_make();
    weir_task task = weir_add_while(g, "solve", body, go, 0);
    weir_graph_destroy(body);
    return task;
}

static void declare_reader(weir_graph *body) { work(body, "reader", WEIR_ARGS(WEIR_READ(go))); }
static void declare_mistake(weir_graph *body) { work(body, "culprit", WEIR_ARGS(WEIR_PREVIOUS(field, 1))); }
static void declare_host(weir_graph *body) { task_add(body, "printer", weir_no_args()); }
static void declare_host_copy(weir_graph *body) { weir_add_copy(body, "across", WEIR_WRITE(download), WEIR_READ(upload)); }

static void declare_hidden_host(weir_graph *body)
{
    weir_graph *child = graph_make(0);
    declare_host(child);
    weir_add_graph(body, "child", child);
    weir_graph_destroy(child);
}

static void declare_nested_host(weir_graph *body)
{
    body_of(body, 0, declare_hidden_host);
}

static void declare_carried(weir_graph *body)
{
    weir_task a = work(body, "a", weir_no_args()), b = work(body, "b", weir_no_args());
    weir_after_previous(body, b, a, 2);
}

static weir_task only_reads(weir_graph *g)
{
    weir_graph *body = named_graph("reading", 0);
    declare_reader(body);
    weir_task task = weir_add_while(g, "solve", body, go, 9);
    weir_graph_destroy(body);
    return task;
}

static void declare_decider(weir_graph *body) { work(body, "decider", WEIR_ARGS(WEIR_READ_WRITE(go), WEIR_DECISION)); }

static weir_task two_deciders(weir_graph *g)
{
    weir_graph *body = named_graph("body", 0), *child = named_graph("child", 0);
    declare_decider(body);
    declare_decider(child);
    weir_add_graph(body, "child", child);
    weir_task task = weir_add_while(g, "solve", body, go, 9);
    weir_graph_destroy(child);
    weir_graph_destroy(body);
    return task;
}

/* The branch is in a loop, whose body the decider is not in itself. */
static weir_task decider_in_a_branch(weir_graph *g)
{
    weir_graph *body = body_make();
    body_of(body, 0, declare_decider);
    weir_task task = weir_add_while(g, "solve", body, go, 9);
    weir_graph_destroy(body);
    return task;
}

static weir_task decider_in_a_switch(weir_graph *g)
{
    weir_graph *body = named_graph("body", 0);
    declare_decider(body);
    weir_task task = weir_add_switch(g, "choose", go, (const weir_graph *const[]){body}, 1);
    weir_graph_destroy(body);
    return task;
}

static weir_task mistaken(weir_graph *g) { return body_of(g, 0, declare_mistake); }
static weir_task explicit_edges(weir_graph *g) { return body_of(g, WEIR_GRAPH_EXPLICIT, declare_reader); }
static weir_task with_host(weir_graph *g) { return body_of(g, 0, declare_host); }
static weir_task with_host_copy(weir_graph *g) { return body_of(g, 0, declare_host_copy); }
static weir_task with_hidden_host(weir_graph *g) { return body_of(g, 0, declare_hidden_host); }
static weir_task with_nested_host(weir_graph *g) { return body_of(g, 0, declare_nested_host); }
static weir_task with_carried(weir_graph *g) { return body_of(g, 0, declare_carried); }

START_TEST(senseless_loops_and_branches_are_refused_by_name)
{
    static const struct {
        add_wrongly *add;
        const char *text;
    } bad[] = {
        {no_name, "task '?': a loop needs a name"},
        {no_branch_name, "task '?': a branch needs a name"},
        {no_condition, "task 'solve': the condition is NULL"},
        {no_selector, "task 'choose': the selector is NULL"},
        {wide, "task 'solve': the condition 'word' must be one element of 4 bytes"},
        {several, "task 'solve': the condition 'word' must be one element of 4 bytes"},
        {a_token, "task 'solve': the condition 'word' must be one element of 4 bytes"},
        {a_ring, "task 'solve': the condition 'word' must have one copy, it is a ring"},
        {an_auto_ring, "task 'solve': the condition 'word' must have one copy, it is a ring"},
        {local, "task 'solve': the condition 'word' is WEIR_HOST_LOCAL, where kernels cannot touch it"},
        {unwritten, "task 'solve': body 'jacobi' never writes the condition, so nothing but at_most would end the loop"},
        {only_reads, "task 'solve': body 'reading' never writes the condition"},
        {never, "task 'solve': at_most is 0: a loop needs a number of rounds after which it ends"},
        {no_body, "task 'solve': body 1 of 1 is NULL"},
        {no_then, "task 'branch': body 1 of 1 is NULL"},
        {no_bodies, "task 'choose': bodies is NULL"},
        {none_to_choose, "task 'choose': a switch needs a body to choose"},
        {one_missing, "task 'choose': body 2 of 3 is NULL"},
        {itself, "task 'branch': a graph cannot be a body in itself"},
        {mistaken, "task 'branch': body 'body': task 'kernel': buffer 'field' keeps no earlier frames"},
        {explicit_edges, "task 'branch': the edges of body 'body' are explicit only, those of 'graph' are derived"},
        {with_host, "task 'branch': its body 'body' has the host task 'printer': only the device knows whether and how often a body runs"},
        {with_hidden_host, "task 'branch': its body 'body' has the host task 'child/printer'"},
        {with_nested_host, "task 'branch': body 'body': task 'branch': its body 'body' has the host task 'child/printer'"},
        {with_host_copy, "task 'branch': its body 'body' has the task 'across': a copy between host places is made by the host"},
        {two_deciders, "task 'solve': in its body 'body' both tasks 'decider' and 'child/decider' take a WEIR_DECISION: a round is decided once"},
        {decider_in_a_branch, "task 'solve': body 'jacobi': task 'branch': its body 'body' has the task 'decider': a WEIR_DECISION is for a kernel that is in a loop's body itself, "
                              "this is the body of a branch"},
        {decider_in_a_switch, "task 'choose': its body 'body' has the task 'decider': a WEIR_DECISION is for a kernel that is in a loop's body itself"},
        {with_carried, "task 'branch': in its body 'body' task 'b' is to come after 'a' of an earlier frame (weir_after_previous)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_graph *graph = graph_make(0);
        ck_assert_uint_eq(bad[i].add(graph).number, 0);
        const weir_body *body = weir_graph_body(graph);
        ck_assert_uint_eq(body->tasks.count + body->controls.count + body->inner.count + body->args.count, 0);
        ck_assert_int_eq(weir_graph_status(graph), WEIR_ERR_INVALID);
        says(weir_last_error(), bad[i].text);
        weir_graph_destroy(graph);
    }
}
END_TEST

START_TEST(no_graph_is_told)
{
    ck_assert_uint_eq(weir_add_while(NULL, "a", NULL, go, 1).number, 0);
    says(weir_last_error(), "weir_add_while: the graph is NULL");
    ck_assert_uint_eq(weir_add_if(NULL, "a", go, NULL, NULL).number, 0);
    says(weir_last_error(), "weir_add_if: the graph is NULL");
    ck_assert_uint_eq(weir_add_switch(NULL, "a", go, NULL, 1).number, 0);
    says(weir_last_error(), "weir_add_switch: the graph is NULL");
}
END_TEST

START_TEST(nothing_is_added_after_a_mistake)
{
    weir_graph *graph = graph_make(0), *body = body_make();
    no_condition(graph);
    ck_assert_uint_eq(weir_add_while(graph, "solve", body, go, 9).number, 0);
    ck_assert_uint_eq(weir_graph_body(graph)->controls.count, 0);
    weir_graph_destroy(body);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(copies_to_and_from_the_device_may_stand_in_a_body)
{
    weir_graph *graph = graph_make(0), *body = named_graph("body", 0);
    weir_add_copy(body, "in", WEIR_WRITE(go), WEIR_READ(upload));
    weir_add_copy(body, "out", WEIR_WRITE(download), WEIR_READ(go));
    weir_add_fill(body, "fill", WEIR_WRITE(sum), &(int){0}, 4);
    weir_add_empty(body, "empty");
    touches(graph, weir_add_while(graph, "solve", body, go, 9),
            "read go, hidden read+write go, hidden read upload, hidden read+write download, hidden read+write sum");
    weir_graph_destroy(body);
    weir_graph_destroy(graph);
}
END_TEST

START_TEST(no_memory_anywhere_is_told_and_leaves_nothing)
{
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (long fail_at = 1;; fail_at++) {
            counting_start(0, 0);
            weir_graph *graph = graph_make(0), *child = named_graph("child", 0), *body = body_make();
            weir_add_while(child, "solve", body, go, 9);
            weir_body *held = weir_body_hold(weir_graph_body(graph)); /* so that it has to be copied as well */
            counting_start(fail_at, fail_on);
            weir_task loop = weir_add_if(graph, "branch", go, body, child);
            weir_task handle = weir_add_repeat(graph, "child", child, 3);
            bool reached = atomic_load(&counting_asked) >= fail_at;
            counting_relent();
            ck_assert_int_eq(loop.number == 0 || handle.number == 0, reached);
            ck_assert_int_eq(weir_graph_status(graph), reached ? WEIR_ERR_NO_MEMORY : WEIR_OK);
            const weir_body *outer = weir_graph_body(graph);
            if (reached)
                ck_assert(outer->controls.count == (loop.number ? 1 : 0) && outer->inner.count == (loop.number ? 2 : 0));
            weir_body_release(held);
            weir_graph_destroy(body);
            weir_graph_destroy(child);
            weir_graph_destroy(graph);
            if (!reached)
                break;
        }
    ck_assert_int_eq(atomic_load(&counting_live), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/control");
    TCase *cases = tcase_create("control");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, loop_is_a_task_that_is_passed_its_condition_and_touches_what_its_body_does);
    tcase_add_test(cases, branches_touch_what_any_of_their_bodies_does);
    tcase_add_test(cases, what_is_only_reduced_stays_a_reduce_and_mixed_is_an_update);
    tcase_add_test(cases, boxes_copies_and_params_stay_what_they_are);
    tcase_add_test(cases, accesses_of_random_bodies_are_their_union);
    tcase_add_test(cases, accesses_order_loops_as_any_task);
    tcase_add_test(cases, ring_in_a_body_must_have_been_written_before_the_loop);
    tcase_add_test(cases, hazards_of_loops_are_found);
    tcase_add_test(cases, cost_is_a_rounds_or_the_dearest_bodys_unless_it_is_set);
    tcase_add_test(cases, native_in_a_body_makes_it_follow_itself_from_frame_to_frame);
    tcase_add_test(cases, body_is_kept_as_it_was);
    tcase_add_test(cases, copy_of_a_declaration_holds_the_same_bodies);
    tcase_add_test(cases, sub_graphs_bring_their_loops_along_at_any_depth);
    tcase_add_test(cases, kernel_that_decides_stands_in_the_body_of_a_loop);
    tcase_add_test(cases, kernel_that_decides_must_have_a_loop_to_decide_about);
    tcase_add_test(cases, senseless_loops_and_branches_are_refused_by_name);
    tcase_add_test(cases, no_graph_is_told);
    tcase_add_test(cases, nothing_is_added_after_a_mistake);
    tcase_add_test(cases, copies_to_and_from_the_device_may_stand_in_a_body);
    tcase_add_test(cases, no_memory_anywhere_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
