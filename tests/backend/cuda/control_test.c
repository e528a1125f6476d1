/* control_test.c - loops and branches on a device: the right bodies, as often as they should, in each mode, and how often is told. */
#include "cuda_fixture.h"
#include "device_kernels.h"
#include "util/random.h"

enum { N = 64, CAP = 7, IN_FLIGHT_MOST = 3, FRAMES = 24 };
static const int64_t LONG_NS = 10000000000;
static const uint32_t count_n = N, just_one = 1, minus_one = UINT32_MAX, zero = 0;
static const weir_shape blocks = {.grid = {2}, .block = {32}}, single = {.grid = {1}, .block = {1}};

static weir_runtime *runtime;

static void set_up(void)
{
    no_environment();
    runtime = cuda_runtime();
}

static void tear_down(void)
{
    weir_runtime_destroy(runtime);
}

/* Words come from the program, and go down in a task before what looks at them. */
typedef struct {
    weir_graph *graph, *body, *inner, *then_body, *else_body, *choices[3];
    weir_buffer *seen, *in, *outer_word, *inner_word, *branch, *selector, *x, *steps, *grid, *out;
    weir_param *addend;
    weir_task loop, decision, choice;
} controlled;

enum { IN_OUTER, IN_INNER, IN_BRANCH, IN_SELECTOR, IN_WORDS };
static weir_arg word_of(const controlled *c, uint32_t which)
{
    return weir_part(WEIR_READ(c->in), (weir_box){.x = which, .nx = 1});
}

static weir_graph *add_graph(const char *name, weir_buffer *to, weir_arg value)
{
    weir_graph *graph = graph_make(name);
    weir_add_kernel(graph, &add_kernel, blocks, WEIR_ARGS(WEIR_READ_WRITE(to), value, WEIR_VALUE(count_n)));
    return graph;
}

static void down(weir_graph *graph, weir_buffer *word)
{
    weir_add_kernel(graph, &add_kernel, single, WEIR_ARGS(WEIR_READ_WRITE(word), WEIR_VALUE(minus_one), WEIR_VALUE(just_one)));
}

/* The same, by a kernel that says whether the loop goes on. What it is passed differs from frame to frame if `seen` is a ring. */
static void down_and_decide(weir_graph *graph, weir_buffer *word, weir_buffer *seen)
{
    weir_add_kernel(graph, &decide_kernel, single,
                    WEIR_ARGS(WEIR_READ_WRITE(word), WEIR_WRITE(seen), WEIR_VALUE(just_one), WEIR_VALUE(zero), WEIR_DECISION));
}

/* while (outer--) { x += addend; inner = in; while (inner--) steps += 1; grid's box <- x's } ; if (branch) x += 1 else steps += addend; switch */
static void controlled_make(controlled *c, bool decides)
{
    static const uint32_t hundred = 100, thousand = 1000;
    memset(c, 0, sizeof *c);
    c->seen = numbers("seen", 1, WEIR_RING_AUTO, WEIR_DEVICE);
    c->in = numbers("in", IN_WORDS, WEIR_RING_AUTO, WEIR_HOST_IN);
    c->outer_word = numbers("outer word", 1, 1, WEIR_DEVICE);
    c->inner_word = numbers("inner word", 1, 1, WEIR_DEVICE);
    c->branch = numbers("branch", 1, 1, WEIR_DEVICE);
    c->selector = numbers("selector", 1, 1, WEIR_DEVICE);
    c->x = numbers("x", N, 1, WEIR_DEVICE);
    c->steps = numbers("steps", N, 1, WEIR_DEVICE);
    c->grid = buffer_of((weir_buffer_desc){.name = "grid", .element_bytes = 4, .nx = 8, .ny = 8});
    c->out = numbers("out", N, IN_FLIGHT_MOST + 1, WEIR_HOST_OUT);
    OK(weir_param_create("addend", &just_one, sizeof just_one, &c->addend));

    c->inner = add_graph("inner", c->steps, WEIR_VALUE(just_one));
    if (decides)
        down_and_decide(c->inner, c->inner_word, c->seen);
    else
        down(c->inner, c->inner_word);
    c->body = add_graph("body", c->x, WEIR_PARAM(c->addend));
    if (decides) /* not at the end: other tasks of the round come after it */
        down_and_decide(c->body, c->outer_word, c->seen);
    weir_add_copy(c->body, "inner word", WEIR_WRITE(c->inner_word), word_of(c, IN_INNER));
    weir_add_while(c->body, "within", c->inner, c->inner_word, CAP);
    weir_add_fill(c->body, "mark", weir_part(WEIR_WRITE(c->grid), (weir_box){.x = 1, .y = 1, .nx = 2, .ny = 2}), &hundred, sizeof hundred);
    if (!decides)
        down(c->body, c->outer_word);
    c->then_body = add_graph("then", c->x, WEIR_VALUE(just_one));
    c->else_body = add_graph("else", c->steps, WEIR_PARAM(c->addend));
    c->choices[0] = add_graph("none", c->x, WEIR_VALUE(zero));
    c->choices[1] = add_graph("hundred", c->x, WEIR_VALUE(hundred));
    c->choices[2] = add_graph("thousand", c->x, WEIR_VALUE(thousand));

    c->graph = graph_make("controlled");
    weir_add_fill(c->graph, "seen", WEIR_WRITE(c->seen), &zero, sizeof zero);
    weir_add_copy(c->graph, "outer word", WEIR_WRITE(c->outer_word), word_of(c, IN_OUTER));
    weir_add_copy(c->graph, "branch", WEIR_WRITE(c->branch), word_of(c, IN_BRANCH));
    weir_add_copy(c->graph, "selector", WEIR_WRITE(c->selector), word_of(c, IN_SELECTOR));
    c->loop = weir_add_while(c->graph, "loop", c->body, c->outer_word, CAP);
    c->decision = weir_add_if(c->graph, "decision", c->branch, c->then_body, c->else_body);
    c->choice = weir_add_switch(c->graph, "choice", c->selector, (const weir_graph *const *)c->choices, 3);
    weir_add_kernel(c->graph, &scale_kernel, blocks, WEIR_ARGS(WEIR_WRITE(c->out), WEIR_READ(c->x), WEIR_VALUE(just_one), WEIR_VALUE(zero), WEIR_VALUE(count_n)));
    weir_add_copy(c->graph, "a step", weir_part(WEIR_WRITE(c->out), (weir_box){.nx = 1}), weir_part(WEIR_READ(c->steps), (weir_box){.nx = 1}));
    OK(weir_graph_status(c->graph));
}

static void controlled_finish(controlled *c)
{
    weir_graph *graphs[] = {c->graph, c->body, c->inner, c->then_body, c->else_body, c->choices[0], c->choices[1], c->choices[2]};
    weir_buffer *buffers[] = {c->seen, c->in, c->outer_word, c->inner_word, c->branch, c->selector, c->x, c->steps, c->grid, c->out};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        weir_graph_destroy(graphs[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        weir_buffer_destroy(buffers[i]);
    weir_param_destroy(c->addend);
}

/* What a frame is to give, one after the other. */
typedef struct {
    uint32_t x, steps, rounds;
} outcome;

typedef struct {
    uint32_t addend;
    bool loop_off, decision_off, choice_off;
} setting;

static void count(outcome *o, const uint32_t *in, const setting *s)
{
    uint32_t rounds = s->loop_off ? 0 : in[IN_OUTER] < CAP ? in[IN_OUTER] : CAP;
    uint32_t within = in[IN_INNER] < CAP ? in[IN_INNER] : CAP;
    static const uint32_t choices[] = {0, 100, 1000};
    o->rounds = rounds;
    o->x += rounds * s->addend;
    o->steps += rounds * within;
    if (!s->decision_off && in[IN_BRANCH] != 0)
        o->x += 1;
    else if (!s->decision_off)
        o->steps += s->addend;
    if (!s->choice_off && in[IN_SELECTOR] < 3)
        o->x += choices[in[IN_SELECTOR]];
}

static void change(const controlled *c, weir_exec *exec, setting *s, uint64_t *random)
{
    switch (weir_random_below(random, 12)) {
    case 0:
    case 1:
        s->addend = 1 + weir_random_below(random, 9);
        OK(weir_exec_set(exec, c->addend, &s->addend));
        break;
    case 2:
        s->loop_off = !s->loop_off;
        OK(weir_exec_enable(exec, c->loop, !s->loop_off));
        break;
    case 3:
        s->decision_off = !s->decision_off;
        OK(weir_exec_enable(exec, c->decision, !s->decision_off));
        break;
    case 4:
        s->choice_off = !s->choice_off;
        OK(weir_exec_enable(exec, c->choice, !s->choice_off));
        break;
    default:
        break;
    }
}

static weir_ticket submit_random(const controlled *c, weir_exec *exec, const setting *s, outcome *o, uint64_t *random)
{
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    OK(weir_exec_begin(exec, LONG_NS, &frame));
    uint32_t *in = weir_frame_data(frame, c->in);
    for (uint32_t i = 0; i < IN_WORDS; i++)
        in[i] = weir_random_below(random, i == IN_OUTER || i == IN_INNER ? CAP + 3 : i == IN_BRANCH ? 2 : 5);
    count(o, in, s);
    OK(weir_frame_submit(frame, &ticket));
    return ticket;
}

static void check(const controlled *c, weir_exec *exec, weir_ticket ticket, const outcome *o)
{
    uint32_t rounds = UINT32_MAX;
    OK(weir_exec_wait(exec, ticket, LONG_NS));
    const uint32_t *out = weir_exec_data(exec, ticket, c->out);
    ck_assert_msg(out != NULL, "%s", weir_last_error());
    ck_assert_msg(out[0] == o->steps, "frame %u: steps %u for %u", (unsigned)ticket.number - 1, out[0], o->steps);
    for (uint32_t i = 1; i < N; i++)
        ck_assert_msg(out[i] == o->x, "frame %u: x %u for %u", (unsigned)ticket.number - 1, out[i], o->x);
    OK(weir_exec_iterations(exec, ticket, c->loop, &rounds));
    ck_assert_uint_eq(rounds, o->rounds);
}

static void run(const char *mode, uint32_t in_flight, bool decides, uint64_t seed)
{
    controlled c;
    setting s = {.addend = 1};
    outcome o[FRAMES + 1] = {{0, 0, 0}};
    weir_ticket ticket[FRAMES];
    uint64_t random = seed;
    controlled_make(&c, decides);
    weir_exec *exec = exec_with(runtime, c.graph, &(weir_plan_options){.frames = in_flight}, &(weir_exec_options){.mode = mode});
    for (uint32_t n = 0; n < FRAMES; n++) {
        change(&c, exec, &s, &random);
        o[n + 1] = o[n];
        ticket[n] = submit_random(&c, exec, &s, &o[n + 1], &random);
        if (n + 1 >= in_flight)
            check(&c, exec, ticket[n + 1 - in_flight], &o[n + 2 - in_flight]);
    }
    for (uint32_t n = FRAMES + 1 - in_flight; n < FRAMES; n++)
        check(&c, exec, ticket[n], &o[n + 1]);
    weir_exec_destroy(exec);
    controlled_finish(&c);
}

static void run_all(void)
{
    uint64_t seed = number_from_environment("WEIR_TEST_SEED", 1);
    static const char *const modes[] = {"eager", "replay", "capture", "auto"};
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (uint32_t in_flight = 1; in_flight <= IN_FLIGHT_MOST; in_flight++)
            for (int decides = 0; decides < 2; decides++)
                run(modes[m], in_flight, decides, seed * 100 + m * 10 + in_flight);
}

START_TEST(bodies_run_as_often_as_words_say)
{
    run_all();
}
END_TEST

START_TEST(so_they_do_one_by_one)
{
    weir_runtime_destroy(runtime);
    setenv("WEIR_DEBUG", "1", 1);
    runtime = cuda_runtime();
    run("replay", 2, false, number_from_environment("WEIR_TEST_SEED", 1));
    run("replay", 2, true, number_from_environment("WEIR_TEST_SEED", 1));
    unsetenv("WEIR_DEBUG");
}
END_TEST

/* ---- kernels that decide ---- */

typedef struct {
    weir_graph *graph, *body, *outer;
    weir_buffer *word, *outer_word, *seen;
    weir_task loop;
} deciding;

/* A loop of `rounds` rounds by its word, of a kernel that calls weir_decide so many times, and lies; nested: in a loop of two rounds. */
static void deciding_make(deciding *d, uint32_t rounds, uint32_t calls, uint32_t lies, bool nested)
{
    static const uint32_t two = 2;
    memset(d, 0, sizeof *d);
    d->word = numbers("word", 1, 1, WEIR_DEVICE);
    d->outer_word = numbers("outer word", 1, 1, WEIR_DEVICE);
    d->seen = numbers("seen", 1, 1, WEIR_DEVICE);
    d->graph = graph_make("deciding");
    d->body = graph_make("body");
    d->outer = graph_make("outer");
    weir_task decider = weir_add_kernel(d->body, &decide_kernel, single, WEIR_ARGS(WEIR_READ_WRITE(d->word), WEIR_WRITE(d->seen), WEIR_VALUE(calls), WEIR_VALUE(lies), WEIR_DECISION));
    weir_task_set(d->body, decider, &(weir_task_options){.name = "decider"});
    weir_graph *around = nested ? d->outer : d->graph;
    weir_add_fill(around, "word", WEIR_WRITE(d->word), &rounds, sizeof rounds);
    d->loop = weir_add_while(around, "loop", d->body, d->word, CAP);
    if (nested) {
        down(d->outer, d->outer_word);
        weir_add_fill(d->graph, "outer word", WEIR_WRITE(d->outer_word), &two, sizeof two);
        weir_add_while(d->graph, "around", d->outer, d->outer_word, CAP);
    }
    OK(weir_graph_status(d->graph));
}

static void deciding_finish(deciding *d)
{
    weir_graph_destroy(d->graph);
    weir_graph_destroy(d->body);
    weir_graph_destroy(d->outer);
    weir_buffer_destroy(d->word);
    weir_buffer_destroy(d->outer_word);
    weir_buffer_destroy(d->seen);
}

static uint32_t value_of(weir_buffer *buffer)
{
    uint32_t value = UINT32_MAX;
    OK(weir_buffer_read(runtime, buffer, &value, 0, sizeof value));
    return value;
}

/* Rounds that it ran, and what was left then. */
static void decides(const char *mode, const deciding *d, uint32_t rounds, uint32_t left)
{
    uint32_t ran = UINT32_MAX;
    weir_exec *exec = exec_with(runtime, d->graph, NULL, &(weir_exec_options){.mode = mode});
    for (int frame = 0; frame < 3; frame++) {
        weir_ticket ticket = submit(exec);
        OK(weir_exec_wait(exec, ticket, LONG_NS));
        OK(weir_exec_iterations(exec, ticket, d->loop, &ran));
        ck_assert_msg(ran == rounds && value_of(d->word) == left && (rounds == 0 || value_of(d->seen) == left), "mode %s: %u rounds for %u, %u left for %u", mode, ran, rounds,
                      value_of(d->word), left);
    }
    weir_exec_destroy(exec);
}

/* Nothing of weir's looks at the word besides: a kernel that says something else is followed. */
START_TEST(loop_goes_by_what_its_kernel_decides)
{
    static const struct {
        uint32_t rounds, calls, lies, ran, left;
    } cases[] = {
        {0, 1, 0, 0, 0},
        {1, 1, 0, 1, 0},
        {CAP - 1, 1, 0, CAP - 1, 0},
        {CAP, 1, 0, CAP, 0},
        {CAP + 1, 1, 0, CAP, 1},
        {UINT32_MAX, 1, 0, CAP, UINT32_MAX - CAP},
        {3, 1, 1, 1, 2},                     /* it said that was all, */
        {1, 1, 1, 2, UINT32_MAX},            /* and that there was more */
    };
    for (size_t m = 0; m < CUDA_MODES; m++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            deciding d;
            deciding_make(&d, cases[i].rounds, cases[i].calls, cases[i].lies, false);
            decides(cuda_modes[m], &d, cases[i].ran, cases[i].left);
            deciding_finish(&d);
        }
}
END_TEST

START_TEST(what_is_decided_wrongly_is_found_one_by_one)
{
    static const struct {
        uint32_t rounds, calls, lies;
        bool nested;
        const char *said;
    } bad[] = {
        {3, 0, 0, false, "task 'loop': in round 1 its kernel 'decider' called weir_decide 0 times, and should once"},
        {3, 2, 0, false, "task 'loop': in round 1 its kernel 'decider' called weir_decide 2 times, and should once"},
        {3, 1, 1, false, "task 'loop': in round 1 its kernel 'decider' told weir_decide that the loop ends, but then the condition was 2"},
        {1, 1, 1, false, "task 'loop': in round 1 its kernel 'decider' told weir_decide that the loop goes on, but then the condition was 0"},
        {UINT32_MAX, 0, 0, true, "task 'around/loop': in round 1 its kernel 'decider' called weir_decide 0 times, and should once"},
    };
    weir_runtime_destroy(runtime);
    setenv("WEIR_DEBUG", "1", 1);
    runtime = cuda_runtime();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        deciding d;
        deciding_make(&d, bad[i].rounds, bad[i].calls, bad[i].lies, bad[i].nested);
        weir_exec *exec = exec_with(runtime, d.graph, NULL, NULL);
        weir_ticket ticket = submit(exec);
        ck_assert_int_eq(weir_exec_wait(exec, ticket, LONG_NS), WEIR_ERR_TASK);
        says(weir_last_error(), bad[i].said);
        ck_assert_uint_eq(value_of(d.word), bad[i].rounds == UINT32_MAX ? UINT32_MAX - CAP : 0); /* by the word */
        weir_exec_destroy(exec);
        deciding_finish(&d);
    }
    unsetenv("WEIR_DEBUG");
}
END_TEST

/* ---- what is passed to a body may lie in rings, and two execs may move those ---- */

START_TEST(rings_in_bodies_are_the_frames_own)
{
    static const char *const modes[] = {"eager", "replay", "capture"};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        weir_buffer *ring = numbers("ring", N, 3, WEIR_DEVICE), *word = numbers("word", 1, 1, WEIR_DEVICE), *out = numbers("out", N, 2, WEIR_HOST_OUT);
        weir_graph *body = graph_make("body"), *graph = graph_make("graph");
        static const uint32_t four = 4;
        weir_add_kernel(body, &add_kernel, blocks, WEIR_ARGS(WEIR_READ_WRITE(ring), WEIR_VALUE(just_one), WEIR_VALUE(count_n)));
        weir_add_copy(body, "a box of the last", weir_part(WEIR_WRITE(ring), (weir_box){.x = 1, .nx = 2}), weir_part(WEIR_PREVIOUS(ring, 1), (weir_box){.x = 1, .nx = 2}));
        down(body, word);
        weir_add_fill(graph, "word", WEIR_WRITE(word), &four, sizeof four);
        weir_add_copy(graph, "from the last", WEIR_WRITE(ring), WEIR_PREVIOUS(ring, 1));
        weir_task loop = weir_add_while(graph, "loop", body, word, CAP);
        weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(ring));
        OK(weir_graph_status(graph));
        weir_exec *one_exec = exec_with(runtime, graph, &(weir_plan_options){.frames = 2}, &(weir_exec_options){.mode = modes[m]});
        weir_exec *other = exec_with(runtime, graph, &(weir_plan_options){.frames = 2}, &(weir_exec_options){.mode = modes[m]});
        for (uint32_t n = 0; n < 11; n++) {
            weir_exec *exec = n % 3 == 0 ? other : one_exec; /* so that slots are not where the frame wants them */
            uint32_t rounds = 0;
            weir_ticket ticket = submit(exec);
            OK(weir_exec_wait(exec, ticket, LONG_NS));
            OK(weir_exec_iterations(exec, ticket, loop, &rounds));
            ck_assert_uint_eq(rounds, 4);
            const uint32_t *got = weir_exec_data(exec, ticket, out);
            ck_assert_msg(got != NULL, "%s", weir_last_error());
            for (uint32_t i = 0; i < N; i++)
                ck_assert_msg(got[i] == (i == 1 || i == 2 ? 0 : 4 * (n + 1)), "mode %s, frame %u, element %u: %u", modes[m], n, i, got[i]);
        }
        weir_exec_destroy(one_exec);
        weir_exec_destroy(other);
        weir_graph_destroy(graph);
        weir_graph_destroy(body);
        weir_buffer_destroy(ring);
        weir_buffer_destroy(word);
        weir_buffer_destroy(out);
    }
}
END_TEST

/* ---- a frame has ended when its loop has, whatever comes behind that and is off ---- */

START_TEST(what_is_off_behind_a_loop_does_not_end_the_frame)
{
    static const uint32_t rounds = 1000;
    for (size_t m = 0; m < CUDA_MODES; m++) {
        weir_buffer *word = numbers("word", 1, 1, WEIR_DEVICE), *x = numbers("x", N, 1, WEIR_DEVICE);
        weir_graph *body = graph_make("body"), *graph = graph_make("graph");
        weir_add_kernel(body, &add_kernel, blocks, WEIR_ARGS(WEIR_READ_WRITE(x), WEIR_VALUE(just_one), WEIR_VALUE(count_n)));
        down(body, word);
        weir_add_fill(graph, "word", WEIR_WRITE(word), &rounds, sizeof rounds);
        weir_add_fill(graph, "x", WEIR_WRITE(x), &zero, sizeof zero);
        weir_task loop = weir_add_while(graph, "loop", body, word, rounds), clear = weir_add_fill(graph, "clear", WEIR_WRITE(x), &zero, sizeof zero);
        OK(weir_graph_status(graph));
        weir_exec *exec = exec_with(runtime, graph, NULL, &(weir_exec_options){.mode = cuda_modes[m]});
        for (uint32_t frame = 0; frame < 6; frame++) {
            uint32_t ran = 0;
            OK(weir_exec_enable(exec, clear, frame % 3 == 0));
            weir_ticket ticket = submit(exec);
            OK(weir_exec_wait(exec, ticket, LONG_NS));
            OK(weir_exec_iterations(exec, ticket, loop, &ran));
            ck_assert_msg(ran == rounds, "mode %s, frame %u: ended after %u of %u rounds", cuda_modes[m], frame, ran, rounds);
            ck_assert_uint_eq(value_of(x), frame % 3 == 0 ? 0 : rounds);
        }
        weir_exec_destroy(exec);
        weir_graph_destroy(graph);
        weir_graph_destroy(body);
        weir_buffer_destroy(word);
        weir_buffer_destroy(x);
    }
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/control");
    TCase *tests = tcase_create("control");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, bodies_run_as_often_as_words_say);
    tcase_add_test(tests, so_they_do_one_by_one);
    tcase_add_test(tests, loop_goes_by_what_its_kernel_decides);
    tcase_add_test(tests, what_is_decided_wrongly_is_found_one_by_one);
    tcase_add_test(tests, rings_in_bodies_are_the_frames_own);
    tcase_add_test(tests, what_is_off_behind_a_loop_does_not_end_the_frame);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
