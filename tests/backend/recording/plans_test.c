/* plans_test.c - thousands of random plans, run by the recording backend: what lanes are told is exactly the plan, it orders all that the
 * graph orders, and none of it can be left out. The first seed is WEIR_TEST_SEED, or 1; how many plans is WEIR_TEST_PROGRAMS, or 4000. */
#include "backend/recording/recording.h"
#include "backend/recording/sketch.h"

enum { LANES_MOST = 32, IN_FLIGHT_MOST = 4, FRAMES = IN_FLIGHT_MOST + 2, SMALL_TASKS = 12 };

static sketch drawn;
static char who[160]; /* which plan this is, for whoever finds something wrong */

/* As ck_assert_msg, but where it holds it makes no system call. */
#define expect(holds, ...)                                                                                                                 \
    do {                                                                                                                                   \
        if (!(holds)) {                                                                                                                    \
            printf("%s: ", who);                                                                                                           \
            printf(__VA_ARGS__);                                                                                                           \
            printf("\n");                                                                                                                  \
            ck_abort_msg("%s: %s", who, #holds);                                                                                           \
        }                                                                                                                                  \
    } while (0)

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- exactly the plan ---- */

/* What the plan says of each task, by its public calls alone. */
typedef struct {
    weir_plan_summary summary;
    weir_plan_entry entry[SKETCH_TASKS];
    uint32_t at[SKETCH_TASKS]; /* position -> task */
} public_plan;

static void read_plan(const weir_plan *plan, public_plan *p)
{
    weir_plan_summarise(plan, &p->summary);
    expect(p->summary.tasks == drawn.tasks, "%u tasks were declared", drawn.tasks);
    for (uint32_t t = 0; t < drawn.tasks; t++) {
        OK(weir_plan_get(plan, drawn.task[t], &p->entry[t]));
        p->at[p->entry[t].position] = t;
    }
}

/* A task's waits, as the plan lists them, in order; moves `i` behind them. */
static void check_waits(const weir_plan *plan, const public_plan *p, const deed *deeds, uint32_t count, uint32_t *i, uint32_t task)
{
    uint32_t listed = plan->wait_first[task + 1] - plan->wait_first[task], same = 0, carried = 0;
    expect(listed == p->entry[task].waits + p->entry[task].carried_waits, "task %u has %u waits", task, listed);
    for (uint32_t w = 0; w < listed; w++, ++*i) {
        const deed *d = &deeds[*i];
        expect(*i < count && d->kind == DEED_WAIT, "task %u: wait %u is missing", task, w);
        const weir_wait *planned = &plan->wait[plan->wait_first[task] + w];
        expect(d->task == planned->task && d->distance == planned->distance, "task %u: wait %u is another's", task, w);
        expect(d->lane == p->entry[task].lane, "task %u: wait %u is in lane %u", task, w, d->lane);
        expect(d->lane != p->entry[d->task].lane, "task %u: wait %u is for its own lane", task, w);
        expect(d->distance < p->summary.frames, "task %u: wait %u is for what begin waits for", task, w);
        expect(d->distance > 0 || carried == 0, "task %u: wait %u comes after those for earlier frames", task, w);
        same += d->distance == 0;
        carried += d->distance > 0;
    }
    expect(same == p->entry[task].waits && carried == p->entry[task].carried_waits, "task %u waits otherwise than its entry says", task);
}

/* Another lane waits for it, in whichever frame: by looking at all waits of all tasks. */
static bool is_waited_for(const deed *deeds, uint32_t count, uint32_t task, uint32_t lane)
{
    for (uint32_t i = 0; i < count; i++)
        if (deeds[i].kind == DEED_WAIT && deeds[i].task == task && deeds[i].lane != lane)
            return true;
    return false;
}

static void check_frame(const weir_plan *plan, const public_plan *p, const weir_program *program, uint32_t frame)
{
    uint32_t count = 0, i = 0, waits = 0, records = 0;
    const deed *deeds = recorded_deeds(program, frame, &count);
    expect(program->frames.at[frame].number == frame && program->frames.at[frame].reached == drawn.tasks, "frame %u is not whole", frame);
    for (uint32_t position = 0; position < drawn.tasks; position++) {
        uint32_t task = p->at[position], lane = p->entry[task].lane, before = i;
        check_waits(plan, p, deeds, count, &i, task);
        waits += i - before;
        expect(i < count && deeds[i].kind == DEED_RUN && deeds[i].task == task && deeds[i].lane == lane, "frame %u: position %u is not task %u", frame,
               position, task);
        i++;
        bool waited_for = is_waited_for(deeds, count, task, lane);
        expect(waited_for == (p->entry[task].records != 0), "task %u records, or not, against its entry", task);
        if (waited_for) {
            expect(i < count && deeds[i].kind == DEED_RECORD && deeds[i].task == task && deeds[i].lane == lane, "frame %u: no record after task %u", frame, task);
            i++;
            records++;
        }
    }
    expect(i == count, "frame %u: %u deeds too many", frame, count - i);
    expect(waits == p->summary.waits && records == p->summary.events, "frame %u: %u waits, %u records", frame, waits, records);
}

/* ---- what the record orders: lanes keep their order, and a wait hands over all that its record knew ---- */

typedef struct {
    uint32_t done[LANES_MOST]; /* lane -> how many of its tasks, over all frames */
} moment;

static struct {
    moment lane[LANES_MOST];
    moment start[FRAMES][SKETCH_TASKS], record[FRAMES][SKETCH_TASKS];
    bool recorded[FRAMES][SKETCH_TASKS];
    uint32_t ran_in[FRAMES][SKETCH_TASKS], number[FRAMES][SKETCH_TASKS]; /* its lane, and its number there, from 1 */
} clocks;

static void merge(moment *into, const moment *from)
{
    for (uint32_t l = 0; l < LANES_MOST; l++)
        if (into->done[l] < from->done[l])
            into->done[l] = from->done[l];
}

static void follow_deed(const deed *d, uint32_t frame)
{
    moment *lane = &clocks.lane[d->lane];
    if (d->kind == DEED_WAIT && d->distance <= frame) {
        expect(clocks.recorded[frame - d->distance][d->task], "frame %u waits for task %u before it is recorded", frame, d->task);
        merge(lane, &clocks.record[frame - d->distance][d->task]);
    } else if (d->kind == DEED_RUN) {
        clocks.start[frame][d->task] = *lane;
        clocks.ran_in[frame][d->task] = d->lane;
        clocks.number[frame][d->task] = ++lane->done[d->lane];
    } else if (d->kind == DEED_RECORD) {
        clocks.record[frame][d->task] = *lane;
        clocks.recorded[frame][d->task] = true;
    }
}

/* `without`: a wait that is left out, and the task it stands before; NULL: none is. */
static void follow_record(const weir_program *program, uint32_t frames, const deed *without, uint32_t before)
{
    memset(&clocks, 0, sizeof clocks);
    for (uint32_t frame = 0; frame < frames; frame++) {
        uint32_t count = 0, next = 0;
        const deed *deeds = recorded_deeds(program, frame, &count);
        for (uint32_t i = 0; i < count; i++) {
            const deed *d = &deeds[i];
            for (next = i; without && deeds[next].kind == DEED_WAIT;)
                next++; /* the task that it stands before */
            if (without && d->kind == DEED_WAIT && d->task == without->task && d->distance == without->distance && deeds[next].task == before)
                continue;
            follow_deed(d, frame);
        }
    }
}

static bool is_ordered(uint32_t earlier, uint32_t i, uint32_t later, uint32_t j)
{
    return clocks.start[j][later].done[clocks.ran_in[i][earlier]] >= clocks.number[i][earlier];
}

/* The first frame in which the record breaks an edge of the plan's, or `frames`. */
static uint32_t breaks_an_edge(const weir_plan *plan, uint32_t frames)
{
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (uint32_t t = 0; t < plan->tasks; t++)
            for (uint32_t e = plan->pred_first[t]; e < plan->pred_first[t + 1]; e++)
                if (!is_ordered(plan->pred[e], frame, t, frame))
                    return frame;
        for (uint32_t c = 0; c < plan->carried.edges.count; c++) {
            weir_carried_edge edge = plan->carried.edges.at[c];
            if (edge.distance <= frame && !is_ordered(edge.earlier, frame - edge.distance, edge.later, frame))
                return frame;
        }
    }
    return frames;
}

/* What must follow what is told by the accesses. Frames that begin waits for are F and more apart. */
static void check_order(const weir_plan *plan, const weir_program *program)
{
    uint32_t automatic = sketch_automatic(&drawn, plan->frames);
    follow_record(program, FRAMES, NULL, 0);
    expect(breaks_an_edge(plan, FRAMES) == FRAMES, "an edge is broken in frame %u", breaks_an_edge(plan, FRAMES));
    for (uint32_t j = 0; j < FRAMES; j++)
        for (uint32_t i = j + 1 < plan->frames ? 0 : j + 1 - plan->frames; i <= j; i++)
            for (uint32_t later = 0; later < drawn.tasks; later++)
                for (uint32_t earlier = 0; earlier < drawn.tasks; earlier++)
                    expect(is_ordered(earlier, i, later, j) || !sketch_must_follow(&drawn, automatic, earlier, i, later, j),
                           "nothing orders task %u of frame %u before task %u of frame %u", earlier, i, later, j);
}

/* Of the last frame, in which no wait is for a frame before the first. */
static uint32_t check_each_wait_is_needed(const weir_plan *plan, const weir_program *program)
{
    uint32_t count = 0, needed = 0, next = 0;
    const deed *deeds = recorded_deeds(program, FRAMES - 1, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (deeds[i].kind != DEED_WAIT)
            continue;
        for (next = i; deeds[next].kind == DEED_WAIT;)
            next++;
        follow_record(program, FRAMES, &deeds[i], deeds[next].task);
        expect(breaks_an_edge(plan, FRAMES) < FRAMES, "task %u need not wait for task %u of %u frames before", deeds[next].task, deeds[i].task, deeds[i].distance);
        needed++;
    }
    return needed;
}

/* ---- the plans ---- */

static struct {
    uint64_t waits, carried, records, removed, frames;
} totals; /* of one frame of each plan, but for `frames` */

static void run_plan(weir_runtime *runtime, uint64_t seed, uint64_t salt)
{
    uint64_t random = seed ^ salt;
    public_plan p;
    sketch_make(&drawn, &random);
    weir_plan_options options = {.policy = weir_random_below(&random, 2) ? "priority" : "round_robin",
                                 .lanes = 1 + weir_random_below(&random, LANES_MOST),
                                 .frames = 1 + weir_random_below(&random, IN_FLIGHT_MOST)};
    snprintf(who, sizeof who, "seed %llu: policy %s, %u lanes, %u frames in flight", (unsigned long long)seed, options.policy, options.lanes, options.frames);
    weir_plan *plan = NULL;
    weir_exec *exec = NULL;
    OK(weir_plan_create(drawn.graph, &options, &plan));
    expect(plan->lanes <= options.lanes, "%u lanes", plan->lanes);
    read_plan(plan, &p);
    OK(weir_exec_create(runtime, plan, NULL, &exec));
    const weir_program *program = recorded.last;
    run_frames(exec, FRAMES);
    expect(program->frames.count == FRAMES, "%u frames", program->frames.count);
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        check_frame(plan, &p, program, frame);
    check_order(plan, program);
    if (drawn.tasks <= SMALL_TASKS)
        totals.removed += check_each_wait_is_needed(plan, program);
    totals.waits += p.summary.waits;
    totals.records += p.summary.events;
    totals.frames += FRAMES;
    for (uint32_t t = 0; t < drawn.tasks; t++)
        totals.carried += p.entry[t].carried_waits;
    weir_exec_destroy(exec);
    weir_plan_destroy(plan);
    sketch_finish(&drawn);
}

static void run_plans(const char *backend, uint64_t salt)
{
    uint64_t first = from_environment("WEIR_TEST_SEED", 1), count = from_environment("WEIR_TEST_PROGRAMS", 4000);
    weir_runtime *runtime = NULL;
    no_environment();
    recording_reset(REPORTED_BY_THREAD);
    OK(weir_runtime_create(&(weir_runtime_options){.backend = backend}, &runtime));
    for (uint64_t seed = first; seed < first + count; seed++)
        run_plan(runtime, seed, salt);
    weir_runtime_destroy(runtime);
    ck_assert_uint_eq(recorded.programs, 0);
    printf("%llu plans from seed %llu on: %llu frames; %llu waits, %llu of them carried, and %llu records in one of each; left out by turns: %llu\n",
           (unsigned long long)count, (unsigned long long)first, (unsigned long long)totals.frames,
           (unsigned long long)totals.waits, (unsigned long long)totals.carried, (unsigned long long)totals.records, (unsigned long long)totals.removed);
    if (count >= 1000) /* enough for each to have been met */
        ck_assert(totals.carried > count / 10 && totals.waits > totals.carried && totals.removed > count / 10 && totals.records > 0);
}

START_TEST(lanes_are_told_the_plan_and_nothing_else)
{
    run_plans("recording", 0x68e31da4);
}
END_TEST

START_TEST(so_they_are_without_optional_entries)
{
    run_plans("bare", 0xb5297a4d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("backend/recording/plans");
    TCase *tests = tcase_create("random plans");
    tcase_add_test(tests, lanes_are_told_the_plan_and_nothing_else);
    tcase_add_test(tests, so_they_are_without_optional_entries);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
