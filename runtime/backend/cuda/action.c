/* action.c - makes tasks into actions.
 *
 * A fill of patterns of 2 or 4 bytes needs rows that are aligned to them. Where some are not, each byte of the pattern is filled by itself:
 * every second or fourth byte, as a column of a table that is so many bytes wide. */
#include "backend/cuda/action.h"
#include "backend/cuda/control.h"
#include "backend/cuda/call.h"
#include "util/memory.h"
#include "util/status.h"
#include "util/table.h"
#include "util/vector.h"
#include <stdint.h>
#include <string.h>

/* ---- kernels ---- */

const void *weir_kernel_function(const weir_kernel *kernel)
{
    if (kernel->resolve)
        return kernel->resolve();
    if (!kernel->device)
        return NULL;
    cudaKernel_t found = NULL;
    const void *stub = NULL;
    memcpy(&stub, &kernel->device, sizeof stub); /* from a function to a data pointer, as CUDA wants it */
    if (cudaGetKernel(&found, stub) != cudaSuccess) {
        (void)cudaGetLastError(); /* of another module: such a kernel has `resolve` */
        return NULL;
    }
    return (const void *)found;
}

/* Its code is on the device from then on: loading it at its first launch could wait for kernels that run. */
static weir_status load(const weir_task_record *task, const void *function, uint32_t shared_bytes)
{
    struct cudaFuncAttributes attributes;
    cudaError_t result = cudaFuncGetAttributes(&attributes, function);
    const char *call = "cudaFuncGetAttributes";
    if (result == cudaSuccess && shared_bytes > (uint32_t)attributes.maxDynamicSharedSizeBytes) {
        result = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
        call = "cudaFuncSetAttribute(MaxDynamicSharedMemorySize)";
    }
    char text[256];
    if (result == cudaSuccess)
        return WEIR_OK;
    (void)cudaGetLastError();
    weir_cuda_describe(result, text, sizeof text);
    return weir_fail(WEIR_ERR_DEVICE, "task '%s': kernel '%s': %s: %s", task->name, task->code.kernel->name, call, text);
}

static bool is_cluster(const weir_shape *shape)
{
    return shape->cluster[0] > 1 || shape->cluster[1] > 1 || shape->cluster[2] > 1;
}

/* Most graphs use few kernels many times: each is looked up once. */
typedef struct {
    const void *function;
    uint32_t shared_bytes; /* that it may use */
} known_kernel;

typedef struct {
    weir_table *numbers; /* kernel -> its index in `at` */
    WEIR_VECTOR(known_kernel) at;
    uint32_t controls;   /* loops and branches met so far */
    bool watched;
} known_kernels;

/* NULL: no memory. Good until the next is asked for. */
static known_kernel *known_kernel_of(known_kernels *known, const weir_kernel *kernel)
{
    uint32_t number = weir_table_get_pointer(known->numbers, kernel);
    if (number != UINT32_MAX)
        return &known->at.at[number];
    if (!weir_vector_reserve(&known->at, 1) || !weir_table_put_pointer(known->numbers, kernel, known->at.count))
        return NULL;
    known_kernel *made = &known->at.at[known->at.count++];
    *made = (known_kernel){.function = NULL};
    return made;
}

static weir_status find_kernel(known_kernels *known, const weir_task_record *task, uint32_t shared_bytes, const void **out)
{
    known_kernel *k = known_kernel_of(known, task->code.kernel);
    if (!k)
        return weir_fail_no_memory();
    bool is_new = k->function == NULL;
    if (is_new)
        k->function = weir_kernel_function(task->code.kernel);
    weir_status status = is_new || shared_bytes > k->shared_bytes ? load(task, k->function, shared_bytes) : WEIR_OK;
    if (shared_bytes > k->shared_bytes)
        k->shared_bytes = shared_bytes;
    *out = k->function;
    return status;
}

static weir_status make_kernel(const weir_body *body, const weir_task_record *task, known_kernels *known, action *a)
{
    const weir_shape *shape = &body->shapes.at[task->with.shape];
    a->kind = ACTION_KERNEL;
    kernel_launch *k = &a->as.kernel;
    k->grid = (struct dim3){shape->grid[0], shape->grid[1], shape->grid[2]};
    k->block = (struct dim3){shape->block[0], shape->block[1], shape->block[2]};
    k->cluster = is_cluster(shape) ? shape->cluster : NULL;
    a->cooperative = (task->code.kernel->flags & WEIR_KERNEL_COOPERATIVE) != 0;
    a->programmatic = (task->code.kernel->flags & WEIR_KERNEL_PROGRAMMATIC) != 0;
    a->shared_bytes = shape->shared_bytes;
    return find_kernel(known, task, shape->shared_bytes, &k->function);
}

struct cudaKernelNodeParams weir_action_kernel_node(const action *a)
{
    const kernel_launch *k = &a->as.kernel;
    return (struct cudaKernelNodeParams){
        .func = (void *)(uintptr_t)k->function,
        .gridDim = k->grid,
        .blockDim = k->block,
        .sharedMemBytes = a->shared_bytes,
        .kernelParams = a->args,
    };
}

/* ---- copies and fills ---- */

static const weir_buffer *buffer_of(const weir_body *body, const weir_task_record *task, uint32_t arg)
{
    return body->buffers.at[body->args.at[task->arg_first + arg].index].buffer;
}

bool weir_task_is_gate(const weir_body *body, const weir_task_record *task)
{
    if (task->kind != WEIR_KIND_COPY)
        return task->kind == WEIR_KIND_HOST;
    return buffer_of(body, task, 0)->place != WEIR_DEVICE && buffer_of(body, task, 1)->place != WEIR_DEVICE;
}

/* Slices can be done as one where each is a whole number of rows. */
static bool is_deep(const weir_layout *l)
{
    return l->row_step > 0 && l->slice_step % l->row_step == 0;
}

static void make_copy(const weir_body *body, const weir_task_record *task, action *a)
{
    bool to_host = buffer_of(body, task, 0)->place != WEIR_DEVICE, from_host = buffer_of(body, task, 1)->place != WEIR_DEVICE;
    data_move *m = a->as.move;
    m->movement = weir_movement_of(body, task);
    m->copy_kind = to_host ? cudaMemcpyDeviceToHost : from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
    a->kind = (uint8_t)(m->movement.row_bytes > 0 ? ACTION_COPY : ACTION_NOTHING);
    m->pieces = is_deep(&m->movement.to) && is_deep(&m->movement.from) ? 1 : (uint32_t)m->movement.slices;
}

/* Of all the copies that frames may give it. */
static bool is_aligned(const weir_image *image, const weir_pass *pass, const weir_movement *m, size_t bytes)
{
    size_t odd = m->to.first | (m->rows > 1 ? m->to.row_step : 0) | (m->slices > 1 ? m->to.slice_step : 0);
    if (pass->kind == WEIR_PASS_FIXED)
        return (odd | (uintptr_t)*(void *const *)pass->address) % bytes == 0;
    for (uint32_t i = 0; i < image->rings[pass->index].count; i++)
        odd |= (uintptr_t)image->rings[pass->index].copies[i];
    return odd % bytes == 0;
}

static bool is_one_byte(uint32_t pattern)
{
    return pattern == (pattern & 0xff) * 0x01010101u;
}

static weir_status make_fill(const weir_image *image, uint32_t t, action *a)
{
    enum { PIECES_MOST = 1 << 16 };
    const weir_body *body = image->plan->body;
    const weir_task_record *task = &body->tasks.at[t];
    data_move *m = a->as.move;
    m->movement = weir_movement_of(body, task);
    m->pattern = task->with.pattern.value;
    m->pattern_bytes = (uint8_t)(is_one_byte(m->pattern) ? 1 : task->with.pattern.bytes);
    a->kind = (uint8_t)(m->movement.row_bytes > 0 ? ACTION_FILL : ACTION_NOTHING);
    bool aligned = is_aligned(image, &image->pass[image->pass_first[t]], &m->movement, m->pattern_bytes);
    m->element = aligned ? m->pattern_bytes : 1;
    uint64_t pieces = aligned ? m->movement.slices : m->movement.slices * m->movement.rows * m->pattern_bytes;
    if (pieces > PIECES_MOST)
        return weir_fail(WEIR_ERR_INVALID, "task '%s': its rows are not aligned to the pattern, and it would be %llu fills of columns: fill with a pattern of one byte, or align them",
                         task->name, (unsigned long long)pieces);
    m->pieces = (uint32_t)pieces;
    return WEIR_OK;
}

bool weir_action_is_line(const action *a)
{
    return a->as.move->movement.rows == 1 && a->as.move->movement.slices == 1;
}

static unsigned char *passed(const action *a, uint32_t arg)
{
    return WEIR_PASSED(unsigned char *, a->args, arg);
}

void weir_action_line(const action *a, void **to, const void **from, size_t *bytes)
{
    const weir_movement *m = &a->as.move->movement;
    *to = passed(a, 0) + m->to.first;
    *from = passed(a, 1) + m->from.first;
    *bytes = m->row_bytes;
}

static struct cudaPitchedPtr pitched(unsigned char *base, const weir_layout *l, const weir_movement *m, uint32_t slice)
{
    size_t row_step = m->rows > 1 || m->slices > 1 ? l->row_step : m->row_bytes;
    return (struct cudaPitchedPtr){
        .ptr = base + l->first + slice * l->slice_step,
        .pitch = row_step,
        .xsize = m->row_bytes,
        .ysize = m->slices > 1 ? l->slice_step / row_step : m->rows,
    };
}

void weir_action_copy_piece(const action *a, uint32_t piece, struct cudaMemcpy3DParms *out)
{
    const weir_movement *m = &a->as.move->movement;
    memset(out, 0, sizeof *out);
    out->srcPtr = pitched(passed(a, 1), &m->from, m, piece);
    out->dstPtr = pitched(passed(a, 0), &m->to, m, piece);
    out->extent = (struct cudaExtent){m->row_bytes, m->rows, a->as.move->pieces == 1 ? m->slices : 1};
    out->kind = a->as.move->copy_kind;
}

void weir_action_fill_piece(const action *a, uint32_t piece, struct cudaMemsetParams *out)
{
    const data_move *fill = a->as.move;
    const weir_movement *m = &fill->movement;
    unsigned char *base = passed(a, 0) + m->to.first;
    memset(out, 0, sizeof *out);
    out->elementSize = fill->element;
    if (fill->element == fill->pattern_bytes) { /* a slice */
        out->dst = base + piece * m->to.slice_step;
        out->width = m->row_bytes / fill->element;
        out->height = m->rows;
        out->pitch = m->rows > 1 ? m->to.row_step : m->row_bytes;
        out->value = fill->pattern;
    } else { /* a byte of each pattern of a row */
        uint32_t byte = piece % fill->pattern_bytes, row = piece / fill->pattern_bytes;
        out->dst = base + row / m->rows * m->to.slice_step + row % m->rows * m->to.row_step + byte;
        out->width = 1;
        out->height = m->row_bytes / fill->pattern_bytes;
        out->pitch = fill->pattern_bytes;
        unsigned char bytes[4];
        memcpy(bytes, &fill->pattern, sizeof bytes);
        out->value = bytes[byte];
    }
    if (fill->element < 4)
        out->value &= (1u << 8 * fill->element) - 1;
}

/* ---- all of them ---- */

static weir_status make_section(section *s, const weir_image *image, known_kernels *known);

static weir_status make_body(section *body, weir_replay_edges *edges, const weir_image *image, known_kernels *known)
{
    weir_status status = make_section(body, image, known);
    return status == WEIR_OK ? weir_replay_edges_create(image->plan, edges) : status;
}

static bool is_fixed(const section *s)
{
    for (uint32_t t = 0; t < s->image->plan->tasks; t++)
        if (!s->actions[t].fixed)
            return false;
    return true;
}

/* The place in what its body's tasks are passed where one takes the decision; UINT32_MAX: none does. */
static uint32_t find_decision(const section *body)
{
    const weir_image *image = body->image;
    for (uint32_t i = 0; i < image->pass_first[image->plan->tasks]; i++)
        if (image->pass[i].kind == WEIR_PASS_DECISION)
            return i;
    return UINT32_MAX;
}

static weir_status make_decision(control *c, bool watched)
{
    uint32_t place = find_decision(&c->bodies[0]);
    c->looks = place == UINT32_MAX || watched;
    if (place == UINT32_MAX)
        return WEIR_OK;
    c->decision = weir_alloc(1, sizeof *c->decision);
    c->bodies[0].args[place] = c->decision;
    return c->decision ? WEIR_OK : weir_fail_no_memory();
}

static weir_status make_control(section *s, uint32_t t, known_kernels *known, action *a)
{
    const weir_body *body = s->image->plan->body;
    const weir_task_record *task = &body->tasks.at[t];
    control *c = a->as.control = &s->controls[s->control_count++];
    a->kind = ACTION_CONTROL;
    c->what = &body->controls.at[task->with.control];
    c->number = known->controls++;
    c->condition.word = WEIR_PASSED(const unsigned *, a->args, 0);
    c->condition.kind = task->kind == WEIR_KIND_WHILE ? CONDITION_WHILE : task->kind == WEIR_KIND_IF ? CONDITION_IF : CONDITION_SWITCH;
    c->condition.count = c->what->count;
    c->condition.decision.at_most = c->what->at_most;
    c->bodies = weir_alloc(c->what->count, sizeof *c->bodies);
    c->edges = weir_alloc(c->what->count, sizeof *c->edges);
    weir_status status = c->bodies && c->edges ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t i = 0; i < c->what->count && status == WEIR_OK; i++) {
        status = make_body(&c->bodies[i], &c->edges[i], &s->image->inner[c->what->first + i], known);
        a->fixed = a->fixed && status == WEIR_OK && is_fixed(&c->bodies[i]);
    }
    if (status == WEIR_OK && c->condition.kind == CONDITION_WHILE)
        status = make_decision(c, known->watched);
    return status;
}

static void make_native(const weir_task_record *task, action *a)
{
    a->kind = ACTION_NATIVE;
    a->as.native = (native_code){.code = task->code.native, .user = task->with.user};
}

static weir_status make(section *s, uint32_t t, known_kernels *known, action *a)
{
    const weir_image *image = s->image;
    const weir_body *body = image->plan->body;
    const weir_task_record *task = &body->tasks.at[t];
    if (weir_task_is_gate(body, task))
        a->kind = ACTION_GATE;
    else if (task->kind == WEIR_KIND_KERNEL)
        return make_kernel(body, task, known, a);
    else if (task->kind == WEIR_KIND_COPY)
        make_copy(body, task, a);
    else if (task->kind == WEIR_KIND_FILL)
        return make_fill(image, t, a);
    else if (task->kind == WEIR_KIND_NATIVE)
        make_native(task, a);
    else if (weir_kind_is_control(task->kind))
        return make_control(s, t, known, a);
    else
        a->kind = ACTION_NOTHING;
    return WEIR_OK;
}

uint32_t weir_action_pieces(const action *a)
{
    if (a->kind == ACTION_COPY || a->kind == ACTION_FILL)
        return a->as.move->pieces;
    return a->kind == ACTION_CONTROL ? weir_control_pieces(a->as.control) : 1;
}

static uint32_t moves_count(const weir_body *body)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < body->tasks.count; t++)
        count += body->tasks.at[t].kind == WEIR_KIND_COPY || body->tasks.at[t].kind == WEIR_KIND_FILL;
    return count;
}

static weir_status make_actions(section *s, known_kernels *known)
{
    const weir_image *image = s->image;
    const weir_body *body = image->plan->body;
    data_move *moves = s->moves;
    weir_status status = WEIR_OK;
    for (uint32_t t = 0; t < image->plan->tasks && status == WEIR_OK; t++) {
        action *a = &s->actions[t];
        a->args = s->args + image->pass_first[t];
        a->fixed = weir_task_is_fixed(image, t);
        a->name = body->tasks.at[t].name;
        if (body->tasks.at[t].kind == WEIR_KIND_COPY || body->tasks.at[t].kind == WEIR_KIND_FILL)
            a->as.move = moves++;
        for (uint32_t i = image->pass_first[t]; i < image->pass_first[t + 1]; i++)
            s->args[i] = (void *)(uintptr_t)image->pass[i].address;
        status = make(s, t, known, a);
        if (status == WEIR_OK)
            s->piece_first[t + 1] = s->piece_first[t] + weir_action_pieces(a);
    }
    return status;
}

static weir_status make_section(section *s, const weir_image *image, known_kernels *known)
{
    s->image = image;
    s->actions = weir_alloc_lines(image->plan->tasks, sizeof *s->actions);
    s->moves = weir_alloc(moves_count(image->plan->body), sizeof *s->moves);
    s->args = weir_alloc(image->pass_first[image->plan->tasks], sizeof *s->args);
    s->piece_first = weir_alloc((size_t)image->plan->tasks + 1, sizeof *s->piece_first);
    s->controls = weir_alloc(image->plan->body->controls.count, sizeof *s->controls);
    if (!s->actions || !s->moves || !s->args || !s->piece_first || !s->controls)
        return weir_fail_no_memory();
    uint32_t before = known->controls;
    weir_status status = make_actions(s, known);
    s->controls_within = known->controls - before;
    return status;
}

weir_status weir_section_make(section *out, const weir_image *image, bool watched)
{
    known_kernels known = {.numbers = weir_table_create(), .watched = watched};
    weir_status status = known.numbers ? make_section(out, image, &known) : weir_fail_no_memory();
    weir_table_destroy(known.numbers);
    weir_vector_finish(&known.at);
    return status;
}

void weir_section_finish(section *s)
{
    for (uint32_t i = 0; i < s->control_count; i++) {
        control *c = &s->controls[i];
        for (uint32_t b = 0; c->bodies && c->edges && b < c->what->count; b++) {
            weir_section_finish(&c->bodies[b]);
            weir_replay_edges_finish(&c->edges[b]);
        }
        weir_free(c->bodies);
        weir_free(c->edges);
        weir_free(c->decision);
    }
    weir_free_lines(s->actions);
    weir_free(s->moves);
    weir_free(s->args);
    weir_free(s->piece_first);
    weir_free(s->controls);
}

void weir_action_pass(const weir_image *image, uint32_t task, const weir_frame_values *values, void **args)
{
    uint32_t first = image->pass_first[task], count = image->pass_first[task + 1] - first;
    for (uint32_t i = 0; i < count; i++)
        if (image->pass[first + i].kind != WEIR_PASS_DECISION)
            args[i] = (void *)(uintptr_t)weir_pass_address(image, &image->pass[first + i], values);
}

void weir_section_pass(const section *s, uint32_t task, const weir_frame_values *values)
{
    const action *a = &s->actions[task];
    if (a->fixed)
        return;
    weir_action_pass(s->image, task, values, a->args);
    for (uint32_t b = 0; a->kind == ACTION_CONTROL && b < a->as.control->what->count; b++)
        for (uint32_t t = 0; t < a->as.control->bodies[b].image->plan->tasks; t++)
            weir_section_pass(&a->as.control->bodies[b], t, values);
}
