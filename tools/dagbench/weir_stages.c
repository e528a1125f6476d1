/* weir_stages.c - see weir_stages.h. What stages hand on are rings, with a copy for each frame in flight; the state is one buffer, updated in place,
 * so that the fold follows that of the frame before. */
#include "weir_stages.h"
#include "spin.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint16_t fold_bytes[] = {sizeof(void *), sizeof(void *), sizeof(void *), sizeof(uint32_t), sizeof(int64_t)},
                      pass_bytes[] = {sizeof(void *), sizeof(void *), sizeof(uint32_t), sizeof(int64_t)};
static const weir_kernel fold = {"fold", NULL, stage_fold_resolve, NULL, fold_bytes, 5, 0};
static const weir_kernel pass = {"pass", NULL, stage_pass_resolve, NULL, pass_bytes, 4, 0};

enum { IN, SOURCE, STATE, BETWEEN, OUT, BUFFERS };

typedef struct {
    stages s;
    weir_runtime *runtime;
    weir_buffer *buffer[BUFFERS]; /* NULL: IN, where nothing is moved */
    weir_graph *graph;
    weir_plan *plan;
    weir_exec *exec;
    weir_ticket last;
    uint64_t frames; /* so far */
} line;

static void line_finish(void *self)
{
    line *l = self;
    weir_exec_destroy(l->exec);
    weir_plan_destroy(l->plan);
    weir_graph_destroy(l->graph);
    for (int b = 0; b < BUFFERS; b++)
        weir_buffer_destroy(l->buffer[b]);
    free(l);
}

static weir_status describe(line *l)
{
    const struct {
        const char *name;
        weir_place place;
        uint32_t count, copies;
    } buffers[BUFFERS] = {
        [IN] = {"in", WEIR_HOST_IN, l->s.moves ? l->s.count : 0, WEIR_RING_AUTO},
        [SOURCE] = {"source", WEIR_DEVICE, l->s.count, l->s.moves ? WEIR_RING_AUTO : 1},
        [STATE] = {"state", WEIR_DEVICE, 1, 1},
        [BETWEEN] = {"between", WEIR_DEVICE, l->s.count, WEIR_RING_AUTO},
        [OUT] = {"out", l->s.moves ? WEIR_HOST_OUT : WEIR_DEVICE, l->s.count, WEIR_RING_AUTO},
    };
    weir_status status = WEIR_OK;
    for (int b = 0; b < BUFFERS && status == WEIR_OK; b++) {
        weir_buffer_desc desc = {.name = buffers[b].name, .element_bytes = sizeof(uint32_t), .nx = buffers[b].count, .place = buffers[b].place,
            .copies = buffers[b].copies};
        if (buffers[b].count > 0)
            status = weir_buffer_create(&desc, &l->buffer[b]);
    }
    return status;
}

static weir_status declare(line *l, bool apart)
{
    const weir_shape launch = {.block = {SPIN_THREADS, 1, 1}};
    const uint32_t last = l->s.count - 1;
    weir_buffer *const *b = l->buffer;
    weir_task task[3] = {{0}};
    uint32_t tasks = 0;
    weir_status status = weir_graph_create("dagbench", 0, &l->graph);
    if (status != WEIR_OK)
        return status;
    if (l->s.moves)
        task[tasks++] = weir_add_copy(l->graph, "upload", WEIR_WRITE(b[SOURCE]), WEIR_READ(b[IN]));
    task[tasks++] = weir_add_kernel(l->graph, &fold, launch,
        WEIR_ARGS(WEIR_READ(b[SOURCE]), WEIR_READ_WRITE(b[STATE]), WEIR_WRITE(b[BETWEEN]), WEIR_VALUE(last), WEIR_VALUE(l->s.ticks)));
    if (l->s.moves)
        task[tasks++] = weir_add_copy(l->graph, "download", WEIR_WRITE(b[OUT]), WEIR_READ(b[BETWEEN]));
    else
        task[tasks++] = weir_add_kernel(l->graph, &pass, launch,
            WEIR_ARGS(WEIR_READ(b[BETWEEN]), WEIR_WRITE(b[OUT]), WEIR_VALUE(last), WEIR_VALUE(l->s.ticks)));
    for (uint32_t t = 0; apart && t < tasks; t++)
        weir_task_set(l->graph, task[t], &(weir_task_options){.priority = (int32_t)t - 1});
    return weir_graph_status(l->graph);
}

static uint32_t number_of(const line *l, uint64_t frame)
{
    return l->s.moves ? (uint32_t)frame + 1 : 0;
}

static weir_status submit(line *l)
{
    weir_frame *frame = NULL;
    weir_status status = weir_exec_begin(l->exec, -1, &frame);
    if (status != WEIR_OK)
        return status;
    if (l->s.moves) {
        uint32_t *in = weir_frame_data(frame, l->buffer[IN]);
        in[0] = in[l->s.count - 1] = number_of(l, l->frames);
    }
    l->frames++;
    return weir_frame_submit(frame, &l->last);
}

static bool line_run(void *self, uint32_t frames, lap *out, trouble *why)
{
    line *l = self;
    weir_status status = WEIR_OK;
    double begun = timing_now_ns();
    for (uint32_t i = 0; i < frames && status == WEIR_OK; i++)
        status = submit(l);
    double submitted = timing_now_ns();
    if (status == WEIR_OK)
        status = weir_exec_wait(l->exec, l->last, -1);
    double ended = timing_now_ns();
    *out = (lap){(submitted - begun) / frames, (ended - begun) / frames};
    return trouble_weir(why, status);
}

bool weir_stages_check(const racer *r, trouble *why)
{
    const line *l = r->self;
    uint32_t wanted = 0, state = 0, result = 0;
    size_t at = (l->s.count - 1) * sizeof(uint32_t);
    for (uint64_t f = 0; f < l->frames; f++)
        wanted = STAGE_NEXT(wanted, number_of(l, f));
    if (!trouble_weir(why, weir_buffer_read(l->runtime, l->buffer[STATE], &state, 0, sizeof state)) ||
        !trouble_weir(why, weir_buffer_read(l->runtime, l->buffer[OUT], &result, at, sizeof result)))
        return false;
    if (state == wanted && result == stages_result(&l->s, wanted))
        return true;
    snprintf(why->text, sizeof why->text, "weir, %s, %s: wrong after %llu frames", r->mode, r->how, (unsigned long long)l->frames);
    return false;
}

bool weir_stages_make(racer *out, weir_runtime *runtime, const stages *s, weir_way way, bool apart, trouble *why)
{
    line *l = calloc(1, sizeof *l);
    if (!l)
        return trouble_no_memory(why);
    l->s = *s;
    l->runtime = runtime;
    weir_plan_options plan = weir_way_plan(way);
    weir_exec_options exec = weir_way_exec(way);
    weir_status status = describe(l);
    if (status == WEIR_OK)
        status = declare(l, apart);
    if (status == WEIR_OK)
        status = weir_plan_create(l->graph, &plan, &l->plan);
    if (status == WEIR_OK)
        status = weir_exec_create(runtime, l->plan, &exec, &l->exec);
    if (!trouble_weir(why, status) || !weir_way_is_kept(way, l->exec, why)) {
        line_finish(l);
        return false;
    }
    weir_plan_summary made;
    weir_plan_summarise(l->plan, &made);
    *out = (racer){.mode = way.mode, .run = line_run, .finish = line_finish, .self = l};
    out->lanes = strcmp(way.mode, "eager") == 0 ? made.lanes : way.lanes;
    snprintf(out->how, sizeof out->how, "%s, F = %u", way.policy, (unsigned)way.frames);
    return true;
}
